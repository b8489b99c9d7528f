"""Sphinx extension: pictures that come alive, and frames of sliders that load when they are needed.

A picture ``figures/NAME.svg`` that has a script ``figures/NAME.js`` beside it is replaced, in the
reader's browser, by a figure to play with. Where scripts are off, and in JupyterLab, the picture
stays. ``{play} NAME`` sets the figure once more, in a state and with the controls that a section is
about. CONTRIBUTING.md says how to add one.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from pathlib import Path
from typing import NamedTuple

import book_prose
import figure_data
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.directives.patches import Figure
from sphinx.util.fileutil import copy_asset

BOOK = Path(__file__).resolve().parents[1]
FIGURES = BOOK / "figures"
D3 = BOOK / "vendor" / "d3" / "d3.js"


class Place(NamedTuple):
    """A figure where a page sets it."""

    figure: str
    state: str  # its name in figure_data.states, or "" for the figure as it begins
    controls: tuple[str, ...] | None  # None: all of them
    ask: str  # the prediction to be made before the verdict is seen, or ""

    @property
    def picture(self):
        """The name of the still picture, without its ending."""
        return f"{self.figure}-{self.state}" if self.state else self.figure

    def settings(self):
        """Return what figure.js needs to know of the place, as JSON."""
        given = {}
        if self.state:
            given["state"] = figure_data.states(self.figure)[self.state]
        if self.controls is not None:
            given["controls"] = self.controls
        if self.ask:
            given["ask"] = self.ask
        return json.dumps(given, ensure_ascii=False, separators=(",", ":"))


def alive():
    """Return the scripts of all figures; figure.js is what they share."""
    return sorted(path for path in FIGURES.glob("*.js") if path.stem != "figure")


def place_of(figure, options):
    """Return the place that a directive describes."""
    controls = options.get("controls")
    if controls is not None:
        controls = tuple(filter(None, (one.strip() for one in controls.split(","))))
    return Place(figure, options.get("state", ""), controls, options.get("ask", ""))


_PLAY = re.compile(r"^[`:]{3,}\{play\} *(\w+)\n((?::.*\n)*)", re.MULTILINE)


def places():
    """Return all places on the pages of the book: page -> list of Place."""
    found = {}
    for path in sorted(BOOK.glob("*.ipynb")):
        text = "\n".join(c["source"] for c in book_prose.read(path) if c["cell_type"] == "markdown")
        for name, lines in _PLAY.findall(text):
            options = dict(re.findall(r"^:([\w-]+): *(.*)$", lines, re.MULTILINE))
            found.setdefault(path.stem, []).append(place_of(name, options))
    return found


def script_element(name, place=None, data=True):
    """Return the element that tells figure.js to draw a figure, with or without its data."""
    content = figure_data.data(name) if data else ""
    given = f" data-place='{html.escape(place.settings())}'" if place else ""
    kind = f'type="application/json" data-litlearn-figure="{name}"'
    return f"<script {kind}{given}>{content}</script>"


def standalone(name, place=None):
    """Return a page with one figure and nothing else, for tests and for drawing its picture."""
    at = {file: (FIGURES / file).as_uri() for file in ("figure.css", "figure.js", f"{name}.js")}
    scripts = [D3.as_uri(), at["figure.js"], at[f"{name}.js"]]
    return "\n".join(
        [
            '<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{name}</title>",
            f'<link rel="stylesheet" href="{at["figure.css"]}">',
            '<body style="font-family: system-ui, sans-serif; max-width: 820px">',
            f'<figure style="margin: 0"><img alt="{name}" src="">',
            script_element(name, place),
            "</figure>",
            *(f'<script defer src="{script}"></script>' for script in scripts),
            "</body></html>",
        ]
    )


# -- pictures that come alive ---------------------------------------------------------------------


class Play(Figure):
    """A chapter's figure again: ``:state:``, ``:controls:`` by name, and ``:ask:`` a prediction."""

    OWN = ("state", "controls", "ask")
    option_spec = Figure.option_spec | dict.fromkeys(OWN, directives.unchanged)

    def run(self):
        name = self.arguments[0]
        if not (FIGURES / f"{name}.js").is_file():
            raise self.error(f"play: there is no figure {name!r} to play with")
        place = place_of(name, self.options)
        if place.state and place.state not in figure_data.states(name):
            raise self.error(f"play: {name} has no state {place.state!r} in figure_data.py")
        for option in self.OWN:
            self.options.pop(option, None)
        self.arguments[0] = f"figures/{place.picture}.svg"
        made = super().run()
        for figure in made:
            for image in figure.findall(nodes.image):
                image["place"] = tuple(place)
        return made


