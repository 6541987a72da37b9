"""A sweep: which universes there are, and what they conclude, block by block."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd

from regrade.cutsearch.cut_scores import CutScores
from regrade.errors import ParameterError
from regrade.kendall import TOLERANCE
from regrade.measures import parse
from regrade.run_arrays import Judged, JudgedLists, RankedLists
from regrade.scoring import Scores
from regrade.significance.corrections import adjust
from regrade.significance.discrimination import pair_tests
from regrade.sweeps.axes import Axis, Classes, Conditions, largest_factorials, universe_numbers
from regrade.sweeps.labels import LabelledSet, LabelMaker, SweptLabels
from regrade.sweeps.options import EVERY, LIMIT, Entry, SweepSpec
from regrade.sweeps.outcomes import (
    STEPS,
    Baseline,
    RankingOutcomes,
    conclusions,
    ranked,
    statistics,
    topic_rows,
)
from regrade.sweeps.runs import SweptRuns, cannot, check_topics
from regrade.tables import scored_topics

BLOCK = 256
"""Labels of an entry that are scored, and stored, together."""

CACHE_BYTES = 400 << 20
"""What scores of thresholds may take that further blocks of an entry are made of."""

SIGNIFICANCE = 0.05

_MADE_ONCE = {"pool": 0, "ties": 1, "unjudged": 2, "measure": 3}
"""The order in which axes are gone through, so that what is laborious is made once."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Block:
    """Some labels of an entry: ``start`` to before ``stop``."""

    entry: int
    start: int
    stop: int

    def __len__(self) -> int:
        """How many labels."""
        return self.stop - self.start


@dataclass(frozen=True, eq=False)
class SweepDesign:
    """What a user asked for.

    Attributes
    ----------
    entries
        E entries of the first axis: of labels, or of scores by item.
    conditions
        The other axes: those that make scores, then the topics, then the test.
    baseline
        The baseline's level of each axis, by name.
    significance
        p is below it where a pair differs significantly.
    top
        k of "among the first k".
    seed
        Of halves of topics, of tests that draw, of bootstrap samples for the comparison of cuts.
    limit
        Universes at most.
    """

    entries: tuple[Entry, ...]
    conditions: Conditions
    baseline: Mapping[str, str]
    significance: float = SIGNIFICANCE
    top: int = 5
    seed: int = 1
    limit: int = LIMIT

    def __post_init__(self):
        """Check what numbers must be."""
        if not 0 < self.significance < 1:
            raise ParameterError(
                f"significance is {self.significance}: give a number between 0 and 1"
            )
        if self.top < 1:
            raise ParameterError(f"top is {self.top}: give a number of systems from 1")

    @classmethod
    def of(cls, written: SweepSpec, **options: object) -> SweepDesign:
        """The design of what was written; options are its other attributes."""
        axes = (Axis.of(name, entries) for name, entries in written.others.items())
        return cls(written.labels, Conditions(tuple(axes)), written.baseline, **options)

    @property
    def axes(self) -> tuple[str, ...]:
        """Names of all axes, in their order."""
        return tuple(self.baseline)

    @property
    def first(self) -> str:
        """The name of the first axis."""
        return self.axes[0]

    @property
    def baseline_entry(self) -> int:
        """Which entry of the first axis is the baseline's."""
        return [entry.text for entry in self.entries].index(self.baseline[self.first])

    @cached_property
    def baseline_condition(self) -> int:
        """Which condition is the baseline's."""
        axes = self.conditions.axes
        place = [axis.levels.index(self.baseline[axis.name]) for axis in axes]
        return int(np.ravel_multi_index(place, self.conditions.shape))

    @cached_property
    def differing(self) -> np.ndarray:
        """(K,) int64: on how many axes each condition is not at the baseline."""
        codes = self.conditions.codes
        return (codes != codes[self.baseline_condition]).sum(axis=1)

    def check_limit(self, universes: int, labels: int) -> None:
        """Refuse more universes than the limit; `labels` of that axis."""
        if universes > self.limit:
            by_axis = {self.first: labels}
            by_axis |= {axis.name: len(axis) for axis in self.conditions.axes}
            listed = ", ".join(f"{name} {count:,}" for name, count in by_axis.items())
            raise ParameterError(
                f"sweep: {universes:,} universes are more than the limit of {self.limit:,} "
                f"({listed}): leave out levels, or raise `limit`"
            )


