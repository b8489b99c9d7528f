"""The forests among scikit-learn's tools, under hostile conditions, and beside scikit-learn's."""

import contextlib
import io
import tracemalloc

import numpy as np
import pytest
import sklearn.ensemble as theirs
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine, make_friedman1
from sklearn.model_selection import cross_val_score

import litlearn.ensemble
import protocol
from litlearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from litlearn.ensemble import _forest as implementation
from litlearn.exceptions import DataConversionWarning
from litlearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, _growth, _structure
from protocol import assert_same, assert_same_trees, data, sibling, use

FEW = {"n_estimators": 7, "random_state": 0}
CLASSIFIERS = (RandomForestClassifier(**FEW), ExtraTreesClassifier(**FEW))
REGRESSORS = (RandomForestRegressor(**FEW), ExtraTreesRegressor(**FEW))
ALL = CLASSIFIERS + REGRESSORS
MORE = (
    RandomForestClassifier(voting="hard", class_weight="balanced_subsample", **FEW),
    RandomForestClassifier(criterion="entropy", max_leaf_nodes=9, max_samples=0.8, **FEW),
    RandomForestRegressor(ccp_alpha=0.01, max_features="sqrt", min_samples_leaf=2, **FEW),
    ExtraTreesClassifier(bootstrap=True, criterion="log_loss", **FEW),
)
EVERY = pytest.mark.parametrize("estimator", ALL, ids=repr)
EVERY_SETTING = pytest.mark.parametrize("estimator", ALL + MORE, ids=repr)
RANDOM_FORESTS = pytest.mark.parametrize("estimator", [ALL[0], ALL[2]], ids=repr)


# scikit-learn's tools


def test_all_are_listed():
    protocol.check_all_are_listed(litlearn.ensemble, ALL)


def may_fail(self, estimator):
    # Weights are chances of being drawn; another number of rows draws other rows. scikit-learn
    # declares the same failure for its own.
    kinds = ("dense", "sparse") if estimator.bootstrap else ()
    return tuple(f"check_sample_weight_equivalence_on_{kind}_data" for kind in kinds)


class TestProtocol(protocol.Suite):
    estimators = ALL
    may_fail = may_fail
    bad_parameters = [
        *[("n_estimators", value) for value in (0, -1, 2.5, "9", None, True)],
        *[("bootstrap", value) for value in (1, "yes", None)],
        *[("oob_score", value) for value in (1, "yes", None)],
        *[("warm_start", value) for value in (1, "yes", None)],
        *[("n_jobs", value) for value in (0, 1.5, "all", True)],
        *[("max_samples", value) for value in (0, -3, 0.0, np.inf, np.nan, "5", True)],
        *[("voting", value) for value in ("loud", None, 1)],
        *[(name, value) for name, value in protocol.BAD_TREE_PARAMETERS if name != "splitter"],
    ]
    bad_samples = (*protocol.BAD_SAMPLES, protocol.SPARSE_WITH_MISSING)


class TestSettings(protocol.Settings):
    estimators = MORE
    may_fail = may_fail


@protocol.SINCE_1_9
@EVERY
def test_signature(estimator):
    ours_only = {"categorical_features"} | ({"voting"} if estimator in CLASSIFIERS else set())
    if type(estimator).__name__.startswith("Random"):  # the others draw their thresholds
        ours_only.add("max_bins")
    protocol.check_signature(estimator, theirs, ours_only)


@EVERY
def test_pickles_are_small(estimator):
    protocol.check_pickles_are_small(estimator, theirs)


@EVERY_SETTING
def test_single_precision_grows_the_trees_of_its_double_copy(estimator):
    protocol.check_single_precision_grows_the_same_trees(estimator)


@EVERY_SETTING
def test_the_number_of_threads_changes_no_bit(estimator):
    X, y = data(n=300)
    many = np.random.default_rng(1).normal(size=(9000, 3))  # three blocks
    protocol.check_the_number_of_threads_changes_no_bit(
        estimator, X, y, answer=lambda model: use(model, many)
    )


def test_searches_and_pipelines():
    grid = {"max_depth": [1, None], "voting": ["soft", "hard"]}
    protocol.check_pipeline_and_search(RandomForestClassifier(**FEW), grid)
    X, _ = data()
    assert np.all(cross_val_score(ExtraTreesRegressor(**FEW), X, X[:, 0], cv=3) > 0.5)


