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
                both = pd.concat(pair, axis=1, join="inner").dropna().to_numpy().T
                if not both.size and threshold != CUT_COLUMNS[0]:
                    continue  # a cut into fewer levels
                row = {"method": method, "first": first, "second": second}
                rows.append(row | {"threshold": threshold} | _compared(*both))
    return pd.DataFrame(rows, columns=columns_of("cuts/reference_tests"))


def _compared(first: np.ndarray, second: np.ndarray) -> dict:
    """Means, difference and tests of two samples of thresholds over the same topics."""
    difference, n = first - second, len(first)
    row = {"n_topics": n, "better": (difference > 0).sum(), "worse": (difference < 0).sum()}
    if n:
        row |= {"mean_first": first.mean(), "mean_second": second.mean()}
        row |= {"difference": difference.mean()}
    if n > 1:
        t, p = paired_t(difference)
        low, high = mean_interval(difference)
        row |= {"low": low, "high": high, "t": float(t), "p": float(p)}
        row |= {"p_unpaired": welch(first, second)}
    return row


def welch(first: np.ndarray, second: np.ndarray) -> float:
    """Two-sided p of Welch's t-test; NaN where neither sample varies and the means are equal."""
    errors = np.array([first.var(ddof=1) / len(first), second.var(ddof=1) / len(second)])
    gap = first.mean() - second.mean()
    if errors.sum() == 0:
        return np.nan if gap == 0 else 0.0
    freedom = errors.sum() ** 2 / (errors**2 / [len(first) - 1, len(second) - 1]).sum()
    return float(2 * special.stdtr(freedom, -abs(gap) / np.sqrt(errors.sum())))
