"""Scores by item as what needs no rankings takes them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from regrade.api.item_scores import is_score_file, read_scores
from regrade.choices import IRDS
from regrade.errors import ParameterError, RegradeError, did_you_mean
from regrade.item_scores.scores import ItemScores, ScoreDesign
from regrade.measures import named_measures, parse_all
from regrade.readers.sources import files_of
from regrade.readers.spellings import SCORES, called


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
    return [measures] if measures in scores.measures else measures.split()


def check_of_labels(measures: Sequence[str] | str | None = None, **of_scores: object) -> None:
    """Refuse what is no measure of rankings, and options of scores, before labels are read."""
    if measures is not None:
        parse_all(named_measures(measures))
    for name, value in of_scores.items():
        if value:
            raise ParameterError(f"{name} is about scores by item: leave it out with labels")


def are_scores(source: object) -> bool:
    """Whether a source is scores by item, and no labels: it was read as such, or looks so.

    Several of them are scores where all are.
    """
    if isinstance(source, ItemScores):
        return True
    if isinstance(source, str | os.PathLike):
        return not str(source).startswith(IRDS) and is_score_source(source)
    if isinstance(source, Mapping) and not hasattr(source, "columns"):
        source = [*source.values()]
    if isinstance(source, list | tuple):
        return bool(source) and all(map(are_scores, source))
    names = getattr(source, "column_names", getattr(source, "columns", ()))
    names = [] if callable(names) else [str(name) for name in names]
    return not called(names, "docno") and bool(called(names, "system", SCORES))


def is_score_source(path: str | os.PathLike) -> bool:
    """Whether a file, or the first of a pattern or folder, is scores by item."""
    with suppress(RegradeError, OSError, ValueError):
        return is_score_file(files_of(path)[0])
    return False


def named_scores(
    sources: Sequence[object], names: Sequence[str] | None, lower: Sequence[str]
) -> list[ItemScores]:
    """Two or more sets of scores, each by a name of its own."""
    read = [scores_of(one, lower) for one in sources]
    own = [str(name) for name in names or (one.name for one in read)]
    if len({*own}) < len(own):
        own = [f"{name} ({place})" for place, name in enumerate(own, 1)]
    return [replace(one, name=name) for one, name in zip(read, own, strict=True)]


def judge_designs(
    reference: object,
    sets: object,
    measures: Sequence[str] | str | None,
    *,
    missing: str,
    lower: Sequence[str],
) -> list[ScoreDesign]:
    """Scores by a reference, then by each judge: of several sets, or of one by several judges."""
    parts = _by_judges(sets, lower)
    if isinstance(reference, str) and reference in (known := [name for _, name, _ in parts]):
        place = known.index(reference)
        parts = [parts[place], *parts[:place], *parts[place + 1 :]]
    elif isinstance(reference, str) and not are_scores(reference):
        near = did_you_mean(reference, [name for _, name, _ in parts])
        raise ParameterError(f"there is no judge {reference!r}, and no file of scores{near}")
    else:
        parts = [*_by_judge(scores_of(reference, lower)), *parts]
    names = [name for _, name, _ in parts]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ParameterError(f"two judges are called '{twice[0]}': give them by name")
    if len(parts) < 2:
        raise ParameterError(f"{names[0]} is the only judge: give scores by another")
    return [
        replace(
            scores.of_measures(chosen_measures(scores, measures)).design(judge, missing=missing),
            name=name,
        )
        for scores, name, judge in parts
    ]


def judged_scores(sets: object, lower: Sequence[str]) -> dict[str, ItemScores]:
    """Scores by each judge: of several sets, or of one by several judges."""
    parts = {}
    for scores, name, judge in _by_judges(sets, lower):
        if name in parts:
            raise ParameterError(f"two judges are called '{name}': give them by name")
        parts[name] = replace(scores.of_judge(judge), name=name)
    return parts


def _by_judges(sets: object, lower: Sequence[str]) -> list[tuple[ItemScores, str, str | None]]:
    """Each judge of some sets, in their order: a set, the judge's name, and which of the set's."""
    if isinstance(sets, Mapping) and not hasattr(sets, "columns"):
        judges = named_scores([*sets.values()], [*sets], lower)
    elif isinstance(sets, list | tuple):
        judges = named_scores(sets, None, lower)
    else:
        judges = [scores_of(sets, lower)]
        if len(named := judges[0].judges) == 1:
            judges = [replace(judges[0], name=named[0])]
    return [part for one in judges for part in _by_judge(one)]


def _by_judge(scores: ItemScores) -> list[tuple[ItemScores, str, str | None]]:
    """A set by each of its judges, where these are several; with the name of each."""
    judges = scores.judges
    if len(judges) < 2:
        return [(scores, scores.name, None)]
    return [(scores, judge, judge) for judge in judges]


def two_systems(
    source: object, scores: ItemScores, first: str | None, second: str | None
) -> tuple[str, str]:
    """Names of two systems; where none is given, the only two, as two sources have them or by name.

    `scores` are those of the source.
    """
    if first is not None and second is not None:
        return first, second
    systems = scores.systems
    if first is None and second is None and len(systems) == 2:
        if isinstance(source, list | tuple) and len(source) == 2:
            own = [read_scores(one).systems for one in source]
            systems = [of[0] for of in own] if own[0] != own[1] else systems
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
