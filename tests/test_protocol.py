"""The comparisons that the shared checks rest on notice every difference."""

import copy
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

from litlearn._core.base import BaseEstimator
from litlearn.neighbors import KNeighborsClassifier
from litlearn.tree import DecisionTreeClassifier
from protocol import METHODS, assert_same_fit, assert_same_value, data, use, with_parameters


class Model(BaseEstimator):
    def __init__(self, n_jobs=None):
        self.n_jobs = n_jobs


class Held:
    def __init__(self, value):
        self.value = value


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


PAIRS = [
    (1.0, np.nextafter(1.0, 2.0)),
    (0.0, -0.0),
    (1, 1.0),
    ("a", "b"),
    (None, 0),
    (np.arange(3), np.arange(3.0)),
    (np.arange(3.0), np.arange(3.0)[::-1]),
    (np.arange(3), np.arange(3)[:, None]),
    (np.array(["a", None], dtype=object), np.array(["a", "b"], dtype=object)),
    ({"a": [np.zeros(2)]}, {"a": [np.ones(2)]}),
    ({"a": 1}, {"b": 1}),
    ([1], [1, 2]),
    (Held(np.zeros(2)), Held(np.ones(2))),
    (Slotted(0), Slotted(1)),
    (scipy.sparse.csr_array(np.eye(2)), scipy.sparse.csr_array(np.ones((2, 2)))),
]


@pytest.mark.parametrize(("value", "another"), PAIRS)
def test_a_difference_in_any_learned_attribute_is_noticed(value, another):
    def model(value, n_jobs=None):
        made = Model(n_jobs)
        made._anything = value
        return made

    assert_same_fit(model(value, n_jobs=1), model(copy.deepcopy(value), n_jobs=2))
    with pytest.raises(AssertionError):
        assert_same_fit(model(value), model(another))
    with pytest.raises(AssertionError):
        assert_same_fit(Model(), Model())  # nothing was learned


def test_nan_is_the_same_as_itself():
    assert_same_value(float("nan"), float("nan"), "")
    assert_same_value(np.array([np.nan]), np.array([np.nan]), "")


@pytest.mark.nojit
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")  # of whole numbers, as plain Python
@pytest.mark.parametrize(
    "estimator", [DecisionTreeClassifier(random_state=0), KNeighborsClassifier(algorithm="kd_tree")]
)
def test_fits_to_other_data_differ(estimator):
    X, y = data(n=40)
    one, same = (copy.copy(estimator).fit(X, y) for _ in range(2))
    other = copy.copy(estimator).fit(X[::-1] + 0.01, y[::-1])
    assert_same_fit(one, same)
    with pytest.raises(AssertionError):
        assert_same_fit(one, other)


def test_every_method_that_takes_samples_is_used():
    called = []

    class Everything(Model):
        def __getattr__(self, name):
            if name not in (*METHODS, "inverse_transform"):
                raise AttributeError(name)
            return lambda X: called.append((name, X.shape)) or X[:, :1]

    use(Everything(), np.zeros((4, 3)))
    assert dict(called) == {**dict.fromkeys(METHODS, (4, 3)), "inverse_transform": (4, 1)}
    assert {"transform", "score_samples"} <= set(METHODS)


# -- tests that are not made, and tests that are skipped --


def test_a_parameter_is_tried_where_it_is():
    tree, neighbours = DecisionTreeClassifier(), KNeighborsClassifier()
    rows = with_parameters([tree, neighbours], [("max_depth", 0), ("n_neighbors", 0)])
    assert rows == [(tree, "max_depth", 0), (neighbours, "n_neighbors", 0)]
    with pytest.raises(AssertionError, match="no estimator has {'max_dept'}"):
        with_parameters([tree, neighbours], [("max_dept", 0), ("n_neighbors", 0)])


SKIPS = """
import pytest

@pytest.mark.skipif(True, reason="this system has no fork")
def test_machine(): ...

def test_package():
    pytest.importorskip("no_such_package")

@pytest.mark.xfail(strict=True)
def test_known():
    assert False

@pytest.mark.parametrize("depth", [])
def test_nothing(depth): ...

def test_lacks():
    pytest.skip("PCA has no parameter alpha")
"""


def test_only_the_machine_is_a_reason_to_skip(tmp_path):
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]")
    (tmp_path / "test_one.py").write_text(SKIPS)
    (tmp_path / "test_two.py").write_text("import pytest; pytest.skip('', allow_module_level=True)")
    options = ["-q", "-p", "no:nbval", "-p", "no:cacheprovider", "-p", "no:xdist", "-rA"]
    command = [sys.executable, "-m", "pytest", "--continue-on-collection-errors", *options]
    run = subprocess.run([*command, tmp_path], cwd=tmp_path, capture_output=True, text=True)
    told = {line.split(" - ")[0] for line in run.stdout.splitlines()}
    assert {line for line in told if line.startswith(("FAILED", "ERROR"))} == {
        "ERROR test_two.py",
        "ERROR test_one.py::test_nothing[NOTSET]",
        "FAILED test_one.py::test_lacks",
    }
    assert re.search("1 failed, 2 skipped, 1 xfailed, 2 errors", run.stdout)
    assert "PCA has no parameter alpha' is not about the machine" in run.stdout
