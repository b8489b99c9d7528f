"""Gaussian mixtures against their twin, their invariants, and scikit-learn."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse
import sklearn.mixture as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.utils.estimator_checks import check_sample_weight_equivalence_on_dense_data

import reference
from litlearn.cluster import KMeans
from litlearn.exceptions import ConvergenceWarning
from litlearn.mixture import GaussianMixture, _em

nojit = pytest.mark.nojit
KINDS = pytest.mark.parametrize("kind", _em.KINDS)
EVERY_BATCH = pytest.mark.parametrize(
    ("bad", "settings", "error", "message"),
    [
        (np.zeros((40, 2)), {}, ValueError, "X has 2 features, but GaussianMixture is expecting 3"),
        (np.full((40, 3), np.nan), {}, ValueError, "GaussianMixture"),
        (scipy.sparse.csr_array(np.eye(3)), {}, TypeError, "GaussianMixture"),
        (np.zeros((40, 3)), {"n_components": 3}, ValueError, "n_components=3 .* were 2 and 'full'"),
        (np.zeros((40, 3)), {"covariance_type": "tied"}, ValueError, "covariance_type='tied' were"),
        (np.zeros((40, 3)), {}, ValueError, "sample_weight holds negative weights"),
    ],
)


def make(n=90, p=3, k=3, seed=0, apart=3.0):
    rng = np.random.default_rng(seed)
    means = apart * rng.normal(size=(k, p))
    mix = rng.normal(size=(k, p, p))
    X = np.einsum("ip,ipl->il", rng.normal(size=(n, p)), mix[np.arange(n) % k])
    return X + means[np.arange(n) % k]


def start_of(kind, X, k):
    p = X.shape[1]
    units = {
        "full": np.repeat(np.eye(p)[None], k, axis=0),
        "tied": np.eye(p),
        "diag": np.ones((k, p)),
        "spherical": np.ones(k),
    }
    return {
        "weights_init": np.full(k, 1 / k),
        "means_init": X[:k] + 0.1,
        "precisions_init": units[kind],
    }


def as_matrices(kind, covariances, k, p):
    if kind == "full":
        return covariances
    if kind == "tied":
        return np.repeat(covariances[None], k, axis=0)
    diagonals = covariances if kind == "diag" else np.repeat(covariances[:, None], p, axis=1)
    return np.array([np.diag(one) for one in diagonals])


@nojit
@KINDS
@pytest.mark.parametrize("p", [1, 3, 40])
@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_steps_twin(kind, p):
    """eq-gmm-density, eq-gmm-responsibility, eq-gmm-m-step, eq-gmm-likelihood."""
    n, k = (90, 3) if p < 40 else (400, 2)
    X = make(n=n, p=p, k=k)
    weights, means = np.full(k, 1 / k), X[:k] + 0.1
    covariances = np.repeat(np.eye(p)[None], k, axis=0)
    bounds = []
    for _ in range(4):
        R, bound, weights, means, full = reference.em_step(X, weights, means, covariances, 1e-6)
        covariances = reference.restricted(kind, weights, full)
        bounds.append(bound)
    model = GaussianMixture(
        k, covariance_type=kind, max_iter=4, tol=0.0, **start_of(kind, X, k)
    ).fit(X)
    np.testing.assert_allclose(model.lower_bounds_, bounds, rtol=1e-10)
    np.testing.assert_allclose(model.weights_, weights, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(model.means_, means, rtol=1e-8, atol=1e-9)
    found = as_matrices(kind, model.covariances_, k, p)
    np.testing.assert_allclose(found, covariances, rtol=1e-7, atol=1e-9)
    R, bound, *_ = reference.em_step(X, weights, means, covariances)
    np.testing.assert_allclose(model.predict_proba(X), R, atol=1e-8)
    assert model.score(X) == pytest.approx(bound, rel=1e-9)


@KINDS
@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("init", ["kmeans", "k-means++", "random", "random_from_data"])
@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_parity(kind, load, init):
    X, _ = load(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    setting = {"n_components": 3, "covariance_type": kind, "init_params": init, "random_state": 1}
    ours = GaussianMixture(max_iter=20, reg_covar=1e-3, **setting).fit(X)
    other = theirs.GaussianMixture(max_iter=20, reg_covar=1e-3, **setting).fit(X)
    assert (ours.n_iter_, ours.converged_) == (other.n_iter_, other.converged_)
    assert ours.lower_bound_ == pytest.approx(other.lower_bound_, rel=1e-8)
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"):
        one, two = getattr(ours, name), getattr(other, name)
        np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6 * np.abs(two).max())
    np.testing.assert_array_equal(ours.predict(X), other.predict(X))
    np.testing.assert_allclose(ours.score_samples(X), other.score_samples(X), rtol=1e-6)
    assert ours.bic(X) == pytest.approx(other.bic(X)) and ours.aic(X) == pytest.approx(other.aic(X))
    for one, two in zip(ours.sample(20), other.sample(20), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-4, atol=1e-4)


@nojit
@KINDS
@settings(max_examples=15)
@given(seed=st.integers(0, 1000), apart=st.sampled_from([0.1, 1.0, 30.0]))
@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_the_likelihood_never_falls(kind, seed, apart):
    """eq-gmm-bound: what each round climbs on."""
    X = make(n=40, p=2, k=2, seed=seed, apart=apart)
    model = GaussianMixture(
        2,
        covariance_type=kind,
        max_iter=15,
        tol=0.0,
        reg_covar=0.0,
        init_params="random",
        random_state=seed,
    )
    try:
        model.fit(X)
    except ValueError as error:
        assert "collapsed" in str(error)
        return
    bounds = np.array(model.lower_bounds_)
    assert (np.diff(bounds) >= -1e-11 * np.abs(bounds[1:])).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@KINDS
def test_types(kind, dtype):
    X = make(n=300).astype(dtype)
    model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"):
        assert getattr(model, name).dtype == dtype
    other = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X.astype(np.float64))
    np.testing.assert_allclose(model.means_, other.means_, rtol=1e-3, atol=1e-3)


@KINDS
def test_a_large_mean_costs_no_digits(kind):
    X = np.round(make(n=300), 2)
    near = GaussianMixture(3, covariance_type=kind, **start_of(kind, X, 3)).fit(X)
    moved = X + 2.0**20
    far = GaussianMixture(3, covariance_type=kind, **start_of(kind, moved, 3)).fit(moved)
    np.testing.assert_allclose(near.covariances_, far.covariances_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(near.score_samples(X), far.score_samples(moved), rtol=1e-7)


@KINDS
def test_components_far_apart_keep_their_covariances(kind):
    """Sums about the present means lose nothing to the distance of the components."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    X[200:] += 1e6
    start = start_of(kind, X, 2)
    start["means_init"] = np.array([[0.0, 0.0], [1e6, 1e6]])
    model = GaussianMixture(2, covariance_type=kind, reg_covar=0.0, **start).fit(X)
    own = [np.cov(part.T, bias=True) for part in (X[:200], X[200:])]
    expected = reference.restricted(kind, np.array([0.5, 0.5]), np.array(own))
    found = as_matrices(kind, model.covariances_, 2, 2)
    # A tied one is what is left of the whole, whose spread is 10^12 times as large.
    np.testing.assert_allclose(found, expected, atol=2e-3 if kind == "tied" else 1e-8)


