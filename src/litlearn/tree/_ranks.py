"""Rank codes: all that a search for the best threshold needs to know of a column.

A split at a threshold depends on the order of the values only. So each column is sorted once, and
its values are replaced by the whole numbers 0, 1, 2, ... of their distinct values. The codes are
exact, take two or four bytes, and are shared by all trees of a forest.
"""

from typing import NamedTuple

import numpy as np

from litlearn._core import parallel

FEW = 2**16  # so many codes fit into two bytes
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
    codes = np.empty((n_features, n_samples), dtype=np.uint32)
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
        # <rank>: Each value differs from the one before it, or has the same rank.
        column = np.ascontiguousarray(X[:, j])
        order = np.argsort(column)  # NaN comes last
        values = column[order]
        n_present = n_samples - np.count_nonzero(np.isnan(values))
        ranks = np.zeros(n_samples, dtype=np.uint32)
        present = values[:n_present]  # perhaps none
        np.cumsum(present[1:] != present[:-1], out=ranks[1:n_present])
        n_codes = int(ranks[n_present - 1]) + 1 if n_present else 0
        # <gather>: Bins join neighbouring ranks. Missing values get a code above all others.
        if max_bins is not None and n_codes:
            ranks[:n_present], edges[j] = _bins(values[:n_present], ranks[:n_present], max_bins)
            n_codes = len(edges[j]) + 1
        counts[j] = n_codes
        if n_present < n_samples:
            missing[j], counts[j] = n_codes, n_codes + 1
            ranks[n_present:] = n_codes
        codes[j, order] = ranks

    # <columns>: Columns do not need each other.
    parallel.fold_blocks(code, None, range(n_features), n_jobs, work=20.0 * X.size)
    if counts.max(initial=0) <= FEW:
        codes = codes.astype(np.uint16)
    if max_bins is None:
        return Codes(codes, missing, counts, None)
    table = np.full((n_features, max(counts.max(initial=0), 1)), np.inf)
    for j, own in enumerate(edges):
        table[j, : len(own)] = own
    return Codes(codes, missing, counts, table)


def _bins(values, ranks, max_bins):
    """Return the bin of each of the sorted values, and the thresholds between bins.

    Equal values stay together. Where there are more distinct values than bins, a bin ends at the
    first distinct value that brings it to its share of the samples.
    """
    first = np.flatnonzero(np.concatenate([[True], ranks[1:] != ranks[:-1]]))
    bin_of_value = np.arange(len(first))
    if len(first) > max_bins:
        bin_of_value = np.unique(first * int(max_bins) // len(values), return_inverse=True)[1]
    starts = first[np.flatnonzero(np.diff(bin_of_value)) + 1]
    return bin_of_value[ranks].astype(np.uint32), midpoints(values[starts - 1], values[starts])


def midpoints(below, above):
    """Return float64 thresholds t with below <= t < above, as near to the middle as possible."""
    below, above = below.astype(np.float64), above.astype(np.float64)
    middle = below / 2 + above / 2  # halved first: the sum could overflow
    return np.where((middle < above) & (middle >= below), middle, below)
