r"""Logistic losses of features: values, gradients and Hessians, in one pass over blocks of rows.

Both losses are means over the samples, with weights s_i, plus a quadratic penalty:

    F(W, b) = sum_i s_i loss_i / sum_i s_i + alpha / 2 ||W||^2.

Two classes have one row of coefficients, q > 2 classes have q. Given the scores, the linear
functions of the samples, :class:`Loss` tells the losses and their derivatives; :class:`Objective`
adds the features and the penalty.

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

from litlearn._core.jit import njit
from litlearn._core.parallel import cut, single_threaded_blas
from litlearn._core.validation import is_sparse, read_only
from litlearn.linear_model import _losses, _matrix
from litlearn.linear_model._newton import factor_hessian

MAX_MODEL = 4000  # features up to which a p x p matrix is factored for each class
MAX_SPAN = 400  # most parameters along which the model of several classes is exact
SAMPLE_ROWS = 1024  # rows from which centre and scale are taken


# ------------------------------------------------------------------ products with the features


@njit(reassociate=True)
def dense_scores(X, centre, w, scores):
    """Linear functions (x - centre).w + b of rows of X (n, p), into scores (n,); w ends with b."""
    p = X.shape[1]
    for i in range(X.shape[0]):
        total = 0.0
        for j in range(p):
            total += (X[i, j] - centre[j]) * w[j]
        scores[i] = total + w[p]


@njit(reassociate=True)
def dense_gradient(X, centre, residual, gradient):
    """Add residual_i (x_i - centre, 1) of rows of X (n, p) to gradient (p + 1,)."""
    p, total = X.shape[1], 0.0
    for i in range(X.shape[0]):
        r = residual[i]
        total += r
        for j in range(p):
            gradient[j] += r * (X[i, j] - centre[j])
    gradient[p] += total


# Of the sparse kernels: an index that cannot be negative, as its type says, needs no test for one,
# and only then does the compiler gather with vector instructions.


@njit(reassociate=True)
def sparse_scores(data, indices, indptr, w, scores):
    """Linear functions of rows of a CSR matrix, into scores (n,); w (p + 1,) ends with b."""
    for i in range(scores.size):
        total = 0.0
        for k in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
            total += data[k] * w[np.uint32(indices[k])]
        scores[i] = total + w[w.size - 1]


@njit
def sparse_gradient(data, indices, indptr, residual, gradient):
    """Add residual_i (x_i, 1) of rows of a CSR matrix to gradient (p + 1,)."""
    total = 0.0
    for i in range(residual.size):
        r = residual[i]
        total += r
        for k in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
            gradient[np.uint32(indices[k])] += r * data[k]
    gradient[gradient.size - 1] += total


# Both passes over tiles of a block in one compiled call: between calls, threads would wait for each
# other at the interpreter for longer than a tile takes.


@njit
def answer(known, out, start, stop):
    """Residuals of some samples from their scores, and their loss; or a product's, without y."""
    (y, s), (scores, residual, curvature) = known, out
    if y.size:
        own = scores[start:stop], y[start:stop], s[start:stop]
        return _losses.logistic_terms(*own, residual[start:stop], curvature[start:stop])
    for i in range(start, stop):
        residual[i] = curvature[i] * scores[i]
    return 0.0


@njit
def dense_pass(features, w, known, out, size, gradient):
    """Scores, residuals and gradient of rows, tile by tile from the cache; returns their loss.

    features: X (n, p) and centre (p,); w (p + 1,): coefficients and intercept; known: y and s (n,);
    out: scores, residual and curvature (n,); size: rows of a tile; gradient (p + 1,) is added to.
    If y is empty, the curvature is given, and the residuals are the changes of scores times it.
    """
    (X, centre), n, loss = features, out[0].size, 0.0
    for start in range(0, n, size):
        stop = min(start + size, n)
        dense_scores(X[start:stop], centre, w, out[0][start:stop])
        loss += answer(known, out, start, stop)
        dense_gradient(X[start:stop], centre, out[1][start:stop], gradient)
    return loss


@njit
def sparse_pass(features, w, known, out, size, gradient):
    """As `dense_pass`, for data, indices and indptr of a CSR matrix."""
    (data, indices, indptr), n, loss = features, out[0].size, 0.0
    for start in range(0, n, size):
        stop = min(start + size, n)
        sparse_scores(data, indices, indptr[start : stop + 1], w, out[0][start:stop])
        loss += answer(known, out, start, stop)
        part = indptr[start : stop + 1]
        sparse_gradient(data, indices, part, out[1][start:stop], gradient)
    return loss


