"""Build what is published, look at it, and use it where nothing else is installed.

    python .ci/dist.py [--folder dist] [--kernels] [--only newest oldest sdist]

Builds the source distribution from the files that git knows and the wheel from the source
distribution, as an installer does; with ``--kernels`` also the wheel litlearn-kernels for the best
level of this processor. ``twine check`` reads their metadata, and ``problems`` what is inside. Then
each goes into an empty environment: the wheel with the newest versions of what it needs, and with
the oldest that pyproject.toml allows; the source distribution with the newest. ``.ci/smoke.py``
fits every estimator there and runs README's example. It compiles for some minutes in each.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BACKEND = "import sys, setuptools.build_meta as b; print(getattr(b, sys.argv[1])(sys.argv[2]))"


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if done.returncode:
        raise RuntimeError(
            f"{' '.join(map(str, command[:6]))}: {(done.stderr or done.stdout)[-3000:]}"
        )
    return done.stdout


def listed():
    """The names of the files that git knows."""
    return run("git", "ls-files", cwd=ROOT).splitlines()


def build(folder):
    """Write the source distribution, and the wheel from it; return both paths."""
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as copy:
        tree = Path(copy, "tree")
        for name in listed():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
        commit = run("git", "rev-parse", "--git-dir", cwd=ROOT).strip()
        # The version names the commit, which setup.py asks git for.
        (tree / ".git").write_text(f"gitdir: {Path(ROOT, commit).resolve()}\n", encoding="utf-8")
        out = run(sys.executable, "-c", BACKEND, "build_sdist", folder, cwd=tree)
        sdist = folder / out.splitlines()[-1]
        with tarfile.open(sdist) as archive:
            archive.extractall(copy, filter="data")
        (unpacked,) = Path(copy).glob("litlearn-*")
        out = run(sys.executable, "-c", BACKEND, "build_wheel", folder, cwd=unpacked)
    return sdist, folder / out.splitlines()[-1]


def problems(sdist, wheel, names):
    """What is missing in the two files, or should not be there.

    Parameters
    ----------
    sdist, wheel : collection of str
        The names inside, without the folder of the source distribution.
    names : collection of str
        The files of the project.
    """
    licences = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "license-files"
    ]
    packaged = {name.removeprefix("src/") for name in names if name.startswith("src/litlearn/")}
    about = {name for name in wheel if re.match(r"litlearn-[^/]*\.dist-info/", name)}
    inside = {re.sub(r"^[^/]*/licenses/", "", name) for name in about}
    made = re.compile(r"PKG-INFO|setup\.cfg|src/litlearn\.egg-info/.*")
    out = [f"wheel: no {name}" for name in sorted(packaged - set(wheel))]
    out += [f"wheel: no licence {name}" for name in licences if name not in inside]
    out += [
        f"wheel: {name} does not belong there" for name in sorted(set(wheel) - packaged - about)
    ]
    out += [f"source: no {name}" for name in sorted(set(names) - set(sdist))]
    strange = (name for name in sorted(set(sdist) - set(names)) if not made.fullmatch(name))
    return out + [f"source: {name} does not belong there" for name in strange]


def problems_of_kernels(names, metadata, version):
    """What is wrong with the wheel litlearn-kernels, given the names inside and its metadata."""
    about = r"litlearn_kernels-[^/]*\.dist-info/"
    known = re.compile(rf"litlearn_kernels/(?:__init__\.py|.*\.nbc)|{about}.*")
    wanted = {"compiled functions": r".*\.nbc", "licence LICENSE": rf"{about}licenses/LICENSE"}
    out = [
        f"kernels: no {what}"
        for what, name in wanted.items()
        if not any(re.fullmatch(name, one) for one in names)
    ]
    if not re.search(rf"^Requires-Dist: litlearn=={re.escape(version)}$", metadata, re.MULTILINE):
        out.append(f"kernels: not those of litlearn {version}")
    strange = (name for name in sorted(names) if not known.fullmatch(name))
    return out + [f"kernels: {name} does not belong there" for name in strange]


def inside(kernels):
    """The names in the wheel litlearn-kernels, and its metadata."""
    with zipfile.ZipFile(kernels) as packed:
        names = [name for name in packed.namelist() if not name.endswith("/")]
        about = next(name for name in names if name.endswith(".dist-info/METADATA"))
        return names, packed.read(about).decode()


def names_in(sdist, wheel):
    """The names in the two files."""
    with tarfile.open(sdist) as archive, zipfile.ZipFile(wheel) as packed:
        of_source = {one.name.split("/", 1)[1] for one in archive if one.isfile()}
        return of_source, {name for name in packed.namelist() if not name.endswith("/")}


def environment(folder):
    """Make an empty environment; return its Python."""
    venv.create(folder, with_pip=True)
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def install(python, *what):
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *what)


def tried(what, oldest, kernels=None):
    """Install a file in an empty environment and use it; return the versions that were there."""
    with tempfile.TemporaryDirectory() as folder:
        python = environment(Path(folder, "env"))
        limits = Path(folder, "oldest.txt")
        limits.write_text(run(sys.executable, ROOT / ".ci" / "oldest.py") if oldest else "")
        install(python, what, *([kernels] if kernels else []), "-c", limits)
        known = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "NUMBA_CACHE_DIR")}
        known["NUMBA_CACHE_DIR"] = str(Path(folder, "cache"))
        smoke = shutil.copy(ROOT / ".ci" / "smoke.py", folder)
        told = run(python, smoke, ROOT / "README.md", env=known, cwd=folder)
    return json.loads(told.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=ROOT / "dist")
    parser.add_argument(
        "--kernels", action="store_true", help="build and use litlearn-kernels, too"
    )
    parser.add_argument("--only", nargs="+", default=["newest", "oldest", "sdist"])
    options = parser.parse_args()
    sdist, wheel = build(options.folder)
    files, kernels = [sdist, wheel], None
    if options.kernels:
        run(sys.executable, ROOT / ".ci" / "kernels.py", "build", "--levels", "best",
            "--folder", options.folder)  # fmt: skip
        kernels = max(options.folder.glob("litlearn_kernels-*.whl"), key=os.path.getmtime)
        files.append(kernels)
    wrong = problems(*names_in(sdist, wheel), listed())
    if kernels:
        wrong += problems_of_kernels(*inside(kernels), wheel.name.split("-")[1])
    with tempfile.TemporaryDirectory() as folder:
        python = environment(Path(folder, "tools"))
        install(python, "twine")
        run(python, "-m", "twine", "check", "--strict", *files)
    for path in files:
        print(f"{path.name}: {path.stat().st_size / 2**20:.2f} MB, metadata are right", flush=True)
    print("\n".join(wrong) or "What is inside is what belongs there", flush=True)
    for name in options.only:
        # Kernels are of one version of Numba, the one that built them.
        beside = kernels if name == "newest" else None
        found = tried(sdist if name == "sdist" else wheel, name == "oldest", beside)
        if beside and found["compiled"]:
            wrong.append(f"kernels: {found['compiled']} functions are compiled all the same")
            print(wrong[-1], flush=True)
        versions = ", ".join(f"{key} {value}" for key, value in found["versions"].items())
        took = f"{found['seconds']:.0f} s, {found['compiled']} compilations"
        print(f"{name}: {found['estimators']} estimators and README's example, {took}", flush=True)
        print(f"  {versions}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
