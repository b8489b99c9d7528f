"""The one place that names Numba's flags.

Every compiled function of the package is decorated with :func:`njit`. It is compiled on its first
call for the types it meets, releases the interpreter lock while it runs, follows NumPy's rules
for division by zero, and is kept on disk for the next process.

Numba by itself reuses a cached function as long as the file that *holds* it is unchanged. It does
not notice an edit in a helper, or in a constant, that lives in another file. So the name of each
cache entry carries a hash of all files of the package: after an edit or an upgrade, old entries no
longer match. ``cache.py`` writes and reads the entries.

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

from litlearn._core import shipped

PATIENCE = 1.0  # seconds of silence while functions are compiled


def njit(function=None, *, lean=False, helper=False, part=False, inline=False, reassociate=False):
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
    part : bool, default=False
        A helper that is only translated, and optimised together with its callers, which keep it
        on disk with their own code: half of the wait for large kernels made of many functions. It
        stays a function there. An argument that its caller writes as a whole number, or names as a
        global one, is a constant here: what it rules out is not even translated. A loop that runs
        slower for it stays a helper, which is optimised alone, and again with its callers.
    inline : bool, default=False
        A part that is copied into each caller: a large one with one caller, or one that a loop
        calls at each step. With `reassociate` it is optimised on its own before.
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
        options = {"lean": lean, "helper": helper, "part": part, "inline": inline}
        return functools.partial(njit, **options, reassociate=reassociate)
    helper = helper or part or inline
    options = {
        "nogil": True,
        "error_model": "numpy",
        "forceinline": inline,
        "fastmath": {"reassoc", "contract"} if reassociate else False,
        "_nrt": not (lean or helper),
        "no_cfunc_wrapper": True,  # nobody passes our functions to C
    }
    is_part = part or (inline and not reassociate)
    compiler = _part_compiler() if is_part else None if helper else _entry_compiler()
    how = {"pipeline_class": compiler} if compiler else {}
    dispatcher = numba.njit(function, no_cpython_wrapper=helper, **options, **how)
    if hasattr(dispatcher, "py_func"):  # else NUMBA_DISABLE_JIT=1, and nothing is compiled
        if helper:
            _serve_python(dispatcher, options)
        if not (is_part and compiler):
            _keep_on_disk(dispatcher)
    return dispatcher


@functools.cache
def _entry_compiler():
    """How functions that Python calls are compiled, or None: by Numba's own way.

    With that, functions written in Python look up the class of each array that is returned, and
    make named tuples. Where a signal waits, such as that of Ctrl-C, Python calls its handler right
    there: what this raises reaches the caller as a SystemError, or ends the process. Here classes
    are constants, objects are made by C alone, and the handler waits until the caller has them.
    Made of interfaces that Numba may change.
    """
    try:
        from numba.core import boxing, compiler, compiler_machinery, pythonapi, typed_passes

        theirs = pythonapi._boxers.functions
        box_array, box_tuple = boxing.box_array, boxing.box_tuple
        for name in ("unserialize", "call_function_objargs"):
            getattr(pythonapi.PythonAPI, name)
    except (ImportError, AttributeError):
        return None

    def constant(value, c):
        return c.env_manager.read_const(c.env_manager.add_const(value))

    def array(kind, value, c):
        """Make an array for Python."""
        box_type = constant(kind.box_type, c)
        c.pyapi.unserialize = lambda pickled: box_type
        try:
            return box_array(kind, value, c)
        finally:
            del c.pyapi.unserialize

    def named(kind, value, c):
        """Make a named tuple for Python, from a tuple."""
        new, values = constant(tuple.__new__, c), box_tuple(kind, value, c)
        made = c.pyapi.call_function_objargs(new, (constant(kind.instance_class, c), values))
        c.pyapi.decref(values)
        return made

    ours = {types.Array: array, types.NamedTuple: named, types.NamedUniTuple: named}

    @compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
    class Lowering(typed_passes.NativeLowering):
        """Translate a function, and what makes Python objects of its results."""

        _name = "litlearn_entry_lowering"

        def run_pass(self, state):
            before = {kind: theirs[kind] for kind in ours}
            try:
                theirs.update(ours)  # one thread at a time compiles
                return super().run_pass(state)
            finally:
                theirs.update(before)

    class EntryCompiler(compiler.CompilerBase):
        """Numba's passes, with one of our own."""

        def define_pipelines(self):
            manager = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
            manager.passes = [
                (Lowering if kind is typed_passes.NativeLowering else kind, text)
                for kind, text in manager.passes
            ]
            manager.finalize()
            return [manager]

    return EntryCompiler


