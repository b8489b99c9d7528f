"""The exercises of the book, as its pages hold them, and what is known of their answers.

An exercise is an ``{exercise}`` of sphinx-exercise, with stars in its title. Its solution is a
``{solution}``, or all cells from ``{solution-start}`` to ``{solution-end}``. The page *All
exercises* is generated from this list, and ``.ci/reading.py --students`` takes the solutions out of
the notebooks with it.

Which answers are numbers that follow from the question says ``book/answers.toml``, and where in
the solution they stand, so that no number is typed twice. ``printed`` is a regular expression for
the output of the solution's cells, ``asserted`` one for their code, where a cell asserts the
number. The groups, in order, are the answer. The tests compare outputs with a fresh run, so they
can be believed. Where no cell yields the number, ``missing`` says why.

It needs nothing but the standard library.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from equation_index import pages

EXERCISE = re.compile(
    r"^(?P<fence>[`:]{3,})\{exercise\} *(?P<title>.*)\n:label: *(?P<label>[\w-]+)[ \t]*\n"
    r"(?P<text>(?:.*\n)*?)(?P=fence)[ \t]*$",
    re.M,
)
SOLUTION = re.compile(
    r"^(?P<fence>[`:]{3,})\{solution(?P<gate>-start|-end|)\} *(?P<label>[\w-]*)[ \t]*\n"
    r"(?P<text>(?:.*\n)*?)(?P=fence)[ \t]*(?:\n|\Z)",
    re.M,
)
DERIVE = re.compile(r"\b(?:[Ss]how|Prove|[Dd]erive|Conclude)\b")
# Kind -> what it means, as the page says it.
KINDS = {
    "computation": "asks for numbers that follow from the question",
    "derivation": "asks to show, prove or derive something",
    "experiment": "draws data, or divides them, many times, and ends in a tendency",
    "program": "changes a program or writes one, and has three stars",
    "explanation": "asks for a formula, an example or reasons, and for none of the above",
}


@dataclass
class Exercise:
    """One exercise with its solution."""

    page: str  # as in _toc.yml
    label: str
    title: str  # without its stars
    stars: int
    text: str
    solution: str = ""
    code: list[str] = field(default_factory=list)  # the cells of the solution
    printed: str = ""  # what they print


def kinds(exercise: Exercise, entries: dict) -> list[str]:
    """Return the kinds of an exercise, by what it says and what its solution runs."""
    code, derives = "\n".join(exercise.code), DERIVE.search(exercise.text)
    found = {
        "computation": exercise.label in entries,
        "derivation": derives,
        "experiment": "claim(" in code,
        "program": exercise.stars == 3 and ("def " in code or not derives),
    }
    return [kind for kind in KINDS if found.get(kind)] or ["explanation"]


def pieces(cells: list[dict]) -> Iterator[tuple[str, str | dict, str]]:
    """Yield (label of the solution it belongs to or "", text or code cell, id of its cell)."""
    solving = ""
    for cell in cells:
        if cell["cell_type"] != "markdown":
            yield solving, cell, cell["id"]
            continue
        text, start = "".join(cell["source"]), 0
        for found in [*SOLUTION.finditer(text), None]:
            yield solving, text[start : found.start() if found else len(text)], cell["id"]
            if found:
                start = found.end()
                if found["gate"]:
                    solving = found["label"] if found["gate"] == "-start" else ""
                else:
                    yield found["label"], found["text"], cell["id"]


def of_page(path: Path, page: str) -> list[Exercise]:
    """Return the exercises of one notebook, in their order."""
    found: dict[str, Exercise] = {}
    for solves, piece, _ in pieces(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        if not solves and isinstance(piece, str):
            for one in EXERCISE.finditer(piece):
                title, stars = re.fullmatch(r"(.*?) *(★*)", one["title"].strip()).groups()
                label, text = one["label"], one["text"].strip()
                found[label] = Exercise(page, label, title, len(stars), text)
        elif solves and isinstance(piece, str):
            found[solves].solution += re.sub(r"^:class:.*$", "", piece, flags=re.M).strip() + "\n"
        elif solves:
            found[solves].code.append("".join(piece["source"]))
            found[solves].printed += "".join(
                "".join(output.get("text", "")) for output in piece["outputs"]
            )
    return list(found.values())


def exercises(root: Path) -> list[Exercise]:
    """Return the exercises of all notebooks, in the order of the book."""
    return [
        one
        for path in pages(root)
        if path.suffix == ".ipynb"
        for one in of_page(path, path.relative_to(root).with_suffix("").as_posix())
    ]


# -- answers --------------------------------------------------------------------------------------


@dataclass
class Answer:
    """The numbers that an exercise asks for, written with the decimals that count."""

    is_: str  # what they are
    numbers: list[str]
    given: str = ""  # lines of the solution that a student needs

    @property
    def decimals(self) -> list[int]:
        return [len(number.partition(".")[2]) for number in self.numbers]


def known(root: Path) -> dict[str, dict]:
    """Return label -> what is known of the answer."""
    return tomllib.loads((root / "book" / "answers.toml").read_text(encoding="utf-8"))


def answer(exercise: Exercise, entry: dict) -> Answer:
    """Return the answer that stands in the solution of an exercise."""
    where = "printed" if "printed" in entry else "asserted"
    text = exercise.printed if where == "printed" else "\n".join(exercise.code)
    found = [number for one in re.finditer(entry[where], text, re.M) for number in one.groups()]
    if not found:
        raise ValueError(f"{exercise.label}: nothing is {where} that fits {entry[where]!r}")
    numbers = [number.replace("−", "-").replace(",", "").rstrip(".") for number in found]
    if "decimals" in entry:
        numbers = [f"{float(number):.{entry['decimals']}f}" for number in numbers]
    return Answer(entry["answer"], numbers, assignments(exercise, entry.get("given", ())))


def assignments(exercise: Exercise, names: list[str]) -> str:
    """Return the lines of a solution that give values to some names."""
    lines = [
        ast.get_source_segment(source, node)
        for source in exercise.code
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and node.targets[0].id in names
    ] if names else []  # fmt: skip
    return "\n".join(lines)


def answers(root: Path) -> dict[str, Answer]:
    """Return label -> answer, for the exercises whose answer can be compared with numbers."""
    entries = known(root)
    return {
        one.label: answer(one, entries[one.label])
        for one in exercises(root)
        if "answer" in entries.get(one.label, {})
    }
