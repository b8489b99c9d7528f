"""LinearSVC and LinearSVR: their solvers, certificates, hard cases, parity with liblinear."""

import warnings

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
import sklearn.svm
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from litlearn.exceptions import ConvergenceWarning
from litlearn.svm import (
    LinearSVC,
    LinearSVR,
    _dual_descent,
    _linear_machines,
    _primal_newton,
    _sparse_weights,
)
from litlearn.svm._dual_descent import DualProblem, make_rows, solve_dual
from litlearn.svm._primal_newton import SquaredLoss, solve_primal
from litlearn.svm._sparse_weights import column_slopes, loss_change, solve_sparse, sweep

SETTINGS = (
    {},
    {"loss": "hinge"},
    {"penalty": "l1"},
    {"multi_class": "crammer_singer"},
    {"intercept_scaling": 5.0, "C": 3.0},
    {"fit_intercept": False},
    {"fit_intercept": False, "loss": "hinge"},
    {"fit_intercept": False, "penalty": "l1"},
)
REGRESSIONS = (
    {"epsilon": 0.3},
    {"loss": "squared_epsilon_insensitive", "epsilon": 0.3},
    {"C": 2.0},
    {"fit_intercept": False, "loss": "squared_epsilon_insensitive"},
)


def make(n=60, p=4, n_classes=2, seed=0, noise=0.7):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 0.3
    scores = X[:, :n_classes] + noise * rng.normal(size=(n, n_classes))
    return X, scores.argmax(axis=1)


def objective(model, X, y, weight=None):
    """The primal objective, from its definition; y holds classes 0, 1, ... or targets."""
    X = X.toarray() if scipy.sparse.issparse(X) else X
    C = model.C * (np.ones(len(X)) if weight is None else weight)
    scale = model.intercept_scaling if model.fit_intercept else 1.0
    coef = np.atleast_2d(model.coef_)
    W = np.column_stack([coef, np.broadcast_to(model.intercept_, len(coef)) / scale])
    f = X @ np.atleast_2d(model.coef_).T + model.intercept_
    if isinstance(model, (LinearSVR, sklearn.svm.LinearSVR)):
        loss = np.maximum(np.abs(y - f[:, 0]) - model.epsilon, 0.0)
    elif model.multi_class == "crammer_singer":
        if len(W) == 1:  # the difference of two opposite ones
            W, f = np.vstack([-W, W]) / 2, np.hstack([-f, f]) / 2
        rivals = f + 1.0
        own = np.arange(len(y)), y
        rivals[own] -= 1.0
        return 0.5 * np.sum(W**2) + C @ (rivals.max(axis=1) - f[own])
    else:
        own = np.arange(len(W)) if len(W) > 1 else np.array([1])
        signs = np.where(y[:, np.newaxis] == own, 1.0, -1.0)
        loss = np.maximum(0.0, 1.0 - signs * f).sum(axis=1)
        if model.loss == "squared_hinge":
            loss = (np.maximum(0.0, 1.0 - signs * f) ** 2).sum(axis=1)
    if model.loss == "squared_epsilon_insensitive":
        loss = loss**2
    norm = np.abs(W).sum() if getattr(model, "penalty", "l2") == "l1" else 0.5 * np.sum(W**2)
    return norm + C @ loss


def both(name, **parameters):
    ours = {"LinearSVC": LinearSVC, "LinearSVR": LinearSVR}[name]
    theirs = getattr(sklearn.svm, name)
    shared = {"random_state": 0, **parameters}
    return ours(**{"max_iter": 10_000, **shared}), theirs(**{"max_iter": 10_000, **shared})


# ---------------------------------------------------------------------------------------------
# The solvers


def dual_objective(A, problem, beta):
    w = A.T @ beta
    return (
        0.5 * w @ w
        + 0.5 * problem.diagonal @ beta**2
        - problem.y @ beta
        + problem.epsilon * np.abs(beta).sum()
    )


