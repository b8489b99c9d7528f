"""RidgeClassifierCV and LogisticRegressionCV: the choice of a penalty for a classifier."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
import sklearn.linear_model as theirs
from sklearn.metrics import make_scorer
from sklearn.model_selection import KFold, StratifiedKFold, StratifiedShuffleSplit

from litlearn.exceptions import ConvergenceWarning
from litlearn.linear_model import (
    ElasticNet,
    LassoCV,
    LogisticRegression,
    LogisticRegressionCV,
    RidgeClassifierCV,
    RidgeCV,
    _newton,
    enet_path,
    lasso_path,
)
from litlearn.linear_model._choice import check_folds
from litlearn.linear_model._newton import Goal, PathModel, iterate, remember, smooth_path
from litlearn.linear_model._objective import Objective

CLASSES = pytest.mark.parametrize("q", [2, 3])


def data(q=2, n=80, p=4):
    """Samples of q classes with string names, and their weights."""
    rng = np.random.default_rng(q)
    X = rng.normal(size=(n, p))
    noisy = X[:, 0] + 0.5 * rng.normal(size=n)
    y = np.digitize(noisy, np.linspace(-0.5, 0.5, q - 1) if q > 2 else [0.2])
    return X, np.array(["mild", "none", "severe"])[y], rng.random(n) + 0.1


def assert_same_attributes(ours, expected, names, **tolerance):
    for name in names:
        assert hasattr(ours, name) == hasattr(expected, name)
        if hasattr(ours, name):
            one, other = getattr(ours, name), getattr(expected, name)
            if isinstance(other, dict):
                assert list(one) == list(other)
                one, other = (np.stack(list(value.values())) for value in (one, other))
            assert np.shape(one) == np.shape(other)
            np.testing.assert_allclose(one, other, **tolerance)


# Folds


@pytest.mark.nojit
@pytest.mark.parametrize("seed", range(5))
def test_stratified_folds_are_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    codes = np.append(rng.integers(0, 3, 40), np.repeat([0, 1, 2], 5))
    rng.shuffle(codes)
    X = np.zeros((len(codes), 1))
    expected = list(StratifiedKFold(5).split(X, codes))
    for folds in (check_folds("test", None, X, codes, codes), check_folds("t", expected, X, codes)):
        for one, other in zip(folds, expected, strict=True):
            np.testing.assert_array_equal(one[0], other[0])
            np.testing.assert_array_equal(one[1], other[1])


@pytest.mark.nojit
def test_a_fold_may_hold_one_sample_or_one_of_each_class():
    X, codes = np.zeros((6, 1)), np.array([0, 1, 1, 0, 0, 1])
    for given, n_folds in ((None, 6), (codes, 3)):
        tests = [test for _, test in check_folds("test", n_folds, X, codes, given)]
        assert len(tests) == n_folds and all(len(test) == 6 // n_folds for test in tests)
        np.testing.assert_array_equal(np.sort(np.concatenate(tests)), np.arange(6))


@pytest.mark.nojit
def test_what_folds_refuse():
    codes = np.repeat([0, 1], [9, 2])
    X = np.zeros((11, 1))
    with pytest.raises(ValueError, match="number of members in each class"):
        check_folds("test", 10, X, codes, codes)
    with pytest.warns(UserWarning, match="The least populated class in y has only 2 members"):
        check_folds("test", 3, X, codes, codes)
    assert len(check_folds("test", 2, X, codes, codes)) == 2  # one member for each fold: no warning
    for cv in (1, 12, "a", 2.5, [], [(1, 2, 3)], [1, 2], [([], [1])], [([1], [])]):
        with pytest.raises(ValueError, match="cv"):
            check_folds("test", cv, X, codes)


# RidgeClassifierCV


@CLASSES
@pytest.mark.parametrize(
    "setting",
    [
        {"store_cv_results": True},
        {"cv": 4},
        {"cv": KFold(3, shuffle=True, random_state=0), "scoring": "f1_macro"},
        {"class_weight": "balanced"},
        {"class_weight": {"mild": 5.0}, "fit_intercept": False},
    ],
    ids=str,
)
def test_ridge_agrees_with_scikit_learn(q, setting):
    X, y, weight = data(q)
    alphas = np.logspace(-2, 3, 6)
    # scikit-learn leaves the weights out of the scores on folds.
    for w in (None,) if "cv" in setting else (None, weight):
        ours = RidgeClassifierCV(alphas, **setting).fit(X, y, w)
        other = theirs.RidgeClassifierCV(alphas, **setting).fit(X, y, w)
        names = ("alpha_", "best_score_", "coef_", "intercept_", "cv_results_")
        assert_same_attributes(ours, other, names, rtol=1e-6, atol=1e-9)
        np.testing.assert_array_equal(ours.predict(X), other.predict(X))


@CLASSES
def test_left_out_errors_choose_as_those_of_the_regression(q):
    """eq-ridge-loo: the classifier is RidgeCV on targets of -1 and +1."""
    X, y, weight = data(q)
    classes = np.unique(y)
    targets = np.where(y[:, None] == (classes if q > 2 else classes[1:]), 1.0, -1.0)
    ours = RidgeClassifierCV([0.1, 10.0, 1e3], store_cv_results=True).fit(X, y, weight)
    regression = RidgeCV([0.1, 10.0, 1e3], store_cv_results=True).fit(X, targets, weight)
    assert ours.alpha_ == regression.alpha_
    np.testing.assert_array_equal(ours.cv_results_, regression.cv_results_)
    np.testing.assert_array_equal(np.atleast_2d(ours.coef_), np.atleast_2d(regression.coef_))


@CLASSES
def test_a_scorer_of_leave_one_out_sees_classes(q):
    """With two classes scikit-learn's own compares the argmax of one column, always 0."""
    X, y, _ = data(q)
    alphas = [1e-2, 1e3]
    ours = RidgeClassifierCV(alphas, scoring="accuracy").fit(X, y)
    scores = []
    for alpha in alphas:
        right = 0
        for i in range(len(X)):
            rest = np.arange(len(X)) != i
            model = theirs.RidgeClassifier(alpha).fit(X[rest], y[rest])
            right += model.predict(X[[i]])[0] == y[i]
        scores.append(right / len(X))
    assert ours.best_score_ == pytest.approx(max(scores))
    assert ours.alpha_ == alphas[int(np.argmax(scores))]


