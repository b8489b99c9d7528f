"""Searches in tiles: the distances of some queries to all points at once, then the nearest of them.

What compiled code does not measure is measured here: metrics that SciPy has, data with gaps, sparse
data, functions and objects of the user's, and distances that the user has computed. A *measure* is
a function of queries (m, p) and points (n, p) that returns their distances, (m, n). How the nearest
are chosen does not depend on it: in the order of (distance, index), as everywhere.
"""

import functools
import operator

import numpy as np

from litlearn._core.distances import range_scale
from litlearn._core.jit import njit
from litlearn._core.parallel import cut, fold_blocks
from litlearn._core.selection import EMPTY_IDS, NOBODY, heap_sort, offer, reset_heap

TILE = 2**20  # distances of a tile: 8 MB
PAIRS = 2**16  # pairs of sparse rows that are measured together
CLOSE = 1e-3  # of the size of two vectors; nearer ones lose too many digits in a product

BOOLEAN = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
BY_SCIPY = ("braycurtis", "canberra", *BOOLEAN)
WEIGHTED = (*BY_SCIPY, "chebyshev", "correlation", "hamming", "sqeuclidean")  # those that take w
BY_TILES = (*BY_SCIPY, "nan_euclidean", "precomputed")
SPARSE = ("cityblock", "cosine", "euclidean", "l1", "l2", "manhattan", "precomputed")


# ---------------------------------------------------------------------------------------------
# Measures


def measure_by_name(name, params, sparse):
    """The measure for a metric: a name, a function, or a ``DistanceMetric``; and its parameters."""
    if is_distance_metric(name):
        return functools.partial(by_object, name)
    if callable(name):
        return functools.partial(by_function, name)
    if name == "precomputed":
        return as_given
    if name == "nan_euclidean":
        return by_known_features
    if sparse:
        return functools.partial(by_sparse_products, name)
    return functools.partial(by_scipy, name, params)


def is_distance_metric(metric):
    """Tell whether a metric is one of scikit-learn's objects."""
    return hasattr(metric, "pairwise") and hasattr(metric, "rdist_to_dist")


def by_scipy(name, params, Q, X):
    """Distances by ``scipy.spatial.distance.cdist``; numbers that are not 0 count as true."""
    from scipy.spatial.distance import cdist

    if name in BOOLEAN:
        Q, X = Q != 0, X != 0
    return cdist(Q, X, name, **params)


def by_object(metric, Q, X):
    """Distances by an object of scikit-learn's class ``DistanceMetric``."""
    dtype = np.float32 if type(metric).__name__.endswith("32") else np.float64
    return metric.pairwise(Q.astype(dtype), X.astype(dtype))


def by_function(metric, Q, X):
    """Distances by the user's function of two rows: one call for each pair."""
    rows_q, rows_x = rows_of(Q), rows_of(X)
    tile = [[metric(q, x) for x in rows_x] for q in rows_q]
    try:
        tile = np.array(tile, dtype=np.float64)
    except (TypeError, ValueError) as error:
        message = f"metric: the callable returned {tile[0][0]!r}; expected a number."
        raise TypeError(message) from error
    if np.isnan(tile).any():
        point = np.flatnonzero(np.isnan(tile).any(axis=0))[0]
        raise ValueError(f"metric: the callable returned NaN for point {point}; expected a number.")
    return tile


def rows_of(X):
    """The rows of an array, each of one dimension; or of a sparse one, each of shape (1, p)."""
    return list(X) if isinstance(X, np.ndarray) else [X[[i]] for i in range(X.shape[0])]


def as_given(Q, X):
    """Distances that are known: row i of Q holds those from query i to all points."""
    return Q


def by_known_features(Q, X):
    """Euclidean distances over the features that both vectors have, (m, n), NaN if there are none.

    The sum of squares is scaled up to all p features, as though the missing ones were average.
    """
    scale = range_scale(X[~np.isnan(X)], 2.0)
    Q, X = Q * scale, X * scale
    squares, known = np.zeros((len(Q), len(X))), np.zeros((len(Q), len(X)))
    for q, x in zip(Q.T.astype(np.float64), X.T, strict=True):
        difference = q[:, np.newaxis] - x
        is_known = ~np.isnan(difference)
        squares += np.where(is_known, difference, 0.0) ** 2
        known += is_known
    with np.errstate(invalid="ignore"):
        return np.sqrt(squares / known * Q.shape[1]) / scale


# ---------------------------------------------------------------------------------------------
# Sparse data


