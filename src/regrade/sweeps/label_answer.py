"""What a sweep of labels says, in sentences made of its tables."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from regrade.sweeps.answer import MOSTLY, counted, depends_said, universes_said
from regrade.sweeps.label_sweep import LabelSweep

NAMES = {
    "labels": "the labels",
    "reference": "the reference",
    "metric": "the metric",
    "topics": "the topics",
}
"""Axes, in a sentence."""


def answer_table(sweep: LabelSweep, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The table ``label-sweeps/answer``: what labels could have been, and how they agree."""
    facts = tables["facts"].set_index("quantity")["value"]
    rows = [
        ("swept", swept_said(sweep, facts)),
        ("holds", holds_said(tables["documents"], facts)),
        ("alpha", alpha_said(tables["entries"], facts)),
        ("decides", decides_said(tables["axes"])),
    ]
    return pd.DataFrame(rows, columns=["part", "said"])


def swept_said(sweep: LabelSweep, facts: pd.Series) -> str:
    """How many universes, over which axes, beside what."""
    at = sweep.design.baseline
    said = universes_said(sweep, NAMES)
    said += f"; the baseline's labels are {at['labels']}"
    if np.isfinite(facts["alpha"]):
        said += f", with α of {facts['alpha']:.3f} beside {at['reference']} ({at['metric']})"
    return f"{said}."


def holds_said(documents: pd.DataFrame, facts: pd.Series) -> str:
    """How many documents have one level whatever one chooses."""
    every, holds = int(facts["documents"]), int(facts["holds"])
    mostly = int((documents["same"] >= MOSTLY).sum())
    has = "has" if holds == 1 else "have"
    share = f" ({holds / every:.0%})" if every else ""
    said = f"Of {counted(every, 'document')}, {holds:,}{share} {has} one level under all labels"
    if mostly > holds:
        said += f", and {mostly:,} under {MOSTLY:.0%} of them or more"
    return f"{said}; entries of an axis weigh the same."


def alpha_said(entries: pd.DataFrame, facts: pd.Series) -> str:
    """Between what α lies, and what half of the topics instead of the other changes."""
    (row,) = entries[entries["axis"].isna() & (entries["outcome"] == "alpha")].itertuples()
    if not row.universes:
        return "α is undefined in every combination."
    said = (
        f"α lies between {row.low:.3f} and {row.high:.3f}, in half of the combinations between "
        f"{row.q1:.3f} and {row.q3:.3f}"
    )
    if out := int(facts["undefined"]):
        said += f" ({out:,} have none)"
    if np.isfinite(facts["halves"]):
        said += (
            f"; at the baseline two halves of the topics differ by {facts['halves']:.3f}, in the "
            "mean of splits at random"
        )
    return f"{said}."


def decides_said(axes: pd.DataFrame) -> str:
    """Which axis has a part in most of the variance of α."""
    said = depends_said(axes, "alpha", "α", NAMES)
    if not said:
        return "No choice decides: α does not vary, or is undefined in some combinations."
    return f"{said}."
