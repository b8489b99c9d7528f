"""Steps by margins: what is proved is true, and what is not is measured."""

import math

import numpy as np
import pytest

import reference
from litlearn.cluster import KMeans, _lloyd, _margins
from litlearn.cluster._lloyd import CentredSamples
from litlearn.cluster._margins import Margins

nojit = pytest.mark.nojit


def make(n=300, p=3, k=5, seed=0, spread=1.0):
    rng = np.random.default_rng(seed)
    X = 3.0 * rng.normal(size=(k, p))[np.arange(n) % k] + spread * rng.normal(size=(n, p))
    return X, rng.uniform(0.1, 2.0, size=n)


def distances(X, centres):
    """Distances (n, k) with more digits than any sample has."""
    D = X[:, None].astype(np.longdouble) - centres.astype(np.longdouble)
    return np.sqrt((D**2).sum(axis=2))


@nojit
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1e-15, 1.0, 1e15])
@pytest.mark.parametrize("p", [1, 3, 40])
def test_margins_are_bounds(p, scale, dtype):
    """eq-kmeans-margin: of samples that were looked at, and of those that were not."""
    X, s = make(p=p)
    X = (X * scale).astype(dtype)
    step, labels = Margins(CentredSamples(X, s, np.zeros(p)), 5), np.full(300, -1, np.int32)
    rng, centres = np.random.default_rng(1), X[:5].astype(np.float64)
    n_kept = 0
    for way in (1.0, 1.0, 0.01, 1e-3, 1e-3, 1e-5, 1e-9, 0.0):
        moved = np.zeros((5, p))
        moved[: rng.integers(1, 6)] = way * scale * rng.normal(size=p)
        centres = centres + moved
        before = step.margins.copy()
        step(centres, labels)
        D = distances(X, centres)
        np.testing.assert_array_equal(labels, D.argmin(axis=1))
        own, other = np.sort(D, axis=1)[:, :2].T * step.scale
        assert (step.margins <= other - own).all()
        n_kept += np.count_nonzero((step.margins < before) & (step.margins > 0))
        assert (step.margins[step.margins > before] >= 0.98 * (other - own)[step.margins > before])[
            (other - own)[step.margins > before] > 1e-3 * step.scale * scale
        ].all()
    assert n_kept > 300


@nojit
def test_a_margin_shrinks_by_both_ways():
    """Its own centre leaves, another one comes: either alone would not be enough."""
    X = np.array([[0.0], [8.0], [0.0], [8.0]])
    step, labels = Margins(CentredSamples(X, np.ones(4), np.zeros(1)), 2), np.full(4, -1, np.int32)
    step(np.array([[1.0], [7.0]]), labels)
    margins = step.margins.copy() / step.scale
    np.testing.assert_allclose(margins, 6.0, rtol=1e-4)
    step(np.array([[3.5], [5.0]]), labels)
    np.testing.assert_allclose(step.margins / step.scale, 1.5, rtol=1e-3)
    assert (labels == [0, 1, 0, 1]).all()


@nojit
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_near_ties_are_measured(dtype):
    """float32 scores cannot tell on which side of the middle of two centres these samples are."""
    rng = np.random.default_rng(0)
    for middle in (np.zeros(6), np.full(6, 3.0)):
        way, X = rng.normal(size=6), rng.normal(size=(200, 6))
        X -= np.outer(X @ way, way) / (way @ way)
        X = (X + middle + 1e-8 * np.outer(rng.normal(size=200), way)).astype(dtype)
        centres = np.vstack([middle - way, middle + way, np.full(6, 50.0)])
        expected = distances(X, centres).argmin(axis=1)
        assert 50 < expected.sum() < 150
        samples = CentredSamples(X, np.ones(200), np.zeros(6))
        step, labels = Margins(samples, 3), np.full(200, -1, np.int32)
        step(centres, labels)
        np.testing.assert_array_equal(labels, expected)
        # Most were measured: from now on, these data are left to products of their own precision.
        assert step.undecided
        step(centres, labels)
        assert dtype == np.float32 or (labels == expected).all()


