"""Slow twins: each method in plain NumPy, as the chapter's equations say it.

Nothing here is compiled, shared with the package, or clever. Tests compare the package with it.
"""

import numpy as np

# ---------------------------------------------------------------------------------------------
# Distances


def distances(A, B, metric="euclidean", p=2, w=None):
    """All distances between rows of `A` and rows of `B`, in float64, one pair at a time."""
    A, B = np.asarray(A, dtype=np.float64), np.asarray(B, dtype=np.float64)
    return np.array([[distance(a, b, metric, p, w) for b in B] for a in A]).reshape(len(A), len(B))


def distance(a, b, metric="euclidean", p=2, w=None):
    """The distance of two points: eq-euclidean, eq-minkowski, eq-chebyshev, eq-cosine-distance,
    eq-hamming."""
    if callable(metric):
        return metric(a, b)
    difference = np.abs(a - b)
    w = np.ones(len(a)) if w is None else np.asarray(w, dtype=np.float64)
    if metric == "minkowski":
        if np.isinf(p):
            return np.max(difference * (w > 0))
        return np.sum(w * difference**p) ** (1 / p)
    if metric in ("euclidean", "l2"):
        return np.sqrt(np.sum(difference**2))
    if metric == "sqeuclidean":
        return np.sum(difference**2)
    if metric in ("manhattan", "l1", "cityblock"):
        return np.sum(difference)
    if metric in ("chebyshev", "infinity"):
        return np.max(difference)
    if metric == "hamming":
        return np.mean(a != b)
    if metric == "cosine":
        return 1 - a @ b / (np.linalg.norm(a) * np.linalg.norm(b))
    raise ValueError(f"reference: there is no metric {metric!r}")


# ---------------------------------------------------------------------------------------------
# Neighbourhoods


def k_neighbors(D, k, exclude_self=False):
    """eq-k-neighborhood: distances and indices, sorted by (distance, index), from a matrix."""
    D = np.array(D, dtype=np.float64)
    if exclude_self:
        np.fill_diagonal(D, np.inf)
    columns = np.arange(D.shape[1])
    ind = np.array([np.lexsort((columns, row))[:k] for row in D], dtype=np.intp).reshape(-1, k)
    return np.take_along_axis(D, ind, axis=1), ind


def radius_neighbors(D, r, exclude_self=False, sort=False):
    """eq-radius-neighborhood: lists of distances and of indices, from a matrix of distances."""
    radii = np.broadcast_to(r, len(D))
    dist, ind = [], []
    for i, row in enumerate(D):
        near = [j for j in range(len(row)) if row[j] <= radii[i] and not (exclude_self and i == j)]
        if sort:
            near.sort(key=lambda j: (row[j], j))
        ind.append(np.array(near, dtype=np.intp))
        dist.append(row[ind[-1]])
    return dist, ind


# ---------------------------------------------------------------------------------------------
# Weights, means, votes


def neighbor_weights(dist, weights="uniform"):
    """Weights of the neighbours of one query, with sum one: eq-weights-uniform,
    eq-weights-distance."""
    dist = np.asarray(dist, dtype=np.float64)
    if weights in (None, "uniform"):
        w = np.ones(len(dist))
    elif weights == "distance":
        w = (dist == 0).astype(float) if np.any(dist == 0) else 1 / dist
    else:
        w = np.asarray(weights(dist[np.newaxis]))[0]
    return w / np.sum(w)


def weighted_mean(dist, ind, y, weights="uniform"):
    """eq-knn-regression for one query; NaN without neighbours."""
    y = np.asarray(y, dtype=np.float64)
    if len(ind) == 0:
        return np.full(y.shape[1:], np.nan)
    return np.tensordot(neighbor_weights(dist, weights), y[ind], axes=1)


def vote_shares(dist, ind, y, classes, weights="uniform"):
    """The sums in eq-knn-classification for one query, one for each class."""
    w = neighbor_weights(dist, weights)
    return np.array([np.sum(w[np.asarray(y)[ind] == c]) for c in classes])
