"""Principal component analysis of batches that arrive one after the other.

The names, parameters, attributes and defaults are scikit-learn's.
"""

import numpy as np

from litlearn._core import factors, moments, validation
from litlearn._core.constraints import BOOLEAN, COUNT, Table
from litlearn._core.moments import Moments
from litlearn.decomposition._axes import as_samples
from litlearn.decomposition._pca import LinearReduction

__all__ = ["IncrementalPCA"]


# --- solver ----------------------------------------------------------------------------------


def batches(n, size, least):
    """Return slices of `size` of n rows; the last one takes what would be fewer than `least`."""
    starts = [start for start in range(0, n, size) if start == 0 or start + least <= n]
    return [slice(a, b) for a, b in zip(starts, [*starts[1:], n], strict=True)]


def updated(values, axes, old, batch, X):
    """Return singular values (r,) and axes (r, p) of the samples so far and a batch together.

    What is known of the earlier samples stands for them: their axes, times their singular values,
    and a row for the distance of the two means, :eq:`eq-pca-update`.

    Parameters
    ----------
    values : ndarray of shape (k,)
        Singular values of the earlier samples.
    axes : ndarray of shape (k, p)
        Their axes.
    old, batch : Moments
        Weight and means of the earlier samples and of the batch.
    X : ndarray of shape (b, p)
        The batch.
    """
    Z = X - batch.x_mean
    if old is not None:
        weight = old.weight * batch.weight / (old.weight + batch.weight)
        gap = np.sqrt(weight) * (old.x_mean - batch.x_mean)
        Z = np.vstack([values[:, None] * axes, Z, gap])
    if len(Z) > 2 * Z.shape[1]:
        Z = np.linalg.qr(Z, mode="r")
    _, values, rows = np.linalg.svd(Z, full_matrices=False)
    return values, rows * factors.signs(rows.T)[:, None]


# --- estimator -------------------------------------------------------------------------------


