"""The pages for teachers: every exercise is listed once, courses respect what builds on what."""

import json
import re
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parent.parent
BOOK, HTML = ROOT / "book", ROOT / "_build" / "html"
sys.path.insert(0, str(BOOK / "_ext"))

import book_lists  # noqa: E402  (they live beside the book)
import courses  # noqa: E402
import equation_index  # noqa: E402
import exercises  # noqa: E402

ASKED = exercises.exercises(ROOT)
LABELS = {one.label: one for one in ASKED}
KNOWN = exercises.known(ROOT)
every_course = pytest.mark.parametrize("course", courses.COURSES)


def markdown(path):
    return equation_index.page_text(path)


# -- the list of exercises ------------------------------------------------------------------------


def test_every_exercise_is_in_the_list_once():
    """Whatever follows a fence with the word, in any page, has to be found."""
    written = [
        re.search(r":label: *([\w-]+)", rest)[1]
        for path in equation_index.pages(ROOT)
        for rest in re.split(r"\{exercise[\w-]*\}", markdown(path))[1:]
    ]
    assert [one.label for one in ASKED] == written
    assert len(LABELS) == len(ASKED) == dict(book_lists.counts(ROOT))["exercises"]


def test_exercises_are_whole():
    for one in ASKED:
        assert 1 <= one.stars <= 3 and one.title and "★" not in one.title, one.label
        assert len(one.text) > 60 and len(one.solution) > 20, one.label
        assert set(exercises.kinds(one, KNOWN)) <= exercises.KINDS.keys()


@pytest.mark.parametrize(
    ("text", "code", "stars", "label", "kinds"),
    [
        ("Show that it falls.", "print(1)", 2, "ex-x", ["derivation"]),
        ("The authors conclude that it falls.", "", 1, "ex-x", ["explanation"]),
        ("How many?", "print(1)", 1, "ex-curse", ["computation"]),
        ("Compare both.", 'claim("a", b)', 2, "ex-x", ["experiment"]),
        ("Change `f`.", "def f(): pass", 3, "ex-x", ["program"]),
        ("Show it.", "print(1)", 3, "ex-x", ["derivation"]),
        ("Show it by a program.", 'def f(): claim("a", b)', 3, "ex-curse",
         ["computation", "derivation", "experiment", "program"]),
    ],
)  # fmt: skip
def test_kinds_are_told_from_text_and_code(text, code, stars, label, kinds):
    one = exercises.Exercise("book/x", label, "X", stars, text, "", [code] if code else [])
    assert exercises.kinds(one, KNOWN) == kinds


def test_solutions_belong_to_their_exercises(tmp_path):
    cells = [
        "```{exercise} One $k$ ★\n:label: ex-a\n\nWhy?\n```\n\n"
        "```{solution} ex-a\n:class: dropdown\n\nSo.\n```\n\n"
        "````{exercise} Two ★★★\n:label: ex-b\n\n```{math}\na\n```\n````\nBetween.\n"
        "```{solution-start} ex-b\n:class: dropdown\n```\n\nFirst.",
        None,
        "Last.\n\n```{solution-end}\n```\n\nBehind.",
    ]
    output = {"output_type": "stream", "name": "stdout", "text": ["3\n"]}
    made = [
        {"id": str(i), "cell_type": "markdown", "source": text} if text
        else {"id": str(i), "cell_type": "code", "source": "print(3)", "outputs": [output]}
        for i, text in enumerate(cells)
    ]  # fmt: skip
    path = tmp_path / "page.ipynb"
    path.write_text(json.dumps({"cells": made}))
    first, second = exercises.of_page(path, "book/page")
    assert (first.title, first.stars, first.text, first.solution) == ("One $k$", 1, "Why?", "So.\n")
    assert (second.stars, second.text) == (3, "```{math}\na\n```")
    assert second.solution.split() == ["First.", "Last."]
    assert (second.code, second.printed) == (["print(3)"], "3\n")
    left = "".join(piece for solves, piece, _ in exercises.pieces(made) if not solves)
    assert "Between." in left and left.strip().endswith("Behind.")
    assert not any(word in left for word in ("So.", "First.", "Last.", "solution"))


# -- the courses ----------------------------------------------------------------------------------


def builds_on():
    """Return page -> pages that it builds on, by the table of the introduction."""
    rows = re.findall(
        r"^\| *(\d+) *\|[^|]*\|([^|]*)\|[^|]*\| *([\d, ]*) *\|$",
        markdown(BOOK / "introduction.ipynb"),
        re.M,
    )
    pages = {number: re.findall(r"\((\w+)\.ipynb\)", links) for number, links, _ in rows}
    needs = {page: [] for those in pages.values() for page in those}
    for number, _, before in rows:
        for later, page in enumerate(pages[number]):
            needs[page] += [pages[n][0] for n in re.findall(r"\d+", before)]
            needs[page] += pages[number][:1] if later else []
    return needs


