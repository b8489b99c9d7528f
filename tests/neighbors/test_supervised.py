"""Classifiers and regressors: equal to the slow twin, and their invariants."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from litlearn.neighbors import (
    BallTree,
    KDTree,
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
)
from litlearn.neighbors._base import inverse_distance_weights

pytestmark = pytest.mark.nojit


def decaying(dist):
    return np.exp(-dist)


WEIGHTS = ["uniform", None, "distance", decaying]


def data(seed=0, n=60, p=2, m=15):
    """Points on a grid, so that ties, duplicates and zero distances occur, with targets."""
    rng = np.random.default_rng(seed)
    X, Q = (rng.integers(-3, 4, size=(count, p)).astype(float) for count in (n, m))
    return X, Q, rng.integers(0, 3, size=n), rng.normal(size=(n, 2))


# Equality with the twin


@pytest.mark.parametrize("weights", WEIGHTS)
def test_means_of_k_neighbors_are_the_twin(weights):
    """eq-knn-regression with eq-weights-uniform, eq-weights-distance."""
    X, Q, _, Y = data()
    model = KNeighborsRegressor(6, weights=weights).fit(X, Y)
    expected = [
        reference.weighted_mean(dist, ind, Y, weights)
        for dist, ind in zip(*reference.k_neighbors(X, Q, 6), strict=True)
    ]
    np.testing.assert_allclose(model.predict(Q), expected, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_means_within_a_radius_are_the_twin(weights):
    """eq-knn-regression with eq-radius-neighborhood."""
    X, Q, _, Y = data(1)
    model = RadiusNeighborsRegressor(1.5, weights=weights).fit(X, Y[:, 0])
    expected = [
        reference.weighted_mean(dist, ind, Y[:, 0], weights)
        for dist, ind in zip(*reference.radius_neighbors(X, Q, 1.5), strict=True)
    ]
    np.testing.assert_allclose(model.predict(Q), expected, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("kind", ["int", "str"])
def test_votes_of_k_neighbors_are_the_twin(weights, kind):
    """eq-knn-classification with eq-weights-uniform, eq-weights-distance."""
    X, Q, y, _ = data(2)
    y = y if kind == "int" else np.array(["control", "disease A", "disease B"])[y]
    model = KNeighborsClassifier(6, weights=weights).fit(X, y)
    np.testing.assert_array_equal(model.classes_, np.unique(y))
    shares = np.array(
        [
            reference.vote_shares(dist, ind, y, model.classes_, weights)
            for dist, ind in zip(*reference.k_neighbors(X, Q, 6), strict=True)
        ]
    )
    np.testing.assert_allclose(model.predict_proba(Q), shares, rtol=1e-13, atol=1e-15)
    predicted = model.predict(Q)
    assert predicted.dtype == y.dtype
    top = np.sort(shares, axis=1)
    clear = top[:, -1] - top[:, -2] > 1e-9
    assert clear.any()
    np.testing.assert_array_equal(
        predicted[clear], model.classes_[np.argmax(shares, axis=1)][clear]
    )


@pytest.mark.parametrize("weights", WEIGHTS)
def test_votes_within_a_radius_are_the_twin(weights):
    """eq-knn-classification with eq-radius-neighborhood."""
    X, Q, y, _ = data(3)
    model = RadiusNeighborsClassifier(2.0, weights=weights).fit(X, y)
    shares = [
        reference.vote_shares(dist, ind, y, model.classes_, weights)
        for dist, ind in zip(*reference.radius_neighbors(X, Q, 2.0), strict=True)
    ]
    np.testing.assert_allclose(model.predict_proba(Q), shares, rtol=1e-13, atol=1e-15)


def test_a_vote_by_hand():
    """eq-knn-classification: four points on a line, checked with a pencil."""
    X, y = [[0.0], [1.0], [3.0], [4.0]], ["a", "a", "b", "b"]
    uniform = KNeighborsClassifier(3).fit(X, y)
    np.testing.assert_allclose(uniform.predict_proba([[1.8]]), [[2 / 3, 1 / 3]])
    weighted = KNeighborsClassifier(3, weights="distance").fit(X, y)
    votes = np.array([1 / 1.8 + 1 / 0.8, 1 / 1.2])
    np.testing.assert_allclose(weighted.predict_proba([[1.8]]), [votes / votes.sum()])
    values = KNeighborsRegressor(2, weights="distance").fit(X, [0.0, 1.0, 3.0, 4.0])
    assert values.predict([[1.6]])[0] == pytest.approx((1 / 0.6 + 3 / 1.4) / (1 / 0.6 + 1 / 1.4))


# Weights


def test_a_zero_distance_takes_all_the_weight():
    """eq-weights-distance at distance zero; duplicates share."""
    X, y = [[0.0], [0.0], [1.0], [2.0]], [1.0, 3.0, 50.0, 60.0]
    model = KNeighborsRegressor(4, weights="distance").fit(X, y)
    np.testing.assert_array_equal(model.predict([[0.0], [1.0]]), [2.0, 50.0])


def test_weights_survive_extreme_distances():
    """eq-weights-distance: 1 / d overflows for denormal d; the weights do not."""
    dist = np.array([5e-324, 1e-323, 1e300, np.inf, np.inf, 0.0, 0.0, 1.0])
    indptr = np.array([0, 4, 5, 8])
    weights = inverse_distance_weights(dist, indptr)
    np.testing.assert_array_equal(weights, [1.0, 0.5, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0])


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_weights_are_inverse_distances_up_to_a_factor(seed):
    """eq-weights-distance."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 6, size=8)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    dist = rng.integers(0, 5, size=indptr[-1]) * rng.random()
    weights = inverse_distance_weights(dist, indptr)
    for start, stop in itertools.pairwise(indptr):
        if start < stop:
            expected = reference.neighbor_weights(dist[start:stop], "distance")
            got = weights[start:stop] / weights[start:stop].sum()
            np.testing.assert_allclose(got, expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda d: d * np.nan, "holds NaN"),
        (lambda d: d[:, :1], "has shape"),
        (lambda d: -d - 1, "holds negative weights"),
        (lambda d: 0 * d, "All neighbors of some sample is getting zero weights"),
        (lambda d: np.full(d.shape, "a"), "not numbers"),
        (lambda d: None, "has shape"),
    ],
)
@pytest.mark.parametrize("estimator", [KNeighborsClassifier, KNeighborsRegressor])
def test_callable_weights_are_checked(estimator, function, message):
    model = estimator(3, weights=function).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    with np.errstate(divide="ignore"), pytest.raises(ValueError, match=message):
        model.predict([[0.0]])


