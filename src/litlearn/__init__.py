"""Classic machine learning, compiled with Numba and explained in an executable textbook."""

__version__ = "0.1.0"