@pytest.mark.nojit
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")  # of whole numbers, as plain Python
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("kind", ["hinge", "squared", "tube"])
def test_dual_descent_finds_the_minimum(sparse, kind):
    X, y = make(15, 3)
    sign, C = 2.0 * y - 1.0, np.random.default_rng(0).uniform(0.2, 1.0, 15)
    top = np.full(15, 50.0) if kind == "squared" else C
    lower, upper = np.where(sign < 0, -top, 0.0), np.where(sign > 0, top, 0.0)
    diagonal = 0.5 / C if kind == "squared" else np.zeros(15)
    problem = DualProblem(sign, diagonal, lower, upper, 0.0)
    if kind == "tube":
        problem = DualProblem(X[:, 0] ** 2, diagonal, -C, C, 0.2)
    rows = make_rows(scipy.sparse.csr_array(X) if sparse else X, 0.5)
    A = np.column_stack([X, np.full(15, 0.5)])
    found = solve_dual(rows, problem, 3, 1e-8, 5000, 0)
    assert found.converged and found.violation < 1e-8
    np.testing.assert_allclose(found.w, A.T @ found.beta, atol=1e-12)
    # The minimum by another way: beta = positive - negative part, bounded quasi-Newton.
    peer = scipy.optimize.minimize(
        lambda v: (
            dual_objective(A, problem, v[:15] - v[15:])
            + problem.epsilon * (np.sum(v) - np.abs(v[:15] - v[15:]).sum())
        ),
        np.zeros(30),
        bounds=[(0, b) for b in problem.upper] + [(0, -b) for b in problem.lower],
        tol=1e-14,
    )
    assert dual_objective(A, problem, found.beta) <= peer.fun + 1e-7


@pytest.mark.nojit
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("price", [0.002, 0.08, 1.0, 20.0])
def test_l1_finds_the_minimum(sparse, price):
    """The minimum by another way, and the violation and the gap from their definitions."""
    X, y = make(20, 5)
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
    stay, worst = sweep(columns, y, C, margin, w, active, 0.5)
    assert worst == pytest.approx(off[w != 0.0].max())
    assert stay == 6 and active[6] == 2  # whose slope is more than 0.5 below what it takes
    assert w[5] == 0.0 and w[6] == 1.5  # no sample needed them; now one does, or would
    np.testing.assert_allclose(w[:5], expected[:5], atol=1e-15)
    for _ in range(3):
        sweep(columns, y, C, margin, w, active[:6], 0.5)
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
            sweep(columns, y, C, margin, w, np.arange(3), np.inf)
            np.testing.assert_allclose(margin, 1.0 - y * (X @ w), atol=1e-9)
        assert (np.diff(values) <= 1e-12 * np.abs(values[:-1])).all()


@pytest.mark.nojit
def test_products_with_sparse_samples_of_any_length():
    """Four sums side by side, and the rest; the additional feature comes last."""
    rng = np.random.default_rng(0)
    dense = np.tril(rng.normal(size=(10, 9)), -1)  # 0 to 9 entries
    rows, w = make_rows(scipy.sparse.csr_array(dense), 0.5), rng.normal(size=10)
    found = [_dual_descent.row_product(rows, i, w) for i in range(10)]
    np.testing.assert_allclose(found, dense @ w[:9] + 0.5 * w[9], rtol=1e-12)


@pytest.mark.nojit
def test_derivatives_of_a_column_are_finite_differences():
    X, y = make(20, 3)
    y, C, margin = 2.0 * y - 1.0, np.linspace(0.5, 1.0, 20), np.linspace(-1.0, 2.0, 20)
    columns = X.T.reshape(-1), np.empty(0, dtype=np.int32), 20 * np.arange(4)
    h = 1e-5
    for j in range(3):
        up, down = (loss_change(columns, y, C, margin, j, step) for step in (h, -h))
        slope, curvature = column_slopes(columns, y, C, margin, j)
        assert slope == pytest.approx((up - down) / (2.0 * h), rel=1e-7)
        assert curvature == pytest.approx((up + down) / h**2, rel=1e-4)


