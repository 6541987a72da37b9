"""The figures beneath answers about judgments: workers, pairs, what people prefer, magnitudes."""

from __future__ import annotations

import numpy as np
import pandas as pd

import regrade.show.needed  # noqa: F401

# isort: split
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, PercentFormatter

from regrade.audit.crowd import FEWEST
from regrade.power.answer import SIGNIFICANCE
from regrade.preferences.answer import CHANCE
from regrade.show import style
from regrade.show.panels import panel_grid, rows_by
from regrade.wording import counted

HOLLOW = {"color": style.BLACK, "mfc": "white", "lw": 1}
GAIN_PROFILES = {
    "linear": {"marker": "o", "ms": 4.5, "ls": "--", **HOLLOW},
    "exponential": {"marker": "^", "ms": 5, "ls": ":", **HOLLOW},
    "fitted": {"marker": "s", "color": style.CUT_COLORS[5], "ms": 4, "ls": "-", "lw": 1},
}
"""How gains are drawn, by the profile that has them."""


WIDE = 10
"""Numbers of documents are on a logarithmic axis where the most are more than so many times the
fewest: within less it would have no whole ticks."""


@style.themed
def figure_workers(workers: pd.DataFrame) -> Figure:
    """Draw how each worker agrees with the others, beside how many documents they share."""
    known = workers[workers["tau"].notna()]
    if known.empty:
        return style.words("Nobody shares enough documents with others.")
    figure = style.new_figure(style.SINGLE_COLUMN, 2.4)
    axes = figure.subplots()
    few = known["shared"] < FEWEST
    groups = (
        (known[~few & ~known["drop"]], "more than chance", style.CUT_COLORS[0], "o"),
        (known[~few & known["drop"]], "not told from chance", style.CUT_COLORS[5], "X"),
        (known[few], f"fewer than {FEWEST} documents", style.GREY, "."),
    )
    handles = []
    for of, label, color, marker in groups:
        look = {"marker": marker, "color": color, "ms": 3.5}
        style.dots(axes, of["shared"], of["tau"], of["worker"], **look)
        handles.append(style.mark(f"{label}: {counted(len(of), 'worker')}", ls="", **look))
    axes.axhline(0, color=style.GREY, lw=0.6, zorder=0.5)
    if known["shared"].max() > WIDE * known["shared"].min():
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    else:
        style.whole_numbers(axes.xaxis, fewest=1)
    style.tick_texts(axes.xaxis, ",.0f", minor=False)
    axes.grid(axis="y")
    axes.set(xlabel="documents shared with others", ylabel=r"$\tau_b$ with the others' medians")
    style.legend(figure, handles)
    return figure


@style.themed
def figure_pairs(circles: pd.DataFrame) -> Figure:
    """Draw how many triples of documents go round in circles, topic by topic."""
    known = circles[circles["share"].notna()].sort_values("share")
    if known.empty:
        return style.words("No three documents were all compared without a tie.")
    figure = style.new_figure(style.SINGLE_COLUMN, 2.2)
    axes = figure.subplots()
    at = np.arange(1, len(known) + 1)
    style.dots(axes, at, known["share"], known["topic"], color=style.CUT_COLORS[0])
    axes.axhline(CHANCE, color=style.GREY, ls="--", lw=0.8)
    axes.set_ylim(bottom=-0.01)
    style.percents(axes.yaxis)
    style.whole_numbers(axes.xaxis, fewest=1)
    axes.grid(axis="y")
    axes.set(xlabel="topics, the most consistent first", ylabel="share of triples")
    total = counted(int(known["triples"].sum()), "triple")
    count = f"{counted(len(known), 'topic')}, {total}"
    style.stacked_title(axes, "triples of documents that go round", count)
    style.legend(figure, [style.mark("tosses of a coin", color=style.GREY, ls="--", lw=0.8)])
    return figure


