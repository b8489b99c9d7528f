"""Naive Bayes against its twin, its invariants, and scikit-learn."""

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.naive_bayes import GaussianNB as TheirNB

import reference
from litlearn._core.validation import constraints_of
from litlearn.discriminant_analysis import LinearDiscriminantAnalysis
from litlearn.naive_bayes import GaussianNB

nojit = pytest.mark.nojit
VARIANCES = constraints_of(GaussianNB)["variance"].options
KINDS = pytest.mark.parametrize("kind", VARIANCES)


def make(n=60, p=4, q=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % q
    X = rng.normal(size=(n, p)) * (1 + y[:, None]) + 2.0 * rng.normal(size=(q, p))[y]
    return X, y, rng.uniform(0.1, 2.0, size=n)


@nojit
@KINDS
@pytest.mark.parametrize("weighted", [False, True])
def test_twin(kind, weighted):
    """eq-naive-bayes, eq-naive-bayes-ml, eq-normal-density, eq-normal-posterior."""
    X, y, s = make()
    s = s if weighted else np.ones(len(y))
    model = GaussianNB(variance=kind, var_smoothing=0.0).fit(X, y, s if weighted else None)
    shares, means, covariances = reference.normal_estimates(X, y, s)
    covariances = reference.naive_covariances(covariances, shares, kind)
    np.testing.assert_allclose(model.theta_, means, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(model.class_prior_, shares, rtol=1e-14)
    variances = np.array([np.diag(one) for one in covariances])
    np.testing.assert_allclose(model.var_, variances, rtol=1e-11)
    expected = reference.log_joint(X, shares, means, covariances)
    np.testing.assert_allclose(model.predict_joint_log_proba(X), expected, rtol=1e-10)
    np.testing.assert_allclose(model.predict_proba(X), reference.softmax(expected), atol=1e-12)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
def test_parity(load, dtype, weighted):
    X, y = load(return_X_y=True)
    X = X.astype(dtype)
    s = np.random.default_rng(0).random(len(y)) if weighted else None
    # Theirs sums squares of float32 samples in float32: it is given the same numbers in float64.
    ours, theirs = GaussianNB().fit(X, y, s), TheirNB().fit(X.astype(float), y, s)
    rtol = 1e-5 if dtype == np.float32 else 1e-9
    for name in ("theta_", "class_prior_", "class_count_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=rtol)
    # Their smoothing leaves the weights out: a sample of weight 2 is not there twice.
    their_variances = theirs.var_ - theirs.epsilon_ + ours.epsilon_
    np.testing.assert_allclose(ours.var_, their_variances, rtol=rtol)
    if s is not None:
        theirs.var_ = their_variances
    else:
        assert ours.epsilon_ == pytest.approx(theirs.epsilon_, rel=rtol)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    np.testing.assert_allclose(
        ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=20 * rtol, atol=20 * rtol
    )


@nojit
@KINDS
@given(cuts=st.lists(st.integers(1, 59), min_size=1, max_size=4, unique=True))
def test_batches_add_up(kind, cuts):
    X, y, s = make()
    whole = GaussianNB(variance=kind).fit(X, y, s)
    model = GaussianNB(variance=kind)
    for rows in np.split(np.arange(60), sorted(cuts)):
        model.partial_fit(X[rows], y[rows], classes=[0, 1, 2], sample_weight=s[rows])
    for name in ("theta_", "var_", "class_prior_", "epsilon_"):
        np.testing.assert_allclose(getattr(model, name), getattr(whole, name), rtol=1e-12)


def test_batches_of_sklearn_forget_the_smoothing():
    """Theirs smooths by the variance of the last batch; ours by that of all samples."""
    X, y, _ = make()
    X[30:] *= 10.0
    whole, ours, theirs = TheirNB().fit(X, y), GaussianNB(), TheirNB()
    for rows in (slice(30, 60), slice(0, 30)):
        for model in (ours, theirs):
            model.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    assert ours.epsilon_ == pytest.approx(whole.epsilon_, rel=1e-12)
    assert theirs.epsilon_ < 0.1 * whole.epsilon_


def test_batches_must_agree():
    X, y, _ = make()
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        GaussianNB().partial_fit(X, y)
    model = GaussianNB().partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="not the same as on last call"):
        model.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match=r"target label\(s\) \[7\] in y do not exist"):
        model.partial_fit(X, np.where(y == 1, 7, y))
    with pytest.raises(ValueError, match="X has 2 features, but GaussianNB is expecting 4"):
        model.partial_fit(X[:, :2], y)
    twin, before = copy.copy(model), model.theta_.copy()
    twin.partial_fit(X + 1.0, y)  # a copy goes its own way
    np.testing.assert_allclose(model.partial_fit(X, y).theta_, before, rtol=1e-12)


@nojit
@KINDS
def test_weight_is_repetition(kind):
    X, y, _ = make()
    s = np.random.default_rng(1).integers(0, 4, size=60)
    weighted = GaussianNB(variance=kind).fit(X, y, s.astype(float))
    repeated = GaussianNB(variance=kind).fit(X.repeat(s, axis=0), y.repeat(s))
    np.testing.assert_allclose(weighted.theta_, repeated.theta_, rtol=1e-12)
    np.testing.assert_allclose(weighted.var_, repeated.var_, rtol=1e-11)
    np.testing.assert_allclose(weighted.class_count_, repeated.class_count_, rtol=1e-12)


@nojit
def test_order_of_samples_features_and_classes():
    X, y, _ = make()
    rng = np.random.default_rng(2)
    rows, columns = rng.permutation(60), rng.permutation(4)
    a, b = GaussianNB().fit(X, y), GaussianNB().fit(X[rows][:, columns], 2 - y[rows])
    np.testing.assert_allclose(a.theta_[:, columns], b.theta_[::-1], rtol=1e-12)
    np.testing.assert_allclose(
        a.predict_proba(X), b.predict_proba(X[:, columns])[:, ::-1], atol=1e-12
    )


@nojit
@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8])
def test_a_large_mean_costs_no_digits(offset):
    """Beyond what the samples themselves lose when the offset is added."""
    X, y, _ = make()
    X = np.round(X, 2)
    near, far = GaussianNB().fit(X, y), GaussianNB().fit(X + offset, y)
    np.testing.assert_allclose(near.var_, far.var_, rtol=max(1e-12, 1e-14 * offset))
    np.testing.assert_allclose(
        near.predict_log_proba(X),
        far.predict_log_proba(X + offset),
        rtol=max(1e-10, 1e-13 * offset),
    )


