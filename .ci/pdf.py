"""The whole book as one PDF: `make pdf` writes _build/litlearn.pdf from the pages in _build/html.

All pages of the table of contents are set one after the other on one long page, in the order of the
book, with the styles of ``book/_print/print.css`` alone, and Chromium prints it. Solutions move to
the end, what is folded is open, and a figure to play with is its still picture with the address
where it moves, if it has one. Folded code, most of which draws, stays in the notebooks, and the API
reference in the pages.

A browser does not know on which page of paper a link ends. So the book is printed twice: the first
print has the places of all headings and labels, the second one their page numbers. The second is
compared with the first, and a last print follows if a number moved.
"""

from __future__ import annotations

import argparse
import html
import io
import re
import shutil
import sys
import time
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urldefrag

import pikepdf
import yaml
from bs4 import BeautifulSoup
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent))

import reading

ROOT = Path(__file__).resolve().parent.parent
STYLES = ROOT / "book" / "_print" / "print.css"
LEFT_OUT = ("book/api/",)  # pages whose names begin so
FLAT = ("book/subject_index", "book/lists", "book/status", "book/symbols")  # without their sections
TITLE = "Classic machine learning, derived, computed and tested"
MOST_PRINTS = 4
BEGUN = time.perf_counter()
NO_PAGE = "000"  # as wide as any page number


class Page(NamedTuple):
    """A page of the book, and its place in it."""

    name: str  # of the file, without its ending
    part: str
    depth: int  # 1: a chapter, 2: a page beneath one


def pages_in_order():
    """Return the pages of the table of contents in the order of the book."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    found = []
    for part in toc["parts"]:
        for chapter in part["chapters"]:
            found.append(Page(chapter["file"], part["caption"], 1))
            beneath = chapter.get("sections", ())
            found += [Page(one["file"], part["caption"], 2) for one in beneath]
    return [page for page in found if not page.name.startswith(LEFT_OUT)]


# -- one page -----------------------------------------------------------------------------------

# What only a screen can use.
ON_SCREEN = (
    "a.headerlink, script, style, noscript, button, .prev-next-area, .bd-header-article, "
    ".litlearn-slider img[hidden], .litlearn-slider-control, .litlearn-only-alive, .tag-index, "
    "nav, .sd-summary-state-marker, wbr"
)


def identifier(page, label):
    """Return the identifier, unique in the book, of a label of a page."""
    return f"{page.removeprefix('book/')}--{label}".replace("/", "-")


def made(text):
    """Return the first element of a text in HTML."""
    return BeautifulSoup(text, "html.parser").find()


def article_of(page, folder):
    """Return the text of a page, made ready for paper: its links, pictures and labels."""
    text = (folder / f"{page}.html").read_text("utf-8")
    text = text[text.index("<article") : text.index("</article>")] + "</article>"
    article = made(text)
    for figure in article.select("figure:has(script[data-litlearn-figure], .litlearn-slider)"):
        address = f"{reading.SITE}/{page}.html#{figure['id']}"
        where = f'<a href="{address}">{address}</a>' if reading.SITE else "the page of this chapter"
        figure.find("figcaption").append(made(f'<p class="play-address">Moves on {where}</p>'))
    for link in article.select("a.image-reference"):
        link.unwrap()
    for one in article.select(ON_SCREEN):
        one.decompose()
    seen = set()
    for one in article.find_all(id=True):
        label = one.attrs.pop("id")
        if label not in seen:  # all proofs and exercises of a page have the same besides their own
            one["id"] = identifier(page, label)
            seen.add(label)
    for name in ("aria-labelledby", "aria-describedby", "for", "headers"):
        for one in article.find_all(attrs={name: True}):
            labels = one[name] if isinstance(one[name], list) else one[name].split()
            one[name] = " ".join(identifier(page, label) for label in labels)
    for code in article.select("details.above-input"):
        title = code.summary.find("p").decode_contents().removeprefix("Code: ")
        code.insert_before(made(f'<p class="in-notebook">Code in the notebook: {title}</p>'))
        for output in code.select(".cell_output"):  # of a cell that is folded as a whole
            code.insert_before(output.extract())
        code.decompose()
    for one in article.find_all("details"):
        one["open"] = ""
    for picture in article.find_all("picture"):  # the wide one
        for source in picture.find_all("source"):
            source.decompose()
    here = (folder / page).parent
    for image in article.find_all("img", src=True):
        del image["loading"]
        if not re.match(r"\w+:", image["src"]):
            image["src"] = (here / unquote(image["src"])).resolve().as_uri()
    return article


def turn_links(article, page, included, site):
    """Let links lead to a place in the book, or to the published page where it is left out."""
    for link in article.find_all("a", href=True):
        address, label = urldefrag(link["href"])
        if re.match(r"\w+:", address):
            continue
        target = page
        if address:
            parts = [*page.split("/")[:-1], *address.removesuffix(".html").split("/")]
            path = []
            for part in parts:
                path = path[:-1] if part == ".." else [*path, part]
            target = "/".join(path)
        if target not in included and not site:
            link.unwrap()
            continue
        if target not in included:
            link["href"] = f"{site}/{target}.html" + (f"#{label}" if label else "")
            continue
        link["href"] = "#" + (identifier(target, label) if label else identifier(target, "top"))
        if page == "book/subject_index":  # the number stands for the page
            link.string = ""
            link.append(page_number(link["href"][1:]))
            link.span["class"] = ["page-number", "turned"]
        elif target != page and names_a_place(link):
            link.insert_after(page_number(link["href"][1:]))


def names_a_place(link):
    """Tell whether a reader may want to turn to where a link leads; not for words and sources."""
    names = {name for one in (link, *link.parents) for name in one.get("class") or ()}
    href = link["href"]
    return not names & {"bibtex", "litlearn-claim", "toctree-wrapper"} and not re.match(
        "#(glossary|references)--", href
    )


def page_number(label):
    """Return the mark that will hold the page number of a label."""
    return made(f'<span class="page-number" data-for="{label}">{NO_PAGE}</span>')


# -- the parts of the book ----------------------------------------------------------------------


def take_solutions(article):
    """Take the solutions out of a page and return them, with the number of the exercise."""
    taken = []
    for solution in article.select(".solution"):
        exercise = solution.find_previous(class_="exercise")
        number = exercise.find(class_="caption-number").get_text(strip=True)
        title = solution.find(class_="admonition-title")
        title.string = ""
        title.append(made(f'<a href="#{exercise["id"]}">Solution of {number}</a>'))
        title.append(page_number(exercise["id"]))
        exercise.find(class_="admonition-title").append(page_number(solution["id"]))
        taken.append(solution.extract())
    return taken


def title_page():
    authors = "the litlearn developers"
    where = f'<a href="{reading.SITE}">{reading.SITE}</a>' if reading.SITE else "its pages"
    return f"""<section class="title-page"><h1>litlearn</h1><p class="subtitle">{TITLE}</p>
