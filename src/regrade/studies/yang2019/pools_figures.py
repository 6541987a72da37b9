"""The figures of yang2019, §§4.6–4.8, of pools of different depths, and some that go past it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from regrade.show import style
from regrade.show.forms import (
    HEXAGONS,
    TEST_LABELS,
    boxes_by,
    count_bar,
    difference_boxes,
    draw_curves,
)
from regrade.show.item_tables import Frame, Frames
from regrade.show.panels import panel_grid, require, rows_by, two_by_two
from regrade.wording import counted

MAP_POINTS = 5000
"""Points from which on a panel shows how many lie where, rather than each."""

BLUE, ORANGE, _, _, SKY, RED, _ = style.CUT_COLORS


@style.themed
def figure_4_5(sizes: Frame, *, depths: Sequence[int] | None = None) -> Figure:
    """Draw Figure 4.5: judged and relevant documents per topic in each reduced pool.

    Without `depths` all pools of a depth, or all if none is.
    """
    rows = require(sizes, "pools/sizes").astype({"pooling": str})
    depth = "Depth@"
    kept = rows["pooling"].str.startswith(depth)
    if depths is not None:
        kept = rows["pooling"].isin([f"{depth}{number}" for number in depths])
    elif not kept.any():
        kept = ~kept
    rows = require(rows[kept], "pools/sizes")
    names = list(dict.fromkeys(rows["pooling"]))
    grid = panel_grid(["pools"], len(names), pitch=26, height=2.4)
    [panel] = grid.panels
    axes = panel.axes
    kinds = {"judged": (-0.2, BLUE), "relevant": (0.2, RED)}
    for column, (offset, color) in kinds.items():
        boxes_by(axes, rows, column, "pooling", names, color, offset, 0.34)
    if (rows[list(kinds)] > 0).all(axis=None):
        axes.set_yscale("log")
    else:  # a topic may have no relevant document
        axes.set_yscale("symlog", linthresh=1)
        axes.set_ylim(0)
    style.tick_texts(axes.yaxis, ",.0f")
    by_depth = all(name.startswith(depth) for name in names)
    panel.name_positions([name.removeprefix(depth) for name in names] if by_depth else names)
    axes.set_xlim(-0.6, len(names) - 0.4)
    x, topics = "pool depth d′" if by_depth else "pool", counted(rows["topic"].nunique(), "topic")
    panel.finish("Reduced pools", topics, x, "documents per topic")
    return grid.with_legend([style.swatch(column, color) for column, (_, color) in kinds.items()])


@style.themed
def figure_4_6(movements: Frame) -> Figure:
    """Draw Figure 4.6: how far shallow judgments move the rankings' scores."""
    panels = rows_by(movements, ["measure"], "pools/movements")
    return difference_boxes(panels, "depth", "pool depth d′", "score − baseline score")


@style.themed
def figure_4_7(counts: Frame) -> Figure:
    """Draw Figure 4.7: how the p-values of pairs of systems move with pool depth.

    Values of τ are gathered in bars 0.2 apart, where those of five depths without ties lie; pairs
    without a τ are counted in the panel's head.
    """
    panels = rows_by(counts, ["measure", "test"], "discrimination/trends")
    several_tests = len({test for (_, test), _ in panels}) > 1
    grid = panel_grid(panels, pitch=140, height=2.0, columns=two_by_two(len(panels)))
    bars = np.arange(-5, 6)
    for panel, ((measure, test), rows) in grid:
        axes, tau = panel.axes, rows["tau"]
        # halves go away from zero, so that bars mirror each other
        bar = np.sign(tau) * np.floor(tau.abs() / 0.2 + 0.5 + 1e-9)
        base = np.zeros(len(bars))
        for outcome, (color, _) in OUTCOMES.items():
            some = rows["outcome"].astype(str) == outcome
            heights = rows["share"][some].groupby(bar[some]).sum().reindex(bars, fill_value=0.0)
            axes.bar(bars * 0.2, heights, 0.16, base, color=color, ec="white", lw=0.3)
            base += heights.to_numpy()
        axes.set_xticks([-1, -0.5, 0, 0.5, 1], ["−1", "−0.5", "0", "0.5", "1"])
        style.percents(axes.yaxis)
        count = counted(int(rows["n_pairs"].sum()), "pair")
        undefined = int(rows["n_pairs"][tau.isna()].sum())
        count += rf", {undefined:,} without $\tau_b$" if undefined else ""
        name = f"{measure}, {TEST_LABELS.get(test, test)}" if several_tests else measure
        panel.finish(name, count, r"$\tau_b$ of p and pool depth", "share of pairs", bare="xy")
    return grid.with_legend(style.patches({label: color for color, label in OUTCOMES.values()}))


