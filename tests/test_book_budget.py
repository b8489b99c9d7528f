"""A chapter can be read in 45 minutes: what a reader passes on the way to its exercises is counted.

The main path of a chapter page is what stands before its exercises and is not folded. It has a
budget of words, displayed equations, visible lines of code and printed lines. What does not fit
goes into a dropdown, onto an inside page, or away.
"""

import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "book" / "_ext"))

import book_claims  # noqa: E402
from book_prose import load, read, voice  # noqa: E402

BUDGET = {"words": 4500, "equations": 14, "code": 150, "output": 60}
# Of pages whose sentences have been gone through (book/claims): what cannot be read aloud.
VOICE = {
    "colons per 1000 words": 6.0,
    "% of short sentences": 10.0,
    "turns of phrase per 1000 words": 3.0,
    "questions in bold": 8,
    "long formulas in lines": 15,
    "folded bars": 18,
}
LEAST_CODE = 40  # lines that stand open: the fit of each experiment, and the quantity it is about


def chapter_pages():
    """Return the pages that a reader passes: methods without inside pages, comparison, recipes."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    chapters = next(part["chapters"] for part in toc["parts"] if part["caption"] == "Methods")
    files = [entry["file"] for c in chapters for entry in [c, *c.get("sections", [])]]
    files = [file for file in files if not file.endswith("_inside")]
    return [ROOT / f"{file}.ipynb" for file in [*files, "book/comparison", "book/recipes"]]


@pytest.mark.parametrize(
    "path",
    [*chapter_pages(), *(p for p in book_claims.finished() if p not in chapter_pages())],
    ids=lambda path: path.stem,
)
def test_main_path_is_within_its_budget(path):
    counts = load(read(path), captions=path in book_claims.finished())
    if path.stem.endswith("_inside"):
        del counts["output"]  # fragments of the source, which these pages are about
    over = {what: count for what, count in counts.items() if count > BUDGET[what]}
    assert over == {}, f"at most {BUDGET}"


@pytest.mark.parametrize("path", book_claims.finished(), ids=lambda path: path.stem)
def test_page_can_be_read_aloud(path):
    found = voice(read(path))
    if path.stem == "errata_by_section":
        del found["folded bars"]  # an appendix: the computations of each section
    beyond = {what: count for what, count in found.items() if count > VOICE[what]}
    assert beyond == {}, f"at most {VOICE}"


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in book_claims.finished()
        if not path.stem.endswith("_inside")
        and any(call.kind == "claim" for call in book_claims.calls(read(path)))
    ],  # a page without a claim has no experiment
    ids=lambda path: path.stem,
)
def test_experiments_stand_open(path):
    assert load(read(path))["code"] >= LEAST_CODE


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
    counts = load(page)
    assert counts == {"words": 13, "equations": 1, "code": 5, "output": 8}