def test_labels_sparse_samples_and_one_class():
    X, y, _ = data(3)
    labels = np.column_stack([X[:, 0] > 0, X[:, 1] > 1]).astype(int)
    for cv in (None, 3):
        ours = RidgeClassifierCV(cv=cv).fit(X, labels)
        other = theirs.RidgeClassifierCV(cv=cv).fit(X, labels)
        assert_same_attributes(ours, other, ("alpha_", "coef_", "intercept_"), rtol=1e-8)
        np.testing.assert_array_equal(ours.predict(X), other.predict(X))
        for kind in (scipy.sparse.csr_matrix, scipy.sparse.csc_array):
            sparse = RidgeClassifierCV(cv=cv).fit(kind(X), y)
            dense = RidgeClassifierCV(cv=cv).fit(X, y)
            assert sparse.alpha_ == dense.alpha_
            np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-8)
    signed = RidgeClassifierCV().fit(X, 2 * labels - 1)
    np.testing.assert_array_equal(signed.coef_, RidgeClassifierCV().fit(X, labels).coef_)
    one = RidgeClassifierCV().fit(X, np.full(len(X), "ill"))
    assert set(one.predict(X)) == {"ill"}


def test_what_the_ridge_classifier_refuses():
    X, y, _ = data()
    with pytest.raises(ValueError, match=r"'alphas\[0\]' parameter of RidgeClassifierCV"):
        RidgeClassifierCV([0.0]).fit(X, y)
    assert RidgeClassifierCV([0.0], cv=3).fit(X, y).alpha_ == 0.0
    for alphas, words in (([1, -1], r"\[1\] == -1, must be > 0.0"), (["1"], "float, not str")):
        with pytest.raises((ValueError, TypeError), match=words):
            RidgeClassifierCV(alphas).fit(X, y)
    with pytest.raises(ValueError, match="store_cv_results=True are incompatible"):
        RidgeClassifierCV(cv=3, store_cv_results=True).fit(X, y)
    with pytest.raises(ValueError, match="Multioutput target data is not supported"):
        RidgeClassifierCV().fit(X, np.column_stack([y, y]))


