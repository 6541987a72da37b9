"""How well do labels discriminate what people prefer?

The light is fine where one set is significantly better than all others, a problem where labels
leave all of the entropy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from regrade.answers.shape import FINE, LOOK, PROBLEM, Answer
from regrade.answers.table import AnswerColumn, AnswerTable
from regrade.answers.words import listed, percent
from regrade.kendall import TOLERANCE
from regrade.power.ranked_sets import KEYS, SIGNIFICANCE
from regrade.power.stage import Power
from regrade.wording import counted

TABLES = ("power/ranked", "power/numbers")

UNSEEN = 0.05
"""From such a share of pairs on a note says that no preference compares their grades."""

NAMED = 2
"""Up to so many sets have their names in the verdict."""

TEST = "jackknife over topics, Holm"
"""Of the differences from the best set; two-sided."""


def answer(ranked: pd.DataFrame, numbers: pd.DataFrame) -> Answer:
    """The answer for the first preferences; of further ones rows, and one fact."""
    groups = [of.reset_index(drop=True) for _, of in ranked.groupby("preferences", sort=False)]
    groups = [of[(of[KEYS] == of.loc[0, KEYS].to_numpy()).all(axis=1)] for of in groups]
    of = groups[0]
    unseen = of[of["unseen"] >= UNSEEN]
    return Answer.of(
        Power.question,
        [verdict(of), further_preferences(groups[1:])],
        key=key(of),
        light=light(of),
        rows=set_table(groups),
        method=method(of, numbers),
        notes=[
            f"{row.unseen:.0%} of document pairs have grades of {row.set} that no preference "
            "compares."
            for row in unseen.itertuples()
        ],
        tables=TABLES,
    )


def best_of(of: pd.DataFrame) -> pd.Series:
    """Which rows are of the best set, or of one that equals it."""
    is_equal = of["difference"].fillna(np.inf).abs() <= TOLERANCE
    return is_equal | (of["set"] == of.iloc[0]["set"])


def verdict(of: pd.DataFrame) -> str:
    """Which set reduces the entropy of the preference ranking most, and how many do less."""
    best = of.iloc[0]
    preferences = f"the preference ranking ({best['preferences']})"
    if pd.isna(best["entropy"]):
        return f"{best['set']} shares too few documents with {best['preferences']} to be compared."
    reduction = percent(best["settled"], 1)
    if len(of) == 1:
        return (
            f"{best['set']} labels reduce the entropy of {preferences} by {reduction} "
            f"({best['entropy']:.1f} of at most {best['highest']:.1f} nats)."
        )
    equal = of.loc[best_of(of), "set"].astype(str).tolist()
    others = of[~best_of(of)]
    names = listed(equal) if len(equal) <= NAMED else f"{len(equal):,} sets"
    reduce = "reduces" if len(equal) == 1 else "reduce"
    if not len(others):
        every = "Both" if len(of) == 2 else f"All {len(of):,}"
        return f"{every} sets reduce the entropy of {preferences} equally, by {reduction}."
    return f"{names} {reduce} the entropy of {preferences} most, by {reduction}; {_others(others)}."


def _others(others: pd.DataFrame) -> str:
    """How many of the other sets are significantly worse."""
    worse = int((others["p"] < SIGNIFICANCE).sum())
    if others["p"].isna().all():
        return "topics are too few for a test"
    if len(others) == 1:
        is_worse = "is significantly worse" if worse else "does not differ significantly"
        return f"{others['set'].iloc[0]} {is_worse} ({TEST})"
    if not worse:
        return f"no other set differs significantly ({TEST})"
    are = "is" if worse == 1 else "are"
    return f"{worse:,} of {len(others):,} others {are} significantly worse ({TEST})"


def further_preferences(groups: Sequence[pd.DataFrame]) -> str:
    """Which set is best for each further set of preferences."""
    parts = []
    for of in groups:
        best = of.iloc[0]
        if pd.isna(best["entropy"]):
            part = f"{best['set']} shares too few documents"
        else:
            most = " most," if len(of) > 1 else ""
            part = f"{best['set']} reduces entropy{most} by {percent(best['settled'], 1)}"
        parts.append(f"for {best['preferences']}, {part}")
    sentence = "; ".join(parts)
    return sentence and f"{sentence[0].upper()}{sentence[1:]}."


def key(of: pd.DataFrame) -> str:
    """By how much the best set reduces the entropy."""
    best = of.iloc[0]
    if pd.isna(best["entropy"]):
        return ""
    return f"{percent(best['settled'], 1)} of the entropy removed ({best['set']})"


def light(of: pd.DataFrame) -> str:
    """Whether one set is significantly better than all others."""
    best = of.iloc[0]
    if pd.isna(best["entropy"]) or best["settled"] <= TOLERANCE:
        return PROBLEM
    if len(of) == 1:
        return ""
    return FINE if (of["p"].iloc[1:] < SIGNIFICANCE).all() else LOOK


def set_table(groups: Sequence[pd.DataFrame]) -> AnswerTable | None:
    """All sets, the one with most power first, for each set of preferences."""
    several, compared = len(groups) > 1, any(len(of) > 1 for of in groups)
    columns = [
        *([AnswerColumn("preferences")] if several else []), AnswerColumn("set"),
        AnswerColumn("topics", "count"), AnswerColumn("entropy (nats)", "estimate", 1),
        AnswerColumn("maximum", "number", 1), AnswerColumn("reduction", "share"),
        *([AnswerColumn("p vs. best", "p")] if compared else []),
    ]  # fmt: skip
    cells = (
        (*([row.preferences] if several else []), row.set, row.n_topics,
         (row.entropy, row.low, row.high), row.highest, row.settled,
         *([row.p] if compared else []))
        for of in groups for row in of.itertuples()
    )  # fmt: skip
    mode, documents = groups[0].iloc[0][["mode", "list"]]
    sets = "" if several else f"{groups[0].iloc[0]['preferences']} · "
    title = f"{sets}{mode} · {documents} · {counted(len(groups[0]), 'set')}"
    return AnswerTable.of(title, columns, cells)


def method(of: pd.DataFrame, numbers: pd.DataFrame) -> str:
    """What was computed, with interval, test, n and seed."""
    best = of.iloc[0]
    if pd.isna(best["entropy"]):
        return ""
    own: Mapping[str, float] = numbers.set_index("quantity")["value"].to_dict()
    interval = test = ""
    if of["low"].notna().any():
        interval = (
            " 95% confidence intervals are by bootstrap-t over topics "
            f"({own['samples']:,.0f} samples, seed {own['seed']:.0f}), or by the jackknife over "
            "topics with their preferences where it reaches further."
        )
    if of["p"].notna().any():
        test = (
            " Sets were compared by two-sided t-tests with jackknife standard errors, topics being "
            "left out with their preferences, Holm-corrected over all pairs of sets."
        )
    return (
        "Pairwise discriminative power: the entropy of the Plackett–Luce distribution over "
        f"rankings of a topic's documents ({best['documents']:.0f} on average), given their "
        "labels and how often documents of one grade are preferred to those of another, averaged "
        f"over {counted(best['n_topics'], 'topic')}. Maximum: the entropy without labels."
        f"{interval}{test}"
    )