def test_parameters_that_need_another():
    X, y = data(n=30)
    with pytest.raises(ValueError, match="`max_sample` cannot be set if `bootstrap=False`"):
        ExtraTreesClassifier(max_samples=5).fit(X, y)
    with pytest.raises(ValueError, match="only available if bootstrap=True"):
        ExtraTreesRegressor(oob_score=True).fit(X, y)


# Kinds of data


@EVERY_SETTING
def test_missing_values(estimator):
    X, y = data(n=300)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    model = clone(estimator).fit(X, y)
    assert model.score(X, y) > 0.5
    assert np.all(np.isfinite(model.predict(np.full((4, 3), np.nan))))


@EVERY_SETTING
@pytest.mark.filterwarnings("ignore:.*low number")  # a share of one sample
def test_single_class_one_sample_and_constant_features(estimator):
    X, _ = data()
    assert np.all(clone(estimator).fit(X, np.full(90, 3)).predict(X) == 3)
    assert clone(estimator).fit([[1.0, 2.0]], [7]).predict([[5.0, np.nan]]).tolist() == [7]
    y = np.arange(90) % 2
    model = clone(estimator).fit(np.ones((90, 3)), y)
    assert np.all(model.feature_importances_ == 0)
    assert all(one.tree_.node_count == 1 for one in model.estimators_)


@EVERY
def test_several_outputs_and_labels(estimator):
    X, y = data()
    Y = np.column_stack([y, np.round(X[:, 2])]).astype(float)
    model = clone(estimator).fit(X, Y)
    assert model.predict(X).shape == (90, 2) and model.n_outputs_ == 2
    if estimator in REGRESSORS:
        assert model.score(X, Y) > 0.6
        with pytest.warns(DataConversionWarning):
            column = clone(estimator).fit(X, y[:, np.newaxis])
        assert column.predict(X).shape == (90,)
        return
    assert [one.shape for one in model.predict_proba(X)] == [
        (90, len(classes)) for classes in model.classes_
    ]
    assert np.mean(model.predict(X) == Y) > 0.9
    names = np.array(["healthy", "ill"])
    labelled = clone(estimator).fit(X, names[y])
    plain = clone(estimator).fit(X, y)
    np.testing.assert_array_equal(labelled.predict(X), names[plain.predict(X)])
    with np.errstate(divide="ignore"):
        expected = np.log(plain.predict_proba(X))
    np.testing.assert_array_equal(plain.predict_log_proba(X), expected)


def test_bins():
    X, y = make_friedman1(1200, noise=1.0, random_state=0)
    scores = []
    for max_bins in (None, 255, 16):
        model = RandomForestRegressor(20, max_bins=max_bins, random_state=0, oob_score=True)
        scores.append(model.fit(X, y).oob_score_)
    assert scores[0] > 0.8 and min(scores) > scores[0] - 0.02


# What a forest is


def test_votes_and_means():
    """eq-forest-vote, eq-forest-mean."""
    X, y = data(2, n=200)
    y = y + (X[:, 1] > 0.5)
    Q, _ = data(3)
    model = RandomForestClassifier(n_estimators=9, max_depth=3, random_state=0).fit(X, y)
    shares = np.array([one.predict_proba(Q) for one in model.estimators_])
    np.testing.assert_allclose(model.predict_proba(Q), shares.mean(axis=0), rtol=1e-12)
    np.testing.assert_array_equal(model.predict(Q), shares.mean(axis=0).argmax(axis=1))
    model.set_params(voting="hard")
    votes = np.array([np.bincount(one, minlength=3) for one in shares.argmax(axis=2).T]) / 9
    np.testing.assert_allclose(model.predict_proba(Q), votes, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(Q), votes.argmax(axis=1))
    for kind in (RandomForestRegressor, ExtraTreesRegressor):
        forest = kind(n_estimators=9, max_depth=3, random_state=0).fit(X, X[:, 0])
        mean = np.mean([one.predict(Q) for one in forest.estimators_], axis=0)
        np.testing.assert_allclose(forest.predict(Q), mean, rtol=1e-12)
    assert len(model) == 9 and model[0] is next(iter(model))


@EVERY_SETTING
def test_parts_agree_with_the_trees(estimator):
    X, y = data(n=200)
    model = clone(estimator).fit(X, y)
    leaves = np.column_stack([one.apply(X) for one in model.estimators_])
    np.testing.assert_array_equal(model.apply(X), leaves)
    path, pointers = model.decision_path(X)
    for number, one in enumerate(model.estimators_):
        part = path[:, pointers[number] : pointers[number + 1]]
        np.testing.assert_array_equal(part.toarray(), one.decision_path(X).toarray())
    mean = np.mean([one.feature_importances_ for one in model.estimators_], axis=0)
    np.testing.assert_allclose(model.feature_importances_, mean / mean.sum())


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_each_tree_is_a_tree_of_its_draw(kind):
    X, y = data(n=120)
    model = kind(n_estimators=3, max_features=1.0, random_state=5).fit(X, y)
    for one, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        counts = np.bincount(rows, minlength=120).astype(float)
        single = {RandomForestClassifier: DecisionTreeClassifier}.get(kind, DecisionTreeRegressor)
        again = single(random_state=one.random_state).fit(X, y, sample_weight=counts)
        assert_same_trees(one, again)


