"""Naive Bayes and discriminant analysis among scikit-learn's tools, under hostile conditions."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.covariance import LedoitWolf
from sklearn.model_selection import GridSearchCV

import litlearn.discriminant_analysis
import litlearn.naive_bayes
import protocol
from litlearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from litlearn.naive_bayes import GaussianNB
from protocol import data

BAYES = (
    GaussianNB(),
    GaussianNB(variance="feature", priors=[0.3, 0.7]),
    GaussianNB(variance="class"),
    GaussianNB(variance="one", var_smoothing=0.0),
)
DISCRIMINANT = (
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.3, priors=[0.4, 0.6]),
    LinearDiscriminantAnalysis(tol=1e-9, store_covariance=True),
    LinearDiscriminantAnalysis(solver="eigen", covariance_estimator=LedoitWolf()),
    QuadraticDiscriminantAnalysis(store_covariance=True),
    QuadraticDiscriminantAnalysis(reg_param=0.2, priors=[0.4, 0.6]),
    QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
)
EVERY = pytest.mark.parametrize("estimator", BAYES + DISCRIMINANT, ids=repr)
WEIGHTED = pytest.mark.parametrize("estimator", BAYES, ids=repr)


def offers_only_scores(estimator):
    """Whether transform raises, as it does with the solver that finds no directions."""
    return getattr(estimator, "solver", None) == "lsqr"


@pytest.fixture(autouse=True)
def without_transform(request, monkeypatch):
    """For the solver that finds no directions, the checks leave transform alone."""
    if "estimator" in request.fixturenames and offers_only_scores(
        request.getfixturevalue("estimator")
    ):
        methods = tuple(m for m in protocol.METHODS if m != "transform")
        monkeypatch.setattr(protocol.offered, "__defaults__", (methods,))


def test_all_are_listed():
    protocol.check_all_are_listed(litlearn.naive_bayes, BAYES)
    protocol.check_all_are_listed(litlearn.discriminant_analysis, DISCRIMINANT)


class TestProtocol(protocol.Suite):
    estimators = BAYES + DISCRIMINANT
    close = {"rtol": 1e-6, "atol": 1e-9}
    dtypes = (np.int8,)
    bad_parameters = [
        *[("var_smoothing", value) for value in (-1.0, np.nan, np.inf, "1", None, True)],
        *[("variance", value) for value in ("each", None, 1)],
        *[("priors", value) for value in ([0.5], [[0.5, 0.5]], [0.5, np.nan], "ab", [-0.5, 1.5])],
        *[("solver", value) for value in ("SVD", None, 1)],
        *[("shrinkage", value) for value in (-0.1, 1.1, "Auto", [0.1], True)],
        *[("reg_param", value) for value in (-0.1, 1.1, "0", None)],
        *[("tol", value) for value in (-1.0, np.nan, "1", None)],
        *[("store_covariance", value) for value in (1, None, "yes")],
        *[("n_components", value) for value in (0, 2, 1.0, "1", True)],
        *[("covariance_estimator", value) for value in (1, "ledoit_wolf")],
    ]
    bad_samples = (*protocol.Suite.bad_samples, *protocol.SPARSE_SAMPLES)

    def applies(self, test, estimator, *given):
        if test == "test_check_estimator":  # which has other numbers of classes, and transforms
            return getattr(estimator, "priors", None) is None and not offers_only_scores(estimator)
        if test == "test_clone_and_copies":  # a clone of the parameter is another object
            return getattr(estimator, "covariance_estimator", None) is None
        if test == "test_bad_parameters" and isinstance(estimator, QuadraticDiscriminantAnalysis):
            # scikit-learn's tests give it priors that are no probabilities.
            return given != ("priors", [-0.5, 1.5])
        return test != "test_bad_weights" or estimator in BAYES  # the others take none


@EVERY
def test_signature(estimator):
    theirs = sklearn.naive_bayes if isinstance(estimator, GaussianNB) else None
    theirs = theirs or sklearn.discriminant_analysis
    ours = {"variance"} if isinstance(estimator, GaussianNB) else ()
    protocol.check_signature(estimator, theirs, ours)


@EVERY
def test_single_precision(estimator):
    X, y = data()
    X = X.astype(np.float32)
    single, double = clone(estimator).fit(X, y), clone(estimator).fit(X.astype(float), y)
    method = "decision_function" if hasattr(single, "decision_function") else "predict_proba"
    assert getattr(single, method)(X).dtype == np.float32
    np.testing.assert_allclose(single.predict_proba(X), double.predict_proba(X), atol=2e-6)
    np.testing.assert_allclose(
        single.predict_log_proba(X), double.predict_log_proba(X), rtol=1e-4, atol=2e-6
    )


@EVERY
def test_the_number_of_threads_changes_no_bit(estimator, monkeypatch):
    protocol.check_threads_of_the_environment(estimator, monkeypatch)


@EVERY
def test_searches_and_pipelines(estimator):
    protocol.check_pipeline_and_search(estimator, {})


@WEIGHTED
def test_routed_weights(estimator):
    X, y = data()
    weight = np.random.default_rng(0).random(90)
    with sklearn.config_context(enable_metadata_routing=True):
        model = clone(estimator).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"var_smoothing": [0.0, 0.1]}, cv=3)
        search.fit(X, y, sample_weight=weight)
    direct = clone(estimator).set_params(**search.best_params_).fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(search.best_estimator_.theta_, direct.theta_)


@EVERY
def test_targets_of_several_outputs(estimator):
    X, y = data()
    with pytest.raises(ValueError, match=type(estimator).__name__):
        clone(estimator).fit(X, np.column_stack([y, y]))
