"""The figures of chu2021, and two that go past it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from regrade.catalogue import ALL_TOPICS, LEVEL_CUT_COLUMNS
from regrade.show import style
from regrade.show.forms import quartile_boxes
from regrade.show.item_tables import Frame
from regrade.show.panels import panel_grid, require, rows_by
from regrade.show.published import as_text
from regrade.show.style import mark
from regrade.studies.chu2021.tables import METRICS
from regrade.wording import counted

QUALITIES = ("high", "medium", "low")
PDP_LABEL = "PDP (nats)"
_AS_IT_IS = 0
_LINE = {"ms": 3.0, "lw": 1.0}


@style.themed
def figure_4(qualities: Frame) -> Figure:
    """Draw mean PDP against the number of grades, a panel a mode, a line for each quality."""
    panels = rows_by(qualities, ["mode"])
    looks = style.looks(QUALITIES)
    grid = panel_grid(panels, _count(qualities, "grades"), pitch=5, height=2.0, share="x")
    for panel, ((mode,), some) in grid:
        for quality, line in some.groupby("quality", sort=False, observed=True):
            panel.axes.plot(line["grades"], line["mean"], **looks[quality], **_LINE)
        style.whole_numbers(panel.axes.xaxis, 8)
        topics = counted(int(some.drop_duplicates("quality")["topics"].sum()), "topic")
        panel.finish(f"{mode} mode", topics, "grades", PDP_LABEL, outer="xy", bare="")
    return grid.with_legend(style.marks(looks, **_LINE), title="quality of judgments")


@style.themed
def figure_5(consistency: Frame) -> Figure:
    """Draw Spearman's ρ of metrics with the quality of judgments against the number of grades."""
    grid = panel_grid(["quality"], _count(consistency, "grades"), pitch=5, height=2.4)
    looks = style.looks(list(dict.fromkeys(consistency["metric"].astype(str))))
    [panel] = grid.panels
    for metric, line in consistency.groupby("metric", sort=False, observed=True):
        panel.axes.plot(line["grades"], line["rho"].astype(float), **looks[metric], **_LINE)
    style.whole_numbers(panel.axes.xaxis, 8)
    batches = f"{int(consistency['batches'].max()):,} batches"
    panel.finish("", batches, "grades", "Spearman's ρ with quality")
    names = {METRICS.get(metric, metric): look for metric, look in looks.items()}
    return grid.with_legend(style.marks(names, **_LINE))


@style.themed
def figure_6(reliability: Frame) -> Figure:
    """Draw boxes of PDP against the tests for each two grades; lines: tests of all pairs."""
    panels = rows_by(reliability, ["mode", "grades"])
    tests = sorted(reliability["tests"].unique())
    looks = style.looks(QUALITIES)
    grid = panel_grid(panels, 4 * len(tests), pitch=4, height=1.7, columns=2)
    for panel, ((mode, grades), some) in grid:
        axes = panel.axes
        for place, quality in enumerate(QUALITIES):
            of = some[some["quality"] == quality]
            color = looks[quality]["color"]
            places = [tests.index(t) + (place - 1) / 4 for t in of["tests"]]
            thin = {"lw": 0.7, "medianprops": {"color": color, "lw": 0.7}}
            quartile_boxes(axes, of, places, 0.2, color, showcaps=True, **thin)
            if len(of):
                axes.axhline(of["all_tests"].iloc[0], color=color, lw=0.6, ls=":", zorder=0)
        axes.set_xlim(-0.6, len(tests) - 0.4)
        panel.name_positions([str(count) for count in tests], spread=4)
        title, draws = f"{mode}, {grades} grades", f"{some['n'].max()} draws"
        panel.finish(title, draws, "tests for each two grades", PDP_LABEL, bare="")
    handles = [style.swatch(quality, looks[quality]["color"]) for quality in QUALITIES]
    return grid.with_legend(handles, title="quality of judgments")


