"""The figures of turpin2015, for any collection, and three that go past it.

Each function takes tables of the stage ``magnitudes``, as they are, and draws a panel for each
reference (measure, topic, pair of levels) that they hold, or for the one reference that it is
given.  Nothing is computed here that a table should hold: boxes are drawn from their quartiles.

References
----------
Turpin, Scholer, Mizzaro, Maddalena: The Benefits of Magnitude Estimation Relevance Assessments for
Information Retrieval Evaluation. SIGIR 2015.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator, PercentFormatter
from natsort import natsorted

from regrade.errors import ParameterError, check_choice
from regrade.schemas import ALL_TOPICS
from regrade.show import style
from regrade.show.style import plural

BLUE, ORANGE, GREEN, PINK, SKY, RED, _ = style.CUT_COLORS

REFERENCE_GAINS, MEASURED = "reference", "magnitudes"
"""The gains that are a reference's labels, and those that are the magnitudes of all units."""

RUNS, MERGED = "runs", "merged"
"""Of which systems rankings are."""

RECOMMENDED = 1.1
"""Ratio of the gains of highly relevant to relevant documents that Kanoulas and Aslam found."""

LOG_FROM = 20.0
"""Quotient of the highest and the lowest magnitude from which on an axis is logarithmic."""

QUARTILES = "low q1 median q3 high"
"""Columns of a box."""


# --- magnitudes by level, §4.1 -------------------------------------------------------------------


@style.themed
def magnitudes_by_level(
    levels: pd.DataFrame,
    notes: str = "",
    *,
    reference: str | None = None,
    aggregate: str = "median",
) -> Figure:
    """Draw Figure 1: documents' magnitudes by level, a panel for each reference.

    Parameters
    ----------
    levels
        Table ``magnitudes/levels``.
    notes
        A line for the figure's foot.
    reference
        The one to draw; ``None``: all.
    aggregate
        What stands for a document's magnitudes.

    Raises
    ------
    ParameterError
        If the table has nothing of it, or lacks a column.
    """
    rows = _of_levels(levels, reference, aggregate)
    panels = _panels(rows[rows["topic"] == ALL_TOPICS], ["reference"], "", LEVELS)
    positions = max(len(some) for _, some in panels)
    grid = style.panel_grid(
        len(panels), positions, pitch=20, height=2.3, notes=notes, share_x=False
    )
    _magnitude_axis(grid.axes[0], rows[rows["topic"] == ALL_TOPICS], lines=2)
    for index, ((name,), some) in enumerate(panels):
        axes = grid.axes[index]
        some = _by_level(some)
        places = np.arange(len(some))
        _boxes(axes, some, places, 0.62, BLUE)
        _counts(axes, places, some, beyond="outliers")
        axes.set_xticks(places, [_level_name(level) for level in some["level"]])
        axes.set_xlim(-0.6, len(some) - 0.4)
        axes.set_xlabel("level")
        axes.grid(axis="y")
        style.label_y(grid, index, MAGNITUDE_LABELS[aggregate])
        documents = plural(int(some["n"].sum()), "document")
        style.panel_title(grid, index, style.dataset_label(name), documents)
    return grid.figure


