r"""Linear machines by coordinate descent in the dual: one sample at a time, the others held.

With one coefficient beta for each sample and w = sum_i beta_i x_i, all four losses lead to

    minimise  ||w||^2 / 2 + sum_i (d_i beta_i^2 / 2 - y_i beta_i + epsilon |beta_i|)

with lower <= beta <= upper. The intercept is the coefficient of one more feature, a constant, and
penalised as the others, so that no constraint ties samples together: each can be minimised over by
itself, in closed form, from the product x_i.w alone (Hsieh, Chang, Lin, Keerthi and Sundararajan
2008; Ho and Lin 2012). A sample that sits at a bound with more reserve than the worst violation of
the pass before is left out until the others are solved.

Crammer's and Singer's machine has a vector of coefficients for each sample, and the same plan
(Keerthi, Sundararajan, Chang, Hsieh and Lin 2008).
"""

from typing import NamedTuple

import numpy as np

from litlearn._core import random, validation
from litlearn._core.jit import njit, prefetch
from litlearn._core.parallel import check_interrupt
from litlearn.svm._rounds import passes_worth, solve_rounds

WORK = 20_000_000  # products between two returns to Python: about 20 ms
AHEAD = 4  # samples that are brought near before their turn
LINE = 64  # bytes that come near together
# The samples left out come back, and all are looked at, when the others are solved: to a share
SHARE = 0.01  # of what was found at the last look, but not beyond
CLOSE = 0.2  # of tol.
CLOSER = 0.1  # The same where more digits cost little, and for all classes at once.
ROUND = 100  # passes of the joint machine, over samples that are not left out, that count as one
REPEATS = 10  # most of them in the same order
SLOW = 16  # passes after which Newton's method may take over


class Rows(NamedTuple):
    """Samples, dense or sparse, in the three arrays of CSR; read-only."""

    data: np.ndarray  # float64
    indices: np.ndarray  # features of the entries; empty where all are stored, in order
    indptr: np.ndarray  # (n + 1,)
    constant: float  # the value of the additional feature, whose coefficient comes last


class DualProblem(NamedTuple):
    """What is minimised; arrays (n,), float64."""

    y: np.ndarray
    diagonal: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    epsilon: float


def make_rows(X, constant):
    """Rows of an array (n, p) or a CSR array, float64."""
    if isinstance(X, np.ndarray):
        n, p = X.shape
        indptr = np.arange(0, (n + 1) * p, p)[: n + 1]
        parts = X.reshape(-1), np.empty(0, dtype=np.int32), indptr
    else:
        parts = X.data, X.indices, X.indptr
    return Rows(*(validation.read_only(part) for part in parts), float(constant))


@njit(helper=True)
def row_product(rows, i, w):
    """Return the inner product of sample i and w (p + 1,)."""
    start, count = rows.indptr[i], rows.indptr[i + 1] - rows.indptr[i]
    data, constant = rows.data[start : start + count], rows.constant * w[w.size - 1]
    if rows.indices.size == 0:
        return constant + dense_product(data, w)
    # <gather>: four sums side by side, so that no addition waits for the one before.
    indices, whole = rows.indices[start : start + count], np.uintp(count - count % 4)
    a = b = c = d = 0.0
    for t in range(np.uintp(0), whole, np.uintp(4)):
        a += data[t] * w[np.uintp(indices[t])]
        b += data[t + np.uintp(1)] * w[np.uintp(indices[t + np.uintp(1)])]
        c += data[t + np.uintp(2)] * w[np.uintp(indices[t + np.uintp(2)])]
        d += data[t + np.uintp(3)] * w[np.uintp(indices[t + np.uintp(3)])]
    for t in range(whole, np.uintp(count)):
        a += data[t] * w[np.uintp(indices[t])]
    return constant + ((a + b) + (c + d))


@njit(helper=True, reassociate=True)
def dense_product(data, w):
    """Return the inner product of all stored entries of a sample and the first ones of w."""
    total = 0.0
    for t in range(data.size):
        total += data[t] * w[t]
    return total


@njit(helper=True)
def add_row(rows, i, amount, w):
    """Add a multiple of sample i to w (p + 1,)."""
    start, count = rows.indptr[i], rows.indptr[i + 1] - rows.indptr[i]
    data = rows.data[start : start + count]
    if rows.indices.size == 0:
        for t in range(count):
            w[t] += amount * data[t]
    else:
        indices = rows.indices[start : start + count]
        for t in range(np.uintp(count)):
            w[np.uintp(indices[t])] += amount * data[t]
    w[w.size - 1] += amount * rows.constant


