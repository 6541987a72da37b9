"""Runs and qrels as arrays: every ranking of a collection, and what is judged in it.

Strings become codes once, here; whatever scores, pools or compares rankings works on
integers.  `RankedLists` holds the rankings, `Judged` a qrels in the same document codes, and
`JudgedLists` brings the two together: each retrieved document as its row in the qrels, so that
gains are computed for the judged documents only and looked up rank by rank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.compiled import njit
from regrade.conversions import to_arrow, to_numpy, to_strings
from regrade.errors import ParameterError
from regrade.kendall import TOLERANCE
from regrade.ordering import Run, group_starts, rank_in_group
from regrade.tables import encode, unlabelled

RELEVANT, NON_RELEVANT, UNSEEN, OUTSIDE = range(4)
"""What infAP takes a document for: judged as the one or the other, pooled only, or neither."""

NO_DOCUMENT = -1
"""The code past the end of a ranking, and of judged documents that nobody retrieved."""


def offsets_of(sizes: Sequence[int] | np.ndarray) -> np.ndarray:
    """Where parts of such sizes start, one below the other, and where the last ends; int64."""
    return np.append(0, np.cumsum(sizes, dtype=np.int64))


def joined(parts: Sequence[np.ndarray], dtype: type) -> np.ndarray:
    """Arrays one below the other, be there none."""
    return np.concatenate([np.empty(0, dtype), *parts])


@dataclass(frozen=True, eq=False)
class TopicRankings:
    """All rankings for one topic.

    Attributes
    ----------
    docnos
        The retrieved documents, sorted bytewise; a document's code is its place.
    documents, scores, submitted_ranks
        One value per ranked document, by system, then rank.
    lengths
        (S,) documents in the ranking of each system.
    """

    docnos: pa.StringArray
    documents: np.ndarray
    scores: np.ndarray | None
    submitted_ranks: np.ndarray | None
    lengths: np.ndarray

    @classmethod
    def of_runs(cls, runs: Sequence[Run], topic: str) -> TopicRankings:
        """Those of different systems, in the order of the runs."""
        parts = [(run, run.rows.get(topic, slice(0, 0))) for run in runs]
        return cls(
            *encode(pa.chunked_array([run.docno[rows] for run, rows in parts], pa.string())),
            lengths=np.array([rows.stop - rows.start for _, rows in parts], np.int32),
            scores=np.concatenate([run.score[rows] for run, rows in parts]),
            submitted_ranks=np.concatenate([run.submitted_rank[rows] for run, rows in parts]),
        )


@dataclass(frozen=True, eq=False)
class RankedLists:
    """All rankings of all systems, by topic and then by system.

    A document has a code for each topic that it is retrieved for, so that what is held of some
    topics does not grow with the others.

    Attributes
    ----------
    systems, topics
        S and T names, sorted.
    names
        (D,) docnos, by topic and then bytewise; a document's code is its index.
    name_offsets
        (T + 1,) int64; the codes of topic t are ``name_offsets[t]:name_offsets[t + 1]``.
    offsets
        (T·S + 1,) int64; system s ranks for topic t
        ``documents[offsets[t * S + s]:offsets[t * S + s + 1]]``.
    documents
        (N,) int32 codes, each ranking from its first rank down.
    scores
        (N,) float64, what its system gave to each document; ``None`` where it was not read.
    submitted_ranks
        (N,) int32, the ranks in the run files; ``None`` where they were not read.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    names: pa.ChunkedArray
    name_offsets: np.ndarray
    offsets: np.ndarray
    documents: np.ndarray
    scores: np.ndarray | None = None
    submitted_ranks: np.ndarray | None = None

    @classmethod
    def of_topics(cls, systems: Iterable[str], topics: Mapping[str, TopicRankings]) -> RankedLists:
        """Those of the same systems for each of some sorted topics."""
        rankings = [*topics.values()]
        names = pa.chunked_array([one.docnos for one in rankings], pa.string())
        name_offsets = offsets_of([len(one.docnos) for one in rankings])
        documents = joined([one.documents for one in rankings], np.int32)
        bounds = offsets_of([len(one.documents) for one in rankings])
        for first, ends in zip(name_offsets, pairwise(bounds), strict=False):
            documents[slice(*ends)] += np.int32(first)

        def optional(name: str, dtype: type) -> np.ndarray | None:
            parts = [getattr(one, name) for one in rankings]
            return None if any(part is None for part in parts) else joined(parts, dtype)

        return cls(
            tuple(systems),
            tuple(topics),
            names,
            name_offsets,
            offsets_of(joined([one.lengths for one in rankings], np.int32)),
            documents,
            optional("scores", np.float64),
            optional("submitted_ranks", np.int32),
        )

    @classmethod
    def from_table(cls, runs: pa.Table, topics: Sequence[str] | None = None) -> RankedLists:
        """Encode a table of schema `runs`; of some `topics` alone, for all its systems."""
        systems, system = encode(runs["system"])
        names, topic = encode(runs["topic"])
        n_systems = len(systems)
        _check_order(system.astype(np.int64) * len(names) + topic, runs["rank"].to_numpy())
        ranking = topic.astype(np.int64) * n_systems + system
        place = np.argsort(ranking, kind="stable")
        lengths = np.bincount(ranking, minlength=len(names) * n_systems)
        lengths = lengths.reshape(len(names), n_systems)
        bounds = offsets_of(lengths.sum(axis=1))
        docnos = runs["docno"].cast(pa.string()).combine_chunks().take(pa.array(place))
        values = {
            name: runs[column].to_numpy()[place] if column in runs.column_names else None
            for name, column in (("scores", "score"), ("submitted_ranks", "submitted_rank"))
        }
        rankings = {}
        for name, rows, own in zip(names.to_pylist(), pairwise(bounds), lengths, strict=True):
            if topics is None or name in topics:
                of_topic = slice(*rows)
                coded = encode(pa.chunked_array([docnos[of_topic]]))
                held = {n: None if one is None else one[of_topic] for n, one in values.items()}
                rankings[name] = TopicRankings(*coded, lengths=own, **held)
        ranked = cls.of_topics(systems.to_pylist(), rankings)
        pair = np.repeat(np.arange(len(ranked.offsets) - 1), np.diff(ranked.offsets))
        pair = pair * len(ranked.names) + ranked.documents
        once = np.unique(pair, return_index=True)[1]
        if len(once) < len(pair):
            again = np.setdiff1d(np.arange(len(pair)), once)[0]
            name, of = ranked.place(again)
            raise ParameterError(
                f"runs: system {name} ranks document {ranked.docnos[ranked.documents[again]]} "
                f"twice for topic {of}: keep one of its ranks"
            )
        return ranked

    @classmethod
    def from_runs(cls, runs: Sequence[Run], threads: int = 1) -> RankedLists:
        """Encode runs of different systems, sorted by system, `threads` topics at once."""
        topics = sorted({topic for run in runs for topic in run.rows})
        with ThreadPoolExecutor(threads) as pool:
            rankings = pool.map(lambda topic: TopicRankings.of_runs(runs, topic), topics)
            by_topic = dict(zip(topics, rankings, strict=True))
        return cls.of_topics([run.system for run in runs], by_topic)

    def with_topics(self, topics: Iterable[str]) -> RankedLists:
        """The same rankings, and an empty one of each system for every further topic.

        A qrels encoded for them keeps the topics that no system ranks anything for, on which each
        scores 0.  Documents keep their codes.
        """
        every = tuple(sorted({*self.topics, *topics}))
        if every == self.topics:
            return self
        place = np.searchsorted(every, self.topics)
        names, lengths = np.zeros(len(every), np.int64), np.zeros((len(every), len(self.systems)))
        names[place] = np.diff(self.name_offsets)
        lengths[place] = np.diff(self.offsets).reshape(len(self.topics), len(self.systems))
        name_offsets, offsets = offsets_of(names), offsets_of(lengths.ravel())
        return replace(self, topics=every, name_offsets=name_offsets, offsets=offsets)

    @property
    def ranked_topics(self) -> set[str]:
        """The topics that some system ranks a document for."""
        sizes = np.diff(self.name_offsets).tolist()
        return {topic for topic, size in zip(self.topics, sizes, strict=True) if size}

    @cached_property
    def docnos(self) -> np.ndarray:
        """(D,) str objects: `names` as Python has them, made when first asked for."""
        return self.names.to_numpy()

    @cached_property
    def starts(self) -> np.ndarray:
        """(S, T) int64: where the ranking of each system for each topic starts."""
        return self._by_system(self.offsets[:-1])

    @cached_property
    def stops(self) -> np.ndarray:
        """(S, T) int64: where it ends."""
        return self._by_system(self.offsets[1:])

    @property
    def lengths(self) -> np.ndarray:
        """(S, T) int64: documents in each ranking."""
        return self.stops - self.starts

    @property
    def ranks(self) -> np.ndarray:
        """(N,) int64: the rank of each of `documents` in its ranking, from 1."""
        first = np.repeat(self.offsets[:-1], np.diff(self.offsets))
        return np.arange(1, len(self.documents) + 1) - first

    def place(self, position: int) -> tuple[str, str]:
        """The system and the topic whose ranking holds a position of `documents`."""
        ranking = int(np.searchsorted(self.offsets, position, side="right")) - 1
        t, s = divmod(ranking, len(self.systems))
        return self.systems[s], self.topics[t]

    def codes(self, topics: pa.ChunkedArray, docnos: pa.ChunkedArray) -> np.ndarray:
        """The codes of documents named by topic and docno."""
        topic_names, topic = encode(topics)
        docno_names, docno = encode(docnos)
        known = _position(topic_names, to_strings(self.topics))[topic]
        codes = np.full(len(known), NO_DOCUMENT, dtype=np.int32)
        order = np.argsort(known, kind="stable")
        bounds = np.searchsorted(known[order], np.arange(len(self.topics) + 1))
        for t, (start, stop) in enumerate(pairwise(bounds)):
            if start == stop:
                continue
            rows = order[start:stop]
            first, last = self.name_offsets[t : t + 2]
            own = self.names.slice(first, last - first)
            retrieved = pa.concat_arrays(own.chunks or [to_strings([])])
            of = pc.index_in(docno_names.take(to_arrow(docno[rows])), value_set=retrieved)
            place = to_numpy(of, -1)
            codes[rows] = np.where(place < 0, NO_DOCUMENT, first + place)
        return codes

    def top(self, depth: int) -> np.ndarray:
        """The first documents of every ranking."""
        if depth < 1:
            raise ParameterError(f"depth is {depth}: the top of a ranking has at least 1 document")
        ranks = np.arange(depth)
        retrieved = ranks < self.lengths[:, :, None]
        top = np.full(retrieved.shape, NO_DOCUMENT, dtype=np.int32)
        top[retrieved] = self.documents[(self.starts[:, :, None] + ranks)[retrieved]]
        return top

    def down_to(self, depth: int) -> RankedLists:
        """The first documents of every ranking alone, without scores and submitted ranks."""
        lengths = np.minimum(np.diff(self.offsets), depth)
        offsets = offsets_of(lengths)
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[:-1] - offsets[:-1], lengths)
        first = self.documents[places]
        return replace(self, offsets=offsets, documents=first, scores=None, submitted_ranks=None)

    def _by_system(self, of_rankings: np.ndarray) -> np.ndarray:
        by_topic = of_rankings.reshape(len(self.topics), len(self.systems))
        return np.ascontiguousarray(by_topic.T)


