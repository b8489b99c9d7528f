"""Multiclass strategies against their twins, scikit-learn's, and under hostile conditions."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse
import sklearn
import sklearn.linear_model
import sklearn.multiclass as theirs
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_multilabel_classification
from sklearn.naive_bayes import GaussianNB as TheirNB
from sklearn.svm import SVC

import litlearn.multiclass
import protocol
import reference
from litlearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from litlearn.multiclass import (
    OneVsOneClassifier,
    OneVsRestClassifier,
    OutputCodeClassifier,
    nearest_words,
    votes_and_confidences,
)
from litlearn.naive_bayes import GaussianNB
from litlearn.neighbors import KNeighborsClassifier

nojit = pytest.mark.nojit
STRATEGIES = (
    OneVsOneClassifier(LogisticRegression()),
    OneVsRestClassifier(LogisticRegression()),
    OutputCodeClassifier(LogisticRegression(), code_size=4, random_state=0),
)
EVERY = pytest.mark.parametrize("estimator", STRATEGIES, ids=lambda one: type(one).__name__)
INSIDE = pytest.mark.parametrize(
    "inside",
    [LogisticRegression(), GaussianNB(), KNeighborsClassifier(), RidgeClassifier(), TheirNB()],
    ids=lambda one: f"{type(one).__module__}.{type(one).__name__}",
)


def test_all_are_listed():
    protocol.check_all_are_listed(litlearn.multiclass, STRATEGIES)


@EVERY
def test_check_estimator(estimator):
    protocol.check_scikit_learns_checks(estimator)


@EVERY
def test_signature(estimator):
    name = type(estimator).__name__
    mine = type(estimator)(None).get_params(deep=False)
    expected = getattr(theirs, name)(None).get_params(deep=False)
    ours_only = {"code_book"} if name == "OutputCodeClassifier" else set()
    assert {k: v for k, v in mine.items() if k not in ours_only} == expected


@nojit
def test_votes_twin():
    """eq-one-vs-one"""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(50, 6))
    scores[10] = 0.0
    found = votes_and_confidences((scores > 0).astype(int), scores, 4)
    np.testing.assert_allclose(found, reference.votes(scores, 4), rtol=1e-14)
    # Confidences never make up for a vote.
    votes = np.round(found)
    assert (np.abs(found - votes) <= 1 / 3).all() and (votes.sum(axis=1) == 6).all()


def test_predictions_of_pairs_are_asked_for():
    """A linear classifier's are the signs of its scores; any other one's are its own."""

    class Contrary(LogisticRegression):
        def predict(self, X):
            return 1 - super().predict(X)

    X, y = load_iris(return_X_y=True)
    plain, contrary = (
        OneVsOneClassifier(one()).fit(X, y) for one in (LogisticRegression, Contrary)
    )
    expected = np.array([one.predict(X) for one in plain.estimators_]).T
    scores = np.array([one.decision_function(X) for one in plain.estimators_]).T
    for model, predictions in ((plain, expected), (contrary, 1 - expected)):
        found = votes_and_confidences(predictions, scores, 3)
        np.testing.assert_array_equal(model.decision_function(X), found)


@nojit
def test_words_twin():
    """eq-ecoc"""
    rng = np.random.default_rng(0)
    scores, code_book = rng.normal(size=(200, 7)), np.sign(rng.normal(size=(5, 7)))
    np.testing.assert_array_equal(
        nearest_words(scores, code_book), reference.nearest_word(scores, code_book)
    )


@INSIDE
@pytest.mark.parametrize("load", [load_iris, load_digits])
@pytest.mark.parametrize("name", ["OneVsOneClassifier", "OneVsRestClassifier"])
def test_parity(name, load, inside):
    """eq-one-vs-rest, eq-one-vs-one"""
    X, y = load(return_X_y=True)
    X, y = X[::3], np.array(list("abcdefghij"))[y[::3]]
    ours = getattr(litlearn.multiclass, name)(inside).fit(X, y)
    other = getattr(theirs, name)(inside).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), other.predict(X))
    for method in ("decision_function", "predict_proba"):
        assert hasattr(ours, method) == hasattr(other, method), method
        if hasattr(other, method):
            found, expected = getattr(ours, method)(X), getattr(other, method)(X)
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(ours.classes_, other.classes_)
    assert len(ours.estimators_) == len(other.estimators_)


@INSIDE
def test_parity_of_codes(inside):
    """eq-ecoc"""
    X, y = load_iris(return_X_y=True)
    ours = OutputCodeClassifier(inside, code_size=3, random_state=1).fit(X, y)
    other = theirs.OutputCodeClassifier(inside, code_size=3, random_state=1).fit(X, y)
    np.testing.assert_array_equal(ours.code_book_, other.code_book_)
    np.testing.assert_array_equal(ours.predict(X), other.predict(X))


def test_two_classes():
    X, y = protocol.data()
    for estimator in STRATEGIES[:2]:
        other = getattr(theirs, type(estimator).__name__)(LogisticRegression()).fit(X, y)
        ours = clone(estimator).fit(X, y)
        np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X))
        np.testing.assert_array_equal(ours.predict(X), other.predict(X))
        assert len(ours.estimators_) == 1


@pytest.mark.parametrize("sparse", [False, True])
def test_labels(sparse):
    X, Y = make_multilabel_classification(n_samples=80, n_classes=4, random_state=0)
    given = scipy.sparse.csr_matrix(Y) if sparse else Y
    ours = OneVsRestClassifier(LogisticRegression()).fit(X, given)
    other = theirs.OneVsRestClassifier(LogisticRegression()).fit(X, given)
    assert ours.multilabel_ and scipy.sparse.issparse(ours.predict(X)) == sparse
    found, expected = ours.predict(X), other.predict(X)
    if sparse:
        found, expected = found.toarray(), expected.toarray()
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X))
    with pytest.raises(ValueError, match="OneVsRestClassifier: Multioutput target data"):
        ours.fit(X, Y + 1)


@pytest.mark.parametrize("always", [0, 1])
def test_a_label_that_never_changes(always):
    X, Y = make_multilabel_classification(n_samples=80, n_classes=3, random_state=0)
    Y[:, 1] = always
    with pytest.warns(UserWarning, match="is present in all training examples"):
        model = OneVsRestClassifier(LogisticRegression()).fit(X, Y)
    assert (model.predict(X)[:, 1] == always).all()
    assert (model.predict_proba(X)[:, 1] == always).all()


def test_a_code_book_of_the_user():
    X, y = load_iris(return_X_y=True)
    book = np.array([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 0]])
    model = OutputCodeClassifier(LogisticRegression(), code_book=book).fit(X, y)
    np.testing.assert_array_equal(model.code_book_, 2 * book - 1)
    for b, one in enumerate(model.estimators_):
        alone = LogisticRegression().fit(X, 2 * book[y, b] - 1)
        np.testing.assert_array_equal(one.coef_, alone.coef_)
    probabilities = OutputCodeClassifier(KNeighborsClassifier(), code_book=book).fit(X, y)
    np.testing.assert_array_equal(probabilities.code_book_, book)
    for bad in ([[1, 0]], np.zeros((3, 2)), [["a", "b"]] * 3, [[0, 1, 2]] * 3):
        with pytest.raises(ValueError, match="'code_book' parameter of OutputCodeClassifier"):
            clone(model).set_params(code_book=bad).fit(X, y)
    with pytest.raises(ValueError, match="OutputCodeClassifier: code_size=0.1 gives 3 classes"):
        OutputCodeClassifier(LogisticRegression(), code_size=0.1).fit(X, y)


@pytest.mark.parametrize("name", ["OneVsOneClassifier", "OneVsRestClassifier"])
def test_batches(name):
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    X, y = X[order], y[order]
    model, other = (getattr(m, name)(GaussianNB()) for m in (litlearn.multiclass, theirs))
    for rows in (slice(0, 60), slice(60, 150)):
        for one in (model, other):
            one.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    np.testing.assert_allclose(model.decision_function(X), other.decision_function(X)) if hasattr(
        other, "decision_function"
    ) else None
    np.testing.assert_array_equal(model.predict(X), other.predict(X))
    with pytest.raises(ValueError, match="Mini-batch contains"):
        model.partial_fit(X, y + 1)
    assert not hasattr(type(model)(SVC()), "partial_fit")


def test_precomputed_similarities():
    X, y = load_iris(return_X_y=True)
    K = X @ X.T
    for name in ("OneVsOneClassifier", "OneVsRestClassifier"):
        ours = getattr(litlearn.multiclass, name)(SVC(kernel="precomputed")).fit(K, y)
        direct = getattr(litlearn.multiclass, name)(SVC(kernel="linear")).fit(X, y)
        np.testing.assert_array_equal(ours.predict(K), direct.predict(X))
    with pytest.raises(ValueError, match="can not be fit when only one class is present"):
        OneVsOneClassifier(SVC()).fit(X, np.zeros(150, dtype=int))


def test_numbers_as_scores():
    X, y = load_iris(return_X_y=True)
    for inside in (LinearRegression(), sklearn.linear_model.LinearRegression()):
        for name in ("OneVsOneClassifier", "OneVsRestClassifier"):
            ours = getattr(litlearn.multiclass, name)(inside).fit(X, y)
            other = getattr(theirs, name)(inside).fit(X, y)
            np.testing.assert_array_equal(ours.predict(X), other.predict(X))


@EVERY
def test_the_number_of_threads_changes_no_bit(estimator):
    X, y = load_digits(return_X_y=True)
    X, y = X[:400], y[:400]
    protocol.check_the_number_of_threads_changes_no_bit(
        estimator, X, y, lambda model: [model.predict(X)]
    )


@EVERY
def test_threads_at_once(estimator):
    protocol.check_threads_at_once(estimator)


@EVERY
def test_copies(estimator):
    X, y = protocol.data()
    model = clone(estimator).fit(X, y)
    expected = protocol.use(model, X)
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        protocol.assert_same(protocol.use(again, X), expected)
    frame = protocol.data_frame(X)
    named = clone(estimator).fit(frame, y)
    assert list(named.feature_names_in_) == ["age", "score", "volume"]
    np.testing.assert_array_equal(named.predict(frame), model.predict(X))


@EVERY
def test_weights_reach_the_estimators(estimator):
    X, y = load_iris(return_X_y=True)
    s = np.random.default_rng(0).random(150)
    with pytest.raises(ValueError, match="metadata routing is only available when enabled"):
        clone(estimator).fit(X, y, sample_weight=s)
    with sklearn.config_context(enable_metadata_routing=True):
        inside = LogisticRegression().set_fit_request(sample_weight=True)
        model = clone(estimator).set_params(estimator=inside).fit(X, y, sample_weight=s)
    plain = clone(estimator).fit(X, y)
    if isinstance(estimator, OneVsOneClassifier):
        rows = y < 2
        alone = LogisticRegression().fit(X[rows], y[rows], s[rows])
        np.testing.assert_allclose(model.estimators_[0].coef_, alone.coef_)
    else:
        target = (y == 0) if isinstance(estimator, OneVsRestClassifier) else None
        if target is not None:
            alone = LogisticRegression().fit(X, target, s)
            np.testing.assert_allclose(model.estimators_[0].coef_, alone.coef_)
    assert not np.allclose(model.estimators_[0].coef_, plain.estimators_[0].coef_)


@protocol.every_bad_parameter(
    STRATEGIES,
    [("estimator", 3), ("n_jobs", 0), ("n_jobs", 1.5), ("code_size", 0), ("code_size", "1")],
)
def test_bad_parameters(estimator, name, value):
    X, y = protocol.data()
    model = clone(estimator).set_params(**{name: value})
    with pytest.raises(ValueError, match=f"{name}.*{type(estimator).__name__}"):
        model.fit(X, y)
    assert model.set_params(**{name: getattr(estimator, name)}).fit(X, y).score(X, y) > 0.7


@EVERY
@pytest.mark.parametrize("bad", protocol.BAD_TARGETS, ids=protocol.kind)
def test_bad_targets(estimator, bad):
    X, _ = protocol.data()
    if scipy.sparse.issparse(bad) and isinstance(estimator, OneVsRestClassifier):
        # Zeros and ones say who has which label.
        assert clone(estimator).fit(X, bad).multilabel_
        return
    with pytest.raises((ValueError, TypeError)):
        clone(estimator).fit(X, bad)


@EVERY
def test_before_fit(estimator):
    protocol.check_before_fit(estimator)


def test_without_scikit_learn():
    code = """
import sys, numpy as np
from litlearn.linear_model import LogisticRegression
from litlearn.multiclass import *
X = np.arange(12.0)[:, None]; y = np.repeat(["a", "b", "c"], 4)
for model in (OneVsOneClassifier(LogisticRegression()), OneVsRestClassifier(LogisticRegression()),
              OutputCodeClassifier(LogisticRegression(), code_size=4, random_state=0)):
    assert model.fit(X, y).score(X, y) > 0.6
assert "sklearn" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
