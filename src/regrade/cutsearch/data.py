"""One topic's judgments as arrays that the kernels read.

A topic's judgments are seen twice: unit by unit, as each worker gave them, and as the crowd's
votes, where a worker counts once per document however many units hold it.  Everything is put in
a canonical order first, so the order of the input rows cannot show in any result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import equal_rows, lower_middle
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import UNJUDGED
from regrade.cutsearch.thresholds import Thresholds
from regrade.errors import MethodError, ParameterError, check_choice
from regrade.scales import Scale
from regrade.tables import encode, label_frame


@dataclass(frozen=True)
class RawJudgments:
    """The N values of a topic as they were given, sorted by document, worker and value.

    Attributes
    ----------
    document, value, unit : arrays of int32, shape (N,)
        Codes, as in `TopicJudgments`.
    worker : array of int32, shape (N,)
        Places in `workers`.
    workers : array of str
        Their names, sorted.
    """

    document: np.ndarray
    value: np.ndarray
    unit: np.ndarray
    worker: np.ndarray
    workers: np.ndarray


@dataclass(frozen=True)
class TopicJudgments:
    """The judgments of one topic: D documents, J values in units.

    Values are codes: places among the V distinct values of the topic (`topics_of`), or numbers
    of thresholds that they exceed (`coded`).

    Attributes
    ----------
    topic
        Its name.
    values : array of float64, shape (V,)
        What the codes stand for, ascending: source values, or V places.
    docnos : array of str, shape (D,)
        Sorted; a document's code is its index.
    document, value, unit : arrays of int32, shape (J,)
        Codes per judgment, sorted by unit, then document; `unit` identifies one HIT of one
        worker and is −1 throughout where the judgments have no units.
    vote : array of int32, shape (J,)
        The value with which that judgment's worker counts for its document in `histograms`.
    histograms : array of int64, shape (D, V)
        How often each document got each value, each worker counting once.
    raw : RawJudgments or None
        The values as they were given, with repeats; what drawing anew starts from.
    """

    topic: str
    values: np.ndarray
    docnos: np.ndarray
    document: np.ndarray
    value: np.ndarray
    unit: np.ndarray
    vote: np.ndarray
    histograms: np.ndarray
    raw: RawJudgments | None = None

    @property
    def has_units(self) -> bool:
        """Whether the judgments say which HIT they belong to."""
        return len(self.unit) > 0 and self.unit[0] >= 0

    @property
    def n_units(self) -> int:
        """Number of units (HITs of one worker)."""
        if not self.has_units:
            return 0
        last = self.unit[-1] if self.raw is None else max(self.unit[-1], self.raw.unit.max())
        return int(last) + 1

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return len(self.docnos)

    @property
    def unit_offsets(self) -> np.ndarray:
        """Judgments of unit u are ``unit_offsets[u]:unit_offsets[u + 1]``; shape (units + 1,)."""
        return np.searchsorted(self.unit, np.arange(self.n_units + 1))

    @property
    def shared_counts(self) -> np.ndarray:
        """The `histograms` of documents with the votes of two workers or more."""
        return self.histograms[self.histograms.sum(axis=1) >= 2]

    def coded(self, thresholds: Thresholds) -> TopicJudgments:
        """The same judgments, each value as the number of thresholds that it exceeds."""
        code = thresholds.codes(self.values)
        places = np.arange(len(thresholds.values) + 1)
        histograms = np.zeros((len(self.docnos), len(places)), dtype=np.int64)
        first = np.flatnonzero(np.diff(code, prepend=-1))  # of the values with one code
        if len(first) and len(histograms):
            histograms[:, code[first]] = np.add.reduceat(self.histograms, first, axis=1)
        return replace(
            self,
            values=places.astype(float),
            value=code[self.value],
            vote=code[self.vote],
            histograms=histograms,
        )

    def with_own_value(self) -> tuple[np.ndarray, np.ndarray]:
        """Histograms that hold each judgment's own value and the other workers' votes.

        A document's own histogram serves each worker whose vote is the judgment's value.  Where
        it is another value, the judgment gets a row of its own.
        """
        other = np.flatnonzero(self.vote != self.value)
        extra = self.histograms[self.document[other]]
        extra[np.arange(len(other)), self.vote[other]] -= 1
        extra[np.arange(len(other)), self.value[other]] += 1
        rows = self.document.astype(np.int64)
        rows[other] = len(self.histograms) + np.arange(len(other))
        return rows, np.vstack([self.histograms, extra])


def topics_of(
    judgments: pa.Table, scale: Scale, only: Sequence[str] | None = None
) -> list[TopicJudgments]:
    """Split a judgments table into topics, sorted by name."""
    value = judgments["value"].to_numpy().astype(float)
    _check_on_scale(value, judgments, scale)
    columns = (encode(judgments[name]) for name in ("topic", "docno", "worker", "unit"))
    (names, topic), (docnos, docno), (workers, worker), (_, unit) = columns
    without_unit = unit < 0
    if without_unit.any() and not without_unit.all():
        raise MethodError(f"{without_unit.sum()} of {len(unit)} judgments name no unit")
    order = np.lexsort((unit, value, worker, docno, topic))
    starts, sizes = equal_rows(topic[order])
    topics = []
    for start, size in zip(starts, sizes, strict=True):
        rows = order[start : start + size]
        name = names[topic[rows[0]]].as_py()
        if only is None or name in only:
            columns = _named(docnos, docno[rows]), _named(workers, worker[rows]), unit[rows]
            topics.append(_topic(name, *columns, value[rows]))
    return topics


def _check_on_scale(value: np.ndarray, judgments: pa.Table, scale: Scale) -> None:
    outside = np.flatnonzero(~scale.contains(value))
    if len(outside):
        row = judgments.select(["topic", "docno"]).slice(outside[0], 1).to_pylist()[0]
        raise ParameterError(
            f"judgment {value[outside[0]]:g} of document {row['docno']} for topic {row['topic']} "
            f"{scale.off}; {len(outside)} such judgments. Correct the scale of the judgment set"
        )


def _named(names: pa.StringArray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The names that rows have, and each row's place among them."""
    used, place = np.unique(codes, return_inverse=True)
    return names.take(pa.array(used)).to_numpy(zero_copy_only=False).astype(str), place


