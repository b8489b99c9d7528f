"""Newton's method in the primal, and its line search."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse

from litlearn.svm import (
    _primal_newton,
)
from litlearn.svm._primal_newton import SquaredLoss, solve_primal
from problems import labelled


@pytest.mark.nojit
@pytest.mark.parametrize("epsilon", [None, 0.3])
@pytest.mark.parametrize("sparse", [False, True])
def test_newton_finds_the_minimum(epsilon, sparse, monkeypatch):
    monkeypatch.setattr(_primal_newton, "BLOCK_ENTRIES", 64)
    X, y = labelled(150, 3)
    target = 2.0 * y - 1.0 if epsilon is None else X[:, 0] ** 2
    C = np.random.default_rng(0).uniform(0.0, 5.0, 150) * (np.arange(150) % 5 > 0)
    loss = SquaredLoss(scipy.sparse.csr_array(X) if sparse else X, 0.5, target, C, epsilon)
    w, beta, violation, n_iter, converged = solve_primal(loss, 1e-9, 50)
    assert converged and violation < 1e-9 and 0 < n_iter < 20

    def value(v):
        return 0.5 * v @ v + loss.answer(loss.outputs(v)).price

    rng = np.random.default_rng(1)
    for scale in (1e-3, 1e-1):
        for _ in range(20):
            assert value(w + scale * rng.normal(size=4)) > value(w)
    # What it returns are the coefficients of the dual.
    np.testing.assert_allclose(X.T @ beta, w[:3], atol=1e-8)
    # Out of steps, it says by how much the samples violate their conditions, not a bound of it.
    w, beta, violation, few, converged = solve_primal(loss, 1e-9, 1)
    assert few == 1 and not converged
    A = np.column_stack([X, np.full(150, 0.5)])
    off = np.abs(A @ (w - A.T @ beta))
    assert violation == pytest.approx(off[C > 0.0].max(), rel=1e-6)
    # Where rounding leaves nothing to gain it stops.
    *_, n_iter, converged = solve_primal(loss, 1e-300, 1000)
    assert n_iter < 100 and not converged


@pytest.mark.nojit
@pytest.mark.parametrize("epsilon", [None, 0.3])
@pytest.mark.parametrize("length", [0.02, 1.0, 50.0])
def test_the_lowest_point_of_a_line(length, epsilon):
    """From any place, for steps of any length, after a few looks: the slope changes its sign."""
    X, y = labelled(80, 3)
    X, rng = 10.0 * X, np.random.default_rng(2)
    target = 2.0 * y - 1.0 if epsilon is None else X[:, 0]
    loss = SquaredLoss(X, 1.0, target, rng.uniform(0.1, 2.0, 80), epsilon)
    best = solve_primal(loss, 1e-9, 50)[0]
    for _ in range(5):
        w = best + rng.normal(size=4)
        step = length * (best + 0.1 * rng.normal(size=4) - w)
        f, rates = loss.outputs(w), loss.outputs(step)
        looks, misses = [], loss.misses
        loss.misses = lambda f, misses=misses, looks=looks: looks.append(1) or misses(f)
        t = loss.line_minimum(w, step, f, rates)
        loss.misses = misses
        assert len(looks) <= 6

        def slope(t, w=w, step=step, f=f, rates=rates):
            return (w + t * step) @ step - 2.0 * (loss.C * loss.misses(f + t * rates)) @ rates

        assert slope(0.995 * t) < 0.0 < slope(1.005 * t)
