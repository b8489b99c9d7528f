"""Made from the docstrings by .ci/stubs.py: do not edit."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from litlearn._core.base import BaseEstimator, NumberedColumnsMixin
from litlearn._core.types import Array, Bool, Float, Int, Sparse

__all__ = [
    "PCA",
    "IncrementalPCA",
    "KernelPCA",
    "TruncatedSVD",
]

class IncrementalPCA(NumberedColumnsMixin, BaseEstimator):
    n_components: Int | None
    whiten: Bool
    copy: Bool
    batch_size: Int | None
    components_: NDArray[Any]
    explained_variance_: NDArray[Any]
    explained_variance_ratio_: NDArray[Any]
    singular_values_: NDArray[Any]
    mean_: NDArray[Any]
    var_: NDArray[Any]
    noise_variance_: float
    n_components_: int
    n_samples_seen_: int
    batch_size_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        n_components: Int | None = None,
        *,
        whiten: Bool = False,
        copy: Bool = True,
        batch_size: Int | None = None,
    ) -> None: ...
    def fit(self, X: Array | Sparse, y: Any = None) -> Self: ...
    def fit_transform(
        self, X: Array | Sparse, y: Array | None = None, **fit_params: Any
    ) -> NDArray[Any] | Any: ...
    def get_covariance(self) -> NDArray[Any]: ...
    def get_feature_names_out(
        self, input_features: Sequence[str] | None = None
    ) -> NDArray[Any]: ...
    def get_precision(self) -> NDArray[Any]: ...
    def inverse_transform(self, X: Array) -> NDArray[Any]: ...
    def partial_fit(self, X: Array, y: Any = None, check_input: Bool = True) -> Self: ...
    def set_output(
        self, *, transform: Literal["default", "pandas", "polars", "pyarrow"] | None = None
    ) -> Self: ...
    def transform(self, X: Array | Sparse) -> NDArray[Any]: ...

class KernelPCA(NumberedColumnsMixin, BaseEstimator):
    n_components: Int | None
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
    alpha: Float
    fit_inverse_transform: Bool
    eigen_solver: Literal["auto", "dense", "arpack", "randomized"]
    tol: Float
    max_iter: Int | None
    iterated_power: Literal["auto"] | Int
    remove_zero_eig: Bool
    random_state: Int | np.random.RandomState | np.random.Generator | None
    copy_X: Bool
    n_jobs: Int | None
    eigenvalues_: NDArray[Any]
    eigenvectors_: NDArray[Any]
    residual_: float | None
    dual_coef_: NDArray[Any]
    X_transformed_fit_: NDArray[Any]
    X_fit_: NDArray[Any] | Any
    gamma_: float
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        n_components: Int | None = None,
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
        alpha: Float = 1.0,
        fit_inverse_transform: Bool = False,
        eigen_solver: Literal["auto", "dense", "arpack", "randomized"] = "auto",
        tol: Float = 0,
        max_iter: Int | None = None,
        iterated_power: Literal["auto"] | Int = "auto",
        remove_zero_eig: Bool = False,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        copy_X: Bool = True,
        n_jobs: Int | None = None,
    ) -> None: ...
    def fit(self, X: Array | Sparse, y: None = None) -> Self: ...
    def fit_transform(self, X: Array | Sparse, y: None = None) -> NDArray[Any]: ...
    def get_feature_names_out(
        self, input_features: Sequence[str] | None = None
    ) -> NDArray[Any]: ...
    def inverse_transform(self, X: Array) -> NDArray[Any]: ...
    def set_output(
        self, *, transform: Literal["default", "pandas", "polars", "pyarrow"] | None = None
    ) -> Self: ...
    def transform(self, X: Array | Sparse) -> NDArray[Any]: ...

class PCA(NumberedColumnsMixin, BaseEstimator):
    n_components: Int | Float | Literal["mle"] | None
    copy: Bool
    whiten: Bool
    svd_solver: Literal["auto", "full", "covariance_eigh", "arpack", "randomized"]
    tol: Float
    iterated_power: Literal["auto"] | Int
    n_oversamples: Int
    power_iteration_normalizer: Literal["auto", "QR", "LU", "none"]
    random_state: Int | np.random.RandomState | np.random.Generator | None
    components_: NDArray[Any]
    explained_variance_: NDArray[Any]
    explained_variance_ratio_: NDArray[Any]
    singular_values_: NDArray[Any]
    mean_: NDArray[Any]
    n_components_: int
    n_samples_: int
    noise_variance_: float
    solver_: str
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        n_components: Int | Float | Literal["mle"] | None = None,
        *,
        copy: Bool = True,
        whiten: Bool = False,
        svd_solver: Literal["auto", "full", "covariance_eigh", "arpack", "randomized"] = "auto",
        tol: Float = 0.0,
        iterated_power: Literal["auto"] | Int = "auto",
        n_oversamples: Int = 10,
        power_iteration_normalizer: Literal["auto", "QR", "LU", "none"] = "auto",
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
    ) -> None: ...
    def fit(self, X: Array | Sparse, y: Any = None) -> Self: ...
    def fit_transform(self, X: Array | Sparse, y: Any = None) -> NDArray[Any]: ...
    def get_covariance(self) -> NDArray[Any]: ...
    def get_feature_names_out(
        self, input_features: Sequence[str] | None = None
    ) -> NDArray[Any]: ...
    def get_precision(self) -> NDArray[Any]: ...
    def inverse_transform(self, X: Array) -> NDArray[Any]: ...
    def score(self, X: Array, y: Any = None) -> float: ...
    def score_samples(self, X: Array) -> NDArray[Any]: ...
    def set_output(
        self, *, transform: Literal["default", "pandas", "polars", "pyarrow"] | None = None
    ) -> Self: ...
    def transform(self, X: Array | Sparse) -> NDArray[Any]: ...

class TruncatedSVD(NumberedColumnsMixin, BaseEstimator):
    n_components: Int
    algorithm: Literal["arpack", "randomized"]
    n_iter: Int
    n_oversamples: Int
    power_iteration_normalizer: Literal["auto", "QR", "LU", "none"]
    random_state: Int | np.random.RandomState | np.random.Generator | None
    tol: Float
    components_: NDArray[Any]
    singular_values_: NDArray[Any]
    explained_variance_: NDArray[Any]
    explained_variance_ratio_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        n_components: Int = 2,
        *,
        algorithm: Literal["arpack", "randomized"] = "randomized",
        n_iter: Int = 5,
        n_oversamples: Int = 10,
        power_iteration_normalizer: Literal["auto", "QR", "LU", "none"] = "auto",
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        tol: Float = 0.0,
    ) -> None: ...
    def fit(self, X: Array | Sparse, y: Any = None) -> Self: ...
    def fit_transform(self, X: Array | Sparse, y: Any = None) -> NDArray[Any]: ...
    def get_feature_names_out(
        self, input_features: Sequence[str] | None = None
    ) -> NDArray[Any]: ...
    def inverse_transform(self, X: Array) -> NDArray[Any]: ...
    def set_output(
        self, *, transform: Literal["default", "pandas", "polars", "pyarrow"] | None = None
    ) -> Self: ...
    def transform(self, X: Array | Sparse) -> NDArray[Any]: ...
