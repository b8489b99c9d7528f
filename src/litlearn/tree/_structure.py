"""A fitted tree: arrays with one entry a node, in the order in which a walk visits them.

A left child stands right after its parent, so that a walk to the left goes straight through memory.
"""

import math

import numpy as np

from litlearn._core import parallel, validation
from litlearn._core.jit import njit, opaque
from litlearn.tree._levels import LARGEST_CODE, codes_in, compacted, is_listed
from litlearn.tree._sparse import dense_rows

LEAF = -1
UNDEFINED = -2
BLOCK_ROWS = 4096  # most rows of a block
BLOCK_STEPS = 1_000_000  # steps from node to node of a block, a few milliseconds
IN_STEP = np.int64(32)  # rows that walk down a tree together
STEPS_BETWEEN = 4  # steps between two looks at whether all have arrived
# Whether values may be missing; with types, as `IN_STEP`: one function serves all.
NONE, SOME = np.bool_(False), np.bool_(True)

# What a prediction reads of a node, in 16 bytes: four nodes share a cache line. A leaf is its own
# right child, and its threshold is NaN: no value is at most that.
STEP = np.dtype([("threshold", "f8"), ("right", "i4"), ("feature", "i4")])
MISSING_LEFT = np.int32(1 << 30)  # added to the feature where missing values go left
FEATURE = np.int32((1 << 30) - 1)  # what is left without these marks
# Added where levels are split. The threshold then says where the set is.
CATEGORICAL = np.int32(-(2**31))
NO_SETS = np.empty(0, dtype=np.uint32)


class Tree:
    """The structure of a fitted decision tree, under scikit-learn's names.

    Attributes
    ----------
    node_count, capacity, n_leaves, max_depth, n_features, n_outputs, max_n_classes : int
        Sizes; the depth of the root is 0.
    n_classes : ndarray of shape (n_outputs,)
        Numbers of classes; ones for regression.
    children_left, children_right : ndarray of shape (node_count,), int32
        Numbers of the children; -1 at a leaf. A left child follows its parent.
    feature : ndarray of shape (node_count,), int32
        The feature of the split; -2 at a leaf.
    threshold : ndarray of shape (node_count,), float64
        A sample goes left if its value is at most the threshold; -2 at a leaf, NaN where a set of
        levels goes left.
    is_categorical : ndarray of shape (node_count,), bool
        Which nodes split the levels of a categorical feature. Columns of such features hold the
        numbers of levels here, as ``levels_`` of the estimator counts them; any other number is a
        level that is not known.
    sets : ndarray of uint32
        The levels that do not go where missing values go; see :meth:`levels_apart`.
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

    sets = NO_SETS  # of most trees, which do not store it

    def __init__(self, n_features, n_classes, arrays):
        self.n_features = n_features
        self.n_classes = n_classes
        self.__dict__.update(arrays)

    def __setstate__(self, state):
        # A pickle may come from a machine of the other byte order: compiled code needs our own.
        for name, value in state.items():
            if isinstance(value, np.ndarray) and not value.dtype.isnative:
                value = value.astype(value.dtype.newbyteorder("="))
            setattr(self, name, value)
        lacking = {"n_features", "n_classes", "steps"} - vars(self).keys()
        if lacking:
            raise ValueError(
                f"Tree: the state has no {', '.join(sorted(lacking))}: it is damaged, or another "
                "version of litlearn wrote it. Fit the estimator again."
            )
        self._check_steps()

    def _check_steps(self):
        """Refuse nodes whose walk would leave the tree, or the features, or never end."""
        steps, nodes = self.steps, np.arange(len(self.steps))
        right, feature = steps["right"], steps["feature"]
        inside = (nodes <= right) & (right < len(nodes)) & (feature >= 0)
        inside |= (nodes < right) & (right < len(nodes)) & self._have_sets()
        # A walk that has reached a leaf stays there: no value goes left.
        leads_on = (feature & FEATURE) < self.n_features
        stays = np.isnan(steps["threshold"]) & (feature < MISSING_LEFT) & (feature >= 0)
        sizes = {len(array) for array in self.arrays().values()}
        if sizes != {len(nodes)} or not (inside & leads_on & (stays | (right > nodes))).all():
            raise ValueError("Tree: the state is damaged: its nodes do not make a tree.")

    def _have_sets(self):
        """Tell of which nodes the set stands in the array of sets: (node_count,), bool."""
        sets, at = self.sets, np.where(self.is_categorical, self.steps["threshold"], -1.0)
        if not (isinstance(sets, np.ndarray) and sets.ndim == 1 and sets.dtype == np.uint32):
            return np.zeros(len(at), dtype=bool)
        begins = (at >= 0.0) & (at < len(sets)) & (at == np.floor(at))
        at = np.where(begins, at, 0.0).astype(np.int64)
        ends = at + (sets[at] >> 1).astype(np.int64) < len(sets) if len(sets) else begins
        return begins & ends

    def arrays(self):
        """Return the stored arrays by name, each with one entry a node."""
        sizes = ("n_features", "n_classes", "sets")
        return {name: array for name, array in vars(self).items() if name not in sizes}

    @property
    def node_count(self):
        return len(self.steps)

    @property
    def capacity(self):
        """Room for so many nodes: for those that are there."""
        return self.node_count

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
        return np.where(self.is_leaf, np.int32(UNDEFINED), self.steps["feature"] & FEATURE)

    @property
    def threshold(self):
        threshold = np.where(self.is_categorical, np.nan, self.steps["threshold"])
        return np.where(self.is_leaf, float(UNDEFINED), threshold)

    @property
    def is_categorical(self):
        return self.steps["feature"] < 0

    def levels_apart(self, node):
        """Return the numbers of the levels that go to the other side than missing values do.

        A sorted array of int64. Missing values go left where ``missing_go_to_left`` says so; all
        other levels go with them, also those that no training sample of the node had.
        """
        return codes_in(self.sets, int(self.steps["threshold"][node]))

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

        `X` is an array (n_samples, n_features) of float32 or float64, or such a CSR array.
        """
        X = X if validation.is_sparse(X) else validation.read_only(X)
        if X.ndim != 2 or X.shape[1] != self.n_features or X.dtype.kind != "f":
            raise ValueError(
                f"Tree: X must be an array of floats of shape (n_samples, {self.n_features}). Got "
                f"shape {X.shape}, dtype {X.dtype}."
            )
        n_samples = X.shape[0]
        leaves = np.empty(n_samples, dtype=np.int64)

        def part(block):
            for rows, some in dense_rows(X, block):
                self.find_leaves(some, has_missing(some), leaves[rows])

        blocks, work = blocks_by_work(n_samples, [self])
        parallel.fold_blocks(part, None, blocks, n_jobs, work=work)
        return leaves

    def find_leaves(self, X, missing, leaves):
        """Write the number of the leaf of each row of a dense `X`; `missing`: it may hold NaN."""
        if self.sets.size:
            find_leaves_by_sets(X, self.steps, self.sets, leaves)
        else:
            find_leaves(X, missing, self.steps, leaves)

    def add_values(self, X, missing, hard, total):
        """Add the value of each row's leaf; see the compiled function of this name."""
        if self.sets.size:
            add_values_by_sets(X, self.steps, self.sets, self.value, hard, total)
        else:
            add_values(X, missing, self.steps, self.value, hard, total)

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


