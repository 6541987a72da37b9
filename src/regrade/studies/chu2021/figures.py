"""The figures of chu2021, and two that go past it.

Each takes tables of the stages ``power`` and ``synthetic_power`` as they are; nothing is computed
here that a table should hold.

References
----------
Chu, Mao, Zhang, Liu, Sakai, Zhang, Ma: Evaluating Relevance Judgments with Pairwise Discriminative
Power. CIKM 2021.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from regrade.errors import ParameterError
from regrade.schemas import ALL_TOPICS
from regrade.show import style
from regrade.studies.chu2021.tables import METRICS

QUALITIES = ("high", "medium", "low")
PDP_LABEL = "PDP (nats)"
_AS_IT_IS = 0
_LINE = {"ms": 3.0, "lw": 1.0}


@style.themed
def figure_4(qualities: pd.DataFrame, notes: str = "") -> Figure:
    """Draw mean PDP against the number of grades, a panel for each mode, a line for each quality.

    Raises
    ------
    ParameterError
        If the table has no rows.
    """
    panels = _panels(qualities, ["mode"])
    looks = style.looks(QUALITIES)
    grid = style.panel_grid(
        len(panels), _count(qualities, "grades"), pitch=5, height=2.0, notes=notes, share_y=False
    )
    for index, ((mode,), some) in enumerate(panels):
        for quality, line in some.groupby("quality", sort=False, observed=True):
            grid.axes[index].plot(line["grades"], line["mean"], **looks[quality], **_LINE)
        _label(grid, index, "grades", PDP_LABEL)
        grid.axes[index].xaxis.set_major_locator(MaxNLocator(8, integer=True))
        style.panel_title(grid, index, f"{mode} mode", _topics(some))
    style.legend(grid.figure, _handles(looks), title="quality of judgments")
    return grid.figure


@style.themed
def figure_5(consistency: pd.DataFrame, notes: str = "") -> Figure:
    """Draw Spearman's ρ of each metric with the quality of judgments against the number of grades.

    Raises
    ------
    ParameterError
        As `figure_4`.
    """
    _check(consistency)
    looks = style.looks(list(dict.fromkeys(consistency["metric"].astype(str))))
    grid = style.panel_grid(1, _count(consistency, "grades"), pitch=5, height=2.4, notes=notes)
    for metric, line in consistency.groupby("metric", sort=False, observed=True):
        grid.axes[0].plot(line["grades"], line["rho"].astype(float), **looks[metric], **_LINE)
    _label(grid, 0, "grades", "Spearman's ρ with quality")
    grid.axes[0].xaxis.set_major_locator(MaxNLocator(8, integer=True))
    batches = int(consistency["batches"].max())
    style.panel_title(grid, 0, "", f"{batches:,} batches")
    names = {METRICS.get(metric, metric): look for metric, look in looks.items()}
    style.legend(grid.figure, _handles(names))
    return grid.figure


@style.themed
def figure_6(reliability: pd.DataFrame, notes: str = "") -> Figure:
    """Draw boxes of PDP against the tests for each two grades; lines: PDP from tests of all pairs.

    Raises
    ------
    ParameterError
        As `figure_4`.
    """
    panels = _panels(reliability, ["mode", "grades"])
    tests = sorted(reliability["tests"].unique())
    looks = style.looks(QUALITIES)
    grid = style.panel_grid(
        len(panels), 4 * len(tests), pitch=4, height=1.7, notes=notes, columns=2
    )
    for index, ((mode, grades), some) in enumerate(panels):
        axes = grid.axes[index]
        for place, quality in enumerate(QUALITIES):
            of = some[some["quality"] == quality]
            color = looks[quality]["color"]
            _boxes(axes, of, [tests.index(t) + (place - 1) / 4 for t in of["tests"]], color)
            if len(of):
                axes.axhline(of["all_tests"].iloc[0], color=color, lw=0.6, ls=":", zorder=0)
        axes.set_xlim(-0.6, len(tests) - 0.4)
        style.label_positions(
            axes, [str(t) for t in tests], range(len(tests)), 4 * grid.pitch, grid.is_bottom(index)
        )
        _label(grid, index, "tests for each two grades", PDP_LABEL)
        style.panel_title(grid, index, f"{mode}, {grades} grades", f"{some['n'].max()} draws")
    handles = [
        Patch(fc=style.tint(looks[q]["color"]), ec=looks[q]["color"], label=q) for q in QUALITIES
    ]
    style.legend(grid.figure, handles, title="quality of judgments")
    return grid.figure


@style.themed
def figure_7(extended: pd.DataFrame, notes: str = "") -> Figure:
    """Draw mean and standard deviation over slices against w; dashed: the grades as they are.

    Raises
    ------
    ParameterError
        As `figure_4`.
    """
    extended = extended.astype({"metric": str, "set": str, "preferences": object, "list": object})
    extended[["preferences", "list"]] = extended[["preferences", "list"]].fillna("")
    panels = _panels(extended, ["set", "preferences", "list", "metric"])
    certainties = sorted(extended["certainty"].dropna().unique())
    names = ["∞" if math.isinf(w) else f"{w:g}" for w in certainties]
    grid = style.panel_grid(
        len(panels), len(certainties), pitch=16, height=1.6, notes=notes, share_y=False
    )
    for index, ((name, preferences, of, metric), some) in enumerate(panels):
        axes = grid.axes[index]
        groups = some.dropna(subset="certainty").groupby("certainty")["value"]
        mean, spread = groups.mean().reindex(certainties), groups.std().reindex(certainties)
        axes.errorbar(range(len(mean)), mean, spread.fillna(0), **_BARS)
        axes.axhline(some.loc[some["certainty"].isna(), "value"].iloc[0], **_REFERENCE)
        style.label_positions(axes, names, range(len(names)), grid.pitch, grid.is_bottom(index))
        if grid.is_bottom(index):
            axes.set_xlabel("certainty, w")
        axes.grid(axis="y")
        axes.set_ylabel(PDP_LABEL if metric.startswith("PDP") else "pairs told apart")
        count = ", ".join(filter(None, (style.dataset_label(name), of, preferences)))
        style.panel_title(grid, index, METRICS.get(metric, metric), count)
    return grid.figure


_BARS = {"color": style.CUT_COLORS[0], "marker": "o", "ms": 3, "lw": 1.0, "capsize": 2}
_REFERENCE = {"color": style.GREY, "lw": 0.8, "ls": "--", "zorder": 0}


@style.themed
def figure_levels(levels: pd.DataFrame, notes: str = "") -> Figure:
    """Draw PDP against the number of levels; the last place: the set as it is.

    Raises
    ------
    ParameterError
        As `figure_4`.
    """
    panels = _panels(levels, ["preferences", "list", "mode"])
    counts = sorted(set(levels["levels"]) - {_AS_IT_IS})
    places = {**{n: i for i, n in enumerate(counts)}, _AS_IT_IS: len(counts)}
    looks = style.looks(list(dict.fromkeys(levels["set"].astype(str))))
    grid = style.panel_grid(
        len(panels), len(places), pitch=18, height=2.0, notes=notes, share_y=False
    )
    for index, ((preferences, of, mode), some) in enumerate(panels):
        axes = grid.axes[index]
        for name, line in some.groupby("set", sort=False, observed=True):
            line = line.assign(place=line["levels"].map(places)).sort_values("place")
            axes.plot(line["place"], line["entropy"].astype(float), **looks[name], **_LINE)
        ticks = [*map(str, counts), "all"]
        style.label_positions(axes, ticks, range(len(ticks)), grid.pitch, grid.is_bottom(index))
        _label(grid, index, "levels", PDP_LABEL)
        style.panel_title(grid, index, f"{preferences}, {of}", mode)
    style.legend(grid.figure, _handles(looks))
    return grid.figure


@style.themed
def figure_systems(
    topics: pd.DataFrame, discrimination: pd.DataFrame, orders: pd.DataFrame, notes: str = ""
) -> Figure:
    """Draw PDP of each set against the share of pairs of systems that it tells apart.

    A row of panels for each preferences and list, a panel for each measure.

    Raises
    ------
    ParameterError
        As `figure_4`.
    """
    of_all = topics[topics["topic"] == ALL_TOPICS].astype({"set": str})
    keys = ["preferences", "mode", "list"]
    panels = [
        (key, some, measure, told.astype({"set": str}).set_index("set")["share"])
        for key, some in _panels(of_all, keys)
        for measure, told in _panels(discrimination, ["measure"])
    ]
    looks = _points(list(dict.fromkeys(of_all["set"])))
    taus = orders.astype(dict.fromkeys([*keys, "measure"], str)).set_index([*keys, "measure"])
    taus = taus["tau"].to_dict()
    grid = style.panel_grid(
        len(panels), 8, pitch=14, height=2.0, notes=notes, share_x=False, share_y=False
    )
    for index, (key, some, (measure,), share) in enumerate(panels):
        axes = grid.axes[index]
        for name, entropy in zip(some["set"], some["entropy"].astype(float), strict=True):
            axes.plot([entropy], [share[name]], **looks[name], ms=4)
        axes.set_xlabel(PDP_LABEL)
        axes.set_ylabel("pairs told apart")
        tau = taus[(*map(str, key), str(measure))]
        said = "undefined" if pd.isna(tau) else f"{tau:.2f}".replace("-", "−")
        count = rf"{key[2]}, $\tau_b$ {said}"
        style.panel_title(grid, index, f"{measure}, {key[0]}", count)
    handles = [Line2D([], [], **look, ms=4, label=name) for name, look in looks.items()]
    style.legend(grid.figure, handles)
    return grid.figure


# --- what several figures share ------------------------------------------------------------------


def _check(table: pd.DataFrame) -> None:
    if table.empty:
        raise ParameterError("the table has no rows: there is nothing to draw")


def _panels(table: pd.DataFrame, keys: Sequence[str]) -> list[tuple[tuple, pd.DataFrame]]:
    """The rows of each panel, by what identifies it, in the order of the table."""
    _check(table)
    return list(table.groupby(list(keys), sort=False, observed=True))


def _count(table: pd.DataFrame, column: str) -> int:
    _check(table)
    return int(np.ptp(table[column])) + 1


def _topics(some: pd.DataFrame) -> str:
    topics = some.drop_duplicates("quality")["topics"].sum()
    return f"{int(topics):,} topics"


def _label(grid: style.Grid, index: int, x: str, y: str) -> None:
    axes = grid.axes[index]
    axes.grid(axis="y")
    axes.set_ylabel(y if grid.is_left(index) else "")
    if grid.is_bottom(index):
        axes.set_xlabel(x)


def _points(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Looks of points without lines: the second round of colours is hollow, the third half full."""
    fills = ("full", "none", "left")
    rounds = len(style.CUT_COLORS)
    return {
        name: {**look, "ls": "", "fillstyle": fills[place // rounds % len(fills)]}
        for place, (name, look) in enumerate(style.looks(names).items())
    }


def _handles(looks: dict[str, dict]) -> list[Line2D]:
    return [Line2D([], [], **look, **_LINE, label=name) for name, look in looks.items()]


def _boxes(axes: Axes, rows: pd.DataFrame, places: Sequence[float], color: str) -> None:
    """Boxes from their quartiles and extremes."""
    stats = [
        {"med": row.median, "q1": row.q1, "q3": row.q3, "whislo": row.low, "whishi": row.high}
        for row in rows[["low", "q1", "median", "q3", "high"]].itertuples()
    ]
    line = {"color": color, "lw": 0.7}
    axes.bxp(
        stats,
        positions=places,
        widths=0.2,
        showfliers=False,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"fc": style.tint(color), "ec": color, "lw": 0.7},
        medianprops=line,
        whiskerprops=line,
        capprops=line,
    )