@style.themed
def magnitudes_by_level_and_topic(
    levels: pd.DataFrame,
    notes: str = "",
    *,
    reference: str | None = None,
    aggregate: str = "median",
) -> Figure:
    """Draw Figure 2: documents' magnitudes by level, a panel for each topic.

    Parameters
    ----------
    levels, notes, reference, aggregate
        As for `magnitudes_by_level`.

    Raises
    ------
    ParameterError
        As `magnitudes_by_level`.
    """
    rows = _of_levels(levels, reference, aggregate)
    rows = rows[rows["topic"] != ALL_TOPICS]
    panels = dict(_panels(rows, ["topic"], "", LEVELS))
    topics = natsorted(topic for (topic,) in panels)
    references = list(dict.fromkeys(rows["reference"]))
    colors = _colors(references)
    slots = _slots(rows, references)
    width = max(slots.values()) + 1
    grid = style.panel_grid(len(topics), width, pitch=15, height=1.3, notes=notes)
    _magnitude_axis(grid.axes[0], rows)
    for index, topic in enumerate(topics):
        axes = grid.axes[index]
        for name, some in panels[topic,].groupby("reference", sort=False):
            places = np.array([slots[name, _level_name(level)] for level in some["level"]])
            _boxes(axes, some, places, 0.66, colors[name])
            _counts(axes, places, some)
        axes.set_xlim(-0.6, width - 0.4)
        axes.grid(axis="y")
        axes.set_xticks(list(slots.values()), [level for _, level in slots])
        axes.tick_params(axis="x", length=0, labelbottom=grid.is_bottom(index))
        style.label_y(grid, index, "magnitude")
        axes.set_title(f"topic {topic}", size=style.FONT_SIZE)
    handles = [
        Patch(fc=style.tint(color), ec=color, label=style.dataset_label(name))
        for name, color in colors.items()
    ]
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
def agreement_of_order(
    agreement: pd.DataFrame, notes: str = "", *, reference: str | None = None
) -> Figure:
    """Draw Figure 3: how often two sets order two documents alike, by the pair's levels.

    Parameters
    ----------
    agreement
        Table ``magnitudes/agreement``.
    notes
        A line for the figure's foot.
    reference
        The one whose levels pairs are of; ``None``: all.

    Raises
    ------
    ParameterError
        If the table has nothing of it, or lacks a column.
    """
    columns = "first second topic lower upper pairs share strict_share share_low share_high"
    rows = _of_reference(agreement, reference, columns, AGREEMENT, of="by")
    rows = rows.astype({"first": str, "second": str, "topic": str})
    panels = _panels(rows, ["by", "lower", "upper"], columns, AGREEMENT)
    most = max(len(_sets(some)) for _, some in panels)
    grid = style.panel_grid(len(panels), most, pitch=44, height=1.9, notes=notes, share_x=False)
    for index, ((by, lower, upper), some) in enumerate(panels):
        axes = grid.axes[index]
        sets = _sets(some)
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
        style.label_y(grid, index, "agree")
        title = "all pairs of levels" if pd.isna(lower) else f"levels {lower:g} and {upper:g}"
        counted = some.loc[some["topic"] == ALL_TOPICS, "pairs"].max()
        pairs = "" if pd.isna(counted) else plural(int(counted), "pair")
        style.panel_title(grid, index, f"{style.dataset_label(by)}: {title}", pairs)
    handles = [
        Line2D([], [], ls="", marker="o", ms=2.6, mew=0, color=SKY, label="topic"),
        Line2D([], [], marker="o", ms=5, mec="white", color=RED, label="mean, 95 % interval"),
        Line2D([], [], ls="", marker="D", ms=3.6, mfc="white", color=RED, label=STRICT),
    ]
    style.legend(grid.figure, handles)
    return grid.figure


AGREEMENT = "magnitudes/agreement"

STRICT = "mean where ties do not agree"


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


def figure_4(
    systems: pd.DataFrame,
    rankings: pd.DataFrame,
    notes: str = "",
    *,
    reference: str | None = None,
) -> Figure:
    """Draw Figure 4: the runs; see `scores_of_systems`."""
    return scores_of_systems(systems, rankings, notes, over=RUNS, reference=reference)


def figure_5(
    systems: pd.DataFrame,
    rankings: pd.DataFrame,
    notes: str = "",
    *,
    reference: str | None = None,
) -> Figure:
    """Draw Figure 5: systems merged from sub-runs; see `scores_of_systems`."""
    return scores_of_systems(systems, rankings, notes, over=MERGED, reference=reference)


