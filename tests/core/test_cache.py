"""What is kept on disk of compiled functions: where, for whom, and that nothing goes wrong there.

Damage is in ``attack/test_damages.py``; locks, forks and races are in ``attack/test_locks.py``.
"""

import errno
import importlib
import logging
import os
import pathlib
import pickle
import stat
import types

import numba
import pytest
from numba.core import caching

from litlearn._core import cache
from litlearn._core.jit import njit

needs_compiler = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="NUMBA_DISABLE_JIT=1: nothing is compiled"
)
needs_modes = pytest.mark.skipif(os.name == "nt", reason="owners and modes are those of POSIX")


@pytest.fixture
def places(tmp_path, monkeypatch):
    """Where Numba would keep a function: what the user says, beside the file, the user's folder."""
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "kept.py").write_text("def kept(x):\n    return x + 1\n")
    monkeypatch.syspath_prepend(str(tmp_path / "source"))
    monkeypatch.delitem(importlib.sys.modules, "kept", raising=False)
    home = tmp_path / "home"
    monkeypatch.setattr(caching.AppDirs, "user_cache_dir", str(home))
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "said"))
    monkeypatch.setattr(cache, "_warned", [])
    return types.SimpleNamespace(
        said=tmp_path / "said", beside=tmp_path / "source" / "__pycache__", home=home
    )


def use():
    """Call the function as a new process would; return whether it was loaded, and its folder."""
    kernel = njit(importlib.import_module("kept").kept)
    assert kernel(1) == 2
    return bool(kernel.stats.cache_hits), pathlib.Path(kernel.stats.cache_path)


def entries(place):
    return [*place.rglob("*.nbc")]


def give_away(path, monkeypatch):
    """Let a file belong to another user, or all files to others where this user may not do so."""
    if os.geteuid() == 0:
        os.chown(path, 12345, 12345)
    else:
        me = os.geteuid()
        monkeypatch.setattr(os, "geteuid", lambda: me + 1)


# Whose it is


@needs_compiler
@needs_modes
@pytest.mark.parametrize("umask", [0o000, 0o002, 0o022, 0o077])
def test_what_is_made_belongs_to_the_user_alone(places, umask):
    before = os.umask(umask)
    try:
        _, folder = use()
        numba.config.CACHE_DIR = ""
        _, beside = use()
    finally:
        os.umask(before)
    for made in (places.said, *places.said.rglob("*"), beside, *beside.rglob("*")):
        assert stat.S_IMODE(made.stat().st_mode) == (0o700 if made.is_dir() else 0o600), made
    assert folder.is_relative_to(places.said) and len(entries(folder)) == 1
    # Python keeps its own files there, for all users.
    assert beside.parent == places.beside and len(entries(beside)) == 1
    assert stat.S_IMODE(places.beside.stat().st_mode) == 0o777 & ~umask


