"""The specification curve: universes in the order of an outcome, with the choices of each.

Universes count by the weights of their levels (`regrade.sweeps.axes`).  Of more than `PLACES`, the
curve has that many places of the same weight; universes with one outcome share theirs evenly, so
that their order among themselves changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.sweeps.sweep import Sweep

if TYPE_CHECKING:
    from regrade.sweeps.label_sweep import LabelSweep

PLACES = 200
"""More than this many universes lie close together on the curve."""


def curve_tables(
    sweep: Sweep | LabelSweep, outcomes: Mapping[str, np.ndarray]
) -> dict[str, pd.DataFrame]:
    """The curve of each outcome (N, K) of labels and conditions, and the choices of its places.

    Tables ``sweeps/curve`` and ``sweeps/curve_choices``.
    """
    conditions = sweep.design.conditions
    of_label = np.repeat(np.arange(len(sweep.counts)), sweep.counts)
    possible = sweep.possible[of_label]
    weights = (1.0 / sweep.counts)[of_label, None] * conditions.weights
    first = int(np.searchsorted(of_label, sweep.design.baseline_entry))
    curves, choices = [], []
    for outcome, values in outcomes.items():
        label, condition = np.nonzero(possible & np.isfinite(values))
        own = values[label, condition]
        order = np.argsort(own, kind="stable")
        label, condition, own = label[order], condition[order], own[order]
        if not len(own):
            continue
        reached = np.append(0.0, np.cumsum(weights[label, condition]))
        if len(own) <= PLACES:
            knots = np.arange(len(own) + 1)
            edges = reached
        else:  # universes of one outcome begin and end together
            knots = np.append(np.flatnonzero(np.diff(own, prepend=-np.inf)), len(own))
            edges = reached[-1] * np.arange(PLACES + 1) / PLACES
        is_baseline = (label == first) & (condition == sweep.design.baseline_condition)
        curve = {"outcome": outcome, "place": np.arange(1, len(edges))}
        curve |= {"start": edges[:-1] / reached[-1], "stop": edges[1:] / reached[-1]}
        curve["low"] = own[_universe_at(reached, edges[:-1], "right")]
        curve["high"] = own[_universe_at(reached, edges[1:], "left")]
        curve["at_baseline"] = _holds(is_baseline, knots, reached, edges)
        curves.append(pd.DataFrame(curve))
        axes = [
            (sweep.design.first, [labels.entry.text for labels in sweep.labels], of_label[label])
        ]
        for a, axis in enumerate(conditions.axes):
            names, place = conditions.entries(a)
            axes.append((axis.name, names, place[condition]))
        for axis, names, place in axes:
            for e, entry in enumerate(names if len(names) > 1 else []):
                upto = np.append(0.0, np.cumsum(np.diff(reached) * (place == e)))[knots]
                share = np.diff(np.interp(edges, reached[knots], upto)) / np.diff(edges)
                columns = {"outcome": outcome, "place": curve["place"], "axis": axis}
                columns |= {"entry": entry, "share": share.clip(0, 1)}
                choices.append(pd.DataFrame(columns))
    tables = {}
    for name, parts in (("curve", curves), ("curve_choices", choices)):
        nothing = pd.DataFrame(columns=columns_of(f"sweeps/{name}"))
        every = pd.concat(parts, ignore_index=True) if parts else nothing
        tables[name] = every[columns_of(f"sweeps/{name}")]
    return tables


def _universe_at(reached: np.ndarray, edges: np.ndarray, side: str) -> np.ndarray:
    """Which universe lies just behind (``right``) or before (``left``) each edge."""
    near = 1e-9 * reached[-1] * (1 if side == "right" else -1)
    return np.searchsorted(reached, edges + near, side="right").clip(1, len(reached) - 1) - 1


def _holds(
    is_baseline: np.ndarray, knots: np.ndarray, reached: np.ndarray, edges: np.ndarray
) -> np.ndarray:
    """Which place has the baseline: the middle of all universes with its outcome."""
    holds = np.zeros(len(edges) - 1, dtype=bool)
    at = np.flatnonzero(is_baseline)
    if len(at):
        k = int(np.searchsorted(knots, at[0], side="right"))
        middle = (reached[knots[k - 1]] + reached[knots[k]]) / 2
        holds[int(np.searchsorted(edges, middle, side="right").clip(1, len(holds))) - 1] = True
    return holds
