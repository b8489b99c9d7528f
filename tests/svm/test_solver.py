"""The solver of the quadratic programmes, its Gram matrices and its pieces, against slow twins."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import reference
from litlearn.kernels import _functions as kernels
from litlearn.svm import _gram, _platt, _smo, _working_set
from litlearn.svm._gram import ComputedGram, StoredGram
from litlearn.svm._programmes import (
    c_classification,
    epsilon_regression,
    fill,
    nu_classification,
    nu_regression,
)
from litlearn.svm._working_set import solve

MEMORY = 1e8


def make(n=30, p=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y, rng.uniform(0.5, 2.0, n)


def computed(X, name="rbf", gamma=0.5, **parameters):
    return ComputedGram(kernels.make_kernel(name, X, gamma=gamma, **parameters), X)


def programmes(y, weight):
    target = y + np.linspace(-0.3, 0.3, len(y))
    return {
        "c": c_classification(y, weight),
        "nu": nu_classification(y, weight, 0.3),
        "epsilon": epsilon_regression(target, weight, 0.1),
        "nu regression": nu_regression(target, weight, 0.4),
    }


def objective(K, programme, beta):
    by_sample = np.bincount(programme.sample, weights=beta, minlength=len(K))
    return 0.5 * by_sample @ K @ by_sample + programme.linear @ beta


def twin(K, programme, tol):
    s = programme.sample
    return reference.minimise_pairs(
        K[np.ix_(s, s)],
        programme.linear,
        programme.lower,
        programme.upper,
        programme.start,
        programme.group,
        tol,
    )


# ---------------------------------------------------------------------------------------------
# The inner solver


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
    found = solve(computed(X), P, 1e-6, -1, MEMORY)
    assert found.converged and found.violation < 1e-6 and found.n_steps < 20_000


def test_a_working_set_that_nothing_moves_is_not_solved_for_ever(monkeypatch):
    X, y, weight = make(24)
    P = programmes(y, weight)["c"]
    in_single = []

    def improve(state, chosen, tol, limit, dtype, improve=_working_set.State.improve):
        if dtype == np.float32 and state.violation() < 1e-2:
            in_single.append(1)
            assert len(in_single) < 10
            state.add(chosen[:0], np.empty(0))
            return 0, False
        return improve(state, chosen, tol, limit, dtype)

    monkeypatch.setattr(_working_set.State, "improve", improve)
    found = solve(computed(X), P, 1e-6, -1, MEMORY)
    assert found.converged and in_single


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


# ---------------------------------------------------------------------------------------------
# The outer solver


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
    found = solve(gram, P, 1e-6, -1, memory)
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
        found = solve(StoredGram(K), c_classification(y, weight), tol, -1, MEMORY)
        primal, dual = reference.svm_objectives(K, y, found.beta, -found.multipliers[0], weight)
        np.testing.assert_allclose(found.gap, primal - dual, rtol=1e-8, atol=1e-12)
        target = y + X[:, 1]
        P = epsilon_regression(target, weight, 0.1)
        found = solve(StoredGram(K), P, tol, -1, MEMORY)
        beta = found.beta[:24] + found.beta[24:]
        primal, dual = reference.svr_objectives(K, target, beta, -found.multipliers[0], weight, 0.1)
        np.testing.assert_allclose(found.gap, primal - dual, rtol=1e-8, atol=1e-12)


@pytest.mark.nojit
def test_multiplier_where_every_coefficient_is_at_its_bound():
    """Any value between the gradients at the two bounds would do: the middle is taken."""
    P = c_classification(np.array([1.0, -1.0]), np.full(2, 0.1))
    found = solve(StoredGram(np.diag([1.0, 3.0])), P, 1e-6, -1, MEMORY)
    np.testing.assert_allclose(found.beta, [0.1, -0.1])
    np.testing.assert_allclose(found.gradient, [-0.9, 0.7])
    np.testing.assert_allclose(found.multipliers, [-0.1])


def test_violation_is_that_of_exact_gradients():
    """The certificate does not believe gradients that were followed in float32."""
    X, y, _ = make(1500, 4)
    y[::7] *= -1
    gram = computed(X)
    P = c_classification(y, np.full(1500, 50.0))
    found = solve(gram, P, 1e-3, -1, 8e6)
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
    found = solve(computed(X), c_classification(y, np.full(1200, 1.0)), 1e-9, -1, MEMORY)
    assert found.converged and found.violation < 1e-9


def test_limit_of_steps_is_kept():
    X, y, weight = make(24)
    for limit in (0, 1, 7):
        found = solve(computed(X), c_classification(y, weight), 1e-9, limit, MEMORY)
        assert found.n_steps == limit and not found.converged


@pytest.mark.nojit
def test_working_sets_hold_the_worst_pair_and_keep_to_their_size():
    X, y, weight = make(30)
    for name, P in programmes(y, weight).items():
        state = _working_set.State(StoredGram(kernels.rbf_kernel(X)), P, False)
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


# ---------------------------------------------------------------------------------------------
# Programmes


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


# ---------------------------------------------------------------------------------------------
# Gram matrices


@pytest.mark.parametrize("name", ["linear", "poly", "rbf", "sigmoid"])
@pytest.mark.parametrize("sparse", [False, True])
def test_parts_of_gram_matrices(name, sparse):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) * (rng.random((60, 4)) < 0.7) + 0.0
    kernel = kernels.make_kernel(name, X, gamma=0.3, coef0=0.5)
    full = kernels.gram(kernel, X)
    data = scipy.sparse.csr_array(X) if sparse else X
    kernel = kernels.make_kernel(name, data, gamma=0.3, coef0=0.5)
    rows, some = rng.permutation(60)[:40], rng.permutation(40)[:17]
    weights = rng.normal(size=17)
    for gram in (ComputedGram(kernel, data), StoredGram(full)):
        part = gram.take(rows)
        K = full[np.ix_(rows, rows)]
        assert part.n == 40
        np.testing.assert_allclose(part.diagonal(), K.diagonal(), rtol=1e-12)
        dtypes = [np.float64, np.float32] if gram.has_rough else [np.float64]
        assert gram.has_rough == (isinstance(gram, ComputedGram) and not sparse)
        for dtype in dtypes:
            close = {"rtol": 1e-12, "atol": 1e-12} if dtype == np.float64 else {"atol": 3e-5}
            square = part.square(some, dtype)
            assert square.dtype == dtype
            np.testing.assert_allclose(square, K[np.ix_(some, some)], **close)
            product = part.product(some, weights, dtype)
            np.testing.assert_allclose(product, K[:, some] @ weights, **close)
            assert product.dtype == np.float64
            assert not part.product(some[:0], weights[:0], dtype).any()


def test_tiles_are_cut(monkeypatch):
    X, _, _ = make(300)
    gram, K = computed(X), kernels.rbf_kernel(X, gamma=0.5)
    monkeypatch.setattr(_gram, "TILE_BYTES", 1)
    some, weights = np.arange(0, 300, 2), np.linspace(-1, 1, 150)
    np.testing.assert_allclose(gram.square(some, np.float64), K[np.ix_(some, some)], atol=1e-10)
    for one in (gram, StoredGram(K)):
        found = one.product(some, weights, np.float64)
        np.testing.assert_allclose(found, K[:, some] @ weights, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_columns", [10, 5000, 10**6])
def test_a_tile_has_as_many_rows_as_fit_into_a_few_megabytes(n_columns, dtype):
    rows, row = _gram.tile_rows(n_columns, dtype), np.dtype(dtype).itemsize * n_columns
    assert rows == 16 or rows * row <= 2**22
    assert rows == 1024 or (rows + 1) * row > 2**22


def test_a_product_copies_a_stored_matrix_in_parts():
    gram = StoredGram(np.ones((1200, 1200)))  # 11.5 million bytes
    tracemalloc.start()
    product = gram.product(np.arange(1200), np.ones(1200), np.float64)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (product == 1200.0).all() and peak < 5e6


def test_float32_is_used_where_it_is_fine_enough():
    X, _, _ = make(50)
    assert computed(X).has_rough
    assert computed(X + 1e6).has_rough  # samples are centred
    assert not computed(1e4 * X).has_rough
    assert not computed(1e5 * X, "poly", gamma=1.0).has_rough
    assert not computed(1e200 * X).has_rough


@pytest.mark.parametrize("name", ["linear", "poly", "rbf"])
def test_gram_matrices_are_positive_semidefinite(name):
    for seed in range(5):
        X, _, _ = make(60, 2, seed)
        K = kernels.gram(kernels.make_kernel(name, X, gamma=0.7, coef0=1.0), X)
        values = np.linalg.eigvalsh(K)
        assert values[0] > -1e-12 * values[-1]


def test_the_sigmoid_is_not():
    X, _, _ = make(60, 2)
    K = kernels.gram(kernels.make_kernel("sigmoid", X, gamma=0.7, coef0=-1.0), X)
    assert np.linalg.eigvalsh(K)[0] < -0.1


# ---------------------------------------------------------------------------------------------
# Probabilities


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
