"""Errors and warnings, under the names that scikit-learn gives them.

A user of scikit-learn writes ``except sklearn.exceptions.NotFittedError``. When scikit-learn is
loaded, an instance made here is also an instance of scikit-learn's class of the same name, so that
such a clause catches it. scikit-learn is never imported for that purpose.
"""

import functools
import importlib
import sys

__all__ = [
    "ConvergenceWarning",
    "DataConversionWarning",
    "InconsistentVersionWarning",
    "InvalidParameterError",
    "NotFittedError",
    "UndefinedMetricWarning",
]


class _Shared(Exception):
    """Base of the classes whose instances belong to scikit-learn's class as well."""

    _counterpart = "sklearn.exceptions"  # the module of the class with the same name

    def __new__(cls, *args):
        return super().__new__(_joined_with_counterpart(cls), *args)

    def __init__(self, *args):
        Exception.__init__(self, *args)

    def __reduce__(self):
        # The joined class has no importable name. Its parent here has, and decides anew, in the
        # process that reads the pickle, whether scikit-learn is there.
        return _class_of_this_module(type(self)), self.args


def _class_of_this_module(cls):
    return next(base for base in cls.__mro__ if globals().get(base.__name__) is base)


def _joined_with_counterpart(cls):
    """Return `cls`, or a subclass of it and of scikit-learn's namesake if that one is loaded."""
    own = _class_of_this_module(cls)
    theirs = getattr(sys.modules.get(own._counterpart), own.__name__, None)
    if theirs is None or issubclass(cls, theirs):
        return cls
    return _join(cls, theirs)


@functools.cache
def _join(cls, theirs):
    return type(cls.__name__, (cls, theirs), {"__module__": cls.__module__, "__doc__": cls.__doc__})


class NotFittedError(_Shared, ValueError, AttributeError):
    """An estimator is used before it was fitted.

    Examples
    --------
    >>> from litlearn.exceptions import NotFittedError
    >>> from litlearn.tree import DecisionTreeClassifier
    >>> try:
    ...     DecisionTreeClassifier().predict([[61]])
    ... except NotFittedError:
    ...     print("call fit first")
    call fit first
    """


class InvalidParameterError(_Shared, ValueError, TypeError):
    """A parameter of an estimator or function has a value or type that it cannot have.

    Examples
    --------
    >>> from litlearn.exceptions import InvalidParameterError
    >>> from litlearn.tree import DecisionTreeClassifier
    >>> try:
    ...     DecisionTreeClassifier(max_depth=0).fit([[61], [80]], ["well", "ill"])
    ... except InvalidParameterError as error:
    ...     print("max_depth" in str(error))
    True
    """

    _counterpart = "sklearn.utils._param_validation"


class ConvergenceWarning(_Shared, UserWarning):
    """A solver stopped before its certificate of convergence was met.

    Examples
    --------
    >>> import warnings
    >>> from litlearn.cluster import KMeans
    >>> from litlearn.exceptions import ConvergenceWarning
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = KMeans(2, random_state=0).fit([[61], [61], [61]])  # one place for two centres
    >>> [issubclass(one.category, ConvergenceWarning) for one in caught]
    [True]
    """


class DataConversionWarning(_Shared, UserWarning):
    """The data are used in another shape or type than the one in which they came.

    Examples
    --------
    >>> import warnings
    >>> from litlearn.exceptions import DataConversionWarning
    >>> from litlearn.neighbors import KNeighborsClassifier
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = KNeighborsClassifier(1).fit([[61], [80]], [["well"], ["ill"]])  # a column
    >>> [issubclass(one.category, DataConversionWarning) for one in caught]
    [True]
    """


class UndefinedMetricWarning(_Shared, UserWarning):
    """A score is not defined for the data that it was asked about.

    Examples
    --------
    >>> import warnings
    >>> from litlearn.exceptions import UndefinedMetricWarning
    >>> from litlearn.neighbors import KNeighborsRegressor
    >>> model = KNeighborsRegressor(1).fit([[61], [80]], [0.0, 1.0])
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", UndefinedMetricWarning)
    ...     print(model.score([[61]], [0.0]))  # of one sample
    nan
    """


class InconsistentVersionWarning(UserWarning):
    """An estimator is read from a pickle that another version of litlearn wrote.

    Parameters
    ----------
    estimator_name, original_litlearn_version, current_litlearn_version : str
        Which estimator, which version wrote it, and which one reads it. They are attributes, too.

    Examples
    --------
    >>> import warnings
    >>> from litlearn.exceptions import InconsistentVersionWarning
    >>> from litlearn.tree import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier()
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model.__setstate__({"_litlearn_version": "0.0.1"})  # as an old pickle does
    >>> [one.message.original_litlearn_version for one in caught]
    ['0.0.1']
    """

    def __init__(self, estimator_name, original_litlearn_version, current_litlearn_version):
        super().__init__(estimator_name, original_litlearn_version, current_litlearn_version)
        self.estimator_name = estimator_name
        self.original_litlearn_version = original_litlearn_version
        self.current_litlearn_version = current_litlearn_version

    def __str__(self):
        return (
            f"{self.estimator_name} was pickled by litlearn {self.original_litlearn_version} and "
            f"is read by litlearn {self.current_litlearn_version}. Results may differ: fit the "
            "estimator again."
        )


def __getattr__(name):
    """Say whether scikit-learn has a name. This file imports none of ours: all others import it."""
    guide = importlib.import_module(f"{__package__}._core.guide")
    raise guide.absent(__name__, name, sys._getframe(1))
