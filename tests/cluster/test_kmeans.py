"""k-means against its twin, its invariants, and scikit-learn."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.cluster as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris

import reference
from litlearn.cluster import (
    KMeans,
    MiniBatchKMeans,
    _kmeans,
    _lloyd,
    k_means,
)
from litlearn.cluster._bounds import Bounds
from litlearn.cluster._kmeans import centred_samples
from litlearn.cluster._lloyd import CentredSamples
from litlearn.cluster._margins import Margins
from litlearn.exceptions import ConvergenceWarning
from problems import clustered

nojit = pytest.mark.nojit


ALGORITHMS = pytest.mark.parametrize("algorithm", ["lloyd", "elkan", "hamerly"])


@pytest.fixture(autouse=True)
def margins(monkeypatch):
    """Let few samples be assigned as many are."""
    monkeypatch.setattr(_kmeans, "SMALL", 0)


def samples_of(X, s=None):
    return CentredSamples(X, np.ones(len(X)) if s is None else s, X.mean(axis=0))


@nojit
@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("p", [1, 3, 70])
def test_one_step_twin(form, p):
    """eq-kmeans-assign, eq-kmeans-update, eq-inertia."""
    X, s = clustered(n=150, p=p)
    start = X[:4] + 0.1
    labels, centres, inertia = reference.kmeans_step(X, s, start)
    sparse = form is scipy.sparse.csr_array
    origin = np.zeros(p) if sparse else X.mean(axis=0)
    samples = CentredSamples(form(X), s, origin)
    found = np.empty(150, dtype=np.int32)
    sums = _lloyd.assign(samples, start - origin, found)
    np.testing.assert_array_equal(found, labels)
    moved = _lloyd.new_centres(samples, start - origin, found, sums) + origin
    np.testing.assert_allclose(moved, centres, rtol=1e-12, atol=1e-13)
    value = _lloyd.inertia_of(samples, start - origin, found)
    assert value == pytest.approx(inertia, rel=1e-12)


@nojit
@ALGORITHMS
@settings(max_examples=20)
@given(seed=st.integers(0, 1000), k=st.integers(2, 9), spread=st.sampled_from([0.1, 1.0, 5.0]))
def test_all_algorithms_take_the_same_steps(algorithm, seed, k, spread):
    """eq-kmeans-bounds: step by step, for samples between two centres as well."""
    X, s = clustered(n=60, k=k, seed=seed, spread=spread)
    samples = samples_of(X, s)
    assign = Margins(samples, k, 1)
    if algorithm != "lloyd":
        assign = Bounds(samples, k, 1, algorithm == "elkan")
    centres, labels = X[:k] - samples.centre, np.full(60, -1, np.int32)
    expected, before = X[:k], np.inf
    for _ in range(8):
        right, after, inertia = reference.kmeans_step(X, s, expected)
        found = assign(centres, labels)
        np.testing.assert_array_equal(labels, right)
        assert inertia <= before * (1 + 1e-12)
        if (found.weights == 0.0).any():
            return  # the twin does not relocate
        centres = _lloyd.new_centres(samples, centres, labels, found)
        np.testing.assert_allclose(centres + samples.centre, after, rtol=1e-12, atol=1e-12)
        expected, before = after, inertia


@nojit
@pytest.mark.parametrize("sharp", [True, False])
def test_bounds_hold_wherever_the_centres_go(sharp):
    """eq-kmeans-bounds: each centre moves by itself, some far and some hardly, for 30 steps."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    samples, centres = samples_of(X), rng.normal(size=(5, 2))
    assign, labels, every = Bounds(samples, 5, 1, sharp), np.empty(40, np.int32), np.arange(40)
    for _ in range(30):
        centres = centres + rng.exponential(0.1, size=(5, 1)) * rng.normal(size=(5, 2))
        before = labels.copy()
        found = assign(centres, labels)
        D = np.linalg.norm((X - samples.centre)[:, None] - centres, axis=2)
        np.testing.assert_array_equal(labels, D.argmin(axis=1))
        assert found.n_changed in (40, np.sum(labels != before))
        assert (assign.upper >= D[every, labels] - 1e-12).all()
        if sharp:  # stored with the way that each centre had gone
            lower = assign.lower - assign.gone
        else:  # one bound for all centres but its own
            D[every, labels] = np.inf
            D, lower = D.min(axis=1), assign.lower
        assert (lower <= D + 1e-12).all()


