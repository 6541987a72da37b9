"""A topic's judgments drawn anew: units, workers or documents, each as often as it was drawn.

What is drawn twice stands for two: a unit's second copy is a unit of another worker, who has the
second copies of the first worker's units too and counts once per document like anybody; a
document's second copy is another document, with the same judgments and the same label.  So a search
of what was drawn is the search of a file in which each copy has a name of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from regrade.choices import RESAMPLED
from regrade.compiled import njit
from regrade.cutsearch.data import TopicJudgments
from regrade.errors import check_choice
from regrade.ordering import group_starts
from regrade.randomness import generator, with_replacement


def why_not_drawn(resampled: str, topics: Sequence[TopicJudgments]) -> str | None:
    """Why something cannot be drawn from judgments; ``None`` where it can."""
    if resampled == "units" and not all(topic.has_units for topic in topics):
        return "these judgments name no unit (HIT): draw workers or documents"
    one_judge = all(len(topic.raw.workers) <= 1 for topic in topics)
    if resampled == "workers" and one_judge:
        return "one judge gave all values of a topic: draw documents"
    return None


def times_drawn(
    resampled: str, topics: Sequence[TopicJudgments], resamples: int, seed: int
) -> list[np.ndarray]:
    """How often each thing was drawn, with replacement, in each resample."""
    check_choice("thing to draw", resampled, RESAMPLED)
    if resampled == "workers":
        everybody = np.unique(np.concatenate([topic.raw.workers for topic in topics]))
        rng = generator(seed, "cuts again", resampled)
        drawn = with_replacement(rng, len(everybody), resamples)
        return [drawn[:, np.searchsorted(everybody, topic.raw.workers)] for topic in topics]
    times = []
    for topic in topics:
        n = topic.n_units if resampled == "units" else topic.n_documents
        rng = generator(seed, "cuts again", resampled, topic.topic)
        times.append(with_replacement(rng, n, resamples))
    return times


def drawn_again(
    topic: TopicJudgments, resampled: str, times: np.ndarray, labels: np.ndarray | None = None
) -> tuple[TopicJudgments, np.ndarray | None]:
    """A topic's judgments with each unit, worker or document as often as it was drawn."""
    if resampled == "documents":
        copies = np.repeat(np.arange(len(topic.docnos)), times)
        first = np.cumsum(times) - times
        rows = np.repeat(np.arange(len(topic.value)), times[topic.document])
        nth = np.arange(len(rows)) - np.searchsorted(rows, rows)
        drawn = replace(
            topic,
            docnos=topic.docnos[copies],
            document=(first[topic.document[rows]] + nth).astype(np.int32),
            value=topic.value[rows],
            unit=topic.unit[rows],
            vote=topic.vote[rows],
            histograms=topic.histograms[copies],
            raw=None,
        )
        return drawn, None if labels is None else labels[copies]
    by_worker = resampled == "workers"
    of_value = times[topic.raw.worker if by_worker else topic.raw.unit]
    drawn, votes, first_vote = _revoted(topic, of_value)
    columns = topic.document[:0], topic.value[:0], topic.unit[:0], topic.vote[:0]
    if topic.has_units:
        columns = _copies(
            topic.document,
            topic.value,
            times[_worker_of_unit(topic)] if by_worker else times,
            topic.unit_offsets,
            _pair_of_rows(topic),
            first_vote,
            votes,
        )
    names = ("document", "value", "unit", "vote")
    return replace(drawn, **dict(zip(names, columns, strict=True))), labels


def _revoted(
    topic: TopicJudgments, times: np.ndarray
) -> tuple[TopicJudgments, np.ndarray, np.ndarray]:
    """A topic whose workers' values count so many times; the votes, and where each pair's start."""
    raw, starts = topic.raw, _first_of_pairs(topic)
    votes, first = _votes(np.append(starts, len(raw.value)), raw.value, times)
    histograms = np.zeros_like(topic.histograms)
    np.add.at(histograms, (np.repeat(raw.document[starts], np.diff(first)), votes), 1)
    return replace(topic, histograms=histograms, raw=None), votes, first


