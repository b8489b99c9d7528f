"""The largest reduced distance within a radius: to the last bit, from whatever guess."""

import numpy as np
import pytest

from litlearn.neighbors._metrics import largest_reduced

TINY, LARGEST = np.finfo(np.float64).tiny, np.finfo(np.float64).max


@pytest.mark.parametrize("off", [0.0, 3e-15, 1e-12, 5e-10])
@pytest.mark.parametrize("root", [np.sqrt, np.cbrt, lambda x: x ** (1 / 7), lambda x: x])
def test_the_next_number_lies_outside(off, root):
    """Also where the guess is wrong by more than a square is."""
    inverse = {np.sqrt: np.square, np.cbrt: lambda r: r**3}.get(root)
    inverse = inverse or ((lambda r: r**7) if root(128.0) < 3.0 else lambda r: r)
    r = np.array([1.0, 0.1, 3.3, 1e-12, 1e12, 2.0 / 3.0])
    for sign in (1.0, -1.0):
        found = largest_reduced(root, r, inverse(r) * (1.0 + sign * off))
        assert (root(found) <= r).all() and (root(np.nextafter(found, np.inf)) > r).all()


def test_radii_at_the_ends():
    r = np.array([0.0, -1.0, np.inf, 1e200])
    with np.errstate(over="ignore"):
        found = largest_reduced(np.sqrt, r, np.square(r))
    # Whoever is at most the largest number away is within 1e200.
    np.testing.assert_array_equal(found, [0.0, -1.0, np.inf, LARGEST])
    calls = []
    far = largest_reduced(calls.append, np.full(3, np.inf), np.full(3, np.inf))
    assert (far == np.inf).all() and not calls  # there is nothing to look for


def test_few_looks_suffice_for_a_square():
    calls = []

    def root(x):
        calls.append(0)
        return np.sqrt(x)

    r = np.random.default_rng(0).uniform(0.1, 10.0, 50)
    largest_reduced(root, r, np.square(r))
    assert len(calls) < 16
