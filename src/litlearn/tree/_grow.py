"""Growing one tree: sort, sweep, partition, and again on both parts.

A node is a stretch ``start:stop`` of arrays that hold the tree's samples. A split reorders the
stretch so that the left child's samples come first::

    records [ 4  9  1  7  2  8 ]      before: the samples of the node, in any order
                                      split: samples 9, 7 and 8 go left
    records [ 9  7  8 | 4  1  2 ]     after: left child | right child, order kept within each

No copy of the data is made, and nothing is allocated while a tree grows.
"""

import math
from typing import NamedTuple

import numpy as np

from litlearn._jit import njit
from litlearn._random import random_below, random_uniform
from litlearn.tree import _criteria as criteria
from litlearn.tree._ranks import NO_MISSING
from litlearn.tree._sort import HALF, LARGEST, LOWER, SMALL, code_of, sort_few, sort_keys

LEAF = -1


class Problem(NamedTuple):
    """What all trees of a forest read and none changes.

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
    """

    codes: np.ndarray
    missing: np.ndarray
    n_codes: np.ndarray
    columns: np.ndarray
    n_classes: np.ndarray
    table: np.ndarray


class Rules(NamedTuple):
    """Parameters of the growth, as whole numbers and floats."""

    criterion: int
    random: bool
    max_features: int
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    min_weight_leaf: float
    min_impurity_decrease: float
    total_weight: float


class Samples(NamedTuple):
    """The samples of one tree, reordered as it grows.

    In classification, samples with the same classes and the same weight are of one *kind*, and
    need no other description. Often there are a handful of kinds. In regression, targets and
    weights are reordered with the samples.
    """

    records: np.ndarray  # (n,) uint64: row of the data, and in the upper half the kind, or zero
    Y: np.ndarray  # (n_outputs, n_kinds) float64: classes of the kinds; or (n_outputs, n): targets
    w: np.ndarray  # (n_kinds,) or (n,) float64: weights, positive
    codes: np.ndarray  # (n_outputs, n) uint32: ranks of the targets, for the absolute error


class Nodes(NamedTuple):
    """The tree so far, one entry a node."""

    left: np.ndarray  # int32, LEAF for a leaf
    right: np.ndarray  # int32
    feature: np.ndarray  # int32
    code: np.ndarray  # uint32: largest code that goes left
    cut: np.ndarray  # (capacity, 2) uint32: codes on both sides of the cut; later, rows with them
    threshold: np.ndarray  # float64: set here for random splits, otherwise when the tree is done
    missing_left: np.ndarray  # bool
    impurity: np.ndarray  # float64
    n_samples: np.ndarray  # int32
    weight: np.ndarray  # float64
    value: np.ndarray  # (capacity, n_outputs, n_classes) float64
    stretch: np.ndarray  # (capacity, 4) int64: start, stop, depth, constant features


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
    order: np.ndarray  # (n_outputs, n) int32; these five for the absolute error
    costs: np.ndarray  # (2, n)
    chain: np.ndarray  # (2, n + 2)
    links: np.ndarray  # (3, n + 2) int32
    sides: np.ndarray  # (2, 2)
    bins: np.ndarray  # (n_bins, 2 + n_outputs * n_classes), for columns of few codes
    values: np.ndarray  # (n,), for random thresholds
    goes_right: np.ndarray  # (n,) bool; these two for the partition, in regression
    spare: np.ndarray  # (n,)


# ---------------------------------------------------------------------------------------------
# One feature of one node


@njit(inline=True)
def row_of(record):
    """Lower half of a record: the row of the data."""
    return np.uintp(record & LOWER)


@njit(inline=True)
def is_class(rules):
    """Tell whether targets are classes."""
    return rules.criterion <= criteria.MISCLASSIFICATION