def needs_of_judging(page):
    """Return the pages on judging that a page names under "You need"."""
    path = BOOK / f"{page}.ipynb"
    box = path.is_file() and re.search(r"\} You need\n(.*?)^```", markdown(path), re.S | re.M)
    named = re.findall(r"\((judging_\w+)\.ipynb\)", box[1]) if box else []
    return [name for name in named if name != page]


def test_the_table_of_the_introduction_is_read():
    needs = builds_on()
    assert len(needs) == 16 and needs["nearest_neighbors"] == []
    assert needs["inference"] == ["linear_regression"]
    assert needs["penalized_models"] == ["linear_regression", "logistic_regression", "overfitting"]
    assert "judging_further" in needs_of_judging("linear_regression")


@every_course
def test_pages_come_after_those_that_they_build_on(course):
    needs, read = builds_on(), []
    for session in courses.sessions(ROOT, course):
        for page in session.pages:
            missing = {*needs.get(page, []), *needs_of_judging(page)} - set(read)
            assert missing == set(), page
            assert page not in read and not page.endswith("_inside")
            read.append(page)
        for label in session.exercises:
            assert LABELS[label].page.removeprefix("book/") in read, label
    chosen = [label for one in courses.sessions(ROOT, course) for label in one.exercises]
    assert len(set(chosen)) == len(chosen)


def test_the_semester_has_all_methods_but_those_that_the_page_names():
    read = {page for one in courses.sessions(ROOT, "semester") for page in one.pages}
    assert builds_on().keys() - read == {"extra_trees"}
    left_out = re.search(r"\(teaching-semester\)=.*?Left out\.\*\*(.*?)\n\n", teaching(), re.S)[1]
    assert "{doc}`extra_trees`" in left_out


def teaching():
    return (BOOK / "teaching.md").read_text(encoding="utf-8")


def test_the_page_has_every_course():
    assert re.findall(r"\{litlearn-course\} (\w+)", teaching()) == list(courses.COURSES)


def test_minutes_follow_from_words():
    """66 words a minute; a page whose minutes were noted keeps its own pace."""
    noted = courses.plan(ROOT)["noted"]
    total = [sum(one[what] for one in noted.values()) for what in ("words", "minutes")]
    assert courses.pace(ROOT) == courses.pace(ROOT, "k_means") == total[0] / total[1]
    assert 60 < courses.pace(ROOT) < 72
    one = noted["logistic_regression"]
    assert courses.pace(ROOT, "logistic_regression") == one["words"] / one["minutes"]
    words = courses.words(ROOT, "k_means")
    assert abs(courses.minutes(ROOT, "k_means") - words / courses.pace(ROOT)) <= 2.5
    assert courses.words(ROOT, "conclusion") > 300  # a page that is no notebook


# -- the pages as they were built -----------------------------------------------------------------


def soup(page):
    return BeautifulSoup((HTML / f"{page}.html").read_text(encoding="utf-8"), "html.parser")


def resolves(page, link):
    """Whether a link of a page leads to an element that is there."""
    file, _, anchor = link["href"].partition("#")
    target = (HTML / f"{page}.html").parent / file if file else HTML / f"{page}.html"
    found = target.is_file()
    return found and (not anchor or f'id="{anchor}"' in target.read_text(encoding="utf-8"))


# Tests of what was built run with those that open the pages in a browser, when the book is there.
@pytest.mark.browser
def test_the_built_list_leads_to_every_exercise_once():
    listed = soup("book/exercises").select(".litlearn-list li")
    links = [item.find("a") for item in listed]
    targets = [link["href"].partition("#") for link in links]
    assert [anchor for _, _, anchor in targets] == [one.label for one in ASKED]
    assert [file for file, _, _ in targets] == [f"{Path(one.page).name}.html" for one in ASKED]
    assert all(resolves("book/exercises", link) for link in links)
    for item, one in zip(listed, ASKED, strict=True):
        text = " ".join(item.get_text().split())
        assert re.match(r"Exercise [\w.]+ ", text) and f"{'★' * one.stars}:" in text
        kinds = text.rpartition(": ")[2].split(", ")
        checked = ["checked"] * ("answer" in KNOWN.get(one.label, {}))
        assert kinds == [*exercises.kinds(one, KNOWN), *checked]


@pytest.mark.browser
def test_the_built_courses_lead_to_their_pages_and_exercises():
    page = soup("book/teaching").select_one(".bd-article")
    for course, box in zip(courses.COURSES, page.select(".litlearn-course"), strict=True):
        sessions = courses.sessions(ROOT, course)
        wanted = [x for one in sessions for x in [f"{p}.html" for p in one.pages] + one.exercises]
        links = box.select("a")
        assert [a["href"].partition("#")[2] or a["href"] for a in links] == wanted
        assert all(resolves("book/teaching", link) for link in links)
        assert len(box.select("ol > li")) == len(sessions)
    inner = [a for a in page.select("a[href]") if not a["href"].startswith("http")]
    assert all(resolves("book/teaching", link) for link in inner)
