"""Principal axes of a cloud of samples: four ways, chosen by shape and by what digits allow.

The axes are the eigenvectors of the covariance matrix, and the right singular vectors of the
centred samples. The first way squares the samples, and with them the ratio of the largest spread to
the smallest: it is the fastest for many samples of few features, and right only while that ratio is
moderate. So it looks at its own result, and hands over where digits are lost.
"""

from typing import NamedTuple

import numpy as np

from litlearn._core import factors, moments, validation
from litlearn._core.chunked import fold_rows, is_chunked
from litlearn._core.factors import Product
from litlearn._core.moments import BLOCK, Samples
from litlearn._core.parallel import cross_products, cut, fold_blocks

# Below this share of the largest, a variance that was found by squaring has lost half its digits.
FINEST = 1e-6
SMALL = 2**16  # numbers in samples that are decomposed themselves, which costs next to nothing
# The cost of a Krylov space for each direction, in products of the samples with one vector; and of
# an eigenvector of a p x p matrix, in additions divided by p^2.
KRYLOV_PRODUCTS, EIGEN_COST = 80, 10
WIDE = 2000  # features from which on the covariance matrix of sparse samples is not formed
TOL = 1e-8  # residual of a singular pair, as a share of the first singular value


class Axes(NamedTuple):
    """What a solver finds: r principal axes of n samples of p features."""

    values: np.ndarray  # (r,) singular values of the centred samples, falling
    directions: np.ndarray  # (p, r), orthonormal columns
    solver: str


class Cloud(NamedTuple):
    """Samples, and the place and size of the cloud that they form."""

    X: np.ndarray  # (n, p), or sparse
    mean: np.ndarray  # (p,)
    total: float  # sum of the squared distances from the mean

    def product(self):
        """The centred samples, as a matrix that is known by its products."""
        return Product(self.X, self.mean, self.total / max(self.X.shape[0], 1))


def as_samples(X):
    """Return X as the statistics of blocks of rows take it: always in float64."""
    return Samples(X, np.empty((X.shape[0], 0)), None, True, single=False)


def cloud(X):
    """Return the :class:`Cloud` of samples: a pass for the means and variances alone."""
    if isinstance(X, np.ndarray) or is_chunked(X):
        found = moments.moments(as_samples(X), full=False)
        return Cloud(X, found.x_mean, float(found.xx.sum()))
    mean, squares = sparse_spread(X)
    return Cloud(X, mean, float(squares.sum()))


def sparse_spread(X):
    """Return the means (p,) of X in CSR form and its sums of squared deviations from them, (p,)."""
    (n, p), column = X.shape, X.indices
    value = X.data.astype(np.float64, copy=False)
    mean = np.bincount(column, value, minlength=p) / n
    stored = np.bincount(column, minlength=p)
    squares = np.bincount(column, (value - mean[column]) ** 2, minlength=p)
    return mean, squares + (n - stored) * mean**2


# --- solvers ---------------------------------------------------------------------------------


def by_covariance(X):
    """Return the cloud, and all its axes, from the scatter matrix and its eigenvectors,
    :eq:`eq-pca-eigen`.

    One pass over blocks of rows, n p^2, and p^3. What is below the rounding of the largest
    eigenvalue is zero. NaN and infinity, which show in the means, are refused here: to look for
    them takes no pass of its own.
    """
    found = moments.moments(as_samples(X)._replace(finite=False))
    if isinstance(X, np.ndarray) and not np.isfinite(found.x_mean).all():
        validation.check_finite("PCA", X, "X")
    # <eigen>: The scatter matrix is n - 1 times the covariance: the same eigenvectors.
    values, vectors = factors.semidefinite_eigen(found.xx)
    squares = np.trace(found.xx)
    axes = Axes(np.sqrt(values[::-1]), vectors[:, ::-1], "covariance_eigh")
    return Cloud(X, found.x_mean, float(squares)), axes


