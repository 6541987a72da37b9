"""Figures of fewer pairs: subsets, policies, when to stop, judges' cycles.

They go past the thesis.  Each takes a table of the stages ``pair_budgets`` or ``pair_worlds`` as it
is; nothing is computed here that a table should hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from regrade.choices import PAIR_POLICIES
from regrade.errors import ParameterError
from regrade.show import style

COEFFICIENTS = {"tau_b": r"$\tau_b$", "tau_ap": r"$\tau_{ap}$", "overlap": "overlap of the best"}
KINDS = {"random": "at random", "fitted": "with an order (fitted)"}
FEWEST = 10
"""Worlds of which a share is drawn."""
_LINE = {"ms": 3.0, "lw": 1.0}
_ALL = "all answers"


@style.themed
def figure_subsets(subsets: pd.DataFrame, notes: str = "") -> Figure:
    """Draw means and the middle of subsets against the share of pairs, a line for each method.

    A panel for what is ranked, measure, coefficient and draw; dashed where labels are held beside.

    Raises
    ------
    ParameterError
        If the table has no rows.
    """
    keys = ["ranked", "measure", "coefficient", "draw"]
    panels = _panels(subsets, keys)
    looks = style.looks(list(dict.fromkeys(subsets["method"].astype(str))))
    grid = style.panel_grid(
        len(panels), 10, pitch=10, height=1.8, notes=notes, columns=3, share_y=False
    )
    for index, ((ranked, measure, coefficient, draw), some) in enumerate(panels):
        axes = grid.axes[index]
        for (method, reference), line in some.groupby(["method", "reference"], sort=False):
            look = looks[method]
            is_all = reference == _ALL
            axes.plot(
                line["share"],
                line["mean"],
                **{**look, "ls": "-" if is_all else "--"},
                **_LINE,
                alpha=1.0 if is_all else 0.7,
            )
            if is_all:
                ends = line["low"].astype(float), line["high"].astype(float)
                axes.fill_between(line["share"], *ends, color=look["color"], alpha=0.25, lw=0)
        axes.set_xlim(-0.04, 1.04)
        _label(grid, index, "share of pairs", COEFFICIENTS[coefficient], shared=False)
        count = f"{some['repeats'].max()} subsets of each size"
        style.panel_title(grid, index, _title(ranked, measure, draw), count)
    handles = [Line2D([], [], **looks[m], **_LINE, label=m) for m in looks]
    if subsets["reference"].astype(str).ne(_ALL).any():
        others = dict.fromkeys(subsets["reference"].astype(str))
        names = ", ".join(name for name in others if name != _ALL)
        handles += [Line2D([], [], color=style.GREY, ls="-", label="with the ranking by all")]
        handles += [Line2D([], [], color=style.GREY, ls="--", label=f"with that of {names}")]
    style.legend(grid.figure, handles)
    return grid.figure


@style.themed
def figure_policies(policies: pd.DataFrame, notes: str = "") -> Figure:
    """Draw each policy's values, and differences from random, against questions per document.

    Left what is reached, right the difference from ``random`` with its 95 % interval; a row for
    each ranking, against the ranking by all answers.

    Raises
    ------
    ParameterError
        As `figure_subsets`.
    """
    ours = policies[policies["reference"].astype(str) == _ALL]
    panels = _panels(ours, ["ranked", "measure", "coefficient"])
    looks = style.looks(PAIR_POLICIES)
    asked = [policy for policy in PAIR_POLICIES if (ours["policy"].astype(str) == policy).any()]
    grid = style.panel_grid(
        2 * len(panels), 10, pitch=14, height=1.8, notes=notes, columns=2, share_y=False
    )
    for index, ((ranked, measure, coefficient), some) in enumerate(panels):
        left, right = grid.axes[2 * index : 2 * index + 2]
        for policy, line in some.groupby("policy", sort=False):
            left.plot(line["per_document"], line["value"].astype(float), **looks[policy], **_LINE)
            if policy == "random":
                continue
            values = line[["difference", "difference_low", "difference_high"]].astype(float)
            aside = (asked.index(policy) - len(asked) / 2) * 0.03
            right.errorbar(
                line["per_document"] + aside,
                values["difference"],
                np.abs(values[["difference_low", "difference_high"]].T
                       - values["difference"].to_numpy()).to_numpy(),
                **looks[policy], ms=2.5, lw=0.8, elinewidth=0.6,
            )  # fmt: skip
        right.axhline(0, color=style.GREY, lw=0.8, ls="--", zorder=0)
        _label(grid, 2 * index, "questions per document", COEFFICIENTS[coefficient], shared=False)
        _label(grid, 2 * index + 1, "questions per document", "difference", shared=False)
        n = f"{some['n'].max()} topics"
        what = "the best documents" if coefficient == "overlap" else ranked
        style.panel_title(grid, 2 * index, _title(what, measure, ""), n)
        resampled = f"95 % over {some['resampled'].iloc[0]}"
        title = _title(what, measure, "minus random")
        style.panel_title(grid, 2 * index + 1, title, resampled)
    style.legend(grid.figure, [Line2D([], [], **looks[p], **_LINE, label=p) for p in asked])
    return grid.figure


@style.themed
def figure_stopping(coverage: pd.DataFrame, notes: str = "") -> Figure:
    """Draw the share of true statements against the promised confidence, with 95 % intervals.

    A panel for each kind of world, policy and rule; a line for each spread that the rule assumes.
    Shares of less than `FEWEST` worlds in which the rule stopped are not drawn.

    Raises
    ------
    ParameterError
        As `figure_subsets`.
    """
    coverage = coverage.assign(
        assumed=[
            "estimated" if np.isnan(x) else f"{x:g}" for x in coverage["assumed"].astype(float)
        ]
    )
    panels = sorted(
        _panels(coverage, ["world", "spread", "policy", "rule"]),
        key=lambda panel: [list(coverage[k].unique()).index(v) for k, v in
                           zip(("world", "spread", "policy", "rule"), panel[0], strict=True)],
    )  # fmt: skip
    looks = style.looks(list(dict.fromkeys(coverage["assumed"])))
    made = [f"{spread:g}" for spread in coverage["spread"].unique()]
    grid = style.panel_grid(len(panels), 8, pitch=10, height=1.7, notes=notes, columns=4)
    for index, ((world, spread, policy, rule), some) in enumerate(panels):
        axes = grid.axes[index]
        low = coverage["confidence"].min()
        axes.plot([low, 1], [low, 1], color=style.GREY, lw=0.8, ls="--", zorder=0)
        for place, (assumed, line) in enumerate(some.groupby("assumed", sort=False)):
            line = line[line["stopped"] >= FEWEST]
            values = line[["share", "low", "high"]].astype(float)
            errors = np.array([values["share"] - values["low"], values["high"] - values["share"]])
            axes.errorbar(
                line["confidence"] + (place - 1) * 0.006, values["share"], np.maximum(errors, 0),
                **looks[assumed], ms=2.5, lw=0.8, elinewidth=0.6,
            )  # fmt: skip
        axes.set_ylim(-0.03, 1.03)
        _label(grid, index, "confidence promised", "share kept")
        what = r"$\tau$" if rule == "tau" else "best"
        reach = f"{what} ≥ {some['target'].iloc[0]:g}"
        of = f"spread {spread:g}" if len(made) > 1 else f"{some['worlds'].max()} worlds"
        style.panel_title(grid, index, f"{world}, {policy}", f"{reach}, {of}")
    handles = [Line2D([], [], **looks[a], **_LINE, label=a) for a in looks]
    title = f"spread that the rule assumes, where it is {' or '.join(made)}"
    style.legend(grid.figure, handles, title=title)
    return grid.figure


@style.themed
def figure_intransitivity(transitivity: pd.DataFrame, notes: str = "") -> Figure:
    """Draw shares that are violated with 95 % intervals, and beside them the baselines' ranges.

    A panel for each scope and quantity; a place for each judge.

    Raises
    ------
    ParameterError
        As `figure_subsets`.
    """
    known = transitivity[transitivity["share"].notna()]
    panels = _panels(known, ["scope", "quantity"])
    judges = list(dict.fromkeys(known["judge"].astype(str)))
    grid = style.panel_grid(
        len(panels), 4 * len(judges), pitch=10, height=1.7, notes=notes, columns=3, share_y=False
    )
    colors = dict(zip(KINDS, (style.LIGHT_GREY, style.tint(style.CUT_COLORS[1])), strict=True))
    for index, ((scope, quantity), some) in enumerate(panels):
        axes = grid.axes[index]
        for row in some.itertuples():
            place = judges.index(str(row.judge))
            for side, kind in enumerate(KINDS):
                ends = [float(getattr(row, f"{kind}_{end}")) for end in ("low", "high")]
                if not np.isnan(ends).any():
                    _band(axes, place + 0.18 * side, ends, colors[kind])
            errors = [[row.share - row.low], [row.high - row.share]]
            axes.errorbar(
                [place - 0.18], [row.share], np.maximum(np.array(errors, dtype=float), 0),
                color=style.CUT_COLORS[0], marker="o", ms=4, lw=0, elinewidth=1,
            )  # fmt: skip
        axes.set_xlim(-0.5, len(judges) - 0.5)
        axes.set_ylim(0)
        style.label_positions(axes, judges, range(len(judges)), 4 * grid.pitch, True)
        axes.set_ylabel("share violated" if grid.is_left(index) else "")
        axes.grid(axis="y")
        unit = "pairs" if quantity == "feedback" else "triples"
        counts = dict.fromkeys(f"{int(n):,}" for n in some["n"])
        style.panel_title(grid, index, f"{quantity}, {scope}", f"{' and '.join(counts)} {unit}")
    point = Line2D([], [], color=style.CUT_COLORS[0], marker="o", ms=4, lw=1, label="the judge")
    bands = [Patch(fc=colors[kind], label=name) for kind, name in KINDS.items()]
    style.legend(grid.figure, [point, *bands])
    return grid.figure


def _band(axes: Axes, place: float, ends: Sequence[float], color: object) -> None:
    # thin ones are a line
    axes.vlines(place, *ends, color=color, lw=6, zorder=1)
    axes.hlines(ends, place - 0.07, place + 0.07, color=style.GREY, lw=0.5, zorder=2)


def _panels(table: pd.DataFrame, keys: Sequence[str]) -> list[tuple[tuple, pd.DataFrame]]:
    """The rows of each panel, by what identifies it, in the order of the table."""
    if table.empty:
        raise ParameterError("the table has no rows: there is nothing to draw")
    names: Mapping = {
        key: table[key].astype(object).where(table[key].notna(), "")
        for key in keys
        if not pd.api.types.is_numeric_dtype(table[key])
    }
    names = {**names, **{c: table[c].astype(str) for c in _NAMED if c in table and c not in names}}
    return list(table.assign(**names).groupby(list(keys), sort=False))


_NAMED = ("method", "reference", "policy")


def _title(ranked: str, measure: str, what: str) -> str:
    return ", ".join(filter(None, (ranked, measure, what)))


def _label(grid: style.Grid, index: int, x: str, y: str, shared: bool = True) -> None:
    axes = grid.axes[index]
    axes.grid(axis="y")
    if not shared or grid.is_left(index):
        axes.set_ylabel(y)
    if grid.is_bottom(index):
        axes.set_xlabel(x)
