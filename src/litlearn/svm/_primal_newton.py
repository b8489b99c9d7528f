r"""Linear machines in the primal, with losses that are parabolas and lines: Newton's method.

    ||w||^2 / 2 + sum_i C_i r_i^2,

where r_i is by how much sample i misses its margin, or its tube, and 0 for one that does not. The
objective is a different parabola wherever other samples miss; the step goes to the bottom of the
present one, as far as the objective falls (Mangasarian 2002; Keerthi and DeCoste 2005). A few steps
suffice, since samples far from the margin keep their side.

The coefficients beta_i = 2 C_i r_i are those of the dual. How far the slopes of the dual are from
optimal there is the inner product of each sample with the gradient of the primal, which makes the
certificate the same for both ways.

The losses that are not squared have corners. :mod:`litlearn.svm._rounds` makes parabolas of these.
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg

from litlearn._core import factors
from litlearn._core.parallel import check_interrupt, cut, fold_blocks

BLOCK_ENTRIES = 2**19
LINE_STEPS = 30
EPS = np.finfo(np.float64).eps


class Answer(NamedTuple):
    """What the losses say to the outputs f of a linear function."""

    beta: np.ndarray  # (n,): minus the slope of each loss, its coefficient in the dual
    bend: np.ndarray  # (n,): the second derivative of each
    price: float  # the sum of all losses


class PiecewiseLoss:
    """Losses of which each is piecewise a parabola or a line, and what a step needs of them.

    Subclasses have ``answer(f)``, which returns an :class:`Answer`.

    Parameters
    ----------
    X : ndarray or CSR array of shape (n, p), float64
    constant : float
        Value of the additional feature.
    used : ndarray of shape (n,), bool
        Which samples have a loss.
    """

    far = 1e4  # times tol: where a pass for the certificate can be worth while

    def __init__(self, X, constant, used):
        self.X, self.constant, self.used = X, constant, used
        self.n, self.p = X.shape
        self.blocks = cut(self.n, max(64, BLOCK_ENTRIES // max(1, self.p)))

    def outputs(self, w):
        """Linear function of all samples (n,)."""
        result = np.empty(self.n)

        def fill(rows):
            result[rows] = self.X[rows] @ w[:-1] + self.constant * w[-1]

        fold_blocks(fill, None, self.blocks, work=2.0 * self.n * self.p)
        return result

    def longest(self):
        """Length of the longest sample."""
        X = self.X if isinstance(self.X, np.ndarray) else None
        squares = (
            np.einsum("ij,ij->i", X, X) if X is not None else self.X.multiply(self.X).sum(axis=1)
        )
        return float(np.sqrt(np.max(squares) + self.constant**2))

    def line_minimum(self, w, step, f, rates):
        """Return where the objective is lowest along a line: Newton's method in one dimension."""
        t, low, high = 1.0, 0.0, np.inf
        for _ in range(LINE_STEPS):
            answer = self.answer(f + t * rates)
            slope = (w + t * step) @ step - answer.beta @ rates
            if slope > 0.0:
                high = min(high, t)
            else:
                low = max(low, t)
            move = -slope / (step @ step + answer.bend @ rates**2)
            if abs(move) <= 1e-3 * t:
                break
            t += move
            if not low < t < high:
                t = 0.5 * (low + high) if np.isfinite(high) else 2.0 * low
        return t

    def curvature(self, answer):
        """Return the gradient of the losses, and the Hessian of all (p + 1, p + 1)."""

        def part(rows):
            beta, bend = answer.beta[rows], answer.bend[rows]
            curved = bend > 0.0
            straight = np.where(curved, 0.0, beta)
            X = self.X[rows]
            A = X[curved]
            A = A if isinstance(A, np.ndarray) else A.toarray()
            A = np.column_stack([A, np.full(len(A), self.constant)])
            roots = np.sqrt(bend[curved])
            A *= roots[:, np.newaxis]
            check_interrupt()
            g = -(roots * (beta[curved] / bend[curved])) @ A
            if straight.any():
                g -= np.append(X.T @ straight, self.constant * straight.sum())
            return A.T @ A, g

        def merge(total, one):
            return total[0] + one[0], total[1] + one[1]

        work = self.n * (self.p + 1.0) ** 2
        H, g = fold_blocks(part, merge, self.blocks, work=work)
        H[np.diag_indices(len(H))] += 1.0
        return g, H

    def solve(self, H, g):
        """Solve ``H x = g``; see :func:`shortest_solution`."""
        return shortest_solution(H, g)


