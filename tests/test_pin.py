"""The program that names fits whose bits changed sees one bit, in whatever holds it."""

from collections import namedtuple

import numpy as np
import pin
import pytest
import scipy.sparse

from litlearn.linear_model import LogisticRegression, Ridge

Pair = namedtuple("Pair", "left right")


class Holder:
    """An object with an attribute."""

    def __init__(self, array):
        self.array = array


WRAPPED = {
    "array": lambda x: x,
    "list": lambda x: [1, x],
    "tuple": lambda x: Pair("a", x),
    "dict": lambda x: {"a": x},
    "objects": lambda x: np.array([x, None], dtype=object),
    "sparse": scipy.sparse.csr_array,
    "object": Holder,
}


@pytest.mark.parametrize("wrap", WRAPPED.values(), ids=WRAPPED)
def test_one_bit_changes_the_hash(wrap):
    x = np.linspace(0.1, 1.0, 6).reshape(2, 3)
    y = x.copy()
    y[1, 2] = np.nextafter(y[1, 2], 2.0)
    assert pin.digest(wrap(x)) == pin.digest(wrap(x.copy()))
    assert pin.digest(wrap(x)) != pin.digest(wrap(y))
    assert pin.digest(wrap(x)) != pin.digest(wrap(x.astype(np.float32)))


def test_a_fit_is_hashed_with_answers_and_warnings():
    variant = ("C", "float64", True, 3, 1, False, 90)
    found = pin.fit(LogisticRegression, {}, variant)
    assert {"coef_", "intercept_", "classes_", "predict", "predict_proba", "warnings"} <= set(found)
    assert found == pin.fit(LogisticRegression, {}, variant)
    stopped = pin.fit(LogisticRegression, {"max_iter": 1}, variant)
    assert {name for name in found if found[name] != stopped[name]} >= {"coef_", "warnings"}


def test_a_variant_that_an_estimator_does_not_have():
    assert pin.fit(Ridge, {}, ("C", "float64", False, 2, 2, False, 90)) is None  # no n_jobs


def test_what_differs_is_named():
    small, large = (("F", "float32", True, 3, 2, False, n) for n in (90, 3000))
    before = {
        ("svm.SVC", "", small): {"coef_": "1", "predict": "2"},
        ("svm.SVC", "", large): {"coef_": "1", "predict": "2"},
        ("svm.SVR", "", small): {"coef_": "1"},
    }
    assert pin.compare(before, before) == []
    after = {key: dict(found) for key, found in before.items() if key[0] == "svm.SVC"}
    after["svm.SVC", "", large]["coef_"] = "3"
    assert pin.compare(before, after) == [
        "svm.SVR : only before",
        "svm.SVC ",
        "    coef_: 1 fits, first F float32, 3 classes, n = 3000, n_jobs = 2, weights",
    ]


def test_the_cases_reach_beyond_the_warm_up():
    names = {name for _, name, _ in pin.all_cases()}
    assert names >= {"SVC", "MultiTaskLasso", "OneVsRestClassifier"}
