"""Reductions among scikit-learn's tools, and under hostile conditions."""

import numpy as np
import pytest
import sklearn.decomposition

import litlearn.decomposition
import protocol
from litlearn.decomposition import PCA, IncrementalPCA, TruncatedSVD

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
# Written by others, each with tests of its own protocol.
ELSEWHERE = ("KernelPCA",)


def test_all_are_listed():
    elsewhere = [name for name in ELSEWHERE if name in litlearn.decomposition.__all__]
    protocol.check_all_are_listed(litlearn.decomposition, ALL, elsewhere)


def test_names_are_loaded_when_they_are_used():
    assert set(litlearn.decomposition.__all__) <= set(dir(litlearn.decomposition))
    with pytest.raises(AttributeError, match="has no attribute 'NMF'"):
        litlearn.decomposition.NMF  # noqa: B018


class TestProtocol(protocol.Suite):
    estimators = ALL
    close = {"rtol": 1e-6, "atol": 1e-9}
    dtypes = (np.int8,)
    bad_parameters = [
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
    test_bad_targets = test_bad_weights = None  # there are none


@EVERY
def test_signature(estimator):
    protocol.check_signature(estimator, sklearn.decomposition, ())


@EVERY
def test_the_number_of_threads_changes_no_bit(estimator, monkeypatch):
    protocol.check_threads_of_the_environment(estimator, monkeypatch)
