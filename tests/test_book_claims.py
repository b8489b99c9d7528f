"""Sentences of tendency in finished chapters have claims, which hold with other seeds."""

import ast
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from litlearn.claims import claim, fact, number, recorded

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "book" / "_ext"), str(ROOT / ".ci")]

import book_claims  # noqa: E402
import book_prose  # noqa: E402
import claims  # noqa: E402

finished = pytest.mark.parametrize("path", book_claims.finished(), ids=lambda path: path.stem)


# -- the finished pages ---------------------------------------------------------------------------


def test_some_pages_are_finished():
    assert len(book_claims.finished()) >= 5


@finished
def test_every_tendency_has_a_claim(path):
    assert book_claims.problems(path) == []


@finished
def test_record_is_that_of_the_code(path):
    found = book_claims.record(path.stem)
    assert found, f"make claims CLAIMS={path.stem}"
    assert found["code"] == book_claims.state(book_prose.read(path)), "make claims"
    names = {call.name for call in book_claims.calls(book_prose.read(path)) if call.kind == "claim"}
    assert set(found["claims"]) == names
    assert found["shifts"] == book_claims.SHIFTS


@finished
def test_claims_hold_with_other_seeds(path):
    assert book_claims.too_rare(path.stem) == {}


# -- fact, claim, number --------------------------------------------------------------------------


def test_what_holds_passes_and_what_does_not_is_named():
    fact(True, [True, True], np.ones(3, dtype=bool))
    claim("some-name", np.array([1, 2]) > 0)
    with pytest.raises(AssertionError, match="claim 'some-name' does not hold: 1 of 2 are true"):
        claim("some-name", [True, False])
    with pytest.raises(AssertionError, match="fact does not hold"):
        fact(np.array([[True], [False]]))
    with pytest.raises(ValueError, match="nothing to assert"):
        fact([])
    with pytest.raises(ValueError, match="nothing to assert"):
        claim("empty")
    with pytest.raises(TypeError, match="claim: name is True"):
        claim(True, True)


@pytest.mark.parametrize(
    "text, value, same",
    [("5", 5.4, True), ("5", 5.6, False), ("0.28", 0.2849, True), ("-1.30", -1.31, False)],
)
def test_numbers_are_compared_to_their_digits(text, value, same):
    if same:
        number(text, value)
    else:
        with pytest.raises(AssertionError, match=f"the text says {text}"):
            number(text, value)


def test_recording_notes_and_does_not_raise():
    with recorded() as records:
        fact(False)
        claim("a", True)
        number("1", 2)
        with recorded() as inner:
            claim("b", False)
    assert records == [("fact", "", False), ("claim", "a", True)]
    assert inner == [("claim", "b", False)]
    with pytest.raises(AssertionError):
        fact(False)


# -- collecting -----------------------------------------------------------------------------------


def _markdown(source):
    return {"cell_type": "markdown", "source": source, "metadata": {}}


def _code(source, written="", tags=(), caption=""):
    outputs = [{"output_type": "display_data", "data": {"text/markdown": written}}]
    metadata = {"tags": list(tags), "mystnb": {"figure": {"caption": caption, "name": "fig-x"}}}
    return {
        "cell_type": "code",
        "source": source,
        "metadata": metadata,
        "outputs": outputs if written else [],
    }


def _open(*cells):
    return [one.text for one in book_claims.open_sentences(list(cells), "no_such_page")]


def test_tendencies_need_a_claim_a_citation_or_a_proof():
    assert _open(_markdown("Scaling helps here. It is an old idea.")) == ["Scaling helps here."]
    assert _open(_markdown("Scaling helps here.{claim}`scaling` It is old.")) == []
    assert _open(_markdown("Scaling always helps {cite:p}`somebody_1990`.")) == []
    assert _open(_markdown("Does scaling always help?")) == []
    assert _open(_markdown("```{prf:proof}\nEvery term is larger.\n```")) == []
    assert _open(_markdown("```{exercise} x\nWhich is larger?\n```")) == []
    dropdown = "```{dropdown} More\nMost of them are larger.\n```"
    assert _open(_markdown(dropdown)) == ["Most of them are larger."]
    assert _open(_markdown("- one\n- most of the others are larger")) == [
        "most of the others are larger"
    ]


def test_cells_in_a_row_are_one_experiment():
    told = _code("Markdown(text)", "In most clinics it wins.", caption="It rises.")
    assert len(_open(told)) == 2
    assert _open(_code("claim('wins', True)"), told) == []
    assert len(_open(_code("claim('wins', True)"), _markdown("And"), told)) == 2


def test_code_that_a_cell_shows_is_no_sentence():
    shown = "`a.py`\n\n```python\nif lower < most:\n    return best\n```\n\nIt helps most."
    assert _open(_code("show('a:b')", shown)) == ["It helps most."]


def test_seeds_are_moved_once():
    source = (
        "def f(seed):\n    return make(random_state=seed)\nx = f(seed=3), make(None, seed=None)"
    )
    space = {"_moved": lambda seed: claims.Seed(seed + 100) if type(seed) is int else seed}
    space["make"] = lambda *args, random_state=None, seed=None: (random_state, seed)
    tree = ast.fix_missing_locations(claims.Moved().visit(ast.parse(source)))
    exec(compile(tree, "cell", "exec"), space)
    assert space["x"] == ((103, None), (None, None))


def test_a_claim_of_one_seed_is_found(tmp_path, monkeypatch):
    notebook = {
        "cells": [
            _code("import numpy as np\nfrom litlearn.claims import claim, fact, number"),
            _code("x = np.random.default_rng(0).random()\nclaim('one-seed', x > 0.6)\nfact(x < 1)"),
            _code("claim('always', x >= 0)\nnumber('0.64', x)\nassert True"),
            _code("claim('half', np.random.default_rng(1).random() < 0.6)"),
        ],
        "metadata": {},
    }
    path = tmp_path / "page.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    monkeypatch.setattr(book_claims, "FOLDER", tmp_path)
    monkeypatch.setattr(claims, "run_apart", lambda path, shift, workers: claims.run(path, shift))
    monkeypatch.chdir(tmp_path)
    assert not claims.write_record(path, 1)
    found = book_claims.record("page")
    assert found["claims"]["always"] == found["facts"] == found["shifts"] == book_claims.SHIFTS
    assert 0 < found["claims"]["one-seed"] < book_claims.ENOUGH
    assert set(book_claims.too_rare("page")) == {"one-seed", "half"}
    assert any("assert" in line for line in book_claims.problems(path))
    cells = book_prose.read(path)
    cells[0]["source"] += "  # a comment"
    assert book_claims.state(cells) == found["code"]
    cells[0]["source"] += "\ny = 1"
    assert book_claims.state(cells) != found["code"]
