"""Show the shipped source of a function, whole or one named fragment, inside a page.

A fragment begins at a comment line ``# <name>: sentence`` and runs to the next such line, at any
indentation, or to the end of the function. The text comes from the installed package, so what a
page prints is what runs.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
from pathlib import Path

from litlearn._core.guide import guide

__all__ = ["Listing", "fragments", "piece", "show", "source"]

# A name is lower case with hyphens or spaces, so that an ordinary comment such as "# Note: ..." or
# "# n x p: ..." with capitals or more than three words is not taken for a fragment.
_MARK = re.compile(r"^\s*#\s+<?([a-z][a-z0-9_-]*(?: [a-z0-9_-]+){0,2})>?:\s+\S")


class Listing:
    """Source text that a notebook shows as a highlighted code block; made by :func:`show`.

    Examples
    --------
    >>> from litlearn.listing import show
    >>> show("litlearn.listing:source").caption
    'src/litlearn/listing.py · source'
    """

    def __init__(self, text, caption):
        self.text = text
        self.caption = caption

    def __repr__(self):
        return f"{self.caption}\n\n{self.text}"

    def _repr_markdown_(self):
        return f"`{self.caption}`\n\n```python\n{self.text}\n```\n"


def _load(target):
    """Return the undecorated object named by "module:object" or "module:Class.method"."""
    if not isinstance(target, str) or target.count(":") != 1:
        raise ValueError(
            f"listing: target is {target!r}, expected 'module:object' or 'module:Class.method'"
        )
    module_name, qualname = target.split(":")
    try:
        found = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise ValueError(f"listing: there is no module {error.name!r} ({target!r})") from error
    for part in qualname.split("."):
        # Static lookup keeps properties and class methods as they stand in the source.
        try:
            found = inspect.getattr_static(found, part)
        except AttributeError:
            # Lazily loaded names of a package exist only after an ordinary lookup.
            try:
                found = getattr(found, part)
            except AttributeError:
                raise ValueError(
                    f"listing: {module_name!r} has no {qualname!r}: {part!r} is missing"
                ) from None
    if isinstance(found, property):
        found = found.fget
    if isinstance(found, staticmethod | classmethod):
        found = found.__func__
    # Decorators, Numba's among them, keep the function that they wrap.
    return inspect.unwrap(found) if callable(found) else found


def _lines(target):
    """Return the dedented source lines and the file of a target."""
    found = _load(target)
    try:
        text, path = inspect.getsource(found), inspect.getsourcefile(found)
    except (TypeError, OSError) as error:
        raise ValueError(
            f"listing: {target!r} has no source, expected a function, method or class"
        ) from error
    return textwrap.dedent(text).rstrip("\n").split("\n"), Path(path)


def _starts(lines):
    """Return the pairs (fragment name, index of its first line)."""
    # A mark opens a comment: in its later lines, "far: ..." is the end of a sentence.
    opens = [not before.lstrip().startswith("#") for before in ["", *lines]]
    found = [(_MARK.match(line), i) for i, line in enumerate(lines) if opens[i]]
    return [(match[1], i) for match, i in found if match]


def fragments(target):
    """Return the names of the fragments of a function, in order.

    Parameters
    ----------
    target : str
        ``"module:object"`` or ``"module:Class.method"``.

    Returns
    -------
    list of str

    Raises
    ------
    ValueError
        If the target does not exist or has no source.

    Examples
    --------
    >>> from litlearn.listing import fragments
    >>> fragments("litlearn.listing:source")
    []
    >>> "prune" in fragments("litlearn.neighbors._tree:knn_one")
    True
    """
    return [name for name, _ in _starts(_lines(target)[0])]


def source(target, fragment=None):
    """Return the source of a function, or one named fragment of it.

    Parameters
    ----------
    target : str
        ``"module:object"`` or ``"module:Class.method"``. A compiled function gives the Python
        source that was compiled.
    fragment : str, default=None
        Name of a fragment. None: the whole function.

    Returns
    -------
    str
        The lines without their common indentation.

    Raises
    ------
    ValueError
        If the target or the fragment does not exist, or the name stands twice; the message lists
        the fragments that there are.

    Examples
    --------
    >>> from litlearn.listing import source
    >>> source("litlearn.listing:source").splitlines()[0]
    'def source(target, fragment=None):'
    """
    lines, _ = _lines(target)
    if fragment is None:
        return "\n".join(lines)
    starts = _starts(lines)
    names = [name for name, _ in starts]
    if names.count(fragment) != 1:
        problem = "has no" if fragment not in names else f"has {names.count(fragment)} times the"
        available = ", ".join(repr(name) for name in names) or "none"
        raise ValueError(
            f"listing: {target!r} {problem} fragment {fragment!r}; fragments there: {available}"
        )
    position = names.index(fragment)
    first = starts[position][1]
    last = starts[position + 1][1] if position + 1 < len(starts) else len(lines)
    return textwrap.dedent("\n".join(lines[first:last])).strip("\n")


def _printed(text):
    """Return source as a page prints it; the prose around it takes the place of docstrings.

    Docstrings go, and so do the name in front of a fragment's first sentence and the markup around
    the label of an equation.
    """
    lines = text.split("\n")
    tree = _parsed(lines)
    nodes = [] if tree is None else ast.walk(tree)
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    for node in nodes:
        if isinstance(node, kinds) and ast.get_docstring(node) is not None and len(node.body) > 1:
            first, last = node.body[0].lineno - 1, node.body[0].end_lineno
            if last < len(lines) and not lines[last].strip():
                last += 1  # the empty line that parts the docstring from the code
            lines[first:last] = [None] * (last - first)
    out = []
    for before, line in zip(["", *lines], lines, strict=False):
        if line is not None:
            opens = not (before or "").lstrip().startswith("#")
            if opens and (match := _MARK.match(line)):
                rest = line[match.end() - 1 :]
                line = f"{line[: line.index('#')]}# {rest[0].upper()}{rest[1:]}"
            out.append(re.sub(r":eq:`([\w-]+)`", r"\1", line))
    return "\n".join(out)


def _parsed(lines):
    """Return the syntax tree of a piece of source, or None where it is none by itself."""
    try:
        return ast.parse("\n".join(lines))
    except SyntaxError:
        return None


def show(target, fragment=None):
    """Show the source of a function, or one named fragment of it, in a page.

    Parameters
    ----------
    target, fragment
        As in :func:`source`.

    Returns
    -------
    Listing
        An object that a notebook shows as a highlighted code block: the source without docstrings
        and without the names of its fragments. Its caption names the file and the function, and no
        line numbers: they would change with every edit of the file.

    Raises
    ------
    ValueError
        As in :func:`source`.

    Examples
    --------
    >>> from litlearn.listing import show
    >>> print(show("litlearn.listing:Listing.__repr__").text)
    def __repr__(self):
        return f"{self.caption}\\n\\n{self.text}"
    """
    text = _printed(source(target, fragment))
    path = _lines(target)[1]
    parts = path.parts
    root = len(parts) - 1 - parts[::-1].index("litlearn") if "litlearn" in parts else None
    shown = path.name if root is None else "/".join(("src", *parts[root:]))
    caption = f"{shown} · {target.split(':')[1]}"
    return Listing(text, caption if fragment is None else f"{caption} · {fragment}")


def piece(target, first, before):
    """Show some lines of a function that has no fragments for them.

    Parameters
    ----------
    target : str
        As in :func:`source`.
    first : str
        How the first line to show begins.
    before : str
        How the line after the last one begins.

    Returns
    -------
    Listing
        As from :func:`show`, with the caption of the whole function.

    Raises
    ------
    ValueError
        As in :func:`source`, or if no line begins so.

    Examples
    --------
    >>> from litlearn.listing import piece
    >>> print(piece("litlearn.listing:piece", "whole", "begin"))
    src/litlearn/listing.py · piece
    <BLANKLINE>
    whole = show(target)
    lines = whole.text.split("\\n")
    """
    whole = show(target)
    lines = whole.text.split("\n")
    begin = _line(target, lines, first, 0)
    end = _line(target, lines, before, begin + 1)
    return Listing(textwrap.dedent("\n".join(lines[begin:end])).rstrip(), whole.caption)


def _line(target, lines, start, low):
    """Return the number of the first line, from `low` on, that begins with `start`."""
    for i, line in enumerate(lines[low:], low):
        if line.strip().startswith(start):
            return i
    raise ValueError(f"listing: {target!r} has no line that begins with {start!r} after line {low}")


__getattr__ = guide(__name__)
