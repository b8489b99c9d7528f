"""Kernels: similarities that are inner products in a space of more features.

The names, parameters and defaults are those of ``sklearn.metrics.pairwise``.
"""

from litlearn._core.guide import guide
from litlearn.kernels._functions import (
    additive_chi2_kernel,
    chi2_kernel,
    cosine_similarity,
    laplacian_kernel,
    linear_kernel,
    pairwise_kernels,
    polynomial_kernel,
    rbf_kernel,
    sigmoid_kernel,
)

__all__ = [
    "additive_chi2_kernel",
    "chi2_kernel",
    "cosine_similarity",
    "laplacian_kernel",
    "linear_kernel",
    "pairwise_kernels",
    "polynomial_kernel",
    "rbf_kernel",
    "sigmoid_kernel",
]

__getattr__ = guide(__name__)
