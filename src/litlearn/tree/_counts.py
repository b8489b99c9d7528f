"""Counting the samples of a node by code and class, where the codes of a feature are few.

Where weights are whole numbers, those of a bootstrap for instance, a sample adds two whole numbers:
one to the number of samples, and its weight to their weight. One 64-bit word holds both counts, so
that a sample costs one addition. Whole numbers are exact in any order.
"""

import numpy as np

from litlearn._core.jit import njit
from litlearn.tree._sort import HALF, LOWER

FULL = 2**32  # a weight that half a word no longer holds


@njit(part=True)
def count_samples(codes, samples, stretch, missing, counts):
    """Fill `counts` (n_codes * n_groups,) with the samples of a stretch (start, end).

    Returns how many of their values are present, or -1 if all have the same code. Missing ones have
    the code `missing`.
    """
    records, groups, steps = samples.records, samples.groups, samples.steps
    n_groups, (start, stop) = np.uintp(samples.n_groups), stretch
    counts[:] = 0
    # <add>: The upper half of a step is the weight, the lower half is one.
    for i in range(start, stop):
        kind = np.uintp(records[i] >> HALF)
        code = np.uintp(codes[np.uintp(records[i] & LOWER)])
        counts[code * n_groups + np.uintp(groups[kind])] += steps[kind]
    # <present>: What has the code of missing values is not.
    n_filled, n_present = 0, stop - start
    for b in range(counts.size // samples.n_groups):
        n_here = np.int64(sum_of_groups(counts, samples.n_groups, b) & LOWER)
        n_filled += n_here > 0
        n_present -= n_here if b == missing else 0
    return n_present if n_filled > 1 else -1


@njit(inline=True)
def sum_of_groups(counts, n_groups, b):
    """Return both counts of code b, in one word."""
    both = np.uint64(0)
    for g in range(b * n_groups, (b + 1) * n_groups):
        both += counts[g]
    return both


@njit(part=True)
def sum_counts(counts, samples, n_classes, histogram):
    """Write the sums of each code: number of samples, weight, and weights of all classes."""
    n_groups = samples.n_groups
    n_levels = samples.groups.size // n_groups
    histogram[:] = 0.0
    for b in range(len(histogram)):
        both = sum_of_groups(counts, n_groups, b)
        histogram[b, 0], histogram[b, 1] = both & LOWER, both >> HALF
        for g in range(n_groups):
            for t in range(len(samples.Y)):
                c = np.int64(samples.Y[t, g * n_levels])
                histogram[b, 2 + t * n_classes + c] += counts[b * n_groups + g] >> HALF


@njit(part=True)
def sweep_counts(counts, total, left, first, bounds):
    """Return the best Gini score over all cuts between codes, and the codes on both sides.

    Of one output, whose classes `total` (n_classes,) weighs. `first` is the code that comes first,
    whatever its number. `bounds` are the least number of samples of a child, its least weight, and
    the number of samples. The sums of squares of :eq:`eq-gini-score` are kept up to date.
    """
    n_groups, (least, lightest, n) = total.size, bounds
    n_codes, left[:] = counts.size // n_groups, 0.0
    best, best_below, best_above, below = -np.inf, 0, 0, -1
    n_left, weight_left, squares_left, weight_right, squares_right = 0, 0.0, 0.0, 0.0, 0.0
    for c in range(n_groups):
        weight_right += total[c]
        squares_right += total[c] * total[c]
    for s in range(n_codes):
        # <next>: The missing ones first, if asked for.
        b = s
        if first < n_codes:
            b = np.int64(first) if s == 0 else s - 1
        both = sum_of_groups(counts, n_groups, b)
        if both == 0:
            continue
        # <compare>: A cut before this code. One behind the missing ones is the same as one before
        # them, which was tried.
        enough = (min(n_left, n - n_left) >= least) & (min(weight_left, weight_right) >= lightest)
        if below >= 0 and below != first and enough:
            here = squares_left / weight_left + squares_right / weight_right
            if here > best:
                best, best_below, best_above = here, below, b
        # <move>: All samples with this code join the left child.
        below = b
        n_left += np.int64(both & LOWER)
        weight_left += float(both >> HALF)
        weight_right -= float(both >> HALF)
        for c in range(n_groups):
            weight = float(counts[b * n_groups + c] >> HALF)
            squares_left += weight * (2.0 * left[c] + weight)
            squares_right -= weight * (2.0 * (total[c] - left[c]) - weight)
            left[c] += weight
    return best, best_below, best_above
