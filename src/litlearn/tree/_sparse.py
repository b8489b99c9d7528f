"""Sparse columns: coded entry by entry, and laid out densely one at a time.

Nothing here has room for all entries of the data. Each stored entry has a code, and all zeros of a
column share one. While a tree grows, the kernels read the column of one feature at a time; that
column is laid out in an array with one entry a sample, at the rows of the node. From there on
sparse and dense data are the same, to the last bit, and so are the trees.
"""

import math
from typing import NamedTuple

import numpy as np

from litlearn._core import parallel, validation
from litlearn._core.jit import njit
from litlearn.tree._ranks import FEW, NO_MISSING, Codes, bins_of_values
from litlearn.tree._sort import place_of

BLOCK_VALUES = 2**18  # most values of sparse rows that are dense at a time, 2 MB


class Stored(NamedTuple):
    """Sparse columns, of which one at a time is laid out; all empty if the data are dense.

    Attributes
    ----------
    pointers : ndarray of shape (n_features + 1,), int64
        The entries of column j are ``pointers[j]`` to ``pointers[j + 1] - 1``.
    rows : ndarray of shape (n_stored,), int32
        Their rows, rising within a column.
    codes : ndarray of shape (n_stored,), uint32
        Their ranks; empty if thresholds are drawn at random.
    values : ndarray of shape (n_stored,), float64
        Their values; empty unless thresholds are drawn at random.
    zeros : ndarray of shape (n_features,), uint32
        The code of zero in each column; any number if a column stores all of its entries.
    n_codes : ndarray of shape (n_features,), int64
        How many different codes a column has.
    """

    pointers: np.ndarray
    rows: np.ndarray
    codes: np.ndarray
    values: np.ndarray
    zeros: np.ndarray
    n_codes: np.ndarray


DENSE = Stored(
    pointers=np.empty(0, dtype=np.int64),
    rows=validation.read_only(np.empty(0, dtype=np.int32)),
    codes=np.empty(0, dtype=np.uint32),
    values=validation.read_only(np.empty(0)),
    zeros=np.empty(0, dtype=np.uint32),
    n_codes=np.empty(0, dtype=np.int64),
)


def code_stored(X, max_bins=None, n_jobs=None):
    """Replace the stored entries of each column by ranks; see ``code_columns`` for dense data.

    Parameters
    ----------
    X : CSC array of shape (n_samples, n_features)
        With sorted indices, without NaN.
    max_bins : int or None
        None: every distinct value has a code of its own. Otherwise neighbouring values share one.
    n_jobs : int or None
        Threads.

    Returns
    -------
    codes : Codes
        Its ``codes`` is empty, of the type that a column of codes needs.
    stored : Stored
        Cost: s log s for a column of s stored entries; four bytes an entry.
    """
    n_samples, n_features = X.shape
    codes = np.empty(X.nnz, dtype=np.uint32)
    zeros = np.zeros(n_features, dtype=np.uint32)
    counts = np.zeros(n_features, dtype=np.int64)
    edges = [np.empty(0)] * n_features

    def code(j):
        # <one for all>: A single zero stands for all that are not stored.
        part = slice(X.indptr[j], X.indptr[j + 1])
        some, n_zeros = X.data[part], n_samples - (part.stop - part.start)
        if n_zeros:
            some = np.append(some, some.dtype.type(0))
        values, ranks, repeats = np.unique(some, return_inverse=True, return_counts=True)
        if max_bins is not None:
            if n_zeros:
                repeats[ranks[-1]] += n_zeros - 1
            bins, edges[j] = bins_of_values(values, repeats, max_bins)
            ranks = bins[ranks]
        counts[j] = int(ranks.max()) + 1
        if n_zeros:
            zeros[j] = ranks[-1]
        codes[part] = ranks[: part.stop - part.start]

    parallel.fold_blocks(code, None, range(n_features), n_jobs)
    kind = np.uint16 if counts.max(initial=0) <= FEW else np.uint32
    table = None
    if max_bins is not None:
        table = np.full((n_features, max(counts.max(initial=0), 1)), np.inf)
        for j, own in enumerate(edges):
            table[j, : len(own)] = own
    missing = np.full(n_features, NO_MISSING, dtype=np.uint32)
    stored = _stored(X)._replace(codes=codes, zeros=zeros, n_codes=counts)
    return Codes(np.empty((0, 0), dtype=kind), missing, counts, table), stored


def keep_values(X):
    """Return the stored entries of a CSC array as they are, for thresholds drawn at random."""
    zeros, counts = np.zeros(X.shape[1], dtype=np.uint32), np.zeros(X.shape[1], dtype=np.int64)
    values = validation.read_only(X.data.astype(np.float64, copy=False))
    return _stored(X)._replace(values=values, zeros=zeros, n_codes=counts)


