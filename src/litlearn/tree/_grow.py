"""Growing one tree: sort, sweep, partition, and again on both parts.

A node is a stretch ``start:stop`` of arrays that hold the tree's samples, their targets and their
weights. A split reorders the stretch so that the left child's samples come first::

    rows    [ 4  9  1  7  2  8 ]      before: the samples of the node, in any order
                                      split: samples 9, 7 and 8 go left
    rows    [ 9  7  8 | 4  1  2 ]     after: left child | right child, order kept within each

No copy of the data is made, and nothing is allocated while a tree grows.
"""

import math
from typing import NamedTuple

import numpy as np

from litlearn._jit import njit
from litlearn.tree import _criteria as criteria
from litlearn.tree._ranks import NO_MISSING
from litlearn.tree._sort import code_of, place_of, sort_keys

LEAF = -1


class Problem(NamedTuple):
    """What all trees of a forest read and none changes.

    Attributes
    ----------
    codes : ndarray of shape (n_features, n_samples), uint32
        Ranks of the values; empty if thresholds are drawn at random.
    missing : ndarray of shape (n_features,), uint32
        The code of NaN (any number, if thresholds are drawn), or `NO_MISSING` for a column without.
    columns : ndarray of shape (n_features, n_samples), float32 or float64
        The values; empty unless thresholds are drawn at random.
    n_classes : ndarray of shape (n_outputs,), int64
        For regression, ones.
    table : ndarray, float64
        x log x for whole numbers x, or empty.
    """

    codes: np.ndarray
    missing: np.ndarray
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
    """The samples of one tree, reordered as it grows."""

    rows: np.ndarray  # (n,) uint32: row of the data
    Y: np.ndarray  # (n_outputs, n) float64: target, or number of the class
    w: np.ndarray  # (n,) float64: weight, positive
    codes: np.ndarray  # (n_outputs, n) uint32: rank of the target, for the absolute error


class Nodes(NamedTuple):
    """The tree so far, one entry a node."""

    left: np.ndarray  # int32, LEAF for a leaf
    right: np.ndarray  # int32
    feature: np.ndarray  # int32
    code: np.ndarray  # uint32: largest code that goes left
    cut: np.ndarray  # (capacity, 2) uint32: rows of the samples on both sides of the cut
    threshold: np.ndarray  # float64: set here for random splits, otherwise when the tree is done
    missing_left: np.ndarray  # bool
    impurity: np.ndarray  # float64
    n_samples: np.ndarray  # int32
    weight: np.ndarray  # float64
    value: np.ndarray  # (capacity, n_outputs, n_classes) float64
    stretch: (
        np.ndarray
    )  # (capacity, 4) int64: start, stop, depth, constant features; for best-first


class Scratch(NamedTuple):
    """Room to work in, as large as the root needs."""

    keys: np.ndarray  # (n,) uint64
    buffer: np.ndarray  # (n,) uint64
    starts: np.ndarray  # (n + 1,) int32
    features: np.ndarray  # (n_features,) int64: a permutation, constant features first
    state: np.ndarray  # (1,) uint64, of the random numbers
    total: np.ndarray  # (n_outputs, n_classes)
    left: np.ndarray
    right: np.ndarray
    centre: np.ndarray  # (n_outputs,)
    order: np.ndarray  # (n_outputs, n) int32; these three for the absolute error
    costs: np.ndarray  # (2, n)
    links: np.ndarray  # (3, n + 2) int32
    goes_right: np.ndarray  # (n,) bool; these three for the partition
    spare: np.ndarray  # (n,)
    spare_y: np.ndarray  # (n,)


