"""Impurity: how mixed the targets of a node are, and by how much a split would unmix them.

Each criterion has a *score*, a sum over the two children, that is largest where the weighted
impurity of the children is smallest: the terms of the impurity that no split changes are left out.
Elsewhere it is called a *proxy improvement*; the *improvement* is the decrease of impurity itself.
A sweep moves the samples of a node from the right child to the left, in the order of one feature,
and updates the score at each step.

Letters: in regression, `Y` (n_outputs, n) holds targets and `w` (n,) weights, and a node is a
stretch of their columns. In classification a node is a stretch of `records`, whose upper halves are
kinds of samples; `Y` (n_outputs, n_kinds) holds the classes of each kind, `w` (n_kinds,) weights.
`keys` are the sorted keys of the node (see ``_sort.py``); their lower halves are columns of `Y`.
"""

import math
from typing import NamedTuple

import numpy as np

from litlearn._core.jit import njit
from litlearn.tree._sort import HALF, code_of, place_of, sort_keys

GINI, ENTROPY, MISCLASSIFICATION, SQUARED_ERROR, POISSON, ABSOLUTE_ERROR = range(6)
UNEVEN_GINI = 6  # in a sweep: the same score as GINI, of weights whose running sums lose digits
CLASSES, NUMBERS, MEDIANS = range(3)  # families of criteria, by what describes a node
FEW_KINDS = 4  # up to here, samples are counted several at once


@njit(inline=True)
def x_log_x(x, table):
    """Return x log x; read from `table` where weights are whole numbers."""
    if table.size > 0:
        return table[np.uintp(x)]
    return x * math.log(x) if x > 0.0 else 0.0


# ---------------------------------------------------------------------------------------------
# One node
#
# Sums over a stretch are small functions of their own: their order is free, so that the compiler
# takes several samples at once.


@njit(inline=True, reassociate=True)
def sum_weights(w, start, stop):
    """Return the weight of a stretch."""
    weight = 0.0
    for i in range(start, stop):
        weight += w[i]
    return weight


@njit(inline=True, reassociate=True)
def count_kinds(records, start, stop):
    """Return how many samples of a stretch are of the kinds 1, 2 and 3."""
    one, two, three = 0, 0, 0
    for i in range(start, stop):
        kind = records[i] >> HALF
        one += kind == np.uint64(1)
        two += kind == np.uint64(2)
        three += kind == np.uint64(3)
    return one, two, three


@njit(inline=True)
def weigh_counts(zero, one, two, three, Y, w, sums):
    """Add the weights of so many samples of the first kinds to their classes. Return the weight."""
    weight = 0.0
    for k in range(w.size):
        count = zero if k == 0 else one if k == 1 else two if k == 2 else three
        weight += count * w[k]
        for t in range(len(Y)):
            sums[t, np.uintp(Y[t, k])] += count * w[k]
    return weight


@njit(inline=True, reassociate=True)
def sum_about(Y, w, start, stop, t, centre):
    """Return the weighted sum of ``target - centre``."""
    total = 0.0
    for i in range(start, stop):
        total += w[i] * (Y[t, i] - centre)
    return total


@njit(inline=True, reassociate=True)
def sum_squares_about(Y, w, start, stop, t, centre):
    """Return the weighted sum of squares of ``target - centre``."""
    total = 0.0
    for i in range(start, stop):
        total += w[i] * (Y[t, i] - centre) ** 2
    return total


@njit(inline=True)
def all_equal(Y, start, stop, t, first):
    """Tell whether all targets are equal to the first one."""
    n_others = 0
    for i in range(start, stop):
        n_others += Y[t, i] != first
    return n_others == 0


@njit(inline=True)
def log_ratio(y, mean):
    """Return log(y / mean), where the ratio may be larger than any number."""
    ratio = y / mean
    return math.log(ratio) if ratio < np.inf else math.log(y) - math.log(mean)


