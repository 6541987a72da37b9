"""How deep must the pool be?

The light is fine where a pool shallower than the deepest is known to largely preserve the ranking.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from regrade.answers.changed import is_preserved, tau_estimate
from regrade.answers.shape import FINE, LOOK, Answer
from regrade.answers.table import AnswerColumn, AnswerTable
from regrade.answers.words import every, listed, of_measure
from regrade.catalogue import columns_of
from regrade.choices import DEPTH
from regrade.correlations import competition_ranks
from regrade.evaluations.label_agreement import drawn_topics
from regrade.evaluations.system_rankings import ranking_ends
from regrade.kendall import TOLERANCE, tau_b
from regrade.pools.stage import Pools
from regrade.significance.paired import paired_t
from regrade.wording import counted, to_be

TABLES = ("pools/depths",)

SIGNIFICANCE = 0.05
"""Pairs with a smaller p differ significantly, by the paired t-test."""

RESAMPLES, SEED = 200, 1
"""Bootstrap samples of topics for the interval of τ_b."""

JUDGED = ["pooled", "judged", "outside"]
"""What is known of each depth's pool."""


def answered(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The tables ``pools/depths`` and ``pools/answer``."""
    by_depth = depths(tables["scores"], tables["facts"])
    return {"depths": by_depth, "answer": answer(by_depth)}


def depths(scores: pd.DataFrame, facts: pd.DataFrame) -> pd.DataFrame:
    """Each depth beside the deepest: ``pools/depths``."""
    pools = facts.set_index(facts["pooling"].astype(str))[JUDGED].to_dict("index")
    rows = [
        row | pools.get(f"{DEPTH}@{row['depth']}", dict.fromkeys(JUDGED))
        for measure, of in scores.groupby("measure", sort=False, observed=True)
        for row in _of_measure(measure, of)
    ]
    own = pd.DataFrame(rows).dropna(subset="judged")  # others are of another stage
    return own.reset_index(drop=True)[columns_of("pools/depths")]


def _of_measure(measure: str, scores: pd.DataFrame) -> Iterator[dict]:
    tables = {
        depth: of.pivot(index="system", columns="topic", values="value")
        for depth, of in scores.astype({"system": str, "topic": str}).groupby("depth")
    }
    cube = {depth: table.to_numpy(float) for depth, table in tables.items()}
    topics = tables[max(cube)].columns.to_numpy(str)
    drawn = drawn_topics(topics, RESAMPLES, SEED) / len(topics)
    deepest = cube[max(cube)]
    first, second = np.triu_indices(len(deepest), 1)
    was_significant = _is_significant(deepest, first, second)
    means = deepest.mean(axis=1)
    ranks, order = competition_ranks(means), _order(means, first, second)
    for depth in sorted(cube):
        own = cube[depth].mean(axis=1)
        now = _order(own, first, second)
        reordered, is_significant = now != order, _is_significant(cube[depth], first, second)
        moves = np.abs(competition_ranks(own) - ranks)
        tau, low, high = _tau(cube[depth], deepest, drawn)
        yield {
            "measure": measure,
            "depth": depth,
            "systems": len(deepest),
            "topics": len(topics),
            "pairs": len(first),
            "tau": tau,
            "low": low,
            "high": high,
            "resamples": RESAMPLES,
            "seed": SEED,
            "significant": is_significant.sum(),
            "reordered": reordered.sum(),
            "reordered_significant": (reordered & was_significant).sum(),
            "reversed_significant": (reordered & was_significant & (now == -order)).sum(),
            "tied_significant": (reordered & was_significant & (now == 0)).sum(),
            "lost": (was_significant & ~reordered & ~is_significant).sum(),
            "moved": np.count_nonzero(moves),
            "farthest": moves.max(initial=0),
        }


def _is_significant(scores: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Which pairs of (S, T) scores differ significantly; none where the test is undefined."""
    _, p = paired_t(scores[first] - scores[second])
    return np.nan_to_num(p, nan=1.0) < SIGNIFICANCE


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


def answer(by_depth: pd.DataFrame) -> Answer:
    """The answer by the first measure; of further ones one fact."""
    of = {
        measure: of_measure(by_depth, measure).sort_values("depth")
        for measure in dict.fromkeys(by_depth["measure"].astype(str))
    }
    first, *others = of
    deepest = of[first].iloc[-1]
    facts = []
    if is_compared(of[first]):
        facts = [
            significant_pairs(of[first]),
            further_measures({measure: of[measure] for measure in others}, deepest["depth"]),
        ]
    return Answer.of(
        Pools.question,
        [verdict(first, of[first]), *facts],
        key=key(of[first]),
        light=light(of[first]),
        rows=depth_table(first, of[first]),
        method=method([*of], of[first]),
        notes=[
            f"Pools deeper than {deepest['depth']} are not assessed: only these systems are judged "
            "to this depth.",
            documents_outside(deepest),
        ],
        tables=TABLES,
    )


def is_compared(of: pd.DataFrame) -> bool:
    """Whether there are rankings to compare: of several systems that differ, under two pools."""
    return bool(len(of) > 1 and of["systems"].iloc[0] > 1 and pd.notna(of["tau"].iloc[-1]))


def preserving(of: pd.DataFrame) -> int | None:
    """The least depth from which on the ranking is largely preserved; ``None``: none is known.

    From the deepest on, so that no depth is named that a deeper one does not bear out.
    """
    below = of.iloc[:-1]
    bad = below.loc[~(below["low"].map(is_preserved) | (below["moved"] == 0)), "depth"]
    good = below.loc[below["depth"] > (bad.max() if len(bad) else 0), "depth"]
    return int(good.min()) if len(good) else None


def verdict(measure: str, of: pd.DataFrame) -> str:
    """The least depth from which on the ranking of the deepest pool is largely preserved."""
    deepest = of.iloc[-1]
    if deepest["systems"] == 1:
        return "There is only one system, so no ranking is compared."
    if pd.isna(deepest["tau"]):
        return f"{every(deepest['systems'], 'system')} have the same mean {measure} at any depth."
    if len(of) == 1:
        return f"There is only one pool, of depth {deepest['depth']}, so no ranking is compared."
    depth, of_deepest = preserving(of), f"at depth {deepest['depth']}"
    if depth is not None:
        if not of.loc[of["depth"] >= depth, "moved"].any():
            return (
                f"From depth {depth} on, pools rank the {deepest['systems']:,} systems by "
                f"{measure} exactly as {of_deepest}."
            )
        tau = correlation(of[of["depth"] == depth].iloc[0])
        return (
            f"A pool of depth {depth} largely preserves the ranking by {measure} {of_deepest} "
            f"({tau})."
        )
    row = of.iloc[-2]
    if pd.isna(row["tau"]):
        return (
            f"{every(row['systems'], 'system')} have the same mean {measure} at depth "
            f"{row['depth']}."
        )
    if pd.isna(row["low"]):
        return (
            "Too few topics for intervals: no shallower pool is known to largely preserve the "
            f"ranking by {measure} {of_deepest}."
        )
    return (
        f"No shallower pool is known to largely preserve the ranking by {measure} {of_deepest} "
        f"(depth {row['depth']}: {correlation(row)})."
    )


def correlation(row: pd.Series) -> str:
    """``τ_b = 0.92, 95% CI 0.90–0.95``."""
    return tau_estimate(row["tau"], (row["low"], row["high"]))


def key(of: pd.DataFrame) -> str:
    """Which share of the judgments the least depth needs."""
    depth = preserving(of) if is_compared(of) else None
    if depth is None:
        return ""
    judged = of.loc[of["depth"] == depth, "judged"].iloc[0]
    return f"depth {depth}: {judged:,.0f} of {of['judged'].iloc[-1]:,.0f} judgments"


def light(of: pd.DataFrame) -> str:
    """Whether a shallower pool is known to do."""
    if not is_compared(of):
        return ""
    return LOOK if preserving(of) is None else FINE


def depth_table(measure: str, of: pd.DataFrame) -> AnswerTable | None:
    """All depths; of the deepest, beside which the others are, what is judged."""
    columns = [
        AnswerColumn("depth", "count"), AnswerColumn("documents", "count"),
        AnswerColumn("judged", "count"), AnswerColumn("τ_b", "estimate", 2),
        AnswerColumn("ranks changed", "count"), AnswerColumn("reversed", "count"),
        AnswerColumn("tied", "count"), AnswerColumn("no longer sig.", "count"),
    ]  # fmt: skip
    deepest, none = of["depth"].iloc[-1], ((None, None, None), *[None] * 4)
    cells = (
        (row.depth, row.pooled, row.judged, *(compared_cells(row) if row.depth < deepest else none))
        for row in of.itertuples()
    )
    row = of.iloc[-1]
    n = f"{counted(row['systems'], 'system')} · {counted(row['topics'], 'topic')}"
    return AnswerTable.of(f"{measure} · {n} · compared with depth {deepest}", columns, cells)


def compared_cells(row: tuple) -> tuple:
    """What a depth has beside the deepest."""
    pairs = row.reversed_significant, row.tied_significant, row.lost
    return (row.tau, row.low, row.high), row.moved, *pairs


def significant_pairs(of: pd.DataFrame) -> str:
    """What becomes of the pairs that differ significantly under the deepest pool."""
    deepest, depth = of.iloc[-1], preserving(of)
    row = of.iloc[0] if depth is None else of[of["depth"] == depth].iloc[0]
    test = f"two-sided paired t-test, p < {SIGNIFICANCE:g}, uncorrected"
    significant, reordered, lost = (
        int(one) for one in (deepest["significant"], row["reordered_significant"], row["lost"])
    )
    if not significant:
        return f"No pair differs significantly at depth {deepest['depth']} ({test})."
    if significant == 1:
        change = "reverses or ties" if reordered else "is not significant" if lost else "remains so"
        return (
            f"The only pair that differs significantly at depth {deepest['depth']} {change} at "
            f"depth {row['depth']} ({test})."
        )
    change = "reverses or ties" if reordered <= 1 else "reverse or tie"
    are = to_be(max(lost, 1))
    return (
        f"At depth {row['depth']}, {_or_none(reordered)} of the {significant:,} pairs significant "
        f"at depth {deepest['depth']} {change} and {_or_none(lost)} {are} no longer "
        f"significant ({test})."
    )


def _or_none(count: int) -> str:
    return f"{count:,}" if count else "none"


def further_measures(others: Mapping[str, pd.DataFrame], deepest: int) -> str:
    """From which depth on the ranking by each further measure is largely preserved."""
    parts, none = [], []
    for measure, of in others.items():
        depth = preserving(of) if is_compared(of) else None
        if depth is None:
            none.append(measure)
        else:
            judged = of.loc[of["depth"] == depth, "judged"].iloc[0]
            depths = f"a pool of depth {depth} ({judged:,.0f} judgments)"
            parts.append(f"by {measure}, {depths} largely preserves the ranking")
    if none:
        parts.append(f"by {listed(none)}, no depth below {deepest} is known to")
    sentence = "; ".join(parts)
    return sentence and f"{sentence[0].upper()}{sentence[1:]}."


def documents_outside(deepest: pd.Series) -> str:
    """How many judged documents the deepest pool of these systems lacks."""
    if not deepest["outside"]:
        return ""
    return (
        f"{deepest['outside']:,.0f} judged documents are outside the pool of depth "
        f"{deepest['depth']} ({deepest['judged']:,.0f} judged documents): other runs or deeper "
        "pools contributed them."
    )


def method(measures: Sequence[str], of: pd.DataFrame) -> str:
    """What was computed, with test, interval, n and seed."""
    deepest, topics = of.iloc[-1], counted(of["topics"].iloc[-1], "topic")
    pools = (
        f"Judgments were reduced to pools of the first {listed(of['depth'].tolist())} documents of "
        f"{counted(deepest['systems'], 'system')}; unjudged documents counted as not relevant."
    )
    if not is_compared(of):
        return pools
    return (
        f"{pools} The ranking by mean {listed(measures)} over {topics} under each pool was "
        f"compared with that at depth {deepest['depth']} by Kendall's τ_b, with a 95% confidence "
        "interval by Student's t times the standard deviation over bootstrap samples of topics "
        f"({deepest['resamples']:,} samples, seed {deepest['seed']}). Pairs of systems were "
        f"compared by two-sided paired t-tests (p < {SIGNIFICANCE:g}, uncorrected). The depth that "
        "is named is the least from which on all deeper pools largely preserve the ranking."
    )