@style.themed
def scores_of_systems(
    systems: pd.DataFrame,
    rankings: pd.DataFrame,
    notes: str = "",
    *,
    over: str = RUNS,
    reference: str | None = None,
) -> Figure:
    """Draw systems' scores under a reference against those under magnitudes.

    Parameters
    ----------
    systems
        Table ``magnitudes/systems``.
    rankings
        Table ``magnitudes/rankings``.
    notes
        A line for the figure's foot.
    over
        Which systems: ``runs`` or ``merged``.
    reference
        The one to draw; ``None``: all.

    Raises
    ------
    ParameterError
        If the tables have nothing of it, or lack a column.
    """
    columns = "over gains measure system score top"
    rows = _columns_of(systems, f"reference {columns}", SYSTEMS)
    rows = rows.astype(dict.fromkeys(("reference", "over", "gains", "measure", "system"), str))
    columns = "over gains measure tau overlap n_systems"
    found = _of_reference(rankings, reference, columns, RANKINGS)
    found = found.astype(dict.fromkeys(("over", "gains", "measure"), str))
    found = found[(found["over"] == over) & (found["gains"] == MEASURED)]
    panels = _panels(found, ["reference", "measure"], columns, RANKINGS, over)
    short = _short(found["measure"].unique())
    grid = style.panel_grid(
        len(panels), 1, pitch=140, height=2.5, notes=notes, columns=2, share_x=False, share_y=False
    )
    for index, ((name, measure), [ranking]) in enumerate(
        (key, some.to_dict("records")) for key, some in panels
    ):
        axes = grid.axes[index]
        _scores_of(axes, _of_comparison(rows, (name, over, measure)), ranking["n_systems"])
        axes.set_xlabel(f"{short[measure]}, magnitudes")
        axes.set_ylabel(f"{short[measure]}, {style.dataset_label(name)}")
        count = plural(int(ranking["n_systems"]), "system")
        count += f", {_tau(ranking['tau'])}, overlap {_percent(ranking['overlap'])}"
        style.panel_title(grid, index, f"{style.dataset_label(name)}, {short[measure]}", count)
    handles = [Line2D([], [], ls="", **look, label=kind) for kind, look in TOP_SETS.items()]
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
def tau_over_samples(
    quantiles: pd.DataFrame, notes: str = "", *, reference: str | None = None
) -> Figure:
    """Draw Figure 6: τ_b with the reference's ranking over samples of the judgments.

    Parameters
    ----------
    quantiles
        Table ``magnitudes/sample_quantiles``.
    notes
        A line for the figure's foot.
    reference
        The one to draw; ``None``: all.

    Raises
    ------
    ParameterError
        If the table has nothing of it, or lacks a column.
    """
    columns = f"over measure samples tau {QUARTILES}"
    rows = _of_reference(quantiles, reference, columns, SAMPLES)
    rows = rows.astype({"over": str, "measure": str}).reset_index(drop=True)
    grid = style.panel_grid(1, len(rows), pitch=44, height=2.5, notes=notes)
    [axes] = grid.axes
    places = np.arange(len(rows))
    _boxes(axes, rows, places, 0.5, BLUE)
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
    axes.set_ylabel(style.TAU_LABEL)
    each = plural(int(rows["samples"].max()), "sample")
    style.panel_title(grid, 0, "one judgment per document", f"{each} a box")
    handles = [
        Patch(fc=style.tint(BLUE), ec=BLUE, label="samples"),
        Line2D([], [], ls="", marker="D", color=RED, ms=4.5, mec="white", label="medians"),
    ]
    style.legend(grid.figure, handles)
    return grid.figure


SAMPLES = "magnitudes/sample_quantiles"


