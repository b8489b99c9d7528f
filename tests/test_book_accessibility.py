"""Readers who hear the pages, enlarge them, choose their colours, or want nothing to move.

``test_book_browser.py`` asks axe-core about every page, and ``test_book_figures.py`` works the
figures by keys and touch. Here each figure to play with is walked through by Tab, in the tree that
Chromium hands to screen readers, and seen enlarged and in the colours that a reader has chosen.
``book/accessibility.md`` states what is tested here.
"""

import io
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from test_book_browser import (
    HTML,
    LIVE,
    WIDE,
    _luminance,
    _sideways,
    legibility,
)

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "book" / "_ext"), str(ROOT / ".ci")]

pytest.importorskip("sphinx", reason="the pages are made with the extra `book`")

import live_figures  # noqa: E402
from live_figures import Place  # noqa: E402

pytestmark = pytest.mark.browser
NAMES = [path.stem for path in live_figures.alive()]
TWICE = {"width": 640, "height": 450}  # a window of 1280 pixels at 200 %
FRAME, PAUSE = 20, 450  # milliseconds: a sentence is spoken 400 after the last change


def places(name):
    """The figure as it begins, and with the controls that it has only in other places."""
    text = (live_figures.FIGURES / f"{name}.js").read_text(encoding="utf-8")
    calls = re.findall(r"figure\.(?:slider|button|choice)\(\{.*?\n\s*\}\);", text, re.DOTALL)
    extra = {re.search(r'name: "([^"]+)"', one)[1] for one in calls if "extra: true" in one}
    out = [Place(name, "", None, "")]
    for place in live_figures.places().get(name, ()):
        if more := [one for one in place.controls or () if one in extra]:
            extra -= set(more)
            out.append(place._replace(controls=tuple(more), ask=""))
    assert not extra, f"no page of {name} has {extra}"
    return out


PLACES = [place for name in NAMES for place in places(name)]


class Heard:
    """A page, as Chromium describes it to a screen reader."""

    def __init__(self, context):
        self.tab = context.new_page()
        self.session = context.new_cdp_session(self.tab)
        self.session.send("Accessibility.enable")

    def open(self, address):
        self.tab.goto(address)
        self.tab.locator(".litlearn-plot .axes text").first.wait_for(state="attached")
        self.wait()

    def wait(self):
        """Let a frame pass, and the moment after which a sentence is spoken."""
        self.tab.clock.fast_forward(FRAME)
        self.tab.clock.fast_forward(PAUSE)

    @staticmethod
    def _node(raw):
        values = {one["name"]: one["value"].get("value") for one in raw.get("properties", ())}
        return {
            "role": raw["role"]["value"],
            "name": raw.get("name", {}).get("value", "").strip(),
            "value": values.get("valuetext") or str(raw.get("value", {}).get("value", "")),
            "description": raw.get("description", {}).get("value", ""),
            "id": raw.get("backendDOMNodeId"),
            **{key: values.get(key) for key in ("checked", "disabled", "live", "focusable")},
        }

    def tree(self):
        """Every node that is not ignored."""
        nodes = self.session.send("Accessibility.getFullAXTree")["nodes"]
        return [self._node(one) for one in nodes if not one["ignored"]]

    def focused(self):
        """The node that has the focus."""
        found = self.session.send("Runtime.evaluate", {"expression": "document.activeElement"})
        there = {"objectId": found["result"]["objectId"], "fetchRelatives": False}
        raw = self.session.send("Accessibility.getPartialAXTree", there)["nodes"][0]
        words = "document.activeElement.getAttribute('aria-valuetext')"
        for one in raw.get("properties", ()):
            # Chromium 156 has the property, but leaves out what the attribute says.
            if one["name"] == "valuetext" and not one["value"].get("value"):
                one["value"]["value"] = self.tab.evaluate(words)
        return self._node(raw)

    def press(self, key):
        self.tab.keyboard.press(key)
        self.wait()

    def spoken(self):
        return self.tab.locator(".litlearn-voice[role=status]").text_content()

    def written(self):
        return self.tab.locator(".litlearn-says").text_content()


