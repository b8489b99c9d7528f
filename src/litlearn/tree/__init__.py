"""Decision trees: classification and regression.

The names, parameters, attributes and defaults are scikit-learn's.
"""
