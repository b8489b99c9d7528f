"""Every check of input, and every message that tells what is wrong with it.

A message names the estimator, the parameter or array, what came, and what was expected. Where a
tool of scikit-learn looks for a wording of its own, that wording is used.

Compiled functions are made for the types that they meet. To keep those few, arrays leave this file
in one form: C-contiguous, read-only, and of type float32 or float64; targets and weights, float64.
"""

import functools
import numbers
import sys
import threading
import warnings
from types import SimpleNamespace

import numpy as np

from litlearn._core import containers, parallel
from litlearn._core.chunked import count_codes, each_chunk, in_memory, is_chunked
from litlearn._core.constraints import (  # noqa: F401
    BOOLEAN,
    COMMON,
    LARGEST,
    N_JOBS,
    VERBOSE,
    RandomState,
    float_or_infinity,
    is_array_like,
    owner_name,
    refuse,
    shown,
)
from litlearn.exceptions import DataConversionWarning, InvalidParameterError, NotFittedError

_refuse = refuse

# ---------------------------------------------------------------------------------------------
# Parameters


def is_option(value, name):
    """Tell whether `value` is the string `name`; an array is not compared, entry by entry."""
    return isinstance(value, str) and value == name


def warn(message):
    """Issue a warning, given as an instance, at the line that called this package.

    An instance is needed: Python files a warning given as class and text under the class as it is
    written, and would miss that the instance is also one of scikit-learn's. A task for another
    process keeps it, and it is issued there.
    """
    if parallel.keep_warning(message):
        return
    file, line, names = parallel.calling_line()
    told = names.setdefault("__warningregistry__", {})  # for filters that tell once
    module = names.get("__name__", "<string>")  # of code that exec runs, as Python says
    warnings.warn_explicit(message, type(message), file, line, module, told)


@functools.cache
def constraints_of(cls):
    """Return what each parameter of a class of estimators may be, by name."""
    table = dict(COMMON)
    for base in reversed(cls.__mro__):
        table |= vars(base).get("_constraints", {})
    return {name: one for name, one in table.items() if name in cls._get_param_names()}


def check_parameters(owner):
    """Return the parameters of an estimator as they are computed with, checked by its table."""
    table = constraints_of(type(owner))
    read = {name: one.check(owner, name, getattr(owner, name)) for name, one in table.items()}
    return SimpleNamespace(**read)


def check_integer(owner, name, value, *, low=None, high=None, allow_none=False, or_else=""):
    """Return `value` as an int, or None if that is allowed; bool is not an integer here.

    A limit such as a depth may be any number, also one that compiled code has no room for, and is
    returned as `LARGEST` then. A number of things that are made or repeated has a `high`.
    """
    if value is None and allow_none:
        return None
    allowed = isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))
    if not allowed or (low is not None and value < low) or (high is not None and value > high):
        above = "inf)" if high is None else f"{high}]"
        interval = "" if low is None else f" in the range [{low}, {above}"
        _refuse(owner, name, value, f"an int{interval}{' or None' if allow_none else ''}{or_else}")
    return max(-LARGEST, min(int(value), LARGEST))


def check_real(
    owner, name, value, *, low, high=np.inf, allow_low=True, allow_inf=False, allow_none=False
):
    """Return `value` as a float from `low` to `high`, or None if that is allowed.

    `allow_low` says whether `low` itself is allowed. A finite `high` always is; infinity only with
    `allow_inf`.
    """
    if value is None and allow_none:
        return None
    # Not any numbers.Real: arithmetic with a Fraction leaves NumPy's types.
    allowed = isinstance(value, (float, int, np.floating, np.integer)) and not isinstance(
        value, bool
    )
    number = float_or_infinity(value) if allowed else np.nan
    in_range = (number > low or (allow_low and number == low)) and number <= high
    if not in_range or (np.isinf(number) and not allow_inf):
        left, right = "[" if allow_low else "(", "]" if allow_inf or np.isfinite(high) else ")"
        none = " or None" if allow_none else ""
        _refuse(owner, name, value, f"a float in the range {left}{low}, {high}{right}{none}")
    return number


