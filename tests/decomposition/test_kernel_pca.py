"""Kernel PCA: against its twin, PCA and scikit-learn; zero and negative eigenvalues."""

import warnings

import numpy as np
import pytest
import scipy.sparse
import sklearn.decomposition as theirs
from sklearn.datasets import make_circles

import reference
from litlearn import kernels
from litlearn._core import factors
from litlearn.decomposition import KernelPCA, _kernel_pca
from litlearn.exceptions import ConvergenceWarning, NotFittedError

nojit = pytest.mark.nojit
SOLVERS = pytest.mark.parametrize("solver", ["auto", "dense", "arpack", "randomized"])
KERNELS = pytest.mark.parametrize("name", ["linear", "poly", "rbf", "laplacian", "cosine"])


def samples(n=60, m=15, p=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) * np.arange(1, p + 1), rng.normal(size=(m, p))


@nojit
@KERNELS
def test_twin(name):
    """eq-kpca-centre, eq-kpca-eigen and eq-kpca-project."""
    X, Q = samples()
    K = kernels.pairwise_kernels(X, metric=name)
    values, Z = reference.kernel_pca(K, 3)
    model = KernelPCA(3, kernel=name)
    found = model.fit_transform(X)
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-9)
    np.testing.assert_allclose(np.abs(found), np.abs(Z), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(model.transform(X), found, rtol=1e-6, atol=1e-7)
    K_Q = kernels.pairwise_kernels(Q, X, metric=name)
    centred = K_Q - K.mean(axis=0) - K_Q.mean(axis=1, keepdims=True) + K.mean()
    expected = centred @ found / model.eigenvalues_
    np.testing.assert_allclose(model.transform(Q), expected, rtol=1e-6, atol=1e-7)


@nojit
def test_components_have_length_one_and_the_variance_of_their_eigenvalue():
    X, _ = samples()
    model = KernelPCA(4, kernel="rbf")
    Z = model.fit_transform(X)
    np.testing.assert_allclose(Z.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(Z.T @ Z, np.diag(model.eigenvalues_), atol=1e-10)
    a = model.eigenvectors_ / np.sqrt(model.eigenvalues_)  # a' K a = 1: unit in the feature space
    K = kernels.rbf_kernel(X)
    A = factors.Symmetric([K.copy()])
    means, largest = _kernel_pca.column_means(A)
    np.testing.assert_allclose(means, K.mean(axis=0), rtol=1e-14)
    assert largest == 1.0
    _kernel_pca.centre(A, means)
    K = A.whole()
    np.testing.assert_allclose(a.T @ K @ a, np.eye(4), atol=1e-10)
    largest = np.abs(model.eigenvectors_).argmax(axis=0)
    assert (model.eigenvectors_[largest, range(4)] > 0).all()


@pytest.mark.parametrize("unit", [1e-12, 1e12])
def test_the_unit_of_the_samples_is_that_of_the_axes(unit):
    X = np.random.default_rng(0).normal(size=(30, 4))
    plain, other = KernelPCA(3).fit(X), KernelPCA(3).fit(unit * X)
    np.testing.assert_allclose(other.eigenvalues_, unit**2 * plain.eigenvalues_)
    np.testing.assert_allclose(
        other.transform(unit * X), unit * plain.transform(X), atol=1e-9 * unit
    )


@SOLVERS
@pytest.mark.parametrize("k", [2, 12])
def test_solvers_and_scikit_learn(solver, k):
    X, Q = samples(n=320, m=40, p=10)
    ours = KernelPCA(k, kernel="rbf", gamma=0.01, eigen_solver=solver, random_state=0).fit(X)
    other = theirs.KernelPCA(k, kernel="rbf", gamma=0.01, eigen_solver="dense").fit(X)
    rtol = 1e-3 if solver == "randomized" else 1e-10
    np.testing.assert_allclose(ours.eigenvalues_, other.eigenvalues_, rtol=rtol)
    atol = 0.1 if solver == "randomized" else 1e-7
    np.testing.assert_allclose(
        np.abs(ours.transform(Q)), np.abs(other.transform(Q)), rtol=1e-6, atol=atol
    )
    assert (ours.residual_ is not None) == (solver == "auto")


@nojit
def test_a_missed_certificate_is_followed_by_lapack(monkeypatch):
    X, _ = samples(n=40)
    expected = KernelPCA(3, kernel="rbf", eigen_solver="dense").fit(X)
    found = factors.Eigen(np.ones(3), np.ones((40, 3)), 1.0)
    monkeypatch.setattr(factors, "leading_eigen", lambda A, k, tol: found)
    monkeypatch.setattr(_kernel_pca, "SMALL", 0)
    model = KernelPCA(3, kernel="rbf").fit(X)
    np.testing.assert_allclose(model.eigenvalues_, expected.eigenvalues_, rtol=1e-10)
    assert model.residual_ is None


@nojit
def test_linear_kernel_is_pca_however_far_the_mean():
    X, Q = samples()
    expected = theirs.PCA(3).fit(X).transform(Q)
    for far in (0.0, 1e6):
        found = KernelPCA(3).fit(X + far).transform(Q + far)
        np.testing.assert_allclose(np.abs(found), np.abs(expected), rtol=1e-6, atol=1e-6)


@nojit
def test_zero_eigenvalues():
    X, Q = samples(n=20, p=3)
    double = np.vstack([X, X])
    assert KernelPCA().fit(double).transform(Q[:, :3]).shape[1] == 3
    assert KernelPCA(kernel="rbf").fit(double).eigenvalues_.size <= 19
    model = KernelPCA(6).fit(X)
    found = model.transform(X)
    assert found.shape == (20, 6) and not found[:, 3:].any() and (model.eigenvalues_[3:] == 0).all()
    assert KernelPCA(6, remove_zero_eig=True).fit_transform(X).shape == (20, 3)
    for value in (0.1, 1e9):
        assert KernelPCA(kernel="poly").fit_transform(np.full((7, 2), value)).shape == (7, 0)
        assert not KernelPCA(2, kernel="poly").fit_transform(np.full((7, 2), value)).any()
    assert KernelPCA(3).fit_transform(np.ones((1, 2))).shape == (1, 1)


@SOLVERS
def test_negative_eigenvalues(solver):
    rng = np.random.default_rng(0)
    V = np.linalg.qr(np.column_stack([np.ones(12), rng.normal(size=(12, 11))]))[0][:, 1:]
    K = (V * np.concatenate([[9.0, 5.0], np.full(9, -4.0)])) @ V.T
    options = {"kernel": "precomputed", "eigen_solver": solver, "random_state": 0}
    np.testing.assert_allclose(KernelPCA(2, **options).fit(K).eigenvalues_, [9.0, 5.0])
    with pytest.raises(ValueError, match="KernelPCA: There are significant negative eigenvalues"):
        KernelPCA(5, **options).fit(K)


@nojit
def test_pre_images_of_a_kernel_that_is_no_inner_product():
    """Their ridge regression has no minimum where an eigenvalue lies between -alpha and 0."""
    X = np.random.default_rng(0).normal(size=(30, 3))
    options = {"n_components": 2, "fit_inverse_transform": True}
    with pytest.warns(ConvergenceWarning, match="KernelPCA: .* projections with kernel='sigmoid'"):
        found = KernelPCA(kernel="sigmoid", alpha=1.0, **options).fit(X)
    K = kernels.sigmoid_kernel(found.X_transformed_fit_, gamma=1 / 3)
    values = np.linalg.eigvalsh(K)
    assert np.any((values < -1e-6) & (values > -1.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KernelPCA(kernel="poly", alpha=1.0, **options).fit(X)


@nojit
def test_precomputed_callable_sparse_and_single():
    X, Q = samples()
    X[np.abs(X) < 0.5] = 0.0
    options = {"n_components": 3, "kernel": "rbf", "gamma": 0.1}
    expected = KernelPCA(**options).fit(X).transform(Q)
    K, K_Q = kernels.rbf_kernel(X, gamma=0.1), kernels.rbf_kernel(Q, X, gamma=0.1)
    kept = K.copy()
    model = KernelPCA(3, kernel="precomputed", copy_X=False).fit(K)
    np.testing.assert_array_equal(K, kept)
    np.testing.assert_allclose(model.transform(K_Q), expected, rtol=1e-7, atol=1e-9)

    def gauss(a, b, gamma):
        return np.exp(-gamma * ((a - b) ** 2).sum())

    model = KernelPCA(3, kernel=gauss, kernel_params={"gamma": 0.1}).fit(X)
    np.testing.assert_allclose(model.transform(Q), expected, rtol=1e-7, atol=1e-9)
    model = KernelPCA(**options).fit(scipy.sparse.csc_array(X))
    np.testing.assert_allclose(
        model.transform(scipy.sparse.csr_array(Q)), expected, rtol=1e-7, atol=1e-9
    )
    single = KernelPCA(**options).fit(X.astype(np.float32)).transform(Q.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, expected, rtol=1e-4, atol=1e-5)


@nojit
def test_pre_images():
    """Ridge regression of the samples on their projections, as scikit-learn's."""
    X, _ = make_circles(80, factor=0.3, noise=0.05, random_state=0)
    options = {"n_components": 6, "kernel": "rbf", "gamma": 2.0, "alpha": 0.01}
    options["fit_inverse_transform"] = True
    ours, other = KernelPCA(**options).fit(X), theirs.KernelPCA(**options).fit(X)
    found = ours.inverse_transform(ours.transform(X))
    np.testing.assert_allclose(found, other.inverse_transform(other.transform(X)), rtol=1e-5)
    assert np.abs(found - X).mean() < 0.1
    with pytest.raises(NotFittedError, match="fit_inverse_transform"):
        KernelPCA(2).fit(X).inverse_transform(X)
    with pytest.raises(ValueError, match="X has 2 columns, expected 6"):
        ours.inverse_transform(X)
    with pytest.raises(ValueError, match="Cannot fit_inverse_transform with a precomputed kernel"):
        KernelPCA(kernel="precomputed", fit_inverse_transform=True).fit(X @ X.T)
    with pytest.raises(TypeError, match="Sparse data was passed for X, but KernelPCA"):
        KernelPCA(fit_inverse_transform=True).fit(scipy.sparse.csr_array(X))
    with pytest.raises(ValueError, match="every eigenvalue is zero"):
        KernelPCA(fit_inverse_transform=True).fit(np.ones((5, 2)))


def test_a_matrix_that_cannot_fit_is_refused():
    with pytest.raises(MemoryError, match=r"KernelPCA: .*2,000,000 samples takes 32 TB.*Nystroem"):
        KernelPCA(2, kernel="rbf").fit(np.zeros((2_000_000, 1)))
