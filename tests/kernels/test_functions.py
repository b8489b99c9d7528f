"""Kernels: equal to the formula, to scikit-learn, and unharmed by where the data lie."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csc_array, csr_array, csr_matrix
from sklearn.metrics import pairwise as sk

from litlearn._core import distances, factors
from litlearn.exceptions import InvalidParameterError
from litlearn.kernels import _functions as kernels

FUNCTIONS = {
    "linear": kernels.linear_kernel,
    "polynomial": kernels.polynomial_kernel,
    "sigmoid": kernels.sigmoid_kernel,
    "rbf": kernels.rbf_kernel,
    "laplacian": kernels.laplacian_kernel,
    "cosine": kernels.cosine_similarity,
}
every_kernel = pytest.mark.parametrize("name", FUNCTIONS)
every_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def samples(n=40, m=17, p=6, dtype=np.float64, seed=0):
    """Two sets of samples, with zeros, so that the sparse arrays are sparse."""
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(n, p)), rng.normal(size=(m, p))
    X[rng.random(X.shape) < 0.4] = 0.0
    X[3] = 0.0
    return X.astype(dtype), Y.astype(dtype)


def by_formula(name, X, Y, gamma=None, degree=3, coef0=1):
    """Every entry by its formula, in float64 and by difference."""
    X, Y = X.astype(float), Y.astype(float)
    gamma = 1 / X.shape[1] if gamma is None else gamma
    gap = X[:, None] - Y[None]
    if name in ("rbf", "laplacian"):
        return np.exp(-gamma * (gap**2 if name == "rbf" else np.abs(gap)).sum(axis=-1))
    if name == "cosine":
        lengths = [np.linalg.norm(one, axis=1) for one in (X, Y)]
        X, Y = (
            one / np.where(size > 0, size, 1)[:, None]
            for one, size in zip((X, Y), lengths, strict=True)
        )
    product = X @ Y.T
    if name == "polynomial":
        return (gamma * product + coef0) ** degree
    return np.tanh(gamma * product + coef0) if name == "sigmoid" else product


def tolerance(dtype):
    """Of float32 products of six features, whose largest is about 10; of the bound of RBF."""
    return {"rtol": 1e-4, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-9, "atol": 1e-10}


@pytest.mark.nojit
@every_dtype
@every_kernel
def test_formula(name, dtype):
    X, Y = samples(dtype=dtype)
    for one, other in ((X, None), (X, Y)):
        found = FUNCTIONS[name](one, other)
        expected = by_formula(name, one, one if other is None else other)
        assert found.dtype == dtype and found.shape == expected.shape
        np.testing.assert_allclose(found, expected, **tolerance(dtype))


@every_dtype
@every_kernel
@pytest.mark.parametrize("n", [1, 300, 1300])
def test_scikit_learn(name, dtype, n):
    """More rows than a tile has, and more columns."""
    X, Y = samples(n=max(n, 4), dtype=dtype)
    X = X[:n]
    for one, other in ((X, None), (Y, X), (X, Y)):
        expected = sk.pairwise_kernels(one, other, metric=name)
        np.testing.assert_allclose(
            kernels.pairwise_kernels(one, other, metric=name), expected, **tolerance(dtype)
        )


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("polynomial", {"degree": 2, "gamma": 0.3, "coef0": -0.5}),
        ("poly", {"degree": 5.0, "coef0": 0}),
        ("poly", {"degree": 1}),
        ("poly", {"degree": 21, "gamma": 0.1}),
        ("poly", {"degree": 2.5, "gamma": 0.1, "coef0": 9.0}),
        ("sigmoid", {"gamma": 0.01, "coef0": -1.0}),
        ("rbf", {"gamma": 0.0}),
        ("rbf", {"gamma": 3.0}),
        ("laplacian", {"gamma": 0.7}),
    ],
    ids=str,
)
def test_parameters(name, parameters):
    X, Y = samples()
    found = kernels.pairwise_kernels(X, Y, metric=name, **parameters)
    np.testing.assert_allclose(
        found, sk.pairwise_kernels(X, Y, metric=name, **parameters), rtol=1e-9, atol=1e-10
    )


@pytest.mark.nojit
@every_dtype
@every_kernel
def test_sparse(name, dtype):
    X, Y = samples(n=20, m=9, dtype=dtype)
    for convert in (csr_array, csr_matrix, csc_array):
        for one, other in (
            (convert(X), None),
            (convert(X), convert(Y)),
            (X, convert(Y)),
            (convert(X), Y),
        ):
            dense = by_formula(name, X, X if other is None else Y)
            found = FUNCTIONS[name](one, other)
            assert type(found) is np.ndarray and found.dtype == dtype
            np.testing.assert_allclose(found, dense, **tolerance(dtype))


def test_the_linear_kernel_of_sparse_samples_can_stay_sparse():
    X, Y = samples()
    found = kernels.linear_kernel(csr_array(X), csr_array(Y), dense_output=False)
    np.testing.assert_allclose(found.toarray(), X @ Y.T, atol=1e-12)
    assert isinstance(kernels.linear_kernel(csr_array(X)), np.ndarray)


@every_dtype
@pytest.mark.parametrize("name", [*FUNCTIONS])
@pytest.mark.parametrize("n", [1, 2, 255, 257, 600])
def test_the_gram_matrix_of_one_set_is_symmetric_to_the_last_bit(name, dtype, n):
    X = np.random.default_rng(n).normal(size=(n, 7)).astype(dtype)
    K = FUNCTIONS[name](X)
    assert (K.T == K).all()
    if name in ("rbf", "laplacian"):
        assert (np.diagonal(K) == 1).all() and K.max() == 1 and K.min() >= 0


@pytest.mark.nojit
@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8, -1e12])
@pytest.mark.parametrize("spread", [1.0, 1e-3])
def test_rbf_far_from_the_origin(offset, spread):
    """An expanded square would lose all digits here; sqrt(gamma) times a distance is about 1."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 5)) * spread + offset
    expected = by_formula("rbf", X, X, gamma=0.2 / spread**2)
    found = kernels.rbf_kernel(X, gamma=0.2 / spread**2)
    np.testing.assert_allclose(found, expected, atol=1e-10, rtol=0)
    sparse = kernels.rbf_kernel(csr_array(X), gamma=0.2 / spread**2)
    np.testing.assert_allclose(sparse, expected, atol=1e-10, rtol=0)


