"""Made from the docstrings by .ci/stubs.py: do not edit."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from litlearn._core.base import BaseEstimator, ClassifierMixin, MultiOutputMixin, RegressorMixin
from litlearn._core.types import Array, Bool, Float, Int, Sparse

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "export_graphviz",
    "export_text",
]

class DecisionTreeClassifier(ClassifierMixin, MultiOutputMixin, BaseEstimator):
    criterion: Literal["gini", "entropy", "log_loss", "misclassification"]
    splitter: Literal["best", "random"]
    max_depth: Int | None
    min_samples_split: Int | Float
    min_samples_leaf: Int | Float
    min_weight_fraction_leaf: Float
    max_features: Literal["sqrt", "log2"] | Int | Float | None
    random_state: Int | np.random.RandomState | np.random.Generator | None
    max_leaf_nodes: Int | None
    min_impurity_decrease: Float
    class_weight: Mapping[Any, Any] | Sequence[Mapping[Any, Any]] | Literal["balanced"] | None
    ccp_alpha: Float
    monotonic_cst: Array | None
    categorical_features: Literal["from_dtype"] | Array | None
    max_bins: Int | None
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    is_categorical_: NDArray[Any] | Any
    levels_: dict[Any, Any]
    n_outputs_: int
    max_features_: int
    feature_importances_: NDArray[Any]
    classes_: NDArray[Any] | Any
    n_classes_: int | Any
    tree_: Any
    def __init__(
        self,
        *,
        criterion: Literal["gini", "entropy", "log_loss", "misclassification"] = "gini",
        splitter: Literal["best", "random"] = "best",
        max_depth: Int | None = None,
        min_samples_split: Int | Float = 2,
        min_samples_leaf: Int | Float = 1,
        min_weight_fraction_leaf: Float = 0.0,
        max_features: Literal["sqrt", "log2"] | Int | Float | None = None,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        max_leaf_nodes: Int | None = None,
        min_impurity_decrease: Float = 0.0,
        class_weight: Mapping[Any, Any]
        | Sequence[Mapping[Any, Any]]
        | Literal["balanced"]
        | None = None,
        ccp_alpha: Float = 0.0,
        monotonic_cst: Array | None = None,
        categorical_features: Literal["from_dtype"] | Array | None = None,
        max_bins: Int | None = None,
    ) -> None: ...
    def apply(self, X: Array | Sparse, check_input: Bool = True) -> NDArray[Any]: ...
    def cost_complexity_pruning_path(
        self, X: Array, y: Array, sample_weight: Array | None = None
    ) -> Any: ...
    def decision_path(self, X: Array | Sparse, check_input: Bool = True) -> Any: ...
    def fit(
        self,
        X: Array | Sparse,
        y: Array,
        sample_weight: Array | None = None,
        check_input: Bool = True,
    ) -> Self: ...
    def get_depth(self) -> int: ...
    def get_n_leaves(self) -> int: ...
    def predict(self, X: Array | Sparse, check_input: Bool = True) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Array | Sparse) -> NDArray[Any] | Any: ...
    def predict_proba(self, X: Array | Sparse, check_input: Bool = True) -> NDArray[Any] | Any: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class DecisionTreeRegressor(RegressorMixin, MultiOutputMixin, BaseEstimator):
    criterion: Literal["squared_error", "absolute_error", "poisson"]
    splitter: Literal["best", "random"]
    max_depth: Int | None
    min_samples_split: Int | Float
    min_samples_leaf: Int | Float
    min_weight_fraction_leaf: Float
    max_features: Literal["sqrt", "log2"] | Int | Float | None
    random_state: Int | np.random.RandomState | np.random.Generator | None
    max_leaf_nodes: Int | None
    min_impurity_decrease: Float
    ccp_alpha: Float
    monotonic_cst: Array | None
    categorical_features: Literal["from_dtype"] | Array | None
    max_bins: Int | None
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    is_categorical_: NDArray[Any] | Any
    levels_: dict[Any, Any]
    n_outputs_: int
    max_features_: int
    feature_importances_: NDArray[Any]
    tree_: Any
    def __init__(
        self,
        *,
        criterion: Literal["squared_error", "absolute_error", "poisson"] = "squared_error",
        splitter: Literal["best", "random"] = "best",
        max_depth: Int | None = None,
        min_samples_split: Int | Float = 2,
        min_samples_leaf: Int | Float = 1,
        min_weight_fraction_leaf: Float = 0.0,
        max_features: Literal["sqrt", "log2"] | Int | Float | None = None,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        max_leaf_nodes: Int | None = None,
        min_impurity_decrease: Float = 0.0,
        ccp_alpha: Float = 0.0,
        monotonic_cst: Array | None = None,
        categorical_features: Literal["from_dtype"] | Array | None = None,
        max_bins: Int | None = None,
    ) -> None: ...
    def apply(self, X: Array | Sparse, check_input: Bool = True) -> NDArray[Any]: ...
    def cost_complexity_pruning_path(
        self, X: Array, y: Array, sample_weight: Array | None = None
    ) -> Any: ...
    def decision_path(self, X: Array | Sparse, check_input: Bool = True) -> Any: ...
    def fit(
        self,
        X: Array | Sparse,
        y: Array,
        sample_weight: Array | None = None,
        check_input: Bool = True,
    ) -> Self: ...
    def get_depth(self) -> int: ...
    def get_n_leaves(self) -> int: ...
    def predict(self, X: Array | Sparse, check_input: Bool = True) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class ExtraTreeClassifier(ClassifierMixin, MultiOutputMixin, BaseEstimator):
    criterion: Literal["gini", "entropy", "log_loss", "misclassification"]
    splitter: Literal["best", "random"]
    max_depth: Int | None
    min_samples_split: Int | Float
    min_samples_leaf: Int | Float
    min_weight_fraction_leaf: Float
    max_features: Literal["sqrt", "log2"] | Int | Float | None
    random_state: Int | np.random.RandomState | np.random.Generator | None
    max_leaf_nodes: Int | None
    min_impurity_decrease: Float
    class_weight: Mapping[Any, Any] | Sequence[Mapping[Any, Any]] | Literal["balanced"] | None
    ccp_alpha: Float
    monotonic_cst: Array | None
    categorical_features: Literal["from_dtype"] | Array | None
    max_bins: Int | None
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    is_categorical_: NDArray[Any] | Any
    levels_: dict[Any, Any]
    n_outputs_: int
    max_features_: int
    feature_importances_: NDArray[Any]
    classes_: NDArray[Any] | Any
    n_classes_: int | Any
    tree_: Any
    def __init__(
        self,
        *,
        criterion: Literal["gini", "entropy", "log_loss", "misclassification"] = "gini",
        splitter: Literal["best", "random"] = "random",
        max_depth: Int | None = None,
        min_samples_split: Int | Float = 2,
        min_samples_leaf: Int | Float = 1,
        min_weight_fraction_leaf: Float = 0.0,
        max_features: Literal["sqrt", "log2"] | Int | Float | None = "sqrt",
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        max_leaf_nodes: Int | None = None,
        min_impurity_decrease: Float = 0.0,
        class_weight: Mapping[Any, Any]
        | Sequence[Mapping[Any, Any]]
        | Literal["balanced"]
        | None = None,
        ccp_alpha: Float = 0.0,
        monotonic_cst: Array | None = None,
        categorical_features: Literal["from_dtype"] | Array | None = None,
        max_bins: Int | None = None,
    ) -> None: ...
    def apply(self, X: Array | Sparse, check_input: Bool = True) -> NDArray[Any]: ...
    def cost_complexity_pruning_path(
        self, X: Array, y: Array, sample_weight: Array | None = None
    ) -> Any: ...
    def decision_path(self, X: Array | Sparse, check_input: Bool = True) -> Any: ...
    def fit(
        self,
        X: Array | Sparse,
        y: Array,
        sample_weight: Array | None = None,
        check_input: Bool = True,
    ) -> Self: ...
    def get_depth(self) -> int: ...
    def get_n_leaves(self) -> int: ...
    def predict(self, X: Array | Sparse, check_input: Bool = True) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Array | Sparse) -> NDArray[Any] | Any: ...
    def predict_proba(self, X: Array | Sparse, check_input: Bool = True) -> NDArray[Any] | Any: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class ExtraTreeRegressor(RegressorMixin, MultiOutputMixin, BaseEstimator):
    criterion: Literal["squared_error", "absolute_error", "poisson"]
    splitter: Literal["best", "random"]
    max_depth: Int | None
    min_samples_split: Int | Float
    min_samples_leaf: Int | Float
    min_weight_fraction_leaf: Float
    max_features: Literal["sqrt", "log2"] | Int | Float | None
    random_state: Int | np.random.RandomState | np.random.Generator | None
    min_impurity_decrease: Float
    max_leaf_nodes: Int | None
    ccp_alpha: Float
    monotonic_cst: Array | None
    categorical_features: Literal["from_dtype"] | Array | None
    max_bins: Int | None
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    is_categorical_: NDArray[Any] | Any
    levels_: dict[Any, Any]
    n_outputs_: int
    max_features_: int
    feature_importances_: NDArray[Any]
    tree_: Any
    def __init__(
        self,
        *,
        criterion: Literal["squared_error", "absolute_error", "poisson"] = "squared_error",
        splitter: Literal["best", "random"] = "random",
        max_depth: Int | None = None,
        min_samples_split: Int | Float = 2,
        min_samples_leaf: Int | Float = 1,
        min_weight_fraction_leaf: Float = 0.0,
        max_features: Literal["sqrt", "log2"] | Int | Float | None = 1.0,
        random_state: Int | np.random.RandomState | np.random.Generator | None = None,
        min_impurity_decrease: Float = 0.0,
        max_leaf_nodes: Int | None = None,
        ccp_alpha: Float = 0.0,
        monotonic_cst: Array | None = None,
        categorical_features: Literal["from_dtype"] | Array | None = None,
        max_bins: Int | None = None,
    ) -> None: ...
    def apply(self, X: Array | Sparse, check_input: Bool = True) -> NDArray[Any]: ...
    def cost_complexity_pruning_path(
        self, X: Array, y: Array, sample_weight: Array | None = None
    ) -> Any: ...
    def decision_path(self, X: Array | Sparse, check_input: Bool = True) -> Any: ...
    def fit(
        self,
        X: Array | Sparse,
        y: Array,
        sample_weight: Array | None = None,
        check_input: Bool = True,
    ) -> Self: ...
    def get_depth(self) -> int: ...
    def get_n_leaves(self) -> int: ...
    def predict(self, X: Array | Sparse, check_input: Bool = True) -> NDArray[Any]: ...
    def score(self, X: Array | Sparse, y: Array, sample_weight: Array | None = None) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

def export_graphviz(
    decision_tree: Any,
    out_file: Any = None,
    *,
    max_depth: Int | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | Literal[True] | None = None,
    label: Literal["all", "root", "none"] = "all",
    filled: Bool = False,
    leaves_parallel: Bool = False,
    impurity: Bool = True,
    node_ids: Bool = False,
    proportion: Bool = False,
    rotate: Bool = False,
    rounded: Bool = False,
    special_characters: Bool = False,
    precision: Int = 3,
    fontname: str = "helvetica",
) -> str | None: ...
def export_text(
    decision_tree: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    max_depth: Int = 10,
    spacing: Int = 3,
    decimals: Int = 2,
    show_weights: Bool = False,
) -> str: ...
