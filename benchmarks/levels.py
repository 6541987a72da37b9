"""Cuts into five and seven levels, and criteria of cuts, beside the obvious ways."""

from __future__ import annotations

from functools import cache

import evalica
import krippendorff
import numpy as np
import pandas as pd

from benchmarks.inputs import LEVELS, SOURCE_LEVELS, drawn, table
from benchmarks.measuring import Measured, Settings, now, timed
from regrade.cutsearch.joint_counts import JointCounts
from regrade.cutsearch.levels import blocks_of_cuts, enumerated, on_target_scale
from regrade.cutsearch.optimum import best_cut
from regrade.cutsearch.search import SourceTopics
from regrade.cutsearch.thresholds import Thresholds
from regrade.scales import Scale

SCALE = Scale.of({"levels": SOURCE_LEVELS})
THRESHOLDS = Thresholds.of(SCALE, 2)
FIVE = 5


def ours(settings: Settings) -> Measured:
    """Ordinal α with a reference (`d2_at`) of every cut into five levels, and the best of them."""
    criterion = on_target_scale(_joint(settings), FIVE, "ordinal")
    enumerated(on_target_scale(_joint(settings), LEVELS, "ordinal"), LEVELS)
    spans, _ = timed(
        lambda: enumerated(criterion, FIVE, threads=settings.threads), settings.repeats
    )
    cuts = _sampled(settings)
    values = [criterion.values(t, cuts) for t in range(len(criterion.topics))]
    return Measured(spans, np.array(values))


def by_krippendorff(settings: Settings) -> Measured:
    """A call of krippendorff for each cut and topic, from counts of levels for each document."""

    def alpha(own: np.ndarray, theirs: np.ndarray) -> float:
        counts = np.eye(FIVE, dtype=np.int64)[own] + np.eye(FIVE, dtype=np.int64)[theirs]
        return krippendorff.alpha(
            value_counts=counts, value_domain=np.arange(FIVE), level_of_measurement="ordinal"
        )

    return _looped(settings, alpha)


def by_evalica(settings: Settings) -> Measured:
    """A call of evalica for each cut and topic."""

    def alpha(own: np.ndarray, theirs: np.ndarray) -> float:
        return evalica.alpha(pd.DataFrame([own, theirs]), distance="ordinal").alpha

    return _looped(settings, alpha)


def optimum(settings: Settings) -> Measured:
    """The cuts into seven levels with the highest nominal α, of every topic."""
    counts = _joint(settings).counts
    best_cut(counts[0], LEVELS, "alpha_nominal")
    spans, found = timed(
        lambda: [best_cut(of_topic, 7, "alpha_nominal") for of_topic in counts], settings.repeats
    )
    values = [of_topic.value for of_topic in found]
    return Measured(spans, note=f"mean α {np.mean(values):.4f}; 1,192,052,400 cuts a topic")


def _looped(settings: Settings, alpha) -> Measured:
    """α of some cuts, extrapolated to all; where all labels are one level it is undefined."""
    documents = [
        np.repeat(np.indices(c.shape).reshape(2, -1), c.ravel(), axis=1)
        for c in _joint(settings).counts
    ]
    cuts = _sampled(settings)
    start = now()
    values = np.full((len(documents), len(cuts)), np.nan)
    for t, (code, theirs) in enumerate(documents):
        for i, cut in enumerate(cuts):
            own = (code[:, None] > cut).sum(axis=1)
            if len({*own, *theirs}) > 1:
                values[t, i] = alpha(own, theirs)
    n_cuts = sum(map(len, blocks_of_cuts(len(THRESHOLDS.values), FIVE)))
    span = (now() - start) / len(cuts) * n_cuts
    return Measured([span], values, note=f"{len(cuts)} of {n_cuts:,} cuts, extrapolated")


@cache
def _joint(settings: Settings) -> JointCounts:
    reference = table(settings, "So4")
    judgments = table(settings, "S100")
    return JointCounts.of(SourceTopics.of(judgments, SCALE), THRESHOLDS, reference, LEVELS)


def _sampled(settings: Settings) -> np.ndarray:
    cuts = np.concatenate(list(blocks_of_cuts(len(THRESHOLDS.values), FIVE)))
    return cuts[drawn(settings, len(cuts))]
