"""Command line: ``python -m benchmarks --only knn --against sklearn,scipy``."""

import argparse
import fnmatch
import importlib
import json
import os
import sys
from pathlib import Path

from benchmarks import runner, table
from benchmarks.bar import Bar

# Each is a module here; a new one needs its name and nothing else.
FAMILIES = (
    "knn", "lasso", "least_squares", "logistic", "trees", "svm", "multiclass", "normal", "cluster",
    "mixture", "decomposition", "kernel_methods", "extras",
)  # fmt: skip
RESULTS = Path(__file__).parent / "results"


def usable_cores():
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def peers(families):
    """Names of all packages that the cases of some families compare with."""
    modules = [importlib.import_module(f"benchmarks.{family}") for family in families]
    cases = [case for module in modules for case in module.cases("full")]
    return {one.package for case in cases for one in case.adapters if not one.ours}


def parse(arguments):
    """The command line as a namespace."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=runner.__doc__)
    names = ", ".join(FAMILIES)
    parser.add_argument(
        "--only", metavar="FAMILIES", help=f"of {names}, with commas (default: all)"
    )
    parser.add_argument(
        "--cases", metavar="PATTERN", default="*", help="cases by name, like 'brute-*'"
    )
    parser.add_argument("--against", metavar="PACKAGES", help="peers, with commas (default: all)")
    parser.add_argument(
        "--shapes", choices=("small", "full"), default="full", help="size of the data"
    )
    parser.add_argument("--rounds", type=int, default=5, help="at most so many rounds (default: 5)")
    parser.add_argument(
        "--budget", type=float, default=6.0, help="seconds of rounds per case (default: 6)"
    )
    parser.add_argument(
        "--threads", type=int, default=usable_cores(), help="threads of each (default: all)"
    )
    parser.add_argument(
        "--json", metavar="FOLDER", type=Path, default=RESULTS, help="where results go"
    )
    options = parser.parse_args(arguments)
    options.only = options.only.split(",") if options.only else list(FAMILIES)
    options.against = options.against.split(",") if options.against else None
    unknown = sorted(set(options.only) - set(FAMILIES))
    if unknown:
        parser.error(f"unknown family {', '.join(unknown)}; known: {names}")
    known = peers(options.only)
    unknown = sorted(set(options.against or ()) - known)
    if unknown:
        parser.error(f"unknown peer {', '.join(unknown)}; known: {', '.join(sorted(known))}")
    if options.rounds < 2 or not 1 <= options.threads <= usable_cores():
        parser.error(f"--rounds must be at least 2, --threads from 1 to {usable_cores()}")
    return options


def target(folder, family, options):
    """File of the results: the committed one only for the full and complete run."""
    complete = options.shapes == "full" and options.cases == "*" and options.against is None
    return folder / f"{family}{'' if complete else '-partial'}.json"


def planned(options):
    """Names of all cases to run, with the family before them."""
    for family in options.only:
        for case in importlib.import_module(f"benchmarks.{family}").cases(options.shapes):
            if fnmatch.fnmatch(case.name, options.cases):
                yield f"{family}, {case.name}"


def expected(folder=RESULTS):
    """Seconds that each case took in the committed results, with its peers and its reference."""
    results = [json.loads(file.read_text("utf-8")) for file in folder.glob("*.json")]
    return {
        f"{result['family']}, {case['name']}": case["took"]
        for result in results
        for case in result["cases"]
        if "took" in case
    }


def main(arguments=None):
    """Run the chosen families, print each case as it is done, and write the results."""
    options = parse(arguments)
    options.json.mkdir(parents=True, exist_ok=True)
    print(table.header(), flush=True)
    with Bar(list(planned(options)), expected()) as bar:
        for family in options.only:
            result = runner.run_family(
                f"benchmarks.{family}",
                size=options.shapes,
                only=lambda name: fnmatch.fnmatch(name, options.cases),
                progress=lambda case: bar.advance(table.rows(case) + "\n"),
                against=options.against,
                threads=options.threads,
                rounds=options.rounds,
                budget=options.budget,
            )
            file = target(options.json, family, options)
            file.write_text(json.dumps(result, indent=1) + "\n")
            bar.clear()
            print(f"{table.closing(result)}\nResults: {file.name}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
