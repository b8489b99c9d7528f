"""SGDClassifier and SGDRegressor: steps, averages, penalties, and when passes end."""

import itertools

import numpy as np
import pytest
import scipy.sparse
import sklearn.linear_model as theirs
from sklearn.base import clone
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

import protocol
from litlearn._core import parallel
from litlearn.exceptions import ConvergenceWarning
from litlearn.linear_model import LogisticRegression, Ridge, SGDClassifier, SGDRegressor, _sgd

ALL = (
    SGDClassifier(random_state=0),
    SGDClassifier("log_loss", random_state=0, average=True, learning_rate="adaptive"),
    SGDClassifier("modified_huber", random_state=0, penalty="l1", alpha=0.01),
    SGDClassifier(random_state=0, early_stopping=True, penalty="elasticnet"),
    SGDRegressor(random_state=0),
    SGDRegressor(
        "huber", epsilon=9.0, random_state=0, early_stopping=True, penalty="l1", average=50
    ),
)
PASSES = {"shuffle": False, "tol": None, "max_iter": 4}
SETTINGS = [
    {},
    {"penalty": "l1", "alpha": 0.02},
    {"penalty": "elasticnet", "alpha": 0.02, "l1_ratio": 0.4},
    {"penalty": None},
    {"average": True},
    {"average": 50, "learning_rate": "constant"},
    {"learning_rate": "adaptive", "tol": 1e-2, "max_iter": 200},
    {"learning_rate": "optimal", "alpha": 1.0},
    {"fit_intercept": False},
]


