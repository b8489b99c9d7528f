"""Write the stubs (``.pyi``) that type checkers read in place of the module's source.

The types of the public names are in their docstrings, in the words of numpydoc, and in the
signatures; the source that the book prints stays free of annotations. This script translates both.
A type that it cannot read is an error that names the place. ``--check`` writes nothing, and fails
where a stub is not what the source says.
"""

import argparse
import importlib
import inspect
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "litlearn"
HEAD = '''"""Made from the docstrings by .ci/stubs.py: do not edit."""

'''
# What the words of a docstring accept as an argument ...
GIVEN = {
    "int": "Int",
    "float": "Float",
    "bool": "Bool",
    "str": "str",
    "array-like": "Array",
    "array": "Array",
    "sparse matrix": "Sparse",
    "sparse array": "Sparse",
    "CSR array": "Sparse",
    "CSR matrix": "Sparse",
    "callable": "Callable[..., Any]",
    "dict": "Mapping[Any, Any]",
    "list of dict": "Sequence[Mapping[Any, Any]]",
    "list of float": "Sequence[Float]",
    "list of str": "Sequence[str]",
    "sequence of str": "Sequence[str]",
    "sequence of sequences": "Sequence[Sequence[Any]]",
    "sequence": "Sequence[Any]",
    "RandomState instance": "np.random.RandomState",
    "RandomState": "np.random.RandomState",
    "Generator": "np.random.Generator",
    "None": "None",
    "True": "Literal[True]",
    "matplotlib.axes.Axes": "Axes",
    "matplotlib.figure.Figure": "Figure",
    "(float, float)": "tuple[Float, Float]",
    "(x_min, x_max, y_min, y_max)": "tuple[Float, Float, Float, Float]",
    **dict.fromkeys(
        (
            "DecisionTreeClassifier, DecisionTreeRegressor or their random kin",
            "label, list of labels (one for each output)",
            "fitted estimator",
            "estimator",
            "distributed.Client",
            "DistanceMetric",
            "KDTree",
            "BallTree",
            "splitter",
            "iterable",
            "object",
            "colour",
            "file",
            "ignored",
        ),
        "Any",
    ),
}
# ... and what they promise of a result or an attribute. Of several kinds the first is what a
# checker sees, beside Any: which of them it is depends on the data.
RESULTS = {
    "int": "int",
    "float": "float",
    "bool": "bool",
    "str": "str",
    "dict": "dict[Any, Any]",
    "callable": "Callable[..., Any]",
    "None": "None",
    "structured array": "NDArray[Any]",
    "array": "NDArray[Any]",
    "array-like": "Any",
    "ndarray": "NDArray[Any]",
    "list of int": "list[int]",
    "list of str": "list[str]",
    "list of float": "list[float]",
    "list of bytes": "list[bytes]",
    "list of ndarray": "list[NDArray[Any]]",
    "tuple of ndarray": "tuple[NDArray[Any], ...]",
    "tuple": "tuple[Any, ...]",
    "list": "list[Any]",
    "self": "Self",
    "BayesError": "BayesError",
    "MemoryClinic": "MemoryClinic",
    "CoefficientTable": "CoefficientTable",
    "Listing": "Listing",
    "Slider": "Slider",
    **dict.fromkeys(
        (
            "scipy.sparse matrix in CSR format",
            "CSR matrix",
            "CSR array",
            "CSR",
            "sparse matrix",
            "sparse array",
            "frame",
            "pandas.DataFrame",
            "KDTree",
            "BallTree",
            "PageTable",
            "Tree",
            "PruningPath",
            "Bunch",
            "estimators",
            "estimator",
            "context manager",
            "DecisionTreeClassifier",
            "DecisionTreeRegressor",
            "ExtraTreeClassifier",
            "ExtraTreeRegressor",
            "labels",
            "label",
        ),
        "Any",
    ),
}
FILLING = re.compile(
    r"\b(or|and|a|an|of|them|the|its|one|for|each|output|to|in|type|with|format|scikit-learn|q|"
    r"two|classes|fitted|int64|float64|matplotlib[\w.]*)\b|[\s,.;()/*-]|\d|\{|\}"
)
PARAMETERS = "Parameters"
PLAIN = (int, float, str, bool, tuple, type(None))


