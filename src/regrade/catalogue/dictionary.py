"""The catalogue as text: for a terminal, and as the page docs/tables.md."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from textwrap import fill, indent

from regrade.catalogue import TABLES, Column, Table
from regrade.errors import ParameterError

HEAD = """# Tables

Every table below `results/<collection>/`, with its columns; `regrade tables` prints the same.
How to read them, and what other files there are: [guide](guide.md#tables).
A path leaves out what differs from file to file: `cuts/best_cuts` is
`cuts/<transformation>/<search>/best_cuts.parquet`, `compare/labels` that of each two sets.

Tables of items of a grid stand together too, `grids/<key>/best_cuts.parquet`: before the table's
columns are `item` and the parameters of the grid.

Columns in bold identify a row.  `?` marks a column that may hold nulls: undefined, or not
applicable.  Strings are dictionary-encoded; a topic `*` stands for all topics.
The ends of something say of what: an *interval* is of an estimate, and says how it was made; a
*box* holds the ends and quartiles of a distribution; a *range* goes from the least to the most.

```sh
regrade tables best_cuts              # one table
regrade tables --markdown             # this page
```

`regrade tables FILE` says which table a file of results is, of which collection, and made of what.

Three tables have a column for each topic or criterion: `cuts/alpha`, `cuts/tau` and
`cuts/criteria`. `regrade.read_long(path)` gives a row for each, with collection, method and
reference. The same in SQL, and how to join all collections: [guide](guide.md#in-sql).
"""


def chosen(name: str | None) -> list[Table]:
    """The tables of a name: a path, a path's last part, a folder; all without one."""
    if name is None:
        return list(TABLES.values())
    tables = [
        table
        for path, table in TABLES.items()
        if path == name or path.startswith(f"{name}/") or path.endswith(f"/{name}")
    ]
    if not tables:
        raise ParameterError(f"there is no table {name}: `regrade tables` lists all")
    return tables


def listing(tables: Iterable[Table]) -> str:
    """A line for each table: its path and what it holds."""
    tables = list(tables)
    width = max(len(table.path) for table in tables)
    return "\n".join(f"{table.path:<{width}}  {table.sentence}" for table in tables)


def in_full(table: Table) -> str:
    """A table with its columns, a line each; those that identify a row are starred."""
    names = [f"{'*' if c.name in table.key else ' '} {c.name}" for c in table.columns]
    widths = max(map(len, names)), max(len(_type(c)) for c in table.columns)
    lines = [
        f"{name:<{widths[0]}}  {_type(column):<{widths[1]}}  {_meaning(column)}"
        for name, column in zip(names, table.columns, strict=True)
    ]
    return f"{table.path}: {table.sentence}\n{indent(chr(10).join(lines), '  ')}"


def markdown() -> str:
    """The page of all tables."""
    parts = [HEAD]
    folders = list(dict.fromkeys(map(_folder, TABLES.values())))
    by_folder = sorted(TABLES.values(), key=lambda table: folders.index(_folder(table)))
    for folder, tables in groupby(by_folder, key=_folder):
        parts.append(f"## {folder}\n")
        parts += [_section(table) for table in tables]
    return "\n".join(parts)


def _folder(table: Table) -> str:
    return table.path.rpartition("/")[0] or "the collection"


def _section(table: Table) -> str:
    rows = [
        f"| {f'**{c.name}**' if c.name in table.key else c.name} | {_type(c)} | {_meaning(c)} |"
        for c in table.columns
    ]
    sentence = f"{table.sentence[0].upper()}{table.sentence[1:]}."
    head = [f"### {table.path}\n", f"{fill(sentence, 100, break_on_hyphens=False)}\n"]
    return "\n".join([*head, "| column | type | meaning |", "|---|---|---|", *rows, ""])


def _type(column: Column) -> str:
    return f"{column.type}{'?' if column.nullable else ''}"


def _meaning(column: Column) -> str:
    return f"{column.meaning} [{column.unit}]" if column.unit else column.meaning
