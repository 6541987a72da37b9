"""Which judge ranks systems less like the reference than the best one does.

Each judge is used in one way that is fixed in advance: labels on the reference's scale, or a
coarser one, as they are; values on a finer scale under the one cut for all topics, held out.
Intervals are of differences over the same draws of topics, and *simultaneous*: with 95 % all of
them hold at once, whichever judge came out best.  They are as wide as the largest difference among
all pairs of judges needs, in the draws, in units of its standard deviation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.intervals import INTERVALS
from regrade.kendall import TOLERANCE
from regrade.percentiles import CONFIDENCE

MARGIN = 0.02
"""Differences of τ_b within this count as none."""

VERDICTS = ("best", "worse", "as good", "not told apart")
"""Above: the best itself; all of the interval below 0; all above −`MARGIN`; neither."""


@dataclass(frozen=True, eq=False)
class Ranked:
    """How like the reference one judge ranks systems.

    Attributes
    ----------
    key
        The columns that identify it: judge, cut, held_out, measure.
    topics
        On which.
    values : array of float64, shape (1 + B,)
        τ_b on these topics, then on B draws of them, the same draws for the same topics.
    """

    key: dict[str, object]
    topics: tuple[str, ...]
    values: np.ndarray


def differences_table(ranked: Sequence[Ranked]) -> pd.DataFrame:
    """How much less each judge's τ_b is than that of the best (table ``judges/differences``)."""
    rows = []
    for measure in dict.fromkeys(judge.key["measure"] for judge in ranked):
        of = [judge for judge in ranked if judge.key["measure"] == measure]
        of = [judge for judge in of if np.isfinite(judge.values).all()]
        if of:
            ((most, _),) = Counter(judge.topics for judge in of).most_common(1)
            of = [judge for judge in of if judge.topics == most]
            values = np.stack([judge.values for judge in of])
            rows += [of[place].key | row for place, row in beside_the_best(values, len(most))]
    return pd.DataFrame(rows, columns=columns_of("judges/differences"))


def beside_the_best(
    values: np.ndarray, topics: int
) -> Iterator[tuple[int, dict[str, float | str]]]:
    """Each judge, the best first, and its difference from the best."""
    order = np.argsort(-np.nan_to_num(values[:, 0], nan=-2), kind="stable")
    values = values[order]
    low, high = simultaneous_ends(values, topics)
    for place, judge in enumerate(order):
        ends = (low[place], high[place]) if place else (np.nan, np.nan)
        word = verdict(*ends) if place else VERDICTS[0]
        difference = values[place, 0] - values[0, 0]
        row = {"difference": difference, "low": ends[0], "high": ends[1], "verdict": word}
        yield int(judge), row


def verdict(low: float, high: float) -> str:
    """One of `VERDICTS`, of the ends of an interval of a difference from the best."""
    if high < 0:
        return VERDICTS[1]
    return VERDICTS[2] if low > -MARGIN else VERDICTS[3]


def simultaneous_ends(values: np.ndarray, topics: int) -> np.ndarray:
    """Intervals of differences from the first judge, all of which hold at once."""
    if topics < INTERVALS["best_judge"].fewest or values.shape[1] < 2:
        return np.full((2, len(values)), np.nan)
    drawn = values[:, 1:] - values[:, 1:].mean(axis=1, keepdims=True)
    largest, spreads = np.zeros(drawn.shape[1]), np.zeros(len(values))
    for judge in range(len(values)):
        apart = drawn - drawn[judge]
        spread = apart.std(axis=1)
        if judge == 0:
            spreads = spread
        differ = spread > TOLERANCE
        if differ.any():
            relative = np.abs(apart[differ]) / spread[differ, None]
            largest = np.maximum(largest, relative.max(axis=0))
    half = np.quantile(largest, CONFIDENCE) * sqrt(topics / (topics - 1)) * spreads
    difference = values[:, 0] - values[0, 0]
    return np.stack([difference - half, difference + half])
