"""The same answers as scikit-learn, option by option, on random and on real data."""

import warnings

import numpy as np
import pytest
import sklearn.neighbors
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.preprocessing import scale

import litlearn.neighbors

ESTIMATORS = (
    "NearestNeighbors",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
)


def pair(name, **params):
    return (getattr(package, name)(**params) for package in (litlearn.neighbors, sklearn.neighbors))


def random_data(dtype=np.float64):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(150, 3)).astype(dtype), rng.normal(size=(40, 3)).astype(dtype)
    return X, Q, rng.integers(0, 3, size=150), rng.normal(size=(150, 2))


def assert_same_attributes(ours, theirs):
    """Every public fitted attribute, and no other."""
    names = {name for name in vars(theirs) if name.endswith("_") and not name.startswith("_")}
    assert names == {n for n in vars(ours) if n.endswith("_") and not n.startswith("_")}
    for name in names:
        one, other = getattr(ours, name), getattr(theirs, name)
        if isinstance(other, list):
            assert len(one) == len(other)
            for a, b in zip(one, other, strict=True):
                np.testing.assert_array_equal(a, b)
        elif isinstance(other, dict):
            assert one.keys() == other.keys()
            for key in other:
                np.testing.assert_array_equal(one[key], other[key])
        else:
            np.testing.assert_array_equal(one, other)


def assert_same_rows(ours, theirs):
    """Neighbours within a radius, in whatever order scikit-learn has them."""
    for (dist, ind), (their_dist, their_ind) in zip(
        zip(*ours, strict=True), zip(*theirs, strict=True), strict=True
    ):
        order = np.argsort(their_ind)
        np.testing.assert_array_equal(ind, their_ind[order])
        np.testing.assert_allclose(dist, their_dist[order], rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_signatures(name):
    ours, theirs = pair(name)
    assert ours.get_params() == theirs.get_params()
    for method in dir(theirs):
        if not method.startswith("_") and callable(getattr(theirs, method)):
            assert hasattr(ours, method), method
    signature = "radius" if name.startswith("Radius") else "n_neighbors"
    if name != "NearestNeighbors":
        assert getattr(type(ours)(7), signature) == 7  # by position


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"algorithm": "brute"},
        {"algorithm": "kd_tree", "leaf_size": 3},
        {"algorithm": "ball_tree", "leaf_size": 3},
        {"metric": "manhattan"},
        {"metric": "chebyshev", "algorithm": "ball_tree"},
        {"p": 1},
        {"p": 3},
        {"p": np.inf},
        {"p": 1.5, "metric_params": {"w": np.array([0.5, 1.0, 2.0])}, "algorithm": "brute"},
        {"p": None, "metric_params": {"p": 3}},
        {"metric": "sqeuclidean", "algorithm": "brute"},
        {"metric": "cosine"},
        {"metric": "l1"},
        {"n_jobs": 2},
    ],
    ids=str,
)
def test_search_options(params, dtype):
    X, Q, _, _ = random_data(dtype)
    ours, theirs = (model.fit(X) for model in pair("NearestNeighbors", radius=0.7, **params))
    assert_same_attributes(ours, theirs)
    for queries in (Q, None):
        dist, ind = ours.kneighbors(queries)
        their_dist, their_ind = theirs.kneighbors(queries)
        np.testing.assert_allclose(dist, their_dist, rtol=1e-5, atol=2e-7)
        assert dist.dtype == np.float64 and ind.dtype == np.intp
        if dtype == np.float64:  # in float32 theirs round, and swap near ties
            np.testing.assert_array_equal(ind, their_ind)
            assert_same_rows(ours.radius_neighbors(queries), theirs.radius_neighbors(queries))


def test_hamming_of_integers_and_booleans():
    rng = np.random.default_rng(1)
    X, Q = rng.integers(0, 3, size=(60, 9)), rng.integers(0, 3, size=(20, 9))
    for A, B in ((X, Q), (X > 1, Q > 1)):
        ours, theirs = (
            model.fit(A) for model in pair("NearestNeighbors", metric="hamming", algorithm="brute")
        )
        dist, _ = ours.kneighbors(B)
        np.testing.assert_allclose(dist, theirs.kneighbors(B)[0], rtol=1e-15)


