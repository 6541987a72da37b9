"""The Arrow schemas of tables, made from the catalogue."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from regrade.catalogue import CUT_COLUMNS, TABLES, Column
from regrade.errors import ParameterError

STRING = pa.dictionary(pa.int32(), pa.string())

MAX_DOUBLES = 20_000_000
"""Values of a table with one row per cut that are kept as doubles; more, as single floats."""

PER_CUT = tuple(
    path for path, table in TABLES.items() if any(c.is_named_by_data for c in table.columns)
)
"""Tables with one row per cut, whose columns the data name."""


def _field(column: Column, name: str = "", kind: pa.DataType | None = None) -> pa.Field:
    """A column as a field that says what it holds."""
    own = STRING if column.type == "string" else pa.type_for_alias(column.type)
    meaning = f"{column.meaning} [{column.unit}]" if column.unit else column.meaning
    return pa.field(name or column.name, kind or own, column.nullable, {"description": meaning})


_NAME = b"table"
"""Of the catalogue's name for a table, in the metadata of its schema."""

SCHEMAS: dict[str, pa.Schema] = {
    path: pa.schema([_field(column) for column in table.columns], {_NAME: path})
    for path, table in TABLES.items()
    if path not in PER_CUT
}
"""Every table's schema by the table's path, but for those in `PER_CUT`."""


def per_cut_schema(path: str, levels: int, names: Sequence[str], cuts: int = 0) -> pa.Schema:
    """Schema of a table with one row per cut: thresholds, columns that the data name, the rest."""
    columns = TABLES[path].columns
    reserved = {column.name for column in columns} & set(names)
    if reserved:
        raise ParameterError(
            f"a topic may not be called {', '.join(sorted(reserved))}: "
            "tables with one row per cut use that name for a column; rename the topic"
        )
    value = pa.float32() if cuts * len(names) > MAX_DOUBLES else pa.float64()
    fields = []
    for column in columns:
        if column.is_named_by_data:
            fields += [_field(column, name, value) for name in names]
        elif column.name not in CUT_COLUMNS[levels - 1 :]:
            fields.append(_field(column))
    return pa.schema(fields, {_NAME: path})


def table_of(schema: pa.Schema) -> str:
    """The catalogue's name of the table that a schema is of; empty where it is of none."""
    return (schema.metadata or {}).get(_NAME, b"").decode()


def schema_of_cuts(path: str, columns: Sequence[str], rows: int) -> pa.Schema:
    """The schema of a table with one row per cut that has these columns."""
    own = {column.name for column in TABLES[path].columns}
    levels = 1 + len(own.intersection(CUT_COLUMNS, columns))
    return per_cut_schema(path, levels, [name for name in columns if name not in own], rows)


def fits_per_cut(schema: pa.Schema, path: str) -> bool:
    """Whether a schema is one that `per_cut_schema` gives for a table."""
    own = {column.name for column in TABLES[path].columns}
    names = [name for name in schema.names if name not in own]
    levels = 1 + len(own.intersection(CUT_COLUMNS, schema.names))
    # a few cuts, or so many that values are single floats
    wanted = [per_cut_schema(path, levels, names, cuts) for cuts in (0, MAX_DOUBLES + 1)]
    return levels > 1 and any(schema.equals(form, check_metadata=False) for form in wanted)
