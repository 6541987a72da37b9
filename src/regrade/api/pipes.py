"""Pipes, which can be read once, as files that can be read again."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from functools import wraps
from pathlib import Path

from regrade.errors import InputError, RegradeError


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
    with Path(source).open("rb") as pipe, copy.open("wb") as file:
        shutil.copyfileobj(pipe, file)
    copies[str(copy)] = os.fspath(source)
    return str(copy)


def _of_pipes(error: RegradeError, copies: dict[str, str]) -> RegradeError:
    """The same error, with the names of pipes in place of where they were put."""
    message = str(error)
    for copy, pipe in copies.items():
        message = message.replace(copy, pipe)
    if isinstance(error, InputError):
        error.path = copies.get(error.path, error.path)
    error.args = (message,)
    return error
