"""The built pages, opened in a browser without a network.

`make test` builds the book and then opens some of them, `make pages-test` all. They drive the
Chromium of the machine through Playwright. Without a Chromium, or (outside continuous integration)
without a built book, they are skipped and say so.
"""

import ast
import base64
import gzip
import io
import json
import os
import re
import threading
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import address
import numpy as np
import pytest

from screens import PHONE, WIDE

ROOT = Path(__file__).resolve().parent.parent
AT = address.read()
HTML = Path(os.environ.get("LITLEARN_HTML", ROOT / "_build" / "html"))
PAGES = sorted(
    name
    for name in (path.relative_to(HTML).as_posix() for path in HTML.rglob("*.html"))
    if not name.startswith("_static/")  # templates of the theme, which no page links to
)


def different(pages):
    """All pages, but of those with source or the reference, the longest of each folder."""
    longest = {}
    for name in sorted(pages, key=lambda name: (HTML / name).stat().st_size):
        longest[os.path.dirname(name)] = name
    alike = ("_modules/", "book/api/")
    return [n for n in pages if not n.startswith(alike) or n in longest.values()]


pytestmark = pytest.mark.browser
DIFFERENT = different(PAGES)
later = pytest.mark.weekly
# The name of a parameter that stands for "there is no page", so that the fixture below decides.
every_page = pytest.mark.parametrize(
    "page_name",
    [pytest.param(name, marks=() if name in DIFFERENT else later) for name in PAGES]
    or ["no built book"],
)


@pytest.fixture(scope="module")
def built():
    """The folder of the built book."""
    if not (HTML / "index.html").is_file():
        message = f"there is no built book in {HTML}: run make book"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return HTML


@pytest.fixture(scope="module")
def browser(built, chromium):
    """The browser, when there are pages to open in it."""
    return chromium


@pytest.fixture(scope="module")
def tab(browser):
    """A tab without a network. One for all pages: the scripts of the book are compiled once."""
    context = browser.new_context(viewport=WIDE, color_scheme="light", offline=True)
    context.set_default_timeout(120_000)  # a busy machine is slow
    yield context.new_page()
    context.close()


# Colours fade when the scheme changes. Nobody needs to wait for that here.
AT_ONCE = "*, *::before, *::after {transition: none !important}"


class Opened:
    """A page as a new reader meets it, with everything that goes wrong in it."""

    def __init__(self, tab, address):
        self.tab, self.own = tab, urlsplit(address)[:2]
        self.problems, self.asked, self.requests = [], set(), []
        self.listeners = {
            "console": self._console,
            "pageerror": lambda error: self.problems.append(f"script: {error}"),
            "request": self._request,
            "requestfailed": self._failed,
        }
        for event, listener in self.listeners.items():
            tab.on(event, listener)
        self.tab.set_viewport_size(WIDE)
        self.tab.goto(address)
        self.tab.add_style_tag(content=AT_ONCE)
        self.tab.evaluate(
            "() => window.MathJax && MathJax.startup ? MathJax.startup.promise.then(() => 0) : 0"
        )

    def _console(self, message):
        if message.type in ("error", "warning"):
            self.problems.append(f"console: {message.text}")

    def _request(self, request):
        self.requests.append(request)
        parts = urlsplit(request.url)
        self.asked.add(parts.path)
        if parts.scheme not in ("data", "blob") and parts[:2] != self.own:
            self.problems.append(f"asked the network for {request.url}")

    def _failed(self, request):
        if request in self.requests:  # not one that the page before had not waited for
            self.problems.append(f"not loaded: {request.url}")

    def unfold(self):
        """Open everything that is folded, so that it is looked at too."""
        self.tab.evaluate(
            """() => {
              document.querySelectorAll("article details").forEach(d => { d.open = true; });
              document.querySelectorAll("article .admonition.toggle-hidden > .admonition-title")
                .forEach(t => t.click());
            }"""
        )

    def theme(self, wanted):
        """Press the button of the colour scheme until the page has the wanted one."""
        for _ in range(4):
            if self.tab.evaluate("document.documentElement.dataset.theme") == wanted:
                return
            self.tab.locator("button.theme-switch-button:visible").first.click()
        pytest.fail(f"the button does not switch to the {wanted} page")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.tab.evaluate("() => {localStorage.clear(); sessionStorage.clear();}")
        for event, listener in self.listeners.items():
            self.tab.remove_listener(event, listener)


