"""The split of one node: thresholds that are drawn, and the best of all cuts."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litlearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    _growth,
    _splitter,
)
from litlearn.tree import _criteria as criteria
from litlearn.tree._growth import with_weights
from litlearn.tree._monotone import FREE, NO_LIMITS
from litlearn.tree._sort import (
    code_of,
)
from litlearn.tree._splitter import (
    Rules,
    Stretch,
    draw_threshold,
    is_better,
    missing_first,
    missing_last,
    score_threshold,
)
from reference import impurity
from tree_nodes import BY_CRITERION, CLASSES, Node, make_keys, mean_impurity, rooms, rules

# Sixty-four random bits wrap around on purpose; only uncompiled code remarks on it.
pytestmark = [pytest.mark.nojit, pytest.mark.filterwarnings("ignore:overflow encountered")]


def scene(criterion, seed, column=None, n=25, n_outputs=1):
    """A node of all samples, with a column of values, as the functions of growth expect them."""
    node = Node(criterion, seed, n=n, n_outputs=n_outputs)
    size = node.Y.shape[1]
    rng = np.random.default_rng(seed)
    node.column = np.full(size, 1e6)
    node.column[node.start : node.stop] = rng.normal(size=n) if column is None else column
    records = node.records if criterion in CLASSES else np.zeros(size, dtype=np.uint64)
    records = records + np.arange(size, dtype=np.uint64)  # now in different rows
    node.samples = node.samples._replace(records=records)
    node.problem = node.problem._replace(columns=node.column[np.newaxis])
    return node


def draw(node):
    return draw_threshold(node.work(rules(node.criterion)), 0, node.start, node.stop)


def scored(node, threshold, stretch, *bounds):
    work = node.work(rules(node.criterion, *bounds))
    return score_threshold(node.family, FREE, work, threshold, stretch, NO_LIMITS)


def test_drawn_thresholds_are_uniform():
    """eq-random-threshold."""
    node = scene("gini", 4)
    own = node.column[node.start : node.stop]
    low, high = own.min(), own.max()
    drawn = np.sort([draw(node)[0] for _ in range(2000)])
    assert low <= drawn[0] and drawn[-1] < high
    steps = np.arange(2000) / 2000
    distance = np.abs((drawn - low) / (high - low) - steps).max()  # Kolmogorov and Smirnov's
    assert distance < 1.95 / math.sqrt(2000)  # a true uniform exceeds it once in a thousand


@pytest.mark.parametrize(
    ("low", "high"),
    [(1.0, np.nextafter(1.0, 2.0)), (-1.7e308, 1.7e308), (0.0, 5e-324), (-1e-300, 1e300)],
)
def test_drawn_thresholds_leave_both_sides_a_sample(low, high):
    """eq-random-threshold, at the limits of the numbers."""
    node = scene("gini", 5, np.repeat([low, high], [12, 13]))
    for _ in range(50):
        threshold, missing_left, found = draw(node)
        assert low <= threshold < high and found and not missing_left


def test_drawn_sides_of_missing_values():
    node = scene("gini", 6, np.r_[np.nan, np.arange(24.0)])
    sides = []
    for _ in range(60):
        threshold, missing_left, found = draw(node)
        assert found and 0.0 <= threshold < 23.0
        assert node.scratch.values[0] == (-np.inf if missing_left else np.inf)
        sides.append(missing_left)
    assert 10 < sum(sides) < 50


def test_nothing_to_draw():
    for column in (np.full(25, 7.0), np.full(25, np.nan)):
        assert not draw(scene("gini", 0, column))[2]
    node = scene("gini", 0, np.r_[np.nan, np.full(24, 7.0)])  # one value, and missing ones
    threshold, missing_left, found = draw(node)
    assert found and threshold == 7.0 and not missing_left


@BY_CRITERION
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_score_of_a_given_threshold(criterion, n_outputs):
    """eq-gini-score, eq-entropy-score, eq-squared-error-score and eq-poisson-score."""
    for seed in range(5):
        node = scene(criterion, seed, n_outputs=n_outputs)
        _, weight, before, _ = node.describe()
        threshold, _, _ = draw(node)
        stretch = Stretch(node.start, node.stop, weight, before)
        score = scored(node, threshold, stretch)
        left = node.column[node.start : node.stop] <= threshold
        after = 0.0
        for side in (left, ~left):
            w = node.own_w[side]
            parts = [impurity(criterion, y[side], w) for y in node.own_y]
            after += w.sum() * np.mean(parts)
        expected = weight * mean_impurity(node) - after
        no_logarithm = criterion == "poisson" and any(
            min(y[left].sum(), y[~left].sum()) == 0 for y in node.own_y
        )
        if no_logarithm:
            assert score == -np.inf
        else:
            np.testing.assert_allclose(node.decrease(before, score), expected, atol=1e-12)
        n_left = left.sum()
        too_many = max(n_left, len(left) - n_left) + 1
        assert scored(node, threshold, stretch, too_many) == -np.inf
        assert scored(node, threshold, stretch, 1, 0.51 * weight) == -np.inf


def test_scores_that_differ_by_rounding_are_ties():
    assert is_better(1.0 + 2e-12, 1.0) and not is_better(1.0 + 5e-13, 1.0)
    assert is_better(-1.0, -np.inf) and not is_better(-np.inf, -np.inf)
    assert not is_better(-1.0 + 1e-14, -1.0) and not is_better(np.nan, 0.0)


def test_missing_values_move_to_the_end():
    keys = make_keys([5, 7, 1, 7, 7, 0])
    for out in (keys.copy(), None):
        same = keys.copy()
        n_present = missing_last(same, 6, np.uint64(7), same if out is None else out)
        assert n_present == 3
        found = np.concatenate([same[:3], (same if out is None else out)[3:]])
        assert [int(code_of(key)) for key in found] == [5, 1, 0, 7, 7, 7]
        np.testing.assert_array_equal(np.sort(found), np.sort(keys))


def test_missing_values_move_to_the_front():
    keys = np.arange(10, dtype=np.uint64)
    missing_first(keys, 10, 7, rooms(10)[0])
    assert keys.tolist() == [7, 8, 9, 0, 1, 2, 3, 4, 5, 6]


def split_by_definition(criterion, X, y, w, least):
    """The largest decrease of eq-impurity-decrease over every split that eq-split allows."""
    best = 0.0
    whole = w.sum() * impurity(criterion, y, w)
    for column in X.T:
        present = np.unique(column[~np.isnan(column)])
        for threshold in [*present, np.inf]:
            for missing_left in (False, True):
                left = (column <= threshold) | (np.isnan(column) & missing_left)
                if min(left.sum(), (~left).sum()) < least:
                    continue
                if criterion == "poisson" and min(y[left].sum(), y[~left].sum()) == 0:
                    continue
                parts = [w[s].sum() * impurity(criterion, y[s], w[s]) for s in (left, ~left)]
                best = max(best, (whole - sum(parts)) / w.sum())
    return best


@BY_CRITERION
@settings(max_examples=40)
@given(st.integers(0, 10_000), st.booleans(), st.integers(1, 4), st.sampled_from([3, 4, 90]))
def test_split_of_a_node(criterion, seed, weighted, least, n_values):
    """eq-split, eq-impurity-decrease: no split of any feature is better, NaN on either side.

    Few values are summed up by their codes, many are sorted.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 50 if n_values == 90 else 14))
    X = rng.integers(0, n_values, size=(n, 3)).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    y = rng.integers(0, 3, size=n).astype(float)
    y[0] = 1.0  # Poisson needs a positive sum
    w = rng.integers(1, 5, size=n) / 4 if weighted else np.ones(n)
    kind = DecisionTreeClassifier if criterion in CLASSES else DecisionTreeRegressor
    model = kind(criterion=criterion, max_depth=1, min_samples_leaf=least, random_state=seed)
    tree = model.fit(X, y, sample_weight=w).tree_
    expected = split_by_definition(criterion, X, y, w, least)
    if tree.node_count == 1:
        assert expected < 1e-12 or np.unique(y).size == 1
        return
    shares = tree.weighted_n_node_samples / w.sum()
    decrease = tree.impurity[0] - shares[1:] @ tree.impurity[1:]
    np.testing.assert_allclose(decrease, expected, rtol=1e-9, atol=1e-12)
    column, goes_left = X[:, tree.feature[0]], tree.missing_go_to_left[0]
    left = np.where(np.isnan(column), goes_left, column <= tree.threshold[0])
    assert left.sum() == tree.n_node_samples[1] >= least
    np.testing.assert_array_equal(model.apply(X) == 1, left)


