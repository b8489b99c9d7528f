"""Lasso and elastic net by coordinate descent on working sets, with a duality gap.

Everything here minimises, for the weighted and centred data that a *design* stands for,

    ||y - X w||^2 / 2 + alpha ||w||_1 + beta ||w||^2 / 2.

``alpha`` and ``beta`` are the estimator's penalties times the number of samples. The penalty, its
steps and its gap, are in ``_penalty.py``, the designs in ``_matrix.py``. This file goes from the
smallest piece to the largest: the extrapolation, sweeps over a working set that keep the residual,
or its products with the columns if those with each other are known, and
:func:`coordinate_descent`, which chooses working sets until the gap is closed. A small gap alone
leaves coefficients far from the minimum, whose square it bounds. So once it is small, the equations
of the coefficients in use are solved, signs held, and the result is checked like any other.

With k targets y, w and the residual have k rows, and the penalty is on the lengths of the
coefficients of a feature: it is in use for all targets, or for none.

Sources: Friedman, Hastie and Tibshirani (2010) for the updates, Massias, Gramfort and Salmon (2018)
for the working sets, Bertrand and Massias (2021) for the extrapolation; Yuan and Lin (2006),
Obozinski, Taskar and Jordan (2010) and Massias, Vaiter, Gramfort and Salmon (2020) for several
targets.
"""

import math
from typing import NamedTuple

import numpy as np

from litlearn._core.jit import njit
from litlearn._core.random import random_below
from litlearn.linear_model import _penalty
from litlearn.linear_model._matrix import FIRST_SIZE, GROWTH, SPARE
from litlearn.linear_model._penalty import (
    Penalty,
    bounds_of,
    coordinate_step,
    decrease,
    distances,
    feature_step,
    largest_step,
    measure,
    size_of,
    sums_of,
)

# Sweeps between two extrapolations, and the number of differences that one combines.
MEMORY = 5
# Room in the next working set for each column that violates its constraint.
PER_VIOLATION = 1.2
# A working set is solved to this share of the gap that remains, or to the end if all products of
# columns are at hand, but not beyond the share of `tol`.
INNER_SHARE = 0.01
FINAL_SHARE = 0.3
# Below this share of ||y||^2 the gap is small enough to solve equations for what is in use.
NEAR = 1e-4
# A solution is close enough if no step, in the units of the target, is a larger share of the
# largest coefficient than this one of `tol`; in a working set, than half of it. Where a few sweeps
# more bring steps down to `FINEST`, they are made: most problems are solved exactly in no time.
STEP_SHARE, FINEST, FEW_SWEEPS = 0.1, 1e-10, 10
# Steps of conjugate gradients at least, before sweeps go on; and about how many for each sweep.
LEAST_STEPS, PER_STEP = 20, 4
# How often a solution is tried again after its gap is met: rounding may keep it from being exact.
MOST_TRIES = 10
# Steps of coordinate descent between two returns to Python: about a tenth of a second.
STEPS_PER_CALL = 1 << 27


class Stop(NamedTuple):
    """When a descent stops, and in which order it goes."""

    gap: float
    n_sweeps: int
    seed: int = 0  # zero for cyclic order
    near: float = 0.0  # gap from which Newton steps lead to the solution; zero: not wanted
    step: float = 0.0  # largest one that may remain then, as `largest_step` has it


# ---------------------------------------------------------------------------------------------
# Extrapolation