def _stored(X):
    rows = validation.read_only(X.indices.astype(np.int32, copy=False))
    return DENSE._replace(pointers=X.indptr.astype(np.int64), rows=rows)


def with_room(problem, n_samples, at_random):
    """Return the problem, with room of its own for one dense column if the data are sparse.

    Trees that grow at the same time each need their own.
    """
    if not problem.stored.pointers.size:
        return problem
    name = "columns" if at_random else "codes"
    room = {
        name: np.zeros((1, n_samples), dtype=getattr(problem, name).dtype),
        "missing": np.full(1, NO_MISSING, dtype=np.uint32),
        "n_codes": np.zeros(1, dtype=np.int64),
    }
    return problem._replace(**room)


@njit(inline=True)
def dense_codes(problem, records, start, stop, j):
    """Return the row of ``problem.codes`` that holds feature j.

    Dense data: j itself. Sparse data: 0, where the feature is laid out now for the samples of a
    node, the records from `start` to `stop` - 1.
    """
    stored = problem.stored
    if stored.pointers.size == 0:
        return j
    problem.n_codes[0] = stored.n_codes[j]
    lay_out(problem.codes[0], stored.zeros[j], stored.codes, stored, j, records[start:stop])
    return 0


@njit(inline=True)
def dense_values(problem, records, start, stop, j):
    """Return the same for ``problem.columns``."""
    stored = problem.stored
    if stored.pointers.size == 0:
        return j
    lay_out(problem.columns[0], 0.0, stored.values, stored, j, records[start:stop])
    return 0


@njit(part=True)
def lay_out(column, zero, entries, stored, j, records):
    """Write the entries of a sparse column j, its codes or values, to the rows of a node.

    `column` (n_samples,) is right at the rows of the node's records then, and holds anything
    elsewhere. Cost: samples of the node, and stored entries of the column or, if that is less, a
    binary search for each sample.
    """
    first, end, rows = stored.pointers[j], stored.pointers[j + 1], stored.rows
    n_stored = end - first
    # <search>: In a small node, most entries are those of other samples.
    if records.size * (2.0 + math.log2(1.0 + n_stored)) < n_stored:
        for record in records:
            row = place_of(record)
            s = find_entry(rows, first, end, row)
            column[row] = entries[s] if s >= 0 else zero
        return
    # <scatter>: Otherwise all are written, those of other samples too.
    for record in records:
        column[place_of(record)] = zero
    for s in range(first, end):
        column[np.uintp(rows[s])] = entries[s]


@njit(part=True)
def find_entry(rows, first, end, row):
    """Return which of the entries `first` to `end` - 1, whose rows rise, is that of a row, or -1.

    Binary search.
    """
    last, row = end, np.int64(row)
    while first < last:
        middle = (first + last) // 2
        if rows[middle] < row:
            first = middle + 1
        else:
            last = middle
    return first if first < end and rows[first] == row else -1


@njit
def find_entries(pointers, rows, wanted, features, places):
    """Write where the entry of each wanted row and feature is stored to `places`, -1 for a zero."""
    for i in range(wanted.size):
        j = features[i]
        places[i] = find_entry(rows, pointers[j], pointers[j + 1], wanted[i])


def entries_at(stored, entries, zeros, rows, features):
    """Return the entries of a sparse array at so many rows and features.

    `entries` (n_stored,) has one for each stored place, `zeros` those of the others, a number or
    one for each feature.
    """
    places = np.empty(len(rows), dtype=np.int64)
    wanted, features = rows.astype(np.int64), features.astype(np.int64)
    find_entries(stored.pointers, stored.rows, wanted, features, places)
    found = np.zeros(len(rows), dtype=entries.dtype)
    found[:] = zeros if np.ndim(zeros) == 0 else zeros[features]
    found[places >= 0] = entries[places[places >= 0]]
    return found


def dense_rows(X, rows):
    """Yield slices of the rows ``rows``, and these rows of `X` as dense arrays.

    Dense data come in one piece. Of sparse data, CSR, a few rows at a time are dense: all in the
    same array, of at most `BLOCK_VALUES` values or one row. Cost: stored entries.
    """
    if isinstance(X, np.ndarray):
        yield rows, X[rows]
        return
    n_features = X.shape[1]
    size = max(1, min(rows.stop - rows.start, BLOCK_VALUES // n_features))
    room = np.zeros((size, n_features), dtype=X.dtype)
    room_to_read = room.view()
    room_to_read.flags.writeable = False
    for start in range(rows.start, rows.stop, size):
        stop = min(start + size, rows.stop)
        part = slice(X.indptr[start], X.indptr[stop])
        at = np.repeat(np.arange(stop - start), np.diff(X.indptr[start : stop + 1]))
        room[at, X.indices[part]] = X.data[part]
        yield slice(start, stop), room_to_read[: stop - start]
        room[at, X.indices[part]] = 0.0
