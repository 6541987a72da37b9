"""Where the machine code of kernels is kept: as numba keeps it, with another choice of folders.

Numba keeps a kernel beside its source, refuses to import it where no folder can be written, keeps
to the text of the one file when that has changed, and unpickles what any folder holds.  Here

- what is kept in none of the folders is compiled, and nothing fails because it cannot be kept;
- a kernel is compiled anew, too, when one that it calls or a constant of another file has changed;
- no folder is read that is another's, or that others can write.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import numba
import numpy as np
from numba.core import config
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    UserProvidedCacheLocator,
    UserWideCacheLocator,
)

from regrade.progress import now

log = logging.getLogger(__name__)


def dispatcher(function: Callable, *, cache: bool = True, **options: object) -> Callable:
    """What `numba.njit` makes of a function, whose machine code is kept where this module says."""
    # nothing calls a kernel as C would, nor one of which nothing is kept as Python
    compiled = numba.njit(no_cfunc_wrapper=True, no_cpython_wrapper=not cache, **options)(function)
    if cache and hasattr(compiled, "_cache"):  # a plain function under NUMBA_DISABLE_JIT
        compiled._cache = KernelCache(function)
    return compiled


class KernelLocator:
    """What numba asks of a function's place: the folder, and what the code was made from."""

    def __init__(self, function: Callable):
        file = function.__code__.co_filename
        self.folder, self.installed = folders(Path(file).parent)
        self.stamp = source_stamp(function.__globals__, file)
        self._line = function.__code__.co_firstlineno
        self._py_file = file  # which numba's warnings name

    def get_cache_path(self) -> str:
        """The folder that is read first, and written."""
        return str(self.folder or self.installed or "")

    def get_source_stamp(self) -> str:
        """See `source_stamp`."""
        return self.stamp

    def get_disambiguator(self) -> str:
        """The line, as in numba's own names of files."""
        return str(self._line)

    def ensure_cache_path(self) -> None:
        """It has been made."""


class _KernelCacheImpl(CompileResultCacheImpl):
    def __init__(self, function: Callable):
        # as numba's own, but for the choice of the locator
        self._lineno = function.__code__.co_firstlineno
        self._locator = KernelLocator(function)
        name = f"{Path(function.__code__.co_filename).stem}.{function.__qualname__}"
        self._filename_base = self.get_filename_base(name, getattr(sys, "abiflags", ""))


class _KernelFiles(IndexDataCacheFile):
    """The files of a kernel in one folder; what cannot be read is not there."""

    def _load_index(self) -> dict:
        try:
            return super()._load_index()
        except (OSError, EOFError, pickle.UnpicklingError):
            return {}

    def load(self, key: tuple) -> tuple | None:
        try:
            return super().load(key)
        except (EOFError, pickle.UnpicklingError):
            return None


class KernelCache(FunctionCache):
    """The machine code of one kernel: in a folder of the user's, and as it was installed."""

    _impl_class = _KernelCacheImpl

    def __init__(self, function: Callable):
        super().__init__(function)
        place = self._impl.locator
        self._files = [
            _KernelFiles(str(folder), self._impl.filename_base, place.stamp)
            for folder in dict.fromkeys((place.folder, place.installed))
            if folder
        ]

    @property
    def stamp(self) -> str:
        """What the machine code is made from, see `source_stamp`."""
        return self._impl.locator.stamp

    def calls(self) -> list[tuple]:
        """The types of arguments for which machine code is kept."""
        return [types for files in self._files for types, *_ in files._load_index()]

    def _load_overload(self, sig: object, target_context: object) -> object | None:
        key = self._index_key(sig, target_context.codegen())
        for files in self._files:
            data = files.load(key)
            if data is not None:
                return self._impl.rebuild(target_context, data)
        _say_compiling()
        now.kernels += 1
        return None

    def _save_overload(self, sig: object, data: object) -> None:
        if not self._impl.check_cachable(data):
            return
        if self._impl.locator.folder is None:
            _say_not_kept("no folder of your own can be written")
            return
        try:
            self._files[0].save(self._index_key(sig, data.codegen), self._impl.reduce(data))
        except OSError as error:  # such as a full disk
            _say_not_kept(f"{error.filename or self.cache_path}: {error.strerror}")


@cache
def _say_compiling() -> None:
    log.info(
        "kernels are compiled when first used, some seconds each, and kept; `python -m "
        "regrade.kernels` compiles all of them once"
    )


@cache
def _say_not_kept(why: str) -> None:
    log.warning(
        "kernels are compiled again in each process, some seconds each: %s; set "
        "NUMBA_CACHE_DIR to a folder that only you can write",
        why,
    )


# --- folders -----------------------------------------------------------------------------------


@cache
def folders(sources: Path) -> tuple[Path | None, Path | None]:
    """Where kernels of a folder of sources are written, and where they were installed.

    The first folder that is safe and can be written, of ``NUMBA_CACHE_DIR``, that beside the
    sources, the user's cache and a temporary one; beside the sources kernels are read as well if
    they are written elsewhere.
    """
    beside = sources / "__pycache__"
    name = UserProvidedCacheLocator.get_suitable_cache_subpath(str(sources / "kernels.py"))
    installed = beside if is_safe(beside, beside_sources=True) else None
    for parent in _parents():
        folder = beside if parent is None else parent / name
        if _can_be_used(folder, beside_sources=parent is None):
            return folder, None if folder == installed else installed
    return None, installed