@njit
def extrapolate(past, direction):
    """Extrapolate from the last coefficients: :eq:`eq-anderson`.

    `past` (MEMORY + 1, k) holds the coefficients after consecutive sweeps. `direction` (k,)
    receives the extrapolated coefficients minus the last ones. Returns False if there is nothing to
    extrapolate.
    """
    m, k = past.shape[0] - 1, past.shape[1]
    # <differences>: Products of the differences between consecutive sweeps.
    gram, trace = np.empty((m, m)), 0.0
    for a in range(m):
        for b in range(a + 1):
            total = 0.0
            for j in range(k):
                total += (past[a + 1, j] - past[a, j]) * (past[b + 1, j] - past[b, j])
            gram[a, b] = gram[b, a] = total
        trace += gram[a, a]
    if not 0.0 < trace < np.inf:
        return False
    # <solve>: Weights that make the combined difference small, with a tiny ridge, by elimination.
    # (To compile NumPy's own solver would take ten times as long as this whole function.)
    c = np.ones(m)
    for a in range(m):
        gram[a, a] += 1e-8 * trace
    for a in range(m):
        for b in range(a + 1, m):
            share = gram[b, a] / gram[a, a]
            c[b] -= share * c[a]
            for i in range(a + 1, m):
                gram[b, i] -= share * gram[a, i]
    for a in range(m - 1, -1, -1):
        for i in range(a + 1, m):
            c[a] -= gram[a, i] * c[i]
        c[a] /= gram[a, a]
    # <combine>: The weights sum to one. Rounded to a few digits, they do as well, and what they
    # make of the last bits of the data does not grow from one extrapolation to the next.
    total, rest = 0.0, 1.0
    for a in range(m):
        total += c[a]
    if not 0.0 < np.abs(total) < np.inf:
        return False
    for a in range(m):
        c[a] = np.rint(c[a] / total * 4096.0) / 4096.0
        rest -= c[a]
    c[m - 1] += rest
    for j in range(k):
        total = 0.0
        for a in range(m):
            total += c[a] * past[a + 1, j]
        direction[j] = total - past[m, j]
    return True


@njit
def state_of(seed):
    """State of a generator of random order, or an empty one for cyclic order."""
    return np.full(1 if seed != 0 else 0, np.uint64(seed))


# ---------------------------------------------------------------------------------------------
# Columns, and what a step needs of them


@njit(reassociate=True)
def dot(a, b):
    """Product of two vectors."""
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@njit(inline=True, reassociate=True)
def product(columns, j, R, t, shift):
    """Product of a column with the residual of a target, where `shift` is ``s'r``."""
    if columns.known:
        return R[t, j]
    total = 0.0
    if columns.B.size > 0:
        for i in range(R.shape[1]):
            total += columns.B[j, i] * R[t, i]
        return total
    # An index that cannot be negative, as its type says, needs no test for one.
    for e in range(np.uintp(columns.starts[j]), np.uintp(columns.ends[j])):
        total += columns.data[e] * R[t, np.uint32(columns.indices[e])]
    return total - columns.means[j] * shift[t]


@njit(inline=True, reassociate=True)
def add(columns, j, d, R, W, t, shift):
    """Add d to a coefficient, and keep the residual of its target, and ``s'r``."""
    W[t, j] += d
    if columns.B.size > 0:
        for i in range(R.shape[1]):
            R[t, i] -= d * columns.B[j, i]
    else:
        for e in range(np.uintp(columns.starts[j]), np.uintp(columns.ends[j])):
            R[t, np.uint32(columns.indices[e])] -= d * columns.data[e]
        shift[t] -= d * R.shape[1] * columns.means[j]


# ---------------------------------------------------------------------------------------------
# Sweeps


@njit(reassociate=True)
def gram_sweep(G, g, w, penalty, state):
    """Every coordinate in turn; a change costs one row of G, no change costs nothing.

    G (at least (k, k)): Gram matrix, or Hessian; g (k,): products with the residual, or minus the
    gradient; w (k,): coefficients; g and w are kept up to date. Returns the largest violation met.
    """
    worst = 0.0
    # <sweep>: In random order, if `state` is not empty.
    for step in range(w.size):
        j = random_below(state, w.size) if state.size > 0 else step
        d = coordinate_step(w[j], g[j], G[j, j], penalty)
        if d != 0.0:
            w[j] += d
            worst = max(worst, np.abs(d) * (G[j, j] + penalty.beta))
            for i in range(w.size):
                g[i] -= d * G[j, i]
    return worst


