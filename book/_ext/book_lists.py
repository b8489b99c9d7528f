"""The figures, algorithms, theorems and definitions of the book, as its pages hold them.

The page *Figures, algorithms, theorems* is generated from these lists. It needs nothing but the
standard library.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

from equation_index import pages

FIGURE = re.compile(
    r"^(?P<fence>[`:]{3,})\{(?:figure|play)\}.*\n(?P<body>(?:.*\n)*?)(?P=fence)\s*$", re.M
)
BOX = re.compile(r"^[`:]{3,}\{prf:(?P<kind>\w+)\}(?P<title>.*)\n:label: *(?P<label>[\w-]+)", re.M)
KINDS = ("algorithm", "theorem", "proposition", "lemma", "definition")


class Item(NamedTuple):
    """One figure, or one box."""

    page: str  # as in _toc.yml
    label: str
    text: str  # the first sentence of a caption, the title of a box
    kind: str


def first_sentence(text: str) -> str:
    """Return the first sentence of a caption, two if it is a mere title of one or two words.

    A point inside a formula or an address ends none.
    """
    text = " ".join(text.split())
    hidden = re.sub(r"\$[^$]*\$|`[^`]*`|\]\([^)]*\)", lambda m: "x" * len(m[0]), text)
    ends = re.finditer(r"(?<!\be\.g)(?<!\bi\.e)[.!?](?=\s+[^a-z]|$)", hidden)
    long = (end.end() for end in ends if len(text[: end.end()].split()) > 2)
    return text[: next(long, len(text))]


def _sources(path: Path):
    """Yield the parts of a page: (its Markdown, the figure that a cell draws)."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        yield text, {}
        return
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"]) if cell["cell_type"] == "markdown" else ""
        yield source + "\n", cell["metadata"].get("mystnb", {}).get("figure", {})


def figures(root: Path) -> list[Item]:
    """Return the figures that have a name, in the order of the book."""
    found = []
    for path in pages(root):
        page = path.relative_to(root).with_suffix("").as_posix()
        for markdown, drawn in _sources(path):
            for figure in FIGURE.finditer(markdown):
                name = re.search(r"^:name: *([\w-]+)", figure["body"], re.M)
                caption = re.sub(r"^:[\w-]+:.*$", "", figure["body"], flags=re.M)
                if name:
                    found.append(Item(page, name[1], first_sentence(caption), "figure"))
            if "name" in drawn:
                caption = first_sentence(drawn.get("caption", ""))
                found.append(Item(page, drawn["name"], caption, "figure"))
    return found


def boxes(root: Path, kind: str) -> list[Item]:
    """Return the boxes of one kind that have a label, in the order of the book."""
    found = []
    for path in pages(root):
        page = path.relative_to(root).with_suffix("").as_posix()
        for markdown, _ in _sources(path):
            found += [
                Item(page, box["label"], box["title"].strip(), kind)
                for box in BOX.finditer(markdown)
                if box["kind"] == kind
            ]
    return found


def counts(root: Path) -> list[tuple[str, int]]:
    """Return what the book holds: (name, number)."""
    paths = pages(root)
    text = "\n".join(markdown for path in paths for markdown, _ in _sources(path))
    live = {path.stem for path in (root / "book" / "figures").glob("*.js")} - {"figure"}
    numbered = len(re.findall(r"\$\$[ \t]*\(eq-[\w-]+\)", text))
    return [
        ("pages that run", sum(path.suffix == ".ipynb" for path in paths)),
        ("figures", len(figures(root))),
        ("figures to play with", len(live)),
        ("numbered equations", numbered),
        *((f"{kind}s", len(boxes(root, kind))) for kind in KINDS),
        ("exercises", len(re.findall(r"^[`:]{3,}\{exercise(?:-start)?\}", text, re.M))),
    ]