@dataclass(eq=False)
class EntryCache:
    """What was made of one entry of labels, as long as that one is looked at.

    Attributes
    ----------
    entry
        Which.
    judged
        Its labels, in the codes of documents.
    pools
        What is left of them in each pool.
    lists, lists_of
        The rankings that were last made, and under which choices.
    scores
        The scores of thresholds, by choices, as far as `CACHE_BYTES` go.
    """

    entry: int
    judged: Judged
    pools: dict[str, Judged] = field(default_factory=dict)
    lists: JudgedLists | None = None
    lists_of: tuple[str, ...] = ()
    scores: dict[tuple[str, ...], CutScores] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Sweep:
    """A design with what it is made of.

    Attributes
    ----------
    design
        What was asked for.
    labels
        The labels of the E entries.
    runs
        The systems.
    notes
        What is to be said of labels: an entry of them, and a sentence.
    """

    design: SweepDesign
    labels: tuple[SweptLabels, ...]
    runs: SweptRuns
    notes: tuple[tuple[str, str], ...] = ()
    _threads: threading.local = field(default_factory=threading.local, init=False)
    _keys: dict[int, np.ndarray] = field(default_factory=dict, init=False)

    @classmethod
    def of(
        cls,
        design: SweepDesign,
        sets: Mapping[str, LabelledSet],
        ranked_lists: RankedLists,
        *,
        score_precision: str = "float64",
        groups: Mapping[str, str] | None = None,
        chosen: Mapping[str, Sequence[str]] | None = None,
    ) -> Sweep:
        """The sweep of a design."""
        entries = design.entries
        maker = LabelMaker(sets, entries[design.baseline_entry], design.seed, chosen or {})
        labels = maker.all(entries)
        baseline = labels[design.baseline_entry]
        ranked_lists = ranked_lists.with_topics(scored_topics(baseline.table))
        judged = Judged.from_table(baseline.table, ranked_lists)
        runs = SweptRuns(ranked_lists, judged, score_precision, groups)
        design, kept, notes = counted_once(design, labels)
        notes += check_topics(runs, kept)
        sweep = cls(design, kept, runs, tuple(notes))
        sweep.check_size()
        return sweep

    # --- which universes there are ---------------------------------------------------------

    @property
    def systems(self) -> tuple[str, ...]:
        """S names, sorted."""
        return self.runs.systems

    @cached_property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """(P,) int64 each: the systems of the pairs."""
        return np.triu_indices(len(self.systems), 1)

    @cached_property
    def is_swapped(self) -> np.ndarray:
        """(P,) bool: whether the second of a pair has the higher mean at the baseline."""
        i, j = self.pairs
        return self.baseline.means[i] - self.baseline.means[j] < -TOLERANCE

    @cached_property
    def named_pairs(self) -> dict[str, np.ndarray]:
        """The systems of the pairs, that with the higher mean at the baseline first."""
        first, second = np.array(self.systems, dtype=object)[np.array(self.pairs)]
        system = np.where(self.is_swapped, second, first)
        return {"system": system, "other": np.where(self.is_swapped, first, second)}

    @cached_property
    def classes(self) -> Classes:
        """Entries of labels that are added up together."""
        inside = np.isin(np.arange(len(self.labels)), self.factorials[0][0])
        return Classes.make(self.counts, inside)

    @property
    def counts(self) -> np.ndarray:
        """(E,) int64: labels of each entry."""
        return np.array([len(labels) for labels in self.labels], dtype=np.int64)

    @cached_property
    def reasons(self) -> dict[tuple[int, str, str], str]:
        """Why some entries of labels cannot go with a measure and an order of ties."""
        levels = {axis.name: axis.levels for axis in self.design.conditions.axes}
        reasons = {}
        every = product(levels["measure"], levels["ties"], enumerate(self.labels))
        for measure, ties, (e, labels) in every:
            if why := cannot(parse(measure), ties, labels):
                reasons[e, measure, ties] = why
        return reasons

    @cached_property
    def possible(self) -> np.ndarray:
        """(E, K) bool: which conditions an entry of labels can go with."""
        conditions = self.design.conditions
        at = {
            axis.name: np.array(axis.levels, dtype=object)[conditions.codes[:, a]]
            for a, axis in enumerate(conditions.axes)
        }
        possible = np.ones((len(self.labels), len(conditions.codes)), dtype=bool)
        for e, measure, ties in self.reasons:
            possible[e, (at["measure"] == measure) & (at["ties"] == ties)] = False
        return possible

    @property
    def items(self) -> tuple[str, ...]:
        """Names of what scores are of, in their order."""
        return self.runs.topics

    @property
    def universes(self) -> int:
        """How many there are."""
        return int((self.possible.sum(axis=1) * self.counts).sum())

    def check_size(self) -> None:
        """Refuse a sweep without its baseline, with levels that go with nothing, or too large."""
        design = self.design
        if not self.possible[design.baseline_entry, design.baseline_condition]:
            at = design.baseline_entry, design.baseline["measure"], design.baseline.get("ties")
            problem = f"the combination is impossible: {self.reasons[at]}"
            raise ParameterError(f"sweep: baseline: {problem}")
        conditions = design.conditions
        whys = dict.fromkeys(self.reasons.values())
        for labels, possible in zip(self.labels, self.possible, strict=True):
            if not possible.any():
                why = "; ".join(w for w in whys if labels.entry.text in w) or "; ".join(whys)
                raise ParameterError(
                    f"sweep: {design.first}: {labels.entry.text} goes with no other choice: {why}"
                )
        some = self.possible.any(axis=0)
        for a, axis in enumerate(conditions.axes):
            for place, level in enumerate(axis.levels):
                if not some[conditions.codes[:, a] == place].any():
                    why = "; ".join(w for w in whys if level in w) or "; ".join(whys)
                    raise ParameterError(
                        f"sweep: {axis.name}: {level} goes with no other choice: {why}"
                    )
        design.check_limit(self.universes, int(self.counts.sum()))
        self.rows  # noqa: B018  to have topics for each level

    @cached_property
    def factorials(self) -> list[list[np.ndarray]]:
        """The largest complete factorials (`regrade.sweeps.axes.largest_factorials`).

        Of each axis, labels first, the entries of labels or the levels that are in it.
        """
        shape = (len(self.labels), *self.design.conditions.shape)
        counts = [self.counts, *(np.ones(n, dtype=np.int64) for n in shape[1:])]
        return largest_factorials(self.possible.reshape(shape), counts)

    def blocks(self) -> Iterator[Block]:
        """All labels, by blocks."""
        for entry, count in enumerate(self.counts.tolist()):
            for start in range(0, count, BLOCK):
                yield Block(entry, start, min(start + BLOCK, count))

    def parts(self, count: int) -> list[list[Block]]:
        """The blocks shared out into at most `count` parts of much the same work."""
        blocks = list(self.blocks())
        # a block costs something by itself, about as much as 20 labels
        work = [(len(b) + 20) * int(self.possible[b.entry].sum()) for b in blocks]
        share = np.cumsum(work) - np.array(work) / 2
        of = np.minimum((share / max(sum(work), 1) * count).astype(int), count - 1)
        return [[b for b, p in zip(blocks, of, strict=True) if p == part] for part in range(count)]

    # --- what they conclude ----------------------------------------------------------------

    @cached_property
    def rows(self) -> list[np.ndarray]:
        """The topics of each level of that axis."""
        (axis,) = (axis for axis in self.design.conditions.axes if axis.name == "topics")
        return [topic_rows(level, self.runs.topics, self.design.seed) for level in axis.levels]

    @cached_property
    def baseline(self) -> Baseline:
        """What the baseline concludes."""
        return self.baseline_over(self.design.baseline[self.design.axes[-2]])

    def baseline_over(self, topics: str) -> Baseline:
        """What the baseline concludes, over a level of the axis of topics or ``all``."""
        at = self.design.baseline
        key = at["unjudged"], at["pool"], at["ties"], at["measure"]
        scores = self._scores_of(Block(self.design.baseline_entry, 0, 1), *key)
        rows = topic_rows(topics, self.runs.topics, self.design.seed)
        means, signed = statistics(scores, [rows])
        concluded = self._conclusions(scores, signed[0], rows, at["test"], 0, 1)
        return Baseline(means[0, 0], concluded[0])

    @cached_property
    def baseline_means(self) -> dict[str, np.ndarray]:
        """The (S,) means at the baseline but for the measure, by each that can be there."""
        design = self.design
        at, block = design.baseline, Block(design.baseline_entry, 0, 1)
        names = [axis.name for axis in design.conditions.axes]
        (levels,) = (axis.levels for axis in design.conditions.axes if axis.name == "measure")
        means = {}
        for measure in levels:
            if (design.baseline_entry, measure, at.get("ties")) not in self.reasons:
                key = tuple(measure if name == "measure" else at[name] for name in names[:-2])
                means[measure] = self.means_over(block, key, at[names[-2]])
        return means

    def scoring_keys(self, conditions: Sequence[int]) -> list[tuple[str, ...]]:
        """What `conclude` takes of some conditions, in an order in which each pool is made once."""
        axes, codes = self.design.conditions.axes, self.design.conditions.codes
        order = [axis.name for axis in axes[:-2]]
        by = sorted(range(len(order)), key=lambda a: _MADE_ONCE.get(order[a], len(order)))
        scored = sorted(set(map(tuple, codes[conditions][:, by].tolist())))
        back = np.argsort(by)
        return [tuple(axes[a].levels[of[back[a]]] for a in range(len(order))) for of in scored]

    def means_over(self, block: Block, key: tuple[str, ...], topics: str) -> np.ndarray:
        """The (S,) means under the first label of a block, over a level of the axis of topics."""
        scores = self._scores_of(block, *key)
        rows = topic_rows(topics, self.runs.topics, self.design.seed)
        return statistics(scores, [rows], block.start, block.start + 1)[0][0, 0]

    def conclude(
        self, block: Block, keys: Sequence[tuple[str, ...]]
    ) -> Iterator[tuple[tuple, int, RankingOutcomes, dict[str, np.ndarray]]]:
        """What the universes of a block conclude."""
        (tests,) = (axis for axis in self.design.conditions.axes if axis.name == "test")
        for key in keys:
            scores = self._scores_of(block, *key)
            is_entry = len(scores.lookups) > len(block)
            start, stop = (block.start, block.stop) if is_entry else (0, len(block))
            means, signed = statistics(scores, self.rows, start, stop)
            for h, rows in enumerate(self.rows):
                concluded = {
                    test: self._conclusions(scores, signed[h], rows, test, start, stop)
                    for test in tests.levels
                }
                yield key, h, ranked(means[h], self.baseline.means), concluded

    def _conclusions(self, scores, signed, rows, test, start, stop) -> np.ndarray:
        """`conclusions` of some cuts, by any test."""
        name, _, correction = test.partition("/")
        significance = self.design.significance
        if name == "t" and correction in STEPS:
            return conclusions(signed, len(rows), correction, significance)
        # any other test of pairs: computed for each cut from its p-values
        i, j = self.pairs
        if len(rows) < 2 or not len(i):  # nothing to test
            return np.zeros((stop - start, len(i)), dtype=np.int8)
        names = self.systems, tuple(self.items[t] for t in rows), (parse("nDCG"),)
        concluded = []
        for cut in range(start, stop):
            values = scores.scores(cut)[:, rows]
            of_cut = Scores(*names, values[:, :, None], np.zeros(1))
            (tests,) = pair_tests(of_cut, name, seed=self.design.seed)
            significant = adjust(tests.p, correction) < significance
            gap = values.mean(axis=1)[i] - values.mean(axis=1)[j]
            concluded.append(np.where(significant & (np.abs(gap) > TOLERANCE), np.sign(gap), 0))
        return np.array(concluded, dtype=np.int8)

    def _scores_of(
        self, block: Block, unjudged: str, pool: str, ties: str, measure: str
    ) -> CutScores:
        """The scores of a block, or of its whole entry where they are made of thresholds'."""
        labels, of = self.labels[block.entry], parse(measure)
        cache = getattr(self._threads, "cache", None)  # what this thread has made
        if cache is None or cache.entry != block.entry:
            cache = self._threads.cache = EntryCache(block.entry, self.runs.judged(labels))
        key = (unjudged, pool, ties, measure)
        if key in cache.scores:
            return cache.scores[key]
        if pool not in cache.pools:
            cache.pools[pool] = self.runs.reduced(cache.judged, pool)
        judged = cache.pools[pool]
        if cache.lists_of != key[:3]:
            high = self.runs.max_grade(labels, judged)
            cache.lists, cache.lists_of = self.runs.lists(judged, ties, unjudged, high), key[:3]
        is_whole = labels.places is not None and of.of_thresholds(labels.levels) is not None
        cuts = slice(0, len(labels)) if is_whole else slice(block.start, block.stop)
        scores = self.runs.scores(labels, judged, cache.lists, of, cuts)
        taken = sum(kept.parts.nbytes for kept in (*cache.scores.values(), scores))
        if is_whole and len(labels) > BLOCK and taken <= CACHE_BYTES:
            cache.scores[key] = scores
        return scores

    # --- numbers and names -----------------------------------------------------------------

    def universe_numbers(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of a block's universes (B, K) and of their rankings (B, K')."""
        conditions = self.design.conditions
        if block.entry not in self._keys:
            self._keys[block.entry] = self.labels[block.entry].keys()
        keys = self._keys[block.entry][block.start : block.stop, None]
        return (
            universe_numbers(keys, conditions.keys[None]),
            universe_numbers(keys, conditions.ranking_keys[None, :: conditions.tests]),
        )


def counted_once(
    design: SweepDesign, every: Sequence[SweptLabels]
) -> tuple[SweepDesign, tuple[SweptLabels, ...], list[tuple[str, str]]]:
    """A design and its labels without those that are the same as others, and notes on these."""
    baseline = every[design.baseline_entry]
    if baseline.same_as:
        raise ParameterError(f"sweep: baseline: it is the same as {baseline.same_as}: name that")
    notes = [(m.same_as, f"{m.entry.text} is the same as {m.same_as}") for m in every if m.same_as]
    kept = tuple(labels for labels in every if labels.same_as is None)
    return replace(design, entries=tuple(labels.entry for labels in kept)), kept, notes


def level_tables(sweep: Sweep) -> dict[str, pd.DataFrame]:
    """What a sweep is made of, before anything is scored."""
    conditions = sweep.design.conditions
    several = [len(axis) for axis in conditions.axes if axis.name in ("measure", "ties")]
    each = sweep.possible.shape[1] // math.prod(several)
    left_out = [
        (sweep.labels[e].entry.text, measure, ties, each * len(sweep.labels[e]), why)
        for (e, measure, ties), why in sweep.reasons.items()
    ]
    factorials = []
    for number, levels in enumerate(sweep.factorials, 1):
        inside = [sweep.labels[e] for e in levels[0]]
        factorials += [
            (number, sweep.design.first, swept.entry.text, len(swept)) for swept in inside
        ]
        for axis, own in zip(conditions.axes, levels[1:], strict=True):
            named = [axis.entries[level] for level in own]
            factorials += [(number, axis.name, e, named.count(e)) for e in dict.fromkeys(named)]
    return {
        "levels": entry_table(sweep.design, sweep.labels, sweep.notes),
        "cuts": cut_table(sweep.labels),
        "left_out": pd.DataFrame(
            left_out, columns=["labels", "measure", "tie_order", "universes", "why_not"]
        ),
        "factorials": pd.DataFrame(factorials, columns=["factorial", "axis", "entry", "choices"]),
    }


def entry_table(
    design: SweepDesign, labels: Sequence[SweptLabels], notes: Sequence[tuple[str, str]]
) -> pd.DataFrame:
    """The entries of each axis, ``sweeps/levels``; `notes` are of entries of the first."""
    at = design.conditions.codes[design.baseline_condition]
    rows = []
    for e, own in enumerate(labels):
        note = "; ".join(text for entry, text in notes if entry == own.entry.text) or None
        rows.append((design.first, own.entry.text, len(own), e == design.baseline_entry, note))
    for axis, place in zip(design.conditions.axes, at, strict=True):
        alone = "the only one: nothing varies" if len(axis) == 1 else None
        rows += [
            (axis.name, entry, axis.entries.count(entry), axis.entries[place] == entry, alone)
            for entry in dict.fromkeys(axis.entries)
        ]
    return pd.DataFrame(rows, columns=["axis", "entry", "choices", "at_baseline", "note"])


def cut_table(labels: Sequence[SweptLabels]) -> pd.DataFrame:
    """The cuts that rules have chosen, ``sweeps/cuts``."""
    cuts = [
        (own.entry.text, cut)
        for own in labels
        if own.places is not None and own.entry.rule != EVERY
        for cut in own.cuts()
    ]
    return pd.DataFrame(cuts, columns=["entry", "thresholds"])
