r"""Logistic regression with an l1 or elastic-net penalty: proximal Newton with coordinate descent.

The problem is, for samples with weights s_i that sum to one,

    minimise over W and b   sum_i s_i loss_i(W x_i + b) + alpha_l1 ||W||_1 + alpha_l2 / 2 ||W||^2.

Each step replaces the smooth loss by its second-order expansion, minimises that model together with
the penalty, and searches along the line to the minimiser (:eq:`eq-proximal-newton`). Only few
coefficients matter in a step: those that are not zero, and those whose optimality condition is
violated most. The model is one of these alone: X is read once a step for the gradient, and beyond
that only in the chosen columns. The intercepts, which no penalty holds, are eliminated from it.

Some sweeps of coordinate descent find the support of the model's minimum, and Newton's method finds
the minimum on that support, in turns. Of dense data the Hessian is formed, and factored for the
step on the support. Of sparse data it is not: a sweep reads the columns, and conjugate gradients,
which only need products, find the step.

The solver ends on two certificates: the largest violation of the optimality conditions
(:eq:`eq-logistic-optimality`), and the duality gap (:eq:`eq-duality-gap`), which bounds how far the
objective is from the smallest one possible.

Two classes have one row of coefficients, q > 2 classes have q. The solver sees the coefficients as
one vector, class after class. The losses are those of :class:`Loss`, the penalty and the sweeps
of coordinate descent those of the lasso.

Sources: Lee, Sun and Saunders (2014) for the method and its line search, Friedman, Hastie and
Tibshirani (2010) for coordinate descent on the model, Ndiaye et al. (2017) for the dual.
"""

import math
from typing import NamedTuple

import numpy as np

from litlearn._core.chunked import fold_rows, in_memory, is_chunked
from litlearn._core.jit import njit
from litlearn._core.parallel import single_threaded_blas
from litlearn._core.validation import is_sparse
from litlearn.linear_model._chunk_problem import chunk_problem
from litlearn.linear_model._descent import gram_sweep, state_of
from litlearn.linear_model._losses import (
    Loss,
    intercepts_hessian,
    loss_of,
    pseudoinverse,
)
from litlearn.linear_model._matrix import Dense, Sparse
from litlearn.linear_model._newton import (
    SUFFICIENT,
    conjugate_gradients,
    extrapolation,
    line_search,
)
from litlearn.linear_model._penalty import coordinate_step, price, violations

BLOCK_ENTRIES = 1 << 20  # entries of X that one task of a thread reads
SMALL = 1 << 14  # entries, zeros too, up to which a sparse X is made dense
SWEEPS = 10  # of coordinate descent, at least, before a Newton step on the support
CROSSINGS = 10_000  # Newton steps in a row on the support, divided by its size
ROUGHLY = 0.1  # share of the residual to which conjugate gradients solve for such a step ...
MOST_PRODUCTS = 25  # ... unless that takes more products with the Hessian: then sweeps go on
GAP_SHARE = 1e-2  # the relative gap asked for is this times `tol`
ALONG = 0.1  # of tol: what is gone for along a path, whose measures are those of its start
FAINT = 1e-10  # a share of the largest slope: a lower price is compared with slopes' rounding
ROUNDING = 2.0**-50  # of a slope, relative to the sum of the sizes of its terms


# ------------------------------------------------------------------ the quadratic model


@njit
def model_sweeps(H, fall, v, penalty, tol, n_sweeps):
    """Coordinate descent on the quadratic model, until no violation exceeded tol in a sweep.

    H (m, m): Hessian of the loss; fall (m,): its gradient in v, negated; v (m,): the coefficients;
    fall and v are kept up to date. Returns the largest violation met in the last sweep.
    """
    worst, state = 0.0, state_of(0)
    for _ in range(n_sweeps):
        worst = gram_sweep(H, fall, v, penalty, state)
        if worst <= tol:
            break
    return worst


