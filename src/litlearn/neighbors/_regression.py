"""Regression by the mean of the neighbours' targets."""

import numpy as np

from litlearn._core import validation
from litlearn._core.base import RegressorMixin
from litlearn._core.chunked import in_memory
from litlearn._core.jit import njit
from litlearn.neighbors._base import (
    KNeighborsMixin,
    NeighborsBase,
    RadiusNeighborsMixin,
    make_weights,
)


@njit
def weighted_means(targets, ind, indptr, weights, means):
    """Average the targets of the neighbours of each query: :eq:`eq-knn-regression`.

    `targets` is (n_samples, n_outputs); `ind` (n_pairs,) and `indptr` (n_queries + 1,) are the
    neighbours; `weights` is (n_pairs,), or (1,) for equal weights; `means` (n_queries, n_outputs)
    holds zeros and receives the result, NaN for a query without neighbours.
    """
    equal = weights.size == 1
    for q in range(indptr.size - 1):
        # <sum>: Each neighbour adds its target times its weight.
        total = 0.0
        for s in range(indptr[q], indptr[q + 1]):
            weight = weights[0] if equal else weights[s]
            total += weight
            for t in range(targets.shape[1]):
                means[q, t] += weight * targets[ind[s], t]
        # <normalise>: Divided by their sum, the weights sum to one.
        for t in range(targets.shape[1]):
            means[q, t] = means[q, t] / total if total > 0.0 else np.nan


class NeighborsRegressor(RegressorMixin, NeighborsBase):
    """What the two regressors share: targets and their means."""

    def fit(self, X, y):
        """Store the training samples and their targets, and build a tree if one is to be used.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), KDTree, BallTree or \
                fitted estimator
            Training samples. A tree, or another fitted estimator, lends its index. Sparse samples,
            of which all but CSR are converted to it, are searched by brute force, with the
            metrics of ``VALID_METRICS_SPARSE`` or a callable.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets, real numbers.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `y` is sparse, or `X` or `y` holds objects that are not numbers.
        ValueError
            If a parameter is out of range, or `X` or `y` is missing, empty, of the wrong shape, or
            holds NaN or infinity.
        """
        prepared = self._prepare(X)
        targets = in_memory(validation.check_real_targets(self, y, prepared.X.shape[0]))
        self._store(prepared)
        self._y = targets
        return self

    def predict(self, X):
        """Predict the target of each query: the weighted mean :eq:`eq-knn-regression`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), or None
            Query points. None: the training samples, each without itself as a neighbour.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs), float64
            Predicted targets. NaN, with a warning, for a query without any neighbour within the
            radius.
        """
        queries, exclude_self = self._query_array(X)
        targets = validation.read_only(self._y.reshape(self.n_samples_fit_, -1))
        means = np.zeros((queries.shape[0], targets.shape[1]))
        alone = 0
        for rows, dist, ind, indptr in self._neighborhoods(queries, exclude_self):
            weights = make_weights(self, self.weights, dist, indptr)
            weighted_means(targets, ind, indptr, weights, means[rows])
            alone += np.count_nonzero(indptr[1:] == indptr[:-1])
        if alone:
            message = (
                f"{type(self).__name__}: {alone} samples: One or more samples have no neighbors "
                "within specified radius; predicting NaN."
            )
            validation.warn(UserWarning(message))
        return means[:, 0] if self._y.ndim == 1 else means