# LogisticRegressionCV

SEARCHED = ("C_", "Cs_", "coefs_paths_", "scores_", "coef_", "intercept_")


@pytest.mark.weekly(keep=6)
@CLASSES
@pytest.mark.parametrize(
    "setting",
    [
        {},
        {"cv": 4, "scoring": "neg_log_loss"},
        {"refit": False, "Cs": [10.0, 0.1]},
        {"use_legacy_attributes": False, "Cs": 2},
        {"fit_intercept": False, "class_weight": "balanced"},
        {"l1_ratios": [0.0, 0.5], "solver": "saga", "Cs": [0.1, 1.0], "cv": 2},
        {"l1_ratios": [1.0], "solver": "saga", "Cs": [1.0, 5.0], "cv": 2, "refit": False},
        {"cv": StratifiedShuffleSplit(2, random_state=0), "scoring": make_scorer(np.array_equal)},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_logistic_agrees_with_scikit_learn(q, setting):
    X, y, weight = data(q)
    setting = {"Cs": [0.01, 1.0, 30.0], "tol": 1e-6, **setting}
    for w in (None, weight):
        if w is not None and "array_equal" in str(setting):
            continue  # the scorer takes no weights
        ours = LogisticRegressionCV(**setting).fit(X, y, w)
        exact = {"max_iter": 5000, "tol": 1e-9 if "solver" in setting else 1e-6}  # of slow SAGA
        other = theirs.LogisticRegressionCV(**{**setting, **exact}).fit(X, y, w)
        assert_same_attributes(ours, other, SEARCHED, rtol=2e-3, atol=2e-4)
        assert ours.n_iter_.shape == other.n_iter_.shape
        assert str(ours.l1_ratios_) == str(other.l1_ratios_)
        assert ours.score(X, y) == pytest.approx(other.score(X, y), abs=1e-3)
        assert ours.converged_


@CLASSES
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
def test_every_fit_of_a_path_is_that_of_its_fold(q, l1_ratio):
    """eq-logistic-penalized: a near start changes the way to the minimum, and not the minimum."""
    X, y, weight = data(q)
    Cs = [10.0, 0.1, 1.0]
    model = LogisticRegressionCV(
        Cs=Cs, l1_ratios=[l1_ratio], tol=1e-7, cv=3, use_legacy_attributes=False
    ).fit(X, y, weight)
    assert model.coefs_paths_.shape == (3, 1, 3, 1 if q == 2 else q, 5)
    for f, (train, test) in enumerate(StratifiedKFold(3).split(X, y)):
        for c, C in enumerate(Cs):
            alone = LogisticRegression(C=C, l1_ratio=l1_ratio, tol=1e-7)
            alone.fit(X[train], y[train], weight[train])
            found = model.coefs_paths_[f, 0, c]
            np.testing.assert_allclose(found[:, :-1], alone.coef_, rtol=1e-4, atol=1e-6)
            np.testing.assert_allclose(found[:, -1], alone.intercept_, rtol=1e-4, atol=1e-6)
            assert model.scores_[f, 0, c] == alone.score(X[test], y[test], weight[test])
    best = int(np.argmax(model.scores_.mean(axis=0)[0]))
    assert Cs[best] == model.C_
    refitted = LogisticRegression(C=Cs[best], l1_ratio=l1_ratio, tol=1e-7).fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, refitted.coef_, rtol=1e-4, atol=1e-6)


def test_a_path_takes_fewer_steps_than_its_fits_alone():
    X, y, _ = data(n=400)
    Cs = np.logspace(-2, 2, 9)
    model = LogisticRegressionCV(Cs=Cs, l1_ratios=[1.0], cv=2).fit(X, y)
    alone = [
        LogisticRegression(C=C, l1_ratio=1.0).fit(X[train], y[train]).n_iter_[0]
        for train, _ in StratifiedKFold(2).split(X, y)
        for C in Cs
    ]
    assert model.n_iter_.sum() < sum(alone)


def test_forms_of_the_penalty_and_of_the_samples():
    X, y, _ = data()
    expected = LogisticRegressionCV(l1_ratios=[1.0], Cs=3).fit(X, y)
    with pytest.warns(FutureWarning, match="LogisticRegressionCV: 'penalty' was deprecated"):
        older = LogisticRegressionCV(penalty="l1", Cs=3).fit(X, y)
    np.testing.assert_array_equal(older.coef_, expected.coef_)
    with pytest.warns(FutureWarning, match="'penalty' was deprecated"):
        older = LogisticRegressionCV(penalty="l2", Cs=3).fit(X, y)
    np.testing.assert_array_equal(older.coef_, LogisticRegressionCV(Cs=3).fit(X, y).coef_)
    for kind in (scipy.sparse.csr_matrix, scipy.sparse.csc_array, scipy.sparse.coo_array):
        sparse = LogisticRegressionCV(l1_ratios=[0.0, 1.0], Cs=3, tol=1e-7).fit(kind(X), y)
        dense = LogisticRegressionCV(l1_ratios=[0.0, 1.0], Cs=3, tol=1e-7).fit(X, y)
        np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-5, atol=1e-7)
    older = LogisticRegressionCV(penalty="l2", l1_ratios=[0.5], Cs=2)
    warned = pytest.warns(FutureWarning, match="'penalty' was deprecated")
    with warned, pytest.warns(UserWarning, match="only used when penalty is 'elasticnet'"):
        older.fit(X, y)


