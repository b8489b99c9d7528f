"""Splits of the levels of categorical features."""

import itertools
import pickle
import re

import numpy as np
import pytest
import scipy.sparse

from litlearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from litlearn.plotting import plot_tree
from litlearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
    export_graphviz,
    export_text,
)
from litlearn.tree._levels import codes_in
from reference import impurity

TREES = DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor
FORESTS = (
    RandomForestClassifier,
    RandomForestRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
)


def small(model, **params):
    """One of the classes, with few trees if it is a forest."""
    few = {"n_estimators": 5} if model in FORESTS else {}
    return model(random_state=0, **few | params)


def samples(seed, n=80, n_levels=7, missing=0.0, n_classes=2):
    """A column of levels, classes, targets and weights, all of which depend on the level."""
    rng = np.random.default_rng(seed)
    level = rng.integers(n_levels, size=n)
    x = np.where(rng.random(n) < missing, np.nan, level.astype(float))
    classes = (rng.random(n) + rng.random(n_levels)[level]) / 2 * n_classes
    targets = rng.normal(size=n_levels)[level] + rng.normal(size=n)
    return x, classes.astype(int).clip(0, n_classes - 1), targets, rng.uniform(0.2, 3.0, n)


def mixed(seed, n=200, n_levels=6, missing=0.1):
    """Three features, of which 0 and 2 are categorical, and a target of two classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[:, 0], X[:, 2] = rng.integers(n_levels, size=n), rng.integers(3, size=n)
    y = (np.isin(X[:, 0], [1, 4, 5]) ^ (X[:, 1] > 0.3)).astype(int)
    X[rng.random((n, 3)) < missing] = np.nan
    return X, y


def cost(criterion, y, w, left):
    """Weighted impurity of two children; infinite if one is empty."""
    if left.all() or not left.any():
        return np.inf
    return sum(w[side].sum() * impurity(criterion, y[side], w[side]) for side in (left, ~left))


def least_cost(criterion, x, y, w):
    """Least cost over all partitions of the levels, of which missing is one."""
    levels = [x == level for level in np.unique(x[~np.isnan(x)])]
    if np.isnan(x).any():
        levels.append(np.isnan(x))
    sides = itertools.product([False, True], repeat=len(levels))
    return min(
        cost(
            criterion,
            y,
            w,
            np.logical_or.reduce(
                [level & side for level, side in zip(levels, chosen, strict=True)]
            ),
        )
        for chosen in sides
    )


def stump_cost(model, criterion, x, y, w):
    """Cost of the children of a fitted stump."""
    tree = model.tree_
    assert tree.node_count == 3
    left = model.apply(x[:, np.newaxis]) == 1
    np.testing.assert_allclose(tree.weighted_n_node_samples[1], w[left].sum())
    return cost(criterion, y, w, left)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("criterion", "n_classes"),
    [
        ("gini", 2),
        ("entropy", 2),
        ("misclassification", 2),
        ("gini", 3),
        ("entropy", 4),
        ("squared_error", 1),
        ("poisson", 1),
        ("absolute_error", 1),
    ],
)
def test_the_best_of_all_partitions_is_found(criterion, n_classes, weighted, missing):
    """eq-category-order: the first levels by their mean response are the best set."""
    for seed in range(12):
        n_levels = 2 + seed % 6
        x, classes, targets, w = samples(seed, 60, n_levels, missing, max(n_classes, 2))
        w = w if weighted else np.ones(len(w))
        if n_classes > 1:
            model, y = DecisionTreeClassifier(), classes
        else:
            y = np.floor(np.exp(targets)) + 0.5 if criterion == "poisson" else targets.round(1)
            model = DecisionTreeRegressor()
        model.set_params(criterion=criterion, max_depth=1, categorical_features=[0])
        model.fit(x[:, np.newaxis], y, w)
        if model.tree_.node_count == 1:  # no split makes fewer errors than none
            assert criterion == "misclassification"
            found = w.sum() * impurity(criterion, y, w)
        else:
            found = stump_cost(model, criterion, x, y, w)
        assert found <= least_cost(criterion, x, y, w) * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("n_levels", [9, 40, 300])
@pytest.mark.parametrize(("criterion", "n_classes"), [("gini", 2), ("squared_error", 1)])
def test_no_exchange_betters_a_split_of_many_levels(criterion, n_classes, n_levels):
    """eq-category-order with more levels than all partitions can be tried of."""
    x, classes, targets, w = samples(3, 1000, n_levels)
    y = classes if n_classes == 2 else targets
    model = DecisionTreeClassifier() if n_classes == 2 else DecisionTreeRegressor()
    model.set_params(criterion=criterion, max_depth=1, categorical_features=[0])
    model.fit(x[:, np.newaxis], y, w)
    found = stump_cost(model, criterion, x, y, w)
    left = model.apply(x[:, np.newaxis]) == 1
    means = np.array([np.average(y[x == a], weights=w[x == a]) for a in np.unique(x)])
    goes_left = np.array([left[x == a][0] for a in np.unique(x)])
    assert means[goes_left].max() < means[~goes_left].min()
    for cut in np.sort(means):
        level = np.searchsorted(np.unique(x), x)
        assert found <= cost(criterion, y, w, means[level] <= cut) * (1 + 1e-12)


def test_several_classes_and_outputs_of_many_levels_take_the_best_ordering():
    """eq-category-order is no theorem here: each class, and each output, gives an ordering."""
    x, classes, targets, w = samples(5, 600, 30, n_classes=3)
    model = DecisionTreeClassifier(max_depth=1, categorical_features=[0])
    found = stump_cost(model.fit(x[:, np.newaxis], classes, w), "gini", x, classes, w)
    level, costs = x.astype(int), []
    for c in range(3):
        share = np.array([np.average(classes[x == a] == c, weights=w[x == a]) for a in range(30)])
        costs += [cost("gini", classes, w, share[level] <= cut) for cut in share]
    np.testing.assert_allclose(found, min(costs))

    Y = np.stack([targets, np.roll(targets, 1) + 0.1 * classes], axis=1)
    model = DecisionTreeRegressor(max_depth=1, categorical_features=[0]).fit(x[:, np.newaxis], Y, w)
    left, costs = model.apply(x[:, np.newaxis]) == 1, []
    both = lambda left: sum(cost("squared_error", y, w, left) for y in Y.T)  # noqa: E731
    for y in Y.T:
        mean = np.array([np.average(y[x == a], weights=w[x == a]) for a in range(30)])
        costs += [both(mean[level] <= cut) for cut in np.sort(mean)[:-1]]
    np.testing.assert_allclose(both(left), min(costs))


def test_few_levels_of_several_outputs_are_tried_in_all_ways():
    x, _, targets, w = samples(6, 80, 6)
    Y = np.stack([targets, np.cos(7.0 * x)], axis=1)
    model = DecisionTreeRegressor(max_depth=1, categorical_features=[0]).fit(x[:, np.newaxis], Y, w)
    left = model.apply(x[:, np.newaxis]) == 1
    sides = itertools.product([False, True], repeat=6)
    partitions = (np.array(side)[x.astype(int)] for side in sides)
    least = min(sum(cost("squared_error", y, w, some) for y in Y.T) for some in partitions)
    np.testing.assert_allclose(sum(cost("squared_error", y, w, left) for y in Y.T), least)


def test_medians_of_many_levels_are_cut_in_their_order():
    x, _, targets, w = samples(7, 500, 25)
    model = DecisionTreeRegressor(criterion="absolute_error", max_depth=1, categorical_features=[0])
    found = stump_cost(model.fit(x[:, np.newaxis], targets, w), "absolute_error", x, targets, w)
    medians = []
    for a in range(25):
        own, weight = np.sort(targets[x == a]), w[x == a][np.argsort(targets[x == a])]
        medians.append(own[np.searchsorted(np.cumsum(weight), 0.5 * weight.sum())])
    level = np.array(medians)[x.astype(int)]
    costs = [cost("absolute_error", targets, w, level <= cut) for cut in np.sort(medians)]
    np.testing.assert_allclose(found, min(costs))


@pytest.mark.parametrize("model", TREES + FORESTS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_any_numbers_of_the_levels_give_the_same_tree(model, n_classes):
    X, y = mixed(1, n_levels=20)
    y = y if n_classes == 2 else (y + np.nan_to_num(X[:, 2])).astype(int)
    new = np.random.default_rng(0).permutation(20) * 3.5 - 17.0
    other = X.copy()
    seen = ~np.isnan(X[:, 0])
    other[seen, 0] = new[X[seen, 0].astype(int)]
    other[:, 2] = -X[:, 2]
    one = small(model, categorical_features=[0, 2]).fit(X, y)
    two = small(model, categorical_features=[0, 2]).fit(other, y)
    np.testing.assert_array_equal(one.predict(X), two.predict(other))
    np.testing.assert_array_equal(one.apply(X), two.apply(other))
    np.testing.assert_array_equal(one.feature_importances_, two.feature_importances_)


@pytest.mark.parametrize("criterion", ["gini", "squared_error", "absolute_error"])
def test_levels_of_equal_means_do_not_follow_their_numbers(criterion):
    """All levels are alike, so that any cut is as good as another."""
    x, y = np.repeat(np.arange(6.0), 4), np.tile([0, 0, 1, 1], 6)
    order = np.random.default_rng(0).permutation(24)
    x, y = x[order], y[order]
    base = DecisionTreeClassifier if criterion == "gini" else DecisionTreeRegressor
    leaves = []
    for names in itertools.islice(itertools.permutations(range(6)), 0, 720, 37):
        model = base(criterion=criterion, max_depth=2, categorical_features=[0])
        own = np.array(names, dtype=float)[x.astype(int)][:, np.newaxis]
        leaves.append(model.fit(own, y).apply(own))
    assert (np.array(leaves) == leaves[0]).all()


@pytest.mark.parametrize("model", TREES + FORESTS)
def test_unknown_levels_go_with_missing_values(model):
    X, y = mixed(2)
    fitted = small(model, categorical_features=[0, 2]).fit(X, y)
    unknown, missing = X.copy(), X.copy()
    unknown[:, 0], missing[:, 0] = [99.0, -3.0, 1.5, 1e300] * 50, np.nan
    np.testing.assert_array_equal(fitted.apply(unknown), fitted.apply(missing))
    np.testing.assert_array_equal(fitted.predict(unknown), fitted.predict(missing))


def test_levels_that_a_node_has_not_seen_go_with_the_majority():
    X = np.array([[0.0, 0]] * 6 + [[0, 1]] * 2 + [[1, 2]] * 5)
    y = np.r_[np.zeros(6), np.ones(2), np.full(5, 9.0)]
    model = DecisionTreeRegressor(categorical_features=[1], max_features=None).fit(X, y)
    # Level 2 is in no node but the root; below, it goes where most samples go.
    assert model.predict([[0.0, 2.0]])[0] in (0.0, 9.0)
    tree = model.tree_
    for node in np.flatnonzero(tree.is_categorical):
        larger = tree.n_node_samples[node + 1] > tree.n_node_samples[tree.children_right[node]]
        assert tree.missing_go_to_left[node] == larger


@pytest.mark.parametrize("model", TREES + FORESTS)
@pytest.mark.parametrize(
    "params",
    [
        {"max_leaf_nodes": 9},
        {"min_samples_leaf": 12},
        {"min_weight_fraction_leaf": 0.1},
        {"ccp_alpha": 0.0005},
        {"max_depth": 2},
        {"min_impurity_decrease": 0.001},
    ],
)
def test_rules_hold_for_sets_too(model, params):
    X, y = mixed(3, n=300)
    w = np.random.default_rng(1).integers(1, 4, 300).astype(float)
    fitted = small(model, categorical_features=[0, 2], **params).fit(X, y, w)
    trees = [one.tree_ for one in getattr(fitted, "estimators_", [fitted])]
    codes = X.copy()
    assert any(tree.is_categorical.any() for tree in trees)
    for tree in trees:
        counts = tree.n_node_samples[tree.is_leaf]
        assert tree.n_leaves <= params.get("max_leaf_nodes", 300)
        assert counts.min() >= params.get("min_samples_leaf", 1)
        assert tree.max_depth <= params.get("max_depth", 300)
        share = tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
        assert share.min() >= params.get("min_weight_fraction_leaf", 0.0) - 1e-9
        if not (model in FORESTS and fitted.bootstrap):  # samples arrive where they were counted
            at = np.bincount(tree.apply(codes), minlength=tree.node_count)
            np.testing.assert_array_equal(at[tree.is_leaf], counts)
    # Without pruned or unused nodes, no words remain.
    for tree in trees:
        at = tree.steps["threshold"][tree.is_categorical].astype(int)
        sizes = (tree.sets[at] >> 1) + 1 if len(at) else np.zeros(1)
        assert sizes.sum() == len(tree.sets)


@pytest.mark.parametrize("model", TREES)
def test_ten_thousand_levels(model):
    rng = np.random.default_rng(0)
    level = np.r_[np.arange(10_000), rng.integers(10_000, size=10_000)]
    effect = rng.integers(2, size=10_000)
    X, y = np.stack([level * 1.25, rng.normal(size=20_000)], axis=1), effect[level]
    fitted = small(model, categorical_features=[0]).fit(X, y)
    assert fitted.score(X, y) == 1.0
    if model in TREES[:2]:
        assert fitted.get_n_leaves() == 2
        assert len(fitted.tree_.sets) <= 2 + 10_000 // 32
    # The sets of a whole tree are about as many words as its nodes have samples.
    assert len(fitted.tree_.sets) < 3 * fitted.tree_.n_node_samples.sum()


@pytest.mark.parametrize("n", [1, 31, 32, 33, 200])
def test_a_set_is_told_in_the_shorter_form(n):
    x = np.r_[np.arange(400.0), np.arange(400.0)]
    y = np.isin(x, np.linspace(0, 399, n).astype(int)).astype(int)
    tree = DecisionTreeClassifier(categorical_features=[0]).fit(x[:, np.newaxis], y).tree_
    assert not tree.missing_go_to_left[0] or n == 200 or tree.n_node_samples[1] > 400
    np.testing.assert_array_equal(tree.levels_apart(0), np.unique(x[y == (n < 200)]).astype(int))
    assert len(tree.sets) == 1 + min(n if n < 200 else 200, 13)


@pytest.mark.parametrize("model", FORESTS)
def test_forests_are_the_same_for_any_number_of_threads(model):
    X, y = mixed(4)
    one, two = (
        small(model, categorical_features=[0, 2], bootstrap=True, oob_score=True, n_jobs=n)
        for n in (1, 2)
    )
    with pytest.warns(UserWarning, match="OOB"):
        one.fit(X, y)
    with pytest.warns(UserWarning, match="OOB"):
        two.fit(X, y)
    assert one.oob_score_ == two.oob_score_
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
    for tree, other in zip(one.estimators_, two.estimators_, strict=True):
        np.testing.assert_array_equal(tree.tree_.sets, other.tree_.sets)
    # A member is an estimator of its own, and knows the levels.
    np.testing.assert_array_equal(one.estimators_[0].apply(X), one.apply(X)[:, 0])


def test_what_forests_add_knows_levels():
    X, y = mixed(5, n=150)
    model = RandomForestRegressor(60, categorical_features=[0, 2], random_state=0).fit(X, y)
    found = model.out_of_bag_importances(X, y, random_state=0).importances_mean
    assert found[0] > 0.2 and found[0] > found[2]
    with np.errstate(all="ignore"), pytest.warns(UserWarning):
        errors = model.predict_standard_error(X[:9])
    assert errors.shape == (9,) and np.nanmax(errors) > 0.0
    low, high = model.predict_quantiles(X, [0.05, 0.95], X_train=X, y_train=y).T
    assert np.all(low <= high)
    paths, _ = model.decision_path(X)
    assert paths.shape[1] == sum(tree.tree_.node_count for tree in model.estimators_)


def test_trees_that_a_warm_start_adds_keep_the_numbers_of_levels():
    X, y = mixed(6)
    first = X[:, 0] < 3
    model = RandomForestClassifier(
        4, categorical_features=[0, 2], warm_start=True, random_state=0
    ).fit(X[first], y[first])
    before, levels = model.apply(X), model.levels_[0]
    model.set_params(n_estimators=8).fit(X, y)
    np.testing.assert_array_equal(model.apply(X)[:, :4], before)
    np.testing.assert_array_equal(model.levels_[0], [0, 1, 2, 3, 4, 5])
    np.testing.assert_array_equal(levels, [0, 1, 2])
    model.set_params(n_estimators=9, categorical_features=[0])
    with pytest.raises(ValueError, match=r"categorical features \[0, 2\].* have \[0\]"):
        model.fit(X, y)


def frames(colours, sizes, numbers):
    """The same samples in frames of several libraries, with the categories in several orders."""
    pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    present = sorted(set(colours) - {None})
    one = pd.DataFrame({"colour": pd.Categorical(colours, present), "size": sizes, "x": numbers})
    other = one.assign(colour=pd.Categorical(colours, [*present[::-1], "unused"]))
    text = one.assign(colour=pd.Series(colours, dtype=object))
    arrow = pa.table({"colour": pa.array(colours).dictionary_encode(), "size": sizes, "x": numbers})
    strings = pa.table({"colour": pa.array(colours), "size": sizes, "x": numbers})
    return one, other, text, arrow, strings


@pytest.mark.parametrize(
    "model", [DecisionTreeClassifier, RandomForestRegressor, ExtraTreesClassifier]
)
def test_frames_say_the_same_by_value(model):
    rng = np.random.default_rng(0)
    colours = [[None, "red", "green", "blue", "grey"][i] for i in rng.integers(5, size=120)]
    sizes, numbers = rng.integers(3, size=120), rng.normal(size=120)
    y = np.isin(np.array(colours, dtype=object), ["red", "grey"]) ^ (sizes == 1)
    y = y.astype(int)
    own = frames(colours, sizes, numbers)
    by_type = small(model, categorical_features="from_dtype").fit(own[0], y)
    assert by_type.is_categorical_.tolist() == [True, False, False]
    assert by_type.levels_[0].tolist() == ["blue", "green", "grey", "red"]
    assert by_type.feature_names_in_.tolist() == ["colour", "size", "x"]
    expected = by_type.predict(own[0])
    for frame in own:
        np.testing.assert_array_equal(by_type.predict(frame), expected)
        np.testing.assert_array_equal(by_type.apply(frame), by_type.apply(own[0]))
        named = small(model, categorical_features=["colour"]).fit(frame, y)
        np.testing.assert_array_equal(named.predict(own[0]), expected)
    for i in (1, 3):
        again = small(model, categorical_features="from_dtype").fit(own[i], y)
        np.testing.assert_array_equal(again.predict(own[0]), expected)
    # A new colour is one that is not known.
    new = frames(["pink"] * 120, sizes, numbers)
    none = frames([None] * 60 + ["red"] * 60, sizes, numbers)
    for frame, missing in zip(new, none, strict=True):
        found = by_type.predict(frame)[:60]
        np.testing.assert_array_equal(found, by_type.predict(missing)[:60])
    # Beside the numbers of an array, names of features are missing.
    number = {None: np.nan} | {level: code for code, level in enumerate(by_type.levels_[0])}
    codes = np.array([number[colour] for colour in colours])
    array = np.stack([codes, sizes, numbers], axis=1)
    from_array = small(model, categorical_features=[True, False, False]).fit(array, y)
    np.testing.assert_array_equal(from_array.predict(array), expected)


def test_polars_frames():
    pl = pytest.importorskip("polars")
    colours = ["red", None, "blue", "blue", "green", "red"] * 10
    y = [1, 0, 0, 0, 1, 1] * 10
    kind = pl.Enum(["green", "red", "blue"])
    frame = pl.DataFrame({"colour": pl.Series(colours, dtype=kind), "x": np.arange(60.0)})
    model = DecisionTreeClassifier(categorical_features="from_dtype", max_depth=1).fit(frame, y)
    assert model.is_categorical_.tolist() == [True, False]
    np.testing.assert_array_equal(model.predict(frame), y)
    other = frame.with_columns(pl.col("colour").cast(pl.String).cast(pl.Categorical))
    np.testing.assert_array_equal(model.predict(other), y)


def test_names_of_features_in_frames_are_checked():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": ["u", "v"] * 5, "b": range(10)})
    model = DecisionTreeClassifier(categorical_features=["a"]).fit(frame, [0, 1] * 5)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"a": "c"}))
    with pytest.raises(ValueError, match="Column 0, 'a', holds 'u'"):
        DecisionTreeClassifier(categorical_features=["b"]).fit(frame, [0, 1] * 5)
    with pytest.raises(ValueError, match="infinity.* column 1, too, which is categorical"):
        DecisionTreeClassifier(categorical_features=["b"]).fit(
            frame.assign(a=0, b=[np.inf, 1.0] * 5), [0, 1] * 5
        )
    with pytest.raises(TypeError, match="column 0 of X, which is categorical"):
        DecisionTreeClassifier(categorical_features=["a"]).fit(
            frame.assign(a=[[1], [2]] * 5), [0, 1] * 5
        )


@pytest.mark.parametrize("model", TREES + FORESTS)
def test_wrong_categorical_features_are_refused(model):
    X, y = mixed(7)
    wrong = {
        "must have shape (n_features,), (3,) here, got: (2,)": [True, False],
        "must be in [0, n_features - 1], with n_features=3. Got [3].": [3],
        "must be in [0, n_features - 1], with n_features=3. Got [-1].": [-1],
        "array-like of bool, int or str, got: float64": [0.5],
        "array-like of bool, int or str, got: NoneType, str": np.array(["a", None], dtype=object),
        "on data without feature names": ["a"],
        "categorical_features": 3,
    }
    for message, given in wrong.items():
        with pytest.raises((ValueError, TypeError), match=re.escape(message)) as caught:
            small(model, categorical_features=given).fit(X, y)
        assert model.__name__ in str(caught.value)
    with pytest.raises(TypeError, match="X must be dense"):
        small(model, categorical_features=[0]).fit(scipy.sparse.csc_array(np.nan_to_num(X)), y)
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abc"))
    with pytest.raises(ValueError, match="'d' which is not a valid feature name"):
        small(model, categorical_features=["d"]).fit(frame, y)
    fitted = small(model, categorical_features=[0]).fit(X, y)
    with pytest.raises((ValueError, TypeError), match="[Ss]parse"):
        fitted.predict(scipy.sparse.csr_array(np.nan_to_num(X)))
    with pytest.raises(ValueError, match="2 features"):
        fitted.predict(X[:, :2])
    with pytest.raises(ValueError, match="infinity"):
        fitted.predict(np.full((1, 3), np.inf))


def test_from_dtype_of_an_array_and_no_features_mean_numbers():
    X, y = mixed(8)
    plain = DecisionTreeClassifier(random_state=0).fit(X, y)
    for given in ("from_dtype", [], [False] * 3):
        model = DecisionTreeClassifier(random_state=0, categorical_features=given).fit(X, y)
        assert not hasattr(model, "levels_") and not hasattr(model, "is_categorical_")
        np.testing.assert_array_equal(model.tree_.threshold, plain.tree_.threshold)
    model.set_params(categorical_features=[0]).fit(X, y)
    assert model.is_categorical_.tolist() == [True, False, False]
    model.set_params(categorical_features=None).fit(X, y)
    assert not hasattr(model, "levels_") and not model.tree_.is_categorical.any()


def test_bins_leave_levels_alone():
    x, classes, _, _ = samples(9, 400, 90)
    X = np.stack([x, np.arange(400.0)], axis=1)
    exact = DecisionTreeClassifier(categorical_features=[0], max_depth=1).fit(X, classes)
    binned = DecisionTreeClassifier(categorical_features=[0], max_depth=1, max_bins=4)
    assert exact.tree_.is_categorical[0]
    np.testing.assert_array_equal(binned.fit(X, classes).apply(X), exact.apply(X))


@pytest.mark.parametrize("model", TREES)
def test_float32_and_pickles(model):
    X, y = mixed(10)
    fitted = small(model, categorical_features=[0, 2]).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    single = small(model, categorical_features=[0, 2]).fit(X.astype(np.float32), y)
    assert single.score(X.astype(np.float32), y) == fitted.score(X, y)


def damages(tree):
    node = np.flatnonzero(tree.is_categorical)[-1]
    for at in (-1.0, 0.5, float(len(tree.sets)), 1e300, np.nan, np.inf):
        steps = tree.steps.copy()
        steps["threshold"][node] = at
        yield {"steps": steps}
    for feature in (tree.n_features, 2**29):
        steps = tree.steps.copy()
        steps["feature"][node] += feature
        yield {"steps": steps}
    steps = tree.steps.copy()
    steps["feature"][tree.is_leaf] = -(2**31)
    yield {"steps": steps}
    yield {"sets": tree.sets[:-1]}
    yield {"sets": tree.sets[:0]}
    yield {"sets": tree.sets.astype(np.int64)}
    yield {"sets": tree.sets[:, np.newaxis]}
    yield {"sets": list(tree.sets)}
    yield {"sets": np.full_like(tree.sets, 0xFFFFFFFF)}


def test_damaged_sets_are_refused():
    X, y = mixed(11)
    tree = DecisionTreeClassifier(categorical_features=[0, 2], random_state=0).fit(X, y).tree_
    state = dict(vars(tree))
    type(tree).__new__(type(tree)).__setstate__(state)
    for damage in damages(tree):
        with pytest.raises(ValueError, match="damaged"):
            type(tree).__new__(type(tree)).__setstate__(state | damage)
    without = {name: value for name, value in state.items() if name != "sets"}
    with pytest.raises(ValueError, match="damaged"):
        type(tree).__new__(type(tree)).__setstate__(without)
    # Whatever numbers a user gives to the tree itself, the walk stays within it.
    odd = np.full((1, 3), np.nan)
    for value in (-1.0, 2.0**31, 2.0**32 - 1, 2.0**40, 1e300, np.inf, -np.inf, 0.25):
        odd[:] = value
        assert 0 <= tree.apply(odd)[0] < tree.node_count


def test_texts_and_drawings_name_the_levels():
    pd = pytest.importorskip("pandas")
    colour = ["red"] * 6 + ["<green>"] * 4 + ["blue"] * 4
    frame = pd.DataFrame({"colour": pd.Categorical(colour)})
    y = [1] * 6 + [0] * 8
    model = DecisionTreeClassifier(categorical_features="from_dtype").fit(frame, y)
    assert export_text(model) == (
        "|--- colour not in {red}\n|   |--- class: 0\n|--- colour in {red}\n|   |--- class: 1\n"
    )
    swapped = DecisionTreeClassifier(categorical_features="from_dtype").fit(
        frame, [0] * 6 + [1] * 8
    )
    swapped = export_text(swapped)
    assert "|--- colour in {red}\n|   |--- class: 0\n" in swapped
    assert 'label="x[0] not in {red}' in export_graphviz(model)
    y = [0] * 6 + [1] * 4 + [0] * 4
    model = DecisionTreeClassifier(categorical_features="from_dtype").fit(frame, y)
    assert "not in {&lt;green&gt;}<br/>" in export_graphviz(model, special_characters=True)
    boxes = plot_tree(model)
    assert "colour not in {<green>}" in boxes[0].get_text()
    many = np.arange(40.0)[:, np.newaxis]
    model = DecisionTreeClassifier(categorical_features=[0]).fit(many, np.arange(40) % 2)
    assert "in {0, 2, 4, 6, 8, 10, 12, 14, 16, ... 11 more}" in export_text(model)


def test_scikit_learn_has_no_such_tree():
    X, y = mixed(12)
    for model in (DecisionTreeClassifier, RandomForestClassifier):
        fitted = small(model, categorical_features=[0]).fit(X, y)
        with pytest.raises(ValueError, match="splits the levels of categorical features"):
            fitted.to_sklearn()


def test_levels_beat_their_numbers_where_categories_matter():
    rng = np.random.default_rng(0)
    level = rng.integers(60, size=3000)
    effect = rng.normal(size=60)
    X = np.stack([level.astype(float), rng.normal(size=3000)], axis=1)
    y = effect[level] + 0.3 * X[:, 1] + 0.3 * rng.normal(size=3000)
    train, test = slice(1500), slice(1500, None)
    params = {"min_samples_leaf": 20, "random_state": 0}
    sets = DecisionTreeRegressor(categorical_features=[0], **params).fit(X[train], y[train])
    numbers = DecisionTreeRegressor(**params).fit(X[train], y[train])
    one_hot = np.c_[X[:, 1:], level[:, np.newaxis] == np.arange(60)]
    hot = DecisionTreeRegressor(**params).fit(one_hot[train], y[train])
    found = sets.score(X[test], y[test])
    assert found > numbers.score(X[test], y[test]) + 0.05
    assert found > hot.score(one_hot[test], y[test]) + 0.05


def test_a_random_set_is_any_but_none_and_all():
    """Each of the six proper subsets of three levels is drawn about equally often."""
    X, y = np.array([[0.0], [1.0], [2.0]]), [0.0, 1.0, 2.0]
    seen = {}
    for seed in range(600):
        model = ExtraTreeRegressor(max_depth=1, categorical_features=[0], random_state=seed)
        left = tuple(model.fit(X, y).apply(X) == 1)
        seen[left] = seen.get(left, 0) + 1
    assert len(seen) == 6 and min(seen.values()) > 60


def test_a_set_in_words():
    words = np.array([9, 2 * 2 + 1, 1 + 4, 1 << 31, 2 * 3, 5, 7, 70_000], dtype=np.uint32)
    assert codes_in(words, 1).tolist() == [0, 2, 63]
    assert codes_in(words, 4).tolist() == [5, 7, 70_000]


@pytest.mark.weekly(keep=1)
@pytest.mark.parametrize("model", TREES + FORESTS)
def test_constraints_hold_beside_categories_weights_and_missing_values(model):
    """Children of a split of levels keep to the bounds; the levels' feature itself has none."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    X[:, 2] = rng.integers(9, size=400)
    target = X[:, 0] + np.sin(3.0 * X[:, 1]) + rng.normal(size=9)[X[:, 2].astype(int)]
    target += rng.normal(size=400)
    X[rng.random((400, 3)) < 0.1] = np.nan
    w = rng.uniform(0.2, 3.0, 400)
    at = rng.normal(size=(10_000, 3))
    at[:, 2] = rng.integers(-1, 10, size=10_000)
    at[rng.random(10_000) < 0.1, 2] = np.nan
    classes = hasattr(model, "predict_proba")
    y = target > 0.0 if classes else target
    fitted = small(model, categorical_features=[2], monotonic_cst=[1, 0, 0]).fit(X, y, w)
    trees = [one.tree_ for one in getattr(fitted, "estimators_", [fitted])]
    assert any(tree.is_categorical.any() for tree in trees)
    before = np.full(10_000, -np.inf)
    for step in np.linspace(-3.0, 3.0, 13):
        at[:, 0] = step
        now = fitted.predict_proba(at)[:, 1] if classes else fitted.predict(at)
        assert np.all(now >= before - 1e-12)
        before = now
    assert np.ptp(now) > 0.0
    with pytest.raises(ValueError, match="Categorical features cannot have monotonic"):
        fitted.set_params(monotonic_cst=[1, 0, -1]).fit(X, y)


