"""Brute force: every query against every point, in tiles that fit the cache.

For the Euclidean distance the tiles are matrix products. Expanding the square,

    ||x - q||^2 = 2 (||x||^2 / 2 - q.x) + ||q||^2,

the part in parentheses, the *score* of x, orders the points as the distance does, and BLAS computes
a tile of scores close to the speed of the machine. But expanded squares cancel: their rounding
error is set by the norms, not by the distance. So scores only preselect. Each comes with a bound
on its error; whoever could be among the k nearest within that bound stays a candidate, and the
candidates' distances are computed by difference. The scores can therefore be in float32, whatever
the data are. Queries with too many candidates are computed again in float64, and if
that does not separate them either, by difference against every point.
"""

import math
from typing import NamedTuple

import numpy as np

from litlearn._jit import njit
from litlearn._parallel import map_blocks
from litlearn.neighbors._metrics import EUCLIDEAN, block_distances
from litlearn.neighbors._selection import (
    EMPTY_IDS,
    NOBODY,
    grow,
    heap_push,
    heap_sort,
    offer,
    reset_heap,
)

QUERY_ROWS = 512  # queries of a block
TILE_ROWS = 1024  # points of a tile of scores
BLOCK_ROWS = 128  # points of a block of distances by difference
SCREEN = 64  # scores looked at together
FEW_QUERIES = 8  # below this, converting the points costs more than the products save
FEW_FEATURES = 5  # below this, distances by difference cost no more than selecting from scores
TOO_MANY = -1
FARTHEST = {np.float32: 1e15, np.float64: 1e140}  # norms of queries, in radii of the data


# ------------------------------------------------------------------ by difference


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
    code, order, w = metric
    n, p = X.shape
    block = np.empty(p * BLOCK_ROWS, X.dtype)
    values = np.empty(BLOCK_ROWS)
    for i in range(Q.shape[0]):
        reset_heap(best[i], best_index[i], n)
    for start in range(0, n, BLOCK_ROWS):
        count = min(BLOCK_ROWS, n - start)
        transpose_rows(X, EMPTY_IDS, start, count, block)
        for i in range(Q.shape[0]):
            block_distances(code, order, w, Q[i], block, 0, count, values)
            offer(values, count, EMPTY_IDS, start, skip[i], best[i], best_index[i])
    for i in range(Q.shape[0]):
        heap_sort(best[i], best_index[i])


@njit
def radius_by_difference(metric, X, Q, bounds, skip):
    """Points within reach of each query: counts (m,), and indices and distances, query by query.

    X (n, p); Q (m, p) float64; bounds (m,): largest reduced distance that counts; skip (m,).
    """
    code, order, w = metric
    n, p = X.shape
    counts = np.zeros(Q.shape[0], dtype=np.intp)
    query, index = np.empty(256, dtype=np.intp), np.empty(256, dtype=np.intp)
    reduced, total = np.empty(256), 0
    block, values = np.empty(p * BLOCK_ROWS, X.dtype), np.empty(BLOCK_ROWS)
    for start in range(0, n, BLOCK_ROWS):
        count = min(BLOCK_ROWS, n - start)
        transpose_rows(X, EMPTY_IDS, start, count, block)
        for i in range(Q.shape[0]):
            block_distances(code, order, w, Q[i], block, 0, count, values)
            if total + count > index.size:
                query, index = grow(query, total + count), grow(index, total + count)
                reduced = grow(reduced, total + count)
            for c in range(count):
                if values[c] <= bounds[i] and start + c != skip[i]:
                    query[total], index[total], reduced[total] = i, start + c, values[c]
                    total += 1
                    counts[i] += 1
    # <gather>: what was found block by block is put in order, query by query.
    position = np.cumsum(counts) - counts
    found, found_reduced = np.empty(total, dtype=np.intp), np.empty(total)
    for t in range(total):
        place = position[query[t]]
        found[place], found_reduced[place] = index[t], reduced[t]
        position[query[t]] += 1
    return counts, found, found_reduced


# ------------------------------------------------------------------ by matrix products


@njit
def load_points(X, start, count, center, scale, tile):
    """Centre, scale and round points for the product; append half the squared norm.

    X (n, p); center (p,); tile (rows, p + 1), float32 or float64. Returns the largest norm.
    """
    p = X.shape[1]
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
def load_queries(Q, center, scale, tile, norms):
    """Centre, scale, negate and round queries; append 1, which picks up the half norm."""
    p = Q.shape[1]
    for i in range(Q.shape[0]):
        total = 0.0
        for j in range(p):
            value = (Q[i, j] - center[j]) * scale
            tile[i, j] = -value
            total += value * value
        tile[i, p] = 1.0
        norms[i] = math.sqrt(total)