def by_sparse_products(name, Q, X):
    """Distances between the rows of CSR arrays in float64: euclidean, manhattan or cosine.

    From sums over the stored values alone. Such a sum cancels where two vectors are close, so close
    pairs are measured again, by difference. For the cosine the rows are unit vectors.
    """
    differs = absolute if name in ("manhattan", "l1", "cityblock") else squared
    scale = range_scale(X, 2.0) if differs is squared and name != "cosine" else 1.0
    if scale != 1.0 and range_scale(Q * scale, 2.0) == 1.0:
        return by_sparse_products(name, Q * scale, X * scale) / scale
    size = sparse_row_sums(differs(Q))[:, np.newaxis] + sparse_row_sums(differs(X))
    if name == "cosine":
        size[:] = 2.0  # without rounding: rows with nothing in common are then at equal distances
    if differs is squared:
        tile = size - 2 * (Q @ X.T).toarray()
    else:
        tile = np.array([manhattan_row(q, X) for q in rows_of(Q)])
    rows, columns = np.nonzero(tile < CLOSE * size)
    for start in range(0, len(rows), PAIRS):
        i, j = rows[start : start + PAIRS], columns[start : start + PAIRS]
        tile[i, j] = sparse_row_sums(differs(Q[i] - X[j]))
    if name == "cosine":
        return tile / 2
    return np.sqrt(tile) if differs is squared else tile


def absolute(X):
    """Sizes of the entries of a sparse array."""
    return abs(X)


def squared(X):
    """Squares of the entries of a sparse array."""
    return X.multiply(X)


def sparse_row_sums(X):
    """Sums of the rows of a sparse array, (n,)."""
    return np.asarray(X.sum(axis=1)).ravel()


def manhattan_row(q, X):
    """Manhattan distances from q, CSR of shape (1, p), to the rows of X: O(stored values of X)."""
    here = q.toarray().ravel()[X.indices]
    extra = X.copy()
    extra.data = np.abs(X.data - here) - np.abs(here)
    return abs(q).sum() + sparse_row_sums(extra)


# ---------------------------------------------------------------------------------------------
# Searches


@njit
def select(tile, skip, best, best_index):
    """The k nearest of each row of a tile, ascending.

    tile (m, n) float64; skip (m,): index left out for each row, or NOBODY; best (m, k) float64 and
    best_index (m, k): output.
    """
    n = tile.shape[1]
    for i in range(tile.shape[0]):
        reset_heap(best[i], best_index[i], n)
        offer(tile[i], n, EMPTY_IDS, 0, skip[i], best[i], best_index[i])
        heap_sort(best[i], best_index[i])


def knn(measure, Q, X, k, *, exclude_self=False, n_jobs=None):
    """The k nearest points of each query; a distance that is not a number counts as infinite.

    Parameters
    ----------
    measure : callable
        See `measure_by_name`.
    Q, X : ndarray or CSR array of shape (m, p) and (n, p)
    k : int
    exclude_self : bool, default=False
        Query i is point i, and is left out of its own neighbours.
    n_jobs : int or None, default=None

    Returns
    -------
    distances : ndarray of shape (m, k), float64
        Ascending; ties by index.
    index : ndarray of shape (m, k), intp

    Notes
    -----
    Implements :eq:`eq-k-neighborhood`. O(n m p) time, a few tiles of memory for each thread.
    """
    m, n = Q.shape[0], X.shape[0]
    best, best_index = np.empty((m, k)), np.empty((m, k), dtype=np.intp)
    skip = np.arange(m) if exclude_self else np.full(m, NOBODY)

    def search(rows):
        tile = np.array(measure(Q[rows], X), dtype=np.float64, order="C")
        tile[np.isnan(tile)] = np.inf
        select(tile, skip[rows], best[rows], best_index[rows])

    fold_blocks(search, None, cut(m, TILE // n), n_jobs, work=m * n * Q.shape[1])
    return best, best_index


def radius(measure, Q, X, r, *, exclude_self=False, n_jobs=None):
    """All points within a radius of each query; one whose distance is not a number is not.

    Parameters
    ----------
    measure, Q, X, exclude_self, n_jobs
        As in `knn`.
    r : ndarray of shape (m,)
        A radius for each query.

    Returns
    -------
    list of (queries, counts, index, distances)
        As `_brute.radius` returns it.

    Notes
    -----
    Implements :eq:`eq-radius-neighborhood`. O(n m p) time; memory for the result.
    """

    def search(rows):
        tile, queries = measure(Q[rows], X), np.arange(rows.start, rows.stop)
        near = tile <= r[rows, np.newaxis]
        if exclude_self:
            near[np.arange(len(queries)), queries] = False
        index = np.ascontiguousarray(np.nonzero(near)[1])
        return [(queries, near.sum(axis=1), index, tile[near].astype(np.float64))]

    blocks = cut(Q.shape[0], TILE // X.shape[0])
    work = Q.shape[0] * X.shape[0] * Q.shape[1]
    return fold_blocks(search, operator.iadd, blocks, n_jobs, initial=[], work=work)
