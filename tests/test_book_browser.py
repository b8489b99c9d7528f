"""Every built page, opened in a browser without a network.

`make test` builds the book and then runs these tests. They drive the Chromium of the machine
through Playwright. Without a Chromium, or (outside continuous integration) without a built book,
they are skipped and say so.
"""

import io
import os
import re
import shutil
import threading
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
HTML = Path(os.environ.get("LITLEARN_HTML", ROOT / "_build" / "html"))
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PAGES = sorted(
    name
    for name in (path.relative_to(HTML).as_posix() for path in HTML.rglob("*.html"))
    if not name.startswith("_static/")  # templates of the theme, which no page links to
)

pytestmark = pytest.mark.browser
# The name of a parameter that stands for "there is no page", so that the fixture below decides.
every_page = pytest.mark.parametrize("page_name", PAGES or ["no built book"])


@pytest.fixture(scope="module")
def built():
    """The folder of the built book."""
    if not (HTML / "index.html").is_file():
        message = f"there is no built book in {HTML}: run make book"
        if os.environ.get("CI") and CHROMIUM:
            pytest.fail(message)
        pytest.skip(message)
    return HTML


@pytest.fixture(scope="module")
def browser(built):
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine: the pages are not opened")
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield browser
        browser.close()


class Opened:
    """A page in a tab of its own, with everything that went wrong in it."""

    def __init__(self, browser, address, offline=True):
        self.problems = []
        self.own = urlsplit(address)[:2]
        self.context = browser.new_context(
            viewport={"width": 1280, "height": 900}, color_scheme="light", offline=offline
        )
        self.tab = self.context.new_page()
        self.tab.on("console", self._console)
        self.tab.on("pageerror", lambda error: self.problems.append(f"script: {error}"))
        self.tab.on("requestfailed", lambda r: self.problems.append(f"not loaded: {r.url}"))
        self.tab.on("request", self._request)
        self.tab.goto(address)
        self.tab.evaluate(
            "() => window.MathJax && MathJax.startup ? MathJax.startup.promise.then(() => 0) : 0"
        )

    def _console(self, message):
        if message.type in ("error", "warning"):
            self.problems.append(f"console: {message.text}")

    def _request(self, request):
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and parts[:2] != self.own:
            self.problems.append(f"asked the network for {request.url}")

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
                self.tab.wait_for_timeout(300)  # colours fade in
                return
            self.tab.locator("button.theme-switch-button:visible").first.click()
        pytest.fail(f"the button does not switch to the {wanted} page")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.context.close()


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


def _luminance(pixels):
    """Relative luminance, as WCAG defines it, of sRGB pixels from 0 to 255."""
    c = pixels / 255.0
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def _contrast(a, b):
    """Contrast ratio of two luminances: 1 for equal ones, 21 for black on white."""
    return (np.maximum(a, b) + 0.05) / (np.minimum(a, b) + 0.05)


