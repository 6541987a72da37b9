"""How often intervals would hold if the model of grades were true: found by replaying it.

Every replay draws the grades of all documents that are not labelled, chooses documents anew with
the same probabilities, estimates from their labels alone, and looks whether intervals hold what
all grades give.  It finds where there are too few labels for a measure.  It does not find what the
model leaves out of the world, as it is replayed without that too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from regrade.blocks import ranges
from regrade.estimation.estimates import FEWEST, Estimate, LabelledSample, estimate
from regrade.estimation.frame import Frame
from regrade.estimation.functionals import Functional
from regrade.estimation.inclusion import draw_sample
from regrade.randomness import generator
from regrade.significance.paired import pairs_at

Z = 1.959964
"""Standard errors on either side of an interval."""

LOWEST = 0.93
"""Intervals of a measure that hold in fewer replays are not to be shown."""


@dataclass(frozen=True, eq=False)
class Coverage:
    """How often one measure's intervals held what they are of.

    Attributes
    ----------
    systems, pairs
        (R,) shares of the systems' intervals, and of those of differences, in each replay; NaN
        where it chose fewer than `regrade.estimation.estimates.FEWEST` documents.
    """

    systems: np.ndarray
    pairs: np.ndarray

    @property
    def of_systems(self) -> bool:
        """Whether intervals of systems may be shown."""
        return _holds(self.systems)

    @property
    def of_pairs(self) -> bool:
        """Whether intervals of differences may be shown."""
        return _holds(self.pairs)


def _holds(shares: np.ndarray) -> bool:
    """Not below `LOWEST` by over two Monte Carlo errors; never where half of the replays failed."""
    known = shares[~np.isnan(shares)]
    if len(known) <= len(shares) / 2:
        return False
    return bool(known.mean() + 2 * known.std(ddof=1) / np.sqrt(len(known)) >= LOWEST)


def replay(
    frame: Frame,
    X: np.ndarray,
    sample: LabelledSample,
    functionals: Sequence[Functional],
    count: int,
    seed: int = 1,
) -> list[Coverage]:
    """Replay estimates, the model that some labels teach being true."""
    grades = drawn_grades(frame, X, sample, len(functionals[0].gains) - 1, count, seed)
    coverage = np.full((len(functionals), 2, count), np.nan)
    for r in range(count):
        levels = grades[:, r]
        chosen = np.flatnonzero(draw_sample(sample.inclusion, generator(seed, "replay", str(r))))
        if len(chosen) < FEWEST:
            continue
        again = estimate(
            frame, X, LabelledSample(sample.inclusion, chosen, levels[chosen]), functionals, r
        )
        for k, estimated in enumerate(again):
            coverage[k, :, r] = shares_held(estimated, full_values(functionals[k], frame, levels))
    return [Coverage(*of_measure) for of_measure in coverage]


def drawn_grades(
    frame: Frame, X: np.ndarray, sample: LabelledSample, steps: int, count: int, seed: int
) -> np.ndarray:
    """(N, R) int64 levels of all documents, as labels leave them open."""
    posterior = sample.posterior(frame, X, steps, count, generator(seed, "grades"))
    return np.concatenate([posterior.topic(t).draws for t in range(len(frame.topics))]).astype(int)


def full_values(functional: Functional, frame: Frame, levels: np.ndarray) -> np.ndarray:
    """(S,) the means over topics where all documents have known levels."""
    total = np.zeros(len(frame.systems))
    for t, lists in enumerate(frame.by_topic):
        total += functional.value(levels[frame.rows(t)], lists)
    return total / len(frame.topics)


def shares_held(estimated: Estimate, truth: np.ndarray) -> tuple[float, float]:
    """The shares of systems and of pairs whose interval holds the truth; NaN of no pair."""
    off, pairs, within = estimated.values - truth, comb(len(truth), 2), 0
    for start, stop in ranges(pairs):
        first, second = pairs_at(len(truth), start, stop)
        within += _within(off[first] - off[second], estimated.pair_errors(first, second))
    return _within(off, estimated.errors) / len(off), within / pairs if pairs else np.nan


def _within(off: np.ndarray, errors: np.ndarray) -> int:
    # what is known exactly is held, whatever the last bits
    return int((np.abs(off) <= Z * errors + 1e-12).sum())
