"""Compile ahead of time: fit every estimator once, with settings that reach every kernel.

Each entry of ``CASES`` is a namespace, a public estimator of it, and a setting that reaches another
kernel. ``EXTRAS`` holds what fitting and predicting does not reach. A test checks that no public
estimator is missing.
"""

import importlib
import warnings
from functools import partial
from types import SimpleNamespace

import numpy as np

from litlearn._core.constraints import BOOLEAN, Option
from litlearn._core.progress import progress

SECONDS = 3.0  # of compiling in a step, on average: all took 370 s on an AMD EPYC
CASES = []


def _neighbors():
    """Every algorithm and metric of litlearn.neighbors."""
    for algorithm, metrics in {
        "brute": [
            "euclidean",
            "manhattan",
            "chebyshev",
            "minkowski",
            "cosine",
            "hamming",
            "canberra",
        ],
        "kd_tree": ["euclidean", "manhattan", "chebyshev", "minkowski"],
        "ball_tree": ["euclidean", "manhattan", "chebyshev", "minkowski"],
    }.items():
        for metric in metrics:
            setting = {"algorithm": algorithm, "metric": metric}
            if metric == "minkowski":
                setting["p"] = 3
            yield "neighbors", "NearestNeighbors", setting
    for name in (
        "KNeighborsClassifier",
        "KNeighborsRegressor",
        "RadiusNeighborsClassifier",
        "RadiusNeighborsRegressor",
        "KNeighborsTransformer",
        "RadiusNeighborsTransformer",
        "NearestCentroid",
        "KernelDensity",
    ):
        setting = {"radius": 10.0} if name.startswith("Radius") else {}
        yield "neighbors", name, setting
    yield "neighbors", "KNeighborsClassifier", {"weights": "distance"}


CASES.extend(_neighbors())
CASES.extend(
    ("linear_model", name, {})
    for name in ("LinearRegression", "Ridge", "RidgeCV", "RidgeClassifier", "RidgeClassifierCV")
)
CASES.append(("linear_model", "LogisticRegression", {}))
CASES.append(("linear_model", "LogisticRegressionCV", {"Cs": 2, "cv": 2}))
for penalty in ("l2", "l1"):
    CASES.append(("linear_model", "SGDClassifier", {"penalty": penalty, "max_iter": 5}))
CASES.append(("linear_model", "SGDRegressor", {"shuffle": False, "max_iter": 5}))
CASES.append(("linear_model", "ElasticNet", {"alpha": 0.1}))
CASES.append(("linear_model", "ElasticNetCV", {}))
CASES.append(("linear_model", "Lasso", {"alpha": 0.1}))
CASES.append(("linear_model", "LassoCV", {}))

CASES.extend(
    ("cluster", "KMeans", {"algorithm": algorithm}) for algorithm in ("lloyd", "elkan", "hamerly")
)
CASES.append(("cluster", "MiniBatchKMeans", {"batch_size": 64}))
CASES.extend(
    ("mixture", "GaussianMixture", {"covariance_type": kind, "max_iter": 1})
    for kind in ("full", "tied", "diag")
)
CASES.extend(
    ("kernel_ridge", "KernelRidge", {"kernel": kernel}) for kernel in ("rbf", "laplacian", "linear")
)
CASES.append(("decomposition", "KernelPCA", {"n_components": 2, "kernel": "rbf"}))
CASES.append(("kernel_approximation", "Nystroem", {"n_components": 20, "random_state": 0}))
CASES.append(("kernel_approximation", "RBFSampler", {"random_state": 0}))
CASES.append(("decomposition", "PCA", {}))
CASES.append(("decomposition", "IncrementalPCA", {}))
CASES.append(("decomposition", "TruncatedSVD", {"random_state": 0}))
CASES.append(("naive_bayes", "GaussianNB", {}))
CASES.append(("discriminant_analysis", "LinearDiscriminantAnalysis", {}))
CASES.append(("discriminant_analysis", "QuadraticDiscriminantAnalysis", {"reg_param": 0.5}))

