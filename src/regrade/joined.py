"""Tables of one kind, of several collections or items, as one that says of which each row is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import pyarrow as pa

from regrade.catalogue.arrow import SCHEMAS, STRING
from regrade.tables import atomic_path, conform, read_row_groups, table_writer
from regrade.wording import as_text

ROWS = 1 << 19
"""Rows that are written together, at least."""


def join_tables(
    files: Sequence[str | os.PathLike],
    labels: Mapping[str, Sequence[object]],
    schema: str,
    path: str | os.PathLike,
    parameters: Mapping[str, object] | None = None,
    csv: str | os.PathLike | None = None,
) -> int:
    """Write the rows of tables one after the other, with columns that say of which table they are.

    Tables are read and written part by part, so they may be larger than the memory.

    Parameters
    ----------
    files
        The tables, all of one schema.
    labels
        Of each further column, which comes before the others, its value for each file. Numbers, and
        truth values, stay what they are; all else is text.
    schema
        Their path in the catalogue.
    path
        Where the joined table goes.
    parameters
        For its provenance.
    csv
        Where the same goes as CSV, if anywhere.

    Returns
    -------
    The number of rows.

    Raises
    ------
    InputError
        If a file is not such a table.
    """
    joined = joined_schema(schema, labels)
    rows = 0
    with table_writer(path, joined, parameters) as write, _csv_writer(csv, joined) as write_csv:
        for part in _parts(files, labels, schema, joined):
            write(conform(part, joined, path))
            write_csv(part)
            rows += len(part)
    return rows


def joined_schema(schema: str, labels: Mapping[str, Sequence[object]]) -> pa.Schema:
    """The schema of a joined table."""
    first = [
        pa.field(
            name,
            _kind(values),
            nullable=None in values,
            metadata={"description": f"{name} whose table the row is of"},
        )
        for name, values in labels.items()
    ]
    return pa.schema([*first, *SCHEMAS[schema]], SCHEMAS[schema].metadata)


def _kind(values: Sequence[object]) -> pa.DataType:
    """The type of a column of labels; nulls are of any."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return pa.bool_()
    if kinds == {int}:
        return pa.int64()
    return pa.float64() if kinds and kinds <= {int, float} else STRING


def _parts(
    files: Sequence[str | os.PathLike],
    labels: Mapping[str, Sequence[object]],
    schema: str,
    joined: pa.Schema,
) -> Iterator[pa.Table]:
    """`ROWS` rows or more, but for the last ones."""
    waiting, rows = [], 0
    for number, file in enumerate(files):
        for part in read_row_groups(file, schema):
            own = [
                _repeated(values[number], joined.field(name).type, len(part))
                for name, values in labels.items()
            ]
            waiting.append(pa.table([*own, *part.columns], names=joined.names))
            rows += len(part)
            if rows >= ROWS:
                yield pa.concat_tables(waiting)
                waiting, rows = [], 0
    if rows:
        yield pa.concat_tables(waiting)


def _repeated(value: object, kind: pa.DataType, rows: int) -> pa.Array:
    """A column of one value; texts are put into their dictionary with those of others."""
    is_text = pa.types.is_dictionary(kind)
    value = as_text(value) if is_text and value is not None else value
    return pa.repeat(pa.scalar(value, pa.string() if is_text else kind), rows)


@contextmanager
def _csv_writer(
    path: str | os.PathLike | None, schema: pa.Schema
) -> Iterator[Callable[[pa.Table], None]]:
    """Write a table as CSV, part by part, as `regrade.tables.write_csv` does; or nothing."""
    if path is None:
        yield lambda part: None
        return
    with (
        atomic_path(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        file.write(f"{','.join(schema.names)}\n")
        how = {"index": False, "header": False, "float_format": "%.12g", "lineterminator": "\n"}
        yield lambda part: part.to_pandas().to_csv(file, **how)