@pytest.mark.nojit
def test_violations_are_those_of_the_definition():
    """Moving any coefficient by a little lowers the objective by at most its violation."""
    X, _ = make(12, 3)
    C = np.full(12, 0.3)
    problem = DualProblem(X[:, 0], np.zeros(12), -C, C, 0.1)
    rng = np.random.default_rng(0)
    rows, A = make_rows(X, 1.0), np.column_stack([X, np.ones(12)])
    for _ in range(20):
        beta = rng.choice([-0.3, 0.0, 0.1, 0.3], 12)
        w = A.T @ beta
        found = _dual_descent.largest_violation(rows, problem, beta, w, np.arange(12))
        value, steepest, step = dual_objective(A, problem, beta), 0.0, 1e-7
        for i in range(12):
            for move in (-step, step):
                trial = beta.copy()
                trial[i] += move
                if abs(trial[i]) <= 0.3:
                    steepest = max(steepest, (value - dual_objective(A, problem, trial)) / step)
        np.testing.assert_allclose(found, steepest, atol=1e-5)


@pytest.mark.nojit
@given(st.lists(st.floats(-100, 100), min_size=1, max_size=8), st.floats(0, 100))
def test_water_level(tops, amount):
    tops = np.array(tops)
    level = _dual_descent.water_level(tops, amount)
    np.testing.assert_allclose(np.maximum(tops - level, 0).sum(), amount, rtol=1e-9, atol=1e-9)


@pytest.mark.nojit
@pytest.mark.parametrize("epsilon", [None, 0.3])
@pytest.mark.parametrize("sparse", [False, True])
def test_newton_finds_the_minimum(epsilon, sparse, monkeypatch):
    monkeypatch.setattr(_primal_newton, "BLOCK_ENTRIES", 64)
    X, y = make(150, 3)
    target = 2.0 * y - 1.0 if epsilon is None else X[:, 0] ** 2
    C = np.random.default_rng(0).uniform(0.0, 5.0, 150) * (np.arange(150) % 5 > 0)
    loss = SquaredLoss(scipy.sparse.csr_array(X) if sparse else X, 0.5, target, C, epsilon)
    w, beta, violation, n_iter, converged = solve_primal(loss, 1e-9, 50)
    assert converged and violation < 1e-9 and 0 < n_iter < 20

    def value(v):
        return loss.value(v, loss.misses(loss.outputs(v)))

    rng = np.random.default_rng(1)
    for scale in (1e-3, 1e-1):
        for _ in range(20):
            assert value(w + scale * rng.normal(size=4)) > value(w)
    # What it returns are the coefficients of the dual.
    np.testing.assert_allclose(X.T @ beta, w[:3], atol=1e-8)
    # Out of steps, it says by how much the samples violate their conditions, not a bound of it.
    w, beta, violation, few, converged = solve_primal(loss, 1e-9, 1)
    assert few == 1 and not converged
    A = np.column_stack([X, np.full(150, 0.5)])
    off = np.abs(A @ (w - A.T @ beta))
    assert violation == pytest.approx(off[C > 0.0].max(), rel=1e-6)
    # Where rounding leaves nothing to gain it stops.
    *_, n_iter, converged = solve_primal(loss, 1e-300, 1000)
    assert n_iter < 100 and not converged


@pytest.mark.parametrize(
    "setting",
    [{"loss": "hinge"}, {"multi_class": "crammer_singer"}, {"penalty": "l1"}],
    ids=str,
)
def test_a_pass_over_many_entries_can_be_interrupted(setting, monkeypatch):
    X, y = make(60, 20, n_classes=3)
    calls = []
    monkeypatch.setattr(_dual_descent, "WORK", 1)
    monkeypatch.setattr(_sparse_weights, "WORK", 1)
    monkeypatch.setattr(_dual_descent, "check_interrupt", lambda: calls.append(1))
    with pytest.warns(ConvergenceWarning):
        LinearSVC(max_iter=1, **setting).fit(X, y)
    assert len(calls) >= 60  # at each sample, or at each of 20 features for each of 3 classes


