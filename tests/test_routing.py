"""Metadata routing: weights reach an estimator in scikit-learn's pipelines and searches."""

import importlib
import inspect
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import litlearn
from litlearn._core.base import BaseEstimator
from litlearn.linear_model import LogisticRegression

RNG = np.random.default_rng(0)
X = np.abs(RNG.normal(size=(60, 3)))
CLASSES = (X[:, 0] > X[:, 1]).astype(int)
NUMBERS = X @ [1.0, 2.0, 3.0] + RNG.normal(size=60)
WEIGHT = RNG.random(60) + 0.1
SMALL = {"n_estimators": 3, "cv": 2, "random_state": 0, "n_components": 2, "n_clusters": 3}
AROUND = ("conformal", "multiclass")  # other estimators: whose tests have it
GRIDS = {
    "max_depth": (1, 3),
    "C": (0.1, 1.0),
    "alpha": (0.1, 1.0),
    "n_clusters": (2, 3),
    "fit_intercept": (True, False),
    "var_smoothing": (1e-9, 1e-3),
    "bandwidth": (1.0, 2.0),
    "tol": (1e-3, 1e-4),
}


def weighted_estimators():
    for space in litlearn._NAMESPACES:
        module = importlib.import_module(f"litlearn.{space}")
        for name in getattr(module, "__all__", ()):
            kind = getattr(module, name)
            if inspect.isclass(kind) and issubclass(kind, BaseEstimator) and space not in AROUND:
                if "sample_weight" in inspect.signature(kind.fit).parameters:
                    yield pytest.param(kind, id=name)


def made(kind):
    model = kind()
    model.set_params(**{k: v for k, v in SMALL.items() if k in model.get_params()})
    return model


@pytest.fixture(autouse=True)
def routing():
    with sklearn.config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def scaler():
    return StandardScaler().set_fit_request(sample_weight=False)


@pytest.mark.parametrize("kind", list(weighted_estimators()))
def test_weights_reach_the_estimator(kind):
    y = CLASSES if hasattr(kind, "decision_function") or "classes_" in kind.__doc__ else NUMBERS
    if kind.__name__.startswith("MultiTask"):
        y = np.c_[NUMBERS, -NUMBERS]
    model = made(kind).set_fit_request(sample_weight=True)
    scores = hasattr(model, "set_score_request")
    if scores:
        model.set_score_request(sample_weight=True)
    pipeline = Pipeline([("scale", scaler()), ("model", model)])
    scaled = StandardScaler().fit_transform(X)
    pipeline.fit(X, y, sample_weight=WEIGHT)
    # The answers are those of a fit with these weights by hand, whatever the estimator answers.
    expected = clone(model).fit(scaled, y, sample_weight=WEIGHT)
    for method in ("predict", "transform", "score_samples"):
        if hasattr(model, method):
            found, by_hand = (getattr(one, method)(scaled) for one in (model, expected))
            np.testing.assert_array_equal(found, by_hand)
    if not scores:
        return  # of KernelDensity, theirs and ours: a pipeline's score routes weights in any case
    name, values = next(item for item in GRIDS.items() if item[0] in model.get_params())
    search = GridSearchCV(pipeline, {f"model__{name}": values}, cv=2, error_score="raise")
    search.fit(X, y, sample_weight=WEIGHT)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_weights_not_asked_for_are_refused():
    with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"):
        Pipeline([("scale", scaler()), ("model", LogisticRegression())]).fit(
            X, CLASSES, sample_weight=WEIGHT
        )


@pytest.mark.parametrize("name", ["OneVsRestClassifier", "OneVsOneClassifier"])
def test_strategies_route_to_the_estimator_inside(name):
    kind = getattr(importlib.import_module("litlearn.multiclass"), name)
    y = CLASSES + (X[:, 2] > 1.0)
    inner = LogisticRegression().set_fit_request(sample_weight=True)
    pipeline = Pipeline([("scale", scaler()), ("model", kind(inner))])
    pipeline.fit(X, y, sample_weight=WEIGHT)
    by_hand = kind(inner).fit(StandardScaler().fit_transform(X), y, sample_weight=WEIGHT)
    np.testing.assert_array_equal(
        pipeline.predict(X), by_hand.predict(StandardScaler().fit_transform(X))
    )
