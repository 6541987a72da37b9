"""The figures of a ranking.  Nothing is computed here that a table should hold."""

from __future__ import annotations

from math import ceil

import numpy as np
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import ScalarFormatter

from regrade.ranking.dataset_figures import figure_datasets
from regrade.show import style
from regrade.show.forms import two_triangles
from regrade.show.item_tables import Frame, TablePart, takes
from regrade.show.panels import require
from regrade.show.ranked import draw_several, draw_systems, of_measure, topics_of
from regrade.significance.discrimination import SIGNIFICANCE
from regrade.wording import counted

AT_ONCE, ONE_BY_ONE, NOT = style.CUT_COLORS[0], style.CUT_COLORS[4], "#F2F2F2"
"""Of pairs significant by the stepdown over all pairs, only uncorrected, and not at all."""

MOST_DRAWN = 100_000
"""Pairs that are drawn as dots."""

CURVES = {
    "e_rho2": ("Eρ²", style.CUT_COLORS[0], "-"),
    "phi": ("Φ", style.CUT_COLORS[1], "--"),
    "tau": (
        f"{style.TAU} with the population ranking",
        style.CUT_COLORS[2],
        "-.",
    ),
}
"""Of a reliability: what a legend says, colour, line."""


@style.themed
def figure_ranking(systems: Frame, facts: Frame, datasets: Frame, limit: int) -> Figure:
    """Draw the first systems by the first measure, with intervals and sets of ranks; of several
    data sets, with the rank on each.
    """
    if len(datasets) and len(of_measure(systems, None)) >= style.FEWEST_DRAWN:
        return figure_datasets(datasets, systems, limit=limit)
    return draw_several(of_measure(systems, None), limit, topics=topics_of(facts))


@style.themed
def figure_systems(systems: Frame, facts: Frame, *, measure: str | None, limit: int) -> Figure:
    """See `regrade.show.ranked.draw_systems`."""
    rows = of_measure(systems, measure)
    require(rows, "ranking/systems")
    return draw_systems(rows, limit, topics=topics_of(facts))


@takes(pairs=TablePart(["measure", "system", "other", "p", "p_adjusted", "won"]))
@style.themed
def figure_pairs(pairs: Frame, systems: Frame, *, measure: str | None, limit: int) -> Figure:
    """A matrix of systems: above, which pairs differ significantly; below, topics won."""
    names = of_measure(systems, measure)["system"].astype(str)
    place = {name: i for i, name in enumerate(names.head(limit))}
    rows = pairs[pairs["system"].isin(place) & pairs["other"].isin(place)]
    rows = of_measure(rows, measure).astype({"system": str, "other": str})
    require(rows, "ranking/pairs")
    n = len(place)
    first, second = (rows[name].map(place).to_numpy() for name in ("system", "other"))
    kind = np.where(rows["p_adjusted"] <= SIGNIFICANCE, 2, (rows["p"] < SIGNIFICANCE).astype(int))
    above, below = np.full((2, n, n), np.nan)
    above[first, second], below[second, first] = kind, rows["won"]
    figure, axes = style.new_axes(style.SINGLE_COLUMN, style.SINGLE_COLUMN + 0.2)
    kinds = ListedColormap([NOT, ONE_BY_ONE, AT_ONCE])
    label = "below the diagonal:\nshare of topics won"
    two_triangles(axes, above, kinds, Normalize(0, 2), below, label)
    step = max(1, round(n / 8))
    places = [0, *range(2 * step - 1 if step == 1 else step - 1, n, step)]
    axes.set_xticks(places, [at + 1 for at in places])
    axes.set_yticks(places, [at + 1 for at in places])
    axes.set(xlabel="system, by rank", ylabel="system, by rank")
    title = f"{rows['measure'].astype(str).iloc[0]}: {counted(len(rows), 'pair')}"
    axes.set_title(title, size=style.FONT_SIZE, parse_math=False)
    counts = np.bincount(kind.astype(int), minlength=3)
    legend = (
        (AT_ONCE, f"significant, corrected for all pairs ({counts[2]:,})"),
        (ONE_BY_ONE, f"significant only uncorrected ({counts[1]:,})"),
        (NOT, f"not significant ({counts[0]:,})"),
    )
    handles = [Patch(fc=color, ec=style.GREY, lw=0.4, label=label) for color, label in legend]
    return style.legend(figure, handles, title="above the diagonal: two-sided test, α = 0.05")


