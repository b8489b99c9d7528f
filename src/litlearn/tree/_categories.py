"""Categorical columns: which they are, and numbers for their levels.

Trees read a categorical column as codes: numbers 0, 1, 2, ... of its levels, NaN for what is
missing or not known. A level is a value: a finite number of an array, or what a data frame holds,
whatever its own codes. So a frame whose categories stand in another order means the same.
"""

import contextlib
import math

import numpy as np

from litlearn._core import validation
from litlearn._core.chunked import is_chunked, is_chunked_frame
from litlearn._core.jit import njit

EXACT = 2**24  # float32 holds all whole numbers up to here
ROWS = 256  # that are read together, column by column
CATEGORICAL_TYPES = ("category", "categorical", "enum", "dictionary")  # how their names begin


def code_samples(estimator, X, known):
    """Check what ``fit`` is given, with the levels of categorical columns as codes.

    Parameters
    ----------
    estimator : estimator
        Has the parameter ``categorical_features``.
    X : array-like or data frame of shape (n_samples, n_features)
    known : dict of int to ndarray
        Levels of columns that have numbers already, of an earlier fit.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    names : ndarray or None
        Names of the features.
    levels : dict of int to ndarray, or None
        The levels of each categorical column, in the order of their codes: those that occur.
    """
    _refuse_chunks(estimator, X)
    columns, given = frame_columns(X), estimator.categorical_features
    names = validation.feature_names(X)
    if columns is None:
        array, names = validation.check_samples(estimator, X)
        chosen = find_categorical(estimator, given, array.shape[1], names, None)
        if not len(chosen):
            return array, names, None
        _refuse_sparse(estimator, array)
        found = distinct_numbers(array, chosen)
        levels = {
            j: _extended(known[j], found[j].tolist()) if j in known else found[j] for j in found
        }
        return code_numbers(array, levels), names, levels
    chosen = find_categorical(estimator, given, len(columns), names, columns)
    if not len(chosen):
        return *validation.check_samples(estimator, X), None
    read = {j: read_levels(estimator, j, columns[j]) for j in chosen}
    levels = {j: _extended(known.get(j), read[j][0]) for j in chosen}
    coded = {j: _codes(levels[j], *read[j]) for j in chosen}
    array, names = validation.check_samples(estimator, with_columns(X, coded))
    return _with_codes(array, coded, levels), names, levels


def code_queries(estimator, X):
    """Check samples to predict, and replace their levels by the codes that ``fit`` gave them."""
    _refuse_chunks(estimator, X)
    columns, levels = frame_columns(X), estimator.levels_
    if columns is None or len(columns) != estimator.n_features_in_:
        return code_numbers(validation.check_queries(estimator, X, sparse=()), levels)
    coded = {j: _codes(levels[j], *read_levels(estimator, j, columns[j])) for j in levels}
    array = validation.check_queries(estimator, with_columns(X, coded), sparse=())
    return _with_codes(array, coded, levels)


def _refuse_chunks(estimator, X):
    if is_chunked(X) or is_chunked_frame(X):
        raise TypeError(
            f"{type(estimator).__name__}: with categorical_features, X must be in memory. Got a "
            "collection of Dask: give X.compute() if it fits."
        )


def _refuse_sparse(estimator, X):
    if validation.is_sparse(X):
        raise TypeError(
            f"{type(estimator).__name__}: with categorical_features="
            f"{estimator.categorical_features!r}, X must be dense. Got a sparse array."
        )


def find_categorical(estimator, given, n_features, names, columns):
    """Return the numbers of the categorical columns, in rising order.

    `given` is the parameter ``categorical_features``, `columns` those of a data frame, or None.
    """
    who = type(estimator).__name__
    if validation.is_option(given, "from_dtype"):
        kinds = [str(getattr(one, "dtype", getattr(one, "type", ""))) for one in columns or ()]
        return [j for j, kind in enumerate(kinds) if kind.lower().startswith(CATEGORICAL_TYPES)]
    given = np.asarray(given)
    if given.size == 0:
        return []
    kinds = {type(one) for one in given.ravel()} if given.dtype.kind == "O" else {str}
    if given.dtype.kind not in "iubUO" or kinds != {str}:
        shown = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise ValueError(
            f"{who}: categorical_features must be an array-like of bool, int or str, got: "
            f"{shown if given.dtype.kind == 'O' else given.dtype.name}."
        )
    if given.dtype.kind == "b":
        if given.shape != (n_features,):
            raise ValueError(
                f"{who}: categorical_features set as a boolean mask must have shape (n_features,), "
                f"({n_features},) here, got: {given.shape}"
            )
        return np.flatnonzero(given).tolist()
    if given.dtype.kind in "iu":
        if given.max() >= n_features or given.min() < 0:
            raise ValueError(
                f"{who}: categorical_features set as integer indices must be in "
                f"[0, n_features - 1], with n_features={n_features}. Got {given.tolist()}."
            )
        return np.unique(given).tolist()
    # <names>: Those of the data frame.
    if names is None:
        raise ValueError(
            f"{who}: categorical_features should be passed as an array of integers or as a boolean "
            "mask when the model is fitted on data without feature names."
        )
    places = {name: j for j, name in enumerate(names)}
    for name in given.ravel():
        if name not in places:
            raise ValueError(
                f"{who}: categorical_features has an item value {str(name)!r} which is not a valid "
                f"feature name of the training data. Observed feature names: {list(names)}"
            )
    return sorted({places[name] for name in given.ravel()})


