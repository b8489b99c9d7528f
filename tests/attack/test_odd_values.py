"""Odd values for every parameter of every estimator: they work, or the message names the parameter.

Each value is set, and the estimator fitted and used. What comes out is an answer, or a
``ValueError`` or ``TypeError`` whose text names the estimator and the parameter. Nothing else: no
``OverflowError``, no words of NumPy's or LAPACK's, no warning but the package's own, no NaN without
a word. Afterwards the same object, with its parameter as before, answers as a new one does.
"""

import contextvars
import datetime
import decimal
import fractions
import importlib
import signal
import threading
import warnings

import numpy as np
import pandas as pd
import pytest

import litlearn
from litlearn import exceptions
from litlearn._core.base import ClassifierMixin, RegressorMixin
from litlearn.linear_model import Ridge
from litlearn.naive_bayes import GaussianNB
from protocol import METHODS, as_array

rng = np.random.default_rng(0)
X = rng.normal(size=(24, 3))
LABELS = np.tile([0, 1], 12)
SECONDS = 30.0  # what fits at once takes milliseconds, unless it compiles first
SHARE = 5  # of so many values a short run tries one: another one for the next parameter

# One maker for each value, as some are used up. An array of one entry stands where a number or a
# switch is expected; large integers and the ends of the floats where arithmetic may overflow.
VALUES = {
    "10**25": lambda: 10**25,
    "-10**25": lambda: -(10**25),
    "10**400": lambda: 10**400,
    "2**63": lambda: 2**63,
    "2**31": lambda: 2**31,
    "1e300": lambda: 1e300,
    "-1e300": lambda: -1e300,
    "1e-300": lambda: 1e-300,
    "5e-324": lambda: 5e-324,
    "nan": lambda: np.nan,
    "inf": lambda: np.inf,
    "-inf": lambda: -np.inf,
    "0": lambda: 0,
    "-1": lambda: -1,
    "1": lambda: 1,
    "3": lambda: 3,
    "0.0": lambda: 0.0,
    "0.5": lambda: 0.5,
    "1.0": lambda: 1.0,
    "1.5": lambda: 1.5,
    "-0.5": lambda: -0.5,
    "True": lambda: True,
    "False": lambda: False,
    "np.True_": lambda: np.True_,
    "None": lambda: None,
    "'x'": lambda: "x",
    "''": lambda: "",
    "np.str_": lambda: np.str_("x"),
    "b'x'": lambda: b"x",
    "object": object,
    "class": lambda: _Anything,
    "function": lambda: lambda *arguments, **named: 1.0,
    "returns nothing": lambda: lambda *arguments, **named: None,
    "module": lambda: np,
    "...": lambda: ...,
    "complex": lambda: 1j,
    "decimal": lambda: decimal.Decimal("0.5"),
    "fraction": lambda: fractions.Fraction(1, 2),
    "large fraction": lambda: fractions.Fraction(10**400, 3),
    "date": lambda: datetime.date(2026, 1, 1),
    "float32": lambda: np.float32(0.5),
    "int8": lambda: np.int8(2),
    "uint64": lambda: np.uint64(2**64 - 1),
    "longdouble": lambda: np.longdouble("1e4000"),
    "datetime64": lambda: np.datetime64("2026-01-01"),
    "[]": list,
    "{}": dict,
    "()": tuple,
    "set()": set,
    "[1]": lambda: [1],
    "[True]": lambda: [True],
    "[None]": lambda: [None],
    "['x']": lambda: ["x"],
    "[0.5, 1]": lambda: [0.5, 1.0],
    "[1, 'x']": lambda: [1, "x"],
    "[-1, nan]": lambda: [-1.0, np.nan],
    "[10**400]": lambda: [10**400],
    "[1j]": lambda: [1j],
    "[[1, 2], [3]]": lambda: [[1, 2], [3]],
    "[[[1.0]]]": lambda: [[[1.0]]],
    "itself": lambda: _holds_itself(),
    "{'x': 1}": lambda: {"x": 1},
    "{0: 'x'}": lambda: {0: "x"},
    "{0: 1e300}": lambda: {0: 1e300},
    "{0: 10**400}": lambda: {0: 10**400},
    "generator": lambda: (i for i in range(3)),
    "range": lambda: range(3),
    "array 0d": lambda: np.array(1.0),
    "array 0d bool": lambda: np.array(True),
    "array 0d str": lambda: np.array("x"),
    "array (0,)": lambda: np.empty(0),
    "array (1,)": lambda: np.ones(1),
    "array (1,) bool": lambda: np.ones(1, bool),
    "array (1,) int": lambda: np.ones(1, int),
    "array (1,) str": lambda: np.array(["x"]),
    "array (2,)": lambda: np.array([0.5, 2.0]),
    "array (3,) nan": lambda: np.full(3, np.nan),
    "array (3,) 1e300": lambda: np.full(3, 1e300),
    "array (24,) bool": lambda: LABELS.astype(bool),
    "array (1, 1)": lambda: np.ones((1, 1)),
    "array (2, 3)": lambda: np.ones((2, 3)),
    "array (3, 3)": lambda: np.eye(3),
    "array (2, 3, 3)": lambda: np.ones((2, 3, 3)),
    "array of objects": lambda: np.array([None, object()]),
    "array of dates": lambda: np.array(["2026-01-01"], "M8[D]"),
    "structured": lambda: np.zeros(2, [("a", float)]),
    "matrix": lambda: np.ma.masked_array([1.0], [True]),
    "Series": lambda: pd.Series([0.5]),
    "Series bool": lambda: pd.Series([True]),
    "DataFrame": lambda: pd.DataFrame({"x": [1.0]}),
    "NA": lambda: pd.NA,
    "NaT": lambda: pd.NaT,
    "no truth": lambda: _NoTruth(),
    "no repr": lambda: _NoRepr(),
}


