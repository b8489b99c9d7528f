"""Change the source in one place, run the tests of that file, and print the changes that pass.

    make mutants                                         # 10 changes of each file
    make mutants MUTANTS="src/litlearn/_core/targets.py"      # every change of one file
    make mutants MUTANTS="src/litlearn/_core/targets.py:40"   # every change of one line
    make mutants MUTANTS="--sample 20 src/litlearn/tree"
    make mutants MUTANTS="-k twin src/litlearn/_core/targets.py"    # judged by some of the tests

Each change (a constant, a comparison, a sign, an operator) is made in a process forked after the
tests were collected, in the functions that are there already: nothing is imported or collected
again. The tests run once as the source is, and it is noted which test calls which function and how
long it takes. A change is then judged by the tests that call the changed function, the quickest
first, up to the first that fails. Changes of compiled functions, and of the constants beside them,
are judged as plain Python by the tests marked ``nojit``; all others by every test that ends within
`PATIENCE` seconds, with compiled functions. A test that starts a process of its own sees the source
as it is. A change that passes is a gap in the tests, or changes nothing that can be seen.
"""

import argparse
import ast
import collections
import functools
import importlib
import itertools
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
import types
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "litlearn"
LEFT_OUT = {"plotting", "listing.py", "datasets.py", "__init__.py", "_warm_up.py"}
# Arguments that decide when work is done, or where a warning points to: not what comes out.
UNSEEN = {"work", "stacklevel", "strict", "verbose"}
PATIENCE = 20  # seconds of processor time that a test may take

COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}


# --- changes ---------------------------------------------------------------------------------


def places(tree):
    """The nodes that can be changed, in the order of the source; not messages, not types."""
    found, todo = [], [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom)):
            continue
        if isinstance(node, ast.keyword) and node.arg in UNSEEN:
            continue
        if change(node, dry=True):
            found.append(node)
        skipped = ("annotation", "returns", "decorator_list", "ctx")
        for name, value in reversed(list(ast.iter_fields(node))):
            children = value if isinstance(value, list) else [value]
            if name not in skipped:
                todo += [child for child in reversed(children) if isinstance(child, ast.AST)]
    return found


def change(node, dry=False):
    """Change a node in place; tell whether there is a change for it."""
    if isinstance(node, ast.Constant) and type(node.value) in (bool, int, float):
        value = node.value
        if isinstance(value, bool):
            new = not value
        elif isinstance(value, int):
            new = value + 1
        else:
            new = 2.0 * value if value else 1.0
        node.value = value if dry else new
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        node.ops[0] = node.ops[0] if dry else COMPARISONS[type(node.ops[0])]()
    elif isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in OPERATORS:
        node.op = node.op if dry else OPERATORS[type(node.op)]()
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        node.op = node.op if dry else other
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        plain = ast.UAdd() if isinstance(node.op, ast.USub) else ast.UnaryOp
        if plain is ast.UnaryOp:  # "not x" becomes "not not x"
            node.operand = node.operand if dry else ast.UnaryOp(ast.Not(), node.operand)
        else:
            node.op = node.op if dry else plain
    else:
        return False
    return True


def changed(source, number):
    """The tree with its change of that number, and a line that says what it is."""
    tree = ast.parse(source)
    node = places(tree)[number]
    before = ast.unparse(node)
    change(node)
    ast.fix_missing_locations(tree)
    return tree, f"{node.lineno}: {before}  ->  {ast.unparse(node)}"


def install(module, tree):
    """Put the code of the changed source into the functions of the module that others hold."""
    fresh = dict(vars(module))
    exec(compile(tree, module.__file__, "exec"), fresh)
    for name, new in fresh.items():
        old = vars(module).get(name)
        if getattr(new, "__module__", None) == module.__name__ and isinstance(new, type):
            for attribute, value in vars(new).items():
                exchange(vars(old).get(attribute), value)
                if isinstance(value, (bool, int, float)) and not attribute.startswith("__"):
                    setattr(old, attribute, value)
        elif isinstance(old, dict):
            for key, value in new.items():
                if not exchange(old.get(key), value) and not callable(value):
                    old[key] = value
        elif not exchange(old, new) and isinstance(new, (bool, int, float, tuple)) and old != new:
            for other in list(sys.modules.values()):
                if getattr(other, "__dict__", {}).get(name) is old:
                    setattr(other, name, new)


