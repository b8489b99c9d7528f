"""Ctrl-C at random moments: KeyboardInterrupt and nothing else, soon, and no trace of it later.

An alarm stands for the key: Python serves all signals alike, and this one rings to the microsecond.
"""

import contextvars
import gc
import importlib
import importlib.util
import itertools
import operator
import signal
import sys
import threading
import time
import warnings

import numba
import numpy as np
import pytest

from litlearn._core import jit, parallel
from litlearn._warm_up import CASES
from protocol import assert_same_value

pytestmark = pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="this system has no alarm that rings within a second"
)

needs_compiler = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="NUMBA_DISABLE_JIT=1: nothing is compiled"
)

LONG_ENOUGH = 0.03  # seconds of a fit: many times what it takes to begin
QUESTIONS = "predict", "predict_proba", "transform", "kneighbors", "radius_neighbors", "score"


def interrupted(call, after, busy=False):
    """Whether Ctrl-C, so many seconds after the beginning of `call`, came before its end.

    Seconds of the clock, or those for which processors were busy.
    """
    clock = signal.ITIMER_PROF if busy else signal.ITIMER_REAL
    alarm = signal.SIGPROF if busy else signal.SIGALRM
    handler = signal.signal(alarm, signal.default_int_handler)
    # Python drops Ctrl-C in a callback of its collector, of which Hypothesis installs one.
    collects = gc.isenabled()
    gc.disable()
    try:
        try:
            signal.setitimer(clock, after)
            # An alarm just after NumPy has set its errstate leaves it so, in this context alone.
            contextvars.copy_context().run(call)
        finally:
            signal.setitimer(clock, 0.0)
            time.sleep(0.01)  # an alarm that another thread was given arrives here, and not later
    except KeyboardInterrupt:
        return True
    finally:
        signal.signal(alarm, handler)
        if collects:
            gc.enable()
    return False


def blas_threads():
    """Threads that each loaded BLAS would use now."""
    return [library["num_threads"] for library in parallel._blas_controller().info()]


def answers(model, X, y):
    """Fit, and ask whatever the model answers about some of the samples."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few iterations
        model.fit(X, y)
        few = X[: 1 + len(X) // 4]
        return {
            name: getattr(model, name)(few, *[y[: len(few)]] * (name == "score"))
            for name in QUESTIONS
            if hasattr(model, name)
        }


def problem(model):
    """Return samples and labels that keep the model busy, and the seconds that it needs."""
    rng = np.random.default_rng(0)
    n, seconds = 256, 0.0
    while seconds < LONG_ENOUGH and n < 300_000:
        n *= 2
        X = rng.normal(size=(n, 6))
        y = (X[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(int)
        seconds = np.inf
        for _ in range(2):  # the first time, something may be compiled
            started = time.perf_counter()
            answers(model, X, y)
            seconds = min(seconds, time.perf_counter() - started)
            if seconds < LONG_ENOUGH:
                break
    return X, y, seconds


def made(namespace, name, setting):
    """Return an estimator that has no randomness of its own."""
    model = getattr(importlib.import_module(f"litlearn.{namespace}"), name)(**setting)
    given = {"random_state": 0} if "random_state" in model.get_params() else {}
    return model.set_params(**given)


ONE_OF_EACH = {name: (namespace, name, setting) for namespace, name, setting in CASES}
OTHERS = [case for case in CASES if case not in ONE_OF_EACH.values()]


def attack(case, times, tally):
    """Interrupt a model so often, and compare what it answers next time."""
    model, undisturbed = made(*case), made(*case)
    X, y, seconds = problem(model)
    expected, limits = answers(undisturbed, X, y), blas_threads()
    for after in np.random.default_rng(len(case[1])).uniform(1e-4, seconds, times):
        held = False
        try:
            while not interrupted(lambda: answers(model, X, y), after):
                after /= 2  # it was over already
            assert blas_threads() == limits
            parallel.check_interrupt()
            assert_same_value(answers(model, X, y), expected, case[1])
            assert vars(model).keys() == vars(undisturbed).keys()
            for attribute, value in vars(undisturbed).items():
                assert_same_value(vars(model)[attribute], value, f"{case[1]}.{attribute}")
            held = True
        finally:
            tally(f"interrupts: {case[0]}", held)


@pytest.mark.weekly(keep=16)
@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_a_model_is_as_before_after_an_interrupt(name, attempts, tally):
    attack(ONE_OF_EACH[name], attempts(1, 30), tally)
    for case in OTHERS:
        if case[1] == name:
            attack(case, attempts(0, 10), tally)


# How soon. Processors' seconds are counted, not the clock's: others may use the machine.

LIMIT = 2.0  # a second of two threads


def by_product(A, B):
    """A kernel of the user's own."""
    return A @ B.T


