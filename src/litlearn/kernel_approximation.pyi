"""Made from the docstrings by .ci/stubs.py: do not edit."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from litlearn._core.base import BaseEstimator, NumberedColumnsMixin
from litlearn._core.types import Array, Float, Int, Sparse

__all__ = [
    "Nystroem",
    "RBFSampler",
]

class Nystroem(NumberedColumnsMixin, BaseEstimator):
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
    coef0: Float | None
    degree: Float | None
    kernel_params: Mapping[Any, Any] | None
    n_components: Int
    random_state: Int | np.random.RandomState | np.random.Generator | None
    n_jobs: Int | None
    components_: NDArray[Any] | Any
    component_indices_: NDArray[Any]
    normalization_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
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
        | Callable[..., Any] = "rbf",
        *,
        gamma: Float | None = None,
        coef0: Float | None = None,
        degree: Float | None = None,
        kernel_params: Mapping[Any, Any] | None = None,
        n_components: Int = 100,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: Int | None = None,
    ) -> None: ...
    def fit(self, X: Array | Sparse, y: None = None) -> Self: ...
    def fit_transform(
        self, X: Array | Sparse, y: Array | None = None, **fit_params: Any
    ) -> NDArray[Any] | Any: ...
    def get_feature_names_out(
        self, input_features: Sequence[str] | None = None
    ) -> NDArray[Any]: ...
    def set_output(
        self, *, transform: Literal["default", "pandas", "polars", "pyarrow"] | None = None
    ) -> Self: ...
    def transform(self, X: Array | Sparse) -> NDArray[Any]: ...

class RBFSampler(NumberedColumnsMixin, BaseEstimator):
    gamma: Literal["scale"] | Float
    n_components: Int
    random_state: Int | np.random.RandomState | np.random.Generator | None
    random_weights_: NDArray[Any]
    random_offset_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        gamma: Literal["scale"] | Float = 1.0,
        n_components: Int = 100,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
    ) -> None: ...
    def fit(self, X: Array | Sparse, y: None = None) -> Self: ...
    def fit_transform(
        self, X: Array | Sparse, y: Array | None = None, **fit_params: Any
    ) -> NDArray[Any] | Any: ...
    def get_feature_names_out(
        self, input_features: Sequence[str] | None = None
    ) -> NDArray[Any]: ...
    def set_output(
        self, *, transform: Literal["default", "pandas", "polars", "pyarrow"] | None = None
    ) -> Self: ...
    def transform(self, X: Array | Sparse) -> NDArray[Any]: ...
