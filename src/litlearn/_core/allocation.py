"""Memory that a task frees and takes again: kept, where Dask would give it back each time.

The nanny of a Dask worker sets ``MALLOC_TRIM_THRESHOLD_`` to 64 KiB, so that freed memory returns
to the system at once. With it the allocator of the GNU C library maps anew whatever is larger than
128 KiB. A fold takes a tile for each of its blocks: most of its time may then go into pages that
the system clears. Here the allocator keeps them until the task is done.
"""

import contextlib
import ctypes
import functools
import os
import threading

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # numbers of mallopt's parameters, from malloc.h
LARGEST = 2**25  # bytes that may be set for the latter
DEFAULT = 2**17  # bytes of the latter where nobody has set it

_lock, _users = threading.Lock(), 0


@functools.cache
def _mallopt():
    """Return the function of the C library, or None where there is none, or no need."""
    if "MALLOC_TRIM_THRESHOLD_" not in os.environ:
        return None
    with contextlib.suppress(OSError, AttributeError, TypeError):
        return ctypes.CDLL(None).mallopt
    return None


def _number(name, default):
    """Return a number of the environment."""
    with contextlib.suppress(ValueError):
        return int(os.environ.get(name, default))
    return default


@contextlib.contextmanager
def freed_memory_kept():
    """Keep freed memory for the code inside, of whatever threads; the setting returns after it."""
    global _users
    mallopt = _mallopt()
    if mallopt is None:
        yield
        return
    with _lock:
        _users += 1
        if _users == 1:
            mallopt(TRIM_THRESHOLD, 2**30)
            mallopt(MMAP_THRESHOLD, LARGEST)
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                mallopt(TRIM_THRESHOLD, _number("MALLOC_TRIM_THRESHOLD_", DEFAULT))
                mallopt(MMAP_THRESHOLD, _number("MALLOC_MMAP_THRESHOLD_", DEFAULT))
