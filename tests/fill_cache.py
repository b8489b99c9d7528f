"""Compile every kernel once, in one process, before anything runs in several.

Each entry of ``CASES`` is a public estimator with a setting that reaches another kernel. Every
entry is fitted and used on float64 and on float32 data. ``test_project.py`` checks that no public
estimator is missing.
"""

import importlib
import sys
import time
import warnings

import numpy as np
from scipy.sparse import csr_array

from litlearn.neighbors import BallTree, KDTree

CASES = []


def _neighbors():
    """Every algorithm and metric of litlearn.neighbors."""
    for algorithm, metrics in {
        "brute": ["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "hamming"],
        "kd_tree": ["euclidean", "manhattan", "chebyshev", "minkowski"],
        "ball_tree": ["euclidean", "manhattan", "chebyshev", "minkowski"],
    }.items():
        for metric in metrics:
            setting = {"algorithm": algorithm, "metric": metric}
            if metric == "minkowski":
                setting["p"] = 3
            yield "litlearn.neighbors", "NearestNeighbors", setting
    for name in (
        "KNeighborsClassifier",
        "KNeighborsRegressor",
        "RadiusNeighborsClassifier",
        "RadiusNeighborsRegressor",
    ):
        setting = {"radius": 10.0} if name.startswith("Radius") else {}
        yield "litlearn.neighbors", name, setting


CASES.extend(_neighbors())
CASES.extend(
    ("litlearn.linear_model", name, {})
    for name in ("LinearRegression", "Ridge", "RidgeCV", "RidgeClassifier")
)
CASES.append(("litlearn.linear_model", "LogisticRegression", {}))
CASES.append(("litlearn.linear_model", "ElasticNet", {"alpha": 0.1}))
CASES.append(("litlearn.linear_model", "ElasticNetCV", {}))
CASES.append(("litlearn.linear_model", "Lasso", {"alpha": 0.1}))
CASES.append(("litlearn.linear_model", "LassoCV", {}))

CASES.extend(
    ("litlearn.tree", name, {"splitter": splitter, "criterion": criterion})
    for name, criterion in (
        ("DecisionTreeClassifier", "gini"),
        ("DecisionTreeRegressor", "absolute_error"),
        ("ExtraTreeClassifier", "entropy"),
        ("ExtraTreeRegressor", "poisson"),
    )
    for splitter in ("best", "random")
)
CASES.append(("litlearn.tree", "DecisionTreeClassifier", {"max_leaf_nodes": 4, "ccp_alpha": 0.01}))
CASES.extend(
    ("litlearn.ensemble", name, {"n_estimators": 2})
    for name in (
        "RandomForestClassifier",
        "RandomForestRegressor",
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
    )
)


def use(estimator, X, y):
    """Fit, and call whatever the estimator offers."""
    estimator.fit(X, y)
    for method in ("predict", "predict_proba", "transform", "kneighbors", "radius_neighbors"):
        if hasattr(estimator, method):
            getattr(estimator, method)(X[:32])


def use_tree(tree):
    """Ask a k-d tree or a ball tree for what only its class offers."""
    points = np.asarray(tree.data)[:8]
    tree.query(points, k=3)
    tree.query_radius(points, 1.0, count_only=True)
    tree.kernel_density(points, 1.0)
    tree.two_point_correlation(points, [1.0])


def use_logistic(dtype):
    """Fit with several classes, sparse data, enough samples to start from a part, and l1."""
    rng = np.random.default_rng(0)
    model = importlib.import_module("litlearn.linear_model").LogisticRegression
    X = rng.normal(size=(40_000, 8)).astype(dtype)
    y = (X[:, :3] + rng.gumbel(size=(len(X), 3))).argmax(axis=1)
    few, labels = X[:300], y[:300]
    for classes in (y, y > 0):
        model().fit(X, classes)
        for data in (few, csr_array(few)):
            model(solver="newton-cg").fit(data, classes[:300])
            model(C=0.1, l1_ratio=0.5).fit(data, classes[:300])
    separated = np.digitize(few[:, 0], [-0.5, 0.5])
    for classes in (separated, separated > 0, labels):
        model(C=np.inf).fit(few, classes)  # steps are halved here


def main():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(256, 3))
    y = (X[:, 0] > 0).astype(int)
    started = time.perf_counter()
    for number, (module, name, setting) in enumerate(CASES, start=1):
        estimator = getattr(importlib.import_module(module), name)
        for dtype in (np.float64, np.float32):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                use(estimator(**setting), X.astype(dtype), y)
        seconds = time.perf_counter() - started
        print(f"  {number}/{len(CASES)} {name} {setting or ''} ({seconds:.0f} s)", flush=True)
    for tree in (KDTree(X), BallTree(X)):
        use_tree(tree)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dtype in (np.float64, np.float32):
            use_logistic(dtype)
    return 0


if __name__ == "__main__":
    sys.exit(main())
