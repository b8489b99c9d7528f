"""Splitting the nodes of one tree: sort, sweep, partition, and again on both parts.

A node's samples are the stretch ``start:end`` of arrays that hold the tree's samples. A split
reorders the stretch so that the left child's samples come first::

    records [ 4  9  1  7  2  8 ]      before: the samples of the node, in any order
                                      split: samples 9, 7 and 8 go left
    records [ 9  7  8 | 4  1  2 ]     after: left child | right child, order kept within each

No copy of the data is made, and nothing is allocated.

Functions take a `family` of criteria, and some a `splitter`, the `kinds` of features, or whether
splits are `bounded` by monotonic constraints. These are constants that :func:`split_nodes` is
called with: the compiler sees them, and drops what they do not need, so that a first tree waits
only for its own part.
"""

import math
from typing import NamedTuple

import numpy as np

from litlearn._core.jit import njit
from litlearn._core.random import random_below, random_uniform
from litlearn.tree import _criteria as criteria
from litlearn.tree._counts import count_samples, sum_counts, sweep_counts
from litlearn.tree._criteria import CLASSES, MEDIANS, NUMBERS
from litlearn.tree._levels import (
    FEW_LEVELS,
    NO_ROOM,
    LevelRoom,
    deviation_of_sides,
    draw_sides,
    has_room,
    is_listed,
    list_levels,
    number_levels,
    sort_bins,
    store_set,
    take_first,
    take_subset,
    write_medians,
    write_ranks,
)
from litlearn.tree._monotone import (
    BOUNDED,
    FREE,
    HIGH,
    LOW,
    MIDDLE,
    NO_LIMITS,
    allows_sums,
    clip_value,
    limits_of,
    sweep_in_order,
)
from litlearn.tree._ranks import NO_MISSING
from litlearn.tree._sort import HALF, LARGEST, LOWER, SMALL, code_of, sort_few, sort_keys
from litlearn.tree._sparse import DENSE, Stored, dense_codes, dense_values

LEAF = -1
# Entries of ``Scratch.search``: what bounds a search, and where one that pauses has got to.
VALUES, DRAWN, SCORE, UNDRAWN, CONSTANT, LAST, TRIED, HIGHEST = range(8)
BEST, RANDOM = range(2)  # splitters
NO_SIGNS = np.empty(0, dtype=np.int8)
VALUED, MIXED = range(2)  # kinds of features: numbers only, or categories among them
MOST_PER_SAMPLE = 2  # counts or sums for all codes of a feature; above, sorting wins
ONE = np.int64(1)  # of the same type as any number of outputs: one function is compiled for both


class TreeProblem(NamedTuple):
    """What all trees of a forest read and none changes.

    Of sparse data, ``codes`` or ``columns`` have one row only, in which one feature after the other
    is laid out. Each tree then has these, ``missing`` and ``n_codes`` for itself.

    Attributes
    ----------
    codes : ndarray of shape (n_features, n_samples), uint16 or uint32
        Ranks of the values; empty if thresholds are drawn at random.
    missing : ndarray of shape (n_features,), uint32
        The code of NaN (any number, if thresholds are drawn), or `NO_MISSING` for a column without.
    n_codes : ndarray of shape (n_features,), int64
        How many different codes a column has.
    columns : ndarray of shape (n_features, n_samples), float32 or float64
        The values; empty unless thresholds are drawn at random.
    n_classes : ndarray of shape (n_outputs,), int64
        For regression, ones.
    table : ndarray, float64
        x log x for whole numbers x, or empty.
    stored : Stored
        Sparse data.
    signs : ndarray of shape (n_features,) or (0,), int8
        Monotonic constraints on a node's value: 1, if it must not fall as the feature grows, -1, if
        it must not rise, 0; empty if there are none.
    n_levels : ndarray of shape (n_features,), int64
        How many levels a categorical feature has, 0 for a number; empty if all are numbers. The
        codes of levels, or their values in ``columns``, are 0 to ``n_levels - 1``.
    """

    codes: np.ndarray
    missing: np.ndarray
    n_codes: np.ndarray
    columns: np.ndarray
    n_classes: np.ndarray
    table: np.ndarray
    stored: Stored = DENSE
    signs: np.ndarray = NO_SIGNS
    n_levels: np.ndarray = np.empty(0, dtype=np.int64)


class Rules(NamedTuple):
    """Parameters of the growth, as whole numbers and floats."""

    criterion: int
    splitter: int
    max_features: int
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    min_weight_leaf: float
    min_impurity_decrease: float
    total_weight: float
    even_weight: float = np.inf  # of a node, from which running sums of squares lose digits


class TreeSamples(NamedTuple):
    """The samples of one tree, reordered as it grows.

    In classification, samples with the same classes and the same weight are of one *kind*, and
    need no other description. Often there are a handful of kinds. In regression, targets and
    weights are reordered with the samples.
    """

    records: np.ndarray  # (n,) uint64: row of the data, and in the upper half the kind, or zero
    Y: np.ndarray  # (n_outputs, n_kinds) float64: classes of the kinds; or (n_outputs, n): targets
    w: np.ndarray  # (n_kinds,) or (n,) float64: weights, positive
    codes: np.ndarray  # (n_outputs, n) uint32: ranks of the targets, for the absolute error
    # Of kinds whose weights are whole numbers, otherwise empty and 0:
    groups: np.ndarray = np.empty(0, dtype=np.uint32)  # (n_kinds,): those that agree in the classes
    steps: np.ndarray = np.empty(0, dtype=np.uint64)  # (n_kinds,): 1, upper half: the weight
    n_groups: int = 0


class Nodes(NamedTuple):
    """The tree so far, one entry a node."""

    left: np.ndarray  # int32, LEAF for a leaf
    right: np.ndarray  # int32
    feature: np.ndarray  # int32
    code: np.ndarray  # uint32: largest code that goes left
    cut: np.ndarray  # (capacity, 2) uint32: codes on both sides of the cut; later, rows with them
    # float64: set here for random splits, otherwise when the tree is done; for levels, their set
    threshold: np.ndarray
    missing_left: np.ndarray  # bool
    impurity: np.ndarray  # float64
    n_samples: np.ndarray  # int32
    weight: np.ndarray  # float64
    value: np.ndarray  # (capacity, n_outputs, n_classes) float64
    span: np.ndarray  # (capacity, 4) int64: start, end, depth, constant features
    limits: np.ndarray  # (capacity, 3) or (capacity, 0): least and largest value, middle of a split


