"""Lasso and elastic net: optimality, certificates, parity with scikit-learn, hard inputs."""

import itertools
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import linear_model as theirs
from sklearn import model_selection
from sklearn.utils.estimator_checks import check_estimator

import reference
from litlearn.exceptions import ConvergenceWarning
from litlearn.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearRegression,
    MultiTaskElasticNet,
    MultiTaskLasso,
    Ridge,
    _choice,
    _design,
    _lasso,
    _matrix,
    _penalty,
    enet_path,
    lasso_path,
)
from litlearn.linear_model import _descent as descent
from litlearn.linear_model._penalty import Penalty
from protocol import SINCE_1_9


def draw(n=60, p=30, support=5, seed=0, offset=0.0, noise=0.5):
    """Columns with correlations, a target that depends on a few, and noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 0.5 * rng.normal(size=(n, 1)) + offset
    w = np.zeros(p)
    w[:support] = rng.normal(size=support) * 2
    return X, X @ w + noise * rng.normal(size=n) + 3.0


def objective(model, X, y, weights=None):
    """What the estimator minimises, from its attributes alone."""
    weights = np.ones(len(y)) if weights is None else weights
    X = X.toarray() if sp.issparse(X) else X
    r = y - X.astype(float) @ model.coef_.astype(float) - model.intercept_
    w, alpha = model.coef_.astype(float), model.alpha
    fit = 0.5 * np.average(r**2, weights=weights)
    l1 = model.l1_ratio
    return fit + alpha * (l1 * np.abs(w).sum() + 0.5 * (1 - l1) * w @ w)


# Tier 1: the twin


@pytest.mark.nojit
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize(("alpha", "l1_ratio"), [(0.05, 1.0), (0.5, 1.0), (0.1, 0.4), (0.3, 0.0)])
def test_equals_plain_coordinate_descent(alpha, l1_ratio, positive):
    # Equations eq-lasso and eq-elastic-net.
    X, y = draw(n=30, p=12)
    expected = reference.elastic_net(X, y, alpha, l1_ratio, positive)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ElasticNet(alpha, l1_ratio=l1_ratio, tol=1e-14, positive=positive).fit(X, y)
    np.testing.assert_allclose(model.coef_, expected, atol=1e-6)


@pytest.mark.nojit
def test_extrapolation_finds_the_limit_of_a_linear_recursion():
    # Equation eq-anderson: as many differences as dimensions determine the limit.
    rng = np.random.default_rng(0)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    step = turn @ np.diag([0.9, 0.7, -0.5]) @ turn.T
    limit = rng.normal(size=3)
    past = [np.zeros(3)]
    for _ in range(5):
        past.append(limit + step @ (past[-1] - limit))
    direction = np.empty(3)
    assert descent.extrapolate(np.array(past), direction)
    before, after = (np.linalg.norm(w - limit) for w in (past[-1], past[-1] + direction))
    assert after < 0.1 * before
    assert not descent.extrapolate(np.zeros((6, 3)), direction)


@pytest.mark.nojit
@pytest.mark.parametrize("alpha", [0.3, 3.0, 30.0])
def test_no_multiple_of_the_residual_is_a_better_dual_point(alpha):
    # Equation eq-lasso-dual: theta with |X' theta| <= alpha maximises y'theta - |theta|^2 / 2.
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(20, 6)), rng.normal(size=20)
    r = y - X @ (0.1 * rng.normal(size=6))
    largest = np.abs(X.T @ r).max()
    scale = _penalty.dual_scale(alpha, r @ r, r @ y, largest)
    assert scale * largest <= alpha * (1 + 1e-14)
    scales = np.linspace(0.0, alpha / largest, 1001)
    values = scales * (r @ y) - 0.5 * scales**2 * (r @ r)
    assert scale * (r @ y) - 0.5 * scale**2 * (r @ r) >= values.max() - 1e-12


@pytest.mark.nojit
def test_soft_threshold_and_coordinate_step_minimise():
    # Equations eq-soft-threshold and eq-coordinate-update, against a grid.
    grid = np.linspace(-3, 3, 6001)
    for z in (-2.0, -0.3, 0.0, 0.4, 1.7):
        for positive in (False, True):
            values = 0.5 * (grid - z) ** 2 + 0.5 * np.abs(grid)
            values[(grid < 0) & positive] = np.inf
            best = grid[np.argmin(values)]
            assert _penalty.soft_threshold(z, 0.5, positive) == pytest.approx(best, abs=1e-3)
    rng = np.random.default_rng(0)
    x, r = rng.normal(size=(2, 9))
    values = [0.5 * np.sum((r - (v - 0.7) * x) ** 2) + 0.6 * abs(v) + 0.2 * v**2 for v in grid]
    step = _penalty.coordinate_step(0.7, x @ r, x @ x, Penalty(0.6, 0.4))
    assert 0.7 + step == pytest.approx(grid[np.argmin(values)], abs=1e-3)


# Tier 2: certificates and invariants


def matrices(X):
    """The same numbers in every form that the estimators take."""
    return {
        "C": np.ascontiguousarray(X),
        "F": np.asfortranarray(X),
        "strided": np.repeat(X, 2, axis=1)[:, ::2],
        "csc": sp.csc_array(X),
        "csr": sp.csr_matrix(X),
    }


@pytest.mark.nojit
@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
@pytest.mark.parametrize("shape", [(60, 30), (20, 50)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_every_form_of_the_data_gives_the_optimum(l1_ratio, shape, weighted, fit_intercept):
    X, y = draw(*shape)
    X[np.abs(X) < 0.4] = 0.0
    weights = np.random.default_rng(1).uniform(0, 2, len(y)) if weighted else None
    setting = {"alpha": 0.1, "l1_ratio": l1_ratio, "fit_intercept": fit_intercept, "tol": 1e-12}
    expected = theirs.ElasticNet(**setting | {"max_iter": 10**5}).fit(X, y, weights)
    best = objective(expected, X, y, weights)
    for form, data in matrices(X).items():
        for precompute in (False, True):
            model = ElasticNet(**setting, precompute=precompute).fit(data, y, weights)
            np.testing.assert_allclose(model.coef_, expected.coef_, atol=3e-4, err_msg=form)
            assert objective(model, X, y, weights) <= best * (1 + 1e-9)
            assert model.intercept_ == pytest.approx(expected.intercept_, abs=1e-5)


@pytest.mark.nojit
@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 25), p=st.integers(1, 40), seed=st.integers(0, 10**6),
    share=st.floats(1e-3, 1.2), l1_ratio=st.sampled_from([1.0, 0.7, 0.1]),
    positive=st.booleans(), sparse=st.booleans(), tol=st.sampled_from([1e-3, 1e-6, 1e-9]),
)  # fmt: skip
def test_the_gap_bounds_the_distance_from_the_optimum(
    n, p, seed, share, l1_ratio, positive, sparse, tol
):
    # Equation eq-duality-gap.
    X, y = draw(n, p, min(p, 5), seed)
    data = sp.csc_array(np.where(np.abs(X) < 0.5, 0, X)) if sparse else X
    centred = y - y.mean()
    alpha = share * max(np.abs((X - X.mean(0)).T @ centred).max() / n, 1e-3)
    setting = {"alpha": alpha, "l1_ratio": l1_ratio, "positive": positive, "max_iter": 10**5}
    model = ElasticNet(**setting, tol=tol).fit(data, y)
    better = ElasticNet(**setting, tol=1e-13).fit(data, y)
    floor = 1e-12 * np.mean(centred**2)
    assert model.dual_gap_ <= tol * np.mean(centred**2)
    distance = objective(model, data, y) - objective(better, data, y)
    assert distance <= model.dual_gap_ + floor


@pytest.mark.parametrize("l1_ratio", [1.0, 0.6])
def test_screening_never_drops_a_column_of_the_support(l1_ratio, monkeypatch):
    # Equation eq-gap-safe.
    monkeypatch.setattr(descent, "NEAR", 0.0)  # by sweeps alone: equations are sooner at the end
    for seed in range(10):
        X, y = draw(50, 200, seed=seed)
        design = _design.DenseDesign(X, y, None, True)
        alpha = 0.1 * np.abs(design.products).max()
        w, history = np.zeros(200), []
        penalty = Penalty(alpha * l1_ratio, alpha * (1 - l1_ratio))
        descent.coordinate_descent(design, penalty, w, tol=1e-12, max_iter=10**5, history=history)
        sk = theirs.ElasticNet(alpha / 50, l1_ratio=l1_ratio, tol=1e-12, max_iter=10**6)
        np.testing.assert_allclose(w, sk.fit(X, y).coef_, atol=1e-5)
        assert history[-1].active < 200 and history[-1].gap <= 1e-12 * design.target_square
        assert all(a.active >= b.active for a, b in zip(history[:-1], history[1:], strict=True))


def test_alpha_max_is_the_smallest_penalty_without_coefficients():
    # Equation eq-alpha-max.
    X, y = draw()
    X = X - X.mean(axis=0)
    alphas, coefs, gaps = lasso_path(X, y - y.mean(), alphas=20, eps=0.01)
    assert not coefs[:, 0].any() and coefs[:, 1].any()
    assert Lasso(alphas[0] * 1.0001).fit(X, y).coef_.any() == False  # noqa: E712
    assert Lasso(alphas[0] * 0.99, tol=1e-10).fit(X, y).coef_.any()
    assert len(gaps) == 20


@pytest.mark.nojit
def test_weights_are_repetitions():
    X, y = draw(20, 8)
    weights = np.random.default_rng(0).integers(0, 4, 20)
    repeated = np.repeat(np.arange(20), weights)
    for form in (np.asarray, sp.csc_array):
        a = ElasticNet(0.1, tol=1e-13).fit(form(X), y, sample_weight=weights)
        b = ElasticNet(0.1, tol=1e-13).fit(form(X[repeated]), y[repeated])
        np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-5)
        assert a.intercept_ == pytest.approx(b.intercept_, abs=1e-5)


def test_threads_do_not_change_a_bit(monkeypatch):
    X, y = draw(300, 3000)
    monkeypatch.setattr(_matrix, "BLOCK_ENTRIES", 1 << 16)
    results = []
    for threads in ("1", "2"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        results.append(Lasso(0.05).fit(X, y).coef_)
    np.testing.assert_array_equal(*results)


def test_random_order_is_repeatable_and_right():
    X, y = draw()
    setting = {"alpha": 0.05, "tol": 1e-10, "selection": "random"}
    first, again = (Lasso(**setting, random_state=3).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.coef_, again.coef_)
    other = Lasso(**setting, random_state=np.random.default_rng(4)).fit(X, y)
    cyclic = Lasso(alpha=0.05, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(first.coef_, cyclic.coef_, atol=1e-4)
    np.testing.assert_allclose(other.coef_, cyclic.coef_, atol=1e-4)


# Tier 3: parity


@SINCE_1_9
@pytest.mark.parametrize("shape", [(80, 20), (30, 70)])
@pytest.mark.parametrize("positive", [False, True])
def test_path_is_scikit_learns(shape, positive):
    X, y = draw(*shape)
    for l1_ratio in (1.0, 0.5):
        setting = {"l1_ratio": l1_ratio, "alphas": 15, "eps": 1e-2, "positive": positive}
        want = theirs.enet_path(X, y, **setting, tol=1e-10, max_iter=10**5)
        got = enet_path(X, y, **setting, tol=1e-10, max_iter=10**5, return_n_iter=True)
        np.testing.assert_allclose(got[0], want[0], rtol=1e-12)
        np.testing.assert_allclose(got[1], want[1], atol=1e-4)
        assert got[1].shape == want[1].shape and len(got) == 4
        assert np.all(got[2] <= 1e-10 * y @ y / len(y))


@pytest.mark.parametrize("shape", [(90, 12), (45, 70)])
@pytest.mark.parametrize("form", ["C", "F", "csc"])
@pytest.mark.parametrize("weighted", [False, True])
def test_cross_validation_is_scikit_learns(shape, form, weighted):
    X, y = draw(*shape, offset=2.0)
    data = matrices(X)[form]
    weights = np.random.default_rng(1).uniform(0.1, 2, len(y)) if weighted else None
    common = {"alphas": 12, "eps": 0.05, "tol": 1e-8, "max_iter": 10**5}
    pairs = [
        (LassoCV, theirs.LassoCV, {}),
        (ElasticNetCV, theirs.ElasticNetCV, {"l1_ratio": [0.3, 0.9], "cv": 3}),
        (LassoCV, theirs.LassoCV, {"alphas": [0.3, 0.1, 1.0], "fit_intercept": False}),
    ]
    for ours, other, setting in pairs:
        got = ours(**common | setting).fit(data, y, sample_weight=weights)
        want = other(**common | setting).fit(data, y, sample_weight=weights)
        np.testing.assert_allclose(got.alphas_, want.alphas_, rtol=1e-10)
        np.testing.assert_allclose(got.mse_path_, want.mse_path_, rtol=2e-3)
        assert got.mse_path_.shape == want.mse_path_.shape
        assert got.alpha_ == pytest.approx(want.alpha_)
        np.testing.assert_allclose(got.coef_, want.coef_, atol=2e-3)
        assert got.intercept_ == pytest.approx(want.intercept_, abs=5e-3)
        assert hasattr(got, "l1_ratio_") == hasattr(want, "l1_ratio_")
        assert getattr(got, "l1_ratio_", 0) == getattr(want, "l1_ratio_", 0)


def test_folds_of_every_kind():
    X, y = draw(60, 8)
    splitter = model_selection.KFold(4, shuffle=True, random_state=0)
    want = LassoCV(cv=splitter, alphas=5).fit(X, y)
    for cv in (list(splitter.split(X)), splitter.split(X)):
        np.testing.assert_array_equal(LassoCV(cv=cv, alphas=5).fit(X, y).mse_path_, want.mse_path_)
    half = [(np.arange(30), np.arange(40, 60)), (np.arange(60) >= 30, np.arange(60) < 10)]
    got, other = (kind(cv=half, alphas=5, tol=1e-9).fit(X, y) for kind in (LassoCV, theirs.LassoCV))
    np.testing.assert_allclose(got.mse_path_, other.mse_path_, rtol=1e-4)
    for cv in (1, 100, "a", []):
        with pytest.raises(ValueError, match="cv|n_splits"):
            LassoCV(cv=cv).fit(X, y)


def test_a_fold_with_nearly_all_of_a_column():
    X, y = draw(60, 8)
    X[3, 2] = 1e9  # what remains of the column outside the first fold is lost in a difference
    got, other = (
        kind(alphas=[0.1, 0.01], tol=1e-9, max_iter=10**5).fit(X, y)
        for kind in (LassoCV, theirs.LassoCV)
    )
    np.testing.assert_allclose(got.mse_path_, other.mse_path_, rtol=1e-3)


def test_folds_in_threads_do_not_change_a_bit():
    for shape in ((90, 12), (45, 70)):
        X, y = draw(*shape)
        one, two = (ElasticNetCV(n_jobs=j, l1_ratio=[0.5, 1]).fit(X, y) for j in (1, 2))
        np.testing.assert_array_equal(one.mse_path_, two.mse_path_)
        np.testing.assert_array_equal(one.coef_, two.coef_)


def test_several_targets():
    X, y = draw()
    Y = np.column_stack([y, -2 * y + X[:, 7], X[:, 3]])
    ours, other = (kind(0.1, tol=1e-10).fit(X, Y) for kind in (Lasso, theirs.Lasso))
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, other.intercept_, atol=1e-5)
    np.testing.assert_allclose(ours.predict(X), other.predict(X), atol=1e-4)
    assert ours.dual_gap_.shape == (3,) and len(ours.n_iter_) == 3
    for kind in (Lasso, theirs.Lasso):
        column = kind(0.1).fit(X, y[:, None])
        assert column.coef_.shape == (30,) and column.intercept_.shape == (1,)


def test_attributes_and_types():
    X, y = draw()
    model = Lasso(0.1).fit(X.astype(np.float32), y)
    assert model.coef_.dtype == np.float32
    assert model.sparse_coef_.shape == (1, 30)
    assert model.predict(X.astype(np.float32)).dtype == np.float32
    reference_model = Lasso(0.1, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(model.coef_, reference_model.coef_, atol=1e-2)
    assert Lasso(0.1, fit_intercept=False).fit(X, y).intercept_ == 0.0


def test_warm_start_needs_no_sweep():
    X, y = draw()
    model = Lasso(0.1, warm_start=True).fit(X, y)
    assert model.n_iter_ > 0
    assert model.fit(X, y).n_iter_ == 0
    model.coef_ = np.zeros(4)
    with pytest.raises(ValueError, match="coef_ has shape"):
        model.fit(X, y)


@pytest.mark.parametrize("precompute", [False, True])
@pytest.mark.parametrize("alpha", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("form", [np.asarray, np.float32, sp.csc_array])
def test_what_met_the_tolerance_meets_it_at_the_next_start(form, alpha, precompute):
    X, y = draw()
    model = ElasticNet(alpha, precompute=precompute, tol=1e-3, warm_start=True).fit(form(X), y)
    coef = model.coef_.copy()
    assert model.fit(form(X), y).n_iter_ == 0
    np.testing.assert_array_equal(model.coef_, coef)


# Hard inputs


@pytest.mark.weekly
def test_gram_matrix_of_the_user():
    X, y = draw()
    Xc = X - X.mean(axis=0)
    model = Lasso(0.1, precompute=Xc.T @ Xc, tol=1e-10).fit(Xc, y)
    np.testing.assert_allclose(model.coef_, Lasso(0.1, tol=1e-10).fit(X, y).coef_, atol=1e-5)
    Z = 100.0 * Xc + 1e-5  # means this small, next to the spread, are rounding: no warning
    Z[:, 0] = 0.0
    Lasso(0.1, precompute=Z.T @ Z).fit(Z, y)
    with pytest.warns(UserWarning, match="recomputing Gram"):
        Lasso(0.1, precompute=X.T @ X).fit(X + 1, y)
    with pytest.raises(ValueError, match="did not pass validation"):
        Lasso(0.1, precompute=np.eye(30)).fit(Xc, y)
    with pytest.raises(ValueError, match="shape"):
        Lasso(0.1, precompute=np.eye(3)).fit(Xc, y)


@pytest.mark.parametrize("form", ["C", "F", "csc"])
def test_degenerate_columns(form):
    X, y = draw(40, 6)
    X = np.column_stack([X, np.full(40, 7.3), np.zeros(40), X[:, 0], X[:, 1] + 1e-9 * X[:, 2]])
    model = Lasso(0.05, tol=1e-10).fit(matrices(X)[form], y)
    assert model.coef_[6] == 0 and model.coef_[7] == 0
    plain = Lasso(0.05, tol=1e-10).fit(X[:, :6], y)
    assert objective(model, X, y) == pytest.approx(objective(plain, X[:, :6], y), rel=1e-7)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e7])
def test_large_offsets(offset):
    X, y = draw(50, 10)
    want = Lasso(0.1, tol=1e-9).fit(X, y)
    for form in ("C", "F"):
        model = Lasso(0.1, tol=1e-9).fit(matrices(X + offset)[form], y)
        np.testing.assert_allclose(model.coef_, want.coef_, atol=1e-4)


def test_targets_without_variation():
    X, _ = draw()
    for y in (np.zeros(60), np.full(60, 4.0)):
        model = Lasso(0.1).fit(X, y)
        assert not model.coef_.any() and model.intercept_ == y[0] and model.dual_gap_ == 0


def test_one_sample_one_feature():
    assert Lasso().fit([[3.0]], [5.0]).intercept_ == 5.0
    model = Lasso(0.1, fit_intercept=False, tol=1e-12).fit([[2.0]], [5.0])
    assert model.coef_[0] == pytest.approx((10 - 0.1) / 4)


def test_without_penalty_it_is_least_squares():
    X, y = draw()
    for setting in ({}, {"precompute": True}):
        with pytest.warns(UserWarning, match="alpha=0"):
            model = Lasso(0.0, tol=1e-12, max_iter=10**5, **setting).fit(X, y)
        expected = theirs.LinearRegression().fit(X, y)
        np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-5)


def test_a_missed_certificate_is_a_warning_with_numbers():
    X, y = draw(50, 40)
    with pytest.warns(ConvergenceWarning, match=r"Duality gap: .*, tolerance: "):
        Lasso(0.001, max_iter=2, tol=1e-12).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="Duality gap"):
        lasso_path(X, y, max_iter=1, tol=1e-12)
    with pytest.warns(ConvergenceWarning, match="Objective did not converge") as told:
        LassoCV(max_iter=1, tol=1e-12).fit(X, y)
    assert {one.filename for one in told} == {__file__}  # the line that calls fit


def test_input_is_left_alone():
    X, y = draw()
    for data in (X, np.asfortranarray(X)):
        kept = data.copy()
        Lasso(0.1, copy_X=False).fit(data, y, sample_weight=np.arange(60.0))
        np.testing.assert_array_equal(data, kept)


@pytest.mark.parametrize(
    ("setting", "match"),
    [
        ({"alpha": -1}, "alpha"), ({"l1_ratio": 1.5}, "l1_ratio"), ({"tol": -1}, "tol"),
        ({"max_iter": 0}, "max_iter"), ({"selection": "best"}, "selection"),
        ({"positive": 1}, "positive"), ({"precompute": "auto"}, "precompute"),
        ({"random_state": "a"}, "random_state"), ({"fit_intercept": "yes"}, "fit_intercept"),
        ({"warm_start": 0}, "warm_start"), ({"copy_X": None}, "copy_X"),
    ],
)  # fmt: skip
def test_wrong_parameters_are_named(setting, match):
    X, y = draw()
    model = ElasticNet(**setting)
    with pytest.raises(ValueError, match=f"'{match}' parameter of ElasticNet"):
        model.fit(X, y)
    assert not hasattr(model, "coef_")


def test_wrong_arguments_of_a_path_are_named():
    X, y = draw()
    for setting in ({"alphas": 0}, {"alphas": [-1.0]}, {"alphas": "x"}, {"eps": 0}, {"alphas": []}):
        with pytest.raises(ValueError, match=f"'{next(iter(setting))}"):
            lasso_path(X, y, **setting)
    with pytest.raises(TypeError, match="unexpected"):
        lasso_path(X, y, what=1)
    with pytest.raises(ValueError, match="l1_ratio=0"):
        enet_path(X, y, l1_ratio=0)


# Tier 4


@pytest.mark.parametrize(
    "model",
    [Lasso(), ElasticNet(), Lasso(precompute=True), LassoCV(cv=3), ElasticNetCV(cv=3, alphas=10)],
    ids=repr,
)
def test_check_estimator(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(model)


# ---------------------------------------------------------------------------------------------
# Claims that hold


@pytest.mark.parametrize("form", ["dense", "gram", "sparse"])
def test_without_penalty_the_bound_counts(form):
    """eq-nonnegative-least-squares: at the solution no coordinate gains."""
    rng = np.random.default_rng(0)
    X = np.linalg.qr(rng.normal(size=(40, 6)))[0]
    y = X @ [3.0, -2.0, 1.0, -1.0, 0.5, 0.0] + rng.normal(size=40)
    data = sp.csc_array(X) if form == "sparse" else X
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)
        model = Lasso(alpha=0.0, positive=True, tol=1e-12, precompute=form == "gram").fit(data, y)
    same = LinearRegression(positive=True).fit(X, y)
    np.testing.assert_allclose(model.coef_, same.coef_, atol=1e-4)
    assert model.n_iter_ < 200


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_columns_far_from_zero(dtype, weighted):
    """A mean of 1e8 spreads (of 100 in float32) is no reason to lose a column."""
    rng = np.random.default_rng(0)
    Z = rng.integers(-8, 9, size=(200, 3)).astype(float)
    X = Z + (2.0**26 if dtype == np.float64 else 2.0**9) * 8
    y = Z @ [1.0, -2.0, 0.5] + rng.normal(size=200)
    weight = rng.integers(1, 4, 200).astype(float) if weighted else None
    exact = Lasso(alpha=0.1, tol=1e-10).fit(Z, y, weight)
    for data in (X.astype(dtype), sp.csc_array(X.astype(dtype))):
        model = Lasso(alpha=0.1, tol=1e-7).fit(data, y, weight)
        np.testing.assert_allclose(model.coef_, exact.coef_, rtol=1e-3)
        tight = Lasso(alpha=0.1, tol=1e-10).fit(data, y, weight)
        np.testing.assert_allclose(tight.coef_, exact.coef_, rtol=1e-6)
    # So few samples are made dense; as columns of entries, these are stored without their means.
    data, before = sp.csc_array(X.astype(dtype)), X.astype(dtype).T.ravel()
    factors = weight * (200 / weight.sum()) if weighted else None
    design = _design.SparseDesign(data, y, factors, True)
    assert (design.means == 0.0).all() and (data.data == before).all()
    means, eps = np.average(X, axis=0, weights=weight), np.finfo(dtype).eps
    np.testing.assert_allclose(design.X_means, means, rtol=eps)
    w = np.zeros(3)
    descent.coordinate_descent(design, Penalty(20.0, 0.0), w, tol=1e-10)
    rounded = weighted and dtype == np.float32  # entries times the roots of their weights
    np.testing.assert_allclose(w, exact.coef_, rtol=1e-3 if rounded else 1e-6)


def test_sparse_column_with_a_light_zero():
    """Entries that are not stored count in the spread by their weights, however small."""
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(50, 1)) + 1e4, np.ones(50)
    X[3], weight[3] = 0.0, 1e-9
    y = X[:, 0] - 1e4 + rng.normal(size=50)
    ours = _design.SparseDesign(sp.csc_array(X), y, weight * 50 / weight.sum(), True)
    mean = np.average(X[:, 0], weights=weight)
    expected = np.average((X[:, 0] - mean) ** 2, weights=weight) * 50
    np.testing.assert_allclose(ours.squares, expected, rtol=1e-9)


@pytest.mark.parametrize("form", [np.array, sp.csc_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_column_that_differs_in_its_last_digit_is_a_column_of_zeros(dtype, form):
    """A few roundings in size, as those of a computed constant; forty are a spread."""
    kind = _design.DenseDesign if form is np.array else _design.SparseDesign
    for value in (0.1, 1.0, -1.9):
        for digits, constant in ((0, True), (3, True), (40, False)):
            X = np.full((60, 2), dtype(value))
            X[::2, 1] += digits * np.spacing(dtype(value))
            X[:, 0] = np.arange(60)
            squares = kind(form(X), np.arange(60.0), None, True).squares
            np.testing.assert_array_equal(squares == 0.0, [False, constant])


def test_the_margin_of_screening_covers_the_rounding(monkeypatch):
    """eq-gap-safe: products with float32 columns are wrong by more than those with float64 ones."""
    rng = np.random.default_rng(0)
    n, p = 400, 300
    X = rng.normal(size=(n, p)) + rng.normal(size=(n, 1)) + 3.0
    y = X[:, :4].sum(axis=1) + rng.normal(size=n)
    margins = []
    original = _penalty.screen
    monkeypatch.setattr(
        _penalty, "screen", lambda *args: margins.append(args[-1]) or original(*args)
    )
    for dtype in (np.float32, np.float64):
        margins.clear()
        data = X.astype(dtype)
        design = _design.DenseDesign(data, y, None, True)
        r = design.y - rng.normal(size=n)
        Z = data.astype(np.longdouble)
        wrong = np.abs(design.correlations(r) - (Z - Z.mean(axis=0)).T @ r)
        wrong = np.max(wrong / np.sqrt(design.squares)) / np.linalg.norm(r)
        assert 0.0 < wrong <= design.rounding
        descent.coordinate_descent(design, Penalty(100.0, 0.0), np.zeros(p), tol=1e-6)
        assert min(margins) >= wrong * np.linalg.norm(design.y)


def test_single_precision_claims_hold():
    """eq-duality-gap: below the rounding of float32 the gap is computed in float64."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = (rng.normal(size=(150, 400)) + rng.normal(size=(150, 1)) * 2).astype(np.float32)
        y = X[:, :5].sum(axis=1).astype(float) + rng.normal(size=150)
        model = Lasso(alpha=0.3, tol=1e-8, max_iter=5000).fit(X, y)
        Z, t = X - X.mean(axis=0, dtype=np.float64), y - y.mean()
        r = t - Z @ model.coef_.astype(np.float64)
        scale = min(t @ r / (r @ r), 0.3 * 150 / np.abs(Z.T @ r).max())
        primal = 0.5 * r @ r + 0.3 * 150 * np.abs(model.coef_).sum(dtype=np.float64)
        gap = (primal - scale * (t @ r) + 0.5 * scale**2 * (r @ r)) / 150
        assert gap <= model.dual_gap_ + 2e-8 * (t @ t) / 150


