"""Ridge regression, its choice of the penalty, and its classifier."""

import warnings

import numpy as np
import pytest
import scipy.sparse
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import KFold, ShuffleSplit

import reference
from litlearn._core import moments
from litlearn._core.moments import Samples
from litlearn.exceptions import ConvergenceWarning
from litlearn.linear_model import (
    LinearRegression,
    Ridge,
    RidgeClassifier,
    RidgeCV,
    _normal_equations,
)
from litlearn.linear_model._choice import all_but_one, take_rows
from litlearn.linear_model._leave_one_out import leave_one_out

nojit = pytest.mark.nojit


def data(n, p, n_targets=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 3
    y = rng.normal(size=(n, n_targets) if n_targets else n)
    return X, y + (X[:, :1] if n_targets else X[:, 0])


def penalised(X, y, w, w0, alpha, weight=None):
    residual = y - w0 - X @ w
    return np.sum((1 if weight is None else weight) * residual**2) + alpha * w @ w


# Ridge


@nojit
@pytest.mark.parametrize("shape", [(30, 4), (4, 30), (12, 12), (2, 1)], ids=str)
@pytest.mark.parametrize("alpha", [1e-6, 0.5, 1e4])
def test_twin(shape, alpha):
    """eq-ridge: eq-ridge-solution for tall samples and eq-ridge-dual for wide ones."""
    X, y = data(*shape)
    for weight in (None, np.linspace(0, 2, len(X))):
        for fit_intercept in (True, False):
            model = Ridge(alpha, fit_intercept=fit_intercept).fit(X, y, weight)
            w, w0 = reference.least_squares(X, y, weight, alpha, fit_intercept, cutoff=0.0)
            np.testing.assert_allclose(model.coef_, w, rtol=1e-8, atol=1e-10)
            np.testing.assert_allclose(model.intercept_, w0, rtol=1e-8, atol=1e-9)
            if alpha >= 0.5:
                assert model.solver_ == "cholesky"


@settings(max_examples=50, deadline=None)
@given(
    n=st.integers(1, 40),
    p=st.integers(1, 40),
    exponent=st.floats(-12, 8),
    seed=st.integers(0, 2**32 - 1),
    duplicated=st.booleans(),
    positive=st.booleans(),
)
def test_the_gradient_is_zero(n, p, exponent, seed, duplicated, positive):
    """eq-ridge: the gradient of the penalised objective, and with positive=True its conditions."""
    rng = np.random.default_rng(seed)
    X, y, alpha = rng.normal(size=(n, p)), rng.normal(size=n), 10.0**exponent
    if duplicated:
        X = X[:, rng.integers(0, p, p)]
    model = Ridge(alpha, positive=positive).fit(X, y)
    Z, t, _, _ = reference.centred(X, y)
    gradient = Z.T @ (Z @ model.coef_ - t) + alpha * model.coef_
    slack = 1e-8 * (np.linalg.norm(Z) * np.linalg.norm(t)) + 1e-300
    if positive:
        assert np.all(model.coef_ >= 0) and np.all(gradient >= -slack)
        gradient = gradient[model.coef_ > 0]
    assert np.all(np.abs(gradient) <= slack)


@nojit
@pytest.mark.parametrize("shape", [(30, 4), (4, 30)], ids=str)
def test_both_ways_agree_where_both_may_be_used(monkeypatch, shape):
    """eq-ridge-shrinkage: the singular values lead where Cholesky leads."""
    X, Y = data(*shape, 2)
    monkeypatch.setattr(_normal_equations, "SAFE", np.inf)
    for alpha in (1e-3, 0.5, 100.0):
        model = Ridge([alpha, 2 * alpha]).fit(X, Y)
        assert model.solver_ == "svd"
        for t in range(2):
            w, _ = reference.least_squares(X, Y[:, t], None, (t + 1) * alpha, cutoff=0.0)
            np.testing.assert_allclose(model.coef_[t], w, rtol=1e-9, atol=1e-12)


@nojit
def test_a_penalty_for_each_target():
    X, Y = data(40, 5, 3)
    alphas = [0.1, 10.0, 0.1]
    together = Ridge(alphas).fit(X, Y)
    for t, alpha in enumerate(alphas):
        alone = Ridge(alpha).fit(X, Y[:, t])
        np.testing.assert_allclose(together.coef_[t], alone.coef_, rtol=1e-12)
    with pytest.raises(ValueError, match="penalties do not correspond: 2 != 3: alpha has 2"):
        Ridge([1.0, 2.0]).fit(X, Y)


@pytest.mark.parametrize("shape", [(40, 8), (8, 40)], ids=str)
@pytest.mark.parametrize("alpha", [0.0, 1e-30, 1e-14])
def test_a_vanishing_penalty_is_least_squares(shape, alpha):
    """eq-minimum-norm: with dependent columns, the shortest solution, not a large one."""
    X, y = data(*shape)
    X[:, 4:6] = X[:, :2]
    X[:, 3] = 1.0
    ridge, least = Ridge(alpha).fit(X, y), LinearRegression().fit(X, y)
    np.testing.assert_allclose(ridge.coef_, least.coef_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("solver", ["svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga"])
def test_names_of_solvers(solver):
    X, y = data(30, 4)
    same = Ridge().fit(X, y).coef_
    np.testing.assert_allclose(Ridge(solver=solver).fit(X, y).coef_, same, rtol=1e-10)
    with pytest.raises(ValueError, match="Ridge: .*does not support positive"):
        Ridge(solver=solver, positive=True).fit(X, y)
    with pytest.raises(ValueError, match="Ridge: 'lbfgs' .* only when positive"):
        Ridge(solver="lbfgs").fit(X, y)
    model = Ridge(solver="lbfgs", positive=True).fit(X, y)
    assert model.solver_ == "active_set" and np.all(model.coef_ >= 0)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("n_targets", [None, 1, 3])
@pytest.mark.parametrize("shape", [(50, 4), (4, 50), (1, 3)], ids=str)
def test_scikit_learns_answers(shape, n_targets, fit_intercept):
    X, y = data(*shape, n_targets)
    for dtype in (np.float64, np.float32):
        ours = Ridge(2.0, fit_intercept=fit_intercept).fit(X.astype(dtype), y)
        theirs = sklearn.linear_model.Ridge(2.0, fit_intercept=fit_intercept)
        theirs.fit(X.astype(dtype), y.astype(dtype))
        tolerance = 1e-9 if dtype == np.float64 else 1e-4
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(
            ours.intercept_, theirs.intercept_, rtol=tolerance, atol=tolerance
        )
        assert ours.coef_.shape == theirs.coef_.shape and ours.coef_.dtype == theirs.coef_.dtype
        assert np.shape(ours.intercept_) == np.shape(theirs.intercept_)
        assert ours.predict(X).shape == theirs.predict(X).shape


def test_single_precision_is_as_good_as_scikit_learns():
    rng = np.random.default_rng(0)
    for p, mean in ((20, 0.0), (20, 30.0), (100, 1.0)):
        X = (rng.normal(size=(20_000, p)) + mean).astype(np.float32)
        y = (X @ rng.normal(size=p) + rng.normal(size=20_000)).astype(np.float32)
        exact = Ridge().fit(X.astype(np.float64), y).coef_
        ours, theirs = Ridge().fit(X, y).coef_, sklearn.linear_model.Ridge().fit(X, y).coef_
        off = np.linalg.norm(ours - exact) / np.linalg.norm(exact)
        assert off < 2e-6 and off <= 2 * np.linalg.norm(theirs - exact) / np.linalg.norm(exact)


def test_products_in_single_precision_only_where_they_suffice(monkeypatch):
    rng = np.random.default_rng(0)
    types = []
    inner = moments.block_moments

    def spy(samples, rows, dtype=np.float64, full=True):
        types.append(dtype)
        return inner(samples, rows, dtype, full)

    monkeypatch.setattr(moments, "block_moments", spy)
    monkeypatch.setattr(moments, "BLOCK", 2**14)
    independent = rng.normal(size=(30_000, 10)).astype(np.float32)
    nearly_equal = independent.copy()
    nearly_equal[:, 1] = nearly_equal[:, 0] + 0.1 * nearly_equal[:, 1]
    too_equal = independent.copy()
    too_equal[:, 1] = too_equal[:, 0] + 0.01 * too_equal[:, 1]
    later = independent.copy()
    later[5000:, 1] = later[5000:, 0]
    later[5000:] *= 100.0
    tiny = independent * np.float32(1e-15)
    refined = (nearly_equal, True), (too_equal, False)
    for X, single in ((independent, True), *refined, (later, None), (tiny, False)):
        y = X[:, 0] + 1e-3 * X[:, 1]
        exact = Ridge(0.0).fit(X.astype(np.float64), y)
        types.clear()
        model = Ridge(0.0).fit(X, y)
        np.testing.assert_allclose(model.coef_, exact.coef_, atol=2e-6)
        if single is None:  # tried, and done again
            assert np.float32 in types and types[-1] == np.float64
        else:
            assert set(types[1:]) == {np.float32 if single else np.float64}
    # With a penalty of its own for each target, solutions are not refined.
    types.clear()
    Ridge([0.0, 1.0]).fit(nearly_equal, np.column_stack([y, y]))
    assert np.float32 not in types[1:]


# Sparse samples


@pytest.mark.parametrize("container", [scipy.sparse.csr_array, scipy.sparse.csc_matrix])
@pytest.mark.parametrize(
    ("shape", "density"), [((300, 20), 0.3), ((2000, 60), 0.02), ((40, 150), 0.2)], ids=str
)
@pytest.mark.parametrize("model", [Ridge(0.5), Ridge(0.5, positive=True), RidgeCV(), RidgeCV(cv=3)])
def test_sparse_samples(container, shape, density, model):
    rng = np.random.default_rng(0)
    X = rng.random(shape) * (rng.random(shape) < density)
    y, weight = rng.normal(size=(shape[0], 2)) + X[:, :1], rng.random(shape[0])
    for fit_intercept in (True, False):
        model = clone(model).set_params(fit_intercept=fit_intercept)
        same = model.fit(X, y, weight).coef_
        np.testing.assert_allclose(
            model.fit(container(X), y, weight).coef_, same, rtol=1e-7, atol=1e-9
        )


def test_iterations_that_run_out():
    rng = np.random.default_rng(0)
    X = scipy.sparse.csr_array(rng.random((100, 300)) * (rng.random((100, 300)) < 0.1))
    y = rng.normal(size=100)
    with pytest.warns(ConvergenceWarning, match="Ridge: LSQR stopped after"):
        assert Ridge(1e-3, max_iter=2).fit(X, y).n_iter_ == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = Ridge(1e-3).fit(X, y)
    assert model.solver_ == "lsqr" and model.n_iter_[0] > 10


@nojit
@pytest.mark.parametrize("solver", ["svd", "lsqr", "sparse_cg"])
@pytest.mark.parametrize("shape", [(30, 4), (4, 30), (12, 12)], ids=str)
def test_solvers_are_taken_as_asked(solver, shape):
    """eq-ridge: the same solution, and no other way to it."""
    X, y = data(*shape)
    for scale in (1.0, 1e120) if solver == "svd" else (1.0,):
        for weight in (None, np.linspace(0, 2, len(X))):
            model = Ridge(0.5 * scale**2, solver=solver).fit(X * scale, y, weight)
            auto = Ridge(0.5 * scale**2).fit(X * scale, y, weight)
            assert model.solver_ == solver and auto.solver_ == "cholesky"
            np.testing.assert_allclose(model.coef_, auto.coef_, rtol=1e-7)
            np.testing.assert_allclose(model.intercept_, auto.intercept_, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("kind", [Ridge, RidgeClassifier])
def test_solvers_refuse_sparse_samples_as_their_namesakes(kind):
    X, y = scipy.sparse.csr_array(np.eye(6)), np.arange(6) % 2
    for solver in ("svd", "cholesky", "saga"):
        with pytest.raises(
            ValueError, match=f"{kind.__name__}: solver='{solver}' does not support"
        ):
            kind(solver=solver).fit(X, y)
    with pytest.raises(TypeError, match="SVD solver does not support sparse inputs"):
        kind(solver="svd", fit_intercept=False).fit(X, y)
    for solver in ("auto", "lsqr", "sag"):
        kind(solver=solver).fit(X, y)
    kind(solver="cholesky", fit_intercept=False).fit(X, y)


def test_a_penalty_lost_in_rounding_leaves_the_shortest_solution():
    """eq-minimum-norm as the limit of eq-ridge, for sparse samples, too."""
    X, y = data(20, 50)
    shortest = LinearRegression().fit(X, y)
    found = Ridge(1e-16).fit(scipy.sparse.csr_array(X), y)
    assert found.solver_ == "lsqr"
    np.testing.assert_allclose(found.coef_, shortest.coef_, rtol=1e-8, atol=1e-10)


def test_weights_of_two_dimensions():
    X, y = data(5, 2)
    with pytest.raises(ValueError, match="Sample weights must be 1D array or scalar"):
        Ridge().fit(X, y, np.ones((5, 1)))


# The choice of the penalty


def test_scores_that_are_not_numbers_choose_nothing():
    """R^2 of a fold with one sample is not defined; then the first penalty is as good as any."""
    X, y = data(6, 3)
    with pytest.warns(UserWarning, match="RidgeCV: One or more of the test scores are non-finite"):
        assert RidgeCV([0.1, 1.0, 10.0], cv=6).fit(X, y).alpha_ == 0.1
    X, y = data(7, 3)
    for tested in (2, 3):
        splits = [(np.arange(4), 4 + np.arange(tested)), (np.arange(3, 7), np.arange(tested))]
        assert np.isfinite(RidgeCV([0.1, 10.0], cv=splits).fit(X, y).best_score_)


def test_a_mode_that_sparse_samples_will_lose():
    X, y = data(12, 3)
    expected = RidgeCV(gcv_mode="svd").fit(X, y)
    with pytest.warns(FutureWarning, match="RidgeCV: The 'svd' mode is not supported for sparse X"):
        found = RidgeCV(gcv_mode="svd").fit(scipy.sparse.csr_array(X), y)
    assert found.alpha_ == expected.alpha_
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-8)


@nojit
@pytest.mark.parametrize("shape", [(20, 3), (12, 30), (10, 10), (11, 10)], ids=str)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_left_out_errors_are_those_of_n_fits(shape, fit_intercept):
    """eq-ridge-loo against n fits, each without one sample."""
    X, y = data(*shape)
    alphas = np.array([1e-3, 1.0, 100.0])
    for weight in (None, np.random.default_rng(1).random(len(X)) + 0.1):
        samples = Samples(X, y[:, None], weight, fit_intercept)
        visited, _ = leave_one_out(samples, alphas, lambda *seen: seen)
        for start, stop, errors, root in visited:
            found = errors[:, 0] / root[:, None]
            for i, alpha in enumerate(alphas):
                expected = reference.left_out_errors(X, y, alpha, weight, fit_intercept)
                np.testing.assert_allclose(found[:, i], expected[start:stop], rtol=1e-6)


@pytest.mark.parametrize("shape", [(40, 5), (20, 40)], ids=str)
@pytest.mark.parametrize("n_targets", [None, 1, 3])
@pytest.mark.parametrize(
    "setting",
    [
        {"store_cv_results": True},
        {"store_cv_results": True, "alpha_per_target": True},
        {"store_cv_results": True, "scoring": "neg_mean_absolute_error"},
        {"cv": 4},
        {"cv": KFold(3, shuffle=True, random_state=0)},
        {"cv": ShuffleSplit(3, random_state=0), "scoring": "neg_mean_squared_error"},
        {"fit_intercept": False},
    ],
    ids=str,
)
def test_scikit_learns_choice(shape, n_targets, setting):
    X, y = data(*shape, n_targets)
    alphas = np.logspace(-2, 3, 6)
    for weight in (None, np.random.default_rng(1).random(len(X))):
        ours = RidgeCV(alphas, **setting).fit(X, y, weight)
        theirs = sklearn.linear_model.RidgeCV(alphas, **setting).fit(X, y, weight)
        for name in ("alpha_", "best_score_", "coef_", "intercept_", "cv_results_"):
            assert hasattr(ours, name) == hasattr(theirs, name)
            if hasattr(ours, name):
                one, other = getattr(ours, name), getattr(theirs, name)
                assert np.shape(one) == np.shape(other)
                np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)


def test_small_penalties_take_the_orthogonal_factor():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4)) * [1, 1, 1, 1e-6]
    y = X @ [1, 1, 1, 1e6] + rng.normal(size=30)
    alphas = [1e-14, 1e-12]
    model = RidgeCV(alphas, store_cv_results=True).fit(X, y)
    for i, alpha in enumerate(alphas):
        expected = reference.left_out_errors(X, y, alpha) ** 2
        np.testing.assert_allclose(model.cv_results_[:, i], expected, rtol=1e-4)


