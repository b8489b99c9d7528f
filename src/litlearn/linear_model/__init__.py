"""Linear models: least squares, penalised least squares, logistic regression.

The names, parameters, attributes and defaults are scikit-learn's.
"""

from litlearn._core.guide import guide
from litlearn.linear_model._lasso import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    MultiTaskElasticNet,
    MultiTaskLasso,
    enet_path,
    lasso_path,
)
from litlearn.linear_model._linear_regression import LinearRegression
from litlearn.linear_model._logistic import LogisticRegression, LogisticRegressionCV
from litlearn.linear_model._ridge import Ridge, RidgeClassifier, RidgeClassifierCV, RidgeCV
from litlearn.linear_model._sgd import SGDClassifier, SGDRegressor

__all__ = [
    "ElasticNet",
    "ElasticNetCV",
    "Lasso",
    "LassoCV",
    "LinearRegression",
    "LogisticRegression",
    "LogisticRegressionCV",
    "MultiTaskElasticNet",
    "MultiTaskLasso",
    "Ridge",
    "RidgeCV",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "SGDClassifier",
    "SGDRegressor",
    "enet_path",
    "lasso_path",
]

__getattr__ = guide(__name__)
