"""The alternative annotator test: does a judge stand for a person left out better than that person?

Each person h is left out in turn.  On a document i that h and others labelled, an annotator f is
scored by how near its label is to those of the others, S(f, i) = −RMSE; with W_f = [S(f) ≥ S(h)]
and W_h = [S(h) ≥ S(f)],

    ρ_h = mean W_f,    H₀: mean (W_h − W_f) ≥ ε,

by Student's one-sided t-test over documents, corrected for the number of people by Benjamini and
Yekutieli's rule at 0.05.  The winning rate ω is the share of people whose H₀ is rejected, the
advantage probability ρ the mean of ρ_h.  The judge passes if ω ≥ 0.5.

The test takes documents for independent, which those of a topic are not.  So beside it stands the
*advantage*, the mean of W_f − W_h over all people's documents, with an interval over topics: that
is the line of a verdict, and ω ≥ 0.5 a further condition of a yes.

On two values S is the share of others with the same label, or is ordered as that.

References
----------
Calderon, Reichart and Dror, The alternative annotator test for LLM-as-a-judge: how to statistically
justify replacing human annotators with LLMs, ACL 2025, §3: people with fewer than 30 documents are
left out, ε is 0.2 for experts, 0.15 for skilled people and 0.1 for crowds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special

from regrade.kendall import TOLERANCE
from regrade.significance.corrections import adjust

FEWEST_DOCUMENTS = 30
"""Of a person, to be left out in turn."""

PASSES = 0.5
"""The winning rate from which on the judge passes."""

Q = 0.05
"""The false discovery rate."""


@dataclass(frozen=True, eq=False)
class AlternativeTest:
    """What the test says.

    Attributes
    ----------
    winning_rate, advantage_probability
        ω and ρ; NaN where nobody has documents enough.
    people : DataFrame
        A row for each person with enough documents: person, documents, ``probability`` (ρ_h),
        ``difference`` (mean of W_h − W_f), ``p``, ``p_adjusted``, ``wins``.
    sums, counts : array of float64, shape (T,)
        Sum of W_f − W_h over people and documents of each topic, and how many there are.
    judge_share, person_share
        Mean of W_f and of W_h over all people's documents.
    """

    winning_rate: float
    advantage_probability: float
    people: pd.DataFrame
    sums: np.ndarray
    counts: np.ndarray
    judge_share: float
    person_share: float

    def advantage(self, weights: np.ndarray) -> np.ndarray:
        """(B,) mean of W_f − W_h where topics count (B, T) times."""
        total = weights @ self.counts
        return np.divide(
            weights @ self.sums, total, where=total > 0, out=np.full(len(weights), np.nan)
        )


def alternative_test(
    judge: np.ndarray,
    people: np.ndarray,
    names: Sequence[str],
    topic: np.ndarray,
    epsilon: float,
) -> AlternativeTest:
    """The alternative annotator test of a judge.

    Parameters
    ----------
    judge : array of float64, shape (D,)
        Its label of each document; NaN where it has none.
    people : array of float64, shape (D, A)
        Labels by person; NaN where a person did not label the document.
    names
        Of the people.
    topic : array of int, shape (D,)
        Place of each document's topic.
    epsilon
        ε.
    """
    labelled = ~np.isnan(people)
    usable = (labelled.sum(axis=1) > 1) & ~np.isnan(judge)
    topics = int(topic.max(initial=-1)) + 1
    sums, counts, won, rows = np.zeros(topics), np.zeros(topics), np.zeros(2), []
    for place, name in enumerate(names):
        own = usable & labelled[:, place]
        if own.sum() < FEWEST_DOCUMENTS:
            continue
        others = np.delete(people[own], place, axis=1)
        far = [_squares(one, others) for one in (judge[own], people[own, place])]
        wins, person_wins = far[0] <= far[1] + TOLERANCE, far[1] <= far[0] + TOLERANCE
        difference = person_wins.astype(float) - wins
        sums -= np.bincount(topic[own], difference, topics)
        counts += np.bincount(topic[own], minlength=topics)
        won += wins.sum(), person_wins.sum()
        row = {"person": name, "documents": int(own.sum()), "probability": wins.mean()}
        row |= {"difference": difference.mean(), "p": _p_below(difference, epsilon)}
        rows.append(row)
    columns = ["person", "documents", "probability", "difference", "p"]
    table = pd.DataFrame(rows, columns=columns)
    table["p_adjusted"] = adjust(table["p"].to_numpy(float), "by")
    table["wins"] = table["p_adjusted"] <= Q
    rate, probability = (table[name].astype(float).mean() for name in ("wins", "probability"))
    shares = won / max(counts.sum(), 1)
    return AlternativeTest(
        float(rate), float(probability), table, sums, counts, *map(float, shares)
    )


def _squares(labels: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(D,) mean squared difference from the others' labels, which orders as the RMSE does."""
    return np.nanmean((labels[:, None] - others) ** 2, axis=1)


def _p_below(difference: np.ndarray, epsilon: float) -> float:
    """One-sided p of Student's t-test that the mean is below ε."""
    n = len(difference)
    error = difference.std(ddof=1) / np.sqrt(n)
    if error <= TOLERANCE:
        return 0.0 if difference.mean() < epsilon else 1.0
    return float(special.stdtr(n - 1, (difference.mean() - epsilon) / error))
