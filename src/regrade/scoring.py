"""Score all systems on all topics by all measures at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pyarrow as pa

from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import ParameterError, check_choice
from regrade.kendall import places
from regrade.measures import Measure, parse, parse_all
from regrade.run_arrays import Judged, JudgedLists, RankedLists
from regrade.tables import encode

if TYPE_CHECKING:  # scoring itself needs no pandas
    import pandas as pd


def highest_grade(max_grade: float | None, judged: Judged) -> float:
    """The highest level of the grades' scale: as given, or the highest grade in a qrels.

    Infinite for magnitudes, which have none; measures that need one then ask for `max_rel`.
    """
    if max_grade is None:
        # without a grade above 0 every gain is 0, whatever the scale
        return float(judged.grades.max(initial=0)) or 1.0
    if math.isnan(max_grade) or max_grade <= 0:
        raise ParameterError(f"max_grade is {max_grade}: a scale's highest level is above 0")
    return float(max_grade)


Part = TypeVar("Part")


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

    @classmethod
    def from_table(cls, table: pa.Table) -> Scores:
        """The scores that `to_table` made a table of; measures in the order of its rows."""
        systems, topics, measures = (encode(table[c]) for c in ("system", "topic", "measure"))
        codes = tuple(codes for _, codes in (systems, topics, measures))
        shape = tuple(len(names) for names, _ in (systems, topics, measures))
        if len(np.unique(np.ravel_multi_index(codes, shape))) != table.num_rows or (
            table.num_rows != np.prod(shape)
        ):
            raise ParameterError("scores: not one of every system on every topic by every measure")
        in_rows = np.argsort(np.unique(codes[2], return_index=True)[1])
        arrays = []
        for column in ("value", "residual"):
            values = np.empty(shape)
            values[codes] = table[column].to_numpy()
            arrays.append(values[:, :, in_rows])
        names = [measures[0][int(m)].as_py() for m in in_rows]
        kept = (tuple(encoded[0].to_pylist()) for encoded in (systems, topics))
        return cls(*kept, tuple(parse(name) for name in names), *arrays)


def score(
    ranked: RankedLists,
    judged: Judged,
    measures: Sequence[str | Measure],
    *,
    max_grade: float | None = None,
    topics: Sequence[str] | None = None,
    others: Mapping[str, Judged] | None = None,
    max_grades: Mapping[str, float | None] | None = None,
) -> Scores:
    """Score every ranking by every measure.

    A system that returned nothing for a topic scores 0 on it, and so does every system on a topic
    without any gain (as in trec_eval), be it that no judgment of it is left.  Topics of `ranked`
    that `judged` does not have are left out.
    """
    measures = parse_all(measures)
    highest = highest_grade(max_grade, judged)
    if (judged.grades != np.rint(judged.grades)).any():
        for measure in measures:
            if why := measure.why_none_relevant(highest, finite=False):
                raise ParameterError(f"{measure}: {why}")
    last_ranks = [measure.last_rank for measure in measures]
    if None not in last_ranks:
        ranked = ranked.down_to(max(last_ranks, default=0))
    lists = JudgedLists.match(ranked, judged if topics is None else judged.select(topics), highest)
    lists = replace(lists, others=_further(measures, lists, ranked, others or {}, max_grades or {}))

    values = np.empty((*lists.starts.shape, len(measures)))
    residuals = np.full(values.shape, np.nan)
    condensed = lists.condensed() if any(m.judged_only for m in measures) else None
    for m, measure in enumerate(measures):
        if measure.judged_only:  # nothing unjudged is left: no residual
            values[:, :, m] = measure.values(condensed)
            continue
        values[:, :, m] = measure.values(lists)
        if measure.definition.residual is not None:
            residuals[:, :, m] = measure.residuals(lists)
    return Scores(ranked.systems, lists.judged.topics, measures, values, residuals)


def _further(
    measures: Sequence[Measure],
    lists: JudgedLists,
    ranked: RankedLists,
    others: Mapping[str, Judged],
    max_grades: Mapping[str, float | None],
) -> dict[str, JudgedLists]:
    """The rankings under each further set that a measure needs."""
    lists_of = {}
    for measure in measures:
        for name in measure.sets:
            if name not in others:
                known = f"; given are {', '.join(others)}" if others else ""
                raise ParameterError(
                    f"{measure}: needs labels of the set '{name}' too{known}: give that set, or "
                    "leave the measure out"
                )
            own = others[name].with_topics(lists.judged.topics)
            highest = highest_grade(max_grades.get(name), others[name])
            lists_of[name] = JudgedLists.match(ranked, own, highest)
    return lists_of


def concat(parts: Iterable[Part]) -> Part:
    """Results for consecutive topics as one result for all of them."""
    parts = list(parts)
    if len(parts) == 1:
        return parts[0]
    values_of = {}
    for field in fields(parts[0]):
        values = [getattr(part, field.name) for part in parts]
        if field.name == "topics":
            values_of["topics"] = tuple(topic for topics in values for topic in topics)
        elif isinstance(values[0], np.ndarray):
            values_of[field.name] = np.concatenate(values, axis=min(1, values[0].ndim - 1))
        else:
            values_of[field.name] = values[0]
    return type(parts[0])(**values_of)


def ranked_systems(scores: pa.Table) -> pd.DataFrame:
    """The systems in order of their mean scores."""
    import pandas as pd

    frame = scores.select(["system", "topic", "measure", "value"]).to_pandas()
    frame = frame.astype({"system": str, "topic": str, "measure": str})
    parts = []
    for measure, rows in frame.groupby("measure", sort=False):
        by_system = rows.sort_values("topic").groupby("system")["value"]
        table = by_system.agg(mean="mean", n_topics="size").reset_index()
        higher = places(-table["mean"].to_numpy())
        table["place"] = 1 + np.searchsorted(np.sort(higher), higher)
        table = table.assign(measure=measure).sort_values(["place", "system"])
        parts.append(table[["measure", "place", "system", "mean", "n_topics"]])
    return pd.concat(parts, ignore_index=True)


AGGREGATIONS = ("mean", "geometric", "geometric-shifted", "geometric-floored")
"""How scores of topics become the score of a system; see `aggregate_topics`."""


def aggregate_topics(
    values: np.ndarray, how: str = "mean", epsilon: float = 1e-5, axis: int = 1
) -> np.ndarray:
    """The score of each system over topics.

    References
    ----------
    yang2019 §2.4.1.
    """
    check_choice("how", how, AGGREGATIONS)
    if not (math.isfinite(epsilon) and epsilon > 0):
        raise ParameterError(f"epsilon is {epsilon}: give a number above 0")
    values = np.asarray(values, dtype=np.float64)
    if values.shape[axis] == 0:
        raise ParameterError("there is no topic to take a mean over")
    if how == "mean":
        return values.mean(axis)
    if (values < 0).any():
        raise ParameterError("a score is below 0: it has no geometric mean")
    if how == "geometric-shifted":
        return np.exp(np.log(epsilon + values).mean(axis)) - epsilon
    if how == "geometric-floored":
        values = np.maximum(epsilon, values)
    with np.errstate(divide="ignore"):  # log 0 is -inf, and its mean's exponential 0
        return np.exp(np.log(values).mean(axis))


def _named(codes: np.ndarray, names: Sequence[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes.ravel()), pa.array(names, pa.string()))
