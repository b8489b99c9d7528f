"""Naive Bayes with normal distributions: within a class, the features are independent.

The names, parameters, attributes and defaults are scikit-learn's; the restricted variances are not.
"""

import numpy as np

from litlearn._core import moments, targets, validation
from litlearn._core.constraints import ARRAY, NOT_NEGATIVE, Option, Table
from litlearn._core.guide import guide
from litlearn._core.moments import Moments, Samples
from litlearn._core.normal import NormalClassifier, given_priors, scaled_squares

__all__ = ["GaussianNB"]

LEAST = 5e-324  # the smallest number: the variance of a feature that is constant, without smoothing
UNKNOWN = "The target label(s) {missing} in y do not exist in the initial classes {classes}"


# --- solver ----------------------------------------------------------------------------------


def log_variance_sums(variances):
    """Return half the logarithm of each class's determinant, (q,), without a product."""
    return 0.5 * np.log(variances).sum(axis=1)


def scales_of(variances):
    """Return the roots of half the inverse variances; the inverses themselves may overflow."""
    return np.sqrt(0.5) / np.sqrt(variances)


def pooled_variances(sums, weights, variance):
    """Return maximum-likelihood variances, (q, p), from sums of squares, :eq:`eq-naive-bayes-ml`.

    Parameters
    ----------
    sums : ndarray of shape (q, p)
        Sums of squared deviations from the means of the classes.
    weights : ndarray of shape (q,)
        Sums of the weights of the classes.
    variance : {"class_feature", "feature", "class", "one"}
        What a variance belongs to; it is averaged over the rest.

    Returns
    -------
    ndarray of shape (q, p)
    """
    q, p = sums.shape
    own = np.where(weights > 0.0, weights, 1.0)[:, None]  # a class without samples has no spread
    if variance == "class_feature":
        return sums / own
    if variance == "feature":
        pooled = sums.sum(axis=0) / weights.sum()
    elif variance == "class":
        pooled = sums.mean(axis=1, keepdims=True) / own
    else:
        pooled = sums.sum() / (p * weights.sum())
    return np.broadcast_to(pooled, (q, p)).copy()


# --- estimator -------------------------------------------------------------------------------


