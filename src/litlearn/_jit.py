"""The one place that names Numba's flags.

Every compiled function of the package is decorated with :func:`njit`. It is compiled on its first
call for the types it meets, releases the interpreter lock while it runs, follows NumPy's rules
for division by zero, and is kept on disk for the next process.

Numba by itself reuses a cached function as long as the file that *holds* it is unchanged. It does
not notice an edit in a helper, or in a constant, that lives in another file. So the name of each
cache entry carries a hash of all files of the package: after an edit or an upgrade, old entries no
longer match.

Where compilation takes longer than a second, one line says so, once per process: in a terminal on
standard error, else as a record of level INFO of the logger ``litlearn``.
"""

import contextlib
import functools
import hashlib
import logging
import os
import pathlib
import sys
import threading
import time

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

PATIENCE = 1.0  # seconds of silence while functions are compiled


def njit(function=None, *, lean=False, helper=False, inline=False, merge=False, reassociate=False):
    """Compile `function` with the flags that the whole package shares.

    Parameters
    ----------
    function : callable
        A function on scalars and NumPy arrays.
    lean : bool, default=False
        For functions that allocate nothing, and so need not count references to the arrays that
        pass through them: counting costs more than a distance in few dimensions.
    helper : bool, default=False
        A lean function that other compiled functions call, and Python does not: what a call from
        Python needs, often more than the function itself, is left out. If Python calls it all the
        same, as tests do, that is compiled then, and not kept on disk.
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
        options = {"lean": lean, "helper": helper, "inline": inline, "merge": merge}
        return functools.partial(njit, **options, reassociate=reassociate)
    helper = helper or inline or merge
    options = {
        "nogil": True,
        "error_model": "numpy",
        "forceinline": inline,
        "inline": "always" if merge else "never",
        "fastmath": {"reassoc", "contract"} if reassociate else False,
        "_nrt": not (lean or helper),
        "no_cfunc_wrapper": True,  # nobody passes our functions to C
    }
    dispatcher = numba.njit(function, no_cpython_wrapper=helper, **options)
    if hasattr(dispatcher, "py_func"):  # else NUMBA_DISABLE_JIT=1, and nothing is compiled
        if helper:
            _serve_python(dispatcher, options)
        _keep_on_disk(dispatcher)
    return dispatcher


def _serve_python(dispatcher, options):
    """Let Python call a helper, whose compiled form has no entry for it."""

    def keep(compiled):  # for compiled callers alone: Python must not find it
        dispatcher.overloads[tuple(compiled.signature.args)] = compiled

    @functools.cache
    def with_an_entry():
        return numba.njit(dispatcher.py_func, **options)

    dispatcher.add_overload = keep
    dispatcher._compile_for_args = lambda *args: with_an_entry()._compile_for_args(*args)


def _keep_on_disk(dispatcher):
    """Give a function the cache of the package, or else Numba's own, or else none."""
    # Where no folder is writable, Numba refuses with a RuntimeError, and the function is compiled
    # anew in each process. The other errors mean that Numba has changed what it keeps to itself:
    # its own cache then knows an upgrade by the time stamp of the file.
    with contextlib.suppress(RuntimeError):
        try:
            cache = _cache_class()(dispatcher.py_func)
            if source_stamp() not in cache._impl.filename_base or not hasattr(dispatcher, "_cache"):
                raise AttributeError("the name of the entry is made elsewhere")
            dispatcher._cache = cache
        except (ImportError, AttributeError, TypeError):
            dispatcher.enable_caching()


@functools.cache
def source_stamp():
    """Hash of every file of the package, and of a setting that Numba's keys leave out."""
    digest = hashlib.sha256(f"boundscheck={numba.config.BOUNDSCHECK}".encode())
    root = pathlib.Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


