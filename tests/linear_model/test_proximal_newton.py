"""Logistic regression with an l1 or elastic-net penalty: certificates, equality, hard inputs."""

import numpy as np
import pytest

from litlearn.linear_model import _proximal_newton as pn

rng_of = np.random.default_rng


def problem(n, p, seed=0, informative=3):
    """Samples, classes +1 and -1, and weights."""
    rng = rng_of(seed)
    X = rng.standard_normal((n, p))
    w = np.zeros(p)
    w[:informative] = rng.uniform(0.5, 2, min(informative, p))
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-X @ w)), 1.0, -1.0)
    y[:2] = 1, -1
    return X, y, rng.uniform(0.5, 2, n)


def objective(X, y, s, w, b, alpha_l1, alpha_l2):
    """eq-logistic-penalized for the mean loss, in plain NumPy."""
    losses = np.logaddexp(0, -y * (X @ w + b))
    return s @ losses / s.sum() + alpha_l1 * np.abs(w).sum() + alpha_l2 / 2 * (w @ w)


def smallest_subgradient(X, y, s, w, b, alpha_l1, alpha_l2):
    """eq-logistic-optimality, coordinate by coordinate: zero at the solution; intercept last."""
    residual = -s / s.sum() * y / (1 + np.exp(y * (X @ w + b)))
    smooth = X.T @ residual + alpha_l2 * w
    inside = np.maximum(np.abs(smooth) - alpha_l1, 0)
    return np.append(
        np.where(w == 0, inside, np.abs(smooth + alpha_l1 * np.sign(w))), abs(residual.sum())
    )


PENALTIES = [(0.02, 0.0), (0.02, 0.05), (0.001, 0.1), (0.0005, 0.0)]


@pytest.mark.nojit
@pytest.mark.parametrize("alpha_l1, alpha_l2", PENALTIES)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("order", ["C", "F"])
def test_optimality(order, fit_intercept, alpha_l1, alpha_l2):
    X, y, s = problem(60, 12)
    X = np.asarray(X + 0.3, order=order)
    w, b, n_iter, gap, converged = pn.fit_binary(
        X, y, s, alpha_l1, alpha_l2, fit_intercept, 1e-8, 100
    )
    assert converged and 0 < n_iter < 20
    kkt = smallest_subgradient(X, y, s, w, b, alpha_l1, alpha_l2)
    assert kkt[:-1].max() < 1e-8
    assert kkt[-1] < 1e-12 if fit_intercept else b == 0
    assert -1e-14 < gap <= 1e-10 * objective(X, y, s, w, b, alpha_l1, alpha_l2)
