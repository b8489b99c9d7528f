r"""Linear machines with an l1 penalty: one coefficient at a time, and Newton's steps between.

    ||w||_1 + sum_i C_i max(0, 1 - y_i x_i.w)^2

The loss is smooth, and a parabola as long as no sample crosses its margin. A step minimises the
parabola of one coefficient plus the kink at zero, and is halved while the objective does not fall
enough (Yuan, Chang, Hsieh and Lin 2010). A coefficient that is zero with much reserve is left out
until the others are solved.

Alone, such steps creep where features resemble each other. So now and then those that are not zero
take a step of Newton's together, to the lowest point on the line that it shows: there, one of them
may be zero. That is the minimum as soon as signs and samples with a loss are those of the minimum.
"""

import numpy as np

from litlearn._core import factors, random
from litlearn._core.jit import njit
from litlearn._core.parallel import check_interrupt, cross_products
from litlearn.svm._dual_descent import pass_over

WORK = 10_000_000  # entries between two returns to Python
# The features left out come back, and all are looked at, when the others are solved: to a share
SHARE = 0.1  # of what was found at the last look, but not beyond
CLOSE = 0.02  # of the tolerance.
SUFFICIENT = 0.01
HALVINGS = 30
NEWTON_STEPS = 20  # in a row, at most: one that changes no sign and no sample's side is the last
# In the time of an entry that a pass visits, some 2.5 ns: one of a sparse array; what a pass and a
# step take whatever their size; and how many entries a product of matrices goes through.
SPARSE, PASS, STEP, FASTER = 4, 10_000, 100_000, 32
MOST_ENTRIES = 2**24  # of a step's matrix
# Prices grow, where there is a feature for every second sample, from one at which slopes are some
# ten times what a coefficient costs, by tens; each but the last is solved roughly.
WIDE, FIRST, FACTOR, ROUGH = 2, 10.0, 10.0, 0.3
RIDGE = 1e-10  # of the squared lengths of features: keeps steps finite where they depend


@njit
def newton_sweep(columns, y, C, margin, w, active, reserve):
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


# ---------------------------------------------------------------------------------------------
# Newton's steps


@np.errstate(divide="ignore", invalid="ignore", over="ignore")  # what is not finite is no step
def newton_steps(columns, y, C, margin, w):
    """Let the coefficients that are not zero take steps together; margin (n,) and w are changed.

    Returns how many.
    """
    n, n_steps = len(y), 0
    while n_steps < NEWTON_STEPS and newton_work(C, margin, w) < np.inf:
        n_steps += 1
        check_interrupt()
        used, lossy = np.flatnonzero(w), np.flatnonzero((margin > 0.0) & (C > 0.0))
        features, roots = features_of(columns, used, n), np.sqrt(2.0 * C[lossy])
        weighted = features[:, lossy] * (y[lossy] * roots)
        slopes = np.sign(w[used]) - weighted @ (roots * margin[lossy])
        direction = newton_direction(weighted, slopes)
        if direction is None:
            break
        turn = y * (direction @ features)
        length, found, bent = lowest_along(w[used], direction, margin, turn, C)
        after = margin - length * turn
        if not objective(found, after, C) < objective(w[used], margin, C):
            break
        w[used], margin[:] = found, after
        if not bent:
            break
    return n_steps


def newton_work(C, margin, w):
    """Return what a step costs, in entries of a pass; infinity where it cannot be taken."""
    n, n_used = len(margin), np.count_nonzero(w)
    n_lossy = np.count_nonzero((margin > 0.0) & (C > 0.0))
    if n_used * n > MOST_ENTRIES or not n_used or not n_lossy:
        return np.inf
    return n_used * n_lossy * min(n_used, n_lossy) / FASTER + n_used * n + STEP


def features_of(columns, which, n):
    """Return some columns of the samples as rows, (m, n)."""
    data, indices, indptr = columns
    if not indices.size:
        return data.reshape(-1, n)[which]
    from scipy.sparse import csr_array

    return csr_array((data, indices, indptr), shape=(len(indptr) - 1, n))[which].toarray()


def newton_direction(A, slopes):
    """Solve ``(A A' + ridge) d = -slopes``, A (m, k), by the smaller one of two matrices.

    Returns d (m,), or None where rounding leaves nothing to factor.
    """
    sizes = np.sqrt(np.einsum("jk,jk->j", A, A))
    sizes[sizes == 0.0] = 1.0
    A, slopes = A / sizes[:, None], slopes / sizes
    if len(A) <= A.shape[1]:
        factor, right = factors.cholesky(cross_products(A.T), RIDGE), slopes
    else:  # <push>: (A A' + r)^-1 = (1 - A (A' A + r)^-1 A') / r
        factor, right = factors.cholesky(cross_products(A), RIDGE), A.T @ slopes
    if factor is None:
        return None
    solution = factors.solve_factored(factor, right[:, None])[:, 0]
    if len(A) > A.shape[1]:
        solution = (slopes - A @ solution) / RIDGE
    return -solution / sizes


