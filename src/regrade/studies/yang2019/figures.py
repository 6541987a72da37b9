"""The figures of yang2019, for any collection, and four that go past the thesis.

Each function takes the tables that the library's functions return, as they are, and draws a panel
for each measure (or ρ, coefficient, test) that they hold.  Nothing is computed here that a table
should hold; quartiles of boxes are matplotlib's.

References
----------
Yang: Improving the Reliability and Robustness of Information Retrieval Evaluation.  Doctoral
thesis, The University of Melbourne, 2019; chapters 3 and 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cbook import boxplot_stats
from matplotlib.collections import PolyCollection
from matplotlib.colors import LogNorm, to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    LogLocator,
    NullLocator,
    PercentFormatter,
)

from regrade.errors import ParameterError
from regrade.schemas import ALL_TOPICS
from regrade.show import style
from regrade.show.curves import P_FLOOR, TEST_LABELS, draw_curves, floor_axis, side_by_side
from regrade.show.style import plural
from regrade.studies.yang2019.pair_figures import (  # noqa: F401 (found here by their names)
    figure_intransitivity,
    figure_policies,
    figure_stopping,
    figure_subsets,
)

FLOOR = 1e-6
"""Ranges and residuals below this are drawn at it (yang2019 §3.2.2)."""

MANY_TIES = 1000
"""Documents from which on a system has many ties: more than this (yang2019 §3.2.2)."""

DEPTHS = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Expected depths that an axis of depths names."""

PHIS = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)
"""Values of φ that an axis of φ names."""

MAP_POINTS = 5000
"""Points from which on a panel shows how many lie where, rather than each."""

BLUE, ORANGE, GREEN, PINK, SKY, RED, _ = style.CUT_COLORS

COUNT_COLORMAP = style.ALPHA_COLORMAP + "_r"
"""Of how many lie where: the more, the darker."""

COEFFICIENT_LABELS = {"tau_b": style.TAU_LABEL, "rbo": "RBO"}


# --- ties, chapter 3 -----------------------------------------------------------------------------


@style.themed
def ranges_under_ties(ranges: pd.DataFrame, notes: str = "") -> Figure:
    """Draw Figures 3.4 and 3.5: what ties leave open of each system's mean score.

    Parameters
    ----------
    ranges
        As `regrade.tying.score_ranges` gives: ``measure, system, trec_eval, expected, pessimistic,
        optimistic, range, tied``.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If the table has no rows or lacks a column.
    """
    panels = _panels(
        ranges,
        ["measure"],
        "system trec_eval expected pessimistic optimistic range tied",
        "ties/ranges",
    )
    grid = style.panel_grid(len(panels), 1, pitch=300, height=3.0, notes=notes, share_x=False)
    kinds = {
        "no tied documents": (GREEN, lambda tied: tied == 0),
        f"1 to {MANY_TIES:,} tied": (BLUE, lambda tied: (tied > 0) & (tied <= MANY_TIES)),
        f"over {MANY_TIES:,} tied": (RED, lambda tied: tied > MANY_TIES),
    }
    for index, ((measure,), rows) in enumerate(panels):
        axes = grid.axes[index]
        axes.set_yscale("log")
        for color, belongs in kinds.values():
            some = rows[belongs(rows["tied"])]
            y = some["range"].clip(lower=FLOOR)
            axes.hlines(y, some["pessimistic"], some["optimistic"], color, lw=0.7)
            for column, look in TIE_ORDERS.items():
                style.dots(axes, some[column], y, some["system"], color=color, mew=0.7, **look)
        floor_axis(axes, "y", FLOOR, rows["range"].max())
        axes.grid()
        axes.set_xlabel(f"mean {measure}")
        axes.set_ylabel("range, mean over topics")
        style.panel_title(grid, index, measure, plural(len(rows), "system"))
    handles = [
        *(Patch(color=color, label=name) for name, (color, _) in kinds.items()),
        *(
            Line2D([], [], ls="", color=style.BLACK, mew=0.7, label=label, **TIE_ORDERS[column])
            for column, label in (
                ("trec_eval", "order of trec_eval"),
                ("expected", "expected over all orders"),
                ("optimistic", "best and worst order"),
            )
        ),
    ]
    style.legend(grid.figure, handles)
    return grid.figure


TIE_ORDERS = {
    "pessimistic": {"marker": "x", "ms": 3.0},
    "optimistic": {"marker": "x", "ms": 3.0},
    "expected": {"marker": "^", "ms": 4.2, "mfc": "none"},
    "trec_eval": {"marker": "o", "ms": 4.2, "mfc": "none"},
}
"""How a system's score is drawn, by the column that has it."""


@style.themed
def banding_differences(banded: pd.DataFrame, notes: str = "") -> Figure:
    """Draw Figures 3.6 and 3.7: how far banding the ranks by ρ moves the rankings' scores.

    Parameters
    ----------
    banded
        As `regrade.tying.banded_scores` gives: ``measure, rho, difference``; the figures differ in
        the values of ρ.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If the table has no rows or lacks a column.
    """
    return _difference_boxes(
        _panels(banded, ["measure"], "rho difference", "ties/banded"),
        "rho",
        "ρ",
        "score banded − original",
        notes,
    )


