"""The forest of an effect: in each collection, and over them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from regrade.replacement.line_samples import LINE_NAMES
from regrade.show import style
from regrade.show.style import Axes, Figure

MOST = 40
"""Subjects that are drawn: those of most collections, and of the highest effects."""

MARGIN_ENDS = ("margin_low", "margin_high")

OVERALL, DOTTED = "over collections", (0, (1, 2))


@style.themed
def figure_meta_analysis(effects: pd.DataFrame, overall: pd.DataFrame) -> Figure:
    """Draw the effect of each subject in each collection and over them, with 95% CIs.

    Of the first measure.  A diamond is the mean over collections, with the interval that takes
    these as fixed; a dotted line is the interval for the population of collections, cut at the
    frame.  Ends of margins are marked.
    """
    measures = overall["measure"].astype(object).where(overall["measure"].notna(), "")
    measure = str(measures.iloc[0])
    overall = overall[(measures == measure).to_numpy()].astype({"subject": str})
    own = effects["measure"].astype(object).where(effects["measure"].notna(), "")
    effects = effects[(own == measure).to_numpy()].astype({"subject": str, "in_collection": str})
    order = ["collections", "mean"]  # those of all collections on top
    overall = overall.sort_values(order, ascending=False, kind="stable").head(MOST)
    effects = effects[effects["subject"].isin(overall["subject"])]
    collections = list(dict.fromkeys(effects["in_collection"]))
    is_pooled = len(collections) > 1
    lines = len(collections) + is_pooled
    step = lines + 1.2
    figure = style.new_figure(
        style.DOUBLE_COLUMN, min(9.0, 0.9 + 0.105 * step * max(1, len(overall)))
    )
    axes = figure.subplots()
    tops = np.arange(len(overall)) * step
    place = dict(zip(overall["subject"], tops, strict=True))
    looks = {}
    for number, collection in enumerate(collections):
        color = style.CUT_COLORS[number % len(style.CUT_COLORS)]
        marker = "os^vP"[number // len(style.CUT_COLORS) % 5]
        looks[collection] = {"color": color, "marker": marker}
        of = effects[effects["in_collection"] == collection]
        y = of["subject"].map(place).to_numpy(float) + number
        axes.hlines(y, of["low"].to_numpy(float), of["high"].to_numpy(float), color=color, lw=1)
        axes.plot(of["value"].to_numpy(float), y, ls="", ms=3.2, **looks[collection])
    if is_pooled:
        of = overall[overall["collections"] > 1]
        y = of["subject"].map(place).to_numpy(float) + len(collections)
        axes.hlines(y, of["low"].to_numpy(float), of["high"].to_numpy(float), color="k", lw=1.8)
        axes.plot(of["mean"].to_numpy(float), y, "kD", ms=4)
        low, high = axes.get_xlim()
        ends = of[["population_low", "population_high"]].to_numpy(float).clip(low, high)
        axes.hlines(y, *ends.T, color="k", lw=0.8, ls=DOTTED, zorder=0)
        axes.set_xlim(low, high)
        looks[OVERALL] = {"color": "k", "marker": "D"}
    subjects = overall["subject"].replace(LINE_NAMES)
    _mark_margins(axes, overall, tops, lines)
    axes.set_yticks(tops + (lines - 1) / 2, [style.set_signs(one) for one in subjects])
    axes.set_ylim(tops[-1] + lines - 0.2 if len(tops) else 1, -1)
    axes.tick_params(axis="y", length=0)
    for top in tops[1:]:
        axes.axhline(top - 1.1, color=style.GREY, lw=0.4, alpha=0.6)
    left, right = axes.get_xlim()
    if left < 0 < right:
        axes.axvline(0, color=style.GREY, lw=0.7, zorder=0)
    axes.grid(axis="x")
    quantity = str(overall["quantity"].iloc[0]).replace("τ_b", style.TAU)
    axes.set_xlabel(f"{quantity}, {measure} (95% CI)" if measure else f"{quantity} (95% CI)")
    handles = style.marks(looks, ms=4, lw=1)
    if is_pooled:
        handles.append(style.mark("population of collections", color="k", ls=DOTTED, lw=0.8))
    if _has_margins(overall):
        handles.append(style.mark("margin", color=style.GREY, ls="-", lw=1.2))
    style.legend(figure, handles)
    return figure


def _has_margins(overall: pd.DataFrame) -> bool:
    return bool({*MARGIN_ENDS} <= {*overall} and overall[[*MARGIN_ENDS]].notna().any(axis=None))


def _mark_margins(axes: Axes, overall: pd.DataFrame, tops: np.ndarray, lines: int) -> None:
    """Mark the ends of margins, where there are some."""
    for name in MARGIN_ENDS if _has_margins(overall) else ():
        ends = overall[name].to_numpy(float)
        known = np.isfinite(ends)
        axes.vlines(ends[known], tops[known] - 0.5, tops[known] + lines - 0.5, color=style.GREY,
                    lw=1.2)  # fmt: skip
