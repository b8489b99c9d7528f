"""Factors of symmetric matrices: Cholesky, eigenvectors, triangular systems.

Every method that solves for a symmetric matrix asks three questions: is it positive definite, how
many digits does a solution keep, and what is its determinant. Here they are answered once, by
LAPACK, for matrices of float64. Where an answer is no, it is None, not an exception: a method that
can go another way does so.
"""

from typing import NamedTuple

import numpy as np


class Factor(NamedTuple):
    """Cholesky factor of a symmetric matrix that was scaled to a unit diagonal.

    ``A + shift I = D L L' D`` with ``D = diag(d)``. What features of different units do to the
    condition number is gone from `rcond`.
    """

    L: np.ndarray  # (p, p), its lower triangle; what is above is not to be read
    d: np.ndarray  # (p,), roots of the diagonal
    rcond: float  # one over the estimated condition number of the scaled matrix
    smallest: float  # estimate from below of the smallest eigenvalue of the scaled matrix


def cholesky(A, shift=0.0):
    """Factor ``A + shift I``.

    Parameters
    ----------
    A : ndarray of shape (p, p)
        Symmetric; not changed.
    shift : float, default=0.0
        Added to the diagonal.

    Returns
    -------
    Factor or None
        None if the matrix is not positive definite or not finite. Cost: p^3 / 3, and p^2 for the
        condition number :cite:p:`higham_accuracy_2002`.
    """
    from scipy.linalg import lapack

    # <scale>: A unit diagonal: what features of different units do to the condition goes away.
    diagonal = np.diagonal(A) + shift
    if not (diagonal > 0.0).all() or not np.isfinite(diagonal).all():
        return None
    d = np.sqrt(diagonal)
    S = A / d
    S /= d[:, None]
    np.fill_diagonal(S, 1.0)
    # <factor>: The factor, and from it an estimate of the condition number.
    size = np.abs(S).sum(axis=0).max()
    L, failed = lapack.dpotrf(S.T, lower=True, overwrite_a=True, clean=False)
    if failed:
        return None
    rcond, _ = lapack.dpocon(L, size, uplo="L")
    return Factor(L, d, rcond, rcond * size)


def solve(factor, B):
    """Return W with ``(A + shift I) W = B``, (p, k), from the factor: two triangular systems."""
    from scipy.linalg import lapack

    W, _ = lapack.dpotrs(factor.L, B / factor.d[:, None], lower=True, overwrite_b=True)
    return W / factor.d[:, None]


def log_determinant(factor):
    """Return the logarithm of the determinant of ``A + shift I``: no product can overflow."""
    return float(2.0 * (np.log(np.diagonal(factor.L)).sum() + np.log(factor.d).sum()))


def well_conditioned(A):
    """Tell whether a relative error of float32's rounding in A stays one of 1e-5 in a solution."""
    from scipy.linalg import lapack

    factor = cholesky(A)
    if factor is None or factor.rcond < 1e-5:
        return False
    # <power iteration>: The largest eigenvalues of the scaled matrix and of its inverse, nearly.
    largest = np.random.RandomState(0).standard_normal(len(A))
    smallest = largest.copy()
    for _ in range(10):
        largest /= np.linalg.norm(largest)
        smallest /= np.linalg.norm(smallest)
        largest = A @ (largest / factor.d) / factor.d
        smallest = lapack.dpotrs(factor.L, smallest, lower=True)[0]
    return bool(np.linalg.norm(largest) * np.linalg.norm(smallest) < 100.0)


def precision_factors(covariances):
    """Factor the inverses of several covariance matrices.

    Parameters
    ----------
    covariances : ndarray of shape (k, p, p)
        Symmetric.

    Returns
    -------
    factors : ndarray of shape (k, p, p)
        Upper triangular U with ``U U'`` the inverse: ``||U'(x - mean)||^2`` is the squared
        Mahalanobis distance. NaN where a matrix is not positive definite.
    log_determinants : ndarray of shape (k,)
        Of the covariances; -inf where a matrix is not positive definite.
    """
    k, p, _ = covariances.shape
    factors, log_determinants = np.full((k, p, p), np.nan), np.full(k, -np.inf)
    for i in range(k):
        found = cholesky(covariances[i])
        if found is not None:
            whole = np.tril(found.L) * found.d[:, None]  # Sigma = whole whole'
            factors[i] = solve_triangular(whole, np.eye(p)).T
            log_determinants[i] = log_determinant(found)
    return factors, log_determinants


def solve_triangular(L, B, transposed=False):
    """Return W with ``L W = B``, or ``L' W = B``, for a lower triangular L (p, p) and B (p, k)."""
    from scipy.linalg import lapack

    W, failed = lapack.dtrtrs(L, B, lower=True, trans=int(transposed))
    if failed:
        raise np.linalg.LinAlgError(f"the triangular factor is singular in row {failed - 1}")
    return W


def cholesky_in_place(K, shift=0.0):
    """Factor ``K + shift I`` without a second matrix of its size: K is overwritten.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric, float64, contiguous in either order.
    shift : float, default=0.0
        Added to the diagonal.

    Returns
    -------
    L : ndarray of shape (n, n) or None
        Lower triangular, in the memory of K; what is above is not to be read. None, with K lost,
        if the matrix is not positive definite.
    """
    from scipy.linalg import lapack

    K.flat[:: len(K) + 1] += shift
    L, failed = lapack.dpotrf(
        K if K.flags.f_contiguous else K.T, lower=True, overwrite_a=True, clean=False
    )
    return None if failed else L


def semidefinite_eigen(A):
    """Return the eigenvalues of a positive semidefinite A, rising, (p,), and its eigenvectors.

    Eigenvalues below zero are rounding, and are returned as zero. The eigenvectors are columns.
    """
    values, vectors = np.linalg.eigh(A)
    return np.maximum(values, 0.0), vectors
