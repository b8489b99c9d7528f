"""Build the book into _build/html, never from stale parts, and do nothing when nothing changed.

Two fingerprints decide:

- *Everything that the book is made of* (pages, module, tests, benchmark results, configuration,
  installed versions). When it differs from that of the last build, all pages are set again: an
  incremental build would keep old numbers, and would not repeat the warnings of the pages that it
  leaves alone.
- *What lies beneath the notebooks* (module, benchmark results, installed versions). When it
  differs, the executed notebooks that Jupyter Book keeps in _build/.jupyter_cache are forgotten, as
  that cache knows a notebook's own code only. So a notebook runs again when its own code or the
  code beneath it changed, and only then.
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
EXECUTED_WITH = EXECUTED / "fingerprint"

BENEATH = ["benchmarks", "pyproject.toml", "src"]
PARTS = [
    ".ci/build_book.py",
    "CHANGELOG.md",
    "_config.yml",
    "_toc.yml",
    "book",
    "index.md",
    "tests",
    *BENEATH,
]
PASSING = {"__pycache__", ".ipynb_checkpoints"}


def files(parts):
    """The files that are, or lie under, the given parts of the project, in a fixed order."""
    for name in parts:
        path = ROOT / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            folders = file.relative_to(ROOT).parts
            if file.is_file() and not any(f in PASSING or f.endswith(".egg-info") for f in folders):
                yield file


def fingerprint(parts):
    """A digest of names and contents of the files, and of the versions of what is installed."""
    versions = sorted({f"{d.metadata['Name']} {d.version}" for d in metadata.distributions()})
    digest = hashlib.sha256("\n".join([platform.python_version(), *versions]).encode())
    for file in files(parts):
        digest.update(f"\n{file.relative_to(ROOT).as_posix()}\n".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def main():
    started = time.perf_counter()
    now, beneath = fingerprint(PARTS), fingerprint(BENEATH)
    if PAGE.exists() and STAMP.exists() and STAMP.read_text() == now:
        print(f"The book is up to date: open {PAGE.relative_to(ROOT)}")
        return 0
    for old in BUILD.iterdir() if BUILD.is_dir() else ():
        if old != EXECUTED:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    if not EXECUTED_WITH.exists() or EXECUTED_WITH.read_text() != beneath:
        shutil.rmtree(EXECUTED, ignore_errors=True)
        EXECUTED.mkdir(parents=True)
        EXECUTED_WITH.write_text(beneath)
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
