"""A sweep of scores by item: leaderboards by every judge, measure, average, items and test.

A universe is one choice of the scores (a judge's, or a benchmark's), of the measure, of what counts
the same in a mean (each item, or each data set), of the items and of the test.  Rankings of
documents are not known, so that labels, pools, unjudged documents and ties are no choices here.

Clusters of items are sampled whole: tests of pairs are those of `regrade.system_pairs`, and halves
of the items are halves of the clusters.  Repeats of a system count by their mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.conversions import to_numpy
from regrade.cutsearch.cut_scores import CutScores
from regrade.errors import MethodError, ParameterError
from regrade.item_scores.scores import ItemScores
from regrade.kendall import TOLERANCE
from regrade.significance.corrections import adjust
from regrade.sweeps.axes import key_of
from regrade.sweeps.options import ALL, BY_DATASET, OWN, AvailableLevels, Entry
from regrade.sweeps.outcomes import Baseline, RankingOutcomes, ranked, statistics, topic_rows
from regrade.sweeps.sweep import Block, Sweep, SweepDesign, counted_once
from regrade.system_pairs.item_groups import ItemGroups
from regrade.system_pairs.paired_tests import PairOptions, check_grouped, p_of_pairs
from regrade.tables import encode
from regrade.wording import counted, first_few


@dataclass(frozen=True, eq=False)
class SweptScores:
    """What an entry stands for: the scores of one set, or judge.

    Attributes
    ----------
    entry
        The entry.
    values : mapping of measure to array of float64, shape (T, S)
        Means over repeats; NaN where a system has no score of an item.
    same_as
        An entry before it that has the same scores.
    """

    entry: Entry
    values: Mapping[str, np.ndarray]
    same_as: str | None = None

    places = None
    """Of cuts, of which scores have none."""

    def __len__(self) -> int:
        """How many sets of scores it stands for."""
        return 1

    def cuts(self, start: int = 0, stop: int | None = None) -> list[None]:
        """Nothing is cut."""
        return [None]

    def keys(self) -> np.ndarray:
        """(1,) uint64: of the choice alone."""
        return np.array([key_of("scores", self.entry.text)], dtype=np.uint64)


@dataclass(frozen=True, eq=False)
class ScoredSystems:
    """The systems and items of a sweep of scores.

    Attributes
    ----------
    systems
        S names, sorted: those that all sets have.
    items
        T names, sorted: those of any set.
    common : array of int64
        The items that every system has under every measure of every set.
    clusters, datasets : arrays of int64, shape (T,)
        Codes; ``None``: each item is alone, all are of one data set.
    dataset_names
        Sorted.
    notes
        What an answer must say of how the scores were read.
    """

    systems: tuple[str, ...]
    items: tuple[str, ...]
    common: np.ndarray
    clusters: np.ndarray | None = None
    datasets: np.ndarray | None = None
    dataset_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    topics_are = "items that every system has under all scores"

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """Names of the common items."""
        return tuple(self.items[i] for i in self.common)

    @property
    def made_from(self) -> tuple:
        """What outcomes depend on, beside scores."""
        return (self,)

    @property
    def facts(self) -> list[tuple]:
        """Rows of ``sweeps/facts`` on how items belong together."""
        facts = []
        if self.datasets is not None:
            facts.append(("data sets", len(np.unique(self.datasets[self.common])), "of the items"))
        if self.clusters is not None:
            facts.append(("clusters", len(np.unique(self.clusters[self.common])), "sampled whole"))
        return facts

    def groups(self, rows: np.ndarray, average: str) -> ItemGroups:
        """How some items belong together, and what each counts."""
        datasets = self.datasets if average == BY_DATASET else None
        clusters = self.clusters
        return ItemGroups.of_arrays(
            len(rows),
            clusters if clusters is None else np.unique(clusters[rows], return_inverse=True)[1],
            datasets if datasets is None else np.unique(datasets[rows], return_inverse=True)[1],
        )


@dataclass(frozen=True, eq=False)
class ScoreSweep(Sweep):
    """A design with the scores that it is made of; `labels` are of the entries of scores."""

    @classmethod
    def of_scores(
        cls, design: SweepDesign, sets: Mapping[str, ItemScores], missing: str | Mapping[str, str]
    ) -> ScoreSweep:
        """The sweep of a design.

        Parameters
        ----------
        sets
            Scores by one judge each, by the name of their entry.
        missing
            ``refuse`` items that a system of a set lacks, or ``drop`` them; of all sets, or by set.

        Raises
        ------
        RegradeError
            If scores are missing and refused, sets share no system or item, or a test takes no
            clusters.
        """
        entries = design.entries
        (measures,) = (one.levels for one in design.conditions.axes if one.name == "measure")
        how = missing if isinstance(missing, Mapping) else dict.fromkeys(sets, missing)
        own = {}
        for entry in entries:
            scores = sets[entry.set]
            kept = [one for one in measures if one in scores.measures]
            own[entry.set] = scores.of_measures(kept or [*measures])
            own[entry.set].design(missing=how[entry.set])  # refuses what is missing, or twice
        systems, left_out = _shared_systems(own)
        grid = _Grid.of(own, systems)
        scores = [SweptScores(entry, grid.values(own[entry.set])) for entry in entries]
        runs = grid.scored(scores)
        design, kept, notes = counted_once(design, _same_once(scores))
        notes = (*notes, *left_out, *_lacking(scores, runs))
        read = [note for one in own.values() for note in one.notes]
        runs = replace(runs, notes=(*read, *(f"{note}." for _, note in notes)))
        sweep = cls(design, kept, runs, notes)
        sweep.check_size()
        sweep._check_tests()
        return sweep

    def _check_tests(self) -> None:
        """Refuse tests that take no clusters or data sets, where items are in some."""
        axes = {axis.name: axis.levels for axis in self.design.conditions.axes}
        if self.runs.datasets is None and len(axes["average"]) > 1:
            raise ParameterError(
                "sweep: average: the scores are of one data set, where both averages are the same: "
                "leave it out, or name the column that has data sets (columns: dataset=NAME)"
            )
        for average in axes["average"]:
            if not self.runs.groups(self.runs.common, average).is_plain:
                for test in axes["test"]:
                    check_grouped(test.partition("/")[0])

    @property
    def items(self) -> tuple[str, ...]:
        """Names of all items of any set."""
        return self.runs.items

    @cached_property
    def reasons(self) -> dict[tuple[int, str, str | None], str]:
        """Why some scores cannot go with a measure."""
        (measures,) = (one.levels for one in self.design.conditions.axes if one.name == "measure")
        return {
            (e, measure, None): f"{scores.entry.text} has no score by {measure}"
            for e, scores in enumerate(self.labels)
            for measure in measures
            if measure not in scores.values
        }

    @cached_property
    def possible(self) -> np.ndarray:
        """(E, K) bool: which conditions the scores of an entry can go with."""
        conditions = self.design.conditions
        possible = np.ones((len(self.labels), len(conditions.codes)), dtype=bool)
        place = [axis.name for axis in conditions.axes].index("measure")
        for e, measure, _ in self.reasons:
            level = conditions.axes[place].levels.index(measure)
            possible[e, conditions.codes[:, place] == level] = False
        return possible

    # --- what they conclude ----------------------------------------------------------------

    @cached_property
    def rows(self) -> list[np.ndarray]:
        """The items of each level of that axis, at the baseline's scores and measure."""
        at = self.design.baseline
        scores = self.labels[self.design.baseline_entry]
        (axis,) = (axis for axis in self.design.conditions.axes if axis.name == "items")
        return [self.rows_of(level, scores.values[at["measure"]]) for level in axis.levels]

    def rows_of(self, level: str, values: np.ndarray) -> np.ndarray:
        """The items of a level of that axis, of some scores (T, S)."""
        runs = self.runs
        if level == OWN:
            return np.flatnonzero(np.isfinite(values).all(axis=1))
        kind, _, name = level.partition(" dataset: ")
        if name:
            if name not in runs.dataset_names:
                raise ParameterError(
                    f"sweep: items: there is no data set {name!r} "
                    f"(data sets: {first_few(runs.dataset_names)})"
                )
            is_of = runs.datasets[runs.common] == runs.dataset_names.index(name)
            rows = runs.common[is_of if kind == "only" else ~is_of]
            if not len(rows):
                raise ParameterError(f"sweep: items: {level} leaves no item: leave it out")
            return rows
        if runs.clusters is None or level == ALL:
            return runs.common[topic_rows(level, runs.topics, self.design.seed)]
        own = runs.clusters[runs.common]
        units, first = np.unique(own, return_index=True)
        order = np.argsort(first)  # by the names of their first items
        names = tuple(runs.topics[i] for i in first[order])
        half = units[order][topic_rows(level, names, self.design.seed)]
        return runs.common[np.isin(own, half)]

    def baseline_over(self, topics: str) -> Baseline:
        """What the baseline concludes, over a level of the axis of items or ``all``."""
        at = self.design.baseline
        values = self.labels[self.design.baseline_entry].values[at["measure"]]
        rows = self.rows_of(topics, values)
        means, (concluded,) = self._conclude(values, rows, at["average"], [at["test"]])
        return Baseline(means, concluded)

    def means_over(self, block: Block, key: tuple[str, ...], topics: str) -> np.ndarray:
        """The (S,) means of the scores of a block, over a level of the axis of items."""
        measure, average = key
        values = self.labels[block.entry].values[measure]
        return self._conclude(values, self.rows_of(topics, values), average, [])[0]

    def conclude(
        self, block: Block, keys: Sequence[tuple[str, ...]]
    ) -> Iterator[tuple[tuple, int, RankingOutcomes, dict[str, np.ndarray]]]:
        """What the universes of a block conclude."""
        *_, items, tests = self.design.conditions.axes
        for measure, average in keys:
            values = self.labels[block.entry].values[measure]
            for h, level in enumerate(items.levels):
                rows = self.rows_of(level, values)
                means, concluded = self._conclude(values, rows, average, tests.levels)
                by_test = {t: own[None] for t, own in zip(tests.levels, concluded, strict=True)}
                yield (measure, average), h, ranked(means[None], self.baseline.means), by_test

    def _conclude(
        self, values: np.ndarray, rows: np.ndarray, average: str, tests: Sequence[str]
    ) -> tuple[np.ndarray, list[np.ndarray]]:
        """The means (S,) of (T, S) scores over some items, and (P,) conclusions by each test."""
        groups = self.runs.groups(rows, average)
        if groups.is_plain:  # as of runs
            scores = _scores(values)
            means, signed = statistics(scores, [rows])
            concluded = [
                self._conclusions(scores, signed[0], rows, test, 0, 1)[0] for test in tests
            ]
            return means[0, 0], concluded
        own, names = np.ascontiguousarray(values[rows].T), tuple(self.items[t] for t in rows)
        means = groups.totals(own).sum(axis=1)
        i, j = self.pairs
        gap = means[i] - means[j]
        sign = np.where(np.abs(gap) > TOLERANCE, np.sign(gap), 0).astype(np.int8)
        by_test: dict[str, np.ndarray] = {}
        concluded = []
        for test in tests:
            name, _, correction = test.partition("/")
            if len(groups.stratum) < 2 or not len(i):
                concluded.append(np.zeros(len(i), dtype=np.int8))
                continue
            if name not in by_test:
                how = PairOptions(name, seed=self.design.seed)
                by_test[name] = p_of_pairs(own, names, groups, how)
            significant = adjust(by_test[name], correction) < self.design.significance
            concluded.append(np.where(significant, sign, 0).astype(np.int8))
        return means, concluded