@njit(part=True)
def describe_classes(criterion, samples, start, stop, n_classes, table, total):
    """Sum the weights of the classes of a node into `total` (n_outputs, n_classes).

    Returns the impurity (:eq:`eq-gini`, :eq:`eq-entropy` or :eq:`eq-misclassification`, the mean
    over the outputs), the weight of the node, its score, and whether one class has it all.
    """
    records, Y, w = samples.records, samples.Y, samples.w
    total[:] = 0.0
    if w.size <= FEW_KINDS:
        one, two, three = count_kinds(records, start, stop)
        zero = stop - start - one - two - three
        weight = weigh_counts(zero, one, two, three, Y, w, total)
    else:
        weight = 0.0
        for i in range(start, stop):
            kind = np.uintp(records[i] >> HALF)
            weight += w[kind]
            for t in range(Y.shape[0]):
                total[t, np.uintp(Y[t, kind])] += w[kind]
    impurity, score, pure = 0.0, 0.0, True
    for t in range(Y.shape[0]):
        part, largest, n_present = 0.0, 0.0, 0
        for c in range(n_classes[t]):
            largest = max(largest, total[t, c])
            n_present += total[t, c] > 0.0
            if criterion == GINI:
                part += total[t, c] * total[t, c]
            elif criterion == ENTROPY:
                part += x_log_x(total[t, c], table)
        pure = pure and n_present == 1
        if criterion == GINI:
            part /= weight
            impurity += 1.0 - part / weight
        elif criterion == ENTROPY:
            part -= x_log_x(weight, table)
            impurity -= part / weight / math.log(2.0)
        else:
            part = largest
            impurity += 1.0 - part / weight
        score += part
    if pure:
        impurity = 0.0
    return max(impurity, 0.0) / Y.shape[0], weight, score, pure


@njit(part=True)
def describe_numbers(criterion, Y, w, start, stop, centre):
    """Write the weighted means of a node to `centre` (n_outputs,).

    Returns the impurity (:eq:`eq-squared-error` or :eq:`eq-poisson-deviance`, the mean over the
    outputs), the weight of the node, its score, and whether all targets are equal.
    """
    weight = sum_weights(w, start, stop)
    impurity, score, pure = 0.0, 0.0, True
    for t in range(Y.shape[0]):
        # <mean>: About the first target, so that a large common offset costs no digits.
        first = Y[t, start]
        mean = first + sum_about(Y, w, start, stop, t, first) / weight
        centre[t] = mean
        pure = pure and all_equal(Y, start, stop, t, first)
        # <spread>: Deviations from the mean, in a second pass for the same reason.
        if criterion == SQUARED_ERROR:
            impurity += sum_squares_about(Y, w, start, stop, t, mean)
            continue
        if mean <= 0.0:  # up to rounding, whatever the targets of negligible weight
            continue
        for i in range(start, stop):
            if Y[t, i] > 0.0:
                impurity += w[i] * Y[t, i] * log_ratio(Y[t, i], mean)
        score += mean * weight * math.log(mean)
    return max(impurity, 0.0) / (weight * Y.shape[0]), weight, score, pure


@njit(part=True)
def describe_medians(samples, scratch, start, stop):
    """Write a node's weighted medians to ``scratch.centre``, and its order to ``scratch.order``.

    Row t of the order receives, from 0 on, the places of the node's samples in the order of target
    t, whose ranks are ``samples.codes``. Returns the mean absolute deviation
    :eq:`eq-absolute-error`, the weight, the score, and whether all targets are equal.
    """
    Y, codes, w, keys = samples.Y, samples.codes, samples.w, scratch.keys
    n, weight = stop - start, sum_weights(w, start, stop)
    deviation, pure = 0.0, True
    for t in range(Y.shape[0]):
        low, high = np.uint64(codes[t, start]), np.uint64(codes[t, start])
        for i in range(n):
            code = np.uint64(codes[t, start + i])
            low, high = min(low, code), max(high, code)
            keys[i] = (code << HALF) | np.uint64(start + i)
        if low < high:
            pure = False
            sort_keys(keys, n, low, high, scratch.buffer, scratch.starts)
        # <median>: Where half of the weight is reached; in the middle of two if it is met exactly.
        below, median = 0.0, np.nan
        for i in range(n):
            place = place_of(keys[i])
            scratch.order[t, i] = place
            if math.isnan(median) and below + w[place] >= 0.5 * weight:
                median = Y[t, place]
                if below + w[place] == 0.5 * weight and i + 1 < n:
                    median = 0.5 * median + 0.5 * Y[t, place_of(keys[i + 1])]
            below += w[place]
        scratch.centre[t] = median
        for i in range(start, stop):
            deviation += w[i] * abs(Y[t, i] - median)
    return deviation / (weight * Y.shape[0]), weight, -deviation, pure