# A child can weigh nothing beside its sibling: it is scored, which only uncompiled code remarks on,
# and is not taken.
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("criterion", [*CLASSES, "squared_error"])
def test_weights_of_many_sizes_leave_the_best_split(criterion, n_outputs):
    """eq-split: also where a child weighs less than the rounding of its node's squares."""
    kind = DecisionTreeClassifier if criterion in CLASSES else DecisionTreeRegressor
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, Y = rng.permuted(np.arange(24.0).reshape(12, 2), axis=0), rng.integers(0, 3, (12, 2))
        Y, w = Y[:, :n_outputs], 10.0 ** rng.uniform(-9, 9, size=12)
        tree = kind(criterion=criterion, max_depth=1, random_state=0).fit(X, np.squeeze(Y), w).tree_

        def below(left, w=w, Y=Y):
            """Weighted impurity of both children, in numbers of more digits."""
            w, sides = w.astype(np.longdouble), (left, ~left)
            return sum(w[s].sum() * impurity(criterion, y[s], w[s]) for y in Y.T for s in sides)

        best = min(below(column <= value) for column in X.T for value in np.sort(column)[:-1])
        found = below(X[:, tree.feature[0]] <= tree.threshold[0])
        assert found <= best + 1e-9 * n_outputs * w.sum() * tree.impurity[0] + 1e-12 * w.sum()


