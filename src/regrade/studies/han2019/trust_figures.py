"""Figures of how far cuts can be trusted, and of judges' own cuts, which go past han2019."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from natsort import natsorted

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.errors import ParameterError
from regrade.show import style
from regrade.show.forms import band_and_line
from regrade.show.item_tables import Frame, Frames, Settings
from regrade.show.panels import panel_grid
from regrade.show.style import mark
from regrade.studies.han2019.trust_tables import Shown
from regrade.wording import counted

DRAWN = ("topics", "units", "workers", "documents")
"""What is drawn anew, in the order of its looks."""

LOOKS = style.looks(DRAWN)
CHOICES = ("single", "per-topic", "pooled")
CHOICE_LOOKS = style.looks(CHOICES)
PLATEAU = "#d9d9d9"


def search_title(search: str, selection: Shown | None = None) -> str:
    """What a figure calls a search, of a transformation where that is not said elsewhere."""
    method, _, reference = search.partition("@")
    if method == "tau":
        return f"by {style.TAU}, {style.dataset_label(reference)}"
    about = (selection.source, selection.levels) if selection else ()
    return style.method_label(method, reference or None, *about)


def _searches(table: Frame) -> list[str]:
    names = list(dict.fromkeys(table["search"]))
    if not names:
        raise ParameterError("no search to draw: name others under `searches`, or under `trust`")
    return names


def draw_curves_with_ends(
    axes: Axes, rows: Frame, x: str, y: str, looks: Mapping[str, Mapping[str, str]]
) -> None:
    """A curve for each selection of cuts, in its look, with a band from `low` to `high`."""
    for selection, look in looks.items():
        curve = rows[rows["selection"] == selection].sort_values(x)
        band_and_line(axes, curve, x, y, {**look, "ls": "-", "ms": 3.5}, alpha=0.15)


def _thresholds(levels: int | None) -> list[str]:
    return list(CUT_COLUMNS[: (levels or len(CUT_COLUMNS) + 1) - 1])


@style.themed
def figure_sure(bootstrap: Frames, effects: Frames, *, transformations: Settings) -> Figure:
    """Scale by scale: thresholds of the best cut, their intervals, the range on the plateau."""
    panels = []
    for name in transformations:
        drawn = Shown().rows(bootstrap[name])
        drawn = drawn[(drawn["topic"] == ALL_TOPICS) & (drawn["resampled"] == "topics")]
        ranges = Shown().rows(effects[name]).drop_duplicates("search").set_index("search")
        panels += [(name, search, drawn, ranges) for search in dict.fromkeys(drawn["search"])]
    if not panels:
        raise ParameterError("no cut to draw: let `bootstrap` under `trust` draw topics")
    grid = panel_grid(panels, pitch=110, height=1.05, share="")
    for panel, (name, search, drawn, ranges) in grid:
        axes, about = panel.axes, transformations[name]
        thresholds = _thresholds(about["levels"])
        for y, threshold in enumerate(thresholds):
            _threshold(axes, y, search, threshold, drawn, ranges, ["topics"], 7)
        style.name_rows(axes, [f"$c_{t[1:]}$" for t in thresholds], formulas=True)
        topics = ranges["n_topics"].dropna()
        count = counted(int(topics.max()), "topic") if len(topics) else ""
        beside = search.partition("@")[2]
        title = style.transformation_label(about["source"], about["levels"])
        panel.head(title + (f", {beside}" if beside else ""), count)
    plateau, *others = _plateau_handles(["topics"])
    plateau.set_label("not significantly worse than the best")
    return grid.with_legend([plateau, *others])


def _threshold(
    axes: Axes,
    y: float,
    search: str,
    threshold: str,
    drawn: Frame,
    ranges: Frame,
    kinds: Sequence[str],
    width: float,
) -> None:
    """Its range among cuts not significantly worse than the best, in draws, and the best's."""
    if search in ranges.index and pd.notna(ranges.at[search, f"{threshold}_low"]):
        ends = [ranges.at[search, f"{threshold}_{end}"] for end in ("low", "high")]
        axes.plot(ends, [y, y], color=PLATEAU, lw=width, solid_capstyle="butt", zorder=1)
    own = drawn[(drawn["search"] == search) & (drawn["quantity"] == threshold)]
    offsets = np.linspace(-0.18, 0.18, len(kinds)) if len(kinds) > 1 else [0.0]
    for kind, aside in zip(kinds, offsets, strict=True):
        look = {"color": LOOKS[kind]["color"], "lw": 1.4, "zorder": 2}
        for value in own[own["resampled"] == kind].itertuples():
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
def figure_plateau(bootstrap: Frame, effects: Frame, **of: object) -> Figure:
    """For each threshold: the range on the plateau, the best cut, its intervals, named cuts."""
    selection = Shown(**of)
    drawn = selection.rows(bootstrap)
    drawn = drawn[(drawn["topic"] == ALL_TOPICS) & drawn["quantity"].isin(CUT_COLUMNS)]
    ranges = selection.rows(effects).drop_duplicates("search").set_index("search")
    names, thresholds = _searches(drawn), _thresholds(selection.levels)
    height = 1.3 + 0.24 * len(names) * len(thresholds) + 0.15 * len(names)
    figure, axes = style.new_axes(style.SINGLE_COLUMN * 1.5, height)
    kinds = [kind for kind in DRAWN if (drawn["resampled"] == kind).any()]
    labels = []
    for row, (search, name) in enumerate((s, t) for s in names for t in thresholds):
        y = row + 0.6 * names.index(search)
        labels.append((y, f"{search_title(search)}  $c_{name[1:]}$"))
        _threshold(axes, y, search, name, drawn, ranges, kinds, 9)
    axes.set_yticks(*zip(*labels, strict=True))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(labels[-1][0] + 0.6, -0.6)
    axes.set_xlabel(style.cut_label(selection.source))
    axes.grid(axis="x")
    counts = ranges["n_topics"].dropna()
    if len(counts):
        topics = counted(int(counts.max()), "topic")
        style.stacked_title(
            axes, style.transformation_label(selection.source, selection.levels), topics
        )
    return style.legend(figure, _plateau_handles(kinds))


