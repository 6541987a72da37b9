"""Lines of text into columns: what the readers of runs, qrels and judgments share.

Every reader collects what is wrong with a file in `Problems`, so that one message tells of
all of it, with the numbers of the lines as an editor shows them.
"""

from __future__ import annotations

import csv
import gzip
import io
import logging
import math
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
from numba import njit

from regrade.choices import LEAVING
from regrade.errors import SHOWN, InputError, check_choice, did_you_mean
from regrade.scales import Scale
from regrade.schemas import STRING

log = logging.getLogger(__name__)

_GZIP_MAGIC = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UNPACK = "Unpack it: plain text and .gz are read."
_SAVE = "Save it as UTF-8 text."
_BINARY = {
    b"PK\x03\x04": ("a .zip (or a spreadsheet)", "Unpack it, or save it as UTF-8 text."),
    b"\xfd7zXZ\x00": ("an .xz", _UNPACK),
    b"BZh91AY&SY": ("a .bz2", _UNPACK),
    b"\x28\xb5\x2f\xfd": ("a .zst", _UNPACK),
    b"7z\xbc\xaf\x27\x1c": ("a .7z", _UNPACK),
    b"\x1f\x9d": ("a .Z", _UNPACK),
    _GZIP_MAGIC: ("a .gz within a .gz", _UNPACK),
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
_QUOTES = "^(\".*\"|'.*')$"
_TAB, _NEWLINE, _RETURN, _SPACE = b"\t\n\r "
_ZERO, _X, _CAPITAL_X = b"0xX"
_INT32 = np.iinfo(np.int32)


class Problems:
    """What is wrong with one file, gathered until it is raised as one `InputError`.

    Parameters
    ----------
    path
        The file.
    remedy
        What the user can do about it.
    """

    def __init__(self, path: str | PathLike, remedy: str = ""):
        self.path = path
        self.remedy = remedy
        self._first: list[tuple[int | None, str]] = []
        self._total = 0

    def add(self, lines: Collection[int], reasons: Iterable[str]) -> None:
        """Add problems of one kind: their lines, ascending, and a reason for each.

        Only as many reasons are drawn from `reasons` as a message may show.
        """
        self._total += len(lines)
        self._first += [
            (int(line), reason) for line, reason in zip(list(lines)[:SHOWN], reasons, strict=False)
        ]

    def raise_if_any(self) -> None:
        """Raise an `InputError` of all problems so far, in the order of their lines."""
        if self._total:
            self._first.sort(key=lambda problem: problem[0])
            raise InputError(self.path, self._first, self.remedy, self._total)


def read_bytes(path: str | PathLike) -> bytes:
    """Contents of a plain or gzipped file, told apart by content; no byte-order mark.

    Raises
    ------
    InputError
        If the file is missing, unreadable, a truncated or damaged .gz, or empty.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(path, [(None, f"cannot be read: {error.strerror or error}")]) from error
    if data.startswith(_GZIP_MAGIC):
        try:
            data = gzip.decompress(data)
        except EOFError as error:
            raise InputError(
                path, [(None, "is a truncated .gz")], "Copy or download the file again."
            ) from error
        except (OSError, zlib.error) as error:
            raise InputError(
                path, [(None, f"is a damaged .gz: {error}")], "Copy or download the file again."
            ) from error
    while data.startswith(_BYTE_ORDER_MARK):
        data = data.removeprefix(_BYTE_ORDER_MARK)
    if not data or data.isspace():
        raise InputError(path, [(None, "is empty")])
    return data


def read_text(path: str | PathLike) -> bytes:
    """Contents of a plain or gzipped file of text, still encoded; see `read_bytes`.

    Raises
    ------
    InputError
        As `read_bytes`, and if it is no text but another kind of file, which is named; or if a
        byte-order mark stands at the beginning of a later line, as where files were joined.
    """
    data = read_bytes(path)
    check_text(path, data)
    return data


def check_text(path: str | PathLike, data: bytes) -> None:
    """Raise an `InputError` where the contents of a file are no text."""
    start, mark = _TAR
    if data[start : start + len(mark)] == mark:
        raise InputError(path, [(None, "is a .tar, not text")], _UNPACK)
    for magic, (kind, remedy) in _BINARY.items():
        if data.startswith(magic):
            raise InputError(path, [(None, f"is {kind}, not text")], remedy)
    first = data[:4096]
    if first.startswith(_UTF16) or _is_half_empty(first):
        raise InputError(path, [(None, "is UTF-16, not UTF-8")], _SAVE)
    nul = data.find(b"\0")
    if nul >= 0 and sum(byte < 9 for byte in first) > max(2, len(first) // 50):
        raise InputError(path, [(None, "is binary, not text")], _SAVE)
    if nul >= 0:
        reason = "holds a NUL byte, which is no character: mend the line"
        raise InputError(path, [(_line_of(data, nul), reason)])
    for end in (b"\n", b"\r"):
        inside = data.find(end + _BYTE_ORDER_MARK)
        if inside >= 0:
            reason = "begins with a byte-order mark, as where files were joined: delete it"
            raise InputError(path, [(_line_of(data, inside + 1), reason)])


def _is_half_empty(first: bytes) -> bool:
    """Whether every other byte, of most at least, is 0, as in UTF-16 of Latin letters."""
    even, odd = (first[start::2] for start in (0, 1))
    empty = [2 * part.count(0) > len(part) for part in (even, odd)]
    return empty[0] != empty[1]


def _line_of(data: bytes, position: int) -> int:
    """The number of the line that a byte is in."""
    before = data[:position]
    return before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1


def check_quotes(
    column: pa.ChunkedArray | pa.Array, line: np.ndarray, name: str, problems: Problems
) -> None:
    """Report names that stand in quotes, which would be part of them.

    Parameters
    ----------
    column
        Text, n names; dictionary-encoded or not.
    line
        The n line numbers.
    name
        What a message calls the column.
    problems
        Takes them.
    """
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_dictionary(column.type):
        quoted = pc.match_substring_regex(column.dictionary, _QUOTES)
        if not pc.any(quoted).as_py():
            return
        quoted = quoted.take(column.indices)
    else:
        quoted = pc.match_substring_regex(column, _QUOTES)
    wrong = np.flatnonzero(quoted.fill_null(False).to_numpy(zero_copy_only=False))
    problems.add(
        line[wrong],
        (f"{name} {column[row].as_py()} is in quotes: leave them out" for row in wrong.tolist()),
    )


def blank_separated(
    path: str | PathLike, types: Mapping[str, pa.DataType | None], problems: Problems
) -> pa.Table:
    r"""Read lines of columns separated by tabs, spaces or any mixture of them.

    Parameters
    ----------
    path
        A plain or gzipped file.  Lines may end in ``\n``, ``\r\n`` or ``\r``; blank lines
        are passed over.
    types
        Name and type of every column: `STRING`, ``float64`` or ``int32``; ``None`` for a
        column that is not wanted.
    problems
        Takes lines with another number of columns, numbers that are none (or NaN), and text
        that is no UTF-8.

    Returns
    -------
    pa.Table
        The wanted columns and ``line`` (int32, from 1).  Lines with another number of columns
        are missing, a number that could not be read is null; so raise the problems before
        the table is used.
    """
    data = read_text(path)
    clean, line, careful = _clean_lines(data, len(types), "blanks", problems)
    return _columns(clean, line, types, problems, careful)


def tab_separated(
    path: str | PathLike,
    required: Sequence[str],
    problems: Problems,
    names: Sequence[str] | None = None,
) -> tuple[pa.Table, np.ndarray]:
    """Read a TSV with a header line: every column as text, and each row's line number.

    `names` are the columns of a file whose header does not name them.

    Raises
    ------
    InputError
        If a required column is missing, or two columns have one name.
    """
    data = read_text(path)
    first = re.search(rb"[^\r\n]+", data)
    header_line = len(data[: first.start()].splitlines()) + 1
    if names is None:
        header = first.group().decode("utf-8", "replace").split("\t")
        names = [name.strip() for name in header]
        _check_header(path, header_line, names, required, "tabs")
    # blank lines in place of the header keep the numbers of the others
    data = b"\n" * (header_line - 1) + data[first.end() :]
    clean, line, careful = _clean_lines(data, len(names), "tabs", problems)
    table = _columns(clean, line, dict.fromkeys(names, pa.string()), problems, careful)
    return table.drop_columns("line"), line


def comma_separated(
    path: str | PathLike, required: Sequence[str], problems: Problems
) -> tuple[pa.Table, np.ndarray]:
    """Read a CSV with a header line: every column as text, and each row's first line number.

    Quoted values may hold commas and line ends.

    Raises
    ------
    InputError
        If a required column is missing, two columns have one name, or the quoting is broken.
    """
    try:
        text = read_text(path).decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputError(path, [(line, "is not UTF-8")], "Save the file as UTF-8.") from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows, lines, wrong = [], [], []
    names = None
    before = 0
    try:
        for row in reader:
            line, before = before + 1, reader.line_num
            if not row:
                continue
            if names is None:
                names = [name.strip() for name in row]
                _check_header(path, line, names, required, "commas")
            elif len(row) == len(names):
                rows.append(row)
                lines.append(line)
            else:
                wrong.append((line, len(row)))
    except csv.Error as error:
        raise InputError(path, [(before + 1, f"is no CSV: {error}")]) from error
    problems.add(
        [line for line, _ in wrong],
        (f"has {count} columns where the header has {len(names)}" for _, count in wrong),
    )
    columns = zip(*rows, strict=True) if rows else ((),) * len(names)
    table = pa.table(
        {name: pa.array(column, pa.string()) for name, column in zip(names, columns, strict=True)}
    )
    return table, np.array(lines, dtype=np.int32)


def numbers(
    column: pa.ChunkedArray | pa.Array,
    line: np.ndarray,
    name: str,
    kind: pa.DataType,
    problems: Problems,
    missing: Collection[str] = (),
) -> pa.Array:
    """Text into numbers, exactly as Python reads them.

    Parameters
    ----------
    column
        Text, n values.
    line
        The n line numbers.
    name
        What a message calls the column.
    kind
        ``float64`` or ``int32``.
    problems
        Takes each text that is no number, is NaN, or does not fit `kind`.
    missing
        Texts that stand for "no value": they become null.

    Returns
    -------
    pa.Array
        n numbers; null where missing or a problem.
    """
    read = _integer if pa.types.is_integer(kind) else _number
    values: list[float | None] = []
    wrong: list[tuple[int, str]] = []
    # a Python loop, but only over judgments and over files that the fast way could not read
    for number, text in zip(line.tolist(), column.to_pylist(), strict=True):
        value = None
        if text not in missing:
            try:
                value = read(text)
            except ValueError as error:
                wrong.append((number, f"{name} {text!r} {error}"))
        values.append(value)
    problems.add([number for number, _ in wrong], (reason for _, reason in wrong))
    return pa.array(values, kind)


@dataclass(frozen=True)
class Leaving:
    """What becomes of rows that break a rule which some files cannot keep.

    Attributes
    ----------
    rule
        ``refuse``: each is a problem of its file.  ``drop``: it is left out, and counted.
    option
        What the user calls the rule.
    counts
        Takes how many rows were left out, by reason.
    """

    rule: str
    option: str
    counts: Counter

    def __post_init__(self):
        """Refuse a rule that there is not."""
        check_choice(self.option, self.rule, LEAVING)

    def apply(
        self, lines: np.ndarray, reasons: Iterable[str], summary: str, problems: Problems
    ) -> None:
        """Report the rows of these lines with their reasons, or count them as `summary` says."""
        if not len(lines):
            return
        if self.rule == "drop":
            self.counts[summary] += len(lines)
            for line, reason in zip(list(lines)[:SHOWN], reasons, strict=False):
                log.warning("%s, line %d: %s; left out", problems.path, line, reason)
            return
        problems.add(lines, reasons)
        problems.remedy = f"Mend the file, or leave such rows out with {self.option}: drop."


def on_scale(
    column: pa.ChunkedArray | pa.Array,
    line: np.ndarray,
    name: str,
    scale: Scale | None,
    leaving: Leaving,
    problems: Problems,
    missing: Collection[str] = (),
) -> pa.Array:
    """What a file holds of a scale, as the scale's numbers.

    Parameters
    ----------
    column
        n values: text, or numbers that were read already.
    line, name, problems, missing
        As for `numbers`.
    scale
        The scale; ``None`` takes any finite number.
    leaving
        What becomes of a value that is not on it.

    Returns
    -------
    pa.Array
        n float64; null where missing, a problem, or not on the scale.
    """
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_floating(column.type):
        number = column
    elif scale is not None and scale.names:
        column = pc.utf8_trim_whitespace(column)
        column = pc.if_else(pc.is_in(column, pa.array(list(missing), pa.string())), None, column)
        number = pa.array(scale.values).take(pc.index_in(column, pa.array(scale.names)))
        # infinite, so that it is on no scale
        number = pc.if_else(pc.is_valid(column), number.fill_null(math.inf), None)
    else:
        column = pc.utf8_trim_whitespace(column)
        number = numbers(column, line, name, pa.float64(), problems, missing)
    value = number.to_numpy(zero_copy_only=False)
    off = ~(np.isfinite(value) if scale is None else scale.contains(value)) & ~np.isnan(value)
    text = [_written(value) for value in column.filter(pa.array(off)).to_pylist()]
    reason = "is not finite" if scale is None else scale.off
    found = list(dict.fromkeys(text))
    shown = ", ".join(found[:SHOWN]) + (", …" if len(found) > SHOWN else "")
    leaving.apply(
        line[off],
        (f"{name} {value} {reason}" for value in text),
        f"{name} off the scale of {scale or 'numbers'} ({shown})",
        problems,
    )
    return pc.if_else(pa.array(off), None, number)


def _written(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def repeats(table: pa.Table, columns: Sequence[str]) -> np.ndarray:
    """For each row, the first row with the same text in `columns`; -1 if it is that one."""
    key = np.zeros(len(table), dtype=np.int64)
    for name in columns:
        column = table[name].combine_chunks()
        column = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        pair = key * max(len(column.dictionary), 1) + column.indices.to_numpy()
        # numbered anew after each column, so that the product of a few cannot overflow
        key = np.unique(pair, return_inverse=True)[1]
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    earlier = first[inverse]
    return np.where(earlier == np.arange(len(key)), -1, earlier)


def keep_topics(table: pa.Table, topics: Iterable[str] | None, path: str | PathLike) -> pa.Table:
    """Rows of the wanted topics (``None``: all).

    Raises
    ------
    InputError
        If none is left.
    """
    if topics is not None:
        wanted = pa.array(sorted(set(map(str, topics))), pa.string())
        table = table.filter(pc.is_in(table["topic"].cast(pa.string()), wanted))
    if not len(table):
        raise InputError(path, [(None, "holds no row of the topics wanted")])
    return table


def _number(text: str) -> float:
    try:
        # float() also takes 1_000 and digits of other scripts
        value = float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        value = None
    if value is None:
        raise ValueError("is no number")
    if math.isnan(value):
        raise ValueError("is not a number (NaN)")
    return value


def _integer(text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise ValueError("is no integer")
    value = int(text) if len(text) < 20 else _INT32.max + 1
    if not _INT32.min <= value <= _INT32.max:
        raise ValueError("is too large an integer")
    return value


def _check_header(
    path: str | PathLike, line: int, names: list[str], required: Sequence[str], separator: str
) -> None:
    missing = [name for name in required if name not in names]
    repeated = sorted({name for name in names if names.count(name) > 1})
    reasons = [f"column '{name}' is missing{did_you_mean(name, names)}" for name in missing]
    reasons += [f"two columns are named '{name}'" for name in repeated]
    if reasons:
        raise InputError(
            path,
            [(line, reason) for reason in reasons],
            f"The first line names the columns, separated by {separator}: {', '.join(required)}.",
        )


def _clean_lines(
    data: bytes, columns: int, separator: str, problems: Problems
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Bytes of the lines with `columns` fields, one tab between two; their numbers; a doubt.

    `separator` is ``blanks`` or ``tabs``.  `problems` takes lines with other numbers of fields.
    The doubt is whether a field begins with 0x, which pyarrow reads as an integer.
    """
    most = data.count(b"\n") + data.count(b"\r") + 1
    clean = np.empty(len(data) + 1, dtype=np.uint8)
    line = np.empty(most, dtype=np.int32)
    fields = np.empty(most, dtype=np.int32)
    size, rows, hexadecimal = _clean(
        np.frombuffer(data, np.uint8), columns, separator == "tabs", clean, line, fields
    )
    line, fields = line[:rows], fields[:rows]
    wrong = fields != columns
    problems.add(
        line[wrong],
        (
            f"has {count} columns where there should be {columns}, separated by {separator}"
            for count in fields[wrong]
        ),
    )
    return clean[:size], line[~wrong], hexadecimal


@njit(cache=True, nogil=True)
def _clean(data, columns, tabs_only, clean, line, fields):
    """Fill `clean`, and `line` and `fields` of every line that is not blank; see `_clean_lines`."""
    size = start = rows = count = position = 0
    number = 1
    inside = hexadecimal = False
    while position <= len(data):
        byte = data[position] if position < len(data) else _NEWLINE
        if byte in (_NEWLINE, _RETURN):
            if count:
                line[rows] = number
                fields[rows] = count
                rows += 1
            if count == columns:
                clean[size] = _NEWLINE
                size += 1
                start = size
            else:
                size = start  # forget the line
            if byte == _RETURN and position + 1 < len(data) and data[position + 1] == _NEWLINE:
                position += 1
            number += 1
            count = 0
            inside = False
        elif tabs_only:
            count = max(count, 1) + (byte == _TAB)
            clean[size] = byte
            size += 1
        elif byte == _SPACE or _TAB <= byte <= _RETURN:
            inside = False
        else:
            if not inside:
                if count:
                    clean[size] = _TAB
                    size += 1
                count += 1
                inside = True
            elif byte in (_X, _CAPITAL_X) and size >= 2:
                hexadecimal |= clean[size - 1] == _ZERO and clean[size - 2] == _TAB
            clean[size] = byte
            size += 1
        position += 1
    return size, rows, hexadecimal


def _columns(
    clean: np.ndarray,
    line: np.ndarray,
    types: Mapping[str, pa.DataType | None],
    problems: Problems,
    careful: bool,
) -> pa.Table:
    """The wanted columns of cleaned lines, and ``line``."""
    wanted = {name: kind for name, kind in types.items() if kind is not None}
    if not careful:
        try:
            table = _parse(clean, list(types), wanted)
            careful = any(
                pa.types.is_floating(kind) and not np.isfinite(table[name].to_numpy()).all()
                for name, kind in wanted.items()
            )
        except pa.ArrowInvalid:
            careful = True
    if careful:  # slowly, to accept what Python reads as a number and to say what is wrong
        raw = _parse(clean, list(types), dict.fromkeys(wanted, pa.binary()))
        table = pa.table(
            {name: _convert(raw[name], line, name, kind, problems) for name, kind in wanted.items()}
        )
    return table.append_column("line", pa.array(line, pa.int32()))


def _parse(clean: np.ndarray, names: list[str], types: Mapping[str, pa.DataType]) -> pa.Table:
    if not len(clean):
        return pa.schema(types).empty_table()
    return pa_csv.read_csv(
        pa.BufferReader(pa.py_buffer(clean)),
        # one block where it fits: a dictionary per column, not one per block
        pa_csv.ReadOptions(
            use_threads=False, column_names=names, block_size=min(len(clean) + 1, 1 << 30)
        ),
        pa_csv.ParseOptions(delimiter="\t", quote_char=False, ignore_empty_lines=False),
        pa_csv.ConvertOptions(
            column_types=types,
            include_columns=list(types),
            null_values=[],
            strings_can_be_null=False,
        ),
    )


def _convert(
    raw: pa.ChunkedArray, line: np.ndarray, name: str, kind: pa.DataType, problems: Problems
) -> pa.Array | pa.ChunkedArray:
    """One column of bytes, the careful way."""
    try:
        text = raw.cast(pa.string())
    except pa.ArrowInvalid:
        decoded = [value.decode("utf-8", "replace") for value in raw.to_pylist()]
        bad = [
            number
            for number, value, text in zip(line, raw.to_pylist(), decoded, strict=True)
            if value != text.encode()
        ]
        problems.add(bad, (f"{name} is not UTF-8" for _ in bad))
        text = pa.chunked_array([pa.array(decoded, pa.string())])
    if kind == STRING:
        return text.dictionary_encode()
    if kind == pa.string():
        return text
    name = name.replace("_", " ")
    found = numbers(text, line, name, kind, problems)
    if pa.types.is_floating(kind):
        _check_huge(text, found, line, name, problems)
    return found


def _check_huge(
    text: pa.ChunkedArray, found: pa.Array, line: np.ndarray, name: str, problems: Problems
) -> None:
    """Report numbers that became infinite, where the text does not say so."""
    huge = pc.and_(pc.is_inf(found), pc.invert(pc.match_substring(pc.utf8_lower(text), "inf")))
    wrong = np.flatnonzero(huge.fill_null(False).to_numpy(zero_copy_only=False)).tolist()
    problems.add(
        line[wrong],
        (f"{name} {text[row].as_py()!r} is beyond what a number can hold" for row in wrong),
    )
