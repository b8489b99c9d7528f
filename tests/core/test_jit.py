"""The decorator of compiled functions: flags, cache on disk, and what must not go stale."""

import io
import logging
import os
import pathlib
import shutil
import subprocess
import sys
import time

import numba
import numpy as np
import pytest
from numba.core import caching, codegen, dispatcher, event

import litlearn
from litlearn import _warm_up
from litlearn._core import cache, jit
from litlearn._core.jit import njit

PACKAGE = pathlib.Path(litlearn.__file__).parent
needs_compiler = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="NUMBA_DISABLE_JIT=1: nothing is compiled"
)

KERNELS = """
import sys
import numpy as np
sys.path.insert(0, {folder!r})
from helpers import add
from litlearn._core.jit import njit

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
        "from litlearn._core.jit import njit\n\n\n@njit\ndef add(a, b):\n    return a + b\n"
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


@pytest.mark.weekly
@needs_compiler
def test_two_processes_that_compile_at_once_lose_nothing(script, tmp_path):
    # Short races: in each, three processes save different signatures of the same function.
    for attempt in range(2):
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
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        "import numpy as np; from litlearn._core import selection as s;"
        "a, b = np.array([2.0, 1.0]), np.array([0, 1]); s.sort_pairs(a, b);"
        "print(sum(s.sort_pairs.stats.cache_hits.values()), a[0])"
    )
    environment = {"PYTHONPATH": str(tmp_path / "site"), "PYTHONDONTWRITEBYTECODE": "1"}
    results = [run(["-c", code], cache=tmp_path / "cache", **environment) for _ in range(2)]
    # An upgrade that changes only a file of helpers, within the same second and size.
    metrics = copy / "neighbors" / "_metrics.py"
    stat, text = metrics.stat(), metrics.read_text()
    assert "return 1e-150" in text
    metrics.write_text(text.replace("return 1e-150", "return 1e-140"))
    os.utime(metrics, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    results.append(run(["-c", code], cache=tmp_path / "cache", **environment))
    assert results == [["0", "1.0"], ["1", "1.0"], ["0", "1.0"]]


def test_the_stamp_changes_with_every_file_and_setting(tmp_path, monkeypatch):
    """Also with files of constants, which kernels of other files read."""
    copy = tmp_path / "litlearn"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(jit, "__file__", str(copy / "_core" / "jit.py"))
    stamps, files = [jit.source_stamp.__wrapped__()], sorted(copy.rglob("*.py"))
    assert stamps[0] == jit.source_stamp() and copy / "tree" / "_ranks.py" in files
    for path in files:
        text = path.read_bytes()
        path.write_bytes(text + b"#")
        stamps.append(jit.source_stamp.__wrapped__())
        path.write_bytes(text)
    files[0].rename(files[0].with_name("renamed.py"))
    stamps.append(jit.source_stamp.__wrapped__())
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1 - bool(numba.config.BOUNDSCHECK))
    stamps.append(jit.source_stamp.__wrapped__())
    assert len(set(stamps)) == len(files) + 3


@needs_compiler
def test_flags():
    options = njit(lambda x: x).targetoptions
    assert options["nogil"]
    assert options["error_model"] == "numpy"
    assert not options.get("fastmath")
    assert njit(inline=True)(lambda x: x).targetoptions["forceinline"]


@needs_compiler
@pytest.mark.parametrize("kind", ["helper", "part", "inline"])
def test_python_may_call_a_helper(kind):
    """Callers that are compiled share the form without an entry; Python never meets it."""
    add = njit(lambda x, y: x + y, **{kind: True})
    twice = njit(lambda x: add(x, x))
    assert twice(3) == 6 and add(1, 2) == 3 and add(1.5, y=2) == 3.5 and twice(2.5) == 5.0
    assert len(add.overloads) == 2


@needs_compiler
def test_what_a_constant_argument_rules_out_is_not_translated():
    @njit(part=True)
    def part(kind, x):
        if kind == 0:
            return x + 1.0
        return x.shape  # no number has one

    @njit(inline=True)
    def hand_on(kind, x):
        return part(kind, x)

    assert njit(lambda x: hand_on(0, x))(1.5) == 2.5
    with pytest.raises(numba.TypingError, match="shape"):
        njit(lambda x: hand_on(1, x))(1.5)


@needs_compiler
def test_a_part_stays_a_function_and_an_inlined_one_does_not():
    @njit(part=True)
    def called(x):
        return x + 1.0

    @njit(inline=True)
    def copied(x):
        return called(x) * 2.0

    kernel = njit(lambda x: copied(x))
    assert kernel(1.0) == 4.0
    calls = [
        line for line in next(iter(kernel.inspect_llvm().values())).splitlines() if " call " in line
    ]
    assert any("called" in line for line in calls)
    assert not any("copied" in line for line in calls)


@needs_compiler
@pytest.mark.parametrize("gone", ["_optimize_final_module", "JITCodeLibrary"])
def test_where_numba_has_changed_parts_are_compiled_its_own_way(monkeypatch, gone):
    with monkeypatch.context() as patch:
        owner = codegen if gone == "JITCodeLibrary" else codegen.CPUCodeLibrary
        patch.delattr(owner, gone)
        patch.setattr(jit, "_part_compiler", jit._part_compiler.__wrapped__)
        assert jit._part_compiler() is None
        add = njit(lambda x, y: x + y, part=True)
    assert njit(lambda x: add(x, x))(3) == 6 and add(1, 2) == 3


@needs_compiler
@pytest.mark.parametrize("meaning", ["kept", "changed", "error"])
def test_a_canary_tells_whether_parts_are_what_they_should_be(monkeypatch, meaning):
    monkeypatch.setattr(jit, "_canary", [])
    if meaning == "changed":
        monkeypatch.setattr(jit, "_canary_part", lambda x, power: x * power)
    elif meaning == "error":
        monkeypatch.setattr(jit, "_canary_part", lambda x, power: x.no_such_attribute)
    assert jit._parts_work() == (meaning == "kept")
    part = njit(lambda x, power: x if power == 1 else x * x, part=True)
    kernel = njit(lambda x: part(x, 2) - part(x, 1))
    assert kernel(3.0) == 6.0  # in either way


@needs_compiler
def test_a_setting_asks_for_the_way_of_numba(monkeypatch):
    monkeypatch.setenv("LITLEARN_PARTS", "none")
    assert jit._part_compiler.__wrapped__() is None


@pytest.mark.weekly
@needs_compiler
def test_a_first_tree_waits_for_what_it_needs_and_no_more(tmp_path):
    """Each function is compiled once; few have machine code of their own, and are kept."""
    code = """
