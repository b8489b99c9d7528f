"""Lloyd's steps in which few samples are looked at, and those in single precision.

The *margin* of a sample is by how much, at least, its own centre is nearer than any other. When
centres move, it shrinks by at most the way of its own centre and the longest way of another. While
it is positive the sample stays where it is, and is not even read.

The others, the *open* samples, are collected and get scores as in `litlearn.cluster._lloyd`, but by
products in float32, twice as fast as in float64. Their error has a bound. Where the smallest score
of a sample and the next one differ by more, the label is proved, and so is a new margin. Of the few
other samples, every distance that the bound leaves in question is measured by difference.

The sums of the clusters change by the samples that leave and enter. They are kept as a pair of
numbers each, a sum and what rounding has taken from it: so they never drift from what one pass over
all samples would find.
"""

import math
from typing import NamedTuple

import numpy as np

from litlearn._core.jit import njit
from litlearn._core.parallel import cut, fold_blocks
from litlearn.cluster._lloyd import FEWEST, LANES, MOST, MOST_BLOCKS, TILE, ClusterSums, assign

BLOCK = 2**23  # products of a coordinate and a centre in a block, at least: most are left out
LINES = 16  # samples that are turned together
PEEKED = 1000  # samples that set the scale
TOO_MANY = 8  # one in so many open samples undecided: float32 is not for these data


class Places(NamedTuple):
    """The centres, and what the error of a score is made of; all times `scale`."""

    origin: np.ndarray  # (p,), in the type of the samples: subtracted from them
    scale: float  # a power of two
    centres: np.ndarray  # (k, p), float64
    rounded: np.ndarray  # (k, p), float32
    half_norms: np.ndarray  # (k,), float32
    radius: float  # largest norm of a centre
    falls: np.ndarray  # (k,): by how much a margin shrinks


# --- kernels ---------------------------------------------------------------------------------


@njit
def find_open(falls, labels, margins, rows):
    """Let margins shrink; collect in `rows` (m,) the samples whose labels may change.

    falls (k,); labels, margins (m,): margins in float32, those of open samples lose their meaning.
    Returns how many are open.
    """
    n_open = 0
    for i in range(labels.size):
        # <fall>: rounded down, as float32 rounds by less than a part in a million.
        left = (np.float64(margins[i]) - falls[labels[i]]) * (1.0 - 1e-6)
        margins[i] = left
        rows[n_open] = i
        n_open += not left > 0.0
    return n_open


@njit(reassociate=True)
def load_tile(X, rows, origin, scale, lines, tile, norms):
    """Bring samples into float32 with a feature a row, and bound their norms from above.

    X (n, p); rows (m,); lines (LINES, p), tile (p, m), norms (m,): output.
    """
    p, m = tile.shape
    for first in range(0, m, LINES):
        begin, count = np.uintp(first), min(LINES, m - first)
        for line in range(count):
            i, square = rows[first + line], np.float32(0.0)
            for j in range(np.uintp(p)):
                value = np.float32(np.float64(X[i, j] - origin[j]) * scale)
                lines[line, j] = value
                square += value * value
            # <norm>: a square is wrong by a few roundings for each term, or by what underflows.
            norms[first + line] = math.sqrt(square) * (1.0 + (p + 8) * 2.0**-23) + p * 1e-18
        for j in range(p):
            for line in range(np.uintp(count)):
                tile[j, begin + line] = lines[line, j]


@njit
def two_smallest(products, half_norms, best, second, own):
    """The smallest score of each sample, its centre, and the smallest score of another centre.

    products (k, m): centres times samples; half_norms (k,), of their type; best, second, own (m,).
    """
    k, m = products.shape
    a, b, label = (
        np.empty(LANES, best.dtype),
        np.empty(LANES, best.dtype),
        np.empty(LANES, np.int32),
    )
    for first in range(0, m, LANES):
        begin, count = np.uintp(first), np.uintp(min(LANES, m - first))
        a[:], b[:], label[:] = np.inf, np.inf, 0
        for c in range(k):
            half, number = half_norms[c], np.int32(c)
            for i in range(count):
                score = half - products[c, begin + i]
                closer = score < a[i]
                larger = a[i] if closer else score
                b[i] = larger if larger < b[i] else b[i]
                a[i] = score if closer else a[i]
                label[i] = number if closer else label[i]
        for i in range(count):
            best[begin + i], second[begin + i], own[begin + i] = a[i], b[i], label[i]


