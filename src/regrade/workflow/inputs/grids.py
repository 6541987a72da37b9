"""What the jobs read and are told that join the tables of a grid's items."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from regrade.catalogue import columns_of, folder_of, tables_of
from regrade.stages.registry import stages
from regrade.workflow.grids import Grid
from regrade.workflow.inputs.cuts import CutInputs
from regrade.workflow.inputs.paths import Paths

OF_CUTS = ("best_cuts", "tied_cuts", "top_cuts", "tau_topics")
"""Of a transformation's tables of all searches together, those without a row for each cut."""

ITEM, OF_GRID = "item", "grid_"
"""The column with an item's name; what comes before a parameter where a table has its name too."""

ON_REQUEST = ("cuts_described", "pooled_cuts")
"""Groups of tables that take jobs of their own for each item, which nothing else needs."""


class GridInputs:
    """Of the grids of one collection, those of sets aside.

    Functions of wildcards are for Snakemake to call.
    """

    def __init__(self, paths: Paths, cuts: Mapping[str, CutInputs]):
        self.paths = paths
        self.cuts = cuts
        asked = paths.collection.options["grids"]
        self.grids: dict[str, Grid] = {one.path: one for one in asked if not one.is_of_sets}

    @cached_property
    def tables(self) -> dict[str, dict[str, dict[str, str]]]:
        """Grid → table, by its path in the catalogue → path of each item that has it."""
        found: dict[str, dict[str, dict[str, str]]] = {}
        for path, grid in self.grids.items():
            of_grid = found.setdefault(path, {})
            for item in grid.items:
                for table, made in self._tables_of(grid.key, item).items():
                    of_grid.setdefault(table, {})[item] = made
        return found

    def _tables_of(self, key: str, item: str) -> dict[str, str]:
        groups = [group.name for group in stages()[key].tables]
        if key != "transformations":
            made = self.paths.tables(*groups, of=item)
            folder = folder_of(groups[0])
            return {f"{folder}/{table}": path for table, path in made.items()}
        # those of searches lie otherwise
        groups = [name for name in groups if name not in ("cuts", "rankings")]
        combined = self.cuts[item].combined
        made = {name: combined[name] for name in OF_CUTS if name in combined}
        made |= self.paths.tables(*groups, of=item)
        return {f"cuts/{table}": path for table, path in made.items()}

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

    def told(self, wildcards) -> dict[str, object]:
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
        return {"grid": grid.path, "table": table, "labels": labels}


def _last(table: str) -> str:
    return table.rpartition("/")[2]
