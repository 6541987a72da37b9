"""What a file of results says of itself, read back: which table it is, and what made it."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from regrade.catalogue import TABLES, Column, Table
from regrade.catalogue.dictionary import in_full
from regrade.errors import InputError, ParameterError, RegradeError, near_files
from regrade.provenance import CONTENT, KEY
from regrade.wording import counted, first_few

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class TableFile:
    """What a table's file says of itself.

    Attributes
    ----------
    path
        The file.
    table, sentence
        The table's name in the catalogue and what it holds; empty where the file does not say.
    collection, item
        Of what collection, and which one of the table's files it is there.
    rows
        How many.
    key
        The columns that identify a row.
    columns
        In order; those that the data name are one.
    named_by_data
        The names of those.
    version, code
        Of the package, and the hash of the job's code.
    content
        The hash of everything but these notes.
    inputs
        What it was made of: by the input's name, each file and the hash of its content.
    parameters
        What its job was told.
    """

    path: str
    table: str
    sentence: str
    collection: str
    item: str
    rows: int
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    named_by_data: tuple[str, ...]
    version: str
    code: str
    content: str
    inputs: Mapping[str, Mapping[str, str]]
    parameters: Mapping[str, object]

    @classmethod
    def read(cls, path: str | os.PathLike) -> TableFile:
        """Read the notes of a file, and no row of it; raises `InputError` for other files."""
        try:
            with pq.ParquetFile(path) as file:
                metadata, schema = file.metadata, file.schema_arrow
        except (pa.ArrowInvalid, OSError) as error:
            remedy = _REMEDY if str(path).endswith(".parquet") else _LOOK
            raise InputError(
                path, [(None, f"cannot be read as Parquet: {error}")], remedy
            ) from error
        notes = metadata.metadata or {}
        if KEY not in notes:
            raise InputError(path, [(None, "is Parquet, but no table that regrade wrote")], _LOOK)
        about = json.loads(notes[KEY])
        name = about.get("table", "")
        columns, named = _columns(schema, TABLES.get(name))
        return cls(
            path=str(path),
            table=name,
            sentence=TABLES[name].sentence if name in TABLES else "",
            collection=about.get("collection", ""),
            item=about.get("item", ""),
            rows=metadata.num_rows,
            key=tuple(about.get("key", ())),
            columns=columns,
            named_by_data=named,
            version=about["version"],
            code=about.get("code", ""),
            content=notes.get(CONTENT, b"").decode(),
            inputs=about.get("inputs", {}),
            parameters=about["parameters"],
        )

    @property
    def line(self) -> str:
        """The file in a line: what it is and how long."""
        what = self.sentence or "a table that does not say which one it is"
        return f"{self.path}: {counted(self.rows, 'row')}; {what}"

    def __str__(self) -> str:
        """All of it, in lines."""
        code = f" (code {self.code})" if self.code else ""
        facts = {
            "table": self.table,
            "collection": self.collection,
            "item": self.item,
            "rows": f"{self.rows:,}"
            + (f", one for each {', '.join(self.key)}" if self.key else ""),
            "made by": f"regrade {self.version}{code}",
            "content": self.content,
        }
        lines = [f"{name:<10}  {value}" for name, value in facts.items() if value]
        for title, entries in (("inputs", self._inputs), ("parameters", self._parameters)):
            for number, entry in enumerate(entries):
                lines.append(f"{'' if number else title:<10}  {entry}")
        if self.named_by_data:
            several = f"{counted(len(self.named_by_data), 'column')}: "
            pattern = next(c.name for c in self.columns if c.is_named_by_data)
            lines.append(f"{pattern:<10}  {several}{first_few(self.named_by_data, _NAMES)}")
        if not self.table:
            lines.append(_OLD)
        own = Table(self.path, self.sentence or "columns", "", self.key, self.columns)
        head, _, columns = in_full(own).partition("\n")
        return f"{head}\n{indent(chr(10).join(lines), '  ')}\n\n{columns}"

    @property
    def _inputs(self) -> list[str]:
        return [
            f"{name}: {file} ({content})"
            for name, files in self.inputs.items()
            for file, content in files.items()
        ]

    @property
    def _parameters(self) -> list[str]:
        return [
            f"{name}: {json.dumps(value, ensure_ascii=False)}"
            for name, value in self.parameters.items()
        ]

    def to_dict(self) -> dict:
        """All of it, as JSON has it."""
        return asdict(self)


_REMEDY = "Delete it and run again."
_LOOK = "`regrade look FILE` says what files of other kinds hold."
_OLD = (
    "note        the file does not say which table it is: regrade wrote it before its tables did,\n"
    "            or it is a store of jobs; `regrade run CONFIG -f FILE` makes it anew"
)
_NAMES = 8
"""So many names of columns are listed."""


def _columns(schema: pa.Schema, table: Table | None) -> tuple[tuple[Column, ...], tuple[str, ...]]:
    """The columns of a file, with their meaning; and the names of those that the data name."""
    known = {column.name: column for column in table.columns} if table else {}
    pattern = table.named_by_data if table else None
    columns, named = {}, []
    for field in schema:
        is_text = pa.types.is_dictionary(field.type)
        kind = "string" if is_text else str(field.type).replace("double", "float64")
        kind = {"float": "float32"}.get(kind, kind)
        column = known.get(field.name)
        if column is None and pattern is not None:
            column = pattern
            named.append(field.name)
        meaning = (field.metadata or {}).get(b"description", b"").decode()
        name, unit = field.name, ""
        if column is not None:
            name, unit, meaning = column.name, column.unit, column.meaning
        columns.setdefault(name, Column(name, kind, field.nullable, unit, meaning))
    return tuple(columns.values()), tuple(named)


def files_of(name: str) -> list[Path]:
    """The files that a path, a folder or a pattern names; raises `ParameterError` for none."""
    path = Path(name).expanduser()
    if path.is_dir():
        files = [one for one in path.rglob("*.parquet") if not one.name.startswith(".")]
        if not files:
            raise ParameterError(f"{name}: the folder holds no table (*.parquet)")
        return sorted(files)
    if path.exists():
        return [path]
    files = sorted(map(Path, glob.glob(str(path), recursive=True)))  # noqa: PTH207
    if not files:
        near = "" if glob.has_magic(name) else near_files(path)
        raise ParameterError(f"{name}: there is no such file{near}")
    return files


def read_files(names: Iterable[str]) -> tuple[list[TableFile], list[RegradeError]]:
    """What files say of themselves, and what is wrong with the others."""
    tables, problems = [], []
    for path in dict.fromkeys(path for name in names for path in files_of(name)):
        try:
            tables.append(TableFile.read(path))
        except RegradeError as problem:
            problems.append(problem)
    return tables, problems


def read_long(path: str | os.PathLike) -> pd.DataFrame:
    """Read a result table with a column per topic or criterion in long form: a row for each.

    Parameters
    ----------
    path
        A file of ``cuts/alpha``, ``cuts/tau`` or ``cuts/criteria``.

    Returns
    -------
    pandas.DataFrame
        Columns ``collection``, ``item`` (transformation and search), ``method``, ``reference``
        (null without a reference), ``topic`` or ``criterion``, the thresholds, ``value``; in the
        order of the cuts, topic by topic.  ``mean`` and ``n_topics`` are omitted.

    Raises
    ------
    InputError
        If the file is not such a table.
    """
    import numpy as np
    import pandas as pd

    file = TableFile.read(path)
    pattern = TABLES[file.table].named_by_data if file.table in TABLES else None
    if pattern is None:
        reason = f"is no table with a column for each topic: {file.table or 'it does not say'}"
        raise InputError(path, [(None, reason)], "Read it with `pandas.read_parquet`.")
    rows, names = file.rows, file.named_by_data
    frame = pq.read_table(path, columns=[*file.key, *names]).to_pandas()
    search = file.parameters.get("search", {})
    of_all = {
        "collection": file.collection,
        "item": file.item,
        "method": search.get("method"),
        "reference": search.get("label"),
    }
    long = {
        name: pd.Categorical.from_codes(
            np.full(rows * len(names), 0 if value else -1, np.int8), [value] if value else []
        )
        for name, value in of_all.items()
    }
    places = np.repeat(np.arange(len(names), dtype=np.int32), rows)
    long[pattern.name[1:-1]] = pd.Categorical.from_codes(places, [*names])
    long |= {name: np.tile(frame[name].to_numpy(), len(names)) for name in file.key}
    long["value"] = frame[[*names]].to_numpy(np.float64).T.reshape(-1)
    return pd.DataFrame(long)