def check_numbers(owner, name, value, expected, kinds="biuf"):
    """Return a parameter that holds finite numbers as a float64 array."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):  # lists of several lengths, or what NumPy cannot read
        array = np.array(None)
    if array.dtype.kind not in kinds:
        _refuse(owner, name, value, expected)
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        _refuse(owner, name, value, expected)
    return array


def check_penalties(owner, alpha, n_targets):
    """Return the penalties of the targets as a float64 array of shape (n_targets,)."""
    if isinstance(alpha, numbers.Real) or alpha is None or isinstance(alpha, str):
        return np.full(n_targets, check_real(owner, "alpha", alpha, low=0.0))
    expected = "a float in the range [0.0, inf), or an array of such floats"
    array = check_numbers(owner, "alpha", alpha, expected, kinds="iuf").ravel()
    if (array < 0).any():
        _refuse(owner, "alpha", alpha, expected)
    if len(array) not in (1, n_targets):
        raise ValueError(
            f"{owner_name(owner)}: Number of targets and number of penalties do not correspond: "
            f"{len(array)} != {n_targets}: alpha has {len(array)} penalties, y has {n_targets} "
            "targets."
        )
    return np.broadcast_to(array, n_targets)


def check_listed_penalties(owner, alphas, *, allow_zero):
    """Return the penalties of a list, the parameter `alphas`, as an array (n_alphas,)."""
    try:
        alphas = list(alphas)
    except TypeError:
        _refuse(owner, "alphas", alphas, "an array-like of floats")
    for i, alpha in enumerate(alphas):
        try:
            check_real(owner, f"alphas[{i}]", alpha, low=0.0, allow_low=allow_zero)
        except InvalidParameterError as error:  # said once more, in scikit-learn's words
            wrong = f"alphas[{i}] == {shown(alpha)}, must be {'>=' if allow_zero else '>'} 0.0."
            if not isinstance(alpha, numbers.Real):
                wrong = f"alphas[{i}] must be an instance of float, not {type(alpha).__name__}"
            raise InvalidParameterError(f"{error} {wrong}") from None
    return np.array([float(alpha) for alpha in alphas])


def check_boolean(owner, name, value):
    """Return `value` as a bool."""
    return BOOLEAN.check(owner, name, value)


def check_verbose(owner):
    """Check `verbose`: a bool, or an int that says how much is shown."""
    VERBOSE.check(owner, "verbose", owner.verbose)


def check_option(owner, name, value, options, *, or_else=""):
    """Return `value` if it is one of the strings in `options`."""
    if not isinstance(value, str) or value not in options:
        listed = ", ".join(repr(option) for option in options)
        _refuse(owner, name, value, f"a str among {{{listed}}}{or_else}")
    return value


def check_n_jobs(owner, n_jobs):
    """Return `n_jobs`: None, or an int other than 0."""
    return N_JOBS.check(owner, "n_jobs", n_jobs)


def check_random_state(owner, random_state, *, seed=False):
    """Return what `random_state` is read as: a state, or with `seed` also an int."""
    return RandomState(seed).check(owner, "random_state", random_state)


class _Seeded(threading.local):
    """A state for each thread, seeded again and again: a new one takes fifty times as long."""

    random = None


_seeded = _Seeded()


def random_integer(random_state):
    """Draw a seed below 2**31 - 1, as scikit-learn draws those of an ensemble's members.

    An int stands for a new ``RandomState`` with this seed, from which nothing else is drawn.
    """
    largest = np.iinfo(np.int32).max
    if isinstance(random_state, int):
        _seeded.random = _seeded.random or np.random.RandomState(random_state)
        _seeded.random.seed(random_state)
        return int(_seeded.random.randint(largest))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(largest))
    return int(random_state.randint(largest))


def check_is_fitted(estimator):
    """Raise ``NotFittedError`` unless ``fit`` was called."""
    if not estimator.__sklearn_is_fitted__():
        raise NotFittedError(
            f"This {owner_name(estimator)} instance is not fitted yet. Call 'fit' with appropriate "
            "arguments before using this estimator."
        )


# ---------------------------------------------------------------------------------------------
# Arrays of samples


def is_sparse(X):
    """Tell whether `X` is a SciPy sparse array or matrix, without importing scipy.sparse."""
    scipy_sparse = sys.modules.get("scipy.sparse")
    return scipy_sparse is not None and scipy_sparse.issparse(X)


def check_array(owner, X, name="X", *, sparse=(), order="C", missing=False, finite=True, fewest=1):
    """Return `X` as a finite, contiguous, read-only array of float32 or float64.

    Parameters
    ----------
    owner : estimator or str
        Named in messages.
    X : array-like of shape (n_samples, n_features)
        A list of lists, an array, a data frame (pandas, polars, Arrow, narwhals), an array of the
        array API on the CPU, or anything that NumPy can convert.
    name : str, default="X"
        What the caller calls this array.
    sparse : tuple of {"csr", "csc"}, default=()
        Sparse formats that the caller can use; another one is converted to the first of them.
        Empty: sparse input is refused.
    order : {"C", "F", "any"}, default="C"
        Rows (C) or columns (F) are contiguous in a dense result, or those that are already.
    missing : bool, default=False
        Whether a dense array may hold NaN.
    finite : bool, default=True
        False: the caller looks for NaN and infinity in a dense array, by :func:`check_finite`.
    fewest : int, default=1
        Samples that the caller needs.

    Returns
    -------
    ndarray or sparse array of shape (n_samples, n_features)
        float32 if `X` is of float16 or float32, otherwise float64. It shares the memory of `X` if
        no conversion is needed. A sparse result has sorted indices, no duplicates, and indices of
        32 bits where they suffice.

    Raises
    ------
    TypeError
        If `X` is sparse, a ``numpy.matrix``, a lazy frame, a tensor on a GPU or one that requires
        grad, or holds objects that are not numbers.
    ValueError
        If `X` is not two-dimensional, is empty, complex, of strings, or holds NaN or infinity.
    """
    who = owner_name(owner)
    if is_chunked(X) and X.ndim == 2 and X.shape[0] >= fewest:
        options = {"name": name, "order": order, "missing": missing, "fewest": 0}
        return _check_chunks(X, functools.partial(check_array, who, **options))
    if is_sparse(X):
        array = _to_sparse(who, X, name, sparse)
    else:
        array = as_numbers(who, X, name)
    if array.ndim != 2:
        _refuse_dimension(who, array, name)
    if array.shape[0] < fewest:
        raise ValueError(
            f"Found array with {array.shape[0]} sample(s) (shape={array.shape}) while a minimum of "
            f"{fewest} is required by {who} for {name}."
        )
    if array.shape[1] < 1:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is required "
            f"by {who} for {name}."
        )
    if is_sparse(array):
        check_finite(who, array.data, name)
        return array
    if order == "any":
        order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    array = _as_float(array, order)
    if finite:
        check_finite(who, array, name, missing=missing)
    return read_only(array, order)


def _check_chunks(array, check):
    """Return an array in chunks whose chunks are checked once they are there; their type at once.

    An empty one stands for them: what it is turned into, they will be.
    """
    like = check(np.empty((0, *array.shape[1:]), dtype=array.dtype))
    return each_chunk(array, check, like)


def check_square(owner, matrix):
    """Refuse a matrix of kernels or distances between all training samples that is not square."""
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"{owner_name(owner)}: Precomputed matrix must be a square matrix. Input is a "
            f"{matrix.shape[0]}x{matrix.shape[1]} matrix."
        )


def read_only(array, order="C"):
    """Return a contiguous, read-only view of the plain array, or a copy where needed.

    An array that is so already is returned itself, so that a pickle holds it once.
    """
    contiguous = array.flags.c_contiguous if order == "C" else array.flags.f_contiguous
    if type(array) is np.ndarray and contiguous and not array.flags.writeable:
        return array
    view = np.asarray(array, order=order).view(np.ndarray)
    view.flags.writeable = False
    return view


def _to_sparse(who, X, name, formats):
    """Return sparse `X` in one of the formats, as float32 or float64, in canonical form."""
    if not formats:
        raise TypeError(
            f"Sparse data was passed for {name}, but {who} requires dense data. "
            f"Use '.toarray()' to convert to a dense numpy array."
        )
    X = check_sparse(who, X, name)
    if X.dtype.kind == "c":
        raise ValueError(
            f"Complex data not supported: {who} got {name} of type {X.dtype}, expected real "
            "numbers."
        )
    if X.dtype.kind not in "biuf":
        raise TypeError(f"{who}: {name} is of type {X.dtype}, expected real numbers.")
    array = X if X.format in formats else X.asformat(formats[0])
    single = array.dtype.kind == "f" and array.dtype.itemsize <= 4
    array = array.astype(np.float32 if single else np.float64, copy=False)
    size = int(array.indptr[-1])  # what lies beyond belongs to nobody
    small = max(size, *array.shape) <= np.iinfo(np.int32).max
    index = np.int32 if small else np.int64
    # A new container around read-only views: the caller's own arrays stay writeable. It looks for
    # itself whether indices are sorted: what the old one has noted may be out of date.
    result = type(array)(array.shape, dtype=array.dtype)
    result.data = array.data[:size]
    result.indices = array.indices[:size].astype(index, copy=False)
    result.indptr = array.indptr.astype(index, copy=False)
    if not result.has_canonical_format:
        result = result.copy()
        result.sum_duplicates()
    for part in ("data", "indices", "indptr"):
        setattr(result, part, read_only(getattr(result, part)))
    return result


def check_sparse(owner, X, name):
    """Return sparse `X` once its parts go together; one of lists in CSR format.

    SciPy and compiled code believe what a sparse array says of itself: with an index out of range
    they read, and write, memory that belongs to others.

    Raises
    ------
    ValueError
        If `X` has not two dimensions, its parts do not go together, or an index is out of range.
    """
    who = owner_name(owner)
    if X.ndim != 2:
        _refuse_dimension(who, X, name)
    complaint = None
    if X.format == "lil":
        sizes = [[len(row) for row in part] for part in (X.rows, X.data)]
        if len(sizes[0]) != X.shape[0] or sizes[0] != sizes[1]:
            complaint = "its rows and its data differ in length"
    elif X.format == "dia":
        if X.data.ndim != 2 or X.offsets.shape != X.data.shape[:1]:
            complaint = f"offsets of shape {X.offsets.shape}, data of shape {X.data.shape}"
    if X.format == "lil" and complaint is None:
        X = X.tocsr()  # which does not look at the indices
    if X.format == "coo":
        complaint = _wrong_coordinates(X)
    elif X.format in ("csr", "csc", "bsr"):
        complaint = _wrong_lines(X)
    if complaint is not None:
        raise ValueError(
            f"{who}: the sparse array {name} of shape {X.shape} is damaged: {complaint}."
        )
    return X


def _wrong_coordinates(X):
    """Say what is wrong with the parts of a COO array, or return None."""
    for part, index, size in zip(("row", "col"), X.coords, X.shape, strict=True):
        if X.data.ndim != 1 or index.shape != X.data.shape:
            return f"{part} is of shape {index.shape}, and data of shape {X.data.shape}"
        if wrong := _wrong_range(part, index, size):
            return wrong
    return None


def _wrong_lines(X):
    """Say what is wrong with the parts of a CSR, CSC or BSR array, or return None."""
    indptr, indices, data = X.indptr, X.indices, X.data
    lines, size = X.shape if X.format != "csc" else X.shape[::-1]
    n_axes = 3 if X.format == "bsr" else 1
    if data.ndim != n_axes or not indices.ndim == indptr.ndim == 1:
        return f"data, indices, indptr have {data.ndim}, {indices.ndim}, {indptr.ndim} dimensions"
    if X.format == "bsr":
        high, wide = data.shape[1:]
        if not high or not wide or lines % high or size % wide:
            return f"its blocks are of shape {data.shape[1:]}"
        lines, size = lines // high, size // wide
    if indptr.dtype.kind not in "iu" or len(indptr) != lines + 1:
        return f"indptr has {len(indptr)} entries of type {indptr.dtype}, not {lines + 1} integers"
    if indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
        return "indptr does not rise from 0"
    if indptr[-1] > min(len(indices), len(data)):
        return f"indptr ends with {indptr[-1]}, for {len(indices)} indices and {len(data)} data"
    return _wrong_range("indices", indices[: indptr[-1]], size)


def _wrong_range(part, index, size):
    """Say which of the numbers in `index` is not from 0 to size - 1, or return None."""
    if index.dtype.kind not in "iu":
        return f"{part} is of type {index.dtype}, not of integers"
    # One pass: seen without a sign, negative numbers are the largest ones.
    unsigned = index.view(index.dtype.str.replace("i", "u"))
    if not index.size or unsigned.max() < size:
        return None
    return f"{part} has {index[unsigned.argmax()]}, which is not between 0 and {size - 1}"


def as_numbers(who, X, name):
    """Convert `X` to an array whose type is bool, integer, float or a number object's float64."""
    if not isinstance(X, np.ndarray):
        X = containers.as_known(who, X, name)
        if (array := containers.columns_of_frame(who, X, name)) is not None:
            return array
    if isinstance(X, np.matrix):
        raise TypeError(
            f"{who}: np.matrix is not supported for {name}. Please convert to a numpy array with "
            "np.asarray."
        )
    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.asarray(X, dtype=np.float64).filled(np.nan)  # masked means missing
    _refuse_dates(who, X, name)
    try:
        array = np.asarray(X)
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"{who}: {name} could not be converted to an array of numbers: {error}"
        ) from error
    if array.dtype.kind == "c":
        raise ValueError(
            f"Complex data not supported: {who} got {name} of type {array.dtype}, expected real "
            "numbers."
        )
    if array.dtype.kind in "US":
        raise ValueError(
            f"{who}: {name} is of type {array.dtype}; dtype='numeric' is not compatible with "
            "arrays of bytes/strings. Convert your data to numeric values explicitly instead."
            f"{_text_columns(X, array)}"
        )
    if array.dtype.kind == "O":
        return _objects_to_float(who, X, array, name)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{who}: {name} is of type {array.dtype}, expected real numbers.")
    return array


