"""Two systems, compared topic by topic."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING

from regrade.api.designs import check_of_labels, score_design, scores_of, two_systems
from regrade.api.results import Result
from regrade.api.scores import runs_under
from regrade.api.sets import measures_for, read_qrels, read_runs
from regrade.argument_checks import one_of
from regrade.choices import COMPARED, LEAVING
from regrade.errors import ParameterError
from regrade.measures import parse_all
from regrade.stages.library import MemoryRuns, StageTables, asks, checks_types
from regrade.system_pairs import stage

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class SystemPair(Result):
    """The difference of two systems, with CI and tests.

    Attributes
    ----------
    tables
        By name, as the stage ``system_pairs`` of the workflow has them: ``tests``, ``topics``,
        ``facts``, ``answer``.  Each is an attribute as well, the answer as one object.
    """

    main_table = "tests"

    def plot(self, measure: str | None = None) -> Figure:
        """Draw the differences on topics by a measure, by default the first."""
        from regrade.system_pairs.figures import figure_system_pair

        names = self.tables.measure_names
        tables = self.drawn_tables(("topics", "tests"))
        return figure_system_pair(*tables, measure=names.get(measure, measure))


@asks(stage.SystemPairs)
@checks_types(missing=one_of(LEAVING))
def compare_systems(
    qrels: object,
    runs: object = None,
    first: str | None = None,
    second: str | None = None,
    measures: Sequence[str] | str | None = None,
    *,
    judge: str | None = None,
    missing: str = "refuse",
    lower: Sequence[str] = (),
    options: SimpleNamespace,
) -> SystemPair:
    """Do two systems differ significantly?

    Parameters
    ----------
    qrels
        Whatever `regrade.read_qrels` takes; or, without runs, scores by item: whatever
        `regrade.read_scores` takes.
    runs
        Whatever `regrade.read_runs` takes; ``None`` beside scores by item.  p-values are corrected
        for all pairs of systems.
    first
        The name of a run or system; ``None``: of scores of two systems, the first.
    second
        The name of the run or system to compare it with; ``None``: of two, the other.
    measures
        A list, or one text with blanks between; by default those of `regrade.choices.COMPARED`
        that are defined on the labels' scale, and of scores by item all of these.

    Returns
    -------
    SystemPair

    Raises
    ------
    RegradeError
        If something cannot be read, runs and labels share nothing, there is no run of a name, or
        an option cannot be used.

    Examples
    --------
    >>> qrels = {"401": {"d1": 1, "d2": 0}, "402": {"d1": 0, "d2": 1}}
    >>> run = {"a": {"401": {"d1": 2, "d2": 1}, "402": {"d2": 2, "d1": 1}},
    ...        "b": {"401": {"d1": 1, "d2": 2}, "402": {"d2": 2, "d1": 1}}}
    >>> compare_systems(qrels, run, "a", "b", "RR").tests["difference"].tolist()
    [0.25]
    """
    if runs is None:
        scores = scores_of(qrels, lower)
        options.first, options.second = two_systems(qrels, scores, first, second)
        design = score_design(scores, measures, judge=judge, missing=missing)
        return SystemPair(StageTables(stage.SystemPairs, {"scores": design}, options))
    check_of_labels(lower=lower, judge=judge)
    if first is None or second is None:
        raise ParameterError("name two systems to compare: first and second")
    labels, read = read_qrels(qrels), read_runs(runs)
    options.first, options.second = first, second
    options.measures = parse_all(measures_for(measures, [labels], COMPARED))
    one, notes = runs_under(labels, read, options.measures)
    inputs = {"qrels": one, "runs": MemoryRuns(read.ranked)}
    return SystemPair(StageTables(stage.SystemPairs, inputs, options, notes))
