"""Frames and arrays of other libraries: read as NumPy arrays, and answered in kind.

An array that follows the array API, such as a tensor of PyTorch, shares its memory with a NumPy
array by DLPack, and what is predicted for it comes back the same way, as an array of its library.
A frame (pandas, polars, a table of Arrow, or one of them in the hands of narwhals) stays a frame
until its samples are checked: its names are compared first. :func:`columns_of_frame` then makes one
array of its columns. What is learned are NumPy arrays.

A library is known by what its objects offer. Nothing here imports one, but for the container that
a user asks for by its name.
"""

import re
import sys

import numpy as np

from litlearn._core.constraints import owner_name

CPU_DEVICES = (1, 3, 11, 13)  # of DLPack: memory that the processor reads
# Names that polars and Arrow have for the types of columns of numbers; all missing is `null`.
NUMERIC = re.compile(r"u?int\d|float|double|half|bool|decimal|null", re.IGNORECASE)


# ---------------------------------------------------------------------------------------------
# What comes in


def as_known(owner, value, name):
    """Return what a method is given in a form that NumPy or :func:`columns_of_frame` reads.

    An array of the array API becomes one of NumPy, in the same memory; a frame or column of
    narwhals, the one inside; a column of Arrow that has its values in a dictionary, those values
    (NumPy takes the place of a missing one for the last of them). All else stays as it is.

    Raises
    ------
    TypeError
        If it holds no data yet, as a lazy frame does, or data that are no array on the CPU.
    """
    kind = type(value)
    if isinstance(value, (np.ndarray, np.generic, list, tuple)):
        return value
    if hasattr(kind, "collect_schema") and hasattr(kind, "collect"):
        raise TypeError(
            f"{owner_name(owner)}: {name} is of type {library(kind)}.{kind.__name__}, which holds "
            f"a query and no data. Give what {name}.collect() returns."
        )
    if library(kind) == "narwhals":
        return as_known(owner, value.to_native(), name)
    if library(kind) == "pyarrow":
        return _without_dictionary(value)
    return value if namespace_of(value) is None else _in_numpy(owner_name(owner), value, name)


def library(kind):
    """Return the name of the package that defines a class."""
    return kind.__module__.partition(".")[0]


def namespace_of(array):
    """Return the namespace of an array of the array API that is not NumPy's, or None.

    PyTorch's tensors do not name theirs: it is the package.
    """
    kind = type(array)
    if isinstance(array, (np.ndarray, np.generic)) or not hasattr(kind, "__dlpack__"):
        return None
    if hasattr(kind, "__array_namespace__"):
        return array.__array_namespace__()
    packages = (sys.modules.get(library(one)) for one in kind.__mro__)
    return next((one for one in packages if hasattr(one, "from_dlpack")), None)


def _in_numpy(who, array, name):
    """Return an array of the array API as one of NumPy, in the same memory."""
    what = f"{who}: {name} is of type {library(type(array))}.{type(array).__name__}"
    if getattr(array, "requires_grad", False):
        raise TypeError(
            f"{what} and requires grad, but no gradient flows through this estimator. Give "
            f"{name}.detach()."
        )
    try:
        device = array.__dlpack_device__()[0]
    except (ValueError, RuntimeError, BufferError):  # one that DLPack has no number for
        device = None
    if device not in CPU_DEVICES:
        raise TypeError(
            f"{what} on the device {getattr(array, 'device', 'of another processor')}, and this "
            f"estimator computes on the CPU. Copy it there first, as {name}.cpu() does for PyTorch."
        )
    try:
        return np.from_dlpack(array)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        kind = getattr(array, "dtype", "unknown")
        message = f"{what}, with entries of type {kind}, which NumPy cannot read: {error}."
        raise TypeError(message) from error


def _without_dictionary(column):
    """Return a column of Arrow with its values themselves; anything else of Arrow as it is."""
    kind = getattr(column, "type", None)
    return column.cast(kind.value_type) if hasattr(kind, "index_type") else column


