"""Arrays in chunks of rows: those of Dask, larger than memory or spread over machines.

A fit that is a sum over blocks of rows (:mod:`litlearn._core.parallel`) needs no other method for
them. Each chunk of rows is cut into blocks as an array in memory is, a task sums the blocks up
where the chunk is, and the sums of the chunks are merged in their order::

    chunk 0 --- blocks ---> sum 0 ---+
    chunk 1 --- blocks ---> sum 1 ---+
    chunk 2 --- blocks ---> sum 2 ---merge---> total

Which scheduler of Dask runs the tasks, in how many threads, processes or machines, does not matter
for the result: its bits depend on how the rows are cut, and on nothing else. Only sums travel.

Nothing here imports Dask unless the caller has: an array of it can come from nobody else.
"""

import contextlib
import copy
import functools
import sys
import uuid

import numpy as np

from litlearn._core.allocation import freed_memory_kept
from litlearn._core.client import client_now
from litlearn._core.parallel import cut, fold_blocks

ALIGNMENT = 16  # bytes, of which the address of memory that was allocated is a multiple
CHUNK_BYTES = 2**24  # of samples in memory that are sent to workers
# Sums that a task merges, and chunks of one worker that a task folds at most: each task costs a way
# to the scheduler and back.
TOGETHER = 16


class LostChunksError(RuntimeError):
    """Chunks were held by workers, or by a client, that are gone."""


# ---------------------------------------------------------------------------------------------
# Recognise


def is_chunked(X):
    """Tell whether `X` is an array of Dask."""
    kind = getattr(sys.modules.get("dask.array"), "Array", None)
    return kind is not None and isinstance(X, kind)


def is_chunked_frame(X):
    """Tell whether `X` is a data frame of Dask, or a column of one."""
    frames = sys.modules.get("dask.dataframe")
    kinds = (getattr(frames, "DataFrame", None), getattr(frames, "Series", None))
    return None not in kinds and isinstance(X, kinds)


def in_memory(array):
    """Return a NumPy array of what may be in chunks: targets and predictions, not samples.

    As they are: a graph that Dask has optimised has other tasks under the names of those that
    :func:`fold_rows` computes, and a cluster takes that for an error.
    """
    if is_chunked(array):
        return _computed(array, [array], optimize_graph=False)
    return _computed(array, []) if is_chunked_frame(array) else array


def _computed(what, arrays, **options):
    """Compute what is made of arrays, by the client of now or as Dask is set up."""
    from dask.base import get_scheduler

    client = client_now()
    get = client.get if client else get_scheduler()
    client = getattr(get, "__self__", None)  # that of Dask's choice
    try:
        if client is None or not is_chunked(what):
            return what.compute(scheduler=get, **options)
        # Chunk by chunk: a worker that joined them would hold them all, and send them once more.
        finish, arguments = what.__dask_postcompute__()
        return finish(client.get(what.dask, what.__dask_keys__()), *arguments)
    except Exception as error:
        if _are_lost(arrays):
            raise LostChunksError(
                "An array of Dask is held by a client that was closed, or by workers that are "
                "gone. Make it anew, or persist it with the client of now."
            ) from error
        if client is not None and client.status != "running":
            raise LostChunksError(
                "The client of Dask was closed before its workers had answered."
            ) from error
        raise


def _are_lost(arrays):
    """Tell whether chunks are held by a client that holds them no more."""
    held = [future for one in arrays if is_chunked(one) for _, future in _futures_of(one)]
    return any(one.status in ("cancelled", "lost") for one in held)


def _futures_of(array):
    """Return keys and futures of what an array in chunks is made of, and workers hold."""
    kind = getattr(sys.modules.get("distributed"), "Future", ())
    return [(key, value) for key, value in array.dask.items() if isinstance(value, kind)]


# ---------------------------------------------------------------------------------------------
# Place


def beside(X, array):
    """Return an array in chunks that lies where the chunks of `X` do, with as many rows each.

    If workers hold what each chunk of `X` is made of. Targets of the caller lie anywhere, and a
    task whose arrays lie apart moves any of them, with each pass over the samples.
    """
    from dask.highlevelgraph import HighLevelGraph

    held = _held_chunks(X)
    if not held:
        return array
    name, rest = f"litlearn-beside-{uuid.uuid4().hex}", (0,) * (array.ndim - 1)
    # The worker with more of the bytes that it asks for gets such a task: the one with the samples.
    graph = {(name, i, *rest): (_second, key, (array.name, i, *rest)) for i, key in held.items()}
    graph = HighLevelGraph.from_collections(name, graph, [X, array])
    return kept(type(array)(graph, name, array.chunks, dtype=array.dtype, meta=array._meta))