def decompose(A):
    """The longest call of LAPACK that is not broken off."""
    np.linalg.eigh(A)


SLOW = {  # setting; shapes of the samples, short and full; what may be waited for
    "LogisticRegressionCV": ({"Cs": 10, "cv": 5}, (30_000, 20), (60_000, 30), None),
    "SVC": ({"kernel": by_product}, (1500, 10), (6000, 10), None),
    "PCA": ({"n_components": 50, "svd_solver": "randomized"}, (8000, 400), (40_000, 1000), None),
    "Ridge": ({}, (3000, 1000), (12_000, 5000), np.linalg.cholesky),
    "LinearRegression": ({}, (3000, 1000), (12_000, 3000), np.linalg.cholesky),
    "RidgeCV": ({}, (2000, 150), (12_000, 2000), decompose),
    "QuadraticDiscriminantAnalysis": ({}, (3000, 100), (20_000, 1500), decompose),
    "LinearDiscriminantAnalysis": ({}, (3000, 100), (20_000, 1500), decompose),
}


@pytest.mark.weekly(keep=4)
@pytest.mark.parametrize("name", SLOW)
def test_an_answer_comes_soon(name, attempts, tally):
    setting, short, full, waited_for = SLOW[name]
    (n, p), rng = attempts(short, full), np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    y = (X[:, :3] + rng.gumbel(size=(n, 3))).argmax(axis=1)
    model = made(ONE_OF_EACH[name][0], name, setting)
    model.fit(X[: 5 * p], y[: 5 * p])  # something may be compiled
    begun = time.process_time()
    if waited_for is not None:
        waited_for(np.eye(p) + 1.0 / p)
    limit = LIMIT + time.process_time() - begun
    begun = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - begun
    for after in rng.uniform(0.0, 0.9 * seconds, attempts(2, 10)):
        begun = time.process_time()
        interrupted(lambda: model.fit(X, y), after, busy=True)
        late = time.process_time() - begun - after
        tally("interrupts: late", late < limit)
        assert late < limit, f"after {after:.2f} of {seconds:.2f} s"


@pytest.mark.parametrize("work", [parallel.multiply, lambda A, B: parallel.cross_products(A)])
def test_a_long_product_ends_in_a_helper_thread(monkeypatch, work):
    """It does so between pieces, which make no difference to the product."""
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(60, 50)), rng.normal(size=(50, 40))
    expected = work(A, B)
    monkeypatch.setattr(parallel, "PIECE", 5 * A.size)
    np.testing.assert_allclose(work(A, B), expected, rtol=0, atol=1e-12)
    looks = itertools.count()

    def look():
        if next(looks) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(parallel, "check_interrupt", look)
    with pytest.raises(KeyboardInterrupt):
        work(A, B)


def test_a_call_inside_a_long_block_ends_with_it():
    """The helper's block would take a minute: its inner calls never ask, and need not."""
    begun = threading.Event()

    def outer(block):
        if threading.current_thread() is threading.main_thread():
            assert begun.wait(60)
            raise KeyboardInterrupt
        begun.set()
        for _ in range(600):
            parallel.fold_blocks(lambda inner: time.sleep(0.1), None, range(1))

    started = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        parallel.fold_blocks(outer, None, range(2), n_jobs=2)
    assert time.perf_counter() - started < 10.0


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_whatever_the_handler_of_a_signal_raises(n_jobs):
    """Such as a time limit of the user's own."""

    def handler(number, frame):
        raise TimeoutError("too long")

    before, limits = signal.signal(signal.SIGALRM, handler), blas_threads()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(TimeoutError, match="too long"):
            parallel.fold_blocks(lambda block: time.sleep(0.001), None, range(10_000), n_jobs)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert blas_threads() == limits
    assert parallel.map_blocks(abs, 5, 2) == [0, 1, 2, 3, 4]


def test_short_blocks_leave_nothing_held(attempts, tally):
    """Most of the time goes into handing over: what is not carried out whole would show here."""
    limits = blas_threads()

    def work():
        for _ in range(1000):
            assert parallel.fold_blocks(int, operator.add, range(20), n_jobs=2) == 190

    for after in np.random.default_rng(0).uniform(1e-4, 0.02, attempts(50, 20_000)):
        held = False
        try:
            assert interrupted(work, after)
            assert blas_threads() == limits
            parallel.check_interrupt()
            held = True
        finally:
            tally("interrupts: blocks", held)


# Compiled functions

