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

from regrade.schemas import ALL_TOPICS, LEVEL_CUT_COLUMNS
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
    panels = style.panels(qualities, ["mode"])
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
    style.require_rows(consistency)
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
    panels = style.panels(reliability, ["mode", "grades"])
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
    panels = style.panels(extended, ["set", "preferences", "list", "metric"])
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
def figure_levels(
    levels: pd.DataFrame, topics: pd.DataFrame, served: pd.DataFrame, notes: str = ""
) -> Figure:
    """Draw PDP, order and agreement against the number of levels; the last place: as it is.

    A panel of PDP for each preferences, list and mode; one of Somers' d with the tests for each
    preferences; one of α, of sets with several assessors.  Solid: cut where the set keeps the most
    discrimination; dashed: cut evenly.

    Raises
    ------
    ParameterError
        As `figure_4`.
    """
    levels = levels.astype(dict.fromkeys(["preferences", "set", "mode", "list", "way"], str))
    panels = [
        (PDP_LABEL, "entropy", f"{preferences}, {of}", f"{mode}, {_served(topics, of)}", some)
        for (preferences, of, mode), some in style.panels(levels, ["preferences", "list", "mode"])
    ]
    for (preferences,), some in style.panels(levels, ["preferences"]):
        of = served[served["preferences"].astype(str) == preferences]
        told = _spanned(of["served"] - of["tied"])
        panels.append(("Somers' d with tests", "concordance", preferences, f"{told} tests", some))
    if levels["alpha"].notna().any():
        panels.append(("α", "alpha", "agreement of assessors", "", levels))
    return _by_levels(levels, panels, notes)


@style.themed
def figure_level_systems(
    level_systems: pd.DataFrame, discrimination: pd.DataFrame, notes: str = ""
) -> Figure:
    """Draw τ_b with the ranking by the set as it is, and the share of pairs told apart.

    A panel of each for each measure; the share is by the first test.

    Raises
    ------
    ParameterError
        As `figure_4`.
    """
    style.require_rows(level_systems)
    some = level_systems.astype({"set": str, "way": str, "measure": str, "test": str})
    some = some[some["test"] == some["test"].iloc[0]]
    count = f"{_spanned(discrimination['pairs'])} pairs"
    panels = []
    for label, column in ((style.TAU_LABEL, "tau"), ("pairs told apart", "share")):
        for (measure,), of in style.panels(some, ["measure"]):
            panels.append((label, column, measure, count, of))
    return _by_levels(some, panels, notes)


def _by_levels(levels: pd.DataFrame, panels: Sequence[tuple], notes: str) -> Figure:
    """Lines over the number of levels; of cuts by power for several modes or lists, the first."""
    counts = sorted(set(levels["levels"]) - {_AS_IT_IS})
    places = {**{n: i for i, n in enumerate(counts)}, _AS_IT_IS: len(counts)}
    looks = _points(list(dict.fromkeys(levels["set"])))
    grid = style.panel_grid(
        len(panels), len(places), pitch=18, height=2.0, notes=notes, share_y=False
    )
    for index, (label, column, title, count, some) in enumerate(panels):
        axes = grid.axes[index]
        for name, of in some.groupby("set", sort=False):
            for way, line in WAYS.items():
                own = of[of["way"].isin([way, "as it is"])].assign(place=of["levels"].map(places))
                own = own.groupby("place")[column].first().astype(float)
                cut = own.drop(len(counts), errors="ignore")
                axes.plot(cut.index, cut, **{**looks[name], **_LINE, "ls": line})
                axes.plot(own.index, own, **{**looks[name], **_LINE, "ls": ""})
        ticks = [*map(str, counts), "all"]
        style.label_positions(axes, ticks, range(len(ticks)), grid.pitch, grid.is_bottom(index))
        if grid.is_bottom(index):
            axes.set_xlabel("levels")
        axes.set_ylabel(label)
        axes.grid(axis="y")
        style.panel_title(grid, index, title, count)
    handles = [Line2D([], [], **{**look, **_LINE, "ls": "-"}, label=n) for n, look in looks.items()]
    drawn = [way for way in WAYS if (levels["way"] == way).any()]
    handles += [
        Line2D([], [], color=style.GREY, ls=WAYS[way], lw=1.0, label=f"cut {WAY_LABELS[way]}")
        for way in drawn
    ]
    style.legend(grid.figure, handles)
    return grid.figure


