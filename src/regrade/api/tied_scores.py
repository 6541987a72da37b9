"""Ties among the scores of runs, and what they leave open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from regrade.api.scores import matched
from regrade.api.sets import measures_for, read_qrels, read_runs
from regrade.audit.rankings import audit_runs
from regrade.choices import TIED
from regrade.run_arrays import JudgedLists
from regrade.scoring import highest_grade
from regrade.tied_scores.effects import tie_rates, tie_scores
from regrade.tied_scores.groups import TieGroups

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Ties:
    """How many ties there are, and scores under every order of tied documents.

    Attributes
    ----------
    rates
        Table ``ties/rates``: systems, rankings and documents that have ties.
    scores
        Table ``ties/ranges``: of each system the mean score in the order of its run (``run``), as
        trec_eval orders ties, ``expected`` over all orders, ``pessimistic`` and ``optimistic``;
        ``None`` without qrels.
    qrels
        What the labels are called.
    """

    rates: pd.DataFrame
    scores: pd.DataFrame | None = None
    qrels: str = ""

    def to_frame(self) -> pd.DataFrame:
        """The scores; without qrels the rates."""
        return self.rates if self.scores is None else self.scores

    def plot(self) -> Figure:
        """Draw how far each system's score can move by the order of tied documents."""
        from regrade.api.plots import draw_ties

        return draw_ties(self)

    def __repr__(self) -> str:
        """Both tables."""
        parts = ["<Ties>", self.rates.to_string(index=False)]
        if self.scores is not None:
            parts += [f"scores under {self.qrels}:", self.scores.to_string(index=False)]
        return "\n".join(parts)


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
        return Ties(rates)
    labels = read_qrels(qrels)
    measures = measures_for(measures, [labels], TIED)
    ranked, judged = matched(labels, runs, measures=measures)
    highest = highest_grade(labels.max_grade if max_grade is None else max_grade, judged)
    groups = TieGroups.by_score(ranked, score_precision)
    lists = JudgedLists.match(ranked, judged, highest)
    found = tie_scores(ranked, lists, groups, list(measures))
    return Ties(rates, found.to_frame(), labels.name)