@nojit
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("p", [64, 100])
def test_near_ties_that_float32_turns_round(p, dtype):
    """Scores that are wrong by nearly half of what eq-kmeans-margin allows for prove nothing."""
    X, centres = reference.near_ties(p, 2.0**-24)
    products = [np.cumsum((X * one).astype(np.float32), axis=1)[:, -1] for one in centres]
    assert (products[0] < products[1]).all()  # as the halves of the norms are equal: farther
    samples = CentredSamples(X.astype(dtype), np.ones(len(X)), np.zeros(p))
    alone = np.vstack([centres[1], -centres[1]])  # so near that rounding decides how near
    others = np.vstack([-centres, centres])
    for nearest, some in ((0, centres), (1, centres[::-1]), (2, others), (0, alone)):
        step, labels = Margins(samples, len(some)), np.full(len(X), -1, np.int32)
        step(some, labels)
        own, other = np.sort(distances(X, some), axis=1)[:, :2].T
        assert (own < other).all() and (step.margins <= (other - own) * step.scale).all()
        np.testing.assert_array_equal(labels, nearest)


@nojit
def test_equal_distances_and_equal_centres():
    X = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 5.0]])
    centres = np.array([[2.0, 0.0], [0.0, 0.0], [2.0, 0.0]])
    step, labels = Margins(CentredSamples(X, np.ones(4), np.zeros(2)), 3), np.full(4, -1, np.int32)
    found = step(centres, labels)
    np.testing.assert_array_equal(labels, [1, 0, 0, 0])
    np.testing.assert_array_equal(found.weights, [3.0, 1.0, 0.0])


@nojit
def test_data_that_float32_cannot_tell_apart():
    rng = np.random.default_rng(0)
    far = 1e5 * (np.arange(400) % 2)[:, None]
    X = far + rng.normal(size=(400, 2))
    centres, labels = X[:6] + 0.01, np.full(400, -1, np.int32)
    samples = CentredSamples(X, np.ones(400), np.zeros(2))
    step = Margins(samples, 6)
    for _ in range(3):
        found = step(centres, labels)
        np.testing.assert_array_equal(labels, distances(X, centres).argmin(axis=1))
        assert step.undecided
        centres = _lloyd.new_centres(samples, centres, labels, found)


@nojit
def test_sums_do_not_drift():
    """Sums by differences, against those of all samples, while one that weighs 1e8 goes about."""
    X, s = make(n=200, spread=3.0)
    s[7] = 1e8
    samples, rng = CentredSamples(X, s, np.array([0.5, 0.0, -0.5])), np.random.default_rng(2)
    step, labels = Margins(samples, 4), np.full(200, -1, np.int32)
    visited = set()
    for _ in range(40):
        centres = 2.0 * rng.normal(size=(4, 3))
        found = step(centres, labels)
        visited.add(int(labels[7]))
        for c in range(4):
            own = labels == c
            T, w = X[own] - samples.centre, s[own]
            expected = [math.fsum(w * T[:, j]) for j in range(3)]
            np.testing.assert_allclose(found.sums[c], expected, rtol=1e-13, atol=1e-14)
            assert found.weights[c] == pytest.approx(math.fsum(w), rel=1e-15)
            if not own.any():
                assert found.weights[c] == 0.0
    assert len(visited) > 2


@nojit
def test_a_cluster_of_no_weight_weighs_nothing():
    """Weights of fifty orders of magnitude leave something of a sum that they have all left."""
    X, _ = make(n=40)
    s = 10.0 ** np.random.default_rng(0).uniform(-25, 25, size=40)
    s[3] = 0.0
    step, labels = Margins(CentredSamples(X, s, np.zeros(3)), 2), np.full(40, -1, np.int32)
    total, mean = pytest.approx(math.fsum(s), rel=1e-15), X[np.arange(40) != 3].mean(axis=0)
    for _ in range(3):
        found = step(np.vstack([X[3], X[3] + 100.0]), labels)
        assert found.weights[0] == total
        assert found.weights[1] == 0.0 and (found.sums[1] == 0.0).all()
        found = step(np.vstack([mean + 100.0, X[3] + 1e-9]), labels)
        assert found.weights[1] == total
        assert found.weights[0] == 0.0 and (found.sums[0] == 0.0).all()
        step(np.vstack([mean + 1.0, mean - 1.0]), labels)  # now in two parts


