"""Factors of symmetric matrices: solutions, condition, determinants, and what is refused."""

import contextlib

import numpy as np
import pytest
import scipy.sparse

from litlearn._core import factors

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
    factor = factors.cholesky(A, shift)
    np.testing.assert_array_equal(A, given)
    whole = A + shift * np.eye(p)
    np.testing.assert_allclose(whole @ factors.solve_factored(factor, B), B, atol=1e-11)
    np.testing.assert_allclose(factors.log_determinant(factor), np.linalg.slogdet(whole)[1])


def test_units_do_not_count_in_the_condition():
    A, d = definite(6), 10.0 ** np.arange(-60, 60, 20)
    plain, scaled = factors.cholesky(A), factors.cholesky(A * d * d[:, None])
    np.testing.assert_allclose(scaled.rcond, plain.rcond, rtol=1e-6)
    S = A / np.sqrt(np.diag(A)) / np.sqrt(np.diag(A))[:, None]
    exact = 1.0 / np.linalg.cond(S, 1)
    assert exact * (1 - 1e-9) <= plain.rcond <= 3.0 * exact
    assert plain.smallest <= np.linalg.eigvalsh(S)[0] * np.sqrt(6) * 3
    np.testing.assert_allclose(
        factors.log_determinant(scaled), np.linalg.slogdet(A)[1] + 2 * np.log(d).sum(), rtol=1e-9
    )


@pytest.mark.parametrize(
    "A", [-np.eye(2), np.zeros((2, 2)), np.array([[1.0, 2.0], [2.0, 1.0]]), np.full((2, 2), np.nan)]
)
def test_what_is_not_definite_is_refused(A):
    assert factors.cholesky(A) is None
    roots, log_determinants = factors.precision_factors(np.stack([A, np.eye(2)]))
    assert np.isnan(roots[0]).all() and log_determinants[0] == -np.inf
    np.testing.assert_array_equal(roots[1], np.eye(2))
    assert log_determinants[1] == 0.0


def test_precision_factors_measure_distances():
    covariances = np.stack([definite(5, seed) * 10.0**seed for seed in range(4)])
    roots, log_determinants = factors.precision_factors(covariances)
    for covariance, U, log_determinant in zip(covariances, roots, log_determinants, strict=True):
        np.testing.assert_allclose(U @ U.T, np.linalg.inv(covariance), rtol=1e-9)
        np.testing.assert_array_equal(np.tril(U, -1), 0.0)
        expected = np.linalg.slogdet(covariance)[1]
        np.testing.assert_allclose(log_determinant, expected, rtol=1e-10, atol=1e-12)


def test_triangular_systems():
    L, B = np.tril(definite(5)), np.random.default_rng(0).normal(size=(5, 2))
    np.testing.assert_allclose(L @ factors.solve_triangular(L, B), B, atol=1e-12)
    np.testing.assert_allclose(L.T @ factors.solve_triangular(L, B, True), B, atol=1e-12)
    with pytest.raises(np.linalg.LinAlgError, match="singular in row 2"):
        factors.solve_triangular(np.diag([1.0, 1.0, 0.0]), np.ones((3, 1)))


@pytest.mark.parametrize("order", ["C", "F"])
def test_in_place(order):
    K = definite(8)
    given = np.array(K, order=order)
    L = factors.cholesky_in_place(given, 0.1)
    assert np.shares_memory(L, given)
    np.testing.assert_allclose(np.tril(L) @ np.tril(L).T, K + 0.1 * np.eye(8), rtol=1e-12)
    np.testing.assert_allclose(np.triu(L, 1), np.triu(K, 1), rtol=1e-12)  # this half is left
    assert factors.cholesky_in_place(np.array(-K, order=order)) is None


def test_eigenvalues_below_zero_are_rounding():
    Z = np.random.default_rng(0).normal(size=(8, 3)) @ np.random.default_rng(1).normal(size=(3, 8))
    values, vectors = factors.semidefinite_eigen(Z @ Z.T)
    assert (values >= 0).all() and np.count_nonzero(values > 1e-12 * values[-1]) == 3
    np.testing.assert_allclose((vectors * values) @ vectors.T, Z @ Z.T, atol=1e-10)


def test_one_thread_for_few_rows(monkeypatch):
    entered = []

    @contextlib.contextmanager
    def alone():
        entered.append(True)
        yield

    monkeypatch.setattr(factors, "single_threaded_blas", alone)
    for n, expected in ((2, 1), (factors.FEW_EIGENVECTORS, 1), (factors.FEW_EIGENVECTORS + 1, 0)):
        values = factors.semidefinite_eigen(np.eye(n))[0]
        np.testing.assert_array_equal(values, np.ones(n))
        assert len(entered) == expected
        entered.clear()
    for n, expected in ((2, 2), (factors.FEW_ROWS, 2), (factors.FEW_ROWS + 1, 0)):
        W = factors.solve_factored(factors.cholesky(np.eye(n)), np.ones((n, 1)))
        np.testing.assert_array_equal(W, np.ones((n, 1)))
        assert len(entered) == expected
        entered.clear()


