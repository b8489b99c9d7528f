"""Exponentials and logarithms of compiled loops: accuracy, the ends of their range, monotony."""

import math
from fractions import Fraction

import numpy as np
import pytest

from litlearn._core.exponential import exponential, log_one_plus
from litlearn._core.jit import as_bits, from_bits, njit

# A number beyond the range is infinite, on purpose; only uncompiled code remarks on it.
pytestmark = [pytest.mark.nojit, pytest.mark.filterwarnings("ignore:overflow encountered")]


@njit
def exponentials(values, out):
    for i in range(values.size):
        out[i] = exponential(np.float64(values[i]))


@njit
def logarithms(e, out):
    for i in range(e.size):
        out[i] = log_one_plus(e[i])


def of(function, values):
    values = np.asarray(values, dtype=np.float64)
    out = np.empty_like(values)
    function(values, out)
    return out


def ulps(found, exact):
    """Distance from numbers of more digits, in units of the last place of a float."""
    exact = np.asarray(exact)
    return np.abs(found - exact) / np.spacing(np.abs(exact.astype(np.float64)))


def exact_exponential(x):
    """Fractions near exp(x) by its series: more digits than longdouble has on any system."""
    halved, total, term = Fraction(x) / 2**12, Fraction(1), Fraction(1)
    for k in range(1, 12):
        term = term * halved / k
        total += term
    for _ in range(12):
        total = Fraction(round(total * total * 2**200), 2**200)
    return total


def test_exponentials_of_exact_fractions():
    """In whole numbers of any length; 30 arguments on both sides of where n changes."""
    x = [sign * (k + 0.5) * math.log(2.0) + tiny for sign in (-1, 1) for k in range(5)
         for tiny in (-1e-9, 0.0, 1e-9)]  # fmt: skip
    for argument, found in zip(x, of(exponentials, x), strict=True):
        error = abs(Fraction(found) - exact_exponential(argument))
        assert error < Fraction(np.spacing(found))


@pytest.mark.parametrize("size", [1e-12, 1e-3, 1.0, 30.0, 700.0])
def test_exponentials_are_those_of_the_library(size):
    """The library's own are within a unit in the last place, and so are these."""
    x = np.random.default_rng(0).uniform(-size, size, 2000)
    assert ulps(of(exponentials, x), np.exp(x)).max() <= 1.0
    single = x.astype(np.float32)
    out = np.empty(len(x))
    exponentials(single, out)
    assert ulps(out, np.exp(single.astype(np.float64))).max() <= 1.0


def test_the_ends_of_the_range():
    found = of(exponentials, [0.0, -0.0, np.inf, -np.inf, 1e300, -1e300, 709.78, 709.79, -745.2])
    assert found[[0, 1]].tolist() == [1.0, 1.0]
    assert found[2:6].tolist() == [np.inf, 0.0, np.inf, 0.0]
    assert found[6] < np.inf and found[7] == np.inf and found[8] == 0.0
    assert np.isnan(of(exponentials, [np.nan])).all()
    assert exponential(-745.1) == 5e-324  # the smallest number above zero
    # Next to zero numbers have fewer digits: half a unit more, of rounding twice.
    x = np.linspace(-745.0, -708.0, 200)
    assert (np.abs(of(exponentials, x) - np.exp(x)) <= np.spacing(np.exp(x))).all()


def test_exponentials_never_fall():
    """Around the places where the power of two changes, and at zero."""
    for place in [(k + 0.5) * math.log(2.0) for k in (-1000, -30, -2, -1, 0, 1, 40)] + [0.0]:
        step = max(np.spacing(abs(place)), 1e-17)
        found = of(exponentials, place + step * np.arange(-100, 101))
        assert (np.diff(found) >= -np.spacing(found[0])).all()
        wide = of(exponentials, place + 16.0 * step * np.arange(-100, 101))
        assert wide[0] < wide[100] < wide[-1]


@pytest.mark.parametrize("low", [-300.0, -20.0, -3.0, -0.5, -0.39])
def test_logarithms_are_those_of_the_library(low):
    e = 10.0 ** np.random.default_rng(0).uniform(low, 0.0, 2000)
    assert ulps(of(logarithms, e), np.log1p(e)).max() <= 2.0


def test_logarithms_at_the_ends():
    middle = math.sqrt(2.0) - 1.0
    e = np.array(
        [0.0, 5e-324, 1e-17, np.nextafter(middle, 0), middle, np.nextafter(middle, 1), 1.0]
    )
    assert ulps(of(logarithms, e)[1:], np.log1p(e)[1:]).max() <= 2.0
    assert of(logarithms, e)[0] == 0.0 and of(logarithms, e)[-1] == math.log(2.0)
    assert np.isnan(of(logarithms, [np.nan])).all()


def test_bits():
    @njit
    def there_and_back(x):
        return from_bits(as_bits(x))

    for x in (0.0, -1.5, 5e-324, np.inf):
        assert there_and_back(x) == x