def _sideways(page):
    """Describe what makes the page scroll sideways ("" if nothing does)."""
    return page.tab.evaluate(
        """() => {
          window.scrollTo(500, 0);
          const moved = window.scrollX;
          window.scrollTo(0, 0);
          const width = document.documentElement.clientWidth;
          if (!moved && document.documentElement.scrollWidth <= width) return "";
          const guilty = [...document.querySelectorAll("body *")]
            .filter(e => e.getBoundingClientRect().right > width + 1)
            .map(e => e.tagName + "." + e.className).slice(0, 8);
          return document.documentElement.scrollWidth + " pixels wide: " + guilty.join(", ");
        }"""
    )


SHADES = np.arange(256) / 255.0
SHADES = np.where(SHADES <= 0.04045, SHADES / 12.92, ((SHADES + 0.055) / 1.055) ** 2.4)


def _luminance(pixels):
    """Relative luminance, as WCAG defines it, of sRGB pixels from 0 to 255."""
    return SHADES[np.asarray(pixels, dtype=np.uint8)] @ np.array([0.2126, 0.7152, 0.0722])


def _contrast(a, b):
    """Contrast ratio of two luminances: 1 for equal ones, 21 for black on white."""
    return (np.maximum(a, b) + 0.05) / (np.minimum(a, b) + 0.05)


