"""Probabilities of grades from a judge's values, beside the best cut of the same values.

Everything is held out: topics, or some of each topic's documents, take no part in what labels them
(`regrade.calibration.held_out`, `regrade.evaluations.cut_labels`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import aggregate
from regrade.calibration import maps
from regrade.calibration.held_out import LEFT_OUT, TOPICS, Both, held_out
from regrade.calibration.sets import TARGETS, shares_before, threshold
from regrade.catalogue import columns_of
from regrade.cutsearch.means import mean_where_defined
from regrade.errors import ParameterError
from regrade.evaluations.cut_labels import (
    PER_TOPIC,
    SINGLE,
    JudgeOptions,
)
from regrade.evaluations.judge_differences import beside_the_best
from regrade.evaluations.judges import JudgeComparison, labellings
from regrade.evaluations.label_agreement import agreement_of_many, joint_counts
from regrade.label_sets import LabelSet
from regrade.measures import Measure, parse_all
from regrade.run_arrays import Judged, RankedLists
from regrade.sample_means import mean_interval
from regrade.scales import COARSER, FINER
from regrade.scoring import score
from regrade.tables import label_frame

LABELS = "labels"
"""The judge's labels: its values under the best cut, or as they are on the reference's scale."""

BRIER, RANKED, ALPHA = "brier", "ranked", "alpha"

QUANTITIES = (BRIER, RANKED, ALPHA)
"""Brier's score Σ_l (P_l − [y = l])²; the ranked one Σ_l (P(≥ l) − [y ≥ l])²; α of the middle
level: means over topics of means over documents, and of topics' α."""

MEASURES = ("nDCG@10",)
"""Of the systems, where none are named: its gains can be expected ones."""

BINS = 10
"""Of probabilities, in curves."""

PLACES = 101
"""Values of a map at most, and thresholds that are tried on continuous scales."""


@dataclass(frozen=True)
class CalibrationOptions:
    """How values are calibrated.

    Attributes
    ----------
    metric
        Of α.
    folds
        Parts of the topics, and of each topic's documents, that are left out in turn.
    resamples, seed
        Of topics, for differences of τ_b; the seed is that of the parts too.
    """

    metric: str = "ordinal"
    folds: int = 10
    resamples: int = 1000
    seed: int = 1

    def __post_init__(self):
        """Check what numbers must be."""
        if self.folds < 2:
            raise ParameterError(f"folds is {self.folds}: give 2 or more")

    def judged(self, grid: Mapping[str, int]) -> JudgeOptions:
        """The same, for the cuts, of a grid of thresholds by judge."""
        return JudgeOptions(**asdict(self), grid=grid)


def calibration_tables(
    reference: LabelSet,
    judges: Sequence[LabelSet],
    ranked: RankedLists | None = None,
    measures: Sequence[str | Measure] = (),
    how: CalibrationOptions | None = None,
) -> dict[str, pd.DataFrame]:
    """Hold maps from each judge's values to grades beside the best cut of them."""
    how = how or CalibrationOptions()
    grid = {judge.name: PLACES for judge in judges if not judge.scale.finite}
    comparison = JudgeComparison(reference, ranked, parse_all(measures), how.judged(grid))
    parts = [_JudgeCalibration(comparison, judge, how).tables() for judge in judges]
    return {name: pd.concat([p[name] for p in parts], ignore_index=True) for name in parts[0]}


