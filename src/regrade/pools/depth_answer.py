"""How deep need the pool be?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from regrade.answers.changed import is_preserved, reordered_said, tau_said
from regrade.answers.shape import Answer
from regrade.answers.words import of_measure
from regrade.catalogue import columns_of
from regrade.choices import DEPTH
from regrade.correlations import competition_ranks
from regrade.evaluations.label_agreement import drawn_topics
from regrade.evaluations.system_rankings import ranking_ends
from regrade.kendall import TOLERANCE, tau_b
from regrade.pools.stage import Pools
from regrade.significance.paired import paired_t
from regrade.wording import counted

TABLES = ("pools/depths",)

SIGNIFICANCE = 0.05
"""Pairs with a smaller p differ significantly, by the paired t-test."""

_TEST = f"two-sided paired t-test, p < {SIGNIFICANCE:g}, uncorrected"

RESAMPLES = 200
"""How often topics are drawn anew for the interval of τ_b."""


def answered(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The tables ``pools/depths`` and ``pools/answer``."""
    found = depths(tables["scores"], tables["facts"])
    return {"depths": found, "answer": answer(found)}


def depths(scores: pd.DataFrame, facts: pd.DataFrame) -> pd.DataFrame:
    """Each depth beside the deepest: ``pools/depths``."""
    known = facts.set_index(facts["pooling"].astype(str))[["judged", "outside"]].to_dict("index")
    rows = [
        row | known.get(f"{DEPTH}@{row['depth']}", {"judged": None, "outside": None})
        for measure, of in scores.groupby("measure", sort=False, observed=True)
        for row in _of_measure(measure, of)
    ]
    found = pd.DataFrame(rows).dropna(subset="judged")  # others are of another stage
    return found.reset_index(drop=True)[columns_of("pools/depths")]


def _of_measure(measure: str, scores: pd.DataFrame) -> Iterator[dict]:
    tables = {
        depth: of.pivot(index="system", columns="topic", values="value")
        for depth, of in scores.astype({"system": str, "topic": str}).groupby("depth")
    }
    cube = {depth: table.to_numpy(float) for depth, table in tables.items()}
    topics = tables[max(cube)].columns.to_numpy(str)
    drawn = drawn_topics(topics, RESAMPLES, 1) / len(topics)
    deepest = cube[max(cube)]
    first, second = np.triu_indices(len(deepest), 1)
    _, p = paired_t(deepest[first] - deepest[second])
    is_told = np.nan_to_num(p, nan=1.0) < SIGNIFICANCE
    means = deepest.mean(axis=1)
    ranks, order = competition_ranks(means), _order(means, first, second)
    for depth in sorted(cube):
        own = cube[depth].mean(axis=1)
        reordered = _order(own, first, second) != order
        moves = np.abs(competition_ranks(own) - ranks)
        tau, low, high = _tau(cube[depth], deepest, drawn)
        yield {
            "measure": measure,
            "depth": depth,
            "systems": len(deepest),
            "pairs": len(first),
            "tau": tau,
            "low": low,
            "high": high,
            "told": is_told.sum(),
            "reordered": reordered.sum(),
            "reordered_significant": (reordered & is_told).sum(),
            "moved": np.count_nonzero(moves),
            "farthest": moves.max(initial=0),
        }


def _tau(scores: np.ndarray, deepest: np.ndarray, drawn: np.ndarray) -> tuple[float, float, float]:
    """τ_b of two rankings, and its interval; none of the deepest pool with itself."""
    tau = tau_b(scores.mean(axis=1), deepest.mean(axis=1))
    if scores is deepest:
        return tau, np.nan, np.nan
    of_draws = [tau_b(scores @ times, deepest @ times) for times in drawn]
    low, high = ranking_ends(np.array([tau]), np.array(of_draws)[:, None], scores.shape[1])[0]
    return tau, float(low[0]), float(high[0])


