"""Intervals and tests for the coefficients of linear and logistic models.

scikit-learn has no such tables, so their names are those of statistics. The models are fitted by
:class:`~litlearn.linear_model.LinearRegression` and, without a penalty, by
:class:`~litlearn.linear_model.LogisticRegression`.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from litlearn._core import targets, validation
from litlearn._core.chunked import is_chunked
from litlearn._core.constraints import Option, Real
from litlearn._core.factors import solve_triangular
from litlearn._core.guide import guide
from litlearn._core.moments import constant_columns
from litlearn.linear_model import LinearRegression, LogisticRegression, LogisticRegressionCV

__all__ = ["CoefficientTable", "coefficient_table"]

WHO = "coefficient_table"
EPSILON = np.finfo(np.float64).eps
KINDS = ("nonrobust", "HC0", "HC1", "HC2", "HC3")
# Standard errors by which a coefficient of the model may miss the minimum. The default tolerance of
# a fit is finer, and another person among a thousand coarser.
NEAR = 1e-3
# Deviance of a sample by which a model of separated classes may miss the limit, where solvers stop.
NEAR_LIMIT = 0.1
# 1 - leverage that is rounding: residual and divisor both are, and their ratio is anything.
LEVERAGE_ONE = 1e-8
# Newton's method has found the maximum of a likelihood when its next step moves no score further.
MOVED = 1e-8
# Without a maximum scores grow for ever. It stops when the deviance can fall no further, or when
# the curvature in some direction is the rounding of that in others.
EXHAUSTED, FLAT, TINY = 1e-20, 1e-13, 1e-30
# Coefficients of a function that separates classes, of columns whose mean square is 1: steeper ones
# would separate rounding.
STEEPEST = 1e6
SPANNED = 1e-9  # singular values of such columns that are smaller are rounding
MOST_STEPS, MOST_DOUBLINGS = 200, 200
# The deviance at the ends of a profile interval, as a share of the rise that they have.
PROFILE_ACCURACY = 1e-9


# ---------------------------------------------------------------------------------------------
# The table


@dataclass(frozen=True, eq=False, repr=False)
class CoefficientTable:
    """Coefficients with standard errors, tests and intervals; made by :func:`coefficient_table`.

    Attributes
    ----------
    names : ndarray of shape (n_coefficients,)
        "intercept", if there is one, and the names of the features, or "x0", "x1", ...
    estimate : ndarray of shape (n_coefficients,)
        Coefficients, float64. Infinite where a profile has its minimum at infinity, NaN where every
        value is as likely.
    standard_error : ndarray of shape (n_coefficients,)
        Estimated standard deviations of the estimates over repeated studies. NaN where the
        estimate is infinite.
    statistic : ndarray of shape (n_coefficients,)
        Wald: estimates divided by their standard errors. Profile: signed roots of the rise of the
        deviance when the coefficient is set to zero.
    p_value : ndarray of shape (n_coefficients,)
        Two-sided, of the hypothesis that the coefficient is zero.
    lower : ndarray of shape (n_coefficients,)
        Lower ends of the intervals.
    upper : ndarray of shape (n_coefficients,)
        Upper ends of the intervals.
    degrees_of_freedom : float
        Of Student's distribution; ``inf`` for the normal distribution.
    covariance : ndarray of shape (n_coefficients, n_coefficients)
        Covariance matrix of the estimates, whose diagonal has the squared standard errors.
    level : float
        Nominal coverage of each interval.
    title : str
        The model, and how standard errors and intervals were found.

    Examples
    --------
    >>> from litlearn.inference import coefficient_table
    >>> from litlearn.linear_model import LinearRegression
    >>> X, y = [[0], [1], [2], [3], [4]], [32, 23, 24, 15, 16]
    >>> table = coefficient_table(LinearRegression().fit(X, y), X, y, covariance="nonrobust")
    >>> print(table)
               estimate  std. error      t      p   2.5 %   97.5 %
    intercept        30       2.449  12.25  0.001    22.2     37.8
    x0               -4           1     -4  0.028  -7.182  -0.8176
    LinearRegression, nonrobust, Student's t with 3 degrees of freedom
    """

    names: np.ndarray
    estimate: np.ndarray
    standard_error: np.ndarray
    statistic: np.ndarray
    p_value: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    degrees_of_freedom: float
    covariance: np.ndarray
    level: float
    title: str

    def _columns(self):
        """Return the heads of the columns and their numbers."""
        below = 50.0 * (1.0 - self.level)
        letter = "t" if np.isfinite(self.degrees_of_freedom) else "z"
        return {
            "estimate": self.estimate,
            "std. error": self.standard_error,
            letter: self.statistic,
            "p": self.p_value,
            f"{below:.4g} %": self.lower,
            f"{100.0 - below:.4g} %": self.upper,
        }

    def __str__(self):
        columns = [["", *map(str, self.names)]]
        for head, numbers in self._columns().items():
            written = "{:#.3f}" if head == "p" else "{:.4g}"
            # Of a coefficient that is rounding, as of any other, four digits.
            cells = [written.format(v + 0.0) for v in numbers]
            columns.append(
                [head, *("<0.001" if c == "0.000" and head == "p" else c for c in cells)]
            )
        widths = [max(map(len, cells)) for cells in columns]
        rows = zip(*columns, strict=True)
        lines = [
            "  ".join(
                [
                    name.ljust(widths[0]),
                    *(c.rjust(w) for c, w in zip(cells, widths[1:], strict=True)),
                ]
            )
            for name, *cells in rows
        ]
        return "\n".join([*(line.rstrip() for line in lines), self.title])

    __repr__ = __str__

    def to_frame(self):
        """Return the table as a data frame of pandas, a row for each coefficient.

        Returns
        -------
        frame : pandas.DataFrame
            With the columns estimate, standard_error, statistic, p_value, lower and upper.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        import pandas

        columns = ("estimate", "standard_error", "statistic", "p_value", "lower", "upper")
        return pandas.DataFrame({name: getattr(self, name) for name in columns}, index=self.names)


