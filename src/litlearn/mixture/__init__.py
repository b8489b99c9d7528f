"""Gaussian mixtures: densities that are sums of normal ones.

The names, parameters, attributes and defaults are scikit-learn's.
"""

from litlearn._core.guide import guide
from litlearn.mixture._gaussian import GaussianMixture

__all__ = ["GaussianMixture"]

__getattr__ = guide(__name__)
