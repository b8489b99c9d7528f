"""Growing one tree: the data in the form that the kernels need, room for nodes, and the loop."""

from typing import NamedTuple

import numpy as np

from litlearn._core import parallel
from litlearn._core.jit import njit
from litlearn._core.random import make_state
from litlearn.tree import _mixed, _splitter
from litlearn.tree._counts import FULL
from litlearn.tree._criteria import ABSOLUTE_ERROR, MISCLASSIFICATION
from litlearn.tree._levels import NO_ROOM, make_room, set_fits
from litlearn.tree._ranks import midpoints
from litlearn.tree._sort import HALF
from litlearn.tree._sparse import entries_at, with_room
from litlearn.tree._splitter import (
    LEAF,
    MOST_PER_SAMPLE,
    RANDOM,
    Nodes,
    Queue,
    Scratch,
    TreeSamples,
    Work,
)
from litlearn.tree._structure import CATEGORICAL, MISSING_LEFT, STEP, Tree, with_sets

BUDGET = 5_000_000  # values looked at between two returns to Python: about 100 ms
LARGEST_EXPONENT = 300  # of weights that are used as they are
UNEVEN = 1e6  # times the lightest weight: from there on, a node loses digits of running sums


class TreeTargets(NamedTuple):
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
        return TreeSamples(records, Y, w, np.ascontiguousarray(codes))
    # <kinds>: Numbered by group and weight, if that gives fewer kinds than samples.
    group, level = targets.groups[rows], w - w.min()
    n_levels = int(min(level.max(), len(w))) + 1
    whole = np.all(w == np.floor(w))
    if whole and n_levels * targets.Y.shape[1] <= len(w):
        kinds, n_groups = group * np.uint64(n_levels) + level.astype(np.uint64), targets.Y.shape[1]
        Y = np.repeat(targets.Y, n_levels, axis=1)
        weights = np.tile(w.min() + np.arange(n_levels), n_groups)
        samples = TreeSamples(records | (kinds << HALF), Y, weights, targets.codes)
        if w.sum() >= FULL:
            return samples
        groups = np.repeat(np.arange(n_groups, dtype=np.uint32), n_levels)
        steps = (weights.astype(np.uint64) << HALF) | np.uint64(1)
        return samples._replace(groups=groups, steps=steps, n_groups=n_groups)
    kinds, Y = np.arange(len(w), dtype=np.uint64), np.ascontiguousarray(targets.Y[:, group])
    return TreeSamples(records | (kinds << HALF), Y, w, targets.codes)


