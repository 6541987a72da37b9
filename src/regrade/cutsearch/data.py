"""One topic's judgments as arrays that the kernels read.

Everything is put in a canonical order first (documents by docno, judgments by document, worker
and unit), so the order of the input rows cannot show in any result.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.choices import UNJUDGED
from regrade.errors import MethodError, ParameterError, check_choice


@dataclass(frozen=True)
class TopicJudgments:
    """The judgments of one topic on the source scale, J values of D documents.

    Attributes
    ----------
    topic
        Its name.
    docnos : array of str, shape (D,)
        Sorted; a document's code is its index.
    document, value, worker, unit : arrays of int32, shape (J,)
        Codes per judgment, sorted by unit, then document; `unit` identifies one HIT of one
        worker and is −1 throughout where the judgments have no units.
    levels
        Number of values of the source scale.
    """

    topic: str
    docnos: np.ndarray
    document: np.ndarray
    value: np.ndarray
    worker: np.ndarray
    unit: np.ndarray
    levels: int

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

    def histograms(self) -> np.ndarray:
        """How often each document got each value; int64, shape (D, levels)."""
        counts = np.zeros((len(self.docnos), self.levels), dtype=np.int64)
        np.add.at(counts, (self.document, self.value), 1)
        return counts


def topics_of(judgments: pa.Table, levels: int) -> list[TopicJudgments]:
    """Split a judgments table into topics, sorted by name.

    Parameters
    ----------
    judgments
        Schema ``judgments``; the values are integers 0 … ``levels - 1``.
    levels
        Number of values of the source scale.

    Raises
    ------
    ParameterError
        If a value is not on the scale.
    MethodError
        If some judgments have a unit and others none.
    """
    frame = judgments.select(["topic", "docno", "worker", "unit", "value"]).to_pandas()
    values = frame["value"].to_numpy()
    outside = (values < 0) | (values > levels - 1) | (values != np.floor(values))
    if outside.any():
        row = frame[outside].iloc[0]
        raise ParameterError(
            f"judgment {row['value']:g} of document {row['docno']} for topic {row['topic']} is "
            f"none of the scale's values 0 … {levels - 1}; {outside.sum()} such judgments. "
            "Correct `levels` of the judgment set"
        )
    without_unit = frame["unit"].isna()
    if without_unit.any() and not without_unit.all():
        raise MethodError(f"{without_unit.sum()} of {len(frame)} judgments name no unit")
    text = {name: frame[name].astype(str).to_numpy() for name in ("topic", "docno", "worker")}
    # a HIT has one worker: the same unit done by two workers is two units
    text["unit"] = frame["unit"].astype(object).where(~without_unit, "").to_numpy()
    frame = pd.DataFrame({**text, "value": values.astype(np.int32)})
    return [
        _topic(str(topic), rows, levels, has_units=not without_unit.any())
        for topic, rows in frame.groupby("topic", sort=True)
    ]


def _topic(topic: str, rows: pd.DataFrame, levels: int, has_units: bool) -> TopicJudgments:
    rows = rows.sort_values(["worker", "unit", "docno", "value"], kind="stable")
    docnos, document = np.unique(rows["docno"].to_numpy(dtype=str), return_inverse=True)
    worker = rows["worker"].to_numpy(dtype=str)
    unit = rows["unit"].to_numpy(dtype=str)
    if has_units:
        starts = np.ones(len(rows), dtype=bool)
        starts[1:] = (worker[1:] != worker[:-1]) | (unit[1:] != unit[:-1])
        unit_code = np.cumsum(starts) - 1
    else:
        unit_code = np.full(len(rows), -1)
    return TopicJudgments(
        topic=topic,
        docnos=docnos,
        document=document.astype(np.int32),
        value=rows["value"].to_numpy(dtype=np.int32),
        worker=np.unique(worker, return_inverse=True)[1].astype(np.int32),
        unit=unit_code.astype(np.int32),
        levels=levels,
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


def reference_levels(
    topic: TopicJudgments, labels: pd.DataFrame, levels: int, unjudged: str
) -> np.ndarray:
    """The reference's level of each document of a topic; −1 where there is none.

    Parameters
    ----------
    topic
        D documents.
    labels
        The reference's rows of that topic: columns ``docno`` and ``grade``.
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
