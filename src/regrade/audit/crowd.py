"""What each worker of a set of judgments is like beside the others, and beside labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.agreement import alpha
from regrade.audit.worker_groups import Pairwise
from regrade.catalogue import columns_of
from regrade.randomness import generator
from regrade.tables import label_frame

FEWEST = 10
"""From so many shared documents on it is told whether a worker agrees with others."""

SIGNIFICANCE = 0.05
"""A worker agrees more than chance with τ_b above 0 and a smaller p."""

SOUND = 2 / 3
"""Nobody is advised to be left out where fewer agree with the largest group."""

FAST = 0.25
"""A worker whose median time is below this part of the workers' median is fast."""

MANY = 50
"""With more documents p of τ_b is that of a normal distribution, also where values tie."""

DRAWS = 2000
"""Of orders of a worker's values, where they tie and documents are fewer."""


def worker_table(judgments: pa.Table, reference: pa.Table | None = None) -> pd.DataFrame:
    """How each worker agrees with the others, and with labels: ``workers/workers``."""
    names = ["topic", "docno", "worker", "value", "seconds"]
    rows = judgments.select([n for n in names if n in judgments.column_names]).to_pandas()
    rows = rows[rows["worker"].notna()].astype({"topic": str, "docno": str, "worker": str})
    if "seconds" not in rows:
        rows["seconds"] = np.nan
    # a worker counts once per document
    once = rows.groupby(["topic", "docno", "worker"], as_index=False)
    once = once.agg({"value": "median", "seconds": "median"})
    pairwise = Pairwise.of(once)
    group = _numbered(pairwise.workers, pairwise.groups())
    once["others"] = _medians_of_others(once, group)
    if reference is not None:
        once = once.merge(label_frame(reference), on=["topic", "docno"], how="left")
    rows = [_of_worker(worker, of) for worker, of in once.groupby("worker", sort=True)]
    table = pd.DataFrame(rows).reindex(columns=columns_of("workers/workers"))
    usual = table["seconds"].median()
    table["fast"] = (table["seconds"] < FAST * usual).to_numpy()
    table["agreeing_group"] = table["worker"].map(group)
    table["copies"] = table["worker"].map(_numbered(pairwise.workers, pairwise.copies()))
    table["drop"] = table["disagrees"] & (sound_share(table) >= SOUND)
    table["tests"] = table["tests"].fillna(0).astype("int64")
    table["fails"] = table["fails"].eq(True)
    order = table["tau"].fillna(0).argsort(kind="stable")
    return table.iloc[order].reset_index(drop=True)


def _numbered(workers: np.ndarray, groups: Sequence[np.ndarray]) -> pd.Series:
    """The number of each worker's group, the largest being 1, by name; null: in none."""
    number = pd.Series(pd.NA, index=workers, dtype="Int64")
    for place, group in enumerate(groups, start=1):
        number.iloc[group] = place
    return number


def _medians_of_others(once: pd.DataFrame, group: pd.Series) -> np.ndarray:
    """Of each row the median of what others gave to the document; NaN: nobody did.

    Others are those of the worker's own group; of a worker in none those of the largest; all
    workers where there is no group.
    """
    medians = np.full(len(once), np.nan)
    values = once["value"].to_numpy(float)
    own = once["worker"].map(group).fillna(0).to_numpy(int)
    held_beside = np.where(own > 0, own, int(group.notna().any()))
    for places in once.groupby(["topic", "docno"]).indices.values():
        for place in places if len(places) > 1 else ():
            others = places[places != place]
            if held_beside[place]:
                others = others[own[others] == held_beside[place]]
            if len(others):
                medians[place] = np.median(values[others])
    return medians


def sound_share(workers: pd.DataFrame) -> float:
    """Of the workers of whom something can be said, the share that agrees with the largest group.

    NaN of nobody.
    """
    agrees = _agrees(workers)
    sound = agrees & (workers["agreeing_group"].fillna(1) == 1)
    known = workers["disagrees"] | agrees
    return float(sound[known].mean()) if known.any() else np.nan


def _agrees(
    workers: pd.DataFrame, documents: str = "shared", tau: str = "tau", p: str = "p"
) -> pd.Series:
    """Who agrees more than chance on enough documents, by these columns."""
    agrees = (workers[tau] > 0) & (workers[p] < SIGNIFICANCE)
    return agrees & (workers[documents] >= FEWEST)


