"""The words of the docstrings as types. For type checkers only: there is no such module."""

import array
from typing import Any, Protocol

import numpy as np

class _Arraylike(Protocol):
    """What arrays, data frames and series offer. NumPy's own ArrayLike takes strings, too."""

    def __array__(self) -> Any: ...

class _Frame(Protocol):
    """What data frames and series offer."""

    def to_numpy(self) -> Any: ...

class _Tensor(Protocol):
    """What arrays of the array API offer."""

    def __dlpack__(self) -> Any: ...

class Sparse(Protocol):
    """What sparse arrays and matrices of SciPy offer."""

    def tocsr(self) -> Any: ...
    def tocsc(self) -> Any: ...

Array = _Arraylike | _Frame | _Tensor | list[Any] | tuple[Any, ...] | range | array.array[Any]
Bool = bool | np.bool
Int = int | np.integer[Any]
Float = float | np.floating[Any] | np.integer[Any]
