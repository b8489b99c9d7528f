"""Steps on pairs of coefficients, against their definitions and a slow twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from litlearn.kernels import _functions as kernels
from litlearn.svm import _smo
from litlearn.svm._programmes import (
    c_classification,
)
from litlearn.svm._working_set import solve_programme
from quadratic_programmes import MEMORY, computed, make, objective, programmes, twin


@pytest.mark.nojit
@pytest.mark.parametrize("seed", range(5))
def test_steps_are_those_of_the_twin(seed):
    X, y, weight = make(20, seed=seed)
    K = kernels.rbf_kernel(X, gamma=0.5)
    P = c_classification(y, weight)
    sub = _smo.make_subproblem(
        K, P.linear.copy(), P.start.copy(), P.lower, P.upper, np.array([0, 20])
    )
    n_steps, violation, moved = _smo.minimise_pairs(sub, 1e-10, 10_000)
    beta, f, _ = twin(K, P, 1e-10)
    np.testing.assert_allclose(sub.beta, beta, atol=1e-9)
    np.testing.assert_allclose(sub.gradient, f, atol=1e-9)
    assert violation < 1e-10 and moved and n_steps > 0
    for limit in (1, 5, 20):
        sub = _smo.make_subproblem(
            K, P.linear.copy(), P.start.copy(), P.lower, P.upper, np.array([0, 20])
        )
        assert _smo.minimise_pairs(sub, 1e-10, limit)[0] == limit
        beta, _, _ = reference.minimise_pairs(
            K, P.linear, P.lower, P.upper, P.start, P.group, 1e-10, limit
        )
        np.testing.assert_allclose(sub.beta, beta, atol=1e-12)


# Which of these stall depends on the last bits of the products: some do on every processor.
@pytest.mark.parametrize(
    "seed", [139, 448, 499, 749, 824, 1111, 1560, 1821, 1868, 2080, 2523, 2790]
)
def test_steps_end_at_the_rounding_of_single_precision(seed):
    """Steps that change coefficients and no gradient went on to the limit of ten million."""
    X, y, weight = make(24, seed=seed)
    P = programmes(y, weight)["nu regression"]
    found = solve_programme(computed(X), P, 1e-6, -1, MEMORY)
    assert found.converged and found.violation < 1e-6 and found.n_steps < 20_000


@pytest.mark.nojit
@given(st.lists(st.floats(0, 1e30), min_size=1, max_size=600), st.booleans(), st.integers(0, 5))
def test_position_of_largest(values, single, start):
    dtype = np.float32 if single else np.float64
    values = np.array(values, dtype=dtype)
    start = min(start, len(values))
    found = _smo.position_of_largest(values.view(_smo.BITS[dtype]), start, len(values))
    rest = values[start:]
    expected = start + np.argmax(rest) if rest.size and rest.max() > 0 else _smo.NOBODY
    assert found == expected


@pytest.mark.nojit
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_selection_is_by_definition(dtype):
    """The first variable, and the second by eq-svm-second-order."""
    rng = np.random.default_rng(0)
    X, _, weight = make(40)
    K = kernels.rbf_kernel(X).astype(dtype)
    beta = weight * rng.choice([0.0, 0.5, 1.0], 40)
    f = rng.normal(size=40)
    sub = _smo.make_subproblem(K, f, beta, np.zeros(40), weight, np.array([0, 25, 40]))
    up, down = beta < weight, beta > 0
    f = sub.gradient
    for start, stop in ((0, 25), (25, 40)):
        part = np.arange(start, stop)
        i = _smo.first_variable(sub, np.max(f[part][down[part]]), start, stop)
        assert i == part[up[part]][np.argmin(f[part][up[part]])]
        j = _smo.second_variable(sub, i, start, stop)
        rest = part[down[part] & (f[part] > f[i])]
        gains = (f[rest] - f[i]) ** 2 / (K[i, i] + K[rest, rest] - 2 * K[i, rest])
        assert j == rest[np.argmax(gains)]
    group, ceiling, violation, size = _smo.worst_group(sub)
    expected = [np.max(f[a:b][down[a:b]]) - np.min(f[a:b][up[a:b]]) for a, b in ((0, 25), (25, 40))]
    assert group == np.argmax(expected) and violation == max(expected)
    assert ceiling == np.max(f[down & ((np.arange(40) >= 25) == group)])
    assert size == max(np.abs(np.max(f[a:b][down[a:b]])) for a, b in ((0, 25), (25, 40)))


@pytest.mark.nojit
def test_a_step_stops_at_the_box_and_says_when_nothing_moves():
    """eq-svm-pair, clipped."""
    K = np.eye(2)
    bounds = np.array([-1.0, -0.25]), np.array([1.0, 1.0])
    sub = _smo.make_subproblem(K, np.array([-2.0, 2.0]), np.zeros(2), *bounds, np.array([0, 2]))
    assert _smo.take_step(sub, 0, 1)
    np.testing.assert_array_equal(sub.beta, [0.25, -0.25])
    np.testing.assert_array_equal(sub.gradient, [-1.75, 1.75])
    assert sub.fall[1] == -np.inf and sub.rise[1] == 0.0 and sub.fall[0] == sub.rise[0] == 0.0
    assert not _smo.take_step(sub, 0, 1)  # variable 1 cannot fall any further
    np.testing.assert_array_equal(sub.beta, [0.25, -0.25])


@pytest.mark.nojit
@pytest.mark.parametrize("seed", [58, 59, 112, 134, 187])
def test_a_group_that_has_ended_does_not_end_the_other(seed):
    """Steps of rounding's size move nothing; samples with ties lead to them."""
    rng = np.random.default_rng(seed)
    Z = rng.integers(-2, 3, (12, 3)).astype(float)
    linear, upper = np.round(rng.normal(size=12), 2), rng.uniform(0.5, 2, 12)
    start, starts = np.zeros(12), np.array([0, 4, 12])
    sub = _smo.make_subproblem((Z @ Z.T + 1) ** 2, linear, start, -upper, upper, starts)
    _, violation, moved = _smo.minimise_pairs(sub, 1e-9, 100_000)
    assert violation < 1e-9 and moved


