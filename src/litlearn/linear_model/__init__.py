"""Linear models: least squares, penalised least squares, logistic regression.

The names, parameters, attributes and defaults are scikit-learn's.
"""

__all__ = []
