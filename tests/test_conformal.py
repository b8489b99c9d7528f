"""Conformal prediction: promises kept as often as theory says, twins, MAPIE, and hostile input."""

import copy
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
import sklearn.linear_model
from scipy import stats
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, PredefinedSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import litlearn.conformal
import protocol
import reference
from litlearn._core.base import BaseEstimator, ClassifierMixin, RegressorMixin
from litlearn.conformal import (
    CrossConformalRegressor,
    SplitConformalClassifier,
    SplitConformalRegressor,
    WeightedScores,
    aps_scores,
    lac_scores,
    quantile_of,
    rank_of,
)
from litlearn.ensemble import RandomForestRegressor
from litlearn.exceptions import NotFittedError
from litlearn.linear_model import LinearRegression, LogisticRegression, Ridge
from litlearn.naive_bayes import GaussianNB
from litlearn.svm import SVC
from protocol import refuses

PAGE = Path(__file__).resolve().parent.parent / "book" / "api" / "conformal.md"
nojit = pytest.mark.nojit
SPLIT = SplitConformalRegressor(LinearRegression(), random_state=0)
CROSS = CrossConformalRegressor(LinearRegression(), random_state=0)
SETS = SplitConformalClassifier(LogisticRegression(), random_state=0)
EVERY = pytest.mark.parametrize(
    "estimator", (SPLIT, CROSS, SETS), ids=lambda one: type(one).__name__
)
BOTH_SPLIT = pytest.mark.parametrize("estimator", (SPLIT, SETS), ids=lambda one: type(one).__name__)


class Constant(RegressorMixin, BaseEstimator):
    """Predicts 0, or the mean of the targets."""

    def __init__(self, mean=False):
        self.mean = mean

    def fit(self, X, y):
        self.value_ = np.mean(y) if self.mean else 0.0
        return self

    def predict(self, X):
        return np.full(len(X), self.value_)


class Line(RegressorMixin, BaseEstimator):
    """Least squares of one feature, by its formula: cheap enough for a thousand jackknives."""

    def fit(self, X, y):
        x = X[:, 0]
        centred = x - x.mean()
        self.slope_ = centred @ y / (centred @ centred)
        self.level_ = y.mean() - self.slope_ * x.mean()
        return self

    def predict(self, X):
        return self.level_ + self.slope_ * X[:, 0]


class Shares(ClassifierMixin, BaseEstimator):
    """Probabilities of three classes that are softmax functions of one feature, not quite right."""

    def fit(self, X, y):
        self.classes_ = np.arange(3)
        return self

    def predict_proba(self, X):
        scores = np.exp(0.5 * np.outer(X[:, 0], (-1.0, 0.0, 1.0)))
        return scores / scores.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.predict_proba(X).argmax(axis=1)


def intervals_hold(model, X, y, **options):
    lower, upper = model.predict_interval(X, **options).T
    return (lower <= y) & (y <= upper)


def sets_hold(model, X, y, **options):
    return model.predict_set(X, **options)[np.arange(len(y)), y]


def noisy_line(rng, n):
    X = rng.normal(size=(n, 1))
    return X, 2.0 * X[:, 0] + rng.standard_t(3, size=n)  # no normal noise: none is assumed


def three_classes(rng, n):
    X = rng.normal(scale=2.0, size=(n, 1))
    reached = np.cumsum(Shares().predict_proba(2.0 * X), axis=1) < rng.random((n, 1))
    return X, reached[:, :2].sum(axis=1)


def two_categories(rng, n):
    X = rng.normal(size=(n, 2))
    X[:, 1] = rng.random(n) < 0.3
    return X, X[:, 0] + (1.0 + 4.0 * X[:, 1]) * rng.normal(size=n)


# --- the promise -----------------------------------------------------------------------------


