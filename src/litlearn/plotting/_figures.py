"""Figures that any user may want: the look of the book, classes, regions, ellipses, paths."""

import numpy as np

from litlearn.plotting import _pages
from litlearn.plotting._style import (
    COLORS,
    HATCHES,
    MARKERS,
    load_matplotlib,
    settings,
    spread,
    tint,
)


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
    load_matplotlib().rcParams.update(settings())
    _pages.store_figures()


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
    load_matplotlib()
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
    load_matplotlib()
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
        tints = [tint(COLORS[0], 0.45), (1.0, 1.0, 1.0), tint(COLORS[1], 0.45)]
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
        tints = ListedColormap([tint(COLORS[i], 0.28) for i in range(len(classes))])
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
                    region.set_edgecolor(tint(COLORS[i], 0.55))
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
    load_matplotlib()
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


_LINES = ("-", "--", "-.", ":")


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
    load_matplotlib()
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
    for j, height in zip(largest, spread(ends, (high - low) / 15.0), strict=True):
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
