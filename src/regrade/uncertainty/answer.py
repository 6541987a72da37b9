"""What could unjudged documents change?

The light is fine where no pair of systems could reverse and not all may rank first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from regrade.answers.orders import first_place, numbers_of, range_table, rank_range
from regrade.answers.shape import FINE, LOOK, Answer
from regrade.answers.words import every, listed, of_measure, percent
from regrade.kendall import TOLERANCE
from regrade.ranking.possible_ranks import moves
from regrade.uncertainty.stage import Ranges
from regrade.wording import counted

TABLES = ("ranges/ranks", "ranges/numbers")


def answer(ranks: pd.DataFrame, numbers: pd.DataFrame) -> Answer:
    """The answer by the first measure of which bounds say something; of further ones one fact."""
    names = dict.fromkeys(ranks["measure"].astype(str))
    counts = {measure: numbers_of(numbers, measure) for measure in names}
    vacuous = [measure for measure in names if is_vacuous(counts[measure])]
    informative = [measure for measure in names if measure not in vacuous]
    measures = [*informative, *vacuous]
    of, own = of_measure(ranks, measures[0]), counts[measures[0]]
    judged = judged_documents(of, own)
    sentences = [verdict(measures[0], of, own), judged]
    if not informative:
        sentences = [judged or "Worst-case bounds determine the order of no pair of systems."]
    elif len(of) > 1 and own["widest range"] > TOLERANCE:
        sentences += [
            possible_ranks(of, own),
            further_measures({measure: counts[measure] for measure in informative[1:]}),
        ]
    return Answer.of(
        Ranges.question,
        sentences,
        key=key(own) if informative else "",
        light=light(own),
        rows=range_table(
            ranks, measures, own["topics"], ("low", "high"), "exact bounds",
            ("judged_share", f"Judged@{own['judged to']:.0f}"), unbounded=vacuous,
        ),
        method=method(measures, own),
        notes=vacuous_bounds(vacuous, informative),
        tables=TABLES,
    )  # fmt: skip


def is_vacuous(counts: Mapping[str, float]) -> bool:
    """Whether bounds leave the order of every pair open, so that they say nothing."""
    return bool(counts["pairs"] > 1 and not counts["certain pairs"] and counts["open pairs"])


def verdict(measure: str, ranks: pd.DataFrame, counts: Mapping[str, float]) -> str:
    """How many pairs of systems the grades of unjudged documents could reverse."""
    if counts["systems"] == 1:
        row = ranks.iloc[0]
        ends = f"{measure} between {row['low']:.3f} and {row['high']:.3f} (exact bounds)"
        return f"There is only one system, {row['system']}, with {ends}."
    if not counts["widest range"] > TOLERANCE:
        return f"Unjudged documents affect no system's {measure}."
    pairs, is_one = f"{counts['pairs']:,.0f} pairs", counts["pairs"] == 1
    if not counts["open pairs"]:
        if np.ptp(ranks["value"]) <= TOLERANCE:
            return (
                f"{every(counts['systems'], 'system')} have the same {measure}; unjudged documents "
                "could separate them."
            )
        reverse = "cannot reverse the two systems" if is_one else f"could reverse none of {pairs}"
        return f"Unjudged documents {reverse} by {measure}, whatever their grades."
    if is_one:
        return f"Unjudged documents could reverse the two systems by {measure} (worst case)."
    return (
        f"Unjudged documents could reverse at most {counts['open pairs']:,.0f} of {pairs} by "
        f"{measure}, whatever their grades."
    )


def key(counts: Mapping[str, float]) -> str:
    """How many pairs could reverse."""
    if counts["systems"] == 1:
        return ""
    return f"{counts['open pairs']:,.0f} of {counted(counts['pairs'], 'pair')} could reverse"


def light(counts: Mapping[str, float]) -> str:
    """Whether the ranking could depend on unjudged documents."""
    if counts["systems"] == 1:
        return ""
    is_open = counts["open pairs"] or counts["may be first"] == counts["systems"]
    return LOOK if is_open else FINE


def judged_documents(ranks: pd.DataFrame, counts: Mapping[str, float]) -> str:
    """How much of the first documents is judged, and of which system least."""
    share = ranks.set_index("system")["judged_share"].dropna()
    if not len(share):
        return ""
    judged = f"Judged@{counts['judged to']:.0f}"
    if len(share) == 1:
        return f"{judged} is {percent(share.iloc[0], 1)}."
    if np.ptp(share) < TOLERANCE:
        return f"{judged} is {percent(share.iloc[0], 1)} for every system."
    mean = percent(counts["judged share"], 1)
    return f"Mean {judged} is {mean} (lowest: {share.idxmin()}, {percent(share.min(), 1)})."


def possible_ranks(ranks: pd.DataFrame, counts: Mapping[str, float]) -> str:
    """Which system ranks first, and how far systems could move."""
    first, farthest = first_place(ranks, "under any assignment of grades"), ""
    if 0 < counts["farthest"] < counts["systems"] - 1:
        row = ranks.iloc[int(moves(ranks).argmax())]
        farthest = (
            f"{'no' if first else 'No'} system could move by more than "
            f"{counted(counts['farthest'], 'place')} (largest: {row['system']}, rank "
            f"{rank_range(row['rank_low'], row['rank_high'])})"
        )
    sentence = "; ".join(filter(None, (first, farthest)))
    return sentence and f"{sentence}."


def further_measures(others: Mapping[str, Mapping[str, float]]) -> str:
    """How many pairs could reverse by each further measure."""
    parts = [
        f"{counts['open pairs']:,.0f} of {counted(counts['pairs'], 'pair')} by {measure}"
        for measure, counts in others.items()
        if counts["open pairs"]
    ]
    none = [measure for measure, counts in others.items() if not counts["open pairs"]]
    if none:
        parts.append(f"no pair by {listed(none)}")
    return f"Unjudged documents could reverse at most {listed(parts)}." if parts else ""


def vacuous_bounds(vacuous: Sequence[str], informative: Sequence[str]) -> list[str]:
    """Of which measures bounds say nothing."""
    if not vacuous:
        return []
    note = f"{listed(vacuous)}: worst-case bounds are uninformative (every pair could reverse)"
    return [f"{note}." if informative else f"{note}; `nDCG@10` has narrower bounds."]


def method(measures: Sequence[str], counts: Mapping[str, float]) -> str:
    """What was computed."""
    several = counts["systems"] > 1
    bounds = (
        f"For {'each of ' if several else ''}{counted(counts['systems'], 'system')}, the lowest "
        f"and the highest mean {listed(measures)} over {counted(counts['topics'], 'topic')} under "
        "any assignment of grades to unjudged documents were computed exactly."
    )
    pairs = (
        " Pairwise differences were bounded (for nDCG with a cutoff, with grades and ideal "
        "rankings common to both systems); these bounds are conservative: additional pairs may be "
        "determined."
    )
    k = f"{counts['judged to']:.0f}"
    judged = (
        f" Judged@{k} is the share of the first {k} documents that are judged (mean over topics)."
    )
    return f"{bounds}{pairs if several else ''}{judged}"
