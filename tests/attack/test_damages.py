"""A damaged cache costs the time to compile, and nothing else: no error, no wrong result, no crash.

Each damage is done to the file that the next call would load. The call must compile anew, and the
one after it must find a sound file again.
"""

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import litlearn
from litlearn._core.cache import DIGEST, _digest
from litlearn._core.jit import njit

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="NUMBA_DISABLE_JIT=1: nothing is compiled"
)


def square(x):
    """The function whose entry is damaged."""
    return x * x


def other(x):
    """A function whose entry may take the place of the first one's."""
    return x * x + 1


class Trap:
    """What a test finds out about if it is unpickled."""

    def __reduce__(self):
        return os.abort, ()


def emptied(content, random, path):
    return b""


def truncated(content, random, path):
    return content[: random.integers(1, len(content))]


def zeroed(content, random, path):
    start, end = np.sort(random.choice(len(content), 2, replace=False))
    return content[:start] + bytes(end - start) + content[end:]


def one_bit(content, random, path, size=None):
    changed = bytearray(content)
    changed[random.integers(size or len(content))] ^= 1 << random.integers(8)
    return bytes(changed)


def one_bit_of_the_digest(content, random, path):
    return one_bit(content, random, path, DIGEST)


def another_digest(content, random, path):
    return random.bytes(DIGEST) + content[DIGEST:]


def without_a_digest(content, random, path):
    """The form of older versions, and of Numba."""
    return content[DIGEST:]


def appended(content, random, path):
    return content + random.bytes(random.integers(1, 100))


def garbage(content, random, path):
    return random.bytes(random.integers(1, 2 * len(content)))


def trap(content, random, path):
    """A program in the place of an entry, with a digest that was made for another name."""
    program = pickle.dumps(Trap())
    return _digest("other.nbc", program) + program


def exchanged(content, random, path):
    """The entry of another function, or of other types."""
    entries = [one for one in path.parent.iterdir() if one != path]
    return entries[random.integers(len(entries))].read_bytes()


def changed_by_numba(content, random, path):
    """An entry that is whole, and of a form that this version of Numba cannot rebuild."""
    key, packed = pickle.loads(content[DIGEST:])
    parts = [packed[:-1], "nonsense", None, packed[::-1], (0,) * len(packed)]
    inside = numba.core.serialize.dumps((key, parts[random.integers(len(parts))]))
    return _digest(path, inside) + inside


def not_a_pickle(content, random, path):
    """Whole, and nothing that can be unpickled, or no pair."""
    parts = [b"", random.bytes(50), pickle.dumps(3), b"cno_such_module\nname\n."]
    inside = parts[random.integers(len(parts))]
    return _digest(path, inside) + inside


DAMAGES = [
    emptied, truncated, zeroed, one_bit, one_bit_of_the_digest, another_digest, without_a_digest,
    appended, garbage, trap, exchanged, changed_by_numba, not_a_pickle,
]  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache that holds two forms of each of two functions."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    for function in (other, square):
        kernel = njit(function)
        assert kernel(2) >= 4 and kernel(0.5) >= 0.25
    (folder,) = {path.parent for path in tmp_path.rglob("*.nbc")}
    assert len([*folder.iterdir()]) == 4
    return folder


def call():
    """Square a number as a new process would; return the result and whether it was loaded."""
    kernel = njit(square)
    return kernel(3.0), bool(kernel.stats.cache_hits)


@pytest.mark.weekly(keep=4)
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_entry_is_compiled_anew(damage, folder, attempts, tally):
    assert call() == (9.0, True)
    whole = {path: path.read_bytes() for path in folder.iterdir()}
    path = next(one for one in whole if "square" in one.name and b"float64" in one.read_bytes())
    for seed in range(attempts(16, 100)):
        changed = damage(whole[path], np.random.default_rng(seed), path)
        if changed == whole[path]:  # zeros are part of an entry
            continue
        path.write_bytes(changed)
        held = call() == (9.0, False) and call() == (9.0, True)
        tally(f"cache entry: {damage.__name__}", held)
        assert held, f"seed {seed}"
    assert {one.name for one in whole} == {one.name for one in folder.iterdir()}


CACHES = shutil.ignore_patterns("__pycache__")
FIT = """
import numpy as np
from numba.core import event
from litlearn.linear_model import SGDClassifier
compiled = []
class Count(event.Listener):
    def on_start(self, event): compiled.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event): pass
event.register("numba:compile", Count())
X = np.random.default_rng(1).normal(size=(300, 2))
print(SGDClassifier(random_state=0).fit(X, X[:, 0] > 0).coef_.tobytes().hex())
print(len(compiled))
"""


def fit(folder):
    """Fit an estimator in a new process; return what it found, and how much it compiled.

    Of a package of its own, since entries beside the source are found, too.
    """
    source = folder / "src"
    if not source.exists():
        shutil.copytree(Path(litlearn.__file__).parent, source / "litlearn", ignore=CACHES)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": str(source)}
    done = subprocess.run(
        [sys.executable, "-c", FIT], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    found, compiled = done.stdout.splitlines()
    return found, int(compiled)


@pytest.mark.weekly
def test_an_estimator_with_every_entry_damaged(tmp_path, attempts, tally):
    """In new processes, where code that is loaded and wrong would end them."""
    expected, compiled = fit(tmp_path)
    whole = {path: path.read_bytes() for path in tmp_path.rglob("*.nbc")}
    assert compiled > 0 and len(whole) > 3
    assert fit(tmp_path) == (expected, 0)
    for seed in range(attempts(1, 10)):
        random = np.random.default_rng(seed)
        for number, (path, content) in enumerate(whole.items()):
            path.write_bytes(DAMAGES[(number + seed) % len(DAMAGES)](content, random, path))
        held = fit(tmp_path) == (expected, compiled) and fit(tmp_path) == (expected, 0)
        tally("cache of an estimator, every entry damaged", held)
        assert held, f"seed {seed}"
