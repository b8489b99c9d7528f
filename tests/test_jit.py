"""The decorator of compiled functions: flags, cache on disk, and what must not go stale."""

import ast
import importlib
import os
import pathlib
import subprocess
import sys

import numba
import pytest

import litlearn
from litlearn._jit import kernel_files, njit, source_stamp

PACKAGE = pathlib.Path(litlearn.__file__).parent
needs_compiler = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="NUMBA_DISABLE_JIT=1: nothing is compiled"
)

KERNELS = """
import sys
import numpy as np
sys.path.insert(0, {folder!r})
from helpers import add
from litlearn._jit import njit

@njit
def total(x):
    s = 0.0
    for i in range(x.size):
        s = add(s, x[i])
    return s

for name in sys.argv[1:]:
    print(total(np.ones(5, dtype=name)), sum(total.stats.cache_hits.values()))
"""


def run(code, *arguments, cache, **environment):
    """Run code in a process of its own with a cache folder of its own; return what it prints."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), **environment}
    done = subprocess.run(
        [sys.executable, *code, *arguments], env=environment, capture_output=True, text=True,
        timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture
def script(tmp_path):
    """A file with a compiled function that calls a helper of another file."""
    helpers = tmp_path / "helpers.py"
    helpers.write_text(
        "from litlearn._jit import njit\n\n\n@njit\ndef add(a, b):\n    return a + b\n"
    )
    path = tmp_path / "kernels.py"
    path.write_text(KERNELS.format(folder=str(tmp_path)))
    return path


@needs_compiler
def test_the_cache_holds_across_processes(script, tmp_path):
    first = run([str(script)], "float64", cache=tmp_path / "cache")
    second = run([str(script)], "float64", cache=tmp_path / "cache")
    assert first == ["5.0", "0"]
    assert second == ["5.0", "1"]


@needs_compiler
def test_two_processes_that_compile_at_once_lose_nothing(script, tmp_path):
    # Many short races: each pair of processes saves different signatures of the same function.
    for attempt in range(3):
        cache = tmp_path / f"cache{attempt}"
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
        racers = [
            subprocess.Popen(
                [sys.executable, str(script), name], env=environment, stdout=subprocess.PIPE
            )
            for name in ("float32", "float64", "int64")
        ]
        for racer in racers:
            assert racer.communicate(timeout=300)[0].split() == [b"5.0", b"0"]
            assert racer.returncode == 0
        found = run([str(script)], "float32", "float64", "int64", cache=cache)
        assert found == ["5.0", "1", "5.0", "2", "5.0", "3"]


@needs_compiler
def test_entries_carry_the_state_of_the_package(tmp_path):
    copy = tmp_path / "site" / "litlearn"
    for path in PACKAGE.rglob("*.py"):
        target = copy / path.relative_to(PACKAGE)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    code = (
        "import numpy as np; from litlearn.neighbors import _selection as s;"
        "a, b = np.array([2.0, 1.0]), np.array([0, 1]); s.sort_pairs(a, b);"
        "print(sum(s.sort_pairs.stats.cache_hits.values()), a[0])"
    )
    environment = {"PYTHONPATH": str(tmp_path / "site")}
    results = []
    # An upgrade that changes only a file of helpers, within the same second and size.
    for old, new in ((None, None), (None, None), ("return 1e-150", "return 1e-140")):
        if old:
            metrics = copy / "neighbors" / "_metrics.py"
            stat = metrics.stat()
            text = metrics.read_text()
            assert old in text
            metrics.write_text(text.replace(old, new))
            os.utime(metrics, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        results.append(run(["-c", code], cache=tmp_path / "cache", **environment))
    assert results == [["0", "1.0"], ["1", "1.0"], ["0", "1.0"]]


@needs_compiler
def test_flags():
    options = njit(lambda x: x).targetoptions
    assert options["nogil"]
    assert options["error_model"] == "numpy"
    assert not options.get("fastmath")
    assert njit(inline=True)(lambda x: x).targetoptions["forceinline"]


@needs_compiler
def test_where_nothing_is_writable_functions_compile_without_a_cache(monkeypatch):
    def refuse(self, function):
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr("litlearn._jit._LockedCache.__init__", refuse)
    assert njit(lambda x: x + 1)(1) == 2


def test_the_stamp_covers_every_file_with_a_compiled_function():
    holding = {path for path in PACKAGE.rglob("*.py") if "@njit" in path.read_text()}
    assert holding == set(kernel_files())
    assert len(source_stamp()) == 12


def test_kernels_read_no_constant_from_a_file_that_the_stamp_leaves_out():
    stamped = {
        path.relative_to(PACKAGE.parent).with_suffix("").as_posix() for path in kernel_files()
    }
    for path in kernel_files():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("litlearn"):
                module = importlib.import_module(node.module)
                constants = [
                    alias.name
                    for alias in node.names
                    if isinstance(getattr(module, alias.name, None), (int, float, tuple))
                ]
                where = node.module.replace(".", "/")
                assert not constants or where in stamped, f"{path.name} reads {constants}"
