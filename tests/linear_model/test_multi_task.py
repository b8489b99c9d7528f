"""MultiTaskLasso, MultiTaskElasticNet, and the paths with several targets."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.linear_model as theirs

import protocol
from litlearn.exceptions import ConvergenceWarning
from litlearn.linear_model import (
    ElasticNet,
    Lasso,
    MultiTaskElasticNet,
    MultiTaskLasso,
    _design,
    _lasso,
    enet_path,
    lasso_path,
)
from protocol import SINCE_1_9, SKLEARN

TASKS = (
    MultiTaskElasticNet(alpha=0.01),
    MultiTaskElasticNet(alpha=0.01, selection="random", random_state=0, fit_intercept=False),
    MultiTaskLasso(alpha=0.01),
)


def data(n=60, p=40, k=3, seed=0):
    """Samples, targets that depend on four features, and weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 0.5
    W = np.zeros((p, k))
    W[: min(4, p)] = rng.normal(size=(min(4, p), k))
    return X, X @ W + 0.3 * rng.normal(size=(n, k)) + 2.0, rng.random(n) + 0.1


def objective(model, X, Y, weight=None):
    """The objective as its documentation has it."""
    weight = np.ones(len(X)) if weight is None else weight
    errors = ((Y - X @ model.coef_.T - model.intercept_) ** 2).sum(axis=1)
    lengths = np.sqrt((model.coef_**2).sum(axis=0)).sum()
    l1, l2 = model.alpha * model.l1_ratio, model.alpha * (1 - model.l1_ratio)
    return weight @ errors / weight.sum() / 2 + l1 * lengths + l2 / 2 * (model.coef_**2).sum()


@pytest.mark.parametrize("shape", [(60, 40, 3), (200, 8, 5), (30, 300, 2)], ids=str)
@pytest.mark.parametrize(
    "setting",
    [
        {"alpha": 0.1},
        {"alpha": 0.05, "l1_ratio": 0.95},
        {"alpha": 0.3, "l1_ratio": 1.0, "fit_intercept": False},
        {"alpha": 0.5, "l1_ratio": 0.1, "selection": "random", "random_state": 0},
    ],
    ids=str,
)
def test_the_objective_is_scikit_learns_minimum(shape, setting):
    X, Y, weight = data(*shape)
    for w in (None, weight) if SKLEARN >= (1, 9) else (None,):  # theirs took no weights before
        given = () if w is None else (w,)
        ours = MultiTaskElasticNet(**setting, tol=1e-10, max_iter=10_000).fit(X, Y, *given)
        other = theirs.MultiTaskElasticNet(**setting, tol=1e-10, max_iter=20_000).fit(X, Y, *given)
        assert ours.coef_.shape == other.coef_.shape
        assert np.shape(ours.intercept_) == np.shape(other.intercept_)
        np.testing.assert_allclose(ours.coef_, other.coef_, atol=2e-4)
        np.testing.assert_allclose(ours.intercept_, other.intercept_, atol=1e-3)
        assert objective(ours, X, Y, w) <= objective(other, X, Y, w) * (1 + 1e-9)
        assert 0.0 <= ours.dual_gap_ <= ours.eps_