@njit(inline=True)
def next_random(state):
    """Return 64 random bits: SplitMix64 (Steele, Lea and Flood 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(inline=True)
def random_below(state, n):
    """Return a whole number from 0 to n - 1."""
    return np.int64(next_random(state) % np.uint64(n))


# ---------------------------------------------------------------------------------------------
# One feature of one node


@njit(inline=True)
def order_by_code(problem, samples, scratch, j, start, stop):
    """Sort a node's samples by feature j, missing values last.

    Returns how many values are present, or -1 if the feature is constant here.
    """
    codes, rows, keys = problem.codes, samples.rows, scratch.keys
    missing = np.uint64(problem.missing[j])
    # <keys>: One word a sample: its code, and where it stands. Missing ones are put at the end.
    n, n_present, end = stop - start, 0, stop - start
    low, high = np.uint64(0xFFFFFFFF), np.uint64(0)
    for i in range(start, stop):
        code = np.uint64(codes[j, rows[i]])
        key = (code << np.uint64(32)) | np.uint64(i)
        if code == missing:
            end -= 1
            keys[end] = key
        else:
            keys[n_present] = key
            n_present += 1
            low, high = min(low, code), max(high, code)
    if n_present == 0 or (low == high and n_present == n):
        return -1
    # <sort>: Only what is present, and only if it differs.
    if low < high:
        sort_keys(keys, n_present, low, high, scratch.buffer, scratch.starts)
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
def draw_threshold(problem, samples, scratch, j, start, stop):
    """Draw a threshold between the least and the largest value of feature j in a node.

    Implements :eq:`eq-random-threshold`. The values are left in ``scratch.spare``. Missing ones
    join either side by the toss of a coin: they become minus or plus infinity. Returns the
    threshold, whether missing values go left, and whether there is anything to split.
    """
    columns, rows, values = problem.columns, samples.rows, scratch.spare
    for i in range(start, stop):
        values[i - start] = columns[j, rows[i]]
    low, high, n_missing = criteria.find_range(values, stop - start)
    if n_missing == stop - start or (low == high and n_missing == 0):
        return 0.0, False, False
    # <draw>: Uniform between the two; where rounding reaches the larger, nothing would go right.
    share = np.float64(next_random(scratch.state) >> np.uint64(11)) * 2.0**-53
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
    n, values, Y, w = stop - start, scratch.spare, samples.Y, samples.w
    classify = rules.criterion <= criteria.MISCLASSIFICATION
    if classify:
        n_left, weight_left = criteria.weigh_left_of_classes(
            values, n, threshold, w, Y, start, scratch.left
        )
    else:
        n_left, weight_left = criteria.weigh_left(values, n, threshold, w, start)
    weight_right = weight - weight_left
    if min(n_left, n - n_left) < max(1, rules.min_samples_leaf):
        return -np.inf
    if min(weight_left, weight_right) < rules.min_weight_leaf:
        return -np.inf
    if rules.criterion <= criteria.MISCLASSIFICATION:
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
                scratch.keys[end] = (np.uint64(1) << np.uint64(32)) | np.uint64(start + i)
        return sweep_absolute(rules, samples, scratch, start, stop, weight)[0]
    for t in range(len(Y)):
        scratch.left[t, 0] = criteria.sum_left(
            values, n, threshold, w, Y, start, t, scratch.centre[t]
        )
    return criteria.score_numbers(
        rules.criterion, scratch.left, scratch.centre, weight_left, weight_right, score
    )


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
        return criteria.sweep_misclassification(
            keys, n, Y, w, weight, total, left, right, least, lightest
        )
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
        scratch.centre,
        scratch.order,
        scratch.costs,
        scratch.links,
        rules.min_samples_leaf,
        rules.min_weight_leaf,
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


@njit(inline=True)
def find_split(problem, rules, samples, scratch, nodes, node, weight, score, n_constant):
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
        # <draw>: Any feature not drawn yet. One that is known to be constant is done with.
        n_drawn += 1
        k = random_below(state, undrawn_constant + last - n_constant)
        if k < undrawn_constant:
            undrawn_constant -= 1
            continue
        k += n_constant - undrawn_constant
        j = features[k]
        if rules.random:
            threshold, goes_left, found = draw_threshold(problem, samples, scratch, j, start, stop)
        else:
            n_present = order_by_code(problem, samples, scratch, j, start, stop)
            found = n_present >= 0
        # <constant>: A feature found to be constant joins the others of its kind, for this node
        # and for all nodes below it.
        if not found:
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
            if missing_left:
                missing_first(scratch.keys, n, n_present, scratch.buffer)
            candidate, where = sweep(problem, rules, samples, scratch, start, stop, weight)
            if is_better(candidate, best):
                best = candidate
                write_split(problem, samples, scratch, nodes, node, j, where, missing_left)
    return best, n_constant


@njit(inline=True)
def write_split(problem, samples, scratch, nodes, node, j, where, missing_left):
    """Write down where feature j is cut: after the sorted key `where`."""
    keys = scratch.keys
    below, above = keys[where], keys[where + 1]
    # With the missing ones first, the cut behind them has all values on its right. The same cut
    # with the sides exchanged is "value <= infinity".
    if missing_left and code_of(below) == problem.missing[j]:
        below, above, missing_left = keys[nodes.n_samples[node] - 1], below, False
    nodes.feature[node] = j
    nodes.code[node] = np.uint32(code_of(below))
    nodes.cut[node, 0] = samples.rows[place_of(below)]
    nodes.cut[node, 1] = samples.rows[place_of(above)]
    nodes.missing_left[node] = missing_left


@njit(helper=True)
def move(array, start, stop, goes_right, spare):
    """Reorder one more array in the same way."""
    first, n_waiting = start, 0
    for i in range(start, stop):
        entry, right = array[i], np.int64(goes_right[i])
        array[first] = entry
        spare[n_waiting] = entry
        first += 1 - right
        n_waiting += right
    for i in range(n_waiting):
        array[first + i] = spare[i]


@njit(helper=True)
def partition(problem, rules, samples, scratch, nodes, node):
    """Reorder a node's stretch: the left child's samples first. Return where the right one begins.

    Within each side the order is kept.
    """
    start, stop = nodes.stretch[node, 0], nodes.stretch[node, 1]
    j, code, threshold = nodes.feature[node], nodes.code[node], nodes.threshold[node]
    missing_left, missing = nodes.missing_left[node], problem.missing[j]
    rows, w, Y, goes_right = samples.rows, samples.w, samples.Y, scratch.goes_right
    waiting_rows, waiting_w, waiting_y = scratch.buffer, scratch.spare, scratch.spare_y
    # <sides>: Left samples move up within the arrays, right ones wait in the spare ones. Both are
    # written for every sample, and the counters decide what stays: no branch to mispredict.
    first, n_waiting = start, 0
    for i in range(start, stop):
        row, weight, y = rows[i], w[i], Y[0, i]
        if rules.random:
            value = problem.columns[j, row]
            left = (value <= threshold) | (missing_left & (value != value))
        else:
            here = problem.codes[j, row]
            left = (here <= code) | (missing_left & (here == missing))
        rows[first], w[first], Y[0, first] = row, weight, y
        waiting_rows[n_waiting], waiting_w[n_waiting], waiting_y[n_waiting] = row, weight, y
        goes_right[i] = not left
        first += left
        n_waiting += not left
    # <append>: Who has waited follows.
    for i in range(n_waiting):
        rows[first + i] = np.uint32(waiting_rows[i])
        w[first + i], Y[0, first + i] = waiting_w[i], waiting_y[i]
    # <more>: Further outputs, and the ranks of targets, follow.
    for t in range(1, len(Y)):
        move(Y[t], start, stop, goes_right, scratch.spare)
    for t in range(len(samples.codes)):
        move(samples.codes[t], start, stop, goes_right, scratch.buffer)
    # <default>: Where no value was missing, later ones will go with the majority.
    if not has_missing(problem, rules, rows, j, start, stop):
        nodes.missing_left[node] = 2 * (first - start) > stop - start
    return first


@njit(helper=True)
def has_missing(problem, rules, rows, j, start, stop):
    """Tell whether feature j is missing for any sample of a node."""
    if problem.missing[j] == NO_MISSING:
        return False
    for i in range(start, stop):
        if rules.random:
            if math.isnan(problem.columns[j, rows[i]]):
                return True
        elif problem.codes[j, rows[i]] == problem.missing[j]:
            return True
    return False


@njit(helper=True)
def examine(problem, rules, samples, scratch, nodes, node):
    """Describe a node, and find its split or make it a leaf.

    The node's entry of ``nodes.stretch`` is given. Returns the decrease of impurity
    :eq:`eq-impurity-decrease` that the split brings, or minus infinity for a leaf.
    """
    start, stop, depth, n_constant = nodes.stretch[node]
    n = stop - start
    if rules.criterion <= criteria.MISCLASSIFICATION:
        impurity, weight, score, pure = criteria.describe_classes(
            rules.criterion,
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
        for t in range(len(samples.Y)):
            scratch.total[t, 0] = criteria.sum_about(
                samples.Y, samples.w, start, stop, t, scratch.centre[t]
            )
    # <record>: Shares of the classes, or means.
    for t in range(nodes.value.shape[1]):
        for c in range(nodes.value.shape[2]):
            if rules.criterion <= criteria.MISCLASSIFICATION:
                nodes.value[node, t, c] = scratch.total[t, c] / weight
            else:
                nodes.value[node, t, c] = scratch.centre[t]
    nodes.impurity[node], nodes.n_samples[node], nodes.weight[node] = impurity, n, weight
    nodes.left[node], nodes.right[node], nodes.feature[node] = LEAF, LEAF, LEAF
    nodes.threshold[node], nodes.missing_left[node] = np.nan, False
    # <stop>: The rules that make a leaf without a search.
    if (
        pure
        or depth >= rules.max_depth
        or n < rules.min_samples_split
        or n < 2 * rules.min_samples_leaf
        or weight < 2.0 * rules.min_weight_leaf
    ):
        return -np.inf
    best, n_constant = find_split(
        problem, rules, samples, scratch, nodes, node, weight, score, n_constant
    )
    nodes.stretch[node, 3] = n_constant
    # <worth>: The score without the split is what the two children have to beat.
    decrease = (best - score) / (rules.total_weight * nodes.value.shape[1])
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
def add_child(nodes, node, parent, start, stop, n_constant):
    """Give the next node its stretch."""
    nodes.stretch[node, 0], nodes.stretch[node, 1] = start, stop
    nodes.stretch[node, 2] = nodes.stretch[parent, 2] + 1
    nodes.stretch[node, 3] = n_constant


@njit
def grow_depth_first(problem, rules, samples, scratch, nodes, stack, progress, budget):
    """Grow a tree, left child first, so that a left child stands right after its parent.

    `stack` (depth, 3) holds stretches that wait: their parent, where they begin and end. `progress`
    holds the number of waiting stretches, the number of nodes, and how many samples were looked at.
    Returns when nothing waits, when `nodes` or `stack` is full, or after about `budget` samples, so
    that the caller can make room, or be interrupted, and call again.
    """
    n_waiting, n_nodes, n_seen = progress[0], progress[1], 0
    while n_waiting > 0 and n_nodes < nodes.left.size and n_waiting + 2 <= len(stack):
        if n_seen > budget:
            break
        # <next>: The stretch that was put down last becomes a node, and its parent's child.
        n_waiting -= 1
        parent, start, stop = stack[n_waiting, 0], stack[n_waiting, 1], stack[n_waiting, 2]
        node = n_nodes
        n_nodes += 1
        if parent < 0:
            nodes.stretch[node, 0], nodes.stretch[node, 1] = start, stop
            nodes.stretch[node, 2], nodes.stretch[node, 3] = 0, 0
        else:
            add_child(nodes, node, parent, start, stop, nodes.stretch[parent, 3])
            if nodes.left[parent] == LEAF:
                nodes.left[parent] = node
            else:
                nodes.right[parent] = node
        # <split>: Its two parts wait, the right one beneath the left one.
        n_seen += stop - start
        if examine(problem, rules, samples, scratch, nodes, node) > -np.inf:
            middle = partition(problem, rules, samples, scratch, nodes, node)
            stack[n_waiting, 0], stack[n_waiting, 1], stack[n_waiting, 2] = node, middle, stop
            n_waiting += 1
            stack[n_waiting, 0], stack[n_waiting, 1], stack[n_waiting, 2] = node, start, middle
            n_waiting += 1
    progress[0], progress[1] = n_waiting, n_nodes
    progress[2] += n_seen


@njit
def grow_best_first(problem, rules, samples, scratch, nodes, heap, worth, progress, budget):
    """Grow a tree by splitting, each time, the leaf whose split decreases the impurity most.

    `nodes` has room for as many as the leaves that are allowed can have. `heap` (n_leaves,) holds
    the leaves that could be split, the best one first, and `worth` (n_nodes,) the decrease that
    each split brings. `progress` is that of :func:`grow_depth_first`.
    """
    n_heap, n_nodes, n_seen = progress[0], progress[1], 0
    if n_nodes == 0:
        nodes.stretch[0, 0], nodes.stretch[0, 1] = 0, samples.rows.size
        nodes.stretch[0, 2], nodes.stretch[0, 3] = 0, 0
        worth[0] = examine(problem, rules, samples, scratch, nodes, 0)
        n_nodes = 1
        if worth[0] > -np.inf:
            heap[0], n_heap = 0, 1
    while n_heap > 0 and n_nodes + 2 <= nodes.left.size and n_seen <= budget:
        # <best>: The leaf at the top of the heap is split.
        parent = heap[0]
        n_heap -= 1
        heap[0] = heap[n_heap]
        sift_down(heap, worth, n_heap)
        start, stop = nodes.stretch[parent, 0], nodes.stretch[parent, 1]
        middle = partition(problem, rules, samples, scratch, nodes, parent)
        nodes.left[parent], nodes.right[parent] = n_nodes, n_nodes + 1
        n_seen += stop - start
        # <children>: Both are examined at once, and wait with what their splits are worth. The
        # order of the features has changed since: none is known to be constant.
        add_child(nodes, n_nodes, parent, start, middle, 0)
        add_child(nodes, n_nodes + 1, parent, middle, stop, 0)
        for node in range(n_nodes, n_nodes + 2):
            worth[node] = examine(problem, rules, samples, scratch, nodes, node)
            if worth[node] > -np.inf:
                heap[n_heap] = node
                n_heap += 1
                sift_up(heap, worth, n_heap - 1)
        n_nodes += 2
    # <leaves>: What still waits, when no more leaves are allowed, is a leaf.
    if n_nodes + 2 > nodes.left.size:
        for i in range(n_heap):
            nodes.feature[heap[i]] = LEAF
        n_heap = 0
    progress[0], progress[1] = n_heap, n_nodes
    progress[2] += n_seen


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
