"""k-d trees and ball trees: one build and one traversal, with two bounds.

A tree cuts the points in halves, again and again, until few are left: a *bucket*. Each node knows
a region that holds all its points, and so a lower bound on the distance from any query to them. A
search walks down to where the query is, and skips every node whose bound says that it cannot help.

Nodes are numbered depth first, so that the left child of node i is node i + 1::

            0                  node    0    1    2    3    4
          /   \\                right   4    3    -    -    -     (0 marks a bucket)
        1       4              points  all  1st  1st  2nd  2nd
       / \\                                 half 1/4  1/4  half
      2   3

A bucket holds up to BUCKET *leaves*, cut from each other in the same way. A leaf is a run of
`leaf` points, a multiple of LANES: leaf number l holds the stored points from l * leaf on. Its
coordinates stand feature after feature, and so do the regions of the leaves of a bucket. So both
the bounds of all leaves of a bucket, and the distances to all points of a leaf, come from
contiguous loads, several in one instruction::

    points of leaf 0: x1 x1 x1 ... x2 x2 x2 ... xp xp xp ... | points of leaf 1: x1 x1 x1 ...
"""

import functools
import math
import operator
from typing import NamedTuple

import numpy as np

from litlearn._core import pickles
from litlearn._core.distances import CHEBYSHEV, EUCLIDEAN, MANHATTAN, block_distances, power
from litlearn._core.jit import njit
from litlearn._core.parallel import cut as cut_rows
from litlearn._core.parallel import fold_blocks
from litlearn._core.selection import NOBODY, grow, heap_sort, offer, reset_heap
from litlearn.neighbors._metrics import (
    box_distance,
    box_distances,
    far_box_distance,
    lost_to_underflow,
    slack,
)

__getattr__ = pickles.gone(__name__, "Tree")  # of 0.1.0

KD, BALL = 0, 1
LANES = 8  # leaves hold a multiple of this many points: vector loops then have no remainder
BUCKET = 8  # leaves of a bucket, at most
SEGMENT = 16384  # points of a subtree that is built in one go, in cache
SAMPLE = 64  # points that the choice of a feature looks at
QUERIES = 256  # queries of a block
STACK = 128  # nodes that a walk can postpone: one for each level, and 2**63 points make 63 levels


class SearchTree(NamedTuple):
    """A k-d tree or ball tree over n points, as plain arrays.

    Parameters
    ----------
    kind : int
        KD or BALL.
    leaf : int
        Points of a leaf; a multiple of LANES.
    points : ndarray of shape (n * p,), float32 or float64
        Coordinates, leaf after leaf, feature after feature within a leaf.
    rows : ndarray of shape (n,), intp
        Row of the data that each stored point came from.
    start, stop : ndarray of shape (n_nodes,), intp
        The stored points of a node.
    right : ndarray of shape (n_nodes,), intp
        Number of the right child; 0 for a bucket. The left child of node i is node i + 1.
    first : ndarray of shape (n_nodes,), intp
        Smallest row of the data in the node: decides ties without a visit.
    feature : ndarray of shape (n_nodes,), intp
        Feature across which the node is cut.
    threshold : ndarray of shape (n_nodes,), float64
        Where: the left child has the points up to it, the right child those from it.
    low : ndarray of shape (n_nodes, p), float64
        KD: lower corner of the tight box around the node's points. BALL: their centre.
    high : ndarray of shape (n_nodes, p) or (n_nodes, 1), float64
        KD: upper corner. BALL: radius.
    leaf_low : ndarray of shape (n_leaves * p,), float64
        As low, for leaves: bucket after bucket, feature after feature within a bucket.
    leaf_high : ndarray of shape (n_leaves * p,) or (n_leaves,), float64
        As high, for leaves.
    """

    kind: int
    leaf: int
    points: np.ndarray
    rows: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    right: np.ndarray
    first: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    low: np.ndarray
    high: np.ndarray
    leaf_low: np.ndarray
    leaf_high: np.ndarray


INTEGERS = ("start", "stop", "right", "first", "feature")  # of nodes
OF_NODES = (*INTEGERS, "threshold", "low", "high")  # arrays with one entry, or row, for each node


# ------------------------------------------------------------------ build


@functools.cache
def node_count(count, leaf):
    """Number of nodes of a tree over `count` points: set by the numbers alone."""
    if count <= BUCKET * leaf:
        return 1
    left = half(count, leaf)
    return 1 + node_count(left, leaf) + node_count(count - left, leaf)