class Scratch(NamedTuple):
    """Room to work in, as large as the root needs."""

    keys: np.ndarray  # (n,) uint64
    buffer: np.ndarray  # (n,) uint64
    starts: np.ndarray  # (2 n + 1,) int32
    features: np.ndarray  # (n_features,) int64: a permutation, constant features first
    state: np.ndarray  # (1,) uint64, of the random numbers
    total: np.ndarray  # (n_outputs, n_classes)
    left: np.ndarray
    right: np.ndarray
    centre: np.ndarray  # (n_outputs,)
    order: np.ndarray  # (n_outputs, n) int32; these six for the absolute error
    costs: np.ndarray  # (2, n)
    medians: np.ndarray  # (2, n), or empty without monotonic constraints
    chain: np.ndarray  # (2, n + 2)
    links: np.ndarray  # (3, n + 2) int32
    sides: np.ndarray  # (2, 2)
    histogram: np.ndarray  # (n_bins, 2 + n_outputs * n_classes), for columns of few codes
    counts: np.ndarray  # (n_bins * n_groups,) uint64: two counts in a word, see ``_counts.py``
    values: np.ndarray  # (n,), for random thresholds
    goes_right: np.ndarray  # (n,) bool; these two for the partition, in regression
    spare: np.ndarray  # (n,)
    search: np.ndarray  # (8,): how far the search for a split has come, see `find_split`
    levels: LevelRoom = NO_ROOM


class Work(NamedTuple):
    """All that the growth of one tree reads and writes."""

    problem: TreeProblem
    rules: Rules
    samples: TreeSamples
    scratch: Scratch
    nodes: Nodes


class Stretch(NamedTuple):
    """The node that is being split, and what describes it."""

    start: int
    end: int
    weight: float
    score: float


# ---------------------------------------------------------------------------------------------
# One feature of one node


@njit(inline=True)
def row_of(record):
    """Lower half of a record: the row of the data."""
    return np.uintp(record & LOWER)


@njit(inline=True)
def order_by_code(family, work, j, start, stop):
    """Sort a node's samples by feature j, missing values last.

    Returns how many values are present, or -1 if the feature is constant here.
    """
    problem, scratch, records = work.problem, work.scratch, work.samples.records
    n, n_present = stop - start, stop - start
    few = n <= SMALL
    keys = scratch.buffer if few else scratch.keys
    # <keys>: One word a sample: its code, and its kind (or the place of its target). Rows are
    # scattered over the memory: many can be waited for at once, if nothing else is done with them.
    for i in range(start, stop):
        lower = records[i] >> HALF if family == CLASSES else np.uint64(i)
        keys[i - start] = (np.uint64(problem.codes[j, row_of(records[i])]) << HALF) | lower
    if problem.missing[j] != NO_MISSING:
        n_present = missing_last(keys, n, np.uint64(problem.missing[j]), scratch.keys)
    # <range>: Is there anything to sort?
    low, high = range_of_codes(keys, n_present)
    if n_present == 0 or (low == high and n_present == n):
        return -1
    # <sort>: Only what is present.
    if few:
        sort_few(keys, scratch.keys, n_present)
    elif low < high:
        sort_keys(keys, n_present, low, high, scratch.buffer, scratch.starts)
    return n_present


@njit(inline=True)
def range_of_codes(keys, n):
    """Return the smallest and the largest code of the first n keys."""
    low, high = LARGEST, np.uint64(0)
    for i in range(n):
        low, high = min(low, keys[i]), max(high, keys[i])
    return code_of(low), code_of(high)


@njit(part=True)
def missing_last(keys, n, missing, out):
    """Move keys with the code `missing` to the end of `out`, the others to the front of `keys`.

    Returns the number of the others. The two arrays may be the same.
    """
    n_present = 0
    for i in range(n):
        key = keys[i]
        if code_of(key) != missing:
            keys[i], keys[n_present] = keys[n_present], key
            n_present += 1
    for i in range(n_present, n):
        out[i] = keys[i]
    return n_present


@njit(part=True)
def missing_first(keys, n, n_present, buffer):
    """Move the missing ones, which stand last, to the front."""
    for i in range(n):
        buffer[i] = keys[i]
    n_missing = n - n_present
    for i in range(n_missing):
        keys[i] = buffer[n_present + i]
    for i in range(n_present):
        keys[n_missing + i] = buffer[i]


@njit(inline=True)
def best_cut(family, work, stretch):
    """Return the best score over all cuts of the sorted node, and the key before the cut."""
    rules, samples, scratch = work.rules, work.samples, work.scratch
    n, weight = stretch.end - stretch.start, stretch.weight
    if family == MEDIANS:
        return criteria.sweep_absolute_error(rules, samples, scratch, stretch.start, n, weight)
    ordered = criteria.Ordered(scratch.keys, n, weight, samples.Y, samples.w)
    left, right, centre = scratch.left, scratch.right, scratch.centre
    sums = criteria.NodeSums(scratch.total, left, right, centre, work.problem.table)
    bounds = rules.min_samples_leaf, rules.min_weight_leaf
    if family == CLASSES:
        uneven = rules.criterion == criteria.GINI and weight > rules.even_weight
        criterion = criteria.UNEVEN_GINI if uneven else rules.criterion
        return sweep_classes(criterion, ordered, sums, bounds)
    return sweep_numbers(rules.criterion, ordered, sums, bounds)


@njit(helper=True)
def sweep_classes(criterion, ordered, sums, bounds):
    """Return the same for any criterion of classes, and any number of outputs.

    With one output, the usual case, the compiler sees a constant and drops the inner loops.
    """
    n_outputs = len(ordered.Y)
    if criterion == criteria.GINI and n_outputs == 1:
        return criteria.sweep_cuts(criteria.GINI, ordered, sums, ONE, bounds)
    if criterion == criteria.GINI:
        return criteria.sweep_cuts(criteria.GINI, ordered, sums, n_outputs, bounds)
    if criterion == criteria.ENTROPY:
        return criteria.sweep_cuts(criteria.ENTROPY, ordered, sums, n_outputs, bounds)
    if criterion == criteria.UNEVEN_GINI:
        return criteria.sweep_cuts(criteria.UNEVEN_GINI, ordered, sums, n_outputs, bounds)
    return criteria.sweep_cuts(criteria.MISCLASSIFICATION, ordered, sums, n_outputs, bounds)


@njit(part=True)
def sweep_numbers(criterion, ordered, sums, bounds):
    """Return the same for any criterion of means, and any number of outputs."""
    n_outputs = len(ordered.Y)
    if criterion == criteria.SQUARED_ERROR and n_outputs == 1:
        return criteria.sweep_cuts(criteria.SQUARED_ERROR, ordered, sums, ONE, bounds)
    if criterion == criteria.POISSON:
        return criteria.sweep_cuts(criteria.POISSON, ordered, sums, n_outputs, bounds)
    return criteria.sweep_cuts(criteria.SQUARED_ERROR, ordered, sums, n_outputs, bounds)


@njit(inline=True)
def sweep_bounded(family, work, stretch, n_first, limits):
    """Return the same over the cuts that a monotonic constraint allows, if the feature has one.

    `n_first` is the number of missing values that stand first.
    """
    if limits.sign == 0:
        return best_cut(family, work, stretch)
    rules, samples, scratch = work.rules, work.samples, work.scratch
    start, n, weight = stretch.start, stretch.end - stretch.start, stretch.weight
    return sweep_in_order(family, rules, samples, scratch, start, n, n_first, weight, limits)


# ---------------------------------------------------------------------------------------------
# A feature of few codes needs no sort


@njit(inline=True)
def n_counts(family, work, j):
    """Return how many counts feature j has; zero if its samples are summed up."""
    size = work.problem.n_codes[j] * work.samples.n_groups
    return size if family == CLASSES and size <= work.scratch.counts.size else 0


