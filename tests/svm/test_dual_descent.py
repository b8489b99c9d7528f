"""Coordinate descent in the dual: minima, violations, and the pieces of a step."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from litlearn.svm import (
    _dual_descent,
)
from litlearn.svm._dual_descent import DualProblem, make_rows, solve_dual
from problems import labelled


def dual_objective(A, problem, beta):
    w = A.T @ beta
    return (
        0.5 * w @ w
        + 0.5 * problem.diagonal @ beta**2
        - problem.y @ beta
        + problem.epsilon * np.abs(beta).sum()
    )


@pytest.mark.nojit
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")  # of whole numbers, as plain Python
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("kind", ["hinge", "squared", "tube"])
def test_dual_descent_finds_the_minimum(sparse, kind):
    X, y = labelled(15, 3)
    sign, C = 2.0 * y - 1.0, np.random.default_rng(0).uniform(0.2, 1.0, 15)
    top = np.full(15, 50.0) if kind == "squared" else C
    lower, upper = np.where(sign < 0, -top, 0.0), np.where(sign > 0, top, 0.0)
    diagonal = 0.5 / C if kind == "squared" else np.zeros(15)
    problem = DualProblem(sign, diagonal, lower, upper, 0.0)
    if kind == "tube":
        problem = DualProblem(X[:, 0] ** 2, diagonal, -C, C, 0.2)
    rows = make_rows(scipy.sparse.csr_array(X) if sparse else X, 0.5)
    A = np.column_stack([X, np.full(15, 0.5)])
    found = solve_dual(rows, problem, 3, 1e-8, 5000, 0)
    assert found.converged and found.violation < 1e-8
    np.testing.assert_allclose(found.w, A.T @ found.beta, atol=1e-12)
    # The minimum by another way: beta = positive - negative part, bounded quasi-Newton.
    peer = scipy.optimize.minimize(
        lambda v: (
            dual_objective(A, problem, v[:15] - v[15:])
            + problem.epsilon * (np.sum(v) - np.abs(v[:15] - v[15:]).sum())
        ),
        np.zeros(30),
        bounds=[(0, b) for b in problem.upper] + [(0, -b) for b in problem.lower],
        tol=1e-14,
    )
    assert dual_objective(A, problem, found.beta) <= peer.fun + 1e-7


@pytest.mark.nojit
def test_products_with_sparse_samples_of_any_length():
    """Four sums side by side, and the rest; the additional feature comes last."""
    rng = np.random.default_rng(0)
    dense = np.tril(rng.normal(size=(10, 9)), -1)  # 0 to 9 entries
    rows, w = make_rows(scipy.sparse.csr_array(dense), 0.5), rng.normal(size=10)
    found = [_dual_descent.row_product(rows, i, w) for i in range(10)]
    np.testing.assert_allclose(found, dense @ w[:9] + 0.5 * w[9], rtol=1e-12)


@pytest.mark.nojit
def test_violations_are_those_of_the_definition():
    """Moving any coefficient by a little lowers the objective by at most its violation."""
    X, _ = labelled(12, 3)
    C = np.full(12, 0.3)
    problem = DualProblem(X[:, 0], np.zeros(12), -C, C, 0.1)
    rng = np.random.default_rng(0)
    rows, A = make_rows(X, 1.0), np.column_stack([X, np.ones(12)])
    for _ in range(20):
        beta = rng.choice([-0.3, 0.0, 0.1, 0.3], 12)
        w = A.T @ beta
        found = _dual_descent.largest_violation(rows, problem, beta, w, np.arange(12))
        value, steepest, step = dual_objective(A, problem, beta), 0.0, 1e-7
        for i in range(12):
            for move in (-step, step):
                trial = beta.copy()
                trial[i] += move
                if abs(trial[i]) <= 0.3:
                    steepest = max(steepest, (value - dual_objective(A, problem, trial)) / step)
        np.testing.assert_allclose(found, steepest, atol=1e-5)


@pytest.mark.nojit
@given(st.lists(st.floats(-100, 100), min_size=1, max_size=8), st.floats(0, 100))
def test_water_level(tops, amount):
    tops = np.array(tops)
    level = _dual_descent.water_level(tops, amount)
    np.testing.assert_allclose(np.maximum(tops - level, 0).sum(), amount, rtol=1e-9, atol=1e-9)
