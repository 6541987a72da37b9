"""What the answers about sweeps count: rows of the tables ``facts``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from regrade.kendall import TOLERANCE

if TYPE_CHECKING:
    from regrade.sweeps.label_sweep import LabelSweep
    from regrade.sweeps.sweep import Sweep

MEASURE = "measure"
"""The axis that is held: measures are there to say different things, so that it decides anyhow."""

MOSTLY = 0.95
"""A conclusion of as large a share of the universes, by weight, nearly holds."""


def pair_counts(sweep: Sweep, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """What sentences count, as rows of ``sweeps/facts``."""
    pairs, systems = tables["pairs"], tables["systems"]
    is_significant = pairs["conclusion"] != "not significant"
    alike = pairs["significantly_better"].where(
        pairs["conclusion"] != "worse", pairs["significantly_worse"]
    )
    needed = tables["examples"]["changed_choices"]
    fewest = needed.min() if len(needed) else np.nan
    overall = systems[systems["axis"].isna()]
    rows = [
        ("holds in most", (is_significant & (alike >= MOSTLY - TOLERANCE)).sum(),
         f"pairs significant at the baseline whose conclusion holds in {MOSTLY:.0%} or more"),
        ("first in some", (overall["share_first"] > 0).sum(), "systems first in some combination"),
        ("reversed", (reversed_in(pairs) > 0).sum(),
         "of these, pairs significant in the other direction in some combination"),
        ("fewest choices", fewest, "other choices that change a conclusion, at least"),
        ("changed with the fewest", (needed == fewest).sum(), "pairs that these change"),
        ("changed with more", (needed > fewest).sum(), "pairs that only more change"),
        ("never changed", len(pairs) - len(needed), "pairs that no combination changes"),
        *_share_facts(tables["axes"]),
        *axis_facts(sweep),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["quantity", "value", "note"])


def shares_within_measure(axes: pd.DataFrame, outcome: str) -> dict[str, float]:
    """The total effect of each axis on an outcome's variance within a measure, the largest first.

    What is left of the variance within a measure is what that alone does not explain, and the part
    of another axis is the same.  Empty where fewer than two axes are left: the one has it all.
    """
    of = axes[(axes["factorial"] == 1) & (axes["outcome"] == outcome) & axes["with_axis"].isna()]
    of = of[of["total"] > TOLERANCE]
    is_measure = of["axis"].astype(str) == MEASURE
    left = 1 - of.loc[is_measure, "first_order"].sum()
    others = of[~is_measure].sort_values("total", ascending=False, kind="stable")
    if len(others) < 2:
        return {}
    return dict(zip(others["axis"].astype(str), others["total"] / left, strict=True))


def _share_facts(axes: pd.DataFrame) -> Iterator[tuple]:
    """The shares of the variance within a measure, as such rows."""
    for outcome in ("tau", "changed_pairs"):
        for axis, share in shares_within_measure(axes, outcome).items():
            yield f"share of {outcome} by {axis}", share, "total effect within a measure"


def document_counts(sweep: LabelSweep, documents: pd.DataFrame) -> pd.DataFrame:
    """What sentences count, as rows of ``label-sweeps/facts``."""
    holds = documents["holds"].mean() if len(documents) else np.nan
    mostly = (documents["same"] >= MOSTLY - TOLERANCE).sum()
    rows = [
        ("holds in most", mostly, f"documents of one level under {MOSTLY:.0%} of the labels"),
        ("share holds", holds, "share of the documents of one level under all labels"),
        *axis_facts(sweep),
    ]
    return pd.DataFrame(rows, columns=["quantity", "value", "note"])


def reversed_in(pairs: pd.DataFrame) -> pd.Series:
    """The share of the universes in which a significant pair is so in the other direction."""
    conclusion = pairs["conclusion"].astype(str)
    against = pairs["significantly_worse"].where(
        conclusion == "better", pairs["significantly_better"]
    )
    return against.where(conclusion != "not significant", 0.0)


def axis_facts(sweep: Sweep | LabelSweep) -> Iterator[tuple]:
    """How many choices each axis has, as such rows."""
    for name, count in choices_of(sweep).items():
        yield f"choices of {name}", count, "on this axis"


def choices_of(sweep: Sweep | LabelSweep) -> dict[str, int]:
    """How many choices each axis has."""
    counts = {sweep.design.first: int(sweep.counts.sum())}
    return counts | {axis.name: len(axis) for axis in sweep.design.conditions.axes}
