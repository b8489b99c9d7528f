"""Gram matrices of estimators: the kernel that a user chose, whole matrices, and tiles of them.

An estimator with a parameter ``kernel`` (a name, a function of two samples, or "precomputed") makes
a :class:`SampleKernel` of its training samples, and asks it for their Gram matrix, or for products
of the kernel of other samples with something it has learned. Only the first holds n x n numbers,
and :func:`check_memory` refuses it where it cannot fit.
"""

import contextlib
import operator
import os
from typing import NamedTuple

import numpy as np

from litlearn._core import factors, validation
from litlearn._core.base import BaseEstimator
from litlearn._core.chunked import in_memory
from litlearn._core.constraints import ANY_REAL, CALLABLE, DICT, NOT_NEGATIVE, Option, Table
from litlearn._core.distances import unit_rows
from litlearn._core.parallel import cut, fold_blocks
from litlearn.kernels import _functions as kernels

TILE_BYTES = 2**22  # of a tile of the kernel of new samples with the training samples
MOST_ROWS = 256  # of such a tile: with few training samples it stays in a core's cache

EPS = np.finfo(np.float64).eps
CACHED = ("active_file", "inactive_file")  # of a container: contents of files, which can be dropped
POSITIVE = ("linear", "cosine", "rbf", "laplacian")  # no Gram matrix has an eigenvalue below zero
INDEFINITE = "is not positive definite"
MOST_FACTORS = 8  # penalties up to which one factorisation each is faster than eigenvectors


class KernelEstimator(BaseEstimator):
    """An estimator with a parameter ``kernel``, and with those that belong to it."""

    _constraints = Table(
        kernel=Option(*kernels.CODES) | CALLABLE,
        gamma=NOT_NEGATIVE | None,
        degree=NOT_NEGATIVE,
        coef0=ANY_REAL,
        kernel_params=DICT | None,
    )

    @property
    def _sparse_formats(self):
        """Formats of sparse samples that go with the kernel."""
        of_arrays = callable(self.kernel) or self.kernel == "precomputed"
        return () if of_arrays or kernels.CODES.get(self.kernel) in kernels.OF_COUNTS else ("csr",)


def check_kernel_samples(owner, X, **options):
    """Return checked training samples, dense or CSR, and names; a Gram matrix must be square."""
    X, names = validation.check_samples(owner, X, **options)
    if owner.kernel == "precomputed":
        validation.check_square(owner, X)
    return X, names


def rows_of_samples(owner, X, rows):
    """Return some of the samples; of a Gram matrix their rows and columns."""
    if owner.kernel == "precomputed" and not isinstance(rows, slice):
        return validation.read_only(X[np.ix_(rows, rows)])
    some = in_memory(X[rows])
    return some if validation.is_sparse(some) else validation.read_only(some)


def own_copy(owner, X):
    """Return samples that no change of the caller's array reaches; a Gram matrix is not copied."""
    if owner.kernel == "precomputed":
        return X
    return X.copy() if validation.is_sparse(X) else validation.read_only(X.copy())