# ---------------------------------------------------------------------------------------------
# The columns of the model: orthonormal, and the way back to its coefficients


class Basis(NamedTuple):
    """Samples and their columns, as a basis in which no coefficient is confused with another."""

    basis: np.ndarray  # (n, k): its columns are orthogonal, with weighted mean squares of 1
    back: np.ndarray  # (k, k): coefficients of the model are back @ those of the basis
    weight: np.ndarray  # (n,), how often each row counts
    names: np.ndarray  # (k,)
    largest: np.ndarray  # (k,), the largest absolute entry of each column

    @property
    def total(self):
        """The number of samples, repeated ones counted."""
        return float(self.weight.sum())


def make_basis(model, X, weight):
    """Return the :class:`Basis` of samples (n, p) of a model, or refuse dependent columns."""
    first = [np.ones((len(X), 1))] if model.fit_intercept else []
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(X.shape[1])])
    names = np.array([*["intercept"] * len(first), *names], dtype=object)
    if len(X) < len(names):
        raise ValueError(
            f"{WHO}: X has {len(X)} samples with positive weight and the model {len(names)} "
            "coefficients, expected at least as many samples."
        )
    largest = np.abs(X).max(axis=0).astype(np.float64)
    unit = power_of_two(largest)
    Z, mean, total = X / unit, np.zeros(X.shape[1]), weight.sum()
    # <centre>: The mean is taken twice: that of the deviations corrects the rounding of the first.
    for _ in range(2 if first else 0):
        rest = weight @ Z / total
        Z, mean = Z - rest, mean + rest
    # <scale>: Units go, so that a singular value near zero means dependence and nothing else.
    squares = weight @ Z**2
    constant = constant_columns(squares, mean, total) if first else squares == 0.0
    if constant.any():
        refuse_constant(names[len(first) :][constant], bool(first))
    size = np.r_[np.ones(len(first)), np.sqrt(squares / total)]
    B = np.hstack([*first, Z]) / size
    # <orthogonal>: One factorisation; what rounding left of the means goes to the column of ones.
    root = np.sqrt(weight / total)[:, None]
    Q, R = np.linalg.qr(root * B)
    # <dependent>: The flattest combination of columns is no larger than the rounding of its parts.
    _, singular, Vt = np.linalg.svd(R)
    rounding = np.finfo(X.dtype).eps * np.r_[np.ones(len(first)), largest / unit] / size
    if singular[-1] <= max(np.linalg.norm(Vt[-1] * rounding), len(R) * EPSILON * singular[0]):
        part = np.abs(Vt[-1])
        refuse_dependent(names[part > 1e-3 * part.max()])
    # <back>: First to deviations from the means, then to the columns as they came.
    back = solve_triangular(np.asfortranarray(R.T), np.eye(len(R)), transposed=True)
    back /= size[:, None]
    if first:
        back[0] -= mean @ back[1:]
    back[len(first) :] /= unit[:, None]
    largest = np.r_[np.ones(len(first)), largest]
    return Basis(Q / root, back, weight, names, largest)


def power_of_two(size):
    """Return powers of two near sizes, by which they are divided without rounding; 1 for 0."""
    return np.where(size > 0.0, np.ldexp(0.5, np.frexp(size)[1]), 1.0)


def refuse_constant(names, has_intercept):
    """Say which columns do not vary."""
    if has_intercept:
        why = "constant, and cannot be told from the intercept"
    else:
        why = "zero for every sample, and has no coefficient"
    raise ValueError(
        f"{WHO}: {listed(names)} is {why}, expected columns that vary. Leave it out of X."
    )


def refuse_dependent(names):
    """Say which columns are combinations of each other."""
    raise ValueError(
        f"{WHO}: of the columns {listed(names)} one is a linear function of the others, up to "
        "rounding: many coefficients fit equally well, and none has a standard error. Expected "
        "linearly independent columns. Leave one of them out of X."
    )


def listed(names):
    """Return at most five names as a text."""
    return ", ".join(repr(str(name)) for name in names[:5]) + ", ..." * (len(names) > 5)


