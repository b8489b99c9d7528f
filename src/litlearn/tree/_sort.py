"""Sorting the samples of a node by one feature.

A key is one 64-bit word: the code of the value in the upper half; in the lower half the place where
the sample's target and weight are found. Sorting the words sorts the samples, and moves nothing but
words.
"""

import numpy as np

from litlearn._core.jit import njit

VERY_SMALL = 8  # keys; up to here, exchanging wins
SMALL = 32  # up to here, counting smaller ones wins
HALF = np.uint64(32)
LOWER = np.uint64(0xFFFFFFFF)
LARGEST = np.uint64(0xFFFFFFFFFFFFFFFF)
CROWDED = 48  # keys in one bucket; above, merging wins


@njit(inline=True)
def code_of(key):
    """Upper half of a key: the code of the value."""
    return key >> HALF


@njit(inline=True)
def place_of(key):
    """Lower half of a key: where the sample's target and weight stand."""
    return np.uintp(key & LOWER)


@njit(inline=True)
def exchange_sort(source, keys, n):
    """Write the first n keys of `source` to `keys` in order: for very few.

    Each new key passes all that are there, and at each the larger of the two goes on.
    """
    for i in range(n):
        key = source[i]
        for s in range(i):
            keys[s], key = min(keys[s], key), max(keys[s], key)
        keys[i] = key


@njit(inline=True)
def rank_sort(source, keys, n):
    """Write the first n keys of `source` to `keys` in order: for few.

    The place of a key is the number of smaller ones, which the compiler counts many at a time.
    """
    for i in range(n):
        keys[i] = 0
    for i in range(n):
        key, rank = source[i], 0
        for s in range(n):
            rank += source[s] < key
        keys[rank] = key
    # <equal>: Equal keys went to one place, and left the places behind it empty.
    for i in range(1, n):
        keys[i] = max(keys[i], keys[i - 1])


@njit(helper=True)
def sort_few(source, keys, n):
    """Write the first n keys of `source`, at most `SMALL`, to `keys` in order.

    No branch depends on the data, and none is mispredicted.
    """
    if n <= VERY_SMALL:
        exchange_sort(source, keys, n)
    else:
        rank_sort(source, keys, n)


@njit(helper=True)
def insertion_sort(source, keys, start, stop):
    """Write keys `start` to `stop` - 1 of `source`, which may be `keys` itself, in order.

    Few steps when they are nearly in order.
    """
    for i in range(start, stop):
        key = source[i]
        s = i
        while s > start and keys[s - 1] > key:
            keys[s] = keys[s - 1]
            s -= 1
        keys[s] = key


@njit(part=True)
def sort_keys(keys, n, low, high, buffer, starts):
    """Sort the first n keys, whose codes run from `low` to `high`, low < high.

    One pass deals the keys into at most 2 n buckets by their code, and insertion sort repairs the
    order within them: linear time when codes are spread evenly. `buffer` has room for n keys and
    `starts` for 2 n + 1 counts.
    """
    # <buckets>: A bucket for each code if they are few, otherwise for each stretch of codes.
    span = high - low + np.uint64(1)
    n_buckets = min(np.uint64(2 * n), span)
    scale = (n_buckets << HALF) // span
    for b in range(n_buckets + np.uint64(1)):
        starts[b] = 0
    # <count>: How many keys fall into each bucket, one place up, so that sums become starts.
    for i in range(n):
        b = ((code_of(keys[i]) - low) * scale) >> HALF
        starts[b + np.uint64(1)] += 1
    largest = 0
    for b in range(n_buckets):
        largest = max(largest, starts[b + np.uint64(1)])
        starts[b + np.uint64(1)] += starts[b]
    # <deal>: Each key to the next free place of its bucket. Keys come in the order of their
    # places, so equal codes are in order already.
    for i in range(n):
        key = keys[i]
        b = ((code_of(key) - low) * scale) >> HALF
        buffer[starts[b]] = key
        starts[b] += 1
    # <repair>: Crowded buckets would make insertion sort slow; a merge sort has no bad case.
    if span > n_buckets and largest <= CROWDED:
        insertion_sort(buffer, keys, np.int64(0), n)
        return
    for i in range(n):
        keys[i] = buffer[i]
    if span > n_buckets:
        merge_sort(keys, n, buffer)


@njit(part=True)
def merge_sort(keys, n, buffer):
    """Sort the first n keys by merging runs of doubling length, in n log n steps at worst."""
    for start in range(0, n, SMALL):
        insertion_sort(keys, keys, start, min(start + SMALL, n))
    length = SMALL
    while length < n:
        for start in range(0, n, 2 * length):
            middle, stop = min(start + length, n), min(start + 2 * length, n)
            if middle == stop or keys[middle - 1] <= keys[middle]:
                continue
            # <merge>: The left run moves aside, then the smaller head goes first.
            for i in range(middle - start):
                buffer[i] = keys[start + i]
            left, n_left, right, out = 0, middle - start, middle, start
            while left < n_left:
                if right < stop and keys[right] < buffer[left]:
                    keys[out] = keys[right]
                    right += 1
                else:
                    keys[out] = buffer[left]
                    left += 1
                out += 1
        # <double>: Now runs are twice as long.
        length *= 2
