"""Where the tables of a collection lie."""

from __future__ import annotations

from collections.abc import Iterable

from regrade.catalogue import tables_of
from regrade.workflow.stages import STAGES


class Places:
    """Where files lie below the results of a collection, by default of one that is a wildcard.

    Names may be wildcards in braces, as outputs have them.
    """

    def __init__(self, collection: str = "{collection}"):
        self.results = f"results/{collection}"
        self.simulated_runs = self.below("simulated", "runs")
        self.runs_over = self.below("simulated", "runs-over")
        self.simulated_qrels = self.below("simulated", "qrels.txt")
        # the runs as codes, for whatever scores, pools or compares systems
        self.coded_runs = self.below("codes", "runs.arrow")

    def below(self, *parts: str) -> str:
        """A path below the collection's results."""
        return "/".join((self.results, *parts))

    def coded(self, name: str) -> str:
        """A qrels in the document codes of the runs."""
        return self.below("codes", "qrels", f"{name}.arrow")

    def item_scores(self, name: str) -> str:
        """The table of a set of scores by item."""
        return self.table_of("scores", name)

    def scores(self, name: str) -> str:
        """The scores of systems under a qrels."""
        return self.below("scores", f"{name}.parquet")

    def table_of(self, kind: str, name: str) -> str:
        """The table of a set of a kind."""
        return self.below("tables", kind, f"{name}.parquet")


class Paths(Places):
    """The paths of what is made of a collection."""

    def __init__(self, collection):
        super().__init__(collection.name)
        self.collection = collection
        self.runs = self.coded_runs if collection.has_runs else []  # nothing without runs

    def set(self, name: str) -> str:
        """The table of a set."""
        return self.table_of(self.collection.kind(name), name)

    def sets(self, names: Iterable[str]) -> list[str]:
        """The tables of some sets."""
        return [self.set(name) for name in names]

    def counted_answers(self, name: str) -> str:
        """The answers of a set: those that the rules of a `pairs` about it keep, or all of them."""
        pairs = self.collection.items["pairs"]
        kept = (
            self.tables("pairs", of=one)["answers"] for one in pairs if pairs[one]["set"] == name
        )
        return next(kept, self.set(name))

    def tables(self, *stages: str, of: str | None = None) -> dict[str, str]:
        """The tables of stages by their names, as far as the collection can serve them."""
        return {
            table: self.below(folder, *([of] if of else []), f"{table}.parquet")
            for stage in stages
            if self.collection.serves(STAGES[stage], of)
            for folder, table in (path.split("/") for path in tables_of(stage) if "/" in path)
        }

    def everything(self, key: str) -> list[str]:
        """All tables that a collection asks for by a key."""
        groups = [name for name, stage in STAGES.items() if stage.key == key]
        items = self.collection.items[key]
        return [
            path
            for item in ([None] if items is None else items)
            for path in self.tables(*groups, of=item).values()
        ]
