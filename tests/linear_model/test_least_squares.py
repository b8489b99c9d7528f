"""Linear regression: equality with its twin, invariants, hard data, scikit-learn's answers."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
import scipy.sparse.linalg
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from litlearn._core import moments
from litlearn._core.moments import Samples
from litlearn.linear_model import (
    LinearRegression,
    Ridge,
    _least_squares,
    _nonnegative,
    _normal_equations,
)
from protocol import SKLEARN

nojit = pytest.mark.nojit
SHAPES = [(200, 10), (10, 30), (30, 30), (5000, 3), (1, 1), (1, 3), (3, 1)]


def hard(kind, n, p, rng):
    """Samples of a kind that least squares finds hard, or just large numbers of them."""
    X = rng.normal(size=(n, p))
    if kind == "units":
        X *= 10.0 ** rng.uniform(-4, 4, p)
    elif kind == "spectrum":
        U, s, Vt = np.linalg.svd(X, full_matrices=False)
        X = U * 10.0 ** -rng.uniform(0, 5.5, len(s)) @ Vt
    elif kind == "duplicated":
        X = X[:, rng.integers(0, p, p)]
    elif kind == "constant":
        X[:, :: max(p // 2, 1)] = 7.0
    elif kind == "offset":
        X += 1e6
    elif kind == "rank 2":
        X = X[:, :2] @ rng.normal(size=(min(p, 2), p))
    elif kind == "collinear":
        X = 1e-3 * X + rng.normal(size=(n, 1))
    return X


KINDS = ("plain", "units", "spectrum", "duplicated", "constant", "offset", "rank 2", "collinear")


def objective(X, y, w, w0, weight=None):
    residual = np.asarray(y, dtype=np.longdouble) - w0 - np.asarray(X, dtype=np.longdouble) @ w
    return float(np.sum((1 if weight is None else weight) * residual**2))


# Statistics of blocks


@nojit
@pytest.mark.parametrize("weighted", [False, True])
def test_moments_are_those_of_all_samples(monkeypatch, weighted):
    """eq-gram-merge: blocks and tiles of any size give the moments of the whole."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(300, 4)) + 1e5, rng.normal(size=(300, 2)) - 1e5
    X[100:] += 50.0  # the mean of the first tile is not the mean
    weight = rng.integers(0, 3, 300).astype(float) if weighted else None
    expected = reference.moments(X, Y, weight)
    for block, tile in ((2**20, 2**17), (100, 2**17), (400, 10), (28, 28)):
        monkeypatch.setattr(moments, "BLOCK", block)
        monkeypatch.setattr(moments, "TILE", tile)
        found = moments.moments(Samples(X, Y, weight, True))
        for one, other in zip(found[:6], expected, strict=True):
            scale = np.abs(np.asarray(other, dtype=float)).max()
            np.testing.assert_allclose(one, np.asarray(other, dtype=float), atol=1e-10 * scale)


@nojit
def test_merge_with_nothing():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(9, 2)), rng.normal(size=(9, 1))
    some = Samples(X, Y, np.repeat([1.0, 0.0], [5, 4]), True)
    whole = moments.block_moments(some, slice(0, 9))
    for a, b in ((slice(0, 5), slice(5, 9)), (slice(5, 9), slice(0, 5))):
        merged = moments.merge_moments(
            moments.block_moments(some, a), moments.block_moments(some, b)
        )
        for one, other in zip(merged, whole, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-13)


