"""Figures and tables of the book: colours that everyone can tell apart, a slider without a kernel.

Every figure is drawn on white without a title, in the typeface of the pages, with twice the pixels
of a common screen; a wide one has a variant for phones. Classes differ in marker (or hatch) as well
as in colour. matplotlib is imported when a function is called, so that importing this module is
cheap.
"""

from __future__ import annotations

import base64
import hashlib
import html
import io
import re
import sys
import warnings
from functools import cache
from pathlib import Path

import numpy as np

from litlearn._core.guide import guide

__all__ = [
    "COLORS",
    "HATCHES",
    "MARKERS",
    "Slider",
    "coefficient_paths",
    "covariance_ellipse",
    "decision_regions",
    "plot_tree",
    "scatter_classes",
    "set_style",
    "slider",
    "table",
    "tidy_legends",
]

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


def _matplotlib():
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

    for path in sorted((Path(__file__).parent / "fonts").glob("*.ttf")):
        fontManager.addfont(path)


def _style():
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


def set_style():
    """Set matplotlib's defaults to the look of the book.

    White background, the palette :data:`COLORS`, the typeface of the pages, text of at least 10
    points. In a notebook, figures are stored with twice the pixels of a common screen, in 96
    colours, with legends where they cover nothing (:func:`tidy_legends`), and wide ones with a
    variant for phones. The images do not carry the name and version of the program that drew them,
    so that running a page again gives the same file.

    Raises
    ------
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from litlearn.plotting import set_style
    >>> with plt.rc_context():  # for this example only: a notebook calls it once
    ...     set_style()
    ...     print(plt.rcParams["axes.facecolor"])
    white
    """
    _matplotlib().rcParams.update(_style())
    # Only a running IPython kernel has images to store; IPython is not a dependency.
    ipython = sys.modules.get("IPython")
    kernel = None if ipython is None else ipython.get_ipython()
    if getattr(kernel, "kernel", None) is not None:
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
    png, (width, height) = _png(fig, bbox_inches="tight")
    stored = {"width": width // 2, "height": height // 2}
    layout = _narrow(fig)
    if layout:
        stored[layout] = base64.b64encode(_png(fig, bbox_inches="tight")[0]).decode("ascii")
    return png, stored


#: Inches across a figure on a phone: a little more than the column of text there.
_PHONE = 4.2

#: Figures up to this width, in inches, are legible on a phone as they are.
_LEGIBLE = 4.9

#: The mark of axes whose contents need at least their width.
_KEEPS_WIDTH = "keeps its width"


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
    if grow < 1.0 and any(ax.get_gid() == _KEEPS_WIDTH for ax in fig.axes):
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
    if max((_length(name.get_text(), 10.0) for name in names), default=0) < 0.45 * 72.0 * _PHONE:
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
    _matplotlib()
    fig.draw_without_rendering()  # limits and layout have their say first
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
    if max(_length(text, 10.0) for text in texts) > 0.34 * _width(ax):
        return []
    heights = np.array([height for _, height in ends])
    if np.diff(np.sort(heights)).min() < 0.3 * _line_height(ax):
        return []  # where lines meet, no end tells which
    moved = np.abs(_spread(heights, _line_height(ax)) - heights)
    return ends if moved.max() < 0.9 * _line_height(ax) else []


def _line_height(ax):
    """Return the height of a line of text as a share of the axes."""
    return 13.0 * ax.get_figure().dpi / 72.0 / max(ax.get_window_extent().height, 1.0)


def _length(text, size):
    """Return about how many points a text takes: a letter is half its size wide, or a bit more."""
    return 0.54 * size * len(re.sub(r"\\[a-z]+|[${}]", "", text))


def _width(ax):
    return ax.get_position().width * ax.get_figure().get_figwidth() * 72.0


def _label_ends(ax, ends):
    """Write the label of each line at its right end, in a darker shade of its colour."""
    from matplotlib.colors import to_rgb

    heights = np.array([height for _, height in ends])
    for (line, _), y in zip(ends, _spread(heights, _line_height(ax)), strict=True):
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
    longest = max(_length(text, size) for text in texts)
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


def _tint(color, strength):
    """Mix a colour with white; strength 1 is the colour, 0 is white."""
    from matplotlib.colors import to_rgb

    return tuple(1.0 - strength * (1.0 - channel) for channel in to_rgb(color))


def _two_columns(X, name):
    """Check that X has two columns."""
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(f"{name}: X has shape {X.shape}, expected (n_samples, 2)")
    return X


def _class_list(y, classes, name):
    """Return the classes in drawing order; each needs a colour and a marker of its own."""
    classes = np.unique(y) if classes is None else np.asarray(classes)
    if len(classes) > len(COLORS):
        raise ValueError(f"{name}: {len(classes)} classes, expected at most {len(COLORS)}")
    return classes


def scatter_classes(ax, X, y, *, classes=None, labels=None, size=30, legend=True, **kwargs):
    """Scatter two features; every class has its own colour and marker.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    X : array-like of shape (n_samples, 2)
        The two features, horizontal then vertical.
    y : array-like of shape (n_samples,)
        The class of each sample.
    classes : array-like, default=None
        The classes in the order in which they take colours. None: the sorted values of `y`.
    labels : sequence of str, default=None
        Names of the classes for the legend. None: the classes themselves.
    size : float, default=30
        Marker area in square points.
    legend : bool, default=True
        Draw a legend.
    **kwargs
        Passed on to ``ax.scatter``.

    Returns
    -------
    list of matplotlib.collections.PathCollection
        One entry a class.

    Raises
    ------
    ValueError
        If `X` has not two columns, `y` another length, or there are more than 8 classes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from litlearn.plotting import scatter_classes
    >>> ax = Figure().subplots()
    >>> marks = scatter_classes(ax, [[61, 3.4], [80, 2.9]], ["well", "ill"])
    >>> [one.get_label() for one in marks]
    ['ill', 'well']
    """
    _matplotlib()
    X = _two_columns(X, "scatter_classes")
    y = np.asarray(y)
    if y.shape != (len(X),):
        raise ValueError(f"scatter_classes: y has shape {y.shape}, expected ({len(X)},)")
    classes = _class_list(y, classes, "scatter_classes")
    labels = [str(c) for c in classes] if labels is None else list(labels)
    if len(labels) != len(classes):
        raise ValueError(
            f"scatter_classes: {len(labels)} labels for {len(classes)} classes, expected as many"
        )
    style = {"edgecolors": "#222222", "linewidths": 0.5, "zorder": 3} | kwargs
    artists = []
    for c, label, color, marker in zip(classes, labels, COLORS, MARKERS, strict=False):
        of_class = y == c
        artists.append(
            ax.scatter(
                X[of_class, 0], X[of_class, 1], s=size, c=color, marker=marker, label=label, **style
            )
        )
    if legend:
        ax.legend()
    return artists


def decision_regions(
    ax,
    model,
    X,
    y=None,
    *,
    proba=False,
    classes=None,
    labels=None,
    resolution=200,
    margin=0.05,
    limits=None,
    hatch=True,
    size=30,
    legend=True,
):
    """Colour the plane by the class that a fitted model predicts.

    The model predicts on a grid of points. Each class has a light tint and a hatch, and a dark line
    separates the regions. With `proba` the tint follows the probability of the second class.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    model : object
        A classifier fitted on two features, with ``predict`` (and ``predict_proba`` for `proba`).
    X : array-like of shape (n_samples, 2)
        Samples that set the limits of the picture; drawn if `y` is given.
    y : array-like of shape (n_samples,), default=None
        Classes of the samples. None: the samples are not drawn.
    proba : bool, default=False
        Shade the probability of the second of two classes, with lines at 0.25, 0.5 and 0.75.
    classes, labels
        As in :func:`scatter_classes`; `classes` defaults to ``model.classes_``.
    resolution : int, default=200
        Grid points along each axis. The model predicts ``resolution ** 2`` points.
    margin : float, default=0.05
        Space around the samples, as a share of their range.
    limits : (x_min, x_max, y_min, y_max), default=None
        Limits of the picture. None: from `X` and `margin`.
    hatch : bool, default=True
        Hatch the regions, so that colour is not the only sign.
    size, legend
        As in :func:`scatter_classes`.

    Returns
    -------
    ndarray of shape (resolution, resolution)
        Index of the predicted class, or with `proba` the probability, on the grid.

    Raises
    ------
    ValueError
        If `X` has not two columns, or `proba` is used with other than two classes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from litlearn.plotting import decision_regions
    >>> ax = Figure().subplots()
    >>> from litlearn.neighbors import KNeighborsClassifier
    >>> X, y = [[61.0, 3.4], [80.0, 2.9]], ["well", "ill"]
    >>> model = KNeighborsClassifier(1).fit(X, y)
    >>> decision_regions(ax, model, X, y, resolution=20).shape
    (20, 20)
    """
    _matplotlib()
    from matplotlib.colors import LinearSegmentedColormap, ListedColormap

    X = _two_columns(X, "decision_regions")
    if classes is None:
        classes = getattr(model, "classes_", None)
        if classes is None:
            if y is None:
                raise ValueError(
                    "decision_regions: classes is None, y is None and the model has no classes_; "
                    "expected one of them"
                )
            classes = np.unique(y)
    classes = _class_list(None, classes, "decision_regions")
    if proba and len(classes) != 2:
        raise ValueError(
            f"decision_regions: proba=True with {len(classes)} classes, expected 2 classes"
        )
    if limits is None:
        low, high = X.min(axis=0), X.max(axis=0)
        pad = margin * np.where(high > low, high - low, 1.0)
        limits = (low[0] - pad[0], high[0] + pad[0], low[1] - pad[1], high[1] + pad[1])
    horizontal = np.linspace(limits[0], limits[1], resolution)
    vertical = np.linspace(limits[2], limits[3], resolution)
    grid = np.column_stack([a.ravel() for a in np.meshgrid(horizontal, vertical)])
    shape = (resolution, resolution)

    if proba:
        value = np.asarray(model.predict_proba(grid))[:, 1].reshape(shape)
        tints = [_tint(COLORS[0], 0.45), (1.0, 1.0, 1.0), _tint(COLORS[1], 0.45)]
        colormap = LinearSegmentedColormap.from_list("probability", tints)
        ax.pcolormesh(
            horizontal, vertical, value, cmap=colormap, vmin=0.0, vmax=1.0, rasterized=True
        )
        if value.min() < 0.5 < value.max():
            ax.contour(horizontal, vertical, value, levels=[0.5], colors="#222222", linewidths=1.4)
        for level in (0.25, 0.75):
            if value.min() < level < value.max():
                ax.contour(
                    horizontal,
                    vertical,
                    value,
                    levels=[level],
                    colors="#555555",
                    linewidths=0.9,
                    linestyles="dashed",
                )
    else:
        predicted = np.asarray(model.predict(grid))
        value = np.zeros(len(grid), dtype=np.intp)
        for i, c in enumerate(classes):
            value[predicted == c] = i
        value = value.reshape(shape)
        tints = ListedColormap([_tint(COLORS[i], 0.28) for i in range(len(classes))])
        ax.pcolormesh(
            horizontal,
            vertical,
            value,
            cmap=tints,
            vmin=-0.5,
            vmax=len(classes) - 0.5,
            rasterized=True,
        )
        for i in range(len(classes)):
            # One mask a class: contours of the class numbers would draw class 1 between 0 and 2.
            mask = (value == i).astype(np.float64)
            if mask.min() == mask.max():
                continue
            ax.contour(horizontal, vertical, mask, levels=[0.5], colors="#444444", linewidths=0.9)
        if hatch:
            for i in range(len(classes)):
                mask = (value == i).astype(np.float64)
                if HATCHES[i] and mask.any():
                    region = ax.contourf(
                        horizontal,
                        vertical,
                        mask,
                        levels=[0.5, 1.5],
                        colors="none",
                        hatches=[HATCHES[i]],
                    )
                    region.set_edgecolor(_tint(COLORS[i], 0.55))
                    region.set_linewidth(0.0)
    if y is not None:
        scatter_classes(ax, X, y, classes=classes, labels=labels, size=size, legend=legend)
    ax.set_xlim(limits[0], limits[1])
    ax.set_ylim(limits[2], limits[3])
    return value


def covariance_ellipse(ax, mean, cov, *, n_std=2.0, color=COLORS[0], fill=0.15, **kwargs):
    r"""Draw the ellipse on which a normal density is constant.

    The ellipse holds the points :math:`\bm{x}` with
    :math:`(\bm{x} - \bm{\mu})^\top \bm{\Sigma}^{-1} (\bm{x} - \bm{\mu})` equal to ``n_std ** 2``.
    Its axes are the eigenvectors of the covariance, its half-lengths `n_std` times the square
    roots of the eigenvalues.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    mean : array-like of shape (2,)
        Centre of the ellipse.
    cov : array-like of shape (2, 2)
        Covariance: symmetric, no negative eigenvalue.
    n_std : float, default=2.0
        Size in standard deviations. The ellipse of size 2 holds 86.5 % of a normal distribution.
    color : colour, default=COLORS[0]
        Colour of the line; the area has the same colour.
    fill : float, default=0.15
        Opacity of the area; 0 draws the line only.
    **kwargs
        Passed on to ``matplotlib.patches.Ellipse``.

    Returns
    -------
    matplotlib.patches.Ellipse

    Raises
    ------
    ValueError
        If shapes are wrong, or the covariance is not symmetric or has a negative eigenvalue.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from litlearn.plotting import covariance_ellipse
    >>> ax = Figure().subplots()
    >>> ellipse = covariance_ellipse(ax, [0.0, 0.0], [[4.0, 0.0], [0.0, 1.0]], n_std=1.0)
    >>> print(round(max(ellipse.width, ellipse.height), 6))
    4.0
    """
    _matplotlib()
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Ellipse

    mean = np.asarray(mean, dtype=np.float64)
    cov = np.asarray(cov, dtype=np.float64)
    if mean.shape != (2,) or cov.shape != (2, 2):
        raise ValueError(
            f"covariance_ellipse: mean has shape {mean.shape} and cov {cov.shape}, "
            "expected (2,) and (2, 2)"
        )
    if not np.allclose(cov, cov.T):
        raise ValueError("covariance_ellipse: cov is not symmetric, expected a covariance matrix")
    values, vectors = np.linalg.eigh(cov)
    if values[0] < -1e-12 * abs(values[1]):
        raise ValueError(
            f"covariance_ellipse: cov has the eigenvalue {values[0]:g}, expected none below zero"
        )
    values = np.maximum(values, 0.0)
    width, height = 2.0 * n_std * np.sqrt(values[::-1])
    angle = np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1]))
    style = {"edgecolor": color, "facecolor": to_rgba(color, fill), "linewidth": 1.8} | kwargs
    return ax.add_patch(Ellipse(mean, width, height, angle=angle, **style))


