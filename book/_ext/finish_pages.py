"""What the theme writes, made light, legible to machines, and accessible, after the pages are set.

- Styles: each page carries the rules that it can use, instead of asking for twelve files
  (``page_styles.py``).
- Scripts: none holds up the first paint. Font Awesome's (1.5 MB) is replaced by ``icons.css``, and
  the index of the search is loaded by the page that searches.
- Heads: a title, a description, and what a link to the page shows elsewhere (Open Graph).
- Names for what a screen reader meets without one.
- Places where long names and lines of code may break, and where no line may.
- Downloads: the notebook for reading (``.ci/reading.py``).

What the theme has a template for is in ``book/_templates``. All else is done to the parsed page.
"""

from __future__ import annotations

import functools
import html
import re
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import page_styles
from bs4 import BeautifulSoup, Comment
from bs4.element import NavigableString, Tag
from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / ".ci"))

import reading

FRONT_TITLE = "litlearn: classic machine learning, derived, computed and tested"

# -- heads --------------------------------------------------------------------------------------


def description(doctree, least=60, most=200):
    """Return the first sentences of a page that need no formula."""
    out = ""
    for paragraph in doctree.findall(nodes.paragraph) if doctree is not None else ():
        if isinstance(paragraph.parent, nodes.section) and not any(paragraph.findall(nodes.math)):
            text = " ".join(paragraph.astext().split())
            for sentence in re.split(r"(?<=[.?!])\s+", text):
                if len(out) + len(sentence) > most:
                    return out or f"{sentence[:most].rsplit(' ', 1)[0]} …"
                out = f"{out} {sentence}".strip()
            if len(out) >= least:
                break
    return out


def describe(app: Sphinx, pagename, templatename, context, doctree):
    """Say in the head of a page what it is about, to search engines and to who is sent its link."""
    title = re.sub(r"<[^>]*>", "", context.get("title") or "") or "litlearn"
    title = FRONT_TITLE if pagename == app.config.root_doc else f"{html.unescape(title)} — litlearn"
    about = description(doctree) or "Classic machine learning, derived, computed and tested."
    base = app.config.html_baseurl.rstrip("/")
    site = [
        ("property", "og:url", f"{base}/{pagename}.html"),
        ("property", "og:image", f"{base}/_static/front.png"),
    ]
    tags = [
        ("name", "description", about),
        ("property", "og:title", title),
        ("property", "og:description", about),
        ("property", "og:type", "website" if pagename == app.config.root_doc else "article"),
        ("property", "og:site_name", "litlearn"),
        *(site if base else ()),  # a card has whole addresses, or none
    ]
    context["front_title"] = FRONT_TITLE
    own = re.sub(r'\s*<meta name="viewport"[^>]*>', "", context.get("metatags", ""))  # said above
    context["metatags"] = own + "".join(
        f'\n<meta {kind}="{name}" content="{html.escape(content)}" />'
        for kind, name, content in tags
    )


# -- tools --------------------------------------------------------------------------------------


def made(name, *inside, names=(), **attributes):
    """Return a new element with something inside, of the classes `names`."""
    attributes |= {"class": list(names)} if names else {}
    element = Tag(name=name, attrs=attributes, can_be_empty_element=name in ("wbr", "source"))
    for one in inside:
        element.append(one)
    return element


def strings(element, least=""):
    """Return the strings inside of an element that hold a text; comments and scripts are none."""
    return [
        one
        for one in element.find_all(string=True)
        if type(one) is NavigableString and least in one
    ]


def break_at(string, pattern):
    """Let a string break wherever a pattern, of no width, matches."""
    first, *others = re.split(pattern, string)
    if others:
        string.replace_with(first, *(part for one in others for part in (made("wbr"), one)))


def keep(*together):
    """Put neighbours into one element, in which no line breaks."""
    element = made("span", names=["one-line"])
    together[0].insert_before(element)
    element.extend(together)


# -- the head and the controls ------------------------------------------------------------------