def test_threads_do_not_change_a_bit():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200_000, 12)), rng.normal(size=200_000)
    one, two = (LinearRegression(n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.coef_, two.coef_)
    assert one.intercept_ == two.intercept_


@nojit
def test_what_needs_another_scale():
    for fine in ([1.0, 0.0], [1e-190], [1e190]):
        assert _normal_equations.ordinary(np.array(fine))
    for odd in ([0.0], [1e-210, 0.0], [1e210], [1.0, np.inf], [1.0, np.nan]):
        assert not _normal_equations.ordinary(np.array(odd))
    assert [_normal_equations.inverse(size) for size in (0.0, 1e-89, 3.0, 1e89)] == [1.0] * 4
    for size in (1e-300, 1e-91, 1e91, 1e300):
        assert 0.5 <= _normal_equations.inverse(size) * size < 1.0


@nojit
def test_columns_far_from_zero_are_centred_to_the_last_digits():
    rng = np.random.default_rng(0)
    near, weight = rng.integers(-9, 10, size=(40, 3)).astype(float), rng.random(40)
    root, mean = np.sqrt(weight), np.average(near, axis=0, weights=weight)
    samples = Samples(near + 2.0**40, np.zeros((40, 0)), weight, True)
    Z, found = _normal_equations.column_deviations(samples, slice(0, 3), root)
    np.testing.assert_allclose(Z, (near - mean) * root[:, None], atol=1e-11)
    np.testing.assert_allclose(found, mean + 2.0**40, rtol=1e-15)
    _, given = _normal_equations.column_deviations(samples, slice(0, 3), root, found)
    np.testing.assert_array_equal(given, found)


@nojit
def test_triangular_factor_in_blocks(monkeypatch):
    """eq-qr-solution: R'R and R'C are the sums of products, whatever the blocks."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(500, 3)) + 9, rng.normal(size=(500, 2))
    samples = Samples(X, Y, None, True)
    total = moments.moments(samples)
    for block in (2**20, 60, 15):
        monkeypatch.setattr(moments, "BLOCK", block)
        monkeypatch.setattr(moments, "MOST_BLOCKS", 10**6)
        R, C = _normal_equations.triangular_factor(samples, total)
        np.testing.assert_allclose(R.T @ R, total.xx, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(R.T @ C, total.xy, rtol=1e-10, atol=1e-10)


# Equality with the twin


@nojit
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(40, 6), (6, 15), (8, 8), (2, 1), (7, 6)], ids=str)
def test_twin(kind, shape):
    """eq-least-squares and eq-minimum-norm: the objective to 1e-8, the norm to 1e-6."""
    rng = np.random.default_rng(7)
    X = hard(kind, *shape, rng)
    y = X @ rng.normal(size=shape[1]) + rng.normal(size=shape[0])
    for weight in (None, rng.integers(0, 3, shape[0]) + (np.arange(shape[0]) == 0)):
        for fit_intercept in (True, False):
            model = LinearRegression(fit_intercept=fit_intercept).fit(X, y, weight)
            w, w0 = reference.least_squares(X, y, weight, fit_intercept=fit_intercept)
            ours = objective(X, y, model.coef_, model.intercept_, weight)
            theirs = objective(X, y, w, w0, weight)
            assert ours <= theirs * (1 + 1e-8) + 1e-14 * np.sum(y**2)
            assert abs(np.linalg.norm(model.coef_) - np.linalg.norm(w)) <= 1e-6 * np.linalg.norm(w)


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 40),
    p=st.integers(1, 40),
    kind=st.sampled_from(KINDS),
    seed=st.integers(0, 2**32 - 1),
    weighted=st.booleans(),
    single=st.booleans(),
)
def test_the_residual_is_orthogonal_to_the_samples(n, p, kind, seed, weighted, single):
    """eq-normal-equations hold for the answer, and it lies in the span of the rows."""
    rng = np.random.default_rng(seed)
    X = hard(kind, n, p, rng)
    if single:
        X = X.astype(np.float32)
    y = rng.normal(size=n)
    weight = rng.random(n) if weighted else None
    samples = Samples(X, y[:, None], weight, True)
    found = _least_squares.solve_least_squares(None, samples, np.zeros(1), 1e-6)
    Z, t, _, _ = reference.centred(X, y, weight)
    U, s, Vt = np.linalg.svd(Z, full_matrices=False)
    kept = s > 1e-6 * max(s.max(), 1e-300)
    if np.any((s > 1e-7 * s.max()) & (s < 1e-5 * s.max())):
        return  # at the threshold rounding decides
    if s.max() <= 1e-14 * np.abs(X).max():
        return  # of one sample nothing but rounding is left about its mean
    gradient = (s * (U.T @ (t - Z @ found.coef[:, 0])))[kept]
    assert np.all(np.abs(gradient) <= 1e-8 * s.max() * np.linalg.norm(t) + 1e-300)
    outside = found.coef[:, 0] - Vt[kept].T @ (Vt[kept] @ found.coef[:, 0])
    assert np.linalg.norm(outside) <= 1e-6 * np.linalg.norm(found.coef) + 1e-300


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("mean", [0.0, 1.0])
def test_refinement(monkeypatch, fit_intercept, weighted, mean):
    """eq-refinement: steps by the gradient of the samples bring back what float32 has lost."""
    monkeypatch.setattr(moments, "MANY", 1000)
    steps, inner = [], _normal_equations.residual_products
    monkeypatch.setattr(
        _normal_equations, "residual_products", lambda *args: steps.append(args) or inner(*args)
    )
    lost = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(4000, 8)) * 10.0 ** np.arange(-1.0, 1.0, 0.25)
        X[:, 7] = X[:, 0] + 3e-3 * X[:, 7]
        X = (X + mean * X.std(axis=0)).astype(np.float32)
        Y = rng.normal(size=(4000, 2)) + (X / X.std(axis=0)) @ rng.normal(size=(8, 2))
        weight = rng.random(4000) if weighted else None
        for model in (
            LinearRegression(fit_intercept=fit_intercept),
            Ridge(1e-3, fit_intercept=fit_intercept),
        ):
            steps.clear()
            exact = model.fit(X.astype(np.float64), Y, weight).coef_
            assert not steps
            found = model.fit(X, Y, weight).coef_
            assert 1 <= len(steps) <= 3
            # What is left are the digits of float32, 6e-8 of each coefficient.
            np.testing.assert_allclose(found, exact, rtol=1.5e-7)
            if isinstance(model, LinearRegression):
                singular = LinearRegression(fit_intercept=fit_intercept)
                singular = singular.fit(X.astype(np.float64), Y, weight).singular_
                np.testing.assert_allclose(model.singular_, singular, rtol=1e-3)
            with monkeypatch.context() as patch:
                patch.setattr(_normal_equations, "SINGLE_SAFE", 0.0)
                rough = model.fit(X, Y, weight).coef_
            lost.append(np.abs(rough / exact - 1).max())
    # Without a step digits are missing, by chance more or fewer: 2e-7 to 2e-4 of a coefficient.
    assert max(lost) > 3e-7


@pytest.mark.parametrize("late", [False, True], ids=["by a block", "by all samples"])
def test_what_refinement_cannot_mend_is_summed_up_again(monkeypatch, late):
    monkeypatch.setattr(moments, "MANY", 1000)
    if late:  # the first block does not show it
        monkeypatch.setattr(moments, "single_is_enough", lambda *args: True)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 5)).astype(np.float32)
    X[:, 4] = X[:, 0] + np.float32(1e-4) * X[:, 4]
    y = X @ np.ones(5) + rng.normal(size=4000)
    found = LinearRegression().fit(X, y).coef_
    monkeypatch.setattr(moments, "MANY", 10**9)
    np.testing.assert_array_equal(found, LinearRegression().fit(X, y).coef_)


def test_both_ways_agree_where_both_may_be_used(monkeypatch):
    rng = np.random.default_rng(0)
    for shape in ((60, 5), (5, 60)):
        X, y = rng.normal(size=shape) + 2, rng.normal(size=shape[0])
        cholesky = LinearRegression().fit(X, y)
        with monkeypatch.context() as patch:
            patch.setattr(_normal_equations, "SAFE", np.inf)
            other = LinearRegression().fit(X, y)
        np.testing.assert_allclose(other.coef_, cholesky.coef_, rtol=1e-9)
        assert other.rank_ == cholesky.rank_
        np.testing.assert_allclose(other.singular_, cholesky.singular_, atol=1e-6)
        assert not np.array_equal(other.coef_, cholesky.coef_)


# Invariants


def test_weights_are_repetitions():
    """eq-weighted-least-squares: a weight does what that many copies do."""
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(size=(50, 4)), rng.normal(size=50), rng.integers(0, 4, 50)
    weighted = LinearRegression().fit(X, y, sample_weight=weight)
    repeated = LinearRegression().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-10)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, rtol=1e-10)


@pytest.mark.parametrize("shape", [(60, 4), (4, 60)], ids=str)
@pytest.mark.parametrize("x_size", [1e-160, 1e-30, 1e150])
@pytest.mark.parametrize("y_size", [1e-150, 1e140])
def test_tiny_and_huge_numbers(shape, x_size, y_size):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=shape) + 1, rng.normal(size=shape[0])
    plain, extreme = LinearRegression().fit(X, y), LinearRegression().fit(X * x_size, y * y_size)
    with np.errstate(over="ignore", under="ignore"):
        expected = plain.coef_ * y_size / x_size
    np.testing.assert_allclose(extreme.coef_, expected, rtol=1e-9)
    np.testing.assert_allclose(extreme.intercept_, plain.intercept_ * y_size, rtol=1e-9)
    np.testing.assert_allclose(extreme.singular_, plain.singular_ * x_size, atol=1e-6 * x_size)


@pytest.mark.parametrize("order", ["C", "F"])
def test_single_precision_of_few_samples_is_solved_in_double(order):
    rng = np.random.default_rng(0)
    X = np.asarray(rng.normal(size=(3000, 20)) + 1000, dtype=np.float32, order=order)
    y = X.astype(np.float64) @ rng.normal(size=20) + rng.normal(size=3000)
    single, double = LinearRegression().fit(X, y), LinearRegression().fit(X.astype(np.float64), y)
    assert single.coef_.dtype == np.float32 and single.intercept_.dtype == np.float32
    np.testing.assert_allclose(single.coef_, double.coef_, rtol=1e-6)


def test_a_large_mean_costs_no_digits():
    rng = np.random.default_rng(0)
    X, noise = np.round(rng.normal(size=(500, 5)) * 2**10), rng.normal(size=500)
    y = X @ np.arange(1.0, 6.0) + noise
    plain, moved = LinearRegression().fit(X, y), LinearRegression().fit(X + 2.0**35, y)
    np.testing.assert_allclose(moved.coef_, plain.coef_, rtol=1e-10)


@pytest.mark.parametrize("shape", [(3, 1), (7, 2), (3, 5), (1000, 1)], ids=str)
def test_constant_features_have_no_coefficient(shape):
    for value in (0.1, 1 / 3, 1e10 / 7, 0.0):
        X = np.full(shape, value)
        y = np.arange(shape[0]) ** 2.0
        for weight in (None, np.linspace(0.1, 1, shape[0])):
            model = LinearRegression().fit(X, y, weight)
            np.testing.assert_array_equal(model.coef_, 0.0)
            np.testing.assert_allclose(model.intercept_, np.average(y, weights=weight))
            assert model.rank_ == 0


@nojit
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_all_weight_on_one_sample(seed, single):
    """eq-weighted-least-squares: nothing but that sample counts, wherever it is."""
    rng = np.random.default_rng(seed)
    for _ in range(30):
        n, p = int(rng.integers(1, 12)), int(rng.integers(1, 6))
        X = rng.normal(size=(n, p)) * 10.0 ** rng.uniform(-3, 3, p) + 10.0 ** rng.uniform(-3, 3)
        X = X.astype(np.float32) if single else X
        y, weight, heavy = rng.normal(size=n), np.zeros(n), int(rng.integers(n))
        weight[heavy] = rng.random() + 0.1
        for model in (LinearRegression(), Ridge(1e-3), LinearRegression(positive=True)):
            model.fit(X, y, weight)
            np.testing.assert_array_equal(model.coef_, 0.0)
            np.testing.assert_allclose(model.intercept_, y[heavy], rtol=1e-6)


@nojit
@pytest.mark.parametrize("ratio", [1e-3, 1e-14, 1e-20, 1e-26])
@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])
def test_light_samples_beside_a_heavy_one(ratio, make):
    """The fit passes through the heavy sample, and the light ones fix its slope."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) + 1e3
    y, weight = X @ [1.0, -2.0, 3.0] + rng.normal(size=40), np.full(40, ratio)
    weight[17] = 1.0
    slope = np.linalg.lstsq(X - X[17], y - y[17], rcond=None)[0]
    exact = reference.least_squares(X, y, weight)[0] if ratio > 1e-10 else slope
    for model in (LinearRegression(), Ridge(0.0)):
        np.testing.assert_allclose(model.fit(make(X), y, weight).coef_, exact, rtol=1e-8)


@nojit
@pytest.mark.parametrize("size", [1e308, 1e-308, 1e200])
@pytest.mark.parametrize("shape", [(40, 3), (5, 9)], ids=str)
def test_weights_of_any_size(shape, size):
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(size=shape), rng.normal(size=shape[0]), rng.random(shape[0])
    plain = LinearRegression().fit(X, y, weight)
    extreme = LinearRegression().fit(X, y, weight * size)
    np.testing.assert_allclose(extreme.coef_, plain.coef_, rtol=1e-12)
    np.testing.assert_allclose(extreme.singular_ / np.sqrt(size), plain.singular_, atol=1e-7)
    plain, extreme = Ridge(0.5).fit(X, y, weight), Ridge(0.5 * size).fit(X, y, weight * size)
    np.testing.assert_allclose(extreme.coef_, plain.coef_, rtol=1e-12)
    plain = LinearRegression(positive=True).fit(X, y, weight)
    extreme = LinearRegression(positive=True).fit(X, y, weight * size)
    np.testing.assert_allclose(extreme.coef_, plain.coef_, rtol=1e-9)


# Non-negative coefficients


@nojit
@pytest.mark.parametrize("kind", ["plain", "duplicated", "constant", "rank 2", "collinear"])
@pytest.mark.parametrize("seed", range(4))
def test_nonnegative_twin(kind, seed):
    """eq-nonnegative-least-squares, against all sets of positive coefficients."""
    rng = np.random.default_rng(seed)
    X = hard(kind, 12, 5, rng)
    Y = X @ rng.normal(size=(5, 2)) + rng.normal(size=(12, 2))
    for fit_intercept in (True, False):
        model = LinearRegression(positive=True, fit_intercept=fit_intercept).fit(X, Y)
        assert model.coef_.shape == (2, 5) and np.all(model.coef_ >= 0)
        assert not hasattr(model, "singular_") and not hasattr(model, "rank_")
        for t in range(2):
            best = reference.nonnegative_least_squares(X, Y[:, t], fit_intercept=fit_intercept)[0]
            w0 = model.intercept_[t] if fit_intercept else 0.0
            found = objective(X, Y[:, t], model.coef_[t], w0)
            assert found <= best * (1 + 1e-9) + 1e-13 * np.sum(Y**2)


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 40),
    p=st.integers(1, 40),
    kind=st.sampled_from([kind for kind in KINDS if kind not in ("units", "offset")]),
    seed=st.integers(0, 2**32 - 1),
)
def test_conditions_of_nonnegative_least_squares(n, p, kind, seed):
    """eq-nonnegative-least-squares: a gradient of zero in the set, and of no gain outside it."""
    rng = np.random.default_rng(seed)
    X = hard(kind, n, p, rng)
    y = rng.normal(size=n) + X[:, 0]
    model = LinearRegression(positive=True).fit(X, y)
    Z, t, _, _ = reference.centred(X, y)
    gradient = Z.T @ (Z @ model.coef_ - t)
    slack = 1e-9 * np.linalg.norm(Z, axis=0) * np.linalg.norm(t) + 1e-12
    assert np.all(model.coef_ >= 0)
    assert np.all(gradient >= -slack)
    assert np.all(np.abs(gradient[model.coef_ > 0]) <= slack[model.coef_ > 0])


