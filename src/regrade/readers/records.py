"""Files of records (JSON, Parquet, workbooks of Excel) as columns of text."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain
from os import PathLike
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from regrade.errors import InputError
from regrade.readers.encodings import read_bytes
from regrade.readers.lines import Problems, check_header
from regrade.readers.shapes import flattened

_ARRAY = re.compile(rb"\s*\[\s*\{")
"""The beginning of an array of objects in JSON."""

_OF_EXCEL = re.compile(r"#(N/A|REF!|VALUE!|DIV/0!|NAME\?|NUM!|NULL!)")
"""What a cell shows whose formula failed."""

_HALF = re.compile("[\ud800-\udfff]")
"""Half of a character, which is none by itself."""


def is_array(data: bytes) -> bool:
    """Whether the beginning of a file is that of an array of objects in JSON."""
    return _ARRAY.match(data) is not None


def json_rows(
    path: str | PathLike,
    whole: Callable[[str], object],
    real: Callable[[str], object],
    asked: Collection[str] = (),
) -> tuple[list[dict[str, object]], np.ndarray]:
    """The objects of a file of JSON: one in each line, one array of them, or one object alone.

    Objects within objects are rows where their shape is known (`regrade.readers.shapes`).
    """
    data, rows, lines, problems = read_bytes(path), [], [], []
    for number, row in _objects(data, problems, whole, real):
        if isinstance(row, dict):
            rows.append(row)
            lines.append(number)
        else:
            problems.append((number, "is no JSON object, {…}"))
    if problems:
        remedy = 'Each line is one object: {"topic": …, "docno": …, …}.'
        raise InputError(path, problems, remedy)
    rows, lines = flattened(path, rows, lines, asked)
    return rows, np.array(lines, dtype=np.int32)


def json_records(
    path: str | PathLike, required: Sequence[str], problems: Problems
) -> tuple[pa.Table, np.ndarray]:
    """Read JSON lines, or an array: every column as text, as it is written, and the lines.

    What is missing or null is an empty text; a list or an object is its JSON.
    """
    rows, line = json_rows(path, str, str, required)
    names = list(dict.fromkeys(chain.from_iterable(rows)))
    check_header(path, None, names, required)
    columns = {
        name: pa.array([_text(row.get(name)) for row in rows], pa.string()) for name in names
    }
    return pa.table(columns), line


def parquet_records(
    path: str | PathLike, required: Sequence[str], problems: Problems
) -> tuple[pa.Table, np.ndarray]:
    """Read Parquet: every column as text, and the rows' numbers; null is an empty text."""
    table = read_parquet(path)
    check_header(path, None, table.column_names, required)
    columns = {name: _texts(table[name]) for name in table.column_names}
    return pa.table(columns), np.arange(1, len(table) + 1, dtype=np.int32)


def read_parquet(path: str | PathLike) -> pa.Table:
    """A file of Parquet as it is."""
    try:
        return pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        problem = f"cannot be read as Parquet: {error}"
        raise InputError(path, [(None, problem)]) from error


def xlsx_records(
    path: str | PathLike, required: Sequence[str], problems: Problems
) -> tuple[pa.Table, np.ndarray]:
    """Read the first sheet of a workbook that is not empty: every column as text, and the rows.

    The first row that is not empty names the columns; a blank cell is an empty text.
    """
    try:
        import openpyxl
    except ImportError as error:
        reason = "is a workbook of Excel, and openpyxl, which reads it, is not installed"
        remedy = "pip install regrade[xlsx], or save the sheet as CSV."
        raise InputError(path, [(None, reason)], remedy) from error
    try:
        with Path(path).open("rb") as file:  # of a path openpyxl would check the ending
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            sheets = [_cells(sheet) for sheet in book.worksheets]
    except Exception as error:  # of a file that is none, openpyxl raises many kinds
        reason = f"cannot be read as a workbook of Excel: {error}"
        raise InputError(path, [(None, reason)]) from error
    rows = next(filter(None, sheets), [])
    if not rows:
        raise InputError(path, [(None, "is empty")])
    first, names = rows[0]
    used = [place for place, name in enumerate(names) if name]
    names = [names[place].strip() for place in used]
    check_header(path, first, names, required)
    line = np.array([number for number, _ in rows[1:]], dtype=np.int32)
    cells = [row for _, row in rows[1:]]
    columns = {
        name: [row[place] if place < len(row) else "" for row in cells]
        for name, place in zip(names, used, strict=True)
    }
    for name, texts in columns.items():
        wrong = [at for at, text in enumerate(texts) if _OF_EXCEL.fullmatch(text)]
        problems.add(line[wrong], (f"{name} is {texts[at]}, an error of Excel" for at in wrong))
    return pa.table({name: pa.array(texts, pa.string()) for name, texts in columns.items()}), line


def _cells(sheet) -> list[tuple[int, list[str]]]:
    """The rows of a sheet that are not empty, with their numbers; cells as text."""
    rows = enumerate(sheet.iter_rows(values_only=True), 1)
    rows = ((number, [_of_cell(one) for one in row]) for number, row in rows)
    return [(number, row) for number, row in rows if any(row)]


def _of_cell(value: object) -> str:
    """A cell as text; a whole number has no point."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value).strip()


def _objects(data, problems, whole, real) -> Iterator[tuple[int, object]]:
    """What stands in each line, or in an array, with its number; `problems` take what does not."""
    in_one = is_array(data)
    try:
        row = None if in_one else _alone(data, whole, real)
    except json.JSONDecodeError as error:
        problems.append((error.lineno, f"is no JSON: {error.msg} (column {error.colno})"))
        return
    if row is not None:
        yield 1, row
        return
    for number, text in [(1, data)] if in_one else enumerate(data.splitlines(), 1):
        if not text.strip():
            continue
        try:
            row = json.loads(
                text, object_pairs_hook=_once_each, parse_int=whole, parse_float=real
            )  # fmt: skip
        except ValueError as error:
            problems.append((number, f"is no JSON: {error}"))
        except RecursionError:
            problems.append((number, "is no JSON that can be read: brackets within brackets"))
        else:
            yield from enumerate(row, 1) if in_one else [(number, row)]


def _alone(data: bytes, whole, real) -> dict | None:
    """The object that a file is, over several lines."""
    first = data.strip().partition(b"\n")[0].strip()
    if not first.startswith(b"{") or b"\n" not in data.strip():
        return None
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        pass
    else:
        return None  # the first of many
    try:
        row = json.loads(data, object_pairs_hook=_once_each, parse_int=whole, parse_float=real)
    except json.JSONDecodeError:
        if first == b"{":  # no line of a file of one object a line
            raise
        return None  # each line says what is wrong with it
    except (ValueError, RecursionError):
        return None
    return row


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object of JSON; `json` would keep the last of equal keys."""
    for name, count in Counter(name for name, _ in pairs).items():
        if count > 1:
            raise ValueError(f'it has "{name}" twice')
        if _HALF.search(name):
            raise ValueError(f"{name!a} holds half a character (a surrogate)")
    for name, value in pairs:
        if isinstance(value, str) and _HALF.search(value):
            raise ValueError(f"{name}: {value!a} holds half a character (a surrogate)")
    return dict(pairs)


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _texts(column: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
        return pa.array([_text(str(one)) for one in column.to_pylist()], pa.string())
    return pc.fill_null(column.cast(pa.string()), "")