def test_products_serve_every_target(monkeypatch):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 8)), rng.normal(size=(60, 3))
    plain = Lasso(alpha=0.01, tol=1e-10).fit(X, Y)

    def forbidden(*args):
        raise AssertionError("columns were read although their products are known")

    monkeypatch.setattr(_design.DenseDesign, "load", forbidden)
    known = Lasso(alpha=0.01, tol=1e-10, precompute=True).fit(X, Y)
    np.testing.assert_allclose(known.coef_, plain.coef_, atol=1e-6)


@pytest.mark.nojit
def test_penalties_that_may_be_the_best_are_solved_again():
    """A mean squared error m is known up to 2 sqrt(m) d + d^2; here d is 1/10, then 1/316."""
    exact, asked = np.array([101.5, 101.0, 101.9, 104.5]), []
    errors = [np.repeat([[100.0], [101.0], [103.9], [104.5]], 3, axis=1)]

    def errors_of(grids, tol):
        asked.append((grids, tol))
        ((ratio, grid),) = grids
        assert ratio == 0.5
        return [np.repeat(exact[grid.astype(int), None], 3, axis=1)], None

    _choice.refine(errors, [0.5], [np.arange(4.0)], errors_of, 1e-4, 50.0)
    assert len(asked) == 1 and asked[0][0][0][1].tolist() == [0.0, 1.0, 2.0]
    assert asked[0][1] == pytest.approx(1e-7)
    np.testing.assert_array_equal(errors[0][:, 0], exact)


