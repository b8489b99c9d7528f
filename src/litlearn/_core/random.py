"""Random numbers in compiled code: one small generator, the same bits on every machine.

SplitMix64 (Steele, Lea and Flood 2014) steps a 64-bit counter by an odd constant and mixes its
bits. Every state is a good one, nearby seeds give unrelated streams, and whole-number arithmetic
gives the same bits on every processor.

The state is an array of one word, made by :func:`make_state` from a seed (of ``random_state``, by
``validation.random_integer``), so that compiled functions hand it on and change it. Threads share
no state: each block or tree makes one of its own.
"""

import numpy as np

from litlearn._core.jit import njit

LARGEST = np.uint64(0xFFFFFFFFFFFFFFFF)
STEP = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio, made odd


@njit(inline=True)
def mix(z):
    """Return 64 bits in which each bit depends on all bits of `z`; a one-to-one map."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def make_state(seed):
    """Return the state of a generator, (1,) uint64, from a whole number."""
    return np.full(1, seed, dtype=np.uint64)


@njit
def split_state(state, n):
    """Return n states, (n, 1), whose streams are unrelated: one for each part of the work.

    Each begins at a random place of the cycle of 2^64 numbers. Parts that draw L numbers each
    overlap with a probability below n^2 L / 2^63.
    """
    states = np.empty((n, 1), dtype=np.uint64)
    for i in range(n):
        states[i, 0] = random_bits(state)
    return states


@njit(inline=True)
def random_bits(state):
    """Return 64 random bits."""
    state[0] += STEP
    return mix(state[0])


@njit(inline=True)
def random_below(state, n):
    """Return a whole number from 0 to n - 1, each as likely as the others.

    2^64 numbers do not divide evenly among n remainders. The last few, an incomplete round of
    remainders, are drawn again.
    """
    n = np.uint64(n)
    bits = random_bits(state)
    rest = bits % n
    while bits - rest > LARGEST - (n - np.uint64(1)):
        bits = random_bits(state)
        rest = bits % n
    return np.int64(rest)


@njit(inline=True)
def random_uniform(state):
    """Return a float64 from 0 up to, not including, 1: a multiple of 2^-53."""
    return np.float64(random_bits(state) >> np.uint64(11)) * 2.0**-53


@njit(helper=True)
def draw_first(state, pool, k):
    """Bring k entries of `pool`, drawn without replacement, to its front, in random order.

    One pass of Fisher's and Yates's shuffle (Durstenfeld 1964): every order of every choice is
    equally likely. The pool stays a permutation of what it was, and can be drawn from again.
    """
    for i in range(k):
        s = i + random_below(state, pool.size - i)
        pool[i], pool[s] = pool[s], pool[i]


@njit(lean=True)
def shuffle(state, array):
    """Put a one-dimensional array into random order, every order equally likely."""
    draw_first(state, array, array.size - 1)