def _holds_itself():
    inside = []
    inside.append(inside)
    return inside


class _Anything:
    """Made of anything, and good for nothing."""

    def __init__(self, *arguments, **named):
        pass


class _NoTruth:
    """Cannot be compared, and is neither true nor false."""

    def __bool__(self):
        raise ValueError("neither true nor false")

    def __eq__(self, other):
        raise ValueError("not comparable")

    __hash__ = None


class _NoRepr:
    def __repr__(self):
        raise RuntimeError("has no representation")


OWN_WARNINGS = tuple(
    kind
    for kind in vars(exceptions).values()
    if isinstance(kind, type) and issubclass(kind, Warning)
)
# Beside them advice and deprecation; another kind, such as RuntimeWarning, must name the parameter.
ALLOWED = (*OWN_WARNINGS, UserWarning, FutureWarning)
# What fits quickly, and what an estimator cannot do without.
SETTINGS = {
    "LogisticRegressionCV": {"Cs": 2, "cv": 2},
    "KernelPCA": {"n_components": 2},
    "Nystroem": {"n_components": 5},
    "ElasticNetCV": {"alphas": 5, "cv": 2},
    "LassoCV": {"alphas": 5, "cv": 2},
    "KMeans": {"n_clusters": 2},
    "MiniBatchKMeans": {"n_clusters": 2},
    "RadiusNeighborsClassifier": {"radius": 10.0},
    "RadiusNeighborsRegressor": {"radius": 10.0},
}
# Values under which another parameter is read at all.
READ_WITH = {
    ("l1_ratio", "SGDClassifier"): {"penalty": "elasticnet"},
    ("l1_ratio", "SGDRegressor"): {"penalty": "elasticnet"},
    ("degree", "*"): {"kernel": "poly"},
    ("coef0", "*"): {"kernel": "poly"},
    ("gamma", "*"): {"kernel": "rbf"},
    ("p", "*"): {"metric": "minkowski"},
    ("shrinkage", "LinearDiscriminantAnalysis"): {"solver": "eigen"},
    ("shrinkage", "QuadraticDiscriminantAnalysis"): {"solver": "eigen"},
    ("max_samples", "*"): {"bootstrap": True},
    ("oob_score", "*"): {"bootstrap": True},
    ("leaf_size", "*"): {"algorithm": "kd_tree"},
    ("n_iter_no_change", "*"): {"early_stopping": True},
    ("validation_fraction", "*"): {"early_stopping": True},
    ("eta0", "*"): {"learning_rate": "constant"},
    ("power_t", "*"): {"learning_rate": "invscaling", "eta0": 0.1},
    ("iterated_power", "*"): {"svd_solver": "randomized"},
    ("n_oversamples", "*"): {"svd_solver": "randomized"},
    ("power_iteration_normalizer", "*"): {"svd_solver": "randomized"},
    ("precisions_init", "*"): {"n_components": 2},
    ("weights_init", "*"): {"n_components": 2},
    ("means_init", "*"): {"n_components": 2},
    ("alpha", "KernelPCA"): {"fit_inverse_transform": True},
}


