"""Save the first state of each figure to play with as its still picture, in each of its places.

    python .ci/still_pictures.py [NAME ...]

Chromium opens the figure on a page of its own; what it has drawn is written to
book/figures/NAME.svg, or NAME-STATE.svg. Readers see it where scripts are off, and in JupyterLab.
"""

import base64
import io
import re
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "book" / "_ext"))

import live_figures  # noqa: E402

STEP = 6  # of the colours of a stored map, of 256: no eye tells neighbours apart

# The map is on a canvas below each drawing; an image of it goes into the file.
DRAWN = """style => {
  const space = "http://www.w3.org/2000/svg";
  const boxes = document.querySelectorAll(".litlearn-plot-box:not([hidden])");
  const parts = [...boxes].map(box => {
    const svg = box.querySelector("svg.litlearn-plot").cloneNode(true);
    svg.setAttribute("xmlns", space);
    svg.querySelectorAll(".reach").forEach(circle => circle.remove());
    // Nothing moves here, whatever moves in the place.
    svg.querySelectorAll(".fixed").forEach(point => point.classList.replace("fixed", "handle"));
    for (const node of [svg, ...svg.querySelectorAll("*")])
      for (const {name} of [...node.attributes])
        if (/^(role|tabindex|(aria|data)-.*)$/.test(name)) node.removeAttribute(name);
    const canvas = box.querySelector("canvas");
    const layer = document.createElementNS(space, "g");
    if (canvas.style.width) {
      const map = document.createElementNS(space, "image");
      const sides = {x: "left", y: "top", width: "width", height: "height"};
      for (const name in sides) map.setAttribute(name, parseFloat(canvas.style[sides[name]]));
      map.setAttribute("href", canvas.toDataURL());
      layer.append(map);
      layer.setAttribute("clip-path", svg.querySelector(".map").getAttribute("clip-path"));
    }
    svg.prepend(layer);
    return svg;
  });
  let svg = parts[0];
  if (parts.length > 1) {  // beside each other
    svg = document.createElementNS(space, "svg");
    svg.setAttribute("xmlns", space);
    let [width, height] = [0, 0];
    for (const part of parts) {
      part.setAttribute("x", width);
      width += Number(part.getAttribute("width")) + 10;
      height = Math.max(height, Number(part.getAttribute("height")));
      svg.append(part);
    }
    for (const [name, value] of Object.entries({width, height, viewBox: `0 0 ${width} ${height}`}))
      svg.setAttribute(name, value);
  }
  const sheet = document.createElementNS(space, "style");
  sheet.textContent = style;
  const paper = document.createElementNS(space, "rect");
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  paper.setAttribute("fill", "#fff");
  svg.prepend(sheet, paper);
  return svg.outerHTML;
}"""


def drawn(tab):
    """Return the figure on the page in a tab as the text of an SVG file."""
    rules = (live_figures.FIGURES / "figure.css").read_text(encoding="utf-8").splitlines()
    style = "".join(f"\n{rule}" for rule in rules if rule.startswith(".litlearn-plot "))
    return re.sub(r' d="([MLZ\d., -]+)"', straightened, tab.evaluate(DRAWN, style + "\n") + "\n")


def straightened(path):
    """Leave out the points of a path that lie on the line between their neighbours."""
    out = []
    for piece in re.findall("[MLZ][^MLZ]*", path[1]):
        at = [float(number) for number in re.findall(r"-?[\d.]+", piece)]
        if piece[0] == "L" and [kind for kind, *_ in out[-2:]] in (["M", "L"], ["L", "L"]):
            (_, a, b), (_, c, d) = out[-2:]
            u, v = (c - a, d - b), (at[0] - c, at[1] - d)
            if abs(u[0] * v[1] - u[1] * v[0]) < 1e-9 and u[0] * v[0] + u[1] * v[1] >= 0.0:
                out.pop()
        out.append((piece[0], *at))
    return f' d="{"".join(kind + ",".join(f"{x:g}" for x in at) for kind, *at in out)}"'


def rounded(svg):
    """Round the colours of the maps to multiples of STEP: their files are a tenth as large."""

    def smaller(png):
        with Image.open(io.BytesIO(base64.b64decode(png[1]))) as image:
            colours = np.asarray(image.convert("RGB")).astype(int)
        near = np.minimum((colours + STEP // 2) // STEP * STEP, 255).astype(np.uint8)
        image, file = Image.fromarray(near), io.BytesIO()
        if len(np.unique(near.reshape(-1, 3), axis=0)) <= 256:
            image = image.quantize(256, dither=Image.Dither.NONE)
        image.save(file, "png", optimize=True)
        return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"

    return re.sub(r'data:image/png;base64,([^"]+)', smaller, svg)


def pictures(names=()):
    """Return the places whose pictures are kept: each figure as it begins, and in its states."""
    shown = [live_figures.Place(path.stem, "", None, "") for path in live_figures.alive()]
    for places in live_figures.places().values():
        shown += [place._replace(ask="") for place in places if place.state]
    kept = {place.picture: place for place in shown}
    return [place for place in kept.values() if not names or place.figure in names]


def main(names):
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        for place in pictures(names):
            page = Path(folder, f"{place.picture}.html")
            page.write_text(live_figures.standalone(place.figure, place), encoding="utf-8")
            target = live_figures.FIGURES / f"{place.picture}.svg"
            tab.goto(page.as_uri())
            tab.locator(".litlearn-plot .axes text").first.wait_for()
            target.write_text(rounded(drawn(tab)), encoding="utf-8")
            print(f"{target.name}: {target.stat().st_size // 1024} kB")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