def _refuse_dates(who, X, name):
    """Refuse dates and durations: beside numbers, pandas would count their nanoseconds."""
    dtypes = getattr(X, "dtypes", None) if getattr(X, "ndim", 0) == 2 else None
    for j, (column, dtype) in enumerate(dtypes.items() if hasattr(dtypes, "items") else ()):
        if getattr(dtype, "kind", "") in ("m", "M"):
            raise TypeError(
                f"{who}: column {j} of {name}, {column!r}, is of type {dtype}, expected real "
                "numbers. Make a number of it first, such as the days since a date, or leave it "
                "out."
            )


def _objects_to_float(who, X, array, name):
    """Convert an array of Python objects; for a data frame, missing entries become NaN."""
    if hasattr(X, "dtypes") and hasattr(X, "to_numpy"):  # pandas, with its nullable types
        try:
            return X.to_numpy(dtype=np.float64, na_value=np.nan)
        except (ValueError, TypeError):
            pass  # the element-wise conversion below tells more precisely what is wrong
    if any(isinstance(value, (complex, np.complexfloating)) for value in array.ravel()):
        raise ValueError(f"Complex data not supported: {who} got {name} with complex entries.")
    try:
        return array.astype(np.float64)
    except TypeError as error:
        message = f"{who}: {name} holds objects that are not numbers: {error}"
        raise TypeError(f"{message}.{_text_columns(X, array)}") from error
    except (ValueError, OverflowError) as error:
        message = f"{who}: {name} could not be converted to floats: {error}"
        raise ValueError(f"{message}.{_text_columns(X, array)}") from error


