"""ANCOVA with all interactions: `regrade.ancova` beside statsmodels on a part of the data."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.inputs import pool_scores
from benchmarks.measuring import Measured, Settings, timed
from regrade.ancova import ancova

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
        for _, rows in part.groupby("measure", sort=False):
            model = ols(f"value ~ depth * {TERMS['topic']} * {TERMS['system']}", rows).fit()
            for kind in (2, 3):
                table = anova_lm(model, typ=kind)
                found, error = table.loc[list(TERMS.values())], table.loc["Residual", "sum_sq"]
                eta = found["sum_sq"] / model.centered_tss
                partial = found["sum_sq"] / (found["sum_sq"] + error)
                values.append(np.column_stack([eta, partial, found["df"], found["PR(>F)"]]))
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
    """(measures × types, terms, 4): η², partial η², degrees of freedom and p."""
    columns = ["eta_sq", "partial_eta_sq", "df", "p"]
    tables = [ancova(scores, ss_type=kind).set_index("term") for kind in ("II", "III")]
    return np.array(
        [
            table.loc[table["measure"] == measure, columns].loc[list(TERMS)]
            for measure in scores["measure"].unique()
            for table in tables
        ]
    )
