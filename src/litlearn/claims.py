"""What a chapter of the book asserts: facts, claims and numbers.

A chapter computes what it says. Its cells assert three kinds of things, and say which:

- a **fact** is mathematics, and holds for any data;
- a **claim** backs a sentence of tendency, such as "most", "gains little" or "in each of 30
  clinics". It has a name, by which the sentence leads to the cell;
- a **number** is one that the text states.

``make claims`` runs the chapters again with all seeds moved, and keeps for each claim how often it
held: a sentence that is true for one seed only is a sentence about that seed.
"""

from contextlib import contextmanager

import numpy as np

from litlearn._core.guide import guide

__all__ = ["claim", "fact", "number", "recorded"]

_records = None  # where a run with moved seeds notes what held, instead of stopping


def _settle(kind, name, holds):
    """Note whether all of `holds` are true, or raise AssertionError if one is not."""
    flags = [flag for each in holds for flag in np.ravel(np.asarray(each, dtype=bool))]
    if not flags:
        raise ValueError(f"{kind}: there is nothing to assert, expected at least one truth value")
    if _records is not None:
        _records.append((kind, name, all(flags)))
    elif not all(flags):
        which = f"{kind} {name!r}" if name else kind
        raise AssertionError(f"{which} does not hold: {sum(flags)} of {len(flags)} are true")


def fact(*holds):
    """Assert what is mathematics: it holds for any data.

    Parameters
    ----------
    *holds : bool or array-like of bool
        What must be true; of an array, every element.

    Raises
    ------
    AssertionError
        If anything is false.

    Examples
    --------
    >>> from litlearn.claims import fact
    >>> fact(2 + 2 == 4, [True, True])
    """
    _settle("fact", "", holds)


def claim(name, *holds):
    """Assert what a sentence of tendency says.

    Parameters
    ----------
    name : str
        The name by which the sentence leads here.
    *holds : bool or array-like of bool
        What must be true; of an array, every element.

    Raises
    ------
    AssertionError
        If anything is false.

    Examples
    --------
    >>> from litlearn.claims import claim
    >>> error = {"raw": [0.19, 0.18, 0.2], "scaled": [0.15, 0.16, 0.15]}
    >>> claim("units-matter", [s < r for r, s in zip(error["raw"], error["scaled"])])
    """
    if not isinstance(name, str):
        raise TypeError(f"claim: name is {name!r}, expected a string")
    _settle("claim", name, holds)


def number(text, value):
    """Assert that a number of the text is the one computed, to the digits that the text has.

    Parameters
    ----------
    text : str
        The number as it is written, such as ``"0.28"``.
    value : float
        The number as it is computed.

    Raises
    ------
    AssertionError
        If the value, rounded to as many digits, is another number.

    Examples
    --------
    >>> from litlearn.claims import number
    >>> number("0.28", 3.5 / 12.5)
    """
    if _records is not None:
        return  # other seeds give other numbers
    digits = len(str(text).partition(".")[2])
    if abs(float(value) - float(text)) > 0.5 * 10.0**-digits * (1 + 1e-9):
        raise AssertionError(f"the text says {text}, and the value is {value!r}")


@contextmanager
def recorded():
    """Within this context nothing is raised; what was asserted is noted.

    Yields
    ------
    records : list of (kind, name, holds)
        One entry for each call of :func:`fact` and :func:`claim`. :func:`number` does nothing
        here, because other seeds give other numbers.

    Examples
    --------
    >>> from litlearn.claims import claim, recorded
    >>> with recorded() as records:
    ...     claim("never-true", False)
    >>> records
    [('claim', 'never-true', False)]
    """
    global _records
    before, _records = _records, []
    try:
        yield _records
    finally:
        _records = before


__getattr__ = guide(__name__)