def _held_chunks(X):
    """Return for each chunk, by number, the key of one that workers hold and that has its number.

    Nothing if no array has them all. Samples that were made of one, chunk by chunk, lie with it.
    """
    arrays, n_chunks = {}, X.numblocks[0]
    for key, _ in _futures_of(X):
        if isinstance(key, tuple) and len(key) > 1:
            arrays.setdefault(key[0], {})[key[1]] = key
    return next((keys for keys in arrays.values() if keys.keys() == {*range(n_chunks)}), {})


def _second(_, chunk):
    return chunk


def kept(array):
    """Return an array in chunks whose chunks stay where they are computed, for the passes of a fit.

    If it depends on what a client's workers hold; else it is computed with each pass.
    """
    if not is_chunked(array):
        return array
    client = next((future.client for _, future in _futures_of(array)), None)
    if client is None or client.status != "running":  # the next pass says that they are lost
        return array
    return client.persist(array, optimize_graph=False)


class Scattered:
    """Arrays in memory whose chunks are sent to workers, for the time of a ``with`` block.

    They are cut by the size of the first, the samples, and by nothing else: the result of a fit
    does not depend on the workers.
    """

    def __init__(self, client, samples):
        self.client, self.futures = client, []
        rows = CHUNK_BYTES // max(1, samples[:1].nbytes)
        self.blocks = cut(len(samples), rows)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for one in self.futures:
            one.release()

    def send(self, array):
        """Return an array of Dask whose chunks lie with the workers."""
        import dask.array as da

        sent = self.client.scatter([array[rows] for rows in self.blocks], hash=False)
        self.futures += sent
        name, rest = f"litlearn-sent-{uuid.uuid4().hex}", (0,) * (array.ndim - 1)
        graph = {(name, i, *rest): one for i, one in enumerate(sent)}
        lengths = tuple(rows.stop - rows.start for rows in self.blocks)
        chunks = (lengths, *((width,) for width in array.shape[1:]))
        return da.Array(graph, name, chunks, dtype=array.dtype, meta=array[:0])


# ---------------------------------------------------------------------------------------------
# Sums


def each_chunk(array, function, like):
    """Return ``function(chunk)`` of each chunk, which keeps the shape, as an array in chunks.

    `like` is an empty one of them. A fold applies the function in its own tasks: one for itself
    would cost it a way to the scheduler and back.
    """
    found = array.map_blocks(function, dtype=like.dtype, meta=like)
    source, functions = _origin(array)
    found._litlearn_origin = source, (*functions, function)
    return found


def _origin(array):
    """Return the array that :func:`each_chunk` began with, and the functions to apply."""
    return getattr(array, "_litlearn_origin", (array, ()))


def fold_rows(part, merge, arrays, size, n_jobs=None, work=None, *, shared=None):
    """Merge what `part` returns for blocks of rows of arrays, in memory or in chunks.

    Parameters
    ----------
    part : callable
        ``part(arrays, rows)`` gets arrays in memory and a slice of their rows. For chunks it may
        run in another process: it must not hold the arrays themselves.
    merge : callable
        ``merge(total, part)`` as in :func:`litlearn._core.parallel.fold_blocks`.
    arrays : tuple
        Arrays with a row for each sample, or None. The first decides: if it is in chunks, so may
        be the others, with as many rows each. ``range(n)`` tells a part the numbers of its rows.
    size : int
        Most rows of a block, set by the size of the data.
    n_jobs, work : default=None
        Threads for arrays in memory, and what there is for them to do. Of chunks, a task has one
        thread, and Dask has the others.
    shared : array, default=None
        What all parts need, if it is much: it travels once, and ``part(shared, arrays, rows)``
        gets it.

    Returns
    -------
    object
        The total, as of :func:`litlearn._core.parallel.fold_blocks`.
    """
    if not is_chunked(arrays[0]):
        blocks = cut(arrays[0].shape[0], size)
        part = part if shared is None else functools.partial(part, shared)
        return fold_blocks(lambda rows: part(arrays, rows), merge, blocks, n_jobs, work=work)
    total = _computed(task_of_rows(part, merge, arrays, size, shared), arrays)
    return copy.deepcopy(total)  # what arrived by a network lies anywhere in memory


