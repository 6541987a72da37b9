"""What a comparison of two sets of judgments says, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan

import pandas as pd

from regrade.catalogue import ALL_TOPICS
from regrade.evaluations.pair_outcomes import FEWEST_OF_CHANGES

SHOWN = 3
"""How many names a sentence lists."""

_ALIKE = ["value", "new_low", "new_high", "ties_low", "ties_high"]

CHANGED = ("appears", "disappears", "reverses")
"""What happens to a pair of systems whose significance does not stay."""


def with_interval(row: object) -> str:
    """A value and its interval, of a row with ``value``, ``low`` and ``high``."""
    if pd.isna(row.value):
        return "undefined"
    if pd.isna(row.low):
        return f"{row.value:.3f}"
    return f"{row.value:.3f} [{row.low:.3f}, {row.high:.3f}]"


def tie_range_said(value: float, low: float, high: float) -> str:
    """The range over orders of tied documents, where a digit that is printed depends on them."""
    if pd.isna(low) or f"{low:.3f}" == f"{high:.3f}" == f"{value:.3f}":
        return ""
    return f"{low:.3f}–{high:.3f} by the order of tied documents"


def on_new_topics(
    value: float, low: float, high: float, ties_low: float = nan, ties_high: float = nan
) -> str:
    """A correlation of two rankings of systems, what as many new topics may give, and ties."""
    if pd.isna(value):
        return "undefined"
    new = "" if pd.isna(low) else f"{low:.3f} to {high:.3f} on as many new topics"
    said = "; ".join(filter(None, [new, tie_range_said(value, ties_low, ties_high)]))
    return f"{value:.3f} ({said})" if said else f"{value:.3f}"


def of_labels(first: str, second: str, tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """How many documents both judged, and how alike their labels are.

    Parameters
    ----------
    first, second
        What the sets are called.
    tables
        Of the stage ``compare``: facts, agreement and labels.
    """
    facts = tables["facts"].set_index("quantity")
    value, note = facts["value"], facts["note"]
    text = (
        f"Documents: {value['documents both']:,.0f} that both judged; {first} has "
        f"{value['documents first']:,.0f}, {second} {value['documents second']:,.0f}."
    )
    if note["same scale"]:
        return [text, f"Labels: {note['same scale']}."]
    agreement = tables["agreement"]
    whole = agreement[agreement["topic"] == ALL_TOPICS].iloc[0]
    found = [
        f"{name} {with_interval(row)}"
        for name, row in zip(("α", "κ", "weighted κ"), tables["labels"].itertuples(), strict=True)
    ]
    more = f"{second} is {'higher' if whole['difference'] > 0 else 'lower'} by "
    more += f"{abs(whole['difference']):.2f} on average"
    return [text, f"Labels: equal for {whole['equal']:.1%}; {', '.join(found)}; {more}."]


def of_systems(measure: str, tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """How alike the rankings of the systems are, and what changes among them.

    Parameters
    ----------
    measure
        That ranks them.
    tables
        Of the stage ``compare``: facts, rankings, systems, pair_counts, changes, reliability.
    """
    rankings = of_measure(tables["rankings"], measure).set_index("quantity")
    facts = tables["facts"].set_index("quantity")["value"]
    n = f"{facts['systems']:.0f} systems on {facts['topics scored']:.0f} topics"
    found = ", ".join(
        f"{name} {on_new_topics(*rankings.loc[key, _ALIKE])}"
        for name, key in (("τ_b", "tau"), ("τ_ap", "tau_ap"), ("RBO", "rbo"))
    )
    return [
        f"{measure}, {n}: {found}",
        f"  {pairs_said(measure, tables['pair_counts'], tables['changes'])}",
        f"  {best_said(measure, tables['systems'])}; {movers_said(measure, tables['systems'])}",
        f"  {_halves(of_measure(tables['reliability'], measure))}",
    ]


def answer_table(first: str, second: str, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Everything that a comparison says (table ``compare/answer``).

    Returns
    -------
    DataFrame
        ``part`` (``labels`` or a measure) and ``said``, a sentence each.
    """
    rows = [("labels", said) for said in of_labels(first, second, tables)]
    if "systems" in tables:
        for measure in dict.fromkeys(tables["systems"]["measure"].astype(str)):
            rows += [(measure, said.strip()) for said in of_systems(measure, tables)]
    return pd.DataFrame(rows, columns=["part", "said"])


def of_measure(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    """The rows of a measure."""
    return table[table["measure"] == measure]


def pairs_said(measure: str, counts: pd.DataFrame, tested: pd.DataFrame) -> str:
    """For how many pairs of systems significance changes, beside what topics change."""
    counts = of_measure(counts, measure)
    changes = counts.groupby("change", observed=True)["pairs"].sum()
    return (
        f"of {counts['pairs'].sum():,} pairs of systems significance stays for "
        f"{changes.get('stays', 0):,}, appears for {changes.get('appears', 0):,}, disappears for "
        f"{changes.get('disappears', 0):,}, reverses for {changes.get('reverses', 0):,}"
        f"{changed_said(of_measure(tested, measure).iloc[0])}"
    )


def changed_said(row: Mapping) -> str:
    """What to make of changed pairs, of a row of ``compare/changes``; begins where that ends."""
    if pd.isna(row["by_topics"]):
        return ""
    alone = (
        f"; two draws of topics under the first set alone change {row['by_topics']:.0f} "
        f"({row['low']:.0f} to {row['high']:.0f}); "
    )
    if pd.isna(row["told"]):
        return f"{alone}fewer than {FEWEST_OF_CHANGES} topics are too few for a test of the change"
    told = f"{row['told']:,.0f} of the changes"
    return f"{alone}a test of the change itself, after Benjamini and Hochberg, tells {told}"


def best_said(measure: str, systems: pd.DataFrame) -> str:
    """Which system is the best under each set."""
    of = of_measure(systems, measure)
    ranks = ("first_rank", "second_rank")
    before, after = (sorted(of.loc[of[rank] == 1, "system"].astype(str)) for rank in ranks)
    if before == after:
        return f"best under both: {listed(before)}"
    return f"best: {listed(before)}, then {listed(after)}"


def movers(systems: pd.DataFrame, count: int) -> pd.DataFrame:
    """The systems that move furthest, by measure; those that stay are left out."""
    found = systems.sort_values("move", key=abs, ascending=False, kind="stable")
    found = found[found["move"] != 0].groupby("measure", sort=False, observed=True).head(count)
    order = list(dict.fromkeys(systems["measure"]))
    return found.sort_values("measure", key=lambda m: m.map(order.index), kind="stable")


def movers_said(measure: str, systems: pd.DataFrame) -> str:
    """Which systems move furthest."""
    found = movers(of_measure(systems, measure), SHOWN)
    if found.empty:
        return "no system moves"
    return f"furthest: {', '.join(f'{row.system} {row.move:+d}' for row in found.itertuples())}"


def _halves(reliability: pd.DataFrame) -> str:
    of = reliability[reliability["quantity"] == "tau"].set_index("of")
    if of["value"].isna().all():
        return "halves of the topics: undefined"
    value = of["value"]
    return (
        f"halves of the topics: τ_b {value['first']:.3f} under the first, "
        f"{value['second']:.3f} under the second, {value['between']:.3f} with one each; the "
        f"sets add {value['excess']:.3f} ({of.loc['excess', 'low']:.3f} to "
        f"{of.loc['excess', 'high']:.3f} in 95 % of the splits)"
    )


def listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")
