"""Whether sets of labels differ in discriminative power, over topics (chu2021 §5.2.1).

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

import numpy as np
import pandas as pd
from scipy import special

from regrade.catalogue import columns_of
from regrade.drawn_intervals import by_leaving_out, jackknife_error
from regrade.intervals import INTERVALS
from regrade.kendall import TOLERANCE
from regrade.power.label_sets import GradedSet, topic_rows
from regrade.power.preferences import PreferenceTests
from regrade.power.topics import Lists, PowerOptions, with_power
from regrade.randomness import generator
from regrade.significance.discrimination import adjust
from regrade.significance.paired import paired_difference

INTERVAL = INTERVALS["power_difference"]

KEYS = ["preferences", "mode", "list"]
"""What a comparison of sets is of."""

_TWO = ["first", "second"]

GROUPS = 10
"""Topics are left out one by one, or in so many groups where they are more."""


def difference_table(topics: pd.DataFrame, left_out: Sequence[list[dict]] = ()) -> pd.DataFrame:
    """PDP of each two sets on the same topics: their difference, and whether it is one.

    The paper tests "the differences of all kinds of PDP between these two settings" and does not
    say how.  Lists of two sets hold the same documents, so topics are paired.
    """
    rows = []
    for key, both in _apart(topics.to_dict("records")).items():
        of = paired_difference(both)
        rows.append((*key, len(both), of["difference"], of["t"], of["p"]))
    table = pd.DataFrame(rows, columns=[*KEYS, *_TWO, "n_topics", "difference", "t", "p"])
    without = [_apart(of) for of in left_out]
    keys = [*table[[*KEYS, *_TWO]].itertuples(index=False, name=None)]
    means = np.array([_mean(of.get(key)) for of in without for key in keys], dtype=float)
    means = means.reshape(len(without), len(keys))
    ends = by_leaving_out(table["difference"], means, INTERVAL.name)
    ends = np.where(table["n_topics"] >= INTERVAL.fewest, ends, np.nan)
    p = np.full(len(keys), np.nan)
    if keys and without:
        error = np.where(np.isnan(ends[0]), np.nan, jackknife_error(means))
        t = table["difference"] / np.where(error > TOLERANCE, error, np.nan)
        p = 2 * special.stdtr(len(without) - 1, -np.abs(t))
    table = table.assign(low=ends[0], high=ends[1], p_adjusted=p)
    of = table.groupby(KEYS, sort=False)["p_adjusted"]
    table["p_adjusted"] = of.transform(lambda some: adjust(some.to_numpy(), "holm"))
    return table[columns_of("power/differences")]


def topics_left_out(
    sets: Sequence[GradedSet],
    preferences: Mapping[str, PreferenceTests],
    lists: Sequence[Lists],
    how: PowerOptions,
) -> list[list[dict]]:
    """The rows of `topic_table` without topics and their preferences.

    One by one, or in `GROUPS` groups.  None of fewer topics than an interval is given from, and
    where all preferences that serve a set are of topics that are left out together.
    """
    names = sorted({name for of in lists for name in of.documents})
    if len(names) < INTERVAL.fewest:
        return []
    order = generator(how.seed, "groups of topics", "power").permutation(np.array(names, object))
    rows = []
    for group in map(frozenset, np.array_split(order, min(GROUPS, len(order)))):
        others = {name: tests.without(group) for name, tests in preferences.items()}
        if not all(of.served(labels.graded).any() for of in others.values() for labels in sets):
            return []
        rows.append(topic_rows(sets, others, [of.without(group) for of in lists], how))
    return rows


def _apart(rows: Iterable[Mapping]) -> dict[tuple, np.ndarray]:
    """Of each two sets the differences on the topics that both have."""
    served: dict[tuple, dict] = defaultdict(lambda: defaultdict(dict))
    for row in with_power(rows):
        served[tuple(row[key] for key in KEYS)][row["set"]][row["topic"]] = row["entropy"]
    differences = {}
    for key, by_set in served.items():
        for first, second in itertools.combinations(by_set, 2):
            own, other = by_set[first], by_set[second]
            both = [own[topic] - other[topic] for topic in sorted(own.keys() & other.keys())]
            differences[*key, first, second] = np.array(both)
    return differences


def _mean(values: np.ndarray | None) -> float:
    return values.mean() if values is not None and len(values) else np.nan