@style.themed
def p_values_of_bands(
    p_values: pd.DataFrame,
    quadrants: pd.DataFrame,
    notes: str = "",
    *,
    significance: float = 0.05,
) -> Figure:
    """Draw Figures 3.8 to 3.11: p-values of all pairs of systems, without and with bands.

    Parameters
    ----------
    p_values
        As `regrade.tying.banded_p_values` gives: ``measure, rho, p_original, p_banded``; a panel
        for each measure and ρ.  The thesis has a figure a measure.
    quadrants
        As `regrade.tying.quadrants` gives for the same p-values and significance level: ``measure,
        rho, true_positive, false_negative, false_positive, true_negative``.
    notes
        A line for the figure's foot.
    significance
        The significance level.

    Raises
    ------
    ParameterError
        If a table has no rows, or lacks a column or the shares of a panel.
    """
    panels = _panels(p_values, ["measure", "rho"], "p_original p_banded", "ties/p_values")
    shares = dict(_panels(quadrants, ["measure", "rho"], " ".join(QUADRANTS), "ties/quadrants"))
    columns = min(len(panels), 4)
    width = style.SINGLE_COLUMN if columns == 1 else style.DOUBLE_COLUMN
    square = (width - 1.1) / columns - 0.15
    grid = style.panel_grid(
        len(panels), 1, pitch=90, height=square + 0.4, notes=notes, side=0.6, columns=columns
    )
    maps = []
    for index, ((measure, rho), rows) in enumerate(panels):
        axes = grid.axes[index]
        if (measure, rho) not in shares:
            raise ParameterError(f"{measure}, ρ = {rho:g}: its quadrants are not in the table")
        maps.append(_p_value_map(axes, rows))
        [share] = shares[measure, rho].to_dict("records")
        _mark_quadrants(axes, share, significance)
        style.label_y(grid, index, "p, banded")
        if grid.is_bottom(index):
            axes.set_xlabel("p, original")
        else:
            axes.tick_params(labelbottom=False)
        title = f"{style.panel_letter(index, len(panels))}{measure}, ρ = {rho:g}"
        style.stacked_title(axes, title, plural(len(rows), "pair"))
    _count_bar(grid, maps, "pairs")
    return grid.figure


QUADRANTS = {
    "false_negative": ("left", "top", 0),
    "true_positive": ("left", "top", 1),
    "true_negative": ("right", "bottom", 1),
    "false_positive": ("right", "bottom", 0),
}
"""Where the share of a quadrant stands, off the diagonal: in which corner of the panel, or (1) at
the side where the line of significance meets it."""


def _p_value_map(axes: Axes, rows: pd.DataFrame) -> PolyCollection:
    """How many pairs have which p without bands (horizontal) and with them (vertical)."""
    both = rows[["p_original", "p_banded"]].dropna().clip(lower=P_FLOOR)
    limits = np.log10([P_FLOOR, 1.0])
    found = axes.hexbin(
        *both.to_numpy(dtype=float).T,
        gridsize=36,
        xscale="log",
        yscale="log",
        extent=(*limits, *limits),
        mincnt=1,
        linewidths=0,
        cmap=COUNT_COLORMAP,
        rasterized=True,
    )
    floor_axis(axes, "x", P_FLOOR, 1.0)
    floor_axis(axes, "y", P_FLOOR, 1.0)
    axes.set_box_aspect(1)
    return found


def _mark_quadrants(axes: Axes, share: Mapping[str, float], significance: float) -> None:
    """Draw the lines of significance, and write the share of pairs in each quadrant."""
    for line in (axes.axvline, axes.axhline):
        line(significance, color=style.BLACK, ls=":", lw=0.8)
    for column, place in QUADRANTS.items():
        _corner(axes, f"{share[column]:.1%}", place, significance)


def _corner(axes: Axes, text: str, place: tuple[str, str, int], significance: float) -> None:
    horizontal, vertical, at_line = place
    x, right = (0.0, 1) if horizontal == "left" else (1.0, -1)
    y, up = (0.0, 1) if vertical == "bottom" else (1.0, -1)
    axes.annotate(
        text,
        (x, significance if at_line else y),
        xycoords=("axes fraction", "data" if at_line else "axes fraction"),
        xytext=(3 * right, 3 * up),
        textcoords="offset points",
        ha=horizontal,
        va=vertical,
        bbox={"fc": "white", "ec": "none", "alpha": 0.7, "pad": 0.2},
    )


# --- residuals, §§4.3–4.5 and 4.9 ----------------------------------------------------------------


