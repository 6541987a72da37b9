"""Scores of all runs under many sets of gains for the same documents.

`regrade.scoring.score` once for each set of gains gives the same numbers to the last bit.  Here
the documents are looked up once, and DCG, nDCG, and ERR and nERR by the highest gain of each
topic, have kernels that look at the first ranks only and sort no more of the ideal ranking than
they need; every other measure goes through its formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import inf

import numpy as np
import pyarrow as pa

from regrade.catalogue import columns_of
from regrade.compiled import njit
from regrade.formulas import dcg_discount, dcg_gains, stopping_gains, stopping_shares
from regrade.magnitudes.resampling import TopicMagnitudes
from regrade.measures import Measure
from regrade.run_arrays import Judged, JudgedLists, RankedLists, cascade, topic_highest

BLOCK = 10
"""Samples that a thread scores at a time."""


class GainScores:
    """Scores of S systems on T topics under gains of the same documents.

    Parameters
    ----------
    ranked
        The rankings of S systems.
    judgments
        The documents, by topic.
    measures
        M measures.

    Attributes
    ----------
    judgments
        As given, by topic, T of them; on one that a system ranks nothing for it scores 0.
    topics
        Their names, sorted.
    """

    def __init__(
        self,
        ranked: RankedLists,
        judgments: Sequence[TopicMagnitudes],
        measures: Sequence[Measure],
    ):
        ranked = ranked.with_topics(of_topic.topic for of_topic in judgments)
        self.judgments = tuple(sorted(judgments, key=lambda of_topic: of_topic.topic))
        self.topics = tuple(of_topic.topic for of_topic in self.judgments)
        self.measures = tuple(measures)
        docnos = [docno for of_topic in self.judgments for docno in of_topic.docnos]
        topics = [of_topic.topic for of_topic in self.judgments for _ in of_topic.docnos]
        documents = pa.table(
            [pa.array(topics, pa.string()), pa.array(docnos, pa.string()),
             np.arange(len(docnos), dtype=np.float64)],
            names=columns_of("qrels"),
        )  # fmt: skip
        judged = Judged.from_table(documents, ranked)
        self._document = judged.grades.astype(np.int64)
        self._lists = JudgedLists.match(ranked, judged, inf)
        self._tops: dict[int, np.ndarray] = {}

    @property
    def n_systems(self) -> int:
        """S."""
        return self._lists.starts.shape[0]

    def values(self, gains: Sequence[np.ndarray], pool: ThreadPoolExecutor) -> np.ndarray:
        """The scores under each set of gains."""
        if not gains:
            return np.empty((len(self.measures), 0, self.n_systems, 0))
        rows = np.concatenate(gains, axis=1).take(self._document, axis=1)
        blocks = [rows[start : start + BLOCK] for start in range(0, len(rows), BLOCK)]
        scores = [
            np.concatenate(list(pool.map(lambda b, m=measure: self._block(m, b), blocks)))
            for measure in self.measures
        ]
        return np.stack(scores)

    def _block(self, measure: Measure, rows: np.ndarray) -> np.ndarray:
        """(B, S, T) of (B, Q) gains in the rows of the qrels."""
        lists, offsets = self._lists, self._lists.judged.offsets
        if measure.name in ("DCG", "nDCG") and not measure.judged_only:
            weights = (1 / dcg_discount(measure, lists.ranks))[: measure["cutoff"]]
            of = _with_none(dcg_gains(measure, rows)), weights, offsets, measure.name == "nDCG"
            return _weighted_sums(self._top(measure), *of)
        if measure.name in ("ERR", "nERR") and measure.by_topic:
            gains = stopping_gains(measure, rows)
            highest = np.repeat(topic_highest(gains, offsets), np.diff(offsets), axis=-1)
            stopping = _with_none(stopping_shares(measure, gains, highest))
            depth = measure["cutoff"] or len(lists.ranks)
            return _cascades(self._top(measure), stopping, depth, offsets, measure.name == "nERR")
        graded = (replace(lists, judged=replace(lists.judged, grades=row)) for row in rows)
        return np.stack(
            [measure.values(of.condensed() if measure.judged_only else of) for of in graded]
        )

    def _top(self, measure: Measure) -> np.ndarray:
        """(S, T, k) rows of the first k documents, or of all."""
        depth = measure["cutoff"] or len(self._lists.ranks)
        if depth not in self._tops:
            lists = self._lists
            self._tops[depth] = _tops(
                lists.rows, lists.starts, lists.stops, depth, len(lists.judged.grades)
            )
        return self._tops[depth]


def _with_none(gains: np.ndarray) -> np.ndarray:
    """With a last column: no gain for unjudged documents."""
    return np.concatenate([gains, np.zeros((len(gains), 1))], axis=1)


# Kernels.  `top` (S, T, k) holds the rows of the first k documents, Q past the end of a ranking
# and for unjudged ones, where `gains` (B, Q + 1) has 0.  Additions are those of
# `regrade.run_arrays`, in the same order.


@njit(cache=True, nogil=True)
def _tops(rows, starts, stops, depth, n_rows):
    longest = 0
    for s in range(starts.shape[0]):
        for t in range(starts.shape[1]):
            longest = max(longest, stops[s, t] - starts[s, t])
    top = np.full((starts.shape[0], starts.shape[1], min(depth, longest)), n_rows, np.int32)
    for s in range(starts.shape[0]):
        for t in range(starts.shape[1]):
            for i in range(min(depth, stops[s, t] - starts[s, t])):
                top[s, t, i] = rows[starts[s, t] + i]
    return top


@njit(cache=False, nogil=True)
def _best(gains, depth):
    """The highest gains, the highest first; at most `depth`."""
    if depth > 50:
        return np.sort(gains)[::-1][:depth].copy()  # of the other's layout
    best = np.empty(min(depth, gains.size))
    n = 0
    for gain in gains:
        if n < best.size:
            n += 1
        elif gain <= best[n - 1]:
            continue
        i = n - 1
        while i > 0 and best[i - 1] < gain:
            best[i] = best[i - 1]
            i -= 1
        best[i] = gain
    return best


@njit(cache=True, nogil=True)
def _weighted_sums(top, gains, weights, offsets, is_normalised):
    n_systems, n_topics, depth = top.shape
    sums = np.empty((gains.shape[0], n_systems, n_topics))
    for b in range(gains.shape[0]):
        for t in range(n_topics):
            ideal = 1.0
            if is_normalised:
                ideal = 0.0
                best = _best(gains[b, offsets[t] : offsets[t + 1]], weights.size)
                for i in range(best.size):
                    ideal += weights[i] * best[i]
            for s in range(n_systems):
                total = 0.0
                for i in range(depth):
                    total += weights[i] * gains[b, top[s, t, i]]
                sums[b, s, t] = total / ideal if ideal > 0 else 0.0
    return sums


@njit(cache=True, nogil=True)
def _cascades(top, stopping, depth, offsets, is_normalised):
    n_systems, n_topics, _ = top.shape
    values = np.empty((stopping.shape[0], n_systems, n_topics))
    for b in range(stopping.shape[0]):
        shares = stopping[b]
        for t in range(n_topics):
            ideal = 1.0
            if is_normalised:
                best = _best(shares[offsets[t] : offsets[t + 1]], depth)
                ideal = cascade(best, np.arange(best.size, dtype=np.int32))
            for s in range(n_systems):
                value = cascade(shares, top[s, t])
                values[b, s, t] = value / ideal if ideal > 0 else 0.0
    return values