def test_infinite_weights_share_all_of_it():
    X, Q, y, _ = data(4)
    with np.errstate(divide="ignore"):
        for estimator, size in ((KNeighborsRegressor, 3), (RadiusNeighborsRegressor, 2.0)):
            inverse = estimator(size, weights=lambda table: 1 / table).fit(X, y)
            known = estimator(size, weights="distance").fit(X, y)
            np.testing.assert_allclose(inverse.predict(Q), known.predict(Q), rtol=1e-14)


@pytest.mark.parametrize("estimator", [RadiusNeighborsClassifier, RadiusNeighborsRegressor])
def test_callable_weights_within_a_radius_take_either_form(estimator):
    X, Q, y, _ = data(4)

    def by_row(rows):  # the form that scikit-learn's users write
        assert rows.dtype == object and rows.shape == (len(Q),)
        return np.array([np.exp(-row) for row in rows] + [None], dtype=object)[:-1]

    plain = estimator(2.0, weights=decaying).fit(X, y).predict(Q)
    np.testing.assert_array_equal(estimator(2.0, weights=by_row).fit(X, y).predict(Q), plain)
    for function, message in (
        (lambda rows: np.array([1.0] * len(rows)), "one weight for each distance"),
        (lambda rows: [0 * row for row in rows], "zero weights"),
    ):
        with pytest.raises(ValueError, match=message):
            estimator(2.0, weights=function).fit(X, y).predict(Q)