@njit(inline=True)
def order_by_code(problem, rules, samples, scratch, j, start, stop):
    """Sort a node's samples by feature j, missing values last.

    Returns how many values are present, or -1 if the feature is constant here.
    """
    codes, records, by_kind = problem.codes, samples.records, is_class(rules)
    n, n_present = stop - start, stop - start
    few = n <= SMALL
    keys = scratch.buffer if few else scratch.keys
    # <keys>: One word a sample: its code, and its kind (or the place of its target). Rows are
    # scattered over the memory: many can be waited for at once, if nothing else is done with them.
    for i in range(start, stop):
        lower = records[i] >> HALF if by_kind else np.uint64(i)
        keys[i - start] = (np.uint64(codes[j, row_of(records[i])]) << HALF) | lower
    if problem.missing[j] != NO_MISSING:
        n_present = missing_last(keys, n, np.uint64(problem.missing[j]), scratch.keys)
    # <range>: Is there anything to sort?
    low, high = find_range(keys, n_present)
    if n_present == 0 or (low == high and n_present == n):
        return -1
    # <sort>: Only what is present.
    if few:
        sort_few(keys, scratch.keys, n_present)
    elif low < high:
        sort_keys(keys, n_present, low, high, scratch.buffer, scratch.starts)
    return n_present


@njit(inline=True)
def find_range(keys, n):
    """Return the smallest and the largest code of the first n keys."""
    low, high = LARGEST, np.uint64(0)
    for i in range(n):
        low, high = min(low, keys[i]), max(high, keys[i])
    return code_of(low), code_of(high)


@njit(helper=True)
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


@njit(helper=True)
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
def sweep(problem, rules, samples, scratch, start, stop, weight):
    """Return the best score over all cuts of the sorted node, and the key before the cut."""
    n, keys, Y, w = stop - start, scratch.keys, samples.Y, samples.w
    total, left, right, centre = scratch.total, scratch.left, scratch.right, scratch.centre
    least, lightest = rules.min_samples_leaf, rules.min_weight_leaf
    # With one output, the usual case, the compiler sees a constant and drops the inner loops.
    if rules.criterion == criteria.GINI:
        if len(Y) == 1:
            return criteria.sweep_gini(
                keys, n, 1, Y, w, weight, total, left, right, least, lightest
            )
        return criteria.sweep_gini(
            keys, n, len(Y), Y, w, weight, total, left, right, least, lightest
        )
    if rules.criterion == criteria.ENTROPY:
        return criteria.sweep_entropy(
            keys, n, Y, w, weight, total, left, right, problem.table, least, lightest
        )
    if rules.criterion == criteria.MISCLASSIFICATION:
        return criteria.sweep_misclassification(keys, n, Y, w, weight, total, left, least, lightest)
    if rules.criterion == criteria.SQUARED_ERROR:
        if len(Y) == 1:
            return criteria.sweep_squared_error(
                keys, n, 1, Y, w, weight, centre, left, total, least, lightest
            )
        return criteria.sweep_squared_error(
            keys, n, len(Y), Y, w, weight, centre, left, total, least, lightest
        )
    if rules.criterion == criteria.POISSON:
        return criteria.sweep_poisson(keys, n, Y, w, weight, centre, left, least, lightest)
    return sweep_absolute(rules, samples, scratch, start, stop, weight)


@njit(helper=True)
def sweep_absolute(rules, samples, scratch, start, stop, weight):
    """Return the best score for the absolute error, and the key before the cut."""
    return criteria.sweep_absolute_error(
        scratch.keys,
        stop - start,
        start,
        samples.Y,
        samples.w,
        weight,
        scratch.order,
        scratch.costs,
        scratch.chain,
        scratch.links,
        scratch.sides,
        rules.min_samples_leaf,
        rules.min_weight_leaf,
    )


# ---------------------------------------------------------------------------------------------
# A feature of few codes needs no sort


