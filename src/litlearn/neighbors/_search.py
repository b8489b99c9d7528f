"""One door to all searches: choose an algorithm, build its index, ask for neighbours."""

from typing import NamedTuple

import numpy as np

from litlearn._distances import (
    CHEBYSHEV,
    EUCLIDEAN,
    HAMMING,
    MANHATTAN,
    MINKOWSKI,
    Metric,
    unit_rows,
)
from litlearn._jit import njit
from litlearn._parallel import fold_blocks
from litlearn._selection import sort_pairs
from litlearn.neighbors import _brute, _tree
from litlearn.neighbors._metrics import (
    distance_to_reduced,
    largest_reduced,
    reduced_to_distance,
)

CODES = {
    "euclidean": EUCLIDEAN,
    "l2": EUCLIDEAN,
    "sqeuclidean": EUCLIDEAN,
    "manhattan": MANHATTAN,
    "l1": MANHATTAN,
    "cityblock": MANHATTAN,
    "chebyshev": CHEBYSHEV,
    "infinity": CHEBYSHEV,
    "minkowski": MINKOWSKI,
    "p": MINKOWSKI,
}
TREE_METRICS = [name for name in CODES if name != "sqeuclidean"]
METRICS = {
    "brute": [*CODES, "cosine", "hamming"],
    "kd_tree": TREE_METRICS,
    "ball_tree": TREE_METRICS,
}
KINDS = {"kd_tree": _tree.KD, "ball_tree": _tree.BALL}

# Measured crossover of brute force and the k-d tree: time of the tree divided by that of brute
# force, for 10 neighbours of 1e3 to 2e3 queries, build included, normal data without structure:
#
#   features             5      8     10     12     15     20
#   1 000 points       0.5    0.9    0.9    1.1    1.2    1.4
#   10 000 points      0.3    0.7    1.1    1.6    2.2    2.9
#   50 000 points      0.2    0.4    0.8    1.5    2.6    3.8
#
# Manhattan and Chebyshev cross between 5 and 10 features. Small data take microseconds either way.
TREE_MAX_FEATURES = 9
TREE_MIN_SAMPLES = 100


class Index(NamedTuple):
    """Points prepared for search.

    Parameters
    ----------
    algorithm : {"brute", "kd_tree", "ball_tree"}
        What searches use; "auto" is resolved when the index is made.
    X : ndarray of shape (n, p)
        The points as they are searched: see `as_searched`.
    metric : Metric or None
        What compiled code compares by; None for a callable.
    name : str or callable
        The metric as the user named it.
    tree : Tree or None
        The tree, where there is one.
    n_features : int
        Number of features of the data.
    """

    algorithm: str
    X: np.ndarray
    metric: object
    name: object
    tree: object
    n_features: int

    @property
    def n_samples(self):
        """Number of points."""
        return self.X.shape[0]

    def to_distance(self, reduced):
        """Distances from reduced distances."""
        if callable(self.name) or self.name == "sqeuclidean":
            return reduced
        if self.name == "cosine":
            return reduced / 2
        return reduced_to_distance(self.metric, reduced)

    def to_reduced(self, distances):
        """Largest reduced distances whose distances do not exceed the given ones."""
        if callable(self.name) or self.name == "sqeuclidean":
            return distances
        if self.name == "cosine":
            return distances * 2
        with np.errstate(over="ignore"):
            guess = distance_to_reduced(self.metric, distances)
        return largest_reduced(self.to_distance, distances, guess)


def resolve_metric(metric, p, w, n_features):
    """The Metric for a name: one code for each formula, whatever it is called.

    Implements the special cases of :eq:`eq-minkowski`: p = 1 is the Manhattan distance, p = 2 the
    Euclidean, p = infinity the Chebyshev distance :eq:`eq-chebyshev`.
    """
    ones = np.ones(n_features)
    if metric == "cosine":
        return Metric(EUCLIDEAN, 2.0, ones)
    if metric == "hamming":
        return Metric(HAMMING, 1.0, ones)
    code = CODES[metric]
    if code != MINKOWSKI:
        return Metric(code, {MANHATTAN: 1.0, EUCLIDEAN: 2.0, CHEBYSHEV: np.inf}[code], ones)
    if np.isinf(p):
        # In the limit the size of a weight no longer matters, only whether there is one.
        return Metric(CHEBYSHEV, np.inf, ones if w is None else (np.asarray(w) > 0).astype(float))
    if w is None and p in (1, 2):
        return Metric(MANHATTAN if p == 1 else EUCLIDEAN, float(p), ones)
    return Metric(MINKOWSKI, float(p), ones if w is None else np.asarray(w, dtype=float))


