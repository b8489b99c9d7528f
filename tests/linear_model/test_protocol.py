"""The linear models among scikit-learn's tools, and under hostile conditions."""

import inspect

import numpy as np
import pytest
import sklearn
import sklearn.linear_model as theirs
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import litlearn.linear_model
import protocol
from litlearn._core import moments, parallel
from litlearn.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
    _losses,
    _matrix,
)
from protocol import data

# Every estimator, in the settings that take another way through the code.
ALL = (
    ElasticNet(alpha=0.01),
    ElasticNetCV(cv=3, l1_ratio=[0.5, 1.0]),
    Lasso(alpha=0.01),
    LassoCV(cv=3),
    LinearRegression(),
    LinearRegression(positive=True),
    LogisticRegression(),
    LogisticRegression(C=0.1, l1_ratio=0.5),
    LogisticRegressionCV(Cs=[0.1, 1.0], cv=3),
    LogisticRegressionCV(Cs=[0.1, 1.0], cv=2, l1_ratios=[0.0, 0.5], refit=False),
    Ridge(),
    RidgeCV(),
    RidgeCV(cv=3),
    RidgeClassifier(),
    RidgeClassifierCV(),
    RidgeClassifierCV(cv=3),
)
EVERY = pytest.mark.parametrize("estimator", ALL, ids=repr)


def test_all_are_listed():
    several_targets = ("MultiTaskElasticNet", "MultiTaskLasso")
    elsewhere = (*several_targets, "SGDClassifier", "SGDRegressor")  # suites of their own
    protocol.check_all_are_listed(litlearn.linear_model, ALL, elsewhere)


class TestProtocol(protocol.Suite):
    estimators = ALL
    close = {"rtol": 1e-6, "atol": 1e-9}
    dtypes = (np.int8,)  # single precision has a test of its own, with the tolerance that it needs
    bad_parameters = [
        *[("alpha", value) for value in (-1.0, np.nan, np.inf, "1", None, True, [[-1.0]])],
        *[("fit_intercept", value) for value in (1, None, "yes")],
        *[("positive", value) for value in (1, None, "yes")],
        *[("tol", value) for value in (-1.0, np.nan, "1", None)],
        *[("max_iter", value) for value in (-1, 1.5, "1", True)],
        *[("alphas", value) for value in ("a", b"a", None, [-1.0], [[1.0]], [np.nan])],
        *[("eps", value) for value in (0.0, -1.0, np.nan, "1", None)],
        *[("Cs", value) for value in (0, "a", None, [0.0], [[1.0]])],
        *[("l1_ratios", value) for value in ("a", 0.5, [2.0], [])],
        *[("cv", value) for value in (1, "a", 2.5, [(1, 2, 3)], True)],
        *[("refit", value) for value in (1, None, "yes")],
        *[("use_legacy_attributes", value) for value in (1, None, "yes")],
        *[("n_jobs", value) for value in (0, 1.5, "all", True)],
        *[("solver", value) for value in ("newton", 3, None)],
        *[("random_state", value) for value in (-1, "a", 1.5)],
    ]


@protocol.SINCE_1_9
@EVERY
def test_signature(estimator):
    is_logistic = isinstance(estimator, LogisticRegression)
    other_defaults = {"solver": "auto"} if is_logistic else {}
    protocol.check_signature(estimator, theirs, **other_defaults)


@protocol.SINCE_1_9
@pytest.mark.parametrize("name", ["enet_path", "lasso_path"])
def test_signatures_of_paths(name):
    ours, expected = (
        inspect.signature(getattr(package, name)).parameters.values()
        for package in (litlearn.linear_model, theirs)
    )
    assert {p.name: p.default for p in ours} == {p.name: p.default for p in expected}


@EVERY
def test_single_precision(estimator):
    X, y = data()
    double = clone(estimator).fit(X.astype(np.float32).astype(np.float64), y)
    single = clone(estimator).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == np.float32 and double.coef_.dtype == np.float64
    np.testing.assert_allclose(single.coef_, double.coef_, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(single.intercept_, double.intercept_, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "estimator", [one for one in ALL if "n_jobs" in one.get_params()], ids=repr
)
def test_the_number_of_threads_changes_no_bit(estimator, monkeypatch):
    # Blocks of a few hundred rows, shared by threads however little work they are.
    monkeypatch.setattr(parallel, "_WORTH_A_THREAD", 0)
    monkeypatch.setattr(moments, "BLOCK", 2**11)
    monkeypatch.setattr("litlearn.linear_model._logistic.SMALL", 0)
    for module in (_matrix, _losses):
        for name in ("BLOCK_ENTRIES", "ROW_BLOCK_ENTRIES"):
            monkeypatch.setattr(module, name, 2**11, raising=False)
    shared, run = [], parallel._Fold.run
    monkeypatch.setattr(
        parallel._Fold, "run", lambda fold, *given: shared.append(1) or run(fold, *given)
    )
    X, y = data(n=2000, p=8)
    protocol.check_the_number_of_threads_changes_no_bit(
        estimator, X, y, lambda model: protocol.use(model, X)
    )
    assert shared  # else all runs were of one thread


def test_searches_and_pipelines():
    grid = {"C": [0.01, 1.0], "l1_ratio": [0.0, 0.5]}
    protocol.check_pipeline_and_search(LogisticRegression(), grid)


@EVERY
def test_searches_and_routed_weights(estimator):
    X, y = data()
    pipeline = make_pipeline(StandardScaler(), clone(estimator))
    scores = cross_val_score(pipeline, X, y, cv=3)
    assert np.all(scores > 0.3)
    assert type(estimator).__name__ in pipeline._repr_html_()
    weight = np.random.default_rng(0).random(90)
    with sklearn.config_context(enable_metadata_routing=True):
        model = clone(estimator).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"fit_intercept": [True, False]}, cv=3)
        search.fit(X, y, sample_weight=weight)
    direct = clone(estimator).set_params(**search.best_params_).fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(search.best_estimator_.coef_, direct.coef_)
