"""Sets of labels by discriminative power, and whether they differ significantly."""

from __future__ import annotations

import numpy as np
import pandas as pd

from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.kendall import TOLERANCE

SIGNIFICANCE = 0.05
"""Sets differ with a smaller p, corrected for all pairs of them."""

KEYS = ["preferences", "mode", "list"]
"""What a comparison of sets is of."""


def ranked_sets(
    topics: pd.DataFrame, intervals: pd.DataFrame, differences: pd.DataFrame
) -> pd.DataFrame:
    """A line for each set of labels, the one with most power first: ``power/ranked``."""
    text = dict.fromkeys([*KEYS, "set"], str)
    whole = topics[topics["topic"].astype(str) == ALL_TOPICS].astype(text)
    counts = topics[topics["topic"].astype(str) != ALL_TOPICS].astype(text)
    counts = counts[counts["entropy"].notna()].groupby([*KEYS, "set"], sort=False).size()
    ranked = whole.merge(counts.rename("n_topics").reset_index(), on=[*KEYS, "set"], how="left")
    ranked["n_topics"] = ranked["n_topics"].fillna(0).astype("int64")
    own = intervals[intervals["over"].astype(str) == "topics"].astype(text)
    ranked = ranked.merge(own[[*KEYS, "set", "low", "high"]], on=[*KEYS, "set"], how="left")
    settled = 1 - ranked["entropy"] / ranked["highest"].where(ranked["highest"] > 0)
    ranked["settled"] = settled.mask(settled.abs() <= TOLERANCE, 0.0)  # no more than rounding
    parts = []
    for _, of in ranked.groupby(KEYS, sort=False):
        best = of.sort_values("entropy", kind="stable")
        beside = [_beside(differences, best.iloc[0], row) for _, row in best.iterrows()]
        parts.append(best.assign(difference=[d for d, _ in beside], p=[p for _, p in beside]))
    return pd.concat(parts, ignore_index=True)[columns_of("power/ranked")]


def _beside(differences: pd.DataFrame, best: pd.Series, row: pd.Series) -> tuple[float, float]:
    """How much more entropy a set leaves than the best, and p; NaN where there is no test."""
    if row["set"] == best["set"]:
        return np.nan, np.nan
    here = (differences[KEYS].astype(str) == best[KEYS].to_numpy()).all(axis=1)
    of = differences[here].astype({"first": str, "second": str})
    for first, second, sign in ((row, best, 1.0), (best, row, -1.0)):
        tested = of[(of["first"] == first["set"]) & (of["second"] == second["set"])]
        if len(tested):
            difference = sign * float(tested["difference"].iloc[0])
            return difference + 0.0, float(tested["p_adjusted"].iloc[0])  # + 0: no −0
    return np.nan, np.nan


def ranked_numbers(ranked: pd.DataFrame, intervals: pd.DataFrame, seed: int) -> pd.DataFrame:
    """How many sets there are, and how many are significantly worse: ``power/numbers``."""
    over_topics = intervals[intervals["over"].astype(str) == "topics"]
    rows = []
    for key, of in ranked.groupby(KEYS, sort=False):
        is_worse = of["p"] < SIGNIFICANCE
        rows.append((*key, "sets", len(of)))
        rows.append((*key, "worse", is_worse.sum()))
        rows.append((*key, "not significant", len(of) - 1 - is_worse.sum()))
        rows.append((*key, "samples", over_topics["resamples"].max()))
        rows.append((*key, "seed", seed))
    return pd.DataFrame(rows, columns=columns_of("power/numbers"))
