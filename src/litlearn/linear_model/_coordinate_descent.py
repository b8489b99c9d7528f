"""Lasso and elastic net by coordinate descent on working sets, with a duality gap.

Everything here minimises, for the weighted and centred data that a *design* stands for,

    ||y - X w||^2 / 2 + alpha ||w||_1 + beta ||w||^2 / 2.

``alpha`` and ``beta`` are the estimator's penalties times the number of samples. The penalty, its
steps and its gap, are in ``_penalty.py``, the designs in ``_design.py``. This file goes from the
smallest piece to the largest: the extrapolation, sweeps over a working set that read products from
the Gram matrix, sweeps that keep the residual, and :func:`solve`, which chooses working sets until
the gap is closed.

Sources: Friedman, Hastie and Tibshirani (2010) for the updates, Massias, Gramfort and Salmon (2018)
for the working sets, Bertrand and Massias (2021) for the extrapolation.
"""

import math
from typing import NamedTuple

import numpy as np

from litlearn._jit import njit
from litlearn._random import random_below
from litlearn.linear_model import _penalty
from litlearn.linear_model._penalty import (
    Penalty,
    bounds_of,
    coordinate_step,
    decrease,
    distances,
    measure_rows,
    sums_of,
)

# Sweeps between two extrapolations, and the number of differences that one combines.
MEMORY = 5
# Size of the first working set, and by what the support is multiplied for the next ones at most.
FIRST_SIZE = 100
GROWTH = 2
# Room in the next one for each column that violates its constraint, and for some more.
PER_VIOLATION = 1.2
SPARE = 10
# A working set is solved to this share of the gap that remains, but not beyond the share of `tol`.
INNER_SHARE = 0.01
FINAL_SHARE = 0.3
# Steps of coordinate descent between two returns to Python: about a tenth of a second.
STEPS_PER_CALL = 1 << 27


class Stop(NamedTuple):
    """When a descent stops, and in which order it goes."""

    gap: float
    n_sweeps: int
    seed: int = 0  # zero for cyclic order


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


@njit(lean=True)
def bound(direction, w, positive):
    """Shorten an extrapolation where it would lead below the bound of positive coefficients."""
    if positive:
        for j in range(w.size):
            direction[j] = max(direction[j], -w[j])


@njit(lean=True)
def reverse(direction):
    """Turn an extrapolation around, which did not lower the objective."""
    for j in range(direction.size):
        direction[j] = -direction[j]


@njit
def state_of(seed):
    """State of a generator of random order, or an empty one for cyclic order."""
    return np.full(1 if seed != 0 else 0, np.uint64(seed))


# ---------------------------------------------------------------------------------------------
# Sweeps that read the products of columns from a Gram matrix


@njit(reassociate=True)
def dot(a, b):
    """Product of two vectors."""
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


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


@njit
def gram_gap(q, g, w, squares, target_square, penalty):
    """Duality gap of the problem given by its Gram matrix, whose diagonal is `squares`.

    `g` (k,) is ``X'r``, `q` (k,) is ``X'y``. Without penalties there is no dual point: then the
    result is the largest decrease that one coordinate can bring, times the number of coordinates.
    """
    if penalty.alpha == 0.0 and penalty.beta == 0.0:
        return decrease(g, w, squares, penalty.positive)
    # <residual>: r'y = y'y - w'X'y, and r'r = r'y - w'X'r.
    target = target_square - dot(w, q)
    square = max(target - dot(w, g), 0.0)
    bounds = bounds_of(square, target, sums_of(g, w, penalty), penalty)
    return bounds.primal - max(bounds.scaled, bounds.free)


@njit(reassociate=True)
def gram_objective(q, g, w, penalty):
    """The objective less ``||y||^2 / 2``, from ``X'y`` and ``X'r``."""
    total = 0.0
    for j in range(w.size):
        w_j = w[j]
        total += w_j * (-0.5 * (q[j] + g[j]) + 0.5 * penalty.beta * w_j)
        total += penalty.alpha * np.abs(w_j)
    return total


