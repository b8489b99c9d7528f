r"""The end of coordinate descent in the dual: rounds of Newton's method, each with rounded corners.

Where samples are long, or nearly parallel, one coefficient at a time hardly gets on: what one does
the next undoes. Newton's method moves all at once, but the losses have corners. So each round holds
the coefficients near those of the last one,

    minimise  D(beta) + mu ||beta - last||^2 / 2

(the proximal point method: Rockafellar 1976). Given the outputs f_i = x_i.w, its coefficients are
known, each for itself,

    beta_i = clip(S(y_i + mu last_i - f_i, epsilon) / (d_i + mu), lower_i, upper_i),

where S takes epsilon off the size of a number, as far as there is something to take. Then w is
where a function of p + 1 numbers is lowest that is piecewise a parabola, or a line, which is what
:mod:`litlearn.svm._primal_newton` is for (Li, Sun and Toh 2018, of the lasso). The smaller mu is,
the fewer rounds, and the sharper the corners. It falls from round to round, and the solution of one
is where the next begins.
"""

import numpy as np

from litlearn._core import factors
from litlearn._core.jit import njit
from litlearn.svm._primal_newton import Answer, PiecewiseLoss, solve_primal

# The first mu, as a share of the mean squared length of the samples, and by how much it falls.
FIRST, FALL = 0.1, 0.1
ROUNDS, STEPS = 16, 100  # most of them, and most of Newton's steps in one
LOOKS = 100  # most looks along a line
SLACK = 0.3  # share of the first slope that may be left where a step ends
RISEN = 10.0  # times the least violation: what says that mu is too small for the digits
CONDITION = 1e-10  # reciprocal, of a matrix that is factored
SMALL = 0.1  # share of the violation that is asked for, which a round may leave
MOST_ENTRIES, MOST_FEATURES, MOST_WORK = 2**27, 1000, 2**34  # the last: products of one step


class RoundedLoss(PiecewiseLoss):
    """The losses of a dual problem, with corners that mu rounds. Implements :eq:`eq-svm-round`.

    Parameters
    ----------
    X, constant
        As in :class:`PiecewiseLoss`.
    problem : DualProblem
    last : ndarray of shape (n,)
        The coefficients that it holds near.
    mu : float
    """

    far = 1.0  # the bound of the violation decides: a pass more would only end a round earlier

    def __init__(self, X, constant, problem, last, mu):
        super().__init__(X, constant, problem.upper > problem.lower)
        self.problem, self.target = problem, problem.y + mu * last
        self.price = problem.diagonal + mu

    def answer(self, f):
        """Return the :class:`Answer` to outputs f (n,)."""
        beta, bend = np.empty(self.n), np.empty(self.n)
        return Answer(beta, bend, answers(self.problem, self.price, self.target, f, beta, bend))

    def solve(self, H, g):
        """Solve ``H x = g``. Where mu is small, some of the eigenvalues are huge, and others 1."""
        factor = factors.cholesky(H)
        if factor is not None and factor.rcond > CONDITION:
            return factors.solve_factored(factor, g[:, np.newaxis])[:, 0]
        values, V = np.linalg.eigh(H)
        return V @ ((V.T @ g) / np.maximum(values, 1.0))

    def line_minimum(self, w, step, f, rates):
        """Return a place along a line that is nearly the lowest."""
        start = w @ step, step @ step
        return nearly_lowest(self.problem, self.price, self.target, f, rates, *start)


@njit(inline=True)
def coefficient(problem, price, target, f, i):
    """Return what is left of the target of sample i, its coefficient, and whether that may move."""
    rest = target[i] - f
    pull = rest - min(max(rest, -problem.epsilon), problem.epsilon)
    free = pull / price[i]
    beta = min(max(free, problem.lower[i]), problem.upper[i])
    return rest, beta, beta == free and pull != 0.0