@pytest.mark.parametrize("load", [load_iris, load_digits])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@ALGORITHMS
def test_parity(load, dtype, algorithm):
    X, _ = load(return_X_y=True)
    X = X.astype(dtype)
    if load is load_iris:  # multiples of 0.1: no ties, which each processor would break otherwise
        X += 1e-3 * np.random.default_rng(0).random(X.shape, np.float32)
    for init, n_init in (("k-means++", 1), ("random", 3), (X[:7].copy(), 1)):
        setting = {"n_clusters": 7, "init": init, "n_init": n_init, "random_state": 3}
        ours = KMeans(algorithm=algorithm, **setting).fit(X)
        other = theirs.KMeans(**setting).fit(X)
        rtol = 1e-5 if dtype == np.float32 else 1e-10
        assert ours.inertia_ == pytest.approx(other.inertia_, rel=rtol)
        np.testing.assert_array_equal(ours.labels_, other.labels_)
        np.testing.assert_allclose(
            ours.cluster_centers_, other.cluster_centers_, rtol=rtol, atol=10 * rtol
        )
        assert ours.n_iter_ == other.n_iter_ and ours.converged_
        np.testing.assert_array_equal(ours.predict(X), ours.labels_)
        np.testing.assert_allclose(ours.transform(X), other.transform(X), rtol=1e-3, atol=1e-4)
        assert ours.score(X) == pytest.approx(-ours.inertia_, rel=1e-6)


@ALGORITHMS
def test_inertia_never_rises(algorithm):
    X, s = clustered(n=500, k=6, spread=3.0)
    values, samples = [], samples_of(X, s)
    step = Margins(samples, 6)
    if algorithm != "lloyd":
        step = Bounds(samples, 6, None, algorithm == "elkan")
    start, report = X[:6] - samples.centre, lambda i, v: values.append(v)
    _lloyd.lloyd(samples, start, 100, 0.0, report=report, step=step)
    assert len(values) > 5 and (np.diff(values) <= 1e-10 * values[0]).all()


@nojit
@ALGORITHMS
def test_weight_is_repetition(algorithm):
    X, _ = clustered()
    s = np.random.default_rng(1).integers(1, 4, size=80)
    setting = {"n_clusters": 4, "init": X[:4], "n_init": 1, "algorithm": algorithm}
    weighted = KMeans(**setting).fit(X, sample_weight=s.astype(float))
    repeated = KMeans(**setting).fit(X.repeat(s, axis=0))
    np.testing.assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, rtol=1e-10)
    assert weighted.inertia_ == pytest.approx(repeated.inertia_, rel=1e-12)


@nojit
@ALGORITHMS
def test_empty_clusters_get_the_farthest_sample(algorithm):
    X = np.array([[0.0], [0.1], [0.2], [5.0], [9.0]])
    init = np.array([[0.0], [100.0], [200.0]])
    model = KMeans(3, init=init, n_init=1, algorithm=algorithm).fit(X)
    other = theirs.KMeans(3, init=init, n_init=1).fit(X)
    np.testing.assert_allclose(model.cluster_centers_, other.cluster_centers_)
    assert len(set(model.labels_)) == 3 and np.isfinite(model.cluster_centers_).all()


@ALGORITHMS
def test_fewer_points_than_clusters(algorithm):
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 10, axis=0)
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(2\) found smaller than n_cl"):
        model = KMeans(4, algorithm=algorithm, random_state=0).fit(X)
    assert model.inertia_ == 0.0 and np.isfinite(model.cluster_centers_).all()
    with pytest.raises(ValueError, match=r"KMeans: n_samples=3 should be >= n_clusters=4"):
        KMeans(4).fit(X[:3])


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8])
def test_a_large_mean_costs_no_digits(offset):
    X, _ = clustered()
    X = np.round(X, 2)
    near = KMeans(4, init=X[:4], n_init=1).fit(X)
    far = KMeans(4, init=X[:4] + offset, n_init=1).fit(X + offset)
    np.testing.assert_array_equal(near.labels_, far.labels_)
    assert far.inertia_ == pytest.approx(near.inertia_, rel=max(1e-10, 1e-15 * offset))
    np.testing.assert_array_equal(far.predict(X + offset), far.labels_)


@pytest.mark.parametrize("scale", [1e-150, 1e-20, 1e20, 1e100])
def test_scale_does_not_matter(scale):
    X, _ = clustered()
    one = KMeans(4, init=X[:4], n_init=1).fit(X)
    other = KMeans(4, init=scale * X[:4], n_init=1).fit(scale * X)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_allclose(other.cluster_centers_ / scale, one.cluster_centers_, rtol=1e-9)


