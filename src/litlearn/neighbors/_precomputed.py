"""Search in a matrix of distances that the user has computed."""

import numpy as np

ROWS = 256  # queries that are sorted together


def query_knn(distances, k, *, exclude_self=False):
    """Find the k smallest entries of each row, in the order of (distance, column).

    Implements :eq:`eq-k-neighborhood`. `distances` has shape (n_queries, n_samples); with
    `exclude_self` entry (i, i) is left out. Returns float64 distances and columns, both of shape
    (n_queries, k).
    """
    n_queries = len(distances)
    dist, ind = np.empty((n_queries, k)), np.empty((n_queries, k), dtype=np.intp)
    for start in range(0, n_queries, ROWS):
        rows = np.arange(start, min(start + ROWS, n_queries))
        block = distances[rows].astype(np.float64)
        if exclude_self:
            block[np.arange(len(rows)), rows] = np.inf
        # A stable sort leaves equal distances in the order of their columns.
        nearest = np.argsort(block, axis=1, kind="stable")[:, :k]
        ind[rows] = nearest
        dist[rows] = np.take_along_axis(block, nearest, axis=1)
    return dist, ind


def query_radius(distances, r, *, exclude_self=False, sort=False):
    """Find the entries of each row that do not exceed `r`, a number or one number for each row.

    Implements :eq:`eq-radius-neighborhood`. Returns ``indptr, ind, dist`` as the search layer does.
    """
    radii = np.broadcast_to(r, len(distances))
    dist, ind = [np.empty(0)], [np.empty(0, dtype=np.intp)]
    for i, row in enumerate(distances):
        near = np.flatnonzero(row <= radii[i])
        if exclude_self:
            near = near[near != i]
        if sort:
            near = near[np.argsort(row[near], kind="stable")]
        ind.append(near)
        dist.append(row[near].astype(np.float64))
    indptr = np.cumsum([len(near) for near in ind])
    return indptr, np.concatenate(ind), np.concatenate(dist)