def test_running_sums_are_kept_where_they_are_exact():
    rules, w = Rules(criteria.GINI, _splitter.BEST, 1, 99, 2, 1, 0.0, 0.0, 1.0), np.ones(9)
    assert with_weights(rules, w).even_weight == np.inf
    assert with_weights(rules, np.r_[w, 0.0, 3e7]).even_weight == np.inf
    assert with_weights(rules, np.r_[w, 0.0, 1e8]).even_weight == _growth.UNEVEN
    assert with_weights(rules, np.r_[w, 0.0, 0.5]).even_weight == 0.5 * _growth.UNEVEN


@BY_CRITERION
def test_a_child_may_weigh_just_enough(criterion):
    """The least weight of a leaf is allowed, and a little more is not reached."""
    for seed in range(5):
        node = Node(criterion, seed, weights="ones")
        _, weight, _, _ = node.describe()
        best, where = node.sweep(weight)
        lighter = float(min(where + 1, node.n - where - 1))
        assert node.sweep(weight, 1, lighter) == (best, where)
        assert node.sweep(weight, 1, lighter + 0.5)[1] != where


@pytest.mark.parametrize("splitter", ["best", "random"])
def test_constant_features_do_not_count_as_tried(splitter):
    """However many are drawn first, the one that varies is found."""
    X, y = np.zeros((6, 9)), np.array([0.0, 0, 0, 1, 1, 1])
    X[:, 4] = y
    for seed in range(8):
        model = DecisionTreeRegressor(splitter=splitter, max_features=1, random_state=seed)
        assert model.fit(X, y).tree_.feature.tolist() == [4, -2, -2]


@pytest.mark.parametrize("splitter", ["best", "random"])
def test_no_more_features_are_tried_than_asked_for(splitter):
    """Of a good feature and a bad one, each is the root's where one is drawn."""
    y = np.array([0.0, 0, 0, 1, 1, 1])
    X = np.column_stack([y, np.array([0.0, 1, 0, 1, 0, 1])])
    roots = [
        DecisionTreeRegressor(
            splitter=splitter, max_features=n_tried, max_depth=1, random_state=seed
        )
        .fit(X, y)
        .tree_.feature[0]
        for n_tried in (1, 2)
        for seed in range(12)
    ]
    assert set(roots[:12]) == {0, 1} and set(roots[12:]) == {0}


def test_the_heap_gives_the_best_first():
    worth = np.random.default_rng(0).permutation(40).astype(float)
    heap, found = np.zeros(40, dtype=np.int64), []
    for i in range(40):
        heap[i] = i
        _splitter.sift_up(heap, worth, i)
        assert all(worth[heap[(k - 1) // 2]] >= worth[heap[k]] for k in range(1, i + 1))
    for n in range(39, -1, -1):
        found.append(worth[heap[0]])
        heap[0] = heap[n]
        _splitter.sift_down(heap, worth, n)
    assert found == sorted(worth, reverse=True)
