"""The figures of turpin2015, for any collection, and three that go past it.

Each function takes tables of the stage ``magnitudes``, as they are, and draws a panel for each
reference (measure, topic, pair of levels) that they hold, or for the one reference that it is
given.  Nothing is computed here that a table should hold: boxes are drawn from their quartiles.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator, PercentFormatter
from natsort import natsorted

from regrade.catalogue import ALL_TOPICS
from regrade.errors import ParameterError, check_choice
from regrade.show import style
from regrade.show.boxes import QUARTILES, quartile_boxes
from regrade.show.panels import panel_grid, require, rows_by
from regrade.show.style import mark, plural

BLUE, ORANGE, GREEN, PINK, SKY, RED, _ = style.CUT_COLORS

REFERENCE_GAINS, MEASURED = "reference", "magnitudes"
"""The gains that are a reference's labels, and those that are the magnitudes of all units."""

RECOMMENDED = 1.1
"""Ratio of the gains of highly relevant to relevant documents that Kanoulas and Aslam found."""

LOG_FROM = 20.0
"""Quotient of the highest and the lowest magnitude from which on an axis is logarithmic."""

# --- magnitudes by level, §4.1 -------------------------------------------------------------------


@style.themed
def figure_1(
    levels: pd.DataFrame,
    *,
    reference: str | None = None,
    aggregate: str = "median",
) -> Figure:
    """Draw Figure 1: documents' magnitudes by level, a panel for each reference."""
    rows = _of_levels(levels, reference, aggregate)
    rows = rows[rows["topic"] == ALL_TOPICS]
    panels = rows_by(rows, ["reference"], LEVELS)
    positions = max(len(some) for _, some in panels)
    grid = panel_grid(panels, positions, pitch=20, height=2.3, share="y")
    _magnitude_axis(grid.axes[0], rows, lines=2)
    for panel, ((name,), some) in grid:
        axes, some = panel.axes, _by_level(some)
        places = np.arange(len(some))
        quartile_boxes(axes, some, places, 0.62, BLUE)
        _counts(axes, places, some, beyond="outliers")
        axes.set_xticks(places, [_level_name(level) for level in some["level"]])
        axes.set_xlim(-0.6, len(some) - 0.4)
        axes.grid(axis="y")
        panel.label("level", MAGNITUDE_LABELS[aggregate])
        panel.head(style.dataset_label(name), plural(int(some["n"].sum()), "document"))
    return grid.figure


@style.themed
def figure_2(
    levels: pd.DataFrame,
    *,
    reference: str | None = None,
    aggregate: str = "median",
) -> Figure:
    """Draw Figure 2: documents' magnitudes by level, a panel for each topic."""
    rows = _of_levels(levels, reference, aggregate)
    rows = rows[rows["topic"] != ALL_TOPICS]
    panels = natsorted(rows_by(rows, ["topic"], LEVELS), key=lambda panel: panel[0])
    references = list(dict.fromkeys(rows["reference"]))
    colors = _colors(references)
    slots = _slots(rows, references)
    width = max(slots.values()) + 1
    grid = panel_grid(panels, width, pitch=15, height=1.3)
    _magnitude_axis(grid.axes[0], rows)
    for panel, ((topic,), of_topic) in grid:
        axes = panel.axes
        for name, some in of_topic.groupby("reference", sort=False):
            places = np.array([slots[name, _level_name(level)] for level in some["level"]])
            quartile_boxes(axes, some, places, 0.66, colors[name])
            _counts(axes, places, some)
        axes.set_xlim(-0.6, width - 0.4)
        axes.grid(axis="y")
        axes.set_xticks(list(slots.values()), [level for _, level in slots])
        axes.tick_params(axis="x", length=0, labelbottom=panel.is_bottom)
        panel.label(y="magnitude")
        axes.set_title(f"topic {topic}", size=style.FONT_SIZE)
    handles = [style.swatch(style.dataset_label(name), color) for name, color in colors.items()]
    style.legend(grid.figure, handles, title=f"{MAGNITUDE_LABELS[aggregate]}, by level of")
    return grid.figure


LEVELS = "magnitudes/levels"

MAGNITUDE_LABELS = {
    "median": "median magnitude of a document",
    "geometric_mean": "geometric mean magnitude",
}


