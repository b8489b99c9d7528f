"""Build the book into _build/html, and never from stale parts.

Two fingerprints decide what is done again:

- *everything that the book is made of* (pages, module, tests, benchmark results, configuration,
  installed versions). Unchanged: nothing is done. Changed: the pages are all set again, because an
  incremental build keeps old numbers and repeats no warning of the pages that it leaves alone.
- *everything that a notebook's outputs depend on besides its own cells* (module, benchmark results,
  installed versions). It names the folder of executed notebooks, so that a notebook is executed
  again when its code or anything beneath it changed, and only then.
"""

import hashlib
import platform
import shutil
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"
PAGE = BUILD / "html" / "index.html"
STAMP = BUILD / "fingerprint"
EXECUTED = ROOT / ".cache" / "executed"
CONFIG = ROOT / ".cache" / "config.yml"

BENEATH_NOTEBOOKS = ["src", "benchmarks"]
EVERYTHING = [
    *BENEATH_NOTEBOOKS,
    "book",
    "tests",
    "index.md",
    "_config.yml",
    "_toc.yml",
    "CHANGELOG.md",
    "pyproject.toml",
    ".ci/build_book.py",
]
PASSING = {"__pycache__", ".ipynb_checkpoints"}


def files_under(names):
    """The files that are, or lie under, the given names, in a fixed order."""
    for name in names:
        path = ROOT / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            parts = file.relative_to(ROOT).parts
            if file.is_file() and not any(p in PASSING or p.endswith(".egg-info") for p in parts):
                yield file


def installed():
    """Versions of Python and of every installed distribution."""
    versions = {f"{d.metadata['Name']} {d.version}" for d in metadata.distributions()}
    return [platform.python_version(), platform.machine(), *sorted(versions)]


def fingerprint(names):
    """A digest of names and contents of files, and of the installed versions."""
    digest = hashlib.sha256("\n".join(installed()).encode())
    for file in files_under(names):
        digest.update(f"\n{file.relative_to(ROOT).as_posix()}\n".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def write_config(executed):
    """A copy of _config.yml that takes executed notebooks from the given folder."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    config.setdefault("execute", {}).update(execute_notebooks="cache", cache=str(executed))
    # Jupyter Book takes these folders relative to the configuration file, which has moved.
    extensions = config.get("sphinx", {}).get("local_extensions") or {}
    for name, folder in extensions.items():
        extensions[name] = str((ROOT / folder).resolve())
    CONFIG.parent.mkdir(parents=True, exist_ok=True)
    CONFIG.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")


def main():
    started = time.perf_counter()
    whole = fingerprint(EVERYTHING)
    if PAGE.exists() and STAMP.exists() and STAMP.read_text() == whole:
        print(f"The book is up to date: {PAGE.relative_to(ROOT)}")
        return 0
    executed = EXECUTED / fingerprint(BENEATH_NOTEBOOKS)
    if EXECUTED.is_dir():
        for other in EXECUTED.iterdir():
            if other != executed:
                shutil.rmtree(other)
    write_config(executed)
    shutil.rmtree(BUILD, ignore_errors=True)
    jupyter_book = Path(sys.executable).parent / "jupyter-book"
    command = [jupyter_book, "build", ".", "-W", "--keep-going", "--config", CONFIG]
    code = subprocess.run(command, cwd=ROOT).returncode
    if code or not PAGE.exists():
        print("The book was not built: see the messages above.", file=sys.stderr)
        return code or 1
    STAMP.write_text(whole)
    seconds = time.perf_counter() - started
    print(f"The book was built in {seconds:.0f} s: open {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
