"""One door to all searches: choose an algorithm, build its index, ask for neighbours."""

from typing import NamedTuple

import numpy as np

from litlearn._core.distances import (
    CHEBYSHEV,
    EUCLIDEAN,
    HAMMING,
    MANHATTAN,
    MINKOWSKI,
    Metric,
    range_scale,
    unit_rows,
)
from litlearn._core.jit import njit
from litlearn._core.parallel import fold_blocks
from litlearn._core.selection import sort_pairs
from litlearn.neighbors import _brute, _tiles, _tree
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
# Those that become Euclidean, or weighted Euclidean, by a change of coordinates: see `as_searched`.
CHANGED = ("haversine", "mahalanobis", "seuclidean")
TREE_METRICS = [name for name in CODES if name != "sqeuclidean"]
METRICS = {
    "brute": sorted([*CODES, *CHANGED, "correlation", "cosine", "hamming", *_tiles.BY_TILES]),
    "kd_tree": TREE_METRICS,
    "ball_tree": [*TREE_METRICS, *CHANGED],
}
SPARSE_METRICS = {"brute": list(_tiles.SPARSE), "kd_tree": [], "ball_tree": []}
FARTHEST = 1e300  # largest power of a coordinate of a query that points were scaled for
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
    X : ndarray or CSR array of shape (n, p)
        The points as they are searched: see `as_searched`.
    metric : Metric or None
        What compiled code compares by; None where distances are measured in tiles.
    name : str, callable or DistanceMetric
        The metric as the user named it.
    tree : Tree or None
        The tree, where there is one.
    n_features : int
        Number of features of the data.
    params : dict
        Parameters of the metric, as `as_searched` and `_tiles.measure_by_name` take them.
    """

    algorithm: str
    X: np.ndarray
    metric: object
    name: object
    tree: object
    n_features: int
    params: dict | None = None  # which pickles of 0.1.0 do not have
    scale: float = 1.0  # what the data were multiplied by, a power of two

    @property
    def n_samples(self):
        """Number of points."""
        return self.X.shape[0]

    def to_distance(self, reduced):
        """Distances from reduced distances."""
        if self.metric is None:
            return reduced
        if self.name == "sqeuclidean":
            with np.errstate(over="ignore"):  # a square can be infinite
                return reduced / self.scale / self.scale
        if self.name in ("cosine", "correlation"):
            return reduced / 2
        if self.name == "haversine":  # from the chord to the arc
            return 2 * np.arcsin(np.minimum(np.sqrt(reduced) / 2, 1.0))
        return reduced_to_distance(self.metric, reduced) / self.scale

    def to_reduced(self, distances):
        """Largest reduced distances whose distances do not exceed the given ones."""
        if self.metric is None:
            return distances
        if self.name == "sqeuclidean":
            with np.errstate(over="ignore"):
                return distances * self.scale * self.scale
        if self.name in ("cosine", "correlation"):
            return distances * 2
        with np.errstate(over="ignore"):
            if self.name == "haversine":
                guess = np.square(2 * np.sin(np.minimum(distances, np.pi) / 2))
            else:
                guess = distance_to_reduced(self.metric, distances * self.scale)
        return largest_reduced(self.to_distance, distances, guess)


def resolve_metric(metric, p, w, n_features, params=None):
    """The Metric for a name: one code for each formula, whatever it is called.

    Implements the special cases of :eq:`eq-minkowski`: p = 1 is the Manhattan distance, p = 2 the
    Euclidean, p = infinity the Chebyshev distance :eq:`eq-chebyshev`.
    """
    ones = np.ones(n_features)
    if metric in ("cosine", "correlation", "haversine", "mahalanobis"):
        return Metric(EUCLIDEAN, 2.0, ones)
    if metric == "seuclidean":
        return Metric(MINKOWSKI, 2.0, 1 / np.asarray(params["V"], dtype=float))
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


def as_searched(X, name, is_query, params=None):
    """The arrays that are searched in place of the data, by the Euclidean distance.

    The cosine distance is half the squared Euclidean distance between unit vectors, so unit vectors
    are searched. A zero vector has no direction; its cosine with anything counts as 0. Two more
    coordinates, one for zero points and one for zero queries, give it exactly that distance.
    Implements :eq:`eq-cosine-distance`. The correlation distance is that of centred rows.

    The haversine distance is the arc between two points of the unit sphere, latitude and longitude
    in radians; it grows with the chord, so the points in space are searched. The Mahalanobis
    distance is Euclidean after a multiplication by a root of VI.
    """
    if name == "haversine":
        latitude, longitude = X[:, 0].astype(np.float64), X[:, -1].astype(np.float64)
        flat = np.cos(latitude)
        columns = flat * np.cos(longitude), flat * np.sin(longitude), np.sin(latitude)
        searched = np.column_stack(columns)
    elif name == "mahalanobis":
        searched = in_coordinates(X - params["center"], params["root"])
    elif name in ("cosine", "correlation"):
        searched = as_directions(X, name, is_query)
    else:
        return X
    if isinstance(searched, np.ndarray):
        searched.flags.writeable = False  # as all arrays that compiled functions receive
    return searched


def as_directions(X, name, is_query):
    """Rows of length 1, with two coordinates that mark zero points and zero queries."""
    if name == "correlation":
        is_constant = X.max(axis=1) == X.min(axis=1)
        X = X - X.mean(axis=1, dtype=np.float64, keepdims=True)
        X[is_constant] = 0.0  # whatever rounding has left
    marks = np.zeros((X.shape[0], 2))
    if isinstance(X, np.ndarray):
        marks[~X.any(axis=1), int(is_query)] = 1.0
        return np.hstack([unit_rows(X), marks])
    from scipy.sparse import csr_array, hstack

    marks[_tiles.sparse_row_sums(abs(X)) == 0, int(is_query)] = 1.0
    return hstack([unit_rows(X), csr_array(marks)], format="csr")


def change_of_coordinates(X, VI):
    """What `as_searched` needs for the Mahalanobis distance: a centre, and a root of VI (p, p).

    The centre changes no difference, and keeps digits of data far from zero.
    """
    values, vectors = np.linalg.eigh(VI)
    return {"center": X.mean(axis=0, dtype=np.float64), "root": vectors * np.sqrt(values.clip(0))}


def in_coordinates(X, root):
    """The product of X (n, p) and root (p, p), each row by itself: equal rows stay equal."""
    product = np.zeros(X.shape)  # BLAS rounds in an order that depends on the number of rows
    for j in range(X.shape[1]):
        product += X[:, j : j + 1] * root[j]
    return product


def choose_algorithm(name, n, p):
    """The fastest algorithm for n points with p features, for metrics that leave a choice."""
    few = p <= TREE_MAX_FEATURES and n >= TREE_MIN_SAMPLES
    if name in CHANGED:
        return "ball_tree" if few else "brute"
    return "kd_tree" if few and name in CODES else "brute"


def make_index(X, *, algorithm="auto", metric="euclidean", params=None, leaf_size=30, n_jobs=None):
    """Prepare points for search.

    Parameters
    ----------
    X : ndarray of shape (n, p), float32 or float64, C order; or CSR array
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
    metric : str, callable or DistanceMetric, default="euclidean"
        A name from METRICS, or what is called from Python for each pair or tile: slow, and by brute
        force whatever the algorithm.
    params : dict, default=None
        Parameters of the metric: the order p, positive, and the weights w, (p,), of the Minkowski
        distance; the variances V of ``"seuclidean"``; the inverse VI of the covariances of
        ``"mahalanobis"``; what SciPy's metrics take.
    leaf_size : int, default=30
        Points of a leaf of a tree, rounded up to a multiple of 8.
    n_jobs : int or None, default=None

    Returns
    -------
    Index
    """
    params, n_features, is_dense = dict(params or {}), X.shape[1], isinstance(X, np.ndarray)
    if measured_in_tiles(metric, params) or not is_dense:
        points = X if is_dense else as_searched(X.astype(np.float64), metric, False)
        return Index("brute", points, None, metric, None, n_features, params)
    if algorithm == "auto":
        algorithm = choose_algorithm(metric, *X.shape)
    if metric == "mahalanobis":
        params = change_of_coordinates(X, params["VI"])
    points = as_searched(X, metric, False, params)
    scale = 1.0
    if metric in CODES and CODES[metric] in (EUCLIDEAN, MINKOWSKI):
        order = params.get("p", 2.0) if CODES[metric] == MINKOWSKI else 2.0
        heard = X if params.get("w") is None else X[:, np.asarray(params["w"]) > 0.0]
        scale = 1.0 if np.isinf(order) else range_scale(heard, order)
        points = points if scale == 1.0 else _scaled(points, scale)
    p, w = params.get("p", 2.0), params.get("w")
    resolved = resolve_metric(metric, p, w, points.shape[1], params)
    tree = None
    if algorithm in KINDS:
        leaf = -(-leaf_size // _tree.LANES) * _tree.LANES
        tree = _tree.build(points, KINDS[algorithm], resolved, leaf, n_jobs)
        for array in tree:
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
    return Index(algorithm, points, resolved, metric, tree, n_features, params, scale)


def _scaled(X, scale):
    """X times a power of two, in its type and read-only."""
    with np.errstate(over="ignore"):  # of features whose weight is zero
        scaled = X * X.dtype.type(scale)
    scaled.flags.writeable = False
    return scaled


def searched_by(index, Q):
    """The index that is asked, and the queries in its coordinates.

    Another one than given where points were scaled up and queries are so far away that they leave
    the range of numbers there: by brute force, in the coordinates of the data.
    """
    queries = as_searched(Q, index.name, True, index.params)
    if index.scale == 1.0:
        return index, queries
    largest = float(np.abs(Q[:, index.metric.w > 0.0]).max(initial=0.0))
    if largest * index.scale < FARTHEST ** (1.0 / max(index.metric.p, 1.0)):
        return index, _scaled(queries.astype(np.float64), index.scale)
    points = _scaled(index.X, 1.0 / index.scale)
    return index._replace(algorithm="brute", X=points, tree=None, scale=1.0), queries


def measured_in_tiles(metric, params):
    """Tell whether compiled code does not know the metric."""
    if not isinstance(metric, str) or metric in _tiles.BY_TILES:
        return True
    return metric in _tiles.WEIGHTED and "w" in params


def tile_search(index, Q, options):
    """What the searches in tiles are told: the measure, the queries, and the points."""
    if callable(index.name):
        options["n_jobs"] = 1  # the user's function is not called by two threads at once
    is_sparse = not isinstance(index.X, np.ndarray)
    queries = as_searched(Q.astype(np.float64), index.name, True) if is_sparse else Q
    return _tiles.measure_by_name(index.name, index.params, is_sparse), queries, index.X


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
    index, reduced, indices = nearest(index, Q, k, exclude_self=exclude_self, n_jobs=n_jobs)
    return index.to_distance(reduced), indices


def nearest(index, Q, k, **options):
    """As `query_knn`: the index that was asked, reduced distances in its units, and indices."""
    if index.metric is None:
        return index, *_tiles.knn(*tile_search(index, Q, options), k, **options)
    index, queries = searched_by(index, Q)
    if index.tree is None:
        return index, *_brute.knn(index.metric, index.X, queries, k, **options)
    return index, *_tree.knn(index.metric, index.tree, queries, k, **options)


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
    if index.metric is None:
        blocks = _tiles.radius(
            *tile_search(index, Q, options), np.broadcast_to(r, Q.shape[:1]), **options
        )
    else:
        index, queries = searched_by(index, Q)
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
    index, queries = searched_by(index, Q)
    if index.tree is None:
        return np.diff(query_radius(index, Q, r, n_jobs=n_jobs)[0])
    r = np.atleast_1d(np.asarray(r, dtype=np.float64))
    bounds = np.broadcast_to(index.to_reduced(r), Q.shape[:1]).copy()
    return _tree.count(index.metric, index.tree, queries, bounds, n_jobs=n_jobs)
