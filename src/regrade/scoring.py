"""Score all systems on all topics by all measures at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from regrade.errors import ParameterError
from regrade.measures import Measure, parse_all
from regrade.ranked import Judged, JudgedLists, RankedLists
from regrade.tables import SCHEMAS


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of S systems on T topics by M measures.

    Attributes
    ----------
    systems, topics, measures
        What the axes stand for; topics are the judged ones, sorted, measures as they were asked.
    values
        (S, T, M) float64, each finite.
    residuals
        (S, T, M) float64: how much a value could rise if every unjudged document had the highest
        grade; NaN where the measure has no residual.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: np.ndarray
    residuals: np.ndarray

    def to_table(self) -> pa.Table:
        """A table of schema `scores`, by system, topic and measure."""
        system, topic, measure = np.indices(self.values.shape, dtype=np.int32)
        residuals = self.residuals.ravel()
        return pa.Table.from_arrays(
            [
                _named(system, self.systems),
                _named(topic, self.topics),
                _named(measure, [str(m) for m in self.measures]),
                pa.array(self.values.ravel()),
                pa.array(residuals, mask=np.isnan(residuals)),
            ],
            schema=SCHEMAS["scores"],
        )


def score(
    ranked: RankedLists,
    judged: Judged,
    measures: Sequence[str | Measure],
    *,
    max_grade: float | None = None,
    topics: Sequence[str] | None = None,
) -> Scores:
    """Score every ranking by every measure.

    A system that returned nothing for a topic scores 0 on it, and so does every system on a topic
    without any gain (as in trec_eval).  Topics of `ranked` without a judged document are left out.

    Parameters
    ----------
    ranked
        The rankings of S systems.
    judged
        A qrels in the document codes of `ranked`.
    measures
        M measures or their names (`regrade.measures.parse`).
    max_grade
        Highest level of the grades' scale, for measures that relate a grade to it (ERR, RBP);
        by default the highest grade in `judged`.
    topics
        Score these topics only, whatever their order; by default all that are judged.

    Raises
    ------
    ParameterError
        If a measure does not exist or cannot be computed from these grades, a topic has no judged
        document, or a grade is above `max_grade`.
    """
    measures = parse_all(measures)
    highest = _highest(max_grade, judged)
    lists = JudgedLists.match(ranked, judged if topics is None else judged.select(topics), highest)

    values = np.empty((*lists.starts.shape, len(measures)))
    residuals = np.full(values.shape, np.nan)
    for m, measure in enumerate(measures):
        values[:, :, m] = measure.definition.formula(lists, measure)
        if measure.definition.residual is not None:
            residuals[:, :, m] = measure.definition.residual(lists, measure)
    return Scores(ranked.systems, lists.judged.topics, measures, values, residuals)


def score_table(
    ranked: RankedLists,
    judged: Judged,
    measures: Sequence[str | Measure],
    *,
    max_grade: float | None = None,
    topics: Sequence[str] | None = None,
) -> pa.Table:
    """`score` as a table of schema `scores`."""
    return score(ranked, judged, measures, max_grade=max_grade, topics=topics).to_table()


def _highest(max_grade: float | None, judged: Judged) -> float:
    if max_grade is None:
        # without a grade above 0 every gain is 0, whatever the scale
        return float(judged.grades.max(initial=0)) or 1.0
    if not (math.isfinite(max_grade) and max_grade > 0):
        raise ParameterError(f"max_grade is {max_grade}: a scale's highest level is above 0")
    return float(max_grade)


def _named(codes: np.ndarray, names: Sequence[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes.ravel()), pa.array(names, pa.string()))
