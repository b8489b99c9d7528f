"""Principal component analysis: the axes along which samples spread most.

The names, parameters, attributes and defaults are scikit-learn's.
"""

import numbers

import numpy as np

from litlearn._core import factors, validation
from litlearn._core.base import BaseEstimator, NumberedColumnsMixin
from litlearn._core.chunked import is_chunked
from litlearn._core.constraints import (
    BOOLEAN,
    RANDOM_STATE,
    REPEATS,
    SEED,
    TIMES,
    Float,
    Integer,
    Option,
    Table,
)
from litlearn._core.factors import Product
from litlearn._core.parallel import cut, fold_blocks, multiply
from litlearn.decomposition import _axes

__all__ = ["PCA"]

PROJECTION = Table(  # parameters of random projections
    n_oversamples=REPEATS, power_iteration_normalizer=Option("auto", "QR", "LU", "none")
)
SCORE_BLOCK = 2**18  # numbers in a block of samples whose density is computed


# --- what reductions share -------------------------------------------------------------------


class LinearReduction(NumberedColumnsMixin, BaseEstimator):
    """Projection on directions: what PCA and its incremental form share."""

    _sparse_formats = ("csr",)

    @property
    def _n_features_out(self):
        return len(self.components_)

    def _scales(self):
        """Roots of the variances, none of them zero, (k,)."""
        scales = np.sqrt(self.explained_variance_)
        return np.maximum(scales, np.finfo(scales.dtype).eps)

    def transform(self, X):
        """Project samples on the principal axes, :eq:`eq-pca-scores`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Coordinates along the axes, from the mean; of unit variance with ``whiten``.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        TypeError, ValueError
            If `X` cannot be used, or has other features.
        """
        X = validation.check_queries(self, X, order="any")
        mean = self.mean_.astype(np.float64)
        spread = float(np.sum(self.explained_variance_, dtype=np.float64))
        scores = Product(X, mean, spread).times(self.components_.T.astype(np.float64))
        if self.whiten:
            scores /= self._scales()
        return scores.astype(X.dtype, copy=False)

    def inverse_transform(self, X):
        """Return the points whose coordinates along the axes are given, :eq:`eq-pca-rebuilt`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Coordinates, as ``transform`` returns them.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            The nearest points to the samples within the span of the axes.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        TypeError, ValueError
            If `X` cannot be used, or has another number of columns.
        """
        validation.check_is_fitted(self)
        X = validation.check_coordinates(self, X, len(self.components_))
        axes = self.components_ * self._scales()[:, None] if self.whiten else self.components_
        return multiply(X, axes.astype(X.dtype, copy=False)) + self.mean_.astype(
            X.dtype, copy=False
        )

    # The normal density of which the axes are the estimate of maximum likelihood

    def get_covariance(self):
        """Return the covariance matrix of the model, (n_features, n_features).

        Along the axes it has the explained variances, and ``noise_variance_`` across them,
        :eq:`eq-pca-model`.
        """
        validation.check_is_fitted(self)
        axes, noise = self.components_, self.noise_variance_
        excess = np.maximum(self.explained_variance_ - noise, 0.0)
        covariance = (axes.T * excess) @ axes
        covariance.flat[:: len(covariance) + 1] += noise
        return covariance

    def get_precision(self):
        """Return the inverse of the covariance matrix of the model, (n_features, n_features).

        Raises
        ------
        numpy.linalg.LinAlgError
            If the samples do not vary at all.
        """
        validation.check_is_fitted(self)
        along, across = self._precisions()
        axes = self.components_.astype(np.float64)
        if len(axes) == axes.shape[1]:
            across = 0.0  # there is nothing across all axes
        precision = (axes.T * (along - across)) @ axes
        precision.flat[:: len(precision) + 1] += across
        return precision.astype(self.components_.dtype)

    def _precisions(self):
        """Inverse variances along the axes, (k,), and across them.

        What is below rounding counts as rounding: a density on a plane has none of its own.
        """
        along = np.maximum(self.explained_variance_.astype(np.float64), self.noise_variance_)
        across, p = float(self.noise_variance_), self.components_.shape[1]
        largest = max(along.max(initial=0.0), across)
        if largest == 0.0:
            raise np.linalg.LinAlgError(
                f"{type(self).__name__}: the samples do not vary, so that their density is not "
                "defined; expected samples of which two differ."
            )
        least = largest * p * np.finfo(self.components_.dtype).eps
        return 1.0 / np.maximum(along, least), 1.0 / max(across, least)


