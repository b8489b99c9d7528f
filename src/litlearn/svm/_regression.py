"""Support vector regression: epsilon-SVR and nu-SVR."""

import numpy as np

from litlearn._core import validation
from litlearn._core.base import RegressorMixin
from litlearn._core.constraints import NOT_NEGATIVE, POSITIVE, Real, Table
from litlearn._core.progress import progress
from litlearn.svm._base import KernelMachine, show_violation
from litlearn.svm._programmes import epsilon_regression, nu_regression
from litlearn.svm._working_set import solve_programme


class KernelRegressor(RegressorMixin, KernelMachine):
    """A function that may miss the targets by epsilon at no cost."""

    def fit(self, X, y, sample_weight=None):
        """Fit the support vectors and their coefficients.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Training samples, used in float64; for ``kernel="precomputed"`` the Gram matrix,
            (n_samples, n_samples). A function as a kernel gets what is passed here.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of `C` for the samples; ones if None. A sample without a positive weight is
            left out.

        Returns
        -------
        self : estimator

        Raises
        ------
        TypeError
            If `X` or `y` is of a type that cannot be used.
        ValueError
            If a parameter is out of range, or an array has the wrong shape or
            holds NaN or infinity.

        Warns
        -----
        ConvergenceWarning
            If the solver stops without its certificate.
        """
        C = validation.check_parameters(self).C
        names = None if callable(self.kernel) else validation.feature_names(X)
        X, n = self._check_samples(X)
        y = validation.check_one_real_target(self, y, n)
        weight = self._check_weight(sample_weight, n)
        with np.errstate(invalid="ignore"):
            bounds = np.where(weight > 0.0, C * weight, 0.0)
        gram, kernel, memory = self._gram(X, n)
        with progress(self, show_violation, "step") as report:
            programme = self._programme(y, bounds)
            solution = solve_programme(gram, programme, self.tol, self.max_iter, memory, report)
        beta = solution.beta[:n] + solution.beta[n:]
        support = np.flatnonzero(beta)
        self._store_support(X, n, support, beta[np.newaxis, support], [len(support)])
        if not callable(self.kernel):
            validation.store_features(self, X.shape[1], names)
        self.intercept_ = np.array([-solution.multipliers.mean()])
        self._gamma = kernel.gamma if kernel else 0.0
        self.n_iter_, self.dual_gap_ = solution.n_steps, solution.gap
        self.fit_status_ = int(not solution.converged)
        self._warn_of([solution])
        return self

    def predict(self, X):
        """Predict the targets of samples.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples; for ``kernel="precomputed"`` their kernels with the training samples,
            (n_samples, n_samples_train).

        Returns
        -------
        ndarray of shape (n_samples,)
            In the units of the targets.
        """
        X = self._check_queries(X)
        return self._sums(X, [slice(0, len(self.support_))])[:, 0, 0] + self.intercept_


class SVR(KernelRegressor):
    r"""Support vector regression: errors up to epsilon cost nothing, larger ones in proportion.

    The function :math:`f(x) = \sum_i \beta_i k(x_i, x) + b` minimises

    .. math:: \tfrac{1}{2} \Vert w \Vert^2 + \sum_i C_i \max(0, |r_i| - \varepsilon),

    where :math:`r_i = y_i - f(x_i)` is the residual and :math:`C_i` the product of `C` and the
    sample weight. The losses are those of :eq:`eq-svr-loss`.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        See :mod:`litlearn.kernels`. ``"precomputed"``: `X` is the Gram matrix. A function takes two
        arrays of samples and returns the matrix of all pairs.
    degree : int, default=3
        Degree of the polynomial kernel, 0 or more.
    gamma : {"scale", "auto"} or float, default="scale"
        Scale of the kernels "poly", "rbf" and "sigmoid", in units of 1 / distance^2 for "rbf".
        ``"scale"``: 1 / (n_features * X.var()); ``"auto"``: 1 / n_features.
    coef0 : float, default=0.0
        Shift of the kernels "poly" and "sigmoid".
    tol : float, default=1e-3
        The solver stops when the violation of the optimality conditions is below it, in float64.
    C : float, default=1.0
        Price of the losses against the width of the margin, above 0. Smaller is a stronger penalty;
        ``inf`` allows no loss.
    epsilon : float, default=0.1
        Error that costs nothing, in units of the targets, 0 or more.
    shrinking : bool, default=True
        Accepted for compatibility: the working set does what shrinking is for.
    cache_size : float, default=200
        Megabytes (10^6 bytes) for Gram matrices: the whole one if it takes at most half of them,
        else those of working sets. A bound, apart from the samples and tiles of 4 MB a thread; a
        working set has at least eight variables.
    verbose : bool or int, default=False
        Show a progress bar with the violation and the duality gap.
    max_iter : int, default=-1
        Most steps of the solver, each of two variables. -1: as many as it needs, up to the larger
        of 10^7 and 100 times the number of variables.

    Attributes
    ----------
    support_ : ndarray of shape (n_sv,)
        Indices of the support vectors.
    support_vectors_ : ndarray or CSR matrix of shape (n_sv, n_features)
        The samples themselves; empty for "precomputed" and for a function.
    n_support_ : ndarray of shape (1,)
        Their number.
    dual_coef_ : ndarray or CSR matrix of shape (1, n_sv)
        Coefficients beta.
    coef_ : ndarray or CSR matrix of shape (1, n_features)
        Coefficients of the features; only for the linear kernel. Read-only.
    intercept_ : ndarray of shape (1,)
        The constant.
    dual_gap_ : float
        Duality gap: how far the objective may still be above its minimum.
    n_iter_ : int
        Steps of the solver.
    fit_status_ : int
        0 if the solver ended with its certificate.
    shape_fit_ : tuple
        Shape of the training samples.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if `X` had names that are strings.

    Notes
    -----
    As for :class:`SVC`, with two variables for each sample.

    Examples
    --------
    >>> from litlearn.svm import SVR
    >>> model = SVR(kernel="linear", C=10.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> print(model.coef_.round(2), model.intercept_.round(2))  # a line in a tube of width 0.2
    [[0.9]] [0.1]
    """

    _constraints = Table(epsilon=NOT_NEGATIVE)

    def __init__(
        self,
        *,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        tol=1e-3,
        C=1.0,
        epsilon=0.1,
        shrinking=True,
        cache_size=200,
        verbose=False,
        max_iter=-1,
    ):
        self._set_as_given(locals())

    def _programme(self, y, bounds):
        return epsilon_regression(y, bounds, float(self.epsilon))


