"""Files that name their columns (TSV, CSV, JSON, Parquet, workbooks of Excel), as columns of text.

Each reader takes the columns that must be there and what takes a file's problems, and returns every
column, missing values as empty texts, and the number of each row's (first) line.
"""

from __future__ import annotations

import csv
import io
import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain
from os import PathLike
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from regrade.errors import InputError, did_you_mean
from regrade.readers.encodings import read_bytes, read_text, read_utf8
from regrade.readers.lines import Problems, columns_of_lines, is_number, quoted
from regrade.readers.shapes import flattened
from regrade.wording import first_few

log = logging.getLogger(__name__)

_DECIMAL = re.compile(r"\s*(?:[+-]?[0-9]+(?:,[0-9]+)?(?:[eE][+-]?[0-9]+)?|NA|NaN|)\s*")
"""A number with a decimal comma, if not with a point; or none."""
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
"""A whole number with points between thousands, where it is no number with decimals."""
_ARRAY = re.compile(rb"\s*\[\s*\{")
"""The beginning of an array of objects in JSON."""
_OF_EXCEL = re.compile(r"#(N/A|REF!|VALUE!|DIV/0!|NAME\?|NUM!|NULL!)")
"""What a cell shows whose formula failed."""
_HALF = re.compile("[\ud800-\udfff]")
"""Half of a character, which is none by itself."""


def _check_header(
    problems: Problems, line: int | None, names: list[str], required: Sequence[str], mark: str = ""
) -> None:
    """Refuse names of columns of which one is missing, or stands twice."""
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    reasons = [
        f"column '{name}' is missing{did_you_mean(name, names)}"
        for name in required
        if name not in names
    ]
    reasons += [f"two columns are named '{name}'" for name in repeated]
    if reasons:
        wanted = f": {', '.join(required)}" if required else ""
        remedy = f"The first line names the columns, separated by {mark}{wanted}."
        wrong = [(line, reason) for reason in reasons]
        raise InputError(problems.path, wrong, remedy if mark else "")


def tab_separated(
    required: Sequence[str], problems: Problems, names: Sequence[str] | None = None
) -> tuple[pa.Table, np.ndarray]:
    """Read a TSV with a header line; `names` are the columns of one that does not name them."""
    data = read_text(problems.path)
    first = re.search(rb"[^\r\n]+", data)
    header_line = len(data[: first.start()].splitlines()) + 1
    if names is None:
        header = first.group().decode("utf-8", "replace").split("\t")
        names = [name.strip() for name in header]
        _check_header(problems, header_line, names, required, "tabs")
    # blank lines in place of the header keep the numbers of the others
    data = b"\n" * (header_line - 1) + data[first.end() :]
    table = columns_of_lines(data, dict.fromkeys(names, pa.string()), "tabs", problems)
    return table.drop_columns("line"), table["line"].to_numpy()


def comma_separated(required: Sequence[str], problems: Problems) -> tuple[pa.Table, np.ndarray]:
    """Read a CSV with a header line.

    Quoted values may hold commas and line ends.  Columns may be separated by semicolons, where
    numbers have decimal commas; one that has points too is a problem to whoever reads it, as are
    points that may part thousands.
    """
    table = _plain_commas(read_text(problems.path))
    if table is not None:
        _check_header(problems, 1, table.column_names, required, "commas")
        return table, np.arange(2, len(table) + 2, dtype=np.int32)
    text = read_utf8(problems.path)
    first = text.lstrip().partition("\n")[0]
    mark = ";" if first.count(";") > first.count(",") else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
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
                _check_header(problems, line, names, required, "commas")
            elif len(row) == len(names):
                rows.append(row)
                lines.append(line)
            else:
                wrong.append((line, row))
    except csv.Error as error:
        raise InputError(problems.path, [(before + 1, f"is not a CSV file: {error}")]) from error
    reasons = (
        f"has {len(row)} columns where the header has {len(names)}"
        + (f": put fields that hold {mark!r} in quotes" if len(row) > len(names) else "")
        + f": {quoted(mark.join(row))} under {quoted(mark.join(names))}"
        for _, row in wrong
    )
    problems.add([line for line, _ in wrong], reasons)
    columns = dict(zip(names, zip(*rows, strict=True) if rows else ((),) * len(names), strict=True))
    if mark == ";":
        columns = {n: _with_points(column, n, lines, problems) for n, column in columns.items()}
    return _text_table(columns), np.array(lines, dtype=np.int32)