# --- PCA -------------------------------------------------------------------------------------


class PCA(LinearReduction):
    r"""Principal component analysis: the axes along which samples spread most.

    The first axis is the direction of largest variance, :eq:`eq-pca-variance`; each other is that
    among the directions at right angles to the earlier ones. They are the eigenvectors of the
    covariance matrix, :eq:`eq-pca-eigen`, and the right singular vectors of the centred samples,
    :eq:`eq-pca-svd`; and no other k directions rebuild the samples with a smaller sum of squares,
    :eq:`eq-pca-loss`.

    Parameters
    ----------
    n_components : int, float or "mle", default=None
        How many axes to keep. A fraction between 0 and 1: as many as have together more than that
        share of the variance. ``"mle"``: as many as have the largest evidence
        :cite:p:`minka_automatic_2000`. None: all, ``min(n_samples, n_features)``.
    copy : bool, default=True
        Has no effect: samples are never written to.
    whiten : bool, default=False
        Whether ``transform`` divides each coordinate by its standard deviation.
    svd_solver : {"auto", "full", "covariance_eigh", "arpack", "randomized"}, default="auto"
        ``"full"`` decomposes the centred samples, in blocks of rows where there are many.
        ``"covariance_eigh"`` decomposes their covariance matrix: faster for many samples, and blind
        to spreads below 1e-7 of the largest. ``"arpack"`` and ``"randomized"`` find a few axes, the
        latter nearly. ``"auto"`` takes the covariance matrix while its digits suffice, a block
        Krylov space for few axes of many features, and else decomposes the samples.
    tol : float, default=0.0
        Tolerance of ARPACK; 0 means rounding.
    iterated_power : int or "auto", default="auto"
        Power iterations of ``"randomized"``; ``"auto"`` means 7 for few axes, else 4.
    n_oversamples : int, default=10
        Additional random directions of ``"randomized"``.
    power_iteration_normalizer : {"auto", "QR", "LU", "none"}, default="auto"
        What keeps those directions apart.
    random_state : int, RandomState, Generator or None, default=None
        Of ``"arpack"`` and ``"randomized"``. Nothing else here is random.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The axes, of length 1, by falling variance. The largest entry of each is positive.
    explained_variance_ : ndarray of shape (n_components,)
        Variances along the axes, with ``n_samples - 1`` degrees of freedom, in squared units of
        the features.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Their shares of the sum of all variances; zero if nothing varies.
    singular_values_ : ndarray of shape (n_components,)
        Singular values of the centred samples.
    mean_ : ndarray of shape (n_features,)
        Means of the features.
    n_components_ : int
        Number of axes.
    n_samples_ : int
        Number of samples.
    noise_variance_ : float
        Mean of the variances along the axes that were left out.
    solver_ : str
        What found the axes: one of the names above, ``"krylov"`` or ``"gram"``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Notes
    -----
    Cost: n p^2 + p^3 for all axes; about 40 n p (k + 8) for few of them. Memory: blocks of rows, so
    that `X` may be a ``numpy.memmap`` larger than memory, except where there are fewer samples than
    features, and all axes are asked for. See :cite:t:`pearson_liii_1901`,
    :cite:t:`tipping_probabilistic_1999`.

    Examples
    --------
    >>> import numpy as np
    >>> from litlearn.decomposition import PCA
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> model = PCA(n_components=1).fit(X)
    >>> print(model.explained_variance_ratio_.round(4), model.transform(X[:1]).round(3))
    [0.9924] [[-1.383]]
    """

    _constraints = Table(
        PROJECTION,
        n_components=Integer("[0, inf)") | Float("(0.0, 1.0)") | Option("mle") | None,
        whiten=BOOLEAN,
        svd_solver=Option("auto", "full", "covariance_eigh", "arpack", "randomized"),
        iterated_power=Option("auto") | TIMES,
        random_state=SEED,
    )
    _fits_chunks = True

    def __init__(
        self,
        n_components=None,
        *,
        copy=True,
        whiten=False,
        svd_solver="auto",
        tol=0.0,
        iterated_power="auto",
        n_oversamples=10,
        power_iteration_normalizer="auto",
        random_state=None,
    ):
        self._set_as_given(locals())

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.svd_solver in ("auto", "arpack", "covariance_eigh")
        return tags

    def fit(self, X, y=None):
        """Find the principal axes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. A sparse matrix is taken by the solvers ``"auto"``, ``"arpack"`` and
            ``"covariance_eigh"``.
        y : ignored

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` holds objects that cannot be used, or is sparse and the solver does not take it.
        ValueError
            If a parameter is out of range for these samples, or `X` is missing, empty, of the wrong
            shape, or holds NaN or infinity.
        """
        random = validation.check_parameters(self).random_state
        if validation.is_sparse(X) and self.svd_solver in ("full", "randomized"):
            raise TypeError(
                'PCA only support sparse inputs with the "arpack" and "covariance_eigh" solvers, '
                f'while "{self.svd_solver}" was passed. TruncatedSVD may do instead.'
            )
        X, names = validation.check_samples(self, X, order="any", finite=False)
        if is_chunked(X):
            self._refuse_chunks()
        k = self._check_count(X)
        if isinstance(X, np.ndarray) and not self._squares_first(X, k):
            validation.check_finite(validation.owner_name(self), X, "X")
        cloud, axes = self._solve(X, k, random)
        self._store(X, k, cloud, axes)
        validation.store_features(self, X.shape[1], names)
        return self

    def _refuse_chunks(self):
        """Refuse the solvers that go over the samples again and again."""
        if self.svd_solver in ("arpack", "randomized"):
            raise ValueError(
                f"PCA: svd_solver={self.svd_solver!r} multiplies the samples again and again. Of "
                "an array of Dask, use 'auto', 'full' or 'covariance_eigh', which sum them up."
            )

    def fit_transform(self, X, y=None):
        """Find the principal axes, and project the samples on them.

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
        return self.fit(X).transform(X)

    def _check_count(self, X):
        """Return how many axes the solver is to find, or None if that is found from all of them."""
        (n, p), asked, solver = X.shape, self.n_components, self.svd_solver
        most, sparse = min(n, p), validation.is_sparse(X)
        few = solver in ("arpack", "randomized") or (sparse and solver == "auto" and p > _axes.WIDE)
        if solver == "arpack" and most == 1:
            raise ValueError(
                f"PCA: svd_solver='arpack' needs two samples of two features, got n_samples={n}, "
                f"n_features={p}."
            )
        if asked is None:
            return max(most - 1, 1) if solver == "arpack" or (sparse and solver == "auto") else most
        if isinstance(asked, str) and few:
            raise ValueError(
                f"PCA: n_components={asked!r} cannot be a string with svd_solver={solver!r}"
            )
        if isinstance(asked, str) and n < p:
            raise ValueError("PCA: n_components='mle' is only supported if n_samples >= n_features")
        if isinstance(asked, str):
            return None
        if few and asked == most and solver == "arpack":
            raise ValueError(
                f"PCA: n_components={asked} must be strictly less than min(n_samples, n_features)="
                f"{most} with svd_solver={solver!r}"
            )
        low = 1 if few else 0
        if not low <= asked <= most:
            named = "full" if solver == "auto" else solver
            raise ValueError(
                f"PCA: n_components={asked} must be between {low} and min(n_samples, n_features)="
                f"{most} with svd_solver={named!r}"
            )
        return None if isinstance(asked, numbers.Real) and 0 < asked < 1 else int(asked)

    def _squares_first(self, X, k):
        """Tell whether the first pass over `X` is that of ``_axes.by_covariance``."""
        if self.svd_solver == "auto":
            return _axes.squares_first(X.shape, k)
        return self.svd_solver == "covariance_eigh"

    def _solve(self, X, k, random):
        """Return the cloud that the samples form, and its axes."""
        solver = self.svd_solver
        if solver == "auto":
            return _axes.by_choice(X, k)
        if solver == "covariance_eigh":
            return _axes.by_covariance(X)
        cloud = _axes.cloud(X)
        if solver == "full":
            return cloud, _axes.by_samples(cloud)
        random = RANDOM_STATE.read(random)
        if solver == "arpack":
            return cloud, _axes.by_arpack(cloud, k, random, self.tol)
        return cloud, _axes.by_projection(
            cloud,
            k,
            random,
            n_iter=self.iterated_power,
            n_oversamples=self.n_oversamples,
            normalizer=self.power_iteration_normalizer,
        )

    def _store(self, X, k, cloud, axes):
        n, dtype = X.shape[0], X.dtype
        freedom, most = max(n - 1, 1), min(X.shape)
        variances = axes.values[:most] ** 2 / freedom
        total = cloud.total / freedom
        ratio = variances / total if total > 0.0 else np.zeros(len(variances))
        if k is None:
            k = (
                _axes.most_evident(variances, n)
                if self.n_components == "mle"
                else _axes.axes_for_share(ratio.astype(dtype), self.n_components)
            )
        rest = variances[k:].sum() if len(variances) == most else total - variances[:k].sum()
        directions = axes.directions[:, :k]
        directions = directions * factors.signs(directions)
        self.components_ = np.ascontiguousarray(directions.T, dtype=dtype)
        self.explained_variance_ = variances[:k].astype(dtype)
        self.explained_variance_ratio_ = ratio[:k].astype(dtype)
        self.singular_values_ = axes.values[:k].astype(dtype)
        self.noise_variance_ = float(max(rest, 0.0) / (most - k)) if k < most else 0.0
        self.mean_ = cloud.mean.astype(dtype)
        self.n_components_, self.n_samples_, self.solver_ = k, n, axes.solver

    def score_samples(self, X):
        """Return the logarithm of the normal density of the model at each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            In units of one over the product of the units of the features. Where the model has no
            variance, rounding counts as variance.

        Raises
        ------
        numpy.linalg.LinAlgError
            If the samples of ``fit`` do not vary at all.
        """
        X = validation.check_queries(self, X, order="any", sparse=())
        along, across = self._precisions()
        axes, mean = self.components_.astype(np.float64), self.mean_.astype(np.float64)
        (n, p), k = X.shape, len(axes)
        found = np.empty(n)

        def part(rows):
            Z = X[rows].astype(np.float64, copy=False) - mean
            T = Z @ axes.T
            found[rows] = T**2 @ along
            if k < p:
                Z = Z - T @ axes
                found[rows] += across * np.einsum("ij,ij->i", Z, Z)

        fold_blocks(part, None, cut(n, SCORE_BLOCK // p + 1), work=n * p * (k + 1))
        constant = p * np.log(2.0 * np.pi) - np.log(along).sum() - (p - k) * np.log(across)
        return (-0.5 * (found + constant)).astype(X.dtype)

    def score(self, X, y=None):
        """Return the mean of :meth:`score_samples`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : ignored

        Returns
        -------
        float
        """
        return float(np.mean(self.score_samples(X)))