def columns_of_frame(owner, X, name):
    """Return the columns of a frame of polars or Arrow as an array of floats, or None for others.

    Rows are contiguous, as in most arrays of NumPy, so that sums are taken in the same order. NaN
    stands where an entry is missing. float32 if all columns are of floats of that size or less, or
    of integers that such floats hold; otherwise float64.

    Raises
    ------
    ValueError
        If a column is not numeric; all such are named.
    """
    if hasattr(type(X), "get_columns"):
        names, columns = X.columns, X.get_columns()
        kinds = [str(one.dtype) for one in columns]
    elif hasattr(type(X), "column_names"):
        names, columns = X.column_names, [_without_dictionary(one) for one in X.columns]
        kinds = [str(one.type) for one in columns]
    else:
        return None
    others = [
        f"{one!r} ({kind})"
        for one, kind in zip(names, kinds, strict=True)
        if not NUMERIC.match(kind)
    ]
    if others:
        raise ValueError(
            f"{owner_name(owner)}: columns of {name} do not hold numbers: {', '.join(others)}. "
            "Encode such columns as numbers first, for instance with scikit-learn's OneHotEncoder "
            "in a pipeline, or leave them out."
        )
    columns = [np.asarray(one) for one in columns]  # missing: NaN, or None among Python's objects
    types = [one.dtype if one.dtype.kind in "iuf" else np.float64 for one in columns]
    single = types and np.result_type(*types) in (np.float16, np.float32)
    array = np.empty((X.shape[0], len(columns)), np.float32 if single else np.float64)
    for j, column in enumerate(columns):
        array[:, j] = column
    return array


# ---------------------------------------------------------------------------------------------
# What goes out


def as_given(result, xp):
    """Return what a method found, with the arrays of numbers in it as arrays of a namespace.

    In the same memory, unless that is read-only or has gaps. Words, sparse arrays and frames stay:
    the array API has none.
    """
    if isinstance(result, (list, tuple)):
        return type(result)([as_given(one, xp) for one in result])
    if not isinstance(result, np.ndarray):
        return result
    if result.dtype == object and all(isinstance(one, np.ndarray) for one in result.flat):
        found = np.empty(result.shape, dtype=object)  # as of neighbours within a radius
        for i, one in enumerate(result.flat):
            found.flat[i] = as_given(one, xp)
        return found
    if result.dtype.kind not in "biufc":
        return result
    if not (result.flags.writeable and result.flags.forc and result.dtype.isnative):
        result = result.astype(result.dtype.newbyteorder("="), order="C")
    return xp.from_dlpack(result)


def as_frame(container, array, names, X):
    """Return an array as a frame of the library named `container`, with the rows' names of `X`."""
    if container == "pandas":
        import pandas

        index = getattr(X, "index", None)  # of a list, a method
        return pandas.DataFrame(array, columns=names, index=None if callable(index) else index)
    if container == "polars":
        import polars

        return polars.DataFrame(array, schema=names, orient="row")
    import pyarrow

    return pyarrow.Table.from_arrays([pyarrow.array(one) for one in array.T], names=names)


class ArrowAdapter:
    """What scikit-learn's transformers need to return tables of Arrow, beside ours in a pipeline.

    The methods are those of ``ContainerAdapterProtocol`` in ``sklearn.utils._set_output``.
    """

    container_lib = "pyarrow"

    def create_container(self, X_output, X_original, columns, inplace=True):
        """Return an array or a frame as a table; `columns` are its names, or return them."""
        columns = columns() if callable(columns) else columns
        if self.is_supported_container(X_output):
            return X_output if columns is None else self.rename_columns(X_output, columns)
        if columns is None:
            columns = getattr(X_output, "columns", range(X_output.shape[1]))
        return as_frame("pyarrow", np.asarray(X_output), list(map(str, columns)), X_original)

    def is_supported_container(self, X):
        """Tell whether `X` is a table of Arrow."""
        import pyarrow

        return isinstance(X, pyarrow.Table)

    def rename_columns(self, X, columns):
        """Return a table with other names."""
        return X.rename_columns(list(columns))

    def hstack(self, Xs):
        """Return the columns of all tables in one."""
        import pyarrow

        columns = [column for one in Xs for column in one.columns]
        return pyarrow.Table.from_arrays(
            columns, names=[name for one in Xs for name in one.column_names]
        )


def tell_scikit_learn():
    """Let ``set_output`` of scikit-learn's transformers take "pyarrow", unless it does already."""
    known = getattr(sys.modules.get("sklearn.utils._set_output"), "ADAPTERS_MANAGER", None)
    if known is not None and "pyarrow" not in known.adapters:
        known.register(ArrowAdapter())
