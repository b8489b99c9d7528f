"""Classification by the nearest centroid of a class."""

import functools

import numpy as np

from litlearn._core import targets, validation
from litlearn._core.base import BaseEstimator, ClassifierMixin
from litlearn._core.chunked import count_codes, is_chunked
from litlearn._core.constraints import ARRAY, POSITIVE, Option, Table
from litlearn._core.distances import EUCLIDEAN, MANHATTAN, Metric, difference_tile, range_scale
from litlearn._core.moments import Samples, moments_by_class
from litlearn._core.normal import given_priors
from litlearn._core.parallel import cut

ROWS = 4096  # samples that are measured together, and made dense if they are sparse


def dense_blocks(X):
    """Yield ``(rows, block)`` for all rows of X (n, p), dense or CSR; the blocks are dense."""
    for rows in cut(X.shape[0], ROWS):
        block = X[rows]
        yield rows, block if isinstance(block, np.ndarray) else block.toarray()


def class_medians(X, members):
    """Median of each feature over the samples `members` of X (n, p), dense or CSC, (p,)."""
    if isinstance(X, np.ndarray):
        return np.median(X[members], axis=0)
    columns = X[members].tocsc()
    return np.array(
        [np.median(columns[:, [j]].toarray()) for j in range(columns.shape[1])], dtype=np.float64
    )


def within_deviations(X, codes, centroids):
    """Pooled standard deviation of each feature around the centroids of the classes, (p,)."""
    squares, scale = np.zeros(X.shape[1]), range_scale(X, 2.0)
    for rows, block in dense_blocks(X):
        squares += np.square((block - centroids[codes[rows]]) * scale).sum(axis=0)
    with np.errstate(invalid="ignore"):  # not a number if each sample is a class
        return np.sqrt(squares / (X.shape[0] - len(centroids))) / scale


def centroid_distances(X, centroids, scale, metric):
    """Squared distances from samples (n, p), dense or CSR, to centroids (c, p), (n, c).

    Both are divided by scale (p,) first; the distances are Euclidean or Manhattan.
    """
    code = EUCLIDEAN if metric == "euclidean" else MANHATTAN
    points = validation.read_only(centroids / scale)
    out = np.empty((X.shape[0], len(centroids)))
    for rows, block in dense_blocks(X):
        difference_tile(
            Metric(code, 2.0, np.ones(len(scale))),
            points,
            validation.read_only(block / scale),
            out[rows],
        )
    return out if code == EUCLIDEAN else out**2


class _EuclideanOnly:
    """A method that is there for the Euclidean metric alone: only then are scores densities."""

    def __init__(self, method):
        functools.update_wrapper(self, method)
        self.method = method

    def __get__(self, instance, owner=None):
        if instance is None:
            return self.method
        if instance.metric != "euclidean":
            raise AttributeError(
                f"{type(instance).__name__} has no {self.method.__name__} with metric="
                f"{instance.metric!r}, only with 'euclidean'."
            )
        return self.method.__get__(instance, owner)


