"""Distances: exact by difference, fast by matrix products with a bound on their error.

Two ways to measure how far points are from each other stand beneath every family that asks.

*By difference.* What leaves the library is computed by :func:`block_distances` and nothing else. It
takes differences of coordinates and adds them up in the order of the features, in float64. So all
algorithms agree to the last bit, and ties between equal distances are real ties. It returns
*reduced* distances: without the final root, which keeps the order and costs.

*By matrix products.* Expanding the square of the Euclidean distance,

    ||x - q||^2 = 2 (||x||^2 / 2 - q.x) + ||q||^2,

the part in parentheses, the *score* of x, orders the points as the distance does, and BLAS computes
a tile of scores close to the speed of the machine. But expanded squares cancel: their rounding
error is set by the norms, not by the distance. So scores only preselect. Each comes with a bound
on its error, and whoever could win within that bound is measured again, by difference. The scores
can therefore be in float32, whatever the data are.
"""

import math
from typing import NamedTuple

import numpy as np

from litlearn._core.jit import njit
from litlearn._core.selection import EMPTY_IDS, NOBODY, heap_push, heap_sort, offer, reset_heap

BLOCK_ROWS = 128  # points of a block of distances by difference
LOADED_ROWS = 1024  # points that are prepared for the products together
TILE_ROWS = 256  # points of a tile of scores
SCREEN = 64  # scores looked at together
TOO_MANY = -1
FARTHEST = {np.float32: 1e15, np.float64: 1e140}  # norms of queries, in radii of the data

# A metric is a small code, not a function: compiled code that receives functions is not cached.
EUCLIDEAN = 0
MANHATTAN = 1
CHEBYSHEV = 2
MINKOWSKI = 3
HAMMING = 4


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
    """

    code: int
    p: float
    w: np.ndarray


# ------------------------------------------------------------------ the range of numbers


def range_scale(X, order):
    """A power of two that brings coordinates to where powers of differences keep their digits.

    1.0 unless the largest coordinate is extreme, below 1e-90 or above 1e90 for `order` 2. Products
    with a power of two are exact, so distances have the same digits, and more where the powers
    would have left the range of numbers. Larger queries still have room, up to 1e100 times.
    """
    size = X.data if not isinstance(X, np.ndarray) else X
    largest = float(max(size.max(initial=0.0), -size.min(initial=0.0)))
    exponent, order = math.frexp(largest)[1], max(order, 1.0)
    if not 0.0 < largest < np.inf or abs(exponent) * order <= 600:
        return 1.0
    return math.ldexp(1.0, int(math.copysign(300 / order, exponent)) - exponent)


# ------------------------------------------------------------------ by difference


@njit(inline=True)
def block_distances(metric, q, blocks, offset, count, out):
    """Reduced distances from q to the points of a block, stored feature after feature.

    q (p,) float64; feature j of the block: blocks[offset + j * count:offset + (j + 1) * count];
    out (>= count,) float64. Implements the sum in :eq:`eq-euclidean`.
    """
    if metric.code != EUCLIDEAN:
        other_block_distances(metric, q, blocks, offset, count, out)
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
def other_block_distances(metric, q, blocks, offset, count, out):
    """As block_distances, for every other metric: apart, so that the common loop stays small.

    Implements the sums in :eq:`eq-minkowski`, :eq:`eq-chebyshev` and :eq:`eq-hamming`.
    """
    code, order, w = metric
    for i in range(count):
        out[i] = 0.0
    for j in range(q.size):
        q_j, start = q[j], np.uintp(offset + j * count)
        if w[j] == 0.0:  # the difference may overflow, and 0 times infinity is not a number
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


@njit
def transpose_rows(X, rows, first, count, block):
    """Copy points into a block, feature by feature.

    X (n, p); rows: indices of the points, or empty for the rows first, ... themselves;
    block (p * count,).
    """
    for i in range(count):
        row = rows[first + i] if rows.size else first + i
        for j in range(X.shape[1]):
            block[j * count + i] = X[row, j]


@njit
def knn_by_difference(metric, X, Q, skip, best, best_index):
    """The k nearest of all points, by difference.

    X (n, p); Q (m, p) float64; skip (m,): index left out for each query, or NOBODY;
    best (m, k) float64 and best_index (m, k): output, ascending.
    """
    n, p = X.shape
    block, values = np.empty(p * BLOCK_ROWS, X.dtype), np.empty(BLOCK_ROWS)
    for i in range(Q.shape[0]):
        reset_heap(best[i], best_index[i], n)
    for start in range(0, n, BLOCK_ROWS):
        count = min(BLOCK_ROWS, n - start)
        transpose_rows(X, EMPTY_IDS, start, count, block)
        for i in range(Q.shape[0]):
            block_distances(metric, Q[i], block, 0, count, values)
            offer(values, count, EMPTY_IDS, start, skip[i], best[i], best_index[i])
    for i in range(Q.shape[0]):
        heap_sort(best[i], best_index[i])


@njit
def difference_tile(metric, X, Q, out):
    """Reduced distances of all pairs of queries and points.

    X (n, p); Q (m, p) float64; out (m, n) float64: output.
    """
    n, p = X.shape
    block = np.empty(p * BLOCK_ROWS, X.dtype)
    for start in range(0, n, BLOCK_ROWS):
        count = min(BLOCK_ROWS, n - start)
        transpose_rows(X, EMPTY_IDS, start, count, block)
        for i in range(Q.shape[0]):
            block_distances(metric, Q[i], block, 0, count, out[i, start : start + count])


def unit_rows(X):
    """Rows of X (n, p), dense or CSR, divided by their lengths, in float64; zeros stay zero.

    Each row is first divided by its largest entry, so that squares neither under- nor overflow.
    """
    is_dense = isinstance(X, np.ndarray)
    unit = X.astype(np.float64)
    for measure in (largest_entry, length):
        size = measure(unit)
        size[size == 0] = 1.0
        if is_dense:
            unit /= size[:, np.newaxis]
        else:
            unit.data /= np.repeat(size, np.diff(unit.indptr))
    return unit


def largest_entry(X):
    """Size of the largest entry of each row (n,)."""
    largest = abs(X).max(axis=1)
    return largest if isinstance(X, np.ndarray) else largest.toarray().ravel()


def length(X):
    """Euclidean length of each row (n,)."""
    if isinstance(X, np.ndarray):
        return np.linalg.norm(X, axis=1)
    return np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())


# ------------------------------------------------------------------ scores by matrix products


class Scaling(NamedTuple):
    """Centre and power-of-two scale that bring the points' coordinates to at most about 1."""

    center: np.ndarray
    scale: float


