"""The trees among scikit-learn's tools, under hostile conditions, and beside scikit-learn's."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sklearn.tree as theirs
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_friedman1
from sklearn.model_selection import cross_val_score

import litlearn.plotting
import litlearn.tree
import protocol
from litlearn.exceptions import DataConversionWarning, NotFittedError
from litlearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
    _growth,
    export_text,
)
from litlearn.tree._structure import Tree
from protocol import assert_same, assert_same_trees, data, use

CLASSIFIERS = (DecisionTreeClassifier(), ExtraTreeClassifier())
REGRESSORS = (DecisionTreeRegressor(), ExtraTreeRegressor())
ALL = tuple(one.set_params(random_state=0) for one in CLASSIFIERS + REGRESSORS)
# Settings that take another way through the code.
MORE = (
    DecisionTreeClassifier(criterion="misclassification", random_state=0),
    DecisionTreeClassifier(max_leaf_nodes=9, ccp_alpha=0.01, random_state=0),
    DecisionTreeClassifier(criterion="entropy", max_features="sqrt", random_state=0),
    DecisionTreeRegressor(criterion="absolute_error", max_bins=16, random_state=0),
    DecisionTreeRegressor(splitter="random", max_leaf_nodes=9, random_state=0),
    ExtraTreeRegressor(criterion="absolute_error", random_state=0),
)
EVERY = pytest.mark.parametrize("estimator", ALL, ids=repr)
EVERY_SETTING = pytest.mark.parametrize("estimator", ALL + MORE, ids=repr)
CRITERIA = {
    "DecisionTreeClassifier": ("gini", "entropy", "misclassification"),
    "DecisionTreeRegressor": ("squared_error", "absolute_error", "poisson"),
}
EVERY_CRITERION = pytest.mark.parametrize(
    ("name", "criterion"), [(name, one) for name, ones in CRITERIA.items() for one in ones]
)


# scikit-learn's tools


def test_all_are_listed():
    protocol.check_all_are_listed(litlearn.tree, ALL)


class TestProtocol(protocol.Suite):
    estimators = ALL
    bad_parameters = protocol.BAD_TREE_PARAMETERS
    bad_samples = (*protocol.BAD_SAMPLES, protocol.SPARSE_WITH_MISSING)

    def test_before_fit(self, estimator):
        super().test_before_fit(estimator)
        model = clone(estimator)
        model.cost_complexity_pruning_path(*data())
        assert not model.__sklearn_is_fitted__()


class TestSettings(protocol.Settings):
    estimators = MORE

    def may_fail(self, estimator):
        if estimator.max_bins is None:
            return ()
        # Bins are those of all rows, whatever they weigh.
        return ("check_sample_weight_equivalence_on_dense_data",)


@EVERY
def test_signature(estimator):
    protocol.check_signature(estimator, theirs, ours_only={"max_bins", "categorical_features"})


@EVERY
def test_pickles_are_small(estimator):
    protocol.check_pickles_are_small(estimator, theirs)


@EVERY
def test_names_of_features_in_text(estimator):
    X, y = data()
    text = export_text(clone(estimator).fit(protocol.data_frame(X), y))
    assert "age <=" in text or "score <=" in text


@EVERY_SETTING
def test_single_precision_grows_the_tree_of_its_double_copy(estimator):
    protocol.check_single_precision_grows_the_same_trees(estimator)


def test_searches_and_pipelines():
    grid = {"max_depth": [1, 3, None], "criterion": ["gini", "entropy"]}
    protocol.check_pipeline_and_search(DecisionTreeClassifier(random_state=0), grid)
    X, _ = data()
    model = ExtraTreeRegressor(random_state=0)
    assert np.all(cross_val_score(model, X, X[:, 0], cv=3) > 0.3)


@pytest.mark.parametrize("y", [[-1.0, 1.0, 2.0], [0.0, 0.0, 0.0]], ids=str)
def test_targets_that_poisson_refuses(y):
    with pytest.raises(ValueError, match="DecisionTreeRegressor: .*(negative|not positive)"):
        DecisionTreeRegressor(criterion="poisson").fit([[1.0], [2.0], [3.0]], y)


# Weights


def improved(tree):
    """Total decrease of impurity, which trees that differ in ties only share at each split."""
    leaf = tree.is_leaf
    return tree.weighted_n_node_samples[leaf] @ tree.impurity[leaf]


@EVERY
def test_weights_whose_sum_is_no_number(estimator):
    X, y = data()
    with pytest.raises(ValueError, match=rf"{type(estimator).__name__}: the sum of sample_weight"):
        clone(estimator).fit(X, y, sample_weight=np.full(len(X), 1e308))


@EVERY
def test_more_than_node_numbers_can_count(estimator, monkeypatch):
    X, y = data()
    monkeypatch.setattr(litlearn.tree._base, "LARGEST_SIZE", len(X) - 1)
    with pytest.raises(ValueError, match=rf"{type(estimator).__name__}: X has shape .* at most"):
        clone(estimator).fit(X, y)


@EVERY_CRITERION
@pytest.mark.parametrize("depth", [1, None])
def test_weights_are_repetitions(name, criterion, depth):
    X, y = data(1, n=60)
    X = np.round(X, 1)
    y = y if name == "DecisionTreeClassifier" else np.abs(np.round(X[:, 0] * 3 + y))
    times = np.random.default_rng(2).integers(0, 4, size=60)
    setting = {"criterion": criterion, "max_depth": depth, "random_state": 0}
    kind = getattr(litlearn.tree, name)
    weighted = kind(**setting).fit(X, y, sample_weight=times.astype(float)).tree_
    repeated = kind(**setting).fit(np.repeat(X, times, axis=0), np.repeat(y, times)).tree_
    np.testing.assert_array_equal(weighted.feature, repeated.feature)
    np.testing.assert_array_equal(weighted.threshold, repeated.threshold)
    np.testing.assert_allclose(weighted.value, repeated.value, rtol=1e-12)
    np.testing.assert_allclose(weighted.impurity, repeated.impurity, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(weighted.weighted_n_node_samples, repeated.n_node_samples)


@EVERY_SETTING
def test_samples_of_weight_zero_take_no_part(estimator):
    X, y = data(3)
    weight = np.random.default_rng(4).integers(0, 3, size=90).astype(float)
    hostile = X.copy()
    hostile[weight == 0] = 1e6
    kept = weight > 0
    models = [
        clone(estimator).fit(one, target, sample_weight=w)
        for one, target, w in (
            (X, y, weight),
            (hostile, y, weight),
            (X[kept], y[kept], weight[kept]),
        )
    ]
    if estimator.max_bins is None:  # bins are those of all rows
        assert_same_trees(models[0], models[1])
        assert_same_trees(models[0], models[2])
    assert models[0].tree_.n_node_samples[0] == kept.sum()


def test_class_weights_are_sample_weights():
    X, y = data(5, n=200)
    y = y + (X[:, 1] > 1)
    for class_weight in ({0: 1.0, 1: 2.0, 2: 7.0}, "balanced"):
        by_class = DecisionTreeClassifier(class_weight=class_weight, random_state=0).fit(X, y)
        factors = np.array([1.0, 2.0, 7.0])
        if class_weight == "balanced":
            factors = 200 / (3 * np.bincount(y))
        by_sample = DecisionTreeClassifier(random_state=0).fit(X, y, sample_weight=factors[y])
        assert_same_trees(by_class, by_sample)
    both = np.column_stack([y, y > 0])
    weights = [{0: 1.0, 1: 2.0, 2: 3.0}, {0: 1.0, 1: 4.0}]
    listed = DecisionTreeClassifier(class_weight=weights, random_state=0).fit(X, both)
    product = np.array([1.0, 2.0, 3.0])[y] * np.array([1.0, 4.0])[(y > 0).astype(int)]
    expected = DecisionTreeClassifier(random_state=0).fit(X, both, sample_weight=product)
    assert_same_trees(listed, expected)
    with pytest.raises(ValueError, match="number of elements in class_weight"):
        DecisionTreeClassifier(class_weight=weights[:1]).fit(X, both)


# Kinds of targets


def test_string_labels():
    X, y = data()
    names = np.array(["healthy", "ill"])
    model = DecisionTreeClassifier(random_state=0, max_depth=3).fit(X, names[y])
    plain = DecisionTreeClassifier(random_state=0, max_depth=3).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), names[plain.predict(X)])
    assert model.classes_.tolist() == ["healthy", "ill"] and model.n_classes_ == 2
    assert "class: ill" in export_text(model)


@EVERY
def test_several_outputs(estimator):
    X, y = data()
    Y = np.column_stack([y, X[:, 1] > 0.5, np.round(X[:, 2])]).astype(float)
    model = clone(estimator).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), Y)  # grown until all leaves are pure
    assert model.n_outputs_ == 3
    if estimator in CLASSIFIERS:
        assert [one.shape for one in model.predict_proba(X)] == [
            (90, len(classes)) for classes in model.classes_
        ]
        assert len(model.predict_log_proba(X)) == 3
    same = clone(estimator).fit(X, np.column_stack([y, y]))
    once = clone(estimator).fit(X, y)
    np.testing.assert_array_equal(same.tree_.feature, once.tree_.feature)
    np.testing.assert_array_equal(same.predict(X)[:, 1], once.predict(X))
    if estimator in REGRESSORS:
        with pytest.warns(DataConversionWarning):
            column = clone(estimator).fit(X, y[:, np.newaxis])
        assert_same(use(column, X), use(once, X))


@EVERY_SETTING
def test_single_class_one_sample_and_constant_features(estimator):
    X, _ = data()
    model = clone(estimator).fit(X, np.full(90, 3))
    assert model.tree_.node_count == 1 and np.all(model.predict(X) == 3)
    model = clone(estimator).fit([[1.0, 2.0]], [7])
    assert model.predict([[5.0, np.nan]]).tolist() == [7] and model.get_depth() == 0
    y = np.arange(90) % 2
    model = clone(estimator).fit(np.ones((90, 3)), y)
    assert model.tree_.node_count == 1
    np.testing.assert_allclose(model.tree_.value.sum(), 1 if hasattr(model, "classes_") else 0.5)
    assert np.all(model.feature_importances_ == 0)


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_a_split_that_gains_nothing_stays_unless_pruning_is_asked_for(kind):
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    for alpha, leaves in ((0.0, 2), (1e-9, 1)):
        model = kind(max_depth=1, ccp_alpha=alpha, random_state=0).fit(X, y)
        assert model.get_n_leaves() == leaves


@EVERY_SETTING
def test_duplicated_rows_with_different_labels(estimator):
    X = np.repeat([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], 4, axis=0)
    y = np.array([0, 0, 0, 1] * 2 + [0, 1, 1, 1])
    model = clone(estimator).set_params(ccp_alpha=0.0).fit(X, y)
    assert model.get_n_leaves() <= 3
    if hasattr(model, "predict_proba") and model.criterion != "misclassification":
        np.testing.assert_allclose(model.predict_proba(X)[::4, 1], [0.25, 0.25, 0.75])


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize(("scale", "offset"), [(1e-150, 0), (1e150, 0), (1, 1e9), (1e-3, 1e9)])
@pytest.mark.parametrize("kind", [DecisionTreeRegressor, ExtraTreeRegressor])
def test_scale_and_offset_of_targets(criterion, scale, offset, kind):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(200, 3))
    y = np.round(np.exp(X[:, 0]) * 8) / 8 + (X[:, 1] > 0)
    setting = {"criterion": criterion, "max_depth": 3, "random_state": 0}
    plain = kind(**setting).fit(X, y).tree_
    if criterion == "poisson" and offset:
        return  # another mean is another deviance
    model = kind(**setting).fit(X, y * scale + offset)
    np.testing.assert_array_equal(model.tree_.feature, plain.feature)
    np.testing.assert_array_equal(model.tree_.threshold, plain.threshold)
    centred = (model.tree_.value - offset) / scale
    np.testing.assert_allclose(centred, plain.value, rtol=1e-9, atol=1e-15 * (offset / scale))


def test_whole_and_boolean_targets():
    X, y = data()
    for target in (y, y.astype(bool), y.astype(np.float32), y.astype(np.uint8)):
        model = DecisionTreeRegressor(random_state=0).fit(X, target)
        assert_same_trees(model, DecisionTreeRegressor(random_state=0).fit(X, y.astype(float)))
        assert model.predict(X).dtype == np.float64


def test_values_closer_than_single_precision_can_tell():
    X = 1e6 + np.arange(8.0)[:, np.newaxis] * 1e-7
    y = np.arange(8) % 2
    assert DecisionTreeClassifier().fit(X, y).score(X, y) == 1.0
    assert theirs.DecisionTreeClassifier().fit(X, y).score(X, y) == 0.5


# While a tree grows


@pytest.mark.nojit
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")  # of whole numbers, as plain Python
@EVERY_SETTING
def test_pauses_in_the_middle_of_a_node_change_no_bit(estimator, monkeypatch):
    """A node of many samples returns to Python between two features, for Ctrl-C."""
    X, y = data(3, n=40, p=6)
    X[:, 2], X[:5, 4] = 1.0, np.nan
    expected, pauses = clone(estimator).fit(X, y), []
    monkeypatch.setattr(_growth, "BUDGET", 1)
    monkeypatch.setattr(_growth.parallel, "check_interrupt", lambda: pauses.append(1))
    assert_same_trees(clone(estimator).fit(X, y), expected)
    assert len(pauses) > expected.tree_.node_count


# Parameters


def test_limits_hold():
    X, y = data(7, n=300)
    tree = DecisionTreeClassifier(min_samples_leaf=0.05, random_state=0).fit(X, y).tree_
    assert tree.n_node_samples.min() >= 15
    tree = DecisionTreeClassifier(min_samples_split=0.2, random_state=0).fit(X, y).tree_
    assert tree.n_node_samples[~tree.is_leaf].min() >= 60
    weight = np.random.default_rng(0).random(300)
    model = DecisionTreeClassifier(min_weight_fraction_leaf=0.1, random_state=0)
    tree = model.fit(X, y, sample_weight=weight).tree_
    assert tree.weighted_n_node_samples.min() >= 0.1 * weight.sum() * (1 - 1e-12)
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    assert model.get_depth() == 2 and model.get_n_leaves() == 4
    for leaves in (2, 5, 11):
        one = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y)
        assert one.get_n_leaves() == leaves
    n_tried = {"sqrt": 3, "log2": 3, 0.5: 5, 4: 4, 99: 10, None: 10}
    wide, y = data(8, p=10)
    for given, expected in n_tried.items():
        assert DecisionTreeClassifier(max_features=given).fit(wide, y).max_features_ == expected


@pytest.mark.parametrize("least", [0.0, 0.001, 0.01, 0.05])
def test_min_impurity_decrease_as_scikit_learn(least):
    """eq-impurity-decrease."""
    X, y = make_friedman1(300, random_state=0)
    X = X.astype(np.float32).astype(np.float64)
    for name, target in (("DecisionTreeRegressor", y / 5), ("DecisionTreeClassifier", y > 14)):
        setting = {"min_impurity_decrease": least, "min_samples_leaf": 5, "random_state": 0}
        mine, other = (
            getattr(one, name)(**setting).fit(X, target) for one in (litlearn.tree, theirs)
        )
        assert mine.get_n_leaves() == other.get_n_leaves()
        np.testing.assert_allclose(mine.predict(X), other.predict(X))


def test_misclassification_stops_where_no_split_helps():
    """eq-misclassification: both children keep the majority, so nothing is gained."""
    X = np.arange(12.0)[:, np.newaxis]
    y = np.r_[np.zeros(6), [0, 1, 0, 1, 0, 0]].astype(int)
    X[6:] = 6.0 + np.arange(6)[:, np.newaxis] // 2
    assert DecisionTreeClassifier(criterion="misclassification").fit(X, y).tree_.node_count == 1
    assert DecisionTreeClassifier(criterion="gini").fit(X, y).tree_.node_count > 1
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(criterion="misclassification", random_state=0).fit(X, y)
    assert model.get_n_leaves() <= 8 and model.score(X, y) > 0.96


@pytest.mark.parametrize("max_bins", [2, 16, 255, 10_000])
def test_bins(max_bins):
    X, y = make_friedman1(2000, noise=1.0, random_state=0)
    model = DecisionTreeRegressor(max_bins=max_bins, min_samples_leaf=20, random_state=0).fit(X, y)
    tree, reached = model.tree_, model.decision_path(X).sum(axis=0).A1
    np.testing.assert_array_equal(reached, tree.n_node_samples)  # splits agree with prediction
    for j in range(10):
        used = tree.threshold[tree.feature == j]
        assert len(np.unique(used)) < max_bins
    exact = DecisionTreeRegressor(min_samples_leaf=20, random_state=0).fit(X, y)
    if max_bins == 10_000:  # a bin for each value; thresholds lie between values of all samples
        np.testing.assert_array_equal(tree.feature, exact.tree_.feature)
        np.testing.assert_array_equal(model.apply(X), exact.apply(X))
    if max_bins >= 16:
        T, target = make_friedman1(2000, noise=1.0, random_state=1)
        assert model.score(T, target) > exact.score(T, target) - 0.02


def test_bins_with_missing_values():
    X, y = make_friedman1(500, random_state=0)
    X[np.random.default_rng(0).random(X.shape) < 0.3] = np.nan
    model = DecisionTreeRegressor(max_bins=8, min_samples_leaf=10, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.decision_path(X).sum(axis=0).A1, model.tree_.n_node_samples)


@EVERY_SETTING
def test_training_samples_reach_the_nodes_that_counted_them(estimator):
    X, y = data(9, n=500)
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    model = clone(estimator).fit(X, y)
    reached = np.asarray(model.decision_path(X).sum(axis=0)).ravel()
    np.testing.assert_array_equal(reached, model.tree_.n_node_samples)


# Beside scikit-learn


def identical_trees():
    """Our tree and scikit-learn's, of data on which both choose the same splits."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(500, 4)).astype(np.float32).astype(np.float64)
    y = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=500)
    setting = {"random_state": 3, "min_samples_leaf": 12}
    return X, [one.DecisionTreeRegressor(**setting).fit(X, y) for one in (litlearn.tree, theirs)]


