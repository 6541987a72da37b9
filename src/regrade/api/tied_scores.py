"""Ties among the scores of runs, and what they leave open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

from regrade.api.results import Result, Text
from regrade.api.scores import match_runs, notes_on
from regrade.api.sets import as_input, measures_for, read_qrels, read_runs
from regrade.choices import TIED
from regrade.errors import MethodError
from regrade.scoring import highest_grade
from regrade.stages.library import MemoryRuns, StageTables, asks
from regrade.tied_scores import stage

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class Ties(Result):
    """How many ties there are, and scores under every order of tied documents.

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
        """Draw how far scores and ranks can move by the order of tied documents."""
        from regrade.show.ranked import SHOWN
        from regrade.tied_scores.figures import figure_ties

        if self.scores is None:
            raise MethodError("without qrels there is nothing to draw: regrade.ties(runs, qrels)")
        return figure_ties(self.ranks, SHOWN)


@asks(stage.Ties)
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
    """Count ties in runs and, with labels, what they leave open of the scores.

    Parameters
    ----------
    runs
        Whatever `regrade.read_runs` takes.
    qrels
        Whatever `regrade.read_qrels` takes; ``None``: only count.
    measures
        That have an expectation over orders of ties; by default those of `regrade.choices.TIED`
        that mean something on the labels' scale.
    max_grade
        Highest level of the grades' scale; by default as for `regrade.score`.
    score_precision
        As what scores are compared: ``float64`` or ``float32``.
    threads
        At once; the result does not depend on it.

    Returns
    -------
    Ties

    Raises
    ------
    RegradeError
        If something cannot be read, or a measure knows no ties.
    """
    read = read_runs(runs)
    options.score_precision = score_precision
    inputs, notes = {"qrels": None, "runs": MemoryRuns(read.ranked)}, []
    if qrels is not None:
        labels = read_qrels(qrels)
        options.ranges = measures_for(measures, [labels], TIED)
        ranked, judged, overlap = match_runs(labels, read, options.ranges)
        highest = highest_grade(labels.max_grade if max_grade is None else max_grade, judged)
        inputs["qrels"] = replace(as_input(labels, ranked, judged), high=highest)
        notes = notes_on(labels, overlap, options.ranges)
    return Ties(StageTables(stage.Ties, inputs, options, notes, threads))
