"""System rankings, with CIs and tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING

from regrade.api.designs import check_of_labels, refuse_labels, score_design
from regrade.api.results import Result
from regrade.api.scores import runs_under
from regrade.api.sets import measures_for, named_sets, read_qrels, read_runs
from regrade.argument_checks import one_of
from regrade.choices import COMPARED, LEAVING
from regrade.measures import parse_all
from regrade.ranking import stage
from regrade.stages.library import MemoryRuns, StageTables, asks, checks_types

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Ranking(Result):
    """Systems by mean score, with the uncertainty of the ranking.

    Attributes
    ----------
    tables
        By name, as the stage ``ranking`` of the workflow has them: ``systems``, ``pairs``,
        ``variances``, ``reliability``, ``halves``, ``needed``, ``detectable``,
        ``needed_differences``, ``beside_best``, ``judge_variances``, ``judge_reliability``,
        ``facts``, ``answer``.  Each is an attribute as well, the answer as one object.
    """

    main_table = "systems"

    @property
    def measures(self) -> list[str]:
        """Measures in canonical spelling."""
        return list(dict.fromkeys(self.systems["measure"]))

    def plot(self, what: str | None = None) -> Figure:
        """Draw ``systems``, ``datasets``, ``pairs``, ``reliability`` or ``power``.

        By default ``datasets`` of scores on several data sets, otherwise ``systems``.
        """
        from regrade.api.plots import draw_ranking

        return draw_ranking(self, what or ("datasets" if len(self.datasets) else "systems"))


@asks(stage.Ranking)
@checks_types(missing=one_of(LEAVING))
def rank(
    qrels: object,
    runs: object = None,
    measures: Sequence[str] | str | None = None,
    *,
    judges: Mapping[str, object] | None = None,
    judge: str | None = None,
    missing: str = "refuse",
    lower: Sequence[str] = (),
    threads: int = 1,
    options: SimpleNamespace,
) -> Ranking:
    """Which system is best, and how sure is that?

    Parameters
    ----------
    qrels
        Whatever `regrade.read_qrels` takes; or, without runs, scores by item: whatever
        `regrade.read_scores` takes.
    runs
        Whatever `regrade.read_runs` takes; ``None`` beside scores by item.
    measures
        A list, or one string separated by spaces; by default those of `regrade.choices.COMPARED`
        that are defined on the labels' scale, and of scores by item all of these.
    judges
        Further label sets of the same documents, by name: judges are then a facet of the
        reliability, in addition to systems and topics.

    Returns
    -------
    Ranking

    Raises
    ------
    RegradeError
        If something cannot be read, runs and labels share nothing, or an option cannot be used.

    Examples
    --------
    >>> qrels = {"401": {"d1": 1, "d2": 0}, "402": {"d1": 0, "d2": 1}}
    >>> run = {"a": {"401": {"d1": 2, "d2": 1}, "402": {"d2": 2, "d1": 1}},
    ...        "b": {"401": {"d1": 1, "d2": 2}, "402": {"d2": 2, "d1": 1}}}
    >>> rank(qrels, run, "RR").systems[["system", "mean", "rank"]].values.tolist()
    [['a', 1.0, 1], ['b', 0.75, 2]]

    >>> import pandas as pd
    >>> scores = pd.DataFrame({"system": ["a", "a", "b", "b"], "topic": ["1", "2", "1", "2"],
    ...                        "measure": "accuracy", "value": [1, 1, 0, 1]})
    >>> rank(scores).systems[["system", "mean", "rank"]].values.tolist()
    [['a', 1.0, 1], ['b', 0.5, 2]]
    """
    if runs is None:
        refuse_labels(judges=judges)
        design = score_design(qrels, measures, judge=judge, missing=missing, lower=lower)
        inputs = {"scores": design}
        return Ranking(StageTables(stage.Ranking, inputs, options, threads=threads))
    check_of_labels(lower=lower, judge=judge)
    labels, read = read_qrels(qrels), read_runs(runs)
    none = judges is None or (isinstance(judges, Mapping) and not judges)
    others = [] if none else [*named_sets(judges, read_qrels).values()]
    options.measures = parse_all(measures_for(measures, [labels, *others], COMPARED))
    under = [runs_under(one, read, options.measures) for one in (labels, *others)]
    (first, *further), notes = (
        [one for one, _ in under],
        [n for _, notes_of in under for n in notes_of],
    )
    inputs = {"qrels": first, "judges": further, "runs": MemoryRuns(read.ranked)}
    return Ranking(StageTables(stage.Ranking, inputs, options, notes, threads))