def _order(means: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    difference = means[first] - means[second]
    return np.sign(np.where(np.abs(difference) <= TOLERANCE, 0, difference))


def answer(found: pd.DataFrame) -> Answer:
    """The first measure has a verdict and facts, each further one a verdict of its own."""
    measures = list(dict.fromkeys(found["measure"].astype(str)))
    said = [verdict_said(measure, found) for measure in measures]
    of = _rows(found, measures[0])
    deepest = of.iloc[-1]
    facts, below = [], of.iloc[:-1]
    if deepest["systems"] > 1 and len(below):
        depth = preserving(of)
        facts = [told_said(of, depth)]
        row = below.iloc[0]
        # of one depth the verdict says it
        if row["depth"] != (below["depth"].iloc[-1] if depth is None else depth):
            said_of = f"A pool of depth {row['depth']} instead of {deepest['depth']}"
            numbers = (row[name] for name in ("systems", "tau", "moved", "farthest"))
            ends = (row["low"], row["high"])
            facts.append(reordered_said(said_of, *numbers, measures[0], ends))
    systems = counted(deepest["systems"], "system")
    return Answer.of(
        Pools.question,
        [*dict.fromkeys([said[0], *facts, *said[1:]])],
        method=f"The labels of pools of the first documents of {systems} alone, beside those of depth "
        f"{deepest['depth']}.",
        notes=[
            f"What a pool deeper than {deepest['depth']} would say is not known: only these "
            "systems are judged so deep, and unjudged documents count as not relevant.",
            outside_said(deepest),
        ],
        tables=TABLES,
    )


def told_said(of: pd.DataFrame, depth: int | None) -> str:
    """How many pairs differ significantly under the deepest pool, and what a shallow one does."""
    deepest, row = of.iloc[-1], of.iloc[0] if depth is None else of[of["depth"] == depth].iloc[0]
    count, told = row["reordered_significant"], deepest["told"]
    if not told:
        return f"No pair of systems differs significantly at depth {deepest['depth']} ({_TEST})."
    if deepest["pairs"] == 1:
        who, reverse = "The two systems differ", f"they {'' if count else 'do not '}reverse or tie"
    else:
        who = f"{told:,.0f} of {deepest['pairs']:,.0f} pairs of systems "
        who += "differs" if told == 1 else "differ"
        reverse = f"{count:,.0f} of these {'reverses or ties' if count == 1 else 'reverse or tie'}"
    return (
        f"{who} significantly at depth {deepest['depth']} ({_TEST}); {reverse} at depth "
        f"{row['depth']}."
    )


def outside_said(deepest: pd.Series) -> str:
    """How many judged documents the deepest pool of these systems lacks."""
    if not deepest["outside"]:
        return ""
    return (
        f"{deepest['outside']:,.0f} judged documents are outside the pool of depth "
        f"{deepest['depth']}, which holds {deepest['judged']:,.0f}: other systems, or deeper "
        "pools, contributed them."
    )


def _rows(found: pd.DataFrame, measure: str) -> pd.DataFrame:
    return of_measure(found, measure).sort_values("depth")


def preserving(of: pd.DataFrame) -> int | None:
    """The least depth from which on the ranking is largely preserved; ``None``: none is known.

    From the deepest on, so that no depth is said that a deeper one does not bear out.
    """
    below = of.iloc[:-1]
    bad = below.loc[~(below["low"].map(is_preserved) | (below["moved"] == 0)), "depth"]
    good = below.loc[below["depth"] > (bad.max() if len(bad) else 0), "depth"]
    return int(good.min()) if len(good) else None


def verdict_said(measure: str, found: pd.DataFrame) -> str:
    """The least depth from which on the ranking of the deepest is largely preserved."""
    of = _rows(found, measure)
    deepest = of.iloc[-1]
    if deepest["systems"] == 1:
        return "There is only one system compared: any pool ranks it alike."
    if pd.isna(deepest["tau"]):
        systems = counted(deepest["systems"], "system")
        return f"How deep is not known: by {measure} all {systems} score the same."
    depth = preserving(of)
    if depth is None:
        row = of.iloc[-2]
        ends = (row["low"], row["high"])
        few = "; topics are too few for an interval" if pd.isna(ends[0]) else ""
        tau = tau_said(row["tau"], ends)
        if pd.isna(row["tau"]):
            tau, few = "τ_b is undefined, as all systems score the same", ""
        return (
            f"By {measure} no depth below {deepest['depth']} is known to largely preserve the "
            f"ranking: at depth {row['depth']} {tau}{few}."
        )
    row = of[of["depth"] == depth].iloc[0]
    judgments = f"{row['judged']:,.0f} of {deepest['judged']:,.0f} judgments"
    if not of.loc[of["depth"] >= depth, "moved"].any():
        return (
            f"From depth {depth} on ({judgments}) the {counted(row['systems'], 'system')} stand in "
            f"the same order by {measure} as at depth {deepest['depth']}."
        )
    moved = "changes" if row["moved"] == 1 else "change"
    return (
        f"From depth {depth} on ({judgments}) the ranking by {measure} at depth "
        f"{deepest['depth']} is largely preserved: at depth {depth} "
        f"{tau_said(row['tau'], (row['low'], row['high']))}, and {row['moved']:,.0f} of "
        f"{row['systems']:,.0f} systems {moved} rank."
    )
