"""Assignment with bounds: by the triangle inequality, most distances need not be computed.

A sample keeps an upper bound on the distance from its own centre, and lower bounds on those from
the others. When centres move, the bounds move by as much. While the upper bound is below the lower
ones, or below half the distance between the centres, the sample stays where it is. Elkan (2003)
keeps a lower bound for each centre, Hamerly (2010) one for all others together: less to keep up to
date, and less sharp.

Distances are computed by difference. So the labels are those of `litlearn.cluster._lloyd`, but for
samples that are as far from two centres as rounding can tell.
"""

import numpy as np

from litlearn._core.jit import njit
from litlearn._core.parallel import cut, fold_blocks
from litlearn.cluster._lloyd import MOST, TILE, ClusterSums, add_cluster_sums, add_rows, scale_of

LOST = 1e-12  # share of a path that ten thousand additions may lose


@njit(reassociate=True)
def distance(T, i, centres, c):
    """Distance of sample i from centre c."""
    total = 0.0
    for j in range(T.shape[1]):
        difference = np.float64(T[i, j]) - centres[c, j]
        total += difference * difference
    return np.sqrt(total)


@njit
def elkan_tile(T, centres, half_gaps, moves, upper, lower, labels):
    """Assign the samples of a tile by :eq:`eq-kmeans-bounds`. Returns how many changed.

    T (m, p); centres (k, p); half_gaps (k, k): half the distances between centres, on the diagonal
    that from the nearest other one; moves (3, k): how far each has moved in the last step, the
    length of its path, and that with what rounding may have lost; upper (m,), lower (m, k),
    labels (m,): updated. A lower bound is stored with the path of its centre so far added. So a
    move changes none of them, and a sample that `upper` settles reads none.
    """
    n_changed, (moved, gone, most) = 0, moves
    for i in range(labels.size):
        own = labels[i]
        upper[i] += moved[own]
        if upper[i] <= half_gaps[own, own]:
            continue
        upper[i] = distance(T, i, centres, own)
        lower[i, own] = upper[i] + gone[own]
        if upper[i] <= half_gaps[own, own]:
            continue
        own, upper[i] = nearest_by_bounds(
            T, i, centres, half_gaps, gone, most, upper[i], lower[i], own
        )
        n_changed += own != labels[i]
        labels[i] = own
    return n_changed


@njit
def nearest_by_bounds(T, i, centres, half_gaps, gone, most, upper, lower, own):
    """Return the nearest centre of sample i, of those that :eq:`eq-kmeans-bounds` leaves, and the
    distance from it; upper is the distance from its own."""
    # <ask>: a centre that a bound excludes costs nothing.
    for c in range(lower.size):
        if c == own or upper <= half_gaps[own, c] or upper <= lower[c] - most[c]:
            continue
        # <nearer>: the first of equally near centres.
        found = distance(T, i, centres, c)
        lower[c] = found + gone[c]
        if found < upper or (found == upper and c < own):
            own, upper = c, found
    return own, upper


@njit
def hamerly_tile(T, centres, half_gaps, moved, upper, lower, labels):
    """As elkan_tile, with one lower bound for all other centres, :eq:`eq-kmeans-bounds`.

    half_gaps (k,): half the distance of each centre from the nearest other one; lower (m,).
    """
    first, second, n_changed = farthest_moved(moved), 0.0, 0
    for c in range(moved.size):
        if c != first:
            second = max(second, moved[c])
    for i in range(labels.size):
        own = labels[i]
        upper[i] += moved[own]
        lower[i] -= second if own == first else moved[first]
        bound = max(lower[i], half_gaps[own])
        if upper[i] <= bound:
            continue
        upper[i] = distance(T, i, centres, own)
        if upper[i] <= bound:
            continue
        labels[i], upper[i], lower[i] = nearest_two(T, i, centres)
        n_changed += labels[i] != own
    return n_changed


@njit
def farthest_moved(moved):
    """Return the centre that moved farthest."""
    first = 0
    for c in range(moved.size):
        if moved[c] > moved[first]:
            first = c
    return first


@njit
def nearest_two(T, i, centres):
    """Return the nearest centre of sample i, and the distances from it and from the next one."""
    best, first, second = 0, np.inf, np.inf
    for c in range(centres.shape[0]):
        found = distance(T, i, centres, c)
        if found < first:
            best, first, second = c, found, first
        elif found < second:
            second = found
    return best, first, second


class Bounds:
    """Assigns samples step by step; holds the bounds of all samples.

    Parameters
    ----------
    samples : Samples
        (n, p), dense.
    n_clusters : int
        k, at least 2.
    n_jobs : int or None
        Number of threads; the result has the same bits for each.
    sharp : bool
        Elkan's bounds, n k numbers; or else Hamerly's, n numbers.
    """

    def __init__(self, samples, n_clusters, n_jobs, sharp):
        n = len(samples.X)
        self.samples, self.n_jobs, self.sharp = samples, n_jobs, sharp
        # Nothing is known before the first step: every distance may be zero.
        self.upper = np.full(n, np.inf)
        self.lower = np.zeros((n, n_clusters) if sharp else n)
        self.before, self.gone = None, np.zeros(n_clusters)

    def __call__(self, centres, labels):
        """Assign all samples; return :class:`litlearn.cluster._lloyd.ClusterSums`."""
        if self.before is None:
            self.scale = scale_of(centres, np.float64)
        centres, moved = centres * self.scale, np.zeros(len(centres))
        if self.before is None:
            labels[:] = 0
        else:
            moved = np.linalg.norm(centres - self.before, axis=1)
        self.gone += moved
        first, self.before = self.before is None, centres.copy()
        gaps = 0.5 * np.linalg.norm(centres[:, None] - centres, axis=2)
        np.fill_diagonal(gaps, np.inf)
        nearest = gaps.min(axis=1)
        np.fill_diagonal(gaps, nearest)
        assign_tile = elkan_tile if self.sharp else hamerly_tile
        half_gaps = gaps if self.sharp else nearest
        # <digits>: each sum of steps, and a bound beside it, may be off by rounding.
        most = self.gone * (1.0 + LOST)
        moves = np.stack([moved, self.gone, most]) if self.sharp else moved
        k, p = centres.shape

        def part(rows):
            found, n_changed = ClusterSums(np.zeros((k, p)), np.zeros(k), 0), 0
            for tile in cut(rows, max(MOST, TILE // p)):
                T, own = self.samples.tile(tile), labels[tile]
                T = T if self.scale == 1.0 else T * self.scale
                bounds = self.upper[tile], self.lower[tile]
                n_changed += assign_tile(T, centres, half_gaps, moves, *bounds, own)
                add_rows(T, self.samples.weight[tile], own, found.sums, found.weights)
            return found._replace(n_changed=n_changed)

        found = fold_blocks(part, add_cluster_sums, self.samples.blocks(k), self.n_jobs)
        found = found._replace(sums=found.sums / self.scale)
        return found._replace(n_changed=len(labels)) if first else found
