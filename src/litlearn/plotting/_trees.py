"""A drawing of a decision tree."""

import numpy as np

from litlearn.plotting._style import COLORS, KEEPS_WIDTH, load_matplotlib, tint


class _Box:
    """A node that is drawn: its number and depth, its text, its children, its place across."""

    def __init__(self, node, depth, text, color):
        self.node, self.depth, self.text, self.color = node, depth, text, color
        self.children, self.x = [], 0.0


def _text_of_nodes(
    model, names, classes, *, show_class, label, impurity, node_ids, proportion, precision
):
    """Return a function that writes the text of a node; arguments as in :func:`plot_tree`."""
    from litlearn.tree._export import levels_in_words

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
            question = f"\N{LESS-THAN OR EQUAL TO} {number(threshold[node])}"
            if np.isnan(threshold[node]):
                question = levels_in_words(model, node)[0]
            lines.append(f"{names[feature[node]]} {question}")
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
            return tint(COLORS[0], 0.05 + 0.45 * share), COLORS[0]
        # With more classes than colours these come again; the text still tells classes apart.
        winner = int(np.argmax(row))
        lead = row[winner] - np.max(np.delete(row, winner), initial=0.0)
        color = COLORS[winner % len(COLORS)]
        return tint(color, 0.05 + 0.4 * lead), color

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
    matplotlib = load_matplotlib()
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
        show_class=classes is not None and class_names is not False,
        label=label,
        impurity=impurity,
        node_ids=node_ids,
        proportion=proportion,
        precision=precision,
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
    ax.set_gid(KEEPS_WIDTH)  # boxes as large as they fit there
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
