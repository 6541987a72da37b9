"""Pipes, which can be read once, as files that can be read again."""

from __future__ import annotations

import os
import select
import tempfile
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import IO

from regrade.errors import InputError, ParameterError, RegradeError

SILENT = 60
"""Seconds without a byte, after which a pipe is given up."""


def reads_pipes(read: Callable) -> Callable:
    """A reader whose source, or the paths of a list of sources, may be pipes: each is read once."""

    @wraps(read)
    def reader(source: object, *arguments: object, **options: object) -> object:
        if not any(map(_is_pipe, source if isinstance(source, list | tuple) else [source])):
            return read(source, *arguments, **options)
        with tempfile.TemporaryDirectory(prefix="regrade-") as folder:
            copies: dict[str, str] = {}
            if isinstance(source, list | tuple):
                copied = [_copied(one, Path(folder), copies) for one in source]
            else:
                copied = _copied(source, Path(folder), copies)
            try:
                return read(copied, *arguments, **options)
            except RegradeError as error:
                raise _of_pipes(error, copies) from error

    return reader


def _is_pipe(source: object) -> bool:
    return isinstance(source, str | os.PathLike) and Path(source).is_fifo()


def _copied(source: object, folder: Path, copies: dict[str, str]) -> object:
    if not _is_pipe(source):
        return source
    copy = folder / str(len(copies)) / Path(source).name
    copy.parent.mkdir()
    with copy.open("wb") as file:
        copy_pipe(Path(source), file)
    copies[str(copy)] = os.fspath(source)
    return str(copy)


def copy_pipe(path: Path, file: IO[bytes]) -> None:
    """Copy what is written to a pipe until its writers close it.

    Raises
    ------
    ParameterError
        If nobody writes for `SILENT` seconds.
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
    raise ParameterError(f"{path}: nobody has written to this pipe for {SILENT:g} s")


def _of_pipes(error: RegradeError, copies: dict[str, str]) -> RegradeError:
    """The same error, with the names of pipes in place of where they were put."""
    message = str(error)
    for copy, pipe in copies.items():
        message = message.replace(copy, pipe)
    if isinstance(error, InputError):
        error.path = copies.get(error.path, error.path)
    error.args = (message,)
    return error
