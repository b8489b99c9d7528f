"""SVC, NuSVC, SVR and NuSVR: hard cases, parity with LIBSVM, memory, interrupts."""

import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse
import sklearn.svm
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.utils import get_tags

import reference
from litlearn.exceptions import ConvergenceWarning, NotFittedError
from litlearn.kernels import _functions as kernels
from litlearn.svm import SVC, SVR, NuSVC, NuSVR, _working_set

KERNELS = {
    "linear": {},
    "poly": {"degree": 2, "coef0": 1.0},
    "rbf": {},
    "sigmoid": {"gamma": 0.01},
}


def make(n=80, p=4, n_classes=2, seed=0, noise=0.7):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    scores = X[:, :n_classes] + noise * rng.normal(size=(n, n_classes))
    return X, scores.argmax(axis=1)


def gram(model, X):
    kernel = kernels.make_kernel(
        model.kernel, X, gamma=model._gamma, degree=model.degree, coef0=model.coef0
    )
    return kernels.gram(kernel, X)


def full_beta(model, n):
    beta = np.zeros(n)
    beta[model.support_] = np.asarray(model.dual_coef_)[0]
    return beta


def dual_objective(model, X, target, K=None):
    """What the solver minimises, negated: of SVC for targets +1 and -1, else of SVR."""
    K = gram(model, X) if K is None else K
    beta = full_beta(model, len(X))
    return (
        target @ beta
        - 0.5 * beta @ K @ beta
        - getattr(model, "epsilon", 0.0) * np.sum(np.abs(beta))
    )


def both(name, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = {"SVC": SVC, "SVR": SVR, "NuSVC": NuSVC, "NuSVR": NuSVR}[name]
        return ours(**parameters), getattr(sklearn.svm, name)(**parameters)


def assert_as_good(ours, theirs, X, target):
    """Within 1e-6 of LIBSVM's dual objective, or better: LIBSVM solves to the same `tol`."""
    K = gram(ours, X)
    value, other = (dual_objective(one, X, target, K) for one in (ours, theirs))
    assert value >= other - 1e-6 * abs(other) - 1e-12


# ---------------------------------------------------------------------------------------------
# Parity


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_classification_is_libsvms(kernel, sparse, n_classes):
    X, y = make(120, n_classes=n_classes, noise=0.3)
    X = np.where(X > 1.5, X, 0.0) + X * (X < 0.3) if sparse else X
    data = scipy.sparse.csr_matrix(X) if sparse else X
    for name in ("SVC", "NuSVC"):
        for shape in ("ovr", "ovo"):
            ours, theirs = both(
                name,
                kernel=kernel,
                tol=1e-6,
                decision_function_shape=shape,
                **({"nu": 0.413} if name == "NuSVC" else {}),
                **KERNELS[kernel],
            )
            ours, theirs = ours.fit(data, y), theirs.fit(data, y)
            scores = theirs.set_params(decision_function_shape="ovo").decision_function(data)
            theirs.set_params(decision_function_shape=shape)
            sure = np.abs(scores).reshape(len(X), -1).min(axis=1) > 1e-3  # no vote may flip
            assert sure.mean() > 0.9
            np.testing.assert_allclose(
                ours.decision_function(data)[sure],
                theirs.decision_function(data)[sure],
                # NuSVC divides by its margin, and so does its error.
                atol=1e-3 * max(1.0, np.abs(scores).max()),
            )
            np.testing.assert_array_equal(ours.predict(data)[sure], theirs.predict(data)[sure])
            np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-3)
            assert type(ours.dual_coef_) is type(theirs.dual_coef_)
            assert type(ours.support_vectors_) is type(theirs.support_vectors_)
            for attribute in ("support_", "n_support_", "n_iter_", "classes_"):
                one, other = getattr(ours, attribute), getattr(theirs, attribute)
                assert one.dtype == other.dtype
            if kernel == "linear":
                coef, other = ours.coef_, theirs.coef_
                assert type(coef) is type(other) and coef.shape == other.shape
                np.testing.assert_allclose(
                    coef.toarray() if sparse else coef,
                    other.toarray() if sparse else other,
                    atol=1e-3,
                )


