"""Quantiles of a forest: of the training targets that share leaves with a sample."""

import numpy as np

from litlearn._core import parallel
from litlearn.ensemble._draws import training_leaves
from litlearn.tree._structure import BLOCK_ROWS

ENTRIES = 2**20  # weights of a block of queries, 12 MB
# A sum of weights reaches a quantile also if rounding keeps it just below: ten weights of 0.1 sum
# up to less than 1. A weight is larger than that unless a tree has 10^10 samples.
ROUNDING = 1e-10


def forest_quantiles(who, X, trees, weight_of, X_train, y, quantiles, clipped, n_jobs):
    """Return quantiles of the targets by the weights of the forest: (n_samples, n_quantiles).

    Parameters
    ----------
    who : str
        Named in messages.
    X : ndarray, or CSR array, of shape (n_samples, n_features)
    trees : list of Tree
    weight_of : callable
        ``weight_of(b)``: the weight of each training sample in tree b, (n_train,).
    X_train : ndarray, or CSR array, of shape (n_train, n_features)
    y : ndarray of shape (n_train,)
    quantiles : ndarray of shape (n_quantiles,)
    clipped : bool
        Whether monotonic constraints may have moved the values of leaves.
    n_jobs : int or None
    """
    order = np.argsort(y, kind="stable")
    sorted_y = y[order]
    members = leaf_members(who, X_train, sorted_y, trees, weight_of, order, clipped, n_jobs)
    first = np.cumsum([0, *(tree.node_count for tree in trees)])
    sizes = np.diff(members.indptr)
    largest = sum(int(sizes[a:b].max()) for a, b in zip(first, first[1:], strict=False))
    found = np.empty((X.shape[0], len(quantiles)))

    def part(block):
        weights = sample_weights(X[block], trees, first, members)
        for i, (a, b) in enumerate(zip(weights.indptr, weights.indptr[1:], strict=False)):
            places = weighted_quantiles(weights.data[a:b], quantiles)
            found[block.start + i] = sorted_y[weights.indices[a:b][places]]

    rows = max(1, min(BLOCK_ROWS, ENTRIES // min(len(y), largest)))
    parallel.fold_blocks(part, None, parallel.cut(X.shape[0], rows), n_jobs)
    return found


def leaf_members(who, X, sorted_y, trees, weight_of, order, clipped, n_jobs):
    """Return the share of each training sample in its leaf, divided by the number of trees.

    A CSR array with a row for each node of all trees, one tree below the other, and a column for
    each sample in the order of the targets: ``sorted_y[k]`` is that of sample ``order[k]``.
    """
    from scipy.sparse import csr_array, vstack

    def part(b):
        weight = weight_of(b)
        leaves, n_nodes = training_leaves(who, X, trees[b], weight), trees[b].node_count
        share = weight / np.bincount(leaves, weight, n_nodes)[leaves] / len(trees)
        inside = np.flatnonzero(weight[order] > 0)  # places among the sorted targets
        by_leaf = inside[np.argsort(leaves[order[inside]], kind="stable")]
        counts = np.bincount(leaves[order[inside]], minlength=n_nodes)
        indptr = np.concatenate([[0], np.cumsum(counts)])
        if not clipped:
            check_targets(who, trees[b], sorted_y[by_leaf], indptr)
        entries = share[order[by_leaf]], by_leaf, indptr
        return csr_array(entries, shape=(n_nodes, len(order)))

    def merge(found, one):
        found.append(one)
        return found

    parts = parallel.fold_blocks(part, merge, range(len(trees)), n_jobs, initial=[])
    return vstack(parts, format="csr")


def check_targets(who, tree, y, indptr):
    """Refuse targets among which the values of the tree's leaves do not lie.

    Those of a leaf are ``y[indptr[leaf] : indptr[leaf + 1]]``, sorted. A mean lies between the
    smallest and the largest, as a median does, up to its rounding.
    """
    leaves = np.flatnonzero(tree.is_leaf)
    value, slack = tree.value[leaves, 0, 0], 1e-9 * np.abs(y).max()
    low, high = y[indptr[leaves]], y[indptr[leaves + 1] - 1]
    if np.any((value < low - slack) | (value > high + slack)):
        raise ValueError(
            f"{who}: y_train must hold the targets that the forest was fitted to, in the order of "
            "the samples. Got others: the means of the leaves do not lie between them."
        )


def sample_weights(X, trees, first, members):
    """Return the weights that the forest gives the training targets for each sample.

    A CSR array, sorted; its rows sum to one. `first` are the numbers of the trees' first nodes.
    """
    from scipy.sparse import csr_array

    nodes = np.stack([tree.apply(X) for tree in trees], axis=1) + first[:-1]
    indptr = np.arange(0, nodes.size + 1, len(trees))
    shape = (len(nodes), members.shape[0])
    weights = csr_array((np.ones(nodes.size), nodes.ravel(), indptr), shape=shape) @ members
    weights.sort_indices()
    return weights


def weighted_quantiles(weight, quantiles):
    """Return the first places at which the sum of the weights (n,) has reached the quantiles."""
    sums = np.cumsum(weight)
    return np.searchsorted(sums, quantiles * (1.0 - ROUNDING) * sums[-1])
