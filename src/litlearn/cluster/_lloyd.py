"""Lloyd's algorithm: assign each sample to its nearest centre, move each centre to its mean.

The squared distance from a centre is, up to a term of the sample alone, the *score*
``||c||^2 / 2 - x.c``. So a tile of scores is one matrix product, and the nearest centre the
smallest score of a column. One pass over the samples assigns them and sums them up, tile by tile,
while a tile is in the cache; nothing of the size of samples times centres is ever held.

A thread gets a block of many tiles in one call of a compiled function, the products included. With
a call for each tile, two threads that took the lock of Python's interpreter in turn were hardly
faster than one.
"""

import math
from typing import NamedTuple

import numpy as np

from litlearn._core import validation
from litlearn._core.distances import EUCLIDEAN, Metric, difference_tile
from litlearn._core.factors import alone
from litlearn._core.jit import njit
from litlearn._core.parallel import cut, fold_blocks, single_threaded_blas

TILE = 2**15  # scores, or coordinates, in a tile
FEWEST, MOST = 64, 1024  # samples of a tile
LANES = 64  # samples whose best scores are kept at hand
NARROW = 64  # features up to which a tile is turned before the product
BLOCK = 2**21  # products of a coordinate and a centre in a block, at least
MOST_BLOCKS = 64