def counts(draw, fit, hold, repeats=1000, m=10):
    """Of how many of m new samples the interval or set holds the truth, in each of some draws."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(repeats):
        model = fit(*draw(rng, 120), int(rng.integers(2**31)))
        found.append(hold(model, *draw(rng, m)).sum())
    return np.array(found)


def follows(found, m, k, n):
    """The p-value of counts as those of a beta-binomial law with k and n + 1 - k."""
    law = stats.betabinom(m, k, n + 1 - k)
    values = np.arange(m + 1)
    expected, observed = len(found) * law.pmf(values), np.bincount(found, minlength=m + 1)
    cut = np.argmax(np.cumsum(expected) > 8.0)  # the rare ones together
    parts = [np.r_[part[: cut + 1].sum(), part[cut + 1 :]] for part in (observed, expected)]
    return stats.chisquare(parts[0], parts[1] * parts[0].sum() / parts[1].sum()).pvalue


def test_split_intervals_hold_the_truth_exactly_as_often_as_theory_says():
    """The law of the coverage, not only its mean: beta, with k and n + 1 - k."""

    def fit(X, y, seed):
        return SplitConformalRegressor(LinearRegression(), random_state=seed).fit(X, y)

    found, n = counts(noisy_line, fit, intervals_hold), 60
    k = rank_of(n, 0.9)
    assert 0.9 <= k / (n + 1) <= 0.9 + 1 / (n + 1)
    assert follows(found, 10, k, n) > 0.01
    # A rank more or less would be noticed.
    assert follows(found, 10, k - 1, n) < 1e-4 and follows(found, 10, k + 1, n) < 1e-4


@pytest.mark.parametrize("score", ["lac", "aps_randomized"])
def test_sets_hold_the_truth_exactly_as_often_as_theory_says(score):
    def fit(X, y, seed):
        model = SplitConformalClassifier(Shares(), conformity_score=score, random_state=seed)
        return model.fit(X, y)

    found = counts(three_classes, fit, sets_hold, repeats=500)
    assert follows(found, 10, rank_of(60, 0.9), 60) > 0.01


def test_sets_without_random_shares_hold_the_truth_at_least_as_often():
    def fit(X, y, seed):
        model = SplitConformalClassifier(Shares(), conformity_score="aps", random_state=seed)
        return model.fit(X, y)

    found = counts(three_classes, fit, sets_hold, repeats=300)
    deviation = np.sqrt(stats.betabinom(10, 55, 6).var() / len(found))
    assert found.mean() > 9.0 - 3.0 * deviation


def test_jackknife_plus_holds_the_truth_nearly_as_often():
    """At least 1 - 2 alpha is proved; where the fit is stable it is near 1 - alpha."""
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(300):
        (X, y), (X_new, y_new) = noisy_line(rng, 20), noisy_line(rng, 20)
        model = CrossConformalRegressor(Line(), confidence_level=0.8, cv="loo").fit(X, y)
        shares.append(intervals_hold(model, X_new, y_new).mean())
    assert 0.6 < 0.78 < np.mean(shares) < 0.84


def test_folds_hold_the_truth_nearly_as_often():
    def fit(X, y, seed):
        return CrossConformalRegressor(Line(), random_state=seed).fit(X, y)

    assert 0.89 < counts(noisy_line, fit, intervals_hold, repeats=300).mean() / 10 < 0.93


def test_each_category_has_a_promise_of_its_own():
    def fit(X, y, seed):
        return SplitConformalRegressor(Line(), random_state=seed).fit(X, y)

    def fit_parted(X, y, seed):
        return SplitConformalRegressor(Line(), random_state=seed).fit(X, y, partition=X[:, 1])

    def rare(model, X, y):
        return intervals_hold(model, X, y)[X[:, 1] == 1.0]

    def rare_parted(model, X, y):
        return intervals_hold(model, X, y, partition=X[:, 1])[X[:, 1] == 1.0]

    def share(fit, hold):
        rng = np.random.default_rng(0)
        draws = range(400)
        found = [hold(fit(*two_categories(rng, 120), d), *two_categories(rng, 20)) for d in draws]
        return np.concatenate(found).mean()

    assert share(fit, rare) < 0.75  # with one quantile the common category pays for the rare one
    assert 0.9 < share(fit_parted, rare_parted) < 0.97  # of about 18 samples: 1 / 19 more at most


class Acquainted(RegressorMixin, BaseEstimator):
    """Predicts for a known patient the mean of the visits, for others 0."""

    def fit(self, X, y):
        self.means_ = {who: y[X[:, 0] == who].mean() for who in np.unique(X)}
        return self

    def predict(self, X):
        return np.array([self.means_.get(who, 0.0) for who in X[:, 0]])


def test_only_with_groups_are_new_patients_held_as_often():
    rng = np.random.default_rng(0)

    def visits(first, count):
        who = np.arange(first, first + count).repeat(3)
        return who[:, None], rng.normal(size=count).repeat(3) + 0.1 * rng.normal(size=3 * count)

    shares = {"apart": [], "together": []}
    for seed in range(100):
        (X, y), (X_new, y_new) = visits(0, 60), visits(100, 10)
        model = SplitConformalRegressor(Acquainted(), random_state=seed)
        for name, groups in (("apart", None), ("together", X[:, 0])):
            held = intervals_hold(model.fit(X, y, groups=groups), X_new, y_new)
            shares[name].append(held.mean())
    assert np.mean(shares["apart"]) < 0.7
    assert 0.86 < np.mean(shares["together"]) < 0.93


def test_ties_keep_the_promise_and_lose_its_upper_bound():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(400):
        y = rng.integers(-2, 3, 60).astype(float)  # residuals 0, 1 and 2
        model = SplitConformalRegressor(Constant().fit(None, None), prefit=True)
        model.set_params(confidence_level=0.5).fit(np.zeros((60, 1)), y)
        found.append(intervals_hold(model, np.zeros((5, 1)), rng.integers(-2, 3, 5)).mean())
    assert np.mean(found) > 0.5 + 1 / 61 + 0.05


# Another population. Of n + 1 samples, given which ones they are but not their order, the new one
# is each with a probability in proportion to its weight. So the probability that its set holds the
# truth is the sum of the shares of those that would be held: it is known for each draw.


def shifted(rng, n, shift):
    """Samples whose noise grows with the feature, and how much more often they are met shifted."""
    x = rng.normal(loc=shift, size=n)
    weight = 3.0 * np.exp(x)  # of normal distributions around 1 and 0, up to a factor
    return x[:, None], np.exp(x) * rng.normal(size=n), weight


def chance(scores, weight, level):
    """The probability that a draw from scores, by their weights, is at most their quantile."""
    order = np.argsort(scores)
    sums = np.cumsum(weight[order]) / np.sum(weight)
    return sums[np.argmax(sums >= level)]


def hold_as_often(held, chances):
    """Standard deviations between how often draws were held and the sum of their chances."""
    held, chances = np.array(held), np.array(chances)
    return (held - chances).sum(axis=0) / np.sqrt((chances * (1.0 - chances)).sum(axis=0))


def test_weighted_intervals_hold_the_truth_of_another_population_as_often_as_theory_says():
    rng, held, chances = np.random.default_rng(0), [], []
    model = SplitConformalRegressor(Constant().fit(None, None), prefit=True, confidence_level=0.8)
    for _ in range(1000):
        (X, y, weight), (X_new, y_new, own) = shifted(rng, 40, 0.0), shifted(rng, 1, 1.0)
        model.conformalize(X, y, weight)
        here = intervals_hold(model, X_new, y_new, sample_weight=own)
        alone = intervals_hold(model, X_new, y_new, sample_weight=0.0)
        plain = intervals_hold(model.conformalize(X, y), X_new, y_new)
        held.append([here[0], plain[0], alone[0]])
        chances.append(chance(np.abs(np.r_[y, y_new]), np.r_[weight, own], 0.8))
    assert np.min(chances) >= 0.8
    deviations = hold_as_often(held, np.array(chances)[:, None])
    assert abs(deviations[0]) < 3.0
    assert (deviations[1:] < -4.0).all()  # neither of the shortcuts would pass
    assert np.mean(held, axis=0)[1] < 0.6


@pytest.mark.parametrize("score", ["lac", "aps_randomized"])
def test_weighted_sets_hold_the_truth_of_another_population_as_often_as_theory_says(score):
    rng = np.random.default_rng(0)

    def draw(n, shift):
        X = rng.normal(loc=shift, scale=2.0, size=(n, 1))
        reached = np.cumsum(Shares().predict_proba(0.4 * X**2), axis=1) < rng.random((n, 1))
        return X, reached[:, :2].sum(axis=1), np.exp(0.25 * shift_to * X[:, 0])

    held, chances, shift_to = [], [], 3.0  # the ratio of normal densities of variance 4
    model = SplitConformalClassifier(Shares().fit(None, None), prefit=True, conformity_score=score)
    model.set_params(confidence_level=0.7)
    for seed in range(1000):
        (X, y, weight), (X_new, y_new, own) = draw(40, 0.0), draw(1, shift_to)
        model.set_params(random_state=seed).conformalize(X, y, weight)
        here = sets_hold(model, X_new, y_new, sample_weight=own)
        u = np.random.RandomState(model._seed).uniform(size=1) if score != "lac" else None
        scores = litlearn.conformal.SCORES[score](Shares().predict_proba(X_new), u)
        every = np.r_[model.conformity_scores_, scores[0, y_new]]
        chances.append(chance(every, np.r_[weight, own], 0.7))
        held.append([here[0], sets_hold(model.conformalize(X, y), X_new, y_new)[0]])
    deviations = hold_as_often(held, np.array(chances)[:, None])
    assert abs(deviations[0]) < 3.0 and abs(deviations[1]) > 4.0


def of_each_class(rng, sizes):
    """As many samples of each of three classes as are asked for."""
    y = np.arange(3).repeat(sizes)
    return rng.normal(loc=1.5 * (y - 1.0) + 0.5 * (y == 2))[:, None], y


@pytest.mark.parametrize("score", ["lac", "aps_randomized"])
def test_each_class_has_the_coverage_that_theory_says(score):
    """Beta-binomial for each class, of its own number of samples."""
    rng, sizes, m = np.random.default_rng(0), (14, 19, 24), 20
    model = SplitConformalClassifier(Shares().fit(None, None), prefit=True, class_conditional=True)
    model.set_params(confidence_level=0.8, conformity_score=score)
    found, together = [], []
    for seed in range(1000):
        (X, y), (X_new, y_new) = of_each_class(rng, sizes), of_each_class(rng, m)
        model.set_params(random_state=seed).fit(X, y)
        found.append(sets_hold(model, X_new, y_new).reshape(3, m).sum(axis=1))
        if seed < 200:
            one = clone(model).set_params(estimator=model.estimator, class_conditional=False)
            together.append(sets_hold(one.fit(X, y), X_new, y_new).reshape(3, m).mean(axis=1))
    assert model.calibration_sizes_ == dict(enumerate(sizes))
    for counted, n in zip(np.transpose(found), sizes, strict=True):
        k = rank_of(n, 0.8)
        assert follows(counted, m, k, n) > 0.01
        assert follows(counted, m, k - 1, n) < 1e-4 and follows(counted, m, k + 1, n) < 1e-4
    assert np.min(np.mean(together, axis=0)) < 0.7  # one bound serves some class badly


# --- by hand, and twins ----------------------------------------------------------------------


@nojit
def test_five_residuals_by_hand():
    X, y = np.zeros((5, 1)), np.array([1.0, -2.0, 3.0, -5.0, 4.0])
    zero = Constant().fit(X, y)
    # Ranks ceil(level * 6) of the residuals 1 to 5; the sixth is that of the new sample.
    for level, half in ((0.1, 1), (0.5, 3), (2 / 3, 4), (0.67, 5), (0.83, 5), (0.84, np.inf)):
        model = SplitConformalRegressor(zero, prefit=True, confidence_level=level).fit(X, y)
        np.testing.assert_array_equal(model.predict_interval([[7.0]]), [[-half, half]])
        assert model.quantiles_ == {None: half} and model.calibration_sizes_ == {None: 5}
    np.testing.assert_array_equal(model.conformity_scores_, [1.0, 2.0, 3.0, 5.0, 4.0])


@nojit
def test_three_samples_left_out_by_hand():
    """Means without each are 4.5, 3 and 1.5; residuals 4.5, 0 and 4.5."""
    X, y = np.zeros((3, 1)), np.array([0.0, 3.0, 6.0])
    for level, ends in ((0.5, (0, 6)), (0.75, (-3, 9)), (0.76, (-np.inf, np.inf))):
        model = CrossConformalRegressor(Constant(mean=True), confidence_level=level, cv="loo")
        model.fit(X, y)
        np.testing.assert_array_equal(model.predict_interval([[7.0], [8.0]]), [ends, ends])
    np.testing.assert_array_equal(model.conformity_scores_, [4.5, 0.0, 4.5])
    np.testing.assert_array_equal(model.predict([[1.0]]), [3.0])


@nojit
def test_ranks_are_those_of_the_decimal_number():
    assert rank_of(19, 0.55) == 11  # 0.55 * 20 is more than 11 as floats
    assert rank_of(9, 1 - 0.7) == 3
    assert rank_of(9, np.float32(0.9)) == 9 and rank_of(8, 0.9) == 9
    assert rank_of(1, 1e-9) == 1 and rank_of(10**6, 1 - 1e-9) == 10**6 + 1


@nojit
@pytest.mark.parametrize("n", [1, 2, 9, 20])
def test_quantiles_twin(n):
    rng = np.random.default_rng(n)
    for scores in (rng.normal(size=n), rng.integers(0, 3, n).astype(float)):
        for level in (0.05, 0.5, 0.9, 0.95):
            expected = reference.conformal_quantile(scores, level)
            assert quantile_of(scores, level) == expected


@nojit
@pytest.mark.parametrize("n", [1, 2, 9, 20])
def test_weighted_quantiles_twin(n):
    rng = np.random.default_rng(n)
    for scores in (rng.normal(size=n), rng.integers(0, 3, n).astype(float)):
        for weight in (rng.random(n), rng.integers(1, 4, n) / 10.0, np.eye(n)[0]):
            new = np.array([0.0, 0.1, 0.5, 3.0, 1e300])
            for level in (0.05, 0.5, 0.9, 0.95):
                expected = [reference.weighted_quantile(scores, weight, w, level) for w in new]
                found = WeightedScores.of(scores, weight, level).quantiles(new)
                np.testing.assert_array_equal(found, expected)


@nojit
@pytest.mark.parametrize("factor", [1.0, 0.3, 1e-310, 1e308])
def test_equal_weights_are_none_and_whole_ones_are_copies(factor):
    rng = np.random.default_rng(0)
    for n in (1, 5, 9, 19, 60):
        X, y = np.zeros((n, 1)), rng.normal(size=n)
        copies = rng.integers(0, 4, n)
        copies[0] = 1
        for level in (0.55, 0.7, 0.9):
            model = SplitConformalRegressor(
                Constant().fit(X, y), prefit=True, confidence_level=level
            )
            plain = model.conformalize(X, y).quantiles_
            same = model.conformalize(X, y, factor)
            assert same.quantiles_ == plain and same.calibration_sizes_ == {None: n}
            found = same.predict_interval([[0.0]], sample_weight=factor)[0, 1]
            assert found == plain[None]
            model.conformalize(np.zeros((copies.sum(), 1)), y.repeat(copies))
            if factor < 1e308:  # or no float has them
                weighted = model.quantiles_[None]
                model.conformalize(X, y, factor * copies)
                found = model.predict_interval(X[:1], sample_weight=factor)[0, 1]
                assert found == weighted
                assert model.calibration_sizes_ == {None: np.count_nonzero(copies)}


@nojit
def test_four_weights_by_hand():
    """Residuals 1 to 4 with weights 1, 3, 2, 2: together 8."""
    X, y = np.zeros((4, 1)), np.array([2.0, -1.0, 4.0, 3.0])
    model = SplitConformalRegressor(Constant().fit(X, y), confidence_level=0.5, prefit=True)
    model.conformalize(X, y, [3, 1, 2, 2])
    new = [0.0, 0.5, 4.0, 4.5, 8.0, 8.5]  # half of 8, 8.5, 12, 12.5, 16 and 16.5
    ends = model.predict_interval(np.zeros((6, 1)), sample_weight=new)[:, 1]
    np.testing.assert_array_equal(ends, [2.0, 3.0, 3.0, 4.0, 4.0, np.inf])
    assert model.quantiles_ == {None: 3.0}  # of a new sample of weight 2
    assert model.calibration_sizes_ == {None: 4}
    model.conformalize(X, y, [0, 0, 0, 2])  # one sample counts
    assert model.calibration_sizes_ == {None: 1} and model.quantiles_ == {None: 3.0}
    np.testing.assert_array_equal(model.conformity_scores_, np.abs(y))
    ends = model.predict_interval(np.zeros((2, 1)), sample_weight=[2.0, 2.5])[:, 1]
    np.testing.assert_array_equal(ends, [3.0, np.inf])


@nojit
def test_intervals_of_folds_twin(monkeypatch):
    monkeypatch.setattr(litlearn.conformal, "BLOCK", 90)  # several blocks
    rng = np.random.default_rng(0)
    X, y = noisy_line(rng, 31)
    new = rng.normal(size=(7, 1))
    model = CrossConformalRegressor(Line(), confidence_level=0.8, cv=4, random_state=0).fit(X, y)
    assert sorted(np.bincount(model.folds_)) == [7, 8, 8, 8]
    fits = [Line().fit(X[model.folds_ != fold], y[model.folds_ != fold]) for fold in range(4)]
    own = [fits[fold] for fold in model.folds_]
    residuals = [abs(y[i] - one.predict(X[i : i + 1])[0]) for i, one in enumerate(own)]
    np.testing.assert_allclose(model.conformity_scores_, residuals, rtol=1e-14)
    for query, interval in zip(new, model.predict_interval(new), strict=True):
        left_out = [one.predict(query[None, :])[0] for one in own]
        expected = reference.jackknife_plus(left_out, residuals, 0.8)
        np.testing.assert_allclose(interval, expected, rtol=1e-14)
    np.testing.assert_allclose(model.predict(new), np.mean([one.predict(new) for one in fits], 0))


@nojit
def test_scores_twin():
    rng = np.random.default_rng(0)
    P, u = rng.dirichlet(np.ones(4), size=30), rng.random(30)
    P[0] = 0.25  # of equal ones the first class comes first
    np.testing.assert_allclose(aps_scores(P, u), reference.aps_scores(P, u), rtol=1e-14)
    expected = reference.aps_scores(P, np.zeros(30))
    np.testing.assert_allclose(aps_scores(P), expected, rtol=1e-14)
    np.testing.assert_allclose(aps_scores(P)[0], [0.25, 0.5, 0.75, 1.0])
    np.testing.assert_allclose(lac_scores(np.array([[0.5, 0.3, 0.2]])), [[0.5, 0.7, 0.8]])


@nojit
@pytest.mark.parametrize("score", ["lac", "aps", "aps_randomized"])
def test_sets_are_the_classes_within_the_bound(score):
    X, y = three_classes(np.random.default_rng(0), 40)
    model = SplitConformalClassifier(Shares().fit(X, y), conformity_score=score, prefit=True)
    model.set_params(confidence_level=0.5, random_state=0).fit(X, y)
    P, own = model.predict_proba(X), (np.arange(40), y)
    if score == "aps_randomized":
        u = np.random.RandomState(0).uniform(size=40)
        scores = reference.aps_scores(P, u)[own]
        drawn = np.random.RandomState(model._seed).uniform(size=40)
        assert not np.isclose(u, drawn).any()  # what is predicted is drawn anew
        expected = reference.aps_scores(P, drawn)
    else:
        expected = 1.0 - P if score == "lac" else reference.aps_scores(P, np.zeros(40))
        scores = expected[own]
    np.testing.assert_allclose(model.conformity_scores_, scores, rtol=1e-12)
    bound = reference.conformal_quantile(scores, 0.5)
    np.testing.assert_allclose(model.quantiles_[None], bound, rtol=1e-12)
    found = model.predict_set(X)
    np.testing.assert_array_equal(found, expected <= model.quantiles_[None])
    np.testing.assert_array_equal(found, model.predict_set(X))  # at each call


@nojit
def test_sets_may_be_empty():
    """At small levels, where no class is as likely as the true ones of the calibration were."""
    sure, unsure = np.full((8, 1), 9.0), np.zeros((2, 1))
    model = SplitConformalClassifier(Shares().fit(None, None), confidence_level=0.5, prefit=True)
    for score, shown in (("lac", unsure), ("aps", sure)):
        X = sure if score == "lac" else unsure
        model.set_params(conformity_score=score).fit(X, np.full(len(X), 2 * (score == "lac")))
        assert not model.predict_set(shown).any()


def test_few_samples_give_infinite_intervals_and_all_classes():
    X, y = noisy_line(np.random.default_rng(0), 17)  # 8 calibrate, and 9 are needed
    for model in (clone(SPLIT), CrossConformalRegressor(Line(), confidence_level=0.95)):
        interval = model.fit(X, y).predict_interval(X[:2])
        np.testing.assert_array_equal(interval, [[-np.inf, np.inf]] * 2)
        assert np.isfinite(model.predict(X)).all()
    assert clone(SETS).fit(X, np.arange(17) % 2).predict_set(X[:2]).all()
    grown = clone(SPLIT).fit(np.r_[X, X[:1]], np.r_[y, y[:1]])  # 9 of 18
    assert np.isfinite(grown.predict_interval(X)).all()


# --- MAPIE -----------------------------------------------------------------------------------


def test_parity_with_mapie():
    regression = pytest.importorskip("mapie.regression")
    classification = pytest.importorskip("mapie.classification")
    rng = np.random.default_rng(0)
    (X, y), (rest, y_rest), new = noisy_line(rng, 40), noisy_line(rng, 33), rng.normal(size=(9, 1))
    fitted = LinearRegression().fit(X, y)
    theirs = regression.SplitConformalRegressor(fitted, confidence_level=0.8)
    points, intervals = theirs.conformalize(rest, y_rest).predict_interval(new)
    ours = SplitConformalRegressor(fitted, confidence_level=0.8, prefit=True)
    ours.conformalize(rest, y_rest)
    np.testing.assert_allclose(ours.predict(new), points)
    np.testing.assert_allclose(ours.predict_interval(new), intervals[:, :, 0])
    for cv in (5, "loo"):
        ours = CrossConformalRegressor(Line(), confidence_level=0.8, cv=cv, random_state=0)
        ours.fit(X, y)
        theirs = regression.CrossConformalRegressor(
            Line(), confidence_level=0.8, cv=PredefinedSplit(ours.folds_)
        )
        points, intervals = theirs.fit_conformalize(X, y).predict_interval(new)
        np.testing.assert_allclose(ours.predict(new), points)
        np.testing.assert_allclose(ours.predict_interval(new), intervals[:, :, 0])
    X, y = three_classes(rng, 60)
    for level in (0.6, 0.9):
        theirs = classification.SplitConformalClassifier(Shares().fit(X, y), confidence_level=level)
        _, sets = theirs.conformalize(X, y).predict_set(new)
        ours = SplitConformalClassifier(Shares().fit(X, y), confidence_level=level, prefit=True)
        np.testing.assert_array_equal(ours.fit(X, y).predict_set(new), sets[:, :, 0])


# --- who is fitted, who calibrates -----------------------------------------------------------


class Remembers(Line):
    """Keeps what it was given."""

    def fit(self, X, y, sample_weight=None):
        self.X_, self.y_, self.weight_ = X, y, sample_weight
        return super().fit(X, y)


def test_no_sample_is_fitted_and_calibrates():
    X = np.arange(60.0)[:, None]
    y, weight = np.arange(60.0) % 7, np.arange(1.0, 61.0)
    model = SplitConformalRegressor(Remembers(), calibration_size=0.3, random_state=1)
    model.fit(X, y, weight)
    inside = model.estimator_
    rows = inside.X_[:, 0].astype(int)
    assert len(rows) == 42 and model.calibration_sizes_ == {None: 18}
    np.testing.assert_array_equal(inside.y_, y[rows])
    np.testing.assert_array_equal(inside.weight_, weight[rows])
    rest = np.setdiff1d(np.arange(60), rows)
    expected = np.abs(y[rest] - inside.predict(X[rest]))
    np.testing.assert_allclose(model.conformity_scores_, expected)
    assert not np.array_equal(rows, np.arange(42))  # drawn
    assert model.fit(X, y).estimator_.weight_ is None
    cross = CrossConformalRegressor(Remembers(), cv=3, random_state=0).fit(X, y, weight)
    for fold, one in enumerate(cross.estimators_):
        np.testing.assert_array_equal(one.X_[:, 0], np.flatnonzero(cross.folds_ != fold))
        np.testing.assert_array_equal(one.weight_, weight[cross.folds_ != fold])


def test_groups_stay_together():
    X, groups = np.arange(60.0)[:, None], np.array(list("abcdefghij")).repeat(6)
    y = np.arange(60.0) % 7
    inside = SplitConformalRegressor(Remembers(), random_state=0).fit(X, y, groups=groups)
    fitted = set(groups[inside.estimator_.X_[:, 0].astype(int)])
    assert len(fitted) == 5 and inside.calibration_sizes_ == {None: 30}
    assert len(inside.estimator_.X_) == 30
    cross = CrossConformalRegressor(Line(), cv=3, random_state=0).fit(X, y, groups=groups)
    folds = [set(cross.folds_[groups == one]) for one in "abcdefghij"]
    assert all(len(one) == 1 for one in folds) and len(set.union(*folds)) == 3
    cross.set_params(cv="loo").fit(X, y, groups=groups)
    np.testing.assert_array_equal(cross.folds_, np.arange(10).repeat(6))
    numbers = clone(SPLIT).fit(X, y, groups=pd.Series(groups, dtype="category"))
    assert numbers.calibration_sizes_ == {None: 30}


def test_folds_that_are_given():
    X, y = noisy_line(np.random.default_rng(0), 12)
    one = CrossConformalRegressor(Line(), cv="loo").fit(X, y)
    for cv in (LeaveOneOut(), list(LeaveOneOut().split(X)), LeaveOneOut().split(X)):
        again = CrossConformalRegressor(Line(), cv=cv).fit(X, y)
        np.testing.assert_array_equal(again.folds_, one.folds_)
    masks = [(None, np.arange(12) % 2 == half) for half in (0, 1)]
    np.testing.assert_array_equal(
        CrossConformalRegressor(Line(), cv=masks).fit(X, y).folds_, np.arange(12) % 2
    )
    assert len(CrossConformalRegressor(Line(), cv=2).fit(X, y).estimators_) == 2
    assert len(CrossConformalRegressor(Line()).fit(X, y).estimators_) == 5
    given = CrossConformalRegressor(Line(), cv=KFold(3)).fit(X, y)
    np.testing.assert_array_equal(given.folds_, np.arange(3).repeat(4))
    twice = [(None, np.arange(12)), (None, [0])]
    for cv in (
        twice,
        masks[:1],
        [(None, np.arange(12))],
        [(None, [12])],
        [1, 2],
        "LOO",
        b"loo",
        1.5,
        None,
        np.array("loo"),
    ):
        with refuses("The 'cv' parameter of CrossConformalRegressor must be an int .* Got"):
            CrossConformalRegressor(Line(), cv=cv).fit(X, y)


def test_calibration_by_other_samples():
    rng = np.random.default_rng(0)
    (X, y), (other, y_other) = noisy_line(rng, 60), noisy_line(rng, 50)
    model = clone(SPLIT).fit(X, y)
    before = model.predict_interval(X)
    assert model.conformalize(other, 5.0 * y_other) is model
    np.testing.assert_allclose(model.predict(X), before.mean(axis=1))
    half = reference.conformal_quantile(np.abs(5.0 * y_other - model.predict(other)), 0.9)
    np.testing.assert_allclose(np.diff(model.predict_interval(X)), 2.0 * half)
    assert model.calibration_sizes_ == {None: 50}
    prefit = SplitConformalRegressor(model.estimator_, prefit=True)
    assert prefit.conformalize(other, y_other).estimator_ is model.estimator_
    expected = prefit.predict_interval(X)
    np.testing.assert_array_equal(prefit.fit(other, y_other).predict_interval(X), expected)
    frozen = SplitConformalRegressor(FrozenEstimator(model.estimator_), prefit=True)
    found = clone(frozen).fit(other, y_other).predict_interval(X)
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(NotFittedError):
        clone(SPLIT).conformalize(X, y)
    for unfitted in (LinearRegression(), sklearn.linear_model.Ridge()):
        with pytest.raises(NotFittedError, match="SplitConformalRegressor: prefit=True, but the"):
            SplitConformalRegressor(unfitted, prefit=True).conformalize(X, y)
    with pytest.raises(NotFittedError):
        SplitConformalClassifier(LogisticRegression(), prefit=True).fit(X, y > 0)


@BOTH_SPLIT
def test_categories(estimator):
    X, y = protocol.data()
    parts = np.where(X[:, 1] > 0, "high", "low")
    model = clone(estimator).fit(X, y, partition=parts)
    assert set(model.quantiles_) == {"high", "low"}
    assert sum(model.calibration_sizes_.values()) == 45
    predict = model.predict_interval if estimator is SPLIT else model.predict_set
    found = predict(X, partition=parts.astype(object))
    for part in ("high", "low"):
        rows = parts == part
        np.testing.assert_array_equal(found[rows], predict(X, partition=np.full(90, part))[rows])
    assert model.quantiles_["high"] != model.quantiles_["low"]
    unknown = predict(X, partition=np.full(90, "none"))
    assert np.isinf(unknown).all() if estimator is SPLIT else unknown.all()
    with refuses(f"{type(estimator).__name__}: partition is None, but the calibration was with"):
        predict(X)
    with refuses(f"{type(estimator).__name__}: partition is an array, but the .* without one"):
        fitted = clone(estimator).fit(X, y)
        (fitted.predict_interval if estimator is SPLIT else fitted.predict_set)(X, partition=parts)
    # Numbers are categories, too; those of a series of pandas with a type of its own.
    numbers = clone(estimator).fit(X, y, partition=pd.Series((X[:, 1] > 0) + 1, dtype="Int64"))
    assert set(numbers.quantiles_) == {1, 2}


@BOTH_SPLIT
def test_weights_are_asked_for_where_the_calibration_had_some(estimator):
    X, y = protocol.data()
    weight, parts = np.random.default_rng(0).random(90), np.where(X[:, 1] > 0, "high", "low")
    who = type(estimator).__name__
    model = clone(estimator).fit(X, y)
    predict = model.predict_interval if estimator is SPLIT else model.predict_set
    with refuses(f"{who}: sample_weight is an array, but the calibration was without one"):
        predict(X, sample_weight=weight)
    model.conformalize(X, y, weight)
    with refuses(f"{who}: sample_weight is None, but the calibration was with one"):
        predict(X)
    for bad in (-weight, weight[:4], weight + np.nan, "heavy", 1e999):
        for call in (lambda w: predict(X, sample_weight=w), lambda w: model.conformalize(X, y, w)):
            with pytest.raises((ValueError, TypeError), match=f"{who}|sample_weight"):
                call(bad)
    with refuses("sample_weight is all zero"):
        model.conformalize(X, y, 0.0 * weight)
    found = predict(X, sample_weight=weight)
    np.testing.assert_array_equal(found[:9], predict(X[:9], sample_weight=weight[:9]))
    again = pickle.loads(pickle.dumps(model))
    predict_again = again.predict_interval if estimator is SPLIT else again.predict_set
    np.testing.assert_array_equal(found, predict_again(X, sample_weight=weight))
    # Each category by its own weights, as a calibration by its samples alone has them.
    model.conformalize(X, y, weight, partition=parts)
    found = predict(X, sample_weight=weight, partition=parts)
    assert set(model.quantiles_) == {"high", "low"}
    for part in ("high", "low"):
        rows = parts == part
        model.conformalize(X[rows], y[rows], weight[rows])
        np.testing.assert_array_equal(found[rows], predict(X[rows], sample_weight=weight[rows]))
    model.conformalize(X, y, weight * (parts == "low"), partition=parts)
    found = predict(X, sample_weight=0.0, partition=parts)[parts == "high"]
    assert (np.isinf(found) if estimator is SPLIT else found).all()
    assert model.quantiles_["high"] == np.inf and model.calibration_sizes_["high"] == 0
    assert not clone(estimator).fit(X, y)._weighted


@nojit
def test_each_class_by_its_own_samples():
    """The bound of a class is that of a calibration by its samples alone, in each category."""
    rng = np.random.default_rng(0)
    X, y = three_classes(rng, 90)
    weight, parts, names = rng.random(90), np.arange(90) % 2, np.array(["a", "b", "c"])
    inside = Shares().fit(X, y)
    inside.classes_ = names
    model = SplitConformalClassifier(inside, class_conditional=True, prefit=True)
    alone = SplitConformalClassifier(inside, prefit=True)
    for weights in ({}, {"sample_weight": weight}):
        for given in ({}, {"partition": parts}):
            model.conformalize(X, names[y], **weights, **given)
            sets = model.predict_set(X, **weights, **given)
            for part in (0, 1) if given else (None,):
                for c, name in enumerate(names):
                    rows = (y == c) & (part is None or parts == part)
                    own = {k: v[rows] for k, v in weights.items()}
                    alone.conformalize(X[rows], names[y[rows]], **own)
                    key = name if part is None else (part, name)
                    assert model.quantiles_[key] == alone.quantiles_[None]
                    assert model.calibration_sizes_[key] == rows.sum()
                    here = np.full(90, True) if part is None else parts == part
                    own = {k: v[here] for k, v in weights.items()}
                    expected = alone.predict_set(X[here], **own)[:, c]
                    np.testing.assert_array_equal(sets[here, c], expected)
            assert len(model.quantiles_) == (6 if given else 3)
    # A class that does not calibrate is in every set; another setting waits for a calibration.
    model.conformalize(X[y != 1], names[y[y != 1]])
    assert model.predict_set(X)[:, 1].all() and model.quantiles_["b"] == np.inf
    assert model.calibration_sizes_["b"] == 0
    before = model.predict_set(X)
    np.testing.assert_array_equal(model.set_params(class_conditional=False).predict_set(X), before)


# --- scikit-learn's tools --------------------------------------------------------------------


def test_all_are_listed():
    protocol.check_all_are_listed(litlearn.conformal, (SPLIT, CROSS, SETS))


@EVERY
def test_check_estimator(estimator):
    # A sample that is repeated may be on both sides of a random division, one with a weight not.
    weights = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
    protocol.check_scikit_learns_checks(estimator, () if estimator is CROSS else weights)


@EVERY
def test_protocol(estimator, tmp_path):
    protocol.check_joblib_with_memory_maps(estimator, tmp_path)
    protocol.check_data_frames(estimator, rtol=1e-10, atol=1e-12)
    protocol.check_the_callers_data_stay_as_they_are(estimator)
    protocol.check_threads_at_once(estimator)
    protocol.check_before_fit(estimator)


def ends(model, X):
    return model.predict_set(X) if hasattr(model, "predict_set") else model.predict_interval(X)


@EVERY
def test_containers_and_types(estimator):
    X, y = protocol.data()
    X = np.round(4 * X)
    expected = ends(clone(estimator).fit(X, y), X)
    assert expected.dtype == (bool if estimator is SETS else np.float64)
    forms = [X.tolist(), protocol.data_frame(X), X.astype(np.float32), np.asfortranarray(X)]
    forms += [scipy.sparse.csr_array(X), scipy.sparse.coo_array(X), scipy.sparse.csc_matrix(X)]
    for form in forms:
        found = ends(clone(estimator).fit(form, y), form)
        tolerance = 1e-5 if getattr(form, "dtype", None) == np.float32 else 1e-9
        np.testing.assert_allclose(found.astype(float), expected.astype(float), rtol=tolerance)
        assert found.dtype == expected.dtype
    model = clone(estimator).fit(X, y)
    assert not clone(model).__sklearn_is_fitted__()
    assert list(clone(model).get_params()) == list(estimator.get_params())
    copies = copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))
    for again in (*copies, clone(model).fit(X, y)):
        np.testing.assert_array_equal(ends(again, X), ends(model, X))
        assert repr(again) == repr(model)
    other = clone(model).set_params(random_state=7).fit(X, y)
    assert not np.array_equal(other.conformity_scores_, model.conformity_scores_)


@pytest.mark.parametrize(("name", "made"), [("polars", "DataFrame"), ("pyarrow", "table")])
def test_other_frames(name, made):
    module = pytest.importorskip(name)
    X, y = protocol.data()
    expected = clone(SPLIT).fit(X, y).predict_interval(X)
    frame = getattr(module, made)(dict(zip("abc", X.T, strict=True)))
    found = clone(SPLIT).fit(frame, y).predict_interval(frame)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_pipelines_and_searches_inside_and_outside():
    rng = np.random.default_rng(0)
    X, y = noisy_line(rng, 90)
    frame = pd.DataFrame({"site": np.array(list("abc"))[np.arange(90) % 3]})
    inside = make_pipeline(OneHotEncoder(), Ridge())  # samples that are no numbers
    for kind in (SplitConformalRegressor, CrossConformalRegressor):
        model = kind(inside, random_state=0).fit(frame, y)
        assert model.predict_interval(frame).shape == (90, 2)
        assert list(model.feature_names_in_) == ["site"]
    search = GridSearchCV(Ridge(), {"alpha": (0.1, 1e3)}, cv=3)
    model = SplitConformalRegressor(search, random_state=0).fit(X, y)
    assert model.estimator_.best_params_ == {"alpha": 0.1}
    outside = GridSearchCV(
        make_pipeline(StandardScaler(), SplitConformalRegressor(Ridge(), random_state=0)),
        {"splitconformalregressor__estimator__alpha": (0.1, 1e3)},
        cv=3,
    ).fit(X, y)
    assert outside.best_params_ == {"splitconformalregressor__estimator__alpha": 0.1}
    intervals = outside.best_estimator_[-1].predict_interval(X)
    assert np.isfinite(intervals).all()
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        routed = clone(SPLIT).set_fit_request(sample_weight=True, groups=True, partition=False)
        weight, groups = rng.random(90), np.arange(90) // 2
        pipeline = make_pipeline(scaler, routed).fit(X, y, sample_weight=weight, groups=groups)
        scaled = StandardScaler().fit_transform(X)
        expected = clone(SPLIT).fit(scaled, y, sample_weight=weight, groups=groups)
        np.testing.assert_array_equal(pipeline[-1].conformity_scores_, expected.conformity_scores_)


@pytest.mark.parametrize("inside", [GaussianNB(), sklearn.linear_model.LogisticRegression()])
def test_labels_that_are_strings(inside):
    X, y = protocol.data()
    labels = np.array(["well", "ill", "dead"])[y + (X[:, 1] > 1)]
    model = SplitConformalClassifier(inside, random_state=0).fit(X, labels)
    assert list(model.classes_) == ["dead", "ill", "well"]
    sets = model.predict_set(X)
    held = [label in set(model.classes_[row]) for row, label in zip(sets, labels, strict=True)]
    assert np.mean(held) > 0.8 and model.score(X, labels) > 0.6
    number = SplitConformalClassifier(inside, random_state=0).fit(
        X, np.unique(labels, True, True)[2]
    )
    np.testing.assert_array_equal(number.predict_set(X), sets)


@pytest.mark.parametrize("kind", [SplitConformalRegressor, CrossConformalRegressor])
def test_the_number_of_threads_inside_changes_no_bit(kind):
    X, y = protocol.data()
    y = X[:, 0] + y
    found = []
    for n_jobs in (1, 2, -1):
        forest = RandomForestRegressor(5, n_jobs=n_jobs, random_state=0)
        model = kind(forest, random_state=0).fit(X, y)
        found.append((model.conformity_scores_.tobytes(), model.predict_interval(X).tobytes()))
    assert found[0] == found[1] == found[2]


def test_without_scikit_learn():
    code = """