@njit(inline=True)
def has_few_codes(problem, rules, scratch, j, n):
    """Tell whether sums for each code of feature j cost less than sorting n samples."""
    fits = problem.n_codes[j] * (1 + scratch.total.size) <= 2 * n
    return fits and rules.criterion != criteria.ABSOLUTE_ERROR


@njit(inline=True)
def fill_bins(problem, rules, samples, scratch, j, start, stop):
    """Sum up the samples of a node by their codes.

    A row of ``scratch.bins`` holds the number of samples, their weight, and, for each output, the
    weights of the classes or the sum of ``target - origin``. Returns how many values are present,
    or -1 if the feature is constant here.
    """
    bins, codes, records = scratch.bins, problem.codes, samples.records
    Y, w, centre, by_kind = samples.Y, samples.w, scratch.centre, is_class(rules)
    n_classes, n_bins = scratch.total.shape[1], problem.n_codes[j]
    # <fetch>: Rows are scattered over the memory: many can be waited for at once, if nothing else
    # is done with them.
    for i in range(start, stop):
        scratch.buffer[i - start] = codes[j, row_of(records[i])]
    # <sum>
    bins[:n_bins] = 0.0
    for i in range(start, stop):
        b = np.uintp(scratch.buffer[i - start])
        s = np.uintp(records[i] >> HALF) if by_kind else np.uintp(i)
        bins[b, 0] += 1.0
        bins[b, 1] += w[s]
        for t in range(len(Y)):
            if by_kind:
                bins[b, np.uintp(2 + t * n_classes) + np.uintp(Y[t, s])] += w[s]
            else:
                origin = criteria.origin(rules.criterion, centre[t])
                bins[b, 2 + t] += w[s] * (Y[t, s] - origin)
    n_filled, n_present = 0, stop - start
    for b in range(n_bins):
        n_filled += bins[b, 0] > 0.0
    if problem.missing[j] != NO_MISSING:
        n_present -= np.int64(bins[n_bins - 1, 0])
    return n_present if n_filled > 1 else -1


@njit(helper=True)
def sweep_bins(criterion, bins, n_bins, first, n, total, centre, left, weight, score, least, light):
    """Return the best score over all cuts between codes, and the codes on both sides of the cut.

    `first` is the code that comes first, whatever its number; `NO_MISSING` if none does.
    """
    n_outputs, n_classes = total.shape
    left[:] = 0.0
    best, best_below, best_above = -np.inf, 0, 0
    below, n_left, weight_left = -1, 0.0, 0.0
    for s in range(n_bins):
        # <next>: The missing ones first, if asked for.
        b = s
        if first != NO_MISSING:
            b = np.int64(first) if s == 0 else s - 1
        if bins[b, 0] == 0.0:
            continue
        # <compare>: A cut before this code. One behind the missing ones is the same as one before
        # them, which was tried.
        weight_right = weight - weight_left
        enough = min(n_left, n - n_left) >= least and min(weight_left, weight_right) >= light
        if below >= 0 and below != first and enough:
            if criterion <= criteria.MISCLASSIFICATION:
                here = criteria.score_classes(criterion, left, total, weight_left, weight_right)
            else:
                here = criteria.score_numbers(
                    criterion, left, centre, weight_left, weight_right, score
                )
            if here > best:
                best, best_below, best_above = here, below, b
        # <move>: All samples with this code join the left child.
        below = b
        n_left += bins[b, 0]
        weight_left += bins[b, 1]
        for t in range(n_outputs):
            for c in range(n_classes):
                left[t, c] += bins[b, 2 + t * n_classes + c]
    return best, best_below, best_above


# ---------------------------------------------------------------------------------------------
# Random thresholds


