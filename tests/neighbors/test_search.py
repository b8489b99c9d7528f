"""Search through the estimators: equal to the slow twin, and unchanged by what must not matter."""

import pickle

import numba
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import reference
from litlearn._core.distances import MINKOWSKI, Metric
from litlearn.neighbors import BallTree, KDTree, NearestNeighbors
from litlearn.neighbors._metrics import lost_to_underflow

pytestmark = pytest.mark.nojit

ALGORITHMS = ("brute", "kd_tree", "ball_tree")
TREE_METRICS = [
    {"metric": "euclidean"},
    {"metric": "manhattan"},
    {"metric": "chebyshev"},
    {"metric": "minkowski", "p": 3},
]
METRICS = [
    *TREE_METRICS,
    {"metric": "l2"},
    {"metric": "l1"},
    {"metric": "cityblock"},
    {"metric": "infinity"},
    {"metric": "sqeuclidean"},
    {"metric": "hamming"},
    {"metric": "minkowski", "p": 1},
    {"metric": "minkowski", "p": np.inf},
    {"metric": "minkowski", "p": 2, "w": [1.0, 0.5, 2.0]},
    {"metric": "minkowski", "p": 1.5, "w": [1.0, 0.0, 2.0]},
]


def grid(rng, n, p, low=-3, high=4):
    """Points on a coarse grid: many duplicates and ties, and distances without rounding."""
    return rng.integers(low, high, size=(n, p)).astype(np.float64)


def estimator(metric=None, **settings):
    metric = dict(metric or {})
    w = metric.pop("w", None)
    params = {"metric_params": {"w": w}} if w is not None else {}
    return NearestNeighbors(**metric, **params, **settings)


def assert_rows_equal(got, expected, exactly=True):
    assert len(got) == len(expected)
    for one, other in zip(got, expected, strict=True):
        if exactly:
            np.testing.assert_array_equal(one, other)
        else:
            np.testing.assert_allclose(one, other, rtol=1e-13)


# Equality with the twin


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_brute_force_is_the_twin(metric):
    """eq-k-neighborhood, eq-radius-neighborhood; eq-euclidean, eq-minkowski, eq-chebyshev and
    eq-hamming as metrics."""
    rng = np.random.default_rng(0)
    X, Q = grid(rng, 60, 3), grid(rng, 20, 3)
    model = estimator(metric, algorithm="brute").fit(X)
    dist, ind = model.kneighbors(Q, 7)
    expected_dist, expected_ind = reference.k_neighbors(X, Q, 7, **metric)
    np.testing.assert_array_equal(ind, expected_ind)
    np.testing.assert_allclose(dist, expected_dist, rtol=1e-14)
    dist, ind = model.radius_neighbors(Q, 2.5, sort_results=True)
    expected_dist, expected_ind = reference.radius_neighbors(X, Q, 2.5, sort=True, **metric)
    assert_rows_equal(ind, expected_ind)
    assert_rows_equal(dist, expected_dist, exactly=False)


@pytest.mark.parametrize("algorithm", ["kd_tree", "ball_tree"])
@pytest.mark.parametrize("metric", TREE_METRICS, ids=str)
def test_trees_are_the_twin(algorithm, metric):
    """eq-k-neighborhood, eq-radius-neighborhood; eq-box-bound, eq-triangle-bound, eq-ball-bound."""
    rng = np.random.default_rng(1)
    X, Q = grid(rng, 90, 3), grid(rng, 20, 3)
    model = estimator(metric, algorithm=algorithm, leaf_size=4).fit(X)
    dist, ind = model.kneighbors(Q, 9)
    expected_dist, expected_ind = reference.k_neighbors(X, Q, 9, **metric)
    np.testing.assert_array_equal(ind, expected_ind)
    np.testing.assert_allclose(dist, expected_dist, rtol=1e-14)
    dist, ind = model.radius_neighbors(Q, 2.0)
    expected_dist, expected_ind = reference.radius_neighbors(X, Q, 2.0, **metric)
    assert_rows_equal(ind, expected_ind)
    assert_rows_equal(dist, expected_dist, exactly=False)