OUTCOMES = {
    "significant": (BLUE, "significant at all depths"),
    "straddling": (ORANGE, "straddling the level"),
    "not significant": (style.LIGHT_GREY, "significant at no depth"),
}
"""What a pair's p-values come to, the colour and the name."""


@style.themed
def figure_power(curve: Frame, *, significance: float = 0.05) -> Figure:
    """Draw the achieved significance levels of all pairs of systems, sorted (Sakai 2006).

    A panel for each test and, if pools of several depths were compared, each depth.
    """
    keys = ["depth", "test"] if "depth" in curve.columns else ["test"]
    panels = [
        (TEST_LABELS.get(test, test) + "".join(f", d′ = {d}" for d in depth), rows)
        for (*depth, test), rows in rows_by(curve, keys, "discrimination/curve")
    ]
    return draw_curves(panels, significance)


# --- past the thesis -----------------------------------------------------------------------------


@style.themed
def figure_ranges(ranges: Frame) -> Figure:
    """Draw what unjudged documents leave open of each system's mean score, exactly.

    With RBP among the measures its residual stands beside the ranges of AP and nDCG.
    """
    panels = rows_by(ranges, ["measure"], "ranges/systems")
    systems = ranges["system"].nunique()
    grid = panel_grid(panels, systems, pitch=2.6, height=1.5, columns=1)
    size = max(1.4, min(4.0, 0.7 * grid.pitch))
    line = max(0.7, 0.35 * grid.pitch)
    for panel, ((measure,), rows) in grid:
        axes = panel.axes
        rows = rows.sort_values(["value", "system"], ascending=[False, True])
        place = np.arange(1, len(rows) + 1)
        axes.vlines(place, rows["low"], rows["value"], RED, lw=line)
        axes.vlines(place, rows["value"], rows["high"], SKY, lw=line)
        style.dots(axes, place, rows["value"], rows["system"], color=style.BLACK, ms=size)
        axes.set_ylim(0, min(1.0, 1.05 * ranges["high"].max()))
        axes.set_xlim(0, systems + 1)
        x = "systems in the order of their score"
        panel.finish(measure, counted(len(rows), "system"), x, f"mean {measure}", bare="xy")
    judged = style.mark("as judged", ls="", marker="o", color=style.BLACK, ms=3)
    ends = {"up to the highest possible": SKY, "down to the lowest possible": RED}
    return grid.with_legend([judged, *style.patches(ends)])


