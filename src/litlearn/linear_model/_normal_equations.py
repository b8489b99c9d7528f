"""Least squares in either shape: scales, orthogonal factors, products of rows, Cholesky.

What a fit needs of tall samples are the moments of ``_core/moments.py``. Here is the rest: what to
do when their squares leave the range of numbers or lose too many digits, and the products of rows,
of which there are fewer than of columns where there are more features than samples.
"""

import operator
from typing import NamedTuple

import numpy as np

from litlearn._core import factors, validation
from litlearn._core.chunked import fold_rows, largest_size
from litlearn._core.moments import (
    REFINABLE,
    TILE,
    Samples,
    as_float,
    constant_columns,
    rows_per_block,
    weighted_deviations,
)
from litlearn._core.parallel import cross_products, cut, fold_blocks

# ---------------------------------------------------------------------------------------------
# Scales out of the ordinary: squares that overflow or vanish


def scale_into_range(samples, statistics, n_jobs=None, owner=None):
    """Return samples whose squares stay within the range of numbers, and their statistics.

    Parameters
    ----------
    samples : Samples
    statistics : callable
        ``moments`` or :func:`row_products`.
    n_jobs : int or None, default=None
    owner : estimator or None, default=None
        Named in messages, if the samples are not known to be finite.

    Returns
    -------
    samples : Samples
        Those that were given, with scales if the statistics show that squares overflow or vanish.
    found : Moments or RowProducts

    Raises
    ------
    ValueError
        If a feature holds NaN or infinity, which its sum of squares then is, too: to look for them
        takes no pass of its own.
    """
    found = statistics(samples, n_jobs)
    if ordinary(np.diagonal(found.xx)) and ordinary(found.yy) and np.isfinite(found.xy).all():
        return samples, found
    samples = known_to_be_finite(samples, owner)
    x_scale, y_scale = inverse(largest_size(samples.X)), inverse(largest_size(samples.Y))
    if (x_scale, y_scale) == (samples.x_scale, samples.y_scale):
        return samples, found
    samples = samples._replace(x_scale=x_scale, y_scale=y_scale)
    return samples, statistics(samples, n_jobs)


def known_to_be_finite(samples, owner):
    """Return the samples, or raise ``ValueError`` if features hold NaN or infinity."""
    if samples.finite:
        return samples
    validation.check_finite(validation.owner_name(owner), samples.X, "X")
    return samples._replace(finite=True)


def ordinary(squares):
    """Tell whether sums of squares neither overflow nor come near the smallest numbers."""
    top = squares.max(initial=0.0)
    return bool(np.isfinite(squares).all()) and (1e-200 < top < 1e200)


def inverse(size, limit=1e90):
    """Return a power of two near 1 / size, and 1 for 0 or for sizes from 1 / limit to limit."""
    if size == 0.0 or 1.0 / limit < size < limit:
        return 1.0
    return float(2.0 ** -np.frexp(size)[1])


# ---------------------------------------------------------------------------------------------
# Orthogonal factors, for data whose squares would lose too many digits


def stacked_factor(above, below):
    """Return R of the QR decomposition of two triangular factors on top of each other."""
    return np.linalg.qr(np.vstack((above, below)), mode="r")


def triangular_factor(samples, total, n_jobs=None):
    """Return R of the QR decomposition of the centred ``[X Y]``, :eq:`eq-qr-solution`.

    Blocks of rows are factored on their own, and then their stacked factors: the R of the stack is
    that of all rows, up to signs.

    Returns
    -------
    R : ndarray of shape (r, p)
        Triangular, or of fewer rows than columns if there are fewer samples than features.
    C : ndarray of shape (r, k)
        The targets in the same orthogonal basis: ``Q.T @ Y``.
    """
    n, p = samples.X.shape
    k = samples.Y.shape[1]
    centres = (total.x_mean, total.y_mean) if samples.centred else (None, None)
    first, (arrays, rest) = int(samples.centred), samples.by_rows()

    def factor(arrays, rows):
        Z, T, root = weighted_deviations(Samples(*arrays, *rest[3:]), rows, *centres)
        # The roots of the weights come first: what rounding left of the mean goes to their row.
        return np.linalg.qr(np.column_stack((root,) * first + (Z, T)), mode="r")

    size = max(rows_per_block(n, p), 16 * (p + k))
    found = fold_rows(factor, stacked_factor, arrays, size, n_jobs)[first : p + first, first:]
    R = np.zeros((min(n, p), p + k))  # a row of zeros is left if there are n features
    R[: len(found)] = found
    R, C = R[:, :p], R[:, p:]
    R[:, np.diagonal(total.xx) == 0.0] = 0.0  # of constant columns only rounding is left
    return R, C