def pairs_of(topic: TopicJudgments) -> tuple[np.ndarray, np.ndarray]:
    """The P pairs of a document and a worker who judged it, sorted; (P,) codes of each."""
    raw = topic.raw
    first = _first_of_pairs(topic)
    return raw.document[first], raw.worker[first]


def _first_of_pairs(topic: TopicJudgments) -> np.ndarray:
    """Where the values of each pair of document and worker start."""
    return group_starts(topic.raw.document, topic.raw.worker)


def _worker_of_unit(topic: TopicJudgments) -> np.ndarray:
    """(U,) int64: whose each unit is."""
    worker = np.zeros(topic.n_units, dtype=np.int64)
    worker[topic.raw.unit] = topic.raw.worker
    return worker


def _pair_of_rows(topic: TopicJudgments) -> np.ndarray:
    """Which of `pairs_of` each value in a unit is of."""
    count = len(topic.raw.workers)
    document, worker = pairs_of(topic)
    own = topic.document.astype(np.int64) * count + _worker_of_unit(topic)[topic.unit]
    return np.searchsorted(document.astype(np.int64) * count + worker, own)


def with_rows(topic: TopicJudgments, kept: np.ndarray) -> TopicJudgments:
    """A topic with some of its values in units, its units numbered anew."""
    unit = np.unique(topic.unit[kept], return_inverse=True)[1].astype(np.int32)
    columns = {name: getattr(topic, name)[kept] for name in ("document", "value", "vote")}
    return replace(topic, unit=unit, **columns)


def with_pairs(topic: TopicJudgments, kept: np.ndarray) -> TopicJudgments:
    """A topic with the judgments of some pairs of document and worker only."""
    each = np.diff(np.append(_first_of_pairs(topic), len(topic.raw.value)))
    drawn, _, _ = _revoted(topic, np.repeat(kept.astype(np.int64), each))
    rows = np.zeros(len(topic.value), dtype=bool)
    if topic.has_units:
        rows = kept[_pair_of_rows(topic)]
    return with_rows(drawn, rows)


@njit(cache=True, nogil=True)
def _votes(starts, value, times):
    """With what each copy of a worker counts for a document."""
    first = np.zeros(starts.shape[0], dtype=np.int64)
    for g in range(starts.shape[0] - 1):
        most = 0
        for i in range(starts[g], starts[g + 1]):
            most = max(most, times[i])
        first[g + 1] = first[g] + most
    votes = np.empty(first[-1], dtype=np.int32)
    for g in range(starts.shape[0] - 1):
        for copy in range(first[g + 1] - first[g]):
            n = 0
            for i in range(starts[g], starts[g + 1]):
                n += times[i] > copy
            wanted = (n - 1) // 2
            for i in range(starts[g], starts[g + 1]):
                if times[i] > copy:
                    if wanted == 0:
                        votes[first[g] + copy] = value[i]
                        break
                    wanted -= 1
    return votes, first


@njit(cache=True, nogil=True)
def _copies(document, value, times, unit_offsets, group, first, votes):
    """The judgments of all copies of the units, as in `TopicJudgments`."""
    n = 0
    for u in range(times.shape[0]):
        n += times[u] * (unit_offsets[u + 1] - unit_offsets[u])
    copies = np.empty((4, n), dtype=np.int32)
    n = new = 0
    for u in range(times.shape[0]):
        for copy in range(times[u]):
            for j in range(unit_offsets[u], unit_offsets[u + 1]):
                copies[0, n] = document[j]
                copies[1, n] = value[j]
                copies[2, n] = new
                copies[3, n] = votes[first[group[j]] + copy]
                n += 1
            new += 1
    return copies[0], copies[1], copies[2], copies[3]
