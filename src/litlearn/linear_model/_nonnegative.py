"""Least squares whose coefficients may not be negative, exactly.

The solution is known once we know which coefficients are positive: those solve the least-squares
problem without constraint, and the others are zero. A guess of that set is right if, and only if,

    w_j > 0 and gradient_j = 0    in the set,        w_j = 0 and gradient_j >= 0    outside it,

the conditions :eq:`eq-nonnegative-least-squares`. Both functions below exchange members of the set
until they hold. The first exchanges all offenders at once and takes a handful of steps
:cite:p:`portugal_comparison_1994`; it needs a well-conditioned matrix. The second lets one member
in at a time :cite:p:`lawson_solving_1995`; the sum of squares falls in every step, so that it ends,
and it may be used on anything.
"""

import numpy as np

from litlearn._core import factors

# Gradients this small, relative to the sizes of what they are products of, count as zero.
TOLERANCE = 1e-13


def exchange_all(A, b, most_steps=100):
    """Minimise ``w'Aw / 2 - b'w`` over w >= 0 for a positive definite A.

    Parameters
    ----------
    A : ndarray of shape (p, p)
        Sums of products with a unit diagonal.
    b : ndarray of shape (p,)
        Products with the target.
    most_steps : int, default=100
        Give up after so many exchanges.

    Returns
    -------
    w : ndarray of shape (p,) or None
        None if A is not definite enough, or the steps ran out.
    n_steps : int
    """
    p = len(b)
    passive = b > 0.0
    w = np.zeros(p)
    best, patience = p + 1, 3
    slack = TOLERANCE * max(np.abs(b).max(), np.finfo(np.float64).tiny)
    for step in range(1, most_steps + 1):
        # <solve>: The members of the set solve the problem without a constraint.
        w[:] = 0.0
        members = np.flatnonzero(passive)
        if len(members):
            factor = factors.cholesky(A[np.ix_(members, members)])
            if factor is None:
                return None, step
            w[members] = factors.solve_factored(factor, b[members, None])[:, 0]
        gradient = A @ w - b
        # <offenders>: Members below zero, and outsiders that would lower the sum of squares.
        offends = np.where(passive, w < 0.0, gradient < -slack)
        count = np.count_nonzero(offends)
        if count == 0:
            return w, step
        # <exchange>: All change sides. If that stops helping, only the last one does, which
        # cannot go round in circles.
        if count < best:
            best, patience = count, 3
        elif patience > 0:
            patience -= 1
        else:
            last = np.flatnonzero(offends)[-1]
            offends[:] = False
            offends[last] = True
        passive ^= offends
    return None, most_steps


def admit_one(Z, t):
    """Minimise ``||t - Z w||^2`` over w >= 0 for any Z.

    Parameters
    ----------
    Z : ndarray of shape (m, p)
    t : ndarray of shape (m,)

    Returns
    -------
    w : ndarray of shape (p,)
    n_steps : int
    violation : float
        Largest violation of the optimality conditions, as a share of ``||Z_j|| ||t||``: the
        certificate.
    """
    import scipy.linalg

    m, p = Z.shape
    sizes = np.sqrt(np.einsum("ij,ij->j", Z, Z))
    allowed = TOLERANCE * max(m, 100) * sizes * np.linalg.norm(t)
    w, members, barred = np.zeros(p), [], np.zeros(p, dtype=bool)
    Q, R = np.zeros((m, 0)), np.zeros((0, 0))
    residual, steps, previous = t.copy(), 0, np.inf
    while steps < 10 * p + 100:
        # <choose>: The column with the largest correlation with what is left comes in.
        gain = np.divide(Z.T @ residual, sizes, out=np.zeros(p), where=sizes > 0.0)
        gain[members] = 0.0
        gain[barred] = 0.0
        j = int(np.argmax(gain))
        if gain[j] * sizes[j] <= allowed[j]:
            break
        steps += 1
        # <orthogonalise>: A column within the span of the members has nothing to add.
        inside, outside = split(Q, Z[:, j])
        length = np.linalg.norm(outside)
        if len(members) == m or length <= 1e-10 * sizes[j]:
            barred[j] = True
            continue
        kept = (list(members), Q, R, w.copy())
        Q = np.column_stack((Q, outside / length))
        R = np.block([[R, inside[:, None]], [np.zeros((1, len(members))), length]])
        members.append(j)
        # <retreat>: On the way to the new solution, whoever reaches zero first leaves the set.
        while members:
            target = scipy.linalg.solve_triangular(R, Q.T @ t)
            if (target > 0.0).all():
                break
            old = w[members]
            share = np.where(target <= 0.0, old / np.maximum(old - target, 1e-300), np.inf)
            first = int(np.argmin(share))
            w[members] = np.maximum(old + share[first] * (target - old), 0.0)
            w[members[first]] = 0.0
            Q, R = scipy.linalg.qr_delete(Q, R, first, which="col")
            Q, R = Q[:, : len(members) - 1], R[: len(members) - 1]
            del members[first]
        w[members] = target if members else 0.0
        residual = t - Z[:, members] @ w[members]
        size = np.linalg.norm(residual)
        if size >= previous:  # rounding alone would go on: the newcomer leads nowhere
            members, Q, R, w = kept
            residual = t - Z[:, members] @ w[members]
            barred[j] = True
        else:
            previous = size
            barred[:] = False
    scale = sizes * np.linalg.norm(t)
    gradient = Z.T @ residual
    gradient[members] = np.abs(gradient[members])
    violation = np.divide(gradient, scale, out=np.zeros(p), where=scale > 0.0)
    return w, max(steps, 1), float(violation.max(initial=0.0))


def split(Q, u):
    """Return ``Q.T @ u`` and what of u lies outside the span of Q; twice, so that it does."""
    inside = Q.T @ u
    outside = u - Q @ inside
    again = Q.T @ outside
    return inside + again, outside - Q @ again
