"""The courses of ``book/courses.toml``, and how long their pages take to read.

The main path of a page, what stands before its exercises and is not folded, is counted in words
(``book_prose.load``) and divided by a pace. A page for which minutes were noted has a pace of its
own, and all others share that of the noted ones together. Today's words are counted in both cases,
as the pages have changed since. It needs nothing but the standard library.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from book_prose import load, read

COURSES = ("afternoon", "lectures", "semester")


class Session(NamedTuple):
    """What is read and done together."""

    topic: str
    pages: list[str]
    exercises: list[str]


@cache
def plan(root: Path) -> dict:
    """Return what the file says."""
    return tomllib.loads((root / "book" / "courses.toml").read_text(encoding="utf-8"))


def sessions(root: Path, course: str) -> list[Session]:
    """Return the sessions of a course, in order."""
    return [Session(**one) for one in plan(root)[course]]


def words(root: Path, page: str) -> int:
    """Return the words of the main path of a page."""
    path = root / "book" / f"{page}.ipynb"
    if not path.is_file():
        text = path.with_suffix(".md").read_text(encoding="utf-8")
        return load([{"cell_type": "markdown", "source": text, "metadata": {}}])["words"]
    return load(read(path))["words"]


def pace(root: Path, page: str | None = None) -> float:
    """Return words a minute, of a page for which minutes were noted, or of all of them."""
    noted = plan(root)["noted"]
    those = [noted[page]] if page in noted else list(noted.values())
    return sum(one["words"] for one in those) / sum(one["minutes"] for one in those)


def minutes(root: Path, page: str) -> int:
    """Return the minutes that a page takes to read, to the nearest five."""
    return 5 * round(words(root, page) / pace(root, page) / 5)


def exercise_minutes(root: Path, stars: int) -> int:
    """Return the minutes that are planned for an exercise."""
    return plan(root)["planned"]["stars"][stars - 1]
