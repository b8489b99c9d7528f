"""Run scikit-learn's own tests with litlearn's classes in the place of theirs.

    python .ci/compat.py [FAMILY ...] [--only EXPRESSION] [--workers N]

The differences that are known stand in ``tests/differences.toml``, each with its reason. A
test that fails and is not there, and one that is there and passes, are errors. Tests that fail on
this machine with scikit-learn's own classes, too, are left out. What passed is written to
``tests/shares.json``, unless ``--only`` (as pytest's ``-k``) leaves out tests.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve()
KNOWN = HERE.parents[1] / "tests" / "differences.toml"
SHARES = KNOWN.with_name("shares.json")
AIM = 0.98

# The namespaces whose public names are replaced, and scikit-learn's tests of them.
FAMILIES = {
    "linear_model": [
        "linear_model.tests.test_base",
        "linear_model.tests.test_ridge",
        "linear_model.tests.test_coordinate_descent",
        "linear_model.tests.test_sparse_coordinate_descent",
        "linear_model.tests.test_logistic",
        "linear_model.tests.test_sgd",
    ],
    "neighbors": [
        "neighbors.tests.test_neighbors",
        "neighbors.tests.test_neighbors_tree",
        "neighbors.tests.test_neighbors_pipeline",
        "neighbors.tests.test_graph",
        "neighbors.tests.test_nearest_centroid",
        "neighbors.tests.test_kde",
        "neighbors.tests.test_kd_tree",
        "neighbors.tests.test_ball_tree",
    ],
    "tree": ["tree.tests.test_tree", "tree.tests.test_monotonic_tree"],
    "ensemble": ["ensemble.tests.test_forest"],
    "svm": ["svm.tests.test_svm", "svm.tests.test_sparse"],
    "multiclass": ["tests.test_multiclass"],
    "naive_bayes": ["tests.test_naive_bayes"],
    "discriminant_analysis": ["tests.test_discriminant_analysis"],
    "cluster": ["cluster.tests.test_k_means"],
    "mixture": ["mixture.tests.test_gaussian_mixture", "mixture.tests.test_mixture"],
    "decomposition": [
        "decomposition.tests.test_pca",
        "decomposition.tests.test_incremental_pca",
        "decomposition.tests.test_kernel_pca",
        "decomposition.tests.test_truncated_svd",
    ],
    "kernel_ridge": ["tests.test_kernel_ridge"],
    "kernel_approximation": ["tests.test_kernel_approximation"],
}


class Entry(NamedTuple):
    """Tests of one family that are known to fail, and why."""

    family: str
    tests: str  # "test_ridge.py::test_n_iter": whatever its parameters. * stands for anything
    kind: str
    reason: str

    def means(self, test):
        """Tell whether a test is one of them."""
        pattern = re.escape(self.tests).replace(r"\*", ".*")
        return bool(re.fullmatch(pattern if "[" in self.tests else rf"{pattern}(\[.*\])?", test))


def known(path=KNOWN):
    """Return scikit-learn's version, what each kind of difference means, and the entries."""
    content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    entries = [
        Entry(family, tests, one["kind"], one["reason"])
        for family in FAMILIES
        for one in content.get(family, [])
        for tests in one["tests"]
    ]
    return content["scikit-learn"], content["kinds"], entries


# ---------------------------------------------------------------------------------------------
# Inside pytest, of which this file is a plugin

outcomes = {}  # of each test: what happened, and the first line of the message


def pytest_configure(config):
    """Replace the public names, before a module of tests imports them."""
    if namespace := os.environ.get("COMPAT_FAMILY"):
        for family in FAMILIES:  # scikit-learn's classes are built on its own ones
            importlib.import_module(f"sklearn.{family}")
        theirs = importlib.import_module(f"sklearn.{namespace}")
        ours = importlib.import_module(f"litlearn.{namespace}")
        for name in ours.__all__:
            if hasattr(theirs, name) and callable(getattr(ours, name)):
                setattr(theirs, name, getattr(ours, name))


def pytest_runtest_logreport(report):
    """Keep the worst that happened to a test before, in and after it."""
    test = "::".join([Path(report.location[0]).name, *report.nodeid.split("::")[1:]])
    if report.failed:
        crash = getattr(report.longrepr, "reprcrash", None)
        message = crash.message if crash else str(report.longrepr)
        outcomes[test] = "failed", message.split("\n")[0]
    elif outcomes.get(test, ["passed"])[0] == "passed":
        outcomes[test] = report.outcome, ""


def pytest_collectreport(report):
    """Stop if a module of tests cannot be imported."""
    if report.failed:
        raise SystemExit(str(report.longrepr))


