"""Tables of one kind, of several collections or items, as one that says of which each row is."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import pyarrow as pa

from regrade.catalogue.arrow import SCHEMAS, STRING
from regrade.tables import read_row_groups, table_writer


def join_tables(
    files: Sequence[str | os.PathLike],
    labels: Mapping[str, Sequence[str]],
    schema: str,
    path: str | os.PathLike,
    parameters: Mapping[str, object] | None = None,
) -> int:
    """Write the rows of tables one after the other, with columns that say of which table they are.

    Tables are read and written part by part, so they may be larger than the memory.

    Parameters
    ----------
    files
        The tables, all of one schema.
    labels
        Of each further column, which comes before the others, its value for each file.
    schema
        Their path in the catalogue.
    path
        Where the joined table goes.
    parameters
        For its provenance.

    Returns
    -------
    The number of rows.

    Raises
    ------
    InputError
        If a file is not such a table.
    """
    first = [
        pa.field(name, STRING, False, {"description": f"{name} whose table the row is of"})
        for name in labels
    ]
    joined = pa.schema([*first, *SCHEMAS[schema]], SCHEMAS[schema].metadata)
    rows = 0
    with table_writer(path, joined, parameters) as write:
        for number, file in enumerate(files):
            for part in read_row_groups(file, schema):
                own = [
                    pa.repeat(values[number], len(part)).dictionary_encode()
                    for values in labels.values()
                ]
                write(pa.table([*own, *part.columns], names=joined.names))
                rows += len(part)
    return rows