@njit
def preselect(scores, start, errors, skip, upper, upper_index, lower, candidate, n_candidates):
    """Keep every point of a tile that could be among the k nearest.

    scores (m, count): scores of the points start, ..., start + count - 1, right to within
    errors (m,). upper, upper_index (m, k): heap of the k smallest upper bounds so far.
    lower, candidate (m, capacity): lower bounds and indices of the candidates, n_candidates (m,) of
    them; TOO_MANY marks a query that the scores cannot decide.
    """
    count, capacity = scores.shape[1], lower.shape[1]
    limits = np.empty(1, scores.dtype)
    for i in range(scores.shape[0]):
        row, error, held, leave_out = scores[i], errors[i], n_candidates[i], skip[i] - start
        heap, heap_index = upper[i], upper_index[i]
        for first in range(0, count, SCREEN):
            if held == TOO_MANY:
                break
            # <screen>: only a score below the k-th upper bound plus its own error can matter.
            limits[0] = heap[0] + error
            limit, length = limits[0], min(SCREEN, count - first)
            if count_up_to(row, first, length, limit) == 0:
                continue
            # <keep>: stay a candidate by the lower bound, move the bar by the upper bound.
            if held + SCREEN > capacity:
                held = drop_hopeless(lower[i], candidate[i], held, heap[0])
                if held + SCREEN > capacity:
                    held = TOO_MANY
                    continue
            for c in range(first, first + length):
                if row[c] <= limit and c != leave_out:
                    score = np.float64(row[c])
                    lower[i, held], candidate[i, held] = score - error, start + c
                    held += 1
                    if score + error < heap[0]:
                        heap_push(heap, heap_index, score + error, start + c)
        n_candidates[i] = held


@njit(inline=True)
def count_up_to(row, first, length, limit):
    """How many of row[first], ..., row[first + length - 1] are at most `limit`."""
    hits, begin = 0, np.uintp(first)  # unsigned: no test for a negative index
    for c in range(np.uintp(length)):
        hits += row[begin + c] <= limit
    return hits


@njit
def drop_hopeless(lower, candidate, held, bar):
    """Remove candidates whose lower bound exceeds the bar; return how many remain."""
    kept = 0
    for c in range(held):
        if lower[c] <= bar:
            lower[kept], candidate[kept] = lower[c], candidate[c]
            kept += 1
    return kept


@njit
def rank_candidates(metric, X, Q, upper, lower, candidate, n_candidates, best, best_index):
    """Distances of the candidates by difference, and the k nearest of them, ascending.

    X (n, p); Q (m, p) float64; the other arrays as in preselect and knn_by_difference.
    """
    code, order, w = metric
    n, p = X.shape
    block = np.empty(p * lower.shape[1], X.dtype)
    values = np.empty(lower.shape[1])
    for i in range(Q.shape[0]):
        if n_candidates[i] == TOO_MANY:
            continue
        held = drop_hopeless(lower[i], candidate[i], n_candidates[i], upper[i, 0])
        transpose_rows(X, candidate[i], 0, held, block)
        block_distances(code, order, w, Q[i], block, 0, held, values)
        reset_heap(best[i], best_index[i], n)
        offer(values, held, candidate[i], 0, NOBODY, best[i], best_index[i])
        heap_sort(best[i], best_index[i])


# ------------------------------------------------------------------ solvers


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
    unit, unit64 = np.finfo(dtype).eps / 2, np.finfo(np.float64).eps / 2
    with np.errstate(over="ignore"):
        rounding = (p + 8) * (unit + 2 * unit64) * np.square(norms + radius) / 2
        underflow = p * np.finfo(dtype).tiny * (1 + norms) + p * np.float64(5e-324) * scale**2
    return rounding + underflow


def knn_by_products(metric, scaling, X, Q, dtype, skip, best, best_index):
    """The k nearest by matrix products; returns the rows of Q that the scores cannot decide.

    X (n, p); Q (m, p) float64; dtype: precision of the products; skip (m,); best, best_index
    (m, k): output. Implements :eq:`eq-expanded-square`.
    """
    (n, p), (m, k) = X.shape, best.shape
    capacity = min(n, 4 * k + 128) + SCREEN
    upper, upper_index = np.full((m, k), np.inf), np.full((m, k), n)
    lower, candidate = np.empty((m, capacity)), np.empty((m, capacity), dtype=np.intp)
    n_candidates = np.zeros(m, dtype=np.intp)
    # <queries>: one row a query, negated, with a 1 that picks up the half norm of each point.
    queries, norms = np.empty((m, p + 1), dtype=dtype), np.empty(m)
    load_queries(Q, scaling.center, scaling.scale, queries, norms)
    # A query so far away that its products leave the range of the dtype is handed on.
    is_far = ~(norms < FARTHEST[dtype])
    queries[is_far], norms[is_far], n_candidates[is_far] = 0.0, 0.0, TOO_MANY
    points, scores = np.empty((TILE_ROWS, p + 1), dtype=dtype), np.empty(m * TILE_ROWS, dtype=dtype)
    # <tiles>: product, bound, selection; nothing of size n by m is ever held.
    for start in range(0, n, TILE_ROWS):
        count = min(TILE_ROWS, n - start)
        tile_scores = scores[: m * count].reshape(m, count)
        radius = load_points(X, start, count, scaling.center, scaling.scale, points)
        np.dot(queries, points[:count].T, out=tile_scores)
        errors = score_errors(dtype, p, norms, radius, scaling.scale)
        preselect(
            tile_scores, start, errors, skip, upper, upper_index, lower, candidate, n_candidates
        )
    rank_candidates(metric, X, Q, upper, lower, candidate, n_candidates, best, best_index)
    return np.flatnonzero(n_candidates == TOO_MANY)


