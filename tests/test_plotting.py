"""Figures: the structure of the slider, the regions and ellipses that are drawn."""

import base64
import html.parser
import io
import re
import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.testing import assert_allclose
from PIL import Image

from litlearn.exceptions import NotFittedError
from litlearn.plotting import (
    COLORS,
    HATCHES,
    MARKERS,
    Slider,
    coefficient_paths,
    covariance_ellipse,
    decision_regions,
    plot_tree,
    scatter_classes,
    set_style,
    slider,
    table,
    tidy_legends,
)
from litlearn.plotting._pages import _narrow, _png, _shown, _webp, _with_few_colors
from litlearn.plotting._style import spread
from litlearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [3.0, 1.0]])
Y = np.array(["a", "b", "a", "c"])


class Nearest:
    """Predicts the class of the nearest of a few points; as little as the pictures need."""

    def __init__(self, points=X, labels=Y):
        self.points, self.labels = points, labels
        self.classes_ = np.unique(labels)

    def predict(self, Q):
        distance = ((Q[:, None, :] - self.points) ** 2).sum(axis=2)
        return self.labels[distance.argmin(axis=1)]

    def predict_proba(self, Q):
        second = 1.0 / (1.0 + np.exp(-(Q[:, 0] - 1.0)))
        return np.column_stack([1.0 - second, second])


