"""Sorting the samples of a node."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litlearn.tree._sort import (
    SMALL,
    code_of,
    exchange_sort,
    insertion_sort,
    merge_sort,
    place_of,
    rank_sort,
    sort_few,
    sort_keys,
)
from tree_nodes import make_keys, rooms

# Sixty-four random bits wrap around on purpose; only uncompiled code remarks on it.
pytestmark = [pytest.mark.nojit, pytest.mark.filterwarnings("ignore:overflow encountered")]


def check_sort(codes):
    keys = make_keys(codes)
    expected = np.sort(keys)
    low, high = np.uint64(min(codes)), np.uint64(max(codes))
    if low < high:
        once = keys.copy()
        sort_keys(once, len(keys), low, high, *rooms(len(keys)))
        np.testing.assert_array_equal(once, expected)
    merged = keys.copy()
    merge_sort(merged, len(keys), rooms(len(keys))[0])
    np.testing.assert_array_equal(merged, expected)
    inserted = np.zeros_like(keys)
    insertion_sort(keys, inserted, 0, len(keys))
    np.testing.assert_array_equal(inserted, expected)
    if len(keys) <= SMALL:
        for sort in (exchange_sort, rank_sort, sort_few):
            few = np.full_like(keys, 2**63)
            sort(keys.copy(), few, len(keys))
            np.testing.assert_array_equal(few, expected)


@given(
    st.one_of(
        st.lists(st.integers(0, 3), min_size=2, max_size=120),
        st.lists(st.integers(0, 60), min_size=2, max_size=120),
        st.lists(st.integers(0, 2**32 - 2), min_size=2, max_size=120),
    )
)
def test_every_sort_sorts(codes):
    check_sort(codes)


@pytest.mark.parametrize("n", [2, SMALL, SMALL + 1, 2 * SMALL + 1, 301])
def test_sorts_of_all_kinds_of_codes(n):
    rng = np.random.default_rng(n)
    spread = rng.permutation(n)
    crowded = np.append(rng.permutation(n - 1), 2**32 - 2)  # nearly all in the first bucket
    steps = 2 ** rng.integers(0, 32, size=n)
    for codes in (spread, spread * 1000, crowded, steps, spread[::-1], np.arange(n) // 2):
        check_sort(codes)


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 31, 32])
def test_equal_keys_of_few(n):
    """Samples of the same code and kind have the same key."""
    rng = np.random.default_rng(n)
    for n_different in (1, 2, 5):
        keys = rng.integers(0, n_different, size=n).astype(np.uint64)
        for sort in (exchange_sort, rank_sort, sort_few):
            out = np.full(n, 99, dtype=np.uint64)
            sort(keys.copy(), out, n)
            np.testing.assert_array_equal(out, np.sort(keys))


def test_sorting_leaves_what_lies_beyond():
    keys = make_keys([5, 3, 9, 1, 0, 0])
    sort_keys(keys, 4, np.uint64(1), np.uint64(9), *rooms(6))
    assert [int(code_of(key)) for key in keys] == [1, 3, 5, 9, 0, 0]
    assert [int(place_of(key)) for key in keys[:4]] == [3, 1, 0, 2]
