"""Clustering: k-means, its seeds, and its version for small batches.

The names, parameters, attributes and defaults are scikit-learn's.
"""

from litlearn._core.guide import guide
from litlearn.cluster._kmeans import KMeans, k_means
from litlearn.cluster._minibatch import MiniBatchKMeans
from litlearn.cluster._seeding import kmeans_plusplus

__all__ = ["KMeans", "MiniBatchKMeans", "k_means", "kmeans_plusplus"]

__getattr__ = guide(__name__)