#: Line styles, in the same order as the colours: lines are told apart in black and white, too.
_LINES = ("-", "--", "-.", ":")


def _spread(positions, gap):
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


def coefficient_paths(ax, alphas, coefs, *, names=None, n_labels=6, mark=None, xlabel=None):
    """Draw each coefficient of a linear model against the strength of its penalty.

    The penalty falls from left to right, on a logarithmic axis, so that the picture begins with the
    strictest model. The coefficients that are largest at the weakest penalty have a colour, a line
    style and their name at the right end; the others are thin and grey.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    alphas : array-like of shape (n_alphas,)
        Strengths of the penalty, all above 0, in any order.
    coefs : array-like of shape (n_features, n_alphas)
        Coefficients: row j holds those of feature j. This is the shape that ``lasso_path`` and
        ``enet_path`` return.
    names : list of str of shape (n_features,), default=None
        Names of the features. None: their numbers, counted from 1.
    n_labels : int, default=6
        How many coefficients have a colour and a name, at most 8.
    mark : float, default=None
        A strength to be marked by a vertical line, for instance the one that was chosen.
    xlabel : str, default=None
        What the horizontal axis says. None: ``"alpha (strong to weak)"``.

    Returns
    -------
    list of matplotlib.lines.Line2D
        One line a feature, in the order of `coefs`.

    Raises
    ------
    ValueError
        If shapes do not fit each other, a strength is not above 0, or `n_labels` is not between
        0 and 8.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from litlearn.plotting import coefficient_paths
    >>> ax = Figure().subplots()
    >>> lines = coefficient_paths(ax, [1.0, 0.1], [[0.0, 2.0], [0.0, 0.5]], names=["age", "score"])
    >>> len(lines)
    2
    """
    _matplotlib()
    alphas, coefs = np.asarray(alphas, dtype=np.float64), np.asarray(coefs, dtype=np.float64)
    if alphas.ndim != 1 or coefs.ndim != 2 or coefs.shape[1] != len(alphas) or not len(alphas):
        raise ValueError(
            f"coefficient_paths: alphas has shape {alphas.shape} and coefs {coefs.shape}, "
            "expected (n_alphas,) and (n_features, n_alphas)"
        )
    if not np.all(alphas > 0.0):
        raise ValueError(
            f"coefficient_paths: alphas contains {alphas.min():g}, expected numbers above 0"
        )
    if not 0 <= n_labels <= len(COLORS):
        raise ValueError(f"coefficient_paths: n_labels is {n_labels}, expected 0 to {len(COLORS)}")
    names = [str(j + 1) for j in range(len(coefs))] if names is None else list(names)
    if len(names) != len(coefs):
        raise ValueError(f"coefficient_paths: {len(names)} names for {len(coefs)} rows of coefs")
    order = np.argsort(alphas)[::-1]
    alphas, coefs = alphas[order], coefs[:, order]
    largest = np.argsort(-np.abs(coefs[:, -1]), kind="stable")[:n_labels]
    rank = {int(j): i for i, j in enumerate(largest)}
    lines = []
    for j, path in enumerate(coefs):
        if j in rank:
            i = rank[j]
            style = {"color": COLORS[i], "linestyle": _LINES[i % len(_LINES)], "zorder": 3}
        else:
            style = {"color": "#AAAAAA", "linewidth": 0.9, "zorder": 2}
        lines += ax.plot(alphas, path, **style)
    ax.axhline(0.0, color="#333333", linewidth=0.8, zorder=1)
    if mark is not None:
        ax.axvline(mark, color="#333333", linestyle=(0, (1, 2)), linewidth=1.4, zorder=1)
    ax.set(xscale="log", xlabel="alpha (strong to weak)" if xlabel is None else xlabel)
    if len(alphas) > 1:
        ax.set_xlim(alphas[0], alphas[-1])
    low, high = ax.get_ylim()
    ends = coefs[largest, -1]
    # One line of text takes about a fifteenth of an axis of ordinary height.
    for j, height in zip(largest, _spread(ends, (high - low) / 15.0), strict=True):
        ax.annotate(
            names[j],
            (alphas[-1], height),
            xytext=(5, 0),
            textcoords="offset points",
            color=COLORS[rank[int(j)]],
            va="center",
            fontsize=10,
            annotation_clip=False,
        )
    return lines