def _of_levels(levels: pd.DataFrame, reference: str | None, aggregate: str) -> pd.DataFrame:
    rows = _of_reference(levels, reference, f"topic aggregate level n outliers {QUARTILES}", LEVELS)
    rows = rows.astype({"topic": str, "aggregate": str})
    check_choice("aggregate", aggregate, list(dict.fromkeys(rows["aggregate"])))
    return rows[rows["aggregate"] == aggregate]


def _by_level(rows: pd.DataFrame) -> pd.DataFrame:
    """In the order of levels, documents without one first, as in the paper."""
    return rows.sort_values("level", na_position="first", ignore_index=True)


def _level_name(level: float) -> str:
    return "U" if pd.isna(level) else f"{level:g}"


def _slots(rows: pd.DataFrame, references: Sequence[str]) -> dict[tuple[str, str], float]:
    """Where the box of each reference and level stands, with a gap between references."""
    slots: dict[tuple[str, str], float] = {}
    place = 0.0
    for name in references:
        levels = _by_level(rows[rows["reference"] == name].drop_duplicates("level"))["level"]
        for level in levels:
            slots[name, _level_name(level)] = place
            place += 1
        place += 0.6
    return slots


def _magnitude_axis(axes: Axes, rows: pd.DataFrame, lines: int = 1) -> None:
    """The y axis of boxes of magnitudes, with room for lines of counts on top."""
    low, high = rows["low"].min(), rows["high"].max()
    if pd.isna(high):
        return
    above = 2.5 * lines + 0.5
    if low > 0 and high / low >= LOG_FROM:
        axes.set_yscale("log")
        room = (high / low) ** 0.05
        axes.set_ylim(low / room, high * room**above)
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=12))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_locator(NullLocator())
    else:
        room = 0.05 * (high - low or 1.0)
        axes.set_ylim(low - room, high + above * room)


def _counts(
    axes: Axes, places: Sequence[float], rows: pd.DataFrame, n: str = "n", beyond: str = ""
) -> None:
    """How many each box has, along the top, and how many of them lie beyond what is drawn."""
    for place, row in zip(places, rows.to_dict("records"), strict=True):
        more = f"\n+{int(row[beyond]):,}" if beyond else ""
        axes.text(
            place,
            0.98,
            f"{int(row[n]):,}{more}",
            transform=axes.get_xaxis_transform(),
            ha="center",
            va="top",
            color=style.GREY,
            zorder=6,
        )


# --- agreement, §4.2 -----------------------------------------------------------------------------


@style.themed
def figure_3(agreement: pd.DataFrame, *, reference: str | None = None) -> Figure:
    """Draw Figure 3: how often two sets order two documents alike, by the pair's levels."""
    columns = "first second topic lower upper pairs share strict_share share_low share_high"
    rows = _of_reference(agreement, reference, columns, AGREEMENT, of="by")
    rows = rows.astype({"first": str, "second": str, "topic": str})
    panels = rows_by(rows, ["by", "lower", "upper"], AGREEMENT)
    most = max(len(_sets(some)) for _, some in panels)
    grid = panel_grid(panels, most, pitch=44, height=1.9, share="y")
    for panel, ((by, lower, upper), some) in grid:
        axes, sets = panel.axes, _sets(some)
        for place, (first, second) in enumerate(sets):
            of_sets = some[(some["first"] == first) & (some["second"] == second)]
            _agreement_of_sets(axes, place, of_sets)
        axes.set_xlim(-0.6, len(sets) - 0.4)
        axes.set_ylim(-0.03, 1.03)
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
        axes.grid(axis="y")
        names = [f"{style.dataset_label(a)}\n{style.dataset_label(b)}" for a, b in sets]
        axes.set_xticks(range(len(sets)), names)
        axes.tick_params(axis="x", length=0)
        panel.label(y="agree")
        title = "all pairs of levels" if pd.isna(lower) else f"levels {lower:g} and {upper:g}"
        counted = some.loc[some["topic"] == ALL_TOPICS, "pairs"].max()
        pairs = "" if pd.isna(counted) else plural(int(counted), "pair")
        panel.head(f"{style.dataset_label(by)}: {title}", pairs)
    handles = [
        mark("topic", ls="", marker="o", ms=2.6, mew=0, color=SKY),
        mark("mean, 95 % interval", marker="o", ms=5, mec="white", color=RED),
        mark("mean where ties do not agree", ls="", marker="D", ms=3.6, mfc="white", color=RED),
    ]
    style.legend(grid.figure, handles)
    return grid.figure


