"""Classes as numbers, their weights, and scores turned back into classes."""

import copy

import numpy as np
import pytest
from scipy.special import log_expit, log_softmax
from sklearn.utils.class_weight import compute_class_weight, compute_sample_weight

from litlearn._core import targets
from litlearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from litlearn.linear_model import LogisticRegression, LogisticRegressionCV
from litlearn.naive_bayes import GaussianNB
from litlearn.neighbors import NearestCentroid

ONE = np.array(["ill", "healthy", "ill", "ill", "unsure"])
TWO = np.array([[1, 7], [0, 7], [1, 3], [0, 3], [1, 7]])


@pytest.mark.parametrize(
    "y",
    [ONE, TWO, TWO[:, 0] > 0, TWO[:, 1].astype(np.int8), TWO.astype(float), np.asfortranarray(TWO)],
)
def test_codes_name_the_classes(y):
    coded = targets.encode("Model", y, 5)
    back = [classes[codes] for classes, codes in zip(coded.classes, coded.codes, strict=True)]
    np.testing.assert_array_equal(targets.join_outputs(back, coded.flat), y)
    assert all(np.all(classes[1:] > classes[:-1]) for classes in coded.classes)
    assert all(classes.dtype == y.dtype for classes in coded.classes)
    assert coded.flat == (y.ndim == 1) and isinstance(coded.public_classes(), list) != coded.flat


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_whole_numbers_are_counted_as_they_would_be_sorted(dtype):
    limits, rng = np.iinfo(dtype), np.random.default_rng(0)
    near = np.full(60, limits.max, dtype=dtype) - rng.integers(0, 9, 60).astype(dtype)
    far = np.array([limits.min, limits.max] * 300, dtype=dtype)  # a distance beyond the type
    for y in (near, far, near[:1], rng.integers(limits.min, limits.max, 300, dtype=dtype)):
        classes, codes = targets.numbered(y)
        expected, places = np.unique(y, return_inverse=True)
        np.testing.assert_array_equal(classes, expected, strict=True)
        np.testing.assert_array_equal(codes, places, strict=True)


@pytest.mark.parametrize(("last", "counted"), [(3, True), (7, True), (8, False)])
def test_whole_numbers_are_sorted_only_where_they_are_far_apart(last, counted, monkeypatch):
    """Four of them: counts of at most eight places."""
    y, sorted_ = np.array([0, last, 1, 2]), []
    unique = np.unique
    monkeypatch.setattr(np, "unique", lambda *a, **k: sorted_.append(True) or unique(*a, **k))
    classes, codes = targets.numbered(y)
    np.testing.assert_array_equal(classes[codes], y)
    assert bool(sorted_) != counted


def test_codes_and_weights_are_in_the_form_that_kernels_take():
    for y in (ONE, np.asfortranarray(TWO)):
        coded = targets.encode("Model", y, 5)
        weight = targets.combined_weight("Model", np.arange(5), "balanced", coded)
        only = targets.combined_weight("Model", np.arange(5, dtype=np.float32), None, coded)
        for array, dtype in ((coded.codes, np.intp), (weight, np.float64), (only, np.float64)):
            assert array.dtype == dtype and array.flags.c_contiguous
            assert not array.flags.writeable


def test_y_is_checked():
    with pytest.raises(ValueError, match="Model.*inconsistent numbers of samples"):
        targets.encode("Model", ONE, 6)


@pytest.mark.parametrize("class_weight", [None, "balanced", {1: 3.0}, {0: 0.5, 1: 0.0}])
def test_class_weights_are_scikit_learns(class_weight):
    coded = targets.encode("Model", TWO[:, 0], 5)
    expected = compute_sample_weight(class_weight, TWO[:, 0])
    np.testing.assert_allclose(targets.class_factors("Model", class_weight, coded), expected)


@pytest.mark.parametrize("class_weight", ["balanced", [{0: 2.0, 1: 1.0}, {3: 1.0, 7: 5.0}]])
def test_class_weights_of_several_outputs_are_multiplied(class_weight):
    coded = targets.encode("Model", TWO, 5)
    expected = compute_sample_weight(class_weight, TWO)
    np.testing.assert_allclose(targets.class_factors("Model", class_weight, coded), expected)
    with pytest.raises(ValueError, match="Model.*number of elements in class_weight.*got 3 for 2"):
        targets.class_factors("Model", [{}, {}, {}], coded)


def test_a_list_of_class_weights_is_for_several_outputs():
    coded = targets.encode("Model", TWO[:, 0], 5)
    with pytest.raises(ValueError, match="'class_weight' parameter of Model"):
        targets.class_factors("Model", [{0: 2.0, 1: 1.0}], coded)


def test_balanced_counts_samples_by_their_weight_where_asked_to():
    coded, weight = targets.encode("Model", TWO[:, 0], 5), np.array([1.0, 2.0, 0.0, 4.0, 5.0])
    balanced = compute_class_weight(
        "balanced", classes=np.array([0, 1]), y=TWO[:, 0], sample_weight=weight
    )
    counted = targets.combined_weight("Model", weight, "balanced", coded, counted=True)
    np.testing.assert_allclose(counted, weight * balanced[TWO[:, 0]])
    plain = targets.combined_weight("Model", weight, "balanced", coded)
    np.testing.assert_allclose(plain, weight * compute_sample_weight("balanced", TWO[:, 0]))


