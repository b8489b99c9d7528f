"""Monotonic constraints: order of predictions, bounds of nodes, and scikit-learn's trees."""

import pickle

import numpy as np
import pytest
import sklearn.tree
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array
from sklearn.base import clone

import protocol
from litlearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from litlearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
    _growth,
)
from litlearn.tree._base import TreeModel
from litlearn.tree._monotone import Limits, allows
from litlearn.tree._splitter import NO_SIGNS
from protocol import assert_same, use
from reference import impurity
from tree_nodes import BY_CRITERION, CLASSES

# Sixty-four random bits wrap around on purpose; only uncompiled code remarks on it.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")

TREES = {
    DecisionTreeClassifier: ("gini", "entropy", "misclassification"),
    ExtraTreeClassifier: ("gini", "entropy"),
    DecisionTreeRegressor: ("squared_error", "absolute_error", "poisson"),
    ExtraTreeRegressor: ("squared_error", "absolute_error", "poisson"),
}
FORESTS = {
    RandomForestClassifier: ("gini", "entropy"),
    ExtraTreesClassifier: ("gini", "entropy"),
    RandomForestRegressor: ("squared_error", "absolute_error", "poisson"),
    ExtraTreesRegressor: ("squared_error", "absolute_error", "poisson"),
}
EVERY = pytest.mark.parametrize(
    ("kind", "criterion"),
    [(kind, one) for kind, ones in (TREES | FORESTS).items() for one in ones],
    ids=lambda one: getattr(one, "__name__", one),
)
EVERY_KIND = pytest.mark.parametrize("kind", TREES | FORESTS, ids=lambda one: one.__name__)
CLASSIFIERS = pytest.mark.parametrize(
    "kind", [one for one in TREES | FORESTS if "Classifier" in one.__name__]
)
SIGNS = [1, -1, 0]


