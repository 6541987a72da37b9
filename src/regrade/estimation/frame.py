"""The frame: documents that people may be asked about, and where systems rank them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from regrade.errors import MethodError
from regrade.run_arrays import Judged, JudgedLists, RankedLists
from regrade.tables import encode

UNRANKED = int(np.iinfo(np.int32).max)
"""Deeper than any rank."""


@dataclass(frozen=True, eq=False)
class TopicLists:
    """Where S systems rank a topic's n documents.

    Attributes
    ----------
    ranks
        (S, n) rank in each ranking, 0 where it is not there.
    rankings
        Rows by rank, from the topic's first, and where each system's start and stop.
    """

    ranks: np.ndarray
    rankings: tuple[np.ndarray, np.ndarray, np.ndarray]

    @cached_property
    def best(self) -> np.ndarray:
        """(n,) the best rank of each document, `UNRANKED` of what no system ranks."""
        return np.where(self.ranks > 0, self.ranks, UNRANKED).min(axis=0, initial=UNRANKED)


@dataclass(frozen=True, eq=False)
class Frame:
    """N documents of T topics, in rows by topic, as S systems rank them.

    Attributes
    ----------
    lists
        The rankings; documents outside the frame are no row of it.
    systems
        S names.
    docnos
        (N,) str objects.
    """

    lists: JudgedLists
    systems: tuple[str, ...]
    docnos: np.ndarray

    @classmethod
    def of(
        cls, topics: Sequence[str], docnos: Sequence[str], ranked: RankedLists | None
    ) -> tuple[Frame, np.ndarray]:
        """The frame of named documents."""
        names, topic = encode(pa.chunked_array([pa.array(topics, pa.string())]))
        if ranked is None:
            ranked = RankedLists(
                systems=(),
                topics=tuple(names.to_pylist()),
                names=pa.chunked_array([pa.array([], pa.string())]),
                name_offsets=np.zeros(len(names) + 1, np.int64),
                offsets=np.zeros(1, np.int64),
                documents=np.zeros(0, np.int32),
            )
        codes = ranked.codes(
            *(pa.chunked_array([pa.array(names_of, pa.string())]) for names_of in (topics, docnos))
        )
        own = np.array([name in set(ranked.topics) for name in names.to_pylist()])
        places = np.lexsort((np.asarray(docnos, object).astype(str), codes, topic))
        places = places[own[topic[places]]]
        if not len(places):
            raise MethodError("documents and runs share no topic: do topics have the same format?")
        present, counts = np.unique(topic[places], return_counts=True)
        judged = Judged(
            topics=tuple(names[int(t)].as_py() for t in present),
            offsets=np.concatenate([[0], np.cumsum(counts)]),
            documents=codes[places],
            grades=np.zeros(len(places)),
        )
        lists = JudgedLists.match(ranked, judged, 1.0)
        return cls(lists, ranked.systems, np.asarray(docnos, object)[places]), places

    def __len__(self) -> int:
        """N."""
        return len(self.docnos)

    @property
    def topics(self) -> tuple[str, ...]:
        """T names."""
        return self.lists.judged.topics

    def rows(self, t: int) -> slice:
        """The documents of a topic."""
        return slice(*self.lists.judged.offsets[t : t + 2])

    @cached_property
    def topic(self) -> np.ndarray:
        """(N,) int64 code of each document's topic."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.lists.judged.offsets))

    @cached_property
    def ranks(self) -> np.ndarray:
        """(S, N) int32 rank of each document in each ranking, 0 where it is not there."""
        lists = self.lists
        ranks = np.zeros((len(self.systems), len(self) + 1), np.int32)
        for s in range(len(self.systems)):
            for start, stop in zip(lists.starts[s], lists.stops[s], strict=True):
                ranks[s, lists.rows[start:stop]] = np.arange(1, stop - start + 1)
        return ranks[:, :-1]

    @cached_property
    def by_topic(self) -> tuple[TopicLists, ...]:
        """Where each topic's documents are ranked."""
        lists, by_topic = self.lists, []
        for t in range(len(self.topics)):
            starts, stops, own = lists.starts[:, t], lists.stops[:, t], self.rows(t)
            first, last = int(starts.min(initial=len(lists.rows))), int(stops.max(initial=0))
            rows = lists.rows[first:last].astype(np.int64) - own.start
            rankings = rows, starts - first, stops - first
            by_topic.append(TopicLists(self.ranks[:, own], rankings))
        return tuple(by_topic)