@style.themed
def figure_pages(agreement: pd.DataFrame, notes: str = "") -> Figure:
    """Draw how often measures prefer the page that people prefer against the number of levels.

    A panel for each measure, solid for cuts by power, dashed for even ones, with 95 % intervals of
    the labels as they are; grey lines: ½, and the tests of preference between documents.

    Raises
    ------
    ParameterError
        As `figure_4`.
    """
    agreement = agreement.astype({"measure": str, "set": str, "way": str})
    by_tests = agreement[agreement["preferences"].notna() & (agreement["way"] == "as it is")]
    of_measures = agreement.drop(by_tests.index)
    counts = sorted(set(of_measures["levels"]) - {_AS_IT_IS})
    places = {**{n: i for i, n in enumerate(counts)}, _AS_IT_IS: len(counts)}
    panels = style.panels(of_measures, ["measure"])
    grid = style.panel_grid(len(panels), len(places), pitch=16, height=1.9, notes=notes)
    color = style.CUT_COLORS[0]
    for index, ((measure,), some) in enumerate(panels):
        axes = grid.axes[index]
        some = some.assign(place=some["levels"].map(places))
        for way, line in WAYS.items():
            own = some[some["way"] == way].drop_duplicates("place").sort_values("place")
            axes.plot(own["place"], own["share"], color=color, ls=line, marker="o", **_LINE)
        whole = some[some["way"] == "as it is"].iloc[0]
        ends = [[whole["share"] - whole["low"]], [whole["high"] - whole["share"]]]
        axes.errorbar([len(counts)], [whole["share"]], ends, **_BARS)
        axes.axhline(0.5, **_REFERENCE)
        for share in by_tests["share"]:
            axes.axhline(share, color=style.CUT_COLORS[1], lw=0.9, ls=":", zorder=0)
        ticks = [*map(str, counts), "all"]
        style.label_positions(axes, ticks, range(len(ticks)), grid.pitch, grid.is_bottom(index))
        _label(grid, index, "levels", "pages told as people do")
        style.panel_title(grid, index, measure, f"{int(whole['preferred'])} topics")
    handles = [
        Line2D([], [], color=color, ls=line, marker="o", **_LINE, label=f"cut {WAY_LABELS[way]}")
        for way, line in WAYS.items()
        if (agreement["way"] == way).any()
    ]
    handles.append(Line2D([], [], **_REFERENCE, label="by chance"))
    if len(by_tests):
        of_tests = {"color": style.CUT_COLORS[1], "lw": 0.9, "ls": ":"}
        handles.append(Line2D([], [], **of_tests, label="tests of documents"))
    style.legend(grid.figure, handles)
    return grid.figure


WAYS = {"power": "-", "even": "--"}
WAY_LABELS = {"power": "by power", "even": "evenly", "agreement": "by agreement"}
"""How the ways in which a set is cut are drawn and called."""


