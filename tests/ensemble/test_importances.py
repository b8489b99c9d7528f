"""The importance of features by permutation among the samples that the trees have not seen."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_friedman1
from sklearn.inspection import permutation_importance

from litlearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from litlearn.ensemble import _importances as implementation
from litlearn.exceptions import NotFittedError
from protocol import data

FEW = {"n_estimators": 7, "random_state": 0, "bootstrap": True}
CLASSIFIERS = (
    RandomForestClassifier(**FEW),
    ExtraTreesClassifier(class_weight="balanced_subsample", **FEW),
    RandomForestClassifier(voting="hard", class_weight="balanced", **FEW),
)
REGRESSORS = (
    RandomForestRegressor(**FEW),
    ExtraTreesRegressor(max_samples=0.7, **FEW),
    RandomForestRegressor(criterion="absolute_error", ccp_alpha=0.02, **FEW),
)
EVERY = pytest.mark.parametrize("estimator", CLASSIFIERS + REGRESSORS, ids=repr)


def problem(estimator, n=120, p=4):
    X, classes = data(3, n=n, p=p)
    return X, classes if estimator in CLASSIFIERS else X[:, 0] + X[:, 1] ** 2


def twin(model, X, y, n_repeats, seed, weight):
    """Permute column after column, and predict, as it is defined: (n_features, n_estimators)."""
    seeds, found = np.random.RandomState(seed), []
    largest = np.iinfo(np.int32).max
    mean = np.average(y, weights=weight)
    variance = np.average((y - mean) ** 2, weights=weight)
    drawn = model.estimators_samples_
    for one, rows in zip(model.estimators_, drawn, strict=True):
        draws = np.random.RandomState(seeds.randint(largest))
        out = np.setdiff1d(np.flatnonzero(weight), rows)

        def loss(Q, one=one, out=out):
            answers = one.predict(Q)
            if hasattr(model, "classes_"):
                wrong = model.classes_[answers.astype(int)] != y[out]
                return np.average(wrong, weights=weight[out])
            return np.average((answers - y[out]) ** 2, weights=weight[out]) / variance

        orders = [draws.permutation(len(out)) for _ in range(n_repeats)]
        rises = np.zeros((X.shape[1], n_repeats))
        for r, order in enumerate(orders):
            for j in range(X.shape[1]):
                permuted = X[out].copy()
                permuted[:, j] = permuted[order, j]
                rises[j, r] = loss(permuted) - loss(X[out])
        found.append(rises.mean(axis=1))
    return np.column_stack(found)


@EVERY
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [False, True])
def test_each_tree_loses_what_its_definition_says(monkeypatch, estimator, weighted, missing):
    monkeypatch.setattr(implementation, "BLOCK_ROWS", 16)  # several blocks
    X, y = problem(estimator)
    rng = np.random.default_rng(1)
    if missing:  # in a block of early samples, only where a later one's value is put
        X[40:][rng.random((80, 4)) < 0.4] = np.nan
    weight = rng.integers(0, 3, size=len(X)).astype(float) if weighted else np.ones(len(X))
    draws = rng.random(len(X)) if weighted else None
    model = clone(estimator).fit(X, y, sample_weight=draws)
    given = weight if weighted else None
    found = model.out_of_bag_importances(X, y, n_repeats=3, random_state=5, sample_weight=given)
    expected = twin(model, X, y, 3, 5, weight)
    np.testing.assert_allclose(found.importances, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.importances_mean, expected.mean(axis=1), atol=1e-12)
    np.testing.assert_allclose(found.importances_std, expected.std(axis=1), atol=1e-12)
    error = expected.std(axis=1, ddof=1) / np.sqrt(expected.shape[1])
    np.testing.assert_allclose(found.standard_error, error, atol=1e-12)


@EVERY
def test_the_same_bits_for_any_number_of_threads_and_after_a_pickle(estimator):
    X, y = problem(estimator)
    one = clone(estimator).set_params(n_jobs=1).fit(X, y)
    two = pickle.loads(pickle.dumps(one)).set_params(n_jobs=2)
    sets = [m.out_of_bag_importances(X, y, random_state=1).importances for m in (one, two, one)]
    assert np.array_equal(sets[0], sets[1]) and np.array_equal(sets[0], sets[2])
    other = one.out_of_bag_importances(X, y, random_state=2).importances
    assert not np.array_equal(sets[0], other)


@EVERY
def test_sparse_single_precision_and_frames(estimator):
    pandas = pytest.importorskip("pandas")
    X, y = problem(estimator)
    X = np.where(np.abs(X) < 0.5, 0.0, X).astype(np.float32)
    frame = pandas.DataFrame(X, columns=list("abcd"))
    found = []
    for samples in (X, X.astype(np.float64), sparse.csc_array(X), sparse.csr_array(X), frame):
        model = clone(estimator).fit(samples, y)
        found.append(model.out_of_bag_importances(samples, y, random_state=0).importances)
    if not isinstance(estimator, (ExtraTreesClassifier, ExtraTreesRegressor)):  # draw thresholds
        assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[2], found[3]) and np.array_equal(found[0], found[4])


def test_several_outputs_and_labels():
    X, y = data(n=150)
    names = np.array(["healthy", "ill"])[y]
    plain = RandomForestClassifier(**FEW).fit(X, y).out_of_bag_importances(X, y, random_state=0)
    labelled = RandomForestClassifier(**FEW).fit(X, names)
    found = labelled.out_of_bag_importances(X, names, random_state=0)
    assert np.array_equal(plain.importances, found.importances)
    Y = np.column_stack([y, X[:, 1] > 0])
    found = RandomForestClassifier(**FEW).fit(X, Y).out_of_bag_importances(X, Y, random_state=0)
    assert min(found.importances_mean[:2]) > 0.2 > abs(found.importances_mean[2])
    Y = np.column_stack([X[:, 0], X[:, 1], np.full(150, 0.1)])
    found = RandomForestRegressor(**FEW).fit(X, Y).out_of_bag_importances(X, Y, random_state=0)
    assert min(found.importances_mean[:2]) > 0.2 > abs(found.importances_mean[2])
    constant = RandomForestRegressor(**FEW).fit(X, np.full(150, 0.1))
    found = constant.out_of_bag_importances(X, np.full(150, 0.1))
    assert not found.importances.any() and not found.standard_error.any()


@pytest.mark.parametrize("scale", [2.0**-200, 2.0**200])
def test_units_of_the_target_do_not_matter(scale):
    X, y = problem(REGRESSORS[0])
    found = []
    for factor in (1.0, scale):
        model = RandomForestRegressor(max_depth=3, **FEW).fit(X, factor * y)
        found.append(model.out_of_bag_importances(X, factor * y, random_state=0).importances)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9, atol=1e-12)


def test_noise_is_worth_nothing_and_the_error_covers_it():
    """Beside the permutation on held-out data: the same order, and noise within four errors."""
    X, y = make_friedman1(500, noise=1.0, random_state=0)
    model = RandomForestRegressor(100, random_state=0).fit(X, y)
    found = model.out_of_bag_importances(X, y, random_state=0)
    mean, error = found.importances_mean, found.standard_error
    assert np.all(np.abs(mean[5:]) < 0.02) and np.all(mean[:5] > 10 * error[:5])
    assert mean[:5].min() > 3 * np.abs(mean[5:]).max()
    Q, z = make_friedman1(2000, noise=1.0, random_state=1)
    held_out = permutation_importance(model, Q, z, n_repeats=3, random_state=0).importances_mean
    assert np.corrcoef(mean, held_out)[0, 1] > 0.97
    # A standard error: the means of other trees differ by so much.
    means = []
    for seed in range(1, 9):
        other = RandomForestRegressor(100, random_state=seed).fit(X, y)
        means.append(other.out_of_bag_importances(X, y, random_state=seed).importances_mean)
    ratio = np.std(means, axis=0, ddof=1)[:5] / error[:5]
    assert 0.6 < np.sqrt(np.mean(ratio**2)) < 1.6


def test_noise_of_many_values_is_worth_nothing_though_it_lowers_the_impurity():
    rng = np.random.default_rng(0)
    X, y = load_breast_cancer(return_X_y=True)
    X = np.column_stack([X[:, :5], rng.normal(size=len(X))])
    model = RandomForestClassifier(100, random_state=0).fit(X, y)
    found = model.out_of_bag_importances(X, y, random_state=0)
    assert model.feature_importances_[5] > 0.02 and abs(found.importances_mean[5]) < 0.005


def test_a_tree_that_has_drawn_all_samples_says_nothing():
    X, y = np.arange(4.0)[:, np.newaxis], np.array([0.0, 0.0, 1.0, 1.0])
    model = RandomForestRegressor(40, max_samples=8, random_state=0).fit(X, y)
    found = model.out_of_bag_importances(X, y, random_state=0)
    left_out = np.array([len(set(rows)) < 4 for rows in model.estimators_samples_])
    assert 0 < left_out.sum() < 40
    assert np.array_equal(~np.isnan(found.importances[0]), left_out)
    np.testing.assert_allclose(found.importances_mean[0], np.nanmean(found.importances))
    np.testing.assert_allclose(found.importances_std[0], np.nanstd(found.importances))
    all_drawn = RandomForestRegressor(3, max_samples=200, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="each tree has drawn all samples"):
        all_drawn.out_of_bag_importances(X, y)
    alone = RandomForestRegressor(1, max_samples=2, random_state=0).fit(X, y)
    assert np.isnan(alone.out_of_bag_importances(X, y).standard_error).all()


@EVERY
def test_bad_input(estimator):
    X, y = problem(estimator)
    who = type(estimator).__name__
    with pytest.raises(NotFittedError):
        clone(estimator).out_of_bag_importances(X, y)
    model = clone(estimator).fit(X, y)
    ask = model.out_of_bag_importances
    for n_repeats in (0, -1, 1.5, "5", None, True):
        with pytest.raises(ValueError, match=rf"'n_repeats' parameter of {who} must be"):
            ask(X, y, n_repeats=n_repeats)
    with pytest.raises(ValueError, match=rf"'random_state' parameter of {who}"):
        ask(X, y, random_state="seed")
    with pytest.raises(ValueError, match=rf"{who}: X must hold the 120 samples .* Got 119"):
        ask(X[:-1], y[:-1])
    with pytest.raises(ValueError, match=f"X has 3 features, but {who}"):
        ask(X[:, :3], y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples: X has 120, y has 119"):
        ask(X, y[:-1])
    with pytest.raises(ValueError, match=rf"{who}: X must hold the samples that .* same order"):
        ask(X[::-1], y)
    with pytest.raises(ValueError, match=r"y must have the 1 output\(s\) of the fit. Got 2"):
        ask(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match=r"sample_weight has shape \(119,\)"):
        ask(X, y, sample_weight=np.ones(119))
    with pytest.raises(ValueError, match="requires y to be passed"):
        ask(X, None)
    if estimator in CLASSIFIERS:
        with pytest.raises(ValueError, match=r"y has classes that the fit has not seen: \[2\]"):
            ask(X, y + (np.arange(120) == 7) * 2)
    setting = {"bootstrap": False, "max_samples": None}
    whole = clone(estimator).set_params(**setting).fit(X, y)
    with pytest.raises(ValueError, match=rf"{who}.out_of_bag_importances .* bootstrap=True"):
        whole.out_of_bag_importances(X, y)


def test_arrays_of_dask_are_refused_with_what_to_do():
    array = pytest.importorskip("dask.array")
    X, y = data()
    model = RandomForestClassifier(**FEW).fit(X, y)
    with pytest.raises(TypeError, match=r"array of Dask for X, .* give X.compute\(\)"):
        model.out_of_bag_importances(array.from_array(X), y)
