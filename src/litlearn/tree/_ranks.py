"""Rank codes: all that a search for the best threshold needs to know of a column.

A split at a threshold depends on the order of the values only. So each column is sorted once, and
its values are replaced by the whole numbers 0, 1, 2, ... of their distinct values. The codes are
exact, take two or four bytes, and are shared by all trees of a forest.
"""

from typing import NamedTuple

import numpy as np

from litlearn._core import parallel
from litlearn._core.jit import njit

FEW = 2**16  # so many codes fit into two bytes
ABREAST = 64  # values whose bins are looked up at once
NO_MISSING = np.uint32(0xFFFFFFFF)  # no code: the column has no missing values


class Codes(NamedTuple):
    """Columns as codes.

    Attributes
    ----------
    codes : ndarray of shape (n_features, n_samples), uint16 or uint32
        Column j of the data is row j here, so that a node reads one feature in one stretch.
    missing : ndarray of shape (n_features,), uint32
        The code of NaN, larger than all others of its column, or `NO_MISSING`.
    n_codes : ndarray of shape (n_features,), int64
        How many different codes a column has, that of NaN included.
    edges : ndarray of shape (n_features, n_bins), or None
        With bins: the threshold above each bin; infinity above the last one and beyond.
    """

    codes: np.ndarray
    missing: np.ndarray
    n_codes: np.ndarray
    edges: np.ndarray | None


def code_columns(X, max_bins=None, n_jobs=None, n_levels=None):
    """Replace the values of each column by their ranks, or by numbers of at most `max_bins` bins.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        May hold NaN.
    max_bins : int or None
        None: every distinct value has a code of its own, and splits are exact. Otherwise
        neighbouring values share a code, about equally many samples each.
    n_jobs : int or None
        Threads.
    n_levels : ndarray of shape (n_features,), int64, or None
        Of a categorical column, whose values are codes already, the number of levels; 0 for others.

    Returns
    -------
    Codes
        Cost: n log n a column.
    """
    n_samples, n_features = X.shape
    most = max(max_bins or n_samples, n_levels.max() if n_levels is not None else 0)
    codes = np.empty((n_features, n_samples), dtype=np.uint16 if most < FEW else np.uint32)
    missing = np.full(n_features, NO_MISSING, dtype=np.uint32)
    counts = np.zeros(n_features, dtype=np.int64)
    edges = [np.empty(0)] * n_features

    def code(j):
        # <levels>: They are codes already.
        if n_levels is not None and n_levels[j]:
            absent, counts[j] = np.isnan(X[:, j]), n_levels[j]
            if absent.any():
                missing[j], counts[j] = n_levels[j], n_levels[j] + 1
            codes[j] = np.where(absent, n_levels[j], X[:, j])
            return
        column = np.ascontiguousarray(X[:, j])
        if max_bins is not None:
            # <bin>: Only the values that bins begin with are needed: the others are looked up.
            distinct, repeats = np.unique(column, return_counts=True)
            n_present = np.searchsorted(distinct, np.nan)
            distinct, repeats = distinct[:n_present], repeats[:n_present]
            bins, edges[j] = bins_of_values(distinct, repeats, max_bins)
            first = distinct[np.flatnonzero(np.diff(bins, prepend=-1))]
            counts[j] = len(first)
            if find_bins(column, first, codes[j]):
                missing[j], counts[j] = len(first), len(first) + 1
            return
        # <rank>: Each value differs from the one before it, or has the same rank.
        order = np.argsort(column)  # NaN comes last
        values = column[order]
        n_present = n_samples - np.count_nonzero(np.isnan(values))
        ranks = np.zeros(n_samples, dtype=np.uint32)
        present = values[:n_present]  # perhaps none
        np.cumsum(present[1:] != present[:-1], out=ranks[1:n_present])
        # <gather>: Missing values get a code above all others.
        counts[j] = n_codes = int(ranks[n_present - 1]) + 1 if n_present else 0
        if n_present < n_samples:
            missing[j], counts[j] = n_codes, n_codes + 1
            ranks[n_present:] = n_codes
        codes[j, order] = ranks

    # <columns>: Columns do not need each other.
    parallel.fold_blocks(code, None, range(n_features), n_jobs, work=20.0 * X.size)
    if counts.max(initial=0) <= FEW:
        codes = codes.astype(np.uint16, copy=False)
    if max_bins is None:
        return Codes(codes, missing, counts, None)
    table = np.full((n_features, max(counts.max(initial=0), 1)), np.inf)
    for j, own in enumerate(edges):
        table[j, : len(own)] = own
    return Codes(codes, missing, counts, table)


def bins_of_values(values, repeats, max_bins):
    """Return the bin of each distinct value, of which there are so many, and the thresholds.

    Where there are more distinct values than bins, a bin ends at the first one that brings it to
    its share of the samples.
    """
    first = np.cumsum(repeats) - repeats
    bins = np.arange(len(first))
    if len(first) > max_bins:
        bins = np.unique(first * int(max_bins) // repeats.sum(), return_inverse=True)[1]
    last = np.flatnonzero(np.diff(bins))
    return bins, midpoints(values[last], values[last + 1])


@njit
def find_bins(column, first, codes):
    """Write the bin of each value, for bins that begin with the values `first`.

    Missing values get the code above all bins; returns how many there are.
    """
    bins, n_missing = np.empty(ABREAST, dtype=np.int32), 0
    for start in range(0, column.size, ABREAST):
        values = column[start : start + ABREAST]
        # <halve>: A value's bin is one of the n from the one noted. Many values abreast: the
        # processor need not wait for one to look up the next.
        bins[:], n = 0, first.size
        while n > 1:
            half = n // 2
            for i in range(values.size):
                beyond = bins[i] + half
                bins[i] = beyond if first[np.uintp(beyond)] <= values[i] else bins[i]
            n -= half
        for i in range(values.size):
            absent = values[i] != values[i]
            codes[start + i] = first.size if absent else bins[i]
            n_missing += absent
    return n_missing


def midpoints(below, above):
    """Return float64 thresholds t with below <= t < above, as near to the middle as possible."""
    below, above = below.astype(np.float64), above.astype(np.float64)
    middle = below / 2 + above / 2  # halved first: the sum could overflow
    return np.where((middle < above) & (middle >= below), middle, below)
