"""Every estimator on small data of every kind: it works, or says why not, and never writes astray.

Runs where indices are checked: on a few examples, the same in each run, or on as many new ones as
``FUZZ`` says (``make fuzz``). What comes out is an answer, a ``ValueError`` or ``TypeError``, or a
warning of the package's own; and it is finite wherever scikit-learn's answer to the same data is.
"""

import importlib
import os
import warnings

import numba
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import litlearn.exceptions
from hostile import CHOICES
from litlearn import _warm_up
from protocol import METHODS, as_array

EXAMPLES = int(os.environ.get("FUZZ", 3 if numba.config.BOUNDSCHECK else 0))
pytestmark = [
    pytest.mark.nojit,
    pytest.mark.skipif(not EXAMPLES, reason="runs where indices are checked: NUMBA_BOUNDSCHECK=1"),
]

ESTIMATORS = sorted({(module, name) for module, name, _ in _warm_up.CASES})
OWN_WARNINGS = tuple(
    kind
    for kind in vars(litlearn.exceptions).values()
    if isinstance(kind, type) and issubclass(kind, Warning)
)
WEIGHTS = (0.0, 1e-9, 1e-7, 0.1, 1.0, 2.0, 1e4, 1e7)
# These take products in float64 where those leave the range of float32.
SUITED = ("ElasticNet", "ElasticNetCV", "Lasso", "LassoCV")
CRITERIA = {
    True: ("gini", "entropy", "log_loss"),
    False: ("squared_error", "absolute_error", "friedman_mse", "poisson"),
}


@st.composite
def tables(draw, n, p, dtype, largest=12):
    """Samples with ties, constant and equal columns, of any scale, in any order in memory.

    In float32 their size is at most 10 to the power `largest`.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    X = (
        rng.normal(size=(n, p))
        if draw(st.booleans())
        else rng.integers(-2, 3, (n, p)).astype(float)
    )
    near, far = (12, largest) if dtype == np.float32 else (120, 120)
    X *= 10.0 ** rng.integers(-draw(st.integers(0, near)), draw(st.integers(1, far)), p)
    X += draw(st.sampled_from((0.0, 0.0, 1.0, 1e6)))
    X[:, rng.integers(0, p)] *= draw(st.sampled_from((1.0, 0.0)))
    X[rng.integers(0, n)] = X[0]
    form = draw(st.sampled_from("CFS"))
    if form == "S":
        wide = np.zeros((2 * n, 2 * p), dtype)
        wide[::2, ::2] = X
        return wide[::2, ::2]
    return np.array(X, dtype=dtype, order=form)


@st.composite
def problems(draw, kind):
    """Samples, targets, weights or None, queries, and parameters."""
    n, p = draw(st.integers(1, 24)), draw(st.integers(1, 7))
    dtype = draw(st.sampled_from((np.float64, np.float32)))
    largest = 36 if kind.__name__ in SUITED else 12
    X = draw(tables(n, p, dtype, largest))
    queries = draw(tables(draw(st.integers(1, 12)), p, dtype, largest))
    is_classifier = hasattr(kind, "predict_proba") or "Classifier" in kind.__name__
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    if is_classifier:
        y = rng.integers(0, draw(st.integers(1, 4)), n)
    else:
        y = np.round(rng.normal(size=n), draw(st.integers(0, 3)))
        # Coefficients are of the type of X, and must have room for targets.
        far = 10 if dtype == np.float32 else 100
        y *= 10.0 ** draw(st.integers(-far, far))
    weight = draw(st.one_of(st.none(), st.lists(st.sampled_from(WEIGHTS), min_size=n, max_size=n)))
    known = kind().get_params()
    choices = {**CHOICES, "criterion": CRITERIA[is_classifier]}
    params = {
        name: draw(st.sampled_from(choices[name])) for name in sorted(known) if name in choices
    }
    return X, y, weight, queries, params


def answers(model, X, y, weight, queries):
    """Fit, and ask everything; or the error that says why not."""
    options = {} if weight is None else {"sample_weight": np.array(weight)}
    try:
        model.fit(X, y, **options)
        return {
            method: getattr(model, method)(queries) for method in METHODS if hasattr(model, method)
        }
    except (ValueError, TypeError) as error:
        return error


def all_finite(found):
    parts = found if isinstance(found, (list, tuple)) else [found]
    return all(np.all(np.isfinite(as_array(part))) for part in parts if part.dtype.kind == "f")


def check(kind, theirs, problem):
    X, y, weight, queries, params = problem
    before = X.copy(), y.copy()
    if weight is not None and "n_neighbors" in params:
        weight = None  # neighbours take none
    with warnings.catch_warnings():
        # As plain Python, kernels hear of each division by zero, and whole numbers of overflow.
        warnings.simplefilter("ignore" if numba.config.DISABLE_JIT else "error")
        for own in OWN_WARNINGS:
            warnings.simplefilter("ignore", own)
        # An answer beyond the range of its type is infinite or none, judged below. One that has
        # nobody to rely on says so.
        warnings.filterwarnings("ignore", "(overflow|invalid value) encountered in matmul")
        warnings.filterwarnings("ignore", ".*have no neighbors within specified radius")
        warnings.filterwarnings("ignore", "The least populated class in y has only")
        warnings.filterwarnings("ignore", ".*has at least 1 zero standard deviation")
        warnings.filterwarnings("ignore", 'Value `"friedman_mse"` for `criterion` is deprecated')
        found = answers(kind(**params), X, y, weight, queries)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])
    if isinstance(found, Exception):
        # A LinAlgError is a ValueError, too; those of NumPy and SciPy name nothing.
        named = kind.__name__ in str(found)
        assert named or not isinstance(found, np.linalg.LinAlgError), repr(found)
        assert named or "X" in str(found) or "y" in str(found), repr(found)
        return
    if all(all_finite(answer) for answer in found.values()):
        return
    given = {name: value for name, value in params.items() if name in theirs().get_params()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = answers(theirs(**given), X, y, weight, queries)
    if isinstance(expected, Exception):
        return
    for method, answer in found.items():
        if method in expected and all_finite(expected[method]):
            assert all_finite(answer), method


@pytest.mark.parametrize(("module", "name"), ESTIMATORS)
def test_every_estimator_copes(module, name):
    kind = getattr(importlib.import_module(f"litlearn.{module}"), name)
    theirs = getattr(importlib.import_module(f"sklearn.{module}"), name)

    @settings(
        max_examples=EXAMPLES,
        derandomize="FUZZ" not in os.environ,
        suppress_health_check=list(HealthCheck),
    )
    @given(problem=problems(kind))
    def run(problem):
        check(kind, theirs, problem)

    run()