@pytest.mark.nojit
@every_dtype
def test_rbf_where_products_blur(dtype):
    """Two tight groups far apart, and a gamma for what lies within one: centring does not help."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 6))
    X[20:] += 1e4
    X = X.astype(dtype)
    found = kernels.rbf_kernel(X, gamma=0.5)
    expected = by_formula("rbf", X, X, gamma=0.5)
    atol = 1e-10 if dtype == np.float64 else 1e-7
    np.testing.assert_allclose(found, expected, atol=atol, rtol=0)
    # The expanded square is off by far more, even on centred data and in float64.
    C = X.astype(float)
    C -= C.mean(axis=0)
    squares = (C**2).sum(axis=1)
    expanded = np.exp(-0.5 * (squares[:, None] + squares - 2 * C @ C.T))
    assert np.abs(expanded - expected).max() > 1e-9


@pytest.mark.parametrize("name", ["rbf", "laplacian"])
@pytest.mark.parametrize("size", [0.0, 1e-200, 1e-20, 1e20, 1e153, 1e200])
def test_extreme_numbers(name, size):
    X = np.random.default_rng(5).normal(size=(12, 3)) * size
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for gamma in (0.0, 1.0, 1e-300, 1e300):
            K = FUNCTIONS[name](X, gamma=gamma)
            assert np.isfinite(K).all() and (np.diagonal(K) == 1).all()
            if gamma == 0 or size == 0:
                assert (K == 1).all()
            elif size >= 1e20 and gamma == 1:
                assert (np.eye(12) == K).all()


@pytest.mark.nojit
@pytest.mark.parametrize("name", ["linear", "polynomial", "rbf", "laplacian", "cosine"])
def test_positive_semidefinite(name):
    """No eigenvalue is below zero by more than the error of n entries."""
    for seed in range(3):
        X, _ = samples(n=40, seed=seed)
        X[20:30] = X[:10]
        K = FUNCTIONS[name](X)
        eigenvalues = np.linalg.eigvalsh(K)
        assert eigenvalues[0] >= -40 * 1e-10 * max(1.0, eigenvalues[-1])


def test_the_sigmoid_kernel_is_not_positive_semidefinite():
    X = np.array([[1.0], [2.0]])
    K = kernels.sigmoid_kernel(X, gamma=1.0, coef0=0.0)
    assert np.linalg.det(K) < -0.05
    assert np.linalg.eigvalsh(kernels.sigmoid_kernel(samples()[0], coef0=-1.0))[0] < -1


@pytest.mark.nojit
@every_dtype
@pytest.mark.parametrize("name", ["linear", "polynomial", "sigmoid", "rbf", "laplacian"])
@pytest.mark.parametrize("convert", [np.ascontiguousarray, csr_array], ids=["dense", "csr"])
def test_rows_and_diagonal_are_those_of_the_gram_matrix(name, dtype, convert):
    X = samples(n=25, dtype=dtype)[0]
    dense = by_formula(name, X, X)
    kernel = kernels.make_kernel(name, convert(X))
    rows = np.array([kernels.kernel_row(kernel, convert(X), i) for i in range(len(X))])
    assert rows.dtype == dtype and (rows == rows.T).all()
    np.testing.assert_allclose(rows, dense, **tolerance(dtype))
    columns = np.array([7, 0, 7, 24])
    np.testing.assert_array_equal(
        kernels.kernel_row(kernel, convert(X), 5, columns), rows[5, columns]
    )
    diagonal = kernels.kernel_diagonal(kernel, convert(X))
    assert diagonal.dtype == dtype
    np.testing.assert_allclose(diagonal, np.diagonal(dense), **tolerance(dtype))
    if name in ("rbf", "laplacian"):
        assert (np.diagonal(rows) == 1).all() and (diagonal == 1).all()


def test_rows_and_diagonal_of_a_precomputed_matrix():
    K = kernels.rbf_kernel(samples()[0])
    kernel = kernels.make_kernel("precomputed", K)
    np.testing.assert_array_equal(kernels.kernel_row(kernel, K, 4), K[4])
    np.testing.assert_array_equal(kernels.kernel_row(kernel, K, 4, np.array([2, 1])), K[4, [2, 1]])
    np.testing.assert_array_equal(kernels.kernel_diagonal(kernel, K), np.diagonal(K))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_number_of_threads_does_not_change_a_bit(name):
    X = np.random.default_rng(6).normal(size=(1100, 5))
    for Y in (None, X[:300] + 1):
        one, two, three = (
            kernels.pairwise_kernels(X, Y, metric=name, n_jobs=n_jobs) for n_jobs in (1, 2, 3)
        )
        assert one.tobytes() == two.tobytes() == three.tobytes()


entries = st.floats(-1e6, 1e6, width=32)
matrices = hnp.arrays(np.float64, st.tuples(st.integers(1, 9), st.integers(1, 4)), elements=entries)


@pytest.mark.nojit
@settings(deadline=None, max_examples=60)
@given(X=matrices, gamma=st.floats(1e-6, 1e3), dtype=st.sampled_from([np.float32, np.float64]))
def test_rbf_of_any_samples(X, gamma, dtype):
    X = X.astype(dtype)
    K = kernels.rbf_kernel(X, gamma=gamma)
    assert (K == K.T).all() and (np.diagonal(K) == 1).all() and K.max() <= 1 and K.min() >= 0
    atol = 2e-10 if dtype == np.float64 else 1e-6
    np.testing.assert_allclose(K, by_formula("rbf", X, X, gamma=gamma), atol=atol, rtol=0)
    np.testing.assert_allclose(kernels.rbf_kernel(X, X.copy(), gamma=gamma), K, atol=atol, rtol=0)
    np.testing.assert_allclose(kernels.rbf_kernel(csr_array(X), gamma=gamma), K, atol=atol, rtol=0)


@pytest.mark.nojit
@settings(deadline=None, max_examples=40)
@given(X=matrices, name=st.sampled_from(["linear", "polynomial", "sigmoid", "cosine"]))
def test_products_of_any_samples(X, name):
    size = np.abs(X).max() or 1.0
    X = X / size
    np.testing.assert_allclose(FUNCTIONS[name](X), by_formula(name, X, X), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        FUNCTIONS[name](csr_array(X), X), by_formula(name, X, X), rtol=1e-9, atol=1e-12
    )


# ------------------------------------------------------------------ names and messages


def test_a_callable():
    X, Y = samples(n=6, m=4)

    def kernel(x, y, power=1):
        return (x @ y) ** power

    for other in (None, Y):
        found = kernels.pairwise_kernels(X, other, metric=kernel, power=2)
        np.testing.assert_allclose(found, (X @ (X if other is None else other).T) ** 2)


def test_a_precomputed_matrix():
    X, Y = samples()
    K = kernels.rbf_kernel(Y, X)
    np.testing.assert_array_equal(kernels.pairwise_kernels(K, X, metric="precomputed"), K)
    with pytest.raises(
        ValueError, match=r"requires shape \(n_queries, n_indexed\). Got \(17, 40\)"
    ):
        kernels.pairwise_kernels(K, metric="precomputed")


def test_parameters_that_a_kernel_does_not_have():
    X, _ = samples()
    with pytest.raises(TypeError, match="'linear' has no parameter 'gamma'; expected none"):
        kernels.pairwise_kernels(X, metric="linear", gamma=1)
    with pytest.raises(TypeError, match="'rbf' has no parameter 'degree'; expected gamma"):
        kernels.pairwise_kernels(X, metric="rbf", degree=2)
    found = kernels.pairwise_kernels(X, metric="rbf", filter_params=True, degree=2, gamma=0.5)
    np.testing.assert_array_equal(found, kernels.rbf_kernel(X, gamma=0.5))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("gamma", value) for value in (-1.0, np.nan, np.inf, "scale", True)],
        *[("degree", value) for value in (0.5, None, "3", np.inf)],
        *[("coef0", value) for value in (None, np.nan, "0")],
    ],
)
def test_bad_parameters(name, value):
    with pytest.raises(InvalidParameterError, match=f"{name!r} parameter of polynomial_kernel"):
        kernels.polynomial_kernel([[1.0]], **{name: value})


@every_kernel
def test_bad_samples(name):
    kernel = FUNCTIONS[name]
    with pytest.raises(ValueError, match=r"X.shape\[1\] == 2 while Y.shape\[1\] == 1"):
        kernel([[1.0, 2.0]], [[1.0]])
    for bad in ([[np.nan]], [[np.inf]], [1.0], [["a"]], np.empty((0, 2))):
        for pair in ((bad, None), ([[1.0]], bad)):
            with pytest.raises(ValueError, match=kernel.__name__):
                kernel(*pair)
    with pytest.raises(InvalidParameterError, match="'metric' parameter of pairwise_kernels"):
        kernels.pairwise_kernels([[1.0]], metric="gauss")
    with pytest.raises(InvalidParameterError, match="'n_jobs' parameter of pairwise_kernels"):
        kernels.pairwise_kernels([[1.0]], n_jobs=0)


@pytest.mark.nojit
@pytest.mark.parametrize("name", ["rbf", "polynomial", "laplacian"])
def test_half_of_a_gram_matrix_has_the_bits_of_the_whole(name, monkeypatch):
    monkeypatch.setattr(kernels, "TILE_ROWS", 7)
    X = np.random.default_rng(0).normal(size=(30, 3))
    kernel = kernels.make_kernel(name, X)
    whole = kernels.gram(kernel, X)
    parts = kernels.upper_gram(kernel, X)
    assert [len(own) for own in parts] == [6] * 5
    np.testing.assert_array_equal(factors.Symmetric(parts).whole(), whole)
    np.testing.assert_allclose(whole, whole.T, rtol=0.0)


@pytest.mark.nojit
@pytest.mark.parametrize(("share", "exact"), [(0.5, False), (2.0, True)])
def test_products_do_where_their_bound_says_so(share, exact):
    """eq-preselection-bound: three times the bound, times gamma, is at most 1.5e-11."""
    precision = 2.0**-36
    rng = np.random.default_rng(0)
    Q = rng.normal(size=(1, 12))
    X = np.vstack([Q + 1e-2 * rng.normal(size=(60, 12)), -Q])
    kernel = kernels.make_kernel("rbf", X, gamma=1.0)
    queries, norms, _ = distances.prepare_queries(kernel.scaling, Q, np.float64)
    skip = np.full(1, distances.NOBODY)
    ((_, _, errors),) = distances.score_tiles(kernel.scaling, X, queries, norms, skip)
    limit = precision * kernel.scaling.scale**2 / (3.0 * errors[0])
    kernel = kernel._replace(gamma=share * limit)
    found, expected = np.empty((1, 61)), np.empty((1, 61))
    kernels.gram_tile(kernel, X, Q, found)
    kernels.exact_tile(kernel, X, Q, expected)
    assert 0.1 < expected[0, :-1].max() < 0.999
    assert np.array_equal(found, expected) == exact
    np.testing.assert_allclose(found, expected, rtol=precision, atol=0.0)
