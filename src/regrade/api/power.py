"""How well labels tell apart what people prefer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING

from regrade.api.pairs import read_preferences
from regrade.api.results import Result
from regrade.api.sets import Judgments, as_input, measures_for, named_sets, read_runs
from regrade.power import stage
from regrade.power.levels import CutSearches
from regrade.scales import Scale
from regrade.stages.library import MemoryRuns, MemorySet, StageTables, asks

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Power(Result):
    """Discriminative power of sets of labels.

    Attributes
    ----------
    tables
        By name, as the stage ``power`` of the workflow has them: ``ranked``, ``topics``,
        ``intervals``, ``differences``, ``numbers``, ``answer``; ``levels``, ``searched``,
        ``cuts``; with runs those of systems.  Each is an attribute as well, the answer as one
        object.
    """

    main_table = "ranked"

    def plot(self) -> Figure:
        """Draw how much each set settles of the order that people prefer."""
        from regrade.power.figures import figure_pdp

        return figure_pdp(self.ranked)


@asks(stage.Power)
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
    """How well do labels tell apart what people prefer?

    Parameters
    ----------
    sets
        Labels or judgments, whatever `regrade.read_qrels` and `regrade.read_judgments` take; of
        the documents that all of them have. By name, or a list of sets that have names of their
        own, or one.
    preferences, format
        As for `regrade.read_preferences`.
    runs
        Whatever `regrade.read_runs` takes: what measures tell apart of systems stands beside.
    measures
        Of the systems; by default those of the workflow.
    name
        What the preferences are called.

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
        "preferences": [MemorySet(name, "preferences", answers, Scale.of({"values": [-1, 0, 1]}))],
        "experts": [],
        "searches": CutSearches({}, []),
    }
    notes = [note for one in read for note in one.notes]
    return Power(StageTables(stage.Power, inputs, options, notes))
