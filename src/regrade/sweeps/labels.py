"""The labels of a sweep: of sets as they are, and of sets cut, by a rule or in every way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from regrade.aggregation import Aggregation, aggregate, enumerate_cuts, source_values
from regrade.cutsearch.best import best_index
from regrade.cutsearch.means import mean_under_coverage
from regrade.cutsearch.options import AlphaOptions
from regrade.cutsearch.thresholds import Thresholds
from regrade.errors import ParameterError
from regrade.evaluations.cut_labels import rounded_cut, rounded_places
from regrade.scales import Scale, check_levels
from regrade.sweeps.axes import key_of
from regrade.sweeps.options import BEST, EQUAL_WIDTHS, EVERY, MIDDLE, ROUNDED, CutFamily, Entry
from regrade.trust.bootstrap import topic_weights
from regrade.trust.named_cuts import named_cuts
from regrade.trust.plateau import on_plateau
from regrade.trust.searches import RankedInput

PLATEAU_DRAWS = 1000
"""Bootstrap samples of topics for the cuts that do not differ significantly from the best."""


@dataclass(frozen=True, eq=False)
class LabelledSet:
    """A set of labels or judgments.

    Attributes
    ----------
    table
        Schema ``qrels`` or ``judgments``.
    scale
        What its values are on.
    """

    table: pa.Table
    scale: Scale


def written(threshold: float) -> str:
    """A threshold in as few digits as tell it from any other number."""
    return f"{float(threshold)!r}".removesuffix(".0")


@dataclass(frozen=True, eq=False)
class SweptLabels:
    """What an entry stands for: one set of labels, or C cuts of one set.

    Attributes
    ----------
    entry
        The entry.
    table
        One value per document, schema ``qrels``.
    scale
        What these are on; of cuts the target scale.
    thresholds : array of float64, shape (G,), or None
        Those that cuts are made of.
    places : array of int, shape (C, levels - 1), or None
        Of the cuts' thresholds, in lexicographic order.
    same_as
        An entry before it that has the same cuts of the same values, or the same values uncut.
    """

    entry: Entry
    table: pa.Table
    scale: Scale
    thresholds: np.ndarray | None = None
    places: np.ndarray | None = None
    same_as: str | None = None

    def __len__(self) -> int:
        """How many sets of labels it stands for."""
        return 1 if self.places is None else len(self.places)

    @property
    def levels(self) -> int:
        """Of the target scale."""
        return self.places.shape[1] + 1

    @property
    def cut_key(self) -> tuple[bytes, bytes] | Scale:
        """What is done with the values: the same of the same values gives the same labels."""
        if self.places is None:
            return self.scale
        return self.thresholds.tobytes(), self.places.tobytes()

    def codes(self, values: np.ndarray) -> np.ndarray:
        """How many thresholds each value exceeds."""
        return Thresholds(self.thresholds, len(self.thresholds)).codes(values)

    def cuts(self, start: int = 0, stop: int | None = None) -> list[str | None]:
        """The cuts in words, ``0.4 1.2 2.3``; ``None`` where nothing is cut."""
        if self.places is None:
            return [None]
        known = np.array([written(value) for value in self.thresholds], dtype=object)
        rows = known[self.places[start:stop]]
        return [" ".join(row) for row in rows]

    def keys(self) -> np.ndarray:
        """(C,) uint64: of the choice alone."""
        own = key_of("labels", self.entry.text)
        if not self.entry.many:
            return np.array([own], dtype=np.uint64)
        return np.array([key_of(self.entry.text, cut) for cut in self.cuts()], dtype=np.uint64)


class LabelMaker:
    """Makes the labels of entries; what several entries share is found once.

    Parameters
    ----------
    sets
        By name.
    baseline
        The entry of the baseline.
    seed
        Of the bootstrap samples that compare cuts with the best one.
    chosen
        Cuts that a rule is known to choose, in words (`SweptLabels.cuts`), by entry.
    """

    def __init__(
        self,
        sets: Mapping[str, LabelledSet],
        baseline: Entry,
        seed: int,
        chosen: Mapping[str, Sequence[str]],
    ):
        self._sets, self._baseline, self._seed = sets, baseline, seed
        self._chosen = chosen
        self._families: dict[CutFamily, FamilyCuts] = {}

    def all(self, entries: Sequence[Entry]) -> list[SweptLabels]:
        """The labels of all entries; of those that come out the same, the first has them."""
        every, tables, first = [], [], {}
        for entry in entries:
            labels = self.of(entry)
            table = next((n for n, t in enumerate(tables) if t.equals(labels.table)), len(tables))
            if table == len(tables):
                tables.append(labels.table)
            same = first.setdefault((table, labels.cut_key), entry.text)
            every.append(labels if same == entry.text else replace(labels, same_as=same))
        return every

    def of(self, entry: Entry) -> SweptLabels:
        """The labels of an entry."""
        if entry.rule is None:
            source = self._sets[entry.set]
            how = entry.family.aggregate if entry.family else "median"
            return SweptLabels(entry, aggregate(source.table, how), source.scale)
        cuts = self._cuts(entry.family)
        scale = Scale.of({"levels": cuts.levels})
        if entry.text in self._chosen:
            places = cuts.places_of(self._chosen[entry.text])
        else:
            places = cuts.places(entry)
        return SweptLabels(entry, cuts.values, scale, cuts.thresholds.values, places)

    def _cuts(self, family: CutFamily) -> FamilyCuts:
        if family not in self._families:
            name = family.reference or self._baseline.set
            # labels that are cut themselves judge no cut
            uncut = family.reference is not None or self._baseline.rule is None
            reference = self._sets[name] if uncut else None
            levels = family.levels or (reference and reference.scale.levels)
            if not levels:
                raise ParameterError(
                    f"sweep: labels: into how many levels {family.name} is cut does not follow "
                    "from the baseline's labels: give `levels`"
                )
            if reference and not reference.scale.is_levels(levels):
                reference = None
            source = self._sets[family.set]
            try:
                check_levels(source.scale.levels, levels)
            except ParameterError as error:
                raise ParameterError(f"sweep: labels: {family.name}: {error}") from error
            table = reference and aggregate(reference.table, "median")
            self._families[family] = FamilyCuts(family, source, levels, table, self._seed)
        return self._families[family]


@dataclass(frozen=True, eq=False)
class FamilyCuts:
    """A set that is cut, and its cuts by each rule.

    Attributes
    ----------
    family
        What is cut, and how.
    source
        The set.
    levels
        Of the target scale.
    reference
        Beside which a cut is the best, schema ``qrels``; ``None``: there are no such labels.
    seed
        Of the bootstrap samples that compare cuts with the best one.
    """

    family: CutFamily
    source: LabelledSet
    levels: int
    reference: pa.Table | None
    seed: int

    @cached_property
    def values(self) -> pa.Table:
        """One per document, schema ``qrels``."""
        return aggregate(self.source.table, self.family.aggregate)

    @cached_property
    def thresholds(self) -> Thresholds:
        """Those that cuts are made of, as a search has them: of the judgments."""
        values = source_values(self.source.table)
        return Thresholds.of(self.source.scale, self.levels, values, self.family.grid)

    @cached_property
    def every(self) -> np.ndarray:
        """(C, levels - 1) places of all cuts."""
        return enumerate_cuts(len(self.thresholds.values) + 1, self.levels)

    def places_of(self, cuts: Sequence[str]) -> np.ndarray:
        """The places of cuts in words."""
        known = {written(value): place for place, value in enumerate(self.thresholds.values)}
        return np.array([[known[value] for value in cut.split()] for cut in cuts])

    def places(self, entry: Entry) -> np.ndarray:
        """The places of the cuts that an entry's rule chooses."""
        if entry.rule == EVERY:
            return self.every
        values = self.values["grade"].to_numpy()
        if entry.rule == ROUNDED:
            cut = rounded_cut(self.source.scale, values, self.levels)
            return rounded_places(self.thresholds.values, cut)[None]
        if entry.rule in (EQUAL_WIDTHS, MIDDLE):
            known = named_cuts(self.thresholds, self.levels, self.source.scale, values)
            return known[entry.rule][None]
        best = best_index(self.every, self._means)
        if best < 0:
            raise ParameterError(f"sweep: labels: {entry.text}: there is no best cut: leave it out")
        if entry.rule == BEST:
            return self.every[best][None]
        weights = topic_weights(self._criterion.shape[1], PLATEAU_DRAWS, self.seed)
        eligible = ~np.isnan(self._means)
        return self.every[on_plateau(self._criterion, eligible, best, weights)["on"]]

    @cached_property
    def _criterion(self) -> np.ndarray:
        """α of every cut on each topic, (C, T); NaN where undefined."""
        family = self.family
        if self.reference is None:
            raise ParameterError(
                f"sweep: labels: {family.name}: the best cut is chosen beside labels on as many "
                f"levels, {self.levels}, that are not cut themselves, and the baseline's are not "
                "such: name a transformation that has such a reference, or choose cuts otherwise"
            )
        how = Aggregation(family.aggregate)
        options = AlphaOptions(family.metric, "drop", family.coverage, "drop", how, family.grid)
        source = RankedInput(self.source.table, self.source.scale, self.levels, options)
        return source.search("d2_at", self.reference).criteria

    @cached_property
    def _means(self) -> np.ndarray:
        return mean_under_coverage(self._criterion, self.family.coverage)