def fit_scaling(X):
    """Scaling of the points X (n, p), or None where squares could leave the range of float64."""
    low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    center = low / 2 + high / 2
    with np.errstate(over="ignore"):
        radius = float(np.linalg.norm(high - center))
    largest = max(np.abs(low).max(), np.abs(high).max())
    if not (radius > 1e-100 and largest < 1e150):
        return None
    return Scaling(center, math.ldexp(1.0, -math.frexp(radius)[1]))


@njit(reassociate=True)  # the bound of the scores holds for any order of the sum
def load_points(X, start, count, scaling, tile):
    """Centre, scale and round points for the product; append half the squared norm.

    X (n, p); tile (rows, p + 1), float32 or float64. Returns the largest norm.
    """
    p = X.shape[1]
    center, scale = scaling
    largest = 0.0
    for i in range(count):
        total = 0.0
        for j in range(p):
            value = (X[start + i, j] - center[j]) * scale
            tile[i, j] = value
            total += value * value
        tile[i, p] = 0.5 * total
        largest = max(largest, total)
    return math.sqrt(largest)


@njit
def load_queries(Q, scaling, tile, norms):
    """Centre, scale, negate and round queries; append 1, which picks up the half norm."""
    p = Q.shape[1]
    center, scale = scaling
    for i in range(Q.shape[0]):
        total = 0.0
        for j in range(p):
            value = (Q[i, j] - center[j]) * scale
            tile[i, j] = -value
            total += value * value
        tile[i, p] = 1.0
        norms[i] = math.sqrt(total)


def score_errors(dtype, p, norms, radius, scale):
    """Bound on the error of scores, for each query.

    Parameters
    ----------
    dtype : float32 or float64
        Precision of the product.
    p : int
        Number of features.
    norms : ndarray of shape (m,)
        Norms of the centred, scaled queries.
    radius : float
        Largest norm of the centred, scaled points of the tile.
    scale : float
        The power of two that coordinates were multiplied by.

    Returns
    -------
    ndarray of shape (m,)

    Notes
    -----
    Implements :eq:`eq-preselection-bound`. The last two terms cover what underflows: products in
    the tile's precision, and squares in the distances by difference.
    """
    # <bound>: what rounding can move, and what underflow can swallow.
    unit, unit64 = np.finfo(dtype).eps / 2, np.finfo(np.float64).eps / 2
    with np.errstate(over="ignore"):
        rounding = (p + 8) * (unit + 2 * unit64) * np.square(norms + radius) / 2
        underflow = p * np.finfo(dtype).tiny * (1 + norms) + p * np.float64(5e-324) * scale**2
    return rounding + underflow