@pytest.mark.parametrize("max_samples", [None, 30, 0.4])
@EVERY
def test_drawn_rows_are_scikit_learns(estimator, max_samples):
    X, y = data()
    setting = {"bootstrap": True, "max_samples": max_samples}
    mine = clone(estimator).set_params(**setting).fit(X, y)
    other = sibling(mine, theirs).fit(X, y)
    for one, expected in zip(mine.estimators_samples_, other.estimators_samples_, strict=True):
        np.testing.assert_array_equal(one, expected)
    assert [one.random_state for one in mine.estimators_] == [
        one.random_state for one in other.estimators_
    ]
    without = clone(estimator).set_params(bootstrap=False).fit(X, y)
    np.testing.assert_array_equal(without.estimators_samples_[-1], np.arange(90))


@pytest.mark.parametrize(
    ("estimator", "load"),
    [
        (RandomForestClassifier(60, oob_score=True, random_state=1), load_breast_cancer),
        (RandomForestClassifier(60, oob_score=True, random_state=1), load_wine),
        (RandomForestRegressor(60, oob_score=True, random_state=1), load_diabetes),
    ],
    ids=["breast cancer", "wine", "diabetes"],
)
def test_out_of_bag_score(estimator, load):
    """eq-oob: beside scikit-learn's with the same draws, and by its definition."""
    X, y = load(return_X_y=True)
    mine, other = clone(estimator).fit(X, y), sibling(estimator, theirs).fit(X, y)
    np.testing.assert_allclose(mine.oob_score_, other.oob_score_, atol=0.025)
    total, count = 0.0, np.zeros(len(X))
    for one, rows in zip(mine.estimators_, mine.estimators_samples_, strict=True):
        out = ~np.isin(np.arange(len(X)), rows)
        count += out
        regression = isinstance(estimator, RandomForestRegressor)
        answer = one.predict(X) if regression else one.predict_proba(X)
        total = total + answer * (out if regression else out[:, np.newaxis])
    if regression:
        np.testing.assert_allclose(mine.oob_prediction_, total / count, rtol=1e-9)
        expected = 1 - np.sum((y - total / count) ** 2) / np.sum((y - y.mean()) ** 2)
    else:
        np.testing.assert_allclose(mine.oob_decision_function_, total / count[:, np.newaxis])
        expected = np.mean(total.argmax(axis=1) == y)
    np.testing.assert_allclose(mine.oob_score_, expected)


def test_out_of_bag_score_of_other_kinds():
    X, y = data(n=200)
    Y = np.column_stack([y, X[:, 1] > 0])
    several = RandomForestClassifier(30, oob_score=True, random_state=0).fit(X, Y)
    assert several.oob_decision_function_.shape == (200, 2, 2) and several.oob_score_ > 0.6
    several = RandomForestRegressor(30, oob_score=True, random_state=0).fit(X, X[:, :2])
    assert several.oob_prediction_.shape == (200, 2) and several.oob_score_ > 0.6
    share = RandomForestClassifier(30, oob_score=lambda a, b: np.mean(a == b), random_state=0)
    plain = RandomForestClassifier(30, oob_score=True, random_state=0)
    assert share.fit(X, y).oob_score_ == plain.fit(X, y).oob_score_
    hard = RandomForestClassifier(30, oob_score=True, voting="hard", random_state=0).fit(X, y)
    assert abs(hard.oob_score_ - plain.oob_score_) < 0.05
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        RandomForestClassifier(2, oob_score=True, random_state=0).fit(X, y)


@EVERY
def test_warm_start(estimator):
    X, y = data()
    warm = clone(estimator).set_params(warm_start=True, n_estimators=3).fit(X, y)
    first = list(warm.estimators_)
    warm.set_params(n_estimators=7).fit(X, y)
    assert all(one is other for one, other in zip(first, warm.estimators_[:3], strict=True))
    assert_same_trees(warm, clone(estimator).fit(X, y))
    with pytest.warns(UserWarning, match="does not fit new trees"):
        warm.fit(X, y)
    with pytest.raises(ValueError, match="n_estimators=2 must be larger or equal"):
        warm.set_params(n_estimators=2).fit(X, y)
    assert len(warm.estimators_) == 7


