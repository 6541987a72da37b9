"""How sure discriminative power is: intervals, and whether sets of labels differ (chu2021 §5.2.1).

Student's paired t-test takes how often one grade is preferred to another for known.  It is counted
in the same preferences for all topics: what chance does to it, all entropies of a set have in
common, and the test takes that for a difference of the sets.  Of sets that were equally good it
found a difference in four to nine of ten samples (docs/methods/power.md).  So the verdict rests on
topics that are left out together with their preferences.

References
----------
Wolter, Introduction to Variance Estimation, 2nd ed. (2007), §4.2: the jackknife of groups.
Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statistics 6 (1979).
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import special

from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.drawn_intervals import around, by_leaving_out, jackknife_error
from regrade.intervals import INTERVALS
from regrade.kendall import TOLERANCE
from regrade.power.label_sets import PowerInputs, topic_rows
from regrade.power.preferences import Graded, PreferenceTests
from regrade.power.topics import power_rows, with_power
from regrade.randomness import generator
from regrade.sample_means import studentised_interval
from regrade.significance.corrections import adjust
from regrade.significance.paired import paired_difference

LEAST_TOPICS = 20
"""From how many topics on there is one over them: of ten skewed values it held too little."""

LEAST_ASSESSORS = 10
"""From how many assessors on there is one over these: of five, it held too little."""

_OF = ["preferences", "set", "mode", "list"]

_DIFFERENCE = INTERVALS["power_difference"]

_KEYS = ["preferences", "mode", "list"]
"""What a comparison of sets is of."""

_TWO = ["first", "second"]

GROUPS = 10
"""Topics are left out one by one, or in so many groups where they are more."""


def interval_table(
    topics: pd.DataFrame,
    left_out: Sequence[Sequence[Mapping]],
    inputs: PowerInputs,
    assessor_resamples: int = 0,
    resamples: int = 1000,
) -> pd.DataFrame:
    """Intervals over topics and, where asked for, over assessors (table ``power/intervals``)."""
    parts = [
        topic_intervals(topics, left_out, resamples, inputs.how.seed),
        assessor_intervals(inputs, assessor_resamples),
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


def assessor_intervals(inputs: PowerInputs, resamples: int = 0) -> pd.DataFrame:
    """Intervals of PDP over assessors, of sets with several.

    Assessors are drawn with replacement, and all is computed anew: medians, preferences by grade,
    scores, entropy.  A document that none of the drawn ones graded is anyone's equal.  It asks how
    far PDP is these assessors' own, so it needs sets whose assessors graded much the same
    documents.  Drawn assessors are fewer different ones, whose PDP lies to one side: the interval
    is around the estimate, as wide as the draws vary.
    """
    rows = []
    for labels in inputs.sets:
        n = labels.graded.codes.shape[1]
        if n < 2 or not resamples:
            continue
        draws = resamples if n >= LEAST_ASSESSORS else 0
        rng = generator(inputs.how.seed, "intervals of power", "assessors", labels.name)
        grades = labels.graded.grades()
        drawn = [
            Graded.from_values(labels.graded.documents, grades[:, rng.integers(0, n, n)])
            for _ in range(draws)
        ]
        for name, tests in inputs.preferences.items():
            full, *again = (_of_all(some, tests, inputs) for some in (labels.graded, *drawn))
            for (mode, of), entropy in full.items():
                values = [float(entropies[mode, of]) for entropies in again]
                low, high = around(float(entropy), np.array(values), n, "power_over_assessors")
                of = (name, labels.name, mode, of, "assessors", n, draws)
                rows.append((*of, float(entropy), low, high))
    return pd.DataFrame(rows, columns=columns_of("power/intervals"))


def _of_all(
    graded: Graded, tests: PreferenceTests, inputs: PowerInputs
) -> dict[tuple[str, str], float]:
    """(mode, list) → PDP over all topics."""
    rows = power_rows(graded, tests, inputs.lists, inputs.how)
    of_all = (row for row in rows if row["topic"] == ALL_TOPICS)
    return {(row["mode"], row["list"]): row.get("entropy", np.nan) for row in of_all}


# --- differences of sets ------------------------------------------------------------------------


def difference_table(topics: pd.DataFrame, left_out: Sequence[list[dict]] = ()) -> pd.DataFrame:
    """PDP of each two sets on the same topics: their difference, and whether it is one.

    The paper tests "the differences of all kinds of PDP between these two settings" and does not
    say how.  Lists of two sets hold the same documents, so topics are paired.
    """
    rows = []
    for key, both in _apart(topics.to_dict("records")).items():
        of = paired_difference(both)
        rows.append((*key, len(both), of["difference"], of["t"], of["p"]))
    table = pd.DataFrame(rows, columns=[*_KEYS, *_TWO, "n_topics", "difference", "t", "p"])
    without = [_apart(of) for of in left_out]
    keys = [*table[[*_KEYS, *_TWO]].itertuples(index=False, name=None)]
    values = [of.get(key, np.empty(0)) for of in without for key in keys]
    means = np.array([some.mean() if len(some) else np.nan for some in values], dtype=float)
    means = means.reshape(len(without), len(keys))
    ends = by_leaving_out(table["difference"], means, _DIFFERENCE.name)
    ends = np.where(table["n_topics"] >= _DIFFERENCE.fewest, ends, np.nan)
    p = np.full(len(keys), np.nan)
    if keys and without:
        error = np.where(np.isnan(ends[0]), np.nan, jackknife_error(means))
        t = table["difference"] / np.where(error > TOLERANCE, error, np.nan)
        p = 2 * special.stdtr(len(without) - 1, -np.abs(t))
    table = table.assign(low=ends[0], high=ends[1], p_adjusted=p)
    of = table.groupby(_KEYS, sort=False)["p_adjusted"]
    table["p_adjusted"] = of.transform(lambda some: adjust(some.to_numpy(), "holm"))
    return table[columns_of("power/differences")]


def topics_left_out(inputs: PowerInputs) -> list[list[dict]]:
    """The rows of `topic_table` without topics and their preferences.

    One by one, or in `GROUPS` groups.  None of fewer topics than an interval is given from, and
    where all preferences that serve a set are of topics that are left out together.
    """
    names = sorted({name for of in inputs.lists for name in of.documents})
    if len(names) < _DIFFERENCE.fewest:
        return []
    order = generator(inputs.how.seed, "groups of topics", "power").permutation(
        np.array(names, object)
    )
    rows = []
    for group in map(frozenset, np.array_split(order, min(GROUPS, len(order)))):
        tests = {name: of.without(group) for name, of in inputs.preferences.items()}
        if not all(of.served(s.graded).any() for of in tests.values() for s in inputs.sets):
            return []
        lists = [of.without(group) for of in inputs.lists]
        rows.append(topic_rows(replace(inputs, preferences=tests, lists=lists)))
    return rows


def _apart(rows: Iterable[Mapping]) -> dict[tuple, np.ndarray]:
    """Of each two sets the differences on the topics that both have."""
    served: dict[tuple, dict] = defaultdict(lambda: defaultdict(dict))
    for row in with_power(rows):
        served[tuple(row[key] for key in _KEYS)][row["set"]][row["topic"]] = row["entropy"]
    differences = {}
    for key, by_set in served.items():
        for first, second in itertools.combinations(by_set, 2):
            own, other = by_set[first], by_set[second]
            both = [own[topic] - other[topic] for topic in sorted(own.keys() & other.keys())]
            differences[*key, first, second] = np.array(both)
    return differences