@njit(inline=True)
def perfect_score(criterion, impurity, weight, score, n_outputs):
    """Return the score of a split into pure children: no split has a larger one."""
    if criterion == GINI or criterion == MISCLASSIFICATION:
        return weight * n_outputs
    if criterion == ENTROPY or criterion == ABSOLUTE_ERROR:
        return 0.0
    return score + impurity * weight * n_outputs


# ---------------------------------------------------------------------------------------------
# Sweeps: the best place to cut the sorted samples in two


@njit(inline=True)
def is_cut(keys, i, n, min_samples):
    """Tell whether the values differ after key i, and both sides have enough samples."""
    differ = code_of(keys[i]) != code_of(keys[i + 1])
    return differ & (i + 1 >= min_samples) & (n - i > min_samples)


@njit(inline=True)
def larger(a, b):
    """Return the larger of two numbers. Python's ``max`` also looks for NaN, and takes longer."""
    return a if a > b else b


class Ordered(NamedTuple):
    """A node whose samples are sorted by a feature."""

    keys: np.ndarray  # (n,) uint64
    n: int
    weight: float
    Y: np.ndarray  # what the keys' lower halves are columns of
    w: np.ndarray


class NodeSums(NamedTuple):
    """What a sweep adds up; `left` and `right` are scratch."""

    total: np.ndarray  # (n_outputs, n_classes): of the node
    left: np.ndarray
    right: np.ndarray
    centre: np.ndarray  # (n_outputs,): means of the node
    table: np.ndarray  # x log x, or empty


@njit(inline=True)
def empty_left(criterion, sums, n_outputs):
    """Put all samples of a node into the right child. Return the two sums that a sweep carries.

    They are the sums of squares of the children's class weights (Gini), or the sum of x log x over
    the class weights of both (entropy); the other criteria need none.
    """
    left, right, total, table = sums.left, sums.right, sums.total, sums.table
    first, second = 0.0, 0.0
    for t in range(n_outputs):
        for c in range(total.shape[1]):
            left[t, c] = 0.0
            if criterion == GINI:
                right[t, c] = total[t, c]
                second += total[t, c] * total[t, c]
            elif criterion == ENTROPY:
                right[t, c] = total[t, c]
                first += x_log_x(total[t, c], table)
    return first, second


@njit(inline=True)
def move_sample(criterion, ordered, sums, n_outputs, place, first, second):
    """Take one sample from the right child to the left one. Return the two sums of the sweep."""
    Y, moved = ordered.Y, ordered.w[place]
    left, right, table = sums.left, sums.right, sums.table
    if criterion == SQUARED_ERROR or criterion == POISSON:
        for t in range(n_outputs):
            left[t, 0] += moved * (Y[t, place] - origin(criterion, sums.centre[t]))
        return first, second
    for t in range(n_outputs):
        # <gini>: A class that grows from L to L + w adds w (2 L + w) to the sum of squares.
        c = np.uintp(Y[t, place])
        if criterion == GINI:
            first += moved * (2.0 * left[t, c] + moved)
            second += moved * (moved - 2.0 * right[t, c])
        # <both>: Four terms change where logarithms are summed.
        if criterion == ENTROPY:
            first -= x_log_x(left[t, c], table) + x_log_x(right[t, c], table)
        left[t, c] += moved
        if criterion == GINI or criterion == ENTROPY:
            right[t, c] -= moved
        if criterion == ENTROPY:
            first += x_log_x(left[t, c], table) + x_log_x(right[t, c], table)
    return first, second