KERNELS = """
from typing import NamedTuple
import numpy as np
from litlearn._core.jit import njit

class Pair(NamedTuple):
    array: np.ndarray
    number: float

@njit(helper=True)
def spin(n):
    s = 0.0
    for i in range(n):
        s = np.sqrt(i + s)
    return s

@njit(part=True)
def between(n):
    return spin(n) + spin(n // 2)

@njit
def one_array(n):
    return np.full(3, spin(n))

@njit
def arrays(n):
    return np.full(3, between(n)), np.ones((2, 2)), n

@njit
def named(n):
    return Pair(np.full(3, spin(n)), 1.0)

@njit
def nested(n):
    return Pair(np.full(3, spin(n)), 1.0), Pair(np.zeros(2), spin(n))
"""
RESULTS = "one_array", "arrays", "named", "nested"


@pytest.fixture
def kernels(tmp_path):
    """A function that returns a new module of functions, not compiled yet."""
    numbers = itertools.count()

    def module():
        path = tmp_path / f"kernels_{next(numbers)}.py"
        path.write_text(KERNELS)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        made = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        return made

    before = set(sys.modules)
    yield module
    for name in set(sys.modules) - before:
        if name.startswith("kernels_"):
            del sys.modules[name]


@needs_compiler
@pytest.mark.parametrize("name", RESULTS)
def test_results_of_compiled_functions_reach_python_whole(kernels, name, attempts, tally):
    """Numba's own way to hand over arrays ends in SystemError here, or in a crash."""
    function = getattr(kernels(), name)
    expected, n = function(10), 10_000
    seconds = 0.0
    while seconds < LONG_ENOUGH:
        n *= 2
        started = time.perf_counter()
        function(n)
        seconds = time.perf_counter() - started
    for after in np.random.default_rng(0).uniform(0.1 * seconds, 0.6 * seconds, attempts(5, 200)):
        held = False
        try:
            interrupted(lambda: function(n), after)
            assert_same_value(function(10), expected, name)
            held = True
        finally:
            tally("interrupts: results", held)


def leaves(values):
    """What is in nested tuples, whose classes are others in each module."""
    return [leaf for one in values for leaf in (leaves(one) if isinstance(one, tuple) else [one])]


@needs_compiler
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # LLVM calls Python
def test_an_interrupted_compilation_is_begun_again(kernels, attempts, tally):
    undisturbed = kernels()
    started = time.perf_counter()
    expected = [getattr(undisturbed, name)(1000) for name in RESULTS]
    seconds = time.perf_counter() - started
    for after in np.random.default_rng(0).uniform(0.0, seconds, attempts(2, 60)):
        held, module = False, kernels()

        def work(module=module):
            return [getattr(module, name)(1000) for name in RESULTS]

        try:
            interrupted(work, after)
            found = work()
            assert_same_value(leaves(found), leaves(expected), "results")
            held = True
        finally:
            tally("interrupts: compilation", held)


@needs_compiler
@pytest.mark.parametrize("gone", ["boxing.box_array", "pythonapi.PythonAPI.unserialize"])
def test_where_numba_has_changed_functions_are_compiled_its_own_way(monkeypatch, gone):
    make = jit._entry_compiler.__wrapped__
    with monkeypatch.context() as patch:
        patch.delattr(f"numba.core.{gone}")
        assert make() is None
        patch.setattr(jit, "_entry_compiler", make)
        double = jit.njit(lambda x: x + x)
    assert (double(np.ones(2)) == 2.0).all()
    assert make() is not None  # with the Numba at hand


@needs_compiler
@pytest.mark.parametrize("side", ["target_context", "typing_context"])
def test_declarations_that_ctrl_c_has_cut_off_are_handed_out_anew(side):
    """A generator of Numba's that an exception has left is over, and all that compiles needs it."""
    from numba.core.registry import cpu_target

    square = jit.njit(lambda x: x * x)
    assert square(3.0) == 9.0
    for loader in getattr(cpu_target, side)._registries.values():
        for generator in loader._registrations.values():
            generator.close()
    total = jit.njit(lambda x: np.sqrt(x).sum() + max(x[0], complex(x[1], 1.0).real))
    assert total(np.array([4.0, 9.0])) == 14.0
    assert square(np.ones(2)).sum() == 2.0


@needs_compiler
def test_ctrl_c_while_declarations_are_handed_out(monkeypatch):
    from numba.core.registry import cpu_target

    context = cpu_target.target_context
    double = jit.njit(lambda x: x + x)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(context, "load_additional_registries", interrupt)
        double(1.0)
    assert double(1.0) == 2.0 and (double(np.ones(2)) == 2.0).all()


def interrupt():
    raise KeyboardInterrupt