CASES.extend(
    ("tree", name, {"splitter": splitter, "criterion": criterion})
    for name, criterion in (
        ("DecisionTreeClassifier", "gini"),
        ("DecisionTreeRegressor", "absolute_error"),
        ("ExtraTreeClassifier", "entropy"),
        ("ExtraTreeRegressor", "poisson"),
    )
    for splitter in ("best", "random")
)
CASES.append(("tree", "DecisionTreeClassifier", {"max_leaf_nodes": 4, "ccp_alpha": 0.01}))
CASES.extend(
    ("tree", name, {"splitter": splitter, **setting, "monotonic_cst": [1, -1, 0, 0, 0, 0]})
    for name, setting in (
        ("DecisionTreeClassifier", {}),
        ("DecisionTreeRegressor", {}),
        ("DecisionTreeRegressor", {"criterion": "absolute_error"}),
    )
    for splitter in ("best", "random")
)
CASES.extend(
    ("tree", name, {"splitter": splitter, **setting, "categorical_features": [4, 5]})
    for name, setting in (
        ("DecisionTreeClassifier", {}),
        ("DecisionTreeRegressor", {}),
        ("DecisionTreeRegressor", {"criterion": "absolute_error"}),
    )
    for splitter in ("best", "random")
)
CASES.extend(
    ("ensemble", name, {"n_estimators": 2})
    for name in (
        "RandomForestClassifier",
        "RandomForestRegressor",
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
    )
)
CASES.extend(
    ("svm", name, {}) for name in ("SVC", "NuSVC", "SVR", "NuSVR", "LinearSVC", "LinearSVR")
)


def use(estimator, X, y):
    """Fit, and call whatever the estimator offers."""
    estimator.fit(X, y)
    for method in ("predict", "predict_proba", "transform", "kneighbors", "radius_neighbors"):
        if hasattr(estimator, method):
            for few in (X[:32], X[:4]):  # the number of queries may choose the kernel
                getattr(estimator, method)(few)


def use_trees(dtype):
    """Ask a k-d tree and a ball tree for what only these classes offer."""
    neighbors = importlib.import_module("litlearn.neighbors")
    X = np.random.default_rng(0).normal(size=(256, 3)).astype(dtype)
    for kind in (neighbors.KDTree, neighbors.BallTree):
        tree = kind(X)
        tree.query(X[:8], k=3)
        tree.query_radius(X[:8], 1.0, count_only=True)
        tree.kernel_density(X[:8], 1.0)
        tree.two_point_correlation(X[:8], [1.0])


def use_logistic(dtype):
    """Fit with several classes, sparse data, l1, weights; enough samples to begin with a part."""
    from scipy.sparse import csr_array

    model = importlib.import_module("litlearn.linear_model").LogisticRegression
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 8)).astype(dtype)
    y = (X[:, :3] + rng.gumbel(size=(len(X), 3))).argmax(axis=1)
    few, labels = X[:300], y[:300]
    for classes in (y, y > 0):
        model().fit(X, classes)
        for data in (few, csr_array(few)):
            model(solver="newton-cg").fit(data, classes[:300])
            model(C=0.1, l1_ratio=0.5).fit(data, classes[:300])
    linear_model = importlib.import_module("litlearn.linear_model")
    linear_model.SGDRegressor().fit(few, few[:, 0], sample_weight=np.ones(300))
    tasks = linear_model.MultiTaskElasticNet(0.1)
    tasks.fit(few, few[:, :2])
    tasks.fit(csr_array(few), few[:, :2])
    separated = np.digitize(few[:, 0], [-0.5, 0.5])
    for classes in (separated, separated > 0, labels):
        model(C=np.inf).fit(few, classes)  # steps are halved here
    for weight in (None, np.full(len(X), 2.0)):  # so many samples are summed up in loops
        linear_model.LinearRegression().fit(X, X[:, 0], sample_weight=weight)


def use_machines(dtype):
    """Fit where the Gram matrix is not stored, in float32 at first; and sparse data."""
    from scipy.sparse import csr_array

    svm = importlib.import_module("litlearn.svm")
    X = np.random.default_rng(0).normal(size=(1100, 4)).astype(dtype)
    y = X[:, 0] > 0
    svm.SVC(cache_size=10).fit(X, y).predict(X[:8])
    few, sparse, labels = X[:100], csr_array(X[:100]), y[:100]
    svm.SVC().fit(sparse, labels).predict(sparse)
    for data in (few, sparse):
        svm.LinearSVC(loss="hinge").fit(data, labels)
        svm.LinearSVC(penalty="l1").fit(data, labels)
        svm.LinearSVC(multi_class="crammer_singer").fit(data, labels)
    svm.LinearSVR().fit(sparse, few[:, 0])


def use_clusters(dtype):
    """Divide weighted, sparse and many data."""
    from scipy.sparse import csr_array

    cluster = importlib.import_module("litlearn.cluster")
    X, weight = np.random.default_rng(0).normal(size=(256, 6)).astype(dtype), np.full(256, 2.0)
    for algorithm in ("lloyd", "elkan", "hamerly"):
        for data in (X, csr_array(X)):
            cluster.KMeans(algorithm=algorithm).fit(data)
            model = cluster.KMeans(algorithm=algorithm).fit(data, sample_weight=weight)
            model.predict(data[:8])
            model.transform(data[:8])
    cluster.MiniBatchKMeans(batch_size=64).fit(X, sample_weight=weight)
    cluster.KMeans(1).fit(X, sample_weight=weight)
    many = np.random.default_rng(0).normal(size=(100_000, 6)).astype(dtype)
    for weight in (None, np.full(len(many), 2.0)):  # the start takes them block by block
        cluster.KMeans(max_iter=2).fit(many, sample_weight=weight)


