"""Truncated singular value decomposition: principal axes without centring, for sparse samples.

The names, parameters, attributes and defaults are scikit-learn's.
"""

import numpy as np

from litlearn._core import factors, validation
from litlearn._core.base import BaseEstimator, NumberedColumnsMixin
from litlearn._core.chunked import is_chunked
from litlearn._core.constraints import COUNT, TIMES, Option, Table
from litlearn._core.factors import Product
from litlearn._core.parallel import multiply
from litlearn.decomposition import _axes
from litlearn.decomposition._pca import PROJECTION

__all__ = ["TruncatedSVD"]


class TruncatedSVD(NumberedColumnsMixin, BaseEstimator):
    r"""The leading singular vectors of the samples as they are, :eq:`eq-svd-truncated`.

    Nothing is subtracted, so that a sparse matrix of counts stays sparse: on such matrices of words
    in documents the method is called latent semantic analysis.

    Parameters
    ----------
    n_components : int, default=2
        How many directions: at most ``n_features``, less with ``"arpack"``.
    algorithm : {"arpack", "randomized"}, default="randomized"
        ``"arpack"`` finds them to rounding, ``"randomized"`` nearly.
    n_iter : int, default=5
        Power iterations of ``"randomized"``.
    n_oversamples : int, default=10
        Additional random directions of ``"randomized"``.
    power_iteration_normalizer : {"auto", "QR", "LU", "none"}, default="auto"
        What keeps those directions apart.
    random_state : int, RandomState, Generator or None, default=None
        Of both algorithms.
    tol : float, default=0.0
        Tolerance of ``"arpack"``; 0 means rounding.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Right singular vectors; the largest entry of each is positive.
    singular_values_ : ndarray of shape (n_components,)
        Singular values, falling.
    explained_variance_ : ndarray of shape (n_components,)
        Variances of the samples' coordinates, about their means.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Their shares of the sum of the variances of the features; zero if nothing varies.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Notes
    -----
    Cost: about 4 n p (k + 10) for each iteration, or that of as many stored entries. See
    :cite:t:`halko_finding_2011`.

    Examples
    --------
    >>> import numpy as np
    >>> from litlearn.decomposition import TruncatedSVD
    >>> X = np.array([[2.0, 0.0, 1.0], [4.0, 0.0, 2.0], [0.0, 1.0, 0.0]])
    >>> print(TruncatedSVD(n_components=2, random_state=0).fit(X).singular_values_.round(3))
    [5. 1.]
    """

    _constraints = Table(
        PROJECTION, n_components=COUNT, algorithm=Option("arpack", "randomized"), n_iter=TIMES
    )
    _sparse_formats = ("csr",)
    _fits_chunks = True

    def __init__(
        self,
        n_components=2,
        *,
        algorithm="randomized",
        n_iter=5,
        n_oversamples=10,
        power_iteration_normalizer="auto",
        random_state=None,
        tol=0.0,
    ):
        self._set_as_given(locals())

    @property
    def _n_features_out(self):
        return len(self.components_)

    def fit(self, X, y=None):
        """Find the leading singular vectors.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples of at least two features.
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
        self.fit_transform(X)
        return self

    def fit_transform(self, X, y=None):
        """Find the leading singular vectors, and project the samples on them.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : ignored

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            As ``fit(X).transform(X)``.
        """
        random = validation.check_parameters(self).random_state
        X, names = validation.check_samples(self, X, order="any")
        self._check_count(X)
        if is_chunked(X):
            self._store(X, names, *self._from_triangle(X))
            return self.transform(X)
        A, k = Product(X), self.n_components
        if self.algorithm == "arpack":
            found = factors.arpack_singular(A, k, random, self.tol)
        else:
            found = factors.random_singular(
                A,
                k,
                random,
                n_oversamples=self.n_oversamples,
                n_iter=self.n_iter,
                normalizer=self.power_iteration_normalizer,
            )
        directions = found.right * factors.signs(found.right)
        scores = A.times(directions)
        total = _axes.cloud(X).total
        self._store(X, names, directions, found.values, scores.var(axis=0), total)
        return scores.astype(X.dtype, copy=False)

    def _from_triangle(self, X):
        """Directions, singular values, variances and total of samples in chunks: two passes.

        The algorithms that are named go over the samples again and again; this one is exact.
        """
        cloud, k = _axes.cloud(X), self.n_components
        axes = _axes.by_triangle(cloud._replace(mean=np.zeros_like(cloud.mean)))
        directions, values = axes.directions[:, :k], axes.values[:k]
        directions = directions * factors.signs(directions)
        variances = values**2 / len(X) - (cloud.mean @ directions) ** 2
        return directions, values, np.maximum(variances, 0.0), cloud.total

    def _store(self, X, names, directions, values, variances, total):
        total = total / X.shape[0]
        self.components_ = np.ascontiguousarray(directions.T, dtype=X.dtype)
        self.singular_values_ = values.astype(X.dtype)
        self.explained_variance_ = variances.astype(X.dtype)
        ratio = variances / total if total > 0.0 else np.zeros(len(variances))
        self.explained_variance_ratio_ = ratio.astype(X.dtype)
        validation.store_features(self, X.shape[1], names)

    def _check_count(self, X):
        n, p = X.shape
        if p < 2:
            raise ValueError(
                f"Found array with {p} feature(s) (shape={X.shape}) while a minimum of 2 is "
                "required by TruncatedSVD."
            )
        if self.n_components > p:
            raise ValueError(
                f"TruncatedSVD: n_components({self.n_components}) must be <= n_features({p})."
            )
        if self.algorithm == "arpack" and self.n_components >= min(n, p):
            raise ValueError(
                f"TruncatedSVD: n_components={self.n_components} must be less than "
                f"min(n_samples, n_features)={min(n, p)} with algorithm='arpack', of n_samples={n}."
            )

    def transform(self, X):
        """Project samples on the singular vectors.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Coordinates.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        TypeError, ValueError
            If `X` cannot be used, or has other features.
        """
        X = validation.check_queries(self, X, order="any")
        scores = Product(X).times(self.components_.T.astype(np.float64))
        return scores.astype(X.dtype, copy=False)

    def inverse_transform(self, X):
        """Return the points whose coordinates along the singular vectors are given.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Coordinates, as ``transform`` returns them.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Points.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        TypeError, ValueError
            If `X` cannot be used, or has another number of columns.
        """
        validation.check_is_fitted(self)
        X = validation.check_coordinates(self, X, len(self.components_))
        return multiply(X, self.components_.astype(X.dtype, copy=False))
