"""Matrices of samples, dense or sparse: what the solvers of this package ask of them.

Products with several vectors, Gram matrices of weighted rows, and columns in the form in which
coordinate descent reads them. Work is cut into blocks by the size of the data alone, and what the
blocks give is added in their order: the same bits for any number of threads. X itself is never
copied as a whole; where rows or columns are multiplied with each other they are centred, scaled and
weighted a tile at a time.
"""

import copy
import itertools
import operator
from typing import NamedTuple

import numpy as np

from litlearn._core.jit import njit
from litlearn._core.parallel import cut, fold_blocks, single_threaded_blas
from litlearn.linear_model import _losses

# Size of the first working set, and by what the support is multiplied for the next ones at most;
# columns that are always in it besides.
FIRST_SIZE, GROWTH, SPARE = 100, 2, 10
# Entries of X in one block of a product: about a millisecond.
BLOCK_ENTRIES = 1 << 21
# Entries of a block of rows that is more work, and of those that are standardised at a time: half a
# megabyte, but at least so many rows, or adding up the products costs more than they do.
ROW_BLOCK_ENTRIES, TILE_ENTRIES, TILE_ROWS = 1 << 20, 1 << 16, 512
GRAM_BLOCKS = 8  # Gram matrices of blocks of rows that are held at a time


# ---------------------------------------------------------------------------------------------
# Products


@njit(reassociate=True)
def column_products(data, indices, indptr, columns, start, stop, R, out):
    """Products of columns[start:stop] of a CSC matrix with R (q, n), into out (q, m)."""
    for k in range(R.shape[0]):
        for c in range(start, stop):
            j, total = columns[c], 0.0
            for e in range(np.uintp(indptr[j]), np.uintp(indptr[j + 1])):
                total += data[e] * R[k, np.uint32(indices[e])]
            out[k, c] = total


@njit
def add_columns(data, indices, indptr, columns, d, out):
    """Add some columns of a CSC matrix, times d (m,), to out (n,)."""
    for c in range(columns.size):
        if d[c] != 0.0:
            for e in range(np.uintp(indptr[columns[c]]), np.uintp(indptr[columns[c] + 1])):
                out[np.uint32(indices[e])] += d[c] * data[e]


def fold(part, merge, blocks, n_jobs):
    """As `fold_blocks`; a single block is run without ceremony, which might take longer than it."""
    if len(blocks) == 1:
        with single_threaded_blas():
            return part(blocks[0])
    return fold_blocks(part, merge, blocks, n_jobs)


