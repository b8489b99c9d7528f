"""Statistics of blocks of rows: the twin, merging, weights, classes, precision, threads."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse

import reference
from litlearn._core import moments
from litlearn._core.moments import Samples

nojit = pytest.mark.nojit


def draw(n=300, p=4, k=2, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(n, p)) + 50.0, rng.normal(size=(n, k)) - 50.0
    return X.astype(dtype), Y, rng.integers(0, 3, n).astype(float)


def close(found, expected, rtol=1e-10):
    """Compare what was summed; the last entry of `Moments` is no sum."""
    for one, other in zip(found[:6], expected[:6], strict=True):
        other = np.asarray(other, dtype=np.float64)
        scale = np.abs(other).max(initial=0.0)
        np.testing.assert_allclose(one, other, atol=rtol * scale, rtol=0.0)


@nojit
@pytest.mark.parametrize("make", [np.array, np.asfortranarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("k", [0, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_form_of_the_data_has_the_twins_moments(make, k, weighted, monkeypatch):
    """eq-gram-merge: whatever the blocks, and with the diagonal alone."""
    monkeypatch.setattr(moments, "BLOCK", 200)
    X, Y, weight = draw(k=k)
    weight = weight if weighted else None
    expected = reference.moments(X, Y, weight)
    samples = Samples(make(X), Y, weight, True)
    close(moments.moments(samples), expected)
    diagonal = moments.moments(samples, full=False)
    close(diagonal, (*expected[:3], np.diagonal(expected[3]), *expected[4:]))


@nojit
@pytest.mark.parametrize("make", [np.array, np.asfortranarray])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("mean", [0.0, 50.0])
def test_tiles_share_their_memory(make, dtype, weighted, mean, monkeypatch):
    """Tiles of 61 and of 60 rows, with and without a shift: the samples stay as they are."""
    monkeypatch.setattr(moments, "TILE", 1)
    X, Y, weight = draw(n=301, dtype=dtype)
    X, weight = make(X - dtype(50.0 - mean)), weight if weighted else None
    before, samples = X.copy(), Samples(X, Y, weight, True)
    tiles = moments.cut(301, moments.tile_rows(slice(0, 301), 4))
    assert {tile.stop - tile.start for tile in tiles} == {60, 61}
    room = moments.room_for(samples, tiles, np.float64)
    assert room.shape == (61, 4) and room.flags.c_contiguous == X.flags.c_contiguous
    centre = None if mean == 0.0 else np.full(4, mean)
    _, root = moments.target_deviations(samples, tiles[0], None)
    Z = moments.feature_deviations(samples, tiles[0], centre, root, room)
    assert np.shares_memory(Z, room) == (weighted or mean > 0.0)
    np.testing.assert_allclose(Z, (X[tiles[0]] - mean) * root[:, None], rtol=1e-12)
    close(moments.moments(samples), reference.moments(X.astype(np.float64), Y, weight))
    np.testing.assert_array_equal(X, before)


@nojit
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [0, 1, 3])
@pytest.mark.parametrize("form", ["as they are", "centred", "weighted", "scaled"])
def test_sums_over_columns_are_those_of_tiles(form, k, dtype):
    """For X of either type, several columns of rows, the last ones shorter, odd ones and even."""
    n = 2 * moments.COLUMN + 60
    X, Y, weight = draw(n=n, p=5, k=k, dtype=dtype)
    weight, scale = weight if form == "weighted" else None, 0.5 if form == "scaled" else 1.0
    samples = Samples(X, Y, weight, True, scale)
    rows, centre = slice(3, n), None if form == "as they are" else np.full(5, 49.0, dtype=dtype)
    for room in (dtype, np.float64):
        sides, _, root = moments.sides_of(samples, rows, np.full(k, -50.0), room)
        assert sides.dtype == room
        found = [[np.ones((5, 5)), np.ones((5, k + 1))] for _ in "ab"]
        moments.square(samples, rows, centre, root, sides, *found[0])
        moments.square_columns(samples, rows, centre, sides, *found[1])
        close(*found, rtol=1e-13 if room is np.float64 else 1e-5)
    assert X.flags.writeable


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_compiled_or_not_moments_differ_by_rounding(weighted, centred, monkeypatch):
    X, Y, weight = draw(n=500, p=30)
    samples = Samples(X, Y, weight if weighted else None, centred)
    found = []
    for few in (False, True):
        monkeypatch.setattr(moments, "few_features", lambda samples, few=few: few)
        found.append(moments.moments(samples))
    close(*found, rtol=1e-13)


@pytest.mark.parametrize(
    ("p", "k", "order", "expected"),
    [
        (1, 0, "C", True),
        (30, 1, "C", True),
        (31, 1, "C", False),
        (4, 40, "C", False),
        (20, 1, "F", False),
    ],
)
def test_when_features_are_few(p, k, order, expected, monkeypatch):
    monkeypatch.setattr(moments, "MANY", 100 * p)
    X, Y = np.empty((100, p), order=order), np.empty((100, k))
    assert moments.few_features(Samples(X, Y, None, True)) == expected
    assert not moments.few_features(Samples(X[1:], Y[1:], None, True))
    assert not moments.few_features(Samples(scipy.sparse.csr_array(X), Y, None, True))


@nojit
@pytest.mark.parametrize("full", [False, True])
def test_merged_parts_are_the_whole(full):
    X, Y, weight = draw()
    samples = Samples(X, Y, weight, True)
    whole = moments.block_moments(samples, slice(0, 300), full=full)
    for cuts in ((0, 1, 300), (0, 0, 150, 299, 300), (0, 7, 8, 9, 300)):
        total = None
        for start, stop in zip(cuts[:-1], cuts[1:], strict=True):
            part = moments.block_moments(samples, slice(start, stop), full=full)
            total = part if total is None else moments.merge_moments(total, part)
        close(total, whole, 1e-12)


@nojit
@pytest.mark.parametrize("full", [False, True])
def test_weights_are_repetitions(full):
    X, Y, weight = draw()
    rows = np.repeat(np.arange(300), weight.astype(int))
    weighted = moments.moments(Samples(X, Y, weight, True), full=full)
    repeated = moments.moments(Samples(X[rows], Y[rows], None, True), full=full)
    close(weighted, repeated, 1e-12)


@nojit
@pytest.mark.parametrize("make", [np.array, scipy.sparse.csr_array])
@pytest.mark.parametrize("full", [False, True])
def test_each_class_on_its_own(make, full, monkeypatch):
    """A class that has no sample in a block, or none at all, has a weight of zero."""
    monkeypatch.setattr(moments, "BLOCK", 120)
    X, Y, weight = draw()
    codes = np.minimum(np.arange(300) // 90, 2)
    codes[5] = 2
    samples = Samples(make(X), Y, weight, True)
    found = moments.moments_by_class(samples, codes, 4, full=full)
    for c in range(3):
        own = codes == c
        alone = Samples(make(X[own]), Y[own], weight[own], True)
        close(found[c], moments.moments(alone, full=full), 1e-11)
    assert found[3].weight == 0.0 and not np.any(found[3].xx)


@nojit
@pytest.mark.parametrize("where", [0, 150, 299])
@pytest.mark.parametrize("full", [False, True])
def test_a_heavy_sample_far_from_the_others(where, full):
    """The shift follows the weights: no digit is lost to rows that do not count."""
    X, Y, _ = draw()
    X[where] += 1e8
    weight = np.full(300, 1e-12)
    weight[where] = 1.0
    expected = reference.moments(X, Y, weight)
    if not full:
        expected = (*expected[:3], np.diagonal(expected[3]), *expected[4:])
    close(moments.moments(Samples(X, Y, weight, True), full=full), expected, 1e-9)


@nojit
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("centred", [False, True])
def test_few_entries_that_are_not_zero(centred, weighted):
    """Sparse products give the moments of the blocks, and leave the rest to them."""
    rng = np.random.default_rng(6)
    X, Y = rng.normal(size=(200, 12)) * (rng.random((200, 12)) < 0.04), rng.normal(size=(200, 2))
    weight = rng.integers(0, 3, 200).astype(float) if weighted else None
    samples = Samples(scipy.sparse.csr_array(X), Y, weight, centred)
    found = moments.sparse_moments(samples)
    for one, other in zip(found, moments.moments(samples._replace(X=X)), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-13)
    X[0] = 1.0
    many = scipy.sparse.csr_array(X + 1e6 * np.eye(200, 12))
    assert moments.sparse_moments(samples._replace(X=scipy.sparse.csr_array(X + 1))) is None
    assert moments.sparse_moments(samples._replace(X=many, x_scale=0.5)) is None


@nojit
def test_a_feature_that_is_nowhere_does_not_end_sparse_products():
    X = np.diag(np.arange(30.0))
    samples = Samples(scipy.sparse.csr_array(X), np.ones((30, 1)), None, True)
    found = moments.sparse_moments(samples)
    assert found is not None and not found.xx[0].any() and found.x_mean[0] == 0.0
    close(found, reference.moments(X, np.ones((30, 1))))


@nojit
@pytest.mark.parametrize(("spread", "kept"), [(1.5e-4, True), (0.9e-4, False)])
def test_sparse_products_end_where_the_mean_is_a_hundred_spreads(spread, kept):
    """One row has nearly all of the weight: of its square, so much is left about the mean."""
    X, weight = np.zeros((200, 2)), np.ones(200)
    X[7], weight[7] = 1.0, 199.0 / spread - 199.0
    samples = Samples(scipy.sparse.csr_array(X), np.zeros((200, 0)), weight, True)
    assert (moments.sparse_moments(samples) is not None) == kept


def test_a_large_mean_costs_no_digits():
    rng = np.random.default_rng(0)
    X, Y = rng.integers(-9, 10, size=(200, 3)).astype(float), np.zeros((200, 0))
    near = moments.moments(Samples(X, Y, None, True))
    far = moments.moments(Samples(X + 2.0**40, Y, None, True))
    np.testing.assert_allclose(far.xx, near.xx, rtol=1e-12)
    np.testing.assert_array_equal(moments.moments(Samples(X * 0 + 0.1, Y, None, True)).xx, 0.0)


@nojit
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("value", [0.1, 1.0, 1.9, -1e100])
def test_what_differs_in_its_last_digit_is_constant(value, full):
    """As 0.1 + 0.2 and 0.3 do: to a spread of two roundings, and not beyond."""
    for digits, constant in ((0, True), (2, True), (10, False)):
        X, Y, weight = draw()
        X[:, 1] = value
        X[::2, 1] += digits * np.spacing(value)
        for weights in (None, weight):
            total = moments.moments(Samples(X, Y, weights, True), full=full)
            spreads = total.xx.diagonal() if full else total.xx
            np.testing.assert_array_equal(spreads == 0.0, [False, constant, False, False])
            assert not full or (total.xx[1] == 0.0).all() == constant
            assert (total.xy[1] == 0.0).all() == constant


@nojit
@pytest.mark.parametrize(("mean", "shifted"), [(0.9, False), (-0.9, False), (1.1, True)])
def test_features_are_shifted_where_a_mean_is_larger_than_its_spread(mean, shifted):
    X = np.tile([[mean - 1.0, -5.0], [mean + 1.0, 5.0]], (20, 1))
    samples = Samples(X, np.ones((40, 1)), None, True)
    x_shift, y_shift = moments.provisional_centre(samples, slice(0, 40))
    assert (x_shift is not None) == shifted and y_shift.tolist() == [pytest.approx(1.0)]
    if shifted:
        np.testing.assert_allclose(x_shift, [mean, 0.0], atol=1e-12)


@nojit
@pytest.mark.parametrize("size", [1e-300, 1e-3, 1.0, 1e300])
def test_the_heaviest_rows_have_a_weight_of_one_together(size):
    weight = size * np.array([9.0, 1.0, 4.0, 0.0, 3.0, 2.0])
    chosen, shares = moments.heaviest(weight, slice(1, 6), 2)
    assert chosen.tolist() == [2, 4]
    np.testing.assert_allclose(shares, [4.0 / 7.0, 3.0 / 7.0])
    assert not moments.heaviest(0.0 * weight, slice(1, 6), 2)[1].any()


@nojit
def test_sizes_of_blocks_and_tiles():
    assert moments.rows_per_block(10**6, 8) == 2**17  # as many numbers as a thread is worth
    assert moments.rows_per_block(2**24, 2) == 2**19  # not many more blocks than threads
    assert moments.rows_per_block(10**6, 2**10) == 2**15 * 10**6 // 2**20  # (p, p) in each
    assert moments.rows_per_block(100, 50) == 2**20 // 50 and moments.rows_per_block(9, 999) > 999
    far = slice(10**6, 10**6 + 30_000)
    assert moments.tile_rows(far, 2**4) == 4286 and moments.tile_rows(slice(5, 9), 3) == 4


@nojit
def test_single_precision_only_near_the_mean():
    """Squares about a point far from the mean are taken again in double precision."""
    rng = np.random.default_rng(0)
    for p, first, far, stays in ((3, 0, 0.3, True), (1000, 67, 9.0, False)):
        # The point is taken from the first rows, 2^16 numbers.
        X = (rng.normal(size=(400, p)) + far).astype(np.float32)
        X[:first] = 0.0
        samples, rows = Samples(X, np.zeros((400, 0)), None, True), slice(0, 400)
        single, double = (
            moments.block_moments(samples, rows, dtype).xx for dtype in (np.float32, np.float64)
        )
        assert np.array_equal(single, double) != stays


@nojit
def test_when_single_precision_is_enough(monkeypatch):
    monkeypatch.setattr(moments, "MANY", 30)
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(400, 3)), np.zeros((400, 0))
    twice = np.column_stack([X, X[:, 0] + 1e-3 * X[:, 1]])

    def enough(X, **settings):
        samples = Samples(X, Y[: len(X)], None, True, **settings)
        first = moments.block_moments(samples, slice(0, len(X)))
        return moments.single_is_enough(samples, first)

    def possible(X, dtype=np.float32, **settings):
        return moments.may_be_single(Samples(X.astype(dtype), Y[: len(X)], None, True, **settings))

    assert enough(X) and not enough(twice)
    assert not enough(X * 1e-11) and not enough(X * 1e11)  # squares out of range
    nearly = np.column_stack([X, X[:, 0] + 0.1 * rng.normal(size=400)])
    assert enough(nearly, refined=True) and not enough(nearly)
    assert not enough(twice, refined=True) and not enough(X * 1e11, refined=True)
    assert possible(X) and possible(X[:12]) and not possible(X, np.float64)
    assert not possible(X[:11]) and not possible(X, x_scale=2.0) and not possible(X, single=False)
    monkeypatch.setattr(moments, "MANY", 1201)
    assert not possible(X)


def test_single_precision_is_near_double(monkeypatch):
    monkeypatch.setattr(moments, "MANY", 1000)
    rng = np.random.default_rng(0)
    X, Y = (rng.normal(size=(4000, 5)) + 3.0).astype(np.float32), rng.normal(size=(4000, 1))
    single = moments.moments(Samples(X, Y, None, True))
    double = moments.moments(Samples(X.astype(np.float64), Y, None, True))
    assert not np.array_equal(single.xx, double.xx)
    close(single, double, 1e-5)


def test_threads_do_not_change_a_bit(monkeypatch):
    monkeypatch.setattr(moments, "BLOCK", 4000)
    X, Y, weight = draw(5000)
    samples, codes = Samples(X, Y, weight, True), np.arange(5000) % 3
    one, two = (moments.moments(samples, n_jobs) for n_jobs in (1, 2))
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)
    one, two = (moments.moments_by_class(samples, codes, 3, n_jobs) for n_jobs in (1, 2))
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a.xx, b.xx)


def test_a_memory_map(tmp_path):
    X, Y, _ = draw()
    mapped = np.memmap(tmp_path / "x", dtype=np.float64, mode="w+", shape=X.shape)
    mapped[:] = X
    close(moments.moments(Samples(mapped, Y, None, True)), reference.moments(X, Y))


@nojit
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weights", ["none", "some", "far apart"])
def test_spreads_within_classes(dtype, weights):
    """By the definition, in exact arithmetic; a class that is absent and one without weight too."""
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(60, 3)) * [1.0, 1e-3, 50.0] + [0.0, 1e3, -1.0]).astype(dtype)
    X[:, 1] = np.where(np.arange(60) < 20, dtype(1000.1), X[:, 1])  # constant in the first class
    codes = np.repeat([0, 1, 3, 4], [20, 20, 15, 5])
    weight = {"none": None, "some": rng.uniform(0.5, 2.0, 60), "far apart": np.ones(60)}[weights]
    if weights == "far apart":
        weight[::7] = 1e12
    if weight is not None:
        weight[codes == 4] = 0.0
    samples = Samples(X, np.empty((60, 0)), weight, True)
    found = moments.moments_by_class(samples, codes, 5, full=False)
    for c, one in enumerate(found):
        w = np.ones(60) if weight is None else weight
        w = [Fraction(float(v)) for v in w[codes == c]]
        rows = [[Fraction(float(v)) for v in row] for row in X[codes == c]]
        total = sum(w, Fraction(0))
        assert one.weight == pytest.approx(float(total), rel=1e-14)
        if not total:
            assert not one.x_mean.any() and not one.xx.any()
            continue
        for j in range(3):
            mean = sum(v * row[j] for v, row in zip(w, rows, strict=True)) / total
            square = sum(v * (row[j] - mean) ** 2 for v, row in zip(w, rows, strict=True))
            assert one.x_mean[j] == pytest.approx(float(mean), rel=1e-14, abs=1e-14)
            if c == 0 and j == 1:
                assert one.xx[j] == 0.0
            else:
                assert one.xx[j] == pytest.approx(float(square), rel=1e-11)


def test_spreads_of_huge_and_far_samples():
    """A mean that no sum would hold; and a spread of 1 at 1e8, of which eight digits are left."""
    codes = np.arange(400) % 2
    huge = np.full((400, 2), 1.5e308)
    with np.errstate(over="ignore"):
        found = moments.moments_by_class(
            Samples(huge, np.empty((400, 0)), None, True), codes, 2, full=False
        )
    for one in found:
        np.testing.assert_allclose(one.x_mean, 1.5e308)
        assert not one.xx.any()
    near = np.random.default_rng(0).normal(size=(400, 2))
    far = near + 1e8
    plain, shifted = (
        moments.moments_by_class(Samples(X, np.empty((400, 0)), None, True), codes, 2, full=False)
        for X in (near, far)
    )
    for a, b in zip(plain, shifted, strict=True):
        np.testing.assert_allclose(a.xx, b.xx, rtol=1e-7)


def test_spreads_have_the_same_bits_for_any_number_of_threads(monkeypatch):
    monkeypatch.setattr(moments, "BLOCK", 500)
    X, codes = np.random.default_rng(0).normal(size=(1000, 5)), np.arange(1000) % 3
    samples = Samples(X, np.empty((1000, 0)), None, True)
    one, three = (moments.moments_by_class(samples, codes, 3, n, full=False) for n in (1, 3))
    for a, b in zip(one, three, strict=True):
        np.testing.assert_array_equal(a.xx, b.xx)
        np.testing.assert_array_equal(a.x_mean, b.x_mean)
    assert sum(part.weight for part in one) == 1000.0
