"""Classic machine learning, compiled with Numba and explained in an executable textbook.

The namespaces are scikit-learn's. Each is imported when it is first used, so ``import litlearn``
compiles nothing and takes a few milliseconds.
"""

import importlib
import sys

__version__ = "1.0.0"

# The public namespaces, and nothing else: a name that is not here does not exist yet. Each ends
# with ``__getattr__ = guide(__name__)``.
_NAMESPACES = (
    "claims",
    "cluster",
    "conformal",
    "datasets",
    "decomposition",
    "discriminant_analysis",
    "ensemble",
    "exceptions",
    "inference",
    "kernel_approximation",
    "kernel_ridge",
    "kernels",
    "linear_model",
    "listing",
    "mixture",
    "multiclass",
    "naive_bayes",
    "neighbors",
    "plotting",
    "svm",
    "tree",
)

# Functions of the package itself, and the files in which they stand.
_FUNCTIONS = {"on": "_core.client", "show_versions": "_core.versions", "warm_up": "_warm_up"}

__all__ = [*_NAMESPACES, "__version__", *_FUNCTIONS]


def __getattr__(name):
    """Import a namespace or a function on first use (PEP 562)."""
    if name in _NAMESPACES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _FUNCTIONS:
        return getattr(importlib.import_module(f"{__name__}.{_FUNCTIONS[name]}"), name)
    guide = importlib.import_module(f"{__name__}._core.guide")
    raise guide.absent(__name__, name, sys._getframe(1))


def __dir__():
    return sorted({*globals(), *__all__})