@njit
def answers(problem, price, target, f, beta, bend):
    """Write the coefficients of samples with outputs f (n,), and their bends; return the price."""
    total = 0.0
    for i in range(f.size):
        rest, beta[i], moves = coefficient(problem, price, target, f[i], i)
        bend[i] = 1.0 / price[i] if moves else 0.0
        total += (rest - 0.5 * price[i] * beta[i]) * beta[i] - problem.epsilon * abs(beta[i])
    return total


@njit
def along(problem, price, target, f, rates, t):
    """Return the sum of the coefficients times the rates, and of the bends times their squares."""
    pulls = bends = 0.0
    for i in range(f.size):
        _, beta, moves = coefficient(problem, price, target, f[i] + t * rates[i], i)
        pulls += beta * rates[i]
        bends += rates[i] * rates[i] / price[i] if moves else 0.0
    return pulls, bends


@njit
def nearly_lowest(problem, price, target, f, rates, slope, bend):
    """Return a place t > 0 of the line f + t rates, by Newton's method kept within a bracket.

    slope, bend: of the penalty, at the start. The search ends where a share of at most `SLACK` of
    the first slope is left, or where a step would change t by less than a thousandth.
    """
    t, low, high = 1.0, 0.0, np.inf
    enough = SLACK * (slope - along(problem, price, target, f, rates, 0.0)[0])
    for _ in range(LOOKS):
        pulls, bends = along(problem, price, target, f, rates, t)
        here = slope + t * bend - pulls
        if here > 0.0:
            high = min(high, t)
        else:
            low = max(low, t)
        move = -here / (bend + bends)
        if abs(move) <= 1e-3 * t or enough < here <= 0.0:
            break
        t += move
        if not low < t < high and high == np.inf:
            t = 2.0 * low
        elif not low < t < high:  # between 0 and the bracket's end the scale is not known
            t = 0.5 * (low + high) if low > 0.0 else 0.1 * high
    return t


def as_matrix(rows, p):
    """Return the samples (n, p) that :class:`Rows` hold: an array, or a CSR array."""
    n = len(rows.indptr) - 1
    if rows.indices.size == 0:
        return rows.data.reshape(n, p)
    from scipy.sparse import csr_array

    return csr_array((rows.data, rows.indices, rows.indptr), shape=(n, p))


def passes_worth(rows, p):
    """Return the passes over samples of p features that take about as long as all rounds.

    Infinity if a step of Newton's method takes too long, or its matrices too much memory. Measured:
    all rounds take some 1.5 ms without arithmetic, and a pass 5 microseconds.
    """
    n, q = len(rows.indptr) - 1, p + 1
    if q > MOST_FEATURES or n * q > MOST_ENTRIES or n * q * q > MOST_WORK:
        return np.inf
    return 30.0 + q / 2 + 1500.0 / (5.0 + n * (q + 30.0) / 2000.0)


@factors.alone
def solve_rounds(rows, problem, n_features, beta, tol, violation):
    """Minimise over all coefficients.

    Parameters
    ----------
    rows : Rows
    problem : DualProblem
    n_features : int
    beta : ndarray of shape (n,)
        Where to begin; not changed.
    tol : float
        The violation to reach.
    violation : callable
        ``violation(beta)`` returns the largest one.

    Returns
    -------
    ndarray of shape (n,) or None
        The coefficients after the round with the least violation; None if that is the start.
    """
    X, w, best, least = as_matrix(rows, n_features), None, None, violation(beta)
    squares = np.einsum("i,i->", rows.data, rows.data)
    mu = FIRST * (squares / len(beta) + rows.constant**2)
    for _ in range(ROUNDS):
        if not 0.0 < mu < np.inf:
            break
        loss = RoundedLoss(X, rows.constant, problem, beta, mu)
        w, beta, *_ = solve_primal(loss, SMALL * tol, STEPS, start=w)
        found = violation(beta)
        if found < least:
            best, least = beta, found
        if not tol < found <= RISEN * least:  # the last digits are gone
            break
        mu *= FALL
    return best