# ---------------------------------------------------------------------------------------------
# Covariance matrices: bread, filling, bread


def root_of_covariance(design, R, residual, kind, sigma=1.0):
    """Return H (k, k) with the covariance matrix ``H H'`` of the coefficients.

    That is :eq:`eq-ols-variance` or :eq:`eq-logistic-covariance` for "nonrobust", and
    :eq:`eq-sandwich` or :eq:`eq-logistic-sandwich` with squared residuals in the middle. Nothing is
    squared and no matrix inverted, so that a variance is never negative.

    Parameters
    ----------
    R : ndarray of shape (k, k)
        Triangular: ``R'R`` is the mean over the samples of the curvature of half the deviance, in
        the basis.
    residual : ndarray of shape (n,)
        Observed minus expected.
    kind : str
        One of `KINDS`.
    sigma : float
        Standard deviation of the errors beside the curvature, for "nonrobust".
    """
    n, k = design.total, len(R)
    if kind == "nonrobust":
        inner = np.eye(k) * (sigma * np.sqrt(n))
    else:
        e, power = residual, {"HC2": 0.5, "HC3": 1.0}.get(kind)
        if power is not None:
            e = e / (1.0 - leverages(design)) ** power
        inner = np.linalg.qr((np.sqrt(design.weight) * e)[:, None] * design.basis, mode="r").T
        inner = solve_triangular(np.asfortranarray(R.T), inner)
        if kind == "HC1":
            inner *= np.sqrt(n / (n - k))
    # The coefficients are back @ R^-1 ... of the pulls of the samples, divided by their number.
    bread = solve_triangular(np.asfortranarray(R.T), design.back.T).T
    return bread @ inner / n


def leverages(design):
    """Return how far each value fitted by least squares follows its own target, (n,).

    Leverage 1 is refused.
    """
    h = np.einsum("ij,ij->i", design.basis, design.basis) / design.total
    alone = np.flatnonzero(1.0 - h < LEVERAGE_ONE)
    if len(alone):
        raise ValueError(
            f"{WHO}: {len(alone)} samples, the first of them number {alone[0]} of those with "
            "positive weight, have leverage 1: the model passes through them whatever their "
            "target, and HC2 and HC3 divide by zero. Use covariance='HC1' or 'nonrobust', or leave "
            "out the features that single them out."
        )
    return h


# ---------------------------------------------------------------------------------------------
# Least squares


def linear_table(model, design, y, kind, level):
    """Return the table of a linear regression, with the noise of :eq:`eq-standard-error`."""
    n, k = design.total, len(design.names)
    if n <= k:
        raise ValueError(
            f"{WHO}: X has {n:.0f} samples and the model {k} coefficients, so that no degrees of "
            "freedom are left to estimate the noise. Expected more samples than coefficients."
        )
    # <solve>: In an orthonormal basis coefficients are means of products. Targets come as
    # deviations, so that the digits of a far mean stay.
    unit = float(power_of_two(np.abs(y).max()))
    target, middle = y / unit, 0.0
    if model.fit_intercept:
        middle = design.weight @ target / n
        target = target - middle
    v = design.basis.T @ (design.weight * target) / n
    e = target - design.basis @ v
    estimate = unit * (design.back @ v)
    if model.fit_intercept:
        estimate[0] += unit * middle
    # <perfect>: What is left of the targets may be the rounding of the numbers that came.
    sizes = np.abs(estimate) @ design.largest + np.abs(y).max()
    if np.sqrt(design.weight @ e**2 / n) * unit <= 8.0 * EPSILON * sizes:
        raise ValueError(
            f"{WHO}: the model fits y exactly, up to rounding, so that there is no noise from "
            "which to estimate standard errors. Expected targets that scatter around the model."
        )
    sigma = np.sqrt(design.weight @ e**2 / (n - k))
    R = np.eye(k)
    classical = root_of_covariance(design, R, e, "nonrobust", sigma)
    check_solution(model, design, estimate, unit * row_norms(classical))
    half = root_of_covariance(design, R, e, kind, sigma)
    title = f"LinearRegression, {kind}, Student's t with {n - k:.0f} degrees of freedom"
    return wald_table(design, estimate, half, unit, n - k, level, title)


def row_norms(A):
    """Return the lengths of the rows of A, whose squares may be out of range."""
    size = power_of_two(np.abs(A).max(axis=1))
    A = A / size[:, None]
    return size * np.sqrt(np.einsum("ij,ij->i", A, A))


