"""Compiled functions that arrive with the installation: which are taken, and when they are not."""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

import numba
import pytest
from llvmlite import binding

from litlearn._core import cache, shipped
from litlearn._core.cache import DIGEST
from litlearn._core.jit import source_stamp

needs_compiler = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="NUMBA_DISABLE_JIT=1: nothing is compiled"
)
needs_x86 = pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64"), reason="levels of x86-64"
)


@pytest.fixture
def plain(monkeypatch):
    """No settings of the user's."""
    monkeypatch.delenv("LITLEARN_KERNELS", raising=False)
    monkeypatch.setattr(numba.config, "CPU_NAME", None)
    monkeypatch.setattr(numba.config, "CPU_FEATURES", None)
    shipped.found.cache_clear()
    yield
    shipped.found.cache_clear()


def features(*names):
    """What LLVM says of a processor that has all features of these levels."""
    return dict.fromkeys(" ".join(shipped.X86[name] for name in names).split(), True)


# -- levels ---------------------------------------------------------------------------------------


@needs_x86
@pytest.mark.parametrize(
    "has, best",
    [
        ((), None),
        (("x86-64-v2",), "x86-64-v2"),
        (("x86-64-v2", "x86-64-v3"), "x86-64-v3"),
        (("x86-64-v2", "x86-64-v3", "x86-64-v4"), "x86-64-v4"),
        (("x86-64-v2", "x86-64-v4"), "x86-64-v2"),  # a level has all that is below it
    ],
)
def test_best_level_of_which_everything_is_there(plain, monkeypatch, has, best):
    monkeypatch.setattr(binding, "get_host_cpu_features", lambda: features(*has))
    assert [*shipped.usable(), None][0] == best
    assert shipped.usable() == sorted(shipped.usable(), reverse=True)


@needs_x86
def test_a_feature_that_the_system_does_not_save_counts_as_missing(plain, monkeypatch):
    host = features(*shipped.X86) | {"avx512dq": False}
    monkeypatch.setattr(binding, "get_host_cpu_features", lambda: host)
    assert shipped.usable()[0] == "x86-64-v3"


@needs_x86
def test_llvm_knows_the_features_by_these_names():
    known = binding.get_host_cpu_features()
    assert not [name for level in shipped.X86.values() for name in level.split()
                if name not in known]  # fmt: skip


@needs_x86
def test_settings(plain, monkeypatch):
    monkeypatch.setenv("LITLEARN_KERNELS", "x86-64-v2")
    assert shipped.usable() == ["x86-64-v2"]
    monkeypatch.setenv("LITLEARN_KERNELS", "none")
    assert shipped.usable() == []
    monkeypatch.setenv("LITLEARN_KERNELS", "avx2")
    with pytest.raises(ValueError, match="LITLEARN_KERNELS is 'avx2', expected one of x86-64-v2"):
        shipped.usable()
    monkeypatch.delenv("LITLEARN_KERNELS")
    monkeypatch.setattr(numba.config, "CPU_NAME", "generic")
    assert shipped.usable() == []
    monkeypatch.setattr(numba.config, "CPU_NAME", "x86-64-v3")
    assert shipped.usable() == ["x86-64-v3"]
    monkeypatch.setattr(numba.config, "CPU_FEATURES", "+avx512f")
    assert shipped.usable() == []


