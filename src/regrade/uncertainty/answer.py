"""What could unjudged documents change?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from regrade.answers.orders import first_said, numbers_of, widest_said
from regrade.answers.shape import Answer
from regrade.answers.words import listed, of_measure, percent
from regrade.kendall import TOLERANCE
from regrade.uncertainty.stage import Ranges
from regrade.wording import counted

TABLES = ("ranges/ranks", "ranges/numbers")

LEAST = 3
"""How many of the systems with the fewest judged documents have a name."""


def answer(ranks: pd.DataFrame, numbers: pd.DataFrame) -> Answer:
    """The first measure has a verdict and facts, each further one a verdict of its own."""
    every = list(dict.fromkeys(ranks["measure"].astype(str)))
    # what bounds say nothing of comes last
    measures = sorted(every, key=lambda one: is_vacuous(numbers_of(numbers, one)))
    said = [verdict_said(measure, ranks, numbers) for measure in measures]
    of = of_measure(ranks, measures[0])
    found = numbers_of(numbers, measures[0])
    facts = [judged_said(of, found)]
    if len(of) > 1 and found["widest range"] > TOLERANCE:
        facts += [
            first_said(of, "whatever the unjudged documents are"),
            widest_said(of, measures[0], "low", "high"),
        ]
    return Answer.of(
        Ranges.question,
        [said[0], *facts, *said[1:]],
        method="The least and the highest score that any labels of the unjudged documents give each "
        f"system, exact, means over {counted(found['topics'], 'topic')}; of pairs bounds on the "
        "difference, which share labels and ideal rankings where the measure is nDCG with a "
        "cutoff. Bounds on pairs are conservative: further pairs may be certain.",
        tables=TABLES,
    )


def is_vacuous(found: Mapping[str, float]) -> bool:
    """Whether bounds leave the order of every pair open, so that they say nothing."""
    return bool(found["pairs"] > 1 and not found["certain pairs"] and found["open pairs"])


def verdict_said(measure: str, ranks: pd.DataFrame, numbers: pd.DataFrame) -> str:
    """How many pairs of systems are certain whatever the unjudged documents are."""
    found = numbers_of(numbers, measure)
    if found["systems"] == 1:
        row = of_measure(ranks, measure).iloc[0]
        return (
            f"There is only one system, {row['system']}: its {measure} lies between "
            f"{row['low']:.3f} and {row['high']:.3f}, and no ranking changes."
        )
    if not found["widest range"] > TOLERANCE:
        return f"Nothing: no unjudged document counts in {measure}."
    pairs, is_one = counted(found["pairs"], "pair"), found["pairs"] == 1
    if not found["open pairs"] and len(ranks) and np.ptp(of_measure(ranks, measure)["value"]) == 0:
        systems = counted(found["systems"], "system")
        return (
            f"By {measure} all {systems} score the same; unjudged documents may set some above "
            "others."
        )
    whatever = "whatever grades unjudged documents have"
    if not found["open pairs"]:
        keep = "the two systems" if is_one else f"all {pairs} of systems"
        return f"Not the ranking: {keep} keep their order by {measure} {whatever}."
    if is_vacuous(found):
        return (
            f"By {measure} worst-case bounds are uninformative, as every pair of systems could "
            "reverse: a measure of the first ranks, such as nDCG@10, has narrower ones."
        )
    if is_one:
        return f"By {measure} the two systems could reverse."
    return (
        f"By {measure} {found['certain pairs']:,.0f} of {pairs} of systems keep their order "
        f"{whatever}; the other {found['open pairs']:,.0f} could reverse."
    )


def judged_said(ranks: pd.DataFrame, found: Mapping[str, float]) -> str:
    """How much of the first documents is judged, and of which systems least."""
    share = ranks.set_index("system")["judged_share"].dropna()
    if not len(share):
        return ""
    judged = percent(found["judged share"], 1)
    said = f"Of the first {found['judged to']:.0f} documents {judged} are judged"
    if np.ptp(share) < TOLERANCE:
        return f"{said}, of each system."
    fewest = share[share < share.max() - TOLERANCE].sort_values(kind="stable").head(LEAST)
    names = listed([f"{system} ({percent(value, 1)})" for system, value in fewest.items()])
    return f"{said}; fewest of {names}."