def test_collapse_is_refused_and_prevented():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 20, axis=0)
    with pytest.raises(ValueError, match="ill-defined empirical covariance"):
        GaussianMixture(2, reg_covar=0.0, random_state=0).fit(X)
    model = GaussianMixture(2, random_state=0).fit(X)
    np.testing.assert_allclose(model.covariances_[0], 1e-6 * np.eye(2), atol=1e-12)
    with pytest.raises(ValueError, match="Expected n_samples >= n_components but got n_components"):
        GaussianMixture(5).fit(X[:3])
    with pytest.raises(ValueError, match="1 sample.* a minimum of 2 is required"):
        GaussianMixture(1).fit(X[:1])
    np.testing.assert_allclose(GaussianMixture(1).fit(X[[0, 20]]).means_, [[0.5, 0.5]])


def test_warm_start_goes_on():
    X = make(n=300, apart=1.0)
    with pytest.warns(ConvergenceWarning, match="GaussianMixture: Best performing initialization"):
        first = GaussianMixture(3, max_iter=3, warm_start=True, random_state=0).fit(X)
    before = first.lower_bound_
    first.set_params(max_iter=500).fit(X)
    whole = GaussianMixture(3, max_iter=500, random_state=0).fit(X)
    assert first.lower_bound_ > before
    assert first.lower_bound_ == pytest.approx(whole.lower_bound_, abs=2e-3)