def task_of_rows(part, merge, arrays, size, shared=None):
    """Return the last task of a chain: each merges the sums of some chunks with those before.

    The graph is written down as Dask has it. It would fuse a task into each one that depends on it,
    and what two arrays share would be read twice. `shared` may be a task itself.
    """
    from dask.delayed import Delayed
    from dask.highlevelgraph import HighLevelGraph

    arrays, functions = zip(*map(_origin, arrays), strict=True)
    one = functools.partial(_fold_chunk, part, merge, size, functions)
    name, graph = f"litlearn-sum-{uuid.uuid4().hex}", {}
    known, others = shared, []
    if isinstance(shared, Delayed):
        known, others = shared.key, [shared]
    elif shared is not None:
        known = f"{name}-shared"
        graph[known] = shared
    chunks, tasks, places = dict(_chunks_of(arrays)), {}, {}
    if not any(_futures_of(one) for one in arrays if is_chunked(one)):  # else Dask places the tasks
        for array in filter(is_chunked, arrays):
            tasks.update(array.dask)
    own = dict(zip(chunks, _own_tasks(chunks.values(), tasks), strict=True))
    for some in _lie_together(arrays[0], list(chunks)):
        key = f"{name}-part-{some[0]}"
        if len(some) > 1:
            graph[key] = (_fold_chunks, one, known, [chunks[i] for i in some])
        else:
            graph[key] = _read_and_fold(one, known, chunks[some[0]], *own[some[0]])
        places.update((i, (key, k if len(some) > 1 else None)) for k, i in enumerate(some))
    (total, place), *parts = [places[i] for i in chunks]
    for i, some in enumerate(cut(len(parts), TOGETHER)):
        keys, numbers = zip((total, place), *parts[some], strict=True)
        sources = list(dict.fromkeys(keys))
        which = [(sources.index(key), k) for key, k in zip(keys, numbers, strict=True)]
        graph[f"{name}-{i}"] = (functools.partial(_merge_parts, merge, which), sources)
        total, place = f"{name}-{i}", None
    others += [one for one in arrays if is_chunked(one)]
    return Delayed(total, HighLevelGraph.from_collections(name, graph, others), layer=name)


def _chunks_of(arrays):
    """Yield each chunk that has rows: its number, and what it has of the arrays, keys or arrays."""
    lengths = arrays[0].chunks[0]
    for i, (length, stop) in enumerate(zip(lengths, np.cumsum(lengths).tolist(), strict=True)):
        if length:
            rows = slice(stop - length, stop)
            yield (
                i,
                [
                    (one.name, i, *(0,) * (one.ndim - 1))
                    if is_chunked(one)
                    else None
                    if one is None
                    else one[rows]
                    for one in arrays
                ],
            )


