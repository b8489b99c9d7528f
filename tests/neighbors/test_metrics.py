"""Every metric that scikit-learn takes: dense, sparse, precomputed, and in a tree where it fits."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse
import sklearn.neighbors
from scipy.spatial import distance
from sklearn.metrics import DistanceMetric
from sklearn.pipeline import make_pipeline

import litlearn.neighbors
import protocol
import reference
from litlearn.neighbors import (
    BallTree,
    KDTree,
    KNeighborsClassifier,
    KNeighborsRegressor,
    KNeighborsTransformer,
    NearestNeighbors,
    RadiusNeighborsRegressor,
    RadiusNeighborsTransformer,
    _tiles,
    sort_graph_by_row_values,
)

V = np.array([0.5, 2.0, 1.0])
ROOT = np.array([[1.0, 0.5, 0.0], [0.0, 1.0, -0.3], [0.0, 0.0, 2.0]])
VI = ROOT @ ROOT.T


def haversine(a, b):
    """The arc between two points (latitude, longitude), by its textbook formula."""
    half = np.sin((a[0] - b[0]) / 2) ** 2
    half += np.cos(a[0]) * np.cos(b[0]) * np.sin((a[1] - b[1]) / 2) ** 2
    return 2 * np.arcsin(np.sqrt(half))


def with_gaps(a, b):
    known = ~np.isnan(a - b)
    return np.sqrt(len(a) / known.sum() * np.sum((a - b)[known] ** 2))


# Each with the formula of its own, on numbers. To SciPy's Chebyshev a weight is one or none.
NUMBERS = [
    ("braycurtis", {}, distance.braycurtis),
    ("canberra", {}, distance.canberra),
    ("correlation", {}, distance.correlation),
    ("minkowski", {"p": 0.5}, lambda a, b: np.sum(np.abs(a - b) ** 0.5) ** 2),
    ("hamming", {"w": V}, lambda a, b: V @ (a != b) / V.sum()),
    ("chebyshev", {"w": V}, lambda a, b: np.max(np.abs(a - b))),
    ("sqeuclidean", {"w": V}, lambda a, b: V @ (a - b) ** 2),
    ("seuclidean", {"V": V}, lambda a, b: np.sqrt(np.sum((a - b) ** 2 / V))),
    ("mahalanobis", {"VI": VI}, lambda a, b: np.sqrt((a - b) @ VI @ (a - b))),
    ("mahalanobis", {"V": np.linalg.inv(VI)}, lambda a, b: np.sqrt((a - b) @ VI @ (a - b))),
    ("nan_euclidean", {}, with_gaps),
]
BOOLEAN = {
    "dice": distance.dice,
    "jaccard": distance.jaccard,
    "rogerstanimoto": distance.rogerstanimoto,
    "russellrao": distance.russellrao,
    "sokalsneath": distance.sokalsneath,
    "yule": distance.yule,
}


def points(seed, n=60, m=15, p=3, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)).astype(dtype), rng.normal(size=(m, p)).astype(dtype)


def places(seed, n=150):
    """Latitudes and longitudes in radians, all over the sphere."""
    rng = np.random.default_rng(seed)
    return np.column_stack([np.arcsin(rng.uniform(-1, 1, n)), rng.uniform(-np.pi, np.pi, n)])


def assert_searches_agree(model, queries, X, metric, r, rtol=1e-12):
    """Both searches give what the slow twin gives: eq-k-neighborhood, eq-radius-neighborhood."""
    dist, ind = model.kneighbors(queries, 6)
    expected_dist, expected_ind = reference.k_neighbors(X, queries, 6, metric=metric)
    np.testing.assert_array_equal(ind, expected_ind)
    np.testing.assert_allclose(dist, expected_dist, rtol=rtol, atol=1e-14)
    dist, ind = model.radius_neighbors(queries, r, sort_results=True)
    expected_dist, expected_ind = reference.radius_neighbors(
        X, queries, r, metric=metric, sort=True
    )
    for one, other in zip(ind, expected_ind, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(
        np.concatenate(dist), np.concatenate(expected_dist), rtol=rtol, atol=1e-14
    )


# --- dense data ------------------------------------------------------------------------------


@pytest.mark.nojit
@pytest.mark.filterwarnings("ignore:Mind that for 0 < p < 1")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("name", "params", "formula"),
    NUMBERS,
    ids=[f"{name}-{'-'.join(given)}" for name, given, _ in NUMBERS],
)
def test_metrics_of_numbers_are_their_formulas(name, params, formula, dtype):
    X, Q = points(0, dtype=dtype)
    if name == "nan_euclidean":
        X[::7, 1] = Q[3, 0] = np.nan
    if name == "hamming":
        X, Q = X.round(), Q.round()
    model = NearestNeighbors(metric=name, metric_params=params, p=None).fit(X)
    assert_searches_agree(
        model, Q.astype(float), X.astype(float), formula, 1.3, rtol=1e-9 if dtype == "f4" else 1e-12
    )


@pytest.mark.nojit
@pytest.mark.parametrize("name", BOOLEAN)
def test_metrics_of_booleans_are_their_formulas(name):
    rng = np.random.default_rng(1)
    X, Q = rng.random((40, 12)) < 0.4, rng.random((8, 12)) < 0.4
    model = NearestNeighbors(metric=name).fit(X)
    dist, ind = model.kneighbors(Q, 6)
    table = np.array([[BOOLEAN[name](q, x) for x in X] for q in Q])
    np.testing.assert_array_equal(ind, np.argsort(table, axis=1, kind="stable")[:, :6])
    np.testing.assert_allclose(dist, np.sort(table, axis=1)[:, :6])
    with pytest.warns(UserWarning, match=f"Data was converted to boolean for metric {name}"):
        again = NearestNeighbors(metric=name).fit(X * 3.0)
    protocol.assert_same(again.kneighbors(Q * -2.0, 6), (dist, ind))


@pytest.mark.nojit
@pytest.mark.parametrize("algorithm", ["auto", "brute", "ball_tree"])
def test_haversine_is_the_arc(algorithm):
    X, Q = places(0), places(1, 12)
    X[1] = Q[1]
    model = NearestNeighbors(metric="haversine", algorithm=algorithm, leaf_size=8).fit(X)
    assert model._fit_method == ("brute" if algorithm == "brute" else "ball_tree")
    assert_searches_agree(model, Q, X, haversine, 0.6, rtol=1e-9)
    assert model.kneighbors(Q[1:2], 1)[0] == 0.0
    everybody = model.radius_neighbors(Q, np.pi, return_distance=False)
    assert {len(row) for row in everybody} == {len(X)}


@pytest.mark.parametrize(
    ("name", "params"), [("seuclidean", {"V": V}), ("mahalanobis", {"VI": VI})], ids=str
)
def test_a_change_of_coordinates_serves_the_ball_tree(name, params):
    """The same neighbours, also far from zero, where a product would lose the digits."""
    X, Q = points(2, n=400)
    X, Q = X + 1e6, Q + 1e6
    settings = {"metric": name, "metric_params": params, "radius": 1.0}
    models = [
        NearestNeighbors(algorithm=a, leaf_size=8, **settings).fit(X)
        for a in ("brute", "ball_tree", "auto")
    ]
    assert [model._fit_method for model in models] == ["brute", "ball_tree", "ball_tree"]
    expected = distance.cdist(Q, X, name, **params)
    for model in models:
        dist, ind = model.kneighbors(Q)
        np.testing.assert_array_equal(ind, np.argsort(expected, axis=1)[:, :5])
        np.testing.assert_allclose(dist, np.sort(expected, axis=1)[:, :5], rtol=1e-9)
        again = pickle.loads(pickle.dumps(model))
        protocol.assert_same(again.kneighbors(Q), (dist, ind))
        np.testing.assert_array_equal(
            [len(row) for row in model.radius_neighbors(Q, return_distance=False)],
            (expected <= 1.0).sum(axis=1),
        )
    tree = BallTree(X, metric=name, **params)
    protocol.assert_same(tree.query(Q, 5), models[0].kneighbors(Q), rtol=1e-13)
    counts = tree.query_radius(Q, 1.0, count_only=True)
    np.testing.assert_array_equal(counts, (expected <= 1.0).sum(axis=1))
    assert tree.two_point_correlation(Q, [1.0]) == (expected <= 1.0).sum()


# SciPy before 1.17 has sokalmichener, too: another name of rogerstanimoto.
@pytest.mark.parametrize(
    "name", [one for one in sklearn.neighbors.VALID_METRICS["brute"] if one != "sokalmichener"]
)
def test_every_metric_of_scikit_learn_is_taken(name):
    X, Q = points(3)
    X, Q = (X, Q) if name != "haversine" else (X[:, :2], Q[:, :2])
    params = {"seuclidean": {"V": V}, "mahalanobis": {"VI": VI}}.get(name)
    if name in BOOLEAN:
        X, Q = X > 0.2, Q > 0.2
    if name == "braycurtis":  # its two formulas differ for negative numbers
        X, Q = abs(X), abs(Q)
    if name == "precomputed":
        X, Q = distance.cdist(X, X), distance.cdist(Q, X)
    ours, theirs = (
        package.NearestNeighbors(metric=name, metric_params=params, algorithm="brute").fit(X)
        for package in (litlearn.neighbors, sklearn.neighbors)
    )
    np.testing.assert_allclose(
        ours.kneighbors(Q)[0], theirs.kneighbors(Q)[0], rtol=1e-7, atol=1e-14
    )
    assert name in litlearn.neighbors.VALID_METRICS["brute"]


def test_metrics_that_are_objects_of_scikit_learn():
    for dtype in (np.float64, np.float32):
        X, Q = points(4, n=200, dtype=dtype)
        metric = DistanceMetric.get_metric("canberra", dtype=dtype)
        dist, ind = NearestNeighbors(metric=metric).fit(X).kneighbors(Q)
        expected = NearestNeighbors(metric="canberra").fit(X).kneighbors(Q)
        np.testing.assert_allclose(dist, expected[0], rtol=1e-14 if dtype == np.float64 else 1e-5)
        with pytest.warns(UserWarning, match="cannot use an object as its metric"):
            model = NearestNeighbors(metric=metric, algorithm="kd_tree").fit(X)
        np.testing.assert_array_equal(model.kneighbors(Q)[1], ind)


@pytest.mark.parametrize(
    "metric", ["canberra", "jaccard", "hamming", lambda a, b: abs(a - b).sum()]
)
def test_a_ball_tree_that_cannot_be_says_so_and_is_brute_force(metric):
    X, Q = points(5)
    X, Q = np.round(abs(X)) > 0, np.round(abs(Q)) > 0
    with pytest.warns(UserWarning, match="a ball_tree cannot use metric .* using brute force"):
        model = NearestNeighbors(metric=metric, algorithm="ball_tree").fit(X)
    expected = NearestNeighbors(metric=metric, algorithm="brute").fit(X).kneighbors(Q)
    protocol.assert_same(model.kneighbors(Q), expected)


def test_minkowski_below_one_is_brute_force_with_a_warning():
    X, _ = points(6, n=300)
    for params in ({"p": 0.5}, {"p": None, "metric_params": {"p": 0.5}}):
        with pytest.warns(UserWarning, match="Mind that for 0 < p < 1, Minkowski metrics are not"):
            model = NearestNeighbors(**params).fit(X)
        assert model._fit_method == "brute"
        assert model.effective_metric_params_["p"] == 0.5
    for algorithm in ("kd_tree", "ball_tree"):
        message = f'algorithm="{algorithm}" does not support 0 < p < 1 for the Minkowski metric'
        with pytest.raises(ValueError, match=message):
            NearestNeighbors(p=0.5, algorithm=algorithm).fit(X)


def test_what_is_not_a_number_is_farther_than_anything():
    X = np.array([[0.0, np.nan], [1.0, np.nan], [np.nan, 3.0]])
    model = NearestNeighbors(n_neighbors=3, metric="nan_euclidean").fit(X)
    dist, ind = model.kneighbors([[2.0, np.nan]])
    np.testing.assert_array_equal(ind, [[1, 0, 2]])
    np.testing.assert_allclose(dist, [[np.sqrt(2), np.sqrt(8), np.inf]])
    assert list(model.radius_neighbors([[2.0, np.nan]], 9.0, False)[0]) == [0, 1]
    with pytest.raises(ValueError, match="contains NaN"):
        NearestNeighbors().fit(X)


@pytest.mark.parametrize("metric", ["canberra", "seuclidean", "haversine", "nan_euclidean"])
def test_the_number_of_threads_changes_no_bit(metric):
    X = places(7, 1500)
    params = {"V": V[:2]} if metric == "seuclidean" else None
    model = NearestNeighbors(metric=metric, metric_params=params, radius=0.2)

    def answer(model):
        dist, ind = model.radius_neighbors()
        return [*model.kneighbors(), np.concatenate(dist), np.concatenate(ind)]

    protocol.check_the_number_of_threads_changes_no_bit(model, X, None, answer)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"metric": "seuclidean"}, "The 'V' parameter is required for the seuclidean metric"),
        ({"metric": "mahalanobis"}, "The 'VI' parameter is required for the mahalanobis metric"),
        ({"metric": "seuclidean", "metric_params": {"V": [1.0, 0.0, 1.0]}}, "must be positive"),
        ({"metric": "seuclidean", "metric_params": {"V": [1.0]}}, "has 1 variances, but X has 3"),
        ({"metric": "seuclidean", "metric_params": {"V": "a"}}, "one number for each feature"),
        ({"metric": "mahalanobis", "metric_params": {"VI": -np.eye(3)}}, "semi-definite"),
        ({"metric": "mahalanobis", "metric_params": {"V": np.ones((3, 3))}}, "positive definite"),
        ({"metric": "mahalanobis", "metric_params": {"VI": np.eye(2)}}, "has 2 rows, but X has 3"),
        ({"metric": "mahalanobis", "metric_params": {"VI": np.ones((3, 2))}}, "must be square"),
        ({"metric": "mahalanobis", "metric_params": {"VI": np.full((3, 3), np.nan)}}, "finite"),
        ({"metric": "canberra", "metric_params": {"V": V}}, "has no parameter .*'V'"),
        ({"metric": "canberra", "algorithm": "kd_tree"}, "Metric 'canberra' not valid"),
        ({"metric": "haversine", "algorithm": "kd_tree"}, "Metric 'haversine' not valid"),
        ({"metric": "haversine", "algorithm": "ball_tree"}, "only valid in 2 dimensions"),
        ({"metric": "wminkowski"}, "Metric 'wminkowski' not valid"),
    ],
    ids=lambda value: value if isinstance(value, str) else value["metric"],
)
def test_metrics_that_are_refused(settings, message):
    X, _ = points(8)
    with pytest.raises(ValueError, match=message) as caught:
        NearestNeighbors(**settings).fit(X)
    assert "NearestNeighbors" in str(caught.value)


def test_haversine_by_brute_force_is_refused_when_it_is_asked():
    X, Q = points(9)
    model = NearestNeighbors(metric="haversine", algorithm="brute").fit(X)
    with pytest.raises(ValueError, match="NearestNeighbors: Haversine distance only valid in 2"):
        model.kneighbors(Q)
    with pytest.raises(ValueError, match="Metric 'canberra' not valid"):
        BallTree(X, metric="canberra")
    with pytest.raises(ValueError, match="Haversine distance only valid in 2 dimensions"):
        BallTree(X, metric="haversine")


# --- sparse data -----------------------------------------------------------------------------


def sparse_points(seed=0, n=90, p=25):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, p)) < 0.2, rng.normal(size=(n, p)), 0.0)
    X[3] = 0.0
    X[10] = X[11]
    X[20:40] = X[50] + 1e-9 * X[20:40]  # so close that a product loses all digits
    return X, X[:30] * (1 + 1e-3)


@pytest.mark.parametrize("container", ["csr_matrix", "csr_array", "csc_array", "lil_matrix"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "l1", "minkowski"])
def test_sparse_samples_have_the_distances_of_dense_ones(metric, container):
    X, Q = sparse_points()
    convert = getattr(scipy.sparse, container)
    model = NearestNeighbors(metric=metric, radius=0.9).fit(convert(X))
    assert model._fit_method == "brute"
    dense = NearestNeighbors(metric=metric, radius=0.9, algorithm="brute").fit(X)
    for queries, same in ((convert(Q), Q), (Q, Q), (None, None)):
        dist, expected = model.kneighbors(queries)[0], dense.kneighbors(same)[0]
        np.testing.assert_allclose(dist, expected, rtol=1e-11, atol=1e-15)
        rows, expected = model.radius_neighbors(queries)[1], dense.radius_neighbors(same)[1]
        for one, other in zip(rows, expected, strict=True):
            np.testing.assert_array_equal(one, other)
    again = dense.kneighbors(convert(Q))
    protocol.assert_same(again, dense.kneighbors(Q))


@pytest.mark.parametrize(("share", "again"), [(0.5e-3, True), (2e-3, False)])
def test_sparse_samples_that_are_close_are_measured_by_difference(share, again):
    """Below a thousandth of their squares, where sums of products keep too few digits."""
    X = sparse_points()[0]
    X, Q = (scipy.sparse.csr_array(one) for one in (X, X * (1 + np.sqrt(2 * share))))
    found = np.diagonal(_tiles.by_sparse_products("euclidean", Q, X))
    assert np.array_equal(found, np.sqrt(((Q - X) ** 2).sum(axis=1))) == again


def test_sparse_samples_of_whole_numbers_have_the_same_ties():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, size=(120, 6)).astype(np.float32)
    for metric in ("euclidean", "manhattan"):
        sparse = NearestNeighbors(metric=metric, n_jobs=2).fit(scipy.sparse.csr_array(X))
        dense = NearestNeighbors(metric=metric, algorithm="brute").fit(X)
        protocol.assert_same(sparse.kneighbors(), dense.kneighbors())
        protocol.assert_same(sparse.set_params(n_jobs=1).kneighbors(), dense.kneighbors())


def test_the_callers_sparse_data_stay_as_they_are():
    X, _ = sparse_points()
    data = scipy.sparse.csr_matrix(X)
    kept = data.copy()
    model = NearestNeighbors(metric="manhattan").fit(data)
    model.kneighbors(data)
    model.kneighbors()
    assert (data != kept).nnz == 0 and data.data.flags.writeable
    again = pickle.loads(pickle.dumps(model))
    protocol.assert_same(again.kneighbors(data), model.kneighbors(data))


def test_supervised_estimators_take_sparse_samples():
    X, Q = sparse_points()
    y = (X.sum(axis=1) > 0).astype(int)
    for model in (
        KNeighborsClassifier(3, weights="distance"),
        KNeighborsRegressor(3),
        RadiusNeighborsRegressor(5.0),
    ):
        dense = model.set_params(algorithm="brute").fit(X, y).predict(Q)
        sparse = model.fit(scipy.sparse.csr_matrix(X), y).predict(scipy.sparse.csr_matrix(Q))
        np.testing.assert_allclose(sparse, dense)


def test_sparse_samples_that_are_refused():
    X, _ = points(10, n=200)
    sparse = scipy.sparse.csr_matrix(X)
    for metric in ("canberra", "haversine", "chebyshev"):
        with pytest.raises(ValueError, match=f"Metric '{metric}' not valid for sparse input"):
            NearestNeighbors(metric=metric).fit(sparse)
    with pytest.warns(UserWarning, match="cannot use tree with sparse input: using brute force"):
        NearestNeighbors(algorithm="kd_tree").fit(sparse)
    model = NearestNeighbors(algorithm="kd_tree").fit(X)
    with pytest.raises(ValueError, match="NearestNeighbors: kd_tree does not support sparse input"):
        model.kneighbors(sparse)
    with pytest.raises(ValueError, match="contains NaN"):
        NearestNeighbors().fit(protocol.SPARSE_WITH_MISSING)
    with pytest.raises(TypeError, match="KDTree requires dense data"):
        KDTree(sparse)


def test_a_function_of_sparse_rows():
    def common(a, b):
        assert scipy.sparse.issparse(a) and a.shape == (1, 25)
        return -(a @ b.T).toarray().item() + 100.0

    X, Q = sparse_points()
    model = NearestNeighbors(metric=common).fit(scipy.sparse.csr_array(X))
    dist, _ = model.kneighbors(scipy.sparse.csr_array(Q))
    np.testing.assert_allclose(dist, np.sort(100.0 - Q @ X.T, axis=1)[:, :5])


# --- distances that are given --------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil"])
def test_sparse_graphs_are_searched(form):
    """eq-k-neighborhood, eq-radius-neighborhood: among what the graph stores."""
    X, Q = points(11)
    builder = NearestNeighbors(radius=1.5).fit(X)
    D, asked = (builder.radius_neighbors_graph(A, mode="distance") for A in (X, Q + 1e-3))
    y = X[:, 0]
    direct = KNeighborsRegressor(2, weights="distance").fit(X, y)
    model = KNeighborsRegressor(2, weights="distance", metric="precomputed").fit(
        D.asformat(form), y
    )
    fewest = int(np.diff(asked.indptr).min())
    assert fewest >= 2
    np.testing.assert_array_equal(model.predict(asked.asformat(form)), direct.predict(Q + 1e-3))
    within = RadiusNeighborsRegressor(0.9).fit(X, y)
    model = RadiusNeighborsRegressor(0.9, metric="precomputed").fit(D.asformat(form), y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of queries without neighbours
        for mine, theirs in ((asked.asformat(form), Q + 1e-3), (None, None)):
            np.testing.assert_array_equal(model.predict(mine), within.predict(theirs))


def test_a_sample_is_not_its_own_neighbour_in_a_graph():
    X, _ = points(12)
    graph = KNeighborsTransformer(n_neighbors=8).fit_transform(X)
    model = NearestNeighbors(metric="precomputed").fit(graph)
    expected = NearestNeighbors().fit(X)
    protocol.assert_same(model.kneighbors(), expected.kneighbors())
    with pytest.raises(ValueError, match="10 neighbors per samples are required, but some"):
        model.kneighbors(n_neighbors=9)
    dense = model.kneighbors(np.arange(60.0).reshape(1, -1), 2)  # dense queries of a sparse graph
    protocol.assert_same(dense, ([[0.0, 1.0]], [[0, 1]]))


@pytest.mark.filterwarnings("ignore:.*have no neighbors within specified radius")
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_a_pipeline_of_a_graph_and_an_estimator(weights):
    X, Q = points(13)
    y = (X[:, 0] > 0).astype(int)
    direct = KNeighborsClassifier(4, weights=weights).fit(X, y)
    within = RadiusNeighborsRegressor(2.0, weights=weights).fit(X, y)
    for transformer, model, expected in (
        (KNeighborsTransformer(n_neighbors=9), direct, direct.predict_proba(Q)),
        (RadiusNeighborsTransformer(radius=9.0), direct, direct.predict_proba(Q)),
        (RadiusNeighborsTransformer(radius=2.0), within, within.predict(Q)),
    ):
        searching = type(model)(**{**model.get_params(), "metric": "precomputed"})
        chain = make_pipeline(transformer, searching).fit(X, y)
        answer = chain.predict_proba(Q) if model is direct else chain.predict(Q)
        np.testing.assert_array_equal(answer, expected)


@pytest.mark.parametrize("name", ["KNeighborsTransformer", "RadiusNeighborsTransformer"])
@pytest.mark.parametrize("mode", ["distance", "connectivity"])
def test_transformers_are_those_of_scikit_learn(name, mode):
    X, Q = points(14)
    ours, theirs = (
        getattr(package, name)(mode=mode).fit(X)
        for package in (litlearn.neighbors, sklearn.neighbors)
    )
    assert ours.get_params() == theirs.get_params()
    for queries in (X, Q):
        one, other = ours.transform(queries), theirs.transform(queries)
        np.testing.assert_allclose(one.toarray(), other.toarray(), atol=1e-7)
        np.testing.assert_array_equal(one.indptr, other.indptr)
    np.testing.assert_allclose(ours.fit_transform(X).toarray(), theirs.transform(X).toarray())
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())


def test_graphs_that_are_refused():
    X, _ = points(15)
    graph = NearestNeighbors(radius=9.0).fit(X).radius_neighbors_graph(X, mode="distance")
    model = NearestNeighbors(metric="precomputed").fit(graph)
    for form in ("dok", "bsr"):
        with pytest.raises(TypeError, match="not supported due to its handling of explicit zeros"):
            model.kneighbors(graph.asformat(form))
    negative = graph.copy()
    negative.data[5] = -1.0
    with pytest.raises(ValueError, match="passed to precomputed distance matrix. NearestNeigh"):
        model.kneighbors(negative)
    with pytest.raises(ValueError, match="must be a square matrix. Input is a 7x60"):
        NearestNeighbors(metric="precomputed").fit(graph[:7])
    with pytest.raises(ValueError, match="'mode' parameter of KNeighborsTransformer"):
        KNeighborsTransformer(mode="both").fit(X)


def test_rows_of_a_graph_sorted_by_their_values():
    X, _ = points(16)
    graph = NearestNeighbors(radius=2.0).fit(X).radius_neighbors_graph(X, mode="distance")
    kept = graph.copy()
    one = sort_graph_by_row_values(graph, copy=True)
    other = sklearn.neighbors.sort_graph_by_row_values(kept.copy(), warn_when_not_sorted=False)
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        np.testing.assert_array_equal(getattr(graph, name), getattr(kept, name))
    assert sort_graph_by_row_values(graph) is graph
    np.testing.assert_array_equal(graph.data, one.data)
    np.testing.assert_array_equal(sort_graph_by_row_values(kept.tocoo(), copy=True).data, one.data)
    with pytest.raises(ValueError, match="not in CSR format. Use copy=True"):
        sort_graph_by_row_values(kept.tocsc())
    with pytest.raises(TypeError, match="handling of explicit zeros"):
        sort_graph_by_row_values(kept.todok(), copy=True)
    with pytest.raises(TypeError, match="must be a sparse matrix, got ndarray"):
        sort_graph_by_row_values(kept.toarray())


@pytest.mark.parametrize("sort", [False, True])
def test_a_sample_at_the_radius_is_near_in_a_graph_of_other_queries(sort):
    model = NearestNeighbors(radius=2.0, metric="precomputed")
    model.fit(scipy.sparse.csr_array(np.ones((3, 3)) - np.eye(3)))
    queries = scipy.sparse.csr_array([[1.0, 2.0, 3.0], [3.0, 2.5, 2.0]])
    dist, ind = model.radius_neighbors(queries, sort_results=sort)
    assert [list(one) for one in ind] == [[0, 1], [2]]
    assert [list(one) for one in dist] == [[1.0, 2.0], [2.0]]
