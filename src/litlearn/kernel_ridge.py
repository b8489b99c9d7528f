"""Kernel ridge regression: ridge regression on the features of a kernel.

The names, parameters, attributes and defaults are scikit-learn's.
"""

import numpy as np

from litlearn._core import factors, validation
from litlearn._core.base import MultiOutputMixin, RegressorMixin
from litlearn._core.constraints import ARRAY, NOT_NEGATIVE, Table
from litlearn._core.guide import guide
from litlearn.exceptions import ConvergenceWarning
from litlearn.kernels import _gram

__all__ = ["KernelRidge"]

INSTEAD = (
    "fit litlearn.linear_model.Ridge to the features of "
    "litlearn.kernel_approximation.Nystroem, which needs no such matrix, or use fewer samples"
)


class KernelRidge(MultiOutputMixin, RegressorMixin, _gram.KernelEstimator):
    """Kernel ridge regression: least squares with a penalty, on the features of a kernel.

    Minimises :eq:`eq-krr`, the sum of squared errors plus `alpha` times the squared norm of the
    function. There is no intercept: centre `y`, or add a constant to the kernel.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1
        Strength of the penalty, not negative; an array has one for each target.
    kernel : str or callable, default="linear"
        "linear", "poly", "polynomial", "sigmoid", "rbf", "laplacian", "cosine", "chi2" or
        "additive_chi2", see :mod:`litlearn.kernels`; "precomputed": `X` is the Gram matrix; or a
        function of two samples that returns a number.
    gamma : float, default=None
        Parameter of the kernels that have it, not negative. None: 1 / n_features, and 1 for "chi2".
    degree : float, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1
        Constant of the polynomial and the sigmoid kernel.
    kernel_params : dict, default=None
        Further arguments of a kernel that is a function.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Weights of the training samples in the sum of kernels, float64.
    X_fit_ : ndarray or CSR array of shape (n_samples, n_features)
        Training samples, which predictions need; the Gram matrix for "precomputed".
    solver_ : {"cholesky", "eigen"}
        How the linear system was solved.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` was a data frame with string names.

    Warns
    -----
    ConvergenceWarning
        If the Gram matrix plus the penalty is singular up to rounding: the shortest of the least
        squares solutions is then found by eigenvectors. Or if the kernel is no inner product, and
        the Gram matrix has negative eigenvalues: where one lies between -alpha and 0, the objective
        has no minimum; below -alpha it has one.

    Notes
    -----
    Solves :eq:`eq-krr-dual` in float64: O(n^2 p) time for the Gram matrix, n^3 / 3 for its
    factorisation, and 8 n^2 bytes, the only matrix of that size. Prediction takes O(n p) a sample,
    in tiles. See :cite:t:`murphy_machine_2012`.

    Examples
    --------
    >>> from litlearn.kernel_ridge import KernelRidge
    >>> model = KernelRidge(alpha=0.1, kernel="rbf", gamma=1.0).fit([[0], [1], [2]], [0, 1, 0])
    >>> print(model.predict([[0], [1], [2]]).round(2))
    [0.04 0.88 0.04]
    """

    _constraints = Table(alpha=NOT_NEGATIVE | ARRAY)

    def __init__(
        self, alpha=1, *, kernel="linear", gamma=None, degree=3, coef0=1, kernel_params=None
    ):
        self._set_as_given(locals())

    def fit(self, X, y, sample_weight=None):
        """Find the weights of the training samples.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples; for the kernel "precomputed" their Gram matrix (n_samples, n_samples).
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets, real numbers.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Factors of the squared errors.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` or `y` holds objects that are not numbers, or `X` is sparse and the kernel takes
            no sparse samples.
        ValueError
            If a parameter is out of range, or `X`, `y` or `sample_weight` is missing, empty, of the
            wrong shape, or holds NaN or infinity.
        MemoryError
            If the Gram matrix does not fit in memory.
        """
        validation.check_parameters(self)
        X, names = _gram.check_kernel_samples(self, X)
        y = validation.check_real_targets(self, y, X.shape[0])
        targets = y.reshape(len(y), -1)
        alpha = validation.check_penalties(self, self.alpha, targets.shape[1])
        weight = validation.check_sample_weight(self, sample_weight, X.shape[0])
        dual_coef, solver = fit_dual(self, X, targets, alpha, weight)
        self.dual_coef_ = dual_coef.reshape(y.shape)
        self.solver_ = solver
        self.X_fit_ = _gram.own_copy(self, X)
        validation.store_features(self, X.shape[1], names)
        return self

    def predict(self, X):
        """Predict: sums of kernels with the training samples, :eq:`eq-krr-predict`.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_queries, n_features)
            Samples; for the kernel "precomputed" their kernel with the training samples,
            (n_queries, n_samples).

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_targets)
            float64.
        """
        X = validation.check_queries(self, X)
        dual = self.dual_coef_.reshape(self.X_fit_.shape[0], -1)
        sums = _gram.SampleKernel(self, self.X_fit_, self.gamma)

        def part(K, out):
            np.matmul(K, dual, out=out)

        found = sums.map_tiles(X, part, dual.shape[1])
        return found if self.dual_coef_.ndim == 2 else found.ravel()


def fit_dual(model, X, Y, alpha, weight):
    """Return the dual coefficients, (n, k), of checked samples and targets, and the solver."""
    from scipy.linalg import lapack

    # <weights>: A sample of weight zero has no say; roots of weights scale rows and columns.
    n, root = X.shape[0], None
    taken = slice(None)
    if weight is not None:
        taken = np.flatnonzero(weight > 0.0) if np.any(weight == 0.0) else taken
        root = np.sqrt(weight[taken])
        X, Y = _gram.rows_of_samples(model, X, taken), Y[taken] * root[:, None]
    _gram.check_memory(model, X.shape[0], 1, INSTEAD)
    kernel = _gram.SampleKernel(model, X, model.gamma)
    # <half>: Without weights and with one penalty, half of the matrix may do.
    if root is None and (alpha == alpha[0]).all():
        K = kernel.half(alpha[0])
        L = None if K is None else factors.cholesky_in_place(K, alpha[0])
        if L is not None:
            return lapack.dpotrs(L, Y, lower=True)[0], "cholesky"
    K = kernel.gram()
    if root is not None:
        K *= root
        K *= root[:, None]
    # <solve>: Overflow of huge targets is left to the answer.
    with np.errstate(over="ignore", invalid="ignore"):
        found = _gram.solve_shifted(K, Y, alpha, kernel.rounding(K))
        W, solver = found.W, found.solver
        complaint = found.explain(model, alpha.max())
        if complaint:
            validation.warn(ConvergenceWarning(complaint))
        if root is not None:
            W = W * root[:, None]
    if len(W) == n:
        return W, solver
    dual_coef = np.zeros((n, W.shape[1]))
    dual_coef[taken] = W
    return dual_coef, solver


__getattr__ = guide(__name__)