import sys, numpy as np
from litlearn.conformal import *
from litlearn.linear_model import LinearRegression, LogisticRegression
X = np.arange(60.0)[:, None]; y = X[:, 0] + np.arange(60) % 3
for model in (SplitConformalRegressor(LinearRegression(), random_state=0),
              CrossConformalRegressor(LinearRegression(), random_state=0)):
    assert (model.fit(X, y).predict_interval(X)[:, 0] <= model.predict(X)).all()
sets = SplitConformalClassifier(LogisticRegression(), random_state=0).fit(X, X[:, 0] > 30)
assert sets.predict_set(X).any()
assert "sklearn" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


# --- bad input -------------------------------------------------------------------------------


@protocol.every_bad_parameter(
    (SPLIT, CROSS, SETS),
    [
        *[("confidence_level", value) for value in (0, 1, 0.0, 1.0, -0.1, 90, "0.9", None)],
        ("confidence_level", np.nan),
        ("confidence_level", [0.5, 0.9]),
        *[("calibration_size", value) for value in (0.0, 1.0, 2, "half", None)],
        *[("cv", value) for value in (0, 1, -1, 2.0, "all", True, None)],
        *[("conformity_score", value) for value in ("raps", "LAC", None, 1)],
        *[("prefit", value) for value in (1, "yes", None)],
        *[("class_conditional", value) for value in (1, "yes", None)],
        *[("random_state", value) for value in (-1, "a", 1.5)],
        *[("estimator", value) for value in (3, None, LinearRegression, "Ridge")],
    ],
)
def test_bad_parameters(estimator, name, value):
    protocol.check_bad_parameters(estimator, name, value)


