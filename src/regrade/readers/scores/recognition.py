"""Whether a file holds scores by item, told by how it begins."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pyarrow as pa

from regrade.errors import InputError, RegradeError
from regrade.readers.encodings import read_bytes, read_head, without_comments
from regrade.readers.formats import ITERATIONS, line_of_total
from regrade.readers.lines import Problems
from regrade.readers.records import json_objects
from regrade.readers.rows import HEADED
from regrade.readers.scores.layouts import (
    Layout,
    are_numbers,
    is_measure,
    layout_of_columns,
    with_names,
)
from regrade.readers.scores.lines import LOOKED_AT, ORDERS, RUN_ID, score_format
from regrade.readers.scores.objects import any_fits
from regrade.readers.scores.parts import (
    ScoreReading,
    columns_of,
    is_nested,
    is_path,
    pandas_columns,
)
from regrade.readers.scores.rows import NO_SCORES, Notation, is_score_or_none
from regrade.readers.shapes import is_shaped
from regrade.readers.sources import files_of, finite, is_list, kind_of
from regrade.readers.spellings import SCORES, called


def refuse_scores(source: object, wanted: str, notation: Notation) -> None:
    """Refuse what holds scores by item where something else is wanted; nothing is said of others.

    Raises
    ------
    InputError
        Of the first file that does.
    """
    files: list[Path] = []
    if is_list(source) and not all(map(is_path, source)):
        return
    if is_path(source) or is_list(source):
        with suppress(RegradeError, OSError):
            files = files_of(source)
    for file in files:
        if holds_scores(file, notation) and (wanted == RUNS or not _has_labels(file)):
            raise InputError(file, [(None, f"holds scores by item, and no {wanted}")], FOR_SCORES)


RUNS = "runs"
"""What no file of scores can be read as."""


def _has_labels(path: Path) -> bool:
    """Whether a file of scores can be read as labels or judgments too, or nearly."""
    try:
        if score_format(path) == "jsonl" and is_shaped(_first_objects(path)[0]):
            return True
        return bool(kind_of(path).kind)
    except (RegradeError, OSError, ValueError, RecursionError):
        return False


FOR_SCORES = (
    "This needs runs and labels, as it looks at documents; scores by item go to rank, "
    "compare-systems, gate, topics, compare, judges and sweep (regrade.read_scores)."
)
"""What to do with scores by item where they cannot serve."""

_OTHERS = ("docno", "left", "right", "winner", "loser", "inclusion")
"""Columns that scores by item have not."""


def holds_scores(path: str | os.PathLike, notation: Notation) -> bool:
    """Whether a file can be read as scores by item, told by how it begins; not if it is broken.

    Some files of evaluation frameworks can be read as judgments too.
    """
    try:
        return _holds(Path(path), notation)
    except (RegradeError, OSError, ValueError, RecursionError):
        return False


def _holds(path: Path, notation: Notation) -> bool:
    format = score_format(path)
    if format == "lines":
        return _are_lines_of_scores(path, notation)
    if format == "jsonl":
        return _are_objects_of_scores(path, notation)
    raw = _beginning(path, format)
    reading = ScoreReading({}, {}, (), notation)
    return _is_table_of_scores(raw, reading, str(path))


def _beginning(path: Path, format: str) -> pa.Table:
    """The first rows of a file with named columns."""
    if format == "parquet":
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as file:
            first = next(file.iter_batches(batch_size=LOOKED_AT), None)
            return pa.Table.from_batches([] if first is None else [first], file.schema_arrow)
    if format == "xlsx":
        return HEADED[format]([], Problems(str(path)))[0]
    lines = read_head(path).decode("utf-8", "replace").lstrip().splitlines()[: LOOKED_AT + 1]
    mark = "\t" if format == "tsv" else ";" if lines[0].count(";") > lines[0].count(",") else ","
    header, *rows = csv.reader(lines, delimiter=mark)
    rows = [row for row in rows if len(row) == len(header)]
    names = [name.strip() for name in header]
    columns = zip(*rows, strict=True) if rows else ((),) * len(names)
    return pa.table({n: pa.array(of, pa.string()) for n, of in zip(names, columns, strict=True)})


_FEWEST = {"topic": 2, "system": 1, "measure": 0, "": 0}
"""Items or systems side by side by which a table is known as scores."""


def _is_table_of_scores(raw: pa.Table, reading: ScoreReading, what: str) -> bool:
    raw = with_names(raw)
    names = raw.column_names
    if not len(raw) or any(_are_others(raw, ours) for ours in _OTHERS):
        return False
    if called(names, "worker") and not called(names, "system", SCORES):
        return False  # judgments of a crowd
    layout = layout_of_columns(raw, what, {}, reading.are_measures)
    if len(layout.across) < _FEWEST[layout.of_across]:
        return False
    is_named = names[0] == "Unnamed: 0" or any(
        called(names, ours, SCORES) for ours in ("topic", "system")
    )
    if not is_named:
        return False
    if not layout.of_across and _may_have_documents(raw, layout):
        return False
    return all(are_numbers(raw[name]) for name in layout.across)


def _are_others(raw: pa.Table, ours: str) -> bool:
    """Whether a column that scores have not is there; `a` and `b` of numbers may be systems."""
    known = {*called(raw.column_names, ours)}
    may_be_systems = known <= {"a", "b"} and all(are_numbers(raw[name]) for name in known)
    return bool(known) and not may_be_systems


def _may_have_documents(raw: pa.Table, layout: Layout) -> bool:
    """Whether rows that repeat an item differ in a column that may be of documents."""
    key = raw.select([*layout.names.values()])
    unused = [n for n in raw.column_names if n not in (*layout.names.values(), *layout.across)]
    texts = [name for name in unused if not are_numbers(raw[name])]
    return bool(texts) and len(key.group_by(key.column_names).aggregate([])) < len(key)


def _are_lines_of_scores(path: Path, notation: Notation) -> bool:
    """Whether lines have a measure that is known, or means over all items among them."""
    head = without_comments(read_head(path)).decode("utf-8", "replace")
    lines = [line.split() for line in head.splitlines()[:_HEAD]]
    lines = [line for line in lines if line]
    size = len(lines[0]) if lines else 0
    if size not in ORDERS or any(line[1] in ITERATIONS for line in lines if len(line) > 1):
        return False
    lines = [line for line in lines if len(line) == size]
    if lines[0][0] == RUN_ID:
        return True
    if not all(is_score_or_none(line[-1]) for line in lines if line[0] != RUN_ID):
        return False
    for order in ORDERS[size]:
        names = {line[order.index("measure")] for line in lines}
        if all(is_measure(name, notation) or name in NO_SCORES for name in names):
            return True
    return bool(line_of_total(without_comments(read_bytes(path))))


_HEAD = 1000
"""Lines by which it is told whether they hold scores."""


def _are_objects_of_scores(path: Path, notation: Notation) -> bool:
    rows = _first_objects(path)
    if any_fits(rows):
        return True
    reading = ScoreReading({}, {}, (), notation)
    if len(rows) == 1 and (columns := pandas_columns(rows[0])):
        return _is_table_of_scores(columns, reading, str(path))
    if len(rows) == 1 and is_nested(rows[0]):
        inner = list(rows[0].values())
        levels = [rows[0], *inner, *(two for one in inner for two in one.values())]
        return any(isinstance(one, Mapping) and one and reading.are_ours(one) for one in levels)
    nested = any(isinstance(one, dict | list) for row in rows for one in row.values())
    return not nested and _is_table_of_scores(columns_of(rows), reading, str(path))


def _first_objects(path: Path) -> list[dict]:
    """The first objects of JSON lines; of other JSON, all."""
    data = read_head(path)
    rows = []
    for line in data.splitlines()[:LOOKED_AT] if data.lstrip().startswith(b"{") else ():
        try:
            rows.append(json.loads(line))
        except ValueError:
            break
    if rows and all(isinstance(row, dict) for row in rows):
        return rows
    return json_objects(path, int, finite)[0]
