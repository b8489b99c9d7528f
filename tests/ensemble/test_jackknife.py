"""Standard errors of forests: by the formula, by statistics with known ones, and by refits."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from litlearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from litlearn.ensemble import _jackknife as implementation
from litlearn.exceptions import NotFittedError
from litlearn.tree import _sparse
from protocol import data

FEW = {"n_estimators": 60, "random_state": 0, "bootstrap": True, "min_samples_leaf": 5}
ALL = (
    RandomForestClassifier(**FEW),
    RandomForestClassifier(voting="hard", class_weight="balanced", **FEW),
    ExtraTreesClassifier(**FEW),
    RandomForestRegressor(**FEW),
    RandomForestRegressor(max_samples=0.5, **FEW),
    ExtraTreesRegressor(**FEW),
)
EVERY = pytest.mark.parametrize("estimator", ALL, ids=repr)
FEW_TREES = "ignore:.* trees are too few"


def problem(estimator, n=60):
    X, classes = data(5, n=n)
    return X, classes if hasattr(estimator, "predict_proba") else X[:, 0] + X[:, 1] ** 2


def twin(model, answers, chances):
    """Return variances of the mean of the answers, (n_trees, ...), with loops over samples."""
    n, n_trees = len(chances), len(answers)
    counts = np.array([np.bincount(rows, minlength=n) for rows in model.estimators_samples_])
    n_draws = counts.sum(axis=1)[0]
    from_mean = answers - answers.mean(axis=0)
    total = 0.0
    for i in range(n):
        above = counts[:, i] - n_draws * chances[i]
        total = total + np.mean(above[:, np.newaxis] * from_mean, axis=0) ** 2
    noise = sum(n_draws * p * (1 - p) for p in chances)
    return total - noise * np.mean(from_mean**2, axis=0) / n_trees


@pytest.mark.filterwarnings(FEW_TREES)
@EVERY
@pytest.mark.parametrize("weighted", [False, True])
def test_errors_are_those_of_the_formula(monkeypatch, estimator, weighted):
    monkeypatch.setattr(implementation, "ENTRIES", 1000)  # several tiles
    monkeypatch.setattr(implementation, "TRAINING_ROWS", 13)
    X, y = problem(estimator)
    rng = np.random.default_rng(0)
    X[rng.random(X.shape) < 0.1] = np.nan
    weight = rng.integers(0, 3, size=60).astype(float) if weighted else np.ones(60)
    model = clone(estimator).fit(X, y, sample_weight=weight if weighted else None)
    Q = np.concatenate([X[:10], rng.normal(size=(20, 3))])
    chances = weight if model._sample_weight is None else model._sample_weight
    chances = chances / chances.sum()
    found = model.predict_standard_error(Q)
    if hasattr(model, "predict_proba"):
        answers = np.array([one.predict_proba(Q) for one in model.estimators_])
        if model.voting == "hard":
            answers = np.eye(2)[answers.argmax(axis=2)]
        variances = [twin(model, answers[:, :, c], chances) for c in range(2)]
        expected = np.column_stack(variances)
        np.testing.assert_allclose(found[:, 0], found[:, 1], rtol=1e-6)  # shares sum to one
    else:
        answers = np.array([one.predict(Q) for one in model.estimators_])
        expected = twin(model, answers, chances)
    known = expected > 0
    assert known.mean() > 0.3 and np.array_equal(~known, np.isnan(found) | (found == 0))
    np.testing.assert_allclose(found[known] ** 2, expected[known], rtol=1e-6, atol=1e-12)


# Weights and numbers of draws are both in the formula, which another test repeats for all of them.
@pytest.mark.weekly(keep=1)
@pytest.mark.parametrize(
    ("weighted", "max_samples"), [(False, None), (False, 120), (True, None), (True, 0.3)]
)
def test_the_error_of_a_mean_is_the_known_one(weighted, max_samples):
    """Trees of a single leaf are means of samples, whose standard error has a formula."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 1)), 1e3 + rng.normal(size=60)
    weight = rng.uniform(0.2, 2.0, size=60) if weighted else np.ones(60)
    given = weight if weighted else None
    model = RandomForestRegressor(4000, min_samples_split=100, random_state=0)
    model.set_params(max_samples=max_samples).fit(X, y, sample_weight=given)
    assert model.estimators_[0].tree_.node_count == 1
    p = weight / weight.sum()
    expected = np.sqrt(np.sum(p**2 * (y - p @ y) ** 2))
    found = model.predict_standard_error(X[:3])
    assert found[0] == found[1] == found[2]
    assert abs(found[0] / expected - 1) < 0.08


@pytest.mark.parametrize("weighted", [False, True])
def test_errors_of_targets_whose_powers_are_beyond_a_float(weighted):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 1)), 1e3 + rng.normal(size=60)
    weight = rng.uniform(0.2, 2.0, size=60) if weighted else None
    model = RandomForestRegressor(600, min_samples_split=100, random_state=0)
    found = clone(model).fit(X, y, sample_weight=weight).predict_standard_error(X[:1])
    large = model.fit(X, 2.0**300 * y, sample_weight=weight).predict_standard_error(X[:1])
    assert found > 0
    np.testing.assert_allclose(large, 2.0**300 * found)


