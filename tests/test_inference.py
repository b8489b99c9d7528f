"""Standard errors, tests and intervals of coefficients."""

import pickle
import re
from fractions import Fraction

import numpy as np
import pytest
from scipy import optimize, special, stats

from litlearn import inference, linear_model
from litlearn.exceptions import NotFittedError
from litlearn.inference import CoefficientTable, coefficient_table
from litlearn.linear_model import LinearRegression, LogisticRegression

KINDS = ("nonrobust", "HC0", "HC1", "HC2", "HC3")
CHI_SQUARE = stats.chi2.ppf(0.95, 1)
FIVE = np.arange(5.0)[:, None], np.array([32.0, 23, 24, 15, 16])  # years, memory scores
SIX = np.array([[1.0], [2], [2], [4], [4], [5]]), np.array([0, 0, 1, 0, 1, 1])  # words, decline


def with_ones(X):
    return np.column_stack([np.ones(len(X)), X])


def fan(seed, n=60):
    """Samples whose errors grow with the first of three features, in three units."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1, 100, 0.01] + [0, 5000, 1]
    return X, X @ [1, 0.02, 30] + rng.normal(size=n) * (1 + X[:, 0] ** 2)


def outcomes(seed, n=120):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1, 100, 0.01] + [0, 500, 1]
    return X, rng.uniform(size=n) < special.expit((X - [0, 500, 1]) @ [1, -0.005, 20])


def unpenalised(X, y, weight=None):
    return LogisticRegression(C=np.inf).fit(X, y, sample_weight=weight)


def linear(X, y, covariance="auto", **options):
    return coefficient_table(LinearRegression().fit(X, y), X, y, covariance=covariance, **options)


def profile(X, y, **options):
    with np.errstate(all="raise", under="ignore"):
        return coefficient_table(unpenalised(X, y), X, y, method="profile", **options)


def deviance(X, y, value, j):
    """The deviance with coefficient j at a value and the others refitted, by plain Newton."""
    A, t, w = with_ones(X), np.asarray(y, float), np.zeros(X.shape[1] + 1)
    free = np.arange(len(w)) != j
    w[j] = value
    for _ in range(60):
        P = special.expit(A @ w)
        F = (A[:, free] * (P * (1 - P))[:, None]).T @ A[:, free]
        w[free] += np.linalg.solve(F, A[:, free].T @ (t - P))
    return 2 * np.logaddexp(0, -(2 * t - 1) * (A @ w)).sum()


def same(table, other, rtol=1e-12):
    for name in ("estimate", "standard_error", "statistic", "p_value", "lower", "upper"):
        mine, theirs = getattr(table, name), getattr(other, name)
        np.testing.assert_allclose(mine, theirs, rtol=rtol, err_msg=name)
    np.testing.assert_allclose(table.covariance, other.covariance, rtol=rtol)


# -- by hand --------------------------------------------------------------------------------------


@pytest.mark.nojit
def test_five_patients_by_hand():
    """Of the chapter: residuals 2, -3, 2, -3, 2, variance 30 / 3, and S_xx = 10.

    eq-ols-variance, eq-standard-error and eq-ols-interval.
    """
    table = linear(*FIVE, "nonrobust")
    assert list(table.names) == ["intercept", "x0"]
    assert table.degrees_of_freedom == 3
    np.testing.assert_allclose(table.estimate, [30, -4], rtol=1e-14)
    np.testing.assert_allclose(table.covariance, [[6, -2], [-2, 1]], rtol=1e-13)
    t = stats.t.ppf(0.975, 3)
    np.testing.assert_allclose([table.lower[1], table.upper[1]], [-4 - t, -4 + t], rtol=1e-13)
    np.testing.assert_allclose(table.p_value[1], 2 * stats.t.sf(4, 3), rtol=1e-12)


@pytest.mark.nojit
def test_sandwiches_of_five_patients_by_hand():
    """The slope is a sum of targets times (x - 2) / 10; leverages are 1/5 + (x - 2)^2 / 10.

    HC3 is eq-sandwich.
    """
    pull, e = np.array([-2, -1, 0, 1, 2]) / 10, np.array([2, -3, 2, -3, 2])
    h = np.array([6, 3, 2, 3, 6]) / 10
    for kind, factor in (("HC0", 1), ("HC1", 5 / 3), ("HC2", 1 / (1 - h)), ("HC3", (1 - h) ** -2)):
        expected = np.sum(factor * (pull * e) ** 2)
        np.testing.assert_allclose(linear(*FIVE, kind).covariance[1, 1], expected, rtol=1e-13)
    same(linear(*FIVE), linear(*FIVE, "HC3"))


@pytest.mark.nojit
def test_six_patients_by_hand():
    """Of the chapter: the information about a word is 2.05, and the factors 0.54, 2.13 and 8.4.

    eq-logistic-covariance, eq-logistic-interval, and, in HC0, eq-logistic-sandwich.
    """
    X, y = SIX
    table = coefficient_table(unpenalised(X, y), X, y)
    P = special.expit(table.estimate[1] * (X[:, 0] - 3))
    information = np.sum(P * (1 - P) * (X[:, 0] - 3) ** 2)
    np.testing.assert_allclose(information, 2.05, atol=0.005)
    np.testing.assert_allclose(table.standard_error[1], information**-0.5, rtol=1e-12)
    ends = np.exp([table.lower[1], table.estimate[1], table.upper[1]])
    np.testing.assert_allclose(ends, [0.54, 2.13, 8.4], rtol=0.01)
    assert table.degrees_of_freedom == np.inf
    np.testing.assert_allclose(table.p_value, 2 * stats.norm.sf(abs(table.statistic)), rtol=1e-12)
    pulls = np.sum(((y - P) * (X[:, 0] - 3)) ** 2)
    for kind, factor in (("HC0", 1), ("HC1", 6 / 4)):
        robust = coefficient_table(unpenalised(X, y), X, y, covariance=kind).covariance[1, 1]
        np.testing.assert_allclose(robust, factor * pulls / information**2, rtol=1e-12)


@pytest.mark.nojit
def test_two_by_two_table_by_hand():
    """The variance of a logarithm of odds ratios is 1/a + 1/b + 1/c + 1/d."""
    cells = np.array([12, 40, 25, 23])
    X, y = np.array([[0.0], [0], [1], [1]]), np.array(["ill", "well", "ill", "well"])
    table = coefficient_table(unpenalised(X, y, cells), X, y, sample_weight=cells)
    np.testing.assert_allclose(table.estimate[1], np.log(12 * 23 / (40 * 25)), rtol=1e-12)
    np.testing.assert_allclose(table.covariance[1, 1], np.sum(1 / cells), rtol=1e-12)
    np.testing.assert_allclose(table.covariance[0, 0], 1 / 12 + 1 / 40, rtol=1e-12)


@pytest.mark.nojit
def test_profile_of_six_patients_is_that_of_the_chapter():
    table = profile(*SIX)
    ends = np.exp([table.lower[1], table.upper[1]])
    np.testing.assert_allclose(ends, [0.6346, 12.492], rtol=1e-4)
    fall = 12 * np.log(2) - deviance(*SIX, table.estimate[1], 1)
    np.testing.assert_allclose(table.statistic[1] ** 2, fall, rtol=1e-10)
    np.testing.assert_allclose(table.p_value[1], stats.chi2.sf(fall, 1), rtol=1e-9)


def test_ratio_to_the_error_may_fall_where_the_deviance_still_rises():
    """The exercise of Hauck and Donner: one of ten ill without a finding, and c of ten with it."""
    X, y = np.array([[0.0], [0], [1], [1]]), np.array([1, 0, 1, 0])
    wald, falls = [], []
    for c in (15, 18, 19):
        cells = [2, 18, c, 20 - c]
        model = unpenalised(X, y, cells)
        wald.append(coefficient_table(model, X, y, sample_weight=cells).statistic[1])
        rise = coefficient_table(model, X, y, sample_weight=cells, method="profile")
        falls.append(rise.statistic[1] ** 2)
        entropy = [-2 * (k * np.log(k / n) + (n - k) * np.log(1 - k / n))
                   for k, n in ((2 + c, 40), (2, 20), (c, 20))]  # fmt: skip
        np.testing.assert_allclose(falls[-1], entropy[0] - entropy[1] - entropy[2], rtol=1e-10)
    assert falls[0] < falls[1] < falls[2]
    assert wald[2] - wald[1] < wald[1] - wald[0]


# -- the peer -------------------------------------------------------------------------------------


def agree(table, theirs, rtol=1e-8):
    """All that a result of statsmodels has, too."""
    np.testing.assert_allclose(table.estimate, theirs.params, rtol=rtol)
    np.testing.assert_allclose(table.standard_error, theirs.bse, rtol=rtol)
    np.testing.assert_allclose(table.statistic, theirs.tvalues, rtol=rtol)
    np.testing.assert_allclose(table.p_value, theirs.pvalues, rtol=10 * rtol)
    np.testing.assert_allclose(table.covariance, theirs.cov_params(), rtol=rtol)
    ends = theirs.conf_int(0.1)
    np.testing.assert_allclose([table.lower, table.upper], ends.T, rtol=rtol)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercept", [True, False])
def test_linear_regression_equals_statsmodels(kind, intercept):
    sm = pytest.importorskip("statsmodels.api")
    X, y = fan(0)
    model = LinearRegression(fit_intercept=intercept).fit(X, y)
    table = coefficient_table(model, X, y, covariance=kind, level=0.9)
    A = with_ones(X) if intercept else X
    agree(table, sm.OLS(y, A).fit(cov_type=kind, use_t=True))


@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_repeated_rows_of_statsmodels(kind):
    sm = pytest.importorskip("statsmodels.api")
    X, y = fan(1)
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    model = LinearRegression().fit(X, y, sample_weight=weight)
    table = coefficient_table(model, X, y, sample_weight=weight, covariance=kind, level=0.9)
    A, b = np.repeat(with_ones(X), weight, axis=0), np.repeat(y, weight)
    agree(table, sm.OLS(b, A).fit(cov_type=kind, use_t=True))


@pytest.mark.parametrize("kind", ["nonrobust", "HC0", "HC1"])
def test_logistic_regression_equals_statsmodels(kind):
    """It computes HC0 for all of HC0 to HC3; HC1 is times n / (n - k)."""
    sm = pytest.importorskip("statsmodels.api")
    X, y = outcomes(0)
    table = coefficient_table(unpenalised(X, y), X, y, covariance=kind, level=0.9)
    Z = X / [1, 100, 0.01]  # statsmodels keeps fewer digits of columns in several units
    units = np.array([1, 1, 100, 0.01])
    # Newton's last step is squared. A tolerance below rounding is not met, by statsmodels 0.15.
    fit = sm.Logit(y.astype(float), with_ones(Z)).fit(cov_type=kind, disp=0, tol=1e-10, maxiter=99)
    factor = np.sqrt(len(y) / (len(y) - 4)) if kind == "HC1" else 1.0
    np.testing.assert_allclose(table.estimate, fit.params / units, rtol=1e-8)
    np.testing.assert_allclose(table.standard_error, factor * fit.bse / units, rtol=1e-8)
    if kind != "HC1":
        np.testing.assert_allclose(table.p_value, fit.pvalues, rtol=1e-7)
        np.testing.assert_allclose(table.lower, fit.conf_int(0.1)[:, 0] / units, rtol=1e-7)


@pytest.mark.parametrize("kind", ["nonrobust", "HC0"])
def test_weights_are_frequencies_of_statsmodels(kind):
    sm = pytest.importorskip("statsmodels.api")
    X, y = outcomes(1)
    X = X / [1, 100, 0.01]
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    model = unpenalised(X, y, weight)
    table = coefficient_table(model, X, y, sample_weight=weight, covariance=kind, level=0.9)
    glm = sm.GLM(y, with_ones(X), family=sm.families.Binomial(), freq_weights=weight)
    agree(table, glm.fit(cov_type=kind, tol=1e-15), rtol=1e-7)


# -- what holds by itself -------------------------------------------------------------------------


@pytest.mark.nojit
@pytest.mark.parametrize("kind", KINDS)
def test_transcription_of_the_chapter(kind):
    """The chapters' matrices, with an inverse, on data that are easy for one."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + rng.normal(size=40) * (1 + X[:, 1] ** 2)
    A = with_ones(X)
    pulls = np.linalg.inv(A.T @ A) @ A.T
    h, e = np.einsum("ij,ji->i", A, pulls), y - A @ (pulls @ y)
    middle = {"nonrobust": np.full(40, e @ e / 37), "HC0": e**2, "HC1": e**2 * 40 / 37,
              "HC2": e**2 / (1 - h), "HC3": (e / (1 - h)) ** 2}[kind]  # fmt: skip
    np.testing.assert_allclose(linear(X, y, kind).covariance, pulls * middle @ pulls.T, rtol=1e-11)


