"""Bytes of a file that is text: unpacked, and recognised by content."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO

from isal import igzip, isal_zlib

from regrade.errors import InputError, near_files
from regrade.wording import first_few

_MAGIC = {
    ".gz": rb"\x1f\x8b",
    ".bz2": rb"BZh[1-9]1AY&SY",
    ".xz": rb"\xfd7zXZ\x00",
    ".zip": rb"PK\x03\x04",
}
"""What a compressed file that is read begins with."""
COMPRESSED = tuple(_MAGIC)
"""How names of such files end."""
_MAGIC_LENGTH = 16
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UNPACK = f"Unpack it: plain text, {', '.join(COMPRESSED[:-1])} and a .zip of one file are read."
_SAVE = "Save it as UTF-8 text."
_BINARY = {
    b"\x28\xb5\x2f\xfd": ("a .zst", _UNPACK),
    b"7z\xbc\xaf\x27\x1c": ("a .7z", _UNPACK),
    b"\x1f\x9d": ("a .Z", _UNPACK),
    b"PAR1": ("Parquet", _SAVE),
    b"ARROW1": ("Arrow", _SAVE),
    b"%PDF-": ("a PDF", _SAVE),
    b"\x89HDF": ("HDF5", _SAVE),
    b"SQLite format 3": ("an SQLite database", _SAVE),
    b"\xd0\xcf\x11\xe0": ("a spreadsheet or document of Office", _SAVE),
}
"""What a file that is no text begins with, and what it is then."""
_UTF16 = b"\xff\xfe", b"\xfe\xff"
_TAR = 257, b"ustar"
_HEAD = 1 << 16
"""Bytes that are read at once to find a first line."""
_PROBED = 64 << 20
"""Bytes that are looked at before a whole file is unpacked; and in which a first line ends."""
_RATIO = 200
"""Text of runs and labels packs to a fifth or a tenth, and never to less than one in so many."""


def read_bytes(path: str | PathLike) -> bytes:
    """Contents of a plain or compressed file, recognised by content; no byte-order mark."""
    with _readable(path):
        data = Path(path).read_bytes()
        compressed = _compressed(data)
        if compressed:
            data = _unpacked(path, data, compressed)
    return _marked_off(path, data)


def read_head(path: str | PathLike) -> bytes:
    """The beginning of a file, as `read_bytes` gives it: at least up to where a first line ends."""
    with _readable(path), Path(path).open("rb") as file:
        compressed = _compressed(file.peek(_MAGIC_LENGTH))
        unpacked = _opened(path, file, compressed) if compressed else file
        parts, begun = [], False
        while (more := unpacked.read(_HEAD)) and len(parts) < _PROBED // _HEAD:
            parts.append(more)
            text = more if begun else more.lstrip()
            begun = bool(text)
            if b"\n" in text:
                break
    return _marked_off(path, b"".join(parts))


def _damaged() -> tuple[type[Exception], ...]:
    """What says that a compressed file is not whole."""
    from zipfile import BadZipFile

    return gzip.BadGzipFile, zlib.error, isal_zlib.error, lzma.LZMAError, BadZipFile


@contextmanager
def _readable(path: str | PathLike) -> Iterator[None]:
    """Say of a file what keeps it from being read."""
    try:
        yield
    except IsADirectoryError as error:
        remedy = "Name a file: a folder stands for runs only."
        raise InputError(path, [(None, "is a folder")], remedy) from error
    except (EOFError, OSError, *_damaged()) as error:
        if isinstance(error, OSError) and error.errno is not None:
            near = near_files(path) if isinstance(error, FileNotFoundError) else ""
            problem = f"cannot be read: {error.strerror or error}{near}"
            raise InputError(path, [(None, problem)]) from error
        with Path(path).open("rb") as file:
            kind, is_short = _compressed(file.read(_MAGIC_LENGTH)), isinstance(error, EOFError)
        problem = f"is a truncated {kind}" if is_short else f"is a damaged {kind}: {error}"
        raise InputError(path, [(None, problem)], "Copy or download the file again.") from error


def _marked_off(path: str | PathLike, data: bytes) -> bytes:
    """Contents without byte-order marks, of which something must be left."""
    while data.startswith(_BYTE_ORDER_MARK):
        data = data.removeprefix(_BYTE_ORDER_MARK)
    if not data or data.isspace():
        raise InputError(path, [(None, "is empty")])
    return data


def read_text(path: str | PathLike) -> bytes:
    """Contents of a plain or compressed file of text, still encoded; see `read_bytes`."""
    data = read_bytes(path)
    check_text(path, data)
    return data


_COMMENT = re.compile(rb"(^|[\r\n])[ \t\v\f]*#[^\r\n]*")
"""A line that trec_eval passes over, and the end of the one before."""


def without_comments(data: bytes) -> bytes:
    """Lines of which those are blank whose first character but for blanks is #."""
    return _COMMENT.sub(rb"\1", data) if b"#" in data else data


def read_lines(path: str | PathLike) -> bytes:
    """Lines of TREC, without comments; see `read_text`."""
    data = without_comments(read_text(path))
    if not data or data.isspace():
        raise InputError(path, [(None, "is empty, apart from comments: lines that begin with #")])
    return data