@style.themed
def figure_cuts(cuts: pd.DataFrame, notes: str = "") -> Figure:
    """Draw where sets are cut: a line for each cut, a mark for each threshold, PDP at the end.

    Of several lists the first; the table has all.

    Raises
    ------
    ParameterError
        As `figure_4`.
    """
    keys = ["preferences", "set", "mode", "list"]
    cuts = cuts[cuts["list"].isin(cuts["list"].head(1))]
    panels = style.panels(cuts.astype({"by": str, "search": object}), keys)
    most = max(len(_cut_rows(some)) for _, some in panels)
    grid = style.panel_grid(
        len(panels),
        12,
        pitch=22,
        height=0.17 * most + 0.7,
        notes=notes,
        columns=2,
        share_x=False,
        share_y=False,
    )
    colors = dict(zip(WAY_LABELS, style.CUT_COLORS, strict=False))
    for index, ((preferences, name, mode, of), some) in enumerate(panels):
        axes, rows = grid.axes[index], _cut_rows(some)
        for place, row in enumerate(rows.itertuples()):
            cut = [getattr(row, column) for column in LEVEL_CUT_COLUMNS]
            marker = _CUT_MARKERS[row.by]
            axes.plot(cut, [place] * len(cut), marker, color=colors[row.by], ms=3.5, clip_on=False)
            axes.annotate(
                f"{row.entropy:.2f}",
                (1.01, place),
                xycoords=("axes fraction", "data"),
                fontsize="x-small",
                va="center",
            )
        axes.set_yticks(range(len(rows)), [_cut_label(row) for row in rows.itertuples()])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.grid(axis="y", lw=0.4)
        axes.set_xlabel(f"thresholds, {style.dataset_label(name)}")
        style.panel_title(grid, index, f"{preferences}, {of}", mode)
    handles = [
        Line2D(
            [], [], color=colors[by], marker=_CUT_MARKERS[by], ls="", ms=3.5, label=f"cut {text}"
        )
        for by, text in WAY_LABELS.items()
        if (cuts["by"] == by).any()
    ]
    style.legend(grid.figure, handles, title="at the right, PDP (nats)")
    return grid.figure


_CUT_MARKERS = {"power": "o", "even": "|", "agreement": "D"}


def _cut_rows(some: pd.DataFrame) -> pd.DataFrame:
    """Each cut once, by levels: that by power, the even one, those by agreement."""
    kept = some[(some["by"] != "power") | some["search"].isna()]
    return kept.sort_values("levels", kind="stable")


def _cut_label(row) -> str:
    by = row.search if row.by == "agreement" else WAY_LABELS[row.by]
    return f"{row.levels} levels, {by}"


@style.themed
def figure_systems(
    topics: pd.DataFrame, discrimination: pd.DataFrame, orders: pd.DataFrame, notes: str = ""
) -> Figure:
    """Draw PDP of each set against the share of pairs of systems that it tells apart.

    A row of panels for each preferences and list, a panel for each measure; by the first test.

    Raises
    ------
    ParameterError
        As `figure_4`.
    """
    tests = discrimination["test"].astype(str)
    discrimination = discrimination[tests == tests.iloc[0]]
    orders = orders[orders["test"].astype(str) == tests.iloc[0]]
    of_all = topics[topics["topic"] == ALL_TOPICS].astype({"set": str})
    keys = ["preferences", "mode", "list"]
    panels = [
        (key, some, measure, told.astype({"set": str}).set_index("set")["share"])
        for key, some in style.panels(of_all, keys)
        for measure, told in style.panels(discrimination, ["measure"])
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


def _count(table: pd.DataFrame, column: str) -> int:
    style.require_rows(table)
    return int(np.ptp(table[column])) + 1


def _topics(some: pd.DataFrame) -> str:
    topics = some.drop_duplicates("quality")["topics"].sum()
    return f"{int(topics):,} topics"


def _served(topics: pd.DataFrame, name: str) -> str:
    """How many topics have lists of this name."""
    some = topics[(topics["list"] == name) & (topics["topic"] != ALL_TOPICS)]
    return f"{some.loc[some['entropy'].notna(), 'topic'].nunique()} topics"


def _spanned(counts: pd.Series) -> str:
    """A count that all rows share, or the lowest and the highest one."""
    return " to ".join(f"{int(count):,}" for count in sorted({counts.min(), counts.max()}))


def _label(grid: style.Grid, index: int, x: str, y: str) -> None:
    axes = grid.axes[index]
    axes.grid(axis="y")
    axes.set_ylabel(y if grid.is_left(index) else "")
    if grid.is_bottom(index):
        axes.set_xlabel(x)


def _points(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Looks of points without lines: the second round of colours is hollow, the third half full."""
    fills = ("full", "none", "bottom")
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
