"""What the pages of the book need of figures and tables, and hardly anybody else.

Pictures have twice the pixels of a common screen, in few colours; wide ones have a variant for
phones. A slider chooses between pictures without a kernel.
"""

import base64
import hashlib
import html
import io
import re
import sys
import warnings

import numpy as np

from litlearn.plotting._style import (
    KEEPS_WIDTH,
    lay_out,
    load_matplotlib,
    settings,
    text_length,
    tidy_legends,
)


def store_figures():
    """Let a notebook store figures as the pages show them, if one runs."""
    # Only a running IPython kernel has images to store; IPython is not a dependency.
    ipython = sys.modules.get("IPython")
    kernel = None if ipython is None else ipython.get_ipython()
    if getattr(kernel, "kernel", None) is None:
        return
    from matplotlib.figure import Figure
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    set_matplotlib_formats("png")
    kernel.display_formatter.formatters["image/png"].for_type(Figure, _shown)
    # A warning that depends on how busy the machine is.
    warnings.filterwarnings("ignore", message='Creating legend with loc="best"')


def _shown(fig):
    """Return what a notebook stores of a figure: PNG bytes, and its size and phone variant."""
    if not (fig.axes or fig.lines or fig.texts):
        return None
    tidy_legends(fig)
    png, (width, height) = _png(fig)
    stored = {"width": width // 2, "height": height // 2}
    layout = _narrow(fig)
    if layout:
        stored[layout] = base64.b64encode(_png(fig)[0]).decode("ascii")
    return png, stored


#: Inches across a figure on a phone: a little more than the column of text there.
_PHONE = 4.2

#: Figures up to this width, in inches, are legible on a phone as they are.
_LEGIBLE = 4.9


def _narrow(fig):
    """Lay a figure out for a phone: "narrow", or "stacked" if panels stand below each other now.

    Up to six panels make one column, more of them two. Panels that shared the numbers of an axis
    show them each. An empty text: the figure stays as it is.
    """
    width, height = fig.get_size_inches()
    panels = [ax for ax in fig.axes if ax.get_subplotspec() is not None]
    grids = {ax.get_gridspec() for ax in panels}
    lone = len(panels) == 1 and not panels[0].axison  # a drawing, in which words have their places
    if width <= _LEGIBLE or len(grids) > 1 or lone:
        return ""
    rows, columns = grids.pop().get_geometry() if grids else (1, 1)
    cells = sorted({ax.get_subplotspec().num1 for ax in panels})
    across = columns if columns == 1 else 1 if len(cells) <= 6 else 2
    down = -(-len(cells) // across) if panels else 1
    grow = (_PHONE / across) / (width / columns)
    if grow < 1.0 and any(ax.get_gid() == KEEPS_WIDTH for ax in fig.axes):
        return ""
    if across < columns:
        _own_numbers(panels)
        grid = fig.add_gridspec(down, across)
        for ax in panels:
            place = cells.index(ax.get_subplotspec().num1)
            ax.set_subplotspec(grid[place // across, place % across])
    tall = max([1.0, *(_names_within(ax) for ax in panels)])
    height = tall * down * height / rows * float(np.clip(grow, 0.85, 1.25))
    fig.set_size_inches(_PHONE, height)
    tidy_legends(fig)
    legends = [legend for ax in fig.axes if (legend := ax.get_legend())]
    lines = max([1, *(-(-len(one.get_texts()) // one._ncols) for one in legends)])
    fig.set_size_inches(_PHONE, height + 0.2 * (lines - 1))
    return "stacked" if across < columns else "narrow"


def _own_numbers(panels):
    """Give panels that share an axis their numbers, and the label of their row or column."""
    for ax in panels:
        place = ax.get_subplotspec()
        for axis, side, span in (("x", "bottom", "colspan"), ("y", "left", "rowspan")):
            shared = getattr(ax, f"get_shared_{axis}_axes")().get_siblings(ax)
            near = [one for one in panels if one in shared]
            near = [o for o in near if getattr(o.get_subplotspec(), span) == getattr(place, span)]
            labels = [getattr(one, f"get_{axis}label")() for one in near]
            if len(shared) > 1:
                ax.tick_params(axis=axis, which="both", **{f"label{side}": True})
                if not getattr(ax, f"get_{axis}label")():
                    getattr(ax, f"set_{axis}label")(next(filter(None, labels), ""))


def _names_within(ax):
    """Move long names of rows into the axes, above the rows; return how much taller these get."""
    names = ax.get_yticklabels()
    if (
        max((text_length(name.get_text(), 10.0) for name in names), default=0)
        < 0.45 * 72.0 * _PHONE
    ):
        return 1.0
    ax.tick_params(axis="y", length=0, labelleft=False)
    for name, height in zip(names, ax.get_yticks(), strict=True):
        ax.annotate(
            name.get_text(),
            (0.0, height),
            xycoords=ax.get_yaxis_transform(),
            xytext=(6, 1),
            textcoords="offset points",
            fontsize=9,
            annotation_clip=False,
        ).set_in_layout(False)  # the axes are as wide as without names
    return 1.6


_SLIDER_STYLE = (
    ".litlearn-slider{max-width:100%}"
    ".litlearn-slider img{display:block;max-width:100%;height:auto;margin:0 auto}"
    ".litlearn-slider img[hidden]{display:none!important}"
    ".litlearn-slider-control{display:flex;flex-wrap:wrap;align-items:center;"
    "justify-content:center;gap:.25em .75em;margin:.25em auto 0;padding:.25em .5em .5em}"
    ".litlearn-slider-control input{flex:1 1 12em;max-width:24em;min-height:1.75em}"
    ".litlearn-slider-control output{min-width:3em;font-variant-numeric:tabular-nums}"
)

# The same page may be open twice in JupyterLab, so the script looks for every slider of its name
# and not for one element. It also runs twice when an output is drawn again.
_SLIDER_SCRIPT = """\
(function () {
  document.querySelectorAll('[data-litlearn-slider="%s"]').forEach(function (root) {
    var input = root.querySelector("input"), output = root.querySelector("output");
    var frames = root.querySelectorAll("img");
    function show() {
      var chosen = Number(input.value);
      frames.forEach(function (frame, i) { frame.hidden = i !== chosen; });
      output.value = frames[chosen].dataset.value;
      input.setAttribute("aria-valuetext", frames[chosen].dataset.value);
    }
    input.oninput = show;
    show();
  });
})();"""


def _data(webp):
    """Return an address that holds a picture itself."""
    return f"data:image/webp;base64,{base64.b64encode(webp).decode('ascii')}"


class Slider:
    """Frames of a figure and a slider that chooses between them; made by :func:`slider`.

    Attributes
    ----------
    label : str
        What the slider changes.
    texts : list of str
        The values, as shown.
    alts : list of str
        Text that replaces each frame for a reader who does not see it.
    frames : list of bytes
        One WebP image a value, without loss, with twice the pixels of its size on the page.
    phones : list of bytes
        The same frames with their panels below each other; empty if there is only one.
    start : int
        Position of the frame that is shown first.

    Examples
    --------
    >>> from litlearn.plotting import slider
    >>> def draw(ax, k):
    ...     ax.plot([0, 1], [0, k])
    >>> shown = slider(draw, [1, 2], label="Neighbours k", alt="A line that ends at {value}.")
    >>> shown.texts, shown.alts[1], len(shown.frames)
    (['1', '2'], 'A line that ends at 2.', 2)
    """

    def __init__(self, label, texts, alts, frames, phones, start, size):
        self.label = label
        self.texts = texts
        self.alts = alts
        self.frames = frames
        self.phones = phones
        self.start = start
        self.size = size

    @property
    def id(self):
        """Identifier of the element: made from the label and the alternative text."""
        name = re.sub(r"[^a-z0-9]+", "-", self.label.lower()).strip("-") or "slider"
        digest = hashlib.sha256("\n".join([self.label, *self.alts]).encode()).hexdigest()
        return f"litlearn-{name}-{digest[:8]}"

    def __repr__(self):
        return (
            f"<slider {self.label!r}: {len(self.frames)} frames, "
            f"{self.texts[0]} to {self.texts[-1]}, starts at {self.texts[self.start]}>"
        )

    def _repr_html_(self):
        width, height = self.size
        lines = [
            f'<div class="litlearn-slider" id="{self.id}" data-litlearn-slider="{self.id}">',
            f"<style>{_SLIDER_STYLE}</style>",
        ]
        for i, (text, alt, frame) in enumerate(
            zip(self.texts, self.alts, self.frames, strict=True)
        ):
            hidden = "" if i == self.start else " hidden"
            picture = (
                f'<img width="{width}" height="{height}" alt="{html.escape(alt)}" '
                f'data-value="{html.escape(text)}"{hidden} src="{_data(frame)}">'
            )
            if self.phones:
                source = f'<source media="(max-width: 600px)" srcset="{_data(self.phones[i])}">'
                picture = f"<picture>{source}{picture}</picture>"
            lines.append(picture)
        label, shown = html.escape(self.label), html.escape(self.texts[self.start])
        lines += [
            '<div class="litlearn-slider-control">',
            f'<label for="{self.id}-input">{label}</label>',
            f'<input type="range" id="{self.id}-input" min="0" max="{len(self.frames) - 1}" '
            f'step="1" value="{self.start}" autocomplete="off" aria-label="{label}" '
            f'aria-valuetext="{shown}">',
            f'<output for="{self.id}-input">{shown}</output>',
            "</div>",
            f"<script>{_SLIDER_SCRIPT % self.id}</script>",
            "</div>",
        ]
        return "\n".join(lines)


def _drawn(fig, tight=False):
    """Draw a figure with twice its dots per inch, in few colours; return the image and its dpi."""
    from matplotlib import rc_context, rcParams
    from PIL import Image

    raw, dpi, engine = io.BytesIO(), fig.dpi, fig.get_layout_engine()
    # Layout first and then one drawing. Matplotlib draws a figure that has a layout twice.
    fig.set_dpi(2 * dpi)
    lay_out(fig)
    bbox = fig.get_tightbbox().padded(rcParams["savefig.pad_inches"]) if tight else None
    with rc_context({"figure.autolayout": False, "figure.constrained_layout.use": False}):
        fig.set_layout_engine(None)
        once = {"compress_level": 0}  # what is read again at once
        fig.savefig(raw, dpi=2 * dpi, facecolor="white", bbox_inches=bbox, pil_kwargs=once)
        fig.set_layout_engine(engine)
    fig.set_dpi(dpi)
    raw.seek(0)
    with Image.open(raw) as image:
        return _with_few_colors(image.convert("RGB")), 2 * dpi


def _with_few_colors(image, most=96, exact=48, share=1 / 4000):
    """Return an image with a palette: a picture about four times smaller than in full colour.

    Colours that cover more than a small share of the picture, such as tints, are kept as they are.
    For all others together the rest of the palette is chosen such that none is far from its own.
    """
    from PIL import Image

    found = sorted(image.getcolors(image.width * image.height), reverse=True)
    colors = np.array([color for _, color in found], dtype=np.int32)
    kept = sum(count >= share * image.width * image.height for count, _ in found[:exact])
    palette, others = colors[:kept], colors[kept:]
    if len(others):
        strip = Image.fromarray(others.astype(np.uint8)[None], "RGB")
        few = {"method": Image.Quantize.MAXCOVERAGE, "dither": Image.Dither.NONE}
        chosen = strip.quantize(most - kept, **few).getpalette()[: 3 * (most - kept)]
        palette = np.concatenate([palette, np.reshape(chosen, (-1, 3))])
    place = np.empty(2**24, dtype=np.uint8)  # of a colour in the palette
    code = np.array([2**16, 2**8, 1], dtype=np.int32)
    distance = np.square(colors[:, None] - palette).sum(axis=2)
    place[colors @ code] = distance.argmin(axis=1)
    out = Image.fromarray(place[np.asarray(image, dtype=np.int32) @ code], "P")
    out.putpalette(palette.astype(np.uint8).tobytes())
    return out


def _png(fig, tight=True):
    """Draw a figure to PNG bytes, and its size.

    The bytes name no date and no program (Pillow writes none).
    """
    image, dpi = _drawn(fig, tight)
    stored = io.BytesIO()
    image.save(stored, format="png", optimize=True, dpi=(dpi, dpi))
    return stored.getvalue(), image.size


def _webp(fig):
    """Draw a figure to WebP bytes, and its size: the pixels of the PNG picture, a quarter smaller.

    Outputs of notebooks must be PNG. The frames of a slider need not.
    """
    image, _ = _drawn(fig)
    stored = io.BytesIO()
    image.convert("RGB").save(stored, format="webp", lossless=True, quality=100, method=2)
    return stored.getvalue(), image.size


def slider(
    draw,
    values,
    *,
    label,
    alt,
    figsize=(6.0, 4.0),
    start=None,
    format="{}",
    panels=False,
):
    """Draw one frame a value and let the reader choose between them, without a kernel.

    All frames are images inside the page, with one ``<input type="range">`` and a few lines of
    script. The slider answers to mouse, touch and arrow keys. A page without JavaScript shows the
    frame `start`.

    Parameters
    ----------
    draw : callable
        ``draw(ax, value)`` draws one frame. With `panels` it is called as ``draw(fig, value)``.
    values : sequence
        One frame is drawn for each.
    label : str
        What the slider changes, shown beside it: ``"Number of neighbours k"``.
    alt : str or callable
        Text that replaces the image. In a str, ``{value}`` stands for the shown value; a callable
        ``alt(value)`` returns the text.
    figsize : (float, float), default=(6.0, 4.0)
        Width and height of a frame in inches.
    start : object, default=None
        The value shown first; one of `values`. None: the first.
    format : str or callable, default="{}"
        How a value is shown: ``"{:.2f}"``, or a callable that returns the text.
    panels : bool, default=False
        Give `draw` the whole figure, so that it can make several axes.

    Returns
    -------
    Slider
        An object that a notebook shows as HTML.

    Raises
    ------
    ValueError
        If there are no values, `start` is not one of them, or label or alt text is empty.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from litlearn.plotting import slider
    >>> def draw(ax, k):
    ...     ax.plot([0, 1], [0, k])
    >>> shown = slider(draw, [1, 5, 9], label="k", alt="A line that ends at {value}.", start=5)
    >>> shown.start
    1
    """
    load_matplotlib()
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    values = list(values)
    if not values:
        raise ValueError("slider: values is empty, expected at least one value")
    if not isinstance(label, str) or not label.strip():
        raise ValueError(f"slider: label is {label!r}, expected a text")
    matches = [0] if start is None else [i for i, value in enumerate(values) if value == start]
    if not matches:
        raise ValueError(f"slider: start is {start!r}, expected one of the values {values}")
    texts = [format(value) if callable(format) else format.format(value) for value in values]
    if callable(alt):
        alts = [alt(value) for value in values]
    else:
        alts = [str(alt).replace("{value}", text) for text in texts]
    if not all(text.strip() for text in alts):
        raise ValueError("slider: alt has an empty text, expected a description of each frame")

    frames, phones = [], []
    for value in values:
        with rc_context(settings()):
            # A Figure outside pyplot: the notebook would show pyplot's figures a second time.
            fig = Figure(figsize=figsize, dpi=100, layout="constrained")
            FigureCanvasAgg(fig)
            draw(fig if panels else fig.add_subplot(), value)
            tidy_legends(fig, lift=True)
            frame, (width, height) = _webp(fig)
            if len(fig.axes) > 1 and _narrow(fig):
                phones.append(_webp(fig)[0])
        frames.append(frame)
    return Slider(label, texts, alts, frames, phones, matches[0], (width // 2, height // 2))


class PageTable:
    """Rows that a notebook shows as a table; made by :func:`table`."""

    def __init__(self, head, rows):
        self.head = head
        self.rows = rows

    def __repr__(self):
        lines = [self.head, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        first, *others = widths
        return "\n".join(
            "  ".join([line[0].ljust(first), *map(str.rjust, line[1:], others)]) for line in lines
        )

    def _repr_markdown_(self):
        rule = [":--", *["--:"] * (len(self.head) - 1)]
        escaped = [[cell.replace("|", "\\|") for cell in line] for line in [self.head, *self.rows]]
        lines = [escaped[0], rule, *escaped[1:]]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def table(head, rows):
    """Show results as a table: words to the left, numbers to the right.

    Parameters
    ----------
    head : sequence of str
        Names of the columns. The first column names the rows.
    rows : sequence of sequences
        One entry a column. What is not a str is shown by ``str``; round numbers beforehand.

    Returns
    -------
    PageTable
        An object that a notebook shows as a table, and a terminal as aligned text.

    Raises
    ------
    ValueError
        If a row has not as many entries as `head`.

    Examples
    --------
    >>> from litlearn.plotting import table
    >>> len(str(table(["Model", "Errors"], [["tree", 3], ["forest", 1]])).splitlines()) >= 3
    True
    """
    head, rows = [str(name) for name in head], [[str(entry) for entry in row] for row in rows]
    for i, row in enumerate(rows):
        if len(row) != len(head):
            raise ValueError(
                f"table: row {i} has {len(row)} entries, expected {len(head)}, as many as head"
            )
    return PageTable(head, rows)
