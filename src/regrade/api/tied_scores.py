"""Ties among the scores of runs, and what they leave open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from regrade.answers.ties import answered
from regrade.api.results import Result, Text, with_warnings
from regrade.api.scores import match_runs, notes_on
from regrade.api.sets import measures_for, read_qrels, read_runs
from regrade.audit.rankings import audit_runs
from regrade.choices import TIED
from regrade.errors import MethodError
from regrade.run_arrays import JudgedLists
from regrade.scoring import highest_grade
from regrade.tied_scores.effects import tie_rates, tie_scores
from regrade.tied_scores.groups import TieGroups

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
        from regrade.show.answer_figures import SHOWN, figure_ties

        if self.scores is None:
            raise MethodError("without qrels there is nothing to draw: regrade.ties(runs, qrels)")
        return figure_ties(self.ranks, SHOWN)


def ties(
    runs: object,
    qrels: object = None,
    measures: Sequence[str] | str | None = None,
    *,
    max_grade: float | None = None,
    score_precision: str = "float64",
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

    Returns
    -------
    Ties

    Raises
    ------
    RegradeError
        If something cannot be read, or a measure knows no ties.
    """
    runs = read_runs(runs)
    audit = audit_runs(runs.ranked, score_precision=score_precision)
    rates = tie_rates(audit)
    if qrels is None:
        return Ties({"rates": rates})
    labels = read_qrels(qrels)
    measures = measures_for(measures, [labels], TIED)
    ranked, judged, overlap = match_runs(labels, runs, measures)
    highest = highest_grade(labels.max_grade if max_grade is None else max_grade, judged)
    groups = TieGroups.by_score(ranked, score_precision)
    lists = JudgedLists.match(ranked, judged, highest)
    found = tie_scores(ranked, lists, groups, list(measures))
    tables = {"rates": rates, "ranges": found.to_frame()}
    return Ties(with_warnings(tables | answered(tables), notes_on(labels, overlap, measures)))
