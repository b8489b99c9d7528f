"""Made from the docstrings by .ci/stubs.py: do not edit."""

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from litlearn._core.types import Array, Bool, Float, Int, Sparse

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

def additive_chi2_kernel(X: Array, Y: Array | None = None) -> NDArray[Any]: ...
def chi2_kernel(X: Array, Y: Array | None = None, gamma: Float = 1.0) -> NDArray[Any]: ...
def cosine_similarity(X: Array | Sparse, Y: Array | Sparse | None = None) -> NDArray[Any]: ...
def laplacian_kernel(
    X: Array | Sparse, Y: Array | Sparse | None = None, gamma: Float | None = None
) -> NDArray[Any]: ...
def linear_kernel(
    X: Array | Sparse, Y: Array | Sparse | None = None, dense_output: Bool = True
) -> NDArray[Any]: ...
def pairwise_kernels(
    X: Array | Sparse,
    Y: Array | Sparse | None = None,
    metric: str | Callable[..., Any] = "linear",
    *,
    filter_params: Bool = False,
    n_jobs: Int | None = None,
    **kwds: Any,
) -> NDArray[Any]: ...
def polynomial_kernel(
    X: Array | Sparse,
    Y: Array | Sparse | None = None,
    degree: Float = 3,
    gamma: Float | None = None,
    coef0: Float = 1,
) -> NDArray[Any]: ...
def rbf_kernel(
    X: Array | Sparse, Y: Array | Sparse | None = None, gamma: Float | None = None
) -> NDArray[Any]: ...
def sigmoid_kernel(
    X: Array | Sparse, Y: Array | Sparse | None = None, gamma: Float | None = None, coef0: Float = 1
) -> NDArray[Any]: ...
