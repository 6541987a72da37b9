"""How sure the best cut of one search is, and whether topics' own cuts are better, in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS, columns_of
from regrade.cutsearch.search import SearchPlan
from regrade.scales import Scale
from regrade.trust.bootstrap import PER_TOPIC, SINGLE, TOPICS, RepeatedSearch, bootstrap_tables
from regrade.trust.gains import SPLITS, of_labels_worth_something, search_gains
from regrade.trust.held_out import DOCUMENTS, held_out_tables
from regrade.trust.named_cuts import EQUAL_WIDTHS, named_cuts
from regrade.trust.plateau import plateau_tables


@dataclass(frozen=True, eq=False)
class BestCutTrust:
    """What is drawn to trust the best cut of a search, each once, as several tables need it.

    Attributes
    ----------
    plan
        The search.
    scale, values
        Of the source.
    reference
        The name of the reference, if cuts are compared with one.
    """

    plan: SearchPlan
    scale: Scale
    values: np.ndarray
    reference: str | None
    _made: dict[tuple, Mapping[str, pd.DataFrame]] = field(default_factory=dict, init=False)

    def held_out(self, splits: int, seed: int) -> Mapping[str, pd.DataFrame]:
        """Each topic's own cut beside one for all, on documents that chose neither."""
        drawn = ("held out", splits, seed)
        if drawn not in self._made:
            search = RepeatedSearch(self.plan, {})
            tables = held_out_tables(search, self.reference, [DOCUMENTS], splits, seed)
            self._made[drawn] = tables
        return self._made[drawn]

    def tables(
        self, resamples: int, seed: int, per_topic: bool = False
    ) -> Mapping[str, pd.DataFrame]:
        """How sure the cut is on other topics; with `per_topic`, `held_out` of topics' own."""
        drawn = ("drawn anew", resamples, seed)
        if drawn not in self._made:
            named = named_cuts(self.plan.thresholds, self.plan.levels, self.scale, self.values)
            search = RepeatedSearch(self.plan, {EQUAL_WIDTHS: named[EQUAL_WIDTHS]})
            self._made[drawn] = {
                "gains": search_gains(search, seed=seed),
                **bootstrap_tables(search, None, [TOPICS], resamples, seed),
                **plateau_tables(search, None, resamples, seed),
                "held_out": pd.DataFrame(columns=columns_of("cuts/held_out")),
            }
        own = {"held_out": self.held_out(SPLITS, seed)["held_out"]} if per_topic else {}
        return {**self._made[drawn], **own}

    def intervals(self, resamples: int, seed: int) -> pd.DataFrame:
        """α of the cut, its gain over equal widths, and its thresholds, with their intervals."""
        tables = self.tables(resamples, seed)
        gains = of_labels_worth_something(tables["gains"])
        gains = gains.assign(quantity=["alpha", "gain over equal widths"])
        drawn = tables["bootstrap"]
        ranges = drawn[(drawn["selection"] == SINGLE) & drawn["quantity"].isin(CUT_COLUMNS)]
        ranges = ranges.rename(columns={"estimate": "in_sample"})
        ranges["quantity"] += " chosen on drawn topics"
        columns = ["quantity", "in_sample", "held_out", "low", "high"]
        return pd.concat([one.reindex(columns=columns) for one in (gains, ranges)])

    def per_topic(
        self, best: pd.DataFrame, alpha: pd.DataFrame, splits: int, seed: int
    ) -> pd.DataFrame:
        """Each topic's own cut beside the one for all, from the best cuts and α of every cut."""
        cut = list(CUT_COLUMNS[: self.plan.levels - 1])
        single = best.loc[best["topic"] == ALL_TOPICS, cut].iloc[0]
        own = best[best["topic"] != ALL_TOPICS]
        at_single = alpha[(alpha[cut] == single.to_list()).all(axis=1)].iloc[0]
        halves = self.held_out(splits, seed)["held_out_topics"]
        halves = halves.pivot(index="topic", columns="selection", values="value")
        none = pd.Series(dtype=float)
        held_out, held_out_single = (
            halves.get(name, none).reindex(own["topic"]).to_numpy() for name in (PER_TOPIC, SINGLE)
        )
        table = own.assign(
            alpha_single=at_single.reindex(own["topic"]).to_numpy(dtype=float),
            held_out=held_out,
            held_out_single=held_out_single,
        )
        columns = ["topic", *cut, "alpha", "tied", "alpha_single", "held_out"]
        return table[[*columns, "held_out_single", "note"]].reset_index(drop=True)
