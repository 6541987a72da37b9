"""A judge's labels on the scale of a reference: uncut, under a default cut, under chosen ones.

A judge is a set of judgments of documents on a scale of its own: a language model's scores, a
crowd's sliders.  Where that scale is finer than the reference's it must be cut before labels can be
compared with labels, and which cut is taken is a choice:

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
from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.choices import COMPARED_DOCUMENTS
from regrade.cutsearch.best import best_index
from regrade.cutsearch.options import AlphaOptions
from regrade.errors import ParameterError, check_choice
from regrade.label_sets import LabelSet
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


@dataclass(frozen=True)
class JudgeOptions:
    """How judges are compared with a reference.

    Attributes
    ----------
    metric, weights
        Of Krippendorff's α, which also chooses the cuts, and of weighted κ.
    coverage
        Of the search (see `regrade.cutsearch.search.search`).
    folds
        Of a topic's documents, for its own cut held out.
    documents
        ``all``: each judge's labels, a document without one being not relevant; ``shared``: those
        of documents that the reference and every judge labelled.
    correction, significance
        Of the paired t-test of pairs of systems.
    resamples, seed
        Of topics; the seed is that of the folds too.
    persistence
        φ of RBO.
    tops
        Numbers of first systems that are compared.
    cuts
        A user's cuts, by judge and name.
    grid
        By judge, how many thresholds are tried at most (see `regrade.cutsearch.search.search`).
    """

    metric: str = "ordinal"
    weights: str = "linear"
    coverage: float = 0.9
    folds: int = 10
    documents: str = "all"
    correction: str = "none"
    significance: float = 0.05
    resamples: int = 1000
    seed: int = 1
    persistence: float = 0.9
    tops: Sequence[int] = (1, 3, 5, 10)
    cuts: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)
    grid: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self):
        """Check what choices and numbers must be."""
        check_choice("documents", self.documents, COMPARED_DOCUMENTS)
        if not 0 < self.significance < 1:
            raise ParameterError(
                f"significance is {self.significance}: give a number between 0 and 1"
            )
        if self.folds < 2:
            raise ParameterError(f"folds is {self.folds}: give 2 or more")
        if self.resamples < 1:
            raise ParameterError(f"resamples is {self.resamples}: give at least 1")


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
    judge, reference
        Which.
    how
        How cuts are searched (`regrade.cutsearch.search.search`, method ``d2_at``), and into how
        many parts a topic's documents are put for its own cut held out.
    """

    judge: LabelSet
    reference: LabelSet
    how: JudgeOptions = field(default_factory=JudgeOptions)

    @property
    def _transformation(self) -> RankedInput:
        judge, how = self.judge, self.how
        grid = how.grid.get(judge.name)
        options = AlphaOptions(metric=how.metric, coverage=how.coverage, grid=grid)
        return RankedInput(judge.table, judge.scale, self.reference.levels, options)

    @cached_property
    def search(self) -> RepeatedSearch:
        """The search of all cuts."""
        search = self._transformation.search("d2_at", self.reference.table)
        search.plan.thresholds.check_size(self.reference.levels, len(search.names))
        return search

    @cached_property
    def values(self) -> pa.Table:
        """One value per document, schema ``qrels``."""
        return aggregate(self.judge.table, "median")

    @cached_property
    def _labellers(self) -> list[Labeller]:
        """What labels each topic's documents under cuts."""
        return [Labeller(self.search.plan, topic) for topic in self.search.plan.topics]

    def labelled(self) -> Iterator[CutLabels]:
        """Labels under every treatment that α chooses, and under those that nothing does."""
        yield CutLabels(UNCUT, False, self.values)
        search, levels, thresholds = self.search, self.reference.levels, self.search.plan.thresholds
        cut = rounded_cut(self.judge.scale, source_values(self.judge.table), levels)
        yield self._under(ROUNDED, False, rounded_places(thresholds.values, cut))
        for name, own in self.how.cuts.get(self.judge.name, {}).items():
            if name in (UNCUT, ROUNDED, SINGLE, PER_TOPIC, BY_TAU):
                problem = f"the cut '{name}' is taken: rename it"
                raise ParameterError(f"{self.judge.name}: {problem}")
            if len(own) != levels - 1 or list(own) != sorted(set(own)):
                raise ParameterError(
                    f"{self.judge.name}: the cut '{name}' {list(own)}: a cut into {levels} "
                    f"levels has {levels - 1} thresholds, ascending"
                )
            yield self._under(name, False, place_of(thresholds, own))
        if search.best < 0:
            return
        yield self._under(SINGLE, False, search.places[search.best])
        own = np.where(search.own < 0, search.best, search.own)
        yield self._under(PER_TOPIC, False, search.places[own], int((search.own < 0).sum()))
        if len(search.names) < 2:
            return
        others = chosen_without(search.places, search.criteria, search.coverage)
        if (others < 0).any():
            return
        yield self._under(SINGLE, True, search.places[others])
        yield self._in_folds(others)

    def by_tau(self, ranked: RankedLists, measure: str | Measure) -> Iterator[CutLabels]:
        """Labels under the cut that ranks systems most like the reference does."""
        under = replace(self._transformation, ranked=ranked, measure=measure)
        scored = scores_under_cuts(under, self.values, self.reference.table)
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
        cuts = np.array([chosen.get(topic, single) for topic in self.search.names])
        if (cuts >= 0).all():
            yield self._under(BY_TAU, True, places[cuts])

    def _under(self, cut: str, held_out: bool, places: np.ndarray, borrowed: int = 0) -> CutLabels:
        """Labels under one cut for all topics, or one for each: places (k − 1,) or (T, k − 1)."""
        topics, known = self.search.names, self.search.plan.thresholds.values
        of_topics = np.broadcast_to(places, (len(topics), self.reference.levels - 1))
        levels, thresholds = [], {}
        for topic, labeller, own in zip(topics, self._labellers, of_topics, strict=True):
            levels.append(labeller.levels_under(own[None])[0])
            thresholds[topic] = tuple(map(float, known[own]))
        return CutLabels(cut, held_out, self._table(levels), thresholds, borrowed)

    def _in_folds(self, others: np.ndarray) -> CutLabels:
        """Each topic's own cut, chosen by the documents of the other folds."""
        search, levels, borrowed = self.search, [], 0
        for t, (topic, known) in enumerate(zip(search.plan.topics, search.labels, strict=True)):
            rng = generator(self.how.seed, "folds of documents", topic.topic)
            fold = rng.permutation(topic.n_documents) % self.how.folds
            of_topic = np.zeros(topic.n_documents, dtype=np.int64)
            lacks = False
            for number in np.unique(fold):
                its = fold == number
                rest = drawn_again(topic, "documents", (~its).astype(np.int64), known)
                best = best_index(search.places, search.criterion(*rest))
                lacks |= best < 0
                under = search.places[others[t] if best < 0 else best]
                of_topic[its] = self._labellers[t].levels_under(under[None])[0][its]
            levels.append(of_topic)
            borrowed += lacks
        return CutLabels(PER_TOPIC, True, self._table(levels), {}, borrowed)

    def _table(self, levels: Sequence[np.ndarray]) -> pa.Table:
        topics = self.search.plan.topics
        columns = {
            "topic": np.repeat(np.array(self.search.names, object), [*map(len, levels)]),
            "docno": np.concatenate([topic.docnos.astype(object) for topic in topics]),
            "grade": np.concatenate(levels).astype(np.float64),
        }
        return pa.table(columns)


def cut_rows(labels: CutLabels, alpha: pd.Series) -> Iterator[dict]:
    """Which cuts a treatment took, and their α by topic (table ``judges/cuts``)."""
    shared = set(labels.thresholds.values())
    common = next(iter(shared)) if len(shared) == 1 and not labels.held_out else ()
    thresholds = {**labels.thresholds, ALL_TOPICS: common}
    for topic, value in (*alpha.items(), (ALL_TOPICS, alpha.mean())):
        cut = dict(zip(CUT_COLUMNS, thresholds.get(topic, ()), strict=False))
        yield {"topic": topic, "alpha": value} | cut
