r"""Logistic regression with an l1 or elastic-net penalty: proximal Newton with coordinate descent.

The problem is, for samples with weights s_i that sum to one,

    minimise over w and b   sum_i s_i loss(y_i (x_i.w + b)) + alpha_l1 ||w||_1
                            + alpha_l2 / 2 ||w||_2^2.

Each step replaces the smooth loss by its second-order expansion, minimises that model with the
penalty, and searches along the line to the minimiser (:eq:`eq-proximal-newton`). Only few
coefficients matter in a step: those that are not zero, and those whose optimality condition is
violated most. The Hessian is formed for these alone, so that X is read once a step for the
gradient and, beyond that, only in the chosen columns.

The solver ends on two certificates: the largest violation of the optimality conditions
(:eq:`eq-logistic-optimality`) and the duality gap, which bounds how far the objective is from the
smallest possible one.
"""

import math
from typing import NamedTuple

import numpy as np

from litlearn._jit import njit
from litlearn._parallel import map_blocks, single_threaded_blas
from litlearn.linear_model._logistic_loss import logistic_terms, logistic_total

BLOCK_ENTRIES = 1 << 20  # entries of X that one task of a thread reads
TILE_ENTRIES = 1 << 16  # entries of a tile of weighted rows: half a megabyte ...
TILE_ROWS = 512  # ... but at least so many rows, or adding up the products costs more than they do
GRAM_BLOCKS = 8  # Hessians of blocks of rows that are held at a time
SWEEPS = 10  # of coordinate descent, at least, before a Newton step on the support
HALVINGS = 40  # trials of a line search
SUFFICIENT = 1e-4  # share of the predicted decrease that a step must reach
GAP_SHARE = 1e-2  # the relative gap asked for is this times `tol`


# ------------------------------------------------------------------ the dual of the loss


@njit
def logistic_entropy(residual, s, scale, start, stop):
    """Dual objective of samples at scale * residual: the weighted entropies of the residuals.

    residual, s (n,): residuals as in `logistic_terms`; 0 <= scale <= 1.
    """
    total = 0.0
    for i in range(start, stop):
        if s[i] > 0.0:
            u = scale * abs(residual[i]) / s[i]
            if u > 0.0:
                total -= s[i] * u * math.log(u)
            if u < 1.0:
                total -= s[i] * (1.0 - u) * math.log1p(-u)
    return total


# ------------------------------------------------------------------ columns of X


@njit
def weigh_rows(X, columns, centre, start, stop, root, tile):
    """Centred entries of some columns of X (n, p), times root (n,), into tile (rows, m + 1).

    Then tile' tile is the Hessian of these rows; the last column is the intercept's.
    """
    m = columns.size
    for i in range(start, stop):
        r = root[i]
        for c in range(m):
            tile[i - start, c] = (X[i, columns[c]] - centre[c]) * r
        tile[i - start, m] = r


@njit
def weigh_columns(Xt, columns, centre, start, stop, root, tile):
    """As `weigh_rows`, for X stored by columns: Xt (p, n), tile (m + 1, rows)."""
    m = columns.size
    for c in range(m):
        j, shift = columns[c], centre[c]
        for i in range(start, stop):
            tile[c, i - start] = (Xt[j, i] - shift) * root[i]
    for i in range(start, stop):
        tile[m, i - start] = root[i]


# ------------------------------------------------------------------ the quadratic model


@njit(inline=True)
def soft_threshold(z, alpha):
    """Shrink z towards zero by alpha, :eq:`eq-soft-threshold`."""
    if z > alpha:
        return z - alpha
    if z < -alpha:
        return z + alpha
    return 0.0