import collections
import numpy as np
from numba.core import event
from litlearn import tree
seen = collections.Counter()
class Count(event.Listener):
    def on_start(self, event):
        function = event.data["dispatcher"].py_func
        if function.__module__.startswith("litlearn"):
            seen[function.__name__] += 1
    def on_end(self, event): pass
event.register("numba:compile", Count())
X = np.random.default_rng(1).normal(size=(60, 4))
tree.DecisionTreeClassifier().fit(X, X[:, 0] > 0).predict(X)
print(max(seen.values()), len(seen), *sorted(seen))
"""
    # Of a package of its own, since entries beside the source are found, too.
    own = tmp_path / "src" / "litlearn"
    shutil.copytree(PACKAGE, own, ignore=shutil.ignore_patterns("__py*"))
    path = {"PYTHONPATH": str(own.parent)}
    most, count, *names = run(["-c", code], cache=tmp_path / "cache", **path)
    assert most == "1" and 20 < int(count) <= 66, names
    others = {"describe_numbers", "describe_medians", "draw_threshold", "sides_of_values", "walk"}
    assert not others & set(names)
    kept = {path.name.split(".")[1].split("-")[0] for path in tmp_path.rglob("*.nbc")}
    assert kept >= {"split_by_classes", "find_leaves"} and len(kept) <= 6


# Where Numba has changed


@needs_compiler
@pytest.mark.parametrize(
    "change",
    ["FunctionCache", "_locator_classes", "reduce", "rebuild", "check_cachable", "arguments"],
)
def test_where_numba_has_changed_its_own_cache_is_used(tmp_path, monkeypatch, change):
    own, stamp = caching.FunctionCache, jit.source_stamp()
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    with monkeypatch.context() as patch:
        if change == "FunctionCache":
            patch.delattr(caching, change)
        elif change == "_locator_classes":
            patch.delattr(caching.CacheImpl, change)
        elif change == "arguments":
            patch.setattr(own, "__init__", lambda self, function, target: None)
        else:
            owners = [
                kind for kind in caching.CompileResultCacheImpl.__mro__ if change in vars(kind)
            ]
            for owner in owners:
                patch.delattr(owner, change)
        patch.setattr(litlearn._core, "cache", cache)  # is imported anew, and put back
        patch.delitem(sys.modules, "litlearn._core.cache")
        enabled = []
        patch.setattr(dispatcher.Dispatcher, "enable_caching", lambda self: enabled.append(self))
        function = njit(lambda x: x + 1)
    assert enabled == [function]
    function.enable_caching()
    assert function(1) == 2 and type(function._cache) is own
    (entry,) = tmp_path.rglob("*.nbc")
    assert stamp not in entry.name


@pytest.mark.parametrize("name", ["Listener", "register"])
def test_where_numba_tells_nothing_nothing_is_heard(monkeypatch, name):
    monkeypatch.delattr(event, name)
    jit._listen()


# What a user who waits is told


class Terminal(io.StringIO):
    def isatty(self):
        return True


def compile_slowly(monkeypatch, patience):
    """Compile two functions that seem to belong to the package; return whether a line was said."""
    notice = jit._Notice()
    monkeypatch.setattr(jit, "PATIENCE", patience)

    class Listener(event.Listener):
        def on_start(self, one):
            notice.on_start(one)
            time.sleep(0.2)

        def on_end(self, one):
            notice.on_end(one)

    with event.install_listener("numba:compile", Listener()):
        for number in range(2):
            numba.njit(lambda x, number=number: x + number)(1)
    return notice.said


@needs_compiler
@pytest.mark.parametrize("stream, lines", [(Terminal, 1), (io.StringIO, 0)])
def test_one_line_in_a_terminal_says_that_compilation_takes_long(monkeypatch, stream, lines):
    monkeypatch.setattr(sys, "stderr", stream())
    assert compile_slowly(monkeypatch, patience=0.05)
    assert sys.stderr.getvalue().count("once per machine (see litlearn.warm_up; ") == lines


@needs_compiler
def test_a_log_hears_of_it_instead(monkeypatch, caplog):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with caplog.at_level(logging.INFO, "litlearn"):
        assert compile_slowly(monkeypatch, patience=0.05)
    assert len(caplog.records) == 1 and "compiling" in caplog.text
    assert not sys.stderr.getvalue()


@needs_compiler
def test_short_compilations_add_up(monkeypatch):
    """Each takes at least 0.2 s here, which is less than the patience; both together are more."""
    monkeypatch.setattr(sys, "stderr", None)  # as under pythonw
    assert compile_slowly(monkeypatch, patience=0.3)
    assert not compile_slowly(monkeypatch, patience=60)


@needs_compiler
def test_the_package_hears_of_its_own_functions_only(tmp_path):
    code = """
