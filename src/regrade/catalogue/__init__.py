"""Every table and every column, declared once, as plain data.

Arrow schemas (`arrow`), the order of columns, what a stage makes and the pages about tables
(`dictionary`) come from here. Loading it needs neither numpy nor pyarrow. `model` is what a table
and a column are, `columns` has the columns of several subjects, `inputs` the tables that are read
and scored; those of each subject stand in its folder, as `catalogue`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from regrade.catalogue import columns, inputs
from regrade.catalogue.model import Column, Table, read_columns, read_tables

__all__ = [
    "ALL_TOPICS",
    "COLUMNS",
    "CUT_COLUMNS",
    "LEVEL_CUT_COLUMNS",
    "SUMMARY_COLUMNS",
    "TABLES",
    "Column",
    "Table",
    "columns_of",
    "summary_columns",
    "tables_of",
]

ALL_TOPICS = "*"
"""The topic of a row that holds for the whole collection."""

CUT_COLUMNS = ("c1", "c2", "c3")
"""The thresholds of a cut into up to four levels."""

LEVEL_CUT_COLUMNS = (*CUT_COLUMNS, "c4", "c5", "c6")
"""The thresholds of a cut into up to seven levels."""

SUMMARY_COLUMNS = ("mean", "n_topics")
"""Of α or τ of every cut, the columns beside thresholds and topics."""

_LIBRARY = Path(__file__).parents[1]

SUBJECTS = (
    inputs,
    *(
        import_module(f"regrade.{path.parent.name}.catalogue")
        for path in sorted(_LIBRARY.glob("*/catalogue.py"))
    ),
)
"""The modules that declare tables: of each subject the one of that name."""

COLUMNS: dict[str, Column] = {
    column.name: column
    for subject in (columns, *SUBJECTS)
    for column in read_columns(subject.COLUMNS)
}
"""Every column by its name, as it is where a table says nothing else."""

TABLES: dict[str, Table] = {
    table.path: table for subject in SUBJECTS for table in read_tables(subject.TABLES, COLUMNS)
}
"""Every table by its path."""


def columns_of(path: str) -> list[str]:
    """The names of a table's columns, in order."""
    return [column.name for column in TABLES[path].columns]


def summary_columns(levels: int) -> list[str]:
    """Of α or τ of every cut, the columns that are there whatever the topics."""
    return [*CUT_COLUMNS[: levels - 1], *SUMMARY_COLUMNS]


def tables_of(stage: str) -> tuple[str, ...]:
    """The paths of the tables that a stage makes."""
    return tuple(path for path, table in TABLES.items() if table.stage == stage)


def folder_of(stage: str) -> str:
    """The folder of the tables that a stage makes."""
    return tables_of(stage)[0].partition("/")[0]
