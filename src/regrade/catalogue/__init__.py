"""Every table and every column, declared once, as plain data.

Arrow schemas (`arrow`), the order of columns, what a stage makes and the pages about tables
(`dictionary`) come from here. Loading it needs neither numpy nor pyarrow. `model` is what a table
and a column are, `columns` has the columns of several subjects, `inputs` the tables that are read
and scored; those of each subject stand in its folder, as `catalogue`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain
from types import ModuleType

from regrade.catalogue import columns, inputs
from regrade.catalogue.model import (
    Catalogue,
    Column,
    Table,
    column_texts,
    read_column,
    read_table,
    table_texts,
)
from regrade.subjects import modules_of_subjects

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


def subjects() -> Iterator[ModuleType]:
    """The modules that declare tables: `inputs`, then of each subject the one of that name."""
    yield inputs
    yield from modules_of_subjects("catalogue")


COLUMNS = Catalogue(
    (one for module in chain([columns], subjects()) for one in column_texts(module.COLUMNS)),
    read_column,
)
"""Every column by its name, as it is where a table says nothing else."""

TABLES = Catalogue(
    (one for module in subjects() for one in table_texts(module.TABLES)),
    partial(read_table, columns=COLUMNS),
)
"""Every table by its path."""


def columns_of(path: str) -> list[str]:
    """The names of a table's columns, in order."""
    return [column.name for column in TABLES[path].columns]


def summary_columns(levels: int) -> list[str]:
    """Of α or τ of every cut, the columns that are there whatever the topics."""
    return [*CUT_COLUMNS[: levels - 1], *SUMMARY_COLUMNS]


def tables_of(stage: str) -> tuple[str, ...]:
    """The paths of the tables that a stage makes."""
    return tuple(path for path, text in TABLES.texts().items() if text.stage == stage)


def folder_of(stage: str) -> str:
    """The folder of the tables that a stage makes."""
    return tables_of(stage)[0].partition("/")[0]