def lighten(page, name, options):
    """Take off what holds up a page, and what it does not use."""
    for comment in page.find_all(string=lambda text: isinstance(text, Comment)):
        if re.match(r" (So that users|Pre-loaded scripts)", comment):
            comment.extract()
    for link in page.find_all("link", rel="preload"):
        link.decompose()
    has_tabs = page.find(class_=re.compile("^sd-tab"))
    for script in page.find_all("script", src=True):
        if "fontawesome" in script["src"] or ("design-tabs" in script["src"] and not has_tabs):
            script.decompose()
        elif "documentation_options.js" in script["src"]:
            # Small, and needed by the lines that follow it: it comes with the page.
            script.replace_with(BeautifulSoup(f"<script>{options}</script>", "html.parser"))
        else:
            script["defer"] = "defer"
    for image in page.find_all("img", loading=False):
        if not image.get("src", "").startswith("data:"):
            image["loading"] = "lazy"  # fetched when the reader comes near it
    for link in page.find_all("a", href=re.compile("//colab.research.google.com/github/")):
        # Colab opens plain notebooks (.ci/publish_notebooks).
        before = f"/blob/{reading.BRANCH}/book/"
        link["href"] = link["href"].replace(before, f"/blob/colab/{reading.BRANCH}/")
    if name.startswith("_modules/"):
        # A file with a public class names all it holds after the package; internals do not.
        module = name.removeprefix("_modules/").removesuffix(".html").replace("/", ".")
        package = re.escape(module.rpartition(".")[0])
        for link in page.find_all("a", href=re.compile("internals.html#")):
            link["href"] = re.sub(rf"#{package}\.(\w+)$", rf"#{module}.\1", link["href"])


def name_what_has_no_name(page):
    """Give controls and landmarks the names and roles that the theme leaves out, or has wrong."""
    if sidebar := page.find(id="pst-primary-sidebar"):  # a part of the page, not outside of it
        sidebar["role"], sidebar["aria-label"] = "complementary", "Book"
    for button in page.find_all("button", class_="version-switcher__button"):
        del button["aria-label"]  # its name is the version that it shows
    for button in page.find_all("button", class_="search-button-field"):
        del button["aria-label"]  # its name is what it shows, without the keys that call it
        for keys in button.find_all(class_="search-button__kbd-shortcut"):
            keys["aria-hidden"] = "true"
    for summary in page.find_all("summary"):
        link = summary.parent.previous_sibling
        if summary.get("aria-label") == "Toggle hidden content":
            del summary["aria-label"]  # its name is what it shows
        elif not summary.attrs and isinstance(link, Tag) and link.name == "a":
            summary["aria-label"] = f"Pages beneath {link.get_text(strip=True)}"
    # Roles that the elements of a bibliography, and links, may not have.
    for one in page.find_all(role=re.compile("^doc-biblio(?:entry|ref)$")):
        del one["role"]
    for one in page.find_all("div", "citation-list"):
        del one["role"]
    for corner in page.find_all("th"):  # an empty corner is no heading
        if not corner.get_text(strip=True) and not corner.find(lambda one: one.name != "p"):
            corner.name = "td"
            corner.clear()


# -- the text -----------------------------------------------------------------------------------

BEFORE, BEHIND = re.compile(r"[(“]$"), re.compile(r"(?:-[a-z]+|[.,;:?!)’”])+")
BOXES = ("Algorithm ", "Theorem ", "Proposition ", "Lemma ", "Definition ")


def keep_together(page):
    """Keep formulas with their commas and brackets, numbers with their spreads and signs."""
    for formula in page.find_all("span", "math"):
        if formula.parent.get("class") == ["one-line"] or formula.find(True):
            continue
        before, behind = formula.previous_sibling, formula.next_sibling
        opening = isinstance(before, NavigableString) and BEFORE.search(before)
        closing = isinstance(behind, NavigableString) and BEHIND.match(behind)
        together = [formula]
        if opening:
            before.replace_with(before[:-1])
            together.insert(0, NavigableString(opening[0]))
            formula.insert_before(together[0])
        if closing:
            together.append(NavigableString(closing[0]))
            behind.replace_with(together[-1], behind[closing.end() :])
        if len(together) > 1:
            keep(*together)
    for string in strings(page, "±"):
        string.replace_with(re.sub(r"(?<=\d) (?=±)|(?<=±) (?=\d)", "\N{NO-BREAK SPACE}", string))
    for cell in page.find_all("td", "text-right"):  # a number below zero has a minus sign
        first = next(iter(cell.p.children), "") if cell.p else ""
        if isinstance(first, NavigableString) and re.match(r"-[\d.]", first):
            first.replace_with("\N{MINUS SIGN}" + first[1:])