class NearestCentroid(ClassifierMixin, BaseEstimator):
    r"""Classify by the nearest of the classes' centroids.

    With the Euclidean distance a centroid is the mean :math:`\bar{x}_c` of a class, with the
    Manhattan distance the median of each feature. A threshold shrinks the centroids towards the
    mean :math:`\bar{x}` of all samples: the deviation

    .. math:: d_{cj} = \frac{\bar{x}_{cj} - \bar{x}_j}{m_c (s_j + s_0)}, \qquad
              m_c = \sqrt{1 / n_c - 1 / n},

    of class c in feature j moves towards zero by the threshold, and ends there. Features in which
    no class deviates any more no longer count. :math:`s_j` is the standard deviation within the
    classes, :math:`s_0` the median of those.

    Parameters
    ----------
    metric : {"euclidean", "manhattan"}, default="euclidean"
        Distance to the centroids, and what a centroid is.
    shrink_threshold : float, default=None
        By how much deviations shrink, positive, in units of their standard errors. None: not.
    priors : {"uniform", "empirical"} or array-like of shape (n_classes,), default="uniform"
        Probabilities of the classes before a sample is seen. ``"empirical"``: their shares of the
        training samples. If they do not sum to 1, they are scaled, with a warning.

    Attributes
    ----------
    centroids_ : ndarray of shape (n_classes, n_features)
        The centroids, shrunk if they are.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_prior_ : ndarray of shape (n_classes,)
        Prior probabilities.
    deviations_ : ndarray of shape (n_classes, n_features)
        The deviations d, shrunk if they are.
    within_class_std_dev_ : ndarray of shape (n_features,)
        The standard deviations s, pooled over the classes, around the centroids before shrinking.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Notes
    -----
    Fitting costs O(n p) with means and O(n p log n) with medians, for n samples with p features; a
    prediction O(p) for each class. Sparse samples are made dense block by block. See
    :cite:t:`hastie_elements_2009`, section 18.2.

    With equal priors the plain distance decides, as in scikit-learn. Otherwise, and in
    ``decision_function``, features are divided by their standard deviations, and the score of a
    class is :math:`-\sum_j (x_j - \bar{x}_{cj})^2 / s_j^2 + 2 \log \pi_c`.

    Examples
    --------
    >>> from litlearn.neighbors import NearestCentroid
    >>> X, y = [[0.0], [1.0], [4.0], [6.0]], ["well", "well", "ill", "ill"]
    >>> model = NearestCentroid().fit(X, y)
    >>> print(model.predict([[2.0], [3.0]]))
    ['well' 'ill']
    """

    _constraints = Table(
        metric=Option("euclidean", "manhattan"),
        shrink_threshold=POSITIVE | None,
        priors=Option("uniform", "empirical") | ARRAY,
    )
    _sparse_formats = ("csr",)
    _fits_chunks = True

    def __init__(self, metric="euclidean", *, shrink_threshold=None, priors="uniform"):
        self._set_as_given(locals())

    def fit(self, X, y):
        """Find the centroids of the classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples. All but CSR is converted to it, if sparse.
        y : array-like of shape (n_samples,)
            Classes: integers, booleans or strings.

        Returns
        -------
        self : NearestCentroid

        Raises
        ------
        ValueError
            If a parameter is out of range, there is only one class, or no feature varies.
        """
        who, shrink = type(self).__name__, validation.check_parameters(self).shrink_threshold
        X, names = validation.check_samples(self, X)
        coded = targets.encode_one(self, y, X.shape[0], fewest=2)
        classes, codes = coded.classes[0], coded.codes[0]
        counts = count_codes(codes, len(classes))
        priors = self._check_priors(counts)
        if is_chunked(X):
            centroids, within, center, varies = self._statistics_of_chunks(X, codes, len(classes))
        else:
            centroids = np.array([self._centroid(X, codes == c) for c in range(len(classes))])
            within = within_deviations(X, codes, centroids)
            center = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
            varies = _largest(X) - _smallest(X)
        if not np.any(varies):
            raise ValueError(f"{who}: All features have zero variance. Division by zero.")
        if not within.all():
            message = (
                f"{who}: self.within_class_std_dev_ has at least 1 zero standard deviation. Inputs "
                "within the same classes for at least 1 feature are identical."
            )
            validation.warn(UserWarning(message))
        errors = np.sqrt(1 / counts - 1 / X.shape[0])[:, np.newaxis] * (within + np.median(within))
        with np.errstate(divide="ignore", invalid="ignore"):
            deviations = (centroids - center) / errors
        if shrink is not None:
            sizes = np.maximum(np.abs(deviations) - shrink, 0.0)
            deviations = np.sign(deviations) * sizes
            centroids = center + errors * deviations
        validation.store_features(self, X.shape[1], names)
        self.classes_, self.class_prior_, self.centroids_ = classes, priors, centroids
        self.deviations_, self.within_class_std_dev_ = deviations, within
        return self

    def _check_priors(self, counts):
        who = type(self).__name__
        if validation.is_option(self.priors, "empirical"):
            return counts / counts.sum()
        if validation.is_option(self.priors, "uniform"):
            return np.full(len(counts), 1 / len(counts))
        priors = given_priors(self, self.priors, len(counts))
        if np.any(priors < 0):
            raise ValueError(f"{who}: priors must be non-negative. Got {priors}.")
        if not np.isclose(priors.sum(), 1.0):
            message = f"{who}: The priors do not sum to 1. Normalizing such that it sums to one."
            validation.warn(UserWarning(message))
        return priors / priors.sum()

    def _statistics_of_chunks(self, X, codes, n_classes):
        """Centroids, deviations within and the mean of all samples, and which features vary."""
        if self.metric == "manhattan":
            raise ValueError(
                f"{type(self).__name__}: metric='manhattan' takes medians, which are no sums over "
                "samples. Of an array of Dask, use metric='euclidean'."
            )
        samples = Samples(X, np.empty((len(X), 0)), None, True)
        parts = moments_by_class(samples, codes, n_classes, full=False)
        centroids = np.array([part.x_mean for part in parts])
        counts = np.array([part.weight for part in parts])
        squares, center = sum(part.xx for part in parts), counts / len(X) @ centroids
        with np.errstate(invalid="ignore"):  # not a number if each sample is a class
            within = np.sqrt(squares / (len(X) - n_classes))
        return centroids, within, center, squares + np.ptp(centroids, axis=0)

    def _centroid(self, X, is_member):
        if self.metric == "manhattan":
            return class_medians(X, is_member)
        return np.asarray(X[is_member].mean(axis=0, dtype=np.float64)).ravel()

    def predict(self, X):
        """Predict the class of each sample: that of the nearest centroid.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Members of ``classes_``; of equally near ones, the first.
        """
        validation.check_is_fitted(self)
        if not np.allclose(self.class_prior_, 1 / len(self.classes_)):
            return targets.label(self.classes_, self._scores(X))
        X = validation.check_queries(self, X)
        # Only the order matters: of squares that keep their digits.
        largest = [np.abs(self.centroids_).max(), abs(X).max()]
        unit = np.full(self.n_features_in_, 1.0 / range_scale(np.array(largest), 2.0))
        nearest = centroid_distances(X, self.centroids_, unit, self.metric).argmin(axis=1)
        return self.classes_[nearest]

    def _scores(self, X):
        """Scores of the classes: logarithms of their probabilities, doubled, up to a constant."""
        X = validation.check_queries(self, X)
        within = self.within_class_std_dev_
        scale = np.where(within > 0, within, 1.0)
        distances = centroid_distances(X, self.centroids_, scale, self.metric)
        distances[np.isinf(distances).all(axis=1)] = 0.0  # too far to tell the classes apart
        return 2.0 * targets.logarithms(self.class_prior_) - distances

    def _decision_function(self, X):
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    @_EuclideanOnly
    def decision_function(self, X):
        """Return the scores of the classes; only with the Euclidean metric.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            The score of each class; of the second less the first if there are two.
        """
        return self._decision_function(X)

    @_EuclideanOnly
    def predict_proba(self, X):
        """Return shares of the classes: exponentials of the scores, in proportion.

        As scikit-learn has it, the scores are not halved before: the shares are those of normal
        distributions with half the variance.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; each row sums to 1.
        """
        return targets.probabilities(self._decision_function(X))

    @_EuclideanOnly
    def predict_log_proba(self, X):
        """Return logarithms of the shares of ``predict_proba``, as far as float64 reaches.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        return targets.log_probabilities(self._decision_function(X))


def _largest(X):
    return row_as_array(X.max(axis=0))


def _smallest(X):
    return row_as_array(X.min(axis=0))


def row_as_array(values):
    return values if isinstance(values, np.ndarray) else values.toarray().ravel()
