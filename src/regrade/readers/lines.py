"""Lines of text into columns: what the readers of runs, qrels and judgments share.

Every reader collects what is wrong with a file in `Problems`, so that one message tells of
all of it, with the numbers of the lines as an editor shows them.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from regrade.catalogue.arrow import STRING
from regrade.compiled import njit
from regrade.conversions import to_arrow, to_numpy
from regrade.errors import QUOTED, InputError
from regrade.readers.encodings import read_lines
from regrade.tables import string_buffers
from regrade.wording import SHOWN

_NEARLY = re.compile(r"[+-]?[.,]?\d[\d.,' \u00a0\u202f]*%?")
"""A number with signs between its digits, or with a unit."""
DIGITS_ALONE = (
    "A number has a decimal point, and no other sign, unit or blank among its digits: 1234.5, "
    "not 1.234,5 or 1,234.5 or 50%."
)
NAMES_IN_ORDER = (
    "Levels that have names need their order, the lowest first (scale: [N, R, H], --scale N,R,H)."
)
_UNSEEN = (
    "[\\x00-\\x1f\\x7f-\\x9f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]"
    "|^[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]|[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]$"
)
"""Control characters and others without a sign, anywhere; blanks but the usual one at an end."""
_NEWLINE, _RETURN = b"\n\r"
_MARK_OF_ORDER = b"\xef\xbb\xbf"
_ZERO, _NINE, _MINUS, _POINT = b"09-."
_POWERS = 10.0 ** np.arange(23)
"""Those of ten that a float64 holds exactly."""
_DIGITS = 15
"""A number of so many digits is one that a float64 holds exactly."""
_PART = 1 << 30
"""Bytes of a file whose names go into one array: Arrow holds at most twice as many in one."""
_INSIDE, _SEPARATOR, _LINE_END = range(3)
_HIGHEST_END = ord(" ")
"""No byte above is anything but inside a field."""
_BLOCK = 1 << 12
"""Bytes that are looked through at once."""
_SEPARATORS = {"blanks": b" \t\v\f", "tabs": b"\t"}
_KINDS = {4: "labels", 6: "a run"}
"""What has so many columns, separated by blanks."""
_INT32 = np.iinfo(np.int32)
_ONE, _WORD = np.uint64(1), np.uint64(8)


class Problems:
    """What is wrong with a file, and what to do, gathered until raised as one `InputError`."""

    def __init__(self, path: str | PathLike, remedy: str = ""):
        self.path = path
        self.remedy = remedy
        self._first: list[tuple[int | None, str]] = []
        self.count = 0
        self._of_columns: dict[str, tuple[Collection[int], Iterable[str]]] = {}

    def add(self, lines: Collection[int], reasons: Iterable[str]) -> None:
        """Add problems of one kind: their lines, ascending, and a reason for each.

        Only as many reasons are drawn from `reasons` as a message may show.
        """
        self.count += len(lines)
        self._first += [
            (int(line), reason) for line, reason in zip(list(lines)[:SHOWN], reasons, strict=False)
        ]

    def report(self, line: np.ndarray, wrong: np.ndarray, reason: Callable[[int], str]) -> None:
        """Add rows, a mask or their numbers, by their lines, with the reason of each."""
        rows = np.flatnonzero(wrong) if wrong.dtype == bool else wrong
        self.add(line[rows], map(reason, rows.tolist()))

    def add_of_column(self, name: str, lines: Collection[int], reasons: Iterable[str]) -> None:
        """Add problems, as `add` does, that are none unless a column of the file is read."""
        self._of_columns[name] = (lines, reasons)

    def advise(self, remedy: str) -> None:
        """Say once more of what the user can do."""
        if remedy not in self.remedy:
            self.remedy = " ".join(filter(None, [self.remedy, remedy]))

    def read(self, names: Iterable[str]) -> None:
        """Count what is wrong with columns of the file, which somebody reads."""
        for name in set(names) & self._of_columns.keys():
            self.add(*self._of_columns.pop(name))

    def raise_if_any(self) -> None:
        """Raise an `InputError` of all problems so far, in the order of their lines."""
        if self.count:
            self._first.sort(key=lambda problem: problem[0])
            raise InputError(self.path, self._first, self.remedy, self.count)


@dataclass(frozen=True)
class Column:
    """A column of a file: its values, the line of each, its name, and what takes its problems."""

    values: pa.ChunkedArray | pa.Array
    line: np.ndarray
    name: str
    problems: Problems

    def report(self, wrong: np.ndarray, reason: Callable[[int], str]) -> None:
        """Add rows, a mask or their numbers, with the reason of each."""
        self.problems.report(self.line, wrong, reason)

    def check_names(self) -> None:
        """Report names that hold what no reader sees."""
        if odd := odd_names(self.values):
            reasons = (
                f"{self.name} {visible(self.values[row].as_py())} {why}" for row, why in odd.items()
            )
            self.problems.add(self.line[list(odd)], reasons)

    def numbers(
        self, kind: pa.DataType, missing: Collection[str] = (), *, levels: bool = False
    ) -> pa.Array:
        """Text into numbers, exactly as Python reads them."""
        read = _integer if pa.types.is_integer(kind) else as_number
        values: list[float | None] = []
        wrong: list[tuple[int, str, str]] = []
        # a Python loop, but only over judgments and over files that the fast way could not read
        for number, text in zip(self.line.tolist(), self.values.to_pylist(), strict=True):
            try:
                values.append(None if text in missing else read(text))
            except ValueError as error:
                values.append(None)
                wrong.append((number, text, str(error)))
        reasons = (f"{self.name} {text!r} {why}" for _, text, why in wrong)
        self.problems.add([number for number, *_ in wrong], reasons)
        if any(is_nearly_number(text) for _, text, _ in wrong):
            self.problems.advise(DIGITS_ALONE)
        if levels and any(re.search(r"[^\W\d_]", text) for _, text, _ in wrong):
            self.problems.advise(NAMES_IN_ORDER)
        return pa.array(values, kind)


def odd_names(column: pa.ChunkedArray | pa.Array) -> dict[int, str]:
    """Rows whose names hold what no reader sees, and what is to be said."""
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    is_coded = pa.types.is_dictionary(column.type)
    names = column.dictionary if is_coded else column
    _, text = string_buffers(names)
    if not text.size or (text.min() >= ord(" ") and text.max() <= ord("~")):
        return {}
    odd = pc.match_substring_regex(names, _UNSEEN)
    if is_coded:
        odd = odd.take(column.indices)
    rows = np.flatnonzero(odd.fill_null(False).to_numpy(zero_copy_only=False))
    return {row: _why_odd(column[row].as_py()) for row in rows.tolist()}


def visible(name: str) -> str:
    """A name with escapes for what no reader sees."""
    return re.sub(_UNSEEN, lambda odd: ascii(odd[0])[1:-1], name)


def _why_odd(name: str) -> str:
    odd = re.search(_UNSEEN, name)[0]
    called = unicodedata.name(odd, "a control character").lower()
    return f"holds U+{ord(odd):04X} ({called}), which is invisible: remove it"


def quoted(line: str) -> str:
    """A line of a file as messages show it: not longer than anybody reads, tabs as escapes."""
    text, most = visible(line), QUOTED - 2
    return f"'{text}'" if len(text) < most else f"'{text[: most - 1]}…'"


def is_number(text: str) -> bool:
    """Whether a text is one."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def is_nearly_number(text: str) -> bool:
    """Whether it is a number to people, and none to us: ``1.234,5``, ``50%``."""
    return bool(_NEARLY.fullmatch(text.strip())) and not is_number(text)


