"""Made from the docstrings by .ci/stubs.py: do not edit."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from litlearn._core.base import BaseEstimator, ClassifierMixin, RegressorMixin
from litlearn._core.types import Array, Bool, Float, Int, Sparse

__all__ = [
    "SVC",
    "SVR",
    "LinearSVC",
    "LinearSVR",
    "NuSVC",
    "NuSVR",
]

class SVC(ClassifierMixin, BaseEstimator):
    C: Float
    kernel: Literal["linear", "poly", "rbf", "sigmoid", "precomputed"] | Callable[..., Any]
    degree: Int
    gamma: Literal["scale", "auto"] | Float
    coef0: Float
    shrinking: Bool
    probability: Literal["deprecated"] | Bool
    tol: Float
    cache_size: Float
    class_weight: Mapping[Any, Any] | Literal["balanced"] | None
    verbose: Bool | Int
    max_iter: Int
    decision_function_shape: Literal["ovr", "ovo"]
    break_ties: Bool
    random_state: Int | np.random.RandomState | np.random.Generator | None
    classes_: NDArray[Any]
    class_weight_: NDArray[Any]
    support_: NDArray[Any]
    support_vectors_: NDArray[Any] | Any
    n_support_: NDArray[Any]
    dual_coef_: NDArray[Any] | Any
    coef_: NDArray[Any] | Any
    intercept_: NDArray[Any]
    dual_gap_: NDArray[Any]
    n_iter_: NDArray[Any]
    fit_status_: int
    shape_fit_: tuple[Any, ...]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        C: Float = 1.0,
        kernel: Literal["linear", "poly", "rbf", "sigmoid", "precomputed"]
        | Callable[..., Any] = "rbf",
        degree: Int = 3,
        gamma: Literal["scale", "auto"] | Float = "scale",
        coef0: Float = 0.0,
        shrinking: Bool = True,
        probability: Literal["deprecated"] | Bool = "deprecated",
        tol: Float = 0.001,
        cache_size: Float = 200,
        class_weight: Mapping[Any, Any] | Literal["balanced"] | None = None,
        verbose: Bool | Int = False,
        max_iter: Int = -1,
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        break_ties: Bool = False,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
    ) -> None: ...
    def decision_function(self, X: Array | Sparse) -> NDArray[Any]: ...
    def fit(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> Self: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Array | Sparse) -> NDArray[Any]: ...
    def predict_proba(self, X: Array | Sparse) -> NDArray[Any]: ...
    @property
    def probA_(self) -> Any: ...
    @property
    def probB_(self) -> Any: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class SVR(RegressorMixin, BaseEstimator):
    kernel: Literal["linear", "poly", "rbf", "sigmoid", "precomputed"] | Callable[..., Any]
    degree: Int
    gamma: Literal["scale", "auto"] | Float
    coef0: Float
    tol: Float
    C: Float
    epsilon: Float
    shrinking: Bool
    cache_size: Float
    verbose: Bool | Int
    max_iter: Int
    support_: NDArray[Any]
    support_vectors_: NDArray[Any] | Any
    n_support_: NDArray[Any]
    dual_coef_: NDArray[Any] | Any
    coef_: NDArray[Any] | Any
    intercept_: NDArray[Any]
    dual_gap_: float
    n_iter_: int
    fit_status_: int
    shape_fit_: tuple[Any, ...]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        kernel: Literal["linear", "poly", "rbf", "sigmoid", "precomputed"]
        | Callable[..., Any] = "rbf",
        degree: Int = 3,
        gamma: Literal["scale", "auto"] | Float = "scale",
        coef0: Float = 0.0,
        tol: Float = 0.001,
        C: Float = 1.0,
        epsilon: Float = 0.1,
        shrinking: Bool = True,
        cache_size: Float = 200,
        verbose: Bool | Int = False,
        max_iter: Int = -1,
    ) -> None: ...
    def fit(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> Self: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class LinearSVC(ClassifierMixin, BaseEstimator):
    penalty: Literal["l1", "l2"]
    loss: Literal["hinge", "squared_hinge"]
    dual: Literal["auto"] | Bool
    tol: Float
    C: Float
    multi_class: Literal["ovr", "crammer_singer"]
    fit_intercept: Bool
    intercept_scaling: Float
    class_weight: Mapping[Any, Any] | Literal["balanced"] | None
    verbose: Bool | Int
    random_state: Int | np.random.RandomState | np.random.Generator | None
    max_iter: Int
    classes_: NDArray[Any]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    dual_gap_: NDArray[Any]
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        penalty: Literal["l1", "l2"] = "l2",
        loss: Literal["hinge", "squared_hinge"] = "squared_hinge",
        *,
        dual: Literal["auto"] | Bool = "auto",
        tol: Float = 0.0001,
        C: Float = 1.0,
        multi_class: Literal["ovr", "crammer_singer"] = "ovr",
        fit_intercept: Bool = True,
        intercept_scaling: Float = 1,
        class_weight: Mapping[Any, Any] | Literal["balanced"] | None = None,
        verbose: Bool | Int = 0,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        max_iter: Int = 1000,
    ) -> None: ...
    def decision_function(self, X: Array | Sparse) -> NDArray[Any]: ...
    def densify(self) -> Self: ...
    def fit(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> Self: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def sparsify(self) -> Self: ...

class LinearSVR(RegressorMixin, BaseEstimator):
    epsilon: Float
    tol: Float
    C: Float
    loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"]
    fit_intercept: Bool
    intercept_scaling: Float
    dual: Literal["auto"] | Bool
    verbose: Bool | Int
    random_state: Int | np.random.RandomState | np.random.Generator | None
    max_iter: Int
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    dual_gap_: float
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        epsilon: Float = 0.0,
        tol: Float = 0.0001,
        C: Float = 1.0,
        loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = "epsilon_insensitive",
        fit_intercept: Bool = True,
        intercept_scaling: Float = 1.0,
        dual: Literal["auto"] | Bool = "auto",
        verbose: Bool | Int = 0,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        max_iter: Int = 1000,
    ) -> None: ...
    def fit(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> Self: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class NuSVC(ClassifierMixin, BaseEstimator):
    nu: Float
    kernel: Literal["linear", "poly", "rbf", "sigmoid", "precomputed"] | Callable[..., Any]
    degree: Int
    gamma: Literal["scale", "auto"] | Float
    coef0: Float
    shrinking: Bool
    probability: Literal["deprecated"] | Bool
    tol: Float
    cache_size: Float
    class_weight: Mapping[Any, Any] | Literal["balanced"] | None
    verbose: Bool | Int
    max_iter: Int
    decision_function_shape: Literal["ovr", "ovo"]
    break_ties: Bool
    random_state: Int | np.random.RandomState | np.random.Generator | None
    classes_: NDArray[Any]
    class_weight_: NDArray[Any]
    support_: NDArray[Any]
    support_vectors_: NDArray[Any] | Any
    n_support_: NDArray[Any]
    dual_coef_: NDArray[Any] | Any
    coef_: NDArray[Any] | Any
    intercept_: NDArray[Any]
    dual_gap_: NDArray[Any]
    n_iter_: NDArray[Any]
    fit_status_: int
    shape_fit_: tuple[Any, ...]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        nu: Float = 0.5,
        kernel: Literal["linear", "poly", "rbf", "sigmoid", "precomputed"]
        | Callable[..., Any] = "rbf",
        degree: Int = 3,
        gamma: Literal["scale", "auto"] | Float = "scale",
        coef0: Float = 0.0,
        shrinking: Bool = True,
        probability: Literal["deprecated"] | Bool = "deprecated",
        tol: Float = 0.001,
        cache_size: Float = 200,
        class_weight: Mapping[Any, Any] | Literal["balanced"] | None = None,
        verbose: Bool | Int = False,
        max_iter: Int = -1,
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        break_ties: Bool = False,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
    ) -> None: ...
    def decision_function(self, X: Array | Sparse) -> NDArray[Any]: ...
    def fit(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> Self: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Array | Sparse) -> NDArray[Any]: ...
    def predict_proba(self, X: Array | Sparse) -> NDArray[Any]: ...
    @property
    def probA_(self) -> Any: ...
    @property
    def probB_(self) -> Any: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class NuSVR(RegressorMixin, BaseEstimator):
    nu: Float
    C: Float
    kernel: Literal["linear", "poly", "rbf", "sigmoid", "precomputed"] | Callable[..., Any]
    degree: Int
    gamma: Literal["scale", "auto"] | Float
    coef0: Float
    shrinking: Bool
    tol: Float
    cache_size: Float
    verbose: Bool | Int
    max_iter: Int
    support_: NDArray[Any]
    support_vectors_: NDArray[Any] | Any
    n_support_: NDArray[Any]
    dual_coef_: NDArray[Any] | Any
    coef_: NDArray[Any] | Any
    intercept_: NDArray[Any]
    dual_gap_: float
    n_iter_: int
    fit_status_: int
    shape_fit_: tuple[Any, ...]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        nu: Float = 0.5,
        C: Float = 1.0,
        kernel: Literal["linear", "poly", "rbf", "sigmoid", "precomputed"]
        | Callable[..., Any] = "rbf",
        degree: Int = 3,
        gamma: Literal["scale", "auto"] | Float = "scale",
        coef0: Float = 0.0,
        shrinking: Bool = True,
        tol: Float = 0.001,
        cache_size: Float = 200,
        verbose: Bool | Int = False,
        max_iter: Int = -1,
    ) -> None: ...
    def fit(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> Self: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