@pytest.mark.nojit
@pytest.mark.parametrize("epsilon", [None, 0.3])
@pytest.mark.parametrize("length", [0.02, 1.0, 50.0])
def test_the_lowest_point_of_a_line(length, epsilon):
    """From any place, for steps of any length, after a few looks: the slope changes its sign."""
    X, y = make(80, 3)
    X, rng = 10.0 * X, np.random.default_rng(2)
    target = 2.0 * y - 1.0 if epsilon is None else X[:, 0]
    loss = SquaredLoss(X, 1.0, target, rng.uniform(0.1, 2.0, 80), epsilon)
    best = solve_primal(loss, 1e-9, 50)[0]
    for _ in range(5):
        w = best + rng.normal(size=4)
        step = length * (best + 0.1 * rng.normal(size=4) - w)
        f, rates = loss.outputs(w), loss.outputs(step)
        looks, misses = [], loss.misses
        loss.misses = lambda f, misses=misses, looks=looks: looks.append(1) or misses(f)
        t = _primal_newton.line_minimum(loss, w, step, f, rates)
        loss.misses = misses
        assert len(looks) <= 6

        def slope(t, w=w, step=step, f=f, rates=rates):
            return (w + t * step) @ step - 2.0 * (loss.C * loss.misses(f + t * rates)) @ rates

        assert slope(0.995 * t) < 0.0 < slope(1.005 * t)


# ---------------------------------------------------------------------------------------------
# Certificates and parity


@pytest.mark.parametrize("parameters", SETTINGS, ids=str)
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_classification_is_liblinears(parameters, sparse, n_classes):
    X, y = make(n_classes=n_classes)
    X = scipy.sparse.csr_matrix(X * (X > 0)) if sparse else X
    ours, theirs = both("LinearSVC", tol=1e-5, **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = ours.fit(X, y), theirs.fit(X, y)
    value, other = objective(ours, X, y), objective(theirs, X, y)
    assert value <= other * (1 + 1e-6)
    assert np.all(ours.dual_gap_ <= 1e-3 * value)
    assert value - other <= np.sum(ours.dual_gap_) + 1e-9 * value
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=5e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=5e-3)
    assert ours.coef_.shape == theirs.coef_.shape
    assert ours.intercept_.shape == np.shape(theirs.intercept_) or not ours.fit_intercept
    assert type(ours.n_iter_) is int
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=2e-2)


@pytest.mark.parametrize("parameters", REGRESSIONS, ids=str)
@pytest.mark.parametrize("sparse", [False, True])
def test_regression_is_liblinears(parameters, sparse):
    X, _ = make(80)
    y = X[:, 0] + X[:, 1] ** 2
    X = scipy.sparse.csr_matrix(X * (X > 0)) if sparse else X
    ours, theirs = both("LinearSVR", tol=1e-6, **parameters)
    ours, theirs = ours.fit(X, y), theirs.fit(X, y)
    value, other = objective(ours, X, y), objective(theirs, X, y)
    assert value <= other * (1 + 1e-6)
    assert value - other <= ours.dual_gap_ + 1e-9 * value
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)
    assert ours.coef_.shape == theirs.coef_.shape


@pytest.mark.parametrize("parameters", SETTINGS[:4], ids=str)
def test_the_gap_holds_the_true_distance(parameters):
    X, y = make(100)
    best = objective(
        LinearSVC(tol=1e-7, C=0.1, max_iter=10_000, random_state=0, **parameters).fit(X, y), X, y
    )
    for tol in (1.0, 0.1, 1e-3):
        model = LinearSVC(tol=tol, C=0.1, random_state=0, **parameters).fit(X, y)
        assert objective(model, X, y) - best <= model.dual_gap_[0] + 1e-9 * best
        assert model.dual_gap_[0] >= 0.0


