"""Which system is best, in sentences made of the tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

NAMED = 5
"""Up to so many systems have their names in a sentence."""

ENOUGH = 0.9
"""Eρ² from which systems are told to differ alike whatever the topics."""

ALIKE = 0.9
"""τ_b with the ranking by endless topics that is told to be enough."""


def answer_table(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The table ``ranking/answer``: a part for each measure."""
    measures = dict.fromkeys(tables["systems"]["measure"])
    rows = [(measure, said) for measure in measures for said in said_of(measure, tables)]
    return pd.DataFrame(rows, columns=["part", "said"])


def said_of(measure: str, tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    """The sentences about one measure, the verdict first."""
    of = {
        name: table[table["measure"] == measure]
        for name, table in tables.items()
        if "measure" in table
    }
    facts = tables["facts"]
    topics = int(facts.loc[facts["quantity"] == "topics", "value"].iloc[0])
    systems = of["systems"].reset_index(drop=True)
    yield best_said(measure, systems, topics)
    if len(systems) == 1:
        return
    yield from first_said(systems)
    yield from told_said(of["facts"].set_index("quantity")["value"])
    yield from found_said(of["detectable"], topics)
    yield from reliable_said(of, topics)


def best_said(measure: str, systems: pd.DataFrame, topics: int) -> str:
    """Which systems may be the best, and which surely are not."""
    best = systems.iloc[0]
    if len(systems) == 1:
        return f"There is only one system, {best['system']}: nothing is ranked."
    over = f"{topics:,} topics" if topics != 1 else "one topic"
    if pd.isna(best["tier"]):
        leading = systems.loc[systems["rank"] == 1, "system"].tolist()
        have = "has" if len(leading) == 1 else "share"
        return (
            f"{measure}: {listed(leading)} {have} the highest mean of {len(systems)} systems; "
            f"{over} are too few to say how sure that is."
        )
    tier = systems.loc[systems["tier"] == 1, "system"].tolist()
    others = len(systems) - len(tier)
    if not others:
        return (
            f"{measure}: with {over} none of the {len(systems)} systems is surely worse than "
            f"{best['system']}, which has the highest mean."
        )
    if len(tier) == 1:
        worse = "the other is" if others == 1 else f"all {others:,} others are"
        return f"{measure}: {tier[0]} is the best system; with {over}, {worse} surely worse."
    named = listed(tier) if len(tier) <= NAMED else f"{len(tier):,} systems"
    worse = "the other one is" if others == 1 else f"the other {others:,} are"
    return (
        f"{measure}: with {over}, {named} may be the best; {worse} surely worse than "
        f"{best['system']}, which has the highest mean."
    )


def first_said(systems: pd.DataFrame) -> Iterator[str]:
    """The best mean with its interval, its rank, and how often draws put it first."""
    best = systems.iloc[0]
    if pd.notna(best["low"]):
        yield (
            f"The mean of {best['system']} is {best['mean']:.3f} "
            f"({best['low']:.3f} to {best['high']:.3f})."
        )
    if pd.isna(best["share_first"]):
        return
    often = systems.sort_values("share_first", ascending=False, kind="stable")
    often = often[often["share_first"] >= 0.005].head(3)
    shares = [f"{row.system} in {row.share_first:.0%}" for row in often.itertuples()]
    yield f"First in draws of the topics: {listed(shares)}."


def told_said(facts: pd.Series) -> Iterator[str]:
    """How many pairs are told apart, one by one and all at once."""
    pairs, at_once = facts["pairs"], facts["told apart at once"]
    if pairs > 1 and np.isfinite(at_once):
        yield (
            f"Of {pairs:,.0f} pairs of systems, {at_once:,.0f} are told apart with all taken "
            f"together, and {facts['told apart']:,.0f} where each is tested as if it were the "
            "only one."
        )


def found_said(detectable: pd.DataFrame, topics: int) -> Iterator[str]:
    """What differences can be found, and how many of those observed are smaller."""
    row = detectable[detectable["correction"] == "none"]
    if len(row) and row["median"].iloc[0] > 0:
        least, smaller, pairs = (row[name].iloc[0] for name in ("median", "smaller", "pairs"))
        said = (
            f"With {topics:,} topics a test finds a difference of {least:.3f} in four of five cases"
        )
        if pairs > 1:
            said += (
                f" (median over pairs); {smaller:,} of the {pairs:,} observed differences are "
                "smaller than what it finds of theirs"
            )
        yield f"{said}."


def reliable_said(of: Mapping[str, pd.DataFrame], topics: int) -> Iterator[str]:
    """How like the ranking by endless topics this one is, and how many topics would do."""
    table = of["reliability"]
    known = table[table["topics"] == topics].set_index("quantity")["value"]
    tau = known.get("tau", np.nan)
    if np.isfinite(tau):
        agree = (1 + tau) / 2
        said = (
            f"Of all pairs, about {agree:.0%} are in the order that endless topics would give "
            f"(τ_b {tau:.2f})"
        )
        needed = of["needed"]
        rows = needed[(needed["quantity"] == "tau") & (needed["target"] == ALIKE)]
        number = rows["needed"].iloc[0]
        if tau < ALIKE and np.isfinite(number):
            said += f"; {number:,.0f} topics would make τ_b {ALIKE:.2f}"
        yield f"{said}."
    rows = table[(table["topics"] == topics) & (table["quantity"] == "e_rho2")]
    if len(rows) and pd.notna(rows["low"].iloc[0]):
        row = rows.iloc[0]
        said = "Other topics would spread the systems much alike"
        if row["value"] < ENOUGH:
            said = "By how much systems differ depends much on the topics"
        yield f"{said}: Eρ² is {row['value']:.3f} ({row['low']:.3f} to {row['high']:.3f})."


def listed(names: Sequence[str]) -> str:
    """``a, b and c``."""
    names = list(map(str, names))
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