def check_solution(model, design, estimate, error):
    """Refuse a model whose gradient is not zero, measured by the errors of the coefficients."""
    found = coefficients(model)
    missed = np.abs(found - estimate) / error
    worst = int(np.argmax(missed))
    if missed[worst] <= NEAR:
        return
    who = type(model).__name__
    rank = getattr(model, "rank_", model.n_features_in_)
    if rank < model.n_features_in_:
        why = (
            f"The fit took columns for dependent (rank_={rank} of {model.n_features_in_}, with "
            f"tol={model.tol}). Standardise the features, or fit with a smaller tol."
        )
    else:
        why = (
            "It was fitted to other samples, targets or weights, or stopped early. Fit it to the "
            "same X, y and sample_weight"
            + (", with a smaller tol." if who != "LinearRegression" else ".")
        )
    raise ValueError(
        f"{WHO}: {who} is not the best fit to this X and y: the gradient at its coefficients is "
        f"not zero. The coefficient of {str(design.names[worst])!r} is {found[worst]:.6g}, "
        f"{missed[worst]:.2g} standard errors from the best one, {estimate[worst]:.6g}. {why}"
    )


def coefficients(model):
    """Return the coefficients of a fitted model, the intercept first, (k,), float64."""
    coef = model.coef_.toarray() if validation.is_sparse(model.coef_) else model.coef_
    first = np.ravel(model.intercept_)[:1] if model.fit_intercept else []
    return np.r_[first, np.ravel(coef)].astype(np.float64)


def wald_table(design, estimate, half, unit, df, level, title):
    """Return the table with intervals of estimates plus or minus multiples of standard errors.

    They are :eq:`eq-ols-interval`, and, for infinite `df`, :eq:`eq-logistic-interval`.
    """
    from scipy import special

    error = unit * row_norms(half)
    statistic = estimate / error
    if np.isfinite(df):
        reach = special.stdtrit(df, 0.5 + 0.5 * level)
        p_value = 2.0 * special.stdtr(df, -np.abs(statistic))
    else:
        reach = special.ndtri(0.5 + 0.5 * level)
        p_value = 2.0 * special.ndtr(-np.abs(statistic))
    return CoefficientTable(
        design.names, estimate, error, statistic, p_value, estimate - reach * error,
        estimate + reach * error, float(df), half @ half.T * unit**2, level, title,
    )  # fmt: skip


# ---------------------------------------------------------------------------------------------
# Likelihood of two classes


class Likelihood(NamedTuple):
    """Where Newton's method ended."""

    v: np.ndarray  # (k,), coefficients of the columns
    deviance: float
    pull: np.ndarray  # (n,), observed minus expected
    curvature: np.ndarray  # (n,), probability of one class times that of the other
    exists: bool  # whether this is the maximum; else the likelihood may rise for ever

    def information(self, design):
        """Return R (k, k), triangular: ``R'R`` is the mean Fisher information of a sample."""
        root = np.sqrt(design.weight * self.curvature / design.total)
        return np.linalg.qr(root[:, None] * design.basis, mode="r")


def maximise_likelihood(B, sign, weight, offset, v):
    """Maximise the likelihood of log-odds ``B v + offset``, from v on, by Newton's method.

    It lowers the deviance, :eq:`eq-logistic-deviance`, of samples that count with weights. Where
    there is no maximum, because scores grow without end, it stops on the way.

    Parameters
    ----------
    B : ndarray of shape (n, k)
        Columns of about equal size that are far from dependent.
    sign : ndarray of shape (n,)
        1 for the class whose odds they are, -1 for the other.
    weight, offset : ndarray of shape (n,)
    v : ndarray of shape (k,)

    Returns
    -------
    Likelihood
    """
    from scipy import special

    total = weight.sum()

    def deviance_of(scores):
        return float(2.0 * (weight @ np.logaddexp(0.0, -sign * scores)))

    scores, done = B @ v + offset, not len(v)
    for _ in range(MOST_STEPS):
        deviance = deviance_of(scores)
        pull = sign * special.expit(-sign * scores)
        curvature = special.expit(scores) * special.expit(-scores)
        if done:
            return Likelihood(v, deviance, pull, curvature, True)
        # <step>: The columns are far from dependent, so that a sum of products does for the steps.
        # Where it is flat, a little more curvature keeps the step from being the rounding of it.
        hessian = B.T @ (B * (weight * curvature / total)[:, None])
        eigenvalues = np.linalg.eigvalsh(hessian)
        flat = eigenvalues[0] <= FLAT * eigenvalues[-1]
        if flat:
            more = max(10.0 * FLAT * eigenvalues[-1], -2.0 * eigenvalues[0], TINY)
            hessian[np.diag_indices(len(v))] += more
        lower = np.asfortranarray(np.linalg.cholesky(hessian))
        slope = solve_triangular(lower, B.T @ (weight * pull)[:, None] / total)
        step = solve_triangular(lower, slope, transposed=True)[:, 0]
        fall, moves = float(total * (slope.T @ slope)[0, 0]), B @ step
        # <end>: At the maximum no score moves any more. This step is the last.
        done = not flat and np.abs(moves).max(initial=0.0) <= MOVED
        if not done and fall <= EXHAUSTED:
            break
        # <halve>: Far away, the parabola may promise more than there is.
        share, promised = 1.0, fall > 1e-9 * max(deviance, 1.0)
        while promised and deviance_of(scores + share * moves) > deviance - 0.1 * share * fall:
            share *= 0.5
        v = v + share * step
        scores = B @ v + offset
    return Likelihood(v, deviance, pull, curvature, False)


