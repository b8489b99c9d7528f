"""Notebooks: one form, one run for tests and book, and failures that say what and where."""

import base64
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import notebooks
import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
COMMITTED = sorted((ROOT / "book").glob("*.ipynb"))


def nodes():
    """The functions that make parts of notebooks. They take two seconds to load."""
    from nbformat import v4

    return v4


def code_cell(source, *outputs, tags=()):
    metadata = {"tags": list(tags)} if tags else {}
    return nodes().new_code_cell(
        source, outputs=list(outputs), metadata=metadata, execution_count=1
    )


def printed(text, name="stdout"):
    return nodes().new_output("stream", name=name, text=text)


def picture(pixels):
    file = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(file, "png")
    data = {"image/png": base64.b64encode(file.getvalue()).decode(), "text/plain": "a picture"}
    return nodes().new_output("display_data", data=data)


def notebook_of(*cells):
    return nodes().new_notebook(cells=list(cells))


# --- the form ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_committed_notebooks_have_the_form(path):
    same = notebooks.normal(notebooks.read(path)) == path.read_text(encoding="utf-8")
    assert same, f"run: make format, or python .ci/notebooks.py format {path.relative_to(ROOT)}"


def test_the_form_forgets_the_run():
    import nbformat

    cell = {
        "cell_type": "code",
        "execution_count": 1,
        "metadata": {"execution": {"iopub.status.busy": "2026-11-20T10:00:00Z"}, "tags": []},
        "outputs": [printed("a"), printed("b")],
        "source": "print('a', end='')\nprint('b', end='')",
    }
    raw = {"nbformat": 4, "nbformat_minor": 4, "cells": [cell], "metadata": {}}
    raw["metadata"]["language_info"] = {"name": "python", "version": "3.11.7"}
    text = notebooks.normal(nbformat.from_dict(raw))
    assert text.endswith("}\n") and text.startswith('{\n "cells": [')
    assert "2026" not in text and "3.11.7" not in text and '"ab"' in text
    (cell,) = json.loads(text)["cells"]
    assert cell["source"] == ["print('a', end='')\n", "print('b', end='')"]
    assert cell["metadata"] == {} and len(cell["outputs"]) == 1
    assert notebooks.normal(nbformat.reads(text, as_version=4)) == text


# --- comparison ----------------------------------------------------------------------------------


def test_pictures_are_compared_within_a_tolerance():
    page = np.full((200, 200, 3), 255)
    page[100, :] = 0
    shade, moved = page.copy(), page.copy()
    shade[101, :] = 230  # the edge of the line is drawn a little otherwise
    moved[100, :], moved[110, :] = 255, 0
    assert notebooks.figures_differ([picture(page)], [picture(shade)]) == ""
    assert "1.00% of the pixels" in notebooks.figures_differ([picture(page)], [picture(moved)])
    assert "pixels expected" in notebooks.figures_differ([picture(page)], [picture(page[1:])])
    assert notebooks.figures_differ([picture(page)], []) == "1 pictures expected, 0 found"


def test_pictures_inside_of_html_are_compared_too():
    black, white = (picture(np.full((9, 9, 3), c)).data["image/png"] for c in (0, 255))
    old, new = (
        [nodes().new_output("display_data", {"text/html": f'src="data:image/png;base64,{p}"'})]
        for p in (black, white)
    )
    assert notebooks.comparable(old) == notebooks.comparable(new)
    assert notebooks.same(old, old) and not notebooks.same(old, new)


