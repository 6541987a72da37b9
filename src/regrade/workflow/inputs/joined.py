"""What is made of several collections together, below `results/all`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from regrade.errors import did_you_mean
from regrade.workflow.chosen import RESULT
from regrade.workflow.config import ConfigError
from regrade.workflow.inputs.page import Page
from regrade.workflow.inputs.tables import item_of, tables_at
from regrade.workflow.project import ALL

TABLE = r"[a-z-]+(?:/\w+)?"
"""What the wildcard may be that stands for a table of the catalogue."""


class Part(NamedTuple):
    """A table that becomes a part of a joined one: of a collection, of which item, where it is."""

    collection: str
    item: str
    path: str


class Joined:
    """Functions of wildcards for Snakemake to call.

    Parameters
    ----------
    pages
        Of each collection.
    """

    def __init__(self, pages: Mapping[str, Page]):
        self._pages = pages

    # tables
    def check(self, targets: Iterable[str]) -> None:
        """Refuse targets below `results/all` that no collection has a part of."""
        for target in targets:
            result = RESULT.fullmatch(target)
            if result and result[1] == ALL and result[2] != "report.html":
                self._parts(result[2].removesuffix(".parquet"))

    def files(self, wildcards) -> list[str]:
        """The tables of all collections that have it, each item's."""
        return [part.path for part in self._parts(wildcards.table)]

    def request(self, wildcards) -> dict[str, object]:
        """Which table it is, and the collection and item of each; no items where there are none."""
        parts = self._parts(wildcards.table)
        labels = {"collection": [part.collection for part in parts]}
        items = [part.item for part in parts]
        labels |= {"item": items} if any(items) else {}
        return {"table": wildcards.table, "labels": labels}

    @cached_property
    def _by_table(self) -> dict[str, list[Part]]:
        by_table: dict[str, list[Part]] = {}
        for collection, page in self._pages.items():
            for key, path in tables_at(page.paths):
                by_table.setdefault(key, []).append(Part(collection, item_of(key, path), path))
        return by_table

    def _parts(self, table: str) -> list[Part]:
        if table not in self._by_table:
            problem = f"no collection that is chosen makes a table {table}"
            near = did_you_mean(table, self._by_table)
            raise ConfigError(f"config: results/{ALL}: {problem}{near}")
        return self._by_table[table]

    # the page
    def answers(self, wildcards) -> list[str]:
        """The answers of all collections."""
        return [card.answer for page in self._pages.values() for card in page.answers()]

    def pages(self, wildcards) -> list[str]:
        """The pages of all collections."""
        return [page.paths.below("report.html") for page in self._pages.values()]

    def collection_rows(self, wildcards) -> list[dict]:
        """Of each collection its name, title and notes, and of each answer its name and subject."""
        return [
            {
                "name": name,
                "title": page.title(wildcards),
                "notes": page.notes(wildcards),
                "cards": [[card.name, card.about] for card in page.answers()],
            }
            for name, page in self._pages.items()
        ]
