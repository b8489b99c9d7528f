"""LinearSVC and LinearSVR: certificates, hard cases, parity with liblinear."""

import warnings

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
import sklearn.svm
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from litlearn.exceptions import ConvergenceWarning
from litlearn.svm import (
    LinearSVC,
    LinearSVR,
    _dual_descent,
    _linear_machines,
    _sparse_weights,
)
from problems import labelled

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


@pytest.mark.parametrize(
    "setting",
    [{"loss": "hinge"}, {"multi_class": "crammer_singer"}, {"penalty": "l1"}],
    ids=str,
)
def test_a_pass_over_many_entries_can_be_interrupted(setting, monkeypatch):
    X, y = labelled(60, 20, n_classes=3)
    calls = []
    monkeypatch.setattr(_dual_descent, "WORK", 1)
    monkeypatch.setattr(_sparse_weights, "WORK", 1)
    monkeypatch.setattr(_dual_descent, "check_interrupt", lambda: calls.append(1))
    with pytest.warns(ConvergenceWarning):
        LinearSVC(max_iter=1, **setting).fit(X, y)
    assert len(calls) >= 60  # at each sample, or at each of 20 features for each of 3 classes


@pytest.mark.parametrize("parameters", SETTINGS, ids=str)
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_classification_is_liblinears(parameters, sparse, n_classes):
    X, y = labelled(n_classes=n_classes)
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
    X, _ = labelled(80)
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
    X, y = labelled(100)
    best = objective(
        LinearSVC(tol=1e-7, C=0.1, max_iter=10_000, random_state=0, **parameters).fit(X, y), X, y
    )
    for tol in (1.0, 0.1, 1e-3):
        model = LinearSVC(tol=tol, C=0.1, random_state=0, **parameters).fit(X, y)
        assert objective(model, X, y) - best <= model.dual_gap_[0] + 1e-9 * best
        assert model.dual_gap_[0] >= 0.0


@pytest.mark.parametrize("loss", ["squared_hinge", "squared_epsilon_insensitive"])
def test_both_ways_reach_the_same_minimum(loss, monkeypatch):
    X, y = labelled(100)
    kind = LinearSVC if loss == "squared_hinge" else LinearSVR
    by_newton = kind(loss=loss, tol=1e-8).fit(X, y)
    monkeypatch.setattr(_linear_machines, "MOST_FEATURES", 0)
    by_descent = kind(loss=loss, tol=1e-8, max_iter=10_000, random_state=0).fit(X, y)
    np.testing.assert_allclose(by_descent.coef_, by_newton.coef_, atol=1e-7)
    assert by_newton.n_iter_ < by_descent.n_iter_


@pytest.mark.parametrize("parameters", SETTINGS[:4], ids=str)
def test_weight_is_repetition(parameters):
    X, y = labelled(50, n_classes=3)
    weight = np.random.default_rng(0).integers(0, 4, 50)
    setting = {"tol": 1e-5, "C": 0.02, "max_iter": 10_000, "random_state": 0, **parameters}
    for class_weight in ({0: 2.0}, "balanced"):
        one = LinearSVC(class_weight=class_weight, **setting).fit(X, y, weight)
        repeated = np.repeat(X, weight, axis=0), np.repeat(y, weight)
        other = LinearSVC(class_weight=class_weight, **setting).fit(*repeated)
        np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-3)


def test_weight_is_repetition_in_regression():
    X, _ = labelled(50)
    y, weight = X[:, 0] ** 2, np.random.default_rng(0).integers(0, 4, 50)
    for loss in ("epsilon_insensitive", "squared_epsilon_insensitive"):
        setting = {"tol": 1e-7, "C": 0.1, "max_iter": 10_000, "loss": loss, "random_state": 0}
        one = LinearSVR(**setting).fit(X, y, weight)
        other = LinearSVR(**setting).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
        np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-5)


