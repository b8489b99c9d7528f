"""Monotonic constraints: predictions that never fall, or never rise, as a feature grows.

A split of a constrained feature is allowed only if its children's values are in order. The middle
between them then bounds all that grows below: from above on the side of the lower value, from below
on the other. Splits of other features hand the bounds on, and each node's value is clipped to them.
Of two samples that differ in the constrained feature alone, the ways part at such a split, if at
all, and no leaf of one side is on the wrong side of the middle.

    Potharst and Feelders, Classification trees for problems with monotonicity constraints, ACM
    SIGKDD Explorations 4, 2002; scikit-learn, User Guide, Monotonic Constraints.

A node's *value* is its mean or median or, with two classes, the share of the first one: that of the
second one then moves the other way.
"""

from typing import NamedTuple

import numpy as np

from litlearn._core.jit import njit
from litlearn.tree import _criteria as criteria
from litlearn.tree._criteria import CLASSES, MEDIANS
from litlearn.tree._sort import place_of

FREE, BOUNDED = range(2)  # whether any feature is constrained: a constant for the compiler
LOW, HIGH, MIDDLE = range(3)  # columns of ``Nodes.limits``


class Limits(NamedTuple):
    """What the values of two children must keep to."""

    sign: int  # 1: the left one is not larger; -1: not smaller; 0: any values
    low: float
    high: float


NO_LIMITS = Limits(0, -np.inf, np.inf)


@njit(inline=True)
def limits_of(work, node, j):
    """Return the limits of a split of feature j in a node."""
    low, high = work.nodes.limits[node, LOW], work.nodes.limits[node, HIGH]
    return Limits(np.int64(work.problem.signs[j]), low, high)


@njit(inline=True)
def allows(limits, value_left, value_right):
    """Tell whether two children may have these values."""
    least, most = min(value_left, value_right), max(value_left, value_right)
    in_order = limits.sign * (value_left - value_right) <= 0.0
    return in_order and limits.low <= least and most <= limits.high


@njit(inline=True)
def allows_sums(family, criterion, scratch, weights, limits):
    """Tell the same of children whose sums are those in ``scratch.left``, and the others."""
    weight_left, weight_right = weights
    left, total, centre = scratch.left[0, 0], scratch.total[0, 0], scratch.centre[0]
    if family == CLASSES:
        return allows(limits, left / weight_left, (total - left) / weight_right)
    origin = criteria.origin(criterion, centre)
    right = (centre - origin) * (weight_left + weight_right) - left
    return allows(limits, origin + left / weight_left, origin + right / weight_right)


@njit(part=True)
def sweep_in_order(family, rules, samples, scratch, start, n, n_first, weight, limits):
    """Return the best score over the allowed cuts of the sorted node, and the key before the cut.

    The first `n_first` samples, whose value is missing, are not cut from the others: the same cut,
    with the missing ones on the right, is tried where they stand last.
    """
    if family == MEDIANS:
        return sweep_medians(rules, samples, scratch, start, n, n_first, weight, limits)
    keys, left, centre, w = scratch.keys, scratch.left, scratch.centre, samples.w
    criterion, best, where, weight_left = rules.criterion, -np.inf, -1, 0.0
    left[:] = 0.0
    for i in range(n - 1):
        # <move>: One sample joins the left child.
        place = place_of(keys[i])
        weight_left += w[place]
        if family == CLASSES:
            left[0, np.uintp(samples.Y[0, place])] += w[place]
        else:
            origin = criteria.origin(criterion, centre[0])
            left[0, 0] += w[place] * (samples.Y[0, place] - origin)
        # <compare>: A cut that the rules allow, and the limits.
        weight_right = weight - weight_left
        cut = i >= n_first and criteria.is_cut(keys, i, n, rules.min_samples_leaf)
        if not (cut and min(weight_left, weight_right) >= rules.min_weight_leaf):
            continue
        if not allows_sums(family, criterion, scratch, (weight_left, weight_right), limits):
            continue
        if family == CLASSES:
            total = scratch.total
            score = criteria.score_classes(criterion, left, total, weight_left, weight_right)
        else:
            score = criteria.score_numbers(criterion, left, centre, weight_left, weight_right, 0.0)
        if score > best:
            best, where = score, i
    return best, where


@njit(part=True)
def sweep_medians(rules, samples, scratch, start, n, n_first, weight, limits):
    """Return the same for the absolute error."""
    criteria.sum_deviations(samples, scratch, start, n)
    keys, costs, medians = scratch.keys, scratch.costs, scratch.medians
    for end in range(2):
        find_medians(end, keys, n, start, scratch.chain, scratch.links, scratch.sides, medians[end])
    best, where, left = -np.inf, -1, 0.0
    for i in range(n - 1):
        left += samples.w[place_of(keys[i])]
        cut = i >= n_first and criteria.is_cut(keys, i, n, rules.min_samples_leaf)
        if not (cut and min(left, weight - left) >= rules.min_weight_leaf):
            continue
        score = -costs[0, i] - costs[1, i + 1]
        if score > best and allows(limits, medians[0, i], medians[1, i + 1]):
            best, where = score, i
    return best, where


@njit(part=True)
def find_medians(end, keys, n, start, chain, links, sides, medians):
    """Write the median of keys 0 to i (end 0), or of i to n - 1 (end 1), to ``medians[i]``.

    As ``criteria.add_costs`` does with deviations: all leave the chain, and return one by one.
    """
    for s in range(n):
        x = links[2, place_of(keys[n - 1 - s if end == 0 else s]) - np.uintp(start)]
        before, after = links[0, x], links[1, x]
        links[1, before], links[0, after] = after, before
    sides[:] = 0.0
    median, y, w = x, chain[0], chain[1]
    for s in range(n):
        i = s if end == 0 else n - 1 - s
        x = links[2, place_of(keys[i]) - np.uintp(start)]
        links[1, links[0, x]], links[0, links[1, x]] = x, x
        median = criteria.move_median(x, median, chain, links, sides)
        # <half>: Where half of the weight is met exactly, the median is in the middle of two.
        medians[i] = y[median]
        for side in range(2):
            if sides[0, side] == sides[0, 1 - side] + w[median]:
                medians[i] = 0.5 * y[median] + 0.5 * y[links[side, median]]


@njit(inline=True)
def clip_value(nodes, node):
    """Clip a node's value to its limits. The shares of two classes sum to one."""
    value = nodes.value[node, 0]
    value[0] = max(nodes.limits[node, LOW], min(value[0], nodes.limits[node, HIGH]))
    if value.size == 2:
        value[1] = 1.0 - value[0]
