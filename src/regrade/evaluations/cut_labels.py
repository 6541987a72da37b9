"""A judge's labels on the scale of a reference: uncut, under a default cut, under chosen ones.

A judge is a set of judgments of documents on a scale of its own: a language model's scores, a
crowd's sliders.  Where that scale is finer than the reference's it must be cut before labels can be
held beside labels, and which cut is taken is a choice:

    uncut       the values as they are
    rounded     the scale stretched over the levels and rounded; needs no reference
    a name      thresholds that a user gives; needs none either
    single      the one cut for all topics with the highest mean α
    per-topic   each topic's own best cut
    by-tau      the one cut whose ranking of systems is most like the reference's

The last three are chosen by the reference that also judges them.  *Held out*, they are not: a
topic is labelled by the single cut of the other topics, or by the cut that ranks the systems best
on the other topics; for its own cut its documents are put into folds at random, and the documents
of a fold are labelled by the cut that those of the other folds choose.  So every document has one
label under each, and no label was chosen by what judges it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import aggregate, source_values
from regrade.catalogue import ALL_TOPICS
from regrade.cutsearch.best import best_index
from regrade.cutsearch.means import mean_under_coverage
from regrade.cutsearch.options import AlphaOptions
from regrade.cutsearch.search import SearchPlan
from regrade.errors import ParameterError
from regrade.measures import Measure
from regrade.randomness import generator
from regrade.run_arrays import RankedLists
from regrade.scales import Scale
from regrade.trust.bootstrap import RepeatedSearch
from regrade.trust.held_out import (
    chosen_without,
    scores_under_cuts,
    tau_of_some,
    tau_without,
)
from regrade.trust.named_cuts import ends_of, moved_apart, place_of
from regrade.trust.resampling import drawn_again
from regrade.trust.searches import RankedInput
from regrade.trust.systems import Labeller

UNCUT, ROUNDED, SINGLE, PER_TOPIC, BY_TAU = "uncut", "rounded", "single", "per-topic", "by-tau"
"""What may be done with a judge's values, beside a user's cuts by name."""

FINER, SAME, COARSER = "finer", "same", "coarser"
"""How a judge's scale stands to the reference's."""


@dataclass(frozen=True, eq=False)
class Judge:
    """A set of judgments that a reference judges.

    Attributes
    ----------
    name
        What it is called.
    table
        Schema ``qrels``, or ``judgments``, of which the median of a document's values counts.
    scale
        What its values are on.
    named : mapping of str to sequence of float
        A user's cuts by name.
    grid
        How many thresholds are tried at most (see `regrade.cutsearch.search.search`).
    """

    name: str
    table: pa.Table
    scale: Scale
    named: Mapping[str, Sequence[float]] = field(default_factory=dict)
    grid: int | None = None

    def relation(self, levels: int) -> str:
        """How its scale stands to one of so many levels."""
        if self.scale.is_levels(levels):
            return SAME
        of_own = self.scale.levels
        return COARSER if of_own is not None and of_own <= levels else FINER


@dataclass(frozen=True, eq=False)
class CutLabels:
    """What one treatment makes of a judge's values.

    Attributes
    ----------
    cut
        `UNCUT`, `ROUNDED`, a user's name, `SINGLE`, `PER_TOPIC` or `BY_TAU`.
    held_out
        Whether what judges it had no part in the choice.
    table
        Schema ``qrels``: one label per document (uncut: its value).
    thresholds : mapping of str to tuple of float
        By topic; without those whose documents have several cuts, and empty uncut.
    borrowed
        How many topics had no best cut of their own and took the single one.
    """

    cut: str
    held_out: bool
    table: pa.Table
    thresholds: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    borrowed: int = 0


def rounded_cut(scale: Scale, values: np.ndarray, levels: int) -> np.ndarray:
    """Thresholds of a scale stretched evenly over the levels and rounded; shape (levels − 1,).

    Halves are rounded up, so a value *at* one of these has the upper level.
    """
    low, high = ends_of(scale, values)
    return low + (high - low) * (np.arange(1, levels) - 0.5) / (levels - 1)


def rounded_places(thresholds: np.ndarray, cut: np.ndarray) -> np.ndarray:
    """Places of the highest thresholds below each of `cut`, moved apart where they coincide."""
    # a step of 1/10 may stand a last bit off the half
    below = np.searchsorted(thresholds, cut - 1e-9) - 1
    return moved_apart(below, len(thresholds))


@dataclass(frozen=True, eq=False)
class JudgeCuts:
    """A judge whose scale is finer than the reference's, and every cut of it.

    Attributes
    ----------
    judge
        The judge.
    reference
        Schema ``qrels``, on `levels` levels.
    levels
        Of the reference's scale.
    metric, coverage
        Of the search (`regrade.cutsearch.search.search`, method ``d2_at``).
    folds, seed
        Into how many parts a topic's documents are put for its own cut held out, and of which
        seed.
    """

    judge: Judge
    reference: pa.Table
    levels: int
    metric: str = "ordinal"
    coverage: float = 0.9
    folds: int = 10
    seed: int = 1

    @cached_property
    def search(self) -> RepeatedSearch:
        """The search of all cuts."""
        search = self._transformation.search("d2_at", self.reference)
        plan = search.plan
        plan.thresholds.check_size(self.levels, len(plan.topics))
        return search

    @property
    def _transformation(self) -> RankedInput:
        judge = self.judge
        options = AlphaOptions(metric=self.metric, coverage=self.coverage, grid=judge.grid)
        return RankedInput(judge.table, judge.scale, self.levels, options)

    @property
    def plan(self) -> SearchPlan:
        """What is searched."""
        return self.search.plan

    @property
    def topics(self) -> list[str]:
        """T topics that the judge and the reference have."""
        return [topic.topic for topic in self.plan.topics]

    @cached_property
    def criterion(self) -> np.ndarray:
        """α of every cut on each topic, (C, T); NaN where undefined."""
        return self.search.criteria

    @cached_property
    def values(self) -> pa.Table:
        """One value per document, schema ``qrels``."""
        return aggregate(self.judge.table, "median")

    @cached_property
    def _labellers(self) -> list[Labeller]:
        """What labels each topic's documents under cuts."""
        return [Labeller(self.plan, topic) for topic in self.plan.topics]

    def single(self) -> int:
        """The best cut for all topics; −1 where there is none."""
        return best_index(self.search.places, mean_under_coverage(self.criterion, self.coverage))

    def labelled(self) -> Iterator[CutLabels]:
        """Labels under every treatment that α chooses, and under those that nothing does."""
        yield CutLabels(UNCUT, False, self.values)
        known = self.plan.thresholds.values
        cut = rounded_cut(self.judge.scale, source_values(self.judge.table), self.levels)
        yield self._under(ROUNDED, False, rounded_places(known, cut))
        for name, thresholds in self.judge.named.items():
            self._check(name, thresholds)
            yield self._under(name, False, place_of(self.plan.thresholds, thresholds))
        single = self.single()
        if single < 0:
            return
        places = self.search.places
        yield self._under(SINGLE, False, places[single])
        own = np.array([best_index(places, column) for column in self.criterion.T])
        borrowed = int((own < 0).sum())
        yield self._under(PER_TOPIC, False, places[np.where(own < 0, single, own)], borrowed)
        if len(self.topics) < 2:
            return
        others = chosen_without(places, self.criterion, self.coverage)
        if (others < 0).any():
            return
        yield self._under(SINGLE, True, places[others])
        yield self._in_folds(others)

    def by_tau(self, ranked: RankedLists, measure: str | Measure) -> Iterator[CutLabels]:
        """Labels under the cut that ranks systems most like the reference does."""
        under = replace(self._transformation, ranked=ranked, measure=measure)
        scored = scores_under_cuts(under, self.values, self.reference)
        if scored is None:
            return
        scores, theirs, topics = scored
        places = scores.cuts.astype(np.int64)
        (of_all,) = tau_of_some(scores, theirs, [np.arange(theirs.shape[1])], 1)
        single = best_index(places, of_all)
        if single < 0:
            return
        yield self._under(BY_TAU, False, places[single])
        if len(topics) < 2:
            return
        every = tau_without(scores, theirs, among=single)
        chosen = {t: best_index(places, every[:, i]) for i, t in enumerate(topics)}
        # a topic that no system is ranked on had no part in the choice
        cuts = np.array([chosen.get(topic, single) for topic in self.topics])
        if (cuts >= 0).all():
            yield self._under(BY_TAU, True, places[cuts])

    def _check(self, name: str, thresholds: Sequence[float]) -> None:
        if name in (UNCUT, ROUNDED, SINGLE, PER_TOPIC, BY_TAU):
            raise ParameterError(f"{self.judge.name}: the cut '{name}' is taken; call it otherwise")
        if len(thresholds) != self.levels - 1 or list(thresholds) != sorted(set(thresholds)):
            raise ParameterError(
                f"{self.judge.name}: the cut '{name}' {list(thresholds)}: a cut into {self.levels} "
                f"levels has {self.levels - 1} thresholds, ascending"
            )

    def _under(self, cut: str, held_out: bool, places: np.ndarray, borrowed: int = 0) -> CutLabels:
        """Labels under one cut for all topics, or one for each: places (k − 1,) or (T, k − 1)."""
        topics = self.plan.topics
        of_topics = np.broadcast_to(places, (len(topics), self.levels - 1))
        levels = [
            labeller.levels_under(own[None])[0]
            for labeller, own in zip(self._labellers, of_topics, strict=True)
        ]
        known = self.plan.thresholds.values
        thresholds = {
            topic.topic: tuple(map(float, known[own]))
            for topic, own in zip(topics, of_topics, strict=True)
        }
        return CutLabels(cut, held_out, self._table(levels), thresholds, borrowed)

    def _in_folds(self, others: np.ndarray) -> CutLabels:
        """Each topic's own cut, chosen by the documents of the other folds."""
        levels, borrowed = [], 0
        topics = zip(self.plan.topics, self._labellers, others, strict=True)
        for topic, labeller, fallback in topics:
            fold = self._folds(topic.topic, topic.n_documents)
            of_topic = np.zeros(topic.n_documents, dtype=np.int64)
            own = self.plan.labels[topic.topic]
            lacks = False
            for number in np.unique(fold):
                rest = drawn_again(topic, "documents", (fold != number).astype(np.int64), own)
                best = best_index(self.search.places, self.search.criterion(*rest))
                lacks |= best < 0
                under = self.search.places[fallback if best < 0 else best]
                its = fold == number
                of_topic[its] = labeller.levels_under(under[None])[0][its]
            levels.append(of_topic)
            borrowed += lacks
        return CutLabels(PER_TOPIC, True, self._table(levels), {}, borrowed)

    def _folds(self, topic: str, n: int) -> np.ndarray:
        """The fold of each of n documents; sizes differ by one at most."""
        return generator(self.seed, "folds of documents", topic).permutation(n) % self.folds

    def _table(self, levels: Sequence[np.ndarray]) -> pa.Table:
        topics = self.plan.topics
        columns = {
            "topic": np.concatenate(
                [np.full(len(t.docnos), t.topic, dtype=object) for t in topics]
            ),
            "docno": np.concatenate([t.docnos.astype(object) for t in topics]),
            "grade": np.concatenate(levels).astype(np.float64),
        }
        return pa.table({name: pa.array(column) for name, column in columns.items()})


def cuts_frame(judge: str, labels: CutLabels, alpha: pd.Series) -> pd.DataFrame:
    """Which cuts a treatment took, and their α by topic (table ``judges/cuts``)."""
    rows = []
    for topic, value in alpha.items():
        own = labels.thresholds.get(str(topic), ())
        rows.append((str(topic), *_three(own), value))
    shared = set(labels.thresholds.values())
    common = next(iter(shared)) if len(shared) == 1 and not labels.held_out else ()
    rows.append((ALL_TOPICS, *_three(common), alpha.mean()))
    frame = pd.DataFrame(rows, columns=["topic", "c1", "c2", "c3", "alpha"])
    first = {"judge": judge, "cut": labels.cut, "held_out": labels.held_out}
    return pd.concat([pd.DataFrame(first, index=frame.index), frame], axis=1)


def _three(thresholds: Sequence[float]) -> tuple[float, ...]:
    return (*thresholds, *[np.nan] * (3 - len(thresholds)))