class _Box:
    """A node that is drawn: its number and depth, its text, its children, its place across."""

    def __init__(self, node, depth, text, color):
        self.node, self.depth, self.text, self.color = node, depth, text, color
        self.children, self.x = [], 0.0


def _text_of_nodes(
    model, names, classes, show_class, label, impurity, node_ids, proportion, precision
):
    """Return a function that writes the text of a node; arguments as in :func:`plot_tree`."""
    tree = model.tree_
    # Read once: each is computed anew from all nodes.
    left, feature, threshold = tree.children_left, tree.feature, tree.threshold

    def number(x):
        text = np.format_float_positional(round(float(x), precision), trim="-")
        return "0" if text == "-0" else text

    def described(title, text, node):
        return f"{title} = {text}" if label == "all" or (label == "root" and not node) else text

    def text_of(node):
        lines = [f"node {node}"] if node_ids else []
        if left[node] >= 0:
            lines.append(f"{names[feature[node]]} \N{LESS-THAN OR EQUAL TO} ")
            lines[-1] += number(threshold[node])
        if impurity:
            lines.append(described(model.criterion, number(tree.impurity[node]), node))
        samples = str(tree.n_node_samples[node])
        if proportion:
            share = 100.0 * tree.n_node_samples[node] / tree.n_node_samples[0]
            samples = f"{number(round(share, 1))} %"
        lines.append(described("samples", samples, node))
        value, winners = tree.value[node], []
        for t, row in enumerate(value):
            shown = row if classes is None else row[: len(classes[t])]
            if classes is not None and not proportion:
                shown = shown * tree.weighted_n_node_samples[node]
            texts = [number(x) for x in shown]
            text = texts[0] if classes is None else f"[{', '.join(texts)}]"
            lines.append(described("value", text, node))
            if show_class:
                winners.append(str(classes[t][np.argmax(row)]))
        if winners:
            lines.append(described("class", ", ".join(winners), node))
        return "\n".join(lines)

    return text_of