@njit
def sparse_class_scores(data, indices, indptr, W, Z):
    """Scores Z (n, q) of rows of a CSR matrix for all classes; W (p + 1, q) ends with b."""
    last, q = W.shape[0] - 1, W.shape[1]
    for i in range(Z.shape[0]):
        for k in range(q):
            Z[i, k] = W[last, k]
        for e in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
            j, x = np.uint32(indices[e]), data[e]
            for k in range(q):
                Z[i, k] += x * W[j, k]


@njit
def sparse_class_gradient(data, indices, indptr, R, G):
    """Add (x_i, 1) r_i' of rows of a CSR matrix, R (n, q), to G (p + 1, q)."""
    last, q = G.shape[0] - 1, R.shape[1]
    for i in range(R.shape[0]):
        for k in range(q):
            G[last, k] += R[i, k]
        for e in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
            j, x = np.uint32(indices[e]), data[e]
            for k in range(q):
                G[j, k] += x * R[i, k]


@njit
def sparse_squares(data, indices, indptr, weight, scale, out):
    """Add sum_i weight_i (x_ij scale_j)^2 of rows of a CSR matrix, and of ones, to out (p + 1,)."""
    for i in range(weight.size):
        out[out.size - 1] += weight[i]
        for k in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
            value = data[k] * scale[np.uint32(indices[k])]
            out[np.uint32(indices[k])] += weight[i] * value * value


@njit
def dense_squares(X, centre, weight, scale, out):
    """As `sparse_squares`, of rows of X (n, p) less the centre."""
    p = X.shape[1]
    for i in range(weight.size):
        out[p] += weight[i]
        for j in range(p):
            value = (X[i, j] - centre[j]) * scale[j]
            out[j] += weight[i] * value * value


@njit
def largest_entries(data, indices, out):
    """Raise out[j] (p,) to the largest |entry| of column j of a CSR matrix."""
    for k in range(data.size):
        out[np.uint32(indices[k])] = max(out[np.uint32(indices[k])], abs(np.float64(data[k])))


# ------------------------------------------------------------------ the loss of parameters


class State(NamedTuple):
    """A loss at one point: its value, its gradient, and what a Hessian product needs."""

    v: np.ndarray  # (q, p + 1): parameters, standardised
    value: float  # mean loss and penalty
    gradient: np.ndarray  # (q, p + 1)
    scores: np.ndarray  # (n, q)
    curvature: np.ndarray  # (n, q): P of :meth:`Loss.terms`