@style.themed
def figure_7(extended: Frame) -> Figure:
    """Draw mean and standard deviation over slices against w; dashed: the grades as they are."""
    extended = as_text(extended, ["metric", "set", "preferences", "list"])
    panels = rows_by(extended, ["set", "preferences", "list", "metric"])
    certainties = sorted(extended["certainty"].dropna().unique())
    names = ["∞" if math.isinf(w) else f"{w:g}" for w in certainties]
    grid = panel_grid(panels, len(certainties), pitch=16, height=1.6, share="x")
    for panel, ((name, preferences, of, metric), some) in grid:
        axes = panel.axes
        groups = some.dropna(subset="certainty").groupby("certainty")["value"]
        mean, spread = groups.mean().reindex(certainties), groups.std().reindex(certainties)
        axes.errorbar(range(len(mean)), mean, spread.fillna(0), **_BARS)
        axes.axhline(some.loc[some["certainty"].isna(), "value"].iloc[0], **_REFERENCE)
        panel.name_positions(names)
        label = PDP_LABEL if metric.startswith("PDP") else "share of pairs\nsignificant"
        count = ", ".join(filter(None, (style.dataset_label(name), of, preferences)))
        panel.finish(METRICS.get(metric, metric), count, "certainty, w", label)
    return grid.figure


_BARS = {"color": style.CUT_COLORS[0], "marker": "o", "ms": 3, "lw": 1.0, "capsize": 2}
_REFERENCE = {"color": style.GREY, "lw": 0.8, "ls": "--", "zorder": 0}


@style.themed
def figure_levels(levels: Frame, topics: Frame, served: Frame) -> Figure:
    """Draw PDP, order and agreement against the number of levels; the last place: as it is.

    A panel of PDP for each preferences, list and mode; one of Somers' d with the tests for each
    preferences; one of α, of sets with several assessors.  Solid: cut where the set keeps the most
    discrimination; dashed: cut evenly.
    """
    levels = levels.astype(dict.fromkeys(["preferences", "set", "mode", "list", "way"], str))
    panels = [
        (PDP_LABEL, "entropy", f"{preferences}, {of}", f"{mode}, {_served(topics, of)}", some)
        for (preferences, of, mode), some in rows_by(levels, ["preferences", "list", "mode"])
    ]
    for (preferences,), some in rows_by(levels, ["preferences"]):
        of = served[served["preferences"].astype(str) == preferences]
        span = _spanned(of["served"] - of["tied"])
        panels.append(("Somers' d with tests", "concordance", preferences, f"{span} tests", some))
    if levels["alpha"].notna().any():
        panels.append(("α", "alpha", "agreement of assessors", "", levels))
    return _by_levels(levels, panels)


@style.themed
def figure_level_systems(level_systems: Frame, discrimination: Frame) -> Figure:
    """Draw τ_b with the ranking by the set as it is, and the share of significant pairs.

    A panel of each for each measure; the share is by the first test.
    """
    require(level_systems)
    some = level_systems.astype({"set": str, "way": str, "measure": str, "test": str})
    some = some[some["test"] == some["test"].iloc[0]]
    count = f"{_spanned(discrimination['pairs'])} pairs"
    kinds = ((style.TAU_LABEL, "tau"), ("share of significant pairs", "share"))
    panels = [
        (*kind, measure, count, of)
        for kind in kinds
        for (measure,), of in rows_by(some, ["measure"])
    ]
    return _by_levels(some, panels)


def _by_levels(levels: Frame, panels: Sequence[tuple]) -> Figure:
    """Lines over the number of levels; of cuts by power for several modes or lists, the first."""
    places = _level_places(levels)
    last = len(places) - 1
    looks = _points(list(dict.fromkeys(levels["set"])))
    grid = panel_grid(panels, len(places), pitch=18, height=2.0, share="x")
    for panel, (label, column, title, count, some) in grid:
        axes = panel.axes
        for name, of in some.groupby("set", sort=False):
            for way, line in WAYS.items():
                own = of[of["way"].isin([way, "as it is"])].assign(place=of["levels"].map(places))
                own = own.groupby("place")[column].first().astype(float)
                cut = own.drop(last, errors="ignore")
                axes.plot(cut.index, cut, **{**looks[name], **_LINE, "ls": line})
                axes.plot(own.index, own, **{**looks[name], **_LINE, "ls": ""})
        panel.name_positions([str(n or "all") for n in places])
        panel.finish(title, count, "levels", label)
    ways = style.marks(_ways(levels), color=style.GREY, lw=1.0)
    return grid.with_legend([*style.marks(looks, **_LINE, ls="-"), *ways])


