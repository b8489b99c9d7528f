"""Levels of a categorical feature: what a search for the best set of them needs, and the sets.

The levels of a column are numbered 0, 1, 2, ..., its *codes*; a missing value has the number after
the last one. In a node only some levels occur, and the search knows these by *bins*, numbered in
the order in which the node's samples come. So nothing depends on which level has which code.

A split sends some levels of the node one way. Of the others the missing values, levels that no
sample of the node has and levels that are not known at all go the same way: the *default*. The
*set* of a node lists the levels that go the other way, and stands in one array with those of all
nodes, as 32-bit words, in whichever of two forms is shorter::

    [ 2 m | code, ... ]            m codes in rising order
    [ 2 k + 1 | word, ... ]        k words, bit c of which says whether code c is in the set

A tree whose features have many levels needs no more memory for a small node than the node itself.
"""

from typing import NamedTuple

import numpy as np

from litlearn._core.jit import njit
from litlearn._core.random import random_below
from litlearn.tree._sort import HALF, code_of, sort_keys

FEW_LEVELS = 8  # in a node: up to here all partitions are tried where no ordering is exact
RUN = 8  # entries that are put in order one by one
LISTED, WORDS = range(2)  # entries of ``LevelRoom.sizes``
LARGEST_CODE = 2**32 - 1


class LevelRoom(NamedTuple):
    """Room for the search among levels, one entry a bin; empty where all features are numbers."""

    slots: np.ndarray  # (n_codes,) int32: the bin of each code; -1 between two searches
    codes: np.ndarray  # (n_bins,) uint32
    counts: np.ndarray  # (n_bins,) int64: samples
    response: np.ndarray  # (n_bins,): what the bins are ordered by
    order: np.ndarray  # (n_bins,) int32
    spare: np.ndarray  # (n_bins,) int32
    left: np.ndarray  # (n_bins,) bool: which bins go left
    listed: np.ndarray  # (n_bins,) uint32: codes of the best split that do not go by default
    subsets: np.ndarray  # (2 ** (FEW_LEVELS - 1), 2 + n_outputs * n_classes): sums
    sets: np.ndarray  # uint32: those of the nodes so far
    sizes: np.ndarray  # (2,) int64: how many codes are listed, and how many words are used


def make_room(n_codes, n_samples, n_sums):
    """Return room for features of up to so many codes; for none, if all are numbers."""
    n_bins = min(n_codes, n_samples)
    return LevelRoom(
        slots=np.full(n_codes, -1, dtype=np.int32),
        codes=np.empty(n_bins, dtype=np.uint32),
        counts=np.empty(n_bins, dtype=np.int64),
        response=np.empty(n_bins),
        order=np.empty(n_bins, dtype=np.int32),
        spare=np.empty(n_bins, dtype=np.int32),
        left=np.empty(n_bins, dtype=np.bool_),
        listed=np.empty(n_bins, dtype=np.uint32),
        subsets=np.empty((2 ** (FEW_LEVELS - 1) if n_codes else 0, 2 + n_sums)),
        sets=np.empty(0, dtype=np.uint32),
        sizes=np.zeros(2, dtype=np.int64),
    )


NO_ROOM = make_room(0, 0, 0)


def set_fits(room):
    """Tell whether the set of one more node has room, whatever it is."""
    return room.sizes[WORDS] + 2 + room.slots.size // 32 <= room.sets.size


has_room = njit(part=True)(set_fits)  # for kernels: if Python called it, each process would compile


# ---------------------------------------------------------------------------------------------
# The levels of one node


@njit(part=True)
def number_levels(codes, n, room):
    """Replace the codes of a node's samples by bins. Returns how many bins there are."""
    slots, n_bins = room.slots, 0
    for i in range(n):
        code = np.uintp(codes[i])
        if slots[code] < 0:
            slots[code], room.codes[n_bins], room.counts[n_bins] = n_bins, codes[i], 0
            n_bins += 1
        b = np.uintp(slots[code])
        room.counts[b] += 1
        codes[i] = b
    for b in range(n_bins):
        slots[np.uintp(room.codes[b])] = -1
    return n_bins


@njit(part=True)
def sort_bins(room, n):
    """Order the first n bins by their response: a merge sort, so that equal ones keep their order.

    Cost: n log n.
    """
    response, order, spare = room.response, room.order, room.spare
    for first in range(0, n, RUN):
        for i in range(first, min(first + RUN, n)):
            s = i
            while s > first and response[order[s - 1]] > response[i]:
                order[s] = order[s - 1]
                s -= 1
            order[s] = i
    width = RUN
    while width < n:
        for first in range(0, n - width, 2 * width):
            merge_stretches(response, order, spare, first, first + width, min(first + 2 * width, n))
        width *= 2


@njit(part=True)
def merge_stretches(response, order, spare, first, middle, end):
    """Merge two stretches of the order, both sorted; the left one waits in `spare`."""
    for i in range(first, middle):
        spare[i] = order[i]
    i, s = first, middle
    for place in range(first, end):
        if i == middle:
            return
        if s < end and response[order[s]] < response[spare[i]]:
            order[place] = order[s]
            s += 1
        else:
            order[place] = spare[i]
            i += 1


@njit(part=True)
def take_first(room, n, n_left):
    """Let the first `n_left` of n bins in their order go left, and the others right."""
    for s in range(n):
        room.left[room.order[s]] = s < n_left


@njit(part=True)
def take_subset(room, n, subset):
    """Let the first of n bins in their order go left, and of the others those in a subset.

    Bit s of `subset` is that of bin s + 1 in the order.
    """
    room.left[room.order[0]] = True
    for s in range(n - 1):
        room.left[room.order[s + 1]] = (subset >> s) & 1 == 1