class NuSVR(KernelRegressor):
    r"""Support vector regression with a bound on the share of samples outside the tube.

    As :class:`SVR`, but instead of `epsilon` one chooses `nu`: at most this share of the samples
    errs by more than epsilon, which is found. The losses are those of :eq:`eq-svr-loss`.

    Parameters
    ----------
    nu : float, default=0.5
        A share, above 0 and at most 1.
    C : float, default=1.0
        Price of the losses against the width of the margin, above 0 and finite: `nu` is a share of
        it. Smaller is a stronger penalty.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        See :mod:`litlearn.kernels`. ``"precomputed"``: `X` is the Gram matrix. A function takes two
        arrays of samples and returns the matrix of all pairs.
    degree : int, default=3
        Degree of the polynomial kernel, 0 or more.
    gamma : {"scale", "auto"} or float, default="scale"
        Scale of the kernels "poly", "rbf" and "sigmoid", in units of 1 / distance^2 for "rbf".
        ``"scale"``: 1 / (n_features * X.var()); ``"auto"``: 1 / n_features.
    coef0 : float, default=0.0
        Shift of the kernels "poly" and "sigmoid".
    shrinking : bool, default=True
        Accepted for compatibility: the working set does what shrinking is for.
    tol : float, default=1e-3
        The solver stops when the violation of the optimality conditions is below it, in float64.
    cache_size : float, default=200
        Megabytes (10^6 bytes) for Gram matrices: the whole one if it takes at most half of them,
        else those of working sets. A bound, apart from the samples and tiles of 4 MB a thread; a
        working set has at least eight variables.
    verbose : bool or int, default=False
        Show a progress bar with the violation and the duality gap.
    max_iter : int, default=-1
        Most steps of the solver, each of two variables. -1: as many as it needs, up to the larger
        of 10^7 and 100 times the number of variables.

    Attributes
    ----------
    support_ : ndarray of shape (n_sv,)
        Indices of the support vectors.
    support_vectors_ : ndarray or CSR matrix of shape (n_sv, n_features)
        The samples themselves; empty for "precomputed" and for a function.
    n_support_ : ndarray of shape (1,)
        Their number.
    dual_coef_ : ndarray or CSR matrix of shape (1, n_sv)
        Coefficients beta.
    coef_ : ndarray or CSR matrix of shape (1, n_features)
        Coefficients of the features; only for the linear kernel. Read-only.
    intercept_ : ndarray of shape (1,)
        The constant.
    dual_gap_ : float
        Duality gap: how far the objective may still be above its minimum.
    n_iter_ : int
        Steps of the solver.
    fit_status_ : int
        0 if the solver ended with its certificate.
    shape_fit_ : tuple
        Shape of the training samples.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if `X` had names that are strings.

    Notes
    -----
    As for :class:`SVR`.

    Examples
    --------
    >>> from litlearn.svm import NuSVR
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> model = NuSVR(kernel="linear", C=100.0).fit(X, y)
    >>> print(model.predict([[1.5]]).round(2))
    [1.5]
    """

    _constraints = Table(nu=Real("(0.0, 1.0]"), C=POSITIVE)

    def __init__(
        self,
        *,
        nu=0.5,
        C=1.0,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        shrinking=True,
        tol=1e-3,
        cache_size=200,
        verbose=False,
        max_iter=-1,
    ):
        self._set_as_given(locals())

    def _programme(self, y, bounds):
        with np.errstate(over="ignore"):
            total = bounds.sum()
        if not np.isfinite(total):
            raise ValueError(
                f"NuSVR: C={self.C!r} is too large: the sum of C over the samples, times their "
                "weights, is infinite, and nu is a share of it. Expected a finite sum."
            )
        return nu_regression(y, bounds, self.nu)
