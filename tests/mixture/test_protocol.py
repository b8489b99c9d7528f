"""Gaussian mixtures among scikit-learn's tools, and under hostile conditions."""

import numpy as np
import pytest
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


def test_all_are_listed():
    protocol.check_all_are_listed(litlearn.mixture, ALL)


class TestProtocol(protocol.Suite):
    estimators = ALL
    close = {"rtol": 1e-6, "atol": 1e-9}
    dtypes = (np.int8,)
    bad_parameters = [
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
    bad_samples = (*protocol.Suite.bad_samples, *protocol.SPARSE_SAMPLES)
    test_bad_targets = None  # there are none

    def may_fail(self, estimator):
        # Weights draw the starts, in an order that this check changes; one component passes it.
        return ["check_sample_weight_equivalence_on_dense_data"]


@EVERY
def test_signature(estimator):
    protocol.check_signature(estimator, sklearn.mixture, ())


@EVERY
def test_the_number_of_threads_changes_no_bit(estimator, monkeypatch):
    few_steps = clone(estimator).set_params(max_iter=5)
    protocol.check_threads_of_the_environment(few_steps, monkeypatch)


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
    with pytest.raises(ValueError, match=f"(?=.*GaussianMixture)(?=.*{name}_init)"):
        model.fit(data()[0])