<p class="edition">{authors}<br>Version {reading.VERSION}</p>
<p class="rights">Folded code, most of which draws, is in the notebooks. They, figures that move and
the API reference are in {where}.<br>Text under CC BY 4.0, code under BSD-3-Clause.</p></section>"""


def heading(article):
    """Return the heading of a page without its marks, as HTML."""
    return article.find("h1").decode_contents().strip()


def contents(pages, articles):
    """Return the table of contents: parts, pages, and their sections."""
    lines, part = [], None
    for page in pages:
        if page.part != part:
            part = page.part
            lines.append(f'<li class="part">{html.escape(part)}</li>')
        article = articles[page.name]
        lines.append(_line(f"level-{page.depth}", article.find("h1"), identifier(page.name, "top")))
        if page.depth == 1 and page.name not in FLAT:
            for section in article.select("section > h2"):
                lines.append(_line("level-3", section, section.parent["id"]))
    lines.append(_line("level-1", made("<h1>Solutions</h1>"), "solutions"))
    return f'<section class="contents"><h1>Contents</h1><ol>{"".join(lines)}</ol></section>'


def _line(kind, title, label):
    title = BeautifulSoup(title.decode_contents(), "html.parser")
    for link in title.find_all("a"):
        link.unwrap()
    for one in title.find_all(id=True):
        del one["id"]
    return (
        f'<li class="{kind}"><a href="#{label}"><span class="entry">{title}</span>'
        f"{page_number(label)}</a></li>"
    )


def running_heads(pages, articles):
    """Return the rules that write part and page over each sheet of paper."""
    rules = []
    for number, page in enumerate(pages):
        title = articles[page.name].find("h1").get_text(" ", strip=True)
        title = re.sub(r"\s+", " ", title).replace("\\", "").replace('"', "'")
        rules.append(
            f"#{_section(number)} {{ page: {_section(number)} }}\n"
            f'@page {_section(number)} {{ @top-left {{ content: "{page.part}" }} '
            f'@top-right {{ content: "{title}" }} }}\n'
        )
    return "".join(rules)


def _section(number):
    return f"page-{number}"


def assemble(folder, names=None):
    """Return the whole book, or the pages with these names, as one page of HTML."""
    pages = [page for page in pages_in_order() if names is None or page.name in names]
    included = {page.name for page in pages}
    articles, solutions = {}, []
    for page in pages:
        article = article_of(page.name, folder)
        turn_links(article, page.name, included, reading.SITE)
        if taken := take_solutions(article):
            solutions.append((heading(article), taken))
        articles[page.name] = article
    body = [title_page(), contents(pages, articles)]
    for number, page in enumerate(pages):
        inside = articles[page.name].decode_contents()
        body.append(
            f'<section id="{_section(number)}" class="page depth-{page.depth}">'
            f'<span id="{identifier(page.name, "top")}"></span>{inside}</section>'
        )
    body.append(
        '<section id="page-solutions" class="page depth-1"><h1 id="solutions">Solutions</h1>'
    )
    for title, taken in solutions:
        body.append(f"<h2>{title}</h2>" + "".join(map(str, taken)))
    body.append("</section>")
    formulas = (folder / "book" / "mathematics.html").read_text("utf-8")
    mathjax = re.search(r"<script>window\.MathJax = .*?</script>", formulas, re.S)[0]
    styles = STYLES.read_text("utf-8") + running_heads(pages, articles)
    pygments = (folder / "_static" / "pygments.css").read_text("utf-8")
    return f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<title>litlearn: {TITLE}</title><base href="{folder.resolve().as_uri()}/">
<style>{pygments}</style><style>{styles}</style>
{mathjax}<script defer src="{(folder / "mathjax" / "tex-chtml.js").resolve().as_uri()}"></script>
</head><body>{"".join(body)}</body></html>"""