@njit(inline=True)
def has_few_codes(family, work, j, n):
    """Tell whether counts or sums for each code of a feature cost less than sorting n samples."""
    size = n_counts(family, work, j)
    if size == 0:
        size = work.problem.n_codes[j] * (1 + work.scratch.total.size)
    return size <= MOST_PER_SAMPLE * n


@njit(inline=True)
def is_swept_as_counted(work, weight):
    """Tell whether :func:`sweep_counts` takes a node of this weight."""
    rules, n_outputs = work.rules, len(work.samples.Y)
    return rules.criterion == criteria.GINI and n_outputs == 1 and weight <= rules.even_weight


@njit(inline=True)
def fill_histogram(family, work, j, stretch):
    """Sum up the samples of a node by their codes.

    A row of ``scratch.histogram`` holds the number of samples, their weight, and, for each output,
    the weights of the classes or the sum of ``target - origin``. Where weights are whole numbers,
    ``scratch.counts`` holds as much, and the rows are only written if the sweep reads them. Returns
    how many values are present, or -1 if the feature is constant here.
    """
    problem, scratch, samples = work.problem, work.scratch, work.samples
    start, stop = stretch.start, stretch.end
    histogram, codes, records = scratch.histogram, problem.codes, samples.records
    Y, w, centre = samples.Y, samples.w, scratch.centre
    n_classes, n_bins = scratch.total.shape[1], problem.n_codes[j]
    # <count>: One addition for each sample.
    n = n_counts(family, work, j)
    if n > 0:
        counts = scratch.counts[:n]
        n_present = count_samples(codes[j], samples, (start, stop), problem.missing[j], counts)
        if n_present > 0 and not is_swept_as_counted(work, stretch.weight):
            sum_counts(counts, samples, n_classes, histogram[:n_bins])
        return n_present
    # <fetch>: Rows are scattered over the memory: many can be waited for at once, if nothing else
    # is done with them.
    for i in range(start, stop):
        scratch.buffer[i - start] = codes[j, row_of(records[i])]
    histogram[:n_bins] = 0.0
    # <sum>: Classes of the sample's kind, or its targets.
    for i in range(start, stop):
        b = np.uintp(scratch.buffer[i - start])
        s = np.uintp(records[i] >> HALF) if family == CLASSES else np.uintp(i)
        histogram[b, 0] += 1.0
        histogram[b, 1] += w[s]
        for t in range(len(Y)):
            if family == CLASSES:
                histogram[b, np.uintp(2 + t * n_classes) + np.uintp(Y[t, s])] += w[s]
            else:
                origin = criteria.origin(work.rules.criterion, centre[t])
                histogram[b, 2 + t] += w[s] * (Y[t, s] - origin)
    # <present>: Missing values have the last code.
    n_filled, n_present = 0, stop - start
    for b in range(n_bins):
        n_filled += histogram[b, 0] > 0.0
    if problem.missing[j] != NO_MISSING:
        n_present -= np.int64(histogram[n_bins - 1, 0])
    return n_present if n_filled > 1 else -1


@njit(inline=True)
def sweep_histogram(family, work, j, first, stretch):
    """Return the best score over all cuts between codes, and the codes on both sides of the cut.

    `first` is the code that comes first, whatever its number; `NO_MISSING` if none does.
    """
    rules, scratch, n_bins = work.rules, work.scratch, work.problem.n_codes[j]
    if family == CLASSES and is_swept_as_counted(work, stretch.weight):
        counts = scratch.counts[: n_counts(family, work, j)]
        if counts.size > 0:
            bounds = rules.min_samples_leaf, rules.min_weight_leaf, stretch.end - stretch.start
            return sweep_counts(counts, scratch.total[0], scratch.left[0], first, bounds)
    histogram, total, left = scratch.histogram, scratch.total, scratch.left
    n, weight = stretch.end - stretch.start, stretch.weight
    n_outputs, n_classes = total.shape
    left[:] = 0.0
    best, best_below, best_above = -np.inf, 0, 0
    below, n_left, weight_left = -1, 0.0, 0.0
    for s in range(n_bins):
        # <next>: The missing ones first, if asked for.
        b = s
        if first != NO_MISSING:
            b = np.int64(first) if s == 0 else s - 1
        if histogram[b, 0] == 0.0:
            continue
        # <compare>: A cut before this code. One behind the missing ones is the same as one before
        # them, which was tried.
        right = weight - weight_left
        enough = min(n_left, n - n_left) >= rules.min_samples_leaf
        enough = enough and min(weight_left, right) >= rules.min_weight_leaf
        if below >= 0 and below != first and enough:
            here = score_children(family, work, weight_left, right, stretch.score)
            if here > best:
                best, best_below, best_above = here, below, b
        # <move>: All samples with this code join the left child.
        below = b
        n_left += histogram[b, 0]
        weight_left += histogram[b, 1]
        for t in range(n_outputs):
            for c in range(n_classes):
                left[t, c] += histogram[b, 2 + t * n_classes + c]
    return best, best_below, best_above


@njit(inline=True)
def score_children(family, work, weight_left, weight_right, score):
    """Return the score of two children, given the sums of the left one in ``scratch.left``."""
    criterion, scratch = work.rules.criterion, work.scratch
    left, total, centre = scratch.left, scratch.total, scratch.centre
    if family == CLASSES:
        return criteria.score_classes(criterion, left, total, weight_left, weight_right)
    return criteria.score_numbers(criterion, left, centre, weight_left, weight_right, score)


# ---------------------------------------------------------------------------------------------
# Random thresholds


@njit(inline=True)
def draw_threshold(work, j, start, stop):
    """Draw a threshold between the least and the largest value of feature j in a node.

    Implements :eq:`eq-random-threshold`. The values are left in ``scratch.values``. Missing ones
    join either side by the toss of a coin: they become minus or plus infinity. Returns the
    threshold, whether missing values go left, and whether there is anything to split.
    """
    records, scratch, values = work.samples.records, work.scratch, work.scratch.values
    for i in range(start, stop):
        values[i - start] = work.problem.columns[j, row_of(records[i])]
    low, high, n_missing = criteria.range_of_values(values, stop - start)
    if n_missing == stop - start or (low == high and n_missing == 0):
        return 0.0, False, False
    # <draw>: Uniform between the two; where rounding reaches the larger, nothing would go right.
    share = random_uniform(scratch.state)
    threshold = max(low, low * (1.0 - share) + high * share)
    if not threshold < high:
        threshold = low
    # <coin>: For the missing ones. They go right if there is only one value besides.
    missing_left = n_missing > 0 and random_below(scratch.state, 2) == 1
    if low == high:
        threshold, missing_left = high, False  # the missing ones right
    if n_missing > 0:
        for i in range(stop - start):
            if math.isnan(values[i]):
                values[i] = -np.inf if missing_left else np.inf
    return threshold, missing_left, True