def _place(image):
    """Return the place of the figure whose picture this is, or None."""
    if "place" in image:
        return Place(*image["place"])
    path = Path(image["uri"])
    alive = path.parent.name == FIGURES.name and (FIGURES / f"{path.stem}.js").is_file()
    return Place(path.stem, "", None, "") if alive else None


def bring_alive(app: Sphinx, doctree):
    """Put the data of a figure behind its picture, and note that this page needs the scripts."""
    names = []
    for image in list(doctree.findall(nodes.image)):
        place = _place(image)
        if place is not None and app.builder.format == "html":
            first = place.figure not in names
            names.append(place.figure)
            element = script_element(
                place.figure, place if place[1:] != ("", None, "") else None, first
            )
            image.parent.insert(
                image.parent.index(image) + 1, nodes.raw("", element, format="html")
            )
    if names:
        app.env.metadata[app.env.docname]["live_figures"] = " ".join(dict.fromkeys(names))


def add_scripts(app: Sphinx, pagename, templatename, context, doctree):
    """Load scripts and style on the pages that show a figure to play with, and on no other."""
    names = app.env.metadata.get(pagename, {}).get("live_figures", "").split()
    if not names:
        return
    app.add_css_file("figures/figure.css")
    app.add_js_file("figures/d3.js", defer="defer")
    for name in ["figure", *names]:
        app.add_js_file(f"figures/{name}.js", defer="defer")


def copy_scripts(app: Sphinx):
    """Copy scripts and style beside the pages."""
    if app.builder.format == "html":
        target = Path(app.outdir) / "_static" / "figures"
        for file in [D3, *FIGURES.glob("*.js"), *FIGURES.glob("*.css")]:
            copy_asset(str(file), str(target))


# -- frames of sliders ----------------------------------------------------------------------------

_FRAME = re.compile(r'(src|srcset)="data:image/(webp|png);base64,([A-Za-z0-9+/=\s]+)"')

# A hidden frame is not loaded. All of them are, once the reader comes near the slider.
_NEAR = """<script>(function (slider) {
  function load() {
    slider.querySelectorAll("img").forEach(function (frame) { frame.loading = "eager"; });
  }
  ["pointerenter", "focusin"].forEach(function (near) {
    slider.addEventListener(near, load, { once: true });
  });
})(document.currentScript.parentNode);</script>"""


def lazy_frames(text, folder, prefix):
    """Move the frames of a slider from its HTML into files; return the HTML that names them."""

    def store(match):
        picture = base64.b64decode(match[3])
        name = f"frame-{hashlib.sha256(picture).hexdigest()[:16]}.{match[2]}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(picture)
        lazy = 'loading="lazy" ' if match[1] == "src" else ""
        return f'{lazy}{match[1]}="{prefix}{name}"'

    if 'class="litlearn-slider"' not in text:
        return text
    text = _FRAME.sub(store, text)
    return text.rstrip().removesuffix("</div>") + _NEAR + "\n</div>"


def store_frames(app: Sphinx, doctree, docname):
    """Let the sliders of a page load their frames from files."""
    if app.builder.format == "html":
        images = app.builder.imagedir
        prefix = "../" * docname.count("/") + f"{images}/"
        for raw in doctree.findall(nodes.raw):
            if "litlearn-slider" in raw.astext():
                frames = lazy_frames(raw.astext(), Path(app.outdir, images), prefix)
                raw.children = [nodes.Text(frames)]


def setup(app: Sphinx):
    app.add_directive("play", Play)
    app.connect("doctree-resolved", store_frames)
    app.connect("builder-inited", copy_scripts)
    app.connect("doctree-read", bring_alive)
    app.connect("html-page-context", add_scripts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
