"""Errors of ridge regression for each sample, under the model fitted to all others.

Leaving out one sample changes the solution in a way that a formula tells, :eq:`eq-ridge-loo`. So
one decomposition gives the errors of n models that are never fitted, for every penalty at once.
"""

import numpy as np

from litlearn._core import factors, moments
from litlearn._core.parallel import PIECE, cut, map_blocks
from litlearn.linear_model import _normal_equations


def leave_one_out(samples, alphas, visit):
    """Compute each sample's error under the model fitted to all others, for each penalty.

    Parameters
    ----------
    samples : Samples
        Data, (n, p) and (n, k).
    alphas : ndarray of shape (a,)
        Penalties, positive.
    visit : callable
        Gets the first and the last row of a block, its errors (rows, k, a), each times the root of
        the sample's weight, and those roots (rows,). What it returns is collected in a list.

    Returns
    -------
    visited : list
    solve : callable
        Takes penalties (k,), one for each target, and returns :class:`LeastSquares`.
    """
    n, p = samples.X.shape
    one_side = leave_one_out_wide if p >= n else leave_one_out_tall
    with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
        return one_side(samples, alphas, visit)


def leave_one_out_tall(samples, alphas, visit):
    """More samples than features: the errors over one minus the leverages."""
    n, p = samples.X.shape
    total = moments.moments(samples)
    # <decompose>: Singular values and right singular vectors of the samples. From the scatter
    # matrix, if the penalties hide the digits that squaring costs.
    s2, V = factors.semidefinite_eigen(total.xx)
    if alphas.min() > 1e-10 * s2[-1]:
        projected = V.T @ total.xy  # S U'y
    else:
        R, C = _normal_equations.triangular_factor(samples, total)
        U, singular, Vt = _normal_equations.svd(R)
        s2, V = singular**2, Vt.T
        projected = singular[:, None] * (U.T @ C)
    # <shrink>: In these coordinates, ridge divides by s^2 + alpha.
    shrunk = 1.0 / (s2[:, None] + alphas)  # (p, a)
    W = (projected[:, :, None] * shrunk[:, None, :]).reshape(p, -1)  # (p, k * a)
    centres = (total.x_mean, total.y_mean) if samples.centred else (None, None)
    blocks = cut(n, min(moments.rows_per_block(n, p), PIECE // p**2))

    def errors(b):
        Z, T, root = moments.weighted_deviations(samples, blocks[b], *centres)
        # <leverage>: The diagonal of the hat matrix, without forming it.
        M = Z @ V
        leverage = (M * M) @ shrunk
        if samples.centred:
            leverage += (root**2 / total.weight)[:, None]
        residual = T[:, :, None] - (M @ W).reshape(len(T), T.shape[1], -1)
        # <leave one out>: Each residual grows by what the sample itself had pulled in.
        left_out = residual / (1.0 - leverage)[:, None, :]
        return visit(blocks[b].start, blocks[b].stop, left_out, root)

    def solve(alpha):
        coef = V @ (projected / (s2[:, None] + alpha))
        return _normal_equations.unscaled_solution(samples, total, coef, "cholesky")

    return map_blocks(errors, len(blocks)), solve


def leave_one_out_wide(samples, alphas, visit):
    """No more samples than features: the same from the products of all pairs of rows."""
    rows = _normal_equations.row_products(samples)
    K, T, root, n = rows.xx, rows.xy, rows.root, len(rows.xx)
    # <deflate>: Centred rows sum to zero: one direction of K is known, and has no part.
    ones = root / np.linalg.norm(root)
    level = max(np.trace(K) / n, np.finfo(np.float64).tiny)
    if samples.centred:
        K += np.multiply.outer(level * ones, ones)
    e, Q = factors.semidefinite_eigen(K)
    projected = Q.T @ T
    # <dual>: The error of a sample left out is its dual coefficient over its entry on the diagonal
    # of the inverse; nothing is subtracted that could cancel.
    inverse = (Q * Q) @ (1.0 / (e[:, None] + alphas))  # (n, a)
    if samples.centred:
        inverse -= np.multiply.outer(ones**2, 1.0 / (level + alphas))
    k, a = T.shape[1], len(alphas)
    scaled = projected[:, :, None] / (e[:, None, None] + alphas)
    dual = (Q @ scaled.reshape(n, k * a)).reshape(n, k, a)
    left_out = dual / inverse[:, None, :]

    def solve(alpha):
        A = Q @ (projected / (e[:, None] + alpha))
        coef = _normal_equations.combine_rows(samples, rows, A)
        return _normal_equations.unscaled_solution(samples, rows, coef, "cholesky")

    return [visit(0, n, left_out, root)], solve
