"""Blocks and threads: order, errors, nesting, limits of BLAS, forks."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from litlearn._core import parallel
from litlearn._core.parallel import (
    check_interrupt,
    cpu_count,
    cut,
    effective_n_jobs,
    fold_blocks,
    interrupt_flag,
    map_blocks,
    multiply_rows,
    single_threaded_blas,
)


def blas_threads():
    """Threads that each loaded BLAS would use now."""
    return [library["num_threads"] for library in parallel._blas_controller().info()]


@pytest.fixture
def two_blas_threads():
    """Two threads for every BLAS, so that a limit of one shows."""
    with parallel._blas_controller().limit(limits=2):
        yield


@pytest.mark.parametrize("n, size", [(10, 3), (10, 10), (10, 99), (1, 1), (4097, 64), (7, 0)])
def test_blocks_are_even_and_no_larger_than_asked_for(n, size):
    blocks = cut(n, size)
    assert np.concatenate([np.arange(n)[block] for block in blocks]).tolist() == list(range(n))
    lengths = {block.stop - block.start for block in blocks}
    assert max(lengths) <= max(size, 1) and max(lengths) - min(lengths) <= 1
    assert len(blocks) == -(-n // max(size, 1))
    tiles = cut(blocks[-1], 2)
    assert (tiles[0].start, tiles[-1].stop) == (blocks[-1].start, n)


def test_no_rows_make_no_blocks():
    assert cut(0, 5) == cut(slice(3, 3), 5) == []


@pytest.mark.parametrize("n_jobs", [1, 4])
def test_parts_are_merged_in_order_as_they_arrive(n_jobs):
    """Few parts wait to be merged, even where the first block takes longest."""
    waiting, most, lock = 0, 0, threading.Lock()

    def part(block):
        nonlocal waiting, most
        time.sleep(0.05 if block == 0 else 0.0)
        with lock:
            waiting += 1
            most = max(most, waiting)
        return [block]

    def merge(total, one):
        nonlocal waiting
        with lock:
            waiting -= 1
        return total + one

    assert fold_blocks(part, merge, range(100), n_jobs, initial=[]) == list(range(100))
    assert most <= parallel._IN_FLIGHT * n_jobs


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_totals(n_jobs):
    def subtract(total, one):
        return total - one

    assert fold_blocks(float, subtract, range(5), n_jobs) == 0 - 1 - 2 - 3 - 4
    assert fold_blocks(float, subtract, range(5), n_jobs, initial=100.0) == 90.0
    assert fold_blocks(float, subtract, [], n_jobs) is None
    assert fold_blocks(float, None, range(5), n_jobs) is None
    assert fold_blocks(float, subtract, range(5), n_jobs, work=10) == -10
    with pytest.raises(TypeError):  # a merge that forgets to return the total is found out
        fold_blocks(float, lambda total, one: total + one and None, range(5), n_jobs)


def test_little_work_and_one_job_stay_in_the_calling_thread(monkeypatch):
    monkeypatch.setattr(parallel, "_pool", lambda: pytest.fail("a thread was asked for"))
    fold_blocks(abs, None, range(50), n_jobs=1)
    fold_blocks(abs, None, range(50), n_jobs=4, work=999_999)
    fold_blocks(abs, None, range(1), n_jobs=4)
    with pytest.raises(pytest.fail.Exception):
        fold_blocks(abs, None, range(50), n_jobs=4, work=1_000_000)


def test_results_come_in_the_order_of_blocks():
    def late_first(block):
        time.sleep(0.02 if block == 0 else 0.0)
        return block

    assert map_blocks(late_first, 9, n_jobs=4) == list(range(9))
    assert map_blocks(late_first, 0) == []


def test_blocks_run_at_once():
    barrier = threading.Barrier(3, timeout=30)
    map_blocks(lambda block: barrier.wait(), 3, n_jobs=3)


def test_no_more_threads_than_asked_for():
    running, most, lock = 0, 0, threading.Lock()

    def count(block):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.002)
        with lock:
            running -= 1

    map_blocks(count, 40, n_jobs=2)
    assert most == 2


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_an_error_is_raised_and_what_follows_is_dropped(n_jobs):
    begun = []

    def fail(block):
        begun.append(block)
        time.sleep(0.001)
        if block == 2:
            raise KeyError("block two")

    with pytest.raises(KeyError, match="block two"):
        map_blocks(fail, 1000, n_jobs=n_jobs)
    assert len(begun) < 1000
    assert map_blocks(abs, 3, n_jobs=n_jobs) == [0, 1, 2]


def test_an_interrupt_stops_all_threads():
    begun = []

    def interrupt(block):
        begun.append(block)
        time.sleep(0.001)
        if threading.current_thread() is threading.main_thread() and block > 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        map_blocks(interrupt, 5000, n_jobs=2)
    assert len(begun) < 5000


def test_a_block_in_a_helper_thread_can_ask_whether_to_stop():
    begun, stopped = threading.Event(), []

    def part(block):
        if threading.current_thread() is threading.main_thread():
            assert begun.wait(60)
            raise KeyboardInterrupt
        flag = interrupt_flag()
        begun.set()
        assert flag.shape == (1,) and flag.dtype == np.uint8
        check_interrupt()
        while not flag[0]:
            time.sleep(0.001)
        # A call inside the block ends with the one around it.
        with pytest.raises(KeyboardInterrupt):
            fold_blocks(lambda inner: check_interrupt(), None, range(2), n_jobs=2)
        stopped.append(block)
        check_interrupt()

    with pytest.raises(KeyboardInterrupt):
        fold_blocks(part, None, range(2), n_jobs=2)
    assert len(stopped) == 1
    assert not interrupt_flag()[0]
    check_interrupt()


def test_an_interrupt_goes_before_errors():
    def part(block):
        if threading.current_thread() is threading.main_thread():
            assert begun.wait(60)
            raise KeyboardInterrupt
        begun.set()
        while not interrupt_flag()[0]:
            time.sleep(0.001)
        raise ValueError("the interrupt is why")

    for n_jobs in (2, 3):
        begun = threading.Event()
        with pytest.raises(KeyboardInterrupt):
            fold_blocks(part, None, range(3), n_jobs=n_jobs)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on POSIX")
@pytest.mark.parametrize("busy", [0.0, 1.0])
def test_a_second_interrupt_does_not_wait_for_blocks_in_progress(busy):
    """Whether the first one comes while the calling thread works, or while it waits."""
    code = (
        f"busy = {busy}"
        + """