class Elements(html.parser.HTMLParser):
    """Collects start tags, and fails on a tag that is closed in the wrong order."""

    def __init__(self, text):
        super().__init__()
        self.found, self.open = [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in ("img", "input", "source"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def all(self, tag):
        return [attrs for name, attrs in self.found if name == tag]


@pytest.fixture
def ax():
    return Figure(figsize=(3, 3)).add_subplot()


def draw_line(ax, value):
    ax.plot([0, 1], [0, value])
    ax.set_ylim(0, 10)


def make_slider(**changes):
    arguments = {"label": "Slope <m>", "alt": "A line of slope {value}.", "figsize": (3, 2)}
    return slider(draw_line, [1, 2, 5], **(arguments | changes))


def test_import_does_not_load_matplotlib():
    code = "import sys, litlearn.plotting; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize(
    "call",
    [
        set_style,
        lambda: slider(draw_line, [1], label="a", alt="b"),
        lambda: scatter_classes(None, X, Y),
        lambda: decision_regions(None, Nearest(), X),
        lambda: covariance_ellipse(None, [0, 0], np.eye(2)),
        lambda: coefficient_paths(None, [1], [[1]]),
        lambda: plot_tree(None),
    ],
)
def test_without_matplotlib(monkeypatch, call):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install litlearn\[plot\]"):
        call()


def test_style():
    with matplotlib.rc_context():
        set_style()
        settings = matplotlib.rcParams
        assert settings["axes.prop_cycle"].by_key()["color"] == list(COLORS)
        assert settings["figure.facecolor"] == settings["savefig.facecolor"] == "white"
        assert settings["font.size"] >= 10 and settings["xtick.labelsize"] >= 10


def test_every_class_has_its_own_signs():
    assert len(set(COLORS)) == len(set(MARKERS)) == len(set(HATCHES)) == 8


def test_scatter_uses_colour_and_marker(ax):
    artists = scatter_classes(ax, X, Y, labels=["one", "two", "three"])
    assert [len(artist.get_offsets()) for artist in artists] == [2, 1, 1]
    assert_allclose(artists[0].get_offsets(), X[Y == "a"])
    colors = [matplotlib.colors.to_hex(artist.get_facecolor()[0]).upper() for artist in artists]
    assert colors == list(COLORS[:3])
    shapes = {artist.get_paths()[0].vertices.tobytes() for artist in artists}
    assert len(shapes) == 3
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["one", "two", "three"]


def test_scatter_keeps_colours_when_a_class_is_absent(ax):
    artists = scatter_classes(ax, X[:2], np.array(["c", "c"]), classes=["a", "b", "c"])
    assert matplotlib.colors.to_hex(artists[2].get_facecolor()[0]).upper() == COLORS[2]
    assert len(artists[2].get_offsets()) == 2


def test_scatter_errors(ax):
    with pytest.raises(ValueError, match=r"scatter_classes: X has shape \(4,\)"):
        scatter_classes(ax, X[:, 0], Y)
    with pytest.raises(ValueError, match=r"scatter_classes: y has shape \(3,\), expected \(4,\)"):
        scatter_classes(ax, X, Y[:3])
    with pytest.raises(ValueError, match="9 classes, expected at most 8"):
        scatter_classes(ax, np.zeros((9, 2)), np.arange(9))
    with pytest.raises(ValueError, match="2 labels for 3 classes"):
        scatter_classes(ax, X, Y, labels=["a", "b"])


def test_regions_are_the_predictions(ax):
    limits = (-1.0, 4.0, -1.0, 3.0)
    value = decision_regions(ax, Nearest(), X, Y, resolution=50, limits=limits)
    horizontal, vertical = np.linspace(-1, 4, 50), np.linspace(-1, 3, 50)
    for i, j in [(0, 0), (10, 40), (30, 25), (49, 49)]:
        predicted = Nearest().predict(np.array([[horizontal[j], vertical[i]]]))[0]
        assert "abc"[value[i, j]] == predicted
    assert set(value.ravel()) == {0, 1, 2}
    assert ax.get_xlim() == limits[:2] and ax.get_ylim() == limits[2:]
    assert len(ax.get_legend().get_texts()) == 3


def hatches_in(ax):
    return {h for c in ax.collections for h in (getattr(c, "hatches", None) or []) if h}


def test_regions_have_hatches(ax):
    decision_regions(ax, Nearest(), X, resolution=30)
    assert hatches_in(ax) == set(HATCHES[1:3])
    assert ax.get_legend() is None
    plain = Figure().add_subplot()
    decision_regions(plain, Nearest(), X, resolution=30, hatch=False)
    assert hatches_in(plain) == set()


def test_regions_with_one_predicted_class(ax):
    value = decision_regions(ax, Nearest(X[:1], Y[:1]), X, classes=["a", "b"], resolution=10)
    assert not value.any()


def test_probability(ax):
    model = Nearest(X[:2], Y[:2])
    value = decision_regions(ax, model, X[:2], Y[:2], proba=True, resolution=41, margin=3.0)
    assert value.shape == (41, 41) and 0 < value.min() < 0.25 < 0.75 < value.max() < 1
    assert np.all(np.diff(value, axis=1) > 0)
    with pytest.raises(ValueError, match="proba=True with 3 classes, expected 2"):
        decision_regions(ax, Nearest(), X, proba=True)


def test_regions_need_classes(ax):
    model = Nearest()
    del model.classes_
    with pytest.raises(ValueError, match="the model has no classes_"):
        decision_regions(ax, model, X)
    assert decision_regions(ax, model, X, Y, resolution=5).shape == (5, 5)


def test_ellipse_lies_at_constant_distance(ax):
    """Every point of the outline has the Mahalanobis distance that was asked for."""
    mean, cov = np.array([2.0, -1.0]), np.array([[3.0, 1.2], [1.2, 1.0]])
    ellipse = covariance_ellipse(ax, mean, cov, n_std=1.5)
    outline = ellipse.get_patch_transform().transform(ellipse.get_path().vertices)
    on_curve = outline[::3] - mean  # the nodes of the Bezier pieces
    distance = np.einsum("ij,jk,ik->i", on_curve, np.linalg.inv(cov), on_curve)
    assert_allclose(distance[:-1], 1.5**2, rtol=1e-3)
    box = ellipse.get_path().transformed(ellipse.get_patch_transform()).get_extents()
    assert_allclose([box.width, box.height], 2 * 1.5 * np.sqrt([3.0, 1.0]), rtol=1e-3)


def test_ellipse_errors(ax):
    with pytest.raises(ValueError, match=r"cov \(3, 3\), expected \(2,\) and \(2, 2\)"):
        covariance_ellipse(ax, [0, 0], np.eye(3))
    with pytest.raises(ValueError, match="not symmetric"):
        covariance_ellipse(ax, [0, 0], [[1.0, 0.5], [0.0, 1.0]])
    with pytest.raises(ValueError, match="eigenvalue -1"):
        covariance_ellipse(ax, [0, 0], [[0.0, 1.0], [1.0, 0.0]])


ALPHAS = np.array([0.01, 1.0, 0.1])
COEFS = np.array([[0.5, 0.0, 0.2], [-3.0, 0.0, -1.0], [2.0, 1.0, 1.5]])


def test_paths_run_from_strong_to_weak(ax):
    lines = coefficient_paths(ax, ALPHAS, COEFS, names=["a", "b", "c"], n_labels=2, mark=0.1)
    assert len(lines) == 3
    for line, path in zip(lines, COEFS, strict=True):
        assert_allclose(line.get_xdata(), [1.0, 0.1, 0.01])
        assert_allclose(line.get_ydata(), path[[1, 2, 0]])
    assert ax.get_xscale() == "log" and ax.get_xlim() == (1.0, 0.01)
    # b and c are largest at the weakest penalty, in this order; a is grey and has no name.
    assert [t.get_text() for t in ax.texts] == ["b", "c"]
    assert [line.get_color() for line in lines] == ["#AAAAAA", COLORS[0], COLORS[1]]
    assert lines[1].get_linestyle() != lines[2].get_linestyle()
    assert [t.get_color() for t in ax.texts] == list(COLORS[:2])
    marks = [line for line in ax.lines if list(line.get_xdata()) == [0.1, 0.1]]
    assert len(marks) == 1


def test_paths_count_features_from_one_and_take_one_alpha(ax):
    coefficient_paths(ax, [0.5], [[2.0], [1.0]], xlabel="penalty")
    assert [t.get_text() for t in ax.texts] == ["1", "2"]
    assert ax.get_xlabel() == "penalty"
    plain = Figure().add_subplot()
    coefficient_paths(plain, ALPHAS, COEFS, n_labels=0)
    assert len(plain.texts) == 0


def test_names_of_paths_do_not_overlap(ax):
    equal = np.ones((5, 2)) * [0.0, 1.0]
    coefficient_paths(ax, [1.0, 0.1], equal)
    heights = np.sort([t.xy[1] for t in ax.texts])
    low, high = ax.get_ylim()
    assert np.diff(heights).min() > (high - low) / 16
    assert_allclose(heights.mean(), 1.0)


def test_spread_moves_as_little_as_needed():
    assert_allclose(spread([3.0, 0.0, 1.0], 1.0), [3.0, 0.0, 1.0])
    assert_allclose(spread([0.0, 0.0], 1.0), [-0.5, 0.5])
    assert_allclose(spread([2.0, 0.0, 0.0], 2.0), [2.0 + 2 / 3, -4 / 3, 2 / 3])
    assert len(spread([5.0], 1.0)) == 1


def test_path_errors(ax):
    with pytest.raises(ValueError, match=r"coefs \(3, 2\), expected \(n_alphas,\)"):
        coefficient_paths(ax, ALPHAS, COEFS[:, :2])
    with pytest.raises(ValueError, match="alphas contains 0, expected numbers above 0"):
        coefficient_paths(ax, ALPHAS * 0, COEFS)
    with pytest.raises(ValueError, match="n_labels is 9, expected 0 to 8"):
        coefficient_paths(ax, ALPHAS, COEFS, n_labels=9)
    with pytest.raises(ValueError, match="2 names for 3 rows"):
        coefficient_paths(ax, ALPHAS, COEFS, names=["a", "b"])


# Ages and a test result; the first question is about the age, the second about the test.
PATIENTS = np.array([[40, 0], [50, 1], [60, 0], [70, 0], [75, 1], [80, 1]])
STATES = np.array(["well", "well", "well", "well", "ill", "ill"])


@pytest.fixture
def tree():
    return DecisionTreeClassifier(random_state=0).fit(PATIENTS, STATES)


def test_tree_has_a_box_for_each_node(ax, tree):
    boxes = plot_tree(tree, feature_names=["age", "test"], ax=ax)
    assert len(boxes) == tree.tree_.node_count == 3
    lines = [box.get_text().split("\n") for box in boxes]
    assert lines[0] == [
        "age ≤ 72.5",
        "gini = 0.444",
        "samples = 6",
        "value = [2, 4]",
        "class = well",
    ]
    assert lines[1] == ["gini = 0", "samples = 4", "value = [0, 4]", "class = well"]
    assert lines[2] == ["gini = 0", "samples = 2", "value = [2, 0]", "class = ill"]
    answers = {t.get_text(): t.get_position()[0] for t in ax.texts if t not in boxes}
    assert set(answers) == {"yes", "no"} and answers["yes"] < answers["no"]
    assert not ax.axison


@pytest.mark.parametrize(
    ("option", "line", "text"),
    [
        ({"class_names": ["sick", "healthy"]}, -1, "class = healthy"),
        ({"class_names": True}, -1, "class = well"),
        ({"class_names": False}, -1, "value = [2, 4]"),
        ({"impurity": False}, 1, "samples = 6"),
        ({"node_ids": True}, 0, "node 0"),
        ({"proportion": True}, 2, "samples = 100 %"),
        ({"proportion": True, "precision": 2}, 3, "value = [0.33, 0.67]"),
        ({"label": "none"}, 1, "0.444"),
        ({"label": "root"}, 1, "gini = 0.444"),
        ({"precision": 0}, 1, "gini = 0"),
        ({}, 0, "feature_0 ≤ 72.5"),
    ],
)
def test_options_of_the_text(ax, tree, option, line, text):
    boxes = plot_tree(tree, ax=ax, **option)
    assert boxes[0].get_text().split("\n")[line] == text
    if option.get("label") == "root":
        assert boxes[1].get_text().startswith("0\n4\n")


def test_parents_stand_above_the_middle_of_their_children(ax):
    rng = np.random.default_rng(0)
    model = DecisionTreeRegressor(max_leaf_nodes=9).fit(
        rng.normal(size=(60, 3)), rng.normal(size=60)
    )
    x, y = np.array([box.get_position() for box in plot_tree(model, ax=ax)]).T
    tree = model.tree_
    inner = np.flatnonzero(~tree.is_leaf)
    left, right = tree.children_left[inner], tree.children_right[inner]
    assert_allclose(x[inner], (x[left] + x[right]) / 2)
    assert_allclose(x[tree.is_leaf], np.arange(9))
    assert_allclose(y, -tree.depths)


# Two inches are too few even for letters of one point, the smallest, with some Matplotlibs.
@pytest.mark.parametrize("shape", [(3, 3), (8, 3), (3, 6)])
def test_boxes_do_not_overlap(shape):
    rng = np.random.default_rng(1)
    Q = rng.normal(size=(80, 2))
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(Q, rng.integers(3, size=80))
    figure = Figure(figsize=shape)
    boxes = plot_tree(model, ax=figure.add_subplot(), feature_names=["a long name", "b"])
    areas = [box.get_bbox_patch().get_window_extent() for box in boxes]
    assert not any(a.overlaps(b) for i, a in enumerate(areas) for b in areas[:i])
    assert boxes[0].get_fontsize() < matplotlib.rcParams["font.size"]
    assert plot_tree(model, ax=figure.add_subplot(), fontsize=9)[0].get_fontsize() == 9


def test_deep_branches_are_cut_short(ax):
    model = DecisionTreeRegressor().fit(np.arange(8.0)[:, None], np.arange(8.0))
    texts = [box.get_text() for box in plot_tree(model, ax=ax, max_depth=1)]
    assert texts.count("...") == 4 and len(texts) == 7
    assert len(plot_tree(model, ax=ax, max_depth=0)) == 3


def fills(boxes):
    return [matplotlib.colors.to_rgb(box.get_bbox_patch().get_facecolor()) for box in boxes]


def test_fill_tells_class_and_value(ax, tree):
    root, well, ill = fills(plot_tree(tree, ax=ax, filled=True))
    blue, vermilion = (np.array(matplotlib.colors.to_rgb(c)) for c in COLORS[:2])
    # Tints lie on the way from white to the colour; a pure node has the stronger one.
    assert_allclose(np.cross(1 - np.array(ill), 1 - blue), 0, atol=1e-12)
    assert_allclose(np.cross(1 - np.array(well), 1 - vermilion), 0, atol=1e-12)
    assert well[2] < root[2] < 1
    model = DecisionTreeRegressor().fit(PATIENTS, PATIENTS[:, 0])
    boxes = plot_tree(model, ax=ax, filled=True)
    value = model.tree_.value[:, 0, 0]
    assert np.all(np.diff(np.array(fills(boxes))[np.argsort(value), 0]) <= 0)
    assert set(fills(plot_tree(tree, ax=ax))) == {(1.0, 1.0, 1.0)}


def test_trees_of_several_outputs_and_of_many_classes(ax):
    both = np.column_stack([STATES == "ill", PATIENTS[:, 1]])
    boxes = plot_tree(DecisionTreeClassifier().fit(PATIENTS, both), ax=ax, filled=True)
    assert set(fills(boxes)) == {(1.0, 1.0, 1.0)}
    assert boxes[0].get_text().endswith("class = 0, 0")
    many = np.arange(12)
    boxes = plot_tree(DecisionTreeClassifier().fit(many[:, None], many), ax=ax, filled=True)
    assert len(boxes) == 23


def test_tree_on_the_current_axes(tree):
    import matplotlib.pyplot as plt

    figure, (_, second) = plt.subplots(1, 2)
    assert all(box.axes is second for box in plot_tree(tree))
    plt.close(figure)
    parts = Figure().subfigures(1, 2)
    assert len(plot_tree(tree, ax=parts[1].add_subplot())) == 3


def test_tree_errors(ax, tree):
    with pytest.raises(TypeError, match="plot_tree: decision_tree is of type int, expected a deci"):
        plot_tree(3)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        plot_tree(DecisionTreeClassifier())
    with pytest.raises(ValueError, match="feature_names must contain 2 elements, got 1"):
        plot_tree(tree, feature_names=["age"], ax=ax)
    with pytest.raises(ValueError, match="class_names must contain 2 elements, got 3"):
        plot_tree(tree, class_names="abc", ax=ax)
    for name, value in {
        "max_depth": -1,
        "label": "some",
        "filled": "yes",
        "precision": 1.5,
        "fontsize": 0,
    }.items():
        with pytest.raises(ValueError, match=f"'{name}' parameter of plot_tree must be"):
            plot_tree(tree, ax=ax, **{name: value})
    assert not ax.texts


def test_slider_structure():
    made = make_slider(start=2, format="m = {}")
    elements = Elements(made._repr_html_())
    root = elements.found[0][1]
    assert root["class"] == "litlearn-slider" and root["id"].startswith("litlearn-slope-m-")
    images = elements.all("img")
    assert [i["alt"] for i in images] == [f"A line of slope m = {v}." for v in (1, 2, 5)]
    assert [i["data-value"] for i in images] == ["m = 1", "m = 2", "m = 5"]
    # Without JavaScript the start frame is the only one to be seen.
    assert ["hidden" in i for i in images] == [True, False, True]
    (control,) = elements.all("input")
    assert control["type"] == "range" and control["aria-label"] == "Slope <m>"
    assert (control["min"], control["max"], control["value"]) == ("0", "2", "1")
    assert control["aria-valuetext"] == "m = 2"
    assert elements.all("label")[0]["for"] == elements.all("output")[0]["for"] == control["id"]
    text = made._repr_html_()
    assert re.search(r"<label [^>]*>Slope &lt;m&gt;</label>", text)
    assert re.search(r"<output [^>]*>m = 2</output>", text)
    assert f'[data-litlearn-slider="{root["id"]}"]' in text
    assert "http" not in text


def test_frames_are_images_that_differ():
    made = make_slider()
    images = Elements(made._repr_html_()).all("img")
    assert len({i["src"] for i in images}) == 3
    for attributes, webp in zip(images, made.frames, strict=True):
        prefix, data = attributes["src"].split(",", 1)
        assert prefix == "data:image/webp;base64" and base64.b64decode(data) == webp
        with Image.open(io.BytesIO(webp)) as image:
            shown = int(attributes["width"]), int(attributes["height"])
            assert shown == (300, 200) and image.size == (600, 400)
            assert image.convert("RGB").getpixel((1, 1)) == (255, 255, 255)
            assert not image.info.get("Software") and "date" not in str(image.info).lower()


def test_frames_are_small():
    assert max(map(len, make_slider().frames)) < 8_000


def test_frames_lose_nothing():
    fig, _ = lines_with_legend([1.0, 2.0])
    FigureCanvasAgg(fig)
    frame = io.BytesIO(_png(fig, tight=False)[0])
    with Image.open(io.BytesIO(_webp(fig)[0])) as webp, Image.open(frame) as png:
        assert np.array_equal(np.asarray(webp.convert("RGB")), np.asarray(png.convert("RGB")))


def test_tints_keep_their_colour_among_many_others():
    """Faint tints, the pixels of 20,000 marks of all colours, and a rare one far from all."""
    rng = np.random.default_rng(0)
    pixels = np.full((400, 400, 3), 255, dtype=np.uint8)
    tints = [(226, 241, 250), (251, 235, 226), (228, 243, 238), (252, 250, 245)]
    for i, tint in enumerate(tints):
        pixels[:, 100 * i : 100 * i + 60] = tint
    rows, columns = rng.integers(0, 400, size=(2, 20_000))
    pixels[rows, columns] = rng.integers(0, 256, size=(20_000, 3))
    pixels[5, 5] = (255, 0, 255)
    out = _with_few_colors(Image.fromarray(pixels))
    assert len(out.getcolors()) <= 96
    seen = np.asarray(out.convert("RGB")).astype(int)
    even = np.ones((400, 400), dtype=bool)
    even[rows, columns] = even[5, 5] = False
    assert np.array_equal(seen[even], pixels[even])
    assert np.abs(seen - pixels).max(axis=2).mean() < 4.0
    assert np.abs(seen[5, 5] - [255, 0, 255]).max() < 64


def test_slider_is_deterministic():
    assert make_slider()._repr_html_() == make_slider()._repr_html_()
    assert make_slider().id != make_slider(label="Other").id
    assert make_slider().id != make_slider(alt="Another line of slope {value}.").id


def test_slider_does_not_depend_on_settings_of_the_page():
    plain = make_slider().frames
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "black"}):
        assert make_slider().frames == plain


