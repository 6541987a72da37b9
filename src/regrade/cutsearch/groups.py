"""The best, the middle and the worst of all cuts: where their thresholds lie, how wide levels are.

han2019 §4.3.2 and Figure 10, for any search.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS, SUMMARY_COLUMNS, columns_of
from regrade.percentiles import five_numbers
from regrade.scales import MAX_LEVELS, Scale
from regrade.tables import PerCut, label_frame

GROUPS = ("best", "median", "worst")
LEVEL_COLUMNS = tuple(f"level_{level}" for level in range(MAX_LEVELS))

TIED_DIGITS = 12
"""Values of a criterion are the same to so many decimals."""


def groups_of(values: np.ndarray, size: int) -> dict[str, np.ndarray]:
    """The cuts with the highest, the middle and the lowest values of a criterion."""
    defined = np.flatnonzero(~np.isnan(values))
    order = defined[np.argsort(np.round(values[defined], TIED_DIGITS), kind="stable")]
    size = min(len(order), max(1, min(size, len(order) // 3)))
    last = len(order) - size
    starts = zip(GROUPS, (last, last // 2, 0), strict=True)
    return {name: np.sort(order[start : start + size]) for name, start in starts}


def cut_groups(
    alpha: pd.DataFrame | PerCut, method: str, reference: str | None, scale: Scale, size: int = 1000
) -> dict[str, pd.DataFrame]:
    """Where the thresholds of a search's best, middle and worst cuts lie."""
    thresholds = [name for name in CUT_COLUMNS if name in alpha.columns]
    cuts = alpha[thresholds].to_numpy(dtype=float)
    topics = [name for name in alpha.columns if name not in (*thresholds, *SUMMARY_COLUMNS)]
    rows = {name: [] for name in ("groups", "widths")}
    keys, counted = [], []  # columns, since of a thousand topics they are a million rows
    for topic in (*topics, ALL_TOPICS):
        values = alpha["mean" if topic == ALL_TOPICS else topic].to_numpy(dtype=float)
        for group, indices in groups_of(values, size).items():
            about = {"method": method, "reference": reference, "topic": topic, "group": group}
            chosen = cuts[indices]
            rows["widths"].append(about | _widths(chosen, scale))
            for threshold, places in zip(thresholds, chosen.T, strict=True):
                row = about | {"threshold": threshold, "n_cuts": len(places)}
                spread = five_numbers(places) | {"mean": places.mean()} if len(places) else {}
                rows["groups"].append(row | spread)
                keys.append((topic, group, threshold))
                counted.append(np.unique(places, return_counts=True))
    tables = {
        name: pd.DataFrame(of_name, columns=columns_of(f"cuts/{name}"))
        for name, of_name in rows.items()
    }
    where, counts = zip(*counted, strict=True)
    keys = np.repeat(np.array(keys, dtype=object), list(map(len, where)), axis=0)
    frame = pd.DataFrame(keys, columns=["topic", "group", "threshold"]).assign(
        method=method,
        reference=pd.Series([reference] * len(keys), dtype=object),
        value=np.concatenate(where),
        n_cuts=np.concatenate(counts),
    )
    return tables | {"group_counts": frame[columns_of("cuts/group_counts")]}


def _widths(cuts: np.ndarray, scale: Scale) -> dict[str, float]:
    """Means of the distance between the outermost thresholds, and of the levels' widths."""
    if not len(cuts):
        return {"n_cuts": 0}
    edges = np.pad(cuts, ((0, 0), (1, 1)), constant_values=((0, 0), (scale.low, scale.high)))
    levels = np.diff(edges, axis=1).mean(axis=0)
    width = (cuts[:, -1] - cuts[:, 0]).mean() if cuts.shape[1] > 1 else np.nan
    named = dict(zip(LEVEL_COLUMNS, np.where(np.isfinite(levels), levels, np.nan), strict=False))
    return {"n_cuts": len(cuts), "width": width, **named}


def relevant_shares(source: pa.Table, labels: pa.Table) -> pd.Series:
    """The share of each topic's documents to which experts give a grade above 0."""
    keys = ["topic", "docno"]
    documents = source.select(keys).to_pandas().astype(str).drop_duplicates()
    known = label_frame(labels)
    documents = documents[documents["topic"].isin(set(known["topic"]))]
    graded = documents.merge(known, on=keys, how="left")
    return (graded["grade"] > 0).groupby(graded["topic"]).mean()


def width_correlations(widths: pd.DataFrame, shares: Mapping[str, pd.Series]) -> pd.DataFrame:
    """Whether topics with more relevant documents have wider cuts (han2019 §4.3.2)."""
    of_topics = widths[widths["topic"] != ALL_TOPICS]
    rows = []
    for (method, reference, group), table in of_topics.groupby(
        ["method", "reference", "group"], dropna=False, sort=False, observed=True
    ):
        width = table.set_index(table["topic"].astype(str))["width"].astype(float)
        for labels, share in shares.items():
            both = pd.concat([width, share], axis=1, join="inner", keys=("width", "share")).dropna()
            row = {"method": method, "reference": None if pd.isna(reference) else reference}
            row |= {"group": group, "labels": labels, "n_topics": len(both)}
            rows.append(row | pearson(both["width"].to_numpy(), both["share"].to_numpy()))
    return pd.DataFrame(rows, columns=columns_of("cuts/width_correlations"))


def pearson(x: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Pearson's r with a 95 % interval and p; nothing where it is undefined."""
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return {}
    from scipy.stats import pearsonr  # slow to import

    correlation = pearsonr(x, y)
    low, high = correlation.confidence_interval(0.95) if len(x) > 3 else (np.nan, np.nan)
    return {"r": correlation.statistic, "low": low, "high": high, "p": correlation.pvalue}
