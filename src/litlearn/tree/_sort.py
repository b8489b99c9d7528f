"""Sorting the samples of a node by one feature.

A key is one 64-bit word: the code of the value in the upper half, the place of the sample in the
node's stretch of arrays in the lower half. Sorting the words sorts the samples, and moves nothing
but words.
"""

import numpy as np

from litlearn._jit import njit

SMALL = 24  # samples; below, insertion sort wins
HALF = np.uint64(32)
LOWER = np.uint64(0xFFFFFFFF)


@njit(inline=True)
def code_of(key):
    """Upper half of a key: the code of the value."""
    return key >> HALF


@njit(inline=True)
def place_of(key):
    """Lower half of a key: where the sample stands."""
    return np.uintp(key & LOWER)


@njit(helper=True)
def insertion_sort(source, keys, n):
    """Write the first n keys of `source`, which may be `keys` itself, to `keys` in order.

    Few steps when they are few, or nearly in order.
    """
    for i in range(n):
        key = source[i]
        s = i
        while s > 0 and keys[s - 1] > key:
            keys[s] = keys[s - 1]
            s -= 1
        keys[s] = key


@njit(helper=True)
def sort_keys(keys, n, low, high, buffer, starts):
    """Sort the first n keys, whose codes run from `low` to `high`, low < high.

    One pass deals the keys into about n buckets by their code, and insertion sort repairs the
    order within them: linear time when codes are spread evenly. `buffer` has room for n keys and
    `starts` for n + 1 counts.
    """
    if n <= SMALL:
        insertion_sort(keys, keys, n)
        return
    # <buckets>: A bucket for each code if they are few, otherwise for each stretch of codes.
    span = high - low + np.uint64(1)
    n_buckets = min(np.uint64(n), span)
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
    if span > n_buckets and largest <= 2 * SMALL:
        insertion_sort(buffer, keys, n)
        return
    for i in range(n):
        keys[i] = buffer[i]
    if span > n_buckets:
        merge_sort(keys, n, buffer)


@njit(helper=True)
def merge_sort(keys, n, buffer):
    """Sort the first n keys by merging runs of doubling length, in n log n steps at worst."""
    for start in range(0, n, SMALL):
        for i in range(start + 1, min(start + SMALL, n)):
            key = keys[i]
            s = i
            while s > start and keys[s - 1] > key:
                keys[s] = keys[s - 1]
                s -= 1
            keys[s] = key
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
        length *= 2
