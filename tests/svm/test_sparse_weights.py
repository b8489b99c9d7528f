"""Sweeps and Newton's steps under an l1 penalty: minima, slopes, lines and certificates."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse

from litlearn.svm import LinearSVC
from litlearn.svm._sparse_weights import (
    column_slopes,
    loss_change,
    lowest_along,
    newton_direction,
    newton_steps,
    newton_sweep,
    newton_work,
    objective,
    prices,
    solve_sparse,
)
from problems import labelled


@pytest.mark.nojit
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("price", [0.002, 0.08, 1.0, 20.0])
def test_l1_finds_the_minimum(sparse, price):
    """The minimum by another way, and the violation and the gap from their definitions."""
    X, y = labelled(20, 5)
    X[np.abs(X) < 0.2] = 0.0
    y, C = 2.0 * y - 1.0, price * np.random.default_rng(0).uniform(0.5, 1.0, 20)
    C[3] = 0.0
    A = scipy.sparse.csc_array(X)
    columns = X.T.reshape(-1), np.empty(0, dtype=np.int32), 20 * np.arange(6)
    columns = (A.data, A.indices, A.indptr) if sparse else columns
    w, violation, gap, n_iter, converged = solve_sparse(
        columns, lambda w: X @ w, y, C, (1e-6, 5000), 0
    )

    def loss(w):
        return C @ np.maximum(1.0 - y * (X @ w), 0.0) ** 2

    peer = scipy.optimize.minimize(
        lambda v: v.sum() + loss(v[:5] - v[5:]), np.zeros(10), bounds=[(0, None)] * 10, tol=1e-14
    )
    excess = np.abs(w).sum() + loss(w) - peer.fun
    assert converged and n_iter < 5000 and abs(excess) <= 1e-5 * peer.fun
    assert excess <= gap * (1 + 1e-6) + 1e-9 and -1e-12 <= gap <= 1e-4 * peer.fun
    margins = np.maximum(1.0 - y * (X @ w), 0.0)
    slopes = -2.0 * X.T @ (C * y * margins)
    off = np.where(w != 0.0, np.abs(slopes + np.sign(w)), np.abs(slopes) - 1.0)
    assert violation == pytest.approx(max(0.0, off.max()), abs=1e-12)
    # After one pass: the gap from its definition, and the tolerance relative to the slopes at zero.
    w, violation, gap, *_ = solve_sparse(columns, lambda w: X @ w, y, C, (1e-12, 1), 0)
    alpha = 2.0 * C * np.maximum(1.0 - y * (X @ w), 0.0)
    alpha /= max(1.0, np.abs(X.T @ (y * alpha)).max())
    dual = alpha.sum() - sum(a * a / (4.0 * c) for a, c in zip(alpha, C, strict=True) if c)
    assert gap == pytest.approx(np.abs(w).sum() + loss(w) - dual, rel=1e-9, abs=1e-12)
    scale = max(1.0, np.abs(2.0 * X.T @ (C * y)).max())
    for share in (0.99, 1.01):
        limits = (share * violation / scale, 1)
        converged = solve_sparse(columns, lambda w: X @ w, y, C, limits, 0)[-1]
        assert violation == 0.0 or converged == (share > 1.0)
    # Where no feature says anything, the loss of w = 0 is the minimum.
    columns = tuple(0.0 * one if k == 0 else one for k, one in enumerate(columns))
    w, _, gap, *_ = solve_sparse(columns, lambda w: 0.0 * y, y, C, (1e-6, 10), 0)
    assert not w.any() and gap == pytest.approx(0.0, abs=1e-12)


@pytest.mark.nojit
@pytest.mark.parametrize("shape", [(3, 8), (6, 6), (8, 3)])
def test_newton_direction_by_the_smaller_matrix(shape):
    """A ridge of 1e-10, in units of each feature's length."""
    rng = np.random.default_rng(0)
    A, slopes = (
        rng.normal(size=shape) * 10.0 ** rng.uniform(-3, 3, (shape[0], 1)),
        rng.normal(size=shape[0]),
    )
    lengths = np.linalg.norm(A, axis=1)
    units = A / lengths[:, None]
    expected = -np.linalg.solve(units @ units.T + 1e-10 * np.eye(len(A)), slopes / lengths)
    size = np.abs(expected).max()
    found = newton_direction(A, slopes) * lengths
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 * size)
    # A feature that no sample with a loss has: as far as the ridge allows.
    A[1] = 0.0
    assert newton_direction(A, np.ones(len(A)))[1] == pytest.approx(-1e10, rel=1e-5)