@nojit
def test_a_nearly_dependent_column_is_split_without_loss():
    rng = np.random.default_rng(0)
    Q, _ = np.linalg.qr(rng.normal(size=(20, 6)))
    u = Q @ rng.normal(size=6) + 1e-9 * rng.normal(size=20)
    inside, outside = _nonnegative.split(Q, u)
    rounding = len(u) * np.finfo(float).eps  # of a sum of so many terms, relative to its vectors
    assert np.abs(Q.T @ outside).max() < rounding * np.linalg.norm(outside)
    assert np.abs(Q @ inside + outside - u).max() < rounding * np.linalg.norm(u)


@nojit
def test_a_column_with_nothing_to_add_is_asked_once():
    """eq-nonnegative-least-squares with columns that stand twice: as many steps as columns."""
    rng = np.random.default_rng(0)
    Z, t = rng.random((12, 3)), rng.random(12)
    doubled = np.column_stack([Z, Z, np.zeros(12)])
    w, steps, violation = _nonnegative.admit_one(doubled, t)
    once, _, _ = _nonnegative.admit_one(Z, t)
    assert steps <= 6 and violation < 1e-12
    np.testing.assert_allclose(doubled @ w, Z @ once, rtol=1e-9)


@nojit
@pytest.mark.parametrize("seed", [19, 31, 39, 52, 58])
def test_members_leave_a_set_that_spans_everything(seed):
    """eq-nonnegative-least-squares of more columns than rows, where rows many are in the set."""
    rng = np.random.default_rng(seed)
    m, p = rng.integers(2, 5), rng.integers(4, 9)
    Z, t = rng.normal(size=(m, p)), rng.normal(size=m)
    w, _, violation = _nonnegative.admit_one(Z, t)
    best = scipy.optimize.nnls(Z, t)[1]
    assert np.all(w >= 0.0) and violation < 1e-12
    assert np.linalg.norm(t - Z @ w) <= best + 1e-12