def test_the_best_of_several_starts():
    X = make(n=200, k=5, apart=2.0)
    setting = {"n_components": 5, "init_params": "random_from_data", "max_iter": 300}
    best = GaussianMixture(n_init=5, random_state=0, **setting).fit(X)
    alone = GaussianMixture(n_init=1, random_state=0, **setting).fit(X)
    assert best.lower_bound_ >= alone.lower_bound_


@nojit
def test_shrinking_variances_make_k_means():
    """With equal weights and one tiny variance, responsibilities are the labels of k-means."""
    X = make(n=60, p=2)
    centres = KMeans(3, random_state=0).fit(X)
    parameters = _em.with_factors(
        "spherical", np.full(3, 1 / 3), centres.cluster_centers_, np.full(3, 1e-4)
    )
    R = _em.log_joint(_em.density_of("spherical", parameters), X)
    _em.responsibilities(R)
    np.testing.assert_array_equal(R.argmax(axis=1), centres.labels_)
    assert (R.max(axis=1) > 0.99).mean() > 0.9


def test_samples_in_a_file(tmp_path):
    X = make(n=5000)
    mapped = np.memmap(tmp_path / "X", dtype=np.float64, mode="w+", shape=X.shape)
    mapped[:] = X
    a, b = (GaussianMixture(3, random_state=0).fit(one) for one in (mapped, X))
    np.testing.assert_array_equal(a.covariances_, b.covariances_)


@pytest.mark.thread_unsafe(reason="the memory of the process")
@KINDS
@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_samples_in_a_file_are_not_loaded(tmp_path, kind):
    """A fit allocates nothing of the size of the data, also where it computes in another type."""
    import tracemalloc

    mapped = np.memmap(tmp_path / "X", dtype=np.float32, mode="w+", shape=(200_000, 16))
    mapped[:] = make(n=200_000, p=16, k=3)
    setting = {"init_params": "random_from_data", "max_iter": 2, "random_state": 0}
    model = GaussianMixture(3, covariance_type=kind, **setting)
    model.fit(mapped)  # compiles, what several blocks need, too
    tracemalloc.start()
    model.fit(mapped)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < mapped.nbytes / 2


def test_drawn_samples_have_the_moments_of_the_mixture():
    X = make(n=300)
    for kind in _em.KINDS:
        model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
        drawn, labels = model.sample(40_000)
        assert drawn.shape == (40_000, 3) and (np.diff(labels) >= 0).all()
        np.testing.assert_allclose(drawn.mean(axis=0), model.weights_ @ model.means_, atol=0.2)
        np.testing.assert_allclose(np.bincount(labels) / 40_000, model.weights_, atol=0.02)
    with pytest.raises(ValueError, match="Invalid value for 'n_samples'"):
        model.sample(0)


def test_verbose_shows_a_bar(capsys):
    GaussianMixture(2, verbose=1, random_state=0).fit(make())
    assert "log-likelihood" in capsys.readouterr().err


@nojit
@KINDS
def test_the_bound_lies_below_and_touches(kind):
    """eq-gmm-bound: with any responsibilities it is below the likelihood; with the right, on it."""
    X = make(n=40, p=2, k=2)
    model = GaussianMixture(2, covariance_type=kind, random_state=0, max_iter=2, tol=0.0)
    with pytest.warns(ConvergenceWarning):
        parameters = model.fit(X)._parameters()
    logs = _em.log_joint(_em.density_of(kind, parameters), X)

    def bound(R):
        return (R * (logs - np.log(R))).sum()

    R = logs.copy()
    likelihood = _em.responsibilities(R).sum()
    assert bound(R) == pytest.approx(likelihood, rel=1e-12)
    rng = np.random.default_rng(0)
    for _ in range(20):
        assert bound(rng.dirichlet([1, 1], size=len(X))) < likelihood


@KINDS
def test_criteria_count_the_parameters(kind):
    """eq-gmm-bic."""
    X = make(n=200, p=3)
    model = GaussianMixture(2, covariance_type=kind, random_state=0).fit(X)
    free = {"full": 12, "tied": 6, "diag": 6, "spherical": 2}[kind] + 2 * 3 + 1
    likelihood = 200 * model.score(X)
    assert model.bic(X) == pytest.approx(-2 * likelihood + free * np.log(200), rel=1e-12)
    assert model.aic(X) == pytest.approx(-2 * likelihood + 2 * free, rel=1e-12)


