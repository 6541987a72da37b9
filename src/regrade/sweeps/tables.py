"""The tables of a sweep, arranged from what its stage made."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pandas as pd

from regrade.show.published import Column, Tables, as_text, col, each, listing, melted, tidy_beside
from regrade.studies.items import Item
from regrade.sweeps.items import SWEEPS
from regrade.sweeps.options import SYSTEM_AXES

ITEMS = SWEEPS.by_name

OUTCOMES = {
    "tau": "τ_b with the baseline's ranking",
    "significant_pairs": "significant pairs",
    "changed_pairs": "pairs whose conclusion differs",
}
"""Outcomes of a universe, as tables name them."""

NOTHING = 1e-12
"""A share below this is 0, but for how computers add."""

RANKS = ("baseline_rank", "low", "q1", "median", "q3", "high")


def table_answer(answer: pd.DataFrame, facts: pd.DataFrame) -> Tables:
    """The sentences; the tidy table has the numbers that they are made of."""
    return table_sentences(ITEMS["table-answer"], answer, facts)


def table_sentences(item: Item, answer: pd.DataFrame, facts: pd.DataFrame) -> Tables:
    """What `item` says in sentences, and the numbers behind them."""
    known = facts[facts["value"].notna()].rename(columns={"value": "ours"})
    tidy = tidy_beside(item, known)
    readable = answer[~answer["part"].isin(["rows", "light"])].astype(str)
    return tidy, readable.rename(columns={"part": "about", "said": "answer"})


def table_levels(levels: pd.DataFrame, left_out: pd.DataFrame) -> Tables:
    """Entries with the choices that they stand for, then what cannot be, and why."""
    levels = levels.astype({"axis": str, "entry": str})
    numbers = levels.assign(at_baseline=levels["at_baseline"].astype(int))
    tidy = tidy_beside(
        ITEMS["table-levels"],
        melted(numbers, ["axis", "entry"], "quantity", ["choices", "at_baseline"]),
    )
    readable = listing(
        levels, col("axis"), col("entry"), col("choices", ","),
        each("baseline", lambda row: "yes" if row.at_baseline else ""), col("note"),
    )  # fmt: skip
    cannot = listing(
        left_out, each("axis", lambda _: "cannot be"),
        each("entry", _combination),
        each("choices", lambda row: f"{row.universes:,} specifications"),
        col("why_not", title="note"),
    )  # fmt: skip
    return tidy, pd.concat([readable, cannot], ignore_index=True).fillna("")


def _combination(row: tuple) -> str:
    """What cannot be together; scores by item have no order of ties."""
    ties = "" if pd.isna(row.tie_order) else f"; ties {row.tie_order}"
    return f"{row.labels}; {row.measure}{ties}"


def table_axes(axes: pd.DataFrame) -> Tables:
    """A line for each axis, and for each two; by itself, and in all in which it has a part."""
    rows = of_outcomes(axes)
    keys = ["outcome", "axis", "with_axis"]
    tidy = tidy_beside(
        ITEMS["table-axes"], melted(rows, keys, "quantity", ["first_order", "total"])
    )
    lines: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows.itertuples():
        line = lines.setdefault((row.axis, row.with_axis), {})
        title = OUTCOMES[row.outcome]
        line[f"{title}: main effect"] = percent(row.first_order)
        line[f"{title}: total effect"] = percent(row.total)
    readable = [
        {"choice": axis + (f" × {other}" if other else ""), **line}
        for (axis, other), line in lines.items()
    ]
    return tidy, pd.DataFrame(readable, columns=None if readable else ["choice"]).fillna("")


def of_outcomes(axes: pd.DataFrame) -> pd.DataFrame:
    """Shares of the universes' outcomes over the largest complete factorial, axes before twos."""
    return in_order(axes[axes["factorial"] == 1], OUTCOMES, SYSTEM_AXES)


