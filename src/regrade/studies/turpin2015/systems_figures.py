"""The figures of turpin2015, §5, of systems under magnitudes, and two that go past it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from regrade.errors import ParameterError
from regrade.show import style
from regrade.show.forms import band_and_line, quartile_boxes
from regrade.show.item_tables import Frame
from regrade.show.panels import panel_grid, require, rows_by
from regrade.show.style import mark
from regrade.studies.turpin2015.figures import of_reference, short_names
from regrade.wording import counted

BLUE, ORANGE, _, _, _, RED, _ = style.CUT_COLORS

REFERENCE_GAINS, MEASURED = "reference", "magnitudes"
"""The gains that are a reference's labels, and those that are the magnitudes of all units."""


@style.themed
def figure_4(systems: Frame, rankings: Frame, *, reference: str | None = None) -> Figure:
    """Draw the runs' scores under a reference against those under magnitudes."""
    return _scores_of_systems(systems, rankings, "runs", reference)


@style.themed
def figure_5(systems: Frame, rankings: Frame, *, reference: str | None = None) -> Figure:
    """Draw the scores of systems merged from sub-runs, as `figure_4`."""
    return _scores_of_systems(systems, rankings, "merged", reference)


def _scores_of_systems(systems: Frame, rankings: Frame, over: str, reference: str | None) -> Figure:
    """A panel for each reference and measure, of runs or of merged systems."""
    rows = require(systems, SYSTEMS)
    rows = rows.astype(dict.fromkeys(("reference", "over", "gains", "measure", "system"), str))
    ranked = of_reference(rankings, reference, RANKINGS)
    ranked = ranked.astype(dict.fromkeys(("over", "gains", "measure"), str))
    ranked = ranked[(ranked["over"] == over) & (ranked["gains"] == MEASURED)]
    if ranked.empty:
        raise ParameterError(
            f"the table {RANKINGS} has no rows of {over}: there is nothing to draw"
        )
    short = short_names(ranked["measure"].unique())
    panels = rows_by(ranked, ["reference", "measure"])
    grid = panel_grid(panels, pitch=140, height=2.5, columns=2, share="")
    for panel, ((name, measure), some) in grid:
        [ranking] = some.to_dict("records")
        _scores_of(panel.axes, _of_comparison(rows, (name, over, measure)), ranking["n_systems"])
        dataset = style.dataset_label(name)
        overlap = ranking["overlap"]
        count = counted(int(ranking["n_systems"]), "system") + f", {style.tau_text(ranking['tau'])}"
        count += f", overlap {f'{100 * overlap:.0f} %' if pd.notna(overlap) else 'undefined'}"
        x, y = f"{short[measure]}, magnitudes", f"{short[measure]}, {dataset}"
        panel.finish(f"{dataset}, {short[measure]}", count, x, y, grid="")
    return grid.with_legend(style.marks(TOP_SETS, ls=""), title="in the top set under")


SYSTEMS, RANKINGS = "magnitudes/systems", "magnitudes/rankings"

_MARK = {"ms": 3.6, "mew": 0.7}

TOP_SETS = {
    "neither": {"marker": "o", "color": style.GREY, "mfc": "none"} | _MARK,
    "the reference alone": {"marker": "^", "color": BLUE} | _MARK,
    "magnitudes alone": {"marker": ">", "color": ORANGE} | _MARK,
    "both": {"marker": "D", "color": style.BLACK} | _MARK,
}
"""How systems are drawn, by the top sets that have them."""


def _scores_of(axes: Axes, systems: Frame, count: int) -> None:
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


def _side_by_side(systems: Frame) -> Frame:
    """A row for each system: its score under both gains, and in which top sets it is."""
    of_two = systems[systems["gains"].isin([REFERENCE_GAINS, MEASURED])]
    scores = of_two.pivot(index="system", columns="gains", values="score")
    top = of_two.pivot(index="system", columns="gains", values="top")
    missing = {REFERENCE_GAINS, MEASURED} - set(scores.columns)
    if missing:
        raise ParameterError(f"the table {SYSTEMS} has no scores under {', '.join(missing)}")
    kinds = [*TOP_SETS]  # neither, the reference alone, magnitudes alone, both
    kind = top[REFERENCE_GAINS].astype(bool) + 2 * top[MEASURED].astype(bool)
    return scores.assign(kind=[kinds[place] for place in kind])