@pytest.mark.parametrize("kind", ["feature", "one"])
def test_shared_variances_make_linear_borders(kind):
    """eq-naive-bayes: the difference of two classes has no curvature along any line."""
    X, y, _ = make()
    for shared, curved in ((kind, False), ("class_feature", True), ("class", True)):
        model = GaussianNB(variance=shared).fit(X, y)
        t = np.linspace(-5.0, 5.0, 21)[:, None]
        scores = model.predict_joint_log_proba(X[0] + t * np.array([1.0, 2.0, -1.0, 0.5]))
        bend = np.abs(np.diff(scores[:, 1] - scores[:, 0], n=2)).max()
        assert (bend > 1e-3) == curved and (curved or bend < 1e-10)


def test_one_variance_is_linear_discriminant_analysis_of_white_data():
    """With equal spherical covariances, both have the same functions."""
    X, y, _ = make(n=300)
    model = GaussianNB(variance="one", var_smoothing=0.0).fit(X, y)
    lda = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=1.0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), lda.predict_proba(X), atol=1e-10)


def test_extreme_samples_have_finite_logarithms():
    X, y, _ = make()
    model = GaussianNB().fit(X, y)
    far = np.array([[1e150, -1e150, 1e150, 0.0], [1e4, 0.0, 0.0, 0.0]])
    logs = model.predict_log_proba(far)
    assert np.isfinite(logs).all() and (logs.max(axis=1) <= 0.0).all()
    np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1.0)