def _scores(values: np.ndarray) -> CutScores:
    """Scores (T, S) as the one cut of labels that are not cut."""
    none, one = np.zeros((1, 1), dtype=np.int64), np.ones(1)
    parts = np.ascontiguousarray(values[:, None, :])
    same = np.zeros((len(values), 1), dtype=np.int64)
    return CutScores(none, parts, ideal=None, weights=one, same=same, cuts=none)


# --- reading ------------------------------------------------------------------------------------


def known_of(sets: Mapping[str, ItemScores]) -> AvailableLevels:
    """What levels of axes can be made of some scores."""
    measures = dict.fromkeys(one for scores in sets.values() for one in scores.measures)
    datasets = {
        name
        for scores in sets.values()
        for name in pc.unique(scores.table["dataset"].cast(pa.string())).to_pylist()
        if name is not None
    }
    return AvailableLevels({"dataset": sorted(datasets)}, [*sets], [*measures])


def _shared_systems(sets: Mapping[str, ItemScores]) -> tuple[list[str], list[tuple[str, str]]]:
    """The systems that all sets have, and a note on each set that has more."""
    of = {name: scores.systems for name, scores in sets.items()}
    shared = sorted(set.intersection(*map(set, of.values())))
    if not shared:
        raise MethodError(
            f"sweep: {first_few([*of])} share no system: give scores of the same systems"
        )
    notes = []
    for name, systems in of.items():
        if more := len(systems) - len(shared):
            were = "was" if more == 1 else "were"
            note = f"{counted(more, 'system')} of {name} {were} left out: other scores lack them"
            notes.append((name, note))
    return shared, notes


