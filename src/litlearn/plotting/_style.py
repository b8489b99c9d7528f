"""The look of figures: colours that everyone can tell apart, a typeface, labels beside lines."""

import re
from functools import cache
from pathlib import Path

import numpy as np

#: The palette of Okabe and Ito (2008), in the order in which classes take their colours.
COLORS = (
    "#0072B2",  # blue
    "#D55E00",  # vermilion
    "#009E73",  # bluish green
    "#CC79A7",  # reddish purple
    "#E69F00",  # orange
    "#56B4E9",  # sky blue
    "#000000",  # black
    "#F0E442",  # yellow, last: it is faint on white
)

#: Markers of the classes, in the same order as the colours.
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "*")

#: Hatches of the decision regions, in the same order as the colours.
HATCHES = ("", "//", "..", "\\\\", "xx", "--", "++", "||")

#: The mark of axes whose contents need at least their width.
KEEPS_WIDTH = "keeps its width"


def load_matplotlib():
    """Import matplotlib, or say how to install it."""
    try:
        import matplotlib
    except ImportError as error:
        raise ImportError(
            "litlearn.plotting needs matplotlib, which is not installed: pip install litlearn[plot]"
        ) from error
    return matplotlib


@cache
def _add_fonts():
    """Tell matplotlib of the typeface of the pages; what it lacks comes from DejaVu Sans."""
    from matplotlib.font_manager import fontManager

    for path in sorted((Path(__file__).parents[1] / "fonts").glob("*.ttf")):
        fontManager.addfont(path)


def settings():
    """Settings of the book's figures."""
    from cycler import cycler

    _add_fonts()

    return {
        "axes.prop_cycle": cycler(color=COLORS),
        "axes.facecolor": "white",
        "axes.edgecolor": "#333333",
        "axes.labelsize": 11,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlesize": 11,
        "figure.constrained_layout.use": True,
        "figure.dpi": 100,
        "figure.facecolor": "white",
        "figure.figsize": (6.0, 4.0),
        "font.family": ["Inter", "DejaVu Sans"],
        "font.size": 11,
        "hatch.linewidth": 0.6,
        "legend.fontsize": 10,
        "legend.framealpha": 0.9,
        "lines.linewidth": 1.8,
        "mathtext.fontset": "cm",  # the letters of the formulas on the pages
        "savefig.dpi": 100,
        "savefig.facecolor": "white",
        "xtick.labelsize": 10,
        "ytick.labelsize": 10,
    }


def lay_out(fig):
    """Give a figure its limits and its layout, without the rest of what drawing it takes."""
    engine = fig.get_layout_engine()
    if engine is None:
        fig.draw_without_rendering()
    else:
        engine.execute(fig)


def tidy_legends(fig, lift=False):
    """Put the labels of a figure where they cover nothing.

    A legend of lines that run to the right end of their axes gives way to a label at the end of
    each. Any other legend loses its frame and stands above its axes.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
        A figure that is drawn. It is changed.
    lift : bool, default=False
        Put every legend above its axes, as in figures of which one follows the other.

    Raises
    ------
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from litlearn.plotting import tidy_legends
    >>> figure = Figure()
    >>> ax = figure.subplots()
    >>> test = ax.plot([0, 1, 2], [1, 2, 3], label="test")
    >>> training = ax.plot([0, 1, 2], [0, 0, 1], label="training")
    >>> legend = ax.legend(loc="center")
    >>> tidy_legends(figure)
    >>> print(ax.get_legend())  # each line has its label at its end
    None
    """
    load_matplotlib()
    lay_out(fig)  # limits and layout have their say first
    for ax in fig.axes:
        legend = ax.get_legend()
        if legend is None or not legend.get_visible() or not legend.get_texts() or not ax.axison:
            continue  # nothing to be covered, in axes that hold a legend only
        ends = [] if lift else _ends_of_lines(ax, legend)
        if ends:
            legend.remove()
            _label_ends(ax, ends)
        else:
            _lift(ax, legend)