def grow_tree(X, codes, problem, rules, targets, w, seed, max_leaf_nodes=None):
    """Grow one tree.

    Parameters
    ----------
    X : ndarray or CSC array of shape (n_samples, n_features)
        Read only to set the thresholds.
    codes : Codes
        The coded columns of `X`.
    problem : TreeProblem
    rules : Rules
        With the least weight of a leaf as a share of the total.
    targets : TreeTargets
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
    w, exponent = scaled_weights(w)
    rules = with_weights(rules, w)
    problem = with_room(problem, X.shape[0], rules.splitter == RANDOM)
    samples = take_samples(targets, w)
    n, shape = len(samples.records), (len(samples.Y), int(problem.n_classes.max()))
    scratch = tree_scratch(
        problem, rules, samples, shape, X.shape[1], bool(len(targets.groups)), seed
    )
    best_first = max_leaf_nodes is not None
    most = 2 * min(n, int(max_leaf_nodes) if best_first else n) - 1
    room = most if best_first else min(most, 1024)
    nodes = make_nodes(room, *shape, bounded=problem.signs.size > 0)
    queue = make_queue(n, most if best_first else 0)
    nodes, sets = split_all(Work(problem, rules, samples, scratch, nodes), queue, most)
    if best_first:
        order = np.empty(len(nodes.left), dtype=np.int64)
        walk(nodes.left, nodes.right, order)
        nodes = renumbered(nodes, order)
    nodes.weight[:] = np.ldexp(nodes.weight, exponent)
    return _finish(X, codes, problem, rules, nodes, sets)


def split_all(work, queue, most):
    """Split nodes, `most` of them at most, until none waits. Return the nodes, and their sets.

    The kernel returns when it needs more room, and now and then for Ctrl-C.
    """
    problem = work.problem
    split = kernel(work.rules, problem.signs.size > 0, bool(problem.n_levels.any()))
    budget = max(1, BUDGET // (work.rules.max_features * len(work.samples.Y)))
    while queue.counts[0] + queue.counts[2]:
        work = _with_sets(work)
        split(work, queue, budget)
        parallel.check_interrupt()
        n_waiting, n_nodes, _ = queue.counts
        if n_nodes == len(work.nodes.left) and n_waiting:
            size = min(most, 2 * n_nodes)
            longer = Nodes(*(_extended(array, size) for array in work.nodes))
            work = work._replace(nodes=longer)
        if n_waiting + 2 > len(queue.stack):
            queue = queue._replace(stack=_extended(queue.stack, 2 * len(queue.stack)))
    nodes = Nodes(*(array[: queue.counts[1]] for array in work.nodes))
    return nodes, work.scratch.levels.sets


def _with_sets(work):
    """Return the work with room for the set of at least one more node."""
    room = work.scratch.levels
    if not room.slots.size or set_fits(room):
        return work
    longer = _extended(room.sets, 2 * room.sets.size + max(1024, room.slots.size))
    return work._replace(scratch=work.scratch._replace(levels=room._replace(sets=longer)))


def kernel(rules, bounded=False, mixed=False):
    """Return the compiled function that splits by these rules.

    `bounded`: in order; `mixed`: some features are categorical.
    """
    family = "classes" if rules.criterion <= MISCLASSIFICATION else "numbers"
    if rules.criterion == ABSOLUTE_ERROR:
        family = "medians"
    drawn = "_at_random" if rules.splitter == RANDOM else ""
    module, what = (_mixed, "split_levels_by") if mixed else (_splitter, "split_by")
    return getattr(module, f"{what}_{family}{drawn}{'_in_order' if bounded else ''}")


def tree_scratch(problem, rules, samples, shape, n_features, by_class, seed):
    """Return room for the work on some samples; `shape` is (n_outputs, n_classes)."""
    n, n_groups, n_sums = len(samples.records), samples.n_groups, shape[0] * shape[1]
    at_random = rules.splitter == RANDOM
    most_codes = max(problem.n_codes.max(), problem.stored.n_codes.max(initial=0))
    room = MOST_PER_SAMPLE * n
    most_bins = max(room // (1 + n_sums), room // n_groups if n_groups else 0)
    n_bins = 0 if at_random else min(most_codes, most_bins)
    ranked = n if rules.criterion == ABSOLUTE_ERROR else 0
    # Of levels, one more stands for missing values.
    most_levels = int(problem.n_levels.max(initial=0))
    levels = make_room(most_levels + 1, n, n_sums) if most_levels else NO_ROOM
    n_bins = n_bins if at_random else max(n_bins, levels.counts.size)
    bounded = problem.signs.size > 0
    return Scratch(
        keys=np.empty(n, dtype=np.uint64),
        buffer=np.empty(n, dtype=np.uint64),
        starts=np.empty(2 * n + 1, dtype=np.int32),
        features=np.arange(n_features),
        state=make_state(seed),
        total=np.empty(shape),
        left=np.empty(shape),
        right=np.empty(shape),
        centre=np.empty(shape[0]),
        order=np.empty((shape[0], ranked), dtype=np.int32),
        costs=np.empty((2, ranked)),
        medians=np.empty((2, ranked if bounded else 0)),
        chain=np.empty((2, ranked + 2)),
        links=np.empty((3, ranked + 2), dtype=np.int32),
        sides=np.empty((2, 2)),
        histogram=np.empty((n_bins, 2 + n_sums)),
        counts=np.empty(min(n_bins * n_groups, room), dtype=np.uint64),
        values=np.empty(n if at_random else 0),
        goes_right=np.empty(n, dtype=np.bool_),
        spare=np.empty(0 if by_class else n),
        search=np.array([max(1, BUDGET // shape[0]), 0, 0, 0, 0, 0, 0, 0], dtype=np.float64),
        levels=levels,
    )


def make_queue(n, most):
    """Return a queue in which the root, of n samples, waits; with a heap for `most` nodes."""
    queue = Queue(
        stack=np.empty((64, 3), dtype=np.int64),
        heap=np.empty(most // 2 + 2 if most else 0, dtype=np.int64),
        worth=np.empty(most),
        counts=np.array([1, 0, 0]),
    )
    queue.stack[0] = -1, 0, n
    return queue


def scaled_weights(w):
    """Return the weights times a power of two, and the exponent that takes it back.

    Only if their squares could leave the range of the numbers; no digit changes.
    """
    exponent = int(np.frexp(w.max())[1])
    if abs(exponent) < LARGEST_EXPONENT:
        return w, 0
    return np.ldexp(w, -exponent), exponent


def with_weights(rules, w):
    """Return the rules for a tree whose samples have these weights.

    A child's weight must be more than nothing: beside others it can round to zero.
    """
    total = float(w.sum())
    least = max(rules.min_weight_leaf * total, np.finfo(np.float64).tiny)
    # Squares of whole numbers are exact. Of others, a sum that shrinks keeps the rounding of what
    # it was, which the weight of a light child would be divided into.
    exact = total < 2.0**26 and bool(np.all(w == np.floor(w)))
    even = np.inf if exact else UNEVEN * float(w[w > 0.0].min())
    return rules._replace(total_weight=total, min_weight_leaf=least, even_weight=even)


def make_nodes(capacity, n_outputs, n_classes, bounded=False):
    """Return room for nodes; `bounded`: with limits of their values."""
    return Nodes(
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
        span=np.empty((capacity, 4), dtype=np.int64),
        limits=np.empty((capacity, 3 if bounded else 0)),
    )


def _extended(array, size):
    """Return a longer copy; what is beyond is not set."""
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
    nodes = Nodes(*(array[order] for array in nodes))
    return nodes._replace(left=number[nodes.left], right=number[nodes.right])


def _finish(X, codes, problem, rules, nodes, sets):
    """Set the thresholds, and return the tree without what only growing needs."""
    threshold = nodes.threshold
    leaf = nodes.feature == LEAF
    by_set = ~leaf & (problem.n_levels[nodes.feature] > 0 if problem.n_levels.size else False)
    inner = np.flatnonzero(~leaf & ~by_set)
    feature = nodes.feature[inner]
    if rules.splitter != RANDOM:
        rows = nodes.cut[inner].T
        if codes.edges is None:
            below, above = (_values_at(X, problem, rows[side], feature) for side in (0, 1))
            threshold[inner] = np.where(np.isnan(above), np.inf, midpoints(below, above))
        else:
            # In the middle between two bins: those between them hold no sample of the node.
            above = _codes_at(codes, problem, rows[1], feature)
            low, high = codes.edges[feature, nodes.code[inner]], codes.edges[feature, above - 1]
            absent = above == codes.missing[feature]
            threshold[inner] = np.where(absent, np.inf, midpoints(low, high))
    steps = np.empty(len(leaf), dtype=STEP)
    steps["threshold"] = np.where(leaf, np.nan, threshold)
    steps["right"] = np.where(leaf, np.arange(len(leaf)), nodes.right)
    marks = np.where(nodes.missing_left & ~leaf, MISSING_LEFT, 0)
    marks = marks + np.where(by_set, CATEGORICAL, 0)
    steps["feature"] = np.where(leaf, 0, nodes.feature) + marks
    arrays = {
        "steps": steps,
        "impurity": nodes.impurity.copy(),
        "n_node_samples": nodes.n_samples.copy(),
        "weighted_n_node_samples": nodes.weight.copy(),
        "value": nodes.value.copy(),
    }
    return Tree(X.shape[1], problem.n_classes, with_sets(arrays, sets))


def _values_at(X, problem, rows, features):
    """Return the values at so many rows and features."""
    if isinstance(X, np.ndarray):
        return X[rows, features]
    return entries_at(problem.stored, X.data, 0.0, rows, features)


def _codes_at(codes, problem, rows, features):
    """Return the codes at so many rows and features."""
    stored = problem.stored
    if not stored.pointers.size:
        return codes.codes[features, rows]
    return entries_at(stored, stored.codes, stored.zeros, rows, features)
