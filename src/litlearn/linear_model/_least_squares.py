"""Least squares, with or without a squared penalty: which factorisation, and the solution.

The question is always the same: the coefficients W (p, k) that minimise, for each target t,

    sum_i s_i (y_it - w_0t - x_i w_t)^2 + alpha_t ||w_t||^2,

and, where several do, the shortest. With alpha = 0 it is :eq:`eq-least-squares`, otherwise
:eq:`eq-ridge`. Which route leads there depends on the shape and on the conditioning:

===================  ==================================  ===================================
shape                well conditioned                    nearly or exactly collinear
===================  ==================================  ===================================
tall, p <= n         Cholesky of the scatter matrix      QR of blocks, SVD of the small R
wide, p > n          Cholesky of the products of rows    QR of the other side, SVD, refined
sparse, p small      Cholesky of the scatter matrix      LSQR
sparse, p large      LSQR                                LSQR
===================  ==================================  ===================================
"""

from typing import NamedTuple

import numpy as np

from litlearn import _validation
from litlearn.exceptions import ConvergenceWarning
from litlearn.linear_model import _gram, _nonnegative

EPSILON = np.finfo(np.float64).eps


class Solution(NamedTuple):
    """What a least-squares solver found."""

    coef: np.ndarray  # (p, k)
    x_mean: np.ndarray  # (p,)
    y_mean: np.ndarray  # (k,)
    solver: str  # "cholesky" or "svd" or "lsqr"
    rank: int
    spectrum: tuple  # singular values, or the matrix of products that they can be taken from
    n_iter: np.ndarray | None = None

    def intercept(self):
        """The shift w_0 that makes the mean residual zero, (k,)."""
        return self.y_mean - self.x_mean @ self.coef

    def iterations(self):
        """Iterations for each target; a factorisation counts as one, (k,)."""
        k = self.coef.shape[1]
        return np.ones(k, dtype=np.int32) if self.n_iter is None else self.n_iter


def solve(samples, alpha, cutoff=0.0, n_jobs=None):
    """Solve a dense problem.

    Parameters
    ----------
    samples : Samples
        Data, (n, p) and (n, k).
    alpha : ndarray of shape (k,)
        Penalties of the targets, not negative.
    cutoff : float, default=0.0
        Singular values below this share of the largest count as zero. At least the rounding of
        float64 times the larger dimension is used.

    Returns
    -------
    Solution
    """
    n, p = samples.X.shape
    one_side = solve_wide if p > n else solve_tall
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        return one_side(samples, alpha, max(cutoff, EPSILON * max(n, p)), n_jobs)


def solve_tall(samples, alpha, cutoff, n_jobs=None):
    """At least as many samples as features: the scatter matrix, or the triangular factor."""
    total = _gram.moments(samples, n_jobs)
    within = _gram.scaled(samples, total, n_jobs)
    if within is not samples:
        samples, total = within, _gram.moments(within, n_jobs)
    penalty = alpha * samples.x_scale * samples.x_scale
    # <cholesky>: (X'X + alpha I) w = X'y, once for each alpha, if its digits suffice.
    solver, rank, spectrum = "cholesky", len(total.xx), ("products", total.xx, samples.x_scale)
    coef = by_penalty(penalty, total.xy, lambda a, B: _gram.cholesky_solve(total.xx, B, a, cutoff))
    # <svd>: Otherwise X itself is factored, whose condition number is the root of that of X'X.
    if coef is None:
        R, C = _gram.triangular_factor(samples, total, n_jobs)
        U, singular, Vt = svd(R)
        kept = singular > cutoff * singular[0]
        coef = Vt.T @ (shrink(singular, kept, penalty) * (U.T @ C))
        solver, rank, spectrum = "svd", int(kept.sum()), ("values", singular, samples.x_scale)
    return finish(samples, coef, total.x_mean, total.y_mean, solver, rank, spectrum)


def solve_wide(samples, alpha, cutoff, n_jobs=None):
    """More features than samples: a combination of the rows, :eq:`eq-ridge-dual`."""
    x_mean, y_mean, K, T, root = _gram.row_products(samples, n_jobs)
    if not (_gram.ordinary(np.diagonal(K)) and _gram.ordinary(np.einsum("ij,ij->j", T, T))):
        largest = max(float(np.abs(samples.X[i]).max()) for i in range(len(T)))
        within = _gram.with_scales(samples, largest)
        if within is not samples:
            samples = within
            x_mean, y_mean, K, T, root = _gram.row_products(samples, n_jobs)
    penalty = alpha * samples.x_scale * samples.x_scale
    n = len(K)
    # <cholesky>: Centred rows sum to zero; a term in that direction makes K regular, and costs
    # nothing, because the centred targets have no part in it.
    regular = K
    if samples.centred:
        ones = root / np.linalg.norm(root)
        regular = K + np.multiply.outer(ones * (np.trace(K) / n), ones)
    solver, rank, spectrum = "cholesky", n - samples.centred, ("products", K, samples.x_scale)
    A = by_penalty(penalty, T, lambda a, B: _gram.cholesky_solve(regular, B, a, cutoff))
    if A is not None:
        coef = _gram.combine_rows(samples, x_mean, root, A, n_jobs)
    else:
        coef, rank, singular = solve_wide_svd(samples, x_mean, root, T, penalty, cutoff, n_jobs)
        solver, spectrum = "svd", ("values", singular, samples.x_scale)
    return finish(samples, coef, x_mean, y_mean, solver, rank, spectrum)


