"""What an import found, as facts for reading."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from regrade.audit.columns import table_of
from regrade.audit.rankings import facts_of_coverage, facts_of_runs
from regrade.audit.sets import CollectedSet, facts_of_set
from regrade.catalogue import columns_of

if TYPE_CHECKING:
    import pandas as pd


def summarise(
    sets: Iterable[CollectedSet] = (), audits: Mapping[str, pa.Table] | None = None
) -> pa.Table:
    """The facts that a reader of an import wants, one a row."""
    facts: list[tuple[str, str, float, float | None]] = []
    audits = audits or {}
    if "runs" in audits:
        facts += [("runs", *fact) for fact in facts_of_runs(audits["runs"])]
    for data in sets:
        facts += [(data.source, *fact) for fact in facts_of_set(data, audits)]
        if data.kind == "qrels" and "judged" in audits:
            here = pc.equal(audits["judged"]["qrels"].cast(pa.string()), data.name)
            coverage = facts_of_coverage(audits["judged"].filter(here), data.table)
            facts += [(data.source, *fact) for fact in coverage]
    columns = list(zip(*facts, strict=True)) or [()] * 4
    return table_of("audit/summary", **dict(zip(columns_of("audit/summary"), columns, strict=True)))


def readable_summary(summary: pa.Table) -> pd.DataFrame:
    """The summary as text for reading."""
    import pandas as pd

    rows = []
    for row in summary.to_pylist():
        value, total = row["value"], row["total"]
        # 1,234,567; 1,737 for 1736.6; 0.1235 for 0.12345
        rounded = value if value.is_integer() else float(f"{value:.4g}")
        share = f"{value / total:.1%}".replace("%", " %") if total else ""
        rows.append((row["source"], row["fact"], f"{rounded:,.15g}", share))
    return pd.DataFrame(rows, columns=["source", "fact", "value", "share"], dtype=str)
