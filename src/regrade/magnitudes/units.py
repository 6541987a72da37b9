"""Units (HITs) of magnitudes: known documents, checks, widths (turpin2015 §§3.2, 5.3).

Each unit of a topic holds the same two documents of known relevance, H_k and N_k.  A worker who
does not put H_k above N_k has not understood, or not read; how far H_k is above N_k tells a narrow
user of numbers from a wide one.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import exceeds
from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.choices import UNIT_CHECKS, WIDTHS_OF
from regrade.errors import MethodError, check_choice
from regrade.magnitudes.label_comparison import by_topic, framed, plain
from regrade.magnitudes.normalising import UNIT, check_units, shifted
from regrade.percentiles import five_numbers
from regrade.tables import as_table

LEAST_SECONDS = 20.0
"""Time that each document should get (turpin2015 §3.2, check d)."""

STEP = 5.0
"""What widths are rounded to where they are counted (turpin2015 Figure 7)."""

_UNIT = list(UNIT)


def known_documents(
    judgments: pa.Table | pd.DataFrame,
    known: pa.Table | pd.DataFrame | None = None,
    reference: pa.Table | pd.DataFrame | None = None,
) -> pd.DataFrame:
    """The known high and low document of each topic, H_k and N_k (turpin2015 §3.2)."""
    frame, rows = _frame(judgments), []
    labels = reference if known is None else known
    by_topic = {} if labels is None else dict(list(plain(labels).groupby("topic")))
    for topic, mine in frame.groupby("topic", sort=True):
        own = by_topic.get(topic, pd.DataFrame({"docno": [], "grade": []}))
        grades = own.set_index("docno")["grade"]
        pair = _inferred(mine, grades) if known is None else _labelled(grades, set(mine["docno"]))
        pair, reason = (pair, None) if isinstance(pair, tuple) else ((None, None), pair)
        rows.append((topic, *pair, reason))
    # as objects: a column of nothing but None is not one of numbers
    return pd.DataFrame(rows, columns=["topic", "high", "low", "reason"], dtype=object)


def unit_table(
    judgments: pa.Table | pd.DataFrame,
    known: pd.DataFrame,
    *,
    least_seconds: float = LEAST_SECONDS,
    leave_out: Iterable[str] = (),
    extremes: bool = False,
) -> pd.DataFrame:
    """What each unit says of the known documents, and which checks it fails.

    The checks are those of the paper that judgments can be held to: ``order``, H_k is not above
    N_k (c; equal magnitudes fail); ``time``, a document got less than `least_seconds` (d); and
    ``known``, the unit lacks H_k or N_k.  What cannot be checked is not failed: without times,
    without known documents in the topic.  In the paper a failing unit was never kept, and nothing
    was left out afterwards.
    """
    leave_out = list(leave_out)
    for name in leave_out:
        check_choice("check to leave out by", name, UNIT_CHECKS)
    frame = _frame(shifted(judgments))
    groups = frame.groupby(_UNIT, sort=True)
    table = groups.agg(documents=("docno", "size"), seconds=("seconds", "min"))
    for name in ("back", "failed"):
        table[name] = groups[name].max().astype("Int32")
    known = known.set_index("topic")
    known_rows = (frame[frame["docno"] == frame["topic"].map(known[of])] for of in ("high", "low"))
    high, low = (rows.set_index(_UNIT)["value"].reindex(table.index) for rows in known_rows)
    has_known = table.index.get_level_values("topic").isin(known.index[known["high"].notna()])
    failed = {
        "order": high <= low,
        "time": table["seconds"] < least_seconds,
        "known": has_known & (high.isna() | low.isna()),
    }
    width = groups["value"].max() / groups["value"].min() if extremes else high / low
    problems = [
        ",".join(check for check, fails in zip(UNIT_CHECKS, row, strict=True) if fails) or None
        for row in zip(*(failed[check] for check in UNIT_CHECKS), strict=True)
    ]
    table = table.assign(
        high=high,
        low=low,
        width=width,
        width_of=WIDTHS_OF[extremes],
        problems=pd.Series(problems, table.index, dtype=object),
        kept=~np.logical_or.reduce([np.zeros(len(table), bool), *(failed[n] for n in leave_out)]),
    )
    return table.reset_index()[columns_of("magnitudes/units")]


def topic_table(
    units: pa.Table | pd.DataFrame, judgments: pa.Table | pd.DataFrame, known: pd.DataFrame
) -> pd.DataFrame:
    """Documents, units and checks per topic (turpin2015 Table 1)."""
    units, frame = plain(units), _frame(judgments)
    known = known.set_index("topic")
    parts = [(topic, of, frame[frame["topic"] == topic]) for topic, of in by_topic(units)[:-1]]
    rows = []
    for topic, own, judged in [*parts, (ALL_TOPICS, units, frame)]:
        pair = {f"{which}_docno": known[which].get(topic) for which in ("high", "low")}
        rows.append({"topic": topic, **_facts(own, judged), **pair})
    table = framed(rows, "magnitudes/topics")
    counted = [name for name in table if name.startswith(("back_", "failed_"))]
    return table.astype(dict.fromkeys(counted, "Int32"))


def kept_judgments(judgments: pa.Table | pd.DataFrame, units: pa.Table | pd.DataFrame) -> pa.Table:
    """The judgments of the units that are kept, in their order."""
    table = as_table(judgments)
    check_units(table)
    units = plain(units)
    kept = pd.MultiIndex.from_frame(units.loc[units["kept"].astype(bool), _UNIT])
    rows = table.select(_UNIT).to_pandas().astype(str)
    return table.filter(pa.array(pd.MultiIndex.from_frame(rows).isin(kept)))


def is_narrow(width: np.ndarray, limit: float) -> np.ndarray:
    """Whether widths are below a limit by more than rounding.

    Magnitudes are decimals: 0.35 / 0.07 is 5, and not narrow where the limit is 5, though doubles
    make it 4.999….
    """
    return exceeds(np.full(np.shape(width), limit), width)


def width_counts(units: pa.Table | pd.DataFrame) -> pd.DataFrame:
    """How many kept units have which width, rounded to the nearest `STEP` (turpin2015 Figure 7).

    Halves are rounded upwards; what is below half a `STEP` counts at 0.
    """
    units = plain(units)
    width = units.loc[units["kept"].astype(bool), "width"].dropna().to_numpy(float)
    # a little more than a half: 0.6 / 0.08 is 7.5, if not in doubles
    rounded = np.floor(width / STEP + 0.5 + 1e-12)
    values, counts = np.unique(rounded, return_counts=True)
    table = pd.DataFrame({"width": values * STEP, "units": counts.astype(np.int32)})
    return table.assign(width_of=_width_of(units))


def width_quantiles(units: pa.Table | pd.DataFrame) -> pd.DataFrame:
    """Quartiles of the widths, and how many units are narrow and wide (turpin2015 §5.3)."""
    units = plain(units)
    width = units["width"].where(units["kept"].astype(bool)).astype(float)
    limit = float(np.median(width.dropna())) if width.notna().any() else np.nan
    rows = []
    for topic, own in by_topic(units):
        defined = width[own.index].dropna().to_numpy()
        narrow = int(is_narrow(defined, limit).sum())
        row = {"topic": topic, "units": int(own["kept"].astype(bool).sum()), "narrow": narrow}
        rows.append(row | {"wide": len(defined) - narrow} | five_numbers(defined))
    return framed(rows, "magnitudes/width_quantiles").assign(width_of=_width_of(units))


def _width_of(units: pd.DataFrame) -> str:
    """What the widths of units are of, the same for all of a set."""
    return str(units["width_of"].iloc[0]) if len(units) else WIDTHS_OF[0]


def _labelled(labels: pd.Series, judged: set[str]) -> tuple[str, str] | str:
    """H_k and N_k by labels (docno to label), or why not."""
    if labels.empty:
        return "no document of the topic is known"
    if labels.min() == labels.max():
        return f"all labels of known documents are {labels.min():g}"
    pair = []
    for which, label in (("highest", labels.max()), ("lowest", labels.min())):
        documents = labels.index[labels == label]
        if len(documents) > 1:
            return f"{len(documents)} documents have the {which} label, {label:g}"
        if documents[0] not in judged:
            return f"the document with the {which} label, {documents[0]}, is in no unit"
        pair.append(documents[0])
    return tuple(pair)


def _inferred(mine: pd.DataFrame, labels: pd.Series) -> tuple[str, str] | str:
    """H_k and N_k of one topic by what its units have in common, or why not."""
    values = mine.pivot(index=["worker", "unit"], columns="docno", values="value")
    if len(values) == 1:
        return "the topic has one unit: its known documents cannot be determined"
    common = values.columns[values.notna().sum() * 2 > len(values)]
    if len(common) != 2:
        return f"{len(common)} documents are in more than half of the {len(values)} units, not 2"
    first, second = common
    difference = labels.get(first, np.nan) - labels.get(second, np.nan)
    if np.isnan(difference) or difference == 0:
        difference = np.sign(values[first] - values[second]).sum()  # of the units with both
    if difference == 0:
        return f"whether {first} or {second} is the high one cannot be determined"
    return (first, second) if difference > 0 else (second, first)


def _facts(units: pd.DataFrame, judgments: pd.DataFrame) -> dict:
    """What `topic_table` counts of a topic's units and judgments, or of all."""
    problems = units["problems"].astype(object).fillna("").str.split(",")
    facts = {
        "documents": len(judgments[["topic", "docno"]].drop_duplicates()),
        "units": len(units),
        "judgments": len(judgments),
        "workers": judgments["worker"].nunique(),
    }
    for name in ("back", "failed"):
        number = units[name].dropna().clip(upper=2)
        for count in range(3):
            facts[f"{name}_{count}"] = int((number == count).sum()) if len(number) else None
    facts |= {check: int(sum(check in of for of in problems)) for check in UNIT_CHECKS}
    return facts | {"left_out": int((~units["kept"].astype(bool)).sum())}


def _frame(judgments: pa.Table | pd.DataFrame) -> pd.DataFrame:
    """Judgments with units as a frame with plain strings, no document twice in a unit."""
    table = as_table(judgments)
    check_units(table)
    frame = plain(table).astype(dict.fromkeys(["value", "seconds", "back", "failed"], float))
    again = frame[frame.duplicated([*_UNIT, "docno"])]
    if len(again):
        topic, docno, worker, unit = again.iloc[0][["topic", "docno", "worker", "unit"]]
        raise MethodError(
            f"topic {topic}, worker {worker}: document {docno} occurs twice in unit "
            f"{unit}: name with `unit` the columns that identify units"
        )
    return frame
