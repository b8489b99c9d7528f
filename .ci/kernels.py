"""Compile all kernels for whole levels of processors, and pack them as a wheel.

    python .ci/kernels.py build [--levels x86-64-v3 ...] [--folder dist]
    python .ci/kernels.py beyond [--level x86-64-v3] TESTS...

``build`` runs the cases of ``litlearn.warm_up`` once for each level that this processor has, and
writes the wheel litlearn-kernels, which holds nothing but entries of the cache: for this version of
Python and of Numba, and for the state of ``src`` as it is. ``beyond`` runs tests with these kernels
and an empty cache, and names what was compiled all the same: a case that the warm-up forgot.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

import numba  # noqa: E402
from litlearn._core import shipped  # noqa: E402
from litlearn._core.cache import FOLDER  # noqa: E402
from litlearn._core.jit import source_stamp  # noqa: E402
from numba.core.caching import _CacheLocator  # noqa: E402

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

What Numba makes of the functions of [litlearn]({home}), for whole levels of processors ({levels}).
litlearn finds it when it is installed beside it (`pip install litlearn[kernels]`), uses it for the same
version of litlearn, Numba {numba} and Python {python}, and compiles as usual where it does not fit.
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
        quiet = subprocess.DEVNULL
        subprocess.run(command, env=environment(level, cache), check=True, stdout=quiet)
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
    python = ">=3.{},<3.{}".format(sys.version_info[1], sys.version_info[1] + 1)
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
        "--levels", nargs="*", help="the best first; default: all of this processor"
    )
    builds.add_argument("--folder", type=Path, default=ROOT / "dist")
    tests = commands.add_parser("beyond")
    tests.add_argument("--level", default=None)
    tests.add_argument("tests", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.command == "build":
        options.folder.mkdir(parents=True, exist_ok=True)
        build(options.levels or shipped.usable(), options.folder)
    else:
        beyond(options.level or shipped.usable()[0], options.tests)


if __name__ == "__main__":
    main()