def legibility(png):
    """Return the luminance of a figure's background, and the contrast of what stands out most.

    The background is the most frequent colour. Axes, ticks and letters are at least one pixel in
    500, so the contrast that one pixel in 500 exceeds is theirs. (One in 200 are lines at the edge
    of a pixel, too: where a picture began half a pixel lower, its contrast was another.)
    """
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        pixels = np.asarray(image.convert("RGB")).reshape(-1, 3)
    # Colours in steps of 4 a channel, as one number.
    coarse = (pixels // 4).astype(np.int32) @ np.array([4096, 64, 1])
    most = np.bincount(coarse).argmax()
    background = float(_luminance(np.array([most // 4096, most // 64 % 64, most % 64]) * 4 + 2))
    return background, float(np.quantile(_contrast(_luminance(pixels), background), 0.998))


AXE = (Path(__file__).parent / "vendor" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")

# Of tokens of code, five of each kind stay, and of formulas one; the others become plain text. Of
# the lines of code, the rows of a table, the members of a class, the parameters of a function and
# the entries of a list of contents, all alike, the first twelve stay. axe-core takes minutes for
# thousands.
FEW = """() => {
  const seen = new Map();
  const many = (kind, most) => {
    seen.set(kind, (seen.get(kind) || 0) + 1);
    return seen.get(kind) > most;
  };
  document.querySelectorAll("article .highlight pre span:not([id])").forEach(token => {
    if (many(token.parentElement.className + "/" + token.className, 5))
      token.replaceWith(...token.childNodes);
  });
  document.querySelectorAll("article mjx-container").forEach(formula => {
    const around = formula.parentElement.parentElement.tagName;
    if (many(around + formula.hasAttribute("display"), 1)) formula.replaceWith("x");
  });
  const alike = "article pre > span[id], article tbody > tr, article dl.py dl.py, " +
    "article dl.field-list dl > *, article .genindextable li, .bd-sidebar-secondary li";
  document.querySelectorAll(alike).forEach(one => {
    const list = one.parentElement.closest("table, dl, ul, pre");
    if (many(list.className + one.tagName, 12)) one.remove();
  });
}"""

# Around every article stands the same frame. It is looked at on the pages at the top of the book,
# and on the first page of each folder, of text and of a notebook.
FRAME = [".bd-header", ".bd-sidebar-primary", ".bd-header-article", ".prev-next-area", ".bd-footer"]
FIRST = {}
for name in DIFFERENT:
    notebook = (HTML / "_sources" / name).with_suffix(".ipynb").is_file()
    FIRST.setdefault((Path(name).parent, notebook), name)
FRAMED = {name for name in PAGES if "/" not in name} | set(FIRST.values())

VIOLATIONS = """async ([frame, contrast, known]) => {
  const options = {resultTypes: ["violations"], preload: false};
  const told = found => found.violations.flatMap(v => v.nodes.map(n =>
    v.id + ": " + n.target.join(" ").slice(0, 120) + ": " + n.html.slice(0, 120)));
  if (!contrast) {
    options.rules = {"color-contrast": {enabled: false}};
    const hint = ".tooltip";  // of the button that was pressed
    return [told(await axe.run({exclude: [hint, ...frame].map(part => [part])}, options)), []];
  }
  // Two texts of each kind. Those of a kind have the same class and style, the same letters in the
  // same colour, and the same behind them: all that their contrast is made of.
  const around = new Map([[null, ""]]), seen = new Map(), before = new Set(known);
  const own = e => [e.tagName, e.getAttribute("class"), e.getAttribute("style")];
  const behind = e => {
    if (!around.has(e)) {
      const s = getComputedStyle(e);
      const look = [s.backgroundColor, s.backgroundImage, s.opacity, s.position].join();
      around.set(e, behind(e.parentElement) + (look === CLEAR ? "" : "/" + look));
    }
    return around.get(e);
  };
  const CLEAR = "rgba(0, 0, 0, 0),none,1,static";
  const path = e => {
    const s = getComputedStyle(e);
    return [...own(e), ...own(e.parentElement), s.color, s.fontSize, s.fontWeight, s.textShadow,
      behind(e)].join();
  };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.textContent.trim() || e.closest(["script", ...frame].join())) continue;
    if (!e.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
    const name = path(e);
    if (before.has(name)) continue;
    const kind = seen.get(name) || seen.set(name, new Set()).get(name);
    if (kind.size < 2) kind.add(e);
  }
  if (!seen.size) return [[], []];
  options.runOnly = ["color-contrast"];
  const include = [...seen.values()].flatMap(kind => [...kind]);
  return [told(await axe.run({include}, options)), [...seen.keys()]];
}"""

# Kinds of text that have enough contrast. Pages share most of them, and axe-core spends most of its
# time on them: a kind is looked at on the first page that has it, in each scheme.
LEGIBLE = set()


def _violations(page, contrast, frame=True):
    """What axe-core finds wrong for readers who see, or hear, the page otherwise."""
    asked = [[] if frame else FRAME, contrast, list(LEGIBLE)]
    found, kinds = page.tab.evaluate(VIOLATIONS, asked)
    if not found:
        LEGIBLE.update(kinds)
    return found[:20]


# page.js looks for what is wide in the frame after the width has changed.
SETTLED = """() => new Promise(done => requestAnimationFrame(
  () => requestAnimationFrame(() => setTimeout(done, 50))))"""

# Captions that say where a panel is on a wide page and on a narrow one, both at once.
BOTH_SIDES = r"""[...document.querySelectorAll('figcaption')]
  .map(caption => caption.innerText.match(/\w*(?:left|right)(?:above|below)/i)?.[0])
  .filter(Boolean)"""

# A box that scrolls sideways without the shade that says so, or that keys do not reach.
SECRET = """() => [...document.querySelectorAll("article *")].filter(e => {
    if (e.parentElement.closest("mjx-container") || !e.getClientRects().length) return false;
    if (!["auto", "scroll"].includes(getComputedStyle(e).overflowX)) return false;
    if (e.scrollWidth <= e.clientWidth + 1) return false;
    return !e.classList.contains("litlearn-scrolls") || e.tabIndex !== 0;
  }).map(e => e.tagName + "." + e.className + ": " + e.textContent.trim().slice(0, 50))"""

# Formulas in a line of text that reach out of it.
WIDE_MATHS = """() => [...document.querySelectorAll("article span.math > mjx-container")]
  .filter(e => {
    if (!e.getClientRects().length || e.closest(".litlearn-wide, td, th")) return false;
    const block = e.closest("p, li, dd, dt, figcaption, div, summary, h1, h2, h3, h4");
    return e.getBoundingClientRect().width > block.clientWidth + 1;
  }).map(e => e.textContent.slice(0, 60))"""

# Ink of a displayed formula above or below its box, which hides it: the bar of a transpose sign.
CUT_MATHS = """() => [...document.querySelectorAll("article div.math")].filter(box => {
    if (!box.getClientRects().length) return false;
    const room = box.getBoundingClientRect();
    return [...box.querySelectorAll("mjx-c, mjx-mtable")].some(c => {
      const ink = c.getBoundingClientRect();
      return ink.height && (ink.top < room.top - 0.5 || ink.bottom > room.bottom + 0.5);
    });
  }).map(e => e.textContent.slice(0, 60))"""

# Formulas of which a part lies where their box cannot be scrolled to.
OUT_OF_REACH = """() => [...document.querySelectorAll(
    "article div.math, article .litlearn-wide")].filter(box => {
    if (!box.getClientRects().length) return false;
    const {left} = box.getBoundingClientRect();
    return [...box.querySelectorAll("mjx-math")].some(m => {
      const formula = m.getBoundingClientRect();
      return formula.left < left - 1 || formula.right > left + box.scrollWidth + 1;
    });
  }).map(e => e.textContent.slice(0, 60))"""

# Boxes of code, but not of what it printed.
WIDE_CODE = """() => [...document.querySelectorAll("article div.highlight pre")]
  .filter(e => !e.closest(".output") && e.scrollWidth > e.clientWidth + 1)
  .map(e => e.textContent.trim().slice(0, 60))"""

BARE_ICONS = """() => [...document.querySelectorAll(".fa-solid, .fas, .fab, .fa-brands")]
  .filter(i => !getComputedStyle(i).getPropertyValue("--icon")).map(i => i.className)"""

# Signs of an icon font, which the pages do not have: the reader would see empty boxes. Those of
# icons.css are behind a mask, and those of formulas are in MathJax's fonts.
MISSING_SIGNS = r"""() => [...document.querySelectorAll("body *")].filter(e =>
    !e.closest(".fa-solid, .fas, .fab, .fa-brands, mjx-container")
    && ["::before", "::after"].some(side =>
      /[\uE000-\uF8FF]/.test(getComputedStyle(e, side).content)))
  .map(e => e.tagName + "." + e.className)"""

# Cells of a row of one line whose text does not begin at one height.
LOW_CELLS = """() => [...document.querySelectorAll("article tbody tr")].filter(row => {
    const tops = [...row.cells].filter(c => c.innerText.trim() && c.querySelector("p"))
      .map(c => c.querySelector("p").getBoundingClientRect().top);
    return Math.max(...tops) - Math.min(...tops) > 3
      || row.querySelector(".litlearn-wide");
  }).map(row => row.innerText.slice(0, 60))"""

HEADINGS = """() => ["h1", "h2", "h3", "h4"].map(h => document.querySelector("article " + h))
  .filter(h => h).map(h => [parseFloat(getComputedStyle(h).fontSize),
                            parseFloat(getComputedStyle(h).fontWeight)])"""


# Figures to play with (tests/test_book_figures.py).
LIVE = re.compile(r'data-litlearn-figure="(\w+)"')

# One further down the page is drawn when the reader comes near it, in the place of a still picture.
COME_NEAR = """number => {
  const place = document.querySelectorAll("script[data-litlearn-figure]")[number].parentElement;
  place.scrollIntoView({behavior: "instant"});
  return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(
    () => done([place.querySelectorAll(".axes text").length, place.querySelectorAll("img").length]),
    50))));
}"""

# What a reader copies from a cell.
CODE_OF_CELLS = """() => [...document.querySelectorAll("article .cell_input pre")]
  .map(box => box.textContent).filter(text => !/^\\s*[%!]/m.test(text))"""

FIGURES = "article .cell_output img, article figure img"

# A table beside a plot that reaches beyond the page's column.
WIDE_PANELS = """() => [...document.querySelectorAll(".litlearn-panel")]
  .filter(panel => panel.scrollWidth > panel.clientWidth + 1)
  .map(panel => panel.textContent.slice(0, 60))"""

VISIBLE = """selector => [...document.querySelectorAll(selector)].flatMap((figure, number) => {
  const {width, height} = figure.getBoundingClientRect();
  return width && height && figure.checkVisibility({visibilityProperty: true}) ? [number] : [];
})"""

# A picture that waits for its reader loads when it is in view.
COME_INTO_VIEW = """async ([selector, number]) => {
  const figure = document.querySelectorAll(selector)[number];
  figure.scrollIntoView({block: "center", behavior: "instant"});
  if (!figure.complete) await new Promise(done => { figure.onload = figure.onerror = done; });
  await figure.decode();
  const {left, top, width, height} = figure.getBoundingClientRect();
  return {
    clip: {x: left + scrollX, y: top + scrollY, width, height, scale: 1},
    captureBeyondViewport: top < 0 || top + height > innerHeight || left + width > innerWidth,
  };
}"""

UNSET_MATHS = """() => [...document.querySelectorAll(".math")]
  .filter(m => !m.querySelector("mjx-container") && !m.closest("mjx-container"))
  .map(m => m.textContent.slice(0, 80))"""

WRONG_MATHS = """() => [...document.querySelectorAll("mjx-merror, [data-mjx-error]")]
  .map(m => m.getAttribute("data-mjx-error") || m.textContent.slice(0, 80))"""

# Signs that MathJax takes from its font AMS, which is vendored in part (.ci/vendor_mathjax).
AMS_SIGNS = """() => [...document.querySelectorAll("mjx-container [class*=TEX-A]")]
  .map(e => getComputedStyle(e, "::before").content.replace(/^"|"$/g, ""))"""

RAW_MARKUP = r"""() => {
  const out = [];
  const walk = document.createTreeWalker(
    document.querySelector("article") || document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode;
    if (node.parentElement.closest("pre, code, script, style, mjx-container")) continue;
    if (/\$[^$]*\\[a-z]+|^:::|\{(eq|numref|cite|doc|ref)[:}]/m.test(node.textContent))
      out.push(node.textContent.trim().slice(0, 80));
  }
  return out;
}"""

CUT_OFF = """() => [...document.querySelectorAll(
    "article p, article li, article figcaption, article pre, article table, " +
    "article div.math, article .litlearn-slider, article img")]
  .filter(e => {
    if (e.closest("mjx-container") || !e.getClientRects().length) return false;
    if (e.getBoundingClientRect().right <= window.innerWidth + 1) return false;
    for (let box = e; box; box = box.parentElement)
      if (["auto", "scroll"].includes(getComputedStyle(box).overflowX)) return false;
    return true;
  }).map(e => e.tagName + ": " + e.textContent.slice(0, 60))"""


def _check_figures(page, theme):
    """Every figure has contrast, on a background like that of the page."""
    shown = page.tab.evaluate("getComputedStyle(document.body).backgroundColor")
    paper = _luminance(np.array([float(v) for v in re.findall(r"[\d.]+", shown)[:3]]))
    assert (paper < 0.2) == (theme == "dark"), f"{theme} page with background {shown}"
    session = page.tab.context.new_cdp_session(page.tab)  # a tenth of the time of a screenshot
    for number in page.tab.evaluate(VISIBLE, FIGURES):
        place = page.tab.evaluate(COME_INTO_VIEW, [FIGURES, number])
        taken = session.send("Page.captureScreenshot", place | {"optimizeForSpeed": True})
        background, contrast = legibility(base64.b64decode(taken["data"]))
        assert contrast > 4.5, f"figure {number} is faint on the {theme} page"
        # No white card on a dark page, no dark card on a light one.
        assert _contrast(background, paper) < 2.0, f"figure {number} on the {theme} page"
    session.detach()


SLIDER = """s => [[...s.querySelectorAll("img")].findIndex(i => !i.hidden),
  s.querySelector("output").value, [...s.querySelectorAll("img")].filter(i => !i.hidden).length]"""


def _check_slider(page, slider):
    """A slider changes its picture, by keys and by the mouse, without a kernel."""
    control = slider.locator("input[type=range]")
    last = int(control.get_attribute("max"))
    assert last >= 1
    control.scroll_into_view_if_needed()

    control.focus()
    page.tab.keyboard.press("Home")
    first, pixels = slider.evaluate(SLIDER), slider.screenshot()
    assert (first[0], first[2]) == (0, 1)
    page.tab.keyboard.press("ArrowRight")
    second = slider.evaluate(SLIDER)
    assert (second[0], second[2]) == (1, 1)
    assert second[1] != first[1]
    assert slider.screenshot() != pixels

    box = control.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.tab.mouse.click(box["x"] + box["width"] - 2, middle)
    assert slider.evaluate(SLIDER)[0] == last
    page.tab.mouse.down()
    page.tab.mouse.move(box["x"] + 2, middle, steps=5)
    page.tab.mouse.up()
    assert slider.evaluate(SLIDER)[0] == 0

    for frame in slider.locator("img").all():
        assert frame.get_attribute("alt").strip()
    label = slider.locator("label")
    assert label.get_attribute("for") == control.get_attribute("id")


# Bytes of a page with all that it loads, everything unfolded and every picture seen.
HEAVY = 2_000_000


def _weight(page):
    """The bytes of a page, and its heaviest files: of a picture that has a variant, the larger."""
    sizes = {}
    for path in map(unquote, page.asked):
        if path.startswith("/"):
            one = re.sub(r"-(?:narrow|stacked)(?=\.png$)", "", path)
            sizes[one] = max(sizes.get(one, 0), Path(path).stat().st_size)
    heaviest = sorted(((size, Path(path).name) for path, size in sizes.items()), reverse=True)[:4]
    return sum(sizes.values()), heaviest


@pytest.fixture(scope="session")
def ams():
    """The signs of the vendored font AMS."""
    from fontTools.ttLib import TTFont

    folder = ROOT / "book" / "vendor" / "mathjax" / "output" / "chtml" / "fonts" / "woff-v2"
    with TTFont(folder / "MathJax_AMS-Regular.woff") as font:
        return set(map(chr, font.getBestCmap()))


@pytest.mark.weekly(keep=25)
@every_page
def test_page(tab, built, ams, page_name):
    """The page as a reader meets it.

    The maths is set. The button switches the colour scheme, and every figure stays legible. At 390
    pixels nothing scrolls sideways but boxes of their own, and nothing is cut off. No script fails,
    no file is missing, and nothing is asked of the network. Sliders answer.
    """
    with Opened(tab, (built / page_name).as_uri()) as page:
        page.unfold()
        assert page.tab.evaluate(UNSET_MATHS) == [], "formulas that MathJax has not set"
        assert page.tab.evaluate(WRONG_MATHS) == [], "formulas with an error"
        assert page.tab.evaluate(RAW_MARKUP) == [], "markup that shows as text"
        missing = set(page.tab.evaluate(AMS_SIGNS)) - ams
        assert missing == set(), "add these to .ci/vendor_mathjax"
        page.tab.evaluate(SETTLED)
        names = LIVE.findall((built / page_name).read_text(encoding="utf-8"))
        for number, name in enumerate(names):
            words, pictures = page.tab.evaluate(COME_NEAR, number)
            assert words > 0, f"{name}, place {number}, is not drawn"
            assert pictures == 0, f"{name}, place {number}, has its still picture yet"
        assert page.tab.evaluate(BARE_ICONS) == [], "icons that icons.css does not have"
        assert page.tab.evaluate(MISSING_SIGNS) == [], "signs of a font that is not there"
        assert page.tab.evaluate(LOW_CELLS) == [], "cells that stand lower than their neighbours"
        headings = page.tab.evaluate(HEADINGS)
        assert headings == sorted(headings, reverse=True), "a heading outweighs the one above it"
        for code in page.tab.evaluate(CODE_OF_CELLS):
            ast.parse(code)  # its indentation, too
        assert page.tab.evaluate(WIDE_CODE) == [], "code that is wider than its box"
        assert page.tab.evaluate(WIDE_PANELS) == [], "what stands beside a plot is cut off"
        assert page.tab.evaluate(CUT_MATHS) == [], "formulas whose upper or lower edge is cut"
        assert page.tab.evaluate(BOTH_SIDES) == [], "captions for wide and narrow pages at once"

        page.tab.set_viewport_size(PHONE)
        page.tab.evaluate(SETTLED)
        assert page.tab.evaluate(CUT_OFF) == [], "cut off on a phone"
        assert page.tab.evaluate(WIDE_PANELS) == [], "what stands beside a plot is cut off"
        assert page.tab.evaluate(BOTH_SIDES) == [], "captions for wide and narrow pages at once"
        assert page.tab.evaluate(SECRET) == [], "scrolls on a phone and does not say so"
        assert page.tab.evaluate(OUT_OF_REACH) == [], "formulas that cannot be seen whole"
        assert page.tab.evaluate(WIDE_MATHS) == [], "formulas that reach out of their line"
        assert page.tab.evaluate(LOW_CELLS) == [], "cells that stand lower than their neighbours"
        assert page.tab.evaluate(WIDE_CODE) == [], "code that is wider than its box"
        for theme in ("light", "dark"):
            page.theme(theme)
            assert _sideways(page) == "", f"the {theme} page scrolls sideways on a phone"

        page.tab.set_viewport_size(WIDE)
        page.tab.evaluate(AXE)
        page.tab.evaluate(FEW)
        for theme in ("dark", "light"):
            page.theme(theme)
            _check_figures(page, theme)
            assert _violations(page, contrast=True, frame=page_name in FRAMED) == []
        # The scheme changes colours only.
        assert _violations(page, contrast=False, frame=page_name in FRAMED) == []
        weight, heaviest = _weight(page)
        assert weight <= HEAVY, f"{weight} bytes: {heaviest}"
        for slider in page.tab.locator("div.litlearn-slider").all():
            _check_slider(page, slider)
        assert page.problems == []


def test_legibility_notices_a_faint_figure():
    from PIL import Image

    def png(paper, ink):
        pixels = np.full((100, 100, 3), paper, dtype=np.uint8)
        pixels[50, :] = ink
        stored = io.BytesIO()
        Image.fromarray(pixels).save(stored, "PNG")
        return stored.getvalue()

    assert legibility(png(255, 0))[1] > 20
    assert legibility(png(255, 200))[1] < 2
    assert legibility(png(20, 30))[1] < 2
    assert legibility(png(20, 220))[1] > 10


class Served(SimpleHTTPRequestHandler):
    """The book as a web server sends it: text is compressed."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            return self.send_error(404)
        body = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        if path.suffix in (".html", ".css", ".js", ".svg"):
            body = gzip.compress(body, 6)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="module")
def served(built):
    """The address of the book on a server of this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Served, directory=built))
    server.handle_error = lambda *arguments: None  # a tab that closes breaks its connections
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_search_finds_pages(browser, served):
    """The search page, served: it fetches the pages that it found, and quotes text, not TeX."""
    context = browser.new_context()
    with context, Opened(context.new_page(), f"{served}/search.html?q=weights") as page:
        page.tab.locator("#search-results li").first.wait_for(timeout=15000)
        page.tab.wait_for_load_state("networkidle")
        assert page.problems == []
        quotes = page.tab.locator("#search-results").inner_text()
        assert re.findall(r"\\\(|\\[a-z]{2,}|\$", quotes) == []


# 1.6 Mbit/s down, 150 ms there and back: what page-speed tools call a slow 4G.
SLOW = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1.6e6 / 8,
    "uploadThroughput": 0.75e6 / 8,
}
PAINTED = """() => {
  const paint = performance.getEntriesByName("first-paint")[0];
  return paint && [paint.startTime - performance.getEntriesByType("navigation")[0].responseStart,
    performance.getEntriesByType("resource").filter(r => r.renderBlockingStatus === "blocking")
      .map(r => r.name)];
}"""


LARGEST = sorted(PAGES, key=lambda name: -(HTML / name).stat().st_size)[:3]


@pytest.mark.parametrize("page_name", LARGEST or ["no built book"])
def test_first_paint_on_a_slow_line(browser, served, page_name):
    """Something stands on the screen a second after the first byte; nothing is waited for."""
    seconds = []
    for _ in range(3):  # the best: a busy machine paints late
        context = browser.new_context(viewport={"width": 390, "height": 844})
        tab = context.new_page()
        session = context.new_cdp_session(tab)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", SLOW)
        tab.goto(f"{served}/{page_name}", wait_until="commit")
        painted, blocking = tab.wait_for_function(PAINTED, timeout=60000).json_value()
        context.close()
        assert blocking == []
        seconds.append(painted / 1000)
        if seconds[-1] < 1.0:
            break
    assert min(seconds) < 1.0, seconds


# -- what needs the built pages, but no browser ---------------------------------------------------


class Links(HTMLParser):
    """The links, the anchors and the files of one page."""

    # Attributes through which a page loads something by itself.
    LOADS = {
        ("script", "src"),
        ("img", "src"),
        ("iframe", "src"),
        ("source", "src"),
        ("video", "src"),
        ("embed", "src"),
        ("object", "data"),
    }

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads, self.copy_buttons = set(), [], [], 0
        self.styles, self._style = "", False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self._style = tag == "style"
        self.styles += values.get("style") or ""
        for name in ("id", "name"):
            if values.get(name):
                self.anchors.add(values[name])
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        for loader, attribute in self.LOADS:
            if tag == loader and values.get(attribute):
                self.loads.append(values[attribute])
        if tag == "link" and {"stylesheet", "preload", "icon"} & set(values["rel"].split()):
            self.loads.append(values["href"])

    def handle_data(self, data):
        if self._style:
            self.styles += data


@pytest.fixture(scope="module")
def parsed(built):
    """Every page's links, by name."""
    return {name: Links((built / name).read_text(encoding="utf-8")) for name in PAGES}


def _target(page, link):
    """Return (file relative to the book, anchor) of a link that stands on a page."""
    parts = urlsplit(link)
    path = unquote(parts.path)
    whole = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    return whole, unquote(parts.fragment)


def test_internal_links_lead_somewhere(built, parsed):
    broken = []
    for page, found in parsed.items():
        for link in found.links:
            if urlsplit(link).scheme or link.startswith("//"):
                continue
            target, anchor = _target(page, link)
            if not (built / target).is_file():
                broken.append(f"{page}: {link}: no such file")
            elif anchor and target in parsed and anchor not in parsed[target].anchors:
                broken.append(f"{page}: {link}: no such anchor")
    assert broken == []


def test_nothing_is_loaded_from_elsewhere(built, parsed):
    """Scripts, styles, pictures and fonts come with the book."""
    wrong = []
    for page, found in parsed.items():
        for link in found.loads:
            parts = urlsplit(link)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                wrong.append(f"{page}: {link[:80]}")
            elif not (built / _target(page, link)[0]).is_file():
                wrong.append(f"{page}: {link[:80]} is missing")
        if re.search(r"(url\(|@import)\s*['\"]?(https?:)?//", found.styles):
            wrong.append(f"{page}: a style loads from elsewhere")
    for sheet in built.rglob("*.css"):
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
        if re.search(r"(url\(|@import)\s*['\"]?(https?:)?//", text):
            wrong.append(f"{sheet.relative_to(built)}: loads from elsewhere")
    assert wrong == []


def test_notebook_pages_have_their_buttons(built, parsed):
    """Each notebook can be downloaded, launched, and its source edited or questioned."""
    notebooks = [n for n in PAGES if (built / "_sources" / n).with_suffix(".ipynb").is_file()]
    assert notebooks
    for name in notebooks:
        source = Path(name).with_suffix(".ipynb").as_posix()
        links = parsed[name].links
        text = (built / name).read_text(encoding="utf-8")
        assert any(link.endswith(f"_sources/{source}") for link in links), name
        cells = json.loads((built / "_sources" / source).read_text(encoding="utf-8"))["cells"]
        download = "".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
        assert re.findall(r"solution-start|\{(?:cite:[pt]|numref|doc|ref)\}`", download) == [], name
        assert "copybutton.js" in text, name
        if not AT.home:  # no address, no buttons that need one
            needing = r"mybinder\.org/v2|colab\.research|/edit/main/|/issues/new\?"
            assert not [link for link in links if re.search(needing, link)], name
            continue
        own = f"{AT.owner}/{AT.repository}"
        binder = [link for link in links if link.startswith(f"https://mybinder.org/v2/gh/{own}/")]
        assert any(unquote(link).endswith(f"lab/tree/{source}") for link in binder), name
        # A plain notebook of the same state, which .ci/publish_notebooks writes.
        colab = f"https://colab.research.google.com/github/{own}/blob/colab/main/"
        assert f"{colab}{Path(source).name}" in links, name
        assert any(link.endswith(f"/edit/main/{source}") for link in links), name
        assert any("/issues/new?" in link for link in links), name


def test_heads_say_what_a_page_is(built, parsed):
    """One title, one description of its own, and what a link to the page shows elsewhere."""
    titles, abouts, wrong = {}, {}, []
    for name in PAGES:
        if name.startswith("_modules/"):
            continue
        head = (built / name).read_text(encoding="utf-8").split("</head>")[0]
        title = re.findall("<title>(.*?)</title>", head, re.DOTALL)
        # The order of attributes says nothing.
        head = re.sub(r'<meta content="([^"]*)" (\w+="[^"]*")', r'<meta \2 content="\1"', head)
        about = re.findall(r'<meta name="description" content="([^"]*)"', head)
        views = re.findall('name="viewport"', head)
        whole = ("image", "url") if AT.readable else ()
        card = {f"og:{k}" for k in ("title", "description", "type", *whole)}
        shown = re.findall(r'<meta property="(og:[a-z_]+)"', head)
        if not (len(title) == len(about) == len(views) == 1 and card <= set(shown)):
            wrong.append(f"{name}: {title}, {about}, {len(views)}, {shown}")
        elif re.search(r"\\|\$", title[0] + about[0]) or not 20 <= len(about[0]) <= 260:
            wrong.append(f"{name}: {about[0]!r}")
        titles.setdefault(title[0], []).append(name)
        if name.startswith("book/"):
            abouts.setdefault(about[0], []).append(name)
    assert wrong == []
    assert [n for n in [*titles.values(), *abouts.values()] if len(n) > 1] == []
    assert not any(re.fullmatch(r"litlearn\W+litlearn", title) for title in titles)


def test_reference_pages_can_be_copied(built):
    """Names in examples and in code have no stray backslash, and no results dict's methods."""
    wrong = []
    for path in sorted((built / "book" / "api").glob("*.html")):
        text = re.sub(r"<[^>]*>", "", path.read_text(encoding="utf-8").split("<article")[1])
        wrong += [f"{path.name}: {m}" for m in re.findall(r".{20}\w\\_.{10}", text)]
        wrong += [f"{path.name}: {m}" for m in re.findall(r"Type:\s+[A-Z]\w+ \w+ \w+", text)]
    assert wrong == []
    data = (built / "book" / "api" / "datasets.html").read_text(encoding="utf-8")
    assert "fromkeys" not in data, "methods of dict"


def test_listings_are_code(built):
    """A listing repeats no docstring, and shows no markup of one."""
    shown = 0
    for name in PAGES:
        if name.startswith("book/") and "api/" not in name:
            text = (built / name).read_text(encoding="utf-8")
            for box in re.findall(r'<div class="highlight-python.*?</pre>', text, re.DOTALL):
                shown += 1
                plain = re.sub(r"<[^>]*>", "", box)
                assert ":eq:" not in plain, (name, plain[:80])
    assert shown > 50