@functools.cache
def _part_compiler():
    """How parts are compiled, or None: by Numba's own way, which takes longer.

    Numba optimises each function and makes machine code of it, and then does so again with all
    that it calls. A part's machine code of its own would never run. It is put in a simple form,
    which is linked into the callers, and LLVM optimises all of a kernel at once. All kernels take
    89 s instead of 108 s so, on two cores of an AMD EPYC, and 24 MB of disk instead of 49 MB. Made
    of interfaces that Numba may change: a canary is compiled first (`_parts_work`).
    ``LITLEARN_PARTS=none`` asks for Numba's own way.
    """
    if os.environ.get("LITLEARN_PARTS") == "none":
        return None
    try:
        from llvmlite import binding
        from numba.core import codegen, compiler, compiler_machinery, typed_passes
        from numba.core import ir as numba_ir
        from numba.core.untyped_passes import DeadBranchPrune

        needed = "_optimize_functions", "_optimize_final_module", "_finalize_final_module"
        for name in (*needed, "add_ir_module", "_finalize_dynamic_globals"):
            getattr(codegen.JITCodeLibrary, name)
        passes = binding.newpassmanagers
        can_simplify = hasattr(passes.FunctionPassManager, "add_sroa_pass")
    except (ImportError, AttributeError):
        return None

    class Part(codegen.JITCodeLibrary):
        """The code of a part and of what it calls, for the linker."""

        def add_ir_module(self, module):
            for function in module.functions:
                if not function.is_declaration and "alwaysinline" not in function.attributes:
                    function.attributes.add("noinline")
            super().add_ir_module(module)

        def _optimize_functions(self, module):
            if not can_simplify:
                super()._optimize_functions(module)
                return
            module.data_layout = self._codegen._data_layout
            options = binding.create_pipeline_tuning_options(1)
            for function in module.functions:
                builder = binding.create_pass_builder(self._codegen._tm, options)
                manager = passes.create_new_function_pass_manager()
                manager.add_sroa_pass()
                manager.add_simplify_cfg_pass()
                manager.add_instruction_combine_pass()
                manager.run(function, builder)

        def _optimize_final_module(self):
            pass

        def _finalize_final_module(self):
            self._finalize_dynamic_globals()
            self._finalized = True

    @compiler_machinery.register_pass(mutates_CFG=False, analysis_only=False)
    class Constants(compiler_machinery.FunctionPass):
        """Put constant arguments where they are read."""

        _name = "litlearn_constants"

        def __init__(self):
            compiler_machinery.FunctionPass.__init__(self)

        def run_pass(self, state):
            for block in state.func_ir.blocks.values():
                for step in block.find_insts(numba_ir.Assign):
                    if isinstance(step.value, numba_ir.Arg):
                        kind = state.args[step.value.index]
                        if isinstance(kind, types.IntegerLiteral):
                            constant = numba_ir.Const(kind.literal_value, step.value.loc)
                            definitions = state.func_ir._definitions[step.target.name]
                            definitions[definitions.index(step.value)] = constant
                            step.value = constant
            return True

    @compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
    class Lowering(typed_passes.NativeLowering):
        """Translate a part, and tell Numba where its callers find it."""

        _name = "litlearn_lowering"

        def run_pass(self, state):
            state.library = Part(state.targetctx.codegen(), state.func_id.func_qualname)
            state.flags.no_compile = True
            super().run_pass(state)
            state.cr = state.cr._replace(cfunc=lambda: None)  # a name; nobody calls it
            state.targetctx.insert_user_function(state.cr.cfunc, state.cr.fndesc, [state.library])
            return True

    class PartCompiler(compiler.CompilerBase):
        """Numba's passes, with two of our own."""

        def define_pipelines(self):
            manager = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
            if not _parts_work():
                return [manager]
            own = []
            for kind, text in manager.passes:
                if kind is DeadBranchPrune:
                    own.append((Constants, "constant arguments"))
                own.append((Lowering if kind is typed_passes.NativeLowering else kind, text))
            manager.passes = own
            manager.finalize()
            return [manager]

    return PartCompiler


