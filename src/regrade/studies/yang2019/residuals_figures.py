"""The figures of yang2019, §§4.3–4.5 and 4.9, of RBP's residuals."""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from regrade.catalogue import ALL_TOPICS
from regrade.show import style
from regrade.show.forms import boxes_by
from regrade.show.item_tables import Frame
from regrade.show.panels import panel_grid, require, rows_by, two_by_two
from regrade.show.style import mark
from regrade.studies.yang2019.ties_figures import FLOOR
from regrade.wording import counted

DEPTHS = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Expected depths that an axis of depths names."""

PHIS = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)
"""Values of φ that an axis of φ names."""

WIDE = 200
"""Over a wider range of residuals only powers of ten have names."""

APART = 0.06
"""Names of depths are so far apart, of the width of the axis."""

BLUE, ORANGE, _, _, _, RED, _ = style.CUT_COLORS

COEFFICIENT_LABELS = {"tau_b": style.TAU_LABEL, "rbo": "RBO"}


@style.themed
def figure_4_1(curves: Frame) -> Figure:
    """Draw Figure 4.1: RBP scores and residuals of all rankings by expected depth."""
    rows = require(curves, "residuals/rbp")
    phis = sorted(rows["phi"].unique())
    grid = panel_grid(["RBP"], len(phis), pitch=26, height=2.4)
    [panel] = grid.panels
    axes = panel.axes
    kinds = (("value", -0.2, BLUE, "score"), ("residual", 0.2, RED, "residual"))
    places = np.arange(len(phis))
    for column, offset, color, _ in kinds:
        groups = boxes_by(axes, rows, column, "phi", phis, color, offset, 0.34)
        means = [group.mean() for group in groups]
        axes.plot(places + offset, means, "-o", color=color, mec="white", mew=0.5, ms=4, zorder=4)
    axes.set_xticks(places, [f"{1 / (1 - phi):.4g}\n{phi:.4g}" for phi in phis])
    axes.set_xlim(-0.6, len(phis) - 0.4)
    axes.set_ylim(-0.03, 1.03)
    rankings = counted(len(rows) // len(phis), "ranking")
    panel.finish("RBP score and residual", rankings, "expected depth 1/(1 − φ), and φ", "RBP")
    handles = [style.swatch(label, color) for *_, color, label in kinds]
    mean = mark("mean", color=style.GREY, marker="o", ms=4, mec="white")
    return grid.with_legend([*handles, mean])


@style.themed
def figure_4_2(tau: Frame) -> Figure:
    """Draw Figure 4.2: how alike RBP and other measures rank the systems, against its residual."""
    curves = rows_by(tau, ["measure"], "residuals/tau_by_phi")
    grid = panel_grid(["RBP"], pitch=150, height=2.7)
    [axes] = grid.axes
    looks = style.looks([measure for (measure,), _ in curves])
    for (measure,), rows in curves:
        rows = rows.sort_values("depth")
        residual = rows["residual"].clip(lower=FLOOR)
        look = looks[measure]
        few = {} if len(rows) <= 2 * len(DEPTHS) else {"marker": ""}
        axes.plot(residual, rows["tau"], **look | few, **HOLLOW)
        if rows["tau"].notna().any():
            best = rows["tau"].idxmax()
            axes.plot(residual[best], rows["tau"][best], **look, ms=5.5, mec="white", mew=0.5)
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < WIDE * low else (1,)))
    style.tick_texts(axes.xaxis, minor=False)
    axes.grid()
    axes.set_xlabel("mean residual of RBP")
    axes.set_ylabel(style.TAU_LABEL)
    _depth_axis(axes, *curves[0][1].sort_values("depth")[["depth", "residual"]].to_numpy().T)
    handles = style.marks(looks, **HOLLOW)
    best = mark("highest (filled)", ls="", marker="o", color=style.GREY, ms=5.5)
    return grid.with_legend([*handles, best], columns=3)


HOLLOW = {"mfc": "white", "ms": 3.6, "mew": 0.8, "lw": 1.0}


def _depth_axis(axes: Axes, depths: np.ndarray, residuals: np.ndarray) -> None:
    """Name expected depths above, where their mean residuals are."""
    named = [depth for depth in DEPTHS if depths[0] * 0.999 <= depth <= depths[-1] * 1.001]
    places = np.interp(np.log(named), np.log(depths), residuals.clip(min=FLOOR))
    above = axes.secondary_xaxis("top")
    above.set_xscale("log")
    above.xaxis.set_major_locator(FixedLocator(places))
    above.xaxis.set_minor_locator(NullLocator())
    low, high = np.log(axes.get_xlim())
    names, last = [], -np.inf
    for depth, at in zip(named, (np.log(places) - low) / (high - low), strict=True):
        names.append(str(depth) if at - last >= APART else "")
        last = at if names[-1] else last
    above.set_xticks(places, names)
    above.set_xlabel("expected depth")


@style.themed
def figure_4_3(nearest: Frame, summary: Frame | None = None, *, tied: str = "lowest") -> Figure:
    """Draw Figures 4.3 and 4.4: each topic's nearest φ against its relevant documents.

    `tied` says which of equally near φ stands for a topic: ``lowest``, ``middle`` or ``highest``.
    """
    keys = ["measure", "coefficient"]
    panels = rows_by(nearest, keys, "residuals/nearest_phi")
    taus = _first_of(summary, keys, "residuals/nearest_summary", "tau")
    coefficients = len({coefficient for (_, coefficient), _ in panels})
    columns = coefficients if 1 < coefficients <= 3 else two_by_two(len(panels))
    grid = panel_grid(panels, pitch=140, height=2.1, side=0.35, columns=columns)
    grid.axes[0].set_yscale("function", functions=(_spread_phi, _gathered_phi))
    for panel, (key, rows) in grid:
        rows = rows[(rows["topic"].astype(str) != ALL_TOPICS) & rows["correlation"].notna()]
        axes = panel.axes
        axes.vlines(rows["relevant"], rows["phi_lowest"], rows["phi_highest"], style.GREY, lw=0.5)
        for low, high, look in STRENGTHS.values():
            some = rows[(rows["correlation"] >= low) & (rows["correlation"] < high)]
            axes.plot(some["relevant"], some[f"phi_{tied}"], mec="white", mew=0.4, **look)
        axes.set_xscale("symlog", linthresh=1)
        style.tick_texts(axes.xaxis, ",.0f")
        measure, coefficient = key
        name = f"{measure}, {COEFFICIENT_LABELS.get(coefficient, coefficient)}"
        tau = taus.get(key, np.nan)
        count = counted(len(rows), "topic")
        count += rf", $\tau_b$ of φ and R = {style.number(tau, 3)}" if np.isfinite(tau) else ""
        x, y = "relevant documents R of the topic", "nearest φ"
        panel.finish(name, count, x, y, grid="xy", bare="xy")
        if (panel.index + 1) % grid.columns == 0 or panel is grid.panels[-1]:
            _expected_depths_at_the_right(panel.axes)
    relevant = nearest.loc[nearest["topic"].astype(str) != ALL_TOPICS, "relevant"]
    shared = grid.axes[0]
    shared.set_ylim(0.48, 0.9993)
    shared.yaxis.set_major_locator(FixedLocator(PHIS))
    style.tick_texts(shared.yaxis, minor=False)
    # one without relevant documents stands at 0
    shared.set_xlim(0.8 * relevant.min(), 1.3 * max(relevant.max(), 1))
    looks = {name: look for name, (_, _, look) in STRENGTHS.items()}
    line = mark("all equally near φ", color=style.GREY, lw=0.5)
    return grid.with_legend([*style.marks(looks, mec="white", mew=0.4), line])


def _first_of(
    summary: Frame | None, keys: list[str], source: str, column: str
) -> dict[tuple, float]:
    """What a summary says of each panel; nothing without one."""
    if summary is None:
        return {}
    return {key: rows[column].iloc[0] for key, rows in rows_by(summary, keys, source)}


def _expected_depths_at_the_right(axes: Axes) -> None:
    right = axes.secondary_yaxis("right")
    right.set_yscale("function", functions=(_spread_phi, _gathered_phi))
    right.yaxis.set_major_locator(FixedLocator(PHIS))
    right.yaxis.set_major_formatter(FuncFormatter(lambda phi, _: f"{1 / (1 - phi):.0f}"))
    right.yaxis.set_minor_locator(NullLocator())
    right.set_ylabel("expected depth")


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
def figure_4_8(movements: Frame, correlations: Frame | None = None) -> Figure:
    """Draw Figures 4.8 and 4.9: what judging deeper does to scores, against the RBP residual."""
    keys = ["measure"]
    panels = rows_by(movements, keys, "pools/movements")
    taus = _first_of(correlations, keys, "pools/movement_correlations", "tau_difference")
    depths = sorted(movements["depth"].unique())
    # dark to light, none too light for white paper
    shades = colormaps[style.ALPHA_COLORMAP](np.linspace(0, 0.88, len(depths)))
    colors = dict(zip(depths, map(to_hex, shades), strict=True))
    grid = panel_grid(panels, pitch=140, height=2.3, columns=two_by_two(len(panels)))
    for panel, (key, rows) in grid:
        panel.axes.axhline(0, color=style.GREY, lw=0.6, zorder=0.9)
        for depth, color in colors.items():
            # the deeper move less: drawn last, they leave the others to be seen
            some = rows[rows["depth"] == depth]
            look = {"color": color, "ms": 1.5, "mew": 0, "alpha": 0.6, "rasterized": True}
            panel.axes.plot(some["residual"], some["difference"], "o", **look)
        count, tau = counted(len(rows), "score"), taus.get(key, np.nan)
        count += rf", $\tau_b$ = {style.number(tau, 2)}" if np.isfinite(tau) else ""
        panel.finish(key[0], count, "RBP residual", "score − baseline score", grid="xy")
    named = {f"d′ = {depth}": {"color": color} for depth, color in colors.items()}
    return grid.with_legend(style.marks(named, ls="", marker="o", ms=4, mew=0))