def test_random_euclidean_distances_are_the_twin_to_the_last_bit():
    """eq-euclidean: the same sum in the same order."""
    rng = np.random.default_rng(2)
    X, Q = rng.normal(size=(80, 11)), rng.normal(size=(15, 11))
    expected_dist, expected_ind = reference.k_neighbors(X, Q, 6)
    for algorithm in ALGORITHMS:
        dist, ind = NearestNeighbors(algorithm=algorithm, leaf_size=5).fit(X).kneighbors(Q, 6)
        np.testing.assert_array_equal(ind, expected_ind)
        np.testing.assert_array_equal(dist, expected_dist)


def test_cosine_is_the_twin():
    """eq-cosine-distance."""
    rng = np.random.default_rng(3)
    X, Q = rng.normal(size=(50, 4)), rng.normal(size=(10, 4))
    dist, ind = NearestNeighbors(metric="cosine").fit(X).kneighbors(Q, 5)
    expected_dist, expected_ind = reference.k_neighbors(X, Q, 5, metric="cosine")
    np.testing.assert_array_equal(ind, expected_ind)
    np.testing.assert_allclose(dist, expected_dist, atol=1e-15)


def test_a_callable_metric_is_the_twin():
    def first_axis(a, b, scale=1.0):
        return scale * abs(a[0] - b[0])

    rng = np.random.default_rng(4)
    X, Q = grid(rng, 40, 2), grid(rng, 10, 2)
    model = NearestNeighbors(metric=first_axis, metric_params={"scale": 2.0}).fit(X)
    assert model.effective_metric_ is first_axis
    dist, ind = model.kneighbors(Q, 5)
    expected_dist, expected_ind = reference.k_neighbors(
        X, Q, 5, metric=lambda a, b: first_axis(a, b, 2.0)
    )
    np.testing.assert_array_equal(ind, expected_ind)
    np.testing.assert_array_equal(dist, expected_dist)
    dist, ind = model.radius_neighbors(Q, 2.0)
    assert_rows_equal(
        ind, reference.radius_neighbors(X, Q, 2.0, metric=lambda a, b: first_axis(a, b, 2.0))[1]
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_training_samples_leave_themselves_out(algorithm):
    """eq-k-neighborhood without the query itself, also among duplicates."""
    X = np.array([[0.0], [0.0], [0.0], [1.0], [5.0]])
    model = NearestNeighbors(algorithm=algorithm, leaf_size=1).fit(X)
    dist, ind = model.kneighbors(n_neighbors=2)
    np.testing.assert_array_equal(ind, [[1, 2], [0, 2], [0, 1], [0, 1], [3, 0]])
    np.testing.assert_array_equal(dist, [[0, 0], [0, 0], [0, 0], [1, 1], [4, 5]])
    ind = model.radius_neighbors(radius=1.0, return_distance=False)
    assert_rows_equal(ind, [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2], []])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_more_neighbours_within_a_radius_than_there_was_room_for(algorithm):
    X = np.random.default_rng(0).normal(size=(200, 2))
    model = NearestNeighbors(algorithm=algorithm, leaf_size=8).fit(X)
    rows = model.radius_neighbors(X[:5], 100.0, return_distance=False)
    assert_rows_equal(rows, [np.arange(200)] * 5)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_radius_is_a_weak_inequality_and_may_differ_between_queries(algorithm):
    """eq-radius-neighborhood."""
    X = np.arange(6.0)[:, np.newaxis]
    model = NearestNeighbors(algorithm=algorithm, leaf_size=1).fit(X)
    assert_rows_equal(model.radius_neighbors([[2.0]], 1.0, False), [[1, 2, 3]])
    assert_rows_equal(model.radius_neighbors([[2.0]], np.nextafter(1.0, 0), False), [[2]])
    rows = model.radius_neighbors([[0.0], [0.0], [9.0]], [0.0, 2.0, 1.0], False)
    assert_rows_equal(rows, [[0], [0, 1, 2], []])
    assert_rows_equal(model.radius_neighbors([[2.5]], np.inf, False), [np.arange(6)])


# Invariants

points = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 40), st.integers(1, 4)),
    elements=st.one_of(
        st.integers(-3, 3).map(float),
        st.floats(-1e6, 1e6, allow_nan=False),
        st.sampled_from([0.0, -0.0, 5e-324, 1e-310, 1e8, 1e8 + 1]),
    ),
)


