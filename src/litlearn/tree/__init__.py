"""Decision trees: classification and regression.

The names, parameters, attributes and defaults are scikit-learn's.
"""

from litlearn._core.guide import guide
from litlearn.tree._classes import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)
from litlearn.tree._export import export_graphviz, export_text

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "export_graphviz",
    "export_text",
]

__getattr__ = guide(__name__)
