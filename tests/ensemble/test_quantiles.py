"""Quantiles of the targets that share leaves, by their definition and by what they promise."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from litlearn.ensemble import (
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from litlearn.ensemble import _quantiles as implementation
from litlearn.exceptions import NotFittedError
from protocol import data

FEW = {"n_estimators": 7, "random_state": 0, "min_samples_leaf": 4}
REGRESSORS = (
    RandomForestRegressor(**FEW),
    RandomForestRegressor(max_samples=0.6, criterion="absolute_error", **FEW),
    RandomForestRegressor(bootstrap=False, max_features=1, **FEW),
    ExtraTreesRegressor(**FEW),
    ExtraTreesRegressor(bootstrap=True, ccp_alpha=0.01, **FEW),
)
EVERY = pytest.mark.parametrize("estimator", REGRESSORS, ids=repr)
SHARES = (0.0, 0.05, 0.3, 0.5, 0.95, 1.0)


def problem(n=150, p=3):
    X, _ = data(4, n=n, p=p)
    return X, np.round(X[:, 0] + X[:, 1] ** 2, 1)  # with ties


def twin_weights(leaves, train_leaves, weights):
    """Return the weights of the training samples, (n_samples, n_train), tree by tree."""
    total = np.zeros((len(leaves), len(train_leaves)))
    for b, weight in enumerate(weights):
        shared = (leaves[:, b, np.newaxis] == train_leaves[:, b]) * weight
        total += shared / shared.sum(axis=1, keepdims=True)
    return total / len(weights)


def twin(weights, y, share):
    """Return the smallest target at which the weights at or below it reach the share."""
    found = np.empty(len(weights))
    for i, weight in enumerate(weights):
        values = np.unique(y[weight > 0])
        reached = [weight[y <= value].sum() >= share - 1e-9 for value in values]
        found[i] = values[np.argmax(reached)]
    return found


def weights_in_trees(model, sample_weight, n):
    if not model.bootstrap:
        return [np.ones(n) if sample_weight is None else sample_weight] * len(model)
    return [np.bincount(rows, minlength=n) for rows in model.estimators_samples_]


@EVERY
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [False, True])
def test_quantiles_are_those_of_the_definition(monkeypatch, estimator, weighted, missing):
    monkeypatch.setattr(implementation, "ENTRIES", 1000)  # several blocks
    X, y = problem()
    rng = np.random.default_rng(1)
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    weight = rng.integers(0, 4, size=len(X)).astype(float) if weighted else None
    model = clone(estimator).fit(X, y, sample_weight=weight)
    Q = np.concatenate([X[:20], rng.normal(size=(20, 3))])
    found = model.predict_quantiles(Q, SHARES, X_train=X, y_train=y)
    weights = twin_weights(model.apply(Q), model.apply(X), weights_in_trees(model, weight, len(X)))
    for share, column in zip(SHARES, found.T, strict=True):
        np.testing.assert_array_equal(column, twin(weights, y, share))
    assert np.all(np.diff(found, axis=1) >= 0)
    if model.criterion == "squared_error":  # the same weights make the prediction
        np.testing.assert_allclose(weights @ y, model.predict(Q), rtol=1e-9, atol=1e-12)


@EVERY
def test_the_same_bits_in_any_way(estimator):
    pandas = pytest.importorskip("pandas")
    X, y = problem()
    X = np.where(np.abs(X) < 0.5, 0.0, X).astype(np.float32)
    one = clone(estimator).set_params(n_jobs=1).fit(X, y)
    two = pickle.loads(pickle.dumps(one)).set_params(n_jobs=2)
    expected = one.predict_quantiles(X, X_train=X, y_train=y)
    assert expected.shape == (150, 3) and expected.dtype == np.float64
    for samples in (X, X.astype(float), sparse.csr_array(X), pandas.DataFrame(X)):
        found = two.predict_quantiles(samples, X_train=samples, y_train=list(y))
        np.testing.assert_array_equal(found, expected)
    order = two.predict_quantiles(X, [0.95, 0.05, 0.5], X_train=X, y_train=y[:, np.newaxis].ravel())
    np.testing.assert_array_equal(order, expected[:, [2, 0, 1]])
    median = two.predict_quantiles(X, 0.5, X_train=X, y_train=y)
    np.testing.assert_array_equal(median, expected[:, 1])
    alone = two.predict_quantiles(X[7:8], X_train=X, y_train=y)
    np.testing.assert_array_equal(alone[0], expected[7])


def test_a_sum_that_rounding_keeps_below_a_quantile_has_reached_it():
    X, y = np.zeros((10, 1)), np.arange(10.0)
    model = ExtraTreesRegressor(3, random_state=0).fit(X, y)  # a single leaf; ten weights of 0.1
    shares = np.arange(1, 11) / 10
    found = model.predict_quantiles(X[:1], shares, X_train=X, y_train=y)
    np.testing.assert_array_equal(found[0], np.arange(10.0))
    above = model.predict_quantiles(X[:1], shares[:-1] + 1e-6, X_train=X, y_train=y)
    np.testing.assert_array_equal(above[0], np.arange(1.0, 10.0))


def heteroscedastic(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3))
    return X, 2 * X[:, 0] + (0.2 + X[:, 1]) * rng.normal(size=n)


@pytest.mark.parametrize("kind", [RandomForestRegressor, ExtraTreesRegressor])
def test_nine_of_ten_new_targets_lie_between_the_outer_quantiles(kind):
    X, y = heteroscedastic(2000, 0)
    Q, new = heteroscedastic(4000, 1)
    model = kind(60, min_samples_leaf=20, random_state=0).fit(X, y)
    low, median, high = model.predict_quantiles(Q, X_train=X, y_train=y).T
    assert 0.87 < np.mean((low <= new) & (new <= high)) < 0.93
    assert 0.03 < np.mean(new < low) < 0.07 and 0.03 < np.mean(new > high) < 0.07
    assert 0.46 < np.mean(new < median) < 0.54
    # Wide where the noise is large. An interval of one width for all would have zero here.
    assert np.corrcoef(high - low, Q[:, 1])[0, 1] > 0.8


def test_beside_another_program():
    """quantile-forest, all samples of a leaf, leaves that weigh the same: the same weights.

    It interpolates between two targets; ours is one of these.
    """
    other = pytest.importorskip("quantile_forest", reason="quantile-forest is not installed")
    X, y = heteroscedastic(300, 2)
    Q, _ = heteroscedastic(50, 3)
    theirs = other.RandomForestQuantileRegressor(
        30, min_samples_leaf=5, max_samples_leaf=None, random_state=0
    ).fit(X, y)
    found = theirs.predict(Q, quantiles=[0.05, 0.5, 0.95], weighted_leaves=True)
    draws = [np.bincount(rows, minlength=300) for rows in theirs.estimators_samples_]
    weights = twin_weights(theirs.apply(Q), theirs.apply(X), draws)
    for share, column in zip((0.05, 0.5, 0.95), found.T, strict=True):
        for weight, answer, mine in zip(weights, column, twin(weights, y, share), strict=True):
            values = np.unique(y[weight > 0])
            place = np.searchsorted(values, mine)
            assert values[max(place - 1, 0)] <= answer <= values[min(place + 1, len(values) - 1)]
    ours = RandomForestRegressor(30, min_samples_leaf=5, random_state=0).fit(X, y)
    mine = ours.predict_quantiles(Q, X_train=X, y_train=y)
    assert np.all(np.abs(np.mean(mine - found, axis=0)) < 0.1)  # of other trees


@EVERY
def test_bad_input(estimator):
    X, y = problem()
    who = type(estimator).__name__
    given = {"X_train": X, "y_train": y}
    with pytest.raises(NotFittedError):
        clone(estimator).predict_quantiles(X, **given)
    model = clone(estimator).fit(X, y)
    ask = model.predict_quantiles
    for quantiles in (-0.1, 1.5, [0.5, np.nan], [], [[0.5]], "median", None, [True], [0.1, "a"]):
        with pytest.raises(ValueError, match=rf"'quantiles' parameter of {who} must be"):
            ask(X, quantiles, **given)
    with pytest.raises(TypeError, match="X_train"):
        ask(X)
    with pytest.raises(ValueError, match=f"X has 2 features, but {who}"):
        ask(X[:, :2], **given)
    with pytest.raises(ValueError, match=rf"{who}: X_train must hold the 150 samples .* Got 149"):
        ask(X, X_train=X[:-1], y_train=y)
    others = rf"{who}: (X must hold the samples|y_train must hold the targets) that .* order"
    with pytest.raises(ValueError, match=others):
        ask(X, X_train=X[::-1], y_train=y)
    with pytest.raises(ValueError, match=rf"{who}: y_train must hold the targets that"):
        ask(X, X_train=X, y_train=y[::-1])
    with pytest.raises(ValueError, match=rf"{who}: X must hold the samples that"):
        ask(X, X_train=X + 0.5, y_train=y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples: X has 150, y has 149"):
        ask(X, X_train=X, y_train=y[:-1])
    with pytest.raises(ValueError, match=r"y must have the 1 output\(s\) of the fit. Got 2"):
        ask(X, X_train=X, y_train=np.column_stack([y, y]))
    several = clone(estimator).fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match=rf"{who}.predict_quantiles needs a forest of one output"):
        several.predict_quantiles(X, **given)
    assert not hasattr(RandomForestClassifier(), "predict_quantiles")


def test_arrays_of_dask_are_refused_with_what_to_do():
    array = pytest.importorskip("dask.array")
    X, y = problem()
    model = RandomForestRegressor(**FEW).fit(X, y)
    with pytest.raises(TypeError, match=r"array of Dask for X_train, .* give X_train.compute\(\)"):
        model.predict_quantiles(X, X_train=array.from_array(X), y_train=y)
