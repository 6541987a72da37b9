"""Does tie-breaking matter?

The light is fine where no pair of systems depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from regrade.answers.orders import first_place, numbers_of, range_table, rank_range
from regrade.answers.shape import FINE, LOOK, Answer
from regrade.answers.words import listed, of_measure, percent
from regrade.kendall import TOLERANCE
from regrade.ranking.possible_ranks import moves
from regrade.tied_scores.effects import ENDS
from regrade.tied_scores.stage import Ties
from regrade.wording import counted

TABLES = ("ties/rates", "ties/ranks", "ties/numbers")


def answer(
    rates: pd.DataFrame, ranks: pd.DataFrame, numbers: pd.DataFrame, unjudged: str
) -> Answer:
    """The answer by the first measure; further ones have a column each, and one fact."""
    tied = rates[rates["affected"] == "tied scores"].set_index("quantity")
    measures = list(dict.fromkeys(ranks["measure"].astype(str)))
    of, counts = of_measure(ranks, measures[0]), numbers_of(numbers, measures[0])
    facts, rows = [], None
    if tied.loc["documents", "count"]:
        facts = [tied_documents(tied)]
        share = ("tied_share", "tied documents")
        rows = range_table(ranks, measures, counts["topics"], ENDS, "range", share)
        if len(of) > 1:
            others = {m: numbers_of(numbers, m) for m in measures[1:]}
            facts += [other_ranks(of, counts), further_measures(others)]
    note = "Unjudged documents among tied documents are treated as relevant at the upper ends."
    return Answer.of(
        Ties.question,
        [verdict(measures[0], of, counts, tied), *facts],
        key=key(counts),
        light=light(counts),
        rows=rows,
        method=method(measures, counts),
        notes=[note] if unjudged == "relevant" else [],
        tables=TABLES,
    )


def verdict(
    measure: str, ranks: pd.DataFrame, counts: Mapping[str, float], tied: pd.DataFrame
) -> str:
    """How many pairs of systems the order of ties can reverse."""
    if counts["systems"] == 1:
        row = ranks.iloc[0]
        least, most = row["pessimistic"], row["optimistic"]
        ends = f"{measure} between {least:.3f} and {most:.3f} under any tie-breaking"
        return f"There is only one system, {row['system']}, with {ends}."
    if not tied.loc["documents", "count"]:
        return "No run ties two documents of a topic, so tie-breaking has no effect."
    if not counts["open pairs"]:
        if not counts["widest range"] > TOLERANCE:
            return f"Tie-breaking changes no system's mean {measure}."
        width = _significant_digit(counts["widest range"])
        reverse = f"can reverse none of {counts['pairs']:,.0f} pairs"
        reverse = "cannot reverse the two systems" if counts["pairs"] == 1 else reverse
        return f"Tie-breaking {reverse} by {measure}; no mean changes by more than {width}."
    if counts["pairs"] == 1:
        return f"Tie-breaking can reverse the two systems by {measure}."
    reversal = f"Tie-breaking can reverse {_of_pairs(counts)} pairs by {measure}"
    if counts["farthest"] == counts["systems"] - 1:
        return f"{reversal}."
    row = ranks.iloc[int(moves(ranks).argmax())]
    return (
        f"{reversal} but moves no system by more than {counted(counts['farthest'], 'place')} "
        f"(largest: {row['system']}, rank {rank_range(row['rank_low'], row['rank_high'])})."
    )


def _of_pairs(counts: Mapping[str, float]) -> str:
    """``9 of 1,953``, or ``all 3``."""
    pairs, reversible = counts["pairs"], counts["open pairs"]
    return f"all {pairs:,.0f}" if reversible == pairs else f"{reversible:,.0f} of {pairs:,.0f}"


def _significant_digit(width: float) -> str:
    """Three decimals; of less than these show one digit."""
    if width >= 0.0005:
        return f"{width:.3f}"
    return np.format_float_positional(width, 1, unique=False, fractional=False)


def key(counts: Mapping[str, float]) -> str:
    """How many pairs depend on tie-breaking."""
    if counts["systems"] == 1:
        return ""
    depend = "depends" if counts["open pairs"] == 1 else "depend"
    pairs = counted(counts["pairs"], "pair")
    return f"{counts['open pairs']:,.0f} of {pairs} {depend} on tie-breaking"


def light(counts: Mapping[str, float]) -> str:
    """Whether the ranking depends on tie-breaking."""
    if counts["systems"] == 1:
        return ""
    return LOOK if counts["open pairs"] else FINE


def tied_documents(tied: pd.DataFrame) -> str:
    """How many documents and runs have ties."""
    shares = tied["value"] / 100
    return (
        f"{percent(shares['documents'], 1)} of retrieved documents are tied with the preceding "
        f"one; {percent(shares['systems'], 1)} of runs contain ties."
    )


def other_ranks(ranks: pd.DataFrame, counts: Mapping[str, float]) -> str:
    """Which system ranks first, and how many have another rank as trec_eval breaks ties."""
    otherwise = counts["otherwise in trec_eval"]
    changes = f"changes the rank of {counted(otherwise, 'system')}" if otherwise else (
        "changes no rank"
    )  # fmt: skip
    parts = [
        first_place(ranks, "under any tie-breaking"),
        f"trec_eval's tie-breaking (docno, descending) {changes}",
    ]
    return f"{'; '.join(filter(None, parts))}."


def further_measures(others: Mapping[str, Mapping[str, float]]) -> str:
    """How many pairs tie-breaking can reverse by each further measure."""
    parts = [
        f"{_of_pairs(counts)} pairs by {measure}" if counts["open pairs"] else
        f"no pair by {measure}"
        for measure, counts in others.items()
    ]  # fmt: skip
    return f"Tie-breaking can reverse {listed(parts)}." if parts else ""


def method(measures: Sequence[str], counts: Mapping[str, float]) -> str:
    """What was computed."""
    several = counts["systems"] > 1
    ranges = (
        f"For {'each of ' if several else ''}{counted(counts['systems'], 'system')}, the lowest "
        f"and the highest mean {listed(measures)} over {counted(counts['topics'], 'topic')} were "
        "computed exactly over all orders of the documents with tied scores."
    )
    pairs = (
        " Two systems can be reversed where their ranges overlap, ties being broken independently "
        "in each run."
    )
    return f"{ranges}{pairs if several else ''}"