@pytest.mark.parametrize("shape", [(60, 12), (30, 50)], ids=str)
def test_the_choice_does_not_depend_on_the_tolerance(shape):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=shape) + rng.normal(size=(shape[0], 1))
        y = X[:, :4] @ rng.normal(size=4) + rng.normal(size=shape[0])
        options = {"max_iter": 20_000, "cv": 3, "eps": 0.03}
        loose, tight = LassoCV(**options).fit(X, y), LassoCV(tol=1e-10, **options).fit(X, y)
        np.testing.assert_allclose(loose.alpha_, tight.alpha_, rtol=1e-12)


@pytest.mark.parametrize(("dtype", "offset"), [(np.float32, 2.0**10), (np.float64, 2.0**27)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_columns_far_from_zero_are_centred_in_a_copy(dtype, offset, order):
    """Products with columns whose means are many spreads keep their digits."""
    rng = np.random.default_rng(0)
    Z = rng.integers(-8, 9, size=(500, 40)).astype(float)
    design = _design.DenseDesign(np.asarray(Z + offset, dtype, order), Z[:, 0].copy(), None, True)
    r = design.y + rng.normal(size=500)
    r -= r.mean()  # as residuals are: the rounding of a mean does not count
    wrong = design.correlations(r) - (Z - Z.mean(axis=0)).T @ r
    share = np.abs(wrong) / np.sqrt(design.squares) / np.linalg.norm(r)
    # How processors sum 500 products differs: their rounding adds up to a few roots of 500. Columns
    # that are not centred lose as many digits as `offset` has.
    assert share.max() <= np.sqrt(500) * np.finfo(dtype).eps


@pytest.mark.parametrize("exponent", [-100, -40, 60, 120])
@pytest.mark.parametrize("make", [np.array, np.asfortranarray, sp.csc_array])
def test_single_precision_data_of_any_size(make, exponent):
    """Squares beyond the range of float32 are taken in float64: a power of two changes no digit."""
    rng = np.random.default_rng(0)
    X, size = rng.normal(size=(40, 6)).astype(np.float32), 2.0**exponent
    y = X[:, 0] - X[:, 3] / 2 + rng.normal(size=40).astype(np.float32)
    expected = ElasticNet(0.1).fit(make(X.astype(np.float64)), y)
    model = ElasticNet(0.1 * size**2).fit(make((X * size).astype(np.float32)), y * size)
    assert model.coef_.dtype == np.float32
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-6)
    np.testing.assert_allclose(model.intercept_, expected.intercept_ * size, rtol=1e-5)


@pytest.mark.parametrize("alpha", [1e-3, 1.0])
def test_without_an_l1_penalty_it_is_ridge(alpha):
    """eq-elastic-net with l1_ratio=0 is eq-ridge, to more digits than descent would reach."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 8)) @ np.diag(np.logspace(0, -3, 8))
    y, weights = rng.normal(size=40) + X[:, 0], rng.uniform(0.1, 5.0, size=40)
    for s in (None, weights):
        ridge = Ridge(alpha * (40 if s is None else s.sum())).fit(X, y, s)
        model = ElasticNet(alpha, l1_ratio=0.0).fit(X, y, s)
        np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-9)
        np.testing.assert_allclose(model.intercept_, ridge.intercept_, rtol=1e-9)
        tasks = MultiTaskElasticNet(alpha, l1_ratio=0.0).fit(X, np.column_stack((y, -y)), s)
        np.testing.assert_allclose(tasks.coef_[1], -ridge.coef_, rtol=1e-9)


def test_what_scikit_learn_will_drop_or_refuses():
    X, y = np.arange(12.0).reshape(6, 2) % 5, np.arange(6.0)
    for path in (lasso_path, enet_path):
        with pytest.warns(FutureWarning, match=f"{path.__name__}: 'n_alphas' was deprecated"):
            assert len(path(X, y, n_alphas=5)[0]) == 5
        with pytest.warns(FutureWarning, match=f"{path.__name__}: 'alphas=None' is deprecated"):
            assert len(path(X, y, alphas=None)[0]) == 100
    for kind in (LassoCV, ElasticNetCV):
        with pytest.raises(ValueError, match="only supported if enable_metadata_routing=True"):
            kind().fit(X, y, groups=np.arange(6))


def test_a_few_sparse_samples_are_dense():
    """The same bits as of dense ones, stored by columns; many keep their form."""
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.normal(size=(60, 20)) * (rng.random((60, 20)) < 0.3))
    y = rng.normal(size=60) + X[:, 0]
    for model in (ElasticNet(0.05), LassoCV(alphas=5), MultiTaskElasticNet(0.05)):
        target = np.column_stack((y, -y)) if isinstance(model, MultiTaskElasticNet) else y
        dense = model.fit(X, target).coef_.copy()
        np.testing.assert_array_equal(model.fit(sp.csr_array(X), target).coef_, dense)
    few, many = sp.csc_array((2**17, 1)), sp.csc_array((2**17 + 1, 1))
    assert isinstance(_lasso.check_columns("here", few), np.ndarray)
    assert sp.issparse(_lasso.check_columns("here", many))


@pytest.mark.nojit
def test_single_precision_is_kept_where_it_does():
    """Down to a gap of 1e-6, while squares are within its range."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 4)).astype(np.float32), rng.normal(size=30)
    for size, tol, expected in (
        (1.0, 1e-4, np.float32),
        (1.0, 1e-6, np.float32),
        (1.0, 9e-7, np.float64),
        (1e-20, 1e-4, np.float64),
        (1e18, 1e-4, np.float64),
    ):
        data = (size * X).astype(np.float32)
        for some in (data, sp.csc_array(data)):
            design = _lasso.make_design("Lasso", some, y, None, True, tol)
            assert (design.data if sp.issparse(some) else design.X).dtype == expected


def test_squares_that_overflow_are_refused_by_name():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    models = Lasso(), ElasticNet(positive=True, fit_intercept=False), LassoCV(cv=2)
    for model, size in itertools.product((*models, MultiTaskLasso()), (1e158, 5e153)):
        targets = np.column_stack([y, y]) if isinstance(model, MultiTaskLasso) else y
        who = type(model).__name__
        with pytest.raises(ValueError, match=f"^{who}: the squares of X are not finite"):
            model.fit(size * X, targets)
        with pytest.raises(ValueError, match=f"^{who}: the squares of y are not finite"):
            model.fit(X, 1e158 * targets)
    with pytest.raises(ValueError, match="^lasso_path: the squares of X"):
        lasso_path(sp.csc_array(1e158 * X), y)
    with pytest.raises(ValueError, match="^Lasso: the squares of y"):
        Lasso().fit(X, np.column_stack([y, 1e158 * y]))


@pytest.mark.nojit
def test_the_grid_begins_where_all_coefficients_are_zero():
    grid = _lasso.alpha_grid(10, np.array([-3.0, 2.0, 0.5]), 0.5, 1e-2, 3)
    np.testing.assert_allclose(grid, [0.4, 0.04, 0.004])
    for products in ([-1.0, -2.0], [0.0, 0.0]):  # no coefficient may be positive
        found = _lasso.alpha_grid(10, np.array(products), 0.5, 1e-2, 3)
        np.testing.assert_array_equal(found, np.finfo(np.float64).resolution)
    with pytest.raises(ValueError, match="l1_ratio=0"):
        _lasso.alpha_grid(10, np.ones(2), 0.0, 1e-2, 3)


@pytest.mark.nojit
def test_a_descent_from_zero_leaves_the_products_of_the_design():
    """At zero the products with the residual are the design's own: no descent may move them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    y = X @ [1.0, -2.0, 0.0, 0.0, 3.0] + rng.normal(size=60)
    design = _design.DenseDesign(X, y, None, True)
    design.gram = _design.gram_matrix(design)
    before, w = design.products.copy(), np.zeros(5)
    gap, sweeps = descent.coordinate_descent(design, Penalty(6.0, 0.0), w, tol=1e-12)
    np.testing.assert_array_equal(design.products, before)
    assert w.any() and gap <= 1e-12 * design.target_square and sweeps < 100
