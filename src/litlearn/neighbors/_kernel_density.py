"""Sums of kernels over the points of a tree: the density that scikit-learn's trees offer.

These kernels spread a point over space and integrate to 1; those of `litlearn.kernels` are inner
products.
"""

import math

import numpy as np

from litlearn._core.constraints import POSITIVE, Option
from litlearn.neighbors import _search
from litlearn.neighbors._base import sum_rows

# Kernels, as logarithms of the distance in units of the bandwidth
LOG_KERNELS = {
    "gaussian": lambda u: -0.5 * u**2,
    "tophat": np.zeros_like,
    "epanechnikov": lambda u: np.log1p(-(np.minimum(u, 1.0 - 2**-53) ** 2)),
    "exponential": np.negative,
    "linear": lambda u: np.log1p(-np.minimum(u, 1.0 - 2**-53)),
    "cosine": lambda u: np.log(np.cos(0.5 * np.pi * np.minimum(u, 1.0 - 2**-53))),
}


def log_sum_exp(logs, weights, indptr):
    """Return the logarithm of the (weighted) sum of exp(logs) over the pairs of each query."""
    if weights is not None:
        with np.errstate(divide="ignore"):
            logs = logs + np.log(weights)  # a weight of zero leaves the sum
    largest = np.full(len(indptr) - 1, -np.inf)
    rows = np.flatnonzero(np.diff(indptr))
    if len(rows) == 0:
        return largest
    largest[rows] = np.maximum.reduceat(logs, indptr[rows])
    shift = np.where(np.isfinite(largest), largest, 0.0)
    terms = np.exp(logs - np.repeat(shift, np.diff(indptr)))
    sums = sum_rows(terms, indptr)
    with np.errstate(divide="ignore"):
        return np.log(sums) + shift


def log_kernel_norm(h, n_features, kernel):
    """Return minus the logarithm of the integral of the kernel over space of n_features axes."""
    d = n_features
    ball = 0.5 * d * math.log(math.pi) - math.lgamma(0.5 * d + 1)  # of the unit ball's volume
    sphere = ball + math.log(d)  # of its surface
    if kernel == "gaussian":
        factor = 0.5 * d * math.log(2 * math.pi)
    elif kernel == "tophat":
        factor = ball
    elif kernel == "epanechnikov":
        factor = ball + math.log(2 / (d + 2))
    elif kernel == "exponential":
        factor = sphere + math.lgamma(d)
    elif kernel == "linear":
        factor = ball - math.log(d + 1)
    else:
        factor = sphere + math.log(_cosine_moment(d - 1))
    return -factor - d * math.log(h)


def _cosine_moment(m):
    """Return the integral of u**m cos(pi u / 2) over u from 0 to 1.

    Integrating by parts twice gives I(m) = 2 / pi - m (m - 1) (2 / pi)**2 I(m - 2). Used upwards,
    that loses digits; for m beyond 8 the series of the cosine is summed instead.
    """
    if m > 8:
        terms = [1.0 / (m + 1)]
        for i in range(1, 30):
            ratio = -((math.pi / 2) ** 2) / ((2 * i - 1) * (2 * i))
            terms.append(terms[-1] * ratio * (m + 2 * i - 1) / (m + 2 * i + 1))
        return math.fsum(terms)
    value = 2 / math.pi if m % 2 == 0 else 2 / math.pi - (2 / math.pi) ** 2
    for i in range(2 + m % 2, m + 1, 2):
        value = 2 / math.pi - i * (i - 1) * (2 / math.pi) ** 2 * value
    return value


class KernelDensityMixin:
    """The method `kernel_density` of the two trees."""

    def kernel_density(
        self,
        X,
        h,
        kernel="gaussian",
        atol=0,
        rtol=1e-8,
        breadth_first=True,
        return_log=False,
    ):
        """Sum a kernel, centred on each point, at each query.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Query points.
        h : float
            Bandwidth, positive, in the unit of the metric.
        kernel : {"gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"}
            Shape of the kernel. Each integrates to 1 over space (with the Euclidean distance).
        atol, rtol : float
            Accepted because scikit-learn has them. The sums are computed in full, so any tolerance
            is met.
        breadth_first : bool
            Accepted because scikit-learn has it.
        return_log : bool, default=False
            Return the logarithm, which stays finite where the sum itself underflows.

        Returns
        -------
        ndarray of shape (n_queries,)
            The sums, weighted by `sample_weight` if the tree has it. Divided by the number of
            points (the sum of weights) they are a density.

        Notes
        -----
        The gaussian and the exponential kernel need the distances of all pairs, O(n p) for each
        query. The others need the points within `h` only.
        """
        queries = self._queries(X)
        h = POSITIVE.check(self, "h", h)
        log_kernel = LOG_KERNELS[Option(*LOG_KERNELS).check(self, "kernel", kernel)]
        reach = np.inf if kernel in ("gaussian", "exponential") else h
        log_sums = np.empty(len(queries))
        rows = max(1, 2**22 // len(self._fit_X))
        for start in range(0, len(queries), rows):
            block = slice(start, start + rows)
            indptr, ind, dist = _search.query_radius(self._index, queries[block], reach)
            inside = np.where((dist < h) | np.isinf(reach), log_kernel(dist / h), -np.inf)
            weights = None if self.sample_weight is None else self.sample_weight[ind]
            log_sums[block] = log_sum_exp(inside, weights, indptr)
        log_sums += log_kernel_norm(h, self._fit_X.shape[1], kernel)
        return log_sums if return_log else np.exp(log_sums)
