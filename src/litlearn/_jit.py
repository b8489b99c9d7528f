"""The one place that names Numba's flags.

Every compiled function of the package is decorated with :func:`njit`. It is compiled on its first
call for the types it meets, releases the interpreter lock while it runs, follows NumPy's rules
for division by zero, and is kept on disk for the next process.

Numba by itself reuses a cached function as long as the file that *holds* it is unchanged. It does
not notice an edit in a helper that lives in another file. So the name of each cache entry carries a
hash of all files of the package that hold compiled functions: after an edit in one of them, or an
upgrade, old entries no longer match. A constant that a compiled function reads must therefore live
in such a file too (a test checks it).
"""

import contextlib
import functools
import hashlib
import os
import pathlib

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache


def njit(function=None, *, helper=False, inline=False, merge=False, reassociate=False):
    """Compile `function` with the flags that the whole package shares.

    Parameters
    ----------
    function : callable
        A function on scalars and NumPy arrays.
    helper : bool, default=False
        For functions that other compiled functions call millions of times. They allocate nothing,
        and so need not count references to the arrays that pass through them: counting costs more
        than a distance in few dimensions.
    inline : bool, default=False
        A helper whose machine code is copied into each caller.
    merge : bool, default=False
        A helper whose source is copied into its caller: for large functions with one caller, which
        need not be compiled on their own.
    reassociate : bool, default=False
        Sums may be taken in another order, and a product and a sum may be rounded once: what a sum
        over an array needs to use vector instructions. NaN, infinity and signed zeros keep their
        meaning. The order depends on the machine, not on the number of threads.

    Returns
    -------
    numba dispatcher
        Or `function` itself when ``NUMBA_DISABLE_JIT=1``.
    """
    if function is None:
        options = {"helper": helper, "inline": inline, "merge": merge}
        return functools.partial(njit, **options, reassociate=reassociate)
    dispatcher = numba.njit(
        function,
        nogil=True,
        error_model="numpy",
        forceinline=inline,
        inline="always" if merge else "never",
        fastmath={"reassoc", "contract"} if reassociate else False,
        _nrt=not (helper or inline or merge),
    )
    # With NUMBA_DISABLE_JIT=1 there is nothing to cache. Where no folder is writable, Numba
    # refuses with a RuntimeError, and the function is compiled anew in each process.
    if hasattr(dispatcher, "py_func"):
        with contextlib.suppress(RuntimeError):
            dispatcher._cache = _LockedCache(function)
    return dispatcher


@functools.cache
def source_stamp():
    """Hash of every file with compiled functions, and of a setting that Numba's keys leave out."""
    digest = hashlib.sha256(f"boundscheck={numba.config.BOUNDSCHECK}".encode())
    for path in kernel_files():
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def kernel_files():
    """Files of the package that hold compiled functions, sorted by name."""
    root = pathlib.Path(__file__).parent
    return [path for path in sorted(root.rglob("*.py")) if b"@njit" in path.read_bytes()]


class _StampedCacheImpl(CompileResultCacheImpl):
    """Names a cache entry after the function and the state of the whole package."""

    def get_filename_base(self, fullname, abiflags):
        return f"{super().get_filename_base(fullname, abiflags)}-{source_stamp()}"


class _LockedCache(FunctionCache):
    """A function cache in which only one process at a time writes.

    Saving reads an index, adds an entry and writes it back. Two processes that do so at once
    lose entries, or leave an index that names the code of another signature.
    """

    _impl_class = _StampedCacheImpl

    def save_overload(self, sig, data):
        os.makedirs(self._cache_path, exist_ok=True)
        lock = os.path.join(self._cache_path, self._impl.filename_base + ".lock")
        with _file_lock(lock):
            super().save_overload(sig, data)


@contextlib.contextmanager
def _file_lock(path):
    """Hold an exclusive lock on `path`; the system frees it if the process dies."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
    except OSError:  # the folder became read-only: saving fails too, and Numba ignores that
        yield
        return
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