@pytest.mark.nojit
@pytest.mark.parametrize("scale", [1e-60, 1e-8, 1.0, 1e8, 1e60])
def test_steps_do_not_depend_on_the_unit_of_the_kernel(scale):
    """Curvatures are small or large beside the diagonal, not beside 1."""
    X, y, _ = make(20)
    K, starts = X @ X.T, np.array([0, 20])
    P = c_classification(y, np.full(20, 0.5))
    sub = _smo.make_subproblem(K, P.linear, P.start.copy(), P.lower, P.upper, starts)
    n_steps, *_ = _smo.minimise_pairs(sub, 1e-6, 10_000)
    other = _smo.make_subproblem(
        scale * K, P.linear, P.start / scale, P.lower / scale, P.upper / scale, starts
    )
    assert abs(_smo.minimise_pairs(other, 1e-6, 10_000)[0] - n_steps) <= n_steps
    np.testing.assert_allclose(objective(K, P, scale * other.beta), objective(K, P, sub.beta), 1e-5)


@pytest.mark.nojit
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_curvatures_that_overflow_end_the_steps():
    """There is a violation, and no pair whose gain is a number above zero."""
    bounds = np.full(2, -1.0), np.full(2, 1.0)
    K, starts = np.diag([1.7e308, 1.7e308]), np.array([0, 2])
    sub = _smo.make_subproblem(K, np.array([-2.0, 2.0]), np.zeros(2), *bounds, starts)
    assert _smo.minimise_pairs(sub, 1e-3, 10) == (0, 4.0, False)
