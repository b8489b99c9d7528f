"""Nystroem and random features: against the kernel, its formula, and scikit-learn."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.kernel_approximation as theirs

from litlearn import kernels
from litlearn.kernel_approximation import Nystroem, RBFSampler, inverse_root

nojit = pytest.mark.nojit
every_kernel = pytest.mark.parametrize(
    "name", ["linear", "poly", "rbf", "laplacian", "cosine", "chi2", "sigmoid"]
)


def samples(n=80, m=20, p=5, seed=0):
    rng = np.random.default_rng(seed)
    return np.abs(rng.normal(size=(n, p))), np.abs(rng.normal(size=(m, p)))


@nojit
@every_kernel
def test_all_landmarks_give_the_kernel(name):
    """eq-nystroem: exact where the landmarks hold everything."""
    X, _ = samples(n=12)
    if name == "sigmoid":  # no inner product: the product with its signs, instead
        return
    Z = Nystroem(name, n_components=12, random_state=0).fit_transform(X)
    np.testing.assert_allclose(Z @ Z.T, kernels.pairwise_kernels(X, metric=name), atol=1e-6)


@nojit
@every_kernel
def test_formula_and_scikit_learn(name):
    """eq-nystroem, entry by entry; the same landmarks as theirs."""
    X, Q = samples()
    ours = Nystroem(name, n_components=10, random_state=3).fit(X)
    other = theirs.Nystroem(kernel=name, n_components=10, random_state=3).fit(X)
    np.testing.assert_array_equal(ours.component_indices_, other.component_indices_)
    found = ours.transform(Q)
    K = kernels.pairwise_kernels(ours.components_, metric=name)
    product = ours.normalization_ @ K @ ours.normalization_
    values = np.linalg.eigvalsh(product)  # of size 1, or 0 where K has none
    np.testing.assert_allclose(np.abs(values) * (1 - np.abs(values)), 0.0, atol=1e-4)
    np.testing.assert_allclose(found, other.transform(Q), rtol=1e-5, atol=1e-5)


@nojit
def test_the_error_falls_with_the_landmarks():
    X, Q = samples(n=200)
    K = kernels.rbf_kernel(Q, X)
    errors = []
    for m in (5, 20, 80):
        model = Nystroem(n_components=m, random_state=0).fit(X)
        errors.append(np.abs(model.transform(Q) @ model.transform(X).T - K).max())
    assert errors[0] > 1.3 * errors[1] > 1.69 * errors[2]


@nojit
def test_duplicates_scales_and_rank():
    """Directions without a spread are left out at any scale."""
    X, Q = samples(n=10)
    double = np.vstack([X, X])
    for scale in (1e-9, 1.0, 1e9):
        model = Nystroem("linear", n_components=20, random_state=0).fit(double * scale)
        Z, Z_Q = model.transform(double * scale), model.transform(Q * scale)
        np.testing.assert_allclose(Z_Q @ Z.T / scale**2, Q @ double.T, rtol=1e-6)
    np.testing.assert_array_equal(inverse_root(np.zeros((3, 3))), 0.0)


@nojit
def test_precomputed_with_fewer_landmarks():
    X, Q = samples()
    K, K_Q = kernels.rbf_kernel(X), kernels.rbf_kernel(Q, X)
    expected = Nystroem(n_components=9, random_state=0).fit(X).transform(Q)
    found = Nystroem("precomputed", n_components=9, random_state=0).fit(K).transform(K_Q)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


@nojit
def test_nystroem_sparse_single_and_functions():
    X, Q = samples()
    X[X < 0.5], Q[Q < 0.5] = 0.0, 0.0
    expected = Nystroem(gamma=0.4, n_components=9, random_state=0).fit(X).transform(Q)
    model = Nystroem(gamma=0.4, n_components=9, random_state=0)
    sparse = model.fit(scipy.sparse.csc_array(X)).transform(scipy.sparse.csr_matrix(Q))
    np.testing.assert_allclose(sparse, expected, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(model.transform(Q), expected, rtol=1e-7, atol=1e-9)
    single = model.fit(X.astype(np.float32)).transform(Q.astype(np.float32))
    assert single.dtype == np.float32 and expected.dtype == np.float64
    np.testing.assert_allclose(single, expected, atol=1e-4)

    def gauss(a, b, width):
        return np.exp(-((a - b) ** 2).sum() / width)

    found = Nystroem(gauss, kernel_params={"width": 2.5}, n_components=9, random_state=0).fit(X)
    np.testing.assert_allclose(found.transform(Q), expected, rtol=1e-7, atol=1e-9)


def test_nystroem_of_too_few_samples_and_foreign_parameters():
    X, _ = samples(n=5)
    with pytest.warns(UserWarning, match="Nystroem: n_components=9 is more than n_samples=5"):
        assert Nystroem(n_components=9).fit_transform(X).shape == (5, 5)
    for given in ({"gamma": 1.0}, {"degree": 2}, {"coef0": 0.0}):
        with pytest.raises(ValueError, match="Don't pass gamma, coef0 or degree to Nystroem"):
            Nystroem("precomputed", **given).fit(kernels.rbf_kernel(X))


@nojit
@pytest.mark.parametrize("gamma", [0.3, "scale"])
def test_random_features(gamma):
    """eq-random-features: by its formula, near the kernel, and the numbers of scikit-learn."""
    X, Q = samples()
    ours = RBFSampler(gamma=gamma, n_components=4000, random_state=1).fit(X)
    other = theirs.RBFSampler(gamma=gamma, n_components=4000, random_state=1).fit(X)
    found = ours.transform(Q)
    formula = np.sqrt(2 / 4000) * np.cos(Q @ ours.random_weights_ + ours.random_offset_)
    np.testing.assert_allclose(found, formula, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found, other.transform(Q), rtol=1e-10, atol=1e-12)
    K = kernels.rbf_kernel(Q, X, gamma=ours._gamma)
    assert np.abs(found @ ours.transform(X).T - K).max() < 6 / np.sqrt(4000)
    sparse = ours.transform(scipy.sparse.csr_array(Q))
    np.testing.assert_allclose(sparse, found, rtol=1e-9, atol=1e-12)
    single = RBFSampler(gamma=gamma, n_components=50, random_state=1).fit(X.astype(np.float32))
    assert single.transform(Q.astype(np.float32)).dtype == np.float32


@nojit
def test_random_features_of_constants_and_of_huge_numbers():
    assert RBFSampler(gamma="scale").fit(np.ones((4, 2)))._gamma == 1.0
    with pytest.raises(ValueError, match="RBFSampler: gamma='scale' needs the variance"):
        RBFSampler(gamma="scale").fit(np.array([[1e200], [-1e200]]))