class SquaredLoss(PiecewiseLoss):
    """Squares of what samples miss.

    Parameters
    ----------
    X, constant
        As above.
    y, C : ndarray of shape (n,)
    epsilon : float or None
        None: classification, y is +1 or -1.
    """

    def __init__(self, X, constant, y, C, epsilon):
        super().__init__(X, constant, C > 0.0)
        self.y, self.C, self.epsilon = y, C, epsilon

    def misses(self, f):
        """By how much, and in which direction, each sample misses (n,)."""
        error = self.y - f
        if self.epsilon is None:
            return np.where(self.y * error > 0.0, error, 0.0)
        return error - np.clip(error, -self.epsilon, self.epsilon)

    def answer(self, f):
        """Return the :class:`Answer` to outputs f (n,)."""
        miss = self.misses(f)
        return Answer(2.0 * self.C * miss, 2.0 * self.C * (miss != 0.0), self.C @ miss**2)


def solve_primal(loss, tol, max_iter, report=None, start=None):
    """Minimise ``||w||^2 / 2`` and the sum of the losses.

    Parameters
    ----------
    loss : PiecewiseLoss
    tol : float
        The largest violation of a sample in the dual that is left.
    max_iter : int
        Most steps.
    report : callable or None
        ``report(n_iter, violation)`` is called after each step.
    start : ndarray of shape (p + 1,), default=None
        Zeros if None.

    Returns
    -------
    w : ndarray of shape (p + 1,)
    beta : ndarray of shape (n,)
    violation : float
    n_iter : int
    converged : bool
    """
    w, n_iter = np.zeros(loss.p + 1) if start is None else start, 0
    f = loss.outputs(w)
    answer, longest = loss.answer(f), loss.longest()
    value = 0.5 * w @ w + answer.price
    while True:
        gradient, H = loss.curvature(answer)
        gradient += w
        # <certificate>: a pass over the samples, where the gradient is small enough for it.
        violation = longest * float(np.linalg.norm(gradient))
        if violation < loss.far * tol or n_iter == max_iter:
            f = loss.outputs(w)
            answer = loss.answer(f)
            violation = float(np.max(np.abs(loss.outputs(gradient)[loss.used]), initial=0.0))
        if report is not None:
            report(n_iter, violation)
        if violation < tol or n_iter == max_iter:
            break
        # <newton>: to the bottom of the parabola, then along the line to the lowest point.
        step = -loss.solve(H, gradient)
        rates = loss.outputs(step)
        t = loss.line_minimum(w, step, f, rates)
        there, reached = w + t * step, loss.answer(f + t * rates)
        new = 0.5 * there @ there + reached.price
        same = np.array_equal(reached.bend, answer.bend)
        if not new < value * (1.0 if same else 1.0 + 1e-9):
            break  # rounding leaves nothing to gain, or leads astray
        w, f, answer, value, n_iter = there, f + t * rates, reached, new, n_iter + 1
    return w, answer.beta, violation, n_iter, violation < tol


def shortest_solution(H, g):
    """Solve ``H x = g`` for a positive semidefinite H; of many solutions, about the shortest one.

    For samples of 1e100 the unit matrix of the penalty is lost in H, and with it what tells
    solutions apart that predict alike.
    """
    factor = factors.cholesky(H)
    if factor is not None and factor.rcond > len(H) * EPS:
        return factors.solve_factored(factor, g[:, np.newaxis])[:, 0]
    d = np.sqrt(np.diagonal(H))
    values, V = scipy.linalg.eigh(H / d / d[:, np.newaxis], check_finite=False)
    kept = values > len(H) * EPS * values[-1]
    return V[:, kept] @ ((V[:, kept].T @ (g / d)) / values[kept]) / d
