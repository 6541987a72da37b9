"""Which system is best, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from regrade.answers.ranking import answer
from regrade.api.results import Result, check_threads, options_of, with_warnings
from regrade.api.scores import match_runs, notes_on, scored
from regrade.api.sets import measures_for, named_sets, read_qrels, read_runs
from regrade.choices import COMPARED
from regrade.measures import parse_all
from regrade.ranking.tables import RankingOptions, rank_systems

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


def rank(
    qrels: object,
    runs: object,
    measures: Sequence[str] | str | None = None,
    *,
    judges: Mapping[str, object] | None = None,
    threads: int = 1,
    **how: object,
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
    **how
        Options of `regrade.ranking.tables.HowRanked`: draws, top, splits, seed.

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
    check_threads(threads)
    options = options_of(RankingOptions, how, "a ranking")
    labels, read = read_qrels(qrels), read_runs(runs)
    none = judges is None or (isinstance(judges, Mapping) and not judges)
    others = [] if none else [*named_sets(judges, read_qrels).values()]
    named = measures_for(measures, [labels, *others], COMPARED)
    parsed, found, notes = parse_all(named), [], []
    for one in (labels, *others):
        ranked, judged, overlap = match_runs(one, read, parsed)
        found.append(scored(one, ranked, judged, parsed).scores)
        notes += notes_on(one, overlap, parsed)
    scores, *under = found
    tables = rank_systems(scores, options, under, threads)
    return Ranking(with_warnings(tables | {"answer": answer(tables).to_frame()}, notes))
