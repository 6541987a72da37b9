"""Magnitudes of different workers on one scale, and one for each document (turpin2015 §§3.3, 4.1).

A worker chooses which numbers to use, so only the ratios within one unit (HIT) say anything until
the units of a topic are put on a common scale.  Logarithms are natural.  Sums are exact
(`math.fsum`), so that no result depends on the order of rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import aggregate, once_per_worker
from regrade.catalogue import columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import DOCUMENT_AGGREGATES, MAGNITUDE_NORMALISATIONS
from regrade.errors import MethodError, check_choice
from regrade.magnitudes.label_comparison import DOCUMENT, plain
from regrade.scales import Scale
from regrade.tables import as_table, encode

UNIT = ("topic", "worker", "unit")
"""The key of a unit: one worker's HIT for one topic."""


def normalise(
    judgments: pa.Table | pd.DataFrame, how: str = "geometric", shift: float = 0.0
) -> pa.Table:
    """Put the units of each topic on one scale.

    With s a value, μ_u and σ_u the mean and standard deviation (of all, not n − 1) of the logs of
    its unit and μ and σ those of all judgments of its topic, s becomes

    ``geometric``
        exp(log s − μ_u + μ), geometric averaging (turpin2015 §3.3): ratios within the unit stay;
    ``z-score``
        exp(μ + σ (log s − μ_u) / σ_u): all units get the spread of the topic, which makes narrow
        and wide users alike; exp(μ) where the unit's values are all equal;
    ``rank``
        (r − ½) / n, with r its rank among the unit's n values (the middle one for equal values);
    ``none``
        s.
    """
    check_choice("normalisation", how, MAGNITUDE_NORMALISATIONS)
    table = shifted(judgments, shift)
    if how == "none":
        return table
    check_units(table)
    codes = np.column_stack([encode(table[name])[1] for name in UNIT])
    # numbers, from 0, of each row's topic and unit, by the order of their names
    topic, unit = codes[:, 0], np.unique(codes, axis=0, return_inverse=True)[1].ravel()
    with np.errstate(over="ignore", under="ignore"):  # the next line looks for what these leave
        value = _NORMALISED[how](table["value"].to_numpy(), topic, unit)
    _check_positive(value, table, f"its value by {how} normalisation", "")
    return _with_values(table, value)


def shifted(judgments: pa.Table | pd.DataFrame, shift: float = 0.0) -> pa.Table:
    """Judgments with `shift` added to each value, all of which are then positive."""
    table = as_table(judgments)
    value = table["value"].to_numpy() + shift
    remedy = ": add a `shift` that makes all values positive, or leave out such values"
    _check_positive(value, table, f"value + shift {shift:g}" if shift else "value", remedy)
    return _with_values(table, value)


def check_units(judgments: pa.Table) -> None:
    """Refuse judgments of which some have no unit, with a `MethodError`."""
    missing = judgments["unit"].null_count
    if missing:
        raise MethodError(
            f"{missing} of {len(judgments)} judgments have no unit, and only ratios within "
            "a unit (HIT) are meaningful: name the unit's column in the file with `unit`, "
            "or add a column with the worker's name where each judged a topic at once"
        )


def _check_positive(value: np.ndarray, table: pa.Table, what: str, remedy: str) -> None:
    """Refuse numbers that are no magnitudes, naming the first."""
    bad = np.flatnonzero(~(np.isfinite(value) & (value > 0)))
    if len(bad):
        row = table.select(["topic", "docno", "worker"]).slice(bad[0], 1).to_pylist()[0]
        more = f" ({len(bad)} such values)" if len(bad) > 1 else ""
        raise MethodError(
            f"topic {row['topic']}, document {row['docno']}, worker {row['worker']}: {what} is "
            f"{value[bad[0]]:g}, which is not a positive finite number{remedy}{more}"
        )


def _with_values(table: pa.Table, value: np.ndarray) -> pa.Table:
    place = table.column_names.index("value")
    return table.set_column(place, pa.field("value", pa.float64(), False), pa.array(value))


def _geometric(value: np.ndarray, topic: np.ndarray, unit: np.ndarray) -> np.ndarray:
    log = np.log(value)
    # one factor a unit: equal values stay equal, and the order of values stays
    return value * np.exp(_means(log, topic)[topic] - _means(log, unit)[unit])