@dataclass(frozen=True, eq=False)
class Judged:
    """A qrels in the document codes of some `RankedLists`.

    Attributes
    ----------
    topics
        The T topics of the rankings that have at least one judged document, or had one before
        judgments were taken away (`regrade.pools.pooling.keep`), sorted.
    offsets
        (T + 1,) int64; the rows of topic t are ``offsets[t]:offsets[t + 1]``.
    documents
        (Q,) int32 codes, ascending within a topic; -1 for judged documents that nobody retrieved.
    grades
        (Q,) float64.
    """

    topics: tuple[str, ...]
    offsets: np.ndarray
    documents: np.ndarray
    grades: np.ndarray

    @classmethod
    def from_table(cls, qrels: pa.Table, ranked: RankedLists) -> Judged:
        """Encode a table of schema `qrels`; topics that `ranked` lacks are left out.

        Topics without labels (`regrade.tables.with_unlabelled`) have no judged document.
        """
        topic_names, topic = encode(qrels["topic"])
        docnos, docno = encode(qrels["docno"])
        grades = to_numpy(qrels["grade"])
        if not np.isfinite(grades).all():
            raise ParameterError("qrels: a grade is not finite: unjudged documents have no row")
        pair = np.sort(topic.astype(np.int64) * len(docnos) + docno)
        twice = pair[1:][pair[1:] == pair[:-1]]
        if twice.size:
            t, d = divmod(int(twice[0]), len(docnos))
            raise ParameterError(
                f"qrels: document {docnos[d]} has more than one grade for topic {topic_names[t]}: "
                "keep one"
            )
        documents = ranked.codes(qrels["topic"], qrels["docno"])
        topic = _position(topic_names, to_strings(ranked.topics))[topic]
        rows = np.lexsort((documents, topic))
        rows = rows[topic[rows] >= 0]
        judged, counts = np.unique(topic[rows], return_counts=True)
        labels = cls(
            topics=tuple(ranked.topics[t] for t in judged),
            offsets=offsets_of(counts),
            documents=documents[rows],
            grades=grades[rows],
        )
        further = {*unlabelled(qrels)} & {*ranked.topics}
        return labels.with_topics(sorted({*labels.topics, *further})) if further else labels

    def with_topics(self, topics: Sequence[str]) -> Judged:
        """The qrels of just these sorted topics; one without a judged document holds none."""
        wanted = self.select([topic for topic in self.topics if topic in set(topics)])
        counts = dict(zip(wanted.topics, np.diff(wanted.offsets), strict=True))
        offsets = offsets_of([counts.get(topic, 0) for topic in topics])
        return Judged(tuple(topics), offsets, wanted.documents, wanted.grades)

    def missing_in(self, other: Judged) -> int:
        """How many retrieved documents of this qrels, of any topic, another one has no grade for.

        Both are in the document codes of the same rankings.
        """
        here, there = (j.documents[j.documents != NO_DOCUMENT] for j in (self, other))
        return int(np.isin(here, there, assume_unique=True, invert=True).sum())

    def relevant_counts(self, rel: float = 1) -> dict[str, int]:
        """How many documents each topic has with at least the grade `rel`."""
        counts = topic_sums((self.grades >= rel).astype(np.int64), self.offsets)
        return dict(zip(self.topics, counts.tolist(), strict=True))

    @property
    def topics_without_judgments(self) -> tuple[str, ...]:
        """The topics that have no judged document left."""
        counts = np.diff(self.offsets)
        return tuple(topic for topic, count in zip(self.topics, counts, strict=True) if not count)

    def select(self, topics: Sequence[str]) -> Judged:
        """The qrels of some topics."""
        unknown = sorted(set(topics) - set(self.topics))
        if unknown:
            raise ParameterError(f"no document is judged for topic {', '.join(unknown)}")
        kept = are_among(self.topics, topics)
        counts = np.diff(self.offsets)
        rows = np.repeat(kept, counts)
        return Judged(
            topics=tuple(topic for topic, keep in zip(self.topics, kept, strict=True) if keep),
            offsets=offsets_of(counts[kept]),
            documents=self.documents[rows],
            grades=self.grades[rows],
        )