@njit(inline=True)
def score_cut(criterion, sums, n_outputs, weights, first, second):
    """Return the score of the children between which a sweep stands; `weights` are theirs."""
    weight_left, weight_right = weights
    left, total = sums.left, sums.total
    if criterion == GINI:
        both = first * weight_right + second * weight_left
        return both / (weight_left * weight_right)
    if criterion == ENTROPY:
        children = x_log_x(weight_left, sums.table) + x_log_x(weight_right, sums.table)
        return first - n_outputs * children
    if criterion == MISCLASSIFICATION or criterion == UNEVEN_GINI:
        return score_classes(criterion, left, total, weight_left, weight_right)
    if criterion == POISSON:
        return score_numbers(criterion, left, sums.centre, weight_left, weight_right, 0.0)
    # <numbers>: Targets are taken from the mean of the node, so that no digits are lost to a
    # common offset: their sum `total` is zero but for rounding.
    both = 0.0
    for t in range(n_outputs):
        right = total[t, 0] - left[t, 0]
        both += left[t, 0] * left[t, 0] * weight_right + right * right * weight_left
    return both / (weight_left * weight_right)


@njit(inline=True)
def sweep_cuts(criterion, ordered, sums, n_outputs, bounds):
    """Return the largest score over all cuts of the sorted node, and the key before the cut.

    `bounds` are the least number of samples of a child, and its least weight. The scores are
    :eq:`eq-gini-score`, :eq:`eq-entropy-score`, the weight that the children's majorities have,
    :eq:`eq-squared-error-score` and :eq:`eq-poisson-score`. Called with a constant for `criterion`,
    this becomes a loop of its own for each of them.
    """
    keys, n, weight = ordered.keys, ordered.n, ordered.weight
    least, lightest = bounds
    first, second = empty_left(criterion, sums, n_outputs)
    best, where, left = -np.inf, -1, 0.0
    for i in range(n - 1):
        # <move>: One sample leaves the right child and joins the left one.
        place = place_of(keys[i])
        left += ordered.w[place]
        first, second = move_sample(criterion, ordered, sums, n_outputs, place, first, second)
        # <compare>: A cut only between different values. What costs a logarithm or a loop is not
        # computed in vain.
        right = weight - left
        heavy = (left >= lightest) & (right >= lightest)
        cut = heavy & is_cut(keys, i, n, least)
        if not (cut or criterion == GINI or criterion == SQUARED_ERROR):
            continue
        # In a small node many a cut is the best so far: a branch would often be mispredicted.
        score = score_cut(criterion, sums, n_outputs, (left, right), first, second)
        where = i if cut & (score > best) else where
        best = larger(score if cut else -np.inf, best)
    return best, where


# ---------------------------------------------------------------------------------------------
# One given threshold


@njit(inline=True)
def range_of_values(values, n):
    """Return the least and the largest value, and how many are missing.

    Four chains of comparisons, because a comparison waits for the one before.
    """
    low0, low1, low2, low3 = np.inf, np.inf, np.inf, np.inf
    high0, high1, high2, high3 = -np.inf, -np.inf, -np.inf, -np.inf
    n_missing = 0
    for i in range(0, n - 3, 4):
        a, b, c, d = values[i], values[i + 1], values[i + 2], values[i + 3]
        low0, high0 = a if a < low0 else low0, a if a > high0 else high0
        low1, high1 = b if b < low1 else low1, b if b > high1 else high1
        low2, high2 = c if c < low2 else low2, c if c > high2 else high2
        low3, high3 = d if d < low3 else low3, d if d > high3 else high3
        n_missing += np.int64(a != a) + np.int64(b != b) + np.int64(c != c) + np.int64(d != d)
    for i in range(n - n % 4, n):
        a = values[i]
        low0, high0 = a if a < low0 else low0, a if a > high0 else high0
        n_missing += np.int64(a != a)
    return (
        min(min(low0, low1), min(low2, low3)),
        max(max(high0, high1), max(high2, high3)),
        n_missing,
    )


