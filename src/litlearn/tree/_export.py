"""A tree as text, and in the language of Graphviz."""

import colorsys
import html
from typing import NamedTuple

import numpy as np

from litlearn._core import validation
from litlearn._core.constraints import COUNT, Integer, Option
from litlearn.tree._structure import LEAF, parents

DIGITS, LABEL = Integer("[0, inf)"), Option("all", "root", "none")
DEPTH = DIGITS | None
MOST_LEVELS = 10  # that are named of one set
SATURATION, BRIGHTNESS, FIRST_HUE = 0.75, 0.9, 25  # of the colours of nodes, and degrees


def export_text(
    decision_tree,
    *,
    feature_names=None,
    class_names=None,
    max_depth=10,
    spacing=3,
    decimals=2,
    show_weights=False,
):
    """Write a fitted tree as indented text, one line a rule.

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier, DecisionTreeRegressor or their random kin
        A fitted tree.
    feature_names : sequence of str, default=None
        Names of the features. None: those that ``fit`` saw, or ``feature_0`` and so on.
    class_names : sequence of str, default=None
        Names of the classes, in the order of ``classes_``. None: the classes themselves.
    max_depth : int, default=10
        Deeper branches are cut short.
    spacing : int, default=3
        Width of one level, at least 1.
    decimals : int, default=2
        Digits after the point.
    show_weights : bool, default=False
        Whether each leaf of a classifier shows the weights of its classes.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If a parameter is out of range, or there are not as many names as features or classes.

    Examples
    --------
    >>> from litlearn.tree import DecisionTreeClassifier, export_text
    >>> model = DecisionTreeClassifier(random_state=0).fit([[61], [80]], ["well", "ill"])
    >>> print(export_text(model, feature_names=["age"], decimals=1))
    |--- age <= 70.5
    |   |--- class: well
    |--- age >  70.5
    |   |--- class: ill
    <BLANKLINE>
    """
    who = "export_text"
    validation.check_is_fitted(decision_tree)
    DEPTH.check(who, "max_depth", max_depth)
    COUNT.check(who, "spacing", spacing)
    DIGITS.check(who, "decimals", decimals)
    tree = decision_tree.tree_
    names = _names_of_features(who, decision_tree, feature_names)
    classes = _names_of_classes(who, decision_tree, class_names)
    deepest = np.inf if max_depth is None else max_depth
    bar, dashes = "|" + " " * spacing, "|" + "-" * spacing
    # Read once: each is computed anew from all nodes.
    left, right, lines = tree.children_left, tree.children_right, []
    feature, thresholds = tree.feature, tree.threshold

    def leaf(node, depth):
        value = tree.value[node]
        if classes is None:
            numbers = ", ".join(f"{one:.{decimals}f}" for one in value[:, 0])
            return f"{bar * depth}{dashes} value: [{numbers}]"
        weights = ""
        if show_weights:
            shown = value[0] * tree.weighted_n_node_samples[node]
            weights = "weights: [" + ", ".join(f"{one:.{decimals}f}" for one in shown) + "] "
        winners = [str(names[np.argmax(row)]) for names, row in zip(classes, value, strict=True)]
        name = winners[0] if len(winners) == 1 else f"[{', '.join(winners)}]"
        return f"{bar * depth}{dashes} {weights}class: {name}"

    def branch_depth(node):
        if left[node] == LEAF:
            return 1
        return 1 + max(branch_depth(left[node]), branch_depth(right[node]))

    def walk(node, depth):
        if left[node] == LEAF:
            lines.append(leaf(node, depth))
        elif depth > deepest:
            below = branch_depth(node)
            lines.append(f"{bar * depth}{dashes} truncated branch of depth {below}")
        else:
            name, threshold = names[feature[node]], f"{thresholds[node]:.{decimals}f}"
            goes_left, goes_right = f"<= {threshold}", f">  {threshold}"
            if np.isnan(thresholds[node]):
                goes_left, goes_right = levels_in_words(decision_tree, node)
            lines.append(f"{bar * depth}{dashes} {name} {goes_left}")
            walk(left[node], depth + 1)
            lines.append(f"{bar * depth}{dashes} {name} {goes_right}")
            walk(right[node], depth + 1)

    walk(0, 0)
    return "\n".join(lines) + "\n"