def logistic_table(model, design, sign, kind, level, method):
    """Return the table of a logistic regression of two classes without a penalty."""
    # From zero, not from the model: the table does not depend on how exact the fit was.
    none = np.zeros(len(sign))
    start = np.zeros(len(design.names))
    found = maximise_likelihood(design.basis, sign, design.weight, none, start)
    if not found.exists:
        return separated_table(model, design, sign, level, method)
    R = found.information(design)
    classical = root_of_covariance(design, R, found.pull, "nonrobust")
    check_solution(model, design, design.back @ found.v, row_norms(classical))
    if method == "profile":
        covariance = classical @ classical.T
        return profile_table(design, sign, found, covariance, [(False, False)] * len(R), level)
    half = root_of_covariance(design, R, found.pull, kind)
    title = f"LogisticRegression, {kind}, normal distribution"
    return wald_table(design, design.back @ found.v, half, 1.0, np.inf, level, title)


# ---------------------------------------------------------------------------------------------
# Separated classes: what the likelihood comes to where it has no maximum


def separated_table(model, design, sign, level, method):
    """Return the table of a logistic regression whose likelihood has no maximum, if it has one."""
    S = sign[:, None] * design.basis
    explained = explainable(S)
    if not explained.any():
        raise ValueError(
            f"{WHO}: the likelihood has a maximum, but Newton's method does not reach it. Are "
            "there values of X, or weights, far from all others?"
        )
    rest = ~explained
    V = row_space(design.basis[rest])
    none = np.zeros(int(rest.sum()))
    part = design.basis[rest] @ V, sign[rest], design.weight[rest], none
    found = maximise_likelihood(*part, np.zeros(V.shape[1]))
    check_limit(model, design, sign, found.deviance)
    if method == "wald":
        raise ValueError(
            f"{WHO}: the features separate the classes (some combination of them is never lower "
            f"for one class than for the other, and explains {explained.sum()} samples), so that "
            "the likelihood has no maximum, and no standard errors exist. method='profile' gives "
            "the intervals that there are; otherwise leave out features."
        )
    sides = [(can_rise(S, -a), can_rise(S, a)) for a in design.back]
    covariance = np.full((len(sides), len(sides)), np.nan)
    return profile_table(design, sign, found._replace(v=V @ found.v), covariance, sides, level)


def explainable(S):
    """Tell which samples can have any score, however high, while no sample has a negative one.

    S are the columns times the signs of the classes, (n, k). The samples that a linear function
    puts on the right side of 0 are as many as possible where the sum of their scores is, each
    counted up to 1: a linear programme, :cite:t:`albert_existence_1984`.
    """
    from scipy import sparse

    n, k = S.shape
    A = sparse.hstack([sparse.csr_array(-S), sparse.eye_array(n)], format="csr")
    bounds = [(-STEEPEST, STEEPEST)] * k + [(0.0, 1.0)] * n
    return programme(np.r_[np.zeros(k), -np.ones(n)], A, np.zeros(n), bounds)[k:] > 0.5


def can_rise(S, a):
    """Tell whether ``a @ v`` can rise without end while no score of S falls."""
    n, k = S.shape
    A = np.zeros((n + 1, k + 1))
    A[:n, :k], A[n, :k], A[n, k] = -S, -a / np.linalg.norm(a), 1.0
    bounds = [(-STEEPEST, STEEPEST)] * k + [(0.0, 1.0)]
    return bool(programme(np.r_[np.zeros(k), -1.0], A, np.zeros(n + 1), bounds)[k] > 0.5)


def programme(c, A, b, bounds):
    """Return the z that minimises c z with A z <= b."""
    from scipy.optimize import linprog

    found = linprog(c, A, b, bounds=bounds, method="highs")
    if found.x is None:
        raise ValueError(f"{WHO}: whether classes are separated was not found: {found.message}")
    return found.x


def row_space(B):
    """Return an orthonormal basis, (k, r), of what the rows of B (n, k) span."""
    _, singular, Vt = np.linalg.svd(B, full_matrices=False)
    return Vt[singular > SPANNED].T


def check_limit(model, design, sign, limit):
    """Refuse a model of separated classes whose likelihood is far from what is possible."""
    v = np.linalg.solve(design.back, coefficients(model))
    deviance = 2.0 * (design.weight @ np.logaddexp(0.0, -sign * (design.basis @ v)))
    if deviance - limit > NEAR_LIMIT * design.total:
        raise ValueError(
            f"{WHO}: LogisticRegression is not the best fit to this X and y, whose classes are "
            f"separated by the features: the gradient at its coefficients is not zero, and its "
            f"deviance is {deviance:.6g}, while others come close to {limit:.6g}. Fit it "
            "to the same X, y and sample_weight."
        )


# ---------------------------------------------------------------------------------------------
# Profile likelihood