@njit
def prove(places, norms, best, second, errors, found):
    """Margins that scores prove, where not positive: none; and the bounds on their error.

    norms, best, second (m,): as load_tile and two_smallest leave them; errors, found (m,) float64:
    output. Implements :eq:`eq-kmeans-margin`.
    """
    p, radius = places.rounded.shape[1], places.radius
    rounding = (p + 8) * (2.0**-24 + 2.0**-52) / 2
    for i in range(np.uintp(norms.size)):
        norm = np.float64(norms[i])
        # <error>: what rounding can move, and what underflow can swallow.
        error = rounding * (norm + radius) ** 2 + p * 1.2e-38 * (1.0 + norm)
        errors[i] = error
        low, high = np.float64(best[i]), np.float64(second[i])
        # <margin>: a difference of squares, divided by the sum, is a difference of distances.
        gap = 2.0 * (high - low) - 4.0 * error
        near = norm * norm + 2.0 * (low + error)
        far = norm * norm + 2.0 * (high + error)
        ways = math.sqrt(max(near, 0.0)) + math.sqrt(max(far, 0.0))
        found[i] = gap / ways * (1.0 - 1e-6)


@njit(reassociate=True)
def squared_distance(X, i, places, c):
    """Squared distance of sample i from centre c, times the square of the scale."""
    total = 0.0
    for j in range(np.uintp(X.shape[1])):
        value = np.float64(X[i, j] - places.origin[j]) * places.scale
        total += (value - places.centres[c, j]) ** 2
    return total


@njit
def measured(X, i, places, scores, limit):
    """Return the nearest centre of sample i, by difference, of those whose score may be smallest.

    scores (k,): products with the centres; limit: no smallest score is above.
    """
    own, nearest = 0, np.inf
    for c in range(scores.size):
        if places.half_norms[c] - scores[c] > limit:
            continue
        distance = squared_distance(X, i, places, c)
        if distance < nearest:
            own, nearest = c, distance
    return own


@njit(inline=True)
def add_exactly(sums, c, j, term):
    """Add to sums[0, c, j], and what rounding takes from it to sums[1, c, j]."""
    # <pair>: the error of an addition is a number that a few more additions find exactly.
    before = sums[0, c, j]
    after = before + term
    part = after - before
    sums[1, c, j] += (before - (after - part)) + (term - part)
    sums[0, c, j] = after


@njit
def move_row(X, i, origin, weight, c, sums):
    """Add sample i, times a weight that is negative if it leaves, to the sums of cluster c.

    sums (2, k, p + 1): sums and, last, the weight; and what rounding has taken from each.
    """
    p = np.uintp(X.shape[1])
    for j in range(p):
        add_exactly(sums, c, j, weight * np.float64(X[i, j] - origin[j]))
    add_exactly(sums, c, p, weight)


