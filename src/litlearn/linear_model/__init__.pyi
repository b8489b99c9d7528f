"""Made from the docstrings by .ci/stubs.py: do not edit."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from litlearn._core.base import BaseEstimator, ClassifierMixin, MultiOutputMixin, RegressorMixin
from litlearn._core.types import Array, Bool, Float, Int, Sparse

__all__ = [
    "ElasticNet",
    "ElasticNetCV",
    "Lasso",
    "LassoCV",
    "LinearRegression",
    "LogisticRegression",
    "LogisticRegressionCV",
    "MultiTaskElasticNet",
    "MultiTaskLasso",
    "Ridge",
    "RidgeCV",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "SGDClassifier",
    "SGDRegressor",
    "enet_path",
    "lasso_path",
]

class ElasticNet(MultiOutputMixin, RegressorMixin, BaseEstimator):
    alpha: Float
    l1_ratio: Float
    fit_intercept: Bool
    precompute: Bool | Array
    max_iter: Int | None
    copy_X: Bool
    tol: Float
    warm_start: Bool
    positive: Bool
    random_state: Int | np.random.RandomState | np.random.Generator | None
    selection: Literal["cyclic", "random"]
    coef_: NDArray[Any]
    intercept_: float | Any
    sparse_coef_: Any
    dual_gap_: float | Any
    n_iter_: int | Any
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        alpha: Float = 1.0,
        *,
        l1_ratio: Float = 0.5,
        fit_intercept: Bool = True,
        precompute: Bool | Array = False,
        max_iter: Int | None = 1000,
        copy_X: Bool = True,
        tol: Float = 0.0001,
        warm_start: Bool = False,
        positive: Bool = False,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        selection: Literal["cyclic", "random"] = "cyclic",
    ) -> None: ...
    def fit(
        self,
        X: Array | Sparse,
        y: Array,
        sample_weight: Float | Array | None = None,
        check_input: Bool = True,
    ) -> Self: ...
    @staticmethod
    def path(
        X: Array | Sparse,
        y: Array,
        *,
        l1_ratio: Float = 0.5,
        eps: Float = 0.001,
        n_alphas: Int | Literal["deprecated"] = "deprecated",
        alphas: Int | Array | Literal["warn"] = "warn",
        precompute: Literal["auto"] | Bool | Array = "auto",
        Xy: Array | None = None,
        copy_X: Bool = True,
        coef_init: Array | None = None,
        verbose: Bool | Int = False,
        return_n_iter: Bool = False,
        positive: Bool = False,
        check_input: Bool = True,
        **params: Any,
    ) -> Any: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class ElasticNetCV(RegressorMixin, BaseEstimator):
    l1_ratio: Float | Array
    eps: Float
    alphas: Int | Array
    fit_intercept: Bool
    precompute: Literal["auto"] | Bool | Array
    max_iter: Int
    tol: Float
    cv: Any
    copy_X: Bool
    verbose: Bool | Int
    n_jobs: Int | None
    positive: Bool
    random_state: Int | np.random.RandomState | np.random.Generator | None
    selection: Literal["cyclic", "random"]
    alpha_: float
    l1_ratio_: float
    coef_: NDArray[Any]
    intercept_: float
    mse_path_: NDArray[Any]
    alphas_: NDArray[Any]
    dual_gap_: float
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        l1_ratio: Float | Array = 0.5,
        eps: Float = 0.001,
        alphas: Int | Array = 100,
        fit_intercept: Bool = True,
        precompute: Literal["auto"] | Bool | Array = "auto",
        max_iter: Int = 1000,
        tol: Float = 0.0001,
        cv: Any = None,
        copy_X: Bool = True,
        verbose: Bool | Int = 0,
        n_jobs: Int | None = None,
        positive: Bool = False,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        selection: Literal["cyclic", "random"] = "cyclic",
    ) -> None: ...
    def fit(
        self, X: Array | Sparse, y: Array, sample_weight: Float | Array | None = None, **params: Any
    ) -> Self: ...
    @staticmethod
    def path(
        X: Array | Sparse,
        y: Array,
        *,
        l1_ratio: Float = 0.5,
        eps: Float = 0.001,
        n_alphas: Int | Literal["deprecated"] = "deprecated",
        alphas: Int | Array | Literal["warn"] = "warn",
        precompute: Literal["auto"] | Bool | Array = "auto",
        Xy: Array | None = None,
        copy_X: Bool = True,
        coef_init: Array | None = None,
        verbose: Bool | Int = False,
        return_n_iter: Bool = False,
        positive: Bool = False,
        check_input: Bool = True,
        **params: Any,
    ) -> Any: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class Lasso(MultiOutputMixin, RegressorMixin, BaseEstimator):
    alpha: Float
    fit_intercept: Bool
    precompute: Bool | Array
    copy_X: Bool
    max_iter: Int | None
    tol: Float
    warm_start: Bool
    positive: Bool
    random_state: Int | np.random.RandomState | np.random.Generator | None
    selection: Literal["cyclic", "random"]
    coef_: NDArray[Any]
    intercept_: float | Any
    sparse_coef_: Any
    dual_gap_: float | Any
    n_iter_: int | Any
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        alpha: Float = 1.0,
        *,
        fit_intercept: Bool = True,
        precompute: Bool | Array = False,
        copy_X: Bool = True,
        max_iter: Int | None = 1000,
        tol: Float = 0.0001,
        warm_start: Bool = False,
        positive: Bool = False,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        selection: Literal["cyclic", "random"] = "cyclic",
    ) -> None: ...
    def fit(
        self,
        X: Array | Sparse,
        y: Array,
        sample_weight: Float | Array | None = None,
        check_input: Bool = True,
    ) -> Self: ...
    @staticmethod
    def path(
        X: Array | Sparse,
        y: Array,
        *,
        l1_ratio: Float = 0.5,
        eps: Float = 0.001,
        n_alphas: Int | Literal["deprecated"] = "deprecated",
        alphas: Int | Array | Literal["warn"] = "warn",
        precompute: Literal["auto"] | Bool | Array = "auto",
        Xy: Array | None = None,
        copy_X: Bool = True,
        coef_init: Array | None = None,
        verbose: Bool | Int = False,
        return_n_iter: Bool = False,
        positive: Bool = False,
        check_input: Bool = True,
        **params: Any,
    ) -> Any: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class LassoCV(RegressorMixin, BaseEstimator):
    eps: Float
    alphas: Int | Array
    fit_intercept: Bool
    precompute: Literal["auto"] | Bool | Array
    max_iter: Int
    tol: Float
    copy_X: Bool
    cv: Any
    verbose: Bool | Int
    n_jobs: Int | None
    positive: Bool
    random_state: Int | np.random.RandomState | np.random.Generator | None
    selection: Literal["cyclic", "random"]
    alpha_: float
    coef_: NDArray[Any]
    intercept_: float
    mse_path_: NDArray[Any]
    alphas_: NDArray[Any]
    dual_gap_: float
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        eps: Float = 0.001,
        alphas: Int | Array = 100,
        fit_intercept: Bool = True,
        precompute: Literal["auto"] | Bool | Array = "auto",
        max_iter: Int = 1000,
        tol: Float = 0.0001,
        copy_X: Bool = True,
        cv: Any = None,
        verbose: Bool | Int = False,
        n_jobs: Int | None = None,
        positive: Bool = False,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        selection: Literal["cyclic", "random"] = "cyclic",
    ) -> None: ...
    def fit(
        self, X: Array | Sparse, y: Array, sample_weight: Float | Array | None = None, **params: Any
    ) -> Self: ...
    @staticmethod
    def path(
        X: Array | Sparse,
        y: Array,
        *,
        eps: Float = 0.001,
        n_alphas: Int | Literal["deprecated"] = "deprecated",
        alphas: Int | Array | Literal["warn"] = "warn",
        precompute: Bool | Array | Literal["auto"] = "auto",
        Xy: Array | None = None,
        copy_X: Bool = True,
        coef_init: Array | None = None,
        verbose: Bool | Int = False,
        return_n_iter: Bool = False,
        positive: Bool = False,
        **params: Any,
    ) -> Any: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class LinearRegression(MultiOutputMixin, RegressorMixin, BaseEstimator):
    fit_intercept: Bool
    copy_X: Bool
    tol: Float
    n_jobs: Int | None
    positive: Bool
    coef_: NDArray[Any]
    intercept_: float | Any
    rank_: int
    singular_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        fit_intercept: Bool = True,
        copy_X: Bool = True,
        tol: Float = 1e-06,
        n_jobs: Int | None = None,
        positive: Bool = False,
    ) -> None: ...
    def fit(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> Self: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class LogisticRegression(ClassifierMixin, BaseEstimator):
    penalty: Literal["l1", "l2", "elasticnet", "deprecated"] | None
    C: Float
    l1_ratio: Float | None
    dual: Bool
    tol: Float
    fit_intercept: Bool
    intercept_scaling: Float
    class_weight: Mapping[Any, Any] | Literal["balanced"] | None
    random_state: Int | np.random.RandomState | np.random.Generator | None
    solver: Literal["auto", "lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"]
    max_iter: Int
    verbose: Bool | Int
    warm_start: Bool
    n_jobs: Int | None
    classes_: NDArray[Any]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    n_iter_: NDArray[Any]
    converged_: bool
    optimality_: float
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        penalty: Literal["l1", "l2", "elasticnet", "deprecated"] | None = "deprecated",
        *,
        C: Float = 1.0,
        l1_ratio: Float | None = 0.0,
        dual: Bool = False,
        tol: Float = 0.0001,
        fit_intercept: Bool = True,
        intercept_scaling: Float = 1,
        class_weight: Mapping[Any, Any] | Literal["balanced"] | None = None,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        solver: Literal[
            "auto", "lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"
        ] = "auto",
        max_iter: Int = 100,
        verbose: Bool | Int = 0,
        warm_start: Bool = False,
        n_jobs: Int | None = None,
    ) -> None: ...
    def decision_function(self, X: Array | Sparse) -> NDArray[Any]: ...
    def densify(self) -> Self: ...
    def fit(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> Self: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Array | Sparse) -> NDArray[Any]: ...
    def predict_proba(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_callbacks(self, *callbacks: Any) -> Self: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def sparsify(self) -> Self: ...

class LogisticRegressionCV(ClassifierMixin, BaseEstimator):
    Cs: Int | Array
    l1_ratios: Array | Literal["warn"] | None
    fit_intercept: Bool
    cv: Any
    dual: Bool
    penalty: Literal["l1", "l2", "elasticnet", "deprecated"]
    scoring: str | Callable[..., Any] | None
    solver: Literal["auto", "lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"]
    tol: Float
    max_iter: Int
    class_weight: Mapping[Any, Any] | Literal["balanced"] | None
    n_jobs: Int | None
    verbose: Bool | Int
    refit: Bool
    intercept_scaling: Float
    random_state: Int | np.random.RandomState | np.random.Generator | None
    use_legacy_attributes: Bool | Literal["warn"]
    classes_: NDArray[Any]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    Cs_: NDArray[Any]
    l1_ratios_: NDArray[Any]
    coefs_paths_: dict[Any, Any] | Any
    scores_: dict[Any, Any] | Any
    C_: float | Any
    l1_ratio_: float | Any
    n_iter_: NDArray[Any]
    converged_: bool
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        *,
        Cs: Int | Array = 10,
        l1_ratios: Array | Literal["warn"] | None = "warn",
        fit_intercept: Bool = True,
        cv: Any = None,
        dual: Bool = False,
        penalty: Literal["l1", "l2", "elasticnet", "deprecated"] = "deprecated",
        scoring: str | Callable[..., Any] | None = "warn",
        solver: Literal[
            "auto", "lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"
        ] = "auto",
        tol: Float = 0.0001,
        max_iter: Int = 100,
        class_weight: Mapping[Any, Any] | Literal["balanced"] | None = None,
        n_jobs: Int | None = None,
        verbose: Bool | Int = 0,
        refit: Bool = True,
        intercept_scaling: Float = 1.0,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        use_legacy_attributes: Bool | Literal["warn"] = "warn",
    ) -> None: ...
    def decision_function(self, X: Array | Sparse) -> NDArray[Any]: ...
    def densify(self) -> Self: ...
    def fit(
        self, X: Array | Sparse, y: Array, sample_weight: Array | None = None, **params: Any
    ) -> Self: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Array | Sparse) -> NDArray[Any]: ...
    def predict_proba(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(
        self, X: Array | Sparse, y: Array, sample_weight: Array | None = None, **params: Any
    ) -> float: ...
    def set_callbacks(self, *callbacks: Any) -> Self: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def sparsify(self) -> Self: ...

class MultiTaskElasticNet(MultiOutputMixin, RegressorMixin, BaseEstimator):
    alpha: Float
    l1_ratio: Float
    fit_intercept: Bool
    copy_X: Bool
    max_iter: Int
    tol: Float
    warm_start: Bool
    random_state: Int | np.random.RandomState | np.random.Generator | None
    selection: Literal["cyclic", "random"]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    sparse_coef_: Any
    dual_gap_: float
    eps_: float
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        alpha: Float = 1.0,
        *,
        l1_ratio: Float = 0.5,
        fit_intercept: Bool = True,
        copy_X: Bool = True,
        max_iter: Int = 1000,
        tol: Float = 0.0001,
        warm_start: Bool = False,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        selection: Literal["cyclic", "random"] = "cyclic",
    ) -> None: ...
    def fit(
        self, X: Array | Sparse, y: Array, sample_weight: Float | Array | None = None
    ) -> Self: ...
    @staticmethod
    def path(
        X: Array | Sparse,
        y: Array,
        *,
        l1_ratio: Float = 0.5,
        eps: Float = 0.001,
        n_alphas: Int | Literal["deprecated"] = "deprecated",
        alphas: Int | Array | Literal["warn"] = "warn",
        precompute: Literal["auto"] | Bool | Array = "auto",
        Xy: Array | None = None,
        copy_X: Bool = True,
        coef_init: Array | None = None,
        verbose: Bool | Int = False,
        return_n_iter: Bool = False,
        positive: Bool = False,
        check_input: Bool = True,
        **params: Any,
    ) -> Any: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class MultiTaskLasso(MultiOutputMixin, RegressorMixin, BaseEstimator):
    alpha: Float
    fit_intercept: Bool
    copy_X: Bool
    max_iter: Int
    tol: Float
    warm_start: Bool
    random_state: Int | np.random.RandomState | np.random.Generator | None
    selection: Literal["cyclic", "random"]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    sparse_coef_: Any
    dual_gap_: float
    eps_: float
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        alpha: Float = 1.0,
        *,
        fit_intercept: Bool = True,
        copy_X: Bool = True,
        max_iter: Int = 1000,
        tol: Float = 0.0001,
        warm_start: Bool = False,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        selection: Literal["cyclic", "random"] = "cyclic",
    ) -> None: ...
    def fit(
        self, X: Array | Sparse, y: Array, sample_weight: Float | Array | None = None
    ) -> Self: ...
    @staticmethod
    def path(
        X: Array | Sparse,
        y: Array,
        *,
        l1_ratio: Float = 0.5,
        eps: Float = 0.001,
        n_alphas: Int | Literal["deprecated"] = "deprecated",
        alphas: Int | Array | Literal["warn"] = "warn",
        precompute: Literal["auto"] | Bool | Array = "auto",
        Xy: Array | None = None,
        copy_X: Bool = True,
        coef_init: Array | None = None,
        verbose: Bool | Int = False,
        return_n_iter: Bool = False,
        positive: Bool = False,
        check_input: Bool = True,
        **params: Any,
    ) -> Any: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class Ridge(MultiOutputMixin, RegressorMixin, BaseEstimator):
    alpha: Float | Array
    fit_intercept: Bool
    copy_X: Bool
    max_iter: Int | None
    tol: Float
    solver: Literal["auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"]
    positive: Bool
    random_state: Int | np.random.RandomState | np.random.Generator | None
    coef_: NDArray[Any]
    intercept_: float | Any
    n_iter_: NDArray[Any]
    solver_: Literal["cholesky", "svd", "lsqr", "sparse_cg", "active_set"]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        alpha: Float | Array = 1.0,
        *,
        fit_intercept: Bool = True,
        copy_X: Bool = True,
        max_iter: Int | None = None,
        tol: Float = 0.0001,
        solver: Literal[
            "auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"
        ] = "auto",
        positive: Bool = False,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
    ) -> None: ...
    def fit(
        self, X: Array | Sparse, y: Array, sample_weight: Float | Array | None = None
    ) -> Self: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class RidgeCV(MultiOutputMixin, RegressorMixin, BaseEstimator):
    alphas: Float | Array
    fit_intercept: Bool
    scoring: str | Callable[..., Any] | None
    cv: Any
    gcv_mode: Literal["auto", "svd", "eigen"] | None
    store_cv_results: Bool
    alpha_per_target: Bool
    alpha_: float | Any
    best_score_: float | Any
    coef_: NDArray[Any]
    intercept_: float | Any
    cv_results_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        alphas: Float | Array = (0.1, 1.0, 10.0),
        *,
        fit_intercept: Bool = True,
        scoring: str | Callable[..., Any] | None = None,
        cv: Any = None,
        gcv_mode: Literal["auto", "svd", "eigen"] | None = None,
        store_cv_results: Bool = False,
        alpha_per_target: Bool = False,
    ) -> None: ...
    def fit(
        self, X: Array | Sparse, y: Array, sample_weight: Float | Array | None = None
    ) -> Self: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class RidgeClassifier(ClassifierMixin, BaseEstimator):
    alpha: Float
    fit_intercept: Bool
    copy_X: Bool
    max_iter: Int | None
    tol: Float
    class_weight: Mapping[Any, Any] | Literal["balanced"] | None
    solver: Literal["auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"]
    positive: Bool
    random_state: Int | np.random.RandomState | np.random.Generator | None
    coef_: NDArray[Any]
    intercept_: float | Any
    classes_: NDArray[Any]
    n_iter_: NDArray[Any]
    solver_: Literal["cholesky", "svd", "lsqr", "sparse_cg", "active_set"]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        alpha: Float = 1.0,
        *,
        fit_intercept: Bool = True,
        copy_X: Bool = True,
        max_iter: Int | None = None,
        tol: Float = 0.0001,
        class_weight: Mapping[Any, Any] | Literal["balanced"] | None = None,
        solver: Literal[
            "auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"
        ] = "auto",
        positive: Bool = False,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
    ) -> None: ...
    def decision_function(self, X: Array | Sparse) -> NDArray[Any]: ...
    def fit(
        self, X: Array | Sparse, y: Array, sample_weight: Float | Array | None = None
    ) -> Self: ...
    def predict(self, X: Array) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class RidgeClassifierCV(ClassifierMixin, BaseEstimator):
    alphas: Float | Array
    fit_intercept: Bool
    scoring: str | Callable[..., Any] | None
    cv: Any
    class_weight: Mapping[Any, Any] | Literal["balanced"] | None
    store_cv_results: Bool
    alpha_: float
    best_score_: float
    coef_: NDArray[Any]
    intercept_: float | Any
    classes_: NDArray[Any]
    cv_results_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        alphas: Float | Array = (0.1, 1.0, 10.0),
        *,
        fit_intercept: Bool = True,
        scoring: str | Callable[..., Any] | None = None,
        cv: Any = None,
        class_weight: Mapping[Any, Any] | Literal["balanced"] | None = None,
        store_cv_results: Bool = False,
    ) -> None: ...
    def decision_function(self, X: Array | Sparse) -> NDArray[Any]: ...
    def fit(
        self, X: Array | Sparse, y: Array, sample_weight: Float | Array | None = None
    ) -> Self: ...
    def predict(self, X: Array) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class SGDClassifier(ClassifierMixin, BaseEstimator):
    loss: Literal[
        "hinge",
        "perceptron",
        "squared_hinge",
        "modified_huber",
        "log_loss",
        "squared_error",
        "huber",
        "epsilon_insensitive",
        "squared_epsilon_insensitive",
    ]
    penalty: Literal["l2", "l1", "elasticnet"] | None
    alpha: Float
    l1_ratio: Float | None
    fit_intercept: Bool
    max_iter: Int
    tol: Float | None
    shuffle: Bool
    verbose: Bool | Int
    epsilon: Float
    n_jobs: Int | None
    random_state: Int | np.random.RandomState | np.random.Generator | None
    learning_rate: Literal["constant", "optimal", "invscaling", "adaptive", "pa1", "pa2"]
    eta0: Float
    power_t: Float
    early_stopping: Bool
    validation_fraction: Float
    n_iter_no_change: Int
    class_weight: Mapping[Any, Any] | Literal["balanced"] | None
    warm_start: Bool
    average: Bool | Int
    classes_: NDArray[Any]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    n_iter_: int
    t_: float
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        loss: Literal[
            "hinge",
            "perceptron",
            "squared_hinge",
            "modified_huber",
            "log_loss",
            "squared_error",
            "huber",
            "epsilon_insensitive",
            "squared_epsilon_insensitive",
        ] = "hinge",
        *,
        penalty: Literal["l2", "l1", "elasticnet"] | None = "l2",
        alpha: Float = 0.0001,
        l1_ratio: Float | None = 0.15,
        fit_intercept: Bool = True,
        max_iter: Int = 1000,
        tol: Float | None = 0.001,
        shuffle: Bool = True,
        verbose: Bool | Int = 0,
        epsilon: Float = 0.1,
        n_jobs: Int | None = None,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        learning_rate: Literal[
            "constant", "optimal", "invscaling", "adaptive", "pa1", "pa2"
        ] = "optimal",
        eta0: Float = 0.01,
        power_t: Float = 0.5,
        early_stopping: Bool = False,
        validation_fraction: Float = 0.1,
        n_iter_no_change: Int = 5,
        class_weight: Mapping[Any, Any] | Literal["balanced"] | None = None,
        warm_start: Bool = False,
        average: Bool | Int = False,
    ) -> None: ...
    def decision_function(self, X: Array | Sparse) -> NDArray[Any]: ...
    def densify(self) -> Self: ...
    def fit(
        self,
        X: Array | Sparse,
        y: Array,
        coef_init: Array | None = None,
        intercept_init: Array | None = None,
        sample_weight: Array | None = None,
    ) -> Self: ...
    def partial_fit(
        self,
        X: Array | Sparse,
        y: Array,
        classes: Array | None = None,
        sample_weight: Array | None = None,
    ) -> Self: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Array | Sparse) -> NDArray[Any]: ...
    def predict_proba(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(
        self,
        *,
        coef_init: bool | str | None = ...,
        intercept_init: bool | str | None = ...,
        sample_weight: bool | str | None = ...,
    ) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def sparsify(self) -> Self: ...

class SGDRegressor(RegressorMixin, BaseEstimator):
    loss: Literal["squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"]
    penalty: Literal["l2", "l1", "elasticnet"] | None
    alpha: Float
    l1_ratio: Float | None
    fit_intercept: Bool
    max_iter: Int
    tol: Float | None
    shuffle: Bool
    verbose: Bool | Int
    epsilon: Float
    random_state: Int | np.random.RandomState | np.random.Generator | None
    learning_rate: Literal["constant", "optimal", "invscaling", "adaptive", "pa1", "pa2"]
    eta0: Float
    power_t: Float
    early_stopping: Bool
    validation_fraction: Float
    n_iter_no_change: Int
    warm_start: Bool
    average: Bool | Int
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    n_iter_: int
    t_: float
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self,
        loss: Literal[
            "squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"
        ] = "squared_error",
        *,
        penalty: Literal["l2", "l1", "elasticnet"] | None = "l2",
        alpha: Float = 0.0001,
        l1_ratio: Float | None = 0.15,
        fit_intercept: Bool = True,
        max_iter: Int = 1000,
        tol: Float | None = 0.001,
        shuffle: Bool = True,
        verbose: Bool | Int = 0,
        epsilon: Float = 0.1,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        learning_rate: Literal[
            "constant", "optimal", "invscaling", "adaptive", "pa1", "pa2"
        ] = "invscaling",
        eta0: Float = 0.01,
        power_t: Float = 0.25,
        early_stopping: Bool = False,
        validation_fraction: Float = 0.1,
        n_iter_no_change: Int = 5,
        warm_start: Bool = False,
        average: Bool | Int = False,
    ) -> None: ...
    def densify(self) -> Self: ...
    def fit(
        self,
        X: Array | Sparse,
        y: Array,
        coef_init: Array | None = None,
        intercept_init: Array | None = None,
        sample_weight: Array | None = None,
    ) -> Self: ...
    def partial_fit(
        self, X: Array | Sparse, y: Array, sample_weight: Array | None = None
    ) -> Self: ...
    def predict(self, X: Array | Sparse) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(
        self,
        *,
        coef_init: bool | str | None = ...,
        intercept_init: bool | str | None = ...,
        sample_weight: bool | str | None = ...,
    ) -> Self: ...
    def set_partial_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def sparsify(self) -> Self: ...

def enet_path(
    X: Array | Sparse,
    y: Array,
    *,
    l1_ratio: Float = 0.5,
    eps: Float = 0.001,
    n_alphas: Int | Literal["deprecated"] = "deprecated",
    alphas: Int | Array | Literal["warn"] = "warn",
    precompute: Literal["auto"] | Bool | Array = "auto",
    Xy: Array | None = None,
    copy_X: Bool = True,
    coef_init: Array | None = None,
    verbose: Bool | Int = False,
    return_n_iter: Bool = False,
    positive: Bool = False,
    check_input: Bool = True,
    **params: Any,
) -> Any: ...
def lasso_path(
    X: Array | Sparse,
    y: Array,
    *,
    eps: Float = 0.001,
    n_alphas: Int | Literal["deprecated"] = "deprecated",
    alphas: Int | Array | Literal["warn"] = "warn",
    precompute: Bool | Array | Literal["auto"] = "auto",
    Xy: Array | None = None,
    copy_X: Bool = True,
    coef_init: Array | None = None,
    verbose: Bool | Int = False,
    return_n_iter: Bool = False,
    positive: Bool = False,
    **params: Any,
) -> Any: ...
