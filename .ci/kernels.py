"""Compile all kernels for whole levels of processors, and pack them as a wheel.

    python .ci/kernels.py best
    python .ci/kernels.py build [--levels x86-64-v3 ...] [--folder dist]
    python .ci/kernels.py try dist/litlearn_kernels-*.whl [--json benchmarks/first_calls.json]
    python .ci/kernels.py beyond [--level x86-64-v3] TESTS...

``build`` runs the cases of ``litlearn.warm_up`` once for each level that this processor has, and
writes the wheel litlearn-kernels, which holds nothing but entries of the cache: for this version of
Python and of Numba, and for the state of ``src`` as it is. What a cache has that was filled for the
same level (``NUMBA_CPU_NAME``; ``best`` names the best) is not compiled again. ``try`` installs it
and litlearn's own wheel in an empty folder, and fits every public estimator in a new process with
an empty cache; then all of them with data of the usual kinds; and runs README's example. Nothing
may be compiled. With ``--json`` it does the first and the last again without kernels, and writes
the times of both, and those of longer fits with the kernels of each level. ``beyond`` runs tests
with these kernels and an empty cache, and names what was compiled all the same: a case that the
warm-up forgot.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / ".ci")]

import address  # noqa: E402
import numba  # noqa: E402
from numba.core.caching import _CacheLocator  # noqa: E402

from litlearn._core import shipped  # noqa: E402
from litlearn._core.cache import FOLDER  # noqa: E402
from litlearn._core.jit import source_stamp  # noqa: E402

BUILT = ROOT / "build" / "kernels"
ABOUT = '''"""Compiled functions of litlearn: entries of its cache, and nothing else."""
'''
PROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "litlearn-kernels"
version = "{version}"
description = "Compiled functions of litlearn, so that its first fit on a machine compiles nothing"
readme = "README.md"
license = "BSD-3-Clause"
license-files = ["LICENSE"]
requires-python = "{python}"
dependencies = ["litlearn=={version}", "numba=={numba}"]

[tool.setuptools]
packages = ["litlearn_kernels"]

[tool.setuptools.package-data]
litlearn_kernels = ["**/*.nbc"]
"""
README = """\
# litlearn-kernels

What Numba makes of the functions of {litlearn}, for whole levels of
processors ({levels}). litlearn finds it when it is installed beside it (`pip install
litlearn[kernels]`). It is used with the same version of litlearn, Numba {numba} and Python
{python}; where it does not fit, litlearn compiles as usual.
"""


