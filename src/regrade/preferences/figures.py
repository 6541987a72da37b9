"""The figure beneath the answer about pairs."""

from __future__ import annotations

import numpy as np
import pandas as pd

from regrade.preferences.pair_numbers import CHANCE, MAJORITY
from regrade.show import style
from regrade.show.style import Figure
from regrade.wording import counted


@style.themed
def figure_pairs(circles: pd.DataFrame) -> Figure:
    """Draw how many triples of documents are circular, topic by topic."""
    known = circles[circles["share"].notna()]
    if known.empty:
        return style.words("No triple of documents has preferences for all of its pairs.")
    if known["topic"].nunique() < style.FEWEST_DRAWN:
        return style.undrawn(known["topic"].nunique(), "topic")
    figure, axes = style.new_axes(style.SINGLE_COLUMN, 2.2)
    groups = known.groupby("by", sort=False, observed=True)
    looks = {}
    for color, (by, own) in zip(style.CUT_COLORS, groups, strict=False):
        own, total = own.sort_values("share"), counted(int(own["triples"].sum()), "triple")
        name = "majority" if by == MAJORITY else f"within each {by}"
        looks[f"{name}: {total}"] = {"color": color}
        at = np.arange(1, len(own) + 1)
        style.dots(axes, at, own["share"], own["topic"], color=color)
    axes.axhline(CHANCE, color=style.GREY, ls="--", lw=0.8)
    axes.set_ylim(bottom=-0.01)
    style.percents(axes.yaxis)
    style.whole_numbers(axes.xaxis, fewest=1)
    axes.grid(axis="y")
    axes.set(xlabel="topics, by share", ylabel="intransitive triples")
    style.stacked_title(axes, "intransitive triples", counted(known["topic"].nunique(), "topic"))
    chance = style.mark("random preferences", color=style.GREY, ls="--", lw=0.8)
    return style.legend(figure, [*style.marks(looks, marker="o", ls="", ms=3.0), chance])
