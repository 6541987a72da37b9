"""The figure beneath the answer about workers."""

from __future__ import annotations

import pandas as pd

from regrade.audit.crowd import FEWEST
from regrade.show import style
from regrade.show.style import Figure, LogLocator
from regrade.wording import counted

WIDE = 10
"""Numbers of documents are on a logarithmic axis where the most are more than so many times the
fewest: within less it would have no whole ticks."""


@style.themed
def figure_workers(workers: pd.DataFrame) -> Figure:
    """Draw how each worker agrees with the others, beside how many documents they share."""
    known = workers[workers["tau"].notna()]
    if known.empty:
        return style.words("No worker shares enough documents with others.")
    if len(known) < style.FEWEST_DRAWN:
        return style.undrawn(len(known), "worker")
    figure, axes = style.new_axes(style.SINGLE_COLUMN, 2.4)
    few = known["shared"] < FEWEST
    groups = (
        (
            known[~few & ~known["disagrees"]],
            "better than chance",
            style.CUT_COLORS[0],
            "o",
        ),
        (known[~few & known["disagrees"]], "not better than chance", style.CUT_COLORS[5], "X"),
        (known[few], f"fewer than {FEWEST} documents", style.GREY, "."),
    )
    handles = []
    for of, label, color, marker in groups:
        look = {"marker": marker, "color": color, "ms": 3.5}
        style.dots(axes, of["shared"], of["tau"], of["worker"], **look)
        handles.append(style.mark(f"{label}: {counted(len(of), 'worker')}", ls="", **look))
    axes.axhline(0, color=style.GREY, lw=0.6, zorder=0.5)
    if known["shared"].max() > WIDE * known["shared"].min():
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    else:
        style.whole_numbers(axes.xaxis, fewest=1)
    style.tick_texts(axes.xaxis, ",.0f", minor=False)
    axes.grid(axis="y")
    axes.set(xlabel="documents shared with others", ylabel=r"$\tau_b$ with the others' medians")
    return style.legend(figure, handles)
