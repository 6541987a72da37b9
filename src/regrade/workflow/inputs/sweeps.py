"""What the jobs of a sweep read, make and are told."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property

from regrade.catalogue import tables_of
from regrade.choices import GRID
from regrade.sweeps.configured import stated, sweep_of
from regrade.sweeps.options import EVERY, PLATEAU, UNREAD, Entry
from regrade.workflow.inputs import subset
from regrade.workflow.inputs.paths import Paths, Places
from regrade.workflow.sources import content_hash

UNIVERSES = 150_000
"""That a part is to have: some half a minute."""

SCORED_ALONE = 10
"""As much work as so many of many cuts, which share their scores, are labels scored alone."""

MADE_OF_PARTS = ("universes", "sums", "manifest")
"""What a part makes."""


class LabelSweepInputs:
    """A sweep of labels of a collection, that ranks no systems.

    Parameters
    ----------
    paths
        Of the collection.
    name
        Of the sweep.
    """

    key = "label_sweeps"
    """Where the configuration has it."""

    def __init__(self, paths: Paths, name: str):
        self._paths, self.name = paths, name
        self._collection = paths.collection
        self.options = self._collection.items[self.key][name]
        self.written = sweep_of(self._collection, self.options)

    @cached_property
    def sets(self) -> list[str]:
        """The sets that it reads."""
        named = [entry.set for entry in self.written.labels]
        named += [e.family.reference for e in self.written.labels if e.family]
        named += self.written.others.get("reference", ())
        return [name for name in dict.fromkeys(named) if name]

    @property
    def read(self) -> dict[str, object]:
        """What each of its jobs reads."""
        return {"sets": self._paths.sets(self.sets)}

    @property
    def request(self) -> dict[str, object]:
        """What each of its jobs is told."""
        collection, item = self._collection, self.options
        return {
            "axes": stated(item["axes"]),
            "baseline": stated(item["baseline"]),
            "families": {
                e.family.name: asdict(e.family)
                for e in self.written.labels
                if e.family and e.family.name in collection.transformations
            },
            "sets": self.sets,
            "scales": [
                collection.collected_scale(name)
                for name in self.sets
                if name not in collection.score_sets
            ],
            "how": {"limit": item["limit"], "seed": collection.options["seed"]},
        }


class SweepInputs(LabelSweepInputs):
    """A sweep of a collection, whose runs it ranks, or what scores by item are of."""

    key = "sweeps"

    @property
    def is_of_scores(self) -> bool:
        """Whether scores by item are swept."""
        return self.written.first == "scores"

    @property
    def read(self) -> dict[str, object]:
        """What each of its jobs reads."""
        if self.is_of_scores:
            scores = [self._paths.item_scores(name) for name in self.sets]
            return {"sets": [], "runs": [], "groups": [], "scores": scores}
        groups = self._collection.options["groups"]
        return {
            **super().read,
            "runs": self._paths.coded_runs,
            "groups": self._collection.path(groups) if groups else [],
        }

    @property
    def request(self) -> dict[str, object]:
        """What each of its jobs is told."""
        request, options = super().request, self._collection.options
        if self.is_of_scores:
            sets = self._collection.score_sets
            request["scores"] = [
                {"name": name, "lower": sets[name]["lower"], "missing": sets[name]["missing"]}
                for name in self.sets
            ]
        level = options["pair_tests"]["significance"]
        return {
            **request,
            "how": {"significance": level, **stated(subset(self.options, "top")), **request["how"]},
            "score_precision": options["score_precision"],
            **({"content": content_hash([groups])} if (groups := self.read["groups"]) else {}),
        }

    @cached_property
    def parts(self) -> list[int]:
        """The numbers of the jobs that its labels are shared out to."""
        count = self.options["parts"]
        if count is None and self.is_of_scores:
            count = 1  # means of scores cost little
        if count is None:
            others = math.prod(
                sum(self._levels_of(name, levels) for name, levels in entries.items())
                for entries in self.written.others.values()
            )
            labels = sum(map(self._labels_of, self.written.labels))
            count = math.ceil(labels * others / UNIVERSES)
        return list(range(count))

    def _levels_of(self, entry: str, levels: Sequence[str]) -> int:
        """How many levels an entry of another axis stands for; those without each group too."""
        if levels[0] == f"{entry}: {UNREAD}" and not self._collection.simulates_runs:
            if entry.startswith("without group"):
                # here, for it loads numba, and every start of the workflow would wait for that
                from regrade.readers.groups import read_groups

                path = self._collection.path(self._collection.options["groups"])
                return read_groups(path)["group"].nunique()
            return self._collection.systems
        return len(levels)

    def _labels_of(self, entry: Entry) -> int:
        """How many labels an entry is as much work as, as far as the configuration tells."""
        if entry.rule not in (PLATEAU, EVERY):
            return SCORED_ALONE
        family, scale = entry.family, self._collection.scale(entry.set)
        known = [family.grid, scale.levels - 1 if scale.finite else None]
        levels = family.levels or 4
        return math.comb(min(filter(None, known), default=GRID // 2), levels - 1)

    @property
    def explorer(self) -> str:
        """What the report's explorer needs."""
        return self._paths.below("sweeps", self.name, "explorer.json")


SWEEPS = {inputs.key: inputs for inputs in (SweepInputs, LabelSweepInputs)}
"""By the collection's key."""


def of_part(places: Places, sweep: str, number: int | str) -> dict[str, str]:
    """What a part makes of a sweep; both may be wildcards."""
    folder = places.below("sweeps", sweep, "parts", str(number))
    return {table: f"{folder}/{table}.parquet" for table in MADE_OF_PARTS}


def of_all_parts(places: Places, sweep: str) -> dict[str, str]:
    """What is made of all parts of a sweep, which may be a wildcard."""
    tables = (path.split("/") for path in tables_of("sweeps"))
    return {table: places.below(folder, sweep, f"{table}.parquet") for folder, table in tables}


class SweepJobs:
    """What the jobs of a collection's sweeps read and are told; functions of wildcards."""

    def __init__(self, paths: Paths):
        self._paths = paths

    def _of(self, wildcards) -> SweepInputs:
        return SweepInputs(self._paths, wildcards.item)

    def inputs(self, wildcards) -> dict[str, object]:
        """What each of them reads, with the cuts that rules have chosen."""
        levels = self._paths.tables("sweep_levels", of=wildcards.item)
        return self._of(wildcards).read | subset(levels, "cuts")

    def made_of_parts(self, wildcards) -> dict[str, list[str]]:
        """What parts have made, by table."""
        parts = [of_part(self._paths, wildcards.item, n) for n in self._of(wildcards).parts]
        return {table: [part[table] for part in parts] for table in MADE_OF_PARTS}

    def explored(self, wildcards) -> dict[str, str]:
        """What the explorer shows."""
        made = of_all_parts(self._paths, wildcards.item)
        return subset(made, "universes", "curve", "facts")

    def request(self, wildcards) -> dict[str, object]:
        """What each of them is told."""
        return self._of(wildcards).request

    def parts(self, wildcards) -> int:
        """To how many jobs the labels are shared out."""
        return len(self._of(wildcards).parts)
