"""Neighbours among samples in an array of Dask: those in memory, ties included."""

import pickle

import numpy as np
import pytest

from litlearn._core.chunked import is_chunked
from litlearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors

da = pytest.importorskip("dask.array", reason="dask is not installed")

LENGTHS, PARTS = (101, 0, 3, 147, 49), (40, 0, 30)


def draw(dtype=np.float64, p=6, ties=True):
    """Samples, many of them at equal distances, real targets, classes, and queries."""
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(300, p)), rng.normal(size=(70, p))
    if ties:
        X, Q = np.round(X), np.round(Q)
    y = X @ np.arange(1.0, p + 1.0)
    return X.astype(dtype), y, np.array(["ill", "so so", "well"])[(y % 3).astype(int)], Q


def chunked(array, lengths=LENGTHS):
    return da.from_array(array, chunks=(lengths, *((n,) for n in array.shape[1:])))


@pytest.mark.weekly(keep=14)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize(
    "setting",
    [
        {},
        {"algorithm": "kd_tree", "p": 1},
        {"algorithm": "ball_tree", "p": 3, "leaf_size": 5},
        {"algorithm": "brute", "metric": "chebyshev"},
        {"metric": "minkowski", "p": 2, "metric_params": {"w": [1.0, 0.0, 2.0, 1.0, 3.0, 1.0]}},
        {"metric": "cosine"},
        {"metric": "correlation"},
        {"metric": "hamming"},
        {"metric": "sqeuclidean"},
        {"metric": "seuclidean", "metric_params": {"V": np.arange(1.0, 7.0)}},
    ],
    ids=str,
)
def test_neighbours_are_those_in_memory(setting, ties, dtype):
    """More of them than a chunk has samples; of queries in memory, and in chunks."""
    X, _, _, Q = draw(dtype, ties=ties)
    for k in (1, 7, 300):
        model = NearestNeighbors(n_neighbors=k, **setting)
        expected = model.fit(X).kneighbors(Q)
        model.fit(chunked(X))
        assert model.n_samples_fit_ == 300 and model.n_features_in_ == 6
        for found in (model.kneighbors(Q), model.kneighbors(chunked(Q, PARTS))):
            for one, other in zip(expected, found, strict=True):
                assert one.dtype == other.dtype
                np.testing.assert_array_equal(np.asarray(other), one)


def test_answers_to_chunks_are_lazy():
    X, _, classes, Q = draw()
    model = KNeighborsClassifier().fit(chunked(X), chunked(classes))
    found = model.predict(chunked(Q, PARTS))
    assert is_chunked(found) and found.chunks == (PARTS,) and found.dtype == classes.dtype
    dist, ind = NearestNeighbors().fit(chunked(X)).kneighbors(chunked(Q, PARTS), n_neighbors=3)
    assert is_chunked(dist) and ind.chunks == (PARTS, (3,))
    few = NearestNeighbors().fit(X).kneighbors(chunked(Q, PARTS), 3, return_distance=False)
    np.testing.assert_array_equal(few.compute(), ind.compute())


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_votes_and_means_are_those_in_memory(weights):
    X, y, classes, Q = draw()
    model = KNeighborsClassifier(4, weights=weights).fit(X, classes)
    other = KNeighborsClassifier(4, weights=weights).fit(chunked(X), chunked(classes, (300,)))
    for name in ("predict", "predict_proba"):
        expected = getattr(model, name)(Q)
        np.testing.assert_array_equal(getattr(other, name)(Q), expected)
        np.testing.assert_array_equal(getattr(other, name)(chunked(Q, PARTS)).compute(), expected)
    assert other.score(chunked(X), classes) == model.score(X, classes)
    model = KNeighborsRegressor(4, weights=weights).fit(X, y)
    other = KNeighborsRegressor(4, weights=weights).fit(chunked(X), y)
    np.testing.assert_array_equal(other.predict(Q), model.predict(Q))
    np.testing.assert_array_equal(other.predict(chunked(Q, PARTS)), model.predict(Q))


def test_graphs_and_pickles():
    X, _, _, Q = draw()
    model, expected = NearestNeighbors().fit(chunked(X)), NearestNeighbors().fit(X)
    assert (model.kneighbors_graph(Q) != expected.kneighbors_graph(Q)).nnz == 0
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.kneighbors(Q)[1], expected.kneighbors(Q)[1])


def test_what_is_not_looked_up_in_chunks_is_refused():
    X, _, _, Q = draw()
    model = NearestNeighbors().fit(chunked(X))
    with pytest.raises(ValueError, match=r"X=None asks about the training samples.*expected X"):
        model.kneighbors()
    with pytest.raises(TypeError, match="not those within a radius"):
        model.radius_neighbors(Q)
    with pytest.raises(ValueError, match="Expected n_neighbors <= .* n_neighbors = 301"):
        model.kneighbors(chunked(Q, PARTS), n_neighbors=301)
    for metric in ("mahalanobis", "canberra", lambda a, b: abs(a - b).sum()):
        params = {"VI": np.eye(6)} if metric == "mahalanobis" else None
        with pytest.raises(ValueError, match=r"the metric .* is not searched; expected one of \["):
            NearestNeighbors(metric=metric, metric_params=params).fit(chunked(X))
    with pytest.raises(ValueError, match=r"largest value of X is .*e\+200, expected between"):
        NearestNeighbors().fit(chunked(1e200 * X))
    X[-1, 0] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        NearestNeighbors().fit(chunked(X))
