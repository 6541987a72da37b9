"""Figures of criteria of cuts: which cut each picks, at what cost, and α against τ_b.

They go past han2019.
"""

from __future__ import annotations

import itertools
import math
import textwrap

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, PowerNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.errors import ParameterError
from regrade.show import style
from regrade.show.item_tables import Frame
from regrade.show.panels import panel_grid
from regrade.studies.han2019.labels import criterion_label
from regrade.wording import counted

FRONT = style.CUT_COLORS[5]

SHORT = 50
"""Letters of a label that leave room for three columns."""

DARK = 0.35
"""Colours above this share of the map are dark enough for white letters."""


def _of_reference(table: Frame, reference: str) -> Frame:
    rows = table[table["reference"].astype(str) == reference]
    return rows.astype({name: str for name in ("picks", "measured", "topic") if name in rows})


@style.themed
def figure_criteria(picked: Frame, *, reference: str, source: str, levels: int) -> Figure:
    """Draw the cut that each criterion picks, and the share of cuts better in each other."""
    rows = _of_reference(picked, reference)
    single = rows[rows["selection"] == "single"]
    names = list(dict.fromkeys(single["picks"]))
    if not names:
        raise ParameterError(f"no criterion picks a cut with {reference}: leave the figure out")
    figure = style.new_figure(style.DOUBLE_COLUMN, 0.22 * len(names) + 1.9)
    left, right = figure.subplots(1, 2, width_ratios=[1, 2.1], sharey=True)
    _picked_cuts(left, rows, names, levels, source)
    measured = list(dict.fromkeys(single["measured"]))
    image = _shares(right, single, names, measured)
    style.name_rows(left, [_label(name) for name in names], formulas=True, top=-0.5)
    topics = rows.loc[rows["topic"] != ALL_TOPICS, "topic"].nunique()
    title = f"{style.transformation_label(source, levels)}, {style.dataset_label(reference)}"
    left.set(title=title, ylabel="picked by")
    figure.text(0.995, 0.995, counted(topics, "topic"), ha="right", va="top", color=style.GREY)
    bar = {"label": "share of cuts that are better (%)", "fraction": 0.05}
    figure.colorbar(image, ax=right, aspect=30, pad=0.02, **bar).outline.set_visible(False)
    return figure


def _picked_cuts(axes: Axes, rows: Frame, names: list[str], levels: int, source: str) -> None:
    """Thresholds of the one cut for all topics (large) and of the topics' own (small)."""
    cuts = rows.drop_duplicates(["picks", "selection", "topic"])
    for row, name in enumerate(names):
        of_name = cuts[(cuts["picks"] == name) & cuts["c1"].notna()]
        own = of_name[of_name["topic"] != ALL_TOPICS]
        one = of_name[of_name["selection"] == "single"]
        for number, threshold in enumerate(CUT_COLUMNS[: levels - 1]):
            color, marker = style.CUT_COLORS[number], style.CUT_MARKERS[number]
            shift = row + 0.18 * (number - (levels - 2) / 2)
            axes.plot(own[threshold], np.full(len(own), shift), ".", color=color, ms=2, alpha=0.5)
            axes.plot(one[threshold], [row] * len(one), marker, color=color, ms=4.5, mec="white")
    axes.set_xlabel(style.cut_label(source))


def _shares(axes: Axes, single: Frame, names: list[str], measured: list[str]):
    """The share of cuts that is better than a row's pick, in each column's criterion."""
    share = single.pivot(index="picks", columns="measured", values="share_higher")
    share = 100 * share.reindex(index=names, columns=measured).to_numpy(dtype=float)
    norm = PowerNorm(0.5, 0, 100)
    image = axes.imshow(share, aspect="auto", cmap="cividis_r", norm=norm)
    for (row, column), value in np.ndenumerate(share):
        if np.isfinite(value):
            color = "white" if norm(value) > 1 - DARK else style.BLACK
            text = "<1" if 0 < value < 0.95 else f"{value:.0f}"
            axes.text(column, row, text, ha="center", va="center", color=color)
    labels = [_label(name) for name in measured]
    axes.set_xticks(range(len(measured)), labels, rotation=90)
    axes.tick_params(axis="both", length=0)
    axes.spines[:].set_visible(False)
    axes.set_title("cuts better than the pick, by each criterion (%)")
    return image


