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
LEFT_OUT = {"plotting.py", "listing.py", "datasets.py", "__init__.py", "_warm_up.py"}
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


# Files whose tests are named otherwise, or of which another file tests more.
LOGISTIC = "linear_model/test_logistic.py"
LASSO = "linear_model/test_lasso.py"
PROXIMAL = "linear_model/test_proximal_newton.py"
RIDGE = "linear_model/test_ridge.py"
CHOICE = "linear_model/test_classifier_choice.py"
ELSEWHERE = {
    "kernels/_gram.py": [
        "test_kernel_ridge.py",
        "kernels/test_functions.py",
        "test_kernel_protocol.py",
    ],
    "_core/html.py": ["core/test_base.py"],
    "_core/linear.py": [RIDGE, "linear_model/test_protocol.py"],
    "_core/normal.py": [
        "test_naive_bayes.py",
        "test_discriminant_analysis.py",
        "core/test_normal.py",
    ],
    "_core/selection.py": ["core/test_distances.py"],
    "_core/to_sklearn.py": ["tree/test_to_sklearn.py"],
    "_core/versions.py": ["core/test_base.py"],
    "cluster/_minibatch.py": ["cluster/test_kmeans.py"],
    "decomposition/_kernel_pca.py": [
        "decomposition/test_kernel_pca.py",
        "test_kernel_protocol.py",
    ],
    "discriminant_analysis.py": ["test_discriminant_analysis.py", "core/test_normal.py"],
    "exceptions.py": ["core/test_base.py"],
    "kernel_approximation.py": ["test_kernel_approximation.py", "test_kernel_protocol.py"],
    "kernel_ridge.py": ["test_kernel_ridge.py", "test_kernel_protocol.py"],
    "kernels/_functions.py": ["kernels/test_functions.py", "test_kernel_ridge.py"],
    "linear_model/_choice.py": [CHOICE, LASSO, RIDGE],
    "linear_model/_descent.py": [LASSO, "linear_model/test_penalty.py"],
    "linear_model/_lasso.py": [LASSO, "linear_model/test_multi_task.py", CHOICE],
    "linear_model/_leave_one_out.py": [RIDGE, CHOICE],
    "linear_model/_logistic.py": [LOGISTIC, "linear_model/test_callbacks.py", CHOICE],
    "linear_model/_losses.py": [LOGISTIC, PROXIMAL, CHOICE],
    "linear_model/_matrix.py": [LASSO, "linear_model/test_penalty.py"],
    "linear_model/_newton.py": [LOGISTIC, CHOICE],
    "linear_model/_nonnegative.py": ["linear_model/test_least_squares.py", LASSO],
    "linear_model/_normal_equations.py": ["linear_model/test_least_squares.py", RIDGE],
    "linear_model/_objective.py": [LOGISTIC, PROXIMAL, CHOICE],
    "linear_model/_penalty.py": ["linear_model/test_penalty.py", LASSO],
    "linear_model/_ridge.py": [RIDGE, CHOICE],
    "mixture/_em.py": ["mixture/test_gaussian.py"],
    "neighbors/_base.py": ["neighbors/test_supervised.py", "neighbors/test_trees_and_graphs.py"],
    "neighbors/_centroid.py": ["neighbors/test_centroid_and_density.py"],
    "neighbors/_classification.py": ["neighbors/test_supervised.py"],
    "neighbors/_density.py": ["neighbors/test_centroid_and_density.py"],
    "neighbors/_graph.py": ["neighbors/test_trees_and_graphs.py"],
    "neighbors/_kernel_density.py": ["neighbors/test_centroid_and_density.py"],
    "neighbors/_metrics.py": ["neighbors/test_metrics.py", "neighbors/test_search.py"],
    "neighbors/_precomputed.py": ["neighbors/test_metrics.py", "neighbors/test_parity.py"],
    "neighbors/_regression.py": ["neighbors/test_supervised.py"],
    "neighbors/_tiles.py": ["neighbors/test_search.py", "neighbors/test_metrics.py"],
    "svm/_base.py": ["svm/test_machines.py"],
    "svm/_classification.py": ["svm/test_machines.py"],
    "svm/_dual_descent.py": ["svm/test_linear.py"],
    "svm/_free_samples.py": ["svm/test_linear.py"],
    "svm/_gram.py": ["svm/test_solver.py"],
    "svm/_linear_machines.py": ["svm/test_linear.py"],
    "svm/_platt.py": ["svm/test_solver.py", "svm/test_machines.py"],
    "svm/_primal_newton.py": ["svm/test_linear.py"],
    "svm/_programmes.py": ["svm/test_solver.py", "svm/test_machines.py"],
    "svm/_regression.py": ["svm/test_machines.py"],
    "svm/_sparse_weights.py": ["svm/test_linear.py"],
    "svm/_working_set.py": ["svm/test_solver.py"],
    "tree/_base.py": ["tree/test_estimators.py"],
    "tree/_classes.py": ["tree/test_estimators.py", "tree/test_parity.py"],
    "tree/_ranks.py": ["tree/test_kernels.py"],
    "naive_bayes.py": ["test_naive_bayes.py", "core/test_normal.py"],
}


def tests_of(path):
    """The tests of a file: of the same name, and the folder's protocol; else all of its folder."""
    own = path.relative_to(PACKAGE)
    folder = own.parent.as_posix().strip("_")
    names = ELSEWHERE.get(own.as_posix(), [f"{folder}/test_{own.stem.strip('_')}.py"])
    tests = [ROOT / "tests" / name for name in names]
    if not all(test.exists() for test in tests):
        return (tests[0].parent,)
    protocol = tests[0].parent / "test_protocol.py"
    return (*tests, *([protocol] if own.parent.name and protocol.exists() else []))


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
        files += [(one, int(line) if line else None) for one in found if one.name not in LEFT_OUT]
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