def _z_score(value: np.ndarray, topic: np.ndarray, unit: np.ndarray) -> np.ndarray:
    log = np.log(value)
    of_topic = _means(log, topic)
    from_topic = log - of_topic[topic]
    spread = np.sqrt(_means(from_topic**2, topic))[topic]
    low = np.full(unit.max() + 1, np.inf)
    np.minimum.at(low, unit, value)
    low = low[unit]
    # logs of nearly equal values differ by no more than they are rounded by
    above = np.where(value < 2 * low, np.log1p((value - low) / low), log - np.log(low))
    from_unit = above - _means(above, unit)[unit]
    own = np.sqrt(_means(from_unit**2, unit))[unit]
    z = np.divide(from_unit, own, out=np.zeros_like(own), where=own > 0)
    return np.exp(of_topic[topic] + spread * z)


def _rank(value: np.ndarray, topic: np.ndarray, unit: np.ndarray) -> np.ndarray:
    rank = pd.Series(value).groupby(unit).rank().to_numpy()
    return (rank - 0.5) / np.bincount(unit)[unit]


def _means(x: np.ndarray, group: np.ndarray) -> np.ndarray:
    """The mean of each group's numbers, the same for any order of the rows."""
    count = np.bincount(group)
    parts = np.split(x[np.argsort(group, kind="stable")], np.cumsum(count)[:-1])
    return np.array([math.fsum(part.tolist()) for part in parts]) / count


_NORMALISED: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]] = {
    "geometric": _geometric,
    "z-score": _z_score,
    "rank": _rank,
}


# --- documents ---------------------------------------------------------------------------------


def normalised_table(judgments: pa.Table | pd.DataFrame, how: str = "geometric") -> pd.DataFrame:
    """Each judgment's magnitude, as it was given and normalised."""
    table = as_table(judgments)
    check_units(table)
    columns = columns_of("magnitudes/normalised")
    frame = table.to_pandas().assign(normalised=normalise(table, how)["value"].to_numpy())
    frame = frame[columns].astype(dict.fromkeys(columns[:4], str))
    return frame.sort_values(columns, ignore_index=True)


def document_table(normalised: pa.Table | pd.DataFrame) -> pd.DataFrame:
    """The median and the geometric mean of each document's magnitudes."""
    frame = plain(as_table(normalised))
    raw, other = (
        _per_document(frame.assign(value=frame[name])) for name in ("value", "normalised")
    )
    other = other.drop(columns="n").rename(columns=lambda name: f"normalised_{name}")
    return raw.join(other).reset_index()[columns_of("magnitudes/documents")]


def aggregated_labels(
    judgments: pa.Table | pd.DataFrame,
    how: str = "median",
    *,
    scale: Scale | None = None,
) -> pa.Table:
    """Real-valued labels: one value per document from all its judgments."""
    check_choice("aggregation", how, DOCUMENT_AGGREGATES)
    if how == "geometric_mean":
        frame = plain(shifted(judgments))
        magnitudes = _per_document(frame).reset_index()
        columns = [magnitudes[name].to_numpy() for name in (*DOCUMENT, how)]
        labels = pa.table(columns, schema=SCHEMAS["qrels"])
    else:
        labels = aggregate(as_table(judgments), how)
    # half a step between two values is no value of a scale of levels
    off = labels.filter(~scale.contains(labels["grade"].to_numpy())) if scale else []
    if len(off):
        first = off.slice(0, 1).to_pylist()[0]
        raise MethodError(
            f"topic {first['topic']}, document {first['docno']}: the {how} {first['grade']:g} "
            f"{scale.off} ({len(off)} of {len(labels)} labels): give the set a `range` or "
            "`ratio: true`, or aggregate by median_low, median_high or majority"
        )
    return labels


def _per_document(frame: pd.DataFrame) -> pd.DataFrame:
    """Number, median and geometric mean of each document's values, a worker counting once."""
    once = once_per_worker(frame)
    groups = once.assign(log=np.log(once["value"])).groupby(DOCUMENT, sort=True)
    # exact sums, which do not depend on the order of the rows
    mean_log = groups["log"].agg(lambda log: math.fsum(log) / len(log)).astype(float)
    medians = groups["value"].agg(n="size", median="median")
    return medians.assign(geometric_mean=np.exp(mean_log))