@njit(reassociate=True)
def model_sweeps(H, slope, v, alpha_l1, alpha_l2, tol, n_sweeps):
    """Coordinate descent on the quadratic model, :eq:`eq-coordinate-update`.

    H (m, m): Hessian of the loss; slope (m,): its gradient in v, kept up to date; v (m,): the
    coefficients, changed in place. Ends after n_sweeps, or when no coordinate's violation exceeded
    tol. Returns the largest violation met in the last sweep.
    """
    m = v.size
    worst = 0.0
    for _ in range(n_sweeps):
        worst = 0.0
        for j in range(m):
            # <update>: the minimiser along one coordinate, in closed form.
            bend = H[j, j] + alpha_l2
            old = v[j]
            if bend <= 0.0:
                continue
            new = soft_threshold(H[j, j] * old - slope[j], alpha_l1) / bend
            # <slope>: a change moves every slope by a multiple of one row of the Hessian.
            change = new - old
            if change != 0.0:
                v[j] = new
                worst = max(worst, abs(change) * bend)
                for k in range(m):
                    slope[k] += change * H[j, k]
        if worst <= tol:
            break
    return worst


def newton_on_support(H, slope, v, alpha_l1, alpha_l2):
    """One Newton step on the coefficients of v that are not zero, as far as their signs allow.

    Within one orthant the model is a plain quadratic, and a Cholesky factorisation minimises it,
    however nearly collinear the columns are. If a coefficient would change its sign, the step ends
    there, with that coefficient at zero. Changes slope (m,) and v (m,); the model never rises.
    """
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    support = np.flatnonzero(v)
    if support.size == 0:
        return
    A = H[np.ix_(support, support)]
    diagonal = np.arange(support.size)
    A[diagonal, diagonal] = A[diagonal, diagonal] * (1 + 1e-12) + alpha_l2
    x = v[support]
    gradient = slope[support] + alpha_l2 * x + alpha_l1 * np.sign(x)
    try:
        step = -cho_solve(cho_factor(A, lower=True, check_finite=False), gradient)
    except LinAlgError:
        return
    if not np.all(np.isfinite(step)):
        return
    crossing = x * step < 0
    reach = np.full(support.size, np.inf)
    reach[crossing] = -x[crossing] / step[crossing]
    t = min(1.0, reach.min())
    moved = np.where(reach <= t, 0.0, x + t * step)
    slope += H[:, support] @ (moved - x)
    v[support] = moved


def minimise_model(H, gradient, w, alpha_l1, alpha_l2, tol, max_rounds=50):
    """Minimise gradient.d + d'H d / 2 + penalty(w + d) over d; returns w + d.

    Parameters
    ----------
    H : ndarray of shape (m, m)
        Hessian of the loss.
    gradient : ndarray of shape (m,)
        Gradient of the loss at w.
    w : ndarray of shape (m,)
    alpha_l1, alpha_l2 : float
        Penalties.
    tol : float
        Largest violation of the model's optimality conditions to stop at.
    max_rounds : int
        Rounds of some sweeps and one Newton step on the support.

    Returns
    -------
    ndarray of shape (m,)
    """
    v, slope = w.copy(), gradient.copy()
    for _ in range(max_rounds):
        # A factorisation costs about as much as m / 50 sweeps: those come first.
        n_sweeps = SWEEPS + v.size // 50
        if model_sweeps(H, slope, v, alpha_l1, alpha_l2, tol, n_sweeps) <= tol:
            break
        with single_threaded_blas():
            newton_on_support(H, slope, v, alpha_l1, alpha_l2)
    return v


# ------------------------------------------------------------------ dense data


