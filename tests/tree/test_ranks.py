"""Columns as ranks, and as numbers of bins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litlearn.tree import (
    DecisionTreeClassifier,
)
from litlearn.tree._ranks import NO_MISSING, code_columns, midpoints
from tree_nodes import (
    values,
)

# Sixty-four random bits wrap around on purpose; only uncompiled code remarks on it.
pytestmark = [pytest.mark.nojit, pytest.mark.filterwarnings("ignore:overflow encountered")]


@given(st.lists(values, min_size=1, max_size=40))
def test_codes_are_ranks_of_the_distinct_values(column):
    column = np.array(column)
    codes, missing, n_codes, edges = code_columns(column[:, np.newaxis])
    assert n_codes[0] == len(np.unique(column))  # NaN is one of them
    absent = np.isnan(column)
    distinct, ranks = np.unique(column[~absent], return_inverse=True)
    np.testing.assert_array_equal(codes[0, ~absent], ranks)
    np.testing.assert_array_equal(codes[0, absent], len(distinct))
    assert missing[0] == (len(distinct) if absent.any() else NO_MISSING)
    assert edges is None


@pytest.mark.parametrize("n, dtype", [(2**16, np.uint16), (2**16 + 1, np.uint32)])
def test_codes_take_two_bytes_where_all_fit(n, dtype):
    codes = code_columns(np.arange(n, dtype=np.float32)[:, np.newaxis]).codes
    assert codes.dtype == dtype
    np.testing.assert_array_equal(codes[0], np.arange(n))


@given(st.lists(values, min_size=1, max_size=60), st.integers(2, 12))
def test_bins_keep_the_order_and_equal_values_together(column, max_bins):
    column = np.array(column)
    codes, missing, n_codes, edges = code_columns(column[:, np.newaxis], max_bins)
    assert n_codes[0] == codes.max() + 1
    absent = np.isnan(column)
    present, bins = column[~absent], codes[0, ~absent]
    assert missing[0] == NO_MISSING or missing[0] not in bins
    if len(present) == 0:
        assert (edges == np.inf).all()
        return
    order = np.argsort(present, kind="stable")
    assert np.all(np.diff(bins[order].astype(int)) >= 0)
    assert len(np.unique(bins)) == bins.max() + 1 <= max_bins
    assert np.isfinite(edges[0]).sum() == bins.max() and edges[0, bins.max()] == np.inf
    np.testing.assert_array_equal(bins, np.searchsorted(edges[0], present))  # value <= edge
    distinct = np.unique(present)
    if len(distinct) <= max_bins:
        np.testing.assert_array_equal(bins, np.searchsorted(distinct, present))


def test_bins_hold_about_equally_many_samples():
    X = np.random.default_rng(0).normal(size=(1000, 1))
    counts = np.bincount(code_columns(X, 16).codes[0])
    assert len(counts) == 16 and counts.min() >= 61 and counts.max() <= 64
    X[:500] = 3.0  # half of all samples in one value, which no bin can share
    counts = np.bincount(code_columns(X, 16).codes[0])
    assert counts.max() <= 500 + 64 and np.median(counts) <= 64 and len(counts) >= 8


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_midpoints_separate_neighbours(dtype):
    largest, smallest = np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal
    below = np.array([1, -largest, largest / 2, 0, -smallest, -1, 1e-30, 3], dtype=dtype)
    above = np.nextafter(below, dtype(np.inf))
    above[1], above[-1] = largest, 4
    t = midpoints(below, above)
    assert t.dtype == np.float64
    assert np.all(below <= t) and np.all(t < above)
    assert t[1] == 0.0 and t[-1] == 3.5


def test_threshold_between_bins_that_are_not_neighbours():
    """In the middle of the bins that the node does not hold."""
    X = np.array([[0.0, 0.0], [0.0, 3.0], [1.0, 1.0], [1.0, 2.0]])
    tree = DecisionTreeClassifier(max_bins=8, random_state=0).fit(X, [0, 1, 2, 2]).tree_
    edges = code_columns(X, 8).edges[1]
    assert tree.feature[:2].tolist() == [0, 1]
    assert tree.threshold[1] == (edges[0] + edges[2]) / 2
