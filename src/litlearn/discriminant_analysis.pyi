"""Made from the docstrings by .ci/stubs.py: do not edit."""

from collections.abc import Sequence
from typing import Any, Literal, Self

from numpy.typing import NDArray

from litlearn._core.base import BaseEstimator, ClassifierMixin, NumberedColumnsMixin
from litlearn._core.types import Array, Bool, Float, Int

__all__ = [
    "LinearDiscriminantAnalysis",
    "QuadraticDiscriminantAnalysis",
]

class LinearDiscriminantAnalysis(NumberedColumnsMixin, ClassifierMixin, BaseEstimator):
    solver: Literal["svd", "lsqr", "eigen"]
    shrinkage: Literal["auto"] | Float | None
    priors: Array | None
    n_components: Int | None
    store_covariance: Bool
    tol: Float
    covariance_estimator: Any
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    covariance_: NDArray[Any]
    explained_variance_ratio_: NDArray[Any]
    means_: NDArray[Any]
    priors_: NDArray[Any]
    scalings_: NDArray[Any]
    xbar_: NDArray[Any]
    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        solver: Literal["svd", "lsqr", "eigen"] = "svd",
        shrinkage: Literal["auto"] | Float | None = None,
        priors: Array | None = None,
        n_components: Int | None = None,
        store_covariance: Bool = False,
        tol: Float = 0.0001,
        covariance_estimator: Any = None,
    ) -> None: ...
    def decision_function(self, X: Array) -> NDArray[Any]: ...
    def fit(self, X: Array, y: Array) -> Self: ...
    def fit_transform(
        self, X: Array, y: Array | None = None, **fit_params: Any
    ) -> NDArray[Any] | Any: ...
    def get_feature_names_out(
        self, input_features: Sequence[str] | None = None
    ) -> NDArray[Any]: ...
    def predict(self, X: Array) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Array) -> NDArray[Any]: ...
    def predict_proba(self, X: Array) -> NDArray[Any]: ...
    def score(self, X: Array, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_output(
        self, *, transform: Literal["default", "pandas", "polars", "pyarrow"] | None = None
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def transform(self, X: Array) -> NDArray[Any]: ...

class QuadraticDiscriminantAnalysis(ClassifierMixin, BaseEstimator):
    solver: Literal["svd", "eigen"]
    shrinkage: Literal["auto"] | Float | None
    priors: Array | None
    reg_param: Float
    store_covariance: Bool
    tol: Float
    covariance_estimator: Any
    covariance_: list[NDArray[Any]]
    means_: NDArray[Any]
    priors_: NDArray[Any]
    rotations_: list[NDArray[Any]]
    scalings_: list[NDArray[Any]]
    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        solver: Literal["svd", "eigen"] = "svd",
        shrinkage: Literal["auto"] | Float | None = None,
        priors: Array | None = None,
        reg_param: Float = 0.0,
        store_covariance: Bool = False,
        tol: Float = 0.0001,
        covariance_estimator: Any = None,
    ) -> None: ...
    def decision_function(self, X: Array) -> NDArray[Any]: ...
    def fit(self, X: Array, y: Array) -> Self: ...
    def predict(self, X: Array) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Array) -> NDArray[Any]: ...
    def predict_proba(self, X: Array) -> NDArray[Any]: ...
    def score(self, X: Array, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