@pytest.mark.parametrize("loss", ["squared_hinge", "squared_epsilon_insensitive"])
def test_both_ways_reach_the_same_minimum(loss, monkeypatch):
    X, y = make(100)
    kind = LinearSVC if loss == "squared_hinge" else LinearSVR
    by_newton = kind(loss=loss, tol=1e-8).fit(X, y)
    monkeypatch.setattr(_linear_machines, "MOST_FEATURES", 0)
    by_descent = kind(loss=loss, tol=1e-8, max_iter=10_000, random_state=0).fit(X, y)
    np.testing.assert_allclose(by_descent.coef_, by_newton.coef_, atol=1e-7)
    assert by_newton.n_iter_ < by_descent.n_iter_


@pytest.mark.parametrize("parameters", SETTINGS[:4], ids=str)
def test_weight_is_repetition(parameters):
    X, y = make(50, n_classes=3)
    weight = np.random.default_rng(0).integers(0, 4, 50)
    setting = {"tol": 1e-5, "C": 0.02, "max_iter": 10_000, "random_state": 0, **parameters}
    for class_weight in ({0: 2.0}, "balanced"):
        one = LinearSVC(class_weight=class_weight, **setting).fit(X, y, weight)
        repeated = np.repeat(X, weight, axis=0), np.repeat(y, weight)
        other = LinearSVC(class_weight=class_weight, **setting).fit(*repeated)
        np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-3)


def test_weight_is_repetition_in_regression():
    X, _ = make(50)
    y, weight = X[:, 0] ** 2, np.random.default_rng(0).integers(0, 4, 50)
    for loss in ("epsilon_insensitive", "squared_epsilon_insensitive"):
        setting = {"tol": 1e-7, "C": 0.1, "max_iter": 10_000, "loss": loss, "random_state": 0}
        one = LinearSVR(**setting).fit(X, y, weight)
        other = LinearSVR(**setting).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
        np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-5)


# ---------------------------------------------------------------------------------------------
# Hard cases