@nojit
def test_a_column_that_gains_no_more_than_rounding_goes_again():
    Z, t = np.eye(4)[:, :3], np.array([1.0, 1e-10, 1e-10, 1.0])
    w, steps, violation = _nonnegative.admit_one(Z, t)
    np.testing.assert_array_equal(w, [1.0, 0.0, 0.0])
    assert steps == 3 and violation == pytest.approx(1e-10 / np.linalg.norm(t))


@nojit
def test_a_matrix_is_refused_by_its_smallest_singular_value():
    # Of diag(1, 1e-6), the squares of 1 and 1e-3.
    A, B = np.diag([1.0, 1e-6]), np.ones((2, 1))
    assert _normal_equations.cholesky_solve(A, B, cutoff=2e-3) is None
    np.testing.assert_allclose(
        _normal_equations.cholesky_solve(A, B, cutoff=5e-4)[:, 0], [1.0, 1e6]
    )


@nojit
def test_a_column_next_to_the_span_of_the_members_is_refused_once():
    """It would gain a little more than rounding: the search must not ask it again and again."""
    Z = np.column_stack([np.eye(3)[0], np.eye(3)[1], [0.5**0.5, -(0.5**0.5), 5e-11]])
    w, steps, violation = _nonnegative.admit_one(Z, np.array([2.0, 1.0, 1.0]))
    np.testing.assert_array_equal(w, [2.0, 1.0, 0.0])
    assert steps == 3 and 1e-11 < violation < 1e-10


