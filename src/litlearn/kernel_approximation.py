"""Features whose inner products come close to a kernel, for data that no Gram matrix can hold.

A linear model on n samples of m such features does in O(n m^2) time and O(n m) memory about what a
method with kernels does in O(n^3) and O(n^2). The names, parameters, attributes and defaults are
scikit-learn's.
"""

import numpy as np

from litlearn._core import validation
from litlearn._core.base import BaseEstimator, NumberedColumnsMixin
from litlearn._core.chunked import is_chunked
from litlearn._core.constraints import ANY_REAL, COUNT, NOT_NEGATIVE, REPEATS, Option, Real, Table
from litlearn._core.factors import FEW_EIGENVECTORS, threads_for
from litlearn._core.guide import guide
from litlearn._core.parallel import cut, fold_blocks
from litlearn.kernels import _functions as kernels
from litlearn.kernels import _gram

__all__ = ["Nystroem", "RBFSampler"]

TILE = 2**18  # numbers in a tile of features
NO_DIRECTION = 1e-12  # eigenvalues that are nothing, as a share of the largest one


class Nystroem(NumberedColumnsMixin, _gram.KernelEstimator):
    """Approximate the features of a kernel from a few samples, the landmarks.

    Draws landmarks from the training samples. The features of a sample are its kernel with the
    landmarks times the inverse root of the landmarks' own Gram matrix, :eq:`eq-nystroem`: their
    inner products are the kernel's for landmarks, and come close elsewhere.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        As in :class:`litlearn.kernel_ridge.KernelRidge`.
    gamma : float, default=None
        Parameter of the kernels that have it, not negative. None: 1 / n_features, and 1 for "chi2".
    coef0 : float, default=None
        Constant of the polynomial and the sigmoid kernel. None: 1.
    degree : float, default=None
        Degree of the polynomial kernel, at least 1. None: 3.
    kernel_params : dict, default=None
        Further arguments of a kernel that is a function.
    n_components : int, default=100
        Number of landmarks, and of features; at most n_samples.
    random_state : int, RandomState, Generator or None, default=None
        Draws the landmarks, the same ones as scikit-learn.
    n_jobs : int, default=None
        Number of threads. None and -1: every CPU that is available.

    Attributes
    ----------
    components_ : ndarray or CSR array of shape (n_components, n_features)
        The landmarks.
    component_indices_ : ndarray of shape (n_components,)
        Their places in the training samples.
    normalization_ : ndarray of shape (n_components, n_components)
        Inverse root of the landmarks' Gram matrix, symmetric, float64.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Notes
    -----
    O(m^2 p + m^3) time to fit, O(m p + m^2) for each sample, in tiles. Directions in which the
    landmarks' Gram matrix is zero up to rounding are left out. See
    :cite:t:`williams_using_2001`.

    Examples
    --------
    >>> from litlearn.kernel_approximation import Nystroem
    >>> Z = Nystroem(n_components=3, random_state=0).fit_transform([[0], [1], [2]])
    >>> print((Z @ Z.T).round(4)[0])
    [1.     0.3679 0.0183]
    """

    _constraints = Table(  # a degree or coef0 of None is the default of the kernel
        degree=Real("[1.0, inf)") | None, coef0=ANY_REAL | None, n_components=COUNT
    )
    _fits_chunks = True

    def __init__(
        self,
        kernel="rbf",
        *,
        gamma=None,
        coef0=None,
        degree=None,
        kernel_params=None,
        n_components=100,
        random_state=None,
        n_jobs=None,
    ):
        self._set_as_given(locals())

    @property
    def _n_features_out(self):
        return len(self.component_indices_)

    def fit(self, X, y=None):
        """Draw landmarks, and find the inverse root of their Gram matrix.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples; for the kernel "precomputed" their Gram matrix.
        y : None
            Not used.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` holds objects that are not numbers, or is sparse and the kernel takes none.
        ValueError
            If a parameter is out of range, or `X` is missing, empty, of the wrong shape, or holds
            NaN or infinity.
        """
        random = check_nystroem(self)
        X, names = _gram.check_kernel_samples(self, X)
        if is_chunked(X) and self.kernel == "precomputed":
            raise ValueError(
                "Nystroem: a Gram matrix is to be in memory; of an array of Dask, give the samples "
                "and another kernel than 'precomputed'."
            )
        n, m = X.shape[0], self.n_components
        if m > n:
            message = f"Nystroem: n_components={m} is more than n_samples={n}: all are landmarks."
            validation.warn(UserWarning(message))
        chosen = random.permutation(n)[: min(m, n)]
        landmarks = _gram.rows_of_samples(self, X, chosen)
        K = _gram.SampleKernel(self, landmarks, self.gamma).gram(self.n_jobs)
        self.normalization_ = inverse_root(K)
        # For a Gram matrix, the landmarks' rows: the kernel with all training samples.
        self.components_ = landmarks if self.kernel != "precomputed" else X[chosen]
        self.component_indices_ = chosen
        validation.store_features(self, X.shape[1], names)
        return self

    def transform(self, X):
        """Return the features of samples, :eq:`eq-nystroem`.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_queries, n_features)
            Samples; for the kernel "precomputed" their kernel with the training samples.

        Returns
        -------
        ndarray of shape (n_queries, n_components)
            float32 if `X` is, otherwise float64.
        """
        X = validation.check_queries(self, X)
        landmarks = self.components_
        if self.kernel == "precomputed":
            X = validation.read_only(X[:, self.component_indices_])
            landmarks = landmarks[:, self.component_indices_]
        sums = _gram.SampleKernel(self, landmarks, self.gamma)
        root, m = self.normalization_.T, len(self.component_indices_)

        def part(K, out):
            np.matmul(K, root, out=out)

        return sums.map_tiles(X, part, m, self.n_jobs, dtype=X.dtype)


