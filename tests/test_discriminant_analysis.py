"""Discriminant analysis against its twin, its invariants, and scikit-learn."""

import warnings

import numpy as np
import pytest
import sklearn.discriminant_analysis as theirs
from sklearn.base import clone
from sklearn.covariance import ShrunkCovariance
from sklearn.covariance import ledoit_wolf as their_ledoit_wolf
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

import reference
from litlearn._core import factors
from litlearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    ledoit_wolf_share,
    shrunk,
    whitening,
)
from protocol import SKLEARN

nojit = pytest.mark.nojit
OTHER_COVARIANCE = "scikit-learn divided scatter by n - 1, or n - q, before 1.9"
SOLVERS = pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
REAL = pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])


def make(n=80, p=4, q=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % q
    mix = rng.normal(size=(q, p, p))
    X = np.einsum("ip,ipk->ik", rng.normal(size=(n, p)), mix[y])
    return X + 2.0 * rng.normal(size=(q, p))[y], y


@nojit
@SOLVERS
@pytest.mark.parametrize("q", [2, 3])
def test_linear_twin(solver, q):
    """eq-lda, eq-fisher-eigen, eq-normal-density, eq-normal-posterior with one covariance."""
    X, y = make(q=q)
    model = LinearDiscriminantAnalysis(solver=solver, store_covariance=True).fit(X, y)
    shares, means, covariances = reference.normal_estimates(X, y, np.ones(80))
    pooled = np.einsum("c,cij->ij", shares, covariances)
    np.testing.assert_allclose(model.covariance_, pooled, rtol=1e-11, atol=1e-13)
    scores = reference.log_joint(X, shares, means, [pooled] * q)
    np.testing.assert_allclose(model.predict_proba(X), reference.softmax(scores), atol=1e-10)
    expected = scores[:, 1] - scores[:, 0] if q == 2 else scores - scores[:, :1]
    found = model.decision_function(X)
    np.testing.assert_allclose(found if q == 2 else found - found[:, :1], expected, atol=1e-9)


@nojit
@pytest.mark.parametrize("solver", ["svd", "eigen"])
@pytest.mark.parametrize("q", [2, 3])
def test_quadratic_twin(solver, q):
    """eq-qda, eq-normal-ml."""
    X, y = make(q=q)
    model = QuadraticDiscriminantAnalysis(solver=solver, store_covariance=True).fit(X, y)
    shares, means, covariances = reference.normal_estimates(X, y, np.ones(80))
    np.testing.assert_allclose(model.covariance_, covariances, rtol=1e-11, atol=1e-12)
    scores = reference.log_joint(X, shares, means, covariances)
    np.testing.assert_allclose(model.predict_proba(X), reference.softmax(scores), atol=1e-10)
    difference = model.predict_log_proba(X) - scores
    np.testing.assert_allclose(difference, difference[:, :1].repeat(q, axis=1), atol=1e-9)


@nojit
def test_shrinkage():
    """eq-shrinkage, eq-ledoit-wolf."""
    X, _ = make()
    covariance = np.cov(X.T, bias=True)
    Z = X - X.mean(axis=0)
    share = ledoit_wolf_share(Z, covariance)
    assert share == pytest.approx(reference.ledoit_wolf(X), rel=1e-10)
    expected, their_share = their_ledoit_wolf(X)
    assert share == pytest.approx(their_share, rel=1e-10)
    np.testing.assert_allclose(shrunk(covariance, share), expected, rtol=1e-10)
    assert ledoit_wolf_share(Z, np.eye(4)) == 0.0
    values = np.linalg.eigvalsh(shrunk(covariance, 0.7))
    np.testing.assert_allclose(values.mean(), np.trace(covariance) / 4)
    assert np.ptp(values) == pytest.approx(0.3 * np.ptp(np.linalg.eigvalsh(covariance)))


@REAL
@pytest.mark.parametrize(
    "setting",
    [
        {"solver": "svd", "store_covariance": True},
        {"solver": "lsqr"},
        {"solver": "eigen"},
        {"solver": "lsqr", "shrinkage": "auto"},
        {"solver": "eigen", "shrinkage": 0.4},
        {"solver": "eigen", "covariance_estimator": ShrunkCovariance(shrinkage=0.2)},
    ],
    ids=str,
)
def test_linear_parity(load, setting):
    if setting["solver"] == "svd" and SKLEARN < (1, 9):
        pytest.skip(OTHER_COVARIANCE)
    X, y = load(return_X_y=True)
    ours = LinearDiscriminantAnalysis(**setting).fit(X, y)
    # Theirs fits the estimator that it was given, and tests share theirs.
    other = clone(theirs.LinearDiscriminantAnalysis(**setting)).fit(X, y)
    for name in ("means_", "priors_", "covariance_", "xbar_", "explained_variance_ratio_"):
        assert hasattr(ours, name) == hasattr(other, name), name
        if hasattr(other, name):
            np.testing.assert_allclose(getattr(ours, name), getattr(other, name), rtol=1e-7)
    np.testing.assert_allclose(ours.coef_, other.coef_, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=1e-7)
    if setting["solver"] != "lsqr":
        Z, other_Z = ours.transform(X), other.transform(X)
        signs = np.sign(np.sum(Z * other_Z, axis=0))
        np.testing.assert_allclose(Z * signs, other_Z, rtol=1e-6, atol=1e-6)


@REAL
@pytest.mark.parametrize(
    "setting",
    [
        {},
        {"reg_param": 0.1},
        {"solver": "eigen", "shrinkage": "auto"},
        {"solver": "eigen", "shrinkage": 0.2, "priors": None},
        {"solver": "eigen", "covariance_estimator": ShrunkCovariance(shrinkage=0.2)},
    ],
    ids=str,
)
def test_quadratic_parity(load, setting):
    if setting.get("solver") != "eigen" and SKLEARN < (1, 9):
        pytest.skip(OTHER_COVARIANCE)
    X, y = load(return_X_y=True)
    setting = {"tol": 1e-10, "store_covariance": True, **setting}
    ours = QuadraticDiscriminantAnalysis(**setting).fit(X, y)
    other = clone(theirs.QuadraticDiscriminantAnalysis(**setting)).fit(X, y)
    np.testing.assert_allclose(ours.means_, other.means_, rtol=1e-10)
    for one, two in zip(ours.scalings_, other.scalings_, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-6, atol=1e-12 * two.max())
    for one, two in zip(ours.covariance_, other.covariance_, strict=True):
        if setting.get("solver") == "eigen":
            np.testing.assert_allclose(one, two, rtol=1e-7, atol=1e-9 * np.abs(two).max())
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=1e-6)
    np.testing.assert_array_equal(ours.predict(X), other.predict(X))


