"""First centres, as a twin and as scikit-learn draw them."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.cluster as theirs
from sklearn.datasets import load_digits

import reference
from litlearn.cluster import (
    kmeans_plusplus,
)
from problems import clustered

nojit = pytest.mark.nojit


@nojit
def test_seeding_twin():
    """eq-kmeans-plus-plus."""
    X, s = clustered(n=40)
    for trials in (1, 4):
        found = kmeans_plusplus(
            X, 5, sample_weight=s, random_state=np.random.RandomState(2), n_local_trials=trials
        )[1]
        expected = reference.plus_plus(X, s, 5, np.random.RandomState(2), trials)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array])
def test_seeding_parity(form):
    X = form(load_digits(return_X_y=True)[0])
    s = np.random.default_rng(0).random(X.shape[0])
    for weight in (None, s):
        ours = kmeans_plusplus(X, 10, sample_weight=weight, random_state=5)
        other = theirs.kmeans_plusplus(X, 10, sample_weight=weight, random_state=5)
        np.testing.assert_array_equal(ours[1], other[1])
        np.testing.assert_array_equal(ours[0], other[0])
