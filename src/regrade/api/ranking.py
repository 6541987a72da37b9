"""System rankings with CIs and tests, and the effects of ties and unjudged documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING

from regrade.api.designs import check_of_labels, refuse_labels, score_design
from regrade.api.results import Result, Text
from regrade.api.scores import coded, runs_under
from regrade.api.sets import measures_for, named_sets, read_qrels, read_runs
from regrade.argument_checks import one_of, within
from regrade.choices import COMPARED, LEAVING, SCORE_PRECISIONS, TIED
from regrade.errors import MethodError
from regrade.measures import parse_all
from regrade.ranking import stage as ranking_stage
from regrade.scoring import highest_grade
from regrade.stages.library import MemoryRuns, StageTables, asks, checks_types, measures_that
from regrade.tied_scores import stage as ties_stage
from regrade.tied_scores.expectations import check_tied
from regrade.uncertainty import stage as unjudged_stage
from regrade.uncertainty.ranges import check_ranged

if TYPE_CHECKING:
    import pandas as pd
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


@asks(ranking_stage.Ranking)
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
        return Ranking(StageTables(ranking_stage.Ranking, inputs, options, threads=threads))
    check_of_labels(lower=lower, judge=judge)
    labels, read = read_qrels(qrels), read_runs(runs)
    none = judges is None or (isinstance(judges, Mapping) and not judges)
    others = [] if none else [*named_sets(judges, read_qrels).values()]
    options.measures = parse_all(measures_for(measures, [labels, *others], COMPARED))
    under = [runs_under(one, read, options.measures) for one in (labels, *others)]
    (first, *further), notes = [one for one, _ in under], [n for _, said in under for n in said]
    inputs = {"qrels": first, "judges": further, "runs": MemoryRuns(read.ranked)}
    return Ranking(StageTables(ranking_stage.Ranking, inputs, options, notes, threads))


class Ties(Result):
    """Frequency of ties, and scores under every tie-breaking.

    Attributes
    ----------
    tables
        By name, as the stage ``ties`` of the workflow has them: ``rates``, and with qrels
        ``ranges`` (mean scores in the order of the run, as trec_eval orders ties, ``expected``
        over all orders, ``pessimistic`` and ``optimistic``), ``ranks``, ``numbers``, ``answer``.
        Each is an attribute as well, the answer as one object.
    """

    @property
    def scores(self) -> pd.DataFrame | None:
        """The table ``ranges``; ``None`` without qrels."""
        return self.tables.get("ranges")

    @property
    def main_table(self) -> str:
        """The scores; without qrels the rates."""
        return "rates" if self.scores is None else "ranges"

    def summary(self) -> Text:
        """The answer in a few sentences; without qrels the rates."""
        return super().summary() if self.scores is not None else Text(self.rates.to_string())

    def plot(self) -> Figure:
        """Draw the ranges of scores and ranks over tie-breakings."""
        if self.scores is None:
            raise MethodError("without qrels there is no figure: regrade.ties(runs, qrels)")
        return super().plot()


@asks(ties_stage.Ties)
@checks_types(
    measures=measures_that(check_tied),
    max_grade=within(above=0),
    score_precision=one_of(SCORE_PRECISIONS),
)
def ties(
    runs: object,
    qrels: object = None,
    measures: Sequence[str] | str | None = None,
    *,
    max_grade: float | None = None,
    score_precision: str = "float64",
    threads: int = 1,
    options: SimpleNamespace,
) -> Ties:
    """Does it matter how ties are broken? Without labels: how frequent are ties?

    Parameters
    ----------
    runs
        Whatever `regrade.read_runs` takes.
    qrels
        Whatever `regrade.read_qrels` takes; ``None``: ties are only counted.
    measures
        Measures with an expectation over tie-breakings; by default those of `regrade.choices.TIED`
        that are defined on the labels' scale.
    max_grade
        Highest level of the grades' scale; by default as for `regrade.score`.
    score_precision
        Precision in which scores are compared: ``float64`` or ``float32``.

    Returns
    -------
    Ties

    Raises
    ------
    RegradeError
        If something cannot be read, or a measure has no expectation over ties.
    """
    read = read_runs(runs)
    options.score_precision = score_precision
    inputs, notes = {"qrels": None, "runs": MemoryRuns(read.ranked)}, []
    if qrels is not None:
        labels = read_qrels(qrels)
        options.ranges = measures_for(measures, [labels], TIED)
        one, notes = coded(labels, read, options.ranges)
        highest = highest_grade(one.high if max_grade is None else max_grade, one.judged)
        inputs["qrels"] = one.with_high(highest)
    return Ties(StageTables(ties_stage.Ties, inputs, options, notes, threads))


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


@asks(unjudged_stage.Ranges, residual=None)
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
    return Unjudged(StageTables(unjudged_stage.Ranges, inputs, options, notes))
