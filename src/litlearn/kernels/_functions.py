"""Kernels: similarities that are inner products in a space of more features.

A kernel k(x, y) takes two samples and returns a number. The *Gram matrix* of n samples holds it for
all pairs. Support vector machines, kernel ridge regression and kernel PCA see the data through it
alone. The names, parameters and defaults are those of ``sklearn.metrics.pairwise``.

Gram matrices are computed in tiles: a matrix product, then one pass over the tile. The kernels of a
distance (RBF) take it from `litlearn._core.distances`: products of centred samples where the bound
on their error promises enough digits, differences of coordinates where it does not.
"""

import operator
from typing import NamedTuple

import numpy as np

from litlearn._core import moments, validation
from litlearn._core.chunked import is_chunked
from litlearn._core.constraints import (
    ANY_REAL,
    BOOLEAN,
    CALLABLE,
    N_JOBS,
    NOT_NEGATIVE,
    Option,
    Real,
)
from litlearn._core.distances import (
    EUCLIDEAN,
    MANHATTAN,
    NOBODY,
    Metric,
    Scaling,
    difference_tile,
    fit_scaling,
    prepare_queries,
    score_tiles,
    unit_rows,
)
from litlearn._core.jit import njit
from litlearn._core.parallel import cut, fold_blocks, multiply
from litlearn._core.selection import EMPTY_IDS

# A kernel is a small code, not a function: compiled code that receives functions is not cached.
LINEAR, POLYNOMIAL, SIGMOID, RBF, LAPLACIAN, PRECOMPUTED, CHI2, ADDITIVE_CHI2 = range(8)
CODES = {
    "linear": LINEAR,
    "cosine": LINEAR,  # of samples scaled to length 1
    "poly": POLYNOMIAL,
    "polynomial": POLYNOMIAL,
    "sigmoid": SIGMOID,
    "rbf": RBF,
    "laplacian": LAPLACIAN,
    "chi2": CHI2,
    "additive_chi2": ADDITIVE_CHI2,
    "precomputed": PRECOMPUTED,
}
PARAMETERS = {
    "linear": (),
    "cosine": (),
    "poly": ("gamma", "degree", "coef0"),
    "polynomial": ("gamma", "degree", "coef0"),
    "sigmoid": ("gamma", "coef0"),
    "rbf": ("gamma",),
    "laplacian": ("gamma",),
    "chi2": ("gamma",),
    "additive_chi2": (),
    "precomputed": (),
}
METRICS = {RBF: EUCLIDEAN, LAPLACIAN: MANHATTAN}  # of the kernels of a distance
OF_COUNTS = (CHI2, ADDITIVE_CHI2)  # their samples hold no negative number
TILE_ROWS = 256  # rows of a tile of a Gram matrix
PRECISION = 2.0**-36  # of an exponent, and so of a kernel, that comes from a product: 1.5e-11
SMALL_DEGREE = 16  # up to it, powers are products


class Kernel(NamedTuple):
    """What solvers need to know of a kernel.

    Parameters
    ----------
    code : int
        One of the constants above.
    gamma, degree, coef0 : float
        Parameters of the kernels that have them.
    scaling : Scaling or None
        RBF of dense samples: centre and scale of the products; None elsewhere.
    """

    code: int
    gamma: float
    degree: float
    coef0: float
    scaling: Scaling | None


# ------------------------------------------------------------------ for solvers


def make_kernel(name, X, *, gamma=None, degree=3, coef0=1):
    """The Kernel for a name and samples.

    Parameters
    ----------
    name : str
        A key of CODES.
    X : ndarray or CSR array of shape (n, p), float32 or float64
        Samples; for "cosine" already of length 1 (see `unit_rows`).
    gamma : float or None, default=None
        None: 1 / p, and 1 for the kernels of counts.
    degree, coef0 : float

    Returns
    -------
    Kernel
    """
    code = CODES[name]
    if gamma is None:
        gamma = 1.0 if code in OF_COUNTS else 1.0 / X.shape[1]
    gamma = float(gamma)
    by_products = code == RBF and isinstance(X, np.ndarray)
    return Kernel(code, gamma, float(degree), float(coef0), fit_scaling(X) if by_products else None)