@njit(inline=True)
def draw_threshold(problem, samples, scratch, j, start, stop):
    """Draw a threshold between the least and the largest value of feature j in a node.

    Implements :eq:`eq-random-threshold`. The values are left in ``scratch.values``. Missing ones
    join either side by the toss of a coin: they become minus or plus infinity. Returns the
    threshold, whether missing values go left, and whether there is anything to split.
    """
    columns, records, values = problem.columns, samples.records, scratch.values
    for i in range(start, stop):
        values[i - start] = columns[j, row_of(records[i])]
    low, high, n_missing = criteria.find_range(values, stop - start)
    if n_missing == stop - start or (low == high and n_missing == 0):
        return 0.0, False, False
    # <draw>: Uniform between the two; where rounding reaches the larger, nothing would go right.
    share = random_uniform(scratch.state)
    threshold = max(low, low * (1.0 - share) + high * share)
    if not threshold < high:
        threshold = low
    missing_left = n_missing > 0 and random_below(scratch.state, 2) == 1
    if low == high:
        threshold, missing_left = np.finfo(np.float64).max, False  # the missing ones right
    if n_missing > 0:
        for i in range(stop - start):
            if math.isnan(values[i]):
                values[i] = -np.inf if missing_left else np.inf
    return threshold, missing_left, True


@njit(inline=True)
def score_threshold(rules, samples, scratch, start, stop, threshold, weight, score):
    """Return the score of a given threshold, or minus infinity if a child would be too small."""
    n, values, Y, w = stop - start, scratch.values, samples.Y, samples.w
    if is_class(rules):
        n_left, weight_left = criteria.weigh_left_of_classes(
            values, n, threshold, samples.records, w, Y, start, scratch.left
        )
    for t in range(0 if is_class(rules) else len(Y)):
        origin = criteria.origin(rules.criterion, scratch.centre[t])
        n_left, weight_left, scratch.left[t, 0] = criteria.weigh_left(
            values, n, threshold, w, Y, start, t, origin
        )
    weight_right = weight - weight_left
    if min(n_left, n - n_left) < max(1, rules.min_samples_leaf):
        return -np.inf
    if min(weight_left, weight_right) < rules.min_weight_leaf:
        return -np.inf
    if is_class(rules):
        return criteria.score_classes(
            rules.criterion, scratch.left, scratch.total, weight_left, weight_right
        )
    if rules.criterion == criteria.ABSOLUTE_ERROR:
        # <two groups>: The general sweep, over keys that have two codes only.
        first, end = 0, n
        for i in range(n):
            if values[i] <= threshold:
                scratch.keys[first] = np.uint64(start + i)
                first += 1
            else:
                end -= 1
                scratch.keys[end] = (np.uint64(1) << HALF) | np.uint64(start + i)
        return sweep_absolute(rules, samples, scratch, start, stop, weight)[0]
    return criteria.score_numbers(
        rules.criterion, scratch.left, scratch.centre, weight_left, weight_right, score
    )


# ---------------------------------------------------------------------------------------------
# One node


@njit(inline=True)
def is_better(score, best):
    """Tell whether a score beats the best so far by more than rounding.

    Two features often cut a node in the same two parts. Their scores, summed in other orders, then
    differ in the last digits, and the feature that was tried first should win.
    """
    return score > best + 1e-12 * abs(best) or (best == -np.inf and score > best)


