"""All pairs of systems by the paired t-test: ours beside a loop over scipy."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.stats import ttest_rel

from benchmarks.inputs import rankings
from benchmarks.measuring import Measured, Settings, timed
from regrade.scoring import score
from regrade.significance.discrimination import paired_t


def ours(settings: Settings) -> Measured:
    """p of every pair, by AP."""
    scores = _average_precision(settings)
    paired_t(scores)
    spans, found = timed(lambda: paired_t(scores), settings.repeats)
    return Measured(spans, found.p)


def peer(settings: Settings) -> Measured:
    """The same, one pair after the other."""
    scores = _average_precision(settings)
    pairs = list(combinations(scores, 2))
    ttest_rel(*pairs[0])
    spans, p = timed(lambda: np.array([ttest_rel(*pair).pvalue for pair in pairs]), 1)
    first, second = (scores[systems] for systems in np.triu_indices(len(scores), 1))
    ((at_once, _),), _ = timed(lambda: ttest_rel(first, second, axis=1), 1)
    note = f"all {len(pairs):,} pairs; one call with all of them as rows takes {at_once:.2g} s"
    return Measured(spans, p, note=note)


def _average_precision(settings: Settings) -> np.ndarray:
    """(systems, topics)."""
    return np.ascontiguousarray(score(*rankings(settings), ["AP"]).values[:, :, 0])
