"""The compiled parts of a tree, each against its definition computed slowly."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from litlearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeRegressor,
    _growth,
    _splitter,
)
from litlearn.tree import _criteria as criteria
from litlearn.tree._growth import Targets, _extended, take_samples, with_weights
from litlearn.tree._prune import find_weakest_links, prune
from litlearn.tree._ranks import NO_MISSING, code_columns, midpoints
from litlearn.tree._sort import (
    SMALL,
    code_of,
    exchange_sort,
    insertion_sort,
    merge_sort,
    place_of,
    rank_sort,
    sort_few,
    sort_keys,
)
from litlearn.tree._splitter import (
    Problem,
    Rules,
    Samples,
    Scratch,
    Stretch,
    draw_threshold,
    is_better,
    missing_first,
    missing_last,
    score_threshold,
)
from reference import best_cuts, impurity, smallest_best_subtree

# Sixty-four random bits wrap around on purpose; only uncompiled code remarks on it.
pytestmark = [pytest.mark.nojit, pytest.mark.filterwarnings("ignore:overflow encountered")]

NUMBERS = {
    "gini": criteria.GINI,
    "entropy": criteria.ENTROPY,
    "misclassification": criteria.MISCLASSIFICATION,
    "squared_error": criteria.SQUARED_ERROR,
    "absolute_error": criteria.ABSOLUTE_ERROR,
    "poisson": criteria.POISSON,
}
CLASSES = ("gini", "entropy", "misclassification")
BY_CRITERION = pytest.mark.parametrize("criterion", NUMBERS)


# ---------------------------------------------------------------------------------------------
# Rank codes

values = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, np.nan, 1e-310, -1e300, 1e300]),
    st.floats(allow_infinity=False),
)


@given(st.lists(values, min_size=1, max_size=40))
def test_codes_are_ranks_of_the_distinct_values(column):
    column = np.array(column)
    codes, missing, n_codes, edges = code_columns(column[:, np.newaxis])
    assert n_codes[0] == len(np.unique(column))  # NaN is one of them
    absent = np.isnan(column)
    distinct, ranks = np.unique(column[~absent], return_inverse=True)
    np.testing.assert_array_equal(codes[0, ~absent], ranks)
    np.testing.assert_array_equal(codes[0, absent], len(distinct))
    assert missing[0] == (len(distinct) if absent.any() else NO_MISSING)
    assert edges is None


@pytest.mark.parametrize("n, dtype", [(2**16, np.uint16), (2**16 + 1, np.uint32)])
def test_codes_take_two_bytes_where_all_fit(n, dtype):
    codes = code_columns(np.arange(n, dtype=np.float32)[:, np.newaxis]).codes
    assert codes.dtype == dtype
    np.testing.assert_array_equal(codes[0], np.arange(n))


@given(st.lists(values, min_size=1, max_size=60), st.integers(2, 12))
def test_bins_keep_the_order_and_equal_values_together(column, max_bins):
    column = np.array(column)
    codes, missing, n_codes, edges = code_columns(column[:, np.newaxis], max_bins)
    assert n_codes[0] == codes.max() + 1
    absent = np.isnan(column)
    present, bins = column[~absent], codes[0, ~absent]
    assert missing[0] == NO_MISSING or missing[0] not in bins
    if len(present) == 0:
        assert (edges == np.inf).all()
        return
    order = np.argsort(present, kind="stable")
    assert np.all(np.diff(bins[order].astype(int)) >= 0)
    assert len(np.unique(bins)) == bins.max() + 1 <= max_bins
    assert np.isfinite(edges[0]).sum() == bins.max() and edges[0, bins.max()] == np.inf
    np.testing.assert_array_equal(bins, np.searchsorted(edges[0], present))  # value <= edge
    distinct = np.unique(present)
    if len(distinct) <= max_bins:
        np.testing.assert_array_equal(bins, np.searchsorted(distinct, present))


def test_bins_hold_about_equally_many_samples():
    X = np.random.default_rng(0).normal(size=(1000, 1))
    counts = np.bincount(code_columns(X, 16).codes[0])
    assert len(counts) == 16 and counts.min() >= 61 and counts.max() <= 64
    X[:500] = 3.0  # half of all samples in one value, which no bin can share
    counts = np.bincount(code_columns(X, 16).codes[0])
    assert counts.max() <= 500 + 64 and np.median(counts) <= 64 and len(counts) >= 8


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_midpoints_separate_neighbours(dtype):
    largest, smallest = np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal
    below = np.array([1, -largest, largest / 2, 0, -smallest, -1, 1e-30, 3], dtype=dtype)
    above = np.nextafter(below, dtype(np.inf))
    above[1], above[-1] = largest, 4
    t = midpoints(below, above)
    assert t.dtype == np.float64
    assert np.all(below <= t) and np.all(t < above)
    assert t[1] == 0.0 and t[-1] == 3.5


# ---------------------------------------------------------------------------------------------
# Sorting


def make_keys(codes):
    """Keys of a node: code in the upper half, place in the lower."""
    codes = np.asarray(codes, dtype=np.uint64)
    return (codes << np.uint64(32)) | np.arange(len(codes), dtype=np.uint64)


def rooms(n):
    return np.zeros(n, dtype=np.uint64), np.zeros(2 * n + 1, dtype=np.int32)


def check_sort(codes):
    keys = make_keys(codes)
    expected = np.sort(keys)
    low, high = np.uint64(min(codes)), np.uint64(max(codes))
    if low < high:
        once = keys.copy()
        sort_keys(once, len(keys), low, high, *rooms(len(keys)))
        np.testing.assert_array_equal(once, expected)
    merged = keys.copy()
    merge_sort(merged, len(keys), rooms(len(keys))[0])
    np.testing.assert_array_equal(merged, expected)
    inserted = np.zeros_like(keys)
    insertion_sort(keys, inserted, 0, len(keys))
    np.testing.assert_array_equal(inserted, expected)
    if len(keys) <= SMALL:
        for sort in (exchange_sort, rank_sort, sort_few):
            few = np.full_like(keys, 2**63)
            sort(keys.copy(), few, len(keys))
            np.testing.assert_array_equal(few, expected)


@given(
    st.one_of(
        st.lists(st.integers(0, 3), min_size=2, max_size=120),
        st.lists(st.integers(0, 60), min_size=2, max_size=120),
        st.lists(st.integers(0, 2**32 - 2), min_size=2, max_size=120),
    )
)
def test_every_sort_sorts(codes):
    check_sort(codes)


@pytest.mark.parametrize("n", [2, SMALL, SMALL + 1, 2 * SMALL + 1, 301])
def test_sorts_of_all_kinds_of_codes(n):
    rng = np.random.default_rng(n)
    spread = rng.permutation(n)
    crowded = np.append(rng.permutation(n - 1), 2**32 - 2)  # nearly all in the first bucket
    steps = 2 ** rng.integers(0, 32, size=n)
    for codes in (spread, spread * 1000, crowded, steps, spread[::-1], np.arange(n) // 2):
        check_sort(codes)


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 31, 32])
def test_equal_keys_of_few(n):
    """Samples of the same code and kind have the same key."""
    rng = np.random.default_rng(n)
    for n_different in (1, 2, 5):
        keys = rng.integers(0, n_different, size=n).astype(np.uint64)
        for sort in (exchange_sort, rank_sort, sort_few):
            out = np.full(n, 99, dtype=np.uint64)
            sort(keys.copy(), out, n)
            np.testing.assert_array_equal(out, np.sort(keys))


def test_sorting_leaves_what_lies_beyond():
    keys = make_keys([5, 3, 9, 1, 0, 0])
    sort_keys(keys, 4, np.uint64(1), np.uint64(9), *rooms(6))
    assert [int(code_of(key)) for key in keys] == [1, 3, 5, 9, 0, 0]
    assert [int(place_of(key)) for key in keys[:4]] == [3, 1, 0, 2]


# ---------------------------------------------------------------------------------------------
# Describing a node, and the sweeps


class Node:
    """One node with `n` samples in arrays of which it is a stretch, all of it made at random."""

    def __init__(self, criterion, seed, n=17, n_outputs=1, n_codes=9, weights="fractions"):
        rng = np.random.default_rng(seed)
        self.criterion, self.n, self.start = criterion, n, 3
        self.stop = self.start + n
        size = self.stop + 2
        if criterion in CLASSES:
            self.Y = rng.integers(0, 3, size=(n_outputs, size)).astype(float)
        elif criterion == "poisson":
            self.Y = rng.poisson(1.0, size=(n_outputs, size)).astype(float)
            self.Y[:, self.start] += 1.0
        else:
            self.Y = rng.integers(-4, 5, size=(n_outputs, size)) / 2
        self.w = {
            "ones": np.ones(size),
            "whole": rng.integers(1, 5, size=size).astype(float),
            "fractions": rng.uniform(0.2, 3.0, size=size),
        }[weights]
        self.codes = rng.integers(0, n_codes, size=n)
        self.codes[:2] = 0, n_codes
        keys = (self.codes.astype(np.uint64) << np.uint64(32)) | np.arange(
            self.start, self.stop, dtype=np.uint64
        )
        self.keys = np.sort(keys)
        # Each sample is of a kind of its own, in row 0.
        self.records = np.arange(size, dtype=np.uint64) << np.uint64(32)
        shape = (n_outputs, 3 if criterion in CLASSES else 1)
        self.total, left, right = (np.full(shape, np.nan) for _ in range(3))
        self.centre = np.full(n_outputs, np.nan)
        self.order = np.zeros((n_outputs, n), dtype=np.int32)
        self.links, self.costs = np.zeros((3, n + 2), dtype=np.int32), np.zeros((2, n))
        self.chain, self.sides = np.zeros((2, n + 2)), np.zeros((2, 2))
        table = np.empty(0)
        if weights != "fractions":
            x = np.arange(int(self.w.sum()) + 2.0)
            table = x * np.log(np.maximum(x, 1))
        no_ranks = np.empty((0, 0), dtype=np.uint32)
        self.samples = Samples(self.records, self.Y, self.w, no_ranks)
        self.problem = Problem(
            np.empty((0, 0), dtype=np.uint16),
            np.full(1, NO_MISSING),
            np.zeros(1, dtype=np.int64),
            np.empty((0, 0)),
            np.full(n_outputs, 3),
            table,
        )
        self.scratch = Scratch(
            keys=self.keys.copy(),
            buffer=np.zeros(size, dtype=np.uint64),
            starts=np.zeros(2 * size + 1, dtype=np.int32),
            features=np.arange(1),
            state=np.array([seed], dtype=np.uint64),
            total=self.total,
            left=left,
            right=right,
            centre=self.centre,
            order=self.order,
            costs=self.costs,
            chain=self.chain,
            links=self.links,
            sides=self.sides,
            histogram=np.zeros((0, 2)),
            values=np.zeros(size),
            goes_right=np.zeros(size, dtype=np.bool_),
            spare=np.zeros(size),
            search=np.zeros(8),
        )

    @property
    def own_y(self):
        return self.Y[:, self.start : self.stop]

    @property
    def own_w(self):
        return self.w[self.start : self.stop]

    @property
    def family(self):
        if self.criterion in CLASSES:
            return _splitter.CLASSES
        return _splitter.MEDIANS if self.criterion == "absolute_error" else _splitter.NUMBERS

    def describe(self):
        """Impurity, weight, score, and whether the node is pure."""
        if self.criterion == "absolute_error":
            ranks = code_columns(self.Y.T).codes.astype(np.uint32)
            self.samples = self.samples._replace(codes=ranks)
        place = self.samples, self.scratch, self.start, self.stop
        return _splitter.describe(self.family, self.problem, rules(self.criterion), *place)

    def sweep(self, weight, least=1, lightest=0.0):
        """Best score, and the key before the cut."""
        self.scratch.keys[:] = self.keys  # they serve the description of medians, too
        stretch = Stretch(self.start, self.stop, weight, 0.0)
        bounds = rules(self.criterion, least, lightest)
        return _splitter.sweep(
            self.family, self.problem, bounds, self.samples, self.scratch, stretch
        )

    def decrease(self, score_before, score_after):
        """The decrease of the node's weighted impurity, from scores."""
        scale = math.log(2.0) if self.criterion == "entropy" else 1.0
        return (score_after - score_before) / scale / len(self.Y)


