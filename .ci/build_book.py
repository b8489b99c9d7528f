"""Build the book into _build/html, never from stale parts, and do nothing when nothing changed.

A fingerprint of everything that the book is made of (pages, module, tests, benchmark results,
configuration, installed versions) decides. When it differs from that of the last build, all pages
are set again: an incremental build would keep old numbers, and would not repeat the warnings of the
pages that it leaves alone. The notebooks are executed before, each only if its own code or the code
beneath it changed since its last run (.ci/notebooks.py), as many at a time as there are processors.
"""

import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import notebooks

ROOT = notebooks.ROOT
BUILD = ROOT / "_build"
PAGE = BUILD / "html" / "index.html"
STAMP = BUILD / "fingerprint"

PARTS = [
    ".ci/build_book.py",
    ".ci/notebooks.py",
    ".ci/set_pages.py",
    "CHANGELOG.md",
    "_config.yml",
    "_toc.yml",
    "book",
    "index.md",
    "tests",
    *notebooks.BENEATH,
]


def main():
    started = time.perf_counter()
    now = notebooks.fingerprint(PARTS, ROOT)
    if PAGE.exists() and STAMP.exists() and STAMP.read_text() == now:
        print(f"The book is up to date: open {PAGE.relative_to(ROOT)}")
        return 0
    for old in BUILD.iterdir() if BUILD.is_dir() else ():
        if old != notebooks.STORE:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    if failures := notebooks.execute_missing(sorted((ROOT / "book").glob("*.ipynb"))):
        print(f"{len(failures)} notebooks failed: see the messages above.", file=sys.stderr)
        return 1
    print("Setting the pages", flush=True)
    command = [sys.executable, ".ci/set_pages.py", "build", ".", "-W", "--keep-going", "--quiet"]
    code = subprocess.run(command, cwd=ROOT).returncode
    if code or not PAGE.exists():
        print("The book has errors or warnings: see the messages above.", file=sys.stderr)
        return code or 1
    STAMP.write_text(now)
    seconds = time.perf_counter() - started
    print(f"The book was built in {seconds:.0f} s: open {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
