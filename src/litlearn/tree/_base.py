"""What trees and forests share: parameters, checks, and data in the form that growing needs."""

import math
import numbers
from typing import NamedTuple

import numpy as np

from litlearn._core import targets, validation
from litlearn._core.base import (
    BaseEstimator,
    ClassifierMixin,
    MultiOutputMixin,
    RegressorMixin,
)
from litlearn._core.chunked_methods import with_containers
from litlearn._core.constraints import (
    ARRAY,
    COUNT,
    DICT,
    NOT_NEGATIVE,
    Float,
    Integer,
    Kind,
    Option,
    Real,
    Table,
    shown,
)
from litlearn.tree import _categories, _criteria
from litlearn.tree._growth import TreeTargets
from litlearn.tree._ranks import NO_MISSING, Codes, code_columns
from litlearn.tree._sparse import DENSE, code_stored, keep_values
from litlearn.tree._splitter import BEST, NO_SIGNS, RANDOM, Rules, TreeProblem

CLASSIFICATION = {
    "gini": _criteria.GINI,
    "entropy": _criteria.ENTROPY,
    "log_loss": _criteria.ENTROPY,
    "misclassification": _criteria.MISCLASSIFICATION,
}
REGRESSION = {
    "squared_error": _criteria.SQUARED_ERROR,
    "absolute_error": _criteria.ABSOLUTE_ERROR,
    "poisson": _criteria.POISSON,
}
CLASS_WEIGHTS = DICT | Kind(
    "a list of dicts", "Sequence[Mapping[Any, Any]]", lambda one: isinstance(one, (list, tuple))
)
LARGEST_TABLE = 2**22  # entries of x log x, 32 MB
LARGEST_SIZE = 2**30 - 1  # samples, and features: a tree has up to 2 n - 1 nodes


class Training(NamedTuple):
    """Checked data, coded once, from which any number of trees can be grown.

    Attributes
    ----------
    X : ndarray, or CSC array, of shape (n_samples, n_features)
    codes : Codes
        Its columns as codes.
    problem : TreeProblem
    targets : Targets
    weight : ndarray of shape (n_samples,)
        Sample weights times class weights.
    classes : list of ndarray, or None
        The classes of each output.
    names : ndarray or None
        Names of the features.
    levels : dict of int to ndarray, or None
        Levels of the categorical features, which are codes in `X`.
    """

    X: np.ndarray
    codes: Codes
    problem: TreeProblem
    targets: TreeTargets
    weight: np.ndarray
    classes: list | None
    names: np.ndarray | None
    levels: dict | None = None

    def classes_of_samples(self):
        """Return the number of the class of each sample, of shape (n_outputs, n_samples)."""
        return self.targets.Y[:, self.targets.groups].astype(np.intp)