def test_support_vectors_are_in_libsvms_order():
    X, y = make(100, n_classes=3)
    ours, theirs = both("SVC", tol=1e-8)
    ours, theirs = ours.fit(X, y), theirs.fit(X, y)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("sparse", [False, True])
def test_regression_is_libsvms(kernel, sparse):
    X, _ = make(100)
    X = X * (X < 0.3) if sparse else X
    y = X[:, 0] ** 2 + X[:, 1] + 0.1 * np.random.default_rng(1).normal(size=100)
    data = scipy.sparse.csr_matrix(X) if sparse else X
    for name in ("SVR", "NuSVR"):
        ours, theirs = both(name, kernel=kernel, tol=1e-6, **KERNELS[kernel])
        ours, theirs = ours.fit(data, y), theirs.fit(data, y)
        np.testing.assert_allclose(ours.predict(data), theirs.predict(data), atol=1e-3)
        assert ours.n_support_.shape == (1,) and type(ours.n_iter_) is int


@pytest.mark.parametrize("weighted", [False, True])
def test_weights_are_libsvms(weighted):
    X, y = make(90, n_classes=3)
    weight = np.random.default_rng(0).choice([0.0, 0.5, 2.0], 90)
    for class_weight in ("balanced", {0: 3.0, 2: 0.2}, None):
        ours, theirs = both("SVC", tol=1e-7, class_weight=class_weight)
        given = weight if weighted else None
        ours, theirs = ours.fit(X, y, given), theirs.fit(X, y, given)
        np.testing.assert_allclose(
            ours.decision_function(X), theirs.decision_function(X), atol=1e-5
        )
        np.testing.assert_allclose(ours.class_weight_, theirs.class_weight_)


@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SVR", "NuSVR"])
def test_a_negative_weight_leaves_a_sample_out(name):
    X, y = make(60)
    weight = np.ones(60)
    weight[:10], kept = -1.0, np.arange(10, 60)
    ours, _ = both(name, tol=1e-9, gamma=0.5)
    answer = "decision_function" if hasattr(ours, "decision_function") else "predict"
    one = getattr(ours.fit(X, y, weight), answer)(X)
    other = getattr(ours.fit(X[kept], y[kept]), answer)(X)
    np.testing.assert_allclose(one, other, atol=1e-7)
    for bad in (np.zeros(60), -np.ones(60)):
        with pytest.raises(ValueError, match="all samples have zero or negative weights"):
            ours.fit(X, y, bad)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_kernel_given_as_matrix_or_function(kernel):
    X, y = make(100, n_classes=3)
    function = {"linear": lambda A, B: A @ B.T, "rbf": kernels.rbf_kernel}[kernel]
    for name in ("SVC", "SVR"):
        named, _ = both(name, kernel=kernel, gamma="auto", tol=1e-7)
        matrix, _ = both(name, kernel="precomputed", tol=1e-7)
        called, _ = both(name, kernel=function, tol=1e-7)
        expected = named.fit(X[:80], y[:80]).predict(X[80:])
        K, K_test = function(X[:80], X[:80]), function(X[80:], X[:80])
        np.testing.assert_allclose(matrix.fit(K, y[:80]).predict(K_test), expected, atol=1e-6)
        np.testing.assert_allclose(called.fit(X[:80], y[:80]).predict(X[80:]), expected, atol=1e-6)
        assert matrix.support_vectors_.shape == called.support_vectors_.shape == (0, 0)
    with pytest.raises(ValueError, match="the kernel returned an array of shape"):
        SVC(kernel=lambda A, B: A).fit(X, y)
    with pytest.raises(ValueError, match="square"):
        SVC(kernel="precomputed").fit(X, y)
    with pytest.raises(TypeError, match="Sparse precomputed"):
        SVC(kernel="precomputed").fit(scipy.sparse.eye(100).tocsr(), y)


