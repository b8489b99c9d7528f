"""The solver of the quadratic programmes, against its slow twin."""

import numpy as np
import pytest

import reference
from litlearn.kernels import _functions as kernels
from litlearn.svm import _working_set
from litlearn.svm._gram import StoredGram
from litlearn.svm._programmes import (
    c_classification,
    epsilon_regression,
)
from litlearn.svm._working_set import solve_programme
from quadratic_programmes import MEMORY, computed, make, objective, programmes, twin


def test_a_working_set_that_nothing_moves_is_not_solved_for_ever(monkeypatch):
    X, y, weight = make(24)
    P = programmes(y, weight)["c"]
    in_single = []

    def improve(state, chosen, tol, limit, dtype, improve=_working_set.DualState.improve):
        if dtype == np.float32 and state.violation() < 1e-2:
            in_single.append(1)
            assert len(in_single) < 10
            state.add(chosen[:0], np.empty(0))
            return 0, False
        return improve(state, chosen, tol, limit, dtype)

    monkeypatch.setattr(_working_set.DualState, "improve", improve)
    found = solve_programme(computed(X), P, 1e-6, -1, MEMORY)
    assert found.converged and in_single


@pytest.mark.nojit
@pytest.mark.parametrize("name", ["c", "nu", "epsilon", "nu regression"])
@pytest.mark.parametrize("way", ["stored", "computed", "small sets"])
def test_solution_is_that_of_the_twin(name, way, monkeypatch):
    X, y, weight = make(24)
    P = programmes(y, weight)[name]
    K = kernels.rbf_kernel(X, gamma=0.5)
    gram = StoredGram(K) if way == "stored" else computed(X)
    memory = MEMORY
    if way == "small sets":
        monkeypatch.setattr(_working_set, "WHOLE", 0)
        memory = 8 * 10.0**2  # ten variables
    found = solve_programme(gram, P, 1e-6, -1, memory)
    beta, f, _ = twin(K, P, 1e-6)
    assert found.converged and found.violation < 1e-6
    assert objective(K, P, found.beta) <= objective(K, P, beta) + 1e-6
    np.testing.assert_allclose(found.gradient, f, atol=1e-4)
    assert np.all((found.beta >= P.lower) & (found.beta <= P.upper))
    for group in range(P.n_groups):
        mine = P.group == group
        np.testing.assert_allclose(found.beta[mine].sum(), P.start[mine].sum(), atol=1e-12)
    gap = objective(K, P, found.beta) - objective(K, P, beta)
    assert found.gap >= gap - 1e-12


@pytest.mark.nojit
def test_gap_is_primal_minus_dual():
    """eq-svm-gap, for the objectives of eq-svm-dual and eq-svr-dual."""
    X, y, weight = make(24)
    K = kernels.rbf_kernel(X, gamma=0.5)
    for tol in (0.5, 1e-4):
        found = solve_programme(StoredGram(K), c_classification(y, weight), tol, -1, MEMORY)
        primal, dual = reference.svm_objectives(K, y, found.beta, -found.multipliers[0], weight)
        np.testing.assert_allclose(found.gap, primal - dual, rtol=1e-8, atol=1e-12)
        target = y + X[:, 1]
        P = epsilon_regression(target, weight, 0.1)
        found = solve_programme(StoredGram(K), P, tol, -1, MEMORY)
        beta = found.beta[:24] + found.beta[24:]
        primal, dual = reference.svr_objectives(K, target, beta, -found.multipliers[0], weight, 0.1)
        np.testing.assert_allclose(found.gap, primal - dual, rtol=1e-8, atol=1e-12)


@pytest.mark.nojit
def test_multiplier_where_every_coefficient_is_at_its_bound():
    """Any value between the gradients at the two bounds would do: the middle is taken."""
    P = c_classification(np.array([1.0, -1.0]), np.full(2, 0.1))
    found = solve_programme(StoredGram(np.diag([1.0, 3.0])), P, 1e-6, -1, MEMORY)
    np.testing.assert_allclose(found.beta, [0.1, -0.1])
    np.testing.assert_allclose(found.gradient, [-0.9, 0.7])
    np.testing.assert_allclose(found.multipliers, [-0.1])


def test_violation_is_that_of_exact_gradients():
    """The certificate does not believe gradients that were followed in float32."""
    X, y, _ = make(1500, 4)
    y[::7] *= -1
    gram = computed(X)
    P = c_classification(y, np.full(1500, 50.0))
    found = solve_programme(gram, P, 1e-3, -1, 8e6)
    assert gram.has_rough and found.converged
    K = kernels.rbf_kernel(X, gamma=0.5)
    f = K @ found.beta - y
    np.testing.assert_allclose(found.gradient, f, atol=1e-9)
    up, down = found.beta < P.upper, found.beta > P.lower
    np.testing.assert_allclose(f[down].max() - f[up].min(), found.violation, atol=1e-9)
    assert found.violation < 1e-3


def test_tight_tolerances_are_reached_in_float64():
    X, y, _ = make(1200, 4)
    y[::7] *= -1
    found = solve_programme(computed(X), c_classification(y, np.full(1200, 1.0)), 1e-9, -1, MEMORY)
    assert found.converged and found.violation < 1e-9


def test_limit_of_steps_is_kept():
    X, y, weight = make(24)
    for limit in (0, 1, 7):
        found = solve_programme(computed(X), c_classification(y, weight), 1e-9, limit, MEMORY)
        assert found.n_steps == limit and not found.converged


@pytest.mark.nojit
def test_working_sets_hold_the_worst_pair_and_keep_to_their_size():
    X, y, weight = make(30)
    for name, P in programmes(y, weight).items():
        state = _working_set.DualState(StoredGram(kernels.rbf_kernel(X)), P, False)
        for size in (8, 9, 100):
            chosen = state.working_set(size)
            assert len(chosen) <= size, name
            assert np.all(np.diff(P.group[chosen]) >= 0)
            assert len(np.unique(chosen)) == len(chosen)
            up, down = state.beta < P.upper, state.beta > P.lower
            worst = -np.inf
            for group in range(P.n_groups):
                mine = P.group[chosen] == group
                f = state.gradient[chosen]
                high = np.max(f, where=mine & down[chosen], initial=-np.inf)
                worst = max(worst, high - np.min(f, where=mine & up[chosen], initial=np.inf))
            assert worst == state.violation()


def test_memory_for_a_working_set():
    assert _working_set.capacity(1e8, np.float32) == 5000
    assert _working_set.capacity(1e8, np.float64) == 3535
    assert _working_set.capacity(0.1, np.float64) == 8