def test_slider_panels():
    seen = []

    def draw(fig, value):
        seen.append((type(fig).__name__, value))
        left, right = fig.subplots(1, 2)
        draw_line(left, value)
        draw_line(right, 2 * value)

    made = slider(
        draw, [1, 2], label="Slope", alt="Two lines, {value}", figsize=(4, 2), panels=True
    )
    assert seen == [("Figure", 1), ("Figure", 2)] and made.frames[0] != made.frames[1]
    assert made.phones == []  # narrow enough


def test_frames_of_several_panels_have_a_variant_for_phones():
    def draw(fig, value):
        for ax in fig.subplots(1, 2):
            draw_line(ax, value)
            ax.legend(["a line"], loc="center")
            assert ax.get_legend().get_frame_on()

    made = slider(draw, [1, 2], label="Slope", alt="{value}", figsize=(6, 2), panels=True)
    elements = Elements(made._repr_html_())
    sources = elements.all("source")
    assert len(elements.all("picture")) == len(sources) == len(made.phones) == 2
    for source, png in zip(sources, made.phones, strict=True):
        assert source["media"] == "(max-width: 600px)"
        assert base64.b64decode(source["srcset"].split(",", 1)[1]) == png
        with Image.open(io.BytesIO(png)) as image:
            assert image.width < image.height  # below each other


