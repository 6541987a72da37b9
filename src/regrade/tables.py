"""The one way to write and read a table.

Tables are Parquet files: zstd, strings dictionary-encoded, provenance in the
file's metadata, the same bytes for the same content.  They are written to a
temporary file in the same folder and renamed, so a killed job leaves nothing
half-written.
"""

from __future__ import annotations

import json
import logging
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from regrade import __version__, provenance
from regrade.blocks import Blocks
from regrade.catalogue import TABLES
from regrade.catalogue.arrow import PER_CUT, SCHEMAS, fits_per_cut, schema_of_cuts, table_of
from regrade.errors import InputError, ParameterError, StorageError

if TYPE_CHECKING:  # a table of pandas needs pandas, others do not
    import pandas as pd

log = logging.getLogger(__name__)

_UNLABELLED = b"unlabelled"
_WITHOUT_LABELS = "topics without labels"
"""Keys of these topics in the metadata of labels in memory, and in a file's provenance."""


@contextmanager
def atomic_path(path: str | os.PathLike) -> Iterator[Path]:
    """Give a temporary path beside `path`, renamed to it when the block ends well.

    The temporary file is hidden and has the ending of `path`, so that writers which look at it
    agree.  Its name is always the same: what a killed writer left is overwritten by the next.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        temporary.replace(path)
    except OSError as error:
        written = temporary.stat().st_size if temporary.exists() else 0
        temporary.unlink(missing_ok=True)
        full = StorageError.of(error, path, written)
        if full is None:
            raise
        raise StorageError(path, full.problem, written) from error
    finally:
        temporary.unlink(missing_ok=True)


def write_table(
    table: pa.Table | pd.DataFrame | Blocks,
    path: str | os.PathLike,
    schema: str | pa.Schema,
    parameters: Mapping[str, object] | None = None,
) -> None:
    """Write a table atomically, checked against its schema."""
    if schema in PER_CUT:
        table = as_table(table)
        schema = schema_of_cuts(schema, table.column_names, len(table))
    schema = SCHEMAS[schema] if isinstance(schema, str) else schema
    if isinstance(table, Blocks):
        with table_writer(path, schema, parameters) as write:
            for frame in table:
                write(conform(as_table(frame), schema, path))
        return
    table = as_table(table)
    if topics := unlabelled(table):
        parameters = {**(parameters or {}), _WITHOUT_LABELS: list(topics)}
    table = conform(table, schema, path)
    try:
        with table_writer(path, schema, parameters) as write:
            write(table)
    except StorageError as error:
        nowhere = pa.MockOutputStream()
        with pq.ParquetWriter(nowhere, schema, compression="zstd") as writer:
            writer.write_table(table)
        raise StorageError(path, error.problem, error.written, nowhere.size()) from error


def with_unlabelled(labels: pa.Table, topics: Iterable[str]) -> pa.Table:
    """Labels that keep which further topics have none: every system scores 0 there."""
    further = sorted({*topics} - {*pc.unique(labels["topic"].cast(pa.string())).to_pylist()})
    metadata = {k: v for k, v in (labels.schema.metadata or {}).items() if k != _UNLABELLED}
    if further:
        metadata[_UNLABELLED] = json.dumps(further).encode()
    return labels.replace_schema_metadata(metadata or None)


def scored_topics(labels: pa.Table) -> set[str]:
    """Topics of labels, and those that have none, where every system scores 0."""
    return {*pc.unique(labels["topic"].cast(pa.string())).to_pylist(), *unlabelled(labels)}


def unlabelled(labels: pa.Table) -> tuple[str, ...]:
    """Topics of labels that have none; see `with_unlabelled`."""
    return tuple(json.loads((labels.schema.metadata or {}).get(_UNLABELLED, b"[]")))


def as_table(table: pa.Table | pd.DataFrame) -> pa.Table:
    """A table, or a frame as one, or what makes one as answers do."""
    if isinstance(table, pa.Table):
        return table
    frame = table.to_frame() if hasattr(table, "to_frame") else table
    return pa.Table.from_pandas(frame, preserve_index=False)


def as_frame(table: pa.Table | pd.DataFrame) -> pd.DataFrame:
    """A frame, or a table as one."""
    return table.to_pandas() if isinstance(table, pa.Table) else table


def write_tables(
    tables: Mapping[str, pa.Table | pd.DataFrame | Blocks],
    paths: Mapping[str, str | os.PathLike],
    folder: str,
    parameters: Mapping[str, object] | None = None,
) -> None:
    """Write what a stage makes, and log how many rows each table has."""
    for name, table in tables.items():
        log.info("%s: %d rows", name, len(table))
        write_table(table, paths[name], f"{folder}/{name}", parameters)


def write_csv(table: pd.DataFrame, path: str | os.PathLike) -> None:
    """Write a tidy table atomically, numbers to 12 significant digits."""
    with atomic_path(path) as temporary:
        table.to_csv(temporary, index=False, float_format="%.12g", lineterminator="\n")


@contextmanager
def table_writer(
    path: str | os.PathLike,
    schema: str | pa.Schema,
    parameters: Mapping[str, object] | None = None,
    **options: object,
) -> Iterator[Callable[[pa.Table], None]]:
    """Write a table atomically, part by part, for those who cannot hold it whole."""
    schema = SCHEMAS[schema] if isinstance(schema, str) else schema
    table = table_of(schema)
    key = _key(table, schema.names) if table else ()
    about = {"version": __version__, "parameters": dict(parameters or {})}
    about |= provenance.of_file(path, table, key)
    schema = schema.with_metadata({provenance.KEY: json.dumps(about, sort_keys=True)})
    columns = repr([(field.name, str(field.type)) for field in schema]).encode()
    with (
        atomic_path(path) as temporary,
        provenance.HashedFile(temporary, columns) as file,
        pq.ParquetWriter(file, schema, compression="zstd", store_schema=True, **options) as writer,
    ):
        yield lambda part: writer.write_table(part.cast(schema), row_group_size=1 << 20)
        writer.add_key_value_metadata({provenance.CONTENT: file.content.encode()})


def _key(table: str, names: Sequence[str]) -> list[str]:
    """The columns that identify a row, first those that say of which joined table it is."""
    own = TABLES[table]
    first = takewhile(lambda name: name != own.columns[0].name, names)
    return [*first, *(name for name in own.key if name in names)]


def read_table(path: str | os.PathLike, schema: str | None = None, **options) -> pa.Table:
    """Read a table that `write_table` wrote, checked against its schema."""
    try:
        table = pq.read_table(path, **options)
    except (pa.ArrowInvalid, OSError) as error:
        raise _unreadable(path, error) from error
    own = _own_metadata(path, table.schema)
    if not _fits(table.schema, schema, options.get("columns")):
        raise _other_columns(path, table.schema, schema)
    is_labels = table.schema.equals(SCHEMAS["qrels"], check_metadata=False)
    topics = json.loads(own)["parameters"].get(_WITHOUT_LABELS) if is_labels else ()
    return with_unlabelled(table, topics) if topics else table


def read_row_groups(
    path: str | os.PathLike, schema: str, columns: Sequence[str] | None = None
) -> Iterator[pa.Table]:
    """Read a table, or some of its columns, row group by row group, as `read_table` does."""
    with _opened(path) as file:
        if not _fits(file.schema_arrow, schema, None):
            raise _other_columns(path, file.schema_arrow, schema)
        for group in range(file.num_row_groups):
            yield file.read_row_group(group, columns)


def _opened(path: str | os.PathLike) -> pq.ParquetFile:
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise _unreadable(path, error) from error
    _own_metadata(path, file.schema_arrow)
    return file


def _other_columns(path: str | os.PathLike, schema: pa.Schema, name: str | None) -> InputError:
    kind = "no table that regrade knows" if name is None else f"no '{name}' table"
    return InputError(
        path,
        [(None, f"is {kind}: its columns are {schema.names}")],
        "It was written by another version: delete it and run again.",
    )


def _fits(own: pa.Schema, name: str | None, columns: list[str] | None) -> bool:
    """Whether a table, or some of its columns, is of a schema; of any where none is named."""
    if name is None:
        known = any(own.equals(schema, check_metadata=False) for schema in SCHEMAS.values())
        return known or columns is not None or any(fits_per_cut(own, name) for name in PER_CUT)
    if name in PER_CUT:
        return fits_per_cut(own, name)
    wanted = SCHEMAS[name]
    if columns is not None:
        wanted = pa.schema([wanted.field(column) for column in columns])
    return own.equals(wanted, check_metadata=False)


class PerCut:
    """A table with one row per cut that is read as it is asked for: it may be too large to hold.

    Parameters
    ----------
    path
        The file.
    name
        Which of `regrade.catalogue.arrow.PER_CUT` it is.

    Attributes
    ----------
    columns
        The names of its columns.
    """

    def __init__(self, path: str | os.PathLike, name: str):
        self._path = path
        self._file = _opened(path)
        if not fits_per_cut(self._file.schema_arrow, name):
            raise _other_columns(path, self._file.schema_arrow, name)
        self.columns = self._file.schema_arrow.names

    def __getitem__(self, columns: str | list[str]) -> pd.Series | pd.DataFrame:
        """One column, or some."""
        wanted = [columns] if isinstance(columns, str) else columns
        frame = self._file.read(columns=wanted).to_pandas()
        return frame[columns]

    def at(self, cut: Mapping[str, float]) -> pd.DataFrame:
        """The row of a cut, or none: all columns."""
        names = [name for name in cut if name in self.columns]
        rows = pc.field(names[0]) == float(cut[names[0]])
        for name in names[1:]:
            rows &= pc.field(name) == float(cut[name])
        return pq.read_table(self._path, filters=rows).to_pandas()


def read_provenance(path: str | os.PathLike) -> dict:
    """What `write_table` put in the file's metadata: table, version, parameters, inputs."""
    try:
        schema = pq.read_schema(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise _unreadable(path, error) from error
    return json.loads(_own_metadata(path, schema))


def _unreadable(path: str | os.PathLike, error: Exception) -> InputError:
    return InputError(path, [(None, f"cannot be read as Parquet: {error}")])


def _own_metadata(path: str | os.PathLike, schema: pa.Schema) -> bytes:
    """The metadata that only `write_table` writes."""
    metadata = (schema.metadata or {}).get(provenance.KEY)
    if metadata is None:
        raise InputError(
            path,
            [(None, "is Parquet, but no table that regrade wrote")],
            "Delete it and run again.",
        )
    return metadata


def encode(column: pa.ChunkedArray) -> tuple[pa.StringArray, np.ndarray]:
    """Codes of a column of names."""
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    is_coded = pa.types.is_dictionary(column.type)
    column = column.unify_dictionaries() if is_coded else column.dictionary_encode()
    array = column.combine_chunks()
    codes = array.indices.cast(pa.int32()).fill_null(-1).to_numpy()
    values = array.dictionary.cast(pa.string())
    if is_coded:
        is_used = np.zeros(len(values) + 1, dtype=bool)  # one more, at −1, for nulls
        is_used[codes] = True
        used = np.flatnonzero(is_used[:-1])
        # encoded again: a dictionary may hold a name twice, or a null
        encoded = values.take(pa.array(used)).dictionary_encode()
        again = np.full(len(values) + 1, -1, dtype=np.int32)
        again[used] = encoded.indices.fill_null(-1).to_numpy()
        values, codes = encoded.dictionary, again[codes]
    order = pc.sort_indices(values)
    place = np.full(len(order) + 1, -1, dtype=np.int32)
    place[order.to_numpy()] = np.arange(len(order), dtype=np.int32)
    return values.take(order), place[codes]


def label_frame(labels: pa.Table | pd.DataFrame) -> pd.DataFrame:
    """Topic, docno and grade of labels, names as text."""
    names = ["topic", "docno", "grade"]
    frame = labels.select(names).to_pandas() if isinstance(labels, pa.Table) else labels[names]
    return frame.astype({"topic": str, "docno": str})


def string_buffers(strings: pa.StringArray) -> tuple[np.ndarray, np.ndarray]:
    """Where each string starts and ends, (n + 1,) int32, and the bytes of all."""
    _, offsets, text = strings.buffers()
    offsets = np.frombuffer(offsets, np.int32)[strings.offset :][: len(strings) + 1]
    return offsets, np.frombuffer(b"" if text is None else text, np.uint8)


def conform(table: pa.Table, schema: pa.Schema, path: str | os.PathLike) -> pa.Table:
    """The table in its schema, in the one form that equal content has."""
    names = table.column_names
    missing = [name for name in schema.names if name not in names]
    unknown = [name for name in names if name not in schema.names]
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if missing or unknown or repeated:
        raise ParameterError(
            f"{path}: columns missing: {missing}, unknown: {unknown}, repeated: {repeated}"
        )
    columns = []
    for field in schema:
        try:
            column = _column(table.column(field.name), field.type)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise ParameterError(f"{path}: column {field.name}: {error}") from error
        if not field.nullable and column.null_count:
            raise ParameterError(f"{path}: column {field.name} holds {column.null_count} nulls")
        columns.append(column)
    return pa.table(columns, schema=schema)


def _column(column: pa.ChunkedArray, kind: pa.DataType) -> pa.Array:
    """The column as one array, since pages of a file end where chunks do."""
    if pa.types.is_dictionary(kind):
        names, codes = encode(column)
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), names)
    column = column.cast(kind).combine_chunks()
    if pa.types.is_floating(kind):  # NaN is null, as it is where pandas gave the table
        column = pc.if_else(pc.is_nan(column), None, column)
    return column