def blocks_by_work(n_rows, trees):
    """Cut rows into blocks of about equal work in all trees. Returns them, and the work of all.

    The depth of a tree is taken as the least that its nodes allow: to look for it takes longer than
    a short prediction.
    """
    steps = sum(math.log2(tree.node_count) + 1.0 for tree in trees)
    size = min(BLOCK_ROWS, max(4 * IN_STEP, int(BLOCK_STEPS / steps)))
    return parallel.cut(n_rows, size), n_rows * steps


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
    # Of -1 and 0, all bits and none: the way to the left child is added, or nothing.
    return right + (opaque(-np.int64(left)) & (np.int64(node) + 1 - right))


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
            walk_together(X, first, len(X) - first, steps, at, SOME)
        elif missing:
            walk_together(X, first, IN_STEP, steps, at, SOME)
        else:
            walk_together(X, first, IN_STEP, steps, at, NONE)
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
    add_values_of(leaves, value, hard, total)


@njit(part=True)
def add_values_of(leaves, value, hard, total):
    """Add the values of leaves (n,) to `total`, as :func:`add_values` says."""
    for i in range(len(leaves)):
        for t in range(value.shape[1]):
            winner = 0
            for c in range(value.shape[2]):
                if hard and value[leaves[i], t, c] > value[leaves[i], t, winner]:
                    winner = c
                elif not hard:
                    total[i, t, c] += value[leaves[i], t, c]
            if hard:
                total[i, t, winner] += 1.0


@njit(inline=True)
def next_by_set(X, i, steps, sets, node):
    """Return where row i goes from a node that may split levels; what is in its set goes apart."""
    feature, right = steps[node]["feature"], np.int64(steps[node]["right"])
    value, threshold = X[i, np.uintp(feature & FEATURE)], steps[node]["threshold"]
    missing_left = (feature & MISSING_LEFT) != 0
    if feature >= 0:
        left = (value <= threshold) | ((value != value) & missing_left)
    else:
        known = value >= 0.0 and value <= LARGEST_CODE
        apart = known and is_listed(sets, np.int64(threshold), np.int64(value))
        left = apart != missing_left
    return np.int64(node) + 1 if left else right


@njit
def find_leaves_by_sets(X, steps, sets, leaves):
    """Write the number of the leaf of each row of `X` to `leaves`; columns of levels hold codes."""
    for first in range(0, len(X), IN_STEP):
        n, walking = min(IN_STEP, len(X) - first), True
        at = leaves[first : first + n]
        at[:] = 0
        # <walk>: Many rows wait for memory together, as in `walk_together`.
        while walking:
            for _ in range(STEPS_BETWEEN):
                for r in range(n):
                    at[r] = next_by_set(X, np.uintp(first + r), steps, sets, np.uintp(at[r]))
            walking = False
            for r in range(n):
                walking = walking or steps[np.uintp(at[r])]["right"] != at[r]


@njit
def add_values_by_sets(X, steps, sets, value, hard, total):
    """Do the same as :func:`add_values` with a tree that splits levels."""
    leaves = np.empty(len(X), dtype=np.int64)
    find_leaves_by_sets(X, steps, sets, leaves)
    add_values_of(leaves, value, hard, total)


def with_sets(arrays, sets):
    """Return the arrays of a tree with the sets that its nodes name, if any, and no others."""
    steps = arrays["steps"]
    nodes = np.flatnonzero(steps["feature"] < 0)
    if not len(nodes):
        return arrays
    kept, steps["threshold"][nodes] = compacted(sets, steps["threshold"][nodes].astype(np.int64))
    return arrays | {"sets": kept}


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