@pytest.mark.nojit
@pytest.mark.parametrize("kind", KINDS)
def test_a_weight_is_a_repetition(kind):
    X, y = fan(2, 30)
    weight = np.random.default_rng(1).integers(0, 3, 30)
    model = LinearRegression().fit(X, y, sample_weight=weight)
    again = np.repeat(X, weight, axis=0), np.repeat(y, weight)
    same(coefficient_table(model, X, y, sample_weight=weight, covariance=kind),
         linear(*again, kind), rtol=1e-9)  # fmt: skip


@pytest.mark.nojit
@pytest.mark.parametrize("options", [{}, {"covariance": "HC1"}, {"method": "profile"}])
def test_a_weight_is_a_repetition_of_an_outcome(options):
    X, y = outcomes(2, 60)
    weight = np.random.default_rng(1).integers(0, 3, 60)
    model = unpenalised(X, y, weight)
    again = np.repeat(X, weight, axis=0), np.repeat(y, weight)
    same(coefficient_table(model, X, y, sample_weight=weight, **options),
         coefficient_table(unpenalised(*again), *again, **options), rtol=1e-7)  # fmt: skip


def exact(X, y):
    """Estimates, classical variances and those of HC3, with rational numbers."""
    A = [[Fraction(1), *(Fraction(float(v)) for v in row)] for row in X]
    b, n, k = [Fraction(float(v)) for v in y], len(A), len(A[0])
    M = [[sum(r[i] * r[j] for r in A) for j in range(k)]
         + [Fraction(int(i == j)) for j in range(k)] for i in range(k)]  # fmt: skip
    for i in range(k):  # Gauss and Jordan; positive definite, so that no pivot is zero
        M[i] = [v / M[i][i] for v in M[i]]
        for m in range(k):
            if m != i:
                M[m] = [v - M[m][i] * u for v, u in zip(M[m], M[i], strict=True)]
    inverse = [row[k:] for row in M]
    pulls = [[sum(inverse[i][j] * r[j] for j in range(k)) for r in A] for i in range(k)]
    w = [sum(p * t for p, t in zip(pulls[i], b, strict=True)) for i in range(k)]
    e = [t - sum(u * v for u, v in zip(r, w, strict=True)) for t, r in zip(b, A, strict=True)]
    h = [sum(A[i][j] * pulls[j][i] for j in range(k)) for i in range(n)]
    sigma2 = sum(v * v for v in e) / (n - k)
    robust = [sum((pulls[j][i] * e[i] / (1 - h[i])) ** 2 for i in range(n)) for j in range(k)]
    as_floats = [w, [sigma2 * inverse[j][j] for j in range(k)], robust]
    return [np.array([float(v) for v in numbers]) for numbers in as_floats]


