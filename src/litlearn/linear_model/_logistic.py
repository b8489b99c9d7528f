"""Logistic regression: two classes or many, dense or sparse, any of the penalties."""

import contextlib
import copy
import functools
import inspect
import sys
from typing import NamedTuple

import numpy as np

from litlearn._core import targets, validation
from litlearn._core.chunked import (
    count_codes,
    in_memory,
    is_chunked,
    kept,
    largest_size,
    ones_for,
)
from litlearn._core.constraints import (
    ARRAY,
    BOOLEAN,
    POSITIVE,
    REPEATS,
    SEED,
    SHARE,
    Integer,
    Option,
    Real,
    Table,
)
from litlearn._core.factors import threads_for
from litlearn._core.linear import SPARSE_FORMATS, LinearClassifier, SparseCoefficients
from litlearn._core.progress import progress
from litlearn.exceptions import ConvergenceWarning
from litlearn.linear_model import _callbacks, _choice
from litlearn.linear_model._chunk_objective import ChunkObjective
from litlearn.linear_model._newton import Goal, minimise, smooth_path
from litlearn.linear_model._objective import Objective
from litlearn.linear_model._penalty import Penalty
from litlearn.linear_model._proximal_newton import fit_path

SOLVERS = ("auto", "lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")
TELLING = ("auto", "lbfgs")  # those that tell callbacks of their steps
# How scikit-learn begins to say that a solver of this name missed its goal: programs filter by it.
MISSED = {
    "lbfgs": "lbfgs failed to converge after {} iterations.",
    "liblinear": "Liblinear failed to converge, increase the number of iterations.",
    "newton-cg": "newton-cg failed to converge at {}. Increase the number of iterations.",
    "newton-cholesky": "Newton solver did not converge after {} iterations.",
    "sag": "The max_iter was reached which means the coef_ did not converge.",
    "saga": "The max_iter was reached which means the coef_ did not converge.",
}
LARGEST_HESSIAN = 10_000  # parameters; beyond, not even a user's wish makes it sensible
LARGEST_SUM = 4_000  # parameters whose Hessian is summed up over chunks: 0.1 GB each
GRID = (-4.0, 4.0)  # decimal exponents of the first and the last C of an automatic grid
SMALL = 2**18  # entries of X below which one thread takes all paths
ANY_C = Real("(0.0, inf]")


class ClassSamples(NamedTuple):
    """Samples of classes."""

    X: np.ndarray  # (n, p), or a CSR or CSC array
    codes: np.ndarray  # (n,), from 0
    classes: np.ndarray
    s: np.ndarray  # (n,), weights

    def shape(self):
        """Return the shape (q, p) of the coefficients: two classes have one row."""
        n_classes = len(self.classes)
        return 1 if n_classes == 2 else n_classes, self.X.shape[1]

    def start(self):
        """Return coefficients and intercepts of zero."""
        return np.zeros(self.shape()), np.zeros(self.shape()[0])


class Fitted(NamedTuple):
    """What a fit found: for two classes, q is 1."""

    coef: np.ndarray  # (q, p)
    intercept: np.ndarray  # (q,)
    n_iter: int
    optimality: float
    message: str | None  # why the certificate was missed, if it was


def show_objective(state):
    """Say how good the coefficients are, after a progress bar."""
    return f"objective {state.value:.6g}"


def scaled_penalty(s, C):
    """Return weights of at most 1, and the weight of the penalty beside their mean loss."""
    # Their sum must be a number, and neither may it vanish.
    largest = in_memory(s.max())
    s = s / largest
    with np.errstate(over="ignore"):
        return s, np.minimum(1.0 / C / in_memory(s.sum()) / largest, 1e290)