def public_namespaces():
    package = importlib.import_module("litlearn")
    return [importlib.import_module(f"litlearn.{name}") for name in package._NAMESPACES]


# Docstrings


def sections(text):
    """The sections of a numpydoc docstring: title -> [(names, type, description)]."""
    lines = inspect.cleandoc(text or "").splitlines()
    found, title = {}, None
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if re.fullmatch(r"-{3,}", below) and line.strip():
            title = line.strip()
            found[title] = []
        elif title and line and not line[0].isspace() and not re.fullmatch(r"-{3,}", line):
            names, separator, kind = line.partition(" : ")
            found[title].append((names, kind if separator else None))
    return found


def documented(text, title):
    """Name -> type (None: not said) of a section that lists names."""
    pairs = {}
    for names, kind in sections(text).get(title, ()):
        pairs |= {name.strip().lstrip("*"): kind for name in names.split(",")}
    return pairs


def translate(kind, words, where):
    """The members of a type in words."""
    text = re.sub(r",? *default=.*$", "", kind)
    members = []
    # Shapes say nothing to a checker; a literal is a literal.
    text = re.sub(r"of shape( |, |or )*(\([^()]*(\([^()]*\)[^()]*)*\)(,? or |, )?)+", " ", text)
    for group in re.findall(r"\{([^{}]*)\}", text):
        if "array-like" not in group:
            members.append(f"Literal[{group}]")
            text = text.replace("{" + group + "}", " ")
    for literal in re.findall(r'"[^"]*"', text):
        members.append(f"Literal[{literal}]")
        text = text.replace(literal, " ")
    at = {}
    for word in sorted(words, key=len, reverse=True):
        pattern = rf"(?<![\w.-]){re.escape(word)}(?![\w-])"
        if match := re.search(pattern, text):
            at[match.start()] = words[word]
            text = re.sub(pattern, lambda found: " " * len(found[0]), text)
    members += [at[place] for place in sorted(at)]
    if left := FILLING.sub("", text):
        raise SystemExit(f"{where}: cannot read {left!r} of the type {kind!r} (.ci/stubs.py)")
    return list(dict.fromkeys(members))


def union(members):
    if "Any" in members:
        return "Any"
    members = list(dict.fromkeys(members))
    options = [one for one in members if one.startswith("Literal")]
    if len(options) > 1:
        listed = ", ".join(one.removeprefix("Literal[").removesuffix("]") for one in options)
        members = [f"Literal[{listed}]", *(one for one in members if one not in options)]
    return " | ".join(sorted(members, key=lambda one: one == "None")) or "Any"


def given(kind, default, where):
    """The annotation of a parameter. What it has as default, it accepts."""
    members = translate(kind, GIVEN, where)
    if default is None:
        members.append("None")
    elif isinstance(default, str) and not {"str", "Any", f'Literal["{default}"]'} & set(members):
        if not any(f'"{default}"' in one for one in members):
            members.append(f'Literal["{default}"]')
    return union(list(dict.fromkeys(members)))


def result(kind, where):
    members = translate(kind, RESULTS, where)
    known = [one for one in members if one != "Any"]
    if not known:
        return "Any"
    if {"None", *known[:1]} == set(members):
        return " | ".join(known)
    return known[0] if len(members) == 1 else f"{known[0]} | Any"


def constraints(cls):
    """What each parameter of a class may be; nothing for a class without a table of its own."""
    if not hasattr(cls, "_constraints"):
        return {}
    return importlib.import_module("litlearn._core.validation").constraints_of(cls)


def declared(constraint, documented, where):
    """The annotation of a parameter with a constraint, if the docstring says the same."""
    said, annotation = members_of(documented), union(constraint.kinds)
    if "str" in said:  # stands for the names of many options
        said |= {one for one in constraint.kinds if one.startswith("Literal")}
        said -= {"str"} - set(constraint.kinds)
    if said != members_of(annotation):
        raise SystemExit(f"{where}: the docstring says {documented}, its constraint {annotation}")
    return annotation


def members_of(annotation):
    """The members of a union, each literal apart."""
    literals = re.findall(r"Literal\[([^]]*)\]", annotation)
    options = [f"Literal[{one}]" for some in literals for one in some.split(", ")]
    others = re.sub(r"Literal\[[^]]*\]( \| )?", "", annotation).split(" | ")
    return {*options, *filter(None, others)}


