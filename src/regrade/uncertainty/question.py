"""What unjudged documents could change."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING

from regrade.api.results import Result
from regrade.api.scores import coded
from regrade.api.sets import measures_for, read_qrels, read_runs
from regrade.choices import COMPARED
from regrade.stages.library import MemoryRuns, StageTables, asks, checks_types, measures_that
from regrade.uncertainty import stage
from regrade.uncertainty.ranges import check_ranged

if TYPE_CHECKING:
    pass


class Unjudged(Result):
    """Possible scores and ranks over all grades of the unjudged documents.

    Attributes
    ----------
    tables
        By name, as the stage ``ranges`` of the workflow has them: ``ranges``, ``systems``,
        ``pairs``, ``ranks``, ``numbers``, ``answer``.  Each is an attribute as well, the answer as
        one object.

    `plot` draws the ranges of scores and ranks.
    """

    main_table = "ranks"


@asks(stage.Ranges, residual=None)
@checks_types(measures=measures_that(check_ranged))
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
        those of `regrade.choices.COMPARED` that are defined on the labels' scale.

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
    one, notes = coded(labels, read, options.measures)
    inputs = {"qrels": one, "runs": MemoryRuns(read.ranked)}
    return Unjudged(StageTables(stage.Ranges, inputs, options, notes))
