r"""The logistic losses: values, gradients and curvature, in one pass over blocks of rows.

Both losses are means over the samples, with weights s_i, plus a quadratic penalty:

    F(w, b) = sum_i s_i loss_i / sum_i s_i + alpha / 2 ||w||^2.

The solvers see *standardised* parameters. Feature j is used as (x_j - centre_j) * scale_j, and its
parameter is v_j = w_j / scale_j. That changes nothing in the answer, since the penalty still counts
w_j = scale_j v_j, but features of very different sizes, or far from zero, then do no harm to the
arithmetic. X itself is never copied: a kernel centres and scales the rows that it reads.

A loss is a sum over samples. So rows come in blocks, each block gives its part of the value, the
gradient and the Hessian, and the parts are added in the order of the blocks: the same bits for any
number of threads.
"""

import copy
import math
import operator
from typing import NamedTuple

import numpy as np

from litlearn._exponential import exponential, log_one_plus
from litlearn._jit import njit
from litlearn._parallel import cut, fold_blocks, single_threaded_blas
from litlearn._validation import is_sparse, read_only
from litlearn.linear_model._newton import factor_hessian

BLOCK_ENTRIES = 2**20  # entries of X in a block, the unit of work of a thread
TILE_ENTRIES = 2**16  # entries of X that are scaled at a time for the Hessian: half a megabyte
TALL = 512  # rows of such a tile at least, or adding up the products costs more than they do
MAX_MODEL = 4000  # features up to which a p x p matrix is factored for each class
MAX_SPAN = 400  # most parameters along which the model of several classes is exact
SAMPLE_ROWS = 1024  # rows from which centre and scale are taken


class State(NamedTuple):
    """A loss at one point: its value, its gradient, and what a Hessian product needs."""

    v: np.ndarray  # parameters, standardised
    value: float  # mean loss and penalty
    gradient: np.ndarray  # of the same shape as v
    scores: np.ndarray  # linear functions of the samples, (n,) or (n, q)
    curvature: np.ndarray  # weights (n,), or probabilities (n, q)
    hessian: np.ndarray | None


# ------------------------------------------------------------------ two classes


@njit(reassociate=True)
def logistic_terms(scores, y, s, start, stop, residual, curvature):
    """Loss, residuals and curvature of samples from their scores, :eq:`eq-logistic-loss`.

    scores, y, s, residual, curvature (n,): y is +1 or -1, s the weights; the last two are output.
    Returns the sum of the weighted losses of the samples start, ..., stop - 1.
    """
    scores, y, s = scores[start:stop], y[start:stop], s[start:stop]
    residual, curvature, total = residual[start:stop], curvature[start:stop], 0.0
    for i in range(scores.size):
        # <wrong>: with e = exp(-|f|) at most 1, nothing overflows, on either side.
        u = y[i] * scores[i]
        e = exponential(-abs(u))
        wrong = (e if u > 0.0 else 1.0) / (1.0 + e)
        # <terms>: the loss, its first and its second derivative in the score.
        total += s[i] * (log_one_plus(e) + max(-u, 0.0))
        residual[i] = -s[i] * y[i] * wrong
        curvature[i] = s[i] * wrong * (1.0 - wrong)
    return total


@njit(reassociate=True)
def logistic_total(scores, step, t, y, s, start, stop):
    """Sum of weighted losses at scores + t * step, for the line search: no pass over X."""
    total = 0.0
    scores, step, y, s = scores[start:stop], step[start:stop], y[start:stop], s[start:stop]
    for i in range(scores.size):
        u = y[i] * (scores[i] + t * step[i])
        total += s[i] * (log_one_plus(exponential(-abs(u))) + max(-u, 0.0))
    return total


@njit(reassociate=True)
def dense_scores(X, start, stop, centre, w, b, scores):
    """Linear functions (x - centre).w + b of rows of X (n, p), into scores (n,)."""
    for i in range(start, stop):
        total = 0.0
        for j in range(X.shape[1]):
            total += (X[i, j] - centre[j]) * w[j]
        scores[i] = total + b


@njit(reassociate=True)
def dense_gradient(X, start, stop, centre, residual, gradient):
    """Add residual_i (x_i - centre) of rows of X (n, p) to gradient (p,); return sum residual_i."""
    total = 0.0
    for i in range(start, stop):
        r = residual[i]
        total += r
        for j in range(X.shape[1]):
            gradient[j] += r * (X[i, j] - centre[j])
    return total


# Both passes over tiles of a block in one compiled call: between calls, threads would wait for each
# other at the interpreter for longer than a tile takes.


