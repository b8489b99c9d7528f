"""Designs: the weighted, centred matrix that a solver sees, and how to multiply with it.

A design is dense, sparse, or known by its Gram matrix. It holds a target too, and offers what
:func:`_descent.solve` asks for: the residual and its products with all columns, and a few of the
columns in a form in which coordinate descent is fast. The products of a matrix with several vectors
are shared with the other solvers.

Targets, residuals, coefficients and products are vectors, or have a row for each of several
targets.
"""

import copy
import itertools
import operator
from typing import NamedTuple

import numpy as np

from litlearn._core import moments
from litlearn._core.jit import njit
from litlearn._core.parallel import cut, fold_blocks, multiply_rows

# Size of the first working set, and by what the support is multiplied for the next ones at most;
# columns that are always in it besides.
FIRST_SIZE, GROWTH, SPARE = 100, 2, 10
# Entries of the first working set's columns: fewer columns where each is long.
FIRST_ENTRIES = 1 << 18
# Columns whose products with all others cost as much as one sweep that reads the columns, from the
# cache, or from beyond it if they have more entries together.
PER_SWEEP, PER_LONG_SWEEP, CACHED = 16, 64, 1 << 20
# Columns up to which all products of two columns are cheap; and how many times as many rows there
# must be, and how many entries, to take them at once.
SMALL_GRAM, TALL, LARGE = 500, 8, 1 << 18
# The largest working set for which a Gram matrix is held: 0.5 GB.
LARGEST_GRAM = 8192
# Columns whose mean is so many times their spread are centred in a copy, not on the fly.
LARGEST_OFFSET = {"d": 1e4, "f": 30.0}
# Rounding of a product of a column with a residual, as a share of their norms: no column whose
# constraint is nearer than that is screened.
ROUNDING = {"d": 1e-14, "f": 2e-6}
# Entries of X in one block of a product: about a millisecond.
BLOCK_ENTRIES = 1 << 21
# Entries of a block of rows of which a Hessian is made, and those that are weighted at a time: half
# a megabyte, but at least so many rows, or adding up the products costs more than they do.
ROW_BLOCK_ENTRIES, TILE_ENTRIES, TILE_ROWS = 1 << 20, 1 << 16, 512
GRAM_BLOCKS = 8  # Hessians of blocks of rows that are held at a time


# ---------------------------------------------------------------------------------------------
# Statistics of columns


@njit(reassociate=True)
def row_statistics(X, first, weights, target, begin, end, out):
    """Add sums over the rows of X, C-ordered, from `begin` to `end`, to out (3, p).

    The sums are of ``x - x0``, its square and its product with `target`, each weighted, where x0 is
    row `first`: a shift that keeps large offsets from swallowing the digits. Strips of columns
    keep the sums in the nearest cache; four rows at once save three quarters of their traffic.
    """
    p, sums, squares, products = X.shape[1], out[0], out[1], out[2]
    for left in range(0, p, 512):
        right = min(left + 512, p)
        i = begin
        while i + 4 <= end:
            a0, a1, a2, a3 = weights[i], weights[i + 1], weights[i + 2], weights[i + 3]
            b0, b1, b2, b3 = target[i], target[i + 1], target[i + 2], target[i + 3]
            for j in range(left, right):
                shift = np.float64(X[first, j])
                x0 = X[i, j] - shift
                x1 = X[i + 1, j] - shift
                x2 = X[i + 2, j] - shift
                x3 = X[i + 3, j] - shift
                w0, w1, w2, w3 = a0 * x0, a1 * x1, a2 * x2, a3 * x3
                sums[j] += w0 + w1 + w2 + w3
                squares[j] += w0 * x0 + w1 * x1 + w2 * x2 + w3 * x3
                products[j] += w0 * b0 + w1 * b1 + w2 * b2 + w3 * b3
            i += 4
        while i < end:
            for j in range(left, right):
                x = X[i, j] - np.float64(X[first, j])
                w = weights[i] * x
                sums[j] += w
                squares[j] += w * x
                products[j] += w * target[i]
            i += 1


