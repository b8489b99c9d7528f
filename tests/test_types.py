"""Types of the public names: the stubs say what the docstrings say, and checkers agree."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
import stubs

ROOT = Path(__file__).resolve().parent.parent
RECIPES = ["tests/typing/recipes.py", "tests/typing/mistakes.py"]


def test_stubs_are_up_to_date():
    # In a process of its own: scikit-learn, once loaded, adds to the classes.
    command = [sys.executable, ".ci/stubs.py", "--check"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, f"run: make format\n{run.stdout}{run.stderr}"


def test_every_namespace_has_a_stub():
    made = {ROOT / "src/litlearn/_core/types.pyi", ROOT / "src/litlearn/__init__.pyi"}
    for module in (importlib.import_module("litlearn._core.base"), *stubs.public_namespaces()):
        made.add(Path(module.__file__).with_suffix(".pyi"))
    assert set((ROOT / "src").rglob("*.pyi")) == made


GIVEN = [
    ("int or None, default=None", None, "Int | None"),
    ('{"a"} or callable, default="a"', "a", 'Literal["a"] | Callable[..., Any]'),
    ("array-like of shape (n_samples,) or (n_samples, n_outputs)", ..., "Array"),
    ("float or array-like of shape (n_targets,), default=1.0", 1.0, "Float | Array"),
    ("{array-like, sparse matrix} of shape (n, p), default=None", None, "Array | Sparse | None"),
    ('int, default="deprecated"', "deprecated", 'Int | Literal["deprecated"]'),
    ('str, default="auto"', "auto", "str"),
]


@pytest.mark.parametrize(("kind", "default", "expected"), GIVEN)
def test_words_of_a_docstring_are_types(kind, default, expected):
    assert stubs.given(kind, default, "") == expected


def test_results_of_several_kinds():
    assert stubs.result("ndarray of shape (n_samples,), int64", "") == "NDArray[Any]"
    assert stubs.result("ndarray, or a list of them, one for each output", "") == (
        "NDArray[Any] | Any"
    )
    assert stubs.result("float or None", "") == "float | None"


def test_a_type_that_cannot_be_read_is_named():
    with pytest.raises(SystemExit, match="tree.Model, depth: cannot read 'fathoms'"):
        stubs.given("int or fathoms", ..., "tree.Model, depth")


def test_mypy_agrees(tmp_path):
    """With the recipes that work, and with the mistakes that it must find."""
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path), *RECIPES]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.match(r"Success: no issues found in 2 source files", run.stdout)


def test_pyright_agrees():
    """Where it is installed: its package fetches itself from the network when it first runs."""
    pytest.importorskip("pyright")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, RECIPES[0]]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
