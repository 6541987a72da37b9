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
from pandas.api.typing import DataFrameGroupBy

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
_BY = ["topic", "worker"]


def worker_table(
    answers: pa.Table,
    left_out: pa.Table | None = None,
    seconds: float = 5.0,
    units: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """What each worker did for each topic (Figures 5.11, 5.13 and 5.15)."""
    kept, others = _frame(answers), _rows(left_out)

    def by_worker(frame: pd.DataFrame | pd.Series) -> DataFrameGroupBy:
        return frame.groupby(_BY, dropna=False)

    table = by_worker(pd.concat([kept, others])).size().rename("answers").to_frame()
    table["left_out"] = by_worker(others).size().reindex(table.index, fill_value=0)
    of_unit = _appearances(kept).drop_duplicates()
    table["units"] = by_worker(of_unit.drop_duplicates([*_BY, "unit"])).size()
    table["shown"] = by_worker(of_unit).size()
    times = of_unit.groupby([*_BY, "docno"], dropna=False).size()
    for column, counted in (("once", times == 1), ("twice", times == 2), ("more", times > 2)):
        table[column] = by_worker(counted).sum()
    table["documents"] = by_worker(times).size()
    spent = by_worker(kept)["seconds"].agg(["mean", "sum", "count"])
    table["seconds"] = spent["mean"]
    table["per_document"] = spent["sum"].where(spent["count"] > 0) / table["shown"]
    units = consistency(answers, KEYS, seconds) if units is None else units
    for end in ("low", "high"):
        of_units = by_worker(units.astype(dict.fromkeys(_BY, object)))[f"affected_{end}"]
        affected = of_units.agg(lambda some: some.sum(skipna=False)).rename_axis(_BY)
        table[f"inconsistent_{end}"] = affected / table["shown"]
    flags = _appearances(kept, "relevant").dropna(subset=["relevant"])
    kinds = flags.groupby([*_BY, "unit", "docno"], dropna=False)["relevant"].nunique()
    # the share of documents shown that got both absolute answers
    table["inconsistent_absolute"] = by_worker(kinds > 1).mean()
    counts = ["units", "shown", "once", "twice", "more", "documents"]
    table[counts] = table[counts].fillna(0).astype(int)
    table = table.reset_index()
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
    rows = []
    for topic, some in [*frame.groupby("topic"), (ALL_TOPICS, frame)]:
        own = some[some["kept"]]
        people = own["worker"].nunique() if some["worker"].notna().any() else np.nan
        unit = own[[*_BY, "unit"]].dropna(subset=["unit"]).drop_duplicates()
        is_trusted = int(some["is_trusted"].sum())
        row = {
            "documents": len(np.union1d(some["left"], some["right"])),
            "pairs": len(some[["first", "second"]].drop_duplicates()),
            "partitions": some["partition"].nunique() or np.nan,
            "units": len(unit) or np.nan,
            "workers": people,
            "trusted": is_trusted,
            "untrusted": len(some) - is_trusted,
            "kept": len(own),
            "cost": np.nan if price is None else price * len(some),
        }
        if topic == ALL_TOPICS:
            row = {name: sum(of[name] for of in rows) for name in row}
        seconds = own["seconds"].sort_values().mean()
        rows.append({"topic": topic, **row, "people": people, "seconds": seconds})
    return pd.DataFrame(rows, columns=columns_of("preferences/topics"))


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
    from scipy import stats  # slow to import

    further = further or {}
    preference = workers[["inconsistent_low", "inconsistent_high"]].mean(axis=1, skipna=False)
    absolute = workers["inconsistent_absolute"]
    columns = {SHOWN: workers["shown"], PREFERENCE: preference, ABSOLUTE: absolute, **further}
    columns[PER_DOCUMENT] = workers["per_document"]
    pairs = [(SHOWN, PREFERENCE), (SHOWN, ABSOLUTE)]
    pairs += [(PER_DOCUMENT, name) for name in (SHOWN, PREFERENCE, ABSOLUTE, *further)]
    rows = []
    for pair in pairs:
        x, y = (columns[name].to_numpy(float) for name in pair)
        both = pd.DataFrame({"x": x, "y": y}).dropna()
        tau, p = np.nan, np.nan
        if (both.nunique() > 1).all():
            tau, p = stats.kendalltau(both["x"], both["y"])
        rows.append((*pair, len(both), tau, p))
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
        columns = {}
        for prefix, total in (("", "apart"), ("gold_", "gold")):
            right = f"{prefix}right"
            share = everything[right] / everything[total].where(everything[total] > 0)
            by = everything.assign(share=share).groupby("topic", sort=False)
            shares = by["share"].agg(["count", "mean", "std"])
            columns |= {f"{prefix}workers": shares["count"], total: by[total].sum()}
            columns |= {right: by[right].sum(), f"{prefix}mean": shares["mean"]}
            columns[f"{prefix}deviation"] = shares["std"]
        parts.append(pd.DataFrame(columns).reset_index().assign(reference=reference))
    return pd.concat(parts, ignore_index=True)[columns_of("preferences/accuracy")]


def label_relations(workers: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """Whether the time for a document has to do with the labels of those shown (Figure 5.15)."""
    parts = []
    for reference, some in known.groupby("reference", sort=False, observed=True):
        names = dict.fromkeys(_BY, str)
        grades = workers[_BY].astype(names).merge(some.astype(names), how="left")
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
    gold = np.zeros(len(frame), dtype=bool)
    if pairs is not None:  # the gold pair of a unit, on whichever sides
        keys = ["topic", "unit", "left", "right"]
        of_gold = pairs[pairs["gold"]][keys].astype(str)
        turned = of_gold.set_axis(["topic", "unit", "right", "left"], axis=1)
        both = pd.MultiIndex.from_frame(pd.concat([of_gold, turned[keys]]))
        gold = counts & pd.MultiIndex.from_frame(frame[keys].astype(str)).isin(both)
    columns = {"apart": counts, "right": right_, "gold": gold, "gold_right": gold & right_}
    answered = frame[_BY].assign(**columns).groupby(_BY, dropna=False).sum()
    appearances = _appearances(frame).drop_duplicates()
    appearances = appearances[_BY].assign(grade=of_side(appearances, "docno", known))
    answered["mean_grade"] = appearances.groupby(_BY, dropna=False)["grade"].mean()
    table = answered.reset_index().assign(reference=reference)
    return table.astype(dict.fromkeys(columns, int))[columns_of("preferences/worker_labels")]


def _frame(answers: pa.Table) -> pd.DataFrame:
    if not len(answers):
        raise MethodError("there is no answer by any worker")
    return _rows(answers)


def _rows(answers: pa.Table | None) -> pd.DataFrame:
    table = SCHEMAS["preferences"].empty_table() if answers is None else answers
    frame = table.to_pandas().astype(_NAMES)
    for name in ("worker", "unit"):
        frame[name] = frame[name].astype(object).where(frame[name].notna(), None)
    return frame


def _appearances(frame: pd.DataFrame, *fields: str) -> pd.DataFrame:
    """A row for each document of each answer, with what is told of it."""
    keys, names = [*_BY, "unit"], ["docno", *fields]
    sides = (
        frame[[*keys, side, *(f"{side}_{name}" for name in fields)]].set_axis(
            [*keys, *names], axis=1
        )
        for side in ("left", "right")
    )
    return pd.concat(sides, ignore_index=True)


# --- times -------------------------------------------------------------------------------------

WIDTH = 10.0
"""Seconds of a bar."""

LAST = 0.99
"""The share of all answers that lie in bars of that width; one bar holds the rest."""

_FEWEST = 2


def time_fits(answers: pa.Table) -> pd.DataFrame:
    """Gamma distributions of the seconds that answers took (yang2019 Figure 5.14)."""
    from scipy import stats  # slow to import

    rows = []
    for topic, seconds in _by_topic(answers):
        above = np.sort(seconds[seconds > 0])
        row = {"topic": topic, "answers": len(seconds), "unfitted": len(seconds) - len(above)}
        row |= {"mean": float(seconds.mean()), "median": float(np.median(seconds))}
        row["deviation"] = float(seconds.std(ddof=1)) if len(seconds) > 1 else np.nan
        if len(np.unique(above)) < _FEWEST:
            row["note"] = "fewer than two different times above 0: nothing to fit"
        else:
            shape, _, scale = stats.gamma.fit(above, floc=0)
            fitted = stats.gamma(shape, scale=scale)
            row |= {"shape": shape, "scale": scale, "note": None}
            row["log_likelihood"] = float(fitted.logpdf(above).sum())
            row["distance"] = float(stats.kstest(above, fitted.cdf).statistic)
        rows.append(row)
    return pd.DataFrame(rows, columns=columns_of("preferences/time_fits"))


def time_bins(answers: pa.Table, fits: pd.DataFrame) -> pd.DataFrame:
    """How many answers took how long, in bars of `WIDTH` seconds."""
    from scipy import stats  # slow to import

    by_topic = list(_by_topic(answers))
    if not by_topic:
        return pd.DataFrame(columns=columns_of("preferences/times"))
    everything = by_topic[-1][1]
    bars = int(np.quantile(everything, LAST) // WIDTH) + 1
    low = np.arange(bars + 1) * WIDTH
    edges = np.append(low, np.inf)
    known = fits.set_index("topic")
    parts = []
    for topic, seconds in by_topic:
        answers = np.histogram(seconds, edges)[0]
        fit = stats.gamma(known.loc[topic, "shape"], scale=known.loc[topic, "scale"])
        columns = {
            "topic": topic,
            "low": low,
            "high": np.append(low[1:], np.nan),
            "answers": answers,
            "share": answers / len(seconds),
            "fitted": np.diff(fit.cdf(edges)),
        }
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def _by_topic(answers: pa.Table):
    """Known seconds of the answers of each topic, and of all."""
    kept = answers.select(["topic", "seconds"]).to_pandas().dropna()
    if not len(kept):
        return
    for topic, some in kept.astype({"topic": str}).groupby("topic"):
        yield topic, some["seconds"].to_numpy(float)
    yield ALL_TOPICS, np.sort(kept["seconds"].to_numpy(float))