AGREEMENT = "magnitudes/agreement"


def _sets(rows: pd.DataFrame) -> list[tuple[str, str]]:
    """The pairs of sets that are compared."""
    return list(dict.fromkeys(zip(rows["first"], rows["second"], strict=True)))


def _agreement_of_sets(axes: Axes, place: float, rows: pd.DataFrame) -> None:
    """Topics side by side in the order of the table, and their mean with its interval."""
    topics = rows[rows["topic"] != ALL_TOPICS]["share"].astype(float)
    spread = np.linspace(-0.3, 0.3, len(topics)) if len(topics) > 1 else np.zeros(len(topics))
    axes.plot(place + spread, topics, "o", color=SKY, ms=2.6, mew=0)
    for mean in rows[rows["topic"] == ALL_TOPICS].itertuples():
        axes.plot([place, place], [mean.share_low, mean.share_high], color=RED, lw=1.4)
        axes.plot(place, mean.strict_share, "D", color=RED, mfc="white", ms=3.6, mew=0.8, zorder=4)
        axes.plot(place, mean.share, "o", color=RED, ms=5, mec="white", mew=0.6, zorder=4)


# --- scores of systems, §5.2 ---------------------------------------------------------------------


@style.themed
def figure_4(
    systems: pd.DataFrame, rankings: pd.DataFrame, *, reference: str | None = None
) -> Figure:
    """Draw the runs' scores under a reference against those under magnitudes."""
    return _scores_of_systems(systems, rankings, "runs", reference)


@style.themed
def figure_5(
    systems: pd.DataFrame, rankings: pd.DataFrame, *, reference: str | None = None
) -> Figure:
    """Draw the scores of systems merged from sub-runs, as `figure_4`."""
    return _scores_of_systems(systems, rankings, "merged", reference)


def _scores_of_systems(
    systems: pd.DataFrame, rankings: pd.DataFrame, over: str, reference: str | None
) -> Figure:
    """A panel for each reference and measure, of runs or of merged systems."""
    rows = require(systems, SYSTEMS, "reference over gains measure system score top")
    rows = rows.astype(dict.fromkeys(("reference", "over", "gains", "measure", "system"), str))
    columns = "over gains measure tau overlap n_systems"
    ranked = _of_reference(rankings, reference, columns, RANKINGS)
    ranked = ranked.astype(dict.fromkeys(("over", "gains", "measure"), str))
    ranked = ranked[(ranked["over"] == over) & (ranked["gains"] == MEASURED)]
    if ranked.empty:
        raise ParameterError(
            f"the table {RANKINGS} has no rows of {over}: there is nothing to draw"
        )
    short = _short(ranked["measure"].unique())
    panels = rows_by(ranked, ["reference", "measure"])
    grid = panel_grid(panels, pitch=140, height=2.5, columns=2, share="")
    for panel, ((name, measure), some) in grid:
        [ranking] = some.to_dict("records")
        _scores_of(panel.axes, _of_comparison(rows, (name, over, measure)), ranking["n_systems"])
        dataset = style.dataset_label(name)
        panel.label(f"{short[measure]}, magnitudes", f"{short[measure]}, {dataset}")
        overlap = ranking["overlap"]
        count = plural(int(ranking["n_systems"]), "system") + f", {style.tau_said(ranking['tau'])}"
        count += f", overlap {f'{100 * overlap:.0f} %' if pd.notna(overlap) else 'undefined'}"
        panel.head(f"{dataset}, {short[measure]}", count)
    handles = [mark(kind, ls="", **look) for kind, look in TOP_SETS.items()]
    style.legend(grid.figure, handles, title="in the top set under")
    return grid.figure


SYSTEMS, RANKINGS = "magnitudes/systems", "magnitudes/rankings"

_MARK = {"ms": 3.6, "mew": 0.7}
TOP_SETS = {
    "neither": {"marker": "o", "color": style.GREY, "mfc": "none"} | _MARK,
    "the reference alone": {"marker": "^", "color": BLUE} | _MARK,
    "magnitudes alone": {"marker": ">", "color": ORANGE} | _MARK,
    "both": {"marker": "D", "color": style.BLACK} | _MARK,
}
"""How systems are drawn, by the top sets that have them."""