@style.themed
def figure_pdp(ranked: pd.DataFrame) -> Figure:
    """Draw how much each set of labels settles of the order that people prefer, best on top."""
    known = ranked[ranked["settled"].notna()]
    if known.empty:
        return style.words("No set can be held beside preferences.")
    groups = rows_by(known, ["preferences", "mode", "list"])
    most = max(len(of) for _, of in groups)
    grid = panel_grid(groups, pitch=200, height=0.9 + 0.16 * most, share="x")
    for panel, ((preferences, mode, documents), of) in grid:
        axes, at = panel.axes, np.arange(len(of))
        is_less = (of["p"] < SIGNIFICANCE).to_numpy()
        for some, look in ((~is_less, BEST), (is_less, LESS)):
            style.dots(axes, of["settled"][some], at[some], of["set"][some], **look)
        axes.axvline(0, color=style.GREY, lw=0.6, zorder=0.5)
        style.name_rows(axes, of["set"].astype(str))
        axes.xaxis.set_major_formatter(PercentFormatter(1))
        count = f"{documents}, {counted(int(of['n_topics'].max()), 'topic')}"
        x = "share of what is open that is settled"
        panel.finish(f"{preferences}, {mode}", count, x, grid="")
    looks = {"tells most, or not told from it": BEST, "tells less": LESS}
    return grid.with_legend(style.marks(looks, ls=""))


BEST = {"marker": "o", "color": style.CUT_COLORS[0], "ms": 4.0}
LESS = {"marker": "o", "color": style.GREY, "mfc": "white", "mew": 0.8, "ms": 4.0}
"""Sets that tell most, and those that tell less (p < 0.05)."""


@style.themed
def figure_calibration(maps: pd.DataFrame) -> Figure:
    """Draw how probable each level is from each value on, a panel for each judge."""
    known = maps[maps["method"].astype(str) == "isotonic"]
    grid = panel_grid(rows_by(known, ["judge"]), 3, pitch=90, height=2.2, share="y")
    handles = {}
    for panel, ((judge,), of) in grid:
        axes = panel.axes
        wide = of.pivot(index="value", columns="level", values="share").sort_index()
        reached = wide.iloc[:, ::-1].cumsum(axis=1).iloc[:, ::-1]
        for place, level in enumerate(reached.columns[1:]):
            look = {"color": style.CUT_COLORS[place], "lw": 1.2}
            axes.plot(reached.index, reached[level], drawstyle="steps-mid", **look)
            handles[f"{level:g} or more"] = style.mark(f"{level:g} or more", **look)
        axes.set_ylim(-0.02, 1.02)
        style.percents(axes.yaxis)
        title, y = style.dataset_label(judge), "probability of the grade"
        panel.finish(title, "", "the judge's value", y)
    return grid.with_legend([*handles.values()], title="grade")


@style.themed
def figure_magnitudes(numbers: pd.DataFrame) -> Figure:
    """Draw the gains that magnitudes give to levels beside the usual ones, by reference."""
    gains = numbers[numbers["level"].notna() & numbers["value"].notna()]
    if gains.empty:
        return style.words("No unit compares all levels.")
    drawn = gains["quantity"].isin([f"{profile} gain" for profile in GAIN_PROFILES])
    most = gains.loc[drawn, "value"].max()
    grid = panel_grid(rows_by(gains, ["reference"]), pitch=110, height=2.2, share="y")
    for panel, ((reference,), of) in grid:
        axes = panel.axes
        for profile, look in GAIN_PROFILES.items():
            line = of[of["quantity"] == f"{profile} gain"].sort_values("level")
            axes.plot(line["level"], line["value"], **look, gid=profile)
        axes.set_xticks(sorted(of["level"].unique()))
        style.tick_texts(axes.xaxis)
        axes.set_ylim(0, 1.05 * most)
        panel.finish(style.dataset_label(reference), "", "level", "gain (lowest level: 1)")
    return grid.with_legend(style.marks(GAIN_PROFILES))
