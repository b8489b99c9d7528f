"""Made from the docstrings by .ci/stubs.py: do not edit."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, Self

from numpy.typing import NDArray

from litlearn._core.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from litlearn._core.types import Array, Float, Sparse

__all__ = [
    "KernelRidge",
]

class KernelRidge(MultiOutputMixin, RegressorMixin, BaseEstimator):
    alpha: Float | Array
    kernel: (
        Literal[
            "linear",
            "cosine",
            "poly",
            "polynomial",
            "sigmoid",
            "rbf",
            "laplacian",
            "chi2",
            "additive_chi2",
            "precomputed",
        ]
        | Callable[..., Any]
    )
    gamma: Float | None
    degree: Float
    coef0: Float
    kernel_params: Mapping[Any, Any] | None
    dual_coef_: NDArray[Any]
    X_fit_: NDArray[Any] | Any
    solver_: Literal["cholesky", "eigen"]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        alpha: Float | Array = 1,
        *,
        kernel: Literal[
            "linear",
            "cosine",
            "poly",
            "polynomial",
            "sigmoid",
            "rbf",
            "laplacian",
            "chi2",
            "additive_chi2",
            "precomputed",
        ]
        | Callable[..., Any] = "linear",
        gamma: Float | None = None,
        degree: Float = 3,
        coef0: Float = 1,
        kernel_params: Mapping[Any, Any] | None = None,
    ) -> None: ...
    def fit(
        self, X: Array | Sparse, y: Array, sample_weight: Float | Array | None = None
    ) -> Self: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
