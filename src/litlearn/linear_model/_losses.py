"""The logistic losses of scores, the linear functions of the samples: values and derivatives.

Two classes have one row of coefficients, q > 2 classes have q, and the scores as many columns. A
loss of samples is a sum with weights s_i. :class:`Loss` tells it, and its derivatives in the
scores; what the scores are made of is no matter here.
"""

import math
import operator
from typing import NamedTuple

import numpy as np

from litlearn._core.exponential import exponential, log_one_plus
from litlearn._core.jit import njit
from litlearn._core.parallel import cut, fold_blocks
from litlearn._core.validation import read_only

BLOCK_ENTRIES = 2**20  # entries of X in a block, the unit of work of a thread
ROW_ENTRIES = 64  # what a row of scores counts as
FLATTEST = 1e-10  # least curvature of a sample's loss, as a share of its weight


@njit(reassociate=True)
def logistic_terms(scores, y, s, residual, curvature):
    """Loss, residuals and curvature of samples from their scores, :eq:`eq-logistic-loss`.

    scores, y, s, residual, curvature (n,): y is +1 or -1, s the weights; the last two are output.
    Returns the sum of the weighted losses.
    """
    total = 0.0
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
def logistic_total(scores, step, t, y, s):
    """Sum of weighted losses at scores + t * step, for the line search: no pass over X."""
    total = 0.0
    for i in range(scores.size):
        u = y[i] * (scores[i] + t * step[i])
        total += s[i] * (log_one_plus(exponential(-abs(u))) + max(-u, 0.0))
    return total


@njit
def logistic_entropy(residual, s, scale):
    """Dual objective of samples at scale * residual: the weighted entropies, for two classes.

    residual, s (n,): |residual_i| / s_i is the probability of the wrong class; 0 <= scale <= 1.
    """
    total = 0.0
    for i in range(residual.size):
        if s[i] > 0.0:
            u = scale * abs(residual[i]) / s[i]
            if u > 0.0:
                total -= s[i] * u * math.log(u)
            if u < 1.0:
                total -= s[i] * (1.0 - u) * math.log1p(-u)
    return total


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
    labels, s (rows,): classes and weights; R (rows, q): output, :math:`s_i (p_i - e_{y_i})`.
    Returns the sum of the weighted losses.
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
def softmax_total(Z, step, t, labels, s):
    """Sum of weighted losses at Z + t * step, for the line search: no pass over X."""
    q = Z.shape[1]
    total = 0.0
    for i in range(Z.shape[0]):
        largest = Z[i, 0] + t * step[i, 0]
        for k in range(1, q):
            largest = max(largest, Z[i, k] + t * step[i, k])
        mass = 0.0
        for k in range(q):
            mass += math.exp(Z[i, k] + t * step[i, k] - largest)
        own = Z[i, labels[i]] + t * step[i, labels[i]] - largest
        total += s[i] * (math.log(mass) - own)
    return total


@njit
def softmax_entropy(P, labels, s, scale):
    """Dual objective of samples, for many classes: weighted entropies.

    They are those of :math:`c p_i + (1 - c) e_{y_i}`, where c is the scale.

    P (n, q): probabilities; labels (n,): classes; s (n,): weights; 0 <= scale <= 1.
    """
    total = 0.0
    for i in range(P.shape[0]):
        for k in range(P.shape[1]):
            u = scale * P[i, k]
            if k == labels[i]:
                u += 1.0 - scale
            if u > 0.0:
                total -= s[i] * u * math.log(u)
    return total


@njit
def softmax_product(P, s, T):
    """Scores' part of the Hessian product, :eq:`eq-multinomial-hessian`, in place.

    P (rows, q): probabilities; T (rows, q): change of the scores, replaced by
    s_i (diag(p_i) - p_i p_i') t_i.
    """
    q = P.shape[1]
    for i in range(P.shape[0]):
        mean = 0.0
        for k in range(q):
            mean += P[i, k] * T[i, k]
        for k in range(q):
            T[i, k] = s[i] * P[i, k] * (T[i, k] - mean)