class KNeighborsRegressor(KNeighborsMixin, NeighborsRegressor):
    """Predict the mean target of the k nearest neighbours.

    Implements :eq:`eq-knn-regression` with the neighbourhood :eq:`eq-k-neighborhood`.

    Parameters
    ----------
    n_neighbors : int or None, default=5
        Number of neighbours that are averaged.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        ``"uniform"`` and None: all neighbours weigh the same :eq:`eq-weights-uniform`.
        ``"distance"``: a neighbour weighs one over its distance :eq:`eq-weights-distance`; where
        distances are zero, those neighbours share all the weight. A callable
        takes an array of distances of shape (n_queries, n_neighbors) and returns as many weights,
        not negative, and not all zero for any query; infinite ones share all the weight.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How to search. It changes the time, never the result. ``"auto"`` chooses by the number of
        samples and features.
    leaf_size : int, default=30
        Samples in a leaf of a tree, rounded up to a multiple of 8. Changes time and memory only.
    p : float or None, default=2
        Exponent of the Minkowski metric :eq:`eq-minkowski`, positive, possibly infinite. Below 1 it
        is no distance; brute force then searches, with a warning.
    metric : str, callable or DistanceMetric, default="minkowski"
        A name from ``VALID_METRICS``, or any Python function of two arrays of shape (n_features,)
        that returns a number; it is called once for each pair, which is slow. An object of
        scikit-learn's class ``DistanceMetric`` is asked for a tile of distances at a time.
        ``"precomputed"``: `X` is a matrix of distances, square in ``fit``, (n_queries, n_samples)
        afterwards, or a sparse graph that stores those of neighbours.
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
    Training costs what the search structure costs: nothing for brute force, O(n p log n) for a
    tree. A prediction is one search, O(n p) or, with a tree in few dimensions, O(p log n), and a
    mean, O(k) for each output. See :cite:t:`murphy_machine_2012`.

    Predictions are float64, whatever the type of `y`. Of neighbours at the same distance, those
    with the lower row numbers count.

    Examples
    --------
    >>> from litlearn.neighbors import KNeighborsRegressor
    >>> model = KNeighborsRegressor(n_neighbors=2).fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> print(model.predict([[1.5]]))
    [0.5]
    """

    _fits_chunks = _keeps_chunks = True

    def __init__(
        self,
        n_neighbors=5,
        *,
        weights="uniform",
        algorithm="auto",
        leaf_size=30,
        p=2,
        metric="minkowski",
        metric_params=None,
        n_jobs=None,
    ):
        self._set_as_given(locals())


class RadiusNeighborsRegressor(RadiusNeighborsMixin, NeighborsRegressor):
    """Predict the mean target of all neighbours within a radius.

    Implements :eq:`eq-knn-regression` with the neighbourhood :eq:`eq-radius-neighborhood`.

    Parameters
    ----------
    radius : float or None, default=1.0
        Largest distance of a neighbour, in the unit of the metric.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        ``"uniform"`` and None: all neighbours weigh the same :eq:`eq-weights-uniform`.
        ``"distance"``: a neighbour weighs one over its distance :eq:`eq-weights-distance`; where
        distances are zero, those neighbours share all the weight. A callable
        takes an array of n_queries arrays of distances and returns as many weights, not negative,
        and not all zero for any query; infinite ones share all the weight. If that raises a
        TypeError, it is called with the distances of one query at a time.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How to search. It changes the time, never the result. ``"auto"`` chooses by the number of
        samples and features.
    leaf_size : int, default=30
        Samples in a leaf of a tree, rounded up to a multiple of 8. Changes time and memory only.
    p : float or None, default=2
        Exponent of the Minkowski metric :eq:`eq-minkowski`, positive, possibly infinite. Below 1 it
        is no distance; brute force then searches, with a warning.
    metric : str, callable or DistanceMetric, default="minkowski"
        A name from ``VALID_METRICS``, or any Python function of two arrays of shape (n_features,)
        that returns a number; it is called once for each pair, which is slow. An object of
        scikit-learn's class ``DistanceMetric`` is asked for a tile of distances at a time.
        ``"precomputed"``: `X` is a matrix of distances, square in ``fit``, (n_queries, n_samples)
        afterwards, or a sparse graph that stores those of neighbours.
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
    A prediction is one search, O(n p) or less with a tree, and a mean, O(number of neighbours) for
    each output. Queries are taken in blocks, so that memory stays bounded whatever the radius. See
    :cite:t:`murphy_machine_2012`.

    Examples
    --------
    >>> from litlearn.neighbors import RadiusNeighborsRegressor
    >>> model = RadiusNeighborsRegressor(radius=1.0).fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> print(model.predict([[1.5]]))
    [0.5]
    """

    def __init__(
        self,
        radius=1.0,
        *,
        weights="uniform",
        algorithm="auto",
        leaf_size=30,
        p=2,
        metric="minkowski",
        metric_params=None,
        n_jobs=None,
    ):
        self._set_as_given(locals())