# ---------------------------------------------------------------------------------------------
# The other side: more features than samples


class RowProducts(NamedTuple):
    """What ``Moments`` are for tall samples: both sides of the equations, and the means.

    Z are the centred and weighted samples.
    """

    x_mean: np.ndarray  # (p,), zero without an intercept, as y_mean
    y_mean: np.ndarray  # (k,)
    xx: np.ndarray  # (n, n): the products of all pairs of rows, Z Z'
    xy: np.ndarray  # (n, k): the targets, centred and weighted alike
    yy: np.ndarray  # (k,), their sums of squares
    root: np.ndarray  # (n,), roots of the weights


def row_products(samples, n_jobs=None):
    """Return the :class:`RowProducts` of samples, from a block of columns after the other."""
    n, p = samples.X.shape
    Y = as_float(samples.Y, samples.y_scale)
    root = np.ones(n) if samples.weight is None else np.sqrt(samples.weight)
    y_mean = root**2 @ Y / (root @ root) if samples.centred else np.zeros(Y.shape[1])
    T, x_mean = (Y - y_mean) * root[:, None], np.zeros(p)

    def product(columns):
        Z, x_mean[columns] = column_deviations(samples, columns, root)
        return cross_products(Z.T)

    K = fold_blocks(product, operator.iadd, cut(p, rows_per_block(p, n)), n_jobs)
    return RowProducts(x_mean, y_mean, K, T, np.einsum("ij,ij->j", T, T), root)


def column_deviations(samples, columns, root, x_mean=None):
    """Return some columns in float64, centred and weighted, and their means."""
    Z = as_float(samples.X[:, columns], samples.x_scale)
    if not samples.centred:
        return (Z if samples.weight is None else Z * root[:, None]), np.zeros(Z.shape[1])
    # The mean is taken twice: that of the deviations corrects the rounding of the first.
    weight = root @ root
    given = x_mean is not None
    x_mean = x_mean if given else root**2 @ Z / weight
    Z = Z - x_mean
    if not given:
        rest = root**2 @ Z / weight
        Z -= rest
        x_mean = x_mean + rest
    if samples.weight is not None:
        Z *= root[:, None]
    Z[:, constant_columns(np.einsum("ij,ij->j", Z, Z), x_mean, weight)] = 0.0
    return Z, x_mean


def fold_columns(function, merge, samples, rows, n_jobs=None, fewest=1):
    """Fold ``function(Z, columns)`` over blocks of columns; `rows` are their `RowProducts`."""
    n, p = samples.X.shape

    def part(columns):
        Z, _ = column_deviations(samples, columns, rows.root, rows.x_mean[columns])
        return function(Z, columns)

    return fold_blocks(part, merge, cut(p, max(rows_per_block(p, n), fewest)), n_jobs)


def combine_rows(samples, rows, A, n_jobs=None):
    """Return ``Z.T @ A``, a linear combination of the centred and weighted rows, (p, k)."""
    result = np.empty((samples.X.shape[1], A.shape[1]))

    def combine(Z, columns):
        result[columns] = Z.T @ A

    fold_columns(combine, None, samples, rows, n_jobs)
    return result


def apply_columns(samples, rows, W, n_jobs=None):
    """Return ``Z @ W``, the linear function of the centred and weighted rows, (n, k)."""
    return fold_columns(lambda Z, columns: Z @ W[columns], operator.iadd, samples, rows, n_jobs)


def row_factor(samples, rows, n_jobs=None):
    """Return the triangular R with ``Z.T = Q R``: the square root of ``Z @ Z.T``, stably."""

    def factor(Z, columns):
        return np.linalg.qr(Z.T, mode="r")

    return fold_columns(factor, stacked_factor, samples, rows, n_jobs, 16 * len(rows.root))


# ---------------------------------------------------------------------------------------------
# Cholesky, with a test of whether its answer can be trusted


def trusted_factor(A, alpha=0.0, cutoff=0.0):
    """Factor ``A + alpha I`` for a symmetric A, or return None if a solution would lose digits.

    Parameters
    ----------
    A : ndarray of shape (p, p)
        Sums of products, such as a scatter matrix.
    alpha : float, default=0.0
        Added to the diagonal.
    cutoff : float, default=0.0
        Refuse, too, if a singular value (the root of an eigenvalue of A) may be smaller than this
        share of the largest.

    Returns
    -------
    Factor or None
    """
    # <refuse>: A negative pivot, or a condition number that eats the digits, is an answer too.
    factor = factors.cholesky(A, alpha)
    if factor is None:
        return None
    d = factor.d
    if factor.rcond * d.min() / d.max() < SAFE:
        return None
    if factor.smallest * d.min() ** 2 <= cutoff**2 * (d @ d):
        return None
    return factor


