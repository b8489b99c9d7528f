"""Logistic regression: losses against their twins, certificates, hard data, parity."""

import pickle
import re
import types
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.linear_model import LogisticRegression as SklearnLogisticRegression

import reference
from litlearn._core.parallel import cut
from litlearn.exceptions import ConvergenceWarning, NotFittedError
from litlearn.linear_model import LogisticRegression, _losses, _matrix, _newton, _objective
from litlearn.linear_model._objective import Objective


def make(n=200, p=5, q=2, seed=0, noise=1.0):
    """Features and classes whose log-odds are linear in them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    W = rng.normal(size=(q, p))
    return X, (X @ W.T + noise * rng.gumbel(size=(n, q))).argmax(axis=1)


def objective(model, X, y, C=1.0, s=None):
    """C sum s loss + ||w||^2 / 2 of a fitted model, ours or not."""
    s = np.ones(len(y)) if s is None else s
    coef = np.asarray(model.coef_, dtype=np.float64)
    Z = X @ coef.T + model.intercept_
    Z = np.column_stack([np.zeros(len(Z)), Z]) if len(model.classes_) == 2 else Z
    own = Z[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    losses = np.logaddexp.reduce(Z, axis=1) - own
    return np.sum(s * losses) if np.isinf(C) else C * np.sum(s * losses) + 0.5 * np.sum(coef**2)


def best_peer(X, y, C=1.0, s=None, **kwargs):
    """The lowest objective that scikit-learn's solvers reach when they are asked for much."""
    values = []
    for solver in ("lbfgs", "newton-cholesky") if X.shape[1] < 50 else ("lbfgs",):
        peer = SklearnLogisticRegression(C=C, solver=solver, tol=1e-8, max_iter=300, **kwargs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values.append(objective(peer.fit(X, y, s), X, y, C, s))
    return min(values)


def binary_loss(X, y, s, alpha, **kwargs):
    return Objective(X, y, 1, s, alpha, True, **kwargs)


def raw(loss, v):
    """Coefficients and intercept of standardised parameters, without the shift of the classes."""
    coef = v[..., :-1] * loss.scale
    return coef, v[..., -1] - coef @ loss.matrix.centre


def to_standard(loss, G):
    """Gradient in the standardised parameters from that in coefficients and intercept."""
    return np.concatenate(
        [(G[..., :-1] - G[..., -1:] * loss.matrix.centre) * loss.scale, G[..., -1:]], axis=-1
    )


# ---------------------------------------------------------------------------------------------
# The losses, against their twins and finite differences


@pytest.mark.nojit
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("blocks", [1, 4])
def test_binary_loss_is_that_of_the_twin(sparse, blocks, monkeypatch):
    """eq-logistic-loss, eq-logistic-gradient, eq-logistic-hessian."""
    monkeypatch.setattr(
        Objective, "_blocks", lambda self, hessian=False: cut(self.n, -(-self.n // blocks))
    )
    X, y = make(60, 4)
    rng = np.random.default_rng(1)
    s = rng.uniform(size=60)
    X = X + 3.0
    loss = binary_loss(sp.csr_array(X) if sparse else X, y, s, 0.1)
    v, d = rng.normal(size=(1, 5)), rng.normal(size=(1, 5))
    state = loss.evaluate(v)
    (w,), (b,) = raw(loss, v)
    value, gradient, H = reference.logistic_objective(w, b, X, np.where(y == 1, 1, -1), s, 0.1)
    np.testing.assert_allclose(state.value, value, rtol=1e-13)
    found = state.gradient[0]
    np.testing.assert_allclose(found, to_standard(loss, gradient), rtol=1e-10, atol=1e-13)
    T = np.column_stack([to_standard(loss, row) for row in H])  # rows, then columns
    T = np.stack([to_standard(loss, row) for row in T])
    np.testing.assert_allclose(loss.product(state, d)[0], T @ d[0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(
        loss.diagonal(state)(np.ones((1, 5)))[0], 1.0 / np.diag(T), rtol=1e-10, atol=1e-12
    )
    if not sparse:
        np.testing.assert_allclose(loss.hessian(state), T, rtol=1e-10, atol=1e-12)


@pytest.mark.nojit
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("blocks", [1, 4])
def test_multinomial_loss_is_that_of_the_twin(sparse, blocks, monkeypatch):
    """eq-softmax, eq-multinomial-loss, eq-multinomial-gradient, eq-multinomial-hessian."""
    monkeypatch.setattr(
        Objective, "_blocks", lambda self, hessian=False: cut(self.n, -(-self.n // blocks))
    )
    X, y = make(60, 4, 3)
    rng = np.random.default_rng(1)
    s = rng.uniform(size=60)
    X = X + 3.0
    loss = Objective(sp.csr_array(X) if sparse else X, y, 3, s, 0.1, True)
    V, D = rng.normal(size=(3, 5)), rng.normal(size=(3, 5))
    state = loss.evaluate(V)
    value, gradient, H = reference.multinomial_objective(*raw(loss, V), X, y, s, 0.1)
    np.testing.assert_allclose(state.value, value, rtol=1e-13)
    np.testing.assert_allclose(state.gradient, to_standard(loss, gradient), rtol=1e-10, atol=1e-13)
    # Standardised parameters are raw ones times M: D_raw = M' D.
    coef, intercept = raw(loss, D)
    moved = (H @ np.column_stack([coef, intercept]).ravel()).reshape(3, 5)
    np.testing.assert_allclose(
        loss.product(state, D), to_standard(loss, moved), rtol=1e-10, atol=1e-12
    )
    if not sparse:
        # The formed Hessian differs in the direction of a common shift only.
        D -= D.mean(axis=0)
        formed = (loss.hessian(state) @ D.ravel()).reshape(3, 5)
        np.testing.assert_allclose(formed, loss.product(state, D), rtol=1e-10, atol=1e-12)


@pytest.mark.nojit
@pytest.mark.parametrize("q", [2, 3])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_derivatives_are_finite_differences(q, fit_intercept):
    X, y = make(50, 3, q)
    rng, s = np.random.default_rng(2), np.ones(50)
    q = 1 if q == 2 else q
    loss = Objective(X, y, q, s, 0.3, fit_intercept)
    v, d = rng.normal(size=(q, 4)), rng.normal(size=(q, 4))
    if not fit_intercept:
        v[:, -1] = d[:, -1] = 0.0
    h = 1e-5
    state, up, down = loss.evaluate(v), loss.evaluate(v + h * d), loss.evaluate(v - h * d)
    slope = (up.value - down.value) / (2 * h)
    np.testing.assert_allclose(np.vdot(state.gradient, d), slope, rtol=1e-8)
    bend = (up.gradient - down.gradient) / (2 * h)
    np.testing.assert_allclose(loss.product(state, d), bend, rtol=1e-6, atol=1e-8)
    # The line search's value needs no pass over X.
    along = loss.value_along(state, up.scores - state.scores, h * d, 1.0)
    np.testing.assert_allclose(along, up.value, rtol=1e-13)


@pytest.mark.nojit
def test_binary_fit_is_the_twins_newton():
    """eq-newton-step, eq-line-search, eq-logistic-optimality."""
    X, y = make(80, 4)
    s = np.random.default_rng(3).uniform(size=80)
    w, b = reference.logistic_newton(X, np.where(y == 1, 1.0, -1.0), s, 1.0 / s.sum())
    model = LogisticRegression(tol=1e-10).fit(X, y, s)
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-9)
    np.testing.assert_allclose(model.intercept_, b, rtol=1e-8)


@pytest.mark.nojit
@pytest.mark.parametrize("q", [2, 4])
def test_solvers_agree(q):
    """The ways to a step reach one minimum; the objective falls at each step."""
    X, y = make(300, 6, q)
    s = np.ones(300)
    q = 1 if q == 2 else q
    loss, v = Objective(X, y, q, s, 0.01, True), np.zeros((q, 7))
    goal = _newton.Goal(1e-13, 1e-7, 100, True)
    values = []

    def report(n_iter, state):
        values.append(state.value)

    first = _newton.newton(loss, v, goal, report)
    second = _newton.newton(loss, v, goal, report, factored=False)
    state = loss.evaluate(v)
    direction = _newton.QuasiNewton(loss.model(state))
    third = _newton.iterate(loss, state, direction, goal, report)
    fourth = _newton.from_part(loss, v, goal, report, 4)
    starts = np.flatnonzero(np.diff(values) > 1e-6)
    assert len(starts) <= 4  # a rise is the start of another solver
    for result in (first, second, third, fourth):
        assert result.converged
        np.testing.assert_allclose(result.v, first.v, atol=2e-6)


@pytest.mark.parametrize("solver", ["newton-cg", "newton-cholesky"])
def test_a_solver_that_is_named_forms_a_hessian_or_none(solver, monkeypatch):
    hessian, formed = Objective.hessian, []

    def spy(loss, state):
        formed.append(state)
        return hessian(loss, state)

    monkeypatch.setattr(Objective, "hessian", spy)
    LogisticRegression(solver=solver).fit(*make())
    assert bool(formed) == (solver == "newton-cholesky")


@pytest.mark.parametrize("scarce", [False, True])
@pytest.mark.parametrize("penalised", [True, False])
def test_gradients_first_then_the_hessian(scarce, penalised, monkeypatch):
    """eq-newton-step: with passes enough no Hessian is formed; if they run out, one is."""
    X, y = make(600, 40, 2, noise=8.0)
    X += 3.0 * X[:, :1]  # correlated
    monkeypatch.setattr(_newton, "PASS", 100 if scarce else 0.1)
    loss = binary_loss(X, y, np.ones(600), 1e-3 if penalised else 0.0)
    factored = []
    original = _newton.factor_hessian
    monkeypatch.setattr(
        _newton, "factor_hessian", lambda H, **how: factored.append(1) or original(H, **how)
    )
    goal = _newton.Goal(1e-9, 1e-6, 100, penalised)
    result = _newton.by_gradients(loss, np.zeros((1, 41)), goal)
    assert result.converged and bool(factored) == scarce
    direct = _newton.newton(loss, np.zeros((1, 41)), goal)
    end = loss.evaluate(result.v)
    assert end.value <= direct.state.value * (1 + 1e-9)
    np.testing.assert_allclose(end.scores, loss.evaluate(direct.v).scores, atol=1e-3)


@pytest.mark.parametrize("n", [1500, 300])
def test_hundreds_of_features(n, monkeypatch):
    """The estimator goes by gradients; the answer is the peer's, and that of any n_jobs."""
    X, y = make(n, 900, 2, noise=40.0)
    called = []
    original = _newton.by_gradients
    monkeypatch.setattr(_newton, "by_gradients", lambda *a: called.append(1) or original(*a))
    for C in (0.01, 10.0):
        model = LogisticRegression(C=C).fit(X, y)
        assert called and model.converged_
        assert objective(model, X, y, C) <= best_peer(X, y, C) * (1 + 1e-6)
        assert np.array_equal(model.coef_, LogisticRegression(C=C, n_jobs=1).fit(X, y).coef_)


def test_boehning_bound_is_an_upper_bound():
    """eq-boehning-bound: (I - 11'/q) / 2, put for diag(p) - pp', bounds the Hessian."""
    X, y = make(40, 3, 4)
    rng = np.random.default_rng(0)
    for scale in (0.0, 1.0, 10.0):
        W, b = scale * rng.normal(size=(4, 3)), scale * rng.normal(size=4)
        H = reference.multinomial_objective(W, b, X, y, np.ones(40), 0.0)[2]
        A = np.column_stack([X, np.ones(40)])
        bound = np.kron(0.5 * (np.eye(4) - 0.25), A.T @ A / 40)
        assert np.linalg.eigvalsh(bound - H).min() > -1e-12


def test_model_is_close_to_the_hessian():
    """The mean of the product by the product of the means, exact along the coefficients."""
    X, y = make(4000, 8, 4)
    loss = Objective(X, y, 4, np.ones(4000), 1e-3, True)
    result = _newton.newton(loss, np.zeros((4, 9)), _newton.Goal(1e-9, 1e-4, 50, True))
    state = loss.evaluate(result.v)
    solve = loss.model(state)
    rng = np.random.default_rng(0)
    D = rng.normal(size=(4, 9))
    D -= D.mean(axis=0)
    back = solve(loss.product(state, D))
    assert np.linalg.norm(back - D) < 0.15 * np.linalg.norm(D)


def test_factor_of_a_singular_hessian():
    """Duplicated directions: a finite step that solves the system where it can be solved."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(20, 3))
    A = np.column_stack([A, A[:, 0]]) * np.array([1.0, 1e6, 1e-6, 1.0])
    H = A.T @ A
    g = H @ rng.normal(size=4)
    d = _newton.factor_hessian(H)(g)
    assert np.all(np.isfinite(d))
    np.testing.assert_allclose(H @ d, g, rtol=1e-6)
    np.testing.assert_allclose(_newton.factor_hessian(np.zeros((2, 2)))(np.zeros(2)), 0.0)


# ---------------------------------------------------------------------------------------------
# What holds at a minimum, and what must not change it


@pytest.mark.nojit
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(4, 40),
    p=st.integers(1, 6),
    q=st.integers(2, 4),
    C=st.sampled_from([1e-3, 1.0, 100.0]),
    fit_intercept=st.booleans(),
)
def test_gradient_is_zero_at_the_minimum(seed, n, p, q, C, fit_intercept):
    """eq-logistic-optimality, eq-logistic-penalized, by the twin's gradient."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, p)), rng.integers(0, q, size=n)
    y[:q] = np.arange(q)
    s = rng.integers(1, 4, size=n).astype(float)
    model = LogisticRegression(C=C, tol=1e-7, fit_intercept=fit_intercept).fit(X, y, s)
    assert model.converged_
    alpha = 1.0 / (C * s.sum())
    if q == 2:
        sign = np.where(y == 1, 1.0, -1.0)
        args = (model.coef_[0], model.intercept_[0], X, sign, s, alpha)
        gradient = reference.logistic_objective(*args)[1]
    else:
        args = (model.coef_, model.intercept_, X, y, s, alpha)
        gradient = reference.multinomial_objective(*args)[1]
    if not fit_intercept:
        assert np.all(model.intercept_ == 0.0)
        gradient = gradient[..., :-1]
    assert np.abs(gradient).max() <= 1e-6


@pytest.mark.parametrize("q", [2, 3])
@pytest.mark.parametrize("C", [1.0, np.inf])
class TestInvariance:
    def fit(self, X, y, C, s=None, **kwargs):
        return LogisticRegression(C=C, tol=1e-9, **kwargs).fit(X, y, s)

    def same(self, a, b, tolerance=1e-7):
        np.testing.assert_allclose(a.coef_, b.coef_, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(a.intercept_, b.intercept_, rtol=tolerance, atol=tolerance)

    def test_weight_is_repetition(self, q, C):
        X, y = make(120, 4, q)
        s = np.random.default_rng(1).integers(0, 4, size=120)
        self.same(self.fit(X, y, C, s), self.fit(np.repeat(X, s, axis=0), np.repeat(y, s), C))

    def test_class_weight_is_a_weight(self, q, C):
        X, y = make(120, 4, q)
        weights = np.array([0.5, 2.0, 1.0])[:q]
        as_dict = dict(enumerate(weights.tolist()))
        self.same(
            self.fit(X, y, C, weights[y]),
            self.fit(X, y, C, class_weight=as_dict),
        )
        balanced = len(y) / (q * np.bincount(y))
        self.same(self.fit(X, y, C, balanced[y]), self.fit(X, y, C, class_weight="balanced"))

    def test_order_of_samples_and_features(self, q, C):
        X, y = make(150, 4, q)
        rng = np.random.default_rng(1)
        rows, columns = rng.permutation(150), rng.permutation(4)
        a, b = self.fit(X, y, C), self.fit(X[rows][:, columns], y[rows], C)
        np.testing.assert_allclose(a.coef_[:, columns], b.coef_, atol=1e-8)

    def test_sparse_is_dense(self, q, C):
        X, y = make(150, 4, q)
        X[np.abs(X) < 0.7] = 0.0
        dense = self.fit(X, y, C)
        for kind in (sp.csr_array, sp.csc_array, sp.csr_matrix, sp.coo_array):
            self.same(dense, self.fit(kind(X), y, C))

    def test_single_is_near_double(self, q, C):
        X, y = make(150, 4, q)
        X = X.astype(np.float32)
        single, double = self.fit(X, y, C), self.fit(X.astype(np.float64), y, C)
        assert single.coef_.dtype == np.float32
        self.same(single, double, 1e-6)

    def test_offset_moves_the_intercept_only(self, q, C):
        X, y = make(150, 4, q)
        X = np.round(X, 3)  # so that the shifted features are the same numbers, nearly
        near, far = self.fit(X, y, C), self.fit(X + 2.0**20, y, C)
        np.testing.assert_allclose(near.coef_, far.coef_, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(
            near.decision_function(X), far.decision_function(X + 2.0**20), atol=1e-5
        )

    def test_layout_does_not_matter(self, q, C):
        X, y = make(150, 4, q)
        wide = np.zeros((150, 8))
        wide[:, ::2] = X
        frozen = X.copy()
        frozen.flags.writeable = False
        expected = self.fit(X, y, C)
        for other in (np.asfortranarray(X), wide[:, ::2], frozen, X.tolist()):
            again = self.fit(other, y, C)
            assert np.array_equal(expected.coef_, again.coef_)

    def test_threads_do_not_change_a_bit(self, q, C, monkeypatch):
        monkeypatch.setattr(_losses, "BLOCK_ENTRIES", 400)
        monkeypatch.setattr(_matrix, "ROW_BLOCK_ENTRIES", 400)
        X, y = make(2000, 4, q)
        for data in (X, X.astype(np.float32), sp.csr_array(X)):
            one, two = self.fit(data, y, C, n_jobs=1), self.fit(data, y, C, n_jobs=2)
            assert np.array_equal(one.coef_, two.coef_)
            assert np.array_equal(one.intercept_, two.intercept_)


def test_a_hessian_that_rounding_left_indefinite_is_made_definite():
    # By the smallest of rising multiples of the identity that will do: 2e-11, 2e-10, ...
    solve = _newton.factor_hessian(np.array([[1.0, 1.0 + 1e-6], [1.0 + 1e-6, 1.0]]))
    across = np.array([1.0, -1.0])
    np.testing.assert_allclose(solve(across), across / (2e-6 - 1e-6), rtol=1e-6)


FULL = _newton.FACTORED


@pytest.mark.parametrize(
    ("n", "width", "q", "sparse", "way"),
    [
        (10**6, FULL, 1, False, "from_part"),
        (10**6, FULL + 1, 1, False, "by_gradients"),
        (3000, 100, 4, False, "from_part"),  # a part has more samples than parameters
        (5999, 100, 10, False, "iterate"),
        (6000, 100, 10, False, "from_part"),
        (900, 301, 1, False, "by_gradients"),
        (900, 300, 1, False, "newton"),
        (2000, FULL, 9, False, "iterate"),
        (1999, FULL, 9, False, "newton"),
        (10**6, 301, 1, True, "by_gradients"),
        (10**6, 300, 1, True, "newton"),
        (6000, 100, 10, True, "newton"),
    ],
)
def test_the_way_suits_the_size(n, width, q, sparse, way, monkeypatch):
    loss = types.SimpleNamespace(n=n, p=width, width=width, sparse=sparse, q=q)
    loss.hessian_cost = lambda size: 0.0 if q == 1 else np.inf
    loss.evaluate = loss.model = lambda at: None
    for name in ("from_part", "by_gradients", "iterate", "newton"):
        monkeypatch.setattr(_newton, name, lambda *a, name=name, **k: name)
    monkeypatch.setattr(_newton, "finish_by_newton", lambda loss, found, *a: found)
    assert _newton.minimise(loss, np.zeros((q, width)), _newton.Goal(1e-8, 1e-4, 100, True)) == way


@pytest.mark.parametrize("q", [2, 4])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_large_data_start_from_a_part(q, dtype, monkeypatch):
    """The way by a part of the samples ends where the direct one does."""
    X, y = make(40_000, 10, q, seed=4)
    X = X.astype(dtype)
    called = []
    original = _newton.from_part
    monkeypatch.setattr(_newton, "from_part", lambda *a: called.append(1) or original(*a))
    model = LogisticRegression().fit(X, y)
    assert called and model.converged_
    direct = LogisticRegression(solver="newton-cholesky", tol=1e-8).fit(X, y)
    assert objective(model, X, y) <= objective(direct, X, y) * (1 + 1e-9)
    again = LogisticRegression(n_jobs=1).fit(X, y)
    assert np.array_equal(model.coef_, again.coef_)


@pytest.mark.parametrize("kind", ["plain", "single", "rare", "apart"])
def test_some_thousands_begin_with_a_part(kind, monkeypatch):
    """eq-newton-step: the direct way's minimum, and in fewer steps, unless the part misleads."""
    X, y = make(10_000, 10, 2, seed=6)
    X = X.astype(np.float32) if kind == "single" else X
    if kind == "rare":  # no stride beyond 1 meets the second class
        y = np.isin(np.arange(10_000), [1, 3, 5, 7, 9]).astype(int)
    if kind == "apart":
        y = np.where(np.arange(10_000) % 8 == 0, X[:, 0] > 0, y).astype(int)
    called, original = [], _newton.from_part
    monkeypatch.setattr(_newton, "from_part", lambda *a: called.append(1) or original(*a))
    model = LogisticRegression().fit(X, y)
    assert called and model.converged_
    direct = LogisticRegression(solver="newton-cholesky").fit(X, y)
    assert objective(model, X, y) <= objective(direct, X, y) * (1 + 1e-9)
    assert kind in ("rare", "apart") or model.n_iter_ < direct.n_iter_
    again = LogisticRegression(n_jobs=1).fit(X, y)
    assert np.array_equal(model.coef_, again.coef_)


def test_parts_that_do_not_speak_for_the_whole():
    """Sorted, periodic and rare classes, and parts that are separated while the whole is not."""
    X, y = make(30_000, 10, 2, seed=5)
    rare = np.zeros(30_000, dtype=int)
    rare[[1, 3, 5, 7, 9]] = 1  # no stride beyond 1 meets them
    inside = np.arange(30_000) % 8 == 0
    apart = np.where(inside, X[:, 0] > 0, y)
    for labels in (np.sort(y), rare, apart.astype(int)):
        model = LogisticRegression().fit(X, labels)
        assert model.converged_
        direct = LogisticRegression(solver="newton-cholesky", tol=1e-8).fit(X, labels)
        assert objective(model, X, labels) <= objective(direct, X, labels) * (1 + 1e-6)
    model = LogisticRegression(C=np.inf).fit(X, apart.astype(int))
    assert model.converged_


# ---------------------------------------------------------------------------------------------
# Hard data


@pytest.mark.parametrize("q", [2, 3])
@pytest.mark.parametrize("C", [1.0, np.inf])
@pytest.mark.parametrize("kind", ["scales", "constant", "twins", "near", "outliers", "integers"])
def test_hard_features(kind, q, C):
    """At most the objective of the best peer on features that are hard on arithmetic."""
    X, y = make(250, 6, q, seed=6)
    rng = np.random.default_rng(0)
    if kind == "scales":
        X = X * 10.0 ** np.arange(-3, 3)
    elif kind == "constant":
        X = np.column_stack([X, np.full(250, 0.1), np.zeros(250)])
    elif kind == "twins":
        X = np.column_stack([X, X[:, :2], 2 * X[:, 0]])
    elif kind == "near":
        X = np.column_stack([X, X[:, :2] + 1e-9 * rng.normal(size=(250, 2))])
    elif kind == "outliers":
        X = np.where(rng.uniform(size=X.shape) < 0.01, 1e6, X)
    else:
        X = np.round(3 * X).astype(np.int32)
    model = LogisticRegression(C=C).fit(X, y)
    assert model.converged_
    assert objective(model, X, y, C) <= best_peer(X, y, C) * (1 + 1e-6)


@pytest.mark.parametrize("q", [2, 3])
@pytest.mark.parametrize("C", [1.0, np.inf])
def test_extreme_scales(q, C):
    """Features of 1e-150 and 1e150: what is left of them is what the other features say."""
    X, y = make(200, 4, q, seed=7)
    scales = np.array([1.0, 1e-150, 1e150, 1e30])
    model = LogisticRegression(C=C).fit(X * scales, y)
    assert model.converged_
    plain = LogisticRegression(C=C, tol=1e-8)
    if np.isinf(C):
        plain.fit(X, y)
        np.testing.assert_allclose(model.coef_ * scales, plain.coef_, atol=1e-6)
    else:  # the tiny feature is penalised away, and the huge ones are free
        assert np.all(np.abs(model.coef_[:, 1]) < 1e-140)
        free = LogisticRegression(C=np.inf, tol=1e-8).fit(X[:, 2:], y)
        both = LogisticRegression(C=1.0).fit(np.column_stack([X[:, 0], X[:, 2:] * 1e8]), y)
        np.testing.assert_allclose(
            model.predict_proba(X * scales).mean(axis=0),
            free.predict_proba(X[:, 2:]).mean(axis=0),
            atol=1e-6,
        )
        np.testing.assert_allclose(model.coef_[:, 2] * 1e150, both.coef_[:, 1] * 1e8, atol=1e-5)


@pytest.mark.parametrize("q", [2, 3])
@pytest.mark.parametrize("C", [1e-300, 1e-10, 1e10, 1e300])
def test_weak_and_strong_penalties(q, C):
    X, y = make(200, 4, q, seed=8)
    model = LogisticRegression(C=C).fit(X, y)
    assert model.converged_ and np.all(np.isfinite(model.coef_))
    if C > 1:
        free = LogisticRegression(C=np.inf, tol=1e-8).fit(X, y)
        np.testing.assert_allclose(model.coef_, free.coef_, atol=1e-5)
    else:
        assert np.abs(model.coef_).max() < 1e-6
        shares = np.bincount(y) / len(y)
        np.testing.assert_allclose(model.predict_proba(X)[0], shares, rtol=1e-4)


@pytest.mark.parametrize("q", [2, 3])
@pytest.mark.parametrize("sparse", [False, True])
def test_separated_classes_end_in_a_warning(q, sparse):
    X, _ = make(100, 4, q)
    y = np.digitize(X[:, 0], [0.0, 0.5][: q - 1])
    data = sp.csr_array(X) if sparse else X
    with pytest.warns(ConvergenceWarning, match="separated"):
        model = LogisticRegression(C=np.inf).fit(data, y)
    assert np.all(np.isfinite(model.coef_)) and not model.converged_
    assert model.score(X, y) == 1.0
    assert LogisticRegression(C=1e6).fit(data, y).converged_


@pytest.mark.parametrize("sparse", [False, True])
def test_a_shift_of_all_classes_is_no_direction(sparse):
    """Without a penalty, rounding once drove the solver along it, and passed for separation."""
    X, y = make(150, 4, 3)
    loss = Objective(sp.csr_array(X) if sparse else X, y, 3, np.ones(150), 0.0, True)
    rng = np.random.default_rng(0)
    for scale in (0.0, 1e-8, 1.0):
        state = loss.evaluate(scale * rng.normal(size=(3, 5)))
        products = loss.product(state, rng.normal(size=(3, 5)) + 1e6)
        for one in (state.gradient, products):
            assert np.abs(one.sum(axis=0)).max() <= 4e-16 * np.abs(one).max()
        shift = 20.0 * rng.normal(size=(150, 1)) + 1e-6 * rng.normal(size=(150, 3))
        assert not loss.separates(state, shift)


@pytest.mark.parametrize("q", [2, 3])
def test_partly_separated_classes_end_in_a_warning(q):
    """One value of a feature tells the class; the others tell nothing."""
    X, y = make(200, 3, q, seed=9)
    X[:, 2] = (y == 1) & (np.random.default_rng(0).uniform(size=200) > 0.5)
    with pytest.warns(ConvergenceWarning, match="separated"):
        model = LogisticRegression(C=np.inf).fit(X, y)
    assert np.all(np.isfinite(model.coef_))
    assert np.all(np.isfinite(model.predict_log_proba(X)))
    assert LogisticRegression(C=1.0).fit(X, y).converged_


@pytest.mark.weekly(keep=6)
@pytest.mark.parametrize("q", [2, 3])
@pytest.mark.parametrize("n, p", [(9000, 8), (10_000, 10), (30_000, 30)])
@pytest.mark.parametrize("form", ["dense", "csr", "warm"])
def test_a_finding_that_few_of_many_have_ends_in_a_warning(q, n, p, form):
    """A start from a part of the samples, with its Hessian, once hid that there is no minimum."""
    for seed, k in enumerate([1, 5, 5, 5, 20, 1000]):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, p + 1))
        scores = X @ rng.normal(size=(p + 1, q)) / np.sqrt(p)
        y = np.argmax(scores + rng.gumbel(size=(n, q)), axis=1)
        X[:, -1] = 0.0
        X[rng.choice(np.flatnonzero(y == 1), k, replace=False), -1] = 1.0
        model = LogisticRegression(C=np.inf, max_iter=1000)
        if form == "csr":
            X[np.abs(X) < 1.0] = 0.0
            X = sp.csr_array(X)
        elif form == "warm":
            model.set_params(C=1e8, warm_start=True).fit(X, y).set_params(C=np.inf)
        with pytest.warns(ConvergenceWarning, match="separated"):
            model.fit(X, y)
        assert np.abs(model.coef_).max() < 1000.0


@pytest.mark.parametrize("q", [2, 3])
def test_without_a_penalty_a_far_minimum_is_found(q):
    """One sample, far out and on the wrong side, keeps the classes from being separated."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20_000, 5))
    y = np.argmax(X[:, :q] + rng.gumbel(size=(20_000, q)), axis=1)
    X[0] = 300.0 * (1.0 - 2.0 * np.eye(5)[y[0]])
    model = LogisticRegression(C=np.inf, tol=1e-8).fit(X, y)
    assert model.converged_
    slow = LogisticRegression(C=np.inf, tol=1e-8, solver="newton-cholesky").fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), slow.predict_proba(X), atol=1e-7)


@pytest.mark.parametrize("shape", [(2, 1), (3, 1), (30, 1), (20, 100), (6, 300)])
@pytest.mark.parametrize("q", [2, 3])
def test_shapes(shape, q):
    n, p = max(shape[0], q), shape[1]
    X = np.random.default_rng(0).normal(size=(n, p))
    y = np.arange(n) % q
    model = LogisticRegression().fit(X, y)
    assert model.converged_
    assert model.coef_.shape == (1 if q == 2 else q, p)
    assert objective(model, X, y) <= best_peer(X, y) * (1 + 1e-6)


def test_weights_of_zero():
    """Samples of weight zero do not count; a class without weight is told of."""
    X, y = make(150, 4, 3)
    s = (np.arange(150) % 3 > 0).astype(float)
    a = LogisticRegression(tol=1e-9).fit(X, y, s)
    b = LogisticRegression(tol=1e-9).fit(X[s > 0], y[s > 0])
    np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-8)
    with pytest.warns(ConvergenceWarning, match="no weight"):
        model = LogisticRegression().fit(X, y, (y != 2).astype(float))
    assert np.all(model.predict(X) != 2)
    with pytest.raises(ValueError, match="zero"):
        LogisticRegression(class_weight={0: 0.0, 1: 0.0, 2: 0.0}).fit(X, y)


# ---------------------------------------------------------------------------------------------
# Parity


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cg", "newton-cholesky", "sag", "saga", "auto"])
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_same_minimum_as_scikit_learn(load, solver):
    X, y = load(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = LogisticRegression(solver=solver).fit(X, y)
    peer = SklearnLogisticRegression(solver="newton-cholesky", tol=1e-9).fit(X, y)
    assert objective(model, X, y) <= objective(peer, X, y) * (1 + 1e-7)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=2e-4)
    np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=2e-4)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-4)
    np.testing.assert_allclose(
        model.decision_function(X), peer.decision_function(X), rtol=1e-3, atol=1e-3
    )
    assert np.array_equal(model.predict(X), peer.predict(X))
    assert model.coef_.shape == peer.coef_.shape
    assert model.n_iter_.shape == peer.n_iter_.shape and model.n_iter_.dtype == peer.n_iter_.dtype


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_objective_on_digits(C, class_weight):
    X, y = load_digits(return_X_y=True)
    X = X[:600] / 16.0
    y = y[:600]
    s = np.random.default_rng(0).uniform(size=600)
    model = LogisticRegression(C=C, class_weight=class_weight).fit(X, y, s)
    counts = np.bincount(y, weights=s)
    total = s if class_weight is None else s * (s.sum() / (10 * counts))[y]
    peer = SklearnLogisticRegression(C=C, tol=1e-6, max_iter=5000, class_weight=class_weight)
    peer.fit(X, y, s)
    assert objective(model, X, y, C, total) <= objective(peer, X, y, C, total) * (1 + 1e-6)
    np.testing.assert_allclose(model.coef_.sum(axis=0), 0.0, atol=1e-12)


@pytest.mark.parametrize("q", [2, 3])
@pytest.mark.parametrize("l1_ratio", [0.5, 1.0])
def test_l1_parity(q, l1_ratio):
    """eq-proximal-newton behind the same door, for dense and sparse data."""
    X, y = make(200, 6, q)
    peer = SklearnLogisticRegression(
        C=0.1, l1_ratio=l1_ratio, solver="saga", tol=1e-9, max_iter=5000
    ).fit(X, y)
    for data in (X, sp.csr_array(X), sp.csc_array(X)):
        model = LogisticRegression(C=0.1, l1_ratio=l1_ratio, tol=1e-6).fit(data, y)
        assert model.converged_ and model.optimality_ <= 1e-5
        np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-5)
        np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=1e-5)
    older = LogisticRegression(C=0.1, l1_ratio=l1_ratio, penalty="elasticnet", tol=1e-6)
    with pytest.warns(FutureWarning, match="'penalty' was deprecated"):
        assert np.array_equal(older.fit(sp.csc_array(X), y).coef_, model.coef_)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        LogisticRegression(C=0.1, l1_ratio=l1_ratio, max_iter=1, tol=1e-9).fit(X, y)


def test_unpenalised_parity():
    X, y = make(300, 4, 3)
    model = LogisticRegression(C=np.inf, tol=1e-8).fit(X, y)
    peer = SklearnLogisticRegression(C=np.inf, tol=1e-10, max_iter=5000).fit(X, y)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-5)
    np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=1e-5)


# ---------------------------------------------------------------------------------------------
# The estimator


def test_probabilities_are_stable():
    """eq-logistic-probability, eq-softmax, far from the boundary."""
    model = LogisticRegression().fit([[-1.0], [1.0]], ["no", "yes"])
    model.coef_ = np.array([[1e3]])
    far = [[-9.0], [9.0]]
    proba, log_proba = model.predict_proba(far), model.predict_log_proba(far)
    assert np.array_equal(proba, [[1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(log_proba, [[0.0, -9e3], [-9e3, 0.0]])
    assert model.predict(far).tolist() == ["no", "yes"]
    X, y = make(50, 3, 3)
    model = LogisticRegression().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0, rtol=1e-14)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    assert np.all(np.isfinite(model.predict_log_proba(X * 1e300)))
    assert model.predict_proba(X.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("q", [2, 3])
def test_labels_of_any_type(q):
    X, y = make(60, 3, q)
    expected = LogisticRegression().fit(X, y)
    names = np.array(["a", "b", "c"])
    for labels in (names[y], names[y].astype(object), y * 10 - 10, y.astype(float)):
        model = LogisticRegression().fit(X, labels)
        assert np.array_equal(model.coef_, expected.coef_)
        assert np.array_equal(
            model.predict(X),
            model.classes_[np.searchsorted(expected.classes_, expected.predict(X))],
        )


def test_warm_start():
    X, y = make(300, 4, 3)
    model = LogisticRegression(warm_start=True, max_iter=100).fit(X, y)
    first = model.n_iter_[0]
    model.fit(X, y)
    assert model.n_iter_[0] < first
    for other in (X[:, :2], X[:, :1]):
        with pytest.raises(ValueError, match="warm_start"):
            model.fit(other, y)
    with pytest.raises(ValueError, match="warm_start"):
        model.fit(X[y < 2], y[y < 2])
    assert model.coef_.shape == (3, 4)  # a refused fit changes nothing
    model.set_params(warm_start=False).fit(X[y < 2], y[y < 2])
    assert model.coef_.shape == (1, 4)


def test_sparsify_and_densify():
    X, y = make(60, 3)
    model = LogisticRegression().fit(X, y)
    expected, proba = model.coef_.copy(), model.predict_proba(X)
    assert sp.issparse(model.sparsify().coef_)
    for data in (X, sp.csr_array(X)):
        np.testing.assert_allclose(model.predict_proba(data), proba)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).densify().coef_, expected)
    assert np.array_equal(model.sparsify().densify().coef_, expected)
    with pytest.raises(NotFittedError):
        LogisticRegression().sparsify()
    with pytest.raises(NotFittedError):
        LogisticRegression().densify()


@pytest.mark.parametrize("to", [np.asarray, sp.csr_array])
def test_liblinear_knows_float64_only(to):
    X, y = load_breast_cancer(return_X_y=True)
    X = to((X / X.max(axis=0)).astype(np.float32))
    double, single = (LogisticRegression(solver=name).fit(X, y) for name in ("liblinear", "lbfgs"))
    assert double.coef_.dtype == double.intercept_.dtype == np.float64
    assert single.coef_.dtype == np.float32
    np.testing.assert_allclose(double.coef_, single.coef_, rtol=1e-2, atol=1e-3)


def test_older_names_of_the_penalty():
    X, y = make(100, 3)
    default = LogisticRegression().fit(X, y).coef_
    free = LogisticRegression(C=np.inf).fit(X, y).coef_

    def fit(**parameters):
        with pytest.warns(FutureWarning, match="LogisticRegression: 'penalty' was deprecated"):
            return LogisticRegression(**parameters).fit(X, y)

    assert np.array_equal(fit(penalty="l2").coef_, default)
    assert np.array_equal(fit(penalty=None).coef_, free)
    with pytest.warns(UserWarning, match="Inconsistent.*only used when penalty is 'elasticnet'"):
        model = fit(penalty="l2", l1_ratio=0.5)
    assert np.array_equal(model.coef_, default)
    with pytest.warns(UserWarning, match="ignore"):
        model = fit(penalty=None, C=2.0)
    assert np.array_equal(model.coef_, free)
    with pytest.raises(ValueError, match="l1_ratio"):
        fit(penalty="elasticnet", l1_ratio=None)


@pytest.mark.parametrize(
    "parameters",
    [
        {"C": 0.0},
        {"C": -1.0},
        {"C": np.nan},
        {"C": "1"},
        {"l1_ratio": 1.5},
        {"l1_ratio": -0.1},
        {"penalty": "L2"},
        {"penalty": True},
        {"dual": 1},
        {"tol": -1.0},
        {"tol": np.inf},
        {"fit_intercept": "yes"},
        {"intercept_scaling": 0},
        {"class_weight": "equal"},
        {"class_weight": [1, 2]},
        {"class_weight": {0: -1.0}},
        {"random_state": -1},
        {"solver": "newton"},
        {"max_iter": -1},
        {"max_iter": 1.5},
        {"verbose": -1},
        {"warm_start": None},
        {"n_jobs": 0},
    ],
)
def test_bad_parameters(parameters):
    X, y = make(20, 2)
    name = next(iter(parameters))
    model = LogisticRegression(**parameters)
    with pytest.raises((ValueError, TypeError), match=f"{name}.*LogisticRegression"):
        model.fit(X, y)
    assert not hasattr(model, "coef_")
    model.set_params(**{name: LogisticRegression().get_params()[name]}).fit(X, y)


def test_bad_data():
    X, y = make(20, 2)
    with pytest.raises(ValueError, match="at least 2 classes"):
        LogisticRegression().fit(X, np.zeros(20))
    with pytest.raises(ValueError, match="class_weight"):
        LogisticRegression(class_weight={0: 1.0, 7: 2.0}).fit(X, y)
    with pytest.raises(ValueError, match="continuous"):
        LogisticRegression().fit(X, X[:, 0])
    with pytest.raises(ValueError, match="NaN"):
        LogisticRegression().fit(np.where(X > 1, np.nan, X), y)
    with pytest.raises(ValueError, match="inconsistent"):
        LogisticRegression().fit(X, y[:-1])
    with pytest.raises(ValueError, match="1d"):
        LogisticRegression().fit(X, np.column_stack([y, y]))


def test_no_convergence_is_told():
    X, y = make(100, 3)
    for max_iter in (0, 1):
        with pytest.warns(ConvergenceWarning, match="max_iter"):
            model = LogisticRegression(max_iter=max_iter).fit(X, y)
        assert not model.converged_ and model.n_iter_[0] == max_iter
    assert LogisticRegression(tol=0.0).fit(X, y).converged_  # as exact as the arithmetic


def test_certificate_bounds_the_excess():
    X, y = make(400, 5, 3)
    best = objective(LogisticRegression(tol=1e-9).fit(X, y), X, y)
    for max_iter in (1, 2, 3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = LogisticRegression(max_iter=max_iter).fit(X, y)
        excess = (objective(model, X, y) - best) / len(y)
        assert excess <= 2.0 * model.optimality_ + 1e-14


def test_progress_is_shown(capsys):
    X, y = make(60, 3)
    LogisticRegression(verbose=1).fit(X, y)
    assert "objective" in capsys.readouterr().err
    LogisticRegression().fit(X, y)
    assert capsys.readouterr().err == ""


def test_interrupt_leaves_the_estimator_as_it_was(monkeypatch):
    X, y = make(60, 3)
    model = LogisticRegression().fit(X, y)
    before = model.coef_.copy()

    def interrupt(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(_objective, "dense_pass", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X * 2, y)
    assert np.array_equal(model.coef_, before)


# ---------------------------------------------------------------------------------------------
# Conjugate gradients: what their steps lack, and claims that hold


@pytest.mark.nojit
def test_conjugate_gradients_say_whether_they_arrived():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 30))
    H, g = A @ A.T + np.eye(30), rng.normal(size=30)
    for most, arrives in ((3, False), (200, True)):
        step = _newton.conjugate_gradients(lambda x: H @ x, lambda x: x, g, 1e-8, most)
        assert step.reached == arrives
        np.testing.assert_allclose(step.residual, -g - H @ step.d, atol=1e-10)
    assert np.linalg.norm(step.residual) <= 1e-8 * np.linalg.norm(g)
    seen = []
    _newton.conjugate_gradients(
        lambda x: H @ x, lambda x: x, g, 0.5, 200, lambda d, r: seen.append(r @ r) or len(seen) == 3
    )
    assert len(seen) == 3 and seen[2] <= (0.5e-2) ** 2 * (g @ g)


@pytest.mark.nojit
@pytest.mark.parametrize("q", [2, 3])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_what_a_step_lacks_is_bounded(q, fit_intercept):
    """g.H^-1 g + g.d is at most the bound, which is zero for a whole step."""
    X, y = make(60, 4, q)
    rng, s = np.random.default_rng(1), np.random.default_rng(2).uniform(size=60)
    q = 1 if q == 2 else q
    loss, v = Objective(X, y, q, s, 0.1, fit_intercept), rng.normal(size=(q, 5))
    if q > 1:
        v -= v.mean(axis=0)  # the solvers stay there
    if not fit_intercept:
        v[:, -1] = 0.0
    state = loss.evaluate(v)
    g = state.gradient
    whole = -np.linalg.solve(loss.hessian(state), g.ravel()).reshape(g.shape)
    decrement = -np.vdot(g, whole)
    assert abs(loss.deficit(state, whole, -g - loss.product(state, whole))) <= 1e-10 * decrement
    for share in (0.0, 0.1, 0.5, 2.0):
        d = whole + share * rng.normal(size=g.shape) * np.abs(whole).max()
        if q > 1:
            d -= d.mean(axis=0)
        if not fit_intercept:
            d[:, -1] = 0.0
        deficit = loss.deficit(state, d, -g - loss.product(state, d))
        assert decrement + np.vdot(g, d) <= deficit * (1 + 1e-10) + 1e-12


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("q", [2, 3])
def test_intercepts_and_what_is_standardised_go_both_ways(q, sparse):
    """The solution for the intercepts solves; parameters come back as they were given."""
    X, y = make(60, 4, q)
    rng, s = np.random.default_rng(1), np.random.default_rng(2).uniform(size=60)
    X = sp.csr_array(X) if sparse else X + 3.0
    q = 1 if q == 2 else q
    loss = Objective(X, y, q, s, 0.1, True)
    coef, intercept, r = rng.normal(size=(q, 4)), rng.normal(size=q), rng.normal(size=q)
    given = coef, intercept
    if q > 1:  # a common shift changes nothing, and is taken off
        coef, intercept, r = (one - one.mean(axis=0) for one in (coef, intercept, r))
    v = loss.start(*given)
    found, at = loss.finish(v)
    np.testing.assert_allclose(found, coef, rtol=1e-12)
    np.testing.assert_allclose(at, intercept, rtol=1e-11)
    w, b = raw(loss, v)
    np.testing.assert_allclose(w, coef, rtol=1e-12)
    np.testing.assert_allclose(b, intercept, rtol=1e-11)
    state = loss.evaluate(v)
    d = np.zeros_like(v)
    d[..., -1] = loss.solve_intercepts(state, r)
    np.testing.assert_allclose(loss.product(state, d)[..., -1], r, rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_claims_hold_for_ill_conditioned_features(seed):
    """The excess over the minimum is no more than is said, with steps by conjugate gradients."""
    rng = np.random.default_rng(seed)
    n, p = 150, 60
    Q = np.linalg.qr(rng.normal(size=(p, p)))[0]
    X = 100.0 * (rng.normal(size=(n, p)) * np.geomspace(1, 1e-4, p)) @ Q.T
    y = (rng.random(n) < 0.5).astype(int)
    found = LogisticRegression(C=1e4, solver="newton-cg").fit(X, y)
    best = LogisticRegression(C=1e4, solver="newton-cholesky", tol=1e-9).fit(X, y)
    excess = (objective(found, X, y, 1e4) - objective(best, X, y, 1e4)) / (1e4 * n)
    assert found.converged_ and excess <= found.optimality_ + 1e-14


def test_truncated_steps_are_nearly_newtons():
    """eq-newton-step: a tenth of the residual costs no more than a few steps."""
    X, y = make(400, 30, 2, noise=3.0)
    X *= np.geomspace(1, 30, 30)
    whole = LogisticRegression(C=10.0, solver="newton-cholesky").fit(X, y)
    part = LogisticRegression(C=10.0, solver="newton-cg").fit(X, y)
    assert part.n_iter_[0] <= whole.n_iter_[0] + 3


# ---------------------------------------------------------------------------------------------
# Any finite input comes to an end


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
@pytest.mark.parametrize("q", [2, 3])
def test_numbers_of_any_size_come_to_an_end(q, l1_ratio):
    X, y = make(30, 3, q)
    X /= np.abs(X).max()
    model = LogisticRegression(l1_ratio=l1_ratio, C=1.0, max_iter=20)
    plain = LogisticRegression(l1_ratio=l1_ratio, C=1e8, max_iter=20)
    ends = np.where(np.arange(30) == 3, 1e308, 1e-308)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for features in (X * 1e308, sp.csr_array(X * 1.7e308), X * 1e200):
            try:
                assert np.isfinite(model.fit(features, y).coef_).all()
            except ValueError as error:
                assert "LogisticRegression: X holds values too large" in str(error)
        for weight in (np.full(30, 1e308), np.full(30, 1e-308), ends):
            assert np.isfinite(model.fit(X, y, weight).coef_).all()
        # Weights and C are only known by their product.
        one = LogisticRegression(l1_ratio=l1_ratio, C=1e-300, max_iter=20)
        one.fit(X, y, np.full(30, 1e308))
        np.testing.assert_allclose(one.coef_, plain.fit(X, y).coef_, rtol=1e-6)


@pytest.mark.nojit
def test_the_centre_is_where_the_weight_is():
    rng = np.random.default_rng(0)
    X, s = rng.normal(size=(200, 2)), np.full(200, 1e-9)
    X[7], s[7] = 1e6, 1.0
    centre, spread = _objective.dense_transform(X, s, True)
    np.testing.assert_allclose(centre, 1e6, rtol=1e-6)
    assert (spread > 0).all()


@pytest.mark.parametrize(
    "parameters",
    [{"solver": solver, "l1_ratio": 1.0} for solver in ("lbfgs", "newton-cg", "sag")]
    + [{"solver": "newton-cholesky", "l1_ratio": 0.1}, {"solver": "liblinear", "l1_ratio": 0.5}]
    + [{"solver": "liblinear", "C": np.inf}, {"solver": "liblinear"}]
    + [{"solver": solver, "dual": True} for solver in ("lbfgs", "newton-cholesky", "saga")],
)
def test_solvers_refuse_what_their_namesakes_refuse(parameters):
    """In words that begin alike."""
    X, y = make(40, 3, 3)
    with pytest.raises(ValueError) as theirs:
        SklearnLogisticRegression(**parameters).fit(X, y)
    words = re.escape(f"LogisticRegression: {str(theirs.value)[:50]}")
    with pytest.raises(ValueError, match=words):
        LogisticRegression(**parameters).fit(X, y)
    LogisticRegression(**parameters).set_params(solver="auto").fit(X, y)


@pytest.mark.parametrize("solver", ["lbfgs", "liblinear", "newton-cg", "newton-cholesky", "saga"])
def test_what_ran_out_begins_as_scikit_learn_says_it(solver):
    """Programs filter such warnings by the beginning of their text."""
    X, y = make(200, 6)
    heard = []
    for kind in (SklearnLogisticRegression, LogisticRegression):
        with pytest.warns() as record:
            kind(solver=solver, max_iter=1, tol=1e-15).fit(X, y)
        heard.append(str(record[-1].message)[:20])
    assert heard[0] == heard[1]
    with pytest.warns(ConvergenceWarning, match="^LogisticRegression did not converge"):
        LogisticRegression(max_iter=1, tol=1e-15).fit(X, y)


@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csr_array, np.asarray])
@pytest.mark.parametrize("q", [2, 3])
def test_sparse_coefficients_predict(container, q):
    X, y = make(60, 4, q)
    model = LogisticRegression(l1_ratio=1.0, solver="saga").fit(X, y)
    expected = model.predict_proba(X)
    model.sparsify()
    np.testing.assert_allclose(model.predict_proba(container(X)), expected, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(container(X)), model.classes_[expected.argmax(1)])


@pytest.mark.nojit
def test_scores_are_shifted_by_the_largest_of_their_row():
    Z = np.array([[800.0, 1.0, -3.0], [2.0, 800.0, 5.0], [0.0, -1.0, 800.0], [-1.0, -1.0, -1.0]])
    expected = Z - Z.max(axis=1, keepdims=True)
    _losses.shift_rows(Z)
    np.testing.assert_array_equal(Z, expected)


@pytest.mark.nojit
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 1e6])
def test_the_standardised_penalty_is_at_most_one(alpha):
    """Where it weighs more than the data, it sets the scale."""
    X, y = make()
    loss = binary_loss(X, np.where(y == 1, 1.0, -1.0), np.ones(200), alpha)
    assert loss.ridge.max() <= 1.0 + 1e-15
    assert alpha < 1e3 or loss.ridge.min() >= 1.0 - 1e-15


@pytest.mark.parametrize("C", [1.0, np.inf])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_features_far_from_zero_without_an_intercept(n_classes, C):
    """The Hessian is singular nearly to rounding, and steps are those of no other matrix."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)) + 3e6, rng.integers(0, n_classes, 60)
    model = LogisticRegression(C=C, fit_intercept=False, tol=1e-6).fit(X, y)
    assert model.converged_ and model.n_iter_[0] < 10
    # The slopes along differences of features, which are of size 1.
    wrong = (model.predict_proba(X) - np.eye(n_classes)[y])[:, -len(model.coef_) :]
    slopes = wrong.T @ np.diff(X) + np.diff(model.coef_) / C
    assert np.abs(slopes).max() < 1e-4


def test_weights_over_decades_without_a_penalty():
    """Samples far out have a slope and no curvature, and a step for them is beyond all bounds."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        X, weight = rng.normal(size=(7, 12)), 10.0 ** rng.uniform(-12, 12, 7)
        y = np.arange(7) % 2
        model = LogisticRegression(C=np.inf, solver="newton-cg")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the classes are separated
            model.fit(X, y, weight)
        losses = -model.predict_log_proba(X)[np.arange(7), y]
        assert weight @ losses < 1e-3 * weight.sum()
