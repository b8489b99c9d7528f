"""Graphs of neighbours beside scikit-learn's."""

import numpy as np
import pytest
import scipy.sparse
import sklearn
import sklearn.neighbors

from litlearn.neighbors import (
    KNeighborsClassifier,
    NearestNeighbors,
    kneighbors_graph,
    radius_neighbors_graph,
)


def data(seed=0, n=80, p=3, m=12):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)), rng.normal(size=(m, p))


@pytest.mark.parametrize("mode", ["connectivity", "distance"])
@pytest.mark.parametrize("include_self", [True, False, "auto"])
def test_graphs_are_scikit_learns(mode, include_self):
    X, _ = data(6)
    options = {"mode": mode, "include_self": include_self, "metric": "manhattan"}
    for name, amount in (("kneighbors_graph", 4), ("radius_neighbors_graph", 1.2)):
        ours = globals()[name](X, amount, **options)
        theirs = getattr(sklearn.neighbors, name)(X, amount, **options)
        assert type(ours) is type(theirs) and ours.format == "csr" and ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours.toarray(), theirs.toarray(), rtol=1e-13)
        assert ours.nnz == theirs.nnz
        lent = NearestNeighbors(n_neighbors=2, radius=9.0, metric="manhattan").fit(X)
        again = globals()[name](lent, amount, **options)
        np.testing.assert_array_equal(again.toarray(), ours.toarray())


@pytest.mark.parametrize("estimator", [NearestNeighbors(), KNeighborsClassifier()])
def test_graphs_of_estimators(estimator):
    X, Q = data(7)
    model = estimator.fit(X, np.arange(80) % 2)
    graph = model.kneighbors_graph(Q, 3, mode="distance")
    dist, ind = model.kneighbors(Q, 3)
    np.testing.assert_array_equal(graph.indices.reshape(12, 3), ind)
    np.testing.assert_array_equal(graph.data.reshape(12, 3), dist)
    assert graph.shape == (12, 80)
    assert model.kneighbors_graph().shape == (80, 80)
    assert np.all(model.kneighbors_graph().diagonal() == 0)
    with pytest.raises(ValueError, match="Unsupported mode"):
        model.kneighbors_graph(Q, 3, mode="both")


def test_radius_graphs_of_estimators():
    X, Q = data(8)
    model = NearestNeighbors(radius=0.9).fit(X)
    graph = model.radius_neighbors_graph(Q, mode="distance", sort_results=True)
    dist, ind = model.radius_neighbors(Q, sort_results=True)
    np.testing.assert_array_equal(graph.indices, np.concatenate(ind))
    np.testing.assert_array_equal(graph.data, np.concatenate(dist))
    empty = model.radius_neighbors_graph(Q, radius=0.0)
    assert empty.shape == (12, 80) and empty.nnz == 0
    with pytest.raises(ValueError, match="Unsupported mode"):
        model.radius_neighbors_graph(Q, mode="both")


def test_graphs_follow_scikit_learns_choice_of_container():
    X, _ = data(9)
    assert scipy.sparse.isspmatrix(kneighbors_graph(X, 2))
    if "sparse_interface" in sklearn.get_config():
        with sklearn.config_context(sparse_interface="sparray"):
            assert isinstance(kneighbors_graph(X, 2), scipy.sparse.csr_array)


def test_graphs_refuse_bad_input():
    X, _ = data(10)
    fitted = NearestNeighbors(metric="manhattan").fit(X)
    with pytest.raises(ValueError, match="'euclidean' for metric, while the estimator"):
        kneighbors_graph(fitted, 2, metric="euclidean")
    with pytest.raises(ValueError, match="'include_self' parameter of radius_neighbors_graph"):
        radius_neighbors_graph(X, 1.0, include_self="yes")
    with pytest.raises(ValueError, match="'include_self' parameter of kneighbors_graph"):
        kneighbors_graph(X, 2, include_self=3)