import litlearn._core.jit as jit
jit.PATIENCE, said = 0.0, []
jit._Notice.say = lambda self, name: said.append(name)
import numba, time
numba.njit(lambda x: x + 1)(1)
time.sleep(0.1)
print(len(said))
function = jit.njit(lambda x: x + 1)
function.py_func.__module__ = "litlearn.some"
function(1)
time.sleep(0.1)
print(*said)
"""
    assert run(["-c", code], cache=tmp_path) == ["0", "litlearn.some"]


@needs_compiler
def test_functions_of_no_module_are_compiled_as_ever():
    """Such as those that the user makes with `exec`: other people's functions are heard of, too."""
    names = {}
    exec("def add(x):\n    return x + 1", names)
    names["add"].__module__ = None
    assert numba.njit(names["add"])(1) == 2


# Compiling ahead of time


@needs_compiler
def test_warm_up_leaves_nothing_to_compile(tmp_path):
    warm = """
import litlearn, litlearn._warm_up as table
table.CASES = [case for case in table.CASES if case[1] == "KNeighborsClassifier"]
table.EXTRAS = {}
litlearn.warm_up("neighbors", dtypes=["float32"], verbose=False)
"""
    use = """
import numpy as np
from numba.core import event
from litlearn.neighbors import KNeighborsClassifier
class Count(event.Listener):
    def on_start(self, event): print(event.data["dispatcher"])
    def on_end(self, event): pass
event.register("numba:compile", Count())
X = np.random.default_rng(1).normal(size=(300, 7)).astype("float32")
KNeighborsClassifier().fit(X, X[:, 0] > 0).predict(X)
"""
    cache = os.environ.get("NUMBA_CACHE_DIR", tmp_path)  # what is there need not be made again
    assert run(["-c", warm], cache=cache) == []
    assert run(["-c", use], cache=cache) == []


def test_warm_up_fits_what_is_asked_for_and_no_more(monkeypatch, capsys):
    fitted = []
    monkeypatch.setattr(_warm_up, "use", lambda one, X, y: fitted.append((type(one), X.dtype)))
    monkeypatch.setattr(_warm_up, "EXTRAS", {"neighbors": lambda dtype: fitted.append(dtype)})
    litlearn.warm_up("tree", dtypes=["float32"], verbose=False)
    assert {kind.__module__.split(".")[1] for kind, _ in fitted} == {"tree"}
    assert {dtype.name for _, dtype in fitted} == {"float32"}
    assert capsys.readouterr() == ("", "")
    fitted.clear()
    litlearn.warm_up()
    n_steps = 2 * len(_warm_up.CASES) + 2
    assert len(fitted) == n_steps
    said, bar = capsys.readouterr()
    assert said.startswith(f"litlearn.warm_up: {n_steps} steps, about ") and len(said) < 120
    assert 2 < int(said.split("about ")[1].split(" min ")[0]) < 60
    assert f"{n_steps}/{n_steps}" in bar and "done" in bar
    with pytest.raises(ValueError, match="'namespaces' parameter of warm_up.*'trees'"):
        litlearn.warm_up("trees")
    with pytest.raises(ValueError, match="'dtypes' parameter of warm_up.*float16"):
        litlearn.warm_up("tree", dtypes=["float16"])


@njit
def larger(a, b):
    """What a step without a branch is made of."""
    return b + (jit.opaque(-np.int64(a > b)) & (a - b))


def test_an_integer_without_a_history_is_the_same_integer():
    for a, b in ((1, 2), (2, 1), (-(2**62), 2**61), (7, 7)):
        assert larger(np.int64(a), np.int64(b)) == max(a, b)


@needs_compiler
def test_llvm_does_not_see_through_it():
    """Else a choice is a branch again, where LLVM thinks that one costs less."""
    larger(np.int64(1), np.int64(2))
    (code,) = larger.inspect_llvm().values()
    assert "asm sideeffect" in code