def test_slider_formats():
    made = slider(
        draw_line,
        [0.5, 1.0],
        label="Slope",
        alt=lambda value: f"slope {value:g}",
        format=lambda value: f"{100 * value:.0f} %",
    )
    assert made.texts == ["50 %", "100 %"] and made.alts == ["slope 0.5", "slope 1"]
    assert repr(made) == "<slider 'Slope': 2 frames, 50 % to 100 %, starts at 50 %>"
    assert isinstance(made, Slider)


def test_slider_leaves_no_figure_open():
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    make_slider()
    assert plt.get_fignums() == before


def test_slider_errors():
    with pytest.raises(ValueError, match="slider: values is empty"):
        slider(draw_line, [], label="a", alt="b")
    with pytest.raises(ValueError, match="slider: start is 3, expected one of the values"):
        make_slider(start=3)
    with pytest.raises(ValueError, match="slider: label is '', expected a text"):
        make_slider(label="")
    with pytest.raises(ValueError, match="slider: alt has an empty text"):
        make_slider(alt=" ")


def test_table_is_markdown_in_a_notebook_and_aligned_in_a_terminal():
    shown = table(["k", "error"], [[1, "0.30"], ["a|b", "0.245"]])
    assert shown._repr_markdown_().splitlines() == [
        "| k | error |",
        "| :-- | --: |",
        "| 1 | 0.30 |",
        "| a\\|b | 0.245 |",
    ]
    assert repr(shown).splitlines() == ["k    error", "1     0.30", "a|b  0.245"]
    with pytest.raises(ValueError, match="row 1 has 1 entries, expected 2"):
        table(["k", "error"], [[1, 2], [3]])