@njit(inline=True)
def score_threshold(family, bounded, work, threshold, stretch, limits):
    """Return the score of a given threshold, or minus infinity if it is not allowed.

    That is so if a child would be too small, or its value beyond the limits.
    """
    rules, scratch, start, n = work.rules, work.scratch, stretch.start, stretch.end - stretch.start
    n_left, weight_left = weigh_children(family, work, start, n, threshold)
    weight_right = stretch.weight - weight_left
    if min(n_left, n - n_left) < max(1, rules.min_samples_leaf):
        return -np.inf
    if min(weight_left, weight_right) < rules.min_weight_leaf:
        return -np.inf
    if family == MEDIANS:
        two_groups(scratch.values, n, threshold, start, scratch.keys)
        if bounded == BOUNDED:
            return sweep_bounded(family, work, stretch, 0, limits)[0]
        return criteria.sweep_absolute_error(
            rules, work.samples, scratch, start, n, stretch.weight
        )[0]
    if bounded == BOUNDED:
        criterion, weights = rules.criterion, (weight_left, weight_right)
        if limits.sign != 0 and not allows_sums(family, criterion, scratch, weights, limits):
            return -np.inf
    return score_children(family, work, weight_left, weight_right, stretch.score)


@njit(inline=True)
def weigh_children(family, work, start, n, threshold):
    """Sum up the left child in ``scratch.left``. Return its number of samples and its weight."""
    samples, scratch, values = work.samples, work.scratch, work.scratch.values
    Y, w, n_left, weight_left = samples.Y, samples.w, 0, 0.0
    if family == CLASSES:
        return criteria.weigh_left_of_classes(
            values, n, threshold, samples.records, w, Y, start, scratch.left
        )
    for t in range(len(Y)):
        origin = criteria.origin(work.rules.criterion, scratch.centre[t])
        n_left, weight_left, scratch.left[t, 0] = criteria.weigh_left(
            values, n, threshold, w, Y, start, t, origin
        )
    return n_left, weight_left


@njit(part=True)
def two_groups(values, n, threshold, start, keys):
    """Write keys that have two codes only, so that the general sweep finds one cut."""
    first, end = 0, n
    for i in range(n):
        if values[i] <= threshold:
            keys[first] = np.uint64(start + i)
            first += 1
        else:
            end -= 1
            keys[end] = (np.uint64(1) << HALF) | np.uint64(start + i)


# ---------------------------------------------------------------------------------------------
# Categories: which levels of a feature go left


@njit(inline=True)
def code_of_level(splitter, problem, j, row):
    """Return the code of the level that a row has; one more than the last for a missing value."""
    if splitter == RANDOM:
        value = problem.columns[j, row]
        return problem.n_levels[j] if math.isnan(value) else np.int64(value)
    return np.int64(problem.codes[j, row])


@njit(inline=True)
def try_levels(family, splitter, work, j, stretch, best):
    """Try sets of levels of a categorical feature j: a random one, or the best.

    Missing values are one more level. Returns whether the feature is constant here, the best score
    so far, and whether missing values go left; ``scratch.levels`` lists the set.
    """
    problem, scratch, records = work.problem, work.scratch, work.samples.records
    start, n, room = stretch.start, stretch.end - stretch.start, work.scratch.levels
    for i in range(n):
        row = row_of(records[start + i])
        scratch.buffer[i] = code_of_level(splitter, problem, j, row)
    n_bins = number_levels(scratch.buffer, n, room)
    if n_bins < 2:
        return True, best, False
    if splitter == RANDOM:
        # <random>: Left and right become numbers with a threshold between them.
        draw_sides(scratch.state, n_bins, room.left)
        for i in range(n):
            scratch.values[i] = 0.0 if room.left[np.uintp(scratch.buffer[i])] else 1.0
        here = score_threshold(family, FREE, work, 0.5, stretch, NO_LIMITS)
    else:
        sum_levels(family, work, n_bins, stretch)
        here = best_levels(family, work, n_bins, stretch)
    if not is_better(here, best):
        return False, best, False
    return False, here, list_levels(room, n_bins, n, np.uint32(problem.n_levels[j]))


@njit(inline=True)
def sum_levels(family, work, n_bins, stretch):
    """Sum up a node by the bins in ``scratch.buffer``, as :func:`fill_histogram` does by codes.

    For medians, only counts and weights.
    """
    samples, scratch, start = work.samples, work.scratch, stretch.start
    histogram, Y, w, n_classes = scratch.histogram, samples.Y, samples.w, scratch.total.shape[1]
    histogram[:n_bins] = 0.0
    for i in range(start, stretch.end):
        b = np.uintp(scratch.buffer[i - start])
        s = np.uintp(samples.records[i] >> HALF) if family == CLASSES else np.uintp(i)
        histogram[b, 0] += 1.0
        histogram[b, 1] += w[s]
        for t in range(0 if family == MEDIANS else len(Y)):
            if family == CLASSES:
                histogram[b, np.uintp(2 + t * n_classes) + np.uintp(Y[t, s])] += w[s]
            else:
                origin = criteria.origin(work.rules.criterion, scratch.centre[t])
                histogram[b, 2 + t] += w[s] * (Y[t, s] - origin)


@njit(inline=True)
def best_levels(family, work, n_bins, stretch):
    """Return the best score over sets of levels; ``scratch.levels`` says which go left.

    Implements :eq:`eq-category-order`: with two classes, or means of one output, the levels of the
    best set come first in the order of their mean response. Otherwise there are several orderings,
    one for each class and output, or for the medians of each output, and the best set may be in
    none of them. Then all sets are tried of up to `FEW_LEVELS` levels; of more, the best set of
    any ordering is taken.
    """
    scratch, room, best = work.scratch, work.scratch.levels, -np.inf
    n_outputs, n_classes = scratch.total.shape
    exact = count_orderings(family, scratch.total) == 1
    for t in range(n_outputs):
        for c in range(n_classes - 1, -1, -1):
            if family == CLASSES and not has_ordering(scratch.total, t, c):
                continue
            write_responses(family, work, n_bins, stretch, t, c)
            sort_bins(room, n_bins)
            if not exact and n_bins <= FEW_LEVELS:
                here, subset = sweep_subsets(family, work, n_bins, stretch)
                take_subset(room, n_bins, subset)
                return here
            here, n_left = sweep_levels(family, work, n_bins, stretch)
            if here > best:
                best = here
                take_first(room, n_bins, n_left)
    return best


@njit(part=True)
def has_ordering(total, t, c):
    """Tell whether the share of class c in output t gives an ordering of its own.

    Of two classes that occur, the share of the second orders levels as that of the first does.
    """
    n_present, first = 0, -1
    for k in range(total.shape[1]):
        if total[t, k] > 0.0:
            n_present += 1
            first = k if first < 0 else first
    return total[t, c] > 0.0 and (n_present > 2 or (n_present == 2 and c != first))


@njit(inline=True)
def count_orderings(family, total):
    """Return how many orderings levels have. Medians count as several: no ordering is exact."""
    if family == MEDIANS:
        return 2
    if family == NUMBERS:
        return total.shape[0]
    n = 0
    for t in range(total.shape[0]):
        for c in range(total.shape[1]):
            n += has_ordering(total, t, c)
    return n