def tidy_words(page):
    """Repair what Sphinx says twice, or has no words for."""
    for link in page.find_all("a", "reference"):
        before, behind = link.previous_sibling, link.next_sibling
        # The number of an equation has brackets of its own.
        if re.fullmatch(r"\(\d+\.\d+\)", link.get_text()) and not link.find(True):
            if str(before or "").endswith("(") and str(behind or "").startswith(")"):
                before.replace_with(before[:-1])
                behind.replace_with(behind[1:])
        # In the lists, a box on a page without a number has none either.
        elif link.get_text() in BOXES and re.match(r" [A-Z]", str(behind or "")):
            link.string = link.get_text().strip()
            behind.replace_with(f":{behind}")
    for paragraph in page.find_all("p"):  # what Python says of a field of a named tuple
        if re.fullmatch(r"Alias for field number \d+", paragraph.get_text()):
            paragraph.decompose()


def break_names(page, name):
    """Say where titles and long names may break, and where not."""
    for title in page.find_all("h1"):
        for string in strings(title, "k-means")[:1]:
            if string.parent.get("class") == ["one-line"]:
                continue
            before, _, behind = string.partition("k-means")
            middle = NavigableString("k-means")
            string.replace_with(before, middle, behind)
            keep(middle)
    for one in [*page.find_all("h1"), *page.find_all("span", "doc")]:
        for string in strings(one, "litlearn.")[:1]:
            if string.startswith("litlearn."):
                break_at(string, r"(?<=litlearn\.)(?=\w)|(?<=[a-z]_)(?=[a-z])")
    for one in page.find_all("span", "pre"):
        for string in strings(one):
            if re.fullmatch(r"[A-Za-z]{18,}", string):  # the name of a class
                table = one.find_parent("table")
                if one.find_parent(class_="descname") or (
                    table and table.get("class") == ["table"]
                ):
                    break_at(string, r"(?<=[a-z])(?=[A-Z])")
            elif len(string) > 8:
                break_at(string, r'(?<=\w[_./(])(?=\w)|(?<=\w=)(?=")')
    if name == "genindex.html":
        for string in [s for link in page.find_all("a") for s in strings(link, "(")]:
            break_at(string, r"(?<=\w\.)(?=\w)|(?<=[a-z])(?=[A-Z])")


def align_words(table):
    """Let columns of words begin at the left, and those of several words keep a width on phones."""
    head, *body = [row.find_all(["th", "td"]) for row in table.find_all("tr")]
    if len({len(row) for row in body}) != 1:
        return
    for cells in zip(head, *body, strict=False):
        title, *column = [cell.get_text().strip() for cell in cells]
        longest = max(map(len, column))
        if longest and (longest > 30 or not re.search(r"\d", " ".join(column))):
            for cell in cells:
                if "text-right" in cell.get("class", ()):
                    cell["class"] = [
                        one.replace("text-right", "text-left") for one in cell["class"]
                    ]
        if max(longest, len(title)) > 20 and cells[0].get("class", [""])[0] == "head":
            cells[0]["class"].insert(0, "litlearn-words")


# -- code ---------------------------------------------------------------------------------------

# A comment that goes on in the next line.
_CONTINUED = re.compile(
    r'^((?:<span></span>)?( *)<span class="c1"># [^\n<]{45,}[^.:?!\n<])</span>\n'
    r'\2<span class="c1"># (?=[^\n<]*</span>$)',
    re.M,
)
# A comment behind code, which goes to the next line as a whole.
_ASIDE = re.compile(r'(?<=\S  )<span class="c1">(?=#[^<]*</span>\n?$)')
# What the formatter and the linter are told is nothing to read.
_TOLD = re.compile(r"# (?:fmt: skip|noqa: \w+)")
# Where a string begins with the bracket of a value; there is no break between the two.
_VALUE = re.compile(
    r'(<span class="sa">\w</span><span class="s[12]">["\'](?=</span>)</span>'
    r'<span class="si">\{</span>)'
)
# What is too long for one line of a phone, and where it may end: after a bracket, before a method.
_RUN = re.compile(r"\S{20,}")
_END = re.compile(r"(?<=[(\[,/])(?![)\]\s])|(?:(?<=[)\]_])|(?<=\w{5}))(?=\.[^\W\d])")


def boxes_of_code(page):
    """Return the boxes whose lines are code."""
    for box in page.find_all("pre"):
        around = box.parent.parent.get("class", ()) if box.parent.name == "div" else ()
        kind = next((one for one in around if one.startswith("highlight-")), "highlight-none")
        if kind.split("-")[1] not in ("none", "text", "myst", "ansi"):
            yield box


