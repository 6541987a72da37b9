"""What the one cut for all topics has, and gains over given cuts, on all topics there might be.

A cut that was chosen among many as the best of these topics looks better on them than it is: over
labels that are pure noise it "gains" as well.  So topics are put into halves at random; a cut is
chosen on one half and each topic of the other judged under it, and the other way round, several
times.  The mean of what topics have under cuts that they did not choose is the *held-out* value.

Held out, a cut is chosen by half of the topics, and by them is a little worse than the one that all
choose; on the topics that chose it, that one looks a little better than it is.  The interval goes
from the lower end of the one to the upper end of the other, each Student's over topics.  Measured
(docs/coverage.md): leaving out one topic at a time is no guard, as the choice hardly ever changes:
with labels that are noise it says "gain" in up to a quarter of samples, halves in at most one in
twenty.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.cutsearch.best import best_index
from regrade.cutsearch.means import highest_means, mean_of_sums, mean_where_defined
from regrade.intervals import INTERVALS
from regrade.randomness import generator, halves_both_ways
from regrade.sample_means import student_interval
from regrade.trust.bootstrap import RepeatedSearch

SPLITS = 10
"""How often topics are put into halves, unless said otherwise."""


def gains_table(
    places: np.ndarray,
    criterion: np.ndarray,
    coverage: float,
    named: Mapping[str, int],
    splits: int = SPLITS,
    seed: int = 1,
) -> pd.DataFrame:
    """The best single cut's value, and by how much it exceeds that of given cuts."""
    fixed = {None: np.zeros(criterion.shape[1])}
    fixed |= {name: criterion[index] for name, index in named.items()}
    rows = gains_over(places, criterion, coverage, fixed, splits, seed)
    table = [{"against": name} | row for name, row in rows.items()]
    return pd.DataFrame(table, columns=columns_of("cuts/gains")[2:])


def gains_over(
    places: np.ndarray,
    criterion: np.ndarray,
    coverage: float,
    fixed: Mapping[Hashable, np.ndarray],
    splits: int = SPLITS,
    seed: int = 1,
) -> dict[Hashable, dict]:
    """By how much the best single cut exceeds values that each topic has without it."""

    def best_on(topics: Iterable[int]) -> int:
        return best_index(places, highest_means([criterion[:, t] for t in topics], coverage))

    n = criterion.shape[1]
    rng = generator(seed, "halves of topics", str(n))
    chosen = [(best_on(half), other) for half, other in halves_both_ways(rng, n, splits)]
    best, gains = best_on(range(n)), {}
    for name, theirs in fixed.items():
        values = criterion - theirs
        here = values[best] if best >= 0 else np.full(n, np.nan)
        # each topic's mean value under the cuts that it did not choose
        total, counted = np.zeros(n), np.zeros(n, dtype=np.int64)
        for cut, topics in chosen:
            if cut >= 0:
                known = topics[~np.isnan(values[cut, topics])]
                total[known] += values[cut, known]
                counted[known] += 1
        elsewhere = mean_of_sums(total, counted, 1)
        inside, outside = (student_interval(of[~np.isnan(of)]) for of in (here, elsewhere))
        n_topics = int((counted > 0).sum())
        enough = n_topics >= INTERVALS["chosen_cut"].fewest
        gains[name] = {
            "n_topics": n_topics,
            "in_sample": mean_where_defined(here),
            "held_out": mean_where_defined(elsewhere),
            "low": outside[0] if enough else np.nan,
            "high": max(outside[1], inside[1]) if enough else np.nan,
        }
    return gains


def search_gains(search: RepeatedSearch, splits: int = SPLITS, seed: int = 1) -> pd.DataFrame:
    """`gains_table` of a search, over the cuts that it names; empty where nothing is served."""
    if search.plan.reason:
        return pd.DataFrame(columns=columns_of("cuts/gains")[2:])
    named = dict(zip(search.named, map(int, search.named_index), strict=True))
    return gains_table(search.places, search.criteria, search.coverage, named, splits, seed)


def of_labels_worth_something(gains: pd.DataFrame) -> pd.DataFrame:
    """The same table, without intervals of gains where α itself is not significantly above 0.

    α of labels that are noise is below 0 wherever their levels are not as frequent as the
    reference's, so that a cut which only hits how frequent these are gains on one that does not.
    """
    (alpha_low,) = gains.loc[gains["against"].isna(), "low"]
    if alpha_low > 0:
        return gains
    ends = gains[["low", "high"]].where(gains["against"].isna())
    return gains.assign(low=ends["low"], high=ends["high"])
