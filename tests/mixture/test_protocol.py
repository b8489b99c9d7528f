"""Gaussian mixtures among scikit-learn's tools, and under hostile conditions."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.mixture
from sklearn.base import clone

import litlearn.mixture
import protocol
from litlearn.mixture import GaussianMixture
from protocol import data

pytestmark = pytest.mark.filterwarnings("ignore:.*did not converge")
ALL = (
    GaussianMixture(n_components=2, random_state=0),
    GaussianMixture(
        n_components=3, covariance_type="tied", init_params="k-means++", random_state=0
    ),
    GaussianMixture(n_components=2, covariance_type="diag", init_params="random", random_state=0),
    GaussianMixture(n_components=2, covariance_type="spherical", n_init=2, random_state=0),
)
EVERY = pytest.mark.parametrize("estimator", ALL, ids=repr)
CLOSE = {"rtol": 1e-6, "atol": 1e-9}


def test_all_are_listed():
    protocol.check_all_are_listed(litlearn.mixture, ALL)


@EVERY
def test_check_estimator(estimator):
    protocol.check_scikit_learns_checks(estimator)


@EVERY
def test_signature(estimator):
    protocol.check_signature(estimator, sklearn.mixture, ())


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
    expected = clone(estimator).set_params(max_iter=5).fit(X)
    for threads in ("2", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        model = clone(estimator).set_params(max_iter=5).fit(X)
        protocol.assert_same_fit(model, expected)
        protocol.assert_same(protocol.use(model, X), protocol.use(expected, X))


BAD_PARAMETERS = [
    *[("n_components", value) for value in (0, 2.5, "3", None, True)],
    *[("covariance_type", value) for value in ("round", None)],
    *[("tol", value) for value in (-1.0, np.nan, "1", None)],
    *[("reg_covar", value) for value in (-1.0, np.nan, "1", None)],
    *[("max_iter", value) for value in (-1, 1.5, None)],
    *[("n_init", value) for value in (0, 1.5, "auto")],
    *[("init_params", value) for value in ("means", None)],
    *[("random_state", value) for value in (-1, "a", 1.5)],
    *[("warm_start", value) for value in (1, None)],
    *[("verbose", value) for value in (-1, "yes")],
    *[("verbose_interval", value) for value in (0, 1.5)],
]


@EVERY
@pytest.mark.parametrize(("name", "value"), BAD_PARAMETERS, ids=str)
def test_bad_parameters(estimator, name, value):
    protocol.check_bad_parameters(estimator, name, value)


@EVERY
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("weights", [0.5]),
        ("weights", [0.7, 0.7, -0.4]),
        ("weights", [0.5, 0.5, 0.5]),
        ("weights", [np.nan, 0.5, 0.5]),
        ("means", np.zeros((3, 2))),
        ("precisions", np.zeros((2, 2, 2))),
    ],
    ids=str,
)
def test_bad_starts(estimator, name, value):
    model = clone(estimator).set_params(n_components=3, **{f"{name}_init": value})
    with pytest.raises(ValueError, match=f"GaussianMixture: .*{name[:9]}"):
        model.fit(data()[0])


SPARSE_WITH_MISSING = scipy.sparse.csr_matrix(np.full((90, 3), np.nan))


@EVERY
@pytest.mark.parametrize(
    "bad",
    [
        *protocol.BAD_SAMPLES,
        *protocol.MISSING_SAMPLES,
        *protocol.SPARSE_SAMPLES,
        SPARSE_WITH_MISSING,
    ],
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