def test_what_scikit_learn_says_of_the_same_tree():
    """eq-importance."""
    X, (mine, other) = identical_trees()
    np.testing.assert_array_equal(mine.tree_.feature, other.tree_.feature)
    np.testing.assert_array_equal(mine.apply(X), other.apply(X))
    assert (mine.decision_path(X) != other.decision_path(X)).nnz == 0
    np.testing.assert_allclose(mine.feature_importances_, other.feature_importances_)
    raw = [one.tree_.compute_feature_importances(normalize=False) for one in (mine, other)]
    np.testing.assert_allclose(*raw)
    np.testing.assert_allclose(mine.predict(X), other.predict(X))
    assert mine.get_depth() == other.get_depth() and mine.get_n_leaves() == other.get_n_leaves()
    assert export_text(mine) == theirs.export_text(other)
    for name in ("n_features", "n_outputs", "max_n_classes", "node_count", "n_leaves", "max_depth"):
        assert getattr(mine.tree_, name) == getattr(other.tree_, name)


@pytest.mark.parametrize(
    ("name", "load"),
    [
        ("DecisionTreeClassifier", load_breast_cancer),
        ("ExtraTreeClassifier", load_breast_cancer),
        ("DecisionTreeRegressor", None),
        ("ExtraTreeRegressor", None),
    ],
)
def test_scores_are_scikit_learns_within_noise(name, load):
    X, y = load(return_X_y=True) if load else make_friedman1(600, noise=1.0, random_state=0)
    differences = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        test = rng.random(len(y)) < 0.4
        scores = [
            getattr(one, name)(random_state=seed).fit(X[~test], y[~test]).score(X[test], y[test])
            for one in (litlearn.tree, theirs)
        ]
        differences.append(scores[0] - scores[1])
    noise = np.std(differences, ddof=1) / np.sqrt(10)
    assert abs(np.mean(differences)) < 3.3 * noise + 0.003