@njit(inline=True, reassociate=True)
def weigh_left(values, n, threshold, w, Y, start, t, origin):
    """Return how many values are at most the threshold, their weight, and a sum of their targets.

    The sum is that of ``target - origin`` of output t, weighted.
    """
    count, weight, total = 0, 0.0, 0.0
    for i in range(n):
        left = values[i] <= threshold
        part = w[start + i] if left else 0.0
        count += left
        weight += part
        total += part * (Y[t, start + i] - origin)
    return count, weight, total


@njit(inline=True, reassociate=True)
def count_kinds_left(values, n, threshold, records, start):
    """Return how many values are at most the threshold, and how many are of the kinds 1 to 3.

    No branch depends on the data, and no sum on the one before: several samples are taken at once.
    """
    count, one, two, three = 0, 0, 0, 0
    for i in range(n):
        left = values[i] <= threshold
        kind = records[start + i] >> HALF
        count += left
        one += left & (kind == np.uint64(1))
        two += left & (kind == np.uint64(2))
        three += left & (kind == np.uint64(3))
    return count, one, two, three


@njit(inline=True)
def weigh_left_of_classes(values, n, threshold, records, w, Y, start, left):
    """Write the weights of the classes on the left to `left` (n_outputs, n_classes).

    Returns how many values are at most the threshold, and their weight.
    """
    left[:] = 0.0
    if w.size <= FEW_KINDS:
        count, one, two, three = count_kinds_left(values, n, threshold, records, start)
        return count, weigh_counts(count - one - two - three, one, two, three, Y, w, left)
    count, weight = 0, 0.0
    for i in range(n):
        kind, goes_left = np.uintp(records[start + i] >> HALF), values[i] <= threshold
        part = w[kind] if goes_left else 0.0
        count += goes_left
        weight += part
        for t in range(len(Y)):
            left[t, np.uintp(Y[t, kind])] += part
    return count, weight


@njit(inline=True)
def score_classes(criterion, left, total, weight_left, weight_right):
    """Return the score of two children whose class weights are `left` and ``total - left``."""
    score = 0.0
    for t in range(total.shape[0]):
        part_left, part_right = 0.0, 0.0
        for c in range(total.shape[1]):
            one, other = left[t, c], total[t, c] - left[t, c]
            if criterion == GINI or criterion == UNEVEN_GINI:
                part_left += one * one
                part_right += other * other
            elif criterion == ENTROPY:
                part_left += one * math.log(one) if one > 0.0 else 0.0
                part_right += other * math.log(other) if other > 0.0 else 0.0
            else:
                part_left, part_right = max(part_left, one), max(part_right, other)
        if criterion == GINI or criterion == UNEVEN_GINI:
            part_left, part_right = part_left / weight_left, part_right / weight_right
        elif criterion == ENTROPY:
            part_left -= weight_left * math.log(weight_left)
            part_right -= weight_right * math.log(weight_right)
        score += part_left + part_right
    return score


@njit(inline=True)
def origin(criterion, mean):
    """Return what sums of targets count from: the mean, or zero, where a sum of zero matters."""
    return 0.0 if criterion == POISSON else mean


@njit(inline=True)
def score_numbers(criterion, left, centre, weight_left, weight_right, score):
    """Return the score of two children, given the sums of ``target - origin`` on the left."""
    if criterion == SQUARED_ERROR:
        for t in range(centre.size):
            score += left[t, 0] ** 2 * (1.0 / weight_left + 1.0 / weight_right)
        return score
    # <poisson>: Of sums that count from zero.
    score, weight = 0.0, weight_left + weight_right
    for t in range(centre.size):
        right = centre[t] * weight - left[t, 0]
        # A sum that rounding has left of zero counts as zero: that of a million targets is off by
        # up to 1e-10 of them.
        if left[t, 0] <= 0.0 or right <= 1e-10 * centre[t] * weight:
            return -np.inf
        score += left[t, 0] * math.log(left[t, 0] / weight_left)
        score += right * math.log(right / weight_right)
    return score


# ---------------------------------------------------------------------------------------------
# The absolute error, whose medians move as samples come