def levels_in_words(model, node):
    """Return in words which levels go left at a node, and which go right.

    One side is a list; the other has all else: missing values and unknown levels, too.
    """
    tree = model.tree_
    levels = model.levels_[tree.feature[node]][tree.levels_apart(node)].tolist()
    names = [f"{one:g}" if isinstance(one, float) else str(one) for one in levels]
    if len(names) > MOST_LEVELS:
        more = len(names) - MOST_LEVELS + 1
        names = [*names[: MOST_LEVELS - 1], f"... {more} more"]
    listed = f"in {{{', '.join(names)}}}"
    sides = f"not {listed}", listed
    return sides if tree.missing_go_to_left[node] else sides[::-1]


def _names_of_features(who, model, given):
    if given is None:
        given = getattr(model, "feature_names_in_", None)
    if given is None:
        return [f"feature_{j}" for j in range(model.n_features_in_)]
    if len(given) != model.n_features_in_:
        raise ValueError(
            f"{who}: feature_names must contain {model.n_features_in_} elements, got {len(given)}."
        )
    return list(given)


def _names_of_classes(who, model, given):
    """Return the names of the classes of each output, or None for regression."""
    if not hasattr(model, "classes_"):
        return None
    classes = model.classes_ if model.n_outputs_ > 1 else [model.classes_]
    if given is None:
        return classes
    if model.n_outputs_ == 1 and len(given) != len(classes[0]):
        raise ValueError(
            f"{who}: class_names must contain {len(classes[0])} elements, got {len(given)}."
        )
    return [given] if model.n_outputs_ == 1 else given


class Marks(NamedTuple):
    """What stands for what in a label, in plain text or in Graphviz's HTML."""

    number: str
    lower: str  # begins an index
    upper: str  # ends it
    at_most: str
    line: str
    opening: str
    closing: str

    def text(self, words):
        """Return words of the user as they are written here."""
        return html.escape(words) if self.opening == "<" else _escaped(words)


PLAIN = Marks("#", "[", "]", "<=", "\\n", '"', '"')
HTML = Marks("&#35;", "<SUB>", "</SUB>", "&le;", "<br/>", "<", ">")


