"""Figures of how far cuts can be trusted, which go past han2019."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.errors import ParameterError
from regrade.show import style
from regrade.show.forms import band_and_line
from regrade.show.item_tables import Names
from regrade.show.panels import panel_grid
from regrade.show.style import mark
from regrade.studies.han2019.trust_tables import searched, with_reference
from regrade.wording import counted

DRAWN = ("topics", "units", "workers", "documents")
"""What is drawn anew, in the order of its looks."""

LOOKS = style.looks(DRAWN)
CHOICES = ("single", "per-topic", "pooled")
CHOICE_LOOKS = style.looks(CHOICES)
PLATEAU = "#d9d9d9"


def search_title(search: str, source: str, levels: int | None) -> str:
    """What a figure calls a search of a transformation."""
    method, _, reference = search.partition("@")
    if method == "tau":
        return f"by {style.TAU}, {style.dataset_label(reference)}"
    return style.method_label(method, reference or None, source, levels)


def _searches(table: pd.DataFrame) -> list[str]:
    names = list(dict.fromkeys(table["search"]))
    if not names:
        raise ParameterError("no search to draw: name others under `searches`, or under `trust`")
    return names


def draw_curves_with_ends(
    axes: Axes, rows: pd.DataFrame, x: str, y: str, looks: Mapping[str, Mapping[str, str]]
) -> None:
    """A curve for each selection of cuts, in its look, with a band from `low` to `high`."""
    for selection, look in looks.items():
        curve = rows[rows["selection"] == selection].sort_values(x)
        band_and_line(axes, curve, x, y, {**look, "ls": "-", "ms": 3.5}, alpha=0.15)


def _thresholds(levels: int | None) -> list[str]:
    return list(CUT_COLUMNS[: (levels or len(CUT_COLUMNS) + 1) - 1])


@style.themed
def figure_sure(
    bootstrap: Mapping[str, pd.DataFrame],
    effects: Mapping[str, pd.DataFrame],
    *,
    transformations: Mapping[str, Mapping],
) -> Figure:
    """Scale by scale: thresholds of the best cut, their intervals, the range on the plateau."""
    panels = []
    for name in transformations:
        drawn = searched(bootstrap[name], None)
        drawn = drawn[(drawn["topic"] == ALL_TOPICS) & (drawn["resampled"] == "topics")]
        ranges = searched(effects[name], None).drop_duplicates("search").set_index("search")
        panels += [(name, search, drawn, ranges) for search in dict.fromkeys(drawn["search"])]
    if not panels:
        raise ParameterError("no cut to draw: let `bootstrap` under `trust` draw topics")
    grid = panel_grid(panels, pitch=110, height=1.05, share="")
    for panel, (name, search, drawn, ranges) in grid:
        axes, about = panel.axes, transformations[name]
        thresholds = _thresholds(about["levels"])
        for y, threshold in enumerate(thresholds):
            _plateau(axes, y, ranges, search, threshold, 7)
            _draws(axes, y, 0, drawn, search, threshold, "topics")
        style.name_rows(axes, [f"$c_{t[1:]}$" for t in thresholds], formulas=True)
        topics = ranges["n_topics"].dropna()
        count = counted(int(topics.max()), "topic") if len(topics) else ""
        beside = search.partition("@")[2]
        title = style.transformation_label(about["source"], about["levels"])
        panel.head(title + (f", {beside}" if beside else ""), count)
    plateau, *others = _plateau_handles(["topics"])
    plateau.set_label("cannot be told from the best")
    return grid.with_legend([plateau, *others])


def _plateau(
    axes: Axes, y: float, ranges: pd.DataFrame, search: str, threshold: str, width: float
) -> None:
    """The range of a threshold among cuts that cannot be told from the best."""
    if search in ranges.index and pd.notna(ranges.at[search, f"{threshold}_low"]):
        ends = [ranges.at[search, f"{threshold}_{end}"] for end in ("low", "high")]
        axes.plot(ends, [y, y], color=PLATEAU, lw=width, solid_capstyle="butt", zorder=1)


def _draws(
    axes: Axes, y: float, aside: float, drawn: pd.DataFrame, search: str, threshold: str, kind: str
) -> None:
    """Where draws of a kind put a threshold, and the best cut's."""
    own = drawn[(drawn["search"] == search) & (drawn["quantity"] == threshold)]
    for value in own[own["resampled"] == kind].itertuples():
        look = {"color": LOOKS[kind]["color"], "lw": 1.4, "zorder": 2}
        axes.plot([value.low, value.high], [y + aside] * 2, **look)
        axes.plot(value.estimate, y, "o", color=style.BLACK, ms=3.5, zorder=3)