# Functions and classes


class Writer:
    """The stub of one namespace."""

    def __init__(self, module, names):
        self.module, self.names = module, names
        self.samples = COMMON["X"]  # what the class that is written takes
        self.known = {}  # parameter -> annotation, of what came before: for "see above"
        for name in names:
            value = getattr(module, name)
            if inspect.isclass(value):
                for parameter, kind in documented(value.__doc__, PARAMETERS).items():
                    if kind:
                        self.known.setdefault(parameter, kind)
        for name in names:
            for parameter, kind in documented(getattr(module, name).__doc__, PARAMETERS).items():
                if kind:
                    self.known.setdefault(parameter, kind)

    def parameters(self, function, docs, where, first=None, allowed=()):
        """The parameters of a signature, annotated; `allowed`: the constraints of an estimator."""
        out, star = ([first] if first else []), False
        listed = list(inspect.signature(function).parameters.values())
        for p in listed[1 if first else 0 :]:
            if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                star = star or p.kind is p.VAR_POSITIONAL
                out.append(f"{'*' if p.kind is p.VAR_POSITIONAL else '**'}{p.name}: Any")
                continue
            if p.kind is p.KEYWORD_ONLY and not star:
                out.append("*")
                star = True
            default = None if p.default is p.empty else p.default
            kind = docs.get(p.name) or self.known.get(p.name)
            if kind is None:
                kind = COMMON.get(p.name)
            if kind is None:
                raise SystemExit(f"{where}: the docstring gives no type of {p.name}")
            if p.default is p.empty and "None" not in kind:
                default = ...
            if p.name == "X" and function.__module__ in SHARED:
                kind = self.samples  # whether sparse arrays are taken, the estimator says
            annotation = given(kind, default, f"{where}, {p.name}")
            if p.name in allowed:
                annotation = union(allowed[p.name].kinds)
            text = f"{p.name}: {annotation}"
            if p.default is not p.empty:
                plain = isinstance(p.default, PLAIN) and p.default == p.default
                text += f" = {shown(p.default)}" if plain else " = ..."
            out.append(text)
        return ", ".join(out)

    def returned(self, text, where, cls=None):
        entries = sections(text).get("Returns", [])
        kinds = ["self" if names == "self" else kind or names for names, kind in entries]
        if not kinds:
            return None
        if len(kinds) > 1:
            # A tuple whose length may depend on an argument.
            if re.search(r"\bonly\b|\bOnly\b|With `", text):
                return "Any"
            return f"tuple[{', '.join(result(kind, where) for kind in kinds)}]"
        if "a pair of" in text:
            return "Any"
        return "Self" if cls and kinds[0] == cls.__name__ else result(kinds[0], where)

    def function(self, name, function, indent="", cls=None):
        """The lines of a function or method."""
        where = f"{self.module.__name__}.{f'{cls.__name__}.' if cls else ''}{name}"
        docs = documented(function.__doc__, PARAMETERS)
        back = self.returned(function.__doc__, where, cls) or DEFAULTS.get(name, "None")
        arguments = self.parameters(function, docs, where, "self" if cls else None)
        return [f"{indent}def {name}({arguments}) -> {back}: ..."]

    def cls(self, name, cls):
        where = f"{self.module.__name__}.{name}"
        if issubclass(cls, BaseException):
            bases = [one.__name__ for one in cls.__bases__ if not one.__name__.startswith("_")]
            held = documented(cls.__doc__, PARAMETERS).items()  # a warning keeps what it says
            lines = [f"    {one}: {result(kind, f'{where}.{one}')}" for one, kind in held]
            head = f"class {name}({', '.join(bases)}):"
            return [head, *lines] if lines else [f"{head} ..."]
        if name == "BayesError":
            fields = [f"    {field}: float" for field in cls._fields]
            return [f"class {name}(NamedTuple):", *fields]
        base = importlib.import_module("litlearn._core.base")
        own_bases = [getattr(base, one) for one in base.__all__ if one != "NotFittedError"]
        if self.module is base:
            bases = [one.__name__ for one in cls.__bases__ if one in own_bases]
        elif issubclass(cls, dict):
            bases = [
                *(one.__name__ for one in cls.__bases__ if one.__name__ in self.names),
            ] or ["dict[str, Any]"]
        else:
            found = [one for one in cls.__mro__ if one in own_bases]
            bases = [
                one.__name__
                for one in found
                if not any(issubclass(other, one) and other is not one for other in found)
            ]
        inherits = f"({', '.join(bases)})" if bases else ""
        lines = [f"class {name}{inherits}:"]
        lines += [f"    {line}" for line in self.members(cls, where)]
        return lines if len(lines) > 1 else [f"{lines[0]} ..."]

    def members(self, cls, where):
        fitted = documented(getattr(cls, "fit", cls).__doc__, PARAMETERS).get("X")
        sparse = re.search("sparse|CS[CR]", fitted or "sparse")
        self.samples = COMMON["X"] if sparse else "array-like"
        docs = documented(cls.__doc__, PARAMETERS)
        attributes = documented(cls.__doc__, "Attributes")
        is_base = self.module.__name__ == "litlearn._core.base"
        has_init = inspect.isfunction(cls.__init__) and not is_base
        if has_init and not docs:  # made by a function: what it holds can be read
            for name in list(inspect.signature(cls.__init__).parameters)[1:]:
                if name not in attributes:
                    yield f"{name}: Any"
            has_init = False
        if has_init:
            allowed = constraints(cls)
            arguments = self.parameters(cls.__init__, docs, where, "self", allowed)
            for p in list(inspect.signature(cls.__init__).parameters.values())[1:]:
                # Every parameter of an estimator can be read and set under its own name.
                if hasattr(cls, "get_params") and p.name not in attributes and docs.get(p.name):
                    default = ... if p.default is p.empty else p.default
                    annotation = given(docs[p.name], default, where)
                    if p.name in allowed:
                        annotation = declared(allowed[p.name], annotation, f"{where}.{p.name}")
                    yield f"{p.name}: {annotation}"
        for name, kind in attributes.items():
            yield f"{name}: {result(kind or 'estimator', f'{where}.{name}')}"
        if has_init:
            yield f"def __init__({arguments}) -> None: ..."
        if issubclass(cls, dict) and "__getattr__" in vars(cls):
            yield "def __getattr__(self, name: str) -> Any: ..."
        for name in sorted(dir(cls)):
            value = inspect.getattr_static(cls, name)
            owner = next((one for one in cls.__mro__ if name in vars(one)), None)
            if name.startswith("_") or name in attributes:
                continue
            if not owner.__module__.startswith("litlearn"):
                continue
            # The mixins are marks: what they give stands in each class, with its own types.
            root = importlib.import_module("litlearn._core.base").BaseEstimator
            if cls is not root and (is_base or owner is root):
                continue
            yield from self.member(cls, name, value, where)

    def member(self, cls, name, value, where):
        if isinstance(value, staticmethod):
            lines = self.function(name, value.__func__)
            yield from ["@staticmethod", *lines]
        elif inspect.isfunction(value):
            yield from self.function(name, value, cls=cls)
        elif isinstance(value, property):
            method = getattr(cls, f"_{name}", None)
            if inspect.isfunction(method):  # a method that is only sometimes there
                yield f"def {name}(self, X: Array | Sparse) -> NDArray[Any]: ..."
            else:
                yield from ["@property", f"def {name}(self) -> Any: ..."]
        elif hasattr(value, "keys") and hasattr(value, "method"):  # set_fit_request and the like
            keys = ", ".join(f"{key}: bool | str | None = ..." for key in value.keys)
            yield f"def {name}(self, *, {keys}) -> Self: ..."


