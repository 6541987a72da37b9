"""How deep need the pool be?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from regrade.answers.changed import reordered_said
from regrade.answers.shape import Answer
from regrade.answers.words import of_measure
from regrade.catalogue import columns_of
from regrade.choices import DEPTH
from regrade.correlations import competition_ranks
from regrade.kendall import TOLERANCE, tau_b
from regrade.pools.stage import Pools
from regrade.significance.paired import paired_t
from regrade.wording import counted

TABLES = ("pools/depths",)

SIGNIFICANCE = 0.05
"""Pairs with a smaller p differ significantly, by the paired t-test."""


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
    cube = {
        depth: of.pivot(index="system", columns="topic", values="value").to_numpy(float)
        for depth, of in scores.astype({"system": str, "topic": str}).groupby("depth")
    }
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
        yield {
            "measure": measure,
            "depth": depth,
            "systems": len(deepest),
            "pairs": len(first),
            "tau": tau_b(own, means),
            "told": is_told.sum(),
            "reordered": reordered.sum(),
            "reordered_significant": (reordered & is_told).sum(),
            "moved": np.count_nonzero(moves),
            "farthest": moves.max(initial=0),
        }


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
        facts = [told_said(deepest)]
        row = below.iloc[0]
        if row["depth"] != unreversed(of):  # of that one the verdict says it
            said_of = f"A pool of depth {row['depth']} instead of {deepest['depth']}"
            numbers = (row[name] for name in ("systems", "tau", "moved", "farthest"))
            facts.append(reordered_said(said_of, *numbers, measures[0]))
    systems = counted(deepest["systems"], "system")
    return Answer.of(
        Pools.question,
        [*dict.fromkeys([said[0], *facts, *said[1:]])],
        how=f"The labels of pools of the first documents of {systems} alone, beside those of depth "
        f"{deepest['depth']}; pairs by a t-test paired by topic.",
        warnings=[
            f"What a pool deeper than {deepest['depth']} would say is not known: only these "
            "systems are judged so deep, and unjudged documents count as not relevant.",
            outside_said(deepest),
        ],
        tables=TABLES,
    )


def told_said(deepest: pd.Series) -> str:
    """How many pairs differ significantly under the deepest pool."""
    return (
        f"{deepest['told']:,.0f} of {counted(deepest['pairs'], 'pair')} of systems differ "
        f"significantly at depth {deepest['depth']} (two-sided paired t-test, "
        f"p < {SIGNIFICANCE:g}, uncorrected)."
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


def unreversed(of: pd.DataFrame) -> int | None:
    """The least depth from which on no significant pair reverses or ties; ``None``: none."""
    below = of.iloc[:-1]
    bad = below.loc[below["reordered_significant"] > 0, "depth"]
    good = below.loc[below["depth"] > (bad.max() if len(bad) else 0), "depth"]
    return int(good.min()) if len(good) else None


def verdict_said(measure: str, found: pd.DataFrame) -> str:
    """The least depth from which on significant differences keep their direction."""
    of = _rows(found, measure)
    deepest = of.iloc[-1]
    if deepest["systems"] == 1:
        return "There is only one system compared: any pool ranks it alike."
    if not deepest["told"]:
        return (
            f"How deep is not known: no pair of systems differs significantly at depth "
            f"{deepest['depth']} ({measure})."
        )
    depth = unreversed(of)
    if depth is None:
        below = of.iloc[-2]
        pairs = counted(below["reordered_significant"], "pair")
        reverse = "reverses or ties" if below["reordered_significant"] == 1 else "reverse or tie"
        return (
            f"At least {deepest['depth']} ({measure}): at depth {below['depth']}, {pairs} of the "
            f"{deepest['told']:,.0f} that differ significantly at depth {deepest['depth']} "
            f"{reverse}."
        )
    row = of[of["depth"] == depth].iloc[0]
    return (
        f"From depth {depth} on, none of the {counted(deepest['told'], 'pair')} that differ "
        f"significantly at depth {deepest['depth']} reverses or ties ({measure}), with "
        f"{row['judged']:,.0f} of {deepest['judged']:,.0f} judgments; at depth {depth} τ_b is "
        f"{row['tau']:.2f} and {row['moved']:,.0f} of {row['systems']:,.0f} systems change rank."
    )