@style.themed
def figure_chosen(chosen: Frame, bootstrap: Frame, **of: object) -> Figure:
    """How often each threshold of the cut for all topics is chosen from data drawn anew."""
    selection = Shown(**of)
    drawn = selection.rows(chosen)
    drawn = drawn[drawn["topic"] == ALL_TOPICS]
    estimates = selection.rows(bootstrap)
    estimates = estimates[(estimates["topic"] == ALL_TOPICS) & estimates["against"].isna()]
    names, thresholds = _searches(drawn), _thresholds(selection.levels)
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
        panel.head(search_title(search, selection), counted(resamples, "draw"))
        panel.label(
            style.cut_label(selection.source), "share of bootstrap samples", outer="xy", bare=""
        )
    handles = [style.swatch(f"{kind} drawn", LOOKS[kind]["color"]) for kind in kinds]
    handles.append(mark("best cut", color=style.BLACK, ls=":", lw=0.8))
    return grid.with_legend(handles)


@style.themed
def figure_held_out(held_out: Frame, **of: object) -> Figure:
    """From α where the cut was chosen to α on what it did not see."""
    selection = Shown(**of)
    rows = selection.rows(held_out)
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
        axes.set_yticks(range(len(names)), [search_title(name) for name in names])
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel(style.ALPHA_LABEL)
        axes.grid(axis="x")
        kept = "one topic at a time" if split == "topics" else f"half of the {split}"
        count = counted(int(of_split["n_topics"].max()), "topic")
        letter = style.panel_letter(index, len(splits))
        style.stacked_title(axes, f"{letter}held out: {kept}", count)
    panels[0].invert_yaxis()
    looks = {f"{n} cut": CHOICE_LOOKS[n] for n in CHOICES if (rows["selection"] == n).any()}
    looks["in sample"] = {"marker": "o", "color": style.GREY, "mfc": "white"}
    looks["held out"] = {"marker": "o", "color": style.GREY}
    return style.legend(figure, style.marks(looks, ls="", ms=4))


RULES = ("jenks", "mixture", "quantiles", "learnt", "single", "oracle")
"""Rules in the order of the figure, after the cuts that have a name."""


@style.themed
def figure_unlabelled(unlabelled: Frame, **of: object) -> Figure:
    """By how much each rule's cut falls short of each topic's best; topics and mean.

    Of searches with a reference.
    """
    selection = Shown(**of)
    rows = selection.referred(unlabelled)
    trained = rows["trained"].astype(object).where(rows["trained"].notna(), "")
    name = rows["rule"].astype(str).str.replace("_", " ")
    taught = ~trained.isin(["", "own topics"])
    rows = rows.assign(shown=name.where(~taught, name + " (" + trained.astype(str) + ")"))
    names = _searches(rows)
    order = {rule: i for i, rule in enumerate(RULES, start=1)}
    rows = rows[rows["rule"] != "oracle"]
    rows = rows.sort_values("rule", key=lambda rules: rules.map(order).fillna(0), kind="stable")
    rules = list(dict.fromkeys(rows["shown"]))
    grid = panel_grid(names, pitch=160, height=0.65 + 0.17 * len(rules))
    for panel, search in grid:
        axes, own = panel.axes, rows[rows["search"] == search]
        topics = own[own["topic"] != ALL_TOPICS]
        places = topics["shown"].map(rules.index)
        axes.plot(topics["regret"], places, "o", color=style.GREY, ms=2.2, mew=0, alpha=0.5)
        means = own[own["topic"] == ALL_TOPICS]
        best = means["shown"].map(rules.index)
        axes.plot(means["regret"], best, "D", color=style.CUT_COLORS[0], ms=4.5)
        axes.set_yticks(range(len(rules)), rules)
        axes.tick_params(axis="y", length=0)
        if not panel.is_left:
            axes.tick_params(labelleft=False)
        title, count = search_title(search, selection), topics["topic"].nunique()
        x = "α of the topic's best cut − α of the rule's"
        panel.finish(title, counted(count, "topic"), x, grid="x")
    grid.axes[0].invert_yaxis()
    topic = mark("a topic", ls="", marker="o", color=style.GREY, ms=2.2)
    mean = mark("mean", ls="", marker="D", color=style.CUT_COLORS[0], ms=4.5)
    return grid.with_legend([topic, mean])