@style.themed
def rbp_by_depth(curves: pd.DataFrame, notes: str = "") -> Figure:
    """Draw Figure 4.1: RBP scores and residuals of all rankings by expected depth.

    Parameters
    ----------
    curves
        As `RBPCurves.to_table` gives: ``phi, depth, value, residual``.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If the table has no rows or lacks a column.
    """
    [(_, rows)] = _panels(curves, [], "phi depth value residual", "residuals/rbp")
    phis = sorted(rows["phi"].unique())
    grid = style.panel_grid(1, len(phis), pitch=26, height=2.4, notes=notes)
    [axes] = grid.axes
    kinds = (("value", -0.2, BLUE, "score"), ("residual", 0.2, RED, "residual"))
    places = np.arange(len(phis))
    for column, offset, color, _ in kinds:
        groups = [rows.loc[rows["phi"] == phi, column] for phi in phis]
        _boxes(axes, groups, places + offset, 0.34, color)
        means = [group.mean() for group in groups]
        axes.plot(places + offset, means, "-o", color=color, mec="white", mew=0.5, ms=4, zorder=4)
    axes.set_xticks(places, [f"{1 / (1 - phi):.4g}\n{phi:.4g}" for phi in phis])
    axes.set_xlim(-0.6, len(phis) - 0.4)
    axes.set_ylim(-0.03, 1.03)
    axes.grid(axis="y")
    axes.set_xlabel("expected depth 1/(1 − φ), and φ")
    axes.set_ylabel("RBP")
    count = len(rows) // len(phis)
    style.panel_title(grid, 0, "RBP score and residual", plural(count, "ranking"))
    handles = [Patch(fc=style.tint(color), ec=color, label=label) for *_, color, label in kinds]
    mean = Line2D([], [], color=style.GREY, marker="o", ms=4, mec="white", label="mean")
    style.legend(grid.figure, [*handles, mean])
    return grid.figure


@style.themed
def tau_against_residual(tau: pd.DataFrame, notes: str = "") -> Figure:
    """Draw Figure 4.2: how alike RBP and other measures rank the systems, against its residual.

    Parameters
    ----------
    tau
        As `tau_by_phi` gives, for a few φ or for many: ``measure, depth, tau,
        residual``.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If the table has no rows or lacks a column.
    """
    panels = _panels(tau, ["measure"], "depth tau residual", "residuals/tau_by_phi")
    grid = style.panel_grid(1, 1, pitch=150, height=2.7, notes=notes)
    [axes] = grid.axes
    looks = style.looks([measure for (measure,), _ in panels])
    for (measure,), rows in panels:
        rows = rows.sort_values("depth")
        residual = rows["residual"].clip(lower=FLOOR)
        look = looks[measure]
        few = {} if len(rows) <= 2 * len(DEPTHS) else {"marker": ""}
        axes.plot(residual, rows["tau"], **look | few, mfc="white", ms=3.6, mew=0.8, lw=1.0)
        if rows["tau"].notna().any():
            best = rows["tau"].idxmax()
            axes.plot(residual[best], rows["tau"][best], **look, ms=5.5, mec="white", mew=0.5)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.grid()
    axes.set_xlabel("mean residual of RBP")
    axes.set_ylabel(style.TAU_LABEL)
    _depth_axis(axes, *panels[0][1].sort_values("depth")[["depth", "residual"]].to_numpy().T)
    handles = [
        Line2D([], [], **look, mfc="white", ms=3.6, mew=0.8, lw=1.0, label=measure)
        for measure, look in looks.items()
    ]
    best = Line2D([], [], ls="", marker="o", color=style.GREY, ms=5.5, label="highest (filled)")
    style.legend(grid.figure, [*handles, best], columns=3)
    return grid.figure


def _depth_axis(axes: Axes, depths: np.ndarray, residuals: np.ndarray) -> None:
    """Name expected depths above, where their mean residuals are."""
    named = [depth for depth in DEPTHS if depths[0] * 0.999 <= depth <= depths[-1] * 1.001]
    places = np.interp(np.log(named), np.log(depths), residuals.clip(min=FLOOR))
    above = axes.secondary_xaxis("top")
    above.set_xscale("log")
    above.xaxis.set_major_locator(FixedLocator(places))
    above.xaxis.set_minor_locator(NullLocator())
    above.set_xticks(places, [str(depth) for depth in named])
    above.set_xlabel("expected depth")


@style.themed
def nearest_phi_by_relevant(
    nearest: pd.DataFrame,
    summary: pd.DataFrame | None = None,
    notes: str = "",
    *,
    tied: str = "lowest",
) -> Figure:
    """Draw Figures 4.3 and 4.4: each topic's nearest φ against its relevant documents.

    Parameters
    ----------
    nearest
        As `nearest_phi` gives: ``measure, coefficient, topic, relevant,
        correlation, phi_lowest, phi_middle, phi_highest``; rows for ``*`` are left out.
    summary
        As `summarise_nearest` gives, for the panels' heads: ``measure,
        coefficient, tau``.
    notes
        A line for the figure's foot.
    tied
        Which of equally near φ stands for a topic: ``lowest``, ``middle`` or ``highest``.

    Raises
    ------
    ParameterError
        If a table has no rows or lacks a column.
    """
    keys = ["measure", "coefficient"]
    columns = "topic relevant correlation phi_lowest phi_middle phi_highest"
    panels = _panels(nearest, keys, columns, "residuals/nearest_phi")
    taus = {}
    if summary is not None:
        found = _panels(summary, keys, "tau", "residuals/nearest_summary")
        taus = {key: rows["tau"].iloc[0] for key, rows in found}
    coefficients = len({coefficient for (_, coefficient), _ in panels})
    columns = coefficients if 1 < coefficients <= 3 else side_by_side(len(panels))
    grid = style.panel_grid(
        len(panels), 1, pitch=140, height=2.1, notes=notes, side=0.35, columns=columns
    )
    grid.axes[0].set_yscale("function", functions=(_spread_phi, _gathered_phi))
    for index, (key, rows) in enumerate(panels):
        axes = grid.axes[index]
        rows = rows[(rows["topic"].astype(str) != ALL_TOPICS) & rows["correlation"].notna()]
        _nearest_of_topics(axes, rows, tied)
        style.label_y(grid, index, "nearest φ")
        if grid.is_bottom(index):
            axes.set_xlabel("relevant documents R of the topic")
        else:
            axes.tick_params(labelbottom=False)
        title = f"{key[0]}, {COEFFICIENT_LABELS.get(key[1], key[1])}"
        count = _topics_and_tau(len(rows), taus.get(key, np.nan))
        style.stacked_title(axes, style.panel_letter(index, len(panels)) + title, count)
        if (index + 1) % grid.columns == 0 or index + 1 == len(panels):
            _expected_depths_at_the_right(axes)
    relevant = nearest.loc[nearest["topic"].astype(str) != ALL_TOPICS, "relevant"]
    _share_phi_axes(grid.axes[0], relevant)
    handles = [
        Line2D([], [], mec="white", mew=0.4, label=name, **look)
        for name, (_, _, look) in STRENGTHS.items()
    ]
    handles.append(Line2D([], [], color=style.GREY, lw=0.5, label="all equally near φ"))
    style.legend(grid.figure, handles)
    return grid.figure