def test_warm_start_refuses_other_data():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 4)), np.arange(40) % 3
    model = RandomForestClassifier(n_estimators=2, warm_start=True).fit(X, y)
    model.set_params(n_estimators=4)
    others = (X, y % 2), (X, y + 1), (X[:, :3], y), (X, np.column_stack([y, y]))
    for other in others:
        with pytest.raises(ValueError, match=r"RandomForestClassifier: with warm_start=True"):
            model.fit(*other)
        assert len(model.estimators_) == 2 and model.predict(X).shape == (40,)
    assert len(model.fit(X[:30], y[:30]).estimators_) == 4
    model = ExtraTreesRegressor(n_estimators=2, warm_start=True).fit(X, X[:, 0])
    with pytest.raises(ValueError, match=r"n_outputs, n_features\)=\(1, 4\)"):
        model.set_params(n_estimators=3).fit(X, X[:, :2])


def test_warm_start_with_out_of_bag_score():
    X, y = data(n=200)
    setting = {"oob_score": True, "random_state": 0}
    warm = RandomForestClassifier(30, warm_start=True, **setting).fit(X, y)
    warm.set_params(n_estimators=50).fit(X, y)
    cold = RandomForestClassifier(50, **setting).fit(X, y)
    assert warm.oob_score_ == cold.oob_score_
    with pytest.warns(UserWarning, match="does not fit new trees"):
        warm.fit(X[:, :-1], y)  # nothing is grown, and nothing is looked at
    assert warm.oob_score_ == cold.oob_score_ and warm.n_features_in_ == X.shape[1]
    later = RandomForestClassifier(50, warm_start=True, random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match="does not fit new trees"):
        later.set_params(oob_score=True).fit(X, y)
    assert later.oob_score_ == cold.oob_score_


def test_weights_without_bootstrap_are_repetitions():
    X, y = data(4, n=60)
    times = np.random.default_rng(2).integers(0, 4, size=60)
    for kind in (ExtraTreesClassifier, ExtraTreesRegressor):
        weighted = kind(**FEW).fit(X, y, sample_weight=times.astype(float))
        repeated = kind(**FEW).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
        np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-12)


@RANDOM_FORESTS
def test_weights_with_bootstrap_are_chances(estimator):
    X, y = data(4, n=60)
    weight = np.r_[np.zeros(20), np.full(20, 1.0), np.full(20, 3.0)]
    model = clone(estimator).set_params(n_estimators=60).fit(X, y, sample_weight=weight)
    drawn = np.bincount(np.concatenate(model.estimators_samples_), minlength=60)
    thirds = drawn.reshape(3, 20).sum(axis=1) / drawn.sum()
    assert thirds[0] == 0.0 and abs(thirds[2] - 0.75) < 0.02


def test_class_weights():
    X, y = data(6, n=300)
    y = (X[:, 0] > 1.2).astype(int)  # one in nine
    for kind in (RandomForestClassifier, ExtraTreesClassifier):
        shares = {}
        for class_weight in (None, "balanced", "balanced_subsample", {0: 1.0, 1: 8.0}):
            model = kind(max_depth=2, n_estimators=20, class_weight=class_weight, random_state=0)
            shares[str(class_weight)] = model.fit(X, y).predict_proba(X)[:, 1].mean()
        assert (
            min(share for name, share in shares.items() if name != "None") > shares["None"] + 0.05
        )
    subsample = RandomForestClassifier(3, class_weight="balanced_subsample", random_state=0)
    for one in subsample.fit(X, y).estimators_:
        np.testing.assert_allclose(one.tree_.value[0, 0], [0.5, 0.5])  # balanced in each tree


@pytest.mark.parametrize("estimator", [*ALL, RandomForestClassifier(max_bins=64, **FEW)], ids=repr)
def test_scores_are_scikit_learns_within_noise(estimator):
    classify = hasattr(estimator, "predict_proba")
    X, y = load_breast_cancer(return_X_y=True)
    if not classify:
        X, y = make_friedman1(400, noise=1.0, random_state=0)
    differences = []
    for seed in range(10):
        test = np.random.default_rng(seed).random(len(y)) < 0.4
        scores = [
            one.set_params(n_estimators=20, random_state=seed)
            .fit(X[~test], y[~test])
            .score(X[test], y[test])
            for one in (clone(estimator), sibling(estimator, theirs))
        ]
        differences.append(scores[0] - scores[1])
    noise = np.std(differences, ddof=1) / np.sqrt(10)
    assert abs(np.mean(differences)) < 3.3 * noise + 0.002


