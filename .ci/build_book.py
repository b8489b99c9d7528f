"""Build the book into _build/html, and do nothing when nothing changed.

A fingerprint of everything that the book is made of (pages, module, tests, benchmark results,
configuration, installed versions) decides. When it differs from that of the last build, all pages
are set again: an incremental build would keep old numbers, and would not repeat the warnings of the
pages that it leaves alone. Executed notebooks are kept in _build/.jupyter_cache, one folder for
each state of the code (see book/_ext/litlearn_book.py), so that a notebook runs again when its own
code or the code beneath it changed, and only then.
"""

import hashlib
import platform
import shutil
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"
EXECUTED = BUILD / ".jupyter_cache"
PAGE = BUILD / "html" / "index.html"
STAMP = BUILD / "fingerprint"
STATES_KEPT = 3

PARTS = [
    ".ci/build_book.py",
    "CHANGELOG.md",
    "_config.yml",
    "_toc.yml",
    "benchmarks",
    "book",
    "index.md",
    "pyproject.toml",
    "src",
    "tests",
]
PASSING = {"__pycache__", ".ipynb_checkpoints"}


def files():
    """The files that the book is made of, in a fixed order."""
    for name in PARTS:
        path = ROOT / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            folders = file.relative_to(ROOT).parts
            if file.is_file() and not any(f in PASSING or f.endswith(".egg-info") for f in folders):
                yield file


def fingerprint():
    """A digest of names and contents of the files, and of the versions of what is installed."""
    versions = sorted({f"{d.metadata['Name']} {d.version}" for d in metadata.distributions()})
    digest = hashlib.sha256("\n".join([platform.python_version(), *versions]).encode())
    for file in files():
        digest.update(f"\n{file.relative_to(ROOT).as_posix()}\n".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def main():
    started = time.perf_counter()
    now = fingerprint()
    if PAGE.exists() and STAMP.exists() and STAMP.read_text() == now:
        print(f"The book is up to date: open {PAGE.relative_to(ROOT)}")
        return 0
    for old in BUILD.iterdir() if BUILD.is_dir() else ():
        if old != EXECUTED:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    states = EXECUTED.iterdir() if EXECUTED.is_dir() else ()
    for old in sorted(states, key=lambda state: state.stat().st_mtime)[:-STATES_KEPT]:
        shutil.rmtree(old)
    jupyter_book = Path(sys.executable).parent / "jupyter-book"
    code = subprocess.run([jupyter_book, "build", ".", "-W", "--keep-going"], cwd=ROOT).returncode
    if code or not PAGE.exists():
        print("The book has errors or warnings: see the messages above.", file=sys.stderr)
        return code or 1
    STAMP.write_text(now)
    seconds = time.perf_counter() - started
    print(f"The book was built in {seconds:.0f} s: open {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