@nojit
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_same_bits_for_any_number_of_threads(dtype, monkeypatch):
    monkeypatch.setattr(_margins, "BLOCK", 700)
    X, s = make(n=500)
    results = []
    for n_jobs in (1, 3):
        samples = CentredSamples(X.astype(dtype), s, np.zeros(3))
        step, labels, centres = Margins(samples, 5, n_jobs), np.full(500, -1, np.int32), X[:5]
        for _ in range(6):
            found = step(centres, labels)
            centres = _lloyd.new_centres(samples, centres, labels, found)
        results.append((centres, labels, step.margins, found.sums))
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("p", [2, 70])
def test_as_plain_passes(p, dtype, offset):
    """To the end, from the same start: the labels of plain passes, and the centres to 1e-12."""
    X, s = make(n=2000, p=p, k=8, spread=2.0 if p == 2 else 15.0)
    X = (X + offset).astype(dtype)
    fit = KMeans(8, init=X[:8], n_init=1, tol=0.0).fit(X, sample_weight=s)
    samples = CentredSamples(X.astype(np.float64), s, X.mean(axis=0, dtype=np.float64))
    plain = _lloyd.lloyd(samples, X[:8] - samples.centre, 300, 0.0)
    np.testing.assert_array_equal(fit.labels_, plain.labels)
    rtol = 1e-12 if dtype == np.float64 else 1e-6
    np.testing.assert_allclose(
        fit.cluster_centers_, plain.centres + samples.centre, rtol=rtol, atol=rtol
    )
    assert fit.n_iter_ == plain.n_iter > 5


@pytest.mark.parametrize("scale", [1e-319, 1e-160, 1e150])
def test_the_scale_of_the_samples(scale):
    X = np.array([[1.0], [2.0], [8.0], [9.0]])
    step, labels = (
        Margins(CentredSamples(scale * X, np.ones(4), np.zeros(1)), 2),
        np.full(4, -1, np.int32),
    )
    found = step(scale * np.array([[1.0], [8.0]]), labels)
    np.testing.assert_array_equal(labels, [0, 0, 1, 1])
    assert not step.undecided and step.margins[1] == pytest.approx(5 * scale * step.scale, rel=1e-4)
    np.testing.assert_allclose(found.sums[:, 0], scale * X.reshape(2, 2).sum(axis=1), rtol=1e-15)


@nojit
def test_squares_of_differences():
    X, _ = make(n=20)
    centres = X[:2] + 1e-4
    step = Margins(CentredSamples(X, np.ones(20), np.zeros(3)), 2)
    places = step._places(centres)
    for i in range(20):
        for c in range(2):
            expected = ((step.scale * (X[i] - centres[c])) ** 2).sum()
            found = _margins.squared_distance(X, i, places, c)
            assert found == pytest.approx(expected, rel=1e-9, abs=0.0)


@nojit
@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.filterwarnings("ignore:invalid value encountered")
def test_centres_beyond_single_precision():
    """Their scores are infinite, all of them: the distances tell."""
    X, labels = np.array([[1.0], [2.0], [-1.0], [1.5]]), np.full(4, -1, np.int32)
    step = Margins(CentredSamples(X, np.ones(4), np.zeros(1)), 2)
    step(np.array([[2e20], [1e20]]), labels)
    np.testing.assert_array_equal(labels, 1)


def test_samples_that_all_agree_are_open_only_once():
    """Rounds in which nothing moves read no sample."""
    X, s = make()
    samples = CentredSamples(X, s, np.zeros(3))
    step, labels = Margins(samples, 5), np.full(300, -1, np.int32)
    centres = X[:5] + 0.1
    found = step(centres, labels)
    samples.X[:] = np.nan
    again = step(centres, labels)
    assert again.n_changed == 0
    np.testing.assert_array_equal(found.sums, again.sums)