def mean_impurity(node):
    return np.mean([impurity(node.criterion, y, node.own_w) for y in node.own_y])


@BY_CRITERION
@pytest.mark.parametrize("weights", ["ones", "whole", "fractions"])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_description_of_a_node(criterion, weights, n_outputs):
    """eq-gini, eq-entropy, eq-misclassification, eq-squared-error, eq-absolute-error and
    eq-poisson-deviance."""
    node = Node(criterion, 1, n_outputs=n_outputs, weights=weights)
    found, weight, _, pure = node.describe()
    np.testing.assert_allclose(found, mean_impurity(node), rtol=1e-12)
    np.testing.assert_allclose(weight, node.own_w.sum())
    assert not pure
    if criterion in CLASSES:
        for y, total in zip(node.own_y, node.total, strict=True):
            expected = [node.own_w[y == c].sum() for c in range(3)]
            np.testing.assert_allclose(total, expected)
    elif criterion != "absolute_error":
        np.testing.assert_allclose(node.centre, node.own_y @ node.own_w / node.own_w.sum())


@pytest.mark.parametrize("criterion", CLASSES)
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_few_kinds_of_samples(criterion, n_classes):
    """eq-gini, eq-entropy, eq-misclassification of a node whose samples are only counted."""
    rng = np.random.default_rng(n_classes)
    classes = rng.integers(0, n_classes, size=40)
    w = np.arange(1.0, n_classes + 1)
    records = classes.astype(np.uint64) << np.uint64(32)
    total, left = np.zeros((1, n_classes)), np.zeros((1, n_classes))
    kinds = np.arange(float(n_classes))[np.newaxis], w
    samples = Samples(records, *kinds, np.zeros((0, 0), dtype=np.uint32))
    found = criteria.describe_classes(
        NUMBERS[criterion], samples, 3, 35, np.array([n_classes]), np.empty(0), total
    )
    own = classes[3:35]
    np.testing.assert_allclose(total[0], np.bincount(own, w[own], n_classes))
    np.testing.assert_allclose(found[0], impurity(criterion, own, w[own]))
    assert found[1] == w[own].sum()
    values = rng.normal(size=32)
    below = values <= 0.1
    n_left, weight = criteria.weigh_left_of_classes(values, 32, 0.1, records, *kinds[::-1], 3, left)
    np.testing.assert_allclose(left[0], np.bincount(own[below], w[own[below]], n_classes))
    assert n_left == below.sum() and weight == w[own[below]].sum()


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
    targets = Targets(table.astype(float), groups.ravel().astype(np.uint32), np.zeros((0, 0)))
    samples = take_samples(targets, w)
    rows, kinds = samples.records & np.uint64(0xFFFFFFFF), samples.records >> np.uint64(32)
    np.testing.assert_array_equal(rows, np.flatnonzero(w))
    np.testing.assert_array_equal(samples.Y[:, kinds], classes[:, rows])
    np.testing.assert_array_equal(samples.w[kinds], w[rows])
    assert (len(samples.w) < len(rows)) == (weights == "counts")


