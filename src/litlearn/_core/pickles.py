"""Pickles, and what is read of those that another version of litlearn wrote.

The pickle of an estimator begins with the version that wrote it: :func:`begin` refuses it before
anything of its state is made, or warns. In pickles of 0.1.0 the version stands within the state,
beside objects whose classes no longer exist; :func:`gone` has something to put in their place.
"""

import copyreg
import importlib
import inspect
from pickle import UnpicklingError

import litlearn
from litlearn._core import validation
from litlearn.exceptions import InconsistentVersionWarning, NotFittedError

VERSION = "_litlearn_version"  # in a state
WRITER = "_pickled_by"  # of an estimator that another version wrote, until it is fitted here


def reduced(estimator, how):
    """Return what to pickle; `how` is Python's own way."""
    if how[0] is not copyreg.__newobj__:  # the class has another one, or the protocol is an old one
        return how
    return begin, (*place_of_class(type(estimator)), litlearn.__version__), *how[2:]


def place_of_class(cls):
    """Return where a later version finds a class: its namespace, and its name or itself."""
    space = cls.__module__.split(".")[1] if cls.__module__.startswith("litlearn.") else ""
    public = space in litlearn._NAMESPACES and hasattr(getattr(litlearn, space), cls.__name__)
    if public and getattr(getattr(litlearn, space), cls.__name__) is cls:
        return space, cls.__name__
    return "", cls


def begin(space, kind, version):
    """Return an estimator without a state, if this version can read what that one wrote."""
    name = kind if isinstance(kind, str) else kind.__name__
    if series(version) > series(litlearn.__version__):
        raise UnpicklingError(
            f"{name} was pickled by litlearn {version}, and this is litlearn "
            f"{litlearn.__version__}, which cannot read it: use litlearn {version}, or fit the "
            "estimator again."
        )
    if isinstance(kind, str):
        kind = getattr(importlib.import_module(f"litlearn.{space}"), kind)
    made = kind.__new__(kind)
    note(made, version)
    return made


def series(version):
    """Return the first number of a version, within which pickles of later ones may be read."""
    first = version.partition(".")[0]
    return int(first) if first.isdigit() else 0


def note(owner, version):
    """Warn once if another version wrote an object, and remember which."""
    if version == litlearn.__version__ or WRITER in vars(owner):
        return
    vars(owner)[WRITER] = version
    name = type(owner).__name__
    validation.warn(InconsistentVersionWarning(name, version, litlearn.__version__))


def restore(owner, state):
    """Fill an object with its state."""
    vars(owner).update({name: value for name, value in state.items() if name != VERSION})
    note(owner, state.get(VERSION, "unknown"))
    if WRITER in vars(owner) and hasattr(owner, "_get_defaults"):
        for name, value in owner._get_defaults().items():
            # A parameter that did not exist was as its default is.
            if value is not inspect.Parameter.empty:
                vars(owner).setdefault(name, value)


def explained(owner, error):
    """Return the error to raise where a fitted estimator lacks something."""
    version = getattr(owner, "__dict__", {}).get(WRITER)
    if version is None or isinstance(error, NotFittedError):
        return error
    return AttributeError(
        f"{type(owner).__name__} was pickled by litlearn {version}, and litlearn "
        f"{litlearn.__version__} does not find in it what it needs ({error}): fit it again, or use "
        f"it with litlearn {version}."
    )


class Gone(tuple):
    """Stands for an object in a pickle whose class no longer exists."""

    def __new__(cls, *fields):
        return super().__new__(cls, fields)


def gone(module, *names):
    """Return the ``__getattr__`` of a module that had classes of these names."""

    def __getattr__(name):
        if name in names:
            return Gone
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return __getattr__