@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SVR"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_private_names_that_converters_read(name, n_classes):
    X, y = make(60, n_classes=n_classes)
    ours, theirs = both(name, tol=1e-8, nu=0.3) if name == "NuSVC" else both(name, tol=1e-8)
    ours, theirs = ours.fit(X, y), theirs.fit(X, y)
    np.testing.assert_allclose(ours._dual_coef_, theirs._dual_coef_, atol=1e-4)
    np.testing.assert_allclose(ours._intercept_, theirs._intercept_, atol=1e-4)
    np.testing.assert_allclose(ours._gamma, theirs._gamma)
    np.testing.assert_array_equal(ours._n_support[:1], theirs._n_support[:1])
    if name != "SVR":
        before = ours.set_params(decision_function_shape="ovo").decision_function(X)
        ours._dual_coef_, ours._intercept_ = -ours._dual_coef_, -ours._intercept_
        np.testing.assert_allclose(ours.decision_function(X), -before)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_few_sparse_samples_give_the_machine_of_dense_ones(kernel):
    X, y = load_iris(return_X_y=True)
    for name, target in (("SVC", y), ("SVR", X[:, 3])):
        ours = {"SVC": SVC, "SVR": SVR}[name]
        dense = ours(kernel=kernel).fit(X, target)
        sparse = ours(kernel=kernel).fit(scipy.sparse.lil_array(X), target)
        np.testing.assert_array_equal(dense.support_, sparse.support_)
        np.testing.assert_array_equal(dense.dual_coef_, sparse.dual_coef_.toarray())
        np.testing.assert_array_equal(dense.intercept_, sparse.intercept_)


def test_sparse_and_dense_queries():
    X, y = make(60)
    sparse = scipy.sparse.csr_matrix(X)
    model = SVC().fit(sparse, y)
    np.testing.assert_allclose(
        model.decision_function(X), model.decision_function(sparse), atol=1e-12
    )
    with pytest.raises(ValueError, match="cannot use sparse input in 'SVC' trained on dense"):
        SVC().fit(X, y).predict(sparse)


def test_ties_of_votes():
    X, y = make(21, 2)[0], np.arange(21) % 3
    grid = np.random.default_rng(0).uniform(-3, 3, size=(300, 2))
    model = SVC(gamma=1e6).fit(X, y)
    scores = model.decision_function(grid)
    assert not np.all(model.predict(grid) == scores.argmax(axis=1))
    model.set_params(break_ties=True)
    np.testing.assert_array_equal(model.predict(grid), scores.argmax(axis=1))
    model.set_params(decision_function_shape="ovo")
    with pytest.raises(ValueError, match="break_ties must be False"):
        model.predict(grid)


# ---------------------------------------------------------------------------------------------
# Hard cases


@pytest.mark.parametrize("C", [1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6])
def test_any_price(C):
    X, y = make(150, noise=0.3)
    ours, theirs = both("SVC", C=C)
    ours = ours.fit(X, y)
    assert_as_good(ours, theirs.fit(X, y), X, 2.0 * y - 1.0)
    target = X[:, 0] ** 2 + X[:, 1]
    ours, theirs = both("SVR", C=C)
    assert_as_good(ours.fit(X, target), theirs.fit(X, target), X, target)


@pytest.mark.parametrize("gamma", [1e-6, 1e-3, 1.0, 1e3])
@pytest.mark.parametrize("C", [1e-2, 1e3])
def test_any_width(gamma, C):
    X, y = make(150)
    ours, theirs = both("SVC", gamma=gamma, C=C)
    assert_as_good(ours.fit(X, y), theirs.fit(X, y), X, 2.0 * y - 1.0)


def test_every_coefficient_at_its_bound():
    X, y = make(60)
    model = SVC(C=1e-3, kernel="rbf").fit(X, y)
    assert np.all(np.abs(model.dual_coef_) <= 1e-3)
    ours, theirs = both("SVC", C=1e-4)
    y = np.arange(60) % 2
    ours, theirs = ours.fit(X, y), theirs.fit(X, y)
    np.testing.assert_allclose(np.abs(ours.dual_coef_), 1e-4)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)


@pytest.mark.parametrize("C", [1.0, 1e3])
def test_equal_samples_with_opposite_labels(C):
    X, y = make(60)
    X, y = np.vstack([X, X, X[:20]]), np.hstack([y, 1 - y, y[:20]])
    for kernel in ("rbf", "linear"):
        ours, theirs = both("SVC", C=C, kernel=kernel)
        assert_as_good(ours.fit(X, y), theirs.fit(X, y), X, 2.0 * y - 1.0)