def _level_places(table: Frame) -> dict[int, int]:
    """Where each number of levels stands, the set as it is last."""
    counts = sorted(set(table["levels"]) - {_AS_IT_IS})
    return {n: place for place, n in enumerate([*counts, _AS_IT_IS])}


def _ways(table: Frame) -> dict[str, dict]:
    """Lines of the ways in which sets are cut, of those that there are."""
    there = {way: line for way, line in WAYS.items() if (table["way"] == way).any()}
    return {f"cut {WAY_LABELS[way]}": {"ls": line} for way, line in there.items()}


@style.themed
def figure_pages(agreement: Frame) -> Figure:
    """Draw how often measures prefer the page that people prefer against the number of levels.

    A panel for each measure, solid for cuts by power, dashed for even ones, with 95 % intervals of
    the labels as they are; grey lines: ½, and the tests of preference between documents.
    """
    agreement = agreement.astype({"measure": str, "set": str, "way": str})
    by_tests = agreement[agreement["preferences"].notna() & (agreement["way"] == "as it is")]
    of_measures = agreement.drop(by_tests.index)
    places = _level_places(of_measures)
    grid = panel_grid(rows_by(of_measures, ["measure"]), len(places), pitch=16, height=1.9)
    color = style.CUT_COLORS[0]
    for panel, ((measure,), some) in grid:
        axes, some = panel.axes, some.assign(place=some["levels"].map(places))
        for way, line in WAYS.items():
            own = some[some["way"] == way].drop_duplicates("place").sort_values("place")
            axes.plot(own["place"], own["share"], color=color, ls=line, marker="o", **_LINE)
        whole = some[some["way"] == "as it is"].iloc[0]
        ends = [[whole["share"] - whole["low"]], [whole["high"] - whole["share"]]]
        axes.errorbar([len(places) - 1], [whole["share"]], ends, **_BARS)
        axes.axhline(0.5, **_REFERENCE)
        for share in by_tests["share"]:
            axes.axhline(share, **_OF_TESTS, zorder=0)
        panel.name_positions([str(n or "all") for n in places])
        topics = counted(int(whole["preferred"]), "topic")
        panel.finish(measure, topics, "levels", "share of topics ordered\nas people do", bare="")
    handles = style.marks(_ways(agreement), color=color, marker="o", **_LINE)
    handles.append(mark("expected by chance", **_REFERENCE))
    if len(by_tests):
        handles.append(mark("preference tests of documents", **_OF_TESTS))
    return grid.with_legend(handles)


_OF_TESTS = {"color": style.CUT_COLORS[1], "lw": 0.9, "ls": ":"}


WAYS = {"power": "-", "even": "--"}
WAY_LABELS = {"power": "by power", "even": "evenly", "agreement": "by agreement"}
"""How the ways in which a set is cut are drawn and called."""