def scaled_gamma(X):
    """One over the number of features times the variance of all entries; NaN beyond range."""
    with np.errstate(over="ignore", invalid="ignore"):
        if is_chunked(X):
            spread = variance_of_chunks(X)
        else:
            spread = X.multiply(X).mean() - X.mean() ** 2 if validation.is_sparse(X) else X.var()
    if not np.isfinite(spread):
        return np.nan
    return 1.0 / (X.shape[1] * float(spread)) if spread > 0.0 else 1.0


def variance_of_chunks(X):
    """Return the variance of all entries: that of the features, and that of their means."""
    samples = moments.Samples(X, np.empty((len(X), 0)), None, True)
    found = moments.moments(samples, full=False)
    return float(found.xx.mean() / len(X) + found.x_mean.var())


def gram_tile(kernel, X, Q, out):
    """Kernel of all pairs of a block of samples and all samples.

    Parameters
    ----------
    kernel : Kernel
    X : ndarray or CSR array of shape (n, p)
        Samples.
    Q : ndarray or CSR array of shape (m, p), of the type of X
        A few hundred samples.
    out : ndarray of shape (m, n)
        Output.

    Notes
    -----
    O(n m p) time, and a few MB of tiles.
    """
    if not isinstance(X, np.ndarray):
        sparse_tile(kernel, X, Q, out)
    elif kernel.code in OF_COUNTS:
        distances = np.empty(out.shape)
        counts_tile(X, Q, distances)
        out[:] = kernel_of_products(kernel, distances)
    elif kernel.code not in METRICS:
        with np.errstate(over="ignore", invalid="ignore"):  # out of range: infinite, or NaN
            out[:] = kernel_of_products(kernel, Q @ X.T)
    elif kernel.scaling is None:
        exact_tile(kernel, X, Q, out)
    else:
        product_tile(kernel, X, Q, out)


def product_tile(kernel, X, Q, out):
    """As gram_tile, for the RBF kernel by matrix products."""
    Q, skip = Q.astype(np.float64), np.full(Q.shape[0], NOBODY)
    scaling, stretch = kernel.scaling, kernel.scaling.scale**-2.0
    queries, norms, is_far = prepare_queries(scaling, Q, np.float64)
    # <tiles>: from scores to exponents in one pass, and from them to the kernel in another.
    for start, scores, errors in score_tiles(scaling, X, queries, norms, skip):
        columns = slice(start, start + scores.shape[1])
        exponents(scores, norms, -kernel.gamma * stretch)
        with np.errstate(under="ignore"):
            np.exp(scores, out=out[:, columns])
        # <doubt>: where the bound on the error is too wide, distances by difference.
        with np.errstate(over="ignore"):  # 3: two for the square, one for the norm of the query
            is_exact = 3.0 * kernel.gamma * stretch * errors <= PRECISION
        doubtful = np.flatnonzero(is_far | ~is_exact)
        if doubtful.size:
            exact = np.empty((doubtful.size, scores.shape[1]))
            exact_tile(kernel, X[columns], Q[doubtful], exact)
            out[doubtful, columns] = exact


@njit
def exponents(scores, norms, factor):
    """Turn scores (m, count) into multiples of squared distances, in place; norms (m,): of queries.

    Implements the expanded square; rounding may make it negative, and it is then 0.
    """
    for i in range(scores.shape[0]):
        square = norms[i] * norms[i]
        for c in range(scores.shape[1]):
            scores[i, c] = max(2.0 * scores[i, c] + square, 0.0) * factor