@pytest.mark.nojit
@pytest.mark.parametrize("alpha", [0.02, 0.1, 0.5])
def test_optimality_conditions(alpha):
    """eq-soft-threshold of a length: products with the residuals are at most alpha long."""
    X, Y, _ = data(30, 10, 2)
    model = MultiTaskLasso(alpha, tol=1e-13, max_iter=20_000).fit(X, Y)
    R = Y - model.predict(X)
    np.testing.assert_allclose(R.mean(axis=0), 0.0, atol=1e-9)
    C = (X - X.mean(axis=0)).T @ R / len(X)  # (p, k)
    W = model.coef_.T
    used = W.any(axis=1)
    lengths = np.sqrt((C**2).sum(axis=1))
    assert np.all(lengths <= alpha * (1 + 1e-5))
    directions = W[used] / np.sqrt((W[used] ** 2).sum(axis=1))[:, None]
    np.testing.assert_allclose(C[used], alpha * directions, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("l1_ratio", [0.01, 0.3, 1.0])
@pytest.mark.parametrize("sweeps", [1, 2, 5])
def test_the_gap_bounds_the_objective(l1_ratio, sweeps):
    """eq-duality-gap with lengths of rows: at any point, not only at the end."""
    X, Y, _ = data(40, 20, 3)
    model = MultiTaskElasticNet(0.02, l1_ratio=l1_ratio, tol=1e-14, max_iter=sweeps)
    with pytest.warns(ConvergenceWarning, match="Duality gap"):
        model.fit(X, Y)
    best = MultiTaskElasticNet(0.02, l1_ratio=l1_ratio, tol=1e-12, max_iter=50_000).fit(X, Y)
    above = objective(model, X, Y) - objective(best, X, Y)
    assert 1e-12 < above <= model.dual_gap_ * (1 + 1e-6) + 1e-12


@pytest.mark.nojit
def test_one_target_is_the_lasso_and_copies_share_a_length():
    X, Y, weight = data(30, 10, 1)
    for w in (None, weight):
        joint = MultiTaskElasticNet(0.1, l1_ratio=0.7, tol=1e-12).fit(X, Y, w)
        single = ElasticNet(0.1, l1_ratio=0.7, tol=1e-12).fit(X, Y[:, 0], w)
        np.testing.assert_allclose(joint.coef_[0], single.coef_, atol=1e-5)
        assert joint.dual_gap_ >= 0.0
    twice = MultiTaskLasso(0.1 * np.sqrt(2), tol=1e-12).fit(X, np.repeat(Y, 2, axis=1))
    once = Lasso(0.1, tol=1e-12).fit(X, Y[:, 0])
    np.testing.assert_allclose(twice.coef_, np.tile(once.coef_, (2, 1)), atol=1e-5)


@pytest.mark.weekly
def test_descent_on_columns_reaches_the_same_minimum(monkeypatch):
    X, Y, _ = data()
    whole = MultiTaskElasticNet(0.01, tol=1e-10, max_iter=20_000).fit(X, Y)
    monkeypatch.setattr(_design, "LARGEST_GRAM", 5)
    for samples in (X, scipy.sparse.csc_array(X)):
        monkeypatch.setattr(_lasso, "FEW_ENTRIES", 0)
        columns = MultiTaskElasticNet(0.01, tol=1e-10, max_iter=20_000).fit(samples, Y)
        np.testing.assert_allclose(columns.coef_, whole.coef_, atol=1e-4)


@pytest.mark.parametrize("kind", [scipy.sparse.csr_matrix, scipy.sparse.csc_array])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_sparse_samples(kind, fit_intercept):
    X, Y, weight = data()
    X = X * (X > 0.8)
    for w in (None, weight):
        model = MultiTaskElasticNet(0.05, tol=1e-10, fit_intercept=fit_intercept)
        dense, sparse = model.fit(X, Y, w).coef_, model.fit(kind(X), Y, w)
        np.testing.assert_allclose(sparse.coef_, dense, atol=1e-7)
        np.testing.assert_allclose(sparse.predict(kind(X)), sparse.predict(X))
        np.testing.assert_array_equal(sparse.sparse_coef_.toarray(), sparse.coef_)


@pytest.mark.nojit
def test_weights_are_repetitions_and_constant_columns_are_not_used():
    X, Y, _ = data(20, 6, 2)
    X[:, 5] = 3.0
    count = np.arange(20) % 3
    weighted = MultiTaskElasticNet(0.05, tol=1e-12).fit(X, Y, count)
    repeated = MultiTaskElasticNet(0.05, tol=1e-12).fit(*(np.repeat(A, count, 0) for A in (X, Y)))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-5)
    assert not weighted.coef_[:, 5].any()


def test_warm_start_and_far_offsets():
    X, Y, _ = data()
    model = MultiTaskLasso(0.05, tol=1e-9, warm_start=True).fit(X, Y)
    first = model.n_iter_
    assert model.fit(X, Y).n_iter_ == 0 < first
    far = MultiTaskLasso(0.05, tol=1e-9).fit(X + 1e6, Y + 1e6)
    np.testing.assert_allclose(far.coef_, model.coef_, atol=1e-4)