class Objective:
    """The mean loss with an l2 penalty; its parameters (q, p + 1) end with the intercepts.

    Parameters
    ----------
    X : ndarray or CSR array of shape (n, p)
    codes : ndarray of shape (n,)
        Classes, from 0.
    q : int
        1 for two classes, otherwise their number.
    s : ndarray of shape (n,)
        Weights.
    alpha : float
        Weight of the penalty.
    fit_intercept : bool
    n_jobs : int or None
    transform : pair of ndarray of shape (p,), default=None
        Centre and spread of the features; None: found from X.
    """

    def __init__(self, X, codes, q, s, alpha, fit_intercept, n_jobs=None, transform=None):
        self.q, self.n_jobs, self.fit_intercept = q, n_jobs, fit_intercept
        self.loss = _losses.loss_of(codes, q, s, n_jobs)
        self.sparse, (self.n, self.p) = is_sparse(X), X.shape
        self.width, self.total = self.p + 1, float(s.sum())
        if transform is None:
            transform = sparse_transform(X) if self.sparse else dense_transform(X, s, fit_intercept)
        centre, spread = transform
        # Where the penalty weighs more than the data, it sets the scale.
        alpha = min(alpha, 1e290)
        self.scale = 1.0 / np.maximum(spread, math.sqrt(alpha))
        self.ridge = alpha * self.scale * self.scale  # at most 1
        self.certifies = bool(self.ridge.min() > 1e-14)  # it is not lost in the rounding of H
        if self.sparse:
            self.matrix = _matrix.Sparse(X, self.scale, n_jobs)
        else:
            self.matrix = _matrix.Dense(X, centre, self.scale, n_jobs)

    def part(self, stride):
        """Return the objective of every stride-th sample, or None if a class is missing there."""
        rows, whole = slice(None, None, stride), self.loss
        labels, s = read_only(whole.labels[rows]), read_only(whole.s[rows])
        if len(np.unique(labels[s > 0.0])) < len(np.unique(whole.labels[whole.s > 0.0])):
            return None
        smaller, X = copy.copy(self), read_only(self.matrix.X[rows])
        smaller.loss = whole._replace(labels=labels, s=s)
        smaller.matrix = _matrix.Dense(X, self.matrix.centre, self.scale, self.n_jobs)
        smaller.n, smaller.total = len(s), float(s.sum())
        return smaller

    def in_single(self):
        """Return this objective with its standardised features held in float32."""
        single = copy.copy(self)
        single.matrix = self.matrix.in_single()
        return single

    # Parameters, standardised and not.

    def start(self, coef, intercept):
        """Standardised parameters of coefficients (q, p) and intercepts (q,)."""
        intercept = intercept + coef @ self.matrix.centre
        return self._centred(np.column_stack([coef / self.scale, intercept]))

    def finish(self, V):
        """Coefficients (q, p) and intercepts (q,) of standardised parameters."""
        # The shift of all classes to sum zero has the smallest penalty.
        V = self._centred(V)
        coef = V[:, :-1] * self.scale
        return coef, self._centred(V[:, -1] - coef @ self.matrix.centre)

    def _centred(self, V):
        """Shift all classes alike, which changes no probability: then they sum to zero."""
        return V if self.q == 1 else V - V.mean(axis=0)

    def penalty(self, V):
        return 0.5 * float(np.sum(self.ridge * V[:, :-1] ** 2))

    # Passes over the features.

    def _blocks(self, hessian=False):
        """Blocks of rows, where the part of each is a vector, or a Hessian."""
        if self.sparse:
            return self.matrix.blocks()
        entries = _matrix.ROW_BLOCK_ENTRIES
        entries = max(entries, 4 * self.p**2) if hessian else entries // 2
        return cut(self.n, max(16, entries // self.p))

    def _tile_rows(self):
        return self.matrix.tile_rows() if self.sparse else self.matrix.tile_rows(self.width)

    def _rows(self, some):
        """Some rows in the form that the kernels of a pass take."""
        if self.sparse:
            data, indices, indptr = self.matrix.entries
            return data, indices, indptr[some.start : some.stop + 1]
        return self.matrix.X[some], self.matrix.centre

    def _pass(self, V, scores, P, known=True):
        """One pass over X: scores (n, q) of V, residuals, and these times X.

        P (n, q) is output, or if the outcomes are not `known` it is given, and the residuals are
        the changes of scores times the curvature. Returns the mean loss and the means of residuals
        times rows (q, p + 1), with the penalty's part.
        """
        tiled, turned = self.q > 1 and not self.sparse, self.q > 1 and self.sparse
        unit = np.append(self.scale, 1.0)
        W = V.astype(scores.dtype) if tiled else V * unit
        W = np.ascontiguousarray(W.T) if turned else W
        block = self._class_pass if self.q > 1 else self._binary_pass

        def part(rows):
            G = np.zeros(W.shape)
            return block(rows, W, scores, P, known, G), G

        total, G = _matrix.fold(part, add_parts, self._blocks(), self.n_jobs)
        G = (G.T if turned else G) / self.total
        # What rounding leaves of a shift of all classes no step can take away: it would only make
        # steps long.
        G = self._centred(G if tiled else G * unit)
        G[:, :-1] += self.ridge * V[:, :-1]
        if not self.fit_intercept:
            G[:, -1] = 0.0
        return total / self.total, G

    def _binary_pass(self, rows, W, scores, P, known, G):
        """The loss of a block of rows of two classes; its products are added to G."""
        outcomes = self.loss.labels[rows if known else slice(0)], self.loss.s[rows]
        out = scores[rows, 0], np.empty(rows.stop - rows.start), P[rows, 0]
        one_pass = sparse_pass if self.sparse else dense_pass
        return one_pass(self._rows(rows), W[0], outcomes, out, self._tile_rows(), G[0])

    def _class_pass(self, rows, W, scores, P, known, G):
        """As `_binary_pass`, of more classes: dense rows are standardised, for BLAS to multiply."""
        loss = 0.0
        for some in cut(rows, self._tile_rows()):
            part, Z = self._rows(some) if self.sparse else self.matrix.tile(some), scores[some]
            if self.sparse:
                sparse_class_scores(*part, W, Z)
            else:
                np.dot(part, W.T, out=Z)
            R = np.empty_like(Z) if known else Z
            if known:
                loss += self.loss.terms(some, Z, R, P[some])
            else:
                _losses.softmax_product(P[some], self.loss.s[some], R)
            if self.sparse:
                sparse_class_gradient(*part, R, G)
            else:
                G += R.T @ part
        return loss

    def evaluate(self, V):
        """Value and gradient at V, :eq:`eq-logistic-gradient`, :eq:`eq-multinomial-gradient`."""
        dtype = np.float64 if self.sparse or self.matrix.single is None else np.float32
        scores, P = np.empty((2, self.n, self.q), dtype)
        loss, G = self._pass(V, scores, P)
        return State(V, loss + self.penalty(V), G, scores, P)

    def product(self, state, d):
        """Hessian times d, without forming it: two products with X.

        Implements :eq:`eq-logistic-hessian` and :eq:`eq-multinomial-hessian`.
        """
        P = state.curvature
        return self._pass(d, np.empty_like(P), P, known=False)[1]

    def value_along(self, state, step, d, t):
        """Value at v + t d, where step (n, q) is the change of the scores for t = 1."""
        loss = self.loss.along(state.scores, step, t)
        return loss / self.total + self.penalty(state.v + t * d)

    # The Hessian, and what takes its place.

    def hessian_cost(self, size):
        """Multiplications that a Hessian of so many parameters and its factorisation take."""
        return self.n * size**2 / 2 + size**3 / 3

    def diagonal(self, state):
        """Return a map that roughly inverts the Hessian: by its diagonal, or for dense data better.

        With sparse data the diagonal is all that is cheap.
        """
        if self.q > 1 and not self.sparse and self.width <= MAX_MODEL:
            return self.model(state)
        A, B = self.loss.curvature(state.curvature)
        weights = A if B is None else A * (1.0 - B)

        squares = sparse_squares if self.sparse else dense_squares

        def block(rows):
            out = np.zeros((self.q, self.width))
            part = self._rows(rows)
            for total, weight in zip(out, weights[rows].T, strict=True):
                squares(*part, np.ascontiguousarray(weight), self.scale, total)
            return out

        diagonal = _matrix.fold(block, operator.iadd, self._blocks(), self.n_jobs) / self.total
        diagonal[:, :-1] += self.ridge
        diagonal = np.maximum(diagonal, 1e-12 * max(diagonal.max(), 1e-290))
        return lambda g: g / diagonal

    def model(self, state):
        r"""Return a map that inverts the Hessian, or for several classes roughly.

        That of several classes is a mean over the samples of (diag(p_i) - p_i p_i') times x_i x_i'.
        The model takes the mean of each factor instead of that of the product. With the
        eigenvectors of the q x q factor, it falls apart into one p x p system for each. Böhning's
        bound, :eq:`eq-boehning-bound`, is the special case that puts the largest possible matrix in
        the place of the mean one.
        """
        if self.q == 1:
            return factor_hessian(self.hessian(state))
        P = state.curvature.astype(np.float64)
        between = _losses.intercepts_hessian(*self.loss.curvature(P)) / self.total
        eigenvalues, U = np.linalg.eigh(between)
        # The shift of all classes has eigenvalue zero, and no gradient. Any number will do for it.
        eigenvalues = np.maximum(eigenvalues, 1e-3 * eigenvalues.mean())
        A = self.second_moments()
        ridge = np.diag(np.append(self.ridge, 0.0))
        inverses = np.empty((self.q, self.width, self.width))
        for k, eigenvalue in enumerate(eigenvalues):
            inverses[k] = factor_hessian(eigenvalue * A + ridge)(np.eye(self.width))

        def solve(G):
            return U @ np.matmul(inverses, (U.T @ G)[:, :, np.newaxis])[:, :, 0]

        # <span>: the mean of a product is the product of the means where the factors do not depend
        # on each other. They do along the coefficients, since those decide the probabilities.
        # There, the model is replaced by the Hessian itself, which is small.
        S = self._span(state.v)
        if S is None:
            return solve
        small = S.T @ ridge @ S
        modelled = np.kron((U * eigenvalues) @ U.T, S.T @ A @ S) + np.kron(np.eye(self.q), small)
        true = self.hessian(state, S)
        solve_modelled, solve_true = factor_hessian(modelled), factor_hessian(true)

        def corrected(G):
            inside = G @ S
            return solve(G) + (solve_true(inside) - solve_modelled(inside)) @ S.T

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
        root = np.sqrt(self.loss.s)

        def tile(rows, _, room):
            return self.matrix.tile(rows, root[rows], room=room)

        A = self._gram(tile, [self.width], None, self._tile_rows())
        if not self.fit_intercept:
            A[-1], A[:, -1], A[-1, -1] = 0.0, 0.0, 1.0
        return A

    def hessian(self, state, S=None):
        """The Hessian (q m, q m), :eq:`eq-logistic-hessian`, :eq:`eq-multinomial-hessian`.

        S (p + 1, m), if given, is a basis of the directions that matter, the constant last;
        otherwise m = p + 1.
        """
        q, ridge = self.q, np.diag(np.append(self.ridge, 0.0))
        ridge = ridge if S is None else S.T @ ridge @ S
        m, (A, B) = len(ridge), self.loss.curvature(state.curvature)
        roots = np.sqrt(np.ascontiguousarray(A.T))

        def tile(rows, k, room):
            if S is None:
                return self.matrix.tile(rows, roots[k, rows], room=room)
            return self.matrix.tile(rows) @ S * roots[k, rows, np.newaxis]

        H = self._gram(tile, [m] * q, B, self.matrix.tile_rows(q * m, _matrix.TILE_ROWS))
        if q > 1:
            # The shift of all classes changes nothing. A curvature in its direction, where there is
            # no gradient, makes the matrix definite.
            shift = np.diag(H.diagonal().reshape(q, m).sum(axis=0) / q**2)
            H += np.tile(shift, (q, q))
        return self._penalised(H, ridge)

    def _penalised(self, H, ridge):
        """Add the penalties (m, m) of each class to a Hessian (q m, q m), in place."""
        q, m = self.q, len(ridge)
        for k in range(0, q * m, m):
            H[k : k + m, k : k + m] += ridge
        if not self.fit_intercept:
            ends = slice(m - 1, None, m)
            H[ends], H[:, ends] = 0.0, 0.0
            H[ends, ends] = np.eye(q)
        return H

    def _gram(self, tile, widths, B, size):
        """The mean of weighted products of rows, as :func:`weighted_gram` has them."""
        blocks = self._blocks(hessian=True)
        return _matrix.weighted_gram(tile, widths, B, blocks, size, self.n_jobs) / self.total

    # What certificates and starts need.

    def solve_intercepts(self, state, r):
        """Change of the intercepts alone for which the Hessian gives r (q,)."""
        H = _losses.intercepts_hessian(*self.loss.curvature(state.curvature)) / self.total
        return _losses.pseudoinverse(np.maximum(H, 1e-300) if self.q == 1 else H) @ r

    def deficit(self, state, d, r):
        r"""Bound g.H^-1 g + g.d for a step d with the residual r = -g - H d.

        That is d.r + r.H^-1 r. The intercepts can be eliminated from the last term: a step e of
        theirs leaves a residual in the coefficients alone, where the penalty is part of H, which is
        therefore at least as large. Zero if there is no penalty, or next to none: then nothing is
        known but that r is small.
        """
        if not self.certifies:
            return 0.0
        e = np.zeros_like(r)
        e[:, -1] = self.solve_intercepts(state, r[:, -1])
        rest = r - self.product(state, e) if np.any(e) else r
        return float(np.vdot(d, r) + np.vdot(r, e)) + self.bound(rest)

    def bound(self, r):
        """Bound r.H^-1 r for r without an entry for intercepts; 0 if next to nothing is known."""
        return float(np.sum(r[:, :-1] ** 2 / self.ridge)) if self.certifies else 0.0

    def separates(self, state, step):
        """Tell whether a hyperplane separates the classes: if so, the loss has no minimum.

        It does if every sample is on its side now, or if the step moves every sample away from the
        boundary, or along it: going on in its direction then lowers the loss for ever.
        """
        counted = np.flatnonzero(self.loss.s > 0.0)
        labels = self.loss.labels[counted]
        ahead, far = _losses.margins(step[counted], labels)
        if far > 0.1 and ahead.min() >= -1e-6 * far:
            return True
        return bool(_losses.margins(state.scores[counted], labels)[0].min() > 0.0)


def add_parts(total, part):
    """Add up what blocks return: a number and an array."""
    return total[0] + part[0], operator.iadd(total[1], part[1])


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
