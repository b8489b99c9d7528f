"""What is kept on disk of compiled functions, for the next process.

Each compiled form of a function, one for every combination of types that it has met, is a file of
its own. It is written under another name and then renamed, so that a reader finds either a whole
file or none, and two processes may write at once. No lock is needed, which somebody could hold.

Full disks, power cuts and interrupted copies damage files, and one wrong bit of machine code can
end the process. Each file begins with a digest of its name and its content, which is compared
before the content is read. A file that does not agree is deleted, and the function is compiled
anew.

A digest protects from accidents, not from other users. The folder and the file must therefore
belong to the user or to root, and nobody else may write to them. What fails is not read, and one
warning says so. What is made here is for its owner only: folders have mode 0700, files 0600. They
lie in a folder of their own, ``litlearn.cache``, because under a umask of 002 a group may write to
``__pycache__``. A cache that root has filled can serve all users once root lets them read it
(``chmod -R go+rX``). Windows has no such modes: there the permissions of the folder decide.

Numba has a list of places for a cache. An entry is looked for in all of them, then in what arrived
with the installation (``shipped.py``), and kept in the first place that can be written.
"""

import contextlib
import glob
import hashlib
import inspect
import logging
import os
import pathlib
import pickle
import stat
import tempfile
import weakref

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.serialize import dumps

from litlearn._core import shipped

FOLDER = "litlearn.cache"  # with a dot, since setuptools would take any other name for a package
DIGEST = 32  # bytes
OTHERS_WRITE = 0o022  # the bits of a mode
_warned = []


def _applicable(locator):
    """One of Numba's places, whether or not it can be written: that shows when it is used."""

    class Applicable(locator):
        def ensure_cache_path(self):
            pass

    return Applicable


class _Places(CompileResultCacheImpl):
    """Numba's list of places: ``NUMBA_CACHE_DIR``, beside the source, the user's folder."""

    _locator_classes = tuple(map(_applicable, CompileResultCacheImpl._locator_classes))

    def __init__(self, function):
        super().__init__(function)
        locators = [self.locator]
        if type(self.locator) in self._locator_classes:  # else NUMBA_CACHE_LOCATOR_CLASSES is set
            file = inspect.getfile(function)
            locators = [kind.from_function(function, file) for kind in self._locator_classes]
        folders = [os.path.abspath(one.get_cache_path()) for one in locators if one]
        self.folders = [os.path.join(folder, FOLDER) for folder in folders]


def _refresh(context):
    """Tell a context of Numba what has been declared since it was told last.

    Generators hand out the declarations. One that Ctrl-C has hit is over for good, and what it was
    handing out is lost. So all are made anew: what is declared twice is still found once.
    """
    try:
        context.refresh()
    except BaseException as error:
        _forget_declarations(context)
        if not isinstance(error.__cause__, StopIteration):  # Ctrl-C, now and not in an earlier call
            raise
        context.refresh()


def _forget_declarations(context):
    """Let a context of Numba, and the one of types beside it, be told of everything anew."""
    known = context.typing_context._globals  # these alone must not be declared twice
    for registry in context.typing_context._registries:
        for value, _ in registry.globals:
            known.pop(value, None)
            with contextlib.suppress(TypeError):
                known.pop(weakref.ref(value), None)
    context.typing_context._registries.clear()
    context._registries.clear()


class Cache(FunctionCache):
    """The cache of one function.

    Parameters
    ----------
    function : callable
        What is compiled.
    stamp : str
        A state of the whole package. It is part of the files' names, so that entries of another
        state are not found.

    Raises
    ------
    RuntimeError
        If the function has no place, such as one that was made by ``exec``.
    AttributeError, TypeError
        If Numba has changed what this class is made of.
    """

    _impl_class = _Places

    def __init__(self, function, stamp):
        super().__init__(function)
        places = self._impl
        self._may_keep, self._pack = places.check_cachable, places.reduce
        self._unpack, self._place = places.rebuild, shipped.place(inspect.getfile(function))
        # The state of the package tells of its own files; of others, that of the file.
        self._source = places.locator.get_source_stamp() if self._place is None else ""
        self._base = f"{places.filename_base}-{stamp}"
        self._folders = places.folders
        self._stamp = stamp
        self._cache_path = self._folders[0]  # for `stats`: where an entry was last, or would be

    def _entry(self, signature, codegen, level=None):
        """The name of a compiled form, and what must agree before it is used."""
        key = self._index_key(signature, codegen)  # types, processor, bytecode and closure
        if level:  # any processor of that level
            types, (triple, _, _), code = key
            key = types, (triple, level, ""), code
        name = hashlib.sha256(repr((numba.__version__, key)).encode()).hexdigest()
        return f"{self._base}.{name[:16]}.nbc", (self._source, key)

    def load_overload(self, signature, target_context):
        """Return a compiled form, or None where it has to be compiled."""
        _refresh(target_context)
        name, expected = self._entry(signature, target_context.codegen())
        for folder in self._folders:
            path = os.path.join(folder, name)
            try:
                key, packed = pickle.loads(_read(path))
                if key == expected:
                    compiled = self._unpack(target_context, packed)
                    self._cache_path = folder
                    return compiled
            except FileNotFoundError:
                pass
            except OSError as error:
                _tell("read", error)
            except Exception as error:  # damaged, or nothing that this environment can unpickle
                _tell("read", error)
                with contextlib.suppress(OSError):
                    os.unlink(path)
        return self._load_shipped(signature, target_context)

    def _load_shipped(self, signature, target_context):
        """Return a compiled form that came with the installation, or None."""
        folder, level = shipped.found(self._stamp)
        if folder is None or self._place is None:
            return None
        name, expected = self._entry(signature, target_context.codegen(), level)
        path = os.path.join(folder, self._place, name)
        try:
            with open(path, "rb") as file:
                _check_installed(path, os.fstat(file.fileno()))
                key, packed = pickle.loads(_checked(path, file))
            if key == expected:
                compiled = self._unpack(target_context, packed)
                self._cache_path = os.path.dirname(path)
                return compiled
        except FileNotFoundError:
            pass
        except Exception as error:
            _tell("read", error)
        return None

    def save_overload(self, signature, compiled):
        """Keep a compiled form. Where that fails, the next process compiles it again."""
        if not self._may_keep(compiled):
            return
        try:
            name, key = self._entry(signature, compiled.codegen)
            content = dumps((key, self._pack(compiled)))
        except Exception as error:
            # LLVM handed the machine code to a function in Python just as Ctrl-C came there: it is
            # lost, and so would be the Ctrl-C.
            if "no compiled object yet" in str(error):
                raise KeyboardInterrupt from error
            _tell("write", error)
            return
        for folder in self._folders:
            try:
                _write(os.path.join(folder, name), content)
                self._cache_path = folder
                return
            except OSError as error:
                _tell("write", error)

    def flush(self):
        """Delete what is kept of this function."""
        for folder in self._folders:
            for path in glob.glob(f"{glob.escape(os.path.join(folder, self._base))}.*.nbc"):
                with contextlib.suppress(OSError):
                    os.unlink(path)


