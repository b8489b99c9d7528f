"""The nearest centroid beside scikit-learn's, by its definition, and at the ends of the numbers."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.neighbors

import litlearn.neighbors
from litlearn.neighbors import NearestCentroid

CENTROIDS = [
    {},
    {"priors": "empirical"},
    {"priors": [0.2, 0.5, 0.3]},
    {"shrink_threshold": 0.5},
    {"shrink_threshold": 2.0, "priors": "empirical"},
    {"metric": "manhattan"},
    {"metric": "manhattan", "priors": "empirical"},
    {"metric": "manhattan", "shrink_threshold": 0.3},
]


def pair(name, **params):
    return (getattr(package, name)(**params) for package in (litlearn.neighbors, sklearn.neighbors))


def classes(n=120, p=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(3, size=n, p=[0.2, 0.3, 0.5])
    return rng.normal(size=(n, p)) * [1.0, 2.0, 0.5, 1.0] + y[:, np.newaxis], y


@pytest.mark.parametrize("convert", [np.array, scipy.sparse.csr_matrix, scipy.sparse.csc_array])
@pytest.mark.parametrize("params", CENTROIDS, ids=str)
def test_centroids_are_those_of_scikit_learn(params, convert):
    X, y = classes()
    data, labels = convert(X), np.array(["a", "b", "c"])[y]
    ours, theirs = pair("NearestCentroid", **params)
    assert ours.get_params() == theirs.get_params()
    ours.fit(data, labels)
    theirs.fit(X, labels)
    for name in ("centroids_", "deviations_", "within_class_std_dev_", "class_prior_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-13)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    np.testing.assert_array_equal(ours.predict(data), theirs.predict(X))
    methods = ("decision_function", "predict_proba", "predict_log_proba")
    for method in methods:
        assert hasattr(ours, method) == hasattr(theirs, method) == (ours.metric == "euclidean")
        if hasattr(ours, method):
            answer, expected = getattr(ours, method)(data), getattr(theirs, method)(X)
            np.testing.assert_allclose(answer, expected, rtol=1e-7, atol=1e-10)


@pytest.mark.nojit
def test_the_nearest_centroid_is_the_nearest():
    X, y = classes(60)
    means = np.array([X[y == c].mean(axis=0) for c in range(3)])
    nearest = ((X[:, np.newaxis] - means) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(NearestCentroid().fit(X, y).predict(X), nearest)
    medians = np.array([np.median(X[y == c], axis=0) for c in range(3)])
    nearest = np.abs(X[:, np.newaxis] - medians).sum(axis=2).argmin(axis=1)
    model = NearestCentroid(metric="manhattan").fit(X, y)
    np.testing.assert_array_equal(model.predict(X), nearest)


@pytest.mark.nojit
def test_a_large_threshold_leaves_the_mean_of_all():
    X, y = classes(60)
    model = NearestCentroid(shrink_threshold=1e3).fit(X, y)
    np.testing.assert_allclose(model.centroids_, np.tile(X.mean(axis=0), (3, 1)))
    assert not model.deviations_.any()
    np.testing.assert_array_equal(model.predict(X), np.zeros(60))  # equally near: the first


def test_two_classes_have_one_score():
    X, y = classes()
    ours, theirs = (model.fit(X, y == 2) for model in pair("NearestCentroid"))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-14)
    assert np.isfinite(ours.predict_log_proba(1e3 * X)).all()


def test_single_precision_has_the_same_centroids():
    X, y = classes()
    single = X.astype(np.float32)
    one, other = (NearestCentroid().fit(A, y) for A in (single, single.astype(np.float64)))
    np.testing.assert_array_equal(one.centroids_, other.centroids_)
    np.testing.assert_array_equal(one.predict(single), other.predict(single.astype(np.float64)))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"priors": [-2.0, 2.0, 1.0]}, "priors must be non-negative"),
        ({"priors": [0.5, 0.5]}, "Number of priors must match number of classes"),
        ({"priors": "even"}, "'priors' parameter"),
        ({"metric": "cosine"}, "'metric' parameter"),
        ({"shrink_threshold": 0.0}, "'shrink_threshold' parameter"),
    ],
    ids=str,
)
def test_centroids_that_are_refused(params, message):
    X, y = classes()
    with pytest.raises(ValueError, match=message) as caught:
        NearestCentroid(**params).fit(X, y)
    assert "NearestCentroid" in str(caught.value)


def test_data_without_centroids():
    X, y = classes()
    with pytest.raises(ValueError, match="number of classes has to be greater than one; got 1"):
        NearestCentroid().fit(X, np.zeros(120))
    for convert in (np.array, scipy.sparse.csr_matrix):
        with pytest.raises(ValueError, match="All features have zero variance. Division by zero."):
            NearestCentroid().fit(convert(np.ones((120, 2))), y)
    with pytest.warns(UserWarning, match="The priors do not sum to 1. Normalizing such that"):
        model = NearestCentroid(priors=[2.0, 4.0, 2.0]).fit(X, y)
    np.testing.assert_array_equal(model.class_prior_, [0.25, 0.5, 0.25])
    X[:, 0] = y
    with pytest.warns(UserWarning, match="has at least 1 zero standard deviation"):
        NearestCentroid().fit(X, y)


@pytest.mark.parametrize("params", CENTROIDS, ids=str)
@pytest.mark.parametrize("scale", [2.0**-531, 2.0**531])
def test_centroids_do_not_depend_on_the_scale(params, scale):
    """Squares of 1e-160 have three digits, and those of 1e160 none."""
    X, y = classes()
    one, other = (NearestCentroid(**params).fit(X * s, y) for s in (1.0, scale))
    np.testing.assert_allclose(other.within_class_std_dev_, scale * one.within_class_std_dev_)
    np.testing.assert_array_equal(other.predict(X * scale), one.predict(X))
    if "metric" not in params:
        np.testing.assert_allclose(other.predict_proba(X * scale), one.predict_proba(X))
    sparse = scipy.sparse.csr_array(X)
    np.testing.assert_array_equal(other.predict(sparse * scale), one.predict(sparse))


def test_samples_too_far_to_tell_the_classes_apart():
    X, y = classes()
    for n_classes in (2, 3):
        model = NearestCentroid().fit(X[y < n_classes], y[y < n_classes])
        shares = model.predict_proba(np.full((2, 4), 1e200))
        np.testing.assert_allclose(shares, 1.0 / n_classes)
