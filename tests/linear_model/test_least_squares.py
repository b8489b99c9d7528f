"""Linear regression: equality with its twin, invariants, hard data, scikit-learn's answers."""

import numpy as np
import pytest
import sklearn.linear_model

from litlearn.linear_model import LinearRegression

SHAPES = [(200, 10), (10, 30), (30, 30), (5000, 3), (1, 1), (1, 3), (3, 1)]


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("n_targets", [None, 1, 3])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_scikit_learns_answers(shape, n_targets, fit_intercept):
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape) + 5
    y = rng.normal(size=(len(X), n_targets) if n_targets else len(X)) + 100
    ours = LinearRegression(fit_intercept=fit_intercept).fit(X, y)
    theirs = sklearn.linear_model.LinearRegression(fit_intercept=fit_intercept).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-7, atol=1e-9)
    assert ours.coef_.shape == theirs.coef_.shape
    assert np.shape(ours.intercept_) == np.shape(theirs.intercept_)
    assert ours.rank_ == theirs.rank_
    np.testing.assert_allclose(
        ours.singular_, theirs.singular_, atol=1e-7 * max(theirs.singular_[0], 1e-9)
    )
