"""Distances, computed once and the same way everywhere.

Every search compares *reduced* distances: the distance without its final root, which keeps the
order and costs less. Whatever the algorithm, a reduced distance comes from one function,
:func:`block_distances`, which takes differences of coordinates and adds them up in the order of
the features, in float64. So brute force, the k-d tree and the ball tree agree to the last bit, and
ties between equal distances are real ties.
"""

from typing import NamedTuple

import numpy as np

from litlearn._jit import njit

# A metric is a small code, not a function: compiled code that receives functions is not cached.
EUCLIDEAN = 0
MANHATTAN = 1
CHEBYSHEV = 2
MINKOWSKI = 3
HAMMING = 4
EPSILON = 2.0**-52


class Metric(NamedTuple):
    """What compiled code needs to know of a metric.

    Parameters
    ----------
    code : int
        One of the constants above.
    p : float
        Order of the Minkowski distance.
    w : ndarray of shape (n_features,), float64
        Weights of the Minkowski distance (0 or 1 for its limit, Chebyshev); ones elsewhere.

    Notes
    -----
    Kernels unpack it once and hand on its three fields: taking an array out of a tuple counts a
    reference, which costs more than a distance in few dimensions.
    """

    code: int
    p: float
    w: np.ndarray


@njit(inline=True)
def block_distances(code, order, w, q, blocks, offset, count, out):
    """Reduced distances from q to the points of a block, stored feature after feature.

    q (p,) float64; feature j of the block: blocks[offset + j * count:offset + (j + 1) * count];
    out (>= count,) float64. Implements the sum in :eq:`eq-euclidean`.
    """
    if code != EUCLIDEAN:
        other_block_distances(code, order, w, q, blocks, offset, count, out)
        return
    for i in range(count):
        out[i] = 0.0
    # <accumulate>: the inner loop runs over points, so that one instruction serves several of them.
    # Unsigned positions spare the test for a negative index, which would undo that.
    for j in range(q.size):
        q_j, start = q[j], np.uintp(offset + j * count)
        for i in range(np.uintp(count)):
            difference = q_j - blocks[start + i]
            out[i] += difference * difference


@njit(helper=True)
def other_block_distances(code, order, w, q, blocks, offset, count, out):
    """As block_distances, for every other metric: apart, so that the common loop stays small.

    Implements the sums in :eq:`eq-minkowski`, :eq:`eq-chebyshev` and :eq:`eq-hamming`.
    """
    for i in range(count):
        out[i] = 0.0
    for j in range(q.size):
        q_j, start = q[j], np.uintp(offset + j * count)
        if w[j] == 0.0:  # as in add_term
            continue
        if code == MANHATTAN:
            for i in range(np.uintp(count)):
                out[i] += abs(q_j - blocks[start + i])
        elif code == CHEBYSHEV:
            for i in range(np.uintp(count)):
                out[i] = max(out[i], w[j] * abs(q_j - blocks[start + i]))
        elif code == HAMMING:
            for i in range(np.uintp(count)):
                out[i] += 1.0 if q_j != blocks[start + i] else 0.0
        else:
            for i in range(np.uintp(count)):
                out[i] += w[j] * power(abs(q_j - blocks[start + i]), order)


@njit(inline=True)
def power(difference, order):
    """difference ** order, without the cost of a general power where none is needed."""
    if order == 1.0:
        return difference
    if order == 2.0:
        return difference * difference
    return difference**order


@njit(inline=True)
def box_distance(code, order, w, q, low, high, node):
    """Reduced distance from q to the box of a node: a lower bound for every point inside.

    q (p,); low, high (n_nodes, p): corners; all float64. Implements :eq:`eq-box-bound`. The sum has
    the order of block_distances, and rounding keeps order: so the computed bound never exceeds the
    computed distance of a point in the box.
    """
    if code != EUCLIDEAN:
        return other_box_distance(code, order, w, q, low, high, node)
    total = 0.0
    for j in range(q.size):
        gap = max(max(low[node, j] - q[j], q[j] - high[node, j]), 0.0)
        total += gap * gap
    return total


@njit(helper=True)
def other_box_distance(code, order, w, q, low, high, node):
    """As box_distance, for every other metric: apart, so that the common loop stays small."""
    total = 0.0
    for j in range(q.size):
        gap = max(max(low[node, j] - q[j], q[j] - high[node, j]), 0.0)
        total = add_term(code, order, w, j, gap, total)
    # Rounding keeps the order of sums and squares. The general power does not promise to.
    return total * (1 - slack(code, q.size)) if code == MINKOWSKI else total


@njit(inline=True)
def box_distances(code, order, w, q, low, high, offset, count, out):
    """As box_distance, for the boxes of a bucket's leaves, stored as the points of a block are.

    Feature j of the lower corners: low[offset + j * count:offset + (j + 1) * count]; high as low.
    """
    for i in range(count):
        out[i] = 0.0
    for j in range(q.size):
        q_j, start = q[j], np.uintp(offset + j * count)
        if code == EUCLIDEAN:
            for i in range(np.uintp(count)):
                gap = max(max(low[start + i] - q_j, q_j - high[start + i]), 0.0)
                out[i] += gap * gap
        else:
            for i in range(np.uintp(count)):
                gap = max(max(low[start + i] - q_j, q_j - high[start + i]), 0.0)
                out[i] = add_term(code, order, w, j, gap, out[i])
    if code == MINKOWSKI:  # as in other_box_distance
        for i in range(count):
            out[i] *= 1 - slack(code, q.size)


@njit(helper=True)
def far_box_distance(code, order, w, q, low, high, node):
    """Reduced distance from q to the farthest corner of a node's box: an upper bound.

    Arrays as in box_distance, and as safe from rounding.
    """
    total = 0.0
    for j in range(q.size):
        reach = max(abs(q[j] - low[node, j]), abs(high[node, j] - q[j]))
        total = add_term(code, order, w, j, reach, total)
    return total * (1 + slack(code, q.size)) if code == MINKOWSKI else total


@njit(inline=True)
def slack(code, p):
    """Relative error, generously, of a computed distance in p dimensions.

    The root of a general order is a power with a rounded exponent. Its relative error grows with
    the logarithm of the number, which is at most 745 in size.
    """
    return (p + (1040 if code == MINKOWSKI else 16)) * EPSILON


@njit(inline=True)
def add_term(code, order, w, j, difference, total):
    """Add the term of feature j, for a difference >= 0, to a reduced distance."""
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
    # The root maps many neighbouring floats to one: bracket the bound, then halve the bracket.
    largest = np.finfo(np.float64).max
    with np.errstate(over="ignore"):
        low = np.minimum(guess, largest) * (1 - 1e-9)
        high = np.minimum(guess * (1 + 1e-9) + 1e-300, largest)
    low[to_distance(low) > r] = 0.0
    for _ in range(64):
        middle = low + (high - low) / 2
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