def by_gram(cloud, k):
    """Return k axes of fewer samples than features from the samples' own products.

    If ``Z Z' u = s^2 u``, then ``Z' u / s`` is an axis, :eq:`eq-pca-svd`: one pass over blocks of
    features, n^2 p, then n^3 and n p k. All n values are returned.
    """
    n, p = cloud.X.shape
    blocks = cut(p, max(n, BLOCK // n))

    def centred(columns):
        return cloud.X[:, columns].astype(np.float64, copy=False) - cloud.mean[columns]

    def part(columns):
        Z = centred(columns)
        return cross_products(Z.T)

    squares, U = factors.semidefinite_eigen(fold_blocks(part, np.add, blocks, work=n * n * p))
    values, U = np.sqrt(squares[::-1]), U[:, : -k - 1 : -1]
    directions = np.empty((p, k))

    def turn(columns):
        directions[columns] = centred(columns).T @ U

    fold_blocks(turn, None, blocks, work=n * p * k)
    lengths = np.linalg.norm(directions, axis=0)
    return Axes(values, directions / np.where(lengths > 0.0, lengths, 1.0), "gram")


def digits_are_left(values, k, n):
    """Tell whether squaring kept the digits of k axes, and of the mean of the variances beyond."""
    squares = values**2
    rest = squares[k : min(n, len(values))]
    smallest = min(squares[:k].min(initial=np.inf), rest.mean() if rest.size else np.inf)
    return bool(smallest >= FINEST * squares.max(initial=0.0))


def by_triangle(cloud):
    """Return all axes of at least as many samples as features, from a triangle with their spread.

    A block of rows becomes its triangle by Householder's reflections, triangles are merged two by
    two, and the last one has the singular values of all rows, whatever their ratio:
    2 n p^2, in any memory that holds a block. The features are rows of the triangle's transpose.
    """
    (n, p), mean = cloud.X.shape, cloud.mean

    def part(arrays, rows):
        return np.linalg.qr(arrays[0][rows].astype(np.float64, copy=False) - mean, mode="r")

    def merge(above, below):
        return np.linalg.qr(np.vstack([above, below]), mode="r")

    R = fold_rows(part, merge, (cloud.X,), max(4 * p, BLOCK // (8 * p)), work=n * p * p)
    _, values, rows = np.linalg.svd(R, full_matrices=False)
    return Axes(values, rows.T, "full")


def by_samples(cloud):
    """Return all axes of few samples or features from the centred samples, :eq:`eq-pca-svd`."""
    n, p = cloud.X.shape
    if n >= 2 * p or is_chunked(cloud.X):
        return by_triangle(cloud)
    Z = cloud.X.astype(np.float64, copy=False) - cloud.mean
    _, values, rows = np.linalg.svd(Z, full_matrices=False)
    return Axes(values, rows.T, "full")


def by_krylov(cloud, k):
    """Return k axes by a block Krylov space, or None if it gave up: n p (k + 8) a product."""
    found = factors.leading_singular(cloud.product(), k, tol=TOL)
    if found.residual > TOL:
        return None
    return Axes(found.values, found.right, "krylov")


def by_arpack(cloud, k, random, tol):
    """Return k axes by ARPACK, with the start that scikit-learn takes."""
    found = factors.arpack_singular(cloud.product(), k, random, tol)
    return Axes(found.values, found.right, "arpack")


def by_projection(cloud, k, random, **options):
    """Return about the k leading axes by random projection, with scikit-learn's random numbers."""
    found = factors.random_singular(cloud.product(), k, random, **options)
    return Axes(found.values, found.right, "randomized")


# --- the choice ------------------------------------------------------------------------------


def few_axes_pay(shape, k):
    """Tell whether a Krylov space for k axes costs less than all of them."""
    short, long = min(shape), max(shape)
    return KRYLOV_PRODUCTS * (k + 8) < short + EIGEN_COST * short**2 / long


def squares_first(shape, k):
    """Tell whether dense samples of this shape are squared before anything else is done."""
    n, p = shape
    wanted = min(n, p) if k is None else k
    return n * p > SMALL and n >= p and not (wanted and few_axes_pay(shape, wanted))


def by_choice(X, k):
    """Return the cloud and its axes, at least k of them, in the way that suits the samples.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, p)
        Samples, known to be finite unless :func:`squares_first`. In chunks, only the ways that are
        sums over rows are open.
    k : int or None
        How many axes; None if that is to be found from all of them.
    """
    n, p = X.shape
    if is_chunked(X):
        one, axes = by_covariance(X)
        return one, axes if digits_are_left(axes.values, k or min(n, p), n) else by_triangle(one)
    wanted, dense = min(n, p) if k is None else k, isinstance(X, np.ndarray)
    if dense and n * p <= SMALL:
        one = cloud(X)
        return one, by_samples(one)
    # <few>: A few axes of many features, or samples that are better not made dense.
    wide = not dense and p > WIDE
    if wanted and (wide or few_axes_pay(X.shape, wanted)):
        one = cloud(X)
        axes = by_krylov(one, wanted)
        if axes is not None or wide:
            return one, axes or by_arpack(one, wanted, np.random.RandomState(0), 0.0)
    # <square>: All axes of few features, or of few samples, while squares keep their digits.
    if n >= p or not dense:
        one, axes = by_covariance(X)
        if digits_are_left(axes.values, wanted, n):
            return one, axes
    one = cloud(X)
    if dense and wanted < n < p:
        axes = by_gram(one, wanted)
        if digits_are_left(axes.values, wanted, n - 1):
            return one, axes
    return one, by_samples(one) if dense else (by_krylov(one, wanted) or axes)


# --- how many --------------------------------------------------------------------------------


def axes_for_share(ratio, share):
    """Return how many axes have together more than a share, from each one's, :eq:`eq-pca-share`."""
    return min(int(np.searchsorted(np.cumsum(ratio), share, side="right")) + 1, len(ratio))


def most_evident(variances, n):
    """Return the number of axes with the largest evidence, by Minka's approximation.

    Parameters
    ----------
    variances : ndarray of shape (p,)
        Eigenvalues of the covariance matrix, falling.
    n : int
        Number of samples.

    Returns
    -------
    int
        From 1 to p - 1 :cite:p:`minka_automatic_2000`; 1 if nothing varies. Cost: p^2.
    """
    from scipy.special import gammaln

    p, largest = len(variances), variances.max(initial=0.0)
    if p < 2 or largest == 0.0:
        return min(p, 1)
    v = np.maximum(variances, 1e-15 * largest)
    rank = np.arange(1, p)
    noise = (v.sum() - np.cumsum(v))[:-1] / (p - rank)
    noise = np.maximum(noise, 1e-15 * largest)
    # <volume>: Of all places that the axes can have.
    freedom = (p - rank + 1) / 2.0
    volume = np.cumsum(gammaln(freedom) - freedom * np.log(np.pi)) - rank * np.log(2.0)
    m = p * rank - rank * (rank + 1) / 2.0
    # <curvature>: Of the evidence around the best axes, from all pairs of variances.
    gaps = np.log(np.maximum(np.subtract.outer(v, v), 1e-15 * largest))
    pairs = np.triu(2.0 * gaps - np.log(v) - np.log(v)[:, None], 1)
    inside = np.cumsum(pairs.sum(axis=0))[:-1]
    beyond = np.cumsum(np.cumsum(gaps[:, ::-1], axis=1)[:, ::-1], axis=0)
    beyond = beyond[np.arange(p - 1), np.arange(1, p)]
    tilt = [
        np.log(np.maximum(1.0 / s - 1.0 / v[:r], 1e-15 / s)).sum()
        for r, s in zip(rank, noise, strict=True)
    ]
    curvature = inside + beyond + (p - rank) * np.array(tilt) + m * np.log(n)
    evidence = (
        volume
        - 0.5 * n * (np.cumsum(np.log(v))[:-1] + (p - rank) * np.log(noise))
        + 0.5 * (m + rank) * np.log(2.0 * np.pi)
        - 0.5 * curvature
        - 0.5 * rank * np.log(n)
    )
    evidence[variances[:-1] < 1e-15 * largest] = -np.inf
    return np.argmax(evidence) + 1