@njit(reassociate=True)
def sweep(columns, R, W, shift, penalty, state):
    """Every feature in turn: a product for each target, and one more if coefficients change.

    R (k, n or m), W (k, m) and shift (k,), which is ``s'r``, are kept up to date.
    """
    k, m = W.shape
    if columns.known and k == 1:
        gram_sweep(columns.B, R[0], W[0], penalty, state)
        return
    d = np.empty(k)
    for step in range(m):
        j = random_below(state, m) if state.size > 0 else step
        square = columns.squares[j]
        for t in range(k):
            d[t] = product(columns, j, R, t, shift)
        largest = feature_step(W, d, j, square, penalty)
        for t in range(k if largest > 0.0 else 0):
            add(columns, j, d[t], R, W, t, shift)


@njit
def move_coefficients(columns, R, W, shift, direction, positive):
    """Add `direction` (k * m,) to the coefficients, as far as `positive` ones have a bound."""
    k, m = W.shape
    for t in range(k):
        for j in range(m):
            d = direction[t * m + j]
            if positive:
                d = max(d, -W[t, j])
            if d != 0.0:
                add(columns, j, d, R, W, t, shift)


@njit
def squares_of(problem, columns, R, W):
    """``||r||^2`` and ``r'y``; from known products: r'y = y'y - w'X'y, and r'r = r'y - w'X'r."""
    square = target = 0.0
    if columns.known:
        target = problem.target_square
        for t in range(len(R)):
            target -= dot(W[t], problem.Y[t])
            square -= dot(W[t], R[t])
        return max(target + square, 0.0), target
    for t in range(len(R)):
        square += dot(R[t], R[t])
        target += dot(R[t], problem.Y[t])
        if columns.root.size > 0:
            square -= dot(R[t], columns.root) ** 2 / R.shape[1]
    return square, target


@njit
def objective(problem, columns, R, W):
    """The objective."""
    square, target = squares_of(problem, columns, R, W)
    return bounds_of(square, target, sums_of(W, W, problem.penalty), problem.penalty).primal


@njit
def products(columns, R, shift):
    """Products of all columns with the residuals (k, m)."""
    if columns.known:
        return R
    C = np.empty((R.shape[0], columns.squares.size))
    for t in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[t, j] = product(columns, j, R, t, shift)
    return C


@njit
def gap_of(problem, columns, R, W, C):
    """Duality gap of the working set, from the products C (k, m); and the objective.

    Without penalties there is no dual point: then the gap is the largest decrease that one
    coordinate can bring, times the number of coordinates.
    """
    penalty = problem.penalty
    square, target = squares_of(problem, columns, R, W)
    bounds = bounds_of(square, target, sums_of(C, W, penalty), penalty)
    if penalty.alpha == 0.0 and penalty.beta == 0.0:
        return decrease(C, W, columns.squares, penalty.positive), bounds.primal
    return bounds.primal - max(bounds.scaled, bounds.free), bounds.primal


class Problem(NamedTuple):
    """What a descent minimises."""

    Y: np.ndarray  # (k, n): targets; or their products with known columns, (k, m)
    target_square: float  # of all targets
    penalty: Penalty