@pytest.mark.parametrize("model", TREES)
def test_a_categorical_column_without_values_is_constant(model):
    X, y = mixed(13)
    X[:, 0] = np.nan
    one, two = small(model, categorical_features=[0]).fit(X, y), small(model).fit(X, y)
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
    assert one.levels_[0].size == 0
    np.testing.assert_array_equal(one.predict(np.c_[np.ones(200), X[:, 1:]]), one.predict(X))


NUMBERS = {
    "own codes": [0, 1, 2, 3, 4],
    "close": [-3, -1, 0, 4, 9],
    "far": [-1e12, 7, 1e9, 2e9, 1e30],
    "fractions": [-0.1, 1e-30, 0.1, 0.5, 2],
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("values", NUMBERS.values(), ids=NUMBERS)
def test_any_numbers_may_be_levels(values, dtype):
    """They are known by value, in the precision of the fit; all others are as good as NaN."""
    place = np.random.default_rng(0).integers(5, size=(300, 2))
    y = np.isin(place[:, 0], [1, 3]).astype(int) + (place[:, 1] > 2)
    X, codes = np.array(values, dtype=dtype)[place], place.astype(float)
    X[::11, 0] = codes[::11, 0] = np.nan
    model = DecisionTreeClassifier(categorical_features=[0, 1]).fit(X, y)
    plain = DecisionTreeClassifier(categorical_features=[0, 1]).fit(codes, y)
    for j in (0, 1):
        np.testing.assert_array_equal(model.levels_[j], np.array(values, dtype=dtype))
    strange = np.array([-7, 0.25, 3.5, 5, 1e11, 2**33, 1e308, -1e308])
    strange = np.column_stack([strange, np.full(8, np.nan)])
    for asked in (X, np.asfortranarray(X), X[:7], X.astype(np.float64), strange):
        expected = np.full(asked.shape, np.nan)
        with np.errstate(over="ignore"):
            near = asked.astype(dtype)
        for code, value in enumerate(np.array(values, dtype=dtype)):
            expected[near == value] = code
        np.testing.assert_array_equal(model.apply(asked), plain.apply(expected))


def test_levels_of_single_precision_are_known_in_double():
    x = np.random.default_rng(0).choice([0.1, 0.2, 0.7], size=(90, 1))
    y = (x[:, 0] == 0.2).astype(int)
    tree = DecisionTreeClassifier(categorical_features=[0]).fit(x.astype(np.float32), y)
    assert tree.score(x, y) == tree.score(x.astype(np.float32), y) == 1.0
    frame = pytest.importorskip("pandas").DataFrame({"a": x[:, 0]})
    with pytest.warns(UserWarning, match="feature names"):
        assert tree.score(frame, y) == 1.0
