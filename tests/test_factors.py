"""Factors of symmetric matrices: solutions, condition, determinants, and what is refused."""

import numpy as np
import pytest

from litlearn import _factors

pytestmark = pytest.mark.nojit


def definite(p, seed=0, condition=100.0):
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.normal(size=(p, p)))[0]
    return (Q * np.geomspace(1.0, 1.0 / condition, p)) @ Q.T


@pytest.mark.parametrize("p", [1, 2, 7, 40])
@pytest.mark.parametrize("shift", [0.0, 0.5])
def test_solutions_and_determinants(p, shift):
    A, B = definite(p), np.random.default_rng(1).normal(size=(p, 3))
    given = A.copy()
    factor = _factors.cholesky(A, shift)
    np.testing.assert_array_equal(A, given)
    whole = A + shift * np.eye(p)
    np.testing.assert_allclose(whole @ _factors.solve(factor, B), B, atol=1e-11)
    np.testing.assert_allclose(_factors.log_determinant(factor), np.linalg.slogdet(whole)[1])


def test_units_do_not_count_in_the_condition():
    A, d = definite(6), 10.0 ** np.arange(-60, 60, 20)
    plain, scaled = _factors.cholesky(A), _factors.cholesky(A * d * d[:, None])
    np.testing.assert_allclose(scaled.rcond, plain.rcond, rtol=1e-6)
    S = A / np.sqrt(np.diag(A)) / np.sqrt(np.diag(A))[:, None]
    exact = 1.0 / np.linalg.cond(S, 1)
    assert exact * (1 - 1e-9) <= plain.rcond <= 3.0 * exact
    assert plain.smallest <= np.linalg.eigvalsh(S)[0] * np.sqrt(6) * 3
    np.testing.assert_allclose(
        _factors.log_determinant(scaled), np.linalg.slogdet(A)[1] + 2 * np.log(d).sum(), rtol=1e-9
    )


@pytest.mark.parametrize(
    "A", [-np.eye(2), np.zeros((2, 2)), np.array([[1.0, 2.0], [2.0, 1.0]]), np.full((2, 2), np.nan)]
)
def test_what_is_not_definite_is_refused(A):
    assert _factors.cholesky(A) is None
    factors, log_determinants = _factors.precision_factors(np.stack([A, np.eye(2)]))
    assert np.isnan(factors[0]).all() and log_determinants[0] == -np.inf
    np.testing.assert_array_equal(factors[1], np.eye(2))
    assert log_determinants[1] == 0.0


def test_precision_factors_measure_distances():
    covariances = np.stack([definite(5, seed) * 10.0**seed for seed in range(4)])
    factors, log_determinants = _factors.precision_factors(covariances)
    for covariance, U, log_determinant in zip(covariances, factors, log_determinants, strict=True):
        np.testing.assert_allclose(U @ U.T, np.linalg.inv(covariance), rtol=1e-9)
        np.testing.assert_array_equal(np.tril(U, -1), 0.0)
        expected = np.linalg.slogdet(covariance)[1]
        np.testing.assert_allclose(log_determinant, expected, rtol=1e-10, atol=1e-12)


def test_triangular_systems():
    L, B = np.tril(definite(5)), np.random.default_rng(0).normal(size=(5, 2))
    np.testing.assert_allclose(L @ _factors.solve_triangular(L, B), B, atol=1e-12)
    np.testing.assert_allclose(L.T @ _factors.solve_triangular(L, B, True), B, atol=1e-12)
    with pytest.raises(np.linalg.LinAlgError, match="singular in row 2"):
        _factors.solve_triangular(np.diag([1.0, 1.0, 0.0]), np.ones((3, 1)))


@pytest.mark.parametrize("order", ["C", "F"])
def test_in_place(order):
    K = definite(8)
    given = np.array(K, order=order)
    L = _factors.cholesky_in_place(given, 0.1)
    assert np.shares_memory(L, given)
    np.testing.assert_allclose(np.tril(L) @ np.tril(L).T, K + 0.1 * np.eye(8), rtol=1e-12)
    assert _factors.cholesky_in_place(np.array(-K, order=order)) is None


def test_eigenvalues_below_zero_are_rounding():
    Z = np.random.default_rng(0).normal(size=(8, 3)) @ np.random.default_rng(1).normal(size=(3, 8))
    values, vectors = _factors.semidefinite_eigen(Z @ Z.T)
    assert (values >= 0).all() and np.count_nonzero(values > 1e-12 * values[-1]) == 3
    np.testing.assert_allclose((vectors * values) @ vectors.T, Z @ Z.T, atol=1e-10)


@pytest.mark.parametrize(
    ("condition", "expected"), [(5.0, True), (80.0, True), (125.0, False), (1e12, False)]
)
def test_float32_will_do(condition, expected):
    A = np.array([[1.0, 0.0], [0.0, 1.0]]) + (1 - 2 / (1 + condition)) * np.array([[0, 1], [1, 0]])
    assert _factors.well_conditioned(A) == expected
    assert _factors.well_conditioned(A * 1e8) == expected