def score_tiles(scaling, X, queries, norms, skip):
    """Scores of all points, tile by tile.

    Parameters
    ----------
    scaling : Scaling
    X : ndarray of shape (n, p), float32 or float64, C order
    queries : ndarray of shape (m, p + 1), float32 or float64
        From `load_queries`; the products have its precision.
    norms : ndarray of shape (m,)
    skip : ndarray of shape (m,)
        Index left out for each query, or NOBODY: its score is infinite.

    Yields
    ------
    start : int
        The tile holds the points start, start + 1, ...
    scores : ndarray of shape (m, count)
        Valid until the next tile. Implements :eq:`eq-expanded-square`.
    errors : ndarray of shape (m,)
        The scores are right to within them.
    """
    (n, p), m, dtype = X.shape, queries.shape[0], queries.dtype.type
    loaded = np.empty((LOADED_ROWS, p + 1), dtype=dtype)
    buffer = np.empty(m * TILE_ROWS, dtype=dtype)
    for first in range(0, n, LOADED_ROWS):
        count = min(LOADED_ROWS, n - first)
        radius = load_points(X, first, count, scaling, loaded)
        errors = score_errors(dtype, p, norms, radius, scaling.scale)
        # <tiles>: a product for each tile; nothing of size n by m is ever held.
        for start in range(0, count, TILE_ROWS):
            points = loaded[start : min(start + TILE_ROWS, count)]
            scores = buffer[: m * len(points)].reshape(m, len(points))
            np.dot(queries, points.T, out=scores)
            leave_out(scores, first + start, skip)
            yield first + start, scores, errors


@njit
def leave_out(scores, start, skip):
    """Make the score of the point that each query leaves out infinite, if it is in the tile."""
    for i in range(scores.shape[0]):
        if 0 <= skip[i] - start < scores.shape[1]:
            scores[i, skip[i] - start] = np.inf


@njit(inline=True)
def count_up_to(row, first, length, limit):
    """How many of row[first], ..., row[first + length - 1] are at most `limit`."""
    hits, begin = 0, np.uintp(first)  # unsigned: no test for a negative index
    for c in range(np.uintp(length)):
        hits += row[begin + c] <= limit
    return hits


# ------------------------------------------------------------------ the k smallest of tiles


class Candidates(NamedTuple):
    """Points that could be among the k nearest of each of m queries.

    Parameters
    ----------
    upper, upper_index : ndarray of shape (m, k)
        Heap of the k smallest upper bounds so far. Its top is the *bar*.
    lower, index : ndarray of shape (m, capacity)
        Lower bounds and indices of the candidates.
    held : ndarray of shape (m,)
        How many there are; TOO_MANY marks a query that the scores cannot decide.
    """

    upper: np.ndarray
    upper_index: np.ndarray
    lower: np.ndarray
    index: np.ndarray
    held: np.ndarray


def no_candidates(m, k, n):
    """Candidates of m queries before the first tile of n points."""
    capacity = min(n, 4 * k + 128) + SCREEN
    upper, upper_index = np.full((m, k), np.inf), np.full((m, k), n)
    lower, index = np.empty((m, capacity)), np.empty((m, capacity), dtype=np.intp)
    return Candidates(upper, upper_index, lower, index, np.zeros(m, dtype=np.intp))


def set_bar(scores, errors, upper):
    """Upper bounds of the k nearest of the first tile, the largest first.

    A selection for all queries at once costs less than moving the bar point by point.
    """
    k = upper.shape[1]
    upper[:] = np.sort(np.partition(scores, k - 1, axis=1)[:, :k], axis=1)[:, ::-1]
    upper += errors[:, np.newaxis]


@njit
def preselect(scores, start, errors, candidates, moving=True):
    """Keep every point of a tile that could be among the k nearest.

    scores (m, count): of the points start, ..., start + count - 1, right to within errors (m,);
    moving: whether these points move the bar, which is not yet theirs.
    """
    upper, held = candidates.upper, candidates.held
    limits = np.empty(1, scores.dtype)
    for i in range(scores.shape[0]):
        for first in range(0, scores.shape[1], SCREEN):
            if held[i] == TOO_MANY:
                break
            # <screen>: only a score below the bar plus its own error can matter.
            limits[0] = upper[i, 0] + errors[i]
            length = min(SCREEN, scores.shape[1] - first)
            if count_up_to(scores[i], first, length, limits[0]) > 0:
                room_for_candidates(candidates, i)
                window = first, length, limits[0], start
                keep(candidates, i, scores[i], window, errors[i], moving)


@njit(inline=True)
def room_for_candidates(candidates, i):
    """Room for SCREEN more candidates of query i, or TOO_MANY."""
    upper, _, lower, index, held = candidates
    if held[i] + SCREEN > lower.shape[1]:
        held[i] = drop_hopeless(lower[i], index[i], held[i], upper[i, 0])
        if held[i] + SCREEN > lower.shape[1]:
            held[i] = TOO_MANY


