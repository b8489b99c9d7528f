"""The linear models among scikit-learn's tools, and under hostile conditions."""

import copy
import pickle
import threading
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import litlearn.linear_model
from litlearn.exceptions import NotFittedError
from litlearn.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeClassifier,
    RidgeCV,
)

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
    Ridge(),
    RidgeCV(),
    RidgeCV(cv=3),
    RidgeClassifier(),
)
EVERY = pytest.mark.parametrize("estimator", ALL, ids=repr)


def data(seed=0, n=90, p=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, (X[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(int)


def use(model, X):
    """Call everything that the estimator offers; return the results."""
    methods = ("predict", "predict_proba", "decision_function")
    return [getattr(model, method)(X) for method in methods if hasattr(model, method)]


def assert_same(results, expected):
    for one, other in zip(results, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_all_are_listed():
    public = {
        name
        for name in litlearn.linear_model.__all__
        if isinstance(getattr(litlearn.linear_model, name), type)
    }
    assert {type(one).__name__ for one in ALL} == public


@EVERY
def test_check_estimator(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, on_skip=None, on_fail=None)
    failed = [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]
    assert not failed
    skipped = {r["check_name"] for r in results if r["status"] == "skipped"}
    assert skipped <= {
        "check_array_api_input",  # needs SCIPY_ARRAY_API=1, set before anything is imported
        "check_classifiers_multilabel_output_format_predict_proba",  # there is none
    }
    assert sum(r["status"] == "passed" for r in results) >= 40


@EVERY
def test_clone_and_copies(estimator):
    X, y = data()
    model = clone(estimator).fit(X, y)
    expected = use(model, X[:20])
    assert not clone(model).__sklearn_is_fitted__()
    for again in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert_same(use(again, X[:20]), expected)
        assert repr(again) == repr(model)


@EVERY
def test_joblib_with_memory_maps(estimator, tmp_path):
    X, y = data()
    model = clone(estimator).fit(X, y)
    joblib.dump(model, tmp_path / "model.joblib")
    mapped = joblib.load(tmp_path / "model.joblib", mmap_mode="r")
    assert_same(use(mapped, X[:20]), use(model, X[:20]))


@EVERY
def test_data_frames(estimator):
    X, y = data()
    frame = pd.DataFrame(X, columns=["age", "score", "volume"])
    model = clone(estimator).fit(frame, pd.Series(y, name="diagnosis"))
    assert list(model.feature_names_in_) == ["age", "score", "volume"]
    expected = use(clone(estimator).fit(X, y), X)
    for one, other in zip(use(model, frame), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(frame[["score", "age", "volume"]])
    model.fit(X, y)
    assert not hasattr(model, "feature_names_in_")


@EVERY
def test_forms_of_the_same_data(estimator):
    X, y = data()
    X = np.round(4 * X)
    model = clone(estimator).fit(X, y)
    expected = use(model, X)
    wide = np.zeros((180, 6))
    wide[::2, ::2] = X
    read_only = X.copy()
    read_only.flags.writeable = False
    for form in (np.asfortranarray(X), wide[::2, ::2], read_only, X.tolist(), X.astype(np.int8)):
        before = copy.deepcopy(form)
        again = use(clone(estimator).fit(form, y), form)
        np.testing.assert_array_equal(form, before)
        for one, other in zip(again, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)


@EVERY
def test_single_precision(estimator):
    X, y = data()
    double = clone(estimator).fit(X.astype(np.float32).astype(np.float64), y)
    single = clone(estimator).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == np.float32 and double.coef_.dtype == np.float64
    np.testing.assert_allclose(single.coef_, double.coef_, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(single.intercept_, double.intercept_, rtol=1e-4, atol=1e-5)


@EVERY
def test_threads_at_once(estimator):
    X, y = data(n=300)
    expected = clone(estimator).fit(X, y).coef_
    found = [None] * 4

    def fit(number):
        with warnings.catch_warnings():
            found[number] = clone(estimator).fit(X, y).coef_

    threads = [threading.Thread(target=fit, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in found:
        np.testing.assert_array_equal(one, expected)


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


# Bad input: refused with a message, and the estimator is usable afterwards

BAD_PARAMETERS = [
    *[("alpha", value) for value in (-1.0, np.nan, np.inf, "1", None, True, [[-1.0]])],
    *[("fit_intercept", value) for value in (1, None, "yes")],
    *[("positive", value) for value in (1, None, "yes")],
    *[("tol", value) for value in (-1.0, np.nan, "1", None)],
    *[("max_iter", value) for value in (-1, 1.5, "1", True)],
    *[("n_jobs", value) for value in (0, 1.5, "all", True)],
    *[("solver", value) for value in ("newton", 3, None)],
    *[("random_state", value) for value in (-1, "a", 1.5)],
]


@EVERY
@pytest.mark.parametrize(("name", "value"), BAD_PARAMETERS, ids=str)
def test_bad_parameters(estimator, name, value):
    if name not in estimator.get_params():
        return
    X, y = data()
    model = clone(estimator).fit(X, y)
    expected = use(model, X)
    model.set_params(**{name: value})
    with pytest.raises((ValueError, TypeError), match=name) as caught:
        model.fit(X, y)
    assert type(estimator).__name__ in str(caught.value)
    model.set_params(**{name: getattr(estimator, name)})
    assert_same(use(model, X), expected)  # the failed fit left the earlier one as it was
    assert_same(use(model.fit(X, y), X), expected)


BAD_SAMPLES = [
    np.full((90, 3), np.nan),
    np.full((90, 3), np.inf),
    np.zeros((90, 3)) + 1j,
    np.zeros(90),
    np.zeros((90, 3, 1)),
    np.zeros((0, 3)),
    np.zeros((90, 0)),
    np.full((90, 3), "a"),
    np.full((90, 3), {}),
    scipy.sparse.csr_matrix(np.full((90, 3), np.nan)),
    None,
    "samples",
    {"a": 1},
]
KINDS = lambda X: f"{type(X).__name__}{np.shape(X)}"  # noqa: E731


@EVERY
@pytest.mark.parametrize("bad", BAD_SAMPLES, ids=KINDS)
def test_bad_samples(estimator, bad):
    X, y = data()
    model = clone(estimator).fit(X, y)
    expected = use(model, X)
    with pytest.raises((ValueError, TypeError)) as caught:
        model.fit(bad, y)
    message = str(caught.value)
    assert type(estimator).__name__ in message and len(message) < 2000
    with pytest.raises((ValueError, TypeError), match=type(estimator).__name__):
        model.predict(bad)
    assert_same(use(model, X), expected)


@EVERY
@pytest.mark.parametrize(
    "bad",
    [
        None,
        [0, 1],
        np.zeros((90, 2, 2), dtype=int),
        np.full(90, np.nan),
        np.full(90, np.inf),
        np.zeros(90) + 1j,
        np.full(90, {}),
    ],
    ids=KINDS,
)
def test_bad_targets(estimator, bad):
    X, y = data()
    model = clone(estimator).fit(X, y)
    expected = use(model, X)
    with pytest.raises((ValueError, TypeError), match=type(estimator).__name__):
        model.fit(X, bad)
    assert_same(use(model, X), expected)


@EVERY
@pytest.mark.parametrize(
    "bad", [np.ones(3), np.full(90, -1.0), np.full(90, np.nan), np.zeros(90), np.full(90, "a")]
)
def test_bad_weights(estimator, bad):
    X, y = data()
    with pytest.raises((ValueError, TypeError), match="sample_weight"):
        clone(estimator).fit(X, y, sample_weight=bad)


@EVERY
def test_before_fit(estimator):
    X, _ = data()
    for method in ("predict", "predict_proba", "decision_function"):
        if hasattr(estimator, method):
            with pytest.raises(NotFittedError, match="is not fitted yet"):
                getattr(clone(estimator), method)(X)
