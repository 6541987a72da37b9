"""One set from several files, one file for each judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike

import pyarrow as pa

from regrade.errors import InputError
from regrade.readers.rows import all_or_errors


def read_panel(
    read: Callable[..., pa.Table], files: Mapping[str, str | PathLike], **options
) -> pa.Table:
    """Read the file of each judge, as if one file named them all."""

    def read_one(worker: str, path: str | PathLike) -> pa.Table | InputError:
        try:
            return read(path, worker=worker, **options)
        except InputError as error:
            return error

    tables = all_or_errors([read_one(*item) for item in files.items()])
    plain = [table.cast(_plain(table.schema)) for table in tables]
    everything = pa.concat_tables(plain)
    order = [(name, "ascending") for name in everything.column_names]
    return everything.sort_by(order).cast(tables[0].schema)


def _plain(schema: pa.Schema) -> pa.Schema:
    """The schema with text in place of codes, each table's own."""
    return pa.schema(
        [
            field.with_type(pa.string()) if pa.types.is_dictionary(field.type) else field
            for field in schema
        ]
    )
