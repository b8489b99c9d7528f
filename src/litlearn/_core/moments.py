"""Statistics of blocks of rows: weighted count, means, sums of products about the means.

Many fits need the samples only through such sums: least squares, principal components, the normal
models. So the rows are cut into blocks, each block is reduced to a few small arrays, and those are
merged in the order of the blocks::

    X (n, p) --- blocks of rows ---> weight, means, scatter ---> merged
                                      (p numbers)   (p x p)

A block is read once, and nothing of the size of `X` is allocated. `X` may be a ``numpy.memmap`` of
a file larger than memory, or an array in chunks (:mod:`litlearn._core.chunked`). Blocks are cut by
the size of the data alone, so that the result has the same bits for any number of threads.
"""

from typing import NamedTuple

import numpy as np

from litlearn._core import factors, validation
from litlearn._core.chunked import fold_rows, is_chunked
from litlearn._core.jit import njit
from litlearn._core.parallel import (
    cross_products,
    cut,
    single_threaded_blas,
    unless_interrupted,
)

# A tile of rows is what a thread works on at a time: small enough to stay in its cache.
TILE = 2**16  # numbers
BLOCK = 2**20  # numbers in a block, at least
MOST_BLOCKS = 64
MANY = 2**18  # numbers from which on products in float32 are worth their loss of digits
# Products in float32 are refined from this inverse condition number of the scaled matrix on. What
# their sums lose, some 1e-6 of the largest, leaves three digits of the smallest singular value.
REFINABLE = 1e-3
MOST_MEMORY = 2**25  # numbers in the statistics of all blocks together
# MANY samples of so few columns, features and targets, are squared column by column: BLAS, made for
# large matrices, takes longer. Columns are that long; the gap keeps them apart in the cache.
FEW, COLUMN, GAP = 32, 256, 8
DENSE = 0.05  # share of entries that are not zero from which on blocks of them are made dense


class Moments(NamedTuple):
    """Weighted count, means and sums of products about the means, of some samples."""

    weight: float  # sum of the weights
    x_mean: np.ndarray  # (p,)
    y_mean: np.ndarray  # (k,)
    xx: np.ndarray  # (p, p), the scatter matrix of the features; or (p,), its diagonal
    xy: np.ndarray  # (p, k), the products of features and targets
    yy: np.ndarray  # (k,), the sums of squares of the targets
    single: bool = False  # whether the products of features were taken in float32


class Samples(NamedTuple):
    """Features, and targets if there are any, as the functions of this file take them."""

    X: np.ndarray  # (n, p), float32 or float64, rows or columns contiguous; sparse; in chunks
    Y: np.ndarray  # (n, k), float64; k may be zero
    weight: np.ndarray | None  # (n,), float64
    centred: bool  # whether there is an intercept, so that only deviations from means count
    x_scale: float = 1.0  # X is multiplied by it before it is squared
    y_scale: float = 1.0
    single: bool = True  # products of float32 samples may be taken in float32
    refined: bool = False  # whatever digits that costs: who asks looks after them
    finite: bool = True  # known to be so; else the caller looks at `x_mean`, and nothing warns

    def by_rows(self):
        """The arrays that have a row for each sample, and all else, for `fold_rows`."""
        return self[:3], self._replace(X=None, Y=None, weight=None)


