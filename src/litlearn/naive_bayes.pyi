"""Made from the docstrings by .ci/stubs.py: do not edit."""

from typing import Any, Literal, Self

from numpy.typing import NDArray

from litlearn._core.base import BaseEstimator, ClassifierMixin
from litlearn._core.types import Array, Float

__all__ = [
    "GaussianNB",
]

class GaussianNB(ClassifierMixin, BaseEstimator):
    priors: Array | None
    var_smoothing: Float
    variance: Literal["class_feature", "feature", "class", "one"]
    class_count_: NDArray[Any]
    class_prior_: NDArray[Any]
    classes_: NDArray[Any]
    epsilon_: float
    theta_: NDArray[Any]
    var_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        priors: Array | None = None,
        var_smoothing: Float = 1e-09,
        variance: Literal["class_feature", "feature", "class", "one"] = "class_feature",
    ) -> None: ...
    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> Self: ...
    def partial_fit(
        self, X: Array, y: Array, classes: Array | None = None, sample_weight: Array | None = None
    ) -> Self: ...
    def predict(self, X: Array) -> NDArray[Any]: ...
    def predict_joint_log_proba(self, X: Array) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Array) -> NDArray[Any]: ...
    def predict_proba(self, X: Array) -> NDArray[Any]: ...
    def score(self, X: Array, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
