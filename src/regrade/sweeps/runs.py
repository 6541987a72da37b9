"""Runs as a sweep ranks them: with ties in each order, judged in each pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from regrade.audit.rankings import audit_judged
from regrade.choices import DEPTH
from regrade.cutsearch.cut_scores import CutScores, scores_of_cuts
from regrade.errors import ParameterError
from regrade.measures import Measure
from regrade.pools.leave_out import LeaveOut, leave_out_of_pool
from regrade.pools.options import Pooling
from regrade.pools.pooling import deeply_judged, judged_depth, keep, make_pool
from regrade.run_arrays import Judged, JudgedLists, RankedLists
from regrade.scoring import highest_grade
from regrade.sweeps.labels import SweptLabels
from regrade.sweeps.options import ALL
from regrade.tables import scored_topics
from regrade.tied_scores.expectations import RECALL_BASED, UTILITY_BASED, ExpectedLists
from regrade.tied_scores.groups import TieGroups

EXPECTED = "expected"
CONDENSED = "condensed"

LACKING = 0.1
"""Labels may lack so many of the topics; of more, a ranking says too little."""


@dataclass(frozen=True, eq=False)
class SweptRuns:
    """The rankings of a sweep, and the topics that count: those that the baseline's labels judge.

    On a topic that other labels lack, every system scores 0 under them, as on one whose judgments a
    pool has taken away.

    Attributes
    ----------
    ranked
        Of S systems, with their scores.
    baseline
        The labels of the baseline, schema ``qrels``.
    score_precision
        As what scores are compared; as the runs were ordered.
    groups
        The group of each system, where groups are left out.
    """

    ranked: RankedLists
    baseline: Judged
    score_precision: str = "float64"
    groups: Mapping[str, str] | None = None
    _orders: dict = field(default_factory=dict, init=False)
    _pools: dict = field(default_factory=dict, init=False)

    @property
    def topics(self) -> tuple[str, ...]:
        """T names."""
        return self.baseline.topics

    topics_are = "topics of the baseline's labels"

    @property
    def systems(self) -> tuple[str, ...]:
        """S names, sorted."""
        return self.ranked.systems

    @property
    def made_from(self) -> tuple:
        """What scores depend on, beside labels."""
        return self.ranked, self.score_precision, self.topics, sorted((self.groups or {}).items())

    @cached_property
    def tie_groups(self) -> TieGroups:
        """The documents of one score."""
        return TieGroups.by_score(self.ranked, self.score_precision)

    @cached_property
    def judged_depth(self) -> int:
        """How deep half of the systems are judged by the baseline's labels."""
        audit = audit_judged(self.ranked, {"baseline": self.baseline})
        return judged_depth(deeply_judged(audit), "write the depth, as {without: group, depth: 10}")

    @property
    def facts(self) -> list[tuple]:
        """Rows of ``sweeps/facts`` on how topics belong together: none."""
        return []

    def judged(self, labels: SweptLabels) -> Judged:
        """The labels in the codes of the documents, on the topics that count."""
        return Judged.from_table(labels.table, self.ranked).with_topics(self.topics)

    def reduced(self, judged: Judged, pool: str) -> Judged:
        """What is left of labels in a pool."""
        if pool == ALL:
            return judged
        by, _, name = pool.partition(": ")
        if not name:
            if pool not in self._pools:
                depth = None if "@" in pool else int(pool.rpartition("-")[2])
                pooling = Pooling(DEPTH, depth=depth) if depth else Pooling.read(pool)
                self._pools[pool] = make_pool(self.ranked, pooling, scores=self.ranked.scores)
            return self._pools[pool].reduce(judged)
        left = self._leave_out(judged, by)
        without = left.remaining(left.left_out.names.index(name))
        return keep(judged, ~(left.pooled & ~without))

    def _leave_out(self, judged: Judged, by: str) -> LeaveOut:
        """What stays judged without each run or group; of one set of labels at a time."""
        key = (id(judged), by)
        if self._pools.get("left out", (None,))[0] != key:
            words = by.split()  # without group to 10
            depth = int(words[-1]) if "to" in words else self.judged_depth
            groups = None
            if words[1] == "group":
                known = self.groups or {}
                groups = pd.DataFrame({"system": list(known), "group": list(known.values())})
            left = leave_out_of_pool(
                self.ranked, judged, Pooling(DEPTH, depth=depth), words[1], groups=groups
            )
            # the labels are kept with what is known of them, so that no others take their place
            self._pools["left out"] = (key, left, judged)
        return self._pools["left out"][1]

    def lists(self, judged: Judged, ties: str, unjudged: str, max_grade: float) -> JudgedLists:
        """The rankings as a universe scores them."""
        if ties == EXPECTED:
            lists = JudgedLists.match(self.ranked, judged, max_grade)
            lists = ExpectedLists.of(lists, self.tie_groups)
        else:
            if ties not in self._orders:
                self._orders[ties] = self.tie_groups.in_order(self.ranked, ties)
            lists = JudgedLists.match(self._orders[ties], judged, max_grade)
        return lists.condensed() if unjudged == CONDENSED else lists

    def scores(
        self, labels: SweptLabels, judged: Judged, lists: JudgedLists, measure: Measure, cuts: slice
    ) -> CutScores:
        """The scores of all systems under some cuts of labels, or under the labels as they are."""
        if labels.places is not None:
            codes = labels.codes(judged.grades)
            return scores_of_cuts(lists, codes, measure, labels.places[cuts], labels.levels)
        scored = lists.condensed() if measure.judged_only else lists
        values = np.ascontiguousarray(measure.values(scored).T[:, None, :])
        alone, same = np.zeros((1, 1), dtype=np.int64), np.zeros((len(values), 1), dtype=np.int64)
        return CutScores(alone, values, ideal=None, weights=np.ones(1), same=same, cuts=alone)

    def max_grade(self, labels: SweptLabels, judged: Judged) -> float:
        """The highest grade of the scale that labels are on."""
        if labels.places is not None:
            return labels.levels - 1.0
        high = labels.scale.high
        return highest_grade(high if np.isfinite(high) else None, judged)


def cannot(measure: Measure, ties: str, labels: SweptLabels) -> str:
    """Why a measure cannot be had with ties so settled, or of some labels; empty if it can."""
    if ties == EXPECTED and measure.name not in (*UTILITY_BASED, *RECALL_BASED):
        return f"{measure}: the mean over orders of ties is not known in closed form"
    why = measure.why_not(labels.scale, labels.entry.text)
    return f"{measure}: {why}" if why else ""


def check_topics(runs: SweptRuns, entries: Sequence[SweptLabels]) -> list[tuple[str, str]]:
    """The entries whose labels lack topics, and which ones, in a sentence."""
    notes = []
    for labels in entries:
        own = scored_topics(labels.table)
        lacking = [topic for topic in runs.topics if topic not in own]
        if len(lacking) > LACKING * len(runs.topics):
            raise ParameterError(
                f"sweep: labels: {labels.entry.text} has {len(runs.topics) - len(lacking)} of the "
                f"{len(runs.topics)} topics of the baseline's labels, and every system would score "
                "0 on the others: leave it out, or keep the topics that all have (`topics` of a "
                "collection)"
            )
        if lacking:
            note = (
                f"{labels.entry.text} lacks {len(lacking)} of {len(runs.topics)} topics of the "
                f"baseline, on which every system scores 0: {', '.join(lacking[:5])}"
            )
            notes.append((labels.entry.text, note))
    return notes