@pytest.mark.parametrize(
    ("condition", "expected"), [(5.0, True), (80.0, True), (125.0, False), (1e12, False)]
)
def test_float32_will_do(condition, expected):
    A = np.array([[1.0, 0.0], [0.0, 1.0]]) + (1 - 2 / (1 + condition)) * np.array([[0, 1], [1, 0]])
    assert factors.well_conditioned(A) == expected
    assert factors.well_conditioned(A * 1e8) == expected
    assert not factors.well_conditioned(A - 3.0 * np.eye(2))  # not even definite


# --- leading singular values and eigenvalues -------------------------------------------------


def of_spectrum(n, p, values, seed=0):
    """A matrix (n, p) with the given singular values."""
    rng, r = np.random.default_rng(seed), len(values)
    left, right = (np.linalg.qr(rng.normal(size=(m, r)))[0] for m in (n, p))
    return (left * values) @ right.T


SPECTRA = {
    "falling": (60, 90, np.geomspace(1.0, 1e-10, 60), 10),
    "tall": (90, 40, np.linspace(2.0, 1.0, 40), 3),
    "equal": (50, 40, np.ones(30), 7),
    "rank": (30, 40, np.array([3.0, 2.0, 1e-9]), 5),
    "all": (8, 6, np.arange(1.0, 7.0), 6),
    "zero": (9, 7, np.zeros(3), 2),
    "one row": (1, 5, np.ones(1), 1),
    "one column": (5, 1, np.ones(1), 1),
}


@pytest.mark.parametrize("name", SPECTRA)
def test_leading_singular_values(name):
    n, p, values, k = SPECTRA[name]
    A = of_spectrum(n, p, values)
    found = factors.leading_singular(factors.Product(A), k)
    expected = np.linalg.svd(A)[1][:k]
    assert found.residual <= 1e-9 and found.left.shape == (n, k) and found.right.shape == (p, k)
    np.testing.assert_allclose(found.values, expected, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(found.right.T @ found.right, np.eye(k), atol=1e-13)
    np.testing.assert_allclose(A @ found.right, found.left * found.values, atol=1e-13)


@pytest.mark.parametrize("name", SPECTRA)
def test_largest_eigenvalues(name):
    n, p, values, k = SPECTRA[name]
    A = of_spectrum(n, p, values)
    A = A @ A.T - 0.5 * np.eye(n)  # of either sign
    k = min(k, n)
    found = factors.leading_eigen(factors.Product(A), k)
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(A)[::-1][:k], atol=1e-13)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(k), atol=1e-13)
    np.testing.assert_allclose(A @ found.vectors, found.vectors * found.values, atol=2e-9)


def test_a_flat_spectrum_is_cut_back_or_given_up():
    A = np.random.default_rng(0).normal(size=(300, 400))
    found = factors.leading_singular(factors.Product(A), 2, most_products=200)
    assert found.residual <= 1e-9
    np.testing.assert_allclose(found.values, np.linalg.svd(A)[1][:2], rtol=1e-12)
    assert factors.leading_singular(factors.Product(A), 2, most_products=3).residual > 1e-6
    K = A @ A.T
    eigen = factors.leading_eigen(factors.Product(K), 2, most_products=200)
    assert eigen.residual <= 1e-9
    np.testing.assert_allclose(eigen.values, found.values**2, rtol=1e-12)
    assert factors.leading_eigen(factors.Product(K), 2, most_products=3).residual > 1e-6


@pytest.mark.parametrize("solve", [factors.leading_singular, factors.leading_eigen])
def test_nothing_is_left_to_do_where_the_residual_is_zero(solve):
    """At any tolerance: one product tells that a matrix of zeros has no other directions."""
    A, calls = factors.Product(np.zeros((20, 20))), []
    times = A.times
    A.times = lambda Q: calls.append(True) or times(Q)
    found = solve(A, 2, tol=0.0)
    assert found.residual == 0.0 and not found.values.any() and len(calls) == 1


def test_the_start_does_not_matter():
    A = factors.Product(of_spectrum(80, 60, np.geomspace(1.0, 1e-3, 60)))
    one, other = (factors.leading_singular(A, 4, seed=seed) for seed in (0, 1))
    np.testing.assert_allclose(one.values, other.values, rtol=1e-13)
    turn = factors.signs(one.right) * factors.signs(other.right)
    np.testing.assert_allclose(one.right, other.right * turn, atol=1e-8)