class IncrementalPCA(LinearReduction):
    r"""Principal component analysis of one batch of samples after the other.

    Of the earlier samples only their number, mean, variances and leading axes are kept. If all axes
    are, the result is that of all samples together; if not, what was cut off is lost.
    (:class:`PCA` reads a file larger than memory in blocks, without that loss.)

    Parameters
    ----------
    n_components : int, default=None
        How many axes to keep. None: ``min(n_samples, n_features)`` of the first batch.
    whiten : bool, default=False
        Whether ``transform`` divides each coordinate by its standard deviation.
    copy : bool, default=True
        Has no effect: samples are never written to.
    batch_size : int, default=None
        Samples in a batch of ``fit``. None: five times the number of features.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The axes, of length 1, by falling variance. The largest entry of each is positive.
    explained_variance_ : ndarray of shape (n_components,)
        Variances along the axes, with one degree of freedom less than samples.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Their shares of the sum of all variances; zero if nothing varies.
    singular_values_ : ndarray of shape (n_components,)
        Singular values of the centred samples.
    mean_ : ndarray of shape (n_features,)
        Means of the features.
    var_ : ndarray of shape (n_features,)
        Variances of the features.
    noise_variance_ : float
        Mean of the variances along the axes that were left out of the last step.
    n_components_ : int
        Number of axes.
    n_samples_seen_ : int
        Samples so far.
    batch_size_ : int
        Samples in a batch of ``fit``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Notes
    -----
    Cost of a batch of b samples: 2 (b + k) p min(b + k, p); memory (b + k) p. See
    :cite:t:`ross_incremental_2008`.

    Examples
    --------
    >>> import numpy as np
    >>> from litlearn.decomposition import IncrementalPCA
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> model = IncrementalPCA(n_components=1, batch_size=3).fit(X)
    >>> print(model.n_samples_seen_, model.components_.round(3))
    6 [[0.839 0.545]]
    """

    _constraints = Table(n_components=COUNT | None, whiten=BOOLEAN, batch_size=COUNT | None)

    def __init__(self, n_components=None, *, whiten=False, copy=True, batch_size=None):
        self._set_as_given(locals())

    def fit(self, X, y=None):
        """Find the axes, a batch of ``batch_size`` samples at a time.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; batches of a sparse matrix are made dense.
        y : ignored

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` holds objects that cannot be used.
        ValueError
            If a parameter is out of range for these samples, or `X` is missing, empty, of the wrong
            shape, or holds NaN or infinity.
        """
        validation.check_parameters(self)
        X, names = validation.check_samples(self, X, order="any")
        (n, p), asked = X.shape, self.n_components
        size = 5 * p if self.batch_size is None else int(self.batch_size)
        rows = batches(n, size, asked or 0)
        self._check_count(rows[0].stop, p, True)
        for name in ("components_", "n_samples_seen_"):
            self.__dict__.pop(name, None)
        self.batch_size_ = size
        for batch in rows:
            self._add(X[batch] if isinstance(X, np.ndarray) else X[batch].toarray())
        validation.store_features(self, p, names)
        return self

    def partial_fit(self, X, y=None, check_input=True):
        """Add a batch of samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The batch: the first one with at least ``n_components`` samples.
        y : ignored
        check_input : bool, default=True
            Has no effect: input is always checked.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` is sparse, or holds objects that cannot be used.
        ValueError
            If a parameter is out of range for this batch, or `X` is missing, empty, of the wrong
            shape, or holds NaN or infinity.
        """
        validation.check_parameters(self)
        if validation.is_sparse(X):
            raise TypeError(
                "IncrementalPCA.partial_fit does not support sparse input. Either convert data to "
                "dense or use IncrementalPCA.fit to do so in batches."
            )
        first = not hasattr(self, "components_")
        if first:
            X, names = validation.check_samples(self, X, order="any")
        else:
            X = validation.check_queries(self, X, order="any")
        self._check_count(*X.shape, first)
        self._add(X)
        if first:
            validation.store_features(self, X.shape[1], names)
        return self

    def _check_count(self, n, p, first):
        asked = self.n_components
        if asked is None:
            return
        if asked > p:
            raise ValueError(
                f"IncrementalPCA: n_components={asked} invalid for n_features={p}, need more rows "
                "than columns for IncrementalPCA processing"
            )
        if first and asked > n:
            raise ValueError(
                f"IncrementalPCA: n_components={asked} must be less or equal to the batch number "
                f"of samples {n} for the first partial_fit call."
            )
        if not first and asked != len(self.components_):
            raise ValueError(
                f"IncrementalPCA: Number of input features has changed from "
                f"{len(self.components_)} to {asked} between calls to partial_fit! Try setting "
                "n_components to a fixed value."
            )

    def _add(self, X):
        """Take in a batch (b, p)."""
        first, dtype = not hasattr(self, "components_"), X.dtype
        batch = moments.moments(as_samples(X), full=False)
        old, together = None, batch
        values = axes = None
        if first:
            k = self.n_components or min(X.shape)
        else:
            k, count = len(self.components_), float(self.n_samples_seen_)
            none = np.empty((X.shape[1], 0))
            squares = count * self.var_.astype(np.float64)
            mean = self.mean_.astype(np.float64)
            old = Moments(count, mean, np.empty(0), squares, none, np.empty(0))
            values, axes = self.singular_values_.astype(np.float64), self.components_
            together = moments.merge_moments(old._replace(xx=squares.copy(), xy=none.copy()), batch)
        values, rows = updated(values, axes, old, batch, X.astype(np.float64, copy=False))
        total, n = float(together.xx.sum()), int(together.weight)
        variances = values**2 / max(n - 1, 1)
        self.n_components_, self.n_samples_seen_ = k, n
        self.components_ = np.ascontiguousarray(rows[:k], dtype=dtype)
        self.singular_values_ = values[:k].astype(dtype)
        self.explained_variance_ = variances[:k].astype(dtype)
        ratio = values[:k] ** 2 / total if total > 0.0 else np.zeros(len(values[:k]))
        self.explained_variance_ratio_ = ratio.astype(dtype)
        self.mean_ = together.x_mean.astype(dtype)
        self.var_ = (together.xx / n).astype(dtype)
        rest = variances[k:]
        self.noise_variance_ = float(rest.mean()) if k not in X.shape and rest.size else 0.0