@njit
def step_block(X, places, weight, labels, margins):
    """Assign the samples of a block, and note who moves.

    X (m, p); weight, labels, margins (m,): the last two are updated. Returns the changes of the
    sums, (2, k, p + 1), and of the numbers of samples that weigh something, (k,); and of how many
    samples the label changed, how many were open, and how many of them undecided.
    """
    (k, p), origin, scale = places.rounded.shape, places.origin, places.scale
    sums, counts, rows = (
        np.zeros((2, k, p + 1)),
        np.zeros(k, np.int64),
        np.empty(labels.size, np.int32),
    )
    n_open, n_changed, n_undecided = find_open(places.falls, labels, margins, rows), 0, 0
    size = max(1, min(n_open, MOST, max(FEWEST, TILE // max(k, p))))
    lines, single = np.empty((LINES, p), np.float32), np.empty((3, size), np.float32)
    proved, nearest = np.empty((2, size)), np.empty(size, np.int32)
    for first in range(0, n_open, size):
        some = rows[first : min(n_open, first + size)]
        m = some.size
        tile = np.empty((p, m), np.float32)
        norms, best, second = single[0, :m], single[1, :m], single[2, :m]
        load_tile(X, some, origin, scale, lines, tile, norms)
        products = np.dot(places.rounded, tile)
        two_smallest(products, places.half_norms, best, second, nearest[:m])
        prove(places, norms, best, second, proved[0, :m], proved[1, :m])
        for q in range(m):
            i, c, margin = some[q], nearest[q], proved[1, q]
            # <ask>: what the scores leave open is measured. What is not a number proves nothing.
            if not margin > 0.0:
                c = measured(X, i, places, products[:, q], best[q] + 2.0 * proved[0, q])
                n_undecided, margin = n_undecided + 1, 0.0
            margins[i] = margin
            if c != labels[i]:
                n_changed += 1
                counts[c] += weight[i] > 0.0
                move_row(X, i, origin, weight[i], c, sums)
                if labels[i] >= 0:
                    counts[labels[i]] -= weight[i] > 0.0
                    move_row(X, i, origin, -weight[i], labels[i], sums)
                labels[i] = c
    return sums, counts, (n_changed, n_open, n_undecided)


@njit
def add_pairs(sums, others):
    """Add sums (2, k, p) of which each has its rounding error beside it."""
    for c in range(sums.shape[1]):
        for j in range(np.uintp(sums.shape[2])):
            add_exactly(sums, c, j, others[0, c, j])
            sums[1, c, j] += others[1, c, j]


# --- one step --------------------------------------------------------------------------------


class Margins:
    """Assigns samples step by step; holds the margins of all samples and the sums of clusters.

    Parameters
    ----------
    samples : Samples
        (n, p), dense.
    n_clusters : int
        k, at least 2.
    n_jobs : int or None, default=None
        Number of threads; the result has the same bits for each.
    """

    def __init__(self, samples, n_clusters, n_jobs=None):
        n, p = samples.X.shape
        self.samples, self.n_jobs = samples, n_jobs
        self.margins = np.full(n, -np.inf, dtype=np.float32)
        self.sums, self.counts = np.zeros((2, n_clusters, p + 1)), np.zeros(n_clusters, np.int64)
        # Some samples tell where float32 should have its digits: norms near 1.
        largest = np.abs(samples.tile(slice(None, None, -(-n // PEEKED)))).max()
        self.scale = math.ldexp(1.0, -max(math.frexp(float(largest) or 1.0)[1], -1022))
        self.before = None
        self.n_open, self.undecided = n, False

    def _places(self, centres):
        """What compiled code is told about the centres."""
        samples = self.samples
        scaled = centres * self.scale
        moved = np.zeros(len(centres))
        if self.before is not None:
            moved = np.linalg.norm(scaled - self.before, axis=1)
        self.before = scaled
        # The longest way of another centre is the longest, but for the one that goes it.
        *_, second, first = np.partition(moved, -2)
        others = np.where(np.arange(len(moved)) == moved.argmax(), second, first)
        falls = (moved + others) * (1.0 + 1e-9) + 1e-30
        squares = np.einsum("cj,cj->c", scaled, scaled)
        with np.errstate(over="ignore"):
            single = scaled.astype(np.float32), (0.5 * squares).astype(np.float32)
        radius = math.sqrt(squares.max()) * (1.0 + 1e-9)
        origin = samples.centre.astype(samples.X.dtype)
        return Places(origin, self.scale, scaled, *single, radius, falls)

    def __call__(self, centres, labels):
        """Assign all samples; return :class:`litlearn.cluster._lloyd.ClusterSums`.

        The labels are those of the last call; -1 before the first one.
        """
        import scipy.linalg  # noqa: F401  (before threads are limited, so that its own are too)

        if self.undecided:
            return assign(self.samples, centres, labels, self.n_jobs)
        samples, places = self.samples, self._places(centres)

        def part(rows):
            X, state = np.asarray(samples.X[rows]), (labels[rows], self.margins[rows])
            return step_block(X, places, samples.weight[rows], *state)

        def merge(total, part):
            sums, counts, told = part
            if told[0]:  # else nothing has changed
                add_pairs(self.sums, sums)
                self.counts += counts
            return tuple(map(sum, zip(total, told, strict=True)))

        n, p = samples.X.shape
        blocks = cut(n, max(BLOCK // (p * len(centres)), -(-n // MOST_BLOCKS), FEWEST))
        n_changed, n_open, n_undecided = fold_blocks(
            part, merge, blocks, self.n_jobs, initial=(0, 0, 0)
        )
        self.n_open, self.undecided = n_open, n_undecided * TOO_MANY > n_open
        # <empty>: what is left by rounding is not a weight.
        found = (self.sums[0] + self.sums[1]) * (self.counts > 0)[:, None]
        return ClusterSums(found[:, :-1].copy(), found[:, -1].copy(), n_changed)