def _plateau_handles(kinds: Sequence[str]) -> list[Artist]:
    lines = {f"95 %, {kind} drawn": {"color": LOOKS[kind]["color"]} for kind in kinds}
    return [
        *style.patches({"plateau": PLATEAU}),
        mark("best cut", ls="", marker="o", color=style.BLACK, ms=3.5),
        *style.marks(lines, lw=1.4),
    ]


@style.themed
def figure_plateau(
    bootstrap: pd.DataFrame,
    effects: pd.DataFrame,
    *,
    searches: Names = None,
    source: str = "",
    levels: int | None = None,
) -> Figure:
    """For each threshold: the range on the plateau, the best cut, its intervals, named cuts."""
    drawn = searched(bootstrap, searches)
    drawn = drawn[(drawn["topic"] == ALL_TOPICS) & drawn["quantity"].isin(CUT_COLUMNS)]
    ranges = searched(effects, searches).drop_duplicates("search").set_index("search")
    names, thresholds = _searches(drawn), _thresholds(levels)
    height = 1.3 + 0.24 * len(names) * len(thresholds) + 0.15 * len(names)
    figure = style.new_figure(style.SINGLE_COLUMN * 1.5, height)
    axes = figure.add_subplot()
    kinds = [kind for kind in DRAWN if (drawn["resampled"] == kind).any()]
    offsets = np.linspace(-0.18, 0.18, len(kinds)) if len(kinds) > 1 else [0.0]
    labels = []
    for row, (search, name) in enumerate((s, t) for s in names for t in thresholds):
        y = row + 0.6 * names.index(search)
        labels.append((y, f"{search_title(search, '', None)}  $c_{name[1:]}$"))
        _plateau(axes, y, ranges, search, name, 9)
        for kind, offset in zip(kinds, offsets, strict=True):
            _draws(axes, y, offset, drawn, search, name, kind)
    axes.set_yticks(*zip(*labels, strict=True))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(labels[-1][0] + 0.6, -0.6)
    axes.set_xlabel(style.cut_label(source))
    axes.grid(axis="x")
    counts = ranges["n_topics"].dropna()
    if len(counts):
        topics = counted(int(counts.max()), "topic")
        style.stacked_title(axes, style.transformation_label(source, levels), topics)
    style.legend(figure, _plateau_handles(kinds))
    return figure