def first_fields(path: str | PathLike) -> list[bytes]:
    """The fields between blanks of a file's first line that has some, and is no comment."""
    lines = map(bytes.split, without_comments(read_head(path)).splitlines())
    return next(filter(None, lines), [])


def read_utf8(path: str | PathLike) -> str:
    """Contents of a file of text; see `read_text`."""
    try:
        return read_text(path).decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputError(path, [(line, "is not UTF-8")], "Save the file as UTF-8.") from error


def check_text(path: str | PathLike, data: bytes) -> None:
    """Raise an `InputError` where the contents of a file are no text."""
    start, mark = _TAR
    if data[start : start + len(mark)] == mark:
        raise InputError(path, [(None, "is a .tar, not text")], _UNPACK)
    if compressed := _compressed(data):
        reason = f"is a {compressed} within a compressed file, not text"
        raise InputError(path, [(None, reason)], _UNPACK)
    for magic, (kind, remedy) in _BINARY.items():
        if data.startswith(magic):
            raise InputError(path, [(None, f"is {kind}, not text")], remedy)
    first = data[:4096]
    # every other byte of most is 0 in UTF-16 of Latin letters
    even, odd = (2 * part.count(0) > len(part) for part in (first[::2], first[1::2]))
    if first.startswith(_UTF16) or even != odd:
        raise InputError(path, [(None, "is UTF-16, not UTF-8")], _SAVE)
    nul = data.find(b"\0")
    if nul >= 0 and sum(byte < 9 for byte in first) > max(2, len(first) // 50):
        raise InputError(path, [(None, "is binary, not text")], _SAVE)
    if nul >= 0:
        reason = "holds a NUL byte, which is not a character: correct the line"
        raise InputError(path, [(_line_of(data, nul), reason)])
    for end in () if data.isascii() else (b"\n", b"\r"):
        inside = data.find(end + _BYTE_ORDER_MARK)
        if inside >= 0:
            reason = "begins with a byte-order mark, as where files were joined: delete it"
            raise InputError(path, [(_line_of(data, inside + 1), reason)])


def is_workbook(path: str | PathLike) -> bool:
    """Whether a file is a workbook of Excel (.xlsx); not if it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            if _compressed(file.read(_MAGIC_LENGTH)) != ".zip":
                return False
        import zipfile

        return zipfile.is_zipfile(path) and _WORKBOOK in zipfile.ZipFile(path).namelist()
    except (*_damaged(), OSError):
        return False


_WORKBOOK = "xl/workbook.xml"


def _compressed(data: bytes) -> str:
    """How what begins so is compressed: one of `COMPRESSED`, or empty."""
    return next((name for name, magic in _MAGIC.items() if re.match(magic, data)), "")


def _opened(path: str | PathLike, file: IO[bytes], compressed: str) -> IO[bytes]:
    """A compressed file, to be read as what is in it."""
    if compressed == ".zip":
        return _only_member(path, file)
    return {".gz": igzip.open, ".bz2": bz2.open, ".xz": lzma.open}[compressed](file)


def _only_member(path: str | PathLike, file: IO[bytes]) -> IO[bytes]:
    """The one file in a .zip, but for what macOS adds."""
    import zipfile

    if not zipfile.is_zipfile(file):  # its list of members, at the end, is missing
        raise EOFError
    held = zipfile.ZipFile(file)
    names = [name for name in held.namelist() if not re.match("__MACOSX/|.*/$", name)]
    if "[Content_Types].xml" in names:
        problem = "is a spreadsheet or document of Office, not text"
        raise InputError(path, [(None, problem)], _SAVE)
    if len(names) != 1:
        problem = f"is a .zip of {len(names)} files, not one: {first_few(names)}"
        remedy = "Unpack it, and name a file or, for runs, the folder; an .eval of Inspect: "
        raise InputError(path, [(None, problem)], f"{remedy}inspect log convert --to json.")
    try:
        return held.open(names[0])
    except RuntimeError as error:  # it needs a password, or is compressed in an unusual way
        raise InputError(path, [(None, f"cannot be unpacked: {error}")], _UNPACK) from error


def _unpacked(path: str | PathLike, data: bytes, compressed: str) -> bytes:
    """Contents of a compressed file; of a .gz zlib takes three times as long to say what is wrong.

    A file is refused whose first bytes give many times as many.
    """
    is_gzip = compressed == ".gz"
    try:
        if is_gzip:
            begun = isal_zlib.decompressobj(wbits=31)
            head = begun.decompress(data, _PROBED)
            if begun.eof and not begun.unused_data:
                return head
            size = len(data) - len(begun.unconsumed_tail) - len(begun.unused_data)
        else:
            file = io.BytesIO(data)
            unpacked = _opened(path, file, compressed)
            head = unpacked.read(_PROBED)
            size = file.tell() if len(head) == _PROBED else len(head)
        if len(head) > _RATIO * size:
            check_text(path, head)
            problem = f"is a {compressed} that unpacks to more than {_RATIO} times its size"
            remedy = "Look at its content; if it is in order, unpack it first."
            raise InputError(path, [(None, problem)], remedy)
        return igzip.decompress(data) if is_gzip else head + unpacked.read()
    except (EOFError, OSError, isal_zlib.error):
        if not is_gzip:
            raise
        return gzip.decompress(data)


def _line_of(data: bytes, position: int) -> int:
    """The number of the line that a byte is in."""
    before = data[:position]
    return before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1