@njit
def newton_step(columns, R, W, C, penalty, most, direction):
    """Solve the equations of the coefficients in use by conjugate gradients.

    The signs are held; of several targets, the lengths bend, which is linearised. C (k, m):
    products of the columns with the residuals; `direction` (k * m,) receives the change of the
    coefficients. Returns the number of steps, each as long as a sweep.
    """
    k, m = W.shape
    direction[:] = 0.0
    lengths, scale, shift = np.zeros(m), np.ones(m), np.zeros(k)
    rest, along, change, V = np.zeros((k, m)), np.zeros((k, m)), np.zeros((k, m)), np.zeros((k, m))
    Q, size = np.zeros(R.shape), 0.0
    # <equations>: What is left of the gradient where coefficients are not zero.
    for j in range(m):
        length = size_of(W, W, 0.0, j, False)
        if length == 0.0:
            continue
        lengths[j] = length
        bending = penalty.alpha / length if k > 1 else 0.0
        scale[j] = np.sqrt(columns.squares[j] + penalty.beta + bending)
        size = max(size, np.sqrt(columns.squares[j] + penalty.beta) * length)
        for t in range(k):
            rest[t, j] = C[t, j] - (penalty.beta + penalty.alpha / length) * W[t, j]
    used, last = np.flatnonzero(lengths), 1.0
    for step in range(most):
        # <conjugate>: The next direction; steps that remain are small.
        total = 0.0
        for t in range(k):
            for j in used:
                total += (rest[t, j] / scale[j]) ** 2
        if not total > (0.1 * FINEST * size) ** 2:
            return step
        share = total / last if step > 0 else 0.0
        last = total
        Q[:], shift[:] = 0.0, 0.0
        for j in used:
            for t in range(k):
                along[t, j] = rest[t, j] / scale[j] / scale[j] + share * along[t, j]
                add(columns, j, -along[t, j], Q, V, t, shift)
        # <curvature>: Along it; of a length, only across.
        curvature = 0.0
        for j in used:
            across = 0.0
            for t in range(k):
                across += W[t, j] / lengths[j] * along[t, j]
            bending = penalty.alpha / lengths[j] if k > 1 else 0.0
            for t in range(k):
                c = product(columns, j, Q, t, shift) + penalty.beta * along[t, j]
                c += bending * (along[t, j] - across * W[t, j] / lengths[j])
                change[t, j] = c
                curvature += c * along[t, j]
        if not 0.0 < curvature < np.inf:
            return step
        far = total / curvature
        for t in range(k):
            for j in used:
                direction[t * m + j] += far * along[t, j]
                rest[t, j] -= far * change[t, j]
    return most


@njit
def keep_sides(W, direction):
    """End the change of each feature at zero if it would pass to the other side of it."""
    k, m = W.shape
    for j in range(m):
        side, length = 0.0, size_of(W, W, 0.0, j, False)
        for t in range(k if length > 0.0 else 0):
            side += W[t, j] / length * (W[t, j] + direction[t * m + j])
        for t in range(k if side <= 0.0 else 0):
            direction[t * m + j] = -W[t, j]


@njit
def try_move(problem, columns, R, W, shift, direction, limit):
    """Move, unless the objective is then not below a limit; return whether it is."""
    kept = R.copy(), W.copy(), shift.copy()
    move_coefficients(columns, R, W, shift, direction, problem.penalty.positive)
    if objective(problem, columns, R, W) < limit:
        return True
    R[:], W[:], shift[:] = kept
    return False


@njit
def descent(problem, columns, R, W, stop):
    """Coordinate descent over the columns of a working set.

    `R` and `W` (k, m), the residual or its known products, and the coefficients, are kept up to
    date; a multiple of the weights' roots in the residual does not count.

    Returns the number of sweeps, the duality gap of this working set, and the largest step that
    remains, as :func:`largest_step` has it, if that matters.
    """
    (k, m), penalty = W.shape, problem.penalty
    past, direction = np.empty((MEMORY + 1, k * m)), np.empty(k * m)
    state, shift = state_of(stop.seed), np.zeros(k)
    for t in range(k if columns.root.size > 0 else 0):
        shift[t] = dot(columns.root, R[t])
    slack = 1e-14 * problem.target_square
    known, sweeps, spent, gap, step = 0, 0, 0, np.inf, np.inf
    while sweeps < stop.n_sweeps:
        sweep(columns, R, W, shift, penalty, state)
        sweeps += 1
        past[known] = W.ravel()
        known += 1
        # <stop>: From known products the gap costs no more than a few coordinates, else as much as
        # a sweep. Then it is worth a look before an extrapolation.
        if not columns.known and known <= MEMORY and sweeps < stop.n_sweeps:
            continue
        C = products(columns, R, shift)
        gap, before = gap_of(problem, columns, R, W, C)
        step = 0.0 if stop.near == 0.0 else np.inf
        if gap <= stop.near:
            step = largest_step(C, W, columns.squares, penalty, 0.0)
        # <polish>: Near the minimum, the equations of the coefficients in use are solved.
        while step > 0.5 * FINEST and gap <= stop.near and spent <= PER_STEP * sweeps:
            most = min(LEAST_STEPS + sweeps, MEMORY + stop.n_sweeps)
            steps = newton_step(columns, R, W, C, penalty, most, direction)
            keep_sides(W, direction)
            spent, known = spent + steps, 0
            if steps == 0 or not try_move(problem, columns, R, W, shift, direction, before + slack):
                break
            C = products(columns, R, shift)
            gap, before = gap_of(problem, columns, R, W, C)
            step = largest_step(C, W, columns.squares, penalty, 0.0)
        if (gap <= stop.gap and step <= 0.5 * stop.step) or sweeps == stop.n_sweeps:
            break
        if known <= MEMORY:
            continue
        # <extrapolate>: Kept only if the objective falls.
        known = 0
        if extrapolate(past, direction):
            try_move(problem, columns, R, W, shift, direction, before)
    return sweeps, gap, step