def test_weights_that_cancel_are_refused():
    coded = targets.encode("Model", TWO[:, 0], 5)
    assert targets.combined_weight("Model", None, None, coded) is None
    with pytest.raises(ValueError, match="Model: the product of sample_weight and class_weight"):
        targets.combined_weight("Model", TWO[:, 0], {1: 0.0}, coded)


def test_labels():
    classes = np.array(["a", "b", "c"])
    scores = np.array([[1.0, 3.0, 2.0], [5.0, 5.0, 0.0], [0.0, 0.0, 0.0]])
    assert targets.label(classes, scores).tolist() == ["b", "a", "a"]
    assert targets.label(classes, np.array([-1.0, 0.0, 1e-300])).tolist() == ["a", "a", "b"]


@pytest.mark.parametrize("dtype, rtol", [(np.float64, 1e-12), (np.float32, 1e-5)])
def test_probabilities(dtype, rtol):
    """Logarithms of what is returned as probabilities; also of one that is rounded to zero.

    So near to 1 the logarithm is a rounded zero: scikit-learn's checks ask for that of the number.
    """
    eps = np.finfo(dtype).eps
    few = np.array([-800.0, -40.0, -1.0, 0.0, 3.0, 80.0], dtype=dtype)
    many = np.array([[1.0, 2.0, 3.0], [900.0, 0.0, -5.0], [-1e4, -1e4, -1e4]], dtype=dtype)
    expected = np.stack([log_expit(-few), log_expit(few)], axis=1), log_softmax(many, axis=1)
    for scores, log in zip((few, many), expected, strict=True):
        given = scores.copy()
        found, shares = targets.log_probabilities(scores), targets.probabilities(scores)
        np.testing.assert_array_equal(scores, given)
        assert found.dtype == shares.dtype == dtype
        np.testing.assert_allclose(found, log, rtol=rtol, atol=eps)
        kept = shares >= np.finfo(dtype).tiny
        np.testing.assert_array_equal(found[kept], np.log(shares[kept]))
        assert not kept.all() and np.isfinite(found).all()
        np.testing.assert_allclose(shares, np.exp(log), rtol=10 * rtol, atol=1e-30)
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=rtol)


def test_scores_beyond_range():
    """All minus infinity: nothing is known of the row. Infinite ones share it."""
    inf = np.inf
    scores = np.array([[-inf, -inf], [inf, 0.0], [inf, inf], [-inf, 3.0]])
    expected = [[0.5, 0.5], [1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(targets.probabilities(scores), expected)
        logs = targets.log_probabilities(scores)
    np.testing.assert_array_equal(np.exp(logs), expected)


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        LogisticRegressionCV(Cs=2, cv=2),
        LinearDiscriminantAnalysis(),
        QuadraticDiscriminantAnalysis(),
        GaussianNB(),
        NearestCentroid(),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_logarithms_and_probabilities_are_one_computation(model, n_classes):
    """In float32 a probability is rounded to 1 where its logarithm would be -2.8e-8."""
    rng = np.random.default_rng(0)
    y = np.arange(90) % n_classes
    X = (rng.normal(size=(90, 2)) + 4.0 * np.c_[y, -y]).astype(np.float32)
    fitted = copy.deepcopy(model).fit(X, y)
    Q = np.float32(1.5) * X
    shares, logs = fitted.predict_proba(Q), fitted.predict_log_proba(Q)
    kept = shares >= np.finfo(shares.dtype).tiny
    assert (shares == 1.0).any() and shares.dtype == logs.dtype
    np.testing.assert_array_equal(logs[kept], np.log(shares[kept]))


def test_logarithms_of_shares():
    shares = np.array([[0.0, 1.0], [0.5, 0.5]])
    expected = [[-np.inf, 0.0], [np.log(0.5)] * 2]
    np.testing.assert_array_equal(targets.logarithms(shares), expected)
    np.testing.assert_array_equal(targets.logarithms([shares, shares]), [expected, expected])


def test_classes_of_batches():
    """The first batch says which there are; later ones repeat them or stay within them."""

    class Model:
        pass

    model = Model()
    with pytest.raises(ValueError, match="Model: classes must be passed on the first call"):
        targets.batch_classes(model, None)
    classes, first = targets.batch_classes(model, ["b", "a", "b"])
    assert classes.tolist() == ["a", "b"] and first
    model.classes_ = classes
    for given in (None, ["a", "b"], ["b", "a"]):
        again, first = targets.batch_classes(model, given)
        assert again.tolist() == ["a", "b"] and not first
    with pytest.raises(ValueError, match="is not the same as on last call to partial_fit, was"):
        targets.batch_classes(model, ["a", "b", "c"])
    found = np.array(["b"])
    assert targets.batch_places(model, found, classes, "").tolist() == [1]
    with pytest.raises(ValueError, match=r"Model: \['b' 'c'\] has \['c'\] beyond \['a' 'b'\]"):
        complaint = "{found} has {missing} beyond {classes}"
        targets.batch_places(model, np.array(["b", "c"]), classes, complaint)