@style.themed
def figure_chosen(
    chosen: pd.DataFrame,
    bootstrap: pd.DataFrame,
    *,
    searches: Names = None,
    source: str = "",
    levels: int | None = None,
) -> Figure:
    """How often each threshold of the cut for all topics is chosen from data drawn anew."""
    drawn = searched(chosen, searches)
    drawn = drawn[drawn["topic"] == ALL_TOPICS]
    estimates = searched(bootstrap, searches)
    estimates = estimates[(estimates["topic"] == ALL_TOPICS) & estimates["against"].isna()]
    names, thresholds = _searches(drawn), _thresholds(levels)
    kinds = [kind for kind in DRAWN if (drawn["resampled"] == kind).any()]
    grid = panel_grid(names, pitch=150, height=1.5, share="x")
    places = drawn[thresholds].to_numpy(dtype=float)
    low, high = np.nanmin(places), np.nanmax(places)
    # a bin for each value that was chosen, as long as they are no more than can be seen
    gaps = np.diff(np.unique(places[~np.isnan(places)]))
    step = max(gaps.min(initial=high - low), (high - low) / 200) or 1.0
    bins = np.arange(low - step / 2, high + 1.5 * step, step)
    for panel, search in grid:
        axes, own = panel.axes, drawn[drawn["search"] == search]
        for kind in kinds:
            of_kind = own[own["resampled"] == kind]
            color, weights = LOOKS[kind]["color"], of_kind["share"].astype(float)
            look = {"histtype": "stepfilled", "fc": (*style.tint(color), 0.5), "ec": color}
            for name in thresholds:
                axes.hist(of_kind[name].astype(float), bins, weights=weights, lw=0.8, **look)
        best = estimates[(estimates["search"] == search) & estimates["quantity"].isin(thresholds)]
        for value in best.drop_duplicates("quantity")["estimate"]:
            axes.axvline(value, color=style.BLACK, ls=":", lw=0.8)
        resamples = int(estimates.loc[estimates["search"] == search, "resamples"].max())
        panel.head(search_title(search, source, levels), counted(resamples, "draw"))
        panel.label(style.cut_label(source), "share of draws", outer="xy", bare="")
    handles = [style.swatch(f"{kind} drawn", LOOKS[kind]["color"]) for kind in kinds]
    handles.append(mark("best cut", color=style.BLACK, ls=":", lw=0.8))
    return grid.with_legend(handles)


@style.themed
def figure_held_out(
    held_out: pd.DataFrame, *, searches: Names = None, source: str = "", levels: int | None = None
) -> Figure:
    """From α where the cut was chosen to α on what it did not see."""
    rows = searched(held_out, searches)
    rows = rows[(rows["criterion"] == "alpha") & rows["held_out"].notna()]
    names = _searches(rows)
    splits = [split for split in ("topics", "documents", "units") if (rows["split"] == split).any()]
    width = style.DOUBLE_COLUMN if len(splits) > 1 else style.SINGLE_COLUMN * 1.3
    figure = style.new_figure(width, 0.8 + 0.42 * len(names))
    panels = figure.subplots(1, len(splits), sharex=True, sharey=True, squeeze=False)[0]
    for index, (axes, split) in enumerate(zip(panels, splits, strict=True)):
        of_split = rows[rows["split"] == split]
        for value in of_split.itertuples():
            look = CHOICE_LOOKS[value.selection]
            place = names.index(value.search) + 0.22 * (CHOICES.index(value.selection) - 1)
            before = value.held_out + value.optimism
            axes.plot([value.held_out, before], [place] * 2, color=look["color"], lw=0.9)
            axes.plot(before, place, look["marker"], color=look["color"], mfc="white", ms=4)
            axes.plot(value.held_out, place, look["marker"], color=look["color"], ms=4)
        axes.set_yticks(range(len(names)), [search_title(name, "", None) for name in names])
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel(style.ALPHA_LABEL)
        axes.grid(axis="x")
        kept = "one topic at a time" if split == "topics" else f"half of the {split}"
        count = counted(int(of_split["n_topics"].max()), "topic")
        letter = style.panel_letter(index, len(splits))
        style.stacked_title(axes, f"{letter}held out: {kept}", count)
    panels[0].invert_yaxis()
    looks = {f"{n} cut": CHOICE_LOOKS[n] for n in CHOICES if (rows["selection"] == n).any()}
    looks["where it was chosen"] = {"marker": "o", "color": style.GREY, "mfc": "white"}
    looks["held out"] = {"marker": "o", "color": style.GREY}
    style.legend(figure, style.marks(looks, ls="", ms=4))
    return figure


RULES = ("jenks", "mixture", "quantiles", "learnt", "single", "oracle")
"""Rules in the order of the figure, after the cuts that have a name."""