@njit(reassociate=True)
def column_statistics(X, first, weights, target, start, end, out):
    """Compute the same sums as :func:`row_statistics` for columns of X in F order."""
    for j in range(start, end):
        shift = np.float64(X[first, j])
        total = square = product = 0.0
        for i in range(X.shape[0]):
            x = X[i, j] - shift
            w = weights[i] * x
            total += w
            square += w * x
            product += w * target[i]
        out[0, j], out[1, j], out[2, j] = total, square, product


@njit(reassociate=True)
def sparse_statistics(data, indices, indptr, root, target, out):
    """Sums over the weighted entries of the columns: with `root`, squared, with `target`."""
    for j in range(out.shape[1]):
        total = square = product = 0.0
        for t in range(indptr[j], indptr[j + 1]):
            i = indices[t]
            x = np.float64(data[t])
            total += x * root[i]
            square += x * x
            product += x * target[i]
        out[0, j], out[1, j], out[2, j] = total, square, product


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


@njit
def gather(X, columns, means, root, start, end, B, first):
    """Copy centred and weighted columns of X, rows `start` to `end`, into rows of B.

    Few rows at a time: a line of the cache holds entries of several columns.
    """
    weighted = root.size > 0
    for begin in range(start, end, 256):
        for t in range(columns.size):
            j = columns[t]
            m = means[j]
            for i in range(begin, min(begin + 256, end)):
                a = root[i] if weighted else 1.0
                B[first + t, i] = a * (X[i, j] - m)


@njit(reassociate=True)
def subtract_rows(B, slots, W, R):
    """Subtract combinations of some rows of B, with the weights W (k, m), from R (k, n)."""
    for t in range(W.shape[0]):
        for c in range(slots.size):
            j, w = slots[c], W[t, c]
            for i in range(R.shape[1]):
                R[t, i] -= w * B[j, i]


# ---------------------------------------------------------------------------------------------
# Columns


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


# ---------------------------------------------------------------------------------------------
# Products, and designs


def fold(part, merge, blocks, n_jobs):
    """As `fold_blocks`; a single block is run without ceremony, which might take longer than it."""
    if len(blocks) == 1:
        return part(blocks[0])
    return fold_blocks(part, merge, blocks, n_jobs)


def gram_matrix(design):
    """Return the products of all columns of a dense design, from blocks of rows."""
    weights = design.root**2 if design.root.size else None
    samples = moments.Samples(design.X, np.zeros((design.n_samples, 1)), weights, design.centred)
    return moments.moments(samples, design.n_jobs).xx


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


