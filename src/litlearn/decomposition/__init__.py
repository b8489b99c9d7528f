"""Reduction of the dimension: principal components, in blocks and by kernels, and truncated SVD.

The names, parameters, attributes and defaults are scikit-learn's. Each class is loaded when it is
first used.
"""

from litlearn._core.guide import guide

# The file of each class.
_HOMES = {
    "IncrementalPCA": "_incremental_pca",
    "KernelPCA": "_kernel_pca",
    "PCA": "_pca",
    "TruncatedSVD": "_truncated_svd",
}

__all__ = [*_HOMES]
__getattr__ = guide(__name__, _HOMES)


def __dir__():
    return sorted({*globals(), *__all__})