def pytest_sessionfinish(session):
    """Write what was found; the workers of pytest-xdist tell it to the process above them."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        Path(os.environ["COMPAT_REPORT"]).write_text(json.dumps(outcomes), encoding="utf-8")


# ---------------------------------------------------------------------------------------------
# Outside


def run(names, family="", workers=1, only=""):
    """Run tests with litlearn's classes of a family, or with all of scikit-learn's own."""
    with tempfile.TemporaryDirectory() as folder:  # where no settings of pytest's are found
        report = Path(folder) / "report.json"
        paths = [str(HERE.parent), os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {
            "COMPAT_FAMILY": family,
            "COMPAT_REPORT": str(report),
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        }
        command = [sys.executable, "-m", "pytest", "-q", "-p", "compat", "-p", "no:cacheprovider"]
        command += ["-W", "ignore", "--tb", "short"]
        command += ["-o", "faulthandler_timeout=600", "-o", "faulthandler_exit_on_timeout=true"]
        command += ["-n", str(workers)] if workers > 1 else ["-p", "no:xdist"]
        command += ["-k", only] if only else []
        done = subprocess.run(
            [*command, "--pyargs", *names],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
        )
        if not report.exists():
            sys.exit(done.stdout[-3000:] + done.stderr[-3000:])
        return json.loads(report.read_text(encoding="utf-8"))


def run_family(family, workers, only):
    """Return the names of the tests that pass, and the messages of those that fail."""
    modules = [f"sklearn.{name}" for name in FAMILIES[family]]
    ours = run(modules, family, workers, only)
    passed = [test for test, (outcome, _) in ours.items() if outcome == "passed"]
    failed = {test: message for test, (outcome, message) in ours.items() if outcome == "failed"}
    # <theirs>: What fails is tried with scikit-learn's own classes.
    again = []
    for test in failed:
        file, *rest = test.split("::")
        module = next(m for m in modules if m.endswith("." + file.removesuffix(".py")))
        again.append("::".join([module, *rest]))
    theirs = run(again, workers=1) if again else {}
    real = {test: message for test, message in failed.items() if theirs[test][0] == "passed"}
    return passed, real


def judge(entries, passed, failed, whole):
    """Return the counts of a family by kind, and what is wrong, as lines of text.

    With `whole`, an entry that no test bears out is wrong, too. What rounding decides may pass.
    """
    wrong, kinds = [], Counter()
    for test, message in failed.items():
        kind = next((entry.kind for entry in entries if entry.means(test)), None)
        kinds[kind] += 1
        if kind is None:
            wrong.append(f"fails: {test}: {message}")
    for entry in entries:
        if entry.kind != "rounding":
            wrong += [f"is listed, and passes: {test}" for test in passed if entry.means(test)]
        if whole and not any(map(entry.means, [*passed, *failed])):
            wrong.append(f"is listed, and was not run, or fails with theirs, too: {entry.tests}")
    return kinds, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=", ".join(FAMILIES))
    parser.add_argument("--only", default="", help="an expression, as pytest's -k")
    parser.add_argument("--workers", type=int, default=1, help="processes that run the tests")
    arguments = parser.parse_args()
    if unknown := set(arguments.families) - set(FAMILIES):
        parser.error(f"no such family: {', '.join(sorted(unknown))}")
    wanted, _, entries = known()
    if version("scikit-learn") != wanted:
        sys.exit(
            f"The differences are those to scikit-learn {wanted}, not {version('scikit-learn')}"
        )

    shares, red = {}, False
    for family in arguments.families or FAMILIES:
        its = [entry for entry in entries if entry.family == family]
        passed, failed = run_family(family, arguments.workers, arguments.only)
        kinds, wrong = judge(its, passed, failed, whole=not arguments.only)
        count = len(passed) + len(failed) - kinds["private"]
        shares[family] = {"passed": len(passed), "count": count, "private": kinds["private"]}
        share = len(passed) / max(count, 1)
        below = f", below the aim of {AIM:.0%}" if not arguments.only and share < AIM else ""
        print(f"{family}: {len(passed)} of {count} pass ({share:.1%}){below}", flush=True)
        for line in wrong:
            print(f"  {line}", flush=True)
        red = red or bool(wrong)
    if not arguments.only:
        kept = json.loads(SHARES.read_text(encoding="utf-8")) if SHARES.exists() else {}
        kept = {family: (kept | shares)[family] for family in FAMILIES if family in kept | shares}
        SHARES.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    if red:
        sys.exit("Mend the class, or say why it differs in tests/differences.toml.")
    print("Every difference is known." if not arguments.only else "Nothing new.")


if __name__ == "__main__":
    main()