@njit(inline=True)
def write_responses(family, work, n_bins, stretch, t, c):
    """Write what bins are ordered by: their share of class c, mean or median, in output t."""
    samples, scratch, room = work.samples, work.scratch, work.scratch.levels
    weights, start, n = scratch.histogram[:, 1], stretch.start, stretch.end - stretch.start
    if family == MEDIANS:
        order, bins, below = scratch.order[t], scratch.buffer, scratch.costs[0]
        write_medians(bins, start, n, samples.Y[t], samples.w, order, weights, below, room.response)
    else:
        column = 2 + t * scratch.total.shape[1] + c
        for b in range(n_bins):
            room.response[b] = scratch.histogram[b, column] / weights[b]


@njit(inline=True)
def sweep_levels(family, work, n_bins, stretch):
    """Return the best score over all cuts of the ordered levels, and how many levels go left."""
    scratch, room, n = work.scratch, work.scratch.levels, stretch.end - stretch.start
    if family == MEDIANS:
        write_ranks(room, scratch.buffer, n_bins, stretch.start, n, scratch.keys)
        here, where = best_cut(family, work, stretch)
        return here, np.int64(code_of(scratch.keys[where])) + 1
    sums, best, n_left = room.subsets[0], -np.inf, 0
    sums[:] = 0.0
    for s in range(n_bins - 1):
        for k in range(sums.size):
            sums[k] += scratch.histogram[room.order[s], k]
        here = score_sums(family, work, sums, stretch)
        if here > best:
            best, n_left = here, s + 1
    return best, n_left


@njit(inline=True)
def sweep_subsets(family, work, n_bins, stretch):
    """Return the best score over all sets of a few levels, and the best of them.

    A set is a number whose bit s says whether level s + 1 of the order goes left, with level 0.
    Its sums are those of the set without its last level, and of that level.
    """
    scratch, room = work.scratch, work.scratch.levels
    subsets, last, best, found = room.subsets, 0, -np.inf, 0
    for subset in range((1 << (n_bins - 1)) - 1):
        last += subset == 1 << last
        before = subset - (1 << (last - 1)) if subset > 0 else 0
        for k in range(subsets.shape[1]):
            more = scratch.histogram[room.order[last], k]
            subsets[subset, k] = subsets[before, k] + more if subset > 0 else more
        if family == MEDIANS:
            take_subset(room, n_bins, subset)
        here = score_sums(family, work, subsets[subset], stretch)
        if here > best:
            best, found = here, subset
    return best, found


@njit(inline=True)
def score_sums(family, work, sums, stretch):
    """Return the score of two children, given the sums of the left one as a histogram's row.

    Minus infinity, if one is too small. Of medians, which sums do not tell, ``scratch.levels`` says
    which levels go left.
    """
    rules, samples, scratch, start = work.rules, work.samples, work.scratch, stretch.start
    n, weight_left, weight_right = stretch.end - start, sums[1], stretch.weight - sums[1]
    if min(sums[0], n - sums[0]) < rules.min_samples_leaf:
        return -np.inf
    if min(weight_left, weight_right) < rules.min_weight_leaf:
        return -np.inf
    if family == MEDIANS:
        score, weights, goes_left = 0.0, (weight_left, weight_right), scratch.levels.left
        for t in range(len(samples.Y)):
            score -= deviation_of_sides(
                scratch.buffer,
                start,
                n,
                samples.Y[t],
                samples.w,
                scratch.order[t],
                scratch.centre[t],
                goes_left,
                weights,
            )
        return score
    for t in range(scratch.total.shape[0]):
        for c in range(scratch.total.shape[1]):
            scratch.left[t, c] = sums[2 + t * scratch.total.shape[1] + c]
    return score_children(family, work, weight_left, weight_right, stretch.score)


# ---------------------------------------------------------------------------------------------
# One node


@njit(inline=True)
def is_better(score, best):
    """Tell whether a score beats the best so far by more than rounding.

    Two features often cut a node in the same two parts. Their scores, summed in other orders, then
    differ in the last digits, and the feature that was tried first should win.
    """
    return score > best + 1e-12 * abs(best) or (best == -np.inf and score > best)


