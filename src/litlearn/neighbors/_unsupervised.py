"""Search for neighbours, without a target."""

from litlearn.neighbors._base import KNeighborsMixin, NeighborsBase, RadiusNeighborsMixin


class NearestNeighbors(KNeighborsMixin, RadiusNeighborsMixin, NeighborsBase):
    """Search for the nearest neighbours of points.

    Implements :eq:`eq-k-neighborhood` (``kneighbors``) and :eq:`eq-radius-neighborhood`
    (``radius_neighbors``). The search is exact: every algorithm returns the same neighbours, and of
    neighbours at the same distance those with the lower row numbers.

    Parameters
    ----------
    n_neighbors : int or None, default=5
        Number of neighbours of ``kneighbors``.
    radius : float or None, default=1.0
        Radius of ``radius_neighbors``, in the unit of the metric.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How to search. It changes the time, never the result. ``"auto"`` chooses by the number of
        samples and features.
    leaf_size : int, default=30
        Samples in a leaf of a tree, rounded up to a multiple of 8. Changes time and memory only.
    metric : str, callable or DistanceMetric, default="minkowski"
        A name from ``VALID_METRICS``, or any Python function of two arrays of shape (n_features,)
        that returns a number; it is called once for each pair, which is slow. An object of
        scikit-learn's class ``DistanceMetric`` is asked for a tile of distances at a time.
        ``"precomputed"``: `X` is a matrix of distances, square in ``fit``, (n_queries, n_samples)
        afterwards, or a sparse graph that stores those of neighbours.
    p : float or None, default=2
        Exponent of the Minkowski metric :eq:`eq-minkowski`, positive, possibly infinite. Below 1 it
        is no distance; brute force then searches, with a warning.
    metric_params : dict, default=None
        Further parameters of the metric: for ``"minkowski"`` the weights ``w`` of the features, of
        shape (n_features,); for ``"seuclidean"`` their variances ``V``, (n_features,); for
        ``"mahalanobis"`` the inverse ``VI`` of their covariances, (n_features, n_features); for a
        callable, its keyword arguments.
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
        Number of training samples.

    Notes
    -----
    With n samples and p features, brute force needs no preparation and O(n p) for each query. A
    tree takes O(n p log n) to build. In few dimensions a query then costs O(p log n). See
    :cite:t:`bentley_multidimensional_1975` and :cite:t:`omohundro_five_1989`.

    Examples
    --------
    >>> from litlearn.neighbors import NearestNeighbors
    >>> search = NearestNeighbors(n_neighbors=1).fit([[0.0, 0.0], [0.0, 0.5], [1.0, 1.0]])
    >>> dist, ind = search.kneighbors([[1.0, 0.5]])
    >>> print(dist, ind)
    [[0.5]] [[2]]
    """

    _fits_chunks = _keeps_chunks = True

    def __init__(
        self,
        *,
        n_neighbors=5,
        radius=1.0,
        algorithm="auto",
        leaf_size=30,
        metric="minkowski",
        p=2,
        metric_params=None,
        n_jobs=None,
    ):
        self._set_as_given(locals())

    def fit(self, X, y=None):
        """Store the training samples, and build a tree if one is to be used.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), KDTree, BallTree or \
                fitted estimator
            Training samples. A tree, or another fitted estimator, lends its index. Sparse samples,
            of which all but CSR are converted to it, are searched by brute force, with the
            metrics of ``VALID_METRICS_SPARSE`` or a callable.
        y : ignored
            Present because scikit-learn's tools pass it.

        Returns
        -------
        self : NearestNeighbors
        """
        self._store(self._prepare(X))
        return self
