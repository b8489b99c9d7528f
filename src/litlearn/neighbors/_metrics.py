"""What searches know of a metric beside its distances: bounds for regions, and the final root.

The bounds add up their terms in the order of `litlearn._core.distances.block_distances`, so that a
bound that holds on paper holds for the computed numbers too.
"""

import numpy as np

from litlearn._core import pickles
from litlearn._core.distances import CHEBYSHEV, EUCLIDEAN, HAMMING, MANHATTAN, MINKOWSKI, power
from litlearn._core.jit import njit

EPSILON = 2.0**-52

__getattr__ = pickles.gone(__name__, "Metric")  # of 0.1.0


@njit(inline=True)
def box_distance(metric, q, low, high, node):
    """Reduced distance from q to the box of a node: a lower bound for every point inside.

    q (p,); low, high (n_nodes, p): corners; all float64. Implements :eq:`eq-box-bound`. The sum has
    the order of block_distances, and rounding keeps order: so the computed bound never exceeds the
    computed distance of a point in the box.
    """
    if metric.code != EUCLIDEAN:
        return other_box_distance(metric, q, low, high, node)
    # <gaps>: how far the query is outside of the box, feature by feature.
    total = 0.0
    for j in range(q.size):
        gap = max(max(low[node, j] - q[j], q[j] - high[node, j]), 0.0)
        total += gap * gap
    return total


@njit(helper=True)
def other_box_distance(metric, q, low, high, node):
    """As box_distance, for every other metric: apart, so that the common loop stays small."""
    total = 0.0
    for j in range(q.size):
        gap = max(max(low[node, j] - q[j], q[j] - high[node, j]), 0.0)
        total = add_term(metric, j, gap, total)
    # Rounding keeps the order of sums and squares. The general power does not promise to.
    return total * (1 - slack(metric, q.size)) if metric.code == MINKOWSKI else total


@njit(inline=True)
def box_distances(metric, q, low, high, offset, count, out):
    """As box_distance, for the boxes of a bucket's leaves, stored as the points of a block are.

    Feature j of the lower corners: low[offset + j * count:offset + (j + 1) * count]; high as low.
    """
    for i in range(count):
        out[i] = 0.0
    for j in range(q.size):
        q_j, start = q[j], np.uintp(offset + j * count)
        if metric.code == EUCLIDEAN:
            for i in range(np.uintp(count)):
                gap = max(max(low[start + i] - q_j, q_j - high[start + i]), 0.0)
                out[i] += gap * gap
        else:
            for i in range(np.uintp(count)):
                gap = max(max(low[start + i] - q_j, q_j - high[start + i]), 0.0)
                out[i] = add_term(metric, j, gap, out[i])
    if metric.code == MINKOWSKI:  # as in other_box_distance
        for i in range(count):
            out[i] *= 1 - slack(metric, q.size)


@njit(helper=True)
def far_box_distance(metric, q, low, high, node):
    """Reduced distance from q to the farthest corner of a node's box: an upper bound.

    Arrays as in box_distance, and as safe from rounding.
    """
    total = 0.0
    for j in range(q.size):
        reach = max(abs(q[j] - low[node, j]), abs(high[node, j] - q[j]))
        total = add_term(metric, j, reach, total)
    return total * (1 + slack(metric, q.size)) if metric.code == MINKOWSKI else total


@njit(inline=True)
def slack(metric, p):
    """Relative error, generously, of a computed distance in p dimensions.

    The root of a general order is a power with a rounded exponent. Its relative error grows with
    the logarithm of the number, which is at most 745 in size.
    """
    return (p + (1040 if metric.code == MINKOWSKI else 16)) * EPSILON


@njit(inline=True)
def add_term(metric, j, difference, total):
    """Add the term of feature j, for a difference >= 0, to a reduced distance."""
    code, order, w = metric
    if w[j] == 0.0:  # the difference may overflow, and 0 times infinity is not a number
        return total
    if code == EUCLIDEAN:
        return total + difference * difference
    if code == MANHATTAN:
        return total + difference
    if code == CHEBYSHEV:
        return max(total, w[j] * difference)
    return total + w[j] * power(difference, order)


def reduced_to_distance(metric, reduced):
    """Distances from reduced distances (any shape).

    Implements the root in :eq:`eq-minkowski` and the division in :eq:`eq-hamming`.
    """
    if metric.code == EUCLIDEAN:
        return np.sqrt(reduced)
    if metric.code == MINKOWSKI:
        return reduced ** (1.0 / metric.p)
    if metric.code == HAMMING:
        return reduced / metric.w.size
    return reduced


def largest_reduced(to_distance, r, guess):
    """Largest reduced distances whose distances do not exceed r.

    With it, ``distance <= r`` can be decided before the root is taken, and still agrees with the
    distances that are returned.

    Parameters
    ----------
    to_distance : callable
        From reduced distances to distances; never decreasing.
    r, guess : ndarray of shape (m,), float64
        Radii, and the reduced distances that belong to them up to rounding.
    """
    if (r == np.inf).all():
        return np.full(r.shape, np.inf)
    # The root maps many neighbouring floats to one: bracket the bound, then halve the bracket.
    largest = np.finfo(np.float64).max
    with np.errstate(over="ignore"):
        # A square is as near as the first width says; not all powers are.
        for width in (1e-14, 1e-9):
            low = np.minimum(guess, largest) * (1 - width)
            high = np.minimum(guess * (1 + width) + 1e-300, largest)
            if ((to_distance(low) <= r) & (to_distance(high) > r)).all():
                break
    low[to_distance(low) > r] = 0.0
    for _ in range(64):
        middle = low + (high - low) / 2
        if ((middle <= low) | (middle >= high)).all():  # no number is left between them
            break
        inside = to_distance(middle) <= r
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    bound = np.where(to_distance(high) <= r, high, low)
    bound[np.isinf(r)] = np.inf
    bound[r < 0] = -1.0  # nothing is within a negative radius
    return bound


def distance_to_reduced(metric, r):
    """Reduced distances that correspond to the distances r, up to rounding."""
    if metric.code == EUCLIDEAN:
        return np.square(r)
    if metric.code == MINKOWSKI:
        return np.power(r, metric.p)
    if metric.code == HAMMING:
        return np.multiply(r, metric.w.size)
    return np.array(r, dtype=float)


def lost_to_underflow(metric):
    """Distance that may be missing because small powers underflow or lose digits."""
    if metric.code != MINKOWSKI:
        return 1e-150
    tiny = 2 * np.finfo(np.float64).tiny * np.maximum(metric.w, 1.0).sum()
    return float(tiny ** (1.0 / metric.p))