def solve_wide_svd(samples, x_mean, root, T, penalty, cutoff, n_jobs=None):
    """The shortest solution from ``Z.T = Q R`` and the SVD of R; Q is never formed."""
    R = _gram.row_factor(samples, x_mean, root, n_jobs)
    _, singular, Vt = svd(R)  # Z = V S (U'Q')
    kept = singular > cutoff * singular[0]

    def combination(residual):
        """The coefficients of the rows whose combination solves for `residual`."""
        scale = np.where(kept, singular, 1.0)[:, None]
        return Vt.T @ (shrink(singular, kept, penalty) / scale * (Vt @ residual))

    # Rows are combined with weights of size 1 / s^2, which squares the condition number. A step for
    # what is left of the equations, twice, brings the digits back.
    A = combination(T)
    coef = _gram.combine_rows(samples, x_mean, root, A, n_jobs)
    for _ in range(2):
        left = T - _gram.apply_columns(samples, x_mean, root, coef, n_jobs) - penalty * A
        step = combination(left)
        A = A + step
        coef = coef + _gram.combine_rows(samples, x_mean, root, step, n_jobs)
    return coef, int(kept.sum()), singular


def solve_nonnegative(owner, samples, alpha, n_jobs=None):
    """Solve with the constraint that no coefficient is negative, one target at a time.

    Parameters
    ----------
    owner : estimator
        Named in warnings.
    samples : Samples
        Data, dense, (n, p) and (n, k).
    alpha : ndarray of shape (k,)
        Penalties of the targets, not negative.

    Returns
    -------
    Solution

    Warns
    -----
    ConvergenceWarning
        If the optimality conditions do not hold at the end.
    """
    total = _gram.moments(samples, n_jobs)
    within = _gram.scaled(samples, total, n_jobs)
    if within is not samples:
        samples, total = within, _gram.moments(within, n_jobs)
    penalty = alpha * samples.x_scale * samples.x_scale
    p, k = total.xy.shape
    coef, n_iter, rank = np.zeros((p, k)), np.zeros(k, dtype=np.int32), 0
    R = C = None
    for t in range(k):
        # <exchange>: With a matrix that Cholesky can be trusted with, all at once.
        A = total.xx + np.diag(np.full(p, penalty[t]))
        w = None
        if _gram.cholesky_solve(A, total.xy[:, t : t + 1]) is not None:
            d = np.sqrt(np.diagonal(A))
            w, n_iter[t] = _nonnegative.exchange_all(A / d / d[:, None], total.xy[:, t] / d)
        # <admit>: Otherwise on the triangular factor, one by one.
        if w is None:
            if R is None:
                R, C = _gram.triangular_factor(samples, total, n_jobs)
            d = np.sqrt(np.einsum("ij,ij->j", R, R) + penalty[t])
            d[d == 0.0] = 1.0
            Z, target = R, C[:, t]
            if penalty[t] > 0.0:
                Z = np.vstack((R, np.sqrt(penalty[t]) * np.eye(p)))
                target = np.append(target, np.zeros(p))
            w, n_iter[t], violation = _nonnegative.admit_one(Z / d, target)
            if violation > 1e-8:
                message = (
                    f"{type(owner).__name__}: no set of positive coefficients was found whose "
                    f"gradient is zero; the largest violation is {violation:.1e}."
                )
                _validation.warn(ConvergenceWarning(message))
        coef[:, t] = w / d
    spectrum = ("products", total.xx, samples.x_scale)
    solution = finish(samples, coef, total.x_mean, total.y_mean, "active_set", rank, spectrum)
    return solution._replace(n_iter=n_iter)


def finish(samples, coef, x_mean, y_mean, solver, rank, spectrum):
    """Undo the scales of the samples."""
    if samples.x_scale != 1.0 or samples.y_scale != 1.0:
        coef = coef * samples.x_scale / samples.y_scale
        x_mean, y_mean = x_mean / samples.x_scale, y_mean / samples.y_scale
    if not samples.centred:
        x_mean, y_mean = np.zeros(len(coef)), np.zeros(coef.shape[1])
    return Solution(coef, x_mean, y_mean, solver, rank, spectrum)


def by_penalty(alpha, B, solve_one):
    """Solve for each distinct alpha the targets that have it; None if one of them fails."""
    solution = np.empty_like(B)
    for one in np.unique(alpha):
        its = np.flatnonzero(alpha == one)
        found = solve_one(float(one), B[:, its])
        if found is None or not np.isfinite(found).all():
            return None
        solution[:, its] = found
    return solution


def shrink(singular, kept, alpha):
    """Factors s / (s^2 + alpha) of the singular directions, zero for those left out, (r, k)."""
    s = np.where(kept, singular, 1.0)[:, None]
    return np.where(kept[:, None], s / (s**2 + alpha), 0.0)


def svd(R):
    """Singular value decomposition, by the slower of two methods where the faster fails."""
    import scipy.linalg

    try:
        return scipy.linalg.svd(R, full_matrices=False, check_finite=False)
    except np.linalg.LinAlgError:
        return scipy.linalg.svd(R, full_matrices=False, check_finite=False, lapack_driver="gesvd")


def singular_values(spectrum):
    """Singular values of the centred samples, from what a solver left."""
    kind, array, x_scale = spectrum
    if kind == "products":
        array = np.sqrt(np.maximum(np.linalg.eigvalsh(array)[::-1], 0.0))
    return array / x_scale
