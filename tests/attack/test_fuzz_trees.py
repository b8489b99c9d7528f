"""Trees, forests, several classes and approximated kernels against scikit-learn's."""

import numpy as np
import pytest

import hostile
from hostile import LONG, Case, choose, distances, near, same_labels

CRITERIA = ("gini", "entropy"), ("squared_error", "absolute_error", "friedman_mse")


def impurity(case, y, s):
    """Impurity of some samples, in extended precision."""
    criterion, total = case.params["criterion"], s.sum()
    if not total > 0:
        return LONG(0)
    if criterion in CRITERIA[0]:
        shares = np.bincount(y, weights=s.astype(float)).astype(LONG) / total
        if criterion == "gini":
            return 1 - (shares**2).sum()
        return -(shares[shares > 0] * np.log2(shares[shares > 0])).sum()
    y = y.astype(LONG)
    if criterion == "absolute_error":
        order = np.argsort(y)
        median = y[order][np.searchsorted(np.cumsum(s[order]), total / 2)]
        return (s @ np.abs(y - median)) / total
    return s @ (y - s @ y / total) ** 2 / total


def first_split(case, model):
    """Weighted impurity below the root, which the first question is to make small; and above."""
    problem, tree, s = case.problem, model.tree_, case.problem.weights
    y = hostile.codes_of(problem.y) if case.params["criterion"] in CRITERIA[0] else problem.y
    above = s.sum() * impurity(case, y, s)
    if tree.node_count == 1:
        return above, above
    left = problem.table[:, tree.feature[0]] <= tree.threshold[0]
    return sum(s[side].sum() * impurity(case, y[side], s[side]) for side in (left, ~left)), above


def judge_tree(case, ours, theirs):
    """The first question is as good as theirs; a whole tree has learned what it can."""
    problem, params = case.problem, case.params
    coarse = 2.0**-22 * np.abs(problem.table).max(axis=0)  # theirs sees the samples in float32
    steps = np.diff(np.sort(problem.table, axis=0), axis=0)
    if np.any((steps > 0) & ((steps < coarse) | (steps < 1e-7))):
        yield "note", "scikit-learn does not tell values that are close from equal ones"
    else:
        # friedman_mse asks for another gain than its impurity.
        if params["splitter"] == "best" and params["criterion"] != "friedman_mse":
            (found, most), (expected, _) = (first_split(case, model) for model in (ours, theirs))
            size = problem.target_scale ** (1 + (params["criterion"] == "squared_error"))
            allowed = 1e-9 * most + 1e-12 * problem.weights.sum() * size
            if theirs.tree_.node_count > 1:
                yield from hostile.no_higher(found, expected, allowed, "impurity below the root")
    whole = params["max_depth"] is None and params["min_samples_leaf"] == 1
    if whole and problem.weight is None:
        _, groups = np.unique(problem.table, axis=0, return_inverse=True)
        fit = ours.predict(problem.X)
        if params["criterion"] in ("gini", "squared_error"):
            for group in np.unique(groups):
                mine = problem.y[groups == group]
                if len(np.unique(mine)) == 1 and np.any(fit[groups == group] != mine[0]):
                    off = (
                        np.abs(fit[groups == group] - mine[0]).max()
                        if mine.dtype.kind == "f"
                        else 1
                    )
                    if mine.dtype.kind != "f" or off > 1e-9 * np.abs(problem.y).max():
                        yield "a sample that a whole tree tells from all others is not learned"
                        return


def tree(rng):
    classes = rng.random() < 0.5
    draw = hostile.classification if classes else hostile.regression
    problem = draw(rng, sparse=True)
    params = {
        "criterion": choose(rng, *CRITERIA[0]) if classes else choose(rng, *CRITERIA[1]),
        "splitter": choose(rng, "best", "best", "best", "random"),
        "max_depth": choose(rng, None, None, 1, 3),
        "min_samples_leaf": choose(rng, 1, 1, 2, 0.2),
        "max_leaf_nodes": choose(rng, None, None, 4),
        "random_state": int(rng.integers(0, 100)),
    }
    if params["max_leaf_nodes"] and params["max_depth"] is None:
        params["max_depth"] = 5
    name = "DecisionTreeClassifier" if classes else "DecisionTreeRegressor"
    methods = ("predict", "predict_proba") if classes else ("predict",)
    return Case("tree", name, params, problem, judge_tree, methods)


def judge_forest(case, ours, theirs):
    """Answers within what was learned, whole shares; those of theirs where nothing is drawn."""
    problem, params = case.problem, case.params
    found = ours.answers["predict"]
    if "predict_proba" in ours.answers:
        shares = ours.answers["predict_proba"]
        if shares.min() < 0 or not np.allclose(shares.sum(axis=1), 1.0, atol=1e-9):
            yield "shares are not between 0 and 1, or do not sum to 1"
        if np.any(found != ours.classes_[shares.argmax(axis=1)]):
            yield "predict is not the class of the largest share"
    else:
        size = 1e-9 * np.abs(problem.y).max()
        if found.min() < problem.y.min() - size or found.max() > problem.y.max() + size:
            yield "predictions lie outside the targets"
    again = type(ours)(**{**params, "n_jobs": 2}).fit(problem.X, problem.y, problem.weight)
    if not np.array_equal(again.predict(problem.queries), found):
        yield "n_jobs changes the predictions"


