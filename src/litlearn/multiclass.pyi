"""Made from the docstrings by .ci/stubs.py: do not edit."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from litlearn._core.base import BaseEstimator, ClassifierMixin, MultiOutputMixin
from litlearn._core.types import Array, Bool, Float, Int, Sparse

__all__ = [
    "OneVsOneClassifier",
    "OneVsRestClassifier",
    "OutputCodeClassifier",
]

class OneVsOneClassifier(ClassifierMixin, BaseEstimator):
    estimator: Any
    n_jobs: Int | None
    estimators_: tuple[Any, ...] | Any
    classes_: NDArray[Any]
    n_classes_: int
    pairwise_indices_: tuple[NDArray[Any], ...] | None
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(self, estimator: Any, *, n_jobs: Int | None = None) -> None: ...
    def decision_function(self, X: Array | Sparse) -> NDArray[Any]: ...
    def fit(self, X: Array | Sparse, y: Array, **fit_params: Any) -> Self: ...
    def get_metadata_routing(self) -> Any: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class OneVsRestClassifier(MultiOutputMixin, ClassifierMixin, BaseEstimator):
    estimator: Any
    n_jobs: Int | None
    verbose: Bool | Int
    estimators_: list[Any] | Any
    classes_: NDArray[Any]
    n_classes_: int
    multilabel_: bool
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self, estimator: Any, *, n_jobs: Int | None = None, verbose: Bool | Int = 0
    ) -> None: ...
    def fit(self, X: Array | Sparse, y: Array | Sparse, **fit_params: Any) -> Self: ...
    def get_metadata_routing(self) -> Any: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class OutputCodeClassifier(ClassifierMixin, BaseEstimator):
    estimator: Any
    code_size: Float
    random_state: Int | np.random.RandomState | np.random.Generator | None
    n_jobs: Int | None
    code_book: Array | None
    estimators_: list[Any] | Any
    classes_: NDArray[Any]
    code_book_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        estimator: Any,
        *,
        code_size: Float = 1.5,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: Int | None = None,
        code_book: Array | None = None,
    ) -> None: ...
    def fit(self, X: Array | Sparse, y: Array, **fit_params: Any) -> Self: ...
    def get_metadata_routing(self) -> Any: ...
    @property
    def n_classes_(self) -> Any: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