def lowest_along(w, direction, margin, turn, C):
    """Find where the objective is lowest on the way ``w + t direction``, margin - t turn.

    w, direction (m,); margin, turn, C (n,). Between the places where a coefficient changes its sign
    or a sample begins or ceases to miss its margin, the slope is a straight line. Returns t, the
    coefficients there, and whether the way has passed any such place.
    """
    inside = margin > 0.0
    zero_at, even_at = -w / direction, margin / turn
    crossing = np.flatnonzero((zero_at > 0.0) & (zero_at < np.inf))
    turning = np.flatnonzero((even_at > 0.0) & (even_at < np.inf) & (C > 0.0))
    pull, curve = -2.0 * C * margin * turn, 2.0 * C * turn * turn  # of each sample, while it misses
    sign = np.where(inside[turning], -1.0, 1.0)
    places = np.concatenate([zero_at[crossing], even_at[turning]])
    order = np.argsort(places, kind="stable")
    places = places[order]
    # The slope from each place to the next one is first + t second.
    jumps = np.concatenate([2.0 * np.abs(direction[crossing]), sign * pull[turning]])[order]
    bends = np.concatenate([np.zeros(len(crossing)), sign * curve[turning]])[order]
    first = np.cumsum(np.append(np.sign(w) @ direction + pull[inside].sum(), jumps))
    second = np.cumsum(np.append(curve[inside].sum(), bends))
    k = int(np.argmax(np.append(first[1:] + second[1:] * places >= 0.0, True)))
    at_zero = k < len(places) and first[k] + second[k] * places[k] < 0.0
    t = places[k] if at_zero else -first[k] / second[k]
    found = w + t * direction
    if at_zero and order[k] < len(crossing):
        found[crossing[order[k]]] = 0.0
    return t, found, k > 0 or at_zero


def objective(w, margin, C):
    """Return the sizes of the coefficients plus the losses."""
    return np.abs(w).sum() + C @ np.maximum(margin, 0.0) ** 2


# ---------------------------------------------------------------------------------------------
# All together


class Descent:
    """Coefficients `w` (p,) and margins (n,) on their way to the minimum, and passes so far."""

    def __init__(self, columns, product, y, seed, report):
        self.columns, self.product, self.y, self.report = columns, product, y, report
        self.p = len(columns[2]) - 1
        self.w, self.margin = np.zeros(self.p), np.ones(len(y))
        self.n_iter, self.spent, self.state = 0, 0.0, random.make_state(seed)

    def violation(self, C):
        """Return the largest violation, with margins computed anew."""
        self.margin = 1.0 - self.y * self.product(self.w)
        return largest_violation(self.columns, self.y, C, self.margin, self.w)

    def descend(self, C, tol, close, most):
        """Pass until a pass finds no violation above `close`, and then no feature one of `tol`.

        C: prices (n,); most: passes so far at which to stop. Returns the largest violation.
        """
        entries, w, y = len(self.columns[0]), self.w, self.y
        part, cost = max(1, int(WORK * self.p / max(1, entries))), entries / self.p
        cost *= SPARSE if self.columns[1].size else 1
        violation = self.violation(C)
        active, reserve, goal = np.arange(self.p), np.inf, max(SHARE * (violation + 1.0), close)
        while self.n_iter < most:
            self.spent += PASS + len(active) * cost
            active, worst = pass_over(
                lambda block: newton_sweep(self.columns, y, C, self.margin, w, block, reserve),  # noqa: B023
                active,
                part,
                self.state,
            )
            reserve = worst / len(y)
            self.n_iter += 1
            # <together>: steps get as much time as passes.
            work = newton_work(C, self.margin, w)
            if self.spent > work:
                self.spent -= work * newton_steps(self.columns, y, C, self.margin, w)
            if self.report is not None:
                self.report(self.n_iter, worst)
            if worst > goal and len(active) and self.n_iter < most:
                continue
            # <certificate>: margins computed anew, and all features looked at.
            violation = self.violation(C)
            if violation < tol and worst <= close:
                # <end>: where the signs are right, one more step is exact.
                newton_steps(self.columns, y, C, self.margin, w)
                violation = self.violation(C)
                if violation < tol:
                    break
            active, reserve, goal = np.arange(self.p), np.inf, max(SHARE * violation, close)
        return violation


def prices(n, p, steepest):
    """Return shares of C, growing to 1, at which to solve one after the other.

    Where samples can be separated, high prices leave a long way along nearly equal objectives. The
    minimum of a price ten times lower is near.
    """
    n_stages = int(np.log10(max(1.0, steepest / FIRST))) if WIDE * p >= n else 0
    return FACTOR ** np.arange(-n_stages, 1.0)


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
    tol, max_iter = limits
    descent = Descent(columns, product, y, seed, report)
    steepest = descent.violation(C) + 1.0
    tol *= max(1.0, steepest)
    shares, rough = prices(len(y), descent.p, steepest), max(ROUGH, CLOSE * tol)
    for number, share in enumerate(shares[:-1]):
        left = max_iter - descent.n_iter
        most = descent.n_iter + left // (len(shares) - number)
        descent.descend(share * C, rough, rough, most)
    violation = descent.descend(C, tol, CLOSE * tol, max_iter)
    w, margin, n_iter = descent.w, descent.margin, descent.n_iter
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