@pytest.mark.nojit
@pytest.mark.parametrize("offset, correlated", [(0, 0), (1e6, 0), (1e9, 0), (1e6, 1e-4)])
def test_digits_stay_far_from_zero(offset, correlated):
    """Against exact fractions: columns far from zero, and two that are nearly the same."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(12, 2))
    if correlated:
        X[:, 1] = X[:, 0] + correlated * X[:, 1]
    X, y = X + offset, rng.normal(size=12) + offset
    w, variances, robust = exact(X, y)
    rtol = 1e-11 / (correlated or 1.0)
    classical = linear(X, y, "nonrobust")
    np.testing.assert_allclose(classical.estimate[1:], w[1:], rtol=rtol)
    # Of an intercept that is a difference of numbers of the size of the offset times the slopes.
    error = classical.standard_error[0]
    np.testing.assert_allclose(classical.estimate[0], w[0], atol=rtol * error)
    np.testing.assert_allclose(np.diagonal(classical.covariance), variances, rtol=rtol)
    np.testing.assert_allclose(np.diagonal(linear(X, y).covariance), robust, rtol=rtol)


@pytest.mark.nojit
def test_units_change_nothing_but_the_units():
    X, y = fan(5)
    plain = linear(X, y)
    units, factor = [1e-200, 1e200, 1.0], 1e60 * np.array([1, 1e200, 1e-200, 1])
    model = LinearRegression().fit(X, y)
    model.coef_, model.intercept_ = model.coef_ * factor[1:], model.intercept_ * factor[0]
    scaled = coefficient_table(model, X * units, y * 1e60)
    np.testing.assert_allclose(scaled.estimate, plain.estimate * factor, rtol=1e-9)
    np.testing.assert_allclose(scaled.standard_error, plain.standard_error * factor, rtol=1e-9)
    np.testing.assert_allclose(scaled.p_value, plain.p_value, rtol=1e-9)


@pytest.mark.nojit
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_shifted_features_shift_only_the_intercept(shift):
    X, y = outcomes(3)
    X = X / [1, 100, 0.01]
    for method in ("wald", "profile"):
        near = coefficient_table(unpenalised(X, y), X, y, method=method)
        far = coefficient_table(unpenalised(X + shift, y), X + shift, y, method=method)
        for name in ("estimate", "standard_error", "p_value", "lower", "upper"):
            np.testing.assert_allclose(
                getattr(far, name)[1:], getattr(near, name)[1:], rtol=1e-7 if shift else 1e-12
            )


def test_float32_samples_have_nearly_the_same_table():
    X, y = fan(6)
    X = X.astype(np.float32)
    table = linear(X, y)
    assert table.estimate.dtype == np.float64
    same(table, linear(X.astype(np.float64), y), rtol=1e-10)


def test_table_does_not_depend_on_the_tolerance_of_the_fit():
    X, y = outcomes(4)
    loose = LogisticRegression(C=np.inf, tol=1e-3).fit(X, y)
    exactly = LogisticRegression(C=np.inf, tol=1e-12).fit(X, y)
    same(coefficient_table(loose, X, y), coefficient_table(exactly, X, y), rtol=1e-9)


def test_older_way_to_leave_out_the_penalty():
    X, y = outcomes(5)
    with pytest.warns(FutureWarning, match="penalty"):
        model = LogisticRegression(penalty=None).fit(X, y)
    same(coefficient_table(model, X, y), coefficient_table(unpenalised(X, y), X, y), rtol=1e-9)


# -- the promise ----------------------------------------------------------------------------------


def test_intervals_cover_as_promised():
    """Of 250 people with unequal variances: HC3 covers, the classical formula fails."""
    rng = np.random.default_rng(7)
    held = {kind: np.zeros(2) for kind in ("nonrobust", "HC3")}
    for _ in range(1000):
        x = rng.normal(size=250)
        y = 1 + 2 * x + rng.normal(size=250) * (0.2 + np.abs(x))
        X = x[:, None]
        for kind, held_here in held.items():
            table = linear(X, y, kind)
            held_here += (table.lower < [1, 2]) & (table.upper > [1, 2])
    assert np.all((held["HC3"] > 930) & (held["HC3"] < 970)), held
    assert held["nonrobust"][1] < 850, held


@pytest.mark.weekly
def test_intervals_of_outcomes_cover_as_promised():
    rng = np.random.default_rng(8)
    held = {"wald": np.zeros(2), "profile": np.zeros(2)}
    for _ in range(500):
        x = rng.normal(size=200)
        y = rng.uniform(size=200) < special.expit(-0.5 + x)
        X, model = x[:, None], unpenalised(x[:, None], y)
        for method, held_here in held.items():
            table = coefficient_table(model, X, y, method=method)
            held_here += (table.lower < [-0.5, 1]) & (table.upper > [-0.5, 1])
    for held_here in held.values():
        assert np.all((held_here > 460) & (held_here < 490)), held


# -- profiles -------------------------------------------------------------------------------------


@pytest.mark.nojit
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_deviance_rises_by_the_quantile_at_the_ends(seed, level):
    """Of eq-logistic-deviance, by definition and refitted at each end."""
    X, y = outcomes(10 + seed, 50)
    X = X / [1, 100, 0.01] - [0, 5, 100]
    table = profile(X, y, level=level)
    rise = stats.chi2.ppf(level, 1)
    for j in range(4):
        lowest = deviance(X, y, table.estimate[j], j)
        assert table.lower[j] < table.estimate[j] < table.upper[j]
        for end in (table.lower[j], table.upper[j]):
            np.testing.assert_allclose(deviance(X, y, end, j) - lowest, rise, rtol=1e-8)
        fall = deviance(X, y, 0.0, j) - lowest
        np.testing.assert_allclose(table.statistic[j] ** 2, fall, rtol=1e-7)
        assert (table.statistic[j] < 0) == (table.estimate[j] < 0)


@pytest.mark.nojit
def test_profile_without_an_intercept_of_one_feature():
    X, y = SIX
    X = X - 3
    table = coefficient_table(LogisticRegression(C=np.inf, fit_intercept=False).fit(X, y), X, y,
                              method="profile")  # fmt: skip
    assert list(table.names) == ["x0"]
    for end in (table.lower[0], table.upper[0]):
        heights = [2 * np.logaddexp(0, -(2 * y - 1) * X[:, 0] * w).sum()
                   for w in (end, table.estimate[0])]  # fmt: skip
        np.testing.assert_allclose(heights[0] - heights[1], CHI_SQUARE, rtol=1e-9)


SEPARATED = pytest.mark.filterwarnings("ignore:LogisticRegression. the classes are separated")


@pytest.mark.nojit
@SEPARATED
def test_interval_without_an_end():
    """Of the chapter: with patient 4 ill the interval of the factor starts at 1.20, and no more."""
    X, y = SIX[0], np.array([0, 0, 1, 1, 1, 1])
    table = profile(X, y)
    np.testing.assert_allclose(np.exp(table.lower[1]), 1.2044, rtol=1e-4)
    assert table.upper[1] == table.estimate[1] == np.inf
    assert table.lower[0] == table.estimate[0] == -np.inf
    lowest = -2 * np.log(0.25)  # two patients with two words, one of each class
    np.testing.assert_allclose(deviance(X, y, table.lower[1], 1) - lowest, CHI_SQUARE, rtol=1e-8)
    np.testing.assert_allclose(deviance(X, y, table.upper[0], 0) - lowest, CHI_SQUARE, rtol=1e-8)
    P = 4 / 6
    fall = -2 * (4 * np.log(P) + 2 * np.log(1 - P)) - lowest
    np.testing.assert_allclose(table.statistic[1] ** 2, fall, rtol=1e-8)
    np.testing.assert_allclose(table.p_value[1], stats.chi2.sf(fall, 1), rtol=1e-8)
    assert np.isnan(table.standard_error).all() and np.isnan(table.covariance).all()
    assert "inf" in str(table) and "nan" in str(table)


@SEPARATED
def test_one_feature_separates_and_another_does_not():
    """A rare finding that only ill people have: its interval is endless, that of age is not."""
    X, y = outcomes(20, 80)
    X = X[:, :2] / [1, 100] - [0, 5]
    X[:, 1] = y & (X[:, 1] > 0.5)
    assert 3 < X[:, 1].sum() < 30
    table = profile(X, y)
    assert np.isinf(table.upper).tolist() == [False, False, True]
    assert np.isfinite(table.lower).all()
    # In the limit, people with the finding are explained, and the others alone tell the rest.
    rest = X[:, 1] == 0
    others = profile(X[rest, :1], y[rest])
    for name in ("estimate", "lower", "upper", "statistic"):
        np.testing.assert_allclose(
            getattr(table, name)[:2], getattr(others, name), rtol=1e-5, err_msg=name
        )


@SEPARATED
def test_nothing_is_known_where_everything_is_explained():
    """Two features that separate the classes each by itself: neither is needed, nor bounded."""
    X, y = np.array([[0.0, 0], [0, 1], [1, 2], [1, 3], [1, 3.5]]), [0, 0, 1, 1, 1]
    table = profile(X, y)
    assert np.isinf(table.lower[1:]).all() and np.isinf(table.upper[1:]).all()
    assert np.isnan(table.estimate[1:]).all()
    np.testing.assert_allclose(table.p_value[1:], 1.0, atol=1e-4)


@pytest.mark.nojit
@pytest.mark.parametrize("start", [-2000.0, -14.0, -3.0, 3.0, 14.0, 2000.0])
def test_steps_that_are_too_long_are_halved(start):
    """Far from the maximum the curvature is near zero, and its parabola is of no use."""
    X, y = SIX
    B, sign, ones = (X - 3) / np.sqrt(2), 2.0 * y - 1.0, np.ones(6)
    found = inference.maximise_likelihood(B, sign, ones, 0.0 * ones, np.array([start]))
    assert found.exists
    np.testing.assert_allclose(found.v / np.sqrt(2), 0.7563, atol=1e-4)


@pytest.mark.nojit
def test_slope_of_a_profile_is_that_of_its_heights():
    X, y = outcomes(6)
    model, sign = unpenalised(X, y), 2.0 * y - 1.0
    design = inference.make_basis(model, X, np.ones(len(y)))
    v = np.linalg.solve(design.back, inference.coefficients(model))
    for a in design.back:
        profile = inference.Profile(design, sign, a, v, False)
        value, h = a @ v + 0.7 * np.abs(a @ v), 1e-4 * np.abs(a @ v)
        slope = (profile.at(value + h)[0] - profile.at(value - h)[0]) / (2 * h)
        np.testing.assert_allclose(profile.at(value)[1], slope, rtol=1e-6)


@SEPARATED
def test_rows_of_zeros_are_explained_by_nothing():
    """Without an intercept three people have no score at all, and a function of any steepness."""
    rows = "002 012 000 002 000 002 002 110 010 010 012 000 012"
    X = np.array([[float(c) for c in row] for row in rows.split()]) * [0.1, 1e-3, 0.005]
    y = (np.arange(13) == 4).astype(int)
    weight = [2, 1, 2, 2, 2, 1, 1, 1, 2, 1, 1, 1, 2]
    model = LogisticRegression(C=np.inf, fit_intercept=False).fit(X, y, sample_weight=weight)
    table = coefficient_table(model, X, y, sample_weight=weight, method="profile")
    assert np.isnan(table.estimate[0]) and np.all(table.estimate[1:] == -np.inf)
    # Without the second feature the three people who have it alone have the probability 1/2.
    np.testing.assert_allclose(table.statistic[1] ** 2, 2 * 3 * np.log(2), rtol=1e-9)


def test_only_functions_of_ordinary_steepness_separate():
    """What would need a coefficient of 1e8 is not told from rounding."""
    for size, expected in ((0.0, [False] * 2), (1e-8, [False] * 2), (1e-4, [True] * 2)):
        S = np.array([[1.0, size], [-1.0, 0.0]])
        assert inference.explainable(S).tolist() == expected
        assert inference.can_rise(S, np.array([0.0, 1.0]))
        assert not inference.can_rise(S, np.array([1.0, 0.0]))


def lowest(A, y, value=None, j=None):
    """The infimum of the deviance by gradients alone, with coefficient j at a value if one is."""
    sign = 2.0 * y - 1.0
    free = np.arange(A.shape[1]) != j
    fixed = 0.0 if j is None else A[:, j] * value

    def fun(u):
        m = sign * (A[:, free] @ u + fixed)
        gradient = -2 * A[:, free].T @ (sign * special.expit(-m))
        return 2 * np.logaddexp(0, -m).sum(), gradient

    options = {"gtol": 1e-9, "maxiter": 5000}
    return optimize.minimize(fun, np.zeros(free.sum()), jac=True, options=options).fun


@SEPARATED
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_few_people_with_yes_or_no_features(seed, intercept):
    """Half of these problems are separated, in whole or in part; some rows are all zero."""
    rng = np.random.default_rng([seed, intercept])
    while True:
        X = (rng.uniform(size=(12, 3)) < 0.3).astype(float)
        y = (rng.uniform(size=12) < special.expit(3 * X[:, 0] - 1)).astype(int)
        A = with_ones(X) if intercept else X
        if np.linalg.matrix_rank(with_ones(X)) == 4 and 0 < y.sum() < 12:
            break
    model = LogisticRegression(C=np.inf, fit_intercept=intercept).fit(X, y)
    table = coefficient_table(model, X, y, method="profile")
    bottom = lowest(A, y)
    for j in range(A.shape[1]):
        for end in (table.lower[j], table.upper[j]):
            if np.isfinite(end):
                rise = lowest(A, y, end, j) - bottom
                np.testing.assert_allclose(rise, CHI_SQUARE, atol=1e-4)
            else:
                assert lowest(A, y, np.sign(end) * 1e3, j) - bottom < CHI_SQUARE
        fall = lowest(A, y, 0.0, j) - bottom
        np.testing.assert_allclose(table.statistic[j] ** 2, fall, atol=1e-4)


# -- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model, message",
    [
        (linear_model.Ridge(), "Ridge has a penalty.*biased estimate.*as often as promised"),
        (linear_model.Lasso(), "Lasso has a penalty"),
        (linear_model.SGDRegressor(), "SGDRegressor has a penalty, or stops early"),
        (LinearRegression(positive=True), "positive=True.*biased"),
    ],
)
def test_penalised_regressions_are_refused(model, message):
    X, y = fan(0)
    with pytest.raises(ValueError, match=message):
        coefficient_table(model.fit(X / [1, 100, 0.01], y), X / [1, 100, 0.01], y)


@pytest.mark.parametrize(
    "model, message",
    [
        (LogisticRegression(), "C=1.0, expected no penalty.*biased.*C=np.inf"),
        (LogisticRegression(C=10, l1_ratio=1), "C=10, expected no penalty"),
        (linear_model.RidgeClassifier(), "RidgeClassifier has a penalty"),
        (LogisticRegression(C=np.inf, class_weight="balanced"), "class_weight='balanced'"),
    ],
)
def test_penalised_classifiers_are_refused(model, message):
    X, y = outcomes(0)
    with pytest.raises(ValueError, match=message):
        coefficient_table(model.fit(X, y), X, y)


def test_several_classes_and_targets_are_refused():
    X, y = fan(0)
    with pytest.raises(ValueError, match="has 3 classes, expected 2"):
        coefficient_table(unpenalised(X, np.arange(60) % 3), X, np.arange(60) % 3)
    Y = np.column_stack([y, -y])
    with pytest.raises(ValueError, match="fitted to 2 targets, expected one"):
        coefficient_table(LinearRegression().fit(X, Y), X, Y)


def test_other_objects_are_refused():
    from scipy import sparse
    from sklearn.linear_model import LinearRegression as Theirs

    X, y = fan(0)
    for model in (Theirs().fit(X, y), None, LinearRegression):
        with pytest.raises(TypeError, match="expected a fitted LinearRegression"):
            coefficient_table(model, X, y)
    with pytest.raises(NotFittedError, match="LinearRegression instance is not fitted"):
        coefficient_table(LinearRegression(), X, y)
    with pytest.raises(NotFittedError, match="LogisticRegression instance is not fitted"):
        coefficient_table(LogisticRegression(C=np.inf), X, y)
    with pytest.raises(TypeError, match="[Ss]parse"):
        coefficient_table(LinearRegression().fit(X, y), sparse.csr_array(X), y)


def test_arrays_of_dask_are_refused():
    da = pytest.importorskip("dask.array")
    X, y = fan(0)
    with pytest.raises(TypeError, match="array of Dask.*X.compute"):
        coefficient_table(LinearRegression().fit(X, y), da.from_array(X, chunks=20), y)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"covariance": "HC4"}, "'covariance' parameter of coefficient_table must be.*HC3.*'HC4'"),
        ({"level": 1.0}, "'level' parameter.*range .0.0, 1.0."),
        ({"level": "95%"}, "'level' parameter"),
        ({"method": "bootstrap"}, "'method' parameter.*'wald', 'profile'"),
        ({"method": "profile"}, "method='profile' is for logistic regression"),
        ({"sample_weight": np.full(60, 0.5)}, "sample_weight.0. is 0.5, expected whole numbers"),
        ({"sample_weight": -np.ones(60)}, "negative"),
        ({"sample_weight": np.ones(7)}, "shape .7,., expected .60,."),
    ],
)
def test_wrong_arguments_are_named(options, message):
    X, y = fan(0)
    with pytest.raises(ValueError, match=message):
        coefficient_table(LinearRegression().fit(X, y), X, y, **options)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"covariance": "HC3"}, "covariance='HC3'.*leverage.*'nonrobust', 'HC0' or 'HC1'"),
        ({"covariance": "HC0", "method": "profile"}, "no part in method='profile'"),
    ],
)
def test_what_logistic_regression_has_not(options, message):
    X, y = outcomes(0)
    with pytest.raises(ValueError, match=message):
        coefficient_table(unpenalised(X, y), X, y, **options)


def test_wrong_samples_are_named():
    X, y = fan(0)
    model = LinearRegression().fit(X, y)
    with pytest.raises(ValueError, match="X has 2 features, but LinearRegression is expecting 3"):
        coefficient_table(model, X[:, :2], y)
    with pytest.raises(ValueError, match="NaN"):
        coefficient_table(model, np.where(X[3, 1] == X, np.nan, X), y)
    with pytest.raises(ValueError, match="NaN"):
        coefficient_table(model, X, np.where(y == y[3], np.nan, y))
    with pytest.raises(ValueError, match="X has 60, y has 59"):
        coefficient_table(model, X, y[:-1])
    X, y = outcomes(0)
    with pytest.raises(ValueError, match="y holds the classes .*2.*, expected those of the fit"):
        coefficient_table(unpenalised(X, y.astype(int)), X, y + 1)
    with pytest.raises(ValueError, match="number of classes has to be greater than one"):
        coefficient_table(unpenalised(X, y), X, np.ones(len(y), dtype=bool))


def test_model_of_other_data_is_refused():
    X, y = fan(0)
    model = LinearRegression().fit(X, y)
    gradient = "not the best fit to this X and y: the gradient at its coefficients is not zero"
    for X_, y_, weight in (
        (X[:-1], y[:-1], None),
        (X, y + 0.1, None),
        (X, y, np.arange(60)),
        (X * [1, 1, 1.01], y, None),
    ):
        with pytest.raises(ValueError, match=f"LinearRegression is {gradient}.*fitted to other"):
            coefficient_table(model, X_, y_, sample_weight=weight)
    with pytest.raises(ValueError, match=r"'x1' is .*standard errors from the best one"):
        model = LinearRegression().fit(X, y)
        model.coef_ = model.coef_ * [1, 2, 1]
        model.intercept_ -= model.coef_[1] / 2 * 5000
        coefficient_table(model, X, y)
    X, y = outcomes(0, 1000)
    model = unpenalised(X, y)
    with pytest.raises(ValueError, match=f"LogisticRegression is {gradient}.*smaller tol"):
        coefficient_table(model, X[1:], y[1:])
    with pytest.raises(ValueError, match=gradient):
        coefficient_table(unpenalised(X, ~y), X, y)


@SEPARATED
def test_model_of_other_separated_data_is_refused():
    X, y = SIX[0], np.array([0, 0, 0, 1, 1, 1])
    for other in (y[::-1], SIX[1]):
        with pytest.raises(ValueError, match="not the best fit.*separated.*gradient.*not zero"):
            coefficient_table(unpenalised(X, other), X, y, method="profile")
    with pytest.raises(ValueError, match="separate the classes.*no maximum.*method='profile'"):
        coefficient_table(unpenalised(X, y), X, y)


def test_dependent_columns_are_named():
    X, y = fan(0)
    both = np.column_stack([X, X[:, 0] - X[:, 2]])
    with pytest.raises(
        ValueError, match="of the columns 'x0', 'x2', 'x3' one is a linear function"
    ):
        linear(both, y)
    with pytest.raises(ValueError, match="'x3' is constant, and cannot be told from the intercept"):
        linear(np.column_stack([X, np.full(60, 0.1)]), y)
    with pytest.raises(ValueError, match="of the columns 'x3', 'x4' one is a linear function"):
        yes = X[:, :1] > 0
        linear(np.column_stack([X, yes, ~yes]), y)
    A = with_ones(np.column_stack([X, np.zeros(60)]))
    with pytest.raises(ValueError, match="'x4' is zero for every sample"):
        coefficient_table(LinearRegression(fit_intercept=False).fit(A, y), A, y)
    X, y = outcomes(0)
    with pytest.raises(ValueError, match="of the columns 'x0', 'x3' one is a linear function"):
        both = np.column_stack([X, 1e6 + X[:, 0]])
        coefficient_table(unpenalised(both, y), both, y)


def test_a_constant_column_of_many_rows_is_one():
    """The mean of a constant is the constant, but for the rounding of a long sum."""
    n = 200_003
    x = np.random.default_rng(0).normal(size=n)
    X, y = np.column_stack([x, np.full(n, 0.1)]), x + np.arange(n) % 7
    with pytest.raises(ValueError, match="'x1' is constant"):
        linear(X, y)


def test_columns_that_the_fit_dropped_are_named():
    """The default threshold of the fit is coarser than the one for dependent columns."""
    X, y = fan(0)
    near = np.column_stack([X[:, 0], X[:, 0] + 1e-9 * (X[:, 1] - 5000)])
    with pytest.raises(ValueError, match="took columns for dependent .rank_=1 of 2, with tol=1e-0"):
        linear(near, y)


@pytest.mark.parametrize("n", [1, 3, 4])
def test_too_few_samples_are_refused(n):
    X, y = fan(0)
    with pytest.raises(ValueError, match=f"X has {n} samples .*model 4 coefficients"):
        linear(X[:n], y[:n])


@pytest.mark.parametrize("y", [[1.0, 3, 5, 7, 9, 11], [5.0] * 6, [0.0] * 6])
def test_a_perfect_fit_is_refused(y):
    X = np.array([[0.0], [1], [2], [3], [4], [5]])
    for offset in (0.0, 1e6):
        with pytest.raises(ValueError, match="fits y exactly, up to rounding"):
            linear(X + offset, np.array(y) / 7)


@pytest.mark.parametrize("who", range(10, 20))
def test_leverage_one_is_refused_where_it_divides(who):
    """A yes-or-no feature that one person has: nobody else tells what it does."""
    X, y = fan(0)
    X = np.column_stack([X, np.arange(60) == who])
    for kind in ("HC2", "HC3"):
        with pytest.raises(ValueError, match=f"number {who} .*leverage 1.*Use covariance='HC1'"):
            linear(X, y, kind)
    for kind in ("nonrobust", "HC0", "HC1"):
        assert np.isfinite(linear(X, y, kind).covariance).all()


# -- the table ------------------------------------------------------------------------------------


def test_names_are_those_of_a_data_frame():
    pd = pytest.importorskip("pandas")
    X, y = fan(0)
    frame = pd.DataFrame(X, columns=["age", "volume", "tau"])
    table = linear(frame, pd.Series(y))
    assert list(table.names) == ["intercept", "age", "volume", "tau"]
    out = table.to_frame()
    assert list(out.index) == list(table.names)
    assert list(out.columns) == ["estimate", "standard_error", "statistic", "p_value", "lower",
                                 "upper"]  # fmt: skip
    np.testing.assert_array_equal(out["upper"], table.upper)
    with pytest.raises(ValueError, match="feature names should match"):
        coefficient_table(LinearRegression().fit(frame, y), frame[["tau", "age", "volume"]], y)


def test_table_is_a_plain_text():
    X, y = fan(0)
    lines = str(linear(X, y, "HC1", level=0.9)).splitlines()
    assert lines[0].split() == ["estimate", "std.", "error", "t", "p", "5", "%", "95", "%"]
    assert [line.split()[0] for line in lines[1:-1]] == ["intercept", "x0", "x1", "x2"]
    assert len({len(line) for line in lines[:-1]}) == 1
    assert lines[-1] == "LinearRegression, HC1, Student's t with 56 degrees of freedom"
    assert re.search(r"<0.001|0\.\d{3} ", lines[1])
    assert repr(linear(X, y)) == str(linear(X, y))


def test_table_is_frozen_and_can_be_pickled():
    table = linear(*fan(0))
    with pytest.raises(AttributeError):
        table.level = 0.5
    again = pickle.loads(pickle.dumps(table))
    assert isinstance(again, CoefficientTable)
    same(again, table, rtol=0)