def export_graphviz(
    decision_tree,
    out_file=None,
    *,
    max_depth=None,
    feature_names=None,
    class_names=None,
    label="all",
    filled=False,
    leaves_parallel=False,
    impurity=True,
    node_ids=False,
    proportion=False,
    rotate=False,
    rounded=False,
    special_characters=False,
    precision=3,
    fontname="helvetica",
):
    """Write a fitted tree in DOT, the language of Graphviz, as scikit-learn does.

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier, DecisionTreeRegressor or their random kin
        A fitted tree.
    out_file : file or str, default=None
        Where to write: an open text file, or its name. None: return the text.
    max_depth : int, default=None
        Deeper branches are shown as ``(...)``. None: no limit.
    feature_names : sequence of str, default=None
        Names of the features. None: ``x[0]`` and so on.
    class_names : sequence of str or True, default=None
        Names of the classes, in the order of ``classes_``; True: ``y[0]`` and so on. None: classes
        are not named.
    label : {"all", "root", "none"}, default="all"
        Which nodes say what their numbers are.
    filled : bool, default=False
        Whether a node has the colour of its class, deeper for a larger majority; of its mean; or,
        with several outputs, of its impurity.
    leaves_parallel : bool, default=False
        Whether all leaves are drawn on one line.
    impurity, node_ids : bool, default=True and False
        Whether nodes show their impurity, and their number.
    proportion : bool, default=False
        Whether nodes show shares of the samples and of the classes, instead of counts.
    rotate : bool, default=False
        Whether the tree is drawn from left to right.
    rounded : bool, default=False
        Whether boxes have round corners.
    special_characters : bool, default=False
        Whether labels are HTML, with signs that PostScript does not have.
    precision : int, default=3
        Digits after the point.
    fontname : str, default="helvetica"
        The font.

    Returns
    -------
    str or None
        The text, if `out_file` is None.

    Raises
    ------
    ValueError
        If a parameter is out of range, or there are not as many names as features.

    Examples
    --------
    >>> from litlearn.tree import DecisionTreeClassifier, export_graphviz
    >>> model = DecisionTreeClassifier(random_state=0).fit([[61], [80]], ["well", "ill"])
    >>> print(export_graphviz(model, feature_names=["age"], impurity=False).splitlines()[3])
    0 [label="age <= 70.5\\nsamples = 2\\nvalue = [1, 1]"] ;
    """
    who = "export_graphviz"
    validation.check_is_fitted(decision_tree)
    DEPTH.check(who, "max_depth", max_depth)
    DIGITS.check(who, "precision", precision)
    LABEL.check(who, "label", label)
    if feature_names is not None and len(feature_names) != decision_tree.n_features_in_:
        raise ValueError(
            f"{who}: Length of feature_names, {len(feature_names)} does not match number of "
            f"features, {decision_tree.n_features_in_}"
        )
    tree, marks = decision_tree.tree_, HTML if special_characters else PLAIN
    nodes = _Nodes(decision_tree, marks, precision, proportion)
    style = ", ".join(name for name, on in (("filled", filled), ("rounded", rounded)) if on)
    style = f', style="{style}", color="black"' if style else ""
    lines = ["digraph Tree {", f'node [shape=box{style}, fontname="{fontname}"] ;']
    if leaves_parallel:
        lines.append("graph [ranksep=equally, splines=polyline] ;")
    lines.append(f'edge [fontname="{fontname}"] ;')
    if rotate:
        lines.append("rankdir=LR ;")
    ranks, above, depths = {"leaves": []}, parents(tree.children_right), tree.depths
    deepest = tree.max_depth if max_depth is None else max_depth
    for node in np.flatnonzero(depths <= deepest + 1):
        cut = depths[node] > deepest
        # <node>: Its label and its colour; grey, where the tree is cut.
        text, colour = '"(...)"', "#C0C0C0"
        if not cut:
            named = label == "all" or (label == "root" and node == 0)
            parts = nodes.label(node, named, feature_names, class_names, impurity, node_ids)
            text = marks.opening + marks.line.join(parts) + marks.closing
            colour = nodes.colour(node) if filled else None
        fill = f', fillcolor="{colour}"' if filled else ""
        lines.append(f"{node} [label={text}{fill}] ;")
        rank = "leaves" if cut or nodes.left[node] == LEAF else str(depths[node])
        ranks.setdefault(rank, []).append(str(node))
        # <edge>: From its parent; the root's say which is which.
        if node:
            angle = 45 if (node == 1) != rotate else -45
            where = f'[labeldistance=2.5, labelangle={angle}, headlabel="{node == 1}"] '
            named = above[node] == 0 and not cut
            lines.append(f"{above[node]} -> {node} {where if named else ''};")
    if leaves_parallel:
        lines += [f"{{rank=same ; {'; '.join(ranks[rank])}}} ;" for rank in sorted(ranks)]
    return _written("\n".join([*lines, "}"]), out_file)


def _written(text, out_file):
    """Return the text, or write it to a file and return None."""
    if out_file is None:
        return text
    if hasattr(out_file, "write"):
        out_file.write(text)
        return None
    with open(out_file, "w", encoding="utf-8") as file:
        file.write(text)
    return None


