"""Whether a pair of systems changes from one set of labels to another, and what topics change.

A pair that is significant under one set and not under the other has not thereby changed: whether
p is below 0.05 turns with any new topics.  Two answers to that: how many pairs turn between two
draws of topics under *one* set, and, for each pair, a test of the change itself
(`regrade.evaluations.pair_outcomes.change_p`): a paired test of the difference of differences,
(a₁ − b₁) − (a₂ − b₂) on each topic, corrected by Benjamini and Hochberg's rule.

References
----------
Gelman and Stern, The difference between "significant" and "not significant" is not itself
statistically significant, The American Statistician 60(4), 2006.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import special

from regrade.catalogue import columns_of
from regrade.evaluations.pair_outcomes import FEWEST_OF_CHANGES, FLIPS, changes_of
from regrade.percentiles import interval
from regrade.randomness import generator
from regrade.rankings import TOLERANCE
from regrade.scoring import Scores
from regrade.significance.discrimination import CHUNK, adjust
from regrade.significance.paired import differences

AT_A_TIME = 10
"""Twos of draws whose tests of all pairs are held together."""

DRAWS = 200
"""How often two draws of topics are held side by side."""


def flips_by_topics(
    scores: np.ndarray, significance: float, correction: str, seed: int, draws: int = DRAWS
) -> np.ndarray:
    """How many pairs turn between two draws of topics under one set of labels.

    Parameters
    ----------
    scores : array of float64, shape (S, T)
        Of S systems on T topics.
    significance, correction
        A paired t-test's p, so corrected, below it is significant.
    seed, draws
        Of the draws, with replacement; how many twos.

    Returns
    -------
    array of int64, shape (draws,)
        Pairs whose significance appears, disappears or reverses; none of fewer than two topics.
    """
    n = scores.shape[1]
    if n < 2 or len(scores) < 2:
        return np.empty(0, dtype=np.int64)
    rng = generator(seed, "two draws of topics", str(n))
    times = rng.multinomial(n, np.full(n, 1 / n), size=(draws, 2)).astype(float)
    flips = []
    for start in range(0, draws, AT_A_TIME):
        some = times[start : start + AT_A_TIME]
        t = _paired_t_under(scores, some.reshape(-1, n))
        told = [_told(of, n, significance, correction) for of in t]
        flips += [_flips((told[k], np.sign(t[k])), (told[k + 1], np.sign(t[k + 1])))
                  for k in range(0, len(told), 2)]  # fmt: skip
    return np.array(flips, dtype=np.int64)


def _told(t: np.ndarray, n: int, significance: float, correction: str) -> np.ndarray:
    """(P,) whether each t of n topics is significant; undefined ones are not."""
    if correction == "none":  # Student's quantile once, and not p of each
        return np.abs(t) > special.stdtrit(n - 1, 1 - significance / 2)
    return adjust(2 * special.stdtr(n - 1, -np.abs(t)), correction) < significance


def _paired_t_under(scores: np.ndarray, times: np.ndarray) -> np.ndarray:
    """(K, P) t of `paired_t` of all pairs on topics that count so many times.

    Of some pairs after the others, so that their differences on all topics are never held together.
    """
    one, other = np.triu_indices(len(scores), 1)
    t = np.empty((len(times), len(one)))
    n = scores.shape[1]
    for start in range(0, len(one), CHUNK):
        at = slice(start, start + CHUNK)
        difference = differences(scores[one[at]], scores[other[at]])
        mean = times @ difference.T / n
        squares = np.maximum(times @ (difference**2).T / n - mean**2, 0.0)
        spread = np.sqrt(squares * n / (n - 1))
        error = np.where(spread <= TOLERANCE, 0.0, spread) / np.sqrt(n)
        mean = np.where(np.abs(mean) <= TOLERANCE, 0.0, mean)
        with np.errstate(divide="ignore", invalid="ignore"):
            t[:, at] = mean / error
    return t


def _flips(one: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray]) -> int:
    change = changes_of(one[0], other[0], one[1] * other[1])
    return int(np.isin(change, FLIPS).sum())


def change_row(
    change: np.ndarray, p: np.ndarray, by_topics: np.ndarray, significance: float, topics: int
) -> dict[str, float]:
    """How many pairs change, by the columns of ``compare/changes``.

    Parameters
    ----------
    change : array of str, shape (P,)
        Of `regrade.evaluations.pair_outcomes.CHANGES`.
    p : array of float64, shape (P,)
        Of `regrade.evaluations.pair_outcomes.change_p`.
    by_topics
        Of `flips_by_topics`.
    significance
        A p below it tells a change.
    topics
        How many there are; with too few for `change_p` how many are told is undefined.
    """
    low, high = interval(by_topics.astype(float)) if len(by_topics) else (np.nan, np.nan)
    mean = by_topics.mean() if len(by_topics) else np.nan
    flips = np.isin(change, FLIPS)
    told = (flips & (p < significance)).sum() if topics >= FEWEST_OF_CHANGES else np.nan
    counts = {"pairs": len(p), "changed": int(flips.sum()), "told": told}
    return counts | {"by_topics": mean, "low": low, "high": high}


def changes_table(
    pairs: pd.DataFrame,
    systems: pd.DataFrame,
    first: Scores,
    significance: float,
    correction: str,
    seed: int,
) -> pd.DataFrame:
    """What becomes of pairs, and what topics alone would make of them (``compare/changes``).

    Parameters
    ----------
    pairs
        As `regrade.evaluations.pair_outcomes.pair_outcomes` makes it.
    systems
        Rows of ``compare/systems``.
    first
        Scores under the first set.
    significance, correction, seed
        As for `flips_by_topics`.
    """
    rows = []
    for m, measure in enumerate(map(str, first.measures)):
        of = pairs[pairs["measure"] == measure]
        by_topics = flips_by_topics(first.values[:, :, m], significance, correction, seed)
        change = of["change"].to_numpy(str)
        p = of["change_p"].to_numpy(float)
        row = change_row(change, p, by_topics, significance, len(first.topics))
        moves = np.abs(systems.loc[systems["measure"] == measure, "move"].to_numpy())
        row |= {"moved": np.count_nonzero(moves), "farthest": moves.max(initial=0)}
        rows.append({"measure": measure} | row)
    return pd.DataFrame(rows, columns=columns_of("compare/changes"))
