"""Notebooks for students: no solution is left, right answers pass and wrong ones fail."""

import ast
import builtins
import json
import re
import symtable
import sys
from functools import cache
from pathlib import Path

import jsonschema
import nbformat
import numpy as np
import pytest
import reading
from nbclient import NotebookClient
from scipy import optimize, stats

sys.path.insert(0, str(reading.BOOK / "_ext"))

import exercises  # (it lives beside the book)

ROOT, BOOK = reading.ROOT, reading.BOOK
LABELS = reading.Labels(BOOK)
NOTEBOOKS = sorted(BOOK.glob("*.ipynb"))
ASKED = exercises.exercises(ROOT)
KNOWN = exercises.known(ROOT)
ANSWERS = exercises.answers(ROOT)
WITH_EXERCISES = [BOOK.parent / f"{page}.ipynb" for page in dict.fromkeys(e.page for e in ASKED)]
SCHEMA = json.loads((Path(__file__).parent / "vendor" / "nbgrader" / "v3.json").read_text("utf-8"))
every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
every_chapter = pytest.mark.parametrize("path", WITH_EXERCISES, ids=lambda path: path.stem)

q, c_of, eta, lam = (
    np.array([3, 5, 8]),
    np.r_[5:10, 9.9],
    np.array([0.1, 0.7, 0.9]),
    np.r_[0, 4, 8, 16],
)
# Right answers, computed from the questions and rounded nowhere.
EXACT = {
    "ex-curse": 5 ** np.array([2, 3, 6, 11]),
    "ex-effective": 19**2 / (12**2 + 4**2 + 3**2),
    "ex-rate": [2**2, 2**11],
    "ex-median": [np.mean([6, 3, 0]), 3, np.mean([60, 3, 0]), 3],
    "ex-metrics": [[1, 3, 4, 7, 7, 14], [1, 3, 4, 4, 4, 8]],
    "ex-lin-pencil": [1 / 4 + 4 / 14, 1 / 4 + 1 / 14, 1 / 4, 1 / 4 + 9 / 14, -2],
    "ex-lin-units": [1, 1000],
    "ex-lin-absolute": [[30, 32], [33.2, 32]],
    "ex-inf-sixth": 10 / (10 + 5 / 6 * np.arange(-2, 3) ** 2),
    "ex-lin-weights": [10 / 4, 2 / (1 + 1 / 9) / 2, 1],
    "ex-logistic-cubic": optimize.brentq(lambda r: r**3 - r**2 - r - 3, 1, 3),
    "ex-logistic-sign": 1 - 0.86,
    "ex-logistic-report": [np.log(1.8), np.log(2) / 1.96, (np.log(2) / np.log(1.8)) ** 2],
    "ex-logistic-collapse": (7 / 3) / (3 / 7),
    "ex-logistic-search": 100 * (1 - 0.95**20),
    "ex-envelopes": [*(np.array([28, 4, 20, 4]) / 3) ** 2, *np.array([8, 8, 4, 4]) ** 2],
    "ex-pen-hand": np.transpose(
        [8 / (4 + lam), 2 / (4 + lam), (2 - lam / 8).clip(0), (0.5 - lam / 8).clip(0)]
    ),
    "ex-pen-stuck": [2, 0],
    "ex-svm-pencil": 2 / 134,
    "ex-svm-population": np.transpose([np.sign(2 * eta - 1), np.log(eta / (1 - eta))]),
    "ex-svm-tube": [1, 1],
    "ex-multiclass-hand": [-4, -6, -6, 0, 1],
    "ex-multiclass-log": [0.5, 0.3, 0.2, 1, 0, 0],
    "ex-multiclass-columns": 2 ** (q - 1) - 1,
    "ex-multiclass-birthday": [1 - np.prod(1 - np.arange(10) / 2**b) for b in (5, 10, 13, 15)],
    "ex-normal-prior": 1 / (1 + 9 * np.exp(-np.array([2.79, 0.33, 0.73]))),
    "ex-tree-pencil": [2 / 5, 4 / 15, 7 / 15, 3 / 10],
    "ex-tree-beyond": 50 - 3 * np.array([1, 3.5, 8.5]),
    "ex-tree-prune": [0.02, 0.06, 0.24],
    "ex-forest-die": [0, 2 / 3, 0, 1, 2 / 3, 1],
    "ex-forest-condorcet": [stats.binom.sf([0, 5, 50], [1, 11, 101], r) for r in (0.6, 0.4)],
    "ex-extra-hand": [2, 4.5, 2.4],
    "ex-extra-dice": 1 / 4,
    "ex-extra-depth": 2 * np.log([100, 1000, 10_000]),
    "ex-kmeans-rectangle": [36, 4],
    "ex-gmm-ellipse": np.sqrt(2 * np.log(3)),
    "ex-reduction-project": [6 / np.sqrt(2), 15, 12],
    "ex-reduction-both": 48 / 98,
    "ex-reduction-two": (1 + np.array([0.1, 0.5, 0.9])) / 2,
    "ex-reduction-wide": 19,
    "ex-km-zero": [-7, 14, -7, -3, 3.5],
    "ex-judge-auc": 7.5 / 9,
    "ex-judge-brier": [np.mean([0.04, 0.16, 0.09, 0.04, 0.01]), 0.4 * 0.6],
    "ex-parts-third": [24.8, -1.4],
    "ex-parts-welford": [23, 70],
    "ex-parts-median": 10,
    "ex-parts-kmeans": 3 * (10 + 1),
    "ex-parts-two": [21, 23],
}  # fmt: skip