class Profile:
    """The lowest deviance for each value of one coefficient, which is ``a @ v``.

    The others are refitted: v is split into its part along a and the rest, which is free. Where
    the classes are separated, samples that the free part can explain add nothing to the limit.
    """

    def __init__(self, design, sign, a, v, separated):
        free = np.linalg.qr(a[:, None], mode="complete")[0][:, 1:]
        along, B, rows = design.basis @ (a / (a @ a)), design.basis @ free, slice(None)
        if separated:
            rows = ~explainable(sign[:, None] * B)
            free = free @ row_space(B[rows])
        self.along, self.sign, self.weight = along[rows], sign[rows], design.weight[rows]
        self.B, self.first = design.basis[rows] @ free, free.T @ v
        self.start = self.first

    def at(self, value):
        """Return the deviance and its derivative where the coefficient has a value."""
        offset = self.along * value
        found = maximise_likelihood(self.B, self.sign, self.weight, offset, self.start)
        self.start = found.v if found.exists else self.first
        # The others are at their best: moving them changes nothing to first order.
        return found.deviance, float(-2.0 * (self.weight * found.pull) @ self.along)

    def inside(self, value, lowest, rise, step):
        """Return a value, from the given one on, at which the deviance is less than `rise` up."""
        for _ in range(MOST_DOUBLINGS):
            if self.at(value)[0] - lowest < rise:
                break
            value, step = value + step, 2.0 * step
        return value

    def end(self, middle, lowest, rise, step):
        """Return where the deviance is `rise` above the lowest, beyond `middle`.

        The profile is convex, so that doubled steps pass the end if there is one. Its root is
        nearly straight, so that Newton's steps for the root need few fits.

        Parameters
        ----------
        middle : float
            A value at which the deviance is less than `rise` above the lowest.
        lowest, rise : float
        step : float
            First step, with the sign of the side.
        """
        inner, outer = middle, middle + step
        self.start = self.first
        for _ in range(MOST_DOUBLINGS):
            height, slope = self.at(outer)
            if height - lowest >= rise:
                break
            inner, step = outer, 2.0 * step
            outer = outer + step
        else:
            return float(np.copysign(np.inf, step))
        value = outer
        accuracy = PROFILE_ACCURACY * rise + 8.0 * EPSILON * abs(lowest)
        while abs(height - lowest - rise) > accuracy:
            above = height - lowest
            if above > 0.0 and slope != 0.0:
                root = np.sqrt(above)
                step = (np.sqrt(rise) - root) * 2.0 * root / slope
            else:
                step = np.inf
            value = value + step
            if not min(inner, outer) < value < max(inner, outer):
                value = 0.5 * (inner + outer)
            if value in (inner, outer):
                break  # neighbours among the numbers
            height, slope = self.at(value)
            if height - lowest < rise:
                inner = value
            else:
                outer = value
        return value


def profile_table(design, sign, found, covariance, sides, level):
    """Return the table with intervals by the deviance.

    `found` has the maximum; or, where the classes are separated and `covariance` is NaN, the limit.
    `sides` tell of each coefficient whether the deviance never rises below it, and above.
    """
    from scipy import special

    k, estimate = len(sides), design.back @ found.v
    rise = float(special.ndtri(0.5 + 0.5 * level)) ** 2
    statistic, lower, upper = np.zeros(k), np.full(k, -np.inf), np.full(k, np.inf)
    for j, (a, (below, above)) in enumerate(zip(design.back, sides, strict=True)):
        separated = bool(np.isnan(covariance[j, j]))
        profile = Profile(design, sign, a, found.v, separated)
        # <ends>: A step of about the length that the standard error says, or one unit of scores.
        step = np.sqrt(rise * covariance[j, j])
        if separated:
            step = 1.0 / np.abs(profile.along).max(initial=1e-300)
        middle, way = estimate[j], float(above) - float(below)
        if way:  # the deviance falls for ever: where is it low enough to begin?
            middle = profile.inside(middle, found.deviance, rise, way * step)
        if not below:
            lower[j] = profile.end(middle, found.deviance, rise, -step)
        if not above:
            upper[j] = profile.end(middle, found.deviance, rise, step)
        if below or above:
            estimate[j] = way * np.inf if way else np.nan  # or it is the same everywhere
        # <ratio>: The likelihood ratio of the model without the coefficient.
        fall = max(profile.at(0.0)[0] - found.deviance, 0.0)
        statistic[j] = np.sqrt(fall) * (-1.0 if estimate[j] < 0.0 else 1.0)
    return CoefficientTable(
        design.names, estimate, np.sqrt(np.diagonal(covariance)), statistic,
        2.0 * special.ndtr(-np.abs(statistic)), lower, upper, np.inf, covariance, level,
        "LogisticRegression, profile likelihood",
    )  # fmt: skip


# ---------------------------------------------------------------------------------------------
# The public function


