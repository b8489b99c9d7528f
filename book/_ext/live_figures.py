"""Sphinx extension: pictures that come alive, and frames of sliders that load when they are needed.

A picture ``figures/NAME.svg`` that has a script ``figures/NAME.js`` beside it is replaced, in the
reader's browser, by a figure to play with. Where scripts are off, and in JupyterLab, the picture
stays. CONTRIBUTING.md says how to add one.
"""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import figure_data
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.fileutil import copy_asset

BOOK = Path(__file__).resolve().parents[1]
FIGURES = BOOK / "figures"
D3 = BOOK / "vendor" / "d3" / "d3.js"


def alive():
    """Return the scripts of all figures; figure.js is what they share."""
    return sorted(path for path in FIGURES.glob("*.js") if path.stem != "figure")


def script_element(name):
    """Return the element that holds a figure's data and tells figure.js to draw it."""
    data = figure_data.data(name)
    return f'<script type="application/json" data-litlearn-figure="{name}">{data}</script>'


def standalone(name):
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
            f'<figure style="margin: 0"><img alt="{name}" src="">{script_element(name)}</figure>',
            *(f'<script defer src="{script}"></script>' for script in scripts),
            "</body></html>",
        ]
    )


# -- pictures that come alive ---------------------------------------------------------------------


def _name(image):
    """Return the name of the figure whose picture this is, or None."""
    path = Path(image["uri"])
    name = path.stem
    alive = path.parent.name == FIGURES.name and (FIGURES / f"{name}.js").is_file()
    return name if alive else None


def bring_alive(app: Sphinx, doctree):
    """Put the data of a figure behind its picture, and note that this page needs the scripts."""
    names = []
    for image in list(doctree.findall(nodes.image)):
        name = _name(image)
        if name is not None and app.builder.format == "html":
            names.append(name)
            image.parent.insert(
                image.parent.index(image) + 1,
                nodes.raw("", script_element(name), format="html"),
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
    app.connect("doctree-resolved", store_frames)
    app.connect("builder-inited", copy_scripts)
    app.connect("doctree-read", bring_alive)
    app.connect("html-page-context", add_scripts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