@cache
def student(path):
    return json.loads(reading.reading(path, LABELS, students=True))


def sources(path):
    return [reading.text_of(cell) for cell in student(path)["cells"]]


def by_id(path):
    return {cell["id"]: cell for cell in student(path)["cells"]}


def labels_of(path):
    return [one.label for one in ASKED if one.page == f"book/{path.stem}"]


def run(check, answer):
    """Execute a cell that checks an answer; return whether the answer passes."""
    try:
        exec(check["source"], {"answer": answer})
    except (AssertionError, TypeError, ValueError, OverflowError):
        return False
    return True


# -- what is in them ------------------------------------------------------------------------------


@every_notebook
def test_notebook_is_valid_and_needs_no_extension(path):
    notebook = student(path)
    nbformat.validate(nbformat.from_dict(notebook))
    names = [cell["id"] for cell in notebook["cells"]]
    assert len(set(names)) == len(names)
    text = "\n".join(reading.text_of(c) for c in notebook["cells"] if c["cell_type"] == "markdown")
    plain = re.sub(r"\$\$.*?\$\$|\$[^$\n]*\$|`[^`\n]*`", "", text, flags=re.DOTALL)
    roles = r"\{(?:eq|numref|ref|doc|term|prf:ref|cite:[pt]|claim)\}"
    assert re.findall(rf"^.{{0,9}}[`:]{{3}}.*|{roles}|^\([\w-]+\)=|\]\(#.*", plain, re.M) == []
    for target in re.findall(r"\]\((?!https?:)([\w./-]+)[^)]*\)", plain):
        assert (BOOK / target).is_file(), target


def test_links_lead_to_the_pages_once_they_are_published(monkeypatch):
    monkeypatch.setattr(reading, "SITE", "https://example.org/latest")
    monkeypatch.setattr(reading, "REPOSITORY", "https://example.org/repository")
    notebook = json.loads(reading.reading(BOOK / "k_means.ipynb", LABELS, students=True))
    assert "%pip install" in notebook["cells"][0]["source"]
    assert names_of(notebook["cells"][0]["source"])[2] == {"sys"}
    text = "\n".join(reading.text_of(cell) for cell in notebook["cells"])
    assert "](https://example.org/latest/book/glossary.html#term-" in text
    assert "](gaussian_mixtures.ipynb)" in text and "figures/k_means.svg" in text


def shingles(text, length=8):
    """Return all runs of words of a text; letters only, as markup is turned."""
    words = re.findall(r"[a-z]+", text.lower())
    return {tuple(words[i : i + length]) for i in range(len(words) - length + 1)}