class TreeModel(MultiOutputMixin, BaseEstimator):
    """Base of the trees and the forests."""

    _constraints = Table(
        max_depth=COUNT | None,
        min_samples_split=Integer("[2, inf)") | Float("(0.0, 1.0]"),
        min_samples_leaf=COUNT | Float("(0.0, 1.0]"),
        min_weight_fraction_leaf=Real("[0.0, 0.5]"),
        max_features=Option("sqrt", "log2") | COUNT | Float("(0.0, 1.0]") | None,
        max_leaf_nodes=Integer("[2, inf)") | None,
        min_impurity_decrease=NOT_NEGATIVE,
        ccp_alpha=NOT_NEGATIVE,
        max_bins=Integer("[2, inf)") | None,
        monotonic_cst=ARRAY | None,
        categorical_features=Option("from_dtype") | ARRAY | None,
    )
    criteria = None  # names of the criteria, and their numbers
    random_thresholds = False
    _sparse_formats, _takes_missing = ("csc",), True
    positive = "positive"  # what a sum must be, in the words of scikit-learn's message

    def _training(self, X, y, sample_weight, class_weight=None):
        """Check the data, and code them. Nothing is stored."""
        if self.categorical_features is None:
            X, names, levels = *validation.check_samples(self, X), None
        else:  # trees that are there already keep the numbers of their levels
            known = getattr(self, "levels_", {}) if getattr(self, "warm_start", False) else {}
            X, names, levels = _categories.code_samples(self, X, known)
        n_samples = X.shape[0]
        if max(X.shape) > LARGEST_SIZE:
            raise ValueError(
                f"{type(self).__name__}: X has shape {X.shape}, expected at most {LARGEST_SIZE} "
                "samples and features: nodes and features are numbered in 32 bits."
            )
        classes = None
        if self.criteria is CLASSIFICATION:
            coded = targets.encode(self, y, n_samples)
            classes = coded.classes
            groups, Y = _groups(coded.codes)
            weight = targets.combined_weight(self, sample_weight, class_weight, coded)
            n_classes = np.array([len(found) for found in classes], dtype=np.int64)
        else:
            y = validation.check_real_targets(self, y, n_samples)
            y = validation.flat_if_column(y)
            Y, groups = np.ascontiguousarray(np.atleast_2d(y.T)), np.empty(0, dtype=np.uint32)
            n_classes = np.ones(len(Y), dtype=np.int64)
            self._check_poisson(Y)
            weight = validation.check_sample_weight(self, sample_weight, n_samples)
        signs = self._signs(X.shape[1], n_classes, levels)
        weight = np.ones(n_samples) if weight is None else weight
        with np.errstate(over="ignore"):
            total = weight.sum()
        if not np.isfinite(total):
            raise ValueError(
                f"{type(self).__name__}: the sum of sample_weight, times class_weight, is larger "
                f"than any float64; the largest is {weight.max():g}."
            )
        prepared = TreeTargets(Y, groups, np.empty((0, 0), dtype=np.uint32))
        n_jobs = getattr(self, "n_jobs", None)  # trees have no such parameter
        if self.criterion == "absolute_error":
            ranks = code_columns(Y.T, n_jobs=n_jobs).codes
            prepared = prepared._replace(codes=ranks.astype(np.uint32))
        # Every problem has arrays of the same types, so that one compiled kernel serves them all.
        none, stored, dense = np.empty((0, 0)), DENSE, isinstance(X, np.ndarray)
        n_levels = np.zeros(X.shape[1] if levels else 0, dtype=np.int64)
        for j, own in (levels or {}).items():
            n_levels[j] = len(own)
        if self._draws_thresholds() and not dense:
            missing, counts = np.empty(0, dtype=np.uint32), np.zeros(1, dtype=np.int64)
            codes = Codes(none.astype(np.uint16), missing, counts, None)
            columns, stored = none.astype(X.dtype), keep_values(X)
        elif self._draws_thresholds():
            absent = np.isnan(X).any(axis=0)
            missing = np.where(absent, np.uint32(0), NO_MISSING)
            counts = np.zeros(len(missing), dtype=np.int64)
            codes = Codes(none.astype(np.uint16), missing, counts, None)
            columns = X.T.copy(order="C")
        else:
            columns = none
            if dense:
                codes = code_columns(X, self.max_bins, n_jobs, n_levels if levels else None)
            else:
                codes, stored = code_stored(X, self.max_bins, n_jobs)
        problem = TreeProblem(
            codes=codes.codes,
            missing=codes.missing,
            n_codes=codes.n_codes,
            columns=columns,
            n_classes=n_classes,
            table=none.ravel(),
            stored=stored,
            signs=signs,
            n_levels=n_levels,
        )
        return Training(X, codes, problem, prepared, weight, classes, names, levels)

    def _signs(self, n_features, n_classes, levels):
        """Return the monotonic constraints on the values of nodes; empty if there are none.

        The value of two classes is the share of the first one, and that of the second one is
        constrained: it moves the other way.
        """
        if self.monotonic_cst is None:
            return NO_SIGNS
        who, given = type(self).__name__, np.asarray(self.monotonic_cst)
        refused = f"{who}: Monotonicity constraints are not supported with"
        if len(n_classes) > 1:
            raise ValueError(f"{refused} multiple outputs. Got y of {len(n_classes)} outputs.")
        if given.shape != (n_features,):
            shape = given.shape[0] if given.ndim == 1 else given.shape
            raise ValueError(
                f"{who}: monotonic_cst has shape {shape} but the input data X has {n_features} "
                "features."
            )
        if not np.isin(given, (-1, 0, 1)).all():
            found = np.unique(given) if given.dtype.kind in "iuf" else shown(self.monotonic_cst)
            raise ValueError(
                f"{who}: monotonic_cst must be None or an array-like of -1, 0 or 1, but got {found}"
            )
        if n_classes[0] > 2:
            raise ValueError(
                f"{refused} multiclass classification. Got y of {n_classes[0]} classes."
            )
        if levels and given[list(levels)].any():
            raise ValueError(
                f"{who}: Categorical features cannot have monotonic constraints. Got "
                f"monotonic_cst={given.tolist()}, and the categorical features {sorted(levels)}."
            )
        signs = given.astype(np.int8)
        signs = -signs if self.criteria is CLASSIFICATION else signs
        return signs if signs.any() else NO_SIGNS

    def _draws_thresholds(self):
        return self.random_thresholds

    def _check_poisson(self, Y):
        if self.criterion != "poisson":
            return
        who = type(self).__name__
        if np.any(Y < 0):
            raise ValueError(
                f"{who}: Some value(s) of y are negative which is not allowed for Poisson "
                f"regression; the smallest is {Y.min():g}."
            )
        if np.any(Y.sum(axis=1) <= 0):
            raise ValueError(
                f"{who}: Sum of y is not {self.positive} which is necessary for Poisson regression."
            )

    def _rules(self, training):
        """Return the parameters as numbers: shares of samples and features are counted out.

        The weights, which each tree may have of its own, have a sum of one here.
        """
        n_samples, n_features = training.X.shape
        leaf = _count(self.min_samples_leaf, n_samples)
        return Rules(
            criterion=self.criteria[self.criterion],
            splitter=RANDOM if self._draws_thresholds() else BEST,
            max_features=self._max_features(n_features),
            max_depth=int(min(self.max_depth or validation.LARGEST, validation.LARGEST)),
            min_samples_split=max(2, 2 * leaf, _count(self.min_samples_split, n_samples)),
            min_samples_leaf=leaf,
            min_weight_leaf=float(self.min_weight_fraction_leaf),
            min_impurity_decrease=float(self.min_impurity_decrease),
            total_weight=1.0,
        )

    def _max_features(self, n_features):
        """Return how many features a node tries."""
        if self.max_features is None:
            return n_features
        if self.max_features == "sqrt":
            return max(1, int(math.sqrt(n_features)))
        if self.max_features == "log2":
            return max(1, int(math.log2(n_features)))
        if isinstance(self.max_features, numbers.Integral):
            return min(int(self.max_features), n_features)
        return max(1, int(self.max_features * n_features))

    def _store(self, training):
        """Store what the data said. Nothing fails after this."""
        validation.store_features(self, training.X.shape[1], training.names)
        self._store_levels(training.levels)
        self.n_outputs_ = len(training.targets.Y)
        self.max_features_ = self._max_features(training.X.shape[1])
        if training.classes is not None:
            self.classes_ = self._public(training.classes)
            self.n_classes_ = self._public([len(classes) for classes in training.classes])

    def _store_levels(self, levels):
        """Store the levels of the categorical features, if there are any."""
        if levels is not None:
            self.levels_ = levels
            self.is_categorical_ = np.isin(np.arange(self.n_features_in_), list(levels))
        elif hasattr(self, "levels_"):  # of an earlier fit
            del self.levels_, self.is_categorical_

    def _flat(self, columns):
        """Return an array with a column an output as users see it: of a single one, flat."""
        return columns[:, 0] if self.n_outputs_ == 1 else columns

    def _public(self, parts):
        """Return a list with one entry an output as users see it: that of a single one itself."""
        return parts[0] if self.n_outputs_ == 1 else parts

    def _queries(self, X):
        """Return checked samples, with levels as codes; sparse ones stay sparse."""
        if hasattr(self, "levels_"):
            return _categories.code_queries(self, X)
        return validation.check_queries(self, X, sparse=("csr",))

    def _classes_of_outputs(self):
        """Return the classes of each output, in a list."""
        return [self.classes_] if self.n_outputs_ == 1 else list(self.classes_)