def scene(seed=0, n=500, missing=0.0, kind=None, dtype=np.float64):
    """Samples whose targets only partly keep to SIGNS; of a classifier, two classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).astype(dtype)
    X[rng.random(X.shape) < missing] = np.nan
    known = np.nan_to_num(X)
    y = known[:, 0] - 0.5 * known[:, 1] ** 2 + known[:, 2] + rng.normal(size=n)
    if kind is not None and "Classifier" in kind.__name__:
        return X, np.where(y > 0, "sick", "healthy")
    return X, np.exp(0.5 * y)


def made(kind, **params):
    few = {"n_estimators": 5} if hasattr(kind, "member") else {}
    return kind(random_state=0, **few, **params)


def answer(model, X):
    """Predictions, or the probabilities of the second class."""
    return model.predict_proba(X)[:, 1] if hasattr(model, "predict_proba") else model.predict(X)


def rises(model, feature, sign, missing=0.0, n=10_000):
    """Differences of predictions where only one feature grows, times the sign."""
    rng = np.random.default_rng(99)
    low = rng.normal(size=(n, 3))
    low[rng.random(low.shape) < missing] = np.nan
    low[:, feature] = rng.normal(size=n)
    high = low.copy()
    high[:, feature] += rng.exponential(size=n)
    return sign * (answer(model, high) - answer(model, low))


def check_order(model, missing=0.0):
    for feature, sign in enumerate(SIGNS):
        if sign:
            assert rises(model, feature, sign, missing).min() >= 0.0


# The order of predictions


@EVERY
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("max_leaf_nodes", [None, 30])
def test_predictions_keep_to_the_order(kind, criterion, missing, max_leaf_nodes):
    X, y = scene(missing=missing, kind=kind)
    w = np.random.default_rng(5).choice([0.0, 0.1, 0.7, 3.0], len(y))
    params = {"criterion": criterion, "max_leaf_nodes": max_leaf_nodes}
    free = made(kind, **params).fit(X, y, w)
    if criterion != "misclassification":  # few splits help: a tree of few leaves
        assert rises(free, 1, -1, missing).min() < 0.0
    for weight in (None, w):
        check_order(made(kind, monotonic_cst=SIGNS, **params).fit(X, y, weight), missing)


@EVERY_KIND
@pytest.mark.parametrize(
    "setting",
    [
        {"min_samples_leaf": 7},
        {"min_weight_fraction_leaf": 0.02},
        {"ccp_alpha": 0.002},
        {"max_features": 1},
        {"max_depth": 4},
        {"min_impurity_decrease": 0.001},
        {"class_weight": {"sick": 5.0, "healthy": 0.3}},
        {"max_bins": 8},
    ],
    ids=str,
)
def test_settings(kind, setting):
    if set(setting) <= set(kind._get_param_names()):
        X, y = scene(3, missing=0.1, kind=kind)
        model = made(kind, monotonic_cst=SIGNS, **setting).fit(X, y)
        check_order(model, 0.1)
        assert np.ptp(answer(model, X)) > 0.0


@EVERY_KIND
def test_a_constraint_the_data_oppose_leaves_a_constant(kind):
    x = np.linspace(-2, 2, 50)[:, np.newaxis]
    y = x[:, 0] > 0 if "Classifier" in kind.__name__ else x[:, 0]
    whole = {"bootstrap": False} if hasattr(kind, "member") else {}
    model = made(kind, monotonic_cst=[-1], **whole).fit(x, y)
    assert np.ptp(answer(model, x)) == 0.0
    model = made(kind, monotonic_cst=[1], **whole).fit(x, y)
    assert np.ptp(answer(model, x)) > 0.8


def test_it_is_the_second_class_in_order_that_rises():
    x = np.arange(20.0)[:, np.newaxis]
    y = np.where(x[:, 0] < 10, "b", "a")  # "a" comes first
    assert made(DecisionTreeClassifier, monotonic_cst=[1]).fit(x, y).get_depth() == 0
    assert made(DecisionTreeClassifier, monotonic_cst=[-1]).fit(x, y).score(x, y) == 1.0


def test_one_class():
    model = made(DecisionTreeClassifier, monotonic_cst=SIGNS).fit(scene()[0], np.ones(500))
    np.testing.assert_array_equal(model.predict_proba(scene()[0]), np.ones((500, 1)))


@EVERY_KIND
def test_missing_values_apart_from_all_others(kind):
    """They count as the largest in a split that parts them from all others, as in scikit-learn."""
    x = np.r_[np.full(30, np.nan), np.zeros(30)][:, np.newaxis]
    y = np.isnan(x[:, 0]).astype(int)
    for sign in (1, -1):
        model = made(kind, monotonic_cst=[sign]).fit(x, y)
        assert (np.ptp(answer(model, x)) > 0.9) == (sign > 0)
        assert np.all(sign * np.diff(answer(model, np.array([[-1.0], [0.0], [1.0]]))) >= 0.0)


# The bounds of the nodes


@pytest.mark.parametrize("kind", [DecisionTreeRegressor, ExtraTreeRegressor])
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("max_leaf_nodes", [None, 60])
def test_bounds_are_the_middles_of_the_values_of_children(kind, criterion, max_leaf_nodes):
    X, y = scene(7, missing=0.1)
    tree = made(kind, criterion=criterion, max_leaf_nodes=max_leaf_nodes, monotonic_cst=SIGNS)
    tree = tree.fit(X, y).tree_
    found, low = tree.value[:, 0, 0], np.full(tree.node_count, -np.inf)
    high = -low
    for node in np.flatnonzero(tree.feature >= 0):
        left, right = tree.children_left[node], tree.children_right[node]
        sign, middle = SIGNS[tree.feature[node]], (found[left] + found[right]) / 2
        low[[left, right]], high[[left, right]] = low[node], high[node]
        if sign:
            assert sign * (found[left] - found[right]) <= 0.0
            (high if sign > 0 else low)[left] = middle
            (low if sign > 0 else high)[right] = middle
    assert np.all(found >= low - 1e-12) and np.all(found <= high + 1e-12)
    at_a_bound = np.isclose(found, low, rtol=1e-12) | np.isclose(found, high, rtol=1e-12)
    assert at_a_bound.sum() > 3  # values were clipped


@pytest.mark.nojit
def test_values_that_children_may_have():
    for sign, left, right, allowed in [
        (1, 1.0, 2.0, True),
        (1, 2.0, 1.0, False),
        (-1, 2.0, 1.0, True),
        (-1, 1.0, 2.0, False),
        (1, 1.5, 1.5, True),
        (1, -1.0, 2.0, False),
        (1, 1.0, 4.0, False),
        (-1, 4.0, 1.0, False),
        (-1, 2.0, -1.0, False),
        (1, 0.0, 3.0, True),
    ]:
        assert allows(Limits(sign, 0.0, 3.0), left, right) == allowed


def value(criterion, y, w):
    """What a node predicts, or the share of the second class."""
    if criterion != "absolute_error":
        return np.average(y, weights=w)
    order = np.argsort(y)
    sums = np.cumsum(w[order])
    low, high = (np.searchsorted(sums, 0.5 * sums[-1], side) for side in ("left", "right"))
    return 0.5 * y[order[low]] + 0.5 * y[order[high]]


def split_by_definition(criterion, X, y, w, signs):
    """The largest decrease of the impurity over all splits whose children are in order."""
    best, whole = 0.0, w.sum() * impurity(criterion, y, w)
    for column, sign in zip(X.T, signs, strict=True):
        for threshold in [*np.unique(column[~np.isnan(column)]), np.inf]:
            for missing_left in (False, True):
                left = (column <= threshold) | (np.isnan(column) & missing_left)
                if left.all() or not left.any():
                    continue
                if criterion == "poisson" and min(y[left].sum(), y[~left].sum()) == 0:
                    continue
                one, other = (value(criterion, y[s], w[s]) for s in (left, ~left))
                if sign * (one - other) <= 1e-12:
                    parts = [w[s].sum() * impurity(criterion, y[s], w[s]) for s in (left, ~left)]
                    best = max(best, (whole - sum(parts)) / w.sum())
    return best


@pytest.mark.nojit
@BY_CRITERION
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.booleans(), st.sampled_from([3, 90]))
def test_no_split_in_order_is_better(criterion, seed, weighted, n_values):
    """Beside a search over all splits, NaN on either side."""
    rng = np.random.default_rng(seed)
    n, by_class = int(rng.integers(2, 50 if n_values == 90 else 14)), criterion in CLASSES
    X = rng.integers(0, n_values, size=(n, 3)).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    y = rng.integers(0, 2 if by_class else 3, size=n).astype(float)
    y[:2] = 1.0, 0.0  # Poisson needs a positive sum
    w = rng.integers(1, 5, size=n) / 4 if weighted else np.ones(n)
    kind = DecisionTreeClassifier if by_class else DecisionTreeRegressor
    model = kind(criterion=criterion, max_depth=1, random_state=seed, monotonic_cst=SIGNS)
    tree = model.fit(X, y, sample_weight=w).tree_
    expected = split_by_definition(criterion, X, y, w, SIGNS)
    if tree.node_count == 1:
        assert expected < 1e-12
        return
    decrease = tree.impurity[0] - tree.weighted_n_node_samples[1:] / w.sum() @ tree.impurity[1:]
    np.testing.assert_allclose(decrease, expected, rtol=1e-9, atol=1e-12)
    sign = SIGNS[tree.feature[0]]
    assert sign * (tree.value[1, 0, -1] - tree.value[2, 0, -1]) <= 1e-12


# Beside scikit-learn


@pytest.mark.parametrize(
    ("name", "criterion"),
    [
        ("DecisionTreeClassifier", "gini"),
        ("DecisionTreeClassifier", "entropy"),
        ("DecisionTreeRegressor", "squared_error"),
        ("DecisionTreeRegressor", "absolute_error"),
        ("DecisionTreeRegressor", "poisson"),
    ],
)
@pytest.mark.parametrize("max_leaf_nodes", [None, 12])
def test_the_trees_are_those_of_scikit_learn(name, criterion, max_leaf_nodes):
    """Weights are fractions, so that no two splits are equally good."""
    for seed in range(6):
        kind, their_kind = globals()[name], getattr(sklearn.tree, name)
        missing = 0.15 if seed % 2 else 0.0
        X, y = scene(seed, 300, missing, kind, np.float32)
        w = np.random.default_rng(seed).uniform(0.5, 2.0, len(y))
        params = {
            "criterion": criterion,
            "max_leaf_nodes": max_leaf_nodes,
            "min_samples_leaf": 15,
            "monotonic_cst": SIGNS,
            "random_state": 0,
        }
        ours, theirs = kind(**params).fit(X, y, w), their_kind(**params).fit(X, y, w)
        # Of weights that are fractions, scikit-learn splits some pure nodes once more.
        assert 10 < ours.tree_.node_count <= theirs.tree_.node_count
        queries = scene(seed + 100, 2000, missing, kind, np.float32)[0]
        found, expected = answer(ours, queries), answer(theirs, queries)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@EVERY_KIND
def test_to_sklearn(kind):
    X, y = scene(2, kind=kind, dtype=np.float32)
    model = made(kind, monotonic_cst=SIGNS).fit(X, y)
    theirs = model.to_sklearn()
    assert theirs.monotonic_cst == SIGNS
    np.testing.assert_allclose(answer(theirs, X), answer(model, X), rtol=1e-12)
    assert clone(theirs).fit(X, y).monotonic_cst == SIGNS


# Forms of the parameter, and errors


@EVERY_KIND
def test_zeros_give_the_bits_of_none(kind):
    X, y = scene(missing=0.1, kind=kind)
    free, zeros = (made(kind, monotonic_cst=one).fit(X, y) for one in (None, [0, 0, 0]))
    assert_same(use(zeros, X), use(free, X))


@EVERY_KIND
def test_every_form_gives_the_same_bits(kind):
    X, y = scene(missing=0.1, kind=kind)
    expected = use(made(kind, monotonic_cst=SIGNS).fit(X, y), X)
    for form in (np.array(SIGNS), np.array(SIGNS, dtype=float), tuple(SIGNS), np.int8(SIGNS)):
        assert_same(use(made(kind, monotonic_cst=form).fit(X, y), X), expected)


@EVERY_KIND
@pytest.mark.parametrize(
    ("given", "match"),
    [
        ([1, 0], "monotonic_cst has shape 2 but the input data X has 3 features"),
        ([[1, 0, 0]], r"monotonic_cst has shape \(1, 3\) but the input data X has 3 features"),
        ([-2, 2, 0], r"must be None or an array-like of -1, 0 or 1, but got \[-2  0  2\]"),
        ([-1, 0.8, 0], r"array-like of -1, 0 or 1, but got (.*)0.8\]"),
        ([1, np.nan, 0], r"array-like of -1, 0 or 1, but got (.*)nan\]"),
        (["1", "0", "0"], "array-like of -1, 0 or 1, but got \\['1', '0', '0'\\]"),
        ([1, None, 0], "array-like of -1, 0 or 1, but got \\[1, None, 0\\]"),
        ({"a": 1}, "'monotonic_cst' parameter of .* must be an array-like or None"),
        ("increasing", "'monotonic_cst' parameter of .* must be an array-like or None"),
        (1, "'monotonic_cst' parameter of .* must be an array-like or None"),
    ],
    ids=str,
)
def test_bad_constraints(kind, given, match):
    with pytest.raises(ValueError, match=match) as caught:
        made(kind, monotonic_cst=given).fit(*scene(kind=kind))
    assert kind.__name__ in str(caught.value)


@CLASSIFIERS
def test_several_classes_are_refused(kind):
    X, y = scene()
    with pytest.raises(ValueError, match=f"{kind.__name__}: Monotonicity .* multiclass class.* 3 "):
        made(kind, monotonic_cst=SIGNS).fit(X, np.digitize(y, [0.5, 1.5]))


@EVERY_KIND
def test_several_outputs_are_refused(kind):
    X, y = scene(kind=kind)
    with pytest.raises(ValueError, match=f"{kind.__name__}: Monotonicity .* multiple outputs.* 2 "):
        made(kind, monotonic_cst=SIGNS).fit(X, np.column_stack([y, y]))


# What holds for every estimator


@EVERY_KIND
def test_check_estimator(kind, monkeypatch):
    """The data of these checks are of many widths: the first feature is constrained."""
    n_constrained = []

    def signs(self, n_features, n_classes, levels):
        if len(n_classes) > 1 or n_classes[0] > 2:
            return NO_SIGNS
        n_constrained.append(n_features)
        return np.array([-1] + [0] * (n_features - 1), dtype=np.int8)

    monkeypatch.setattr(TreeModel, "_signs", signs)
    # Weights are chances of being drawn; another number of rows draws other rows.
    drawn = ("dense", "sparse") if getattr(made(kind), "bootstrap", False) else ()
    may_fail = [f"check_sample_weight_equivalence_on_{one}_data" for one in drawn]
    if kind is ExtraTreeClassifier:  # one threshold at random each, of which some are refused
        may_fail = ["check_classifiers_train"]  # asks for few errors
    protocol.check_scikit_learns_checks(made(kind), may_fail)
    assert len(n_constrained) > 20


@EVERY_KIND
def test_sparse_data_grow_the_tree_of_dense_ones(kind):
    X, y = scene(kind=kind)
    X[np.abs(X) < 0.4] = 0.0
    dense, sparse = (made(kind, monotonic_cst=SIGNS).fit(data, y) for data in (X, csc_array(X)))
    assert_same(use(sparse, X), use(dense, X))
    check_order(sparse)


@EVERY_KIND
def test_float32_values_grow_the_tree_of_the_same_values_in_float64(kind):
    X, y = scene(missing=0.1, kind=kind, dtype=np.float32)
    if made(kind).get_params().get("splitter") != "random" and "Extra" not in kind.__name__:
        one, other = (made(kind, monotonic_cst=SIGNS).fit(a, y) for a in (X, X.astype(float)))
        assert_same([answer(one, X)], [answer(other, X.astype(float))])
    check_order(made(kind, monotonic_cst=SIGNS).fit(X, y), 0.1)


@pytest.mark.parametrize("kind", FORESTS)
def test_threads_change_no_bit(kind):
    X, y = scene(missing=0.1, kind=kind)
    one, three = (made(kind, monotonic_cst=SIGNS, n_jobs=n).fit(X, y) for n in (1, 3))
    assert_same(use(three, X), use(one, X))


@EVERY_KIND
def test_pickled(kind):
    X, y = scene(kind=kind)
    model = made(kind, monotonic_cst=SIGNS).fit(X, y)
    assert_same(use(pickle.loads(pickle.dumps(model)), X), use(model, X))
    assert_same(use(clone(model).fit(X, y), X), use(model, X))


def test_a_search_that_pauses_grows_the_same_tree(monkeypatch):
    """A large node is searched in several calls; its bounds stay."""
    for criterion in ("squared_error", "absolute_error"):
        X, y = scene(missing=0.1)
        model = made(DecisionTreeRegressor, criterion=criterion, monotonic_cst=SIGNS)
        expected = use(model.fit(X, y), X)
        with monkeypatch.context() as patched:
            patched.setattr(_growth, "BUDGET", 10)
            assert_same(use(model.fit(X, y), X), expected)


def test_a_branch_that_is_pruned_leaves_a_value_within_its_bounds():
    X, y = scene(4, kind=DecisionTreeClassifier)
    sizes = []
    for alpha in (0.0, 0.001, 0.002, 0.004):
        model = made(DecisionTreeClassifier, monotonic_cst=SIGNS, ccp_alpha=alpha).fit(X, y)
        check_order(model)
        sizes.append(model.get_n_leaves())
    assert sizes == sorted(sizes, reverse=True) and sizes[0] > sizes[-1] > 2


@pytest.mark.parametrize("kind", [RandomForestRegressor, ExtraTreesRegressor])
def test_quantiles_of_leaves_whose_values_were_clipped(kind):
    X, y = scene()
    model = made(kind, monotonic_cst=SIGNS).fit(X, y)
    found = model.predict_quantiles(X, [0.1, 0.9], X_train=X, y_train=y)
    assert np.all(found[:, 0] <= found[:, 1]) and np.isin(found, y).all()
