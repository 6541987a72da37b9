"""The figures of judges beside a reference.  Nothing is computed here that a table should hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from regrade.errors import ParameterError
from regrade.evaluations.judges_tables import WAYS, ways
from regrade.show import style

LOOKS = {
    "uncut": ("#000000", "D", "full"),
    "rounded": ("#E69F00", "s", "full"),
    "one cut": ("#0072B2", "o", "none"),
    "one cut, held out": ("#0072B2", "o", "full"),
    "a cut per topic": ("#009E73", "^", "none"),
    "a cut per topic, held out": ("#009E73", "^", "full"),
    "one cut by τ_b": ("#CC79A7", "v", "none"),
    "one cut by τ_b, held out": ("#CC79A7", "v", "full"),
}
"""Colour, marker and fill; hollow: chosen by what it is judged on."""

NAMED = ("#56B4E9", "P", "full")
BEST = ("a cut per topic, held out", "one cut, held out", "rounded", "uncut")
"""By which of a judge's rows judges are ordered: the first that it has."""

CHANGES = {"appears": "#DDAA33", "disappears": "#BB5566", "reverses": "#000000"}


@style.themed
def figure_judge_labels(agreement: pd.DataFrame) -> Figure:
    """Mean α over topics, α and weighted κ of all documents, by judge and what was done."""
    rows = ways(agreement).astype({"quantity": str})
    rows = rows[rows["value"].notna()]
    titles = {"mean_alpha": "mean α over topics", "alpha": "α of all documents"}
    titles["weighted_kappa"] = "weighted κ of all documents"
    return _dots(rows, titles, "mean_alpha")


@style.themed
def figure_judge_systems(
    rankings: pd.DataFrame, pairs: pd.DataFrame, *, measure: str | None = None
) -> Figure:
    """τ_b and τ_ap of the systems by judge and what was done; pairs whose significance changes."""
    rows = ways(rankings).astype({"quantity": str, "measure": str})
    known = list(dict.fromkeys(rows["measure"]))
    chosen = known[0] if measure is None and known else str(measure)
    rows = rows[(rows["measure"] == chosen) & rows["value"].notna()]
    if rows.empty:
        raise ParameterError(f"no ranking by {chosen}: the judges are ranked by {', '.join(known)}")
    titles = {"tau": rf"$\tau_b$, {chosen}", "tau_ap": rf"$\tau_{{ap}}$, {chosen}"}
    counts = ways(pairs).astype({"change": str, "measure": str})
    return _dots(rows, titles, "tau", counts[counts["measure"] == chosen])


def _dots(
    rows: pd.DataFrame, titles: dict[str, str], by: str, counts: pd.DataFrame | None = None
) -> Figure:
    """A panel for each quantity, a line for each judge and way, with its interval."""
    if rows.empty:
        raise ParameterError("no judge's labels are on the reference's scale: name other judges")
    judges = _ordered(rows, by)
    of_judges = rows.groupby("judge")["labels"].unique()
    lines = [(judge, labels) for judge in judges for labels in of_judges[judge]]
    step, gap = 1.0, 0.9
    place, y = {}, 0.0
    for i, line in enumerate(lines):
        y += 0 if i == 0 else step + (gap if line[0] != lines[i - 1][0] else 0)
        place[line] = y
    panels = len(titles) + (counts is not None)
    figure = style.new_figure(style.DOUBLE_COLUMN, min(9.0, 1.0 + 0.078 * y))
    every = figure.subplots(1, panels, sharey=True)
    for index, (quantity, title) in enumerate(titles.items()):
        axes = every[index]
        for row in rows[rows["quantity"] == quantity].itertuples():
            look, y = _look(row.labels), place[row.judge, row.labels]
            axes.plot([row.low, row.high], [y, y], color=look["color"], lw=0.7, alpha=0.6)
            axes.plot([row.value], [y], **look, ms=3.2, mew=0.7)
        axes.set_xlabel(title)
        axes.grid(axis="x")
    changes = [] if counts is None else _bars(every[-1], counts, place)
    of_judge = {j: [y for (name, _), y in place.items() if name == j] for j in judges}
    every[0].set_yticks([sum(own) / len(own) for own in of_judge.values()], judges)
    every[0].set_ylim(max(place.values()) + 1, -1)
    for axes in every:
        axes.tick_params(axis="y", length=0)
        for judge in judges[1:]:
            axes.axhline(min(of_judge[judge]) - 0.95, color=style.GREY, lw=0.4, alpha=0.6)
    names = [n for n in [*WAYS.values(), *rows["labels"]] if n in set(rows["labels"])]
    looks = {style.set_signs(name): _look(name) for name in names}
    style.legend(figure, [*style.marks(looks, ms=4, lw=0.7), *changes])
    return figure


def _ordered(rows: pd.DataFrame, by: str) -> list[str]:
    """Judges by the value of their best row that saw nothing of what judges it, highest first.

    Last those without any: τ_b is undefined where all systems tie.
    """
    own = rows[rows["quantity"] == by]
    highest = dict.fromkeys(rows["judge"], -np.inf)
    for judge, some in own.groupby("judge", sort=False):
        values = some.set_index("labels")["value"]
        highest[judge] = next((values[name] for name in BEST if name in values), values.iloc[0])
    return sorted(highest, key=lambda judge: (-highest[judge], judge))


def _look(labels: str) -> dict[str, str]:
    names = ("color", "marker", "fillstyle")
    return dict(zip(names, LOOKS.get(labels, NAMED), strict=True))


def _bars(axes: Axes, counts: pd.DataFrame, place: dict) -> list[Line2D]:
    """How many pairs change, from the reference to the judge; what a legend shows of them."""
    start = dict.fromkeys(place, 0)
    for change, color in CHANGES.items():
        for row in counts[counts["change"] == change].itertuples():
            line = (row.judge, row.labels)
            if line in place:
                axes.barh(place[line], row.pairs, 0.8, left=start[line], color=color, lw=0)
                start[line] += row.pairs
    axes.set_xlabel("pairs that change significance")
    axes.grid(axis="x")
    named = {f"significance {change}": {"color": color} for change, color in CHANGES.items()}
    return style.marks(named, ls="", marker="s", ms=4)
