"""Scores by item as what needs no rankings takes them."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from regrade.api.item_scores import read_scores
from regrade.errors import ParameterError
from regrade.item_scores.scores import ItemScores, ScoreDesign


def score_design(
    source: object,
    measures: Sequence[str] | str | None = None,
    *,
    judge: str | None = None,
    missing: str = "refuse",
    lower: Sequence[str] = (),
) -> ScoreDesign:
    """The arrays of scores, whatever `regrade.read_scores` takes, or of what it has read."""
    scores = scores_of(source, lower)
    if judge is not None and judge not in scores.judges:
        known = ", ".join(scores.judges) or "none"
        raise ParameterError(f"judge is {judge!r}: {scores.name} has no such judge (has: {known})")
    return scores.of_measures(chosen_measures(scores, measures)).design(judge, missing=missing)


def scores_of(source: object, lower: Sequence[str] = (), name: str | None = None) -> ItemScores:
    """Scores, read where they are not yet."""
    if not isinstance(source, ItemScores):
        return read_scores(source, lower=tuple(lower), **({} if name is None else {"name": name}))
    if lower:
        raise ParameterError("lower belongs to reading: give it to read_scores")
    return source


def chosen_measures(
    scores: ItemScores, measures: Sequence[str] | str | None
) -> Sequence[str] | None:
    """Measures by their names in a list, or in one text with blanks between."""
    if not isinstance(measures, str):
        return measures
    known = pc.unique(scores.table["measure"].cast(pa.string())).to_pylist()
    return [measures] if measures in known else measures.split()


def two_systems(scores: ItemScores, first: str | None, second: str | None) -> tuple[str, str]:
    """Names of two systems; where none is given, the only two, in the order of the rows."""
    if first is not None and second is not None:
        return first, second
    systems = pc.unique(scores.table["system"].cast(pa.string())).to_pylist()
    if first is None and second is None and len(systems) == 2:
        return systems[0], systems[1]
    raise ParameterError(
        f"{scores.name} has {len(systems)} systems: name two of them, first and second"
    )


def refuse_labels(**labels: object) -> None:
    """Refuse options about labels beside scores by item."""
    for name, value in labels.items():
        if value is not None and value != {}:
            raise ParameterError(
                f"{name} names labels, and scores by item have none: give labels and runs"
            )