def lines_with_legend(slopes, labels=None):
    fig = Figure(figsize=(5, 4), layout="constrained")
    ax = fig.subplots()
    x = np.linspace(0.0, 1.0, 20)
    for i, slope in enumerate(slopes):
        ax.plot(x, slope * x, label=f"slope {slope}" if labels is None else labels[i])
    ax.legend(loc="upper left")
    return fig, ax


def test_labels_stand_at_the_ends_of_lines():
    fig, ax = lines_with_legend([3.0, 1.0, 2.0])
    tidy_legends(fig)
    assert ax.get_legend() is None
    heights = {text.get_text(): text.xy[1] for text in ax.texts}
    assert heights["slope 1.0"] < heights["slope 2.0"] < heights["slope 3.0"]
    fig.draw_without_rendering()
    box = ax.get_window_extent()
    assert all(text.get_window_extent().x0 > box.x1 for text in ax.texts)


@pytest.mark.parametrize(
    ("slopes", "labels"),
    [([1.0, 1.001, 1.002], None), ([1.0, 2.0], ["a very long label that fills the picture"] * 2)],
)
def test_other_legends_stand_above_their_axes(slopes, labels):
    fig, ax = lines_with_legend(slopes, labels)
    ax.set_title("title")
    tidy_legends(fig)
    legend = ax.get_legend()
    assert len(legend.get_texts()) == len(slopes) and not legend.get_frame_on()
    fig.draw_without_rendering()
    box, title = legend.get_window_extent(), ax.title.get_window_extent()
    assert box.y0 >= ax.get_window_extent().y1
    assert title.y0 >= box.y1 - 1.0