# Where methods of many estimators are written, of which some take sparse arrays.
SHARED = ("litlearn._core.base", "litlearn._core.linear")
# Parameters of methods whose docstring is one sentence, and what those return.
COMMON = {
    "X": "array-like or sparse matrix",
    "y": "array-like",
    "input_features": "sequence of str",
    "features": "list of str",
    "n_classes": "int",
}
DEFAULTS = {
    "get_depth": "int",
    "get_n_leaves": "int",
    "get_metadata_routing": "Any",
    "predict_log_proba": "NDArray[Any] | Any",
    "get_feature_names_out": "NDArray[Any]",
    "get_covariance": "NDArray[Any]",
    "get_precision": "NDArray[Any]",
}


def shown(value):
    return f'"{value}"' if isinstance(value, str) and '"' not in value else repr(value)


def imports(body, own):
    """The lines that import what the body names."""

    def used(names):
        return [one for one in names if one not in own and re.search(rf"\b{one}\b", body)]

    lines = []
    if names := used(["Callable", "Mapping", "Sequence"]):
        lines.append(f"from collections.abc import {', '.join(names)}")
    if names := used(["Any", "Literal", "NamedTuple", "Self"]):
        lines.append(f"from typing import {', '.join(names)}")
    third = []
    if used([r"np\.random"]):
        third.append("import numpy as np")
    if used(["Axes"]):
        third.append("from matplotlib.axes import Axes")
    if used(["Figure"]):
        third.append("from matplotlib.figure import Figure")
    if used(["NDArray"]):
        third.append("from numpy.typing import NDArray")
    bases = [
        "BaseEstimator", "ClassifierMixin", "ClusterMixin", "DensityMixin", "MultiOutputMixin",
        "NumberedColumnsMixin", "RegressorMixin", "TransformerMixin",
    ]  # fmt: skip
    ours = []
    if names := used(bases):
        ours.append(f"from litlearn._core.base import {', '.join(names)}")
    if names := used(["Array", "Bool", "Float", "Int", "Sparse"]):
        ours.append(f"from litlearn._core.types import {', '.join(names)}")
    return "\n\n".join("\n".join(group) for group in (lines, third, ours) if group) + "\n\n"


