"""Graphs of neighbours: who is close to whom, as a sparse matrix."""

from litlearn import _validation
from litlearn.neighbors._base import KNeighborsMixin, RadiusNeighborsMixin
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
    Costs one search for each sample: O(n**2 p) by brute force, O(n p log n) by a tree in few
    dimensions.
    """
    owner = "kneighbors_graph"
    if not isinstance(X, KNeighborsMixin):
        X = NearestNeighbors(
            n_neighbors=n_neighbors,
            metric=metric,
            p=p,
            metric_params=metric_params,
            n_jobs=n_jobs,
        ).fit(X)
    else:
        _check_same_metric(owner, X, metric, p, metric_params)
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
    """
    owner = "radius_neighbors_graph"
    if not isinstance(X, RadiusNeighborsMixin):
        X = NearestNeighbors(
            radius=radius,
            metric=metric,
            p=p,
            metric_params=metric_params,
            n_jobs=n_jobs,
        ).fit(X)
    else:
        _check_same_metric(owner, X, metric, p, metric_params)
    query = X._fit_X if _includes_self(owner, include_self, mode) else None
    return X.radius_neighbors_graph(query, radius=radius, mode=mode)


def _check_same_metric(owner, estimator, metric, p, metric_params):
    given = {"metric": metric, "p": p, "metric_params": metric_params}
    fitted = estimator.get_params()
    for name, value in given.items():
        if repr(value) != repr(fitted[name]):
            raise ValueError(
                f"{owner}: got {value!r} for {name}, while the estimator passed as X has "
                f"{fitted[name]!r} for the same parameter."
            )


def _includes_self(owner, include_self, mode):
    if isinstance(include_self, str):
        _validation.check_option(owner, "include_self", include_self, ("auto",), or_else=" or bool")
        return mode == "connectivity"
    if include_self not in (True, False):
        _validation._refuse(owner, "include_self", include_self, "a bool or 'auto'")
    return bool(include_self)