def use_discriminants(dtype):
    """Find the covariance of many samples."""
    model = importlib.import_module("litlearn.discriminant_analysis").LinearDiscriminantAnalysis()
    X = np.random.default_rng(0).normal(size=(100_000, 4)).astype(dtype)
    model.fit(X, X[:, 0] > 0)


def use_tree_data(dtype):
    """Grow a tree from sparse data, and one from levels that are whole numbers, and ask them."""
    from scipy.sparse import csr_array

    kind = importlib.import_module("litlearn.tree").DecisionTreeClassifier
    X = np.random.default_rng(0).normal(size=(256, 6)).astype(dtype)
    y = np.arange(256) % 2
    for model, some in ((kind(), csr_array(X)), (kind(categorical_features=[0]), X.round())):
        model.fit(some, y).predict(some[:8])


EXTRAS = {
    "neighbors": use_trees,
    "linear_model": use_logistic,
    "cluster": use_clusters,
    "discriminant_analysis": use_discriminants,
    "svm": use_machines,
    "tree": use_tree_data,
}


def warm_up(*namespaces, dtypes=("float64", "float32"), verbose=True):
    """Compile now what the first calls would compile, and keep it on disk.

    A compiled function is made once for each machine and kind of data, when it is first called:
    seconds in which a fit seems to hang. Call this after an installation, in the build of a
    container, or before a lecture. What is on disk already is only loaded.

    Parameters
    ----------
    *namespaces : str
        Names such as ``"neighbors"`` or ``"tree"``. None: all that hold estimators.
    dtypes : iterable of str, default=("float64", "float32")
        Kinds of data to compile for: one alone takes about half as long.
    verbose : bool, default=True
        Say beforehand about how long it takes, and show with a bar how far it is.

    Raises
    ------
    ValueError
        If a namespace holds no estimators, or a dtype is neither float64 nor float32.

    Notes
    -----
    The cache is where Numba keeps it: beside the installed package if that folder is writable, else
    in the user's cache folder, or where ``NUMBA_CACHE_DIR`` says. An upgrade of litlearn or of
    Numba compiles anew.

    While a function compiles for more than a second, a terminal shows one line that says so.
    Elsewhere (notebooks, scripts whose errors go to a file) the logger ``litlearn`` has it, at
    level INFO: ``logging.basicConfig(level="INFO")`` shows it.

    Examples
    --------
    >>> import litlearn
    >>> litlearn.warm_up("neighbors", dtypes=["float64"])  # doctest: +SKIP
    """
    known, dtypes = list(dict.fromkeys(case[0] for case in CASES)), [np.dtype(d) for d in dtypes]
    for name in namespaces:
        Option(*known).check("warm_up", "namespaces", name)
    for dtype in dtypes:
        Option("float64", "float32").check("warm_up", "dtypes", dtype.name)
    BOOLEAN.check("warm_up", "verbose", verbose)
    steps = [
        (namespace, label, partial(call, dtype))
        for namespace, label, call in _calls()
        for dtype in (dtypes if not namespaces or namespace in namespaces else ())
    ]
    if verbose:
        minutes = max(1, round(len(steps) * SECONDS / 60))
        print(
            f"litlearn.warm_up: {len(steps)} steps, about {minutes} min where none of it has been "
            "compiled; what is on disk is only loaded.",
            flush=True,
        )
    owner = SimpleNamespace(verbose=verbose)
    with progress(owner, str, "step", len(steps), name="litlearn.warm_up") as report:
        for done, (namespace, label, call) in enumerate(steps):
            if verbose:
                report(done, f"{namespace}.{label}")
            _quietly(call)
        if verbose:
            report(len(steps), "done")


def _calls():
    """List namespace, label and function of the kind of data, of all that compiles."""

    def fit(namespace, name, setting, dtype):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(256, 6))
        y = (X[:, 0] > 0).astype(int)
        kind = getattr(importlib.import_module(f"litlearn.{namespace}"), name)
        use(kind(**setting), X.astype(dtype), y)

    calls = [(case[0], case[1], partial(fit, *case)) for case in CASES]
    return calls + [(namespace, "...", extra) for namespace, extra in EXTRAS.items()]


def _quietly(function, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function(*arguments)