def test_constant_features_and_tiny_scales():
    X, y, _ = make()
    X = np.column_stack([X, np.full(60, 3.0)])
    model = GaussianNB().fit(X, y)
    assert (model.var_[:, 4] == model.epsilon_).all() and np.isfinite(model.predict_proba(X)).all()
    tiny = GaussianNB().fit(1e-140 * X, y)
    np.testing.assert_array_equal(tiny.predict(1e-140 * X), model.predict(X))


def test_a_class_without_samples_in_a_batch():
    X, y, _ = make()
    model = GaussianNB().partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
    assert model.class_prior_[2] == 0.0 and set(model.predict(X)) <= {0, 1}
    assert np.isfinite(model.predict_proba(X)).all()


def test_samples_in_a_file(tmp_path):
    X, y, _ = make(n=5000)
    mapped = np.memmap(tmp_path / "X", dtype=np.float64, mode="w+", shape=X.shape)
    mapped[:] = X
    a, b = GaussianNB().fit(mapped, y), GaussianNB().fit(X, y)
    np.testing.assert_array_equal(a.var_, b.var_)


# --- beyond the range of numbers -------------------------------------------------------------


@nojit
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("value", [0.0, 0.1, 1.0, 1e30])
def test_constant_features(value, dtype):
    """No class knows more than its share."""
    X, y = np.full((6, 2), value, dtype=dtype), np.array([0, 1, 1, 0, 1, 1])
    rtol = 1e-4 if dtype == np.float32 else 1e-12  # logarithms of 740 have four decimals there
    model = GaussianNB().fit(X, y)
    for Q in (X, X + np.array([[0.0, 1.0]], dtype=dtype)):
        np.testing.assert_allclose(model.predict_proba(Q), [[1 / 3, 2 / 3]] * 6, rtol=rtol)
        np.testing.assert_allclose(
            model.predict_log_proba(Q), np.log([[1 / 3, 2 / 3]] * 6), rtol=rtol
        )


@nojit
def test_classes_without_spread():
    """Each is a point, without smoothing: the nearer one has the sample."""
    X, y = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [1.0, 0.0]]), [0, 0, 1, 1]
    model = GaussianNB(var_smoothing=0.0).fit(X, y)
    Q = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 7.0], [0.4, 7.0], [3.0, -1.0]])
    expected = [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [1.0, 0.0], [0.0, 1.0]]
    np.testing.assert_array_equal(model.predict_proba(Q), expected)
    np.testing.assert_array_equal(np.exp(model.predict_log_proba(Q)), expected)
    np.testing.assert_array_equal(model.predict(Q), [0, 1, 0, 0, 1])
    model = GaussianNB(var_smoothing=0.0, priors=[0.0, 1.0]).fit(X, y)
    np.testing.assert_array_equal(model.predict(Q), [1] * 5)


@nojit
@pytest.mark.parametrize("scale", [1e-160, 1e-30, 1.0, 1e30, 1e150])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scales_and_duplicates(scale, dtype):
    X, y, _ = make(n=12)
    if dtype == np.float32 and not 1e-38 < scale < 1e38:
        return
    scaled = (np.vstack([X, X]) * scale).astype(dtype)
    found = GaussianNB().fit(scaled, np.concatenate([y, y])).predict_proba(scaled)
    expected = GaussianNB().fit(X, y).predict_proba(X)
    rtol = 0.05 if scale == 1e-160 else 1e-4  # variances of 1e-320 have three digits
    np.testing.assert_allclose(found, np.vstack([expected, expected]), rtol=rtol, atol=1e-6)


@nojit
def test_variances_beyond_range_are_refused():
    X, y, _ = make()
    with pytest.raises(ValueError, match="GaussianNB: the variances of X are infinite or NaN"):
        GaussianNB().fit(X * 1e160, y)


@nojit
def test_samples_so_far_away_that_squares_overflow():
    X, y = np.array([[0.0], [1.0], [5.0], [9.0]]), [0, 0, 1, 1]
    model = GaussianNB().fit(X, y)
    far = np.array([[1e200], [-1e300], [1.7e308]])
    np.testing.assert_array_equal(model.predict_proba(far), [[0.0, 1.0]] * 3)  # the wider one
    np.testing.assert_array_equal(model.predict(far), [1] * 3)
    assert not np.isnan(model.predict_joint_log_proba(far)).any()