@given(X=points, data=st.data(), metric=st.sampled_from(TREE_METRICS))
@settings(max_examples=40)
def test_all_algorithms_return_the_same_bits(X, data, metric):
    """eq-k-neighborhood and eq-radius-neighborhood, with every bound of the trees."""
    k = data.draw(st.integers(1, len(X)))
    leaf_size = data.draw(st.sampled_from([1, 2, 30]))
    radius = data.draw(st.sampled_from([0.0, 1.0, 3.5, 1e6]))
    results = []
    for algorithm in ALGORITHMS:
        model = estimator(metric, algorithm=algorithm, leaf_size=leaf_size).fit(X)
        dist, ind = model.kneighbors(X, k)
        near_dist, near_ind = model.radius_neighbors(X, radius)
        results.append((dist, ind, np.concatenate(near_dist), np.concatenate(near_ind)))
    for other in results[1:]:
        for got, expected in zip(other, results[0], strict=True):
            np.testing.assert_array_equal(got, expected)


@given(seed=st.integers(0, 2**32 - 1), algorithm=st.sampled_from(ALGORITHMS))
@settings(max_examples=20)
def test_the_order_of_samples_and_features_does_not_matter(seed, algorithm):
    """The distances, on a grid where no sum rounds."""
    rng = np.random.default_rng(seed)
    X, Q = grid(rng, 50, 4), grid(rng, 9, 4)
    rows, columns = rng.permutation(50), rng.permutation(4)
    dist, _ = NearestNeighbors(algorithm=algorithm, leaf_size=3).fit(X).kneighbors(Q, 8)
    moved = NearestNeighbors(algorithm=algorithm, leaf_size=3).fit(X[rows][:, columns])
    moved_dist, moved_ind = moved.kneighbors(Q[:, columns], 8)
    np.testing.assert_array_equal(dist, moved_dist)
    np.testing.assert_array_equal(
        np.linalg.norm(X[rows][moved_ind] - Q[:, np.newaxis], axis=2), moved_dist
    )