WIDTHS = (0, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
"""Widths that an axis names."""


@style.themed
def widths_of_units(
    widths: pd.DataFrame, quantiles: pd.DataFrame, notes: str = "", *, least: int = 4
) -> Figure:
    """Draw Figure 7: how many units have which width.

    Parameters
    ----------
    widths
        Table ``magnitudes/widths``.
    quantiles
        Table ``magnitudes/width_quantiles``, whose row over all topics has the median.
    notes
        A line for the figure's foot.
    least
        Units that a bar must have to be shown.

    Raises
    ------
    ParameterError
        If a table has no rows, or lacks a column.
    """
    rows = _columns_of(widths, "width units", "magnitudes/widths")
    whole = _columns_of(quantiles, "topic median", "magnitudes/width_quantiles")
    whole = whole[whole["topic"].astype(str) == ALL_TOPICS]
    shown = rows[rows["units"] >= least]
    grid = style.panel_grid(1, 1, pitch=200, height=2.2, notes=notes)
    [axes] = grid.axes
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
    axes.set_xlabel(r"width of a unit, $H_k / N_k$, to the nearest 5")
    axes.set_ylabel("units")
    left_out = rows["units"].sum() - shown["units"].sum()
    count = plural(int(rows["units"].sum()), "unit")
    if left_out:
        count += f"; {int(left_out):,} in bars of fewer than {least}, not shown"
    style.panel_title(grid, 0, "widths", count)
    return grid.figure


# --- gains, §6 -----------------------------------------------------------------------------------


@style.themed
def gains_by_level(gains: pd.DataFrame, notes: str = "", *, reference: str | None = None) -> Figure:
    """Draw Figure 8: magnitudes over that of the known low document, beside assumed gains.

    Parameters
    ----------
    gains
        Table ``magnitudes/gains``.
    notes
        A line for the figure's foot.
    reference
        The one to draw; ``None``: all.

    Raises
    ------
    ParameterError
        If the table has nothing of it, or lacks a column.
    """
    columns = f"level n limit above linear exponential {QUARTILES}"
    rows = _of_reference(gains, reference, columns, GAINS)
    panels = _panels(rows, ["reference"], columns, GAINS)
    positions = max(len(some) for _, some in panels)
    grid = style.panel_grid(
        len(panels), positions, pitch=26, height=2.6, notes=notes, share_x=False
    )
    for index, ((name,), some) in enumerate(panels):
        axes = grid.axes[index]
        some = _by_level(some)
        places = np.arange(len(some))
        _limited_boxes(axes, some, places, "n")
        for profile, look in PROFILES.items():
            axes.plot(places, some[profile], **look | {"ls": ""}, zorder=4)
        axes.set_xticks(places, [f"{level:g}" for level in some["level"]])
        axes.set_xlabel("level")
        style.label_y(grid, index, r"magnitude / magnitude of $N_k$")
        count = plural(int(some["n"].sum()), "magnitude")
        style.panel_title(grid, index, style.dataset_label(name), count)
    handles = [Line2D([], [], **look | {"ls": ""}, label=name) for name, look in PROFILES.items()]
    style.legend(grid.figure, handles, title="assumed gains")
    return grid.figure


GAINS = "magnitudes/gains"

PROFILES = {
    "linear": {"marker": "o", "color": style.BLACK, "mfc": "white", "ms": 4.5, "ls": "--"},
    "exponential": {"marker": "^", "color": style.BLACK, "mfc": "white", "ms": 5, "ls": ":"},
}
"""How assumed gains are drawn, by the column and the profile that has them."""


@style.themed
def ratios_of_levels(
    ratios: pd.DataFrame, notes: str = "", *, reference: str | None = None
) -> Figure:
    """Draw Figure 9: ratios of magnitudes of two documents, of an upper and a lower level.

    Parameters
    ----------
    ratios
        Table ``magnitudes/gain_ratios``.
    notes
        A line for the figure's foot.
    reference
        The one to draw; ``None``: all.

    Raises
    ------
    ParameterError
        If the table has nothing of it, or lacks a column.
    """
    columns = f"upper lower pairs limit above {QUARTILES}"
    rows = _of_reference(ratios, reference, columns, RATIOS)
    panels = _panels(rows, ["reference"], columns, RATIOS)
    positions = max(len(some) for _, some in panels)
    grid = style.panel_grid(
        len(panels), positions, pitch=34, height=2.4, notes=notes, share_x=False
    )
    for index, ((name,), some) in enumerate(panels):
        axes = grid.axes[index]
        places = np.arange(len(some))
        axes.axhline(RECOMMENDED, color=RED, ls="--", lw=1.0, zorder=0.9)
        _limited_boxes(axes, some, places, "pairs")
        axes.set_xticks(places, [f"{row.upper:g} / {row.lower:g}" for row in some.itertuples()])
        axes.set_xlabel("levels")
        style.label_y(grid, index, "ratio of magnitudes")
        count = plural(int(some["pairs"].sum()), "pair")
        style.panel_title(grid, index, style.dataset_label(name), count)
    handles = [Line2D([], [], color=RED, ls="--", lw=1.0, label=f"{RECOMMENDED:g}, as recommended")]
    style.legend(grid.figure, handles)
    return grid.figure


RATIOS = "magnitudes/gain_ratios"


def _limited_boxes(axes: Axes, rows: pd.DataFrame, places: np.ndarray, n: str) -> None:
    """Boxes up to the table's limit, above it how many they have and how many lie there."""
    _boxes(axes, rows, places, 0.55, BLUE)
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
def fitted_profiles(
    profiles: pd.DataFrame, notes: str = "", *, reference: str | None = None
) -> Figure:
    """Draw gains by level: fitted to the magnitudes of all topics and of each, and assumed ones.

    Parameters
    ----------
    profiles
        Table ``magnitudes/gain_profiles``.
    notes
        A line for the figure's foot.
    reference
        The one to draw; ``None``: all.

    Raises
    ------
    ParameterError
        If the table has nothing of it, or lacks a column.
    """
    columns = "profile topic level gain"
    rows = _of_reference(profiles, reference, columns, GAIN_PROFILES)
    rows = rows.astype({"profile": str, "topic": str}).sort_values("level", kind="stable")
    panels = _panels(rows, ["reference"], columns, GAIN_PROFILES)
    grid = style.panel_grid(len(panels), 1, pitch=120, height=2.3, notes=notes, share_x=False)
    for index, ((name,), some) in enumerate(panels):
        axes = grid.axes[index]
        for key, line in some.groupby(["profile", "topic"], sort=False):
            axes.plot(line["level"], line["gain"], **_profile_look(*key), gid=" ".join(key))
        axes.set_xticks(sorted(some["level"].unique()))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.grid(axis="y")
        axes.set_xlabel("level")
        style.label_y(grid, index, "gain (lowest level: 1)")
        topics = some.loc[some["topic"] != ALL_TOPICS, "topic"].nunique()
        style.panel_title(
            grid, index, style.dataset_label(name), plural(topics, "topic") if topics else ""
        )
    handles = [
        Line2D([], [], **_profile_look(*key), label=key[0])
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
def orders_of_systems(
    orders: pd.DataFrame,
    unanimity: pd.DataFrame,
    systems: pd.DataFrame,
    notes: str = "",
    *,
    reference: str | None = None,
) -> Figure:
    """Draw for each pair of systems the share of samples that order them as the medians do.

    Parameters
    ----------
    orders
        Table ``magnitudes/orders``.
    unanimity
        Table ``magnitudes/unanimity``.
    systems
        Table ``magnitudes/systems``, for the order of systems under the medians.
    notes
        A line for the figure's foot.
    reference
        The one to draw; ``None``: all.

    Raises
    ------
    ParameterError
        If the tables have nothing of it, or lack a column.
    """
    counted = _of_reference(unanimity, reference, "over measure pairs unanimous", UNANIMITY)
    panels = _panels(counted.astype(dict.fromkeys(COMPARED, str)), COMPARED, "", UNANIMITY)
    orders = _columns_of(orders, " ".join([*COMPARED, "first second higher equal"]), ORDERS)
    orders = orders.astype(dict.fromkeys([*COMPARED, "first", "second"], str))
    scores = _columns_of(systems, " ".join([*COMPARED, "gains system score"]), SYSTEMS)
    scores = scores.astype(dict.fromkeys([*COMPARED, "gains", "system"], str))
    scores = scores[scores["gains"] == MEASURED]
    short = _short(list(dict.fromkeys(measure for (_, _, measure), _ in panels)))
    columns = min(len(panels), 2 if len(panels) <= 4 else 3)
    width = style.DOUBLE_COLUMN if columns > 1 else style.SINGLE_COLUMN
    side = width / columns - 0.6
    grid = style.panel_grid(
        len(panels), 1, pitch=90, height=side + 0.65, notes=notes, columns=columns,
        share_x=False, share_y=False,
    )  # fmt: skip
    for index, (key, counts) in enumerate(panels):
        _orders_of(grid.axes[index], _of_comparison(orders, key), _of_comparison(scores, key))
        name, over, measure = key
        [found] = counts.to_dict("records")
        count = f"{found['unanimous']:,} of {plural(found['pairs'], 'pair')}: all alike"
        title = f"{short[measure]}, {over}, {style.dataset_label(name)}"
        style.panel_title(grid, index, title, count)
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
def tau_by_judgments(
    per_document: pd.DataFrame, notes: str = "", *, reference: str | None = None
) -> Figure:
    """Draw τ_b against the number of judgments of a document.

    Parameters
    ----------
    per_document
        Table ``magnitudes/per_document``.
    notes
        A line for the figure's foot.
    reference
        The one to draw; ``None``: all.

    Raises
    ------
    ParameterError
        If the table has nothing of it, or lacks a column.
    """
    columns = "over measure other k samples low median high"
    rows = _of_reference(per_document, reference, columns, PER_DOCUMENT)
    rows = rows.astype({"over": str, "measure": str, "other": str})
    panels = _panels(rows, ["reference", "over", "measure"], columns, PER_DOCUMENT)
    others = list(dict.fromkeys(rows["other"]))
    looks = style.looks(others)
    short = _short(rows["measure"].unique())
    ks = sorted(rows["k"].unique())
    grid = style.panel_grid(
        len(panels), len(ks), pitch=13, height=1.9, notes=notes, columns=2 if len(panels) > 1 else 1
    )
    for index, ((name, over, measure), some) in enumerate(panels):
        axes = grid.axes[index]
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
        style.label_y(grid, index, style.TAU_LABEL)
        axes.tick_params(labelbottom=grid.is_bottom(index))
        if grid.is_bottom(index):
            axes.set_xlabel("judgments per document, k")
        count = f"{plural(int(some['samples'].max()), 'sample')} each"
        title = f"{short[measure]}, {over}, {style.dataset_label(name)}"
        style.panel_title(grid, index, title, count)
    handles = [
        Line2D([], [], **looks[other], ms=3.4, lw=1.0, label=f"with that of {other}")
        for other in others
    ]
    style.legend(grid.figure, handles, title="ranking under the median of k judgments")
    return grid.figure


PER_DOCUMENT = "magnitudes/per_document"


# --- what several figures share ------------------------------------------------------------------


def _columns_of(table: pd.DataFrame, columns: str, source: str) -> pd.DataFrame:
    """The table, if it has rows and the columns."""
    missing = [name for name in columns.split() if name not in table.columns]
    if missing:
        raise ParameterError(
            f"the table has no column {', '.join(missing)}: give the table {source}"
        )
    if table.empty:
        raise ParameterError(f"the table {source} has no rows: there is nothing to draw")
    return table


def _of_reference(
    table: pd.DataFrame, reference: str | None, columns: str, source: str, of: str = "reference"
) -> pd.DataFrame:
    """The rows of a reference, or all."""
    table = _columns_of(table, f"{of} {columns}", source).astype({of: str})
    if reference is None:
        return table
    check_choice("reference", reference, list(dict.fromkeys(table[of])))
    return table[table[of] == reference]


def _panels(
    table: pd.DataFrame, keys: Sequence[str], columns: str, source: str, what: str = ""
) -> list[tuple[tuple, pd.DataFrame]]:
    """The rows of each panel, by what identifies it, in the order of the table."""
    if table.empty:
        of = f" of {what}" if what else ""
        raise ParameterError(f"the table {source} has no rows{of}: there is nothing to draw")
    _columns_of(table, " ".join([*keys, columns]), source)
    return list(table.groupby(list(keys), sort=False, observed=True, dropna=False))


def _boxes(
    axes: Axes, rows: pd.DataFrame, places: Sequence[float], width: float, color: str
) -> None:
    """Boxes from their quartiles and whiskers; none where there are no values."""
    stats = [
        {"med": row.median, "q1": row.q1, "q3": row.q3, "whislo": row.low, "whishi": row.high}
        for row in rows[QUARTILES.split()].astype(float).itertuples()
    ]
    defined = [(place, one) for place, one in zip(places, stats, strict=True)
               if not math.isnan(one["med"])]  # fmt: skip
    line = {"color": color, "lw": 0.8}
    axes.bxp(
        [one for _, one in defined],
        positions=[place for place, _ in defined],
        widths=width,
        patch_artist=True,
        manage_ticks=False,
        showcaps=False,
        showfliers=False,
        boxprops={"fc": style.tint(color), "ec": color, "lw": 0.8},
        whiskerprops=line,
        medianprops=line | {"lw": 1.4},
    )


def _colors(names: Sequence[str]) -> Mapping[str, str]:
    return {name: look["color"] for name, look in style.looks(names).items()}


def _short(measures: Sequence[str]) -> dict[str, str]:
    """Measures without their parameters, where that tells them apart."""
    short = {measure: re.sub(r"\(.*\)", "", measure) for measure in measures}
    names = list(short.values())
    return {full: name if names.count(name) == 1 else full for full, name in short.items()}


def _tau(tau: float) -> str:
    return rf"$\tau_b$ {tau:.3f}".replace("-", "−") if pd.notna(tau) else r"$\tau_b$ undefined"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if pd.notna(share) else "undefined"


figure_1 = magnitudes_by_level
figure_2 = magnitudes_by_level_and_topic
figure_3 = agreement_of_order
figure_6 = tau_over_samples
figure_7 = widths_of_units
figure_8 = gains_by_level
figure_9 = ratios_of_levels
figure_profiles = fitted_profiles
figure_populations = orders_of_systems
figure_per_document = tau_by_judgments
