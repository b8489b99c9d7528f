"""The k best of a stream: a bounded heap with the worst candidate on top."""

import numpy as np

from litlearn._core.jit import njit

EMPTY_IDS = np.empty(0, dtype=np.intp)
NOBODY = -1  # the index to skip when none is skipped


@njit(helper=True)
def heap_push(distances, indices, distance, index):
    """Replace the worst of k candidates by a better one, and restore the heap.

    distances (k,), indices (k,): a binary heap, largest (distance, index) at position 0. Children
    of position i stand at 2i + 1 and 2i + 2. The caller has checked that the newcomer is better.
    """
    heap_place(distances, indices, 0, distances.size, distance, index)


@njit(helper=True)
def heap_place(distances, indices, i, size, distance, index):
    """Place (distance, index) at or below the free position i of a heap of `size` entries."""
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        right = child + 1
        if right < size and (
            distances[right] > distances[child]
            or (distances[right] == distances[child] and indices[right] > indices[child])
        ):
            child = right
        if distances[child] < distance or (distances[child] == distance and indices[child] < index):
            break
        distances[i], indices[i] = distances[child], indices[child]
        i = child
    distances[i], indices[i] = distance, index


@njit(helper=True)
def heap_sort(distances, indices):
    """Turn the heap into ascending order of (distance, index), in place."""
    for last in range(distances.size - 1, 0, -1):
        distance, index = distances[last], indices[last]
        distances[last], indices[last] = distances[0], indices[0]
        heap_place(distances, indices, 0, last, distance, index)


@njit
def sort_pairs(first, second):
    """Sort pairs (first, second) in ascending order, in place."""
    for i in range(first.size // 2 - 1, -1, -1):
        heap_place(first, second, i, first.size, first[i], second[i])
    heap_sort(first, second)


@njit(inline=True)
def offer(values, count, ids, first, skip, best, best_index):
    """Offer a run of candidates to the heap.

    values (>= count,) float64: distances of the candidates first, ..., first + count - 1, whose
    indices are ids[first], ... (or first, ... themselves where ids is empty). Index skip is left
    out. best, best_index (k,): the heap.
    """
    # <screen>: most runs hold nothing better; one vectorised count finds out.
    worst = best[0]
    hits = 0
    for i in range(count):
        hits += values[i] <= worst
    if hits == 0:
        return
    # <take>: the few that are better, or equal and first by index.
    for i in range(count):
        if values[i] <= worst:
            index = ids[first + i] if ids.size else first + i
            if index != skip and (values[i] < worst or index < best_index[0]):
                heap_push(best, best_index, values[i], index)
                worst = best[0]


@njit(inline=True)
def reset_heap(best, best_index, nobody):
    """An empty heap: infinitely far entries, behind every real index."""
    for i in range(best.size):
        best[i], best_index[i] = np.inf, nobody


@njit
def grow(array, needed):
    """A copy with room for `needed` entries, and for as many again as there were."""
    larger = np.empty(max(needed, 2 * array.size), array.dtype)
    larger[: array.size] = array
    return larger
