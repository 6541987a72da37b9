"""The exact range of AP: ours beside scoring each extreme assignment with numpy."""

from __future__ import annotations

import numpy as np

from benchmarks.inputs import drawn, grades_of, rankings
from benchmarks.measuring import Measured, Settings, now, timed
from regrade.uncertainty.ranges import exact_ranges


def ours(settings: Settings) -> Measured:
    """Lowest and highest AP of every ranking."""
    ranked, judged = rankings(settings)
    exact_ranges(ranked, judged.select(judged.topics[:1]), ["AP"])
    spans, found = timed(lambda: exact_ranges(ranked, judged, ["AP"]), settings.repeats)
    ends = np.stack([found.low.ravel(), found.high.ravel()], axis=1)
    return Measured(spans, ends[drawn(settings, len(ends))])


def peer(settings: Settings) -> Measured:
    """Some of the rankings, extrapolated to all.

    Every assignment cannot be tried: there are 2ᵘ of u unjudged documents.  So the loop is told
    that the first m or the last m are the extremes, and scores both for every m.
    """
    ranked, judged = rankings(settings)
    grades = grades_of(ranked, judged)
    R = list(judged.relevant_counts().values())
    shape = len(ranked.systems), len(judged.topics)
    sample = np.transpose(np.unravel_index(drawn(settings, int(np.prod(shape))), shape))
    start = now()
    values = [_ends(grades(s, t), R[t]) for s, t in sample]
    span = (now() - start) / len(sample) * np.prod(shape)
    unjudged = int(np.median([np.isnan(grades(s, t)).sum() for s, t in sample]))
    note = (
        f"{len(sample)} of {np.prod(shape):,} rankings, extrapolated; in the median {unjudged} "
        f"documents are unjudged: {2 * unjudged + 2:,} assignments scored of 2^{unjudged}"
    )
    return Measured([span], np.array(values), note=note)


def _ends(grades: np.ndarray, R: int) -> tuple[float, float]:
    """Lowest and highest AP over all numbers m of unjudged documents that are relevant."""
    unjudged = np.flatnonzero(np.isnan(grades))
    scores = []
    for m in range(len(unjudged) + 1):
        for chosen in (unjudged[:m], unjudged[len(unjudged) - m :]):
            relevant = grades > 0
            relevant[chosen] = True
            ranks = np.flatnonzero(relevant) + 1
            precisions = np.arange(1, len(ranks) + 1) / ranks
            scores.append(precisions.sum() / (R + m) if R + m else 0.0)
    return min(scores), max(scores)