def exact_tile(kernel, X, Q, out):
    """As gram_tile, for the kernels of a distance, by differences of coordinates."""
    metric = Metric(METRICS[kernel.code], 2.0, np.ones(X.shape[1]))
    distances = np.empty(out.shape)
    difference_tile(metric, X, Q.astype(np.float64), distances)
    out[:] = kernel_of_products(kernel, distances)


@njit
def counts_tile(X, Q, out):
    """Sums of (a - b)^2 / (a + b) over the features, for all pairs; X (n, p), Q (m, p), out (m, n).

    A feature that is zero in both adds nothing.
    """
    for i in range(Q.shape[0]):
        for row in range(X.shape[0]):
            total = 0.0
            for j in range(X.shape[1]):
                a, b = np.float64(Q[i, j]), np.float64(X[row, j])
                if a + b > 0.0:
                    total += (a - b) * ((a - b) / (a + b))
            out[i, row] = total


def sparse_tile(kernel, X, Q, out):
    """As gram_tile, for CSR arrays; the kernels of a distance by differences of coordinates."""
    if kernel.code not in METRICS:
        out[:] = kernel_of_products(kernel, (Q @ X.T).toarray())
        return
    distances = np.empty(out.shape)
    sparse_differences(METRICS[kernel.code], *arrays(X), *arrays(Q), distances)
    out[:] = kernel_of_products(kernel, distances)


def arrays(X):
    """The three arrays of a CSR array, as compiled functions receive them: read-only."""
    return [validation.read_only(array) for array in (X.data, X.indices, X.indptr)]


def kernel_of_products(kernel, values):
    """The kernel of inner products or (squared) distances; may overwrite them."""
    code, gamma, degree, coef0, _ = kernel
    if code == LINEAR:
        return values
    is_exponential = code in METRICS or code == CHI2
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if code == ADDITIVE_CHI2:
            return np.negative(values, out=values)
        values *= -gamma if is_exponential else gamma
        if is_exponential:
            if gamma == 0.0:  # the distance may be infinite
                values[:] = 0.0
            return np.exp(values, out=values)
        values += coef0
        return np.tanh(values, out=values) if code == SIGMOID else power_of_all(values, degree)


def power_of_all(values, degree):
    """values ** degree, by products where the degree is a small integer."""
    if degree != int(degree) or not 1 <= degree <= SMALL_DEGREE:
        return values**degree
    total = values.copy()
    for _ in range(int(degree) - 1):
        total *= values
    return total


def gram(kernel, X, Q=None, n_jobs=None, mirror=True):
    """Gram matrix of samples, or of samples Q and X.

    Parameters
    ----------
    kernel : Kernel
    X : ndarray or CSR array of shape (n, p)
    Q : ndarray or CSR array of shape (m, p), or None, default=None
        None: X itself. The matrix is then symmetric to the last bit, and only half is computed.
    n_jobs : int or None, default=None
    mirror : bool, default=True
        False: without Q, what stands below the diagonal is left as memory was found.

    Returns
    -------
    ndarray of shape (m, n)
        Of the type of X.
    """
    K = np.empty(((X if Q is None else Q).shape[0], X.shape[0]), dtype=X.dtype)

    def fill(rows):
        if Q is not None:
            gram_tile(kernel, X, Q[rows], K[rows])
            return
        # <mirror>: what stands right of the diagonal stands below it, too.
        fill_upper(kernel, X, rows, K[rows, rows.start :])
        if mirror:
            K[rows.stop :, rows] = K[rows, rows.stop :].T

    fold_blocks(fill, None, cut(K.shape[0], TILE_ROWS), n_jobs, work=gram_work(X, K.size))
    return K


