"""The generator of compiled code: published numbers, uniform draws, unrelated streams."""

import itertools

import numpy as np
import pytest
from scipy import stats

from litlearn._core.random import (
    draw_first,
    make_state,
    random_below,
    random_bits,
    random_uniform,
    shuffle,
    split_state,
)

# Sixty-four random bits wrap around on purpose; only uncompiled code remarks on it.
pytestmark = [pytest.mark.nojit, pytest.mark.filterwarnings("ignore:overflow encountered")]


def check_uniform(counts):
    """A true uniform fails once in ten thousand seeds; these seeds are fixed."""
    assert stats.chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize(
    ("seed", "published"),
    [
        (1234567, [6457827717110365317, 3203168211198807973, 9817491932198370423]),
        (0, [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]),
    ],
)
def test_bits_are_splitmix64(seed, published):
    state = make_state(seed)
    assert [int(random_bits(state)) for _ in range(3)] == published


def test_bits_are_those_of_exact_whole_numbers():
    counter, state = 987654321, make_state(987654321)
    for _ in range(500):
        counter = (counter + 0x9E3779B97F4A7C15) % 2**64
        z = ((counter ^ (counter >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
        assert int(random_bits(state)) == z ^ (z >> 31)


def test_each_bit_is_set_half_of_the_time():
    state = make_state(1)
    words = np.array([random_bits(state) for _ in range(4000)], dtype=np.uint64)
    ones = (words[:, np.newaxis] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    assert np.abs(ones.mean(axis=0) - 0.5).max() < 4.5 * 0.5 / np.sqrt(4000)


def test_only_an_incomplete_round_of_remainders_is_drawn_again():
    state, twin = make_state(5), make_state(5)
    for _ in range(50):  # 2^62 divides 2^64: each draw counts
        assert int(random_below(state, 2**62)) == int(random_bits(twin)) % 2**62
    n = 3 * 2**61  # two rounds of remainders fit, and a quarter of the numbers is left over
    for _ in range(50):
        bits = int(random_bits(twin))
        while bits >= 2 * n:
            bits = int(random_bits(twin))
        assert int(random_below(state, n)) == bits % n
    assert make_state(5).shape == (1,) and split_state(make_state(5), 4).shape == (4, 1)


@pytest.mark.parametrize("n", [2, 3, 10, 97])
def test_whole_numbers_are_uniform(n):
    state = make_state(n)
    drawn = [random_below(state, n) for _ in range(60 * n)]
    assert min(drawn) >= 0
    counts = np.bincount(drawn, minlength=n)
    assert len(counts) == n
    check_uniform(counts)
    assert random_below(state, 1) == 0


def test_whole_numbers_without_bias():
    """Plain remainders would make the lower part of this range more likely: 3/4, not 2/3."""
    n, state = 3 * 2**61, make_state(5)
    drawn = np.array([random_below(state, n) for _ in range(4000)])
    assert drawn.min() >= 0 and drawn.max() < n
    check_uniform(np.bincount(drawn // 2**61, minlength=3))


def test_numbers_between_zero_and_one():
    state = make_state(3)
    drawn = np.array([random_uniform(state) for _ in range(5000)])
    assert drawn.min() >= 0.0 and drawn.max() < 1.0
    check_uniform(np.bincount((50 * drawn).astype(int), minlength=50))
    check_uniform(np.bincount((2.0**20 * drawn).astype(int) % 16, minlength=16))  # later bits


def test_every_order_is_equally_likely():
    state, counts = make_state(8), dict.fromkeys(itertools.permutations(range(4)), 0)
    for _ in range(2400):
        array = np.arange(4)
        shuffle(state, array)
        counts[tuple(array.tolist())] += 1
    check_uniform(list(counts.values()))


def test_draws_without_replacement():
    state, counts = make_state(9), dict.fromkeys(itertools.permutations(range(5), 2), 0)
    pool = np.arange(5)
    for _ in range(2000):  # always from the pool as the last draw left it
        draw_first(state, pool, 2)
        assert sorted(pool.tolist()) == [0, 1, 2, 3, 4]
        counts[tuple(pool[:2].tolist())] += 1
    check_uniform(list(counts.values()))


@pytest.mark.parametrize("size", [0, 1])
def test_nothing_to_shuffle(size):
    state, array = make_state(0), np.arange(size)
    shuffle(state, array)
    assert array.tolist() == list(range(size)) and state[0] == 0


@pytest.mark.parametrize("kind", ["neighbouring seeds", "split"])
def test_streams_are_unrelated(kind):
    split = split_state(make_state(4), 6)
    states = [make_state(seed) for seed in range(6)] if kind == "neighbouring seeds" else split
    drawn = np.array([[random_uniform(state) for _ in range(1500)] for state in states])
    related = np.abs(np.corrcoef(drawn) - np.eye(6)).max()
    assert related < 4.5 / np.sqrt(1500)
    shifted = [abs(np.corrcoef(a[:-1], b[1:])[0, 1]) for a in drawn for b in drawn]
    assert max(shifted) < 4.5 / np.sqrt(1500)
    assert len(np.unique(drawn)) == drawn.size


def test_split_changes_with_each_call():
    state = make_state(4)
    assert not np.array_equal(split_state(state, 3), split_state(state, 3))
