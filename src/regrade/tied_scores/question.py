"""How often documents tie, and what that does to scores."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING

from regrade.api.results import Result, Text
from regrade.api.scores import coded
from regrade.api.sets import measures_for, read_qrels, read_runs
from regrade.argument_checks import one_of, within
from regrade.choices import SCORE_PRECISIONS, TIED
from regrade.errors import MethodError
from regrade.scoring import highest_grade
from regrade.stages.library import MemoryRuns, StageTables, asks, checks_types, measures_that
from regrade.tied_scores import stage
from regrade.tied_scores.expectations import check_tied

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


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


@asks(stage.Ties)
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
    return Ties(StageTables(stage.Ties, inputs, options, notes, threads))