def test_samples_that_are_all_equal():
    X, y = np.ones((10, 2)), np.arange(10) % 2
    model = SVC().fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    np.testing.assert_allclose(SVR().fit(X, y).predict(X), 0.5, atol=0.4)


def test_a_class_of_one_sample():
    X, y = make(40)
    y[:] = 0
    y[3] = 1
    for kernel in ("rbf", "linear"):
        ours, theirs = both("SVC", C=10.0, kernel=kernel)
        assert_as_good(ours.fit(X, y), theirs.fit(X, y), X, 2.0 * y - 1.0)
    three = y.copy()
    three[7] = 2
    assert SVC(C=1e3).fit(X, three).score(X, three) == 1.0


def test_two_samples():
    model = SVC(kernel="linear").fit([[-1.0, -1.0], [1.0, 1.0]], [0, 1])
    np.testing.assert_array_equal(model.dual_coef_, [[-0.25, 0.25]])
    np.testing.assert_array_equal(model.intercept_, [0.0])


def test_classes_of_which_one_has_no_weight():
    X, y = make(60, n_classes=3)
    model = SVC().fit(X, y, (y != 1).astype(float))
    assert set(model.predict(X)) <= {0, 2}
    with pytest.raises(ValueError, match="belong to the same class"):
        SVC().fit(X, y, (y == 1).astype(float))


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_features_as_they_were_measured(kernel):
    """Breast cancer without scaling: areas in the thousands beside smoothness of hundredths."""
    X, y = load_breast_cancer(return_X_y=True)
    for gamma, C in (("scale", 1.0), ("auto", 100.0)):
        ours, theirs = both("SVC", gamma=gamma, C=C if kernel == "rbf" else 0.01, kernel=kernel)
        assert_as_good(ours.fit(X, y), theirs.fit(X, y), X, 2.0 * y - 1.0)


@pytest.mark.parametrize("kernel", KERNELS)
def test_predictions_agree_beyond_the_tolerance(kernel):
    X, y = make(200, n_classes=2)
    parameters = KERNELS[kernel]
    ours, theirs = both("SVC", kernel=kernel, **parameters)
    ours, theirs = ours.fit(X[:150], y[:150]), theirs.fit(X[:150], y[:150])
    score = theirs.decision_function(X)
    sure = np.abs(score) > 10 * ours.tol
    assert sure.mean() > 0.9
    np.testing.assert_array_equal(ours.predict(X)[sure], theirs.predict(X)[sure])


def test_nu_bounds_the_shares():
    X, y = make(200, noise=0.2)
    for nu in (0.1, 0.3, 0.6):
        model = NuSVC(nu=nu, tol=1e-6).fit(X, y)
        sign = 2.0 * y - 1.0
        assert np.mean(sign * model.decision_function(X) < 1 - 1e-4) <= nu + 1e-9
        assert model.n_support_.sum() / 200 >= nu - 1e-9
        target = X[:, 0] + X[:, 1] ** 2
        regression = NuSVR(nu=nu, tol=1e-6).fit(X, target)
        errors = np.abs(target - regression.predict(X))
        used = np.sort(errors)[::-1][: int(nu * 200)]
        assert len(regression.support_) / 200 >= nu - 1e-9
        assert used.min() >= errors[np.setdiff1d(np.arange(200), regression.support_)].max() - 1e-4
    with pytest.raises(ValueError, match="specified nu is infeasible"):
        NuSVC(nu=0.9).fit(X, np.arange(200) < 20)


def test_a_price_without_bound():
    X, y = make(60, 20, noise=0.1)
    for name, target in (("SVC", y), ("SVR", X[:, 0])):
        free, _ = both(name, C=np.inf, tol=1e-6)
        large, _ = both(name, C=1e10, tol=1e-6)
        np.testing.assert_allclose(
            free.fit(X, target).predict(X), large.fit(X, target).predict(X), atol=1e-4
        )


