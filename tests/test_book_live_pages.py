"""Figures to play with on the pages of the built book: each waits, comes alive, and answers."""

import re
from pathlib import Path

import pytest

from screens import PHONE, WIDE
from test_book_browser import HTML, LIVE
from test_book_figures import PATIENCE, device, live_figures


@pytest.fixture(scope="module")
def live_pages():
    pages = sorted(
        page for page in HTML.rglob("*.html") if LIVE.search(page.read_text(encoding="utf-8"))
    )
    if not pages:
        pytest.skip(f"no page in {HTML} has a figure to play with: run make book")
    return pages


# What a page without scripts lacks: pictures of figures, and questions with answers to unfold.
LACKS = r"""names => {
  const wrong = [], seen = e => e.checkVisibility({visibilityProperty: true});
  for (const name of names) {
    const pictures = [...document.querySelectorAll(`article img[src$="/${name}.svg"]`)];
    if (!pictures.length) wrong.push("no picture of " + name);  // it may return
    for (const one of pictures)
      if (!seen(one) || one.alt.length <= 40 || one.getBoundingClientRect().width <= 300)
        wrong.push("a picture of " + name);
  }
  for (const question of document.querySelectorAll(".litlearn-predict")) {
    const answers = [...question.querySelectorAll("li")];
    const details = question.querySelector("details"), words = details.querySelector("p");
    const few = answers.length >= 2 && answers.length <= 4 && answers.every(seen);
    const folded = !seen(words);
    details.querySelector("summary").click();
    const told = seen(words) && /^[A-D]\. /.test(words.textContent);
    if (!few || question.querySelector("button") || !folded || !told)
      wrong.push("question " + question.textContent.trim().slice(0, 60));
  }
  return wrong;
}"""


@pytest.mark.browser
def test_pages_show_the_picture_where_scripts_are_off(chromium, live_pages):
    """The picture stands there, with its text. (test_page sees the figure take its place.)"""
    context = chromium.new_context(java_script_enabled=False, offline=True)
    context.set_default_timeout(PATIENCE)
    tab = context.new_page()
    for page in live_pages:
        tab.goto(page.as_uri(), wait_until="domcontentloaded")
        names = set(LIVE.findall(page.read_text(encoding="utf-8")))
        names |= {place.picture for place in live_figures.places().get(page.stem, ())}
        assert tab.evaluate(LACKS, sorted(names)) == [], page.name
    context.close()


def test_the_data_of_a_figure_stand_in_a_page_once(live_pages):
    """In the first of its places; each costs less than 3 KB, and has an address of its own."""
    element = re.compile(
        r"<script [^>]*data-litlearn-figure=\"(\w+)\"[^>]*>(.*?)</script>", re.DOTALL
    )
    for page in live_pages:
        text, first = page.read_text(encoding="utf-8"), set()
        found = list(element.finditer(text))
        for match in found:
            assert bool(match[2].strip()) == (match[1] not in first), page.name
            first.add(match[1])
            assert len(match[0].encode()) - len(match[2].encode()) < 3000
        places = live_figures.places().get(page.stem, [])
        assert len(found) >= len(places)
        names = re.findall(r'<figure [^>]*id="(fig-[\w-]*-play[\w-]*)"', text)
        assert len(names) == len(set(names)) >= len(places)


ASKED = {
    page: [place for place in places if place.ask]
    for page, places in sorted(live_figures.places().items())
}


@pytest.mark.weekly(keep=8)
@pytest.mark.browser
@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("name", [page for page, asked in ASKED.items() if asked])
def test_answering_on_a_page_shows_the_verdict(chromium, live_pages, name, viewport):
    """Every question of the page, and no figure but those that wait for it."""
    page, asked = next(page for page in live_pages if page.stem == name), ASKED[name]
    with chromium.new_context(offline=True, viewport=viewport, reduced_motion="reduce") as context:
        context.set_default_timeout(PATIENCE)
        # Formulas take most of the time.
        context.route("**/mathjax/**", lambda route: route.abort())
        tab = context.new_page()
        tab.goto(page.as_uri())
        # A place comes alive when it has been in view for a frame, not when it is scrolled past.
        tab.evaluate("""async () => { for (const one of document.querySelectorAll("figure")) {
            one.scrollIntoView();
            await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        } }""")
        waiting = tab.locator(".litlearn-figure.asked")
        tab.wait_for_function(
            "n => document.querySelectorAll('.litlearn-figure.asked').length === n", arg=len(asked)
        )
        for number, place in enumerate(asked, 1):
            answers = tab.locator(f"#predict-{place.ask} button")
            answers.first.scroll_into_view_if_needed()
            if device(place, viewport) == "keyboard":
                answers.last.click()
            else:
                answers.first.focus()
                tab.keyboard.press("Tab")
                tab.keyboard.press("Enter")
            assert waiting.count() == len(asked) - number
            assert tab.locator(f"#predict-{place.ask} details").is_visible()
        said = tab.locator(".litlearn-says").all_text_contents()
        tab.wait_for_function("""() => [...document.querySelectorAll(".litlearn-says")].every(
            one => !one.textContent.startsWith("Choose an answer"))""")
        assert len(said) >= len(asked)


@pytest.mark.browser
def test_hidden_frames_are_loaded_when_they_are_needed(chromium, live_pages):
    pages = [page for page in HTML.rglob("*.html") if "frame-" in page.read_text("utf-8")]
    assert pages
    for page in pages:
        assert "data:image/png;base64" not in page.read_text(encoding="utf-8"), page.name
    context = chromium.new_context(offline=True)
    context.set_default_timeout(PATIENCE)
    tab = context.new_page()
    asked = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(pages[0].as_uri())
    slider = tab.locator(".litlearn-slider").first
    slider.scroll_into_view_if_needed()
    tab.wait_for_timeout(300)
    frames = [
        slider.locator("img").nth(i).get_attribute("src")
        for i in range(slider.locator("img").count())
    ]

    def loaded():
        return sum(any(url.endswith(Path(f).name) for url in asked) for f in set(frames))

    assert loaded() == 1
    slider.locator("input").focus()
    tab.wait_for_timeout(500)
    assert loaded() == len(set(frames))
    context.close()
