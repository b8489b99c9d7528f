"""One mechanism for parallel work: blocks, run by threads, in a fixed order.

Work is cut into blocks by the size of the data, never by the number of threads. Each block is one
call of a compiled function that releases the interpreter lock. So the result has the same bits for
any ``n_jobs``: threads only decide who computes a block, not what is in it.

The calling thread works too. That keeps nested and concurrent calls free of deadlock: a caller
never waits for a thread to become free before its own work can go on.
"""

import contextlib
import functools
import math
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

# The pool starts threads only as they are needed, so a high bound costs nothing.
_MAX_THREADS = 256


class _State:
    """What threads share. Made anew in a forked child, where the old threads do not exist."""

    def __init__(self):
        self.lock = threading.Lock()
        self.pool = None
        self.blas_users = 0
        self.blas_limit = None


_state = _State()
_worker = threading.local()  # .active is True in a thread that is running a block


def _after_fork():
    global _state
    limiter, users = _state.blas_limit, _state.blas_users
    _state = _State()
    _worker.active = False
    if users:  # the parent held the limit at the moment of the fork; the child never lets it go
        limiter.restore_original_limits()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def cpu_count():
    """Number of CPUs this process may use: affinity and the container's quota counted."""
    try:
        n_cpus = len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows have no affinity mask to ask for
        n_cpus = os.cpu_count() or 1
    return max(1, min(n_cpus, _cgroup_quota()))


@functools.cache
def _cgroup_quota():
    """CPUs granted by the container (cgroup v2, then v1), rounded up; large when unlimited."""
    with contextlib.suppress(OSError, ValueError):
        with open("/sys/fs/cgroup/cpu.max") as file:
            quota, period = file.read().split()
        return math.inf if quota == "max" else math.ceil(int(quota) / int(period))
    with contextlib.suppress(OSError, ValueError):
        with open("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") as file:
            quota = int(file.read())
        with open("/sys/fs/cgroup/cpu/cpu.cfs_period_us") as file:
            return math.inf if quota <= 0 else math.ceil(quota / int(file.read()))
    return math.inf


def effective_n_jobs(n_jobs=None):
    """Number of threads that a call with this ``n_jobs`` may use now.

    Parameters
    ----------
    n_jobs : int or None, default=None
        None: every usable CPU, capped by the environment variables ``OMP_NUM_THREADS`` and
        ``NUMBA_NUM_THREADS`` as they are at the call. Negative: ``-1`` is every usable CPU, ``-2``
        all but one, and so on. Inside a block that litlearn already runs in parallel: 1.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    ValueError
        If ``n_jobs`` is 0.
    """
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning; expected None, a positive or negative int.")
    if getattr(_worker, "active", False):
        return 1
    if n_jobs is None:
        caps = [os.environ.get(name, "") for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")]
        return max(1, min([cpu_count(), *(int(cap) for cap in caps if cap.isdigit())]))
    if n_jobs < 0:
        return max(1, cpu_count() + 1 + n_jobs)
    return min(int(n_jobs), _MAX_THREADS)


def map_blocks(function, n_blocks, n_jobs=None):
    """Call ``function(b)`` for b = 0, ..., n_blocks - 1 and return the results in that order.

    Parameters
    ----------
    function : callable
        Takes the number of a block. Runs in several threads at once; releases the interpreter lock
        for most of its time. About 1 to 100 ms a block: long enough to be worth a hand-over,
        short enough that Ctrl-C, noticed between blocks, feels immediate.
    n_blocks : int
        Set by the size of the data.
    n_jobs : int or None, default=None
        See :func:`effective_n_jobs`.

    Returns
    -------
    list
        ``[function(0), function(1), ...]``. If calls raise, the exception of the lowest block that
        ran is raised again, and blocks not yet begun are dropped.
    """
    results = [None] * n_blocks
    errors = {}
    todo = iter(range(n_blocks))
    lock = threading.Lock()

    def work():
        was_active, _worker.active = getattr(_worker, "active", False), True
        block = -1
        try:
            while not errors:
                with lock:
                    block = next(todo, None)
                if block is None:
                    return
                results[block] = function(block)
        except BaseException as error:
            errors[block] = error
        finally:
            _worker.active = was_active

    n_threads = min(effective_n_jobs(n_jobs), n_blocks)
    helpers = []
    with single_threaded_blas():
        try:
            for _ in range(n_threads - 1):
                helpers.append(_pool().submit(work))
            work()
        except KeyboardInterrupt as interrupt:
            errors[-1] = interrupt
        _wait(helpers, errors)
    if errors:
        raise errors[min(errors)]
    return results


def _wait(helpers, errors):
    """Wait for the helper threads; an interrupt stops them, but not before their block is done."""
    while helpers:
        try:
            # A helper that has not begun has nothing left to do: every block is taken.
            if not helpers[-1].cancel():
                helpers[-1].result()
            helpers.pop()
        except KeyboardInterrupt as interrupt:
            errors[-1] = interrupt


def _pool():
    with _state.lock:
        if _state.pool is None:
            _state.pool = ThreadPoolExecutor(_MAX_THREADS, thread_name_prefix="litlearn")
        return _state.pool


def _blas_controller():
    # SciPy brings a BLAS of its own, which a controller made before it is loaded would miss.
    # Whoever uses SciPy's has loaded it; whoever does not need not wait for it.
    # (`__all__` is the last thing that the import sets.)
    return _controller_of(hasattr(sys.modules.get("scipy.linalg"), "__all__"))


@functools.cache
def _controller_of(scipy_is_loaded):
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


@contextlib.contextmanager
def single_threaded_blas():
    """While any thread is inside, BLAS uses one thread: the blocks have the others.

    Entries are counted. The first one in sets the limit and the last one out restores what was
    before; overlapping contexts that each restored "their" state would leave BLAS at one thread.
    """
    controller = _blas_controller()
    state = _state
    with state.lock:
        if state.blas_users == 0:
            state.blas_limit = controller.limit(limits=1)
        state.blas_users += 1
    try:
        yield
    finally:
        if state is _state:  # in a child forked meanwhile, the limit is lifted already
            with state.lock:
                state.blas_users -= 1
                if state.blas_users == 0:
                    state.blas_limit.restore_original_limits()
                    state.blas_limit = None