@nojit
@pytest.mark.parametrize("seed", [9, 45, 62, 121, 127])
def test_exchanges_that_go_round_in_circles_end(seed):
    """All offenders at once come back to a set they had: then one changes sides at a time."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(6, 5)) @ (np.eye(5) + 0.8 * rng.normal(size=(5, 5)))
    Z /= np.linalg.norm(Z, axis=0)
    t = rng.normal(size=6)
    A, b = Z.T @ Z, Z.T @ t
    w, steps = _nonnegative.exchange_all(A, b)
    np.testing.assert_allclose(w, _nonnegative.admit_one(Z, t)[0], atol=1e-9)
    assert 4 < steps < 50
    np.testing.assert_array_equal(_nonnegative.exchange_all(A, b, steps)[0], w)
    assert _nonnegative.exchange_all(A, b, steps - 1) == (None, steps - 1)


@nojit
def test_what_needs_no_exchange_is_one_step():
    w, steps = _nonnegative.exchange_all(np.eye(2), np.array([2.0, -3.0]))
    assert w.tolist() == [2.0, 0.0] and steps == 1


@nojit
def test_both_ways_to_nonnegative_coefficients():
    rng = np.random.default_rng(0)
    Z, t = rng.normal(size=(40, 15)), rng.normal(size=40)
    Z /= np.linalg.norm(Z, axis=0)
    at_once, steps = _nonnegative.exchange_all(Z.T @ Z, Z.T @ t)
    one_by_one, _, violation = _nonnegative.admit_one(Z, t)
    np.testing.assert_allclose(at_once, one_by_one, atol=1e-12)
    assert steps < 15 and violation < 1e-12
    assert 0 < np.count_nonzero(at_once) < 15


# Data larger than memory

MAPPED = """
import resource, sys
import numpy as np
import litlearn.linear_model
from litlearn.linear_model import LinearRegression, Ridge
for kind in "CF":  # all that is imported and set up on first use, of both BLAS libraries
    LinearRegression().fit(np.eye(5, order=kind), np.arange(5))