@njit
def dense_pass(features, rows, line, known, out, gradient):
    """Scores, terms and gradient of a block of rows, tile by tile from the cache.

    features: X (n, p) and centre (p,); rows: start, stop and rows of a tile; line: w (p,) and b;
    known: y and s (n,); out: scores, residual and curvature (n,); gradient (p,) is added to.
    Returns the sums of the losses and of the residuals.
    """
    (X, centre), (start, stop, size) = features, rows
    scores, residual, curvature = out
    loss = total = 0.0
    for first in range(start, stop, size):
        last = min(first + size, stop)
        dense_scores(X, first, last, centre, line[0], line[1], scores)
        loss += logistic_terms(scores, known[0], known[1], first, last, residual, curvature)
        total += dense_gradient(X, first, last, centre, residual, gradient)
    return loss, total


@njit
def dense_product(features, rows, line, curvature, scores, out):
    """Add rows of X times the curvature of their changed scores to out (p,), as `dense_pass`."""
    (X, centre), (start, stop, size) = features, rows
    total = 0.0
    for first in range(start, stop, size):
        last = min(first + size, stop)
        dense_scores(X, first, last, centre, line[0], line[1], scores)
        for i in range(first, last):
            scores[i] *= curvature[i]
        total += dense_gradient(X, first, last, centre, scores, out)
    return total


@njit
def weigh_rows(X, start, stop, centre, scale, curvature, tile):
    """Standardised rows of X (n, p) times the root of their curvature, into tile (rows, p + 1).

    Then tile' tile is the Hessian of these rows, :eq:`eq-logistic-hessian`; the last column is the
    intercept's.
    """
    p = X.shape[1]
    for i in range(start, stop):
        root = math.sqrt(curvature[i])
        for j in range(p):
            tile[i - start, j] = root * ((X[i, j] - centre[j]) * scale[j])
        tile[i - start, p] = root


# Of the sparse kernels: an index that cannot be negative, as its type says, needs no test for one,
# and only then does the compiler gather with vector instructions.


@njit(reassociate=True)
def sparse_scores(data, indices, indptr, start, stop, w, b, scores):
    """Linear functions of rows of a CSR matrix, into scores (n,)."""
    for i in range(start, stop):
        total = 0.0
        for k in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
            total += data[k] * w[np.uint32(indices[k])]
        scores[i] = total + b


@njit
def sparse_gradient(data, indices, indptr, start, stop, residual, gradient):
    """Add residual_i x_i of rows of a CSR matrix to gradient (p,); return sum residual_i."""
    total = 0.0
    for i in range(start, stop):
        r = residual[i]
        total += r
        for k in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
            gradient[np.uint32(indices[k])] += r * data[k]
    return total


@njit
def sparse_diagonal(data, indices, indptr, start, stop, curvature, scale, out):
    """Add sum_i D_i (x_ij scale_j)^2 of rows of a CSR matrix to out (p,)."""
    for i in range(start, stop):
        for k in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
            value = data[k] * scale[np.uint32(indices[k])]
            out[np.uint32(indices[k])] += curvature[i] * value * value


@njit
def dense_diagonal(X, start, stop, centre, curvature, scale, out):
    """Add sum_i D_i ((x_ij - centre_j) scale_j)^2 of rows of X to out (p,)."""
    for i in range(start, stop):
        for j in range(X.shape[1]):
            value = (X[i, j] - centre[j]) * scale[j]
            out[j] += curvature[i] * value * value


@njit
def largest_entries(data, indices, out):
    """Raise out[j] (p,) to the largest |entry| of column j of a CSR matrix."""
    for k in range(data.size):
        out[np.uint32(indices[k])] = max(out[np.uint32(indices[k])], abs(np.float64(data[k])))


@njit
def sparse_pass(features, rows, line, known, out, gradient):
    """As `dense_pass`, for data, indices and indptr of a CSR matrix."""
    start, stop, size = rows
    scores, residual, curvature = out
    loss = total = 0.0
    for first in range(start, stop, size):
        last = min(first + size, stop)
        sparse_scores(*features, first, last, line[0], line[1], scores)
        loss += logistic_terms(scores, known[0], known[1], first, last, residual, curvature)
        total += sparse_gradient(*features, first, last, residual, gradient)
    return loss, total


@njit
def sparse_product(features, rows, line, curvature, scores, out):
    """As `dense_product`, for data, indices and indptr of a CSR matrix."""
    start, stop, size = rows
    total = 0.0
    for first in range(start, stop, size):
        last = min(first + size, stop)
        sparse_scores(*features, first, last, line[0], line[1], scores)
        for i in range(first, last):
            scores[i] *= curvature[i]
        total += sparse_gradient(*features, first, last, scores, out)
    return total


