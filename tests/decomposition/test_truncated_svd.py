"""Singular vectors of sparse and dense samples, without centring."""

import numpy as np
import pytest
import scipy.sparse
import scipy.stats
import sklearn.decomposition

from litlearn.decomposition import TruncatedSVD
from problems import LEARNED, assert_same_axes


@pytest.mark.parametrize("algorithm", ["randomized", "arpack"])
@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array, scipy.sparse.csc_matrix])
@pytest.mark.parametrize("k", [1, 5])
def test_truncated_svd(algorithm, form, k):
    """Equation eq-svd-truncated."""
    X = scipy.sparse.random_array((120, 60), density=0.2, random_state=1).toarray() + np.eye(
        120, 60
    )
    settings = {"n_components": k, "algorithm": algorithm, "random_state": 3}
    ours = TruncatedSVD(**settings)
    scores = ours.fit_transform(form(X))
    theirs = sklearn.decomposition.TruncatedSVD(**settings).fit(form(X))
    assert_same_axes(ours, theirs, LEARNED[:4], atol=1e-8)
    np.testing.assert_array_equal(scores, ours.transform(form(X)))
    np.testing.assert_allclose(scores, X @ ours.components_.T, atol=1e-12)
    back = ours.inverse_transform(scores)
    np.testing.assert_allclose(back, scores @ ours.components_)
    if algorithm == "arpack":
        u, s, vt = np.linalg.svd(X, full_matrices=False)
        np.testing.assert_allclose(back, (u[:, :k] * s[:k]) @ vt[:k], atol=1e-8)