@pytest.fixture(scope="module")
def heard(chromium):
    """A tab for readers who want less motion; its clock is ours."""
    context = chromium.new_context(offline=True, viewport=WIDE, reduced_motion="reduce")
    context.set_default_timeout(120_000)
    tab = Heard(context)
    tab.tab.clock.install()
    yield tab
    context.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Write a figure into a page of its own, and return where it is."""
    folder = tmp_path_factory.mktemp("figures")

    def address(place):
        page = folder / f"{place.picture}-{PLACES.index(place)}.html"
        if not page.is_file():
            page.write_text(live_figures.standalone(place.figure, place), encoding="utf-8")
        return page.as_uri()

    return address


# What a key does at a control: the other one where it stands at its end.
KEYS = {
    "slider": ("ArrowRight", "ArrowLeft"),
    "radio": ("ArrowDown", "ArrowUp"),
    "combobox": ("ArrowDown", "ArrowUp"),
}


@pytest.mark.weekly(keep=12)
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.picture)
def test_every_control_is_announced_and_says_what_it_does(heard, address, place):
    """By Tab through a figure: role, name, a value that a key changes, and the answer spoken."""
    heard.open(address(place))
    tree = heard.tree()
    controls = [one for one in tree if one["role"] in (*KEYS, "button")]
    assert [one["role"] for one in tree if one["live"] == "polite"] == ["status"], "one voice"
    group = next(one for one in tree if one["role"] == "group")
    assert group["name"] == "Figure to play with"
    sliders = [one["name"] for one in controls if one["role"] == "slider"]
    assert len(sliders) == len(set(sliders)), "two sliders of one name"
    assert all(one["name"] for one in controls)
    assert all(one["name"] for one in tree if one["role"] == "table")
    reached = {}
    for _ in range(60):
        heard.tab.keyboard.press("Tab")
        before = heard.focused()
        if before["role"] not in (*KEYS, "button") or before["id"] in reached:
            break  # behind the last one, or at the first again
        reached[before["id"]] = before
        if before["role"] == "button":
            state = heard.tab.evaluate(STATE)
            heard.tab.keyboard.press("Enter")
            heard.tab.clock.fast_forward(FRAME)
            # What was there before is gone, so that the sentence is spoken even if it is the same.
            if heard.tab.evaluate(STATE) != state:
                assert heard.spoken() == "", f"nothing new is said after {before['name']}"
            heard.tab.clock.fast_forward(PAUSE)
            assert heard.focused()["id"] == before["id"], f"{before['name']} loses the focus"
        else:
            assert before["value"] or before["role"] == "radio", f"{before['name']} has no value"
            for key in KEYS[before["role"]]:
                heard.press(key)
                after = heard.focused()
                moved = after["id"] != before["id"] or after["value"] != before["value"]
                if moved:
                    break
            assert moved, f"{before['name']} says the same after a key"
            if before["role"] == "radio":
                assert after["checked"] == "true"
                reached[after["id"]] = after
        assert heard.spoken() == heard.written() != "", "what is seen is not what is spoken"
    # Of several points of a kind, and of the choices of one question, Tab reaches one.
    missed = [
        one
        for one in controls
        if one["id"] not in reached and not one["disabled"] and one["role"] != "radio"
    ]
    crowd = {re.sub(r" \d+.*$", "", one["name"]) for one in missed}
    explained = heard.tab.locator(".litlearn-help, .litlearn-voice").all_text_contents()
    assert not crowd or any("Page Down" in one for one in explained), sorted(crowd)


STATE = "JSON.stringify(document.querySelector('.litlearn-figure').figure.get())"


def test_a_page_says_which_figure_it_is(heard):
    """In the book a figure is called by its number, and the caption is read with it."""
    page = HTML / "book" / "nearest_neighbors.html"
    if not page.is_file():
        pytest.skip("there is no built book: run make book")
    heard.open(page.as_uri())
    names = [one["name"] for one in heard.tree() if one["role"] == "group"]
    assert any(re.fullmatch(r"Fig\. [\d.]+, to play with", name) for name in names), names


# -- enlarged, in other colours, at rest ----------------------------------------------------------

SEEN = """() => [...document.querySelectorAll(
    ".handle, .litlearn-figure :is(input, button, select, table, .litlearn-says), .axes .name")]
  .filter(one => one.getClientRects().length && one.getBoundingClientRect().width > 0)
  .map(one => { const {left, right} = one.getBoundingClientRect(); return [left, right]; })"""


@pytest.fixture(scope="module")
def seen(chromium):
    """A tab of a reader who sees, at 200 % or in colours of his own."""
    context = chromium.new_context(offline=True, viewport=WIDE, device_scale_factor=2)
    context.set_default_timeout(120_000)
    yield context.new_page()
    context.close()


class Plain:
    """What `_sideways` needs of a page."""

    def __init__(self, tab):
        self.tab = tab


@pytest.mark.weekly(keep=6)
@pytest.mark.parametrize("name", NAMES)
def test_a_figure_enlarged_and_in_the_colours_of_the_reader(seen, address, name):
    """At 200 % nothing is lost; in forced colours, here light on dark, curves and controls stay."""
    seen.set_viewport_size(WIDE)
    seen.emulate_media(forced_colors="none", color_scheme="light", reduced_motion="reduce")
    seen.goto(address(Place(name, "", None, "")))
    seen.locator(".litlearn-plot .axes text").first.wait_for()
    wide = seen.evaluate(SEEN)
    seen.set_viewport_size(TWICE)
    seen.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
    twice = seen.evaluate(SEEN)
    assert len(twice) == len(wide) > 3
    assert all(left >= 0 and right <= 640 for left, right in twice)
    assert _sideways(Plain(seen)) == ""
    seen.set_viewport_size(WIDE)
    seen.emulate_media(forced_colors="active", color_scheme="dark")
    paper = seen.evaluate("getComputedStyle(document.body).backgroundColor")
    assert _luminance([float(v) for v in re.findall(r"\d+", paper)[:3]]) < 0.2
    _check_colours(seen)


def _check_colours(tab):
    """Axes and curves stand out on white, with their hues; controls stand out from the page."""
    page = _pixels(tab.screenshot(full_page=True))
    hues = 0
    for kind, (left, top, right, bottom) in tab.evaluate(BOXES):
        part = page[2 * round(top) : 2 * round(bottom), 2 * round(left) : 2 * round(right)]
        if kind == "plot":
            # Beside the axes nothing is drawn.
            assert _luminance(part[-6, -6]) > 0.99, "a plot that does not stand on white"
            hues += float((np.ptp(part, axis=2) > 60).mean())
        assert legibility(_png(part))[1] > (3 if kind == "control" else 4.5), kind
    assert hues > 0.0005, "the curves have lost their colours"


# What has to be seen: plots, what is written, and the controls that do not rest.
BOXES = """() => [
    ["plot", ".litlearn-plot-box"], ["words", "label, legend, .litlearn-says"],
    ["control", ".litlearn-range input, button, select"],
  ].flatMap(([kind, names]) => [...document.querySelectorAll(".litlearn-figure :is(" + names + ")")]
    .filter(one => one.getClientRects().length && !one.disabled && !one.closest(".off")
      && (kind !== "words" || one.innerText.trim()))
    .map(one => { const {left, top, right, bottom} = one.getBoundingClientRect();
                  return [kind, [left, top + scrollY, right, bottom + scrollY]]; }))"""


def _pixels(png):
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        return np.asarray(image.convert("RGB")).astype(int)


def _png(pixels):
    from PIL import Image

    stored = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(stored, "PNG")
    return stored.getvalue()


def test_nothing_moves_where_less_motion_is_preferred(seen):
    """Neither the hint at the points, nor the scheme, a fold, the search, or the page itself."""
    pages = sorted(HTML.rglob("*.html"))
    page = next((one for one in pages if LIVE.search(one.read_text("utf-8"))), None)
    if page is None:
        pytest.skip("there is no built book: run make book")
    for motion in ("no-preference", "reduce"):
        seen.emulate_media(forced_colors="none", color_scheme="light", reduced_motion=motion)
        seen.goto(page.as_uri())
        seen.locator(".litlearn-plot .axes text").first.wait_for()
        moving = seen.evaluate(MOVING)
        assert (moving == []) == (motion == "reduce"), moving


MOVING = """async () => {
  const found = new Set(), frame = () => new Promise(requestAnimationFrame);
  const look = async () => {
    for (let n = 0; n < 5; n += 1) {
      document.getAnimations().forEach(a => {
        const {duration} = a.effect.getTiming(), {target} = a.effect;
        const what = a.transitionProperty ?? a.animationName;
        if (duration > 1) found.add(`${what}: ${target.getAttribute("class")}`);
      });
      await frame();
    }
  };
  await look();
  document.querySelector("button.theme-switch-button").click();
  await look();
  for (const one of document.querySelectorAll("article summary")) one.click();
  await look();
  document.querySelector(".search-button__button").click();
  await look();
  if (getComputedStyle(document.documentElement).scrollBehavior === "smooth") found.add("scrolls");
  return [...found];
}"""