def _topic(
    topic: str,
    documents: tuple[np.ndarray, np.ndarray],
    workers: tuple[np.ndarray, np.ndarray],
    unit: np.ndarray,
    value: np.ndarray,
) -> TopicJudgments:
    """One topic's judgments, sorted by document, worker, value and unit (−1 without units)."""
    (docnos, document), (names, worker) = documents, workers
    values, code = np.unique(value, return_inverse=True)
    vote_starts, sizes = equal_rows(document, worker)
    votes = code[lower_middle(vote_starts, sizes)]
    histograms = np.zeros((len(docnos), len(values)), dtype=np.int64)
    np.add.at(histograms, (document[vote_starts], votes), 1)
    # a HIT has one worker: the same unit done by two workers is two units
    _, hit = np.unique(worker * (unit.max() + 2) + unit, return_inverse=True)
    order = np.lexsort((code, document, hit))
    starts, once = equal_rows(hit[order], document[order])
    rows = order[starts]
    unit = hit if unit[0] >= 0 else unit
    document, code, unit, worker, vote = (
        column.astype(np.int32)
        for column in (document, code, unit, worker, np.repeat(votes, sizes))
    )
    return TopicJudgments(
        topic=topic,
        values=values,
        docnos=docnos,
        document=document[rows],
        value=code[order[lower_middle(starts, once)]],
        unit=unit[rows],
        vote=vote[rows],
        histograms=histograms,
        raw=RawJudgments(document, code, unit, worker, names),
    )


def topics_of_labels(
    labels: pa.Table, scale: Scale, only: Sequence[str] | None = None
) -> list[TopicJudgments]:
    """Topics of an expert set on the source scale: one judgment per document, no units.

    Aggregating a document's single label gives the label, so the document-centric methods
    serve expert judgments too (han2019 §3.3.3, So4 → 2).
    """
    columns = {"topic": labels["topic"], "docno": labels["docno"]}
    columns |= {"worker": pa.array(["expert"] * len(labels)), "unit": pa.nulls(len(labels))}
    topics = topics_of(pa.table(columns | {"value": labels["grade"]}), scale)
    for topic in topics:
        again = np.flatnonzero(np.diff(topic.raw.document) == 0)
        if len(again):
            docno = topic.docnos[topic.raw.document[again[0]]]
            raise ParameterError(f"topic {topic.topic} has two labels of {docno}: keep one")
    return [topic for topic in topics if only is None or topic.topic in only]


def over_pool(
    labels: pa.Table, pool: pa.Table, lowest: float = 0.0
) -> tuple[pa.Table, dict[str, str]]:
    """Expert labels of a pool's documents: the lowest one where unjudged (han2019 §3.4, So4_a)."""
    keys = ["topic", "docno"]
    known = label_frame(labels)
    frame = pool.select(keys).to_pandas().astype(str).drop_duplicates()
    in_labels, in_pool = set(known["topic"]), set(frame["topic"])
    left_out = dict.fromkeys(sorted(in_pool - in_labels), "the source has no label for the topic")
    only_labels = sorted(in_labels - in_pool)
    left_out |= dict.fromkeys(only_labels, "the pool has no document for the topic")
    frame = frame[frame["topic"].isin(in_labels)].sort_values(keys)
    frame = frame.merge(known, on=keys, how="left").fillna({"grade": lowest})
    columns = [frame[name].to_numpy() for name in ("topic", "docno", "grade")]
    return pa.table(columns, schema=SCHEMAS["qrels"]), left_out


def levels_by_topic(
    topics: Sequence[TopicJudgments], reference: pa.Table, levels: int, unjudged: str
) -> dict[str, np.ndarray]:
    """`reference_levels` of the topics that the reference has."""
    frame = reference.to_pandas()
    known = {str(topic): rows for topic, rows in frame.groupby(frame["topic"].astype(str))}
    return {
        topic.topic: reference_levels(topic, known[topic.topic], levels, unjudged)
        for topic in topics
        if topic.topic in known
    }


def reference_levels(
    topic: TopicJudgments, labels: pd.DataFrame, levels: int, unjudged: str
) -> np.ndarray:
    """The reference's level of each document of a topic that it has; −1 where there is none."""
    check_choice("rule for unjudged", unjudged, UNJUDGED)
    grades = labels["grade"].to_numpy(dtype=float)
    outside = (grades < 0) | (grades > levels - 1) | (grades != np.floor(grades))
    if outside.any():
        row = labels[outside].iloc[0]
        raise MethodError(
            f"the reference's grade {row['grade']:g} of document {row['docno']} for topic "
            f"{topic.topic} is not one of the target scale's levels 0 … {levels - 1}: "
            "a reference must be on the target scale"
        )
    known = dict(zip(labels["docno"].tolist(), grades.astype(np.int64).tolist(), strict=True))
    lacking = 0 if unjudged == "non-relevant" else -1
    return np.array([known.get(docno, lacking) for docno in topic.docnos], dtype=np.int64)