def _color_of_nodes(model, filled):
    """Return a function that gives the fill of a node: its class, or its predicted number."""
    value = model.tree_.value
    low, high = value[:, 0, 0].min(), value[:, 0, 0].max()

    def color_of(node):
        if not filled or value.shape[1] > 1:
            return "white", "#333333"
        row = value[node, 0]
        if not hasattr(model, "classes_"):
            share = (row[0] - low) / (high - low) if high > low else 0.0
            return _tint(COLORS[0], 0.05 + 0.45 * share), COLORS[0]
        # With more classes than colours these come again; the text still tells classes apart.
        winner = int(np.argmax(row))
        lead = row[winner] - np.max(np.delete(row, winner), initial=0.0)
        color = COLORS[winner % len(COLORS)]
        return _tint(color, 0.05 + 0.4 * lead), color

    return color_of


def _tidy(tree, max_depth, text_of, color_of):
    """Return the boxes of a tree: leaves one apart, parents above the middle of their children."""
    boxes, n_leaves = [], 0
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    waiting = [(0, 0, None)]
    while waiting:
        node, depth, parent = waiting.pop()
        cut_short = max_depth is not None and depth > max_depth
        text, color = (
            ("...", ("white", "#333333")) if cut_short else (text_of(node), color_of(node))
        )
        box = _Box(node, depth, text, color)
        boxes.append(box)
        if parent is not None:
            parent.children.append(box)
        if left[node] >= 0 and not cut_short:
            waiting.append((right[node], depth + 1, box))
            waiting.append((left[node], depth + 1, box))
        else:
            box.x = float(n_leaves)
            n_leaves += 1
    for box in reversed(boxes):  # children stand after their parents
        if box.children:
            box.x = sum(child.x for child in box.children) / 2.0
    return boxes, n_leaves


