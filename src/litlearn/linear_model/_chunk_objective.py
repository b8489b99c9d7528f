"""The logistic loss of samples in chunks: value, gradient and Hessian from one pass.

Each chunk has an :class:`Objective` of its own, without a penalty, whose parts are sums over its
samples. Scores are computed anew where they are needed: nothing here has an entry for each sample.
"""

from typing import NamedTuple

import numpy as np

from litlearn._core import moments
from litlearn._core.chunked import fold_rows, in_memory, kept
from litlearn._core.parallel import cut
from litlearn.linear_model._objective import Objective, State


class Terms(NamedTuple):
    """What a chunk adds to the loss at a point."""

    value: float
    gradient: np.ndarray  # (q, p + 1)
    hessian: np.ndarray  # (q (p + 1), q (p + 1))
    radius: float  # the largest norm of a standardised row


def add_terms(a, b):
    """Add up the terms of two chunks."""
    sums = (one + other for one, other in zip(a[:3], b[:3], strict=True))
    return Terms(*sums, max(a.radius, b.radius))


def chunk_transform(X, s, total, fit_intercept):
    """Centre (p,) and spread (p,) of the features, from a pass over the chunks."""
    samples = moments.Samples(X, np.empty((len(X), 0)), s, bool(fit_intercept))
    found = moments.moments(samples, full=False)
    spread = np.sqrt(found.xx / total)
    spread[spread == 0.0] = 1.0
    return found.x_mean, np.maximum(spread, 1e-290)


def largest_norm(matrix):
    """Return the largest norm of the rows of a :class:`litlearn.linear_model._matrix.Dense`."""
    squares = 0.0
    for rows in cut(matrix.n, matrix.tile_rows(matrix.p + 1)):
        T = matrix.tile(rows)
        squares = max(squares, float(np.einsum("ij,ij->i", T, T).max()))
    return np.sqrt(squares)


class ChunkObjective(Objective):
    """As :class:`Objective`, of dense samples in chunks.

    Parameters
    ----------
    X, codes, s : arrays in chunks
        (n, p), (n,) and (n,).
    q, alpha, fit_intercept
        As there.
    """

    def __init__(self, X, codes, q, s, alpha, fit_intercept):
        s = kept(s)
        total, p = float(in_memory(s.sum())), X.shape[1]
        self.transform = chunk_transform(X, s, total, fit_intercept)
        few = np.empty((0, p), dtype=X.dtype), np.empty(0, dtype=np.intp), q, np.empty(0)
        super().__init__(*few, alpha, fit_intercept, 1, self.transform)
        self.arrays, self.radius = (X, codes, s), None
        self.alpha, self.n, self.total = alpha, len(X), total

    def evaluate(self, V):
        """Value, gradient and Hessian at V.

        In the place of the scores are numbers that change by no less than any score does: the
        parameters, times the largest norm of a sample and the root of their number.
        """
        q, alpha, total, transform = self.q, self.alpha, self.total, self.transform
        known = self.radius  # the same in each pass

        def part(arrays, rows):
            X, codes, s = arrays
            own = Objective(X, codes, q, s, alpha, True, 1, transform)
            own.total, own.ridge = total, np.zeros(X.shape[1])
            state = own.evaluate(V)
            radius = largest_norm(own.matrix) if known is None else known
            return Terms(state.value, state.gradient, own.hessian(state), radius)

        # A chunk is one block here: its objective cuts it.
        found = fold_rows(part, add_terms, self.arrays, self.n)
        G, self.radius = found.gradient, found.radius
        G[:, :-1] += self.ridge * V[:, :-1]
        if not self.fit_intercept:
            G[:, -1] = 0.0
        H = self._penalised(found.hessian, np.diag(np.append(self.ridge, 0.0)))
        bound = found.radius * np.sqrt(self.width) * V
        return State(V, found.value + self.penalty(V), G, bound, H)

    def hessian(self, state, S=None):
        """The Hessian, from the pass for the gradient."""
        return state.curvature

    def value_along(self, state, step, d, t):
        """Value at v + t d: another pass."""
        return self.evaluate(state.v + t * d).value