@EVERY
@pytest.mark.parametrize("bad", protocol.BAD_TARGETS, ids=protocol.kind)
def test_bad_targets(estimator, bad):
    protocol.check_bad_targets(estimator, bad)


@EVERY
@pytest.mark.parametrize("bad", protocol.BAD_WEIGHTS, ids=protocol.kind)
def test_bad_weights(estimator, bad):
    protocol.check_bad_weights(estimator, bad)


@EVERY
@pytest.mark.parametrize("bad", protocol.BAD_SAMPLES, ids=protocol.kind)
def test_bad_samples(estimator, bad):
    """Refused here, or by the estimator inside; the earlier fit stays as it was."""
    X, y = protocol.data()
    model = clone(estimator).fit(X, y)
    expected = ends(model, X)
    with pytest.raises((ValueError, TypeError)):
        model.fit(bad, y)
    with pytest.raises((ValueError, TypeError)):
        ends(model, bad)
    np.testing.assert_array_equal(ends(model, X), expected)


@EVERY
def test_several_targets_are_refused(estimator):
    X, y = protocol.data()
    with refuses(f"{type(estimator).__name__}: y should be a 1d array, got an array of shape"):
        clone(estimator).fit(X, np.c_[y, y])


@EVERY
@pytest.mark.parametrize("name", ["groups", "partition"])
@pytest.mark.parametrize(
    "bad",
    [
        np.zeros(3),
        np.zeros((90, 2)),
        "a",
        np.full(90, np.nan),
        np.full(90, None),
        np.array(["a", np.nan] * 45, dtype=object),
        np.full(90, "2020-01-01", dtype="datetime64[D]"),
    ],
    ids=["short", "wide", "text", "nan", "None", "mixed", "dates"],
)
def test_bad_labels(estimator, name, bad):
    if estimator is not CROSS or name == "groups":
        X, y = protocol.data()
        with refuses(f"(?s)({name}.*)?{type(estimator).__name__}(: {name})?") as caught:
            clone(estimator).fit(X, y, **{name: bad})
        assert name in str(caught.value)


