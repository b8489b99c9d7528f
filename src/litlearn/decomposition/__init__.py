"""Reduction of the dimension: principal components, in blocks and by kernels, and truncated SVD.

The names, parameters, attributes and defaults are scikit-learn's. Each class is loaded when it is
first used.
"""

import importlib

# The file of each class.
_HOMES = {
    "IncrementalPCA": "_incremental_pca",
    "KernelPCA": "_kernel_pca",
    "PCA": "_pca",
    "TruncatedSVD": "_truncated_svd",
}

__all__ = [*_HOMES]


def __getattr__(name):
    """Import a class on first use (PEP 562)."""
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