def topic_sums(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Sums from each offset to the next, 0 where nothing is between them."""
    sums = np.zeros(len(offsets) - 1, dtype=values.dtype)
    some = np.flatnonzero(np.diff(offsets))
    sums[some] = np.add.reduceat(values, offsets[some])
    return sums


def topic_highest(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The highest value from each offset to the next, at least 0."""
    highest = np.zeros((*values.shape[:-1], len(offsets) - 1))
    some = np.flatnonzero(np.diff(offsets))
    if some.size:
        highest[..., some] = np.maximum.reduceat(values, offsets[some], axis=-1)
    return highest.clip(min=0)


@dataclass(frozen=True, eq=False)
class JudgedLists:
    """The rankings of the judged topics, each document as its row in the qrels.

    Gains, and whatever else a measure needs to know of a document, are arrays of shape (Q + 1,):
    one value per row of the qrels and a last one for all unjudged documents.  Sums run in rank
    order, so that equal rankings have equal bits whatever else is scored beside them.

    Attributes
    ----------
    judged
        The qrels: T topics, Q rows.
    rows
        (N,) int32; row in `judged` of each document of `RankedLists.documents`, Q if unjudged.
    starts, stops
        (S, T) int64; the ranking of system s for topic t is ``rows[starts[s, t]:stops[s, t]]``.
    max_grade
        The highest level of the grades' scale.
    others
        The same rankings and topics under further qrels, by their names, for measures of several.
    """

    judged: Judged
    rows: np.ndarray
    starts: np.ndarray
    stops: np.ndarray
    max_grade: float
    others: Mapping[str, JudgedLists] = field(default_factory=dict, kw_only=True)

    @classmethod
    def match(cls, ranked: RankedLists, judged: Judged, max_grade: float) -> JudgedLists:
        """Look up every retrieved document in the qrels."""
        strangers = not set(judged.topics) <= set(ranked.topics)
        if strangers or judged.documents.max(initial=NO_DOCUMENT) >= len(ranked.names):
            raise ParameterError("the qrels were encoded for other rankings: encode them for these")
        columns = are_among(ranked.topics, judged.topics)
        # compress keeps rows together, as an index would not: kernels have one layout
        starts, stops = (ends.compress(columns, axis=1) for ends in (ranked.starts, ranked.stops))
        unjudged = len(judged.documents)
        row_of = np.full(len(ranked.names), unjudged, np.int32)
        retrieved = judged.documents >= 0
        row_of[judged.documents[retrieved]] = np.flatnonzero(retrieved)
        rows = row_of[ranked.documents]
        if not columns.all():
            rows[~np.repeat(columns, ranked.lengths.sum(axis=0))] = unjudged
        return cls(judged, rows, starts, stops, max_grade)

    @cached_property
    def ranks(self) -> np.ndarray:
        """Ranks 1, 2, … as far as any ranking or ideal ranking goes, float64."""
        deepest = max(
            (self.stops - self.starts).max(initial=0), np.diff(self.judged.offsets).max(initial=0)
        )
        return np.arange(1.0, deepest + 1)

    @property
    def unjudged(self) -> np.ndarray:
        """(Q + 1,) float64: 1 for the unjudged documents, 0 for the others."""
        return np.append(np.zeros(len(self.judged.grades)), 1.0)

    def relevant(self, rel: float) -> np.ndarray:
        """(Q + 1,) float64: 1 for documents judged with at least the grade `rel`, else 0."""
        return np.append(self.judged.grades >= rel, False).astype(np.float64)

    def lengths(self, cutoff: int | None = None) -> np.ndarray:
        """(S, T) int64: documents in each ranking, down to a cutoff."""
        return np.minimum(self.stops - self.starts, self._depths(cutoff))

    def topic_sum(self, gains: np.ndarray) -> np.ndarray:
        """(T,) float64: the sum over all judged documents of a topic, retrieved or not."""
        return topic_sums(gains[:-1], self.judged.offsets)

    def highest_of_topic(self, gains: np.ndarray) -> np.ndarray:
        """(Q,) float64: for each judged document the highest gain of its topic, at least 0."""
        offsets = self.judged.offsets
        return np.repeat(topic_highest(gains[:-1], offsets), np.diff(offsets))

    def weighted_sum(
        self, gains: np.ndarray, weights: np.ndarray, cutoff: int | np.ndarray | None = None
    ) -> np.ndarray:
        """Σ wᵢ·gᵢ over the ranks i of each ranking."""
        return self._each(_weighted_sum, gains, weights, self._depths(cutoff))

    def ideal(self, gains: np.ndarray) -> JudgedLists:
        """One ranking per topic: all its judged documents, best first."""
        offsets = self.judged.offsets
        topic = np.repeat(np.arange(len(self.judged.topics)), np.diff(offsets))
        return JudgedLists(
            self.judged,
            np.lexsort((-gains[:-1], topic)).astype(np.int32),
            offsets[None, :-1],
            offsets[None, 1:],
            self.max_grade,
        )

    def condensed(self) -> JudgedLists:
        """The rankings without their unjudged documents; grades below zero count as unjudged."""
        is_judged = np.append(self.judged.grades >= 0, False)
        rows, starts, stops = _condense(self.rows, self.starts, self.stops, is_judged)
        return JudgedLists(self.judged, rows, starts, stops, self.max_grade)

    def precision_sum(
        self, relevant: np.ndarray, cutoff: int | None = None, decay: float = 1.0
    ) -> np.ndarray:
        """(S, T) float64: the sum of the precision at each relevant document of a ranking.

        The first relevant document counts in full, each further one `decay` times the one before.
        """
        return self._each(_precision_sum, relevant, self._depths(cutoff), float(decay))

    def interpolated_precision(self, relevant: np.ndarray, needed: np.ndarray) -> np.ndarray:
        """(S, T) float64: the highest precision at a rank down to which so many are relevant.

        `needed` is a number for each topic; 0 where a ranking never has as many.
        """
        return self._each(_interpolated_precision, relevant, needed)

    def blended_ratio_sum(
        self, gains: np.ndarray, beta: float, cutoff: int | None = None
    ) -> np.ndarray:
        """(S, T) float64: the sum of Sakai's blended ratio at each document with a gain.

        The ratio at rank i is (β·G + C) / (β·I + i), where C documents with a gain and the gain
        G were met so far, and the ideal ranking has the gain I there.
        """
        best = gains[self.ideal(gains).rows]
        depths = self._depths(cutoff)
        return self._each(_blended_ratio_sum, gains, best, self.judged.offsets, float(beta), depths)

    def preference_sum(self, relevant: np.ndarray, non_relevant: np.ndarray) -> np.ndarray:
        """(S, T) float64: the sum of 1 − min(n, R) / min(R, N) over relevant documents.

        n is the number of non-relevant documents above, R and N the relevant and non-relevant
        documents of the topic.
        """
        counts = self.topic_sum(relevant), self.topic_sum(non_relevant)
        return self._each(_preference_sum, relevant, non_relevant, *counts)

    def goal_sums(self, gains: np.ndarray, goal: float, cutoff: int | None = None) -> np.ndarray:
        """What INST needs of each ranking."""
        return self._each(_goal_sums, gains, float(goal), self._depths(cutoff))

    def cascade(self, stopping: np.ndarray, cutoff: int | None = None) -> np.ndarray:
        """(S, T) float64: the expected 1/i of the rank i at which a user stops."""
        return self._each(_cascade, stopping, self._depths(cutoff))

    def inferred_precision_sum(self, relevant: np.ndarray) -> np.ndarray:
        """(S, T) float64: the sum of the expected precision at each relevant document of a ranking.

        `relevant` is (Q + 1,) float64, 1 from grade `rel` on; a grade below 0 says that a document
        is in the pool but was not judged.  Documents outside of the pool are not relevant.
        """
        grades = self.judged.grades
        kinds = np.full(len(relevant), OUTSIDE)
        kinds[:-1] = np.where(grades >= 0, NON_RELEVANT, UNSEEN)
        kinds[relevant > 0] = RELEVANT
        return self._each(_inferred_precision_sum, kinds)

    def overlap(self, levels: np.ndarray, counts: np.ndarray, p: float) -> np.ndarray:
        """(S, T) float64: rank-biased overlap with the ideal ranking that is most like each."""
        return self._each(_overlap, levels, counts, p)

    def survivors(self, stopping: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """What is gained by users of whom a document keeps the share that it does not satisfy."""
        return self._each(_survivors, stopping, weights)

    def until_goal(self, gains: np.ndarray, goal: float, cutoff: int) -> np.ndarray:
        """(2, S, T) float64: the gain until it reaches a goal or the cutoff, and after which rank.

        Of a ranking that ends before, the cutoff: users go on below it.
        """
        return self._each(_until_goal, gains, goal - TOLERANCE, self._depths(cutoff))

    def _each(self, kernel: Callable, *arguments: object) -> np.ndarray:
        """What a kernel makes of each ranking."""
        return kernel(self.rows, self.starts, self.stops, *arguments)

    def _depths(self, cutoff: int | np.ndarray | None) -> np.ndarray:
        depth = len(self.ranks) if cutoff is None else cutoff
        return np.broadcast_to(np.asarray(depth, np.int64), len(self.judged.topics)).copy()


def are_among(names: Sequence[str], others: Iterable[str]) -> np.ndarray:
    """(n,) whether each of some names is one of others, as bool."""
    others = set(others)
    return np.array([name in others for name in names], dtype=bool)


def _position(values: pa.StringArray, names: pa.StringArray) -> np.ndarray:
    """Index of each value in `names`, -1 where it is none of them."""
    return to_numpy(pc.index_in(values, names), NO_DOCUMENT).astype(np.int32)


def _check_order(ranking: np.ndarray, rank: np.ndarray) -> None:
    same = ranking[1:] == ranking[:-1]
    sorted_rows = (ranking[1:] > ranking[:-1]) | (same & (rank[1:] > rank[:-1]))
    if not sorted_rows.all():
        row = int(np.argmin(sorted_rows))
        raise ParameterError(
            f"runs: rows {row} and {row + 1} are out of order: "
            "sort the table by system, topic and rank, each rank once in a ranking"
        )


def _gained(
    rows: np.ndarray,
    starts: np.ndarray,
    stops: np.ndarray,
    has_gain: np.ndarray,
    depths: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each document with a gain, in order: its ranking, how many are above it, and its row."""
    lengths = np.clip(np.minimum(stops - starts, depths), 0, None).ravel()
    ranking = np.repeat(np.arange(lengths.size), lengths)
    above = np.arange(len(ranking)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    row = rows[starts.ravel()[ranking] + above]
    gained = np.flatnonzero(has_gain[row])
    return ranking[gained], above[gained], row[gained]


def _summed(ranking: np.ndarray, parts: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """The sum of the parts of each ranking, added in their order."""
    return np.bincount(ranking, parts, minlength=shape[0] * shape[1]).reshape(shape)


def _weighted_sum_of_gained(rows, starts, stops, gains, weights, depths):
    """As `_weighted_sum`: a document without a gain adds nothing."""
    ranking, above, row = _gained(rows, starts, stops, gains != 0, depths)
    return _summed(ranking, weights[above] * gains[row], starts.shape)


def _precision_sum_of_gained(rows, starts, stops, relevant, depths, decay):
    """As `_precision_sum`."""
    ranking, above, _ = _gained(rows, starts, stops, relevant > 0, depths)
    begins = group_starts(ranking)
    gained = rank_in_group(begins, len(ranking))
    weights = np.full(gained.max(initial=0) + 1, decay)
    weights[:1] = 1.0
    weights = np.multiply.accumulate(weights)
    return _summed(ranking, weights[gained - 1] * (gained / (above + 1)), starts.shape)


def _cascade_of_gained(rows, starts, stops, stopping, depths):
    """As `_cascade`: at a document that stops nobody, everybody reads on."""
    ranking, above, row = _gained(rows, starts, stops, stopping != 0, depths)
    expected, still_reading = [0.0] * starts.size, [1.0] * starts.size
    for of, i, stops_here in zip(
        ranking.tolist(), above.tolist(), stopping[row].tolist(), strict=True
    ):
        expected[of] += still_reading[of] * stops_here / (i + 1)
        still_reading[of] *= 1 - stops_here
    return np.array(expected).reshape(starts.shape)


@njit(cache=True, nogil=True, plain=_weighted_sum_of_gained)
def _weighted_sum(rows, starts, stops, gains, weights, depths):
    sums = np.zeros(starts.shape)
    for s, t in np.ndindex(starts.shape):
        ranking = rows[starts[s, t] : min(stops[s, t], starts[s, t] + depths[t])]
        total = 0.0
        for i in range(ranking.size):
            total += weights[i] * gains[ranking[i]]
        sums[s, t] = total
    return sums


@njit(cache=True, nogil=True, plain=_precision_sum_of_gained)
def _precision_sum(rows, starts, stops, relevant, depths, decay):
    sums = np.zeros(starts.shape)
    for s, t in np.ndindex(starts.shape):
        ranking = rows[starts[s, t] : min(stops[s, t], starts[s, t] + depths[t])]
        hits = 0.0
        weight = 1.0
        total = 0.0
        for i in range(ranking.size):
            if relevant[ranking[i]] > 0:
                hits += 1
                total += weight * (hits / (i + 1))
                weight *= decay
        sums[s, t] = total
    return sums


@njit(cache=True, nogil=True, plain=True)
def _interpolated_precision(rows, starts, stops, relevant, needed):
    highest = np.zeros(starts.shape)
    for s, t in np.ndindex(starts.shape):
        hits = 0
        for i in range(starts[s, t], stops[s, t]):
            hits += relevant[rows[i]] > 0
            if hits >= needed[t]:
                highest[s, t] = max(highest[s, t], hits / (i - starts[s, t] + 1))
    return highest


@njit(cache=True, nogil=True, plain=True)
def _blended_ratio_sum(rows, starts, stops, gains, best, offsets, beta, depths):
    sums = np.zeros(starts.shape)
    for s, t in np.ndindex(starts.shape):
        ranking = rows[starts[s, t] : min(stops[s, t], starts[s, t] + depths[t])]
        n_judged = offsets[t + 1] - offsets[t]
        hits = 0.0
        gained = 0.0
        ideally = 0.0
        total = 0.0
        for i in range(ranking.size):
            if i < n_judged:
                ideally += best[offsets[t] + i]
            gain = gains[ranking[i]]
            if gain > 0:
                hits += 1
                gained += gain
                total += (beta * gained + hits) / (beta * ideally + (i + 1))
        sums[s, t] = total
    return sums


@njit(cache=True, nogil=True, plain=True)
def _preference_sum(rows, starts, stops, relevant, non_relevant, n_relevant, n_non_relevant):
    sums = np.zeros(starts.shape)
    for s, t in np.ndindex(starts.shape):
        R = n_relevant[t]
        above = 0.0
        total = 0.0
        for i in range(starts[s, t], stops[s, t]):
            if non_relevant[rows[i]] > 0:
                above += 1
            elif relevant[rows[i]] > 0:
                total += 1.0
                if above > 0:
                    total -= min(above, R) / min(R, n_non_relevant[t])
        sums[s, t] = total
    return sums


@njit(cache=True, nogil=True, plain=True)
def _inferred_precision_sum(rows, starts, stops, kinds):
    # trec_eval's smoothing, and its order of sums
    epsilon = 1e-5
    sums = np.zeros(starts.shape)
    for s, t in np.ndindex(starts.shape):
        hits = 0.0
        not_relevant = 0.0
        unseen = 0.0
        total = 0.0
        for i in range(starts[s, t], stops[s, t]):
            kind = kinds[rows[i]]
            above = float(i - starts[s, t])
            if kind == RELEVANT:
                rate = (hits + epsilon) / (hits + not_relevant + 2 * epsilon)
                total += (1 + (hits + not_relevant + unseen) * rate) / (above + 1)
                hits += 1
            elif kind == NON_RELEVANT:
                not_relevant += 1
            elif kind == UNSEEN:
                unseen += 1
        sums[s, t] = total
    return sums


@njit(cache=True, nogil=True)
def _overlap(rows, starts, stops, levels, counts, p):
    overlaps = np.zeros(starts.shape)
    deepest = max((stops - starts).max(), counts.max()) if starts.size else 0
    per_rank = np.zeros(deepest + 1)  # Σ pᵈ⁻¹ / d down to each depth
    users = np.zeros(deepest + 1)
    weight = 1.0
    for d in range(1, deepest + 1):
        per_rank[d] = per_rank[d - 1] + weight / d
        users[d] = users[d - 1] + weight
        weight *= p
    for t in range(starts.shape[1]):
        for s in range(starts.shape[0]):
            n = stops[s, t] - starts[s, t]
            depth = max(n, counts[t])
            seen = np.zeros(counts[t], np.int64)
            total = 0.0
            for i in range(n):
                level = levels[rows[starts[s, t] + i]]
                if level < 0:
                    continue
                seen[level] += 1
                both_from = max(i + 1, level + seen[level])
                total += per_rank[depth] - per_rank[both_from - 1]
            if total > 0:
                overlaps[s, t] = total / users[depth]
    return overlaps


@njit(cache=True, nogil=True)
def _survivors(rows, starts, stops, stopping, weights):
    sums = np.empty((3, *starts.shape))
    for s, t in np.ndindex(starts.shape):
        left = 1.0
        gained = 0.0
        looked = 0.0
        for i in range(stops[s, t] - starts[s, t]):
            gain = stopping[rows[starts[s, t] + i]]
            gained += left * weights[i] * gain
            looked += left * weights[i]
            left *= 1 - gain
        sums[0, s, t] = gained
        sums[1, s, t] = looked
        sums[2, s, t] = left
    return sums


@njit(cache=True, nogil=True)
def _until_goal(rows, starts, stops, gains, goal, depths):
    sums = np.empty((2, *starts.shape))
    for s, t in np.ndindex(starts.shape):
        gained = 0.0
        last = depths[t]
        for i in range(min(stops[s, t] - starts[s, t], depths[t])):
            gained += gains[rows[starts[s, t] + i]]
            if gained >= goal:
                last = i + 1
                break
        sums[0, s, t] = gained
        sums[1, s, t] = last
    return sums


@njit(cache=True, nogil=True)
def _goal_sums(rows, starts, stops, gains, goal, depths):
    sums = np.empty((4, *starts.shape))
    for s, t in np.ndindex(starts.shape):
        ranking = rows[starts[s, t] : min(stops[s, t], starts[s, t] + depths[t])]
        weight = 1.0
        weighted_gain = 0.0
        weights = 0.0
        gained = 0.0
        for i in range(ranking.size):
            gain = gains[ranking[i]]
            weighted_gain += weight * gain
            weights += weight
            gained += gain
            patience = (i + 1) + 2 * goal - gained
            weight *= ((patience - 1) / patience) ** 2
        sums[0, s, t] = weighted_gain
        sums[1, s, t] = weights
        sums[2, s, t] = weight
        sums[3, s, t] = ranking.size + 2 * goal - gained
    return sums


@njit(cache=True, nogil=True)
def _condense(rows, starts, stops, is_kept):
    kept = np.empty_like(rows)
    new_starts = np.empty_like(starts)
    new_stops = np.empty_like(stops)
    end = 0
    for t in range(starts.shape[1]):
        for s in range(starts.shape[0]):
            new_starts[s, t] = end
            for i in range(starts[s, t], stops[s, t]):
                if is_kept[rows[i]]:
                    kept[end] = rows[i]
                    end += 1
            new_stops[s, t] = end
    return kept[:end].copy(), new_starts, new_stops


@njit(cache=True, nogil=True, plain=_cascade_of_gained)
def _cascade(rows, starts, stops, stopping, depths):
    expected = np.zeros(starts.shape)
    for s, t in np.ndindex(starts.shape):
        ranking = rows[starts[s, t] : min(stops[s, t], starts[s, t] + depths[t])]
        expected[s, t] = cascade(stopping, ranking)
    return expected


@njit(cache=False, nogil=True)
def cascade(stopping, ranking):
    """Expected reciprocal rank of one ranking, by the chance to stop at each document."""
    still_reading = 1.0
    total = 0.0
    for i in range(ranking.size):
        stops_here = stopping[ranking[i]]
        total += still_reading * stops_here / (i + 1)
        still_reading *= 1 - stops_here
        if still_reading == 0:
            break
    return total