def test_a_fold_without_a_class_knows_all_classes():
    X, y, _ = data(3)
    rare = np.flatnonzero(y == "severe")
    rest = np.flatnonzero(y != "severe")
    folds = [(np.append(rest[::2], rare), rest[1::2]), (np.append(rest[1::2], rare), rest[::2])]
    model = LogisticRegressionCV(Cs=2, cv=folds, scoring="neg_log_loss").fit(X, y)
    assert np.isfinite(model.scores_["mild"]).all()


def test_what_the_logistic_choice_refuses():
    X, y, _ = data()
    for Cs in (0, [], [0.0], [-1.0], "a", None, [[1.0]], [np.nan], True):
        with pytest.raises(ValueError, match="'Cs"):
            LogisticRegressionCV(Cs=Cs).fit(X, y)
    assert LogisticRegressionCV(Cs=[1.0, np.inf]).fit(X, y).Cs_[1] == np.inf
    for ratios in ([], [2.0], "a", 0.5):
        with pytest.raises(ValueError, match="'l1_ratios"):
            LogisticRegressionCV(l1_ratios=ratios).fit(X, y)
    warned = pytest.warns(FutureWarning, match="'penalty' was deprecated")
    with warned, pytest.raises(ValueError, match="'l1_ratios' parameter"):
        LogisticRegressionCV(penalty="elasticnet").fit(X, y)
    with pytest.raises(ValueError, match="groups cannot be handed on.*enable_metadata_routing"):
        LogisticRegressionCV().fit(X, y, groups=np.arange(len(X)))
    with pytest.raises(ValueError, match="groups cannot be handed on.*enable_metadata_routing"):
        LogisticRegressionCV(Cs=1).fit(X, y).score(X, y, groups=np.arange(len(X)))
    with pytest.raises(ValueError, match="'liblinear' solver does not support multiclass"):
        LogisticRegressionCV(solver="liblinear").fit(X, np.arange(len(X)) % 3)
    with pytest.raises(ValueError, match="Solver lbfgs supports only 'l2'"):
        LogisticRegressionCV(solver="lbfgs", l1_ratios=[0.0, 1.0]).fit(X, y)
    with pytest.raises(ValueError, match="only one class"):
        LogisticRegressionCV().fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="sample_weight is all zero outside a fold"):
        halves = [(np.arange(40, 80), np.arange(40)), (np.arange(40), np.arange(40, 80))]
        LogisticRegressionCV(cv=halves).fit(X, y, np.repeat([1.0, 0.0], 40))
    with pytest.warns(ConvergenceWarning, match="did not converge in 11 of 11 fits"):
        assert not LogisticRegressionCV(Cs=2, max_iter=1, tol=1e-9).fit(X, y).converged_