import os, signal, threading, time
from litlearn._core.parallel import fold_blocks
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have switched off
begun, held = threading.Event(), threading.Event()
def part(block):
    if threading.current_thread() is threading.main_thread():
        assert begun.wait(30)
        time.sleep(busy)
        return
    begun.set()
    for _ in range(2):
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)
    held.wait(60)
started = time.monotonic()
try:
    fold_blocks(part, None, range(2), n_jobs=2)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - started < 30)
held.set()
"""
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout == "interrupted True\n", done.stderr


def test_calls_inside_a_block_share_its_threads(monkeypatch):
    monkeypatch.setattr(parallel, "cpu_count", lambda: 16)
    shares = map_blocks(lambda block: [effective_n_jobs(k) for k in (None, -1, 2, 9)], 3, n_jobs=16)
    assert shares == [[5, 5, 2, 5]] * 3
    assert map_blocks(lambda block: effective_n_jobs(-1), 3, n_jobs=1) == [1, 1, 1]
    assert map_blocks(lambda block: effective_n_jobs(-1), 1, n_jobs=6) == [6]
    barrier = threading.Barrier(4, timeout=30)

    def outer(block):
        return map_blocks(lambda inner: barrier.wait(), 2, n_jobs=-1)

    map_blocks(outer, 2, n_jobs=4)  # two times two at once


def test_nested_calls_do_not_deadlock():
    def outer(block):
        assert effective_n_jobs(4) == 1
        threads = map_blocks(lambda inner: threading.get_ident(), 4, n_jobs=4)
        assert set(threads) == {threading.get_ident()}
        return block

    assert map_blocks(outer, 8, n_jobs=4) == list(range(8))
    assert effective_n_jobs(4) == 4


def test_calls_from_many_threads_at_once():
    results = [None] * 8

    def call(number):
        results[number] = map_blocks(lambda block: block * number, 50, n_jobs=4)

    threads = [threading.Thread(target=call, args=(number,), daemon=True) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert results == [[block * number for block in range(50)] for number in range(8)]


def test_threads_that_wait_for_each_other_do_not_wait_for_ever(monkeypatch):
    # A SimpleQueue, which two threads asked for news with a timeout, kept one of them for good.
    monkeypatch.setattr(parallel, "_GLANCE", 1e-4)
    totals = []

    def part(block):
        time.sleep(1e-4 * (block % 3))
        return block

    def call():
        totals.extend(fold_blocks(part, int.__add__, range(12), n_jobs=4) for _ in range(500))

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(timeout=60)
    assert totals == [66] * 500


def test_number_of_jobs(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    assert effective_n_jobs() == effective_n_jobs(-1) == cpu_count() >= 1
    assert effective_n_jobs(-cpu_count() - 5) == 1
    assert effective_n_jobs(3) == 3
    with pytest.raises(ValueError, match="n_jobs == 0"):
        effective_n_jobs(0)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert effective_n_jobs() == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "4,2")  # a list is for nested OpenMP regions
    assert effective_n_jobs() == cpu_count()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinity mask")
def test_the_affinity_of_the_thread_that_asks_counts():
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert cpu_count() == 1
    finally:
        os.sched_setaffinity(0, before)


def test_the_quota_of_a_container_counts(monkeypatch):
    monkeypatch.setattr(parallel, "_cgroup_quota", lambda: 1)
    assert cpu_count() == 1


def test_blas_has_one_thread_inside_and_its_own_afterwards(two_blas_threads):
    before = blas_threads()
    assert max(before) > 1
    inside = map_blocks(lambda block: blas_threads(), 4, n_jobs=2)
    assert {n for numbers in inside for n in numbers} == {1}
    assert blas_threads() == before


def test_the_blas_of_scipy_is_limited_once_it_is_loaded():
    code = """
