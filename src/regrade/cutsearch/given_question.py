"""Grades under given thresholds, without a search."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from regrade.aggregation import Aggregation, aggregate, exceeds
from regrade.answers.shape import Answer
from regrade.api.results import Summarised, Text
from regrade.api.sets import Judgments, Labels, read_set
from regrade.argument_checks import within
from regrade.cutsearch.given_answer import EQUAL, RULES, answer_of
from regrade.cutsearch.question import apply_cut
from regrade.errors import ParameterError, did_you_mean
from regrade.scales import exactly
from regrade.stages.library import checks_types
from regrade.trust.named_cuts import ends_of
from regrade.wording import counted


@dataclass(frozen=True, eq=False, repr=False)
class GivenCut(Summarised):
    """Grades under given thresholds; made by `cut_at`.

    Attributes
    ----------
    labels
        Grades 0 … levels − 1 of each document.
    thresholds
        A value v gets the grade #{threshold < v}.
    rule
        ``equal`` or ``quantiles``; empty for stated thresholds.
    source
        Name of the scores.
    grades
        A row for each ``grade``: its thresholds ``above`` and ``up_to`` (NaN: none), ``documents``,
        ``share``, and ``topics_without`` a document of the grade.
    """

    labels: Labels
    thresholds: tuple[float, ...]
    rule: str
    source: Labels | Judgments
    grades: pd.DataFrame

    @property
    def answer(self) -> Answer:
        """The grades, a row each, with notes."""
        topics = self.labels.table.select(["topic", "grade"]).to_pandas()
        highest = topics.groupby(topics["topic"].astype(str))["grade"].max()
        answer = answer_of(
            self.grades, self.source.name, self.rule, len(highest), int((highest == 0).sum())
        )
        return answer.with_notes(self.source.notes)

    def to_frame(self) -> pd.DataFrame:
        """The grades, a row each."""
        return self.grades

    def to_qrels(self, path: str | os.PathLike) -> None:
        """Write the grades of documents as qrels, as `Labels.to_qrels` does."""
        self.labels.to_qrels(path)

    def summary(self) -> Text:
        """The answer as text."""
        return Text(self.answer)


@checks_types(levels=within(least=2))
def cut_at(
    scores: object,
    thresholds: Sequence[float] | str = EQUAL,
    levels: int | None = None,
    *,
    scale: object = None,
    columns: Mapping[str, str] | None = None,
    aggregation: str = "median",
) -> GivenCut:
    """Grades under given thresholds, equal widths or quantiles; nothing is searched.

    Parameters
    ----------
    scores
        A model's scores or an expert's labels (whatever `regrade.read_qrels` takes), or workers'
        judgments (whatever `regrade.read_judgments` takes), which are aggregated first.
    thresholds
        The highest value of each grade but the last, ascending; or ``equal``: levels of equal
        width; or ``quantiles`` of the documents' values: levels of equal size, up to ties.
    levels
        Number of levels, by default 2, or one more than the stated thresholds.
    scale, columns
        Scale and columns of the scores, as for `regrade.read_qrels`.
    aggregation
        Aggregation of several values of a document.

    Returns
    -------
    GivenCut

    Raises
    ------
    ParameterError
        If thresholds do not ascend or lie off the scale, two quantiles are equal, or the numbers of
        thresholds and of levels disagree.

    Examples
    --------
    >>> model = {"401": {"d1": 80, "d2": 75, "d3": 20, "d4": 35}}
    >>> cut = cut_at(model, [25, 75])
    >>> cut.grades["documents"].tolist()
    [1, 2, 1]
    >>> cut_at(model, "quantiles", 2).thresholds
    (55.0,)
    """
    rule = thresholds if isinstance(thresholds, str) else ""
    if rule and rule not in RULES:
        raise ParameterError(
            f"thresholds is '{rule}': give numbers, equal or quantiles{did_you_mean(rule, RULES)}"
        )
    how = Aggregation(source=aggregation).source
    source = read_set(scores, scale=scale, columns=columns, name=None)
    values = aggregate(source.table, how)["grade"].to_numpy().astype(float)
    ends = ends_of(source.scale, values)
    if not rule:
        cut = _checked_cut(thresholds, levels, ends, source.name)
    elif rule == EQUAL:
        cut = _equal_widths(ends, levels or 2, source.name)
    else:
        cut = _quantiles(values, levels or 2, source.name)
    labels = apply_cut(source, cut, how)
    return GivenCut(labels, cut, rule, source, _grades(labels, cut))


def _checked_cut(
    thresholds: object, levels: int | None, ends: tuple[float, float], name: str
) -> tuple[float, ...]:
    """Thresholds of a user, which ascend and have values on both sides."""
    try:
        cut = tuple(float(one) for one in np.atleast_1d(np.asarray(thresholds, dtype=float)))
    except (TypeError, ValueError):
        raise ParameterError(f"thresholds is {thresholds!r}: give numbers that ascend") from None
    written = ", ".join(map(exactly, cut))
    if not cut or any(not one < other for one, other in pairwise(cut)) or np.isnan(cut).any():
        ascending = sorted({one for one in cut if not np.isnan(one)})
        ordered = ", ".join(map(exactly, ascending))
        raise ParameterError(
            f"thresholds are {written or 'none'}: they ascend, each once"
            + (f"; write {ordered}" if ascending else "")
        )
    if levels is not None and levels != len(cut) + 1:
        raise ParameterError(
            f"{counted(len(cut), 'threshold')} and {levels} levels disagree: leave levels out"
        )
    low, high = ends
    off = [one for one in cut if one < low or one >= high]
    if off:
        raise ParameterError(
            f"the threshold {exactly(off[0])} has no values on one of its sides: those of {name} "
            f"go from {exactly(low)} to {exactly(high)}; choose thresholds from {exactly(low)} to "
            f"below {exactly(high)}, or state the scale"
        )
    return cut


def _equal_widths(ends: tuple[float, float], levels: int, name: str) -> tuple[float, ...]:
    """Thresholds that share a scale evenly."""
    low, high = ends
    if not low < high:
        raise ParameterError(
            f"all values of {name} are {exactly(low)}: there is nothing to cut, unless the scale "
            "is stated"
        )
    return tuple(float(low + (high - low) * step / levels) for step in range(1, levels))


def _quantiles(values: np.ndarray, levels: int, name: str) -> tuple[float, ...]:
    """Quantiles of documents' values."""
    shares = np.arange(1, levels) / levels
    cut = np.quantile(values, shares)
    ends = [*cut, values.max()]
    for share, one, next_one in zip(shares, ends, ends[1:], strict=False):
        if not exceeds(next_one, one):
            equal = np.mean(~exceeds(values, one) & ~exceeds(one, values))
            raise ParameterError(
                f"{equal:.0%} of the documents of {name} have the value {exactly(float(one))}, the "
                f"{share:.3g} quantile, so that the next level would have none: ask for fewer "
                "levels, or give thresholds"
            )
    return tuple(map(float, cut))


def _grades(labels: Labels, cut: Sequence[float]) -> pd.DataFrame:
    """How many documents have each grade, and how many topics have none."""
    table = labels.table.select(["topic", "grade"]).to_pandas().astype({"topic": str})
    grades = range(len(cut) + 1)
    counts = table["grade"].astype(int).value_counts().reindex(grades, fill_value=0)
    topics = table["topic"].nunique()
    having = table.groupby(table["grade"].astype(int))["topic"].nunique()
    return pd.DataFrame({
        "grade": [*grades],
        "above": [np.nan, *cut],
        "up_to": [*cut, np.nan],
        "documents": counts.to_numpy(),
        "share": counts.to_numpy() / max(len(table), 1),
        "topics_without": topics - having.reindex(grades, fill_value=0).to_numpy(),
    })  # fmt: skip
