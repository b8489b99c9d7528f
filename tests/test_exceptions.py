"""Errors and warnings, which are scikit-learn's, too."""

import pickle
import sys
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.utils.validation import check_is_fitted

from doubler import Constant, run
from litlearn import exceptions

SHARED = [
    "ConvergenceWarning",
    "DataConversionWarning",
    "InvalidParameterError",
    "NotFittedError",
    "UndefinedMetricWarning",
]


@pytest.mark.parametrize("name", SHARED)
def test_exceptions_belong_to_both_packages(name):
    cls = getattr(exceptions, name)
    theirs = getattr(sys.modules[cls._counterpart], name)
    error = cls("a message")
    assert isinstance(error, cls) and isinstance(error, theirs)
    assert str(error) == "a message" and type(error).__name__ == name
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error) and copy.args == error.args


def test_exceptions_without_scikit_learn():
    code = """
import pickle, sys
from litlearn import exceptions
for name in sys.argv[1:]:
    error = getattr(exceptions, name)("a message")
    assert type(error) is getattr(exceptions, name), type(error).__mro__
    assert pickle.loads(pickle.dumps(error)).args == ("a message",)
assert "sklearn" not in sys.modules
error = exceptions.NotFittedError("early")
import sklearn.exceptions
late = exceptions.NotFittedError("late")
assert isinstance(late, sklearn.exceptions.NotFittedError)
assert isinstance(pickle.loads(pickle.dumps(error)), sklearn.exceptions.NotFittedError)
print(pickle.dumps(late).hex())
"""
    pickled = bytes.fromhex(run(code, *SHARED).strip())
    assert isinstance(pickle.loads(pickled), exceptions.NotFittedError)
    code = "import pickle, sys; e = pickle.loads(bytes.fromhex(sys.argv[1])); print(type(e), e)"
    assert run(code, pickled.hex()) == "<class 'litlearn.exceptions.NotFittedError'> late\n"


def test_a_filter_of_scikit_learn_catches_our_warning():
    from litlearn._core import validation

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", category=sklearn.exceptions.ConvergenceWarning)
        validation.warn(exceptions.ConvergenceWarning("not yet"))


def test_not_fitted_is_seen_by_scikit_learn():
    with pytest.raises(sklearn.exceptions.NotFittedError):
        check_is_fitted(Constant())
    check_is_fitted(Constant().fit(np.zeros((2, 1)), [0, 1]))