@style.themed
def figure_cuts(cuts: Frame) -> Figure:
    """Draw where sets are cut: a line for each cut, a mark for each threshold, PDP at the end.

    Of several lists the first; the table has all.
    """
    keys = ["preferences", "set", "mode", "list"]
    cuts = cuts[cuts["list"].isin(cuts["list"].head(1))]
    panels = rows_by(cuts.astype({"by": str, "search": object}), keys)
    most = max(len(_cut_rows(some)) for _, some in panels)
    height = 0.17 * most + 0.7
    grid = panel_grid(panels, 12, pitch=22, height=height, columns=2, share="")
    colors = zip(_CUT_MARKERS, style.CUT_COLORS, strict=False)
    looks = {by: {"color": color, "marker": _CUT_MARKERS[by]} for by, color in colors}
    for panel, ((preferences, name, mode, of), some) in grid:
        axes, rows = panel.axes, _cut_rows(some)
        for place, row in enumerate(rows.itertuples()):
            cut = [getattr(row, column) for column in LEVEL_CUT_COLUMNS]
            axes.plot(cut, [place] * len(cut), ls="", ms=3.5, clip_on=False, **looks[row.by])
            where = {"xycoords": ("axes fraction", "data"), "va": "center"}
            axes.annotate(f"{row.entropy:.2f}", (1.01, place), fontsize="x-small", **where)
        ways = rows["by"].map(WAY_LABELS).mask(rows["by"] == "agreement", rows["search"])
        names = [f"{n} levels, {way}" for n, way in zip(rows["levels"], ways, strict=True)]
        axes.set_yticks(range(len(rows)), names)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.grid(axis="y", lw=0.4)
        x = f"thresholds, {style.dataset_label(name)}"
        panel.finish(f"{preferences}, {of}", mode, x, grid="")
    drawn = {f"cut {text}": looks[by] for by, text in WAY_LABELS.items() if by in {*cuts["by"]}}
    return grid.with_legend(style.marks(drawn, ls="", ms=3.5), title="at the right, PDP (nats)")


_CUT_MARKERS = {"power": "o", "even": "|", "agreement": "D"}


def _cut_rows(some: Frame) -> Frame:
    """Each cut once, by levels: that by power, the even one, those by agreement."""
    kept = some[(some["by"] != "power") | some["search"].isna()]
    return kept.sort_values("levels", kind="stable")


@style.themed
def figure_systems(topics: Frame, discrimination: Frame, orders: Frame) -> Figure:
    """Draw PDP of each set against its share of significant pairs of systems.

    A row of panels for each preferences and list, a panel for each measure; by the first test.
    """
    tests = require(discrimination, "power/discrimination")["test"].astype(str)
    discrimination = discrimination[tests == tests.iloc[0]]
    orders = orders[orders["test"].astype(str) == tests.iloc[0]]
    of_all = topics[topics["topic"] == ALL_TOPICS].astype({"set": str})
    keys = ["preferences", "mode", "list"]
    panels = [
        (key, some, measure, tested.astype({"set": str}).set_index("set")["share"])
        for key, some in rows_by(of_all, keys)
        for measure, tested in rows_by(discrimination, ["measure"])
    ]
    looks = _points(list(dict.fromkeys(of_all["set"])))
    taus = as_text(orders, [*keys, "measure"]).set_index([*keys, "measure"])["tau"].to_dict()
    grid = panel_grid(panels, 8, pitch=14, height=2.0, share="")
    for panel, (key, some, (measure,), share) in grid:
        for name, entropy in zip(some["set"], some["entropy"].astype(float), strict=True):
            panel.axes.plot([entropy], [share[name]], **looks[name], ms=4)
        tau = style.tau_text(taus[(*map(str, key), str(measure))], 2)
        title, y = f"{measure}, {key[0]}", "share of significant pairs"
        panel.finish(title, f"{key[2]}, {tau}", PDP_LABEL, y, grid="")
    return grid.with_legend(style.marks(looks, ms=4))


# --- what several figures share ------------------------------------------------------------------


def _count(table: Frame, column: str) -> int:
    require(table)
    return int(np.ptp(table[column])) + 1


def _served(topics: Frame, name: str) -> str:
    """How many topics have lists of this name."""
    some = topics[(topics["list"] == name) & (topics["topic"] != ALL_TOPICS)]
    return counted(some.loc[some["entropy"].notna(), "topic"].nunique(), "topic")


def _spanned(counts: pd.Series) -> str:
    """A count that all rows share, or the lowest and the highest one."""
    return " to ".join(f"{int(count):,}" for count in sorted({counts.min(), counts.max()}))


def _points(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Looks of points without lines: the second round of colours is hollow, the third half full."""
    fills = ("full", "none", "bottom")
    rounds = len(style.CUT_COLORS)
    return {
        name: {**look, "ls": "", "fillstyle": fills[place // rounds % len(fills)]}
        for place, (name, look) in enumerate(style.looks(names).items())
    }