import numpy as np
from litlearn._core import parallel
before = len(parallel._blas_controller().info())
import scipy.linalg
print(len(parallel._blas_controller().info()) >= before)
with parallel.single_threaded_blas():
    import threadpoolctl
    blas = [one for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"]
    print({one["num_threads"] for one in blas})
"""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "True\n{1}\n", done.stderr


def test_overlapping_limits_end_where_they_began(two_blas_threads):
    before = blas_threads()
    first, second = single_threaded_blas(), single_threaded_blas()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert set(blas_threads()) == {1}
    second.__exit__(None, None, None)
    assert blas_threads() == before


def test_an_entry_that_is_gone_has_left(two_blas_threads):
    """As after Ctrl-C in the first step of `__exit__`."""
    before = blas_threads()
    with single_threaded_blas():
        single_threaded_blas().__enter__()
        assert set(blas_threads()) == {1}
    assert blas_threads() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_forked_after_use_and_inside_a_block_works():
    code = """
import os
from litlearn._core.parallel import map_blocks, single_threaded_blas
map_blocks(abs, 8, n_jobs=2)
with single_threaded_blas():
    child = os.fork()
    if child == 0:
        assert map_blocks(abs, 8, n_jobs=2) == list(range(8))
        with single_threaded_blas():
            pass
        os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
print("done")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout == "done\n", done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_parent_and_child_come_to_their_end():
    """Also where fits go on while the process ends, after the threads did."""
    code = """
import atexit, os, sys
from litlearn._core.parallel import map_blocks
atexit.register(lambda: print(map_blocks(abs, 3, n_jobs=2), flush=True))
map_blocks(abs, 8, n_jobs=2)
atexit.register(lambda: print(map_blocks(abs, 4, n_jobs=2), flush=True))
child = os.fork()
if child:
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
sys.exit(0)
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120
    )
    ends = ["[0, 1, 2, 3]", "[0, 1, 2]"]
    assert done.stdout.splitlines() == [*ends, "0", *ends], done.stderr


def test_the_same_bits_for_any_number_of_threads():
    """Sums of floats depend on their order; that of the blocks is kept however they arrive."""
    parts = np.random.default_rng(0).standard_normal(200)

    def part(block):
        time.sleep(0.002 * (block % 3 == 0))
        return parts[block]

    def add(total, one):
        return total + one

    sums = {fold_blocks(part, add, range(200), n_jobs) for n_jobs in (1, 2, 5)}
    assert sums == {float(np.add.accumulate(parts)[-1])}
    assert float(np.add.accumulate(np.sort(parts))[-1]) not in sums  # the order matters here


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(30_000, 200, 0), (30_000, 50, 4), (500, 100, 100), (9, 4, 2)])
def test_rows_times_columns_with_blas_of_one_thread(two_blas_threads, shape, order, dtype):
    n, p, k = shape
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p)).astype(dtype, order=order)
    B = rng.normal(size=(p, k) if k else p).astype(dtype)
    found = multiply_rows(X, B)
    assert found.dtype == dtype and found.shape == (n, k)[: B.ndim]
    np.testing.assert_allclose(found, X @ B, rtol=0, atol=50 * p * np.finfo(dtype).eps)
    assert np.array_equal(found, multiply_rows(X, B, n_jobs=1))


def test_many_rows_are_multiplied_in_blocks(monkeypatch):
    limits, whole = [], parallel.fold_blocks

    def watch(part, merge, blocks, n_jobs):
        limits.append(len(blocks))
        return whole(part, merge, blocks, n_jobs)

    monkeypatch.setattr(parallel, "fold_blocks", watch)
    multiply_rows(np.ones((50_000, 100)), np.ones(100))
    multiply_rows(np.ones((100, 100)), np.ones(100))
    assert len(limits) == 1 and limits[0] > 2


def test_sparse_rows_are_multiplied_as_they_are():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    X = scipy_sparse.random_array((300, 40), density=0.1, format="csr", rng=0)
    np.testing.assert_allclose(multiply_rows(X, np.ones(40)), X.sum(axis=1))
