"""Whether a pair of systems changes from one set of labels to another, and what topics change.

A pair that is significant under one set and not under the other has not thereby changed: whether
p is below 0.05 differs with any new topics.  Two answers to that: for how many pairs it does
between two draws of topics under *one* set, and, for each pair, a test of the change itself
(`regrade.evaluations.pair_outcomes.change_p`): a paired test of the difference of differences,
(a₁ − b₁) − (a₂ − b₂) on each topic, corrected by Benjamini and Hochberg's rule.

References
----------
Gelman and Stern, The difference between "significant" and "not significant" is not itself
statistically significant, The American Statistician 60(4), 2006.
"""

from __future__ import annotations

from math import comb

import numpy as np
import pandas as pd
from scipy import special

from regrade.blocks import Blocks, blocks_of
from regrade.catalogue import columns_of
from regrade.evaluations.pair_outcomes import FEWEST_OF_CHANGES, changes_of, is_flip
from regrade.kendall import TOLERANCE
from regrade.percentiles import interval
from regrade.randomness import generator, with_replacement
from regrade.scoring import Scores
from regrade.significance.discrimination import adjust
from regrade.significance.paired import CHUNK, differences, pairs_at

HELD = 2**22
"""Pairs times twos of draws, about, whose t are held together where all must be known."""

DRAWS = 200
"""How often two draws of topics are held side by side."""


def flips_by_topics(
    scores: np.ndarray, significance: float, correction: str, seed: int, draws: int = DRAWS
) -> np.ndarray:
    """For how many pairs significance changes between two draws of topics under one set of
    labels.
    """
    n = scores.shape[1]
    if n < 2 or len(scores) < 2:
        return np.empty(0, dtype=np.int64)
    rng = generator(seed, "two draws of topics", str(n))
    times = with_replacement(rng, n, (draws, 2)).astype(float)
    pairs, flips = comb(len(scores), 2), []
    if correction == "none":  # by the critical value of t, some of the pairs at a time
        critical = special.stdtrit(n - 1, 1 - significance / 2)
        for start in range(0, pairs, CHUNK):
            t = _t_under(scores, times.reshape(-1, n), start)
            t = t.reshape(draws, 2, -1).swapaxes(0, 1)
            flips.append(_flips(np.abs(t) > critical, np.sign(t)).sum(axis=1))
        return np.sum(flips, axis=0)
    for twos in np.array_split(times, min(draws, 1 + draws * pairs // HELD)):
        some = twos.reshape(-1, n)
        t = np.concatenate([_t_under(scores, some, k) for k in range(0, pairs, CHUNK)], axis=1)
        for two in t.reshape(len(twos), 2, pairs):
            p = 2 * special.stdtr(n - 1, -np.abs(two))
            significant = np.array([adjust(of, correction) < significance for of in p])
            flips.append(_flips(significant, np.sign(two)).sum())
    return np.array(flips, dtype=np.int64)


def _t_under(scores: np.ndarray, times: np.ndarray, start: int) -> np.ndarray:
    """(K, P) t of `paired_t` of `CHUNK` pairs from one on, on topics that count so many times."""
    n = scores.shape[1]
    first, other = pairs_at(len(scores), start, min(start + CHUNK, comb(len(scores), 2)))
    difference = differences(scores[first], scores[other])
    mean = times @ difference.T / n
    squares = np.maximum(times @ (difference**2).T / n - mean**2, 0.0)
    spread = np.sqrt(squares * n / (n - 1))
    error = np.where(spread <= TOLERANCE, 0.0, spread) / np.sqrt(n)
    mean = np.where(np.abs(mean) <= TOLERANCE, 0.0, mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        return mean / error


def _flips(significant: np.ndarray, sign: np.ndarray) -> np.ndarray:
    """For which pairs significance changes from the first of two draws to the second."""
    return is_flip(changes_of(*significant, sign[0] * sign[1]))


def change_row(
    change: np.ndarray, p: np.ndarray, by_topics: np.ndarray, significance: float, topics: int
) -> dict[str, float]:
    """How many pairs change, by the columns of ``compare/changes``."""
    low, high = interval(by_topics.astype(float)) if len(by_topics) else (np.nan, np.nan)
    mean = by_topics.mean() if len(by_topics) else np.nan
    flips = is_flip(change)
    significant = (flips & (p < significance)).sum() if topics >= FEWEST_OF_CHANGES else np.nan
    counts = {"pairs": len(p), "changed": int(flips.sum()), "told": significant}
    return counts | {"by_topics": mean, "low": low, "high": high}


def changes_table(
    pairs: pd.DataFrame | Blocks,
    systems: pd.DataFrame,
    first: Scores,
    significance: float,
    correction: str,
    seed: int,
) -> pd.DataFrame:
    """What becomes of pairs, and what topics alone would make of them (``compare/changes``)."""
    known = pd.concat(some[["measure", "change", "change_p"]] for some in blocks_of(pairs))
    rows = []
    for m, measure in enumerate(map(str, first.measures)):
        of = known[known["measure"] == measure]
        by_topics = flips_by_topics(first.values[:, :, m], significance, correction, seed)
        change = of["change"].cat.codes.to_numpy()
        p = of["change_p"].to_numpy(float)
        row = change_row(change, p, by_topics, significance, len(first.topics))
        moves = np.abs(systems.loc[systems["measure"] == measure, "move"].to_numpy())
        row |= {"moved": np.count_nonzero(moves), "farthest": moves.max(initial=0)}
        rows.append({"measure": measure} | row)
    return pd.DataFrame(rows, columns=columns_of("compare/changes"))