@pytest.mark.nojit
@pytest.mark.parametrize("seed", range(20))
def test_the_lowest_point_on_a_line(seed):
    rng = np.random.default_rng(seed)
    w, direction, turn = rng.normal(size=4), rng.normal(size=4), rng.normal(size=12)
    margin, C = rng.normal(size=12), rng.exponential(size=12) * 10.0 ** rng.integers(-3, 1)
    C[0] = turn[1] = direction[1] = 0.0

    def value(t):
        return objective(w + t * direction, margin - t * turn, C)

    if value(1e-9) > value(0.0):
        direction, turn = -direction, -turn
    with np.errstate(divide="ignore"):
        t, found, passed = lowest_along(w, direction, margin, turn, C)
    peer = scipy.optimize.minimize_scalar(value, bounds=(0.0, 2.0 * t + 1.0), method="bounded",
                                          options={"xatol": 1e-12})  # fmt: skip
    assert objective(found, margin - t * turn, C) <= peer.fun + 1e-12
    np.testing.assert_allclose(found, w + t * direction, atol=1e-14)
    with np.errstate(divide="ignore"):
        places = np.append(-w / direction, (margin / turn)[C > 0.0])
    assert passed == np.any((places > 0.0) & (places <= t * (1 + 1e-12)))
    at_zero = np.isclose(-w[direction != 0.0] / direction[direction != 0.0], t, rtol=1e-12)
    assert at_zero.sum() == np.sum(found == 0.0)


@pytest.mark.nojit
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")  # random bits: modulo 2^64, as meant
def test_newton_steps_are_exact_where_signs_and_sides_are_right():
    X, y = labelled(40, 6)
    y, C, n = 2.0 * y - 1.0, np.full(40, 0.5), 40
    columns = X.T.reshape(-1), np.empty(0, dtype=np.int32), n * np.arange(7)
    w = solve_sparse(columns, lambda w: X @ w, y, C, (1e-3, 5000), 0)[0]
    near = w * (1.0 + 1e-6 * np.arange(6))
    margin, before = 1.0 - y * (X @ near), near.copy()
    assert newton_steps(columns, y, C, margin, near) >= 1
    np.testing.assert_allclose(margin, 1.0 - y * (X @ near), atol=1e-14)
    missed = np.maximum(margin, 0.0)
    slopes, used = 2.0 * X.T @ (C * y * missed), near != 0.0
    np.testing.assert_allclose(slopes[used], np.sign(near[used]), atol=1e-8)
    assert (np.abs(slopes[~used]) <= 1.0).all() and (near != before).any()
    # Nothing to do: no coefficient, no sample with a loss, or too many entries.
    assert newton_steps(columns, y, C, margin, np.zeros(6)) == 0
    assert newton_work(C, margin, np.zeros(6)) == newton_work(C, -margin.clip(1e-9), near) == np.inf
    assert newton_work(np.zeros(2**24), np.ones(2**24), near) == np.inf


@pytest.mark.nojit
def test_prices_rise_by_tens_where_there_are_many_features():
    np.testing.assert_allclose(prices(20, 10, 5e3), [0.01, 0.1, 1.0])
    np.testing.assert_allclose(prices(20, 10, 90.0), [1.0])
    np.testing.assert_allclose(prices(21, 10, 1e9), [1.0])


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("C", [1.0, 100.0, 1e4])
def test_l1_ends_at_high_prices_of_samples_that_are_separated(C, sparse):
    """Where single coefficients creep: passes alone were at the limit of 1000, far above."""
    X, y = labelled(60, 150)
    X += 0.7 * np.random.default_rng(1).normal(size=(60, 1))
    given = scipy.sparse.csr_array(X) if sparse else X
    model = LinearSVC(penalty="l1", C=C, random_state=0).fit(given, y)
    assert model.n_iter_ < 1000 and model.score(given, y) == 1.0
    exact = LinearSVC(penalty="l1", C=C, random_state=0, tol=1e-9, max_iter=20_000).fit(given, y)
    w = np.append(exact.coef_, exact.intercept_)
    losses = C * np.maximum(1.0 - (2 * y - 1) * (X @ w[:-1] + w[-1]), 0.0) ** 2
    assert exact.dual_gap_[0] < 1e-6 * (np.abs(w).sum() + losses.sum())