def _scores_of(axes: Axes, systems: pd.DataFrame, count: int) -> None:
    """Each system where its two scores are, marked by its top sets."""
    axes.grid()
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(5))
    if not count:
        axes.text(0.5, 0.5, "no systems", transform=axes.transAxes, ha="center")
        return
    both = _side_by_side(systems)
    for kind, look in TOP_SETS.items():
        of_kind = both[both["kind"] == kind]
        style.dots(axes, of_kind[MEASURED], of_kind[REFERENCE_GAINS], of_kind.index, **look)


def _side_by_side(systems: pd.DataFrame) -> pd.DataFrame:
    """A row for each system: its score under both gains, and in which top sets it is."""
    of_two = systems[systems["gains"].isin([REFERENCE_GAINS, MEASURED])]
    scores = of_two.pivot(index="system", columns="gains", values="score")
    top = of_two.pivot(index="system", columns="gains", values="top")
    missing = {REFERENCE_GAINS, MEASURED} - set(scores.columns)
    if missing:
        raise ParameterError(f"the table {SYSTEMS} has no scores under {', '.join(missing)}")
    kinds = {
        (False, False): "neither",
        (True, False): "the reference alone",
        (False, True): "magnitudes alone",
        (True, True): "both",
    }
    found = zip(top[REFERENCE_GAINS].astype(bool), top[MEASURED].astype(bool), strict=True)
    return scores.assign(kind=[kinds[pair] for pair in found])


# --- how much judgments vary, §5.3 ---------------------------------------------------------------


@style.themed
def figure_6(quantiles: pd.DataFrame, *, reference: str | None = None) -> Figure:
    """Draw Figure 6: τ_b with the reference's ranking over samples of the judgments."""
    columns = f"over measure samples tau {QUARTILES}"
    rows = _of_reference(quantiles, reference, columns, SAMPLES)
    rows = rows.astype({"over": str, "measure": str}).reset_index(drop=True)
    grid = panel_grid(["samples"], len(rows), pitch=44, height=2.5)
    [panel] = grid.panels
    axes, places = panel.axes, np.arange(len(rows))
    quartile_boxes(axes, rows, places, 0.5, BLUE)
    axes.plot(places, rows["tau"], "D", color=RED, ms=4.5, mec="white", mew=0.5, zorder=4)
    short = _short(rows["measure"].unique())
    names = [
        f"{short[row.measure]}\n{style.dataset_label(row.reference)}, {row.over}"
        for row in rows.itertuples()
    ]
    axes.set_xticks(places, names)
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.6, len(rows) - 0.4)
    axes.grid(axis="y")
    panel.label(y=style.TAU_LABEL)
    each = plural(int(rows["samples"].max()), "sample")
    panel.head("one judgment per document", f"{each} a box")
    handles = [
        style.swatch("samples", BLUE),
        mark("medians", ls="", marker="D", color=RED, ms=4.5, mec="white"),
    ]
    style.legend(grid.figure, handles)
    return grid.figure


SAMPLES = "magnitudes/sample_quantiles"