def _lacking(scores: Sequence[SweptScores], runs: ScoredSystems) -> Iterator[tuple[str, str]]:
    """How many items of each set are not among the common ones."""
    for one in scores:
        known = np.any([np.isfinite(own).any(axis=1) for own in one.values.values()], axis=0)
        if more := int(known.sum()) - len(runs.common):
            were = "was" if more == 1 else "were"
            yield (
                one.entry.text,
                f"{counted(more, 'item')} of {one.entry.text} {were} left out of all: not every "
                "system has them under all scores",
            )


def _same_once(scores: Sequence[SweptScores]) -> list[SweptScores]:
    """The scores, each with the first that has the same."""
    every: list[SweptScores] = []
    for one in scores:
        same = (
            other.entry.text
            for other in every
            if other.values.keys() == one.values.keys()
            and all(
                np.array_equal(other.values[m], own, equal_nan=True)
                for m, own in one.values.items()
            )
        )
        every.append(replace(one, same_as=next(same, None)))
    return every


@dataclass(frozen=True, eq=False)
class _Grid:
    """Codes of systems and items that several sets of scores share."""

    systems: Sequence[str]
    items: pa.StringArray
    clusters: np.ndarray | None
    datasets: np.ndarray | None
    dataset_names: tuple[str, ...]

    @classmethod
    def of(cls, sets: Mapping[str, ItemScores], systems: Sequence[str]) -> _Grid:
        """The items of all sets, and which of them belong together."""
        columns = ("topic", "dataset", "cluster")
        every = pa.concat_tables(
            pa.table({name: one.table[name].cast(pa.string()) for name in columns})
            for one in sets.values()
        )
        every = every.combine_chunks()
        names, of_set = encode(every["dataset"])
        dataset_names = tuple(names.to_pylist()) if len(names) > 1 else ()
        if dataset_names and every["dataset"].null_count:
            raise MethodError(
                f"sweep: some scores name {counted(len(dataset_names), 'data set')}, others none: "
                "give the data set of every item"
            )
        items, t = encode(_item_names(every["topic"], every["dataset"], dataset_names))
        datasets = _of_items(t, of_set, len(items), "data sets") if dataset_names else None
        named, of_row = encode(every["cluster"])
        if not len(named):
            return cls(systems, items, None, datasets, dataset_names)
        clusters = _of_items(t, of_row, len(items), "clusters")
        alone = len(named) + np.arange(len(items))
        clusters = np.where(clusters < 0, alone, clusters)
        if datasets is not None:  # within its data set
            clusters = datasets * (len(named) + len(items)) + clusters
        clusters = np.unique(clusters, return_inverse=True)[1]
        return cls(systems, items, clusters, datasets, dataset_names)

    def values(self, scores: ItemScores) -> dict[str, np.ndarray]:
        """(T, S) means over repeats by each measure of a set; NaN where there is no score."""
        table = scores.table
        items = _item_names(table["topic"], table["dataset"], self.dataset_names)
        t = to_numpy(pc.index_in(items, self.items))
        s = to_numpy(pc.index_in(table["system"].cast(pa.string()), pa.array(self.systems)), -1)
        of_measure, value = table["measure"].cast(pa.string()), to_numpy(table["value"])
        shape = (len(self.items), len(self.systems))
        values = {}
        for measure in scores.order or scores.measures:
            own = to_numpy(pc.equal(of_measure, measure)) & (s >= 0)
            place = t[own] * shape[1] + s[own]
            count = np.bincount(place, minlength=shape[0] * shape[1])
            total = np.bincount(place, value[own], minlength=shape[0] * shape[1])
            with np.errstate(invalid="ignore"):
                values[measure] = (total / np.where(count, count, np.nan)).reshape(shape)
        return values

    def scored(self, scores: Sequence[SweptScores]) -> ScoredSystems:
        """The systems and items, with those items that all scores have."""
        known = [np.isfinite(own).all(axis=1) for one in scores for own in one.values.values()]
        common = np.flatnonzero(np.all(known, axis=0))
        if not len(common):
            names = first_few([one.entry.text for one in scores])
            raise MethodError(
                f"sweep: {names} share no item that every system has under all measures: give "
                "scores of the same items"
            )
        clusters = self.clusters
        if clusters is not None and len(np.unique(clusters)) == len(clusters):
            clusters = None
        return ScoredSystems(
            tuple(self.systems),
            tuple(self.items.to_pylist()),
            common,
            clusters,
            self.datasets,
            self.dataset_names,
        )


def _item_names(
    topics: pa.ChunkedArray, datasets: pa.ChunkedArray, names: Sequence[str]
) -> pa.ChunkedArray:
    """Items by name, those of several data sets after their data set."""
    topics = topics.cast(pa.string())
    if not names:
        return topics
    return pc.binary_join_element_wise(datasets.cast(pa.string()), topics, "/")


def _of_items(t: np.ndarray, of_row: np.ndarray, items: int, what: str) -> np.ndarray:
    """(T,) what each item belongs to, which all of its rows must say; −1: nothing."""
    of_item = np.full(items, -1, dtype=np.int64)
    np.maximum.at(of_item, t, of_row)
    if ((of_row >= 0) & (of_item[t] != of_row)).any():
        raise MethodError(f"sweep: an item is of two {what} in different scores: give each one")
    return of_item
