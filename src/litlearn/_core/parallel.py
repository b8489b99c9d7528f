"""One mechanism for parallel work: blocks, run by threads, merged in a fixed order.

Work is cut into blocks by the size of the data, never by the number of threads (:func:`cut`). Each
block is one call of a compiled function that releases the interpreter lock, and what the blocks
return is merged in their order (:func:`fold_blocks`). So the result has the same bits for any
``n_jobs``: threads only decide who computes a block, not what is in it.

The calling thread works too. That keeps nested and concurrent calls free of deadlock: a caller
never waits for a thread to become free before its own work can go on. Threads are a budget: a call
inside a block shares what its block was given.

Python raises ``KeyboardInterrupt`` in the main thread, once that thread is back from compiled code.
So blocks are short, or a long one returns to Python now and then and calls
:func:`check_interrupt`; compiled code of a helper thread can watch :func:`interrupt_flag` too. A
call inside a block does so before each block of its own.

Ctrl-C may come between any two calls, those of this file included. What must not be left half done
is therefore a statement without calls, or made of objects written in C, whose methods are carried
out whole: locks and simple queues, rather than conditions, semaphores and pools of the standard
library, which are Python and could keep a lock for good.
"""

import _thread
import atexit
import contextlib
import functools
import math
import os
import queue
import sys
import threading
import weakref

import numpy as np

# The pool starts threads only as they are needed, so a high bound costs nothing.
_MAX_THREADS = 256
# Elementary steps, about a nanosecond each, below which waking a thread costs more than it saves.
_WORTH_A_THREAD = 1_000_000
_NOTHING = object()
# Parts that may wait for their turn to be merged, for each thread.
_IN_FLIGHT = 2
# Seconds after which a thread that waits looks about, where no signal wakes it (Windows), or Ctrl-C
# came between news and who is to hear of them.
_GLANCE = 0.1


class _State:
    """What threads share. Made anew in a forked child, where the old threads do not exist."""

    def __init__(self):
        self.lock = threading.RLock()
        self.pool = None
        self.blas_users = 0
        self.watches = {}  # by entry: what sees one that ended without leaving
        self.blas_before = []  # libraries, and their numbers of threads before the limit


class _Worker(threading.local):
    """What a thread knows while it runs a block."""

    budget = None  # threads that the block may use, its own counted; None outside of blocks
    flag = np.zeros(1, dtype=np.uint8)  # see interrupt_flag; outside of blocks nobody sets it
    caller = None  # see calling_line
    told = None  # see kept_warnings


_state = _State()
_worker = _Worker()


def _after_fork():
    global _state
    before, users = _state.blas_before, _state.blas_users
    _state = _State()
    _worker.__dict__.clear()
    if users:  # the parent held the limit at the moment of the fork; the child never lets it go
        _restore(before)


