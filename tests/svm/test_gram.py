"""Parts of Gram matrices, stored or computed."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse

from litlearn.kernels import _functions as kernels
from litlearn.svm import _gram
from litlearn.svm._gram import ComputedGram, StoredGram
from quadratic_programmes import computed, make


@pytest.mark.parametrize("name", ["linear", "poly", "rbf", "sigmoid"])
@pytest.mark.parametrize("sparse", [False, True])
def test_parts_of_gram_matrices(name, sparse):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) * (rng.random((60, 4)) < 0.7) + 0.0
    kernel = kernels.make_kernel(name, X, gamma=0.3, coef0=0.5)
    full = kernels.gram(kernel, X)
    data = scipy.sparse.csr_array(X) if sparse else X
    kernel = kernels.make_kernel(name, data, gamma=0.3, coef0=0.5)
    rows, some = rng.permutation(60)[:40], rng.permutation(40)[:17]
    weights = rng.normal(size=17)
    for gram in (ComputedGram(kernel, data), StoredGram(full)):
        part = gram.take(rows)
        K = full[np.ix_(rows, rows)]
        assert part.n == 40
        np.testing.assert_allclose(part.diagonal(), K.diagonal(), rtol=1e-12)
        dtypes = [np.float64, np.float32] if gram.has_rough else [np.float64]
        assert gram.has_rough == (isinstance(gram, ComputedGram) and not sparse)
        for dtype in dtypes:
            close = {"rtol": 1e-12, "atol": 1e-12} if dtype == np.float64 else {"atol": 3e-5}
            square = part.square(some, dtype)
            assert square.dtype == dtype
            np.testing.assert_allclose(square, K[np.ix_(some, some)], **close)
            product = part.product(some, weights, dtype)
            np.testing.assert_allclose(product, K[:, some] @ weights, **close)
            assert product.dtype == np.float64
            assert not part.product(some[:0], weights[:0], dtype).any()


def test_tiles_are_cut(monkeypatch):
    X, _, _ = make(300)
    gram, K = computed(X), kernels.rbf_kernel(X, gamma=0.5)
    monkeypatch.setattr(_gram, "TILE_BYTES", 1)
    some, weights = np.arange(0, 300, 2), np.linspace(-1, 1, 150)
    np.testing.assert_allclose(gram.square(some, np.float64), K[np.ix_(some, some)], atol=1e-10)
    for one in (gram, StoredGram(K)):
        found = one.product(some, weights, np.float64)
        np.testing.assert_allclose(found, K[:, some] @ weights, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_columns", [10, 5000, 10**6])
def test_a_tile_has_as_many_rows_as_fit_into_a_few_megabytes(n_columns, dtype):
    rows, row = _gram.rows_of_tile(n_columns, dtype), np.dtype(dtype).itemsize * n_columns
    assert rows == 16 or rows * row <= 2**22
    assert rows == 1024 or (rows + 1) * row > 2**22


@pytest.mark.thread_unsafe(reason="the memory of the process")
def test_a_product_copies_a_stored_matrix_in_parts():
    gram = StoredGram(np.ones((1200, 1200)))  # 11.5 million bytes
    tracemalloc.start()
    product = gram.product(np.arange(1200), np.ones(1200), np.float64)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (product == 1200.0).all() and peak < 5e6


def test_float32_is_used_where_it_is_fine_enough():
    X, _, _ = make(50)
    assert computed(X).has_rough
    assert computed(X + 1e6).has_rough  # samples are centred
    assert not computed(1e4 * X).has_rough
    assert not computed(1e5 * X, "poly", gamma=1.0).has_rough
    assert not computed(1e200 * X).has_rough


@pytest.mark.parametrize("name", ["linear", "poly", "rbf"])
def test_gram_matrices_are_positive_semidefinite(name):
    for seed in range(5):
        X, _, _ = make(60, 2, seed)
        K = kernels.gram(kernels.make_kernel(name, X, gamma=0.7, coef0=1.0), X)
        values = np.linalg.eigvalsh(K)
        assert values[0] > -1e-12 * values[-1]


def test_the_sigmoid_is_not():
    X, _, _ = make(60, 2)
    K = kernels.gram(kernels.make_kernel("sigmoid", X, gamma=0.7, coef0=-1.0), X)
    assert np.linalg.eigvalsh(K)[0] < -0.1
