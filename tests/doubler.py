"""A small estimator, and another process."""

import subprocess
import sys

import numpy as np

from litlearn._core.base import (
    BaseEstimator,
    RegressorMixin,
)


class Constant(RegressorMixin, BaseEstimator):
    """Predicts what it was told to."""

    def __init__(self, value=0.0, *, inner=None, table=None):
        self.value = value
        self.inner = inner
        self.table = table

    def fit(self, X, y, sample_weight=None):
        self.seen_ = len(X)
        self.weights_ = sample_weight
        return self

    def predict(self, X):
        return np.broadcast_to(self.value, (len(X), *np.shape(self.value)[1:])).copy()


def run(code, *args):
    """Run Python code in a new process; return what it prints."""
    command = [sys.executable, "-W", "error", "-c", code, *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout
