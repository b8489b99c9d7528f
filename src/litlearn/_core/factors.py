"""Factors of matrices: Cholesky, eigenvectors, triangular systems, leading singular values.

Every method that solves for a symmetric matrix asks three questions: is it positive definite, how
many digits does a solution keep, and what is its determinant. Here they are answered once, by
LAPACK, for matrices of float64. Where an answer is no, it is None, not an exception: a method that
can go another way does so.

Methods that look for a few directions only need products with a matrix, not its factors. The second
half of this file finds the leading singular values of any matrix (:func:`leading_singular`) and the
largest eigenvalues of a symmetric one (:func:`leading_eigen`) by block Krylov spaces, until a
certificate says that they are right; ARPACK and random projections do the same in other ways. The
matrix is a :class:`Product`: dense or sparse, its mean taken off if there is one.
"""

import contextlib
import functools
import itertools
from typing import NamedTuple

import numpy as np

from litlearn._core.parallel import cut, fold_blocks, single_threaded_blas

# Numbers in a block of rows whose products a thread takes at a time.
PRODUCT_BLOCK = 2**19
# Multiplications that BLAS does at once without copying the factors to where it wants them first:
# for a few directions the copy takes as long as the product. And columns of such a tile.
UNPACKED, TILE_COLUMNS, FEW_DIRECTIONS = 2**19, 512, 48
# Rows of a matrix that one thread factors, and whose eigenvectors it finds. The threads of BLAS
# gain little there, and keep the processors busy for some 25 ms after their work is done, which
# the next pass over the samples would miss.
FEW_ROWS, FEW_EIGENVECTORS = 512, 256
# Directions in a Krylov space, as a multiple of the block that it grows by, before it is cut back.
MOST_BLOCKS_KEPT = 12


def threads_for(n_rows, few=FEW_ROWS):
    """Context in which BLAS has as many threads as a factorisation is worth."""
    return single_threaded_blas() if n_rows <= few else contextlib.nullcontext()


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
    with threads_for(len(A)):
        L, failed = lapack.dpotrf(S.T, lower=True, overwrite_a=True, clean=False)
        if failed:
            return None
        rcond, _ = lapack.dpocon(L, size, uplo="L")
    return Factor(L, d, rcond, rcond * size)


def solve_factored(factor, B):
    """Return W with ``(A + shift I) W = B``, (p, k), from the factor: two triangular systems."""
    from scipy.linalg import lapack

    with threads_for(len(factor.L)):
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

    with threads_for(max(B.shape)):
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
    with threads_for(len(A), FEW_EIGENVECTORS):
        values, vectors = np.linalg.eigh(A)
    return np.maximum(values, 0.0), vectors


# --- signs -----------------------------------------------------------------------------------


def signs(V):
    """Return the sign that makes the largest entry of each column of V (p, k) positive, (k,).

    Of entries that are equally large up to rounding the first one counts, so that another processor
    chooses the same. The sign of a column of zeros is 1.
    """
    if not V.size:
        return np.ones(V.shape[1])
    size = np.abs(V)
    close = 1e-8 if V.dtype == np.float64 else 1e-4
    first = np.argmax(size >= (1.0 - close) * size.max(axis=0), axis=0)
    chosen = V[first, np.arange(V.shape[1])]
    return np.where(chosen < 0.0, -1.0, 1.0).astype(V.dtype)


# --- products of a matrix that is not formed -------------------------------------------------


