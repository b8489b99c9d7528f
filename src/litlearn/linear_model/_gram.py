"""Least squares from the statistics of blocks of rows: count, mean, scatter.

A fit needs the samples only through sums over them. So the rows are cut into blocks, each block is
reduced to a few small arrays, and those are merged in the order of the blocks::

    X (n, p) --- blocks of rows ---> weight, means, scatter ---> merged ---> solved
                                      (p numbers)   (p x p)

A block is read once, and nothing of the size of `X` is allocated. `X` may be a ``numpy.memmap`` of
a file larger than memory. Blocks are cut by the size of the data alone, so that the result has the
same bits for any number of threads.
"""

from typing import NamedTuple

import numpy as np

from litlearn._parallel import map_blocks, single_threaded_blas

# A tile of rows is what a thread works on at a time: small enough to stay in its cache.
TILE = 2**17  # numbers
BLOCK = 2**20  # numbers in a block, at least
MOST_BLOCKS = 64
MANY = 2**18  # numbers from which on products in float32 are worth their loss of digits
MOST_MEMORY = 2**25  # numbers in the statistics of all blocks together


class Moments(NamedTuple):
    """Weighted count, means and sums of products about the means, of some samples."""

    weight: float  # sum of the weights
    x_mean: np.ndarray  # (p,)
    y_mean: np.ndarray  # (k,)
    xx: np.ndarray  # (p, p), the scatter matrix of the features
    xy: np.ndarray  # (p, k), the products of features and targets
    yy: np.ndarray  # (k,), the sums of squares of the targets


class Samples(NamedTuple):
    """The data of a least-squares problem, as the functions of this file take them."""

    X: np.ndarray  # (n, p), float32 or float64, rows or columns contiguous; or sparse
    Y: np.ndarray  # (n, k), float64
    weight: np.ndarray | None  # (n,), float64
    centred: bool  # whether there is an intercept, so that only deviations from means count
    x_scale: float = 1.0  # X is multiplied by it before it is squared
    y_scale: float = 1.0
    single: bool = True  # products of float32 samples may be taken in float32


# ---------------------------------------------------------------------------------------------
# Statistics