def cholesky_solve(A, B, alpha=0.0, cutoff=0.0):
    """Solve ``(A + alpha I) W = B``, (p, k), or return None as :func:`trusted_factor` does."""
    factor = trusted_factor(A, alpha, cutoff)
    return None if factor is None else factors.solve_factored(factor, B)


# One over the condition number of the scaled matrix, times the ratio of the scales, must be at
# least this large: rounding, about 1e-16 times its inverse, then stays below 1e-7 of the result.
SAFE = 1e-8
# With products in float32 a solution has its digits if that number is at least SINGLE_SAFE. Down to
# REFINABLE it is refined, until the next step would change no coefficient by more than a share
# ENOUGH of the largest.
SINGLE_SAFE, ENOUGH = 1e-2, 1e-6


# ---------------------------------------------------------------------------------------------
# Solutions


class LeastSquares(NamedTuple):
    """What a least-squares solver found."""

    coef: np.ndarray  # (p, k)
    x_mean: np.ndarray  # (p,)
    y_mean: np.ndarray  # (k,)
    solver: str  # "cholesky", "svd", "lsqr" or "active_set"
    n_iter: np.ndarray  # (k,); a factorisation counts as one
    rank: int = 0
    # Singular values, or the matrix of products that has their squares, and what they are times.
    spectrum: tuple = ()

    def intercept(self):
        """The shift w_0 that makes the mean residual zero, (k,)."""
        return self.y_mean - self.x_mean @ self.coef


def unscaled_solution(samples, means, coef, solver, rank=0, spectrum=None):
    """Return the solution without the scales of the samples; `means`: Moments or RowProducts."""
    n_iter = np.ones(coef.shape[1], dtype=np.int32)
    return LeastSquares(
        coef * samples.x_scale / samples.y_scale, means.x_mean / samples.x_scale,
        means.y_mean / samples.y_scale, solver, n_iter, rank, (spectrum, samples.x_scale),
    )  # fmt: skip


def by_penalty(A, B, alpha, cutoff=0.0):
    """Solve for each distinct alpha the targets that have it; None if one of them fails."""
    solution = np.empty_like(B)
    for one in np.unique(alpha):
        its = np.flatnonzero(alpha == one)
        found = cholesky_solve(A, B[:, its], float(one), cutoff)
        if found is None or not np.isfinite(found).all():
            return None
        solution[:, its] = found
    return solution


def refined_solution(samples, total, alpha, cutoff=0.0, n_jobs=None):
    """Solve with products of float32, and bring back lost digits. Implements :eq:`eq-refinement`.

    Parameters
    ----------
    samples : Samples
        X of float32.
    total : Moments
        Theirs, with products of float32.
    alpha : float
        The penalty.
    cutoff, n_jobs : default=0.0, None
        As of ``cholesky_solve``, and the number of threads.

    Returns
    -------
    ndarray of shape (p, k) or None
        None where a solution would lose digits, or a step does not bring it nearer. Cost: 2 n p k
        for each step, of which there are few :cite:p:`higham_accuracy_2002`.
    """
    factor = trusted_factor(total.xx, alpha, cutoff)
    if factor is None or factor.rcond < REFINABLE:
        return None
    coef, last = factors.solve_factored(factor, total.xy), None
    while factor.rcond < SINGLE_SAFE:
        # <step>: The gradient is that of the samples, so that the error of the products is in the
        # length of a step, and not where the steps lead.
        gradient = residual_products(samples, total, coef, n_jobs) - alpha * coef
        step = factors.solve_factored(factor, gradient)
        coef = coef + step
        # <enough>: The next step is smaller than this one as this is than the one before.
        size, largest = (np.abs(one * factor.d[:, None]).max() for one in (step, coef))
        if size * (size / last if last else 1.0) <= ENOUGH * largest:
            break
        if last is not None and not size < 0.1 * last:
            return None
        last = size
    return coef if np.isfinite(coef).all() else None


def residual_products(samples, total, coef, n_jobs=None):
    """Return ``Z'(T - Z W)`` (p, k), in float64, for centred and weighted samples and targets."""
    centres = (total.x_mean, total.y_mean) if samples.centred else (None, None)
    arrays, rest = samples.by_rows()

    def part(arrays, rows):
        Z, T, _ = weighted_deviations(Samples(*arrays, *rest[3:]), rows, *centres)
        return Z.T @ (T - Z @ coef)

    size = max(4 * TILE // len(coef), 1)
    return fold_rows(part, operator.iadd, arrays, size, n_jobs)


def shrinkage_factors(singular, kept, alpha):
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