class GaussianNB(NormalClassifier):
    r"""Naive Bayes: each feature of each class has a normal distribution of its own.

    Within a class the features are taken as independent, so that its covariance matrix is diagonal,
    :eq:`eq-naive-bayes`. Bayes' rule turns densities and class shares into probabilities,
    :eq:`eq-normal-posterior`.

    Parameters
    ----------
    priors : array-like of shape (n_classes,), default=None
        Prior probabilities of the classes, of sum 1. None: the shares of the classes in the data.
    var_smoothing : float, default=1e-9
        Share of the largest variance of a feature, over all samples, that is added to every
        variance.
    variance : {"class_feature", "feature", "class", "one"}, default="class_feature"
        Which variances differ. ``"class_feature"``: each class and feature has its own, as in
        scikit-learn. ``"feature"``: the classes share them. ``"class"``: the features share them,
        a class is a ball. ``"one"``: there is one variance for all. The border between two classes
        is linear for ``"feature"`` and ``"one"``, and quadratic otherwise.

    Attributes
    ----------
    class_count_ : ndarray of shape (n_classes,)
        Number of training samples of each class, or the sum of their weights.
    class_prior_ : ndarray of shape (n_classes,)
        Prior probabilities.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    epsilon_ : float
        What was added to every variance, in squared units of the features.
    theta_ : ndarray of shape (n_classes, n_features)
        Means.
    var_ : ndarray of shape (n_classes, n_features)
        Variances, with ``epsilon_``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Notes
    -----
    Cost: one pass over the samples, O(n p), in blocks of rows, so that `X` may be a
    ``numpy.memmap`` larger than memory; prediction O(n p q) for q classes. The means and variances
    are those of maximum likelihood, :eq:`eq-naive-bayes-ml`. They are sums over the samples:
    batches given to :meth:`partial_fit` add up to what :meth:`fit` finds for all of them together,
    up to rounding :cite:p:`chan_algorithms_1983`.

    Examples
    --------
    >>> from litlearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[1.0], [2.0], [7.0], [9.0]], ["well", "well", "ill", "ill"])
    >>> print(model.predict([[3.0], [6.0]]))
    ['well' 'ill']
    """

    _constraints = Table(
        priors=ARRAY | None,
        var_smoothing=NOT_NEGATIVE,
        variance=Option("class_feature", "feature", "class", "one"),
    )

    _fits_chunks = True

    def __init__(self, *, priors=None, var_smoothing=1e-9, variance="class_feature"):
        self._set_as_given(locals())

    def fit(self, X, y, sample_weight=None):
        """Estimate the means and variances of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in counts, means and variances.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` or `y` holds objects that cannot be used, or `X` is sparse.
        ValueError
            If a parameter is out of range, or `X`, `y` or `sample_weight` is missing, empty, of the
            wrong shape, or holds NaN or infinity.
        """
        return self._fit(X, y, None, sample_weight, first=True)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Add a batch of samples to those seen so far.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples of the batch.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like of shape (n_classes,), default=None
            All classes that any batch may have; needed in the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        self : estimator

        Raises
        ------
        ValueError
            As in :meth:`fit`; or if `classes` is missing in the first call or differs from those of
            the first, or `y` has a class that is not among them.
        """
        classes, first = targets.batch_classes(self, classes)
        return self._fit(X, y, classes, sample_weight, first)

    def _fit(self, X, y, classes, sample_weight, first):
        validation.check_parameters(self)
        if first:
            X, names = validation.check_samples(self, X)
        else:
            X = validation.check_queries(self, X)
        coded = targets.encode_one(self, y, len(X))
        if classes is None:
            classes, codes = coded.classes[0], coded.codes[0]
        else:
            codes = targets.batch_places(self, coded.classes[0], classes, UNKNOWN)[coded.codes[0]]
        priors = None if self.priors is None else checked_priors(self, len(classes))
        weight = validation.check_sample_weight(self, sample_weight, len(X))
        samples = Samples(X, np.empty((len(X), 0)), weight, True)
        with np.errstate(over="ignore", invalid="ignore"):
            parts = moments.moments_by_class(samples, codes, len(classes), full=False)
        if not first:
            parts = [
                moments.merge_moments(copied(a), b)
                for a, b in zip(self._moments, parts, strict=True)
            ]
        with np.errstate(over="ignore", invalid="ignore"):
            self._store(parts, classes, priors, X.dtype)
        if first:
            validation.store_features(self, X.shape[1], names)
        return self

    def _store(self, parts, classes, priors, dtype):
        weights = np.array([one.weight for one in parts])
        means = np.array([one.x_mean for one in parts])
        sums = np.array([one.xx for one in parts])
        total = total_moments(parts)
        epsilon = self.var_smoothing * float((total.xx / total.weight).max())
        variances = pooled_variances(sums, weights, self.variance) + epsilon
        if not np.isfinite(variances).all():
            raise ValueError(
                f"{type(self).__name__}: the variances of X are infinite or NaN, as numbers of "
                "float64: the entries are too large to be squared. Scale X."
            )
        self._moments = parts
        self.classes_ = classes
        self.class_count_ = weights.astype(dtype)
        shares = weights / weights.sum() if priors is None else priors
        self.class_prior_ = shares.astype(dtype)
        self.epsilon_ = epsilon
        self.theta_ = means.astype(dtype)
        limits = np.finfo(dtype)  # float32 has no room for the squares of what it can hold
        fits = ((variances == 0.0) | (variances >= limits.tiny)) & (variances <= limits.max)
        self.var_ = variances.astype(dtype if fits.all() else np.float64)

    def predict_joint_log_proba(self, X):
        """Return the logarithms of prior probability times density, :eq:`eq-naive-bayes`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        return self._joint(X, settled=False)

    def _dtype_of_scores(self, X):
        return np.result_type(X.dtype, self.theta_.dtype)

    def _log_joint(self, X):
        """Implements :eq:`eq-naive-bayes` for a block of samples."""
        variances = np.maximum(self.var_.astype(np.float64), LEAST)
        with np.errstate(divide="ignore"):  # a class that was said to have probability 0
            constants = -0.5 * X.shape[1] * np.log(2.0 * np.pi) - log_variance_sums(variances)
            constants += np.log(self.class_prior_.astype(np.float64))
        out = np.empty((len(X), len(variances)))
        scaled_squares(X, self.theta_.astype(np.float64), scales_of(variances), constants, out)
        return out

    def _means_of_classes(self):
        return self.theta_

    def _far_squares(self, X, shrink):
        variances = np.maximum(self.var_.astype(np.float64), LEAST)
        out = np.empty((len(X), len(variances)))
        nothing, means = np.zeros(len(variances)), self.theta_.astype(np.float64)
        scaled_squares(X, means, scales_of(variances) * shrink, nothing, out)
        return -out


def copied(one):
    """Return a copy: merging changes the first of the two."""
    return Moments(*(np.copy(field) for field in one))


def total_moments(parts):
    """Merge the moments of all classes, without changing them."""
    total = copied(parts[0])
    for part in parts[1:]:
        total = moments.merge_moments(total, part)
    return total


def checked_priors(owner, n_classes):
    """Return the given priors: not negative, of sum 1."""
    priors, who = given_priors(owner, owner.priors, n_classes), type(owner).__name__
    if not np.isclose(priors.sum(), 1.0):
        raise ValueError(f"{who}: The sum of the priors should be 1. Got priors={priors}.")
    if (priors < 0.0).any():
        raise ValueError(f"{who}: Priors must be non-negative. Got priors={priors}.")
    return priors


__getattr__ = guide(__name__)