@njit(inline=True)
def find_split(family, splitter, kinds, bounded, work, node, score):
    """Write the best split of a node over randomly drawn features to its entry in the nodes.

    The first entries of the permutation of features are known to be constant here. They are drawn
    like the others, and cost nothing. Returns the score of the split, or minus infinity if there is
    none.

    A search that has looked at ``search[VALUES]`` values returns before its end, so that a large
    node does not keep Python from noticing Ctrl-C. Then ``search[DRAWN]`` is not 0, and the next
    call for the same node goes on.
    """
    _, rules, samples, scratch, nodes = work
    features, state, search = scratch.features, scratch.state, scratch.search
    impurity, weight = nodes.impurity[node], nodes.weight[node]
    perfect = criteria.perfect_score(rules.criterion, impurity, weight, score, len(samples.Y))
    start, stop, n_constant = nodes.span[node, 0], nodes.span[node, 1], nodes.span[node, 3]
    stretch = Stretch(start, stop, weight, score)
    undrawn_constant, last, n_drawn, n_tried = n_constant, features.size, 0, 0
    best, room = -np.inf, max(1, np.int64(search[VALUES]) // (stop - start))
    if search[DRAWN] > 0.0:
        n_drawn, n_tried = np.int64(search[DRAWN]), np.int64(search[TRIED])
        undrawn_constant, n_constant = np.int64(search[UNDRAWN]), np.int64(search[CONSTANT])
        last, best = np.int64(search[LAST]), float(search[HIGHEST])
    while n_constant < last and (n_drawn < rules.max_features or n_tried == 0):
        # <pause>: No room for another feature.
        if room == 0:
            search[DRAWN], search[TRIED], search[LAST] = n_drawn, n_tried, last
            search[UNDRAWN], search[CONSTANT] = undrawn_constant, n_constant
            search[HIGHEST] = best
            return best
        # <perfect>: Nothing beats a split whose children are pure. Small nodes often have one.
        if n_tried > 0 and not is_better(perfect, best):
            break
        # <draw>: Any feature not drawn yet. One that is known to be constant is done with.
        n_drawn += 1
        k = random_below(state, undrawn_constant + last - n_constant)
        if k < undrawn_constant:
            undrawn_constant -= 1
            continue
        k += n_constant - undrawn_constant
        j = features[k]
        # <try>: One threshold, or all; one set of levels, or the best.
        room -= 1
        constant, found, missing_left = try_feature(
            family, splitter, kinds, bounded, work, node, j, stretch, best
        )
        # <best>: The best so far.
        if found > best:
            best, nodes.feature[node], nodes.missing_left[node] = found, j, missing_left
        # <constant>: A feature found to be constant joins the others of its kind, for this node
        # and for all nodes below it.
        if constant:
            features[k], features[n_constant] = features[n_constant], j
            n_constant += 1
            continue
        # <set aside>: It cannot be drawn again in this node.
        last -= 1
        features[k], features[last] = features[last], j
        n_tried += 1
    nodes.span[node, 3], search[DRAWN] = n_constant, 0.0
    return best


@njit(inline=True)
def try_feature(family, splitter, kinds, bounded, work, node, j, stretch, best):
    """Try one feature; what is better than the best split so far is written to the node.

    Returns whether the feature is constant here, the best score so far, and whether missing values
    go left.
    """
    nodes, records = work.nodes, work.samples.records
    if kinds == MIXED:
        if work.problem.n_levels[j] > 0:
            return try_levels(family, splitter, work, j, stretch, best)
    limits = NO_LIMITS
    if bounded == BOUNDED:
        limits = limits_of(work, node, j)
    if splitter == RANDOM:
        at = dense_values(work.problem, records, stretch.start, stretch.end, j)
        constant, found, threshold, missing_left = try_threshold(
            family, bounded, work, at, stretch, limits, best
        )
        if found > best:
            nodes.threshold[node] = threshold
        return constant, found, missing_left
    at = dense_codes(work.problem, records, stretch.start, stretch.end, j)
    constant, found, below, above, missing_left = try_cuts(
        family, bounded, work, at, stretch, limits, best
    )
    if found > best:
        nodes.code[node], nodes.cut[node, 0], nodes.cut[node, 1] = below, below, above
    return constant, found, missing_left > 0


@njit(inline=True)
def try_threshold(family, bounded, work, j, stretch, limits, best):
    """Try a random threshold of feature j; values are only looked through.

    Returns whether the feature is constant here, the best score so far, the threshold and whether
    missing values go left.
    """
    start, end = stretch.start, stretch.end
    threshold, missing_left, varies = draw_threshold(work, j, start, end)
    if varies:
        here = score_threshold(family, bounded, work, threshold, stretch, limits)
        best = here if is_better(here, best) else best
    return not varies, best, threshold, missing_left


@njit(inline=True)
def try_cuts(family, bounded, work, j, stretch, limits, best):
    """Try all cuts of feature j: by a histogram if its codes are few, otherwise sorted.

    A feature with a monotonic constraint is always sorted.

    Returns whether the feature is constant here, the best score so far, the codes on both sides of
    the best cut, and whether missing values go left.
    """
    problem, scratch, keys = work.problem, work.scratch, work.scratch.keys
    start, stop, n = stretch.start, stretch.end, stretch.end - stretch.start
    below, above, to_left = np.uint64(0), np.uint64(0), 0
    # <order>: Sums by code, or a sort.
    few = has_few_codes(family, work, j, n)
    if family == MEDIANS:
        few = False
    if bounded == BOUNDED:
        few = few and limits.sign == 0
    if few:
        n_present = fill_histogram(family, work, j, stretch)
    else:
        n_present = order_by_code(family, work, j, start, stop)
    # <sides>: Missing values on the right; if there are any, also on the left.
    missing = problem.missing[j]
    for missing_left in range(0 if n_present < 0 else 1 if n_present == n else 2):
        if few:
            first = missing if missing_left else NO_MISSING
            here, low, high = sweep_histogram(family, work, j, first, stretch)
            if is_better(here, best):
                best, below, above, to_left = here, np.uint64(low), np.uint64(high), missing_left
            continue
        # <sorted>: Otherwise the sorted keys are swept.
        if missing_left:
            missing_first(keys, n, n_present, scratch.buffer)
        if bounded == BOUNDED:
            n_first = n - n_present if missing_left else 0
            here, where = sweep_bounded(family, work, stretch, n_first, limits)
        else:
            here, where = best_cut(family, work, stretch)
        if is_better(here, best):
            best, to_left = here, missing_left
            below, above = code_of(keys[where]), code_of(keys[where + 1])
            # <all>: With the missing ones first, the cut behind them has all values on its right.
            # The same cut with the sides exchanged is "value <= infinity".
            if missing_left and below == missing:
                below, above, to_left = code_of(keys[n - 1]), below, 0
    return n_present < 0, best, below, above, to_left


@njit(part=True)
def part_stretch(array, start, stop, goes_right, spare):
    """Move the entries of a stretch that go left to its front. Return where the others begin.

    Left ones move up, right ones wait in a spare array. Both are written for every entry, and the
    counters decide what stays: no branch to mispredict.
    """
    first, n_waiting = start, 0
    for i in range(start, stop):
        entry, right = array[i], np.int64(goes_right[i])
        array[first], spare[n_waiting] = entry, entry
        first += 1 - right
        n_waiting += right
    # <append>: Those who have waited follow.
    for i in range(n_waiting):
        array[first + i] = spare[i]
    return first


@njit(inline=True)
def partition_node(family, splitter, kinds, work, node):
    """Reorder a node's samples, the left child's first. Return where the right child begins.

    Within each side the order is kept.
    """
    samples, scratch, nodes = work.samples, work.scratch, work.nodes
    start, stop = nodes.span[node, 0], nodes.span[node, 1]
    n_missing = find_sides(splitter, kinds, work, node, start, stop)
    # <reorder>: In regression, targets, their ranks and weights go where the samples go.
    goes_right = scratch.goes_right
    middle = part_stretch(samples.records, start, stop, goes_right, scratch.buffer)
    if family != CLASSES:
        part_stretch(samples.w, start, stop, goes_right, scratch.spare)
        for t in range(len(samples.Y)):
            part_stretch(samples.Y[t], start, stop, goes_right, scratch.spare)
    if family == MEDIANS:
        for t in range(len(samples.codes)):
            part_stretch(samples.codes[t], start, stop, goes_right, scratch.buffer)
    # <default>: Where no value was missing, later ones will go with the majority.
    if n_missing == 0:
        nodes.missing_left[node] = 2 * (middle - start) > stop - start
    return middle


@njit(inline=True)
def find_sides(splitter, kinds, work, node, start, stop):
    """Write which of a node's samples go right. Return how many values are missing."""
    problem, records, nodes = work.problem, work.samples.records, work.nodes
    feature, missing_left = np.int64(nodes.feature[node]), nodes.missing_left[node]
    goes_right = work.scratch.goes_right
    if kinds == MIXED:
        if problem.n_levels[feature] > 0:
            return sides_of_levels(splitter, work, node, start, stop, feature)
    if splitter == RANDOM:
        j = dense_values(problem, records, start, stop, feature)
        column, threshold = problem.columns[j], nodes.threshold[node]
        return sides_of_values(column, records, start, stop, threshold, missing_left, goes_right)
    j = dense_codes(problem, records, start, stop, feature)
    codes, missing, cut = problem.codes[j], problem.missing[j], nodes.cut[node]
    return sides_of_codes(codes, records, start, stop, missing_left, missing, cut, goes_right)


@njit(part=True)
def sides_of_codes(codes, records, start, stop, missing_left, missing, cut, goes_right):
    """Write which samples go right of a cut between codes. Return how many values are missing.

    `cut` (2,) holds the codes on both sides of the cut, and receives rows that have them.
    """
    below, above, row_below, row_above, n_missing = cut[0], cut[1], np.uintp(0), np.uintp(0), 0
    # <sides>: First only look where each sample goes: rows are scattered over the memory, and many
    # can be waited for at once if nothing depends on them.
    for i in range(start, stop):
        row = row_of(records[i])
        here = codes[row]
        absent = here == missing
        left = ((here <= below) & (not absent)) | (missing_left & absent)
        goes_right[i] = not left
        n_missing += absent
        row_below = row if here == below else row_below
        row_above = row if here == above else row_above
    # <rows>: The threshold is set later, from the values in these rows.
    cut[0], cut[1] = row_below, row_above
    return n_missing


@njit(part=True)
def sides_of_values(column, records, start, stop, threshold, missing_left, goes_right):
    """Write which samples go right of a threshold. Return how many values are missing."""
    n_missing = 0
    for i in range(start, stop):
        value = column[row_of(records[i])]
        absent = value != value
        goes_right[i] = not ((value <= threshold) | (missing_left & absent))
        n_missing += absent
    return n_missing


@njit(inline=True)
def sides_of_levels(splitter, work, node, start, stop, j):
    """Write which samples go right by the set of a node. Return how many values are missing."""
    problem, scratch, nodes = work.problem, work.scratch, work.nodes
    sets, at = scratch.levels.sets, np.int64(nodes.threshold[node])
    missing, missing_left, n_missing = problem.n_levels[j], nodes.missing_left[node], 0
    for i in range(start, stop):
        code = code_of_level(splitter, problem, j, row_of(work.samples.records[i]))
        # What is in the set does not go where missing values go.
        scratch.goes_right[i] = is_listed(sets, at, code) == missing_left
        n_missing += code == missing
    return n_missing


@njit(inline=True)
def describe(family, work, start, stop):
    """Describe a node: its impurity, weight and score, and whether it is pure.

    Class weights, means or medians are left in `scratch`.
    """
    problem, rules, samples, scratch, _ = work
    Y, w, criterion, centre = samples.Y, samples.w, rules.criterion, scratch.centre
    if family == CLASSES:
        return criteria.describe_classes(
            criterion, samples, start, stop, problem.n_classes, problem.table, scratch.total
        )
    if family == MEDIANS:
        return criteria.describe_medians(samples, scratch, start, stop)
    found = criteria.describe_numbers(criterion, Y, w, start, stop, centre)
    for t in range(len(Y)):
        scratch.total[t, 0] = criteria.sum_about(Y, w, start, stop, t, centre[t])
    return found


@njit(inline=True)
def record(family, work, node, impurity, weight):
    """Write down what describes a node, which is a leaf as long as it has no split."""
    scratch, nodes = work.scratch, work.nodes
    nodes.impurity[node], nodes.weight[node] = impurity, weight
    nodes.n_samples[node] = nodes.span[node, 1] - nodes.span[node, 0]
    nodes.left[node], nodes.right[node], nodes.feature[node] = LEAF, LEAF, LEAF
    nodes.threshold[node], nodes.missing_left[node] = np.nan, False
    # <value>: Shares of the classes, or means.
    for t in range(nodes.value.shape[1]):
        for c in range(nodes.value.shape[2]):
            if family == CLASSES:
                nodes.value[node, t, c] = scratch.total[t, c] / weight
            else:
                nodes.value[node, t, c] = scratch.centre[t]


@njit(part=True)
def set_limits(family, work, node, parent):
    """Write the least and the largest value that a node, and all below it, may have.

    They are those of the parent and, if its feature is constrained, the middle between the values
    of its children. That is computed for the left child, which comes first.
    """
    problem, nodes = work.problem, work.nodes
    limits, span = nodes.limits, nodes.span
    limits[node, LOW], limits[node, HIGH] = -np.inf, np.inf
    if parent < 0:
        return
    low, high = limits[parent, LOW], limits[parent, HIGH]
    sign = problem.signs[nodes.feature[parent]]
    is_left = span[node, 0] == span[parent, 0]
    if sign != 0 and is_left:
        one = value_of(family, work, span[node, 0], span[node, 1])
        other = value_of(family, work, span[node, 1], span[parent, 1])
        limits[parent, MIDDLE] = max(low, min(0.5 * one + 0.5 * other, high))
    if sign != 0 and (sign > 0) == is_left:
        high = limits[parent, MIDDLE]
    elif sign != 0:
        low = limits[parent, MIDDLE]
    limits[node, LOW], limits[node, HIGH] = low, high


@njit(inline=True)
def value_of(family, work, start, stop):
    """Return the value of a stretch of samples, as ``record`` would write it down."""
    weight = describe(family, work, start, stop)[1]
    if family == CLASSES:
        return work.scratch.total[0, 0] / weight
    return work.scratch.centre[0]


@njit(inline=True)
def examine(family, splitter, kinds, bounded, work, node, parent):
    """Describe a node, and find its split or make it a leaf.

    The node's span is given. Returns the improvement that the split brings, the decrease of
    impurity :eq:`eq-impurity-decrease`, or minus infinity for a leaf. A search may return before
    its end (see ``find_split``); then the next call for the same node goes on.
    """
    rules, nodes, search = work.rules, work.nodes, work.scratch.search
    start, stop = nodes.span[node, 0], nodes.span[node, 1]
    n, n_outputs = stop - start, len(work.samples.Y)
    if search[DRAWN] == 0.0:
        if bounded == BOUNDED:
            set_limits(family, work, node, parent)
        impurity, weight, score, pure = describe(family, work, start, stop)
        record(family, work, node, impurity, weight)
        if bounded == BOUNDED:
            clip_value(work.nodes, node)
        search[SCORE] = score
        # <stop>: The rules that make a leaf without a search.
        if (
            pure
            or nodes.span[node, 2] >= rules.max_depth
            or n < rules.min_samples_split
            or n < 2 * rules.min_samples_leaf
            or weight < 2.0 * rules.min_weight_leaf
        ):
            return -np.inf
    # <search>: Among randomly drawn features.
    score = search[SCORE]
    best = find_split(family, splitter, kinds, bounded, work, node, score)
    if search[DRAWN] > 0.0:
        return best
    # <worth>: The score without the split is what the two children have to beat.
    improvement = (best - score) / (rules.total_weight * n_outputs)
    if rules.criterion == criteria.ENTROPY:
        improvement /= math.log(2.0)
    # The misclassification rate often finds no cut better than none. Cutting all the same would
    # peel off one sample at a time.
    stalled = rules.criterion == criteria.MISCLASSIFICATION and improvement <= 0.0
    if best == -np.inf or stalled or improvement + 2.0**-52 < rules.min_impurity_decrease:
        nodes.feature[node] = LEAF
        return -np.inf
    # <set>: What is right for the node will be asked again, when its samples are parted.
    if kinds == MIXED:
        if work.problem.n_levels[nodes.feature[node]] > 0:
            scratch = work.scratch
            at = store_set(scratch.levels, scratch.keys, scratch.buffer, scratch.starts)
            nodes.threshold[node] = at
    return improvement


# ---------------------------------------------------------------------------------------------
# The whole tree


class Queue(NamedTuple):
    """What waits while a tree grows."""

    stack: np.ndarray  # (depth, 3) int64: stretches that become nodes: parent, start, end
    heap: np.ndarray  # (n_leaves,) int64: nodes whose split waits, best first; or empty
    worth: np.ndarray  # (n_nodes,): improvements that the splits of those nodes bring
    counts: np.ndarray  # (3,) int64: waiting stretches, nodes, and nodes in the heap


@njit(inline=True)
def split_nodes(family, splitter, kinds, bounded, work, queue, budget):
    """Split nodes until none is left to split.

    A node that is worth splitting is split at once, its left part on top of the stack: depth first,
    so that a left child stands right after its parent. But if there is a heap, the node waits there
    with what its split is worth, and the best one is split when the stack is empty: best first, as
    long as there is room for two more nodes.

    Returns when nothing waits, when nodes, stack or sets are full, or after about `budget` samples,
    in the middle of a large node too, so that the caller can make room, or be interrupted, and call
    again.
    """
    nodes, search = work.nodes, work.scratch.search
    stack, heap, worth, counts = queue
    n_waiting, n_nodes, n_heap = counts
    best_first, n_seen = heap.size > 0, 0
    while n_waiting + n_heap > 0 and n_waiting + 2 <= len(stack) and n_seen <= budget:
        if n_waiting > 0:
            if n_nodes == nodes.left.size:
                break
            if kinds == MIXED:
                if not has_room(work.scratch.levels):
                    break
            # <next>: The stretch that was put down last becomes a node.
            n_waiting -= 1
            node = n_nodes
            n_nodes += 1
            begin_node(nodes.span, nodes.left, nodes.right, node, stack[n_waiting], best_first)
            n_seen += nodes.span[node, 1] - nodes.span[node, 0]
            # <examine>: It is a leaf, or waits in the heap, or is split below.
            parent = stack[n_waiting, 0]
            improvement = examine(family, splitter, kinds, bounded, work, node, parent)
            if search[DRAWN] > 0.0:  # the search goes on in the next call
                n_waiting, n_nodes = n_waiting + 1, n_nodes - 1
                break
            if improvement == -np.inf:
                continue
            if best_first:
                worth[node], heap[n_heap] = improvement, node
                n_heap += 1
                sift_up(heap, worth, n_heap - 1)
                continue
        elif n_nodes + 2 > nodes.left.size:
            # <leaves>: No more leaves are allowed. What waits for its split is a leaf.
            for i in range(n_heap):
                nodes.feature[heap[i]] = LEAF
            n_heap = 0
            continue
        else:
            # <best>: The leaf at the top of the heap is split.
            node = heap[0]
            n_heap -= 1
            heap[0] = heap[n_heap]
            sift_down(heap, worth, n_heap)
        # <split>: Its two parts wait, the right one beneath the left one.
        middle = partition_node(family, splitter, kinds, work, node)
        stack[n_waiting, 0], stack[n_waiting + 1, 0] = node, node
        stack[n_waiting, 1], stack[n_waiting, 2] = middle, nodes.span[node, 1]
        stack[n_waiting + 1, 1], stack[n_waiting + 1, 2] = nodes.span[node, 0], middle
        n_waiting += 2
    counts[0], counts[1], counts[2] = n_waiting, n_nodes, n_heap


@njit(part=True)
def begin_node(span, left, right, node, waiting, best_first):
    """Make a waiting stretch (parent, start, end) a node, and its parent's child."""
    parent = waiting[0]
    span[node, 0], span[node, 1], span[node, 2], span[node, 3] = waiting[1], waiting[2], 0, 0
    if parent < 0:
        return
    span[node, 2] = span[parent, 2] + 1
    # Best first, the order of the features has changed since: none is known to be constant.
    span[node, 3] = 0 if best_first else span[parent, 3]
    if left[parent] == LEAF or left[parent] == node:  # it begins again if its search had paused
        left[parent] = node
    else:
        right[parent] = node


# One compiled function for each family and splitter, without constraints and with them: only what
# is asked for is compiled.


@njit(lean=True)
def split_by_classes(work, queue, budget):
    """Split by classes, at the best thresholds."""
    split_nodes(CLASSES, BEST, VALUED, FREE, work, queue, budget)


@njit(lean=True)
def split_by_classes_in_order(work, queue, budget):
    """Split by classes, at the best thresholds, in order."""
    split_nodes(CLASSES, BEST, VALUED, BOUNDED, work, queue, budget)


@njit(lean=True)
def split_by_classes_at_random(work, queue, budget):
    """Split by classes, at random thresholds."""
    split_nodes(CLASSES, RANDOM, VALUED, FREE, work, queue, budget)


@njit(lean=True)
def split_by_classes_at_random_in_order(work, queue, budget):
    """Split by classes, at random thresholds, in order."""
    split_nodes(CLASSES, RANDOM, VALUED, BOUNDED, work, queue, budget)


@njit(lean=True)
def split_by_numbers(work, queue, budget):
    """Split by means, at the best thresholds."""
    split_nodes(NUMBERS, BEST, VALUED, FREE, work, queue, budget)


@njit(lean=True)
def split_by_numbers_in_order(work, queue, budget):
    """Split by means, at the best thresholds, in order."""
    split_nodes(NUMBERS, BEST, VALUED, BOUNDED, work, queue, budget)


@njit(lean=True)
def split_by_numbers_at_random(work, queue, budget):
    """Split by means, at random thresholds."""
    split_nodes(NUMBERS, RANDOM, VALUED, FREE, work, queue, budget)


@njit(lean=True)
def split_by_numbers_at_random_in_order(work, queue, budget):
    """Split by means, at random thresholds, in order."""
    split_nodes(NUMBERS, RANDOM, VALUED, BOUNDED, work, queue, budget)


@njit(lean=True)
def split_by_medians(work, queue, budget):
    """Split by medians, at the best thresholds."""
    split_nodes(MEDIANS, BEST, VALUED, FREE, work, queue, budget)


@njit(lean=True)
def split_by_medians_in_order(work, queue, budget):
    """Split by medians, at the best thresholds, in order."""
    split_nodes(MEDIANS, BEST, VALUED, BOUNDED, work, queue, budget)


@njit(lean=True)
def split_by_medians_at_random(work, queue, budget):
    """Split by medians, at random thresholds."""
    split_nodes(MEDIANS, RANDOM, VALUED, FREE, work, queue, budget)


@njit(lean=True)
def split_by_medians_at_random_in_order(work, queue, budget):
    """Split by medians, at random thresholds, in order."""
    split_nodes(MEDIANS, RANDOM, VALUED, BOUNDED, work, queue, budget)


@njit(part=True)
def sift_up(heap, worth, i):
    """Move entry i towards the root while it is worth more than its parent."""
    while i > 0 and worth[heap[i]] > worth[heap[(i - 1) // 2]]:
        heap[i], heap[(i - 1) // 2] = heap[(i - 1) // 2], heap[i]
        i = (i - 1) // 2


@njit(part=True)
def sift_down(heap, worth, n):
    """Move the root entry away from the root while a child is worth more."""
    i = 0
    while 2 * i + 1 < n:
        child = 2 * i + 1
        if child + 1 < n and worth[heap[child + 1]] > worth[heap[child]]:
            child += 1
        if worth[heap[i]] >= worth[heap[child]]:
            return
        heap[i], heap[child] = heap[child], heap[i]
        i = child