class Dense:
    """A dense matrix of samples, by blocks of rows or of columns, as it is stored.

    X (n, p) in C or F order; centre (p,) is taken off where columns are multiplied with each other,
    so that a feature far from zero costs no digits. It only shifts the intercept.
    """

    def __init__(self, X, s, fit_intercept, n_jobs):
        self.X, self.n_jobs = X, n_jobs
        self.n, self.p = X.shape
        self.by_rows = X.flags.c_contiguous
        self.centre = np.zeros(self.p)
        self.single = X.dtype == np.float32
        if fit_intercept:
            self.centre = self.transpose_times(s)

    def cuts(self, length, entries):
        """Bounds of blocks that cut `length` rows or columns of so many entries each."""
        n_blocks = int(max(1, min(length, length * entries // BLOCK_ENTRIES)))
        return np.arange(n_blocks + 1) * length // n_blocks

    def transpose_times(self, r):
        """X' r: blocks of rows are added up in their order, blocks of columns put side by side."""
        r = r.astype(self.X.dtype, copy=False)
        if self.by_rows:
            cuts = self.cuts(self.n, self.p)

            def block(b):
                rows = slice(cuts[b], cuts[b + 1])
                return np.dot(r[rows], self.X[rows]).astype(np.float64, copy=False)

            return sum(map_blocks(block, cuts.size - 1, self.n_jobs))
        cuts = self.cuts(self.p, self.n)

        def block(b):
            return np.dot(r, self.X[:, cuts[b] : cuts[b + 1]]).astype(np.float64, copy=False)

        return np.concatenate(map_blocks(block, cuts.size - 1, self.n_jobs))

    def tiles(self, columns, root, start, stop):
        """Weighted rows of some columns, tile by tile, as arrays of shape (rows, m + 1)."""
        m, centre = columns.size, self.centre[columns]
        step = min(max(TILE_ROWS, TILE_ENTRIES // (m + 1)), stop - start)
        by_rows = np.empty((step, m + 1) if self.by_rows else (m + 1, step))
        for first in range(start, stop, step):
            last = min(first + step, stop)
            if self.by_rows:
                tile = by_rows[: last - first]
                weigh_rows(self.X, columns, centre, first, last, root, tile)
            else:
                tile = by_rows.ravel()[: (m + 1) * (last - first)].reshape(m + 1, last - first)
                weigh_columns(self.X.T, columns, centre, first, last, root, tile)
                tile = tile.T
            yield first, last, tile

    def map_rows(self, function, width):
        """Apply ``function(start, stop)`` to blocks of rows with `width` entries each."""
        cuts = self.cuts(self.n, width)
        return map_blocks(lambda b: function(cuts[b], cuts[b + 1]), cuts.size - 1, self.n_jobs)

    def weighted_gram(self, columns, curvature):
        """[X 1]' D [X 1] of some centred columns, D the curvature (n,): (m + 1, m + 1)."""
        root = np.sqrt(curvature)
        work = self.n * (columns.size + 1) ** 2 // BLOCK_ENTRIES
        n_blocks = max(1, min(GRAM_BLOCKS, self.n // TILE_ROWS, work // 16))
        cuts = np.arange(n_blocks + 1) * self.n // n_blocks

        def block(b):
            H = None
            for _, _, tile in self.tiles(columns, root, cuts[b], cuts[b + 1]):
                product = np.dot(tile.T, tile)
                H = product if H is None else np.add(H, product, out=H)
            return H

        return sum(map_blocks(block, n_blocks, self.n_jobs))

    def transpose_times_columns(self, columns, r):
        """X' r for some columns in float64, whatever the type of X; X is not centred here."""
        root = np.ones(self.n)

        def block(start, stop):
            total = np.zeros(columns.size + 1)
            for first, last, tile in self.tiles(columns, root, start, stop):
                total += np.dot(r[first:last], tile)
            return total

        product = sum(self.map_rows(block, columns.size + 1))
        return product[:-1] + self.centre[columns] * product[-1]

    def times_columns(self, columns, d):
        """Centred columns times d, (n,)."""
        out, root, d = np.empty(self.n), np.ones(self.n), np.append(d, 0.0)

        def block(start, stop):
            for first, last, tile in self.tiles(columns, root, start, stop):
                np.dot(tile, d, out=out[first:last])

        self.map_rows(block, columns.size + 1)
        return out


# ------------------------------------------------------------------ two classes


class Point(NamedTuple):
    """The loss at some coefficients: scores, residuals and curvature of the samples, (n,)."""

    scores: np.ndarray
    loss: float
    residual: np.ndarray
    curvature: np.ndarray


def evaluate(design, scores, y, s):
    """The loss at given scores (n,), with its first two derivatives in the scores."""
    residual, curvature = np.empty(design.n), np.empty(design.n)
    parts = design.map_rows(
        lambda start, stop: logistic_terms(scores, y, s, start, stop, residual, curvature), 64
    )
    return Point(scores, sum(parts), residual, curvature)


def settle_intercept(design, point, b, y, s):
    """Move the intercept alone until the residuals sum to zero: Newton in one dimension."""
    for _ in range(50):
        slope, bend = point.residual.sum(), point.curvature.sum()
        if abs(slope) <= 1e-15 or bend <= 0.0:
            break
        step = -slope / bend
        # Far out the curvature is tiny and the step too long: at most 4, which always helps.
        step = max(-4.0, min(4.0, step))
        trial = evaluate(design, point.scores + step, y, s)
        if not trial.loss < point.loss:
            break
        point, b = trial, b + step
    return point, b


def duality_gap(design, point, s, gradient, w, alpha_l1, alpha_l2):
    """Primal minus dual objective at w, :eq:`eq-duality-gap`; never below zero but for rounding.

    The residuals, scaled down until no correlation exceeds alpha_l1, are a point of the dual
    problem. With an l2 penalty no scaling is needed, and the better of the two points counts.
    """

    def entropy(scale):
        return sum(
            design.map_rows(
                lambda start, stop: logistic_entropy(point.residual, s, scale, start, stop), 64
            )
        )

    primal = point.loss + alpha_l1 * np.abs(w).sum() + 0.5 * alpha_l2 * (w @ w)
    largest = np.abs(gradient).max(initial=0.0)
    scale = 1.0 if largest <= alpha_l1 else alpha_l1 / largest
    dual = entropy(scale)
    if alpha_l2 > 0.0 and scale < 1.0:
        excess = np.maximum(np.abs(gradient) - alpha_l1, 0.0)
        dual = max(dual, entropy(1.0) - 0.5 * (excess @ excess) / alpha_l2)
    return primal - dual, primal


def violations(gradient, w, alpha_l1, alpha_l2):
    """Distance of zero from the subgradient in each coordinate, :eq:`eq-logistic-optimality`."""
    smooth = gradient + alpha_l2 * w
    at_zero = np.maximum(np.abs(smooth) - alpha_l1, 0.0)
    return np.where(w == 0.0, at_zero, np.abs(smooth + alpha_l1 * np.sign(w)))


def choose(violation, w, first_size):
    """The coefficients of the next model: the support and the largest violations, sorted."""
    support = np.flatnonzero(w)
    outside = np.flatnonzero((violation > 0.0) & (w == 0.0))
    room = max(first_size, 2 * support.size) - support.size
    if outside.size > room:
        outside = outside[np.argpartition(-violation[outside], room)[:room]]
    return np.sort(np.concatenate([support, outside]))


def fit_binary(
    X,
    y,
    s,
    alpha_l1,
    alpha_l2,
    fit_intercept,
    tol,
    max_iter,
    coef=None,
    intercept=0.0,
    n_jobs=None,
):
    """Logistic regression of two classes with an l1 or elastic-net penalty.

    Implements :eq:`eq-logistic-penalized` by :eq:`eq-proximal-newton`.

    Parameters
    ----------
    X : ndarray of shape (n, p), float32 or float64, C or F order
        Samples.
    y : ndarray of shape (n,), float64
        Classes, +1 or -1.
    s : ndarray of shape (n,), float64
        Weights of the samples, not negative, not all zero; only their ratios matter.
    alpha_l1, alpha_l2 : float
        Penalties, for the mean loss; alpha_l1 is positive.
    fit_intercept : bool
    tol : float
        Largest violation of the optimality conditions, relative to the largest slope; the duality
        gap is at most tol / 100 of the objective.
    max_iter : int
        Largest number of Newton steps.
    coef : ndarray of shape (p,), optional
        Where to start.
    intercept : float, default=0
    n_jobs : int or None

    Returns
    -------
    coef : ndarray of shape (p,)
    intercept : float
    n_iter : int
    gap : float
        Duality gap of the mean loss with its penalty.
    converged : bool
    """
    s = s / s.sum()
    design = Dense(X, s, fit_intercept, n_jobs)
    w = np.zeros(design.p) if coef is None else coef.astype(np.float64)
    shifted = (float(intercept) + w @ design.centre) if fit_intercept else 0.0
    support = np.flatnonzero(w)
    scores = design.times_columns(support, w[support]) + shifted
    point = evaluate(design, scores, y, s)
    first_size = max(10, 5 * math.isqrt(design.p))
    gap, converged, n_iter = np.inf, False, 0
    while True:
        # <certificates>: optimality conditions and duality gap, from one pass over X.
        if fit_intercept:
            point, shifted = settle_intercept(design, point, shifted, y, s)
        gradient = design.transpose_times(point.residual)
        if design.single:
            near = np.flatnonzero((w != 0.0) | (np.abs(gradient) > 0.99 * alpha_l1))
            gradient[near] = design.transpose_times_columns(near, point.residual)
        violation = violations(gradient, w, alpha_l1, alpha_l2)
        gap, objective = duality_gap(design, point, s, gradient, w, alpha_l1, alpha_l2)
        worst = violation.max(initial=0.0)
        slope = max(np.abs(gradient).max(initial=0.0), alpha_l1)
        converged = worst <= tol * slope and gap <= GAP_SHARE * tol * objective
        if converged or n_iter == max_iter:
            break
        n_iter += 1
        # <model>: the Hessian of the chosen coefficients; the intercept is eliminated from it.
        chosen = choose(violation, w, first_size)
        H = design.weighted_gram(chosen, point.curvature)
        g = gradient[chosen] - design.centre[chosen] * point.residual.sum()
        pull, bend = H[:-1, -1].copy(), H[-1, -1]
        H = H[:-1, :-1]
        if fit_intercept and bend > 0.0:
            H = H - np.outer(pull, pull / bend)
            g = g - pull * (point.residual.sum() / bend)
        old = w[chosen]
        new = minimise_model(H, g, old, alpha_l1, alpha_l2, 0.01 * worst)
        d = new - old
        d_b = -(point.residual.sum() + pull @ d) / bend if fit_intercept and bend > 0.0 else 0.0
        # <search>: halve the step until the true objective falls enough.
        moved = design.times_columns(chosen, d) + d_b
        w, shifted, point, fell = line_search(
            design, point, moved, w, chosen, d, shifted, d_b, gradient, y, s, alpha_l1, alpha_l2
        )
        if not fell:
            break
    b = shifted - w @ design.centre if fit_intercept else 0.0
    return w, float(b), n_iter, float(gap), bool(converged)


def line_search(design, point, moved, w, chosen, d, b, d_b, gradient, y, s, alpha_l1, alpha_l2):
    """Backtracking on the true objective, :eq:`eq-line-search`: X d is known, X is not read."""
    old = w[chosen]

    def penalty(x):
        return alpha_l1 * np.abs(x).sum() + 0.5 * alpha_l2 * (x @ x)

    start = penalty(old)
    promised = point.residual @ moved + penalty(old + d) - start
    floor = 4e-16 * point.loss * math.sqrt(design.n)
    t = 1.0
    for _ in range(HALVINGS):
        total = sum(
            design.map_rows(
                lambda first, last, t=t: logistic_total(point.scores, moved, t, y, s, first, last),
                64,
            )
        )
        change = total - point.loss + penalty(old + t * d) - start
        if change <= SUFFICIENT * t * promised or abs(change) + abs(promised) <= floor:
            w = w.copy()
            w[chosen] = old + t * d
            return w, b + t * d_b, evaluate(design, point.scores + t * moved, y, s), True
        t *= 0.5
    return w, b, point, False
