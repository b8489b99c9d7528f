"""k-means of samples in chunks: the steps of ``_lloyd``, summed up where the chunks are.

A pass sends out the centres, and brings back sums for each of them. Nothing has an entry for each
sample but the labels, once, at the end.
"""

from typing import NamedTuple

import numpy as np

from litlearn._core import validation
from litlearn._core.chunked import fold_rows, in_memory
from litlearn.cluster import _lloyd
from litlearn.cluster._lloyd import CentredSamples, Clustering
from litlearn.cluster._seeding import plus_plus

# k-means||: rounds of draws among all samples, and draws in each, as a multiple of the clusters.
ROUNDS, OVERSAMPLING = 5, 2


def fold_chunks(function, merge, samples):
    """Merge ``function(own, first)`` of chunks: the samples of one, the number of its first row."""
    X, weight, centre = samples
    alike = weight is None or (weight == 1.0).all()  # such weights do not travel

    def part(arrays, rows):
        X, weight, numbers = arrays
        own = CentredSamples(X, np.ones(len(X)) if weight is None else weight, centre)
        return function(own, numbers[0])

    # A chunk is one block here: what its samples are given to cuts it.
    return fold_rows(part, merge, (X, None if alike else weight, range(len(X))), len(X))


def assigned(own, centres, update=False):
    """Return the labels of samples in memory, and their sums."""
    labels = np.full(len(own.X), -1, dtype=np.int32)
    return labels, _lloyd.assign(own, centres, labels, 1, update)


def assign_chunks(samples, centres):
    """Assign all samples to their nearest centres, :eq:`eq-kmeans-assign`, and sum them up.

    Returns the :class:`litlearn.cluster._lloyd.ClusterSums`.
    """

    def sums(own, first):
        return assigned(own, centres, update=True)[1]

    return fold_chunks(sums, _lloyd.add_cluster_sums, samples)


def inertia_of_chunks(samples, centres):
    """Return the weighted sum of squared distances from the nearest centres, :eq:`eq-inertia`."""

    def inertia(own, first):
        return _lloyd.inertia_of(own, centres, assigned(own, centres)[0], 1)

    return fold_chunks(inertia, lambda a, b: a + b, samples)


def labels_of_chunks(samples, centres):
    """Return the number of the nearest centre of each sample, (n,) int32, in memory."""
    origin = samples.centre

    def label(chunk):
        return assigned(CentredSamples(chunk, np.ones(len(chunk)), origin), centres)[0]

    meta = np.empty(0, dtype=np.int32)
    return in_memory(samples.X.map_blocks(label, drop_axis=1, dtype=np.int32, meta=meta))


class Far(NamedTuple):
    """Samples far from their centres, the farthest first."""

    squares: np.ndarray  # (m,), squared distances
    rows: np.ndarray  # (m, p), float64, less CentredSamples.centre
    weights: np.ndarray  # (m,)
    labels: np.ndarray  # (m,), their centres

    def first(self, count):
        """Return the farthest of them."""
        order = np.argsort(-self.squares, kind="stable")[:count]
        return Far(*(one[order] for one in self))


def farthest_of_chunks(samples, centres, count):
    """Return so many samples, those that are farthest from their centres, as :class:`Far`."""

    def far(own, first):
        labels = assigned(own, centres)[0]
        squares = _lloyd.distances_from_own(own, centres, labels, 1)
        chosen = np.argsort(-squares, kind="stable")[:count]
        rows = own.tile(slice(0, len(labels)))[chosen].astype(np.float64)
        return Far(squares[chosen], rows, own.weight[chosen], labels[chosen])

    def merge(a, b):
        return Far(*map(np.concatenate, zip(a, b, strict=True))).first(count)

    return fold_chunks(far, merge, samples)


def lloyd_of_chunks(samples, centres, max_iter, tol, report=None):
    """As :func:`litlearn.cluster._lloyd.lloyd`: a pass over the chunks for each iteration.

    Where no label changes, the sums have the same bits, and the centres rest.
    """
    converged = False
    for n_iter in range(1, max_iter + 1):
        found, before = assign_chunks(samples, centres), centres
        if report is not None:
            report(n_iter, inertia_of_chunks(samples, centres))
        few, labels, n_empty = None, None, int(np.sum(found.weights == 0.0))
        if n_empty:  # of all samples, only those may move that are farthest from their centres
            far = farthest_of_chunks(samples, centres, n_empty)
            few = CentredSamples(far.rows, far.weights, np.zeros(far.rows.shape[1]))
            labels = far.labels
        centres = _lloyd.new_centres(few, centres, labels, found, 1)
        scale = _lloyd.scale_of(centres, np.float64)
        if np.sum(((centres - before) * scale) ** 2) <= tol * scale * scale:
            converged = True
            break
    labels, inertia = labels_of_chunks(samples, centres), inertia_of_chunks(samples, centres)
    return Clustering(centres, labels, inertia, n_iter, converged)


class Draws(NamedTuple):
    """Samples that were drawn, the largest key first."""

    keys: np.ndarray  # (m,)
    rows: np.ndarray  # (m, p), float64, less CentredSamples.centre


def draw_chunks(samples, candidates, count, seed):
    """Draw samples in proportion to their squared distances from the nearest candidate.

    A sample of weight w has the key ``log(u) / w``, with u uniform: the largest keys are a draw
    without replacement, and those of all chunks are among those of each, so that one pass does
    (Efraimidis and Spirakis, 2006). One that is where a candidate is has no key.
    """

    def draws(own, first):
        labels = assigned(own, candidates)[0]
        price = own.weight * _lloyd.distances_from_own(own, candidates, labels, 1)
        possible = np.flatnonzero(price > 0.0)
        uniform = np.random.default_rng((seed, first)).uniform(size=len(price))
        keys = np.log(uniform[possible]) / price[possible]
        order = np.argsort(-keys, kind="stable")[:count]
        rows = own.tile(slice(0, len(price)))[possible[order]].astype(np.float64)
        return Draws(keys[order], rows)

    def merge(a, b):
        keys, rows = np.concatenate((a.keys, b.keys)), np.concatenate((a.rows, b.rows))
        order = np.argsort(-keys, kind="stable")[:count]
        return Draws(keys[order], rows[order])

    return fold_chunks(draws, merge, samples)


def scalable_start(samples, n_clusters, random_state):
    """Return first centres (k, p), less ``samples.centre``, by k-means||.

    Rounds of draws far from the candidates so far, each one pass; then the candidates, weighted by
    the samples that are nearest to them, are clustered in memory (Bahmani and others, 2012).
    """
    n, weight = len(samples.X), samples.weight
    if weight is None:
        first = int(n * random_state.random_sample())  # as `choice` does, without n numbers
    else:
        first = int(random_state.choice(n, p=weight / weight.sum()))
    row = in_memory(samples.X[first]).astype(np.float64)
    candidates, count = row[None] - samples.centre, OVERSAMPLING * n_clusters
    for _ in range(ROUNDS):
        seed = validation.random_integer(random_state)
        drawn = draw_chunks(samples, candidates, count, seed).rows
        candidates = np.concatenate((candidates, drawn))
    weights = assign_chunks(samples, candidates).weights
    if len(candidates) <= n_clusters:  # there are no more distinct samples
        return np.resize(candidates, (n_clusters, candidates.shape[1]))
    few = CentredSamples(validation.read_only(candidates), weights, np.zeros(len(row)))
    start = candidates[plus_plus(few, n_clusters, random_state)]
    return _lloyd.lloyd(few, start, max_iter=100, tol=0.0).centres