def rows_per_block(n, p):
    """Rows in a block: set by the size of the data, never by the number of threads."""
    return int(max(2 * p, BLOCK // p, -(-n // MOST_BLOCKS), n * p**2 // MOST_MEMORY, 1))


def cut(n, size):
    """The slices of `size` rows, the last one shorter, that make up n rows."""
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def moments(samples, n_jobs=None):
    """Return the :class:`Moments` of all samples, block by block, :eq:`eq-gram-merge`."""
    import scipy.linalg  # noqa: F401  (before threads are limited, so that its own are too)

    n, p = samples.X.shape
    blocks = cut(n, rows_per_block(n, p))
    # <precision>: Products of float32 samples take half the time in float32. The first block tells
    # whether so few digits will do.
    dtype, first = np.float64, None
    dense = isinstance(samples.X, np.ndarray)
    if samples.single and dense and samples.X.dtype == np.float32 and n * p >= MANY:
        with single_threaded_blas():
            first = block_moments(samples, blocks[0], np.float32)
            if single_is_enough(samples, first):
                dtype = np.float32

    def part(b):
        return first if b == 0 and dtype == np.float32 else block_moments(samples, blocks[b], dtype)

    parts = map_blocks(part, len(blocks), n_jobs)
    total = parts[0]
    for b in range(1, len(parts)):
        total = merge(total, parts[b], samples.centred)
        parts[b] = None
    if dtype == np.float32 and not well_conditioned(total.xx):
        return moments(samples._replace(single=False), n_jobs)
    return without_rounding(total) if samples.centred else total


def block_moments(samples, rows, dtype=np.float64):
    """Return the :class:`Moments` of a block of rows; products of pairs are taken in `dtype`."""
    p, k = samples.X.shape[1], samples.Y.shape[1]
    tiles = [slice(rows.start + t.start, rows.start + t.stop) for t in tile_cut(rows, p)]
    # <shift>: Sums of squares about a point near the mean lose nothing to a large mean.
    x_shift, y_shift = provisional_centre(samples, rows, dtype)
    weight, x_sum, y_sum = 0.0, np.zeros(p), np.zeros(k)
    xx, xy, yy = None, np.zeros((p, k)), np.zeros(k)
    product = np.empty((p, p), dtype=dtype)
    # <accumulate>: Each tile is squared while it is in the cache, and added in float64.
    for tile in tiles:
        Z, T, root = weighted_deviations(samples, tile, x_shift, y_shift, dtype)
        if xx is None:
            xx = (Z.T @ Z).astype(np.float64, copy=False)
        else:
            xx += np.matmul(Z.T, Z, out=product)
        xy += Z.T @ T.astype(dtype, copy=False)
        yy += np.einsum("ij,ij->j", T, T)
        if samples.centred:
            weight += float(root @ root)
            x_sum += root.astype(dtype, copy=False) @ Z
            y_sum += root @ T
    if not samples.centred:
        return Moments(float(rows.stop - rows.start), x_sum, y_sum, xx, xy, yy)
    # <recentre>: The sums about the point become sums about the mean.
    if weight == 0.0:
        return Moments(0.0, x_sum, y_sum, xx, xy, yy)
    x_off, y_off = x_sum / weight, y_sum / weight
    if dtype == np.float32 and np.any(x_sum * x_off > 0.75 * np.diagonal(xx)):
        return block_moments(samples, rows)  # the point is too far from the mean
    add_outer(xx, x_sum, -x_off)
    add_outer(xy, x_sum, -y_off)
    yy -= y_sum * y_off
    return Moments(weight, add_shift(x_shift, x_off), add_shift(y_shift, y_off), xx, xy, yy)


def single_is_enough(samples, first):
    """Tell whether products in float32 lose nothing that matters, judged by the first block."""
    if samples.x_scale != 1.0 or len(samples.X) < 4 * samples.X.shape[1]:
        return False
    mean_squares = np.diagonal(first.xx) / max(first.weight, 1e-300)
    in_range = (mean_squares > 1e-20).all() and (mean_squares < 1e20).all()
    return bool(in_range) and well_conditioned(first.xx)


def well_conditioned(A):
    """Tell whether a relative error of float32's rounding in A stays one of 1e-5 in a solution."""
    from scipy.linalg import lapack

    factor = scaled_cholesky(A)
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


def merge(a, b, centred=True):
    """Return the :class:`Moments` of two sets of samples together, :eq:`eq-gram-merge`."""
    # <add>: Scatter matrices add up, but for the distance between the two means.
    xx, xy, yy = a.xx, a.xy, a.yy
    xx += b.xx
    xy += b.xy
    yy += b.yy
    weight = a.weight + b.weight
    if not centred or b.weight == 0.0:
        return a._replace(weight=weight)
    if a.weight == 0.0:
        return b._replace(xx=xx, xy=xy, yy=yy)
    share = b.weight / weight
    x_gap, y_gap = b.x_mean - a.x_mean, b.y_mean - a.y_mean
    add_outer(xx, (a.weight * share) * x_gap, x_gap)
    add_outer(xy, (a.weight * share) * x_gap, y_gap)
    yy += (a.weight * share) * y_gap**2
    # <mean>: The new mean lies between the two, nearer to the heavier one.
    x_mean, y_mean = a.x_mean + share * x_gap, a.y_mean + share * y_gap
    return Moments(weight, x_mean, y_mean, xx, xy, yy)


def add_outer(A, u, v):
    """Add the outer product of two vectors to A, in place: a new matrix would be slow to get."""
    from scipy.linalg import blas

    blas.dger(1.0, v, u, a=A.T, overwrite_a=True)


def tile_cut(rows, p):
    """Cut a block into tiles of about the same size that fit in a core's cache."""
    n = rows.stop - rows.start
    n_tiles = max(1, round(n / max(64, 2 * p, TILE // p)))
    return cut(n, -(-n // n_tiles))


def provisional_centre(samples, rows, dtype=np.float64):
    """Return a point near the weighted mean of the features, and one near that of the targets.

    They are the means of the heaviest rows. If those hold the share f of the block's weight, the
    squared distance from the mean of the whole block is at most 1 / f of its variance: whatever the
    weights, the shift costs no more than that factor of digits. None for the features if their
    means are no larger than their spreads: then there is nothing to gain from a shift, and the
    samples need not be copied.
    """
    if not samples.centred:
        return None, None
    few, weight = heaviest(samples.weight, rows, 2**16 // samples.X.shape[1] + 2)
    X = as_float(samples.X[few], samples.x_scale)
    x_mean, y_mean = weight @ X, weight @ as_float(samples.Y[few], samples.y_scale)
    if np.all(x_mean**2 <= weight @ (X - x_mean) ** 2):
        return None, y_mean
    return x_mean.astype(dtype), y_mean


def heaviest(weight, rows, count):
    """Return the `count` heaviest of some rows, in order, and their weights, of sum 1."""
    n = rows.stop - rows.start
    count = min(count, n)
    if weight is None:
        return slice(rows.start, rows.start + count), np.full(count, 1.0 / count)
    own = weight[rows]
    chosen = np.sort(np.argpartition(own, n - count)[n - count :])
    own = own[chosen] / max(own[chosen].max(), np.finfo(np.float64).tiny)
    return rows.start + chosen, own / max(own.sum(), 1.0)


def add_shift(shift, offset):
    """Return the sum, where None is a shift of zero."""
    return offset if shift is None else shift + offset


def as_float(block, scale=1.0, dtype=np.float64):
    """Return a block, dense, in float64, times a scale; without a copy where none is needed."""
    block = block if isinstance(block, np.ndarray) else block.toarray()
    block = block.astype(dtype, copy=False)
    return block if scale == 1.0 else block * scale


def weighted_deviations(samples, rows, x_centre, y_centre, dtype=np.float64):
    """Return rows minus the centres, times the roots of the weights; and those roots."""
    Z = as_float(samples.X[rows], samples.x_scale, dtype)
    T = as_float(samples.Y[rows], samples.y_scale)
    if x_centre is not None:
        Z = Z - x_centre
    if y_centre is not None:
        T = T - y_centre
    if samples.weight is None:
        return Z, T, np.ones(len(T))
    root = np.sqrt(samples.weight[rows])
    return Z * root[:, None].astype(dtype), T * root[:, None], root


def constant_columns(squares, x_mean, weight):
    """Tell of which features the deviations from the mean are nothing but rounding."""
    return squares <= weight * (2.0 * np.finfo(np.float64).eps * x_mean) ** 2


def without_rounding(total):
    """Return moments in which a feature that is constant up to rounding has a spread of zero."""
    constant = constant_columns(np.diagonal(total.xx), total.x_mean, total.weight)
    if constant.any():
        total.xx[constant] = 0.0
        total.xx[:, constant] = 0.0
        total.xy[constant] = 0.0
    return total


# ---------------------------------------------------------------------------------------------
# Scales out of the ordinary: squares that overflow or vanish


def scaled(samples, total, n_jobs=None):
    """Return samples with scales that keep their squares within the range of numbers.

    The very same samples if `total`, their moments, show that it was so already.
    """
    n = len(samples.Y)
    if ordinary(np.diagonal(total.xx)) and ordinary(total.yy) and np.isfinite(total.xy).all():
        return samples
    p = samples.X.shape[1]
    blocks = cut(n, rows_per_block(n, p))

    def largest(b):
        X = samples.X[blocks[b]]
        return float(max(X.max(), -X.min()))

    x_largest = max(map_blocks(largest, len(blocks), n_jobs))
    return with_scales(samples, x_largest)


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
    blocks = cut(n, max(rows_per_block(n, p), 4 * (p + k)))
    centres = (total.x_mean, total.y_mean) if samples.centred else (None, None)
    first = int(samples.centred)

    def factor(b):
        Z, T, root = weighted_deviations(samples, blocks[b], *centres)
        # The roots of the weights come first: what rounding left of the mean goes to their row.
        return np.linalg.qr(np.column_stack((root,) * first + (Z, T)), mode="r")

    # Blocks are folded a few at a time, so that few factors are kept.
    stack = []
    for start in range(0, len(blocks), 16):
        stop = min(start + 16, len(blocks))
        stack += map_blocks(lambda b, start=start: factor(start + b), stop - start, n_jobs)
        stack = [np.linalg.qr(np.vstack(stack), mode="r")] if len(stack) > 1 else stack
    R = np.zeros((min(n, p), p + k))  # a row of zeros is left if there are n features
    found = stack[0][first : p + first, first:]
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

    def product(b):
        Z, x_mean = column_deviations(samples, blocks[b], root)
        return x_mean, Z @ Z.T

    parts = map_blocks(product, len(blocks), n_jobs)
    K = parts[0][1]
    for _, part in parts[1:]:
        K += part
    x_mean = np.concatenate([x_mean for x_mean, _ in parts])
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

    def combined(b):
        return column_deviations(samples, blocks[b], root, x_mean[blocks[b]])[0].T @ A

    return np.vstack(map_blocks(combined, len(blocks), n_jobs))


def apply_columns(samples, x_mean, root, W, n_jobs=None):
    """Return ``Z @ W``, the linear function of the centred and weighted rows, (n, k)."""
    n, p = samples.X.shape
    blocks = cut(p, rows_per_block(p, n))

    def applied(b):
        Z, _ = column_deviations(samples, blocks[b], root, x_mean[blocks[b]])
        return Z @ W[blocks[b]]

    parts = map_blocks(applied, len(blocks), n_jobs)
    return sum(parts[1:], start=parts[0])


def row_factor(samples, x_mean, root, n_jobs=None):
    """Return the triangular R with ``Z.T = Q R``: the square root of ``Z @ Z.T``, stably."""
    n, p = samples.X.shape
    blocks = cut(p, max(rows_per_block(p, n), 4 * n))

    def factor(b):
        Z, _ = column_deviations(samples, blocks[b], root, x_mean[blocks[b]])
        return np.linalg.qr(Z.T, mode="r")

    parts = map_blocks(factor, len(blocks), n_jobs)
    return np.linalg.qr(np.vstack(parts), mode="r") if len(parts) > 1 else parts[0]


# ---------------------------------------------------------------------------------------------
# Cholesky, with a test of whether its answer can be trusted


class ScaledFactor(NamedTuple):
    """The Cholesky factor of a symmetric matrix scaled to a unit diagonal."""

    L: np.ndarray  # (p, p), its lower triangle
    d: np.ndarray  # (p,), roots of the diagonal
    rcond: float  # one over the estimated condition number of the scaled matrix
    smallest: float  # estimate from below of the smallest eigenvalue of the scaled matrix


def scaled_cholesky(A, alpha=0.0):
    """Factor ``A + alpha I``, or return None if it is not positive definite."""
    from scipy.linalg import lapack

    # <scale>: A unit diagonal: what features of different units do to the condition goes away.
    diagonal = np.diagonal(A) + alpha
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
    return ScaledFactor(L, d, rcond, rcond * size)


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
    from scipy.linalg import lapack

    # <refuse>: A negative pivot, or a condition number that eats the digits, is an answer too.
    factor = scaled_cholesky(A, alpha)
    if factor is None:
        return None
    d = factor.d
    if factor.rcond * d.min() / d.max() < SAFE:
        return None
    if factor.smallest * d.min() ** 2 <= cutoff**2 * (d @ d):
        return None
    # <substitute>: Two triangular systems.
    W, _ = lapack.dpotrs(factor.L, B / d[:, None], lower=True, overwrite_b=True)
    return W / d[:, None]


# One over the condition number of the scaled matrix, times the ratio of the scales, must be at
# least this large: rounding, about 1e-16 times its inverse, then stays below 1e-7 of the result.
SAFE = 1e-8