def public_estimators():
    for space in litlearn._NAMESPACES:
        module = importlib.import_module(f"litlearn.{space}")
        for name in getattr(module, "__all__", ()):
            if isinstance(getattr(module, name), type) and hasattr(getattr(module, name), "fit"):
                yield space, name


ESTIMATORS = sorted(set(public_estimators()))


def made(kind, parameter):
    """An estimator with settings under which a parameter is read."""
    known = kind._get_param_names()
    options = dict(SETTINGS.get(kind.__name__, {}))
    if "n_estimators" in known:
        options["n_estimators"] = 2
    if "kernel" in known and "max_iter" in known:  # a machine: a tiny tol takes ten million steps
        options["max_iter"] = 10_000
    for key in ((parameter, "*"), (parameter, kind.__name__)):
        options |= {
            name: value
            for name, value in READ_WITH.get(key, {}).items()
            if name in known and name != parameter
        }
    if "random_state" in known:
        options["random_state"] = 0
    if "estimator" in known:
        options["estimator"] = Ridge() if issubclass(kind, RegressorMixin) else GaussianNB()
    return kind(**options)


def targets(kind):
    if kind.__name__.startswith("MultiTask"):
        return X[:, :2] + 1.0
    return LABELS if issubclass(kind, ClassifierMixin) else X[:, 0] + 2.0


class _TooLong(BaseException):
    pass


def _limited(call):
    """Call, for a limited time where the system can limit it."""
    main = threading.current_thread() is threading.main_thread()
    if not hasattr(signal, "setitimer") or not main:
        return call()

    def stop(signum, frame):
        raise _TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        return contextvars.copy_context().run(call)  # whose errstate of NumPy the alarm may leave
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def used(model, y):
    model.fit(X, y)
    return {
        name: getattr(model, name)(X[:4])
        for name in METHODS
        if name not in ("fit_predict", "fit_transform") and hasattr(model, name)
    }


def complaint(model, parameter, y):
    """What is wrong with what comes out, or nothing."""
    who = type(model).__name__
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = _limited(lambda: used(model, y))
        except (ValueError, TypeError) as error:
            text = str(error)
            # What a user's own function returns is judged where its estimator is not known.
            ours = who in text or callable(getattr(model, parameter))
            named = ours and parameter in text
            return None if named else f"{type(error).__name__} names no parameter: {text[:150]}"
        except _TooLong:
            return f"not done in {SECONDS:.0f} s"
        except Exception as error:
            return f"{type(error).__name__}: {str(error)[:150]}"
    for one in caught:
        if not issubclass(one.category, ALLOWED) and parameter not in str(one.message):
            return f"warns, {one.category.__name__}: {str(one.message)[:150]}"
    if not caught:
        for method, answer in found.items():
            if any(part.dtype.kind == "f" and np.isnan(part).any() for part in parts(answer)):
                return f"{method} is NaN, and nothing is said"
    return None


def answers(model, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return used(model, y)


def parts(answer):
    """The arrays of an answer, which may be a tuple."""
    return [as_array(one) for one in (answer if isinstance(answer, tuple) else (answer,))]


@pytest.mark.weekly(keep=20)
@pytest.mark.parametrize(("space", "name"), ESTIMATORS)
def test_no_value_leaves_the_parameter_unnamed(space, name, attempts, tally):
    kind = getattr(importlib.import_module(f"litlearn.{space}"), name)
    y, broken, keep = targets(kind), [], attempts(SHARE, 1)
    for position, parameter in enumerate(kind._get_param_names()):
        model = made(kind, parameter)
        good = getattr(model, parameter)
        expected = answers(made(kind, parameter), y)  # compiles, before times are limited
        for i, (value, maker) in enumerate(VALUES.items()):
            if (i + position) % keep:
                continue
            model.set_params(**{parameter: maker()})
            wrong = complaint(model, parameter, y)
            tally(f"odd values: {space}", wrong is None)
            if wrong:
                broken.append(f"{name}({parameter}={value}): {wrong}")
        model.set_params(**{parameter: good})
        found = answers(model, y)
        for method, answer in expected.items():
            for one, other in zip(parts(found[method]), parts(answer), strict=True):
                np.testing.assert_array_equal(one, other, strict=True)
    assert not broken, "\n".join(["", *broken])


def test_as_many_values_as_were_tried_before():
    modules = {space: importlib.import_module(f"litlearn.{space}") for space, _ in ESTIMATORS}
    names = [getattr(modules[space], name)._get_param_names() for space, name in ESTIMATORS]
    assert len(VALUES) * sum(map(len, names)) > 7769