def _plain_commas(data: bytes) -> pa.Table | None:
    """Columns of a CSV as most are: commas, quotes around whole fields, a row in each line.

    ``None`` of others.
    """
    data = data.replace(b"\r\n", b"\n")
    first, _, rest = data.partition(b"\n")
    header = first.decode("utf-8", "replace")
    has_commas = header.count(",") >= max(1, header.count(";"))
    if not has_commas or not rest.strip() or b"\r" in data or "\ufffd" in header:
        return None
    quotes = data.count(b'"')
    if quotes and quotes != _around_fields(data):
        return None
    names = [name.strip() for name in next(csv.reader([header]))]
    if len({*names}) < len(names):
        return None
    read, parse, convert = pa.csv.ReadOptions, pa.csv.ParseOptions, pa.csv.ConvertOptions
    try:
        table = pa.csv.read_csv(
            pa.py_buffer(data),
            read(column_names=names, skip_rows=1, block_size=_PART),
            parse(quote_char='"' if quotes else False),
            convert(column_types=dict.fromkeys(names, pa.string()), null_values=[]),
        )
    except pa.ArrowInvalid:  # said by the careful way
        return None
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    return table if len(table) == lines - 1 else None


def _around_fields(data: bytes) -> int:
    """How many quotes begin or end a field; fewer than there are where some stand within."""
    begin = data.count(b',"') + data.count(b'\n"') + data.startswith(b'"')
    end = data.count(b'",') + data.count(b'"\n') + data.endswith(b'"')
    return begin + end if begin == end and b'""' not in data else -1


_PART = 1 << 24
"""Bytes of a file that Arrow reads at once."""


def _with_points(
    column: Sequence[str], name: str, lines: Sequence[int], problems: Problems
) -> Sequence[str]:
    """Decimal commas as points, where most of a column's values are such numbers or missing.

    Fewer numbers with a point among them are problems of the column: one or the other is no
    decimal.  So are points in whole numbers alone, of which each may part thousands.
    """
    numeric = [bool(_DECIMAL.fullmatch(text)) for text in column]
    decimals = [text for text, fits in zip(column, numeric, strict=True) if fits]
    n_commas = sum("," in text for text in decimals)
    odd = [row for row, text in enumerate(column) if "." in text and is_number(text)]
    points, lines_of = [column[row] for row in odd], [lines[row] for row in odd]
    is_whole = not n_commas and any(re.search("[0-9]", text) for text in decimals)
    if is_whole and all(map(_THOUSANDS.fullmatch, points)):
        reasons = (
            f"{name} {text!r} may be {text.replace('.', '')} or {text.replace('.', ',')}: write it "
            "so"
            for text in points
        )
        problems.add_of_column(name, lines_of, reasons)
        return column
    if n_commas <= len(odd) or 2 * len(decimals) <= len(column):
        return column
    reason = f"has a decimal point, and {n_commas:,} others a comma"
    problems.add_of_column(name, lines_of, (f"{name} {text!r} {reason}" for text in points))
    return [
        text.replace(",", ".") if fits else text for text, fits in zip(column, numeric, strict=True)
    ]


def _text_table(columns: Mapping[str, Sequence[str]]) -> pa.Table:
    return pa.table({name: pa.array(texts, pa.string()) for name, texts in columns.items()})


# --- JSON -----------------------------------------------------------------------------------------


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
    rows, line = json_objects(path, whole, real)
    rows, line = flattened(path, rows, line.tolist(), asked)
    return rows, np.array(line, dtype=np.int32)


def json_objects(
    path: str | PathLike, whole: Callable[[str], object], real: Callable[[str], object]
) -> tuple[list[dict[str, object]], np.ndarray]:
    """The objects of a file of JSON as they are, and the line of each."""
    rows, lines, problems = [], [], []
    reading = {"object_pairs_hook": _once_each, "parse_int": whole, "parse_float": real}
    for number, row in _objects(read_bytes(path), problems, reading):
        if isinstance(row, dict):
            rows.append(row)
            lines.append(number)
        else:
            problems.append((number, "is no JSON object, {…}"))
    if problems:
        remedy = 'Each line is one object: {"topic": …, "docno": …, …}.'
        raise InputError(path, problems, remedy)
    return rows, np.array(lines, dtype=np.int32)


def split_nothing(
    rows: list[dict[str, object]], line: np.ndarray
) -> tuple[list[dict[str, object]], np.ndarray, list[str]]:
    """Rows of documents, and the topics of rows that name a topic and nothing else."""
    has_more = np.array([row.keys() != {"topic"} for row in rows], dtype=bool)
    if has_more.all():
        return rows, line, []
    without = [str(row["topic"]) for row in rows if row.keys() == {"topic"}]
    return [row for row in rows if row.keys() != {"topic"}], line[has_more], without