def _text_columns(X, array):
    """Say which columns hold something else than numbers, what the first holds, and what helps."""
    names = list(getattr(X, "columns", ()))
    columns = enumerate(array.T if array.ndim == 2 else ())
    found = [(j, text) for j, column in columns if (text := _no_number(column)) is not None]
    if not found:
        return ""
    (first, text), *rest = found
    name = f", {names[first]!r}," if names else ""
    others = ", ".join(repr(names[j]) if names else str(j) for j, _ in rest)
    also = f"; no numbers are in {others}, either" if rest else ""
    return (
        f" Column {first}{name} holds {text}{also}. Encode such a column as numbers first, for "
        "instance with scikit-learn's OneHotEncoder in a pipeline, or leave it out."
    )


def _no_number(column):
    """Return the first entry of a column that is no number, as a text, or None."""
    for value in column:
        try:
            float(value)
        except (ValueError, TypeError):
            return shown(value.item() if isinstance(value, np.generic) else value)
        except OverflowError:
            pass
    return None


def _refuse_dimension(who, array, name):
    if array.ndim < 2:
        kind = "1D" if array.ndim else "scalar"
        raise ValueError(
            f"{who}: Expected 2D array, got {kind} array instead for {name}:\narray={array}.\n"
            "Reshape your data either using array.reshape(-1, 1) if your data has a single feature "
            "or array.reshape(1, -1) if it contains a single sample."
        )
    raise ValueError(
        f"Found array with dim {array.ndim} (shape={array.shape}) for {name}, while dim <= 2 is "
        f"required by {who}."
    )


