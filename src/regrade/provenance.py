"""What files of results say of themselves: of what they were made, by what, and a hash of the rest.

A job says of itself what all its files have in common (`made_by_job`); who writes a file adds what
that one is.  Nothing of it depends on when or where: the same work gives the same bytes.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePath

KEY = b"regrade"
"""Of the provenance in a file's metadata, which is JSON."""

CONTENT = b"regrade content"
"""Of the hash of all else that a table's file holds."""

PART = re.compile(r"/(parts|chunks)/\d+/")
"""In the path of a file that goes once it is put together with others: its inputs are named."""

LISTED = 20
"""Of so many files of an input each is named; of more, their number."""

DIGITS = 16
"""Of hashes, hexadecimal."""

_DIGEST = "sha256"


@dataclass(frozen=True)
class JobOrigin:
    """What the files of a job have in common.

    Parameters
    ----------
    folder
        The folder of the collection's results.
    code
        The hash of the job's code.
    files
        What it reads, by the input's name.
    content
        The hash of the files that are no results, where it was taken already.
    """

    folder: str
    code: str = ""
    files: Mapping[str, Sequence[str]] = field(default_factory=dict)
    content: str | None = None

    @property
    def collection(self) -> str:
        """The name of the collection."""
        return PurePath(self.folder).name

    @cached_property
    def inputs(self) -> dict[str, dict[str, str]]:
        """By the input's name, each file and the hash of its content."""
        inputs = {}
        for name, files in self.files.items():
            whole = [path for path in files if not PART.search(path)]
            inputs |= {name: self._hashes(whole)} if whole else {}
            for part in filter(PART.search, files):
                inputs |= notes_of(part).get("inputs", {})
        return inputs

    def _hashes(self, files: Sequence[str]) -> dict[str, str]:
        own = {path: place for path in files if (place := self.below(path) or self._beside(path))}
        hashes = {place: content_of(path) for path, place in own.items()}
        users = [path for path in files if path not in own]
        if users:
            one = len(users) == 1
            name = PurePath(users[0]).name if one else f"{len(users)} files"
            hashes[name] = self.content or (
                content_of(users[0]) if one else _together(map(content_of, users))
            )
        if len(hashes) > LISTED:
            return {f"{len(hashes)} files": _together(hashes.values())}
        return hashes

    def below(self, path: str | os.PathLike) -> str:
        """The place of a file of results in the collection's folder; empty for other files."""
        _, separator, place = f"/{PurePath(path).as_posix()}".partition(f"/{self.folder}/")
        return place if separator else ""

    def of(self, path: str | os.PathLike) -> JobOrigin:
        """The same, of a file that the job makes of another collection."""
        root = PurePath(self.folder).parent
        match = re.search(
            rf"/{re.escape(root.as_posix())}/([^/]+)/", f"/{PurePath(path).as_posix()}"
        )
        return replace(self, folder=str(root / match[1])) if match else self

    def _beside(self, path: str) -> str:
        """The same of a table of another collection, with its name; empty for other files."""
        _, separator, place = f"/{path}".partition(f"/{PurePath(self.folder).parent.as_posix()}/")
        return place if separator and path.endswith(".parquet") else ""

    def item(self, path: str | os.PathLike, table: str) -> str:
        """Which one of a table's files a path is: what the path has beside the table's."""
        parts = list(PurePath(self.below(path)).with_suffix("").parts)
        *folder, name = table.split("/")
        if folder:
            parts = parts[1:] if parts[:1] == folder else parts
            return "/".join(parts[:-1] if parts[-1:] == [name] else parts)
        if name in parts[:-1]:  # tables/qrels/NIST, scores/NIST
            del parts[: parts.index(name) + 1]
            return "/".join(parts)
        return "/".join("" if parts[-1] == name else parts)  # tables/runs


_ORIGINS: list[JobOrigin] = []
"""Of the job that runs, if one does: a process runs one."""


@contextmanager
def made_by_job(origin: JobOrigin) -> Iterator[None]:
    """Let all files that are written within the block say which job has made them."""
    _ORIGINS.append(origin)
    try:
        yield
    finally:
        _ORIGINS.pop()


@contextmanager
def made_for_any_job() -> Iterator[None]:
    """Let files that are written within the block, which later jobs take over, not say which."""
    own = [JobOrigin(origin.folder) for origin in _ORIGINS[-1:]]
    _ORIGINS.extend(own)
    try:
        yield
    finally:
        del _ORIGINS[len(_ORIGINS) - len(own) :]


def of_file(path: str | os.PathLike, table: str = "", key: Sequence[str] = ()) -> dict:
    """What a file says of itself beside version and parameters, as far as it is known."""
    known = {"table": table, "key": list(key)} if table else {}
    if _ORIGINS and (origin := _ORIGINS[-1].of(path)).below(path):
        known |= {"collection": origin.collection, "inputs": origin.inputs}
        if table:  # of codes, whose content does not depend on it, others do not tell the job's
            known |= {"item": origin.item(path, table), "code": origin.code}
    return {name: value for name, value in known.items() if value}


class HashedFile(io.FileIO):
    """A file that takes the hash of what is written to it."""

    def __init__(self, path: str | os.PathLike, about: bytes = b""):
        """Open a new file; the hash is of what it is `about`, too."""
        import hashlib

        super().__init__(path, "w")
        self._hash = hashlib.new(_DIGEST, about)

    def write(self, data: bytes) -> int:
        """Write all of some bytes."""
        view = memoryview(data).cast("B")
        self._hash.update(view)
        size = len(view)
        while view:
            view = view[super().write(view) :]
        return size

    @property
    def content(self) -> str:
        """The hash so far."""
        return self._hash.hexdigest()[:DIGITS]


def notes_of(path: str | os.PathLike) -> dict:
    """What a table's file says of itself; nothing where it is none."""
    import pyarrow.parquet as pq

    try:
        notes = pq.read_metadata(path).metadata or {}
    except (ValueError, OSError):
        return {}
    return json.loads(notes.get(KEY, b"{}"))


def content_of(path: str | os.PathLike) -> str:
    """The hash of a file's content: the one that it says itself, else that of its bytes.

    Codes are hashed by what they were made of.
    """
    path = Path(path)
    if path.is_dir():
        files = sorted(one for one in path.rglob("*") if one.is_file())
        return _together(f"{one.relative_to(path)} {content_of(one)}" for one in files)
    try:
        if path.suffix == ".parquet":
            import pyarrow.parquet as pq

            if content := (pq.read_metadata(path).metadata or {}).get(CONTENT):
                return content.decode()
        if path.suffix == ".arrow":
            import pyarrow as pa

            with pa.memory_map(str(path)) as file:
                metadata = pa.ipc.open_file(file).schema.metadata or {}
            if about := metadata.get(KEY):
                return _together([about.decode()])
    except (ValueError, OSError):  # what cannot be read is refused by who reads it
        pass
    import hashlib

    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, _DIGEST).hexdigest()[:DIGITS]
    except OSError:
        return ""


def _together(hashes: Iterable[str]) -> str:
    import hashlib

    return hashlib.new(_DIGEST, json.dumps(list(hashes)).encode()).hexdigest()[:DIGITS]
