"""Kernel PCA: principal components of the features of a kernel."""

import numpy as np

from litlearn._core import factors, validation
from litlearn._core.base import NumberedColumnsMixin
from litlearn._core.constraints import (
    BOOLEAN,
    COUNT,
    NOT_NEGATIVE,
    RANDOM_STATE,
    SEED,
    TIMES,
    Option,
    Table,
)
from litlearn._core.parallel import cut, fold_blocks
from litlearn.exceptions import ConvergenceWarning, NotFittedError
from litlearn.kernels import _gram

FEW = 0.125  # share of the components up to which a Krylov space is faster than all eigenvectors
SMALL = 200  # samples up to which LAPACK is as fast
RESIDUAL = 1e-8  # of an eigenvector, as a share of the largest eigenvalue: that of "auto"
NEGATIVE = 1e-5  # share of the largest eigenvalue: what is below its negative is not rounding
CENTRED = 2**16  # numbers of a block that is centred: it stays in a core's cache from pass to pass
NOTHING = 1e-12  # share of the largest eigenvalue: what is smaller is nothing
INSTEAD = (
    "fit litlearn.decomposition.PCA to the features of "
    "litlearn.kernel_approximation.Nystroem, which needs no such matrix, or use fewer samples"
)


class KernelPCA(NumberedColumnsMixin, _gram.KernelEstimator):
    """Principal components of the features of a kernel.

    The features are centred through the kernel, :eq:`eq-kpca-centre`, and the leading eigenvectors
    of the centred Gram matrix give the components, :eq:`eq-kpca-eigen`.

    Parameters
    ----------
    n_components : int, default=None
        Number of components, at least 1; more than n_samples count as n_samples. None: all whose
        eigenvalue is not zero.
    kernel : str or callable, default="linear"
        As in :class:`litlearn.kernel_ridge.KernelRidge`.
    gamma : float, default=None
        Parameter of the kernels that have it, not negative. None: 1 / n_features.
    degree : float, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1
        Constant of the polynomial and the sigmoid kernel.
    kernel_params : dict, default=None
        Further arguments of a kernel that is a function.
    alpha : float, default=1.0
        Penalty of the ridge regression that finds pre-images, not negative.
    fit_inverse_transform : bool, default=False
        Whether to learn pre-images, for ``inverse_transform``.
    eigen_solver : {"auto", "dense", "arpack", "randomized"}, default="auto"
        "dense": LAPACK. "arpack": ARPACK. "randomized": random projections; the eigenvalues are the
        largest in size. "auto": a block Krylov space with a certificate, for more than 200 samples
        and components up to an eighth of them; else, and where the certificate is missed, "dense".
    tol : float, default=0
        Of ARPACK; 0: as exact as numbers are.
    max_iter : int, default=None
        Of ARPACK. None: as many as it needs.
    iterated_power : int or "auto", default="auto"
        Power iterations of "randomized".
    remove_zero_eig : bool, default=False
        Whether components with the eigenvalue zero are removed; with ``n_components=None`` they
        always are.
    random_state : int, RandomState, Generator or None, default=None
        Of "arpack" and "randomized".
    copy_X : bool, default=True
        Has no effect: `X` is never written to, and a copy is kept.
    n_jobs : int, default=None
        Number of threads for the Gram matrix. None and -1: every CPU that is available.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the centred Gram matrix, falling, float64: sums of squares along the
        components.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Eigenvectors of length 1; the largest entry of each is positive.
    residual_ : float or None
        Of the Krylov space: the largest length of K v - lambda v, divided by the largest
        eigenvalue. None for other solvers.
    dual_coef_ : ndarray of shape (n_samples, n_features)
        Weights of the pre-images; with ``fit_inverse_transform=True`` only.
    X_transformed_fit_ : ndarray of shape (n_samples, n_components)
        Projections of the training samples; with ``fit_inverse_transform=True`` only.
    X_fit_ : ndarray or CSR array of shape (n_samples, n_features)
        Training samples, which projections need; the Gram matrix for "precomputed".
    gamma_ : float
        The gamma that was used: `gamma` or 1 / n_features.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Notes
    -----
    O(n^2 p) time for the Gram matrix, 4 n^2 bytes for it, and then O(n^2 k) for each of about ten
    products (Krylov space), or O(n^3) ("dense"). A projection takes O(n p) a sample, in tiles. See
    :cite:t:`scholkopf_kernel_1999`.

    Examples
    --------
    >>> from litlearn.decomposition import KernelPCA
    >>> model = KernelPCA(2, kernel="rbf", gamma=1.0).fit([[0], [1], [5], [6]])
    >>> print(model.transform([[0], [6]])[:, 0].round(2) + 0.0)
    [ 0.58 -0.58]
    """

    _constraints = Table(
        n_components=COUNT | None,
        alpha=NOT_NEGATIVE,
        fit_inverse_transform=BOOLEAN,
        eigen_solver=Option("auto", "dense", "arpack", "randomized"),
        max_iter=COUNT | None,
        iterated_power=Option("auto") | TIMES,
        random_state=SEED,
        remove_zero_eig=BOOLEAN,
    )

    def __init__(
        self,
        n_components=None,
        *,
        kernel="linear",
        gamma=None,
        degree=3,
        coef0=1,
        kernel_params=None,
        alpha=1.0,
        fit_inverse_transform=False,
        eigen_solver="auto",
        tol=0,
        max_iter=None,
        iterated_power="auto",
        remove_zero_eig=False,
        random_state=None,
        copy_X=True,
        n_jobs=None,
    ):
        self._set_as_given(locals())

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse &= not self.fit_inverse_transform
        return tags

    @property
    def _n_features_out(self):
        return len(self.eigenvalues_)

    def fit(self, X, y=None):
        """Find the components.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples; for the kernel "precomputed" their Gram matrix (n_samples, n_samples).
        y : None
            Not used.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` holds objects that are not numbers, or is sparse where the kernel or
            ``fit_inverse_transform`` takes none.
        ValueError
            If a parameter is out of range, `X` is missing, empty, of the wrong shape, or holds NaN
            or infinity, or a component would have a negative eigenvalue.
        MemoryError
            If the Gram matrix does not fit in memory.

        Warns
        -----
        ConvergenceWarning
            If the ridge regression of the pre-images has no minimum: the kernel's Gram matrix of
            the projections has an eigenvalue between -alpha and 0.
        """
        random = check_kernel_pca(self)
        # Pre-images are made of dense samples.
        dense = {"sparse": ()} if self.fit_inverse_transform else {}
        X, names = _gram.check_kernel_samples(self, X, **dense)
        _gram.check_memory(self, X.shape[0], 1, INSTEAD)
        gamma = 1.0 / X.shape[1] if self.gamma is None else float(self.gamma)
        origin = common_part(self, X)
        kernel = sample_kernel(self, X, gamma, origin)
        A = kernel.upper(self.n_jobs)
        means, largest = column_means(A, self.n_jobs)
        if not np.isfinite(means).all():
            kernel.refuse_range()
        centre(A, means, self.n_jobs)
        found, residual = leading(self, A, random)
        values, vectors = meaningful(self, found, len(means) * np.finfo(np.float64).eps * largest)
        weights = pre_images(self, X, vectors * np.sqrt(values), gamma)
        # Everything has been found: store it.
        self.gamma_, self._origin, self._means = gamma, origin, means
        self.eigenvalues_, self.eigenvectors_, self.residual_ = values, vectors, residual
        for name in ("dual_coef_", "X_transformed_fit_"):
            self.__dict__.pop(name, None)
        if weights is not None:
            self.X_transformed_fit_, self.dual_coef_ = weights
        self.X_fit_ = _gram.own_copy(self, X)
        validation.store_features(self, X.shape[1], names)
        return self

    def fit_transform(self, X, y=None):
        """Find the components and project the training samples.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            As in `fit`.
        y : None
            Not used.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            float32 if `X` is, otherwise float64.
        """
        self.fit(X)
        found = self.eigenvectors_ * np.sqrt(self.eigenvalues_)
        return found.astype(self.X_fit_.dtype, copy=False)

    def transform(self, X):
        """Project samples on the components, :eq:`eq-kpca-project`.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_queries, n_features)
            Samples; for the kernel "precomputed" their kernel with the training samples,
            (n_queries, n_samples).

        Returns
        -------
        ndarray of shape (n_queries, n_components)
            float32 if `X` is, otherwise float64. Zero along components of eigenvalue zero.
        """
        X = validation.check_queries(self, X)
        positive = self.eigenvalues_ > 0.0
        scaled = np.zeros(self.eigenvectors_.shape)
        scaled[:, positive] = self.eigenvectors_[:, positive] / np.sqrt(self.eigenvalues_[positive])
        means, grand = self._means, self._means.mean()

        def project(K, out):
            of_rows = K.mean(axis=1, keepdims=True)
            K -= means
            K += grand - of_rows
            np.matmul(K, scaled, out=out)

        kernel = sample_kernel(self, self.X_fit_, self.gamma_, self._origin)
        Q = X if self._origin is None else X - self._origin
        return kernel.map_tiles(Q, project, scaled.shape[1], self.n_jobs, dtype=X.dtype)

    def inverse_transform(self, X):
        """Return pre-images: samples whose projections are near those given.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_components)
            Projections.

        Returns
        -------
        ndarray of shape (n_queries, n_features)
            Predictions of a kernel ridge regression of the training samples on their projections;
            float32 if `X` is, otherwise float64.

        Raises
        ------
        NotFittedError
            If ``fit_inverse_transform`` was not set.
        """
        validation.check_is_fitted(self)
        if not hasattr(self, "dual_coef_"):
            raise NotFittedError(
                "The fit_inverse_transform parameter was not set to True when KernelPCA was "
                "fitted, and hence the inverse transform is not available."
            )
        X = validation.check_coordinates(self, X, self.X_transformed_fit_.shape[1])
        kernel = _gram.SampleKernel(self, self.X_transformed_fit_, self.gamma_)
        weights = self.dual_coef_

        def part(K, out):
            np.matmul(K, weights, out=out)

        return kernel.map_tiles(X, part, weights.shape[1], self.n_jobs, dtype=X.dtype)


