"""Principal components of batches: those of all samples, and those of scikit-learn."""

import itertools

import numpy as np
import pytest
import scipy.sparse
import scipy.stats
import sklearn.decomposition
from sklearn.utils import gen_batches

import reference
from litlearn.decomposition import PCA, IncrementalPCA
from litlearn.decomposition._incremental_pca import batches
from problems import LEARNED, assert_same_axes, correlated


@pytest.mark.parametrize("k", [2, 6])
@pytest.mark.parametrize("size", [10, 35])
@pytest.mark.nojit
def test_batches(k, size):
    """Equation eq-pca-update."""
    X = correlated(100, 6)
    model = IncrementalPCA(k, batch_size=size).fit(X)
    parts = [X[start : start + size] for start in range(0, 100, size)]
    mean, values, axes = reference.axes_after_batches(parts, k)
    np.testing.assert_allclose(model.mean_, mean)
    np.testing.assert_allclose(model.singular_values_, values)
    np.testing.assert_allclose(np.abs(model.components_ @ axes.T), np.eye(k), atol=1e-8)
    np.testing.assert_allclose(model.var_, X.var(axis=0))
    if k == 6:  # nothing was cut off
        assert_same_axes(model, PCA().fit(X), LEARNED[:4], atol=1e-9)


@pytest.mark.parametrize("k", [None, 1, 4])
@pytest.mark.parametrize("size", [None, 17])
@pytest.mark.parametrize("whiten", [False, True])
def test_batches_as_scikit_learns(k, size, whiten):
    X = correlated(300, 9)
    settings = {"n_components": k, "batch_size": size, "whiten": whiten}
    ours = IncrementalPCA(**settings).fit(X)
    theirs = sklearn.decomposition.IncrementalPCA(**settings).fit(X)
    names = (*LEARNED, "var_", "n_samples_seen_", "batch_size_")
    assert_same_axes(ours, theirs, names, atol=1e-9)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-8)
    for part in (X[:1], 2.0 * X[5:40], X + 3.0):
        ours.partial_fit(part)
        theirs.partial_fit(part.copy())
    assert_same_axes(ours, theirs, names, atol=1e-9)
    sparse = scipy.sparse.csr_array(np.where(X > 0, X, 0.0))
    assert_same_axes(
        IncrementalPCA(**settings).fit(sparse),
        sklearn.decomposition.IncrementalPCA(**settings).fit(sparse),
        names,
        atol=1e-9,
    )


@pytest.mark.nojit
def test_where_batches_are_cut():
    """As scikit-learn cuts: what would be too few goes with the batch before."""
    for n, size, least in itertools.product(range(1, 30), range(1, 12), range(6)):
        expected = list(gen_batches(n, size, min_batch_size=least))
        assert batches(n, size, least) == expected, (n, size, least)


@pytest.mark.nojit
def test_batches_of_a_large_mean_and_a_constant():
    X = np.column_stack([correlated(200, 3), np.full(200, 7.3)]) + 1e7
    model = IncrementalPCA(3, batch_size=20).fit(X)
    assert_same_axes(model, PCA(3).fit(X), ("components_", "singular_values_"), atol=1e-6)
    np.testing.assert_allclose(model.var_[3], 0.0, atol=1e-12)


def test_a_batch_that_is_refused_changes_nothing():
    X = correlated(60, 4)
    model = IncrementalPCA(2).fit(X[:30])
    expected = model.components_.copy()
    for bad, match in (
        (X[:, :2], "expecting 4 features"),
        (np.full((3, 4), np.nan), "NaN"),
        (scipy.sparse.csr_array(X), "does not support sparse"),
    ):
        with pytest.raises((ValueError, TypeError), match=match):
            model.partial_fit(bad)
    model.set_params(n_components=3)
    with pytest.raises(ValueError, match="has changed from 2 to 3"):
        model.partial_fit(X)
    np.testing.assert_array_equal(model.components_, expected)
    with pytest.raises(ValueError, match="must be less or equal to the batch"):
        IncrementalPCA(3).partial_fit(X[:2])
    with pytest.raises(ValueError, match="n_components=5 invalid for n_features=4"):
        IncrementalPCA(5).fit(X)
