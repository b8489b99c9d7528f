"""Kernel ridge regression: against its twin and scikit-learn, and where matrices are singular."""

import io
import os
import re
import warnings

import numpy as np
import pytest
import scipy.sparse
import sklearn.kernel_ridge as theirs
from sklearn.linear_model import Ridge as TheirRidge

import reference
from litlearn.exceptions import ConvergenceWarning
from litlearn.kernel_ridge import KernelRidge
from litlearn.kernels import _functions as kernels
from litlearn.kernels import _gram

nojit = pytest.mark.nojit
SETTINGS = (
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2, "gamma": 0.3, "coef0": 2.0},
    {"kernel": "rbf", "gamma": 0.4},
    {"kernel": "laplacian"},
    {"kernel": "cosine"},
    {"kernel": "chi2", "gamma": 0.7},
)
EVERY = pytest.mark.parametrize("setting", SETTINGS, ids=str)


def samples(n=60, m=15, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X, Q = rng.normal(size=(n, p)), rng.normal(size=(m, p))
    return X, np.sin(X[:, 0]) + X[:, 1] ** 2, Q


def for_kernel(setting, *arrays):
    """The samples, without negative numbers where the kernel takes none."""
    return [np.abs(one) if setting["kernel"] == "chi2" else one for one in arrays]


@nojit
@EVERY
def test_twin(setting):
    """eq-krr-dual and eq-krr-predict, with and without weights."""
    X, y, Q = samples()
    X, Q = for_kernel(setting, X, Q)
    parameters = {name: value for name, value in setting.items() if name != "kernel"}
    K, K_Q = (
        kernels.pairwise_kernels(one, X, metric=setting["kernel"], **parameters) for one in (X, Q)
    )
    for weight in (None, np.random.default_rng(1).random(len(X))):
        model = KernelRidge(alpha=0.5, **setting).fit(X, y, weight)
        expected = reference.kernel_ridge(K, y, 0.5, weight)
        np.testing.assert_allclose(model.dual_coef_, expected, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(model.predict(Q), K_Q @ expected, rtol=1e-7, atol=1e-8)
        assert model.solver_ == "cholesky"


@nojit
def test_the_objective_is_least():
    """eq-krr: no step from the solution lowers it."""
    X, y, _ = samples()
    K, lam = kernels.rbf_kernel(X), 0.3

    def objective(a):
        return ((y - K @ a) ** 2).sum() + lam * a @ K @ a

    a = KernelRidge(alpha=lam, kernel="rbf").fit(X, y).dual_coef_
    steps = np.random.default_rng(0).normal(size=(50, len(a)))
    least = objective(a)
    assert all(objective(a + size * step) > least for step in steps for size in (1e-3, 0.1))


@EVERY
def test_scikit_learn(setting):
    X, y, Q = samples(n=300, m=80)
    X, Q = for_kernel(setting, X, Q)
    Y = np.stack([y, -2.0 * y, X[:, 2]], axis=1)
    weight = np.random.default_rng(0).random(300)
    for targets, alpha in ((y, 1.0), (Y, 0.2), (Y, [0.1, 1.0, 0.1])):
        ours, other = (
            kind(alpha=alpha, **setting).fit(X, targets, weight).predict(Q)
            for kind in (KernelRidge, theirs.KernelRidge)
        )
        assert ours.shape == other.shape
        np.testing.assert_allclose(ours, other, rtol=1e-6, atol=1e-7)


@nojit
@pytest.mark.parametrize("kernel", _gram.POSITIVE)
@pytest.mark.parametrize("k", [None, 2])
def test_half_of_the_matrix_does_where_the_penalty_is_far_above_rounding(kernel, k, monkeypatch):
    """What stands below the diagonal is not read; small penalties, and weights, take it all."""
    X, y, Q = samples(n=150)
    targets = y if k is None else np.stack([y] * k, axis=1)
    whole, halves = kernels.gram, []

    def spoiled(*data, mirror=True, **options):
        K = whole(*data, mirror=mirror, **options)
        if not mirror:
            halves.append(len(K))
            K[np.tril_indices(len(K), -1)] = np.nan
        return K

    monkeypatch.setattr(kernels, "gram", spoiled)
    found = KernelRidge(alpha=0.3, kernel=kernel).fit(X, targets).predict(Q)
    assert halves == [150]
    alike = np.ones(150)
    expected = KernelRidge(alpha=0.3, kernel=kernel).fit(X, targets, alike).predict(Q)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        KernelRidge(alpha=1e-12, kernel=kernel).fit(X, targets)
        KernelRidge(alpha=0.3, kernel="sigmoid").fit(X, targets)
    if k is not None:
        KernelRidge(alpha=[0.3, 0.4], kernel=kernel).fit(X, targets)
    assert halves == [150]


@nojit
def test_linear_kernel_is_ridge_without_an_intercept():
    X, y, Q = samples()
    expected = TheirRidge(alpha=0.7, fit_intercept=False).fit(X, y).predict(Q)
    np.testing.assert_allclose(KernelRidge(alpha=0.7).fit(X, y).predict(Q), expected, rtol=1e-9)


@nojit
def test_precomputed_callable_sparse_and_single():
    X, y, Q = samples()
    X[np.abs(X) < 0.5] = 0.0
    expected = KernelRidge(kernel="rbf", gamma=0.3).fit(X, y).predict(Q)
    K, K_Q = kernels.rbf_kernel(X, gamma=0.3), kernels.rbf_kernel(Q, X, gamma=0.3)
    kept = K.copy()
    model = KernelRidge(kernel="precomputed").fit(K, y)
    np.testing.assert_array_equal(K, kept)
    np.testing.assert_allclose(model.predict(K_Q), expected, rtol=1e-8)

    def gauss(a, b, gamma):
        return np.exp(-gamma * ((a - b) ** 2).sum())

    model = KernelRidge(kernel=gauss, kernel_params={"gamma": 0.3}).fit(X, y)
    np.testing.assert_allclose(model.predict(Q), expected, rtol=1e-8)
    for form in (scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.coo_array):
        model = KernelRidge(kernel="rbf", gamma=0.3).fit(form(X), y)
        np.testing.assert_allclose(model.predict(form(Q)), expected, rtol=1e-8)
        np.testing.assert_allclose(model.predict(Q), expected, rtol=1e-8)
    model = KernelRidge(kernel="rbf", gamma=0.3).fit(X.astype(np.float32), y)
    np.testing.assert_allclose(model.predict(Q.astype(np.float32)), expected, rtol=1e-5, atol=1e-6)


@nojit
@pytest.mark.parametrize("n_alphas", [3, _gram.MOST_FACTORS + 2])
def test_a_penalty_for_each_target(n_alphas):
    """By a factorisation each, and by eigenvectors where they are many."""
    X, y, Q = samples()
    alpha = np.geomspace(0.01, 10.0, n_alphas)
    Y = np.stack([y * (t + 1) for t in range(n_alphas)], axis=1)
    model = KernelRidge(alpha=alpha, kernel="rbf").fit(X, Y)
    assert model.solver_ == ("cholesky" if n_alphas <= _gram.MOST_FACTORS else "eigen")
    found = model.predict(Q)
    for t in range(n_alphas):
        one = KernelRidge(alpha=alpha[t], kernel="rbf").fit(X, Y[:, t])
        np.testing.assert_allclose(found[:, t], one.predict(Q), rtol=1e-9, atol=1e-9)


@nojit
@pytest.mark.parametrize("case", ["duplicates", "linear"])
def test_singular(case):
    """The shortest least squares solution, and a warning that says why."""
    X, y, _ = samples(n=20)
    alpha, kernel = 0.0, "linear" if case == "linear" else "rbf"
    if case == "duplicates":
        X, y = np.vstack([X, X]), np.concatenate([y, y + 1.0])
    K = kernels.pairwise_kernels(X, metric=kernel) + alpha * np.eye(len(X))
    expected = np.linalg.lstsq(K, y, rcond=len(X) * np.finfo(float).eps)[0]
    with pytest.warns(ConvergenceWarning, match="KernelRidge: .* is singular up to rounding"):
        model = KernelRidge(alpha=alpha, kernel=kernel).fit(X, y)
    assert model.solver_ == "eigen"
    np.testing.assert_allclose(K @ model.dual_coef_, K @ expected, atol=1e-8)
    assert np.linalg.norm(model.dual_coef_) <= np.linalg.norm(expected) * (1 + 1e-6)


def with_eigenvalues(*values, n=30, seed=0):
    """A symmetric matrix with some eigenvalues, the others from 1 to 50; and their eigenvectors."""
    rng = np.random.default_rng(seed)
    V = np.linalg.qr(rng.normal(size=(n, n)))[0]
    K = (V * np.concatenate([values, np.geomspace(1.0, 50.0, n - len(values))])) @ V.T
    return 0.5 * (K + K.T), V[:, : len(values)]


NO_MINIMUM = "KernelRidge: the Gram matrix .* has an eigenvalue between -alpha=.* falls without end"


@nojit
@pytest.mark.parametrize(
    ("negative", "alpha", "said"),
    [
        ((), 2.0, None),
        ((0.0,), 2.0, None),
        ((-1e-13,), 2.0, None),  # rounding
        ((-1.9,), 2.0, NO_MINIMUM),
        ((-1.0, -0.5), 2.0, NO_MINIMUM),
        ((-1e-6,), 2.0, NO_MINIMUM),
        ((-0.01,), 2.0, NO_MINIMUM),
        ((-2.0,), 2.0, NO_MINIMUM),  # the parabola is a line
        ((-1.0, -5.0), 2.0, NO_MINIMUM),
        ((-2.1,), 2.0, "negative eigenvalues, all of them below -alpha=-2: .* has a minimum"),
        ((-5.0, -2.5), 2.0, "negative eigenvalues, all of them below -alpha=-2: .* has a minimum"),
        ((-1.0,), 0.0, "negative eigenvalues, all of them below -alpha=0: .* has a minimum"),
        ((0.0,), 0.0, "is singular up to rounding"),
    ],
)
def test_negative_eigenvalues(negative, alpha, said):
    """The objective of eq-krr is a parabola along an eigenvector, with factor l (l + alpha)."""
    K, V = with_eigenvalues(*negative)
    y = np.random.default_rng(1).normal(size=len(K))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = KernelRidge(alpha=alpha, kernel="precomputed").fit(K, y)
    messages = [str(one.message) for one in caught]
    assert len(messages) == (said is not None)
    assert said is None or re.search(said, messages[0])

    def objective(a):
        return np.sum((y - K @ a) ** 2) + alpha * a @ K @ a

    a, rng = model.dual_coef_, np.random.default_rng(2)
    if said == NO_MINIMUM:
        assert min(objective(a + sign * 1e7 * v) for v in V.T for sign in (1, -1)) < -1e3
    else:
        values = [objective(a + step * rng.normal(size=len(a))) for step in (1e-2, 1.0, 1e3)]
        assert min(values) >= objective(a) - 1e-9


@nojit
def test_negative_eigenvalues_with_weights_and_several_penalties():
    K, _ = with_eigenvalues(-1.0)
    Y, weight = np.ones((30, 2)), np.full(30, 4.0)
    few, many = np.array([3.0, 0.5]), np.linspace(0.1, 3.0, 2 + _gram.MOST_FACTORS)
    for targets, alpha, weights in ((Y, few, None), (np.ones((30, len(many))), many, None)):
        with pytest.warns(ConvergenceWarning, match=NO_MINIMUM):
            KernelRidge(alpha=alpha, kernel="precomputed").fit(K, targets, weights)
    with pytest.warns(ConvergenceWarning, match=NO_MINIMUM):  # the eigenvalue is four times that
        KernelRidge(alpha=4.1, kernel="precomputed").fit(K, Y, weight)
    with pytest.warns(ConvergenceWarning, match="has a minimum"):
        KernelRidge(alpha=3.9, kernel="precomputed").fit(K, Y, weight)


@nojit
@pytest.mark.filterwarnings("error")
def test_kernels_that_are_inner_products_warn_of_nothing():
    X, y, _ = samples(n=40)
    X = np.abs(X)
    for kernel in ("linear", "poly", "rbf", "laplacian", "cosine", "chi2"):
        KernelRidge(alpha=0.01, kernel=kernel).fit(X, y, np.ones(len(X)))
    for X32 in (X.astype(np.float32),):  # of few columns: most eigenvalues are rounding
        KernelRidge(alpha=1e-2, kernel="precomputed").fit(X32 @ X32.T, y)
        KernelRidge(alpha=1e-2, kernel=lambda a, b: a @ b).fit(X32, y)
    with pytest.raises(ConvergenceWarning, match="KernelRidge: .* kernel='sigmoid'"):
        KernelRidge(alpha=1.0, kernel="sigmoid").fit(X, y)


@nojit
@pytest.mark.parametrize(("share", "kept"), [(0.5, False), (2.0, True)])
def test_where_rounding_begins(share, kept):
    """Matrices whose smallest eigenvalue is half of what rounding makes of zero, and twice that."""
    B, least = np.ones((4, 1)), share * np.finfo(np.float64).eps
    found, why = _gram.solve_definite(np.diag([1.0, 1.0, 1.0, least]), B, 0.0)
    assert why is None if kept else found is None and "is singular up to rounding" in why
    shortest, _ = _gram.solve_by_eigenvectors(np.diag([1.0, 1.0, 1.0, 4.0 * least]), B, np.zeros(1))
    assert shortest[3, 0] == pytest.approx(0.25 / least if kept else 0.0, rel=1e-12)
    # An eigenvalue moves by at most the number of samples times the error of an entry.
    X, _, _ = samples(n=50)
    half = _gram.SampleKernel(KernelRidge(kernel="rbf"), X, 0.5).half(
        share * 100 * kernels.PRECISION
    )
    assert (half is not None) == kept


@nojit
@pytest.mark.filterwarnings("error")
def test_duplicates_and_a_small_penalty():
    X, y, Q = samples(n=25)
    twice = KernelRidge(alpha=1e-6, kernel="rbf").fit(np.vstack([X, X]), np.concatenate([y, y]))
    heavy = KernelRidge(alpha=1e-6, kernel="rbf").fit(X, y, 2.0)
    np.testing.assert_allclose(twice.predict(Q), heavy.predict(Q), rtol=1e-5, atol=1e-6)


@nojit
def test_weights_of_zero_leave_samples_out():
    X, y, Q = samples()
    weight = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    taken = weight > 0.0
    for setting in SETTINGS[:3]:
        model = KernelRidge(alpha=0.3, **setting).fit(X, y, weight)
        fewer = KernelRidge(alpha=0.3, **setting).fit(X[taken], y[taken], weight[taken])
        np.testing.assert_allclose(model.predict(Q), fewer.predict(Q), rtol=1e-9, atol=1e-10)
        assert not model.dual_coef_[~taken].any()
    K = kernels.rbf_kernel(X)
    model = KernelRidge(alpha=0.3, kernel="precomputed").fit(K, y, weight)
    expected = KernelRidge(alpha=0.3, kernel="rbf").fit(X, y, weight)
    np.testing.assert_allclose(model.dual_coef_, expected.dual_coef_, rtol=1e-8, atol=1e-9)


def test_a_matrix_that_cannot_fit_is_refused():
    X, y = np.zeros((2_000_000, 1)), np.zeros(2_000_000)
    with pytest.raises(
        MemoryError, match=r"KernelRidge: .*2,000,000 samples takes 32 TB"
    ) as caught:
        KernelRidge(kernel="rbf").fit(X, y)
    assert "Nystroem" in str(caught.value)


@nojit
def test_numbers_beyond_range():
    X, y, _ = samples(n=10)
    with pytest.raises(ValueError, match="KernelRidge: the kernel 'poly' .* infinite"):
        KernelRidge(kernel="poly").fit(X * 1e200, y)
    with pytest.raises(ValueError, match="KernelRidge: X contains negative values"):
        KernelRidge(kernel="chi2").fit(X, y)
    with pytest.raises(TypeError, match="Sparse data was passed for X, but KernelRidge"):
        KernelRidge(kernel="chi2").fit(scipy.sparse.csr_array(np.abs(X)), y)
    with pytest.raises(ValueError, match="must be a square matrix"):
        KernelRidge(kernel="precomputed").fit(X, y)
    with pytest.raises(ValueError, match="alpha has 2 penalties, y has 1 targets"):
        KernelRidge(alpha=[1.0, 2.0]).fit(X, y)


@nojit
def test_tiles_and_restoring():
    """What Cholesky leaves below the diagonal gives the whole matrix back; tiles change nothing."""
    X, _, Q = samples(n=600, m=3000, p=2)
    K = kernels.rbf_kernel(X)
    kept, diagonal = K.copy(), K.diagonal().copy()
    found, why = _gram.solve_definite(K, kept @ np.ones((600, 1)) + 0.5, 0.5)
    assert why is None
    np.testing.assert_allclose(found, 1.0, rtol=1e-9)
    _gram.undo_cholesky(K, diagonal)
    np.testing.assert_array_equal(K, kept)
    model = KernelRidge(alpha=0.1, kernel="rbf", gamma=0.5).fit(X, X[:, 0])
    expected = kernels.rbf_kernel(Q, X, gamma=0.5) @ model.dual_coef_
    np.testing.assert_allclose(model.predict(Q), expected, rtol=1e-8, atol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict(Q[:1]).shape == (1,)


@nojit
def test_a_matrix_of_zeros_has_the_shortest_solution():
    B, shifts = np.ones((3, 2)), np.array([0.0, 2.0])
    W, _ = _gram.solve_by_eigenvectors(np.zeros((3, 3)), B, shifts)
    np.testing.assert_allclose(W, [[0.0, 0.5]] * 3)


@nojit
def test_sizes_in_words():
    assert _gram.in_bytes(999) == "999 B" and _gram.in_bytes(8e12) == "8 TB"
    assert _gram.in_bytes(123_456_789) == "123 MB" and _gram.in_bytes(4e21) == "4e+03 EB"
    assert _gram.available_memory() > 1e6


MACHINE = {"/proc/meminfo": "MemTotal: 9000 kB\nMemAvailable:    4000 kB\n"}
CONTAINER = {
    "/sys/fs/cgroup/memory.max": "3000000\n",
    "/sys/fs/cgroup/memory.current": "2500000\n",
    "/sys/fs/cgroup/memory.stat": "anon 900\nactive_file 100000\ninactive_file 20000\nfile 7\n",
}


@pytest.mark.skipif(not hasattr(os, "sysconf"), reason="this system does not say what it has")
@pytest.mark.parametrize(
    ("files", "available"),
    [
        (MACHINE, 4_096_000.0),
        ({**MACHINE, **CONTAINER}, 620_000.0),  # contents of files can be dropped
        ({**MACHINE, **CONTAINER, "/sys/fs/cgroup/memory.max": "max\n"}, 4_096_000.0),
        ({**MACHINE, **CONTAINER, "/sys/fs/cgroup/memory.current": "9000000\n"}, 0.0),
        ({}, 2.0**24),
    ],
)
def test_memory_of_the_machine_and_of_its_container(files, available, monkeypatch):
    def read(path):
        if path not in files:
            raise FileNotFoundError(path)
        return io.StringIO(files[path])

    built_in = {"SC_PHYS_PAGES": 2**12, "SC_PAGE_SIZE": 2**12}
    monkeypatch.setattr(_gram, "open", read, raising=False)
    monkeypatch.setattr(_gram.os, "sysconf", built_in.__getitem__)
    assert _gram.available_memory() == available
