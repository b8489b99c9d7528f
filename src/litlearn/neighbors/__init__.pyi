"""Made from the docstrings by .ci/stubs.py: do not edit."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from litlearn._core.base import (
    BaseEstimator,
    ClassifierMixin,
    MultiOutputMixin,
    NumberedColumnsMixin,
    RegressorMixin,
)
from litlearn._core.types import Array, Bool, Float, Int, Sparse

__all__ = [
    "VALID_METRICS",
    "VALID_METRICS_SPARSE",
    "BallTree",
    "KDTree",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KNeighborsTransformer",
    "KernelDensity",
    "NearestCentroid",
    "NearestNeighbors",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "RadiusNeighborsTransformer",
    "kneighbors_graph",
    "radius_neighbors_graph",
    "sort_graph_by_row_values",
]

VALID_METRICS: dict[str, Any]
VALID_METRICS_SPARSE: dict[str, Any]

class BallTree:
    data: NDArray[Any]
    valid_metrics: list[str]
    def __init__(
        self,
        X: Array,
        leaf_size: Int = 40,
        metric: str = "minkowski",
        sample_weight: Array | None = None,
        **kwargs: Any,
    ) -> None: ...
    def get_arrays(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]: ...
    def get_tree_stats(self) -> tuple[int, int, int]: ...
    def kernel_density(
        self,
        X: Array,
        h: Float,
        kernel: Literal[
            "gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"
        ] = "gaussian",
        atol: Float = 0,
        rtol: Float = 1e-08,
        breadth_first: Bool = True,
        return_log: Bool = False,
    ) -> NDArray[Any]: ...
    def query(
        self,
        X: Array,
        k: Int = 1,
        return_distance: Bool = True,
        dualtree: Bool = False,
        breadth_first: Bool = False,
        sort_results: Bool = True,
    ) -> Any: ...
    def query_radius(
        self,
        X: Array,
        r: Float | Array,
        return_distance: Bool = False,
        count_only: Bool = False,
        sort_results: Bool = False,
    ) -> Any: ...
    @property
    def sum_weight(self) -> Any: ...
    def two_point_correlation(
        self, X: Array, r: Float | Array, dualtree: Bool = False
    ) -> NDArray[Any]: ...

class KDTree:
    data: NDArray[Any]
    valid_metrics: list[str]
    def __init__(
        self,
        X: Array,
        leaf_size: Int = 40,
        metric: str = "minkowski",
        sample_weight: Array | None = None,
        **kwargs: Any,
    ) -> None: ...
    def get_arrays(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]: ...
    def get_tree_stats(self) -> tuple[int, int, int]: ...
    def kernel_density(
        self,
        X: Array,
        h: Float,
        kernel: Literal[
            "gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"
        ] = "gaussian",
        atol: Float = 0,
        rtol: Float = 1e-08,
        breadth_first: Bool = True,
        return_log: Bool = False,
    ) -> NDArray[Any]: ...
    def query(
        self,
        X: Array,
        k: Int = 1,
        return_distance: Bool = True,
        dualtree: Bool = False,
        breadth_first: Bool = False,
        sort_results: Bool = True,
    ) -> Any: ...
    def query_radius(
        self,
        X: Array,
        r: Float | Array,
        return_distance: Bool = False,
        count_only: Bool = False,
        sort_results: Bool = False,
    ) -> Any: ...
    @property
    def sum_weight(self) -> Any: ...
    def two_point_correlation(
        self, X: Array, r: Float | Array, dualtree: Bool = False
    ) -> NDArray[Any]: ...

class KNeighborsClassifier(ClassifierMixin, MultiOutputMixin, BaseEstimator):
    n_neighbors: Int | None
    weights: Literal["uniform", "distance"] | Callable[..., Any] | None
    algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"]
    leaf_size: Int
    p: Float | None
    metric: Any
    metric_params: Mapping[Any, Any] | None
    n_jobs: Int | None
    classes_: NDArray[Any] | Any
    outputs_2d_: bool
    effective_metric_: str | Any
    effective_metric_params_: dict[Any, Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_samples_fit_: int
    def __init__(
        self,
        n_neighbors: Int | None = 5,
        *,
        weights: Literal["uniform", "distance"] | Callable[..., Any] | None = "uniform",
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        leaf_size: Int = 30,
        p: Float | None = 2,
        metric: Any = "minkowski",
        metric_params: Mapping[Any, Any] | None = None,
        n_jobs: Int | None = None,
    ) -> None: ...
    def fit(self, X: Any, y: Array) -> Self: ...
    def kneighbors(
        self,
        X: Array | Sparse | None = None,
        n_neighbors: Int | None = None,
        return_distance: Bool = True,
    ) -> Any: ...
    def kneighbors_graph(
        self,
        X: Array | Sparse | None = None,
        n_neighbors: Int | None = None,
        mode: Literal["connectivity", "distance"] = "connectivity",
    ) -> Any: ...
    def predict(self, X: Array | Sparse | None) -> NDArray[Any]: ...
    def predict_proba(self, X: Array | Sparse | None) -> NDArray[Any] | Any: ...
    def score(self, X: Array | None, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class KNeighborsRegressor(RegressorMixin, MultiOutputMixin, BaseEstimator):
    n_neighbors: Int | None
    weights: Literal["uniform", "distance"] | Callable[..., Any] | None
    algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"]
    leaf_size: Int
    p: Float | None
    metric: Any
    metric_params: Mapping[Any, Any] | None
    n_jobs: Int | None
    effective_metric_: str | Any
    effective_metric_params_: dict[Any, Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_samples_fit_: int
    def __init__(
        self,
        n_neighbors: Int | None = 5,
        *,
        weights: Literal["uniform", "distance"] | Callable[..., Any] | None = "uniform",
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        leaf_size: Int = 30,
        p: Float | None = 2,
        metric: Any = "minkowski",
        metric_params: Mapping[Any, Any] | None = None,
        n_jobs: Int | None = None,
    ) -> None: ...
    def fit(self, X: Any, y: Array) -> Self: ...
    def kneighbors(
        self,
        X: Array | Sparse | None = None,
        n_neighbors: Int | None = None,
        return_distance: Bool = True,
    ) -> Any: ...
    def kneighbors_graph(
        self,
        X: Array | Sparse | None = None,
        n_neighbors: Int | None = None,
        mode: Literal["connectivity", "distance"] = "connectivity",
    ) -> Any: ...
    def predict(self, X: Array | Sparse | None) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class KNeighborsTransformer(NumberedColumnsMixin, MultiOutputMixin, BaseEstimator):
    mode: Literal["distance", "connectivity"]
    n_neighbors: Int | None
    algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"]
    leaf_size: Int
    n_jobs: Int | None
    effective_metric_: str | Any
    effective_metric_params_: dict[Any, Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_samples_fit_: int
    def __init__(
        self,
        *,
        mode: Literal["distance", "connectivity"] = "distance",
        n_neighbors: Int | None = 5,
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        leaf_size: Int = 30,
        metric: Any = "minkowski",
        p: Float | None = 2,
        metric_params: Mapping[Any, Any] | None = None,
        n_jobs: Int | None = None,
    ) -> None: ...
    def fit(self, X: Array | Sparse, y: Any = None) -> Self: ...
    def fit_transform(
        self, X: Array | Sparse, y: Array | None = None, **fit_params: Any
    ) -> NDArray[Any] | Any: ...
    def get_feature_names_out(
        self, input_features: Sequence[str] | None = None
    ) -> NDArray[Any]: ...
    def kneighbors(
        self,
        X: Array | Sparse | None = None,
        n_neighbors: Int | None = None,
        return_distance: Bool = True,
    ) -> Any: ...
    def kneighbors_graph(
        self,
        X: Array | Sparse | None = None,
        n_neighbors: Int | None = None,
        mode: Literal["connectivity", "distance"] = "connectivity",
    ) -> Any: ...
    def set_output(
        self, *, transform: Literal["default", "pandas", "polars", "pyarrow"] | None = None
    ) -> Self: ...
    def transform(self, X: Array | Sparse) -> Any: ...

class KernelDensity(BaseEstimator):
    bandwidth: Literal["scott", "silverman"] | Float
    algorithm: Literal["auto", "kd_tree", "ball_tree"]
    kernel: Literal["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"]
    metric: Literal[
        "chebyshev",
        "cityblock",
        "euclidean",
        "haversine",
        "infinity",
        "l1",
        "l2",
        "mahalanobis",
        "manhattan",
        "minkowski",
        "p",
        "seuclidean",
    ]
    atol: Float
    rtol: Float
    breadth_first: Bool
    leaf_size: Int
    metric_params: Mapping[Any, Any] | None
    bandwidth_: float
    tree_: Any
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        bandwidth: Literal["scott", "silverman"] | Float = 1.0,
        algorithm: Literal["auto", "kd_tree", "ball_tree"] = "auto",
        kernel: Literal[
            "gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"
        ] = "gaussian",
        metric: Literal[
            "chebyshev",
            "cityblock",
            "euclidean",
            "haversine",
            "infinity",
            "l1",
            "l2",
            "mahalanobis",
            "manhattan",
            "minkowski",
            "p",
            "seuclidean",
        ] = "euclidean",
        atol: Float = 0,
        rtol: Float = 0,
        breadth_first: Bool = True,
        leaf_size: Int = 40,
        metric_params: Mapping[Any, Any] | None = None,
    ) -> None: ...
    def fit(self, X: Array, y: Any = None, sample_weight: Array | None = None) -> Self: ...
    def sample(
        self,
        n_samples: Int = 1,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
    ) -> NDArray[Any]: ...
    def score(self, X: Array, y: Any = None) -> float: ...
    def score_samples(self, X: Array) -> NDArray[Any]: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class NearestCentroid(ClassifierMixin, BaseEstimator):
    metric: Literal["euclidean", "manhattan"]
    shrink_threshold: Float | None
    priors: Literal["uniform", "empirical"] | Array
    centroids_: NDArray[Any]
    classes_: NDArray[Any]
    class_prior_: NDArray[Any]
    deviations_: NDArray[Any]
    within_class_std_dev_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        metric: Literal["euclidean", "manhattan"] = "euclidean",
        *,
        shrink_threshold: Float | None = None,
        priors: Literal["uniform", "empirical"] | Array = "uniform",
    ) -> None: ...
    def fit(self, X: Array | Sparse, y: Array) -> Self: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class NearestNeighbors(MultiOutputMixin, BaseEstimator):
    n_neighbors: Int | None
    radius: Float | None
    algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"]
    leaf_size: Int
    metric: Any
    p: Float | None
    metric_params: Mapping[Any, Any] | None
    n_jobs: Int | None
    effective_metric_: str | Any
    effective_metric_params_: dict[Any, Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_samples_fit_: int
    def __init__(
        self,
        *,
        n_neighbors: Int | None = 5,
        radius: Float | None = 1.0,
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        leaf_size: Int = 30,
        metric: Any = "minkowski",
        p: Float | None = 2,
        metric_params: Mapping[Any, Any] | None = None,
        n_jobs: Int | None = None,
    ) -> None: ...
    def fit(self, X: Any, y: Any = None) -> Self: ...
    def kneighbors(
        self,
        X: Array | Sparse | None = None,
        n_neighbors: Int | None = None,
        return_distance: Bool = True,
    ) -> Any: ...
    def kneighbors_graph(
        self,
        X: Array | Sparse | None = None,
        n_neighbors: Int | None = None,
        mode: Literal["connectivity", "distance"] = "connectivity",
    ) -> Any: ...
    def radius_neighbors(
        self,
        X: Array | Sparse | None = None,
        radius: Float | Array | None = None,
        return_distance: Bool = True,
        sort_results: Bool = False,
    ) -> Any: ...
    def radius_neighbors_graph(
        self,
        X: Array | Sparse | None = None,
        radius: Float | Array | None = None,
        mode: Literal["connectivity", "distance"] = "connectivity",
        sort_results: Bool = False,
    ) -> Any: ...

class RadiusNeighborsClassifier(ClassifierMixin, MultiOutputMixin, BaseEstimator):
    radius: Float | None
    weights: Literal["uniform", "distance"] | Callable[..., Any] | None
    algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"]
    leaf_size: Int
    p: Float | None
    metric: Any
    outlier_label: Any
    metric_params: Mapping[Any, Any] | None
    n_jobs: Int | None
    classes_: NDArray[Any] | Any
    outlier_label_: list[Any] | Any
    outputs_2d_: bool
    effective_metric_: str | Any
    effective_metric_params_: dict[Any, Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_samples_fit_: int
    def __init__(
        self,
        radius: Float | None = 1.0,
        *,
        weights: Literal["uniform", "distance"] | Callable[..., Any] | None = "uniform",
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        leaf_size: Int = 30,
        p: Float | None = 2,
        metric: Any = "minkowski",
        outlier_label: Any = None,
        metric_params: Mapping[Any, Any] | None = None,
        n_jobs: Int | None = None,
    ) -> None: ...
    def fit(self, X: Any, y: Array) -> Self: ...
    def predict(self, X: Array | Sparse | None) -> NDArray[Any]: ...
    def predict_proba(self, X: Array | Sparse | None) -> NDArray[Any] | Any: ...
    def radius_neighbors(
        self,
        X: Array | Sparse | None = None,
        radius: Float | Array | None = None,
        return_distance: Bool = True,
        sort_results: Bool = False,
    ) -> Any: ...
    def radius_neighbors_graph(
        self,
        X: Array | Sparse | None = None,
        radius: Float | Array | None = None,
        mode: Literal["connectivity", "distance"] = "connectivity",
        sort_results: Bool = False,
    ) -> Any: ...
    def score(self, X: Array | None, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class RadiusNeighborsRegressor(RegressorMixin, MultiOutputMixin, BaseEstimator):
    radius: Float | None
    weights: Literal["uniform", "distance"] | Callable[..., Any] | None
    algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"]
    leaf_size: Int
    p: Float | None
    metric: Any
    metric_params: Mapping[Any, Any] | None
    n_jobs: Int | None
    effective_metric_: str | Any
    effective_metric_params_: dict[Any, Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_samples_fit_: int
    def __init__(
        self,
        radius: Float | None = 1.0,
        *,
        weights: Literal["uniform", "distance"] | Callable[..., Any] | None = "uniform",
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        leaf_size: Int = 30,
        p: Float | None = 2,
        metric: Any = "minkowski",
        metric_params: Mapping[Any, Any] | None = None,
        n_jobs: Int | None = None,
    ) -> None: ...
    def fit(self, X: Any, y: Array) -> Self: ...
    def predict(self, X: Array | Sparse | None) -> NDArray[Any]: ...
    def radius_neighbors(
        self,
        X: Array | Sparse | None = None,
        radius: Float | Array | None = None,
        return_distance: Bool = True,
        sort_results: Bool = False,
    ) -> Any: ...
    def radius_neighbors_graph(
        self,
        X: Array | Sparse | None = None,
        radius: Float | Array | None = None,
        mode: Literal["connectivity", "distance"] = "connectivity",
        sort_results: Bool = False,
    ) -> Any: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class RadiusNeighborsTransformer(NumberedColumnsMixin, MultiOutputMixin, BaseEstimator):
    mode: Literal["distance", "connectivity"]
    radius: Float | None
    algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"]
    leaf_size: Int
    n_jobs: Int | None
    effective_metric_: str | Any
    effective_metric_params_: dict[Any, Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_samples_fit_: int
    def __init__(
        self,
        *,
        mode: Literal["distance", "connectivity"] = "distance",
        radius: Float | None = 1.0,
        algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
        leaf_size: Int = 30,
        metric: Any = "minkowski",
        p: Float | None = 2,
        metric_params: Mapping[Any, Any] | None = None,
        n_jobs: Int | None = None,
    ) -> None: ...
    def fit(self, X: Array | Sparse, y: Any = None) -> Self: ...
    def fit_transform(
        self, X: Array | Sparse, y: Array | None = None, **fit_params: Any
    ) -> NDArray[Any] | Any: ...
    def get_feature_names_out(
        self, input_features: Sequence[str] | None = None
    ) -> NDArray[Any]: ...
    def radius_neighbors(
        self,
        X: Array | Sparse | None = None,
        radius: Float | Array | None = None,
        return_distance: Bool = True,
        sort_results: Bool = False,
    ) -> Any: ...
    def radius_neighbors_graph(
        self,
        X: Array | Sparse | None = None,
        radius: Float | Array | None = None,
        mode: Literal["connectivity", "distance"] = "connectivity",
        sort_results: Bool = False,
    ) -> Any: ...
    def set_output(
        self, *, transform: Literal["default", "pandas", "polars", "pyarrow"] | None = None
    ) -> Self: ...
    def transform(self, X: Array | Sparse) -> Any: ...

def kneighbors_graph(
    X: Any,
    n_neighbors: Int,
    *,
    mode: Literal["connectivity", "distance"] = "connectivity",
    metric: str = "minkowski",
    p: Float | None = 2,
    metric_params: Mapping[Any, Any] | None = None,
    include_self: Literal["auto"] | Bool = False,
    n_jobs: Int | None = None,
) -> Any: ...
def radius_neighbors_graph(
    X: Any,
    radius: Float,
    *,
    mode: Literal["connectivity", "distance"] = "connectivity",
    metric: str = "minkowski",
    p: Float | None = 2,
    metric_params: Mapping[Any, Any] | None = None,
    include_self: Literal["auto"] | Bool = False,
    n_jobs: Int | None = None,
) -> Any: ...
def sort_graph_by_row_values(
    graph: Sparse, copy: Bool = False, warn_when_not_sorted: Bool = True
) -> Any: ...