def products_of(X, R, n_jobs):
    """Products of all columns of a matrix with R (q, n), in float64: (q, p).

    What is contiguous is read as it lies, which is up to five times as fast: blocks of rows, added
    up in their order, or blocks of columns, put side by side.
    """
    (n, p), q = X.shape, len(R)
    R = R.astype(X.dtype, order="C", copy=False)
    if X.flags.c_contiguous:

        def multiply(rows):
            return np.dot(R[:, rows], X[rows]).astype(np.float64, copy=False)

        return fold(multiply, operator.iadd, cut(n, max(16, BLOCK_ENTRIES // (p * q))), n_jobs)
    out = np.empty((q, p))

    def fill(columns):
        out[:, columns] = np.dot(R, X[:, columns])

    fold(fill, None, cut(p, max(64, BLOCK_ENTRIES // (n * q))), n_jobs)
    return out


def entry_blocks(indptr, columns, entries):
    """Cut columns of a CSC matrix into slices with about the same number of entries."""
    passed = np.cumsum(indptr[columns + 1] - indptr[columns])
    m, total = columns.size, int(passed[-1]) if columns.size else 0
    n_blocks = int(max(1, min(m, total // entries)))
    ends = np.searchsorted(passed, np.arange(1, n_blocks) * (total // n_blocks))
    return [slice(*two) for two in itertools.pairwise([0, *ends, m])]


def sparse_products_of(entries, R, n_jobs, columns=None):
    """As `products_of`, for the data, indices and indptr of a matrix in CSC form.

    `columns` (m,) are those wanted, (q, m); None: all.
    """
    _, _, indptr = entries
    columns = np.arange(indptr.size - 1) if columns is None else columns
    out = np.empty((len(R), columns.size))

    def fill(some):
        column_products(*entries, columns, some.start, some.stop, R, out)

    fold(fill, None, entry_blocks(indptr, columns, BLOCK_ENTRIES // (8 * len(R))), n_jobs)
    return out


def sparse_combination(entries, columns, d, n, n_jobs):
    """The sum of some columns of a CSC matrix of n rows, times d (m,), in the order of blocks."""

    def part(some):
        out = np.zeros(n)
        add_columns(*entries, columns[some], d[some], out)
        return out

    blocks = entry_blocks(entries[2], columns, max(BLOCK_ENTRIES // 8, 4 * n))
    return fold(part, operator.iadd, blocks, n_jobs)


# ---------------------------------------------------------------------------------------------
# Gram matrices of weighted rows


@njit
def weigh_rows(X, centre, scale, root, tile):
    """Standardised rows of X (n, p), and a one for the intercept, times root, into tile (n, p + 1).

    With the roots of the curvatures, tile' tile is the Hessian of these rows,
    :eq:`eq-logistic-hessian`.
    """
    p = X.shape[1]
    for i in range(X.shape[0]):
        for j in range(p):
            tile[i, j] = root[i] * ((X[i, j] - centre[j]) * scale[j])
        tile[i, p] = root[i]


@njit
def weigh_columns(X, columns, centre, scale, root, tile):
    """As `weigh_rows`, of some columns of X."""
    m = columns.size
    for i in range(X.shape[0]):
        for c in range(m):
            j = columns[c]
            tile[i, c] = root[i] * ((X[i, j] - centre[j]) * scale[j])
        tile[i, m] = root[i]


def add_hessian(H, tiles, B):
    """Add the Hessian of some rows to H, class after class, :eq:`eq-multinomial-hessian`.

    tiles: for each class rows of its columns, times the roots of A; B (rows, q) or None: both as in
    :class:`Point`.
    """
    end, wide = 0, None if B is None else np.empty((len(B), len(H)))
    for k, tile in enumerate(tiles):
        # <own>: the products within each class, with the curvature A.
        own = slice(end, end + tile.shape[1])
        H[own, own] += tile.T @ tile
        if B is not None:
            np.multiply(tile, np.sqrt(B[:, k, np.newaxis]), out=wide[:, own])
        end = own.stop
    # <between>: what the classes take from each other, in one product.
    if B is not None:
        H -= wide.T @ wide


def weighted_gram(tile_of, widths, B, blocks, size, n_jobs):
    """Return the Hessian (m, m) of losses, a Gram matrix of the rows weighted for each class.

    Parameters
    ----------
    tile_of : callable
        ``tile_of(rows, k, room)`` returns the rows of class k, times the roots of A as in
        :class:`Point`; `room` is memory for them.
    widths : list of int
        Columns of each class, m together.
    B : ndarray of shape (n, q) or None
        As in :class:`Point`.
    blocks : list of slice
    size : int
        Rows of a tile.
    n_jobs : int or None
    """
    m = sum(widths)

    def part(block):
        H, tiles = np.zeros((m, m)), cut(block, size)
        # New memory for each tile would cost as much as what is written to it.
        rooms = [np.empty((tiles[-1].stop - tiles[-1].start, width)) for width in widths]
        for rows in tiles:
            each = [tile_of(rows, k, room) for k, room in enumerate(rooms)]
            add_hessian(H, each, None if B is None else B[rows])
        return H

    return fold(part, operator.iadd, blocks, n_jobs)


# ---------------------------------------------------------------------------------------------
# Samples


class Dense:
    """Dense samples, C-ordered, by blocks of rows.

    Where they are multiplied with each other, feature j is (x_j - centre_j) * scale_j: one far from
    zero, or of another size, then costs no digits.
    """

    sparse, single = False, None

    def __init__(self, X, centre, scale, n_jobs=None):
        self.X, self.centre, self.scale, self.n_jobs = X, centre, scale, n_jobs
        self.n, self.p = X.shape
        self.rounded = X.dtype == np.float32  # products of whole blocks are in single precision

    def blocks(self, width):
        """Blocks of rows with `width` entries each."""
        return cut(self.n, ROW_BLOCK_ENTRIES // width)

    def tile_rows(self, width, least=16):
        """Rows of a tile with `width` entries each, but about so many at least."""
        return max(least, TILE_ENTRIES // width)

    def tile(self, rows, root=None, columns=None, room=None):
        """Standardised rows of some columns, or all, and a one, times root; in room, if given."""
        if self.single is not None:
            tile = self.single[rows]
            return tile if root is None else tile * root[:, np.newaxis].astype(np.float32)
        root = np.ones(rows.stop - rows.start) if root is None else root
        width = 1 + (self.p if columns is None else columns.size)
        tile = np.empty((len(root), width)) if room is None else room[: len(root)]
        if columns is None:
            weigh_rows(self.X[rows], self.centre, self.scale, root, tile)
        else:
            weigh_columns(self.X[rows], columns, self.centre, self.scale, root, tile)
        return tile

    def in_single(self):
        """Return these samples with their standardised features held in float32.

        A pass is then several times faster. Rounding the features by a part in 10^7 moves a minimum
        by about that, and the loss there by the square of it.
        """
        other = copy.copy(self)
        other.single = np.empty((self.n, self.p + 1), np.float32)

        def fill(rows):
            ones = np.ones(rows.stop - rows.start)
            weigh_rows(self.X[rows], self.centre, self.scale, ones, other.single[rows])

        fold(fill, None, self.blocks(2 * self.p), self.n_jobs)
        return other

    def transpose_times(self, R):
        """R' X, (q, p), for R (n, q)."""
        return products_of(self.X, R.T, self.n_jobs)

    def shift(self, b):
        """What b (q,) adds to the scores of all samples."""
        return b

    def totals(self, R):
        """Sums (q,) of residuals (n, q)."""
        return R.sum(axis=0)

    def intercepts_hessian(self, point):
        """The Hessian (q, q) in the intercepts, at a :class:`Point`."""
        return _losses.intercepts_hessian(point.A, point.B)

    def exact_transpose_times(self, columns, r):
        """X' r, (m,), for some columns and r (n,), in float64 whatever the type of X."""
        width = columns.size + 1

        def part(block):
            total = np.zeros(width)
            for rows in cut(block, self.tile_rows(width, TILE_ROWS)):
                total += np.dot(r[rows], self.tile(rows, columns=columns))
            return total

        product = fold_blocks(part, operator.iadd, self.blocks(width), self.n_jobs)
        return product[:-1] + self.centre[columns] * product[-1]

    def times(self, columns, d):
        """Centred columns times d (m,): (n,)."""
        out, d = np.empty(self.n), np.append(d, 0.0)

        def fill(block):
            for rows in cut(block, self.tile_rows(d.size, TILE_ROWS)):
                np.dot(self.tile(rows, columns=columns), d, out=out[rows])

        fold_blocks(fill, None, self.blocks(d.size), self.n_jobs)
        return out

    def scores(self, chosen, d, q):
        """Scores (n, q) of coefficients d (m,), chosen as class * p + column."""
        classes, columns = np.divmod(chosen, self.p)
        members = [classes == k for k in range(q)]
        return np.stack([self.times(columns[one], d[one]) for one in members], axis=1)

    def hessian(self, columns, A, B):
        """Hessian in the chosen coefficients and the intercepts, :eq:`eq-multinomial-hessian`.

        Parameters
        ----------
        columns : list of ndarray
            The chosen columns of each of the q classes, m in all.
        A, B : ndarrays of shape (n, q)
            As in :class:`Point`.

        Returns
        -------
        ndarray of shape (m + q, m + q)
        """
        roots, widths = np.sqrt(np.ascontiguousarray(A.T)), [own.size + 1 for own in columns]
        m = sum(widths)

        def tile(rows, k, room):
            return self.tile(rows, roots[k, rows], columns[k], room)

        size = max(self.n // GRAM_BLOCKS + 1, TILE_ROWS, 16 * ROW_BLOCK_ENTRIES // m**2)
        blocks, rows = cut(self.n, size), self.tile_rows(m, TILE_ROWS)
        H = weighted_gram(tile, widths, B, blocks, rows, self.n_jobs)
        if len(columns) == 1:
            return H
        ends = np.cumsum(widths) - 1
        order = np.append(np.setdiff1d(np.arange(m), ends), ends)
        return H[np.ix_(order, order)]


class Sparse:
    """Sparse samples, CSR to be read by rows or CSC by columns; a centre would fill the zeros."""

    sparse, rounded = True, False
    scores, shift, totals = Dense.scores, Dense.shift, Dense.totals
    intercepts_hessian = Dense.intercepts_hessian

    def __init__(self, X, scale, n_jobs=None):
        self.X, self.scale, self.n_jobs = X, scale, n_jobs
        self.entries = X.data, X.indices, X.indptr
        self.n, self.p = X.shape
        self.centre = np.zeros(self.p)

    def blocks(self):
        """Blocks of rows: enough entries to outweigh adding up what they give."""
        entries = max(ROW_BLOCK_ENTRIES // 4, 8 * self.p)
        return cut(self.n, entries * self.n // max(1, self.X.nnz))

    def tile_rows(self):
        """Rows of a tile, which holds scores of several classes at most."""
        return max(64, min(TILE_ENTRIES * self.n // max(1, self.X.nnz), TILE_ENTRIES // 16))

    def transpose_times(self, R):
        """R' X, (q, p), for R (n, q)."""
        return sparse_products_of(self.entries, np.ascontiguousarray(R.T), self.n_jobs)

    def times(self, columns, d):
        """Columns times d (m,): (n,)."""
        return sparse_combination(self.entries, columns, d, self.n, self.n_jobs)

    def products(self, chosen, R, squared=False):
        """Products of columns, chosen as class * p + column, or their squares, with R (q, n)."""
        data, *places = self.entries
        entries = (np.square(data, dtype=np.float64) if squared else data, *places)
        out, (classes, columns) = np.empty(chosen.size), np.divmod(chosen, self.p)
        for k, row in enumerate(R):
            own = classes == k
            out[own] = sparse_products_of(entries, row[np.newaxis], self.n_jobs, columns[own])[0]
        return out


# ---------------------------------------------------------------------------------------------
# Columns of a working set


class Columns(NamedTuple):
    """The m columns of a working set, weighted and centred: known by their products, or themselves.

    What a descent keeps up to date beside the coefficients is the residual, (k, n), or, if the
    products are known, its products with the columns, (k, m).

    Sparse columns are centred on the fly. With means m, weights s^2 of sum n, and S = diag(s), the
    column is S (x_j - m_j 1), of which only S x_j is stored. The kernels hold the residual up to a
    multiple of s: it cancels from every product with a centred column, x_j'S r - m_j (s'r).
    """

    known: bool  # whether B is a Gram matrix
    B: np.ndarray  # (m or more, n or m or more): columns as rows; of sparse ones, empty
    data: np.ndarray  # entries of a matrix, its rows weighted
    indices: np.ndarray  # rows of the entries
    starts: np.ndarray  # (m,): where the entries of a column begin
    ends: np.ndarray  # (m,)
    means: np.ndarray  # (m,)
    root: np.ndarray  # (n,): s, or empty without centring on the fly
    squares: np.ndarray  # (m,): squared norms of the centred columns

    def steps(self, R):
        """Elementary steps of a sweep with the residuals R (k, n), or their products."""
        if self.B.size:
            return self.squares.size * R.size
        return len(R) * int((self.ends - self.starts).sum()) + R.size


def dense_columns(B, squares, known=False):
    """Return columns, (m or more, n), or with `known` their Gram matrix, as :class:`Columns`."""
    none, no_means = np.empty(0, np.int32), np.empty(0)
    return Columns(known, B, np.empty(0, B.dtype), none, none, none, no_means, no_means, squares)


class Part(NamedTuple):
    """A working set in a form in which it can be solved."""

    columns: Columns
    used: np.ndarray | slice  # which columns of the design these are
    y: np.ndarray  # (n,) or (k, n): the target; or its products with known columns
    r: np.ndarray  # the residual alike, to be kept up to date
    n_sweeps: int  # after so many the next form is better


class Residual(NamedTuple):
    """The residual at some coefficients, and its products."""

    r: np.ndarray | None  # (n,) or (k, n); None if the data are not at hand
    square: float  # with itself
    target: float  # with the target
    c: np.ndarray  # with the columns, (p,) or (k, p)