@njit(inline=True)
def keep(candidates, i, row, window, error, moving):
    """Make the scores of row[first], ..., up to the limit, candidates of query i."""
    upper, upper_index, lower, index, held = candidates
    first, length, limit, start = window
    if held[i] == TOO_MANY:
        return
    # <keep>: stay a candidate by the lower bound, move the bar by the upper bound.
    for c in range(first, first + length):
        if row[c] <= limit:
            score = np.float64(row[c])
            lower[i, held[i]], index[i, held[i]] = score - error, start + c
            held[i] += 1
            if moving and score + error < upper[i, 0]:
                heap_push(upper[i], upper_index[i], score + error, start + c)


@njit(helper=True)
def drop_hopeless(lower, index, held, bar):
    """Remove candidates whose lower bound exceeds the bar; return how many remain."""
    kept = 0
    for c in range(held):
        if lower[c] <= bar:
            lower[kept], index[kept] = lower[c], index[c]
            kept += 1
    return kept


@njit
def rank_candidates(metric, X, Q, candidates, best, best_index):
    """Distances of the candidates by difference, and the k nearest of them, ascending.

    X (n, p); Q (m, p) float64; best, best_index (m, k): output.
    """
    upper, _, lower, index, n_held = candidates
    block, values = np.empty(X.shape[1] * lower.shape[1], X.dtype), np.empty(lower.shape[1])
    for i in range(Q.shape[0]):
        if n_held[i] == TOO_MANY:
            continue
        # <rank>: of those that are still in question, every distance is computed.
        held = drop_hopeless(lower[i], index[i], n_held[i], upper[i, 0])
        transpose_rows(X, index[i], 0, held, block)
        block_distances(metric, Q[i], block, 0, held, values)
        reset_heap(best[i], best_index[i], X.shape[0])
        offer(values, held, index[i], 0, NOBODY, best[i], best_index[i])
        heap_sort(best[i], best_index[i])


def knn_by_products(metric, scaling, X, Q, dtype, skip, best, best_index):
    """The k nearest by matrix products; returns the rows of Q that the scores cannot decide.

    X (n, p); Q (m, p) float64; dtype: precision of the products; skip (m,); best, best_index
    (m, k): output.
    """
    candidates = no_candidates(*best.shape, X.shape[0])
    queries, norms, is_far = prepare_queries(scaling, Q, dtype)
    candidates.held[is_far] = TOO_MANY
    # <select>: from each tile, who could be among the k nearest; of those, by difference, who is.
    for start, scores, errors in score_tiles(scaling, X, queries, norms, skip):
        is_set = start == 0 and best.shape[1] <= scores.shape[1]
        if is_set:
            set_bar(scores, errors, candidates.upper)
        preselect(scores, start, errors, candidates, not is_set)
    rank_candidates(metric, X, Q, candidates, best, best_index)
    return np.flatnonzero(candidates.held == TOO_MANY)


def prepare_queries(scaling, Q, dtype):
    """Queries for the product, their norms, and which are too far away for the range of dtype."""
    m, p = Q.shape
    queries, norms = np.empty((m, p + 1), dtype=dtype), np.empty(m)
    load_queries(Q, scaling, queries, norms)
    is_far = ~(norms < FARTHEST[dtype])
    queries[is_far], norms[is_far] = 0.0, 0.0
    return queries, norms, is_far


# ------------------------------------------------------------------ the k nearest, by all means


def k_nearest(metric, scaling, X, Q, k, skip, by_difference=512):
    """The k nearest points of each query of a block, exactly.

    Parameters
    ----------
    metric : Metric
    scaling : Scaling or None
        None: by difference only; required for metrics that are not Euclidean.
    X : ndarray of shape (n, p), float32 or float64, C order
        Points.
    Q : ndarray of shape (m, p), float64, C order
        Queries.
    k : int
        At most the number of points that are not left out.
    skip : ndarray of shape (m,)
        Index left out for each query, or NOBODY.
    by_difference : int, default=512
        Queries that are measured against all points in one call.

    Returns
    -------
    reduced : ndarray of shape (m, k), float64
        Reduced distances by difference, ascending; ties by index.
    index : ndarray of shape (m, k), intp
    """
    reduced, index = np.empty((Q.shape[0], k)), np.empty((Q.shape[0], k), dtype=np.intp)
    rows = np.arange(Q.shape[0])
    # <ladder>: float32 scores first, then float64, then distances; each for what is left.
    for dtype in (np.float32, np.float64) if scaling else ():
        if rows.size:
            out = reduced[rows], index[rows]
            left = knn_by_products(metric, scaling, X, Q[rows], dtype, skip[rows], *out)
            reduced[rows], index[rows] = out
            rows = rows[left]
    # <rest>: what no product decides, every distance does.
    for start in range(0, rows.size, by_difference):
        some = rows[start : start + by_difference]
        out = reduced[some], index[some]
        knn_by_difference(metric, X, Q[some], skip[some], *out)
        reduced[some], index[some] = out
    return reduced, index
