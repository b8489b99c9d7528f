"""The hand cases of the chapter: what its equations say of six patients, and of three."""

import numpy as np
import pytest

from litlearn.svm import SVC, SVR

pytestmark = pytest.mark.nojit

X = np.array([[2, 2], [0, 2], [4, 0], [5, 6], [8, 5], [4, 8]], dtype=float)
y = np.array([-1, -1, -1, 1, 1, 1])


def _fitted(C):
    model = SVC(kernel="linear", C=C, tol=1e-9).fit(X, y)
    alpha = np.zeros(len(y))
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    return model, alpha


def test_band_is_five_wide():
    """eq-svm-margin: patients 1 and 4 hold it, with the same weight."""
    model, alpha = _fitted(1.0)
    np.testing.assert_allclose(alpha, [0.08, 0, 0, 0.08, 0, 0], atol=1e-9)
    np.testing.assert_allclose(model.coef_, [[0.24, 0.32]], rtol=1e-9)
    assert 2 / np.linalg.norm(model.coef_) == pytest.approx(5)
    assert model.decision_function([[6.0, 3.0]]) == pytest.approx(0.28)


@pytest.mark.parametrize("C", [0.01, 0.02, 0.05, 1.0, 100.0])
def test_place_says_the_weight(C):
    """eq-svm-kkt, and eq-svm-decision from the weights."""
    model, alpha = _fitted(C)
    score = y * model.decision_function(X)
    assert np.all(score[alpha == 0] >= 1 - 1e-8)
    np.testing.assert_allclose(score[(alpha > 0) & (alpha < C)], 1, atol=1e-8)
    assert np.all(score[alpha == C] <= 1 + 1e-8)
    f = (alpha * y) @ (X @ X.T) + model.intercept_
    np.testing.assert_allclose(model.decision_function(X), f, atol=1e-12)
    assert abs(alpha @ y) < 1e-12


@pytest.mark.parametrize("C", [0.01, 0.02, 0.05, 1.0])
def test_no_other_band_costs_less(C):
    """eq-svm-primal-soft, with the losses of eq-svm-hinge."""

    def cost(w, b):
        return w @ w / 2 + C * np.maximum(0, 1 - y * (X @ w + b)).sum()

    model, _ = _fitted(C)
    w, b = model.coef_[0], model.intercept_[0]
    rng = np.random.default_rng(0)
    for size in (1e-4, 1e-2, 1.0):
        for step in size * rng.normal(size=(100, 3)):
            assert cost(w, b) <= cost(w + step[:2], b + step[2]) + 1e-9


def test_tube_by_pencil():
    """eq-svr-loss: the flattest line that keeps within 1 of three patients."""
    times, lost = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 2.0, 4.0])
    model = SVR(kernel="linear", C=100, epsilon=1, tol=1e-9).fit(times, lost)
    np.testing.assert_allclose(model.predict(times), [1, 2, 3], atol=1e-8)
    assert model.support_.tolist() == [0, 2]
    np.testing.assert_allclose(model.dual_coef_, [[-0.5, 0.5]], atol=1e-8)