@contextlib.contextmanager
def within_range(X):
    """Say that the values of X are too large if they are."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            yield
    except FloatingPointError as error:
        raise ValueError(
            "LogisticRegression: X holds values too large for their differences or products "
            f"(the largest is {largest_size(X):.1e}), expected less than about 1e150. Scale "
            "the features first."
        ) from error


class LogisticRegression(SparseCoefficients, LinearClassifier):
    r"""Logistic regression: the log-odds of the classes are linear in the features.

    Two classes: the probability of the second is the sigmoid of a linear function,
    :eq:`eq-logistic-probability`. More classes: the probabilities are the softmax of one linear
    function for each class, :eq:`eq-softmax`. The coefficients minimise, with the default
    settings,

    .. math:: C \sum_i s_i \, \mathrm{loss}_i + \rho \, \Vert W \Vert_1
              + \frac{1 - \rho}{2} \Vert W \Vert_2^2,

    where :math:`\rho` is ``l1_ratio``, :math:`s_i` is the product of sample weight and class
    weight, and the loss is minus the logarithm of the probability of the true class,
    :eq:`eq-logistic-penalized`. The intercept is never penalised.

    Parameters
    ----------
    penalty : {"l1", "l2", "elasticnet"} or None, default="deprecated"
        Older way to choose the penalty, which `l1_ratio` and `C` express by themselves. ``"l2"`` is
        ``l1_ratio=0``, ``"l1"`` is ``l1_ratio=1``, ``"elasticnet"`` uses `l1_ratio`, and None is
        ``C=inf``. Each warns, as scikit-learn will drop the parameter. Where the two disagree,
        `penalty` decides and a second warning is given.
    C : float, default=1.0
        Weight of the losses against the penalty, above 0. Smaller is a stronger penalty; ``inf``
        is none.
    l1_ratio : float or None, default=0.0
        Share of the l1 penalty, from 0 to 1.
    dual : bool, default=False
        Accepted for compatibility; without effect, since the minimum is the same. As in
        scikit-learn, solvers named other than ``"liblinear"`` refuse True; ``"auto"`` does not.
    tol : float, default=1e-4
        Tolerance. Without an l1 penalty, the solver stops when no entry of the gradient of the
        mean loss, for standardised features, exceeds `tol`, and the loss is estimated to be within
        1e-3 `tol`, relatively, of its minimum.
    fit_intercept : bool, default=True
        Add a constant to the linear functions.
    intercept_scaling : float, default=1
        Accepted for compatibility; without effect, since the intercept is not penalised.
    class_weight : dict or "balanced", default=None
        Weights of the classes, ``{class: weight}``; ``"balanced"`` gives all classes the same total
        weight. They multiply the sample weights.
    random_state : int, RandomState, Generator or None, default=None
        Accepted for compatibility; nothing here is random.
    solver : str, default="auto"
        ``"auto"`` chooses by shape and penalty, and serves every penalty. The names of
        scikit-learn's solvers are accepted. ``"newton-cholesky"`` and ``"newton-cg"`` force
        factored Hessians and conjugate gradients; ``"lbfgs"``, ``"liblinear"``, ``"sag"`` and
        ``"saga"`` are replaced by ``"auto"``. Each reaches the same minimum: that of the objective
        above, whose intercept is not penalised (scikit-learn's ``"liblinear"`` does penalise it).
        A penalty, or a number of classes, that scikit-learn's solver of the name refuses is
        refused here.
    max_iter : int, default=100
        Most iterations of the solver.
    verbose : bool or int, default=0
        Show a progress bar if above 0.
    warm_start : bool, default=False
        Begin at the coefficients of the last fit. They must have the shape that the new data need.
    n_jobs : int or None, default=None
        Threads; None is all CPUs. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Coefficients; one row for two classes; float32 if `X` is and the solver is not
        ``"liblinear"``, otherwise float64.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts; zeros without `fit_intercept`.
    n_iter_ : ndarray of shape (1,)
        Iterations over all samples.
    converged_ : bool
        Whether the certificate was met.
    optimality_ : float
        The certificate: how far the objective, divided by `C` and the sum of the weights, may
        still be above its minimum. Without an l1 penalty it is half the squared Newton decrement,
        with one the duality gap.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if `X` had names that are strings.

    Notes
    -----
    A step costs :math:`n p^2 + p^3/3` operations for two classes, where the Hessian is formed and
    factored (:eq:`eq-newton-step`), and a multiple of :math:`n p q` with conjugate gradients.
    Memory beyond the data is :math:`O(n q + p^2)`. CSR and CSC data stay sparse.

    Without a penalty, classes that a hyperplane separates have no finite minimum: coefficients
    grow without bound. The solver stops when the gradient is below `tol`, and warns.

    Examples
    --------
    >>> from litlearn.linear_model import LogisticRegression
    >>> model = LogisticRegression().fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> print(model.predict([[0.4], [2.6]]))
    [0 1]
    >>> print(model.predict_proba([[1.5]]).round(2))
    [[0.5 0.5]]
    """

    _constraints = Table(
        penalty=Option("l1", "l2", "elasticnet", "deprecated") | None,
        C=ANY_C,
        l1_ratio=SHARE | None,
        dual=BOOLEAN,
        intercept_scaling=POSITIVE,
        solver=Option(*SOLVERS),
        max_iter=Integer("[0, inf)"),
        random_state=SEED,
    )
    sparse_formats = SPARSE_FORMATS
    _calls_back = True  # with solvers that tell their steps
    _fits_chunks = True

    def __init__(
        self,
        penalty="deprecated",
        *,
        C=1.0,
        l1_ratio=0.0,
        dual=False,
        tol=1e-4,
        fit_intercept=True,
        intercept_scaling=1,
        class_weight=None,
        random_state=None,
        solver="auto",
        max_iter=100,
        verbose=0,
        warm_start=False,
        n_jobs=None,
    ):
        self._set_as_given(locals())

    def fit(self, X, y, sample_weight=None):
        """Fit the coefficients.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Training samples. C-ordered float32 or float64, or CSR, are used without a copy.
        y : array-like of shape (n_samples,)
            Classes: integers, booleans or strings.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples; ones if None.

        Returns
        -------
        self : LogisticRegression

        Raises
        ------
        TypeError
            If `X` or `y` is of a type that cannot be used.
        ValueError
            If a parameter is out of range, `y` has one class only, or an array has the wrong shape
            or holds NaN or infinity.

        Warns
        -----
        ConvergenceWarning
            If the solver stops without its certificate, or the classes are separated and there is
            no penalty.
        """
        given = self._check_parameters()
        names = validation.feature_names(X)
        rows = validation.check_array(self, X, sparse=self.sparse_formats)
        if self.solver == "liblinear":
            rows = rows.astype(np.float64, copy=False)  # as LIBLINEAR, which has no other numbers
        samples = self._samples(rows, targets.encode_one(self, y, rows.shape[0]), sample_weight)
        if is_chunked(rows):
            self._check_chunks(samples, given)
        start = self._start(samples)
        snapshot = functools.partial(self._snapshot, samples, names)
        with _callbacks.fitting(self, X, y, sample_weight, snapshot):
            fitted = self._solve(samples, given.C, given.l1_ratio, given, start)
            if fitted.message is not None:
                validation.warn(ConvergenceWarning(fitted.message))
            self._store(samples, names, fitted)
        return self

    def set_callbacks(self, *callbacks):
        """Set scikit-learn's callbacks, such as ``sklearn.callback.ProgressBar()``.

        Without arguments, those set before are dropped. Callbacks are told when a fit begins and
        ends, and with the solvers "auto" and "lbfgs" of each step, unless the penalty is l1.

        Parameters
        ----------
        *callbacks : objects
            As scikit-learn's protocol ``FitCallback`` has them, since 1.9.

        Returns
        -------
        self : LogisticRegression

        Raises
        ------
        TypeError
            If an object is no callback.

        Warns
        -----
        UserWarning
            If the solver is another one, or the estimator chooses `C` by itself.
        """
        from sklearn.callback import CallbackSupportMixin

        if self.solver not in TELLING or not self._calls_back:
            message = (
                "Callbacks are only supported in LogisticRegression for solver='lbfgs' and 'auto'. "
                f"This {type(self).__name__} has solver={self.solver!r}: its steps call none."
            )
            validation.warn(UserWarning(message))
        return CallbackSupportMixin.set_callbacks(self, *callbacks)

    def _check_parameters(self):
        """Return the parameters, with the C and the l1_ratio that `penalty` makes of them."""
        given, who = validation.check_parameters(self), type(self).__name__
        self._warn_of_penalty()
        if given.penalty == "elasticnet" and given.l1_ratio is None:
            raise ValueError(f"{who}: l1_ratio must be specified when penalty is elasticnet.")
        inconsistent = {"l2": (0.0, None), "l1": (1.0, None)}.get(given.penalty, (given.l1_ratio,))
        if given.l1_ratio not in inconsistent:
            message = (
                f"{who}: Inconsistent values: penalty={given.penalty} with "
                f"l1_ratio={given.l1_ratio}. l1_ratio parameter is only used when penalty is "
                f"'elasticnet'. Got (penalty={given.penalty}). Leave penalty at its default and "
                "use l1_ratio only."
            )
            validation.warn(UserWarning(message))
        if given.penalty is None:
            if given.C != 1.0 or given.l1_ratio not in (0.0, None):
                message = f"{who}: Setting penalty=None will ignore the C and l1_ratio parameters"
                validation.warn(UserWarning(message))
            given.C = np.inf
        given.l1_ratio = {"l2": 0.0, "l1": 1.0}.get(given.penalty, given.l1_ratio or 0.0)
        penalised = bool(np.isfinite(given.C))
        self._check_solver(given.l1_ratio if penalised else 0.0, penalised)
        return given

    def _warn_of_penalty(self):
        """Say that the parameter will go."""
        if self.penalty != "deprecated":
            message = (
                f"{type(self).__name__}: 'penalty' was deprecated in scikit-learn 1.8 and will be "
                "removed in 1.10. Use l1_ratio or l1_ratios, and C=inf for no penalty."
            )
            validation.warn(FutureWarning(message))

    def _check_solver(self, l1_ratio, penalised=True):
        """Refuse what scikit-learn's solver of this name does not have."""
        who, solver = type(self).__name__, self.solver
        if self.dual and solver not in ("auto", "liblinear"):
            raise ValueError(f"{who}: Solver {solver} supports only dual=False, got dual=True")
        if solver == "liblinear" and not penalised:
            raise ValueError(
                f"{who}: C=np.inf as well as penalty=None is not supported for the liblinear solver"
            )
        if solver == "liblinear" and l1_ratio not in (0.0, 1.0):
            raise ValueError(
                f"{who}: Only 'saga' solver supports elasticnet penalty, got solver=liblinear. "
                "'auto' supports every penalty."
            )
        if l1_ratio != 0.0 and solver not in ("auto", "saga", "liblinear"):
            raise ValueError(
                f"{who}: Solver {solver} supports only 'l2' or None penalties, got "
                f"l1_ratio={l1_ratio}. Use solver='saga' or 'auto'."
            )

    def _samples(self, X, coded, sample_weight):
        """Return the :class:`ClassSamples`, if they can be fitted."""
        who, classes = type(self).__name__, coded.classes[0]
        if len(classes) < 2:
            raise ValueError(
                f"{who} needs samples of at least 2 classes in the data, but the data contains "
                f"only one class: {classes[0]!r}"
            )
        if self.solver == "liblinear" and len(classes) > 2:
            raise ValueError(
                f"{who}: The 'liblinear' solver does not support multiclass classification "
                f"(n_classes >= 3), and y has {len(classes)}. Use solver='auto', or wrap it in a "
                "OneVsRestClassifier."
            )
        s = targets.combined_weight(self, sample_weight, self.class_weight, coded, counted=True)
        codes = kept(coded.codes[0])
        return ClassSamples(X, codes, classes, kept(ones_for(codes) if s is None else s))

    def _check_chunks(self, samples, given):
        """Refuse samples in chunks where no Hessian is summed up."""
        who = type(self).__name__
        if not np.isfinite(given.C):
            raise ValueError(
                f"{who}: an array of Dask is fitted with a penalty, expected a finite C, got "
                f"C={given.C}."
            )
        q, p = samples.shape()
        if q * (p + 1) > LARGEST_SUM:
            raise ValueError(
                f"{who}: of an array of Dask the Hessian is summed up, for which {q * (p + 1)} "
                f"parameters are too many; expected at most {LARGEST_SUM}. Use SGDClassifier, "
                "with partial_fit(chunk.compute()) for each chunk."
            )

    def _start(self, samples):
        """Return coefficients (q, p) and intercepts (q,) to start from."""
        if not self.warm_start or not hasattr(self, "coef_"):
            return samples.start()
        shape = samples.shape()
        if self.coef_.shape != shape:
            raise ValueError(
                f"LogisticRegression: with warm_start=True the coefficients of the last fit, of "
                f"shape {self.coef_.shape}, are the start of this one, which needs shape {shape}. "
                "Set warm_start=False, or use the same features and number of classes."
            )
        coef = self.coef_.toarray() if validation.is_sparse(self.coef_) else self.coef_
        intercept = self.intercept_ if self.fit_intercept else np.zeros(shape[0])
        return coef.astype(np.float64), intercept.astype(np.float64)

    def _solve(self, samples, C, l1_ratio, limits, start):
        """Return what is :class:`Fitted`; `limits` has `tol` and `max_iter`."""
        s, alpha = scaled_penalty(samples.s, C)
        # Of sparse data no matrix is factored, but vectors are long enough for threads of BLAS.
        n_rows = 0 if validation.is_sparse(samples.X) else samples.X.shape[1]
        with within_range(samples.X), threads_for(n_rows):
            if alpha * l1_ratio > 0.0:
                return self._solve_l1(samples, s, [alpha], l1_ratio, limits, start)[0]
            return self._solve_l2(samples, s, alpha, limits, start)

    def _solve_l2(self, samples, s, alpha, limits, start):
        """As `_solve`, without an l1 penalty; the weights `s` are at most 1."""
        n_classes = len(samples.classes)
        penalised = alpha > 0.0 and count_codes(samples.codes, n_classes, s).min() > 0.0
        objective = self._objective(samples, s, alpha)
        v = objective.start(*start)
        factored = {"newton-cg": False, "newton-cholesky": True}.get(self.solver)
        if factored and (objective.sparse or v.size > LARGEST_HESSIAN):
            factored = None
        factored = True if is_chunked(samples.X) else factored
        goal = Goal(1e-3 * limits.tol, limits.tol, limits.max_iter, penalised)
        steps = getattr(self, "_steps", None) if self.solver in TELLING else None
        with progress(self, show_objective) as report:
            if steps is not None:
                report = steps.begin(v, objective.finish, report)
            result = minimise(objective, v, goal, report, factored)
            if steps is not None:
                steps.end(result.v)
        message = None if result.converged else self._explain(result)
        optimality = result.gap * result.state.value
        return Fitted(*objective.finish(result.v), result.n_iter, optimality, message)

    def _objective(self, samples, s, alpha):
        """Return the objective of two classes or of many, with an l2 penalty."""
        X, codes = samples.X, samples.codes.astype(np.intp)
        if validation.is_sparse(X) and X.format != "csr":
            X = validation.check_array(self, X.tocsr(), sparse=("csr",))
        if is_chunked(X):
            return ChunkObjective(X, codes, samples.shape()[0], s, alpha, self.fit_intercept)
        return Objective(X, codes, samples.shape()[0], s, alpha, self.fit_intercept, self.n_jobs)

    def _solve_l1(self, samples, s, alphas, l1_ratio, limits, start):
        """As `_solve`, with l1 penalties, by the proximal Newton method: a list of `Fitted`."""
        found = fit_path(
            samples.X, samples.codes.astype(np.intp), samples.shape()[0], s,
            [Penalty(float(a * l1_ratio), float(a * (1.0 - l1_ratio))) for a in alphas],
            bool(self.fit_intercept), limits.tol, limits.max_iter, start, self.n_jobs,
        )  # fmt: skip
        fits = []
        for coef, intercept, n_iter, gap, met in found:
            missed = self._missed(n_iter, f"the duality gap of the mean objective is {gap:.1e}")
            fits.append(Fitted(coef, intercept, n_iter, gap, None if met else missed))
        return fits

    def _explain(self, result):
        """Say why the solver stopped without its certificate."""
        if result.separated:
            return (
                "LogisticRegression: the classes are separated by the features (or a class has no "
                "weight), and nothing is penalised that would hold the parameters: the loss has no "
                "minimum, and parameters grow without bound. They are returned as they were after "
                f"{result.n_iter} iterations. Use a finite C."
            )
        excess = f"the objective may be above its minimum by {result.gap:.1e} of its value"
        return self._missed(result.n_iter, excess)

    def _missed(self, n_iter, known):
        """Say that the goal was missed, first in the words of scikit-learn's solver of the name."""
        theirs = MISSED[self.solver].format(n_iter) + " " if self.solver in MISSED else ""
        return (
            f"{theirs}LogisticRegression did not converge in {n_iter} iterations: {known}. "
            "Increase max_iter or tol, or penalise more (a smaller C)."
        )

    def _store(self, samples, names, fitted):
        dtype = samples.X.dtype
        validation.store_features(self, samples.X.shape[1], names)
        self.classes_ = samples.classes
        self.coef_, self.intercept_ = fitted.coef.astype(dtype), fitted.intercept.astype(dtype)
        self.n_iter_ = np.array([fitted.n_iter], dtype=np.int32)
        self.optimality_ = float(fitted.optimality)
        self.converged_ = fitted.message is None

    def _snapshot(self, samples, names, n_done, coef, intercept):
        """Return the attributes of an estimator that is fitted so far."""
        one = copy.copy(self)
        one._store(samples, names, Fitted(coef, intercept, n_done, np.nan, "not done"))
        return vars(one)

    def predict_proba(self, X):
        """Return the probability of each class, :eq:`eq-logistic-probability`, :eq:`eq-softmax`.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities in the order of ``classes_``; each row sums to 1.
        """
        return targets.probabilities(self.decision_function(X))

    def predict_log_proba(self, X):
        """Return the logarithms of the probabilities, without taking that of a rounded zero.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms, in the order of ``classes_``.
        """
        return targets.log_probabilities(self.decision_function(X))


# ---------------------------------------------------------------------------------------------
# The penalty by cross-validation


class LogisticRegressionCV(LogisticRegression):
    """Logistic regression that chooses `C`, and the share of the l1 penalty, by cross-validation.

    For each fold and each share there is a path: the strongest penalty first, and each next one
    from the solution before. The pair with the best mean score over the folds is fitted to all
    samples. See :class:`LogisticRegression` for the model and its objective,
    :eq:`eq-logistic-penalized`.

    Parameters
    ----------
    Cs : int or array-like of shape (n_cs,), default=10
        Weights of the losses against the penalty to choose from, above 0; or how many, in equal
        steps of the logarithm from 1e-4 to 1e4.
    l1_ratios : array-like of shape (n_l1_ratios,) or None, default="warn"
        Shares of the l1 penalty to choose from, from 0 to 1. None, and the default: 0, and the
        arrays below have no dimension for it.
    fit_intercept : bool, default=True
        Add a constant to the linear functions.
    cv : int, splitter, iterable or None, default=None
        Number of folds that hold the classes in equal shares (None: 5), an object with a method
        ``split``, or pairs of indices of training and test samples.
    dual : bool, default=False
        Accepted for compatibility; without effect, since the minimum is the same.
    penalty : {"l1", "l2", "elasticnet"}, default="deprecated"
        Older way to choose the penalty: ``"l2"`` is ``l1_ratios=(0,)``, ``"l1"`` is
        ``l1_ratios=(1,)``, ``"elasticnet"`` uses `l1_ratios`. Each warns, as scikit-learn will drop
        the parameter.
    scoring : str, callable or None, default="warn"
        What to maximise: a name of scikit-learn's, or a callable ``scorer(estimator, X, y)``;
        either needs scikit-learn loaded. None, and the default: the accuracy.
    solver : str, default="auto"
        As in :class:`LogisticRegression`.
    tol : float, default=1e-4
        As in :class:`LogisticRegression`, for each fit.
    max_iter : int, default=100
        Most iterations of the solver, for each fit.
    class_weight : dict or "balanced", default=None
        Weights of the classes; ``"balanced"`` gives all classes the same total weight among all
        samples.
    n_jobs : int or None, default=None
        Threads, one path each; None is all CPUs. The result does not depend on it.
    verbose : bool or int, default=0
        Show a progress bar if above 0.
    refit : bool, default=True
        Whether to fit the best penalty to all samples. Otherwise the coefficients, `C` and the
        share that are best on each fold are averaged.
    intercept_scaling : float, default=1.0
        Accepted for compatibility; without effect, since the intercept is not penalised.
    random_state : int, RandomState, Generator or None, default=None
        Accepted for compatibility; nothing here is random.
    use_legacy_attributes : bool, default="warn"
        Shapes of the attributes: as scikit-learn has had them (True, and the default), or as they
        will be there (False).

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Coefficients; one row for two classes; float32 if `X` is, otherwise float64.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts; zeros without `fit_intercept`.
    Cs_ : ndarray of shape (n_cs,)
        The values of `C`.
    l1_ratios_ : ndarray of shape (n_l1_ratios,)
        The shares; None stands for 0 if none was given.
    coefs_paths_ : dict or ndarray of shape (n_folds, n_l1_ratios, n_cs, n_rows, n_dof)
        Coefficients, and the intercept at the end if there is one, for each fit to a fold; `n_rows`
        is 1 for two classes. With legacy attributes a dict with an array of shape (n_folds, n_cs,
        n_dof), or (n_folds, n_cs, n_l1_ratios, n_dof), for each class, or for the second of two.
    scores_ : dict or ndarray of shape (n_folds, n_l1_ratios, n_cs)
        Score on the test samples of each fold. With legacy attributes a dict with an array of shape
        (n_folds, n_cs), or (n_folds, n_cs, n_l1_ratios), the same for each class.
    C_ : float or ndarray of shape (1,) or (n_classes,)
        The value chosen, repeated with legacy attributes. Of equally good ones, the smallest index.
    l1_ratio_ : float or ndarray of shape (1,) or (n_classes,)
        The share chosen, likewise.
    n_iter_ : ndarray of shape (n_folds, n_l1_ratios, n_cs)
        Iterations; with legacy attributes, of shape (1, n_folds, n_cs) or (1, n_folds, n_cs,
        n_l1_ratios).
    converged_ : bool
        Whether every fit has met its certificate.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if `X` had names that are strings.

    Notes
    -----
    Cost: some passes over the training samples for each fold, share and value of `C`. A fit begins
    at the last minimum, or where the last two lead if that is better. With an l2 penalty alone, the
    model of the curvature, too, is that of the last minimum, corrected by what the steps tell
    (L-BFGS). Such a fit stops at a gap of `tol` / 1000 of the loss of coefficients that are zero,
    or less, and with an l1 penalty at `tol` / 100 of it; the last one, to all samples, as
    :class:`LogisticRegression` does.
    Memory: the training samples of a fold for each thread.

    Examples
    --------
    >>> import numpy as np
    >>> from litlearn.linear_model import LogisticRegressionCV
    >>> X = np.arange(20.0)[:, None]
    >>> model = LogisticRegressionCV(Cs=[1e-6, 1.0], cv=4).fit(X, X[:, 0] > 6)
    >>> print(model.C_, model.scores_[True].shape)
    [1.] (4, 2)
    """

    _constraints = Table(
        Cs=REPEATS | ARRAY,
        l1_ratios=ARRAY | Option("warn") | None,
        penalty=Option("l1", "l2", "elasticnet", "deprecated"),
        scoring=_choice.SCORING,
        refit=BOOLEAN,
        use_legacy_attributes=BOOLEAN | Option("warn"),
    )
    _calls_back = False
    _fits_chunks = False

    def __init__(
        self,
        *,
        Cs=10,
        l1_ratios="warn",
        fit_intercept=True,
        cv=None,
        dual=False,
        penalty="deprecated",
        scoring="warn",
        solver="auto",
        tol=1e-4,
        max_iter=100,
        class_weight=None,
        n_jobs=None,
        verbose=0,
        refit=True,
        intercept_scaling=1.0,
        random_state=None,
        use_legacy_attributes="warn",
    ):
        self._set_as_given(locals())

    def fit(self, X, y, sample_weight=None, **params):
        """Choose the penalty, and fit the coefficients.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Classes: integers, booleans or strings.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, in the fits and in the scores; ones if None.
        **params : dict
            Refused: nothing is handed on to `cv` or `scoring`.

        Returns
        -------
        self : LogisticRegressionCV

        Raises
        ------
        TypeError
            If `X` or `y` is of a type that cannot be used.
        ValueError
            If a parameter is out of range, `y` has one class only, or an array has the wrong shape
            or holds NaN or infinity.

        Warns
        -----
        ConvergenceWarning
            If a fit stops without its certificate.
        """
        _choice.check_no_params(self, params)
        given = self._check_parameters()
        names = validation.feature_names(X)
        X = validation.check_array(self, X, sparse=self.sparse_formats)
        if validation.is_sparse(X) and X.format != "csr":
            X = validation.check_array(self, X.tocsr(), sparse=("csr",))
        coded = targets.encode_one(self, y, X.shape[0])
        samples = self._samples(X, coded, sample_weight)
        weight = validation.check_sample_weight(self, sample_weight, X.shape[0])
        single = LogisticRegression(
            solver=self.solver, fit_intercept=self.fit_intercept, n_jobs=self.n_jobs
        )
        coefs, scores, n_iter, missed = self._search(single, samples, weight, given)
        fitted, chosen = self._choose(single, samples, coefs, scores, given)
        missed += fitted.message is not None
        if missed:
            message = (
                f"LogisticRegressionCV did not converge in {missed} of {scores.size + self.refit} "
                "fits. Increase max_iter or tol, scale the features, or penalise more (smaller Cs)."
            )
            validation.warn(ConvergenceWarning(message))
        self._store(samples, names, fitted)
        del self.optimality_  # of the last fit alone
        self.Cs_, self.converged_ = given.Cs, missed == 0
        self._store_search(coefs, scores, n_iter, given.l1_ratios, *chosen)
        return self

    def _choose(self, single, samples, coefs, scores, given):
        """Return what is :class:`Fitted`, and the C and the share of l1 that it stands for."""
        Cs, ratios = given.Cs, given.l1_ratios
        # <choose>: The best mean score; of equal ones, the first.
        if self.refit:
            mean = scores.mean(axis=0)
            c, r = np.unravel_index(np.argmax(mean.T), mean.T.shape)
            # The mean of the folds is near, but without l1 little is saved by it. From zero the
            # answer is LogisticRegression's with this C, to the last bit.
            start = self._split(coefs[:, r, c].mean(axis=0) * (ratios[r] > 0.0))
            return single._solve(samples, Cs[c], ratios[r], given, start), (Cs[c], ratios[r])
        flat = scores.transpose(0, 2, 1).reshape(len(scores), -1).argmax(axis=1)
        c, r = np.unravel_index(flat, (len(Cs), len(ratios)))
        mean = self._split(coefs[np.arange(len(scores)), r, c].mean(axis=0))
        return Fitted(*mean, 0, np.nan, None), (np.mean(Cs[c]), np.mean(ratios[r]))

    def _check_parameters(self):
        """Return the parameters, with arrays of the values of C and of the shares of l1."""
        given = validation.check_parameters(self)
        self._warn_of_penalty()
        if isinstance(given.Cs, int):
            given.Cs = np.logspace(*GRID, given.Cs)
        else:
            given.Cs = self._check_numbers("Cs", given.Cs, ANY_C)
        given.l1_ratios = self._check_ratios()
        for ratio in given.l1_ratios:
            self._check_solver(ratio)
        return given

    def _check_numbers(self, name, numbers, constraint):
        """Return an array of checked numbers from an array-like parameter."""
        if np.ndim(numbers) != 1 or np.size(numbers) == 0:
            validation.refuse(self, name, numbers, "an int or an array-like of numbers")
        return np.array([
            constraint.check(self, f"{name}[{i}]", value) for i, value in enumerate(numbers)
        ])  # fmt: skip

    def _check_ratios(self):
        """Return the shares of the l1 penalty."""
        none = not self._has_ratios()
        if self.penalty in ("l1", "l2"):
            if not none:
                message = (
                    "l1_ratios parameter is only used when penalty is 'elasticnet'. Got "
                    f"(penalty={self.penalty})"
                )
                validation.warn(UserWarning(message))
            return np.array([float(self.penalty == "l1")])
        if none and self.penalty == "elasticnet":
            validation.refuse(self, "l1_ratios", None, "an array-like of numbers from 0 to 1")
        return np.zeros(1) if none else self._check_numbers("l1_ratios", self.l1_ratios, SHARE)

    def _has_ratios(self):
        """Tell whether there are shares of the l1 penalty to choose from."""
        return self.l1_ratios is not None and not isinstance(self.l1_ratios, str)

    def _split(self, coefs):
        """Return coefficients and intercepts from arrays that hold both, (q, n_dof)."""
        if self.fit_intercept:
            return np.ascontiguousarray(coefs[:, :-1]), coefs[:, -1].copy()
        return coefs, np.zeros(len(coefs))

    def _search(self, single, samples, weight, given):
        """Fit and score all paths.

        Returns
        -------
        coefs : ndarray of shape (n_folds, n_l1_ratios, n_cs, q, n_dof)
        scores, n_iter : ndarray of shape (n_folds, n_l1_ratios, n_cs)
        missed : int
            How many fits have missed their certificate.
        """
        X, codes, classes, s = samples
        y, (q, p) = classes[codes], samples.shape()
        folds, scorer = _choice.check_folds(self, self.cv, X, y, codes), self._scorer(classes)
        shape = len(folds), len(given.l1_ratios), len(given.Cs)
        coefs = np.empty((*shape, q, p + bool(self.fit_intercept)))
        scores, n_iter = np.empty(shape), np.zeros(shape, dtype=np.int32)
        order = np.argsort(given.Cs, kind="stable")

        def solve(f, r):
            train, test = folds[f]
            if not s[train].any():
                raise ValueError(
                    "LogisticRegressionCV: sample_weight is all zero outside a fold of cv."
                )
            rows = validation.check_array(self, X[train], sparse=self.sparse_formats)
            part = ClassSamples(rows, codes[train], classes, s[train])
            # <path>: From the strongest penalty to the weakest.
            with within_range(rows):
                fits = logistic_path(single, part, given.Cs[order], given.l1_ratios[r], given)
            of_test = X[test], y[test], None if weight is None else weight[test]
            for c, fitted in zip(order, fits, strict=True):
                one = [fitted.coef, fitted.intercept[:, np.newaxis]]
                coefs[f, r, c] = np.hstack(one[: 1 + bool(self.fit_intercept)])
                model = copy.copy(single)
                model.classes_, model.n_features_in_ = classes, p
                model.coef_, model.intercept_ = self._split(coefs[f, r, c])
                scores[f, r, c] = _choice.score(self, scorer, model, *of_test)
                n_iter[f, r, c] = fitted.n_iter
            return sum(fitted.message is not None for fitted in fits)

        missed = _choice.solve_paths(self, solve, shape[:2], small=np.prod(X.shape) < SMALL)
        return coefs, scores, n_iter, int(np.sum(missed))

    def _scorer(self, classes=None):
        """Return the callable that scores; with `classes`, one that expects all of these."""
        if self.scoring is None or validation.is_option(self.scoring, "warn"):
            return _accuracy
        scorer = _choice.scorer_of(self)
        function = getattr(scorer, "_score_func", None)
        known = inspect.signature(function).parameters if function else ()
        if classes is None or "labels" not in known:
            return scorer
        # A fold may lack a class, which the score must know nevertheless.
        others = {"pos_label": classes[-1]} if len(classes) == 2 and "pos_label" in known else {}
        return sys.modules["sklearn.metrics"].make_scorer(
            function, greater_is_better=scorer._sign == 1, response_method=scorer._response_method,
            **{**others, "labels": classes, **scorer._kwargs},
        )  # fmt: skip

    def _store_search(self, coefs, scores, n_iter, ratios, C, ratio):
        """Store what the search found, in the shapes that were asked for."""
        given = self._has_ratios()
        self.l1_ratios_ = ratios if given else np.array([None])
        if isinstance(self.use_legacy_attributes, str) or self.use_legacy_attributes:
            keys = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
            shares = slice(None) if given else 0
            # From (folds, shares, Cs, ...) to (folds, Cs, shares, ...).
            paths = coefs.transpose(3, 0, 2, 1, 4)[:, :, :, shares]
            scores = scores.transpose(0, 2, 1)[:, :, shares]
            self.coefs_paths_ = {key: paths[i].copy() for i, key in enumerate(keys.tolist())}
            self.scores_ = {key: scores.copy() for key in keys.tolist()}
            self.n_iter_ = n_iter.transpose(0, 2, 1)[None, :, :, shares].copy()
            self.C_ = np.full(len(keys), C)
            self.l1_ratio_ = np.full(len(keys), ratio if given or not self.refit else None)
        else:
            self.coefs_paths_, self.scores_, self.n_iter_ = coefs, scores, n_iter
            self.C_, self.l1_ratio_ = float(C), float(ratio)

    def score(self, X, y, sample_weight=None, **params):
        """Return the score that `scoring` stands for: the accuracy by default.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their true classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.
        **params : dict
            Refused: nothing is handed on to `scoring`.

        Returns
        -------
        float
        """
        _choice.check_no_params(self, params)
        weighted = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self._scorer()(self, X, y, **weighted)


def logistic_path(single, samples, Cs, l1_ratio, limits):
    """Return what is :class:`Fitted` for each of rising `Cs`, each from the last.

    `single` is the estimator that solves for one.
    """
    start, fits = samples.start(), []
    s, alphas = scaled_penalty(samples.s, Cs)
    if (alphas * l1_ratio > 0.0).all():
        return single._solve_l1(samples, s, alphas, l1_ratio, limits, start)
    lightest = np.bincount(samples.codes, samples.s, len(samples.classes)).min()
    # Without a finite minimum, the solver of one penalty knows what to say.
    if l1_ratio == 0.0 and np.isfinite(Cs).all() and lightest > 0.0:
        objective = single._objective(samples, s, alphas[-1])
        v = objective.start(*start)
        path = smooth_path(objective, v, alphas, limits.tol, limits.max_iter)
        for v, n_iter, converged in path:
            missed = None if converged else "missed"
            fits.append(Fitted(*objective.finish(v), n_iter, np.nan, missed))
        return fits
    for C in Cs:
        fits.append(single._solve(samples, C, l1_ratio, limits, start))
        start = fits[-1].coef, fits[-1].intercept
    return fits


def _accuracy(model, X, y, sample_weight=None):
    return LogisticRegression.score(model, X, y, sample_weight)