def test_gap_is_primal_minus_dual():
    X, y = make(150)
    model = SVC(C=3.0, tol=1e-2).fit(X, y)
    sign, beta = 2.0 * y - 1.0, full_beta(model, 150)
    primal, dual = reference.svm_objectives(gram(model, X), sign, beta, model.intercept_[0], 3.0)
    np.testing.assert_allclose(model.dual_gap_[0], primal - dual, rtol=1e-8)
    model = SVR(C=3.0, tol=1e-2).fit(X, X[:, 0] ** 2)
    beta = full_beta(model, 150)
    primal, dual = reference.svr_objectives(
        gram(model, X), X[:, 0] ** 2, beta, model.intercept_[0], 3.0, 0.1
    )
    np.testing.assert_allclose(model.dual_gap_, primal - dual, rtol=1e-8)


def test_steps_without_a_certificate_are_told():
    X, y = make(60)
    for model in (SVC(max_iter=3), SVR(max_iter=3), NuSVC(max_iter=3), NuSVR(max_iter=3)):
        with pytest.warns(ConvergenceWarning, match=r"terminated early \(max_iter=3\)"):
            model.fit(X, y)
        assert np.all(model.n_iter_ == 3) and model.fit_status_ == 1
    X, y = load_diabetes(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="rounding does not let it"):
        # So many equal gradients are more than rounding leaves, on any processor.
        SVR(C=1e4, gamma=5.0, tol=1e-300).fit(X[:200], y[:200])


def test_the_most_steps_are_not_called_rounding(monkeypatch):
    monkeypatch.setattr(_working_set, "MOST_STEPS", 1000)
    X, y = make(60)
    model = SVC(kernel="linear", C=1e6)
    with pytest.warns(ConvergenceWarning, match="stopped after 6000 steps") as caught:
        model.fit(X, y)  # 100 steps for each of 60 variables
    assert model.n_iter_[0] == 6000 and "rounding" not in str(caught[0].message)


def test_values_that_overflow():
    X = np.random.default_rng(0).uniform(size=(10, 2)) * np.finfo(float).max
    with pytest.raises(ValueError, match="The dual coefficients or intercepts are not finite"):
        SVC().fit(X, np.arange(10) % 2)


def test_a_share_of_an_infinite_price_is_refused():
    """It predicted NaN. SVR, whose price is no share, allows no loss."""
    X = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(ValueError, match=r"'C' parameter of NuSVR must be .* Got inf"):
        NuSVR(C=np.inf).fit(X, X[:, 0])
    strict = SVR(C=np.inf, epsilon=0.01).fit(X, X[:, 0])
    np.testing.assert_allclose(strict.predict(X), X[:, 0], atol=0.012)


@pytest.mark.parametrize("machine", [SVC, NuSVC, SVR, NuSVR])
def test_a_kernel_beyond_the_range_of_numbers_is_refused_at_once(machine):
    X, y = np.array([[3.0], [2.0], [-2.0], [-3.0]]), [1, 1, 0, 0]
    model = machine(kernel="poly", degree=20_000)
    with pytest.raises(ValueError, match=f"{machine.__name__}: .* too large .*'degree': 20000"):
        model.fit(X, y)
    assert model.set_params(degree=3).fit(X, y).n_features_in_ == 1


# ---------------------------------------------------------------------------------------------
# Real data


def test_iris_and_digits():
    X, y = load_iris(return_X_y=True)
    for kernel in ("linear", "rbf"):
        assert SVC(kernel=kernel).fit(X, y).score(X, y) > 0.95
    X, y = load_digits(return_X_y=True)
    ours, theirs = both("SVC")
    ours, theirs = ours.fit(X[:600], y[:600]), theirs.fit(X[:600], y[:600])
    assert ours.decision_function(X[:50]).shape == (50, 10)
    assert np.mean(ours.predict(X[600:]) == theirs.predict(X[600:])) > 0.999


# ---------------------------------------------------------------------------------------------
# Memory, interrupts, progress, threads


@pytest.mark.thread_unsafe(reason="the memory of the process")
def test_memory_is_bounded():
    X, y = make(6000, 5)
    peaks = []
    for cache_size in (2, 2, 40):  # the first one compiles
        tracemalloc.start()
        SVC(cache_size=cache_size, tol=0.1, C=0.1).fit(X, y)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    tiles, samples = 4 * 4e6, 12 * X.nbytes  # two threads, each with a tile and a copy
    assert peaks[1] < 2e6 + tiles + samples
    assert peaks[2] < 40e6 + tiles + samples
    assert 4 * peaks[2] < 8 * 6000**2


