"""The same tree as scikit-learn's, node by node.

At each node the two programs must choose the same split, or splits of equal improvement; after a
tie the samples below differ, and the comparison ends there. The data are exact in float32, because
scikit-learn compares in that type.
"""

import numpy as np
import pytest
import sklearn.tree as theirs
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine

import litlearn.tree as ours
from protocol import SKLEARN
from reference import impurity

SETS = {
    "iris": load_iris,
    "wine": load_wine,
    "breast_cancer": load_breast_cancer,
    "digits": load_digits,
}


def improvement(criterion, y, w, left):
    """Decrease of the weighted impurity by a split, computed from its definition."""
    whole = w.sum() * impurity(criterion, y, w)
    parts = [w[side].sum() * impurity(criterion, y[side], w[side]) for side in (left, ~left)]
    return (whole - sum(parts)) / w.sum()


def goes_left(tree, node, X):
    column, default = X[:, tree.feature[node]], bool(tree.missing_go_to_left[node])
    return np.where(np.isnan(column), default, column <= tree.threshold[node])


def compare(mine, other, X, y, w, criterion):
    """Walk down both trees; return how many nodes were compared, and how many ties were met."""
    n_nodes, n_ties = 0, 0
    waiting = [(0, 0, np.arange(len(X)))]
    while waiting:
        a, b, rows = waiting.pop()
        n_nodes += 1
        assert mine.n_node_samples[a] == other.n_node_samples[b] == len(rows)
        np.testing.assert_allclose(mine.impurity[a], other.impurity[b], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(mine.value[a], other.value[b], rtol=1e-9, atol=1e-12)
        ends = mine.children_left[a] == -1, other.children_left[b] == -1
        assert ends[0] == ends[1]
        if ends[0]:
            continue
        left, left_theirs = goes_left(mine, a, X[rows]), goes_left(other, b, X[rows])
        if np.array_equal(left, left_theirs):
            if mine.feature[a] == other.feature[b]:
                np.testing.assert_allclose(mine.threshold[a], other.threshold[b], rtol=1e-14)
            waiting.append((mine.children_left[a], other.children_left[b], rows[left]))
            waiting.append((mine.children_right[a], other.children_right[b], rows[~left]))
            continue
        n_ties += 1
        gains = [improvement(criterion, y[rows], w[rows], side) for side in (left, left_theirs)]
        np.testing.assert_allclose(gains[0], gains[1], rtol=1e-9, atol=1e-12)
    return n_nodes, n_ties


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("setting", [{}, {"min_samples_leaf": 7}, {"max_depth": 3}])
def test_classification(name, criterion, setting):
    X, y = SETS[name](return_X_y=True)
    X = X.astype(np.float32).astype(np.float64)
    mine = ours.DecisionTreeClassifier(criterion=criterion, random_state=0, **setting).fit(X, y)
    other = theirs.DecisionTreeClassifier(criterion=criterion, random_state=0, **setting).fit(X, y)
    n_nodes, _ = compare(mine.tree_, other.tree_, X, y, np.ones(len(y)), criterion)
    assert n_nodes >= 3


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("setting", [{}, {"min_samples_leaf": 10}, {"max_depth": 4}])
def test_regression(criterion, setting):
    X, y = load_diabetes(return_X_y=True, scaled=False)
    X = X.astype(np.float32).astype(np.float64)
    mine = ours.DecisionTreeRegressor(criterion=criterion, random_state=0, **setting).fit(X, y)
    other = theirs.DecisionTreeRegressor(criterion=criterion, random_state=0, **setting).fit(X, y)
    n_nodes, _ = compare(mine.tree_, other.tree_, X, y, np.ones(len(y)), criterion)
    assert n_nodes >= 3


@pytest.mark.parametrize("criterion", ["gini", "squared_error", "poisson"])
def test_missing_values(criterion):
    if criterion == "poisson" and SKLEARN < (1, 9):
        pytest.skip("scikit-learn's deviance of a node with missing values was wrong before 1.9")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5)).astype(np.float32).astype(np.float64)
    y = (X[:, 0] + X[:, 1] ** 2 + 0.2 * rng.normal(size=600) > 1).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[y == 1, 4] = np.nan  # its absence tells
    name = "DecisionTreeClassifier" if criterion == "gini" else "DecisionTreeRegressor"
    setting = {"criterion": criterion, "random_state": 0, "min_samples_leaf": 5}
    mine, other = (getattr(one, name)(**setting).fit(X, y) for one in (ours, theirs))
    compare(mine.tree_, other.tree_, X, y, np.ones(600), criterion)