@njit(part=True)
def sweep_absolute_error(rules, samples, scratch, start, n, weight):
    """Return the largest score (minus the sum of absolute deviations) over all cuts, and its key.

    Cost: linear in n, once the node is sorted by the feature and by the target, and weights are of
    similar size.
    """
    sum_deviations(samples, scratch, start, n)
    keys, costs, w = scratch.keys, scratch.costs, samples.w
    best, where, left = -np.inf, -1, 0.0
    for i in range(n - 1):
        left += w[place_of(keys[i])]
        if is_cut(keys, i, n, rules.min_samples_leaf):
            score = -costs[0, i] - costs[1, i + 1]
            if score > best and min(left, weight - left) >= rules.min_weight_leaf:
                best, where = score, i
    return best, where


@njit(part=True)
def sum_deviations(samples, scratch, start, n):
    """Write the deviations among keys 0 to i, and among i to n - 1, to ``scratch.costs[:, i]``."""
    keys, costs, w = scratch.keys, scratch.costs, samples.w
    chain, links = scratch.chain, scratch.links
    for i in range(n):
        costs[0, i], costs[1, i] = 0.0, 0.0
    for t in range(len(samples.Y)):
        chain_targets(n, start, samples.Y[t], w, scratch.order[t], chain, links)
        for end in range(2):
            add_costs(end, keys, n, start, chain, links, scratch.sides, costs[end])


@njit(part=True)
def chain_targets(n, start, y, w, order, chain, links):
    """Chain a node's samples in the order of their targets.

    Positions in this order run from 1 to n; 0 and n + 1 are the ends. `chain` holds the target and
    the weight at each position. Links: row 0 names the predecessor, row 1 the successor, row 2 the
    position of each sample.
    """
    for i in range(n):
        place = np.uintp(order[i])
        chain[0, i + 1], chain[1, i + 1] = y[place], w[place]
        links[0, i + 1], links[1, i + 1] = i, i + 2
        links[2, place - np.uintp(start)] = i + 1


@njit(part=True)
def add_costs(end, keys, n, start, chain, links, sides, costs):
    """Add the deviations among keys 0 to i (end 0), or i to n - 1 (end 1), to ``costs[i]``."""
    # <leave>: All leave, the last one first. Each still knows the neighbours that it leaves.
    for s in range(n):
        x = links[2, place_of(keys[n - 1 - s if end == 0 else s]) - np.uintp(start)]
        before, after = links[0, x], links[1, x]
        links[1, before], links[0, after] = after, before
    # <return>: They return in the opposite order, each between the neighbours that it left.
    sides[:] = 0.0
    median = x
    for s in range(n):
        i = s if end == 0 else n - 1 - s
        x = links[2, place_of(keys[i]) - np.uintp(start)]
        links[1, links[0, x]], links[0, links[1, x]] = x, x
        median = move_median(x, median, chain, links, sides)
        costs[i] += sides[1, 0] + sides[1, 1]


@njit(inline=True)
def move_median(x, median, chain, links, sides):
    """Return the position of the median after position x has joined the chain.

    Columns of `sides` are what stands before the median (0) and after it (1): its weight, and its
    sum of deviations from the median. The newcomer counts only at the end: sums change by no more
    than what they hold, and small ones are not lost beside a large weight that passes by.
    """
    y, w = chain[0], chain[1]
    here = 1 if x > median else 0  # the side on which the newcomer stands
    there = 1 - here
    # <step>: While more than half of the weight lies ahead, but never beyond the newcomer.
    while median != x and sides[0, there] + w[median] < sides[0, here] + w[x]:
        sides[0, there] += w[median]
        gap = abs(y[links[here, median]] - y[median])
        sides[1, there] += gap * sides[0, there]
        sides[1, here] -= gap * sides[0, here]
        median = links[here, median]
        if median != x:
            sides[0, here] -= w[median]
    # <join>: The newcomer is the median, or counts on its side.
    if median != x:
        sides[0, here] += w[x]
        sides[1, here] += w[x] * abs(y[x] - y[median])
    return median