# --- a run ---------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of its own: scripts, settings of the tests, and an empty book."""
    for name in (".ci/notebooks.py", "book/conftest.py", "tests/nbval_sanitize.cfg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "src").mkdir()
    monkeypatch.setattr(notebooks, "ROOT", tmp_path)
    monkeypatch.setattr(notebooks, "STORE", tmp_path / "_build" / "executed")
    notebooks.beneath.cache_clear()
    yield tmp_path
    notebooks.beneath.cache_clear()


def test_a_failing_cell_names_itself_and_shows_what_was_expected(project):
    white = np.full((9, 9, 3), 255)
    plot = "display({'image/png': data, 'text/plain': 'a picture'}, raw=True)"
    black = picture(np.zeros((9, 9, 3))).data["image/png"]
    timing = ["nbval-ignore-output"]
    cells = [
        code_cell("print('right')", printed("right\n")),
        code_cell("print('found')", printed("expected\n")),
        code_cell(f"data = {black!r}"),
        code_cell(plot, picture(white)),
        code_cell("import sys; print('careful', file=sys.stderr)", tags=timing),
        code_cell("print('seconds: 1')", printed("seconds: 2\n"), tags=timing),
    ]
    notebooks.write(project / "book" / "differs.ipynb", notebook_of(*cells))
    cells = [code_cell("x = 1"), code_cell("x / 0"), code_cell("x")]
    notebooks.write(project / "book" / "raises.ipynb", notebook_of(*cells))
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--color=no", "book"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=300,
        env={k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")},
    )
    failed = {line.split(" - ")[0] for line in run.stdout.splitlines() if line.startswith("FAILED")}
    differs, raises = "FAILED book/differs.ipynb::Cell", "FAILED book/raises.ipynb::Cell"
    wrong = {f"{differs} {i}" for i in (1, 3, 4)} | {f"{raises} {i}" for i in (0, 1, 2)}
    assert failed == wrong, run.stdout + run.stderr
    for part in ("expected", "found", "Figures differ", "writes to stderr", "ZeroDivisionError"):
        assert part in run.stdout, part
    assert "raises.ipynb, code cell 1 failed" in run.stdout
    # The run of a notebook that raises is not kept, and the other one is.
    assert [p.stem.split(".")[0] for p in notebooks.STORE.glob("*.ipynb")] == ["differs"]


def test_a_notebook_runs_again_when_its_code_or_what_lies_beneath_changed(project, monkeypatch):
    runs = []
    monkeypatch.setattr(notebooks, "run", lambda path, notebook: runs.append(path.stem))
    path = project / "book" / "a.ipynb"
    text = nodes().new_markdown_cell("one word", id="text")

    def after(*cells, src=""):
        (project / "src" / "a.py").write_text(src)
        notebooks.write(path, notebook_of(text, *cells))
        notebooks.beneath.cache_clear()
        notebooks.executed(path)
        return len(runs)

    one = code_cell("print(1)")
    assert after(one) == 1
    assert after(one) == 1
    text.source = "another word"
    assert after(one) == 1
    assert after(code_cell("print(2)")) == 2
    assert after(one) == 2, "an earlier state is still kept"
    assert after(one, src="x = 1") == 3
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Prescott")
    assert after(one, src="x = 1") == 4
    for number in range(9):
        after(code_cell(f"print({number} + 9)"))
    assert len(list(notebooks.STORE.glob("a.*.ipynb"))) == notebooks.KEPT_RUNS


def test_an_edited_word_changes_no_output(project, monkeypatch):
    """What `make notebooks` leaves alone: outputs that say the same, times of known code."""
    old = np.full((50, 50, 3), 255)
    new = old.copy()
    new[0, 0] = 0
    timing = ["nbval-ignore-output"]
    fresh = [[picture(new)], [printed("2 s\n")], [printed("4 s\n")], [printed("new\n")]]
    cells = [
        code_cell("draw()", picture(old)),
        code_cell("measure()", printed("1 s\n"), tags=timing),
        code_cell("measure_more()", printed("3 s\n"), tags=timing),
        code_cell("tell()", printed("old\n")),
    ]
    path = project / "book" / "a.ipynb"
    notebooks.write(path, notebook_of(*cells))

    def run(path, notebook):
        for cell, outputs in zip(notebook.cells, fresh, strict=True):
            cell.outputs = outputs

    monkeypatch.setattr(notebooks, "run", run)
    monkeypatch.setattr(notebooks, "measured", lambda path: {"measure()"})
    assert "executed" in notebooks.run_in_place(path, again=False)
    outputs = [cell.outputs for cell in notebooks.read(path).cells]
    assert outputs == [[picture(old)], [printed("1 s\n")], fresh[2], fresh[3]]
    monkeypatch.setattr(notebooks, "measured", lambda path: {"measure()", "measure_more()"})
    assert notebooks.run_in_place(path, again=False) == "up to date"
    # A time that was lost is measured again.
    lost = notebooks.read(path)
    lost.cells[1].outputs = []
    notebooks.write(path, lost)
    notebooks.run_in_place(path, again=False)
    assert notebooks.read(path).cells[1].outputs == fresh[1]
    notebooks.run_in_place(path, again=True)
    assert [cell.outputs for cell in notebooks.read(path).cells] == fresh


def test_the_book_shows_the_run_and_the_committed_times():
    timing = ["nbval-ignore-output"]
    committed = notebook_of(
        code_cell("tell()", printed("old\n")),
        code_cell("measure()", printed("1 s\n"), tags=timing),
        code_cell("measure_more()", tags=timing),
    )
    fresh = notebook_of(
        code_cell("tell()", printed("new\n")),
        code_cell("measure()", printed("2 s\n"), tags=timing),
        code_cell("measure_more()", printed("3 s\n"), tags=timing),
    )
    shown = [cell.outputs[0].text for cell in notebooks.merged(committed, fresh).cells]
    assert shown == ["new\n", "1 s\n", "3 s\n"]