def plot_tree(
    decision_tree,
    *,
    max_depth=None,
    feature_names=None,
    class_names=None,
    label="all",
    filled=False,
    impurity=True,
    node_ids=False,
    proportion=False,
    rounded=False,
    precision=3,
    ax=None,
    fontsize=None,
):
    """Draw a fitted tree: one box a node, its question on top, the answers on the branches.

    Leaves stand at even distances, and each question above the middle of its two answers. The
    branch to the left is taken by samples whose value is at most the threshold.

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier, DecisionTreeRegressor or their random kin
        A fitted tree.
    max_depth : int, default=None
        Deeper nodes are drawn as three dots. None: the whole tree.
    feature_names : sequence of str, default=None
        Names of the features. None: those that ``fit`` saw, or ``feature_0`` and so on.
    class_names : sequence of str or bool, default=None
        Names of the classes, in the order of ``classes_``. None or True: the classes themselves.
        False: no line that names the class.
    label : {"all", "root", "none"}, default="all"
        Which boxes say what their numbers mean.
    filled : bool, default=False
        Tint each box: with the colour of its largest class, the stronger the further this class is
        ahead of the second; for regression, the stronger the larger the prediction. Boxes of a tree
        of several outputs stay white.
    impurity : bool, default=True
        Show the impurity of each node.
    node_ids : bool, default=False
        Show the number of each node.
    proportion : bool, default=False
        Show samples in per cent of all, and shares of the classes instead of their weights.
    rounded : bool, default=False
        Draw boxes with round corners.
    precision : int, default=3
        Digits after the point.
    ax : matplotlib.axes.Axes, default=None
        Where to draw. None: the current axes.
    fontsize : float, default=None
        Size of the text in points. None: that of the style, or smaller, so that no boxes overlap.

    Returns
    -------
    list of matplotlib.text.Text
        The boxes, in the order of a walk: a node, its left part, its right part.

    Raises
    ------
    TypeError
        If `decision_tree` is not a tree.
    ValueError
        If a parameter is out of range, or there are not as many names as features or classes.
    NotFittedError
        If the tree is not fitted.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from litlearn.plotting import plot_tree
    >>> ax = Figure().subplots()
    >>> from litlearn.tree import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier(random_state=0).fit([[61], [80]], ["well", "ill"])
    >>> boxes = plot_tree(model, feature_names=["age"], impurity=False, ax=ax)
    >>> print(boxes[0].get_text().splitlines()[0])
    age ≤ 70.5
    """
    matplotlib = _matplotlib()
    from litlearn._core import validation
    from litlearn._core.constraints import BOOLEAN, POSITIVE
    from litlearn.tree._classes import DecisionTree
    from litlearn.tree._export import DEPTH, DIGITS, LABEL, _names_of_classes, _names_of_features

    who = "plot_tree"
    if not isinstance(decision_tree, DecisionTree):
        raise TypeError(
            f"{who}: decision_tree is of type {type(decision_tree).__name__}, expected a decision "
            "tree; a forest holds its trees in estimators_"
        )
    validation.check_is_fitted(decision_tree)
    DEPTH.check(who, "max_depth", max_depth)
    LABEL.check(who, "label", label)
    BOOLEAN.check(who, "filled", filled)
    BOOLEAN.check(who, "impurity", impurity)
    BOOLEAN.check(who, "node_ids", node_ids)
    BOOLEAN.check(who, "proportion", proportion)
    BOOLEAN.check(who, "rounded", rounded)
    DIGITS.check(who, "precision", precision)
    (POSITIVE | None).check(who, "fontsize", fontsize)
    given = None if class_names is True or class_names is False else class_names
    names = _names_of_features(who, decision_tree, feature_names)
    classes = _names_of_classes(who, decision_tree, given)

    text_of = _text_of_nodes(
        decision_tree,
        names,
        classes,
        classes is not None and class_names is not False,
        label,
        impurity,
        node_ids,
        proportion,
        precision,
    )
    boxes, n_leaves = _tidy(
        decision_tree.tree_, max_depth, text_of, _color_of_nodes(decision_tree, filled)
    )
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.gca()
    size = matplotlib.rcParams["font.size"] if fontsize is None else fontsize
    deepest = max(box.depth for box in boxes)
    ax.set(xlim=(-0.5, n_leaves - 0.5), ylim=(-deepest - 0.5, 0.5))
    ax.set_axis_off()
    ax.set_gid(_KEEPS_WIDTH)  # boxes as large as they fit there
    shape = "round,pad=0.35" if rounded else "square,pad=0.35"
    texts = []
    for box in boxes:
        style = {"boxstyle": shape, "facecolor": box.color[0], "edgecolor": box.color[1]}
        if box.text == "...":
            style["edgecolor"] = "none"
        text = ax.text(box.x, -box.depth, box.text, ha="center", va="center", fontsize=size)
        text.set(bbox=style | {"linewidth": 1.2}, zorder=3, linespacing=1.3)
        texts.append(text)
    areas = _areas(ax, texts)
    # Letters do not shrink quite in proportion: one look more or two, in small pictures.
    factor = _room(ax, boxes, areas, size) if fontsize is None else 1.0
    while factor < 1.0 and size > 1.0:
        size = max(1.0, size * min(factor, 0.98))
        for text in texts:
            text.set_fontsize(size)
        areas = _areas(ax, texts)
        factor = _room(ax, boxes, areas, size)
    _draw_branches(ax, boxes, areas, 0.9 * size)
    return texts


