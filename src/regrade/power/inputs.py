"""A comparison of sets of labels, as its jobs read it: what they share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from regrade.power.label_sets import GradedSet, Systems, all_lists
from regrade.power.levels import Agreeing
from regrade.power.preferences import PreferenceTests
from regrade.power.topics import Lists, PowerOptions
from regrade.tables import read_table


@dataclass(frozen=True)
class PowerInputs:
    """Sets, what people prefer, and systems.

    Attributes
    ----------
    sets
        Of labels or judgments.
    preferences
        Name → tests of preference.
    lists
        The documents in question.
    how
        How power is computed.
    systems
        Runs and how they are told apart; ``None`` where there are no runs.
    """

    sets: Sequence[GradedSet]
    preferences: Mapping[str, PreferenceTests]
    lists: Sequence[Lists]
    how: PowerOptions
    systems: Systems | None

    @classmethod
    def of(cls, data) -> PowerInputs:
        """Of a job's data and options."""
        sets = [*map(graded_set, data.sets)]
        tests = {one.name: PreferenceTests.from_table(one.table) for one in data.preferences}
        tests |= {one.name: PreferenceTests.from_labels(one.table) for one in data.experts}
        ranked = data.runs.ranked() if data.runs else None
        tested = ("measures", "significance", "tests", "correction", "seed")
        told_apart = {name: getattr(data.options, name) for name in tested}
        systems = None if ranked is None else Systems(ranked, **told_apart)
        how = PowerOptions(data.options.modes, seed=data.options.seed)
        return cls(sets, tests, all_lists(sets, ranked), how, systems)

    @property
    def all(self) -> tuple:
        """Sets, preferences, lists and how, which most tables take."""
        return self.sets, self.preferences, self.lists, self.how


def graded_set(labels) -> GradedSet:
    """A set of labels or judgments that a job reads, with the ends of its scale."""
    ends = (labels.scale.low, labels.scale.high)
    return GradedSet(
        labels.name, labels.table, *(end if math.isfinite(end) else None for end in ends)
    )


@dataclass(frozen=True)
class CutSearches:
    """What the searches of transformations found for sets whose power is compared.

    Attributes
    ----------
    grids
        (source, levels) → at most how many thresholds are tried.
    agreeing
        What each search found.
    """

    grids: Mapping[tuple[str, int], int | None]
    agreeing: Sequence[Agreeing]


def read_cut_searches(paths: Mapping, params: Mapping) -> CutSearches:
    """The searches that a job is told of, read from their tables."""
    agreeing = []
    files = zip(params["searches"], paths["best_cuts"], paths["alpha"], strict=True)
    for (transformation, source, levels, name), best_cuts, alpha in files:
        tables = (
            read_table(best_cuts, "cuts/best_cuts").to_pandas(),
            read_table(alpha, "cuts/alpha").to_pandas(),
        )
        agreeing.append(Agreeing(transformation, name, source, levels, *tables))
    grids = {(source, levels): grid for source, levels, grid in params["grids"]}
    return CutSearches(grids, agreeing)