def test_too_few_samples():
    X, y = noisy_line(np.random.default_rng(0), 4)
    with refuses("1 sample.s. while a minimum of 2 is required by SplitConformalRegressor"):
        clone(SPLIT).fit(X[:1], y[:1])
    with refuses("4 sample.s. while a minimum of 5 is required by CrossConformalRegressor: cv=5"):
        clone(CROSS).fit(X, y)
    with refuses("1 group.s. while a minimum of 2 is required by SplitConformalRegressor"):
        clone(SPLIT).fit(X, y, groups=[1] * 4)
    with refuses("1 group.s. while a minimum of 2 is required by CrossConformalRegressor"):
        CrossConformalRegressor(Line(), cv="loo").fit(X, y, groups=[1] * 4)
    with refuses("0 sample.s. while a minimum of 1 is required by SplitConformalRegressor"):
        SplitConformalRegressor(Constant().fit(X, y), prefit=True).fit(X[:0], y[:0])
    # One for each side is enough, whatever share is asked for.
    for share in (0.01, 0.99):
        model = SplitConformalRegressor(Constant(), calibration_size=share).fit(X[:2], y[:2])
        assert model.calibration_sizes_ == {None: 1}


def test_classes_that_are_missing_are_named():
    X, y = protocol.data()
    labels = np.where(np.arange(90) == 4, "rare", np.array(["a", "b"])[y])
    seeds = range(8)
    told = r"SplitConformalClassifier: no sample for the fit is of a class of y: 'rare'. Give more"
    missed = 0
    for seed in seeds:
        model = SplitConformalClassifier(GaussianNB(), random_state=seed)
        try:
            model.fit(X, labels)
        except ValueError as error:
            assert str(error).startswith(told)
            missed += 1
    assert 0 < missed < 8
    model = SplitConformalClassifier(GaussianNB().fit(X, y), prefit=True)
    with refuses("SplitConformalClassifier: no sample of the fit is of a class of y: 7. Fit with"):
        model.fit(X, np.where(np.arange(90) == 4, 7, y))
    # A class that does not calibrate is none the less in the sets.
    assert model.fit(X[y == 1], y[y == 1]).predict_set(X).shape == (90, 2)