_canary = []  # what is known of the parts: nothing, None while it is found out, and then the answer


def _parts_work():
    """Whether parts are what they should be, found out where the first one is compiled.

    A small part is compiled, with a constant that rules a branch out, and a caller of it. Where
    this fails, or gives another number, all parts are compiled in Numba's own way.
    """
    if not _canary:
        _canary.append(None)
        try:
            part = njit(_canary_part, part=True)
            _canary.append(numba.njit(lambda x: part(x, 2) + 1.0)(3.0) == 10.0)
        except Exception as error:
            logging.getLogger("litlearn").info("parts are compiled as Numba does: %r", error)
            _canary.append(False)
    return _canary[-1] is not False


def _canary_part(x, power):
    if power == 2:
        return x * x
    return x.no_such_attribute  # would not compile, had the constant not ruled it out


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
    # Where no folder can be used, Numba refuses with a RuntimeError, and the function is compiled
    # anew in each process. The other errors mean that Numba has changed what it keeps to itself:
    # its own cache then knows an upgrade by the time stamp of the file, and checks nothing else.
    with contextlib.suppress(RuntimeError):
        try:
            from litlearn._core.cache import Cache

            if not hasattr(dispatcher, "_cache"):
                raise AttributeError("a dispatcher has its cache elsewhere")
            dispatcher._cache = Cache(dispatcher.py_func, source_stamp())
        except (ImportError, AttributeError, TypeError):
            dispatcher.enable_caching()


@functools.cache
def source_stamp():
    """Hash of every file of the package, and of a setting that Numba's keys leave out."""
    digest = hashlib.sha256(f"boundscheck={numba.config.BOUNDSCHECK}".encode())
    root = pathlib.Path(__file__).parents[1]
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def _finish_before_a_fork():
    """Let no process be forked in the middle of a compilation, if Numba's lock is where it was.

    A child has the lock, and not the thread that would release it: its own first compilation would
    wait for ever.
    """
    try:
        from numba.core.compiler_lock import global_compiler_lock as lock

        def release():
            if lock.is_locked():  # by this thread; not after a Ctrl-C that ended the wait
                lock.release()

        acquire = lock.acquire
    except (ImportError, AttributeError):
        return
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=acquire, after_in_parent=release, after_in_child=release)


_finish_before_a_fork()


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
        why = shipped.found(source_stamp())[1]
        text = f"litlearn: compiling {name}, once per machine (see litlearn.warm_up; {why})"
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
                module = event.data["dispatcher"].py_func.__module__ or ""  # none under exec
                if module.split(".")[0] == "litlearn":
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
def opaque(typing_context, number):
    """The same integer; LLVM does not know where it comes from.

    ``a if condition else b`` has no branch as long as LLVM thinks that one costs more, which it
    does for some processors only. What is computed with ``opaque(condition)`` never has one.
    """

    def generate(context, builder, signature, arguments):
        kind = arguments[0].type
        # No instruction, of which nothing is known but that it leaves its result in a register.
        nothing = ir.InlineAsm(ir.FunctionType(kind, [kind]), "", "=r,0", side_effect=True)
        return builder.call(nothing, arguments)

    return number(number), generate


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

    def opaque(number):
        """The same integer."""
        return number

    def as_bits(number):
        """The 64 bits of a float, as an integer."""
        return int(np.float64(number).view(np.int64))

    def from_bits(bits):
        """The float that has these 64 bits."""
        return float(np.uint64(bits % 2**64).view(np.float64))
