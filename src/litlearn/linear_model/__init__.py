"""Linear models: least squares, penalised least squares, logistic regression.

The names, parameters, attributes and defaults are scikit-learn's.
"""

from litlearn.linear_model._lasso import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    enet_path,
    lasso_path,
)
from litlearn.linear_model._linear_regression import LinearRegression
from litlearn.linear_model._logistic import LogisticRegression
from litlearn.linear_model._ridge import Ridge, RidgeClassifier
from litlearn.linear_model._ridge_cv import RidgeCV

__all__ = [
    "ElasticNet",
    "ElasticNetCV",
    "Lasso",
    "LassoCV",
    "LinearRegression",
    "LogisticRegression",
    "Ridge",
    "RidgeCV",
    "RidgeClassifier",
    "enet_path",
    "lasso_path",
]
