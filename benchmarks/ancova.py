"""ANCOVA with all interactions: ours beside statsmodels on a part of the data."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.inputs import pool_scores
from benchmarks.measuring import Measured, Settings, timed
from regrade.significance.ancova import ancova

PART = 20
"""Topics, and systems, that statsmodels gets."""

TERMS = {
    "depth": "depth",
    "topic": "C(topic, Sum)",
    "system": "C(system, Sum)",
    "depth:topic": "depth:C(topic, Sum)",
    "depth:system": "depth:C(system, Sum)",
    "topic:system": "C(topic, Sum):C(system, Sum)",
    "depth:topic:system": "depth:C(topic, Sum):C(system, Sum)",
    "Residuals": "Residual",
}
"""What statsmodels calls them."""


def ours(settings: Settings) -> Measured:
    """All rows, types II and III; the values are those of the part."""
    scores = pool_scores(settings)
    part = _part(scores)
    values = _both_types(part)
    spans, _ = timed(lambda: _both_types(scores), settings.repeats)
    return Measured(spans, values, note=f"{_rows(scores):,} rows for each measure")


def peer(settings: Settings) -> Measured:
    """The part."""
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    scores = pool_scores(settings)
    part = _part(scores)

    def work() -> np.ndarray:
        values = []
        for _, rows in part.groupby("measure", sort=False, observed=True):
            model = ols(f"value ~ depth * {TERMS['topic']} * {TERMS['system']}", rows).fit()
            for kind in (2, 3):
                table = anova_lm(model, typ=kind).loc[list(TERMS.values())]
                values.append(np.column_stack([table["sum_sq"] / model.centered_tss, table["df"]]))
        return np.array(values)

    spans, values = timed(work, 1)
    rows, columns = _rows(scores), _columns(scores)
    note = (
        f"{PART} topics, {PART} systems: {_rows(part):,} rows and {_columns(part):,} columns, not "
        f"extrapolated; of all {rows:,} rows the model matrix alone, {columns:,} columns, has "
        f"{rows * columns * 8 / 1e9:.1f} GB, and it would be decomposed whole"
    )
    return Measured(spans, values, note=note)


def _part(scores: pd.DataFrame) -> pd.DataFrame:
    """The first topics and systems."""
    first = [
        scores[name].isin(sorted(scores[name].unique())[:PART]) for name in ("topic", "system")
    ]
    part = scores[first[0] & first[1]]
    return part.astype({"topic": str, "system": str}).reset_index(drop=True)


def _rows(scores: pd.DataFrame) -> int:
    """Of each measure."""
    return len(scores) // scores["measure"].nunique()


def _columns(scores: pd.DataFrame) -> int:
    """Of the model matrix: a level and a slope for each topic under each system."""
    return 2 * scores["topic"].nunique() * scores["system"].nunique()


def _both_types(scores: pd.DataFrame) -> np.ndarray:
    """(measures × types, terms, 2): share of the total sum of squares, degrees of freedom."""
    tables = [ancova(scores, ss_type=kind).set_index("term") for kind in ("II", "III")]
    values = []
    for measure, rows in scores.groupby("measure", sort=False, observed=True):
        total = rows["value"].var(ddof=0) * len(rows)
        for table in tables:
            found = table[table["measure"] == measure].loc[list(TERMS)]
            values.append(np.column_stack([found["sum_sq"] / total, found["df"]]))
    return np.array(values)
