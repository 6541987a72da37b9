"""Who answered: how much, how fast, and how consistently (yang2019 §5.3.5).

A worker's unit shows some documents, each in several pairs.  The *preferences* of a unit are
inconsistent as far as no order of its documents agrees with all of them: the share of its documents
that stand in a preference which a best order contradicts.  Several orders can be best, and touch
different numbers of documents, so that there is a lowest and a highest share.  *Absolute* answers
are inconsistent where a document is called relevant in one pair and not in another of the unit.

Which answers count, and which are left out, `regrade.preferences.checks.check_answers` decides.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import MethodError
from regrade.preferences.consistency import KEYS, consistency
from regrade.preferences.label_comparison import by_document, of_side
from regrade.significance.paired import differences, paired_t

SHOWN = "documents shown"
PER_DOCUMENT = "seconds per document"
GRADE = "mean label of documents shown"
PREFERENCE = "inconsistency of preferences"
ABSOLUTE = "inconsistency of absolute answers"

_NAMES = {"topic": str, "left": str, "right": str}


def worker_table(
    answers: pa.Table,
    left_out: pa.Table | None = None,
    seconds: float = 5.0,
    units: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """What each worker did for each topic (Figures 5.11, 5.13 and 5.15)."""
    kept, others = _frame(answers), _rows(left_out)
    by = ["topic", "worker"]
    everything = pd.concat([kept, others], ignore_index=True)
    table = everything.groupby(by, dropna=False).size().rename("answers").to_frame()
    left_out = others.groupby(by, dropna=False).size()
    table["left_out"] = left_out.reindex(table.index, fill_value=0)
    appearances = _appearances(kept)
    of_unit = appearances.drop_duplicates()
    table["units"] = of_unit.drop_duplicates([*by, "unit"]).groupby(by, dropna=False).size()
    table["shown"] = of_unit.groupby(by, dropna=False).size()
    times = of_unit.groupby([*by, "docno"], dropna=False).size()
    for column, counted in (("once", times == 1), ("twice", times == 2), ("more", times > 2)):
        table[column] = counted.groupby(by, dropna=False).sum()
    table["documents"] = times.groupby(by, dropna=False).size()
    spent = kept.groupby(by, dropna=False)["seconds"].agg(["mean", "sum", "count"])
    table["seconds"] = spent["mean"]
    table["per_document"] = spent["sum"].where(spent["count"] > 0) / table["shown"]
    units = consistency(answers, KEYS, seconds) if units is None else units
    units = units.astype(dict.fromkeys(by, object))
    affected = units.groupby(by, dropna=False)[["affected_low", "affected_high"]]
    affected = affected.agg(lambda some: some.sum(skipna=False))
    affected.index = affected.index.set_names(by)
    for end in ("low", "high"):
        table[f"inconsistent_{end}"] = affected[f"affected_{end}"] / table["shown"]
    table["inconsistent_absolute"] = _contradicted(kept)
    counts = ["units", "shown", "once", "twice", "more", "documents"]
    table[counts] = table[counts].fillna(0).astype(int)
    table = table.reindex(
        columns=[c for c in columns_of("preferences/workers") if c not in by]
    ).reset_index()
    table["worker"] = table["worker"].astype(object).where(table["worker"].notna(), None)
    return table[columns_of("preferences/workers")]


def topic_table(
    answers: pa.Table, left_out: pa.Table | None = None, price: float | None = None
) -> pd.DataFrame:
    """What was asked and answered for each topic (Tables 5.4, 5.9 and 5.10)."""
    kept, others = _frame(answers), _rows(left_out)
    frame = pd.concat([kept.assign(kept=True), others.assign(kept=False)], ignore_index=True)
    is_trusted = frame["trusted"].astype("boolean").fillna(True).astype(bool)
    first = frame[["left", "right"]].min(axis=1)
    second = frame[["left", "right"]].max(axis=1)
    frame = frame.assign(first=first, second=second, is_trusted=is_trusted)
    rows = [_topic_row(topic, some, price) for topic, some in frame.groupby("topic")]
    sums = {
        column: sum(row[column] for row in rows)
        for column in ("documents", "pairs", "partitions", "units", "workers", "trusted",
                       "untrusted", "kept", "cost")
    }  # fmt: skip
    all_ = _topic_row(ALL_TOPICS, frame, price)
    return pd.DataFrame([*rows, all_ | sums], columns=columns_of("preferences/topics"))


def _topic_row(topic: str, some: pd.DataFrame, price: float | None) -> dict[str, object]:
    kept = some[some["kept"]]
    people = kept["worker"].nunique() if some["worker"].notna().any() else np.nan
    unit = kept[["topic", "worker", "unit"]].dropna(subset=["unit"]).drop_duplicates()
    is_trusted = int(some["is_trusted"].sum())
    return {
        "topic": topic,
        "documents": len(np.union1d(some["left"], some["right"])),
        "pairs": len(some[["first", "second"]].drop_duplicates()),
        "partitions": some["partition"].nunique() or np.nan,
        "units": len(unit) or np.nan,
        "workers": people,
        "people": people,
        "trusted": is_trusted,
        "untrusted": len(some) - is_trusted,
        "kept": len(kept),
        "cost": np.nan if price is None else price * len(some),
        "seconds": kept["seconds"].sort_values().mean(),
    }


def seen_table(answers: pa.Table) -> pd.DataFrame:
    """How many documents were judged by how many workers (Figure 5.12)."""
    appearances = _appearances(_frame(answers)).dropna(subset=["worker"])
    by_document = appearances.groupby(["topic", "docno"])["worker"]
    workers = by_document.nunique().rename("workers").reset_index()
    return workers.groupby(["topic", "workers"]).size().rename("documents").reset_index()


def worker_relations(
    workers: pd.DataFrame, further: Mapping[str, pd.Series] | None = None
) -> pd.DataFrame:
    """Whether how much and how fast people work has to do with how consistent they are."""
    preference = workers[["inconsistent_low", "inconsistent_high"]].mean(axis=1, skipna=False)
    pairs = [
        (SHOWN, workers["shown"], PREFERENCE, preference),
        (SHOWN, workers["shown"], ABSOLUTE, workers["inconsistent_absolute"]),
        (PER_DOCUMENT, workers["per_document"], SHOWN, workers["shown"]),
        (PER_DOCUMENT, workers["per_document"], PREFERENCE, preference),
        (PER_DOCUMENT, workers["per_document"], ABSOLUTE, workers["inconsistent_absolute"]),
        *(
            (PER_DOCUMENT, workers["per_document"], name, value)
            for name, value in (further or {}).items()
        ),
    ]
    from scipy.stats import kendalltau  # slow to import

    rows = []
    for x_name, x, y_name, y in pairs:
        both = pd.DataFrame({"x": x.to_numpy(float), "y": y.to_numpy(float)}).dropna()
        tau, p = np.nan, np.nan
        if (both.nunique() > 1).all():
            tau, p = kendalltau(both["x"], both["y"])
        rows.append((x_name, y_name, len(both), tau, p))
    return pd.DataFrame(rows, columns=columns_of("preferences/relations"))


def inconsistency_table(workers: pd.DataFrame) -> pd.DataFrame:
    """Whether absolute answers are less consistent than preferences (the t-test of Figure 5.11)."""
    preference = workers[["inconsistent_low", "inconsistent_high"]].mean(axis=1, skipna=False)
    columns = {
        "worker": workers["worker"],
        "preference": preference.astype(float),
        "absolute": workers["inconsistent_absolute"].astype(float),
    }
    pairs = pd.DataFrame(columns).dropna(subset=["preference", "absolute"])
    named = pairs.dropna(subset=["worker"]).astype({"worker": str})
    units = {"workers and topics": pairs, "workers": named.groupby("worker").mean()}
    rows = []
    for over, some in units.items():
        difference = differences(some["absolute"].to_numpy(), some["preference"].to_numpy())
        means = [some[name].mean() for name in ("preference", "absolute")]
        mean = difference.mean() if len(some) else np.nan
        rows.append((over, len(some), *means, mean, *map(float, paired_t(difference))))
    return pd.DataFrame(rows, columns=columns_of("preferences/inconsistency"))


def accuracy_table(known: pd.DataFrame) -> pd.DataFrame:
    """How often workers prefer the document with the higher label (Table 5.9)."""
    parts = []
    for reference, some in known.groupby("reference", sort=False, observed=True):
        everything = pd.concat([some.astype({"topic": str}), some.assign(topic=ALL_TOPICS)])
        of_all = _shares(everything, "apart", "right").set_axis(
            ["workers", "apart", "right", "mean", "deviation"], axis=1
        )
        of_gold = _shares(everything, "gold", "gold_right").set_axis(
            ["gold_workers", "gold", "gold_right", "gold_mean", "gold_deviation"], axis=1
        )
        table = pd.concat([of_all, of_gold], axis=1)
        parts.append(table.reset_index().assign(reference=reference))
    return pd.concat(parts, ignore_index=True)[columns_of("preferences/accuracy")]


def _shares(known: pd.DataFrame, total: str, right: str) -> pd.DataFrame:
    """By topic: workers with answers, these, right ones, and mean and deviation of their shares."""
    share = known[right] / known[total].where(known[total] > 0)
    by = known.assign(share=share).groupby("topic", sort=False)
    counts = by[[total, right]].sum()
    shares = by["share"].agg(["count", "mean", "std"])
    return pd.concat([shares["count"], counts, shares[["mean", "std"]]], axis=1)


def label_relations(workers: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """Whether the time for a document has to do with the labels of those shown (Figure 5.15)."""
    parts = []
    for reference, some in known.groupby("reference", sort=False, observed=True):
        key = ["topic", "worker"]
        grades = workers[key].astype(str).merge(some.astype(dict.fromkeys(key, str)), how="left")
        relation = worker_relations(workers, {GRADE: grades["mean_grade"]}).iloc[-1:]
        parts.append(relation.assign(reference=reference))
    return pd.concat(parts, ignore_index=True)[["reference", *columns_of("preferences/relations")]]


def worker_labels(
    answers: pa.Table,
    labels: pd.DataFrame,
    reference: str = "reference",
    pairs: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """What a reference says of each worker's documents and preferences (Table 5.9, Figure 5.15).

    The thesis's accuracy is of the gold pair of each unit, which answers do not mark and the task
    does; beside it all pairs count whose documents have different labels.
    """
    frame = _frame(answers)
    known = by_document(labels)
    left, right = (of_side(frame, side, known) for side in ("left", "right"))
    counts = (left != right) & ~np.isnan(left + right)
    right_ = counts & (np.sign(frame["strength"].to_numpy(float)) == np.sign(right - left))
    by = ["topic", "worker"]
    gold = counts & _is_gold(frame, pairs)
    columns = {"apart": counts, "right": right_, "gold": gold, "gold_right": gold & right_}
    answered = frame[by].assign(**columns).groupby(by, dropna=False).sum()
    appearances = _appearances(frame).drop_duplicates()
    grade = of_side(appearances, "docno", known)
    answered["mean_grade"] = appearances[by].assign(g=grade).groupby(by, dropna=False)["g"].mean()
    table = answered.reset_index().assign(reference=reference)
    return table.astype(dict.fromkeys(columns, int))[columns_of("preferences/worker_labels")]


def _is_gold(frame: pd.DataFrame, pairs: pd.DataFrame | None) -> np.ndarray:
    """(n,) whether an answer is about the gold pair of its unit, on whichever sides."""
    if pairs is None:
        return np.zeros(len(frame), dtype=bool)
    keys = ["topic", "unit", "left", "right"]
    gold = pairs[pairs["gold"]][keys].astype(str)
    turned = gold.set_axis(["topic", "unit", "right", "left"], axis=1)
    known = pd.MultiIndex.from_frame(pd.concat([gold, turned[keys]]))
    return pd.MultiIndex.from_frame(frame[keys].astype(str)).isin(known)


def _frame(answers: pa.Table) -> pd.DataFrame:
    if not len(answers):
        raise MethodError("there is no answer of anybody")
    return _rows(answers)


def _rows(answers: pa.Table | None) -> pd.DataFrame:
    table = SCHEMAS["preferences"].empty_table() if answers is None else answers
    frame = table.to_pandas().astype(_NAMES)
    for name in ("worker", "unit"):
        frame[name] = frame[name].astype(object).where(frame[name].notna(), None)
    return frame


def _appearances(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each document of each answer."""
    keys = ["topic", "worker", "unit"]
    return pd.concat(
        [frame[[*keys, side]].rename(columns={side: "docno"}) for side in ("left", "right")],
        ignore_index=True,
    )


def _contradicted(frame: pd.DataFrame) -> pd.Series:
    """The share of documents shown that got both absolute answers, by topic and worker."""
    keys = ["topic", "worker", "unit"]
    flags = pd.concat(
        [
            frame[[*keys, side, f"{side}_relevant"]].set_axis([*keys, "docno", "relevant"], axis=1)
            for side in ("left", "right")
        ],
        ignore_index=True,
    ).dropna(subset=["relevant"])
    kinds = flags.groupby([*keys, "docno"], dropna=False)["relevant"].nunique()
    return (kinds > 1).groupby(["topic", "worker"], dropna=False).mean()
