"""What is made of several collections together, below `results/all`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from regrade.errors import did_you_mean
from regrade.workflow.chosen import ALL, RESULT
from regrade.workflow.config import ConfigError
from regrade.workflow.inputs.page import Page
from regrade.workflow.inputs.tables import tables_at
from regrade.workflow.sets import KINDS

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
            found = RESULT.fullmatch(target)
            if found and found[1] == ALL and found[2] != "report.html":
                self._parts(found[2].removesuffix(".parquet"))

    def files(self, wildcards) -> list[str]:
        """The tables of all collections that have it, each item's."""
        return [part.path for part in self._parts(wildcards.table)]

    def labels(self, wildcards) -> dict[str, list[str]]:
        """The collection and the item of each; no items where there are no several of any."""
        parts = self._parts(wildcards.table)
        labels = {"collection": [part.collection for part in parts]}
        items = [part.item for part in parts]
        return labels | ({"item": items} if any(items) else {})

    def _parts(self, table: str) -> list[Part]:
        found: dict[str, list[Part]] = {}
        for collection, page in self._pages.items():
            for key, path in tables_at(page.paths):
                found.setdefault(key, []).append(Part(collection, _item(key, path), path))
        if table not in found:
            problem = f"no collection that is chosen makes a table {table}"
            raise ConfigError(f"config: results/{ALL}: {problem}{did_you_mean(table, found)}")
        return found[table]

    # the page
    def answers(self, wildcards) -> list[str]:
        """The answers of all collections."""
        return [card.answer for page in self._pages.values() for card in page.answers()]

    def pages(self, wildcards) -> list[str]:
        """The pages of all collections."""
        return [page.paths.below("report.html") for page in self._pages.values()]

    def told(self, wildcards) -> list[dict]:
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


def _item(key: str, path: str) -> str:
    """What an item's table is of: the folders between, or its own name where that is no table's."""
    place = PurePosixPath(path)
    if key in KINDS or place.stem != PurePosixPath(key).name:
        return place.stem
    return "/".join(place.parts[3:-1])  # below results, the collection and the table's folder
