"""Whether a method cuts elsewhere by one reference than by another (han2019 §4.3.1)."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
from scipy import special

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS, columns_of
from regrade.sample_means import mean_interval
from regrade.significance.paired import paired_t


def reference_tests(best: pd.DataFrame) -> pd.DataFrame:
    """The thresholds of topics' best cuts by two references, for each method that has two."""
    of_topics = best[(best["topic"] != ALL_TOPICS) & best["reference"].notna()]
    rows = []
    for method, table in of_topics.groupby("method", sort=False, observed=True):
        names = list(dict.fromkeys(table["reference"].astype(str)))
        by_topic = {
            name: of.set_index(of["topic"].astype(str))[list(CUT_COLUMNS)].astype(float)
            for name, of in table.groupby(table["reference"].astype(str), sort=False)
        }
        for first, second in itertools.combinations(names, 2):
            for threshold in CUT_COLUMNS:
                pair = [by_topic[name][threshold] for name in (first, second)]
                both = pd.concat(pair, axis=1, join="inner", keys=("first", "second")).dropna()
                if both.empty and threshold != CUT_COLUMNS[0]:
                    continue  # a cut into fewer levels
                row = {"method": method, "first": first, "second": second}
                row |= {"threshold": threshold}
                rows.append(row | _compared(both["first"], both["second"]))
    return pd.DataFrame(rows, columns=columns_of("cuts/reference_tests"))


def _compared(first: pd.Series, second: pd.Series) -> dict:
    """Means, difference and tests of two samples of thresholds over the same topics."""
    first, second = first.to_numpy(), second.to_numpy()
    difference, n = first - second, len(first)
    row = {"n_topics": n, "better": int((difference > 0).sum())}
    row |= {"worse": int((difference < 0).sum())}
    if n == 0:
        return row
    row |= {"mean_first": first.mean(), "mean_second": second.mean()}
    row |= {"difference": difference.mean()}
    if n < 2:
        return row
    t, p = paired_t(difference)
    row["low"], row["high"] = mean_interval(difference)
    return row | {"t": float(t), "p": float(p), "p_unpaired": welch(first, second)}


def welch(first: np.ndarray, second: np.ndarray) -> float:
    """Two-sided p of Welch's t-test; NaN where neither sample varies and the means are equal."""
    errors = np.array([first.var(ddof=1) / len(first), second.var(ddof=1) / len(second)])
    gap = first.mean() - second.mean()
    if errors.sum() == 0:
        return np.nan if gap == 0 else 0.0
    freedom = errors.sum() ** 2 / (errors**2 / [len(first) - 1, len(second) - 1]).sum()
    return float(2 * special.stdtr(freedom, -abs(gap) / np.sqrt(errors.sum())))
