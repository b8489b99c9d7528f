"""Neighbours among points in chunks: the k best of each chunk, and of these the k best.

No point travels. A chunk is searched where it is, as points in memory are, and what it sends are k
distances and row numbers for each query. They are merged in the order of the chunks, by the reduced
distances that a search in memory compares: of equal ones, the lower row number comes first.
"""

import uuid
from typing import NamedTuple

import numpy as np

from litlearn._core import validation
from litlearn._core.chunked import fold_rows, largest_size, task_of_rows
from litlearn._core.distances import range_scale
from litlearn.neighbors import _search


class ChunkIndex(NamedTuple):
    """Points in chunks, and how each chunk is searched. Nothing is built before a search."""

    algorithm: str
    X: object  # array of Dask (n, p); None in a copy that has what it is to answer
    name: str  # of the metric
    params: dict
    leaf_size: int
    found: object = None  # :class:`Best`: an answer that is known


class Best(NamedTuple):
    """Neighbours of m queries, the nearest first."""

    reduced: np.ndarray  # (m, k)
    indices: np.ndarray  # (m, k)


def make_chunk_index(owner, X, algorithm, metric, params, leaf_size):
    """Return the :class:`ChunkIndex` of samples, after a pass that checks them all."""
    params = {name: value for name, value in params.items() if value is not None}
    known = isinstance(metric, str) and metric not in ("precomputed", "mahalanobis")
    if not known or _search.measured_in_tiles(metric, params):
        raise ValueError(
            f"{validation.owner_name(owner)}: among samples in an array of Dask, the metric "
            f"{metric!r} is not searched; expected one of {sorted({*_search.CODES} - {'p'})}, "
            "'cosine', 'correlation', 'hamming', 'haversine' or 'seuclidean'."
        )
    largest = largest_size(X)
    if range_scale(np.array([largest]), params.get("p", 2.0)) != 1.0:
        raise ValueError(
            f"{validation.owner_name(owner)}: the largest value of X is {largest:.1e}, expected "
            "between 1e-90 and 1e90 for an array of Dask. Scale the features first."
        )
    if algorithm == "auto":
        algorithm = _search.choose_algorithm(metric, *X.shape)
    return ChunkIndex(algorithm, X, metric, params, leaf_size)


def search_of(index, k):
    """Return the arguments of a fold that finds the k nearest points of queries."""
    X, options = index.X, {"algorithm": index.algorithm, "metric": index.name}
    options |= {"params": index.params, "leaf_size": index.leaf_size, "n_jobs": 1}

    def part(queries, arrays, rows):
        X, numbers = arrays
        own = _search.make_index(validation.read_only(X), **options)
        queries = validation.read_only(queries)
        _, reduced, found = _search.nearest(own, queries, min(k, len(X)), n_jobs=1)
        return Best(reduced, found + numbers[0])

    def merge(a, b):
        reduced, indices = (np.hstack(pair) for pair in zip(a, b, strict=True))
        # Row numbers rise from a to b: a stable order keeps that of equal distances.
        order = np.argsort(reduced, axis=1, kind="stable")[:, :k]
        return Best(*(np.take_along_axis(one, order, axis=1) for one in (reduced, indices)))

    # A chunk is one block here: its index is.
    return part, merge, (X, range(len(X))), len(X)


def query_knn(index, Q, k):
    """Return the distances and the row numbers of the k nearest points, both (m, k)."""
    found = index.found
    if found is None:
        found = fold_rows(*search_of(index, k), shared=Q)
    like = _search.make_index(np.zeros((1, Q.shape[1])), metric=index.name, params=index.params)
    return like.to_distance(found.reduced), found.indices


def unknown(m, k):
    """Return what stands for neighbours of m queries before they are known."""
    return Best(np.zeros((m, k)), np.zeros((m, k), dtype=np.intp))


def find_for_chunks(index, Q, k):
    """Return, for each chunk of queries, its neighbours: an array with an object for each."""
    import dask.array as da
    from dask.highlevelgraph import HighLevelGraph

    fold, name = search_of(index, k), f"litlearn-neighbors-{uuid.uuid4().hex}"
    queries = Q.to_delayed(optimize_graph=False).ravel()
    tasks = [task_of_rows(*fold, shared=chunk) for chunk in queries]
    graph = {(name, i, 0): (_boxed, one.key) for i, one in enumerate(tasks)}
    graph = HighLevelGraph.from_collections(name, graph, tasks)
    meta = np.empty((0, 0), dtype=object)
    return da.Array(graph, name, (Q.chunks[0], (1,)), dtype=object, meta=meta)


def _boxed(found):
    """Return an array that holds an object: Dask joins arrays."""
    box = np.empty((1, 1), dtype=object)
    box[0, 0] = found
    return box


def unboxed(box):
    """Return what is in the box, in memory that is aligned, whatever it was sent in."""
    return Best(*(one.copy() for one in box[0, 0]))