def check_kernel_pca(model):
    """Check the parameters of KernelPCA; return what the solvers draw by."""
    random = validation.check_parameters(model).random_state
    if model.fit_inverse_transform and model.kernel == "precomputed":
        raise ValueError(
            "KernelPCA: Cannot fit_inverse_transform with a precomputed kernel: pre-images are "
            "samples, and there are none."
        )
    return random


def common_part(model, X):
    """Return a point that the linear kernel may be taken from, (p,), or None.

    Centred inner products do not change with the origin, but their digits do: it is the mean.
    """
    if model.kernel != "linear" or validation.is_sparse(X):
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        mean = X.mean(axis=0, dtype=np.float64)
    return mean if np.isfinite(mean).all() else None


def sample_kernel(model, X, gamma, origin):
    """Return the kernel of samples, which are first taken from the origin."""
    X = X if origin is None else validation.read_only(X - origin)
    return _gram.SampleKernel(model, X, gamma)


def column_means(A, n_jobs=None):
    """Return the means of the columns of a Gram matrix, and the largest size of its entries.

    Parameters
    ----------
    A : Symmetric
        (n, n).
    n_jobs : int or None, default=None

    Returns
    -------
    means : ndarray of shape (n,)
        Infinite or NaN if an entry is, or if a sum is beyond the range of numbers.
    largest : float
    """
    n = A.shape[0]

    def sums(own):
        first, m, largest, total = n - own.shape[1], len(own), 0.0, np.zeros(n)
        with np.errstate(over="ignore", invalid="ignore"):
            for some in cut(m, max(1, CENTRED // own.shape[1])):
                rows = own[some]
                total[first:] += rows.sum(axis=0)
                total[first:][some] += rows[:, m:].sum(axis=1)  # what stands below the diagonal
                largest = max(largest, rows.max(), -rows.min())
        return total, largest

    def merge(a, b):
        return a[0] + b[0], max(a[1], b[1])

    total, largest = fold_blocks(sums, merge, A.parts, n_jobs, work=1.0 * n * n)
    return total / n, float(largest)


def centre(A, means, n_jobs=None):
    """Centre a Gram matrix in place, :eq:`eq-kpca-centre`.

    Parameters
    ----------
    A : Symmetric
        (n, n); overwritten by the inner products of features less their mean.
    means : ndarray of shape (n,)
        Of its columns.
    n_jobs : int or None, default=None
    """
    n, grand = len(means), means.mean()

    # <centre>: Take off the mean of the column and that of the row; the mean of all went twice.
    def take_off(own):
        mine = means[n - own.shape[1] :]
        for some in cut(len(own), max(1, CENTRED // own.shape[1])):
            own[some] -= mine
            own[some] += (grand - mine[some])[:, None]

    fold_blocks(take_off, None, A.parts, n_jobs, work=1.0 * n * n)


def leading(model, A, random):
    """Return the leading eigenvalues of A (n, n) and their vectors, and the certificate or None."""
    from scipy.linalg import eigh

    n = A.shape[0]
    k = n if model.n_components is None else min(n, model.n_components)
    solver = model.eigen_solver
    if solver == "auto" and n > SMALL and k <= FEW * n:
        found = factors.leading_eigen(A, k, tol=RESIDUAL)
        if found.residual <= RESIDUAL:
            return found, found.residual
    if solver == "arpack" and k < n:
        random = RANDOM_STATE.read(random)
        return factors.arpack_eigen(A, k, random, model.tol, model.max_iter), None
    if solver == "randomized":
        random = RANDOM_STATE.read(random)
        return factors.random_eigen(A, k, random, n_iter=model.iterated_power), None
    # <dense>: All eigenvectors by divide and conquer, or a few by their own representations.
    options = {"driver": "evd"} if k == n else {"subset_by_index": (n - k, n - 1)}
    values, vectors = eigh(A.whole(), overwrite_a=True, check_finite=False, **options)
    return factors.Eigen(values[::-1], vectors[:, ::-1], np.nan), None


def meaningful(model, found, rounding):
    """Return eigenvalues (k,) and vectors (n, k): sorted, without rounding, with fixed signs.

    `rounding` is the size of what is left of a zero eigenvalue.
    """
    order = np.argsort(-found.values, kind="stable")
    values, vectors = found.values[order].copy(), found.vectors[:, order]
    largest = values.max(initial=0.0)
    lowest = values.min(initial=0.0)
    if lowest < -max(NEGATIVE * largest, rounding):
        share = "all" if largest <= rounding else f"{-lowest / largest:g} of the maximum positive"
        raise ValueError(
            f"KernelPCA: There are significant negative eigenvalues ({share}): the kernel "
            f"{model.kernel!r} is no inner product for these samples. Ask for fewer components, or "
            "choose another kernel."
        )
    values[values <= max(NOTHING * largest, rounding)] = 0.0
    if model.remove_zero_eig or model.n_components is None:
        vectors, values = vectors[:, values > 0.0], values[values > 0.0]
    vectors = vectors * factors.signs(vectors)
    return values, np.ascontiguousarray(vectors)


def pre_images(model, X, Z, gamma):
    """Return the projections Z (n, k) and the weights (n, p) of their pre-images, or None."""
    if not model.fit_inverse_transform:
        return None
    if not Z.shape[1]:
        raise ValueError(
            "KernelPCA: fit_inverse_transform needs a component, and every eigenvalue is zero: all "
            "samples have the same features."
        )
    Z = validation.read_only(Z)
    kernel = _gram.SampleKernel(model, Z, gamma)
    K = kernel.gram(model.n_jobs)
    shifts = np.full(X.shape[1], float(model.alpha))
    targets = X.astype(np.float64, copy=False)
    solution = _gram.solve_shifted(K, targets, shifts, kernel.rounding(K))
    if solution.is_saddle:
        complaint = solution.explain(model, model.alpha, of=" of the projections")
        validation.warn(ConvergenceWarning(complaint))
    return Z, solution.W