@njit(reassociate=True)
def gram_move(G, g, w, direction):
    """Add `direction` to the coefficients and keep ``g = X'r``."""
    for j in range(w.size):
        d = direction[j]
        if d != 0.0:
            w[j] += d
            for i in range(w.size):
                g[i] -= d * G[j, i]


@njit
def gram_descent(G, q, g, w, target_square, penalty, stop):
    """Coordinate descent where products are read from the Gram matrix.

    Parameters: `G` (at least (k, k)) is ``X'X``, `q` (k,) ``X'y``, `g` (k,) ``X'r`` and `w` (k,)
    the coefficients, both kept up to date.

    Returns the number of sweeps and the duality gap of this working set.
    """
    k = w.size
    past, direction, squares = np.empty((MEMORY + 1, k)), np.empty(k), np.empty(k)
    for j in range(k):
        squares[j] = G[j, j]
    state = state_of(stop.seed)
    known, sweeps, gap = 0, 0, np.inf
    while sweeps < stop.n_sweeps:
        gram_sweep(G, g, w, penalty, state)
        sweeps += 1
        # <stop>: The gap costs no more than a few coordinates.
        gap = gram_gap(q, g, w, squares, target_square, penalty)
        if gap <= stop.gap:
            break
        for j in range(k):
            past[known, j] = w[j]
        known += 1
        if known <= MEMORY:
            continue
        # <extrapolate>: Kept only if the objective falls.
        known = 0
        if extrapolate(past, direction):
            bound(direction, w, penalty.positive)
            before = gram_objective(q, g, w, penalty)
            gram_move(G, g, w, direction)
            if not gram_objective(q, g, w, penalty) < before:
                reverse(direction)
                gram_move(G, g, w, direction)
                for j in range(k):
                    w[j] = past[MEMORY, j]
    return sweeps, gap


# ---------------------------------------------------------------------------------------------
# Sweeps that keep the residual


class Columns(NamedTuple):
    """The k columns of a working set, weighted and centred: dense, or in CSC form.

    Sparse columns are centred on the fly. With means m, weights s^2 of sum n, and S = diag(s), the
    column is S (x_j - m_j 1), of which only S x_j is stored. The kernels hold the residual up to a
    multiple of s: it cancels from every product with a centred column, x_j'S r - m_j (s'r).
    """

    B: np.ndarray  # (k or more, n): dense columns as rows; of sparse ones, empty
    data: np.ndarray  # entries of a matrix, its rows weighted
    indices: np.ndarray  # rows of the entries
    starts: np.ndarray  # (k,): where the entries of a column begin
    ends: np.ndarray  # (k,)
    means: np.ndarray  # (k,)
    root: np.ndarray  # (n,): s, or empty without centring on the fly
    squares: np.ndarray  # (k,): squared norms of the centred columns


# An index that cannot be negative, as its type says, needs no test for one.


@njit(inline=True)
def dot_sparse(columns, t, r):
    """Product of a stored column with a vector."""
    total = 0.0
    for e in range(np.uintp(columns.starts[t]), np.uintp(columns.ends[t])):
        total += columns.data[e] * r[np.uint32(columns.indices[e])]
    return total


@njit(inline=True, reassociate=True)
def product(columns, t, r, shift):
    """Product of a column with the residual, where `shift` is ``s'r``."""
    total = 0.0
    if columns.B.size > 0:
        for i in range(r.size):
            total += columns.B[t, i] * r[i]
        return total
    return dot_sparse(columns, t, r) - columns.means[t] * shift


@njit(inline=True, reassociate=True)
def subtract(columns, t, d, r, shift):
    """Take a multiple of a column off the residual; returns what ``s'r`` becomes."""
    if columns.B.size > 0:
        for i in range(r.size):
            r[i] -= d * columns.B[t, i]
        return shift
    for e in range(np.uintp(columns.starts[t]), np.uintp(columns.ends[t])):
        r[np.uint32(columns.indices[e])] -= d * columns.data[e]
    return shift - d * r.size * columns.means[t]


