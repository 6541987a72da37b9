"""Whether sets of labels differ in discriminative power, over topics (chu2021 §5.2.1)."""

from __future__ import annotations

import itertools

import pandas as pd

from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.significance.paired import paired_difference


def difference_table(topics: pd.DataFrame) -> pd.DataFrame:
    """PDP of each two sets on the same topics: their difference, and Student's paired t-test.

    The paper tests "the differences of all kinds of PDP between these two settings" and does not
    say how.  Lists of two sets hold the same documents, so topics are paired.

    Parameters
    ----------
    topics
        As `regrade.power.label_sets.topic_table` makes it.

    Returns
    -------
    DataFrame
        Schema ``power/differences``: by preferences, mode and list, each two sets in the order of
        the rows; ``difference``, the mean over the topics that both have (first − second; below 0
        where the first tells more apart), with its 95 % interval, ``t`` and ``p``; null with fewer
        than two topics, the interval with fewer than ten.  P-values are not corrected for the
        number of pairs.
    """
    served = topics[topics["topic"].astype(str) != ALL_TOPICS].dropna(subset="entropy")
    rows = []
    for key, some in served.groupby(["preferences", "mode", "list"], sort=False, observed=True):
        by_set = {
            str(name): own.set_index(own["topic"].astype(str))["entropy"].astype(float)
            for name, own in some.groupby("set", sort=False, observed=True)
        }
        for first, second in itertools.combinations(by_set, 2):
            both = (by_set[first] - by_set[second]).dropna().sort_index()
            found = paired_difference(both.to_numpy()) | {"n_topics": len(both)}
            rows.append(dict(zip(("preferences", "mode", "list"), key, strict=True)) | found
                        | {"first": first, "second": second})  # fmt: skip
    return pd.DataFrame(rows, columns=columns_of("power/differences"))