@njit
def half(count, leaf):
    """Points that go to the left child: half of them, rounded up to whole leaves."""
    return -(-count // (2 * leaf)) * leaf


@njit
def widest_feature(X, rows, start, stop):
    """Feature with the largest range among a sample of the points.

    X (n, p) with rows (n,): point i is X[rows[i]].
    """
    step = max(1, (stop - start) // SAMPLE)
    widest, width = 0, -1.0
    for j in range(X.shape[1]):
        low = high = X[rows[start], j]
        for i in range(start, stop, step):
            low, high = min(low, X[rows[i], j]), max(high, X[rows[i], j])
        if high - low > width:
            widest, width = j, high - low
    return widest


@njit
def kth_smallest(values, k, low, high):
    """The k-th smallest of values[low], ..., values[high - 1] (k from low); reorders them.

    Quickselect: the pivot is the median of three at scattered places, so that no common order of
    the data makes it slow. Positions are unsigned: no test for a negative index.
    """
    high -= 1
    draw = high - low
    while low < high:
        draw = (draw * 1103515245 + 12345) % 2147483648
        a, b = values[low + draw % (high - low + 1)], values[(low + high) // 2]
        c = values[high - draw % (high - low + 1)]
        pivot = max(min(a, b), min(max(a, b), c))
        left, right = low, high
        while left <= right:
            while values[np.uintp(left)] < pivot:
                left += 1
            while values[np.uintp(right)] > pivot:
                right -= 1
            if left <= right:
                a, b = np.uintp(left), np.uintp(right)
                values[a], values[b] = values[b], values[a]
                left += 1
                right -= 1
        if k <= right:
            high = right
        elif k >= left:
            low = left
        else:
            break
    return values[k]


@njit
def goes_left(keys, count, threshold, middle, left):
    """Mark the `middle` points that go left: all below the threshold, and some equal to it.

    keys (count,): a feature of the points; left (count,) uint8: output.
    """
    below = 0
    for i in range(count):
        below += keys[i] < threshold
    room = middle - below
    for i in range(count):
        left[i] = keys[i] < threshold
        if keys[i] == threshold and room > 0:
            left[i] = 1
            room -= 1


@njit
def partition(array, start, stop, left, scratch):
    """Bring the marked entries of array[start:stop] to its front; both parts keep their order."""
    front, held = start, 0
    # <move>: both writes always happen and one counter moves, so no branch is mispredicted.
    for i in range(start, stop):
        value, mark = array[i], np.intp(left[i - start])
        array[front] = value
        scratch[held] = value
        front += mark
        held += 1 - mark
    for i in range(held):
        array[front + i] = scratch[i]


@njit
def halve(X, rows, start, stop, leaf, scratch):
    """Cut a run of point rows in halves; return middle, feature and threshold.

    X (n, p); rows (n,): reordered between start and stop; scratch: see cutting_scratch.
    """
    keys, sorted_keys, left, held = scratch
    count = stop - start
    # <median>: the feature with the widest range, cut where half of the points are on each side.
    feature, middle = widest_feature(X, rows, start, stop), half(count, leaf)
    for i in range(count):
        keys[i] = sorted_keys[i] = X[rows[start + i], feature]
    threshold = kth_smallest(sorted_keys, middle, 0, count)
    goes_left(keys, count, threshold, middle, left)
    partition(rows, start, stop, left, held)
    return start + middle, feature, threshold


@njit
def cutting_scratch(X, count):
    """Working memory for cutting up to `count` points."""
    keys, sorted_keys = np.empty(count, X.dtype), np.empty(count, X.dtype)
    return keys, sorted_keys, np.empty(count, np.uint8), np.empty(count, np.intp)


@njit
def build_subtree(X, tree, ids):
    """Build a tree over the points X; ids (n,): their rows in the data."""
    scratch, parents = cutting_scratch(X, X.shape[0]), np.empty(STACK, dtype=np.intp)
    starts, stops = np.empty(STACK, dtype=np.intp), np.empty(STACK, dtype=np.intp)
    starts[0], stops[0], parents[0] = 0, X.shape[0], -1
    top, node = 0, -1
    while top >= 0:
        # <number>: nodes leave the stack depth first, left child first, and so get their number.
        node += 1
        start, stop, parent = starts[top], stops[top], parents[top]
        top -= 1
        tree.start[node], tree.stop[node] = start, stop
        if parent >= 0:
            tree.right[parent] = node
        # <cut>: a large node leaves its halves on the stack, the left one on top.
        if stop - start > BUCKET * tree.leaf:
            middle, feature, threshold = halve(X, tree.rows, start, stop, tree.leaf, scratch)
            tree.feature[node], tree.threshold[node] = feature, threshold
            starts[top + 1], stops[top + 1], parents[top + 1] = middle, stop, node
            starts[top + 2], stops[top + 2], parents[top + 2] = start, middle, -1
            top += 2
        else:
            build_bucket(X, tree, ids, node, scratch)
    # <describe>: children have larger numbers than their parent, so go backwards.
    for i in range(node, -1, -1):
        if tree.right[i] > 0:
            describe_parent(tree, i)


@njit
def build_bucket(X, tree, ids, node, scratch):
    """Cut a bucket into leaves, copy their points, and describe the bucket and its leaves."""
    start, stop = tree.start[node], tree.stop[node]
    cut_into_leaves(X, tree.rows, start, stop, tree.leaf, scratch)
    for begin in range(start, stop, tree.leaf):
        copy_points(X, tree.rows, begin, min(begin + tree.leaf, stop), tree.points)
    tree.first[node] = ids[tree.rows[start:stop]].min()
    fit_leaves(tree, node)


@njit
def cut_into_leaves(X, rows, start, stop, leaf, scratch):
    """Cut a run of point rows until no part is larger than a leaf; arguments as in cut."""
    starts, stops = np.empty(BUCKET, dtype=np.intp), np.empty(BUCKET, dtype=np.intp)
    starts[0], stops[0], top = start, stop, 0
    while top >= 0:
        begin, end = starts[top], stops[top]
        top -= 1
        if end - begin > leaf:
            middle, _, _ = halve(X, rows, begin, end, leaf, scratch)
            starts[top + 1], stops[top + 1] = begin, middle
            starts[top + 2], stops[top + 2] = middle, end
            top += 2


@njit
def copy_points(X, rows, start, stop, points):
    """Copy the points of a leaf, feature after feature."""
    count, p = stop - start, X.shape[1]
    for j in range(p):
        for i in range(count):
            points[start * p + j * count + i] = X[rows[start + i], j]


@njit
def fit_leaves(tree, node):
    """The boxes of the leaves of a bucket and the box around them; or centres, and their mean."""
    start, stop, p = tree.start[node], tree.stop[node], tree.low.shape[1]
    n_leaves = -(-(stop - start) // tree.leaf)
    for j in range(p):
        region = start // tree.leaf * p + j * n_leaves
        for number in range(n_leaves):
            begin = start + number * tree.leaf
            count = min(tree.leaf, stop - begin)
            first = begin * p + j * count
            if tree.kind == KD:
                low, high = value_range(tree.points, first, count)
                tree.leaf_low[region + number], tree.leaf_high[region + number] = low, high
            else:
                tree.leaf_low[region + number] = mean(tree.points, first, count)
        if tree.kind == KD:
            tree.low[node, j], _ = value_range(tree.leaf_low, region, n_leaves)
            _, tree.high[node, j] = value_range(tree.leaf_high, region, n_leaves)
        else:
            tree.low[node, j] = mean(tree.leaf_low, region, n_leaves)


@njit(helper=True)
def value_range(values, first, count):
    """Smallest and largest of values[first], ..., values[first + count - 1]."""
    low = high = values[first]
    for i in range(np.uintp(first), np.uintp(first + count)):
        low, high = min(low, values[i]), max(high, values[i])
    return low, high


@njit(helper=True)
def mean(values, first, count):
    """Mean of values[first], ..., values[first + count - 1].

    As an offset from the first, and divided before it is added up: against rounding and overflow.
    """
    base, total = values[first], 0.0
    for i in range(np.uintp(first), np.uintp(first + count)):
        total += values[i] / count - base / count
    return base + total


@njit
def describe_parent(tree, node):
    """Describe a node by what its children know: box or centre, and the smallest row."""
    left, right = node + 1, tree.right[node]
    tree.first[node] = min(tree.first[left], tree.first[right])
    share = (tree.stop[left] - tree.start[left]) / (tree.stop[node] - tree.start[node])
    for j in range(tree.low.shape[1]):
        if tree.kind == KD:
            tree.low[node, j] = min(tree.low[left, j], tree.low[right, j])
            tree.high[node, j] = max(tree.high[left, j], tree.high[right, j])
        else:
            tree.low[node, j] = share * tree.low[left, j] + (1 - share) * tree.low[right, j]


@njit
def fit_radii(metric, tree, margin, first, last):
    """Radii of balls first, ..., last - 1, and of the leaves of those that are buckets, rounded up.

    A radius reaches from the centre of a ball to the farthest of its points, and by `margin`
    farther: it covers what distances lose to underflow, to the points and to later queries.
    """
    leaf, p = tree.leaf, tree.low.shape[1]
    widened = 1 + slack(metric, p)
    values, center = np.empty(leaf), np.empty(p)
    for node in range(first, last):
        start, stop = tree.start[node], tree.stop[node]
        n_leaves = -(-(stop - start) // leaf)
        radius = 0.0
        for number in range(n_leaves):
            begin = start + number * leaf
            count = min(leaf, stop - begin)
            radius = max(
                radius, farthest_of_leaf(metric, tree.low[node], tree, begin, count, values)
            )
            if tree.right[node] == 0:
                for j in range(p):
                    center[j] = tree.leaf_low[(start // leaf) * p + j * n_leaves + number]
                reach = farthest_of_leaf(metric, center, tree, begin, count, values)
                tree.leaf_high[begin // leaf] = root(metric, reach) * widened + margin
        tree.high[node, 0] = root(metric, radius) * widened + margin


@njit
def farthest_of_leaf(metric, center, tree, start, count, values):
    """Largest reduced distance from a centre to `count` stored points of one leaf."""
    block_distances(metric, center, tree.points, start * center.size, count, values)
    largest = 0.0
    for i in range(count):
        largest = max(largest, values[i])
    return largest


def build(X, kind, metric, leaf, n_jobs=None):
    """Build a tree.

    Parameters
    ----------
    X : ndarray of shape (n, p), float32 or float64, C order
    kind : {KD, BALL}
    metric : Metric
        Needed for the radii of balls.
    leaf : int
        Points of a leaf; a multiple of LANES.
    n_jobs : int or None, default=None

    Returns
    -------
    SearchTree

    Notes
    -----
    O(p n + n log n) time for a k-d tree, O(p n log n) for a ball tree; one copy of the points, and
    about n / leaf regions of size O(p).
    """
    n, p = X.shape
    n_nodes, n_leaves = node_count(n, leaf), -(-n // leaf)
    integers = {name: np.zeros(n_nodes, dtype=np.intp) for name in INTEGERS}
    tree = SearchTree(
        kind=kind,
        leaf=leaf,
        points=np.empty(n * p, dtype=X.dtype),
        rows=np.arange(n),
        **integers,
        threshold=np.zeros(n_nodes),
        low=np.empty((n_nodes, p)),
        high=np.empty((n_nodes, p if kind == KD else 1)),
        leaf_low=np.empty(n_leaves * p),
        leaf_high=np.empty(n_leaves * p if kind == KD else n_leaves),
    )
    tree.stop[0] = n
    # <top>: large nodes are cut level by level, all nodes of a level at once.
    level, top, subtrees = [0], [], []
    while level:
        large = [i for i in level if tree.stop[i] - tree.start[i] > max(SEGMENT, BUCKET * leaf)]
        subtrees += sorted(set(level) - set(large))
        top += large
        cut_one = functools.partial(cut_large, X, tree)
        level = fold_blocks(cut_one, operator.add, large, n_jobs, initial=())
    # <subtrees>: independent of each other, because their node numbers are known beforehand.
    fold_blocks(functools.partial(build_in_place, X, tree), None, subtrees, n_jobs)
    for node in reversed(top):
        describe_parent(tree, node)
    if kind == BALL:
        fit = functools.partial(fit_radii, metric, tree, 2 * lost_to_underflow(metric))
        fold_blocks(lambda b: fit(b.start, b.stop), None, cut_rows(n_nodes, 32), n_jobs)
    return tree


def is_whole(tree, n, p):
    """Tell whether no walk through a tree over n points (n, p) leaves its arrays, or never ends."""
    if not (tree.kind in (KD, BALL) and tree.leaf > 0 and tree.leaf % LANES == 0):
        return False
    n_nodes, n_leaves = node_count(n, tree.leaf), -(-n // tree.leaf)
    shapes = dict.fromkeys((*INTEGERS, "threshold"), (n_nodes,))
    shapes |= {"points": (n * p,), "rows": (n,), "low": (n_nodes, p), "leaf_low": (n_leaves * p,)}
    wide = p if tree.kind == KD else 1  # corners, or radii
    shapes |= {"high": (n_nodes, wide), "leaf_high": (n_leaves * wide,)}
    if any(getattr(tree, name).shape != shape for name, shape in shapes.items()):
        return False
    start, stop, right = tree.start, tree.stop, tree.right
    inner = np.flatnonzero(right)
    left, other = inner + 1, right[inner]
    # <family>: each node but the root is the child of one node, which has a smaller number.
    children = np.sort(np.concatenate((left, other)))
    if not np.array_equal(children, np.arange(1, n_nodes)) or np.any(other <= inner):
        return False
    # <halves>: the sizes follow from the number of points alone.
    count = stop - start
    middle = start[inner] - (-count[inner] // (2 * tree.leaf)) * tree.leaf
    agree = (
        ((start[0], stop[0]), (0, n)),
        (right > 0, count > BUCKET * tree.leaf),
        (start[left], start[inner]),
        (stop[left], middle),
        (start[other], middle),
        (stop[other], stop[inner]),
        (np.sort(tree.rows), np.arange(n)),
    )
    inside = np.all((tree.first >= 0) & (tree.first < n) & (tree.feature >= 0) & (tree.feature < p))
    return bool(inside) and all(np.array_equal(one, another) for one, another in agree)


def build_in_place(X, tree, root):
    """Build the subtree below node `root`: a tree of its own, in slices of the larger one's arrays.

    Its points are first copied next to each other, so that all of the work happens in cache.
    """
    start, stop, leaf, p = int(tree.start[root]), int(tree.stop[root]), tree.leaf, X.shape[1]
    ids = tree.rows[start:stop].copy()
    nodes = slice(root, root + node_count(stop - start, leaf))
    leaves = slice(start // leaf * p, -(-stop // leaf) * p)
    subtree = tree._replace(
        points=tree.points[start * p : stop * p],
        rows=np.arange(stop - start),
        **{name: getattr(tree, name)[nodes] for name in OF_NODES},
        leaf_low=tree.leaf_low[leaves],
        leaf_high=tree.leaf_high[leaves] if tree.kind == KD else tree.leaf_high,
    )
    build_subtree(X.take(ids, axis=0), subtree, ids)
    # <shift>: from the numbers of the subtree to those of the whole tree.
    tree.rows[start:stop] = ids[subtree.rows]
    subtree.start[:] += start
    subtree.stop[:] += start
    subtree.right[subtree.right > 0] += root


def cut_large(X, tree, node):
    """Cut a node and number its children; return them.

    As `halve`, but with NumPy's selection, which is faster on long arrays.
    """
    start, stop = tree.start[node], tree.stop[node]
    count, feature = stop - start, widest_feature(X, tree.rows, start, stop)
    keys, to_left = X[tree.rows[start:stop], feature], int(half(count, tree.leaf))
    threshold = np.partition(keys, to_left)[to_left]
    left_mark, held = np.empty(count, np.uint8), np.empty(count, np.intp)
    goes_left(keys, count, threshold, to_left, left_mark)
    partition(tree.rows, start, stop, left_mark, held)
    tree.feature[node], tree.threshold[node] = feature, threshold
    left, middle = node + 1, start + to_left
    right = left + node_count(to_left, tree.leaf)
    tree.right[node] = right
    tree.start[left], tree.stop[left] = start, middle
    tree.start[right], tree.stop[right] = middle, stop
    return left, right


# ------------------------------------------------------------------ bounds


@njit(inline=True)
def root(metric, reduced):
    """The distance for a reduced distance."""
    if metric.code == EUCLIDEAN:
        return math.sqrt(reduced)
    if metric.code == MANHATTAN or metric.code == CHEBYSHEV:
        return reduced
    return reduced ** (1.0 / metric.p)


@njit(inline=True)
def unroot(metric, distance):
    """The reduced distance for a distance."""
    if metric.code == EUCLIDEAN:
        return distance * distance
    if metric.code == MANHATTAN or metric.code == CHEBYSHEV:
        return distance
    return power(distance, metric.p)


@njit(inline=True)
def lower_bound(metric, tree, node, q):
    """Reduced distance that no point of the node can undercut.

    Implements :eq:`eq-box-bound` and :eq:`eq-ball-bound`.
    """
    if tree.kind == KD:
        return box_distance(metric, q, tree.low, tree.high, node)
    to_center = box_distance(metric, q, tree.low, tree.low, node)
    return ball_bound(metric, q.size, to_center, tree.high[node, 0])


@njit(helper=True)
def ball_bound(metric, p, to_center, radius):
    """Lower bound for the points of a ball, from the reduced distance to its centre.

    Implements :eq:`eq-ball-bound`. A difference can be too large by rounding, so it is lowered by
    more than any rounding error.
    """
    # <margin>: the distance to the centre less the radius, less all that rounding can amount to.
    distance = root(metric, to_center) * (1 - slack(metric, p)) - radius
    if not 0.0 < distance < np.inf:  # an overflow tells nothing
        return 0.0
    return unroot(metric, distance) * (1 - slack(metric, p))


@njit(inline=True)
def leaf_bounds(metric, tree, start, n_leaves, q, out):
    """Lower bounds for the leaves of the bucket that begins at `start`; out (BUCKET,): output."""
    offset = (start // tree.leaf) * q.size
    if tree.kind == KD:
        box_distances(metric, q, tree.leaf_low, tree.leaf_high, offset, n_leaves, out)
    else:
        block_distances(metric, q, tree.leaf_low, offset, n_leaves, out)
        for c in range(n_leaves):
            out[c] = ball_bound(metric, q.size, out[c], tree.leaf_high[start // tree.leaf + c])


@njit(inline=True)
def upper_bound(metric, tree, node, q):
    """Reduced distance that no point of the node can exceed."""
    if tree.kind == KD:
        return far_box_distance(metric, q, tree.low, tree.high, node)
    widened = 1 + slack(metric, q.size)
    to_center = root(metric, box_distance(metric, q, tree.low, tree.low, node))
    return unroot(metric, (to_center * widened + tree.high[node, 0]) * widened) * widened


# ------------------------------------------------------------------ traversal


@njit
def walking_room(leaf, p):
    """Working memory of a walk: a stack of nodes that wait, rows of numbers, and a query.

    The rows: bounds of those nodes; bounds of the leaves of a bucket; distances to the points of a
    leaf.
    """
    return np.empty(STACK, dtype=np.intp), np.empty((3, max(STACK, BUCKET, leaf))), np.empty(p)


@njit(inline=True)
def load(Q, i, q):
    """Copy query i to q, as float64."""
    for j in range(q.size):
        q[j] = Q[i, j]


@njit(inline=True)
def knn_one(metric, tree, q, skip, heap, heap_index, postponed, room):
    """The k nearest points of one query, as a heap.

    q (p,) float64; skip: index to leave out, or NOBODY; heap, heap_index (k,): output;
    postponed, room: see `walking_room`.
    """
    bounds, leaf_bound, values = room[0], room[1], room[2]
    reset_heap(heap, heap_index, tree.rows.size)
    postponed[0], bounds[0], top = 0, 0.0, 0
    while top >= 0:
        # <prune>: a node whose bound is worse than the k-th best, or equal to it and behind it in
        # the order of ties, is skipped with all that is below it.
        node, bound = postponed[top], bounds[top]
        top -= 1
        if bound > heap[0] or (bound == heap[0] and tree.first[node] > heap_index[0]):
            continue
        # <descend>: to the side of the cut where the query is; the other side is postponed.
        while tree.right[node] > 0:
            near, far = node + 1, tree.right[node]
            if q[tree.feature[node]] > tree.threshold[node]:
                near, far = far, near
            bound = lower_bound(metric, tree, far, q)
            if bound <= heap[0]:
                top += 1
                postponed[top], bounds[top] = far, bound
            node = near
        # <bucket>: bounds of all its leaves at once; the nearest leaf is visited first.
        begin, end = tree.start[node], tree.stop[node]
        n_leaves = -(-(end - begin) // tree.leaf)
        leaf_bounds(metric, tree, begin, n_leaves, q, leaf_bound)
        nearest = 0
        for c in range(1, n_leaves):
            nearest = c if leaf_bound[c] < leaf_bound[nearest] else nearest
        # <leaf>: distances to all its points, then the few that are better.
        for turn in range(n_leaves):
            c = nearest if turn == 0 else (0 if turn == nearest else turn)
            if leaf_bound[c] <= heap[0]:
                run = begin + c * tree.leaf
                count = min(tree.leaf, end - run)
                block_distances(metric, q, tree.points, run * q.size, count, values)
                offer(values, count, tree.rows, run, skip, heap, heap_index)


@njit
def knn_block(metric, tree, Q, queries, exclude_self, best, best_index):
    """The k nearest points of the rows `queries` of Q; best, best_index (m, k): output."""
    k, (waiting, room, q) = best.shape[1], walking_room(tree.leaf, Q.shape[1])
    heap, heap_index = np.empty(k), np.empty(k, dtype=np.intp)
    for i in queries:
        load(Q, i, q)
        skip = i if exclude_self else NOBODY
        knn_one(metric, tree, q, skip, heap, heap_index, waiting, room)
        heap_sort(heap, heap_index)
        for c in range(k):
            best[i, c], best_index[i, c] = heap[c], heap_index[c]


@njit
def find_bucket(tree, Q, bucket):
    """Number of the bucket on whose side of every cut each query is; bucket (m,): output."""
    right, feature, threshold = tree.right, tree.feature, tree.threshold
    for i in range(Q.shape[0]):
        node = 0
        while right[node] > 0:
            node = right[node] if Q[i, feature[node]] > threshold[node] else node + 1
        bucket[i] = node


def knn(metric, tree, Q, k, *, exclude_self=False, n_jobs=None):
    """The k nearest points of each query, by a tree.

    Parameters
    ----------
    metric : Metric
    tree : SearchTree
    Q : ndarray of shape (m, p), float32 or float64, C order
    k : int
    exclude_self : bool, default=False
        Query i is point i, and is left out of its own neighbours.
    n_jobs : int or None, default=None

    Returns
    -------
    reduced : ndarray of shape (m, k), float64
        Reduced distances, ascending; ties by index.
    index : ndarray of shape (m, k), intp

    Notes
    -----
    Implements :eq:`eq-k-neighborhood`. O(m log n) time in low dimension, up to O(n m p) in high.
    """
    m = Q.shape[0]
    best, best_index = np.empty((m, k)), np.empty((m, k), dtype=np.intp)

    def search(queries):
        knn_block(metric, tree, Q, queries, exclude_self, best, best_index)

    fold_blocks(search, None, tree_order(tree, Q, exclude_self), n_jobs)
    return best, best_index


@njit
def radius_block(metric, tree, Q, queries, bounds, exclude_self):
    """All points within reach of the rows `queries` of Q.

    bounds (m,): largest reduced distance that counts, for each row of Q. Returns counts of
    neighbours, and their indices and reduced distances, query after query.
    """
    (waiting, room, q), total = walking_room(tree.leaf, Q.shape[1]), 0
    counts = np.zeros(queries.size, dtype=np.intp)
    index, reduced = np.empty(256, dtype=np.intp), np.empty(256)
    for number in range(queries.size):
        i, before = queries[number], total
        load(Q, i, q)
        skip, waiting[0] = i if exclude_self else NOBODY, 0
        node, top = next_bucket(metric, tree, q, bounds[i], waiting, 0)
        while node >= 0:
            needed = total + tree.stop[node] - tree.start[node]
            if needed > index.size:
                index, reduced = grow(index, needed), grow(reduced, needed)
            out = index[total:], reduced[total:]
            total += collect(metric, tree, node, q, bounds[i], skip, out, room)
            node, top = next_bucket(metric, tree, q, bounds[i], waiting, top)
        counts[number] = total - before
    return counts, index[:total].copy(), reduced[:total].copy()


@njit(inline=True)
def next_bucket(metric, tree, q, bound, waiting, top):
    """The next bucket within reach, or -1, and the new top of the stack of waiting nodes."""
    # <prune>: a node out of reach is dropped; children wait in place of their parent.
    while top >= 0:
        node = waiting[top]
        top -= 1
        if lower_bound(metric, tree, node, q) <= bound:
            if tree.right[node] == 0:
                return node, top
            waiting[top + 1], waiting[top + 2] = tree.right[node], node + 1
            top += 2
    return -1, top


@njit(inline=True)
def collect(metric, tree, node, q, bound, skip, out, room):
    """Write indices and reduced distances of the points of a bucket within reach; count them."""
    (index, reduced), leaf_bound, values, found = out, room[1], room[2], 0
    begin, end = tree.start[node], tree.stop[node]
    n_leaves = -(-(end - begin) // tree.leaf)
    leaf_bounds(metric, tree, begin, n_leaves, q, leaf_bound)
    for c in range(n_leaves):
        if leaf_bound[c] > bound:
            continue
        # <leaf>: keep what is within reach.
        run = begin + c * tree.leaf
        count = min(tree.leaf, end - run)
        block_distances(metric, q, tree.points, run * q.size, count, values)
        for v in range(count):
            if values[v] <= bound and tree.rows[run + v] != skip:
                index[found], reduced[found] = tree.rows[run + v], values[v]
                found += 1
    return found


@njit
def count_block(metric, tree, Q, queries, bounds, counts):
    """Number of points within reach of the rows `queries` of Q; counts (m,): output."""
    waiting, room, q = walking_room(tree.leaf, Q.shape[1])
    for i in queries:
        load(Q, i, q)
        counts[i] = count_one(metric, tree, q, bounds[i], waiting, room[2])


@njit(inline=True)
def count_one(metric, tree, q, bound, waiting, values):
    """Number of points within reach of one query."""
    waiting[0], top, total = 0, 0, 0
    while top >= 0:
        node = waiting[top]
        top -= 1
        if lower_bound(metric, tree, node, q) > bound:
            continue
        # <inside>: a node that is within reach as a whole is counted without a look at it.
        if upper_bound(metric, tree, node, q) <= bound:
            total += tree.stop[node] - tree.start[node]
        elif tree.right[node] > 0:
            waiting[top + 1], waiting[top + 2] = tree.right[node], node + 1
            top += 2
        else:
            total += count_in_bucket(metric, tree, node, q, bound, values)
    return total


@njit(inline=True)
def count_in_bucket(metric, tree, node, q, bound, values):
    """Number of points of a bucket within reach."""
    total = 0
    for run in range(tree.start[node], tree.stop[node], tree.leaf):
        count = min(tree.leaf, tree.stop[node] - run)
        block_distances(metric, q, tree.points, run * q.size, count, values)
        for v in range(count):
            total += values[v] <= bound
    return total


def radius(metric, tree, Q, bounds, *, exclude_self=False, n_jobs=None):
    """All points within a radius of each query, by a tree.

    Parameters
    ----------
    metric : Metric
    tree : SearchTree
    Q : ndarray of shape (m, p), float32 or float64, C order
    bounds : ndarray of shape (m,), float64
        Largest reduced distance that counts, for each query.
    exclude_self : bool, default=False
        Query i is point i, and is left out of its own neighbours.
    n_jobs : int or None, default=None

    Returns
    -------
    list of (queries, counts, index, reduced)
        One for each block of queries: their rows in Q, the number of neighbours of each, and the
        neighbours' indices and reduced distances, query after query.

    Notes
    -----
    Implements :eq:`eq-radius-neighborhood`. Memory for the result.
    """

    def search(queries):
        return [(queries, *radius_block(metric, tree, Q, queries, bounds, exclude_self))]

    blocks = tree_order(tree, Q, exclude_self)
    return fold_blocks(search, operator.iadd, blocks, n_jobs, initial=[])


def count(metric, tree, Q, bounds, *, n_jobs=None):
    """Number of points within a radius of each query (m,), by a tree; arguments as in `radius`."""
    counts = np.empty(Q.shape[0], dtype=np.intp)

    def search(queries):
        count_block(metric, tree, Q, queries, bounds, counts)

    fold_blocks(search, None, tree_order(tree, Q, False), n_jobs)
    return counts


def tree_order(tree, Q, is_training):
    """Blocks of query rows such that neighbouring queries visit the same leaves, found in cache."""
    if is_training:
        queries = tree.rows
    else:
        bucket = np.empty(Q.shape[0], dtype=np.intp)
        find_bucket(tree, Q, bucket)
        queries = np.argsort(bucket, kind="stable")
        queries.flags.writeable = False  # as tree.rows: one signature, compiled once
    return [queries[block] for block in cut_rows(queries.size, QUERIES)]