@pytest.mark.skipif(SKLEARN < (1, 9), reason=OTHER_COVARIANCE)
def test_collinear_features_of_digits():
    """Constant and dependent pixels: theirs drops the same directions."""
    X, y = load_digits(return_X_y=True)
    ours = LinearDiscriminantAnalysis().fit(X, y)
    other = theirs.LinearDiscriminantAnalysis().fit(X, y)
    assert ours.scalings_.shape == other.scalings_.shape
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=1e-7)


@nojit
@pytest.mark.parametrize("spread", [1.0, 1e-2, 1e-3])
def test_both_ways_to_whiten_agree(spread):
    """Roots of eigenvalues and singular values, down to the tolerance."""
    X, y = make(n=200)
    X[:, 3] = X[:, :3].sum(axis=1) + spread * X[:, 3]
    fine, coarse = (LinearDiscriminantAnalysis(tol=tol).fit(X, y) for tol in (1e-7, 1e-4))
    np.testing.assert_allclose(fine.coef_, coarse.coef_, rtol=1e-6 / spread, atol=1e-8 / spread)


@nojit
def test_whitening_whitens():
    """eq-lda-whitening: unit covariance within the classes, and transform keeps it."""
    from litlearn.discriminant_analysis import class_statistics

    X, y = make(n=120)
    W = whitening(X, y, class_statistics(X, y, 3), 1e-4)
    deviations = X - np.array([X[y == c].mean(axis=0) for c in range(3)])[y]
    np.testing.assert_allclose((deviations @ W).T @ (deviations @ W) / 120, np.eye(4), atol=1e-10)
    Z = LinearDiscriminantAnalysis().fit(X, y).transform(deviations)
    np.testing.assert_allclose(
        Z.T @ Z / 120 - Z.mean(0)[:, None] * Z.mean(0), np.eye(2), atol=1e-10
    )