WIDTHS = (0, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
"""Widths that an axis names."""


@style.themed
def figure_7(widths: pd.DataFrame, quantiles: pd.DataFrame, *, least: int = 4) -> Figure:
    """Draw Figure 7: how many units have which width.

    The row of `quantiles` over all topics has the median.
    """
    rows = require(widths, "magnitudes/widths", "width units")
    whole = require(quantiles, "magnitudes/width_quantiles", "topic median")
    whole = whole[whole["topic"].astype(str) == ALL_TOPICS]
    shown = rows[rows["units"] >= least]
    grid = panel_grid(["widths"], pitch=200, height=2.2)
    [panel] = grid.panels
    axes = panel.axes
    axes.vlines(shown["width"], 0.5, shown["units"], BLUE, lw=1.8)
    axes.set_xscale("symlog", linthresh=20, linscale=0.8)
    ticks = [width for width in WIDTHS if width <= shown["width"].max()]
    axes.set_xticks(ticks, [f"{width:,}" for width in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    for median in whole["median"].dropna():
        axes.axvline(median, color=RED, ls="--", lw=1.0)
        label = f"median {median:.3g}"
        axes.annotate(label, (median, 0.97), (4, 0), ("data", "axes fraction"),
                      textcoords="offset points", va="top", color=RED)  # fmt: skip
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylim(1, 2 * max(rows["units"].max(), 2))
    axes.grid(axis="y")
    panel.label(r"width of a unit, $H_k / N_k$, to the nearest 5", "units")
    left_out = rows["units"].sum() - shown["units"].sum()
    count = plural(int(rows["units"].sum()), "unit")
    if left_out:
        count += f"; {int(left_out):,} in bars of fewer than {least}, not shown"
    panel.head("widths", count)
    return grid.figure


# --- gains, §6 -----------------------------------------------------------------------------------


@style.themed
def figure_8(gains: pd.DataFrame, *, reference: str | None = None) -> Figure:
    """Draw Figure 8: magnitudes over that of the known low document, beside assumed gains."""
    columns = f"level n limit above linear exponential {QUARTILES}"
    rows = _of_reference(gains, reference, columns, GAINS)
    panels = rows_by(rows, ["reference"], GAINS)
    positions = max(len(some) for _, some in panels)
    grid = panel_grid(panels, positions, pitch=26, height=2.6, share="y")
    for panel, ((name,), some) in grid:
        axes, some = panel.axes, _by_level(some)
        places = np.arange(len(some))
        _limited_boxes(axes, some, places, "n")
        for profile, look in PROFILES.items():
            axes.plot(places, some[profile], **look | {"ls": ""}, zorder=4)
        axes.set_xticks(places, [f"{level:g}" for level in some["level"]])
        panel.label("level", r"magnitude / magnitude of $N_k$")
        panel.head(style.dataset_label(name), plural(int(some["n"].sum()), "magnitude"))
    handles = [mark(name, **look | {"ls": ""}) for name, look in PROFILES.items()]
    style.legend(grid.figure, handles, title="assumed gains")
    return grid.figure


GAINS = "magnitudes/gains"

PROFILES = {
    "linear": {"marker": "o", "color": style.BLACK, "mfc": "white", "ms": 4.5, "ls": "--"},
    "exponential": {"marker": "^", "color": style.BLACK, "mfc": "white", "ms": 5, "ls": ":"},
}
"""How assumed gains are drawn, by the column and the profile that has them."""


@style.themed
def figure_9(ratios: pd.DataFrame, *, reference: str | None = None) -> Figure:
    """Draw Figure 9: ratios of magnitudes of two documents, of an upper and a lower level."""
    columns = f"upper lower pairs limit above {QUARTILES}"
    rows = _of_reference(ratios, reference, columns, RATIOS)
    panels = rows_by(rows, ["reference"], RATIOS)
    positions = max(len(some) for _, some in panels)
    grid = panel_grid(panels, positions, pitch=34, height=2.4, share="y")
    for panel, ((name,), some) in grid:
        axes, places = panel.axes, np.arange(len(some))
        axes.axhline(RECOMMENDED, color=RED, ls="--", lw=1.0, zorder=0.9)
        _limited_boxes(axes, some, places, "pairs")
        axes.set_xticks(places, [f"{row.upper:g} / {row.lower:g}" for row in some.itertuples()])
        panel.label("levels", "ratio of magnitudes")
        panel.head(style.dataset_label(name), plural(int(some["pairs"].sum()), "pair"))
    handles = [mark(f"{RECOMMENDED:g}, as recommended", color=RED, ls="--", lw=1.0)]
    style.legend(grid.figure, handles)
    return grid.figure


RATIOS = "magnitudes/gain_ratios"


def _limited_boxes(axes: Axes, rows: pd.DataFrame, places: np.ndarray, n: str) -> None:
    """Boxes up to the table's limit, above it how many they have and how many lie there."""
    quartile_boxes(axes, rows, places, 0.55, BLUE)
    limit = rows["limit"].max()
    top = 1.2 * limit
    axes.set_ylim(0, top)
    axes.set_yticks([tick for tick in axes.get_yticks() if tick <= limit])
    axes.axhspan(limit, top, fc="white", ec="none", zorder=5)
    axes.axhline(limit, color=style.GREY, lw=0.6, zorder=6)
    _counts(axes, places, rows, n, beyond="above")
    axes.set_xlim(-0.6, len(rows) - 0.4)
    axes.grid(axis="y")


@style.themed
def figure_profiles(profiles: pd.DataFrame, *, reference: str | None = None) -> Figure:
    """Draw gains by level: fitted to the magnitudes of all topics and of each, and assumed ones."""
    columns = "profile topic level gain"
    rows = _of_reference(profiles, reference, columns, GAIN_PROFILES)
    rows = rows.astype({"profile": str, "topic": str}).sort_values("level", kind="stable")
    panels = rows_by(rows, ["reference"], GAIN_PROFILES)
    grid = panel_grid(panels, pitch=120, height=2.3, share="y")
    for panel, ((name,), some) in grid:
        axes = panel.axes
        for key, line in some.groupby(["profile", "topic"], sort=False):
            axes.plot(line["level"], line["gain"], **_profile_look(*key), gid=" ".join(key))
        axes.set_xticks(sorted(some["level"].unique()))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.grid(axis="y")
        panel.label("level", "gain (lowest level: 1)")
        topics = some.loc[some["topic"] != ALL_TOPICS, "topic"].nunique()
        panel.head(style.dataset_label(name), plural(topics, "topic") if topics else "")
    handles = [
        mark(key[0], **_profile_look(*key))
        for key in rows.drop_duplicates("profile")[["profile", "topic"]].to_numpy()
    ]
    style.legend(grid.figure, handles)
    return grid.figure


GAIN_PROFILES = "magnitudes/gain_profiles"


def _profile_look(profile: str, topic: str) -> dict[str, object]:
    """Assumed profiles as in Figure 8, fitted ones in colours, those of topics thin."""
    if topic != ALL_TOPICS:
        color, line = (BLUE, "-") if profile == "partially pooled" else (SKY, ":")
        return {"color": color, "ls": line, "lw": 0.6, "zorder": 2}
    fitted = {"marker": "s", "color": RED, "ms": 4.0, "ls": "-"}
    return {"lw": 1.0, "zorder": 3, **PROFILES.get(profile, fitted)}


# --- past the paper ------------------------------------------------------------------------------


@style.themed
def figure_populations(
    orders: pd.DataFrame,
    unanimity: pd.DataFrame,
    systems: pd.DataFrame,
    *,
    reference: str | None = None,
) -> Figure:
    """Draw for each pair of systems the share of samples that order them as the medians do.

    Systems stand in their order under the medians.
    """
    counted = _of_reference(unanimity, reference, "over measure pairs unanimous", UNANIMITY)
    panels = rows_by(counted.astype(dict.fromkeys(COMPARED, str)), COMPARED, UNANIMITY)
    orders = require(orders, ORDERS, " ".join([*COMPARED, "first second higher equal"]))
    orders = orders.astype(dict.fromkeys([*COMPARED, "first", "second"], str))
    scores = require(systems, SYSTEMS, " ".join([*COMPARED, "gains system score"]))
    scores = scores.astype(dict.fromkeys([*COMPARED, "gains", "system"], str))
    scores = scores[scores["gains"] == MEASURED]
    short = _short(list(dict.fromkeys(measure for (_, _, measure), _ in panels)))
    columns = min(len(panels), 2 if len(panels) <= 4 else 3)
    width = style.DOUBLE_COLUMN if columns > 1 else style.SINGLE_COLUMN
    side = width / columns - 0.6
    grid = panel_grid(panels, pitch=90, height=side + 0.65, columns=columns, share="")
    for panel, (key, counts) in grid:
        _orders_of(panel.axes, _of_comparison(orders, key), _of_comparison(scores, key))
        name, over, measure = key
        [pairs] = counts.to_dict("records")
        count = f"{pairs['unanimous']:,} of {plural(pairs['pairs'], 'pair')}: all alike"
        panel.head(f"{short[measure]}, {over}, {style.dataset_label(name)}", count)
    handles = [Patch(color=color, label=name) for name, color in ORDER_CLASSES.items()]
    title = "samples that order the pair as the medians do"
    style.legend(grid.figure, handles, title=title)
    return grid.figure


COMPARED = ["reference", "over", "measure"]
"""What tells comparisons of systems apart."""


def _of_comparison(table: pd.DataFrame, key: Sequence[str]) -> pd.DataFrame:
    return table[(table[COMPARED] == list(key)).all(axis=1)]


def _orders_of(axes: Axes, orders: pd.DataFrame, scores: pd.DataFrame) -> None:
    """The pairs of systems of one comparison, in the order of their scores."""
    if orders.empty:
        axes.set_axis_off()
        axes.text(0.5, 0.5, "no pair of systems", transform=axes.transAxes, ha="center")
        return
    ranked = scores.sort_values(["score", "system"], ascending=[False, True])["system"]
    axes.imshow(
        _share_as_ranked(orders, list(ranked)),
        cmap=ORDER_COLORS,
        norm=ORDER_NORM,
        interpolation="nearest",
        extent=(0.5, len(ranked) + 0.5, len(ranked) + 0.5, 0.5),
    )
    axes.set_xlabel("rank of the lower one")
    axes.set_ylabel("rank of the higher one")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=1))


ORDERS, UNANIMITY = "magnitudes/orders", "magnitudes/unanimity"

ORDER_CLASSES = {
    "below 50 %": RED,
    "50 % or more": "#d9d9d9",
    "75 % or more": "#9ecae1",
    "95 % or more": "#4a90c2",
    "all": "#08306b",
}
ORDER_COLORS = ListedColormap(list(ORDER_CLASSES.values()))
ORDER_NORM = BoundaryNorm([0.0, 0.5, 0.75, 0.95, 1.0 - 1e-12, 1.1], len(ORDER_CLASSES))
"""Classes of shares of samples with their colours; the last is unanimity."""


def _share_as_ranked(orders: pd.DataFrame, ranked: Sequence[str]) -> np.ndarray:
    """The share of samples in which the row's system scores higher; NaN below the diagonal."""
    place = {system: index for index, system in enumerate(ranked)}
    unknown = (set(orders["first"]) | set(orders["second"])) - set(place)
    if unknown:
        raise ParameterError(
            f"the table {SYSTEMS} has no score of {sorted(unknown)[0]}, which {ORDERS} compares"
        )
    first, second = orders["first"].map(place), orders["second"].map(place)
    higher = orders["higher"].to_numpy(float)
    lower = 1.0 - higher - orders["equal"].to_numpy(float)
    share = np.full((len(ranked), len(ranked)), np.nan)
    share[np.minimum(first, second), np.maximum(first, second)] = np.where(
        first < second, higher, lower
    )
    return share


@style.themed
def figure_per_document(per_document: pd.DataFrame, *, reference: str | None = None) -> Figure:
    """Draw τ_b against the number of judgments of a document."""
    columns = "over measure other k samples low median high"
    rows = _of_reference(per_document, reference, columns, PER_DOCUMENT)
    rows = rows.astype({"over": str, "measure": str, "other": str})
    panels = rows_by(rows, COMPARED, PER_DOCUMENT)
    looks = style.looks(list(dict.fromkeys(rows["other"])))
    short = _short(rows["measure"].unique())
    ks = sorted(rows["k"].unique())
    grid = panel_grid(panels, len(ks), pitch=13, height=1.9, columns=2)
    for panel, ((name, over, measure), some) in grid:
        axes = panel.axes
        for other, line in some.groupby("other", sort=False):
            line = line.sort_values("k")
            color = looks[other]["color"]
            axes.fill_between(
                line["k"], line["low"].astype(float), line["high"].astype(float),
                color=color, alpha=0.25, lw=0, zorder=1,
            )  # fmt: skip
            axes.plot(line["k"], line["median"], **looks[other], ms=3.4, lw=1.0, zorder=3)
        axes.set_xticks(ks)
        axes.grid(axis="y")
        panel.label("judgments per document, k", style.TAU_LABEL, bare="xy")
        count = f"{plural(int(some['samples'].max()), 'sample')} each"
        panel.head(f"{short[measure]}, {over}, {style.dataset_label(name)}", count)
    handles = [
        mark(f"with that of {other}", **look, ms=3.4, lw=1.0) for other, look in looks.items()
    ]
    style.legend(grid.figure, handles, title="ranking under the median of k judgments")
    return grid.figure


PER_DOCUMENT = "magnitudes/per_document"


# --- what several figures share ------------------------------------------------------------------


def _of_reference(
    table: pd.DataFrame, reference: str | None, columns: str, source: str, of: str = "reference"
) -> pd.DataFrame:
    """The rows of a reference, or all."""
    table = require(table, source, f"{of} {columns}").astype({of: str})
    if reference is None:
        return table
    check_choice("reference", reference, list(dict.fromkeys(table[of])))
    return table[table[of] == reference]


def _colors(names: Sequence[str]) -> Mapping[str, str]:
    return {name: look["color"] for name, look in style.looks(names).items()}


def _short(measures: Sequence[str]) -> dict[str, str]:
    """Measures without their parameters, where that tells them apart."""
    short = {measure: re.sub(r"\(.*\)", "", measure) for measure in measures}
    names = list(short.values())
    return {full: name if names.count(name) == 1 else full for full, name in short.items()}