def test_one_cluster_and_as_many_as_samples():
    X, s = clustered(n=12)
    one = KMeans(1).fit(X, sample_weight=s)
    np.testing.assert_allclose(one.cluster_centers_[0], np.average(X, axis=0, weights=s))
    every = KMeans(12, init=X, n_init=1).fit(X)
    assert every.inertia_ == 0.0 and (every.labels_ == np.arange(12)).all()
    with pytest.warns(RuntimeWarning, match="doesn't make sense for a single cluster"):
        KMeans(1, algorithm="elkan").fit(X)


def test_starts():
    X, _ = clustered(k=6, n=120)
    best = KMeans(6, init="random", n_init=8, random_state=0).fit(X)
    single = [KMeans(6, init="random", n_init=1, random_state=r).fit(X).inertia_ for r in range(8)]
    assert best.inertia_ <= np.median(single)
    called = KMeans(6, init=lambda X, k, random_state: X[:k], n_init=1).fit(X)
    given_ = KMeans(6, init=X[:6], n_init=1).fit(X)
    np.testing.assert_array_equal(called.labels_, given_.labels_)
    with pytest.warns(RuntimeWarning, match="performing only one init in KMeans instead of n_init"):
        KMeans(6, init=X[:6], n_init=3).fit(X)
    centres, labels, inertia, n_iter = k_means(
        X, 6, init=X[:6], n_init=1, random_state=0, return_n_iter=True
    )
    assert inertia == given_.inertia_ and n_iter == given_.n_iter_
    np.testing.assert_array_equal(labels, given_.labels_)
    np.testing.assert_array_equal(centres, given_.cluster_centers_)


def test_samples_in_a_file(tmp_path):
    X, _ = clustered(n=5000)
    mapped = np.memmap(tmp_path / "X", dtype=np.float64, mode="w+", shape=X.shape)
    mapped[:] = X
    a, b = (KMeans(4, random_state=0).fit(one) for one in (mapped, X))
    np.testing.assert_array_equal(a.cluster_centers_, b.cluster_centers_)


def test_max_iter():
    X, _ = clustered(n=500, k=6, spread=3.0)
    model = KMeans(6, init=X[:6], n_init=1, max_iter=2, tol=0.0).fit(X)
    assert model.n_iter_ == 2 and not model.converged_
    np.testing.assert_array_equal(model.predict(X), model.labels_)  # of the last centres


@pytest.mark.parametrize("kind", [KMeans, MiniBatchKMeans])
def test_verbose_shows_a_bar(kind, capsys):
    X, _ = clustered()
    kind(4, verbose=1, random_state=0).fit(X)
    shown = capsys.readouterr().err
    assert kind.__name__ in shown and "inertia" in shown
    kind(4, random_state=0).fit(X)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("kind", [KMeans, MiniBatchKMeans])
@pytest.mark.parametrize("after", [1, 3, "the last"])
def test_an_interrupt_leaves_the_last_fit(kind, after, monkeypatch):
    """Ctrl-C within the iterations, or when all samples get their labels at the end."""
    X, _ = clustered(n=3000)
    model = kind(4, random_state=0).fit(X)
    before = {name: np.copy(value) for name, value in vars(model).items() if name.endswith("_")}
    owner, name = (_lloyd, "assign") if kind is MiniBatchKMeans else (Margins, "__call__")
    real, calls = getattr(owner, name), []
    clone = kind(4, random_state=0)
    monkeypatch.setattr(owner, name, lambda *a, **k: calls.append(0) or real(*a, **k))
    clone.fit(3.0 * X)
    last = len(calls) if after == "the last" else after
    assert last > 1 or after == 1

    def interrupted(*args, **settings):
        calls.append(0)
        if len(calls) == last:
            raise KeyboardInterrupt
        return real(*args, **settings)

    calls.clear()
    monkeypatch.setattr(owner, name, interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(3.0 * X)
    monkeypatch.setattr(owner, name, real)
    now = {key: value for key, value in vars(model).items() if key.endswith("_")}
    assert now.keys() == before.keys()
    for key, value in before.items():
        np.testing.assert_array_equal(now[key], value)
    np.testing.assert_array_equal(model.predict(X), before["labels_"])


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_array])
def test_the_tolerance_is_relative_to_the_mean_variance(kind):
    X = clustered()[0] * [1.0, 2.0, 3.0] + 1.0
    _, variance = centred_samples(kind(X), np.ones(len(X)))
    assert variance == pytest.approx(X.var(axis=0).mean())