class Point(NamedTuple):
    """The losses at some scores, and their derivatives there.

    The second derivative in the scores of classes k and l is A_ik (1 - B_ik) for k = l and
    -A_ik B_il otherwise; B is None for two classes.
    """

    scores: np.ndarray  # (n, q)
    loss: float
    residual: np.ndarray  # (n, q), first derivative
    A: np.ndarray  # (n, q)
    B: np.ndarray | None  # (n, q)


class Loss(NamedTuple):
    """The classes of samples and their weights: all that a loss knows of them but the features."""

    labels: np.ndarray  # (n,): +1 and -1 for two classes, otherwise numbers from 0
    s: np.ndarray  # (n,)
    q: int  # rows of coefficients: 1 for two classes
    n_jobs: int | None

    def terms(self, rows, Z, R, P):
        """Return the loss of some rows at their scores Z (rows, q).

        R and P (rows, q) are output: residuals, and curvatures or for q > 1 probabilities.
        """
        y, s = self.labels[rows], self.s[rows]
        if self.q == 1:
            return logistic_terms(Z[:, 0], y, s, R[:, 0], P[:, 0])
        shifted = Z.copy()
        shift_rows(shifted)
        np.exp(shifted, out=P)
        return softmax_terms(shifted, P, y, s, R)

    def curvature(self, P, rows=slice(None)):
        """Return A and B as in :class:`Point` from what `terms` has told of some rows."""
        return (P, None) if self.q == 1 else (P * self.s[rows, np.newaxis], P)

    def fold(self, part):
        """Add up numbers that `part` returns for blocks of rows."""
        blocks = cut(len(self.s), BLOCK_ENTRIES // ROW_ENTRIES)
        return fold_blocks(part, operator.add, blocks, self.n_jobs)

    def evaluate(self, scores):
        """Return the :class:`Point` at scores (n, q).

        Samples far from the boundary have next to no curvature: rounded to zero, it would leave a
        model without a minimum.
        """
        residual, P = np.empty(scores.shape), np.empty(scores.shape)
        loss = self.fold(lambda rows: self.terms(rows, scores[rows], residual[rows], P[rows]))
        A, B = self.curvature(P)
        return Point(scores, loss, residual, np.maximum(A, FLATTEST * self.s[:, None]), B)

    def along(self, scores, step, t):
        """Return the loss at scores + t step."""

        def block(rows):
            y, s = self.labels[rows], self.s[rows]
            if self.q == 1:
                return logistic_total(scores[rows, 0], step[rows, 0], t, y, s)
            return softmax_total(scores[rows], step[rows], t, y, s)

        return self.fold(block)

    def entropy(self, point, scale):
        """Return the dual objective at the scaled residuals."""

        def block(rows):
            if self.q == 1:
                return logistic_entropy(point.residual[rows, 0], self.s[rows], scale)
            return softmax_entropy(point.B[rows], self.labels[rows], self.s[rows], scale)

        return self.fold(block)


def loss_of(codes, q, s, n_jobs):
    """Return the :class:`Loss` of codes from 0 on, and weights."""
    labels = np.where(codes == 1, 1.0, -1.0) if q == 1 else codes
    return Loss(read_only(labels), read_only(s), q, n_jobs)


def intercepts_hessian(A, B):
    """Return the Hessian (q, q) in the intercepts."""
    H = np.diag(A.sum(axis=0))
    return H if B is None else H - A.T @ B


def pseudoinverse(H):
    """That of the Hessian of the intercepts, (q, q): a common shift of them changes nothing."""
    return 1.0 / H if len(H) == 1 else np.linalg.pinv(H, rcond=1e-13, hermitian=True)


def margins(Z, labels):
    """Margins of samples with scores Z (n, q), and the largest score without its class's share.

    For q > 1 that of its own class less the best of the others. A shift of all is no move.
    """
    if Z.shape[1] == 1:
        return labels * Z[:, 0], np.abs(Z).max()
    rest, rows = Z - Z.mean(axis=1, keepdims=True), np.arange(len(Z))
    far, own = np.abs(rest).max(), rest[rows, labels]
    rest[rows, labels] = -np.inf
    return own - rest.max(axis=1), far