@pytest.mark.parametrize("C", [1e-4, 1.0, 1e2])
@pytest.mark.parametrize("parameters", SETTINGS[:4], ids=str)
def test_any_price(C, parameters):
    X, y = make(60, noise=0.2)
    X, y = np.vstack([X, X[:10]]), np.hstack([y, 1 - y[:10]])  # equal ones, opposite labels
    ours, theirs = both("LinearSVC", C=C, **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, other = (objective(model.fit(X, y), X, y) for model in (ours, theirs))
    assert value <= other * (1 + 1e-3 if parameters.get("penalty") else 1 + 1e-4)


def test_more_features_than_samples():
    X, y = make(30, 200)
    for loss in ("hinge", "squared_hinge"):
        ours, theirs = both("LinearSVC", loss=loss, tol=1e-7)
        value, other = (objective(model.fit(X, y), X, y) for model in (ours, theirs))
        assert value <= other * (1 + 1e-6)


def test_samples_of_zeros_and_a_class_of_one():
    X, y = make(30)
    X[:5] = 0.0
    y[:] = 0
    y[7] = 1
    for parameters in SETTINGS:
        model = LinearSVC(random_state=0, max_iter=10_000, **parameters).fit(X, y)
        assert np.isfinite(model.coef_).all()
    assert np.isfinite(LinearSVR(fit_intercept=False).fit(X, y).coef_).all()


def test_features_as_they_were_measured():
    X, y = load_breast_cancer(return_X_y=True)
    ours, theirs = both("LinearSVC")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, other = (objective(model.fit(X, y), X, y) for model in (ours, theirs))
    assert value <= other * (1 + 1e-6)
    X, y = load_diabetes(return_X_y=True)
    model = LinearSVR(C=100.0, loss="squared_epsilon_insensitive").fit(X, y)
    assert model.score(X, y) > 0.4


def test_l1_makes_zeros():
    X, y = make(200, 20)
    few = LinearSVC(penalty="l1", C=0.02, random_state=0).fit(X, y)
    many = LinearSVC(penalty="l1", C=10.0, random_state=0, max_iter=5000).fit(X, y)
    assert np.sum(few.coef_ == 0.0) > 5 > np.sum(many.coef_ == 0.0)
    sparse = few.decision_function(X)
    np.testing.assert_allclose(few.sparsify().decision_function(X), sparse)
    assert scipy.sparse.issparse(few.coef_) and not scipy.sparse.issparse(few.densify().coef_)


@pytest.mark.parametrize("penalty", ["l1", "l2"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("dual", [True, False, "auto"])
def test_combinations_are_liblinears(penalty, loss, dual):
    X, y = make(20)
    model, peer = both("LinearSVC", penalty=penalty, loss=loss, dual=dual)
    try:
        peer.fit(X, y)
    except ValueError as error:
        assert "Unsupported set of arguments" in str(error)
        with pytest.raises(ValueError, match="Unsupported set of arguments"):
            model.fit(X, y)
    else:
        assert model.fit(X, y).score(X, y) > 0.7


def test_steps_without_a_certificate_are_told():
    X, y = load_iris(return_X_y=True)
    for model in (
        LinearSVC(max_iter=2),
        LinearSVC(max_iter=2, loss="hinge"),
        LinearSVC(max_iter=2, penalty="l1"),
        LinearSVC(max_iter=2, multi_class="crammer_singer"),
        LinearSVR(max_iter=2),
    ):
        with pytest.warns(ConvergenceWarning, match="increase the number of iterations"):
            model.fit(X, y)
        assert model.n_iter_ == 2
    X, y = make(50)
    with pytest.warns(ConvergenceWarning):
        LinearSVC(tol=1e-18).fit(X, y)


def test_progress_is_shown(capsys):
    X, y = make(60)
    for parameters in SETTINGS[:4]:
        LinearSVC(verbose=1, **parameters).fit(X, y)
        shown = capsys.readouterr().err
        assert "LinearSVC" in shown and "violation" in shown
    LinearSVC().fit(X, y)
    assert capsys.readouterr().err == ""


def test_interrupts_leave_the_estimator_as_it_was(monkeypatch):
    X, y = make(60)
    model = LinearSVC(loss="hinge", random_state=0).fit(X, y)
    before = model.coef_.copy()

    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr(_dual_descent, "check_interrupt", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(2 * X, y)
    np.testing.assert_array_equal(model.coef_, before)


def test_threads_change_no_bit(monkeypatch):
    X, y = make(5000, 10, n_classes=3)
    found = []
    for n in ("1", "2", "5"):
        monkeypatch.setenv("OMP_NUM_THREADS", n)
        one = LinearSVC().fit(X, y).coef_
        other = LinearSVC(loss="hinge", random_state=0, tol=0.1).fit(X, y).coef_
        found.append((one.tobytes(), other.tobytes()))
    assert found[0] == found[1] == found[2]


# --- the range of numbers --------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::litlearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("scale", [1e8, 1e100, 1e150])
@pytest.mark.parametrize("redundant", [False, True])
def test_data_so_large_that_the_penalty_is_lost(scale, redundant):
    """Of the squared losses alone: the function that far smaller data have with a large C."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, -2.0, 0.5] + rng.normal(size=60)
    X = np.column_stack([X, X[:, 0] - X[:, 1]]) if redundant else X
    for model, target in (
        (LinearSVC(fit_intercept=False), y > 0.0),
        (LinearSVR(loss="squared_epsilon_insensitive", fit_intercept=False), y),
    ):
        near = type(model)(**{**model.get_params(), "C": 1e6, "tol": 1e-6}).fit(X, target)
        far = model.fit(X * scale, target)
        expected = near.coef_ @ X.T
        np.testing.assert_allclose(far.coef_ @ (X * scale).T, expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("model", [LinearSVC(), LinearSVC(loss="hinge"), LinearSVR()])
def test_squares_beyond_range_are_refused(model):
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), [0, 0, 1, 1]
    name = type(model).__name__
    for scale, C in ((1e160, 1.0), (1e120, 1e80), (1e110, 1e100)):
        with pytest.raises(ValueError, match=f"{name}: the squares of the entries of X, times C="):
            clone(model).set_params(C=C).fit(X * scale, y)
    X = scipy.sparse.csr_array(X * 1e160)
    with pytest.raises(ValueError, match=f"{name}: the squares of the entries of X"):
        clone(model).fit(X, y)


@pytest.mark.filterwarnings("ignore::litlearn.exceptions.ConvergenceWarning")
def test_the_largest_price():
    X, y = np.array([[1.0], [2.0], [3.0], [2.5]]), [0, 1, 1, 0]
    expected = LinearSVC(C=1e8).fit(X, y)
    model = LinearSVC(C=1e100).fit(X, y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-4)
    assert model.dual_gap_[0] > 0.0


@pytest.mark.parametrize("setting", [{"penalty": "l1"}, {"loss": "hinge"}])
def test_entries_that_come_twice_are_added(setting):
    rng = np.random.default_rng(0)
    columns = rng.integers(8, size=240)
    X = scipy.sparse.csr_array(
        (rng.standard_normal(240), columns, np.arange(0, 241, 6)), shape=(40, 8)
    )
    y = (X.toarray()[:, 0] + rng.standard_normal(40) > 0).astype(int)
    assert not X.has_canonical_format
    setting = setting | {"tol": 1e-6, "max_iter": 10_000, "random_state": 0}
    once = LinearSVC(**setting).fit(X.toarray(), y)
    np.testing.assert_allclose(LinearSVC(**setting).fit(X, y).coef_, once.coef_, atol=1e-5)
    assert X.nnz == 240


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("LinearSVC", {"loss": "hinge"}),
        ("LinearSVR", {"epsilon": 0.0}),
        ("LinearSVR", {"epsilon": 0.1}),
        ("LinearSVR", {"loss": "squared_epsilon_insensitive", "epsilon": 0.1}),
    ],
)
def test_samples_on_which_passes_hardly_get_on_are_solved_exactly(name, settings, form):
    # A feature far from zero makes all samples nearly parallel.
    rng = np.random.default_rng(0)
    wide = settings.get("loss", "").startswith("squared")
    X = rng.normal(size=(8, 12) if wide else (60, 3))
    target = X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=len(X))
    X[:, 2] += 30.0
    y = target if name == "LinearSVR" else target > np.median(target)
    given = scipy.sparse.csr_array(X) if form == "sparse" else X
    kind = {"LinearSVC": LinearSVC, "LinearSVR": LinearSVR}[name]
    model = kind(C=1000.0, random_state=0, **settings).fit(given, y)
    assert model.n_iter_ < 200
    # The gap holds for the objective, of some 1e4 at zero.
    assert np.all(np.asarray(model.dual_gap_) < 1e-3)


@pytest.mark.parametrize("C", [1.0, 100.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_all_classes_at_once_are_no_farther_from_the_minimum_than_those_of_liblinear(C, seed):
    # Beside a large constant all samples are nearly parallel: after 1000 passes the objective was
    # up to twice that of liblinear, which leaves samples out and takes up to 100,000.
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 4)) + 3.0
    y = np.argmax((X - 3.0) @ rng.normal(size=(4, 3)) + 0.3 * rng.normal(size=(60, 3)), axis=1)

    def objective(model):
        scores = model.decision_function(X)
        own = np.arange(len(y)), np.searchsorted(model.classes_, y)
        rivals = scores + 1.0
        rivals[own] -= 1.0
        size = np.sum(model.coef_**2) + np.sum(model.intercept_**2)
        return size / 2 + C * np.sum(rivals.max(axis=1) - scores[own])

    settings = {"multi_class": "crammer_singer", "C": C, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = objective(sklearn.svm.LinearSVC(**settings).fit(X, y))
        ours = objective(LinearSVC(**settings).fit(X, y))
    assert ours <= theirs * (1.0 + 1e-9)