def test_interrupts_leave_the_estimator_as_it_was(monkeypatch):
    X, y = make(300)
    model = SVC().fit(X, y)
    before = model.decision_function(X)
    calls = []

    def check_interrupt():
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(_working_set, "STEPS_WORTH", 1)
    monkeypatch.setattr(_working_set, "check_interrupt", check_interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(C=100.0, tol=1e-6).fit(X, y)
    assert len(calls) == 3
    np.testing.assert_array_equal(model.decision_function(X), before)


def test_progress_is_shown(capsys):
    X, y = make(60, n_classes=3)
    SVC(verbose=True).fit(X, y)
    SVR(verbose=1).fit(X, y)
    shown = capsys.readouterr().err
    assert "SVC" in shown and "SVR" in shown and "gap" in shown and "violation" in shown
    SVC().fit(X, y)
    assert capsys.readouterr().err == ""


def test_threads_change_no_bit(monkeypatch):
    X, y = make(900, n_classes=3)
    found = []
    for n in ("1", "2", "5"):
        monkeypatch.setenv("OMP_NUM_THREADS", n)
        model = SVC(cache_size=1).fit(X, y)
        found.append((model.dual_coef_.tobytes(), model.decision_function(X).tobytes()))
    assert found[0] == found[1] == found[2]


# ---------------------------------------------------------------------------------------------
# Probabilities


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("name", ["SVC", "NuSVC"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities(name, n_classes):
    X, y = make(200, n_classes=n_classes)
    ours, theirs = both(name, probability=True, random_state=0)
    P = ours.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    assert np.mean(P.argmax(axis=1) == ours.predict(X)) > 0.9
    # The folds are drawn otherwise.
    np.testing.assert_allclose(P, theirs.fit(X, y).predict_proba(X), atol=0.15)
    np.testing.assert_allclose(np.log(P), ours.predict_log_proba(X))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(ours)).predict_proba(X), P)
    np.testing.assert_array_equal(
        both(name, probability=True, random_state=0)[0].fit(X, y).predict_proba(X), P
    )
    assert np.all(np.sign(ours.probA_) == np.sign(theirs.probA_))


def test_probabilities_are_deprecated():
    X, y = make(60)
    for probability in (True, False):
        with pytest.warns(FutureWarning, match=r"probability.+parameter.+deprecated"):
            model = SVC(probability=probability).fit(X, y)
        assert hasattr(model, "predict_proba") == probability
    model.set_params(probability=True)
    with pytest.raises(NotFittedError, match="fitted with probability=False"):
        model.predict_proba(X)
    with pytest.warns(FutureWarning, match="Attribute `probA_` was deprecated"):
        assert not len(model.probA_)


@pytest.mark.parametrize("kind", [SVC, NuSVC, SVR, NuSVR])
def test_a_precomputed_kernel_is_of_pairs_and_dense(kind):
    for kernel in ("rbf", "precomputed"):
        tags = get_tags(kind(kernel=kernel)).input_tags
        assert tags.pairwise == (not tags.sparse) == (kernel == "precomputed")


@pytest.mark.parametrize("C", [np.inf, 1e308])
def test_nu_regression_needs_a_finite_price(C):
    """nu is a share of the sum of C: of an infinite one there is none."""
    X, y = np.arange(20.0)[:, None], np.arange(20.0)
    with pytest.raises(ValueError, match=r"NuSVR.*C|'C' parameter of NuSVR"):
        NuSVR(C=C).fit(X, y)


@pytest.mark.parametrize("model", [SVC(C=np.inf), SVR(C=np.inf, kernel="linear")])
def test_an_infinite_price_allows_no_loss(model):
    X = np.arange(20.0)[:, None]
    y = X[:, 0] > 9.0 if isinstance(model, SVC) else 2.0 * X[:, 0]
    predicted = model.fit(X, y).predict(X)
    assert np.abs(predicted.astype(float) - y).max() <= 0.1 + 1e-3
