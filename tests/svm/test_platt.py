"""Probabilities: the sigmoid of two classes, and the coupling of many."""

import numpy as np
import pytest

from litlearn.svm import _platt


@pytest.mark.nojit
def test_sigmoid_minimises_its_loss():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=200)
    positive = scores + rng.normal(size=200) > 0.3
    slope, shift = _platt.fit_sigmoid(scores, positive)
    n_positive, n_negative = positive.sum(), (~positive).sum()
    target = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))

    def loss(a, b):
        p = 1 / (1 + np.exp(a * scores + b))
        return -np.sum(target * np.log(p) + (1 - target) * np.log(1 - p))

    best = loss(slope, shift)
    for da, db in ((0.01, 0), (-0.01, 0), (0, 0.01), (0, -0.01)):
        assert loss(slope + da, shift + db) > best
    assert slope < 0
    assert _platt.sigmoid(np.array([1e5, -1e5]), slope, shift).tolist() == [1.0, 0.0]


def slopes_of_sigmoid(scores, positive, v):
    """Derivatives of the loss of Platt's sigmoid by slope and shift."""
    n_positive, n_negative = positive.sum(), (~positive).sum()
    target = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    error = target - _platt.sigmoid(scores, *v)
    return np.array([scores @ error, error.sum()])


@pytest.mark.nojit
def test_a_few_steps_of_newton_find_the_sigmoid():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=300)
    positive = scores + 0.5 * rng.normal(size=300) > 0.2
    v = _platt.fit_sigmoid(scores, positive, tol=1e-9, max_iter=9)
    assert np.abs(slopes_of_sigmoid(scores, positive, v)).max() < 1e-9


@pytest.mark.nojit
def test_steps_that_go_too_far_are_halved():
    """Scores of heavy tails, of which only the largest and one in the middle are positive."""
    scores = 50.0 * np.tan(np.pi * ((np.arange(80) + 0.5) / 80 - 0.5))
    positive = np.isin(np.arange(80), (40, 79))
    v = _platt.fit_sigmoid(scores, positive, tol=1e-7)
    assert np.abs(slopes_of_sigmoid(scores, positive, v)).max() < 1e-7


@pytest.mark.nojit
def test_no_class_is_ruled_out():
    """Sigmoids that have rounded to 0 and 1 leave each class a little."""
    pairs = [(0, 1), (0, 2), (1, 2)]
    found = _platt.couple(np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]), pairs, 3)
    assert (found > 0.0).all() and (found.argmax(axis=1) == [0, 2]).all()
    np.testing.assert_allclose(found.max(axis=1), 1.0, rtol=1e-5)


@pytest.mark.nojit
def test_coupling_recovers_consistent_probabilities():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), size=20)
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    P = np.stack([p[:, i] / (p[:, i] + p[:, j]) for i, j in pairs], axis=1)
    np.testing.assert_allclose(_platt.couple(P, pairs, 4), p, atol=1e-5)