@needs_modes
@pytest.mark.parametrize(
    "owner, mode, trusted",
    [
        ("me", 0o700, True), ("me", 0o755, True), ("me", 0o1755, True), ("me", 0o2750, True),
        ("me", 0o775, False), ("me", 0o757, False), ("me", 0o1777, False), ("me", 0o720, False),
        ("root", 0o755, True), ("root", 0o644, True), ("root", 0o775, False),
        ("root", 0o1777, False), ("other", 0o700, False), ("other", 0o755, False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("me", [0, 1000])
def test_who_is_trusted(monkeypatch, owner, mode, trusted, me):
    monkeypatch.setattr(os, "geteuid", lambda: me)
    status = types.SimpleNamespace(
        st_uid={"me": me, "root": 0, "other": 1001}[owner], st_mode=stat.S_IFDIR | mode
    )
    if trusted:
        cache._check_owner("path", status)
    else:
        with pytest.raises(PermissionError, match="path: (it belongs to|other users may write)"):
            cache._check_owner("path", status)


@needs_compiler
@needs_modes
@pytest.mark.parametrize("whose", ["group", "all", "another's", "a link"])
def test_a_folder_that_others_may_write_to_is_left_for_the_next_place(
    places, monkeypatch, caplog, whose
):
    _, folder = use()
    assert use() == (True, folder)
    (entry,) = entries(folder)
    entry.write_bytes(_trap(entry))
    if whose == "another's":
        give_away(folder, monkeypatch)
    elif whose == "a link":
        folder.rename(folder.with_name("elsewhere"))
        folder.symlink_to("elsewhere")
    else:
        folder.chmod(0o770 if whose == "group" else 0o703)
    before = entry.read_bytes(), sorted(os.listdir(folder))
    if whose == "another's" and os.geteuid() != 0:  # then nothing else is ours, either
        assert njit(importlib.import_module("kept").kept)(1) == 2
    else:
        assert use() == (False, places.beside / cache.FOLDER)
        assert use() == (True, places.beside / cache.FOLDER)
        places.beside.joinpath(cache.FOLDER).chmod(0o777)
        loaded, last = use()
        assert not loaded and last.is_relative_to(places.home) and use() == (True, last)
        last.chmod(0o777)  # no place is left
        assert njit(importlib.import_module("kept").kept)(1) == 2
    assert (entry.read_bytes(), sorted(os.listdir(folder))) == before
    (record,) = caplog.records  # one, for all of them
    assert record.name == "litlearn" and record.levelno == logging.WARNING
    assert f"not read from {folder}: " in record.getMessage()


@needs_compiler
@needs_modes
def test_a_folder_is_looked_at_whenever_it_is_read(places, caplog):
    """Not only when the function is decorated."""
    use()
    kernel = njit(importlib.import_module("kept").kept)
    folder = pathlib.Path(kernel.stats.cache_path)
    (entry,) = entries(folder)
    entry.write_bytes(_trap(entry))
    folder.chmod(0o777)
    assert kernel(1) == 2 and kernel(1.0) == 2.0
    assert entry.read_bytes() == _trap(entry) and [*folder.iterdir()] == [entry]
    assert len(caplog.records) == 1


@needs_compiler
@needs_modes
@pytest.mark.parametrize("whose", ["group", "all", "another's"])
def test_a_file_that_others_may_write_is_compiled_anew(places, monkeypatch, caplog, whose):
    _, folder = use()
    (entry,) = entries(folder)
    entry.write_bytes(_trap(entry))
    if whose == "another's":
        if os.geteuid() != 0:
            pytest.skip("only root gives a file away")
        give_away(entry, monkeypatch)
    else:
        entry.chmod(0o660 if whose == "group" else 0o602)
    assert use() == (False, folder) and use() == (True, folder)
    assert entries(folder) == [entry] and stat.S_IMODE(entry.stat().st_mode) == 0o600
    assert entry.stat().st_uid == os.geteuid()
    assert len(caplog.records) == 1 and f"not read from {entry}: " in caplog.text


def _trap(entry):
    """A whole entry that would end the process that believes it."""

    class Trap:
        def __reduce__(self):
            return os.abort, ()

    content = pickle.dumps(Trap())
    return cache._digest(entry, content) + content


@needs_compiler
@needs_modes
def test_a_group_may_write_to_what_lies_above(places, caplog):
    """As under a umask of 002, or where a folder is shared. Links lead there, too."""
    _, folder = use()
    for one in (places.said, folder.parent):
        one.chmod(0o777)
    places.said.rename(places.said.with_name("disk"))
    places.said.symlink_to("disk")
    assert use() == (True, folder) and not caplog.records


@needs_compiler
@needs_modes
def test_a_cache_that_cannot_be_written_is_read(places, monkeypatch, caplog):
    """As where root has filled it for all, or in a container."""
    _, folder = use()
    (entry,) = entries(folder)
    entry.chmod(0o444)
    folder.chmod(0o555)

    def refuse():
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    make = cache.tempfile.mkstemp
    monkeypatch.setattr(
        cache.tempfile, "mkstemp", lambda dir: refuse() if dir == str(folder) else make(dir=dir)
    )
    assert use() == (True, folder)
    for hits in (1, 2):  # what it lacks is kept in the next place
        kernel = njit(importlib.import_module("kept").kept)
        assert kernel(1) == 2 and kernel(1.0) == 2.0
        assert sum(kernel.stats.cache_hits.values()) == hits
    assert entries(folder) == [entry] and len(entries(places.beside)) == 1 and not caplog.records


# Where it is


@needs_compiler
def test_a_relative_folder_stays_where_it_was(places, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "relative")
    kernel = njit(importlib.import_module("kept").kept)
    monkeypatch.chdir(tmp_path / "source")
    assert kernel(1) == 2
    assert len(entries(tmp_path / "relative")) == 1 and not (tmp_path / "source/relative").exists()
    monkeypatch.chdir(tmp_path)
    assert use() == (True, pathlib.Path(kernel.stats.cache_path))


@needs_compiler
def test_an_edit_takes_the_place_of_what_was_kept(places):
    """Also one that leaves the bytecode and the line as they are."""
    _, folder = use()
    source = pathlib.Path(importlib.import_module("kept").__file__)
    source.write_text(source.read_text() + "# edited\n")
    assert use() == (False, folder) and use() == (True, folder)
    assert len(entries(folder)) == 1


@needs_compiler
def test_a_function_that_is_to_be_compiled_again_is_not_loaded(places):
    kernel = njit(importlib.import_module("kept").kept)
    assert kernel(1) == 2 and kernel(1.0) == 2.0
    assert len(entries(places.said)) == 2
    other = njit(importlib.import_module("kept").kept)
    assert other(1) == 2
    other.recompile()
    assert other(1) == 2 and sum(other.stats.cache_misses.values()) == 1
    assert len(entries(places.said)) == 1


@needs_compiler
def test_numbas_versions_keep_apart(places, monkeypatch):
    _, folder = use()
    monkeypatch.setattr(numba, "__version__", "0.0")
    assert use() == (False, folder) and use() == (True, folder)
    monkeypatch.undo()
    assert len(entries(folder)) == 2


# What a cache may not do: reach the user


@needs_compiler
def test_where_nothing_is_writable_functions_compile_without_a_cache(monkeypatch):
    def refuse(self, function, stamp):
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(cache.Cache, "__init__", refuse)
    assert njit(lambda x: x + 1)(1) == 2


@needs_compiler
@pytest.mark.parametrize("broken", ["mkdir", "mkstemp", "replace", "dumps"])
def test_a_failed_save_only_costs_time(places, monkeypatch, caplog, broken):
    """A disk that is full, at each step; and what cannot be pickled."""
    kernel = njit(importlib.import_module("kept").kept)
    folder = pathlib.Path(kernel.stats.cache_path)
    owner = {"mkstemp": cache.tempfile, "dumps": cache}.get(broken, os)
    error = TypeError("no") if broken == "dumps" else OSError(errno.ENOSPC, "no space left")

    def fail(*args, **kwargs):
        raise error

    with monkeypatch.context() as patch, caplog.at_level(logging.INFO, "litlearn"):
        patch.setattr(owner, broken, fail)
        assert kernel(1) == 2
    assert f"could not write the cache: {error}" in caplog.text
    assert not entries(places.said.parent) and not [*places.said.parent.rglob("tmp*")]
    assert kernel(1.0) == 2.0 and len(entries(folder)) == 1


@needs_compiler
def test_ctrl_c_that_cost_the_machine_code_is_not_lost(places, monkeypatch):
    kernel = njit(importlib.import_module("kept").kept)

    def fail(compiled):
        raise RuntimeError("no compiled object yet for <Library>")

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(kernel._cache, "_pack", fail)
        kernel(1)
    assert kernel(1) == 2


@needs_compiler
def test_a_file_where_a_folder_was_only_costs_time(places):
    kernel = njit(importlib.import_module("kept").kept)
    places.said.write_text("")
    assert kernel(1) == 2
    assert use() == (True, places.beside / cache.FOLDER)


@needs_compiler
def test_a_folder_where_a_file_was_only_costs_time(places, caplog):
    _, folder = use()
    (entry,) = entries(folder)
    entry.unlink()
    entry.mkdir()
    beside = places.beside / cache.FOLDER
    assert use() == (False, beside) and use() == (True, beside)
    assert [*folder.iterdir()] == [entry] and not caplog.records


@needs_compiler
def test_what_is_damaged_goes_even_if_nothing_takes_its_place(places, monkeypatch, caplog):
    _, folder = use()
    (entry,) = entries(folder)
    entry.write_bytes(entry.read_bytes()[:-1])
    monkeypatch.setattr(cache, "_write", lambda path, content: None)
    with caplog.at_level(logging.INFO, "litlearn"):
        assert use() == (False, folder)
    assert not entries(folder) and f"could not read the cache: {entry} is damaged" in caplog.text


@needs_compiler
def test_an_entry_that_cannot_be_read_is_left(places, monkeypatch):
    """It may be sound, and the reason pass: too many open files, a server that does not answer."""
    _, folder = use()

    def refuse(path):
        raise OSError(errno.EIO, "denied", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(cache, "_read", refuse)
        patch.setattr(cache, "_write", lambda path, content: None)
        assert use() == (False, folder)
    assert use() == (True, folder)


def test_the_folder_is_no_package(tmp_path):
    """Or else setuptools would install it, where a checkout has been used."""
    setuptools = pytest.importorskip("setuptools")
    (tmp_path / "litlearn" / "tree" / "__pycache__" / cache.FOLDER).mkdir(parents=True)
    (tmp_path / "litlearn" / "__pycache__" / cache.FOLDER).mkdir(parents=True)
    found = setuptools.find_namespace_packages(str(tmp_path), exclude=["*__pycache__"])
    assert sorted(found) == ["litlearn", "litlearn.tree"]