def exchange(old, new):
    """Give a function the code of another; tell whether they are functions."""
    if isinstance(new, property):
        return all([exchange(old.fget, new.fget), not new.fset or exchange(old.fset, new.fset)])
    old, new = (getattr(f, "__func__", f) for f in (old, new))
    while hasattr(new, "__wrapped__"):
        old, new = old.__wrapped__, new.__wrapped__
    if not (isinstance(old, types.FunctionType) and isinstance(new, types.FunctionType)):
        return False
    parts = "__code__", "__defaults__", "__kwdefaults__"
    for part in parts if old is not new else ():
        if getattr(old, part) != getattr(new, part):
            setattr(old, part, getattr(new, part))
    return True


# --- tests -----------------------------------------------------------------------------------


@functools.cache
def imported(test):
    """The modules that a test imports from; a public name stands for the file that has it."""
    found = set()
    for node in ast.walk(ast.parse(test.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("litlearn"):
            homes = getattr(importlib.import_module(node.module), "_HOMES", {})
            names = [homes.get(one.name, one.name) for one in node.names]
            found |= {node.module, *(f"{node.module}.{name}" for name in names)}
    return found


def tests_of(path):
    """The tests of a file: those of its folder that have its name or import it, or else all.

    Where there is a protocol, it judges every file of the folder.
    """
    own = path.relative_to(PACKAGE)
    module = ".".join(("litlearn", *own.with_suffix("").parts))
    folder = ROOT / "tests" / own.parent.as_posix().strip("_")
    every = [test for test in sorted(folder.glob("test_*.py")) if "_book_" not in test.stem]
    protocol = {test for test in every if own.parent.name and test.stem == "test_protocol"}
    name = f"test_{own.stem.strip('_')}"
    found = {test for test in every if test.stem == name or module in imported(test)} - protocol
    return tuple(sorted((found or {*every}) | protocol))


def around(tree, node):
    """The innermost function around a node, and its first line, decorators included; None, 0."""
    found, first = None, 0
    for one in ast.walk(tree):
        if isinstance(one, ast.FunctionDef):
            begin = min([one.lineno, *(d.lineno for d in one.decorator_list)])
            if begin <= node.lineno <= one.end_lineno and begin > first:
                found, first = one, begin
    return found, first


def owner(tree, node):
    """First line, decorators included, of the innermost function around a node; 0 outside."""
    return around(tree, node)[1]


def is_compiled(source, number):
    """Whether a change is seen by compiled functions of its file only where they are not."""
    tree = ast.parse(source)
    function, _ = around(tree, places(tree)[number])
    decorators = function.decorator_list if function else []
    return any("njit" in ast.unparse(d) for d in decorators) if function else "@njit" in source


class Judge:
    """A plugin of pytest: after collection, runs the tests once for each change of some files.

    files: dict, for each path the numbers of its changes.
    """

    def __init__(self, files, patience):
        self.files, self.patience, self.survivors = files, patience, None

    def pytest_runtestloop(self, session):
        session.config.pluginmanager.unregister(name="terminalreporter")
        with tempfile.NamedTemporaryFile("r", suffix=".json") as file:
            if not self.passes(self.observe, session, file.name):
                return True
            known, failed = json.load(file)
        for name in failed:
            print(f"  fails on the source as it is, and is left out: {name}", flush=True)
        self.survivors = {}
        for path, numbers in self.files.items():
            parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
            module, source = importlib.import_module(".".join(parts)), path.read_text("utf-8")
            tree, self.survivors[path] = ast.parse(source), 0
            nodes = places(tree)
            for number in numbers:
                here = f"{path}:{owner(tree, nodes[number])}"
                tests = {
                    name: seconds
                    for name, (seconds, called) in known.items()
                    if here.endswith(":0") or here in called
                }
                items = [item for item in session.items if item.nodeid in tests]
                items.sort(key=lambda item: tests[item.nodeid])
                new, line = changed(source, number)
                if self.passes(self.judge, session, items, tests, module, new):
                    self.survivors[path] += 1
                    uncalled = "" if items else "  (in no function that a test calls)"
                    print(f"  survives  {path.relative_to(ROOT)}:{line}{uncalled}", flush=True)
            print(
                f"{path.relative_to(ROOT)}: {self.survivors[path]} of {len(numbers)} survive",
                flush=True,
            )
        return True

    def passes(self, function, *arguments):
        """Whether a child that runs a function ends well."""
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            try:
                nothing = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nothing, 1)
                os.dup2(nothing, 2)
                os._exit(0 if function(*arguments) else 1)
            except BaseException:
                os._exit(2)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

    def observe(self, session, name):
        """In a child: run all tests, and write down what each one calls and how long it takes."""
        codes, seen = {}, set()

        def call(frame, event, _):
            code = frame.f_code
            seen.add(id(code))
            codes.setdefault(id(code), code)

        def too_slow(*_):
            raise TimeoutError

        signal.signal(signal.SIGPROF, too_slow)
        reports, known, failed = Reports(), {}, []
        session.config.pluginmanager.register(reports)
        for item, following in itertools.zip_longest(session.items, session.items[1:]):
            seen.clear()
            threading.settrace(call)
            sys.settrace(call)
            started = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, PATIENCE)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            signal.setitimer(signal.ITIMER_PROF, 0)
            seconds = time.process_time() - started
            sys.settrace(None)
            called = {(codes[i].co_filename, codes[i].co_firstlineno) for i in seen}
            if not reports.failed:
                known[item.nodeid] = seconds, [f"{path}:{line}" for path, line in called]
            elif seconds < PATIENCE:
                failed.append(item.nodeid)
            reports.failed = False
        Path(name).write_text(json.dumps([known, failed]))
        return True

    def judge(self, session, items, tests, module, tree):
        """In a child: whether tests pass with a change. The system ends one that takes too long."""
        install(module, tree)
        session.testsfailed = 0
        for item, following in itertools.zip_longest(items, items[1:]):
            limit = 2.0 + self.patience * tests[item.nodeid]
            signal.setitimer(signal.ITIMER_PROF, limit)  # of processor time
            signal.alarm(int(60 + 60 * limit))  # of time, for one that waits for ever
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                return False
        return True