def json_records(required: Sequence[str], problems: Problems) -> tuple[pa.Table, np.ndarray]:
    """Read JSON lines, or an array: values as they are written; a list or an object is its JSON."""
    read = json_rows(problems.path, str, _without_nothing, required)
    rows, line, without = split_nothing(*read)
    if without:
        log.warning("%s: topics without a document: %s", problems.path, first_few(without))
    names = list(dict.fromkeys(chain.from_iterable(rows)))
    _check_header(problems, None, names, required)
    table = _text_table({name: [_text(row.get(name)) for row in rows] for name in names})
    return table.replace_schema_metadata({WITHOUT: json.dumps(without)} if without else None), line


WITHOUT = b"without"
"""In a table's metadata: topics without a document."""


def without_documents(table: pa.Table) -> list[str]:
    """Topics of JSON that have no document."""
    return json.loads((table.schema.metadata or {}).get(WITHOUT, b"[]"))


def _without_nothing(digits: str) -> str:
    """A number as it is written; whole ones without ``.0``, which pandas puts behind names."""
    return re.sub(r"\.0+$", "", digits)


def _objects(data: bytes, problems: list, reading: Mapping) -> Iterator[tuple[int, object]]:
    """What stands in each line, or in an array, with its number; `problems` take what does not."""
    in_one = is_array(data)
    try:
        row = None if in_one else _alone(data, reading)
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
            row = json.loads(text, **reading)
        except ValueError as error:
            problems.append((number, f"is no JSON: {error}"))
        except RecursionError:
            problems.append((number, "is no JSON that can be read: brackets within brackets"))
        else:
            yield from enumerate(row, 1) if in_one else [(number, row)]


def _alone(data: bytes, reading: Mapping) -> dict | None:
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
        return json.loads(data, **reading)
    except (ValueError, RecursionError) as error:
        # no line of a file of one object a line; of others each line says what is wrong with it
        if first == b"{" and isinstance(error, json.JSONDecodeError):
            raise
        return None


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


# --- Parquet and workbooks ------------------------------------------------------------------------


def read_parquet(path: str | PathLike, *, coded: bool = False) -> pa.Table:
    """A file of Parquet as it is, or with texts as codes, which take less memory."""
    import pyarrow.parquet as pq

    try:
        held = pq.read_schema(path) if coded else []
        texts = [one.name for one in held if pa.types.is_string(one.type)]
        return pq.read_table(path, read_dictionary=texts)
    except (pa.ArrowInvalid, OSError) as error:
        problem = f"cannot be read as Parquet: {error}"
        raise InputError(path, [(None, problem)]) from error


def parquet_records(required: Sequence[str], problems: Problems) -> tuple[pa.Table, np.ndarray]:
    """Read Parquet; lines are the rows' numbers."""
    table, columns = read_parquet(problems.path), {}
    _check_header(problems, None, table.column_names, required)
    for name in table.column_names:
        column = table[name]
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pa.types.is_nested(column.type):
            columns[name] = pa.array([str(one) for one in column.to_pylist()], pa.string())
        else:
            columns[name] = pc.fill_null(decoded(column), "")
    return pa.table(columns), np.arange(1, len(table) + 1, dtype=np.int32)


def decoded(column: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    """A column as text; bytes that are none as Python writes them."""
    try:
        return column.cast(pa.string())
    except pa.ArrowInvalid:
        return pa.array([None if one is None else str(one) for one in column.to_pylist()])


def xlsx_records(required: Sequence[str], problems: Problems) -> tuple[pa.Table, np.ndarray]:
    """Read the first sheet of a workbook that is not empty; its first such row names the columns.

    What a formula shows that failed is a problem.
    """
    path = problems.path
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
    (first, header), *rows = rows
    places = {place: name.strip() for place, name in enumerate(header) if name}
    _check_header(problems, first, [*places.values()], required)
    line = np.array([number for number, _ in rows], dtype=np.int32)
    columns = {
        name: [cells[place] if place < len(cells) else "" for _, cells in rows]
        for place, name in places.items()
    }
    for name, texts in columns.items():
        wrong = [at for at, text in enumerate(texts) if _OF_EXCEL.fullmatch(text)]
        problems.add(line[wrong], (f"{name} is {texts[at]}, an Excel error" for at in wrong))
    return _text_table(columns), line


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