def _of_worker(worker: str, of: pd.DataFrame) -> dict[str, object]:
    values = of["value"]
    shared = of[of["others"].notna()]
    tau, p = _tau(shared["value"], shared["others"])
    row = {
        "worker": worker,
        "documents": len(of),
        "topics": of["topic"].nunique(),
        "shared": len(shared),
        "tau": tau,
        "p": p,
        "distinct": values.nunique(),
        "most_frequent_share": values.value_counts(normalize=True).iloc[0],
        "seconds": of["seconds"].median(),
        "disagrees": _can_tell(shared["others"]) and not (tau > 0 and p < SIGNIFICANCE),
    }
    if "grade" in of:
        known = of[of["grade"].notna()]
        row["tests"] = len(known)
        row["test_tau"], row["test_p"] = _tau(known["value"], known["grade"])
        agrees = row["test_tau"] > 0 and row["test_p"] < SIGNIFICANCE
        row["fails"] = _can_tell(known["grade"]) and not agrees
    return row


def _can_tell(beside: pd.Series) -> bool:
    """Whether enough documents tell of a worker: nobody agrees with what never varies."""
    return len(beside) >= FEWEST and beside.nunique() > 1


def _tau(values: pd.Series, other: pd.Series) -> tuple[float, float]:
    """τ_b and its two-sided p; NaN where either does not vary.

    Of few values that tie the normal distribution does not do: of ten documents with one relevant
    one in ten, 12 % of the workers who toss coins were told to agree.  So the values are put into
    orders drawn at random (a permutation test: Good, Permutation, Parametric and Bootstrap Tests of
    Hypotheses, 2005).
    """
    if len(values) < 2 or values.nunique() < 2 or other.nunique() < 2:
        return np.nan, np.nan
    from scipy.stats import kendalltau, random_table  # slow to import

    correlation = kendalltau(values, other)
    if len(values) > MANY or (values.is_unique and other.is_unique):
        return float(correlation.statistic), float(correlation.pvalue)
    (_, row), (_, column) = (np.unique(of, return_inverse=True) for of in (values, other))
    table = np.zeros((row.max() + 1, column.max() + 1), dtype=np.int64)
    np.add.at(table, (row, column), 1)
    # orders of values are tables with the same sums, and τ_b has one denominator in all of them
    drawn = random_table(table.sum(axis=1), table.sum(axis=0)).rvs(
        DRAWS, random_state=generator(1, "orders of values", str(len(values)))
    )
    reached = np.count_nonzero(np.abs(_in_order(drawn)) >= abs(_in_order(table)))
    return float(correlation.statistic), (reached + 1) / (DRAWS + 1)


def _in_order(tables: np.ndarray) -> np.ndarray:
    """Pairs in one order less those in the other, of (…, R, C) counts of values of both."""
    below = tables.sum(axis=-2, keepdims=True) - tables.cumsum(axis=-2)
    up_to = below.cumsum(axis=-1)
    right, left = up_to[..., -1:] - up_to, up_to - below
    return (tables * (right - left)).sum(axis=(-2, -1))


def fact_table(judgments: pa.Table, workers: pd.DataFrame, metric: str = "ordinal") -> pd.DataFrame:
    """What is counted of workers: ``workers/facts``."""
    drop = tuple(workers.loc[workers["drop"], "worker"])
    passes = _agrees(workers, "tests", "test_tau", "test_p")
    rows = [
        ("workers", len(workers)),
        ("tested", (workers["disagrees"] | _agrees(workers)).sum()),
        ("untested", len(workers) - (workers["disagrees"] | _agrees(workers)).sum()),
        ("disagrees", workers["disagrees"].sum()),
        ("groups", workers["agreeing_group"].nunique()),
        ("largest group", (workers["agreeing_group"] == 1).sum()),
        ("in groups", workers["agreeing_group"].notna().sum()),
        ("copying", workers["copies"].notna().sum()),
        ("sound share", sound_share(workers)),
        ("least sound share", SOUND),
        ("to drop", len(drop)),
        ("tested by reference", (workers["fails"] | passes).sum()),
        ("failing", workers["fails"].sum()),
        ("one value", ((workers["distinct"] == 1) & (workers["documents"] >= FEWEST)).sum()),
        ("fast", workers["fast"].sum()),
        (f"{metric} alpha", agreement(judgments, metric)),
        (f"{metric} alpha without", agreement(judgments, metric, drop) if drop else np.nan),
        ("fewest shared", FEWEST),
        ("permutations", DRAWS),
        ("most permuted", MANY),
    ]
    return pd.DataFrame(rows, columns=["quantity", "value"]).astype({"value": float})


def agreement(judgments: pa.Table, metric: str, without: tuple[str, ...] = ()) -> float:
    """Krippendorff's α of all workers but some."""
    rows = judgments.select(["topic", "docno", "worker", "value"]).to_pandas()
    rows = rows[rows["worker"].notna() & ~rows["worker"].astype(str).isin(without)]
    if not len(rows):
        return np.nan
    table = rows.astype({"topic": str, "docno": str, "worker": str}).pivot_table(
        index="worker", columns=["topic", "docno"], values="value", aggfunc="median"
    )
    return alpha(table.to_numpy(float), metric)