@BY_CRITERION
def test_description_of_a_pure_node(criterion):
    node = Node(criterion, 2, weights="fractions")
    node.Y[:] = 2.0
    found, _, _, pure = node.describe()
    assert pure and abs(found) < 1e-15


def test_medians_of_a_node():
    """eq-absolute-error: the middle of the two values where half of the weight is met exactly."""
    node = Node("absolute_error", 0, n=4, weights="ones")
    node.Y[0, 3:7] = 5.0, 1.0, 2.0, 4.0
    assert node.describe()[0] == 1.5 and node.centre[0] == 3.0
    node.w[3] = 1.5
    node.describe()
    assert node.centre[0] == 4.0
    node.w[3] = 4.0
    node.describe()
    assert node.centre[0] == 5.0
    np.testing.assert_array_equal(node.order[0], [4, 5, 6, 3])


@BY_CRITERION
@pytest.mark.parametrize("weights", ["ones", "whole", "fractions"])
@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("bounds", [(1, 0.0), (4, 0.0), (1, 5.5), (8, 2.0)])
def test_sweeps_against_all_cuts(criterion, weights, n_outputs, bounds):
    """eq-gini-score, eq-entropy-score, eq-squared-error-score, eq-poisson-score: the largest score
    is the cut of eq-split, and its gain the decrease of eq-impurity-decrease."""
    for seed in range(6):
        node = Node(criterion, seed, n_outputs=n_outputs, weights=weights)
        _, weight, before, _ = node.describe()
        score, where = node.sweep(weight, *bounds)
        perfect = criteria.perfect_score(
            NUMBERS[criterion], node.describe()[0], weight, before, n_outputs
        )
        assert score <= perfect + 1e-12 * weight
        places = [int(place_of(key)) - node.start for key in node.keys]
        codes = node.codes[places]
        Y, w = node.own_y[:, places], node.own_w[places]
        expected, cuts = best_cuts(criterion, codes, Y, w, *bounds)
        if len(cuts) == 0:
            assert score == -np.inf and where == -1
            continue
        assert where in cuts
        decrease = node.decrease(before, score)
        np.testing.assert_allclose(decrease, expected, rtol=1e-9, atol=1e-12)


