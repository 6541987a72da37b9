"""Whether one source, cut, agrees better with a reference than another source, cut."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS, columns_of
from regrade.cutsearch.means import mean_where_defined
from regrade.significance.paired import paired_difference

SELECTIONS = ("per-topic", "single")


def compared_searches(
    first: Mapping[str, tuple[pd.DataFrame, pd.DataFrame]],
    second: Mapping[str, tuple[pd.DataFrame, pd.DataFrame]],
    names: tuple[str, str],
) -> pd.DataFrame:
    """The best α of two transformations, topic by topic, for each search that both have."""
    rows = []
    for search in first:
        if search not in second:
            continue
        method, _, reference = search.partition("@")
        for selection in SELECTIONS:
            pair = [of_topics(*tables[search], selection) for tables in (first, second)]
            both = pd.concat(pair, axis=1, keys=("first", "second"), join="inner").dropna()
            key = {"first": names[0], "second": names[1], "method": method}
            key |= {"reference": reference or None, "selection": selection}
            values = {side: both[side].to_numpy() for side in ("first", "second")}
            key |= {f"alpha_{side}": mean_where_defined(of) for side, of in values.items()}
            key |= {"n_topics": len(both)} | paired_difference(values["first"] - values["second"])
            rows.append(key)
    return pd.DataFrame(rows, columns=columns_of("cut-comparisons/agreement"))


def single_cut(best_cuts: pd.DataFrame) -> dict[str, float]:
    """The thresholds of the one cut for all topics in ``best_cuts``; NaN without one."""
    best = best_cuts.assign(topic=best_cuts["topic"].astype(str)).set_index("topic")
    return best.loc[ALL_TOPICS, list(CUT_COLUMNS)].astype(float).to_dict()


def of_topics(best_cuts: pd.DataFrame, alpha: pd.DataFrame, selection: str) -> pd.Series:
    """α of each topic at its own best cut, or at the one cut for all."""
    best = best_cuts.assign(topic=best_cuts["topic"].astype(str)).set_index("topic")
    if selection == "per-topic":
        return best["value"].drop(ALL_TOPICS, errors="ignore").astype(float)
    topics = [name for name in alpha.columns if name in best.index]
    cuts = [name for name in CUT_COLUMNS if name in alpha.columns]
    if ALL_TOPICS not in best.index or best.loc[ALL_TOPICS, cuts].isna().any():
        return pd.Series(np.nan, index=topics, dtype=float)
    chosen = (alpha[cuts] == best.loc[ALL_TOPICS, cuts].astype(float)).all(axis=1)
    return alpha.loc[chosen, topics].iloc[0].astype(float)