def check_nystroem(model):
    """Check the parameters of Nystroem; return what the landmarks are drawn by."""
    random = validation.check_parameters(model).random_state
    given = [getattr(model, name) is not None for name in ("gamma", "coef0", "degree")]
    if (callable(model.kernel) or model.kernel == "precomputed") and any(given):
        raise ValueError(
            "Don't pass gamma, coef0 or degree to Nystroem if using a callable or precomputed "
            "kernel: they belong to the kernels that have a name; kernel_params to a function."
        )
    return random


def inverse_root(K):
    """Return the symmetric root of the (pseudo-)inverse of a symmetric matrix K (m, m).

    Of a negative eigenvalue, which a Gram matrix of an inner product has not, it is the root of the
    size, with its sign.
    """
    with threads_for(len(K), FEW_EIGENVECTORS):
        values, V = np.linalg.eigh(K)
    size = np.abs(values)
    kept = size > NO_DIRECTION * size.max(initial=0.0)
    # <root>: One over the roots of the eigenvalues, and nothing for those that are rounding.
    roots = np.sign(values[kept]) / np.sqrt(size[kept])
    return (V[:, kept] * roots) @ V[:, kept].T


class RBFSampler(NumberedColumnsMixin, BaseEstimator):
    """Approximate the features of the RBF kernel by cosines of random frequencies.

    The inner products of the features have the kernel as their mean over the frequencies,
    :eq:`eq-random-features`.

    Parameters
    ----------
    gamma : "scale" or float, default=1.0
        Parameter of the kernel exp(-gamma ||x - y||^2), not negative. "scale": 1 over the product
        of n_features and the variance of `X`.
    n_components : int, default=100
        Number of features.
    random_state : int, RandomState, Generator or None, default=None
        Draws frequencies and phases, the same ones as scikit-learn.

    Attributes
    ----------
    random_weights_ : ndarray of shape (n_features, n_components)
        Frequencies; float32 if `X` is, otherwise float64.
    random_offset_ : ndarray of shape (n_components,)
        Phases, from 0 to 2 pi.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Notes
    -----
    O(m p) time for each sample, in tiles. The error of a kernel value shrinks with the root of m,
    whatever the data: Nystroem's shrinks faster where the kernel's eigenvalues fall fast. See
    :cite:t:`rahimi_random_2007`.

    Examples
    --------
    >>> from litlearn.kernel_approximation import RBFSampler
    >>> Z = RBFSampler(n_components=20_000, random_state=0).fit_transform([[0.0], [1.0]])
    >>> print((Z @ Z.T).round(1)[0])
    [1.  0.4]
    """

    _constraints = Table(gamma=Option("scale") | NOT_NEGATIVE, n_components=REPEATS)
    _fits_chunks = True
    _sparse_formats = ("csr",)

    def __init__(self, *, gamma=1.0, n_components=100, random_state=None):
        self._set_as_given(locals())

    @property
    def _n_features_out(self):
        return len(self.random_offset_)

    def fit(self, X, y=None):
        """Draw frequencies and phases.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples, of which the number of features and the type count, and the variance for
            ``gamma="scale"``.
        y : None
            Not used.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` holds objects that are not numbers.
        ValueError
            If a parameter is out of range, or `X` is missing, empty, of the wrong shape, or holds
            NaN or infinity.
        """
        random = validation.check_parameters(self).random_state
        X, names = validation.check_samples(self, X)
        gamma = kernels.scaled_gamma(X) if isinstance(self.gamma, str) else float(self.gamma)
        if np.isnan(gamma):
            raise ValueError(
                "RBFSampler: gamma='scale' needs the variance of X, and X holds numbers that are "
                "too large for one: expected smaller ones, or a gamma that is a number."
            )
        # <draw>: The Fourier transform of the RBF kernel is a normal density.
        weights = np.sqrt(2.0 * gamma) * random.normal(size=(X.shape[1], self.n_components))
        offset = random.uniform(0, 2 * np.pi, size=self.n_components)
        self._gamma = gamma
        self.random_weights_ = weights.astype(X.dtype, copy=False)
        self.random_offset_ = offset.astype(X.dtype, copy=False)
        validation.store_features(self, X.shape[1], names)
        return self

    def transform(self, X):
        """Return the features of samples, :eq:`eq-random-features`.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_queries, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_queries, n_components)
            float32 if `X` is, otherwise float64.
        """
        X = validation.check_queries(self, X)
        m = len(self.random_offset_)
        dtype = np.result_type(X.dtype, self.random_weights_.dtype)
        out, scale = np.empty((X.shape[0], m), dtype=dtype), np.sqrt(2.0 / m)

        def fill(rows):
            # <cosines>: of random projections.
            tile = np.asarray(X[rows] @ self.random_weights_, dtype=dtype)
            tile += self.random_offset_
            np.cos(tile, out=tile)
            tile *= scale
            out[rows] = tile

        work = 20.0 * out.size + 2.0 * X.shape[1] * out.size
        fold_blocks(fill, None, cut(X.shape[0], TILE // m + 1), work=work)
        return out.astype(X.dtype, copy=False)


__getattr__ = guide(__name__)