@style.themed
def figure_unlabelled(
    unlabelled: pd.DataFrame, *, searches: Names = None, source: str = "", levels: int | None = None
) -> Figure:
    """By how much each rule's cut falls short of each topic's best; topics and their mean.

    Of searches with a reference.
    """
    rows = with_reference(searched(unlabelled, searches))
    trained = rows["trained"].astype(object).where(rows["trained"].notna(), "")
    name = rows["rule"].astype(str).str.replace("_", " ")
    taught = ~trained.isin(["", "own topics"])
    rows = rows.assign(shown=name.where(~taught, name + " (" + trained.astype(str) + ")"))
    names = _searches(rows)
    order = {rule: i for i, rule in enumerate(RULES, start=1)}
    rows = rows[rows["rule"] != "oracle"]
    rows = rows.sort_values("rule", key=lambda rules: rules.map(order).fillna(0), kind="stable")
    shown = list(dict.fromkeys(rows["shown"]))
    grid = panel_grid(names, pitch=160, height=0.65 + 0.17 * len(shown))
    for panel, search in grid:
        axes, own = panel.axes, rows[rows["search"] == search]
        topics = own[own["topic"] != ALL_TOPICS]
        places = topics["shown"].map(shown.index)
        axes.plot(topics["regret"], places, "o", color=style.GREY, ms=2.2, mew=0, alpha=0.5)
        means = own[own["topic"] == ALL_TOPICS]
        best = means["shown"].map(shown.index)
        axes.plot(means["regret"], best, "D", color=style.CUT_COLORS[0], ms=4.5)
        axes.set_yticks(range(len(shown)), shown)
        axes.tick_params(axis="y", length=0)
        if not panel.is_left:
            axes.tick_params(labelleft=False)
        title, count = search_title(search, source, levels), topics["topic"].nunique()
        x = "α of the topic's best cut − α of the rule's"
        panel.finish(title, counted(count, "topic"), x, grid="x")
    grid.axes[0].invert_yaxis()
    topic = mark("a topic", ls="", marker="o", color=style.GREY, ms=2.2)
    mean = mark("their mean", ls="", marker="D", color=style.CUT_COLORS[0], ms=4.5)
    return grid.with_legend([topic, mean])


@style.themed
def figure_budget(
    budget: pd.DataFrame, *, searches: Names = None, source: str = "", levels: int | None = None
) -> Figure:
    """Regret by the number of labels a topic, and by the number of topics with labels.

    Of searches with a reference.
    """
    rows = with_reference(searched(budget, searches))
    rows = rows[rows["note"].isna()]
    names = _searches(rows)
    figure = style.new_figure(style.DOUBLE_COLUMN, 0.7 + 1.6 * len(names))
    # with one topic there is no number of them to choose
    units = [unit for unit in ("labels", "topics") if (rows["unit"] == unit).any()]
    panels = figure.subplots(len(names), len(units), sharey="row", squeeze=False)
    for row, search in enumerate(names):
        for column, unit in enumerate(units):
            axes = panels[row, column]
            own = rows[(rows["search"] == search) & (rows["unit"] == unit)]
            drawn = {name: look for name, look in CHOICE_LOOKS.items()
                     if (own["selection"] == name).any()}  # fmt: skip
            draw_curves_with_ends(axes, own, "budget", "regret", drawn)
            axes.axhline(rows["epsilon"].iloc[0], color=style.BLACK, ls=":", lw=0.8)
            axes.grid(axis="y")
            if unit == "labels":
                axes.set_xscale("log")
                axes.set_xticks(sorted(own["budget"].unique()))
                axes.xaxis.set_major_formatter("{x:.0f}")
                axes.minorticks_off()
                axes.set_ylabel("α of the best cut − found")
                style.stacked_title(axes, search_title(search, source, levels), "")
            if row + 1 == len(names):
                axes.set_xlabel("labels a topic" if unit == "labels" else "topics with labels")
    looks = {
        f"{name} cut, mean (95 % of samples)": look
        for name, look in CHOICE_LOOKS.items()
        if (rows["selection"] == name).any()
    }
    epsilon = mark(f"ε = {rows['epsilon'].iloc[0]:g}", color=style.BLACK, ls=":", lw=0.8)
    style.legend(figure, [*style.marks(looks, ms=3.5), epsilon])
    return figure