@with_containers
class ClassShares(ClassifierMixin):
    """What classifiers make of the shares of the classes in leaves, (n, n_outputs, n_classes)."""

    criteria = CLASSIFICATION
    _constraints = Table(
        criterion=Option(*CLASSIFICATION), class_weight=CLASS_WEIGHTS | Option("balanced") | None
    )
    _multi_label = True

    def _shares(self, values):
        """Return for each output the shares of its own classes."""
        return [values[:, t, : len(one)] for t, one in enumerate(self._classes_of_outputs())]

    def _labels(self, values):
        """Return the class with the largest share, of each sample and output."""
        pairs = zip(self._classes_of_outputs(), self._shares(values), strict=True)
        winners = [targets.label(classes, shares) for classes, shares in pairs]
        return targets.join_outputs(winners, self.n_outputs_ == 1)

    def predict_log_proba(self, X):
        """Return the logarithms of :meth:`predict_proba`; minus infinity for an absent class."""
        return targets.logarithms(self.predict_proba(X))


class LeafMeans(RegressorMixin):
    """What regressors have that predict means of leaves, or medians."""

    criteria = REGRESSION
    _constraints = Table(criterion=Option(*REGRESSION))


def renamed(criterion):
    """Return the criterion's name of today: "friedman_mse" is another one for squared_error."""
    if not isinstance(criterion, str) or criterion != "friedman_mse":
        return criterion
    message = (
        'Value `"friedman_mse"` for `criterion` is deprecated and will be removed in 1.11 of '
        'scikit-learn. It maps to `"squared_error"` as both were always equivalent. Use '
        '`criterion="squared_error"` to remove this warning.'
    )
    validation.warn(FutureWarning(message))
    return "squared_error"


def _groups(codes):
    """Number the samples by the classes of all outputs together, given those of each output.

    Returns the group of each sample, and the classes of each group: (n_outputs, n_groups).
    """
    if len(codes) == 1:
        return codes[0].astype(np.uint32), np.arange(codes[0].max() + 1.0)[np.newaxis]
    classes, groups = np.unique(np.array(codes), axis=1, return_inverse=True)
    return groups.ravel().astype(np.uint32), classes.astype(np.float64)


def with_table(problem, criterion, weight):
    """Return the problem with a table of x log x, if the criterion needs it and it is small.

    Only where all weights are whole numbers: then so are all sums.
    """
    total = weight.sum()
    whole = np.all(weight == np.floor(weight))
    if criterion != _criteria.ENTROPY or not whole or total + 2 > LARGEST_TABLE:
        return problem
    x = np.arange(int(total) + 2, dtype=np.float64)
    x[1:] *= np.log(x[1:])
    return problem._replace(table=x)


def _count(value, n_samples):
    """Return a number of samples: `value` itself, or that share of them, rounded up."""
    if isinstance(value, numbers.Integral):
        return min(int(value), validation.LARGEST)
    return math.ceil(value * n_samples)