class _Nodes:
    """What Graphviz shows of each node of a tree."""

    def __init__(self, model, marks, precision, proportion):
        tree = model.tree_
        self.model, self.tree, self.criterion, self.marks = model, tree, model.criterion, marks
        self.precision, self.proportion = precision, proportion
        # Read once: each is computed anew from all nodes.
        self.left, self.feature, self.threshold = tree.children_left, tree.feature, tree.threshold
        self.hues = np.arange(FIRST_HUE, FIRST_HUE + 360, 360.0 / tree.n_classes[0]).astype(int)

    def label(self, node, named, feature_names, class_names, impurity, node_ids):
        """Return the lines of a node's label; `named` says whether numbers have names."""
        tree, marks, lines = self.tree, self.marks, []
        if node_ids:
            lines.append(f"{'node ' if named else ''}{marks.number}{node}")
        if self.left[node] != LEAF:
            j = self.feature[node]
            name = f"x{marks.lower}{j}{marks.upper}"
            name = name if feature_names is None else _escaped(feature_names[j])
            threshold = np.round(self.threshold[node], self.precision)
            question = f"{marks.at_most} {threshold}"
            if np.isnan(threshold):
                question = marks.text(levels_in_words(self.model, node)[0])
            lines.append(f"{name} {question}")
        if impurity:
            number = np.round(tree.impurity[node], self.precision)
            lines.append(f"{self.criterion} = {number}" if named else str(number))
        n, of = tree.n_node_samples[node], tree.n_node_samples[0]
        samples = f"{np.round(100.0 * n / of, 1)}%" if self.proportion else str(n)
        lines.append(f"samples = {samples}" if named else samples)
        values = self.values(node)
        lines.append(f"value = {values}" if named else values)
        if class_names is not None and tree.n_classes[0] != 1 and tree.n_outputs == 1:
            winner = np.argmax(tree.value[node, 0])
            name = f"y{marks.lower}{winner}{marks.upper}"
            name = name if class_names is True else _escaped(class_names[winner])
            lines.append(f"class = {name}" if named else name)
        return lines

    def values(self, node):
        """Return the shares, the weights or the numbers of a node, as text."""
        tree, value = self.tree, self.tree.value[node]
        classes, single = tree.n_classes[0] != 1, tree.n_outputs == 1
        value = value[0] if single else value
        if classes and not self.proportion:
            value = value * tree.weighted_n_node_samples[node]
        whole = classes and not self.proportion and np.all(value == np.floor(value))
        value = value.astype(np.int64) if whole else np.round(value, self.precision)
        # Numbers as bytes: NumPy writes them one by one, without filling up digits.
        text = str(value.astype("S32")).replace("b'", "'").replace("' '", ", ").replace("'", "")
        if not classes and single:
            text = text.strip("[]")
        return text.replace("\n ", self.marks.line)

    def colour(self, node):
        """Return the colour of a node as #rrggbb: the hue of its class, mixed with white."""
        tree, hue, share = self.tree, self.hues[0], 0.0
        if tree.n_outputs > 1:
            share = _between(-tree.impurity[node], -tree.impurity)
        elif tree.n_classes[0] == 1:
            share = _between(tree.value[node, 0, 0], tree.value)
        else:
            shares = np.sort(tree.value[node, 0])
            hue = self.hues[np.argmax(tree.value[node, 0])]
            share = (shares[-1] - shares[-2]) / (1.0 - shares[-2])
        colour = colorsys.hsv_to_rgb(hue / 360.0 % 1.0, SATURATION, BRIGHTNESS)
        mixed = [share * int(255 * part + 1e-9) + (1.0 - share) * 255 for part in colour]
        return "#" + "".join(f"{round(part):02x}" for part in mixed)


def _between(value, values):
    """Return where a value lies between the least, 0, and the largest, 1, of all."""
    low, high = values.min(), values.max()
    return (value - low) / (high - low) if high > low else 0.0


def _escaped(name):
    return str(name).replace('"', r"\"")