def knn(metric, X, Q, k, *, exclude_self=False, n_jobs=None):
    """The k nearest points of each query, by brute force.

    Parameters
    ----------
    metric : Metric
    X : ndarray of shape (n, p), float32 or float64, C order
        Points.
    Q : ndarray of shape (m, p), float32 or float64, C order
        Queries.
    k : int
        Number of neighbours, at most n (n - 1 with exclude_self).
    exclude_self : bool, default=False
        Query i is point i, and is left out of its own neighbours.
    n_jobs : int or None, default=None

    Returns
    -------
    reduced : ndarray of shape (m, k), float64
        Reduced distances, ascending; ties by index.
    index : ndarray of shape (m, k), intp

    Notes
    -----
    Implements :eq:`eq-k-neighborhood`. O(n m p) time, O(1) memory beyond the result (a few MB of
    tiles a thread).
    """
    (n, p), m = X.shape, Q.shape[0]
    best, best_index = np.empty((m, k)), np.empty((m, k), dtype=np.intp)
    skip = np.arange(m) if exclude_self else np.full(m, NOBODY)
    by_products = metric.code == EUCLIDEAN and m >= FEW_QUERIES and p >= FEW_FEATURES
    scaling = fit_scaling(X) if by_products else None

    def search(rows):
        # <ladder>: float32 scores first, then float64, then distances; each for what is left.
        for dtype in (np.float32, np.float64) if scaling else ():
            if rows.size:
                out = np.empty((rows.size, k)), np.empty((rows.size, k), dtype=np.intp)
                queries = Q[rows].astype(np.float64)
                left = knn_by_products(metric, scaling, X, queries, dtype, skip[rows], *out)
                best[rows], best_index[rows] = out
                rows = rows[left]
        for some in row_blocks(rows, rows_by_difference(n, p)):
            out = np.empty((some.size, k)), np.empty((some.size, k), dtype=np.intp)
            knn_by_difference(metric, X, Q[some].astype(np.float64), skip[some], *out)
            best[some], best_index[some] = out

    blocks = row_blocks(np.arange(m), QUERY_ROWS if scaling else rows_by_difference(n, p))
    map_blocks(lambda b: search(blocks[b]), len(blocks), n_jobs)
    return best, best_index


def row_blocks(rows, size):
    """Cut an array of row numbers into blocks of at most `size`."""
    return [rows[start : start + size] for start in range(0, rows.size, size)]


def rows_by_difference(n, p):
    """Queries in a block of distances by difference: about 50 ms of work."""
    return max(1, min(QUERY_ROWS, 500_000_000 // (n * p)))


def radius(metric, X, Q, bounds, *, exclude_self=False, n_jobs=None):
    """All points within a radius of each query, by brute force.

    Parameters
    ----------
    metric : Metric
    X : ndarray of shape (n, p), float32 or float64, C order
    Q : ndarray of shape (m, p), float32 or float64, C order
    bounds : ndarray of shape (m,), float64
        Largest reduced distance that counts, for each query.
    exclude_self : bool, default=False
        Query i is point i, and is left out of its own neighbours.
    n_jobs : int or None, default=None

    Returns
    -------
    list of (queries, counts, index, reduced)
        One for each block of queries: their rows in Q, the number of neighbours of each, and the
        neighbours' indices and reduced distances, query after query.

    Notes
    -----
    Implements :eq:`eq-radius-neighborhood`. O(n m p) time; memory for the result.
    """
    n, p = X.shape
    skip = np.arange(Q.shape[0]) if exclude_self else np.full(Q.shape[0], NOBODY)
    blocks = row_blocks(np.arange(Q.shape[0]), rows_by_difference(n, p))

    def search(b):
        rows = blocks[b]
        queries = Q[rows].astype(np.float64)
        return rows, *radius_by_difference(metric, X, queries, bounds[rows], skip[rows])

    return map_blocks(search, len(blocks), n_jobs)
