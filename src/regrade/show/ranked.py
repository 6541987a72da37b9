"""Systems by their means: intervals, sets of ranks, tiers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from regrade.show import style
from regrade.wording import counted

FIRST, OTHERS = style.CUT_COLORS[0], style.GREY
"""Of systems that may be the best, and of all others."""

SHOWN = 25
"""How many systems, the best first, a figure of ranges shows."""

NARROW = 0.005
"""Means on a narrower axis have long numbers, so that few stand beside each other."""


@dataclass(frozen=True)
class Words:
    """What a figure of systems says: of means, of ranks, of what may be best and of the others."""

    means: str = "mean, 95 % interval"
    ranks: str = "rank, 95 % simultaneous confidence set"
    first: str = "not excluded as the best"
    others: str = "excluded as the best"


WORDS = Words()
"""Of the means of a ranking."""


def of_measure(table: pd.DataFrame, measure: str | None) -> pd.DataFrame:
    """The rows of a measure; of the first where none is named."""
    names = table["measure"].astype(str)
    chosen = (names.iloc[0] if len(names) else "") if measure is None else measure
    return table[names == chosen].reset_index(drop=True)


def topics_of(facts: pd.DataFrame) -> float:
    """How many topics a ranking is over; of table ``ranking/facts``."""
    return facts.loc[facts["quantity"].astype(str) == "topics", "value"].iloc[0]


def draw_systems(
    systems: pd.DataFrame, most: int, words: Words = WORDS, topics: float | None = None
) -> Figure:
    """A line for each system, the best on top: its mean, beside it its rank."""
    rows = systems.head(most).astype({"system": str})
    figure = style.new_figure(style.DOUBLE_COLUMN, 1.1 + 0.125 * len(rows))
    means, ranks = figure.subplots(1, 2, sharey=True, width_ratios=[1.2, 1])
    places = np.arange(len(rows))
    is_first = rows["may_be_best"].fillna(True).to_numpy(bool)
    for y, row in enumerate(rows.itertuples()):
        color = FIRST if is_first[y] else OTHERS
        (line,) = means.plot([row.low, row.high], [y, y], color=color, lw=1.0)
        style.name(line, f"{row.system}: {row.mean:.3f} ({row.low:.3f} to {row.high:.3f})")
        if pd.notna(row.rank_low):
            (line,) = ranks.plot([row.rank_low, row.rank_high], [y, y], color=color, lw=1.0)
            style.name(line, f"{row.system}: rank {row.rank_low:.0f} to {row.rank_high:.0f}")
    for axes, column in ((means, "mean"), (ranks, "rank")):
        for chosen, color in ((is_first, FIRST), (~is_first, OTHERS)):
            names = [f"{row.system}: {getattr(row, column):g}" for row in rows[chosen].itertuples()]
            if names:
                style.dots(axes, rows[column].to_numpy(float)[chosen], places[chosen], names,
                           marker="o", ms=2.8, color=color)  # fmt: skip
        style.name_rows(axes, rows["system"])
    if np.ptp(means.get_xlim()) < NARROW:
        means.xaxis.set_major_locator(MaxNLocator(3, min_n_ticks=1))
    _between_tiers(means, ranks, rows)
    measure = rows["measure"].astype(str).iloc[0]
    means.set_xlabel(f"{measure}, mean over topics", parse_math=False)
    ranks.set_xlabel(f"rank of {len(systems)} (1: best)")
    ranks.set_xlim(0.4, len(systems) + 0.6)
    ranks.xaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
    count = style.systems_text(len(rows), len(systems))
    if topics is not None:
        count += f", {counted(topics, 'topic')}"
    style.stacked_title(means, f"(a)  {words.means}", count)
    style.stacked_title(ranks, f"(b)  {words.ranks}", "")
    if systems["may_be_best"].notna().any():
        style.legend(figure, [
            Patch(fc=FIRST, label=words.first),
            Patch(fc=OTHERS, label=words.others),
        ])  # fmt: skip
    return figure


def draw_several(
    systems: pd.DataFrame, most: int, words: Words = WORDS, topics: float | None = None
) -> Figure:
    """Draw them beneath an answer, which says enough of one or two."""
    if len(systems) < style.FEWEST_DRAWN:
        return style.undrawn(len(systems), "system")
    return draw_systems(systems, most, words, topics)


def draw_ranges(ranks: pd.DataFrame, most: int, interval: str) -> Figure:
    """Draw the first systems by the first measure, with an `interval` of scores, and of ranks."""
    first = ranks["rank_low"] == 1
    systems = ranks.rename(columns={"value": "mean"}).assign(
        may_be_best=first, tier=np.where(first, 1, 2)
    )
    words = Words(f"mean, {interval}", "possible ranks", "may rank first", "cannot rank first")
    return draw_several(of_measure(systems, None), most, words)


def _between_tiers(means: Axes, ranks: Axes, rows: pd.DataFrame) -> None:
    """A line where a tier begins: none of its systems is above it."""
    seen = 0
    for y, tier in enumerate(rows["tier"]):
        if pd.notna(tier) and tier > seen:
            if seen:
                for axes in (means, ranks):
                    axes.axhline(y - 0.5, color=style.GREY, lw=0.5, ls=":")
            seen = tier
