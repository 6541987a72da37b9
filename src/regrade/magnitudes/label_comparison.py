"""Magnitudes beside labels: what the methods that compare the two share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import equal_rows, lower_middle
from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.choices import MAGNITUDE_AGGREGATES
from regrade.errors import ParameterError, check_choice
from regrade.tables import as_frame

AGGREGATES = {name: f"normalised_{name}" for name in MAGNITUDE_AGGREGATES}
"""What may be a document's magnitude, and the column of ``magnitudes/documents`` that holds it."""

MAGNITUDES = "magnitudes"
"""The magnitudes' name among sets of labels."""

DOCUMENT = ["topic", "docno"]

_NAMES = ("topic", "docno", "worker", "unit", "reference", "aggregate")

WHISKER = 1.5
"""How far whiskers may reach, in distances of the quartiles."""


References = Mapping[str, pa.Table | pd.DataFrame]
"""Tables of schema ``qrels`` by the name of the reference."""


def plain(table: pa.Table | pd.DataFrame) -> pd.DataFrame:
    """A table as a frame of its own, with names as strings."""
    frame = as_frame(table)
    names = [name for name in _NAMES if name in frame]
    return frame.astype(dict.fromkeys(names, str)).reset_index(drop=True)


def each_worker_once(frame: pd.DataFrame) -> pd.DataFrame:
    """Of several magnitudes of a worker for a document the lower middle one, with its unit."""
    keys = [*DOCUMENT, "worker"]
    frame = frame.sort_values([*keys, "normalised", "unit"], ignore_index=True)
    return frame.iloc[lower_middle(*equal_rows(*(frame[key].to_numpy() for key in keys)))]


def framed(rows: Iterable[Mapping], schema: str) -> pd.DataFrame:
    """Rows as a frame with the columns of a schema, in its order."""
    return pd.DataFrame(list(rows), columns=columns_of(schema))


class KnownLabels(NamedTuple):
    """The labels of a reference, on its levels.

    Attributes
    ----------
    reference
        Its name.
    labels
        Columns topic, docno, label, and code, the place of the label among the levels.
    levels
        (k,) float64, ascending.
    """

    reference: str
    labels: pd.DataFrame
    levels: np.ndarray


def known_labels(
    labels: References, levels: Mapping[str, Sequence[float]], reference: str
) -> KnownLabels:
    """A reference's labels and its levels."""
    if MAGNITUDES in labels:
        raise ParameterError(
            f"a label set is called {MAGNITUDES!r}, the name of the magnitudes: rename it"
        )
    check_choice("reference", reference, labels)
    check_choice("reference with levels", reference, levels)
    scale = np.unique(np.asarray(levels[reference], dtype=np.float64))
    if len(scale) < 2 or not np.isfinite(scale).all():
        raise ParameterError(
            f"reference {reference} has the levels {list(levels[reference])}: at least two "
            "different numbers are needed"
        )
    frame = plain(labels[reference]).rename(columns={"grade": "label"})
    grades = frame["label"].to_numpy(np.float64)
    code = np.searchsorted(scale, grades).clip(max=len(scale) - 1)
    for row in np.flatnonzero(scale[code] != grades)[:1]:
        raise ParameterError(
            f"reference {reference}: the label {grades[row]:g} of {_named(frame, row)} is not one "
            f"of its levels ({', '.join(f'{level:g}' for level in scale)}): give all of its scale"
        )
    for row in np.flatnonzero(frame.duplicated(DOCUMENT))[:1]:
        raise ParameterError(
            f"reference {reference}: {_named(frame, row)} has more than one label: aggregate "
            "judgments into one label per document first"
        )
    return KnownLabels(reference, frame.assign(code=code)[[*DOCUMENT, "label", "code"]], scale)


def _named(frame: pd.DataFrame, row: int) -> str:
    topic, docno = frame.loc[row, DOCUMENT]
    return f"document {docno} on topic {topic}"


def document_magnitudes(documents: pa.Table | pd.DataFrame, aggregate: str) -> pd.DataFrame:
    """One magnitude per document."""
    check_choice("aggregate", aggregate, AGGREGATES)
    frame = plain(documents).rename(columns={AGGREGATES[aggregate]: "magnitude"})
    frame = frame[[*DOCUMENT, "n", "magnitude"]].sort_values(DOCUMENT, ignore_index=True)
    check_positive(frame, "magnitude", f"normalised {aggregate.replace('_', ' ')}")
    return frame


def check_positive(frame: pd.DataFrame, column: str, what: str) -> None:
    """Refuse magnitudes that have no logarithm, naming the first with its document."""
    value = frame[column].to_numpy(np.float64)
    for row in np.flatnonzero(~(np.isfinite(value) & (value > 0)))[:1]:
        raise ParameterError(
            f"{_named(frame.reset_index(drop=True), row)}: its {what} is {value[row]:g}: "
            "magnitudes are positive, finite numbers; on a scale with 0 add a `shift` first"
        )


def box(values: np.ndarray) -> dict[str, float]:
    """What a box shows of some values.

    Quartiles are interpolated linearly (numpy's and matplotlib's rule).  A whisker ends at the last
    value within `WHISKER` distances of the quartiles from its quartile, or at the quartile where
    no value lies between the two.
    """
    values = np.asarray(values, dtype=np.float64)
    if not len(values):
        undefined = dict.fromkeys(("mean", "low", "q1", "median", "q3", "high"), np.nan)
        return {"n": 0, **undefined, "outliers": 0}
    q1, median, q3 = np.percentile(values, [25, 50, 75])
    reach = WHISKER * (q3 - q1)
    low = min(values[values >= q1 - reach].min(), q1)
    high = max(values[values <= q3 + reach].max(), q3)
    of_box = {"low": low, "q1": q1, "median": median, "q3": q3, "high": high}
    outliers = int(((values < low) | (values > high)).sum())
    return {"n": len(values), "mean": values.mean(), **of_box, "outliers": outliers}


def box_of(values: np.ndarray, schema: str) -> dict[str, float]:
    """The part of a `box` for which a schema has columns."""
    return {name: value for name, value in box(values).items() if name in columns_of(schema)}


def by_topic(frame: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """A frame's topics, by name, each with its rows; last all topics with all rows."""
    groups = [(topic, rows) for topic, rows in frame.groupby("topic", sort=True)]
    return [*groups, (ALL_TOPICS, frame)]
