"""Made from the docstrings by .ci/stubs.py: do not edit."""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from litlearn._core.base import BaseEstimator, ClassifierMixin, RegressorMixin
from litlearn._core.types import Array, Bool, Float, Int, Sparse

__all__ = [
    "CrossConformalRegressor",
    "SplitConformalClassifier",
    "SplitConformalRegressor",
]

class CrossConformalRegressor(RegressorMixin, BaseEstimator):
    estimator: Any
    confidence_level: Float
    cv: Any
    random_state: Int | np.random.RandomState | np.random.Generator | None
    estimators_: list[Any] | Any
    folds_: NDArray[Any]
    conformity_scores_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        estimator: Any,
        *,
        confidence_level: Float = 0.9,
        cv: Any = 5,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
    ) -> None: ...
    def fit(
        self,
        X: Array | Sparse,
        y: Array,
        sample_weight: Float | Array | None = None,
        *,
        groups: Array | None = None,
    ) -> Self: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def predict_interval(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(
        self, *, groups: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class SplitConformalClassifier(ClassifierMixin, BaseEstimator):
    estimator: Any
    confidence_level: Float
    conformity_score: Literal["lac", "aps", "aps_randomized"]
    class_conditional: Bool
    prefit: Bool
    calibration_size: Float
    random_state: Int | np.random.RandomState | np.random.Generator | None
    estimator_: Any
    classes_: NDArray[Any]
    quantiles_: dict[Any, Any]
    calibration_sizes_: dict[Any, Any]
    conformity_scores_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        estimator: Any,
        *,
        confidence_level: Float = 0.9,
        conformity_score: Literal["lac", "aps", "aps_randomized"] = "lac",
        class_conditional: Bool = False,
        prefit: Bool = False,
        calibration_size: Float = 0.5,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
    ) -> None: ...
    def conformalize(
        self,
        X: Array | Sparse,
        y: Array,
        sample_weight: Float | Array | None = None,
        *,
        partition: Array | None = None,
    ) -> Self: ...
    def fit(
        self,
        X: Array | Sparse,
        y: Array,
        sample_weight: Float | Array | None = None,
        *,
        groups: Array | None = None,
        partition: Array | None = None,
    ) -> Self: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def predict_proba(self, X: Array | Sparse) -> NDArray[Any]: ...
    def predict_set(
        self,
        X: Array | Sparse,
        *,
        sample_weight: Float | Array | None = None,
        partition: Array | None = None,
    ) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(
        self,
        *,
        groups: bool | str | None = ...,
        partition: bool | str | None = ...,
        sample_weight: bool | str | None = ...,
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class SplitConformalRegressor(RegressorMixin, BaseEstimator):
    estimator: Any
    confidence_level: Float
    prefit: Bool
    calibration_size: Float
    random_state: Int | np.random.RandomState | np.random.Generator | None
    estimator_: Any
    quantiles_: dict[Any, Any]
    calibration_sizes_: dict[Any, Any]
    conformity_scores_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        estimator: Any,
        *,
        confidence_level: Float = 0.9,
        prefit: Bool = False,
        calibration_size: Float = 0.5,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
    ) -> None: ...
    def conformalize(
        self,
        X: Array | Sparse,
        y: Array,
        sample_weight: Float | Array | None = None,
        *,
        partition: Array | None = None,
    ) -> Self: ...
    def fit(
        self,
        X: Array | Sparse,
        y: Array,
        sample_weight: Float | Array | None = None,
        *,
        groups: Array | None = None,
        partition: Array | None = None,
    ) -> Self: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def predict_interval(
        self,
        X: Array | Sparse,
        *,
        sample_weight: Float | Array | None = None,
        partition: Array | None = None,
    ) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(
        self,
        *,
        groups: bool | str | None = ...,
        partition: bool | str | None = ...,
        sample_weight: bool | str | None = ...,
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
