"""What a feature is worth: the loss when its values are permuted among samples not seen."""

import numpy as np

from litlearn._core import parallel
from litlearn.ensemble._draws import training_leaves
from litlearn.tree._sparse import dense_rows
from litlearn.tree._structure import BLOCK_ROWS, has_missing


def permutation_importances(who, X, trees, counts_of, losses_of, weight, seeds, n_repeats, n_jobs):
    """Return the importance of each feature in each tree: (n_features, n_trees).

    A column is NaN if the tree has drawn all samples.

    Parameters
    ----------
    who : str
        Named in messages.
    X : ndarray, or CSR array, of shape (n_samples, n_features)
        The training samples.
    trees : list of Tree
    counts_of : callable
        ``counts_of(b)``: how often tree b has drawn each sample, (n_samples,).
    losses_of : callable
        ``losses_of(b)`` is a function of leaves and of the rows that end there, both (n,); it
        returns the loss of each, (n,).
    weight : ndarray of shape (n_samples,)
        Weights of the samples in the mean loss.
    seeds : list of int
        Of the permutations of each tree.
    n_repeats : int
        Permutations of each tree.
    n_jobs : int or None
    """
    importances = np.full((X.shape[1], len(trees)), np.nan)

    def part(b):
        counts = counts_of(b)
        leaves = training_leaves(who, X, trees[b], counts)
        rows = np.flatnonzero((counts == 0) & (weight > 0))
        if len(rows):
            rises = mean_rises(X, trees[b], rows, leaves, losses_of(b), weight, seeds[b], n_repeats)
            importances[:, b] = rises

    parallel.fold_blocks(part, None, range(len(trees)), n_jobs)
    return importances


def mean_rises(X, tree, rows, leaves, losses, weight, seed, n_repeats):
    """Return by how much the mean loss of `rows` rises when each feature is permuted among them.

    Averaged over `n_repeats` permutations: (n_features,).
    """
    generator = np.random.RandomState(seed)
    # All features take the same permutations: they need one array of numbers instead of one for
    # each feature, and what differs between two features is not the luck of the draw.
    orders = [generator.permutation(len(rows)) for _ in range(n_repeats)]
    rises = np.zeros(X.shape[1])
    used = np.unique(tree.feature[~tree.is_leaf])  # the others change no leaf
    for block in parallel.cut(len(rows), BLOCK_ROWS):
        here = rows[block]
        before = losses(leaves[here], here)
        for order in orders:
            for part, own, other in dense_pairs(X, here, rows[order[block]]):
                changed = own.copy()
                seen = changed.view()  # compiled code takes what is read-only
                seen.flags.writeable = False
                missing = has_missing(own) or has_missing(other)
                found = np.empty(len(own), dtype=np.int64)
                for j in used:
                    changed[:, j] = other[:, j]
                    tree.find_leaves(seen, missing, found)
                    changed[:, j] = own[:, j]
                    rise = losses(found, here[part]) - before[part]
                    rises[j] += np.dot(weight[here[part]], rise)
                parallel.check_interrupt()
    return rises / (n_repeats * weight[rows].sum())


def dense_pairs(X, rows, others):
    """Yield slices of `rows`, these rows of `X`, and as many of the rows `others`, all dense."""
    pairs = (dense_rows(X[some], slice(0, len(rows))) for some in (rows, others))
    for (part, own), (_, other) in zip(*pairs, strict=True):
        yield part, own, other