def _restore(before):
    for library, n_threads in before:
        library.set_num_threads(n_threads)


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
        all but one, and so on. Inside a block that litlearn already runs in parallel, at most the
        block's share: three blocks on sixteen CPUs have five threads each.

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
    if n_jobs is None:
        caps = [os.environ.get(name, "") for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")]
        n_jobs = min([cpu_count(), *(int(cap) for cap in caps if cap.isdigit())])
    elif n_jobs < 0:
        n_jobs = cpu_count() + 1 + n_jobs
    return max(1, min(int(n_jobs), _MAX_THREADS, _worker.budget or _MAX_THREADS))


def cut(rows, size):
    """Cut rows into blocks of at most `size`, whose lengths differ by at most one.

    Parameters
    ----------
    rows : int or slice
        A number of rows, or consecutive rows: a block can be cut into tiles.
    size : int
        Set by the size of the data, never by the number of threads; less than 1 counts as 1.

    Returns
    -------
    list of slice
        In order. Empty if there are no rows.
    """
    start, stop = (rows.start, rows.stop) if isinstance(rows, slice) else (0, rows)
    n, n_blocks = stop - start, -(-(stop - start) // max(1, int(size)))
    return [
        slice(start + n * b // n_blocks, start + n * (b + 1) // n_blocks) for b in range(n_blocks)
    ]


def fold_blocks(part, merge, blocks, n_jobs=None, *, initial=None, work=None):
    """Merge what `part` returns for each block, in the order of the blocks.

    Parameters
    ----------
    part : callable
        ``part(block)`` runs in several threads at once, and releases the interpreter lock for most
        of its time. About 1 to 100 ms a block: long enough to be worth a hand-over, short enough
        that Ctrl-C, noticed between blocks, feels immediate. It sees BLAS with one thread.
    merge : callable or None
        ``merge(total, part)`` returns the new total, and may change the old one in place. One
        thread at a time calls it, in the order of the blocks, as parts arrive. None: the parts are
        dropped, as blocks write their results to where they belong.
    blocks : sequence
        Such as the slices of :func:`cut`.
    n_jobs : int or None, default=None
        See :func:`effective_n_jobs`. 1 starts no thread.
    initial : object, default=None
        The total before the first block. None: the part of the first block.
    work : float, default=None
        About how many elementary steps (additions, comparisons) all blocks take together, where
        they may be few: below a million, a millisecond, the calling thread does them all.

    Returns
    -------
    object
        ``merge(... merge(merge(initial, part(blocks[0])), part(blocks[1])) ...)``, with the same
        bits for any `n_jobs`. Memory: parts of at most two blocks a thread wait for their turn.

    Raises
    ------
    Exception
        That of the lowest block that ran and failed; blocks not yet begun are dropped.
    KeyboardInterrupt
        After blocks in progress have ended. A second Ctrl-C does not wait for them.
    """
    total = _NOTHING if initial is None else initial
    alone = len(blocks) <= 1 or (work is not None and work < _WORTH_A_THREAD)
    # Alone, nobody asks the system how many processors there are, which takes 3 microseconds.
    unasked = alone and n_jobs is None
    n_available = _worker.budget or _MAX_THREADS if unasked else effective_n_jobs(n_jobs)
    n_threads = 1 if alone else min(n_available, len(blocks))
    fold = _Fold(part, merge, blocks, total, n_threads)
    with single_threaded_blas() as blas:
        try:
            if n_threads <= 1:
                fold.run_alone(n_available)
            else:
                fold.run(n_available // n_threads)
        finally:
            blas.leave()  # again at the end of `with`, should Ctrl-C hit the first step of this
    return None if fold.total is _NOTHING else fold.total


class _Fold:
    """One call of :func:`fold_blocks`."""

    def __init__(self, part, merge, blocks, total, n_threads):
        self.part, self.merge, self.blocks, self.total = part, merge, blocks, total
        self.n_threads = n_threads
        self.errors = {}  # by number of block; -1 for an interrupt
        self.lock = threading.Lock()  # guards all that follows
        self.n_begun = self.n_merged = 0
        self.waiting = {}  # parts by number of block
        self.merging = self.closed = False
        self.n_helping = self.n_helped = 0  # helpers that have begun, and that have ended
        self.bells = []  # what those wait for who wait for a merge, or for a helper to end
        # A call inside a block ends when the outermost is interrupted: they share the flag.
        inside = _worker.flag is not _Worker.flag
        self.flag = _worker.flag if inside or n_threads <= 1 else np.zeros(1, dtype=np.uint8)
        self.caller = calling_line() if n_threads > 1 else None

    def run_alone(self, budget):
        before = _worker.budget
        _worker.budget = budget
        try:
            for block in self.blocks:
                check_interrupt()
                one = self.part(block)
                if self.merge is not None:
                    self.total = one if self.total is _NOTHING else self.merge(self.total, one)
                del one  # before the next is made
        finally:
            _worker.budget = before

    def run(self, budget):
        try:
            for _ in range(self.n_threads - 1):
                _pool().submit(functools.partial(self.help, budget))
            self.work(budget)
        except BaseException as interrupt:  # whatever the handler of a signal raises
            self.stop(interrupt)
        try:
            self.wait()
        except BaseException as interrupt:
            if -1 in self.errors:
                raise  # the second one: helpers end with the blocks that they are in
            self.stop(interrupt)
            self.wait()
        if self.errors:
            raise self.errors.pop(min(self.errors))  # which lets go of all that it passed through

    def stop(self, interrupt):
        self.errors.setdefault(-1, interrupt)
        self.flag[0] = 1

    def help(self, budget):
        """Work in another thread, unless that finds nothing left to do."""
        with self.lock:
            if self.closed:
                return
            self.n_helping += 1
        try:
            self.work(budget)
        finally:
            with self.lock:
                self.n_helped += 1
            self.tell()

    def wait(self):
        """Wait for the helpers that have begun; no other begins."""
        while True:
            with self.lock:
                self.closed = True
                if self.n_helped == self.n_helping:
                    return
                bell = self.bell()
            bell.acquire(timeout=_GLANCE)

    def bell(self):
        """Return a lock that the next news release. The caller holds that of the fold meanwhile.

        Each who waits has one: a `SimpleQueue` whose news another thread takes may wait for ever,
        whatever its timeout (CPython 3.11).
        """
        bell = threading.Lock()
        bell.acquire()
        self.bells.append(bell)
        return bell

    def tell(self):
        """Wake all who wait."""
        with contextlib.suppress(IndexError):
            while True:
                self.bells.pop().release()

    def work(self, budget):
        """Compute blocks until none is left; merge what is next in order."""
        block, before = -1, (_worker.budget, _worker.flag, _worker.caller)
        _worker.budget, _worker.flag, _worker.caller = budget, self.flag, self.caller
        try:
            while (block := self.next_block()) is not None:
                check_interrupt()
                one = self.part(self.blocks[block])
                if self.merge is not None:
                    self.add(block, one)
                del one
        except KeyboardInterrupt as interrupt:
            self.stop(interrupt)
        except BaseException as error:
            self.errors[block] = error
        finally:
            _worker.budget, _worker.flag, _worker.caller = before
            self.tell()

    def next_block(self):
        """Number of the next block, or None. Waits while too many parts wait to be merged."""
        while True:
            with self.lock:
                if self.errors or self.n_begun == len(self.blocks):
                    return None
                if self.n_begun - self.n_merged < _IN_FLIGHT * self.n_threads:
                    self.n_begun += 1
                    self.n_merged += self.merge is None
                    return self.n_begun - 1
                bell = self.bell()
            # The block that is to be merged next has begun, in a thread that does not wait here.
            bell.acquire(timeout=_GLANCE)

    def add(self, block, one):
        """Hold a part until its turn; whoever holds the next in order merges all that can be."""
        with self.lock:
            self.waiting[block] = one
            if self.merging:
                return
            self.merging = True
        while True:
            with self.lock:
                if self.n_merged not in self.waiting:
                    self.merging = False
                    return
                one = self.waiting.pop(self.n_merged)
            self.total = one if self.total is _NOTHING else self.merge(self.total, one)
            with self.lock:
                self.n_merged += 1
            self.tell()


def check_interrupt():
    """Raise ``KeyboardInterrupt`` if the call that this block belongs to was interrupted.

    A block that takes longer than 100 ms returns from compiled code that often and calls this.
    """
    if _worker.flag[0]:
        raise KeyboardInterrupt


def calling_line():
    """Return file, line and global names of who called this package, for a helper thread, too."""
    frame, passed = sys._getframe(), ("litlearn", "contextlib")  # which decorates functions here
    while frame and frame.f_globals.get("__name__", "").split(".")[0] in passed:
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno, frame.f_globals) if frame else _worker.caller


def inside_block():
    """Tell whether this thread runs a block of some call."""
    return _worker.budget is not None


@contextlib.contextmanager
def kept_warnings():
    """Keep what this thread would warn of, in the list that the context gives."""
    before, _worker.told = _worker.told, []
    try:
        yield _worker.told
    finally:
        _worker.told = before


def keep_warning(message):
    """Tell whether the warning is kept for later, see :func:`kept_warnings`."""
    if _worker.told is None:
        return False
    _worker.told.append(message)
    return True


def unless_interrupted(tiles):
    """Yield the tiles of a long block, and call :func:`check_interrupt` before each."""
    for tile in tiles:
        check_interrupt()
        yield tile


def interrupt_flag():
    """Return an array, uint8 of shape (1,), that is not 0 once the call was interrupted.

    Compiled code that a helper thread runs may look at it in a loop, and return early; the block
    then calls :func:`check_interrupt`. It says nothing to the main thread, where Python must be
    back from compiled code to notice Ctrl-C.
    """
    return _worker.flag


def map_blocks(function, n_blocks, n_jobs=None):
    """Return ``[function(0), ..., function(n_blocks - 1)]``, as :func:`fold_blocks` computes it."""
    return fold_blocks(function, _append, range(n_blocks), n_jobs, initial=[])


def _append(results, one):
    results.append(one)
    return results


class _Pool:
    """Threads that wait for calls. They start as they are needed, and end with the process."""

    def __init__(self):
        self.calls, self.idle, self.ended = (queue.SimpleQueue() for _ in range(3))
        self.lock, self.n_threads = threading.Lock(), 0
        atexit.register(self.close)

    def submit(self, call):
        """Let a thread carry out a call without arguments, which raises nothing; or none may."""
        self.calls.put(call)
        try:
            self.idle.get_nowait()
        except queue.Empty:
            # RuntimeError: the system has no thread left, or the process ends.
            with self.lock, contextlib.suppress(RuntimeError):
                if self.n_threads < _MAX_THREADS:
                    _thread.start_new_thread(self.serve, ())
                    self.n_threads += 1

    def serve(self):
        try:
            while (call := self.calls.get()) is not None:
                call()
                del call  # and what it holds
                self.idle.put(None)
        finally:
            self.ended.put(None)

    def close(self):
        """Let all threads come to their end, before the machine code that they run goes."""
        if _state.pool is not self:  # in a forked child, which has none of them
            return
        for _ in range(self.n_threads):
            self.calls.put(None)
        for _ in range(self.n_threads):
            self.ended.get()


def _pool():
    with _state.lock:
        if _state.pool is None:
            _state.pool = _Pool()
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


# Entries of a matrix from which BLAS hands work to its threads by itself.
_HANDED_OVER = 1 << 13
# Multiplications from which `multiply_rows` works in blocks (what is smaller stays in a cache,
# where BLAS hands over in less time), and those of one block, which has so many rows at least.
_WORTH_BLOCKS, _BLOCK, _LEAST_ROWS = 1 << 22, 1 << 21, 64


def multiply_rows(X, B, n_jobs=None):
    """Return ``X @ B`` from blocks of rows of X, each multiplied by one thread.

    The threads of OpenBLAS wait for more work by spinning, for some 25 ms. What comes next, on as
    many processors, would have to share these with them.

    Parameters
    ----------
    X : array or sparse array of shape (n, p)
    B : array or sparse array of shape (p,) or (p, k)
    n_jobs : int or None, default=None
        See :func:`effective_n_jobs`.

    Returns
    -------
    array of shape (n,) or (n, k)
        Sparse if both are.
    """
    dense = isinstance(X, np.ndarray) and isinstance(B, np.ndarray)
    width = B.shape[1] if B.ndim > 1 else 1
    if not dense or X.size * width < _WORTH_BLOCKS:
        return X @ B
    out = np.empty(X.shape[:1] + B.shape[1:], np.result_type(X, B))

    def block(rows):
        np.matmul(X[rows], B, out=out[rows])

    size = max(_LEAST_ROWS, _BLOCK // (X.shape[1] * width))
    fold_blocks(block, None, cut(len(X), size), n_jobs)
    return out


# Multiplications of one call of BLAS, some tenths of a second: Ctrl-C is answered between calls.
PIECE = 1 << 31


def multiply(A, B):
    """Return ``A @ B``, (n, k), where one call of BLAS might take long: from pieces of rows."""
    pieces = cut(A.shape[0], PIECE // max(1, math.prod(B.shape)))
    if len(pieces) <= 1 or not (isinstance(A, np.ndarray) and isinstance(B, np.ndarray)):
        return A @ B
    out = np.empty((A.shape[0], B.shape[1]), np.result_type(A, B))
    for rows in unless_interrupted(pieces):
        np.matmul(A[rows], B, out=out[rows])
    return out


def cross_products(Z, out=None):
    """Return ``Z.T @ Z``, (p, p), as :func:`multiply` does: from pieces of columns."""
    p = Z.shape[1]
    pieces = cut(p, PIECE // max(1, Z.size))
    if len(pieces) <= 1:
        return np.matmul(Z.T, Z, out=out)
    out = np.empty((p, p), Z.dtype) if out is None else out
    for own in unless_interrupted(pieces):
        rest = slice(own.stop, p)
        np.matmul(Z[:, own].T, Z[:, own], out=out[own, own])
        np.matmul(Z[:, own].T, Z[:, rest], out=out[own, rest])
        out[rest, own] = out[own, rest].T
    return out


def blas_for(X):
    """Context for many calls of compiled code and BLAS about X (n, p): BLAS has one thread.

    Others would spin, see :func:`multiply_rows`. With a small X it has one anyway.
    """
    small = math.prod(X.shape) <= _HANDED_OVER
    return contextlib.nullcontext() if small else single_threaded_blas()


class single_threaded_blas(contextlib.ContextDecorator):
    """While any thread is inside, BLAS uses one thread: the blocks have the others.

    Entries are counted. The first one in sets the limit and the last one out restores what was
    before; overlapping contexts that each restored "their" state would leave BLAS at one thread.
    """

    state = None  # what counts this entry

    def _recreate_cm(self):
        return single_threaded_blas()  # a decorated function may be called in several threads

    def __enter__(self):
        controller, state = _blas_controller(), _state
        try:
            with state.lock:
                if state.blas_users == 0:
                    libraries = controller.lib_controllers
                    state.blas_before = [(one, one.num_threads) for one in libraries]
                state.blas_users += 1
                self.state = state
                # Ctrl-C may hit the first step of `__exit__`. The error that it raises then holds
                # the last reference to this object.
                state.watches[id(self)] = weakref.ref(self, functools.partial(_left_out, id(self)))
                if state.blas_users == 1:
                    for library, _ in state.blas_before:
                        library.set_num_threads(1)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error):
        interrupts = []
        while self.state is not None:
            try:
                self.leave()
            except KeyboardInterrupt as interrupt:
                interrupts = [interrupt]
        if interrupts:
            raise interrupts.pop()

    def leave(self):
        """Leave; a second time changes nothing."""
        state = self.state
        if state is not _state:  # left before; or in a child forked meanwhile, where it is lifted
            self.state = None
            return
        with state.lock:
            state.watches.pop(id(self), None)
            if state.blas_users == 1:
                _restore(state.blas_before)
            state.blas_users -= 1
            self.state = None


def _left_out(key, watch):
    """Leave on behalf of an entry that is gone."""
    state = _state
    with state.lock:
        if state.watches.pop(key, None) is watch:
            if state.blas_users == 1:
                _restore(state.blas_before)
            state.blas_users -= 1
