"""Kernels of pairs of samples, for solvers that need parts of the Gram matrix.

A solver asks for a square (all pairs of some samples) and for products of columns with
coefficients. Either the matrix is stored, or its parts are computed when they are asked for, in
tiles, so that nothing of n x n is held.

Computed parts come in two precisions. In float32 a tile is one matrix product; squared distances
come from the expanded square of centred samples, where the bound on their error allows it. In
float64 they are those of `litlearn.kernels`.
"""

import numpy as np

from litlearn._core.parallel import check_interrupt, cut, fold_blocks, multiply_rows
from litlearn.kernels import _functions as kernels

TILE_BYTES = 2**22
ROUGH = 1e-3  # largest error of an exponent in float32
MODERATE = 1e9  # kernels above it are left to float64


class StoredGram:
    """A Gram matrix in memory.

    Parameters
    ----------
    K : ndarray of shape (n, n), float64
    rows : ndarray of intp, default=None
        The samples that take part; None: all.
    """

    has_rough = False

    def __init__(self, K, rows=None):
        self.K, self.rows = K, rows
        self.n = len(K) if rows is None else len(rows)

    def take(self, rows):
        """Return the Gram matrix of some of the samples, without a copy."""
        return StoredGram(self.K, rows if self.rows is None else self.rows[rows])

    def diagonal(self):
        """Kernel of each sample with itself."""
        found = self.K.diagonal()
        return found if self.rows is None else found[self.rows]

    def square(self, samples, dtype):
        """Kernel of all pairs of some samples."""
        rows = samples if self.rows is None else self.rows[samples]
        if len(rows) == len(self.K) and np.array_equal(rows, np.arange(len(rows))):
            return self.K.astype(dtype, copy=False)
        return self.K[rows].take(rows, axis=1).astype(dtype, copy=False)  # np.ix_ is slower

    def product(self, samples, weights, dtype):
        """Sum of the columns of some samples, each with its weight: (n,) float64."""
        total = np.zeros(len(self.K))
        rows = samples if self.rows is None else self.rows[samples]
        for part in cut(len(rows), TILE_BYTES // (8 * len(self.K)) + 1):
            total += weights[part] @ self.K[rows[part]]
        return total if self.rows is None else total[self.rows]


class ComputedGram:
    """A Gram matrix whose parts are computed when they are needed.

    Parameters
    ----------
    kernel : kernels.Kernel
    X : ndarray or CSR array of shape (n, p), float64
    """

    def __init__(self, kernel, X):
        self.kernel, self.X, self.n = kernel, X, X.shape[0]
        self.left = self.right = None
        if isinstance(X, np.ndarray):
            self._prepare()
        self.has_rough = self.left is not None

    def _prepare(self):
        """Store float32 factors whose product is an inner product or a squared distance."""
        with np.errstate(over="ignore", invalid="ignore"):
            X, code = self.X, self.kernel.code
            if code == kernels.RBF:
                X = X - X.mean(axis=0)
                norms = np.einsum("ij,ij->i", X, X)
                error = 2e-7 * (X.shape[1] + 8) * self.kernel.gamma * norms.max()
                if not error < ROUGH:
                    return
                one = np.ones_like(norms)
                self.left = np.column_stack([-2.0 * X, norms, one]).astype(np.float32)
                self.right = np.column_stack([X, one, norms]).astype(np.float32)
            elif np.max(np.abs(kernels.kernel_diagonal(self.kernel, X))) < MODERATE:
                self.left = self.right = X.astype(np.float32)

    def take(self, rows):
        """Return the Gram matrix of some of the samples, which are copied."""
        return ComputedGram(self.kernel, kernels.as_input(self.X[rows], np.float64))

    def diagonal(self):
        """Kernel of each sample with itself."""
        return kernels.kernel_diagonal(self.kernel, self.X)

    def square(self, samples, dtype):
        """Kernel of all pairs of some samples."""
        q = len(samples)
        K = np.empty((q, q), dtype=dtype)
        tile = self._tiles(samples, dtype)

        def fill(rows):
            check_interrupt()
            K[rows] = tile(samples[rows])

        fold_blocks(fill, None, cut(q, rows_of_tile(q, dtype)), work=self._work(q, q))
        np.fill_diagonal(K, self.diagonal()[samples])
        return K

    def product(self, samples, weights, dtype):
        """Sum of the columns of some samples, each with its weight: (n,) float64."""
        total = np.zeros(self.n)
        if not len(samples):
            return total
        if self.kernel.code == kernels.LINEAR:
            return multiply_rows(self.X, self.X[samples].T @ weights)
        tile, weights = self._tiles(samples, dtype), weights.astype(dtype)

        def fill(rows):
            check_interrupt()
            total[rows] = tile(rows) @ weights

        size = rows_of_tile(len(samples), dtype)
        fold_blocks(fill, None, cut(self.n, size), work=self._work(self.n, len(samples)))
        return total

    def _tiles(self, columns, dtype):
        """Return a function: the kernel of some rows with all columns, in a type."""
        if dtype == np.float32:
            right = np.ascontiguousarray(self.right[columns].T)

            def tile(rows):
                values = self.left[rows] @ right
                if self.kernel.code == kernels.RBF:
                    np.maximum(values, 0.0, out=values)
                return kernels.kernel_of_products(self.kernel, values)

            return tile
        others = kernels.as_input(self.X[columns], np.float64)

        def exact_tile(rows):
            queries = self.X[rows]
            out = np.empty((queries.shape[0], others.shape[0]))
            kernels.gram_tile(self.kernel, others, queries, out)
            return out

        return exact_tile

    def _work(self, n, m):
        return 2.0 * n * m * min(self.X.shape[1], 64)


def rows_of_tile(n_columns, dtype):
    """Rows of a tile of a few megabytes."""
    return max(16, min(1024, TILE_BYTES // (np.dtype(dtype).itemsize * n_columns)))