class CentredSamples(NamedTuple):
    """What is clustered."""

    X: np.ndarray  # (n, p), float32 or float64, rows contiguous; or CSR
    weight: np.ndarray  # (n,), float64; of samples in chunks, None says that all are 1
    # (p,), float64: subtracted from dense samples, so that scores keep digits; None: it has been
    centre: np.ndarray | None

    def tile(self, rows):
        """Return some samples, dense ones less the centre, in the type of the samples."""
        if self.centre is None or validation.is_sparse(self.X) or not self.centre.any():
            return self.X[rows]
        return self.X[rows] - self.centre.astype(self.X.dtype)

    def blocks(self, n_centres):
        """Cut the samples into blocks: set by their size alone."""
        n, p = self.X.shape
        return cut(n, max(BLOCK // (p * n_centres), -(-n // MOST_BLOCKS), FEWEST))


def representable(place, X):
    """Round an origin for the samples X to a number of their type, in which it is subtracted."""
    return place.astype(X.dtype).astype(np.float64)


def scale_of(centres, dtype):
    """Return the power of two that brings squares of centres into range: mostly 1."""
    exponent, most = math.frexp(np.abs(centres).max())[1], np.finfo(dtype).maxexp
    return math.ldexp(1.0, -max(exponent, 2 - most)) if abs(exponent) > most // 3 else 1.0


class ClusterSums(NamedTuple):
    """What one pass over some samples finds, for each centre."""

    sums: np.ndarray  # (k, p): weighted sums of the samples, less CentredSamples.centre
    weights: np.ndarray  # (k,)
    n_changed: int  # samples that were assigned to another centre before


def add_cluster_sums(a, b):
    """Add up what two blocks found."""
    a.sums[:] += b.sums
    a.weights[:] += b.weights
    return ClusterSums(a.sums, a.weights, a.n_changed + b.n_changed)


# --- kernels ---------------------------------------------------------------------------------


@njit
def nearest_of_tile(products, half_norms, labels):
    """Assign the samples of a tile to the centres of the smallest score, :eq:`eq-kmeans-assign`.

    products (k, m): centres times samples; half_norms (k,), of their type; labels (m,) int32:
    overwritten by the first of equal scores. Returns how many changed.
    """
    best, own, n_changed = np.empty(LANES, products.dtype), np.empty(LANES, np.int32), 0
    for first in range(0, labels.size, LANES):
        begin, count = np.uintp(first), np.uintp(min(LANES, labels.size - first))
        best[:], own[:] = np.inf, 0  # a score that overflows is no label either
        # <lanes>: the inner loop runs over samples and has no branch, so that one instruction
        # serves several; unsigned positions spare the test for a negative index.
        for c in range(products.shape[0]):
            half, label = half_norms[c], np.int32(c)
            for i in range(count):
                score = half - products[c, begin + i]
                closer = score < best[i]
                best[i] = score if closer else best[i]
                own[i] = label if closer else own[i]
        # <written>: and counted: when none changes, Lloyd's algorithm has ended.
        for i in range(count):
            n_changed += labels[begin + i] != own[i]
            labels[begin + i] = own[i]
    return n_changed


@njit
def add_rows(T, weight, labels, sums, weights):
    """Add samples to the sums of their centres.

    T (m, p); weight (m,); labels (m,) int32; sums (k, p), weights (k,): added to.
    """
    for i in range(T.shape[0]):
        c, w = labels[i], weight[i]
        weights[c] += w
        for j in range(T.shape[1]):
            sums[c, j] += w * T[i, j]


@njit
def turned(T):
    """Return samples (m, p) with a feature a row, (p, m)."""
    m, p = T.shape
    out = np.empty((p, m), T.dtype)
    for j in range(p):
        for i in range(np.uintp(m)):
            out[j, i] = T[i, j]
    return out


@njit
def assign_block(X, C, half_norms, weight, labels, sums, weights):
    """Assign samples, tile by tile, and add them to the sums of their centres.

    X (m, p), C (k, p): of one type; the others as nearest_of_tile and add_rows take them; sums may
    have no rows, and is then left alone. Returns how many labels changed.
    """
    (k, p), n_changed = C.shape, 0
    size = min(MOST, max(FEWEST, TILE // max(k, p)))
    for first in range(0, labels.size, size):
        T, own = X[first : first + size], labels[first : first + size]
        # <product>: of few features it takes its time for bringing the samples in order, unless
        # they come with a feature a row.
        products = np.dot(C, turned(T)) if p <= NARROW else np.dot(C, T.T)
        n_changed += nearest_of_tile(products, half_norms, own)
        if sums.shape[0]:
            add_rows(T, weight[first : first + size], own, sums, weights)
    return n_changed


@njit
def add_sparse_rows(data, indices, indptr, weight, labels, sums, weights):
    """As add_rows, for the arrays of a CSR array."""
    for i in range(labels.size):
        c, w = labels[i], weight[i]
        weights[c] += w
        for position in range(indptr[i], indptr[i + 1]):
            sums[c, indices[position]] += w * data[position]


@njit
def squared_distances(T, centres, labels, out):
    """Squared distances of samples from their centres, by difference: terms of :eq:`eq-inertia`.

    T (m, p); centres (k, p) float64; labels (m,) int32; out (m,) float64: output.
    """
    for i in range(T.shape[0]):
        total = 0.0
        for j in range(T.shape[1]):
            difference = np.float64(T[i, j]) - centres[labels[i], j]
            total += difference * difference
        out[i] = total


# --- one pass --------------------------------------------------------------------------------


def assign(samples, centres, labels, n_jobs=None, update=True, squares=None):
    """Assign all samples to their nearest centres, :eq:`eq-kmeans-assign`, and sum them up.

    Parameters
    ----------
    samples : CentredSamples
        (n, p).
    centres : ndarray of shape (k, p)
        float64, less ``samples.centre``.
    labels : ndarray of shape (n,)
        int32; overwritten.
    n_jobs : int or None, default=None
        Number of threads; the result has the same bits for each.
    update : bool, default=True
        Whether sums are needed.
    squares : ndarray of shape (n,), default=None
        Overwritten with the squared distances from the nearest centres, by difference.

    Returns
    -------
    ClusterSums
    """
    import scipy.linalg  # noqa: F401  (before threads are limited, so that its own are too)

    k, p = centres.shape
    scale = scale_of(centres, samples.X.dtype)
    scaled = centres * scale
    C = scaled.astype(samples.X.dtype)
    half_norms = (0.5 * np.einsum("cj,cj->c", scaled, scaled)).astype(C.dtype)

    def part(rows):
        found = ClusterSums(np.zeros((k if update else 0, p)), np.zeros(k), 0)
        T, weight, own = samples.tile(rows), samples.weight[rows], labels[rows]
        scaled = T if scale == 1.0 else T * T.dtype.type(scale)
        if not validation.is_sparse(T):
            arrays = weight, own, found.sums, found.weights
            n_changed = assign_block(scaled, C, half_norms, *arrays)
        else:
            n_changed = nearest_of_tile(np.ascontiguousarray((scaled @ C.T).T), half_norms, own)
            if update:
                arrays = scaled.data, scaled.indices, scaled.indptr
                add_sparse_rows(*arrays, weight, own, found.sums, found.weights)
        if squares is not None:
            write_squares(T, centres, own, squares[rows])
        return found._replace(n_changed=n_changed)

    found = fold_blocks(part, add_cluster_sums, samples.blocks(k), n_jobs)
    return found if scale == 1.0 else found._replace(sums=found.sums / scale)


def write_squares(T, centres, labels, out):
    """Write the squared distances of samples, dense or sparse, from their centres."""
    for rows in cut(len(labels), MOST) if validation.is_sparse(T) else [slice(None)]:
        some = T[rows].toarray() if validation.is_sparse(T) else T
        squared_distances(some, centres, labels[rows], out[rows])


def distances_from_own(samples, centres, labels, n_jobs=None):
    """Return the squared distance of each sample from its centre, (n,), by difference."""
    out = np.empty(len(labels))

    def part(rows):
        for tile in cut(rows, MOST):
            write_squares(samples.tile(tile), centres, labels[tile], out[tile])

    fold_blocks(part, None, samples.blocks(1), n_jobs, work=samples.X.shape[0] * centres.shape[1])
    return out


def all_distances(X, centres):
    """Return the distances of samples (n, p) from all centres (k, p), by difference, (n, k)."""
    out = np.empty((X.shape[0], len(centres)), dtype=X.dtype)
    metric = Metric(EUCLIDEAN, 2.0, np.ones(X.shape[1]))

    def part(rows):
        T = X[rows].toarray() if validation.is_sparse(X) else X[rows]
        found = np.empty((len(T), len(centres)))
        difference_tile(metric, centres, T.astype(np.float64, copy=False), found)
        out[rows] = np.sqrt(found, out=found)

    fold_blocks(part, None, cut(len(out), max(1, TILE // len(centres))), work=X.shape[1] * out.size)
    return out


def inertia_of(samples, centres, labels, n_jobs=None):
    """Return the weighted sum of squared distances from the centres, :eq:`eq-inertia`."""
    squares = distances_from_own(samples, centres, labels, n_jobs)
    with single_threaded_blas():  # more would spin where the next start needs them
        return float(samples.weight @ squares)


def new_centres(samples, centres, labels, found, n_jobs=None):
    """Return the means of the clusters, (k, p), :eq:`eq-kmeans-update`.

    A cluster without samples gets the sample that is farthest from its own centre.
    """
    sums, weights = found.sums, found.weights
    empty = np.flatnonzero(weights == 0.0)
    if len(empty):
        distances = distances_from_own(samples, centres, labels, n_jobs)
        # <relocate>: the farthest samples leave their clusters, and are clusters of their own.
        far = np.argpartition(distances, -len(empty))[: -len(empty) - 1 : -1]
        if distances.max() > 0.0:
            for c, i in zip(empty, far, strict=True):
                row = samples.tile(slice(i, i + 1))
                row = (row.toarray() if validation.is_sparse(row) else row)[0].astype(np.float64)
                w, old = samples.weight[i], labels[i]
                sums[old] -= w * row
                weights[old] -= w
                sums[c], weights[c] = w * row, w
    # <filled>: a centre whose samples have no weight stays.
    filled = weights > 0.0
    result = centres.copy()
    result[filled] = sums[filled] / weights[filled, None]
    return result


class Clustering(NamedTuple):
    """Where the solver ended."""

    centres: np.ndarray  # (k, p), less CentredSamples.centre
    labels: np.ndarray  # (n,), int32
    inertia: float
    n_iter: int
    converged: bool


@alone
def lloyd(samples, centres, max_iter, tol, n_jobs=None, report=None, step=None):
    """Alternate between the two steps until nothing moves: :prf:ref:`alg-kmeans`.

    Parameters
    ----------
    samples : CentredSamples
        (n, p).
    centres : ndarray of shape (k, p)
        Where to start, float64, less ``samples.centre``.
    max_iter : int
        Most iterations.
    tol : float
        Sum of the squared moves of all centres at which to stop.
    n_jobs : int or None, default=None
        Number of threads; the result has the same bits for each.
    report : callable or None, default=None
        ``report(n_iter, inertia)`` is called after each iteration.
    step : callable or None, default=None
        Another way to assign: ``step(centres, labels)`` returns :class:`ClusterSums`.

    Returns
    -------
    Clustering
        If the labels did not change in the last iteration, or the tolerance was reached, it has
        converged. The labels are always those of the centres.
    """
    labels = np.full(samples.X.shape[0], -1, dtype=np.int32)
    step = step or (lambda centres, labels: assign(samples, centres, labels, n_jobs))
    settled = converged = False
    for n_iter in range(1, max_iter + 1):
        found = step(centres, labels)
        if report is not None:
            report(n_iter, inertia_of(samples, centres, labels, n_jobs))
        before, empty = centres, found.weights == 0.0
        centres = new_centres(samples, centres, labels, found, n_jobs)
        # Where no label changed, only a cluster without samples may still get one.
        settled = found.n_changed == 0 and np.array_equal(centres[empty], before[empty])
        scale = scale_of(centres, np.float64)
        if settled or np.sum(((centres - before) * scale) ** 2) <= tol * scale * scale:
            converged = True
            break
    if not settled:  # the last centres have moved since the samples were assigned
        step(centres, labels)
    return Clustering(
        centres, labels, inertia_of(samples, centres, labels, n_jobs), n_iter, converged
    )
