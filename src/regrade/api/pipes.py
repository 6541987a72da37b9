"""Pipes, which can be read once, as files that can be read again."""

from __future__ import annotations

import os
import select
import stat
import tempfile
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import IO, TypeVar

from regrade.errors import QUOTED, InputError, ParameterError, RegradeError

R = TypeVar("R")

SILENT = 60
"""Seconds without a byte, after which a pipe is given up."""


def reads_pipes(read: Callable[..., R]) -> Callable[..., R]:
    """A reader with pipes as sources (one, a list, or by name): each is read once."""

    @wraps(read)
    def reader(source: object, *arguments: object, **options: object) -> object:
        if not any(map(_is_pipe, _sources(source))):
            return read(source, *arguments, **options)
        with tempfile.TemporaryDirectory(prefix="regrade-") as folder:
            copies: dict[str, str] = {}
            files = []
            for one in _sources(source):
                files.append(one)
                if _is_pipe(one):
                    copy = Path(folder, str(len(copies)), Path(one).name)
                    copy.parent.mkdir()
                    with copy.open("wb") as file:
                        copy_pipe(Path(one), file)
                    copies[str(copy)] = os.fspath(one)
                    files[-1] = str(copy)
            copied = files
            if isinstance(source, Mapping):
                copied = dict(zip(source, files, strict=True))
            elif not isinstance(source, list | tuple):
                (copied,) = files
            try:
                return read(copied, *arguments, **options)
            except RegradeError as error:  # which names pipes, not where they were put
                message = str(error)
                for copy, pipe in copies.items():
                    message = message.replace(copy, pipe)
                if isinstance(error, InputError):
                    error.path = copies.get(error.path, error.path)
                error.args = (message,)
                raise

    return reader


def _sources(source: object) -> list[object]:
    """Each of several sources, or the only one."""
    if isinstance(source, Mapping):
        return [*source.values()]
    return [*source] if isinstance(source, list | tuple) else [source]


def _is_pipe(source: object) -> bool:
    """Whether it is a path to one; a text that can be no path is refused."""
    if not isinstance(source, str | os.PathLike):
        return False
    try:
        return stat.S_ISFIFO(Path(source).stat().st_mode)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return False  # whoever reads it says so
    except (OSError, ValueError) as error:
        begin = repr(os.fspath(source)[:QUOTED])
        raise ParameterError(
            f"{begin}… is not a path ({getattr(error, 'strerror', None) or error}): write "
            "lines to a file and name it, or give a frame or a dict"
        ) from None


def copy_pipe(path: Path, file: IO[bytes]) -> None:
    """Copy what is written to a pipe until its writers close it.

    Raises
    ------
    ParameterError
        If nothing is written for `SILENT` seconds.
    """
    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        waiting = select.poll()
        waiting.register(pipe, select.POLLIN)
        while waiting.poll(SILENT * 1000):
            if not (data := os.read(pipe, 1 << 20)):
                return
            file.write(data)
    finally:
        os.close(pipe)
    raise ParameterError(f"{path}: nothing was written to this pipe for {SILENT:g} s")