@pytest.mark.parametrize("shape", [(90, 4), (60, 320)], ids=["tall", "wide"])
@pytest.mark.parametrize("most", [100, 1], ids=["steps", "fallback"])
@CLASSES
def test_minima_along_a_path_are_certified(q, most, shape, monkeypatch):
    """eq-logistic-penalized: at a minimum the gradient vanishes, for every penalty and any form.

    Also where the steps of the path do not suffice, and the solver of one penalty goes on.
    """
    monkeypatch.setattr(_newton, "MOST", most)
    minimise, gone_on = _newton.minimise, []
    monkeypatch.setattr(_newton, "minimise", lambda *given: gone_on.append(1) or minimise(*given))
    rng = np.random.default_rng(7)
    X = rng.normal(size=shape)
    codes = (X[:, :q] + rng.normal(size=(shape[0], q))).argmax(axis=1)
    s, alphas = rng.uniform(0.5, 1.0, size=shape[0]), np.array([3.0, 0.1, 1e-3])
    for form in (X, scipy.sparse.csr_array(X)):
        rows = 1 if q == 2 else q
        loss = Objective(form, codes, rows, s, alphas[-1], True)
        start = np.zeros((rows, shape[1] + 1))
        gone_on.clear()
        found = list(smooth_path(loss, start, alphas, 1e-6, 100))
        assert bool(gone_on) == (most == 1)
        for alpha, (v, n_iter, converged) in zip(alphas, found, strict=True):
            assert converged and 0 < n_iter < 100
            coef, intercept = map(np.atleast_2d, loss.finish(v))
            scores = X @ coef.T + intercept.reshape(1, -1)
            if q == 2:
                scores = np.hstack([np.zeros_like(scores), scores])
            P = np.exp(scores - scores.max(axis=1, keepdims=True))
            P /= P.sum(axis=1, keepdims=True)
            residual = s[:, None] * (P - np.eye(q)[codes]) / s.sum()
            residual = residual[:, 1:] if q == 2 else residual
            np.testing.assert_allclose(residual.T @ X + alpha * coef, 0.0, atol=1e-5)
            np.testing.assert_allclose(residual.sum(axis=0), 0.0, atol=1e-5)


@pytest.mark.parametrize("make", [np.array, scipy.sparse.csr_array])
def test_the_answer_is_that_of_the_chosen_penalty_alone(make):
    """To the last bit, whatever the paths of the folds were."""
    X, y, weight = data()
    found = LogisticRegressionCV(Cs=[0.01, 1.0], cv=3).fit(make(X), y, weight)
    alone = LogisticRegression(C=found.C_[0]).fit(make(X), y, weight)
    np.testing.assert_array_equal(found.coef_, alone.coef_)
    np.testing.assert_array_equal(found.intercept_, alone.intercept_)


