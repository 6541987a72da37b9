"""What the jobs read and are told that join the tables of a grid's items."""

from __future__ import annotations

from functools import cached_property

from regrade.catalogue import columns_of, tables_of
from regrade.stages.registry import stages
from regrade.workflow.grids import Grid
from regrade.workflow.inputs.paths import Paths
from regrade.workflow.inputs.tables import group_tables, is_joinable, item_of

ITEM, OF_GRID = "item", "grid_"
"""The column with an item's name; what comes before a parameter where a table has its name too."""

ON_REQUEST = ("cuts_described", "pooled_cuts")
"""Groups of tables that take jobs of their own for each item, which nothing else needs."""


class GridInputs:
    """Of the grids of one collection, those of sets aside.

    Functions of wildcards are for Snakemake to call.
    """

    def __init__(self, paths: Paths):
        self.paths = paths
        grids = paths.collection.options["grids"]
        self.grids: dict[str, Grid] = {one.path: one for one in grids if not one.is_of_sets}

    @cached_property
    def tables(self) -> dict[str, dict[str, dict[str, str]]]:
        """Grid → table, by its path in the catalogue → path of each item that has it."""
        return {path: self._tables_of(grid) for path, grid in self.grids.items()}

    def _tables_of(self, grid: Grid) -> dict[str, dict[str, str]]:
        tables: dict[str, dict[str, str]] = {}
        for group in stages()[grid.key].tables:
            for table, path in group_tables(self.paths, group.name):
                item = item_of(table, path)
                # a table that lies in no folder, as `rankings`, is one for each transformation
                if item in grid.items and "/" in table and is_joinable(table):
                    tables.setdefault(table, {})[item] = path
        return tables

    @property
    def names(self) -> list[str]:
        """The names of all tables."""
        return list(dict.fromkeys(map(_last, (t for of in self.tables.values() for t in of))))

    def path(self, grid: str, table: str, ending: str = "parquet") -> str:
        """Where the joined table is; the names may be wildcards."""
        return self.paths.below("grids", grid, f"{_last(table)}.{ending}")

    def joined(self, *aside: str) -> list[str]:
        """All joined tables, those of some groups aside."""
        left_out = {table for group in aside for table in tables_of(group)}
        return [
            self.path(grid, table)
            for grid, tables in self.tables.items()
            for table in tables
            if table not in left_out
        ]

    def _table(self, wildcards) -> str:
        tables = self.tables[wildcards.grid]
        return next(table for table in tables if _last(table) == wildcards.table)

    def of_items(self, wildcards) -> list[str]:
        """The tables of items."""
        return [*self.tables[wildcards.grid].get(self._table(wildcards), {}).values()]

    def request(self, wildcards) -> dict[str, object]:
        """Which table it is, and the columns that come before its own: item and parameters.

        A parameter of the name of a column of the table has `OF_GRID` before it.
        """
        table, grid = self._table(wildcards), self.grids[wildcards.grid]
        named = self.tables[wildcards.grid][table]
        labels = {ITEM: [*named]}
        for parameter in next(iter(grid.items.values())):
            column = parameter.replace(".", "_")
            before = OF_GRID if column in columns_of(table) else ""
            labels[f"{before}{column}"] = [grid.items[item][parameter] for item in named]
        return {"table": table, "labels": labels, "about": {"grid": grid.path}}


def _last(table: str) -> str:
    return table.rpartition("/")[2]