def test_other_solvers_agree():
    A = of_spectrum(70, 50, np.geomspace(1.0, 1e-8, 50))
    for matrix in (A, A.T):
        product = factors.Product(matrix)
        expected = factors.leading_singular(product, 3)
        for found in (
            factors.arpack_singular(product, 3, np.random.RandomState(0)),
            factors.random_singular(product, 3, np.random.RandomState(0)),
            factors.random_singular(product, 3, np.random.RandomState(0), normalizer="QR"),
        ):
            np.testing.assert_allclose(found.values, expected.values, rtol=1e-10)
            turn = factors.signs(expected.right) * factors.signs(found.right)
            np.testing.assert_allclose(found.right * turn, expected.right, atol=1e-7)
            np.testing.assert_allclose(found.left * turn, expected.left, atol=1e-7)
    K = factors.Product(A @ A.T - np.eye(70))
    np.testing.assert_allclose(
        factors.arpack_eigen(factors.Product(A @ A.T), 3, np.random.RandomState(0)).values,
        expected.values**2,
        rtol=1e-10,
    )
    assert (factors.random_eigen(K, 3, np.random.RandomState(0)).values < 0).all()


@pytest.mark.parametrize("offset", [0.0, 1.0, 1e8])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_less_the_means(offset, dtype):
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(700, 30)) + offset).astype(dtype)
    mean = X.mean(axis=0, dtype=np.float64)
    Q, P = rng.normal(size=(30, 4)), rng.normal(size=(700, 4))
    Z = X - mean
    product = factors.Product(X, mean, Z.var(axis=0).sum())
    product.blocks = factors.cut(700, 90)
    np.testing.assert_allclose(product.times(Q), Z @ Q, atol=1e-11)
    np.testing.assert_allclose(product.transposed_times(P), Z.T @ P, atol=1e-10)
    sparse = scipy.sparse.csr_array(np.where(Z > 0.0, Z, 0.0).astype(dtype))
    dense = sparse.toarray().astype(np.float64)
    mean = dense.mean(axis=0)
    product = factors.Product(sparse, mean)
    np.testing.assert_allclose(product.times(Q), (dense - mean) @ Q, atol=1e-11)
    np.testing.assert_allclose(product.transposed_times(P), (dense - mean).T @ P, atol=1e-10)


@pytest.mark.parametrize("k", [1, 3, 48, 49])
def test_products_in_tiles(k, monkeypatch):
    """Several tiles of rows and of columns, the last ones smaller; many directions in one."""
    monkeypatch.setattr(factors, "UNPACKED", 500)
    monkeypatch.setattr(factors, "TILE_COLUMNS", 20)
    rng = np.random.default_rng(0)
    X, Q, P = rng.normal(size=(61, 47)), rng.normal(size=(47, k)), rng.normal(size=(61, k))
    product = factors.Product(X)
    assert (len(list(product.tiles(61, k))) == 1) == (k > factors.FEW_DIRECTIONS)
    np.testing.assert_allclose(product.times(Q), X @ Q, atol=1e-12)
    np.testing.assert_allclose(product.transposed_times(P), X.T @ P, atol=1e-12)


def test_signs():
    V = np.array([[0.1, -2.0, 0.0, 1.0], [-3.0, 1.0, 0.0, -1.0 - 1e-12]])
    np.testing.assert_array_equal(factors.signs(V), [-1.0, -1.0, 1.0, 1.0])
    assert factors.signs(V.astype(np.float32)).dtype == np.float32
    assert factors.signs(np.empty((0, 2))).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("k", [1, 16, factors.FEW_DIRECTIONS + 1])
def test_half_of_a_symmetric_matrix(k, monkeypatch):
    """Blocks of unequal numbers of rows, tiles that end inside them, many directions at once."""
    monkeypatch.setattr(factors, "TILE_COLUMNS", 30)
    monkeypatch.setattr(factors, "UNPACKED", 30 * 8 * k)
    rng = np.random.default_rng(0)
    K, Q = rng.normal(size=(150, 150)), rng.normal(size=(150, k))
    K += K.T
    starts = [0, 40, 41, 110, 150]
    parts = [K[i:j, i:].copy() for i, j in zip(starts[:-1], starts[1:], strict=True)]
    A = factors.Symmetric(parts)
    np.testing.assert_allclose(A.times(Q), K @ Q, atol=1e-12)
    found = factors.leading_eigen(A, 3)
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(K)[:-4:-1], rtol=1e-12)
    monkeypatch.setattr(np, "empty", lambda shape: np.full(shape, np.nan))
    np.testing.assert_array_equal(A.whole(), K)
    assert not A.parts