@njit(reassociate=True)
def sparse_sweep(entries, chosen, curvature, change, v, penalty):
    """One sweep of coordinate descent on the quadratic model, without its Hessian.

    entries: data, indices and indptr of a CSC matrix; chosen: column, class, gradient at the start
    and curvature of each coefficient; curvature: A and B (q, n), as in :class:`Point`; change: that
    of the scores so far, U (q, n), and its mean (n,) under B, which two classes do not need;
    v (m,): the coefficients. The last two are kept up to date. Returns the largest violation met.
    """
    (data, indices, indptr), (columns, owner, g, square) = entries, chosen
    (A, B), (U, mean), worst = curvature, change, 0.0
    for c in range(v.size):
        # <slope>: the column times the curvature of the scores' change.
        k, total = owner[c], 0.0
        start, stop = np.uintp(indptr[columns[c]]), np.uintp(indptr[columns[c] + 1])
        for e in range(start, stop):
            total += data[e] * A[k, np.uint32(indices[e])] * U[k, np.uint32(indices[e])]
        if mean.size:
            for e in range(start, stop):
                total -= data[e] * A[k, np.uint32(indices[e])] * mean[np.uint32(indices[e])]
        # <update>: as for the lasso.
        step = coordinate_step(v[c], -g[c] - total, square[c], penalty)
        if step != 0.0:
            v[c] += step
            worst = max(worst, abs(step) * (square[c] + penalty.beta))
            for e in range(start, stop):
                U[k, np.uint32(indices[e])] += step * data[e]
            if mean.size:
                for e in range(start, stop):
                    i = np.uint32(indices[e])
                    mean[i] += step * data[e] * B[k, i]
    return worst


class MeanLoss(NamedTuple):
    """The mean loss as a function of coefficients, class after class, and of intercepts."""

    matrix: Dense | Sparse  # or what stands for samples in chunks, as does the loss
    loss: Loss
    fit_intercept: bool


class Iterate(NamedTuple):
    """Where the solver is."""

    point: NamedTuple  # the losses there, a :class:`Point`
    w: np.ndarray  # (q * p,)
    b: np.ndarray  # (q,): intercepts of centred features