@pytest.mark.parametrize("seed", range(4))
def test_a_coefficient_that_no_sample_needs_any_more_becomes_zero(seed):
    """Both features serve the first sample; only the second one serves the heavy one."""
    X, y = np.array([[1.0, 1.0], [0.0, 0.1], [-1.0, -1.0], [0.0, -0.1]]), [1, 1, 0, 0]
    model = LinearSVC(penalty="l1", fit_intercept=False, random_state=seed)
    model.fit(X, y, sample_weight=[0.5, 5000.0, 0.5, 5000.0])
    np.testing.assert_allclose(model.coef_, [[0.0, 9.995]], atol=1e-6)
    assert 0.0 <= model.dual_gap_[0] < 1e-6


@pytest.mark.nojit
def test_sweeps_find_the_minima_of_columns_that_share_no_sample():
    """With one sample a each, C max(0, 1 - a w)^2 + |w| is lowest at 1 / a - 1 / (2 C a^2)."""
    a, C = np.array([0.6, 3.0, 0.1, -2.0, 0.45, 1.0, 1.0]), np.array([1, 0.4, 1, 0.7, 1, 1, 3.02])
    w, y = np.array([0.3, 0.1, 0.0, -0.05, 0.2, 3.0, 3.0]), np.ones(7)
    columns = a, np.arange(7, dtype=np.int32), np.arange(8)
    margin, active = 1.0 - a * w, np.arange(7)
    off = np.abs(np.sign(w) - 2.0 * C * a * np.maximum(margin, 0.0))
    slopes = 2.0 * C * np.abs(a)
    expected = np.where(slopes > 1.0, 1.0 / a - np.sign(a) / (2.0 * C * a**2), 0.0)
    stay, worst = newton_sweep(columns, y, C, margin, w, active, 0.5)
    assert worst == pytest.approx(off[w != 0.0].max())
    assert stay == 6 and active[6] == 2  # whose slope is more than 0.5 below what it takes
    assert w[5] == 0.0 and w[6] == 1.5  # no sample needed them; now one does, or would
    np.testing.assert_allclose(w[:5], expected[:5], atol=1e-15)
    for _ in range(3):
        newton_sweep(columns, y, C, margin, w, active[:6], 0.5)
    np.testing.assert_allclose(w, expected, atol=1e-15)
    np.testing.assert_allclose(margin, 1.0 - a * w, atol=1e-15)


@pytest.mark.nojit
@pytest.mark.parametrize("sparse", [False, True])
def test_no_sweep_raises_the_objective(sparse):
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = rng.normal(size=(12, 3)) * 10.0 ** rng.uniform(-1.0, 1.0, (12, 1))
        y, C = rng.choice([-1.0, 1.0], 12), 10.0 ** rng.uniform(-3.0, 2.0, 12)
        columns = X.T.reshape(-1), np.empty(0, dtype=np.int32), 12 * np.arange(4)
        if sparse:
            columns = columns[0], np.tile(np.arange(12, dtype=np.int32), 3), columns[2]
        w = rng.normal(size=3) * 10.0 ** rng.uniform(-2.0, 2.0)
        margin, values = 1.0 - y * (X @ w), []
        for _ in range(12):
            values.append(np.abs(w).sum() + C @ np.maximum(margin, 0.0) ** 2)
            newton_sweep(columns, y, C, margin, w, np.arange(3), np.inf)
            np.testing.assert_allclose(margin, 1.0 - y * (X @ w), atol=1e-9)
        assert (np.diff(values) <= 1e-12 * np.abs(values[:-1])).all()


@pytest.mark.nojit
def test_derivatives_of_a_column_are_finite_differences():
    X, y = labelled(20, 3)
    y, C, margin = 2.0 * y - 1.0, np.linspace(0.5, 1.0, 20), np.linspace(-1.0, 2.0, 20)
    columns = X.T.reshape(-1), np.empty(0, dtype=np.int32), 20 * np.arange(4)
    h = 1e-5
    for j in range(3):
        up, down = (loss_change(columns, y, C, margin, j, step) for step in (h, -h))
        slope, curvature = column_slopes(columns, y, C, margin, j)
        assert slope == pytest.approx((up - down) / (2.0 * h), rel=1e-7)
        assert curvature == pytest.approx((up + down) / h**2, rel=1e-4)
