"""Change the source in one place, run the tests of that file, and print the changes that pass.

    make mutants                                         # 40 changes of each file
    make mutants MUTANTS="src/litlearn/_targets.py"      # every change of one file
    make mutants MUTANTS="--sample 20 src/litlearn/tree"

Each change (a constant, a comparison, a sign, an operator) is made in a process forked after the
tests were collected, in the functions that are there already: nothing is imported or collected
again. Compiled functions run as plain Python; their files run the tests marked ``nojit``, those of
other files all tests. A test that starts a process of its own sees the source as it is. A change
that passes is a gap in the tests, or changes nothing that can be seen.
"""

import argparse
import ast
import importlib
import os
import random
import signal
import sys
import time
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "litlearn"
LEFT_OUT = {"plotting.py", "listing.py", "datasets.py", "__init__.py", "_warm_up.py"}

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
        elif not exchange(old, new) and isinstance(new, (bool, int, float, tuple)) and old != new:
            for other in list(sys.modules.values()):
                if getattr(other, name, None) is old:
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
    if (old is not new and old.__code__ != new.__code__) or old.__defaults__ != new.__defaults__:
        old.__code__, old.__defaults__ = new.__code__, new.__defaults__
        old.__kwdefaults__ = new.__kwdefaults__
    return True


# --- tests -----------------------------------------------------------------------------------


def tests_of(path):
    """The tests of a file: of the same name, else those of its folder."""
    own = path.relative_to(PACKAGE)
    name = f"test_{own.stem.strip('_')}.py"
    for candidate in (ROOT / "tests" / own.parent / name, ROOT / "tests" / own.parent):
        if candidate.exists() and candidate != ROOT / "tests":
            return candidate
    return ROOT / "tests" / "test_validation.py"


class Judge:
    """A plugin of pytest: after collection, runs the tests once for each change."""

    def __init__(self, path, numbers, patience):
        self.path, self.numbers, self.patience = path, numbers, patience
        self.source = path.read_text(encoding="utf-8")
        self.survivors = []

    def pytest_runtestloop(self, session):
        parts = self.path.relative_to(PACKAGE.parent).with_suffix("").parts
        self.module = importlib.import_module(".".join(parts))
        session.config.pluginmanager.unregister(name="terminalreporter")
        started = time.monotonic()
        if self.passes(session, None, 3600.0) is not True:
            self.survivors = None
            return True
        limit = 10.0 + self.patience * (time.monotonic() - started)
        for number in self.numbers:
            if self.passes(session, number, limit):
                self.survivors.append(changed(self.source, number)[1])
                print(f"  survives  {self.path.relative_to(ROOT)}:{self.survivors[-1]}", flush=True)
        return True

    def passes(self, session, number, limit):
        """Whether the tests pass with a change; out of time, or dead, they do not."""
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            self.judge(session, number)
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status) == 0
            time.sleep(0.02)
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return False

    def judge(self, session, number):
        """In the child: leave with 0 if all tests pass."""
        try:
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, 1)
            os.dup2(nothing, 2)
            if number is not None:
                install(self.module, changed(self.source, number)[0])
            for item, following in zip(session.items, [*session.items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if session.testsfailed:
                    break
            os._exit(1 if session.testsfailed else 0)
        except BaseException:
            os._exit(2)


def examine(path, sample, seed, patience):
    """Judge changes of one file; return how many there were, and those that passed."""
    import pytest

    source = path.read_text(encoding="utf-8")
    numbers = range(len(places(ast.parse(source))))
    if sample and sample < len(numbers):
        numbers = sorted(random.Random(seed).sample(numbers, sample))
    if not numbers:
        return 0, []
    print(f"{path}: {tests_of(path).relative_to(ROOT)}", flush=True)
    judge = Judge(path, numbers, patience)
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:nbval", "-p", "no:xdist"]
    marked = ["-m", "nojit"] if "@njit" in source else []
    pytest.main(
        [str(tests_of(path)), "--import-mode", "importlib", "-o", "addopts=", *options, *marked],
        plugins=[judge],
    )
    return len(numbers), judge.survivors


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, default=[PACKAGE], help="files, folders")
    parser.add_argument("--sample", type=int, default=None, help="changes of each file; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--patience", type=float, default=5.0, help="times the tests may take")
    given = parser.parse_args()
    sys.path.insert(0, str(ROOT / "tests"))
    files = [
        path
        for given_path in given.paths
        for path in (sorted(given_path.rglob("*.py")) if given_path.is_dir() else [given_path])
        if path.name not in LEFT_OUT
    ]
    sample = given.sample if given.sample is not None else 0 if len(files) == 1 else 40
    for path in files:
        # A process for each file: what its tests leave in memory is not there for the next.
        child = os.fork()
        if child == 0:
            n, survivors = examine(path.resolve(), sample, given.seed, given.patience)
            if survivors is None:
                print(f"{path}: the tests fail on the source as it is", flush=True)
            elif n:
                share = 100 * len(survivors) / n
                print(f"{path}: {len(survivors)} of {n} survive ({share:.0f} %)", flush=True)
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
    main()