@every_chapter
def test_no_solution_is_left(path):
    mine = [one for one in ASKED if one.page == f"book/{path.stem}"]
    page = "\n".join(reading.text_of(cell) for cell in json.loads(path.read_text("utf-8"))["cells"])
    before = page[: page.index(f":label: {mine[0].label}")]
    shown = json.dumps(student(path)["cells"]).encode().decode("unicode_escape")
    left = "\n".join(sources(path))
    for one in mine:
        given = ANSWERS[one.label].given if one.label in ANSWERS else ""
        allowed = shingles(f"{before}\n{one.text}\n{given}\n" + "\n".join(o.text for o in mine))
        leaked = (shingles(one.solution) | shingles("\n".join(one.code))) & shingles(left) - allowed
        assert leaked == set(), one.label
        for line in one.printed.splitlines():
            assert len(line) < 12 or line in before or line not in shown, (one.label, line)
    assert "solution-start" not in left and not re.search(r"solutions? (?:is|are) folded", left)


@every_chapter
def test_each_exercise_is_followed_by_its_cells(path):
    """In the order of the page; a check where the answer is known, room for words elsewhere."""
    names = [cell["id"] for cell in student(path)["cells"]]
    answers = [name.removeprefix("answer-") for name in names if name.startswith("answer-ex-")]
    assert answers == labels_of(path)
    text = dict(zip(names, sources(path), strict=True))
    for one in (one for one in ASKED if one.page == f"book/{path.stem}"):
        at = names.index(f"answer-{one.label}")
        assert text[names[at]] == "answer = ..."
        checked = names[at + 1 : at + 2] == [f"check-{one.label}"]
        assert checked == (one.label in ANSWERS)
        assert checked or names[at - 1] == f"words-{one.label}"
        asked = max(i for i in range(at) if f"{one.title} {'★' * one.stars}" in text[names[i]])
        between = names[asked + 1 : at]
        parts = (f"words-{one.label}", f"asked-{one.label}", f"given-{one.label}")
        figure = [name for name in between if name not in parts]
        assert len(figure) <= 2, between  # a picture that the exercise asks about, and its caption


def test_all_exercises_are_there():
    found = [
        name for path in WITH_EXERCISES for name in by_id(path) if name.startswith("answer-ex-")
    ]
    assert sorted(found) == sorted(f"answer-{one.label}" for one in ASKED)
    assert len(found) == len(set(found)) > 140


@every_chapter
def test_metadata_are_those_of_nbgrader(path):
    """By its schema, and by the rules that its validator adds."""
    told = [(c["cell_type"], c["metadata"]["nbgrader"]) for c in student(path)["cells"]
            if "nbgrader" in c["metadata"]]  # fmt: skip
    for kind, one in told:
        jsonschema.validate(one, SCHEMA)
        assert one["grade"] == ("points" in one)
        assert kind == "code" or (one["grade"] and one["solution"]), "words are graded by hand"
    names = [one["grade_id"] for _, one in told]
    assert len(set(names)) == len(names)
    stars = {one.label: one.stars for one in ASKED}
    for label in labels_of(path):
        points = [one["points"] for _, one in told
                  if one["grade"] and one["grade_id"].partition("-")[2] == label]  # fmt: skip
        assert sum(points) == stars[label] > 0


# -- what runs ------------------------------------------------------------------------------------


def names_of(source):
    """Return the names that a cell reads, those that its functions read, and what it sets."""
    read, later, written = set(), set(), set()
    source = re.sub(r"^( *)%.*", r"\1pass", source, flags=re.MULTILINE)  # a command of Jupyter
    tables = [(symtable.symtable(source, "cell", "exec"), False)]
    while tables:
        table, within = tables.pop()
        top, at_once = table.get_type() == "module", ("listcomp", "setcomp", "dictcomp", "genexpr")
        within |= table.get_type() == "function" and table.get_name() not in at_once
        tables += [(one, within) for one in table.get_children()]
        for symbol in table.get_symbols():
            if top and (symbol.is_assigned() or symbol.is_imported()):
                written.add(symbol.get_name())
            if symbol.is_referenced() and (top or symbol.is_global()):
                (later if within else read).add(symbol.get_name())
    return read, later, written


@every_notebook
def test_no_cell_uses_what_a_solution_defined(path):
    known, needed = {*dir(builtins), "display"}, set()
    for cell in student(path)["cells"]:
        if cell["cell_type"] == "code":
            read, later, written = names_of(reading.text_of(cell))
            assert read - known - written == set(), cell["id"]
            known |= written
            needed |= later
    assert needed <= known
    # A cell that stands behind a solution reads no name to which the solution gave another value.
    changed = set()
    for solves, piece, _ in exercises.pieces(json.loads(path.read_text("utf-8"))["cells"]):
        if not isinstance(piece, str):
            read, later, written = names_of("".join(piece["source"]))
            assert solves or (read | later) & changed - written == set()
            changed = changed | written if solves else changed - written


