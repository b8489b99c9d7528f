"""litlearn's classes under scikit-learn's names, for ``python -m litlearn``.

A namespace such as ``sklearn.svm`` hands out litlearn's class to whoever asks for one that is here,
but to scikit-learn itself: its boosting needs its own trees, and its searches ask its own classes.
So nothing in it is overwritten. The class of the module is exchanged for one that looks who asks.
"""

import functools
import importlib
import importlib.abc
import importlib.machinery
import sys
from types import ModuleType

# The namespaces whose names mean the same there and here.
NAMESPACES = (
    "cluster",
    "decomposition",
    "discriminant_analysis",
    "ensemble",
    "kernel_approximation",
    "kernel_ridge",
    "linear_model",
    "mixture",
    "multiclass",
    "naive_bayes",
    "neighbors",
    "svm",
    "tree",
)
# Who gets scikit-learn's own: itself, litlearn (``to_sklearn()`` asks for it), and what looks into
# modules without using what is there.
OUTSIDE = ("sklearn", "litlearn", "importlib", "inspect")


class Record:
    """Which of scikit-learn's names were asked for, and what was handed out.

    Parameters
    ----------
    keep : sequence of str
        Names to leave with scikit-learn, such as ``"SVC"`` or ``"linear_model.Ridge"``.

    Raises
    ------
    ValueError
        If one of them is not replaced anyway.
    """

    def __init__(self, keep=()):
        self.kept, self.replaced, self.absent = set(), set(), set()
        for name in keep:
            full = name.removeprefix("sklearn.")
            found = [
                (space, one)
                for space in NAMESPACES
                for one in shared(space)
                if full in (one, f"{space}.{one}")
            ]
            if not found:
                raise ValueError(f"keep: {name!r} is no name that litlearn would replace.")
            self.kept.update(found)

    def give(self, space, name, theirs):
        """Return what a name stands for, and note it."""
        if (space, name) in self.kept:
            return theirs
        if name in shared(space):
            self.replaced.add((space, name))
            return getattr(importlib.import_module(f"litlearn.{space}"), name)
        if (space, name) == ("tree", "plot_tree"):
            return of_their_kind(theirs)
        if isinstance(theirs, type) and theirs.__module__.startswith("sklearn."):
            self.absent.add((space, name))
        return theirs

    def told(self):
        """Return what was replaced, and what was not and why, as lines of text."""
        lines = ["litlearn: " + _listed("replaced", self.replaced)]
        if self.absent:
            lines.append("litlearn: " + _listed("not here, so scikit-learn's", self.absent))
        if self.kept:
            lines.append("litlearn: " + _listed("kept on request", self.kept))
        return "\n".join(lines)


def _listed(what, names):
    """Return a line of names, by namespace."""
    if not names:
        return f"{what}: nothing"
    spaces = sorted({space for space, _ in names})
    texts = (f"{s}: {', '.join(sorted(n for space, n in names if space == s))}" for s in spaces)
    return f"{what}: {'; '.join(texts)}"


@functools.cache
def of_their_kind(function):
    """Return a function of scikit-learn's that refuses all trees but its own, for ours too."""

    @functools.wraps(function)
    def called(decision_tree, *args, **kwargs):
        if type(decision_tree).__module__.startswith("litlearn."):
            decision_tree = decision_tree.to_sklearn()
        return function(decision_tree, *args, **kwargs)

    return called


@functools.cache
def shared(space):
    """Return the names of the classes and functions of a namespace of ours, which is imported."""
    ours = importlib.import_module(f"litlearn.{space}")
    return frozenset(name for name in ours.__all__ if callable(getattr(ours, name)))


class Finder(importlib.abc.MetaPathFinder):
    """Finds the namespaces of scikit-learn as Python does, and lets them look who asks."""

    def __init__(self, record):
        self.record = record

    def find_spec(self, fullname, path=None, target=None):
        """Return the specification of a namespace that is replaced, or None."""
        package, _, space = fullname.rpartition(".")
        if package != "sklearn" or space not in NAMESPACES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                watch(module, space, self.record)

            spec.loader.exec_module = exec_module
        return spec


def watch(module, space, record):
    """Let a namespace of scikit-learn hand out litlearn's names."""
    theirs = frozenset(getattr(module, "__all__", ()))

    class Watched(ModuleType):
        """A module that looks who asks."""

        def __getattribute__(self, name):
            value = ModuleType.__getattribute__(self, name)
            if name not in theirs:
                return value
            asker = sys._getframe(1).f_globals.get("__name__", "")
            own = asker.partition(".")[0] in OUTSIDE
            return value if own else record.give(space, name, value)

    module.__class__ = Watched


def install(keep=()):
    """Hand out litlearn's classes under scikit-learn's names from now on; return the record."""
    record = Record(keep)
    for space in NAMESPACES:
        if (module := sys.modules.get(f"sklearn.{space}")) is not None:
            watch(module, space, record)
    sys.meta_path.insert(0, Finder(record))
    return record