# Export


def test_structure_is_read_once(monkeypatch):
    """Each array of a tree is computed from all nodes: reading one at each node is quadratic."""
    X, y = np.random.default_rng(0).normal(size=(2, 200, 1))
    model = DecisionTreeRegressor().fit(X, y[:, 0])
    reads = dict.fromkeys(("children_left", "children_right", "feature", "threshold"), 0)

    def counted(name):
        original = getattr(Tree, name)

        def read(tree):
            reads[name] += 1
            return original.fget(tree)

        return property(read)

    for name in reads:
        monkeypatch.setattr(Tree, name, counted(name))
    assert len(export_text(model, max_depth=3).splitlines()) > 10
    litlearn.plotting.plot_tree(model, max_depth=3)
    plt.close("all")
    assert 0 < max(reads.values()) <= 4


def test_export_text_refuses():
    X, y = data()
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    for bad in (
        {"feature_names": ["a"]},
        {"class_names": ["a"]},
        {"spacing": 0},
        {"decimals": -1},
        {"max_depth": -1},
    ):
        with pytest.raises(ValueError, match="export_text"):
            export_text(model, **bad)
    with pytest.raises(NotFittedError):
        export_text(DecisionTreeClassifier())
    named = export_text(model, class_names=["no", "yes"], feature_names=["u", "v", "w"])
    assert "class: yes" in named and "u <=" in named


