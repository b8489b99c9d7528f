"""Nearest neighbours: search, classification, regression.

The names, parameters, attributes and defaults are scikit-learn's.
"""

from litlearn.neighbors._classification import KNeighborsClassifier, RadiusNeighborsClassifier
from litlearn.neighbors._graph import kneighbors_graph, radius_neighbors_graph
from litlearn.neighbors._regression import KNeighborsRegressor, RadiusNeighborsRegressor
from litlearn.neighbors._search import METRICS as VALID_METRICS
from litlearn.neighbors._tree_classes import BallTree, KDTree
from litlearn.neighbors._unsupervised import NearestNeighbors

__all__ = [
    "VALID_METRICS",
    "BallTree",
    "KDTree",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "NearestNeighbors",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "kneighbors_graph",
    "radius_neighbors_graph",
]