@BY_CRITERION
def test_sweep_without_a_cut(criterion):
    node = Node(criterion, 0, n=6)
    _, weight, _, _ = node.describe()
    assert node.sweep(weight, 4) == (-np.inf, -1)  # two times four samples are more than six
    node.keys[:] = node.keys & np.uint64(0xFFFFFFFF)  # one value only
    assert node.sweep(weight) == (-np.inf, -1)


EXTREME = (1e-9, 1e-7, 1e-2, 0.1, 1.0, 1e4, 1e7)  # differ by more than sixteen digits


@given(
    st.lists(
        st.tuples(
            st.integers(0, 6),
            st.integers(0, 5),
            st.one_of(st.integers(1, 4), st.sampled_from(EXTREME)),
        ),
        min_size=2,
        max_size=30,
    ),
    st.booleans(),
)
def test_medians_of_first_and_last_parts(rows, equal_weights):
    """eq-absolute-error of every first part and every last part of the sorted samples.

    To its own last digits, however heavy the samples are that stand in the other part.
    """
    n = len(rows)
    node = Node("absolute_error", 0, n=n)
    node.Y[0, 3 : 3 + n] = [target for target, _, _ in rows]
    node.w[3 : 3 + n] = 1.0 if equal_weights else [weight for _, _, weight in rows]
    keys = make_keys([code for _, code, _ in rows]) + np.uint64(3)
    node.keys = np.sort(keys)
    node.describe()
    criteria.chain_targets(n, 3, node.Y[0], node.w, node.order[0], node.chain, node.links)
    for side in (0, 1):
        node.costs[:] = 0.0
        scratch = node.chain, node.links, node.sides
        criteria.add_costs(side, node.keys, n, 3, *scratch, node.costs[side])
        places = [int(place_of(key)) for key in node.keys]
        y, w = node.Y[0, places], node.w[places]
        for i in range(n - 1):
            part = slice(0, i + 1) if side == 0 else slice(i + 1, n)
            deviations = w[part] * np.abs(y[part] - y[part][:, np.newaxis])
            expected = deviations.sum(axis=1).min()  # some target is a median
            at = i if side == 0 else i + 1
            np.testing.assert_allclose(node.costs[side, at], expected, rtol=1e-12)