@njit(part=True)
def draw_sides(state, n, left):
    """Toss a coin for each of n bins, again and again until both sides have one.

    Each way to send some, but not all, to the left is as likely as the others.
    """
    n_left = 0
    while n_left == 0 or n_left == n:
        n_left = 0
        for b in range(n):
            left[b] = random_below(state, 2) == 1
            n_left += left[b]


# ---------------------------------------------------------------------------------------------
# The absolute error


@njit(part=True)
def write_medians(bins, start, n, y, w, order, weights, below, response):
    """Write the weighted median of each bin to `response`.

    `order` (n,) are the places of the node's samples in the order of their targets, `weights` those
    of the bins, and `below` (n,) is scratch.
    """
    below[:] = 0.0
    for i in range(n):
        place = np.uintp(order[i])
        b = np.uintp(bins[place - np.uintp(start)])
        before = below[b]
        below[b] += w[place]
        if before < 0.5 * weights[b] <= below[b]:
            response[b] = y[place]


@njit(part=True)
def write_ranks(room, bins, n_bins, start, n, keys):
    """Write keys of a node's samples as if its levels were numbers in their order.

    The samples of a level come in the order of the node.
    """
    order, first, place = room.order, room.spare, 0
    for s in range(n_bins):
        first[order[s]], room.response[order[s]] = place, s  # the rank, now that it is known
        place += room.counts[order[s]]
    for i in range(n):
        b = np.uintp(bins[i])
        keys[first[b]] = (np.uint64(room.response[b]) << HALF) | np.uint64(start + i)
        first[b] += 1


@njit(part=True)
def deviation_of_sides(bins, start, n, y, w, order, centre, left, weights):
    """Return the sum of absolute deviations from the medians of two sides.

    Half of the weight of a side lies above its median, half below: what is above counts with its
    target, what is below with minus its target, and the median itself cancels. `weights` are those
    of the left and the right side.
    """
    below_left, below_right, total = 0.0, 0.0, 0.0
    for i in range(n):
        place = np.uintp(order[i])
        if left[np.uintp(bins[place - np.uintp(start)])]:
            below_left += w[place]
            above = min(w[place], max(0.0, below_left - 0.5 * weights[0]))
        else:
            below_right += w[place]
            above = min(w[place], max(0.0, below_right - 0.5 * weights[1]))
        total += (y[place] - centre) * (2.0 * above - w[place])
    return total


# ---------------------------------------------------------------------------------------------
# Sets


@njit(part=True)
def list_levels(room, n_bins, n, missing):
    """List the codes of the best split so far that do not go by default. Returns the default.

    That is whether missing values, whose code is `missing`, go left: where there are none, later
    ones will go with the majority of the n samples.
    """
    n_left, absent, missing_left = 0, False, False
    for b in range(n_bins):
        n_left += room.counts[b] if room.left[b] else 0
        if room.codes[b] == missing:
            absent, missing_left = True, room.left[b]
    if not absent:
        missing_left = 2 * n_left > n
    n_listed = 0
    for b in range(n_bins):
        if room.left[b] != missing_left:
            room.listed[n_listed] = room.codes[b]
            n_listed += 1
    room.sizes[LISTED] = n_listed
    return missing_left


@njit(part=True)
def store_set(room, keys, buffer, starts):
    """Write the listed codes as the set of a node. Returns where it stands."""
    sets, n, at = room.sets, room.sizes[LISTED], room.sizes[WORDS]
    low, high = np.uint64(room.listed[0]), np.uint64(room.listed[0])
    for i in range(n):
        code = np.uint64(room.listed[i])
        low, high = min(low, code), max(high, code)
        keys[i] = code << HALF
    n_words = np.int64(high >> np.uint64(5)) + 1
    if n_words <= n:
        # <bits>: One for each code up to the highest.
        sets[at] = 2 * n_words + 1
        sets[at + 1 : at + 1 + n_words] = 0
        for i in range(n):
            code = room.listed[i]
            sets[at + 1 + (code >> 5)] |= np.uint32(1) << np.uint32(code & 31)
        n = n_words
    else:
        # <codes>: In rising order.
        if low < high:
            sort_keys(keys, n, low, high, buffer, starts)
        sets[at] = 2 * n
        for i in range(n):
            sets[at + 1 + i] = code_of(keys[i])
    room.sizes[WORDS] = at + 1 + n
    return at


@njit(inline=True)
def is_listed(sets, at, code):
    """Tell whether a code (int64) is in the set that begins at word `at`."""
    first, size = at + 1, np.int64(sets[at]) >> 1
    if sets[at] & 1:
        word = code >> 5
        return word < size and (sets[np.uintp(first + word)] >> np.uint32(code & 31)) & 1 == 1
    # <search>: Binary, among codes in rising order.
    low, high = first, first + size
    while low < high:
        middle = (low + high) // 2
        if np.int64(sets[np.uintp(middle)]) < code:
            low = middle + 1
        else:
            high = middle
    return low < first + size and np.int64(sets[np.uintp(low)]) == code


def codes_in(sets, at):
    """Return the codes in the set that begins at word `at`, in rising order."""
    size = int(sets[at]) >> 1
    words = sets[at + 1 : at + 1 + size]
    if not int(sets[at]) & 1:
        return words.astype(np.int64)
    bits = words[:, np.newaxis] >> np.arange(32, dtype=np.uint32) & np.uint32(1)
    return np.flatnonzero(bits.ravel())


def compacted(sets, at):
    """Return the sets that begin at the words `at` (n,), one after the other, and where."""
    sizes = (sets[at] >> 1).astype(np.int64) + 1
    starts = np.cumsum(sizes) - sizes
    return sets[np.repeat(at - starts, sizes) + np.arange(sizes.sum())], starts