@njit(reassociate=True)
def residual_sweep(columns, r, w, shift, penalty, state):
    """Every coordinate in turn: one product, and one more if the coefficient changes.

    r (n,): residual, w (k,): coefficients, both kept up to date. Returns ``s'r`` and by how much
    the objective fell, at least.
    """
    fall = 0.0
    for step in range(w.size):
        t = random_below(state, w.size) if state.size > 0 else step
        square = columns.squares[t]
        d = coordinate_step(w[t], product(columns, t, r, shift), square, penalty)
        if d != 0.0:
            w[t] += d
            fall += 0.5 * (square + penalty.beta) * d * d
            shift = subtract(columns, t, d, r, shift)
    return shift, fall


@njit
def residual_gap(columns, y, r, w, shift, penalty):
    """Duality gap of the working set; and the objective."""
    c = np.empty(w.size)
    for t in range(w.size):
        c[t] = product(columns, t, r, shift)
    square, target = dot(r, r), dot(r, y)
    if columns.root.size > 0:
        square -= dot(r, columns.root) ** 2 / r.size
    bounds = bounds_of(square, target, sums_of(c, w, penalty), penalty)
    if penalty.alpha == 0.0 and penalty.beta == 0.0:
        return decrease(c, w, columns.squares, penalty.positive), bounds.primal
    return bounds.primal - max(bounds.scaled, bounds.free), bounds.primal


@njit(reassociate=True)
def residual_objective(root, r, w, penalty):
    """The objective from the residual."""
    total = dot(r, r)
    if root.size > 0:
        total -= dot(r, root) ** 2 / r.size
    for t in range(w.size):
        total += 2.0 * penalty.alpha * np.abs(w[t]) + penalty.beta * w[t] * w[t]
    return 0.5 * total


@njit
def residual_move(columns, r, w, shift, direction):
    """Add `direction` to the coefficients and keep the residual; return ``s'r``."""
    for t in range(w.size):
        if direction[t] != 0.0:
            w[t] += direction[t]
            shift = subtract(columns, t, direction[t], r, shift)
    return shift


@njit
def residual_descent(columns, y, r, w, penalty, stop):
    """Coordinate descent that maintains the residual: the textbook's form.

    Parameters: `columns` is the working set, `y` (n,) the target, `r` (n,) the residual and `w`
    (k,) the coefficients, both kept up to date; a multiple of the weights' roots in `r` does not
    count.

    Returns the number of sweeps and the duality gap of this working set.
    """
    k = w.size
    past, direction = np.empty((MEMORY + 1, k)), np.empty(k)
    state, shift = state_of(stop.seed), 0.0
    if columns.root.size > 0:
        shift = dot(columns.root, r)
    known, sweeps, gap, hopeful = 0, 0, np.inf, columns.B.size > 0
    while sweeps < stop.n_sweeps:
        shift, fall = residual_sweep(columns, r, w, shift, penalty, state)
        sweeps += 1
        for t in range(k):
            past[known, t] = w[t]
        known += 1
        # <stop>: The gap costs as much as a sweep. It is worth a look before an extrapolation, and
        # for dense columns once earlier, when the objective has nearly ceased to fall.
        early = hopeful and fall <= 0.1 * stop.gap
        if not early and known <= MEMORY and sweeps < stop.n_sweeps:
            continue
        gap, before = residual_gap(columns, y, r, w, shift, penalty)
        if gap <= stop.gap or sweeps == stop.n_sweeps:
            break
        hopeful = columns.B.size > 0 and known > MEMORY
        if known <= MEMORY:
            continue
        known = 0
        # <extrapolate>: Kept only if the objective falls.
        if extrapolate(past, direction):
            bound(direction, w, penalty.positive)
            shift = residual_move(columns, r, w, shift, direction)
            if not residual_objective(columns.root, r, w, penalty) < before:
                reverse(direction)
                shift = residual_move(columns, r, w, shift, direction)
                for t in range(k):
                    w[t] = past[MEMORY, t]
    return sweeps, gap


