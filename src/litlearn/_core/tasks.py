"""Work that is no sum: tasks that share their data, in threads here or on workers of Dask.

A tree of a forest needs all samples, and no other tree. On workers, the data travel once to each of
them, the tasks follow with little more than their numbers, and what they return comes back in
their order. A task is a function of the data and its number alone. So nothing that the workers do
changes a bit of it: how many they are, who computes what, and whether one is lost, whose tasks
another one does again.
"""

import functools
import pickle
from concurrent.futures import CancelledError

from litlearn._core import parallel, validation
from litlearn._core.allocation import freed_memory_kept
from litlearn._core.client import client_now

ATTEMPTS = 3  # to send data: where the workers that held them are lost, they go out again


class Parcel:
    """Content that travels: its arrays arrive as they were, aligned, and read-only where they were.

    An array that Dask sends for itself may lie at any address. Compiled code, and BLAS, would treat
    it in another way than the one that was sent.
    """

    def __init__(self, content):
        self.content = content

    def __reduce__(self):
        import cloudpickle  # as Dask does, for what a notebook defines

        return _unpack, (cloudpickle.dumps(self.content, protocol=5),)


def _unpack(packed):
    return Parcel(pickle.loads(packed))


def map_tasks(work, data, count, n_jobs=None, report=None):
    """Return ``[work(data, 0), ..., work(data, count - 1)]``.

    Parameters
    ----------
    work : callable
        It changes nothing, and does not hold the data: it may run in another process.
    data : object
        What all tasks need.
    count : int
        Number of tasks.
    n_jobs : int or None, default=None
        Threads, if the tasks run here. On a worker, each task has one.
    report : callable, default=None
        Called without arguments for each result, in their order.

    Returns
    -------
    list
    """
    report, client, found = report or (lambda: None), client_now(), []

    def add(_, one):
        found.append(one)
        report()
        return found

    if client is None:
        blocks = range(count)
        return parallel.fold_blocks(lambda k: work(data, k), add, blocks, n_jobs, initial=found)
    for _ in range(ATTEMPTS):
        try:
            _hand_out(client, work, data, range(len(found), count), add)
            return found
        except CancelledError as error:
            lost = error
            client_now()  # a client that was closed says so
    raise RuntimeError(
        f"The workers of {client!r} were lost with the data of a fit, {ATTEMPTS} times. See what "
        "ended them, such as a lack of memory: each holds all samples."
    ) from lost


def _hand_out(client, work, data, numbers, add):
    """Let workers do the tasks of these numbers, and add their results in order."""
    futures = [client.scatter(Parcel(data), broadcast=True, hash=False)]
    try:
        task = functools.partial(_carry_out, work)
        futures += client.map(task, numbers, parcel=futures[0], pure=False)
        for one in futures[1:]:
            result, told = one.result().content
            one.release()
            add(None, result)
            for message in told:
                validation.warn(message)
    finally:  # nothing stays there
        for one in futures:
            one.release()


def _carry_out(work, number, parcel):
    """Do one task, in the thread that Dask has for it; return the result and the warnings."""
    with freed_memory_kept(), parallel.kept_warnings() as told:
        found = parallel.map_blocks(lambda _: work(parcel.content, number), 1, n_jobs=1)
    return Parcel((*found, told))