@style.themed
def figure_budget(budget: Frame, **of: object) -> Figure:
    """Regret by the number of labels a topic, and by the number of topics with labels.

    Of searches with a reference.
    """
    selection = Shown(**of)
    rows = selection.referred(budget)
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
            there = {name: CHOICE_LOOKS[name] for name in CHOICES if name in {*own["selection"]}}
            draw_curves_with_ends(axes, own, "budget", "regret", there)
            axes.axhline(rows["epsilon"].iloc[0], color=style.BLACK, ls=":", lw=0.8)
            axes.grid(axis="y")
            if unit == "labels":
                axes.set_xscale("log")
                axes.set_xticks(sorted(own["budget"].unique()))
                axes.xaxis.set_major_formatter("{x:.0f}")
                axes.minorticks_off()
                axes.set_ylabel("α of the best cut − α of the chosen cut")
                style.stacked_title(axes, search_title(search, selection), "")
            if row + 1 == len(names):
                axes.set_xlabel("labels a topic" if unit == "labels" else "topics with labels")
    drawn = [name for name in CHOICES if (rows["selection"] == name).any()]
    looks = {f"{name} cut, mean (95 % of samples)": CHOICE_LOOKS[name] for name in drawn}
    epsilon = mark(f"ε = {rows['epsilon'].iloc[0]:g}", color=style.BLACK, ls=":", lw=0.8)
    return style.legend(figure, [*style.marks(looks, ms=3.5), epsilon])


# --- judges --------------------------------------------------------------------------------------

NAMED = 24
"""As many rows and columns of a matrix have their names beside them."""

COLUMNS = 3
"""Panels beside each other, at most."""

SHOWN = ("per-topic", "single", "best")
SHOWN_LOOKS = {**CHOICE_LOOKS, "best": {"color": style.BLACK, "marker": "x"}}
CALLED = {
    "per-topic": "each topic's own cut, chosen by these",
    "single": "one cut, chosen by these",
    "best": "the cut that all judgments choose",
}


@style.themed
def figure_transfer(transfer: Frame, *, by: str, **of: object) -> Figure:
    """What a row's cut loses in α on a column's judgments, a panel for each search.

    Of searches that are not named all that have the matrix.
    """
    selection = Shown(**of)
    rows = selection.rows(transfer)
    rows = rows[(rows["by"] == by) & (rows["quantity"] == "alpha") & rows["note"].isna()]
    rows = rows[(rows["used_on"] != ALL_TOPICS) & rows["lost"].notna()]
    if by in ("transformations", "collections"):
        rows = rows[rows["selection"] == "single"]
    names = list(dict.fromkeys(rows["search"]))
    if not names:
        raise ParameterError(
            f"no cuts of {by} to draw: ask for them under `per_judge`, or name other `searches`"
        )
    figure, panels = _panels(names, 0.4, 2.35)
    shades = Normalize(0, max(float(rows["lost"].max()), 1e-9))
    image = None
    for search, axes in panels.items():
        image = _matrix(axes, rows[rows["search"] == search], shades, by)
        style.stacked_title(axes, search_title(search, selection), "")
    label = "α of the own best cut − α of this cut"
    figure.colorbar(image, ax=figure.axes, shrink=0.8, aspect=30, label=label)
    return figure