@njit(merge=True)
def find_split(problem, rules, samples, scratch, nodes, node, weight, score, perfect, n_constant):
    """Write the best split of a node over randomly drawn features to `nodes`.

    The first `n_constant` entries of the permutation of features are known to be constant here.
    They are drawn like the others, and cost nothing. Returns the score of the split (minus infinity
    if there is none), and how many features are constant now.
    """
    features, state = scratch.features, scratch.state
    start, stop = nodes.stretch[node, 0], nodes.stretch[node, 1]
    n = stop - start
    undrawn_constant, last, n_drawn, n_tried = n_constant, features.size, 0, 0
    best = -np.inf
    while n_constant < last and (n_drawn < rules.max_features or n_tried == 0):
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
        # <order>: In one of three ways. With random thresholds, values are only looked through.
        few = not rules.random and has_few_codes(problem, rules, scratch, j, n)
        if rules.random:
            threshold, goes_left, found = draw_threshold(problem, samples, scratch, j, start, stop)
            n_present = n if found else -1
        elif few:
            n_present = fill_bins(problem, rules, samples, scratch, j, start, stop)
        else:
            n_present = order_by_code(problem, rules, samples, scratch, j, start, stop)
        # <constant>: A feature found to be constant joins the others of its kind, for this node
        # and for all nodes below it.
        if n_present < 0:
            features[k], features[n_constant] = features[n_constant], j
            n_constant += 1
            continue
        # <set aside>: It cannot be drawn again in this node.
        last -= 1
        features[k], features[last] = features[last], j
        n_tried += 1
        if rules.random:
            candidate = score_threshold(
                rules, samples, scratch, start, stop, threshold, weight, score
            )
            if is_better(candidate, best):
                best = candidate
                nodes.feature[node], nodes.threshold[node] = j, threshold
                nodes.missing_left[node] = goes_left
            continue
        # <try>: Missing values on the right; if there are any, also on the left.
        for missing_left in range(1 if n_present == n else 2):
            if few:
                candidate, below, above = sweep_bins(
                    rules.criterion,
                    scratch.bins,
                    problem.n_codes[j],
                    problem.missing[j] if missing_left else NO_MISSING,
                    n,
                    scratch.total,
                    scratch.centre,
                    scratch.left,
                    weight,
                    score,
                    rules.min_samples_leaf,
                    rules.min_weight_leaf,
                )
                if is_better(candidate, best):
                    best = candidate
                    write_split(nodes, node, j, below, above, missing_left)
                continue
            if missing_left:
                missing_first(scratch.keys, n, n_present, scratch.buffer)
            candidate, where = sweep(problem, rules, samples, scratch, start, stop, weight)
            if is_better(candidate, best):
                best = candidate
                below, above = code_of(scratch.keys[where]), code_of(scratch.keys[where + 1])
                # With the missing ones first, the cut behind them has all values on its right.
                # The same cut with the sides exchanged is "value <= infinity".
                if missing_left and below == problem.missing[j]:
                    below, above = code_of(scratch.keys[n - 1]), below
                    write_split(nodes, node, j, below, above, False)
                else:
                    write_split(nodes, node, j, below, above, missing_left)
    return best, n_constant


@njit(inline=True)
def write_split(nodes, node, j, below, above, missing_left):
    """Write down that feature j is cut between two codes."""
    nodes.feature[node], nodes.code[node] = j, below
    nodes.cut[node, 0], nodes.cut[node, 1] = below, above
    nodes.missing_left[node] = missing_left


@njit(helper=True)
def move(array, start, stop, goes_right, spare):
    """Move the entries of a stretch that go left to its front. Return where the others begin.

    Left ones move up, right ones wait in a spare array. Both are written for every entry, and the
    counters decide what stays: no branch to mispredict.
    """
    first, n_waiting = start, 0
    for i in range(start, stop):
        entry, right = array[i], np.int64(goes_right[i])
        array[first] = entry
        spare[n_waiting] = entry
        first += 1 - right
        n_waiting += right
    # <append>: Those who have waited follow.
    for i in range(n_waiting):
        array[first + i] = spare[i]
    return first