def stub(module):
    """The text of the stub of a namespace."""
    names = [name for name in module.__all__ if name != "NotFittedError" or "exc" in str(module)]
    writer = Writer(module, [n for n in names if callable(getattr(module, n))])
    lines = []
    for name in names:
        value = getattr(module, name)
        if inspect.isclass(value):
            lines += writer.cls(name, value)
        elif callable(value):
            lines += writer.function(name, value)
        else:
            lines.append(f"{name}: {type(value).__name__}{GENERIC.get(type(value).__name__, '')}")
    body = "\n".join(lines) + "\n"
    listed = "".join(f"    {shown(name)},\n" for name in names)
    return f"{HEAD}{imports(body, names)}__all__ = [\n{listed}]\n\n{body}"


GENERIC = {"dict": "[str, Any]", "tuple": "[Any, ...]", "list": "[Any]"}


def package_stub():
    package = importlib.import_module("litlearn")
    spaces = "".join(f"from litlearn import {name} as {name}\n" for name in package._NAMESPACES)
    functions = []
    for name in package._FUNCTIONS:
        function = getattr(package, name)
        module = importlib.import_module(function.__module__)
        functions += Writer(module, []).function(name, function)
    body = "\n".join(functions) + "\n"
    return f"{HEAD}{imports(body, [])}{spaces}\n__version__: str\n\n{body}"


def stubs():
    """Path -> text of every stub."""
    found = {PACKAGE / "__init__.pyi": package_stub()}
    for module in [importlib.import_module("litlearn._core.base"), *public_namespaces()]:
        found[Path(module.__file__).with_suffix(".pyi")] = stub(module)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args()
    stale = []
    for path, text in formatted(stubs()).items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.relative_to(ROOT).as_posix())
            if not options.check:
                path.write_text(text, encoding="utf-8")
    print("\n".join(stale) or "all stubs are up to date")
    return int(options.check and bool(stale))


def formatted(texts):
    """The same texts in the form that `ruff format` gives them."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {path: Path(folder) / f"{i}.pyi" for i, path in enumerate(texts)}
        for path, text in texts.items():
            paths[path].write_text(text, encoding="utf-8")
        for command in (["check", "--fix", "--select", "I,F401,RUF022"], ["format"]):
            tool = [sys.executable, "-m", "ruff", *command, "--quiet", "--no-cache"]
            config = ["--config", str(ROOT / "pyproject.toml")]
            subprocess.run([*tool, *config, folder], check=True)
        return {path: copy.read_text(encoding="utf-8") for path, copy in paths.items()}


if __name__ == "__main__":
    sys.exit(main())
