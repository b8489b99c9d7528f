"""A fitted tree: arrays with one entry a node, in the order in which a walk visits them.

A left child stands right after its parent, so that a walk to the left goes straight through memory.
"""

from typing import NamedTuple

import numpy as np

from litlearn import _parallel, _validation
from litlearn._jit import njit
from litlearn._random import make_state
from litlearn.tree import _grow
from litlearn.tree._criteria import ABSOLUTE_ERROR
from litlearn.tree._ranks import midpoints
from litlearn.tree._sort import HALF

LEAF = -1
UNDEFINED = -2
BUDGET = 10_000_000  # samples looked at between two returns to Python
LARGEST_EXPONENT = 300  # of weights that are used as they are
BLOCK_ROWS = 4096
IN_STEP = 32  # rows that walk down a tree together
STEPS_BETWEEN = 4  # steps between two looks at whether all have arrived

# What a prediction reads of a node, in 16 bytes: four nodes share a cache line. A leaf is its own
# right child, and its threshold is NaN: no value is at most that.
STEP = np.dtype([("threshold", "f8"), ("right", "i4"), ("feature", "i4")])
MISSING_LEFT = np.int32(1 << 30)  # added to the feature where missing values go left


class Tree:
    """The structure of a fitted decision tree, under scikit-learn's names.

    Attributes
    ----------
    node_count, n_leaves, max_depth, n_features, n_outputs, max_n_classes : int
        Sizes; the depth of the root is 0.
    n_classes : ndarray of shape (n_outputs,)
        Numbers of classes; ones for regression.
    children_left, children_right : ndarray of shape (node_count,), int32
        Numbers of the children; -1 at a leaf. A left child follows its parent.
    feature : ndarray of shape (node_count,), int32
        The feature of the split; -2 at a leaf.
    threshold : ndarray of shape (node_count,), float64
        A sample goes left if its value is at most the threshold; -2 at a leaf.
    missing_go_to_left : ndarray of shape (node_count,), bool
        Where missing values go.
    impurity : ndarray of shape (node_count,), float64
        Impurity of the training samples of the node.
    n_node_samples : ndarray of shape (node_count,), int32
        Number of different training samples.
    weighted_n_node_samples : ndarray of shape (node_count,), float64
        Sum of their weights.
    value : ndarray of shape (node_count, n_outputs, max_n_classes), float64
        Shares of the classes, or the predicted number.
    """

    def __init__(self, n_features, n_classes, arrays):
        self.n_features = n_features
        self.n_classes = n_classes
        self.__dict__.update(arrays)

    def arrays(self):
        """Return the stored arrays by name, each with one entry a node."""
        sizes = ("n_features", "n_classes")
        return {name: array for name, array in vars(self).items() if name not in sizes}

    @property
    def node_count(self):
        return len(self.steps)

    @property
    def n_outputs(self):
        return self.value.shape[1]

    @property
    def max_n_classes(self):
        return self.value.shape[2]

    @property
    def n_leaves(self):
        return int(np.count_nonzero(self.is_leaf))

    @property
    def is_leaf(self):
        """Which nodes are leaves, of shape (node_count,), bool."""
        return self.steps["right"] == np.arange(self.node_count)

    @property
    def children_left(self):
        after = np.arange(1, self.node_count + 1, dtype=np.int32)
        return np.where(self.is_leaf, np.int32(LEAF), after)

    @property
    def children_right(self):
        return np.where(self.is_leaf, np.int32(LEAF), self.steps["right"])

    @property
    def feature(self):
        return np.where(self.is_leaf, np.int32(UNDEFINED), self.steps["feature"] & ~MISSING_LEFT)

    @property
    def threshold(self):
        return np.where(self.is_leaf, float(UNDEFINED), self.steps["threshold"])

    @property
    def missing_go_to_left(self):
        return (self.steps["feature"] & MISSING_LEFT).astype(bool)

    @property
    def depths(self):
        """Depth of each node, of shape (node_count,)."""
        depths = np.zeros(self.node_count, dtype=np.int32)
        write_depths(self.children_right, depths)
        return depths

    @property
    def max_depth(self):
        return int(self.depths.max())

    def apply(self, X, n_jobs=None):
        """Return the number of the leaf of each sample, of shape (n_samples,), int64.

        `X` is an array (n_samples, n_features) of float32 or float64.
        """
        X = _validation.read_only(X)
        if X.ndim != 2 or X.shape[1] != self.n_features or X.dtype.kind != "f":
            raise ValueError(
                f"Tree: X must be an array of floats of shape (n_samples, {self.n_features}). Got "
                f"shape {X.shape}, dtype {X.dtype}."
            )
        leaves = np.empty(len(X), dtype=np.int64)

        def block(b):
            rows = slice(b * BLOCK_ROWS, (b + 1) * BLOCK_ROWS)
            find_leaves(X[rows], has_missing(X[rows]), self.steps, leaves[rows])

        _parallel.map_blocks(block, -(-len(X) // BLOCK_ROWS), n_jobs)
        return leaves

    def predict(self, X, n_jobs=None):
        """Return the values of the leaves, of shape (n_samples, n_outputs, max_n_classes)."""
        return self.value[self.apply(X, n_jobs)]

    def decision_path(self, X):
        """Return which nodes each sample passes: a CSR matrix (n_samples, node_count) of ones."""
        from scipy.sparse import csr_matrix

        leaves, depths = self.apply(X), self.depths
        indptr = np.concatenate([[0], np.cumsum(depths[leaves] + 1)])
        indices = np.empty(indptr[-1], dtype=np.int64)
        write_paths(leaves, parents(self.children_right), indptr, indices)
        shape = (len(leaves), self.node_count)
        return csr_matrix((np.ones(len(indices), dtype=np.int64), indices, indptr), shape=shape)

    def compute_feature_importances(self, normalize=True):
        """Sum the decreases of impurity of the splits of each feature: (n_features,).

        Implements :eq:`eq-importance`. With `normalize` they sum to one, unless all are zero.
        """
        inner = np.flatnonzero(~self.is_leaf)
        cost = self.weighted_n_node_samples / self.weighted_n_node_samples[0] * self.impurity
        decrease = cost[inner] - cost[inner + 1] - cost[self.steps["right"][inner]]
        importances = np.bincount(self.feature[inner], decrease, minlength=self.n_features)
        total = importances.sum()
        return importances / total if normalize and total > 0.0 else importances


def has_missing(X):
    """Tell whether any value is NaN."""
    return bool(np.isnan(X).any())


@njit(inline=True)
def next_node(X, i, steps, node, missing):
    """Return where row i goes from a node: one further, or to the right child.

    Without a branch: the processor could not guess it. `missing` tells whether any value is NaN.
    """
    feature, right = steps[node]["feature"], np.int64(steps[node]["right"])
    value = X[i, np.uintp(feature & ~MISSING_LEFT)]
    left = value <= steps[node]["threshold"]
    if missing:
        left = left | ((value != value) & (feature >= MISSING_LEFT))
    return np.int64(node) + 1 if left else right


@njit(inline=True)
def walk_together(X, first, n, steps, at, missing):
    """Take rows `first` to `first` + n - 1 to their leaves, whose numbers stand in `at` then.

    A walk waits for memory at each node. Many rows that walk in step wait together. A leaf is its
    own right child, and no value is at most its threshold, NaN: who has arrived stays.
    """
    for r in range(n):
        at[r] = 0
    walking = True
    while walking:
        for _ in range(STEPS_BETWEEN):
            for r in range(n):
                at[r] = next_node(X, np.uintp(first + r), steps, np.uintp(at[r]), missing)
        walking = False
        for r in range(n):
            walking = walking or steps[np.uintp(at[r])]["right"] != at[r]


@njit
def find_leaves(X, missing, steps, leaves):
    """Write the number of the leaf of each row of `X` to `leaves`.

    `missing` tells whether any value is NaN.
    """
    at = np.empty(IN_STEP, dtype=np.int64)
    for first in range(0, len(X), IN_STEP):
        # <group>: A full group has a size that the compiler knows.
        if first + IN_STEP > len(X):
            walk_together(X, first, len(X) - first, steps, at, True)
        elif missing:
            walk_together(X, first, IN_STEP, steps, at, True)
        else:
            walk_together(X, first, IN_STEP, steps, at, False)
        for r in range(min(IN_STEP, len(X) - first)):
            leaves[first + r] = at[r]


@njit
def add_values(X, missing, steps, value, hard, total):
    """Add the value of each row's leaf to `total` (n_samples, n_outputs, n_classes).

    With `hard`, only the largest entry of each output counts, as one vote. `missing` tells whether
    any value of `X` is NaN.
    """
    leaves = np.empty(len(X), dtype=np.int64)
    find_leaves(X, missing, steps, leaves)
    for i in range(len(X)):
        for t in range(value.shape[1]):
            winner = 0
            for c in range(value.shape[2]):
                if hard and value[leaves[i], t, c] > value[leaves[i], t, winner]:
                    winner = c
                elif not hard:
                    total[i, t, c] += value[leaves[i], t, c]
            if hard:
                total[i, t, winner] += 1.0


@njit
def write_depths(right, depths):
    """Write the depth of each node, given the right children."""
    for node in range(right.size):
        if right[node] != -1:
            depths[node + 1] = depths[node] + 1
            depths[right[node]] = depths[node] + 1


def parents(right):
    """Return the parent of each node, -1 for the root."""
    found = np.full(len(right), -1, dtype=np.int32)
    inner = np.flatnonzero(right != LEAF)
    found[inner + 1] = inner
    found[right[inner]] = inner
    return found


@njit
def write_paths(leaves, parent, indptr, indices):
    """Write the nodes from the root to the leaf of each sample, in rising order."""
    for i in range(leaves.size):
        node = leaves[i]
        for s in range(indptr[i + 1] - 1, indptr[i] - 1, -1):
            indices[s] = node
            node = parent[node]


# ---------------------------------------------------------------------------------------------
# Growing


class Targets(NamedTuple):
    """Targets in the form that growing needs.

    Attributes
    ----------
    Y : ndarray of shape (n_outputs, n_groups) or (n_outputs, n_samples), float64
        Numbers of the classes of each group of samples; or, in regression, targets.
    groups : ndarray of shape (n_samples,) or (0,), uint32
        The group of each sample: those that agree in the classes of all outputs.
    codes : ndarray of shape (n_outputs, n_samples) or (0, 0), uint32
        Ranks of the targets, for the absolute error.
    """

    Y: np.ndarray
    groups: np.ndarray
    codes: np.ndarray


def take_samples(targets, w):
    """Return the samples of positive weight in the form that one tree needs.

    Where weights are whole numbers, as those of a bootstrap, there are few kinds of samples: one
    for each group and weight. Otherwise each sample is of a kind of its own.
    """
    rows = np.flatnonzero(w)
    w = w[rows]
    records = rows.astype(np.uint64)
    if not len(targets.groups):
        Y = np.ascontiguousarray(targets.Y[:, rows])
        codes = targets.codes[:, rows] if len(targets.codes) else targets.codes
        return _grow.Samples(records, Y, w, np.ascontiguousarray(codes))
    group, level = targets.groups[rows], w - w.min()
    n_levels = int(min(level.max(), len(w))) + 1
    whole = np.all(w == np.floor(w))
    if whole and n_levels * targets.Y.shape[1] <= len(w):
        kinds = group * np.uint64(n_levels) + level.astype(np.uint64)
        Y = np.repeat(targets.Y, n_levels, axis=1)
        weights = np.tile(w.min() + np.arange(n_levels), targets.Y.shape[1])
    else:
        kinds, weights = np.arange(len(w), dtype=np.uint64), w
        Y = np.ascontiguousarray(targets.Y[:, group])
    return _grow.Samples(records | (kinds << HALF), Y, weights, targets.codes)


def grow_tree(X, codes, problem, rules, targets, w, seed, max_leaf_nodes=None):
    """Grow one tree.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Read only to set the thresholds.
    codes : Codes
        The coded columns of `X`.
    problem : Problem
    rules : Rules
        With the least weight of a leaf as a share of the total.
    targets : Targets
    w : ndarray of shape (n_samples,), float64
        Weights, with a finite sum; a sample of weight zero takes no part.
    seed : int
        Of the order in which features are tried, and of random thresholds.
    max_leaf_nodes : int or None
        None: depth first. Otherwise best first.

    Returns
    -------
    Tree
    """
    w, exponent = in_range(w)
    rules = with_total(rules, float(w.sum()))
    samples = take_samples(targets, w)
    n, n_outputs = len(samples.records), len(samples.Y)
    n_classes = int(problem.n_classes.max())
    n_sums = n_outputs * n_classes
    n_bins = 0 if rules.random else min(problem.n_codes.max(), 2 * n // (1 + n_sums))
    ranked = n if rules.criterion == ABSOLUTE_ERROR else 0
    moved = 0 if len(targets.groups) else n
    scratch = _grow.Scratch(
        keys=np.empty(n, dtype=np.uint64),
        buffer=np.empty(n, dtype=np.uint64),
        starts=np.empty(2 * n + 1, dtype=np.int32),
        features=np.arange(X.shape[1]),
        state=make_state(seed),
        total=np.empty((n_outputs, n_classes)),
        left=np.empty((n_outputs, n_classes)),
        right=np.empty((n_outputs, n_classes)),
        centre=np.empty(n_outputs),
        order=np.empty((n_outputs, ranked), dtype=np.int32),
        costs=np.empty((2, ranked)),
        chain=np.empty((2, ranked + 2)),
        links=np.empty((3, ranked + 2), dtype=np.int32),
        sides=np.empty((2, 2)),
        bins=np.empty((n_bins, 2 + n_sums)),
        values=np.empty(n if rules.random else 0),
        goes_right=np.empty(n, dtype=np.bool_),
        spare=np.empty(moved),
    )
    # <growth>: The kernel returns when it needs more room, and now and then for Ctrl-C.
    best_first = max_leaf_nodes is not None
    most = 2 * min(n, max_leaf_nodes if best_first else n) - 1
    nodes = make_nodes(most if best_first else min(most, 1024), n_outputs, n_classes)
    stack = np.empty((64, 3), dtype=np.int64)
    heap = np.empty(most // 2 + 2 if best_first else 0, dtype=np.int64)
    worth = np.empty(most if best_first else 0)
    stack[0] = -1, 0, n
    progress = np.array([1, 0, 0])
    while progress[0] + progress[2]:
        _grow.grow(problem, rules, samples, scratch, nodes, stack, heap, worth, progress, BUDGET)
        if progress[1] == len(nodes.left) and progress[0]:
            size = min(most, 2 * progress[1])
            nodes = _grow.Nodes(*(_extended(array, size) for array in nodes))
        if progress[0] + 2 > len(stack):
            stack = _extended(stack, 2 * len(stack))
    nodes = _grow.Nodes(*(array[: progress[1]] for array in nodes))
    if best_first:
        order = np.empty(len(nodes.left), dtype=np.int64)
        walk(nodes.left, nodes.right, order)
        nodes = renumbered(nodes, order)
    nodes.weight[:] = np.ldexp(nodes.weight, exponent)
    return _finish(X, codes, problem, rules, nodes)


def in_range(w):
    """Return the weights times a power of two, and the exponent that takes it back.

    Only if their squares could leave the range of the numbers; no digit changes.
    """
    exponent = int(np.frexp(w.max())[1])
    if abs(exponent) < LARGEST_EXPONENT:
        return w, 0
    return np.ldexp(w, -exponent), exponent


def with_total(rules, total):
    """Return the rules for a tree whose weights sum to `total`.

    A child's weight must be more than nothing: beside others it can round to zero.
    """
    least = max(rules.min_weight_leaf * total, np.finfo(np.float64).tiny)
    return rules._replace(total_weight=total, min_weight_leaf=least)


def make_nodes(capacity, n_outputs, n_classes):
    """Return room for nodes."""
    return _grow.Nodes(
        left=np.empty(capacity, dtype=np.int32),
        right=np.empty(capacity, dtype=np.int32),
        feature=np.empty(capacity, dtype=np.int32),
        code=np.empty(capacity, dtype=np.uint32),
        cut=np.empty((capacity, 2), dtype=np.uint32),
        threshold=np.empty(capacity),
        missing_left=np.empty(capacity, dtype=np.bool_),
        impurity=np.empty(capacity),
        n_samples=np.empty(capacity, dtype=np.int32),
        weight=np.empty(capacity),
        value=np.empty((capacity, n_outputs, n_classes)),
        stretch=np.empty((capacity, 4), dtype=np.int64),
    )


def _extended(array, size):
    longer = np.empty((size, *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array[:size]
    return longer


@njit
def walk(left, right, order):
    """Write the nodes to `order` in the order of a walk: a node, its left part, its right part."""
    stack = np.empty(order.size + 1, dtype=np.int64)
    stack[0], n_waiting = 0, 1
    for i in range(order.size):
        n_waiting -= 1
        node = stack[n_waiting]
        order[i] = node
        if left[node] != -1:
            stack[n_waiting], stack[n_waiting + 1] = right[node], left[node]
            n_waiting += 2


def renumbered(nodes, order):
    """Return the nodes named by `order`, in that order, with children named accordingly."""
    number = np.full(len(nodes.left) + 1, LEAF, dtype=np.int32)  # the last entry stands for LEAF
    number[order] = np.arange(len(order), dtype=np.int32)
    nodes = _grow.Nodes(*(array[order] for array in nodes))
    return nodes._replace(left=number[nodes.left], right=number[nodes.right])


def _finish(X, codes, problem, rules, nodes):
    """Set the thresholds, and return the tree without what only growing needs."""
    threshold = nodes.threshold
    inner = np.flatnonzero(nodes.feature != LEAF)
    feature = nodes.feature[inner]
    if not rules.random:
        if codes.edges is None:
            below, above = (X[nodes.cut[inner, side], feature] for side in (0, 1))
            threshold[inner] = np.where(np.isnan(above), np.inf, midpoints(below, above))
        else:
            # In the middle between two bins: those between them hold no sample of the node.
            above = codes.codes[feature, nodes.cut[inner, 1]]
            low, high = codes.edges[feature, nodes.code[inner]], codes.edges[feature, above - 1]
            absent = above == codes.missing[feature]
            threshold[inner] = np.where(absent, np.inf, midpoints(low, high))
    leaf = nodes.feature == LEAF
    steps = np.empty(len(leaf), dtype=STEP)
    steps["threshold"] = np.where(leaf, np.nan, threshold)
    steps["right"] = np.where(leaf, np.arange(len(leaf)), nodes.right)
    marks = np.where(nodes.missing_left & ~leaf, MISSING_LEFT, 0)
    steps["feature"] = np.where(leaf, 0, nodes.feature) + marks
    arrays = {
        "steps": steps,
        "impurity": nodes.impurity.copy(),
        "n_node_samples": nodes.n_samples.copy(),
        "weighted_n_node_samples": nodes.weight.copy(),
        "value": nodes.value.copy(),
    }
    return Tree(X.shape[1], problem.n_classes, arrays)
