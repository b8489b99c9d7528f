"""Quadratic programmes of support vector machines, and their slow twin."""

import numpy as np

import reference
from litlearn.kernels import _functions as kernels
from litlearn.svm._gram import ComputedGram
from litlearn.svm._programmes import (
    c_classification,
    epsilon_regression,
    nu_classification,
    nu_regression,
)

MEMORY = 1e8


def make(n=30, p=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y, rng.uniform(0.5, 2.0, n)


def computed(X, name="rbf", gamma=0.5, **parameters):
    return ComputedGram(kernels.make_kernel(name, X, gamma=gamma, **parameters), X)


def programmes(y, weight):
    target = y + np.linspace(-0.3, 0.3, len(y))
    return {
        "c": c_classification(y, weight),
        "nu": nu_classification(y, weight, 0.3),
        "epsilon": epsilon_regression(target, weight, 0.1),
        "nu regression": nu_regression(target, weight, 0.4),
    }


def objective(K, programme, beta):
    by_sample = np.bincount(programme.sample, weights=beta, minlength=len(K))
    return 0.5 * by_sample @ K @ by_sample + programme.linear @ beta


def twin(K, programme, tol):
    s = programme.sample
    return reference.minimise_pairs(
        K[np.ix_(s, s)],
        programme.linear,
        programme.lower,
        programme.upper,
        programme.start,
        programme.group,
        tol,
    )