def version():
    """The version of litlearn, as its own wheel has it."""
    command = [sys.executable, "setup.py", "--version"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split()[-1]


def environment(level, cache):
    """The settings under which Numba compiles for a level."""
    known = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    settings = {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": str(cache)}
    return known | settings | {"LITLEARN_KERNELS": "none", "PYTHONPATH": paths}


def compile_for(level, folder):
    """Fill the folder of a level with the entries of all kernels; return how many there are."""
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, str(ROOT / "tests" / "fill_cache.py")]
        settings = environment(level, cache)
        done = subprocess.run(command, env=settings, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{level}: {done.stderr[-2000:]}")
        return gather(cache, folder)


def filled_for(level):
    """The folder of a cache that was filled for just this level, or None."""
    names = "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_CACHE_DIR"
    name, features, cache = (os.environ.get(name) for name in names)
    same = name == level and features == "" and cache
    return cache if same and Path(cache, ".filled").is_file() else None


def gather(cache, folder):
    """Copy the entries of a cache for the state of ``src`` as it is; return how many there are."""
    package, stamp, count = ROOT / "src" / "litlearn", source_stamp(), 0
    for source in sorted({path.parent for path in package.rglob("*.py")}):
        kept = Path(cache, _CacheLocator.get_suitable_cache_subpath(source / "any.py"), FOLDER)
        for entry in kept.glob(f"*-{stamp}.*.nbc"):
            target = folder / shipped.place(source / "any.py")
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(entry, target)
            count += 1
    return count


def tag():
    """The tag of a wheel whose content depends on Python's minor version and on the system."""
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    # Entries are linked with nothing but what is in the process already.
    system = system.replace("linux_x86_64", "manylinux2014_x86_64")
    return python, system.replace("linux_aarch64", "manylinux2014_aarch64")


def build(levels, folder):
    """Write the wheel."""
    shutil.rmtree(BUILT, ignore_errors=True)
    package = BUILT / "litlearn_kernels"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(ABOUT, encoding="utf-8")
    for level in levels:
        inside, cache = package / shipped.combination(source_stamp(), level), filled_for(level)
        count = gather(cache, inside) if cache else compile_for(level, inside)
        size = sum(path.stat().st_size for path in inside.rglob("*.nbc")) / 2**20
        print(f"{level}: {count} compiled functions, {size:.1f} MB", flush=True)
    at = address.read()
    told = {
        "version": version(), "numba": numba.__version__, "python": platform.python_version(),
        "levels": ", ".join(levels),
        "litlearn": f"[litlearn]({at.home})" if at.home else "litlearn",
    }  # fmt: skip
    python = f">=3.{sys.version_info[1]},<3.{sys.version_info[1] + 1}"
    (BUILT / "pyproject.toml").write_text(PROJECT.format(**told | {"python": python}), "utf-8")
    (BUILT / "README.md").write_text(README.format(**told), encoding="utf-8")
    shutil.copy(ROOT / "LICENSE", BUILT)
    python, system = tag()
    make = "from setuptools import setup; setup()"
    options = ["-q", "bdist_wheel", "--python-tag", python, "--plat-name", system]
    options += ["--dist-dir", str(folder.resolve())]
    subprocess.run([sys.executable, "-c", make, *options], cwd=BUILT, check=True)
    wheel = max(folder.glob("litlearn_kernels-*.whl"), key=lambda path: path.stat().st_mtime)
    packed = wheel.stat().st_size / 2**20
    print(f"{wheel}: {packed:.1f} MB")
    return wheel


# What listens to the compiler, before anything of litlearn is imported.
EARS = """
import json, sys, time, warnings
begun = time.perf_counter()
from numba.core import event
compiled = []
class Ears(event.Listener):
    def on_start(self, e): compiled.append(e.data["dispatcher"].py_func.__qualname__)
    def on_end(self, e): pass
event.register("numba:compile", Ears())
"""

# One estimator in a process of its own: from the import of litlearn to the end of the first
# predictions, what was compiled meanwhile, and the same once more.
FIRST = (
    EARS
    + """
import numpy as np
warnings.simplefilter("ignore")
namespace, name, setting = json.loads(sys.argv[1])
rng = np.random.default_rng(0)
X = rng.normal(size=(256, 6))
y = (X[:, 0] > 0).astype(int)
import importlib
from litlearn import _warm_up
kind = getattr(importlib.import_module(f"litlearn.{namespace}"), name)
imported = time.perf_counter()
times = []
for _ in range(3):
    start = time.perf_counter()
    _warm_up.use(kind(**setting), X, y)
    times.append(time.perf_counter() - start)
import litlearn
told = [imported - begun, times[0], min(times[1:]), sorted(set(compiled)), litlearn.__file__]
print(json.dumps(told))
"""
)

# Every estimator with data of the usual kinds: a frame with names as labels, three classes,
# weights, sparse data. What an estimator does not take it says.
KINDS = (
    EARS
    + """
import importlib, inspect
import numpy as np, pandas as pd
from scipy.sparse import csr_array
import litlearn
from litlearn import _warm_up
from sklearn.base import is_regressor
rng = np.random.default_rng(0)
X = rng.normal(size=(256, 6))
y, classes, weight = np.abs(X[:, 0]), (X[:, 0] > 0).astype(int), np.ones(256)
kinds = [
    (pd.DataFrame(X, columns=list("abcdef")), np.array(["well", "ill"])[classes], {}),
    (X, np.digitize(X[:, 0], [-0.5, 0.5]), {}),
    (X, classes, {"sample_weight": weight}),
    (csr_array(X), classes, {}),
]
warnings.simplefilter("ignore")
found = {}
for namespace, name, setting in _warm_up.CASES:
    kind = getattr(importlib.import_module(f"litlearn.{namespace}"), name)
    for data, labels, given in kinds:
        model = kind(**setting)
        if set(given) <= set(inspect.signature(model.fit).parameters):
            try:
                model.fit(data, y if is_regressor(model) else labels, **given)
                for method in ("predict", "predict_proba", "decision_function", "transform"):
                    if hasattr(model, method):
                        getattr(model, method)(data[:20])
            except (TypeError, ValueError):
                pass
        if compiled:
            found.setdefault(name, []).extend(compiled)
            compiled.clear()
print(json.dumps([found, litlearn.__file__]))
"""
)

# README's example, with its imports.
EXAMPLE = (
    EARS
    + """
exec(sys.argv[1])
import litlearn
print(json.dumps([time.perf_counter() - begun, sorted(set(compiled)), litlearn.__file__]))
"""
)


# Fits that take long enough to be timed, one for each kind of kernel.
FITS = (
    EARS
    + """
import numpy as np
import litlearn
from litlearn import cluster, ensemble, linear_model, mixture, neighbors, svm, tree
rng = np.random.default_rng(0)
X = rng.normal(size=(20000, 20))
y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=len(X)) > 1).astype(int)
t = X[:, 0] + np.sin(X[:, 1]) + rng.normal(size=len(X))
many, which = np.tile(X, (10, 1)), np.tile(y, 10)
warnings.simplefilter("ignore")
KDTree = neighbors.KNeighborsClassifier(algorithm="kd_tree", n_jobs=1)
TASKS = {
    "DecisionTreeClassifier": lambda: tree.DecisionTreeClassifier(random_state=0).fit(X, y),
    "DecisionTreeRegressor": lambda: tree.DecisionTreeRegressor(random_state=0).fit(X, t),
    "RandomForestClassifier": lambda: ensemble.RandomForestClassifier(
        10, random_state=0, n_jobs=1).fit(X, y),
    "KMeans": lambda: cluster.KMeans(20, n_init=1, random_state=0).fit(X),
    "GaussianMixture": lambda: mixture.GaussianMixture(5, max_iter=10, random_state=0).fit(X),
    "KNeighborsClassifier, k-d tree": lambda: KDTree.fit(X[:, :5], y).predict(X[:, :5]),
    "KNeighborsClassifier, brute": lambda: neighbors.KNeighborsClassifier(
        algorithm="brute", n_jobs=1).fit(X, y).predict(X[:4000]),
    "LogisticRegression": lambda: linear_model.LogisticRegression().fit(many, which),
    "LogisticRegression, l1": lambda: linear_model.LogisticRegression(
        penalty="l1", solver="liblinear", C=0.01).fit(many, which),
    "LassoCV": lambda: linear_model.LassoCV(cv=5).fit(X, t),
    "SGDClassifier": lambda: linear_model.SGDClassifier(random_state=0).fit(X, y),
    "SVC": lambda: svm.SVC().fit(X[:8000], y[:8000]),
    "LinearSVC": lambda: svm.LinearSVC().fit(many, which),
}
seconds = {}
for name, fit in TASKS.items():
    fit()
    times = []
    for _ in range(3):
        start = time.perf_counter()
        fit()
        times.append(time.perf_counter() - start)
    seconds[name] = min(times)
print(json.dumps([seconds, litlearn.__file__]))
"""
)


def alone(script, argument, folder, level, cache=None):
    """Run a script in a new process, with what is installed in `folder`; return what it prints.

    Parameters
    ----------
    script, argument : str
    folder : path
        What is put before everything else on the path: installed packages.
    level : str
        For ``LITLEARN_KERNELS``; "none" compiles.
    cache : path, default=None
        None: an empty one.
    """
    with tempfile.TemporaryDirectory() as empty:
        known = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
        known |= {"LITLEARN_KERNELS": level, "NUMBA_CACHE_DIR": cache or empty}
        known["PYTHONPATH"] = str(folder)
        command = [sys.executable, "-c", script, argument]
        done = subprocess.run(command, env=known, capture_output=True, text=True, cwd=empty)
    if done.returncode:
        raise RuntimeError(f"{argument}: {done.stderr}")
    *told, file = json.loads(done.stdout.splitlines()[-1])
    if not file.startswith(str(folder)):
        raise RuntimeError(f"{file} was imported, expected litlearn in {folder}")
    return told


def example(folder, level):
    """Seconds that README's example takes with its imports, and what it compiles."""
    source = (ROOT / "README.md").read_text("utf-8").split("```python\n")[1].split("```")[0]
    return alone(EXAMPLE, source, folder, level)


def first_calls(folder, level, together=1):
    """Fit and predict with every public estimator, each in a new process with an empty cache.

    Parameters
    ----------
    folder, level
        As of `alone`.
    together : int
        Processes at a time: 1 where their times are looked at.

    Yields
    ------
    name : str
    seconds of the import, of the first call, and of the best of two more : float
    compiled : list of str
    """
    from litlearn._warm_up import CASES

    first = {case[:2]: case for case in reversed(CASES)}
    cases = sorted(first.values(), key=CASES.index)
    with ThreadPoolExecutor(together) as pool:
        told = pool.map(lambda case: alone(FIRST, json.dumps(case), folder, level), cases)
        for case, one in zip(cases, told, strict=True):
            yield (f"{case[0]}.{case[1]}", *one)


def fits(folder, rounds=8):
    """Time of fits with the kernels of each level, and compiled for this very processor.

    What is compiled for this processor runs twice in each round, as "native" and "again": by how
    much these two differ is how exactly the machine at hand can be measured at all.

    Yields
    ------
    {"name": str, "native": float, "again": float, "x86-64-v3": float, ...}
        Seconds of the best of three fits in each of `rounds` processes, which take turns.
    """
    levels = ["native", *shipped.usable()[:2], "again"]
    best = {level: {} for level in levels}
    with tempfile.TemporaryDirectory() as cache:
        for turn in range(rounds + 1):  # the first round compiles
            for level in levels if turn % 2 else reversed(levels):
                setting = level if level in shipped.usable() else "none"
                (found,) = alone(FITS, "", folder, setting, cache)
                for name, seconds in found.items():
                    best[level][name] = min(seconds, best[level].get(name, seconds))
    for name in best["native"]:
        yield {"name": name} | {level: best[level][name] for level in levels}


def installed(wheels, folder):
    """Unpack wheels as pip does, without what they depend on."""
    command = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    command += ["--no-deps", "--no-index", "--target", str(folder), *map(str, wheels)]
    subprocess.run(command, check=True)


def attempt(kernels, level, limit, report=None):
    """Install both wheels in an empty folder, and use every estimator for the first time."""
    good, compiling = True, []
    with tempfile.TemporaryDirectory() as folder:
        with tempfile.TemporaryDirectory() as copy:
            tree = Path(copy, "tree")
            made = "_build", "build", "dist", "reading", "*.egg-info"  # setup.py needs .ci
            hidden = ".git", ".venv", ".cache", ".*_cache", ".coverage*", ".hypothesis"
            ignored = shutil.ignore_patterns(*made, *hidden)
            shutil.copytree(ROOT, tree, ignore=ignored, symlinks=True)
            command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-index"]
            command += ["--no-build-isolation", "-w", folder, str(tree)]
            subprocess.run(command, check=True)
        own = next(Path(folder).glob("litlearn-*.whl"))
        installed([own, kernels], Path(folder, "site"))
        site = Path(folder, "site")
        timed = report or limit
        rows = list(first_calls(site, level, 1 if timed else os.cpu_count()))
        seconds, at_example = example(site, level)
        (beyond_cases,) = alone(KINDS, "", site, level)
        if report:
            compiling = list(first_calls(site, "none"))
            report.write_text(
                json.dumps(
                    described(kernels, level, rows, compiling)
                    | {
                        "example": {"seconds": seconds, "compiling": example(site, "none")[0]},
                        "fits": list(fits(site)),
                        "fits_date": time.strftime("%Y-%m-%d"),
                    },
                    indent=1,
                )
                + "\n"
            )
    for name, imported, first, warm, compiled in rows:
        told = f"compiled: {', '.join(compiled)}" if compiled else ""
        late = " too slow" if limit and first > limit else ""
        print(
            f"{name:45} import {imported:5.2f}  first {first:5.2f}  warm {warm:7.4f}{late}  {told}"
        )
        good = good and not compiled and not late
    told = f"compiled: {', '.join(at_example)}" if at_example else ""
    print(f"README's example, with its imports: {seconds:.2f}  {told}")
    for name, compiled in beyond_cases.items():
        print(f"{name}, with data of the usual kinds: compiled: {', '.join(compiled)}")
    good = good and not at_example and not beyond_cases
    return good and not (limit and seconds > 2 * limit)


def described(kernels, level, rows, compiling):
    """What the page *Performance* shows of first calls: times with kernels, and without."""
    with zipfile.ZipFile(kernels) as wheel:
        unpacked = sum(one.file_size for one in wheel.infolist())
    sys.path.insert(0, str(ROOT))
    from benchmarks.runner import processor

    return {
        "date": time.strftime("%Y-%m-%d"),
        "processor": processor(),
        "level": level or shipped.usable()[0],
        "wheel": {"packed": kernels.stat().st_size, "unpacked": unpacked},
        "rows": [
            {"name": name, "import": imported, "first": first, "warm": warm, "compiling": other[2]}
            for (name, imported, first, warm, _), other in zip(rows, compiling, strict=True)
        ],
    }


def beyond(level, tests):
    """Run tests with the kernels that were built, and name what was compiled beyond them."""
    with tempfile.TemporaryDirectory() as cache:
        settings = dict(os.environ, LITLEARN_KERNELS=level, NUMBA_CACHE_DIR=cache)
        settings["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), str(BUILT)])
        subprocess.run([sys.executable, "-m", "pytest", *tests], cwd=ROOT, env=settings)
        names = sorted(path.name.split("-")[0] for path in Path(cache).rglob("*.nbc"))
    for name in dict.fromkeys(names):
        print(f"compiled beyond the kernels: {name} ({names.count(name)})")
    return len(names)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    builds = commands.add_parser("build")
    builds.add_argument(
        "--levels", nargs="*", help="the best first, or 'best'; default: all of this processor"
    )
    builds.add_argument("--folder", type=Path, default=ROOT / "dist")
    tries = commands.add_parser("try", help="install both wheels apart, and use each estimator")
    tries.add_argument("kernels", type=Path)
    tries.add_argument("--level", default="")
    tries.add_argument(
        "--limit", type=float, default=0.0, help="seconds, README's example twice as many; 0: none"
    )
    tries.add_argument("--json", type=Path, help="where the times go, also those without kernels")
    commands.add_parser("best", help="print the best level of this processor")
    tests = commands.add_parser("beyond")
    tests.add_argument("--level", default=None)
    tests.add_argument("tests", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.command == "build":
        options.folder.mkdir(parents=True, exist_ok=True)
        best = options.levels == ["best"]
        build(shipped.usable()[:1] if best else options.levels or shipped.usable(), options.folder)
    elif options.command == "try":
        done = attempt(options.kernels, options.level, options.limit, options.json)
        return 0 if done else 1
    elif options.command == "best":
        print(shipped.usable()[0])
    else:
        beyond(options.level or shipped.usable()[0], options.tests)
    return 0


if __name__ == "__main__":
    sys.exit(main())
