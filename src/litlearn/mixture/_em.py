"""Expectation and maximisation for mixtures of normal distributions, in blocks of rows.

An iteration is one pass over the samples. Each tile of rows gets its responsibilities from the
present parameters, and is summed up with them at once: weights, first and second moments about the
present means. So nothing of the size of samples times components is held, the sums are about points
near the new means, and the samples may be a ``numpy.memmap`` larger than memory.
"""

import math
from typing import NamedTuple

import numpy as np

from litlearn._core import moments, targets
from litlearn._core.chunked import fold_rows, in_memory
from litlearn._core.factors import precision_factors
from litlearn._core.jit import njit
from litlearn._core.normal import scaled_squares
from litlearn._core.parallel import cut

KINDS = ("full", "tied", "diag", "spherical")
FULL, TIED = 0, 1
TILE = 2**16  # numbers in a tile of samples or of responsibilities
FEWEST = 32  # samples of a tile
NEGLIGIBLE = 1e-30  # a responsibility that changes no sum
BLOCK = 2**20  # steps in a block, at least
MOST_BLOCKS = 64


class Parameters(NamedTuple):
    """A mixture of k normal distributions in p dimensions."""

    weights: np.ndarray  # (k,), of sum 1
    means: np.ndarray  # (k, p)
    covariances: np.ndarray  # (k, p, p), (p, p), (k, p) or (k,), by kind
    factors: np.ndarray  # of the inverse covariances: U with U U' for matrices, else roots
    log_determinants: np.ndarray  # (k,), of the covariances


class Statistics(NamedTuple):
    """Sums over samples, weighted with their responsibilities."""

    weights: np.ndarray  # (k,)
    sums: np.ndarray  # (k, p): of deviations from the present means
    products: np.ndarray  # (k, p, p) or (k, p): of products of deviations; or (k, 0)
    log_likelihood: float


def add_statistics(a, b):
    """Add up the statistics of two blocks."""
    for total, part in zip(a[:3], b[:3], strict=True):
        total += part
    return a._replace(log_likelihood=a.log_likelihood + b.log_likelihood)


def empty_statistics(kind, k, p):
    """Statistics of no samples."""
    shape = {"full": (k, p, p), "tied": (k, 0)}.get(kind, (k, p))
    return Statistics(np.zeros(k), np.zeros((k, p)), np.zeros(shape), 0.0)


# --- kernels ---------------------------------------------------------------------------------


@njit(reassociate=True)
def white_squares(Y, shifts, constants, out):
    """Log-densities of samples in coordinates in which each component is white.

    Y (m, k p): the coordinates for all components, side by side; shifts (k, p): those of the means;
    constants (k,); out (m, k): output.
    """
    p = np.uintp(shifts.shape[1])
    for i in range(Y.shape[0]):
        for c in range(shifts.shape[0]):
            total, y, shift = 0.0, Y[i, c * p : (c + 1) * p], shifts[c]
            for j in range(p):
                z = y[j] - shift[j]
                total += z * z
            out[i, c] = constants[c] - 0.5 * total


@njit
def add_scatter(T, R, means, sums, products):
    """Add weighted deviations from the means, and the products of all pairs of them.

    T (m, p); R (m, k): responsibilities; means, sums (k, p), products (k, p, p): the last two are
    added to. A responsibility too small to count in a sum is left out.
    """
    p, Z = np.uintp(T.shape[1]), np.empty(T.shape)
    for c in range(means.shape[0]):
        mean, total, count = means[c], sums[c], 0
        for i in range(T.shape[0]):
            if R[i, c] < NEGLIGIBLE:
                continue
            root, x, z = math.sqrt(R[i, c]), T[i], Z[count]
            for j in range(p):
                z[j] = root * (x[j] - mean[j])
                total[j] += root * z[j]
            count += 1
        # Deviations times the roots of their weights: one array makes the product.
        products[c] += np.dot(Z[:count].T, Z[:count])