def legibility(png):
    """Return the luminance of a figure's background, and the contrast of what stands out most.

    The background is the most frequent colour. Axes, ticks and letters are at least one pixel in
    200, so the contrast that one pixel in 200 exceeds is theirs.
    """
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        pixels = np.asarray(image.convert("RGB")).reshape(-1, 3)
    # Colours in steps of 4 a channel, as one number: a sort of numbers is fast.
    coarse = (pixels // 4).astype(np.int32) @ np.array([4096, 64, 1])
    values, counts = np.unique(coarse, return_counts=True)
    most = values[counts.argmax()]
    background = float(_luminance(np.array([most // 4096, most // 64 % 64, most % 64]) * 4.0 + 2.0))
    return background, float(np.quantile(_contrast(_luminance(pixels), background), 0.995))


FIGURES = "article .cell_output img, article figure img"

UNSET_MATHS = """() => [...document.querySelectorAll(".math")]
  .filter(m => !m.querySelector("mjx-container") && !m.closest("mjx-container"))
  .map(m => m.textContent.slice(0, 80))"""

WRONG_MATHS = """() => [...document.querySelectorAll("mjx-merror, [data-mjx-error]")]
  .map(m => m.getAttribute("data-mjx-error") || m.textContent.slice(0, 80))"""

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
    for number, figure in enumerate(page.tab.locator(FIGURES).all()):
        if figure.is_visible():
            background, contrast = legibility(figure.screenshot())
            assert contrast > 4.5, f"figure {number} is faint on the {theme} page"
            # No white card on a dark page, no dark card on a light one.
            assert _contrast(background, paper) < 2.0, f"figure {number} on the {theme} page"


@every_page
def test_page(browser, built, page_name):
    """The page as a reader meets it.

    The maths is set. The button switches the colour scheme, and every figure stays legible. At 390
    pixels nothing scrolls sideways but boxes of their own, and nothing is cut off. No script fails,
    no file is missing, and nothing is asked of the network.
    """
    with Opened(browser, (built / page_name).as_uri()) as page:
        page.unfold()
        assert page.tab.evaluate(UNSET_MATHS) == [], "formulas that MathJax has not set"
        assert page.tab.evaluate(WRONG_MATHS) == [], "formulas with an error"
        assert page.tab.evaluate(RAW_MARKUP) == [], "markup that shows as text"
        for theme in ("light", "dark"):
            page.theme(theme)
            _check_figures(page, theme)
        page.tab.set_viewport_size({"width": 390, "height": 844})
        for theme in ("dark", "light"):
            page.theme(theme)
            assert _sideways(page) == "", f"the {theme} page scrolls sideways on a phone"
        assert page.tab.evaluate(CUT_OFF) == [], "cut off on a phone"
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


def test_sliders_answer_to_mouse_and_keyboard(browser, built):
    """Each slider changes its picture, by keys and by the mouse, without a kernel."""
    names = [name for name in PAGES if "litlearn-slider-control" in (built / name).read_text()]
    assert names, "the book has no slider"
    state = """s => [[...s.querySelectorAll("img")].findIndex(i => !i.hidden),
                     s.querySelector("output").value,
                     [...s.querySelectorAll("img")].filter(i => !i.hidden).length]"""
    for name in names:
        with Opened(browser, (built / name).as_uri()) as page:
            page.unfold()
            for slider in page.tab.locator("div.litlearn-slider").all():
                control = slider.locator("input[type=range]")
                last = int(control.get_attribute("max"))
                assert last >= 1
                control.scroll_into_view_if_needed()

                control.focus()
                page.tab.keyboard.press("Home")
                first, pixels = slider.evaluate(state), slider.screenshot()
                assert (first[0], first[2]) == (0, 1)
                page.tab.keyboard.press("ArrowRight")
                second = slider.evaluate(state)
                assert (second[0], second[2]) == (1, 1)
                assert second[1] != first[1]
                assert slider.screenshot() != pixels

                box = control.bounding_box()
                middle = box["y"] + box["height"] / 2
                page.tab.mouse.click(box["x"] + box["width"] - 2, middle)
                assert slider.evaluate(state)[0] == last
                page.tab.mouse.down()
                page.tab.mouse.move(box["x"] + 2, middle, steps=5)
                page.tab.mouse.up()
                assert slider.evaluate(state)[0] == 0

                for frame in slider.locator("img").all():
                    assert frame.get_attribute("alt").strip()
                label = slider.locator("label")
                assert label.get_attribute("for") == control.get_attribute("id")
            assert page.problems == []


def test_search_finds_pages(browser, built):
    """The search page, served: it fetches the pages that it found, to quote from them."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=built))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.server_port}/search.html?q=litlearn"
        with Opened(browser, address, offline=False) as page:
            page.tab.locator("#search-results li").first.wait_for(timeout=15000)
            page.tab.wait_for_load_state("networkidle")
            assert page.problems == []
    finally:
        server.shutdown()
        server.server_close()


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
        binder = [link for link in links if link.startswith("https://mybinder.org/v2/gh/litlearn/")]
        assert any(unquote(link).endswith(f"lab/tree/{source}") for link in binder), name
        assert any(link.endswith(f"/edit/main/{source}") for link in links), name
        assert any("/issues/new?" in link for link in links), name
        assert "copybutton.js" in text, name