def _lie_together(X, numbers):
    """Part the numbers of chunks into lists, each for a task: some that one worker holds, or one.

    About two tasks for each thread of a worker. The scheduler would spend longer on a task for each
    chunk than a small chunk takes.
    """
    holders = _holders(X)
    groups = {}
    for i in numbers:
        groups.setdefault(holders.get(i), []).append(i)
    found = [[i] for i in groups.pop(None, [])]
    for (_, threads), own in groups.items():
        size = min(TOGETHER, -(-len(own) // (2 * threads)))
        found += [own[rows] for rows in cut(len(own), size)]
    return sorted(found)


def _holders(X):
    """Return, by the number of a chunk, the worker that holds it, and how many threads that has.

    Nothing where the chunks are made of held ones with each pass: a task for several would need
    them all at once. Asked once for an array: chunks that have moved since are still summed up.
    """
    if hasattr(X, "_litlearn_holders"):
        return X._litlearn_holders
    held, futures, found = _held_chunks(X), dict(_futures_of(X)), {}
    client = next((one.client for one in futures.values()), None)
    whole = all(key[0] == X.name for key in held.values())
    if held and whole and client.status == "running" and not client.asynchronous:
        known, threads = {}, client.nthreads()
        with contextlib.suppress(Exception):  # chunks that are lost: the sum itself says so
            known = client.who_has([futures[key] for key in held.values()])
        for i, key in held.items():
            address = min(known.get(futures[key].key, ()), default=None)
            if address in threads:
                found[i] = address, threads[address]
    X._litlearn_holders = found
    return found


def _own_tasks(chunks, graph):
    """Return for each chunk the tasks that it needs and no other does, by key, and their inputs.

    Reading its file, above all. What is in memory, and what several chunks need, is no chunk's own.
    """
    from dask.core import get_dependencies, istask

    owner, needed = {}, {}
    for i, chunk in enumerate(chunks):
        seen, found = set(), [key for key in chunk if isinstance(key, tuple) and key in graph]
        while found:
            key = found.pop()
            if key in seen or owner.get(key, i) is None:
                continue
            seen.add(key)
            needed[key] = needed.get(key) or get_dependencies(graph, key)
            is_own = owner.get(key, i) == i and (needed[key] or istask(graph[key]))
            owner[key] = i if is_own else None
            found += needed[key]
    own = [({}, set()) for _ in chunks]
    for key, i in owner.items():
        if i is not None:
            own[i][0][key] = graph[key]
            own[i][1].update(needed[key])
    return [(tasks, list(inputs - tasks.keys())) for tasks, inputs in own]


def _read_and_fold(fold, shared, chunk, tasks, inputs):
    """Return the task that folds a chunk, and runs the chunk's own `tasks` before.

    Each as a task of Dask would cost a way to the scheduler and back, about what the reading of a
    small chunk does, and Dask might read targets in one process and samples in another.
    """
    if not tasks:
        return (fold, shared, *chunk)
    own = [key if isinstance(key, tuple) and key in tasks else None for key in chunk]
    others = [None if key is not None else one for key, one in zip(own, chunk, strict=True)]
    run = functools.partial(_run_and_fold, fold, tasks, own, inputs)
    return (run, shared, others, inputs)


def _run_and_fold(fold, tasks, own, inputs, shared, others, values):
    """Run a chunk's own tasks, whose `inputs` have the `values`, and fold the chunk."""
    from dask.core import get

    keys = [key for key in own if key is not None]
    made = iter(get(tasks, keys, dict(zip(inputs, values, strict=True))))
    arrays = [next(made) if key is not None else one for key, one in zip(own, others, strict=True)]
    return fold(shared, *arrays)


def _fold_chunk(part, merge, size, functions, shared, *arrays):
    """Fold a chunk, block by block, in the thread that Dask has for it."""
    shared, *arrays = map(_as_allocated, (shared, *arrays))
    with freed_memory_kept():
        arrays = [
            functools.reduce(lambda chunk, function: function(chunk), some, chunk)
            for some, chunk in zip(functions, arrays, strict=True)
        ]
        return fold_rows(part, merge, arrays, size, n_jobs=1, shared=shared)


def _fold_chunks(fold, shared, chunks):
    """Fold several chunks, and return what each gives."""
    return [fold(shared, *arrays) for arrays in chunks]


def _as_allocated(array):
    """Return an array at an address such as allocated ones have: BLAS sums up others otherwise."""
    is_array = isinstance(array, np.ndarray)
    return array.copy() if is_array and array.ctypes.data % ALIGNMENT else array


def _merge_parts(merge, which, sources):
    """Merge copies: after the loss of a worker, Dask may merge into the same total once more.

    `which` has the number of each part's source, and its place there if the source is a list.
    What another worker has sent may lie anywhere in memory, too, see :func:`_as_allocated`.
    """
    parts = (sources[i] if place is None else sources[i][place] for i, place in which)
    return functools.reduce(merge, map(copy.deepcopy, parts))


def count_codes(codes, n_classes, weight=None):
    """Return how many samples, or how much weight, each of the classes has, (n_classes,)."""
    if not is_chunked(codes):
        return np.bincount(codes, weights=weight, minlength=n_classes)

    def part(arrays, rows):
        codes, weight = arrays
        return np.bincount(codes, weights=weight, minlength=n_classes)

    return fold_rows(part, np.add, (codes, weight), len(codes))


def largest_size(array):
    """Return the largest absolute value in an array, in memory or in chunks, as a float."""
    if not is_chunked(array):
        return float(max(array.max(), -array.min()))

    def part(arrays, rows):
        return float(np.abs(arrays[0][rows]).max())

    return fold_rows(part, max, (array,), len(array))


def ones_for(codes):
    """Return a one for each entry (n,), in chunks if the entries are."""
    if not is_chunked(codes):
        return np.ones(len(codes))
    return each_chunk(codes, lambda chunk: np.ones(len(chunk)), np.empty(0))


def look_up(table, codes):
    """Return ``table[codes]``, in chunks if the codes are."""
    if not is_chunked(codes):
        return table[codes]
    return each_chunk(codes, lambda chunk: table[chunk], table[:0])