def test_more_features_than_samples():
    X, y = make(n=30, p=60, q=3, seed=4)
    ours = LinearDiscriminantAnalysis().fit(X, y)
    if SKLEARN >= (1, 9):
        other = theirs.LinearDiscriminantAnalysis().fit(X, y)
        mine = ours.decision_function(X)
        np.testing.assert_allclose(mine, other.decision_function(X), rtol=1e-6)
    with pytest.raises(np.linalg.LinAlgError, match="not full rank"):
        QuadraticDiscriminantAnalysis().fit(X, y)
    # Regularised, the covariance has full rank. (Theirs refuses.)
    model = QuadraticDiscriminantAnalysis(reg_param=0.1).fit(X, y)
    assert model.score(X, y) == 1.0 and model.scalings_[0].min() == pytest.approx(0.1)


@nojit
def test_order_and_units():
    X, y = make()
    rng = np.random.default_rng(1)
    rows, columns, units = rng.permutation(80), rng.permutation(4), 10.0 ** rng.integers(-6, 6, 4)
    moved = ((X - 3.0) * units)[rows][:, columns]
    for kind in (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis):
        setting = {} if kind is LinearDiscriminantAnalysis else {"tol": 0.0}
        a, b = kind(**setting).fit(X, y), kind(**setting).fit(moved, 2 - y[rows])
        np.testing.assert_allclose(
            a.predict_proba(X)[rows], b.predict_proba(moved)[:, ::-1], atol=1e-7
        )