@given(seed=st.integers(0, 2**32 - 1), algorithm=st.sampled_from(ALGORITHMS))
@settings(max_examples=15)
def test_single_precision_data_have_the_neighbours_of_their_double(seed, algorithm):
    rng = np.random.default_rng(seed)
    X, Q = (rng.normal(size=(n, 3)).astype(np.float32) for n in (40, 8))
    X[5] = X[3]
    single = NearestNeighbors(algorithm=algorithm, leaf_size=4).fit(X).kneighbors(Q, 6)
    double = NearestNeighbors(algorithm=algorithm, leaf_size=4).fit(X.astype(float))
    for one, other in zip(single, double.kneighbors(Q.astype(float), 6), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_precisions_of_samples_and_queries_may_differ(algorithm):
    rng = np.random.default_rng(5)
    X, Q = rng.normal(size=(60, 3)), rng.normal(size=(10, 3))
    for fit_on, ask in ((np.float32, np.float64), (np.float64, np.float32)):
        A, B = X.astype(fit_on), Q.astype(ask)
        got = NearestNeighbors(algorithm=algorithm).fit(A).kneighbors(B, 5)
        expected = reference.k_neighbors(A, B, 5)
        for one, other in zip(got, expected, strict=True):
            np.testing.assert_array_equal(one, other)


def hard_cases():
    rng = np.random.default_rng(7)
    yield "offset", rng.normal(size=(60, 3)) + 1e8
    yield "offset-float32", (rng.normal(size=(60, 3)) + 1e4).astype(np.float32)
    yield "denormals", rng.integers(0, 50, size=(60, 2)) * 5e-324
    yield "tiny", rng.integers(0, 50, size=(60, 2)) * 1e-170
    yield "huge", rng.normal(size=(60, 2)) * 1e150
    yield "constant-column", np.column_stack([np.full(60, 7.0), rng.normal(size=60)])
    yield "all-equal", np.full((40, 3), 2.5)
    yield "one-sample", np.array([[1.0, 2.0]])
    yield "one-feature", rng.integers(0, 20, size=(60, 1)).astype(float)
    yield "many-features", rng.normal(size=(30, 500))
    yield "mixed-scales", rng.normal(size=(60, 3)) * [1e-8, 1.0, 1e8]
    yield "signed-zeros", np.array([[0.0], [-0.0], [0.0], [1.0], [-1.0]])
    yield "boolean", rng.random(size=(60, 5)) < 0.5


def near_one(X):
    """The power of two that takes tiny data to where the twin's squares keep their digits."""
    return 2.0**1000 if 0.0 < np.abs(X).max() < 1e-150 else 1.0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(("name", "X"), list(hard_cases()))
def test_hard_cases_are_exact(algorithm, name, X):
    """eq-k-neighborhood; eq-expanded-square, eq-preselection-bound where brute force selects."""
    model = NearestNeighbors(algorithm=algorithm, leaf_size=3).fit(X)
    for k in {1, min(5, len(X)), len(X)}:
        dist, ind = model.kneighbors(X, k)
        unit = near_one(X)
        expected_dist, expected_ind = reference.k_neighbors(X * unit, X * unit, k)
        np.testing.assert_array_equal(ind, expected_ind)
        np.testing.assert_array_equal(dist, expected_dist / unit)


@pytest.mark.parametrize("tree", [KDTree, BallTree])
@pytest.mark.parametrize(("name", "X"), list(hard_cases()))
def test_radii_of_hard_cases_are_exact(tree, name, X):
    """eq-radius-neighborhood, at a radius that is exactly a distance."""
    X = np.asarray(X, dtype=float)
    unit = near_one(X)
    radius = reference.k_neighbors(X * unit, X[:1] * unit, len(X))[0][0, len(X) // 3] / unit
    ind, dist = tree(X, leaf_size=3).query_radius(X, radius, return_distance=True)
    expected_dist, expected_ind = reference.radius_neighbors(X * unit, X * unit, radius * unit)
    expected_dist = [one / unit for one in expected_dist]
    assert_rows_equal(ind, expected_ind)
    assert_rows_equal(dist, expected_dist)
    brute = NearestNeighbors(algorithm="brute").fit(X).radius_neighbors(X, radius)
    assert_rows_equal(brute[1], expected_ind)
    assert_rows_equal(brute[0], expected_dist)


# ------------------------------------------------------------------ bounds that rounding moves


@pytest.mark.parametrize("way", [210, 225, 240])
def test_a_ball_is_nearer_than_it_seems(way):
    """eq-ball-bound: squares that are all rounded up make the way to the centre too long."""
    p, unit = 400, 2.0**-53
    ball = np.full((8, p), np.sqrt(1.002 * unit))
    ball[:, 0] = 1 + 2.0**-10 * np.repeat([-1, 1], 4)
    nearest = np.sqrt((ball[0].astype(np.longdouble) ** 2).sum())
    others = np.zeros((8, p))
    others[:, 0] = 2.0**-10 - 1 - way * unit
    assert nearest < -others[0, 0] < nearest * (1 + 50 * unit)
    index = BallTree(np.vstack([others, ball]), leaf_size=8).query(np.zeros((1, p)))[1]
    assert index == 8


# ------------------------------------------------------------------ at the edges of the numbers


# These tests provoke overflows. Run as plain Python, NumPy's scalars warn of them; compiled code,
# which is what ships, must not.
PROVOKED = "ignore:(overflow|invalid value) encountered:RuntimeWarning"
overflows = pytest.mark.filterwarnings(PROVOKED if numba.config.DISABLE_JIT else "error")


# Compiled, many points and queries cost nothing. As plain Python, enough for a tree with a few
# levels above its buckets of 64 points, and for the products that need at least 8 queries.
POINTS, QUERIES = (300, 10) if numba.config.DISABLE_JIT else (3000, 100)


def neighbours_by(algorithm, X, Q, k=3, **options):
    """Distances and indices by one algorithm, with small leaves."""
    search = NearestNeighbors(n_neighbors=k, algorithm=algorithm, leaf_size=8, **options)
    return search.fit(X).kneighbors(Q)


@overflows
@pytest.mark.parametrize("magnitude", [1e14, 1e16, 1e40, 1e145, 1e200, 1e300])
def test_queries_far_outside_the_data(magnitude):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(400, 20)), rng.normal(size=(12, 20))
    Q[3] = np.where(rng.random(20) < 0.5, -1, 1) * magnitude
    brute, tree = (neighbours_by(algorithm, X, Q) for algorithm in ("brute", "kd_tree"))
    np.testing.assert_array_equal(brute[1], tree[1])
    assert brute[1].max() < 400


@overflows
@pytest.mark.parametrize(
    "scale", [1e-300, 1e-170, 1e-158, 1e-154, 1e-110, 1e148, 8e153, 1e154, 1e300]
)
@pytest.mark.parametrize("p", [1, 2, 3])
def test_data_of_any_size(scale, p):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(POINTS, 6)) * scale, rng.normal(size=(QUERIES, 6)) * scale
    brute, *trees = (
        neighbours_by(algorithm, X, Q, p=p) for algorithm in ("brute", "kd_tree", "ball_tree")
    )
    for tree in trees:
        np.testing.assert_array_equal(brute, tree)