@style.themed
def figure_pareto(
    criteria: Frame,
    fronts: Frame,
    picked: Frame,
    *,
    reference: str,
    expert: str,
    metric: str,
    source: str,
    levels: int,
) -> Figure:
    """Draw α and τ_b of every cut, the Pareto-optimal cuts, and the cuts selected by criteria."""
    across, up = f"alpha_{metric}@{reference}", f"tau@{expert}"
    known = criteria[[across, up]].dropna()
    front = _of_reference(fronts, reference)
    front = front[(front["criterion"] == across) & (front["against"] == up)]
    marks = _marks(_of_reference(picked, reference), across, up)
    figure = style.new_figure(style.DOUBLE_COLUMN, 3.1 + 0.13 * math.ceil(len(marks) / 3))
    whole, near = figure.subplots(1, 2)
    for axes, gridsize in ((whole, 45), (near, 30)):
        cuts = known if axes is whole else _near(known, front, marks)
        if len(cuts):
            look = {"mincnt": 1, "cmap": "Greys", "linewidths": 0.1}
            look["norm"] = LogNorm(0.5, max(2.0, len(known) / 50))
            cloud = axes.hexbin(cuts[across], cuts[up], gridsize=gridsize, **look)
        # the cuts that none beats in both, with the staircase below which all others lie
        line = {"color": FRONT, "lw": 1, "marker": ".", "ms": 3, "drawstyle": "steps-post"}
        axes.plot(front["value"], front["other"], **line)
        axes.set_xlabel(f"{_label(across)}, with {style.dataset_label(reference)}")
        axes.grid()
    window = _near(known, front, marks)
    if len(window):
        for values, limit in zip(window.to_numpy().T, (near.set_xlim, near.set_ylim), strict=True):
            room = 0.04 * (values.max() - values.min()) + 1e-3
            limit(values.min() - room, values.max() + room)
    # picks by their numbers: on the right where they are in its window, else on the left
    (left, right), (low, high) = near.get_xlim(), near.get_ylim()
    for number, (_, x, y) in enumerate(marks, start=1):
        mark = _mark(number)
        mark.set_data([x], [y])
        mark.set_path_effects([withStroke(linewidth=2, foreground="white")])
        (near if left <= x <= right and low <= y <= high else whole).add_line(mark)
    whole.set_ylabel(f"{style.TAU_LABEL} with {style.dataset_label(expert)}")
    transformation = style.transformation_label(source, levels)
    whole.set_title(f"(a)  {transformation}, {len(known):,} cuts")
    near.set_title("(b)  where the best are")
    if len(known):
        bar = {"label": "cuts", "fraction": 0.06}
        figure.colorbar(cloud, ax=near, aspect=30, pad=0.02, **bar).outline.set_visible(False)
    handles = [
        style.mark("none is better in both", color=FRONT, marker=".", ms=3),
        *(_mark(number, label) for number, (label, *_) in enumerate(marks, start=1)),
    ]
    longest = max(len(line) for handle in handles for line in handle.get_label().splitlines())
    columns = {"ncols": 3 if longest < SHORT else 1, "columnspacing": 1.2}
    figure.legend(handles=handles, loc="outside upper left", **columns)
    return figure


def _near(known: Frame, front: Frame, marks: list[tuple]) -> Frame:
    """The cuts in the box of the front and of the picks that come near it."""
    if front.empty:
        return known
    across, up = known.columns
    low, high = front["value"].min(), front["value"].max()
    margin = 0.15 * (high - low) + 0.01
    bottom = min(front["other"].min(), *(y for _, x, y in marks if x >= low)) - 0.01
    return known[(known[across] >= low - margin) & (known[up] >= bottom)]


def _mark(number: int, label: str = "") -> Line2D:
    look = {"marker": f"${number}$", "ms": 4.5 if number < 10 else 7, "color": style.CUT_COLORS[0]}
    return Line2D([], [], ls="", mew=0.4, label=label, **look)