@pytest.mark.nojit
def test_a_step_of_the_path_is_that_of_the_two_loops():
    """The pairs correct the model, and are themselves corrected when the penalty changes."""
    rng = np.random.default_rng(3)
    X, codes = rng.normal(size=(80, 6)), rng.integers(0, 2, size=80)
    loss = Objective(X, codes, 1, np.ones(80), 0.01, True)
    model, old = PathModel(loss, 7), loss.evaluate(np.zeros((1, 7)))
    model.factored = False  # which forgets no pair
    state = model.repenalise(old, 0.5 * loss.scale**2)
    state = iterate(loss, state, model, Goal(0.0, 0.0, 3, True)).state
    state = model.repenalise(state, 0.02 * loss.scale**2)
    again = loss.evaluate(state.v)
    np.testing.assert_allclose(state.gradient, again.gradient, rtol=1e-12)
    assert state.value == pytest.approx(again.value, rel=1e-12)
    assert len(model.pairs) == 3 == model.age
    for s, y, growth in model.pairs:
        assert growth == pytest.approx(np.vdot(s, y), rel=1e-12) and growth > 0.0
        change = loss.evaluate(state.v + s).gradient - loss.evaluate(state.v).gradient
        assert np.vdot(s, change) == pytest.approx(growth, rel=0.5)  # the penalty of now is in it


def test_a_start_goes_on_in_the_logarithm_of_the_penalty_if_that_is_better():
    def at(v):
        return SimpleNamespace(v=v, value=(v - 3.0) ** 2)

    loss, here = SimpleNamespace(evaluate=at), at(1.0)
    extrapolate = _newton.extrapolate_path
    assert extrapolate(loss, here, 0.5, [1.0, 0.1, 0.001]).v == pytest.approx(2.0)
    assert extrapolate(loss, here, 0.5, [1.0, 0.01, 0.001]).v == pytest.approx(1.25)
    assert extrapolate(loss, here, 2.0, [1.0, 0.1, 0.001]) is here
    assert extrapolate(loss, here, 0.0, [0.1, 0.1, 0.001]) is here  # no ratio to go by


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("bend", [-1.0, 0.0, 1e-9, 1.0])
def test_a_step_of_any_size_is_learned_from_if_the_loss_bends_along_it(size, bend):
    pairs, step = [], size * np.array([[1.0, 0.0]])
    remember(pairs, step, size * np.array([[bend, 1.0]]))
    assert len(pairs) == (bend > 0.0)


def test_warnings_name_the_line_of_the_caller():
    X, y, _ = data()
    codes = np.unique(y, return_inverse=True)[1]
    few = np.where(np.arange(len(X)) < 3, 0, 1)

    def calls():
        yield lambda: LogisticRegression(penalty="l1", l1_ratio=0.5).fit(X, y)
        yield lambda: LogisticRegressionCV(penalty="l2", l1_ratios=[0.5], Cs=1).fit(X, y)
        yield lambda: LogisticRegressionCV(max_iter=1, tol=1e-9, Cs=2).fit(X, y)
        yield lambda: LogisticRegressionCV(Cs=1).fit(X, few)
        yield lambda: RidgeClassifierCV(cv=5).fit(X, few)
        yield lambda: LassoCV(max_iter=1, tol=1e-14, precompute=False).fit(X, codes)
        yield lambda: ElasticNet(alpha=0.0).fit(X, codes)
        yield lambda: ElasticNet(alpha=1e-3, max_iter=1, tol=1e-16).fit(X, codes)
        yield lambda: enet_path(X, codes, n_alphas=3, max_iter=1, tol=1e-16)
        yield lambda: lasso_path(X, codes, n_alphas=3, max_iter=1, tol=1e-16)

    for call in calls():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        assert caught
        for one in caught:
            assert (one.filename, one.lineno) == (__file__, call.__code__.co_firstlineno)