def rows_per_block(n, p):
    """Rows in a block: set by the size of the data, never by the number of threads."""
    return int(max(2 * p, BLOCK // p, -(-n // MOST_BLOCKS), n * p**2 // MOST_MEMORY, 1))


def moments(samples, n_jobs=None, full=True):
    """Return the :class:`Moments` of all samples, block by block, :eq:`eq-gram-merge`.

    Parameters
    ----------
    samples : Samples
        Data, (n, p) and (n, k).
    n_jobs : int or None, default=None
        Number of threads; the result has the same bits for each.
    full : bool, default=True
        Whether `xx` is the scatter matrix (p, p), or only its diagonal (p,), without products of
        different features. Cost: n p^2 or n p.

    Returns
    -------
    Moments
        A feature that is constant up to rounding has a spread of zero in them, if `samples` are
        centred.
    """
    import scipy.linalg  # noqa: F401  (before threads are limited, so that its own are too)

    n, p = samples.X.shape
    found = sparse_moments(samples) if full else None
    if found is not None:
        return found
    size = rows_per_block(n, p if full else 1)
    # <precision>: Products of float32 samples take half the time in float32. The first block tells
    # whether so few digits will do.
    dtype, first = np.float64, None
    if full and may_be_single(samples):
        with single_threaded_blas():
            first = block_moments(samples, cut(n, size)[0], np.float32)
            if single_is_enough(samples, first):
                dtype = np.float32

    # <fold>: Blocks are merged as they come, in their order. If the whole turns out to be worse
    # conditioned than its first block, all is summed up again.
    arrays, rest = samples.by_rows()

    def part(arrays, rows):
        if dtype == np.float32 and rows.start == 0:
            return first
        with np.errstate(**unheard):
            return block_moments(Samples(*arrays, *rest[3:]), rows, dtype, full)

    def merge_two(a, b):
        with np.errstate(**unheard):
            return merge_moments(a, b, rest.centred)

    unheard = {} if samples.finite else {"over": "ignore", "invalid": "ignore"}
    total = fold_rows(part, merge_two, arrays, size, n_jobs)
    if dtype == np.float32 and not (samples.refined or factors.well_conditioned(total.xx)):
        return moments(samples._replace(single=False), n_jobs)
    total = total._replace(single=dtype == np.float32)
    return without_rounding(total) if samples.centred else total


def sparse_moments(samples):
    """The :class:`Moments` of sparse samples from sparse products, or None where blocks are better.

    They are faster in blocks if many entries are not zero, and more exact if means are large.
    """
    X, Y = samples.X, samples.Y
    (n, p), k = X.shape, Y.shape[1]
    if isinstance(X, np.ndarray) or is_chunked(X) or X.nnz > DENSE * n * p:
        return None
    if (samples.x_scale, samples.y_scale) != (1.0, 1.0):
        return None
    # <products>: Rows times the roots of their weights, and their sums of products.
    root = np.ones(n) if samples.weight is None else np.sqrt(samples.weight)
    Z = X.astype(np.float64).multiply(root[:, None]).tocsr()
    weight, x_mean, y_mean, raw = float(n), np.zeros(p), np.zeros(k), (Z.T @ Z).toarray()
    squares = np.diagonal(raw).copy()
    # <recentre>: Sums about the mean, unless the mean is so large that digits would be lost.
    if samples.centred:
        weight = float(root @ root)
        if weight == 0.0:
            return None
        x_mean, y_mean = Z.T @ root / weight, root**2 @ Y / weight
        raw -= np.multiply.outer(weight * x_mean, x_mean)
        if not (np.diagonal(raw) >= 1e-4 * squares).all():
            return None
    T = (Y - y_mean) * root[:, None]
    return Moments(weight, x_mean, y_mean, raw, Z.T @ T, np.einsum("ij,ij->j", T, T))


def moments_by_class(samples, codes, n_classes, n_jobs=None, full=True):
    """Return the :class:`Moments` of the samples of each class.

    Parameters
    ----------
    samples : Samples
        Data; `centred` is True.
    codes : ndarray of shape (n,)
        Class of each sample, from 0 to ``n_classes - 1``.
    n_classes : int
        Number of classes, q.
    n_jobs, full
        As in :func:`moments`.

    Returns
    -------
    list of Moments
        One for each class. The sum of their `xx` is the scatter within classes, pooled.
    """
    import scipy.linalg  # noqa: F401  (as above)

    n, p = samples.X.shape

    arrays, rest = samples.by_rows()

    def part(arrays, rows):
        X, Y, weight, codes = [None if one is None else one[rows] for one in arrays]
        if spreads and isinstance(X, np.ndarray):
            return spreads_by_class(X, weight, codes, n_classes)
        # The rows of a class come together, each class is then a block of its own.
        order = np.argsort(codes, kind="stable")
        ends = np.searchsorted(codes[order], np.arange(n_classes + 1))
        weight = None if weight is None else weight[order]
        own = rest._replace(X=X[order], Y=Y[order], weight=weight)
        return [
            block_moments(own, slice(ends[c], ends[c + 1]), full=full) for c in range(n_classes)
        ]

    def merge_all(a, b):
        return [merge_moments(one, other) for one, other in zip(a, b, strict=True)]

    # Spreads alone need no rows of a class beside each other, and no targets.
    spreads = not full and rest.x_scale == 1.0 and not samples.Y.shape[1]
    size = rows_per_block(n, p if full or spreads else 1)
    found = fold_rows(part, merge_all, (*arrays, codes), size, n_jobs)
    return [without_rounding(one) for one in found]


def spreads_by_class(X, weight, codes, n_classes):
    """Return the :class:`Moments` of each class of a block, without targets, `xx` of shape (p,)."""
    p, nothing = X.shape[1], np.empty(0)
    weights, means, spreads = np.zeros(n_classes), *np.zeros((2, n_classes, p))
    X, codes, weight = (
        validation.read_only(np.asarray(nothing if one is None else one))
        for one in (X, codes, weight)
    )
    sum_spreads(X, weight, codes, weights, means, spreads)
    return [
        Moments(float(weights[c]), means[c], nothing, spreads[c], np.empty((p, 0)), nothing)
        for c in range(n_classes)
    ]


@njit
def sum_spreads(X, weight, codes, weights, means, spreads):
    """Add up what the classes of a block weigh, their means, and their squares about these.

    X (n, p); weight (n,), empty for ones; codes (n,); weights (q,), means and spreads (q, p):
    zeros, overwritten. The squares are summed in a pass of their own, about the means that the one
    before has found: a large mean costs none of their digits.
    """
    p, rest = X.shape[1], np.zeros(means.shape)
    for i in range(codes.size):
        weights[codes[i]] += weight[i] if weight.size else 1.0
    for i in range(codes.size):
        c = codes[i]
        if weights[c] > 0.0:
            mean, share = means[c], (weight[i] if weight.size else 1.0) / weights[c]
            for j in range(np.uintp(p)):
                mean[j] += share * X[i, j]
    for i in range(codes.size):
        c, w = codes[i], weight[i] if weight.size else 1.0
        mean, own, off = means[c], spreads[c], rest[c]
        for j in range(np.uintp(p)):
            deviation = X[i, j] - mean[j]
            off[j] += w * deviation
            own[j] += w * deviation * deviation
    # <corrected>: by what rounding has left between the mean and these.
    for c in range(weights.size):
        for j in range(p if weights[c] > 0.0 else 0):
            shift = rest[c, j] / weights[c]
            means[c, j] += shift
            spreads[c, j] = max(0.0, spreads[c, j] - rest[c, j] * shift)


def block_moments(samples, rows, dtype=np.float64, full=True):
    """Return the :class:`Moments` of a block of rows; products of pairs are taken in `dtype`."""
    p, k = samples.X.shape[1], samples.Y.shape[1]
    # <shift>: Sums of squares about a point near the mean lose nothing to a large mean.
    x_shift, y_shift = provisional_centre(samples, rows, dtype)
    sides, T, root = sides_of(samples, rows, y_shift, dtype)
    xx, sums = np.zeros((p, p) if full else p), np.zeros((p, k + 1))
    # <sums>: Products of features, and of features with targets and roots, about that point.
    if full and few_features(samples):
        square_columns(samples, rows, x_shift, sides, xx, sums)
    else:
        square(samples, rows, x_shift, root, sides, xx, sums)
    xy, yy = sums[:, :k].copy(), np.einsum("ij,ij->j", T, T)
    if not samples.centred:
        return Moments(float(rows.stop - rows.start), np.zeros(p), np.zeros(k), xx, xy, yy)
    x_sum = sums[:, k]
    if samples.weight is None:
        weight, y_sum = float(len(T)), T.sum(axis=0)
    else:
        weight, y_sum = float(root @ root), root @ T
    # <recentre>: The sums about the point become sums about the mean.
    if weight == 0.0:
        return Moments(0.0, x_sum, y_sum, xx, xy, yy)
    x_off, y_off = x_sum / weight, y_sum / weight
    if dtype == np.float32 and np.any(x_sum * x_off > 0.75 * np.diagonal(xx)):
        return block_moments(samples, rows)  # the point is too far from the mean
    add_products(xx, x_sum, -x_off)
    add_outer(xy, x_sum, -y_off)
    yy -= y_sum * y_off
    return Moments(weight, add_shift(x_shift, x_off), add_shift(y_shift, y_off), xx, xy, yy)


def square(samples, rows, centre, root, sides, xx, sums):
    """Add Z'Z, or its diagonal, to `xx` and the products of Z with `sides` to `sums`, tile by tile.

    Z are the deviations of the rows of a block from `centre`, times the `root` of their weights.
    """
    p = samples.X.shape[1]
    tiles = cut(rows.stop - rows.start, tile_rows(rows, p))
    room = room_for(samples, tiles, sides.dtype)
    product, tiles = np.empty(xx.shape, dtype=sides.dtype), unless_interrupted(tiles)
    # <accumulate>: Each tile is squared while it is in the cache, and added in float64.
    for own in tiles:
        tile = slice(rows.start + own.start, rows.start + own.stop)
        Z = feature_deviations(samples, tile, centre, root[own], room)
        if xx.ndim == 2:
            xx += cross_products(Z, product)
        else:
            xx += np.einsum("ij,ij->j", Z, Z, out=product)
        sums += Z.T @ sides[own]


def square_columns(samples, rows, centre, sides, xx, sums):
    """The same for few features: each product is a sum over two columns, with no call of BLAS."""
    X, scale = np.asarray(samples.X[rows]).view(), sides.dtype.type(samples.x_scale)
    X.flags.writeable = False
    if centre is None:
        centre = np.zeros(X.shape[1], dtype=sides.dtype)
    room = np.zeros((X.shape[1] + sides.shape[1] + 1, COLUMN + GAP), dtype=sides.dtype)
    sum_columns(X, scale, centre, sides, room, xx, sums)


@njit(reassociate=True)
def sum_columns(X, scale, centre, sides, room, xx, sums):
    """The loops of :func:`square_columns`.

    X (n, p); sides (n, k + 1), whose last column has the roots of the weights; room: zeros, at
    least (p + k + 2, COLUMN). Sums of COLUMN products are taken in its type, all else in float64.
    """
    (n, p), k = X.shape, sides.shape[1] - 1
    total = np.zeros((p + k + 2, p + k + 2))
    for start in range(0, n, COLUMN):
        # <columns>: Some rows of Z and of the sides, each column by itself.
        count = np.uintp(min(COLUMN, n - start))
        for t in range(k + 1):
            for i in range(count):
                room[p + t, i] = sides[np.uintp(start) + i, np.uintp(t)]
        root = room[p + k]
        for j in range(p):
            column, middle = room[j], centre[j]
            for i in range(count):
                column[i] = (X[np.uintp(start) + i, np.uintp(j)] * scale - middle) * root[i]
        # <pairs>: Two columns with two others: four products for four numbers that are read.
        for a in range(0, p, 2):
            for b in range(a, p + k + 1, 2):
                add_four(room[a], room[a + 1], room[b], room[b + 1], count, total[a:, b:])
    for a in range(p):
        for b in range(p):
            xx[a, b] += total[min(a, b), max(a, b)]
        for t in range(k + 1):
            sums[a, t] += total[a, p + t]


@njit(inline=True, reassociate=True)
def add_four(a, b, c, d, count, total):
    """Add the products of a and b with c and d to the first entries of `total`."""
    ac = ad = bc = bd = a.dtype.type(0.0)
    for i in range(count):
        ac += a[i] * c[i]
        ad += a[i] * d[i]
        bc += b[i] * c[i]
        bd += b[i] * d[i]
    total[0, 0] += ac
    total[0, 1] += ad
    total[1, 0] += bc
    total[1, 1] += bd


def few_features(samples):
    """Tell whether the samples are dense, many, and of so few features that loops are faster."""
    X = samples.X
    if not isinstance(X, np.ndarray) or not X.flags.c_contiguous:
        return False
    return X.size >= MANY and X.shape[1] + samples.Y.shape[1] < FEW


def may_be_single(samples):
    """Tell whether products in float32 are possible, and worth a look at what they lose."""
    X = samples.X
    if not isinstance(X, np.ndarray) or X.dtype != np.float32 or samples.x_scale != 1.0:
        return False
    return samples.single and X.size >= MANY and len(X) >= 4 * X.shape[1]


def single_is_enough(samples, first):
    """Tell whether they lose nothing that matters, or no more than is asked for, by a block."""
    mean_squares = np.diagonal(first.xx) / max(first.weight, 1e-300)
    if not ((mean_squares > 1e-20).all() and (mean_squares < 1e20).all()):
        return False
    if samples.refined:
        factor = factors.cholesky(first.xx)
        return factor is not None and factor.rcond >= REFINABLE
    return factors.well_conditioned(first.xx)


def merge_moments(a, b, centred=True):
    """Return the :class:`Moments` of two sets of samples together, :eq:`eq-gram-merge`."""
    weight = a.weight + b.weight
    share = b.weight / weight if centred and weight > 0.0 else 0.0
    # <add>: Scatter matrices add up, but for the distance between the two means.
    xx, xy, yy = a.xx, a.xy, a.yy
    xx += b.xx
    xy += b.xy
    yy += b.yy
    x_gap, y_gap = b.x_mean - a.x_mean, b.y_mean - a.y_mean
    add_products(xx, (a.weight * share) * x_gap, x_gap)
    add_outer(xy, (a.weight * share) * x_gap, y_gap)
    yy += (a.weight * share) * y_gap**2
    # <mean>: The new mean lies between the two, nearer to the heavier one.
    x_mean, y_mean = a.x_mean + share * x_gap, a.y_mean + share * y_gap
    return Moments(weight, x_mean, y_mean, xx, xy, yy)


def add_products(A, u, v):
    """Add the products of all pairs to a matrix A, or those of equal places to a vector."""
    if A.ndim == 2:
        add_outer(A, u, v)
    else:
        A += u * v


def add_outer(A, u, v):
    """Add the outer product of two vectors to A, in place: a new matrix would be slow to get."""
    from scipy.linalg import blas

    if A.size:
        blas.dger(1.0, v, u, a=A.T, overwrite_a=True)


def tile_rows(rows, p):
    """Rows of the tiles of a block: they fit in a core's cache and are of about the same size."""
    n = rows.stop - rows.start
    n_tiles = max(1, round(n / max(64, 2 * p, TILE // p)))
    return -(-n // n_tiles)


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
    D = X - x_mean
    if np.all(x_mean**2 <= weight @ np.square(D, out=D)):
        return None, y_mean
    return x_mean.astype(dtype), y_mean


def heaviest(weight, rows, count):
    """Return the `count` heaviest of some rows, in order, and their weights, of sum 1."""
    n = rows.stop - rows.start
    count = min(count, n)
    if weight is None:
        return slice(rows.start, rows.start + count), np.full(count, 1.0 / max(count, 1))
    own = weight[rows]
    chosen = np.sort(np.argpartition(own, n - count)[n - count :])
    own = own[chosen] / max(own[chosen].max(initial=0.0), np.finfo(np.float64).tiny)
    return rows.start + chosen, own / max(own.sum(), 1.0)


def add_shift(shift, offset):
    """Return the sum, where None is a shift of zero."""
    return offset if shift is None else shift + offset


def as_float(block, scale=1.0, dtype=np.float64):
    """Return a block, dense, in float64, times a scale; without a copy where none is needed."""
    block = block if isinstance(block, np.ndarray) else block.toarray()
    block = block.astype(dtype, copy=False)
    return block if scale == 1.0 else block * scale


def room_for(samples, tiles, dtype):
    """Return memory for the deviations of any of the tiles, in the order of the samples.

    It is used again for each tile: new memory comes in pages that have to be cleared first, which
    takes as long as the product.
    """
    longest = max((tile.stop - tile.start for tile in tiles), default=0)
    by_columns = isinstance(samples.X, np.ndarray) and not samples.X.flags.c_contiguous
    return np.empty((longest, samples.X.shape[1]), dtype=dtype, order="F" if by_columns else "C")


def weighted_deviations(samples, rows, x_centre, y_centre):
    """Return rows minus the centres, times the roots of the weights; and those roots."""
    T, root = target_deviations(samples, rows, y_centre)
    return feature_deviations(samples, rows, x_centre, root), T, root


def target_deviations(samples, rows, centre):
    """Return targets minus their centre, times the roots of the weights; and those roots."""
    T = as_float(samples.Y[rows], samples.y_scale)
    if centre is not None:
        T = T - centre
    if samples.weight is None:
        return T, np.ones(len(T))
    root = np.sqrt(samples.weight[rows])
    return T * root[:, None], root


def sides_of(samples, rows, centre, dtype):
    """Return targets, as :func:`target_deviations`, beside the roots; and both alone, in float64.

    One array where that does, which the next block finds ready: new ones come in pages that have to
    be cleared.
    """
    k = samples.Y.shape[1]
    sides = np.empty((rows.stop - rows.start, k + 1), dtype=dtype)
    if dtype == np.float64 and samples.weight is None and samples.y_scale == 1.0:
        T, root = sides[:, :k], sides[:, k]
        np.subtract(samples.Y[rows], 0.0 if centre is None else centre, out=T)
        root[:] = 1.0
    else:
        T, root = target_deviations(samples, rows, centre)
        sides[:, :k], sides[:, k] = T, root
    return sides, T, root


def feature_deviations(samples, rows, centre, root, room=None):
    """Return features minus their centre, times the roots of the weights.

    They are of the type of `room`, if it is given, and stand there unless they are as they were.
    """
    dtype, out = (np.float64, None) if room is None else (room.dtype, room[: len(root)])
    Z = as_float(samples.X[rows], samples.x_scale, dtype)
    if centre is not None:
        Z = np.subtract(Z, centre, out=out)
    if samples.weight is not None:
        Z = np.multiply(Z, root[:, None].astype(dtype), out=out)
    return Z


def constant_columns(squares, x_mean, weight):
    """Tell of which features the deviations from the mean are nothing but rounding."""
    return squares <= weight * (2.0 * np.finfo(np.float64).eps * x_mean) ** 2


def without_rounding(total):
    """Return moments in which a feature that is constant up to rounding has a spread of zero."""
    squares = np.diagonal(total.xx) if total.xx.ndim == 2 else total.xx
    constant = constant_columns(squares, total.x_mean, total.weight)
    if constant.any():
        total.xx[constant] = 0.0
        total.xx[..., constant] = 0.0
        total.xy[constant] = 0.0
    return total