# ---------------------------------------------------------------------------------------------
# Working sets, screening, the solver


class Check(NamedTuple):
    """One look at the whole problem: the gap, what screening left, and the work so far."""

    gap: float
    active: int
    working_set: int
    sweeps: int


class Look(NamedTuple):
    """The residual at some coefficients, and its products."""

    r: np.ndarray | None  # (n,) or (k, n)
    square: float  # with itself
    target: float  # with the target
    c: np.ndarray  # with the columns, (p,) or (k, p)


class WorkingSets:
    """What :func:`solve` knows besides the coefficients: screened columns, the best dual point."""

    def __init__(self, design, penalty):
        self.design, self.penalty = design, penalty
        self.active = design.squares > 0.0
        self.remaining = int(self.active.sum())
        self.rounding = design.rounding * math.sqrt(design.target_square)
        self.size = self.first_size = design.first_size
        self.best_dual = self.center_dual = -np.inf
        self.center = None  # sizes of the products with the best dual point
        self.near, self.out = np.empty((2, self.active.size))  # those with the present one

    def gap(self, look, w):
        """The duality gap; the best dual point so far is kept, as its products with the columns."""
        penalty, measure = self.penalty, _penalty.measure if w.ndim == 1 else measure_rows
        known = self.active, look.square, look.target, penalty
        bounds = measure(look.c, w, *known, self.near)
        self.primal, self.scale = bounds.primal, bounds.scale
        if penalty.alpha == 0.0 and penalty.beta == 0.0:
            rows = zip(
                np.atleast_2d(np.where(self.active, look.c, 0.0)), np.atleast_2d(w), strict=True
            )
            return sum(decrease(*row, self.design.squares, penalty.positive) for row in rows)
        if bounds.scaled > self.center_dual:
            self.center_dual, self.center = bounds.scaled, self.near.copy()
        self.best_dual = max(self.best_dual, bounds.scaled, bounds.free)
        return bounds.primal - self.best_dual

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


def solve(design, penalty, w, *, seed=0, tol=1e-4, max_iter=1000, history=None):
    """Minimise the objective at the head of this file.

    Parameters
    ----------
    design : DenseDesign, SparseDesign, GramDesign or Targets
        The data.
    penalty : Penalty
        In units of this objective, the estimator's times the number of samples.
    w : ndarray of shape (n_features,) or (n_targets, n_features)
        Where to begin; overwritten by the result. float64.
    seed : int, default=0
        Zero for cyclic order, otherwise the beginning of a random one.
    tol : float, default=1e-4
        The duality gap may be `tol` times ``||y||^2``.
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
    sets, goal, sweeps = WorkingSets(design, penalty), tol * design.target_square, 0
    while True:
        # <look>: The residual, its product with every column, and the gap, all computed anew.
        look = design.look(w, sets.active)
        gap = sets.gap(look, w)
        if history is not None:
            history.append(Check(gap, sets.remaining, sets.size, sweeps))
        if gap <= goal or sweeps >= max_iter or sets.remaining == 0:
            return max(gap, 0.0), sweeps
        if penalty.alpha > 0.0:
            sets.screen(w)
        chosen = sets.choose(w)
        # <descend>: Solve the small problem further than the large one is solved already.
        inner = max(FINAL_SHARE * goal, design.inner_share(chosen) * gap)
        limit = max(1, STEPS_PER_CALL // max(1, design.step_cost(chosen.size)))
        stop = Stop(float(inner), min(limit, max_iter - sweeps), seed)
        sweeps += design.descend(chosen, w, look, penalty, stop)
        if seed:
            seed += sweeps