def _ends_of_lines(ax, legend):
    """Return (line, height of its end) of each entry of a legend, or nothing if one has none."""
    texts = [text.get_text() for text in legend.get_texts()]
    title = legend.get_title().get_text()
    if title or len(set(texts)) < len(texts) or not 2 <= len(texts) <= 7:
        return []
    place, ends = ax.transAxes.inverted().transform, []
    for text in texts:
        lines = [line for line in ax.get_lines() if line.get_label() == text]
        if len(lines) != 1 or lines[0].get_transform() != ax.transData:
            return []
        points = np.ma.filled(np.ma.asarray(lines[0].get_xydata(), dtype=float), np.nan)
        points = points[np.isfinite(points).all(axis=1)]
        if len(points) < 3 or lines[0].get_linestyle() in ("None", "none", ""):
            return []
        where = place(ax.transData.transform(points))
        seen = np.flatnonzero(
            (where[:, 1] >= -0.01) & (where[:, 1] <= 1.01) & (where[:, 0] <= 1.01)
        )
        if not len(seen) or where[seen].max(axis=0)[0] < 0.85:
            return []
        last = seen[np.argmax(where[seen, 0])]
        ends.append((lines[0], where[last, 1]))
    if max(text_length(text, 10.0) for text in texts) > 0.34 * _width(ax):
        return []
    heights = np.array([height for _, height in ends])
    if np.diff(np.sort(heights)).min() < 0.3 * _line_height(ax):
        return []  # where lines meet, no end tells which
    moved = np.abs(spread(heights, _line_height(ax)) - heights)
    return ends if moved.max() < 0.9 * _line_height(ax) else []


def _line_height(ax):
    """Return the height of a line of text as a share of the axes."""
    return 13.0 * ax.get_figure().dpi / 72.0 / max(ax.get_window_extent().height, 1.0)


def text_length(text, size):
    """Return about how many points a text takes: a letter is half its size wide, or a bit more."""
    return 0.54 * size * len(re.sub(r"\\[a-z]+|[${}]", "", text))


def _width(ax):
    return ax.get_position().width * ax.get_figure().get_figwidth() * 72.0


def _label_ends(ax, ends):
    """Write the label of each line at its right end, in a darker shade of its colour."""
    from matplotlib.colors import to_rgb

    heights = np.array([height for _, height in ends])
    for (line, _), y in zip(ends, spread(heights, _line_height(ax)), strict=True):
        color = tuple(0.72 * channel for channel in to_rgb(line.get_color()))
        ax.annotate(
            line.get_label(),
            (1.0, y),
            xycoords="axes fraction",
            xytext=(5, 0),
            textcoords="offset points",
            color=color,
            va="center",
            fontsize=10,
            annotation_clip=False,
        )


def _lift(ax, legend):
    """Put a legend above its axes, without a frame, in as many columns as fit."""
    handles, texts = legend.legend_handles, [text.get_text() for text in legend.get_texts()]
    title = legend.get_title().get_text()
    size = legend.get_texts()[0].get_fontsize()
    longest = max(text_length(text, size) for text in texts)
    columns = int(np.clip(_width(ax) // (longest + 2.6 * size), 1, len(texts)))
    if ax.get_title():  # above the legend
        ax.set_title(ax.get_title(), pad=10.0 + 1.7 * size * -(-len(texts) // columns))
    legend.remove()
    ax.legend(
        handles,
        texts,
        title=title or None,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=columns,
        fontsize=size,
        frameon=False,
        borderaxespad=0.2,
        columnspacing=1.2,
        handletextpad=0.5,
    )


def spread(positions, gap):
    """Move numbers apart, as little as needed, until neighbours are at least `gap` apart."""
    order = np.argsort(positions, kind="stable")
    # Blocks of numbers that touch: each is placed so that its members move least in all.
    blocks = []
    for value in np.asarray(positions, dtype=np.float64)[order]:
        blocks.append([value, 1])
        while len(blocks) > 1:
            (low, m), (high, k) = blocks[-2:]
            if high - low >= gap * (m + k) / 2.0:
                break
            # The centre of a block is the mean of where its members would like to be.
            blocks[-2:] = [[(m * low + k * high) / (m + k), m + k]]
    moved = np.empty(len(order))
    if blocks:
        spread = [c + gap * (np.arange(m) - (m - 1) / 2.0) for c, m in blocks]
        moved[order] = np.concatenate(spread)
    return moved


def tint(color, strength):
    """Mix a colour with white; strength 1 is the colour, 0 is white."""
    from matplotlib.colors import to_rgb

    return tuple(1.0 - strength * (1.0 - channel) for channel in to_rgb(color))