def coefficient_table(
    model, X, y, *, sample_weight=None, covariance="auto", level=0.95, method="wald"
):
    r"""Return standard errors, p values and intervals of the coefficients of a fitted model.

    The covariance matrix of the coefficients of a linear regression is, with one variance of all
    errors ("nonrobust"), :math:`\hat\sigma^2(X^\top X)^{-1}`, :eq:`eq-ols-variance` and
    :eq:`eq-standard-error`, and otherwise a sandwich,

    .. math:: (X^\top X)^{-1}\,\Big(\sum_i g_i\, e_i^2\, x_i x_i^\top\Big)\,(X^\top X)^{-1},

    with the residuals :math:`e_i` and :math:`g_i=1` (HC0), :math:`n/(n-k)` (HC1),
    :math:`1/(1-h_i)` (HC2) or :math:`1/(1-h_i)^2` (HC3, :eq:`eq-sandwich`), for :math:`k`
    coefficients and the leverage :math:`h_i`. The first is by
    :cite:t:`white_heteroskedasticity_1980`, the others by
    :cite:t:`mackinnon_heteroskedasticity_1985`. For logistic regression :math:`X^\top X` becomes
    :math:`X^\top D X`, with the variances :math:`P_i(1-P_i)` of the outcomes in :math:`D`,
    :eq:`eq-logistic-covariance`, and :math:`e_i` is the outcome minus :math:`P_i`,
    :eq:`eq-logistic-sandwich` :cite:p:`white_maximum_1982`.

    Parameters
    ----------
    model : fitted estimator
        A :class:`~litlearn.linear_model.LinearRegression` with one target, or a
        :class:`~litlearn.linear_model.LogisticRegression` of two classes without a penalty
        (``C=np.inf``) and class weights.
    X : array-like of shape (n_samples, n_features)
        The samples that it was fitted to.
    y : array-like of shape (n_samples,)
        Their targets or classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Whole numbers, with which it was fitted: a weight of 2 stands for two such samples, as
        ``freq_weights`` do in statsmodels. Ones if None.
    covariance : {"auto", "nonrobust", "HC0", "HC1", "HC2", "HC3"}, default="auto"
        "auto" is "HC3" for a linear regression, as :cite:t:`long_using_2000` recommend, and
        "nonrobust", the inverse of the Fisher information, for a logistic one, in which the mean
        determines the variance. A logistic regression takes "nonrobust", "HC0" and "HC1".
    level : float, default=0.95
        Nominal coverage of each interval, between 0 and 1.
    method : {"wald", "profile"}, default="wald"
        "wald": estimates plus or minus a multiple of their standard errors, by Student's
        distribution with n - k degrees of freedom for a linear regression, :eq:`eq-ols-interval`,
        and by the normal one for a logistic one, :eq:`eq-logistic-interval`. "profile", for a
        logistic regression: all values of a coefficient for which the deviance,
        :eq:`eq-logistic-deviance`, with the others refitted, is above its minimum by less than the
        quantile of the chi-square distribution, and p values by likelihood ratio
        :cite:p:`wilks_large-sample_1938`. Where features separate the classes, one end, or both,
        is infinite.

    Returns
    -------
    table : CoefficientTable
        With one row for the intercept, if the model has one, and one for each feature. Its
        estimates are those of the model, refined to the last digits if the fit was less exact.

    Raises
    ------
    TypeError
        If the model is none of the two, or `X` is sparse, an array of Dask, or of a type that
        cannot be used.
    ValueError
        If the model is penalised, or constrained, weighs its classes, or has more than two of them
        or several targets: intervals would not cover as promised, or are not derived here. If the
        model was fitted to other data, so that its gradient is not zero at `X` and `y`. If columns
        are constant or linearly dependent, there are no degrees of freedom, the fit is exact, or a
        sample has leverage 1 and HC2 or HC3 is asked for. If features separate the classes and
        `method` is "wald". If a weight is no whole number, or an argument is out of range, of the
        wrong shape, or holds NaN or infinity.
    NotFittedError
        If the model is not fitted.

    Notes
    -----
    Cost: O(n k^2) time for an orthogonal factorisation of the centred and scaled columns, and
    O(n k) memory; no matrix is inverted. A logistic regression is fitted anew by Newton's method,
    with O(n k^2) for each step, and a profile takes a few such fits for each end of each interval;
    the deviance at an end is right to 1e-9 of its rise. Separation is decided by linear programmes
    :cite:p:`albert_existence_1984`.

    HC2 and HC3 rest on the leverages of least squares, and are refused for a logistic regression.
    (statsmodels accepts the names HC1, HC2 and HC3 there, and computes HC0.)

    The rows are taken for independent, and the model for chosen before the data were seen. See
    :cite:t:`hosmer_applied_2013` and :cite:t:`long_using_2000`.

    Examples
    --------
    >>> import numpy as np
    >>> from litlearn.inference import coefficient_table
    >>> from litlearn.linear_model import LogisticRegression
    >>> X, y = [[1], [2], [2], [4], [4], [5]], [0, 0, 1, 0, 1, 1]
    >>> model = LogisticRegression(C=np.inf).fit(X, y)
    >>> table = coefficient_table(model, X, y, method="profile")
    >>> print(np.exp([table.lower[1], table.estimate[1], table.upper[1]]).round(2))
    [ 0.63  2.13 12.49]
    """
    covariance = Option("auto", *KINDS).check(WHO, "covariance", covariance)
    level = Real("(0.0, 1.0)").check(WHO, "level", level)
    method = Option("wald", "profile").check(WHO, "method", method)
    check_model(model)
    linear = isinstance(model, LinearRegression)
    kind = check_kind(linear, covariance, method)
    if is_chunked(X) or is_chunked(y):
        raise TypeError(
            f"{WHO}: X or y is an array of Dask, expected arrays in memory: give X.compute()."
        )
    X = validation.check_queries(model, X, sparse=())
    weight = check_frequencies(sample_weight, len(X))
    if linear:
        y = validation.check_one_real_target(WHO, y, len(X))
    else:
        y = check_outcomes(model, y, len(X))
    taken = weight > 0.0
    design = make_basis(model, X[taken], weight[taken])
    with np.errstate(
        over="ignore"
    ):  # of squares that no float has; the errors themselves are right
        if linear:
            return linear_table(model, design, y[taken], kind, level)
        return logistic_table(model, design, y[taken], kind, level, method)