@style.themed
def figure_reliability(
    reliability: Frame, halves: Frame, facts: Frame, *, measure: str | None
) -> Figure:
    """Coefficients over topics; beside them, τ_b of two halves, observed and fitted."""
    rows = of_measure(reliability, measure)
    require(rows, "ranking/reliability")
    figure, axes = style.new_axes(style.SINGLE_COLUMN, 2.7)
    handles = []
    for name, (label, color, line) in CURVES.items():
        own = rows[rows["quantity"].astype(str) == name].sort_values("topics")
        if own["value"].isna().all():
            continue
        axes.plot(own["topics"], own["value"], color=color, ls=line)
        axes.fill_between(own["topics"], own["low"], own["high"], color=color, alpha=0.2, lw=0)
        label += "" if own["low"].isna().all() else ", 95 % CI"
        handles.append(style.mark(label, color=color, ls=line))
    split = of_measure(halves, rows["measure"].astype(str).iloc[0])
    if len(split):
        color = style.BLACK
        ends = split[["low", "high"]].to_numpy(float).T
        axes.vlines(split["topics"], *ends, color=color, lw=0.6)
        names = [f"{row.topics} topics: τ_b {row.tau:.3f}" for row in split.itertuples()]
        style.dots(axes, split["topics"], split["tau"], names, marker="o", ms=2.6, color=color)
        axes.plot(split["topics"], split["tau_expected"], color=color, ls=":", lw=0.8)
        of_halves = f"{style.TAU} of split halves, 95 % of splits"
        handles += [
            style.mark(of_halves, color=color, marker="o", ms=2.6, lw=0.6),
            style.mark("fit to all split halves", color=color, ls=":", lw=0.8),
        ]
    topics = topics_of(facts)
    axes.axvline(topics, color=style.GREY, lw=0.6, zorder=0)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.set_xticks([2, 5, 10, 25, 50, 100, 250, 500])
    axes.minorticks_off()
    axes.set_ylim(0, 1.01)
    axes.grid(axis="y")
    axes.set_xlabel(f"topics (line: the collection's {topics:.0f})")
    axes.set_ylabel(f"coefficient, {rows['measure'].astype(str).iloc[0]}", parse_math=False)
    return style.legend(figure, handles, columns=1)


@takes(pairs=TablePart(["measure", "difference", "detectable"]))
@style.themed
def figure_power(
    pairs: Frame, needed_differences: Frame, facts: Frame, *, measure: str | None
) -> Figure:
    """Observed and minimum detectable difference of each pair; topics that differences need.

    Of many pairs every so many-th, in the order of the table.
    """
    rows = of_measure(pairs, measure).dropna(subset="detectable")
    require(rows, "ranking/pairs")
    subtitle, every = counted(len(rows), "pair"), ceil(len(rows) / MOST_DRAWN)
    if every > 1:
        subtitle, rows = f"every {every}th of {subtitle}", rows.iloc[::every]
    name = rows["measure"].astype(str).iloc[0]
    needed = of_measure(needed_differences, name)
    topics = topics_of(facts)
    figure = style.new_figure(style.DOUBLE_COLUMN, 2.6)
    observed, number = figure.subplots(1, 2, width_ratios=[1.4, 1])
    is_smaller = (rows["difference"] < rows["detectable"]).to_numpy()
    for chosen, color in ((~is_smaller, style.CUT_COLORS[0]), (is_smaller, style.CUT_COLORS[5])):
        look = {"color": color, "ms": 1.6, "alpha": 0.6, "rasterized": len(rows) > 3000}
        observed.plot(rows["difference"][chosen], rows["detectable"][chosen], ".", **look)
    top = float(rows["detectable"].max())
    observed.plot([0, top], [0, top], color=style.GREY, lw=0.6)
    observed.set_xlabel(f"observed difference of {name}", parse_math=False)
    observed.set_ylabel("minimum detectable difference")
    style.stacked_title(observed, "(a)  differences, 80 % power", subtitle)
    places = np.arange(len(needed))
    number.vlines(places, needed["q1"], needed["q3"], color=style.CUT_COLORS[0], lw=4, alpha=0.4)
    number.plot(places, needed["median"], "o", ms=3.5, color=style.CUT_COLORS[0])
    number.axhline(topics, color=style.GREY, lw=0.6)
    number.set_yscale("log")
    number.yaxis.set_major_formatter(ScalarFormatter())
    number.set_xticks(places, [f"{target:g}" for target in needed["target"]])
    number.set_xlim(-0.6, len(needed) - 0.4)
    number.set_xlabel("difference to be detected")
    number.set_ylabel(f"topics (line: the {topics:.0f})")
    style.stacked_title(number, "(b)  topics needed, 80 % power", "median and quartiles over pairs")
    looks = {
        "observed ≥ minimum detectable": {"color": style.CUT_COLORS[0]},
        "observed < minimum detectable": {"color": style.CUT_COLORS[5]},
    }
    return style.legend(figure, style.marks(looks, marker=".", ls=""))