def frame_columns(X):
    """Return the columns of a data frame of pandas, polars or Arrow; None for others.

    Of narwhals, methods have taken the frame inside already.
    """
    if hasattr(X, "iloc"):
        return [X.iloc[:, j] for j in range(X.shape[1])] if X.ndim == 2 else None
    if hasattr(X, "get_columns"):
        return list(X.get_columns())
    return list(X.columns) if hasattr(X, "column_names") else None


def with_columns(X, found):
    """Return a data frame with some columns, by number, replaced by arrays of floats."""
    if hasattr(X, "iloc"):
        X = X.copy(deep=False)
        for j, column in found.items():
            X.isetitem(j, column)
        return X
    if hasattr(X, "get_columns"):
        series = {j: type(X.to_series(j)) for j in found}
        return X.with_columns([series[j](X.columns[j], found[j]) for j in found])
    import pyarrow

    for j, column in found.items():
        X = X.set_column(j, X.column_names[j], pyarrow.array(column))
    return X


def read_levels(estimator, j, column):
    """Return the distinct values of a frame's column, in a list, and which of them each row has.

    Rows without a value have -1. Values are in the order of the categories, if the column has some;
    otherwise sorted, where they can be.
    """
    if hasattr(column, "cat") and hasattr(column.cat, "codes"):  # a categorical of pandas
        places, values = np.asarray(column.cat.codes, dtype=np.int64), column.cat.categories
        used = np.flatnonzero(np.bincount(places[places >= 0], minlength=len(values)))
        rank = np.full(len(values) + 1, -1)
        rank[used] = np.arange(len(used))
        return values[used].tolist(), rank[places]
    rows = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
    try:
        values = [value for value in dict.fromkeys(rows) if not _is_missing(value)]
    except TypeError as error:
        raise TypeError(
            f"{type(estimator).__name__}: column {j} of X, which is categorical, holds what cannot "
            f"be a level: {error}."
        ) from error
    if any(isinstance(value, float) and math.isinf(value) for value in values):
        raise ValueError(
            f"Input X contains infinity: {type(estimator).__name__} expects finite numbers in "
            f"column {j}, too, which is categorical."
        )
    with contextlib.suppress(TypeError):  # of several types: in the order in which they come
        values.sort()
    number = {value: place for place, value in enumerate(values)}
    return values, np.array([number.get(value, -1) for value in rows], dtype=np.int64)