# Several outputs


def test_several_class_outputs_are_separate_votes():
    """eq-knn-classification, one vote for each column."""
    X, Q, y, _ = data(5)
    Y = np.column_stack([y, (y > 0).astype(int), y[::-1]])
    for make in (
        lambda: KNeighborsClassifier(4),
        lambda: RadiusNeighborsClassifier(2.0, weights="distance", outlier_label="most_frequent"),
    ):
        model = make().fit(X, Y)
        assert model.outputs_2d_ and len(model.classes_) == 3
        separate = [make().fit(X, column) for column in Y.T]
        np.testing.assert_array_equal(
            model.predict(Q), np.column_stack([one.predict(Q) for one in separate])
        )
        for shares, one in zip(model.predict_proba(Q), separate, strict=True):
            np.testing.assert_array_equal(shares, one.predict_proba(Q))
    with pytest.warns(UserWarning, match="column-vector"):
        assert not KNeighborsClassifier().fit(X, Y[:, :1]).outputs_2d_


def test_several_real_outputs_are_separate_means():
    """eq-knn-regression, one mean for each column."""
    X, Q, _, Y = data(6)
    for estimator in (KNeighborsRegressor(4, weights="distance"), RadiusNeighborsRegressor(2.5)):
        both = estimator.fit(X, Y).predict(Q)
        assert both.shape == (15, 2)
        for j in range(2):
            np.testing.assert_array_equal(estimator.fit(X, Y[:, j]).predict(Q), both[:, j])
        assert estimator.fit(X, Y[:, :1]).predict(Q).shape == (15, 1)


# Ties and outliers


def test_tied_votes_go_to_the_first_class():
    X, y = [[0.0], [2.0]], ["b", "a"]
    assert KNeighborsClassifier(2).fit(X, y).predict([[1.0]])[0] == "a"
    assert RadiusNeighborsClassifier(1.0).fit(X, y).predict([[1.0]])[0] == "a"


def test_tied_neighbours_go_to_the_lower_row():
    X, y = [[2.0], [0.0], [1.0]], ["x", "y", "z"]
    for algorithm in ("brute", "kd_tree", "ball_tree"):
        model = KNeighborsClassifier(2, weights="distance", algorithm=algorithm).fit(X, y)
        np.testing.assert_array_equal(model.kneighbors([[1.0]], return_distance=False), [[2, 0]])


def test_queries_without_neighbours():
    """eq-radius-neighborhood, empty."""
    X, y = [[0.0], [1.0], [1.5]], ["b", "a", "a"]
    far = [[0.0], [9.0]]
    with pytest.raises(ValueError, match=r"No neighbors found for test samples array\(\[1\]\)"):
        RadiusNeighborsClassifier(0.5).fit(X, y).predict(far)
    frequent = RadiusNeighborsClassifier(0.5, outlier_label="most_frequent").fit(X, y)
    assert frequent.outlier_label_ == ["a"]
    assert frequent.predict(far).tolist() == ["b", "a"]
    np.testing.assert_array_equal(frequent.predict_proba(far), [[0, 1], [1, 0]])
    manual = RadiusNeighborsClassifier(0.5, outlier_label="b").fit(X, y)
    assert manual.predict(far).tolist() == ["b", "b"]
    np.testing.assert_array_equal(manual.predict_proba(far), [[0, 1], [0, 1]])
    new = RadiusNeighborsClassifier(0.5, outlier_label="?").fit(X, y)
    with pytest.warns(UserWarning, match="Outlier label \\? is not in training classes"):
        assert new.predict(far).tolist() == ["b", "?"]
    with pytest.warns(UserWarning, match="Outlier label \\? is not in training classes"):
        np.testing.assert_array_equal(new.predict_proba(far), [[0, 1], [0, 0]])
    mean = RadiusNeighborsRegressor(0.5).fit(X, [1, 2, 3])
    with pytest.warns(UserWarning, match="no neighbors within specified radius; predicting NaN"):
        np.testing.assert_array_equal(mean.predict(far), [1.0, np.nan])


