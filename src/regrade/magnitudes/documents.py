"""One magnitude per document from all that workers gave it (turpin2015 §§3.3, 4.1)."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import aggregate, once_per_worker
from regrade.catalogue import columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import DOCUMENT_AGGREGATES
from regrade.errors import MethodError, check_choice
from regrade.magnitudes.normalising import check_units, normalise, shifted
from regrade.scales import Scale
from regrade.tables import as_table

_DOCUMENT = ["topic", "docno"]


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
    frame = as_table(normalised).to_pandas().astype({"topic": str, "docno": str, "worker": str})
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
    labels = _aggregated(judgments, how)
    if scale is not None:
        _check_scale(labels, how, scale)
    return labels


def _aggregated(judgments: pa.Table | pd.DataFrame, how: str) -> pa.Table:
    if how != "geometric_mean":
        return aggregate(as_table(judgments), how)
    frame = shifted(judgments).to_pandas().astype({"topic": str, "docno": str, "worker": str})
    magnitudes = _per_document(frame).reset_index()
    columns = [magnitudes[name].to_numpy() for name in (*_DOCUMENT, how)]
    return pa.table(columns, schema=SCHEMAS["qrels"])


def _check_scale(labels: pa.Table, how: str, scale: Scale) -> None:
    """Half a step between two values is no value of a scale of levels."""
    off = labels.filter(~scale.contains(labels["grade"].to_numpy()))
    if len(off):
        first = off.slice(0, 1).to_pylist()[0]
        raise MethodError(
            f"topic {first['topic']}, document {first['docno']}: the {how} {first['grade']:g} "
            f"{scale.off} ({len(off)} of {len(labels)} labels): give the set a `range` or "
            "`ratio: true`, or aggregate by median_low, median_high or majority"
        )


def _per_document(frame: pd.DataFrame) -> pd.DataFrame:
    """Number, median and geometric mean of each document's values, a worker counting once."""
    once = once_per_worker(frame)
    groups = once.assign(log=np.log(once["value"])).groupby(_DOCUMENT, sort=True)
    # exact sums, which do not depend on the order of the rows
    mean_log = groups["log"].agg(lambda log: math.fsum(log) / len(log)).astype(float)
    medians = groups["value"].agg(n="size", median="median")
    return medians.assign(geometric_mean=np.exp(mean_log))