def test_missing_values_in_prediction():
    X, y = without_ties()
    rng = np.random.default_rng(6)
    X[rng.random(X.shape) < 0.3] = np.nan
    X[:, 3] = np.nan_to_num(X[:, 3])  # a feature that is missing only later
    setting = {"random_state": 0, "min_samples_leaf": 10}
    mine, other = (one.DecisionTreeRegressor(**setting).fit(X, y) for one in (ours, theirs))
    assert compare(mine.tree_, other.tree_, X, y, np.ones(len(y)), "squared_error")[1] == 0
    probe, _ = without_ties()
    probe[rng.random(probe.shape) < 0.5] = np.nan
    np.testing.assert_allclose(mine.predict(probe), other.predict(probe))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_sample_weights(criterion):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 4)).astype(np.float32).astype(np.float64)
    y = (X[:, 0] * X[:, 1] > 0).astype(float)
    w = rng.integers(0, 9, size=400) / 8  # sums of eighths are exact, so that pure nodes are pure
    name = "DecisionTreeClassifier" if criterion in ("gini", "entropy") else "DecisionTreeRegressor"
    setting = {"criterion": criterion, "random_state": 0, "min_weight_fraction_leaf": 0.01}
    mine, other = (getattr(o, name)(**setting).fit(X, y, sample_weight=w) for o in (ours, theirs))
    some = w > 0
    n_nodes, _ = compare(mine.tree_, other.tree_, X[some], y[some], w[some], criterion)
    assert n_nodes > 20


@pytest.mark.parametrize("leaves", [2, 7, 30])
def test_best_first(leaves):
    X, y = load_breast_cancer(return_X_y=True)
    X = X.astype(np.float32).astype(np.float64)
    setting = {"max_leaf_nodes": leaves, "random_state": 0}
    mine = ours.DecisionTreeClassifier(**setting).fit(X, y)
    other = theirs.DecisionTreeClassifier(**setting).fit(X, y)
    assert mine.get_n_leaves() == other.get_n_leaves()
    _, n_ties = compare(mine.tree_, other.tree_, X, y, np.ones(len(y)), "gini")
    assert n_ties <= 5


def without_ties(n=500):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 4)).astype(np.float32).astype(np.float64)
    return X, X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n)


def test_cost_complexity_path():
    X, y = without_ties()
    setting = {"random_state": 3, "min_samples_leaf": 12}
    mine, other = ours.DecisionTreeRegressor(**setting), theirs.DecisionTreeRegressor(**setting)
    assert (
        compare(
            mine.fit(X, y).tree_, other.fit(X, y).tree_, X, y, np.ones(len(y)), "squared_error"
        )[1]
        == 0
    )
    path, expected = (one.cost_complexity_pruning_path(X, y) for one in (mine, other))
    np.testing.assert_allclose(path.ccp_alphas, expected.ccp_alphas, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(path["impurities"], expected["impurities"], rtol=1e-9)
    for alpha in expected.ccp_alphas[1:] * 1.0001:
        pruned = ours.DecisionTreeRegressor(ccp_alpha=alpha, **setting).fit(X, y)
        same = theirs.DecisionTreeRegressor(ccp_alpha=alpha, **setting).fit(X, y)
        assert pruned.tree_.node_count == same.tree_.node_count
        np.testing.assert_allclose(pruned.predict(X), same.predict(X))


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("depth", [0, 2, 10])
def test_export_text(weights, depth):
    X, y = without_ties()
    kinds = ("DecisionTreeClassifier", y > 1) if weights else ("DecisionTreeRegressor", y)
    setting = {"min_samples_leaf": 40, "random_state": 0}
    mine, other = (getattr(one, kinds[0])(**setting).fit(X, kinds[1]) for one in (ours, theirs))
    options = {"show_weights": weights, "max_depth": depth, "feature_names": list("abcd")}
    assert ours.export_text(mine, **options) == theirs.export_text(other, **options)