def _parents() -> Iterator[Path | None]:
    """Folders that kernels may be kept below, the first choice first; ``None``: the sources'."""
    if config.CACHE_DIR:
        yield Path(config.CACHE_DIR)
    yield None
    users = Path(UserWideCacheLocator(_parents, __file__).get_cache_path()).parent
    if users.is_absolute():  # else there is no home, and it begins with ~
        yield users
    try:
        yield Path(tempfile.gettempdir(), f"regrade-kernels-{_user()}")
    except OSError:  # there is none
        return


def _can_be_used(folder: Path, beside_sources: bool) -> bool:
    """Whether a folder is there, or can be made, can be written, and is safe."""
    try:
        _make(folder)
        if is_safe(folder, beside_sources):
            tempfile.TemporaryFile(dir=folder).close()
            return True
    except OSError:
        return False
    if config.CACHE_DIR and folder.is_relative_to(config.CACHE_DIR):
        _say_unsafe(config.CACHE_DIR)
    return False


@cache
def _say_unsafe(folder: str) -> None:
    log.warning(
        "NUMBA_CACHE_DIR is not used: %s, or a folder above or in it, belongs to another "
        "user or is writable by others, whose code would run as yours; name a folder that "
        "only you can write",
        folder,
    )


def _make(folder: Path) -> None:
    """Make a folder and those above it, none of which others can write."""
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(mode=0o755, exist_ok=True)


def is_safe(folder: Path, beside_sources: bool = False) -> bool:
    """Whether nobody else can put files into a folder: they are unpickled, and so run as code.

    It is the user's own or root's, and so are the folders above it, and others cannot write them;
    above it they may where only owners take away what is there (``/tmp``).  Beside sources it may
    be of whoever owns these, whose code runs anyway.  In a container root may have another number,
    that of the owner of ``/``.
    """
    if sys.platform == "win32":
        return True
    owners = {0, _user()}
    try:
        folder = folder.resolve(strict=True)
        status, *above = (path.stat() for path in (folder, *folder.parents))
        root = Path(folder.anchor).stat().st_uid
    except OSError:
        return False
    if beside_sources:
        return status.st_uid in owners | {above[0].st_uid} and not _is_open(status)
    return (
        status.st_uid in owners
        and all(one.st_uid in owners | {root} for one in above)
        and not _is_open(status)
        and not any(_is_open(one) and not one.st_mode & stat.S_ISVTX for one in above)
    )


def _is_open(status: os.stat_result) -> bool:
    """Whether others than the owner can write a folder."""
    if status.st_mode & stat.S_IWOTH:
        return True
    return bool(status.st_mode & stat.S_IWGRP) and not _is_of_one(status.st_gid, status.st_uid)


@cache
def _is_of_one(group: int, user: int) -> bool:
    """Whether a group is a user's private one, as many systems make for each."""
    import grp
    import pwd

    try:
        name, entry = pwd.getpwuid(user).pw_name, grp.getgrgid(group)
    except KeyError:
        return False
    return entry.gr_name == name and set(entry.gr_mem) <= {name}


def _user() -> int | str:
    """The user's number; on Windows, where folders of users are closed, nobody's."""
    return os.geteuid() if hasattr(os, "geteuid") else ""


# --- what machine code is made from ------------------------------------------------------------


def source_stamp(own: dict, file: str) -> str:
    """A hash of all that machine code of a module's kernels depends on.

    It is of the file, of the kernels of other modules that it imports (which are compiled into
    these), and of constants, which are as well.
    """
    about = hashlib.sha256(_content(file, *_state(file)))
    for name, value in sorted(own.items()):
        if code := getattr(getattr(value, "py_func", None), "__code__", None):
            kept = None if code.co_filename == file else getattr(value, "_cache", None)
            if isinstance(kept, KernelCache):
                about.update(f"{name} {kept.stamp}\n".encode())
        elif isinstance(value, ModuleType) and value.__name__.startswith("regrade."):
            about.update(_content(value.__file__, *_state(value.__file__)))
        elif isinstance(value, np.ndarray):
            about.update(f"{name} {value.dtype} {value.tolist()}\n".encode())
        elif _is_constant(value) and not name.startswith("__"):  # no path of the file's
            about.update(f"{name} {value!r}\n".encode())
    return about.hexdigest()


def _is_constant(value: object) -> bool:
    """Whether kernels may hold a value, which looks alike in each process."""
    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    return isinstance(value, bool | int | float | str | np.generic)


def _state(file: str) -> tuple[int, int]:
    status = Path(file).stat()
    return status.st_mtime_ns, status.st_size


@cache
def _content(file: str, modified: int, size: int) -> bytes:
    """The hash of a file, read again if it has changed."""
    return hashlib.sha256(Path(file).read_bytes()).digest()
