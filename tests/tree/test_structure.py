"""A grown tree: walks down it, and what its arrays say."""

import itertools

import numpy as np
import pytest

from litlearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeRegressor,
)
from reference import impurity

# Sixty-four random bits wrap around on purpose; only uncompiled code remarks on it.
pytestmark = [pytest.mark.nojit, pytest.mark.filterwarnings("ignore:overflow encountered")]


def walk(tree, x):
    """The way of one sample, a node at a time."""
    node, path = 0, [0]
    while tree.children_left[node] != -1:
        value = x[tree.feature[node]]
        left = tree.missing_go_to_left[node] if np.isnan(value) else value <= tree.threshold[node]
        node = tree.children_left[node] if left else tree.children_right[node]
        path.append(node)
    return path


@pytest.mark.parametrize("n_queries", [0, 1, 31, 32, 33, 70])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_walks_in_step(n_queries, dtype):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    X[rng.random(X.shape) < 0.2] = np.nan
    tree = ExtraTreeRegressor(random_state=1).fit(X, y).tree_
    Q = rng.normal(size=(n_queries, 3)).astype(dtype)
    Q[rng.random(Q.shape) < 0.3] = np.nan
    paths = [walk(tree, x) for x in Q]
    np.testing.assert_array_equal(tree.apply(Q), [path[-1] for path in paths])
    dense = tree.decision_path(Q).toarray()
    for row, path in zip(dense, paths, strict=True):
        np.testing.assert_array_equal(np.flatnonzero(row), path)


@pytest.mark.parametrize("X", [np.zeros((3, 1)), np.zeros(2), np.zeros((3, 2), dtype=int)])
def test_walks_need_rows_of_the_right_width(X):
    tree = DecisionTreeRegressor().fit([[1.0, 2.0], [2.0, 1.0]], [3.0, 5.0]).tree_
    for method in (tree.apply, tree.predict, tree.decision_path):
        with pytest.raises(ValueError, match=r"Tree: X must be an array of floats of shape"):
            method(X)


def test_walk_in_a_single_node():
    tree = DecisionTreeRegressor().fit([[1.0], [1.0]], [3.0, 5.0]).tree_
    assert tree.node_count == tree.n_leaves == 1 and tree.max_depth == 0
    assert tree.apply(np.array([[np.nan], [-np.inf], [7.0]])).tolist() == [0, 0, 0]
    assert tree.predict(np.array([[7.0]])).ravel().tolist() == [4.0]


def test_structure_of_a_tree():
    X, y = np.random.default_rng(3).normal(size=(2, 50, 2))
    tree = DecisionTreeRegressor().fit(X, y[:, 0]).tree_
    inner = np.flatnonzero(~tree.is_leaf)
    np.testing.assert_array_equal(tree.children_left[inner], inner + 1)
    for a, b in itertools.pairwise(walk(tree, X[0])):
        assert tree.depths[b] == tree.depths[a] + 1
    assert tree.n_leaves == len(inner) + 1 == np.count_nonzero(tree.children_left == -1)
    sums = tree.n_node_samples[tree.children_left[inner]]
    sums = sums + tree.n_node_samples[tree.children_right[inner]]
    np.testing.assert_array_equal(sums, tree.n_node_samples[inner])


def test_importances_by_their_definition():
    """eq-importance."""
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 3, size=80)
    w = rng.uniform(0.5, 2, size=80)
    model = DecisionTreeClassifier(max_depth=4).fit(X, y, sample_weight=w)
    tree, gains = model.tree_, np.zeros(3)
    reached = tree.decision_path(X).toarray().astype(bool)
    for node in np.flatnonzero(~tree.is_leaf):
        for child, sign in (
            (node, 1),
            (tree.children_left[node], -1),
            (tree.children_right[node], -1),
        ):
            rows = reached[:, child]
            gains[tree.feature[node]] += sign * w[rows].sum() * impurity("gini", y[rows], w[rows])
    np.testing.assert_allclose(model.feature_importances_, gains / gains.sum())


def test_a_value_at_the_threshold_goes_left():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 2.0, 3.0, 4.0])
    model = DecisionTreeRegressor().fit(X, y)
    thresholds = np.sort(model.tree_.threshold[model.tree_.feature == 0])
    np.testing.assert_array_equal(thresholds, [0.5, 1.5, 2.5])
    np.testing.assert_array_equal(model.predict(thresholds[:, None]), y[:3])
