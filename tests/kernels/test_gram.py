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
from litlearn._core import parallel
from litlearn.decomposition import KernelPCA
from litlearn.kernel_approximation import Nystroem, RBFSampler
from litlearn.kernel_ridge import KernelRidge
from protocol import data

CLOSE = {"rtol": 1e-6, "atol": 1e-7}
REGRESSIONS = (KernelRidge(), KernelRidge(alpha=0.1, kernel="rbf"))
COMPONENTS = (
    KernelPCA(2, fit_inverse_transform=True),
    KernelPCA(2, kernel="rbf", fit_inverse_transform=True),
)
APPROXIMATIONS = (
    Nystroem(n_components=8, random_state=0),
    Nystroem("poly", n_components=8, random_state=0),
    RBFSampler(n_components=8, random_state=0),
)
ALL = (*REGRESSIONS, *COMPONENTS, *APPROXIMATIONS)
EVERY = pytest.mark.parametrize("estimator", ALL, ids=repr)
HOMES = {
    KernelRidge: sklearn.kernel_ridge,
    KernelPCA: sklearn.decomposition,
    Nystroem: sklearn.kernel_approximation,
    RBFSampler: sklearn.kernel_approximation,
}


def test_all_are_listed():
    protocol.check_all_are_listed(litlearn.kernel_ridge, REGRESSIONS)
    protocol.check_all_are_listed(litlearn.kernel_approximation, APPROXIMATIONS)


@pytest.mark.filterwarnings("ignore:Nystroem. n_components")
class TestProtocol(protocol.Suite):
    estimators = ALL
    close = CLOSE
    dtypes = (np.int8,)
    bad_parameters = [
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

    def applies(self, test, estimator, *given):
        # Factors promise no bits where others limit the threads of BLAS: see below.
        if test == "test_threads_at_once":
            return estimator in APPROXIMATIONS
        return test not in ("test_bad_targets", "test_bad_weights") or estimator in REGRESSIONS


@pytest.mark.parametrize(
    "estimator", [KernelRidge(kernel="precomputed"), KernelPCA(2, kernel="rbf")], ids=repr
)
def test_check_estimator(estimator):
    protocol.check_scikit_learns_checks(estimator)


@EVERY
def test_signature(estimator):
    protocol.check_signature(estimator, HOMES[type(estimator)], ())


@pytest.mark.parametrize("estimator", REGRESSIONS + COMPONENTS, ids=repr)
def test_threads_at_once_with_factors(estimator):
    """LAPACK promises no bits where others limit the threads of BLAS meanwhile."""
    X, y = data(n=400)
    expected = protocol.use(clone(estimator).fit(X, y), X)
    for answers in protocol.in_threads(lambda _: protocol.use(clone(estimator).fit(X, y), X), 4):
        protocol.assert_same(answers, expected, **CLOSE)


@EVERY
def test_the_number_of_threads_changes_no_bit(estimator, monkeypatch):
    monkeypatch.setattr(parallel, "_WORTH_A_THREAD", 0)
    protocol.check_threads_of_the_environment(estimator, monkeypatch, n=900)


@pytest.mark.parametrize("kernel", [lambda a, b: a @ b, "precomputed", "chi2"])
def test_sparse_samples_where_the_kernel_takes_none(kernel):
    X = scipy.sparse.csr_array(np.eye(5))
    for kind in (KernelRidge, KernelPCA, Nystroem):
        with pytest.raises(TypeError, match=f"Sparse data was passed for X, but {kind.__name__}"):
            kind(kernel=kernel).fit(X, np.zeros(5))