@njit
def squared_lengths(rows, out):
    """Squared length of each sample, the additional feature included; out (n,)."""
    for i in range(out.size):
        total = rows.constant * rows.constant
        for t in range(rows.indptr[i], rows.indptr[i + 1]):
            total += rows.data[t] * rows.data[t]
        out[i] = total


@njit
def combine(rows, beta, w):
    """Compute w = sum of beta_i x_i; w (p + 1,): output."""
    w[:] = 0.0
    for i in range(beta.size):
        if beta[i] != 0.0:
            add_row(rows, i, beta[i], w)


@njit(inline=True)
def slopes(problem, i, b, product):
    """Return the slopes of the objective to the right and to the left of beta_i = b."""
    y, diagonal, lower, upper, epsilon = problem
    slope = product + diagonal[i] * b - y[i]
    rise = slope + epsilon if b >= 0.0 else slope - epsilon
    fall = slope + epsilon if b > 0.0 else slope - epsilon
    return (rise if b < upper[i] else np.inf), (fall if b > lower[i] else -np.inf)


@njit(helper=True)
def bring_row(rows, i):
    """Bring the entries of sample i near: in a random order the processor waits for each row."""
    for t in range(rows.indptr[i], rows.indptr[i + 1], LINE // rows.data.itemsize):
        prefetch(rows.data, t)
    if rows.indices.size:
        for t in range(rows.indptr[i], rows.indptr[i + 1], LINE // rows.indices.itemsize):
            prefetch(rows.indices, t)


@njit(helper=True)
def bring_sample(rows, problem, lengths, beta, i):
    """Bring near where the row of sample i is, and what else is known of it."""
    prefetch(rows.indptr, i)
    prefetch(lengths, i)
    prefetch(beta, i)
    prefetch(problem.y, i)
    prefetch(problem.diagonal, i)
    prefetch(problem.lower, i)
    prefetch(problem.upper, i)


@njit
def descend_once(rows, problem, lengths, beta, w, active, reserve):
    """Pass once over some samples, each minimised over by itself.

    beta (n,), w (p + 1,): changed; active: samples, those that stay are moved to the front;
    reserve: that above which a sample is left out. Returns the number of samples that stay, and the
    largest violation that was met.
    """
    y, diagonal, lower, upper, epsilon = problem
    worst, kept = 0.0, 0
    for k in range(active.size):
        i = active[k]
        if k + 2 * AHEAD < active.size:
            bring_sample(rows, problem, lengths, beta, active[k + 2 * AHEAD])
            bring_row(rows, active[k + AHEAD])
        product = row_product(rows, i, w)
        rise, fall = slopes(problem, i, beta[i], product)
        # <leave out>: at a bound, or at the kink of |beta|, with much reserve on both sides.
        if min(rise, -fall) > reserve:
            continue
        active[kept] = i
        kept += 1
        violation = max(-rise, fall)
        if violation <= 0.0:
            continue
        worst = max(worst, violation)
        # <coordinate>: the minimum of a parabola and a kink, cut off at the bounds.
        curvature = lengths[i] + diagonal[i]
        slope = product + diagonal[i] * beta[i] - y[i]
        if curvature > 0.0:
            target = beta[i] - slope / curvature
            reach = epsilon / curvature
            target -= min(max(target, -reach), reach)
        else:
            target = -np.inf if slope > 0.0 else np.inf
        change = min(max(target, lower[i]), upper[i]) - beta[i]
        beta[i] += change
        add_row(rows, i, change, w)
    return kept, worst


@njit
def largest_violation(rows, problem, beta, w, members):
    """Return the largest violation among some samples."""
    worst = 0.0
    for i in members:
        rise, fall = slopes(problem, i, beta[i], row_product(rows, i, w))
        worst = max(worst, -rise, fall)
    return worst


class DualSolution(NamedTuple):
    """Where the solver ended."""

    w: np.ndarray  # (p + 1,)
    beta: np.ndarray  # (n,)
    violation: float
    n_iter: int
    converged: bool


def pass_over(visit, active, part, state):
    """Visit samples or features once, in a new random order and a part at a time.

    Parameters
    ----------
    visit : callable
        ``visit(block)`` changes the order within the block, so that those to be visited again come
        first. Returns their number and the largest violation that was met.
    active : ndarray of int
        Shuffled in place.
    part : int
        Most of them in one block.
    state : ndarray
        Of the random numbers.

    Returns
    -------
    active : ndarray of int
        Those to be visited again.
    worst : float
        The largest violation that was met.
    """
    random.shuffle(state, active)
    worst, kept = 0.0, [active[:0]]
    for start in range(0, len(active), part):
        block = active[start : start + part]
        n_kept, found = visit(block)
        kept.append(block[:n_kept])
        worst = max(worst, found)
        check_interrupt()
    return np.concatenate(kept), worst


def passes_left(count, before, now, goal):
    """Return how many more passes a violation takes to a goal, if it falls as in the last ones."""
    if now <= goal:
        return 0.0
    return count * np.log(now / goal) / np.log(before / now) if now < before else np.inf


def solve_dual(rows, problem, n_features, tol, max_iter, seed, report=None):
    """Minimise a DualProblem.

    Parameters
    ----------
    rows : Rows
    problem : DualProblem
    n_features : int
    tol : float
        The largest violation of a sample that is left.
    max_iter : int
        Most passes over the samples.
    seed : int
        Of the order in which samples come.
    report : callable or None
        ``report(n_iter, violation)`` is called after each pass.

    Returns
    -------
    DualSolution
    """
    n = len(problem.y)
    beta, w, lengths = np.zeros(n), np.zeros(n_features + 1), np.empty(n)
    squared_lengths(rows, lengths)
    members = np.flatnonzero(problem.upper > problem.lower)
    active, reserve, half, n_iter = members.copy(), np.inf, np.inf, 0
    again, enough = SLOW, passes_worth(rows, n_features)
    state, goal = random.make_state(seed), np.inf
    part = max(1, int(WORK * n / max(1, len(rows.data))))

    def violation_of(beta):
        """Return the largest violation, with w computed anew."""
        combine(rows, beta, w)
        return largest_violation(rows, problem, beta, w, members)

    while n_iter < max_iter:
        looked = len(active) == len(members)
        active, worst = pass_over(
            lambda block: descend_once(rows, problem, lengths, beta, w, block, reserve),  # noqa: B023
            active,
            part,
            state,
        )
        reserve = worst if worst > 0.0 else np.inf
        goal = max(SHARE * worst, CLOSE * tol) if looked else goal
        n_iter += 1
        if report is not None:
            report(n_iter, worst)
        # <slow>: passes that will take longer than Newton's method give way to it.
        if n_iter == SLOW // 2:
            half = worst
        elif n_iter == again:
            left = passes_left(n_iter // 2, half, worst, CLOSE * tol)
            half, again = worst, 2 * again
            if left > enough:
                better = solve_rounds(rows, problem, n_features, beta, CLOSER * tol, violation_of)
                combine(rows, beta if better is None else better, w)
                if better is not None:
                    beta, active, reserve = better, members.copy(), np.inf
                    continue
        if worst > goal and len(active):
            continue
        active = members.copy()
        # <certificate>: w computed anew, and all samples looked at.
        if worst <= CLOSE * tol:
            violation = violation_of(beta)
            if violation < tol:
                return DualSolution(w, beta, violation, n_iter, True)
    violation = violation_of(beta)
    return DualSolution(w, beta, violation, n_iter, violation < tol)


# ------------------------------------------------------------------ Crammer and Singer


@njit
def descend_together(rows, codes, C, lengths, alpha, W, active, limits):
    """Pass over some samples, each with its coefficients for all classes.

    codes (n,): classes; C (n,); alpha (n, k), W (k, p + 1): changed; active: samples, those that
    stay are moved to the front; limits: the reserve above which a sample is left out, the violation
    that is small enough, and the most passes. Minimises sum ||w_m||^2 / 2
    + sum_i sum_m alpha_im [m is not the class of i], where the alpha of a sample sum to 0, and are
    at most C_i for its class and at most 0 for the others. Returns the number of samples that stay,
    and the largest violation that was met in the last pass.
    """
    k, (reserve, goal, most) = W.shape[0], limits
    slope, bound, tops = np.empty(k), np.empty(k), np.empty(k)
    worst, stop = np.inf, active.size
    while most > 0 and worst > goal:
        worst, kept, most = 0.0, 0, most - 1
        for i in active[:stop]:
            violation = joint_slopes(rows, codes[i], C[i], alpha[i], W, slope, bound, i)
            if -violation > reserve:
                continue
            active[kept] = i
            kept += 1
            worst = max(worst, violation)
            if violation > 0.0 and lengths[i] > 0.0:
                level_sample(rows, lengths[i], C[i], alpha[i], W, (slope, bound, tops), i)
        stop = kept
    return stop, worst


@njit(helper=True)
def level_sample(rows, length, C, alpha, W, scratch, i):
    """Minimise over the coefficients alpha (k,) of sample i."""
    slope, bound, tops = scratch
    for m in range(alpha.size):
        slope[m] -= length * alpha[m]
        tops[m] = slope[m] + length * bound[m]
    # <level>: alpha_m = min(bound_m, (level - slope_m) / length), and they sum to 0.
    level = water_level(tops, length * C)
    for m in range(alpha.size):
        new = min(bound[m], (level - slope[m]) / length)
        change = new - alpha[m]
        if change != 0.0:
            alpha[m] = new
            add_row(rows, i, change, W[m])


@njit(helper=True)
def joint_slopes(rows, code, C, alpha, W, slope, bound, i):
    """Fill slope and bound (k,) of a sample, and return its violation.

    Below zero it is a reserve: all coefficients but one are at their bounds, with that much to go
    before another one leaves its own.
    """
    high, low, inside = -np.inf, np.inf, -1
    for m in range(W.shape[0]):
        bound[m] = C if m == code else 0.0
        slope[m] = row_product(rows, i, W[m]) + (0.0 if m == code else 1.0)
        if alpha[m] < bound[m] and slope[m] < low:
            low, inside = slope[m], m
    for m in range(W.shape[0]):
        if m != inside:
            high = max(high, slope[m])
    return high - low if low < np.inf else 0.0


@njit(helper=True)
def water_level(tops, amount):
    """Return the level at which the sum of max(0, top - level) is `amount`, which is not negative.

    A top below the level of some of them is below the final one too, which is higher (Michelot
    1986).
    """
    level, before = -np.inf, tops.size + 1
    while True:
        count, total = 0, 0.0
        for top in tops:
            if top >= level:
                count += 1
                total += top
        if count == 0 or count >= before:  # fewer each time, but for rounding
            return level
        level, before = (total - amount) / count, count


@njit
def largest_joint_violation(rows, codes, C, alpha, W, members):
    """Return the largest violation among some samples."""
    k, worst = W.shape[0], 0.0
    slope, bound = np.empty(k), np.empty(k)
    for i in members:
        worst = max(worst, joint_slopes(rows, codes[i], C[i], alpha[i], W, slope, bound, i))
    return worst


def solve_together(rows, codes, C, n_classes, n_features, limits, seed, report=None):
    """Minimise Crammer's and Singer's problem; `limits` is tol and max_iter.

    Returns W (k, p + 1), the violation, the duality gap, the passes, and whether the violation is
    below tol.
    """
    tol, max_iter = limits
    n = len(codes)
    alpha, W, lengths = np.zeros((n, n_classes)), np.zeros((n_classes, n_features + 1)), np.empty(n)
    squared_lengths(rows, lengths)
    members, state = np.flatnonzero(C > 0.0), random.make_state(seed)
    part = max(1, int(WORK * n / max(1, len(rows.data) * n_classes)))
    violation, n_iter, goal = np.inf, 0, CLOSER
    repeats = int(min(REPEATS, max(1, part // n)))  # of a pass, before there is a new order
    while n_iter < max_iter:
        # <round>: passes over those that move, until they are solved or it is the others' turn.
        active, reserve = members.copy(), np.inf
        for _ in range(ROUND // repeats):
            stop = reserve, goal, repeats
            active, worst = pass_over(
                lambda block: descend_together(rows, codes, C, lengths, alpha, W, block, stop),  # noqa: B023
                active,
                part,
                state,
            )
            reserve = worst if worst > 0.0 else np.inf
            if worst <= goal or not len(active):
                break
        n_iter += 1
        if report is not None:
            report(n_iter, worst)
        for m in range(n_classes):
            combine(rows, np.ascontiguousarray(alpha[:, m]), W[m])
        violation = largest_joint_violation(rows, codes, C, alpha, W, members)
        if violation < tol and worst <= CLOSER * tol:
            break
        goal = CLOSER * max(violation, tol)
    return W, alpha, violation, n_iter, violation < tol
