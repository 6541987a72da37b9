"""What unjudged documents could change."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING

from regrade.api.results import Result
from regrade.api.scores import match_runs, notes_on
from regrade.api.sets import as_input, measures_for, read_qrels, read_runs
from regrade.choices import COMPARED
from regrade.stages.library import MemoryRuns, StageTables, asks
from regrade.uncertainty import stage

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Unjudged(Result):
    """The scores and ranks that systems can have whatever the unjudged documents are.

    Attributes
    ----------
    tables
        By name, as the stage ``ranges`` of the workflow has them: ``ranges``, ``systems``,
        ``pairs``, ``ranks``, ``numbers``, ``answer``.  Each is an attribute as well, the answer as
        one object.
    """

    main_table = "ranks"

    def plot(self) -> Figure:
        """Draw how far scores and ranks can move."""
        from regrade.show.ranked import SHOWN
        from regrade.uncertainty.figures import figure_unjudged

        return figure_unjudged(self.ranks, SHOWN)


@asks(stage.Ranges, residual=None)
def unjudged(
    qrels: object,
    runs: object,
    measures: Sequence[str] | str | None = None,
    *,
    options: SimpleNamespace,
) -> Unjudged:
    """What could unjudged documents change?

    Parameters
    ----------
    qrels, runs
        Whatever `regrade.read_qrels` and `regrade.read_runs` take.
    measures
        AP and nDCG with any parameters, and measures with fixed weights and a residual; by default
        those of `regrade.choices.COMPARED` that mean something on the labels' scale.

    Returns
    -------
    Unjudged

    Raises
    ------
    RegradeError
        If something cannot be read, or a measure has no exact range.

    Examples
    --------
    >>> runs = {"a": {"1": {"d1": 2.0, "x": 1.0}}, "b": {"1": {"x": 2.0, "d1": 1.0}}}
    >>> found = unjudged({"1": {"d1": 1}}, runs, "AP")
    >>> found.ranks[["system", "value", "low", "high"]].round(2).values.tolist()
    [['a', 1.0, 1.0, 1.0], ['b', 0.5, 0.5, 1.0]]
    """
    labels, read = read_qrels(qrels), read_runs(runs)
    options.measures = measures_for(measures, [labels], COMPARED)
    ranked, judged, overlap = match_runs(labels, read, options.measures)
    inputs = {"qrels": as_input(labels, ranked, judged), "runs": MemoryRuns(read.ranked)}
    notes = notes_on(labels, overlap, options.measures)
    return Unjudged(StageTables(stage.Ranges, inputs, options, notes))