def with_ends(line, plain):
    """Return a line of code whose long runs without a blank may break between their parts."""
    ends = {
        run.start() + end.start() for run in _RUN.finditer(plain) for end in _END.finditer(run[0])
    }
    if not ends or "<wbr>" in line:
        return line
    out, position = [], 0
    for piece in re.split(r"(<[^>]*>|&#?\w+;)", line):
        if piece.startswith("<"):
            out.append(piece)
            continue
        for sign in [piece] if piece.startswith("&") else piece:
            out.append(f"<wbr>{sign}" if position in ends else sign)
            position += 1
    return "".join(out)


def leave_out_what_tools_are_told(page):
    """Take the comments for the formatter and the linter out of code."""
    for string in page.find_all(string=_TOLD.fullmatch):
        before = string.parent.previous_sibling
        if string.parent.get("class") == ["c1"]:
            string.parent.decompose()
            if isinstance(before, NavigableString):
                before.replace_with(before.rstrip(" "))


def break_lines(box):
    """Make the longer lines of a box of code blocks, so that they break with an indent."""
    lines, code = [], box.decode_contents()
    if "code-line" in code:
        return
    while "viewcode" not in code and code != (code := _CONTINUED.sub(r"\1 ", code)):
        pass  # a whole file keeps its lines
    for line in code.splitlines(keepends=True):
        plain = html.unescape(re.sub(r"<[^>]*>", "", line))
        if len(plain) > 30:
            indent = len(plain) - len(plain.lstrip())
            style = f' style="--in:{indent}"' if indent else ""
            line = _VALUE.sub(r'<span class="one-line">\1</span>', line)
            line = _ASIDE.sub('<span class="c1 litlearn-aside">', with_ends(line, plain))
            # No break between the two, unless the indentation alone fills a phone's line.
            if 0 < indent <= 25 and indent + len(plain.split()[0]) > 30:
                line = re.sub(r"^( +)", r'<span class="litlearn-in">\1</span>', line)
            line = f'<span class="code-line"{style}>{line}</span>'
        lines.append(line)
    # Within <pre>, since elsewhere a parser makes one blank of many.
    parsed = BeautifulSoup(f"<pre>{''.join(lines)}</pre>", "html.parser")
    box.clear()
    box.extend(list(parsed.pre.contents))


def without_plain_tokens(page, names):
    """Take off the marks of code that say nothing: a third of a long page."""
    for box in boxes_of_code(page) if names else ():
        for mark in box.find_all("span"):
            if not mark.attrs and not mark.contents:
                mark.decompose()
            elif (
                len(mark.get("class", ())) == 1
                and mark["class"][0] in names
                and not mark.find(True)
            ):
                mark.unwrap()
        box.smooth()


# -- pictures -----------------------------------------------------------------------------------


def size(file):
    """Return width and height of a picture on the page: 100 dots per inch are shown one to one."""
    with Image.open(file) as image:
        finer = max(1, round(image.info.get("dpi", (100, 100))[0] / 100))
        return image.width // finer, image.height // finer


def fit_pictures(page, path):
    """Give pictures their sizes, so that nothing moves when they come, and their phone variants."""
    for image in page.find_all("img", src=re.compile(r"^(?:\.\./)*_images/[^\"]+\.png$")):
        if re.fullmatch(r"width: \d+px; height: \d+px;?", image.get("style", "")):
            del image["style"]
        file = path.parent / image["src"]
        if image.has_attr("width") or image.has_attr("style") or not file.is_file():
            continue
        width, height = size(file)
        image["width"], image["height"] = str(width), str(height)
        phones = (file.with_name(f"{file.stem}-{one}.png") for one in ("narrow", "stacked"))
        if phone := next((one for one in phones if one.is_file()), None):
            wide, high = size(phone)
            given = {"media": "(max-width: 600px)", "width": str(wide), "height": str(high)}
            source = made("source", srcset=image["src"].replace(file.name, phone.name), **given)
            image.replace_with(picture := made("picture", source))
            picture.append(image)
        elif width > 640:
            image.replace_with(panels := made("div", names=["litlearn-panels"]))
            panels.append(image)


_STACKED = re.compile(r"-stacked\.png$|frame-\w+\.(?:webp|png)$")
_SIDES = re.compile(
    r"(\b(?:(?:on|On) the (?:left|right)|(?:Left|Right)(?=[:,])|(?<=\()(?:left|right)(?=\))))"
)


