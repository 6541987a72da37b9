"""Each system: its score, its rank and how sure that is, its tier, how often draws put it first.

    rank_low   1 + the systems that are significantly better
    rank_high  S − the systems that are significantly worse

hold the ranks of all systems at once (Mogstad et al. 2024, Theorem 3.1, with Romano and Wolf's
stepdown over all pairs).  A tier begins with the best system that no earlier tier has; the others
of it are those that are not significantly worse than that one.

Which system may be the best is another question, about S − 1 differences in place of S(S − 1)/2:
`may_be_best` holds the best system in 95 % of samples (multiple comparisons with the best).

The mean of the system that is first is too high where others are as good: of 63 equal ones the
usual interval held it in 70 % of samples of 25 topics.  So topics are put into halves at random,
the best system of one half is judged by each topic of the other, and the other way round.  The
interval goes from the lower end of what topics have under systems that they did not choose to the
higher of both upper ends, as that of a chosen cut does (`regrade.trust.gains`).
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.correlations import competition_ranks
from regrade.kendall import TOLERANCE
from regrade.randomness import generator, halves_both_ways
from regrade.ranking.moments import MANY
from regrade.ranking.pairs import AllPairs, SystemPairs, mean_ends
from regrade.ranking.sample import Sample
from regrade.significance.discrimination import SIGNIFICANCE

_BLOCK = 1024

SPLITS = 10
"""How often topics are put into halves."""

SURE = ("may_be_best", "p_best", "rank_low", "rank_high", "tier", "share_first", "share_top")
"""Columns that need simultaneous inference over all pairs."""


def significantly_better(pairs: SystemPairs, systems: int) -> np.ndarray:
    """(S, S) bool: whether the system of a row is significantly better than that of a column."""
    sign = pairs.significant_sign()
    better = np.zeros((systems, systems), dtype=bool)
    better[pairs.first, pairs.second] = sign > 0
    better[pairs.second, pairs.first] = sign < 0
    return better


def rank_sets(better: np.ndarray) -> np.ndarray:
    """(2, S) lowest and highest rank of each system, by the significant differences."""
    return np.stack([1 + better.sum(axis=0), len(better) - better.sum(axis=1)])


def tiers(means: np.ndarray, better: np.ndarray) -> np.ndarray:
    """(S,) the tier of each system, from 1."""
    tier_of = np.zeros(len(means), dtype=np.int64)
    left, tier = np.argsort(-means, kind="stable"), 0
    while len(left):
        tier += 1
        worse = better[left[0], left]
        tier_of[left[~worse]] = tier
        left = left[worse]
    return tier_of


def shares_first(
    means: np.ndarray, deviations: np.ndarray, top: int
) -> tuple[np.ndarray, np.ndarray]:
    """In what share of draws each system is first, and among the first `top`.

    Parameters
    ----------
    means : array of float64, shape (S,)
        Of the systems.
    deviations : array of float64, shape (B, S)
        From them in each draw.
    top
        Up to S.
    """
    first, among = np.zeros((2, len(means)))
    kth = max(0, len(means) - top)
    for start in range(0, len(deviations), _BLOCK):
        drawn = means + deviations[start : start + _BLOCK]
        is_first = drawn >= drawn.max(axis=1, keepdims=True) - TOLERANCE
        first += (is_first / is_first.sum(axis=1, keepdims=True)).sum(axis=0)
        least = np.partition(drawn, kth, axis=1)[:, [kth]]
        among += (drawn >= least - TOLERANCE).sum(axis=0)
    return first / len(deviations), among / len(deviations)


def held_out_best(scores: np.ndarray, seed: int) -> np.ndarray:
    """(T,) what each topic has, on average, under the best system of topics that it is none of."""
    n, total = scores.shape[1], np.zeros(scores.shape[1])
    rng = generator(seed, "halves of topics", "best system", str(n))
    for half, other in halves_both_ways(rng, n, SPLITS):
        if n > MANY:  # choosing columns of many costs more than adding all
            is_in = np.zeros(n)
            is_in[half] = 1 / len(half)
            means = scores @ is_in
        else:
            means = scores[:, half].mean(axis=1)
        total[other] += scores[means.argmax(), other]
    return total / SPLITS


def system_ends(scores: np.ndarray | Sample, seed: int) -> np.ndarray:
    """(2, S) ends of the interval of each mean; of those that are first, for they are the best.

    NaN of fewer topics than they are given from.
    """
    sample = scores if isinstance(scores, Sample) else Sample.of(scores)
    ends = mean_ends(sample.values, sample)
    if len(sample) >= sample.fewest:
        first = competition_ranks(sample.values.mean(axis=1)) == 1
        held_out = held_out_best(sample.values, seed)[None]
        best = int(first.argmax())
        low, high = mean_ends(held_out, sample, slice(best, best + 1))[:, 0]
        ends[0, first] = low
        ends[1, first] = np.maximum(ends[1, first], high)
    return ends


def system_table(
    names: tuple[str, ...],
    pairs: AllPairs,
    better: np.ndarray,
    top: int,
    seed: int,
) -> pd.DataFrame:
    """Every system, the best first (``ranking/systems`` without the measure)."""
    top, scores = min(top, len(names)), pairs.scores
    means, (low, high) = scores.mean(axis=1), system_ends(pairs.sample, seed)
    table = pd.DataFrame(
        {
            "system": names,
            "mean": means,
            "low": low,
            "high": high,
            "rank": competition_ranks(means),
            "k": top,
        }
    )
    if pairs.deviations is None:
        table = table.assign(**dict.fromkeys(SURE))
    else:
        p_best = pairs.deviations.p_best
        known = (p_best > SIGNIFICANCE, p_best, *rank_sets(better), tiers(means, better))
        known += shares_first(means, pairs.deviations.means, top)
        table = table.assign(**dict(zip(SURE, known, strict=True)))
    order = np.lexsort((np.array(names), table["rank"]))
    return table.iloc[order].reset_index(drop=True)[columns_of("ranking/systems")[1:]]
