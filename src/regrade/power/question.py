"""The discriminative power of labels for people's preferences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING

from regrade.api.results import Result
from regrade.api.sets import Judgments, as_input, measures_for, named_sets, read_runs
from regrade.argument_checks import one_of
from regrade.choices import PREFERENCE_FORMATS
from regrade.power import stage
from regrade.power.levels import CutSearches
from regrade.preferences.question import copies_text, preferences_input, read_preferences
from regrade.stages.library import MemoryRuns, StageTables, asks, checks_types

if TYPE_CHECKING:
    pass


class Power(Result):
    """Discriminative power of label sets.

    Attributes
    ----------
    tables
        By name, as the stage ``power`` of the workflow has them: ``ranked``, ``topics``,
        ``intervals``, ``differences``, ``numbers``, ``answer``; ``levels``, ``searched``,
        ``cuts``; with runs those of systems.  Each is an attribute as well, the answer as one
        object.

    `plot` draws each set's reduction of the entropy of the preferred ranking.
    """

    main_table = "ranked"


@asks(stage.Power)
@checks_types(format=one_of(PREFERENCE_FORMATS))
def pdp(
    sets: Sequence[object] | Mapping[str, object] | object,
    preferences: object,
    runs: object = None,
    measures: Sequence[str] | str | None = None,
    *,
    format: str | None = None,
    name: str = "people",
    options: SimpleNamespace,
) -> Power:
    """How well do labels discriminate what people prefer?

    Parameters
    ----------
    sets
        Labels or judgments, whatever `regrade.read_qrels` and `regrade.read_judgments` take; of
        the documents that all of them have. By name, or a list of sets that have names of their
        own, or one.
    preferences, format
        As for `regrade.read_preferences`.
    runs
        Whatever `regrade.read_runs` takes, to compare with significant pairs of systems.
    measures
        Measures of the systems; by default those of the workflow.
    name
        Name of the preferences.

    Returns
    -------
    Power

    Raises
    ------
    RegradeError
        If something cannot be read, or nothing is shared.
    """
    read = [one.on_levels() for one in named_sets(sets).values()]
    answers = read_preferences(preferences, format=format)
    if not any(isinstance(one, Judgments) for one in read):
        options.modes = ["aggregate"]  # of one assessor both are the same
    options.measures = measures_for(measures, read, stage.Power.measures.default)
    inputs = {
        "runs": None if runs is None else MemoryRuns(read_runs(runs).ranked),
        "sets": [as_input(one) for one in read],
        "preferences": [preferences_input(name, answers)],
        "experts": [],
        "searches": CutSearches({}, []),
    }
    notes = [*copies_text(answers), *(note for one in read for note in one.notes)]
    return Power(StageTables(stage.Power, inputs, options, notes))
