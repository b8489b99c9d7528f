"""What parameters may be: each constraint by what it takes, what it refuses, and how it says so."""

import numpy as np
import pytest

from litlearn._core import constraints as c
from litlearn._core import validation
from litlearn._core.base import BaseEstimator
from litlearn.exceptions import InvalidParameterError


def refused(constraint, value, message):
    with pytest.raises(InvalidParameterError, match=message) as caught:
        constraint.check("Model", "k", value)
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, TypeError)
    assert str(caught.value).startswith("The 'k' parameter of Model must be ")


def test_integers():
    assert c.COUNT.check("Model", "k", np.int32(3)) == 3
    for value in (0, -1, 2.0, "2", None, True, np.True_, [1], np.array(1)):
        refused(c.COUNT, value, r"an int in the range \[1, inf\)\. Got")
    assert c.Integer("[1, 9]").read(9) == 9
    refused(c.Integer("[1, 9]"), 10, r"\[1, 9\]\. Got 10 instead")


def test_large_integers_are_limits_that_are_never_reached():
    assert c.COUNT.read(10**25) == 2**31 - 1
    assert c.ANY_INTEGER.read(-(10**400)) == -(2**31 - 1)
    refused(c.REPEATS, 2**31, r"\[1, 2147483647\]")
    assert c.TIMES.read(0) == 0


def test_reals():
    found = c.NOT_NEGATIVE.check("Model", "k", 1)
    assert found == 1.0 and type(found) is float
    for value in (-1.0, np.nan, np.inf, "1", None, False, 1j, 10**400):
        refused(c.NOT_NEGATIVE, value, r"a float in the range \[0\.0, inf\)\. Got")
    refused(c.POSITIVE, 0, r"range \(0\.0, inf\)")
    assert c.Real("(0.0, inf]").read(np.inf) == c.Real("(0.0, inf]").read(10**400) == np.inf
    assert c.ANY_REAL.read(-1e300) == -1e300
    refused(c.ANY_REAL, -np.inf, r"range \(-inf, inf\)")
    assert c.SHARE.read(1) == 1.0
    refused(c.SHARE, np.nextafter(1.0, 2.0), r"\[0\.0, 1\.0\]")


def test_a_float_that_stands_beside_an_integer_is_none():
    either = c.Integer("[2, inf)") | c.Float("(0.0, 1.0]")
    assert either.read(2) == 2 and either.read(1.0) == 1.0 and either.read(np.float32(0.5)) == 0.5
    for value in (1, 0.0, 1.5, True):
        refused(either, value, r"an int in the range \[2, inf\) or a float in the range \(0\.0, 1")


def test_options():
    kind = c.Option("a", "b") | c.CALLABLE | None
    assert [kind.read(value) for value in ("a", len, None)] == ["a", len, None]
    for value in ("c", 1, ["a"], np.array(["a"])):
        refused(kind, value, r"a str among \{'a', 'b'\}, a callable or None\. Got")
    assert kind.kinds == ['Literal["a"]', 'Literal["b"]', "Callable[..., Any]", "None"]


def test_a_union_may_be_joined_again():
    kind = (c.COUNT | None) | (c.BOOLEAN | c.DICT)
    assert kind.words == "an int in the range [1, inf), None, a bool: True or False or a dict"
    assert kind.read({}) == {} and kind.read(np.True_) is True


def test_kinds():
    class Fitted:
        def fit(self):
            pass

    one = Fitted()
    assert c.Has("fit").read(one) is one and c.ARRAY.read([1]) == [1] and c.TEXT.read("x") == "x"
    refused(c.Has("fit"), Fitted, "an object, not a class, that has the method fit")
    refused(c.Has("fit"), None, "that has the method fit")
    for value in (1.0, np.array(1.0), [[1, 2], [3]]):
        refused(c.ARRAY, value, "an array-like")
    assert c.ANYTHING.read(one) is one


def test_n_jobs():
    assert [c.N_JOBS.read(n) for n in (None, 1, -1, 4)] == [None, 1, -1, 4]
    for value in (0, 1.5, "2", True):
        refused(c.N_JOBS, value, r"a positive int, a negative int \(-1: all CPUs\) or None")


def test_random_state():
    assert c.RANDOM_STATE.read(None) is np.random.mtrand._rand
    assert c.RANDOM_STATE.read(np.random) is np.random.mtrand._rand
    for state in (np.random.default_rng(0), np.random.RandomState(0)):
        assert c.RANDOM_STATE.read(state) is state
    first, second = (c.RANDOM_STATE.read(5).random() for _ in range(2))
    assert first == second == np.random.RandomState(5).random()
    assert c.RandomState(seed=True).read(np.int64(5)) == 5
    for value in (-1, 2**32, 1.5, "0", True, np.random.RandomState):
        refused(c.RANDOM_STATE, value, r"an int in the range \[0, 2\*\*32\), a RandomState")


class Base(BaseEstimator):
    _constraints = c.Table(k=c.COUNT, kind=c.Option("a"))


class Model(Base):
    _constraints = c.Table(kind=c.Option("a", "b"))

    def __init__(self, kind="b", tol=1, k=10**20):
        self._set_as_given(locals())


class Fewer(Model):
    def __init__(self, k=1):
        self._set_as_given(locals())


def test_tables_of_the_bases_and_common_parameters_hold():
    found = validation.check_parameters(Model())
    assert vars(found) == {"kind": "b", "tol": 1.0, "k": 2**31 - 1}
    assert vars(validation.check_parameters(Fewer())) == {"k": 1}
    for parameters, message in (
        ({"k": 0}, "'k' parameter of Model"),
        ({"tol": -1.0}, "'tol' parameter of Model"),
        ({"kind": "c"}, r"'kind' parameter of Model must be a str among \{'a', 'b'\}"),
    ):
        with pytest.raises(InvalidParameterError, match=message):
            validation.check_parameters(Model(**parameters))


def test_what_has_no_representation_is_told_by_its_type():
    refused(c.COUNT, -(10**5000), "Got an object of type int instead")
    refused(c.DICT, "x" * 300, r"x\.\.\. instead")
