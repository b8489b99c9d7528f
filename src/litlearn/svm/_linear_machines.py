"""LinearSVC and LinearSVR: no kernel, an intercept that is penalised, and many samples."""

import numpy as np

from litlearn._core import targets, validation
from litlearn._core.constraints import (
    BOOLEAN,
    NOT_NEGATIVE,
    POSITIVE,
    SEED,
    Integer,
    Option,
    Real,
    Table,
)
from litlearn._core.linear import LinearClassifier, LinearModel, LinearRegressor, SparseCoefficients
from litlearn._core.parallel import map_blocks
from litlearn._core.progress import progress
from litlearn.exceptions import ConvergenceWarning
from litlearn.kernels import _functions as kernels
from litlearn.svm._base import show_violation
from litlearn.svm._dual_descent import DualProblem, make_rows, solve_dual, solve_together
from litlearn.svm._primal_newton import SquaredLoss, solve_primal
from litlearn.svm._sparse_weights import solve_sparse

MOST_FEATURES = 1500  # up to which Hessians are formed and factored
# Price of a loss as large as the largest target, in units of the squared samples: w keeps six
# digits, and the solver needs five to end (at a fifth of the default of tol).
DEAREST = 1e10
COMBINATIONS = {  # of penalty and loss: the values of `dual` that liblinear has
    ("l2", "hinge"): (True,),
    ("l2", "squared_hinge"): (False, True),
    ("l1", "squared_hinge"): (False,),
    ("l2", "epsilon_insensitive"): (True,),
    ("l2", "squared_epsilon_insensitive"): (False, True),
}


class LinearMachine(LinearModel):
    """What both share."""

    _constraints = Table(
        dual=Option("auto") | BOOLEAN,
        tol=POSITIVE,
        C=POSITIVE,
        intercept_scaling=Real("[0.0, 1e100]"),  # products of two of them are finite
        max_iter=Integer("[0, inf)"),
        random_state=SEED,
    )
    _sparse_formats = ("csr",)

    def _check_parameters(self, penalty, combined=True):
        """Return the parameters; `combined`: whether penalty, loss and dual have a meaning."""
        given = validation.check_parameters(self)
        allowed = COMBINATIONS.get((penalty, self.loss), ())
        if combined and self.dual not in (*allowed, "auto" if allowed else None):
            raise ValueError(
                f"{type(self).__name__}: Unsupported set of arguments: the combination is not "
                f"there, Parameters: penalty='{penalty}', loss='{self.loss}', dual={self.dual}"
            )
        if self.fit_intercept and self.intercept_scaling == 0.0:
            raise ValueError(
                f"{type(self).__name__}: Intercept scaling is {self.intercept_scaling!r} but needs "
                "to be greater than 0. To disable fitting an intercept, set fit_intercept=False "
                "(parameter intercept_scaling)."
            )
        return given, given.intercept_scaling if self.fit_intercept else 0.0

    def _check_data(self, X):
        """Return X in float64 and the names of its features."""
        X, names = validation.check_samples(self, X)
        return kernels.as_input(X, np.float64), names

    def _check_range(self, X, constant, C):
        """Refuse samples whose squares, in sum and with their price, are infinite."""
        entries = X.ravel() if isinstance(X, np.ndarray) else X.data
        with np.errstate(over="ignore"):
            # Not by BLAS: its threads cost more than the sum.
            squares = np.einsum("i,i->", entries, entries) + len(C) * np.square(constant)
            total = 4.0 * C.max() * squares
        if not np.isfinite(total):
            raise ValueError(
                f"{type(self).__name__}: the squares of the entries of X, times C={self.C!r} and "
                "the weights of samples, sum up to infinity: scale X, or choose a smaller C or "
                "intercept_scaling."
            )

    @np.errstate(over="ignore", invalid="ignore")  # of the certificate, where C is 1e300
    def _solve(self, X, constant, y, C, epsilon, seed, report):
        """Return w (p + 1,), the violation, the duality gap, iterations, and whether it is met.

        epsilon: None for classification, where y is +1 or -1.
        """
        squared, (n, p) = self.loss.startswith("squared"), X.shape
        # Of small targets a share: coefficients of zero violate by no more than the largest.
        largest = float(np.max(np.abs(y[C > 0.0]), initial=0.0)) - (epsilon or 0.0)
        tol = self.tol * (largest if 0.0 < largest < 1.0 else 1.0)

        def error(w):
            return y - (X @ w[:-1] + constant * w[-1])

        if squared and p <= MOST_FEATURES and p <= n:
            loss = SquaredLoss(X, constant, y, C, epsilon)
            w, beta, *ended = solve_primal(loss, tol, self.max_iter, report)
            dual_w = np.append(X.T @ beta, constant * beta.sum())
        else:
            rows = make_rows(X, constant)

            def solve(C, report):
                problem = dual_problem(y, C, epsilon, squared)
                return solve_dual(rows, problem, p, tol, self.max_iter, seed, report)

            w, beta, *ended = solve(C, report)
            # <dear>: where it does not end, losses may be dearer than digits can tell.
            share = 1.0 if ended[-1] else share_of_prices(X, constant, C, largest)
            if share < 1.0:
                w, beta = min(
                    ((np.zeros(p + 1), np.zeros(n)), (w, beta), solve(share * C, None)[:2]),
                    key=lambda one: objective(error(one[0]), one[0], y, C, epsilon, squared),
                )
            dual_w = w
        violation, n_iter, converged = ended
        gap = certified_gap(error(w), w, dual_w, beta, y, C, epsilon, squared)
        return w, violation, gap, n_iter, converged

    def _finish(self, X, names, W, gaps, n_iter, converged, violation):
        """Store what was found; W (k, p + 1)."""
        validation.store_features(self, X.shape[1], names)
        self.coef_ = np.ascontiguousarray(W[:, :-1])
        scale = float(self.intercept_scaling) if self.fit_intercept else 0.0
        self.intercept_ = scale * W[:, -1]
        self.n_iter_ = int(n_iter)
        self.dual_gap_ = gaps
        if not converged:
            message = (
                f"{type(self).__name__}: Liblinear failed to converge, increase the number of "
                f"iterations. (So scikit-learn says it; the violation is {violation:.1e} after "
                f"{self.n_iter_} of max_iter={self.max_iter}, tol={self.tol:.1e}.)"
            )
            validation.warn(ConvergenceWarning(message))
        return self