@pytest.mark.weekly
def test_more_values_than_two_bytes_can_count():
    rng = np.random.default_rng(0)
    X = rng.permutation(70_000)[:, np.newaxis].astype(float)
    X[rng.permutation(70_000)[:100]] = np.nan
    y = (X[:, 0] > 65_600) | np.isnan(X[:, 0])
    tree = DecisionTreeClassifier().fit(X, y).tree_
    above = X[X[:, 0] > 65_600].min()
    assert tree.node_count == 3 and tree.threshold[0] == (above + X[X[:, 0] < above].max()) / 2
    assert not tree.missing_go_to_left[0] and tree.n_node_samples[2] == y.sum()


@pytest.mark.parametrize("many", [1, 40])  # sorted, or summed up by codes
@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0]])
def test_weights_that_round_to_nothing(order, many):
    """The weight of a child is a difference, here zero: that is no split."""
    X = np.repeat(np.array(order, dtype=float), many)[:, np.newaxis]
    y, w = np.repeat([0.0, 0.0, 1.0], many), np.repeat([1.0, 1.0, 1e-20], many)
    for criterion in ("gini", "entropy", "misclassification"):
        tree = DecisionTreeClassifier(criterion=criterion).fit(X, y, w).tree_
        assert np.all(np.isfinite(tree.value)) and np.all(tree.weighted_n_node_samples > 0)
    for criterion in ("squared_error", "absolute_error", "poisson"):
        tree = DecisionTreeRegressor(criterion=criterion).fit(X, y, w).tree_
        assert np.all(np.isfinite(tree.value)) and np.all(tree.impurity >= 0)


def test_thresholds_of_bins_lie_in_the_middle_of_a_gap():
    X = np.column_stack([np.arange(110.0), np.arange(110) >= 100])
    X[100:, 0] = np.repeat([10.0, 90.0], 5)
    y = np.repeat([0, 1, 2], [100, 5, 5])
    tree = DecisionTreeClassifier(max_bins=100).fit(X, y).tree_
    assert tree.node_count == 5
    np.testing.assert_array_equal(tree.threshold[tree.feature == 0], [50.0])
    X[:100, 0] = np.nan  # and what is missing goes right, wherever the values end
    tree = DecisionTreeClassifier(max_bins=100, max_depth=1).fit(X[:, :1], y > 0).tree_
    assert tree.threshold[0] == np.inf and not tree.missing_go_to_left[0]