def _nearest_of_topics(axes: Axes, rows: pd.DataFrame, tied: str) -> None:
    """Each topic's nearest φ by its relevant documents, marked by how strong the correlation is."""
    axes.vlines(rows["relevant"], rows["phi_lowest"], rows["phi_highest"], style.GREY, lw=0.5)
    for low, high, look in STRENGTHS.values():
        some = rows[(rows["correlation"] >= low) & (rows["correlation"] < high)]
        axes.plot(some["relevant"], some[f"phi_{tied}"], mec="white", mew=0.4, **look)
    axes.set_xscale("symlog", linthresh=1)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.grid()


def _topics_and_tau(topics: int, tau: float) -> str:
    count = plural(topics, "topic")
    return count + (rf", $\tau_b$ of φ and R = {_number(tau, 3)}" if np.isfinite(tau) else "")


def _expected_depths_at_the_right(axes: Axes) -> None:
    right = axes.secondary_yaxis("right")
    right.set_yscale("function", functions=(_spread_phi, _gathered_phi))
    right.yaxis.set_major_locator(FixedLocator(PHIS))
    right.yaxis.set_major_formatter(FuncFormatter(lambda phi, _: f"{1 / (1 - phi):.0f}"))
    right.yaxis.set_minor_locator(NullLocator())
    right.set_ylabel("expected depth")


def _share_phi_axes(shared: Axes, relevant: pd.Series) -> None:
    """Name φ, and show all topics; one without relevant documents stands at 0."""
    shared.set_ylim(0.48, 0.9993)
    shared.yaxis.set_major_locator(FixedLocator(PHIS))
    shared.yaxis.set_major_formatter(FuncFormatter(lambda phi, _: f"{phi:g}"))
    shared.yaxis.set_minor_locator(NullLocator())
    shared.set_xlim(0.8 * relevant.min(), 1.3 * max(relevant.max(), 1))


STRENGTHS = {
    "correlation < 0.8": (-np.inf, 0.8, {"color": RED, "marker": "v", "ls": "", "ms": 4.5}),
    "0.8 to 0.9": (0.8, 0.9, {"color": ORANGE, "marker": "o", "ls": "", "ms": 4.5}),
    "≥ 0.9": (0.9, np.inf, {"color": BLUE, "marker": "^", "ls": "", "ms": 4.5}),
}
"""Classes of correlations, as yang2019 Table 4.2 counts them, and how they are drawn."""


def _spread_phi(phi: np.ndarray) -> np.ndarray:
    """The logarithm of the expected depth: φ = 0.99 and 0.999 lie as far apart as 0.9 and 0.99."""
    return -np.log10(np.maximum(1 - np.asarray(phi, dtype=float), 1e-9))


def _gathered_phi(place: np.ndarray) -> np.ndarray:
    return 1 - 10.0 ** -np.asarray(place, dtype=float)


@style.themed
def movements_against_residual(
    movements: pd.DataFrame, correlations: pd.DataFrame | None = None, notes: str = ""
) -> Figure:
    """Draw Figures 4.8 and 4.9: what judging deeper does to scores, against the RBP residual.

    Parameters
    ----------
    movements
        As `score_movements` gives: ``measure, depth, difference, residual``.
    correlations
        As `movement_correlations` gives, for the panels' heads: ``measure,
        tau_difference``.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If a table has no rows or lacks a column.
    """
    panels = _panels(movements, ["measure"], "depth difference residual", SCORE_MOVEMENTS)
    taus = {}
    if correlations is not None:
        found = _panels(correlations, ["measure"], "tau_difference", "pools/movement_correlations")
        taus = {key: rows["tau_difference"].iloc[0] for key, rows in found}
    depths = sorted(movements["depth"].unique())
    colors = _shades(len(depths))
    columns = side_by_side(len(panels))
    grid = style.panel_grid(len(panels), 1, pitch=140, height=2.3, notes=notes, columns=columns)
    for index, (key, rows) in enumerate(panels):
        axes = grid.axes[index]
        axes.axhline(0, color=style.GREY, lw=0.6, zorder=0.9)
        for depth, color in zip(depths, colors, strict=True):
            # the deeper move less: drawn last, they leave the others to be seen
            some = rows[rows["depth"] == depth]
            axes.plot(
                some["residual"],
                some["difference"],
                ls="",
                marker="o",
                ms=1.5,
                mew=0,
                alpha=0.6,
                color=color,
                rasterized=True,
            )
        axes.grid()
        style.label_y(grid, index, "score − baseline score")
        if grid.is_bottom(index):
            axes.set_xlabel("RBP residual")
        count = plural(len(rows), "score")
        if np.isfinite(taus.get(key, np.nan)):
            count += rf", $\tau_b$ = {_number(taus[key], 2)}"
        style.panel_title(grid, index, key[0], count)
    handles = [
        Line2D([], [], ls="", marker="o", ms=4, mew=0, color=color, label=f"d′ = {depth}")
        for depth, color in zip(depths, colors, strict=True)
    ]
    style.legend(grid.figure, handles)
    return grid.figure


