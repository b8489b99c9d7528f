"""Made from the docstrings by .ci/stubs.py: do not edit."""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from litlearn._core.base import BaseEstimator, DensityMixin
from litlearn._core.types import Array, Bool, Float, Int

__all__ = [
    "GaussianMixture",
]

class GaussianMixture(DensityMixin, BaseEstimator):
    n_components: Int
    covariance_type: Literal["full", "tied", "diag", "spherical"]
    tol: Float
    reg_covar: Float
    max_iter: Int
    n_init: Int
    init_params: Literal["kmeans", "k-means++", "random", "random_from_data"]
    weights_init: Array | None
    means_init: Array | None
    precisions_init: Array | None
    random_state: Int | np.random.RandomState | np.random.Generator | None
    warm_start: Bool
    verbose: Bool | Int
    verbose_interval: Int
    weights_: NDArray[Any]
    means_: NDArray[Any]
    covariances_: NDArray[Any]
    precisions_: NDArray[Any]
    precisions_cholesky_: NDArray[Any]
    converged_: bool
    n_iter_: int
    lower_bound_: float
    lower_bounds_: list[float]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        n_components: Int = 1,
        *,
        covariance_type: Literal["full", "tied", "diag", "spherical"] = "full",
        tol: Float = 0.001,
        reg_covar: Float = 1e-06,
        max_iter: Int = 100,
        n_init: Int = 1,
        init_params: Literal["kmeans", "k-means++", "random", "random_from_data"] = "kmeans",
        weights_init: Array | None = None,
        means_init: Array | None = None,
        precisions_init: Array | None = None,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        warm_start: Bool = False,
        verbose: Bool | Int = 0,
        verbose_interval: Int = 10,
    ) -> None: ...
    def aic(self, X: Array) -> float: ...
    def bic(self, X: Array) -> float: ...
    def fit(self, X: Array, y: None = None, sample_weight: Array | None = None) -> Self: ...
    def fit_predict(
        self, X: Array, y: None = None, sample_weight: Array | None = None
    ) -> NDArray[Any]: ...
    def partial_fit(self, X: Array, y: None = None, sample_weight: Array | None = None) -> Self: ...
    def predict(self, X: Array) -> NDArray[Any]: ...
    def predict_proba(self, X: Array) -> NDArray[Any]: ...
    def sample(self, n_samples: Int = 1) -> tuple[NDArray[Any], NDArray[Any]]: ...
    def score(self, X: Array, y: None = None, sample_weight: Array | None = None) -> float: ...
    def score_samples(self, X: Array) -> NDArray[Any]: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_partial_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
