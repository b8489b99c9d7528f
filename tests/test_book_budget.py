"""A chapter can be read in 45 minutes: what a reader passes on the way to its exercises is counted.

The main path of a chapter page is what stands before its exercises and is not folded. It has a
budget of words, displayed equations, visible lines of code and printed lines. What does not fit
goes into a dropdown, onto an inside page, or away.
"""

import json
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent

BUDGET = {"words": 4500, "equations": 14, "code": 150, "output": 60}

FOLDED = {"dropdown", "exercise", "exercise-start", "solution", "solution-start"}
CODE_HIDDEN = {"hide-input", "remove-input", "hide-cell", "remove-cell"}
OUTPUT_HIDDEN = {"hide-output", "remove-output", "hide-cell", "remove-cell"}
END = re.compile(r"^#+ *(Exercises|Going further)", re.MULTILINE)
FENCE = re.compile(r"^\s*(`{3,}|:{3,})(?:\{([\w:-]+)\})?(.*)$")


def chapter_pages():
    """Return the pages that a reader passes: methods without inside pages, comparison, recipes."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    chapters = next(part["chapters"] for part in toc["parts"] if part["caption"] == "Methods")
    files = [entry["file"] for c in chapters for entry in [c, *c.get("sections", [])]]
    files = [file for file in files if not file.endswith("_inside")]
    return [ROOT / f"{file}.ipynb" for file in [*files, "book/comparison", "book/recipes"]]


def unfolded(text):
    """Return Markdown without what is folded: dropdowns, exercises, solutions."""
    kept, fences = [], []  # fences: (its characters, whether what it holds is folded)
    for line in text.splitlines():
        fence = FENCE.match(line)
        if fence and fence[2]:
            fences.append((fence[1], fence[2] in FOLDED))
        elif fence and fences and fence[1] == fences[-1][0] and not fence[3].strip():
            fences.pop()
        elif fence and fence[3].strip():
            fences.append((fence[1], False))
        elif fences and re.match(r"\s*:class:.*\bdropdown\b", line):
            fences[-1] = (fences[-1][0], True)
        elif not any(folded for _, folded in fences):
            kept.append(line)
    return "\n".join(kept)


def count_words(text):
    """Words of a Markdown text; a formula in a line is one word, a displayed one is none."""
    displayed = r"<!--.*?-->|\$\$.*?\$\$(?: \([\w-]+\))?|\\begin\{(align|equation).*?\\end\{\1"
    text = re.sub(displayed, " ", text, flags=re.DOTALL)
    text = re.sub(r"\$[^$]*\$", " formula ", text)
    # The targets of links, the names of roles and labels are not read; nor are options.
    text = re.sub(r"^\([\w-]+\)=$|^\s*:[\w-]+:.*$", " ", text, flags=re.MULTILINE)
    text = re.sub(r"\{[\w:-]+\}`|\]\([^)]*\)|<[^>]*>", " ", text)
    return len(re.findall(r"[A-Za-z][\w'’-]*", text))


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


def load(notebook):
    """Count the main path of a page: words, equations, code and output."""
    total = dict.fromkeys(BUDGET, 0)
    for cell in notebook["cells"]:
        source, tags = "".join(cell["source"]), set(cell["metadata"].get("tags", []))
        end = None
        if cell["cell_type"] == "markdown":
            end = END.search(source)
            text = unfolded(source[: end.start()] if end else source)
            total["words"] += count_words(text)
            total["equations"] += count_equations(text)
        elif cell["cell_type"] == "code":
            total["code"] += 0 if tags & CODE_HIDDEN else count_code(source)
            for output in [] if tags & OUTPUT_HIDDEN else cell["outputs"]:
                text, lines = shown(output)
                total["words"] += count_words(re.sub(r"```.*?```", "", text, flags=re.DOTALL))
                total["output"] += lines
        if end:
            break
    return total


@pytest.mark.parametrize("path", chapter_pages(), ids=lambda path: path.stem)
def test_main_path_is_within_its_budget(path):
    counts = load(json.loads(path.read_text(encoding="utf-8")))
    over = {what: count for what, count in counts.items() if count > BUDGET[what]}
    assert over == {}, f"at most {BUDGET}"


def _markdown(text):
    return {"cell_type": "markdown", "source": text, "metadata": {}}


def _code(text, *outputs, tags=()):
    outputs = [{"output_type": "display_data", "data": data} for data in outputs]
    return {"cell_type": "code", "source": text, "metadata": {"tags": tags}, "outputs": outputs}


def test_counting_sees_what_a_reader_sees():
    page = [
        _markdown("(a-label)=\n# Two words\n\nA [link](there.md#x) to {ref}`it <that>`."),
        _markdown("$$\nx\n$$ (eq-x)"),
        _markdown("````{admonition} Checkpoint\n:class: tip\nOne $x+y$.\n```{dropdown} Fold"),
        _markdown("```{admonition} Folded\n:class: dropdown\nNothing $$b$$ here.\n```"),
        _markdown(":::{prf:proof}\nSeen.\n:::"),
        _code("# a comment\na = 1\n\nb = 2", {"text/plain": "1\n\n2"}),
        _code("c = 3", {"text/plain": "3"}, tags=["hide-input"]),
        _code("d = 4", {"text/plain": "4"}, tags=["hide-cell"]),
        _code("e = 5", {"image/png": "", "text/plain": "<Figure>"}, tags=["remove-input"]),
        _code("f", {"text/html": "<table><tr></tr><tr></tr></table>", "text/plain": "x\ny\nz"}),
        _code("g", {"text/markdown": "Three words here.", "text/plain": "<Markdown>"}),
        _code("i", {"text/markdown": "| a | b |\n|--|--|\n| c | d |", "text/plain": "a"}),
        _markdown("Last.\n\n## Exercises\n\nNot counted $$y$$"),
        _code("h = 6", {"text/plain": "6"}),
    ]
    page[2]["source"] += "\nNo.\n$$a$$\n```\n````"
    # Two words / A link to it / One formula / Seen / Three words here / Last
    counts = load({"cells": page})
    assert counts == {"words": 13, "equations": 1, "code": 5, "output": 8}