def without_old_values(make):
    """Return ``np.empty`` as one whose array never holds the answer of an earlier computation."""

    def filled(*arguments, **options):
        array = make(*arguments, **options)
        if array.dtype.kind in "fiu":
            integer = array.dtype.kind != "f"
            array.fill(np.iinfo(array.dtype).max // 2 if integer else np.nan)
        return array

    return filled


class Reports:
    """A plugin of pytest: whether a test failed."""

    failed = False

    def pytest_runtest_logreport(self, report):
        self.failed |= report.failed


def examine(tests, compiled, files, given):
    """Judge changes of files by their tests; return the number of survivors of each, or None."""
    os.environ["NUMBA_DISABLE_JIT"] = str(int(compiled))
    if compiled and "NUMBA_CACHE_DIR" in os.environ:
        os.environ["NUMBA_CACHE_DIR"] += "-nojit"
    if compiled:
        np.empty = without_old_values(np.empty)
    import pytest

    names = ", ".join(str(path.relative_to(ROOT)) for path in tests)
    print(f"{names}{', as plain Python' if compiled else ''}:", flush=True)
    judge = Judge(files, given.patience)
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:nbval", "-p", "no:xdist"]
    only = ["-m", "nojit" if compiled else "not browser", "-k", given.k]
    arguments = [*map(str, tests), "--import-mode", "importlib", "-o", "addopts=", *options, *only]
    pytest.main(arguments, plugins=[judge])
    return judge.survivors


def chosen(path, line, sample, seed):
    """Numbers of the changes of a file that are to be judged."""
    nodes = places(ast.parse(path.read_text("utf-8")))
    numbers = [number for number, node in enumerate(nodes) if line in (None, node.lineno)]
    if sample and sample < len(numbers):
        numbers = sorted(random.Random(seed).sample(numbers, sample))
    return numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", default=[str(PACKAGE)], help="files, lines, folders")
    parser.add_argument("--sample", type=int, default=None, help="changes of each file; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--patience", type=float, default=5.0, help="times a test may take")
    parser.add_argument("-k", default="", help="only tests that pytest chooses by this expression")
    given = parser.parse_args()
    sys.path.insert(0, str(ROOT / "tests"))
    files = []
    for name in given.paths:
        name, _, line = name.partition(":")
        path = Path(name).resolve()
        found = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        found = [one for one in found if LEFT_OUT.isdisjoint(one.relative_to(PACKAGE).parts)]
        files += [(one, int(line) if line else None) for one in found]
    sample = given.sample if given.sample is not None else 0 if len(files) == 1 else 10
    groups = collections.defaultdict(dict)
    for path, line in files:
        source = path.read_text("utf-8")
        for number in chosen(path, line, sample, given.seed):
            groups[tests_of(path), is_compiled(source, number)].setdefault(path, []).append(number)
    for (tests, compiled), group in groups.items():
        # A process for each group: what its tests leave in memory is not there for the next.
        child = os.fork()
        if child == 0:
            if examine(tests, compiled, group, given) is None:
                print("  the tests do not run", flush=True)
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
