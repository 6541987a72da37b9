"""Intervals of discriminative power: over topics, and over assessors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.drawn_intervals import around, by_leaving_out
from regrade.power.label_sets import GradedSet
from regrade.power.preferences import Graded, PreferenceTests
from regrade.power.topics import Lists, PowerOptions, power_rows, with_power
from regrade.randomness import generator
from regrade.sample_means import studentised_interval

LEAST_TOPICS = 20
"""From how many topics on there is one over them: of ten skewed values it held too little."""

LEAST_ASSESSORS = 10
"""From how many assessors on there is one over these: of five, it held too little."""

_OF = ["preferences", "set", "mode", "list"]


def interval_table(
    topics: pd.DataFrame,
    left_out: Sequence[Sequence[Mapping]],
    sets: Sequence[GradedSet],
    preferences: Mapping[str, PreferenceTests],
    lists: Sequence[Lists],
    how: PowerOptions,
    assessor_resamples: int = 0,
    resamples: int = 1000,
) -> pd.DataFrame:
    """Intervals over topics and, where asked for, over assessors (table ``power/intervals``)."""
    parts = [
        topic_intervals(topics, left_out, resamples, how.seed),
        assessor_intervals(sets, preferences, lists, how, assessor_resamples),
    ]
    kept = [part for part in parts if len(part)]
    return pd.concat(kept, ignore_index=True) if kept else parts[0]


def topic_intervals(
    topics: pd.DataFrame,
    left_out: Sequence[Sequence[Mapping]],
    resamples: int = 1000,
    seed: int = 1,
) -> pd.DataFrame:
    """Intervals of PDP over topics and their preferences.

    Topics with many documents have far greater entropies, so values are skewed: topics are drawn
    with replacement and the draws studentised (bootstrap-t), preferences by grade being those of
    the collection.  But these are counted in the preferences of the same topics, and chance in them
    is common to all entropies of a set: an end is where topics that are left out with their
    preferences put it, if that is further (Student's t times the jackknife's error).  Sets with the
    same topics share the draws.  No end is below 0, or above the entropy of labels that tell
    nothing (of the topic with most documents).
    """
    if not resamples:
        return pd.DataFrame(columns=columns_of("power/intervals"))
    rows, without = [], [_means(of) for of in left_out]
    served = topics[topics["topic"].astype(str) != ALL_TOPICS].dropna(subset="entropy")
    for key, some in served.groupby(_OF, sort=False, observed=True):
        values = some.sort_values("topic")["entropy"].to_numpy(dtype=float)
        n, low, high = len(values), np.nan, np.nan
        if n >= LEAST_TOPICS:
            rng = generator(seed, "intervals of power", "topics", str(n))
            drawn = studentised_interval(values, rng.integers(0, n, (resamples, n)))
            means = [of.get(tuple(map(str, key)), np.nan) for of in without]
            # by as many groups of topics as differences of power are
            further = by_leaving_out(values.mean(), np.array(means), "power_difference")
            # NaN where nothing is left out
            low, high = np.minimum(drawn[0], further[0]), np.maximum(drawn[1], further[1])
            low, high = np.clip((low, high), 0, some["highest"].max())
        rows.append((*key, "topics", n, resamples, values.mean(), low, high))
    return pd.DataFrame(rows, columns=columns_of("power/intervals"))


def _means(rows: Iterable[Mapping]) -> dict[tuple, float]:
    """The mean entropy of the topics of each set that preferences serve."""
    values = defaultdict(list)
    for row in with_power(rows):
        values[tuple(str(row[key]) for key in _OF)].append(row["entropy"])
    return {key: float(np.mean(of)) for key, of in values.items()}


def assessor_intervals(
    sets: Sequence[GradedSet],
    preferences: Mapping[str, PreferenceTests],
    lists: Sequence[Lists],
    how: PowerOptions,
    resamples: int = 0,
) -> pd.DataFrame:
    """Intervals of PDP over assessors, of sets with several.

    Assessors are drawn with replacement, and all is computed anew: medians, preferences by grade,
    scores, entropy.  A document that none of the drawn ones graded is anyone's equal.  It asks how
    far PDP is these assessors' own, so it needs sets whose assessors graded much the same
    documents.  Drawn assessors are fewer different ones, whose PDP lies to one side: the interval
    is around the estimate, as wide as the draws vary.
    """
    rows = []
    for labels in sets:
        n = labels.graded.codes.shape[1]
        if n < 2 or not resamples:
            continue
        draws = resamples if n >= LEAST_ASSESSORS else 0
        rng = generator(how.seed, "intervals of power", "assessors", labels.name)
        grades = labels.graded.grades()
        drawn = [
            Graded.from_values(labels.graded.documents, grades[:, rng.integers(0, n, n)])
            for _ in range(draws)
        ]
        for name, tests in preferences.items():
            full = _of_all(labels.graded, tests, lists, how)
            again = [_of_all(some, tests, lists, how) for some in drawn]
            for (mode, of), entropy in full.items():
                values = [float(entropies[mode, of]) for entropies in again]
                low, high = around(float(entropy), np.array(values), n, "power_over_assessors")
                of = (name, labels.name, mode, of, "assessors", n, draws)
                rows.append((*of, float(entropy), low, high))
    return pd.DataFrame(rows, columns=columns_of("power/intervals"))


def _of_all(graded, tests, lists, how) -> dict[tuple[str, str], float]:
    """(mode, list) → PDP over all topics."""
    rows = power_rows(graded, tests, lists, how)
    of_all = (row for row in rows if row["topic"] == ALL_TOPICS)
    return {(row["mode"], row["list"]): row.get("entropy", np.nan) for row in of_all}