# ------------------------------------------------------------------ several classes


@njit
def shift_rows(Z):
    """Subtract from each row of Z (rows, q) its largest entry: then exp does not overflow."""
    q = Z.shape[1]
    for i in range(Z.shape[0]):
        largest = Z[i, 0]
        for k in range(1, q):
            largest = max(largest, Z[i, k])
        for k in range(q):
            Z[i, k] -= largest


@njit
def softmax_terms(Z, P, labels, s, R):
    """Loss and residuals of samples, :eq:`eq-softmax`, :eq:`eq-multinomial-loss`.

    Z (rows, q): shifted scores; P (rows, q): their exponentials, replaced by the probabilities;
    labels, s (rows,): classes and weights; R (rows, q): output, s_i (p_i - e_{y_i}). Returns the
    sum of the weighted losses.
    """
    q = Z.shape[1]
    total = 0.0
    for i in range(Z.shape[0]):
        # <shift>: the scores come less the largest of their row, so this sum is at least 1.
        mass = 0.0
        for k in range(q):
            mass += P[i, k]
        # <loss>: minus the logarithm of the probability of the true class.
        total += s[i] * (math.log(mass) - Z[i, labels[i]])
        # <residual>: the derivative of the loss in the scores.
        for k in range(q):
            P[i, k] /= mass
            R[i, k] = s[i] * P[i, k]
        R[i, labels[i]] -= s[i]
    return total


@njit
def softmax_total(Z, step, t, codes, s, start, stop):
    """Sum of weighted losses at Z + t * step, for the line search: no pass over X."""
    q = Z.shape[1]
    total = 0.0
    for i in range(start, stop):
        largest = Z[i, 0] + t * step[i, 0]
        for k in range(1, q):
            largest = max(largest, Z[i, k] + t * step[i, k])
        mass = 0.0
        for k in range(q):
            mass += math.exp(Z[i, k] + t * step[i, k] - largest)
        own = Z[i, codes[i]] + t * step[i, codes[i]] - largest
        total += s[i] * (math.log(mass) - own)
    return total


@njit
def softmax_product(P, s, start, stop, T):
    """Scores' part of the Hessian product, :eq:`eq-multinomial-hessian`, in place.

    P (n, q): probabilities; T (rows, q): change of the scores, replaced by
    s_i (diag(p_i) - p_i p_i') t_i.
    """
    q = P.shape[1]
    for i in range(start, stop):
        mean = 0.0
        for k in range(q):
            mean += P[i, k] * T[i - start, k]
        for k in range(q):
            T[i - start, k] = s[i] * P[i, k] * (T[i - start, k] - mean)


@njit
def standardise_rows(X, start, stop, centre, scale, tile):
    """Standardised rows of X (n, p), and a column of ones, into tile (rows, p + 1)."""
    p = X.shape[1]
    for i in range(start, stop):
        for j in range(p):
            tile[i - start, j] = (X[i, j] - centre[j]) * scale[j]
        tile[i - start, p] = 1.0


@njit
def sparse_class_scores(data, indices, indptr, start, stop, W, b, Z):
    """Scores of rows of a CSR matrix for all classes: W (p, q), b (q,), Z (n, q) output."""
    q = W.shape[1]
    for i in range(start, stop):
        for k in range(q):
            Z[i, k] = b[k]
        for e in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
            j, x = np.uint32(indices[e]), data[e]
            for k in range(q):
                Z[i, k] += x * W[j, k]


@njit
def sparse_class_gradient(data, indices, indptr, start, stop, R, G):
    """Add x_i r_i' of rows of a CSR matrix, R (rows, q), to G (p, q)."""
    q = R.shape[1]
    for i in range(start, stop):
        for e in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
            j, x = np.uint32(indices[e]), data[e]
            for k in range(q):
                G[j, k] += x * R[i - start, k]


# ------------------------------------------------------------------ the losses as objects