@SINCE_1_9
@pytest.mark.parametrize("l1_ratio", [0.5, 1.0])
def test_paths(l1_ratio):
    X, Y, _ = data()
    X, Y = X - X.mean(axis=0), Y - Y.mean(axis=0)
    ours = enet_path(X, Y, l1_ratio=l1_ratio, alphas=6, tol=1e-9, return_n_iter=True)
    other = theirs.enet_path(X, Y, l1_ratio=l1_ratio, alphas=6, tol=1e-10, max_iter=5000)
    np.testing.assert_allclose(ours[0], other[0])
    assert ours[1].shape == other[1].shape == (3, 40, 6)
    np.testing.assert_allclose(ours[1], other[1], atol=1e-3)
    assert not ours[1][:, :, 0].any() and ours[1][:, :, 1].any()  # the largest penalty is exact
    assert len(ours[3]) == 6 and np.all(ours[2] <= 1e-9 * (Y**2).sum() / len(Y))
    one = lasso_path(X, Y[:, :1], alphas=[0.1, 0.05])[1]
    np.testing.assert_allclose(one[0], lasso_path(X, Y[:, 0], alphas=[0.1, 0.05])[1], atol=1e-2)
    start = enet_path(X, Y, alphas=[0.1], coef_init=ours[1][:, :, 2])[1]
    assert start.shape == (3, 40, 1)
    with pytest.raises(ValueError, match="positive=True is not allowed for multi-output"):
        lasso_path(X, Y, positive=True)


def test_what_it_refuses():
    X, Y, _ = data()
    with pytest.raises(ValueError, match="For mono-task outputs, use Lasso"):
        MultiTaskLasso().fit(X, Y[:, 0])
    with pytest.raises(ValueError, match="For mono-task outputs, use ElasticNet"):
        MultiTaskElasticNet().fit(X, Y[:, 0])
    with pytest.raises(ValueError, match="'l1_ratio' parameter of MultiTaskElasticNet"):
        MultiTaskElasticNet(l1_ratio=1.5).fit(X, Y)
    with pytest.raises(ValueError, match="coef_ has shape"):
        MultiTaskLasso(0.1, warm_start=True).fit(X, Y).fit(X, Y[:, :2])


class TestProtocol(protocol.Suite):
    """Two targets: one that the features tell of, and its opposite."""

    estimators = TASKS
    close = {"rtol": 1e-6, "atol": 1e-9}
    dtypes = (np.int8,)
    test_data_frames = None  # of one target
    bad_parameters = [
        *[("alpha", value) for value in (-1.0, np.nan, np.inf, "1", None, True)],
        *[("l1_ratio", value) for value in (-0.1, 1.1, np.nan, "1", None)],
        *[("fit_intercept", value) for value in (1, None, "yes")],
        *[("warm_start", value) for value in (1, None, "yes")],
        *[("copy_X", value) for value in (1, None, "yes")],
        *[("tol", value) for value in (-1.0, np.nan, "1", None)],
        *[("max_iter", value) for value in (0, 1.5, "1", True)],
        *[("random_state", value) for value in (-1, "a", 1.5)],
        *[("selection", value) for value in ("all", None, 1)],
    ]

    @pytest.fixture(autouse=True)
    def several_targets(self, monkeypatch):
        one = protocol.data

        def two(**given):
            X, y = one(**given)
            return X, np.stack([y, 1 - y], axis=1)

        monkeypatch.setattr(protocol, "data", two)


@pytest.mark.parametrize("estimator", TASKS, ids=repr)
def test_signature_and_single_precision(estimator):
    protocol.check_signature(estimator, theirs)
    X, Y, _ = data()
    double = estimator.fit(X.astype(np.float32).astype(np.float64), Y).coef_
    single = estimator.fit(X.astype(np.float32), Y)
    assert single.coef_.dtype == np.float32 and single.predict(X.astype("f")).dtype == np.float32
    np.testing.assert_allclose(single.coef_, double, atol=1e-4)
