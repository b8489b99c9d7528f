"""The methods with kernels among scikit-learn's tools, and under hostile conditions."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.decomposition
import sklearn.kernel_approximation
import sklearn.kernel_ridge
from sklearn.base import clone

import litlearn.kernel_approximation
import litlearn.kernel_ridge
import protocol
from litlearn import _parallel
from litlearn.decomposition import KernelPCA
from litlearn.kernel_approximation import Nystroem, RBFSampler
from litlearn.kernel_ridge import KernelRidge
from protocol import data

ALL = (
    KernelRidge(),
    KernelRidge(alpha=0.1, kernel="rbf"),
    KernelPCA(2, fit_inverse_transform=True),
    KernelPCA(2, kernel="rbf", fit_inverse_transform=True),
    Nystroem(n_components=8, random_state=0),
    Nystroem("poly", n_components=8, random_state=0),
    RBFSampler(n_components=8, random_state=0),
)
EVERY = pytest.mark.parametrize("estimator", ALL, ids=repr)
CLOSE = {"rtol": 1e-6, "atol": 1e-7}
HOMES = {
    KernelRidge: sklearn.kernel_ridge,
    KernelPCA: sklearn.decomposition,
    Nystroem: sklearn.kernel_approximation,
    RBFSampler: sklearn.kernel_approximation,
}


def test_all_are_listed():
    protocol.check_all_are_listed(litlearn.kernel_ridge, ALL[:1])
    protocol.check_all_are_listed(litlearn.kernel_approximation, ALL[4:])


@EVERY
def test_signature(estimator):
    protocol.check_signature(estimator, HOMES[type(estimator)], ())


@pytest.mark.parametrize(
    "estimator", [*ALL, KernelRidge(kernel="precomputed"), KernelPCA(2, kernel="rbf")], ids=repr
)
@pytest.mark.filterwarnings("ignore:Nystroem. n_components")
def test_check_estimator(estimator):
    protocol.check_scikit_learns_checks(estimator)


@EVERY
def test_clone_and_copies(estimator):
    protocol.check_clone_and_copies(estimator)


@EVERY
def test_joblib_with_memory_maps(estimator, tmp_path):
    protocol.check_joblib_with_memory_maps(estimator, tmp_path)


@EVERY
def test_data_frames(estimator):
    protocol.check_data_frames(estimator, **CLOSE)


@EVERY
def test_forms_of_the_same_data(estimator):
    protocol.check_forms_of_the_same_data(estimator, dtypes=[np.int8], **CLOSE)


@EVERY
def test_the_callers_data_stay_as_they_are(estimator):
    protocol.check_the_callers_data_stay_as_they_are(estimator)


@pytest.mark.parametrize("estimator", ALL[4:], ids=repr)
def test_threads_at_once(estimator):
    protocol.check_threads_at_once(estimator)


@pytest.mark.parametrize("estimator", ALL[:4], ids=repr)
def test_threads_at_once_with_factors(estimator):
    """LAPACK promises no bits where others limit the threads of BLAS meanwhile."""
    X, y = data(n=400)
    expected = protocol.use(clone(estimator).fit(X, y), X)
    for answers in protocol.in_threads(lambda _: protocol.use(clone(estimator).fit(X, y), X), 4):
        protocol.assert_same(answers, expected, **CLOSE)


@EVERY
def test_the_number_of_threads_changes_no_bit(estimator, monkeypatch):
    monkeypatch.setattr(_parallel, "_WORTH_A_THREAD", 0)
    X, y = data(n=900)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    expected = clone(estimator).fit(X, y)
    for threads in ("2", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        model = clone(estimator).fit(X, y)
        protocol.assert_same_fit(model, expected)
        protocol.assert_same(protocol.use(model, X), protocol.use(expected, X))


BAD_PARAMETERS = [
    *[("alpha", value) for value in (-1.0, np.nan, "1", None, [-1.0])],
    *[("kernel", value) for value in ("gauss", None, 3)],
    *[("gamma", value) for value in (-1.0, np.nan, "auto", True)],
    *[("degree", value) for value in (-1, np.nan, "3")],
    *[("coef0", value) for value in (np.nan, np.inf, "1")],
    *[("kernel_params", value) for value in (3, [1])],
    *[("n_components", value) for value in (0, 2.5, "3", True)],
    *[("eigen_solver", value) for value in ("lapack", None)],
    *[("tol", value) for value in (-1.0, np.nan, None)],
    *[("max_iter", value) for value in (0, 1.5)],
    *[("iterated_power", value) for value in (-1, 1.5, "some", None)],
    *[("remove_zero_eig", value) for value in (1, None)],
    *[("fit_inverse_transform", value) for value in (1, None)],
    *[("copy_X", value) for value in (1, None)],
    *[("random_state", value) for value in (-1, "a", 1.5)],
    *[("n_jobs", value) for value in (0, 1.5)],
]


@EVERY
@pytest.mark.parametrize(("name", "value"), BAD_PARAMETERS, ids=str)
def test_bad_parameters(estimator, name, value):
    protocol.check_bad_parameters(estimator, name, value)


@EVERY
@pytest.mark.parametrize(
    "bad", [*protocol.BAD_SAMPLES, *protocol.MISSING_SAMPLES], ids=protocol.kind
)
def test_bad_samples(estimator, bad):
    protocol.check_bad_samples(estimator, bad)


@pytest.mark.parametrize("estimator", ALL[:2], ids=repr)
@pytest.mark.parametrize("bad", protocol.BAD_TARGETS, ids=protocol.kind)
def test_bad_targets(estimator, bad):
    protocol.check_bad_targets(estimator, bad)


@pytest.mark.parametrize("estimator", ALL[:2], ids=repr)
@pytest.mark.parametrize("bad", protocol.BAD_WEIGHTS, ids=protocol.kind)
def test_bad_weights(estimator, bad):
    protocol.check_bad_weights(estimator, bad)


@EVERY
def test_wrong_number_of_features(estimator):
    protocol.check_wrong_number_of_features(estimator)


@EVERY
def test_before_fit(estimator):
    protocol.check_before_fit(estimator)


@pytest.mark.parametrize("kernel", [lambda a, b: a @ b, "precomputed", "chi2"])
def test_sparse_samples_where_the_kernel_takes_none(kernel):
    X = scipy.sparse.csr_array(np.eye(5))
    for kind in (KernelRidge, KernelPCA, Nystroem):
        with pytest.raises(TypeError, match=f"Sparse data was passed for X, but {kind.__name__}"):
            kind(kernel=kernel).fit(X, np.zeros(5))