def _areas(ax, texts):
    """Return the areas of boxes on the screen."""
    figure = ax.get_figure()
    while figure is not figure.figure:
        figure = figure.figure
    figure.draw_without_rendering()  # a layout that moves the axes has its say first
    return [text.get_bbox_patch().get_window_extent() for text in texts]


def _room(ax, boxes, areas, size):
    """Return the factor by which boxes can grow before they touch each other or the border."""
    place = ax.transData.transform
    step, level = place((1.0, 1.0)) - place((0.0, 0.0))
    right = ax.get_xlim()[1]
    line = size / 72.0 * ax.get_figure().dpi
    factor = level / (max(area.height for area in areas) + 2.0 * line)
    of_level = {}
    for box, area in zip(boxes, areas, strict=True):
        # As far as the border of the picture on the nearer side.
        reach = min(box.x + 0.5, right - box.x) * step
        factor = min(factor, reach / (0.5 * area.width + 1.0))
        if box.depth in of_level:
            other, width = of_level[box.depth]
            factor = min(factor, (box.x - other) * step / (0.5 * (width + area.width) * 1.06))
        of_level[box.depth] = box.x, area.width
    return factor


def _draw_branches(ax, boxes, areas, size):
    """Draw the branches with their answers, half-way between the boxes that they join."""
    to_data = ax.transData.inverted().transform
    area_of = dict(zip(boxes, areas, strict=True))
    for box in boxes:
        for child, answer in zip(box.children, ("yes", "no"), strict=False):
            ax.plot([box.x, child.x], [-box.depth, -child.depth], color="#555555", lw=1.1, zorder=1)
            bottom, top = to_data([(0.0, area_of[box].y0), (0.0, area_of[child].y1)])[:, 1]
            y = 0.5 * (bottom + top)
            x = box.x + (child.x - box.x) * (-box.depth - y)
            back = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"}
            ax.text(x, y, answer, ha="center", va="center", fontsize=size, bbox=back, zorder=2)


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


def _drawn(fig, **settings):
    """Draw a figure with twice its dots per inch, in few colours; return the image and its dpi."""
    from PIL import Image

    raw, dpi = io.BytesIO(), 2 * fig.dpi
    fig.savefig(raw, format="png", dpi=dpi, facecolor="white", **settings)
    raw.seek(0)
    with Image.open(raw) as image:
        return _with_few_colors(image.convert("RGB")), dpi


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


def _png(fig, **settings):
    """Draw a figure to PNG bytes, and its size.

    The bytes name no date and no program (Pillow writes none).
    """
    image, dpi = _drawn(fig, **settings)
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
    _matplotlib()
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
        with rc_context(_style()):
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


class Table:
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
    Table
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
    return Table(head, rows)


__getattr__ = guide(__name__)
