"""Sequential minimal optimisation: two variables move, all others are held.

The problem is that of `litlearn.svm._programmes`, restricted to a *working set* small enough for
its Gram matrix to be in memory. The sum of each group of variables is fixed, so the smallest step
is one variable up and one of its group down. Variable i is the one with the smallest gradient among
those that may rise, and its partner j the one with which the step lowers the objective most
(Fan, Chen and Lin 2005). When no gradient of a variable that may fall exceeds one of a variable
that may rise, nothing is left to gain.

A step is a few passes over one row of the matrix, without a branch, so that the processor takes
eight or sixteen variables at once. That is why "may rise" and "may fall" are numbers (0, or minus
infinity) that are added, and why the largest of some non-negative floats is looked for among their
bits, which are whole numbers in the same order: vector instructions for the largest float would
need the promise that none is NaN. (Unsigned positions spare the test for a negative index, which
would undo the vectors too.)
"""

from typing import NamedTuple

import numpy as np

from litlearn._core.jit import njit

CHECK = 32  # steps between two looks at the violation
CHECK_GROUPS = 4  # where two groups compete: more often, as only the worse one moves
BLOCK = 256  # variables looked through together
TINY = 1e-12  # of the two diagonal entries: the curvature that stands for none
LEAST, LEAST_SINGLE = 1e-300, 1e-37  # where these are zero
BITS = {np.float32: np.int32, np.float64: np.int64}
NOBODY = -1
# Share of the gradients, which are about the same there, below which a violation is rounding: a
# step would change coefficients and no gradient, over and over.
NOISE, NOISE_SINGLE = 2.0**-48, 2.0**-19


class Subproblem(NamedTuple):
    """The variables that may move, in the order of their groups; changed in place."""

    K: np.ndarray  # (q, q), float32 or float64: Gram matrix
    diagonal: np.ndarray  # (q,), of the type of K
    gradient: np.ndarray  # (q,), of the type of K
    beta: np.ndarray  # (q,), float64
    lower: np.ndarray  # (q,), float64
    upper: np.ndarray  # (q,), float64
    starts: np.ndarray  # (n_groups + 1,): group g is starts[g]:starts[g + 1]
    rise: np.ndarray  # (q,), of the type of K: 0, or -inf for a variable at its upper bound
    fall: np.ndarray  # (q,), of the type of K: 0, or -inf for a variable at its lower bound
    score: np.ndarray  # (q,), of the type of K: scratch
    bits: np.ndarray  # (q,): the memory of `score`, read as whole numbers


def make_subproblem(K, gradient, beta, lower, upper, starts):
    """A Subproblem; K decides the type of all that is looked through."""
    dtype = K.dtype
    score = np.zeros(len(beta), dtype)
    rise, fall = np.zeros(len(beta), dtype), np.zeros(len(beta), dtype)
    rise[beta >= upper], fall[beta <= lower] = -np.inf, -np.inf
    return Subproblem(
        K,
        K.diagonal().copy(),
        gradient.astype(dtype),
        beta,
        lower,
        upper,
        starts,
        rise,
        fall,
        score,
        score.view(BITS[dtype.type]),
    )


@njit
def minimise_pairs(sub, tol, max_steps):
    """Take steps until no group is violated by `tol`.

    sub: Subproblem, changed in place. Returns the number of steps, the violation, and whether
    steps still change something.
    """
    group, ceiling, violation, size = worst_group(sub)
    n_steps, check = 0, CHECK if sub.starts.size == 2 else CHECK_GROUPS
    noise = NOISE_SINGLE if sub.gradient.itemsize == 4 else NOISE
    while violation >= tol and n_steps < max_steps:
        if violation <= noise * size:
            return n_steps, violation, False
        # <steps>: a few on the most violated group, which then is looked for again.
        start, stop, before = sub.starts[group], sub.starts[group + 1], n_steps
        for _ in range(min(check, max_steps - n_steps)):
            i = first_variable(sub, ceiling, start, stop)
            j = second_variable(sub, i, start, stop)
            if i == NOBODY or j == NOBODY or not take_step(sub, i, j):
                break  # as far as the numbers go; another group may still be far
            n_steps += 1
        if n_steps == before:
            return n_steps, violation, False
        group, ceiling, violation, size = worst_group(sub)
    return n_steps, violation, True