@KINDS
def test_an_interrupt_leaves_the_last_whole_iteration(kind, monkeypatch):
    X = make(n=300, apart=1.0)
    setting = {"covariance_type": kind, "tol": 0.0, "random_state": 0}
    with pytest.warns(ConvergenceWarning):
        expected = GaussianMixture(3, max_iter=4, **setting).fit(X)
    rounds, maximise = [], _em.maximise

    def interrupted(*args):
        rounds.append(1)
        if len(rounds) == 6:  # the first makes the start
            raise KeyboardInterrupt
        return maximise(*args)

    monkeypatch.setattr(_em, "maximise", interrupted)
    model = GaussianMixture(3, max_iter=50, **setting)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X)
    monkeypatch.undo()
    assert (model.n_iter_, model.converged_, model.n_features_in_) == (4, False, 3)
    assert model.lower_bounds_ == expected.lower_bounds_
    np.testing.assert_array_equal(model.means_, expected.means_)
    np.testing.assert_array_equal(model.covariances_, expected.covariances_)
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))


def test_an_interrupt_keeps_the_best_start_so_far(monkeypatch):
    X = make(n=300, k=5, apart=2.0)
    setting = {"init_params": "random_from_data", "random_state": 0, "max_iter": 300}
    first = GaussianMixture(5, **setting).fit(X)
    fits, solve = [], _em.expectation_maximisation

    def interrupted(*args, **limits):
        fits.append(1)
        if len(fits) == 2:
            interrupt = KeyboardInterrupt()
            interrupt.fit = _em.Estimate(first._parameters(), [-1e9], False)
            raise interrupt
        return solve(*args, **limits)

    monkeypatch.setattr(_em, "expectation_maximisation", interrupted)
    model = GaussianMixture(5, n_init=3, **setting)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X)
    np.testing.assert_array_equal(model.means_, first.means_)
    assert not model.converged_


def test_an_interrupt_before_the_first_iteration_changes_nothing(monkeypatch):
    def interrupted(*args, **limits):
        raise KeyboardInterrupt

    X = make(n=300)
    model = GaussianMixture(3, random_state=0).fit(X)
    means = model.means_
    monkeypatch.setattr(_em, "sum_up", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X)
    assert model.means_ is means and model.converged_
    with pytest.raises(KeyboardInterrupt):
        other = GaussianMixture(3, random_state=0)
        other.fit(X)
    assert not hasattr(other, "means_")


