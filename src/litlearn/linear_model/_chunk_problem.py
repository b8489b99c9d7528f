"""The logistic loss of samples in chunks, as the proximal Newton method asks for it.

That method is told scores and residuals, which have a row for each sample, and hands them on: it
never looks into them. Here the parameters (p + 1, q) stand for the scores, of which they are all
there is to know, and the gradient in the parameters stands for the residuals. Products of the two
are the same numbers, and nothing has an entry for each sample. The last rows are the intercepts, of
centred features.

A pass over the chunks gives the loss, the gradient and the Hessian in all coefficients, as sums of
what each chunk says, by the functions for samples in memory.
"""

from typing import NamedTuple

import numpy as np

from litlearn._core.chunked import fold_rows, kept
from litlearn.linear_model._chunk_objective import chunk_transform
from litlearn.linear_model._losses import loss_of
from litlearn.linear_model._matrix import Dense


class ChunkPoint(NamedTuple):
    """The loss at some parameters, as :class:`litlearn.linear_model._losses.Point`."""

    scores: np.ndarray  # (p + 1, q): the parameters
    loss: float
    residual: np.ndarray  # (p + 1, q): the gradient
    A: np.ndarray  # (q p + q, q p + q): the Hessian, class after class, then the intercepts
    B: None
    entropy: float  # the dual objective at the residuals


def add_sums(a, b):
    """Add up what two chunks say."""
    return tuple(one + other for one, other in zip(a, b, strict=True))


class ChunkMatrix:
    """Samples in chunks, in the place of :class:`litlearn.linear_model._matrix.Dense`."""

    sparse = rounded = False

    def __init__(self, X, centre):
        self.X, self.centre, self.p = X, centre, X.shape[1]

    def scores(self, chosen, d, q):
        """Parameters (p + 1, q) of coefficients d (m,), chosen as class * p + column."""
        V = np.zeros((self.p + 1, q))
        V[chosen % self.p, chosen // self.p] = d
        return V

    def shift(self, b):
        """Parameters that add b (q,) to the scores of all samples."""
        return np.vstack([np.zeros((self.p, len(b))), b])

    def totals(self, G):
        """Sums (q,) of the residuals that the gradient G stands for."""
        return G[-1]

    def transpose_times(self, G):
        """R' X, (q, p), for the residuals that the gradient stands for."""
        return G[:-1].T + np.outer(G[-1], self.centre)

    def hessian(self, columns, A, B):
        """The part of the Hessian of the chosen coefficients, and of the intercepts."""
        q = len(columns)
        chosen = [k * self.p + own for k, own in enumerate(columns)]
        places = np.concatenate([*chosen, q * self.p + np.arange(q)])
        return A[np.ix_(places, places)]

    def intercepts_hessian(self, point):
        q = point.scores.shape[1]
        return point.A[-q:, -q:]


class ChunkLoss:
    """Classes and weights in chunks, in the place of :class:`litlearn.linear_model._losses.Loss`.

    It knows the point that was asked last: the line search has been where the next step begins.
    """

    def __init__(self, X, codes, q, s, centre):
        self.arrays = X, codes, s
        self.s, self.q, self.centre, self.last = s, q, centre, None

    def _fold(self, say, V, merge):
        """Merge ``say(loss, point, own, T)`` of each chunk, whose standardised rows are T."""
        q, centre = self.q, self.centre

        def part(arrays, rows):
            X, codes, s = arrays
            own, loss = Dense(X, centre, np.ones(len(centre)), 1), loss_of(codes, q, s, 1)
            T = own.tile(slice(0, own.n))
            return say(loss, loss.evaluate(T @ V), own, T)

        # A chunk is one block here.
        return fold_rows(part, merge, self.arrays, len(self.s))

    def evaluate(self, V):
        """Return the :class:`ChunkPoint` at parameters (p + 1, q)."""
        if self.last is None or not np.array_equal(self.last.scores, V):

            def say(loss, point, own, T):
                H = own.hessian([np.arange(own.p)] * loss.q, point.A, point.B)
                return point.loss, T.T @ point.residual, H, loss.entropy(point, 1.0)

            value, G, H, entropy = self._fold(say, V, add_sums)
            self.last = ChunkPoint(V.copy(), value, G, H, None, entropy)
        return self.last

    def along(self, V, step, t):
        """Return the loss at V + t step."""
        return self.evaluate(V + t * step).loss

    def entropy(self, point, scale):
        """Return the dual objective at the scaled residuals."""
        if scale == 1.0:
            return point.entropy

        def say(loss, point, own, T):
            return loss.entropy(point, scale)

        return self._fold(say, point.scores, lambda a, b: a + b)


def chunk_problem(X, codes, q, s, fit_intercept):
    """Return the samples and the loss; the weights sum to one."""
    s = kept(s)
    centre = chunk_transform(X, s, 1.0, True)[0] if fit_intercept else np.zeros(X.shape[1])
    return ChunkMatrix(X, centre), ChunkLoss(X, codes, q, s, centre)