@nojit
@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")  # of the inertia
@ALGORITHMS
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("tol", [0.0, 1e-9])
@pytest.mark.parametrize("share", [-0.98, -0.6, 0.55, 0.97])
def test_squares_out_of_range_leave_the_labels(share, tol, dtype, algorithm):
    """Samples that are far larger or smaller than 1 have the clusters of the same ones near 1."""
    X, _ = clustered(n=32, p=2, k=3)
    scale = 2.0 ** int(share * np.finfo(dtype).maxexp)
    expected = KMeans(3, init=X[:3], n_init=1, tol=0.0).fit(X)
    X = (X * scale).astype(dtype)
    model = KMeans(3, init=X[:3], n_init=1, tol=tol, algorithm=algorithm).fit(X)
    for labels in (model.labels_, model.predict(X)):
        np.testing.assert_array_equal(labels, expected.labels_)


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
def test_a_large_offset_of_samples_whose_squares_overflow_is_taken_off():
    X, _ = clustered(n=32, p=2, k=3)
    far = (X + 1e6) * 2.0**530
    model, expected = (KMeans(3, init=A[:3], n_init=1, tol=0.0).fit(A) for A in (far, X + 1e6))
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert centred_samples(far, np.ones(32))[0].centre.all()


@nojit
@ALGORITHMS
def test_labels_are_those_of_a_centre_that_moved_to_a_far_sample_last(algorithm):
    """Samples without weight leave a cluster empty; it is filled when no label changes any more."""
    X, weight = np.array([[-4.0], [-8.0], [3.0], [20.0], [30.0]]), [1.0, 0.0, 0.0, 1.0, 1.0]
    start = np.array([[0.0], [3.0], [25.0]])
    model = KMeans(3, init=start, n_init=1, tol=0.0, algorithm=algorithm).fit(X, None, weight)
    nearest = np.abs(X - model.cluster_centers_.T).argmin(axis=1)
    np.testing.assert_array_equal(model.labels_, nearest)
    assert model.inertia_ == 0.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shift", [0.0, 1e4])
def test_plain_passes_over_few_samples_find_the_same(dtype, shift, monkeypatch):
    """Also in float32, whose samples are measured in float64 on either way."""
    X = (clustered(n=400, spread=3.0)[0] + shift).astype(dtype)
    s = np.random.default_rng(1).uniform(0.0, 2.0, 400)
    many = KMeans(6, random_state=0).fit(X, sample_weight=s)
    monkeypatch.setattr(_kmeans, "SMALL", 2**16)
    monkeypatch.setattr(_kmeans, "Margins", None)  # nobody asks for them
    few = KMeans(6, random_state=0).fit(X, sample_weight=s)
    np.testing.assert_array_equal(few.labels_, many.labels_)
    assert few.n_iter_ == many.n_iter_ and few.cluster_centers_.dtype == dtype
    np.testing.assert_allclose(few.cluster_centers_, many.cluster_centers_, rtol=1e-6)
    assert few.inertia_ == pytest.approx(many.inertia_, rel=1e-6)


def test_a_long_way_costs_bounds_no_digits():
    """A centre that comes from 1e12 away: what its path has lost in digits is not a bound."""
    X, _ = clustered(n=300, k=4, spread=3.0)
    start = np.vstack([X[:3], X[3] + 1e12])
    for algorithm in ("elkan", "hamerly"):
        model = KMeans(4, init=start, n_init=1, max_iter=30, algorithm=algorithm).fit(X)
        plain = KMeans(4, init=start, n_init=1, max_iter=30).fit(X)
        np.testing.assert_array_equal(model.labels_, plain.labels_)
    # The labels alone may be the same by luck: so are those of steps that are hardly apart.
    samples = CentredSamples(X, np.ones(300), np.zeros(3))
    bounds, labels = Bounds(samples, 4, 1, True), np.empty(300, np.int32)
    rng = np.random.default_rng(0)
    for step in range(20):
        centres = start if step == 0 else X[:4] + 1e-3 * rng.normal(size=(4, 3)) * step
        bounds(centres, labels)
        D = np.linalg.norm(X[:, None] - centres, axis=2)
        np.testing.assert_array_equal(labels, D.argmin(axis=1))
        lower = bounds.lower - bounds.gone * (1.0 + 1e-12)
        assert (lower <= D + 1e-12).all()


def test_a_bound_that_rounding_has_raised_excludes_no_centre():
    """A path of 1e12 leaves steps of 1e-4: 0.70003 comes back from there as 0.70007."""
    samples = CentredSamples(np.zeros((1, 1)), np.ones(1), np.zeros(1))
    bounds, labels = Bounds(samples, 2, 1, True), np.empty(1, np.int32)
    for own, other, expected in ((0.6, 1e12, 0), (0.6, 0.70003, 0), (0.70005, 0.70003, 1)):
        bounds(np.array([[own], [other]]), labels)
        assert labels[0] == expected
    assert (0.70003 + bounds.gone[1]) - bounds.gone[1] > 0.70005  # what would have been believed
