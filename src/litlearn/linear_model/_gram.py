"""Least squares in either shape: scales, orthogonal factors, products of rows, Cholesky.

What a fit needs of tall samples are the moments of ``_moments.py``. Here is the rest: what to do
when their squares leave the range of numbers or lose too many digits, and the products of rows, of
which there are fewer than of columns where there are more features than samples.
"""

import operator

import numpy as np

from litlearn import _factors
from litlearn._moments import (
    as_float,
    constant_columns,
    rows_per_block,
    weighted_deviations,
)
from litlearn._parallel import cut, fold_blocks

# ---------------------------------------------------------------------------------------------
# Scales out of the ordinary: squares that overflow or vanish


def scaled(samples, total, n_jobs=None):
    """Return samples with scales that keep their squares within the range of numbers.

    The very same samples if `total`, their moments, show that it was so already.
    """
    n = len(samples.Y)
    if ordinary(np.diagonal(total.xx)) and ordinary(total.yy) and np.isfinite(total.xy).all():
        return samples

    def largest(rows):
        X = samples.X[rows]
        return float(max(X.max(), -X.min()))

    blocks = cut(n, rows_per_block(n, samples.X.shape[1]))
    return with_scales(samples, fold_blocks(largest, max, blocks, n_jobs))


def with_scales(samples, x_largest):
    """Return samples with scales set by their largest numbers, or the same if those are 1."""
    x_scale, y_scale = inverse(x_largest), inverse(np.abs(samples.Y).max())
    if (x_scale, y_scale) == (samples.x_scale, samples.y_scale):
        return samples
    return samples._replace(x_scale=x_scale, y_scale=y_scale)


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
    blocks = cut(n, max(rows_per_block(n, p), 16 * (p + k)))
    centres = (total.x_mean, total.y_mean) if samples.centred else (None, None)
    first = int(samples.centred)

    def factor(rows):
        Z, T, root = weighted_deviations(samples, rows, *centres)
        # The roots of the weights come first: what rounding left of the mean goes to their row.
        return np.linalg.qr(np.column_stack((root,) * first + (Z, T)), mode="r")

    found = fold_blocks(factor, stacked_factor, blocks, n_jobs)[first : p + first, first:]
    R = np.zeros((min(n, p), p + k))  # a row of zeros is left if there are n features
    R[: len(found)] = found
    R, C = R[:, :p], R[:, p:]
    R[:, np.diagonal(total.xx) == 0.0] = 0.0  # of constant columns only rounding is left
    return R, C


# ---------------------------------------------------------------------------------------------
# The other side: more features than samples


def row_products(samples, n_jobs=None):
    """Return the means, the centred and weighted targets, and the products of all pairs of rows.

    Returns
    -------
    x_mean, y_mean : ndarray of shape (p,) and (k,)
        Weighted means, zero without an intercept.
    K : ndarray of shape (n, n)
        ``Z @ Z.T`` of the centred and weighted samples Z.
    T : ndarray of shape (n, k)
        The targets, centred and weighted alike.
    root : ndarray of shape (n,)
        Roots of the weights.
    """
    n, p = samples.X.shape
    Y = as_float(samples.Y, samples.y_scale)
    root = np.ones(n) if samples.weight is None else np.sqrt(samples.weight)
    y_mean = root**2 @ Y / (root @ root) if samples.centred else np.zeros(Y.shape[1])
    blocks = cut(p, rows_per_block(p, n))

    x_mean = np.zeros(p)

    def product(columns):
        Z, x_mean[columns] = column_deviations(samples, columns, root)
        return Z @ Z.T

    K = fold_blocks(product, operator.iadd, blocks, n_jobs)
    return x_mean, y_mean, K, (Y - y_mean) * root[:, None], root


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


def combine_rows(samples, x_mean, root, A, n_jobs=None):
    """Return ``Z.T @ A``, a linear combination of the centred and weighted rows, (p, k)."""
    n, p = samples.X.shape
    blocks = cut(p, rows_per_block(p, n))

    result = np.empty((p, A.shape[1]))

    def combine(columns):
        Z, _ = column_deviations(samples, columns, root, x_mean[columns])
        result[columns] = Z.T @ A

    fold_blocks(combine, None, blocks, n_jobs)
    return result


def apply_columns(samples, x_mean, root, W, n_jobs=None):
    """Return ``Z @ W``, the linear function of the centred and weighted rows, (n, k)."""
    n, p = samples.X.shape
    blocks = cut(p, rows_per_block(p, n))

    def applied(columns):
        Z, _ = column_deviations(samples, columns, root, x_mean[columns])
        return Z @ W[columns]

    return fold_blocks(applied, operator.iadd, blocks, n_jobs)


def row_factor(samples, x_mean, root, n_jobs=None):
    """Return the triangular R with ``Z.T = Q R``: the square root of ``Z @ Z.T``, stably."""
    n, p = samples.X.shape
    blocks = cut(p, max(rows_per_block(p, n), 16 * n))

    def factor(columns):
        Z, _ = column_deviations(samples, columns, root, x_mean[columns])
        return np.linalg.qr(Z.T, mode="r")

    return fold_blocks(factor, stacked_factor, blocks, n_jobs)


# ---------------------------------------------------------------------------------------------
# Cholesky, with a test of whether its answer can be trusted


def cholesky_solve(A, B, alpha=0.0, cutoff=0.0):
    """Solve ``(A + alpha I) W = B`` for a symmetric A, or return None if digits would be lost.

    Parameters
    ----------
    A : ndarray of shape (p, p)
        Sums of products, such as a scatter matrix.
    B : ndarray of shape (p, k)
        Right-hand sides.
    alpha : float, default=0.0
        Added to the diagonal.
    cutoff : float, default=0.0
        Refuse, too, if a singular value (the root of an eigenvalue of A) may be smaller than this
        share of the largest.

    Returns
    -------
    ndarray of shape (p, k) or None
    """
    # <refuse>: A negative pivot, or a condition number that eats the digits, is an answer too.
    factor = _factors.cholesky(A, alpha)
    if factor is None:
        return None
    d = factor.d
    if factor.rcond * d.min() / d.max() < SAFE:
        return None
    if factor.smallest * d.min() ** 2 <= cutoff**2 * (d @ d):
        return None
    return _factors.solve(factor, B)


# One over the condition number of the scaled matrix, times the ratio of the scales, must be at
# least this large: rounding, about 1e-16 times its inverse, then stays below 1e-7 of the result.
SAFE = 1e-8
