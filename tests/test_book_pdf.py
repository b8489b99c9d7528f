"""The book on paper (.ci/pdf.py): everything is there, inside of the paper, and leads somewhere."""

import os
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HTML = Path(os.environ.get("LITLEARN_HTML", ROOT / "_build" / "html"))
sys.path.insert(0, str(ROOT / ".ci"))

pikepdf = pytest.importorskip("pikepdf", reason="pikepdf is not installed")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

import pdf  # noqa: E402

pytestmark = pytest.mark.browser
FEW = ["book/decision_trees", "book/subject_index"]


@pytest.fixture(scope="module")
def built():
    if not (HTML / "index.html").is_file():
        pytest.skip("the book is not built: make book")
    return HTML


@pytest.fixture(scope="module")
def whole(built):
    """The book as one page of HTML, which takes 20 seconds."""
    return pdf.assemble(built)


def labels(text):
    return re.findall(r'\bid="([^"]+)"', text)


@pytest.mark.weekly
def test_each_page_of_the_book_is_there(whole, built):
    for page in pdf.pages_in_order():
        assert f'id="{pdf.identifier(page.name, "top")}"' in whole, page.name
    exercises = len(re.findall(r'class="exercise admonition"', whole))
    solutions = len(re.findall(r'class="solution [^"]*admonition', whole))
    assert exercises == solutions > 100


@pytest.mark.weekly
def test_each_label_is_one_place_and_each_link_leads_to_one(whole):
    known = labels(whole)
    assert len(known) == len(set(known))
    led = set(re.findall(r'href="#([^"]+)"', whole))
    assert led - set(known) == set()


@pytest.mark.weekly
def test_no_script_or_control_is_left(whole):
    scripts = re.findall(r"<script[^>]*>", whole)
    assert len(scripts) == 2  # MathJax, and what it is told
    assert not re.search(r"<(button|input|nav)\b", whole)


@pytest.fixture(scope="module")
def few(built, chromium, tmp_path_factory):
    """A PDF of a few pages, and what sticks out of the paper."""
    source = tmp_path_factory.mktemp("pdf") / "few.html"
    source.write_text(pdf.assemble(built, FEW), "utf-8")
    target = source.with_suffix(".pdf")
    outside = pdf.print_book(source, target, chromium)
    with pikepdf.open(target) as document:
        yield document, outside


def test_nothing_sticks_out_of_the_paper(few):
    assert few[1] == []


def test_what_is_too_wide_is_seen_and_set_smaller(chromium):
    page = chromium.new_page(viewport={"width": 600, "height": 900})
    wide = '<table style="width: 800px"><tr><td>wide</td></tr></table>'
    page.set_content(f'<section class="page" id="one">{wide}</section>')
    assert len(page.evaluate(pdf.OUTSIDE)) == 1
    assert page.evaluate(pdf.FIT) == 1
    assert page.evaluate(pdf.OUTSIDE) == []
    page.close()


def test_paper_numbers_and_bookmarks(few):
    document, _ = few
    for page in document.pages:
        width, height = (float(side) for side in page.mediabox[2:])
        assert (round(width), round(height)) == (595, 842)  # A4
    with document.open_outline() as outline:
        titles = [one.title for one in outline.root]
    assert any("Decision trees" in title for title in titles)
    places = {name[1:] for name in document.Root.Dests}
    assert pdf.identifier("book/decision_trees", "top") in places


def test_it_is_tagged_and_its_fonts_are_inside(few):
    document, _ = few
    assert document.Root.MarkInfo.Marked
    assert str(document.Root.Lang) == "en"
    fonts = 0
    for page in document.pages:
        for font in (page.Resources.get("/Font") or {}).values():
            for one in font.get("/DescendantFonts", [font]):
                if font.get("/Subtype") == "/Type3":
                    continue  # its glyphs are drawings
                described = one.FontDescriptor
                assert any(f"/FontFile{kind}" in described for kind in ("", "2", "3"))
                fonts += 1
    assert fonts > 10
