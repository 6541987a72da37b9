"""Which system is best, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING

from regrade.api.results import Result
from regrade.api.scores import runs_under
from regrade.api.sets import measures_for, named_sets, read_qrels, read_runs
from regrade.choices import COMPARED
from regrade.measures import parse_all
from regrade.ranking import stage
from regrade.stages.library import MemoryRuns, StageTables, asks

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Ranking(Result):
    """Systems in order of their means, and how sure that is.

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
        """As they are written."""
        return list(dict.fromkeys(self.systems["measure"]))

    def plot(self, what: str = "systems") -> Figure:
        """Draw ``systems``, ``pairs``, ``reliability`` or ``power``."""
        from regrade.api.plots import draw_ranking

        return draw_ranking(self, what)


@asks(stage.Ranking)
def rank(
    qrels: object,
    runs: object,
    measures: Sequence[str] | str | None = None,
    *,
    judges: Mapping[str, object] | None = None,
    threads: int = 1,
    options: SimpleNamespace,
) -> Ranking:
    """Which system is best, and how sure is that?

    Parameters
    ----------
    qrels
        Whatever `regrade.read_qrels` takes.
    runs
        Whatever `regrade.read_runs` takes.
    measures
        A list, or one text with blanks between; by default those of `regrade.choices.COMPARED`
        that mean something on the labels' scale.
    judges
        Further sets of labels of the same documents, by name: judges are then a facet of the
        reliability, beside systems and topics.
    threads
        At once; the result does not depend on it.

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
    """
    labels, read = read_qrels(qrels), read_runs(runs)
    none = judges is None or (isinstance(judges, Mapping) and not judges)
    others = [] if none else [*named_sets(judges, read_qrels).values()]
    options.measures = parse_all(measures_for(measures, [labels, *others], COMPARED))
    under = [runs_under(one, read, options.measures) for one in (labels, *others)]
    (first, *further), notes = [one for one, _ in under], [n for _, said in under for n in said]
    inputs = {"qrels": first, "judges": further, "runs": MemoryRuns(read.ranked)}
    return Ranking(StageTables(stage.Ranking, inputs, options, notes, threads))
