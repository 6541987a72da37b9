"""The figures of two sets of judgments side by side."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from regrade.answers.changed import UNTESTED
from regrade.catalogue import ALL_TOPICS
from regrade.evaluations.comparison_tables import OF
from regrade.show import style
from regrade.show.movers import draw_ranks, furthest, legend_handles
from regrade.show.panels import panel_grid, require, rows_by
from regrade.wording import counted

FIRST, SECOND = style.CUT_COLORS[:2]
OUTCOME_COLORS = {
    ("active agreement", "stays"): "#004488",
    ("mixed agreement", "appears"): "#DDAA33",
    ("mixed agreement", "disappears"): "#EECC66",
    ("mixed disagreement", "appears"): "#BB5566",
    ("mixed disagreement", "disappears"): "#EE99AA",
    ("active disagreement", "reverses"): "#000000",
    ("passive disagreement", "none"): "#BBBBBB",
    ("passive agreement", "none"): "#DDDDDD",
}
"""What becomes of a pair, in the order of the bars."""

NAMED = 3
"""How many systems that move furthest have a name beside their point."""

MANY_GRADES, MANY_SHARES = 25, 8
"""Beyond so many grades a cell holds no count, and no percentage."""


@style.themed
def figure_confusion(confusion: pd.DataFrame) -> Figure:
    """Draw how many documents have which two grades, with the percentage of the first's grade."""
    return draw_grades(confusion, "first set", "second set")


@style.themed
def draw_grades(confusion: pd.DataFrame, first: str, second: str) -> Figure:
    """`figure_confusion` with the names of the sets."""
    figure = style.new_figure(style.SINGLE_COLUMN, _height(confusion))
    draw_cells(figure.add_subplot(), confusion, first, second)
    return figure


@style.themed
def draw_labels(confusion: pd.DataFrame, bias: pd.DataFrame, first: str, second: str) -> Figure:
    """The documents by both grades and, of three grades or more, beside them the bias by grade."""
    rows = bias.dropna(subset=["difference"])
    if len(rows) < style.FEWEST_DRAWN:
        return draw_grades(confusion, first, second)
    figure = style.new_figure(style.DOUBLE_COLUMN, max(2.0, _height(confusion)))
    left, right = figure.subplots(1, 2)
    draw_cells(left, confusion, first, second)
    _draw_bias(right, rows, first, second)
    return figure


@style.themed
def figure_grade_bias(grade_bias: pd.DataFrame) -> Figure:
    """Draw how much higher the second set grades the documents of each grade of the first."""
    return draw_bias(grade_bias, "first set", "second set")


@style.themed
def draw_bias(grade_bias: pd.DataFrame, first: str, second: str) -> Figure:
    """`figure_grade_bias` with the names of the sets."""
    figure, axes = style.new_axes(style.SINGLE_COLUMN, 2.0)
    _draw_bias(axes, require(grade_bias.dropna(subset=["difference"])), first, second)
    return figure


def _draw_bias(axes: Axes, rows: pd.DataFrame, first: str, second: str) -> None:
    """A point and its 95% CI for each grade that has a difference."""
    places, names = np.arange(len(rows)), [f"{grade:g}" for grade in rows["grade"]]
    axes.axhline(0, color=style.GREY, lw=0.6, ls=":")
    axes.vlines(places, rows["low"], rows["high"], color=FIRST, lw=1.2)
    style.dots(axes, places, rows["difference"], names, color=FIRST, ms=4)
    style.name_columns(axes, names)
    style.label_positions(axes, names, places, 200 / len(rows))
    axes.set_xlabel(f"grade, {first}", parse_math=False)
    axes.set_ylabel(f"mean Δ grade, {second} − {first}", parse_math=False)
    count = counted(int(rows["documents"].sum()), "co-judged document")
    style.stacked_title(axes, "", f"{count}, 95% CIs")


def _height(confusion: pd.DataFrame) -> float:
    """Inches that the grades of the first set take."""
    rows = confusion.dropna(subset=["first_grade", "second_grade"])
    count, columns = rows["first_grade"].nunique(), rows["second_grade"].nunique()
    return min(4.5, 0.9 + (0.4 if max(count, columns) <= MANY_SHARES else 0.3) * count)


