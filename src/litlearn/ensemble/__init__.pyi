"""Made from the docstrings by .ci/stubs.py: do not edit."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from litlearn._core.base import BaseEstimator, ClassifierMixin, MultiOutputMixin, RegressorMixin
from litlearn._core.types import Array, Bool, Float, Int, Sparse

__all__ = [
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
]

class ExtraTreesClassifier(ClassifierMixin, MultiOutputMixin, BaseEstimator):
    n_estimators: Int
    criterion: Literal["gini", "entropy", "log_loss", "misclassification"]
    max_depth: Int | None
    min_samples_split: Int | Float
    min_samples_leaf: Int | Float
    min_weight_fraction_leaf: Float
    max_features: Literal["sqrt", "log2"] | Int | Float | None
    max_leaf_nodes: Int | None
    min_impurity_decrease: Float
    bootstrap: Bool
    oob_score: Bool | Callable[..., Any]
    n_jobs: Int | None
    random_state: Int | np.random.RandomState | np.random.Generator | None
    verbose: Bool | Int
    warm_start: Bool
    class_weight: (
        Literal["balanced", "balanced_subsample"]
        | Mapping[Any, Any]
        | Sequence[Mapping[Any, Any]]
        | None
    )
    ccp_alpha: Float
    max_samples: Int | Float | None
    monotonic_cst: Array | None
    categorical_features: Literal["from_dtype"] | Array | None
    voting: Literal["soft", "hard"]
    estimators_: list[Any] | Any
    oob_score_: float
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    is_categorical_: NDArray[Any] | Any
    levels_: dict[Any, Any]
    n_outputs_: int
    max_features_: int
    feature_importances_: NDArray[Any]
    classes_: NDArray[Any] | Any
    n_classes_: int | Any
    oob_decision_function_: NDArray[Any]
    def __init__(
        self,
        n_estimators: Int = 100,
        *,
        criterion: Literal["gini", "entropy", "log_loss", "misclassification"] = "gini",
        max_depth: Int | None = None,
        min_samples_split: Int | Float = 2,
        min_samples_leaf: Int | Float = 1,
        min_weight_fraction_leaf: Float = 0.0,
        max_features: Literal["sqrt", "log2"] | Int | Float | None = "sqrt",
        max_leaf_nodes: Int | None = None,
        min_impurity_decrease: Float = 0.0,
        bootstrap: Bool = False,
        oob_score: Bool | Callable[..., Any] = False,
        n_jobs: Int | None = None,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        verbose: Bool | Int = 0,
        warm_start: Bool = False,
        class_weight: Literal["balanced", "balanced_subsample"]
        | Mapping[Any, Any]
        | Sequence[Mapping[Any, Any]]
        | None = None,
        ccp_alpha: Float = 0.0,
        max_samples: Int | Float | None = None,
        monotonic_cst: Array | None = None,
        categorical_features: Literal["from_dtype"] | Array | None = None,
        voting: Literal["soft", "hard"] = "soft",
    ) -> None: ...
    def apply(self, X: Array | Sparse) -> NDArray[Any]: ...
    def decision_path(self, X: Array | Sparse) -> tuple[Any, NDArray[Any]]: ...
    @property
    def estimator(self) -> Any: ...
    @property
    def estimator_(self) -> Any: ...
    @property
    def estimators_samples_(self) -> Any: ...
    def fit(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> Self: ...
    def out_of_bag_importances(
        self,
        X: Array | Sparse,
        y: Array,
        *,
        n_repeats: Int = 5,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        sample_weight: Array | None = None,
    ) -> Any: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Array | Sparse) -> NDArray[Any] | Any: ...
    def predict_proba(self, X: Array | Sparse) -> NDArray[Any] | Any: ...
    def predict_standard_error(self, X: Array | Sparse) -> NDArray[Any] | Any: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class ExtraTreesRegressor(RegressorMixin, MultiOutputMixin, BaseEstimator):
    n_estimators: Int
    criterion: Literal["squared_error", "absolute_error", "poisson"]
    max_depth: Int | None
    min_samples_split: Int | Float
    min_samples_leaf: Int | Float
    min_weight_fraction_leaf: Float
    max_features: Literal["sqrt", "log2"] | Int | Float | None
    max_leaf_nodes: Int | None
    min_impurity_decrease: Float
    bootstrap: Bool
    oob_score: Bool | Callable[..., Any]
    n_jobs: Int | None
    random_state: Int | np.random.RandomState | np.random.Generator | None
    verbose: Bool | Int
    warm_start: Bool
    ccp_alpha: Float
    max_samples: Int | Float | None
    monotonic_cst: Array | None
    categorical_features: Literal["from_dtype"] | Array | None
    estimators_: list[Any] | Any
    oob_score_: float
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    is_categorical_: NDArray[Any] | Any
    levels_: dict[Any, Any]
    n_outputs_: int
    max_features_: int
    feature_importances_: NDArray[Any]
    oob_prediction_: NDArray[Any]
    def __init__(
        self,
        n_estimators: Int = 100,
        *,
        criterion: Literal["squared_error", "absolute_error", "poisson"] = "squared_error",
        max_depth: Int | None = None,
        min_samples_split: Int | Float = 2,
        min_samples_leaf: Int | Float = 1,
        min_weight_fraction_leaf: Float = 0.0,
        max_features: Literal["sqrt", "log2"] | Int | Float | None = 1.0,
        max_leaf_nodes: Int | None = None,
        min_impurity_decrease: Float = 0.0,
        bootstrap: Bool = False,
        oob_score: Bool | Callable[..., Any] = False,
        n_jobs: Int | None = None,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        verbose: Bool | Int = 0,
        warm_start: Bool = False,
        ccp_alpha: Float = 0.0,
        max_samples: Int | Float | None = None,
        monotonic_cst: Array | None = None,
        categorical_features: Literal["from_dtype"] | Array | None = None,
    ) -> None: ...
    def apply(self, X: Array | Sparse) -> NDArray[Any]: ...
    def decision_path(self, X: Array | Sparse) -> tuple[Any, NDArray[Any]]: ...
    @property
    def estimator(self) -> Any: ...
    @property
    def estimator_(self) -> Any: ...
    @property
    def estimators_samples_(self) -> Any: ...
    def fit(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> Self: ...
    def out_of_bag_importances(
        self,
        X: Array | Sparse,
        y: Array,
        *,
        n_repeats: Int = 5,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        sample_weight: Array | None = None,
    ) -> Any: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def predict_quantiles(
        self,
        X: Array | Sparse,
        quantiles: Float | Array = (0.05, 0.5, 0.95),
        *,
        X_train: Array | Sparse,
        y_train: Array,
    ) -> NDArray[Any]: ...
    def predict_standard_error(self, X: Array | Sparse) -> NDArray[Any] | Any: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class RandomForestClassifier(ClassifierMixin, MultiOutputMixin, BaseEstimator):
    n_estimators: Int
    criterion: Literal["gini", "entropy", "log_loss", "misclassification"]
    max_depth: Int | None
    min_samples_split: Int | Float
    min_samples_leaf: Int | Float
    min_weight_fraction_leaf: Float
    max_features: Literal["sqrt", "log2"] | Int | Float | None
    max_leaf_nodes: Int | None
    min_impurity_decrease: Float
    bootstrap: Bool
    oob_score: Bool | Callable[..., Any]
    n_jobs: Int | None
    random_state: Int | np.random.RandomState | np.random.Generator | None
    verbose: Bool | Int
    warm_start: Bool
    class_weight: (
        Literal["balanced", "balanced_subsample"]
        | Mapping[Any, Any]
        | Sequence[Mapping[Any, Any]]
        | None
    )
    ccp_alpha: Float
    max_samples: Int | Float | None
    monotonic_cst: Array | None
    categorical_features: Literal["from_dtype"] | Array | None
    max_bins: Int | None
    voting: Literal["soft", "hard"]
    estimators_: list[Any] | Any
    oob_score_: float
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    is_categorical_: NDArray[Any] | Any
    levels_: dict[Any, Any]
    n_outputs_: int
    max_features_: int
    feature_importances_: NDArray[Any]
    classes_: NDArray[Any] | Any
    n_classes_: int | Any
    oob_decision_function_: NDArray[Any]
    def __init__(
        self,
        n_estimators: Int = 100,
        *,
        criterion: Literal["gini", "entropy", "log_loss", "misclassification"] = "gini",
        max_depth: Int | None = None,
        min_samples_split: Int | Float = 2,
        min_samples_leaf: Int | Float = 1,
        min_weight_fraction_leaf: Float = 0.0,
        max_features: Literal["sqrt", "log2"] | Int | Float | None = "sqrt",
        max_leaf_nodes: Int | None = None,
        min_impurity_decrease: Float = 0.0,
        bootstrap: Bool = True,
        oob_score: Bool | Callable[..., Any] = False,
        n_jobs: Int | None = None,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        verbose: Bool | Int = 0,
        warm_start: Bool = False,
        class_weight: Literal["balanced", "balanced_subsample"]
        | Mapping[Any, Any]
        | Sequence[Mapping[Any, Any]]
        | None = None,
        ccp_alpha: Float = 0.0,
        max_samples: Int | Float | None = None,
        monotonic_cst: Array | None = None,
        categorical_features: Literal["from_dtype"] | Array | None = None,
        max_bins: Int | None = None,
        voting: Literal["soft", "hard"] = "soft",
    ) -> None: ...
    def apply(self, X: Array | Sparse) -> NDArray[Any]: ...
    def decision_path(self, X: Array | Sparse) -> tuple[Any, NDArray[Any]]: ...
    @property
    def estimator(self) -> Any: ...
    @property
    def estimator_(self) -> Any: ...
    @property
    def estimators_samples_(self) -> Any: ...
    def fit(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> Self: ...
    def out_of_bag_importances(
        self,
        X: Array | Sparse,
        y: Array,
        *,
        n_repeats: Int = 5,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        sample_weight: Array | None = None,
    ) -> Any: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Array | Sparse) -> NDArray[Any] | Any: ...
    def predict_proba(self, X: Array | Sparse) -> NDArray[Any] | Any: ...
    def predict_standard_error(self, X: Array | Sparse) -> NDArray[Any] | Any: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class RandomForestRegressor(RegressorMixin, MultiOutputMixin, BaseEstimator):
    n_estimators: Int
    criterion: Literal["squared_error", "absolute_error", "poisson"]
    max_depth: Int | None
    min_samples_split: Int | Float
    min_samples_leaf: Int | Float
    min_weight_fraction_leaf: Float
    max_features: Literal["sqrt", "log2"] | Int | Float | None
    max_leaf_nodes: Int | None
    min_impurity_decrease: Float
    bootstrap: Bool
    oob_score: Bool | Callable[..., Any]
    n_jobs: Int | None
    random_state: Int | np.random.RandomState | np.random.Generator | None
    verbose: Bool | Int
    warm_start: Bool
    ccp_alpha: Float
    max_samples: Int | Float | None
    monotonic_cst: Array | None
    categorical_features: Literal["from_dtype"] | Array | None
    max_bins: Int | None
    estimators_: list[Any] | Any
    oob_score_: float
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    is_categorical_: NDArray[Any] | Any
    levels_: dict[Any, Any]
    n_outputs_: int
    max_features_: int
    feature_importances_: NDArray[Any]
    oob_prediction_: NDArray[Any]
    def __init__(
        self,
        n_estimators: Int = 100,
        *,
        criterion: Literal["squared_error", "absolute_error", "poisson"] = "squared_error",
        max_depth: Int | None = None,
        min_samples_split: Int | Float = 2,
        min_samples_leaf: Int | Float = 1,
        min_weight_fraction_leaf: Float = 0.0,
        max_features: Literal["sqrt", "log2"] | Int | Float | None = 1.0,
        max_leaf_nodes: Int | None = None,
        min_impurity_decrease: Float = 0.0,
        bootstrap: Bool = True,
        oob_score: Bool | Callable[..., Any] = False,
        n_jobs: Int | None = None,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        verbose: Bool | Int = 0,
        warm_start: Bool = False,
        ccp_alpha: Float = 0.0,
        max_samples: Int | Float | None = None,
        monotonic_cst: Array | None = None,
        categorical_features: Literal["from_dtype"] | Array | None = None,
        max_bins: Int | None = None,
    ) -> None: ...
    def apply(self, X: Array | Sparse) -> NDArray[Any]: ...
    def decision_path(self, X: Array | Sparse) -> tuple[Any, NDArray[Any]]: ...
    @property
    def estimator(self) -> Any: ...
    @property
    def estimator_(self) -> Any: ...
    @property
    def estimators_samples_(self) -> Any: ...
    def fit(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> Self: ...
    def out_of_bag_importances(
        self,
        X: Array | Sparse,
        y: Array,
        *,
        n_repeats: Int = 5,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        sample_weight: Array | None = None,
    ) -> Any: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def predict_quantiles(
        self,
        X: Array | Sparse,
        quantiles: Float | Array = (0.05, 0.5, 0.95),
        *,
        X_train: Array | Sparse,
        y_train: Array,
    ) -> NDArray[Any]: ...
    def predict_standard_error(self, X: Array | Sparse) -> NDArray[Any] | Any: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