class Product:
    """A matrix known by its products: X (n, p) less the means of its columns, dense or sparse.

    Products of dense X are taken in blocks of rows, in float64, with the same bits for any number
    of threads. Nothing of the size of X is allocated.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, p)
        float32 or float64.
    mean : ndarray of shape (p,), default=None
        Taken off each row. None: X as it is.
    spread : float, default=0.0
        Sum of the variances of the columns. If the means are much larger, they are taken off before
        the product, else after it, which is cheaper.
    """

    def __init__(self, X, mean=None, spread=0.0):
        self.X, self.mean, self.shape = X, mean, X.shape
        self.dense = isinstance(X, np.ndarray)
        self.before = self.dense and mean is not None and bool(mean @ mean > 100.0 * spread)
        n, p = X.shape
        self.blocks = cut(n, max(PRODUCT_BLOCK // max(p, 1), 32, -(-n // 256)))

    def rows(self, block):
        """Return a block of rows in float64, less the means if they are large."""
        rows = self.X[block].astype(np.float64, copy=False)
        return rows - self.mean if self.before else rows

    def tiles(self, m, k):
        """Cut m rows of X into tiles, (rows, columns) each, for a product with k directions."""
        if k > FEW_DIRECTIONS:
            return [(slice(0, m), slice(0, self.shape[1]))]
        size = max(8, UNPACKED // max(1, k * min(self.shape[1], TILE_COLUMNS)))
        return itertools.product(cut(m, size), cut(self.shape[1], TILE_COLUMNS))

    def times(self, Q):
        """Return the product with Q (p, k), (n, k)."""
        if not self.dense:
            found = np.asarray(self.X @ Q)
        else:
            found, Q = np.zeros((self.shape[0], Q.shape[1])), np.ascontiguousarray(Q)

            def part(block):
                rows, out = self.rows(block), found[block]
                for some, columns in self.tiles(len(rows), Q.shape[1]):
                    out[some] += rows[some, columns] @ Q[columns]

            fold_blocks(part, None, self.blocks, work=self.X.size * Q.shape[1] / 8)
        if self.mean is not None and not self.before:
            found = found - self.mean @ Q
        return found

    def transposed_times(self, P):
        """Return the product of the transpose with P (n, k), (p, k)."""
        if not self.dense:
            found = np.asarray(self.X.T @ P)
        else:
            P = np.ascontiguousarray(P)

            def part(block):
                rows, own, out = self.rows(block), P[block], np.zeros((self.shape[1], P.shape[1]))
                for some, columns in self.tiles(len(rows), P.shape[1]):
                    out[columns] += rows[some, columns].T @ own[some]
                return out

            work = self.X.size * P.shape[1] / 8
            found = fold_blocks(part, np.add, self.blocks, work=work)
        if self.mean is not None and not self.before:
            found = found - np.multiply.outer(self.mean, P.sum(axis=0))
        return found


class Symmetric:
    """A symmetric matrix (n, n) known by its products, of which only half is held.

    A product reads every tile right of the diagonal once, for the rows that it stands in and, as
    what stands below the diagonal, for those that its columns number: memory is slower than
    arithmetic.

    Parameters
    ----------
    parts : list of ndarray of shape (m, n - start)
        For each block of m rows the columns from its first row, `start`, on; with all of the square
        on the diagonal.
    """

    def __init__(self, parts):
        self.parts, n = parts, parts[0].shape[1]
        self.shape = n, n

    def times(self, Q):
        """Return the product with Q (n, k), (n, k)."""
        n, k = self.shape[0], Q.shape[1]
        Q = np.ascontiguousarray(Q)

        def part(own):
            (m, width), first = own.shape, n - own.shape[1]
            found, mine = np.zeros((width, k)), Q[first:]
            size, columns = m, width
            if k <= FEW_DIRECTIONS:
                size, columns = max(8, UNPACKED // (k * TILE_COLUMNS)), TILE_COLUMNS
            for some in cut(m, size):
                found[some] += own[some, :m] @ mine[:m]
                # <twice>: The tile stays in the cache for its second product.
                for right in cut(slice(m, width), columns):
                    tile = own[some, right]
                    found[some] += tile @ mine[right]
                    found[right] += tile.T @ mine[some]
            return found

        def merge(total, one):
            total[n - len(one) :] += one
            return total

        return fold_blocks(part, merge, self.parts, work=n * n * k / 8)

    transposed_times = times

    def whole(self):
        """Return the matrix, and let go of its parts one by one."""
        n = self.shape[0]
        K = np.empty((n, n))
        while self.parts:
            own = self.parts.pop()
            rows = slice(n - own.shape[1], n - own.shape[1] + len(own))
            K[rows, rows.start :] = own
            K[rows.stop :, rows] = own[:, len(own) :].T
        return K


class Singular(NamedTuple):
    """Leading singular values of a matrix A (n, p), and their vectors."""

    left: np.ndarray  # (n, k)
    values: np.ndarray  # (k,), falling
    right: np.ndarray  # (p, k)
    residual: float  # the largest norm of A' u - s v, as a share of s


class Eigen(NamedTuple):
    """The largest eigenvalues of a symmetric matrix A (n, n), and their vectors."""

    values: np.ndarray  # (k,), falling
    vectors: np.ndarray  # (n, k)
    residual: float  # the largest norm of A v - l v, divided by the first eigenvalue in size


# --- block Krylov spaces ---------------------------------------------------------------------


def alone(solver):
    """Let the small products of a solver use one thread: those with A have the others."""

    @functools.wraps(solver)
    def limited(*args, **kwargs):
        import scipy.linalg  # noqa: F401  (before threads are limited, so that its own are too)

        with single_threaded_blas():
            return solver(*args, **kwargs)

    return limited


def new_directions(W, basis, scale):
    """Split W (n, b) into what the basis holds and orthonormal directions beyond it.

    Parameters
    ----------
    W : ndarray of shape (n, b)
        Products.
    basis : ndarray of shape (n, m)
        Orthonormal columns.
    scale : float
        Size of what W was made of: what is left of that, up to rounding, is no direction.

    Returns
    -------
    inside : ndarray of shape (m, b)
        ``basis.T @ W``.
    new : ndarray of shape (n, r)
        Orthonormal, and orthogonal to the basis; r is at most b.
    outside : ndarray of shape (r, b)
        ``W = basis @ inside + new @ outside``, up to rounding.
    """
    if not W.shape[1]:
        return np.empty((basis.shape[1], 0)), W, np.empty((0, 0))
    known = Product(basis)
    # <twice>: Taking off what the basis holds leaves rounding, which counts where much cancelled.
    inside = known.transposed_times(W)
    new, outside = orthonormal(W - known.times(inside), 1e-14 * scale)
    # <clean>: A second time, at length 1, removes that too; and it belongs to what was inside.
    rest = known.transposed_times(new)
    new, turned = orthonormal(new - known.times(rest), 0.0)
    inside += rest @ outside
    return inside, new, turned @ outside


def orthonormal(W, rounding):
    """Return orthonormal Q (n, r) and R (r, b) with ``W = Q R``, but for columns below `rounding`.

    By the Cholesky factor of W'W if that keeps enough digits, which is fast and of which a second
    time makes good what is lost; else by Householder's reflections with pivots.
    """
    from scipy import linalg

    factor = cholesky(W.T @ W) if W.shape[1] else None
    if factor is not None and factor.rcond > 1e-6 and factor.smallest > 1e-6:
        if factor.d.min() * np.sqrt(factor.smallest) > 1e3 * rounding:
            R = np.tril(factor.L).T * factor.d
            return np.ascontiguousarray(solve_triangular(R.T, W.T).T), R
    Q, R, order = linalg.qr(W, mode="economic", pivoting=True, check_finite=False)
    rank = int((np.abs(np.diagonal(R)) > max(rounding, 1e-300)).sum())
    outside = np.empty((rank, W.shape[1]))
    outside[:, order] = R[:rank]
    return Q[:, :rank], outside


@alone
def leading_singular(A, k, *, tol=1e-9, most_products=60, seed=0):
    """Find the k largest singular values of A, and their vectors, by a block Krylov space.

    Golub and Kahan's bidiagonalisation in blocks, with all directions kept orthogonal: its error
    is that of a decomposition of A, not of the squared numbers in A'A.

    Parameters
    ----------
    A : Product
        (n, p).
    k : int
        At most ``min(n, p)``.
    tol : float, default=1e-9
        The residual of each pair that is small enough, as a share of its singular value; or 1e-13
        of the first one. Errors of singular values are of the size of its square.
    most_products : int, default=60
        Products with A after which to give up.
    seed : int or RandomState, default=0
        Of the random start. What is found does not depend on it, but for rounding.

    Returns
    -------
    Singular
        Its `residual` is above `tol` if it gave up. Cost: 4 n p (k + 8) for each product and its
        transpose, about 5 to 15 of them :cite:p:`golub_block_1981`.
    """
    n, p = A.shape
    block, most = krylov_sizes(k, min(n, p))
    random = np.random.RandomState(seed) if isinstance(seed, int) else seed
    V, U, B = np.empty((p, 0)), np.empty((n, 0)), np.empty((0, 0))  # A V = U B
    new, scale = np.linalg.qr(random.standard_normal((p, block)))[0], 0.0
    for _ in range(most_products):
        # <extend>: The products of the new right directions give new left ones.
        W = A.times(new)
        scale = max(scale, np.linalg.norm(W, axis=0).max())
        inside, left, outside = new_directions(W, U, scale)
        B = np.block([[B, inside], [np.zeros((len(outside), B.shape[1])), outside]])
        V, U = np.hstack([V, new]), np.hstack([U, left])
        # <back>: What the transpose gives beyond the right ones is what they miss.
        _, new, beyond = new_directions(A.transposed_times(left), V, scale)
        x, values, yt = np.linalg.svd(B)
        missing = beyond @ x[len(x) - left.shape[1] :, :k]
        residual = relative(missing, values[:k], tol)
        if V.shape[1] >= k and residual <= tol:
            break
        if not new.shape[1]:  # all that is left has the singular value zero
            new = new_directions(random.standard_normal((p, block)), V, 1.0)[1]
        # <cut back>: Too many directions: those of the leading values stay.
        if V.shape[1] + new.shape[1] > most:
            kept = min(len(values), max(most - new.shape[1], block), 2 * block)
            V, U, B = V @ yt[:kept].T, U @ x[:, :kept], np.diag(values[:kept])
    # <rank>: Beyond the rank of A, singular values are zero, and so is what stands on their left.
    left = np.zeros((n, k))
    left[:, : len(values[:k])] = U @ x[:, : len(values[:k])]
    values = np.concatenate([values[:k], np.zeros(k - len(values[:k]))])
    return Singular(left, values, V @ yt[:k].T, residual)


@alone
def leading_eigen(A, k, *, tol=1e-9, most_products=120, seed=0):
    """Find the k largest eigenvalues of a symmetric A, and their vectors, by a block Krylov space.

    Lanczos's method in blocks, with all directions kept orthogonal.

    Parameters
    ----------
    A : Product or object with ``shape`` and ``times``
        (n, n), symmetric.
    k : int
        At most n.
    tol : float, default=1e-9
        The residual of each pair that is small enough, as a share of the largest eigenvalue in
        size. Errors of eigenvalues are of the size of its square.
    most_products : int, default=120
        Products with A after which to give up.
    seed : int or RandomState, default=0
        Of the random start. What is found does not depend on it, but for rounding.

    Returns
    -------
    Eigen
        Its `residual` is above `tol` if it gave up. Cost: 2 n^2 (k + 8) for each product, about 5
        to 15 of them :cite:p:`golub_block_1981`.
    """
    n = A.shape[0]
    block, most = krylov_sizes(k, n)
    random = np.random.RandomState(seed) if isinstance(seed, int) else seed
    V, T, scale = np.empty((n, 0)), np.empty((0, 0)), 0.0  # T = V' A V, above the diagonal
    new = np.linalg.qr(random.standard_normal((n, block)))[0]
    for _ in range(most_products):
        # <extend>: A new block of directions, and what their products have beyond all of them.
        W = A.times(new)
        scale = max(scale, np.linalg.norm(W, axis=0).max())
        V, last = np.hstack([V, new]), new.shape[1]
        inside, new, beyond = new_directions(W, V, scale)
        T = np.hstack([np.vstack([T, np.zeros((last, len(T)))]), inside])
        values, y = np.linalg.eigh(T, UPLO="U")
        values, y = values[::-1], y[:, ::-1]
        residual = relative(beyond @ y[len(y) - last :, :k], values, 1.0)
        if V.shape[1] >= k and residual <= tol:
            break
        if not new.shape[1]:  # these directions are closed under A: others
            new = new_directions(random.standard_normal((n, block)), V, 1.0)[1]
        # <cut back>: Too many directions: those of the largest values stay.
        if V.shape[1] + new.shape[1] > most:
            kept = min(len(values), max(most - new.shape[1], block), 2 * block)
            V, T = V @ y[:, :kept], np.diag(values[:kept])
    return Eigen(values[:k], V @ y[:, :k], residual)


def krylov_sizes(k, n):
    """Return the directions in a block, a few more than k, and in all blocks before a cut."""
    block = min(8 * -(-(k + 2) // 8), n)
    return block, min(MOST_BLOCKS_KEPT * block, n)


def relative(missing, values, tol):
    """Return the largest norm of the columns (r, k) as a share of its value, or 0 for none.

    What is 1e-13 of the largest value is rounding, and no more than `tol`.
    """
    largest = np.abs(values).max(initial=0.0)
    norms = np.linalg.norm(missing, axis=0)
    if largest == 0.0 or not norms.any():
        return 0.0
    sizes = np.zeros(len(norms))
    sizes[: min(len(values), len(norms))] = np.abs(values[: len(norms)])
    least = largest if tol >= 1.0 else 1e-13 / tol * largest
    return float((norms / np.maximum(sizes, least)).max())


# --- ARPACK and random projections -----------------------------------------------------------


def arpack_start(n, random):
    """Return the start (n,) that scikit-learn draws for ARPACK."""
    return random.uniform(-1.0, 1.0, n)


def arpack_singular(A, k, random, tol=0.0):
    """Find the k leading singular values of A, a :class:`Product`, by ARPACK; k < min(n, p)."""
    from scipy.sparse.linalg import LinearOperator, svds

    def column(multiply):
        return lambda v: multiply(np.reshape(v, (-1, 1))).ravel()

    operator = LinearOperator(
        A.shape,
        matvec=column(A.times),
        rmatvec=column(A.transposed_times),
        matmat=A.times,
        rmatmat=A.transposed_times,
        dtype=np.float64,
    )
    U, values, Vt = svds(operator, k=k, tol=tol, v0=arpack_start(min(A.shape), random))
    order = np.argsort(values)[::-1]
    return Singular(U[:, order], values[order], Vt[order].T, float(tol))


def arpack_eigen(A, k, random, tol=0.0, max_iter=None):
    """Find the k largest eigenvalues of a symmetric A, a :class:`Product`, by ARPACK; k < n.

    Raises ``scipy.sparse.linalg.ArpackNoConvergence`` after `max_iter` iterations.
    """
    from scipy.sparse.linalg import LinearOperator, eigsh

    n = A.shape[0]

    def matvec(v):
        return A.times(np.reshape(v, (-1, 1))).ravel()

    operator = LinearOperator((n, n), matvec=matvec, matmat=A.times, dtype=np.float64)
    start = arpack_start(n, random)
    values, vectors = eigsh(operator, k, which="LA", tol=tol, maxiter=max_iter, v0=start)
    order = np.argsort(values)[::-1]
    return Eigen(values[order], vectors[:, order], float(tol))


def random_range(A, size, random, n_iter, normalizer="auto"):
    """Return orthonormal columns (n, size) that hold most of what A (n, p) does to any vector.

    Parameters
    ----------
    A : Product
        (n, p).
    size : int
        Number of columns.
    random : RandomState
        Draws the start as scikit-learn does.
    n_iter : int
        Power iterations: products with A'A, after which large singular values stand out.
    normalizer : {"auto", "QR", "LU", "none"}, default="auto"
        What keeps the columns apart between them :cite:p:`halko_finding_2011`.
    """
    from scipy import linalg

    def orthonormal(Q):
        return linalg.qr(Q, mode="economic", check_finite=False)[0]

    def triangular(Q):
        return linalg.lu(Q, permute_l=True, check_finite=False)[0]

    if normalizer == "auto":
        normalizer = "none" if n_iter <= 2 else "LU"
    normalise = {"QR": orthonormal, "LU": triangular, "none": lambda Q: Q}[normalizer]
    Q = random.normal(size=(A.shape[1], size))
    for _ in range(n_iter):
        Q = normalise(A.times(Q))
        Q = normalise(A.transposed_times(Q))
    return orthonormal(A.times(Q))


def default_iterations(k, shape):
    """Power iterations that scikit-learn takes for ``"auto"``: more for few directions."""
    return 7 if k < 0.1 * min(shape) else 4


@alone
def random_singular(A, k, random, *, n_oversamples=10, n_iter="auto", normalizer="auto"):
    """Find about the k leading singular values of A, a :class:`Product`, by random projection.

    It does not know how close it came: the residual is NaN. See :cite:t:`halko_finding_2011`.
    """
    n_iter = default_iterations(k, A.shape) if n_iter == "auto" else n_iter
    # So many directions span all that there is: nothing is to be gained from more of them.
    n_iter = 0 if k + n_oversamples >= min(A.shape) else n_iter
    wide = A.shape[0] < A.shape[1]
    A = Transposed(A) if wide else A
    Q = random_range(A, k + n_oversamples, random, n_iter, normalizer)
    x, values, yt = np.linalg.svd(A.transposed_times(Q).T, full_matrices=False)
    left, right = Q @ x[:, :k], yt[:k].T
    return Singular(*((right, values[:k], left) if wide else (left, values[:k], right)), np.nan)


def random_eigen(A, k, random, *, n_oversamples=10, n_iter="auto"):
    """Find about the k largest eigenvalues, in size, of a symmetric A by random projection.

    They are falling in size, and of either sign.
    """
    found = random_singular(A, k, random, n_oversamples=n_oversamples, n_iter=n_iter)
    side = np.einsum("ij,ij->j", found.left, found.right)  # v and -v: the eigenvalue is negative
    return Eigen(found.values * np.sign(side), found.left, np.nan)


class Transposed:
    """The transpose of a :class:`Product`."""

    def __init__(self, A):
        self.shape = A.shape[::-1]
        self.times, self.transposed_times = A.transposed_times, A.times