def _digest(path, content):
    """A hash of an entry's name and content. With the name, entries cannot be exchanged."""
    digest = hashlib.sha256(os.path.basename(path).encode() + b"\0")
    digest.update(content)
    return digest.digest()


def _read(path):
    """The content of an entry. PermissionError if it is not ours, ValueError if it is damaged."""
    folder = os.path.dirname(path)
    _check_owner(folder, os.lstat(folder))
    with open(path, "rb") as file:
        _check_owner(path, os.fstat(file.fileno()))
        return _checked(path, file)


def _checked(path, file):
    """The content of an entry, if it agrees with its digest."""
    digest, content = file.read(DIGEST), file.read()
    if digest != _digest(path, content):
        raise ValueError(f"{path} is damaged")
    return content


def _write(path, content):
    """Write an entry, which others see when it is complete."""
    folder = os.path.dirname(path)
    _make_folder(folder)
    _check_owner(folder, os.lstat(folder))
    descriptor, draft = tempfile.mkstemp(dir=folder)  # mode 0600
    try:
        with open(descriptor, "wb") as file:
            file.write(_digest(path, content) + content)
        os.replace(draft, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise


def _make_folder(path):
    """Make a folder that only the user may enter, and those above it."""
    if not os.path.isdir(path):
        _make_folder(os.path.dirname(path))
        shared = os.path.basename(path) == "__pycache__"  # also Python's, for all users
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, 0o777 if shared else 0o700)


def _check_owner(path, status):
    """Raise PermissionError, and warn once, if another user could have written to `path`."""
    if not hasattr(os, "geteuid"):  # Windows
        return
    if status.st_uid not in (0, os.geteuid()):
        _refuse(path, f"it belongs to another user ({status.st_uid})")
    if stat.S_ISLNK(status.st_mode):
        _refuse(path, "it is a link")
    if status.st_mode & OTHERS_WRITE:
        _refuse(path, f"other users may write to it (mode {status.st_mode & 0o777:o})")


def _check_installed(path, status):
    """Raise PermissionError if somebody could have written to `path` who could not to litlearn.

    An installation may belong to another user, and a group may share it: then the same holds for
    litlearn itself. Folders, up to that of the package, are compared with litlearn's, too.
    """
    if not hasattr(os, "geteuid"):  # Windows
        return
    checked, own = [(path, status)], os.stat(os.path.dirname(__file__))
    for folder in pathlib.Path(path).parents:
        checked.append((folder, folder.stat()))
        if folder.name == shipped.PACKAGE:
            break
    for one, found in checked:
        if found.st_uid not in (0, os.geteuid(), own.st_uid):
            _refuse(one, f"it belongs to another user ({found.st_uid})")
        if found.st_mode & OTHERS_WRITE & ~own.st_mode:
            mode = f"mode {found.st_mode & 0o777:o}"
            _refuse(one, f"users may write to it who may not write to litlearn ({mode})")


def _refuse(path, reason):
    """Raise PermissionError, and warn once."""
    text = f"compiled functions are not read from {path}: {reason}"
    if not _warned:
        _warned.append(path)
        logging.getLogger("litlearn").warning("%s; NUMBA_CACHE_DIR names another folder", text)
    raise PermissionError(text)


def _tell(action, error):
    """A full disk, a folder that is gone, a damaged file: fits only take longer."""
    logging.getLogger("litlearn").info("could not %s the cache: %s", action, error)