def data(q=2, n=120, p=5, seed=0):
    """Samples, classes or (q = 0) real targets, and weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    score = X[:, 0] + 0.3 * rng.normal(size=n)
    y = np.digitize(score, [0.0] if q == 2 else [-0.5, 0.5]) if q else score
    return X, y, rng.random(n) + 0.1


def gentle(setting):
    """Steps that are small enough not to magnify what is rounded otherwise."""
    return {"learning_rate": "invscaling", "eta0": 0.05, "alpha": 0.01, **PASSES, **setting}


def assert_same_model(ours, other, rtol=1e-7):
    assert (ours.n_iter_, ours.t_) == (other.n_iter_, other.t_)
    assert ours.coef_.shape == other.coef_.shape and ours.intercept_.shape == other.intercept_.shape
    np.testing.assert_allclose(ours.coef_, other.coef_, rtol=rtol, atol=1e-9)
    np.testing.assert_allclose(ours.intercept_, other.intercept_, rtol=rtol, atol=1e-9)


# Steps


@pytest.mark.parametrize("loss", _sgd.LOSSES)
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_the_same_order_takes_scikit_learns_steps(loss, setting):
    setting = gentle(setting)
    for q, sparse in itertools.product((2, 3), (False, True)):
        X, y, weight = data(q)
        if sparse:
            if setting.get("tol"):
                continue  # there it measures the penalty on the features of the last sample
            X = scipy.sparse.csr_matrix(X * (X > 0.3))
        ours = SGDClassifier(loss, **setting).fit(X, y, sample_weight=weight)
        other = theirs.SGDClassifier(loss, **setting).fit(X, y, sample_weight=weight)
        assert_same_model(ours, other)
        if loss in _sgd.LOSSES[_sgd.SQUARED_ERROR :]:
            y = data(0)[1]
            ours = SGDRegressor(loss, **setting).fit(X, y, sample_weight=weight)
            other = theirs.SGDRegressor(loss, **setting).fit(X, y, sample_weight=weight)
            assert_same_model(ours, other)


@pytest.mark.nojit
@pytest.mark.parametrize("rate", ["pa1", "pa2"])
def test_passive_aggressive_steps(rate):
    setting = {**PASSES, "learning_rate": rate, "eta0": 0.5, "penalty": None}
    X, y, _ = data()
    X[3] = 0.0
    ours, other = (kind("hinge", **setting) for kind in (SGDClassifier, theirs.SGDClassifier))
    assert_same_model(ours.fit(X, y), other.fit(X, y))
    y = data(0)[1]
    kinds = (SGDRegressor, theirs.SGDRegressor)
    ours, other = (kind("epsilon_insensitive", **setting) for kind in kinds)
    assert_same_model(ours.fit(X, y), other.fit(X, y))


def plain_steps(X, y, weight, alpha, passes, eta):
    """eq-stochastic-gradient of squared errors with an l2 penalty: coefficients of all steps."""
    w, b, seen, t = np.zeros(X.shape[1]), 0.0, [], 1
    for _ in range(passes):
        for x, target, s in zip(X, y, weight, strict=True):
            error = s * (x @ w + b - target)
            w = max(0.0, 1.0 - eta(t) * alpha) * w - eta(t) * error * x
            b -= eta(t) * error
            t += 1
            seen.append((w, b))
    return seen


@pytest.mark.nojit
@pytest.mark.parametrize("average", [False, 1, 25])
@pytest.mark.parametrize("alpha", [0.0, 0.1, 30.0])
def test_steps_and_their_average(average, alpha):
    """The scaled vector, and the average in two numbers, are the plain recursion."""
    X, y, weight = data(0, n=20, p=3)
    seen = plain_steps(X, y, weight, alpha, 3, lambda t: 0.05 / t**0.25)
    model = SGDRegressor(alpha=alpha, eta0=0.05, average=average, shuffle=False, tol=None)
    model.set_params(max_iter=3).fit(X, y, sample_weight=weight)
    since = seen[-1:] if not average else seen[average - 1 :]
    np.testing.assert_allclose(model.coef_, np.mean([w for w, _ in since], axis=0), rtol=1e-6)
    np.testing.assert_allclose(model.intercept_[0], np.mean([b for _, b in since]), rtol=1e-6)


@pytest.mark.nojit
def test_the_average_with_an_l1_penalty():
    """eq-stochastic-gradient: each step's coefficients count, as they were before the penalty.

    scikit-learn's average counts what the penalty takes off later in earlier steps, too.
    """
    X, y, weight = data(0, n=20, p=3)
    setting = {"penalty": "l1", "alpha": 0.05, "eta0": 0.05, "shuffle": False}
    single = SGDRegressor(**setting)
    rows, rule = _sgd.as_rows(X), single._rule(sparse=False)
    fit, seen = _sgd.begin_fit(rule, np.zeros(3)), []
    for i in range(20):
        t, w, b = i + 1, fit.v.copy(), fit.numbers[_sgd.INTERCEPT]
        error = weight[i] * (X[i] @ w + b - y[i])
        seen.append(w - 0.05 / t**0.25 * error * X[i])
        _sgd.one_pass(rows, y, weight, np.array([i]), rule, fit)
    model = SGDRegressor(**setting, average=True, tol=None, max_iter=1)
    model.fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.coef_, np.mean(seen, axis=0), rtol=1e-9)


@pytest.mark.nojit
def test_the_l1_penalty_takes_off_what_is_owed_but_not_beyond_zero():
    v, missed = np.array([0.5, -0.5, 0.04, -0.04, 0.0]), np.array([-0.03, 0.03, 0.0, 0.0, -0.02])
    numbers = np.zeros(10)
    numbers[[_sgd.SCALE, _sgd.CUT, _sgd.A]] = 0.5, 0.1, 2.0
    fit = _sgd.Fit(v.copy(), np.zeros(5), missed.copy(), numbers)
    for j in range(5):
        _sgd.truncate(fit, j, 0.0)
    coef = np.array([0.25 - 0.07, -0.25 + 0.07, 0.0, 0.0, 0.0])  # 0.1 so far, of which 0.03 is paid
    np.testing.assert_allclose(0.5 * fit.v, coef, atol=1e-15)
    np.testing.assert_allclose(fit.missed - missed, coef - 0.5 * v, atol=1e-15)
    np.testing.assert_allclose(fit.mean, -2.0 * (fit.v - v), atol=1e-15)


@pytest.mark.nojit
def test_slopes_are_those_of_the_losses():
    for code, loss in enumerate(_sgd.LOSSES):
        epsilon = {"hinge": 1.0, "perceptron": 0.0}.get(loss, 0.3)
        for y, z in itertools.product((-1.0, 1.0), np.linspace(-3.05, 3.05, 40)):
            up, down = (_sgd.loss_and_slope(code, epsilon, y, z + h)[0] for h in (1e-6, -1e-6))
            slope = _sgd.loss_and_slope(code, epsilon, y, z)[1]
            assert slope == pytest.approx((up - down) / 2e-6, abs=1e-5), loss


@pytest.mark.nojit
@pytest.mark.parametrize("penalty", ["l2", "l1", "elasticnet"])
def test_the_norms_on_the_way_are_exact(penalty):
    """What the objective takes for the penalty is what a new count of the coefficients finds."""
    X, y, weight = data(0)
    sparse = scipy.sparse.csr_array(X * (X > 0.3))
    for samples in (X, sparse):
        model = SGDRegressor(penalty=penalty, alpha=0.02)
        rule = model._rule(sparse=False)
        rows = _sgd.as_rows(samples)
        np.testing.assert_allclose(
            rows.squares, np.square(X * (X > 0.3) if rows.indices.size else X).sum(axis=1)
        )
        fit = _sgd.begin_fit(rule, np.ones(5))
        for i in range(30):  # one sample at a time, so that each pass ends with a count
            before = fit.numbers[[_sgd.LENGTH, _sgd.SQUARE]].copy()
            np.testing.assert_allclose(before[0], np.abs(fit.v).sum())
            np.testing.assert_allclose(before[1], fit.v @ fit.v)
            _sgd.one_pass(rows, y, weight, np.array([i]), rule, fit)
        order = np.arange(30)
        value = _sgd.one_pass(rows, y, weight, order, rule, fit)
        again = _sgd.begin_fit(rule, np.ones(5))
        for i in range(30):
            _sgd.one_pass(rows, y, weight, np.array([i]), rule, again)
        parts = [_sgd.one_pass(rows, y, weight, np.array([i]), rule, again) for i in range(30)]
        assert value == pytest.approx(np.mean(parts), rel=1e-9)


# Where it goes


def test_it_approaches_the_minimum():
    X, y, _ = data(2, n=2000)
    n, alpha = len(X), 1e-3
    exact = LogisticRegression(C=1 / (n * alpha)).fit(X, y)
    model = SGDClassifier("log_loss", alpha=alpha, average=True, random_state=0, tol=1e-5)
    model.fit(X, y)
    np.testing.assert_allclose(model.coef_, exact.coef_, rtol=0.1, atol=0.1)
    np.testing.assert_allclose(model.predict_proba(X), exact.predict_proba(X), atol=0.05)
    X, y, _ = data(0, n=2000)
    exact = Ridge(n * alpha).fit(X, y)
    model = SGDRegressor(alpha=alpha, random_state=0, average=True, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(model.coef_, exact.coef_, atol=0.02)
    zero = SGDRegressor(penalty="l1", alpha=0.1, random_state=0).fit(X, y)
    assert np.count_nonzero(zero.coef_) < 5 and zero.coef_[0] > 0.7


def test_batches_go_on_where_the_last_one_ended():
    X, y, weight = data(3)
    for setting in SETTINGS[:6]:
        if "l1" in str(setting.get("penalty")) or "elastic" in str(setting.get("penalty")):
            continue  # what the l1 penalty has not yet taken off is forgotten between calls
        for kind in (SGDClassifier, SGDRegressor):
            whole = kind(**gentle(setting)).fit(X, y, sample_weight=weight)
            parts = kind(**gentle(setting))
            classes = {"classes": [0, 1, 2]} if kind is SGDClassifier else {}
            for _ in range(4):
                for rows in (slice(0, 50), slice(50, 120)):
                    parts.partial_fit(X[rows], y[rows], sample_weight=weight[rows], **classes)
            np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-8)
            np.testing.assert_allclose(parts.intercept_, whole.intercept_, rtol=1e-8)
            assert parts.t_ == whole.t_ == 481.0 and parts.n_iter_ == 1


def test_averaged_batches_of_a_regression_are_scikit_learns():
    X, y, _ = data(0)
    ours, other = (kind(average=30, shuffle=False) for kind in (SGDRegressor, theirs.SGDRegressor))
    for start in range(0, 120, 20):
        rows = slice(start, start + 20)
        assert_same_model(ours.partial_fit(X[rows], y[rows]), other.partial_fit(X[rows], y[rows]))


@pytest.mark.parametrize("q", [0, 2, 3])
@pytest.mark.parametrize("seed", [0, 5, np.random.RandomState])
def test_the_same_seed_gives_scikit_learns_fit(q, seed):
    X, y, weight = data(q)
    name = "SGDClassifier" if q else "SGDRegressor"
    found = []
    for kind in (globals()[name], getattr(theirs, name)):
        random = seed if isinstance(seed, int) else seed(3)
        model = kind(random_state=random, alpha=0.01)
        first = model.fit(X, y, sample_weight=weight).coef_.copy()
        found.append((model.fit(X, y), first))
    assert_same_model(found[0][0], found[1][0], rtol=1e-6)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-6)


@pytest.mark.nojit
def test_the_order_of_each_pass_is_a_permutation():
    places, orders = np.arange(50), set()
    for _ in range(5):
        _sgd.shuffle_as_sklearn(places, 7)
        np.testing.assert_array_equal(np.sort(places), np.arange(50))
        orders.add(tuple(places))
    assert len(orders) == 5
    other = np.arange(50)
    _sgd.shuffle_as_sklearn(other, 0)  # stands for 1
    again = np.arange(50)
    _sgd.shuffle_as_sklearn(again, 1)
    np.testing.assert_array_equal(other, again)


def test_starts_and_orders():
    X, y, _ = data(3)
    start = {"coef_init": np.ones((3, 5)), "intercept_init": [0.1, 0.2, 0.3]}
    ours, other = (kind(**gentle({})) for kind in (SGDClassifier, theirs.SGDClassifier))
    assert_same_model(ours.fit(X, y, **start), other.fit(X, y, **start))
    start = {"coef_init": np.linspace(-1, 1, 5), "intercept_init": 0.5}  # one function for two
    ours, other = (kind(**gentle({})) for kind in (SGDClassifier, theirs.SGDClassifier))
    assert_same_model(ours.fit(X, y > 0, **start), other.fit(X, y > 0, **start))
    warm, other = (
        kind(**gentle({"warm_start": True})) for kind in (SGDClassifier, theirs.SGDClassifier)
    )
    assert_same_model(warm.fit(X, y).fit(X, y), other.fit(X, y).fit(X, y))
    one, same, another = (SGDClassifier(random_state=seed).fit(X, y).coef_ for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert np.any(one != another)


def test_the_number_of_threads_changes_no_bit(monkeypatch):
    monkeypatch.setattr(parallel, "_WORTH_A_THREAD", 0)
    X, y, _ = data(3)
    model = SGDClassifier(random_state=0, early_stopping=True)
    protocol.check_the_number_of_threads_changes_no_bit(
        model, X, y, lambda model: protocol.use(model, X)
    )


# When passes end


def test_passes_end_by_tolerance_and_warn_at_the_limit():
    X, y, _ = data()
    patient = SGDClassifier(random_state=0, n_iter_no_change=20).fit(X, y)
    assert 5 < SGDClassifier(random_state=0).fit(X, y).n_iter_ < patient.n_iter_
    with pytest.warns(ConvergenceWarning, match="Maximum number of iteration"):
        SGDClassifier(max_iter=3).fit(X, y)
    assert SGDClassifier(max_iter=3, tol=None).fit(X, y).n_iter_ == 3


def test_without_a_tolerance_a_pass_that_loses_nothing_is_no_idle_one():
    """As with scikit-learn: idle is a pass that is worse."""
    X, y = np.array([[-1.0], [1.0]]), [0, 1]
    for kind in (SGDClassifier, theirs.SGDClassifier):
        model = kind("perceptron", penalty=None, tol=0.0, max_iter=20, random_state=0)
        with pytest.warns(Warning, match="Maximum number of iteration"):
            assert model.fit(X, y).n_iter_ == 20


@pytest.mark.parametrize("q", [0, 2, 3])
def test_samples_held_out(q):
    X, y, weight = data(q)
    codes = y if q else None
    kind = SGDClassifier if q else SGDRegressor
    model = kind(early_stopping=True, validation_fraction=0.3, random_state=0)
    model.fit(X, y)
    assert 5 < model.n_iter_ < 1000 and model.score(X, y) > 0.7
    held = _sgd.held_out(model, np.random.RandomState(0), 120, codes, weight > 0)
    assert len(np.unique(held)) == 36
    splitter = StratifiedShuffleSplit if q else ShuffleSplit
    _, expected = next(splitter(test_size=0.3, random_state=0).split(X, y))
    np.testing.assert_array_equal(held, np.sort(expected))
    if q:
        shares = np.bincount(y[held]) - 0.3 * np.bincount(y)
        assert np.abs(shares).max() <= 1.0
    with pytest.raises(ValueError, match="led to an empty set"):
        model.set_params(validation_fraction=0.999).fit(X, y)
    none = np.ones(120)
    none[held] = 0.0
    model.set_params(validation_fraction=0.3)
    with pytest.raises(ValueError, match="validation set are all zero"):
        model.fit(X, y, sample_weight=none)


def test_what_is_held_out_is_not_learned_from():
    X, y, _ = data(0)
    model = SGDRegressor(early_stopping=True, random_state=0, shuffle=False, max_iter=7, tol=None)
    held = _sgd.held_out(model, np.random.RandomState(0), 120, None, np.ones(120) > 0)
    other = X.copy()
    other[held] = 100.0
    expected = model.fit(X, y).coef_
    np.testing.assert_array_equal(model.fit(other, y).coef_, expected)


# Probabilities, types, refusals


@pytest.mark.parametrize("loss", ["log_loss", "modified_huber"])
@pytest.mark.parametrize("q", [2, 3])
def test_probabilities(loss, q):
    X, y, _ = data(q)
    ours, other = (kind(loss, **gentle({})) for kind in (SGDClassifier, theirs.SGDClassifier))
    ours, other = ours.fit(X, y), other.fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=1e-7)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(
            ours.predict_log_proba(X), np.log(ours.predict_proba(X)), rtol=1e-9
        )
    for name in ("predict_proba", "predict_log_proba"):
        assert not hasattr(SGDClassifier("hinge"), name)
    ours.coef_, ours.intercept_ = 0.0 * ours.coef_, ours.intercept_ * 0.0 - 9.0
    if loss == "modified_huber" and q == 3:
        np.testing.assert_allclose(ours.predict_proba(X), 1 / 3)


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_signature_and_single_precision(estimator):
    protocol.check_signature(estimator, theirs)
    X, y, _ = data(0 if isinstance(estimator, SGDRegressor) else 2)
    single = type(estimator)(**gentle({})).fit(X.astype(np.float32), y)
    double = type(estimator)(**gentle({})).fit(X, y)
    assert single.coef_.dtype == single.intercept_.dtype == np.float32
    assert single.predict(X.astype("f")).dtype == (
        np.float32 if single.coef_.ndim == 1 else y.dtype
    )
    np.testing.assert_allclose(single.coef_, double.coef_, rtol=1e-3, atol=1e-4)


def test_class_weights_and_sparsified_coefficients():
    X, y, _ = data(3)
    for class_weight in ("balanced", {0: 3.0}):
        setting = gentle({"class_weight": class_weight})
        ours, other = (kind(**setting) for kind in (SGDClassifier, theirs.SGDClassifier))
        assert_same_model(ours.fit(X, y), other.fit(X, y))
    model = SGDClassifier(random_state=0).fit(X, y)
    expected = model.predict(X)
    np.testing.assert_array_equal(model.sparsify().predict(X), expected)
    assert model.partial_fit(X, y).coef_.shape == (3, 5)
    line = SGDRegressor(random_state=0).fit(X, y)
    np.testing.assert_allclose(line.predict(X), line.sparsify().predict(X))


def test_what_it_refuses():
    X, y, _ = data(3)
    with pytest.raises(ValueError, match="alpha must be > 0"):
        SGDClassifier(alpha=0.0).fit(X, y)
    with pytest.raises(ValueError, match="only works with loss 'hinge'"):
        SGDClassifier("log_loss", learning_rate="pa1").fit(X, y)
    with pytest.raises(ValueError, match="l1_ratio must be set"):
        SGDClassifier(penalty="elasticnet", l1_ratio=None).fit(X, y)
    with pytest.raises(ValueError, match="early_stopping should be False with partial_fit"):
        SGDClassifier(early_stopping=True).partial_fit(X, y, [0, 1, 2])
    with pytest.raises(ValueError, match="'balanced' is not supported for partial_fit"):
        SGDClassifier(class_weight="balanced").partial_fit(X, y, [0, 1, 2])
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        SGDClassifier().partial_fit(X, y)
    with pytest.raises(ValueError, match="not among"):
        SGDClassifier().partial_fit(X, y, [0, 1])
    with pytest.raises(ValueError, match="is not the same as on last call"):
        SGDClassifier().partial_fit(X, y, [0, 1, 2]).partial_fit(X, y, [0, 1, 3])
    for start in ({"coef_init": np.ones((2, 5))}, {"intercept_init": [1.0]}):
        with pytest.raises(ValueError, match="does not match dataset"):
            SGDClassifier().fit(X, y, **start)
    with pytest.raises(ValueError, match="greater than one; got 1 class"):
        SGDClassifier().fit(X, np.zeros(120))
    with pytest.raises(ValueError, match=r"under-/overflow occurred at epoch #\d+"):
        SGDRegressor(learning_rate="constant").fit(1e300 * X, y)


def test_scores_that_overflow_are_refused():
    """The coefficients alone may be finite, where all predictions with them are not."""
    X = 1e159 * np.array([[1.0, -2.0], [-1.0, -1.0], [2.0, 1.0], [1.0, 1.0]])
    for model in (
        SGDRegressor(penalty=None),
        SGDRegressor("squared_epsilon_insensitive", penalty=None),
        SGDClassifier("hinge", penalty=None, eta0=1e100, learning_rate="constant"),
        SGDClassifier("hinge", penalty="l1", eta0=1e100, learning_rate="constant"),
    ):
        for samples in (X, scipy.sparse.csr_array(X)):
            with pytest.raises(ValueError, match=r"under-/overflow occurred at epoch #1"):
                model.fit(samples, [1.0, 2.0, 1.0, 2.0])


class TestProtocol(protocol.Suite):
    estimators = ALL
    dtypes = (np.int8,)
    bad_parameters = [
        *[("loss", value) for value in ("logistic", None, 1)],
        *[("penalty", value) for value in ("l3", 1)],
        *[("alpha", value) for value in (-1.0, np.nan, np.inf, "1", None, True)],
        *[("l1_ratio", value) for value in (-0.1, 1.1, np.nan, "1")],
        *[("fit_intercept", value) for value in (1, None)],
        *[("max_iter", value) for value in (0, 1.5, "1", True)],
        *[("tol", value) for value in (-1.0, np.nan, "1")],
        *[("shuffle", value) for value in (1, None)],
        *[("epsilon", value) for value in (-1.0, np.nan, None)],
        *[("n_jobs", value) for value in (0, 1.5, "all", True)],
        *[("random_state", value) for value in (-1, "a", 1.5)],
        *[("learning_rate", value) for value in ("best", None)],
        *[("eta0", value) for value in (0.0, -1.0, None)],
        *[("power_t", value) for value in (-np.inf, np.inf, None)],
        *[("early_stopping", value) for value in (1, None)],
        *[("validation_fraction", value) for value in (0.0, 1.0, 1.5, None)],
        *[("n_iter_no_change", value) for value in (0, 1.5)],
        *[("average", value) for value in (0, -1, 1.5, None)],
        *[("warm_start", value) for value in (1, None)],
        *[("class_weight", value) for value in ("even", [1.0, 2.0], {0: -1.0})],
    ]

    def test_check_estimator(self, estimator):
        """Its checks call ``partial_fit``, which early stopping rules out."""
        one = clone(estimator).set_params(early_stopping=False)
        protocol.check_scikit_learns_checks(one, self.may_fail(one))

    def may_fail(self, estimator):
        """As scikit-learn's own: a sample taken twice is two steps, not one of twice the length."""
        kinds = ("dense", "sparse")
        return [f"check_sample_weight_equivalence_on_{kind}_data" for kind in kinds]


def test_searches_and_pipelines():
    protocol.check_pipeline_and_search(
        SGDClassifier(random_state=0), {"alpha": [1e-4, 1e-2], "loss": ["hinge", "log_loss"]}
    )


def test_steps_that_grow_warn():
    X, y = np.arange(8.0)[:, None] / 8, np.arange(8.0) % 2
    for kind in (SGDClassifier, SGDRegressor):
        with pytest.warns(FutureWarning, match=f"{kind.__name__}: Negative values for `power_t`"):
            kind(power_t=-0.1, learning_rate="invscaling", random_state=0).fit(X, y)