@pytest.mark.parametrize(("order", "spread"), [(100, 1e-4), (60, 1e-6), (30, 1e-12)])
def test_large_orders_underflow_without_losing_neighbours(order, spread):
    X = np.random.default_rng(0).normal(size=(POINTS, 2)) * spread
    brute, *trees = (
        neighbours_by(algorithm, X, [[1.0, 0.0]], p=order)[1]
        for algorithm in ("brute", "kd_tree", "ball_tree")
    )
    for tree in trees:
        np.testing.assert_array_equal(brute, tree)


def test_what_underflow_can_take_from_a_distance():
    """Powers of differences of which each is just too small for the numbers."""
    w, tiny = np.array([1.0, 4.0, 0.5]), np.finfo(np.float64).tiny
    lost = lost_to_underflow(Metric(MINKOWSKI, 30.0, w))
    assert lost >= (w.sum() * tiny) ** (1 / 30)


@pytest.mark.parametrize(("order", "scale"), [(3, 1e-50), (2.5, 1e50), (1.5, 1e-60)])
def test_ties_by_index_for_general_orders(order, scale):
    rng = np.random.default_rng(2)
    X = np.c_[rng.integers(0, 30, POINTS), rng.integers(0, 2, POINTS)] * scale
    Q = np.c_[rng.integers(-50, 80, QUERIES), rng.integers(0, 2, QUERIES)] * scale
    brute, *trees = (
        neighbours_by(algorithm, X, Q, p=order)[1]
        for algorithm in ("brute", "kd_tree", "ball_tree")
    )
    for tree in trees:
        np.testing.assert_array_equal(brute, tree)


@overflows
@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("order", [60, np.inf])
def test_a_weight_of_zero_silences_a_feature_that_would_overflow(algorithm, order):
    rng = np.random.default_rng(0)
    x, number = rng.normal(size=300), rng.choice([-1.2e308, 1.2e308], 300)
    X, Q = np.c_[x, number], np.c_[x[:5], number[::-1][:5]]
    options = {"p": order, "metric_params": {"w": [1.0, 0.0]}}
    found = neighbours_by(algorithm, X, Q, **options)[1]
    np.testing.assert_array_equal(found, neighbours_by("brute", X[:, :1], Q[:, :1], p=order)[1])


@pytest.mark.parametrize(
    ("metric", "far", "r"),
    [
        ("manhattan", 1.5e308, 1.7e308),
        ("euclidean", 1.2e154, 1.3e154),
        ("euclidean", 1.2e154, 1e200),
    ],
)
def test_radii_as_large_as_the_numbers_go(metric, far, r):
    search = NearestNeighbors(metric=metric).fit([[0.0], [far]])
    assert search.radius_neighbors([[0.0]], radius=r, return_distance=False)[0].tolist() == [0, 1]


def test_a_pickle_holds_the_data_once():
    X = np.random.default_rng(0).normal(size=(3000, 12))
    search = NearestNeighbors(algorithm="brute").fit(X)
    for _ in range(2):
        assert len(pickle.dumps(search)) < 1.1 * X.nbytes
        search = pickle.loads(pickle.dumps(search))
    search.kneighbors(X[:20])


def test_a_callable_that_returns_nan_is_refused():
    search = NearestNeighbors(n_neighbors=1, metric=lambda a, b: np.nan).fit([[0.0], [1.0]])
    with pytest.raises(ValueError, match="returned NaN for point 0"):
        search.kneighbors([[0.0]])


# --- the range of numbers ------------------------------------------------------------------------