def dual_problem(y, C, epsilon, squared):
    """Return the DualProblem of prices C (n,)."""
    with np.errstate(divide="ignore"):
        diagonal = np.where(C > 0.0, 0.5 / C, 0.0) if squared else np.zeros(len(y))
    most = np.where(C > 0.0, np.inf, 0.0) if squared else C
    lower = -most if epsilon is not None else np.where(y < 0.0, -most, 0.0)
    upper = most if epsilon is not None else np.where(y > 0.0, most, 0.0)
    return DualProblem(y, diagonal, lower, upper, epsilon or 0.0)


def share_of_prices(X, constant, C, largest):
    """Return the share, at most 1, of the prices C (n,) that the dual can tell from higher ones.

    Beyond, its coefficients are so large that w, their sum with the samples, has no digit left. The
    penalty, against which a loss is weighed, is lost in rounding at either.
    """
    if isinstance(X, np.ndarray):
        squares = np.einsum("ij,ij->i", X, X)
    else:
        squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
    dearest = np.max(C * (squares + constant**2))
    return min(1.0, DEAREST * largest / dearest) if largest > 0.0 else 1.0


def objective(error, w, y, C, epsilon, squared):
    """Return half the square of w plus the losses of its errors; infinity if not a number."""
    if epsilon is None:
        miss = np.maximum(y * error, 0.0)
    else:
        miss = np.maximum(np.abs(error) - epsilon, 0.0)
    value = float(0.5 * w @ w + C @ (miss**2 if squared else miss))
    return np.inf if np.isnan(value) else value


