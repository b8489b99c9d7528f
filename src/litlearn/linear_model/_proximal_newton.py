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
one vector, class after class. The losses are those of :class:`Outcomes`; what differs between dense
and sparse data is in `Dense` and `Sparse`. The penalty and the sweeps of coordinate descent are
those of the lasso.

Sources: Lee, Sun and Saunders (2014) for the method and its line search, Friedman, Hastie and
Tibshirani (2010) for coordinate descent on the model, Ndiaye et al. (2017) for the dual.
"""

import math
import operator
from typing import NamedTuple

import numpy as np

from litlearn._core.jit import njit
from litlearn._core.parallel import cut, fold_blocks, single_threaded_blas
from litlearn._core.validation import is_sparse
from litlearn.linear_model._descent import gram_sweep, state_of
from litlearn.linear_model._losses import (
    add_hessian,
    intercepts_hessian,
    outcomes_of,
    pseudoinverse,
)
from litlearn.linear_model._matrix import products_of, sparse_combination, sparse_products_of
from litlearn.linear_model._newton import (
    SUFFICIENT,
    conjugate_gradients,
    extrapolation,
    line_search,
)
from litlearn.linear_model._penalty import coordinate_step, price, violations

BLOCK_ENTRIES = 1 << 20  # entries of X that one task of a thread reads
TILE_ENTRIES = 1 << 16  # entries of a tile of weighted rows: half a megabyte ...
TILE_ROWS = 512  # ... but at least so many rows, or adding up the products costs more than they do
GRAM_BLOCKS = 8  # Hessians of blocks of rows that are held at a time
LARGEST_MODEL = 4096  # coefficients that one model may have: a Hessian of 128 MB
SWEEPS = 10  # of coordinate descent, at least, before a Newton step on the support
CROSSINGS = 10_000  # Newton steps in a row on the support, divided by its size
ROUGHLY = 0.1  # share of the residual to which conjugate gradients solve for such a step ...
MOST_PRODUCTS = 25  # ... unless that takes more products with the Hessian: then sweeps go on
GAP_SHARE = 1e-2  # the relative gap asked for is this times `tol`
ALONG = 0.1  # of tol: what is gone for along a path, whose measures are those of its start
FLATTEST = 1e-10  # least curvature of a sample's loss, as a share of its weight
FAINT = 1e-10  # a share of the largest slope: a lower price is compared with slopes' rounding
ROUNDING = 2.0**-50  # of a slope, relative to the sum of the sizes of its terms


# ------------------------------------------------------------------ columns of X


@njit
def weigh_columns(X, columns, centre, start, stop, root, tile):
    """Centred entries of some columns of X (n, p), times root (n,), into tile (rows, m + 1).

    With the root of the curvature, tile' tile is the Hessian of these rows,
    :eq:`eq-logistic-hessian`; the last column is the intercept's.
    """
    m = columns.size
    for i in range(start, stop):
        r = root[i]
        for c in range(m):
            tile[i - start, c] = (X[i, columns[c]] - centre[c]) * r
        tile[i - start, m] = r


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


class FormedModel(NamedTuple):
    """A model of m coefficients by its Hessian, from which the intercepts are eliminated.

    The intercepts that minimise the model are a linear function of the coefficients; put in, they
    leave the Schur complement.
    """

    H: np.ndarray  # (m, m)
    fall: np.ndarray  # (m,): negative gradient of the loss, kept up to date
    follow: np.ndarray  # (q, m): how the intercepts follow the coefficients ...
    rest: np.ndarray  # (q,): ... and by how much they change where those do not

    @classmethod
    def of(cls, H, gradient, b_gradient):
        """From the Hessian (m + q, m + q) and the gradients; b_gradient None: no intercepts."""
        m, q = gradient.size, len(H) - gradient.size
        if b_gradient is None:
            return cls(np.ascontiguousarray(H[:m, :m]), -gradient, np.zeros((q, m)), np.zeros(q))
        inverse, pull = pseudoinverse(H[m:, m:]), H[m:, :m]
        follow, rest = inverse @ pull, -inverse @ b_gradient
        return cls(H[:m, :m] - pull.T @ follow, -gradient - pull.T @ rest, -follow, rest)

    def sweeps(self, v, penalty, tol):
        """Change v by some sweeps of coordinate descent; return the last one's worst violation."""
        # A factorisation costs about as much as m / 50 sweeps: those come first.
        return model_sweeps(self.H, self.fall, v, penalty, tol, SWEEPS + v.size // 50)

    def gradient(self):
        return -self.fall

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
        pull = self.H @ change
        return pull, change @ pull

    def move(self, effect):
        np.subtract(self.fall, effect, out=self.fall)

    def intercepts(self, d, moved):
        """Change (q,) of the intercepts that goes with a change d, which moves the scores."""
        return self.rest + self.follow @ d


class ImplicitModel(NamedTuple):
    """A model of m coefficients by columns of a sparse matrix: for products with its Hessian.

    The intercepts are wherever they minimise the model; `U` has their part.
    """

    design: "Sparse"
    chosen: np.ndarray  # (m,): coefficients, as class * p + column
    A: np.ndarray  # (q, n), as in :class:`Point`
    B: np.ndarray
    start: np.ndarray  # (m,): gradient of the loss at the start
    square: np.ndarray  # (m,): diagonal of the Hessian
    b_start: np.ndarray  # (q,): gradient in the intercepts ...
    inverse: np.ndarray  # (q, q): ... and that of their Hessian, or zeros
    U: np.ndarray  # (q, n): change of the scores, kept up to date

    def curve(self, Z):
        """Return the scores' part of the Hessian times a change Z (q, n) of theirs."""
        return self.A * (Z if len(Z) == 1 else Z - (self.B * Z).sum(axis=0))

    def shift(self, Z, slope):
        """Return the best change of the intercepts (q,), for their gradient, beside that of Z."""
        return -self.inverse @ (slope + self.curve(Z).sum(axis=1))

    def settle(self, Z, slope):
        """Move a change of the scores, in place, by the best intercepts."""
        Z += self.shift(Z, slope)[:, np.newaxis]

    def sweeps(self, v, penalty, tol):
        """Change v by some sweeps of coordinate descent; return the worst violation left."""
        p, many = self.design.p, len(self.A) > 1
        own = self.chosen % p, self.chosen // p, self.start, self.square
        for _ in range(SWEEPS):
            mean = (self.B * self.U).sum(axis=0) if many else np.empty(0)
            change = self.U, mean
            worst = sparse_sweep(self.design.entries, own, (self.A, self.B), change, v, penalty)
            self.settle(self.U, self.b_start)
            if worst <= tol:
                break
        # Where the intercept would have to follow, a sweep's steps can be lost in the rounding.
        return violations(self.gradient(), v, penalty).max()

    def gradient(self):
        return self.start + self.design.products(self.chosen, self.curve(self.U))

    def newton_step(self, support, gradient, beta):
        """Solve for the step of some coefficients by conjugate gradients, about."""
        change = np.zeros(self.chosen.size)

        def product(d):
            change[support] = d
            curved = self.curve(self.effect(change)[0])
            return self.design.products(self.chosen, curved)[support] + beta * d

        diagonal, most = self.square[support] + beta, (ROUGHLY, MOST_PRODUCTS)
        return conjugate_gradients(product, lambda g: g / diagonal, gradient, *most).d

    def effect(self, change):
        """What a change (m,) does to the scores, and its curvature."""
        moved = self.design.scores(self.chosen, change, len(self.A)).T
        self.settle(moved, 0.0)
        return moved, np.vdot(moved, self.curve(moved))

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


# ------------------------------------------------------------------ dense data


class Dense:
    """A dense matrix of samples, by blocks of rows.

    X (n, p), C-ordered; centre (p,) is taken off where columns are multiplied with each other, so
    that a feature far from zero costs no digits. It only shifts the intercept.
    """

    largest_model = LARGEST_MODEL
    per_root = 5  # coefficients of the first model for each root of their number

    def __init__(self, X, s, fit_intercept, n_jobs):
        self.X, self.n_jobs = X, n_jobs
        self.n, self.p = X.shape
        self.centre = np.zeros(self.p)
        self.rounded = X.dtype == np.float32  # products of whole blocks are in single precision
        if fit_intercept:
            self.centre = self.transpose_times(s[:, None])[0]

    def fold_rows(self, part, merge, width):
        """Merge what `part` returns for blocks of rows with `width` entries each."""
        return fold_blocks(part, merge, cut(self.n, BLOCK_ENTRIES // width), self.n_jobs)

    def inner_tolerance(self, known):
        """The largest violation with which a model counts as solved."""
        return 0.01 * known.violation.max()

    def transpose_times(self, R):
        """R' X, (q, p), for R (n, q)."""
        return products_of(self.X, R.T, self.n_jobs)

    def tiles(self, rows, width):
        """Tiles of rows with `width` entries each."""
        return cut(rows, max(TILE_ROWS, TILE_ENTRIES // width))

    def tile(self, columns, root, rows):
        """Weighted, centred rows of some columns and the intercept: (rows, m + 1)."""
        tile = np.empty((rows.stop - rows.start, columns.size + 1))
        ends = rows.start, rows.stop
        weigh_columns(self.X, columns, self.centre[columns], *ends, root, tile)
        return tile

    def exact_transpose_times(self, columns, r):
        """X' r, (m,), for some columns and r (n,), in float64 whatever the type of X."""
        root = np.ones(self.n)

        def block(rows):
            total = np.zeros(columns.size + 1)
            for tile in self.tiles(rows, columns.size + 1):
                total += np.dot(r[tile], self.tile(columns, root, tile))
            return total

        product = self.fold_rows(block, operator.iadd, columns.size + 1)
        return product[:-1] + self.centre[columns] * product[-1]

    def times(self, columns, d):
        """Centred columns times d (m,): (n,)."""
        out, root, d = np.empty(self.n), np.ones(self.n), np.append(d, 0.0)

        def block(rows):
            for tile in self.tiles(rows, columns.size + 1):
                np.dot(self.tile(columns, root, tile), d, out=out[tile])

        self.fold_rows(block, None, columns.size + 1)
        return out

    def scores(self, chosen, d, q):
        """Scores (n, q) of coefficients d (m,), chosen as class * p + column."""
        classes, columns = chosen // self.p, chosen % self.p
        own = [classes == k for k in range(q)]
        return np.stack([self.times(columns[mine], d[mine]) for mine in own], axis=1)

    def hessian(self, columns, A, B):
        """Hessian in the chosen coefficients and the intercepts, :eq:`eq-multinomial-hessian`.

        Parameters
        ----------
        columns : list of ndarray
            The chosen columns of each of the q classes, m in all.
        A, B : ndarrays of shape (n, q)
            As in :class:`Point`.

        Returns
        -------
        ndarray of shape (m + q, m + q)
        """
        roots = np.sqrt(np.ascontiguousarray(A.T))
        ends = np.cumsum([chosen.size + 1 for chosen in columns])
        m = ends[-1]
        size = max(self.n // GRAM_BLOCKS + 1, TILE_ROWS, int(16 * BLOCK_ENTRIES // m**2))

        def block(rows):
            H = np.zeros((m, m))
            for some in self.tiles(rows, m):
                own = [self.tile(*given, some) for given in zip(columns, roots, strict=True)]
                add_hessian(H, own, None if B is None else B[some])
            return H

        H = fold_blocks(block, operator.iadd, cut(self.n, size), self.n_jobs)
        if len(columns) == 1:
            return H
        order = np.append(np.setdiff1d(np.arange(m), ends - 1), ends - 1)
        return H[np.ix_(order, order)]

    def model(self, chosen, point, gradient, b_gradient):
        """The quadratic model of the chosen coefficients (class * p + column) at a point."""
        own = [chosen[chosen // self.p == k] % self.p for k in range(point.A.shape[1])]
        return FormedModel.of(self.hessian(own, point.A, point.B), gradient, b_gradient)


# ------------------------------------------------------------------ sparse data


class Sparse:
    """A sparse matrix of samples, by columns; it is never centred, which would fill the zeros."""

    rounded = False
    largest_model, per_root = math.inf, 25
    scores = Dense.scores

    def __init__(self, X, n_jobs):
        X = self.X = X.tocsc()
        self.entries, self.n_jobs = (X.data, X.indices, X.indptr), n_jobs
        self.squares = np.square(X.data, dtype=np.float64), X.indices, X.indptr
        self.n, self.p = X.shape
        self.centre = np.zeros(self.p)

    def inner_tolerance(self, known):
        """As of :class:`Dense`: the less, the better the model is, as sweeps are not cheap here."""
        worst = known.violation.max()
        return (0.03 + 0.1 * worst / known.slope) * worst

    def transpose_times(self, R):
        """R' X, (q, p), for R (n, q)."""
        return sparse_products_of(self.entries, np.ascontiguousarray(R.T), self.n_jobs)

    def times(self, columns, d):
        """Columns times d (m,): (n,)."""
        return sparse_combination(self.entries, columns, d, self.n, self.n_jobs)

    def products(self, chosen, R, squared=False):
        """Products of columns, chosen as class * p + column, or their squares, with R (q, n)."""
        out, columns = np.empty(chosen.size), chosen % self.p
        for k, row in enumerate(R):
            own, entries = chosen // self.p == k, self.squares if squared else self.entries
            out[own] = sparse_products_of(entries, row[np.newaxis], self.n_jobs, columns[own])[0]
        return out

    def model(self, chosen, point, gradient, b_gradient):
        """As of :class:`Dense`."""
        A = B = np.ascontiguousarray(point.A.T)
        if point.B is not None:
            B = np.ascontiguousarray(point.B.T)
        own = A if point.B is None else A * (1.0 - B)
        inverse, q = np.zeros((len(A), len(A))), len(A)
        if b_gradient is not None:
            inverse = pseudoinverse(intercepts_hessian(point.A, point.B))
        square = self.products(chosen, own, squared=True)
        model = ImplicitModel(
            self, chosen, A, B, gradient, square,
            np.zeros(q) if b_gradient is None else b_gradient, inverse, np.zeros(A.shape),
        )  # fmt: skip
        model.settle(model.U, model.b_start)
        return model


# ------------------------------------------------------------------ certificates


def evaluate(loss, scores):
    """The loss and its derivatives at scores (n, q).

    Samples far from the boundary have next to no curvature: rounded to zero, it would leave the
    model without a minimum.
    """
    point = loss.evaluate(scores)
    return point._replace(A=np.maximum(point.A, FLATTEST * loss.s[:, None]))


def rounding_of_slopes(X, s, q):
    """How far rounding may take the slopes of q rows of coefficients, (q * p,)."""
    if is_sparse(X):
        sums = abs(X).T @ s
    else:
        blocks = cut(len(X), max(1, BLOCK_ENTRIES // X.shape[1]))
        sums = sum(s[rows] @ np.abs(X[rows]) for rows in blocks)
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


# ------------------------------------------------------------------ the solver


def settle_intercepts(loss, point, b):
    """Move the intercepts alone until the residuals of each class sum to zero: a few Newton steps.

    The dual point needs that. Returns the new point and intercepts (q,).
    """
    for _ in range(50):
        slope = point.residual.sum(axis=0)
        if np.abs(slope).max() <= 1e-15:
            break
        step = -pseudoinverse(intercepts_hessian(point.A, point.B)) @ slope
        # Far out the curvature is tiny and the step too long.
        step *= min(1.0, 4.0 / np.abs(step).max())
        trial = evaluate(loss, point.scores + step)
        rest = np.abs(trial.residual.sum(axis=0)).max()
        if not (trial.loss < point.loss or rest < np.abs(slope).max()):
            break
        point, b = trial, b + step
    return point, b


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
    rounding = 1e-15 * (point.loss + start) * math.sqrt(len(moved))

    def suffices(t):
        change = (
            loss.along(point.scores, moved, t) - point.loss + price(old + t * d, penalty) - start
        )
        return change <= SUFFICIENT * t * promised or abs(change) + abs(promised) <= rounding

    return line_search(suffices, 1.0)


class Certificates(NamedTuple):
    """What is known at a point, from one pass over X."""

    gradient: np.ndarray  # of the loss, (q * p,)
    violation: np.ndarray  # (q * p,)
    gap: float
    objective: float
    slope: float  # the largest, by which violations are measured

    def hold(self, tol, floor):
        """Tell whether both are as small as asked for, measured by more than the floor (2,)."""
        small = self.violation.max() <= tol * max(self.slope, floor[0])
        return bool(small and self.gap <= GAP_SHARE * tol * max(self.objective, floor[1]))


def certify(design, loss, point, w, penalty, rounding=0.0):
    """Optimality conditions, :eq:`eq-logistic-optimality`, and duality gap of coefficients w.

    What may be rounding of the slopes is no violation.
    """
    gradient, p = design.transpose_times(point.residual).ravel(), design.p
    if design.rounded:
        near = np.flatnonzero((w != 0.0) | (np.abs(gradient) > 0.99 * penalty.alpha))
        for k in range(loss.q):
            own = near[near // p == k]
            gradient[own] = design.exact_transpose_times(own - k * p, point.residual[:, k])
    # <certificates>: the conditions relative to the largest slope, the gap to the objective.
    violation = np.maximum(violations(gradient, w, penalty) - rounding, 0.0)
    gap, objective = duality_gap(loss, point, gradient, w, penalty, rounding)
    slope = max(np.abs(gradient).max(), penalty.alpha)
    if not np.isfinite(objective + slope):
        raise FloatingPointError("the loss is beyond the range of float64")
    return Certificates(gradient, violation, gap, objective, slope)


def at_zero(design, loss, penalty, fit_intercept):
    """As `certify`, without coefficients, and with the best intercepts."""
    w, b = np.zeros(loss.q * design.p), np.zeros(loss.q)
    point = evaluate(loss, np.zeros((len(loss.s), loss.q)))
    if fit_intercept:
        point, _ = settle_intercepts(loss, point, b)
    return certify(design, loss, point, w, penalty)


def model_step(design, loss, point, known, chosen, old, penalty, fit_intercept):
    """Minimise the model of the chosen coefficients: their change, the intercepts', the scores'."""
    q, p, columns = loss.q, design.p, chosen % design.p
    # <slopes>: of the chosen coefficients, of centred features, and of the intercepts.
    b_slope = point.residual.sum(axis=0)
    g = known.gradient[chosen] - design.centre[columns] * b_slope[chosen // p]
    # <model>: the intercepts follow the coefficients that minimise it.
    model = design.model(chosen, point, g, b_slope if fit_intercept else None)
    d = solve_model(model, old, penalty, design.inner_tolerance(known)) - old
    moved = design.scores(chosen, d, q)
    d_b = model.intercepts(d, moved)
    return d, d_b, moved + d_b


def extrapolate_path(design, loss, point, last, before, penalties):
    """Go on along the logarithm of the penalty, if that lowers the objective.

    last, before: the last coefficients (q * p,) and intercepts, at `point`, and the ones
    before; penalties: theirs, that of `last`, and the next. Returns where to begin.
    """
    (w, b), share = last, extrapolation([penalty.alpha for penalty in penalties])
    support, further = np.flatnonzero(w), w + share * (w - before[0])
    further[further * w <= 0.0] = 0.0
    shift = share * (b - before[1])
    moved = design.scores(support, further[support] - w[support], loss.q) + shift
    trial = evaluate(loss, point.scores + moved)
    if trial.loss + price(further, penalties[2]) < point.loss + price(w, penalties[2]):
        return trial, further, b + shift
    return point, w.copy(), b


def proximal_newton(design, loss, penalties, fit_intercept, tol, max_iter, w, b):
    """Proximal Newton, :eq:`eq-proximal-newton`, for either loss and either kind of data.

    Under one penalty after the other, each from the solution of the last.

    Parameters
    ----------
    design : Dense or Sparse
    loss : Outcomes
    penalties : list of Penalty
        For the mean loss. Of more than one, the certificates are measured by what they are at the
        start, or more: the objective falls to nothing where weak penalties let it.
    fit_intercept : bool
    tol : float
    max_iter : int
        For each penalty.
    w : ndarray of shape (q * p,)
        Coefficients to start from, class after class.
    b : ndarray of shape (q,)
        Intercepts to start from.

    Yields
    ------
    w, b, n_iter, gap, converged
    """
    p, q, w = design.p, loss.q, w.copy()
    centre = np.tile(design.centre, q)
    if fit_intercept:
        b = b + (w * centre).reshape(q, p).sum(axis=1)  # of the centred features
    support = np.flatnonzero(w)
    point = evaluate(loss, design.scores(support, w[support], q) + b)
    first_size = max(10, design.per_root * math.isqrt(q * p))
    floor, before, last = (None if len(penalties) > 1 else (0.0, 0.0)), None, None
    close, rounding, begun = tol * (ALONG if len(penalties) > 1 else 1.0), 0.0, None
    for k, penalty in enumerate(penalties):
        n_iter = 0
        if k > 1:
            point, w, b = extrapolate_path(
                design, loss, point, last, before, penalties[k - 2 : k + 1]
            )
        while True:
            if fit_intercept:
                point, b = settle_intercepts(loss, point, b)
            known = certify(design, loss, point, w, penalty, rounding)
            if begun is None:
                # Near the solution slopes are no measure of their rounding: those at zero are.
                begun = known if not w.any() else at_zero(design, loss, penalty, fit_intercept)
                if penalties[-1].alpha < FAINT * begun.slope:
                    rounding = rounding_of_slopes(design.X, loss.s, q)
                    known = certify(design, loss, point, w, penalty, rounding)
            # A first price beyond all slopes is no measure of them.
            floor = floor or (float(np.abs(known.gradient).max()), known.objective)
            # A price that rounding hides does not hold coefficients that separate the classes.
            free = penalty.alpha < ROUNDING * begun.slope
            free = free and known.objective < tol * begun.objective
            if known.hold(close, floor) or n_iter == max_iter or free:
                break
            n_iter += 1
            # <step>: from a model of few coefficients, halved until the true objective falls.
            chosen = working_set(known.violation, w, first_size, design.largest_model)
            old = w[chosen]
            step = design, loss, point, known, chosen, old, penalty, fit_intercept
            d, d_b, moved = model_step(*step)
            t = step_length(loss, point, moved, old, d, penalty)
            if t == 0.0:
                break
            w[chosen], b = old + t * d, b + t * d_b
            point = evaluate(loss, point.scores + t * moved)
        before, last = last, (w.copy(), b)
        shift = (w * centre).reshape(q, p).sum(axis=1) if fit_intercept else 0.0
        yield w.copy(), b - shift, n_iter, max(float(known.gap), 0.0), known.hold(tol, floor)


def fit_path(X, codes, q, s, penalties, fit_intercept, tol, max_iter, start=None, n_jobs=None):
    """Logistic regression with l1 or elastic-net penalties: a fit for each, from the last one.

    Implements :eq:`eq-logistic-penalized` by :eq:`eq-proximal-newton`.

    Parameters
    ----------
    X : ndarray of shape (n, p), float32 or float64, or CSR or CSC array
        Samples.
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
    s = s / s.sum()
    if is_sparse(X):
        design = Sparse(X, n_jobs)
    else:
        design = Dense(np.ascontiguousarray(X), s, fit_intercept, n_jobs)
    loss = outcomes_of(codes, q, s, n_jobs)
    w, b = (np.zeros((q, design.p)), np.zeros(q)) if start is None else start
    b = b if fit_intercept else np.zeros(q)
    with single_threaded_blas():
        settings = fit_intercept, tol, max_iter, w.ravel(), b
        fits = list(proximal_newton(design, loss, penalties, *settings))
    return [(w.reshape(q, design.p), b - b.mean() if q > 1 else b, *rest) for w, b, *rest in fits]
