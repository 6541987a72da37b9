"""Which choices decide how well labels agree with a reference?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from regrade.answers.shape import Answer
from regrade.answers.table import AnswerColumn, AnswerTable
from regrade.answers.words import by_quantity, percent
from regrade.kendall import TOLERANCE
from regrade.sweeps.answer import NAMES, PLURAL, axes_listed, combinations
from regrade.sweeps.counts import MOSTLY, choices_of
from regrade.sweeps.label_sweep import LabelSweep
from regrade.wording import counted, number

QUESTION = "Which choices decide how well labels agree with a reference?"

TABLES = tuple(f"label-sweeps/{name}" for name in ("facts", "axes", "entries"))


def answer(sweep: LabelSweep, tables: Mapping[str, pd.DataFrame]) -> Answer:
    """Which choice decides, how well labels agree, and what holds whatever one chooses."""
    facts = by_quantity(tables["facts"])
    return Answer.of(
        QUESTION,
        [
            deciding_choice(tables["axes"]),
            alpha_range(tables["entries"], facts),
            halves(facts),
            constant_documents(facts),
        ],
        key=key(tables["entries"]),
        rows=axis_table(sweep, tables["axes"], facts),
        method=method(sweep, facts),
        tables=TABLES,
    )


def largest_total(axes: pd.DataFrame) -> pd.Series | None:
    """The row of the axis with the largest total effect on α; ``None``: it does not vary."""
    rows = axes[
        (axes["outcome"] == "alpha") & axes["with_axis"].isna() & (axes["total"] > TOLERANCE)
    ]
    return rows.sort_values("total", ascending=False, kind="stable").iloc[0] if len(rows) else None


def deciding_choice(axes: pd.DataFrame) -> str:
    """Which axis has most of the variance of α."""
    row = largest_total(axes)
    if row is not None and axes["axis"].nunique() == 1:
        return ""  # what alone varies has all of the variance
    if row is None:
        return "No choice is deciding: α does not vary, or is undefined in some combinations."
    name = NAMES[row["axis"]]
    account = "account" if row["axis"] in PLURAL else "accounts"
    return (
        f"{name[0].upper()}{name[1:]} {account} for {percent(row['total'])} of the variance in "
        "Krippendorff's α (total effect)."
    )


def alpha_range(entries: pd.DataFrame, facts: Mapping[str, float]) -> str:
    """Between what α lies."""
    row = overall(entries)
    if not row["universes"]:
        return "α is undefined in every combination."
    low, q1, q3, high = (number(row[name], 3) for name in ("low", "q1", "q3", "high"))
    out = int(facts["undefined"])
    undefined = f"; {counted(out, 'combination has', 'combinations have')} no α" if out else ""
    if low == high:
        return f"α is {low} in every {'other ' if out else ''}combination{undefined}."
    middle = f" (interquartile range {q1}–{q3})" if row["q1"] >= 0 else (
        f" (interquartile range {q1} to {q3})"
    )  # fmt: skip
    return f"α ranges from {low} to {high}{middle}{undefined}."


def overall(entries: pd.DataFrame) -> pd.Series:
    """The row of α over all combinations."""
    return entries[entries["axis"].isna() & (entries["outcome"] == "alpha")].iloc[0]


def halves(facts: Mapping[str, float]) -> str:
    """What half of the topics instead of the other changes."""
    if not np.isfinite(facts["halves"]):
        return ""
    return (
        f"For comparison, α of two random halves of the topics differs by {facts['halves']:.3f} "
        "on average."
    )


def constant_documents(facts: Mapping[str, float]) -> str:
    """How many documents have one level whatever one chooses."""
    every, holds, mostly = (int(facts[name]) for name in ("documents", "holds", "holds in most"))
    if not every:
        return ""
    has = "has" if holds == 1 else "have"
    if every == 1:
        return (
            f"The document has {'the same level' if holds else 'several levels'} under all labels."
        )
    sentence = f"{holds:,} of {counted(every, 'document')} ({percent(holds / every)}) {has}"
    sentence = f"{sentence} the same level under all labels"
    if mostly > holds:
        sentence += f"; {mostly:,} under at least {MOSTLY:.0%} of labels"
    return f"{sentence}."


def key(entries: pd.DataFrame) -> str:
    """Between what α lies."""
    row = overall(entries)
    if not row["universes"] or row["low"] == row["high"]:
        return ""
    return f"α from {number(row['low'], 2)} to {number(row['high'], 2)}"


def axis_table(
    sweep: LabelSweep, axes: pd.DataFrame, facts: Mapping[str, float]
) -> AnswerTable | None:
    """The axes with several choices: their shares of the variance of both outcomes."""
    outcomes = {"alpha": "α", "relabelled": "documents with another level"}
    rows = axes[axes["with_axis"].isna()]
    total = {
        outcome: dict(zip(of["axis"].astype(str), of["total"], strict=True))
        for outcome in outcomes
        for of in [rows[rows["outcome"] == outcome]]
    }
    columns = [
        AnswerColumn("choice"), AnswerColumn("levels", "count"),
        *(AnswerColumn(name, "share") for name in outcomes.values()),
    ]  # fmt: skip
    cells = (
        (NAMES[name].removeprefix("the "), count, *(total[one].get(name) for one in outcomes))
        for name, count in choices_of(sweep).items()
        if count > 1
    )
    n = f"{counted(facts['documents'], 'document')} · {counted(facts['topics'], 'topic')}"
    return AnswerTable.of(f"Shares of variance · {combinations(sweep)} · {n}", columns, cells)


def method(sweep: LabelSweep, facts: Mapping[str, float]) -> str:
    """What was combined, and how the variance was shared out."""
    at = sweep.design.baseline
    alpha = ""
    if np.isfinite(facts["alpha"]):
        alpha = f", α = {facts['alpha']:.3f} with {at['reference']} ({at['metric']})"
    were = "was" if sweep.universes == 1 else "were"
    parts = [
        f"{combinations(sweep)}{axes_listed(sweep)} {were} evaluated on "
        f"{counted(facts['documents'], 'document')} of {counted(facts['topics'], 'topic')} "
        f"(baseline: labels {at['labels']}{alpha}).",
        "Krippendorff's α was averaged over topics. Shares of its variance are total effects, "
        "interactions included, with entries of an axis weighted equally.",
    ]
    if np.isfinite(facts["halves"]):
        parts.append(
            f"Halves of topics were compared at the baseline ({facts['splits']:.0f} random splits, "
            f"seed {facts['seed']:.0f})."
        )
    return " ".join(parts)