def certified_gap(error, w, dual_w, beta, y, C, epsilon, squared):
    """Return primal minus dual objective at w, of that error, and at beta, of which dual_w is."""
    used, primal = beta != 0.0, objective(error, w, y, C, epsilon, squared)
    dual = y @ beta - (epsilon or 0.0) * np.sum(np.abs(beta)) - 0.5 * dual_w @ dual_w
    if squared:
        dual -= np.sum(beta[used] ** 2 / (4.0 * C[used]))
    gap = float(primal - dual)
    return np.inf if np.isnan(gap) else max(0.0, gap)  # rounding can make it negative


class LinearSVC(SparseCoefficients, LinearMachine, LinearClassifier):
    r"""Linear support vector classification, for many samples.

    Two classes, :math:`y_i = \pm 1`: the coefficients minimise, with the default settings,

    .. math:: \tfrac{1}{2} \Vert w \Vert^2 + \tfrac{1}{2} v^2
              + \sum_i C_i \max(0, 1 - y_i (w \cdot x_i + s v))^2,

    where s is `intercept_scaling`, s v the intercept, which is penalised too, and :math:`C_i` the
    product of `C`, class weight and sample weight. With ``loss="hinge"`` the losses are those of
    :eq:`eq-svm-hinge`. More classes: one against the others each.

    Parameters
    ----------
    penalty : {"l1", "l2"}, default="l2"
        ``"l1"``: the sum of the sizes of the coefficients instead of half their squares, which
        makes many of them zero; only with the squared hinge.
    loss : {"hinge", "squared_hinge"}, default="squared_hinge"
        The hinge, or its square.
    dual : bool or "auto", default="auto"
        Checked as in scikit-learn; the way is chosen by loss and shape, the minimum is the same.
    tol : float, default=1e-4
        The solver stops when no sample violates the optimality conditions of the dual problem by
        `tol` or more, in units of the decision function. With the l1 penalty, when no feature
        violates those of the primal problem by `tol` times the largest slope at zero.
    C : float, default=1.0
        Price of the losses against the penalty, above 0.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        For more than two classes: one machine for each class against the others; or all at once,
        where the score of the true class must exceed each other one by 1 (Crammer and Singer 2001).
        `loss`, `penalty` and `dual` then have no meaning.
    fit_intercept : bool, default=True
        Add a constant.
    intercept_scaling : float, default=1
        Value of the constant feature whose coefficient is penalised: the larger, the less the
        intercept is.
    class_weight : dict or "balanced", default=None
        Factors of `C` for the classes, ``{class: factor}``; ``"balanced"``: inverse to their
        weighted counts.
    verbose : bool or int, default=0
        Show a progress bar with the violation.
    random_state : int, RandomState, Generator or None, default=None
        The order of samples or features in coordinate descent; without effect on Newton's method.
    max_iter : int, default=1000
        Most passes over the samples or features, or Newton steps. For ``"crammer_singer"`` rounds,
        each of at most 100 passes over the samples that still move.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Coefficients; one row for two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts; zeros without `fit_intercept`.
    dual_gap_ : ndarray of shape (1,) or (n_classes,)
        Duality gap of each machine: how far its objective may still be above the minimum.
    n_iter_ : int
        Passes, steps or rounds, of the machine that took most.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if `X` had names that are strings.

    Notes
    -----
    Squared losses with at most 1500 features, and not more than samples: Newton's method, O(n p^2)
    a step. Else coordinate descent in the dual, O(n p), or the number of stored entries, a pass;
    where that would take longer, and there are fewer than 1000 features, Newton's method goes on,
    with losses whose corners are rounded less from round to round.
    Memory beyond the samples in float64 is O(n + p), and O(p^2) for Newton's method. The l1
    penalty: coordinate descent over the features, with a copy of the samples by columns, and steps
    of Newton's for the coefficients that are not zero, which take as long as the passes at most.

    Examples
    --------
    >>> from litlearn.svm import LinearSVC
    >>> model = LinearSVC().fit([[0.0], [1.0], [3.0], [4.0]], ["low", "low", "high", "high"])
    >>> print(model.predict([[0.5], [3.5]]))
    ['low' 'high']
    """

    _constraints = Table(
        penalty=Option("l1", "l2"),
        loss=Option("hinge", "squared_hinge"),
        multi_class=Option("ovr", "crammer_singer"),
    )

    def __init__(
        self,
        penalty="l2",
        loss="squared_hinge",
        *,
        dual="auto",
        tol=1e-4,
        C=1.0,
        multi_class="ovr",
        fit_intercept=True,
        intercept_scaling=1,
        class_weight=None,
        verbose=0,
        random_state=None,
        max_iter=1000,
    ):
        self._set_as_given(locals())

    def fit(self, X, y, sample_weight=None):
        """Fit the coefficients.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Training samples, used in float64.
        y : array-like of shape (n_samples,)
            Classes: integers, booleans or strings.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of `C` for the samples; ones if None.

        Returns
        -------
        self : LinearSVC

        Raises
        ------
        TypeError
            If `X` or `y` is of a type that cannot be used.
        ValueError
            If a parameter is out of range or does not go with another, `y` has one class only, or
            an array has the wrong shape or holds NaN or infinity.

        Warns
        -----
        ConvergenceWarning
            If the solver stops without its certificate.
        """
        together = validation.is_option(self.multi_class, "crammer_singer")
        given, constant = self._check_parameters(self.penalty, combined=not together)
        X, names = self._check_data(X)
        n = X.shape[0]
        coded = targets.encode_one(self, y, n, fewest=2)
        classes, codes = coded.classes[0], coded.codes[0]
        weight = targets.combined_weight(
            self, sample_weight, self.class_weight, coded, counted=True
        )
        C = np.full(n, float(self.C)) if weight is None else self.C * weight
        self._check_range(X, constant, C)
        seed = validation.random_integer(given.random_state)
        if together:
            fitted = self._fit_together(X, constant, codes, C, len(classes), seed)
        else:
            fitted = self._fit_rest(X, constant, codes, C, len(classes), seed)
        self._finish(X, names, *fitted)
        self.classes_ = classes
        return self

    def _fit_rest(self, X, constant, codes, C, n_classes, seed):
        """Fit each class against the others, or the second of two."""
        classes = [1] if n_classes == 2 else list(range(n_classes))
        solve = self._solve_l1 if self.penalty == "l1" else self._solve
        with progress(self, show_violation) as report:

            def fit_class(number):
                y = np.where(codes == classes[number], 1.0, -1.0)
                shown = report if len(classes) == 1 else None
                return solve(X, constant, y, C, None, seed + number, shown)

            found = map_blocks(fit_class, len(classes))
        W, violations, gaps, n_iter, converged = zip(*found, strict=True)
        W = W[0][np.newaxis] if len(W) == 1 else np.array(W)  # it can be long
        return W, np.array(gaps), max(n_iter), all(converged), max(violations)

    def _solve_l1(self, X, constant, y, C, epsilon, seed, report):
        """As `_solve`, with an l1 penalty."""
        if isinstance(X, np.ndarray):
            A = np.column_stack([X, np.full(len(X), constant)]) if constant else X
            n, p = A.shape
            parts = A.T.reshape(-1), np.empty(0, dtype=np.int32), n * np.arange(p + 1)
        else:
            from scipy.sparse import csr_array, hstack

            column = csr_array(np.full((X.shape[0], 1), constant))
            A = hstack([X, column]).tocsc() if constant else X.tocsc()
            parts = A.data, A.indices, A.indptr
        columns = tuple(validation.read_only(part) for part in parts)
        limits = self.tol, self.max_iter
        w, *rest = solve_sparse(columns, lambda w: A @ w, y, C, limits, seed, report)
        return (w if constant else np.append(w, 0.0), *rest)

    def _fit_together(self, X, constant, codes, C, n_classes, seed):
        """Fit all classes at once, as Crammer and Singer."""
        limits = self.tol, self.max_iter
        with progress(self, show_violation) as report:
            W, alpha, violation, n_iter, converged = solve_together(
                make_rows(X, constant), codes, C, n_classes, X.shape[1], limits, seed, report
            )
        scores = X @ W[:, :-1].T + constant * W[:, -1]
        own = np.arange(len(codes)), codes
        rivals = scores + 1.0
        rivals[own] -= 1.0
        losses = C @ (rivals.max(axis=1) - scores[own])
        gap = np.sum(W**2) + losses + np.sum(alpha) - np.sum(alpha[own])
        W = W[[1]] - W[[0]] if n_classes == 2 else W
        return W, np.array([gap]), n_iter, converged, violation