@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("weights", ["uniform", "distance", None, lambda d: 1 / (1 + d)])
@pytest.mark.parametrize("name", ESTIMATORS[1:])
def test_prediction_options(name, weights, algorithm):
    X, Q, y, Y = random_data()
    params = {"weights": weights, "algorithm": algorithm}
    params |= {"radius": 1.5} if name.startswith("Radius") else {"n_neighbors": 7}
    if name == "RadiusNeighborsClassifier":
        params["outlier_label"] = 1
    several = np.column_stack([y, y[::-1]])
    for target in (y, several) if "Classifier" in name else (Y[:, 0], Y, Y[:, :1]):
        ours, theirs = (model.fit(X, target) for model in pair(name, **params))
        assert_same_attributes(ours, theirs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of queries without neighbours, and by scikit-learn
            predicted, expected = ours.predict(Q), theirs.predict(Q)
            np.testing.assert_allclose(predicted, expected, rtol=1e-10)
            assert predicted.shape == expected.shape
            if "Classifier" in name:
                np.testing.assert_array_equal(predicted.dtype, expected.dtype)
                shares, theirs_shares = ours.predict_proba(Q), theirs.predict_proba(Q)
                np.testing.assert_allclose(np.array(shares), np.array(theirs_shares), atol=1e-12)
            if np.isnan(predicted).any():
                with pytest.raises(ValueError, match="predictions contains NaN"):
                    ours.score(Q, predicted)
            elif target.ndim == 1:
                assert ours.score(Q, target[:40]) == pytest.approx(theirs.score(Q, target[:40]))


@pytest.mark.parametrize(
    "y",
    [
        np.array(["b", "a"] * 75),
        np.array(["b", "a"] * 75, dtype=object),
        np.array([True, False] * 75),
        np.array([1.0, -1.0] * 75),
        np.array([7, 3] * 75, dtype=np.uint8),
        ["b", "a"] * 75,
    ],
    ids=lambda y: str(getattr(y, "dtype", "list")),
)
def test_kinds_of_labels(y):
    X, Q, _, _ = random_data()
    for name, params in (
        ("KNeighborsClassifier", {}),
        ("RadiusNeighborsClassifier", {"radius": 9}),
    ):
        ours, theirs = (model.fit(X, y) for model in pair(name, **params))
        assert_same_attributes(ours, theirs)
        predicted, expected = ours.predict(Q), theirs.predict(Q)
        np.testing.assert_array_equal(predicted, expected)
        assert predicted.dtype == expected.dtype


@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
def test_classification_of_real_data(load, algorithm):
    X, y = load(return_X_y=True)
    X, y = (scale(X) if load is not load_digits else X)[:600], y[:600]
    # Several samples of iris and digits tie. scikit-learn leaves open which of them it takes, so
    # a little noise makes the distances differ.
    X = X + np.random.default_rng(0).normal(scale=1e-4, size=X.shape)
    params = {"n_neighbors": 9, "algorithm": algorithm}
    for weights in ("uniform", "distance"):
        ours, theirs = (
            model.fit(X[::2], y[::2])
            for model in pair("KNeighborsClassifier", weights=weights, **params)
        )
        np.testing.assert_array_equal(ours.predict(X[1::2]), theirs.predict(X[1::2]))
        np.testing.assert_allclose(
            ours.predict_proba(X[1::2]), theirs.predict_proba(X[1::2]), atol=1e-9
        )
        assert ours.score(X[1::2], y[1::2]) == theirs.score(X[1::2], y[1::2])


@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree", "ball_tree"])
def test_regression_of_real_data(algorithm):
    X, y = load_diabetes(return_X_y=True)
    for weights in ("uniform", "distance"):
        for name, params in (
            ("KNeighborsRegressor", {"n_neighbors": 12}),
            ("RadiusNeighborsRegressor", {"radius": 0.25}),
        ):
            ours, theirs = (
                model.fit(X[::2], y[::2])
                for model in pair(name, weights=weights, algorithm=algorithm, **params)
            )
            np.testing.assert_allclose(ours.predict(X[1::2]), theirs.predict(X[1::2]), rtol=1e-7)


def test_precomputed_distances():
    """A matrix of distances in place of the samples, also among cross-validation's folds."""
    from sklearn.metrics import pairwise_distances
    from sklearn.model_selection import cross_val_score

    X, Q, y, _ = random_data()
    D, asked = pairwise_distances(X), pairwise_distances(Q, X)
    for name, params in (
        ("NearestNeighbors", {"radius": 1.0}),
        ("KNeighborsClassifier", {"weights": "distance"}),
        ("RadiusNeighborsRegressor", {"radius": 1.5}),
    ):
        ours, theirs = (
            model.fit(D, y.astype(float)) for model in pair(name, metric="precomputed", **params)
        )
        assert_same_attributes(ours, theirs)
        for queries in (asked, None):
            if hasattr(ours, "predict"):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of queries without neighbours
                    np.testing.assert_allclose(ours.predict(queries), theirs.predict(queries))
            if hasattr(ours, "kneighbors"):
                for one, other in zip(
                    ours.kneighbors(queries), theirs.kneighbors(queries), strict=True
                ):
                    np.testing.assert_array_equal(one, other)
            if hasattr(ours, "radius_neighbors"):
                found = ours.radius_neighbors(queries, sort_results=True)
                expected = theirs.radius_neighbors(queries, sort_results=True)
                for one, other in zip(found, expected, strict=True):
                    for row, their_row in zip(one, other, strict=True):
                        np.testing.assert_array_equal(row, their_row)
    ours, theirs = pair("KNeighborsClassifier", metric="precomputed")
    np.testing.assert_array_equal(cross_val_score(ours, D, y), cross_val_score(theirs, D, y))
    with pytest.raises(
        ValueError, match="Precomputed matrix must be a square matrix. Input is a 40x150"
    ):
        ours.fit(asked, y[:40])
    with pytest.raises(ValueError, match="distance matrix. KNeighborsClassifier expects"):
        ours.fit(D - 1, y)
    with pytest.raises(ValueError, match="Metric 'precomputed' not valid for algorithm='kd_tree'"):
        ours.set_params(algorithm="kd_tree").fit(D, y)