# ---------------------------------------------------------------------------------------------
# Working sets, screening, the solver


class Check(NamedTuple):
    """One look at the whole problem: the gap, what screening left, and the work so far."""

    gap: float
    active: int
    working_set: int
    sweeps: int


class WorkingSets:
    """What the solver knows besides the coefficients: screened columns, the best dual point."""

    def __init__(self, design, penalty):
        self.design, self.penalty = design, penalty
        self.active = design.squares > 0.0
        self.remaining = int(self.active.sum())
        self.rounding = design.rounding * math.sqrt(design.target_square)
        self.size = self.first_size = design.first_size
        self.best_dual = self.center_dual = -np.inf
        self.center = None  # sizes of the products with the best dual point
        self.near, self.out = np.empty((2, self.active.size))  # those with the present one

    def gap(self, point, w):
        """The duality gap; the best dual point so far is kept, as its products with the columns."""
        penalty = self.penalty
        c = point.c if self.remaining == self.active.size else np.where(self.active, point.c, 0.0)
        products = c.reshape(-1, c.shape[-1]), w.reshape(-1, c.shape[-1])
        bounds = measure(*products, point.square, point.target, penalty, self.near)
        self.primal, self.scale = bounds.primal, bounds.scale
        if penalty.alpha == 0.0 and penalty.beta == 0.0:
            return decrease(*products, self.design.squares, penalty.positive)
        if bounds.scaled > self.center_dual:
            self.center_dual, self.center = bounds.scaled, self.near.copy()
        self.best_dual = max(self.best_dual, bounds.scaled, bounds.free)
        return bounds.primal - self.best_dual

    def step(self, point, w):
        """The largest step that a feature would still make, as :func:`largest_step` has it."""
        products = point.c.reshape(-1, w.shape[-1]), w.reshape(-1, w.shape[-1])
        known = self.design.squares, self.penalty, self.rounding
        return largest_step(*products, *known)

    def screen(self, w):
        """Set coefficients to zero for good: the gap bounds how far the best dual point is."""
        before, radius = self.remaining, math.sqrt(2.0 * max(self.primal - self.center_dual, 0.0))
        known = self.design.squares, self.active, self.penalty, radius, self.rounding
        self.remaining = _penalty.screen(self.center, *known)
        if self.remaining < before:
            w[..., ~self.active] = 0.0

    def choose(self, w):
        """What is in use, and the columns whose constraints are nearest to the dual point."""
        if self.penalty.alpha == 0.0:
            return np.flatnonzero(self.active)
        # <choose>: Room for the support, for each violation, and for some more.
        used = w.astype(bool) if w.ndim == 1 else w.any(axis=0)
        known = used, self.active, self.design.squares, self.penalty
        support, out = np.count_nonzero(used), self.out
        violated = distances(self.near, self.scale, *known, out)
        wanted = int(support + SPARE + PER_VIOLATION * violated)
        most = max(GROWTH * support, FIRST_SIZE)
        size = min(self.remaining, max(self.first_size, min(most, wanted)))
        chosen = np.argpartition(out, size - 1)[:size] if size < out.size else np.arange(size)
        self.size = size
        return np.sort(chosen[out[chosen] < np.inf])


