"""Classification by a vote of the neighbours."""

import numpy as np

from litlearn._core import targets, validation
from litlearn._core.base import ClassifierMixin
from litlearn._core.chunked import in_memory
from litlearn._core.constraints import ANYTHING, Table
from litlearn._core.jit import njit
from litlearn.neighbors._base import (
    KNeighborsMixin,
    NeighborsBase,
    RadiusNeighborsMixin,
    make_weights,
)


@njit
def count_votes(labels, ind, indptr, weights, votes):
    """Add the votes of the neighbours of each query: the sum in :eq:`eq-knn-classification`.

    `labels` (n_samples,) are class numbers; `ind` (n_pairs,) and `indptr` (n_queries + 1,) are the
    neighbours; `weights` is (n_pairs,), or (1,) for equal weights; `votes` (n_queries, n_classes)
    holds zeros and receives the result.
    """
    equal = weights.size == 1
    for q in range(indptr.size - 1):
        # <vote>: Each neighbour adds its weight to the class that it belongs to.
        for s in range(indptr[q], indptr[q + 1]):
            votes[q, labels[ind[s]]] += weights[0] if equal else weights[s]


class NeighborsClassifier(ClassifierMixin, NeighborsBase):
    """What the two classifiers share: classes, votes, probabilities."""

    _multi_label = True

    def fit(self, X, y):
        """Store the training samples and their classes, and build a tree if one is to be used.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), KDTree, BallTree or \
                fitted estimator
            Training samples. A tree, or another fitted estimator, lends its index. Sparse samples,
            of which all but CSR are converted to it, are searched by brute force, with the
            metrics of ``VALID_METRICS_SPARSE`` or a callable.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Classes: integers, booleans or strings.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `y` is sparse, or `X` or `y` holds objects that are not numbers.
        ValueError
            If a parameter is out of range, or `X` or `y` is missing, empty, of the wrong shape, or
            holds NaN, infinity or, in `y`, fractions.
        """
        prepared = self._prepare(X)
        coded = targets.encode(self, y, prepared.X.shape[0])
        pairs = list(zip(coded.classes, coded.codes, strict=True))
        outlier_label = self._check_outlier_label(pairs)
        self._store(prepared)
        self.outputs_2d_ = not coded.flat
        self.classes_ = coded.public_classes()
        self._y = targets.join_outputs([in_memory(one) for one in coded.codes], coded.flat)
        self._store_outlier_label(outlier_label)
        return self

    def _check_outlier_label(self, pairs):
        return None

    def _store_outlier_label(self, label):
        pass

    def _each_output(self):
        """Return pairs (classes, labels): one for each output."""
        if self.outputs_2d_:
            columns = [np.ascontiguousarray(column) for column in self._y.T]
            return list(zip(self.classes_, columns, strict=True))
        return [(self.classes_, self._y)]

    def _votes(self, X):
        """Return, for each output, the votes (n_queries, n_classes), and who has no neighbours."""
        queries, exclude_self = self._query_array(X)
        outputs = self._each_output()
        votes = [np.zeros((queries.shape[0], len(classes))) for classes, _ in outputs]
        alone = np.zeros(queries.shape[0], dtype=bool)
        for rows, dist, ind, indptr in self._neighborhoods(queries, exclude_self):
            weights = make_weights(self, self.weights, dist, indptr)
            for (_, labels), out in zip(outputs, votes, strict=True):
                count_votes(validation.read_only(labels), ind, indptr, weights, out[rows])
            alone[rows] = indptr[1:] == indptr[:-1]
        return votes, alone

    def predict(self, X):
        """Predict the class of each query: the one with most votes, :eq:`eq-knn-classification`.

        Of classes with equally many votes, the first in ``classes_`` is predicted.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), or None
            Query points. None: the training samples, each without itself as a neighbour.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
            Predicted classes, of the type of ``classes_``.
        """
        votes, alone = self._votes(X)
        winners = [
            targets.label(classes, out)
            for (classes, _), out in zip(self._each_output(), votes, strict=True)
        ]
        self._label_outliers(winners, alone)
        return targets.join_outputs(winners, not self.outputs_2d_)

    def predict_proba(self, X):
        """Return the share of the votes that each class gets.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), or None
            Query points. None: the training samples, each without itself as a neighbour.

        Returns
        -------
        ndarray of shape (n_queries, n_classes), or a list of them, one for each output
            Shares in the order of ``classes_``. Each row sums to 1, except for a query without
            neighbours whose label is not a class.
        """
        votes, alone = self._votes(X)
        self._vote_for_outliers(votes, alone)
        shares = []
        for out in votes:
            totals = out.sum(axis=1, keepdims=True)
            totals[totals == 0.0] = 1.0
            shares.append(out / totals)
        return shares if self.outputs_2d_ else shares[0]

    def _label_outliers(self, winners, alone):
        pass

    def _vote_for_outliers(self, votes, alone):
        pass

    def score(self, X, y, sample_weight=None):
        """Return the accuracy: the fraction of samples whose predicted class is the true one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or None
            Samples. None: the training samples, each without itself as a neighbour; with `y` the
            training classes, that is the accuracy of leave-one-out cross-validation.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their true classes. A sample with several is right when all of them are right.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the fraction.

        Returns
        -------
        float
            Between 0 and 1.
        """
        return super().score(X, y, sample_weight)


