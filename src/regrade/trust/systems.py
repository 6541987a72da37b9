"""Rankings of systems under labels that a cut made, for many cuts and draws of judgments.

nDCG is linear in the documents' gains, so a topic needs one matrix: with which discount each system
ranks each document.  A row of levels times that matrix scores all systems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from regrade.aggregation import aggregates, histogram_aggregate
from regrade.catalogue.arrow import SCHEMAS
from regrade.compiled import njit
from regrade.cutsearch.data import TopicJudgments
from regrade.cutsearch.search import SearchPlan
from regrade.cutsearch.system_tau import scores_by_topic
from regrade.errors import ParameterError
from regrade.formulas import dcg_discount, dcg_gains
from regrade.measures import Measure, parse
from regrade.run_arrays import Judged, RankedLists


@dataclass(frozen=True)
class JudgedSystems:
    """S systems on the documents of the topics that a search is of.

    Attributes
    ----------
    names
        Of the systems, sorted.
    discounts : mapping of str to array, shape (S, D)
        By topic: 1 / the discount of the rank of each document in each system's ranking, 0 beyond
        the measure's cutoff.  Topics without runs are missing.
    first : array of float64
        Sums of the first n discounts, from n = 0; the last is that of the cutoff.
    gains : array of float64, shape (levels,)
        Of the target scale; the lowest has none.
    experts : mapping of str to mapping of str to array, shape (S,)
        By expert, then topic: the scores under the expert's labels.
    """

    names: tuple[str, ...]
    discounts: Mapping[str, np.ndarray]
    first: np.ndarray
    gains: np.ndarray
    experts: Mapping[str, Mapping[str, np.ndarray]]

    @classmethod
    def of(
        cls,
        ranked: RankedLists,
        topics: Sequence[TopicJudgments],
        levels: int,
        measure: str | Measure,
        experts: Mapping[str, pa.Table],
    ) -> JudgedSystems:
        """Look up where systems rank the documents."""
        measure = parse(measure)
        if measure.name != "nDCG":
            raise ParameterError(
                f"{measure}: systems are ranked under resampled judgments by nDCG only"
            )
        gains = dcg_gains(measure, np.arange(levels, dtype=float))
        if gains[0] != 0:
            raise ParameterError(f"{measure}: the lowest level must have no gain, not {gains[0]:g}")
        places = [
            (topic.topic, docno, float(d))
            for topic in topics
            for d, docno in enumerate(topic.docnos)
        ]
        columns = zip(*places, strict=True) if places else ([], [], [])
        table = pa.table([list(column) for column in columns], schema=SCHEMAS["qrels"])
        judged = Judged.from_table(table, ranked)
        longest = max((ranked.stops - ranked.starts).max(initial=0), 1)
        deepest = max(longest, *(len(topic.docnos) for topic in topics), 1)
        deepest = min(deepest, measure["cutoff"] or deepest)
        weights = 1 / dcg_discount(measure, np.arange(1.0, deepest + 1))
        discounts = {}
        for t, topic in enumerate(judged.topics):
            documents = slice(judged.offsets[t], judged.offsets[t + 1])
            column = np.full(len(ranked.names) + 1, -1, dtype=np.int64)  # code −1: not retrieved
            column[judged.documents[documents]] = judged.grades[documents].astype(np.int64)
            column[-1] = -1
            s = ranked.topics.index(topic)
            starts = ranked.starts[:, s]
            lengths = np.minimum(ranked.stops[:, s] - starts, deepest)
            system = np.repeat(np.arange(len(lengths)), lengths)
            rank = np.arange(len(system)) - (np.cumsum(lengths) - lengths)[system]
            document = column[ranked.documents[starts[system] + rank]]
            known = document >= 0
            of_topic = np.zeros((len(lengths), documents.stop - documents.start))
            of_topic[system[known], document[known]] = weights[rank[known]]
            discounts[topic] = of_topic
        scores = {name: scores_by_topic(ranked, qrels, measure) for name, qrels in experts.items()}
        first = np.append(0.0, np.cumsum(weights))
        return cls(tuple(ranked.systems), discounts, first, gains, scores)

    def scores(self, topic: str, levels: np.ndarray) -> np.ndarray:
        """nDCG of every system under labels of a topic's documents."""
        order = np.argsort(-self.gains, kind="stable")
        upto = np.zeros(len(levels), dtype=np.int64)
        ideal = np.zeros(len(levels))
        last = len(self.first) - 1
        for level in order:
            before, upto = upto, upto + (levels == level).sum(axis=1)
            reached = self.first[np.minimum(upto, last)] - self.first[np.minimum(before, last)]
            ideal += self.gains[level] * reached
        gained = self.gains[levels] @ self.discounts[topic].T
        return np.divide(
            gained, ideal[:, None], out=np.zeros_like(gained), where=ideal[:, None] > 0
        )


class Labeller:
    """Levels of a topic's documents under cuts, in the order of the search's method.

    Parameters
    ----------
    prepared
        The search.
    judgments
        One of its topics, as given or drawn anew.
    """

    def __init__(self, plan: SearchPlan, judgments: TopicJudgments):
        self.transforms_first = plan.method.order == "ta"
        if self.transforms_first:
            self.histograms = judgments.coded(plan.thresholds).histograms
            self.how, self.levels = plan.level_how, plan.levels
        else:
            values = aggregates(judgments.histograms, judgments.values, plan.source_how)
            self.codes = np.where(np.isnan(values), 0, plan.thresholds.codes(np.nan_to_num(values)))

    def levels_under(self, places: np.ndarray) -> np.ndarray:
        """Levels of D documents under n cuts; those nobody judged have level 0."""
        places = np.asarray(places, dtype=np.int64)
        if self.transforms_first:
            return _voted_levels(self.histograms, places, self.levels, self.how)
        # a threshold at a time: a sum over so short a last axis is many times as slow
        levels = np.zeros((len(places), len(self.codes)), dtype=np.int64)
        for thresholds in places.T:
            levels += self.codes > thresholds[:, None]
        return levels


@njit(cache=True, nogil=True)
def _voted_levels(histograms, places, levels, how):
    voted = np.zeros((places.shape[0], histograms.shape[0]), dtype=np.int64)
    names = np.arange(levels).astype(np.float64)
    counts = np.empty(levels, dtype=np.int64)
    upto = np.empty(histograms.shape[1] + 1, dtype=np.int64)
    upto[0] = 0
    for d in range(histograms.shape[0]):
        for v in range(histograms.shape[1]):
            upto[v + 1] = upto[v] + histograms[d, v]
        if upto[-1] == 0:
            continue
        for n in range(places.shape[0]):
            below = 0
            for j in range(levels - 1):
                counts[j] = upto[places[n, j] + 1] - below
                below = upto[places[n, j] + 1]
            counts[levels - 1] = upto[-1] - below
            vote = histogram_aggregate(counts, upto[-1], names, how)
            voted[n, d] = min(levels - 1, max(0, int(np.ceil(vote - 0.5))))
    return voted