class Design:
    """What the designs share."""

    first_size = FIRST_SIZE

    def has_products(self, columns):
        """Tell whether the products of all columns with each other are at hand."""
        return False

    def take_target(self, y):
        """Hold targets, centred and weighted as the samples are."""
        weights = self.weight_roots**2 if self.weight_roots.size else None
        self.y_mean = np.average(y, axis=0, weights=weights) if self.centred else 0.0
        self.y = np.ascontiguousarray((y - self.y_mean).T)
        if self.weight_roots.size:
            self.y *= self.weight_roots
        self.target_square = float(np.vdot(self.y, self.y))

    def retarget(self, y):
        """Return the same design, and the columns that it has loaded, with other targets.

        Parameters
        ----------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        other = copy.copy(self)
        other.take_target(y)
        other.products = self.correlations(other.y)
        return other

    def evaluate(self, w, active):
        """Residual, its squared norm, its product with y, and its products with the columns."""
        if not w.any():
            return Residual(self.y.copy(), self.target_square, self.target_square, self.products)
        r = self.residual(w)
        square, product = float(np.vdot(r, r)), float(np.vdot(r, self.y))
        return Residual(r, square, product, self.products_with(r, active))

    def products_with(self, r, active):
        """Products of active columns with the residual."""
        return self.correlations(r)

    def by_products(self, G, used, c, n_sweeps):
        """The part of some columns with the Gram matrix `G`.

        `c` are the products of the residual with all columns.
        """
        columns = dense_columns(G, self.squares[used], known=True)
        y = np.ascontiguousarray(self.products[..., used])
        c = np.array(c[..., used], order="C")  # a copy: at zero they are the design's own
        return Part(columns, used, y, c, n_sweeps)


class DenseDesign(Design):
    """A dense matrix, centred and weighted on the fly, and copies of the columns in use.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        In C or F order.
    y : ndarray of shape (n_samples,)
        Target, float64.
    weights : ndarray of shape (n_samples,) or None
        Of sum n_samples.
    centred : bool
        Subtract the weighted means of the columns and of the target.
    n_jobs : int or None
        Threads for products with the whole matrix.
    """

    def __init__(self, X, y, weights, centred, n_jobs=None):
        n, p = X.shape
        self.n_jobs = n_jobs
        self.n_samples = n
        self.rows = X.flags.c_contiguous
        self.centred = centred
        self.root = self.weight_roots = np.empty(0) if weights is None else np.sqrt(weights)
        self.take_target(y)
        y = y - self.y_mean
        # Shifted sums in one pass; the heaviest row is the shift, so that it counts.
        weights = np.ones(n) if weights is None else weights
        first = int(np.argmax(weights))
        sums, squares, products = self._statistics(X, first, weights, y)
        shift = X[first].astype(np.float64)
        if centred:
            self.means = shift + sums / n
            squares -= sums * (sums / n)
        else:
            self.means = np.zeros(p)
            squares += shift * (2 * sums + n * shift)
            products += shift * (weights @ y)
        # A column that is constant up to rounding is a column of zeros.
        rounding = np.finfo(X.dtype).eps * (np.abs(self.means) + np.abs(shift))
        squares[squares <= 4 * n * rounding**2] = 0.0
        self.squares, self.products = squares, products
        spread = squares > 0.0
        offset = np.abs(self.means[spread]) * np.sqrt(n / squares[spread])
        offset = offset.max(initial=0.0)
        self.X = X
        if offset > LARGEST_OFFSET[X.dtype.char]:
            self.X = X - self.means.astype(X.dtype)  # keeps the order of X
            self.X_means, self.means, offset = self.means, np.zeros(p), 0.0
        else:
            self.X_means = self.means
        self.rounding = ROUNDING[X.dtype.char] * (1.0 + offset)
        self.offset = bool(self.means.any())
        self.tall = p <= SMALL_GRAM and n > max(TALL * p, LARGE // p) and X.dtype == np.float64
        # Fewer columns at first where each is long.
        self.first_size = max(SPARE, min(FIRST_SIZE, FIRST_ENTRIES // n))
        # Slots: column j is row slot[j] of B, and G holds the products of the rows of B.
        self.slot = np.full(p, -1)
        self.columns = np.empty(0, dtype=np.intp)
        self.B = np.empty((0, n), dtype=X.dtype)
        self.G = np.empty((0, 0))

    def _statistics(self, X, first, weights, y):
        """Sums of columns, their squares, their products with y: of ``x - x0``, weighted."""
        n, p = X.shape
        if self.rows:

            def collect(rows):
                part = np.zeros((3, p))
                row_statistics(X, first, weights, y, rows.start, rows.stop, part)
                return part

            # Few blocks: each brings three vectors of p numbers.
            blocks = cut(n, max(64, BLOCK_ENTRIES // p))
            return fold(collect, operator.iadd, blocks, self.n_jobs)
        result = np.empty((3, p))

        def compute(columns):
            column_statistics(X, first, weights, y, columns.start, columns.stop, result)

        fold(compute, None, cut(p, BLOCK_ENTRIES // n), self.n_jobs)
        return result

    def correlations(self, r):
        """Products of all columns with the residual."""
        u = r * self.root if self.root.size else r
        out = products_of(self.X, np.atleast_2d(u), self.n_jobs).reshape(*r.shape[:-1], -1)
        return out - u.sum(axis=-1, keepdims=True) * self.means if self.offset else out

    def residual(self, w):
        """``y - X w``; columns with a coefficient are loaded, unless all products are known."""
        if self.gram is not None:
            r = multiply_rows(self.X, w.T.astype(self.X.dtype), self.n_jobs).T
            r = r - (w @ self.means)[..., None]
            return self.y - (r * self.root if self.root.size else r)
        support, r = np.flatnonzero(w if w.ndim == 1 else w.any(axis=0)), self.y.copy()
        self.load(support)
        rows = np.atleast_2d(w.take(support, axis=-1)), np.atleast_2d(r)
        subtract_rows(self.B, self.slot[support], *rows)
        return r

    def products_with(self, r, active):
        """Products of active columns with the residual."""
        # Few columns remain: they are loaded and multiplied alone. Single entries of rows cost as
        # much as a line of cache each; and what is loaded takes part in the next sweeps.
        new = np.count_nonzero(active & (self.slot < 0))
        worth = self.X.shape[1] // (16 if self.rows else 2)
        if self.gram is not None or new > min(worth, FIRST_SIZE + self.columns.size // 2):
            return self.correlations(r)
        self.load(np.flatnonzero(active))
        c = np.zeros((*r.shape[:-1], active.size))
        B = self.B[: self.columns.size]
        c[..., self.columns] = r.astype(B.dtype, copy=False) @ B.T
        return c

    def load(self, columns):
        """Copy columns into B unless they are there, and extend the Gram matrix by them."""
        new = columns[self.slot[columns] < 0]
        if not new.size:
            return
        k, n = self.columns.size, self.X.shape[0]
        total = k + new.size
        if total > self.B.shape[0]:
            # Of few long columns, all get a place at once: a place that is not used costs nothing.
            p = self.X.shape[1]
            capacity = p if p < n else min(p, max(2 * self.B.shape[0], total, FIRST_SIZE))
            grown = np.empty((capacity, n), dtype=self.X.dtype)
            grown[:k] = self.B[:k]
            self.B = grown
        means = self.means.astype(self.X.dtype)
        root = self.root.astype(self.X.dtype)

        def collect(rows):
            gather(self.X, new, means, root, rows.start, rows.stop, self.B, k)

        fold(collect, None, cut(n, max(64, BLOCK_ENTRIES // (2 * new.size))), self.n_jobs)
        self.slot[new] = np.arange(k, total)
        self.columns = np.concatenate([self.columns, new])

    def keep(self, columns):
        """Forget the loaded columns that are not among some."""
        slots = np.sort(self.slot[columns])
        slots = slots[slots >= 0]
        known = slots[slots < self.G_size]
        self.B = self.B[slots]
        self.G = self.G[np.ix_(known, known)]
        self.G_size = known.size
        self.columns = self.columns[slots]
        self.slot = np.full_like(self.slot, -1)
        self.slot[self.columns] = np.arange(slots.size)

    def has_products(self, columns):
        """Tell whether the products of all columns were taken at once.

        They are if most of some columns are missing: that costs no more than to copy those and
        multiply them.
        """
        missing = np.count_nonzero(self.slot[columns] < 0)
        if self.gram is None and self.tall and missing > self.squares.size // 2:
            self.gram, self.took_products = gram_matrix(self), True
        return self.took_products

    def load_gram(self):
        """Bring the Gram matrix up to date with B."""
        k, total = self.G_size, self.columns.size
        if total > self.G.shape[0]:
            grown = np.empty((self.B.shape[0],) * 2)
            grown[:k, :k] = self.G[:k, :k]
            self.G = grown
        if total > k:
            products = multiply_rows(self.B[k:total], self.B[:total].T, self.n_jobs)
            self.G[k:total, :total] = products
            self.G[:k, k:total] = products[:, :k].T
            self.G_size = total

    G_size, gram = 0, None  # columns of which G holds the products; all products, if known
    took_products = False  # on the way, see `has_products`

    def working_set(self, columns, point, n_sweeps):
        """Some columns, and those that are loaded, as they are or by their products."""
        c = point.c
        if self.gram is not None:
            G, used = self.gram, slice(None)
            if not np.all(self.squares > 0.0):
                used = np.flatnonzero(self.squares > 0.0)
                G = G[np.ix_(used, used)]
            yield self.by_products(G, used, c, n_sweeps)
            return
        if self.columns.size > GROWTH * columns.size + FIRST_SIZE:
            self.keep(columns)
        self.load(columns)
        used, n = self.columns, self.n_samples
        loaded, k = dense_columns(self.B, self.squares[used]), used.size
        if k > max(2 * n, FIRST_SIZE) or k > LARGEST_GRAM:
            yield Part(loaded, used, self.y, point.r, n_sweeps)
            return
        # <rent>: A few sweeps that read the columns may do. If they have cost as much as the
        # missing products of columns do, the products are taken.
        per_sweep = PER_SWEEP if k * n <= CACHED else PER_LONG_SWEEP
        few = min(n_sweeps, (k - self.G_size) // per_sweep)
        if n > k and few > 2:
            yield Part(loaded, used, self.y, point.r, few)
            c = np.zeros(c.shape)
            c[..., used] = point.r.astype(self.B.dtype) @ self.B[:k].T
        self.load_gram()
        yield self.by_products(self.G, used, c, n_sweeps)


class SparseDesign(Design):
    """A matrix in CSC form, centred on the fly.

    Parameters are those of :class:`DenseDesign`.
    """

    def __init__(self, X, y, weights, centred, n_jobs=None):
        n, p = X.shape
        self.n_jobs = n_jobs
        self.n_samples, self.centred = n, centred
        self.weight_roots = root = np.ones(n) if weights is None else np.sqrt(weights)
        self.take_target(y)
        data = X.data
        if weights is not None:
            data = (data * root[X.indices]).astype(data.dtype)
        self.data, self.indices, self.indptr = data, X.indices, X.indptr
        self.means, self.squares, self.products = sums = np.empty((3, p))
        sparse_statistics(data, X.indices, X.indptr, root, self.y, sums)
        self.root = root if centred else np.empty(0)
        if centred:
            self.means /= n
        else:
            self.means[:] = 0.0
        self.X_means = self.means
        self.rounding = ROUNDING["d"]  # entries are multiplied in float64, whatever their type
        if centred:
            self._centre()

    def _centre(self):
        """Turn sums of squares into those about the means; a column far from zero is copied."""
        n, raw = self.n_samples, self.squares
        self.squares = raw - n * self.means**2
        # Where the subtraction costs digits, the deviations are summed up themselves.
        far = np.flatnonzero((self.squares <= 1e-4 * raw) & (raw > 0.0))
        limit = LARGEST_OFFSET[self.data.dtype.char] ** 2
        for j in far:
            entries = slice(self.indptr[j], self.indptr[j + 1])
            column = np.zeros(n)
            column[self.indices[entries]] = self.data[entries]
            self.means[j] += (column - self.means[j] * self.root) @ self.root / n
            deviations = column - self.means[j] * self.root
            self.squares[j] = deviations @ deviations
            rounding = np.finfo(self.data.dtype).eps * self.means[j]
            if self.squares[j] <= 4 * n * rounding**2:
                self.squares[j] = 0.0
            elif (
                n * self.means[j] ** 2 > limit * self.squares[j]
                and entries.stop - entries.start == n
            ):
                self._shift(j, entries)

    def _shift(self, j, entries):
        """Store a column that has no zeros without its mean."""
        if self.X_means is self.means:
            self.X_means, self.data = self.means.copy(), self.data.copy()
        roots = self.root[self.indices[entries]]
        self.data[entries] -= self.means[j] * roots
        self.X_means[j], self.means[j] = self.means[j], 0.0
        self.products[j] = self.data[entries].astype(np.float64) @ self.y[self.indices[entries]]

    def correlations(self, r):
        """Products of all columns with the residual."""
        entries = self.data, self.indices, self.indptr
        out = sparse_products_of(entries, np.atleast_2d(r), self.n_jobs)
        out = out.reshape(*r.shape[:-1], -1)
        return out - (r @ self.root)[..., None] * self.means if self.root.size else out

    def residual(self, w):
        """``y - X w``, with the mean removed."""
        r = self.y.copy()
        for v, row in zip(np.atleast_2d(w), np.atleast_2d(r), strict=True):
            used = np.flatnonzero(v)
            add_columns(self.data, self.indices, self.indptr, used, -v[used], row)
        if self.root.size:
            r -= (r @ self.root)[..., None] / self.n_samples * self.root
        return r

    def working_set(self, columns, point, n_sweeps):
        """Some columns, as they are."""
        chosen = Columns(
            False, np.empty((0, 0), self.data.dtype), self.data, self.indices,
            starts=self.indptr[columns], ends=self.indptr[columns + 1],
            means=self.means[columns], root=self.root, squares=self.squares[columns],
        )  # fmt: skip
        yield Part(chosen, columns, self.y, point.r, n_sweeps)


class GramDesign(Design):
    """Few columns, known by their products alone.

    Parameters
    ----------
    G : ndarray of shape (n_features, n_features)
        ``X'X`` of the centred and weighted columns.
    squares, products : ndarray of shape (n_features,)
        Squared norms of the columns, and their products with the target; or (n_targets,
        n_features).
    target_square : float
        Squared norm of the target.
    n_samples : int
        Sum of the weights.
    rounding : float
        Rounding of a product of a column with a residual, as a share of their norms.
    """

    def __init__(self, G, squares, products, target_square, n_samples, rounding):
        self.G, self.squares, self.products, self.y = G, squares, products, None
        self.target_square, self.n_samples, self.rounding = target_square, n_samples, rounding

    def evaluate(self, w, active):
        """No residual, its squared norm, its product with y, and its products with the columns."""
        c = self.products - w @ self.G
        product = max(self.target_square - np.vdot(w, self.products), 0.0)
        return Residual(None, max(product - np.vdot(w, c), 0.0), product, c)

    def has_products(self, columns):
        """As they are all there is."""
        return True

    def working_set(self, columns, point, n_sweeps):
        """All columns, by their products."""
        yield self.by_products(self.G, slice(None), point.c, n_sweeps)


# ---------------------------------------------------------------------------------------------
# Samples, as the logistic losses need them


@njit
def weigh_columns(X, columns, centre, start, stop, root, tile):
    """Centred entries of some columns of X (n, p), times root (n,), into tile (rows, m + 1).

    With the root of the curvature, tile' tile is the Hessian of these rows,
    :eq:`eq-logistic-hessian`; the last column is the intercept's.
    """
    m = columns.size
    for i in range(start, stop):
        r = root[i]
        for c in range(m):
            tile[i - start, c] = (X[i, columns[c]] - centre[c]) * r
        tile[i - start, m] = r


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


class Dense:
    """A dense matrix of samples, by blocks of rows.

    X (n, p), C-ordered; centre (p,) is taken off where columns are multiplied with each other, so
    that a feature far from zero costs no digits. It only shifts the intercept.
    """

    sparse = False

    def __init__(self, X, s, fit_intercept, n_jobs):
        self.X, self.n_jobs = X, n_jobs
        self.n, self.p = X.shape
        self.centre = np.zeros(self.p)
        self.rounded = X.dtype == np.float32  # products of whole blocks are in single precision
        if fit_intercept:
            self.centre = self.transpose_times(s[:, None])[0]

    def fold_rows(self, part, merge, width):
        """Merge what `part` returns for blocks of rows with `width` entries each."""
        return fold_blocks(part, merge, cut(self.n, ROW_BLOCK_ENTRIES // width), self.n_jobs)

    def transpose_times(self, R):
        """R' X, (q, p), for R (n, q)."""
        return products_of(self.X, R.T, self.n_jobs)

    def tiles(self, rows, width):
        """Tiles of rows with `width` entries each."""
        return cut(rows, max(TILE_ROWS, TILE_ENTRIES // width))

    def tile(self, columns, root, rows):
        """Weighted, centred rows of some columns and the intercept: (rows, m + 1)."""
        tile = np.empty((rows.stop - rows.start, columns.size + 1))
        ends = rows.start, rows.stop
        weigh_columns(self.X, columns, self.centre[columns], *ends, root, tile)
        return tile

    def exact_transpose_times(self, columns, r):
        """X' r, (m,), for some columns and r (n,), in float64 whatever the type of X."""
        root = np.ones(self.n)

        def block(rows):
            total = np.zeros(columns.size + 1)
            for tile in self.tiles(rows, columns.size + 1):
                total += np.dot(r[tile], self.tile(columns, root, tile))
            return total

        product = self.fold_rows(block, operator.iadd, columns.size + 1)
        return product[:-1] + self.centre[columns] * product[-1]

    def times(self, columns, d):
        """Centred columns times d (m,): (n,)."""
        out, root, d = np.empty(self.n), np.ones(self.n), np.append(d, 0.0)

        def block(rows):
            for tile in self.tiles(rows, columns.size + 1):
                np.dot(self.tile(columns, root, tile), d, out=out[tile])

        self.fold_rows(block, None, columns.size + 1)
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
        roots = np.sqrt(np.ascontiguousarray(A.T))
        ends = np.cumsum([chosen.size + 1 for chosen in columns])
        m = ends[-1]
        size = max(self.n // GRAM_BLOCKS + 1, TILE_ROWS, int(16 * ROW_BLOCK_ENTRIES // m**2))

        def block(rows):
            H = np.zeros((m, m))
            for some in self.tiles(rows, m):
                own = [self.tile(*given, some) for given in zip(columns, roots, strict=True)]
                add_hessian(H, own, None if B is None else B[some])
            return H

        H = fold_blocks(block, operator.iadd, cut(self.n, size), self.n_jobs)
        if len(columns) == 1:
            return H
        order = np.append(np.setdiff1d(np.arange(m), ends - 1), ends - 1)
        return H[np.ix_(order, order)]


class Sparse:
    """A sparse matrix of samples, by columns; it is never centred, which would fill the zeros."""

    sparse, rounded = True, False
    scores = Dense.scores

    def __init__(self, X, n_jobs):
        X = self.X = X.tocsc()
        self.entries, self.n_jobs = (X.data, X.indices, X.indptr), n_jobs
        self.squares = np.square(X.data, dtype=np.float64), X.indices, X.indptr
        self.n, self.p = X.shape
        self.centre = np.zeros(self.p)

    def transpose_times(self, R):
        """R' X, (q, p), for R (n, q)."""
        return sparse_products_of(self.entries, np.ascontiguousarray(R.T), self.n_jobs)

    def times(self, columns, d):
        """Columns times d (m,): (n,)."""
        return sparse_combination(self.entries, columns, d, self.n, self.n_jobs)

    def products(self, chosen, R, squared=False):
        """Products of columns, chosen as class * p + column, or their squares, with R (q, n)."""
        out, columns = np.empty(chosen.size), chosen % self.p
        for k, row in enumerate(R):
            own, entries = chosen // self.p == k, self.squares if squared else self.entries
            out[own] = sparse_products_of(entries, row[np.newaxis], self.n_jobs, columns[own])[0]
        return out