class _Loss:
    """What the losses share: standardised parameters, the penalty, and blocks of rows."""

    def __init__(self, X, s, alpha, fit_intercept, n_jobs):
        self.X, self.s, self.n_jobs = X, read_only(s), n_jobs
        self.sparse = is_sparse(X)
        self.n, self.p = X.shape
        self.fit_intercept = fit_intercept
        self.total = float(s.sum())
        alpha = min(alpha, 1e290)
        if self.sparse:
            self.centre, spread = sparse_transform(X)
        else:
            self.centre, spread = dense_transform(X, s, fit_intercept)
        # Where the penalty weighs more than the data, it sets the scale.
        self.scale = 1.0 / np.maximum(spread, math.sqrt(alpha))
        self.ridge = alpha * self.scale * self.scale  # at most 1
        self.certifies = bool(self.ridge.min() > 1e-14)  # it is not lost in the rounding of H
        self.width = self.p + 1
        self.blocks = self._cut()

    def _cut(self):
        """Blocks of rows: enough entries in each to outweigh adding up its part."""
        if self.sparse:
            entries = max(BLOCK_ENTRIES // 4, 4 * self.p)
            return cut(self.n, entries * self.n // max(1, self.X.nnz))
        return cut(self.n, max(BLOCK_ENTRIES, 4 * self.p**2) // self.p)

    def tile_rows(self, least=16):
        """Rows of a tile, which fits the cache, but has about so many rows at least."""
        if self.sparse:  # a tile holds scores of several classes at most
            own = TILE_ENTRIES * self.n // max(1, self.X.nnz)
            return max(64, min(own, TILE_ENTRIES // 16))
        return max(least, TILE_ENTRIES // self.width)

    def tiles(self, rows, least=16):
        """Tiles of a block of rows."""
        return cut(rows, self.tile_rows(least))

    def part(self, stride):
        """Return the loss of every stride-th sample, or None if a class is missing there."""
        rows = slice(None, None, stride)
        labels, s = read_only(self.labels[rows]), read_only(self.s[rows])
        if len(np.unique(labels[s > 0.0])) < len(np.unique(self.labels[self.s > 0.0])):
            return None
        smaller = copy.copy(self)
        smaller.labels, smaller.s, smaller.X = labels, s, read_only(self.X[rows])
        smaller.n, smaller.total = len(s), float(s.sum())
        smaller.blocks = smaller._cut()
        return smaller

    def hessian_cost(self, size):
        """Multiplications that a Hessian of so many parameters and its factorisation take."""
        return self.n * size**2 / 2 + size**3 / 3

    def model_is_sound(self, state):
        """Tell whether a point found on a part of the samples is worth starting from."""
        return bool(np.abs(state.scores).max() < 100.0)

    def blocks_for_vectors(self):
        """Blocks of rows where the part of each is a vector, and not a Hessian."""
        return self.blocks if self.sparse else cut(self.n, max(16, BLOCK_ENTRIES // 2 // self.p))

    def fold(self, part, merge=operator.iadd, blocks=None):
        """Add up, or merge otherwise, what `part` returns for blocks of rows."""
        return fold_blocks(part, merge, blocks or self.blocks, self.n_jobs)

    def value_along(self, state, step, d, t):
        """Value at v + t d, where step (n,) or (n, q) is the change of the scores for t = 1."""

        def block(rows):
            own = self.labels, self.s, rows.start, rows.stop
            return self.total_along(state.scores, step, t, *own)

        return self.fold(block) / self.total + self.penalty(state.v + t * d)

    def penalty(self, v):
        return 0.5 * float(np.sum(self.ridge * v[..., :-1] ** 2))

    def finish(self, v):
        """Coefficients (p,) or (q, p) and intercepts of standardised parameters."""
        coef = v[..., :-1] * self.scale
        return coef, v[..., -1] - coef @ self.centre

    def csr(self):
        return self.X.data, self.X.indices, self.X.indptr

    def features(self):
        """What a kernel needs of X: with the centre, or in CSR form."""
        return self.csr() if self.sparse else (self.X, self.centre)

    def squares(self, d):
        """Sums of the squares of the standardised features (p,), each sample weighted by d (n,)."""

        def block(rows):
            out, ends = np.zeros(self.p), (rows.start, rows.stop)
            if self.sparse:
                sparse_diagonal(*self.csr(), *ends, d, self.scale, out)
            else:
                dense_diagonal(self.X, *ends, self.centre, d, self.scale, out)
            return out

        return self.fold(block)

    def divide_by(self, squares):
        """Return the map g -> g / diagonal of the Hessian, from weighted sums of squares."""
        diagonal = squares / self.total
        diagonal[..., :-1] += self.ridge
        diagonal = np.maximum(diagonal, 1e-12 * max(diagonal.max(), 1e-290))
        return lambda g: g / diagonal

    def lack(self, state, d, r, move=None):
        r"""Bound g.H^-1 g + g.d for a step d with the residual r = -g - H d.

        That is d.r + r.H^-1 r. The intercepts can be eliminated from the last term: a step e of
        theirs leaves a residual in the coefficients alone, where the penalty is part of H, which is
        therefore at least as large. Zero if there is no penalty, or next to none: then nothing is
        known but that r is small. `move()` is :meth:`intercept_products`, if that is known.
        """
        if not self.certifies:
            return 0.0
        e = self.solve_intercepts(state, r[..., -1])
        rest = r - (move() if move else self.intercept_products(state))(e) if np.any(e) else r
        return float(np.vdot(d, r) + np.vdot(r[..., -1], e)) + self.bound(rest)

    def bound(self, r):
        """Bound r.H^-1 r for r without an entry for intercepts; 0 if next to nothing is known."""
        return float(np.sum(r[..., :-1] ** 2 / self.ridge)) if self.certifies else 0.0

    def intercept_products(self, state):
        """Return the map of changes of the intercepts to the products of the Hessian with them."""

        def product(e):
            d = np.zeros_like(state.v)
            d[..., -1] = e
            return self.product(state, d)

        if state.v.ndim == 2:
            return product
        column = product(1.0)
        return lambda e: e * column


def add_parts(total, part):
    """Add up what blocks return: numbers, and arrays in place; None stays None."""
    pairs = zip(total, part, strict=True)
    return [None if one is None else operator.iadd(one, other) for one, other in pairs]


def dense_transform(X, s, fit_intercept):
    """Centre (p,) and spread (p,) of the features, from some rows spread over X.

    They only set the coordinates in which the solver works: they need not be exact. The centre of a
    constant feature is, so that what is left of the feature is zero. Rows count by their weights
    s (n,): the centre is no use far from the samples that matter.
    """
    n, p = X.shape
    chosen = np.arange(0, n, max(1, n // SAMPLE_ROWS))
    if s.max() > 10.0 * s.mean():
        chosen = np.sort(np.argpartition(-s, len(chosen) - 1)[: len(chosen)])
    rows = np.asarray(X[chosen], dtype=np.float64)
    centre = offset = np.zeros(p)
    if fit_intercept:
        share = s[chosen] / s[chosen].max()
        first = rows[np.argmax(share)].copy()
        rows -= first
        # A product by several threads of BLAS leaves them spinning, at the cost of what comes next.
        with single_threaded_blas():
            offset = share @ rows / share.sum()
        centre = first + offset
    rows -= offset
    spread = np.abs(rows, out=rows).mean(axis=0)
    for j in np.flatnonzero(spread == 0.0):
        spread[j] = np.abs(X[:, j] - centre[j]).max()
    spread[spread == 0.0] = 1.0
    return centre, np.maximum(spread, 1e-290)


def sparse_transform(X):
    """No centre, which would fill the zeros, and the spread (p,) of the features: the largest."""
    largest = np.zeros(X.shape[1])
    largest_entries(X.data, X.indices, largest)
    largest[largest == 0.0] = 1.0
    return np.zeros(X.shape[1]), np.maximum(largest, 1e-290)


class BinaryLoss(_Loss):
    """The logistic loss of two classes; v is (p + 1,), the intercept last."""

    total_along = staticmethod(logistic_total)

    def __init__(self, X, y, s, alpha, fit_intercept, n_jobs=None):
        super().__init__(X, s, alpha, fit_intercept, n_jobs)
        self.labels = read_only(y)

    def start(self, coef, intercept):
        """Standardised parameters of coefficients (p,) and an intercept."""
        return np.append(coef / self.scale, intercept + coef @ self.centre)

    def evaluate(self, v, hessian=False):
        """Value, gradient and, if wanted, Hessian at v: one pass, :eq:`eq-logistic-gradient`."""
        w, b = v[:-1] * self.scale, float(v[-1])
        out = scores, _, curvature = tuple(np.empty((3, self.n)))
        known, size = (self.labels, self.s), self.tile_rows(TALL if hessian else 16)
        one_pass = sparse_pass if self.sparse else dense_pass

        def block(rows):
            g, loss, r = np.zeros(self.p), 0.0, 0.0
            H = np.zeros((self.width, self.width)) if hessian else None
            tiles = self.tiles(rows, TALL) if hessian else [rows]
            room = np.empty((tiles[-1].stop - tiles[-1].start, self.width)) if hessian else H
            for some in tiles:
                first, last = some.start, some.stop
                part = one_pass(self.features(), (first, last, size), (w, b), known, out, g)
                loss, r = loss + part[0], r + part[1]
                if hessian:
                    tile = room[: last - first]
                    weigh_rows(self.X, first, last, self.centre, self.scale, curvature, tile)
                    H += tile.T @ tile
            return loss, np.append(g, r), H

        blocks = self.blocks if hessian else self.blocks_for_vectors()
        loss, g, H = self.fold(block, add_parts, blocks)
        value, gradient = loss / self.total + self.penalty(v), g / self.total
        gradient[:-1] = gradient[:-1] * self.scale + self.ridge * v[:-1]
        if not self.fit_intercept:
            gradient[-1] = 0.0
        if hessian:
            H /= self.total
            H[np.arange(self.p), np.arange(self.p)] += self.ridge
            if not self.fit_intercept:
                H[-1], H[:, -1], H[-1, -1] = 0.0, 0.0, 1.0
        return State(v, value, gradient, scores, curvature, H)

    def separates(self, state, step):
        """Tell whether a hyperplane separates the classes: if so, the loss has no minimum.

        It does if every sample is on its side now, or if the step moves every sample away from the
        boundary, or along it: going on in its direction then lowers the loss for ever.
        """
        counted = self.s > 0.0
        ahead = (self.labels * step)[counted]
        far = np.abs(ahead).max()
        if far > 0.1 and ahead.min() >= -1e-6 * far:
            return True
        return bool((self.labels * state.scores)[counted].min() > 0.0)

    def product(self, state, d):
        """Hessian times d, :eq:`eq-logistic-hessian`, without forming the Hessian."""
        line, scores, size = (d[:-1] * self.scale, float(d[-1])), np.empty(self.n), self.tile_rows()
        product = sparse_product if self.sparse else dense_product

        def block(rows):
            ends, out = (rows.start, rows.stop, size), np.zeros(self.p)
            total = product(self.features(), ends, line, state.curvature, scores, out)
            return np.append(out, total)

        result = self.fold(block, blocks=self.blocks_for_vectors()) / self.total
        result[:-1] = result[:-1] * self.scale + self.ridge * d[:-1]
        if not self.fit_intercept:
            result[-1] = d[-1]
        return result

    def solve_intercepts(self, state, r):
        """Change of the intercept alone for which the Hessian gives r, a number."""
        return r / max(float(state.curvature.sum()) / self.total, 1e-300)

    def model(self, state):
        """Return the map g -> H^-1 g for the Hessian in the state."""
        return factor_hessian(state.hessian)

    def diagonal(self, state):
        """Return the map g -> g / diagonal of the Hessian."""

        D = state.curvature
        return self.divide_by(np.append(self.squares(D), D.sum()))


class MultinomialLoss(_Loss):
    """The softmax loss of q classes; V is (q, p + 1), the intercepts last."""

    total_along = staticmethod(softmax_total)

    def __init__(self, X, codes, n_classes, s, alpha, fit_intercept, n_jobs=None):
        super().__init__(X, s, alpha, fit_intercept, n_jobs)
        self.labels, self.q = read_only(codes), n_classes
        self.design = None  # standardised features in float32, if they are held

    def start(self, coef, intercept):
        """Standardised parameters of coefficients (q, p) and intercepts (q,)."""
        V = np.column_stack([coef / self.scale, intercept + coef @ self.centre])
        return V - V.mean(axis=0)

    def finish(self, V):
        """Coefficients (q, p) and intercepts (q,) of standardised parameters."""
        # The same shift of all classes changes no probability. The shift to sum zero has the
        # smallest penalty.
        coef, intercept = super().finish(V - V.mean(axis=0))
        return coef, intercept - intercept.mean()

    def _raw(self, V):
        """Coefficients (p, q) and intercepts (q,) as the sparse kernels want them."""
        return np.ascontiguousarray((V[:, :-1] * self.scale).T), V[:, -1].copy()

    def _add_penalty(self, G, V):
        G[:, :-1] += self.ridge * V[:, :-1]
        if not self.fit_intercept:
            G[:, -1] = 0.0
        return G

    def _backward(self, G):
        """Bring the gradient of the sum to standardised parameters (q, p + 1)."""
        G = G / self.total
        if self.sparse:
            G = np.ascontiguousarray(G.T)
            G[:, :-1] *= self.scale
        # A shift of all classes moves no probability, so the sum over the classes is zero. What
        # rounding leaves of it no step can take away: it would only make steps long.
        return G - G.mean(axis=0)

    def tile(self, some):
        """Standardised rows and a column of ones."""
        if self.design is not None:
            return self.design[some]
        tile = np.empty((some.stop - some.start, self.width))
        standardise_rows(self.X, some.start, some.stop, self.centre, self.scale, tile)
        return tile

    def in_single(self):
        """Return this loss with its standardised features held in float32.

        A pass is then several times faster. Rounding the features by a part in 10^7 moves the
        minimum by about that, and the loss there by the square of it.
        """
        single = copy.copy(self)
        single.design = np.empty((self.n, self.width), np.float32)

        def block(rows):
            args = (self.X, rows.start, rows.stop, self.centre, self.scale)
            standardise_rows(*args, single.design[rows])

        self.fold(block, None)
        return single

    def _pass(self, V, per_tile):
        """One pass over X: scores of V into the callback, what it returns times X back.

        `per_tile(some, Z)` gets the scores (rows, q) of some rows and returns (number, rows to
        multiply).
        """
        if self.sparse:
            W, b = self._raw(V)

        def block(rows):
            total = 0.0
            G = np.zeros((self.p + 1, self.q) if self.sparse else (self.q, self.p + 1))
            for some in self.tiles(rows):
                if self.sparse:
                    m = some.stop - some.start
                    Z = np.empty((m, self.q))
                    part = self.X.indptr[some.start : some.stop + 1]
                    sparse_class_scores(self.X.data, self.X.indices, part, 0, m, W, b, Z)
                    value, R = per_tile(some, Z)
                    sparse_class_gradient(self.X.data, self.X.indices, part, 0, m, R, G)
                    G[-1] += R.sum(axis=0)
                else:
                    tile = self.tile(some)
                    value, R = per_tile(some, tile @ V.T.astype(tile.dtype))
                    G += R.T @ tile
                total += value
            return total, G

        total, G = self.fold(block, add_parts)
        return total, self._backward(G)

    def evaluate(self, V, hessian=False):
        """Value and gradient at V in one pass, :eq:`eq-multinomial-gradient`."""
        dtype = np.float64 if self.design is None else np.float32
        scores, P = np.empty((self.n, self.q), dtype), np.empty((self.n, self.q), dtype)

        def per_tile(some, Z):
            scores[some] = Z
            shift_rows(Z)
            part, R = np.exp(Z, out=P[some]), np.empty_like(Z)
            return softmax_terms(Z, part, self.labels[some], self.s[some], R), R

        loss, G = self._pass(V, per_tile)
        value = loss / self.total + self.penalty(V)
        H = self.full_hessian(P) if hessian else None
        return State(V, value, self._add_penalty(G, V), scores, P, H)

    def separates(self, state, step):
        """Tell whether the classes are separated, as :meth:`BinaryLoss.separates` does."""
        rows = np.flatnonzero(self.s > 0.0)
        own = self.labels[rows]
        for moves, limit in ((step, 0.1), (state.scores, 0.0)):
            # The margin of a sample is its own class's score less the best of the others. A shift
            # of all classes together is no move.
            margins = moves[rows] - moves[rows].mean(axis=1, keepdims=True)
            far = np.abs(margins).max()
            mine = margins[np.arange(len(rows)), own]
            margins[np.arange(len(rows)), own] = -np.inf
            ahead = mine - margins.max(axis=1)
            if limit and far > limit and ahead.min() >= -1e-6 * far:
                return True
            if not limit and ahead.min() > 0.0:
                return True
        return False

    def product(self, state, d):
        """Hessian times d, :eq:`eq-multinomial-hessian`, by two products with X."""

        def per_tile(some, T):
            softmax_product(state.curvature[some], self.s[some], 0, len(T), T)
            return 0.0, T

        _, G = self._pass(d, per_tile)
        return self._add_penalty(G, d)

    def solve_intercepts(self, state, r):
        """Change of the intercepts alone for which the Hessian gives r (q,)."""
        P, weights = state.curvature, self.s[:, np.newaxis]
        bend = (np.diag((P * weights).sum(axis=0)) - P.T @ (P * weights)) / self.total
        return np.linalg.pinv(bend, rcond=1e-13, hermitian=True) @ r

    def diagonal(self, state):
        """Return a map that roughly inverts the Hessian: by its diagonal, or for dense data better.

        With sparse data the diagonal is all that is cheap.
        """
        if not self.sparse and self.width <= MAX_MODEL:
            return self.model(state)
        P = state.curvature
        D = self.s[:, np.newaxis] * P * (1.0 - P)
        features = [self.squares(np.ascontiguousarray(d)) for d in D.T]
        return self.divide_by(np.column_stack([features, D.sum(axis=0)]))

    def model(self, state):
        r"""Return a map that roughly inverts the Hessian, one p x p factor for each class.

        The Hessian is a mean over the samples of (diag(p_i) - p_i p_i') times x_i x_i'. The model
        takes the mean of each factor instead of that of the product. With the eigenvectors of the
        q x q factor, it falls apart into one p x p system for each. Böhning's bound,
        :eq:`eq-boehning-bound`, is the special case that puts the largest possible matrix in the
        place of the mean one.
        """
        P, weights = state.curvature.astype(np.float64), self.s[:, np.newaxis]
        mean = (P * weights).sum(axis=0) / self.total
        between = np.diag(mean) - P.T @ (P * weights) / self.total
        eigenvalues, U = np.linalg.eigh(between)
        # The shift of all classes has eigenvalue zero, and no gradient. Any number will do for it.
        eigenvalues = np.maximum(eigenvalues, 1e-3 * eigenvalues.mean())
        A = self.second_moments()
        ridge = np.append(self.ridge, 0.0)
        inverses = np.empty((self.q, self.width, self.width))
        for k, eigenvalue in enumerate(eigenvalues):
            inverses[k] = factor_hessian(eigenvalue * A + np.diag(ridge))(np.eye(self.width))

        def solve(G):
            return U @ np.matmul(inverses, (U.T @ G)[:, :, np.newaxis])[:, :, 0]

        # <span>: the mean of a product is the product of the means where the factors do not depend
        # on each other. They do along the coefficients, since those decide the probabilities.
        # There, the model is replaced by the Hessian itself, which is small.
        S = self._span(state.v)
        if S is None:
            return solve
        r = S.shape[1]
        small = S.T @ (ridge[:, np.newaxis] * S)
        modelled = np.kron((U * eigenvalues) @ U.T, S.T @ A @ S) + np.kron(np.eye(self.q), small)
        true = self.full_hessian(P, S)
        solve_modelled, solve_true = factor_hessian(modelled), factor_hessian(true)

        def corrected(G):
            inside = (G @ S).reshape(-1)
            change = (solve_true(inside) - solve_modelled(inside)).reshape(self.q, r)
            return solve(G) + change @ S.T

        return corrected

    def _span(self, V):
        """Orthonormal basis (p + 1, r) of the coefficients and the constant, or None if large."""
        _, values, rows = np.linalg.svd(V[:, :-1], full_matrices=False)
        n_directions = min(int((values > 1e-6 * values[0]).sum()), MAX_SPAN // self.q - 1)
        if n_directions < 1 or values[0] == 0.0:
            return None
        S = np.zeros((self.width, n_directions + 1))
        S[:-1, :-1] = rows[:n_directions].T
        S[-1, -1] = 1.0
        return S

    def second_moments(self):
        """Weighted second moments of the standardised features and the constant."""

        def block(rows):
            H = np.zeros((self.width, self.width))
            for some in self.tiles(rows):
                tile = self.tile(some)
                tile = tile * np.sqrt(self.s[some, np.newaxis]).astype(tile.dtype)
                H += tile.T @ tile
            return H

        A = self.fold(block) / self.total
        if not self.fit_intercept:
            A[-1], A[:, -1], A[-1, -1] = 0.0, 0.0, 1.0
        return A

    def full_hessian(self, P, S=None):
        """The Hessian, (q m, q m), :eq:`eq-multinomial-hessian`, at probabilities P (n, q).

        S (p + 1, m), if given, is a basis of the directions that matter, the constant last;
        otherwise m = p + 1. A block of diag(p_i) for each class, less one product of wide rows,
        p_i times x_i.
        """
        q, m = self.q, self.width if S is None else S.shape[1]

        def block(rows):
            H = np.zeros((q * m, q * m))
            for some in self.tiles(rows):
                tile = self.tile(some)
                tile = tile if S is None else tile @ S.astype(tile.dtype)
                tile, part = tile * np.sqrt(self.s[some, np.newaxis]), P[some]
                for k in range(q):
                    scaled = tile * np.sqrt(part[:, k, np.newaxis])
                    H[k * m : (k + 1) * m, k * m : (k + 1) * m] += scaled.T @ scaled
                wide = (part[:, :, np.newaxis] * tile[:, np.newaxis, :]).reshape(-1, q * m)
                H -= wide.T @ wide
            return H

        H = (self.fold(block) / self.total).reshape(q, m, q, m)
        ridge = np.diag(np.append(self.ridge, 0.0))
        ridge = ridge if S is None else S.T @ ridge @ S
        # The shift of all classes changes nothing. A curvature in its direction, where there is no
        # gradient, makes the matrix definite.
        shift = np.einsum("kjkj->j", H) / q**2
        for k in range(q):
            H[k, :, k, :] += ridge
            H[k, np.arange(m), :, np.arange(m)] += shift[:, np.newaxis]
        if not self.fit_intercept:
            H[:, -1], H[:, :, :, -1] = 0.0, 0.0
            H[np.arange(q), -1, np.arange(q), -1] = 1.0
        return H.reshape(q * m, q * m)