@njit
def add_squares(T, R, means, sums, products):
    """As add_scatter, for products of equal places only; products (k, p)."""
    p = np.uintp(T.shape[1])
    for i in range(T.shape[0]):
        for c in range(means.shape[0]):
            r, x, mean, total, squares = R[i, c], T[i], means[c], sums[c], products[c]
            if r < NEGLIGIBLE:
                continue
            for j in range(p):
                deviation = x[j] - mean[j]
                total[j] += r * deviation
                squares[j] += r * deviation * deviation


def samples_of_tile(kind, k, p):
    """Samples of a tile: what is computed of them stays in a core's cache."""
    return max(FEWEST, TILE // (k * p if kind == "full" else max(k, p)))


# --- expectation -----------------------------------------------------------------------------


class Density(NamedTuple):
    """A mixture as its densities are computed: prepared once for many tiles of samples."""

    code: int  # of the kind: its place in KINDS
    origin: np.ndarray  # (p,): amid the means, so that products keep digits
    factors: np.ndarray  # (p, k p), (p, p) or (p, 0): to where covariances are units
    places: np.ndarray  # (k, p): the means there
    scales: np.ndarray  # (k, p): roots of half the inverse variances there
    constants: np.ndarray  # (k,): logarithms of weights, and of what makes the densities' sums 1


def density_of(kind, parameters):
    """Return the :class:`Density` of parameters."""
    means, factors = parameters.means, parameters.factors
    (k, p), origin = means.shape, means.mean(axis=0)
    constants = targets.logarithms(parameters.weights)
    constants = constants - 0.5 * (p * np.log(2.0 * np.pi) + parameters.log_determinants)
    scales = np.full((k, p), np.sqrt(0.5))
    if kind == "full":
        # the factors side by side make one product of all components.
        places = np.einsum("cj,cjl->cl", means - origin, factors)
        factors = np.swapaxes(factors, 0, 1).reshape(p, -1)
    elif kind == "tied":  # coordinates in which the shared covariance is the unit matrix
        places = (means - origin) @ factors
    else:
        places, scales = means, scales * factors.reshape(k, -1)
        factors = np.empty((p, 0))
    factors = np.ascontiguousarray(factors)
    return Density(KINDS.index(kind), origin, factors, places, scales, constants)


@njit
def log_joint_tile(density, T, out):
    """Logarithms of weight times density of samples T (m, p), :eq:`eq-gmm-density`, into (m, k)."""
    if density.code != FULL:
        Y = np.dot(T - density.origin, density.factors) if density.code == TIED else T
        scaled_squares(Y, density.places, density.scales, density.constants, out)
        return
    # <whiten>: One product for all components, then squares in their coordinates.
    Y = np.dot(T - density.origin, density.factors)
    white_squares(Y, density.places, density.constants, out)


@njit
def take_top(scores):
    """Subtract from each row of (m, k) its largest entry, in place; return those, (m,)."""
    top = np.empty(scores.shape[0])
    for i in range(scores.shape[0]):
        largest = scores[i, 0]
        for c in range(1, scores.shape[1]):
            largest = max(largest, scores[i, c])
        for c in range(scores.shape[1]):
            scores[i, c] -= largest
        top[i] = largest
    return top


@njit
def normalise(shares, top):
    """Divide each row of (m, k) by its sum, in place, and add its logarithm to top (m,)."""
    for i in range(shares.shape[0]):
        total = 0.0
        for c in range(shares.shape[1]):
            total += shares[i, c]
        for c in range(shares.shape[1]):
            shares[i, c] /= total
        top[i] += math.log(total)


def log_joint(density, T):
    """Return the logarithms of weight times density, (m, k), of a tile of samples (m, p)."""
    import scipy.linalg  # noqa: F401  (before threads are limited, so that its own are too)

    out = np.empty((len(T), len(density.places)))
    log_joint_tile(density, np.ascontiguousarray(T, dtype=np.float64), out)
    return out


def responsibilities(scores):
    """Turn log-joint densities (m, k) into responsibilities :eq:`eq-gmm-responsibility`, in place.

    Returns the log-densities (m,), whose sum is the log-likelihood :eq:`eq-gmm-likelihood`.
    """
    top = take_top(scores)
    np.exp(scores, out=scores)
    normalise(scores, top)
    return top


# --- maximisation ----------------------------------------------------------------------------


def add_tile(kind, T, R, means, found):
    """Add a tile of samples (m, p) with responsibilities (m, k) to the statistics."""
    weights = R.sum(axis=0)
    found.weights[:] += weights
    if kind == "full":
        add_scatter(T, R, means, found.sums, found.products)
        return
    if kind in ("diag", "spherical"):
        add_squares(T, R, means, found.sums, found.products)
        return
    origin = means.mean(axis=0)
    found.sums[:] += R.T @ (T - origin) - weights[:, None] * (means - origin)


def weighted(values, weight):
    """Return rows of values times their weights (m,).

    A weight of zero makes zeros, also of what is no number: a sample without weight may lie where
    all densities are zero.
    """
    out = values * weight.reshape(-1, *(1,) * (values.ndim - 1))
    out[weight == 0.0] = 0.0
    return out


def sum_up(kind, X, means, weigh, n_jobs=None, known=None, weight=None):
    """Sum up samples with the responsibilities that ``weigh(T, known)`` gives.

    Parameters
    ----------
    kind : {"full", "tied", "diag", "spherical"}
    X : ndarray of shape (n, p)
        Or an array in chunks.
    means : ndarray of shape (k, p)
        Points about which products are taken.
    weigh : callable
        Returns responsibilities (m, k) of a tile T of rows, and their log-densities (m,).
    n_jobs : int or None, default=None
        Number of threads; the result has the same bits for each.
    known : ndarray of shape (n, ...) or None, default=None
        What `weigh` is given of the same rows.
    weight : ndarray of shape (n,) or None, default=None
        How many copies of itself a row stands for, in responsibilities and likelihood; or in
        chunks.

    Returns
    -------
    Statistics
    """
    n, p = X.shape
    k = len(means)
    size = samples_of_tile(kind, k, p)

    def part(arrays, rows):
        X, known, weight = arrays
        found, likelihood = empty_statistics(kind, k, p), 0.0
        for tile in cut(rows, size):
            T = X[tile].astype(np.float64, copy=False)
            R, log_densities = weigh(T, None if known is None else known[tile])
            if weight is not None:
                R, log_densities = (weighted(one, weight[tile]) for one in (R, log_densities))
            add_tile(kind, T, R, means, found)
            likelihood += float(log_densities.sum())
        return found._replace(log_likelihood=likelihood)

    steps = k * p * (p if kind == "full" else 1)
    block = max(BLOCK // steps, -(-n // MOST_BLOCKS), 1)
    return fold_rows(part, add_statistics, (X, known, weight), block, n_jobs)


def maximise(kind, statistics, means, n, reg_covar, scatter=None):
    """Return the parameters that the statistics of n samples determine, :eq:`eq-gmm-m-step`.

    Parameters
    ----------
    kind : {"full", "tied", "diag", "spherical"}
    statistics : Statistics
    means : ndarray of shape (k, p)
        The points about which they were taken.
    n : int
    reg_covar : float
        Added to every variance.
    scatter : Moments or None, default=None
        Of all samples, for a tied covariance.

    Returns
    -------
    Parameters

    Raises
    ------
    ValueError
        If a covariance is not positive definite.
    """
    weights = statistics.weights + 10.0 * np.finfo(np.float64).eps
    shift = statistics.sums / weights[:, None]
    new, p = means + shift, means.shape[1]
    if kind == "full":
        # full matrices: products about the old means, moved to the new ones.
        covariances = statistics.products / weights[:, None, None]
        covariances -= shift[:, :, None] * shift[:, None, :]
        covariances[:, np.arange(p), np.arange(p)] += reg_covar
        # other kinds: one matrix, or variances.
    elif kind == "tied":
        # What is within the components is what is left of the whole without what is between them.
        deviations = new - scatter.x_mean
        covariances = (scatter.xx - (weights * deviations.T) @ deviations) / weights.sum()
        covariances.flat[:: p + 1] += reg_covar
    else:
        covariances = statistics.products / weights[:, None] - shift**2 + reg_covar
        covariances = covariances.mean(axis=1) if kind == "spherical" else covariances
    return with_factors(kind, weights / weights.sum(), new, covariances)


def with_factors(kind, weights, means, covariances):
    """Return parameters with the factors of the inverse covariances."""
    k, p = means.shape
    if kind in ("full", "tied"):
        factors, logs = precision_factors(covariances.reshape(-1, p, p))
        bad = np.isneginf(logs).any()
        factors, logs = factors.reshape(covariances.shape), np.broadcast_to(logs, k)
    else:
        bad = not (covariances > 0.0).all()
        with np.errstate(divide="ignore", invalid="ignore"):
            factors = 1.0 / np.sqrt(covariances)
            logs = np.log(covariances)
        logs = logs.sum(axis=1) if kind == "diag" else p * logs
    if bad or not np.isfinite(factors).all():
        raise ValueError(
            "GaussianMixture: Fitting the mixture model failed because some components have "
            "ill-defined empirical covariance (for instance caused by singleton or collapsed "
            "samples). Try to decrease the number of components, increase reg_covar, or scale the "
            "input data."
        )
    return Parameters(weights, means, covariances, factors, logs)


# --- the iteration ---------------------------------------------------------------------------


class Estimate(NamedTuple):
    """Where the iteration ended."""

    parameters: Parameters
    lower_bounds: list  # mean log-likelihood before each step
    converged: bool


def total_scatter(X, weight):
    """Moments of all samples, which a tied covariance needs."""
    # Samples without weight may lie so far away that their squares overflow, unheard.
    samples = moments.Samples(X, np.empty((len(X), 0)), weight, True, single=False)
    return moments.moments(samples._replace(finite=weight is None))


def expectation_maximisation(
    kind, X, start, max_iter, tol, reg_covar, before=-np.inf, report=None, weight=None
):
    """Alternate between the two steps until the likelihood rests.

    After an E step the bound :eq:`eq-gmm-bound` is the likelihood: it is what is recorded.

    Parameters
    ----------
    kind : {"full", "tied", "diag", "spherical"}
    X : ndarray of shape (n, p)
    start : Parameters
    max_iter : int
        Most iterations.
    tol : float
        Gain of the mean log-likelihood below which to stop.
    reg_covar : float
        Added to every variance.
    before : float, default=-inf
        Mean log-likelihood of an earlier fit that goes on.
    report : callable or None, default=None
        ``report(n_iter, lower_bound)`` is called after each iteration.
    weight : ndarray of shape (n,) or None, default=None
        Weights of the samples, of mean 1; or in chunks.

    Returns
    -------
    Estimate
        The mean log-likelihood never falls by more than rounding, if `reg_covar` is zero.

    Raises
    ------
    KeyboardInterrupt
        Its attribute ``fit`` is the `Estimate` after the last whole iteration.
    """
    fit = Estimate(start, [], False)
    try:
        scatter = total_scatter(X, weight) if kind == "tied" else None
        for n_iter in range(1, max_iter + 1):
            # one round: both steps in one pass over the samples.
            means = fit.parameters.means
            found = sum_up(kind, X, means, weigher(kind, fit.parameters), weight=weight)
            parameters = maximise(kind, found, means, len(X), reg_covar, scatter)
            bound = found.log_likelihood / len(X)
            fit = Estimate(parameters, [*fit.lower_bounds, bound], abs(bound - before) < tol)
            before = bound
            # the end: a gain below the tolerance.
            if report is not None:
                report(n_iter, bound)
            if fit.converged:
                break
    except KeyboardInterrupt as interrupt:
        interrupt.fit = fit
        raise
    return fit


def batch_step(kind, X, parameters, share, reg_covar, weight=None):
    """Return the parameters after a batch, by one step of EM, and their likelihood before it.

    Statistics so far, those that the parameters came from, are averaged with those of the batch.

    Parameters
    ----------
    kind : {"full", "tied", "diag", "spherical"}
    X : ndarray of shape (n, p)
        The batch.
    parameters : Parameters
    share : float
        Of the batch in the average, between 0 and 1.
    reg_covar : float
        Added to every variance of the batch: those so far have it.
    weight : ndarray of shape (n,) or None, default=None
        Weights of the samples, of mean 1.

    Returns
    -------
    parameters : Parameters
    lower_bound : float
        Mean log-likelihood of the batch.
    """
    (n, p), means = X.shape, parameters.means
    found = sum_up(kind, X, means, weigher(kind, parameters), weight=weight)
    bound, (weights, sums, products, _) = found.log_likelihood / n, found
    # The parameters are what was: about its own means, its sums are zero. What `maximise` adds to
    # weights belongs to it, too, so that a component without samples keeps its covariance.
    past = (1.0 - share) * parameters.weights
    old, share = past + 10.0 * np.finfo(np.float64).eps, share / n
    products = share * products
    scatter = None
    if kind == "tied":
        scatter = merged_scatter(X, weight, parameters, share, reg_covar)
    elif kind == "full":
        products += old[:, None, None] * parameters.covariances
        products[:, np.arange(p), np.arange(p)] += (share * reg_covar) * weights[:, None]
    else:
        products += old[:, None] * parameters.covariances.reshape(len(old), -1)
        products += (share * reg_covar) * weights[:, None]
    average = Statistics(past + share * weights, share * sums, products, 0.0)
    return maximise(kind, average, means, n, 0.0, scatter), bound


def merged_scatter(X, weight, parameters, share, reg_covar):
    """Moments of the samples that parameters of a tied covariance stand for, and of a batch.

    Each sample of the batch has the weight `share`, and all together the weight 1.
    """
    batch = total_scatter(X, weight)
    weights, means, covariance, *_ = parameters
    centre = weights @ means
    deviations = means - centre
    between = (weights * deviations.T) @ deviations
    keep = 1.0 - share * batch.weight
    past = batch._replace(weight=keep, x_mean=centre, xx=keep * (covariance + between))
    xx = share * (batch.xx + reg_covar * batch.weight * np.eye(len(centre)))
    return moments.merge_moments(past, batch._replace(weight=share * batch.weight, xx=xx))


def weigher(kind, parameters):
    """Return the function that gives a tile's responsibilities and log-densities."""
    density = density_of(kind, parameters)

    def weigh(T, _):
        R = log_joint(density, T)
        return R, responsibilities(R)

    return weigh


def from_responsibilities(kind, X, weigh, known, k, reg_covar, weight=None):
    """Return the parameters that responsibilities determine: ``weigh(known[tile])``, (m, k)."""
    scatter = total_scatter(X, weight) if kind == "tied" else None

    def step(kind, means):
        def own(_, known):
            return weigh(known), np.zeros(1)

        return sum_up(kind, X, means, own, known=known, weight=weight)

    # The means first: products about them lose nothing.
    origin = np.broadcast_to(amid(X, weight), (k, X.shape[1]))
    found = step("tied", origin)
    weights = found.weights + 10.0 * np.finfo(np.float64).eps
    means = origin + found.sums / weights[:, None]
    return maximise(kind, step(kind, means), means, len(X), reg_covar, scatter)


def amid(X, weight):
    """Return the mean of the first samples (p,), of those that have a weight if there are any."""
    if weight is None:
        return in_memory(X[: 2**10]).mean(axis=0, dtype=np.float64)
    weight = in_memory(weight)
    few = np.flatnonzero(weight)[: 2**10]
    return np.average(in_memory(X[few]), axis=0, weights=weight[few])


def ratio_of_spreads(X, weight):
    """Return the variance of weighted samples over that of the same without weights, or 1."""
    samples = moments.Samples(X, np.empty((len(X), 0)), None, True, finite=False)
    found = [samples._replace(weight=weight), samples]
    found = [moments.moments(one, full=False) for one in found]
    weighted, plain = (float(one.xx.sum()) / one.weight for one in found)
    return weighted / plain if 0.0 < plain < np.inf else 1.0