# ---------------------------------------------------------------------------------------------
# One given threshold


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
    return draw_threshold(node.problem, node.samples, node.scratch, 0, node.start, node.stop)


def rules(criterion, least=1, lightest=0.0):
    return Rules(NUMBERS[criterion], _splitter.RANDOM, 1, 99, 2, least, lightest, 0.0, 1.0)


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
        place = node.samples, node.scratch, threshold, stretch
        score = score_threshold(node.family, rules(criterion), *place)
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
        assert score_threshold(node.family, rules(criterion, too_many), *place) == -np.inf
        assert score_threshold(node.family, rules(criterion, 1, 0.51 * weight), *place) == -np.inf


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


# ---------------------------------------------------------------------------------------------
# The best split of a node, over features, cuts and sides of the missing values


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


def test_threshold_between_bins_that_are_not_neighbours():
    """In the middle of the bins that the node does not hold."""
    X = np.array([[0.0, 0.0], [0.0, 3.0], [1.0, 1.0], [1.0, 2.0]])
    tree = DecisionTreeClassifier(max_bins=8, random_state=0).fit(X, [0, 1, 2, 2]).tree_
    edges = code_columns(X, 8).edges[1]
    assert tree.feature[:2].tolist() == [0, 1]
    assert tree.threshold[1] == (edges[0] + edges[2]) / 2


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