def _as_float(array, order):
    if array.dtype.kind == "f" and array.dtype.itemsize <= 4:
        return array.astype(np.float32, order=order, copy=False)
    with np.errstate(over="ignore"):  # of long double; the check for infinity follows
        return array.astype(np.float64, order=order, copy=False)


def check_finite(who, array, name, *, missing=False):
    """Raise ``ValueError`` if an array of floats holds infinity, or NaN unless `missing`."""
    # The sum of finite numbers is finite unless it overflows, and it needs no memory. Only if it is
    # not finite are the entries looked at, a block of rows at a time.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(_sum_in_parts(array)):
            return
    rows = max(1, 2**20 // max(1, array[:1].size))
    blocks = [array[start : start + rows] for start in range(0, len(array), rows)]
    if not missing and any(np.isnan(block).any() for block in blocks):
        raise ValueError(
            f"Input {name} contains NaN.\n{who} does not accept missing values. Remove the samples "
            "that have them, or fill them in first, for instance with an imputer in a pipeline."
        )
    if any(np.isinf(block).any() for block in blocks):
        raise ValueError(
            f"Input {name} contains infinity or a value too large for dtype('{array.dtype}'): "
            f"{who} expects finite numbers."
        )


def _sum_in_parts(array):
    """Sum an array; a large one in parts of its memory, in threads."""
    if array.size < 2**21 or not (array.flags.c_contiguous or array.flags.f_contiguous):
        return np.sum(array)
    flat, size = array.ravel(order="K"), 2**19

    def part(b):
        with np.errstate(over="ignore", invalid="ignore"):
            return np.sum(flat[b * size : (b + 1) * size])

    return np.sum(parallel.map_blocks(part, -(-flat.size // size)))


def check_samples(estimator, X, **options):
    """Return what ``fit`` is given, checked as by :func:`check_array`, and the features' names."""
    names = feature_names(X)
    kinds = {"sparse": estimator._sparse_formats, "missing": estimator._takes_missing}
    return check_array(estimator, X, **kinds | options), names


def check_queries(estimator, X, **options):
    """Check samples as ``fit`` does, and against the features of the training samples."""
    check_is_fitted(estimator)
    check_feature_names(estimator, X)
    kinds = {"sparse": estimator._sparse_formats, "missing": estimator._takes_missing}
    array = check_array(estimator, X, **kinds | options)
    if array.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {array.shape[1]} features, but {owner_name(estimator)} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    return array


def check_coordinates(estimator, X, n_columns):
    """Check what ``inverse_transform`` is given: an array with one column for each component."""
    array = check_array(estimator, X)
    if array.shape[1] != n_columns:
        raise ValueError(
            f"{owner_name(estimator)}.inverse_transform: X has {array.shape[1]} columns, expected "
            f"{n_columns}: one for each component."
        )
    return array


def feature_names(X):
    """Return the column names of a data frame as an array of objects, or None.

    Any object with an attribute ``columns`` (pandas, polars) or ``column_names`` (pyarrow) counts.
    Names that are not strings, such as pandas' default numbers, count as none.
    """
    columns = getattr(X, "column_names", None)
    columns = getattr(X, "columns", None) if columns is None else columns
    if columns is None or callable(columns):
        return None
    names = list(columns)
    are_strings = [isinstance(name, str) for name in names]
    if not names or not any(are_strings):
        return None
    if not all(are_strings):
        kinds = sorted({type(name).__qualname__ for name in names})
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your "
            f"input has {kinds} as feature name / column name types. If you want feature names to "
            "be stored and validated, you must convert them all to strings, by using X.columns = "
            "X.columns.astype(str) for example. Otherwise you can remove feature / column names "
            "from your input data, or convert them all to a non-string data type."
        )
    return np.array(names, dtype=object)


def store_features(estimator, n_features, names):
    """Store what ``fit`` saw: the number of features and, if there are any, their names."""
    estimator.n_features_in_ = n_features
    if names is not None:
        estimator.feature_names_in_ = names
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def check_feature_names(estimator, X):
    """Compare the feature names of `X` with those that ``fit`` saw."""
    names, who = feature_names(X), owner_name(estimator)
    fitted = getattr(estimator, "feature_names_in_", None)
    if names is None and fitted is None:
        return
    if fitted is None:
        warn(UserWarning(f"X has feature names, but {who} was fitted without feature names"))
    elif names is None:
        message = f"X does not have valid feature names, but {who} was fitted with feature names"
        warn(UserWarning(message))
    elif len(names) != len(fitted) or np.any(names != fitted):
        raise ValueError(_name_differences(names, fitted))


def _name_differences(names, fitted):
    message = "The feature names should match those that were passed during fit.\n"
    unseen, missing = sorted(set(names) - set(fitted)), sorted(set(fitted) - set(names))
    for title, some in (
        ("unseen at fit time", unseen),
        ("seen at fit time, yet now missing", missing),
    ):
        if some:
            listed = "".join(f"- {name}\n" for name in some[:5])
            message += f"Feature names {title}:\n{listed}{'- ...' * (len(some) > 5)}"
            message += "\n" * (len(some) > 5)
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message


# ---------------------------------------------------------------------------------------------
# Targets and weights


def _target_array(who, y):
    """Return targets as an array of one or two dimensions, or raise."""
    if y is None:
        raise ValueError(f"{who} requires y to be passed, but the target y is None.")
    if is_sparse(y):
        raise TypeError(
            f"Sparse data was passed for y, but {who} requires dense targets. Use '.toarray()' to "
            "convert to a dense numpy array."
        )
    y = containers.as_known(who, y, "y")
    try:
        array = np.asarray(y)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{who}: y could not be converted to an array: {error}") from error
    if array.dtype.kind == "O" and array.ndim == 1 and not isinstance(y, np.ndarray):
        array = np.asarray(array.tolist())  # a column of a frame, without missing entries
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {who} got y of type {array.dtype}.")
    if array.ndim not in (1, 2) or (array.ndim == 2 and array.shape[1] == 0):
        raise ValueError(
            f"{who}: y should be a 1d array, or a 2d array with one column for each output; got an "
            f"array of shape {array.shape} instead."
        )
    return array


def check_consistent_length(owner, n_samples, y, name="y"):
    """Raise ``ValueError`` unless `y` has one entry for each of the samples."""
    if len(y) != n_samples:
        raise ValueError(
            f"{owner_name(owner)}: Found input variables with inconsistent numbers of samples: X "
            f"has {n_samples}, {name} has {len(y)}."
        )


def check_class_targets(owner, y, n_samples):
    """Return classes as an array of shape (n_samples,) or (n_samples, n_outputs).

    A column vector is made flat, with a ``DataConversionWarning``.

    Raises
    ------
    ValueError
        If `y` is missing, has another length, holds NaN, continuous numbers, or objects that are
        not all strings.
    """
    who = owner_name(owner)
    array = _target_array(who, y)
    if array.dtype.kind == "f":
        check_finite(who, array, "y")
        with np.errstate(invalid="ignore"):
            if np.any(array != np.floor(array)):
                raise ValueError(
                    "Unknown label type: continuous. Maybe you are trying to fit a classifier, "
                    f"which expects discrete classes on a regression target with continuous "
                    f"values: {who} got y with fractions."
                )
    elif array.dtype.kind == "O" and not all(isinstance(label, str) for label in array.ravel()):
        kinds = sorted({type(label).__name__ for label in array.ravel()})
        raise ValueError(
            f"Unknown label type: unknown. {who} got y of Python objects ({', '.join(kinds)}); "
            "expected integers, booleans or strings."
        )
    elif array.dtype.kind not in "biuOUS":
        raise ValueError(f"Unknown label type: {array.dtype}. {who} cannot use it as y.")
    check_consistent_length(owner, n_samples, array)
    return flat_if_column(array)


def check_real_targets(owner, y, n_samples):
    """Return targets as a finite float64 array of shape (n_samples,) or (n_samples, n_outputs)."""
    who = owner_name(owner)
    if is_chunked(y):
        check_consistent_length(owner, n_samples, y)
        return _check_chunks(y, lambda chunk: check_real_targets(who, chunk, len(chunk)))
    array = _target_array(who, y)
    if array.dtype.kind not in "biufO":
        raise ValueError(f"{who}: y is of type {array.dtype}, expected real numbers.")
    try:
        array = array.astype(np.float64)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"{who}: y could not be converted to floats: {error}") from error
    check_finite(who, array, "y")
    check_consistent_length(owner, n_samples, array)
    return read_only(array)


def check_one_real_target(owner, y, n_samples):
    """Return targets as a finite float64 array of shape (n_samples,)."""
    array = flat_if_column(check_real_targets(owner, y, n_samples))
    if array.ndim == 2:
        raise ValueError(
            f"{owner_name(owner)}: y should be a 1d array, got an array of shape {array.shape} "
            "instead."
        )
    return array


def flat_if_column(array):
    if array.ndim == 2 and array.shape[1] == 1:
        message = (
            "A column-vector y was passed when a 1d array was expected. Please change the shape of "
            "y to (n_samples,), for example using ravel()."
        )
        warn(DataConversionWarning(message))
        return array.ravel()
    return array


def check_true_targets(owner, y, predicted):
    """Return `y` in the shape of `predicted`, for a score."""
    who = owner_name(owner)
    array = _target_array(who, y)
    check_consistent_length(owner, len(predicted), array)
    if array.size == predicted.size:
        array = array.reshape(predicted.shape)
    if array.shape != predicted.shape:
        raise ValueError(
            f"{who}.score: y has shape {array.shape}, but the predictions have shape "
            f"{predicted.shape}."
        )
    if array.dtype.kind == "f":
        check_finite(who, array, "y")
    if (array.dtype.kind in "USO") != (predicted.dtype.kind in "USO"):
        raise ValueError(
            f"{who}.score: y is of type {array.dtype}, but the predictions are of type "
            f"{predicted.dtype}."
        )
    return array


def check_sample_weight(owner, sample_weight, n_samples, all_zero=False):
    """Return None or a float64 array of n_samples weights, not negative and not all zero.

    One number stands for as many equal weights. With `all_zero`, all of them may be zero.
    """
    if sample_weight is None:
        return None
    who = owner_name(owner)
    if is_chunked(sample_weight):
        return _check_weight_chunks(who, sample_weight, n_samples)
    if isinstance(sample_weight, numbers.Real) and not isinstance(sample_weight, (bool, np.bool_)):
        sample_weight = np.full(n_samples, float(sample_weight))
    array = np.asarray(sample_weight)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{who}: sample_weight is of type {array.dtype}, expected real numbers.")
    array = array.astype(np.float64)
    if array.ndim == 0:
        raise TypeError(
            "Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, got scalar "
            f"`{array!r}` instead."
        )
    if array.shape != (n_samples,):
        flat = "Sample weights must be 1D array or scalar: " if array.ndim > 1 else ""
        raise ValueError(
            f"{who}: {flat}sample_weight has shape {array.shape}, expected ({n_samples},): one "
            "weight for each sample."
        )
    check_finite(who, array, "sample_weight")
    if np.any(array < 0):
        raise ValueError(f"{who}: sample_weight holds negative weights, expected none.")
    if not all_zero and not np.any(array):
        raise ValueError(f"{who}: sample_weight is all zero, expected a positive weight.")
    return read_only(array)


def _check_weight_chunks(who, weight, n_samples):
    """As :func:`check_sample_weight`, of weights in chunks: a chunk may be all zero."""
    check_consistent_length(who, n_samples, weight, "sample_weight")

    def check(chunk):
        if not np.any(chunk):
            return np.zeros(len(chunk))
        return check_sample_weight(who, chunk, len(chunk))

    checked = _check_chunks(weight, check)
    if not in_memory(checked.any()):
        raise ValueError(f"{who}: sample_weight is all zero, expected a positive weight.")
    return checked


def check_class_weight(owner, class_weight, classes, codes, sample_weight=None):
    """Return the weight of each class, (n_classes,), from what the user gave.

    None: ones. ``"balanced"``: inverse to the weighted counts of the classes, with mean 1 over the
    samples. A dict: the weight of each class that it names, 1 for the others.
    """
    who = owner_name(owner)
    n_classes = len(classes)
    if class_weight is None:
        return np.ones(n_classes)
    if isinstance(class_weight, str) and class_weight == "balanced":
        counts = count_codes(codes, n_classes, sample_weight).astype(np.float64)
        with np.errstate(divide="ignore"):
            weights = counts.sum() / (n_classes * counts)
        weights[counts == 0.0] = 0.0  # nobody is there to weigh
        return weights
    if not isinstance(class_weight, dict):
        _refuse(owner, "class_weight", class_weight, "a dict {class: weight}, 'balanced' or None")
    weights, known = np.ones(n_classes), {label: k for k, label in enumerate(classes.tolist())}
    unknown = [label for label in class_weight if label not in known]
    if unknown and n_classes > len(class_weight) - len(unknown):
        raise ValueError(
            f"{who}: the classes, {unknown}, are in class_weight but not in y, whose classes are "
            f"{classes.tolist()}."
        )
    for label, weight in class_weight.items():
        if label in known:
            weights[known[label]] = check_real(owner, f"class_weight[{label!r}]", weight, low=0.0)
    return weights
