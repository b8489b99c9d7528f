"""Whole trees from weights and targets of many sizes, and the room that they grow in."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from litlearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
)
from litlearn.tree._growth import TreeTargets, _extended, take_samples
from tree_nodes import BY_CRITERION, CLASSES, EXTREME

# Sixty-four random bits wrap around on purpose; only uncompiled code remarks on it.
pytestmark = [pytest.mark.nojit, pytest.mark.filterwarnings("ignore:overflow encountered")]


@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("weights", ["counts", "large", "fractions", "few samples"])
def test_kinds_keep_the_classes_and_weights_of_samples(weights, n_outputs):
    rng = np.random.default_rng(0)
    n = 8 if weights == "few samples" else 100
    classes = rng.integers(0, 3, size=(n_outputs, n))
    table, groups = np.unique(classes, axis=1, return_inverse=True)
    w = {"large": rng.integers(0, 2, size=n) * 1e15 + 3, "fractions": rng.random(n)}.get(
        weights, rng.integers(0, 4, size=n).astype(float)
    )
    targets = TreeTargets(table.astype(float), groups.ravel().astype(np.uint32), np.zeros((0, 0)))
    samples = take_samples(targets, w)
    rows, kinds = samples.records & np.uint64(0xFFFFFFFF), samples.records >> np.uint64(32)
    np.testing.assert_array_equal(rows, np.flatnonzero(w))
    np.testing.assert_array_equal(samples.Y[:, kinds], classes[:, rows])
    np.testing.assert_array_equal(samples.w[kinds], w[rows])
    assert (len(samples.w) < len(rows)) == (weights == "counts")


def test_room_for_more_nodes():
    longer = _extended(np.arange(6).reshape(3, 2), 5)
    assert longer.shape == (5, 2) and longer[:3].tolist() == [[0, 1], [2, 3], [4, 5]]


def check_nodes(tree, n, total):
    """Counts and weights of the children are those of their parents, and no node is empty."""
    assert tree.n_node_samples[0] == n and tree.n_node_samples.min() >= 1
    np.testing.assert_allclose(tree.weighted_n_node_samples[0], total, rtol=1e-12)
    inner = np.flatnonzero(~tree.is_leaf)
    for array, rtol in ((tree.n_node_samples, 0), (tree.weighted_n_node_samples, 1e-12)):
        children = array[inner + 1] + array[tree.children_right[inner]]
        np.testing.assert_allclose(children, array[inner], rtol=rtol)


# Where a child's weight rounds to nothing, its score is computed, and not used.
@pytest.mark.filterwarnings("ignore:(invalid value|divide by zero) encountered")
@BY_CRITERION
@pytest.mark.parametrize("splitter", ["best", "random"])
@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 5),
            st.sampled_from([np.nan, 0.0, 1.0, 2.5, 4.0]),
            st.sampled_from([0.0, 1.0, 2.0]),
            st.sampled_from([*EXTREME, 5e-324, 1e300]),
        ),
        min_size=2,
        max_size=24,
    ),
    st.sampled_from([None, 3]),
    st.integers(0, 99),
)
def test_extreme_weights(criterion, splitter, rows, leaves, seed):
    X, y = np.array([row[:2] for row in rows]), np.array([row[2] for row in rows])
    w = np.array([row[3] for row in rows])
    y[np.argmax(w)] = 1.0  # Poisson needs a positive sum, also after rounding
    w[np.argmax(w)] *= 2.0  # the heaviest is one
    kind = DecisionTreeClassifier if criterion in CLASSES else DecisionTreeRegressor
    setting = {"criterion": criterion, "splitter": splitter, "max_leaf_nodes": leaves}
    model = kind(random_state=seed, **setting).fit(X, y, sample_weight=w)
    counted = w > 0.0 if w.max() < 1e200 else w > 1e-20  # beside 1e300, 5e-324 is nothing
    check_nodes(model.tree_, np.count_nonzero(counted), w.sum())
    assert np.all(np.isfinite(model.tree_.value)) and np.all(np.isfinite(model.tree_.impurity))
    assert model.tree_.impurity.min() >= 0.0
    guess = model.predict(X)
    assert guess.min() >= y.min() and guess.max() <= y.max()
    assert np.all(np.isfinite(model.feature_importances_))


def test_poisson_with_a_mean_that_rounds_to_zero():
    """The same samples in another order: what weighs 1e-9 beside 1e300 adds nothing."""
    X, y, w = np.zeros((3, 1)), np.array([1.0, 1.0, 0.0]), np.array([2e300, 1e-9, 1e300])
    X[0] = np.nan
    tree = DecisionTreeRegressor(criterion="poisson", splitter="random", random_state=0)
    tree = tree.fit(X, y, sample_weight=w).tree_
    assert tree.node_count == 3
    assert tree.impurity[tree.n_node_samples == 2] == 0.0


@pytest.mark.weekly
def test_poisson_never_parts_off_zeros_of_a_long_sum():
    """What rounding leaves of a sum of 1e5 targets is no target on the right side."""
    n = 100_000
    X = np.arange(n)[:, None]
    for seed in range(6):
        y = np.where(X[:, 0] < n / 2, np.random.default_rng(seed).uniform(0.1, 3.7, n), 0.0)
        tree = DecisionTreeRegressor(criterion="poisson", max_depth=1).fit(X, y)
        assert (tree.tree_.value > 0.0).all()


def test_poisson_with_a_mean_next_to_zero():
    """Weights of 1e300 and 1e-9: a target is more than the largest number times the mean."""
    X, y, w = np.zeros((3, 1)), np.array([1.0, 0.0, 1.0]), np.array([2e300, 1e300, 1e-9])
    X[0] = np.nan
    tree = DecisionTreeRegressor(criterion="poisson", splitter="random", random_state=0)
    tree = tree.fit(X, y, sample_weight=w).tree_
    assert 0.0 < tree.value[tree.n_node_samples == 2].min() < np.finfo(float).tiny
    assert np.isfinite(tree.impurity).all()
    share = 1e-9 / 1e300
    assert tree.impurity[tree.n_node_samples == 2][0] == pytest.approx(-share * np.log(share))


def test_medians_of_extreme_weights():
    """The running median once left its arrays here."""
    y = np.array([1.2, 0.3, -1.5, 0.0, 0.0, 0.7, -0.1, 0.5])
    w = np.array([1e-9, 1e4, 1e-7, 0.1, 1e-9, 1e4, 1e7, 1e-2])
    X = np.arange(8.0)[:, np.newaxis]
    model = DecisionTreeRegressor(criterion="absolute_error").fit(X, y, sample_weight=w)
    np.testing.assert_array_equal(model.predict(X), y)


@pytest.mark.parametrize("unit", [2.0**-1074, 2.0**-700, 2.0**1000])
@BY_CRITERION
def test_the_unit_of_weights_changes_no_digit(criterion, unit):
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(30, 2)), rng.integers(0, 3, size=30), rng.integers(1, 9, size=30)
    kind = DecisionTreeClassifier if criterion in CLASSES else DecisionTreeRegressor
    model = kind(criterion=criterion, random_state=0)
    trees = [clone(model).fit(X, y, w * scale).tree_ for scale in (1.0, unit)]
    np.testing.assert_array_equal(*(tree.threshold for tree in trees))
    np.testing.assert_allclose(*(tree.impurity for tree in trees), rtol=1e-12, atol=1e-15)
    assert trees[1].weighted_n_node_samples[0] == unit * w.sum()
