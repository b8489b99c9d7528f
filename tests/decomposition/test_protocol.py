"""Reductions among scikit-learn's tools, and under hostile conditions."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.decomposition
from sklearn.base import clone

import litlearn.decomposition
import protocol
from litlearn.decomposition import PCA, IncrementalPCA, TruncatedSVD
from protocol import data

ALL = (
    PCA(),
    PCA(n_components=2, whiten=True, svd_solver="full"),
    PCA(n_components=0.9, svd_solver="covariance_eigh"),
    PCA(n_components=2, svd_solver="randomized", random_state=0),
    PCA(n_components=1, svd_solver="arpack", random_state=0),
    IncrementalPCA(n_components=2, batch_size=20),
    TruncatedSVD(n_components=2, random_state=0),
    TruncatedSVD(n_components=1, algorithm="arpack", random_state=0),
)
EVERY = pytest.mark.parametrize("estimator", ALL, ids=repr)
CLOSE = {"rtol": 1e-6, "atol": 1e-9}
SPARSE_WITH_MISSING = scipy.sparse.csr_matrix(np.full((90, 3), np.nan))
# Written by others, each with tests of its own protocol.
ELSEWHERE = ("KernelPCA",)


def test_all_are_listed():
    elsewhere = [name for name in ELSEWHERE if name in litlearn.decomposition.__all__]
    protocol.check_all_are_listed(litlearn.decomposition, ALL, elsewhere)


def test_names_are_loaded_when_they_are_used():
    assert set(litlearn.decomposition.__all__) <= set(dir(litlearn.decomposition))
    with pytest.raises(AttributeError, match="has no attribute 'NMF'"):
        litlearn.decomposition.NMF  # noqa: B018


@EVERY
def test_check_estimator(estimator):
    protocol.check_scikit_learns_checks(estimator)


@EVERY
def test_signature(estimator):
    protocol.check_signature(estimator, sklearn.decomposition, ())


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


@EVERY
def test_threads_at_once(estimator):
    protocol.check_threads_at_once(estimator)


@EVERY
def test_the_number_of_threads_changes_no_bit(estimator, monkeypatch):
    X, _ = data(n=20_000)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    expected = clone(estimator).fit(X)
    for threads in ("2", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        model = clone(estimator).fit(X)
        protocol.assert_same_fit(model, expected)
        protocol.assert_same(protocol.use(model, X), protocol.use(expected, X))


BAD_PARAMETERS = [
    *[("n_components", value) for value in (-1, 1.5, 0.0, np.nan, "all", True, [2])],
    *[("copy", value) for value in (1, None)],
    *[("whiten", value) for value in (1, None, "yes")],
    *[("svd_solver", value) for value in ("lapack", None, 1)],
    *[("algorithm", value) for value in ("lapack", None, 1)],
    *[("tol", value) for value in (-1.0, np.nan, "1", None)],
    *[("iterated_power", value) for value in (-1, 1.5, "many", None)],
    *[("n_iter", value) for value in (-1, 1.5, "auto", None)],
    *[("n_oversamples", value) for value in (0, 1.5, None)],
    *[("power_iteration_normalizer", value) for value in ("qr", None, 1)],
    *[("batch_size", value) for value in (0, 1.5, "all")],
    *[("random_state", value) for value in (-1, "a", 1.5)],
]


@EVERY
@pytest.mark.parametrize(("name", "value"), BAD_PARAMETERS, ids=str)
def test_bad_parameters(estimator, name, value):
    protocol.check_bad_parameters(estimator, name, value)


@EVERY
@pytest.mark.parametrize(
    "bad",
    [*protocol.BAD_SAMPLES, *protocol.MISSING_SAMPLES, SPARSE_WITH_MISSING],
    ids=protocol.kind,
)
def test_bad_samples(estimator, bad):
    protocol.check_bad_samples(estimator, bad)


@EVERY
def test_wrong_number_of_features(estimator):
    protocol.check_wrong_number_of_features(estimator)


@EVERY
def test_before_fit(estimator):
    protocol.check_before_fit(estimator)