# While it runs


def test_an_interrupt_ends_the_growth_between_trees(monkeypatch):
    X, y = data()
    model = RandomForestClassifier(n_estimators=50, random_state=0, n_jobs=2).fit(X, y)
    expected = use(model, X)
    grown = []

    def grow_tree(*arguments):
        grown.append(1)
        if len(grown) == 5:
            raise KeyboardInterrupt
        return original(*arguments)

    original = implementation.grow_tree
    monkeypatch.setattr(implementation, "grow_tree", grow_tree)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert len(grown) < 10
    monkeypatch.undo()
    assert_same(use(model, X), expected)
    assert_same(use(model.fit(X, y), X), expected)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_reaches_a_tree_as_it_grows(monkeypatch, n_jobs):
    """A tree returns to Python every so often, and ends there when its forest was interrupted."""
    X, y = data()
    returned = []

    def check_interrupt():
        returned.append(1)
        if len(returned) == 3:
            raise KeyboardInterrupt
        original()

    original = _growth.parallel.check_interrupt
    monkeypatch.setattr(_growth, "BUDGET", 1)
    monkeypatch.setattr(_growth.parallel, "check_interrupt", check_interrupt)
    with pytest.raises(KeyboardInterrupt):
        RandomForestClassifier(n_estimators=50, random_state=0, n_jobs=n_jobs).fit(X, y)
    assert len(returned) <= 6
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    assert len(returned) > 10  # a few nodes each time
    monkeypatch.undo()
    assert_same_trees(tree, DecisionTreeClassifier(random_state=0).fit(X, y))


def test_few_rows_of_many_trees_are_cut_into_blocks():
    X, y = data()
    tree = DecisionTreeClassifier(random_state=0).fit(X, y).tree_
    few, many = (_structure.blocks_by_work(1000, [tree] * n) for n in (10, 5000))
    assert len(few[0]) == 1 and len(many[0]) > 4
    np.testing.assert_allclose(many[1], 500 * few[1])
    assert [many[0][0].start, many[0][-1].stop] == [0, 1000]
    blocks, _ = _structure.blocks_by_work(10**6, [tree])
    assert max(block.stop - block.start for block in blocks) <= _structure.BLOCK_ROWS


@pytest.mark.thread_unsafe(reason="the memory of the process")
def test_out_of_bag_rows_are_held_for_a_few_trees_only():
    """The rows that a tree has not drawn are known while its part is computed and merged."""
    X = np.random.default_rng(0).normal(size=(20_000, 1))
    peaks = []
    for n_estimators in (20, 20, 120):  # the first one compiles
        setting = {"n_estimators": n_estimators, "max_depth": 1, "oob_score": True, "n_jobs": 2}
        tracemalloc.start()
        RandomForestClassifier(random_state=0, **setting).fit(X, X[:, 0] > 0)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    of_all = 100 * 0.37 * 8 * len(X)  # bytes of whole numbers, if all were held
    assert peaks[2] - peaks[1] < 0.3 * of_all


@pytest.mark.parametrize("kind", [ExtraTreesClassifier, ExtraTreesRegressor])
def test_drawn_thresholds_have_no_bins(kind):
    with pytest.raises(TypeError, match=r"max_bins"):
        kind(max_bins=16)
    X, y = data()
    assert kind(n_estimators=2).fit(X, y).estimators_[0].max_bins is None


@pytest.mark.thread_unsafe(reason="the standard error of the process")
def test_progress_bar_goes_to_stderr():
    X, y = data()
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        RandomForestClassifier(**FEW).fit(X, y)
        assert not err.getvalue()
        RandomForestClassifier(**FEW, verbose=1).fit(X, y)
    assert "7/7" in err.getvalue() and "tree" in err.getvalue() and not out.getvalue()


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_a_score_of_the_users_own_is_asked_for_the_samples_left_out(n_outputs):
    X, y = make_friedman1(60, random_state=0)
    Y = y if n_outputs == 1 else np.column_stack([y, -2.0 * y])
    asked = []

    def score(true, predicted):
        asked.append((true, predicted))
        return 7.0

    model = RandomForestRegressor(20, oob_score=score, random_state=0).fit(X, Y)
    assert model.oob_score_ == 7.0 and len(asked) == 1
    np.testing.assert_array_equal(asked[0][0], Y)
    np.testing.assert_array_equal(asked[0][1], model.oob_prediction_)
