"""Brute force: every query against every point, in tiles that fit the cache.

What measures the tiles is `litlearn._core.distances`: matrix products with a bound on their error
where the distance is Euclidean, differences of coordinates for the rest and for the final word.
"""

import operator

import numpy as np

from litlearn._core.distances import (
    BLOCK_ROWS,
    EUCLIDEAN,
    block_distances,
    fit_scaling,
    k_nearest,
    transpose_rows,
)
from litlearn._core.jit import njit
from litlearn._core.parallel import cut, fold_blocks
from litlearn._core.selection import EMPTY_IDS, NOBODY, grow

QUERY_ROWS = 512  # queries of a block
FEW_QUERIES = 8  # below this, converting the points costs more than the products save
FEW_FEATURES = 5  # below this, distances by difference cost no more than selecting from scores


@njit
def radius_by_difference(metric, X, Q, bounds, skip):
    """Points within reach of each query: counts (m,), and indices and distances, query by query.

    X (n, p); Q (m, p) float64; bounds (m,): largest reduced distance that counts; skip (m,).
    """
    n, p = X.shape
    query, index = np.empty(256, dtype=np.intp), np.empty(256, dtype=np.intp)
    reduced, total = np.empty(256), 0
    block, values = np.empty(p * BLOCK_ROWS, X.dtype), np.empty(BLOCK_ROWS)
    for start in range(0, n, BLOCK_ROWS):
        count = min(BLOCK_ROWS, n - start)
        transpose_rows(X, EMPTY_IDS, start, count, block)
        for i in range(Q.shape[0]):
            block_distances(metric, Q[i], block, 0, count, values)
            if total + count > index.size:
                query, index = grow(query, total + count), grow(index, total + count)
                reduced = grow(reduced, total + count)
            for c in range(count):
                if values[c] <= bounds[i] and start + c != skip[i]:
                    query[total], index[total], reduced[total] = i, start + c, values[c]
                    total += 1
    return gather_candidates(query[:total], index, reduced, Q.shape[0])


@njit
def gather_candidates(query, index, reduced, m):
    """Put what was found block by block in order, query by query."""
    counts = np.zeros(m, dtype=np.intp)
    for i in query:
        counts[i] += 1
    position = np.cumsum(counts) - counts
    found, found_reduced = np.empty(query.size, dtype=np.intp), np.empty(query.size)
    for t, i in enumerate(query):
        found[position[i]], found_reduced[position[i]] = index[t], reduced[t]
        position[i] += 1
    return counts, found, found_reduced


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
    scaling, by_difference = fit_scaling(X) if by_products else None, rows_by_difference(n, p)

    def search(rows):
        queries = Q[rows].astype(np.float64)
        best[rows], best_index[rows] = k_nearest(
            metric, scaling, X, queries, k, skip[rows], by_difference
        )

    blocks = cut(m, QUERY_ROWS if scaling else by_difference)
    fold_blocks(search, None, blocks, n_jobs, work=n * m * p)
    return best, best_index


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

    def search(rows):
        queries = Q[rows].astype(np.float64)
        found = radius_by_difference(metric, X, queries, bounds[rows], skip[rows])
        return [(np.arange(rows.start, rows.stop), *found)]

    blocks = cut(Q.shape[0], rows_by_difference(n, p))
    return fold_blocks(search, operator.iadd, blocks, n_jobs, initial=[])
