"""The four quadratic programmes: starts, bounds and signs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litlearn.svm._programmes import (
    fill,
)
from quadratic_programmes import make, programmes


@pytest.mark.nojit
@given(st.lists(st.floats(0, 10), min_size=1, max_size=20), st.floats(0, 1))
def test_fill(bounds, share):
    bounds = np.array(bounds)
    total = share * bounds.sum()
    found = fill(bounds, total)
    np.testing.assert_allclose(found.sum(), total, rtol=1e-12, atol=1e-12)
    assert np.all((found >= 0) & (found <= bounds))


@pytest.mark.nojit
def test_starts_are_feasible():
    _, y, weight = make(30)
    for P in programmes(y, weight).values():
        assert np.all((P.start >= P.lower) & (P.start <= P.upper))
        assert set(P.group) == set(range(P.n_groups))
    nu = programmes(y, weight)["nu"]
    np.testing.assert_allclose(nu.start.sum(), 0.0, atol=1e-14)
    np.testing.assert_allclose(nu.start[y > 0].sum(), 0.5 * 0.3 * weight.sum())


@pytest.mark.nojit
@pytest.mark.parametrize("name", ["c", "nu"])
def test_coefficients_of_classes_have_the_sign_of_their_label(name):
    """0 <= y beta <= C, the box of alpha; the groups of nu are the classes."""
    _, y, weight = make(30)
    P = programmes(y, weight)[name]
    np.testing.assert_array_equal(np.minimum(y * P.lower, y * P.upper), 0.0)
    np.testing.assert_array_equal(np.maximum(y * P.lower, y * P.upper), weight)
    np.testing.assert_array_equal(P.group, (y < 0) if name == "nu" else 0)