@nojit
def test_all_but_one():
    """eq-gram-merge: what is left when each part in turn is left out."""
    X, Y = data(30, 3, 2)
    cuts = [slice(0, 7), slice(7, 11), slice(11, 30)]
    parts = [moments.block_moments(Samples(X, Y, None, True), rows) for rows in cuts]
    for rows, total in zip(cuts, all_but_one(parts, True), strict=True):
        others = np.delete(np.arange(30), rows)
        for one, other in zip(total[:6], reference.moments(X[others], Y[others]), strict=True):
            np.testing.assert_allclose(one, np.asarray(other, dtype=float), atol=1e-11)


def test_training_rows_may_stand_twice():
    """Then a training part is not what the test part leaves, though its length is."""
    X, y = data(12, 2)
    halves = [(np.array([6, 6, 7, 8, 9, 9]), np.arange(6)), (np.arange(6) // 2, np.arange(6, 12))]
    ours = RidgeCV([1.0], cv=halves).fit(X, y)
    theirs = sklearn.linear_model.RidgeCV([1.0], cv=halves).fit(X, y)
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-9)


def test_what_the_choice_refuses():
    X, y = data(20, 3)
    for alphas in ([], [0.0], [-1.0], "a", None, [[1.0]], [np.nan]):
        with pytest.raises(ValueError, match="'alphas"):
            RidgeCV(alphas).fit(X, y)
    RidgeCV([0.0, 1.0], cv=3).fit(X, y)
    with pytest.raises(ValueError, match="'scoring' parameter of RidgeCV"):
        RidgeCV(scoring=3).fit(X, y)
    with pytest.raises(ValueError, match="'gcv_mode' parameter of RidgeCV"):
        RidgeCV(gcv_mode="eig").fit(X, y)
    for cv in (1, 21, "a", 2.5, [(1, 2, 3)]):
        with pytest.raises(ValueError, match="RidgeCV.*cv|'cv' parameter of RidgeCV"):
            RidgeCV(cv=cv).fit(X, y)
    with pytest.raises(ValueError, match="store_cv_results=True are incompatible"):
        RidgeCV(cv=3, store_cv_results=True).fit(X, y)
    with pytest.raises(ValueError, match="minimum of 2"):
        RidgeCV().fit(X[:1], y[:1])


# The classifier


@pytest.mark.parametrize("n_classes", [2, 3, "labels"])
@pytest.mark.parametrize("class_weight", [None, "balanced", {"a": 2.0}], ids=str)
def test_scikit_learns_classes(n_classes, class_weight):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    y = (X[:, :3] + rng.normal(size=(80, 3)) > 0).astype(int)
    if n_classes != "labels":
        y = np.array(["a", "b", "c"])[y.sum(axis=1) % n_classes]
    elif isinstance(class_weight, dict):
        return
    for weight in (None, rng.random(80)):
        ours = RidgeClassifier(class_weight=class_weight).fit(X, y, weight)
        theirs = sklearn.linear_model.RidgeClassifier(class_weight=class_weight).fit(X, y, weight)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8, atol=1e-10)
        np.testing.assert_array_equal(ours.classes_, theirs.classes_)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        assert ours.coef_.shape == theirs.coef_.shape
        assert ours.decision_function(X).shape == theirs.decision_function(X).shape


@nojit
def test_classes_are_ridge_on_signs():
    X, _ = data(30, 3)
    y = np.arange(30) % 3
    model = RidgeClassifier(0.5).fit(X, y)
    for k in range(3):
        ridge = Ridge(0.5).fit(X, np.where(y == k, 1.0, -1.0))
        np.testing.assert_allclose(model.coef_[k], ridge.coef_, atol=1e-13)
    assert set(RidgeClassifier().fit(X, np.full(30, "a")).predict(X)) == {"a"}
    with pytest.raises(ValueError, match="Multioutput target data is not supported"):
        RidgeClassifier().fit(X, np.column_stack([y, y]))


@pytest.mark.parametrize(
    ("rows", "copied"), [([3, 4, 5], False), ([0], False), ([3, 5, 4, 6], True), ([3, 5], True)]
)
def test_consecutive_rows_are_not_copied(rows, copied):
    X, y = data(12, 3, 1)
    some = take_rows("Model", Samples(X, y, np.arange(1.0, 13.0), True), np.array(rows))
    assert np.shares_memory(some.X, X) != copied
    np.testing.assert_array_equal(some.X, X[rows])
    np.testing.assert_array_equal(some.weight, np.array(rows) + 1.0)