class SampleKernel:
    """The kernel of given samples with each other, and with other ones, in float64.

    Parameters
    ----------
    owner : estimator
        With checked parameters kernel, gamma, degree, coef0 and kernel_params.
    X : ndarray or CSR array of shape (n, p)
        Checked samples; for the kernel "precomputed" their Gram matrix (n, n).
    gamma : float or None
        As in `kernels.make_kernel`.
    """

    def __init__(self, owner, X, gamma):
        self.owner, self.name = owner, owner.kernel
        self.of_arrays = callable(self.name) or self.name == "precomputed"
        self.X = self._prepare(X)
        if not self.of_arrays:
            degree = 3 if owner.degree is None else owner.degree
            coef0 = 1 if owner.coef0 is None else owner.coef0
            self.kernel = kernels.make_kernel(
                self.name, self.X, gamma=gamma, degree=degree, coef0=coef0
            )

    def _prepare(self, X):
        if self.of_arrays:
            return X
        if kernels.CODES[self.name] in kernels.OF_COUNTS:
            kernels.check_counts(self.owner, self.name, X, "X")
        return kernels.as_input(unit_rows(X) if self.name == "cosine" else X, np.float64)

    def _queries(self, Q):
        """Return samples in the form of the training samples, dense or sparse."""
        if not self.of_arrays and validation.is_sparse(Q) != validation.is_sparse(self.X):
            Q = Q.toarray() if validation.is_sparse(Q) else type(self.X)(Q)
        return self._prepare(Q)

    def gram(self, n_jobs=None):
        """Return the Gram matrix of the samples, (n, n): a new array, which may be overwritten."""
        K = self._gram(n_jobs)
        self._check_range(K)
        return K

    def upper(self, n_jobs=None):
        """Return the same as a :class:`~litlearn._core.factors.Symmetric`.

        Its range is not checked. It may be overwritten. For kernels with a name, only half of it
        is computed and held.
        """
        if not self.of_arrays:
            return factors.Symmetric(kernels.upper_gram(self.kernel, self.X, n_jobs))
        K = self._gram(n_jobs)
        K = 0.5 * (K + K.T)  # of a user's matrix that is not symmetric, the part that is
        blocks = cut(len(K), kernels.TILE_ROWS)
        return factors.Symmetric([K[rows, rows.start :] for rows in blocks])

    def half(self, shift):
        """Return the same, defined on and right of the diagonal alone, if that will do.

        It does if ``gram() + shift I`` is certainly well-conditioned: the kernel has no eigenvalue
        below zero, and the shift is far above the rounding of its entries. None otherwise.
        """
        if self.name not in POSITIVE:
            return None
        # No entry is larger than the largest on the diagonal, no eigenvalue than n times that.
        n = self.X.shape[0]
        with np.errstate(over="ignore", invalid="ignore"):
            largest = kernels.kernel_diagonal(self.kernel, self.X).max()
        rounding = n * max(2.0 * kernels.PRECISION, 10.0 * EPS * np.sqrt(n))
        if not shift > rounding * largest:
            return None
        return kernels.gram(self.kernel, self.X, mirror=False)

    def rounding(self, K):
        """Return what rounding may do to the eigenvalues of ``gram()``, in proportion to n.

        None for a kernel that is an inner product, whose eigenvalues are never below zero.
        """
        if self.name in POSITIVE or self.name == "chi2":
            return None
        if self.name in ("poly", "polynomial"):
            degree, coef0 = self.owner.degree, self.owner.coef0
            if (degree is None or degree == int(degree)) and (coef0 is None or coef0 >= 0.0):
                return None
        single = self.of_arrays and self.X.dtype == np.float32
        precision = np.finfo(np.float32).eps if single else max(kernels.PRECISION, 10.0 * EPS)
        return len(K) * precision * max(K.max(), -K.min())

    def _gram(self, n_jobs):
        if callable(self.name):
            K = kernels.by_callable(
                self.owner, self.name, self.X, None, self.owner.kernel_params or {}
            )
        elif self.name == "precomputed":
            K = np.array(self.X, dtype=np.float64)
        else:
            K = kernels.gram(self.kernel, self.X, n_jobs=n_jobs)
        return K

    def _check_range(self, K):
        """Refuse a Gram matrix whose entries are beyond the range of numbers."""

        def in_range(rows):
            with np.errstate(over="ignore", invalid="ignore"):
                return bool(np.isfinite(K[rows].sum()) or np.isfinite(K[rows]).all())

        blocks = cut(len(K), max(1, TILE_BYTES // (8 * len(K))))
        if not fold_blocks(in_range, operator.and_, blocks, work=K.size):
            self.refuse_range()

    def refuse_range(self):
        """Raise the error of a Gram matrix whose entries are beyond the range of numbers."""
        raise ValueError(
            f"{validation.owner_name(self.owner)}: the kernel {self.name!r} of some pairs of "
            "samples is infinite or NaN, expected finite numbers: scale X, or choose another "
            "kernel, degree, gamma or coef0."
        )

    def map_tiles(self, Q, part, n_columns, n_jobs=None, dtype=np.float64):
        """Return what `part` makes of the kernel K of samples Q (m, p) with the samples.

        ``part(K, out)`` receives a tile of rows of K, of shape (rows, n) and float64, which it may
        overwrite, and writes to the same rows of the result, (m, n_columns).
        """
        Q, n = self._queries(Q), self.X.shape[0]
        out = np.empty((Q.shape[0], n_columns), dtype=dtype)

        def fill(rows):
            tile = self._tile(Q[rows])
            with np.errstate(over="ignore", invalid="ignore"):
                part(tile, out[rows])

        size = max(16, min(MOST_ROWS, TILE_BYTES // (8 * n)))
        n_jobs = 1 if callable(self.name) else n_jobs  # Python functions gain nothing from threads
        work = 2.0 * Q.shape[0] * n * (10 + n_columns)
        fold_blocks(fill, None, cut(Q.shape[0], size), n_jobs, work=work)
        return out

    def _tile(self, Q):
        if callable(self.name):
            parameters = self.owner.kernel_params or {}
            return kernels.by_callable(self.owner, self.name, Q, self.X, parameters)
        if self.name == "precomputed":
            return np.array(Q, dtype=np.float64)
        tile = np.empty((Q.shape[0], self.X.shape[0]))
        kernels.gram_tile(self.kernel, self.X, Q, tile)
        return tile


# ------------------------------------------------------------------ systems


class ShiftedSolution(NamedTuple):
    """Of ``(K + shift I) W = B``."""

    W: np.ndarray  # (n, k)
    solver: str  # "cholesky" or "eigen"
    why: str | None  # why it is not Cholesky's, where that was tried
    is_saddle: bool  # K has an eigenvalue between -shift and 0

    def explain(self, owner, shift, of=""):
        """Return what to warn of, or None, for alpha = `shift` and the Gram matrix "of" something.

        Along an eigenvector of K with eigenvalue l, ``||b - K w||^2 + shift w'K w`` is a parabola
        whose leading coefficient is l (l + shift): it opens downwards from -shift to 0 only.
        """
        matrix = f"{type(owner).__name__}: the Gram matrix{of} with kernel={owner.kernel!r}"
        if self.is_saddle:
            return (
                f"{matrix} has an eigenvalue between -alpha={0.0 - shift:g} and 0. Along its "
                "eigenvector the objective falls without end: it has no minimum, and the "
                "solution of the equations that was found is a saddle. Choose a kernel that is an "
                "inner product, whose Gram matrices have no negative eigenvalue."
            )
        if self.why == INDEFINITE:
            return (
                f"{matrix} has negative eigenvalues, all of them below -alpha={0.0 - shift:g}: the "
                "kernel is no inner product. The objective has a minimum nevertheless, which was "
                "found by eigenvectors; that takes longer."
            )
        if self.why is not None:
            return (
                f"{matrix} plus alpha={shift:g} on its diagonal {self.why}. The shortest least "
                "squares solution was found by eigenvectors instead, which takes longer. A larger "
                "alpha has one solution only."
            )
        return None


def solve_shifted(K, B, shifts, rounding=None):
    """Solve ``(K + shift I) W = B``, each column of B with a shift of its own, :eq:`eq-krr-dual`.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric, float64, in C order; overwritten.
    B : ndarray of shape (n, k)
    shifts : ndarray of shape (k,)
        Not negative.
    rounding : float or None, default=None
        Eigenvalues of K below its negative are no rounding. None: there are none below zero.

    Returns
    -------
    ShiftedSolution
        By Cholesky's factors, in the memory of K; where a matrix is singular up to rounding, or not
        positive definite, by eigenvectors: the shortest of the least squares solutions. Cost:
        n^3 / 3 for each different shift, once more where K may have negative eigenvalues, and about
        9 n^3 for eigenvectors.
    """
    W, diagonal = np.empty(B.shape), K.diagonal().copy()
    different, why = np.unique(shifts), None
    if len(different) <= MOST_FACTORS:
        for count, shift in enumerate(different):
            if count:
                undo_cholesky(K, diagonal)
            found, why = solve_definite(K, B[:, shifts == shift], shift)
            if why is not None:
                break
            W[:, shifts == shift] = found
        else:
            if rounding is None:
                return ShiftedSolution(W, "cholesky", None, False)
            # All eigenvalues are above -shift. Is one of them below zero?
            undo_cholesky(K, diagonal)
            return ShiftedSolution(
                W, "cholesky", None, factors.cholesky_in_place(K, rounding) is None
            )
        undo_cholesky(K, diagonal)
    W, values = solve_by_eigenvectors(K, B, shifts)
    negative = values[values < (-np.inf if rounding is None else -rounding)]
    if why == INDEFINITE and not len(negative):
        why = "is singular up to rounding"
    return ShiftedSolution(
        W, "eigen", why, bool((negative >= -shifts.max() - (rounding or 0.0)).any())
    )


def solve_definite(K, B, shift):
    """Solve for one shift by Cholesky's factors, which take the place of K; or say why not."""
    from scipy.linalg import lapack

    size = absolute_row_sums(K, shift).max()
    L = factors.cholesky_in_place(K, shift)
    if L is None:
        return None, INDEFINITE
    rcond, _ = lapack.dpocon(L, size, uplo="L")
    if rcond < EPS:
        return None, f"is singular up to rounding (one over its condition number is {rcond:.0e})"
    return lapack.dpotrs(L, B, lower=True)[0], None


def absolute_row_sums(K, shift):
    """Sums of the sizes of the entries of each row of ``K + shift I``, (n,), in tiles."""
    sums = np.empty(len(K))

    def part(rows):
        sums[rows] = np.abs(K[rows]).sum(axis=1)

    fold_blocks(part, None, cut(len(K), TILE_BYTES // (8 * len(K)) + 1), work=K.size)
    return sums + shift


def undo_cholesky(K, diagonal):
    """Undo Cholesky's factorisation: what is below the diagonal was left as it was."""
    for rows in cut(len(K), 256):
        block = K[rows, rows]
        above = np.triu_indices(len(block), 1)
        block[above] = block.T[above]
        K[rows, rows.stop :] = K[rows.stop :, rows].T
    K.flat[:: len(K) + 1] = diagonal


def solve_by_eigenvectors(K, B, shifts):
    """The shortest least squares solutions (n, k), and K's eigenvalues (n,); K is overwritten."""
    from scipy.linalg import eigh

    values, V = eigh(K, driver="evd", overwrite_a=True, check_finite=False)
    shifted = values[:, None] + shifts
    size = np.abs(shifted)
    kept = size > len(K) * EPS * size.max(axis=0)
    # <inverse>: Directions in which the matrix is nothing but rounding get nothing.
    inverse = np.divide(1.0, shifted, out=np.zeros_like(shifted), where=kept)
    return V @ (inverse * (V.T @ B)), values


# ------------------------------------------------------------------ memory


def check_memory(owner, n, matrices, instead):
    """Refuse n samples whose n x n matrices of float64 do not fit in memory.

    Parameters
    ----------
    owner : estimator
    n : int
        Samples.
    matrices : int
        How many matrices of n x n the solver holds at once.
    instead : str
        What to do instead: completes a sentence.

    Raises
    ------
    MemoryError
        The message names the size, and what to do instead.
    """
    needed, available = 8.0 * n * n * matrices, available_memory()
    if needed <= available:
        return
    who = validation.owner_name(owner)
    raise MemoryError(
        f"{who}: the Gram matrix of {n:,} samples takes {in_bytes(8.0 * n * n)}"
        + (f", and the solver holds {matrices} of its size" if matrices > 1 else "")
        + f"; {in_bytes(available)} of memory are available. Instead, {instead}."
    )


def in_bytes(size):
    """A number of bytes as people say it."""
    unit = 0
    while size >= 999.5 and unit < 6:
        size, unit = size / 1000.0, unit + 1
    return f"{size:.3g} {('B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB')[unit]}"


def available_memory():
    """Bytes that this process can still get, of the machine and of its container."""
    found = [np.inf]
    with contextlib.suppress(OSError, ValueError, IndexError):
        with open("/proc/meminfo") as file:
            lines = dict(line.split(":", 1) for line in file)
        found.append(1024.0 * int(lines["MemAvailable"].split()[0]))
    with contextlib.suppress(OSError, ValueError, AttributeError):
        if len(found) == 1:  # no Linux: all memory that is built in
            found.append(float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE"))
    with contextlib.suppress(OSError, ValueError):
        with open("/sys/fs/cgroup/memory.max") as file:
            limit = file.read().strip()
        if limit != "max":
            with open("/sys/fs/cgroup/memory.current") as file:
                used = float(file.read())
            with open("/sys/fs/cgroup/memory.stat") as file:
                files = sum(float(size) for name, size in map(str.split, file) if name in CACHED)
            found.append(max(0.0, float(limit) - used + files))
    return min(found)