def test_outlier_labels_of_several_outputs():
    X, Y = [[0.0], [1.0]], [[0, 5], [1, 6]]
    model = RadiusNeighborsClassifier(0.5, outlier_label=[1, 5]).fit(X, Y)
    np.testing.assert_array_equal(model.predict([[9.0]]), [[1, 5]])
    with pytest.raises(ValueError, match="has 3 entries, but y has 2 outputs"):
        RadiusNeighborsClassifier(outlier_label=[1, 2, 3]).fit(X, Y)
    with pytest.raises(TypeError, match="supposed to be a scalar"):
        RadiusNeighborsClassifier(outlier_label=[[1], [2]]).fit(X, Y)
    with pytest.raises(TypeError, match="inconsistent with classes"):
        RadiusNeighborsClassifier(outlier_label="a").fit(X, [0, 1])


def test_blocks_of_queries_do_not_change_a_bit():
    """The radius estimators predict block by block."""
    rng = np.random.default_rng(7)
    X, Q = rng.normal(size=(20, 1)), rng.normal(size=(2600, 1))
    y = rng.normal(size=20)
    model = RadiusNeighborsRegressor(9.0, weights="distance").fit(X, y)
    whole = model.predict(Q)
    pieces = np.concatenate([model.predict(piece) for piece in np.array_split(Q, 7)])
    np.testing.assert_array_equal(whole, pieces)


# Training samples, lent indices


@pytest.mark.parametrize(
    "model",
    [
        KNeighborsClassifier(3),
        RadiusNeighborsClassifier(1.0, outlier_label=0),
        KNeighborsRegressor(3),
        RadiusNeighborsRegressor(1.0),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore:.*no neighbors within")
def test_none_predicts_each_training_sample_from_the_others(model):
    X, _, y, _ = data(8, n=25)
    model.fit(X, y)
    all_at_once = model.predict(None)
    one_by_one = [
        model.fit(np.delete(X, i, axis=0), np.delete(y, i)).predict(X[[i]])[0] for i in range(25)
    ]
    np.testing.assert_array_equal(all_at_once, one_by_one)
    if hasattr(model, "predict_proba"):
        assert model.fit(X, y).score(None, y) == np.mean(all_at_once == y)
        assert model.predict_proba(None).shape == (25, 3)


def test_a_tree_or_another_estimator_lends_its_index():
    X, Q, y, _ = data(9)
    expected = KNeighborsClassifier(3).fit(X, y).predict(Q)
    for lender in (KDTree(X, leaf_size=2), BallTree(X), NearestNeighbors().fit(X)):
        model = KNeighborsClassifier(3).fit(lender, y)
        assert model.n_samples_fit_ == 60 and model.n_features_in_ == 2
        np.testing.assert_array_equal(model.predict(Q), expected)
    assert KNeighborsClassifier().fit(BallTree(X, metric="l1"), y).effective_metric_ == "l1"


@given(seed=st.integers(0, 2**32 - 1), algorithm=st.sampled_from(["brute", "kd_tree", "ball_tree"]))
@settings(max_examples=15)
def test_shares_are_a_distribution_and_means_stay_in_range(seed, algorithm):
    """eq-knn-classification and eq-knn-regression: weights sum to one."""
    X, Q, y, Y = data(seed)
    k = int(np.random.default_rng(seed).integers(1, 30))
    for weights in ("uniform", "distance"):
        model = KNeighborsClassifier(k, weights=weights, algorithm=algorithm).fit(X, y)
        shares = model.predict_proba(Q)
        assert np.all(shares >= 0)
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-14)
        means = KNeighborsRegressor(k, weights=weights, algorithm=algorithm).fit(X, Y).predict(Q)
        slack = 1e-12
        assert np.all(means >= Y.min(axis=0) - slack) and np.all(means <= Y.max(axis=0) + slack)