def test_stored_figures_have_twice_the_pixels():
    fig, _ = lines_with_legend([1.0, 2.0])
    png, size = _shown(fig)
    with Image.open(io.BytesIO(png)) as image:
        assert (image.width // 2, image.height // 2) == (size["width"], size["height"])
        assert image.info["dpi"] == pytest.approx((200, 200), abs=0.1)
        assert "Software" not in image.info
    assert 450 < size["width"] < 520


def test_lines_that_meet_at_the_right_keep_their_legend():
    fig, ax = lines_with_legend([1.0, 2.0])
    for line in ax.get_lines():
        line.set_ydata(line.get_ydata() * (1.0 - line.get_xdata()))
    tidy_legends(fig)
    assert len(ax.get_legend().get_texts()) == 2


def test_legends_in_axes_of_their_own_stay():
    fig = Figure(figsize=(5, 2), layout="constrained")
    left, right = fig.subplots(1, 2)
    left.plot([0, 1], label="a")
    right.set_axis_off()
    legend = right.legend(*left.get_legend_handles_labels(), loc="center")
    tidy_legends(fig)
    assert right.get_legend() is legend


def test_a_wide_figure_has_a_narrow_variant():
    fig, _ = lines_with_legend([1.0, 2.0])
    fig.set_size_inches(6.0, 4.0)
    stored = _shown(fig)[1]
    assert set(stored) == {"width", "height", "narrow"}
    with Image.open(io.BytesIO(base64.b64decode(stored["narrow"]))) as image:
        assert image.width / 2 < 440 < 580 < stored["width"]
        assert image.info["dpi"] == pytest.approx((200, 200), abs=0.1)


def panels(rows, columns, figsize=(6.5, 3.0), **shared):
    fig = Figure(figsize=figsize, layout="constrained")
    axes = fig.subplots(rows, columns, squeeze=False, **shared)
    for i, row in enumerate(axes):
        for j, ax in enumerate(row):
            ax.plot([0, 1], [i, j])
            ax.label_outer()
    return fig, axes


def test_panels_stand_below_each_other_on_a_phone():
    fig, axes = panels(1, 3, sharex=True, sharey=True)
    axes[0, 0].set_ylabel("height")
    assert _narrow(fig) == "stacked"
    fig.draw_without_rendering()
    boxes = [ax.get_window_extent() for ax in axes[0]]
    assert boxes[0].y0 > boxes[1].y1 and boxes[1].y0 > boxes[2].y1
    assert fig.get_figwidth() < 4.5 and fig.get_figheight() > 6.0
    # What the first of a row said for all, each says for itself.
    assert [ax.get_ylabel() for ax in axes[0]] == ["height"] * 3
    assert all(ax.yaxis.get_major_ticks()[0].label1.get_visible() for ax in axes[0])


@pytest.mark.parametrize("width, layout", [(6.8, "stacked"), (10.0, "")])
def test_a_tree_beside_a_plane_goes_above_it_where_it_has_room(width, layout):
    fig, axes = panels(1, 2, figsize=(width, 3.0))
    tree = DecisionTreeClassifier(random_state=0).fit([[61], [80]], ["well", "ill"])
    plot_tree(tree, ax=axes[0, 0])
    assert _narrow(fig) == layout


def test_labels_of_rows_and_columns_stay_with_their_panels():
    fig, axes = panels(2, 2, sharex=True, sharey=True)
    for i in range(2):
        axes[i, 0].set_ylabel(f"row {i}")
        axes[1, i].set_xlabel(f"column {i}")
    assert _narrow(fig) == "stacked"
    labels = [(ax.get_xlabel(), ax.get_ylabel()) for ax in axes.flat]
    assert labels == [(f"column {j}", f"row {i}") for i in range(2) for j in range(2)]


def test_many_panels_make_two_columns_on_a_phone():
    fig, axes = panels(4, 3)
    assert _narrow(fig) == "stacked"
    fig.draw_without_rendering()
    places = {round(ax.get_position().x0, 2) for ax in axes.flat}
    assert len(places) == 2


def test_long_names_of_rows_move_into_the_axes():
    fig, axes = panels(1, 1, figsize=(7.5, 3.0))
    axes[0, 0].set_yticks([0, 1], ["a long name of a case that was measured, float64", "short"])
    assert _narrow(fig) == "narrow"
    fig.draw_without_rendering()
    name, box = axes[0, 0].texts[0], axes[0, 0].get_window_extent()
    assert name.get_text().startswith("a long name") and name.get_window_extent().x0 > box.x0
    assert box.width > 0.8 * fig.bbox.width


def test_small_figures_and_drawings_stay_as_they_are():
    assert _narrow(panels(1, 2, figsize=(4.5, 3.0))[0]) == ""
    fig, axes = panels(1, 1)
    axes[0, 0].set_axis_off()
    assert _narrow(fig) == ""
    fig = Figure(figsize=(8, 4))
    plot_tree(DecisionTreeClassifier().fit(X[:, :1], Y == "a"), ax=fig.subplots())
    assert _narrow(fig) == ""