class _JudgeCalibration:
    """The tables of one judge."""

    def __init__(self, comparison: JudgeComparison, judge: LabelSet, how: CalibrationOptions):
        self.comparison, self.judge, self.how = comparison, judge, how
        reference, values = comparison.reference, aggregate(judge.table, "median")
        self.both = Both.of(values, reference.table, reference.levels)
        self.shares = {
            (method, left_out): shares
            for left_out in LEFT_OUT
            for method, shares in held_out(self.both, left_out, how.folds, how.seed)
        }
        self.labels = self._labels()
        for left_out, own in self.labels.items():
            hard = np.eye(comparison.levels)[np.where(np.isnan(own), 0, own).astype(np.int64)]
            hard[np.isnan(own)] = np.nan
            self.shares = {(LABELS, left_out): hard} | self.shares

    def _labels(self) -> dict[str, np.ndarray]:
        """(N,) labels by what was left out when the cut was chosen; NaN where there is none."""
        relation = self.judge.scale.relation(self.comparison.levels)
        if relation == COARSER:
            return {}
        if relation != FINER:
            return dict.fromkeys(LEFT_OUT, np.rint(self.both.values))
        wanted = {(SINGLE, True): TOPICS, (PER_TOPIC, True): LEFT_OUT[1]}
        # by labels alone: no runs
        alone = JudgeComparison(self.comparison.reference, how=self.comparison.how)
        topics = np.array(self.both.topics, object)[self.both.topic]
        in_order = pd.MultiIndex.from_arrays([topics, self.both.docnos])
        by_part = {}
        for labels in labellings(alone, self.judge):
            if (labels.cut, labels.held_out) in wanted:
                known = label_frame(labels.table).set_index(["topic", "docno"])["grade"]
                left_out = wanted[labels.cut, labels.held_out]
                by_part[left_out] = known.reindex(in_order).to_numpy(float)
        return by_part

    def tables(self) -> dict[str, pd.DataFrame]:
        """By name."""
        tables = {}
        for make in (self.methods, self.rankings, self.maps, self.curves, self.sets):
            columns = columns_of(f"calibration/{make.__name__}")
            rows = ((self.judge.name, *row) for row in make())
            tables[make.__name__] = pd.DataFrame(rows, columns=columns)
        return tables

    def methods(self) -> Iterator[tuple]:
        """How far each is from people's levels, and by how much more or less than the labels."""
        parts = min(self.how.folds, len(self.both.topics))
        for left_out in LEFT_OUT:
            under = {
                m: self._by_topic(s) for (m, part), s in self.shares.items() if part == left_out
            }
            for method, by_quantity in under.items():
                for quantity, values in zip(QUANTITIES, by_quantity, strict=True):
                    known = values[np.isfinite(values)]
                    mean = mean_where_defined(known), *mean_interval(known)
                    row = method, left_out, quantity, *mean, len(known)
                    drawn = parts, self.how.seed
                    if method == LABELS or LABELS not in under:
                        yield *row, np.nan, np.nan, np.nan, *drawn
                        continue
                    apart = values - under[LABELS][QUANTITIES.index(quantity)]
                    apart = apart[np.isfinite(apart)]
                    ends = mean_interval(apart, "taught_difference", parts)
                    yield *row, mean_where_defined(apart), *ends, *drawn

    def _by_topic(self, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(T,) each of `QUANTITIES`; NaN where undefined."""
        both = self.both
        truth = np.eye(both.count)[both.levels]
        above = np.cumsum((shares - truth)[:, ::-1], axis=1)[:, -2::-1]
        own = middle_levels(shares)
        joints = np.stack([
            joint_counts(both.levels[its], own[its], both.count)
            for its in (both.topic == t for t in range(len(both.topics)))
        ])  # fmt: skip
        alpha = agreement_of_many(joints, np.arange(both.count, dtype=float), self.how.metric)[:, 0]
        brier = both.means(((shares - truth) ** 2).sum(axis=1))
        return brier, both.means((above**2).sum(axis=1)), alpha

    def rankings(self) -> Iterator[tuple]:
        """How like the reference systems are ranked, topics being left out."""
        comparison, both = self.comparison, self.both
        if comparison.ranked is None:
            return
        grades = {
            method: shares @ np.arange(both.count)
            for (method, left_out), shares in self.shares.items()
            if left_out == TOPICS
        }
        topics = sorted(set(comparison.judged.topics) & set(both.topics))
        theirs = comparison.on(topics)
        for m, measure in enumerate(comparison.measures):
            taus = {}
            for method, grade in grades.items():
                if method == LABELS or measure.relevant_from is None:
                    table = both.table(grade).filter(pa.array(np.isfinite(grade)))
                    judged = Judged.from_table(table, comparison.ranked)
                    how = {"max_grade": comparison.levels - 1, "topics": topics}
                    own = score(comparison.ranked, judged, [measure], **how).values[:, :, 0]
                    taus[method] = theirs.correlations(own, m)["tau"]
            if not taus:  # no cut could be learned, and the measure takes nothing else
                continue
            methods = list(taus)
            for place, beside in beside_the_best(np.stack([*taus.values()]), len(topics)):
                method = methods[place]
                ends = (
                    beside[name] for name in ("difference", "low", "high", "p_adjusted", "verdict")
                )
                yield method, str(measure), taus[method][0], *ends, self.how.resamples

    def maps(self) -> Iterator[tuple]:
        """Each map that knows no topics, from all documents."""
        both = self.both
        values = np.unique(both.values)
        if len(values) > PLACES:
            values = np.unique(np.quantile(values, np.linspace(0, 1, PLACES), method="nearest"))
        for method in (maps.ISOTONIC, maps.ODDS):
            shares = maps.fit(method, both.values, both.levels, both.count)(values)
            for value, row in zip(values, shares, strict=True):
                yield from ((method, value, float(level), row[level]) for level in range(len(row)))

    def curves(self) -> Iterator[tuple]:
        """What was said of reaching each level, and how often that was so."""
        both = self.both
        for (method, left_out), shares in self.shares.items():
            if method == LABELS:
                continue
            reached = np.cumsum(shares[:, ::-1], axis=1)[:, ::-1]
            for level in range(1, both.count):
                probability, is_so = reached[:, level], both.levels >= level
                place = np.minimum((probability * BINS + 1e-12).astype(np.int64), BINS - 1)
                for number in np.unique(place):
                    its = place == number
                    means = probability[its].mean(), is_so[its].mean()
                    yield method, left_out, float(level), int(number), int(its.sum()), *means

    def sets(self) -> Iterator[tuple]:
        """Sets of levels for documents of topics that had no part in them."""
        both = self.both
        for method in maps.MAPS:
            before = shares_before(self.shares[method, TOPICS])
            own = before[np.arange(len(both)), both.levels]
            for target in TARGETS:
                inside = np.zeros(before.shape, bool)
                for t in range(len(both.topics)):
                    its = both.topic == t
                    inside[its] = before[its] <= threshold(own[~its], both.topic[~its], target)
                covered = both.means(inside[np.arange(len(both)), both.levels].astype(float))
                size = inside.sum(axis=1)
                ends = mean_interval(covered)
                one_level = both.means((size == 1).astype(float)).mean()
                sizes = both.means(size.astype(float)).mean()
                yield method, target, covered.mean(), *ends, sizes, one_level, len(covered)


def middle_levels(shares: np.ndarray) -> np.ndarray:
    """(N,) int64: of each document the level with at least half of the probability up to it."""
    return np.argmax(np.cumsum(shares, axis=1) >= 0.5 - 1e-12, axis=1)
