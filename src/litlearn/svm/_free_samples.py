r"""The end of coordinate descent in the dual: the equations of all coefficients between bounds.

Where samples are long, or nearly parallel, one coefficient at a time hardly gets on: what one does
the next undoes. But soon the sweeps know which coefficients end between their bounds, and these are
the solution of linear equations. So from time to time the objective is minimised over them at once,
the others held. Who runs into a bound on the way stays there (an active-set method: Nocedal and
Wright 2006, chapter 16); who must leave one is found by the next sweep. The objective falls with
each step, so that no choice of free coefficients comes twice.
"""

import numpy as np
import scipy.linalg

from litlearn._core.parallel import check_interrupt, single_threaded_blas

MOST_FREE = 512  # coefficients
MOST_WORK = 2**21  # products of one decomposition: a few milliseconds
REFINEMENTS = 3  # steps that meet no bound
SMALL = 0.01  # share of tol
NOISE = 0.01  # sums are more exact than the worst case
EPS = np.finfo(np.float64).eps


def dense_samples(rows, chosen, p):
    """Some samples, with the additional feature (len(chosen), p + 1)."""
    A = np.zeros((len(chosen), p + 1))
    A[:, -1] = rows.constant
    for k, i in enumerate(chosen):
        part = slice(rows.indptr[i], rows.indptr[i + 1])
        A[k, rows.indices[part] if rows.indices.size else slice(0, p)] = rows.data[part]
    return A


def solve_free(rows, problem, lengths, beta, w, tol):
    """Minimise over the coefficients between their bounds, until none is left or all are solved.

    rows: Rows; problem: DualProblem; lengths (n,): squared ones of the samples; beta (n,): not
    changed; w (p + 1,): the sum of beta_i x_i. Returns a better beta, or None.
    """
    y, diagonal, lower, upper, epsilon = problem
    if epsilon > 0.0:  # a coefficient keeps its sign: the objective has a kink at zero
        lower, upper = np.where(beta >= 0.0, 0.0, lower), np.where(beta <= 0.0, 0.0, upper)
    free = np.flatnonzero((beta > lower) & (beta < upper) & (lengths > 0.0))
    n_free, extra = len(free), np.sqrt(diagonal[free])
    width = len(w) + (n_free if extra.any() else 0)
    if not 0 < n_free <= MOST_FREE or n_free * width * min(n_free, width) > MOST_WORK:
        return None
    A, start, v = dense_samples(rows, free, len(w) - 1), beta[free], w
    if extra.any():  # the diagonal is one more feature for each sample
        A, v = np.hstack([A, np.diag(extra)]), np.append(w, extra * start)
    target = y[free] - epsilon * np.sign(start)
    found = to_bounds(A, (v, start), (target, lower[free], upper[free]), SMALL * tol)
    better = beta.copy()
    better[free] = found
    # <lower>: but for rounding it is; and that of the sum must leave something of the targets.
    move, far = (found - start) @ A, np.sqrt(lengths)
    noise = NOISE * EPS * np.max(np.abs(better) * far) * np.max(far)
    gained = move @ (v + 0.5 * move) < (found - start) @ target
    return better if gained and noise < np.max(np.abs(y)) else None


@single_threaded_blas()
def to_bounds(A, state, piece, small):
    """Minimise ``||w + A'(b - start)||^2 / 2 - target'b`` within bounds, by steps to the first one.

    A (m, q): samples; state: w and start (m,); piece: target, low and high (m,); small: slopes that
    count as none. Returns b (m,).
    """
    (w, start), (target, low, high) = state, piece
    w, b, free, left = w.copy(), start.copy(), np.arange(len(start)), REFINEMENTS
    while len(free) and left:
        check_interrupt()
        length = scipy.linalg.norm(A[free], axis=1)
        U, s, _ = scipy.linalg.svd(A[free] / length[:, np.newaxis], full_matrices=False)
        U, s = U[:, s > len(free) * EPS * s[0]], s[s > len(free) * EPS * s[0]]
        slope = A[free] @ w - target[free]
        # <flat>: along it the objective is a line, which falls as far as a bound.
        flat = slope / length - U @ (U.T @ (slope / length))
        flat -= U @ (U.T @ flat)
        is_flat = np.max(np.abs(flat) * length) > small
        step = -flat if is_flat else -U @ ((U.T @ (slope / length)) / s**2)
        step /= length
        ends = np.where(step > 0.0, high[free], low[free])
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            reach = np.where(step != 0.0, (ends - b[free]) / step, np.inf)
        first = np.min(reach)
        t = first if is_flat else min(first, 1.0)
        if not np.isfinite(t):
            break
        new = np.where(reach <= t, ends, np.clip(b[free] + t * step, low[free], high[free]))
        w += (new - b[free]) @ A[free]
        b[free] = new
        met = (new <= low[free]) | (new >= high[free])
        free, left = free[~met], left if met.any() else left - 1
    return b
