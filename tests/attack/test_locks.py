"""Locks that others hold, forks and kills at any moment: no fit waits for ever or fails."""

import os
import subprocess
import sys

import numba
import pytest

from litlearn._core import cache
from litlearn._core.jit import njit

pytestmark = [
    pytest.mark.skipif(
        bool(numba.config.DISABLE_JIT), reason="NUMBA_DISABLE_JIT=1: nothing is compiled"
    ),
    pytest.mark.skipif(os.name == "nt", reason="forks and locks are those of POSIX"),
]

KERNELS = """
import numpy as np
from litlearn._core.jit import njit

@njit
def total(x):
    s = 0.0
    for i in range(x.size):
        s += x[i]
    return s

def use(name):
    loaded = sum(total.stats.cache_hits.values())
    assert total(np.ones(5, dtype=name)) == 5.0
    return sum(total.stats.cache_hits.values()) - loaded
"""


@pytest.fixture
def start(tmp_path):
    """Start a program that knows the kernel above, with a cache of its own."""
    (tmp_path / "kernels.py").write_text(KERNELS)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    started = []

    def start(program, *arguments, cache="cache"):
        environment = {"NUMBA_CACHE_DIR": str(tmp_path / cache), "PYTHONPATH": path}
        process = subprocess.Popen(
            [sys.executable, "-c", program, *arguments], env={**os.environ, **environment},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def end(process, status=0):
    """What a program has printed at its end, which must come."""
    output, errors = process.communicate(timeout=120)
    assert process.returncode == status and not errors, errors
    return output.split()


USE = "import sys, kernels; print(*map(kernels.use, sys.argv[1:]))"


def test_locks_on_all_files_stop_nobody(start, tmp_path, tally):
    """Also on the file that earlier versions waited for."""
    assert end(start(USE, "float64")) == ["0"]
    (entry,) = (tmp_path / "cache").rglob("*.nbc")
    base = entry.name.rsplit(".", 2)[0]
    for name in (base + ".lock", base + ".nbi"):
        (entry.parent / name).touch()
        (entry.parent.parent / name).touch()
    holder = start(
        "import fcntl, os, sys\n"
        "for path in sys.argv[1:]:\n"
        "    fcntl.flock(os.open(path, os.O_RDONLY), fcntl.LOCK_EX)\n"
        "print('held', flush=True); sys.stdin.read()",
        *map(str, [entry.parent.parent, *entry.parent.parent.rglob("*")]),
    )
    assert holder.stdout.readline() == "held\n"
    held = end(start(USE, "float64", "float32")) == ["1", "0"]
    held = held and end(start(USE, "float64", "float32")) == ["1", "1"]
    tally("all files of a cache locked by another process", held)
    assert held


FORK = """
import os, signal, sys, threading, time
from litlearn._core import cache
import kernels
moment = sys.argv[1]
reached, replace, dump = threading.Event(), os.replace, cache.dumps

def pause():
    if not reached.is_set():
        reached.set()
        time.sleep(0.5)

def replace_late(*paths):
    pause()
    replace(*paths)

def dump_late(what):
    pause()
    return dump(what)

if moment == "replace":
    os.replace = replace_late
else:
    cache.dumps = dump_late
thread = threading.Thread(target=kernels.use, args=["float64"])
thread.start()
reached.wait()
child = os.fork()
if child == 0:
    signal.alarm(60)  # ends a child that waits for ever
    kernels.use("int32")
    os.close(1)
    time.sleep(60)  # and lives on, with all that it has inherited
    os._exit(0)
kernels.use("float32")
thread.join()
print(kernels.use("int64"))
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)
"""


@pytest.mark.parametrize("moment", ["dump", "replace"])
def test_a_child_forked_during_a_save_stops_nobody(start, moment, tally):
    held = end(start(FORK, moment)) == ["0"]
    held = held and end(start(USE, "float64", "float32", "int64")) == ["1", "1", "1"]
    tally("forked during a save: the parent", held)
    assert held


FORK_AND_COMPILE = """
import os, signal, threading, time
import numba
from numba.core import event
import kernels
begun = threading.Event()

class Compiling(event.Listener):
    def on_start(self, event):
        begun.set()
        time.sleep(0.3)
    def on_end(self, event): pass

event.register("numba:compile", Compiling())
thread = threading.Thread(target=kernels.use, args=["float64"])
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    signal.alarm(60)  # ends a child that waits for ever
    kernels.use("int32")
    os._exit(0)
print(os.waitpid(child, 0)[1], kernels.use("float32"))
thread.join()
"""


def test_a_child_forked_during_a_compilation_compiles(start, tally):
    """Numba's lock would be held in it, by a thread that it does not have."""
    held = end(start(FORK_AND_COMPILE)) == ["0", "0"]
    held = held and end(start(USE, "float64", "int32", "float32")) == ["1", "1", "1"]
    tally("forked during a compilation: the child", held)
    assert held


KILL = """
import os, signal
import kernels
os.replace = lambda *paths: os.kill(os.getpid(), signal.SIGKILL)
kernels.use("float64")
"""


def test_a_process_killed_during_a_save_leaves_nothing_wrong(start, tmp_path, tally):
    end(start(KILL), status=-9)
    assert not [*(tmp_path / "cache").rglob("*.nbc")]
    held = end(start(USE, "float64")) == ["0"] and end(start(USE, "float64")) == ["1"]
    tally("killed during a save: the next processes", held)
    assert held


def test_processes_that_save_at_once_lose_nothing(start, attempts, tally):
    """The same entry and others: each is one file, which the last one to finish puts there."""
    names = ["float32", "float64", "int64"]
    for attempt in range(attempts(1, 30)):
        cache = f"cache{attempt}"
        racers = [start(USE, names[one % 3], names[0], cache=cache) for one in range(4)]
        for racer in racers:
            assert len(end(racer)) == 2
        held = end(start(USE, *names, cache=cache)) == ["1", "1", "1"]
        tally("four processes that save at once", held)
        assert held


def test_what_is_open_during_a_save_is_not_handed_on(tmp_path, monkeypatch):
    """To a program that is started meanwhile."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    made, make = [], cache.tempfile.mkstemp

    def seen(**options):
        descriptor, path = make(**options)
        made.append((os.get_inheritable(descriptor), os.stat(path).st_mode & 0o777))
        return descriptor, path

    monkeypatch.setattr(cache.tempfile, "mkstemp", seen)
    assert njit(lambda x: x + 1)(1) == 2
    assert made == [(False, 0o600)]