def test_classifiers_without_probabilities_are_refused():
    X, y = protocol.data()
    told = (
        r"'estimator' parameter of SplitConformalClassifier must be .* predict_proba. Got SVC\(\)"
    )
    with pytest.raises(TypeError, match=told):
        SplitConformalClassifier(SVC()).fit(X, y)


def test_answers_of_the_estimator_inside_are_checked():
    class Odd(Constant):
        answer = np.nan

        def predict(self, X):
            return np.full((len(X), *np.shape(self.answer)), self.answer)

    X, y = noisy_line(np.random.default_rng(0), 20)
    for kind in (SplitConformalRegressor, CrossConformalRegressor):
        with refuses(f"{kind.__name__}.* predict of the estimator inside returned.*NaN|contains"):
            kind(Odd()).fit(X, y)
    Odd.answer = (1.0, 2.0)
    with refuses(r"SplitConformalRegressor: predict .* shape \(10, 2\), expected \(10,\)"):
        SplitConformalRegressor(Odd()).fit(X, y)
    Odd.answer = (1.0,)  # a column, of some
    assert SplitConformalRegressor(Odd()).fit(X, y).predict_interval(X).shape == (20, 2)


def test_arrays_of_dask_are_refused():
    dask = pytest.importorskip("dask.array")
    X, y = noisy_line(np.random.default_rng(0), 40)
    chunks = dask.from_array(X, chunks=10)
    with refuses("SplitConformalRegressor.fit got an array of Dask, .* divides the samples"):
        clone(SPLIT).fit(chunks, y)
    model = clone(SPLIT).fit(X, y)
    with refuses("SplitConformalRegressor: X is an array of Dask, expected samples in memory"):
        model.predict_interval(chunks)
    np.testing.assert_array_equal(model.predict(chunks).compute(), model.predict(X))


@EVERY
def test_there_is_no_estimator_of_scikit_learns(estimator):
    X, y = protocol.data()
    told = f"to_sklearn: scikit-learn has no {type(estimator).__name__}; .* estimator inside"
    with pytest.raises(TypeError, match=told):
        clone(estimator).fit(X, y).to_sklearn()


# --- the page --------------------------------------------------------------------------------


@nojit
def test_the_table_of_sizes_on_the_page():
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (0\.\d+) \| (\d+) \| (.*) \|$", text, re.M)
    assert [row[0] for row in rows] == ["0.8", "0.9", "0.95", "0.99"]
    for level, fewest, cells in rows:
        assert rank_of(int(fewest), float(level)) == int(fewest)
        assert rank_of(int(fewest) - 1, float(level)) == int(fewest)
        for n, cell in zip((20, 100, 1000), cells.split(" | "), strict=True):
            k = rank_of(n, float(level))
            low, high = stats.beta(k, n + 1 - k).ppf([0.05, 0.95]) if k <= n else (np.inf, np.inf)
            assert cell == (f"{low:.3f} to {high:.3f}" if k <= n else "infinite")
