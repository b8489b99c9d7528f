"""Which sentences of a chapter have no claim, and how often its claims hold with other seeds.

    python .ci/claims.py [--again] [--workers 2] [--list] [book/NAME.ipynb ...]

A chapter is run with all its seeds moved, twenty times: arguments called random_state and seed, and
those of default_rng. For each claim the record in book/claims says how often it held. Without
names: all chapters whose sentences have been gone through and whose code is newer than the record.
"""

import argparse
import ast
import concurrent.futures
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "book" / "_ext"))

import book_claims  # noqa: E402
import book_prose  # noqa: E402

STEP = 7919  # between the seeds of two runs; larger than what chapters add to a seed in their loops


class Moved(ast.NodeTransformer):
    """Adds the shift to every seed."""

    def visit_Call(self, node):
        self.generic_visit(node)
        for keyword in node.keywords:
            none = isinstance(keyword.value, ast.Constant) and keyword.value.value is None
            if keyword.arg in ("random_state", "seed") and not none:
                keyword.value = self.moved(keyword.value)
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if called == "default_rng" and node.args:
            node.args[0] = self.moved(node.args[0])
        return node

    @staticmethod
    def moved(seed):
        """`seed` may be an integer, or a parameter that is already moved where it is given."""
        return ast.Call(ast.Name("_moved", ast.Load()), [seed], [])


class Seed(int):
    """A seed that has been moved, and is not moved again."""


def run(path, shift):
    """Execute a chapter with moved seeds; return [kind, name, cell, whether it held]."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from litlearn.claims import recorded

    warnings.simplefilter("ignore")  # what other draws warn about is for the claims to judge
    os.chdir(path.parent)

    def moved(seed):
        whole = isinstance(seed, int) and not isinstance(seed, Seed)
        return Seed(seed + STEP * shift) if whole else seed

    space = {"__name__": "__main__", "_moved": moved, "display": lambda *a, **k: None}
    cells, out = book_prose.read(path), []
    expected = book_claims.calls(cells)
    for i, cell in enumerate(cells):
        if cell["cell_type"] != "code":
            continue
        tree = ast.fix_missing_locations(
            Moved().visit(ast.parse(book_claims._python(cell["source"])))
        )
        with recorded() as records:
            try:
                exec(compile(tree, f"cell {i}", "exec"), space)
            except Exception as error:
                print(f"{path.stem}, shift {shift}, cell {i}: {error!r}", file=sys.stderr)
                records.append(("fact", f"cell {i} raises", False))
        out += [[kind, name, i, held] for kind, name, held in records]
        reached = {name for _, name, _ in records}
        out += [["claim", c.name, i, False] for c in expected
                if c.cell == i and c.kind == "claim" and c.name not in reached]  # fmt: skip
        plt.close("all")
    return out


def run_apart(path, shift, workers):
    """The same in a process of its own."""
    environment = dict(os.environ, PYTHONPATH=str(ROOT / ".ci"))
    if workers > 1:
        environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, __file__, str(path), "--one", str(shift)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if not lines:
        raise RuntimeError(f"{path.stem}, shift {shift}: {done.stderr[-2000:]}")
    sys.stderr.write(
        "".join(f"{line}\n" for line in done.stderr.splitlines() if ", shift " in line)
    )
    return json.loads(lines[-1][7:])


def write_record(path, workers):
    """Run a chapter with all shifts, and write how often each claim held."""
    shifts = range(1, book_claims.SHIFTS + 1)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        runs = list(pool.map(lambda shift: run_apart(path, shift, workers), shifts))
    held, facts, broken = {}, 0, set()
    for one in runs:
        now = {}
        for kind, name, _cell, holds in one:
            if kind == "claim":
                now[name] = now.get(name, True) and holds
        for name, holds in now.items():
            held[name] = held.get(name, 0) + holds
        bad = {
            f"[{cell}] {name}" for kind, name, cell, holds in one if kind == "fact" and not holds
        }
        facts += not bad
        broken |= bad
    found = {
        "code": book_claims.state(book_prose.read(path)),
        "shifts": len(runs),
        "facts": facts,
        "claims": dict(sorted(held.items())),
    }
    target = book_claims.FOLDER / f"{path.stem}.json"
    target.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    low = {name: n for name, n in held.items() if n < book_claims.ENOUGH}
    print(f"{path.stem}: {len(held)} claims, {len(held) - len(low)} of them in at least "
          f"{book_claims.ENOUGH} of {len(runs)} runs")  # fmt: skip
    for name, n in sorted(low.items(), key=lambda pair: pair[1]):
        print(f"   {n:2} of {len(runs)}  {name}")
    for what in sorted(broken):
        print(f"   a fact that is none: {what}")
    return not low and not broken


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--again", action="store_true", help="also where the record is up to date")
    parser.add_argument("--list", action="store_true", help="list sentences, and run nothing")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    pages = [page.resolve() for page in options.pages] or book_claims.finished()
    if options.one is not None:
        print("RESULT " + json.dumps(run(pages[0], options.one)))
        return 0
    good = True
    for path in pages:
        missing = book_claims.problems(path)
        for line in missing:
            print(f"{path.stem} {line}")
        good = good and not missing
        if options.list:
            continue
        known = book_claims.record(path.stem)
        if options.again or not known or known["code"] != book_claims.state(book_prose.read(path)):
            good = write_record(path, options.workers) and good
        else:
            print(f"{path.stem}: the record is up to date")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
