"""Columns of tables as arrays: what the audits share."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.catalogue.arrow import SCHEMAS

Fact = tuple[str, float, float | None]
"""What a reader wants to know: a name, a value, and of how many where it counts some of many."""


def topics(table: pa.Table) -> set[str]:
    """The topics that a table holds."""
    return set(pc.unique(table["topic"].cast(pa.string())).to_pylist())


def encoded(table: pa.Table, name: str) -> pa.DictionaryArray:
    """A column as one array: a table read from a file has a dictionary per chunk."""
    return table[name].unify_dictionaries().combine_chunks()


def codes(table: pa.Table, name: str) -> np.ndarray:
    """Codes of a dictionary column; -1 where null."""
    return encoded(table, name).indices.fill_null(-1).to_numpy()


def distinct(*codes: np.ndarray) -> int:
    """How many different tuples the columns of codes hold; codes from 0."""
    key = np.zeros(len(codes[0]), dtype=np.int64)
    for column in codes:
        key = key * (int(column.max(initial=0)) + 1) + column
    return len(np.unique(key))


def names_at(table: pa.Table, starts: np.ndarray, *names: str) -> dict[str, pa.Array]:
    """The names that some columns hold at some rows."""
    return {name: encoded(table, name).take(pa.array(starts)) for name in names}


def table_of(schema: str, **columns) -> pa.Table:
    """A table in its schema from arrays or lists by column."""
    fields = SCHEMAS[schema]
    arrays = []
    for field in fields:
        column = columns[field.name]
        column = column if isinstance(column, pa.Array) else pa.array(column)
        arrays.append(column.cast(field.type))
    return pa.table(arrays, schema=fields)


def stacked(schema: str, parts: list[pa.Table]) -> pa.Table:
    """Tables of a schema, one below the other; there may be none."""
    return pa.concat_tables([SCHEMAS[schema].empty_table(), *parts]).unify_dictionaries()
