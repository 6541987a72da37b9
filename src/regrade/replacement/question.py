"""A judge in place of people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace as with_name
from types import SimpleNamespace

from regrade.api.results import Result
from regrade.api.scores import match_runs, notes_on
from regrade.api.sets import (
    Judgments,
    Labels,
    are_sets,
    as_input,
    measures_for,
    name_for,
    named_sets,
    read_judgments,
    read_runs,
    read_set,
)
from regrade.errors import ParameterError
from regrade.favours.families import families_of
from regrade.replacement import stage
from regrade.stages.library import MemoryRuns, StageTables, asks, checks_types


class Replacement(Result):
    """A judge beside people, within margins.

    Attributes
    ----------
    tables
        By name, as the stage ``replace`` of the workflow has them: ``lines``, ``annotators``,
        ``grades``, ``confusion``, ``topics``, ``facts``, ``answer``; with runs ``top``,
        ``changes``, ``systems``; with families ``favour``.  Each is an attribute as well, the
        answer as one object.

    `plot` draws each line beside its margin, and documents by both grades.
    """

    main_table = "lines"

    @property
    def verdict(self) -> str:
        """``yes``, ``no`` or ``not known``."""
        facts = self.facts
        return str(facts.loc[facts["quantity"].astype(str) == "verdict", "note"].iloc[0])


@asks(stage.Replace)
@checks_types
def replace(
    reference: object,
    judge: object,
    runs: object = None,
    measures: Sequence[str] | str | None = None,
    *,
    controls: object = None,
    judgments: object = None,
    families: object = None,
    patterns: Mapping[str, object] | None = None,
    options: SimpleNamespace,
) -> Replacement:
    """Can this judge replace people?

    Parameters
    ----------
    reference
        Human labels that would be replaced, whatever `regrade.read_qrels` takes.
    judge
        The labels that would replace them; or judgments, of which a document's median counts.
    runs
        Whatever `regrade.read_runs` takes; ``None``: labels only.
    measures
        Measures of the systems; by default nDCG@10.
    controls
        Labels of further people, by name, in a list, or of one; ``None``: none, and no yardstick.
    judgments
        Judgments of further people, whatever `regrade.read_judgments` takes; ``None``: none.
    families
        Families of systems: a file with lines ``run family``, a mapping of families to names or
        patterns, or a frame with the columns ``system`` and ``family``; ``None``: none.
    patterns
        Further families, by patterns in the names of runs: ``{"gpt": "*gpt*"}``.

    Returns
    -------
    Replacement

    Raises
    ------
    RegradeError
        If something cannot be read, no document is labelled in all sets, no measure serves, or an
        option cannot be used.

    Examples
    --------
    >>> nist = {"1": {"a": 1, "b": 0, "c": 1, "d": 0}, "2": {"a": 0, "b": 1}}
    >>> other = {"1": {"a": 1, "b": 1, "c": 0, "d": 0}, "2": {"a": 0, "b": 1}}
    >>> replace(nist, other).verdict
    'not known'
    """
    called = name_for(reference, "reference"), name_for(judge, "judge")
    sets = [
        read_set(one, name=name).on_levels()
        for one, name in zip((reference, judge), called, strict=True)
    ]
    further = _further(controls)
    crowd = None
    if judgments is not None:
        crowd = read_judgments(judgments, name=name_for(judgments, "people"))
    names = [one.name for one in sets]
    if names[0] == names[1]:
        sets = [
            with_name(one, name=f"{one.name} ({which})")
            for one, which in zip(sets, ("people", "judge"), strict=True)
        ]
    options.measures = measures_for(measures, sets, stage.USUAL)
    every = [*sets, *further, *([] if crowd is None else [crowd])]
    notes = [note for one in every for note in one.notes]
    ranked = None
    if runs is not None:
        read = read_runs(runs)
        ranked = MemoryRuns(read.ranked)
        for one in sets:
            notes += notes_on(one, match_runs(one, read, options.measures)[2], options.measures)
    named = None
    if families is not None or patterns:
        if runs is None:
            raise ParameterError("families are of systems: give runs (--runs)")
        named = families_of(families, read.systems, patterns)
    inputs = {
        "reference": as_input(sets[0]),
        "judge": as_input(sets[1]),
        "controls": [as_input(one) for one in further],
        "judgments": None if crowd is None else as_input(crowd),
        "runs": ranked,
        "families": named,
    }
    return Replacement(StageTables(stage.Replace, inputs, options, notes))


def _further(controls: object) -> list[Labels | Judgments]:
    """Further people's labels."""
    if controls is None or (isinstance(controls, list | tuple | dict) and not controls):
        return []
    if are_sets(controls):
        return [one.on_levels() for one in named_sets(controls).values()]
    return [read_set(controls, name=name_for(controls, "second person")).on_levels()]