def forest(rng):
    classes = rng.random() < 0.5
    problem = (hostile.classification if classes else hostile.regression)(rng, sparse=True)
    kind = choose(rng, "RandomForest", "ExtraTrees")
    params = {
        "n_estimators": 4,
        "criterion": choose(rng, *CRITERIA[0]) if classes else choose(rng, *CRITERIA[1]),
        "bootstrap": choose(rng, True, False),
        "max_features": choose(rng, "sqrt", 1.0, 1),
        "max_depth": choose(rng, None, None, 2),
        "min_samples_leaf": choose(rng, 1, 1, 3),
        "random_state": int(rng.integers(0, 100)),
    }
    methods = ("predict", "predict_proba") if classes else ("predict",)
    name = kind + ("Classifier" if classes else "Regressor")
    return Case("ensemble", name, params, problem, judge_forest, methods)


def judge_classes(case, ours, theirs):
    """The same models within, scikit-learn's: the answers are equal."""
    for method in case.methods:
        one, other = (np.asarray(model.answers[method]) for model in (ours, theirs))
        if method != "predict":
            if one.shape == other.shape == (len(one), 1):
                one, other = one[:, 0], other[:, 0]
            yield from near(one, other, 1e-6 * np.abs(other).max(initial=1e-300), method)
        elif case.name != "OutputCodeClassifier":
            yield from same_labels(one, other, np.ones(len(one), bool), method)
        elif np.any(one != other):
            columns = [
                np.ravel(
                    e.decision_function(case.problem.queries)
                    if hasattr(e, "decision_function")
                    else e.predict_proba(case.problem.queries)[:, -1]
                )
                for e in theirs.estimators_
            ]
            scores = -distances(np.array(columns).T, theirs.code_book_)
            yield from same_labels(one, other, hostile.clear_rows(scores, 1e-6), method)


def several_classes(rng):
    from sklearn.linear_model import Perceptron, RidgeClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    name = choose(rng, "OneVsOneClassifier", "OneVsRestClassifier", "OutputCodeClassifier")
    problem = hostile.classification(rng, weights=False, classes=(1, 2, 3, 5, 12))
    inner = (
        RidgeClassifier(),
        Perceptron(max_iter=5, tol=None),
        GaussianNB(),
        DecisionTreeClassifier(max_depth=2, random_state=0),
    )
    params = {"estimator": choose(rng, *inner)}
    methods = ("predict",)
    if name == "OutputCodeClassifier":
        params |= {"code_size": choose(rng, 0.7, 2.0), "random_state": 0}
    elif hasattr(params["estimator"], "decision_function"):
        methods = "predict", "decision_function"
    return Case("multiclass", name, params, problem, judge_classes, methods)


def judge_approximation(case, ours, theirs):
    """The same draws: approximated kernels that are equal up to rounding."""
    one, other = (dense.answers["transform"].astype(float) for dense in (ours, theirs))
    if case.name == "RBFSampler":
        reach = np.abs(case.problem.asked).max() * np.abs(theirs.random_weights_).max()
        far = 64 * case.problem.eps * (1 + reach) * case.problem.table.shape[1]
        yield from near(one, other, min(far, 2.0), "transform")
        return
    if not np.array_equal(ours.component_indices_, theirs.component_indices_):
        yield "note", "other samples are drawn"
        return
    K, expected = one @ one.T, other @ other.T
    size = max(np.abs(expected).max(), np.abs(K).max())
    if case.problem.mild and case.params["kernel"] == "rbf" and "shifted" not in str(case):
        # Roots of eigenvalues of the size of rounding keep half the digits.
        yield from near(K, expected, 1e-4 * size if case.problem.eps < 1e-10 else size, "kernel")


def approximation(rng):
    problem = hostile.tables(rng, sparse=True)
    problem.y = None
    unit = problem.scale**-2 if 1e-100 < problem.scale < 1e100 else 1.0
    name = choose(rng, "Nystroem", "RBFSampler")
    params = {"random_state": int(rng.integers(0, 100)), "gamma": choose(rng, 1.0, unit)}
    if name == "Nystroem":
        params["kernel"] = choose(rng, "rbf", "rbf", "linear", "laplacian")
        params["gamma"] = None if params["kernel"] == "linear" else params["gamma"]
        params["n_components"] = min(choose(rng, 1, 5, 20), len(problem.table))
    else:
        params["n_components"] = choose(rng, 1, 20)
    return Case("kernel_approximation", name, params, problem, judge_approximation, ("transform",))


pytestmark = hostile.EXTENDED

FAMILIES = {
    "trees": tree,
    "forests": forest,
    "several classes": several_classes,
    "approximated kernels": approximation,
}


@pytest.mark.parametrize("family", FAMILIES)
def test_trees_and_wrappers_are_as_good(family, attempts, tally):
    hostile.run(family, FAMILIES[family], attempts, tally)