def check_model(model):
    """Refuse a model whose intervals would be wrong, or are not derived here."""
    who = type(model).__name__
    if isinstance(model, LinearRegression):
        validation.check_is_fitted(model)
        if model.positive:
            raise ValueError(
                f"{WHO}: {who} has positive=True, expected False: an estimate that may not be "
                "negative is biased near zero, and its interval has not the promised coverage."
            )
        if model.coef_.size != model.n_features_in_:
            raise ValueError(
                f"{WHO}: {who} was fitted to {len(model.coef_)} targets, expected one. Fit each by "
                "itself."
            )
        return
    if isinstance(model, LogisticRegression) and not isinstance(model, LogisticRegressionCV):
        validation.check_is_fitted(model)
        if model.penalty is not None and not np.isinf(model.C):
            refuse_penalty(who, f"has C={model.C}", "Fit it with C=np.inf.")
        if model.class_weight is not None:
            raise ValueError(
                f"{WHO}: {who} has class_weight={model.class_weight!r}, expected None: outcomes "
                "that count with other weights than they came with have another likelihood."
            )
        if len(model.classes_) != 2:
            raise ValueError(
                f"{WHO}: {who} has {len(model.classes_)} classes, expected 2. Compare two of them."
            )
        return
    if any(base.__module__.startswith("litlearn.linear_model") for base in type(model).__mro__):
        instead = "LinearRegression, or LogisticRegression with C=np.inf"
        refuse_penalty(who, "has a penalty, or stops early", f"Use {instead}.")
    raise TypeError(
        f"{WHO}: model is a {type(model).__module__}.{who}, expected a fitted LinearRegression or "
        "LogisticRegression of litlearn.linear_model."
    )


def refuse_penalty(who, what, instead):
    """Say why a penalised model has no such intervals."""
    raise ValueError(
        f"{WHO}: {who} {what}, expected no penalty. A penalty pulls coefficients towards zero, "
        "and an interval around a biased estimate does not cover the truth as often as promised. "
        f"{instead}"
    )


def check_kind(linear, covariance, method):
    """Return the kind of covariance matrix, or refuse one that the model does not have."""
    if linear:
        if method == "profile":
            raise ValueError(
                f"{WHO}: method='profile' is for logistic regression, expected 'wald': the squared "
                "error is a parabola, and its profile says the same."
            )
        return "HC3" if covariance == "auto" else covariance
    if method == "profile" and covariance not in ("auto", "nonrobust"):
        raise ValueError(
            f"{WHO}: covariance={covariance!r} has no part in method='profile', which takes the "
            "model for right; expected 'auto' or 'nonrobust'."
        )
    if covariance in ("HC2", "HC3"):
        raise ValueError(
            f"{WHO}: covariance={covariance!r} corrects residuals of least squares by their "
            "leverage, and is for LinearRegression. Of LogisticRegression, expected 'nonrobust', "
            "'HC0' or 'HC1'."
        )
    return "nonrobust" if covariance == "auto" else covariance


def check_frequencies(sample_weight, n_samples):
    """Return how often each sample counts, (n,)."""
    weight = validation.check_sample_weight(WHO, sample_weight, n_samples)
    if weight is None:
        return np.ones(n_samples)
    odd = np.flatnonzero(weight != np.floor(weight))
    if len(odd):
        raise ValueError(
            f"{WHO}: sample_weight[{odd[0]}] is {weight[odd[0]]}, expected whole numbers: a weight "
            "says how many such samples there are. For errors of known unequal variances, fit to "
            "rows and targets divided by their standard deviations."
        )
    return weight


def check_outcomes(model, y, n_samples):
    """Return 1 for samples of the second class and -1 for those of the first, (n,)."""
    coded = targets.encode_one(WHO, y, n_samples, fewest=2)
    complaint = "y holds the classes {missing}, expected those of the fit: {classes}."
    places = targets.batch_places(WHO, coded.classes[0], model.classes_, complaint)
    return 2.0 * places[coded.codes[0]] - 1.0


__getattr__ = guide(__name__)
