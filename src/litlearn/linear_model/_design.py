"""Least squares for coordinate descent: a target, and the weighted, centred matrix of samples.

A design is dense, sparse, or known by its Gram matrix. It offers what coordinate descent asks for:
the residual and its products with all columns, and a few of the columns in a form in which it is
fast.

Targets, residuals, coefficients and products are vectors, or have a row for each of several
targets.
"""

import copy
import operator

import numpy as np

from litlearn._core import moments
from litlearn._core.jit import njit
from litlearn._core.parallel import cut, multiply_rows
from litlearn.linear_model import _matrix
from litlearn.linear_model._matrix import FIRST_SIZE, GROWTH, SPARE, Columns, Part, Residual

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


# ---------------------------------------------------------------------------------------------
# Statistics and copies of columns


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


def gram_matrix(design):
    """Return the products of all columns of a dense design, from blocks of rows."""
    weights = design.root**2 if design.root.size else None
    samples = moments.Samples(design.X, np.zeros((design.n_samples, 1)), weights, design.centred)
    return moments.moments(samples, design.n_jobs).xx


# ---------------------------------------------------------------------------------------------
# Designs


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
        columns = _matrix.dense_columns(G, self.squares[used], known=True)
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
            blocks = cut(n, max(64, _matrix.BLOCK_ENTRIES // p))
            return _matrix.fold(collect, operator.iadd, blocks, self.n_jobs)
        result = np.empty((3, p))

        def compute(columns):
            column_statistics(X, first, weights, y, columns.start, columns.stop, result)

        _matrix.fold(compute, None, cut(p, _matrix.BLOCK_ENTRIES // n), self.n_jobs)
        return result

    def correlations(self, r):
        """Products of all columns with the residual."""
        u = r * self.root if self.root.size else r
        out = _matrix.products_of(self.X, np.atleast_2d(u), self.n_jobs).reshape(*r.shape[:-1], -1)
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

        blocks = cut(n, max(64, _matrix.BLOCK_ENTRIES // (2 * new.size)))
        _matrix.fold(collect, None, blocks, self.n_jobs)
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
        loaded, k = _matrix.dense_columns(self.B, self.squares[used]), used.size
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
        out = _matrix.sparse_products_of(entries, np.atleast_2d(r), self.n_jobs)
        out = out.reshape(*r.shape[:-1], -1)
        return out - (r @ self.root)[..., None] * self.means if self.root.size else out

    def residual(self, w):
        """``y - X w``, with the mean removed."""
        r = self.y.copy()
        for v, row in zip(np.atleast_2d(w), np.atleast_2d(r), strict=True):
            used = np.flatnonzero(v)
            _matrix.add_columns(self.data, self.indices, self.indptr, used, -v[used], row)
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
