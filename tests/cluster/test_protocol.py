"""k-means among scikit-learn's tools, and under hostile conditions."""

import numpy as np
import pytest
import sklearn.cluster
from sklearn.base import clone

import litlearn.cluster
import protocol
from litlearn.cluster import KMeans, MiniBatchKMeans
from protocol import data

ALL = (
    KMeans(n_clusters=3, n_init=2, random_state=0),
    KMeans(n_clusters=3, init="random", n_init=1, algorithm="elkan", random_state=0),
    KMeans(n_clusters=3, algorithm="hamerly", tol=0.0, random_state=1),
    MiniBatchKMeans(n_clusters=3, batch_size=20, random_state=0),
)
EVERY = pytest.mark.parametrize("estimator", ALL, ids=repr)


def test_all_are_listed():
    protocol.check_all_are_listed(litlearn.cluster, ALL)


class TestProtocol(protocol.Suite):
    estimators = ALL
    close = {"rtol": 1e-6, "atol": 1e-9}
    dtypes = (np.int8,)
    bad_parameters = [
        *[("n_clusters", value) for value in (0, -1, 2.5, "3", None, True)],
        *[("init", value) for value in ("kmeans", None, 3, np.zeros((2, 3)), np.zeros((3, 2)))],
        *[("n_init", value) for value in (0, -1, 1.5, "all", None)],
        *[("max_iter", value) for value in (0, 1.5, None)],
        *[("tol", value) for value in (-1.0, np.nan, "1", None)],
        *[("verbose", value) for value in (-1, "yes", None)],
        *[("random_state", value) for value in (-1, "a", 1.5)],
        *[("copy_x", value) for value in (1, None)],
        *[("algorithm", value) for value in ("full", None, 1)],
        *[("batch_size", value) for value in (0, 1.5, None)],
        *[("compute_labels", value) for value in (1, None)],
        *[("max_no_improvement", value) for value in (-1, 1.5)],
        *[("init_size", value) for value in (0, 1.5)],
        *[("reassignment_ratio", value) for value in (-0.1, np.nan, "0")],
    ]
    test_bad_targets = None  # there are none

    def may_fail(self, estimator):
        # Weights draw the starts and the batches: scikit-learn declares the same of its own.
        return [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]

    def test_bad_parameters(self, estimator, name, value):
        if isinstance(value, np.ndarray):
            with pytest.raises(ValueError, match=r"shape of the initial centers"):
                clone(estimator).set_params(init=value, n_init=1).fit(data()[0])
            return
        super().test_bad_parameters(estimator, name, value)


@EVERY
def test_signature(estimator):
    protocol.check_signature(estimator, sklearn.cluster, ())


@EVERY
def test_the_number_of_threads_changes_no_bit(estimator, monkeypatch):
    protocol.check_threads_of_the_environment(estimator, monkeypatch)
