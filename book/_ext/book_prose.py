"""The text of a page as a reader meets it: its sentences, and what can be counted of them.

``tests/test_book_budget.py`` holds the counts against the limits that a chapter has, and
``book_claims`` asks of each sentence whether it says a tendency. It needs nothing but the standard
library.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

# Directives whose content a reader has to open, or does on paper.
FOLDED = {"dropdown", "exercise", "exercise-start", "solution", "solution-start"}
BEFORE_EXERCISES = re.compile(r"^#+ *(Exercises|Going further)", re.MULTILINE)
FENCE = re.compile(r"^\s*(`{3,}|:{3,})(?:\{([\w:-]+)\})?(.*)$")
WORD = re.compile(r"[A-Za-z][\w'’-]*")
# Marks a claim within a sentence whose markup is gone.
ANCHOR = re.compile(r"⟦([\w-]+)⟧")


class Sentence(NamedTuple):
    """One sentence of a page, without its markup."""

    cell: int
    text: str
    anchors: tuple[str, ...]  # names of the claims that stand behind it
    within: tuple[str, ...]  # the directives around it, such as prf:proof
    computed: bool = False  # whether a cell wrote it


def read(path):
    """Return the cells of a notebook, each with its source as one string."""
    cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
    return [dict(cell, source="".join(cell["source"])) for cell in cells]


def tags(cell):
    return set(cell["metadata"].get("tags", []))


def figure(cell):
    """Return the caption and the alternative text of the figure that a cell draws."""
    shown = cell["metadata"].get("mystnb", {})
    return shown.get("figure", {}).get("caption", ""), shown.get("image", {}).get("alt", "")


def computed(cell):
    """Return the Markdown that a cell has written, without rows of tables and lines of code."""
    parts = ["".join(out.get("data", {}).get("text/markdown", "")) for out in cell["outputs"]]
    without = re.compile(r"^```.*?^```|^\|.*?$", re.MULTILINE | re.DOTALL)
    return "\n\n".join(without.sub("", part) for part in parts)


def blocks(text):
    """Yield (lines, directives around them) of a Markdown text, fence by fence."""
    kept, fences = [], []  # fences: [characters, name, whether it is folded]
    for line in text.splitlines():
        fence = FENCE.match(line)
        if fence and (fence[2] or fence[3].strip() or not fences or fence[1] != fences[-1][0]):
            yield kept, fences
            kept = []
            fences = [*fences, [fence[1], fence[2] or "code", fence[2] in FOLDED]]
        elif fence:
            yield kept, fences
            kept, fences = [], fences[:-1]
        elif fences and re.match(r"\s*:[\w-]+:", line):
            if re.match(r"\s*:class:.*\bdropdown\b", line):
                fences = [*fences[:-1], [*fences[-1][:2], True]]
        else:
            kept.append(line)
    yield kept, fences


def unfolded(text):
    """Return Markdown without what is folded: dropdowns, exercises, solutions."""
    parts = [
        "\n".join(lines)
        for lines, fences in blocks(text)
        if not any(folded or name == "code" for _, name, folded in fences)
    ]
    return "\n".join(parts)


def plain(text):
    """Return Markdown as its words: without formulas, roles, tables, labels and headings."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"\$\$.*?\$\$(?: *\([\w-]+\))?", ". ", text, flags=re.DOTALL)
    kept = []
    for line in text.split("\n"):
        aside = re.match(r"\s*(?:\||#|\([\w-]+\)=|\[\^|:[\w-]+:)", line)
        kept.append("" if aside else re.sub(r"^\s*(?:[-*>]|\d+\.)\s+(?:\* )?", "", line))
    text = "\n".join(kept)
    text = re.sub(r"\{claim\}`([\w-]+)`", r"⟦\1⟧", text)
    text = re.sub(r"([.!?:)]+)((?:⟦[\w-]+⟧)+)", r"\2\1", text)
    text = re.sub(r"\{cite:?\w*\}`[^`]*`", "⟦cite⟧", text)
    text = re.sub(r"\{[\w:-]+\}`([^`<]*)(?:<[^`]*>)?`", r"\1", text)
    text = re.sub(r"\$[^$\n]+\$", "x", text)
    text = re.sub(r"`[^`\n]*`", "code", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return text.replace("**", "").replace("*", "")


def split(text):
    """Return the sentences of a text without markup."""
    found = []
    for paragraph in re.split(r"\n\s*\n", text):
        paragraph = " ".join(paragraph.split())
        found += re.split(r"(?<=[.!?])\s+(?=[A-Z“\"(⟦])", paragraph)
    return [one for one in found if len(re.findall(r"[A-Za-z]{2,}", one)) >= 2]


def items(text):
    """Put each item of a list, and each answer of a prediction, into a paragraph of its own."""
    return re.sub(r"^(?=\s*(?:[-*]|\d+\.) )", "\n", text, flags=re.MULTILINE)


def sentences(cells):
    """Yield the sentences of a page: text, captions, alternative texts, and what cells wrote."""
    for i, cell in enumerate(cells):
        if cell["cell_type"] == "markdown":
            parts = [
                ("\n".join(lines), tuple(name for _, name, _ in fences))
                for lines, fences in blocks(cell["source"])
            ]
            parts = [part for part in parts if "code" not in part[1]]
            parts += [(alt, ("alt",)) for alt in re.findall(r"^:alt: *(.*)$", cell["source"], re.M)]
        else:
            caption, alt = figure(cell)
            parts = [(computed(cell), ()), (caption, ("caption",)), (alt, ("alt",))]
        for text, within in parts:
            for one in split(plain(items(text))):
                bare = " ".join(ANCHOR.sub("", one).split())
                anchors = tuple(ANCHOR.findall(one))
                yield Sentence(i, bare, anchors, within, cell["cell_type"] == "code")


# -- counts ---------------------------------------------------------------------------------------


def count_words(text):
    """Words of a Markdown text; a formula in a line is one word, a displayed one is none."""
    displayed = r"<!--.*?-->|\$\$.*?\$\$(?: \([\w-]+\))?|\\begin\{(align|equation).*?\\end\{\1"
    text = re.sub(displayed, " ", text, flags=re.DOTALL)
    text = re.sub(r"\{claim\}`[^`]*`", " ", text)
    text = re.sub(r"\$[^$]*\$", " formula ", text)
    # The targets of links, the names of roles and labels are not read; nor are options.
    text = re.sub(r"^\([\w-]+\)=$|^\s*:[\w-]+:.*$", " ", text, flags=re.MULTILINE)
    text = re.sub(r"\{[\w:-]+\}`|\]\([^)]*\)|<[^>]*>", " ", text)
    return len(WORD.findall(text))


def count_equations(text):
    return (
        len(re.findall(r"\$\$", text)) // 2
        + len(re.findall(r"\\begin\{(?:align|equation|gather)\*?\}", text))
        + len(re.findall(r"^\s*[`:]{3,}\{math\}", text, re.MULTILINE))
    )


def count_code(source):
    """Lines of code: neither empty nor a comment."""
    lines = (line.strip() for line in source.splitlines())
    return sum(bool(line) and not line.startswith("#") for line in lines)


CODE_HIDDEN = {"hide-input", "remove-input", "hide-cell", "remove-cell"}
OUTPUT_HIDDEN = {"hide-output", "remove-output", "hide-cell", "remove-cell"}


def shown(output):
    """Return what a reader reads of an output: (text of a sentence, number of printed lines)."""
    data = output.get("data", {})
    if any(kind.startswith("image/") for kind in data):
        return "", 0
    page = "".join(data.get("text/html", ""))
    if page:
        return "", len(re.findall(r"<tr\b", page))
    if "text/markdown" in data:
        text = "".join(data["text/markdown"])
        rows = re.findall(r"^\|.*$\n?", text, re.MULTILINE)
        return re.sub(r"^\|.*$\n?", "", text, flags=re.MULTILINE), len(rows)
    text = "".join(output.get("text", data.get("text/plain", "")))
    return "", sum(bool(line.strip()) for line in text.splitlines())


def load(cells, captions=True):
    """Count the main path of a page: words, equations, code and output."""
    total = dict.fromkeys(("words", "equations", "code", "output"), 0)
    for cell in cells:
        source, end = cell["source"], None
        if cell["cell_type"] == "markdown":
            end = BEFORE_EXERCISES.search(source)
            text = unfolded(source[: end.start()] if end else source)
            total["words"] += count_words(text)
            total["equations"] += count_equations(text)
        elif cell["cell_type"] == "code":
            total["code"] += 0 if tags(cell) & CODE_HIDDEN else count_code(source)
            total["words"] += count_words(figure(cell)[0]) if captions else 0
            for output in [] if tags(cell) & OUTPUT_HIDDEN else cell["outputs"]:
                text, lines = shown(output)
                total["words"] += count_words(re.sub(r"```.*?```", "", text, flags=re.DOTALL))
                total["output"] += lines
        if end:
            break
    return total


# Turns of phrase that read as translated, or that make things of persons and persons of things.
TURNS = [
    r"\bwhoever\b",
    r"\b(?:some|no|any|every)body\b",
    r"(?:,| and) no (?:\w+ )?\w+[.;]",
    r"\bin the place of\b",
    r"\bshall\b",
    r"\bso (?:much|many) (?:that|so)\b",
    r"\bby lot\b",
    r"\blaid aside\b",
    r"\bin life\b",
    r"\bthe own\b",
    r"\bin the mean\b",
    r"\bstands? for itself\b",
    r"\bparts? the (?:well|ill|two|groups)\b",
    r"\bthe one\b[^.]{0,40}\bthe other\b",
    r"\bhas them not\b",
    r"\bon file\b",
    r"\bfrom which \w on\b",
    r"\bwhich one\b",
    r"\bMind (?:the|that)\b",
    r"\bno verdict\b",
    r"\bto the last digit\b",
    r"\b(?:data|number|matrix|line|tree|model|program|BIC|table)s? "
    r"(?:know|see|care|notice|want|remember|tell|say)s?\b",
    r"^(?:How|What|Which|Whether|Where|Of|To|From|Against|Without)\b[^?]*,[^?]*\.$",
    r"^(?:So|But|And|Then|Here|Now|This|That|It|There)\b.{0,38}\.$",
]


def voice(cells):
    """Return symptoms of prose that is counted instead of heard; the text is all of the page's."""
    text = "\n\n".join(cell["source"] for cell in cells if cell["cell_type"] == "markdown")
    said = [
        one.text for one in sentences(cells) if not one.computed and one.within[-1:] != ("alt",)
    ]
    words = sum(len(WORD.findall(one)) for one in said) or 1
    turns = sum(bool(re.search(turn, one)) for one in said for turn in TURNS)
    end = next((i for i, c in enumerate(cells) if BEFORE_EXERCISES.search(c["source"])), len(cells))
    return {
        "colons per 1000 words": 1000 * sum(len(re.findall(r":(?=\s|$)", s)) for s in said) / words,
        "% of short sentences": 100 * sum(len(s.split()) <= 7 for s in said) / max(1, len(said)),
        "turns of phrase per 1000 words": 1000 * turns / words,
        "questions in bold": len(re.findall(r"\*\*[^*\n]+\?\*\*", text)),
        "long formulas in lines": sum(
            len(one) > 25 for one in re.findall(r"(?<!\$)\$([^$\n]+)\$(?!\$)", text)
        ),
        "folded bars": sum(bool(tags(cell) & {"hide-input", "hide-cell"}) for cell in cells[:end]),
    }
