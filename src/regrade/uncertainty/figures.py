"""The figure beneath the answer about unjudged documents."""

from __future__ import annotations

import pandas as pd

from regrade.show import style
from regrade.show.ranked import draw_ranges
from regrade.show.style import Figure


@style.themed
def figure_unjudged(ranks: pd.DataFrame, limit: int) -> Figure:
    """Draw the first systems with bounds over the grades of unjudged documents.

    By the first measure whose bounds are informative, as the answer has it.
    """
    measures = ranks["measure"].astype(str)
    every = measures.map(measures.value_counts())
    is_open = (ranks["rank_low"] == 1) & (ranks["rank_high"] == every)
    informative = measures[~is_open]
    chosen = ranks[measures == informative.iloc[0]] if len(informative) else ranks
    return draw_ranges(chosen, limit, "bounds over any grades of unjudged documents")
