"""A tree as text."""

import numpy as np

from litlearn import _validation
from litlearn.tree._structure import LEAF


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
    _validation.check_is_fitted(decision_tree)
    _validation.check_integer(who, "max_depth", max_depth, low=0, allow_none=True)
    _validation.check_integer(who, "spacing", spacing, low=1)
    _validation.check_integer(who, "decimals", decimals, low=0)
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
            lines.append(f"{bar * depth}{dashes} {name} <= {threshold}")
            walk(left[node], depth + 1)
            lines.append(f"{bar * depth}{dashes} {name} >  {threshold}")
            walk(right[node], depth + 1)

    walk(0, 0)
    return "\n".join(lines) + "\n"


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