@functools.cache
def _cache_class():
    """The cache of one function, made of interfaces that Numba may change."""
    from numba.core.caching import CompileResultCacheImpl, FunctionCache

    class StampedCacheImpl(CompileResultCacheImpl):
        """Names a cache entry after the function and the state of the whole package."""

        def get_filename_base(self, fullname, abiflags):
            return f"{super().get_filename_base(fullname, abiflags)}-{source_stamp()}"

    class LockedCache(FunctionCache):
        """Only one process at a time writes; what cannot be read or written is compiled anew.

        Saving reads an index, adds an entry and writes it back. Two processes that do so at once
        lose entries, or leave an index that names the code of another signature.
        """

        _impl_class = StampedCacheImpl

        def load_overload(self, *args, **kwargs):
            with _tolerated("read"):
                return super().load_overload(*args, **kwargs)

        def save_overload(self, *args, **kwargs):
            with _tolerated("write"):
                os.makedirs(self._cache_path, exist_ok=True)
                with _file_lock(os.path.join(self._cache_path, self._impl.filename_base + ".lock")):
                    super().save_overload(*args, **kwargs)

    return LockedCache


@contextlib.contextmanager
def _tolerated(action):
    """A disk that is full, a folder that is gone, a file system without locks: only slower."""
    try:
        yield
    except OSError as error:
        logging.getLogger("litlearn").info("could not %s the cache: %s", action, error)


@contextlib.contextmanager
def _file_lock(path):
    """Hold an exclusive lock on `path`; the system frees it if the process dies."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
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


# ---------------------------------------------------------------------------------------------
# What a user who waits is told


class _Notice:
    """Counts the seconds that functions of this package take to compile; speaks once."""

    def __init__(self):
        self.depth, self.spent, self.said = 0, 0.0, False

    def on_start(self, event):
        # Compiling a function compiles what it calls. Numba lets one thread at a time do so.
        self.depth += 1
        if self.depth == 1 and not self.said:
            self.begun = time.perf_counter()
            name = event.data["dispatcher"].py_func.__module__
            self.timer = threading.Timer(max(0.0, PATIENCE - self.spent), self.say, [name])
            self.timer.daemon = True
            self.timer.start()

    def on_end(self, event):
        self.depth -= 1
        if self.depth == 0 and not self.said:
            self.timer.cancel()
            self.spent += time.perf_counter() - self.begun

    def say(self, name):
        self.said = True
        text = f"litlearn: compiling {name}, once per machine (see litlearn.warm_up)"
        logger = logging.getLogger("litlearn")
        if logger.isEnabledFor(logging.INFO):
            logger.info(text)
        elif sys.stderr is not None and sys.stderr.isatty():
            print(text, file=sys.stderr, flush=True)


def _listen():
    """Hear of each compilation, if Numba still tells."""
    try:
        from numba.core.event import Listener, register

        class Ours(_Notice, Listener):
            def notify(self, event):
                if event.data["dispatcher"].py_func.__module__.split(".")[0] == "litlearn":
                    super().notify(event)

        register("numba:compile", Ours())
    except (ImportError, AttributeError, TypeError):
        pass


_listen()


@intrinsic(prefer_literal=False)
def _prefetch(typing_context, array, place):
    """Machine code for `prefetch`."""

    def generate(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address, word, word, word])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch")
        place = builder.bitcast(builder.gep(data, [arguments[1]]), address)
        builder.call(function, [place, word(0), word(3), word(1)])  # to be read, soon and often
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


@njit(inline=True)
def prefetch(array, place):
    """Ask the processor to bring ``array[place]`` (n,) near; nothing happens beyond the end.

    For entries that are needed a little later, in an order that the processor cannot foresee.
    """
    _prefetch(array, place)


@intrinsic
def as_bits(typing_context, number):
    """The 64 bits of a float, as an integer."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


@intrinsic
def from_bits(typing_context, bits):
    """The float that has these 64 bits."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


if numba.config.DISABLE_JIT:  # there is no machine code to put it into

    def prefetch(array, place):
        """Do nothing."""

    def as_bits(number):
        """The 64 bits of a float, as an integer."""
        return int(np.float64(number).view(np.int64))

    def from_bits(bits):
        """The float that has these 64 bits."""
        return float(np.uint64(bits % 2**64).view(np.float64))