def turn_captions(page):
    """Let a caption say "above" and "below" where the panels of its figure stand so."""
    for figure in page.select("figure:has(source[srcset]):has(figcaption)"):
        if not any(_STACKED.search(one["srcset"]) for one in figure.select("source[srcset]")):
            continue
        for string in strings(figure.figcaption):
            words = _SIDES.split(string)
            for i, side in enumerate(words[1::2]):
                word = "above" if "left" in side.lower() else "below"
                word = word.capitalize() if side[0].isupper() else word
                words[2 * i + 1] = made("span", side, names=["litlearn-beside"])
                beneath = made("span", word, names=["litlearn-beneath"])
                words[2 * i + 2] = [beneath, words[2 * i + 2]]
            flat = [one for part in words for one in (part if isinstance(part, list) else [part])]
            if len(flat) > 1:
                string.replace_with(*flat)


# -- pages --------------------------------------------------------------------------------------


def repair(name, page, options):
    """Repair all of a page but its pictures and styles; a second time changes nothing."""
    lighten(page, name, options)
    name_what_has_no_name(page)
    keep_together(page)
    tidy_words(page)
    for table in page.find_all("table"):
        if table.get("class") == ["table"]:
            align_words(table)
    break_names(page, name)
    leave_out_what_tools_are_told(page)
    for box in boxes_of_code(page):
        break_lines(box)


class Build(NamedTuple):
    """What the pages of a build share."""

    out: Path
    options: str  # of documentation_options.js
    given: set  # names that the scripts give to parts of a page
    read: set  # custom properties that the scripts read


@functools.cache
def sheets_of(static):
    return page_styles.Sheets(static)


def finish_page(build, path):
    """Repair one page of a build."""
    page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    links = page.select('link[rel="stylesheet"]')
    if not links:
        return  # a page of an earlier build
    name = path.relative_to(build.out).as_posix()
    repair(name, page, build.options)
    # Pictures first: the styles of a page are those of the names that are on it.
    fit_pictures(page, path)
    turn_captions(page)
    inside = {one["id"] for one in page.select("[id]")}
    inside.update(one for element in page.select("[class]") for one in element["class"])
    used = build.read | set(re.findall(r"var\((--[\w-]+)", str(page)))
    sheets = sheets_of(build.out / "_static")
    styles = sheets.of_page(links, build.given | inside, used, depth=name.count("/"))
    without_plain_tokens(page, page_styles.plain_tokens(styles))
    links[0].replace_with(BeautifulSoup(f"<style>{styles}</style>", "html.parser"))
    for link in links[1:]:
        link.decompose()
    path.write_text(str(page), encoding="utf-8")


# Lines of a script that are nothing but comments: for those who read the source.
COMMENTS = re.compile(r"^[ \t]*(?:/\*.*?\*/|//[^\n]*)[ \t]*\n", re.MULTILINE | re.DOTALL)


def finish(app: Sphinx, exception):
    """Repair every page of a finished build."""
    if exception is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    static = out / "_static"
    names = [p for p in sorted(out.rglob("*.html")) if "_static" not in p.relative_to(out).parts]
    options = " ".join((static / "documentation_options.js").read_text(encoding="utf-8").split())
    scripts = [p for p in static.rglob("*.js") if p.name != "fontawesome.js"]
    read = {v for p in scripts for v in re.findall(r"--[\w-]+", p.read_text(encoding="utf-8"))}
    build = Build(out, options, page_styles.given_names(scripts), read)
    # Half a second a page, of one core.
    with ProcessPoolExecutor() as pool:
        list(pool.map(functools.partial(finish_page, build), names, chunksize=8))
    for useless in [
        "scripts/fontawesome.js",
        *(p.relative_to(static) for p in static.rglob("*.map")),
    ]:
        (static / useless).unlink(missing_ok=True)
    shutil.rmtree(static / "vendor" / "fontawesome", ignore_errors=True)
    for script in (static / "figures").glob("*.js"):
        if script.name != "d3.js":  # whose first line is its licence
            script.write_text(COMMENTS.sub("", script.read_text("utf-8")), encoding="utf-8")
    labels = reading.Labels(reading.BOOK)
    for download in (out / "_sources" / "book").glob("*.ipynb"):
        text = reading.reading(reading.BOOK / download.name, labels, pages=True)
        download.write_text(text, encoding="utf-8")


def setup(app: Sphinx):
    app.connect("html-page-context", describe, priority=900)
    app.connect("build-finished", finish, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
