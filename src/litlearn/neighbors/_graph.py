"""Graphs of neighbours: who is close to whom, as a sparse matrix."""

from litlearn._core import validation
from litlearn._core.base import NumberedColumnsMixin
from litlearn._core.constraints import BOOLEAN, Option, Table
from litlearn.neighbors._base import KNeighborsMixin, NeighborsBase, RadiusNeighborsMixin
from litlearn.neighbors._unsupervised import NearestNeighbors


def kneighbors_graph(
    X,
    n_neighbors,
    *,
    mode="connectivity",
    metric="minkowski",
    p=2,
    metric_params=None,
    include_self=False,
    n_jobs=None,
):
    """Return the graph of the nearest neighbours :eq:`eq-k-neighborhood` among samples.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or fitted estimator
        Samples, or an estimator of nearest neighbours that was fitted to them with the same
        `metric`, `p` and `metric_params`.
    n_neighbors : int
        Number of neighbours of each sample.
    mode : {"connectivity", "distance"}, default="connectivity"
        Whether an edge weighs 1 or the distance between its ends.
    metric, p, metric_params
        See :class:`litlearn.neighbors.NearestNeighbors`.
    include_self : bool or "auto", default=False
        Whether a sample counts as its own first neighbour. ``"auto"``: yes for connectivity, no for
        distance.
    n_jobs : int, default=None
        Number of threads. None and -1: every CPU that is available.

    Returns
    -------
    scipy.sparse matrix in CSR format, of shape (n_samples, n_samples)
        Entry (i, j) is the weight of the edge from sample i to its neighbour j.

    Notes
    -----
    Costs one search for each sample: O(n^2 p) by brute force, O(n p log n) by a tree in few
    dimensions.

    Examples
    --------
    >>> from litlearn.neighbors import kneighbors_graph
    >>> kneighbors_graph([[0.0], [1.0], [10.0]], 1).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """
    owner = "kneighbors_graph"
    metric = {"metric": metric, "p": p, "metric_params": metric_params}
    X = _searcher(owner, X, isinstance(X, KNeighborsMixin), metric, n_jobs, n_neighbors=n_neighbors)
    query = X._fit_X if _includes_self(owner, include_self, mode) else None
    return X.kneighbors_graph(query, n_neighbors=n_neighbors, mode=mode)


def radius_neighbors_graph(
    X,
    radius,
    *,
    mode="connectivity",
    metric="minkowski",
    p=2,
    metric_params=None,
    include_self=False,
    n_jobs=None,
):
    """Return the graph of the neighbours within a radius :eq:`eq-radius-neighborhood`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or fitted estimator
        Samples, or an estimator of nearest neighbours that was fitted to them with the same
        `metric`, `p` and `metric_params`.
    radius : float
        Largest distance of a neighbour, in the unit of the metric.
    mode : {"connectivity", "distance"}, default="connectivity"
        Whether an edge weighs 1 or the distance between its ends.
    metric, p, metric_params
        See :class:`litlearn.neighbors.NearestNeighbors`.
    include_self : bool or "auto", default=False
        Whether a sample counts as its own neighbour. ``"auto"``: yes for connectivity, no for
        distance.
    n_jobs : int, default=None
        Number of threads. None and -1: every CPU that is available.

    Returns
    -------
    scipy.sparse matrix in CSR format, of shape (n_samples, n_samples)
        Entry (i, j) is the weight of the edge from sample i to its neighbour j.

    Notes
    -----
    Costs one search for each sample, and memory in proportion to the number of edges.

    Examples
    --------
    >>> from litlearn.neighbors import radius_neighbors_graph
    >>> radius_neighbors_graph([[0.0], [1.0], [10.0]], 2.0, mode="distance").toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """
    owner = "radius_neighbors_graph"
    metric = {"metric": metric, "p": p, "metric_params": metric_params}
    X = _searcher(owner, X, isinstance(X, RadiusNeighborsMixin), metric, n_jobs, radius=radius)
    query = X._fit_X if _includes_self(owner, include_self, mode) else None
    return X.radius_neighbors_graph(query, radius=radius, mode=mode)


def _searcher(owner, X, fitted, metric, n_jobs, **size):
    """Return an estimator that searches among samples, whether or not it came fitted."""
    if not fitted:
        return NearestNeighbors(**size, **metric, n_jobs=n_jobs).fit(X)
    parameters = X.get_params()
    for name, value in metric.items():
        if repr(value) != repr(parameters[name]):
            raise ValueError(
                f"{owner}: got {value!r} for {name}, while the estimator passed as X has "
                f"{parameters[name]!r} for the same parameter."
            )
    return X


def _includes_self(owner, include_self, mode):
    found = (Option("auto") | BOOLEAN).check(owner, "include_self", include_self)
    return mode == "connectivity" if found == "auto" else found


# ---------------------------------------------------------------------------------------------
# Transformers


class NeighborsTransformer(NumberedColumnsMixin, NeighborsBase):
    """What the two transformers share: fitting, and the names of their columns."""

    _constraints = Table(mode=Option("distance", "connectivity"))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    @property
    def _n_features_out(self):
        return self.n_samples_fit_

    def fit(self, X, y=None):
        """Store the training samples, and build a tree if one is to be used.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples; a square matrix of distances if ``metric="precomputed"``.
        y : ignored
            Present because scikit-learn's tools pass it.

        Returns
        -------
        self : estimator

        Raises
        ------
        ValueError
            If a parameter is out of range, or `X` is missing, empty, of the wrong shape, or holds
            NaN or infinity.
        """
        self._store(self._prepare(X))
        return self


