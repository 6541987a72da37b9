"""How well do labels tell apart what people prefer?"""

from __future__ import annotations

import numpy as np
import pandas as pd

from regrade.answers.shape import Answer
from regrade.answers.words import named, percent, with_ends
from regrade.kendall import TOLERANCE
from regrade.power.ranked_sets import KEYS, SIGNIFICANCE
from regrade.power.stage import Power

TABLES = ("power/ranked", "power/numbers")

UNSEEN = 0.05
"""From such a share of pairs on it is said that no answer compares their grades."""


def answer(ranked: pd.DataFrame) -> Answer:
    """The first preferences have a verdict and facts, each further ones a verdict of their own."""
    groups = [of.reset_index(drop=True) for _, of in ranked.groupby("preferences", sort=False)]
    groups = [of[(of[KEYS] == of.loc[0, KEYS].to_numpy()).all(axis=1)] for of in groups]
    first = groups[0].iloc[0]
    unseen = groups[0][groups[0]["unseen"] >= UNSEEN]
    warnings = [
        f"{row.unseen:.0%} of the pairs of documents have grades of {row.set} that no answer "
        "compares: nothing is known of these."
        for row in unseen.itertuples()
    ]
    return Answer.of(
        Power.question,
        [verdict_said(groups[0]), settled_said(groups[0]), *map(verdict_said, groups[1:])],
        method=f"Pairwise discriminative power: how uncertain the best order of a topic's documents "
        f"({first['documents']:.0f} of each on average) is, given their labels and how often "
        "documents of one grade are preferred to those of another.",
        notes=warnings,
        tables=TABLES,
    )


def verdict_said(of: pd.DataFrame) -> str:
    """Which set tells most, and which surely tell less."""
    best = of.iloc[0]
    if pd.isna(best["entropy"]):
        return f"{best['set']} cannot be held beside {best['preferences']}: they share too little."
    if len(of) == 1:
        return (
            f"{best['set']} settles {percent(best['settled'], 1)} of what is open about the order "
            f"that {best['preferences']} prefer."
        )
    is_equal = (of["difference"].fillna(np.inf).abs() <= TOLERANCE) | (of["set"] == best["set"])
    equal = of.loc[is_equal, "set"].tolist()
    if len(equal) == len(of):
        return (
            f"{named(equal, 'set')} tell equally much apart of what {best['preferences']} prefer."
        )
    tell = "tells" if len(equal) == 1 else "tell"
    said = f"{named(equal, 'set')} {tell} best apart what {best['preferences']} prefer"
    is_worse = of["p"] < SIGNIFICANCE
    worse, others = (of.loc[one & ~is_equal, "set"].tolist() for one in (is_worse, ~is_worse))
    parts = []
    if others:
        it = "it" if len(equal) == 1 else "these"
        parts.append(f"{named(others, 'other')} cannot be told from {it}")
    if worse:
        parts.append(f"{named(worse, 'set')} {'tells' if len(worse) == 1 else 'tell'} less")
    return f"{said}; {', '.join(parts)}."


def settled_said(of: pd.DataFrame) -> str:
    """How much of the uncertainty the best and the last set settle."""
    best, last = of.iloc[0], of.iloc[-1]
    if pd.isna(best["entropy"]):
        return ""
    said = (
        f"The entropy that {best['set']} leaves is "
        f"{with_ends(best['entropy'], best['low'], best['high'], 1)} of at most "
        f"{best['highest']:.1f} on these topics"
    )
    if len(of) == 1:
        return f"{said}."
    most, least = percent(best["settled"], 1), percent(last["settled"], 1)
    return f"{said}: {most} are settled, {least} by {last['set']}."