class FormedModel(NamedTuple):
    """A model of m coefficients by its Hessian, from which the intercepts are eliminated.

    The intercepts that minimise the model are a linear function of the coefficients; put in, they
    leave the Schur complement.
    """

    H: np.ndarray  # (m, m)
    minus_gradient: np.ndarray  # (m,): of the loss, kept up to date
    follow: np.ndarray  # (q, m): how the intercepts follow the coefficients ...
    shift: np.ndarray  # (q,): ... and by how much they change where those do not

    largest = 4096  # coefficients that one model may have: a Hessian of 128 MB
    per_root = 5  # coefficients of the first model for each root of their number

    @classmethod
    def of(cls, problem, chosen, point, gradient, b_gradient):
        """The model of chosen coefficients from the gradients; b_gradient None: no intercepts."""
        m, q, p = chosen.size, problem.loss.q, problem.matrix.p
        columns = [chosen[chosen // p == k] % p for k in range(q)]
        H = problem.matrix.hessian(columns, point.A, point.B)
        if b_gradient is None:
            return cls(np.ascontiguousarray(H[:m, :m]), -gradient, np.zeros((q, m)), np.zeros(q))
        inverse, cross = pseudoinverse(H[m:, m:]), H[m:, :m]
        follow, shift = inverse @ cross, -inverse @ b_gradient
        return cls(H[:m, :m] - cross.T @ follow, -gradient - cross.T @ shift, -follow, shift)

    @staticmethod
    def tolerance(known):
        """The largest violation with which a model counts as solved."""
        return 0.01 * known.violation.max()

    def sweeps(self, v, penalty, tol):
        """Change v by some sweeps of coordinate descent; return the last one's worst violation."""
        # A factorisation costs about as much as m / 50 sweeps: those come first.
        n_sweeps = SWEEPS + v.size // 50
        return model_sweeps(self.H, self.minus_gradient, v, penalty, tol, n_sweeps)

    def gradient(self):
        return -self.minus_gradient

    def newton_step(self, support, gradient, beta):
        """Solve for the step of some coefficients by Cholesky; None if the Hessian is singular.

        That is exact however nearly collinear the columns are.
        """
        from scipy.linalg import lapack

        A = self.H.take(support, axis=0).take(support, axis=1)
        diagonal = A.reshape(-1)[:: support.size + 1]
        diagonal *= 1 + 1e-12
        diagonal += beta
        _, step, failed = lapack.dposv(A.T, -gradient, lower=True, overwrite_a=True)
        return None if failed or not np.isfinite(step).all() else step

    def effect(self, change):
        """What a change (m,) does to the gradient, and its curvature."""
        moved = self.H @ change
        return moved, change @ moved

    def move(self, effect):
        np.subtract(self.minus_gradient, effect, out=self.minus_gradient)

    def intercepts(self, d, moved):
        """Change (q,) of the intercepts that goes with a change d, which moves the scores."""
        return self.shift + self.follow @ d


class ImplicitModel(NamedTuple):
    """A model of m coefficients by columns of a sparse matrix: for products with its Hessian.

    The intercepts are wherever they minimise the model; `U` has their part.
    """

    matrix: Sparse
    chosen: np.ndarray  # (m,): coefficients, as class * p + column
    A: np.ndarray  # (q, n), as in :class:`Point`
    B: np.ndarray
    start: np.ndarray  # (m,): gradient of the loss at the start
    square: np.ndarray  # (m,): diagonal of the Hessian
    b_start: np.ndarray  # (q,): gradient in the intercepts ...
    inverse: np.ndarray  # (q, q): ... and that of their Hessian, or zeros
    U: np.ndarray  # (q, n): change of the scores, kept up to date

    largest, per_root = math.inf, 25

    @classmethod
    def of(cls, problem, chosen, point, gradient, b_gradient):
        """As of :class:`FormedModel`."""
        q, matrix = problem.loss.q, problem.matrix
        A = B = diagonal = np.ascontiguousarray(point.A.T)
        if point.B is not None:
            B = np.ascontiguousarray(point.B.T)
            diagonal = A * (1.0 - B)
        inverse, b_start = np.zeros((q, q)), np.zeros(q)
        if b_gradient is not None:
            inverse, b_start = pseudoinverse(intercepts_hessian(point.A, point.B)), b_gradient
        square = matrix.products(chosen, diagonal, squared=True)
        model = cls(matrix, chosen, A, B, gradient, square, b_start, inverse, U=np.zeros(A.shape))
        model.settle(model.U, b_start)
        return model

    @staticmethod
    def tolerance(known):
        """As of :class:`FormedModel`: the less, the better the model is, as sweeps are dear."""
        worst = known.violation.max()
        return (0.03 + 0.1 * worst / known.slope) * worst

    def hessian_times(self, Z):
        """Return the scores' part of the Hessian times a change Z (q, n) of theirs."""
        return self.A * (Z if len(Z) == 1 else Z - (self.B * Z).sum(axis=0))

    def shift(self, Z, slope):
        """Return the best change of the intercepts (q,), for their gradient, beside that of Z."""
        return -self.inverse @ (slope + self.hessian_times(Z).sum(axis=1))

    def settle(self, Z, slope):
        """Move a change of the scores, in place, by the best intercepts."""
        Z += self.shift(Z, slope)[:, np.newaxis]

    def sweeps(self, v, penalty, tol):
        """Change v by some sweeps of coordinate descent; return the worst violation left."""
        p, many = self.matrix.p, len(self.A) > 1
        chosen = self.chosen % p, self.chosen // p, self.start, self.square
        for _ in range(SWEEPS):
            mean = (self.B * self.U).sum(axis=0) if many else np.empty(0)
            change = self.U, mean
            worst = sparse_sweep(self.matrix.entries, chosen, (self.A, self.B), change, v, penalty)
            self.settle(self.U, self.b_start)
            if worst <= tol:
                break
        # Where the intercept would have to follow, a sweep's steps can be lost in the rounding.
        return violations(self.gradient(), v, penalty).max()

    def gradient(self):
        return self.start + self.matrix.products(self.chosen, self.hessian_times(self.U))

    def newton_step(self, support, gradient, beta):
        """Solve for the step of some coefficients by conjugate gradients, about."""
        change = np.zeros(self.chosen.size)

        def product(d):
            change[support] = d
            curved = self.hessian_times(self.effect(change)[0])
            return self.matrix.products(self.chosen, curved)[support] + beta * d

        diagonal = self.square[support] + beta
        return conjugate_gradients(
            product, lambda g: g / diagonal, gradient, ROUGHLY, MOST_PRODUCTS
        ).d

    def effect(self, change):
        """What a change (m,) does to the scores, and its curvature."""
        moved = self.matrix.scores(self.chosen, change, len(self.A)).T
        self.settle(moved, 0.0)
        return moved, np.vdot(moved, self.hessian_times(moved))

    def move(self, effect):
        np.add(self.U, effect, out=self.U)

    def intercepts(self, d, moved):
        """As of :class:`FormedModel`."""
        return self.shift(moved.T, self.b_start)


def newton_on_support(model, v, penalty):
    """Newton steps on the coefficients of v that are not zero, as far as their signs allow.

    Within one orthant the model is a plain quadratic. Coefficients that would change their sign
    stay at zero, and the rest step again. Changes v (m,) and the model, which never rises.
    """
    for _ in range(max(1, CROSSINGS // max(1, np.count_nonzero(v)))):
        # <step>: to the minimum of the quadratic on the support.
        support = np.flatnonzero(v)
        if not support.size:
            return
        x = v[support]
        gradient = model.gradient()[support] + penalty.beta * x + penalty.alpha * np.sign(x)
        step = model.newton_step(support, gradient, penalty.beta)
        if step is None:
            return
        # <crossing>: as far as the model falls, though each coefficient only down to zero.
        crossing = x * step < 0
        reach = np.full(support.size, np.inf)
        reach[crossing] = -x[crossing] / step[crossing]
        t, first, change = 1.0, min(1.0, reach.min()), np.zeros(v.size)
        while True:
            moved = np.where(reach <= t, 0.0, x + t * step)
            change[support] = moved - x
            effect, curvature = model.effect(change)
            slope = gradient @ change[support]
            curvature += penalty.beta * (change @ change)
            if t == first or slope + 0.5 * curvature <= 0.25 * slope:
                break
            t = max(0.5 * t, first)
        model.move(effect)
        v[support] = moved
        if first == 1.0:
            return


def solve_model(model, w, penalty, tol, max_rounds=50):
    """Minimise model(w + d) + price(w + d) over d; returns w + d.

    Parameters
    ----------
    model : FormedModel or ImplicitModel
        Of the loss, at w; it is moved.
    w : ndarray of shape (m,)
    penalty : Penalty
    tol : float
        Largest violation of the model's optimality conditions to stop at.
    max_rounds : int
        Rounds of some sweeps and one Newton step on the support.

    Returns
    -------
    ndarray of shape (m,)
    """
    v = w.copy()
    for _ in range(max_rounds):
        if model.sweeps(v, penalty, tol) <= tol:
            break
        newton_on_support(model, v, penalty)
    return v


# ------------------------------------------------------------------ certificates


def rounding_of_slopes(X, s, q):
    """How far rounding may take the slopes of q rows of coefficients, (q * p,)."""
    if is_sparse(X):
        sums = abs(X).T @ s
    else:

        def part(arrays, rows):
            X, s = arrays
            return s[rows] @ np.abs(X[rows])

        sums = fold_rows(part, np.add, (X, s), max(1, BLOCK_ENTRIES // X.shape[1]), n_jobs=1)
    return np.tile(ROUNDING * sums, q)


def duality_gap(loss, point, gradient, w, penalty, rounding=0.0):
    """Primal minus dual objective at w, :eq:`eq-duality-gap`, and the primal one.

    The residuals, scaled down until no correlation exceeds the l1 price, are a point of the dual
    problem. With an l2 penalty no scaling is needed, and the better of the two points counts.
    """
    primal = point.loss + price(w, penalty)
    largest = np.max(np.abs(gradient) - rounding, initial=0.0)
    scale = 1.0 if largest <= penalty.alpha else penalty.alpha / largest
    dual = loss.entropy(point, scale)
    if penalty.beta > 0.0 and scale < 1.0:
        excess = np.maximum(np.abs(gradient) - penalty.alpha, 0.0)
        dual = max(dual, loss.entropy(point, 1.0) - 0.5 * (excess @ excess) / penalty.beta)
    return primal - dual, primal


class Certificates(NamedTuple):
    """What is known at a point, from one pass over X."""

    gradient: np.ndarray  # of the loss, (q * p,)
    violation: np.ndarray  # (q * p,)
    gap: float
    objective: float
    slope: float  # the largest, by which violations are measured


def certify(problem, at, penalty, rounding=0.0):
    """Optimality conditions, :eq:`eq-logistic-optimality`, and duality gap of an iterate.

    What may be rounding of the slopes is no violation.
    """
    (matrix, loss, _), (point, w, _) = problem, at
    gradient, p = matrix.transpose_times(point.residual).ravel(), matrix.p
    if matrix.rounded:
        near = np.flatnonzero((w != 0.0) | (np.abs(gradient) > 0.99 * penalty.alpha))
        for k in range(loss.q):
            own = near[near // p == k]
            gradient[own] = matrix.exact_transpose_times(own - k * p, point.residual[:, k])
    # <certificates>: the conditions relative to the largest slope, the gap to the objective.
    violation = np.maximum(violations(gradient, w, penalty) - rounding, 0.0)
    gap, objective = duality_gap(loss, point, gradient, w, penalty, rounding)
    slope = max(np.abs(gradient).max(), penalty.alpha)
    if not np.isfinite(objective + slope):
        raise FloatingPointError("the loss is beyond the range of float64")
    return Certificates(gradient, violation, gap, objective, slope)


class ProximalGoal(NamedTuple):
    """When to stop, and by what it is measured."""

    tol: float
    along: float  # of several penalties: what is gone for, a share of tol
    floor: tuple  # slope and objective that violations and gaps are at least measured by
    begun: Certificates  # without coefficients
    rounding: float | np.ndarray  # of slopes

    def holds(self, known, tol):
        """Tell whether both certificates are as small as asked for."""
        small = known.violation.max() <= tol * max(known.slope, self.floor[0])
        return bool(small and known.gap <= GAP_SHARE * tol * max(known.objective, self.floor[1]))

    def reached(self, known, penalty):
        """Tell whether to stop: a price that rounding hides does not hold separated classes."""
        free = penalty.alpha < ROUNDING * self.begun.slope
        free = free and known.objective < self.tol * self.begun.objective
        return free or self.holds(known, self.along)


def goal_of(problem, at, known, penalties, tol):
    """Return the goal of a path that begins at an iterate, known as of `certify`."""
    # Near the solution slopes are no measure of their rounding: those at zero are.
    begun, rounding = known, 0.0
    if at.w.any():
        nothing = np.empty(0, dtype=np.intp)
        scores = problem.matrix.scores(nothing, np.empty(0), problem.loss.q)
        zero = Iterate(problem.loss.evaluate(scores), 0.0 * at.w, 0.0 * at.b)
        begun = certify(problem, settle_intercepts(problem, zero), penalties[0])
    if penalties[-1].alpha < FAINT * begun.slope:
        rounding = rounding_of_slopes(problem.matrix.X, problem.loss.s, problem.loss.q)
    if len(penalties) == 1:
        return ProximalGoal(tol, tol, (0.0, 0.0), begun, rounding)
    # The objective falls to nothing where weak penalties let it; a first price beyond all slopes is
    # no measure of them.
    floor = float(np.abs(known.gradient).max()), known.objective
    return ProximalGoal(tol, ALONG * tol, floor, begun, rounding)


# ------------------------------------------------------------------ the solver


def settle_intercepts(problem, at):
    """Move the intercepts alone until the residuals of each class sum to zero: a few Newton steps.

    The dual point needs that. Returns the new iterate.
    """
    (point, _, b), matrix = at, problem.matrix
    for _ in range(50 if problem.fit_intercept else 0):
        slope = matrix.totals(point.residual)
        if np.abs(slope).max() <= 1e-15:
            break
        step = -pseudoinverse(matrix.intercepts_hessian(point)) @ slope
        # Far out the curvature is tiny and the step too long.
        step *= min(1.0, 4.0 / np.abs(step).max())
        trial = problem.loss.evaluate(point.scores + matrix.shift(step))
        rest = np.abs(matrix.totals(trial.residual)).max()
        if not (trial.loss < point.loss or rest < np.abs(slope).max()):
            break
        point, b = trial, b + step
    return Iterate(point, at.w, b)


def working_set(violation, w, first_size, largest):
    """The coefficients of the next model: the support and the largest violations, sorted.

    At least `first_size`, and otherwise up to twice the support, but no more than `largest`.
    """
    support = np.flatnonzero(w)
    outside = np.flatnonzero((violation > 0.0) & (w == 0.0))
    room = max(first_size, 2 * support.size) - support.size
    if outside.size > room:
        outside = outside[np.argpartition(-violation[outside], room)[:room]]
    chosen = np.concatenate([support, outside])
    if chosen.size > largest:
        chosen = chosen[np.argpartition(-violation[chosen], largest)[:largest]]
    return np.sort(chosen)


def step_length(loss, point, moved, old, d, penalty):
    """Length of the step d on the true objective, :eq:`eq-line-search`: 1, a power of 1/2, or 0.

    The scores, (n, q) like their change `moved` for a whole step, are known, and X is not read; old
    and d (m,) are the chosen coefficients and their change.
    """
    start = price(old, penalty)
    promised = np.vdot(point.residual, moved) + price(old + d, penalty) - start
    rounding = 1e-15 * (point.loss + start) * math.sqrt(len(loss.s))

    def suffices(t):
        change = (
            loss.along(point.scores, moved, t) - point.loss + price(old + t * d, penalty) - start
        )
        return change <= SUFFICIENT * t * promised or abs(change) + abs(promised) <= rounding

    return line_search(suffices, 1.0)


def model_step(problem, at, known, chosen, penalty):
    """Minimise the model of the chosen coefficients: their change, the intercepts', the scores'."""
    p, columns = problem.matrix.p, chosen % problem.matrix.p
    # <slopes>: of the chosen coefficients, of centred features, and of the intercepts.
    b_slope = problem.matrix.totals(at.point.residual)
    slope = known.gradient[chosen] - problem.matrix.centre[columns] * b_slope[chosen // p]
    # <model>: the intercepts follow the coefficients that minimise it.
    kind, old = kind_of(problem), at.w[chosen]
    model = kind.of(problem, chosen, at.point, slope, b_slope if problem.fit_intercept else None)
    d = solve_model(model, old, penalty, kind.tolerance(known)) - old
    moved = problem.matrix.scores(chosen, d, problem.loss.q)
    d_b = model.intercepts(d, moved)
    return d, d_b, moved + problem.matrix.shift(d_b)


def kind_of(problem):
    """The kind of model: without its Hessian for sparse data."""
    return ImplicitModel if problem.matrix.sparse else FormedModel


def extrapolate_path(problem, last, before, penalties):
    """Go on along the logarithm of the penalty, if that lowers the objective.

    last, before: the last iterates; penalties: theirs, that of `last`, and the next. Returns where
    to begin.
    """
    (point, w, b), share = last, extrapolation([penalty.alpha for penalty in penalties])
    support, further = np.flatnonzero(w), w + share * (w - before.w)
    further[further * w <= 0.0] = 0.0
    shift = share * (b - before.b)
    moved = problem.matrix.scores(support, further[support] - w[support], problem.loss.q)
    moved = moved + problem.matrix.shift(shift)
    trial = problem.loss.evaluate(point.scores + moved)
    if trial.loss + price(further, penalties[2]) < point.loss + price(w, penalties[2]):
        return Iterate(trial, further, b + shift)
    return last


def proximal_newton(problem, at, known, penalty, goal, max_iter):
    """Proximal Newton, :eq:`eq-proximal-newton`, for either loss and either kind of data.

    Returns the last iterate, what is known of it, and the number of steps.
    """
    kind, size, n_iter = kind_of(problem), at.w.size, 0
    first_size = max(10, kind.per_root * math.isqrt(size))
    while n_iter < max_iter and not goal.reached(known, penalty):
        n_iter += 1
        # <step>: from a model of few coefficients, halved until the true objective falls.
        chosen = working_set(known.violation, at.w, first_size, kind.largest)
        d, d_b, moved = model_step(problem, at, known, chosen, penalty)
        t = step_length(problem.loss, at.point, moved, at.w[chosen], d, penalty)
        if t == 0.0:
            break
        point, w = problem.loss.evaluate(at.point.scores + t * moved), at.w.copy()
        w[chosen] += t * d
        at = settle_intercepts(problem, Iterate(point, w, at.b + t * d_b))
        known = certify(problem, at, penalty, goal.rounding)
    return at, known, n_iter


@single_threaded_blas()
def fit_path(X, codes, q, s, penalties, fit_intercept, tol, max_iter, start=None, n_jobs=None):
    """Logistic regression with l1 or elastic-net penalties: a fit for each, from the last one.

    Implements :eq:`eq-logistic-penalized` by :eq:`eq-proximal-newton`.

    Parameters
    ----------
    X : ndarray of shape (n, p), float32 or float64, or CSR or CSC array; or in chunks
        Samples. Of those in chunks, `codes` and `s` are, too.
    codes : ndarray of shape (n,), intp
        Classes, from 0.
    q : int
        Rows of coefficients: 1 for two classes and the loss :eq:`eq-logistic-loss`, otherwise the
        number of classes, and the softmax loss, :eq:`eq-multinomial-loss`.
    s : ndarray of shape (n,), float64
        Weights of the samples, not negative, not all zero; only their ratios matter.
    penalties : list of Penalty
        For the mean loss; `alpha` is positive.
    fit_intercept : bool
    tol : float
        Largest violation of the optimality conditions, relative to the largest slope; the duality
        gap is at most tol / 100 of the objective. With more than one penalty, slope and objective
        are those at the start, if they are larger.
    max_iter : int
        Largest number of Newton steps for each penalty.
    start : pair of ndarrays of shapes (q, p) and (q,), or None
        Coefficients and intercepts at the start; zeros if None.
    n_jobs : int or None

    Returns
    -------
    list of tuples
        For each penalty: coefficients (q, p), intercepts (q,), which sum to zero if q > 1, the
        number of steps, the duality gap of the mean loss with its penalty, and whether the
        tolerances were met.
    """
    s = s / in_memory(s.sum())
    p = X.shape[1]
    if is_chunked(X):
        matrix, loss = chunk_problem(X, codes, q, s, fit_intercept)
    elif is_sparse(X) and X.shape[0] * p > SMALL:
        matrix, loss = Sparse(X.tocsc(), np.ones(p), n_jobs), loss_of(codes, q, s, n_jobs)
    else:
        X = X.toarray() if is_sparse(X) else X
        matrix = Dense(np.ascontiguousarray(X), np.zeros(p), np.ones(p), n_jobs)
        loss = loss_of(codes, q, s, n_jobs)
        if fit_intercept:
            matrix.centre = matrix.transpose_times(s[:, np.newaxis])[0]
    problem = MeanLoss(matrix, loss, fit_intercept)
    w, b = (np.zeros((q, p)), np.zeros(q)) if start is None else start

    def mean_score(w):
        """What the centre adds to the scores (q,)."""
        return (w * np.tile(matrix.centre, q)).reshape(q, p).sum(axis=1) if fit_intercept else 0.0

    w = w.ravel()
    b = b + mean_score(w) if fit_intercept else np.zeros(q)
    support = np.flatnonzero(w)
    point = problem.loss.evaluate(matrix.scores(support, w[support], q) + matrix.shift(b))
    at, before, goal, fits = Iterate(point, w, b), None, None, []
    for k, penalty in enumerate(penalties):
        # <path>: from where the last two solutions lead.
        last = at
        if k > 1:
            at = extrapolate_path(problem, last, before, penalties[k - 2 : k + 1])
        at, before = settle_intercepts(problem, at), last
        known = certify(problem, at, penalty, goal.rounding if goal else 0.0)
        if goal is None:
            goal = goal_of(problem, at, known, penalties, tol)
            if np.any(goal.rounding):
                known = certify(problem, at, penalty, goal.rounding)
        at, known, n_iter = proximal_newton(problem, at, known, penalty, goal, max_iter)
        b = at.b - mean_score(at.w)
        fits.append((
            at.w.reshape(q, p).copy(), b - b.mean() if q > 1 else b, n_iter,
            max(float(known.gap), 0.0), goal.holds(known, tol),
        ))  # fmt: skip
    return fits
