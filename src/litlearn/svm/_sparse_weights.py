r"""Linear machines with an l1 penalty: one coefficient at a time.

    ||w||_1 + sum_i C_i max(0, 1 - y_i x_i.w)^2

The loss is smooth, and a parabola as long as no sample crosses its margin. A step minimises the
parabola of one coefficient plus the kink at zero, and is halved while the objective does not fall
enough (Yuan, Chang, Hsieh and Lin 2010). A coefficient that is zero with much reserve is left out
until the others are solved.
"""

import numpy as np

from litlearn._core import random
from litlearn._core.jit import njit
from litlearn.svm._dual_descent import pass_over

WORK = 10_000_000  # entries between two returns to Python
# The features left out come back, and all are looked at, when the others are solved: to a share
SHARE = 0.1  # of what was found at the last look, but not beyond
CLOSE = 0.02  # of the tolerance.
SUFFICIENT = 0.01
HALVINGS = 30


@njit
def sweep(columns, y, C, margin, w, active, reserve):
    """Pass once over some features.

    columns: the three arrays of CSC, whose middle one is empty if all entries are stored; margin
    (n,): 1 - y_i f_i, changed; w (p,): changed; active: features, those left out are moved behind;
    reserve: that above which a zero is left out. Returns how many stay, and the largest violation.
    """
    worst, kept, stop = 0.0, 0, active.size
    for _ in range(active.size):
        j = active[kept]
        slope, curvature = column_slopes(columns, y, C, margin, j)
        if w[j] == 0.0 and 1.0 - abs(slope) > reserve:
            stop -= 1
            active[kept], active[stop] = active[stop], j
            continue
        kept += 1
        violation = abs(slope + np.sign(w[j])) if w[j] != 0.0 else abs(slope) - 1.0
        worst = max(worst, violation)
        if violation <= 0.0:
            continue
        # <threshold>: the minimum of a parabola and |w_j|; or zero, where no sample asks for more.
        target = 0.0
        if curvature > 0.0:
            target = w[j] - slope / curvature
            target -= min(max(target, -1.0 / curvature), 1.0 / curvature)
        step = target - w[j]
        promise = slope * step + abs(target) - abs(w[j])
        for _ in range(HALVINGS):
            change = loss_change(columns, y, C, margin, j, step) + abs(w[j] + step) - abs(w[j])
            if change <= SUFFICIENT * promise:
                w[j] += step
                move_margins(columns, y, margin, j, step)
                break
            step *= 0.5
            promise *= 0.5
    return stop, worst


@njit(helper=True)
def column_slopes(columns, y, C, margin, j):
    """Return the first and the second derivative of the losses by coefficient j."""
    data, indices, indptr = columns
    slope, curvature, first = 0.0, 0.0, indptr[j]
    for t in range(indptr[j + 1] - first):
        i = indices[first + t] if indices.size else t
        if margin[i] > 0.0:
            a = data[first + t]
            slope -= C[i] * y[i] * a * margin[i]
            curvature += C[i] * a * a
    return 2.0 * slope, 2.0 * curvature


@njit(helper=True)
def loss_change(columns, y, C, margin, j, step):
    """Return by how much the losses change with a step of coefficient j."""
    data, indices, indptr = columns
    total, first = 0.0, indptr[j]
    for t in range(indptr[j + 1] - first):
        i = indices[first + t] if indices.size else t
        before = max(margin[i], 0.0)
        after = max(margin[i] - step * y[i] * data[first + t], 0.0)
        total += C[i] * (after - before) * (after + before)
    return total


@njit(helper=True)
def move_margins(columns, y, margin, j, step):
    """Bring the margins up to date after a step of coefficient j."""
    data, indices, indptr = columns
    first = indptr[j]
    for t in range(indptr[j + 1] - first):
        i = indices[first + t] if indices.size else t
        margin[i] -= step * y[i] * data[first + t]


@njit
def largest_violation(columns, y, C, margin, w):
    """Return the largest violation of the optimality conditions among all features."""
    worst = 0.0
    for j in range(w.size):
        slope, _ = column_slopes(columns, y, C, margin, j)
        worst = max(worst, abs(slope + np.sign(w[j])) if w[j] != 0.0 else abs(slope) - 1.0)
    return worst


def solve_sparse(columns, product, y, C, limits, seed, report=None):
    """Minimise over coefficients (p,).

    Parameters
    ----------
    columns : tuple of ndarray
        The arrays of CSC.
    product : callable
        ``product(w)`` is the linear function of all samples (n,).
    y, C : ndarray of shape (n,)
    limits : tuple
        The violation that ends the solver, relative to the largest slope at zero where that is
        above 1, and the most passes.
    seed : int
    report : callable or None

    Returns
    -------
    w, violation, gap, n_iter, converged
    """
    p, (tol, max_iter) = len(columns[2]) - 1, limits
    w, margin = np.zeros(p), np.ones(len(y))
    steepest = largest_violation(columns, y, C, margin, w) + 1.0
    tol = tol * max(1.0, steepest)
    active, reserve, n_iter, goal = np.arange(p), np.inf, 0, max(SHARE * steepest, CLOSE * tol)
    state = random.make_state(seed)
    part = max(1, int(WORK * p / max(1, len(columns[0]))))
    while n_iter < max_iter:
        active, worst = pass_over(
            lambda block: sweep(columns, y, C, margin, w, block, reserve),  # noqa: B023
            active,
            part,
            state,
        )
        reserve = worst / len(y)
        n_iter += 1
        if report is not None:
            report(n_iter, worst)
        if worst > goal and len(active) and n_iter < max_iter:
            continue
        # <certificate>: margins computed anew, and all features looked at.
        margin = 1.0 - y * product(w)
        violation = largest_violation(columns, y, C, margin, w)
        if violation < tol and worst <= CLOSE * tol:
            break
        active, reserve, goal = np.arange(p), np.inf, max(SHARE * violation, CLOSE * tol)
    loss = np.maximum(margin, 0.0)
    alpha = 2.0 * C * loss
    # The dual needs coefficients whose slopes are at most 1: alpha, scaled down.
    steepest = largest_slope(columns, y * alpha)
    alpha *= min(1.0, 1.0 / steepest) if steepest > 0.0 else 1.0
    used = C > 0.0
    dual = np.sum(alpha) - np.sum(alpha[used] ** 2 / (4.0 * C[used]))
    gap = np.sum(np.abs(w)) + C @ loss**2 - dual
    return w, violation, max(0.0, float(gap)), n_iter, violation < tol  # rounding can be below 0


def largest_slope(columns, coefficients):
    """Return the largest inner product, in size, of the columns with coefficients (n,)."""
    data, indices, indptr = columns
    if not len(indices):
        return float(np.max(np.abs(data.reshape(-1, len(coefficients)) @ coefficients)))
    values = np.add.reduceat(
        np.append(data * coefficients[indices], 0.0), np.minimum(indptr[:-1], len(data))
    )
    return float(np.max(np.abs(np.where(np.diff(indptr) > 0, values, 0.0)), initial=0.0))
