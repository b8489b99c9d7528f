"""Principal axes: against twins and scikit-learn, and where digits are easily lost."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse
import scipy.stats
import sklearn.decomposition
from sklearn.datasets import load_digits, load_iris

import reference
from litlearn._core import factors
from litlearn.decomposition import PCA, TruncatedSVD, _axes
from problems import LEARNED, assert_same_axes, correlated

SOLVERS = ("auto", "full", "covariance_eigh", "arpack", "randomized")


EVERY_SOLVER = pytest.mark.parametrize("solver", SOLVERS)


def centred_with_spectrum(n, p, values, seed=0):
    """Samples about a mean of zero whose singular values are given."""
    rng, r = np.random.default_rng(seed), len(values)
    left = np.linalg.qr(np.hstack([np.ones((n, 1)), rng.normal(size=(n, r))]))[0][:, 1:]
    return (left * values) @ np.linalg.qr(rng.normal(size=(p, r)))[0].T


@pytest.mark.parametrize(
    ("n", "p", "k", "solver"),
    [
        (*sizes, solver)
        for sizes in [(40, 5, 3), (300, 60, 10), (20, 30, 4), (60, 1, 1)]
        for solver in SOLVERS
        if solver != "arpack" or sizes[2] < min(sizes[:2])  # it finds fewer axes than there are
    ],
)
@pytest.mark.nojit
def test_twin(solver, n, p, k):
    """Equations eq-pca-variance, eq-pca-eigen, eq-pca-scores, eq-pca-rebuilt."""
    X = correlated(n, p)
    model = PCA(k, svd_solver=solver, iterated_power=30, random_state=0).fit(X)
    mean, variances, axes = reference.principal_axes(X, k)
    np.testing.assert_allclose(model.mean_, mean)
    np.testing.assert_allclose(model.explained_variance_, variances, rtol=1e-8)
    np.testing.assert_allclose(model.components_, axes, atol=1e-5)
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(k), atol=1e-12)
    scores = model.transform(X)
    np.testing.assert_allclose(scores, (X - mean) @ model.components_.T, atol=1e-10)
    rebuilt = mean + scores @ model.components_
    np.testing.assert_allclose(model.inverse_transform(scores), rebuilt, atol=1e-10)


@pytest.mark.nojit
def test_what_is_kept_and_what_is_lost_add_up():
    """Equations eq-pca-loss, eq-pca-svd, eq-pca-share."""
    X = correlated(50, 8)
    Z = X - X.mean(axis=0)
    values = np.linalg.svd(Z, compute_uv=False)
    for k in range(1, 9):
        model = PCA(k, svd_solver="full").fit(X)
        lost = np.sum((X - model.inverse_transform(model.transform(X))) ** 2)
        np.testing.assert_allclose(lost, np.sum(values[k:] ** 2), atol=1e-9)
        np.testing.assert_allclose(model.explained_variance_, values[:k] ** 2 / 49)
        share = np.sum(values[:k] ** 2) / np.sum(Z**2)
        np.testing.assert_allclose(model.explained_variance_ratio_.sum(), share)
        rest = np.mean(values[k:] ** 2) / 49 if k < 8 else 0.0
        np.testing.assert_allclose(model.noise_variance_, rest)


@pytest.mark.parametrize("k", [1, 3, 5])
@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.nojit
def test_density(k, whiten):
    """Equation eq-pca-model."""
    X = correlated(80, 5)
    model = PCA(k, whiten=whiten).fit(X)
    covariance = model.get_covariance()
    np.testing.assert_allclose(model.get_precision() @ covariance, np.eye(5), atol=1e-9)
    expected = scipy.stats.multivariate_normal(X.mean(axis=0), covariance).logpdf(X)
    np.testing.assert_allclose(model.score_samples(X), expected)
    np.testing.assert_allclose(model.score(X), expected.mean())
    if k == 5:
        np.testing.assert_allclose(covariance, np.cov(X.T))


@pytest.mark.nojit
def test_whitening():
    X = correlated(60, 6)
    model = PCA(4, whiten=True).fit(X)
    scores = model.transform(X)
    np.testing.assert_allclose(np.cov(scores.T), np.eye(4), atol=1e-12)
    plain = PCA(4).fit(X)
    rebuilt = plain.inverse_transform(plain.transform(X))
    np.testing.assert_allclose(model.inverse_transform(scores), rebuilt)


@EVERY_SOLVER
@pytest.mark.nojit
def test_moving_turning_and_mirroring(solver):
    X, turn = correlated(200, 12), np.linalg.qr(np.random.default_rng(3).normal(size=(12, 12)))[0]
    settings = {"svd_solver": solver, "iterated_power": 30, "random_state": 0}
    model, turned = PCA(3, **settings).fit(X), PCA(3, **settings).fit(X @ turn + 1000.0)
    np.testing.assert_allclose(turned.singular_values_, model.singular_values_, rtol=1e-9)
    match = np.abs(turned.components_ @ (model.components_ @ turn).T)
    np.testing.assert_allclose(match, np.eye(3), atol=1e-5)
    rows = np.random.default_rng(4).permutation(200)
    shuffled = PCA(3, **settings).fit(X[rows])
    np.testing.assert_allclose(shuffled.components_, model.components_, atol=1e-7)


SHAPES = {"tall": (20_000, 8), "deep": (3000, 40), "square": (300, 300), "wide": (60, 2000)}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("solver", ["auto", "full"])
@pytest.mark.parametrize("offset", [0.0, 10.0])
def test_small_singular_values_keep_their_digits(shape, solver, offset):
    """A spectrum from 1 to 1e-10: its squares differ by more than float64 has digits."""
    n, p = SHAPES[shape]
    r = min(n - 1, p)
    values = np.geomspace(1.0, 1e-10, r)
    X = centred_with_spectrum(n, p, values) + offset
    expected = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[:r]
    if not offset:
        np.testing.assert_allclose(expected, values, rtol=1e-4)
    model = PCA(r, svd_solver=solver).fit(X)
    tolerance = 2e-15 * max(1.0, offset * np.sqrt(n))
    np.testing.assert_allclose(model.singular_values_, expected, rtol=1e-9, atol=tolerance)
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(r), atol=1e-12)
    assert model.solver_ != "covariance_eigh"


def test_few_axes_keep_their_digits():
    values = np.concatenate([np.geomspace(1.0, 1e-9, 10), np.geomspace(1e-11, 1e-12, 50)])
    X = centred_with_spectrum(800, 900, values)
    model = PCA(10).fit(X)
    assert model.solver_ == "krylov"
    np.testing.assert_allclose(model.singular_values_, values[:10], rtol=1e-5)
    spread = PCA(10).fit(correlated(800, 900))
    assert spread.solver_ == "krylov"
    exact = np.linalg.svd(correlated(800, 900) - correlated(800, 900).mean(axis=0))[1][:10]
    np.testing.assert_allclose(spread.singular_values_, exact, rtol=1e-12)


def test_fewer_samples_than_features_by_their_own_products():
    """Where squares keep their digits, which is asserted; else the samples are decomposed."""
    X = correlated(100, 2000)
    model, exact = PCA(5).fit(X), PCA(5, svd_solver="full").fit(X)
    assert (model.solver_, exact.solver_) == ("gram", "full")
    np.testing.assert_allclose(model.components_, exact.components_, atol=1e-10)
    np.testing.assert_allclose(model.singular_values_, exact.singular_values_, rtol=1e-12)
    assert model.noise_variance_ == pytest.approx(exact.noise_variance_, rel=1e-10)
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(5), atol=1e-12)
    steep = (X - X.mean(axis=0)) * np.geomspace(1.0, 1e-8, 100)[:, None]
    model, exact = PCA(60).fit(steep), PCA(60, svd_solver="full").fit(steep)
    assert model.solver_ == "full"
    np.testing.assert_allclose(model.singular_values_, exact.singular_values_, rtol=1e-12)


@pytest.mark.nojit
def test_squares_are_given_up_where_they_lose_digits():
    assert _axes.digits_are_left(np.array([1.0, 0.1, 0.01]), 3, 9)
    assert not _axes.digits_are_left(np.array([1.0, 0.1, 1e-4]), 3, 9)
    assert _axes.digits_are_left(np.array([1.0, 0.1, 1e-2, 1e-9]), 2, 9)
    assert not _axes.digits_are_left(np.array([1.0, 0.1, 1e-9, 1e-9]), 2, 9)
    X = centred_with_spectrum(3000, 30, np.geomspace(1.0, 1e-2, 30))
    assert PCA().fit(X).solver_ == "covariance_eigh"
    X = centred_with_spectrum(3000, 30, np.geomspace(1.0, 1e-8, 30))
    assert PCA().fit(X).solver_ == "full"
    assert PCA(29).fit(X).solver_ == "full"  # for the variance that is left
    assert PCA(3).fit(X).solver_ == "covariance_eigh"


@pytest.mark.parametrize("solver", ["auto", "full", "covariance_eigh"])
@pytest.mark.nojit
def test_constant_and_equal_columns(solver):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=50), np.full(50, 0.1), np.full(50, 1e8)])
    X = np.column_stack([X, X[:, 0], 3.0 * X[:, 0]])
    model = PCA(svd_solver=solver).fit(X)
    variance = 11.0 * X[:, 0].var(ddof=1)
    np.testing.assert_allclose(model.explained_variance_[0], variance)
    np.testing.assert_allclose(model.explained_variance_[1:], 0.0, atol=1e-14 * variance)
    np.testing.assert_allclose(np.abs(model.components_[0, [1, 2]]), 0.0, atol=1e-14)
    assert np.isfinite(model.transform(X)).all() and np.isfinite(model.score_samples(X)).all()
    assert np.isfinite(PCA(whiten=True, svd_solver=solver).fit_transform(X)).all()


@pytest.mark.parametrize("solver", ["auto", "full", "covariance_eigh", "randomized"])
@pytest.mark.parametrize("X", [np.full((5, 3), 0.1), np.array([[1.0, 2.0, 3.0]]), np.zeros((4, 1))])
@pytest.mark.nojit
def test_samples_that_do_not_vary(solver, X):
    model = PCA(svd_solver=solver, random_state=0).fit(X)
    np.testing.assert_allclose(model.explained_variance_, 0.0, atol=1e-30)
    np.testing.assert_array_equal(model.explained_variance_ratio_ > 1.0, False)
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X)
    if solver != "randomized":
        with pytest.raises(np.linalg.LinAlgError, match="PCA: the samples do not vary"):
            PCA().fit(X).score_samples(X)


@EVERY_SOLVER
def test_single_precision(solver):
    X = (correlated(900, 20) + 50.0).astype(np.float32)
    settings = {"svd_solver": solver, "iterated_power": 20, "random_state": 0}
    single, double = (PCA(5, **settings).fit(one) for one in (X, X.astype(np.float64)))
    assert single.components_.dtype == single.transform(X).dtype == np.float32
    assert_same_axes(single, double, atol=1e-6)
    scores = double.transform(X.astype(np.float64))
    np.testing.assert_allclose(single.transform(X), scores, atol=1e-5 * np.abs(scores).max())


def test_a_file_is_read_in_blocks(tmp_path):
    X = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", np.float64, (200_000, 20))
    X[:] = correlated(200_000, 20)
    expected = PCA(3).fit(np.array(X))
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    for solver in ("auto", "full"):
        tracemalloc.start()
        model = PCA(3, svd_solver=solver).fit(X)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 0.75 * X.nbytes, (solver, peak / X.nbytes)
        assert_same_axes(model, expected, atol=1e-9)


@pytest.mark.parametrize(
    ("solver", "shape"),
    [
        ("auto", (20_000, 30)),
        ("full", (20_000, 30)),
        ("auto", (900, 1000)),
        ("arpack", (900, 1000)),
    ],
)
def test_the_number_of_threads_changes_no_bit(solver, shape, monkeypatch):
    X = correlated(*shape)
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        model = PCA(4, svd_solver=solver, random_state=0).fit(X)
        found.append([model.components_, model.singular_values_, model.transform(X)])
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


DATA = {
    "iris": load_iris().data,
    "digits": load_digits().data,
    "tall": correlated(3000, 12),
    "wide": correlated(40, 70),
}


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("k", [None, 1, 3, 0.5, 0.9, 0.999])
def test_parity(name, k):
    X = DATA[name]
    theirs = sklearn.decomposition.PCA(k, svd_solver="full").fit(X)
    ours = PCA(k).fit(X)
    names = LEARNED if k is not None else LEARNED[1:]
    if k is not None or name in ("iris", "tall"):
        assert_same_axes(ours, theirs, names, atol=1e-7)
        np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-6)
    if ours.noise_variance_ > 0.0:
        np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-6)
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())


@pytest.mark.parametrize("solver", ["arpack", "randomized"])
@pytest.mark.parametrize("name", DATA)
def test_parity_with_the_same_random_numbers(name, solver):
    X = DATA[name]
    theirs = sklearn.decomposition.PCA(2, svd_solver=solver, random_state=7).fit(X)
    ours = PCA(2, svd_solver=solver, random_state=7).fit(X)
    assert_same_axes(ours, theirs, atol=1e-7)


@pytest.mark.parametrize("seed", range(8))
def test_evidence_chooses_as_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 4)) @ rng.normal(size=(4, 9)) + 0.5 * rng.normal(size=(200, 9))
    theirs = sklearn.decomposition.PCA("mle", svd_solver="full").fit(X)
    found = PCA("mle").fit(X).n_components_
    assert found == theirs.n_components_ and type(found) is type(theirs.n_components_)
    values = np.sort(rng.exponential(size=12))[::-1]
    expected = sklearn.decomposition._pca._infer_dimension(values, 50)
    assert _axes.most_evident(values, 50) == expected
    assert _axes.most_evident(values * 1e-30, 50) == expected


@pytest.mark.nojit
def test_evidence_of_little():
    assert _axes.most_evident(np.array([2.0]), 5) == 1
    assert _axes.most_evident(np.zeros(4), 5) == 1
    assert _axes.most_evident(np.array([1.0, 1e-30, 1e-30, 1e-30]), 10) == 1
    assert np.isfinite(_axes.most_evident(np.ones(4), 10))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("solver", ["auto", "covariance_eigh"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_one_value_that_is_not_finite_is_refused_by_the_pass_that_sums(value, solver, order, dtype):
    X = np.random.default_rng(0).normal(size=(50_000, 30)).astype(dtype, order=order)
    assert _axes.squares_first(X.shape, None)
    model = PCA(svd_solver=solver).fit(X[:2000])
    old = model.mean_.copy()
    said = "contains NaN" if np.isnan(value) else "contains infinity or a value too large"
    for i, j in ((0, 0), (49_999, 29), (25_000, 7)):
        kept, X[i, j] = X[i, j], value
        with pytest.raises(ValueError, match=f"Input X {said}"):
            model.fit(X)
        X[i, j] = kept
    X[:, 3] = value
    with pytest.raises(ValueError, match=f"Input X {said}"):
        model.fit(X)
    np.testing.assert_array_equal(model.mean_, old)
    assert model.n_samples_ == 2000


@pytest.mark.parametrize("solver", ["auto", "covariance_eigh", "arpack"])
@pytest.mark.parametrize("form", ["csr_matrix", "csc_array", "coo_matrix"])
@pytest.mark.parametrize("density", [0.02, 0.4])
def test_sparse(solver, form, density):
    X = scipy.sparse.random_array((300, 40), density=density, random_state=0).toarray()
    sparse = getattr(scipy.sparse, form)(X)
    theirs = sklearn.decomposition.PCA(4, svd_solver="full").fit(X)
    ours = PCA(4, svd_solver=solver, random_state=0).fit(sparse)
    assert_same_axes(ours, theirs, atol=1e-9)
    np.testing.assert_allclose(ours.transform(sparse), theirs.transform(X), atol=1e-9)


@pytest.mark.thread_unsafe(reason="the memory of the process")
def test_sparse_samples_of_many_features_are_not_made_dense():
    X = scipy.sparse.random_array((500, 30_000), density=1e-3, format="csr", random_state=0)
    PCA(3).fit(X)  # what it may compile needs memory of its own
    tracemalloc.start()
    model = PCA(3).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.solver_ in ("krylov", "arpack") and peak < 0.5 * 500 * 30_000 * 8
    Z = X.toarray() - X.toarray().mean(axis=0)
    expected = np.sqrt(np.linalg.eigvalsh(Z @ Z.T)[::-1][:3])
    np.testing.assert_allclose(model.singular_values_, expected, rtol=1e-9)


@pytest.mark.nojit
def test_which_way_suits():
    assert not _axes.few_axes_pay((100_000, 200), 10)
    assert _axes.few_axes_pay((2000, 5000), 20)
    assert not _axes.few_axes_pay((2000, 5000), 1000)
    assert not _axes.few_axes_pay((1_000_000, 50), 50)


@pytest.mark.parametrize(
    ("estimator", "match"),
    [
        (PCA(4), "n_components=4 must be between 0 and .*=3"),
        (PCA(4, svd_solver="randomized"), "n_components=4 must be between 1 and .*=3"),
        (PCA(3, svd_solver="arpack"), "strictly less than .*=3"),
        (PCA(0, svd_solver="arpack"), "between 1 and"),
        (PCA("mle", svd_solver="arpack"), "cannot be a string with svd_solver='arpack'"),
        (PCA("mle"), "only supported if n_samples >= n_features"),
        (TruncatedSVD(6), "must be <= n_features"),
        (TruncatedSVD(3, algorithm="arpack"), "must be less than .*=3"),
    ],
    ids=repr,
)
@pytest.mark.nojit
def test_too_many(estimator, match):
    X = np.random.default_rng(0).normal(size=(3, 5))
    with pytest.raises(ValueError, match=match) as caught:
        estimator.fit(X)
    assert type(estimator).__name__ in str(caught.value)


@pytest.mark.nojit
def test_other_refusals():
    X = correlated(20, 4)
    with pytest.raises(TypeError, match="PCA only support sparse inputs"):
        PCA(2, svd_solver="full").fit(scipy.sparse.csr_array(X))
    with pytest.raises(ValueError, match="TruncatedSVD.inverse_transform: X has 3 columns"):
        TruncatedSVD(2).fit(X).inverse_transform(X[:, :3])
    with pytest.raises(ValueError, match="PCA.inverse_transform: X has 3 columns, expected 2"):
        PCA(2).fit(X).inverse_transform(X[:, :3])
    with pytest.raises(ValueError, match="minimum of 2 is required by TruncatedSVD"):
        TruncatedSVD(1).fit(X[:, :1])
    assert factors.signs(PCA().fit(X).components_.T).min() == 1.0


def test_two_samples_have_one_variance():
    model = PCA().fit([[0.0, 0.0], [3.0, 4.0]])
    np.testing.assert_allclose(model.explained_variance_, [12.5, 0.0], atol=1e-14)