def descend(design, parts, w, penalty, stop):
    """Solve the problem of a working set from `w`; return the sweeps that it took.

    `parts` are the forms that it takes in turn, :class:`Part`, until it is solved.
    """
    sweeps = 0
    for part in parts:
        v = np.ascontiguousarray(w[..., part.used])
        Y, R, W = (a.reshape(-1, a.shape[-1]) for a in (part.y, part.r, v))
        # <return>: To Python every now and then, where Ctrl-C is noticed.
        most = min(part.n_sweeps, stop.n_sweeps - sweeps)
        most = min(most, 1 + STEPS_PER_CALL // max(1, part.columns.steps(R)))
        problem = Problem(Y, design.target_square, penalty)
        count, gap, step = descent(problem, part.columns, R, W, stop._replace(n_sweeps=most))
        w[..., part.used] = v
        sweeps += count
        if sweeps == stop.n_sweeps or (gap <= stop.gap and step <= stop.step):
            break
    return sweeps


def coordinate_descent(design, penalty, w, *, seed=0, tol=1e-4, max_iter=1000, history=None):
    """Minimise the objective at the head of this file.

    Parameters
    ----------
    design : DenseDesign, SparseDesign or GramDesign
        The data.
    penalty : Penalty
        In units of this objective, the estimator's times the number of samples.
    w : ndarray of shape (n_features,) or (n_targets, n_features)
        Where to begin; overwritten by the result. float64.
    seed : int, default=0
        Zero for cyclic order, otherwise the beginning of a random one.
    tol : float, default=1e-4
        The duality gap may be `tol` times ``||y||^2``, and no coefficient would change by more than
        a tenth of `tol` of the largest, each by the length of its column.
    max_iter : int, default=1000
        Largest number of sweeps, over all working sets together.
    history : list or None, default=None
        A :class:`Check` is appended for each look at the whole problem.

    Returns
    -------
    gap : float
        The duality gap at the result.
    sweeps : int
        Sweeps of coordinate descent over working sets.
    """
    penalty = Penalty(float(penalty.alpha), float(penalty.beta), bool(penalty.positive))
    w[..., design.squares <= 0.0] = 0.0
    if penalty.positive:
        np.maximum(w, 0.0, out=w)
    sets, goal = WorkingSets(design, penalty), tol * design.target_square
    level, step = NEAR * design.target_square, max(STEP_SHARE * tol, FINEST)
    sweeps = tries = 0  # tries: looks at which the gap was met
    while True:
        # <point>: The residual, its product with every column, and the gap, all computed anew.
        point = design.evaluate(w, sets.active)
        gap = sets.gap(point, w)
        if history is not None:
            history.append(Check(gap, sets.remaining, sets.size, sweeps))
        tries += gap <= min(goal, level)
        last = FINEST if tries == 1 else step
        enough = last if sweeps > 0 else step  # a start that will do is left as it is
        done = gap <= goal and (tries > MOST_TRIES or sets.step(point, w) <= enough)
        if done or sweeps >= max_iter or sets.remaining == 0:
            return max(gap, 0.0), sweeps
        if penalty.alpha > 0.0:
            sets.screen(w)
        chosen = sets.choose(w)
        # <descend>: Solve the small problem further than the large one is solved already; near the
        # end, until steps are small.
        share = 0.0 if design.has_products(chosen) else INNER_SHARE
        inner = max(FINAL_SHARE * min(goal, level), share * gap)
        near = level if inner <= level else 0.0
        most = max_iter - sweeps if tries != 1 else min(max_iter - sweeps, FEW_SWEEPS)
        stop = Stop(float(inner), most, seed, near, last)
        sweeps += descend(design, design.working_set(chosen, point, most), w, penalty, stop)
        if seed:
            seed += sweeps