class KNeighborsTransformer(KNeighborsMixin, NeighborsTransformer):
    """Turn samples into the graph of their k nearest training samples :eq:`eq-k-neighborhood`.

    Parameters
    ----------
    mode : {"distance", "connectivity"}, default="distance"
        Whether an edge weighs the distance between its ends, or 1.
    n_neighbors : int or None, default=5
        Number of neighbours of each query. With ``mode="distance"`` one more is stored: the sample
        itself, which is the first of its neighbours among training samples.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How to search. It changes the time, never the result. ``"auto"`` chooses by the number of
        samples and features.
    leaf_size : int, default=30
        Samples in a leaf of a tree, rounded up to a multiple of 8. Changes time and memory only.
    metric, p, metric_params
        See :class:`litlearn.neighbors.NearestNeighbors`.
    n_jobs : int, default=None
        Number of threads. None and -1: every CPU that is available.

    Attributes
    ----------
    effective_metric_ : str or callable
        The metric in use: ``"euclidean"`` for ``"minkowski"`` with p = 2, for instance.
    effective_metric_params_ : dict
        Its parameters.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.
    n_samples_fit_ : int
        Number of training samples, and of columns of the graph.

    Notes
    -----
    Estimators with ``metric="precomputed"`` search in the graph, so that one search serves many of
    them, in a pipeline with a cache. Costs one search for each query: O(n p) by brute force, for n
    training samples with p features, less with a tree in few dimensions.

    Examples
    --------
    >>> from litlearn.neighbors import KNeighborsTransformer
    >>> graph = KNeighborsTransformer(n_neighbors=1).fit_transform([[0.0], [1.0], [3.0]])
    >>> print(graph.toarray())
    [[0. 1. 0.]
     [1. 0. 0.]
     [0. 2. 0.]]
    """

    def __init__(
        self,
        *,
        mode="distance",
        n_neighbors=5,
        algorithm="auto",
        leaf_size=30,
        metric="minkowski",
        p=2,
        metric_params=None,
        n_jobs=None,
    ):
        self._set_as_given(locals())

    def transform(self, X):
        """Return the graph of the neighbours of queries.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)
            Queries. A training sample among them counts as its own neighbour, at distance zero.

        Returns
        -------
        scipy.sparse matrix in CSR format, of shape (n_queries, n_samples_fit)
            Entry (i, j) is the weight of the edge from query i to training sample j. Edges of zero
            length are stored explicitly. In each row the nearest neighbour comes first.
        """
        validation.check_is_fitted(self)
        n_neighbors = self.n_neighbors + (self.mode == "distance")
        return self.kneighbors_graph(X, n_neighbors, self.mode)


class RadiusNeighborsTransformer(RadiusNeighborsMixin, NeighborsTransformer):
    """Turn samples into the graph of the training samples within a radius.

    Implements :eq:`eq-radius-neighborhood`.

    Parameters
    ----------
    mode : {"distance", "connectivity"}, default="distance"
        Whether an edge weighs the distance between its ends, or 1.
    radius : float or None, default=1.0
        Largest distance of a neighbour, in the unit of the metric.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How to search. It changes the time, never the result. ``"auto"`` chooses by the number of
        samples and features.
    leaf_size : int, default=30
        Samples in a leaf of a tree, rounded up to a multiple of 8. Changes time and memory only.
    metric, p, metric_params
        See :class:`litlearn.neighbors.NearestNeighbors`.
    n_jobs : int, default=None
        Number of threads. None and -1: every CPU that is available.

    Attributes
    ----------
    effective_metric_ : str or callable
        The metric in use: ``"euclidean"`` for ``"minkowski"`` with p = 2, for instance.
    effective_metric_params_ : dict
        Its parameters.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.
    n_samples_fit_ : int
        Number of training samples, and of columns of the graph.

    Notes
    -----
    Estimators with ``metric="precomputed"`` search in the graph, so that one search serves many of
    them, in a pipeline with a cache. Costs one search for each query, and memory in proportion to
    the number of edges.

    Examples
    --------
    >>> from litlearn.neighbors import RadiusNeighborsTransformer
    >>> graph = RadiusNeighborsTransformer(radius=1.5).fit_transform([[0.0], [1.0], [3.0]])
    >>> print(graph.toarray())
    [[0. 1. 0.]
     [1. 0. 0.]
     [0. 0. 0.]]
    """

    def __init__(
        self,
        *,
        mode="distance",
        radius=1.0,
        algorithm="auto",
        leaf_size=30,
        metric="minkowski",
        p=2,
        metric_params=None,
        n_jobs=None,
    ):
        self._set_as_given(locals())

    def transform(self, X):
        """Return the graph of the neighbours of queries.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)
            Queries. A training sample among them counts as its own neighbour, at distance zero.

        Returns
        -------
        scipy.sparse matrix in CSR format, of shape (n_queries, n_samples_fit)
            Entry (i, j) is the weight of the edge from query i to training sample j. Edges of zero
            length are stored explicitly. In each row the nearest neighbour comes first.
        """
        validation.check_is_fitted(self)
        return self.radius_neighbors_graph(X, self.radius, self.mode, sort_results=True)