SCORE_MOVEMENTS = "pools/movements"


# --- pools, §4.6, and discrimination, §4.7 -------------------------------------------------------


@style.themed
def pool_sizes_by_depth(sizes: pd.DataFrame, notes: str = "") -> Figure:
    """Draw Figure 4.5: judged and relevant documents per topic in each reduced pool.

    Parameters
    ----------
    sizes
        As `regrade.pools.pooling.pool_sizes` gives: ``pooling, topic, judged, relevant``.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If the table has no rows or lacks a column.
    """
    [(_, rows)] = _panels(sizes, [], "pooling topic judged relevant", "pools/sizes")
    names = list(dict.fromkeys(rows["pooling"].astype(str)))
    grid = style.panel_grid(1, len(names), pitch=26, height=2.4, notes=notes)
    [axes] = grid.axes
    kinds = (("judged", -0.2, BLUE, "judged"), ("relevant", 0.2, RED, "relevant"))
    places = np.arange(len(names))
    for column, offset, color, _ in kinds:
        groups = [rows.loc[rows["pooling"].astype(str) == name, column] for name in names]
        _boxes(axes, groups, places + offset, 0.34, color)
    if (rows[["judged", "relevant"]] > 0).all(axis=None):
        axes.set_yscale("log")
    else:  # a topic may have no relevant document
        axes.set_yscale("symlog", linthresh=1)
        axes.set_ylim(0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    depth = "Depth@"
    by_depth = all(name.startswith(depth) for name in names)
    labels = [name.removeprefix(depth) for name in names] if by_depth else names
    style.label_positions(axes, labels, places, grid.pitch)
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.grid(axis="y")
    axes.set_xlabel("pool depth d′" if by_depth else "pool")
    axes.set_ylabel("documents per topic")
    style.panel_title(grid, 0, "Reduced pools", plural(rows["topic"].nunique(), "topic"))
    style.legend(
        grid.figure,
        [Patch(fc=style.tint(color), ec=color, label=label) for *_, color, label in kinds],
    )
    return grid.figure


@style.themed
def movements_by_depth(movements: pd.DataFrame, notes: str = "") -> Figure:
    """Draw Figure 4.6: how far shallow judgments move the rankings' scores.

    Parameters
    ----------
    movements
        As `score_movements` gives: ``measure, depth, difference``.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If the table has no rows or lacks a column.
    """
    return _difference_boxes(
        _panels(movements, ["measure"], "depth difference", SCORE_MOVEMENTS),
        "depth",
        "pool depth d′",
        "score − baseline score",
        notes,
    )


@style.themed
def trends_of_p_values(counts: pd.DataFrame, notes: str = "") -> Figure:
    """Draw Figure 4.7: how the p-values of pairs of systems move with pool depth.

    Parameters
    ----------
    counts
        As `trend_counts` gives: ``measure, test, tau, outcome, n_pairs,
        share``.  Values of τ are gathered in bars 0.2 apart, where those of five depths without
        ties lie; pairs without a τ are counted in the panel's head.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If the table has no rows or lacks a column.
    """
    panels = _panels(
        counts, ["measure", "test"], "tau outcome n_pairs share", "discrimination/trends"
    )
    columns = side_by_side(len(panels))
    grid = style.panel_grid(len(panels), 1, pitch=140, height=2.0, notes=notes, columns=columns)
    bars = np.arange(-5, 6)
    for index, ((measure, test), rows) in enumerate(panels):
        axes = grid.axes[index]
        tau = rows["tau"]
        # halves go away from zero, so that bars mirror each other
        bar = np.sign(tau) * np.floor(tau.abs() / 0.2 + 0.5 + 1e-9)
        base = np.zeros(len(bars))
        for outcome, (color, _) in OUTCOMES.items():
            some = rows["outcome"].astype(str) == outcome
            heights = rows["share"][some].groupby(bar[some]).sum().reindex(bars, fill_value=0.0)
            axes.bar(bars * 0.2, heights, 0.16, base, color=color, ec="white", lw=0.3)
            base += heights.to_numpy()
        axes.set_xticks([-1, -0.5, 0, 0.5, 1], ["−1", "−0.5", "0", "0.5", "1"])
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.grid(axis="y")
        style.label_y(grid, index, "share of pairs")
        if grid.is_bottom(index):
            axes.set_xlabel(r"$\tau_b$ of p and pool depth")
        else:
            axes.tick_params(labelbottom=False)
        title = _with_test(measure, test, panels)
        count = plural(int(rows["n_pairs"].sum()), "pair")
        undefined = int(rows["n_pairs"][tau.isna()].sum())
        count += rf", {undefined:,} without $\tau_b$" if undefined else ""
        style.panel_title(grid, index, title, count)
    style.legend(
        grid.figure, [Patch(color=color, label=label) for color, label in OUTCOMES.values()]
    )
    return grid.figure


OUTCOMES = {
    "significant": (BLUE, "significant at every depth"),
    "straddling": (ORANGE, "straddling the level"),
    "not significant": (style.LIGHT_GREY, "significant at none"),
}
"""What a pair's p-values come to, the colour and the name."""


@style.themed
def discriminative_power(
    curve: pd.DataFrame, notes: str = "", *, significance: float = 0.05
) -> Figure:
    """Draw the achieved significance levels of all pairs of systems, sorted (Sakai 2006).

    Parameters
    ----------
    curve
        As `significance_curve` gives: ``measure, test, share, p``, and
        ``depth`` if pools of several depths were compared; a panel for each test and depth.
    notes
        A line for the figure's foot.
    significance
        The significance level that a line marks.

    Raises
    ------
    ParameterError
        If the table has no rows or lacks a column.
    """
    keys = ["depth", "test"] if "depth" in curve.columns else ["test"]
    panels = [
        (TEST_LABELS.get(test, test) + "".join(f", d′ = {d}" for d in depth), rows)
        for (*depth, test), rows in _panels(curve, keys, "measure share p", "discrimination/curve")
    ]
    return draw_curves(panels, significance, notes)


# --- past the thesis -----------------------------------------------------------------------------


@style.themed
def exact_ranges_of_systems(ranges: pd.DataFrame, notes: str = "") -> Figure:
    """Draw what unjudged documents leave open of each system's mean score, exactly.

    Parameters
    ----------
    ranges
        As `system_ranges` gives: ``system, measure, value, low, high``; with RBP
        among the measures its residual stands beside the ranges of AP and nDCG.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If the table has no rows or lacks a column.
    """
    panels = _panels(ranges, ["measure"], "system value low high", "ranges/systems")
    systems = ranges["system"].nunique()
    grid = style.panel_grid(len(panels), systems, pitch=2.6, height=1.5, notes=notes, columns=1)
    size = max(1.4, min(4.0, 0.7 * grid.pitch))
    for index, ((measure,), rows) in enumerate(panels):
        axes = grid.axes[index]
        rows = rows.sort_values(["value", "system"], ascending=[False, True])
        place = np.arange(1, len(rows) + 1)
        line = max(0.7, 0.35 * grid.pitch)
        axes.vlines(place, rows["low"], rows["value"], RED, lw=line)
        axes.vlines(place, rows["value"], rows["high"], SKY, lw=line)
        style.dots(axes, place, rows["value"], rows["system"], color=style.BLACK, ms=size)
        axes.set_ylim(0, min(1.0, 1.05 * ranges["high"].max()))
        axes.set_xlim(0, systems + 1)
        axes.grid(axis="y")
        axes.set_ylabel(f"mean {measure}")
        if grid.is_bottom(index):
            axes.set_xlabel("systems in the order of their score")
        else:
            axes.tick_params(labelbottom=False)
        style.panel_title(grid, index, measure, plural(len(rows), "system"))
    handles = [
        Line2D([], [], ls="", marker="o", color=style.BLACK, ms=3, label="as judged"),
        Patch(color=SKY, label="up to the highest possible"),
        Patch(color=RED, label="down to the lowest possible"),
    ]
    style.legend(grid.figure, handles)
    return grid.figure


@style.themed
def left_out_systems(systems: pd.DataFrame, notes: str = "") -> Figure:
    """Draw how score and rank of each system change when it did not contribute to the pool.

    Parameters
    ----------
    systems
        As `LeftOutScores.systems_frame` gives, for runs, groups or both one after
        the other: ``pooling, by, system, measure, score, score_left_out, rank, rank_left_out,
        passed_significant``.  For each measure and pooling a panel of scores and one of ranks.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If the table has no rows or lacks a column.
    """
    columns = "by system score score_left_out rank rank_left_out passed_significant"
    pairs = _panels(systems, ["measure", "pooling"], columns, "leave-one-out/systems")
    poolings = systems["pooling"].nunique()
    grid = style.panel_grid(
        2 * len(pairs), 1, pitch=140, height=1.9, notes=notes, columns=2, share_y=False
    )
    looks = style.looks(sorted(set(systems["by"].astype(str)), reverse=True))
    for number, ((measure, pooling), rows) in enumerate(pairs):
        title = measure if poolings == 1 else f"{measure}, {pooling}"
        left, right = grid.axes[2 * number : 2 * number + 2]
        _left_out_changes(left, right, rows, looks)
        count = ", ".join(
            f"{plural(len(some), 'system')} by {by}"
            for by, some in rows.groupby(rows["by"].astype(str), sort=False)
        )
        for index, axes, what in ((2 * number, left, "score"), (2 * number + 1, right, "rank")):
            axes.axhline(0, color=style.GREY, lw=0.6, zorder=0.9)
            axes.grid()
            axes.set_ylabel(f"{what} left out − {what}")
            if grid.is_bottom(index):
                axes.set_xlabel("rank under the whole pool")
            else:
                axes.tick_params(labelbottom=False)
            style.panel_title(grid, index, f"{title}: {what}", count)
    marks = {"ls": "", "ms": 4, "mew": 0.7}
    handles = [
        Line2D([], [], **look | marks, mfc="none", label=f"left out by {by}")
        for by, look in looks.items()
    ]
    grey = {"color": style.GREY, "marker": "o"} | marks
    label = "passes a system it differs from (filled)"
    style.legend(grid.figure, [*handles, Line2D([], [], **grey, label=label)])
    return grid.figure


def _left_out_changes(
    scores: Axes, ranks: Axes, rows: pd.DataFrame, looks: Mapping[str, Mapping]
) -> None:
    """Each system's change of score, and of rank, filled where it passes another significantly."""
    for by, some in rows.groupby(rows["by"].astype(str), sort=False):
        look = {key: looks[by][key] for key in ("color", "marker")} | {"ms": 3.4, "mew": 0.7}
        loss = some["score_left_out"] - some["score"]
        style.dots(scores, some["rank"], loss, some["system"], **look, mfc="none")
        change = some["rank_left_out"] - some["rank"]
        for chosen, fill in (
            (some["passed_significant"] == 0, "none"),
            (some["passed_significant"] > 0, look["color"]),
        ):
            of = some[chosen]
            style.dots(ranks, of["rank"], change[chosen], of["system"], **look, mfc=fill)
    ranks.yaxis.get_major_locator().set_params(integer=True)


@style.themed
def ancova_diagnostics(diagnostics: pd.DataFrame, notes: str = "") -> Figure:
    """Draw what the assumptions of the analysis of covariance are checked by.

    Parameters
    ----------
    diagnostics
        As `residual_diagnostics` gives: ``measure, depth, fitted, residual,
        standardised, quantile``.  For each measure residuals against fitted values, standardised
        residuals against normal quantiles, and standardised residuals by depth.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If the table has no rows or lacks a column.
    """
    columns = "depth fitted residual standardised quantile"
    panels = _panels(diagnostics, ["measure"], columns, "ancova/diagnostics")
    grid = style.panel_grid(
        3 * len(panels),
        1,
        pitch=130,
        height=1.8,
        notes=notes,
        side=0.6,
        share_x=False,
        share_y=False,
    )
    maps = []
    for number, ((measure,), rows) in enumerate(panels):
        first = 3 * number
        fitted, quantiles, by_depth = grid.axes[first : first + 3]
        defined = rows.dropna(subset=["standardised", "quantile"])
        maps += _cloud(fitted, rows["fitted"], rows["residual"])
        fitted.axhline(0, color=style.BLACK, ls=":", lw=0.8)
        _titled(grid, first, f"{measure}: fitted", plural(len(rows), "score"))
        fitted.set_ylabel("residual")
        maps += _cloud(quantiles, defined["quantile"], defined["standardised"])
        if len(defined):
            reach = np.abs(defined["quantile"]).max() * np.array([-1, 1])
            quantiles.plot(reach, reach, color=style.BLACK, ls=":", lw=0.8)
        _titled(grid, first + 1, f"{measure}: normal quantiles", plural(len(defined), "score"))
        quantiles.set_ylabel("standardised residual")
        depths = sorted(rows["depth"].unique())
        groups = [defined.loc[defined["depth"] == depth, "standardised"] for depth in depths]
        _boxes(by_depth, groups, np.arange(len(depths)), 0.6, BLUE)
        by_depth.axhline(0, color=style.BLACK, ls=":", lw=0.8)
        labels = [f"{depth:g}" for depth in depths]
        style.label_positions(by_depth, labels, range(len(depths)), grid.pitch / len(depths))
        by_depth.set_xlim(-0.6, len(depths) - 0.4)
        _titled(grid, first + 2, f"{measure}: depth", plural(len(depths), "depth"))
        by_depth.set_ylabel("standardised residual")
        if number + 1 == len(panels):
            fitted.set_xlabel("fitted score")
            quantiles.set_xlabel("quantile of the normal distribution")
            by_depth.set_xlabel("pool depth d′")
        for axes in (fitted, quantiles, by_depth):
            axes.grid(axis="y")
    if maps:
        _count_bar(grid, maps, "scores")
    return grid.figure


def _cloud(axes: Axes, x: pd.Series, y: pd.Series) -> list:
    """Points; where there are many, how many lie where (that artist is returned)."""
    if len(x) <= MAP_POINTS:
        axes.plot(x, y, "o", color=BLUE, ms=2, mew=0, alpha=0.6, rasterized=True)
        return []
    return [
        axes.hexbin(x, y, gridsize=40, mincnt=1, linewidths=0, cmap=COUNT_COLORMAP, rasterized=True)
    ]


# --- what several figures share ------------------------------------------------------------------


def _difference_boxes(
    panels: Sequence[tuple[tuple, pd.DataFrame]], by: str, x_label: str, y_label: str, notes: str
) -> Figure:
    """Boxes of ``difference`` for each value of a column, a panel for each measure."""
    values = sorted({value for _, rows in panels for value in rows[by].unique()})
    columns = side_by_side(len(panels))
    grid = style.panel_grid(
        len(panels), len(values), pitch=12, height=2.0, notes=notes, columns=columns
    )
    for index, ((measure,), rows) in enumerate(panels):
        axes = grid.axes[index]
        groups = [rows.loc[rows[by] == value, "difference"] for value in values]
        axes.axhline(0, color=style.GREY, lw=0.6, zorder=0.9)
        _boxes(axes, groups, np.arange(len(values)), 0.6, BLUE)
        axes.set_xlim(-0.6, len(values) - 0.4)
        labels = [f"{value:g}" for value in values]
        style.label_positions(axes, labels, range(len(values)), grid.pitch, grid.is_bottom(index))
        axes.grid(axis="y")
        style.label_y(grid, index, y_label)
        if grid.is_bottom(index):
            axes.set_xlabel(x_label)
        each = max(len(group) for group in groups)
        style.panel_title(grid, index, measure, f"{plural(each, 'ranking')} a box")
    return grid.figure


def _boxes(
    axes: Axes, groups: Sequence[pd.Series], places: np.ndarray, width: float, color: str
) -> None:
    """Tukey's boxes: whiskers to the last value within 1.5 times the box's height, dots beyond."""
    stats = boxplot_stats([group.dropna().to_numpy(dtype=float) for group in groups])
    line = {"color": color, "lw": 0.8}
    axes.bxp(
        stats,
        positions=places,
        widths=width,
        patch_artist=True,
        manage_ticks=False,
        showcaps=False,
        boxprops={"fc": style.tint(color), "ec": color, "lw": 0.8},
        whiskerprops=line,
        medianprops=line | {"lw": 1.4},
        flierprops={
            "marker": "o",
            "ms": 1.3,
            "mew": 0,
            "mfc": color,
            "alpha": 0.35,
            "rasterized": True,
        },
    )


def _panels(
    table: pd.DataFrame, keys: Sequence[str], columns: str, source: str
) -> list[tuple[tuple, pd.DataFrame]]:
    """The rows of each panel, by what identifies it, in the order of the table."""
    missing = [name for name in (*keys, *columns.split()) if name not in table.columns]
    if missing:
        raise ParameterError(
            f"the table has no column {', '.join(missing)}: give the table {source}"
        )
    if table.empty:
        raise ParameterError(f"the table {source} has no rows: there is nothing to draw")
    if not keys:
        return [((), table)]
    return list(table.groupby(list(keys), sort=False, observed=True))


def _shades(count: int) -> list[str]:
    """Colours of an ordered quantity, dark to light, none too light for white paper."""
    return [to_hex(color) for color in colormaps[style.ALPHA_COLORMAP](np.linspace(0, 0.88, count))]


def _count_bar(grid: style.Grid, maps: Sequence, what: str) -> None:
    """One logarithmic scale of counts for all hexagons of a figure."""
    highest = max((found.get_array().max() for found in maps if len(found.get_array())), default=1)
    norm = LogNorm(1, max(10.0, float(highest)))
    for found in maps:
        found.set_norm(norm)
    grid.figure.colorbar(
        maps[0], ax=grid.axes, label=f"{what} in a hexagon", aspect=25, pad=0.01, fraction=0.05
    ).outline.set_visible(False)


def _with_test(measure: str, test: str, panels: Sequence[tuple[tuple, pd.DataFrame]]) -> str:
    tests = {key[1] for key, _ in panels}
    return measure if len(tests) == 1 else f"{measure}, {TEST_LABELS.get(test, test)}"


def _titled(grid: style.Grid, index: int, title: str, count: str) -> None:
    letter = style.panel_letter(index, len(grid.axes))
    style.stacked_title(grid.axes[index], letter + title, count)


def _number(value: float, digits: int) -> str:
    """With a minus as typeset, and none before 0."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


figure_3_4 = ranges_under_ties
figure_3_6 = figure_3_7 = banding_differences
figure_3_8 = figure_3_9 = figure_3_10 = figure_3_11 = p_values_of_bands
figure_4_1 = rbp_by_depth
figure_4_2 = tau_against_residual
figure_4_3 = nearest_phi_by_relevant
figure_4_6 = movements_by_depth
figure_4_7 = trends_of_p_values
figure_4_8 = movements_against_residual
figure_ranges = exact_ranges_of_systems
figure_power = discriminative_power
figure_ancova = ancova_diagnostics


def figure_4_5(sizes: pd.DataFrame, *, depths: Sequence[int] | None, notes: str = "") -> Figure:
    """Sizes of the pools of some depths, or of all; see `pool_sizes_by_depth`."""
    poolings = sizes["pooling"].astype(str)
    wanted = poolings.str.startswith("Depth@")
    if depths is not None:
        wanted = poolings.isin([f"Depth@{depth}" for depth in depths])
    return pool_sizes_by_depth(sizes[wanted], notes)


def figure_leave_one_out(systems: Mapping[str, pd.DataFrame], *, notes: str = "") -> Figure:
    """All analyses of a collection one after the other; see `left_out_systems`."""
    return left_out_systems(pd.concat(list(systems.values()), ignore_index=True), notes)
