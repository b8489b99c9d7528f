"""Made from the docstrings by .ci/stubs.py: do not edit."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from litlearn._core.base import BaseEstimator, ClusterMixin, NumberedColumnsMixin
from litlearn._core.types import Array, Bool, Float, Int, Sparse

__all__ = [
    "KMeans",
    "MiniBatchKMeans",
    "k_means",
    "kmeans_plusplus",
]

class KMeans(NumberedColumnsMixin, ClusterMixin, BaseEstimator):
    n_clusters: Int
    init: Literal["k-means++", "random"] | Callable[..., Any] | Array
    n_init: Literal["auto"] | Int
    max_iter: Int
    tol: Float
    verbose: Bool | Int
    random_state: Int | np.random.RandomState | np.random.Generator | None
    copy_x: Bool
    algorithm: Literal["lloyd", "elkan", "hamerly"]
    cluster_centers_: NDArray[Any]
    labels_: NDArray[Any]
    inertia_: float
    n_iter_: int
    converged_: bool
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        n_clusters: Int = 8,
        *,
        init: Literal["k-means++", "random"] | Callable[..., Any] | Array = "k-means++",
        n_init: Literal["auto"] | Int = "auto",
        max_iter: Int = 300,
        tol: Float = 0.0001,
        verbose: Bool | Int = 0,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        copy_x: Bool = True,
        algorithm: Literal["lloyd", "elkan", "hamerly"] = "lloyd",
    ) -> None: ...
    def fit(
        self, X: Array | Sparse, y: None = None, sample_weight: Array | None = None
    ) -> Self: ...
    def fit_predict(
        self, X: Array | Sparse, y: None = None, sample_weight: Array | None = None
    ) -> NDArray[Any]: ...
    def fit_transform(
        self, X: Array | Sparse, y: Array | None = None, **fit_params: Any
    ) -> NDArray[Any] | Any: ...
    def get_feature_names_out(
        self, input_features: Sequence[str] | None = None
    ) -> NDArray[Any]: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(
        self, X: Array | Sparse, y: None = None, sample_weight: Array | None = None
    ) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_output(
        self, *, transform: Literal["default", "pandas", "polars", "pyarrow"] | None = None
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def transform(self, X: Array | Sparse) -> NDArray[Any]: ...

class MiniBatchKMeans(NumberedColumnsMixin, ClusterMixin, BaseEstimator):
    n_clusters: Int
    init: Literal["k-means++", "random"] | Callable[..., Any] | Array
    max_iter: Int
    batch_size: Int
    verbose: Bool | Int
    compute_labels: Bool
    random_state: Int | np.random.RandomState | np.random.Generator | None
    tol: Float
    max_no_improvement: Int | None
    init_size: Int | None
    n_init: Literal["auto"] | Int
    reassignment_ratio: Float
    cluster_centers_: NDArray[Any]
    labels_: NDArray[Any]
    inertia_: float
    n_iter_: int
    n_steps_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        n_clusters: Int = 8,
        *,
        init: Literal["k-means++", "random"] | Callable[..., Any] | Array = "k-means++",
        max_iter: Int = 100,
        batch_size: Int = 1024,
        verbose: Bool | Int = 0,
        compute_labels: Bool = True,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        tol: Float = 0.0,
        max_no_improvement: Int | None = 10,
        init_size: Int | None = None,
        n_init: Literal["auto"] | Int = "auto",
        reassignment_ratio: Float = 0.01,
    ) -> None: ...
    def fit(
        self, X: Array | Sparse, y: None = None, sample_weight: Array | None = None
    ) -> Self: ...
    def fit_predict(
        self, X: Array | Sparse, y: None = None, sample_weight: Array | None = None
    ) -> NDArray[Any]: ...
    def fit_transform(
        self, X: Array | Sparse, y: Array | None = None, **fit_params: Any
    ) -> NDArray[Any] | Any: ...
    def get_feature_names_out(
        self, input_features: Sequence[str] | None = None
    ) -> NDArray[Any]: ...
    def partial_fit(
        self, X: Array | Sparse, y: None = None, sample_weight: Array | None = None
    ) -> Self: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(
        self, X: Array | Sparse, y: None = None, sample_weight: Array | None = None
    ) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_output(
        self, *, transform: Literal["default", "pandas", "polars", "pyarrow"] | None = None
    ) -> Self: ...
    def set_partial_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def transform(self, X: Array | Sparse) -> NDArray[Any]: ...

def k_means(
    X: Array | Sparse,
    n_clusters: Int,
    *,
    sample_weight: Array | None = None,
    init: Literal["k-means++", "random"] | Callable[..., Any] | Array = "k-means++",
    n_init: Literal["auto"] | Int = "auto",
    max_iter: Int = 300,
    verbose: Bool | Int = False,
    tol: Float = 0.0001,
    random_state: Int | np.random.RandomState | np.random.Generator | None = None,
    copy_x: Bool = True,
    algorithm: Literal["lloyd", "elkan", "hamerly"] = "lloyd",
    return_n_iter: Bool = False,
) -> Any: ...
def kmeans_plusplus(
    X: Array | Sparse,
    n_clusters: Int,
    *,
    sample_weight: Array | None = None,
    x_squared_norms: Array | None = None,
    random_state: Int | np.random.RandomState | np.random.Generator | None = None,
    n_local_trials: Int | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]: ...