def _is_missing(value):
    """Tell whether a value is None, NaN, or what pandas has for it."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _extended(known, values):
    """Return the levels that have numbers, if any, and those that were read and have none yet."""
    if known is None:
        return _as_array(values)
    before = known.tolist()
    there = set(before)
    return _as_array(before + [value for value in values if value not in there])


def _as_array(values):
    """Return levels as an array of numbers, if they are, or of objects."""
    levels = np.empty(len(values), dtype=object)
    levels[:] = values
    if all(isinstance(value, (bool, int, float)) for value in values):
        return levels.astype(np.asarray(values).dtype)
    return levels


def _codes(levels, values, places):
    """Return the code of each row, NaN for a level that has none: (n_samples,), float64.

    Levels that were read in float32 know other numbers by what they are in float32.
    """
    if levels.dtype == np.float32:
        with np.errstate(over="ignore"):
            values = [float(np.float32(one)) if isinstance(one, float) else one for one in values]
    number = {level: code for code, level in enumerate(levels.tolist())}
    codes = np.array([number.get(value, np.nan) for value in values] + [np.nan])
    return codes[places]


def _with_codes(array, coded, levels):
    """Return samples with codes in the categorical columns."""
    array = array.astype(_type_of_codes(array, levels))
    for j, codes in coded.items():
        array[:, j] = codes
    return validation.read_only(array)


def _type_of_codes(array, levels):
    """Return the type of the samples, if it holds all codes, or a wider one."""
    return np.float64 if max(map(len, levels.values())) > EXACT else array.dtype


# ---------------------------------------------------------------------------------------------
# Columns of arrays


def distinct_numbers(X, chosen):
    """Return the distinct numbers of some columns, each in rising order, without NaN.

    Whole numbers that lie close together are ticked off in a table; others are sorted.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    chosen : list of int

    Returns
    -------
    dict of int to ndarray
    """
    columns = np.array(chosen)
    low, high, whole = ends_of(X, columns)
    with np.errstate(over="ignore"):
        close = whole & (high - low < len(X))
    tabled, low = columns[close], low[close]
    starts = _starts_of_tables(high[close] - low + 1)
    seen = np.zeros(starts[-1], dtype=np.bool_)
    tick_numbers(X, tabled, low, starts, seen)
    ticked = [np.flatnonzero(seen[starts[c] : starts[c + 1]]) for c in range(len(tabled))]
    found = {j: (low[c] + ticked[c]).astype(X.dtype) for c, j in enumerate(tabled.tolist())}
    return {j: found[j] if j in found else _sorted_numbers(X[:, j]) for j in chosen}


def _sorted_numbers(column):
    return np.unique(column[~np.isnan(column)])


def _starts_of_tables(sizes):
    """Return where tables of such sizes begin in one array, and at last where it ends."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def code_numbers(X, levels):
    """Return samples with the codes of their levels, NaN for what is none of them.

    Where all levels are their own codes, whole numbers are as they should be: a number that is not
    a code is in no set of a tree, and so goes with the missing values.
    """
    columns = np.array(list(levels))
    own = all(np.array_equal(some, np.arange(len(some))) for some in levels.values())
    if own and ends_of(X, columns)[2].all():
        return X
    tables = {j: _table(levels[j], len(X)) for j in levels}
    tables = {j: pair for j, pair in tables.items() if pair is not None}
    coded = np.empty_like(X, dtype=_type_of_codes(X, levels))
    coded[:] = X
    for j in levels:
        if j not in tables:
            values, places = np.unique(X[:, j], return_inverse=True)
            coded[:, j] = _codes(levels[j], values.tolist(), places)
    if tables:
        low, found = zip(*tables.values(), strict=True)
        starts = _starts_of_tables([len(one) for one in found])
        write_codes(X, np.array(list(tables)), np.array(low), starts, np.concatenate(found), coded)
    return validation.read_only(coded)


def _table(levels, n):
    """Return the smallest level, and the code of each whole number from there to the largest.

    NaN for numbers that are not levels; None if that would take more room than levels and samples.
    """
    if levels.dtype == object or not len(levels) or (levels != np.floor(levels)).any():
        return None
    low, high = float(levels.min()), float(levels.max())
    if high - low >= n + len(levels):
        return None
    table = np.full(int(high - low) + 1, np.nan)
    table[(levels - low).astype(np.intp)] = np.arange(len(levels))
    return low, table


def ends_of(X, columns):
    """Return the smallest and largest number of some columns, and whether all are whole or NaN.

    Where all are NaN, the smallest is 0, and the largest -1.
    """
    low, high = np.full(len(columns), np.inf), np.full(len(columns), -np.inf)
    whole = np.ones(len(columns), dtype=np.bool_)
    find_ends(X, columns, low, high, whole)
    empty = low > high
    low[empty], high[empty] = 0.0, -1.0
    return low, high, whole


@njit(lean=True)
def find_ends(X, columns, low, high, whole):
    """Widen the ends of some columns by their numbers, and tell whether all are whole or NaN.

    Some rows at a time, which stay in cache while the next columns are read.
    """
    for first in range(0, len(X), ROWS):
        for c in range(columns.size):
            least, most, plain = low[c], high[c], whole[c]
            for i in range(first, min(first + ROWS, len(X))):
                value = X[np.uintp(i), np.uintp(columns[c])]
                least, most = min(least, value), max(most, value)
                plain &= (value == np.floor(value)) | (value != value)
            low[c], high[c], whole[c] = least, most, plain


@njit(lean=True)
def tick_numbers(X, columns, low, starts, seen):
    """Tick off the numbers of some columns, whole or NaN, in the table of each."""
    for first in range(0, len(X), ROWS):
        for c in range(columns.size):
            for i in range(first, min(first + ROWS, len(X))):
                value = X[np.uintp(i), np.uintp(columns[c])]
                if value == value:
                    seen[np.uintp(starts[c] + np.int64(value - low[c]))] = True


@njit(lean=True)
def write_codes(X, columns, low, starts, tables, coded):
    """Write the codes of some columns, by the table of each; NaN for what is not in it."""
    for first in range(0, len(X), ROWS):
        for c in range(columns.size):
            start, size = starts[c], starts[c + 1] - starts[c]
            for i in range(first, min(first + ROWS, len(X))):
                place, code = X[np.uintp(i), np.uintp(columns[c])] - low[c], np.nan
                if 0.0 <= place < size and place == np.floor(place):
                    code = tables[np.uintp(start + np.int64(place))]
                coded[np.uintp(i), np.uintp(columns[c])] = code
