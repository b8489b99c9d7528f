"""Compile all kernels for whole levels of processors, and pack them as a wheel.

    python .ci/kernels.py build [--levels x86-64-v3 ...] [--folder dist]
    python .ci/kernels.py try dist/litlearn_kernels-*.whl [--json benchmarks/first_calls.json]
    python .ci/kernels.py beyond [--level x86-64-v3] TESTS...

``build`` runs the cases of ``litlearn.warm_up`` once for each level that this processor has, and
writes the wheel litlearn-kernels, which holds nothing but entries of the cache: for this version of
Python and of Numba, and for the state of ``src`` as it is. ``try`` installs it and litlearn's own
wheel in an empty folder, and fits every public estimator in a new process, with an empty cache:
none may compile anything. With ``--json`` it does so again without kernels, and writes the times of
both. ``beyond`` runs tests with these kernels and an empty cache, and names what was compiled all
the same: a case that the warm-up forgot.
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
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

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

What Numba makes of the functions of [litlearn]({home}), for whole levels of
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
    package, count = ROOT / "src" / "litlearn", 0
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, str(ROOT / "tests" / "fill_cache.py")]
        settings = environment(level, cache)
        done = subprocess.run(command, env=settings, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{level}: {done.stderr[-2000:]}")
        for source in sorted({path.parent for path in package.rglob("*.py")}):
            kept = Path(cache, _CacheLocator.get_suitable_cache_subpath(source / "any.py"), FOLDER)
            for entry in kept.glob("*.nbc"):
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
        inside = package / shipped.combination(source_stamp(), level)
        count = compile_for(level, inside)
        size = sum(path.stat().st_size for path in inside.rglob("*.nbc")) / 2**20
        print(f"{level}: {count} compiled functions, {size:.1f} MB", flush=True)
    told = {
        "version": version(), "numba": numba.__version__, "python": platform.python_version(),
        "levels": ", ".join(levels), "home": "https://github.com/litlearn/litlearn",
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


# One estimator in a process of its own: from the import of litlearn to the end of the first
# predictions, what was compiled meanwhile, and the same once more.
FIRST = """
import json, sys, time, warnings
begun = time.perf_counter()
import numpy as np
from numba.core import event
compiled = []
class Ears(event.Listener):
    def on_start(self, e): compiled.append(e.data["dispatcher"].py_func.__qualname__)
    def on_end(self, e): pass
event.register("numba:compile", Ears())
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


def first_calls(folder, level, cache=None):
    """Fit and predict with every public estimator, each in a new process.

    Parameters
    ----------
    folder : path
        What is put before everything else on the path: installed packages.
    level : str
        For ``LITLEARN_KERNELS``; "none" compiles.
    cache : path, default=None
        None: an empty one for each estimator.

    Yields
    ------
    name : str
    seconds of the import, of the first call, and of the best of two more : float
    compiled : list of str
    """
    from litlearn._warm_up import CASES

    seen = set()
    for case in CASES:
        if case[:2] in seen:
            continue
        seen.add(case[:2])
        with tempfile.TemporaryDirectory() as empty:
            known = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
            known |= {"LITLEARN_KERNELS": level, "NUMBA_CACHE_DIR": str(cache or empty)}
            known["PYTHONPATH"] = str(folder)
            command = [sys.executable, "-c", FIRST, json.dumps(case)]
            done = subprocess.run(command, env=known, capture_output=True, text=True, cwd=empty)
        if done.returncode:
            raise RuntimeError(f"{case[1]}: {done.stderr}")
        *told, file = json.loads(done.stdout)
        if not file.startswith(str(folder)):
            raise RuntimeError(f"{file} was imported, expected litlearn in {folder}")
        yield (f"{case[0]}.{case[1]}", *told)


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
            ignored = shutil.ignore_patterns(".*", "_build", "build", "dist", "*.egg-info")
            shutil.copytree(ROOT, tree, ignore=ignored, symlinks=True)
            command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-index"]
            command += ["--no-build-isolation", "-w", folder, str(tree)]
            subprocess.run(command, check=True)
        own = next(Path(folder).glob("litlearn-*.whl"))
        installed([own, kernels], Path(folder, "site"))
        rows = list(first_calls(Path(folder, "site"), level))
        if report:
            compiling = list(first_calls(Path(folder, "site"), "none"))
    for name, imported, first, warm, compiled in rows:
        told = f"compiled: {', '.join(compiled)}" if compiled else ""
        late = " too slow" if limit and first > limit else ""
        print(
            f"{name:45} import {imported:5.2f}  first {first:5.2f}  warm {warm:7.4f}{late}  {told}"
        )
        good = good and not compiled and not late
    if report:
        report.write_text(json.dumps(described(kernels, level, rows, compiling), indent=1) + "\n")
    return good


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
    tries.add_argument("--limit", type=float, default=0.0, help="seconds; 0: none")
    tries.add_argument("--json", type=Path, help="where the times go, also those without kernels")
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
    else:
        beyond(options.level or shipped.usable()[0], options.tests)
    return 0


if __name__ == "__main__":
    sys.exit(main())