def as_number(text: str) -> float:
    """A text as Python reads it, but for digits of other scripts, and what is not a number."""
    # float() also takes 1_000 and digits of other scripts
    if not text.isascii() or "_" in text or not is_number(text):
        raise ValueError("is not a number")
    if math.isnan(value := float(text)):
        raise ValueError("is not a number (NaN)")
    return value


def _integer(text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise ValueError("is not an integer")
    value = int(text) if len(text) < 20 else _INT32.max + 1
    if not _INT32.min <= value <= _INT32.max:
        raise ValueError("is too large an integer")
    return value


def are_origins(lines: Collection[Sequence[str]]) -> bool:
    """Whether lines of fields are those of pool origins: qrels, then n and n names of groups."""
    counted = all(len(line) > 4 and line[4] == str(len(line) - 5) for line in lines)
    return counted and any(len(line) != 6 or line[1].upper() != "Q0" for line in lines)


def _other(data: bytes, count: np.ndarray, names: Collection[str]) -> str:
    """What a file seems to be whose lines have another number of columns than there are names."""
    wanted = len(names)
    most = int(np.bincount(count).argmax())
    lines = [line.split() for line in data[:_BLOCK].decode("utf-8", "replace").splitlines()]
    if wanted in _KINDS and are_origins([line for line in lines if line][:-1]):
        return (
            "It has labels and whose runs brought each document: pool_origins of a configuration. "
            "The labels alone are its first four columns."
        )
    if wanted == 4 and most == 3 and "grade" in names:
        return "It lacks one: put a 0 before the document, or a first line with the columns' names."
    if wanted == 4 and most == 2 and "grade" in names:
        return "Pairs of topic and document have no grade: write each as topic 0 docno 1."
    if wanted == 6 and most > 6:
        return "Tags and names have no blanks: put _ in place of them."
    if wanted in _KINDS and most in _KINDS and most != wanted:
        return f"It has {most} as {_KINDS[most]}: name {_KINDS[wanted]} here."
    first = data.lstrip().partition(b"\n")[0]
    mark = next((mark for mark in ";,|" if first.count(mark.encode()) >= wanted // 2), None)
    if wanted in _KINDS and most == 1 and mark:
        return f"Its columns are separated by {mark} : give it a first line with their names."
    return ""


def blank_separated(
    types: Mapping[str, pa.DataType | None], problems: Problems, names: Iterable[str] = ()
) -> pa.Table:
    r"""Read lines of columns separated by tabs, spaces or any mixture of them, but for comments.

    Columns of `names` are checked by `Column.check_names`.
    """
    table = columns_of_lines(read_lines(problems.path), types, "blanks", problems)
    for name in names:
        Column(table[name], to_numpy(table["line"]), name, problems).check_names()
    return table


def columns_of_lines(
    data: bytes, types: Mapping[str, pa.DataType | None], separator: str, problems: Problems
) -> pa.Table:
    """The wanted columns of the lines of a file, and ``line``.

    `separator` is ``blanks`` or ``tabs``.  `problems` takes lines with another number of fields
    than there are `types`, which are left out, and what a column cannot hold.
    """
    table = _plain_columns(data, types, separator)
    return _any_columns(data, types, separator, problems) if table is None else table


def _plain_columns(
    data: bytes, types: Mapping[str, pa.DataType | None], separator: str
) -> pa.Table | None:
    """Those of lines as most files have them: none blank, one sign between fields, plain numbers.

    ``None`` where any is otherwise.
    """
    has_tabs = b"\t" in data[: data.find(b"\n")]
    mark, other = (b"\t", b" ") if has_tabs else (b" ", b"\t")
    odd = [b"\r", _MARK_OF_ORDER]
    if separator == "tabs":
        mark = b"\t"
    else:
        odd += [other, b"\v", b"\f", 2 * mark, mark + b"\n", b"\n" + mark]
        if data.startswith(mark) or data.endswith(mark):
            return None
    if len(data) > _PART or any(each in data for each in odd):
        return None
    is_integer = {name: kind and pa.types.is_integer(kind) for name, kind in types.items()}
    wanted = {name: STRING if is_integer[name] else kind for name, kind in types.items() if kind}
    read, parse, convert = pa.csv.ReadOptions, pa.csv.ParseOptions, pa.csv.ConvertOptions
    try:
        table = pa.csv.read_csv(
            pa.py_buffer(data),
            read(use_threads=False, block_size=len(data) + 1, column_names=[*types]),
            parse(delimiter=mark.decode(), quote_char=False),
            convert(column_types=wanted, include_columns=[*wanted], null_values=[]),
        )
    except pa.ArrowInvalid:
        return None
    if len(table) != data.count(b"\n") + (not data.endswith(b"\n")):  # blank lines
        return None
    columns = {}
    for name, column in zip(wanted, table.columns, strict=True):
        values = column.combine_chunks()
        if is_integer[name]:
            if not pc.all(pc.match_substring_regex(values.dictionary, "^[0-9]{1,9}$")).as_py():
                return None
            values = values.dictionary.cast(types[name]).take(values.indices)
        elif pa.types.is_floating(values.type) and not np.isfinite(to_numpy(values)).all():
            return None
        columns[name] = values
    return pa.table({**columns, "line": to_arrow(np.arange(1, len(table) + 1, dtype=np.int32))})


def _any_columns(
    data: bytes, types: Mapping[str, pa.DataType | None], separator: str, problems: Problems
) -> pa.Table:
    """Those of any lines, and what is wrong with them."""
    content = np.frombuffer(data, np.uint8)
    wanted = {name: kind for name, kind in types.items() if kind is not None}
    places = np.array([[*wanted].index(name) if name in wanted else -1 for name in types])
    most = np.count_nonzero(content == _NEWLINE) + np.count_nonzero(content == _RETURN) + 1
    line, count = np.empty((2, most), np.int32)
    bounds = np.empty((len(wanted), 2, most), np.int64)
    roles = np.full(256, _INSIDE, np.uint8)  # of each byte in a line
    roles[[*_SEPARATORS[separator]]] = _SEPARATOR
    roles[[_NEWLINE, _RETURN]] = _LINE_END
    n, size = _fields(content, roles, separator == "tabs", places, line, count, bounds)
    line, count = line[:n], count[:n]
    wrong = count != len(types)
    if wrong.any():
        names = "" if problems.remedy else f" ({' '.join(types)})"
        should = f"columns where there should be {len(types)}, separated by {separator}{names}"
        texts = data.splitlines()

        def reason(row: int) -> str:
            text = texts[line[row] - 1].decode("utf-8", "replace")
            return f"has {count[row]} {should}: {quoted(text)}"

        problems.report(line, wrong, reason)
        problems.advise(_other(data, count, types))
    line = line[~wrong]
    columns = {}
    for place, (name, kind) in enumerate(wanted.items()):
        start, stop = bounds[place, :, :size]
        values = _column(content, start, stop, kind)
        if values is None:  # slowly, to accept what Python reads and to say what is wrong
            values = _converted(Column(_texts(content, start, stop), line, name, problems), kind)
        columns[name] = values
    return pa.table({**columns, "line": pa.array(line)})


def _column(
    content: np.ndarray, start: np.ndarray, stop: np.ndarray, kind: pa.DataType
) -> pa.Array | pa.ChunkedArray | None:
    """One column, given where each of its fields starts and stops; ``None`` where it is odd."""
    try:
        if pa.types.is_integer(kind):
            values, is_plain = _integers(content, start, stop)
            return pa.array(values) if is_plain else None
        if kind == STRING:
            # the same name mostly stands in many lines one below the other
            first = _changes(content, start, stop)
            names = _texts(content, start[first], stop[first]).cast(pa.string())
            names = names.dictionary_encode().combine_chunks()
            codes = np.repeat(names.indices.to_numpy(), np.diff(first, append=len(start)))
            return pa.DictionaryArray.from_arrays(pa.array(codes), names.dictionary)
        if not pa.types.is_floating(kind):
            return _texts(content, start, stop).cast(kind)
        values, hard = _short_decimals(content, start, stop, _POWERS)
        if len(hard):
            texts = _texts(content, start[hard], stop[hard]).cast(pa.string())
            values[hard] = texts.cast(pa.float64()).to_numpy()
        return pa.array(values) if np.isfinite(values[hard]).all() else None
    except pa.ArrowInvalid:
        return None


def _texts(content: np.ndarray, start: np.ndarray, stop: np.ndarray) -> pa.ChunkedArray:
    """Fields, undecoded."""
    rows = np.searchsorted(start, np.arange(_PART, len(content), _PART))
    parts = [
        pa.Array.from_buffers(pa.binary(), len(begin), [None, *map(pa.py_buffer, buffers)])
        for begin, end in zip(np.split(start, rows), np.split(stop, rows), strict=True)
        if (buffers := _gathered(content, begin, end))
    ]
    return pa.chunked_array(parts, pa.binary())


def _converted(raw: Column, kind: pa.DataType) -> pa.Array | pa.ChunkedArray:
    """A column of bytes, the careful way."""
    try:
        text = raw.values.cast(pa.string())
    except pa.ArrowInvalid:
        encoded = raw.values.to_pylist()
        decoded = [value.decode("utf-8", "replace") for value in encoded]
        bad = np.array([text.encode() != one for one, text in zip(encoded, decoded, strict=True)])
        raw.report(bad, lambda row: f"{raw.name} is not UTF-8")
        text = pa.chunked_array([pa.array(decoded, pa.string())])
    if kind == STRING:
        return text.dictionary_encode()
    if kind == pa.string():
        return text
    column = Column(text, raw.line, raw.name.replace("_", " "), raw.problems)
    values = column.numbers(kind, levels=column.name == "grade")
    if pa.types.is_floating(kind):  # infinite, though the text does not say so
        says_so = pc.match_substring(pc.utf8_lower(text), "inf")
        huge = pc.and_(pc.is_inf(values), pc.invert(says_so)).fill_null(False)
        column.report(
            huge.to_numpy(zero_copy_only=False),
            lambda row: f"{column.name} {text[row].as_py()!r} is beyond what a number can hold",
        )
    return values


@njit(cache=True, nogil=True)
def _fields(content, roles, every_separator, places, line, count, bounds):
    """Find the fields of all lines.

    `roles` says of every byte whether it is `_INSIDE` a field, a `_SEPARATOR` or a `_LINE_END`;
    with `every_separator` a field, if only an empty one, is on both sides of each.  Fills `line`
    and `count`, of every line that is not blank, with its number and how many fields it has, and
    `bounds`, of every line with as many as `places`, with where the fields that have a place start
    and stop.  Returns how many lines there are of both kinds.
    """
    rows = size = start = fields = 0
    number = 1
    ends = np.empty(_BLOCK + 1, np.int64)
    for first in range(0, content.size, _BLOCK):
        last = min(first + _BLOCK, content.size)
        # most bytes end nothing, and are passed over without a branch
        n = 0
        for position in range(first, last):
            ends[n] = position
            n += content[position] <= _HIGHEST_END
        if last == content.size:
            ends[n] = last
            n += 1
        for position in ends[:n]:
            role = roles[content[position]] if position < content.size else _LINE_END
            if role == _INSIDE:
                continue
            if position > start or (every_separator and (fields or role == _SEPARATOR)):
                if fields < places.size and places[fields] >= 0:
                    bounds[places[fields], 0, size] = start
                    bounds[places[fields], 1, size] = position
                fields += 1
            if role == _LINE_END:
                if fields:
                    line[rows] = number
                    count[rows] = fields
                    rows += 1
                    size += fields == places.size
                    fields = 0
                # of the two of \r\n the second ends nothing
                is_second = 0 < position < content.size and content[position] == _NEWLINE
                number += not (is_second and content[position - 1] == _RETURN)
            start = position + 1
    return rows, size


@njit(cache=True, nogil=True)
def _integers(content, start, stop):
    """(n,) int32, and whether all fields are up to nine digits and nothing else."""
    values = np.empty(start.size, np.int32)
    for i in range(start.size):
        if stop[i] - start[i] > 9:
            return values, False
        value = 0
        for position in range(start[i], stop[i]):
            byte = content[position]
            if not _ZERO <= byte <= _NINE:
                return values, False
            value = value * 10 + (byte - _ZERO)
        values[i] = value
    return values, True


@njit(cache=True, nogil=True)
def _short_decimals(content, start, stop, powers):
    """(n,) float64, but for the fields, by number, that are not digits, point and sign, or long.

    An integer and a power of ten that a float64 holds exactly have the quotient that is nearest to
    the decimal, as Python's `float` has.
    """
    values = np.empty(start.size)
    others = np.empty(start.size, np.int64)
    n = 0
    for i in range(start.size):
        position = start[i]
        is_negative = content[position] == _MINUS
        position += is_negative
        mantissa = digits = leading = behind = 0
        is_behind = False
        while position < stop[i]:
            byte = content[position]
            if _ZERO <= byte <= _NINE:
                mantissa = mantissa * 10 + (byte - _ZERO)
                digits += 1
                leading += mantissa == 0
                behind += is_behind
            elif byte == _POINT and not is_behind:
                is_behind = True
            else:
                break
            position += 1
        if position < stop[i] or not 0 < digits <= _DIGITS + leading or behind >= powers.size:
            others[n] = i
            n += 1
            continue
        value = mantissa / powers[behind]
        values[i] = -value if is_negative else value
    return values, others[:n].copy()


@njit(cache=True, nogil=True)
def _changes(content, start, stop):
    """The fields, by number, that differ from the one before; the first too."""
    changes = np.empty(start.size, np.int64)
    n = 0
    for i in range(start.size):
        is_same = i > 0 and stop[i] - start[i] == stop[i - 1] - start[i - 1]
        offset = 0
        while is_same and start[i] + offset < stop[i]:
            is_same = content[start[i] + offset] == content[start[i - 1] + offset]
            offset += 1
        if not is_same:
            changes[n] = i
            n += 1
    return changes[:n].copy()


@njit(cache=True, nogil=True)
def _gathered(content, start, stop):
    """Where each field ends in the bytes of all, (n + 1,) int32, and these."""
    offsets = np.zeros(start.size + 1, np.int32)
    for i in range(start.size):
        offsets[i + 1] = offsets[i] + (stop[i] - start[i])
    gathered = np.empty(offsets[-1], np.uint8)
    for i in range(start.size):
        source, end, target = np.uint64(start[i]), np.uint64(stop[i]), np.uint64(offsets[i])
        while source + _WORD <= end:
            eight = word(content, source)
            for k in range(8):
                gathered[target + np.uint64(k)] = np.uint8(eight >> np.uint64(8 * k))
            source += _WORD
            target += _WORD
        while source < end:
            gathered[target] = content[source]
            source += _ONE
            target += _ONE
    return offsets, gathered


@njit(cache=False, nogil=True)
def word(text, position):
    """Eight bytes from a position, a uint64, on: one load, as an unsigned index cannot wrap."""
    read = np.uint64(0)
    for k in range(8):
        read |= np.uint64(text[position + np.uint64(k)]) << np.uint64(8 * k)
    return read
