"""The Arrow schemas of tables, made from the catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from regrade.catalogue import CUT_COLUMNS, TABLES, Column
from regrade.errors import ParameterError

STRING = pa.dictionary(pa.int32(), pa.string())

MAX_DOUBLES = 20_000_000
"""Values of a table with one row per cut that are kept as doubles; more, as single floats."""


def _field(column: Column, name: str = "", kind: pa.DataType | None = None) -> pa.Field:
    """A column as a field that says what it holds."""
    own = STRING if column.type == "string" else pa.type_for_alias(column.type)
    meaning = f"{column.meaning} [{column.unit}]" if column.unit else column.meaning
    return pa.field(name or column.name, kind or own, column.nullable, {"description": meaning})


_NAME = b"table"
"""Of the catalogue's name for a table, in the metadata of its schema."""


class _Schemas(Mapping[str, pa.Schema]):
    """Schemas by the paths of tables, each made when it is first looked up."""

    def __init__(self) -> None:
        self._made: dict[str, pa.Schema] = {}

    def __getitem__(self, path: str) -> pa.Schema:
        if path not in self._made:
            if is_per_cut(path):
                raise KeyError(path)
            fields = [_field(column) for column in TABLES[path].columns]
            self._made[path] = pa.schema(fields, {_NAME: path})
        return self._made[path]

    def __iter__(self) -> Iterator[str]:
        return (path for path in TABLES if not is_per_cut(path))

    def __len__(self) -> int:
        return len(list(iter(self)))


def is_per_cut(path: str) -> bool:
    """Whether a table has one row per cut, and columns that the data name."""
    return TABLES[path].named_by_data is not None


def per_cut() -> list[str]:
    """The paths of tables with one row per cut."""
    return [path for path in TABLES if is_per_cut(path)]


SCHEMAS = _Schemas()
"""Every table's schema by the table's path, but for those in `per_cut`."""


def is_joined(schema: pa.Schema) -> bool:
    """Whether a schema is one of `regrade.joined.joined_schema`."""
    ends = (pa.schema([*schema][-len(own) :]).equals(own) for own in SCHEMAS.values())
    return schema.names[0] in ("item", "collection") and any(ends)


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
