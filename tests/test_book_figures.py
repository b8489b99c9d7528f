"""The figures to play with show what the module computes, and anyone can work them.

Each test opens a figure on a page of its own; ``test_book_live_pages.py`` opens those of the book.
"""

import base64
import io
import json
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.optimize
import scipy.special
import scipy.stats

from screens import PHONE, WIDE

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "book" / "_ext"), str(ROOT / ".ci")]

pytest.importorskip("sphinx", reason="the pages are made with the extra `book`")

import figure_data  # noqa: E402
import live_figures  # noqa: E402
import still_pictures  # noqa: E402
from live_figures import Place  # noqa: E402

from litlearn.cluster import KMeans  # noqa: E402
from litlearn.decomposition import PCA  # noqa: E402
from litlearn.discriminant_analysis import (  # noqa: E402
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from litlearn.kernel_ridge import KernelRidge  # noqa: E402
from litlearn.linear_model import (  # noqa: E402
    ElasticNet,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Ridge,
)
from litlearn.mixture import GaussianMixture  # noqa: E402
from litlearn.multiclass import OneVsOneClassifier, OneVsRestClassifier  # noqa: E402
from litlearn.naive_bayes import GaussianNB  # noqa: E402
from litlearn.neighbors import KNeighborsClassifier  # noqa: E402
from litlearn.svm import SVC  # noqa: E402
from litlearn.tree import DecisionTreeClassifier  # noqa: E402

PATIENCE = 120_000  # milliseconds: a busy machine is slow, and no test judges a time
NAMES = [path.stem for path in live_figures.alive()]
WHOLE = [Place(name, "", None, "") for name in NAMES]
# Where the pages set figures again, and the states in which they can.
SET = sorted({place for places in live_figures.places().values() for place in places})
STATES = [Place(name, state, None, "") for name in NAMES for state in figure_data.states(name)]
D3 = ROOT / "book" / "vendor" / "d3"


def _id(place):
    return (
        "-".join([place.picture, *(place.controls or ()), place.ask]).replace(" ", "_").strip("-")
    )


def _answered(place):
    return place._replace(ask="")


every_figure = pytest.mark.parametrize("name", NAMES)
PLACES = list(dict.fromkeys([*WHOLE, *map(_answered, SET)]))
every_place = pytest.mark.parametrize("place", PLACES, ids=_id)
every_state = pytest.mark.parametrize("place", STATES, ids=_id)
every_question = pytest.mark.parametrize("place", [one for one in SET if one.ask], ids=_id)
# Figures whose points can be moved; the other is worked by lists and sliders alone.
MOVABLE = [path.stem for path in live_figures.alive() if ".handles(" in path.read_text("utf-8")]
every_movable = pytest.mark.parametrize("name", MOVABLE)


# -- files ----------------------------------------------------------------------------------------


@every_figure
def test_a_figure_has_its_picture_and_stands_on_a_page(name):
    pages = [*(ROOT / "book").glob("*.ipynb"), ROOT / "index.md"]
    assert (live_figures.FIGURES / f"{name}.svg").is_file(), "run .ci/still_pictures.py"
    shown = [page.name for page in pages if f"figures/{name}.svg" in page.read_text("utf-8")]
    again = [place for place in SET if place.figure == name]
    assert shown or again, f"no page shows {name}"


def test_pictures_are_those_of_the_places():
    kept = {place.picture for place in still_pictures.pictures()}
    assert kept == {path.stem for path in live_figures.FIGURES.glob("*.svg")}
    assert kept >= {place.picture for place in [*WHOLE, *SET]}


def test_places_are_read_from_pages():
    """Names of states, controls and questions that a page gives are checked where it is built."""
    found = live_figures.places()
    assert set(found) >= {"nearest_neighbors", "support_vector_machines"}
    for page, places in found.items():
        assert {place.figure for place in places} == {page} and len(set(places)) == len(places)
        text = (ROOT / "book" / f"{page}.ipynb").read_text("utf-8")
        for place in places:
            assert place.state == "" or place.state in figure_data.states(page)
            assert place.ask == "" or f"{{predict}} {place.ask}" in text


@pytest.mark.parametrize("place", [*STATES, *SET], ids=_id)
def test_a_place_is_small(place):
    """A place costs its state; the data of a figure stand in the first of its places on a page."""
    element = live_figures.script_element(place.figure, place, data=False)
    assert len(element.encode()) < 3000
    assert "<" not in element.partition(">")[2].rpartition("</script>")[0]


@every_state
def test_a_state_changes_what_the_figure_has(place):
    """No state repeats the data, and none names what the script does not have."""
    data, changes = (
        getattr(figure_data, place.figure)(),
        figure_data.states(place.figure)[place.state],
    )
    script = (live_figures.FIGURES / f"{place.figure}.js").read_text("utf-8")
    call = re.search(r"figure\.state\(\{(.*?)\}\);", script, re.S)[1]
    names = set(re.findall(r"(\w+)(?=[:,\s]|$)", re.sub(r":[^,]*", "", call)))
    assert changes and set(changes) <= names
    assert json.loads(json.dumps(changes)) == changes
    assert any(data.get(key) != value for key, value in changes.items())


@every_figure
def test_data_can_stand_in_a_page(name):
    text = figure_data.data(name)
    assert json.loads(text) == json.loads(json.dumps(getattr(figure_data, name)()))
    assert "<" not in text


def test_data_says_which_array_a_chapter_lacks():
    with pytest.raises(LookupError, match="no cell assigns X_seven"):
        figure_data.of_chapter("nearest_neighbors", "X_six", "X_seven")


def test_d3_is_vendored_with_licences_and_versions():
    locked = json.loads((D3 / "package-lock.json").read_text())["packages"]
    licences = (D3 / "LICENSE").read_text()
    bundled = {
        path.removeprefix("node_modules/"): entry["version"]
        for path, entry in locked.items()
        if path and not entry.get("dev")
    }
    assert "d3-selection" in bundled
    for package, version in bundled.items():
        assert f"{package} {version}, ISC" in licences
    asked = json.loads((D3 / "package.json").read_text())["dependencies"]
    assert asked.items() <= bundled.items()
    for file in D3.iterdir():
        assert "registry" not in file.read_text(encoding="utf-8"), file


def test_frames_of_a_slider_become_files(tmp_path):
    frames = [base64.b64encode(bytes([n] * 99)).decode() for n in range(3)]
    images = "".join(f'<img hidden src="data:image/webp;base64,{frame}">' for frame in frames)
    page = f'<div class="litlearn-slider">{images}<script>one()</script>\n</div>'
    text = live_figures.lazy_frames(page, tmp_path, "../_images/")
    names = re.findall(r'<img hidden loading="lazy" src="\.\./_images/([\w.-]+\.webp)">', text)
    assert [(tmp_path / name).read_bytes()[0] for name in names] == [0, 1, 2]
    assert "base64" not in text
    assert text.count("<div") == text.count("</div>") and text.endswith("</div>")
    other = '<img src="data:image/png;base64,AAAA">'
    assert live_figures.lazy_frames(other, tmp_path, "") == other


# -- a figure on a page of its own ----------------------------------------------------------------


class Figure:
    """A figure on a page of its own, in a tab that others have used."""

    def __init__(self, tab, page):
        self.tab, self.context, self.problems = tab, tab.context, []
        self.listeners = {
            "console": lambda message: self.problems.append(message.text),
            "pageerror": lambda error: self.problems.append(str(error)),
        }
        for event, listener in self.listeners.items():
            tab.on(event, listener)
        tab.mouse.move(0, 0)
        tab.goto(page.as_uri())
        tab.locator(".litlearn-plot .axes text").first.wait_for()
        self.handles = tab.locator(".litlearn-plot .handle").locator("visible=true")

    def get(self):
        return self.tab.evaluate("document.querySelector('.litlearn-figure').figure.get()")

    def set(self, **state):
        call = "state => document.querySelector('.litlearn-figure').figure.set(state)"
        self.tab.evaluate(call, state)
        self.settle()

    def settle(self):
        """Wait until what was asked for is drawn."""
        self.tab.evaluate("() => new Promise(r => requestAnimationFrame(() => setTimeout(r, 0)))")

    def call(self, function, *arguments):
        script = "([f, a]) => document.querySelector('.litlearn-figure').figure[f](...a)"
        return self.tab.evaluate(script, [function, list(arguments)])

    def each(self, function, places):
        """What a function of the figure says of each place."""
        script = (
            "([f, all]) => all.map(a => document.querySelector('.litlearn-figure').figure[f](a))"
        )
        return self.tab.evaluate(script, [function, places])

    def boxes(self, selector):
        """Where the elements are on the screen, if they are there."""
        script = (
            "s => [...document.querySelectorAll(s)].map(e => e.getBoundingClientRect().toJSON())"
        )
        return [box for box in self.tab.evaluate(script, selector) if box["width"] > 0]

    def rows(self):
        """The cells of the table."""
        return self.tab.evaluate(
            """() => [...document.querySelectorAll(".litlearn-table tbody tr")].map(
              row => [...row.querySelectorAll("td")].map(cell => cell.textContent))"""
        )

    def handle(self, number):
        return self.handles.nth(number)

    def middle(self, number):
        """Where a handle is on the screen."""
        box = self.handle(number).locator(".reach").bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def text(self, selector):
        return self.tab.locator(selector).first.text_content()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        for event, listener in self.listeners.items():
            self.tab.remove_listener(event, listener)
        if exception[0] is None:
            assert self.problems == []
        else:
            self.tab.close()  # who knows what is pressed there


# What a {predict} becomes, before page.js makes buttons of its answers.
QUESTION = f"""<div class="litlearn-predict" data-name="%s" data-right="1"><p>What happens?</p>
<ol class="litlearn-answers"><li>Nothing.</li><li>Much.</li></ol>
<details><summary>Which?</summary><p>Much.</p></details></div>
<script src="{(ROOT / "book" / "_static" / "page.js").as_uri()}"></script>"""


@pytest.fixture(scope="module")
def opened(chromium, tmp_path_factory):
    """Open a figure. All that need the same kind of device share a tab."""
    folder, tabs = tmp_path_factory.mktemp("figures"), {}

    def opened(place, viewport=WIDE, reduced_motion="no-preference", **device):
        if isinstance(place, str):
            place = Place(place, "", None, "")
        page, kind = folder / f"{_id(place)}.html", tuple(device.items())
        if not page.is_file():
            text = live_figures.standalone(place.figure, place)
            if place.ask:
                text = text.replace("</body>", QUESTION % place.ask + "</body>")
            page.write_text(text, encoding="utf-8")
        if kind not in tabs:
            tabs[kind] = chromium.new_context(offline=True, viewport=viewport, **device).new_page()
        elif tabs[kind].is_closed():
            tabs[kind] = tabs[kind].context.new_page()
        tab = tabs[kind]
        tab.set_default_timeout(PATIENCE)
        tab.set_viewport_size(viewport)
        tab.emulate_media(reduced_motion=reduced_motion)
        return Figure(tab, page)

    yield opened
    for tab in tabs.values():
        tab.context.close()


def _without_image(svg):
    """Split a picture into its drawing and the pixels of the maps below it."""
    from PIL import Image

    pixels = [np.zeros(0)]
    for png in re.findall(r"data:image/png;base64,([^\"]+)", svg):
        with Image.open(io.BytesIO(base64.b64decode(png))) as image:
            pixels.append(np.asarray(image.convert("RGB")).astype(int).ravel())
    return re.sub(r"data:image/png;base64,[^\"]+", "", svg), np.concatenate(pixels)


# Opening a figure costs more than most of what is looked at in it: one opening on a wide page and
# one on a phone serve all that is asked of every place.
PICTURED = set(still_pictures.pictures())


@pytest.mark.weekly(keep=18)
@pytest.mark.browser
@every_place
def test_a_place_on_a_wide_page(opened, place):
    with opened(place) as figure:
        if place in PICTURED:
            _expect_first_picture(figure, place)
        if place.controls is not None:
            _expect_named_controls(figure, place)
        # What a figure may be high, with its help: a screen.
        assert figure.boxes(".litlearn-figure")[0]["height"] <= 700
        if place.figure in MOVABLE:
            _expect_spoken(figure, place)
        _expect_keys_and_names(figure, place)
        _expect_turned_round_on_a_dark_page(figure)


@pytest.mark.weekly(keep=45)
@pytest.mark.browser
@every_place
def test_a_place_on_a_phone(opened, place):
    """Handles are large enough, the figure fits, and it is hardly higher than the screen."""
    with opened(place, viewport=PHONE) as figure:
        for box in figure.boxes(".handle .reach"):
            assert min(box["width"], box["height"]) >= 24
            assert box["x"] >= 0 and box["x"] + box["width"] <= 390
        for box in figure.boxes("label:has(input), input[type=range], button"):
            assert box["height"] >= 24
        assert figure.tab.evaluate("document.documentElement.scrollWidth") <= 390
        assert len(figure.boxes(".litlearn-plot-box")) == 1
        assert figure.boxes(".litlearn-figure")[0]["height"] <= 1000


def _expect_first_picture(figure, place):
    """The first state is the data, and its picture is stored."""
    _expect_state(figure, place)
    now, pixels = _without_image(still_pictures.drawn(figure.tab))
    stored = (live_figures.FIGURES / f"{place.picture}.svg").read_text(encoding="utf-8")
    kept, kept_pixels = _without_image(stored)
    # Browsers and processors differ in the last digits of logarithms and powers.
    (words, numbers), (kept_words, kept_numbers) = _words_and_numbers(now), _words_and_numbers(kept)
    assert words == kept_words, "run .ci/still_pictures.py"
    np.testing.assert_allclose(
        numbers, kept_numbers, atol=1e-6, err_msg="run .ci/still_pictures.py"
    )
    # Colours are rounded in what is stored.
    np.testing.assert_allclose(pixels, kept_pixels, atol=still_pictures.STEP // 2 + 1)


_DECIMAL = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")


def _words_and_numbers(picture):
    """Return the text of a picture without its decimal numbers, and these."""
    return _DECIMAL.sub("·", picture), np.array([float(one) for one in _DECIMAL.findall(picture)])


def _expect_state(figure, place):
    """The figure begins with its data and what the state sets otherwise."""
    state = figure.get()
    data = getattr(figure_data, place.figure)() | (
        figure_data.states(place.figure)[place.state] if place.state else {}
    )
    same = {key: value for key, value in data.items() if key in state}
    assert same and all(state[key] == value for key, value in same.items())


@pytest.mark.weekly(keep=20)
@pytest.mark.browser
@every_state
def test_every_state_is_drawn_and_left_again(opened, place):
    """Each state has a sentence of its own, moves by its controls, and comes back."""
    with opened(place, reduced_motion="reduce") as figure:
        _expect_state(figure, place)
        first = figure.get()
        assert len(figure.text(".litlearn-says")) > 30
        for slider in figure.tab.locator("input[type=range]:enabled").all():
            low, high = (float(slider.get_attribute(end)) for end in ("min", "max"))
            for value in (low, high) if high > low else ():
                slider.fill(str(value))
                figure.settle()
        said = figure.text(".litlearn-says")
        assert "NaN" not in said and "undefined" not in said
        figure.tab.get_by_role("button", name="Start again").click()
        figure.settle()
        assert figure.get() == first


def _expect_named_controls(figure, place):
    """All of them, no other, and no help but for the voice."""
    named = set(place.controls) - {"table"}
    found = figure.tab.locator(".litlearn-figure [data-name]").locator("visible=true")
    names = found.evaluate_all("all => all.map(one => one.dataset.name)")
    kinds = {name: re.sub(r" \d+$", "s", name) for name in names}
    kinds = {name: kind.replace("persons", "people") for name, kind in kinds.items()}
    assert named <= set(names) | set(kinds.values())
    assert all(name in named or kind in named for name, kind in kinds.items())
    assert figure.tab.locator(".litlearn-table").count() == ("table" in place.controls)
    again = figure.tab.get_by_role("button", name="Start again")
    assert again.count() == bool(place.controls)
    assert figure.tab.locator(".litlearn-help").count() == 0


def _expect_keys_and_names(figure, place):
    """An arrow key moves a point by one step and Shift by a larger one; others stay."""
    count = figure.handles.count()
    assert count >= 2 or place.controls is not None or place.figure not in MOVABLE
    names = set()
    for number in range(count):
        handle = figure.handle(number)
        handle.focus()
        names.add(handle.get_attribute("aria-label"))
        before = handle.get_attribute("aria-valuetext")
        x = float(handle.get_attribute("aria-valuenow"))
        middle = sum(float(handle.get_attribute(f"aria-value{end}")) for end in ("min", "max")) / 2
        key = "ArrowLeft" if x > middle else "ArrowRight"
        figure.tab.keyboard.press(key)
        figure.settle()
        one = float(handle.get_attribute("aria-valuenow")) - x
        assert one != 0 and handle.get_attribute("aria-valuetext") != before
        figure.tab.keyboard.press("Shift+" + key)
        figure.settle()
        far = float(handle.get_attribute("aria-valuenow")) - x - one
        assert abs(far) > abs(one) and np.sign(far) == np.sign(one)
        described = figure.tab.locator("#" + handle.get_attribute("aria-describedby"))
        assert "Shift" in described.text_content()
    assert len(names) == count


@pytest.mark.browser
@pytest.mark.parametrize("name", ["overfitting", "penalized_models", "comparison"])
def test_on_a_phone_one_plot_is_seen_at_a_time(opened, name):
    """A choice says which; its axes are drawn anew for the width that it has then."""
    with opened(name, viewport=PHONE) as figure:
        shown = figure.tab.locator(".litlearn-plot-box").locator("visible=true")
        turns = figure.tab.locator(".litlearn-turns input")
        first = shown.evaluate_all("all => all.map(one => one.textContent)")
        turns.nth(1).check()
        figure.settle()
        second = shown.evaluate_all("all => all.map(one => one.textContent)")
        assert len(first) == len(second) == 1 and first != second
        assert figure.boxes(".litlearn-plot")[0]["width"] > 280
    with opened(name) as figure:
        assert len(figure.boxes(".litlearn-plot-box")) == 2
        assert not figure.tab.locator(".litlearn-turns").is_visible()


def _expect_turned_round_on_a_dark_page(figure):
    """White becomes black and hues stay, in plots, bars and markers; the text takes the page's."""
    figure.tab.evaluate("document.documentElement.dataset.theme = 'dark'")
    turned = ".litlearn-plot-box, .litlearn-shares, .litlearn-marker"
    filters = figure.tab.locator(turned).evaluate_all(
        "all => all.map(one => getComputedStyle(one).filter)"
    )
    assert filters and set(filters) == {"invert(1) hue-rotate(180deg)"}
    color = figure.tab.locator(".litlearn-says").evaluate("one => getComputedStyle(one).color")
    assert color == figure.tab.evaluate("getComputedStyle(document.body).color")


def _expect_spoken(figure, place):
    """The live region takes the visible sentence over, a moment after the last change."""
    voice = figure.tab.locator(".litlearn-voice[role=status]")
    first = figure.text(".litlearn-says")
    if figure.handles.count():
        x, y = figure.middle(0)
        figure.tab.mouse.move(x, y)
        figure.tab.mouse.down()
        figure.tab.mouse.move(x + 70, y - 60, steps=6)
        figure.tab.mouse.up()
    elif figure.tab.locator(".litlearn-control input").count():
        figure.tab.locator(".litlearn-control input").last.press("ArrowLeft")
    else:
        _press_button(figure)
    figure.settle()
    said = figure.text(".litlearn-says")
    assert said != first or place.controls is not None
    voice.filter(has_text=said).wait_for(state="attached")


@pytest.mark.weekly(keep=4)
@pytest.mark.browser
@every_movable
def test_start_again_glides_or_jumps(opened, name):
    """Everything returns to the first state; at once where less motion is preferred."""
    with opened(name) as figure:
        first = figure.get()
        for motion, frames in (("reduce", 10), ("no-preference", 60)):
            figure.tab.emulate_media(reduced_motion=motion)
            # An angle is not a place: it jumps.
            figure.handle(1 if name == "dimensionality_reduction" else 0).focus()
            for _ in range(3):
                figure.tab.keyboard.press("Shift+ArrowUp")
            figure.settle()
            assert figure.get() != first
            between = figure.tab.evaluate(
                """async frames => {
                  const root = document.querySelector(".litlearn-figure"), states = new Set();
                  const buttons = [...root.querySelectorAll(".litlearn-button")];
                  buttons.find(one => one.textContent === "Start again").click();
                  for (let n = 0; n < frames; n += 1) {
                    states.add(JSON.stringify(root.figure.get()));
                    await new Promise(requestAnimationFrame);
                  }
                  return states.size;
                }""",
                frames,
            )
            assert figure.get() == first
            assert between == 1 if motion == "reduce" else between > 2


WAITING = "Choose an answer first"


def _hidden(figure):
    """Whether what tells the answer is hidden: each verdict, the table, and the sentence."""
    seen = figure.tab.locator(".litlearn-figure").first.evaluate(
        """root => [...root.querySelectorAll(".verdict, .litlearn-table")].filter(
          one => getComputedStyle(one).visibility !== "hidden").length"""
    )
    said = figure.text(".litlearn-figure .litlearn-says")
    spoken = figure.text(".litlearn-figure .litlearn-voice[role=status]")
    assert spoken == "" or spoken.startswith(WAITING)
    return said.startswith(WAITING) and seen == 0


def _press_button(figure):
    """Press what is the only thing to do in some places: a step, another year."""
    buttons = figure.tab.locator(".litlearn-figure button:visible")
    others = buttons.filter(has_not_text="Start again")
    if others.count():
        others.first.click()


# Every question is answered in four ways, two of them with its figure alone and two on its page.
def device(place, viewport):
    """What answers the question of a figure alone; on its page, the other one does."""
    return ("mouse", "keyboard")[(SET.index(place) + (viewport is PHONE)) % 2]


@pytest.mark.weekly(keep=20)
@pytest.mark.browser
@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
@every_question
def test_a_verdict_waits_for_the_readers_answer(opened, place, viewport):
    """Nothing tells the answer before, whatever is moved; any answer shows it, seen and spoken."""
    how = device(place, viewport)
    with opened(place, viewport=viewport) as figure:
        verdicts = figure.tab.locator(".litlearn-figure .verdict")
        assert verdicts.count() > 0 and _hidden(figure)
        first = figure.get()
        for control in [*figure.handles.all(), *figure.tab.locator(".litlearn-range input").all()]:
            control.focus()
            for key in ("ArrowRight", "ArrowRight", "ArrowDown"):  # away from corners, too
                figure.tab.keyboard.press(key)
        if figure.get() == first:
            _press_button(figure)
        figure.settle()
        figure.tab.wait_for_timeout(450)  # until it would be spoken
        assert _hidden(figure) and (figure.get() != first or not place.controls)
        explained = figure.tab.locator(".litlearn-predict details")
        assert explained.is_hidden()
        answers = figure.tab.locator(".litlearn-answers button")
        if how == "mouse":
            answers.first.click()
        else:
            answers.first.focus()
            figure.tab.keyboard.press("Tab")
            assert figure.tab.evaluate("document.activeElement.textContent") == "Much."
            figure.tab.keyboard.press("Enter")
        figure.settle()
        assert explained.is_visible()
        said = figure.text(".litlearn-says")
        assert WAITING not in said and len(said) > 30
        shown = verdicts.evaluate_all("all => all.map(one => getComputedStyle(one).visibility)")
        assert set(shown) == {"visible"}
        judged = "What holds is B." if how == "mouse" else "That holds."
        assert judged in figure.text(".litlearn-judged")
        voice = figure.tab.locator(".litlearn-voice[role=status]")
        voice.filter(has_text=said).wait_for(state="attached")


@pytest.mark.browser
@every_figure
def test_every_figure_can_keep_its_verdict(opened, name):
    """A page may ask at any figure: each has something to hide besides its sentence."""
    with opened(Place(name, "", None, "some-question")) as figure:
        assert _hidden(figure) and figure.tab.locator(".verdict, .litlearn-table").count() > 0


# -- nearest neighbours ---------------------------------------------------------------------------


def _expect_vote(figure, patients, query, k, weights):
    """Compare all that the figure shows with KNeighborsClassifier."""
    names = np.array([c["name"] for c in figure_data.nearest_neighbors()["classes"]])
    y = np.array(figure_data.nearest_neighbors()["y"])
    model = KNeighborsClassifier(n_neighbors=k, weights=weights).fit(patients, y)
    distance, neighbors = (a[0] for a in model.kneighbors([query]))
    share = model.predict_proba([query])[0]
    winner = model.predict([query])[0]
    raw = np.ones(k) if weights == "uniform" else None
    if raw is None:
        zero = distance == 0
        raw = zero.astype(float) if zero.any() else 1 / distance
    weight = raw / raw.sum()

    shown = figure.get()["vote"]
    assert shown["neighbors"] == neighbors.tolist()
    np.testing.assert_allclose(shown["distance"], distance, rtol=0, atol=1e-6)
    np.testing.assert_allclose(shown["weights"], weight, rtol=0, atol=1e-6)
    np.testing.assert_allclose(shown["share"], share, rtol=0, atol=1e-6)
    assert shown["winner"] == winner

    rows = figure.rows()
    all_distances, all_patients = (a[0] for a in model.kneighbors([query], n_neighbors=len(y)))
    assert [row[0] for row in rows] == [str(i + 1) for i in all_patients]
    assert [row[1] for row in rows] == names[y[all_patients]].tolist()
    np.testing.assert_allclose([float(row[2]) for row in rows], all_distances, atol=0.00501)
    np.testing.assert_allclose([float(row[3]) for row in rows[:k]], weight, atol=0.00501)
    assert all(row[3] == "0" for row in rows[k:])
    assert figure.tab.locator(".litlearn-table .in").count() == k
    assert figure.tab.locator(".marks line").count() == k

    said = figure.text(".litlearn-says")
    assert f"the prediction is “{names[winner]}”." in said
    spoken = float(re.search(r"for “\w+” is ([\d.]*\d)", said)[1])
    assert spoken == pytest.approx(share[-1], abs=0.00501)
    assert ("equally far" in said) == (k < len(y) and all_distances[k] == all_distances[k - 1])
    assert ("The vote is tied" in said) == (share[0] == share[1])
    return model


@pytest.mark.browser
def test_neighbours_agree_with_the_module_in_random_states(opened):
    """Whole words bring ties; other places bring none. A grid of the plane is compared as well."""
    rng = np.random.default_rng(11)
    ties = 0
    with opened("nearest_neighbors") as figure:
        for state in range(40):
            whole = state % 2 == 0
            draw = (
                (lambda n: rng.integers(0, 17, (n, 2)))
                if whole
                else (lambda n: rng.uniform(0, 16, (n, 2)))
            )
            X, query = draw(6).tolist(), draw(1)[0].tolist()
            if state % 8 == 0:
                query = list(X[3])  # at no distance
            if state % 10 == 0:
                X[5] = list(X[0])  # the same measurements twice
            k, weights = int(rng.integers(1, 7)), ["uniform", "distance"][state // 2 % 2]
            figure.set(X=X, query=query, k=k, weights=weights)
            model = _expect_vote(figure, np.array(X, dtype=float), query, k, weights)
            said = figure.text(".litlearn-says")
            ties += "equally far" in said or "tied" in said

            grid = draw(50)
            if state % 4 == 0:
                votes = figure.each("vote", grid.tolist())
                np.testing.assert_allclose(
                    [vote["share"] for vote in votes], model.predict_proba(grid), atol=1e-6
                )
                assert [vote["winner"] for vote in votes] == model.predict(grid).tolist()
    assert ties >= 5


@pytest.mark.browser
def test_vote_agrees_with_the_module_in_tenths_of_words(opened):
    """The second feature counts in tenths: distances, order, weights and the map."""
    rng, first = np.random.default_rng(11), set()
    place = Place("nearest_neighbors", "units", None, "")
    with opened(place) as figure:
        for state in range(24):
            X, query = rng.integers(0, 17, (6, 2)), rng.integers(0, 17, 2)
            k, weights = int(rng.integers(1, 7)), ["uniform", "distance"][state % 2]
            changes = {"X": X.tolist(), "query": query.tolist(), "k": k, "weights": weights}
            figure.set(tenths=False, **changes)
            before = figure.get()["vote"]["neighbors"]
            figure.set(tenths=True)
            unit = np.array([1.0, 10.0])
            model = _expect_vote(figure, X * unit, query * unit, k, weights)
            first.add(before[0] == figure.get()["vote"]["neighbors"][0])
            grid = rng.integers(0, 17, (20, 2))
            votes = figure.each("vote", grid.tolist())
            share = model.predict_proba(grid * unit)
            np.testing.assert_allclose([vote["share"] for vote in votes], share, atol=1e-6)
            flat = figure.tab.locator(".ring").evaluate(
                "r => r.rx.baseVal.value / r.ry.baseVal.value"
            )
            assert figure.get()["vote"]["distance"][-1] == 0 or flat == pytest.approx(10)
    assert first == {True, False}


@pytest.mark.browser
def test_hand_case_of_the_chapter(opened):
    with opened("nearest_neighbors") as figure:
        assert figure.get()["vote"]["share"] == pytest.approx([2 / 3, 1 / 3])
        figure.tab.get_by_label("nearer patients count more").check()
        figure.settle()
        assert figure.get()["vote"]["share"] == pytest.approx([7 / 19, 12 / 19])
        assert "0.63" in figure.text(".litlearn-says")


# The colours below given places of the first plot, found by the ticks of its axes.
PAINT = """places => {
  const box = document.querySelector(".litlearn-plot-box");
  const canvas = box.querySelector("canvas"), at = canvas.getBoundingClientRect();
  const all = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const scale = (group, part) => {
    const [a, b] = [...group.querySelectorAll(".tick")].map(tick => [
      Number(tick.textContent), Number(tick.getAttribute("transform").match(/[\\d.]+/g)[part])]);
    return v => a[1] + (v - a[0]) * (b[1] - a[1]) / (b[0] - a[0]);
  };
  const [gx, gy] = box.querySelectorAll(".axes > g"), edge = box.getBoundingClientRect();
  const [sx, sy] = [scale(gx, 0), scale(gy, 1)];
  return places.map(([x, y]) => {
    const px = Math.floor((sx(x) + edge.x - at.x) / at.width * canvas.width);
    const py = Math.floor((sy(y) + edge.y - at.y) / at.height * canvas.height);
    return [...all.slice(4 * (py * canvas.width + px)).slice(0, 3)];
  });
}"""


@pytest.mark.browser
def test_map_is_painted_as_the_module_votes(opened):
    """The tint under a place has the hue of the class that wins there."""
    data = figure_data.nearest_neighbors()
    colour = [[int(c["color"][i : i + 2], 16) for i in (1, 3, 5)] for c in data["classes"]]
    rng = np.random.default_rng(3)
    for scheme in (WIDE, PHONE):
        with opened("nearest_neighbors", viewport=scheme) as figure:
            figure.set(k=3, weights="uniform", X=rng.integers(0, 17, (6, 2)).tolist())
            X = np.array(figure.get()["X"])
            model = KNeighborsClassifier(n_neighbors=3).fit(X, data["y"])
            places = rng.uniform(0, 16, (60, 2))
            pixels = figure.tab.evaluate(
                PAINT,
                places.tolist(),
            )
            share = model.predict_proba(places).max(axis=1)
            winner = model.predict(places)
            # A pixel covers 2 of about 360: at most a few places lie on the edge of a step.
            expected = 255 - 0.45 * (2 * share - 1)[:, None] * (255 - np.array(colour)[winner])
            wrong = np.abs(np.array(pixels) - expected).max(axis=1) > 1.01
            assert wrong.sum() <= 3


@pytest.mark.browser
def test_mouse_moves_the_new_patient_and_a_former_one(opened):
    with opened("nearest_neighbors") as figure:
        step = (figure.middle(2)[0] - figure.middle(1)[0]) / 3  # patients 1 and 2: 8 and 11 words
        for number, start in ((0, [8, 4]), (4, [5, 0])):
            x, y = figure.middle(number)
            figure.tab.mouse.move(x, y)
            figure.tab.mouse.down()
            figure.tab.mouse.move(x - 2 * step, y - 3 * step, steps=5)
            figure.tab.mouse.up()
            figure.settle()
            state = figure.get()
            now = state["query"] if number == 0 else state["X"][number - 1]
            assert now == [start[0] - 2, start[1] + 3]
        assert state["X"][:3] == figure_data.nearest_neighbors()["X"][:3]
        _expect_vote(figure, np.array(state["X"], dtype=float), state["query"], 3, "uniform")


@pytest.mark.browser
def test_finger_moves_the_new_patient(opened):
    phone = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    with opened("nearest_neighbors", **phone) as figure:
        step = (figure.middle(2)[0] - figure.middle(1)[0]) / 3
        x, y = figure.middle(0)
        session = figure.context.new_cdp_session(figure.tab)
        for kind, dx in (("Start", 0), ("Move", 1), ("Move", 2), ("Move", 3)):
            points = [{"x": x + dx * step, "y": y - dx * step}]
            session.send(
                "Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points}
            )
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        figure.settle()
        assert figure.get()["query"] == [11, 7]
        assert figure.tab.evaluate("window.scrollY") == 0


@pytest.mark.browser
def test_points_stay_on_the_axes(opened):
    with opened("nearest_neighbors") as figure:
        for key, end in (("ArrowLeft", [0, 4]), ("ArrowDown", [0, 0]), ("ArrowUp", [0, 16])):
            figure.handle(0).focus()
            for _ in range(6):
                figure.tab.keyboard.press(f"Shift+{key}")
            figure.settle()
            assert figure.get()["query"] == end


@pytest.mark.browser
def test_k_and_weights_by_control_and_key(opened):
    with opened("nearest_neighbors") as figure:
        slider = figure.tab.get_by_label("Number of neighbours k")
        slider.focus()
        for key, k in (("End", 6), ("ArrowLeft", 5), ("Home", 1), ("ArrowRight", 2)):
            figure.tab.keyboard.press(key)
            figure.settle()
            assert figure.get()["k"] == k
            assert figure.text(".litlearn-control output") == str(k)
        figure.handle(3).focus()
        for key, k, weights in (("+", 3, "uniform"), ("-", 2, "uniform"), ("w", 2, "distance")):
            figure.tab.keyboard.press(key)
            figure.settle()
            state = figure.get()
            assert (state["k"], state["weights"]) == (k, weights)
        assert figure.tab.get_by_label("nearer patients count more").is_checked()
        _expect_vote(figure, np.array(state["X"], dtype=float), state["query"], 2, "distance")


# -- linear regression ----------------------------------------------------------------------------


def _number(text):
    return float(text.replace("−", "-"))


def _expect_line(figure, x, y):
    """Compare all that the figure shows with LinearRegression."""
    X, y, everyone = np.array(x, dtype=float)[:, None], np.array(y, dtype=float), np.arange(len(y))
    model = LinearRegression().fit(X, y)
    residual = y - model.predict(X)
    # Leverage: how much a patient's own prediction moves with the patient's score.
    leverage = np.diag(LinearRegression().fit(X, np.eye(len(y))).predict(X))
    without = [LinearRegression().fit(X[everyone != i], y[everyone != i]) for i in everyone]

    fit = figure.get()["fit"]
    close = {"rtol": 0, "atol": 1e-6}
    np.testing.assert_allclose(fit["intercept"], model.intercept_, **close)
    np.testing.assert_allclose(fit["slope"], model.coef_[0], **close)
    np.testing.assert_allclose(fit["residual"], residual, **close)
    np.testing.assert_allclose(fit["cost"], residual @ residual, **close)
    np.testing.assert_allclose(fit["leverage"], leverage, **close)
    np.testing.assert_allclose(
        [w["slope"] for w in fit["without"]], [m.coef_[0] for m in without], **close
    )
    # The deleted residual: how far a patient lies from the line of the others.
    known = [len(set(np.delete(X, i))) > 1 or X[i, 0] == np.delete(X, i)[0] for i in everyone]
    assert [d is not None for d in fit["deleted"]] == known
    alone = [y[i] - m.predict(X[[i]])[0] for i, m in enumerate(without)]
    for i in everyone[known]:
        np.testing.assert_allclose(fit["deleted"][i], alone[i], **close)
        np.testing.assert_allclose(alone[i], residual[i] / (1 - leverage[i]), rtol=1e-6, atol=1e-6)

    for i, cells in enumerate(figure.rows()):
        assert cells[0] == str(i + 1)
        assert _number(cells[1]) == pytest.approx(leverage[i], abs=0.00501)
        assert _number(cells[2]) == pytest.approx(residual[i], abs=0.00501)
        if not known[i]:
            assert cells[3] == "none"
        else:
            assert _number(cells[3]) == pytest.approx(alone[i], abs=0.00501)
        if len(set(np.delete(X, i))) == 1:
            assert cells[4] == "none"
        else:
            assert _number(cells[4]) == pytest.approx(without[i].coef_[0], abs=0.00501)
    said = figure.text(".litlearn-says")
    assert _number(re.search(r"add up to ([\d.]*\d)", said)[1]) == pytest.approx(
        fit["cost"], abs=0.00501
    )
    assert ("nothing can be said" in said) == (len(set(X[:, 0])) == 1)

    # The squares are squares, as high as the residuals.
    unit = figure.tab.locator(".axes > g").nth(1).locator(".tick").all()[:2]
    pixels = [float(re.findall(r"[\d.]+", t.get_attribute("transform"))[1]) for t in unit]
    scale = (pixels[0] - pixels[1]) / (
        float(unit[1].text_content()) - float(unit[0].text_content())
    )
    squares = "all => all.map(s => [s.getAttribute('width'), s.getAttribute('height')])"
    for i, size in enumerate(figure.tab.locator(".square").evaluate_all(squares)):
        width, height = map(float, size)
        assert width == height == pytest.approx(abs(residual[i]) * scale, abs=0.02)


@pytest.mark.browser
def test_line_agrees_with_the_module_in_random_states(opened):
    """Steps of the figure, any numbers, the same years twice, and all patients at one place."""
    rng = np.random.default_rng(5)
    with opened("linear_regression") as figure:
        for state in range(28):
            x, y = rng.uniform(0, 6, 5), rng.uniform(0, 44, 5)
            if state % 2:
                x, y = np.round(2 * x) / 2, np.round(y)
            if state in (6, 13):
                x[:] = x[0]
            if state in (7, 14):
                x[1:] = x[1]
            figure.set(x=x.tolist(), y=y.tolist())
            _expect_line(figure, x, y)


@pytest.mark.browser
def test_a_line_of_the_readers_own(opened):
    """Through any two points: its squares, beside the least, and what it predicts far out."""
    rng = np.random.default_rng(15)
    with opened(Place("linear_regression", "line", None, "")) as figure:
        for _ in range(20):
            x, y = rng.uniform(0, 6, 5), rng.uniform(0, 44, 5)
            through = np.column_stack([rng.uniform(0, 6, 2), rng.uniform(0, 44, 2)])
            figure.set(x=x.tolist(), y=y.tolist(), through=through.tolist())
            slope, intercept = np.polyfit(*through.T, 1)
            cost = np.sum((y - intercept - slope * x) ** 2)
            least = LinearRegression().fit(x[:, None], y)
            mine = figure.get()["mine"]
            assert [mine["slope"], mine["intercept"]] == pytest.approx([slope, intercept])
            assert mine["cost"] == pytest.approx(cost)
            told = re.search(
                r"add up to ([\d.]+), .* squares to ([\d.]*\d)", figure.text(".litlearn-says")
            )
            squares = np.sum((y - least.predict(x[:, None])) ** 2)
            assert [float(one) for one in told.groups()] == pytest.approx(
                [cost, squares], abs=0.00501
            )
        figure.tab.get_by_label("the line of least squares").check()
        figure.settle()
        assert figure.handles.count() == 5
    with opened(Place("linear_regression", "beyond", None, "")) as figure:
        assert "After 9 years it predicts −6 points" in figure.text(".litlearn-says")
        for _ in range(20):
            x, y = rng.uniform(0, 10, 5), rng.uniform(0, 44, 5)
            query = round(rng.uniform(0, 10), 1)
            figure.set(x=x.tolist(), y=y.tolist(), query=query)
            told = re.search(
                r"predicts (−?[\d.]+) points?, and .* than ([\d.]*\d)",
                figure.text(".litlearn-says"),
            )
            expected = LinearRegression().fit(x[:, None], y).predict([[query]])[0]
            assert _number(told[1]) == pytest.approx(expected, abs=0.00501)
            assert float(told[2]) == pytest.approx(x.max(), abs=0.00501)


@pytest.mark.browser
def test_line_follows_the_mouse(opened):
    """The middle patient lifts the line and does not tilt it; a patient at the end tilts it."""
    with opened("linear_regression") as figure:
        fit = figure.get()["fit"]
        assert (fit["intercept"], fit["slope"], fit["cost"]) == pytest.approx((30, -4, 30))
        for number in (2, 4):
            x, y = figure.middle(number)
            figure.tab.mouse.move(x, y)
            figure.tab.mouse.down()
            figure.tab.mouse.move(x, y - 100, steps=5)
            figure.tab.mouse.up()
            figure.settle()
            state = figure.get()
            assert state["x"] == [0, 1, 2, 3, 4]
            assert state["y"][number] > [32, 23, 24, 15, 16][number] + 5
            tilted = state["fit"]["slope"] > -4 + 1e-9
            assert tilted == (number == 4)
            _expect_line(figure, state["x"], state["y"])


# -- inference ------------------------------------------------------------------------------------

TRUE_SLOPE = figure_data.TRUE_LINE[1]


def _hc3(x, y):
    """Half the interval by the sandwich, from matrices."""
    X = np.column_stack([np.ones(len(x)), x])
    A = np.linalg.inv(X.T @ X) @ X.T
    d = (y - X @ (A @ y)) / (1 - np.diag(X @ A))
    return scipy.stats.t.ppf(0.975, len(x) - 2) * np.sqrt(((A * d**2) @ A.T)[1, 1])


def _usual(x, y):
    found = scipy.stats.linregress(x, y)
    return found.slope, scipy.stats.t.ppf(0.975, len(x) - 2) * found.stderr


@pytest.mark.browser
def test_intervals_are_those_of_scipy(opened):
    """Of any five patients; the sentence and the sum over all studies say the same."""
    rng = np.random.default_rng(51)
    with opened("inference") as figure:
        for _ in range(20):
            x, y = np.array([*rng.uniform(0, 6, 5), *[1.0] * 95]), rng.uniform(0, 44, 100)
            figure.set(x=x.tolist(), y=y.tolist())
            slope, half = _usual(x[:5], y[:5])
            state = figure.get()
            fit = state["fit"]
            model = LinearRegression().fit(x[:5, None], y[:5])
            assert [fit["slope"], fit["intercept"]] == pytest.approx(
                [model.coef_[0], model.intercept_]
            )
            assert fit["half"] == pytest.approx(half, rel=1e-4)
            assert fit["other"] == pytest.approx(_hc3(x[:5], y[:5]), rel=1e-4)
            said = figure.text(".litlearn-says")
            told = re.search(r"is (−?[\d.]*\d), .* of (−?[\d.]+) to (−?[\d.]*\d)", said).groups()
            assert [_number(one) for one in told] == pytest.approx(
                [slope, slope - half, slope + half], abs=0.051
            )
            holds = [abs(s - TRUE_SLOPE) <= h for s, h, _ in state["past"]]
            holds.append(abs(slope - TRUE_SLOPE) <= half)
            assert ("contains the truth" in said) == holds[-1]
            assert f"Of {len(holds)} intervals so far, {sum(holds)} contain" in said
            shown = figure.tab.locator(".marks g.verdict path").locator("visible=true").count()
            assert shown == len(holds) - sum(holds)
        figure.set(x=[2.0] * 100)
        assert "nothing can be said" in figure.text(".litlearn-says")


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["studies", "fan", "visits"])
def test_studies_are_repeated(opened, kind):
    """Other people at the same years; each study before keeps both of its intervals."""
    with opened(Place("inference", kind, ("slopes", "study", "twenty", "interval"), "")) as figure:
        first = figure.get()
        figure.tab.get_by_role("button", name="Twenty more").click()
        figure.tab.get_by_role("button", name="Another study").click()
        figure.settle()
        now = figure.get()
        assert len(now["past"]) == len(first["past"]) + 21 and now["x"] == first["x"]
        count = now["count"]
        x, y = (np.array(now[key][:count]) for key in "xy")
        slope, half = _usual(x, y)
        other = _hc3(x, y)
        if kind == "visits":
            other = _usual(*(v.reshape(-1, figure_data.VISITS).mean(axis=1) for v in (x, y)))[1]
        fit = now["fit"]
        assert [fit["slope"], fit["half"], fit["other"]] == pytest.approx(
            [slope, half, other], rel=1e-4
        )
        figure.tab.locator("fieldset[data-name=interval] input").last.check()
        figure.settle()
        assert figure.get()["intervals"][-1]["half"] == pytest.approx(other, rel=1e-4)
        slopes = np.array([one["slope"] for one in now["intervals"]][-22:])
        assert abs(np.mean(slopes) - TRUE_SLOPE) < 6 * np.std(slopes) / np.sqrt(len(slopes))


@pytest.mark.browser
def test_bands_are_those_of_the_formula(opened):
    """For the mean and for one patient, with any number of patients and anywhere."""
    rng = np.random.default_rng(52)
    with opened(Place("inference", "bands", None, "")) as figure:
        assert "22 points on average, give or take 4.5" in figure.text(".litlearn-says")
        state = figure.get()
        for count in rng.permutation(np.arange(5, 101, 5)).tolist():
            query = round(rng.uniform(0, 8), 1)
            figure.set(count=count, query=query)
            X = np.column_stack([np.ones(count), state["x"][:count]])
            y, x = np.array(state["y"][:count]), np.array([1, query])
            inverse = np.linalg.inv(X.T @ X)
            w = inverse @ X.T @ y
            reach = scipy.stats.t.ppf(0.975, count - 2) * np.sqrt(
                ((y - X @ w) ** 2).sum() / (count - 2)
            )
            v, band = x @ inverse @ x, figure.get()["band"]
            assert [band["at"], band["mean"], band["one"]] == pytest.approx(
                [x @ w, reach * np.sqrt(v), reach * np.sqrt(1 + v)], rel=1e-4
            )
            assert f"With {count} patients" in figure.text(".litlearn-says")


# -- overfitting ----------------------------------------------------------------------------------


def _legendre(weeks, degree):
    return np.polynomial.legendre.legvander((np.asarray(weeks) - 5.5) / 5.5, degree)[:, 1:]


def _expect_degrees(figure):
    """Compare curves and errors of every degree with LinearRegression in the figure's state."""
    state, data = figure.get(), figure_data.overfitting()
    (top, fall, pace), grid = data["course"], np.array(data["grid"])
    n, fit, sigma = state["visits"], state["fit"], state["sigma"]
    x = np.array(state["x"][:n], dtype=float)
    y = top - fall * np.exp(-x / pace) + sigma * np.array(state["z"][:n])
    truth = top - fall * np.exp(-grid / pace)
    np.testing.assert_allclose(fit["y"], y, rtol=0, atol=1e-6)
    assert fit["most"] == min(12, len(set(x))) - 1
    for degree in range(fit["most"] + 1):
        if degree == 0:
            fitted, curve = np.full(len(x), y.mean()), np.full(len(grid), y.mean())
        else:
            model = LinearRegression().fit(_legendre(x, degree), y)
            fitted, curve = (model.predict(_legendre(weeks, degree)) for weeks in (x, grid))
        training = np.sqrt(((y - fitted) ** 2).mean())
        fresh = np.sqrt(sigma**2 + ((curve - truth) ** 2).mean())
        np.testing.assert_allclose(fit["fitted"][degree], fitted, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(fit["curves"][degree], curve, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(fit["training"][degree], training, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(fit["fresh"][degree], fresh, rtol=1e-6, atol=1e-6)
    shown = min(state["degree"], fit["most"])
    said = figure.text(".litlearn-says")
    assert said.startswith(f"The curve of degree {shown} ")
    missed, new = re.search(r"visits by ([\d.]+) .* new ones by ([\d.]*\d)", said).groups()
    assert float(missed) == pytest.approx(fit["training"][shown], abs=0.00501)
    assert float(new) == pytest.approx(fit["fresh"][shown], rel=1e-6, abs=0.00501)
    assert ("different weeks" in said) == (shown < state["degree"])


@pytest.mark.browser
def test_polynomials_agree_with_the_module_in_random_states(opened):
    """Any weeks, halves of weeks, weeks that occur twice; every degree of each."""
    rng = np.random.default_rng(17)
    with opened("overfitting") as figure:
        _expect_degrees(figure)
        for number in range(24):
            x = np.clip(np.arange(12) + rng.uniform(-0.45, 0.45, 12), 0, 11)
            if number % 2:
                x = np.clip(np.arange(12) + rng.integers(-1, 2, 12) / 2, 0, 11)
            if number % 6 == 3:
                x = np.sort(rng.integers(0, 12, 12)).astype(float)
            figure.set(
                x=x.tolist(), z=rng.normal(size=12).tolist(), degree=int(rng.integers(0, 12)),
                sigma=round(rng.uniform(0.5, 3), 1),
            )  # fmt: skip
            _expect_degrees(figure)


@pytest.mark.browser
def test_degree_noise_days_and_visits(opened):
    with opened("overfitting") as figure:
        x, y = figure.middle(4)
        figure.tab.mouse.move(x, y)
        figure.tab.mouse.down()
        figure.tab.mouse.move(x, y - 60, steps=4)
        figure.tab.mouse.up()
        figure.settle()
        before = figure.get()
        assert before["z"][4] > figure_data.overfitting()["z"][4] + 1
        _expect_degrees(figure)
        figure.tab.keyboard.press("+")
        figure.settle()
        assert figure.get()["degree"] == before["degree"] + 1
        for slider, value in ((0, "1"), (1, "0.5")):
            figure.tab.locator("input[type=range]").nth(slider).fill(value)
        figure.settle()
        state = figure.get()
        assert (state["degree"], state["sigma"]) == (1, 0.5) and state["z"] == before["z"]
        figure.tab.get_by_role("button", name="Other days").click()
        figure.settle()
        days = np.array(figure.get()["z"])
        assert len(set(days)) == 12 and not set(days) & set(state["z"]) and np.abs(days).max() < 6
        _expect_degrees(figure)


@pytest.mark.browser
def test_held_out_visits_agree_with_the_module(opened):
    """Three folds, each left out in its turn; the errors of every degree that is determined."""
    rng = np.random.default_rng(18)
    folds = np.arange(12) % 3
    with opened(Place("overfitting", "folds", None, "")) as figure:
        for number in range(20):
            x = np.clip(np.arange(12) + rng.uniform(-0.45, 0.45, 12), 0, 11)
            fold = number % 4
            figure.set(x=x.tolist(), z=rng.normal(size=12).tolist(), fold=fold)
            fit = figure.get()["fit"]
            y, degrees = np.array(fit["y"]), len(fit["fresh"])
            assert degrees == 8
            for degree in range(1, degrees):
                A, rest = _legendre(x, degree), np.zeros(12)
                for k in range(3):
                    out = folds == k
                    model = LinearRegression().fit(A[~out], y[~out])
                    rest[out] = y[out] - model.predict(A[out])
                    if k == fold - 1:
                        np.testing.assert_allclose(
                            fit["fitted"][degree], model.predict(A), atol=1e-6
                        )
                assert fit["fresh"][degree] == pytest.approx(np.sqrt(np.mean(rest**2)), rel=1e-5)
            pale = figure.tab.locator(".handle.idle").count()
            assert pale == (4 if fold else 0)


@pytest.mark.browser
def test_envelope_ghosts_and_sixty_visits(opened):
    with opened(Place("overfitting", "envelope", None, "")) as figure:
        bets = {}
        for degree in (1, 3):
            figure.set(degree=degree)
            bets[degree] = re.search(
                r"predicts ([\d.]+), .* says 7", figure.text(".litlearn-says")
            )[1]
        assert bets == {1: "8", 3: "13"}  # by hand in the chapter
    with opened(Place("overfitting", "redraw", None, "")) as figure:
        for number in range(1, 4):
            before = figure.tab.locator(".marks .line").first.get_attribute("d")
            figure.tab.get_by_role("button", name="Other days").click()
            figure.settle()
            ghosts = figure.tab.locator(".ghost")
            assert ghosts.count() == number
            assert ghosts.last.get_attribute("d") == before
    with opened(
        Place("overfitting", "more", ("number", "errors", "degree", "visits"), "")
    ) as figure:
        for visits in (4, 12, 30, 60):
            figure.tab.get_by_label("Number of visits").fill(str(visits))
            figure.settle()
            assert figure.handles.count() == visits
            _expect_degrees(figure)


@pytest.mark.browser
def test_many_points_are_one_stop_of_tab(opened):
    """Page Down goes to the next visit, and around; Tab to the controls."""
    with opened("overfitting") as figure:
        figure.handle(0).focus()
        label = "document.activeElement.getAttribute('aria-label')"
        for key, visit in (
            ("PageDown", 2),
            ("PageDown", 3),
            ("PageUp", 2),
            ("PageUp", 1),
            ("PageUp", 12),
        ):
            figure.tab.keyboard.press(key)
            assert figure.tab.evaluate(label) == f"visit {visit}"
        figure.tab.keyboard.press("Tab")
        assert figure.tab.evaluate("document.activeElement.textContent") == "Other days"
        figure.tab.keyboard.press("Shift+Tab")
        assert figure.tab.evaluate(label) == "visit 12"


# -- kernel methods -------------------------------------------------------------------------------


def _expect_sum(figure):
    """Compare weights and predictions with KernelRidge in the figure's state."""
    state = figure.get()
    width, x = state["width"], np.array(state["x"], dtype=float)[:, None]

    def hat(a, b):
        return max(0.0, 1.0 - abs(a[0] - b[0]) / width)

    kernel = {"kernel": hat} if state["kernel"] == "hat" else {"kernel": "rbf"}
    module = KernelRidge(alpha=state["price"], gamma=0.5 / width**2, **kernel).fit(x, state["y"])
    assert state["alpha"] == pytest.approx(module.dual_coef_, rel=1e-6, abs=1e-6)
    assert state["fitted"] == pytest.approx(module.predict(x), rel=1e-6, abs=1e-6)
    gained = module.predict([[state["query"]]])[0]
    assert state["f"] == pytest.approx(gained, rel=1e-6, abs=1e-6)
    told = float(re.search(r"of ([\d.]+) words?", figure.text(".litlearn-says"))[1])
    assert told == pytest.approx(abs(gained), abs=0.0051)


@pytest.mark.browser
def test_sum_of_kernels_agrees_with_the_module_in_random_states(opened):
    """Steps of the figure, any numbers, and patients with the same dose."""
    rng = np.random.default_rng(3)
    with opened("kernel_methods") as figure:
        state = figure.get()
        assert state["alpha"] == pytest.approx([-2, 6, -2, -2])
        assert state["f"] == pytest.approx(2.5)
        for number in range(24):
            x, y = rng.uniform(0, 8, 4), rng.uniform(-5, 8, 4)
            if number % 2:
                x, y = np.round(2 * x) / 2, np.round(y)
            if number in (5, 10):
                x[1] = x[0]
            figure.set(
                x=x.tolist(), y=y.tolist(), query=round(rng.uniform(0, 8), 1),
                kernel=["hat", "rbf"][number // 2 % 2], width=round(10 ** rng.uniform(-0.7, 1), 2),
                price=round(10 ** rng.uniform(-2, 2), 3),
            )  # fmt: skip
            _expect_sum(figure)


@pytest.mark.browser
def test_without_a_price_the_curve_meets_everybody(opened):
    """Where doses differ; two patients with the same dose leave it undetermined."""
    rng = np.random.default_rng(4)
    with opened("kernel_methods") as figure:
        slider = figure.tab.get_by_label("Price λ")
        slider.focus()
        figure.tab.keyboard.press("Home")
        figure.settle()
        assert figure.get()["price"] == 0 and figure.text("output >> nth=1") == "0"
        for number in range(20):
            x = np.sort(rng.uniform(0, 1, 4)) + 2 * np.arange(4)
            y = np.round(rng.uniform(-5, 8, 4))
            figure.set(
                x=x.tolist(), y=y.tolist(), query=round(rng.uniform(0, 8), 1), price=0,
                kernel=["hat", "rbf"][number % 2], width=round(rng.uniform(0.3, 1.5), 2),
            )  # fmt: skip
            assert figure.get()["fitted"] == pytest.approx(y)
            _expect_sum(figure)
        figure.set(x=[1, 1, 3, 6])
        assert "no curve is determined" in figure.text(".litlearn-says")
        assert not figure.tab.locator(".marks .line").get_attribute("d")


@pytest.mark.browser
def test_sum_of_kernels_follows_the_mouse_and_the_keys(opened):
    with opened("kernel_methods") as figure:
        x, y = figure.middle(1)
        figure.tab.mouse.move(x, y)
        figure.tab.mouse.down()
        figure.tab.mouse.move(x, y + 60, steps=4)
        figure.tab.mouse.up()
        figure.settle()
        assert figure.get()["y"][1] < 7
        _expect_sum(figure)
        figure.handle(4).focus()
        figure.tab.keyboard.press("ArrowRight")
        figure.settle()
        assert figure.get()["query"] == 2
        _expect_sum(figure)


# -- penalised models -----------------------------------------------------------------------------


def _expect_bargain(figure):
    """Compare coefficients, ball and touching ring with the module on the same people."""
    state, data = figure.get(), figure_data.penalized_models()
    price, rho, n = state["price"], state["correlation"], data["n"]
    axes = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])  # orthogonal columns
    X = axes[:, :2] @ [[1, rho], [0, np.sqrt(1 - rho**2)]]
    y = X @ state["free"] + axes[:, 2] * np.sqrt(data["rest"] / n)
    X[:, 1] *= data["cup"] if state["litres"] else 1
    share = {"ridge": 0.0, "net": 0.5, "lasso": 1.0}[state["kind"]]
    tight = {"tol": 1e-14, "max_iter": 1_000_000}
    if price == 0:
        model = LinearRegression()
    elif share == 0:
        model = Ridge(alpha=price)
    elif share == 1:
        model = Lasso(alpha=price / (2 * n), **tight)
    else:
        mix = share / (2 - share)
        model = ElasticNet(alpha=price * (2 - share) / (2 * n), l1_ratio=mix, **tight)
    w = model.fit(X, y).coef_

    def squares(w):
        return ((y - X @ w) ** 2).sum()

    def penalty(w):
        return share * np.abs(w).sum() + (1 - share) * np.square(w).sum()

    assert state["w"] == pytest.approx(w, rel=0, abs=1e-6)
    assert state["squares"] == pytest.approx(squares(w), rel=1e-6)
    assert state["penalty"] == pytest.approx(penalty(w), rel=1e-6, abs=1e-6)
    angles = np.linspace(0, 6, 9).tolist()
    for border in figure.each("ball", angles):
        assert penalty(np.array(border)) == pytest.approx(penalty(w), rel=1e-6, abs=1e-6)
    for ring in figure.each("ellipse", angles):
        assert squares(np.array(ring)) == pytest.approx(squares(w), rel=1e-6, abs=1e-6)
    said = figure.text(".litlearn-says").replace("−", "-")
    told = re.findall(r"” (-?[\d.]*\d)", said) + re.findall(r"to (-?[\d.]*\d)", said)
    shown = [*w, squares(w), penalty(w)]
    assert [float(number) for number in told] == pytest.approx(shown, abs=0.0051)
    cells = figure.tab.locator(".litlearn-table tbody td:last-child").all_text_contents()
    assert [float(text.replace("−", "-")) for text in cells] == pytest.approx(shown, abs=0.0051)
    for name, value in zip(data["names"], w, strict=True):
        assert (name in said.partition("Left out: ")[2]) == (abs(value) < 1e-9)
    return w


@pytest.mark.browser
def test_bargains_agree_with_the_module_in_random_states(opened):
    """Steps of the figure and any numbers; all three penalties, with corners and without."""
    rng = np.random.default_rng(17)
    zeros = 0
    with opened("penalized_models") as figure:
        assert figure.get()["w"] == [1.5, 0]
        for number in range(36):
            free, price, rho = rng.uniform(-1.2, 3, 2), rng.uniform(0, 20), rng.uniform(-0.9, 0.9)
            if number % 2:
                free, price, rho = np.round(free, 1), round(2 * price) / 2, round(rho, 1)
            if number in (3, 4, 5):
                price = 0
            kind, litres = ["ridge", "lasso", "net"][number % 3], number % 4 > 1
            figure.set(free=free.tolist(), price=price, correlation=rho, kind=kind, litres=litres)
            zeros += (_expect_bargain(figure) == 0).sum()
            other = rng.uniform(0, 20)
            w = figure.call("solve", other)
            figure.set(price=other)
            assert figure.get()["w"] == w
            _expect_bargain(figure)
    assert zeros >= 10


@pytest.mark.browser
def test_hand_case_of_the_penalties(opened):
    hand = {"ridge": [1, 1 / 4], "lasso": [3 / 2, 0], "net": [7 / 6, 1 / 6]}
    words = {"ridge": "squares (ridge)", "lasso": "absolute values", "net": "half of each"}
    with opened("penalized_models") as figure:
        for kind, w in hand.items():
            figure.tab.get_by_label(words[kind]).check()
            figure.settle()
            assert figure.get()["w"] == pytest.approx(w, abs=1e-12)


@pytest.mark.browser
def test_price_follows_the_mouse_a_finger_and_the_keys(opened):
    phone = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    with opened("penalized_models") as figure:
        x, y = figure.middle(1)
        figure.tab.mouse.move(x, y)
        figure.tab.mouse.down()
        figure.tab.mouse.move(x + 60, y, steps=4)
        figure.tab.mouse.up()
        figure.settle()
        assert figure.get()["price"] > 6
        _expect_bargain(figure)
        before = figure.get()["price"]
        for key, change in (("ArrowLeft", -0.5), ("+", 0.5), ("-", -0.5)):
            figure.tab.keyboard.press(key)
            figure.settle()
            before += change
            assert figure.get()["price"] == before
        figure.handle(0).focus()
        figure.tab.keyboard.press("Shift+ArrowUp")
        figure.settle()
        assert figure.get()["free"] == [2, 1]
        _expect_bargain(figure)
    with opened("penalized_models", **phone) as figure:
        figure.tab.get_by_role("radio", name="every price").check()
        figure.settle()
        figure.handle(0).scroll_into_view_if_needed()
        x, y = figure.middle(0)
        session = figure.context.new_cdp_session(figure.tab)
        for kind, moved in (("Start", 0), ("Move", 20), ("Move", 40)):
            points = [{"x": x + moved, "y": y}]
            session.send(
                "Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points}
            )
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        figure.settle()
        assert figure.get()["price"] > 5
        _expect_bargain(figure)


# -- logistic regression --------------------------------------------------------------------------


def _expect_curve(figure, x, y):
    """Compare all that the figure shows with LogisticRegression; return the sentence."""
    x, y = np.array(x, dtype=float), np.array(y)
    fit, said = figure.get()["fit"], figure.text(".litlearn-says")
    cells = figure.rows()
    assert [row[1] for row in cells] == [["stable", "decline"][c] for c in y]
    stable, decline = x[y == 0], x[y == 1]
    state = figure.get()
    close = {"rtol": 1e-6, "atol": 1e-6}
    separable = np.ptp(x) > 0 and (
        len(stable) == 0
        or len(decline) == 0
        or stable.max() <= decline.min()
        or decline.max() <= stable.min()
    )
    if len(stable) == 0 or len(decline) == 0:
        assert "All courses are the same" in said
        assert all(row[2:] == ["–", "–"] for row in cells)
        assert not figure.tab.locator(".marks .line").get_attribute("d")
        return said
    if separable or state["own"]:
        # The reader's factor, and the intercept that suits it best.
        assert ("separates the two courses" in said) == separable
        slope = np.log(state["factor"]) * (1 if stable.mean() <= decline.mean() else -1)
        settings = {"bracket": (-200, 200), "xtol": 1e-12}
        declines = lambda b: scipy.special.expit(b + slope * x).sum() - y.sum()  # noqa: E731
        intercept = scipy.optimize.root_scalar(declines, **settings).root
    else:
        model = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000).fit(x[:, None], y)
        slope, intercept = model.coef_[0, 0], model.intercept_[0]
    np.testing.assert_allclose(fit["slope"], slope, **close)
    np.testing.assert_allclose(fit["intercept"], intercept, **close)
    probability = scipy.special.expit(intercept + slope * x)
    happened = np.where(y == 1, probability, 1 - probability)
    np.testing.assert_allclose(fit["probability"], probability, **close)
    np.testing.assert_allclose(fit["likelihood"], happened.prod(), **close)
    shown = [[float(row[2]), float(row[3])] for row in cells]
    np.testing.assert_allclose(shown, np.column_stack([probability, happened]), atol=0.00501)
    if np.ptp(x) == 0:
        assert "nothing can be said" in said
        return said
    told = re.search(r"happened is ([\d.]+), and the deviance ([\d.]*\d)", said)
    assert float(told[1]) == pytest.approx(happened.prod(), abs=0.0000501)
    deviance = -2 * np.log(happened).sum()  # eq-logistic-deviance
    assert float(told[2]) == pytest.approx(deviance, abs=0.00501)
    if not separable:
        factor = float(re.search(r"decline by ([\d.]*\d)", said)[1])
        assert factor == pytest.approx(np.exp(slope), abs=0.00501)
    return said


@pytest.mark.browser
def test_curve_agrees_with_the_module_in_random_states(opened):
    """Whole words and others; courses that words separate; one course; one number of words."""
    rng = np.random.default_rng(8)
    kinds = {"separates": 0, "same": 0, "nothing": 0, "multiplies": 0}
    with opened("logistic_regression") as figure:
        for state in range(60):
            x, y = rng.integers(0, 6, 6).astype(float), rng.integers(0, 2, 6)
            if state % 3 == 2:
                x = rng.uniform(0, 5, 6)
            if state % 10 == 4:
                y[:] = y[0]
            if state % 10 == 6:
                x[:], y[:3] = np.round(x[0]), [0, 1, 1]
            if state % 10 == 8:
                y = (x > 2).astype(int)
            own = state >= 40 and state % 2 == 0
            factor = float(rng.choice(figure_data.logistic_regression()["factors"]))
            figure.set(x=x.tolist(), y=y.tolist(), own=own, factor=factor)
            said = _expect_curve(figure, x, y)
            for kind in kinds:
                kinds[kind] += kind in said
    assert min(kinds.values()) >= 3 and kinds["multiplies"] >= 20


@pytest.mark.browser
def test_factor_new_patient_and_threshold(opened):
    """The likelihoods that the chapter finds by hand; odds; who is misjudged at a threshold."""
    with opened(Place("logistic_regression", "factor", None, "")) as figure:
        slider, found = figure.tab.get_by_label("Your factor"), {}
        factors = figure_data.logistic_regression()["factors"]
        for factor in (1, 2, 3):
            slider.fill(str(factors.index(factor)))
            figure.settle()
            assert figure.get()["factor"] == factor
            found[factor] = round(figure.get()["fit"]["likelihood"], 4)
        assert found == {1: 0.0156, 2: 0.0316, 3: 0.0285}
    rng = np.random.default_rng(9)
    with opened(Place("logistic_regression", "coefficient", None, "")) as figure:
        for query in range(6):
            figure.set(query=query)
            fit = figure.get()["fit"]
            odds = np.exp(fit["intercept"] + fit["slope"] * query)
            told = re.search(
                r"odds are ([\d.]+), a probability of ([\d.]*\d)", figure.text(".litlearn-says")
            )
            assert [float(one) for one in told.groups()] == pytest.approx(
                [odds, odds / (1 + odds)], abs=0.00501
            )
    with opened(Place("logistic_regression", "threshold", None, "")) as figure:
        for _ in range(20):
            threshold = round(0.05 * int(rng.integers(1, 20)), 2)
            figure.set(y=rng.permutation([0, 0, 0, 1, 1, 1]).tolist(), threshold=threshold)
            state = figure.get()
            y, declines = np.array(state["y"]), np.array(state["fit"]["probability"]) >= threshold
            said = figure.text(".litlearn-says").partition("The threshold")[2]
            if state["fit"]["why"]:
                continue
            missed, alarms = re.search(
                r"misses (.*), and gives a false alarm for (.*)\.", said
            ).groups()
            for who, wrong in ((missed, (y == 1) & ~declines), (alarms, (y == 0) & declines)):
                assert [int(i) for i in re.findall(r"\d", who)] == (
                    np.flatnonzero(wrong) + 1
                ).tolist()
            assert figure.tab.locator(".marks circle").count() == (declines != (y == 1)).sum()


@pytest.mark.browser
def test_mouse_changes_words_and_course(opened):
    with opened("logistic_regression") as figure:
        one_word = figure.middle(1)[0] - figure.middle(0)[0]  # patients 1 and 2: 1 and 2 words
        up = figure.middle(2)[1] - figure.middle(1)[1]  # patients 2 and 3: stable and decline
        x, y = figure.middle(0)
        figure.tab.mouse.move(x, y)
        figure.tab.mouse.down()
        figure.tab.mouse.move(x - one_word, y + 0.7 * up, steps=5)
        figure.tab.mouse.up()
        figure.settle()
        state = figure.get()
        assert state["x"] == [0, 2, 2, 4, 4, 5]
        assert state["y"] == [1, 0, 1, 0, 1, 1]
        _expect_curve(figure, state["x"], state["y"])


# -- inference for logistic regression ------------------------------------------------------------


def _deviance(w, x, y):
    """The deviance at a coefficient, with the intercept that suits it best."""
    declines = lambda b: scipy.special.expit(b + w * x).sum() - y.sum()  # noqa: E731
    b = scipy.optimize.root_scalar(declines, bracket=(-400, 400), xtol=1e-13).root
    return 2 * np.logaddexp(0, np.where(y == 1, -1, 1) * (b + w * x)).sum()


@pytest.mark.browser
def test_intervals_of_the_factor_agree_with_the_module(opened):
    """The deviance, its interval, and that of the standard error, of copies of the six patients."""
    data, rng = figure_data.logistic_inference(), np.random.default_rng(12)
    close = {"rtol": 1e-6, "atol": 1e-6}
    with opened("logistic_inference") as figure:
        for state in range(24):
            copies, declines = int(rng.integers(1, data["most"] + 1)), state % 3 == 2
            factor = float(rng.choice(data["factors"]))
            figure.set(copies=copies, declines=declines, factor=factor)
            shown, said = figure.get(), figure.text(".litlearn-says")
            x = np.repeat(np.array(data["x"], dtype=float), copies)
            y = np.array(data["y"])
            y[data["changed"]] |= declines
            y = np.repeat(y, copies)
            fit, rows = shown["fit"], figure.rows()
            if declines:
                # Only the two patients with two words stay uncertain, with one half each.
                lowest, assumed = 4 * copies * np.log(2), 40.0
                assert fit["best"] is None and fit["high"] is None and fit["se"] is None
                assert "no upper end" in said and rows[1][1:] == ["none", "none"]
            else:
                model = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000).fit(x[:, None], y)
                assumed = model.coef_[0, 0]
                lowest = _deviance(assumed, x, y)
                P = model.predict_proba(x[:, None])[:, 1]
                A = np.column_stack([np.ones(len(x)), x])
                se = np.sqrt(np.linalg.inv(A.T @ (A * (P * (1 - P))[:, None]))[1, 1])
                np.testing.assert_allclose([fit["best"], fit["se"]], [assumed, se], **close)
                ends = np.exp(assumed + np.array([-1, 1]) * scipy.stats.norm.ppf(0.975) * se)
                for cell, end in zip(rows[1][1:], ends, strict=True):
                    assert float(cell) == pytest.approx(end, abs=0.00501 if end < 10 else 0.0501)
                high = fit["high"]
                assert _deviance(high, x, y) - lowest == pytest.approx(data["limit"], abs=1e-6)
            assert _deviance(fit["low"], x, y) - lowest == pytest.approx(data["limit"], abs=1e-6)
            assert fit["low"] < assumed
            grid = [_deviance(w, x, y) - lowest for w in np.arange(-1, 4.5, 0.5)]
            np.testing.assert_allclose(shown["curve"], grid, rtol=1e-6, atol=1e-6)
            above = _deviance(np.log(factor), x, y) - lowest
            assert fit["above"] == pytest.approx(above, abs=1e-6)
            assert ("inside" in said) == (above <= data["limit"])


# -- support vector machines ----------------------------------------------------------------------


def _expect_band(figure, state, unique):
    """Compare all that the figure shows with SVC; return the sentence."""
    data = figure_data.support_vector_machines()
    label = np.array(state.get("y", data["y"]))
    unit = np.array([10.0 if state.get("tenths") else 1.0, 1.0])
    X = np.array(state["X"], dtype=float) * unit
    sign = 2 * label - 1
    settings = {key: state[key] for key in ("C", "kernel", "gamma")}
    module = SVC(tol=1e-9, **settings).fit(X, label)
    alpha = np.zeros(len(X))
    alpha[module.support_] = np.abs(module.dual_coef_[0])
    score = sign * module.decision_function(X)

    figure.set(**state)
    shown = figure.get()
    found, close = shown["model"], {"rtol": 1e-6, "atol": 1e-6}
    np.testing.assert_allclose(found["intercept"], module.intercept_[0], **close)
    np.testing.assert_allclose(found["score"], score, **close)
    query = np.array(state["query"]) * unit
    np.testing.assert_allclose(shown["f"], module.decision_function([query])[0], **close)
    if unique:
        np.testing.assert_allclose(found["alpha"], alpha, **close)
        assert np.flatnonzero(found["support"]).tolist() == module.support_.tolist()
    points = np.random.default_rng(0).uniform(0, 10, (5, 2))
    values = figure.each("f", points.tolist())
    np.testing.assert_allclose(values, module.decision_function(points * unit), **close)

    rows = figure.rows()
    assert [row[0] for row in rows] == [str(i + 1) for i in range(len(X))]
    assert [row[1] for row in rows] == [data["classes"][c]["name"] for c in label]
    np.testing.assert_allclose([_number(row[2]) for row in rows], score, atol=0.00501)
    np.testing.assert_allclose([_number(row[3]) for row in rows], found["alpha"], atol=0.000501)
    sure = np.abs(score - 1) > 1e-5
    places = np.where(score > 1, "outside", np.where(score > 0, "inside", "wrong side"))
    assert all(row[4] == place for row, place, s in zip(rows, places, sure, strict=True) if s)
    chosen = [row[0] for row, a in zip(rows, found["support"], strict=True) if a]
    assert figure.tab.locator(".marks circle").count() == len(chosen)
    assert figure.tab.locator(".litlearn-table .in").count() == len(chosen)
    said = figure.text(".litlearn-says")
    assert re.findall(r"\d+", said.split(".")[0]) == chosen
    told = _number(re.search(r"f is (−?[\d.]*\d)", said)[1])
    assert told == pytest.approx(shown["f"], abs=0.00501)
    place = f"“{data['classes'][int(shown['f'] > 0)]['name']}”" if told else "on the border"
    assert place in said
    if state["kernel"] == "linear" and not state.get("tenths"):
        width = float(re.search(r"band is ([\d.]*\d) wide", said)[1])
        assert width == pytest.approx(2 / np.linalg.norm(module.coef_), abs=0.00501)
    return said


@pytest.mark.browser
def test_band_agrees_with_the_module_in_random_states(opened):
    """Both kernels, prices from small to large; whole words, on which weights may not be unique."""
    rng = np.random.default_rng(17)
    seen = {"inside the band": 0, "“well”": 0, "“ill”": 0}
    with opened("support_vector_machines") as figure:
        for state in range(32):
            whole = state % 4 == 3
            draw = (lambda n: rng.integers(0, 11, (n, 2)).astype(float)) if whole else (
                lambda n: rng.uniform(0, 10, (n, 2)))  # fmt: skip
            X = draw(6)
            if state % 3 == 0:  # groups that lie apart
                X[:3], X[3:] = 0.4 * X[:3], 6 + 0.4 * X[3:]
            now = {
                "X": X.tolist(),
                "query": draw(1)[0].tolist(),
                "kernel": ["linear", "rbf"][state % 2],
                "C": float(10 ** rng.uniform(-2.5, 1)),
                "gamma": float(10 ** rng.uniform(-2, 0.3)),
            }
            said = _expect_band(figure, now, unique=not whole)
            for part in seen:
                seen[part] += part in said
    assert min(seen.values()) >= 5


@pytest.mark.browser
def test_band_agrees_with_the_module_in_tenths_and_around_a_ring(opened):
    """Words in tenths, with both kernels; ten patients, four of them surrounded by the others."""
    rng = np.random.default_rng(19)
    with opened(Place("support_vector_machines", "units", None, "")) as figure:
        for number in range(20):
            X = rng.uniform(0, 10, (6, 2))
            X[3:] += (number % 2) * 4
            curved = number // 2 % 2
            now = {
                "X": X.clip(0, 10).tolist(),
                "query": rng.uniform(0, 10, 2).tolist(),
                "kernel": ["linear", "rbf"][curved],
                "C": float(10 ** rng.uniform(-2.5, -1) * (30 if curved else 1)),
                "gamma": float(10 ** rng.uniform(-4, -2)),
                "tenths": True,
            }
            _expect_band(figure, now, unique=True)
    ring = figure_data.support_vector_machines_states()["ring"]
    with opened(Place("support_vector_machines", "ring", None, "")) as figure:
        for _ in range(20):
            X = np.clip(np.array(ring["X"]) + rng.normal(0, 1, (10, 2)), 0, 10)
            now = {
                "X": X.tolist(),
                "y": ring["y"],
                "query": rng.uniform(0, 10, 2).tolist(),
                "kernel": "rbf",
                "C": float(10 ** rng.uniform(-1, 2)),
                "gamma": float(10 ** rng.uniform(-2, 0)),
            }
            _expect_band(figure, now, unique=True)


@pytest.mark.browser
def test_forces_sum_to_zero(opened):
    """Each arrow starts at a support vector, at a right angle to the border, and they cancel, as in
    eq-svm-stationary. Their lengths are the weights of the module."""
    rng = np.random.default_rng(20)
    ends_of = """all => all.map(one =>
      one.getAttribute("d").match(/-?[\\d.]+(e-?\\d+)?/g).slice(0, 4).map(Number))"""
    with opened(Place("support_vector_machines", "forces", None, "")) as figure:
        y = np.array(figure_data.support_vector_machines()["y"])
        for _ in range(20):
            X = rng.uniform(0, 10, (6, 2))
            X[y == 1] = (X[y == 1] + 3).clip(0, 10)
            figure.set(X=X.tolist(), C=float(10 ** rng.uniform(-2, 0)), query=[1, 1])
            state = figure.get()
            model = SVC(kernel="linear", C=state["C"], tol=1e-9).fit(X, y)
            if np.linalg.norm(model.coef_) < 1e-6:
                continue
            ends = np.array(figure.tab.locator(".force").evaluate_all(ends_of)).reshape(-1, 2, 2)
            arrows = ends[:, 1] - ends[:, 0]
            alpha = np.abs(model.dual_coef_[0])
            assert len(arrows) == len(alpha)
            lengths = np.hypot(*arrows.T)
            np.testing.assert_allclose(lengths, 52 * alpha / alpha.max(), rtol=1e-4, atol=1e-3)
            np.testing.assert_allclose(arrows.sum(axis=0), 0, atol=1e-2)
            along = arrows * [1, -1] @ [model.coef_[0][1], -model.coef_[0][0]]
            np.testing.assert_allclose(along, 0, atol=1e-2 * np.linalg.norm(model.coef_))
            said = figure.text(".litlearn-says")
            sides = [
                sum(map(float, side.split(" + ")))
                for side in re.findall(r"with ([\d. +]*\d)", said)
            ]
            assert sides[0] == pytest.approx(sides[1], abs=5e-4)


@pytest.mark.browser
def test_band_of_the_chapter_and_what_moves_it(opened):
    """The hand case: a band 5 wide on patients 1 and 4; patient 3 is free to move outside it."""
    with opened("support_vector_machines") as figure:
        model = figure.get()["model"]
        assert model["alpha"] == pytest.approx([0.08, 0, 0, 0.08, 0, 0], abs=1e-9)
        assert figure.get()["f"] == pytest.approx(0.28)
        assert "The band is 5 wide." in figure.text(".litlearn-says")
        step = (figure.middle(5)[0] - figure.middle(4)[0]) / 3  # patients 4 and 5: 5 and 8 words
        for words, at, moves in ((-1, 3, False), (3, 6, True)):
            x, y = figure.middle(3)
            figure.tab.mouse.move(x, y)
            figure.tab.mouse.down()
            figure.tab.mouse.move(x + words * step, y, steps=5)
            figure.tab.mouse.up()
            figure.settle()
            state = figure.get()
            assert state["X"][2] == [at, 0]
            assert (abs(state["f"] - 0.28) > 1e-6) == moves
            del state["model"], state["f"]
            _expect_band(figure, state, unique=True)


@pytest.mark.browser
def test_price_kernel_and_gamma_by_control_and_key(opened):
    with opened("support_vector_machines") as figure:
        slider = figure.tab.get_by_label("Price C")
        slider.focus()
        for key, C in (("Home", 0.001), ("End", 100), ("ArrowLeft", 79.4)):
            figure.tab.keyboard.press(key)
            figure.settle()
            assert figure.get()["C"] == C
        figure.tab.get_by_label("Gaussian, with γ").check()
        figure.settle()  # only then can γ be reached
        figure.tab.get_by_label("Kernel γ").focus()
        figure.tab.keyboard.press("End")
        figure.settle()
        state = figure.get()
        assert (state["kernel"], state["gamma"]) == ("rbf", 3.16)
        del state["model"], state["f"]
        _expect_band(figure, state, unique=True)
        figure.handle(1).focus()
        figure.tab.keyboard.press("k")
        figure.settle()
        assert figure.get()["kernel"] == "linear"


# -- several classes ------------------------------------------------------------------------------


def _strategies(centres):
    """The three strategies around LogisticRegression, fitted to the patients of the figure."""
    data = figure_data.multiclass()
    y = np.array(data["y"])
    X = np.array(centres)[y] + np.array(data["offsets"])
    settings = {"tol": 1e-12, "max_iter": 1000}
    return {
        "rest": OneVsRestClassifier(LogisticRegression(**settings)).fit(X, y),
        "pair": OneVsOneClassifier(LogisticRegression(**settings)).fit(X, y),
        "softmax": LogisticRegression(**settings).fit(X, y),
    }


def _expect_strategies(figure, centres, query, places):
    """Compare coefficients, scores at places, the table and the sentence; return the sentence."""
    models, fits = _strategies(centres), figure.get()["fits"]
    close = {"rtol": 1e-6, "atol": 1e-6}
    for name in ("rest", "pair"):
        for shown, one in zip(fits[name], models[name].estimators_, strict=True):
            np.testing.assert_allclose(shown, [one.intercept_[0], *one.coef_[0]], **close)
    soft = models["softmax"]
    np.testing.assert_allclose(
        fits["softmax"], np.column_stack([soft.intercept_, soft.coef_]), **close
    )
    tables = {
        name: model.predict_proba if name == "softmax" else model.decision_function
        for name, model in models.items()
    }
    for name, table in tables.items():
        for place in [query, *places]:
            vote, told = figure.call("vote", name, place), table([place])[0]
            np.testing.assert_allclose(vote["told"], told, **close)
            ends = np.sort(told)
            if ends[-1] - ends[-2] > 1e-5:
                assert vote["winner"] == models[name].predict([place])[0]

    rest, pair, prob = (table([query])[0] for table in tables.values())
    votes = np.rint(pair)
    for k, cells in enumerate(figure.rows()):
        assert _number(cells[1]) == pytest.approx(rest[k], abs=0.00501)
        assert int(cells[2]) == votes[k]
        assert _number(cells[3]) == pytest.approx(prob[k], abs=0.00501)
    said = figure.text(".litlearn-says")
    names = [c["name"] for c in figure_data.multiclass()["classes"]]
    claims = [
        "no classifier claims",
        "one classifier claims",
        "two classifiers claim",
        "all three claim",
    ]
    assert claims[int((rest > 0).sum())] in said
    assert ("every class has one vote" in said) == (votes.max() == 1)
    sure = True
    for strategy, told in {"One-vs-rest": rest, "One-vs-one": pair, "Softmax": prob}.items():
        ends = np.sort(told)
        if ends[-1] - ends[-2] > 1e-5:  # else rounding decides
            assert f"{strategy} says “{names[told.argmax()]}”" in said
        else:
            sure = False
    answers = {told.argmax() for told in (rest, pair, prob)}
    assert not sure or ("All three answers are different" in said) == (len(answers) == 3)
    return said


@pytest.mark.browser
def test_strategies_agree_with_the_module_in_random_states(opened):
    """Classes anywhere, in a row, and at one place; ties and places that nobody claims occur."""
    rng = np.random.default_rng(12)
    kinds = dict.fromkeys(["one vote", "no classifier claims", "two classifiers claim"], 0)
    with opened("multiclass") as figure:
        for state in range(30):
            centres = rng.uniform((2, 1), (8, 9), (3, 2))
            if state % 5 == 1:
                centres = np.round(2 * centres) / 2
            if state % 5 == 2:
                centres[1] = centres[[0, 2]].mean(axis=0)
            if state == 13:
                centres[:] = centres[0]
            centres = centres.tolist()
            places = rng.uniform(0, 10, (4, 2)).tolist()
            query = rng.uniform((2, 1), (8, 9)).tolist()
            if state % 3 == 0:  # where the votes tie, if there is such a place
                grid = rng.uniform((2, 1), (8, 9), (2000, 2))
                votes = np.rint(_strategies(centres)["pair"].decision_function(grid))
                ties = grid[(votes == 1).all(axis=1)]
                query = ties[0].tolist() if len(ties) else query
            figure.set(centres=centres, query=query)
            said = _expect_strategies(figure, centres, query, places)
            for kind in kinds:
                kinds[kind] += kind in said
    assert min(kinds.values()) >= 2


@pytest.mark.browser
def test_strategies_of_the_chapter_disagree(opened):
    """The first state is the pencil's: control against the rest, disease A by votes."""
    with opened("multiclass") as figure:
        said = figure.text(".litlearn-says")
        assert "One-vs-rest says “control”, because no classifier claims" in said
        assert "One-vs-one says “disease A”, by two votes of three" in said


@pytest.mark.browser
def test_the_map_of_classes_shows_one_strategy_or_one_classifier(opened):
    """What is chosen, at random places, as the module's estimator of that name decides."""
    rng = np.random.default_rng(13)
    with opened("multiclass") as figure:
        for _ in range(20):
            centres = rng.uniform((2, 1), (8, 9), (3, 2)).tolist()
            models = _strategies(centres)
            strategy = ["rest", "pair", "softmax"][int(rng.integers(3))]
            single = int(rng.integers(-1, 3))
            figure.set(centres=centres, strategy=strategy, single=single)
            places = rng.uniform(0, 10, (10, 2))
            shown = [one["winner"] for one in figure.each("shown", places.tolist())]
            if single < 0 or strategy == "softmax":
                expected = models[strategy].predict(places)
            else:
                positive = models[strategy].estimators_[single].decision_function(places) > 0
                first, second = [(0, 1), (0, 2), (1, 2)][single]
                names = (single, 3) if strategy == "rest" else (second, first)
                expected = np.where(positive, *names)
            assert shown == expected.tolist()
            lines = figure.tab.locator(".marks .before").count()
            assert lines == (0 if strategy == "softmax" else 3 if single < 0 else 1)
        figure.tab.get_by_label("one-vs-one").check()
        figure.tab.get_by_label("control or disease B").check()
        figure.settle()
        assert (figure.get()["strategy"], figure.get()["single"]) == ("pair", 1)


@pytest.mark.browser
def test_mouse_moves_a_class(opened):
    """The patients follow their class."""
    with opened("multiclass", viewport=WIDE) as figure:
        assert figure.tab.locator(".litlearn-plot").count() == 1
        for number in (1, 2, 3):
            before = np.array(figure.get()["centres"])
            x, y = figure.middle(number)
            figure.tab.mouse.move(x, y)
            figure.tab.mouse.down()
            figure.tab.mouse.move(x + 30, y + (40 if number == 1 else -40), steps=5)
            figure.tab.mouse.up()
            figure.settle()
            state = figure.get()
            moved = np.abs(np.array(state["centres"]) - before).sum(axis=1)
            assert moved.argmax() == number - 1 and np.count_nonzero(moved) == 1
            _expect_strategies(figure, state["centres"], state["query"], [])


# -- normal distributions -------------------------------------------------------------------------


def _samples_of(means, covariances):
    """Four samples a class whose moments of maximum likelihood are exactly the given ones."""
    rows = []
    for mean, covariance in zip(means, covariances, strict=True):
        arms = np.sqrt(2.0) * np.linalg.cholesky(covariance).T
        rows += [mean + sign * arm for arm in arms for sign in (-1, 1)]
    return np.array(rows), np.repeat([0, 1], 4)


def _expect_normal(figure, state):
    """Compare the figure with the module's models of the same moments; return the sentence."""
    shown = figure.get()
    priors = np.array([1 - state["prior"], state["prior"]])
    means, rims = np.array(state["means"]), np.array(state["rims"])
    owned = np.einsum("cri,crj->cij", rims, rims) / 4
    used = state["own"] * owned + (1 - state["own"]) * np.einsum("c,cij->ij", priors, owned)
    if not state["correlated"]:
        used *= np.eye(2)
    upper = np.array([[one[0, 0], one[0, 1], one[1, 1]] for one in used])
    close = {"rtol": 1e-6, "atol": 1e-6}
    np.testing.assert_allclose(shown["covariances"], upper, **close)

    models = [QuadraticDiscriminantAnalysis(priors=priors).fit(*_samples_of(means, used))]
    if state["own"] == 0 and state["correlated"]:
        model = LinearDiscriminantAnalysis(solver="lsqr", priors=priors)
        models.append(model.fit(*_samples_of(means, owned)))
    if state["own"] == 1 and not state["correlated"]:
        model = GaussianNB(priors=priors, var_smoothing=0.0)
        models.append(model.fit(*_samples_of(means, owned)))
    for model in models:
        probability = model.predict_proba([state["query"]])[0]
        np.testing.assert_allclose(shown["found"]["share"], probability, **close)
    np.testing.assert_allclose(
        shown["found"]["scores"][1] - shown["found"]["scores"][0],
        models[0].decision_function([state["query"]])[0],
        **close,
    )
    cells = figure.rows()
    assert [row[0] for row in cells] == ["well", "ill"]
    told = [float(row[4].replace("\u2212", "-")) for row in cells]
    np.testing.assert_allclose(told, probability, atol=0.00501)
    said = figure.text(".litlearn-says")
    assert float(re.search(r"is ill is ([\d.]*\d)", said)[1]) == pytest.approx(told[1])
    assert ("straight" in said) == np.allclose(used[0], used[1], rtol=0, atol=1e-9)
    return said, len(models)


@pytest.mark.browser
def test_normal_distributions_agree_with_the_module_in_random_states(opened):
    """Shared, own and mixed covariances, with and without correlations."""
    rng = np.random.default_rng(5)
    twice, names = 0, set()
    with opened("normal_distributions") as figure:
        for number in range(40):
            state = {
                "means": rng.uniform(4, 10, (2, 2)).tolist(),
                "rims": (
                    rng.uniform(1, 3, (2, 2, 1)) * (np.eye(2) + rng.uniform(-0.3, 0.9))
                ).tolist(),
                "query": rng.uniform(2, 10, 2).tolist(),
                "own": [0, 1, 0, 1, round(rng.uniform(), 2)][number % 5],
                "prior": round(rng.uniform(0.05, 0.95), 2),
                "correlated": number % 4 < 2,
            }
            figure.set(**state)
            said, count = _expect_normal(figure, state)
            twice += count == 2
            names.add(said.split(":")[0])
    assert twice >= 10 and len(names) == 4


@pytest.mark.browser
def test_mouse_and_slider_bend_the_border(opened):
    """What the mouse does to a rim and a centre, and the keys to a share."""
    with opened("normal_distributions") as figure:
        first = figure.get()
        assert first["found"]["share"][1] == pytest.approx(0.9421481, abs=1e-6)  # by hand
        for number in (2, 6):  # centre and second rim of "ill"
            x, y = figure.middle(number)
            figure.tab.mouse.move(x, y)
            figure.tab.mouse.down()
            figure.tab.mouse.move(x - 40, y + 30, steps=5)
            figure.tab.mouse.up()
            figure.settle()
        moved = figure.get()
        assert moved["means"][1] != first["means"][1] and moved["means"][0] == first["means"][0]
        assert moved["rims"][1][1] != first["rims"][1][1]
        assert moved["rims"][1][0] == first["rims"][1][0]
        slider = figure.tab.get_by_label("Own covariances")
        slider.focus()
        figure.tab.keyboard.press("Home")
        figure.settle()
        state = figure.get()
        assert state["own"] == 0 and "straight" in figure.text(".litlearn-says")
        _expect_normal(figure, state)
        figure.tab.get_by_label("ignored").check()
        figure.settle()
        _expect_normal(figure, figure.get())


@pytest.mark.browser
def test_ellipses_are_estimated_from_the_people(opened):
    """The six of the chapter have the ellipses that are drawn; other people have their own."""
    rng = np.random.default_rng(6)
    data = figure_data.normal_distributions()
    with opened("normal_distributions") as figure:
        groups = [np.array(data["rims"][c]).T @ np.array(data["people"][c]).T / 2 for c in (0, 1)]
        X, y = figure_data.of_chapter("normal_distributions", "X_six", "y_six")
        for c, label in enumerate(sorted(set(y))):
            six = [x for x, one in zip(X, y, strict=True) if one == label]
            np.testing.assert_allclose(groups[c].T + data["means"][c], six, atol=1e-9)
        assert figure.tab.locator(".marks .mark").count() == 6
    with opened(Place("normal_distributions", "few", ("people",), "")) as figure:
        for _ in range(20):
            people, prior = rng.normal(size=(2, 6, 2)), round(rng.uniform(0.05, 0.95), 2)
            query = rng.uniform(2, 10, 2)
            figure.set(people=people.tolist(), prior=prior, query=query.tolist())
            shown = figure.get()
            arms = [np.array(shown["rims"][c]) / 2 for c in (0, 1)]
            X = np.vstack([people[c] @ arms[c] + shown["means"][c] for c in (0, 1)])
            model = QuadraticDiscriminantAnalysis(priors=[1 - prior, prior]).fit(
                X, [0] * 6 + [1] * 6
            )
            share = model.predict_proba([query])[0]
            # The module divides by n - 1, the figure by n as the chapter does.
            used = [np.cov(X[6 * c : 6 * c + 6].T, bias=True) for c in (0, 1)]
            upper = [[one[0, 0], one[0, 1], one[1, 1]] for one in used]
            np.testing.assert_allclose(shown["covariances"], upper, rtol=1e-6, atol=1e-6)
            np.testing.assert_allclose(shown["found"]["share"], share, rtol=1e-6, atol=1e-6)
        before = figure.get()["people"]
        for number in (1, 2):
            figure.tab.get_by_role("button", name="Other people").click()
            figure.settle()
            assert figure.get()["people"] != before
            assert figure.tab.locator(".ghost").count() == 2 * number


@pytest.mark.browser
def test_a_centre_slides_along_the_frame(opened):
    """Where a rim meets the frame, the other coordinate still follows."""
    with opened("normal_distributions") as figure:
        figure.handle(1).focus()
        first = figure.get()["means"][0]
        for _ in range(8):
            figure.tab.keyboard.press("Shift+ArrowLeft")
        figure.settle()
        stuck = figure.get()["means"][0]
        rims = np.array(figure.get()["rims"][0])
        assert stuck[0] + min(0, *rims[:, 0]) == pytest.approx(0)
        x, y = figure.middle(1)
        figure.tab.mouse.move(x, y)
        figure.tab.mouse.down()
        figure.tab.mouse.move(x - 60, y - 40, steps=4)
        figure.tab.mouse.up()
        figure.settle()
        slid = figure.get()["means"][0]
        assert slid[0] == stuck[0] != first[0] and slid[1] > stuck[1] + 0.5


# -- k-means --------------------------------------------------------------------------------------


def _expect_groups(figure, X, labels, centres):
    """Compare what the figure shows with these groups and centres; return the inertia."""
    shown = figure.get()
    inertia = np.sum((X - centres[labels]) ** 2)
    assert shown["labels"] == labels.tolist()
    np.testing.assert_allclose(shown["centres"], centres, rtol=0, atol=1e-6)
    assert shown["inertia"] == pytest.approx(inertia, abs=1e-6)
    said = figure.text(".litlearn-says")
    assert float(re.search(r"Inertia ([\d.]*\d)\.", said)[1]) == pytest.approx(inertia, abs=0.00501)
    assert [int(row[1]) for row in figure.rows()] == [int(np.sum(labels == c)) for c in (0, 1)]
    assert ("At rest" in said) == shown["resting"]
    return inertia


@pytest.mark.browser
def test_k_means_agrees_with_the_module_in_random_states(opened):
    """One round, and then to the end, from 30 random places; the inertia never rises."""
    rng = np.random.default_rng(8)
    rounds = []
    with opened("k_means") as figure:
        for number in range(30):
            X, start = rng.uniform(0, 10, (6, 2)), rng.uniform(0, 10, (2, 2))
            if number % 10 == 0:  # nobody is nearest to the second centre
                X, start = X / 2, np.array([[2.5, 2.5], [10.0, 10.0]])
            figure.set(X=X.tolist(), centres=start.tolist(), labels=[0] * 6, next=0)
            setting = {"init": start, "n_init": 1, "tol": 0}
            for _ in range(3):
                figure.call("step")
                figure.settle()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                one = KMeans(2, max_iter=1, **setting).fit(X)
                end = KMeans(2, **setting).fit(X)
            inertia = _expect_groups(figure, X, one.labels_, one.cluster_centers_)
            assert inertia == pytest.approx(one.inertia_, abs=1e-6)
            steps = 0
            while not figure.get()["resting"]:
                before = figure.get()["inertia"]
                figure.call("step")
                figure.settle()
                assert figure.get()["inertia"] <= before + 1e-9
                steps += 1
            assert steps < 30
            rounds.append(steps)
            _expect_groups(figure, X, end.labels_, end.cluster_centers_)
    assert max(rounds) >= 3


@pytest.mark.browser
def test_k_means_with_other_numbers_of_centres(opened):
    """One, two or three centres, to rest; the lowest inertia is that of all divisions."""
    rng = np.random.default_rng(9)
    divisions = {1: 1, 2: 31, 3: 90}
    seen = set()
    with opened(Place("k_means", "three", ("k", "people", "centres", "table"), "")) as figure:
        for number in range(21):
            k = 1 + number % 3
            X = rng.integers(0, 11, (6, 2)).astype(float)
            start = rng.choice(X, k, replace=False) + rng.uniform(-0.4, 0.4, (k, 2))
            figure.set(X=X.tolist(), centres=start.tolist(), labels=[0] * 6, next=0)
            while not figure.get()["resting"]:
                figure.call("step")
                figure.settle()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                end = KMeans(k, init=start, n_init=1, tol=0).fit(X)
            shown = figure.get()
            assert shown["inertia"] == pytest.approx(end.inertia_, abs=1e-6)
            labels = [np.array(np.unravel_index(i, (k,) * 6)) for i in range(k**6)]
            inertias = [
                sum(((X[one == c] - X[one == c].mean(axis=0)) ** 2).sum() for c in range(k))
                for one in labels
                if len(set(one)) == k
            ]
            told = re.search(
                r"lowest inertia of all (\d+) .* is ([\d.]*\d)\.", figure.text(".litlearn-says")
            )
            assert int(told[1]) == divisions[k]
            assert float(told[2]) == pytest.approx(min(inertias), abs=0.00501)
            seen.add(shown["inertia"] > min(inertias) + 1e-6)
        for k in (3, 1, 2):
            figure.tab.get_by_label("Number of centres").fill(str(k))
            figure.settle()
            assert figure.handles.count() == 6 + k and len(figure.rows()) == k
    assert seen == {True, False}


@pytest.mark.browser
def test_the_six_people_of_the_chapter_step_by_step(opened):
    """The inertias that the chapter finds by hand; by the button and by a key."""
    with opened("k_means", reduced_motion="reduce") as figure:
        found = [figure.get()["inertia"]]
        for number in range(5):
            if number % 2:
                figure.handle(0).focus()
                figure.tab.keyboard.press("n")
            else:
                figure.tab.get_by_role("button", name="Next step").click()
            figure.settle()
            figure.settle()
            found.append(figure.get()["inertia"])
        assert found == pytest.approx([228, 68, 41, 30.5, 23.75, 14])
        said = figure.text(".litlearn-says")
        assert (
            "At rest" in said and "lowest inertia of all 31 divisions into 2 groups is 14." in said
        )
        x, y = figure.middle(2)  # person 1 is dragged; the groups stay as they are
        figure.tab.mouse.move(x, y)
        figure.tab.mouse.down()
        figure.tab.mouse.move(x + 60, y - 60, steps=5)
        figure.tab.mouse.up()
        figure.settle()
        after = figure.get()
        assert after["X"][0] != [0, 2] and after["X"][1:] == figure_data.k_means()["X"][1:]
        assert after["next"] == 0 and not after["resting"]


# -- gaussian mixtures ----------------------------------------------------------------------------


def _mixture(state, rounds, reg_covar=0.0):
    """The module's mixture after some rounds of EM from a state of the figure."""
    rims = np.array(state["rims"])
    model = GaussianMixture(
        2,
        max_iter=rounds,
        tol=0.0,
        reg_covar=reg_covar,
        weights_init=[1 - state["weight"], state["weight"]],
        means_init=state["means"],
        precisions_init=np.linalg.inv(np.einsum("cri,crj->cij", rims, rims)),
    )
    X = np.array(figure_data.gaussian_mixtures()["X"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no convergence is asked for
        return model.fit(X), X


def _expect_mixture(shown, model, X):
    close = {"rtol": 1e-6, "atol": 1e-6}
    covariances = [[one[0, 0], one[0, 1], one[1, 1]] for one in model.covariances_]
    np.testing.assert_allclose(shown["means"], model.means_, **close)
    np.testing.assert_allclose(shown["covariances"], covariances, **close)
    np.testing.assert_allclose(shown["weight"], model.weights_[1], **close)
    np.testing.assert_allclose(shown["measured"][1], model.score(X), **close)


@pytest.mark.browser
def test_gaussian_mixtures_agree_with_the_module_in_random_states(opened):
    """Bound and likelihood, the E step, the M step, and ten rounds."""
    rng = np.random.default_rng(8)
    with opened("gaussian_mixtures") as figure:
        for number in range(24):
            turn = np.array([[1, 0], [rng.uniform(-0.03, 0.03), 1]])
            state = {
                "means": rng.uniform([58, 2.4], [80, 3.6], (2, 2)).tolist(),
                "rims": [(np.diag(rng.uniform([4, 0.2], [14, 0.6])) @ turn).tolist() for _ in "ab"],
                "weight": round(rng.uniform(0.05, 0.95), 2),
                "shares": rng.dirichlet([1, 1], size=len(figure.get()["shares"])).tolist(),
                "path": [],
            }
            figure.set(**state)
            model, X = _mixture(state, 0)
            shown = figure.get()
            _expect_mixture(shown, model, X)
            share, own = np.array(state["shares"]), model.predict_proba(X)
            gap = np.sum(share * np.log(share / own)) / len(X)  # what the bound is below
            assert shown["measured"][0] == pytest.approx(model.score(X) - gap, abs=1e-6)
            before = figure.text(".litlearn-says")
            assert "An E step" in before

            figure.call("take", "E step")
            figure.settle()
            shown = figure.get()
            np.testing.assert_allclose(shown["shares"], own, rtol=0, atol=1e-6)
            assert shown["measured"][0] == pytest.approx(shown["measured"][1], abs=1e-9)
            assert "They touch" in figure.text(".litlearn-says")

            figure.call("take", "M step")
            figure.settle()
            after = figure.get()
            _expect_mixture(after, *_mixture(state, 1, 1e-6))
            bounds = [value[0] for value in after["path"]]
            assert len(bounds) == 3 and bounds[0] <= bounds[1] <= bounds[2] <= after["measured"][1]
            if number % 4 == 0:
                figure.call("rounds")
                figure.settle()
                _expect_mixture(figure.get(), *_mixture(state, 11, 1e-6))
            told = [float(row[1]) for row in figure.rows()]
            weight = figure.get()["weight"]
            np.testing.assert_allclose(told, [1 - weight, weight], atol=0.00501)


@pytest.mark.browser
def test_mouse_and_keys_start_a_new_climb(opened):
    with opened("gaussian_mixtures") as figure:
        first = figure.get()
        figure.tab.get_by_role("button", name="Ten rounds").click()
        figure.settle()
        climbed = figure.get()
        assert len(climbed["path"]) == 21 and climbed["measured"][1] > first["measured"][1]
        x, y = figure.middle(0)
        figure.tab.mouse.move(x, y)
        figure.tab.mouse.down()
        figure.tab.mouse.move(x - 30, y + 20, steps=4)
        figure.tab.mouse.up()
        figure.settle()
        moved = figure.get()
        assert moved["path"] == [] and moved["means"][0] != climbed["means"][0]
        assert moved["shares"] == climbed["shares"] and moved["rims"] == climbed["rims"]
        figure.handle(3).focus()
        figure.tab.keyboard.press("e")
        figure.settle()
        figure.tab.keyboard.press("m")
        figure.settle()
        assert len(figure.get()["path"]) == 3
        slider = figure.tab.get_by_label("Weight of the second component")
        slider.focus()
        figure.tab.keyboard.press("Home")
        figure.settle()
        assert figure.get()["weight"] == 0.05 and figure.get()["path"] == []


@pytest.mark.browser
def test_a_climb_is_kept_and_a_merger_is_told(opened):
    """Forty rounds stay in the second plot; M before E makes both components the same."""
    with opened("gaussian_mixtures") as figure:
        assert len(figure.get()["X"]) == 40
        for _ in range(4):
            figure.tab.get_by_role("button", name="Ten rounds").click()
            figure.settle()
        path = figure.get()["path"]
        assert len(path) == 81 and figure.tab.locator(".marks circle").count() == 2 * 81 + 80
        assert path[0][0] < path[-1][0]
        figure.tab.get_by_role("button", name="Start again").click()
        figure.settle()
        figure.tab.wait_for_timeout(400)
        figure.tab.get_by_role("button", name="M step").click()
        figure.settle()
        assert "Both components are the same" in figure.text(".litlearn-says")
        for name in ("E step", "M step"):
            figure.call("take", name)
        figure.settle()
        means = figure.get()["means"]
        assert means[0] == pytest.approx(means[1])


@pytest.mark.browser
def test_a_common_spread_becomes_k_means(opened):
    """Steps with one fixed covariance follow their equations; a small spread makes shares hard."""
    rng = np.random.default_rng(10)
    data = figure_data.gaussian_mixtures()
    X, unit = np.array(data["X"]), np.diag(data["rims"][0])
    with opened(Place("gaussian_mixtures", "limit", None, "")) as figure:
        for number in range(20):
            means, common = rng.choice(X, 2, replace=False), [1.0, 0.5, 0.005][number % 3]
            figure.set(means=means.tolist(), common=common, path=[])
            for name in ("E step", "M step"):
                figure.call("take", name)
            figure.settle()
            squares = (((X[:, None] - means) / (common * unit)) ** 2).sum(axis=2)
            share = scipy.special.softmax(-squares / 2, axis=1)
            shown = figure.get()
            np.testing.assert_allclose(shown["shares"], share, atol=1e-9)
            expected = share.T @ X / share.sum(axis=0)[:, None]
            np.testing.assert_allclose(shown["means"], expected, rtol=1e-6)
            if common == 0.005:
                one = KMeans(2, init=means / unit, n_init=1, max_iter=1, tol=0)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    moved = one.fit(X / unit).cluster_centers_ * unit
                np.testing.assert_allclose(shown["means"] / unit, moved / unit, atol=1e-6)


# -- decision trees -------------------------------------------------------------------------------


def _lowered(X, y, ids, feature, threshold):
    """By how much a question to a group lowers the impurity of all patients."""

    def gini(group):
        shares = [np.mean(y[group] == c) for c in (0, 1)] if len(group) else [1.0]
        return len(group) / len(y) * (1 - np.sum(np.square(shares)))

    left = ids[X[ids, feature] <= threshold]
    right = ids[X[ids, feature] > threshold]
    return gini(ids) - gini(left) - gini(right)


@pytest.mark.browser
def test_tree_agrees_with_the_module_in_random_states(opened):
    """Each question is a best one of its group; where no two are equally good, the tree is ours."""
    rng = np.random.default_rng(31)
    y = np.array(figure_data.decision_trees()["y"])
    same = 0
    with opened("decision_trees") as figure:
        for state in range(40):
            X = rng.uniform([0, 58], [10, 90], (6, 2))
            if state % 4 == 0:
                X = X.round()
            asked, cross = int(rng.integers(0, 6)), rng.uniform([0, 58], [10, 90])
            figure.set(X=X.tolist(), asked=asked, cross=cross.tolist())
            shown, unique = figure.get(), True
            for node in shown["nodes"]:
                ids = np.array(node["ids"])
                cuts = [
                    (_lowered(X, y, ids, j, t), j, t)
                    for j in (0, 1)
                    for t in np.convolve(np.unique(X[ids, j]), [0.5, 0.5], "valid")
                ]
                best = max(cuts)[0]
                unique &= sum(gain > best - 1e-9 for gain, _, _ in cuts) == 1
                assert node["gain"] == pytest.approx(best)
                stump = DecisionTreeClassifier(max_depth=1).fit(X[ids], y[ids]).tree_
                if stump.node_count == 3:
                    gain = _lowered(X, y, ids, stump.feature[0], stump.threshold[0])
                    assert gain == pytest.approx(best)
            gains = [leaf["cut"]["gain"] for leaf in shown["leaves"] if leaf["cut"]]
            assert len(shown["nodes"]) == asked or not gains
            left = sum(_lowered(X, y, np.array(n["ids"]), n["feature"], n["threshold"])
                       for n in shown["nodes"])  # fmt: skip
            said = figure.text(".litlearn-says")
            if shown["nodes"]:
                told = [
                    float(one) for one in re.search(r"from ([\d.]+) to ([\d.]*\d)", said).groups()
                ]
                assert told == pytest.approx([0.5, 0.5 - left], abs=6e-4)
            possible = figure.tab.get_by_label("Questions asked").get_attribute("max")
            assert len(shown["nodes"]) == min(asked, int(possible))
            assert ("nothing is left to ask" in said) == (len(shown["nodes"]) == int(possible))
            if unique and asked and len(set(np.round(gains, 9))) == len(gains):
                grown = [n["gain"] for n in shown["nodes"]]
                if len(set(np.round(grown, 9))) == len(grown):
                    same += 1
                    model = DecisionTreeClassifier(max_leaf_nodes=asked + 1).fit(X, y)
                    points = rng.uniform([0, 58], [10, 90], (30, 2)).tolist()
                    for point, told in zip(points, figure.each("vote", points), strict=True):
                        assert told["share"] == pytest.approx(model.predict_proba([point])[0])
                        assert told["winner"] == model.predict([point])[0]
            for feature in (0, 1):
                inside = next(
                    leaf["ids"]
                    for leaf in shown["leaves"]
                    if all(a <= v <= b for v, (a, b) in zip(cross, leaf["box"], strict=True))
                )
                own = _lowered(X, y, np.array(inside), feature, cross[feature])
                told = figure.call("lowered", feature, float(cross[feature]))
                assert told == pytest.approx(own, abs=1e-12)
    assert same >= 5


@pytest.mark.browser
def test_the_tree_of_the_chapter_grows_question_by_question(opened):
    with opened("decision_trees") as figure:
        cut = figure.get()["nodes"][0]
        assert (cut["feature"], cut["threshold"], cut["gain"]) == (0, 4, pytest.approx(0.25))
        assert figure.tab.locator(".marks g").nth(2).locator("line").count() == 1
        figure.tab.get_by_role("button", name="Ask the next question").click()
        figure.settle()
        cut = figure.get()["nodes"][1]
        assert (cut["feature"], cut["threshold"], cut["gain"]) == (1, 80, pytest.approx(0.25))
        assert "nothing is left to ask" in figure.text(".litlearn-says")
        figure.tab.keyboard.press("+")
        figure.settle()
        assert len(figure.get()["nodes"]) == 2 and figure.text("output") == "2"
        rows = figure.tab.locator(".litlearn-table tbody tr.in").all_text_contents()
        assert rows == ["1. words ≤ 4?6 patients0.25", "2. age ≤ 80?4 patients0.25"]
        figure.tab.keyboard.press("-")
        figure.tab.keyboard.press("-")
        figure.settle()
        assert figure.get()["nodes"] == []
        assert "No question has been asked" in figure.text(".litlearn-says")


@pytest.mark.browser
def test_the_best_question_is_not_told_before_it_is_asked(opened):
    with opened(Place("decision_trees", "first", None, "")) as figure:
        before = figure.tab.locator(".litlearn-figure").text_content()
        assert "0.25" not in before and "words ≤ 4?" not in before
        figure.tab.get_by_role("button", name="Ask the next question").click()
        figure.settle()
        assert figure.rows()[0] == ["1. words ≤ 4?", "6 patients", "0.25"]


@pytest.mark.browser
def test_other_years_and_turned_features(opened):
    """Another year keeps the first question of this one; a turn by 45 degrees needs more."""
    with opened(Place("decision_trees", "", ("year",), "")) as figure:
        for number in range(1, 4):
            first = figure.get()["nodes"][0]
            figure.tab.get_by_role("button", name="Another year").click()
            figure.settle()
            state = figure.get()
            assert state["past"][-1] == {
                key: first[key] for key in ("feature", "threshold", "gain")
            }
            assert figure.tab.locator(".ghost").count() == number
            X = np.array(state["X"])
            assert (X >= [0, 58]).all() and (X <= [10, 90]).all() and np.array_equal(X.round(), X)
    with opened(Place("decision_trees", "turned", ("turn", "asked"), "")) as figure:
        straight, y = figure.get(), np.array(figure.get()["y"])
        figure.tab.get_by_label("turned by 45°").check()
        figure.settle()
        turned = np.array(figure.get()["X"])
        middle, half = [5, 74], [5, 16]
        Z = (np.array(straight["X"]) - middle) / half
        way = np.array([[1, 1], [-1, 1]]) / np.sqrt(2)
        np.testing.assert_allclose((turned - middle) / half, Z @ way, atol=1e-5)
        needed = [
            DecisionTreeClassifier().fit(X, y).get_n_leaves() - 1 for X in (straight["X"], turned)
        ]
        most = figure.tab.get_by_label("Questions asked").get_attribute("max")
        assert needed[0] == 1 < needed[1] and int(most) >= 3
        figure.tab.get_by_label("as measured").check()
        figure.settle()
        np.testing.assert_allclose(figure.get()["X"], straight["X"], atol=1e-5)


# -- dimensionality reduction ---------------------------------------------------------------------


def _expect_axes(figure, X, angle, unit=1):
    """Compare all that the figure shows with PCA, and with sums of squares along the axis."""
    shown = figure.get()
    X, close = np.array(X, dtype=float) * [unit, 1], {"rtol": 1e-9, "atol": 1e-6}
    model, Z = PCA(2).fit(X), X - X.mean(axis=0)
    np.testing.assert_allclose(shown["cloud"]["mean"], model.mean_, **close)
    np.testing.assert_allclose(shown["cloud"]["most"], model.singular_values_[0] ** 2, **close)
    total = np.sum(Z**2)
    np.testing.assert_allclose(shown["cloud"]["total"], total, **close)
    way = np.array([unit * np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    way /= np.linalg.norm(way)
    score = Z @ way
    np.testing.assert_allclose(shown["along"]["score"], score, **close)
    np.testing.assert_allclose(shown["along"]["kept"], np.sum(score**2), **close)
    lost = np.sum((Z - np.outer(score, way)) ** 2)
    np.testing.assert_allclose(shown["along"]["lost"], lost, **close)
    np.testing.assert_allclose(shown["along"]["kept"] + shown["along"]["lost"], total, **close)
    gap = model.singular_values_[0] - model.singular_values_[1]
    if gap > 0.1:  # else every axis is as good
        best = np.radians(shown["cloud"]["best"])
        match = model.components_[0] @ [unit * np.cos(best), np.sin(best)]
        match /= np.hypot(unit * np.cos(best), np.sin(best))
        np.testing.assert_allclose(abs(match), 1.0, **close)
    assert float(figure.rows()[-1][2]) == pytest.approx(np.sum(score**2), abs=0.00501)
    said = figure.text(".litlearn-says")
    assert said.startswith(f"At {angle}° the axis keeps")
    return gap


@pytest.mark.browser
def test_axes_agree_with_the_module_in_random_states(opened):
    rng = np.random.default_rng(8)
    gaps = []
    with opened("dimensionality_reduction") as figure:
        for number in range(30):
            X = np.column_stack([rng.integers(4, 21, 6), rng.integers(2, 17, 6)]).tolist()
            if number % 10 == 0:  # on one line
                X = [[4 + 2 * i, 3 + i] for i in range(6)]
            angle = int(rng.integers(0, 180))
            figure.set(X=X, angle=angle)
            gaps.append(_expect_axes(figure, X, angle))
            told = "No axis keeps more" in figure.text(".litlearn-says")
            assert told == (number % 2 == 1)
            figure.set(best=number % 2 == 0)
        figure.set(X=[[10, 8]] * 6, angle=30, best=True)
        assert "Every other axis keeps as much" in figure.text(".litlearn-says")
    assert np.sum(np.array(gaps) > 0.1) >= 25


@pytest.mark.browser
def test_mouse_and_slider_turn_the_axis(opened):
    with opened("dimensionality_reduction") as figure:
        first = figure.get()
        assert (
            first["cloud"]["most"] == pytest.approx(98) and first["cloud"]["best"] == 45
        )  # by hand
        assert "94 %" not in figure.text(".litlearn-says")
        assert not figure.tab.locator(".marks .before").get_attribute("d")
        figure.tab.get_by_role("button", name="Show the best axis").click()
        figure.settle()
        assert "(94 %), at 45°" in figure.text(".litlearn-says")
        x, y = figure.middle(0)
        figure.tab.mouse.move(x, y)
        figure.tab.mouse.down()
        figure.tab.mouse.move(x - 30, y - 90, steps=6)
        figure.tab.mouse.up()
        figure.settle()
        turned = figure.get()
        assert turned["angle"] > 30 and turned["X"] == first["X"]
        _expect_axes(figure, turned["X"], turned["angle"])
        slider = figure.tab.get_by_label("Angle of the axis")
        slider.focus()
        figure.tab.keyboard.press("Home")
        figure.settle()
        assert figure.get()["angle"] == 0
        _expect_axes(figure, turned["X"], 0)


@pytest.mark.browser
def test_axes_in_tenths_and_between_groups(opened):
    """Words in tenths stretch one axis; Fisher's axis is that of linear discriminant analysis."""
    rng = np.random.default_rng(9)
    with opened(Place("dimensionality_reduction", "units", None, "")) as figure:
        for _ in range(20):
            X = np.column_stack([rng.integers(4, 21, 6), rng.integers(2, 17, 6)]).tolist()
            angle = int(rng.integers(0, 180))
            figure.set(X=X, angle=angle)
            _expect_axes(figure, X, angle, unit=10)
    with opened(Place("dimensionality_reduction", "separate", None, "")) as figure:
        y = np.array(figure_data.dimensionality_reduction_states()["separate"]["y"])
        for _ in range(20):
            X = np.column_stack([rng.uniform(4, 20, 6), rng.uniform(2, 16, 6)])
            angle = int(rng.integers(0, 180))
            figure.set(X=X.tolist(), angle=angle, best=True)
            _expect_axes(figure, X, angle)
            cloud = figure.get()["cloud"]
            way = LinearDiscriminantAnalysis(solver="eigen").fit(X, y).scalings_[:, 0]
            turn = np.radians(cloud["fisher"])
            match = way @ [np.cos(turn), np.sin(turn)] / np.linalg.norm(way)
            assert abs(match) == pytest.approx(1, abs=1e-6)
            told = re.search(
                r"groups are ([\d.]+) times .* dashes\), ([\d.]+) times",
                figure.text(".litlearn-says"),
            )
            gap = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
            within = sum(np.cov(X[y == c].T, bias=True) * 3 for c in (0, 1))
            turn = np.radians(angle)
            for value, u in zip(told.groups(), ([np.cos(turn), np.sin(turn)], way), strict=True):
                expected = 1.5 * (u @ gap) ** 2 / (u @ within @ u)  # 3 * 3 / 6
                assert float(value) == pytest.approx(expected, abs=0.00501)


# -- extra trees --------------------------------------------------------------------------------


def _nodes(tree):
    """The inner nodes of a tree of a figure."""
    if "children" not in tree:
        return []
    return [tree, *(node for child in tree["children"] for node in _nodes(child))]


def _share(forest, y, point):
    """Mean share of the second class in the leaves of a point."""
    total = 0
    for tree in forest:
        node = tree
        while "children" in node:
            node = node["children"][int(point[node["feature"]] > node["threshold"])]
        total += np.mean(y[node["ids"]] == 1)
    return total / len(forest)


@pytest.mark.weekly(keep=1)
@pytest.mark.browser
@pytest.mark.parametrize("logarithm", [False, True], ids=["linear", "logarithm"])
def test_random_trees_follow_their_definition(opened, logarithm):
    """Thresholds are uniform between the smallest and largest value; the better one is asked. On a
    logarithmic scale of the years it is their logarithms that are uniform."""
    data = figure_data.extra_trees()
    y, rng = np.array(data["y"]), np.random.default_rng(43)
    uniform = []
    with opened("extra_trees") as figure:
        for state in range(8):
            X = rng.uniform(0, 7, (6, 2))
            figure.set(X=X.tolist(), dice=state, trees=100, logarithm=logarithm)
            shown = figure.get()
            for tree in shown["forest"]:
                assert sorted(tree["ids"]) == list(range(6))
                for node in _nodes(tree):
                    ids, gains = np.array(node["ids"]), {}
                    for cut in node["drawn"]:
                        feature, threshold = cut["feature"], cut["threshold"]
                        low, high = np.sort(X[ids, feature])[[0, -1]]
                        assert low <= threshold < high
                        if logarithm and feature:
                            low, threshold, high = np.log(np.add([low, threshold, high], 0.5))
                        uniform.append((threshold - low) / (high - low))
                        gains[feature] = _lowered(X, y, ids, feature, cut["threshold"])
                    assert gains[node["feature"]] == pytest.approx(max(gains.values()))
                    for leaf in node["children"]:
                        assert "children" in leaf or len(set(y[leaf["ids"]])) == 1
            points = rng.uniform(0, 7, (20, 2)).tolist()
            for point, told in zip(points, figure.each("vote", points), strict=True):
                share = _share(shown["forest"], y, point)
                assert told["share"] == pytest.approx([1 - share, share])
        uniform = np.sort(uniform)
        distance = np.abs(uniform - (np.arange(len(uniform)) + 0.5) / len(uniform)).max()
        assert distance < 1.95 / np.sqrt(len(uniform))
        before = figure.get()["forest"][0]["threshold"]
        button = figure.tab.get_by_role("button", name="Throw the dice")
        places = {str(button.bounding_box())}
        for _ in range(12):
            button.click()
            figure.settle()
            places.add(str(button.bounding_box()))
        assert figure.get()["forest"][0]["threshold"] != before
        assert len(places) == 1  # it stays under the hand
        assert len(figure.rows()) == 2


# -- random forests -------------------------------------------------------------------------------


@pytest.mark.browser
def test_forest_agrees_with_the_module_in_random_states(opened):
    """Each question is a best one of its bag, as a tree of one question of the module finds it."""
    data = figure_data.random_forests()
    y, rng = np.array(data["y"]), np.random.default_rng(41)
    asked = 0
    with opened("random_forests") as figure:
        for state in range(22):
            X = rng.uniform(0, 7, (6, 2))
            kind, trees = ["stumps", "deep"][state % 2], int(rng.integers(1, 31))
            about = ["both", "drawn"][state // 2 % 2]
            query = rng.uniform(0, 7, 2).tolist()
            figure.set(X=X.tolist(), query=query, kind=kind, trees=trees, about=about)
            shown = figure.get()
            forest = shown["forest"]
            assert len(forest) == trees
            told = re.search(
                rf"^{trees} trees? gives? .* a share of ([\d.]+) for", figure.text(".litlearn-says")
            )
            assert float(told[1]) == pytest.approx(_share(forest, y, query), abs=0.00501)
            assert [tree["ids"] for tree in forest[:3]] == data["bags"][:trees]
            for tree in forest:
                for node in _nodes(tree):
                    ids = np.array(node["ids"])
                    columns = [0, 1] if about == "both" else [node["feature"]]
                    if about == "drawn" and node["feature"] != node["drawn"]:
                        assert len(np.unique(X[ids, node["drawn"]])) == 1
                    drawn, group = X[ids], np.arange(len(ids))
                    stump = DecisionTreeClassifier(max_depth=1).fit(drawn[:, columns], y[ids]).tree_
                    children = stump.weighted_n_node_samples[1:] @ stump.impurity[1:] / len(ids)
                    best = stump.impurity[0] - children
                    gain = _lowered(drawn, y[ids], group, node["feature"], node["threshold"])
                    assert gain == pytest.approx(best)
                    values = drawn[:, node["feature"]]
                    left, right = values <= node["threshold"], values > node["threshold"]
                    halfway = (values[left].max() + values[right].min()) / 2
                    assert node["threshold"] == pytest.approx(halfway)
                    asked += 1
                if kind == "deep":
                    leaves = [c for n in _nodes(tree) for c in n["children"] if "children" not in c]
                    assert all(len(set(y[leaf["ids"]])) == 1 for leaf in leaves)
            points = [query, *rng.uniform(0, 7, (20, 2)).tolist()]
            for point, told in zip(points, figure.each("vote", points), strict=True):
                share = _share(forest, y, point)
                assert told["share"] == pytest.approx([1 - share, share])
                assert told["winner"] == (share > 0.5 + 1e-12)
            for i, told in enumerate(shown["outOfBag"]):
                others = [tree for tree in forest if i not in tree["ids"]]
                assert (told is None) == (not others)
                if others:
                    assert told["share"][1] == pytest.approx(_share(others, y, X[i]))
            if trees > 1 and state % 5 == 0:  # how often two of the trees disagree
                middles = (np.arange(24) + 0.5) * 7 / 24
                votes = [[_share([t], y, (a, b)) > 0.5 for a in middles for b in middles]
                         for t in forest]  # fmt: skip
                share = np.mean(2 * np.var(votes, axis=0, ddof=1))
                assert shown["differ"] == pytest.approx(share)
                assert f"disagree on {share * 100:.0f} % of" in figure.text(".litlearn-says")
    assert asked > 200


@pytest.mark.browser
def test_the_three_stumps_of_the_chapter_vote(opened):
    with opened("random_forests") as figure:
        cuts = [(tree["feature"], tree["threshold"]) for tree in figure.get()["forest"]]
        assert cuts == [(0, 2.5), (1, 2.5), (1, 4.5)]
        assert "wrong about 0 of 6." in figure.text(".litlearn-says")
        assert "The last tree says “stable”, and has seen all but patient 5" in figure.text(
            ".litlearn-says"
        )
        figure.tab.get_by_role("button", name="Add a tree").click()
        figure.settle()
        assert figure.get()["trees"] == 4 and figure.text(".litlearn-says").startswith("4 trees")


@pytest.mark.browser
def test_one_tree_is_seen_alone_with_square_corners(opened):
    """The map of the last tree is its own vote; borders along the axes keep their corners."""
    y = np.array(figure_data.random_forests()["y"])
    places = np.random.default_rng(2).uniform(0.2, 6.8, (40, 2))
    for trees in (1, 2, 3, 9):
        with opened(Place("random_forests", "ballot", None, "")) as figure:
            figure.set(trees=trees)
            last = figure.get()["forest"][-1:]
            near = [abs(p[last[0]["feature"]] - last[0]["threshold"]) < 0.1 for p in places]
            pixels = np.array(figure.tab.evaluate(PAINT, places.tolist()))
            red = pixels[:, 0] > pixels[:, 2]
            told = [_share(last, y, place) > 0.5 for place in places]
            assert all(a == b or close for a, b, close in zip(red, told, near, strict=True))
    with opened("random_forests") as figure:
        border = figure.tab.locator(".map path").get_attribute("d")
        assert set(re.sub(r"[\d.,-]", "", border)) == {"M", "V", "H"}


@pytest.mark.browser
def test_sixty_people_are_judged_out_of_bag(opened):
    """By the trees that have not seen them, the forest is wrong more often."""
    rng = np.random.default_rng(45)
    with opened(Place("random_forests", "bag", None, "")) as figure:
        for number in range(20):
            kind, trees = ["deep", "stumps"][number % 2], int(rng.integers(1, 61))
            figure.set(kind=kind, trees=trees, about=["both", "drawn"][number // 2 % 2])
            shown = figure.get()
            forest, X, y = shown["forest"], np.array(shown["X"]), np.array(shown["y"])
            assert all(len(tree["ids"]) == 60 for tree in forest)
            wrong, missed, judged = 0, 0, 0
            for i in range(60):
                wrong += (_share(forest, y, X[i]) > 0.5 + 1e-12) != y[i]
                others = [tree for tree in forest if i not in tree["ids"]]
                judged += bool(others)
                missed += bool(others) and (_share(others, y, X[i]) > 0.5 + 1e-12) != y[i]
            said = figure.text(".litlearn-says")
            told = re.search(r"about (\d+) of the 60 .* about (\d+) of (\d+)\.", said).groups()
            assert [int(one) for one in told] == [wrong, missed, judged]
        figure.set(kind="deep", trees=40)
        told = re.search(
            r"about (\d+) of the 60 .* about (\d+) of 60", figure.text(".litlearn-says")
        )
        assert int(told[1]) <= 1 and int(told[2]) >= 5


# -- data in several places -----------------------------------------------------------------------


def _expect_hospitals(figure):
    """Compare postcards, lines and medians with sums, LinearRegression and NumPy."""
    state, border = figure.get(), figure_data.data_that_do_not_fit()["border"]
    x, y = np.array(state["x"]), np.array(state["y"])
    at_B = np.array(state["home"]) > border
    assert state["hospital"] == at_B.astype(int).tolist()
    for k, own in enumerate((~at_B, at_B, np.ones(6, dtype=bool))):
        X = np.column_stack([np.ones(own.sum()), x[own]])
        G, v = X.T @ X, X.T @ y[own]
        expected = [G[0, 0], G[0, 1], v[0], G[1, 1], v[1]]
        np.testing.assert_allclose(state["cards"][k], expected, atol=1e-9)
        found = state["lines"][k]
        if len(set(x[own])) < 2:
            assert found is None
        else:
            model = LinearRegression().fit(x[own, None], y[own])
            assert found["slope"] == pytest.approx(model.coef_[0], abs=1e-8)
            assert found["intercept"] == pytest.approx(model.intercept_, abs=1e-8)
        assert state["medians"][k] == (np.median(y[own]) if own.any() else None)
    return state


@pytest.mark.browser
def test_postcards_add_up_to_the_line_of_all(opened):
    """Wherever the patients live: only the lines of the hospitals change."""
    rng, lone = np.random.default_rng(61), 0
    with opened("data_that_do_not_fit") as figure:
        assert figure.get()["lines"][2] == pytest.approx({"slope": -1.4, "intercept": 25.8})
        for _ in range(25):
            x, y = (rng.integers(0, 13, 6) / 2).tolist(), rng.integers(8, 37, 6).tolist()
            homes = (rng.integers(0, 21, (2, 6)) / 2).tolist()
            lines = []
            for home in homes:
                figure.set(x=x, y=y, home=home)
                state = _expect_hospitals(figure)
                lines.append(state["lines"][2])
                rows = figure.rows()
                assert [_number(row[3]) for row in rows[:5]] == pytest.approx(
                    state["cards"][2], abs=0.00501
                )
                said = figure.text(".litlearn-says")
                alone = [h for h in (0, 1) if state["hospital"].count(h) == 1]
                lone += len(alone)
                assert ("has one patient" in said) == bool(alone)
            assert lines[0] == pytest.approx(lines[1])
    assert lone >= 2


@pytest.mark.browser
def test_a_home_beyond_the_middle_changes_the_hospital(opened):
    with opened("data_that_do_not_fit") as figure:
        before = figure.get()
        home = figure.tab.get_by_role("slider", name="home of patient 3")
        home.focus()
        figure.tab.keyboard.press("Shift+ArrowRight")
        figure.settle()
        after = _expect_hospitals(figure)
        assert (before["hospital"][2], after["hospital"][2]) == (0, 1)
        assert after["lines"][2] == pytest.approx(before["lines"][2])
        assert after["lines"][0] != pytest.approx(before["lines"][0])
        assert "hospital B" in home.get_attribute("aria-valuetext")


@pytest.mark.browser
def test_medians_of_hospitals_do_not_determine_that_of_all(opened):
    """As the chapter predicts: 23 becomes 21, and both hospitals' medians stay."""
    with opened(Place("data_that_do_not_fit", "median", None, "")) as figure:
        assert _expect_hospitals(figure)["medians"] == [26, 20, 23]
        figure.set(y=[18, *figure.get()["y"][1:]])
        assert _expect_hospitals(figure)["medians"] == [26, 20, 21]
        assert "all six is 21 points" in figure.text(".litlearn-says")


# -- one comparison -------------------------------------------------------------------------------


@pytest.mark.browser
def test_differences_are_those_of_the_notebook(opened):
    """Any two methods: differences, interval, who was missed, and the sentence."""
    data = figure_data.comparison()
    names, sizes = data["names"], np.array(data["sizes"])
    wrong = np.array([[int(times) for times in row] for row in data["wrong"]])
    assert len(names) == 13 and wrong.shape == (13, 569)
    # What is printed for each part and for each woman is the same errors.
    np.testing.assert_array_equal(np.sum(data["errors"], axis=1), wrong.sum(axis=1))
    rng = np.random.default_rng(14)
    insides = set()
    with opened("comparison") as figure:
        for _ in range(30):
            a, b = rng.choice(13, 2, replace=False).tolist()
            parts = 20 if rng.random() < 0.5 else int(rng.integers(2, 20))
            tests = int(rng.choice([1, 12]))
            figure.set(first=a, second=b, parts=parts, tests=tests)
            d = 100 * ((np.array(data["errors"][a]) - data["errors"][b]) / sizes)[:parts]
            spread = np.std(d, ddof=1) * np.sqrt(1 / parts + 1 / 4)
            if spread == 0:
                continue
            low, high = scipy.stats.t.interval(1 - 0.05 / tests, parts - 1, d.mean(), spread)
            got = figure.get()
            np.testing.assert_allclose(got["d"], d, atol=1e-9)
            shown = [got["mean"] - got["half"], got["mean"] + got["half"]]
            np.testing.assert_allclose(shown, [low, high], atol=1e-6)
            counts = np.histogram2d(wrong[a], wrong[b], bins=np.arange(6) - 0.5)[0].ravel()
            np.testing.assert_array_equal(got["counts"], counts)
            missed = wrong[[a, b]] > 1
            who = [missed.all(axis=0), missed[0] & ~missed[1], missed[1] & ~missed[0]]
            cells = figure.tab.locator(".litlearn-table tbody td:last-child").all_text_contents()
            assert [int(text) for text in cells] == [group.sum() for group in who]
            said, inside = figure.text(".litlearn-says"), low < 0 < high
            assert ("zero is inside" in said) == inside and names[a] in said and names[b] in said
            assert said.startswith(f"On {parts} test parts")
            axis = figure.tab.locator(".axes .name.x").all_text_contents()
            assert names[a] in axis[0] and names[b] in axis[0] and names[a] in axis[1]
            insides.add(inside)
    assert insides == {True, False}


@pytest.mark.browser
def test_methods_are_chosen_from_lists(opened):
    with opened("comparison") as figure:
        lists = figure.tab.locator(".litlearn-control select")
        assert lists.count() == 2
        lists.first.select_option("naive Bayes")
        figure.settle()
        assert figure.get()["first"] == figure_data.comparison()["names"].index("naive Bayes")
        lists.last.focus()
        figure.tab.keyboard.press("ArrowDown")
        figure.settle()
        assert figure.get()["second"] == figure_data.comparison()["second"] + 1
        figure.tab.get_by_label("test parts").last.fill("5")
        figure.settle()
        assert figure.tab.locator(".marks circle[r='4']").count() == 5
        figure.tab.get_by_role("button", name="Start again").click()
        figure.tab.wait_for_timeout(400)
        figure.settle()
        first = figure_data.comparison()
        assert [figure.get()[key] for key in ("first", "second")] == [
            first["first"],
            first["second"],
        ]