@pytest.mark.parametrize("kind", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_a_large_mean_costs_no_digits(kind):
    X, y = make()
    X = np.round(X, 2)
    near, far = kind().fit(X, y), kind().fit(X + 2.0**20, y)
    np.testing.assert_allclose(
        near.predict_log_proba(X), far.predict_log_proba(X + 2.0**20), rtol=1e-6, atol=1e-8
    )


@pytest.mark.parametrize("kind", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_samples_in_a_file(kind, tmp_path):
    X, y = make(n=5000)
    mapped = np.memmap(tmp_path / "X", dtype=np.float64, mode="w+", shape=X.shape)
    mapped[:] = X
    np.testing.assert_array_equal(
        kind().fit(mapped, y).predict_proba(X), kind().fit(X, y).predict_proba(X)
    )


def test_priors():
    X, y = make()
    with pytest.warns(UserWarning, match="The priors do not sum to 1. Renormalizing"):
        model = LinearDiscriminantAnalysis(priors=[2.0, 1.0, 1.0]).fit(X, y)
    np.testing.assert_allclose(model.priors_, [0.5, 0.25, 0.25])
    # A prior moves the log-odds by the logarithm of its ratio, where the covariance is the same.
    equal = QuadraticDiscriminantAnalysis(priors=[1 / 3, 1 / 3, 1 / 3]).fit(X, y)
    moved = QuadraticDiscriminantAnalysis(priors=[0.8, 0.1, 0.1]).fit(X, y)
    change = moved.decision_function(X) - equal.decision_function(X)
    np.testing.assert_allclose(change[:, 0] - change[:, 1], np.log(8.0), rtol=1e-9)


def test_refused_combinations():
    X, y = make()
    other = ShrunkCovariance()
    for kind in (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis):
        with pytest.raises(NotImplementedError, match=f"{kind.__name__}: shrinkage not supported"):
            kind(shrinkage=0.1).fit(X, y)
        with pytest.raises(ValueError, match="covariance_estimator is not supported"):
            kind(covariance_estimator=other).fit(X, y)
        with pytest.raises(ValueError, match="Only one of the two can be set"):
            kind(solver="eigen", shrinkage=0.1, covariance_estimator=other).fit(X, y)
    with pytest.raises(ValueError, match="number of samples must be more than the number of cl"):
        LinearDiscriminantAnalysis().fit(X[:3], [0, 1, 2])
    with pytest.raises(ValueError, match="y has only 1 sample in class 2"):
        QuadraticDiscriminantAnalysis().fit(X[:9], [0, 0, 0, 0, 1, 1, 1, 1, 2])
    with pytest.raises(ValueError, match="number of classes has to be greater than one"):
        QuadraticDiscriminantAnalysis().fit(X, np.zeros(80))
    assert not hasattr(other, "covariance_")  # the user's estimator is left alone


def test_classes_of_the_same_mean_are_told_by_their_priors():
    X = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 1.0], [-1.0, 0.0], [1.0, 0.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LinearDiscriminantAnalysis().fit(X, [0, 0, 1, 1, 1, 1])
    np.testing.assert_allclose(model.predict_proba(X), [[1 / 3, 2 / 3]] * 6)
    assert not np.isnan(model.explained_variance_ratio_).any()


@pytest.mark.parametrize("n", [3, 9])
@pytest.mark.parametrize("solver", ["svd", "eigen"])
def test_a_covariance_without_full_rank_is_refused(n, solver):
    """With few samples for "svd" the reason is their number; else a feature that depends."""
    X, y = make(n=2 * n, q=2)
    X[:, 3] = X[:, 0]
    with pytest.raises(np.linalg.LinAlgError, match="is not full rank") as caught:
        QuadraticDiscriminantAnalysis(solver=solver).fit(X, y)
    assert ("number of samples" in str(caught.value)) == (solver == "svd" and n == 3)


@pytest.mark.parametrize("q", [1, 3])
def test_the_generalised_eigenproblem_says_what_it_needs(q):
    X, y = make(q=q)
    X[:, 1] = 2.0
    message = "LinearDiscriminantAnalysis: The covariance matrix within .* positive definite"
    with pytest.raises(np.linalg.LinAlgError, match=message):
        LinearDiscriminantAnalysis(solver="eigen").fit(X, y)


def test_no_warning_and_no_trace_of_an_earlier_fit():
    X, y = make()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LinearDiscriminantAnalysis(solver="svd").fit(X, y)
        model.set_params(solver="lsqr").fit(X, y)
    assert not hasattr(model, "scalings_") and not hasattr(model, "xbar_")


def test_semidefinite_eigen_orders_and_clips():
    values, vectors = factors.semidefinite_eigen(np.diag([2.0, 0.0, 1.0]) - 1e-18)
    assert (np.diff(values) >= 0).all() and values[0] >= 0.0
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-14)


@pytest.mark.parametrize("kind", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_a_covariance_estimator_that_is_no_estimator(kind):
    """Of scikit-learn's protocol it needs ``fit`` and ``covariance_`` alone, and is not changed."""

    class Unit:
        def fit(self, X):
            self.covariance_ = np.eye(X.shape[1])

    X, unit = np.random.default_rng(0).normal(size=(20, 2)), Unit()
    solver = "eigen" if kind is QuadraticDiscriminantAnalysis else "lsqr"
    model = kind(solver=solver, covariance_estimator=unit, store_covariance=True)
    model.fit(X, np.arange(20) % 2)
    np.testing.assert_allclose(np.reshape(model.covariance_, (-1, 2, 2))[0], np.eye(2))
    assert not hasattr(unit, "covariance_")


@nojit
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_samples_so_far_away_that_squares_overflow(dtype):
    """The class that is wider in that direction has them; nothing is NaN."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = (rng.normal(size=(60, 2)) * (1.0 + 4.0 * y[:, None])).astype(dtype)
    far = np.array([[1.0, 1.0], [0.0, -1.0]], dtype=dtype) * np.sqrt(np.finfo(dtype).max) * 1e3
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(far), [[0.0, 1.0]] * 2)
    np.testing.assert_array_equal(model.decision_function(far), [np.inf] * 2)
    np.testing.assert_array_equal(model.predict(far), [1, 1])