class LinearSVR(LinearMachine, LinearRegressor):
    r"""Linear support vector regression, for many samples.

    The coefficients minimise, with the default settings,

    .. math:: \tfrac{1}{2} \Vert w \Vert^2 + \tfrac{1}{2} v^2
              + \sum_i C_i \max(0, |y_i - w \cdot x_i - s v| - \varepsilon),

    where s is `intercept_scaling`, s v the intercept, which is penalised too, and :math:`C_i` the
    product of `C` and the sample weight. The losses are those of :eq:`eq-svr-loss`.

    Parameters
    ----------
    epsilon : float, default=0.0
        Error that costs nothing, in units of the targets, 0 or more.
    tol : float, default=1e-4
        The solver stops when no sample violates the optimality conditions of the dual problem by
        `tol` or more: in units of the targets, or times the largest target beyond `epsilon` if that
        is less than 1.
    C : float, default=1.0
        Price of the losses against the penalty, above 0.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        What exceeds epsilon, or its square.
    fit_intercept : bool, default=True
        Add a constant.
    intercept_scaling : float, default=1.0
        Value of the constant feature whose coefficient is penalised: the larger, the less the
        intercept is.
    dual : bool or "auto", default="auto"
        Checked as in scikit-learn; the way is chosen by loss and shape, the minimum is the same.
    verbose : bool or int, default=0
        Show a progress bar with the violation.
    random_state : int, RandomState, Generator or None, default=None
        The order of samples or features in coordinate descent; without effect on Newton's method.
    max_iter : int, default=1000
        Most passes over the samples or features, or Newton steps.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients.
    intercept_ : ndarray of shape (1,)
        The intercept; zero without `fit_intercept`.
    dual_gap_ : float
        Duality gap: how far the objective may still be above its minimum.
    n_iter_ : int
        Passes or steps.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if `X` had names that are strings.

    Notes
    -----
    As for :class:`LinearSVC`.

    Examples
    --------
    >>> from litlearn.svm import LinearSVR
    >>> model = LinearSVR(epsilon=0.1, C=10.0).fit([[-1.0], [0.0], [1.0]], [-1.0, 0.0, 1.0])
    >>> print(model.coef_.round(2))  # a line in a tube of width 0.2
    [0.9]
    """

    _constraints = Table(
        epsilon=NOT_NEGATIVE, loss=Option("epsilon_insensitive", "squared_epsilon_insensitive")
    )

    def __init__(
        self,
        *,
        epsilon=0.0,
        tol=1e-4,
        C=1.0,
        loss="epsilon_insensitive",
        fit_intercept=True,
        intercept_scaling=1.0,
        dual="auto",
        verbose=0,
        random_state=None,
        max_iter=1000,
    ):
        self._set_as_given(locals())

    def fit(self, X, y, sample_weight=None):
        """Fit the coefficients.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Training samples, used in float64.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of `C` for the samples; ones if None.

        Returns
        -------
        self : LinearSVR

        Raises
        ------
        TypeError
            If `X` or `y` is of a type that cannot be used.
        ValueError
            If a parameter is out of range or does not go with another, or an array
            has the wrong shape or holds NaN or infinity.

        Warns
        -----
        ConvergenceWarning
            If the solver stops without its certificate.
        """
        given, constant = self._check_parameters("l2")
        X, names = self._check_data(X)
        y = validation.check_one_real_target(self, y, X.shape[0])
        weight = validation.check_sample_weight(self, sample_weight, len(y))
        C = np.full(len(y), float(self.C)) if weight is None else self.C * weight
        self._check_range(X, constant, C)
        seed = validation.random_integer(given.random_state)
        with progress(self, show_violation) as report:
            w, violation, gap, n_iter, converged = self._solve(
                X, constant, y, C, given.epsilon, seed, report
            )
        self._finish(X, names, w[np.newaxis], gap, n_iter, converged, violation)
        self.coef_ = self.coef_[0]
        return self