def draw(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 4))
    return X, np.sin(3 * X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=n)


@pytest.mark.weekly
def test_refits_to_other_samples_vary_as_the_errors_say():
    """Of 40 forests, each of other samples: 0.8 to 1.05 times their standard deviation.

    The errors are known to be small, for what is not linear. Without the correction they would be
    larger by half, for as few trees.
    """
    Q, _ = draw(30, 1000)
    predictions, variances, noise = [], [], []
    for seed in range(40):
        X, y = draw(60, seed)
        model = RandomForestRegressor(
            200, min_samples_leaf=5, max_features=2, random_state=seed
        ).fit(X, y)
        predictions.append(model.predict(Q))
        if seed < 12:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                variances.append(model.predict_standard_error(Q) ** 2)
            trees = np.array([one.predict(Q) for one in model.estimators_])
            noise.append(59 / 200 * trees.var(axis=0))
    true = np.mean(np.var(predictions, axis=0, ddof=1))
    estimated = np.nanmean(variances)
    assert 0.8 < np.sqrt(estimated / true) < 1.05
    assert np.sqrt((estimated + np.mean(noise)) / true) > 1.4


@pytest.mark.filterwarnings(FEW_TREES)
@EVERY
def test_the_same_bits_for_any_number_of_threads_and_after_a_pickle(monkeypatch, estimator):
    monkeypatch.setattr(implementation, "ENTRIES", 1000)  # several tiles, and of sparse rows pieces
    monkeypatch.setattr(_sparse, "BLOCK_VALUES", 12)
    X, y = problem(estimator)
    X = np.where(np.abs(X) < 0.5, 0.0, X).astype(np.float32)
    one = clone(estimator).set_params(n_jobs=1).fit(X, y)
    two = pickle.loads(pickle.dumps(one)).set_params(n_jobs=2)
    expected = one.predict_standard_error(X)
    assert expected.dtype == np.float64
    for samples in (X, X.astype(float), sparse.csr_array(X)):
        np.testing.assert_array_equal(two.predict_standard_error(samples), expected)


@pytest.mark.filterwarnings(FEW_TREES)
def test_several_outputs():
    X, y = problem(ALL[0])
    Y = np.column_stack([y, np.round(X[:, 1])])
    model = RandomForestClassifier(**FEW).fit(X, Y)
    found = model.predict_standard_error(X[:9])
    assert [one.shape for one in found] == [(9, 2), (9, len(model.classes_[1]))]
    Y = np.column_stack([X[:, 0], np.full(60, 0.1), np.zeros(60)])
    found = RandomForestRegressor(**FEW).fit(X, Y).predict_standard_error(X[:9])
    assert found.shape == (9, 3) and not found[:, 1:].any()  # what all trees say has no error


def test_too_few_trees_say_so():
    X, y = problem(ALL[3])
    model = RandomForestRegressor(5, random_state=0).fit(X, y)
    message = r"RandomForestRegressor.predict_standard_error: 5 trees are too few for (\d+) of 60"
    with pytest.warns(UserWarning, match=message):
        found = model.predict_standard_error(X)
    assert np.isnan(found).any() and np.all(found[~np.isnan(found)] >= 0)


@EVERY
def test_bad_input(estimator):
    X, y = problem(estimator)
    who = type(estimator).__name__
    with pytest.raises(NotFittedError):
        clone(estimator).predict_standard_error(X)
    model = clone(estimator).fit(X, y)
    with pytest.raises(ValueError, match=f"X has 2 features, but {who}"):
        model.predict_standard_error(X[:, :2])
    whole = clone(estimator).set_params(bootstrap=False, max_samples=None).fit(X, y)
    with pytest.raises(ValueError, match=rf"{who}.predict_standard_error .* bootstrap=True"):
        whole.predict_standard_error(X)
    alone = clone(estimator).set_params(n_estimators=1).fit(X, y)
    with pytest.raises(ValueError, match=rf"{who}.predict_standard_error compares trees"):
        alone.predict_standard_error(X)


def test_trees_of_other_samples_are_refused():
    X, y = problem(ALL[3])
    model = RandomForestRegressor(5, warm_start=True, random_state=0).fit(X, y)
    model.set_params(n_estimators=9).fit(X[:30], y[:30])
    message = r"trees that have all drawn from the 30 samples of the last fit. Got a tree, number 0"
    with pytest.raises(ValueError, match=message):
        model.predict_standard_error(X)


def test_arrays_of_dask_are_refused_with_what_to_do():
    array = pytest.importorskip("dask.array")
    X, y = problem(ALL[0])
    model = RandomForestClassifier(**FEW).fit(X, y)
    with pytest.raises(TypeError, match=r"array of Dask for X, .* give X.compute\(\)"):
        model.predict_standard_error(array.from_array(X))