@style.themed
def figure_leave_one_out(systems: Frames) -> Figure:
    """Draw how score and rank of each system change when it did not contribute to the pool.

    For each measure and pooling a panel of scores and one of ranks.
    """
    table = pd.concat(list(systems.values()), ignore_index=True)
    panels = rows_by(table, ["measure", "pooling"], "leave-one-out/systems")
    several_poolings = table["pooling"].nunique() > 1
    contents = [(*panel, what) for panel in panels for what in ("score", "rank")]
    grid = panel_grid(contents, pitch=140, height=1.9, columns=2, share="x")
    looks = style.looks(sorted(set(table["by"].astype(str)), reverse=True))
    for panel, ((measure, pooling), rows, what) in grid:
        axes = panel.axes
        by_what = list(rows.groupby(rows["by"].astype(str), sort=False))
        for by, some in by_what:
            look = {key: looks[by][key] for key in ("color", "marker")} | {"ms": 3.4, "mew": 0.7}
            _left_out_changes(axes, some, what, look)
        if what == "rank":
            axes.yaxis.get_major_locator().set_params(integer=True)
        axes.axhline(0, color=style.GREY, lw=0.6, zorder=0.9)
        name = f"{measure}, {pooling}" if several_poolings else measure
        count = ", ".join(f"{counted(len(some), 'system')} by {by}" for by, some in by_what)
        x, y = "rank under the whole pool", f"{what} left out − {what}"
        panel.finish(f"{name}: {what}", count, x, y, grid="xy", bare="xy")
    marks = {"ls": "", "ms": 4, "mew": 0.7}
    named = {f"left out by {by}": look for by, look in looks.items()}
    overtaking = style.mark(
        "overtakes a significantly different system (filled)", color=style.GREY, marker="o", **marks
    )
    return grid.with_legend([*style.marks(named, **marks, mfc="none"), overtaking])


def _left_out_changes(axes: Axes, rows: Frame, what: str, look: Mapping) -> None:
    """Each system's change of score, or of rank, filled where it passes another significantly."""
    change = rows[f"{what}_left_out"] - rows[what]
    if what == "score":
        style.dots(axes, rows["rank"], change, rows["system"], **look, mfc="none")
        return
    is_significant = rows["passed_significant"].fillna(0) > 0
    for chosen, fill in ((~is_significant, "none"), (is_significant, look["color"])):
        some = rows[chosen]
        style.dots(axes, some["rank"], change[chosen], some["system"], **look, mfc=fill)


@style.themed
def figure_ancova(diagnostics: Frame) -> Figure:
    """Draw what the assumptions of the analysis of covariance are checked by.

    For each measure residuals against fitted values, standardised residuals against normal
    quantiles, and standardised residuals by depth.
    """
    panels = rows_by(diagnostics, ["measure"], "ancova/diagnostics")
    kinds = ("fitted", "normal quantiles", "depth")
    contents = [(measure, rows, kind) for (measure,), rows in panels for kind in kinds]
    grid = panel_grid(contents, pitch=130, height=1.8, side=0.6, share="")
    maps = []
    for panel, (measure, rows, kind) in grid:
        axes = panel.axes
        defined = rows.dropna(subset=["standardised", "quantile"])
        count = counted(len(rows if kind == "fitted" else defined), "score")
        y = "standardised residual"
        match kind:
            case "fitted":
                maps += _cloud(axes, rows["fitted"], rows["residual"])
                axes.axhline(0, color=style.BLACK, ls=":", lw=0.8)
                x, y = "fitted score", "residual"
            case "normal quantiles":
                maps += _cloud(axes, defined["quantile"], defined["standardised"])
                if len(defined):
                    reach = np.abs(defined["quantile"]).max() * np.array([-1, 1])
                    axes.plot(reach, reach, color=style.BLACK, ls=":", lw=0.8)
                x = "quantile of the normal distribution"
            case "depth":
                depths = sorted(rows["depth"].unique())
                boxes_by(axes, defined, "standardised", "depth", depths, BLUE)
                axes.axhline(0, color=style.BLACK, ls=":", lw=0.8)
                names = [f"{depth:g}" for depth in depths]
                pitch = grid.pitch / len(depths)
                style.label_positions(axes, names, range(len(depths)), pitch)
                axes.set_xlim(-0.6, len(depths) - 0.4)
                x, count = "pool depth d′", counted(len(depths), "depth")
        panel.finish(f"{measure}: {kind}", count, x, y, outer="x", bare="")
    if maps:
        count_bar(grid, maps, "scores")
    return grid.figure


def _cloud(axes: Axes, x: pd.Series, y: pd.Series) -> list:
    """Points; where there are many, how many lie where (that artist is returned)."""
    if len(x) <= MAP_POINTS:
        axes.plot(x, y, "o", color=BLUE, ms=2, mew=0, alpha=0.6, rasterized=True)
        return []
    return [axes.hexbin(x, y, gridsize=40, **HEXAGONS)]