def in_order(axes: pd.DataFrame, outcomes: Collection[str], names: Sequence[str]) -> pd.DataFrame:
    """Rows of some outcomes, axes in their order and before each two."""
    rows = axes[axes["outcome"].astype(str).isin([*outcomes])]
    rows = as_text(rows, ["outcome", "axis", "with_axis"])
    order = {
        "is_two": rows["with_axis"] != "", "first": rows["axis"].map(names.index),
        "second": [names.index(axis) if axis else -1 for axis in rows["with_axis"]],
        "outcome": rows["outcome"].map([*outcomes].index),
    }  # fmt: skip
    order = pd.DataFrame(order, index=rows.index)
    return rows.loc[order.sort_values([*order], kind="stable").index].reset_index(drop=True)


def table_systems(systems: pd.DataFrame, *, limit: int) -> Tables:
    """Ranks by system, the first at the baseline first."""
    rows = over_all(systems).head(limit)
    quantities = [*RANKS, "share_first", "share_top"]
    tidy = tidy_beside(ITEMS["table-systems"], melted(rows, ["system"], "quantity", quantities))
    k = int(rows["k"].iloc[0]) if len(rows) else 0
    titles = ("at the baseline", "best", "1st quartile", "median", "3rd quartile", "worst")
    ranks = (col(name, "z.0f", title) for name, title in zip(RANKS, titles, strict=True))
    shares = share("share_first", "first in"), share("share_top", f"among the first {k} in")
    return tidy, listing(rows, col("system"), *ranks, *shares)


def over_all(systems: pd.DataFrame) -> pd.DataFrame:
    """The rows of all universes, in the order of the baseline."""
    rows = systems[systems["axis"].isna()].astype({"system": str})
    return rows.sort_values(["baseline_rank", "system"], ignore_index=True)


def table_pairs(pairs: pd.DataFrame, *, limit: int) -> Tables:
    """The pairs with the largest share of universes with another conclusion, by weight."""
    rows = pairs.astype({"system": str, "other": str, "conclusion": str})
    rows = rows.assign(changed_pairs=share_changed(rows))
    rows = rows[~rows["holds"].astype(bool)]
    rows = rows.sort_values("changed_pairs", ascending=False, kind="stable").head(limit)
    quantities = [
        "scores_higher",
        "significantly_better",
        "significantly_worse",
        "changed_pairs",
        "total",
    ]
    tidy = tidy_beside(
        ITEMS["table-pairs"], melted(rows, ["system", "other"], "quantity", quantities)
    )
    return tidy, listing(
        rows, col("system"), col("other", title="compared with"),
        col("conclusion", title="at the baseline"), share("changed_pairs", "conclusion differs in"),
        col("depends_on", title="depends on"), share("total", "total effect"),
        col("changed_at", title="conclusion differs at"),
        share("significantly_better", "significantly better in"),
        share("significantly_worse", "significantly worse in"),
        share("scores_higher", "scores higher in"),
    )  # fmt: skip


def share_changed(pairs: pd.DataFrame) -> pd.Series:
    """The share of the universes with a conclusion other than the baseline's."""
    better, worse = pairs["significantly_better"], pairs["significantly_worse"]
    same = (1 - better - worse).where(pairs["conclusion"].astype(str) == "not significant", better)
    same = same.where(pairs["conclusion"].astype(str) != "worse", worse)
    return (1 - same).clip(0, 1)


def table_examples(examples: pd.DataFrame, *, limit: int) -> Tables:
    """Pairs whose conclusion the fewest other choices change, of the first systems first."""
    rows = examples.astype({"system": str, "other": str}).head(limit)
    tidy = tidy_beside(
        ITEMS["table-examples"], melted(rows, ["system", "other"], "quantity", ["changed_choices"])
    )
    return tidy, listing(
        rows.astype(str), col("system"), col("other", title="compared with"),
        col("conclusion", title="at the baseline"), col("becomes"), col("changes", title="with"),
    )  # fmt: skip


def share(name: str, title: str) -> Column:
    """A column of shares, in %."""
    return Column(title, lambda rows: map(percent, rows[name]))


def percent(value: float) -> str:
    """A share in %; what is not quite 0 or 1 is not written as such."""
    if pd.isna(value):
        return ""
    text = f"{value:.1%}"
    if value > NOTHING and text == "0.0%":
        return "< 0.1%"
    return "> 99.9%" if value < 1 - NOTHING and text == "100.0%" else text