def as_searched(X, name, is_query):
    """The arrays that are searched in place of the data.

    The cosine distance is half the squared Euclidean distance between unit vectors, so unit vectors
    are searched. A zero vector has no direction; its cosine with anything counts as 0. Two more
    coordinates, one for zero points and one for zero queries, give it exactly that distance.
    Implements :eq:`eq-cosine-distance`.
    """
    if name != "cosine":
        return X
    marks = np.zeros((X.shape[0], 2))
    marks[~X.any(axis=1), int(is_query)] = 1.0
    searched = np.hstack([unit_rows(X), marks])
    searched.flags.writeable = False  # as all arrays that compiled functions receive
    return searched


def choose_algorithm(name, n, p):
    """The fastest algorithm for n points with p features, for metrics that leave a choice."""
    if callable(name) or name in ("cosine", "hamming"):
        return "brute"
    return "kd_tree" if p <= TREE_MAX_FEATURES and n >= TREE_MIN_SAMPLES else "brute"


def make_index(X, *, algorithm="auto", metric="euclidean", p=2, w=None, leaf_size=30, n_jobs=None):
    """Prepare points for search.

    Parameters
    ----------
    X : ndarray of shape (n, p), float32 or float64, C order
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
    metric : str or callable, default="euclidean"
        A name from METRICS, or a function of two vectors (called from Python for each pair: slow;
        searched by brute force whatever the algorithm).
    p : float, default=2
        Order of the Minkowski distance, at least 1.
    w : ndarray of shape (p,) or None, default=None
        Weights of the Minkowski distance.
    leaf_size : int, default=30
        Points of a leaf of a tree, rounded up to a multiple of 8.
    n_jobs : int or None, default=None

    Returns
    -------
    Index
    """
    n_features = X.shape[1]
    if algorithm == "auto":
        algorithm = choose_algorithm(metric, *X.shape)
    if callable(metric):
        return Index(algorithm, X, None, metric, None, n_features)
    points = as_searched(X, metric, False)
    resolved = resolve_metric(metric, p, w, points.shape[1])
    tree = None
    if algorithm in KINDS:
        leaf = -(-leaf_size // _tree.LANES) * _tree.LANES
        tree = _tree.build(points, KINDS[algorithm], resolved, leaf, n_jobs)
        for array in tree:
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
    return Index(algorithm, points, resolved, metric, tree, n_features)


def query_knn(index, Q, k, *, exclude_self=False, n_jobs=None):
    """The k nearest points of each query.

    Parameters
    ----------
    index : Index
    Q : ndarray of shape (m, p), float32 or float64, C order
    k : int
        At most n, or n - 1 with exclude_self.
    exclude_self : bool, default=False
        Query i is point i, and is left out of its own neighbours.
    n_jobs : int or None, default=None

    Returns
    -------
    distances : ndarray of shape (m, k), float64
        Ascending.
    indices : ndarray of shape (m, k), intp
        Equal distances are ordered by index (compared before the root is taken).
    """
    options = {"exclude_self": exclude_self, "n_jobs": n_jobs}
    if callable(index.name):
        return knn_by_callable(index, Q, k, exclude_self)
    queries = as_searched(Q, index.name, True)
    if index.tree is None:
        reduced, indices = _brute.knn(index.metric, index.X, queries, k, **options)
    else:
        reduced, indices = _tree.knn(index.metric, index.tree, queries, k, **options)
    return index.to_distance(reduced), indices


def query_radius(index, Q, r, *, exclude_self=False, sort=False, n_jobs=None):
    """All points at a distance of at most r from each query.

    Parameters
    ----------
    index : Index
    Q : ndarray of shape (m, p), float32 or float64, C order
    r : float or ndarray of shape (m,)
    exclude_self : bool, default=False
        Query i is point i, and is left out of its own neighbours.
    sort : bool, default=False
        Order neighbours by (distance, index) instead of by index.
    n_jobs : int or None, default=None

    Returns
    -------
    indptr : ndarray of shape (m + 1,), intp
        Neighbours of query i stand at positions indptr[i] to indptr[i + 1] - 1.
    indices : ndarray of shape (indptr[-1],), intp
    distances : ndarray of shape (indptr[-1],), float64
    """
    r = np.atleast_1d(np.asarray(r, dtype=np.float64))
    options = {"exclude_self": exclude_self, "n_jobs": n_jobs}
    if callable(index.name):
        blocks = radius_by_callable(index, Q, np.broadcast_to(r, Q.shape[:1]), exclude_self)
    else:
        queries = as_searched(Q, index.name, True)
        bounds = np.broadcast_to(index.to_reduced(r), Q.shape[:1]).copy()
        if index.tree is None:
            blocks = _brute.radius(index.metric, index.X, queries, bounds, **options)
        else:
            blocks = _tree.radius(index.metric, index.tree, queries, bounds, **options)
    indptr = np.zeros(Q.shape[0] + 1, dtype=np.intp)
    for rows, counts, _, _ in blocks:
        indptr[rows + 1] = counts
    np.cumsum(indptr, out=indptr)
    indices, reduced = np.empty(indptr[-1], dtype=np.intp), np.empty(indptr[-1])

    def place(b):
        place_block(*blocks[b], indptr, sort, indices, reduced)
        blocks[b] = None  # what is placed is no longer needed twice

    fold_blocks(place, None, range(len(blocks)), n_jobs)
    return indptr, indices, index.to_distance(reduced)


@njit
def place_block(queries, counts, found, found_reduced, indptr, sort, indices, reduced):
    """Copy the neighbours of a block of queries to their place, in order.

    queries, counts (b,); found, found_reduced: neighbours, query after query; indptr (m + 1,);
    indices, reduced: output. Ordered by index, or with sort by (distance, index).
    """
    source = 0
    for number in range(queries.size):
        start = indptr[queries[number]]
        stop = start + counts[number]
        for target in range(start, stop):
            indices[target], reduced[target] = found[source], found_reduced[source]
            source += 1
        if sort:
            sort_pairs(reduced[start:stop], indices[start:stop])
        else:
            sort_pairs(indices[start:stop], reduced[start:stop])


def count_radius(index, Q, r, *, n_jobs=None):
    """Number of points at a distance of at most r from each query.

    Parameters as in `query_radius`.

    Returns
    -------
    ndarray of shape (m,), intp
    """
    if index.tree is None:
        return np.diff(query_radius(index, Q, r, n_jobs=n_jobs)[0])
    r = np.atleast_1d(np.asarray(r, dtype=np.float64))
    bounds = np.broadcast_to(index.to_reduced(r), Q.shape[:1]).copy()
    return _tree.count(index.metric, index.tree, Q, bounds, n_jobs=n_jobs)


# ------------------------------------------------------------------ metrics given as functions


def distances_by_callable(index, q, skip):
    """Distances from q to every point by the user's function; infinite for the point `skip`."""
    distances = np.array([index.name(q, x) for x in index.X], dtype=np.float64)
    if np.isnan(distances).any():
        point = np.flatnonzero(np.isnan(distances))[0]
        raise ValueError(f"metric: the callable returned NaN for point {point}; expected a number.")
    if skip >= 0:
        distances[skip] = np.inf
    return distances


def knn_by_callable(index, Q, k, exclude_self):
    """As query_knn, with a metric given as a Python function: one call for each pair."""
    distances, indices = np.empty((Q.shape[0], k)), np.empty((Q.shape[0], k), dtype=np.intp)
    for i, q in enumerate(Q):
        row = distances_by_callable(index, q, i if exclude_self else -1)
        order = np.argsort(row, kind="stable")
        order = order[order != i][:k] if exclude_self else order[:k]
        distances[i], indices[i] = row[order], order
    return distances, indices


def radius_by_callable(index, Q, r, exclude_self):
    """As _brute.radius, with a metric given as a Python function: one call for each pair."""
    blocks = []
    for i, q in enumerate(Q):
        row = distances_by_callable(index, q, -1)
        found = np.flatnonzero(row <= r[i])
        if exclude_self:
            found = found[found != i]
        blocks.append((np.array([i]), np.array([found.size]), found, row[found]))
    return blocks