class KNeighborsClassifier(KNeighborsMixin, NeighborsClassifier):
    """Classify by a vote of the k nearest neighbours.

    Implements :eq:`eq-knn-classification` with the neighbourhood :eq:`eq-k-neighborhood`.

    Parameters
    ----------
    n_neighbors : int or None, default=5
        Number of neighbours that vote.
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
    classes_ : ndarray of shape (n_classes,), or a list of them, one for each output
        The classes, sorted.
    outputs_2d_ : bool
        Whether `y` had several columns.
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
    vote, O(k). See :cite:t:`cover_nearest_1967`.

    Of neighbours at the same distance, those with the lower row numbers vote. Of classes with
    equally many votes, the first in ``classes_`` wins. scikit-learn promises the second only.

    Examples
    --------
    >>> from litlearn.neighbors import KNeighborsClassifier
    >>> model = KNeighborsClassifier(n_neighbors=3).fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> print(model.predict([[1.1]]))
    [0]
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


class RadiusNeighborsClassifier(RadiusNeighborsMixin, NeighborsClassifier):
    """Classify by a vote of all neighbours within a radius.

    Implements :eq:`eq-knn-classification` with the neighbourhood :eq:`eq-radius-neighborhood`.

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
    outlier_label : label, list of labels (one for each output), "most_frequent" or None
        Prediction for a query without neighbours, of the type of the classes. None (default): such
        a query is an error. ``"most_frequent"``: the most frequent class of the training samples.
    metric_params : dict, default=None
        Further parameters of the metric: for ``"minkowski"`` the weights ``w`` of the features, of
        shape (n_features,); for ``"seuclidean"`` their variances ``V``, (n_features,); for
        ``"mahalanobis"`` the inverse ``VI`` of their covariances, (n_features, n_features); for a
        callable, its keyword arguments.
    n_jobs : int, default=None
        Number of threads. None and -1: every CPU that is available.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or a list of them, one for each output
        The classes, sorted.
    outlier_label_ : list of labels, one for each output, or None
        What a query without neighbours is predicted to be.
    outputs_2d_ : bool
        Whether `y` had several columns.
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
    A prediction is one search, O(n p) or less with a tree, and a vote, O(number of neighbours).
    Queries are taken in blocks, so that memory stays bounded whatever the radius. See
    :cite:t:`bentley_multidimensional_1975`.

    Examples
    --------
    >>> from litlearn.neighbors import RadiusNeighborsClassifier
    >>> model = RadiusNeighborsClassifier(radius=1.0).fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> print(model.predict([[1.5]]))
    [0]
    """

    _constraints = Table(outlier_label=ANYTHING)

    def __init__(
        self,
        radius=1.0,
        *,
        weights="uniform",
        algorithm="auto",
        leaf_size=30,
        p=2,
        metric="minkowski",
        outlier_label=None,
        metric_params=None,
        n_jobs=None,
    ):
        self._set_as_given(locals())

    def _check_outlier_label(self, pairs):
        """Return one label for each output, or None, after checking its type."""
        label = self.outlier_label
        if label is None:
            return None
        if isinstance(label, str) and label == "most_frequent":
            return [classes[np.bincount(inverse).argmax()] for classes, inverse in pairs]
        labels = list(label) if validation.is_array_like(label) else [label] * len(pairs)
        if len(labels) != len(pairs):
            raise ValueError(
                f"RadiusNeighborsClassifier: outlier_label {validation.shown(label)} has "
                f"{len(labels)} entries, but y has {len(pairs)} outputs."
            )
        for (classes, _), one in zip(pairs, labels, strict=True):
            if isinstance(one, (list, np.ndarray)):
                raise TypeError(
                    f"RadiusNeighborsClassifier: the outlier_label of classes {classes} is "
                    f"supposed to be a scalar, got {one!r}."
                )
            try:
                fits = np.append(classes, one).dtype == classes.dtype
            except TypeError:  # the two have no type in common
                fits = False
            if not fits:
                raise TypeError(
                    f"RadiusNeighborsClassifier: the dtype of outlier_label "
                    f"{validation.shown(one)} is inconsistent with classes {classes} in y."
                )
        return labels

    def _store_outlier_label(self, label):
        self.outlier_label_ = label

    def _refuse_outliers(self, alone):
        raise ValueError(
            f"RadiusNeighborsClassifier: No neighbors found for test samples "
            f"{np.flatnonzero(alone)!r}, you can try using larger radius, giving a label for "
            "outliers, or considering removing them from your dataset."
        )

    def _label_outliers(self, winners, alone):
        if not alone.any():
            return
        if self.outlier_label_ is None:
            self._refuse_outliers(alone)
        for output, label in enumerate(self.outlier_label_):
            self._warn_of_label(self._each_output()[output][0], label)
            winners[output][alone] = label

    def _vote_for_outliers(self, votes, alone):
        if not alone.any():
            return
        if self.outlier_label_ is None:
            self._refuse_outliers(alone)
        for (classes, _), label, out in zip(
            self._each_output(), self.outlier_label_, votes, strict=True
        ):
            position = np.flatnonzero(classes == label)
            if len(position):
                out[alone, position[0]] = 1.0
            self._warn_of_label(classes, label)

    def _warn_of_label(self, classes, label):
        if not np.any(classes == label):
            message = (
                f"RadiusNeighborsClassifier: Outlier label {label} is not in training classes. All "
                "class probabilities of outliers will be assigned with 0."
            )
            validation.warn(UserWarning(message))