@style.themed
def figure_6(quantiles: Frame, *, reference: str | None = None) -> Figure:
    """Draw Figure 6: τ_b with the reference's ranking over samples of the judgments."""
    rows = of_reference(quantiles, reference, "magnitudes/sample_quantiles")
    rows = rows.astype({"over": str, "measure": str}).reset_index(drop=True)
    grid = panel_grid(["samples"], len(rows), pitch=44, height=2.5)
    [panel] = grid.panels
    axes, places = panel.axes, np.arange(len(rows))
    quartile_boxes(axes, rows, places, 0.5, BLUE)
    axes.plot(places, rows["tau"], "D", color=RED, ms=4.5, mec="white", mew=0.5, zorder=4)
    short = short_names(rows["measure"].unique())
    names = [
        f"{short[row.measure]}\n{style.dataset_label(row.reference)}, {row.over}"
        for row in rows.itertuples()
    ]
    style.name_columns(axes, names, length=0)
    each = counted(int(rows["samples"].max()), "sample")
    panel.finish("one judgment per document", f"{each} a box", y=style.TAU_LABEL)
    every = mark("all judgments", ls="", marker="D", color=RED, ms=4.5, mec="white")
    return grid.with_legend([style.swatch("samples", BLUE), every])


@style.themed
def figure_populations(
    orders: Frame, unanimity: Frame, systems: Frame, *, reference: str | None = None
) -> Figure:
    """Draw for each pair of systems the share of samples that order them as the medians do.

    Systems stand in their order under the medians.
    """
    unanimous = of_reference(unanimity, reference, "magnitudes/unanimity")
    panels = rows_by(unanimous.astype(dict.fromkeys(COMPARED, str)), COMPARED)
    orders = require(orders, ORDERS)
    orders = orders.astype(dict.fromkeys([*COMPARED, "first", "second"], str))
    scores = require(systems, SYSTEMS)
    scores = scores.astype(dict.fromkeys([*COMPARED, "gains", "system"], str))
    scores = scores[scores["gains"] == MEASURED]
    short = short_names(list(dict.fromkeys(measure for (_, _, measure), _ in panels)))
    columns = min(len(panels), 2 if len(panels) <= 4 else 3)
    width = style.DOUBLE_COLUMN if columns > 1 else style.SINGLE_COLUMN
    side = width / columns - 0.6
    grid = panel_grid(panels, pitch=90, height=side + 0.65, columns=columns, share="")
    for panel, (key, counts) in grid:
        _orders_of(panel.axes, _of_comparison(orders, key), _of_comparison(scores, key))
        name, over, measure = key
        [pairs] = counts.to_dict("records")
        count = f"{pairs['unanimous']:,} of {counted(pairs['pairs'], 'pair')}: all alike"
        panel.head(f"{short[measure]}, {over}, {style.dataset_label(name)}", count)
    title = "samples that order the pair as the medians do"
    return grid.with_legend(style.patches(ORDER_CLASSES), title=title)


COMPARED = ["reference", "over", "measure"]
"""What tells comparisons of systems apart."""


def _of_comparison(table: Frame, key: Sequence[str]) -> Frame:
    return table[(table[COMPARED] == list(key)).all(axis=1)]


def _orders_of(axes: Axes, orders: Frame, scores: Frame) -> None:
    """The pairs of systems of one comparison, in the order of their scores."""
    if orders.empty:
        axes.set_axis_off()
        axes.text(0.5, 0.5, "no pair of systems", transform=axes.transAxes, ha="center")
        return
    ranked = scores.sort_values(["score", "system"], ascending=[False, True])["system"]
    end = len(ranked) + 0.5
    look = {"cmap": ORDER_COLORS, "norm": ORDER_NORM, "interpolation": "nearest"}
    axes.imshow(_share_as_ranked(orders, list(ranked)), extent=(0.5, end, end, 0.5), **look)
    axes.set(xlabel="rank of the lower one", ylabel="rank of the higher one")
    for axis in (axes.xaxis, axes.yaxis):
        style.whole_numbers(axis, fewest=1)


ORDERS = "magnitudes/orders"

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


def _share_as_ranked(orders: Frame, ranked: Sequence[str]) -> np.ndarray:
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
def figure_per_document(per_document: Frame, *, reference: str | None = None) -> Figure:
    """Draw τ_b against the number of judgments of a document."""
    rows = of_reference(per_document, reference, "magnitudes/per_document")
    rows = rows.astype({"over": str, "measure": str, "other": str})
    panels = rows_by(rows, COMPARED)
    looks = style.looks(list(dict.fromkeys(rows["other"])))
    short = short_names(rows["measure"].unique())
    ks = sorted(rows["k"].unique())
    grid = panel_grid(panels, len(ks), pitch=13, height=1.9, columns=2)
    for panel, ((name, over, measure), some) in grid:
        axes = panel.axes
        for other, line in some.groupby("other", sort=False):
            look = looks[other] | {"ms": 3.4, "lw": 1.0, "zorder": 3}
            line = line.sort_values("k")
            band_and_line(axes, line, "k", "median", look, alpha=0.25, zorder=1)
        axes.set_xticks(ks)
        title = f"{short[measure]}, {over}, {style.dataset_label(name)}"
        count = f"{counted(int(some['samples'].max()), 'sample')} each"
        panel.finish(title, count, "judgments per document, k", style.TAU_LABEL, bare="xy")
    handles = style.marks({f"with that of {one}": looks[one] for one in looks}, ms=3.4, lw=1.0)
    return grid.with_legend(handles, title="ranking under the median of k judgments")