@pytest.mark.thread_unsafe(reason="the memory of the process")
@KINDS
@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_memory_does_not_grow_with_the_samples(kind):
    """What an iteration allocates, beyond its start, is a few tiles: no responsibilities of all."""
    import tracemalloc

    X = make(n=200_000, p=4, k=3)
    model = GaussianMixture(8, covariance_type=kind, max_iter=2, tol=0.0, random_state=0)
    start = {"weights_init": np.full(8, 1 / 8), "means_init": X[:8]}
    start["precisions_init"] = start_of(kind, X, 8)["precisions_init"]
    model.set_params(**start)
    model.fit(X)  # compiles, what several blocks need, too
    peaks = []
    for one in (model, theirs.GaussianMixture(8, covariance_type=kind, max_iter=2, tol=0, **start)):
        tracemalloc.start()
        one.fit(X)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[0] < 8 * len(X) * 8 / 2  # half of the responsibilities of all
    assert peaks[0] < 0.1 * peaks[1]


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_samples_so_far_away_that_densities_are_zero(kind):
    """Nothing is NaN: such a sample belongs to the component that is widest in its direction."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(60, 2)), 5.0 * rng.normal(size=(60, 2)) + 20.0])
    model = GaussianMixture(2, covariance_type=kind, random_state=0).fit(X)
    far = np.array([[1e200, 0.0], [-1e300, 1e300], [1e160, 1e100], [1e30, 1e31]])
    R = model.predict_proba(far)
    np.testing.assert_allclose(R.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(far), R.argmax(axis=1))
    assert np.isneginf(model.score_samples(far[:3])).all()
    if kind != "tied":
        wide = model.means_[:, 0].argmax()
        np.testing.assert_array_equal(R.argmax(axis=1), wide)


@pytest.mark.parametrize("kind", ["diag", "spherical"])
def test_a_component_of_one_sample_has_the_variance_that_is_added(kind):
    """In float32, too: moments are about the means, where nothing cancels."""
    X, reg_covar = make(n=4, p=7).astype(np.float32), 2.5e-6
    model = GaussianMixture(3, covariance_type=kind, means_init=X[:3], reg_covar=reg_covar)
    model.fit(X)
    weights, variances = model.weights_, np.reshape(model.covariances_, (3, -1))
    alone = np.abs(weights - 0.25) < 1e-9
    assert alone.sum() == 2
    np.testing.assert_allclose(variances[alone], reg_covar, rtol=1e-6)


LEARNED = ("weights_", "means_", "covariances_", "precisions_", "lower_bounds_")
INITS = ("kmeans", "k-means++", "random", "random_from_data")


def check_close(model, other, rtol=1e-9):
    for name in LEARNED:
        one, two = np.array(getattr(model, name)), np.array(getattr(other, name))
        np.testing.assert_allclose(one, two, rtol=rtol, atol=rtol * np.abs(two).max(), err_msg=name)


def check_same(model, other):
    for name in LEARNED:
        np.testing.assert_array_equal(getattr(model, name), getattr(other, name), err_msg=name)


def starts(kind, X, k):
    """Settings whose start is the same for samples with weights and for as many copies of them."""
    yield {"init_params": "kmeans", "random_state": 0}
    yield {"init_params": "kmeans", "random_state": 0, "means_init": X[:k]}
    if kind != "tied":  # whose first covariance grows with the number of samples, as scikit-learn's
        yield {"init_params": "k-means++", "random_state": 0}
    yield start_of(kind, X, k)


@nojit
@KINDS
@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_a_weight_is_so_many_copies(kind):
    """eq-gmm-m-step, eq-gmm-likelihood: of whole weights, also of zero."""
    X = make(n=120)
    weight = np.random.default_rng(1).integers(0, 4, len(X))
    copies = X.repeat(weight, axis=0)
    for setting in starts(kind, X, 3):
        model = GaussianMixture(3, covariance_type=kind, max_iter=12, tol=0.0, **setting)
        found = clone(model).fit(X, sample_weight=weight)
        expected = clone(model).fit(copies)
        check_close(found, expected)
        assert found.score(X, sample_weight=weight) == pytest.approx(expected.score(copies))
        labels = clone(model).fit_predict(X, sample_weight=weight)
        np.testing.assert_array_equal(labels, expected.predict(X))
        # Only ratios matter: in float32, and by powers of two to the last bit.
        check_close(clone(model).fit(X, sample_weight=np.float32(1e-5) * weight), found, 1e-6)
        check_same(clone(model).fit(X, sample_weight=2.0**-400 * weight), found)


@KINDS
@pytest.mark.parametrize("init", INITS)
def test_one_component_passes_scikit_learns_check_of_weights(kind, init):
    model = GaussianMixture(1, covariance_type=kind, init_params=init, random_state=0)
    check_sample_weight_equivalence_on_dense_data("GaussianMixture", model)


@nojit
@KINDS
@pytest.mark.parametrize("init", INITS)
@pytest.mark.filterwarnings("ignore:.*did not converge")
# Without compilation, NumPy tells of squares beyond the range of numbers, and of what they lead to.
@pytest.mark.filterwarnings("ignore:(overflow|invalid value) encountered in scalar")
def test_a_sample_of_weight_zero_has_no_influence(kind, init):
    """Wherever it lies: where all densities are zero, too, and amid the first samples."""
    X = make(n=120, apart=1.0)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(X)) * (np.arange(len(X)) % 3 > 0)
    elsewhere = X.copy()
    # Squares of clusters must not overflow; those of densities may.
    elsewhere[weight == 0.0] *= 1e100 if init.startswith("k") else 1e160
    setting = {"covariance_type": kind, "init_params": init, "max_iter": 12, "tol": 0.0}
    model = GaussianMixture(3, random_state=0, **setting)
    near, far = (clone(model).fit(one, sample_weight=weight) for one in (X, elsewhere))
    check_close(far, near, 1e-12)
    assert far.score(elsewhere, sample_weight=weight) == far.score(X, sample_weight=weight)
    expected = np.average(near.score_samples(X), weights=weight)
    assert near.score(X, sample_weight=weight) == pytest.approx(expected, rel=1e-12)


@nojit
@KINDS
@pytest.mark.parametrize("init", INITS[:3])
@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_weights_of_one_change_nothing(kind, init):
    X = make(n=120)
    setting = {"covariance_type": kind, "init_params": init, "random_state": 0, "max_iter": 12}
    model = GaussianMixture(3, **setting).fit(X)
    for ones in (np.ones(len(X)), np.full(len(X), 4), 0.5):
        check_same(GaussianMixture(3, **setting).fit(X, sample_weight=ones), model)
    assert model.score(X, sample_weight=2.0) == pytest.approx(model.score(X), rel=1e-14)


@nojit
@KINDS
@settings(max_examples=10)
@given(seed=st.integers(0, 1000), spread=st.sampled_from([1.0, 6.0]))
@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_the_likelihood_never_falls_with_weights(kind, seed, spread):
    """eq-gmm-bound, and it is that of the mean weighted."""
    X = make(n=60, p=2, k=2, seed=seed, apart=1.0)
    weight = np.exp(spread * np.random.default_rng(seed).normal(size=len(X)))
    setting = {"covariance_type": kind, "init_params": "random", "random_state": seed}
    model = GaussianMixture(2, tol=0.0, reg_covar=0.0, max_iter=15, **setting)
    try:
        model.fit(X, sample_weight=weight)
    except ValueError as error:
        assert "collapsed" in str(error)
        return
    bounds = np.array(model.lower_bounds_)
    assert (np.diff(bounds) >= -1e-11 * np.abs(bounds[1:])).all()
    # One more step begins where these have ended: its bound is their score.
    score = model.score(X, sample_weight=weight)
    model.set_params(warm_start=True, max_iter=1)
    try:
        model.fit(X, sample_weight=weight)
    except ValueError as error:
        assert "collapsed" in str(error)
        return
    assert model.lower_bound_ == pytest.approx(score, rel=1e-9)


@pytest.mark.parametrize("init", INITS)
def test_starts_are_drawn_among_samples_with_a_weight(init):
    X = make(n=400)
    weight = np.zeros(len(X))
    weight[100:103] = 1.0, 2.0, 3.0
    model = GaussianMixture(3, init_params=init, max_iter=0, random_state=0)
    model.fit(X, sample_weight=weight)
    if init != "random":
        order = np.argsort(model.means_[:, 0])
        assert_own = X[100:103][np.argsort(X[100:103, 0])]
        np.testing.assert_allclose(model.means_[order], assert_own, rtol=1e-12)
    weight[100] = 0.0
    with pytest.raises(ValueError, match=r"n_components = 3, n_samples = 2 with a positive samp"):
        model.fit(X, sample_weight=weight)


def test_samples_are_drawn_in_proportion_to_their_weights():
    X = np.arange(4.0)[:, None]
    model = GaussianMixture(1, init_params="random_from_data", max_iter=0)
    weight, counts = np.array([1.0, 2.0, 0.0, 5.0]), np.zeros(4)
    for seed in range(400):
        model.set_params(random_state=seed).fit(X, sample_weight=weight)
        counts[int(np.rint(model.means_[0, 0]))] += 1
    np.testing.assert_allclose(counts / 400, weight / 8, atol=0.08)


@pytest.mark.parametrize("kind", _em.KINDS)
@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_the_number_of_threads_changes_no_bit_with_weights(kind, monkeypatch):
    X = make(n=20_000)
    weight = np.random.default_rng(0).exponential(size=len(X)) * (np.arange(len(X)) % 5 > 0)
    model = GaussianMixture(3, covariance_type=kind, max_iter=4, random_state=0)
    fits = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        fits.append(clone(model).fit(X, sample_weight=weight))
    for other in fits[1:]:
        check_same(other, fits[0])


# -- batches ------------------------------------------------------------------------------------


def stepwise(model, R, X, weight, share, reg_covar):
    """The parameters after a batch with responsibilities R, by raw moments."""
    k, p = model.means_.shape
    R = R * (weight / weight.sum())[:, None]
    means, full = model.means_, as_matrices(model.covariance_type, model.covariances_, k, p)
    past = (
        model.weights_,
        model.weights_[:, None] * means,
        model.weights_[:, None, None] * (full + means[:, :, None] * means[:, None, :]),
    )
    # What is added to variances is part of what each batch says.
    ridge = reg_covar * np.eye(p) * R.sum(axis=0)[:, None, None]
    batch = R.sum(axis=0), R.T @ X, np.einsum("ic,ij,il->cjl", R, X, X) + ridge
    n, sums, products = ((1 - share) * a + share * b for a, b in zip(past, batch, strict=True))
    means = sums / n[:, None]
    full = products / n[:, None, None] - means[:, :, None] * means[:, None, :]
    return n, means, reference.restricted(model.covariance_type, n, full)


@nojit
@KINDS
def test_a_batch_is_averaged_with_what_was_before(kind):
    """eq-gmm-responsibility, eq-gmm-m-step: stepwise EM, by raw moments."""
    X, other = make(n=90), make(n=40, seed=1) + 0.5
    weight = np.random.default_rng(2).uniform(0.5, 2.0, len(other))
    for first, batch in ((None, None), (2.0, weight)):
        model = GaussianMixture(3, covariance_type=kind, reg_covar=0.1, random_state=0)
        model.fit(X, sample_weight=first)
        seen, total = (90, 40) if first is None else (180, weight.sum())
        own = np.ones(len(other)) if batch is None else batch
        for _ in range(2):
            R, bound = model.predict_proba(other), model.score(other, sample_weight=batch)
            share = (total / (seen + total)) ** 0.7
            weights, means, covariances = stepwise(model, R, other, own, share, 0.1)
            model.partial_fit(other, sample_weight=batch)
            np.testing.assert_allclose(model.weights_, weights, rtol=1e-12)
            np.testing.assert_allclose(model.means_, means, rtol=1e-10)
            found = as_matrices(kind, model.covariances_, 3, 3)
            np.testing.assert_allclose(found, covariances, rtol=1e-10, atol=1e-12)
            assert (model.n_iter_, model.converged_) == (1, False)
            assert model.lower_bounds_ == [pytest.approx(bound, rel=1e-12)]
            seen += total


@pytest.mark.weekly(keep=1)
@nojit
@KINDS
@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_a_batch_that_is_all_is_a_step_of_em(kind):
    """Of a share of 1 nothing is left of what was, and where EM rests, so do batches."""
    X = make(n=90)
    start = start_of(kind, X, 3)
    setting = {"covariance_type": kind, "reg_covar": 1e-2, **start}
    before = GaussianMixture(3, max_iter=0, **setting).fit(X)._parameters()
    expected = GaussianMixture(3, max_iter=1, **setting).fit(X)
    found, bound = _em.batch_step(kind, X, before, 1.0, 1e-2)
    np.testing.assert_allclose(found.means, expected.means_, rtol=1e-11)
    np.testing.assert_allclose(found.covariances, expected.covariances_, rtol=1e-10, atol=1e-13)
    assert bound == pytest.approx(expected.lower_bound_, rel=1e-13)
    rest = GaussianMixture(3, max_iter=3000, tol=0.0, **setting).fit(X)
    after = copy.deepcopy(rest)
    for _ in range(3):
        after.partial_fit(X)
    for name in LEARNED[:4]:
        one, two = getattr(after, name), getattr(rest, name)
        np.testing.assert_allclose(one, two, rtol=1e-7, atol=1e-8 * np.abs(two).max())


def stream(seed, n):
    """Samples of a known mixture of three components."""
    rng, mix = np.random.default_rng(seed), np.random.default_rng(3).normal(size=(3, 3, 3))
    own = rng.choice(3, size=n, p=[0.5, 0.3, 0.2])
    return np.einsum("ip,ipl->il", rng.normal(size=(n, 3)), mix[own]) + 6.0 * np.eye(3)[own]


@KINDS
@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_a_batch_again_and_again_approaches_a_stationary_point(kind):
    """From a start far from it: what a step of EM would still change shrinks, and is small."""
    X = stream(0, 300)
    setting = {"means_init": 2.0 * np.eye(3), "max_iter": 1, "random_state": 0}
    model = GaussianMixture(3, covariance_type=kind, **setting)
    gaps = []
    for _ in range(3):
        for _ in range(100):
            model.partial_fit(X)
        here = {f"{name}_init": getattr(model, f"{name}_") for name in ("means", "precisions")}
        here["weights_init"] = model.weights_
        step = clone(model).set_params(**here).fit(X)
        gaps.append(np.abs(step.means_ - model.means_).max())
    rest = clone(model).set_params(**here, tol=1e-12, max_iter=5000).fit(X)
    assert gaps[0] > gaps[1] > gaps[2] < 0.02 and gaps[2] < gaps[0] / 2
    assert rest.score(X) - model.score(X) < 0.003  # nats a sample, after some 17 steps' worth


@KINDS
def test_batches_of_a_stream_come_close_to_a_fit_of_all(kind):
    """100 batches of 200 lose at most 0.001 nats a new sample; the first alone 0.04 and more."""
    batches, new = [stream(seed, 200) for seed in range(1, 101)], stream(0, 20_000)
    model = GaussianMixture(3, covariance_type=kind, random_state=0)
    alone = clone(model).fit(batches[0]).score(new)
    for batch in batches:
        model.partial_fit(batch)
    best = clone(model).set_params(tol=1e-9, max_iter=2000).fit(np.vstack(batches)).score(new)
    assert best - alone > 0.04
    assert best - model.score(new) < 0.001


@nojit
@KINDS
def test_weights_of_a_batch_are_copies_in_one_unit(kind):
    X, other = make(n=90), make(n=60, seed=1)
    weight = np.random.default_rng(1).integers(0, 3, len(other))
    elsewhere = other.copy()
    elsewhere[weight == 0] *= 1e100
    setting = {"covariance_type": kind, **start_of(kind, X, 3)}
    expected = GaussianMixture(3, **setting).fit(X).partial_fit(other.repeat(weight, axis=0))
    for samples, unit in ((other, 1.0), (elsewhere, 1.0), (other, 0.3)):
        model = GaussianMixture(3, **setting).fit(X, sample_weight=unit)
        check_close(model.partial_fit(samples, sample_weight=unit * weight), expected)


def test_the_first_batch_is_a_fit_and_a_fit_begins_anew():
    X, other = make(n=90), make(n=60, seed=1)
    model = GaussianMixture(3, random_state=0)
    first = clone(model).partial_fit(X)
    check_same(first, clone(model).fit(X))
    assert first.n_features_in_ == 3
    check_same(first.partial_fit(other), clone(model).fit(X).partial_fit(other))
    check_same(first.fit(X), clone(model).fit(X))
    check_same(first.partial_fit(other[:1]), clone(model).fit(X).partial_fit(other[:1]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@KINDS
def test_batches_go_on_to_the_bit_after_a_pickle(kind, dtype, monkeypatch):
    """Also in another number of threads."""
    batches = [make(n=20_000, seed=seed).astype(dtype) for seed in range(3)]
    fits = []
    for threads in ("1", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        model = GaussianMixture(3, covariance_type=kind, random_state=0)
        for batch in batches:
            model.partial_fit(batch)
            model = pickle.loads(pickle.dumps(model)) if threads == "3" else model
        fits.append(model)
    check_same(*fits)
    assert fits[0].means_.dtype == fits[0].covariances_.dtype == dtype


def test_batches_of_single_precision_lose_nothing_to_rounding():
    """A covariance near the edge of float32 would not be positive definite once it was rounded."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 1)) + 1e-5 * rng.normal(size=(300, 6))
    single = X.astype(np.float32)
    models = [
        GaussianMixture(1, reg_covar=0.0).partial_fit(one) for one in (single, single.astype(float))
    ]
    for _ in range(20):
        for model, one in zip(models, (single, single.astype(float)), strict=True):
            model.partial_fit(one)
    np.testing.assert_allclose(models[0].precisions_, models[1].precisions_, rtol=1e-5)


