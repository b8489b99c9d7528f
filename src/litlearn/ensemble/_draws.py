"""Which samples a tree of a forest was grown on: made again from its seed whenever it is asked."""

import numpy as np

from litlearn._core import parallel


def draw_rows(seed, n_samples, n_draws, weight=None):
    """Return the rows that a tree draws with replacement: (n_draws,).

    The same rows as scikit-learn draws from the same seed. With `weight`, each draw takes a sample
    with probability proportional to its weight.
    """
    generator = np.random.RandomState(seed)
    if weight is None:
        return generator.randint(0, n_samples, n_draws)
    return generator.choice(n_samples, n_draws, replace=True, p=weight / weight.sum())


def draw_counts(seed, n_samples, n_draws, weight=None):
    """Return how often a tree draws each sample: (n_samples,), whole numbers."""
    return np.bincount(draw_rows(seed, n_samples, n_draws, weight), minlength=n_samples)


def training_leaves(who, X, tree, weight):
    """Return the leaf in which each training sample ends: (n_samples,).

    A tree knows how many different samples of positive `weight` its leaves were made of. Samples
    that end elsewhere are others than it was grown on, or come in another order; what is computed
    of them and of the draws would mean nothing.
    """
    leaves = tree.apply(X)
    parallel.check_interrupt()
    counts = np.bincount(leaves[weight > 0], minlength=tree.node_count)
    if not np.array_equal(counts[tree.is_leaf], tree.n_node_samples[tree.is_leaf]):
        raise ValueError(
            f"{who}: X must hold the samples that the forest was fitted to, in the same order and "
            "precision. Got others: they end in other leaves than those that the trees were grown "
            "on."
        )
    return leaves