# -- printing -----------------------------------------------------------------------------------

# What is wider than the paper is set smaller, as a whole.
FIT = """() => {
  const wide = [], kinds = "mjx-container[display] > mjx-math, table, .sd-card";
  for (const one of document.querySelectorAll(kinds)) {
    const line = one.closest("div.math") || one.parentElement;
    const number = line.querySelector(":scope > .eqno");
    const room = line.clientWidth - (number ? 2 * number.offsetWidth : 0);
    if (one.offsetWidth > room + 1) wide.push([one, Math.max(0.4, room / one.offsetWidth)]);
  }
  for (const [one, zoom] of wide) one.style.zoom = String(zoom);
  return wide.length;
}"""
# What still sticks out, by its text.
OUTSIDE = """() => {
  const found = [], kinds = "p, pre, table, img, svg, mjx-math, li, h1, h2, h3";
  for (const page of document.querySelectorAll(".page, .contents")) {
    const right = page.getBoundingClientRect().right;
    for (const one of page.querySelectorAll(kinds)) {
      const over = one.getBoundingClientRect().right - right;
      if (over > 2 && !one.closest("mjx-assistive-mml"))
        found.push(`${page.id}, ${Math.round(over)} px: ${one.textContent.slice(0, 60)}`);
    }
  }
  return found;
}"""
FILL = """numbers => {
  for (const one of document.querySelectorAll(".page-number"))
    one.textContent = numbers[one.dataset.for] || "";
}"""


PAPER = {"width": 605, "height": 900}  # A4 without its margins, in CSS pixels
PRINT = {"prefer_css_page_size": True, "print_background": True, "tagged": True, "outline": True}


def numbers_of(data):
    """Return the page numbers of all places that links of a PDF lead to."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        number = {page.objgen: str(i + 1) for i, page in enumerate(pdf.pages)}
        return {name[1:]: number[place[0].objgen] for name, place in pdf.Root.Dests.items()}


def compress(data, target):
    """Write a PDF with its many small objects in compressed streams, half as large."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        pdf.save(target, object_stream_mode=pikepdf.ObjectStreamMode.generate)


def say(text):
    """Tell how far the print has come."""
    print(f"{time.perf_counter() - BEGUN:4.0f} s  {text}", flush=True)


def print_book(source, target, browser):
    """Print a page of HTML to a PDF with the numbers of its pages. Return what sticks out."""
    with browser.new_page(viewport=PAPER) as page:
        page.set_default_timeout(600_000)
        page.emulate_media(media="print", color_scheme="light", reduced_motion="reduce")
        say("setting")
        page.goto(source.resolve().as_uri(), wait_until="load", timeout=600_000)
        page.wait_for_function("window.MathJax && MathJax.startup && MathJax.startup.promise")
        page.evaluate("() => MathJax.startup.promise.then(() => document.fonts.ready)")
        say("formulas are set")
        say(f"{page.evaluate(FIT)} set smaller")
        outside = page.evaluate(OUTSIDE)
        numbers = None
        for _ in range(MOST_PRINTS):
            data = page.pdf(**PRINT)
            found = numbers_of(data)
            say(f"{len(data) / 1e6:.1f} MB, {len(found)} places")
            if found == numbers:
                break
            numbers = found
            page.evaluate(FILL, numbers)
        else:
            raise RuntimeError("The page numbers do not settle.")
    compress(data, target)
    return outside


def browser_of_the_machine():
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--html", type=Path, default=ROOT / "_build" / "html")
    parser.add_argument("--out", type=Path, default=ROOT / "_build" / "litlearn.pdf")
    parser.add_argument("--browser", type=Path, default=browser_of_the_machine())
    given = parser.parse_args()
    source = given.out.with_suffix(".html")
    source.write_text(assemble(given.html), "utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=given.browser, args=["--no-sandbox"])
        outside = print_book(source, given.out, browser)
    for one in outside:
        print(f"Outside of the paper: {one}", file=sys.stderr)
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main())
