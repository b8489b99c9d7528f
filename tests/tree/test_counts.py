"""Tests of counting samples by code and class."""

import numpy as np
import pytest

from litlearn.ensemble import RandomForestClassifier
from litlearn.tree import DecisionTreeClassifier, _counts, _growth
from litlearn.tree._growth import TreeTargets, take_samples
from litlearn.tree._ranks import NO_MISSING
from litlearn.tree._sort import HALF, LOWER

pytestmark = [pytest.mark.nojit, pytest.mark.filterwarnings("ignore:overflow encountered")]


def drawn(seed, n=60, n_codes=9, n_classes=3):
    """Codes, classes, whole weights, and the samples made of them."""
    rng = np.random.default_rng(seed)
    codes, label = rng.integers(0, n_codes, n), rng.integers(0, n_classes, n)
    label[:n_classes], codes[n_classes : n_classes + n_codes] = range(n_classes), range(n_codes)
    w = rng.integers(0, 4, n).astype(float)
    w[:20] = 1.0
    targets = TreeTargets(
        np.arange(n_classes, dtype=float)[np.newaxis],
        label.astype(np.uint32),
        np.zeros((0, 0), dtype=np.uint32),
    )
    return codes.astype(np.uint16), label, w, take_samples(targets, w)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("missing", [NO_MISSING, np.uint32(8)])
def test_counts_hold_samples_and_weights(seed, missing):
    codes, label, w, samples = drawn(seed)
    counts, n = np.full(9 * 3, 7, dtype=np.uint64), len(samples.records)
    n_present = _counts.count_samples(codes, samples, (0, n), missing, counts)
    place = codes * 3 + label
    np.testing.assert_array_equal(counts >> HALF, np.bincount(place, w, minlength=27))
    np.testing.assert_array_equal(counts & LOWER, np.bincount(place, w > 0, minlength=27))
    assert n_present == n - ((codes == missing) & (w > 0)).sum()
    # Of a stretch, and of samples that all have one code.
    codes[:] = 4
    assert _counts.count_samples(codes, samples, (5, 9), missing, counts) == -1
    assert (counts & LOWER).sum() == 4


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("first", [NO_MISSING, np.uint32(8)])
@pytest.mark.parametrize("bounds", [(1, 0.0), (7, 12.0)])
def test_the_best_cut_is_that_of_the_definition(seed, first, bounds):
    codes, label, w, samples = drawn(seed)
    counts, n = np.empty(9 * 3, dtype=np.uint64), len(samples.records)
    _counts.count_samples(codes, samples, (0, n), first, counts)
    total = np.bincount(label, w)
    found = _counts.sweep_counts(counts, total, np.empty(3), first, (*bounds, n))
    order = range(9) if first == NO_MISSING else [8, *range(8)]
    scores = {}
    for below, above in zip(order[:-1], order[1:], strict=True):
        left = np.isin(codes, order[: order.index(above)])
        one, other = (np.bincount(label[m], w[m], minlength=3) for m in (left, ~left))
        sizes = [np.count_nonzero(w[m]) for m in (left, ~left)]
        if min(sizes) >= bounds[0] and min(one.sum(), other.sum()) >= bounds[1] and below != first:
            scores[below, above] = (one**2).sum() / one.sum() + (other**2).sum() / other.sum()
    best = max(scores, key=scores.get)
    np.testing.assert_allclose(found[0], scores[best], rtol=1e-15)
    assert found[1:] == best


@pytest.mark.parametrize("alone", [0, 9])
@pytest.mark.parametrize("bounds", [(2, 0.0), (1, 2.0)])
def test_no_child_is_too_small(alone, bounds):
    """The best cut parts off one sample, on either side; the next best one may stay."""
    codes, groups = np.arange(10, dtype=np.uint16), np.zeros(10, dtype=np.uint32)
    groups[alone] = 1
    no_ranks = np.zeros((0, 0), dtype=np.uint32)
    samples = take_samples(TreeTargets(np.array([[0.0, 1.0]]), groups, no_ranks), np.ones(10))
    counts, total = np.empty(20, dtype=np.uint64), np.array([9.0, 1.0])
    _counts.count_samples(codes, samples, (0, 10), NO_MISSING, counts)
    for (least, lightest), cut in {(1, 0.0): 1, bounds: 2}.items():
        limits = least, lightest, 10
        found = _counts.sweep_counts(counts, total, np.empty(2), NO_MISSING, limits)
        below = cut - 1 if alone == 0 else 9 - cut
        assert found[1:] == (below, below + 1)


def test_codes_that_nobody_has_are_passed_over():
    codes, _, _, samples = drawn(0)
    codes = codes // 4 * 4  # 0, 4, 8
    counts, n = np.empty(27, dtype=np.uint64), len(samples.records)
    _counts.count_samples(codes, samples, (0, n), NO_MISSING, counts)
    total = np.array([(counts[c::3] >> HALF).sum() for c in range(3)], dtype=float)
    _, below, above = _counts.sweep_counts(counts, total, np.empty(3), NO_MISSING, (1, 0.0, n))
    assert (below, above) in {(0, 4), (4, 8)}


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_a_tree_is_the_same_as_by_sums(criterion, n_outputs, seed, monkeypatch):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 4)).round(1)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, :n_outputs]) + rng.normal(size=(300, n_outputs)) > 0).squeeze()
    w = rng.integers(1, 4, 300)
    models = []
    for full in (_counts.FULL, 0):
        monkeypatch.setattr(_growth, "FULL", full)  # 0: no weight fits into half a word
        model = DecisionTreeClassifier(criterion=criterion, max_bins=12, random_state=seed)
        models.append(model.fit(X, y, sample_weight=w))
    ours, sums = (model.tree_ for model in models)
    np.testing.assert_array_equal(ours.threshold, sums.threshold)
    np.testing.assert_array_equal(ours.value, sums.value)
    np.testing.assert_allclose(ours.impurity, sums.impurity, rtol=1e-13)


def test_weights_are_whole_and_fit_into_half_a_word():
    def n_groups(w):
        y = np.arange(len(w), dtype=np.uint32) % 2
        targets = TreeTargets(np.array([[0.0, 1.0]]), y, np.zeros((0, 0), dtype=np.uint32))
        return take_samples(targets, np.asarray(w, dtype=float)).n_groups

    assert n_groups([1, 1, 2, 2, 3, 3]) == 2
    assert n_groups([1, 1, 1.5, 2, 3, 3]) == 0
    assert n_groups([2.0**30] * 3) == 2
    assert n_groups([2.0**30] * 4) == 0
    # One sample less than that, and it overflows no half.
    X, w = np.array([[0.0], [0.0], [1.0], [1.0]]), [2**30, 2**30, 2**30, 2**30 - 1]
    model = DecisionTreeClassifier(max_bins=2).fit(X, [0, 0, 1, 1], sample_weight=w)
    assert model.tree_.n_leaves == 2 and model.predict_proba(X)[0, 0] == 1.0


def test_a_forest_is_the_same_as_by_sums(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    shares = []
    for full in (_counts.FULL, 0):
        monkeypatch.setattr(_growth, "FULL", full)
        model = RandomForestClassifier(3, max_bins=16, random_state=0).fit(X, y)
        shares.append(model.predict_proba(X))
    np.testing.assert_array_equal(*shares)
