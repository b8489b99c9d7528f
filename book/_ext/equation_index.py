"""Where each equation is derived, computed and tested.

The chapters list the equations that the module implements in their notebook's metadata
(``litlearn.implemented``), docstrings name them (``:eq:`eq-...` ``), and so do tests (``eq-...``).
This module only collects those names. The page *From equation to code* prints them, and
``tests/test_book_literate.py`` checks that none of them points nowhere. It needs nothing but the
standard library.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
from pathlib import Path
from typing import NamedTuple

LABEL = r"eq-[a-z0-9]+(?:-[a-z0-9]+)*"
MENTION = re.compile(rf"(?<![\w-])({LABEL})(?![\w-])")
ROLE = re.compile(rf":eq:`({LABEL})`")
DEFINED = re.compile(rf"\$\$[ \t]*\(({LABEL})\)|^:label:[ \t]*({LABEL})[ \t]*$", re.MULTILINE)


class Place(NamedTuple):
    """One place that names an equation."""

    label: str
    path: str  # file, relative to the project's root
    name: str  # dotted name of the function or class ("" for a whole test file)
    line: int


def pages(root: Path) -> list[Path]:
    """Return the source files of the book that stand in the table of contents."""
    names = re.findall(
        r"^\s*(?:-\s*)?(?:root|file):\s*(\S+)", (root / "_toc.yml").read_text(), re.M
    )
    found = []
    for name in names:
        candidates = [root / f"{name}{suffix}" for suffix in (".ipynb", ".md", ".rst")]
        found += [path for path in candidates if path.is_file()][:1]
    return found


def page_text(path: Path) -> str:
    """Return the prose of a page: the Markdown file, or a notebook's Markdown cells."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = json.loads(text)["cells"]
    return "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")


def defined(root: Path) -> dict[str, list[str]]:
    """Return label -> pages (without suffix) that define an equation of that name."""
    labels: dict[str, list[str]] = {}
    for path in pages(root):
        page = path.relative_to(root).with_suffix("").as_posix()
        for match in DEFINED.finditer(page_text(path)):
            labels.setdefault(match[1] or match[2], []).append(page)
    return labels


def implemented(root: Path) -> dict[str, str]:
    """Return label -> page for the equations that notebooks declare as implemented in src/."""
    labels = {}
    for path in pages(root):
        if path.suffix == ".ipynb":
            metadata = json.loads(path.read_text(encoding="utf-8"))["metadata"]
            for label in metadata.get("litlearn", {}).get("implemented", []):
                labels[label] = path.relative_to(root).with_suffix("").as_posix()
    return labels


def _definitions(tree: ast.Module, prefix: str):
    """Yield (dotted name, node) of the functions and classes of a module, methods included."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}.{node.name}"
            yield name, node
            if isinstance(node, ast.ClassDef):
                yield from _definitions(node, name)


def functions(root: Path) -> list[Place]:
    """Return every function or class of src/ whose docstring names an equation as a role."""
    places = []
    src = root / "src"
    for path in sorted(src.rglob("*.py")):
        parts = path.relative_to(src).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        for name, node in _definitions(ast.parse(path.read_text(encoding="utf-8")), module):
            labels = dict.fromkeys(ROLE.findall(ast.get_docstring(node) or ""))
            file = path.relative_to(root).as_posix()
            places += [Place(label, file, name, node.lineno) for label in labels]
    return places


def mentions(root: Path) -> list[Place]:
    """Return every equation label in the text of src/: docstrings, comments, anything."""
    places = []
    for path in sorted((root / "src").rglob("*.py")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            file = path.relative_to(root).as_posix()
            places += [Place(label, file, "", number) for label in MENTION.findall(line)]
    return places


def tests(root: Path) -> list[Place]:
    """Return every test that names an equation: the test function, or its file ("") outside one."""
    places = []
    for path in sorted((root / "tests").rglob("test_*.py")):
        if path.name.startswith("test_book_"):
            continue  # the checks of this very list
        text = path.read_text(encoding="utf-8")
        spans = [
            (node.lineno - len(node.decorator_list), node.end_lineno, name.split(".", 1)[1])
            for name, node in _definitions(ast.parse(text), "module")
            if node.name.startswith(("test", "Test"))
        ]
        seen = set()
        for number, line in enumerate(text.splitlines(), 1):
            inside = [name for first, last, name in spans if first <= number <= last]
            for label in MENTION.findall(line):
                key = (label, inside[-1] if inside else "")
                if key not in seen:
                    seen.add(key)
                    places.append(Place(label, path.relative_to(root).as_posix(), key[1], number))
    return places


def by_label(places: list[Place]) -> dict[str, list[Place]]:
    """Group places by the equation they name."""
    groups: dict[str, list[Place]] = {}
    for place in places:
        groups.setdefault(place.label, []).append(place)
    return groups


def is_exported(parts: list[str]) -> bool:
    """Whether a name without an underscore is among those that its module exports."""
    for end in range(len(parts) - 1, 0, -1):
        try:
            module = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:  # the name of a class
            continue
        return parts[end] in getattr(module, "__all__", parts)
    return True


def public_names(name: str) -> list[str]:
    """Return the names under which users meet an object of src/; none if it is internal.

    ``litlearn.neighbors._classification.KNeighborsClassifier`` is imported as
    ``litlearn.neighbors.KNeighborsClassifier``. A method of an internal base class is met in every
    public class that inherits it.
    """
    parts = name.split(".")
    private = [i for i, part in enumerate(parts) if part.startswith("_")]
    if not private:
        return [name] if is_exported(parts) else []
    package = ".".join(parts[: private[0]])
    try:
        namespace = importlib.import_module(package)
        importlib.import_module(f"{package}.{parts[private[0]]}")
    except ModuleNotFoundError:  # no module is meant, but a private function or method
        return []
    exported = getattr(namespace, "__all__", ())
    module_end = private[0]
    rest = parts[module_end + 1 :] if module_end < len(parts) - 1 else []
    if not rest:
        return []
    if rest[0] in exported:
        return [".".join([package, *rest])]
    base = getattr(importlib.import_module(".".join(parts[: module_end + 1])), rest[0])
    if not inspect.isclass(base) or len(rest) != 2:
        return []
    found = []
    for public in exported:
        cls = getattr(namespace, public)
        if inspect.isclass(cls) and issubclass(cls, base):
            inherited, own = vars(base).get(rest[1]), inspect.getattr_static(cls, rest[1])
            # Outside of Sphinx a class may have a copy of its own, of the same code.
            if getattr(own, "__code__", own) is getattr(inherited, "__code__", inherited):
                found.append(f"{package}.{public}.{rest[1]}")
    return found