path, n, p, dtype, order = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:6]
X = np.memmap(path, dtype=dtype, mode="r", shape=(n, p), order=order)
used = next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmData"))
limit = used * 1024 + 3 * X.nbytes // 5
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
try:
    np.array(X)
except MemoryError:
    print("too large to copy")
y = np.arange(n) % 7
for model in (LinearRegression(n_jobs=2), Ridge()):
    model.fit(X, y)
    print(np.abs(X[:100] @ model.coef_ + model.intercept_).max() < 10)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="limits memory on Linux")
@pytest.mark.parametrize(("dtype", "order"), [("float64", "C"), ("float32", "F")])
def test_a_memory_map_larger_than_memory(tmp_path, dtype, order):
    n, p = 1_200_000, 16
    path = tmp_path / "samples"
    X = np.memmap(path, dtype=dtype, mode="w+", shape=(n, p), order=order)
    rng = np.random.default_rng(0)
    for start in range(0, n, 100_000):
        X[start : start + 100_000] = rng.normal(size=(100_000, p))
    X.flush()
    done = subprocess.run(
        [sys.executable, "-c", MAPPED, path, str(n), str(p), dtype, order],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.split("\n")[:3] == ["too large to copy", "True", "True"], done.stderr


# Sparse samples


@pytest.mark.parametrize("container", [scipy.sparse.csr_array, scipy.sparse.csc_matrix])
@pytest.mark.parametrize(
    ("shape", "density"), [((300, 20), 0.3), ((2000, 60), 0.02), ((40, 150), 0.2)], ids=str
)
def test_sparse_samples(container, shape, density):
    rng = np.random.default_rng(0)
    dense = rng.random(shape) * (rng.random(shape) < density)
    dense[:, 1] = 5.0  # a constant column leaves nothing when its mean is subtracted
    y, weight = rng.normal(size=(shape[0], 2)), rng.random(shape[0])
    for fit_intercept in (True, False):
        ours = LinearRegression(fit_intercept=fit_intercept).fit(container(dense), y, weight)
        same = LinearRegression(fit_intercept=fit_intercept).fit(dense, y, weight)
        np.testing.assert_allclose(ours.coef_, same.coef_, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(ours.predict(container(dense)), same.predict(dense), atol=1e-8)
        assert not hasattr(ours, "singular_") and hasattr(same, "singular_")


@nojit
@pytest.mark.parametrize("alpha", [0.0, 0.01, 4.0])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_lsqr_solves_what_dense_samples_solve(alpha, fit_intercept):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(12, 30)) * (rng.random((12, 30)) < 0.3)
    y, weight = rng.normal(size=12), rng.random(12)
    model = Ridge(alpha, fit_intercept=fit_intercept)
    expected = model.fit(X, y, weight).coef_
    found = model.fit(scipy.sparse.csr_array(X), y, weight).coef_
    np.testing.assert_allclose(found, expected, atol=1e-10)


@nojit
def test_lsqr_runs_again_for_what_rounding_left(monkeypatch):
    rng = np.random.default_rng(0)
    U, V = (np.linalg.qr(rng.normal(size=(n, 30)))[0] for n in (60, 30))
    X = (U * np.geomspace(1, 1e-4, 30)) @ V.T
    y, runs, inner = X.sum(axis=1) + rng.normal(size=60), [], scipy.sparse.linalg.lsqr

    def spy(operator, target, **options):
        runs.append(np.linalg.norm(target))
        return inner(operator, target, **options)

    monkeypatch.setattr(scipy.sparse.linalg, "lsqr", spy)
    samples = Samples(scipy.sparse.csr_array(X), y[:, None], None, False)
    coef = _least_squares.solve_iteratively(None, samples, np.zeros(1)).coef[:, 0]
    left = np.linalg.norm(y - X @ coef)
    np.testing.assert_allclose(runs, [np.linalg.norm(y), left], rtol=1e-9)
    assert np.linalg.norm(X.T @ (y - X @ coef)) <= 1e-12 * np.linalg.norm(y)


@nojit
@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("shape", [(8, 12), (40, 6)], ids=str)
@pytest.mark.parametrize("alpha", [0.0, 0.7])
@pytest.mark.parametrize("polished", [0, 99])
def test_nonnegative_without_products_of_all_pairs(make, shape, alpha, polished, monkeypatch):
    """eq-nonnegative-least-squares of wide or sparse samples: the optimality conditions hold."""
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=shape), rng.uniform(0.5, 2.0, shape[0])
    y = rng.normal(size=shape[0]) + X[:, 0]
    if shape != (8, 12) or make is np.asarray:  # wide sparse samples of any width
        monkeypatch.setattr(_least_squares, "FEW_FEATURES", 4)
    monkeypatch.setattr(_least_squares, "MOST_POLISHED", polished)
    if not polished:
        monkeypatch.setattr(moments, "moments", None)  # would form p x p
    model = Ridge(alpha, positive=True).fit(make(X), y, weight)
    Z, t, _, _ = reference.centred(X, y, weight)
    gradient = Z.T @ (Z @ model.coef_ - t) + alpha * model.coef_
    slack = (1e-12 if polished else 1e-7) * np.linalg.norm(Z, axis=0) * np.linalg.norm(t)
    assert np.all(model.coef_ >= 0) and np.any(model.coef_ > 0)
    assert np.all(gradient >= -slack)
    assert np.all(np.abs(gradient[model.coef_ > 0]) <= slack[model.coef_ > 0])


