"""Distances: exact by difference, and scores that never claim more than they know."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array

from litlearn._core import distances, selection
from reference import near_ties

pytestmark = pytest.mark.nojit

NOBODY = distances.NOBODY


def make_metric(code, p, order=3.0):
    return distances.Metric(code, order, np.ones(p))


EUCLIDEAN = distances.EUCLIDEAN


def one_by_one(X, Q):
    """Squared distances, features added up one after the other: the order of block_distances."""
    out = np.zeros((len(Q), len(X)))
    for j in range(X.shape[1]):
        gap = Q[:, j].astype(float)[:, None] - X[:, j].astype(float)
        out += gap * gap
    return out


def twin(X, Q, k, skip):
    """The k nearest by (distance, index), from all distances."""
    lengths = one_by_one(X, Q)
    found = np.flatnonzero(skip != NOBODY)
    lengths[found, skip[found]] = np.inf
    index = np.argsort(lengths, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(lengths, index, axis=1), index


def read_only(array):
    array.flags.writeable = False
    return array


# ------------------------------------------------------------------ by difference


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("code", "combine"),
    [
        (distances.EUCLIDEAN, lambda gap: (gap**2).sum(axis=-1)),
        (distances.MANHATTAN, lambda gap: np.abs(gap).sum(axis=-1)),
        (distances.CHEBYSHEV, lambda gap: np.abs(gap).max(axis=-1)),
        (distances.MINKOWSKI, lambda gap: (np.abs(gap) ** 3).sum(axis=-1)),
        (distances.HAMMING, lambda gap: (gap != 0).sum(axis=-1)),
    ],
)
def test_differences(code, combine, dtype):
    rng = np.random.default_rng(0)
    X = read_only(rng.integers(-4, 5, (150, 3)).astype(dtype))
    Q = rng.integers(-4, 5, (7, 3)).astype(float)
    metric, found = make_metric(code, 3), np.empty((7, 150))
    distances.difference_tile(metric, X, Q, found)
    np.testing.assert_allclose(found, combine(Q[:, None] - X), rtol=1e-14)


def test_differences_have_one_order_of_summation():
    """The bits of a sum feature by feature, whatever the place of a point in its block."""
    X = np.random.default_rng(1).normal(size=(300, 9)) * 10.0 ** np.arange(9)
    for shift in (0, 1, 127):
        points, found = read_only(X[shift:].copy()), np.empty((20, 300 - shift))
        distances.difference_tile(make_metric(EUCLIDEAN, 9), points, X[:20], found)
        np.testing.assert_array_equal(found, one_by_one(points, X[:20]))


# ------------------------------------------------------------------ scores


def exact_scores(X, Q, scaling):
    """Scores by eq-expanded-square in rational arithmetic, from distances as they are reported."""
    scale = Fraction(scaling.scale)
    norms = [
        sum((Fraction(v) - Fraction(c)) ** 2 for v, c in zip(q, scaling.center, strict=True))
        for q in Q
    ]
    reduced = [[float(((x - q) ** 2).sum()) for x in X] for q in Q]
    return np.array(
        [
            [(Fraction(d) - norm) * scale**2 / 2 for d in row]
            for row, norm in zip(reduced, norms, strict=True)
        ]
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["plain", "offset", "outlier", "tiny", "wide"])
def test_scores_are_right_to_within_their_bound(dtype, name):
    """eq-preselection-bound holds for eq-expanded-square, and is not far too wide."""
    rng = np.random.default_rng(0)
    p = 300 if name == "wide" else 12
    X, Q = rng.standard_normal((40, p)), rng.standard_normal((9, p))
    if name == "offset":
        X, Q = X + 1e8, Q + 1e8
    elif name == "outlier":
        X[7], Q[3] = 1e6, -1e5
    elif name == "tiny":
        X, Q = X * 1e-80, Q * 1e-80
    scaling = distances.fit_scaling(X)
    points, queries = np.empty((40, p + 1), dtype), np.empty((9, p + 1), dtype)
    norms = np.empty(9)
    radius = distances.load_points(X, 0, 40, scaling, points)
    distances.load_queries(Q, scaling, queries, norms)
    scores = queries @ points.T
    errors = distances.score_errors(dtype, p, norms, radius, scaling.scale)
    # The exact score uses the unrounded centring, so the bound has to cover that rounding as well.
    gap = np.abs(
        (exact_scores(X, Q, scaling) - np.vectorize(Fraction)(scores.astype(float))).astype(float)
    )
    assert (gap <= errors[:, np.newaxis]).all()
    assert (gap.max(axis=1) * 1e4 > errors).any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_bound_of_the_scores_is_the_one_that_was_proven(dtype):
    """eq-preselection-bound, term by term; the last one matters where coordinates are tiny."""
    unit, tiny, p, scale = np.finfo(dtype).eps / 2, np.finfo(dtype).tiny, 7, 2.0**511
    norms, radius = np.array([0.0, 3.0, 1e3]), 2.0
    expected = (p + 8) * (unit + 2.0**-52) * (norms + radius) ** 2 / 2 + p * tiny * (1 + norms)
    expected += p * (5e-324 * scale * scale)
    found = distances.score_errors(dtype, p, norms, radius, scale)
    np.testing.assert_allclose(found, expected, rtol=1e-12 if dtype == np.float64 else 1e-7)
    assert distances.score_errors(dtype, p, np.zeros(1), 0.0, 1.0)[0] == pytest.approx(p * tiny)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("p", [64, 100])
def test_near_ties_that_products_turn_round(p, dtype):
    """Scores that are wrong by much of what eq-preselection-bound allows for leave both points."""
    Q, points = near_ties(p, np.finfo(dtype).eps / 2)
    products = [np.cumsum((Q * one).astype(dtype), axis=1)[:, -1] for one in points]
    assert (products[0] < products[1]).all()  # as the halves of the norms are equal: farther
    for nearest, some in ((0, points), (1, points[::-1])):
        X = read_only(np.vstack([some, -some]))  # their middle is zero
        scaling, skip = distances.fit_scaling(X), np.full(len(Q), NOBODY)
        out = np.empty((len(Q), 1)), np.empty((len(Q), 1), dtype=np.intp)
        metric = make_metric(EUCLIDEAN, p)
        assert not distances.knn_by_products(metric, scaling, X, Q, dtype, skip, *out).size
        np.testing.assert_array_equal(out[0], one_by_one(X, Q).min(axis=1, keepdims=True))
        np.testing.assert_array_equal(out[1], nearest)


@pytest.mark.parametrize("is_set", [False, True], ids=["moved", "set"])
@pytest.mark.parametrize("k", [1, 3])
def test_scores_as_wrong_as_they_may_be(k, is_set):
    """Whatever way each score errs, within its bound, the k nearest stay among the candidates."""
    rng, n = np.random.default_rng(0), 2 * distances.SCREEN + 7
    errors = rng.uniform(0.5, 2.0, size=40)
    exact = rng.uniform(0.0, 3.0, size=(40, n)) * errors[:, None]
    scores = exact + 0.999 * errors[:, None] * rng.choice([-1.0, 1.0], size=(40, n))
    candidates = distances.no_candidates(40, k, n)
    for start in (0, 50):
        tile = scores[:, :50] if start == 0 else scores[:, 50:]
        if is_set and start == 0:
            distances.set_bar(tile, errors, candidates.upper)
        moving = not is_set or start > 0
        distances.preselect(tile.copy(), start, errors, candidates, moving)
    upper, _, lower, index, held = candidates
    for i in range(40):
        few = distances.drop_hopeless(lower[i], index[i], held[i], upper[i, 0])
        assert set(np.argsort(exact[i])[:k]) <= set(index[i, :few])


def test_the_bar_is_the_same_set_at_once_or_moved_point_by_point():
    rng, k = np.random.default_rng(4), 5
    scores, errors = rng.normal(size=(30, 2 * distances.SCREEN)), rng.uniform(0.1, 1.0, size=30)
    moved, at_once = (distances.no_candidates(30, k, scores.shape[1]) for _ in range(2))
    distances.preselect(scores, 0, errors, moved, True)
    distances.set_bar(scores, errors, at_once.upper)
    distances.preselect(scores, 0, errors, at_once, False)
    np.testing.assert_array_equal(np.sort(moved.upper)[:, ::-1], at_once.upper)
    assert (at_once.held <= moved.held).all() and at_once.held.sum() < moved.held.sum()


def test_each_metric_has_a_code_of_its_own():
    names = ("EUCLIDEAN", "MANHATTAN", "CHEBYSHEV", "MINKOWSKI", "HAMMING")
    assert len({getattr(distances, name) for name in names}) == 5


def test_the_scores_decide_or_hand_over():
    """Clusters too tight for float32 go on to float64, identical points to distances."""
    rng = np.random.default_rng(1)
    centers = rng.standard_normal((3, 8)) * 1e3
    X = np.repeat(centers, 400, axis=0) + 1e-3 * rng.standard_normal((1200, 8))
    scaling = distances.fit_scaling(X)
    metric = make_metric(EUCLIDEAN, 8)
    skip, out = np.full(20, -1), (np.empty((20, 3)), np.empty((20, 3), dtype=np.intp))

    def undecided(data, dtype):
        queries = data[:20].copy()
        return distances.knn_by_products(metric, scaling, data, queries, dtype, skip, *out).size

    assert undecided(X, np.float32) == 20
    assert undecided(X, np.float64) == 0
    assert undecided(np.repeat(centers, 400, axis=0), np.float64) == 20


def test_a_query_that_is_left_out_of_a_tile():
    X = read_only(np.random.default_rng(2).normal(size=(2000, 5)))
    Q, skip = X[[3, 1500, 7]].copy(), np.array([3, 1500, NOBODY])
    scaling = distances.fit_scaling(X)
    queries, norms, is_far = distances.prepare_queries(scaling, Q, np.float64)
    assert not is_far.any()
    parts = [
        (start, scores.copy())
        for start, scores, _ in distances.score_tiles(scaling, X, queries, norms, skip)
    ]
    assert [start for start, _ in parts] == list(range(0, 2000, distances.TILE_ROWS))
    scores = np.hstack([part for _, part in parts])
    assert scores.shape == (3, 2000)
    assert np.argwhere(np.isinf(scores)).tolist() == [[0, 3], [1, 1500]]


# ------------------------------------------------------------------ the k nearest


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 2, 7])
@pytest.mark.parametrize("name", ["plain", "offset", "ties", "tight", "far queries", "few"])
def test_k_nearest_is_the_twin(name, k, dtype):
    rng = np.random.default_rng(3)
    X, Q = rng.normal(size=(1500, 6)), rng.normal(size=(30, 6))
    if name == "offset":
        X, Q = X + 1e5, Q + 1e5
    elif name == "ties":
        X, Q = np.round(X), np.round(Q)
    elif name == "tight":
        X = np.repeat(rng.normal(size=(3, 6)) * 1e3, 500, axis=0) + 1e-3 * X
        Q = X[:30] + 1e-4 * Q
    elif name == "far queries":
        Q[::2] *= 1e30
    elif name == "few":
        X = X[:9]
    X, Q = read_only(X.astype(dtype)), Q.astype(dtype).astype(float)
    for skip in (np.full(30, NOBODY), np.arange(30) % len(X)):
        scaling = distances.fit_scaling(X)
        found = distances.k_nearest(make_metric(EUCLIDEAN, 6), scaling, X, Q, k, skip)
        expected = twin(X, Q, k, skip)
        np.testing.assert_array_equal(found[1], expected[1])
        np.testing.assert_array_equal(found[0], expected[0])


@settings(deadline=None, max_examples=60)
@given(
    X=hnp.arrays(
        np.float64,
        st.tuples(st.integers(1, 70), st.integers(1, 4)),
        elements=st.integers(-3, 3) | st.floats(-1e9, 1e9, width=32),
    ),
    k=st.integers(1, 3),
)
def test_k_nearest_of_any_points(X, k):
    k, X = min(k, len(X)), read_only(X)
    skip = np.full(len(X), NOBODY)
    scaling = distances.fit_scaling(X)
    metric = make_metric(EUCLIDEAN, X.shape[1])
    found = distances.k_nearest(metric, scaling, X, X.copy(), k, skip)
    for one, other in zip(found, twin(X, X, k, skip), strict=True):
        np.testing.assert_array_equal(one, other)


# ------------------------------------------------------------------ unit rows


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e300])
def test_unit_rows(size):
    X = np.random.default_rng(5).normal(size=(6, 4))
    X[X < -0.8] = 0.0
    X[2] = 0.0
    expected = X / np.where((X**2).sum(axis=1) > 0, np.sqrt((X**2).sum(axis=1)), 1)[:, None]
    np.testing.assert_allclose(distances.unit_rows(X * size), expected, rtol=1e-14)
    sparse = distances.unit_rows(csr_array(X * size))
    np.testing.assert_allclose(sparse.toarray(), expected, rtol=1e-14)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 9, 50])
def test_pairs_are_sorted_by_the_first_and_then_by_the_second(n):
    rng = np.random.default_rng(n)
    first, second = rng.integers(0, 1 + n // 3, size=n).astype(float), rng.permutation(n)
    expected = np.lexsort((second, first))
    expected = first[expected], second[expected]
    selection.sort_pairs(first, second)
    np.testing.assert_array_equal((first, second), expected)
