"""The penalty and the loops of coordinate descent: bounds, sums, and forms that must agree."""

import numpy as np
import pytest
import scipy.sparse as sp

from litlearn.linear_model import _descent as descent
from litlearn.linear_model import _design, _matrix, _penalty
from litlearn.linear_model._descent import Stop
from litlearn.linear_model._penalty import Penalty

PENALTIES = [Penalty(3.0, 0.0), Penalty(3.0, 2.0), Penalty(0.0, 2.0), Penalty(3.0, 2.0, True)]


def draw(n=40, p=12, seed=0):
    """Correlated columns and a target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + rng.normal(size=(n, 1))
    return X, X[:, :3] @ [2.0, -1.0, 1.0] + rng.normal(size=n)


def objective(X, y, w, penalty):
    r = y - X @ w
    return 0.5 * r @ r + penalty.alpha * np.abs(w).sum() + 0.5 * penalty.beta * w @ w


@pytest.mark.nojit
@pytest.mark.parametrize("penalty", PENALTIES)
def test_bounds_are_on_either_side_of_the_minimum(penalty):
    # Equation eq-duality-gap, at points far from the minimum and near it.
    X, y = draw()
    best = np.zeros(12)
    descent.coordinate_descent(_design.DenseDesign(X, y, None, False), penalty, best, tol=1e-14)
    smallest = objective(X, y, best, penalty)
    rng = np.random.default_rng(1)
    for size in (0.0, 1e-4, 0.1, 1.0):
        w = best + size * rng.normal(size=12)
        w = np.maximum(w, 0.0) if penalty.positive else w
        r = y - X @ w
        sums = _penalty.sums_of((X.T @ r)[None], w[None], penalty)
        bounds = _penalty.bounds_of(r @ r, r @ y, sums, penalty)
        assert bounds.primal == pytest.approx(objective(X, y, w, penalty), rel=1e-12)
        assert max(bounds.scaled, bounds.free) <= smallest * (1 + 1e-9)
        if size == 0.0:
            assert max(bounds.scaled, bounds.free) >= smallest * (1 - 1e-6)


@pytest.mark.nojit
def test_a_target_of_zeros_changes_no_sum():
    """The lengths of several targets' products are the absolute values of a single one's."""
    rng = np.random.default_rng(0)
    C, W = np.zeros((2, 2, 9))
    C[0], W[0] = rng.normal(size=(2, 9))
    penalty = Penalty(0.5, 0.3)
    several = _penalty.sums_of(C, W, penalty)
    np.testing.assert_allclose(several, _penalty.sums_of(C[:1], W[:1], penalty), rtol=1e-12)


@pytest.mark.nojit
@pytest.mark.parametrize("positive", [False, True])
def test_decrease_is_that_of_the_best_steps(positive):
    X, y = draw()
    X[:, 5], X[:, 7] = 0.0, 0.01 * X[:, 7]  # the first brings nothing
    w = np.abs(np.random.default_rng(2).normal(size=12))
    r, squares, expected = y - X @ w, (X * X).sum(axis=0), 0.0
    for j in np.flatnonzero(squares):
        step = X[:, j] @ r / squares[j]
        step = max(step, -w[j]) if positive else step
        expected += 0.5 * (r @ r - np.sum((r - step * X[:, j]) ** 2))
    found = (X.T @ r)[None], w[None]
    assert _penalty.decrease(*found, squares, positive) == pytest.approx(expected)


@pytest.mark.nojit
def test_violations_are_zero_at_the_minimum_and_only_there():
    # Equation eq-logistic-optimality, for the squares of the residual.
    X, y = draw()
    for penalty in PENALTIES[:2]:
        w = np.zeros(12)
        descent.coordinate_descent(_design.DenseDesign(X, y, None, False), penalty, w, tol=1e-15)
        assert _penalty.violations(-X.T @ (y - X @ w), w, penalty).max() < 1e-4
        w[0] += 0.1
        assert _penalty.violations(-X.T @ (y - X @ w), w, penalty).max() > 0.1


@pytest.mark.nojit
@pytest.mark.filterwarnings("ignore:overflow encountered")  # of random bits, as plain Python
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("seed", [0, 5])
@pytest.mark.parametrize("n_sweeps", [4, 15])
@pytest.mark.parametrize("n_targets", [1, 2])
def test_every_form_of_descent_makes_the_same_sweeps(penalty, seed, n_sweeps, n_targets):
    """eq-coordinate-update: by the Gram matrix, by columns; after fifteen, extrapolated twice."""
    X, y = draw()
    Y = np.stack([y, y[::-1] + X[:, 4]])[:n_targets]
    penalty = penalty._replace(positive=penalty.positive and n_targets == 1)
    A, stop, total = sp.csc_array(X), Stop(-1.0, n_sweeps, seed), float(np.vdot(Y, Y))
    squares, none = (X * X).sum(axis=0), np.empty(0)
    G, Q, W = X.T @ X, Y @ X, np.zeros((n_targets, 12))
    known = _matrix.dense_columns(G, squares, known=True)
    told = descent.descent(descent.Problem(Q, total, penalty), known, Q.copy(), W, stop)
    assert told[0] == n_sweeps and W.any()
    own = A.data, A.indices, A.indptr[:-1], A.indptr[1:], np.zeros(12), none, squares
    sparse = _matrix.Columns(False, np.empty((0, 0)), *own)
    problem = descent.Problem(Y, total, penalty)
    for columns in (_matrix.dense_columns(X.T.copy(), squares), sparse):
        R, V = Y.copy(), np.zeros(W.shape)
        found = descent.descent(problem, columns, R, V, stop)
        np.testing.assert_allclose(found, told, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(R, Y - V @ X.T, atol=1e-12)
        np.testing.assert_allclose(V, W, atol=1e-12)


@pytest.mark.nojit
# The second with two extrapolations. (After 15 sweeps the gap is zero, and where the next one is
# taken is decided by the last bit of equal objectives: coefficients then differ by 1e-9.)
@pytest.mark.parametrize("n_sweeps", [4, 13])
def test_sparse_columns_are_centred_on_the_fly(n_sweeps):
    """As if their weighted means were taken off; in the residual, a multiple of s is left."""
    rng, penalty, stop = np.random.default_rng(3), Penalty(0.3, 0.2), Stop(-1.0, n_sweeps)
    X, y = rng.normal(size=(40, 12)) * (rng.random((40, 12)) < 0.4) + 0.0, rng.normal(size=40)
    X[:, 0] += 3.0 * (X[:, 0] != 0.0)
    weight = rng.uniform(0.5, 2.0, 40)
    weight *= 40 / weight.sum()
    s, means = np.sqrt(weight), weight @ X / 40
    Z, target = (X - means) * s[:, None], (y - weight @ y / 40) * s
    A, squares, ends = sp.csc_array(X * s[:, None]), (Z * Z).sum(axis=0), []
    dense = _matrix.dense_columns(np.ascontiguousarray(Z.T), squares)
    own = A.data, A.indices, A.indptr[:-1], A.indptr[1:], means, s, squares
    sparse = _matrix.Columns(False, np.empty((0, 0)), *own)
    problem = descent.Problem(target[None], target @ target, penalty)
    for columns in (dense, sparse):
        W, R = np.zeros((1, 12)), target[None].copy()
        told = descent.descent(problem, columns, R, W, stop)
        ends.append((*told, *W[0], *(R[0] - s * (s @ R[0]) / 40)))
    np.testing.assert_allclose(ends[1], ends[0], rtol=1e-9, atol=1e-11)
    assert np.count_nonzero(W) > 3


@pytest.mark.nojit
@pytest.mark.parametrize("q", [1, 3])
@pytest.mark.parametrize("shape", [(50, 7), (7, 50)])
def test_products_of_every_form(shape, q, monkeypatch):
    monkeypatch.setattr(_matrix, "BLOCK_ENTRIES", 64)
    rng = np.random.default_rng(0)
    X, R = rng.normal(size=shape), rng.normal(size=(q, shape[0]))
    X[np.abs(X) < 0.5] = 0.0
    A = sp.csc_array(X)
    for data in (X, np.asfortranarray(X)):
        np.testing.assert_allclose(_matrix.products_of(data, R, 2), R @ X, atol=1e-12)
        single = _matrix.products_of(data.astype(np.float32), R, 2)
        assert single.dtype == np.float64
        np.testing.assert_allclose(single, R @ X, atol=1e-4)
    entries, some = (A.data, A.indices, A.indptr), np.array([1, 3, 4, 6])
    np.testing.assert_allclose(_matrix.sparse_products_of(entries, R, 2), R @ X, atol=1e-12)
    ours = _matrix.sparse_products_of(entries, R, 2, some)
    np.testing.assert_allclose(ours, R @ X[:, some], atol=1e-12)
    # Sums of columns, block by block.
    d = rng.normal(size=shape[1])
    for columns in (np.arange(shape[1]), some, some[:0]):
        ours = _matrix.sparse_combination(entries, columns, d[columns], shape[0], 2)
        np.testing.assert_allclose(ours, X[:, columns] @ d[columns], atol=1e-12)


@pytest.mark.nojit
@pytest.mark.filterwarnings("ignore:invalid value encountered")
def test_nothing_to_extrapolate():
    past, direction = np.zeros((6, 3)), np.empty(3)
    for value in (0.0, 1.0, np.inf, np.nan):
        past[:] = value
        assert not descent.extrapolate(past, direction)


@pytest.mark.parametrize("weighted", [False, True])
def test_tall_data_take_all_products_at_once(weighted, monkeypatch):
    # When most columns are in use; the coefficients are the same.
    p, first = 60, _design.FIRST_ENTRIES
    monkeypatch.setattr(_design, "FIRST_ENTRIES", first // 16)  # a first working set of ten
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, p)) + rng.normal(size=(5000, 1)) + 2.0
    y = X @ rng.normal(size=p) + rng.normal(size=5000)
    weights = rng.uniform(0.5, 2.0, 5000) if weighted else None
    weights = weights * (5000 / weights.sum()) if weighted else None
    found = []
    for tall in (8, 10**6):
        monkeypatch.setattr(_design, "TALL", tall)
        design = _design.DenseDesign(X, y, weights, True)
        w, history = np.zeros(p), []
        penalty = Penalty(0.005 * np.abs(design.products).max(), 0.0)
        gap, _ = descent.coordinate_descent(design, penalty, w, tol=1e-10, history=history)
        assert gap <= 1e-10 * design.target_square
        found.append((design, w, history))
    (whole, w, history), (parts, v, _) = found
    assert whole.gram is not None and parts.gram is None
    assert whole.columns.size <= p // 2 < parts.columns.size and len(history) <= 3
    np.testing.assert_allclose(w, v, atol=1e-5)
    again = whole.retarget(2.0 * y)
    descent.coordinate_descent(again, penalty, w := np.zeros(p), tol=1e-10)
    gradient = -again.correlations(again.residual(w))
    assert _penalty.violations(gradient, w, penalty).max() < 1e-3 * penalty.alpha
    assert again.gram is whole.gram


@pytest.mark.nojit
def test_columns_that_were_dropped_do_not_count():
    rng, penalty, w = np.random.default_rng(0), Penalty(0.2, 0.3), np.array([0.5, 0.0, -0.1])
    c, sizes, few = np.array([0.1, 9.0, -0.05]), np.empty(3), np.empty(2)
    kept = np.array([True, False, True])
    y, r = rng.normal(size=(2, 30))
    known = r @ r, r @ y, penalty
    found = _penalty.measure(np.where(kept, c, 0.0)[None], w[None], *known, sizes)
    expected = _penalty.measure(c[None, kept], w[None, kept], *known, few)
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    np.testing.assert_allclose(sizes[kept], few, rtol=1e-14)


@pytest.mark.nojit
def test_distances_of_constraints():
    """What is in use first, what was dropped last, the others by their lengths."""
    sizes, squares, penalty = np.array([0.1, 0.3, 0.9, 0.5]), np.full(4, 2.0), Penalty(0.6, 0.25)
    used, active, out = np.array([True, False, False, False]), np.array([1, 1, 0, 1]) > 0, sizes + 0
    assert _penalty.distances(sizes, 0.5, used, active, squares, penalty, out) == 1
    np.testing.assert_allclose(out, [-np.inf, 0.3 / 1.5, np.inf, 0.1 / 1.5])


@pytest.mark.nojit
def test_a_row_of_coefficients_takes_its_best_step():
    """Where a row is not zero afterwards, the gradient along it is; a short one becomes zero."""
    rng, penalty, square = np.random.default_rng(0), Penalty(0.6, 0.4), 2.5
    W, c = rng.normal(size=(3, 4)), rng.normal(size=3)
    before = W[:, 2].copy()
    largest = _penalty.feature_step(W, d := c.copy(), 2, square, penalty)
    new = before + d
    gradient = square * d - c + penalty.beta * new + penalty.alpha * new / np.linalg.norm(new)
    np.testing.assert_allclose(gradient, 0.0, atol=1e-14)
    assert largest == np.abs(d).max() and new.all()
    _penalty.feature_step(W, d := -square * before + 0.1, 2, square, penalty)
    np.testing.assert_array_equal(before + d, 0.0)


@pytest.mark.nojit
@pytest.mark.parametrize("positive", [False, True])
def test_a_move_takes_the_residual_along(positive):
    X, y = draw()
    rng = np.random.default_rng(1)
    w, direction = np.abs(rng.normal(size=(1, 12))), 2.0 * rng.normal(size=12)
    direction[3] = 0.0
    target, R = w[0] + direction, (y - X @ w[0])[None]
    columns = _matrix.dense_columns(X.T.copy(), (X * X).sum(axis=0))
    descent.move_coefficients(columns, R, w, np.zeros(1), direction, positive)
    np.testing.assert_allclose(w[0], np.maximum(target, 0.0) if positive else target, atol=1e-14)
    np.testing.assert_allclose(R[0], y - X @ w[0], atol=1e-12)
    assert (target < 0.0).any()


@pytest.mark.nojit
def test_what_rounding_might_undo_is_not_screened():
    """A column goes if its product with no dual point within reach comes to the penalty."""
    sizes, squares, penalty = np.array([0.1, 0.3, 0.34, 0.5]), np.full(4, 2.0), Penalty(0.6, 0.25)
    for radius, rounding, kept in ((0.1, 0.05, [0, 0, 1, 1]), (0.15, 0.0, [0, 0, 0, 1])):
        active = np.ones(4, dtype=bool)
        sizes[2] = 0.6 - 1.5 * (radius + rounding) + (1e-9 if rounding else -1e-9)
        assert _penalty.screen(sizes, squares, active, penalty, radius, rounding) == sum(kept)
        np.testing.assert_array_equal(active, kept)


@pytest.mark.nojit
def test_without_a_price_of_sizes_only_zero_is_a_multiple_of_the_residual():
    X, y = draw()
    penalty, w, sizes = Penalty(0.0, 2.0), np.ones((1, 12)), np.empty(12)
    r = y - X @ w[0]
    bounds = _penalty.measure((X.T @ r)[None], w, r @ r, r @ y, penalty, sizes)
    assert bounds.scale == 0.0 and bounds.scaled == -np.inf and not sizes.any()


@pytest.mark.nojit
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_constants_have_no_spread(dtype):
    """What is left of them about their means is rounding."""
    rng = np.random.default_rng(0)
    X = np.broadcast_to(10.0 ** rng.uniform(2, 6, 20), (37, 20)).astype(dtype)
    weights = rng.uniform(0.5, 2.0, 37)
    for some in (None, weights * (37 / weights.sum())):
        design = _design.SparseDesign(sp.csc_array(X), rng.normal(size=37), some, True)
        assert not design.squares.any()
        np.testing.assert_allclose(design.X_means, X[0], rtol=2 * np.finfo(dtype).eps)


@pytest.mark.nojit
@pytest.mark.parametrize("penalty", [Penalty(3.0, 2.0), Penalty(3.0, 0.0)])
def test_bounds_scale_with_the_problem(penalty):
    """A tenth of target and penalties or, with rows ten times as many, ten times all: the same."""
    X, y = draw()
    w = 0.1 * np.random.default_rng(1).normal(size=12)

    def bounds(size, weight):
        own = Penalty(penalty.alpha * weight * size, penalty.beta * weight)
        r, v = (y - X @ w) * size, w[None] * size
        sums = _penalty.sums_of(weight * (X.T @ r)[None], v, own)
        found = _penalty.bounds_of(weight * (r @ r), weight * size * (r @ y), sums, own)
        return np.array(found[:3]) / (weight * size**2)

    np.testing.assert_allclose(bounds(0.1, 1.0), bounds(1.0, 1.0), rtol=1e-12)
    np.testing.assert_allclose(bounds(1.0, 0.1), bounds(1.0, 1.0), rtol=1e-12)
