"""The glossary: every term is defined once, explained somewhere, and linked where it is first used.

What is tested of a chapter: in its main path (what stands before the exercises and is not folded),
the first use of each term in a sentence, a list or a table is a link to the glossary, a role
{term}. A use is one of the word forms that ``book_terms.forms`` lists, the longest that fits, so
that "support vector machine" is no use of "support vector". Headings, titles of boxes, formulas,
code, links, roles and the captions of figures are passed over, and so is what cells compute.
"""

import json
import re
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "book" / "_ext"))

import book_lists  # noqa: E402  (they live beside the book)
import book_terms  # noqa: E402
import equation_index  # noqa: E402

BOOK = ROOT / "book"
GLOSSARY = BOOK / "glossary.md"
ENTRIES = book_terms.entries(GLOSSARY)
NAMES = {name.lower(): e.term for e in ENTRIES for name in (e.term, *e.synonyms)}
NOTEBOOKS = [path for path in equation_index.pages(ROOT) if path.suffix == ".ipynb"]

# Chapters whose terms are not linked yet. This list may only shrink.
NOT_YET: set[str] = set()


def chapters():
    """Return the pages that a reader passes: introduction, judging, methods, comparison."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    methods = next(part["chapters"] for part in toc["parts"] if part["caption"] == "Methods")
    files = [part["file"] for c in methods for part in [c, *c.get("sections", [])]]
    files = [file for file in files if not file.endswith("_inside")]
    files += ["book/introduction", "book/judging_a_model", "book/judging_further"]
    return [ROOT / f"{file}.ipynb" for file in [*files, "book/comparison"]]


def first_uses(path):
    """Return term -> (whether its first use is a link, the words around it)."""
    found = {}
    for source in book_terms.markdown_cells(path, main_path=True):
        for use in book_terms.uses(source, GLOSSARY, folded=False):
            around = " ".join(source[max(0, use.start - 40) : use.end + 20].split())
            found.setdefault(use.term, (use.linked, around))
    return found


@pytest.mark.parametrize("path", chapters(), ids=lambda path: path.stem)
def test_terms_are_linked_where_they_are_first_used(path):
    bare = [f"{t}: {around}" for t, (linked, around) in first_uses(path).items() if not linked]
    if path.stem in NOT_YET:
        assert bare, "the terms of this page are linked: take it out of NOT_YET"
    else:
        assert bare == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_links_lead_to_terms(path):
    text = equation_index.page_text(path)
    for words in re.findall(r"\{term\}`([^`]*)`", text):
        named = re.fullmatch(r".*?\s*<([^>]+)>", words, re.S)
        name = " ".join((named[1] if named else words).split())
        assert name.lower() in NAMES, f"{path.stem}: the glossary has no {name}"


def test_terms_are_sorted_and_defined_once():
    terms = [entry.term for entry in ENTRIES]
    assert terms == sorted(terms, key=str.lower)
    names = [name.lower() for e in ENTRIES for name in (e.term, *e.synonyms)]
    assert len(names) == len(set(names))
    # An anchor is made of a term's letters, digits and hyphens.
    assert all(re.fullmatch(r"[A-Za-z0-9 '+-]+", term) for term in terms)


def test_definitions_are_short_and_lead_to_a_section():
    titles = {}
    for path in NOTEBOOKS:
        text = equation_index.page_text(path)
        title = re.search(r"^# (.*)$", text, re.M)[1]
        for label in re.findall(r"^\(([\w-]+)\)=$", text, re.M):
            titles[label] = re.sub(r"[*$]", "", title)
    for entry in ENTRIES:
        assert re.fullmatch(r"[A-Z].* See \{ref\}`[^`<]+ <[\w-]+>`\.", entry.definition), entry
        named, label = re.search(r"`([^`<]+) <([\w-]+)>`\.$", entry.definition).groups()
        assert label in titles, f"{entry.term} leads to {label}, which no page has"
        assert named == titles[label], f"{label} stands on {titles[label]}"
        assert len(entry.definition.split()) <= 60, entry.term


def test_word_forms_belong_to_one_term():
    forms = [form.lower() for entry in ENTRIES for form in set(book_terms.forms(entry))]
    assert len(forms) == len(set(forms))
    assert set(book_terms.FORMS) <= {entry.term for entry in ENTRIES}


def test_what_is_prose():
    text = (
        "(a-label)=\n# A kernel\n\nA `kernel`, $kernel$, [a kernel](kernel.ipynb), {ref}`kernel`;\n"
        "$k$-means and a support\nvector machine.[^kernel] **Kernels**, a {term}`tree <leaf>`.\n"
        "```{admonition} The kernel\n:class: kernel\nOne margin.\n```\n"
        "```{dropdown} More\nThe gradient.\n```\n```{figure} a.svg\n:alt: kernel\n\nkernel\n```\n"
        "```{play} nearest_neighbors\n:controls: kernel\n:alt: kernel\n\nkernel\n```\n"
    )
    kept = [(u.term, u.linked) for u in book_terms.uses(text, GLOSSARY, folded=False)]
    expected = ["k-means", "support vector machine", "kernel", "leaf", "margin"]
    assert kept == [(term, term == "leaf") for term in expected]
    assert [u.term for u in book_terms.uses(text, GLOSSARY)] == [*expected, "gradient"]
    assert len(book_terms.prose(text)) == len(text)


def test_a_first_use_without_a_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("The margin, a {term}`margin`.\n\n{term}`Leaf`, leaf.\n\n## Exercises\n\nLoss.")
    found = {term: linked for term, (linked, _) in first_uses(page).items()}
    assert found == {"margin": False, "leaf": True}


# -- the index and the lists ----------------------------------------------------------------------


def test_index_has_a_part_for_every_letter():
    text = (BOOK / "subject_index.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (\w)$", text, re.M)
    assert re.findall(r"\{litlearn-subject-index\} (\w)$", text, re.M) == headings
    names = [*NAMES, *book_terms.OTHER]
    assert headings == sorted({name[0].upper() for name in names})


def test_index_names_a_section_that_uses_the_term(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "(one)=\n# One\n\nA margin.\n\n(two)=\n## Two\n\nMargins, a margin; wine.\n\n"
        "(three-exercises)=\n## Exercises\n\nA margin, a margin, a margin, a leaf.\n"
    )
    found = book_terms.index([page], GLOSSARY)
    assert found["margin"] == [("page", "two", 6)]
    assert found["leaf"] == [("page", "three-exercises", 1)]
    assert found["wine data"] == [("page", "two", 1)]


def test_lists_hold_every_figure_and_every_box():
    names, labels = [], {}
    for path in equation_index.pages(ROOT):
        text = equation_index.page_text(path)
        if path.suffix == ".ipynb":
            cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
            settings = [cell["metadata"].get("mystnb", {}).get("figure", {}) for cell in cells]
            names += [figure["name"] for figure in settings if "name" in figure]
        names += re.findall(r"^:name: *(fig-[\w-]+)", text, re.M)
        for label in re.findall(r"^:label: *((?:alg|thm|prop|lem|def)-[\w-]+)", text, re.M):
            labels.setdefault(label.partition("-")[0], set()).add(label)
    figures = book_lists.figures(ROOT)
    assert len(figures) > 150 and sorted(names) == sorted(figure.label for figure in figures)
    places = {place.label for place in figures if "-play" in place.label}
    assert {"fig-neighbors-play", "fig-svm-play-soft", "fig-svm-play-ring"} <= places
    kinds = dict(zip(["alg", "thm", "prop", "lem", "def"], book_lists.KINDS, strict=True))
    for short, kind in kinds.items():
        boxes = book_lists.boxes(ROOT, kind)
        assert {box.label for box in boxes} == labels[short] and len(boxes) == len(labels[short])
    shown = re.findall(r"\{litlearn-boxes\} (\w+)", (BOOK / "lists.md").read_text("utf-8"))
    assert sorted(shown) == sorted(["figure", *book_lists.KINDS])


def test_counts_are_those_of_the_lists():
    counts = dict(book_lists.counts(ROOT))
    assert counts["figures"] == len(book_lists.figures(ROOT))
    assert counts["pages that run"] == len(NOTEBOOKS)
    assert all(number > 0 for number in counts.values())


def test_lists_say_something_of_each():
    for kind in book_lists.KINDS:
        nameless = [box.label for box in book_lists.boxes(ROOT, kind) if not box.text]
        assert nameless == []
    for figure in book_lists.figures(ROOT):
        assert len(figure.text.split()) >= 2, figure
        assert figure.text.count("$") % 2 == 0 and figure.text.count("`") % 2 == 0, figure
        assert len(figure.text) < 300, figure


def test_first_sentence():
    first = book_lists.first_sentence
    assert first("A [link.](a.ipynb) for $x=1. 5$ people.\nMore.") == (
        "A [link.](a.ipynb) for $x=1. 5$ people."
    )
    assert first("No point") == "No point"
    assert first("Iris. Four features. More.") == "Iris. Four features."
    assert first("Some, e.g. Ada, came. Others not.") == "Some, e.g. Ada, came."


# -- notation -------------------------------------------------------------------------------------

RESERVED = {
    r"$\lambda$": "price of a penalty",
    r"$\eta$": "size of a step",
    r"$\sigma(u)$": "sigmoid",
    r"$\hat\sigma$": "standard deviation",
    r"$\alpha_i$": "weight of training sample",
    r"$\gamma_{ij}$": "responsibility",
    r"$\bm{K}$": "Gram matrix",
    "$k$": "number of neighbours",
    "$q$": "number of classes",
    "$p$": "number of features",
    "$n$": "number of samples",
}


@pytest.mark.parametrize("symbol", RESERVED)
def test_reserved_letters_stand_in_the_table(symbol):
    rows = re.findall(r"^\|.*\|$", equation_index.page_text(BOOK / "symbols.md"), re.M)
    cells = [re.split(r" *\| *", row.strip("| ")) for row in rows]
    assert any(
        symbol in cell[0] and RESERVED[symbol] in cell[1] for cell in cells if len(cell) == 4
    )