def draw_cells(axes: Axes, confusion: pd.DataFrame, first: str, second: str) -> None:
    """Counts and shares of rows."""
    both = confusion.dropna(subset=["first_grade", "second_grade"])
    require(both)
    counts = both.pivot(index="first_grade", columns="second_grade", values="documents").fillna(0)
    shares = counts.div(counts.sum(axis=1), axis=0).to_numpy()
    rows, columns = counts.shape
    has_shares = max(rows, columns) <= MANY_SHARES
    edges = np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5
    image = axes.pcolormesh(*edges, shares, cmap="Blues", vmin=0, vmax=1)
    if max(rows, columns) <= MANY_GRADES:
        for (r, c), n in np.ndenumerate(counts.to_numpy()):
            color = "white" if shares[r, c] > 0.6 else "black"
            text = f"{int(n):,}" + (f"\n{shares[r, c]:.0%}" if has_shares else "")
            axes.text(c, r, text, ha="center", va="center", size=6, color=color)
    pitch = 200 / max(1, columns)
    style.label_positions(axes, [f"{v:g}" for v in counts.columns], range(columns), pitch)
    step = max(1, rows // 20)
    axes.set_yticks(range(0, rows, step), [f"{v:g}" for v in counts.index[::step]])
    axes.set_xlabel(f"grade, {second}", parse_math=False)
    axes.set_ylabel(f"grade, {first}", parse_math=False)
    axes.figure.colorbar(image, ax=axes, label="share of the row")
    documents = counted(both["documents"].sum(), "co-judged document")
    style.stacked_title(axes, "", documents)


@style.themed
def figure_systems(systems: pd.DataFrame, rankings: pd.DataFrame) -> Figure:
    """Draw each system's score under the second set against that under the first.

    The three that move furthest are named, once where several stand on one point.
    """
    panels = rows_by(systems, ["measure"])
    taus = rankings[rankings["quantity"] == "tau"].astype({"measure": str}).set_index("measure")
    grid = panel_grid(panels, 8, pitch=16, height=2.4, share="")
    for panel, ((measure,), some) in grid:
        axes = panel.axes
        style.dots(axes, some["first"], some["second"], some["system"], color=FIRST, alpha=0.8)
        values = some[["first", "second"]].to_numpy()
        low, high = values.min(), values.max()
        axes.plot([low, high], [low, high], color=style.GREY, lw=0.6, ls=":", zorder=0)
        named = furthest(some, NAMED).sort_values("second")
        for place, row in enumerate(named.itertuples()):
            point = row.first, row.second
            style.dots(axes, *([x] for x in (*point, row.system)), color=SECOND, ms=3.5, zorder=3)
            # in the empty corner below the diagonal, with a line to its point
            axes.annotate(row.system, point, (0.97, 0.05 + 0.08 * place), **CORNER)
        tau = style.tau_text(taus["value"].get(str(measure), np.nan))
        count = f"{counted(len(some), 'system')}, {tau}"
        ends = f"{measure}, first set", f"{measure}, second set"
        panel.finish(str(measure), count, *ends, grid="")
    return grid.figure


CORNER = {
    "textcoords": "axes fraction", "ha": "right", "va": "center", "size": 5.5, "parse_math": False,
    "arrowprops": {
        "arrowstyle": "-", "lw": 0.4, "color": style.GREY, "shrinkB": 2, "relpos": (0, 0.5),
    },
}  # fmt: skip
"""How a name stands apart from its point."""


@style.themed
def figure_ranks(systems: pd.DataFrame, *, movers: int) -> Figure:
    """Draw each system's rank under both sets as a line; the furthest movers in colour, by name."""
    panels = rows_by(systems, ["measure"])
    count = systems["system"].nunique()
    height = min(6.0, 1.2 + 0.05 * count)
    grid = panel_grid(panels, 2, pitch=70, height=height, share="y")
    for panel, ((measure,), some) in grid:
        draw_ranks(panel.axes, some, movers, ("first set", "second set"), height * 0.75)
        count = counted(len(some), "system")
        panel.finish(str(measure), count, y="rank (1: best)", grid="", bare="")
    return grid.with_legend(legend_handles(systems))


@style.themed
def figure_pairs(pair_counts: pd.DataFrame, facts: pd.DataFrame) -> Figure:
    """Draw the shares of pairs of systems by outcome, a bar for each measure."""
    panels = rows_by(pair_counts.dropna(subset="share"), ["measure"])
    if facts.astype({"quantity": str}).set_index("quantity")["value"]["topics scored"] < 2:
        return style.words(UNTESTED)
    figure = style.new_figure(style.DOUBLE_COLUMN, 0.9 + 0.35 * len(panels))
    axes = figure.add_subplot()
    names = []
    for place, ((measure,), some) in enumerate(panels):
        start = 0.0
        row_of = some.astype({"outcome": str, "change": str}).set_index(["outcome", "change"])
        for key, color in OUTCOME_COLORS.items():
            share, n = row_of.loc[key, "share"], int(row_of.loc[key, "pairs"])
            axes.barh(place, share, left=start, color=color, height=0.7, ec="white", lw=0.3)
            if share > 0.03:
                dark = color in ("#004488", "#000000", "#BB5566")
                look = {"ha": "center", "va": "center", "color": "white" if dark else "black"}
                axes.text(start + share / 2, place, f"{n:,}", size=6, **look)
            start += share
        names.append(f"{measure} ({counted(some['pairs'].sum(), 'pair')})")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set(xlim=(0, 1), xlabel="share of pairs of systems")
    handles = [
        Patch(fc=color, label=outcome if change in ("stays", "none") else f"{outcome}: {change}")
        for (outcome, change), color in OUTCOME_COLORS.items()
    ]
    style.legend(figure, handles)
    return figure


@style.themed
def figure_topics(agreement: pd.DataFrame, topics: pd.DataFrame) -> Figure:
    """Draw α of the labels and τ_b of the systems, topic by topic, in order of α."""
    of = agreement[agreement["topic"] != ALL_TOPICS].astype({"topic": str})
    require(of)
    of = of.sort_values(["alpha", "topic"], na_position="first")
    order = {topic: place for place, topic in enumerate(of["topic"])}
    measures = list(dict.fromkeys(topics["measure"].astype(str)))
    looks = style.looks([style.ALPHA_LABEL, *(rf"$\tau_b$, {m}" for m in measures)])
    grid = panel_grid(["topics"], len(order), pitch=6, height=2.6)
    [panel] = grid.panels
    axes = panel.axes
    size = {"ls": "", "ms": grid.marker_size + 1}
    names = iter(looks)
    axes.plot(range(len(of)), of["alpha"].astype(float), **{**looks[next(names)], **size})
    for measure in measures:
        some = topics[topics["measure"] == measure]
        some = some[some["topic"].astype(str).isin(order)]
        places = [order[str(topic)] for topic in some["topic"]]
        axes.plot(places, some["tau"].astype(float), **{**looks[next(names)], **size})
    panel.name_positions(list(order))
    panel.finish("", counted(len(order), "topic"), "topic", r"α, $\tau_b$")
    return grid.with_legend(style.marks(looks, ls="", ms=4))


@style.themed
def figure_reliability(reliability: pd.DataFrame) -> Figure:
    """Draw τ_b of rankings on halves of the topics: mean and 95 % of the splits.

    Last what one under each would have in common, were both of one order.
    """
    some = reliability[(reliability["quantity"] == "tau") & (reliability["of"] != "excess")]
    if not some["value"].notna().any():
        return style.words(f"No {style.TAU} of halves: too few topics, or all systems tie.")
    panels = rows_by(some.astype({"of": str}), ["measure"])
    kinds = [of for of in OF if of != "excess"]
    grid = panel_grid(panels, len(kinds), pitch=36, height=1.9)
    for panel, ((measure,), of) in grid:
        axes, halves = panel.axes, of.set_index("of").loc[kinds]
        mean = halves["value"].to_numpy(float)
        spread = np.abs(halves[["low", "high"]].to_numpy(float).T - mean)
        colors = (FIRST, SECOND, style.GREY, style.BLACK)
        for place, color in enumerate(colors):
            look = {"color": color, "marker": "o", "ms": 4, "capsize": 3}
            axes.errorbar([place], mean[[place]], spread[:, [place]], **look)
        axes.set_xticks(range(4), ["first", "second", "across", "expected"])
        axes.set_xlim(-0.5, 3.5)
        splits, topics = (counted(of[f"{one}s"].iloc[0], one) for one in ("split", "topic"))
        panel.finish(str(measure), f"{splits}, 2 × {topics}", y=style.TAU_LABEL, bare="")
    return grid.figure
