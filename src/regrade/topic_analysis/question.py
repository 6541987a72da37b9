"""The contribution of each topic to an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

from regrade.api.designs import check_of_labels, refuse_labels, score_design
from regrade.api.results import Result
from regrade.api.scores import runs_under
from regrade.api.sets import measures_for, name_for, read_qrels, read_runs
from regrade.argument_checks import one_of
from regrade.choices import COMPARED, LEAVING
from regrade.measures import parse_all
from regrade.stages.library import MemoryRuns, StageTables, asks, checks_types
from regrade.topic_analysis import stage

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Topics(Result):
    """The contribution of each topic to an evaluation.

    Attributes
    ----------
    tables
        By name, as the stage ``topic_analysis`` of the workflow has them: ``topics``, ``scores``,
        ``facts``, ``retrieved``, ``ranks``, ``answer``; with a second label set ``documents``.
        Each is an attribute as well, the answer as one object.
    """

    main_table = "topics"

    def plot(self, measure: str | None = None) -> Figure:
        """Draw the scores of systems on topics by a measure, by default the first."""
        from regrade.topic_analysis.figures import figure_topics

        names = self.tables.measure_names
        return figure_topics(*self.drawn_tables(["scores"]), measure=names.get(measure, measure))


@asks(stage.TopicAnalysis)
@checks_types(missing=one_of(LEAVING))
def topics(
    qrels: object,
    runs: object = None,
    measures: Sequence[str] | str | None = None,
    *,
    second: object = None,
    judge: str | None = None,
    missing: str = "refuse",
    lower: Sequence[str] = (),
    options: SimpleNamespace,
) -> Topics:
    """Which topics matter?

    Parameters
    ----------
    qrels
        Whatever `regrade.read_qrels` takes; or, without runs, scores by item: whatever
        `regrade.read_scores` takes.
    runs
        Whatever `regrade.read_runs` takes; ``None`` beside scores by item.
    measures
        A list, or one text with blanks between; by default those of `regrade.choices.COMPARED`
        that are defined on the scales of the labels, and of scores by item all of these.
    second
        Other labels of the same topics, whatever `regrade.read_qrels` takes, to compare with;
        ``None``: none.

    Returns
    -------
    Topics

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
    >>> topics(qrels, run, "RR").topics[["topic", "mean"]].values.tolist()
    [['401', 0.75], ['402', 1.0]]
    """
    if runs is None:
        refuse_labels(second=second)
        design = score_design(qrels, measures, judge=judge, missing=missing, lower=lower)
        return Topics(StageTables(stage.TopicAnalysis, {"scores": design}, options))
    check_of_labels(lower=lower, judge=judge)
    labels, read = [read_qrels(qrels)], read_runs(runs)
    if second is not None:
        labels = [*labels, read_qrels(second, name=name_for(second, "second"))]
        labels = [one.on_levels() for one in labels]
        if labels[0].name == labels[1].name:
            labels = [
                replace(one, name=f"{one.name} ({which})")
                for one, which in zip(labels, ("first", "second"), strict=True)
            ]
    options.measures = parse_all(measures_for(measures, labels, COMPARED))
    under = [runs_under(one, read, options.measures) for one in labels]
    (first, *further), notes = [one for one, _ in under], [note for _, own in under for note in own]
    inputs = {"qrels": first, "second": next(iter(further), None)}
    inputs["runs"] = MemoryRuns(read.ranked)
    return Topics(StageTables(stage.TopicAnalysis, inputs, options, notes))
