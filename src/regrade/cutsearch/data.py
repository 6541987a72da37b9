"""One topic's judgments as arrays that the kernels read.

A topic's judgments are seen twice: unit by unit, as each worker gave them, and as the crowd's
votes, where a worker counts once per document however many units hold it.  Everything is put in
a canonical order first, so the order of the input rows cannot show in any result.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import once_per_worker
from regrade.choices import UNJUDGED
from regrade.errors import MethodError, ParameterError, check_choice
from regrade.schemas import SCHEMAS

NO_VOTE = -1


@dataclass(frozen=True)
class TopicJudgments:
    """The judgments of one topic on the source scale: D documents, J values in units.

    Attributes
    ----------
    topic
        Its name.
    docnos : array of str, shape (D,)
        Sorted; a document's code is its index.
    document, value, unit : arrays of int32, shape (J,)
        Codes per judgment, sorted by unit, then document; `unit` identifies one HIT of one
        worker and is −1 throughout where the judgments have no units.
    vote : array of int32, shape (J,)
        The value with which that judgment's worker counts for its document in `histograms`;
        −1 where the worker does not count.
    histograms : array of int64, shape (D, V)
        How often each document got each source value, each worker counting once.
    """

    topic: str
    docnos: np.ndarray
    document: np.ndarray
    value: np.ndarray
    unit: np.ndarray
    vote: np.ndarray
    histograms: np.ndarray

    @property
    def levels(self) -> int:
        """Number V of values of the source scale."""
        return self.histograms.shape[1]

    @property
    def has_units(self) -> bool:
        """Whether the judgments say which HIT they belong to."""
        return len(self.unit) > 0 and self.unit[0] >= 0

    @property
    def n_units(self) -> int:
        """Number of units (HITs of one worker)."""
        return int(self.unit[-1]) + 1 if self.has_units else 0

    @property
    def unit_offsets(self) -> np.ndarray:
        """Judgments of unit u are ``unit_offsets[u]:unit_offsets[u + 1]``; shape (units + 1,)."""
        return np.searchsorted(self.unit, np.arange(self.n_units + 1))

    @property
    def n_shared(self) -> int:
        """Number of documents with the votes of two workers or more."""
        return int((self.histograms.sum(axis=1) >= 2).sum())

    def with_own_value(self) -> tuple[np.ndarray, np.ndarray]:
        """Histograms that hold each judgment's own value and the other workers' votes.

        A document's own histogram serves each worker whose vote is the judgment's value.  Where
        it is another value, or the worker has no vote, the judgment gets a row of its own.

        Returns
        -------
        rows : array of int64, shape (J,)
            The row of `table` for each judgment.
        table : array of int64, shape (D + such judgments, V)
        """
        other = np.flatnonzero(self.vote != self.value)
        extra = self.histograms[self.document[other]]
        voted = np.flatnonzero(self.vote[other] != NO_VOTE)
        extra[voted, self.vote[other[voted]]] -= 1
        extra[np.arange(len(other)), self.value[other]] += 1
        rows = self.document.astype(np.int64)
        rows[other] = len(self.histograms) + np.arange(len(other))
        return rows, np.vstack([self.histograms, extra])


def topics_of(
    judgments: pa.Table, levels: int, repeats: str = "median_low"
) -> list[TopicJudgments]:
    """Split a judgments table into topics, sorted by name.

    Parameters
    ----------
    judgments
        Schema ``judgments``; the values are integers 0 … ``levels - 1``.
    levels
        Number of values of the source scale.
    repeats
        What a worker's vote is who judged a document several times, in several units
        (`regrade.aggregation.once_per_worker`); within one unit, that rule makes one value too.

    Raises
    ------
    ParameterError
        If a value is not on the scale.
    MethodError
        If some judgments have a unit and others none.
    """
    frame = judgments.select(["topic", "docno", "worker", "unit", "value"]).to_pandas()
    _check_on_scale(frame, levels)
    without_unit = frame["unit"].isna()
    if without_unit.any() and not without_unit.all():
        raise MethodError(f"{without_unit.sum()} of {len(frame)} judgments name no unit")
    frame = frame.astype({"topic": str, "docno": str, "worker": str, "value": np.int32})
    frame["unit"] = frame["unit"].astype(object).where(~without_unit, "")
    keys = ["topic", "docno", "worker"]
    votes = once_per_worker(frame, repeats, keys)
    # a HIT has one worker: the same unit done by two workers is two units
    frame = once_per_worker(frame, repeats, [*keys, "unit"])
    frame = frame.merge(votes.rename(columns={"value": "vote"}), on=keys, how="left")
    frame["vote"] = frame["vote"].fillna(NO_VOTE)
    votes = dict(list(votes.groupby("topic")))
    has_units = not without_unit.any()
    return [
        _topic(str(topic), rows, votes.get(topic, _NO_VOTES), levels, has_units)
        for topic, rows in frame.groupby("topic", sort=True)
    ]


_NO_VOTES = pd.DataFrame({"docno": pd.Series(dtype=str), "value": pd.Series(dtype=np.int32)})


def _check_on_scale(frame: pd.DataFrame, levels: int) -> None:
    values = frame["value"].to_numpy()
    outside = (values < 0) | (values > levels - 1) | (values != np.floor(values))
    if outside.any():
        row = frame[outside].iloc[0]
        raise ParameterError(
            f"judgment {row['value']:g} of document {row['docno']} for topic {row['topic']} is "
            f"none of the scale's values 0 … {levels - 1}; {outside.sum()} such judgments. "
            "Correct `levels` of the judgment set"
        )


def _topic(
    topic: str, rows: pd.DataFrame, votes: pd.DataFrame, levels: int, has_units: bool
) -> TopicJudgments:
    rows = rows.sort_values(["worker", "unit", "docno"], kind="stable")
    docnos, document = np.unique(rows["docno"].to_numpy(dtype=str), return_inverse=True)
    starts = np.ones(len(rows), dtype=bool)
    unit = rows[["worker", "unit"]].to_numpy(dtype=str)
    starts[1:] = (unit[1:] != unit[:-1]).any(axis=1)
    histograms = np.zeros((len(docnos), levels), dtype=np.int64)
    voted = np.searchsorted(docnos, votes["docno"].to_numpy(dtype=str))
    np.add.at(histograms, (voted, votes["value"].to_numpy(dtype=np.intp)), 1)
    return TopicJudgments(
        topic=topic,
        docnos=docnos,
        document=document.astype(np.int32),
        value=rows["value"].to_numpy(dtype=np.int32),
        unit=(np.cumsum(starts) - 1 if has_units else np.full(len(rows), -1)).astype(np.int32),
        vote=rows["vote"].to_numpy(dtype=np.int32),
        histograms=histograms,
    )


def topics_of_labels(labels: pa.Table, levels: int) -> list[TopicJudgments]:
    """Topics of an expert set on the source scale: one judgment per document, no units.

    Aggregating a document's single label gives the label, so the document-centric methods
    serve expert judgments too (han2019 §3.3.3, So4 → 2).
    """
    n = labels.num_rows
    return topics_of(
        pa.table(
            {
                "topic": labels["topic"],
                "docno": labels["docno"],
                "worker": pa.array(["expert"] * n, pa.string()),
                "unit": pa.nulls(n, pa.string()),
                "value": labels["grade"],
            }
        ),
        levels,
    )


def over_pool(labels: pa.Table, pool: pa.Table) -> tuple[pa.Table, dict[str, str]]:
    """Expert labels of a pool's documents: 0 where unjudged (han2019 §3.4, the subscript a).

    Parameters
    ----------
    labels
        Schema ``qrels``.
    pool
        Any table with topic and docno.

    Returns
    -------
    completed
        Schema ``qrels``: one row for each document that the pool has of the topics that the
        labels have.
    left_out
        The topics that only one of the two has, and which.
    """
    keys = ["topic", "docno"]
    known = labels.to_pandas().astype(dict.fromkeys(keys, str))
    frame = pool.select(keys).to_pandas().astype(str).drop_duplicates()
    in_labels, in_pool = set(known["topic"]), set(frame["topic"])
    left_out = dict.fromkeys(sorted(in_pool - in_labels), "the source has no label for the topic")
    only_labels = sorted(in_labels - in_pool)
    left_out |= dict.fromkeys(only_labels, "the pool has no document for the topic")
    frame = frame[frame["topic"].isin(in_labels)].sort_values(keys)
    frame = frame.merge(known, on=keys, how="left").fillna({"grade": 0.0})
    columns = [frame[name].to_numpy() for name in ("topic", "docno", "grade")]
    return pa.table(columns, schema=SCHEMAS["qrels"]), left_out


def reference_levels(
    topic: TopicJudgments, labels: pd.DataFrame, levels: int, unjudged: str
) -> np.ndarray:
    """The reference's level of each document of a topic that it has; −1 where there is none.

    Parameters
    ----------
    topic
        D documents.
    labels
        The reference's rows of that topic, at least one: columns ``docno`` and ``grade``.
    levels
        Levels of the target scale; the reference must be on it.
    unjudged
        ``non-relevant``: a document without a label gets level 0 (the papers' subscript a);
        ``drop``: it has none.

    Returns
    -------
    ndarray of int64, shape (D,)
    """
    check_choice("rule for unjudged", unjudged, UNJUDGED)
    grades = labels["grade"].to_numpy(dtype=float)
    outside = (grades < 0) | (grades > levels - 1) | (grades != np.floor(grades))
    if outside.any():
        row = labels[outside].iloc[0]
        raise MethodError(
            f"the reference's grade {row['grade']:g} of document {row['docno']} for topic "
            f"{topic.topic} is none of the target scale's levels 0 … {levels - 1}: "
            "a reference must be on the target scale"
        )
    known = pd.Series(grades, index=labels["docno"].astype(str))
    found = known.reindex(topic.docnos).to_numpy()
    found = np.where(np.isnan(found), 0 if unjudged == "non-relevant" else -1, found)
    return found.astype(np.int64)