@pytest.mark.parametrize("C", [1e-4, 1.0, 1e2])
@pytest.mark.parametrize("parameters", SETTINGS[:4], ids=str)
def test_any_price(C, parameters):
    X, y = labelled(60, noise=0.2)
    X, y = np.vstack([X, X[:10]]), np.hstack([y, 1 - y[:10]])  # equal ones, opposite labels
    ours, theirs = both("LinearSVC", C=C, **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, other = (objective(model.fit(X, y), X, y) for model in (ours, theirs))
    assert value <= other * (1 + 1e-3 if parameters.get("penalty") else 1 + 1e-4)


def test_more_features_than_samples():
    X, y = labelled(30, 200)
    for loss in ("hinge", "squared_hinge"):
        ours, theirs = both("LinearSVC", loss=loss, tol=1e-7)
        value, other = (objective(model.fit(X, y), X, y) for model in (ours, theirs))
        assert value <= other * (1 + 1e-6)


def test_samples_of_zeros_and_a_class_of_one():
    X, y = labelled(30)
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
    X, y = labelled(200, 20)
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
    X, y = labelled(20)
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
    X, y = labelled(50)
    with pytest.warns(ConvergenceWarning):
        LinearSVC(tol=1e-18).fit(X, y)


def test_progress_is_shown(capsys):
    X, y = labelled(60)
    for parameters in SETTINGS[:4]:
        LinearSVC(verbose=1, **parameters).fit(X, y)
        shown = capsys.readouterr().err
        assert "LinearSVC" in shown and "violation" in shown
    LinearSVC().fit(X, y)
    assert capsys.readouterr().err == ""


def test_interrupts_leave_the_estimator_as_it_was(monkeypatch):
    X, y = labelled(60)
    model = LinearSVC(loss="hinge", random_state=0).fit(X, y)
    before = model.coef_.copy()

    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr(_dual_descent, "check_interrupt", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(2 * X, y)
    np.testing.assert_array_equal(model.coef_, before)


def test_threads_change_no_bit(monkeypatch):
    X, y = labelled(5000, 10, n_classes=3)
    found = []
    for n in ("1", "2", "5"):
        monkeypatch.setenv("OMP_NUM_THREADS", n)
        one = LinearSVC().fit(X, y).coef_
        other = LinearSVC(loss="hinge", random_state=0, tol=0.1).fit(X, y).coef_
        found.append((one.tobytes(), other.tobytes()))
    assert found[0] == found[1] == found[2]


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


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    "model, scale, y_scale",
    [
        (LinearSVC(C=1e3, loss="hinge", max_iter=100), 1e60, 1.0),
        (LinearSVC(C=1e3, max_iter=100), 1e60, 1.0),
        (LinearSVR(C=1e3, max_iter=100), 1e30, 1.0),
        (LinearSVR(C=1.0, max_iter=100), 1.0, 1e-60),
    ],
)
def test_losses_dearer_than_digits_can_tell(model, scale, y_scale, sparse):
    """Coefficients of the dual as large as C leave w no digit: it was worse than zero.

    Prices that digits can tell, 1e10 in units of squared samples, have nearly the same minimum. At
    1e12 one order of the samples in a hundred ended elsewhere.
    """
    rng = np.random.default_rng(0)
    X = (
        rng.normal(size=(12, 4))
        if model.loss != "squared_hinge"
        else np.eye(6, 8)[[0, 0, 1, 1, 2, 2]]
    )
    y = rng.normal(size=len(X)) if isinstance(model, LinearSVR) else np.arange(len(X)) % 2
    plain = clone(model).set_params(C=1e7, tol=1e-6, max_iter=10_000, fit_intercept=False).fit(X, y)
    given = scipy.sparse.csr_array(scale * X) if sparse else scale * X
    expected = plain.decision_function(X) if isinstance(model, LinearSVC) else plain.predict(X)
    for seed in range(30):
        found = clone(model).set_params(fit_intercept=False, random_state=seed)
        with pytest.warns(ConvergenceWarning):
            found.fit(given, y_scale * y)
        values = found.decision_function if isinstance(model, LinearSVC) else found.predict
        np.testing.assert_allclose(values(given) / y_scale, expected, atol=1e-3)
