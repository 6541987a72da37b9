"""What decides how far labels agree with a reference?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from regrade.answers.shape import Answer
from regrade.answers.words import by_quantity, signed
from regrade.sweeps.answer import most_of, universes_said
from regrade.sweeps.counts import MOSTLY
from regrade.sweeps.label_sweep import LabelSweep
from regrade.wording import counted

NAMES = {
    "labels": "the labels",
    "reference": "the reference",
    "metric": "the metric",
    "topics": "the topics",
}
"""Axes, in a sentence."""


TABLES = tuple(f"label-sweeps/{name}" for name in ("facts", "axes", "entries"))


def answer(sweep: LabelSweep, tables: Mapping[str, pd.DataFrame]) -> Answer:
    """What decides, how far labels agree, and what holds whatever one chooses."""
    facts = by_quantity(tables["facts"])
    return Answer.of(
        "What decides how far labels agree with a reference?",
        [
            decides_said(tables["axes"]),
            alpha_said(tables["entries"], facts),
            halves_said(facts),
            holds_said(facts),
        ],
        method=f"{swept_said(sweep, facts)} Entries of an axis weigh the same.",
        tables=TABLES,
    )


def swept_said(sweep: LabelSweep, facts: Mapping[str, float]) -> str:
    """How many universes, over which axes, beside what."""
    at = sweep.design.baseline
    said = universes_said(sweep, NAMES)
    said += f"; the baseline's labels are {at['labels']}"
    if np.isfinite(facts["alpha"]):
        said += f", with α of {facts['alpha']:.3f} beside {at['reference']} ({at['metric']})"
    return f"{said}."


def holds_said(facts: Mapping[str, float]) -> str:
    """How many documents have one level whatever one chooses."""
    every, holds, mostly = (int(facts[name]) for name in ("documents", "holds", "mostly holds"))
    has = "has" if holds == 1 else "have"
    share = f" ({facts['share holds']:.0%})" if every else ""
    said = f"Of {counted(every, 'document')}, {holds:,}{share} {has} one level under all labels"
    if mostly > holds:
        said += f", and {mostly:,} under {MOSTLY:.0%} of them or more"
    return f"{said}."


def alpha_said(entries: pd.DataFrame, facts: Mapping[str, float]) -> str:
    """Between what α lies."""
    (row,) = entries[entries["axis"].isna() & (entries["outcome"] == "alpha")].itertuples()
    if not row.universes:
        return "α is undefined in every combination."
    low, q1, q3, high = (signed(one, 3) for one in (row.low, row.q1, row.q3, row.high))
    out = int(facts["undefined"])
    none = f" ({counted(out, 'combination has', 'combinations have')} none)" if out else ""
    if low == high:
        return f"α is {low} {'wherever there is one' if out else 'in every combination'}{none}."
    return (
        f"α lies between {low} and {high}, in half of the combinations between {q1} and {q3}{none}."
    )


def halves_said(facts: Mapping[str, float]) -> str:
    """What half of the topics instead of the other changes."""
    if not np.isfinite(facts["halves"]):
        return ""
    return (
        f"At the baseline two halves of the topics differ by {facts['halves']:.3f}, in the mean of "
        "splits at random."
    )


def decides_said(axes: pd.DataFrame) -> str:
    """Which axis has a part in most of the variance of α."""
    row = most_of(axes, "alpha")
    if row is not None and axes["axis"].nunique() == 1:
        return ""  # what alone varies has all of the variance
    if row is None:
        return "No choice decides: α does not vary, or is undefined in some combinations."
    name = NAMES[row["axis"]]
    decide = "decide" if row["axis"] in ("labels", "topics") else "decides"
    return (
        f"{name[0].upper()}{name[1:]} {decide} most about agreement (α): {row['total']:.0%} of its "
        "variance."
    )
