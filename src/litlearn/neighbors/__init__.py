"""Nearest neighbours: search, classification, regression, densities, graphs.

The names, parameters, attributes and defaults are scikit-learn's.
"""

from litlearn._core.guide import guide
from litlearn.neighbors._centroid import NearestCentroid
from litlearn.neighbors._classification import KNeighborsClassifier, RadiusNeighborsClassifier
from litlearn.neighbors._density import KernelDensity
from litlearn.neighbors._graph import (
    KNeighborsTransformer,
    RadiusNeighborsTransformer,
    kneighbors_graph,
    radius_neighbors_graph,
)
from litlearn.neighbors._precomputed import sort_graph_by_row_values
from litlearn.neighbors._regression import KNeighborsRegressor, RadiusNeighborsRegressor
from litlearn.neighbors._search import METRICS as VALID_METRICS
from litlearn.neighbors._search import SPARSE_METRICS as VALID_METRICS_SPARSE
from litlearn.neighbors._tree_classes import BallTree, KDTree
from litlearn.neighbors._unsupervised import NearestNeighbors

__all__ = [
    "VALID_METRICS",
    "VALID_METRICS_SPARSE",
    "BallTree",
    "KDTree",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KNeighborsTransformer",
    "KernelDensity",
    "NearestCentroid",
    "NearestNeighbors",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "RadiusNeighborsTransformer",
    "kneighbors_graph",
    "radius_neighbors_graph",
    "sort_graph_by_row_values",
]

__getattr__ = guide(__name__)