@njit(merge=True)
def partition(problem, rules, samples, scratch, nodes, node):
    """Reorder a node's stretch: the left child's samples first. Return where the right one begins.

    Within each side the order is kept.
    """
    start, stop = nodes.stretch[node, 0], nodes.stretch[node, 1]
    j, code, threshold = nodes.feature[node], nodes.code[node], nodes.threshold[node]
    missing_left, missing = nodes.missing_left[node], problem.missing[j]
    records, goes_right = samples.records, scratch.goes_right
    below, above = nodes.cut[node, 0], nodes.cut[node, 1]
    row_below, row_above, n_missing = np.uintp(0), np.uintp(0), 0
    # <sides>: First only look where each sample goes: rows are scattered over the memory, and many
    # can be waited for at once if nothing depends on them.
    for i in range(start, stop):
        row = row_of(records[i])
        if rules.random:
            value = problem.columns[j, row]
            absent = value != value
            left = (value <= threshold) | (missing_left & absent)
        else:
            here = problem.codes[j, row]
            absent = here == missing
            left = ((here <= code) & (not absent)) | (missing_left & absent)
            row_below = row if here == below else row_below
            row_above = row if here == above else row_above
        goes_right[i] = not left
        n_missing += absent
    if not rules.random:
        nodes.cut[node, 0], nodes.cut[node, 1] = row_below, row_above
    # <reorder>: In regression, targets, their ranks and weights go where the samples go.
    middle = move(records, start, stop, goes_right, scratch.buffer)
    if not is_class(rules):
        move(samples.w, start, stop, goes_right, scratch.spare)
        for t in range(len(samples.Y)):
            move(samples.Y[t], start, stop, goes_right, scratch.spare)
        for t in range(len(samples.codes)):
            move(samples.codes[t], start, stop, goes_right, scratch.buffer)
    # <default>: Where no value was missing, later ones will go with the majority.
    if n_missing == 0:
        nodes.missing_left[node] = 2 * (middle - start) > stop - start
    return middle


@njit(merge=True)
def examine(problem, rules, samples, scratch, nodes, node):
    """Describe a node, and find its split or make it a leaf.

    The node's entry of ``nodes.stretch`` is given. Returns the decrease of impurity
    :eq:`eq-impurity-decrease` that the split brings, or minus infinity for a leaf.
    """
    start, stop = nodes.stretch[node, 0], nodes.stretch[node, 1]
    n, n_outputs = stop - start, len(samples.Y)
    if is_class(rules):
        impurity, weight, score, pure = criteria.describe_classes(
            rules.criterion,
            samples.records,
            samples.Y,
            samples.w,
            start,
            stop,
            problem.n_classes,
            problem.table,
            scratch.total,
        )
    elif rules.criterion == criteria.ABSOLUTE_ERROR:
        impurity, weight, score, pure = criteria.describe_medians(
            samples.Y,
            samples.codes,
            samples.w,
            start,
            stop,
            scratch.centre,
            scratch.order,
            scratch.keys,
            scratch.buffer,
            scratch.starts,
        )
    else:
        impurity, weight, score, pure = criteria.describe_numbers(
            rules.criterion, samples.Y, samples.w, start, stop, scratch.centre
        )
        for t in range(n_outputs):
            scratch.total[t, 0] = criteria.sum_about(
                samples.Y, samples.w, start, stop, t, scratch.centre[t]
            )
    # <record>: Shares of the classes, or means.
    for t in range(n_outputs):
        for c in range(nodes.value.shape[2]):
            if is_class(rules):
                nodes.value[node, t, c] = scratch.total[t, c] / weight
            else:
                nodes.value[node, t, c] = scratch.centre[t]
    nodes.impurity[node], nodes.n_samples[node], nodes.weight[node] = impurity, n, weight
    nodes.left[node], nodes.right[node], nodes.feature[node] = LEAF, LEAF, LEAF
    nodes.threshold[node], nodes.missing_left[node] = np.nan, False
    # <stop>: The rules that make a leaf without a search.
    if (
        pure
        or nodes.stretch[node, 2] >= rules.max_depth
        or n < rules.min_samples_split
        or n < 2 * rules.min_samples_leaf
        or weight < 2.0 * rules.min_weight_leaf
    ):
        return -np.inf
    perfect = criteria.perfect_score(rules.criterion, impurity, weight, score, n_outputs)
    best, n_constant = find_split(
        problem,
        rules,
        samples,
        scratch,
        nodes,
        node,
        weight,
        score,
        perfect,
        nodes.stretch[node, 3],
    )
    nodes.stretch[node, 3] = n_constant
    # <worth>: The score without the split is what the two children have to beat.
    decrease = (best - score) / (rules.total_weight * n_outputs)
    if rules.criterion == criteria.ENTROPY:
        decrease /= math.log(2.0)
    # The misclassification rate often finds no cut better than none. Cutting all the same would
    # peel off one sample at a time.
    stalled = rules.criterion == criteria.MISCLASSIFICATION and decrease <= 0.0
    if best == -np.inf or stalled or decrease + 2.0**-52 < rules.min_impurity_decrease:
        nodes.feature[node] = LEAF
        return -np.inf
    return decrease