@njit(helper=True)
def worst_group(sub):
    """Return the most violated group, its largest gradient that may fall, and the violation.

    And the size of that gradient, in the group where it is largest.
    """
    f, worst, ceiling, violation = sub.gradient, 0, sub.gradient[0], -np.inf
    size = f.dtype.type(0.0)
    for group in range(sub.starts.size - 1):
        high, low = f.dtype.type(-np.inf), f.dtype.type(np.inf)
        for t in range(np.uintp(sub.starts[group]), np.uintp(sub.starts[group + 1])):
            high = max(high, f[t] + sub.fall[t])
            low = min(low, f[t] - sub.rise[t])
        if high - low > violation:
            worst, ceiling, violation = group, high, high - low
        if np.isfinite(high):
            size = max(size, np.abs(high))
    return worst, ceiling, violation, size


@njit(helper=True)
def first_variable(sub, ceiling, start, stop):
    """Return the variable that may rise and lies farthest below the ceiling, or NOBODY."""
    f, rise, score = sub.gradient, sub.rise, sub.score
    zero = f.dtype.type(0.0)
    for t in range(np.uintp(start), np.uintp(stop)):
        below = ceiling - f[t] + rise[t]
        score[t] = below if below > zero else zero
    return position_of_largest(sub.bits, start, stop)


@njit(helper=True)
def second_variable(sub, i, start, stop):
    """Return the variable that may fall and gains most with the rise of i, or NOBODY.

    :eq:`eq-svm-second-order`
    """
    f, fall, row, diagonal, score = sub.gradient, sub.fall, sub.K[i], sub.diagonal, sub.score
    if i == NOBODY:
        return NOBODY
    zero, tiny = f.dtype.type(0.0), f.dtype.type(TINY)
    least = f.dtype.type(LEAST_SINGLE if f.itemsize == 4 else LEAST)
    f_i, K_ii = f[i], diagonal[i]
    for t in range(np.uintp(start), np.uintp(stop)):
        slope = f[t] - f_i + fall[t]
        slope = slope if slope > zero else zero
        ends = K_ii + diagonal[t]
        curvature, none = ends - row[t] - row[t], tiny * ends + least
        curvature = curvature if curvature > none else none
        score[t] = slope * slope / curvature
    return position_of_largest(sub.bits, start, stop)


@njit(helper=True)
def position_of_largest(bits, start, stop):
    """Return where the largest of some non-negative floats is first, or NOBODY if all are zero.

    bits: the floats, read as whole numbers.
    """
    largest, block = bits.dtype.type(0), NOBODY
    for first in range(start, stop, BLOCK):
        best = bits.dtype.type(0)
        for t in range(np.uintp(first), np.uintp(min(first + BLOCK, stop))):
            best = max(best, bits[t])
        if best > largest:
            largest, block = best, first
    if block == NOBODY:
        return NOBODY
    while bits[block] != largest:
        block += 1
    return block


@njit(helper=True)
def take_step(sub, i, j):
    """Raise variable i and lower j by the best amount within the box; False if it is nothing.

    :eq:`eq-svm-pair`
    """
    K, _, f, beta, lower, upper = sub[:6]
    # <step>: to the minimum on the line, or to the first bound on the way.
    ends = np.float64(K[i, i]) + np.float64(K[j, j])
    curvature = max(ends - 2.0 * np.float64(K[i, j]), TINY * ends + LEAST)
    delta = (np.float64(f[j]) - np.float64(f[i])) / curvature
    delta = min(delta, upper[i] - beta[i], beta[j] - lower[j])
    before = beta[i], beta[j]
    beta[i] = upper[i] if delta == upper[i] - beta[i] else beta[i] + delta
    beta[j] = lower[j] if delta == beta[j] - lower[j] else beta[j] - delta
    # <mark>: what may rise and fall from here.
    set_marks(sub, i)
    set_marks(sub, j)
    if beta[i] == before[0] and beta[j] == before[1]:
        return False
    # <follow>: the gradient, by two rows of the matrix.
    K_i, K_j, amount = K[i], K[j], f.dtype.type(delta)
    for t in range(f.size):
        f[t] += amount * (K_i[t] - K_j[t])
    return True


@njit(helper=True)
def set_marks(sub, i):
    """Bring `rise` and `fall` of variable i up to date."""
    closed, zero = sub.rise.dtype.type(-np.inf), sub.rise.dtype.type(0.0)
    sub.rise[i] = zero if sub.beta[i] < sub.upper[i] else closed
    sub.fall[i] = zero if sub.beta[i] > sub.lower[i] else closed
