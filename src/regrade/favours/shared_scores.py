"""Scores of systems under several label sets, on the documents that all of them labelled.

Label sets of different documents would differ by what they lack.  A topic's documents are those
that the reference, all judges, and all controls of the topic labelled.  A control is of a topic if
it labelled at least half of the documents that the reference, all judges and some control labelled,
so that a person with a few documents does not take away the others'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.aggregation import aggregate
from regrade.errors import MethodError, ParameterError
from regrade.favours.effects import FavourScores
from regrade.measures import Measure
from regrade.run_arrays import Judged, RankedLists
from regrade.scales import Scale
from regrade.scoring import score
from regrade.wording import first_few

Documents = dict[str, dict[str, float]]
"""Labels by topic and document."""


@dataclass(frozen=True, eq=False)
class ScaledLabels:
    """A label set with its scale.

    Attributes
    ----------
    name
        Its name.
    table
        Schema ``qrels``, or ``judgments``, of which the median of a document's values counts.
    scale
        Its values.
    """

    name: str
    table: pa.Table
    scale: Scale

    def by_worker(self) -> list[ScaledLabels]:
        """The judgments of each worker, where there are several; else the label set alone.

        Raises
        ------
        ParameterError
            If a judgment has no worker.
        """
        if "worker" not in self.table.column_names:
            return [self]
        if missing := self.table["worker"].null_count:
            raise ParameterError(
                f"{self.name}: {missing:,} judgments have no worker: name the column, "
                "columns={'worker': …}, or aggregate them"
            )
        workers = pc.unique(self.table["worker"].cast(pa.string())).to_pylist()
        if len(workers) < 2:
            return [self]
        column = self.table["worker"].cast(pa.string())
        return [
            ScaledLabels(name, self.table.filter(pc.equal(column, name)), self.scale)
            for name in sorted(workers)
        ]

    def by_topic(self) -> Documents:
        """The labels by topic and document."""
        own = self.scale.levels or 0
        levels = own if own and self.scale.is_levels(own) else None
        labels = aggregate(self.table, "median", levels)
        columns = [labels[name].cast(pa.string()).to_pylist() for name in ("topic", "docno")]
        by_topic: Documents = {}
        for topic, docno, grade in zip(*columns, labels["grade"].to_pylist(), strict=True):
            by_topic.setdefault(topic, {})[docno] = grade
        return by_topic

    def why_not(self, measure: Measure, reference: ScaledLabels) -> str:
        """Why a measure says nothing of it beside the reference; empty if it does."""
        if measure.relevant_from is not None and self.scale != reference.scale:
            return f"the scale of {self.name} is not that of {reference.name}"
        return measure.why_not_on(self.scale, self.name)


@dataclass(frozen=True, eq=False)
class SharedLabels:
    """Label sets on their shared documents.

    Attributes
    ----------
    reference, judges, controls
        The label sets.
    topics
        Sorted, the runs' topics with shared documents.
    tables
        By the name of a label set, its labels of the shared documents (schema ``qrels``).
    documents
        Number of documents that the reference labelled on the runs' topics, and of those shared.
    left_out
        Topics of the runs and the reference without a shared document.
    """

    reference: ScaledLabels
    judges: tuple[ScaledLabels, ...]
    controls: tuple[ScaledLabels, ...]
    topics: tuple[str, ...]
    tables: Mapping[str, pa.Table]
    documents: tuple[int, int]
    left_out: tuple[str, ...]

    @classmethod
    def of(
        cls,
        reference: ScaledLabels,
        judges: Sequence[ScaledLabels],
        controls: Sequence[ScaledLabels],
        topics: Sequence[str],
    ) -> SharedLabels:
        """The shared documents of some topics.

        Raises
        ------
        MethodError
            If there is none.
        """
        labels = {one.name: one.by_topic() for one in (reference, *judges, *controls)}
        needed = [labels[one.name] for one in (reference, *judges)]
        shared: dict[str, list[str]] = {}
        left_out, every = [], 0
        for topic in sorted({*topics} & {*labels[reference.name]}):
            every += len(labels[reference.name][topic])
            documents = set.intersection(*(set(one.get(topic, ())) for one in needed))
            of_people = {
                one.name: documents & set(labels[one.name].get(topic, ())) for one in controls
            }
            some = set().union(*of_people.values())
            for name, own in of_people.items():
                if own and 2 * len(own) >= len(some):
                    documents &= own
                else:
                    labels[name].pop(topic, None)
            if documents:
                shared[topic] = sorted(documents)
            else:
                left_out.append(topic)
        if not shared:
            names = first_few([one.name for one in judges])
            raise MethodError(
                f"no document of the runs' topics is labelled by {reference.name} and by "
                f"{names}: do topics and documents have the same format?"
            )
        tables = {name: _table(of, shared) for name, of in labels.items()}
        counts = every, sum(map(len, shared.values()))
        return cls(
            reference, (*judges,), (*controls,), (*shared,), tables, counts, (*left_out,)
        )  # fmt: skip


def _table(labels: Documents, shared: Mapping[str, Sequence[str]]) -> pa.Table:
    rows = [
        (topic, docno, float(labels[topic][docno]))
        for topic, documents in shared.items()
        for docno in documents
        if docno in labels.get(topic, ())
    ]
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    types = (pa.string(), pa.string(), pa.float64())
    arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
    return pa.table(arrays, ["topic", "docno", "grade"])


@dataclass(frozen=True, eq=False)
class MeasuredScores:
    """Scores by one measure.

    Attributes
    ----------
    measure
        The measure.
    scores
        Under all label sets.
    judges, controls
        Those for which the measure is defined.
    topics, systems
        The axes.
    why_not
        Why it is not defined for other label sets, by name.
    without_gain
        By the name of a label set, number of topics without any gain: all systems score 0.
    """

    measure: Measure
    scores: FavourScores
    judges: tuple[str, ...]
    controls: tuple[str, ...]
    topics: tuple[str, ...]
    systems: tuple[str, ...]
    why_not: Mapping[str, str]
    without_gain: Mapping[str, int]


def measured_scores(shared: SharedLabels, ranked: RankedLists, measure: Measure) -> MeasuredScores:
    """Score the systems by a measure under all label sets for which it is defined.

    Raises
    ------
    MethodError
        If it is defined for no judge.
    """
    reference, why_not = shared.reference, {}
    for one in (*shared.judges, *shared.controls):
        if why := one.why_not(measure, reference):
            why_not[one.name] = why
    judges = [one for one in shared.judges if one.name not in why_not]
    controls = [one for one in shared.controls if one.name not in why_not]
    if not judges:
        raise MethodError(
            f"{measure} is defined for no judge ({next(iter(why_not.values()))}): choose a measure "
            "without a relevance threshold, such as nDCG@10"
        )
    values, without_gain = {}, {}
    for one in (reference, *judges, *controls):
        judged = Judged.from_table(shared.tables[one.name], ranked)
        own = score(ranked, judged, [measure], max_grade=one.scale.high, topics=judged.topics)
        place = {topic: t for t, topic in enumerate(shared.topics)}
        by_topic = np.full((len(shared.topics), len(ranked.systems)), np.nan)
        by_topic[[place[topic] for topic in own.topics]] = own.values[:, :, 0].T
        values[one.name] = by_topic
        highest = np.zeros(len(shared.topics))
        highest[[place[topic] for topic in own.topics]] = [
            judged.grades[start:stop].max(initial=0.0)
            for start, stop in zip(judged.offsets[:-1], judged.offsets[1:], strict=True)
        ]
        without_gain[one.name] = int(((highest <= 0) & ~np.isnan(by_topic[:, 0])).sum())
    shape = (0, len(shared.topics), len(ranked.systems))
    scores = FavourScores(
        values[reference.name],
        np.array([values[one.name] for one in judges]),
        np.array([values[one.name] for one in controls]).reshape(-1, *shape[1:]),
    )
    return MeasuredScores(
        measure, scores, tuple(one.name for one in judges), tuple(one.name for one in controls),
        shared.topics, tuple(ranked.systems), why_not, without_gain,
    )  # fmt: skip
