"""k-means by small batches: its step, its end, and centres that idle."""

import warnings

import numpy as np
import pytest

import reference
from litlearn.cluster import (
    KMeans,
    MiniBatchKMeans,
    _minibatch,
)
from litlearn.cluster._lloyd import CentredSamples
from litlearn.cluster._minibatch import Centres, minibatch_step
from problems import clustered

nojit = pytest.mark.nojit


@nojit
def test_batch_twin():
    """eq-kmeans-minibatch: each centre is the weighted mean of all that it was given."""
    X, s = clustered(n=60)
    centres = Centres(X[:4].copy(), np.array([2.0, 0.0, 1.0, 5.0]))
    labels, _, inertia = reference.kmeans_step(X, s, centres.places)
    found, value = minibatch_step(CentredSamples(X, s, None), centres)
    assert value == pytest.approx(inertia)
    for c in range(4):
        own = labels == c
        total = centres.weights[c] + s[own].sum()
        mean = (centres.weights[c] * centres.places[c] + s[own] @ X[own]) / total
        np.testing.assert_allclose(found.places[c], mean, rtol=1e-12)
        assert found.weights[c] == pytest.approx(total)


@nojit
def test_batches_end_when_a_running_mean_ceases_to_fall():
    patience = _minibatch.Progress(10, 99, 0.0, 3)  # a batch counts 2 * 10 / 100
    # The first batch is not looked at. The second one is the mean; 12, 10.6 are worse, 8.48 better.
    assert not any(patience.ended(inertia, 1.0) for inertia in (50.0, 10.0, 20.0, 5.0, 0.0))
    assert patience.mean == pytest.approx(8.48) and patience.least == patience.mean
    assert [patience.ended(20.0, 1.0) for _ in range(3)] == [False, False, True]
    assert _minibatch.Progress(99, 20, 0.0, 3).share == 1.0


def test_batches_end_when_the_centres_rest(monkeypatch):
    X, moves = clustered(n=300, spread=3.0)[0], []

    def spy(batch, before, *options):
        after, inertia = minibatch_step(batch, before, *options)
        moves.append(np.sum((after.places - before.places) ** 2))
        return after, inertia

    monkeypatch.setattr(_minibatch, "minibatch_step", spy)
    setting = {"batch_size": 30, "max_no_improvement": None, "n_init": 1, "random_state": 0}
    model = MiniBatchKMeans(4, tol=1e-3, **setting).fit(X)
    assert 10 < model.n_steps_ == len(moves) < 1000
    assert moves[-1] <= 1e-3 * X.var(axis=0).mean() < min(moves[1:-1])


def test_batches_find_what_all_samples_find():
    X, _ = clustered(n=4000, k=5, spread=0.5)
    whole = KMeans(5, n_init=5, random_state=0).fit(X)
    few = MiniBatchKMeans(5, n_init=5, random_state=0).fit(X)
    assert few.inertia_ <= 1.02 * whole.inertia_
    assert few.n_steps_ > 1 and few.n_iter_ == np.ceil(few.n_steps_ * 1024 / 4000)
    np.testing.assert_array_equal(few.predict(X), few.labels_)
    batches = MiniBatchKMeans(5, random_state=0)
    for rows in np.split(np.arange(4000), 8):
        batches.partial_fit(X[rows])
    assert -batches.score(X) <= 1.5 * whole.inertia_ and batches.n_steps_ == 8
    assert not hasattr(MiniBatchKMeans(5, compute_labels=False).fit(X), "labels_")


def test_idle_centres_are_moved():
    X, _ = clustered(n=2000, k=4, spread=0.1)
    start = np.vstack([X[:3], np.full((1, 3), 1e3)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MiniBatchKMeans(4, init=start, random_state=0).fit(X)
        stuck = MiniBatchKMeans(4, init=start, random_state=0, reassignment_ratio=0.0).fit(X)
    assert np.abs(model.cluster_centers_).max() < 20.0
    assert np.abs(stuck.cluster_centers_).max() > 900.0