SCALES = (2.0**-531, 2.0**-1000, 2.0**500, 2.0**531)  # squares of 1e-160 have three digits


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("metric", METRICS[:-5] + METRICS[-2:], ids=str)
def test_neighbours_do_not_depend_on_the_scale(metric, algorithm, scale):
    """Powers of two multiply exactly: the same neighbours, at distances with the same digits."""
    if metric["metric"] in ("sqeuclidean", "hamming") and algorithm != "brute":
        return  # trees do not have them
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(130, 3)), rng.normal(size=(20, 3))
    dist, ind = estimator(metric, algorithm=algorithm).fit(X).kneighbors(Q, 9)
    model = estimator(metric, algorithm=algorithm).fit(X * scale)
    exactly = metric.get("p", 2) in (1, 2, np.inf)
    power = 2 if metric["metric"] == "sqeuclidean" else 1
    with np.errstate(over="ignore", under="ignore"):
        expected = dist * scale if power == 1 else dist * scale * scale
    for queries in (Q * scale, np.asfortranarray(Q * scale), (Q * scale).tolist()):
        found, index = model.kneighbors(queries, 9)
        np.testing.assert_array_equal(index, ind)
        if exactly:
            np.testing.assert_array_equal(found, expected)
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-13)
    if power == 1:
        r = np.median(dist[:, -1])
        near = (
            estimator(metric, algorithm=algorithm).fit(X).radius_neighbors(Q, r, sort_results=True)
        )
        found = model.radius_neighbors(Q * scale, r * scale, sort_results=True)
        assert_rows_equal(found[1], near[1], exactly=True)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_queries_far_from_tiny_data(algorithm):
    """They would leave the range of numbers where the data were scaled up."""
    X = np.random.default_rng(0).normal(size=(130, 3)) * 1e-160
    model = NearestNeighbors(algorithm=algorithm).fit(X)
    Q = np.array([[3.0, 4.0, 0.0], [1e-160, 0.0, 0.0], [3e60, 4e60, 0.0]])
    dist, index = model.kneighbors(Q, 2)
    np.testing.assert_allclose(dist[::2], [[5.0, 5.0], [5e60, 5e60]])
    np.testing.assert_array_equal(index[::2], [[0, 1], [0, 1]])  # equally far: the first ones
    counts = [len(one) for one in model.radius_neighbors(Q, 6.0, return_distance=False)]
    assert counts == [130, 130, 0]


@pytest.mark.parametrize("tree", [KDTree, BallTree])
@pytest.mark.parametrize("scale", SCALES)
def test_trees_do_not_depend_on_the_scale(tree, scale):
    X = np.random.default_rng(0).normal(size=(130, 3))
    one, other = tree(X), tree(X * scale)
    radii = np.array([0.5, 1.0, 2.0])
    np.testing.assert_array_equal(
        one.two_point_correlation(X, radii), other.two_point_correlation(X * scale, radii * scale)
    )
    for a, b in zip(one.get_arrays()[1:], other.get_arrays()[1:], strict=True):
        if a.dtype.names:
            np.testing.assert_array_equal(a["idx_start"], b["idx_start"])
            np.testing.assert_allclose(a["radius"] * scale, b["radius"], rtol=1e-12)
        else:
            np.testing.assert_array_equal(a * scale if a.dtype.kind == "f" else a, b)
    logs = one.kernel_density(X, 0.5, return_log=True)
    scaled = other.kernel_density(X * scale, 0.5 * scale, return_log=True)
    np.testing.assert_allclose(scaled, logs - 3 * np.log(scale), rtol=1e-9)


@pytest.mark.parametrize("scale", SCALES)
def test_sparse_data_and_gaps_do_not_depend_on_the_scale(scale):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(60, 4)), rng.normal(size=(9, 4))
    X[rng.random(X.shape) < 0.4] = 0.0
    gaps = np.where(X == 0.0, np.nan, X)
    gaps[:, 0] = X[:, 0]
    for metric, points in (("euclidean", scipy.sparse.csr_array(X)), ("nan_euclidean", gaps)):
        queries = scipy.sparse.csr_array(Q) if metric == "euclidean" else Q
        dist, index = NearestNeighbors(metric=metric).fit(points).kneighbors(queries)
        found = NearestNeighbors(metric=metric).fit(points * scale).kneighbors(queries * scale)
        np.testing.assert_array_equal(found[1], index)
        np.testing.assert_array_equal(found[0], dist * scale)