def gram_work(X, size):
    """About how many elementary steps so many entries of a Gram matrix take."""
    return 2 * size * (X.shape[1] if isinstance(X, np.ndarray) else 1 + X.nnz // X.shape[0])


def fill_upper(kernel, X, rows, out):
    """Kernel of a block of samples X[rows] and of all from its first on; out (m, n - start)."""
    gram_tile(kernel, X[rows.start :], X[rows], out)
    block = out[:, : len(out)]
    np.copyto(block, block.T.copy(), where=np.tri(len(block), k=-1, dtype=bool))
    if kernel.code in METRICS:
        np.fill_diagonal(block, 1.0)


def upper_gram(kernel, X, n_jobs=None):
    """As gram, of samples X (n, p), without what stands below the diagonal: half the memory.

    Returns
    -------
    list of ndarray of shape (m, n - start)
        For each block of m rows the columns from its first row on, as in
        :class:`litlearn._core.factors.Symmetric`.
    """
    n = X.shape[0]

    def part(rows):
        own = np.empty((rows.stop - rows.start, n - rows.start), dtype=X.dtype)
        fill_upper(kernel, X, rows, own)
        return [own]

    blocks = cut(n, TILE_ROWS)
    return fold_blocks(part, operator.iadd, blocks, n_jobs, work=gram_work(X, n * n))


def kernel_row(kernel, X, i, columns=EMPTY_IDS):
    """Kernel of sample i and all samples, or those of some columns.

    Parameters
    ----------
    kernel : Kernel
    X : ndarray or CSR array of shape (n, p); for a precomputed kernel the matrix (n, n)
    i : int
    columns : ndarray of shape (c,), intp, default=EMPTY_IDS
        Indices of samples. Empty: all.

    Returns
    -------
    ndarray of shape (n,) or (c,)
        Of the type of X. Entry j of row i has the bits of entry i of row j, but not always those of
        a tile, which rounds otherwise.

    Notes
    -----
    O(n p) time. Distances are computed by difference: the RBF kernel of a sample with itself is 1.
    """
    if kernel.code == PRECOMPUTED:
        return X[i, columns] if columns.size else X[i].copy()
    values = np.empty(columns.size or X.shape[0])
    metric = METRICS.get(kernel.code, NOBODY)
    if isinstance(X, np.ndarray):
        pair_sums(metric, X, i, columns, values)
    else:
        sparse_pair_sums(metric, *arrays(X), i, columns, values)
    return kernel_of_products(kernel, values).astype(X.dtype, copy=False)


@njit(inline=True)
def term(metric, a, b):
    """What one feature adds: a product, the square of a difference, or its size."""
    if metric == NOBODY:
        return a * b
    return (a - b) * (a - b) if metric == EUCLIDEAN else abs(a - b)


@njit(reassociate=True)
def pair_sums(metric, X, i, columns, out):
    """Inner products of X[i] with samples, or its squared or Manhattan distances from them.

    metric: EUCLIDEAN, MANHATTAN or NOBODY; X (n, p); columns: indices of samples, or empty for all;
    out (n,) or (c,): output.
    """
    for r in range(out.size):
        row, total = columns[r] if columns.size else r, 0.0
        for j in range(X.shape[1]):
            total += term(metric, np.float64(X[i, j]), np.float64(X[row, j]))
        out[r] = total


@njit
def sparse_pair_sums(metric, data, indices, indptr, i, columns, out):
    """As pair_sums, for the arrays of a CSR array with sorted indices."""
    for r in range(out.size):
        row = columns[r] if columns.size else r
        first, second = (indptr[i], indptr[i + 1]), (indptr[row], indptr[row + 1])
        out[r] = merged_sum(metric, data, indices, first, data, indices, second)


@njit
def sparse_differences(metric, data, indices, indptr, q_data, q_indices, q_indptr, out):
    """Distances of all pairs of rows of two CSR arrays; out (m, n): output."""
    for i in range(out.shape[0]):
        first = q_indptr[i], q_indptr[i + 1]
        for row in range(out.shape[1]):
            second = indptr[row], indptr[row + 1]
            out[i, row] = merged_sum(metric, q_data, q_indices, first, data, indices, second)


@njit(helper=True)
def merged_sum(metric, a_data, a_indices, first, b_data, b_indices, second):
    """Sum over the features of two sparse rows, in their order; first, second: begin and end."""
    (s, s_end), (t, t_end) = first, second
    total = 0.0
    while s < s_end or t < t_end:
        # <merge>: the row with the smaller feature moves on; the other has a zero there.
        feature = min(
            a_indices[s] if s < s_end else b_indices[t], b_indices[t] if t < t_end else a_indices[s]
        )
        a = b = 0.0
        if s < s_end and a_indices[s] == feature:
            a = np.float64(a_data[s])
            s += 1
        if t < t_end and b_indices[t] == feature:
            b = np.float64(b_data[t])
            t += 1
        total += term(metric, a, b)
    return total


def kernel_diagonal(kernel, X):
    """Kernel of each sample with itself (n,), of the type of X, in O(n p)."""
    if kernel.code == PRECOMPUTED:
        return X.diagonal().copy()
    if kernel.code in METRICS:
        return np.ones(X.shape[0], dtype=X.dtype)
    if isinstance(X, np.ndarray):
        return kernel_of_products(kernel, np.einsum("ij,ij->i", X, X))
    return kernel_of_products(kernel, np.asarray(X.multiply(X).sum(axis=1)).ravel().astype(X.dtype))


# ------------------------------------------------------------------ public


def check_pair(owner, X, Y):
    """X and Y as arrays of one kind and type; Y stays None, which stands for X itself."""
    X = validation.check_array(owner, X, sparse=("csr",))
    if Y is None:
        return X, None
    Y = validation.check_array(owner, Y, "Y", sparse=("csr",))
    if X.shape[1] != Y.shape[1]:
        raise ValueError(
            f"{owner}: incompatible dimension for X and Y matrices: X.shape[1] == {X.shape[1]} "
            f"while Y.shape[1] == {Y.shape[1]}."
        )
    if validation.is_sparse(X) != validation.is_sparse(Y):
        from scipy.sparse import csr_array

        X, Y = csr_array(X), csr_array(Y)
    dtype = np.result_type(X.dtype, Y.dtype)
    return as_input(X, dtype), as_input(Y, dtype)


def as_input(X, dtype):
    """Samples of a type, as compiled functions receive them."""
    X = X.astype(dtype, copy=False)
    return X if validation.is_sparse(X) else validation.read_only(X)


def compute(owner, name, X, Y, gamma=None, degree=3, coef0=1, n_jobs=1):
    """Check everything, then the Gram matrix."""
    gamma = (NOT_NEGATIVE | None).check(owner, "gamma", gamma)
    degree = Real("[1.0, inf)").check(owner, "degree", degree)
    coef0 = ANY_REAL.check(owner, "coef0", coef0)
    X, Y = check_pair(owner, X, Y)
    if CODES[name] in OF_COUNTS:
        check_counts(owner, name, X, "X")
        if Y is not None:
            check_counts(owner, name, Y, "Y")
    if name == "cosine":
        X, Y = (None if one is None else as_input(unit_rows(one), one.dtype) for one in (X, Y))
    points, queries = (X, None) if Y is None else (Y, X)
    kernel = make_kernel(name, points, gamma=gamma, degree=degree, coef0=coef0)
    return gram(kernel, points, queries, n_jobs)


def check_counts(owner, name, X, array):
    """Refuse samples for which a kernel of counts is not defined."""
    who = validation.owner_name(owner)
    if validation.is_sparse(X):
        raise TypeError(f"{who}: sparse {array} is not supported by the kernel {name!r}.")
    if X.min() < 0.0:
        raise ValueError(
            f"{who}: {array} contains negative values, and the kernel {name!r} compares counts: "
            "expected none below 0."
        )


def linear_kernel(X, Y=None, dense_output=True):
    """Inner products: k(x, y) = <x, y>.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples_X, n_features)
        Samples.
    Y : {array-like, sparse matrix} of shape (n_samples_Y, n_features), default=None
        Other samples. None: `X`.
    dense_output : bool, default=True
        False: the product of two sparse arrays is returned as one.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)
        float32 if both are, otherwise float64. Symmetric to the last bit for ``Y=None``.

    Raises
    ------
    ValueError
        If the numbers of features differ, or an array is not finite.

    Notes
    -----
    O(n m p) time. Positive semidefinite, as it is an inner product.

    Examples
    --------
    >>> from litlearn.kernels import linear_kernel
    >>> print(linear_kernel([[1, 0], [1, 2]]).round(3).tolist())
    [[1.0, 1.0], [1.0, 5.0]]
    """
    if BOOLEAN.check("linear_kernel", "dense_output", dense_output):
        return compute("linear_kernel", "linear", X, Y)
    X, Y = check_pair("linear_kernel", X, Y)
    return multiply(X, (X if Y is None else Y).T)


def polynomial_kernel(X, Y=None, degree=3, gamma=None, coef0=1):
    """Polynomials of inner products: k(x, y) = (gamma <x, y> + coef0) ** degree.

    Parameters
    ----------
    X, Y : {array-like, sparse matrix}
        See :func:`linear_kernel`.
    degree : float, default=3
        At least 1.
    gamma : float, default=None
        Not negative. None: 1 / n_features.
    coef0 : float, default=1
        Weight of the lower powers.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Raises
    ------
    ValueError
        As in :func:`linear_kernel`, or if a parameter is out of range.

    Notes
    -----
    O(n m p) time. Positive semidefinite for an integer degree and ``coef0 >= 0``: sums and products
    of kernels are kernels. Powers up to 16 are products; a
    negative base with a degree that is not an integer gives NaN.

    Examples
    --------
    >>> from litlearn.kernels import polynomial_kernel
    >>> print(polynomial_kernel([[1, 0], [1, 2]], degree=2, gamma=1.0).round(3).tolist())
    [[4.0, 4.0], [4.0, 36.0]]
    """
    return compute("polynomial_kernel", "polynomial", X, Y, gamma, degree, coef0)


def sigmoid_kernel(X, Y=None, gamma=None, coef0=1):
    """Sigmoid of inner products: k(x, y) = tanh(gamma <x, y> + coef0).

    Parameters
    ----------
    X, Y : {array-like, sparse matrix}
        See :func:`linear_kernel`.
    gamma : float, default=None
        Not negative. None: 1 / n_features.
    coef0 : float, default=1
        Shift.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Raises
    ------
    ValueError
        As in :func:`linear_kernel`, or if a parameter is out of range.

    Notes
    -----
    O(n m p) time. Its Gram matrix can have negative eigenvalues: it is no inner product in any
    space, and what holds for kernels need not hold for it.

    Examples
    --------
    >>> from litlearn.kernels import sigmoid_kernel
    >>> print(sigmoid_kernel([[1, 0], [1, 2]], gamma=0.5, coef0=0.0).round(3).tolist())
    [[0.462, 0.462], [0.462, 0.987]]
    """
    return compute("sigmoid_kernel", "sigmoid", X, Y, gamma, coef0=coef0)


def rbf_kernel(X, Y=None, gamma=None):
    """Radial basis function: k(x, y) = exp(-gamma ||x - y||^2).

    Parameters
    ----------
    X, Y : {array-like, sparse matrix}
        See :func:`linear_kernel`.
    gamma : float, default=None
        Not negative; in units of 1 / distance^2. None: 1 / n_features.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)
        From 0 to 1; exactly 1 on the diagonal for ``Y=None``.

    Raises
    ------
    ValueError
        As in :func:`linear_kernel`, or if a parameter is out of range.

    Notes
    -----
    O(n m p) time. Positive semidefinite. Entries are right to about 1e-11 wherever the data lie
    (float32 data: to the rounding of float32): samples are centred, and distances that a matrix
    product would blur are computed by difference. Sparse arrays are compared entry by entry.

    Examples
    --------
    >>> from litlearn.kernels import rbf_kernel
    >>> print(rbf_kernel([[1, 0], [1, 2]], gamma=0.5).round(3).tolist())
    [[1.0, 0.135], [0.135, 1.0]]
    """
    return compute("rbf_kernel", "rbf", X, Y, gamma)


def laplacian_kernel(X, Y=None, gamma=None):
    """Exponential of the Manhattan distance: k(x, y) = exp(-gamma ||x - y||_1).

    Parameters
    ----------
    X, Y : {array-like, sparse matrix}
        See :func:`linear_kernel`.
    gamma : float, default=None
        Not negative; in units of 1 / distance. None: 1 / n_features.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)
        From 0 to 1; exactly 1 on the diagonal for ``Y=None``.

    Raises
    ------
    ValueError
        As in :func:`linear_kernel`, or if a parameter is out of range.

    Notes
    -----
    O(n m p) time, by differences of coordinates. Positive semidefinite.

    Examples
    --------
    >>> from litlearn.kernels import laplacian_kernel
    >>> print(laplacian_kernel([[1, 0], [1, 2]], gamma=0.5).round(3).tolist())
    [[1.0, 0.368], [0.368, 1.0]]
    """
    return compute("laplacian_kernel", "laplacian", X, Y, gamma)


def chi2_kernel(X, Y=None, gamma=1.0):
    """Exponential of the chi-squared distance: exp(-gamma sum_j (x_j - y_j)^2 / (x_j + y_j)).

    Parameters
    ----------
    X, Y : array-like
        See :func:`linear_kernel`; counts, or shares: no entry is negative.
    gamma : float, default=1.0
        Not negative.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)
        From 0 to 1.

    Raises
    ------
    ValueError
        As in :func:`linear_kernel`, or if an entry is negative.
    TypeError
        If an array is sparse.

    Notes
    -----
    O(n m p) time. Positive semidefinite.

    Examples
    --------
    >>> from litlearn.kernels import chi2_kernel
    >>> print(chi2_kernel([[1, 0], [1, 2]], gamma=0.5).round(3).tolist())
    [[1.0, 0.368], [0.368, 1.0]]
    """
    return compute("chi2_kernel", "chi2", X, Y, gamma)


def additive_chi2_kernel(X, Y=None):
    """The chi-squared distance, turned round: -sum_j (x_j - y_j)^2 / (x_j + y_j).

    Parameters
    ----------
    X, Y : array-like
        See :func:`chi2_kernel`.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)
        At most 0.

    Raises
    ------
    ValueError, TypeError
        As in :func:`chi2_kernel`.

    Notes
    -----
    O(n m p) time. Its Gram matrix has no positive entry, and negative eigenvalues: it becomes
    positive semidefinite when it is centred.

    Examples
    --------
    >>> from litlearn.kernels import additive_chi2_kernel
    >>> print(additive_chi2_kernel([[1, 0], [1, 2]], [[2, 2]]).round(3).tolist())
    [[-2.333], [-0.333]]
    """
    return compute("additive_chi2_kernel", "additive_chi2", X, Y)


def cosine_similarity(X, Y=None):
    """Cosine of the angle: k(x, y) = <x, y> / (||x|| ||y||).

    Parameters
    ----------
    X, Y : {array-like, sparse matrix}
        See :func:`linear_kernel`.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)
        A sample of zeros has the cosine 0 with every other.

    Raises
    ------
    ValueError
        As in :func:`linear_kernel`.

    Notes
    -----
    O(n m p) time. Positive semidefinite: the linear kernel of samples of length 1.

    Examples
    --------
    >>> from litlearn.kernels import cosine_similarity
    >>> print(cosine_similarity([[1, 0], [1, 2]]).round(3).tolist())
    [[1.0, 0.447], [0.447, 1.0]]
    """
    return compute("cosine_similarity", "cosine", X, Y)


def pairwise_kernels(X, Y=None, metric="linear", *, filter_params=False, n_jobs=None, **kwds):
    """Gram matrix of a kernel given by its name or as a function.

    Parameters
    ----------
    X, Y : {array-like, sparse matrix}
        See :func:`linear_kernel`. For ``metric="precomputed"`` `X` is the Gram matrix itself.
    metric : str or callable, default="linear"
        "linear", "poly", "polynomial", "sigmoid", "rbf", "laplacian", "chi2", "additive_chi2",
        "cosine", "precomputed", or a function of two samples that returns a number (called from
        Python for each pair: slow).
    filter_params : bool, default=False
        True: parameters that the kernel does not have are dropped. False: they are refused.
    n_jobs : int, default=None
        Number of threads. None and -1: every CPU that is available.
    **kwds
        Parameters of the kernel (``gamma``, ``degree``, ``coef0``), or of the function.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Raises
    ------
    ValueError
        As in :func:`linear_kernel`, or if a parameter is out of range.
    TypeError
        If a parameter does not belong to the kernel.

    Notes
    -----
    O(n m p) time. The result has the same bits for any `n_jobs`.

    Examples
    --------
    >>> from litlearn.kernels import pairwise_kernels
    >>> print(pairwise_kernels([[1, 0], [1, 2]], metric="rbf", gamma=0.5).round(3).tolist())
    [[1.0, 0.135], [0.135, 1.0]]
    """
    owner = "pairwise_kernels"
    n_jobs = N_JOBS.check(owner, "n_jobs", n_jobs)
    filter_params = BOOLEAN.check(owner, "filter_params", filter_params)
    (Option(*CODES) | CALLABLE).check(owner, "metric", metric)
    if callable(metric):
        return by_callable(owner, metric, X, Y, kwds)
    unknown = sorted(set(kwds) - set(PARAMETERS[metric]))
    if unknown and not filter_params:
        raise TypeError(
            f"{owner}: the kernel {metric!r} has no parameter {unknown[0]!r}; expected "
            f"{', '.join(PARAMETERS[metric]) or 'none'}."
        )
    kwds = {name: value for name, value in kwds.items() if name not in unknown}
    if metric == "precomputed":
        return check_precomputed(owner, X, Y)
    return compute(owner, metric, X, Y, **kwds, n_jobs=n_jobs)


def check_precomputed(owner, X, Y):
    """A Gram matrix that the user has computed; Y: the samples that its columns stand for."""
    X = validation.check_array(owner, X)
    n_columns = X.shape[0] if Y is None else validation.check_array(owner, Y, "Y").shape[0]
    if X.shape[1] != n_columns:
        raise ValueError(
            f"{owner}: precomputed metric requires shape (n_queries, n_indexed). Got {X.shape} for "
            f"{n_columns} indexed."
        )
    return X


def by_callable(owner, function, X, Y, kwds):
    """Gram matrix of a Python function; for Y=None it is called for half of the pairs."""
    X = validation.check_array(owner, X)
    others = X if Y is None else validation.check_array(owner, Y, "Y")
    K = np.empty((len(X), len(others)))
    for i, x in enumerate(X):
        first = i if Y is None else 0
        row = [function(x, y, **kwds) for y in others[first:]]
        try:
            K[i, first:] = row
        except (TypeError, ValueError) as error:
            who, came = validation.owner_name(owner), validation.shown(row[0])
            message = f"{who}: the callable kernel must return a number, got {came} instead."
            raise TypeError(message) from error
        if Y is None:
            K[i:, i] = K[i, i:]
    return K