@nojit
@KINDS
def test_a_component_that_gets_no_samples_keeps_its_place(kind):
    X = make(n=60, p=2, k=2)
    start = start_of(kind, X, 2) | {"means_init": [X.mean(axis=0), [1e3, 1e3]]}
    now = GaussianMixture(2, covariance_type=kind, max_iter=0, **start).fit(X)._parameters()
    covariances = now.covariances
    for _ in range(2000):
        now, _ = _em.batch_step(kind, X, now, 0.1, 1e-6)
    np.testing.assert_allclose(now.means[1], [1e3, 1e3], rtol=1e-12)
    if kind != "tied":
        np.testing.assert_allclose(now.covariances[1], covariances[1], rtol=1e-12)
    assert 0.0 < now.weights[1] < 1e-13


@EVERY_BATCH
def test_a_bad_batch_is_refused_and_changes_nothing(bad, settings, error, message):
    model = GaussianMixture(2, random_state=0).fit(make(n=90))
    before = model.score(make(n=90))
    given = {"sample_weight": np.full(40, -1.0)} if "sample_weight" in message else {}
    model.set_params(**settings)
    with pytest.raises(error, match=message):
        model.partial_fit(bad, **given)
    model.set_params(n_components=2, covariance_type="full")
    assert model.score(make(n=90)) == before
    model.partial_fit(make(n=40))


def test_an_interrupted_batch_changes_nothing(monkeypatch):
    def interrupted(*args, **limits):
        raise KeyboardInterrupt

    model = GaussianMixture(3, random_state=0).fit(make(n=90))
    means, seen = model.means_, model._seen
    monkeypatch.setattr(_em, "maximise", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(make(n=40))
    assert model.means_ is means and model._seen is seen
