"""Scores by several judges, on the systems, items and measures that all of them have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from regrade.errors import MethodError
from regrade.item_scores.scores import ScoreDesign
from regrade.scoring import Scores
from regrade.wording import counted

NO_LABELS = "Labels of documents were not compared (α, κ, confusion): scores by item have none."
"""What an answer about several judges' scores says."""

AXES = {"systems": "system", "topics": "item", "measures": "measure"}
"""What scores are of, and what one of each is called."""


def aligned(designs: Sequence[ScoreDesign]) -> tuple[list[Scores], list[str]]:
    """Scores on equal axes, as the first has these; and what must be said of how they were read.

    Raises
    ------
    MethodError
        If they share no system, item or measure.
    """
    axes = {axis: _shared(designs, axis) for axis in AXES}
    scores = [_only(one.scores, axes) for one in designs]
    left_out = [note for axis, shared in axes.items() for note in _left_out(designs, axis, shared)]
    return scores, [*(note for one in designs for note in one.notes), *left_out, NO_LABELS]


def _shared(designs: Sequence[ScoreDesign], axis: str) -> tuple[str, ...]:
    first, *others = (getattr(one.scores, axis) for one in designs)
    common = set(first).intersection(*others)
    if not common:
        names = ", ".join(one.name for one in designs)
        raise MethodError(
            f"{names} share no {AXES[axis]} (such as {first[0]} and {others[0][0]}): give scores "
            "of the same systems on the same items by a measure of one name"
        )
    return tuple(name for name in first if name in common)


def _only(scores: Scores, axes: dict[str, tuple[str, ...]]) -> Scores:
    places = [
        [{name: i for i, name in enumerate(getattr(scores, axis))}[name] for name in names]
        for axis, names in axes.items()
    ]
    values = scores.values[np.ix_(*places)]
    return Scores(*axes.values(), values, np.full(values.shape, np.nan))


def _left_out(designs: Sequence[ScoreDesign], axis: str, shared: Sequence[str]) -> Iterator[str]:
    """What of an axis some judges have and not all."""
    for one in designs:
        if more := len(getattr(one.scores, axis)) - len(shared):
            yield (
                f"{counted(more, AXES[axis])} of {one.name} {'was' if more == 1 else 'were'} left "
                "out, because not every judge has scores there."
            )
