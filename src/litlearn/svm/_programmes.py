"""The four problems of support vector machines, as one quadratic programme.

With one coefficient beta for each variable, and the sample that belongs to it, all of them are

    minimise  beta'K beta / 2 + l'beta   with  lower <= beta <= upper,

where the sum of beta over each *group* of variables is fixed. Classification has one variable for
each sample, beta = y alpha. Regression has two: one that pulls the function up to the target, and
one that pulls it down.

At the minimum each group has a *multiplier* rho: the gradient of a variable between its bounds is
rho, that of one at its lower bound is not smaller, that of one at its upper bound not larger.
"""

from typing import NamedTuple

import numpy as np


class Programme(NamedTuple):
    """One quadratic programme over m variables of n samples; all arrays float64 or intp."""

    linear: np.ndarray  # (m,): l
    lower: np.ndarray  # (m,)
    upper: np.ndarray  # (m,)
    start: np.ndarray  # (m,): a feasible beta, which says what the sums of the groups are
    sample: np.ndarray  # (m,): the sample of each variable
    group: np.ndarray  # (m,): 0 or 1
    n_groups: int


def c_classification(y, C):
    """C-SVC, :eq:`eq-svm-dual`; y (n,) is +1 or -1, C (n,) the bound of each sample."""
    n = len(y)
    lower, upper = np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0)
    one = np.zeros(n, dtype=np.intp)
    return Programme(-y, lower, upper, np.zeros(n), np.arange(n), one, 1)


def nu_classification(y, weight, nu):
    """nu-SVC; y (n,) is +1 or -1, weight (n,) the bound of each sample; beta is scaled later."""
    n, half = len(y), 0.5 * nu * weight.sum()
    start = fill(np.where(y > 0, weight, 0.0), half) - fill(np.where(y < 0, weight, 0.0), half)
    lower, upper = np.where(y > 0, 0.0, -weight), np.where(y > 0, weight, 0.0)
    group = (y < 0).astype(np.intp)
    return Programme(np.zeros(n), lower, upper, start, np.arange(n), group, 2)


def epsilon_regression(y, C, epsilon):
    """epsilon-SVR, :eq:`eq-svr-dual`; y (n,) targets, C (n,) the bound of each sample."""
    n, nothing = len(y), np.zeros(len(y))
    linear = np.concatenate([epsilon - y, -epsilon - y])
    lower, upper = np.concatenate([nothing, -C]), np.concatenate([C, nothing])
    one = np.zeros(2 * n, dtype=np.intp)
    return Programme(linear, lower, upper, np.zeros(2 * n), np.tile(np.arange(n), 2), one, 1)


def nu_regression(y, C, nu):
    """nu-SVR: as epsilon-SVR, but epsilon is the multiplier of a bound on the sum of |beta|."""
    n, nothing = len(y), np.zeros(len(y))
    half = fill(C, 0.5 * nu * C.sum())
    lower, upper = np.concatenate([nothing, -C]), np.concatenate([C, nothing])
    start, group = np.concatenate([half, -half]), np.repeat(np.arange(2), n)
    return Programme(np.tile(-y, 2), lower, upper, start, np.tile(np.arange(n), 2), group, 2)


def fill(bounds, total):
    """Numbers from 0 to their bounds that sum to `total`: the first ones as large as can be."""
    before = np.cumsum(bounds) - bounds
    return np.clip(total - before, 0.0, bounds)