def test_other_architectures_have_one_level(plain, monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    assert shipped.usable() == ["generic"]


# -- where they are -------------------------------------------------------------------------------


def test_found_says_where_or_why_not(plain, tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "PACKAGE", "kernels_of_a_test")
    assert shipped.found("abc") == (
        None,
        "pip install litlearn[kernels] brings what is compiled here",
    )
    package = tmp_path / "kernels_of_a_test"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    shipped.found.cache_clear()
    folder, why = shipped.found("abc")
    assert folder is None and "has nothing for this environment (abc-numba" in why
    *_, lowest = shipped.usable()
    (package / shipped.combination("abc", lowest)).mkdir()
    shipped.found.cache_clear()
    assert shipped.found("abc") == (str(package / shipped.combination("abc", lowest)), lowest)
    assert shipped.found("another state")[0] is None
    monkeypatch.setenv("LITLEARN_KERNELS", "none")
    shipped.found.cache_clear()
    assert shipped.found("abc")[0] is None
    assert "kernels_of_a_test" not in sys.modules  # it is looked for, and not run


def test_files_of_the_package_have_a_place():
    from litlearn.tree import _splitter

    assert shipped.place(_splitter.__file__) == "tree"
    assert shipped.place(shipped.__file__) == "_core"
    assert shipped.place(__file__) is None


# -- used -----------------------------------------------------------------------------------------

FIT = """
import sys
from litlearn._core import jit, random
from numba.core import event
compiled = []
class Ears(event.Listener):
    def on_start(self, e): compiled.append(e.data["dispatcher"].py_func.__name__)
    def on_end(self, e): pass
event.register("numba:compile", Ears())
from litlearn.naive_bayes import GaussianNB
import numpy as np
X = np.random.default_rng(0).normal(size=(60, 3))
model = GaussianNB().fit(X, X[:, 0] > 0)
print(model.theta_.tobytes().hex(), model.predict_proba(X).tobytes().hex(), sep="|", end="|")
print(*sorted(set(compiled)), sep=",")
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    """The kernels of one estimator, for a level below that of most processors."""
    root = tmp_path_factory.mktemp("kernels")
    level = "x86-64-v2" if "x86-64-v2" in shipped.usable() else shipped.usable()[-1]
    cache = root / "cache"
    run(FIT, NUMBA_CPU_NAME=level, NUMBA_CPU_FEATURES="", NUMBA_CACHE_DIR=cache)
    folder = root / "site" / shipped.PACKAGE / shipped.combination(source_stamp(), level)
    package = pathlib.Path(shipped.__file__).parents[1]
    for entry in cache.rglob("*.nbc"):
        name = entry.parents[1].name.rpartition("_")[0]  # the folder of the source, then a hash
        place = "." if name == package.name else name
        (folder / place).mkdir(parents=True, exist_ok=True)
        shutil.copy(entry, folder / place)
    (root / "site" / shipped.PACKAGE / "__init__.py").touch()
    return root / "site", folder, level


@pytest.fixture(scope="module")
def whole(kernels, tmp_path_factory):
    """What the fit finds with kernels that are whole, and what it compiles."""
    site, _, level = kernels
    cache = tmp_path_factory.mktemp("empty")
    found = run(FIT, [site], LITLEARN_KERNELS=level, NUMBA_CACHE_DIR=cache)
    return found, list(cache.rglob("*.nbc"))


def run(script, path=(), **settings):
    """Run a script in a process of its own, with a cache that is empty unless it is named."""
    known = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "LITLEARN_"))}
    source = pathlib.Path(shipped.__file__).parents[2]
    known["PYTHONPATH"] = os.pathsep.join(map(str, [source, *path]))
    # Not beside the source, where runs without a folder of their own leave entries.
    settings = {"NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator"} | settings
    settings = {key: str(value) for key, value in settings.items()}
    done = subprocess.run(
        [sys.executable, "-c", script], env=known | settings, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().split("|")


@needs_compiler
@needs_x86
def test_nothing_is_compiled_and_the_bits_are_those_of_the_level(kernels, whole, tmp_path):
    level = kernels[2]
    (*bits, compiled), entries = whole
    assert compiled == "" and not entries
    *made_here, names = run(
        FIT, NUMBA_CPU_NAME=level, NUMBA_CPU_FEATURES="", NUMBA_CACHE_DIR=tmp_path / "b"
    )
    assert bits == made_here and names


@needs_compiler
@needs_x86
def test_read_only_installations_are_enough(kernels, tmp_path):
    site, _folder, level = kernels
    copy, own = tmp_path / "site", pathlib.Path(shipped.__file__).parents[1]
    shutil.copytree(site, copy)
    shutil.copytree(own, copy / own.name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in [*copy.rglob("*"), copy]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    nowhere = {"NUMBA_CACHE_DIR": "/proc/no_such_place", "NUMBA_CACHE_LOCATOR_CLASSES": ""}
    try:
        *_, compiled = run(FIT, LITLEARN_KERNELS=level, PYTHONPATH=copy, **nowhere)
    finally:
        for path in [copy, *copy.rglob("*")]:
            path.chmod(0o755)
    assert compiled == ""


@pytest.mark.weekly(keep=2)
@needs_compiler
@needs_x86
@pytest.mark.parametrize("damage", ["empty", "short", "zeros", "bit", "digest", "text"])
def test_a_damaged_file_is_compiled_anew(kernels, whole, tmp_path, damage):
    site, _folder, level = kernels
    copy = tmp_path / "site"
    shutil.copytree(site, copy)
    for k, path in enumerate(sorted(copy.rglob("*.nbc"))):
        content = bytearray(path.read_bytes())
        if damage == "empty":
            content = b""
        elif damage == "short":
            content = content[: len(content) // 2]
        elif damage == "zeros":
            content[DIGEST:] = bytes(len(content) - DIGEST)
        elif damage == "text":
            content = b"not found"
        else:
            at = 3 if damage == "digest" else DIGEST + (7919 * (k + 1)) % (len(content) - DIGEST)
            content[at] ^= 1 << k % 8
        path.write_bytes(content)
    *bits, compiled = run(FIT, [copy], LITLEARN_KERNELS=level, NUMBA_CACHE_DIR=tmp_path / "b")
    (*expected, nothing), _ = whole
    assert nothing == "" and compiled != ""
    assert len(bits) == 2 and all(len(a) == len(b) for a, b in zip(bits, expected, strict=True))
    assert all(path.exists() for path in copy.rglob("*.nbc"))
    if damage == "bit":  # whatever the damage, what was compiled is in the user's own cache
        *_, again = run(FIT, [copy], LITLEARN_KERNELS=level, NUMBA_CACHE_DIR=tmp_path / "b")
        assert again == ""


@needs_compiler
@needs_x86
@pytest.mark.parametrize("whose", ["another user", "everybody"])
@pytest.mark.parametrize("which", ["package", "folder", "entry"])
def test_what_others_could_have_written_is_refused(kernels, tmp_path, monkeypatch, which, whose):
    site, folder, _level = kernels
    shutil.copytree(site, tmp_path / "site")
    package = tmp_path / "site" / shipped.PACKAGE
    entry = next((package / folder.name).rglob("*.nbc"))
    monkeypatch.setattr(cache, "_warned", [])
    cache._check_installed(str(entry), entry.stat())
    one = {"package": package, "folder": entry.parent, "entry": entry}[which]
    if whose == "another user":
        if os.geteuid() != 0:
            pytest.skip("only root may give files away")
        os.chown(one, 12345, 12345)
    else:
        one.chmod(one.stat().st_mode | 0o022)
    with pytest.raises(PermissionError, match=re.escape(f"not read from {one}: ")):
        cache._check_installed(str(entry), entry.stat())


@needs_compiler
@needs_x86
def test_who_may_write_to_litlearn_may_write_to_its_kernels(kernels, tmp_path, monkeypatch):
    site, folder, _level = kernels
    shutil.copytree(site, tmp_path / "site")
    own = tmp_path / "litlearn"
    own.mkdir()
    monkeypatch.setattr(cache, "__file__", str(own / "cache.py"))
    entry = next((tmp_path / "site" / shipped.PACKAGE / folder.name).rglob("*.nbc"))
    for one in (own, entry, entry.parent):
        one.chmod(0o775)  # a group installs for itself
    cache._check_installed(str(entry), entry.stat())
    entry.chmod(0o777)
    with pytest.raises(PermissionError, match="may not write to litlearn"):
        cache._check_installed(str(entry), entry.stat())


@needs_compiler
@needs_x86
def test_kernels_of_others_are_compiled_anew(kernels, tmp_path):
    site, _folder, level = kernels
    shutil.copytree(site, tmp_path / "site")
    (tmp_path / "site" / shipped.PACKAGE).chmod(0o777)
    settings = {"LITLEARN_KERNELS": level, "NUMBA_CACHE_DIR": tmp_path / "cache"}
    *_, compiled = run(FIT, [tmp_path / "site"], **settings)
    assert compiled != ""


@needs_compiler
@needs_x86
def test_two_processes_share_them(kernels, tmp_path):
    site, _, level = kernels
    known = dict(os.environ, LITLEARN_KERNELS=level, NUMBA_CACHE_DIR=str(tmp_path))
    known["PYTHONPATH"] = os.pathsep.join(
        [str(pathlib.Path(shipped.__file__).parents[2]), str(site)]
    )
    both = [subprocess.Popen([sys.executable, "-c", FIT], env=known, stdout=subprocess.PIPE,
                             text=True) for _ in range(2)]  # fmt: skip
    told = [one.communicate(timeout=300)[0] for one in both]
    assert told[0] == told[1] and told[0].strip().endswith("|")