def test_the_check_of_names_notices_them():
    source = (
        "import numpy as np\n\ndef f(x):\n    y = x + a\n    return np.log(y)\n\nz = [b for _ in c]"
    )
    assert names_of(source) == ({"b", "c"}, {"a", "np"}, {"np", "f", "z"})


# The right answers go into the cells, except one, and the notebook runs from top to bottom.
@pytest.mark.weekly(keep=1)
@pytest.mark.parametrize("stem", ["nearest_neighbors_more_inside", "data_that_do_not_fit"])
def test_notebook_runs_with_answers(stem):
    path = BOOK / f"{stem}.ipynb"
    notebook = nbformat.reads(json.dumps(student(path)), as_version=4)
    checked = [label for label in labels_of(path) if label in ANSWERS]
    for cell in notebook.cells:
        label = cell.id.removeprefix("answer-")
        if label in checked[1:] and cell.id != label:
            cell.source = f"answer = {np.array(EXACT[label]).tolist()}"
    folder = str(BOOK)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": folder}}).execute()
    cells = {cell.id: cell for cell in notebook.cells}
    for label in checked[1:]:
        assert cells[f"check-{label}"].outputs[0]["text"] == "Right.\n", label
    (empty,) = cells[f"check-{checked[0]}"].outputs
    assert empty["output_type"] == "error" and empty["evalue"] == "There is no answer yet."


# -- answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", ANSWERS)
def test_right_answers_pass_and_wrong_ones_fail(label):
    page = next(one.page for one in ASKED if one.label == label)
    check, answer = by_id(ROOT / f"{page}.ipynb")[f"check-{label}"], ANSWERS[label]
    right = [float(number) for number in answer.numbers]
    assert run(check, right)
    assert run(check, EXACT.get(label, right))
    units = [10.0**-places for places in answer.decimals]
    for i, unit in enumerate(units):
        for wrong in (right[i] + unit, right[i] - unit, right[i] + 1, np.nan, np.inf):
            assert not run(check, [*right[:i], wrong, *right[i + 1 :]])
    for wrong in (..., None, [], [*right, 0], right[:-1], "no"):
        assert not run(check, wrong)
    # None can be read, but single digits, which are decimals as well.
    call = check["source"].rpartition("check_answer(")[2]
    shown = set(re.findall(r"(?<![\w.])[-+]?[\d.]{2,}(?![\w.])", call))
    assert shown & set(answer.numbers) == set()


def test_most_answers_are_computed_here_too():
    assert EXACT.keys() <= ANSWERS.keys() and len(EXACT) > 0.8 * len(ANSWERS)


def test_answers_belong_to_exercises():
    labels = {one.label: one for one in ASKED}
    assert KNOWN.keys() <= labels.keys()
    for label, entry in KNOWN.items():
        if "missing" in entry:
            assert entry.keys() == {"missing"} and label not in ANSWERS
        else:
            assert ("printed" in entry) + ("asserted" in entry) == 1 and labels[label].code
    without_cell = [entry for label, entry in KNOWN.items() if "has no cell" in str(entry)]
    assert len(without_cell) == sum(not labels[label].code for label in KNOWN)


def test_a_pattern_that_fits_nothing_is_an_error():
    one = next(one for one in ASKED if one.label == "ex-tree-pencil")
    with pytest.raises(ValueError, match="ex-tree-pencil: nothing is printed"):
        exercises.answer(one, {"answer": "x", "printed": "Entropy ([0-9])"})


def test_given_lines_are_those_of_the_solution():
    given = ANSWERS["ex-lin-anscombe"].given
    assert {node.targets[0].id for node in ast.parse(given).body} == set(
        KNOWN["ex-lin-anscombe"]["given"]
    )


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        (["3"], "a whole number"),
        (["3", "-4"], "2 whole numbers"),
        (["0.25"], "a number with 2 decimals"),
        (["0.5", "1.0"], "2 numbers with 1 decimal"),
        (["1.79", "4.1", "2.11", "5.9"], "4 numbers with 2, 1 decimals in turn"),
    ],
)
def test_form_of_an_answer(numbers, words):
    assert reading.form(exercises.Answer("", numbers)) == words