# ---------------------------------------------------------------------------------------------
# The whole tree


@njit(helper=True)
def grow(problem, rules, samples, scratch, nodes, stack, heap, worth, progress, budget):
    """Grow a tree, or go on growing it.

    `stack` (depth, 3) holds stretches that wait to become nodes: their parent, where they begin and
    end. A node that is worth splitting is split at once, its left part on top of the stack: depth
    first, so that a left child stands right after its parent. But if there is a `heap` (n_leaves,),
    it waits there with what its split is worth, `worth` (n_nodes,), and the best one is split when
    the stack is empty: best first, as long as `nodes` has room for two more.

    `progress` holds the numbers of waiting stretches, of nodes, and of leaves in the heap. Returns
    when nothing waits, when `nodes` or `stack` is full, or after about `budget` samples, so that
    the caller can make room, or be interrupted, and call again.
    """
    n_waiting, n_nodes, n_heap = progress
    best_first, n_seen = heap.size > 0, 0
    while n_waiting + n_heap > 0 and n_waiting + 2 <= len(stack) and n_seen <= budget:
        if n_waiting > 0:
            if n_nodes == nodes.left.size:
                break
            # <next>: The stretch that was put down last becomes a node, and its parent's child.
            n_waiting -= 1
            node = n_nodes
            n_nodes += 1
            parent = stack[n_waiting, 0]
            nodes.stretch[node, 0], nodes.stretch[node, 1] = (
                stack[n_waiting, 1],
                stack[n_waiting, 2],
            )
            nodes.stretch[node, 2], nodes.stretch[node, 3] = 0, 0
            if parent >= 0:
                nodes.stretch[node, 2] = nodes.stretch[parent, 2] + 1
                # Best first, the order of the features has changed since: none is known to be
                # constant.
                nodes.stretch[node, 3] = 0 if best_first else nodes.stretch[parent, 3]
                if nodes.left[parent] == LEAF:
                    nodes.left[parent] = node
                else:
                    nodes.right[parent] = node
            n_seen += nodes.stretch[node, 1] - nodes.stretch[node, 0]
            decrease = examine(problem, rules, samples, scratch, nodes, node)
            if decrease == -np.inf:
                continue
            if best_first:
                worth[node], heap[n_heap] = decrease, node
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
        middle = partition(problem, rules, samples, scratch, nodes, node)
        stack[n_waiting, 0], stack[n_waiting + 1, 0] = node, node
        stack[n_waiting, 1], stack[n_waiting, 2] = middle, nodes.stretch[node, 1]
        stack[n_waiting + 1, 1], stack[n_waiting + 1, 2] = nodes.stretch[node, 0], middle
        n_waiting += 2
    progress[0], progress[1], progress[2] = n_waiting, n_nodes, n_heap


@njit(helper=True)
def sift_up(heap, worth, i):
    """Move entry i towards the root while it is worth more than its parent."""
    while i > 0 and worth[heap[i]] > worth[heap[(i - 1) // 2]]:
        heap[i], heap[(i - 1) // 2] = heap[(i - 1) // 2], heap[i]
        i = (i - 1) // 2


@njit(helper=True)
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
