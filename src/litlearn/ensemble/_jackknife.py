"""The infinitesimal jackknife: how far a forest's predictions would move with other samples."""

import math

import numpy as np

from litlearn._core import parallel
from litlearn.tree._sparse import dense_rows
from litlearn.tree._structure import has_missing

ENTRIES = 2**21  # predictions of all trees for a tile of queries, 16 MB
TRAINING_ROWS = 1024  # whose covariances are held at a time


def jackknife_variances(X, trees, counts, n_draws, chances, hard, n_jobs):
    """Return the variances of the trees' mean: (n_samples, n_outputs, n_classes).

    Some may be negative: the part that is the noise of few trees has been subtracted.

    Parameters
    ----------
    X : ndarray, or CSR array, of shape (n_samples, n_features)
    trees : list of Tree
    counts : ndarray of shape (n_trees, n_train)
        How often a tree has drawn a training sample.
    n_draws : int
        How many samples a tree has drawn.
    chances : ndarray of shape (n_train,)
        Of being drawn; they sum to one.
    hard : bool
        Whether a tree has one vote, as in `add_values`.
    n_jobs : int or None
    """
    shape = trees[0].value.shape[1:]
    variances = np.empty((X.shape[0], *shape))
    size = max(1, ENTRIES // (len(trees) * math.prod(shape)))
    for rows in parallel.cut(X.shape[0], size):
        answers = answers_of_trees(X, rows, trees, hard, n_jobs)
        found = variances_of_means(answers, counts, n_draws, chances, n_jobs)
        variances[rows] = found.reshape(-1, *shape)
    return variances


def answers_of_trees(X, rows, trees, hard, n_jobs):
    """Return what each tree says of these rows: (n_trees, n_rows * n_outputs * n_classes)."""
    answers = np.zeros((len(trees), rows.stop - rows.start, *trees[0].value.shape[1:]))

    def part(b):
        for some, dense in dense_rows(X, rows):
            place = answers[b, some.start - rows.start : some.stop - rows.start]
            trees[b].add_values(dense, has_missing(dense), hard, place)
            parallel.check_interrupt()

    parallel.fold_blocks(part, None, range(len(trees)), n_jobs)
    return answers.reshape(len(trees), -1)


def variances_of_means(answers, counts, n_draws, chances, n_jobs):
    """Return the variance of each column's mean over the trees, the noise of few trees subtracted.

    The columns (n_trees, n_columns) are numbers that a tree makes of the samples it has drawn.
    """
    n_trees = len(answers)
    largest = np.abs(answers).max(axis=0)  # its square may be beyond what a float holds
    largest[largest == 0.0] = 1.0
    deviations = answers / largest
    deviations -= deviations.mean(axis=0)
    spread = np.mean(deviations**2, axis=0)

    def part(block):
        # The deviations sum to zero, so that the mean of the counts need not be subtracted.
        covariances = counts[:, block].T.astype(np.float64) @ deviations / n_trees
        return np.sum(covariances**2, axis=0)

    blocks = parallel.cut(counts.shape[1], TRAINING_ROWS)
    total = parallel.fold_blocks(part, np.add, blocks, n_jobs)
    # A covariance over few trees is not zero where it should be: its square is on average the
    # product of the two variances, divided by the number of trees. The variance of a count is
    # n_draws p (1 - p), as it is multinomial.
    noise = n_draws * (1.0 - np.sum(chances**2)) * spread / n_trees
    variances = np.where(spread > (4.0 * np.finfo(np.float64).eps) ** 2, total - noise, 0.0)
    return variances * largest**2