def test_room_for_more_nodes():
    longer = _extended(np.arange(6).reshape(3, 2), 5)
    assert longer.shape == (5, 2) and longer[:3].tolist() == [[0, 1], [2, 3], [4, 5]]


# ---------------------------------------------------------------------------------------------
# Weights that differ by more than rounding holds


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


# ---------------------------------------------------------------------------------------------
# Pruning


@pytest.mark.parametrize("seed", range(6))
def test_pruning_against_all_subtrees(seed):
    """eq-cost-complexity, eq-weakest-link."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(14, 2)), rng.normal(size=14)
    if seed % 2:
        y = np.round(y)  # several branches with the same price
    tree = DecisionTreeRegressor(max_leaf_nodes=7, random_state=seed).fit(X, y).tree_
    cost = tree.weighted_n_node_samples / 14 * tree.impurity
    _, alphas, costs = find_weakest_links(tree, np.inf)
    assert alphas[0] == 0.0 and np.all(np.diff(alphas) >= -1e-12)
    np.testing.assert_allclose(costs[[0, -1]], [cost[tree.is_leaf].sum(), cost[0]])
    between = (alphas[1:] + alphas[:-1]) / 2
    for alpha in [*between[np.diff(alphas) > 1e-9], 2 * alphas[-1] + 1]:
        leaves = smallest_best_subtree(cost, tree.children_left, tree.children_right, alpha)
        pruned = prune(tree, alpha)
        kept = sorted(zip(tree.impurity[leaves], tree.n_node_samples[leaves], strict=True))
        found = zip(
            pruned.impurity[pruned.is_leaf], pruned.n_node_samples[pruned.is_leaf], strict=True
        )
        assert sorted(found) == kept
        assert np.array_equal(prune(pruned, alpha).impurity, pruned.impurity)
    assert prune(tree, 1e9).node_count == 1


def test_weakest_link_by_hand():
    """eq-weakest-link: a root that saves 4 for two leaves more, and a branch that saves 1 for one.

    Targets 0, 2, 5 and weights of one: splits between 2 and 5, then between 0 and 2.
    """
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 2.0, 5.0])
    tree = DecisionTreeRegressor().fit(X, y).tree_
    path = DecisionTreeRegressor().cost_complexity_pruning_path(X, y)
    # Sums of squares: root 38/3, branch {0, 2} has 2. Divided by three samples.
    np.testing.assert_allclose(path.ccp_alphas, [0, 2 / 3, (38 / 3 - 2) / 3])
    np.testing.assert_allclose(path.impurities, [0, 2 / 3, 38 / 9])
    assert [prune(tree, alpha).n_leaves for alpha in (0.6, 0.7, 3.5, 3.6)] == [3, 2, 2, 1]


# ---------------------------------------------------------------------------------------------
# Prediction


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
