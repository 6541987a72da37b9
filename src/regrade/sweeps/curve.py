"""The specification curve: universes in the order of an outcome, with the choices of each.

Universes count by the weights of their levels (`regrade.sweeps.axes`).  Of more than `PLACES`, the
curve has that many places of the same weight; universes with one outcome share theirs evenly, so
that their order among themselves changes nothing.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.sweeps.sweep import Sweep

PLACES = 200
"""More than this many universes lie close together on the curve."""


class Curve:
    """The universes of a sweep, to be put in order.

    Parameters
    ----------
    sweep
        The sweep.
    """

    def __init__(self, sweep: Sweep):
        conditions = sweep.design.conditions
        self._possible = np.repeat(sweep.possible, sweep.counts, axis=0)
        per_label = np.repeat(1.0 / sweep.counts, sweep.counts)
        self._weights = per_label[:, None] * conditions.weights
        self._names = [labels.entry.text for labels in sweep.labels]
        self._of_label = np.repeat(np.arange(len(sweep.counts)), sweep.counts)
        self._axes = [(axis.name, *conditions.entries(a)) for a, axis in enumerate(conditions.axes)]
        self._baseline = (
            int(np.searchsorted(self._of_label, sweep.design.baseline_entry)),
            sweep.design.baseline_condition,
        )

    def tables(self, outcome: str, values: np.ndarray) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The curve of an outcome."""
        label, condition = np.nonzero(self._possible & np.isfinite(values))
        own = values[label, condition]
        order = np.argsort(own, kind="stable")
        label, condition, own = label[order], condition[order], own[order]
        if not len(own):
            empty = ("sweeps/curve", "sweeps/curve_choices")
            return tuple(pd.DataFrame(columns=columns_of(name)) for name in empty)
        reached = np.append(0.0, np.cumsum(self._weights[label, condition]))
        if len(own) <= PLACES:
            knots = np.arange(len(own) + 1)
            edges = reached
        else:  # universes of one outcome begin and end together
            knots = np.append(np.flatnonzero(np.diff(own, prepend=-np.inf)), len(own))
            edges = reached[-1] * np.arange(PLACES + 1) / PLACES
        is_baseline = (label == self._baseline[0]) & (condition == self._baseline[1])
        curve = pd.DataFrame(
            {
                "outcome": outcome,
                "place": np.arange(1, len(edges)),
                "start": edges[:-1] / reached[-1],
                "stop": edges[1:] / reached[-1],
                "low": own[_universe_at(reached, edges[:-1], "right")],
                "high": own[_universe_at(reached, edges[1:], "left")],
                "at_baseline": _holds(is_baseline, knots, reached, edges),
            }
        )
        parts = []
        axes = [("labels", self._names, self._of_label[label])]
        axes += [(axis, names, place[condition]) for axis, names, place in self._axes]
        for axis, names, place in axes:
            for e, entry in enumerate(names if len(names) > 1 else []):
                upto = np.append(0.0, np.cumsum(np.diff(reached) * (place == e)))[knots]
                share = np.diff(np.interp(edges, reached[knots], upto)) / np.diff(edges)
                columns = {"outcome": outcome, "place": curve["place"], "axis": axis}
                columns |= {"entry": entry, "share": share.clip(0, 1)}
                parts.append(pd.DataFrame(columns))
        choices = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
        return curve, choices.reindex(columns=columns_of("sweeps/curve_choices"))


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