def _panels(
    names: Sequence[str], above: float, height: float, **shared: bool
) -> tuple[Figure, dict[str, Axes]]:
    """A figure with a panel for each name, each line of panels so many inches high."""
    columns = min(COLUMNS, len(names))
    lines = -(-len(names) // columns)
    figure = style.new_figure(style.DOUBLE_COLUMN, above + height * lines)
    panels = figure.subplots(lines, columns, squeeze=False, **shared).flat
    for axes in panels[len(names) :]:
        axes.set_axis_off()
    return figure, dict(zip(names, panels, strict=False))


def _matrix(axes: Axes, cells: Frame, shades: Normalize, by: str):
    used = natsorted(set(cells["used_on"].astype(str)))
    chosen = natsorted(set(cells["chosen_on"].astype(str)) - {ALL_TOPICS})
    chosen = [ALL_TOPICS, *chosen] if (cells["chosen_on"] == ALL_TOPICS).any() else chosen
    lost = np.full((len(chosen), len(used)), np.nan)
    for cell in cells.itertuples():
        lost[chosen.index(str(cell.chosen_on)), used.index(str(cell.used_on))] = cell.lost
    axes.set_facecolor("#eeeeee")
    image = axes.imshow(lost, cmap="cividis_r", norm=shades, aspect="auto", interpolation="none")
    labels = ["all" if name == ALL_TOPICS else name for name in chosen]
    axes.set_yticks(range(len(chosen)), labels, fontsize=5)
    axes.set_xticks(range(len(used)), used, fontsize=5, rotation=90)
    axes.tick_params(length=0)
    if len(chosen) > NAMED:
        axes.set_yticks([i for i, name in enumerate(chosen) if name == ALL_TOPICS], ["all"])
    if len(used) > NAMED:
        axes.set_xticks([])
    one = by.removesuffix("s")
    axes.set_xlabel(f"applied to {one} (n = {len(used)})")
    axes.set_ylabel(f"cut of {one}")
    return image


@style.themed
def figure_judges(judges: Frame, **of: object) -> Figure:
    """Each judge's own cut against that of all others, both on judgments that did not choose."""
    selection = Shown(**of)
    rows = selection.rows(judges)
    known = rows[(rows["judge"] != ALL_TOPICS) & rows["held_out"].notna()]
    names = list(dict.fromkeys(known["search"]))
    if not names:
        raise ParameterError("no judge has a cut: lower the `minimum` under `per_judge`")
    figure, panels = _panels(names, 0.5, 2.2, sharex=True, sharey=True)
    look = CHOICE_LOOKS["single"]
    ends = known[["held_out", "held_out_others"]].to_numpy(dtype=float)
    ends = [np.nanmin(ends), np.nanmax(ends)]
    for i, (search, axes) in enumerate(panels.items()):
        own = known[known["search"] == search]
        axes.plot(ends, ends, color=style.BLACK, lw=0.7, ls=":")
        axes.plot(own["held_out_others"], own["held_out"], "o", ms=3, color=look["color"], mew=0)
        axes.set_aspect("equal")
        style.stacked_title(axes, search_title(search, selection), counted(len(own), "judge"))
        if i + COLUMNS >= len(names):
            axes.set_xlabel("α of the others' cut")
            axes.tick_params(labelbottom=True)
        if i % COLUMNS == 0:
            axes.set_ylabel("α of the own cut")
    return figure


@style.themed
def figure_fewer(fewer: Frame, *, drawn: str = "documents", **of: object) -> Figure:
    """α, and τ_b beside each expert, by how many judgments are paid for."""
    selected = Shown(**of)
    rows = selected.rows(fewer)
    rows = rows[rows["note"].isna() & rows["selection"].isin(SHOWN)]
    rows = rows[rows["quantity"].isin(("alpha", "tau")) & (rows["drawn"] == drawn)]
    rows = rows.assign(expert=rows["expert"].astype(object).where(rows["expert"].notna(), ""))
    names = list(dict.fromkeys(rows["search"]))
    if not names:
        raise ParameterError(
            f"no fewer judges of {drawn} to draw: ask for them by `fewer` and `fewer_of` under "
            "`per_judge`; documents need two judges"
        )
    quantities = list(dict.fromkeys(zip(rows["quantity"], rows["expert"], strict=True)))
    looks = {selection: SHOWN_LOOKS[selection] for selection in SHOWN}
    figure = style.new_figure(style.DOUBLE_COLUMN, 0.7 + 1.7 * len(names))
    panels = figure.subplots(len(names), len(quantities), squeeze=False, sharex=True)
    for line, search in enumerate(names):
        for column, (quantity, expert) in enumerate(quantities):
            axes = panels[line, column]
            own = rows[(rows["search"] == search) & (rows["quantity"] == quantity)]
            own = own[own["expert"] == expert]
            draw_curves_with_ends(axes, own, "cost", "estimate", looks)
            axes.xaxis.set_major_formatter("{x:,.0f}")
            axes.grid(axis="y")
            beside = f", {style.dataset_label(expert)}" if expert else ""
            axes.set_ylabel("α" if quantity == "alpha" else f"{style.TAU}{beside}")
            if column == 0:
                style.stacked_title(axes, search_title(search, selected), "")
            if line + 1 == len(names):
                axes.set_xlabel("judgments")
    named = {CALLED[name]: look | {"ls": "-"} for name, look in looks.items()}
    return style.legend(figure, style.marks(named, ms=3.5))