# scikit-learn's answers


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("n_targets", [None, 1, 3])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_scikit_learns_answers(shape, n_targets, fit_intercept):
    """Coefficients, and the predictions that eq-linear-model makes of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape) + 5
    y = rng.normal(size=(len(X), n_targets) if n_targets else len(X)) + 100
    ours = LinearRegression(fit_intercept=fit_intercept).fit(X, y)
    theirs = sklearn.linear_model.LinearRegression(fit_intercept=fit_intercept).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-7, atol=1e-9)
    assert ours.coef_.shape == theirs.coef_.shape
    assert np.shape(ours.intercept_) == np.shape(theirs.intercept_)
    assert ours.rank_ == theirs.rank_
    np.testing.assert_allclose(
        ours.singular_, theirs.singular_, atol=1e-7 * max(theirs.singular_[0], 1e-9)
    )


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "offset"])
@pytest.mark.parametrize("seed", range(5))
def test_scikit_learns_objective_and_norm(kind, seed):
    if kind == "units" and SKLEARN < (1, 9):
        pytest.skip("scikit-learn kept singular values below tol before 1.9")
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(2, 300)), int(rng.integers(1, 80))
    X = hard(kind, n, p, rng)
    y = X @ rng.normal(size=p) + rng.normal(size=n)
    ours = LinearRegression().fit(X, y)
    theirs = sklearn.linear_model.LinearRegression().fit(X, y)
    assert ours.rank_ == theirs.rank_
    limit = objective(X, y, theirs.coef_, theirs.intercept_) * (1 + 1e-8) + 1e-14 * np.sum(y**2)
    assert objective(X, y, ours.coef_, ours.intercept_) <= limit
    size = np.linalg.norm(theirs.coef_)
    assert abs(np.linalg.norm(ours.coef_) - size) <= 1e-6 * size


@nojit
@pytest.mark.parametrize("size", [1e-170, 0.0, 3.0, 1e170])
@pytest.mark.parametrize("statistics", [moments.moments, _normal_equations.row_products])
def test_samples_are_scaled_where_their_squares_are_out_of_range(size, statistics):
    """Once, and only where a scale changes something."""
    rng, calls = np.random.default_rng(0), []
    X, Y = rng.normal(size=(9, 3)), rng.normal(size=(9, 1))

    def counted(samples, n_jobs):
        calls.append(samples)
        return statistics(samples, n_jobs)

    with np.errstate(over="ignore", invalid="ignore"):
        samples, found = _normal_equations.scale_into_range(
            Samples(size * X, Y, None, True), counted
        )
    if size in (0.0, 3.0):
        assert samples is calls[0] and len(calls) == 1
    else:
        assert len(calls) == 2 and 0.1 < samples.x_scale * size < 10.0 and samples.y_scale == 1.0
        plain = statistics(Samples(size * samples.x_scale * X, Y, None, True), None)
        np.testing.assert_allclose(found.xx, plain.xx, rtol=1e-12)


@pytest.mark.parametrize("shape", [(5000, 4), (4, 5)])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("model", [LinearRegression(), LinearRegression(positive=True), Ridge()])
def test_what_is_not_finite_is_refused_and_forgotten(model, dtype, bad, shape):
    """Tall samples are not searched before the fit: their sums tell."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=shape).astype(dtype), rng.normal(size=shape[0])
    X[-1, 2] = bad
    found = "NaN" if np.isnan(bad) else "infinity"
    with pytest.raises(ValueError, match=f"Input X contains {found}(.|\n)*{type(model).__name__}"):
        model.fit(X, y, np.r_[np.ones(len(y) - 1), 0.0])
    X[-1, 2] = 0.0
    assert np.isfinite(model.fit(X, y).coef_).all()