def _marks(rows: Frame, across: str, up: str) -> list[tuple]:
    """Label, α and τ_b of the single cuts that criteria pick; once for those that pick the same."""
    single = rows[rows["selection"] == "single"]
    values = single.pivot(index="picks", columns="measured", values="value")
    cuts = single.drop_duplicates("picks").set_index("picks")[list(CUT_COLUMNS)]
    labels: dict[tuple, list[str]] = {}
    for name, cut in cuts.iterrows():
        place = values.loc[name, [across, up]]
        if place.notna().all():
            text = " ".join(f"{value:.6g}" for value in cut.to_numpy(dtype=float) if value == value)
            labels.setdefault((text, *place), []).append(name)
    return [
        (textwrap.fill(f"{'; '.join(map(_short, names))}: {cut}", 2 * SHORT), x, y)
        for (cut, x, y), names in labels.items()
    ]


def _label(name: str) -> str:
    """A criterion in words, as figures have them."""
    return style.set_signs(criterion_label(name))


def _short(name: str) -> str:
    """A criterion without whose it is."""
    return _label(name).rpartition("'s ")[2] if "@" in name else _label(name)


@style.themed
def figure_levels(levels: Frame, tau: Frame, *, source: str) -> Figure:
    """Draw α, held-out α and τ_b of the best cuts by the number of levels."""
    whole = levels[levels["topic"] == ALL_TOPICS].astype({"search": str, "selection": str})
    names = list(dict.fromkeys(whole["search"]))
    if not names:
        raise ParameterError("no search has a topic to draw: leave the figure out")
    contents = [(name, kind) for name in names for kind in ("alpha", "tau")]
    grid = panel_grid(contents, 7, pitch=12, height=1.75, columns=2, share="x")
    tau = tau.astype({"search": str, "selection": str, "expert": str})
    topics = levels.loc[levels["topic"] != ALL_TOPICS, "topic"].nunique()
    for panel, (name, kind) in grid:
        axes = panel.axes
        if kind == "alpha":
            method, _, reference = name.partition("@")
            label = style.method_label(method, reference or None)
            count = counted(topics, "topic")
            axes.set_title(f"{label}, {style.dataset_label(source)}, {count}")
            _alpha_by_levels(axes, whole[whole["search"] == name])
            panel.label("levels", "α (interval, even)" if reference else "α")
        else:
            of_search = tau[tau["search"] == name].groupby("expert", sort=False)
            for line, (_, of_expert) in zip(itertools.cycle(LINES), of_search, strict=False):
                for selection, of in of_expert.groupby("selection", sort=False):
                    look = LOOKS[selection] | {"ms": 4, "lw": 1, "ls": line}
                    axes.plot(of["levels"], of["tau"], **look)
            panel.label("levels", style.TAU_LABEL)
        axes.set_xticks(sorted(set(whole["levels"])))
        axes.grid()
    names = ("a cut for each topic", "one cut for all", "α at the cut best for the other topics")
    rough = {"color": style.GREY, "mfc": "white", "marker": "o", "ms": 4}
    lines = {
        f"{style.TAU} with {style.dataset_label(expert)}": {"ls": line}
        for expert, line in zip(dict.fromkeys(tau["expert"]), itertools.cycle(LINES), strict=False)
    }
    handles = [
        *style.marks(dict(zip(names, LOOKS.values(), strict=True)), ms=4, lw=1),
        style.mark("open: at least this", ls="", **rough),
        *style.marks(lines, color=style.GREY, lw=1),
    ]
    return grid.with_legend(handles, columns=3)


LOOKS = {
    "per-topic": {"color": style.CUT_COLORS[2], "marker": "D"},
    "single": {"color": style.CUT_COLORS[0], "marker": "o"},
    "held out": {"color": style.CUT_COLORS[1], "marker": "s"},
}
LINES = ("-", "--", ":", "-.")
"""A line for each expert."""


def _alpha_by_levels(axes: Axes, rows: Frame) -> None:
    """α with a cut for each topic, one for all, and one chosen on the others; open: not exact."""
    for selection, of in rows.groupby("selection", sort=False):
        lines = {selection: of["value"]}
        if selection == "single":
            lines["held out"] = of["held_out"]
        for name, values in lines.items():
            look = LOOKS[name] | {"ms": 4, "lw": 1}
            axes.plot(of["levels"], values, **look)
            rough = ~of["exact"].to_numpy(dtype=bool)
            axes.plot(of["levels"][rough], values[rough], ls="", mfc="white", **look)
