"""The best system beside each other one: would more topics separate the two?

What twice the topics find, and how many find the difference that is seen, were it the true one.
Both rest on the variance of the pair's differences over topics.  Its interval is the jackknife's:
the usual one by χ² takes the differences for normal, and holds 75 to 96 % of real variances
(docs/methods/ranking.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.intervals import INTERVALS
from regrade.ranking.draws import HELD
from regrade.ranking.pairs import AllPairs
from regrade.ranking.power import detectable_alone, topics_to_detect
from regrade.ranking.reliability import jackknifed_ends
from regrade.significance.paired import differences

FEWEST = 10
"""Of fewer topics with a difference nothing is known of its variance: ends of 10⁹⁰ came out."""


def variance_ends(difference: np.ndarray) -> np.ndarray:
    """Ends of the interval of the variance of each pair's differences."""
    n = difference.shape[1]
    if n < INTERVALS["variance_component"].fewest:
        return np.full((2, len(difference)), np.nan)
    squares = (difference - difference.mean(axis=1, keepdims=True)) ** 2
    total = squares.sum(axis=1)
    without = (total - n / (n - 1) * squares.T) / (n - 2)
    ends = np.exp(jackknifed_ends(total / (n - 1), without))
    return np.where((difference != 0).sum(axis=1) >= FEWEST, ends, np.nan)


def beside_best(names: Sequence[str], pairs: AllPairs) -> pd.DataFrame:
    """The table ``ranking/beside_best`` without the measure."""
    columns = columns_of("ranking/beside_best")[1:]
    topics = pairs.scores.shape[1]
    sample = pairs.sample
    if topics < 2 or len(names) < 2 or sample.repeats is not None or not sample.has_variance:
        return pd.DataFrame(columns=columns)
    size, blocks = max(1, HELD // (4 * topics)), []  # ends take many arrays of that size
    for start in range(1, len(names), size):
        of = differences(pairs.scores[0], pairs.scores[start : start + size])
        ends = variance_ends(of) if sample.is_plain else np.full((2, len(of)), np.nan)
        blocks.append(np.stack([of.mean(axis=1), of.var(axis=1, ddof=1), *ends]))
    difference, variance, *ends = np.concatenate(blocks, axis=1)
    parts = []
    for correction, detectable in (
        ("none", detectable_alone),
        ("all pairs", pairs.detectable_at_once),
    ):
        spread = np.sqrt(variance)
        if correction != "none" and len(pairs) == 1:
            continue
        if np.isnan(detectable(spread, topics)).any():
            continue
        needed, *needed_ends = (
            topics_to_detect(np.sqrt(of), difference, detectable) for of in (variance, *ends)
        )
        parts.append(
            pd.DataFrame(
                {
                    "system": names[0],
                    "other": names[1:],
                    "correction": correction,
                    "difference": difference,
                    "variance": variance,
                    "low": ends[0],
                    "high": ends[1],
                    "detectable": detectable(spread, topics),
                    "doubled": detectable(spread, 2 * topics),
                    "needed": needed,
                    "needed_low": needed_ends[0],
                    "needed_high": needed_ends[1],
                }
            )
        )
    return pd.concat(parts, ignore_index=True)[columns]
