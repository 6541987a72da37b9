"""Pools: which documents are put before the assessors, and the qrels that follow.

A `Pooling` says how to pool, `make_pool` does it for any set of contributing systems, and
`PooledDocuments.reduce` restricts a qrels to the pool.  The tables of yang2019 §4.2 and §4.6 are
functions that return data frames.

An *unjudged* document of a pool stays unjudged: a reduced qrels is the original one restricted
to the pool, never more.  Its topics are those of the original, whatever is left of them: a topic
that keeps no judgment has no gain, so every system scores 0 on it and means are over the same
topics under every pool.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import DEPTH
from regrade.errors import MethodError, ParameterError
from regrade.measures import Measure
from regrade.pools.fusion import Nominations, fused_order, normalised_scores
from regrade.pools.options import DEEPEST, POOL_SHARES, SHALLOWEST, Pooling, depths_to
from regrade.run_arrays import NO_DOCUMENT, Judged, RankedLists, topic_sums

MULTIPLICITIES = (1, 2, 4, 8, 16, 32)
"""The last number of votes of each line but the last of yang2019 Table 4.4."""

NAME_DEPTHS = "say `contributors: all` under `pools`, and name `depths`"
"""What to do in a configuration where judgments are too shallow for pools."""


@dataclass(frozen=True, eq=False)
class PooledDocuments:
    """The pooled documents of every topic.

    Attributes
    ----------
    topics
        The T topics of the rankings.
    offsets
        (T + 1,) int64; the documents of topic t are ``offsets[t]:offsets[t + 1]``.
    documents
        (P,) int32 codes, in the order in which the method takes them.
    votes
        (P,) int64: how many contributors nominate the document.
    n_documents
        How many document codes there are.
    """

    topics: tuple[str, ...]
    offsets: np.ndarray
    documents: np.ndarray
    votes: np.ndarray
    n_documents: int

    def votes_for(self, judged: Judged) -> np.ndarray:
        """(Q,) int64: the votes for each judged document, 0 where it is not pooled."""
        votes = np.zeros(self.n_documents + 1, dtype=np.int64)  # the last: of what nobody retrieved
        votes[self.documents] = self.votes
        return votes[judged.documents]

    def reduce(self, judged: Judged) -> Judged:
        """The qrels restricted to the pool, with all its topics (see `keep`)."""
        return keep(judged, self.votes_for(judged) > 0)

    def to_frame(self, ranked: RankedLists) -> pd.DataFrame:
        """The pooled documents."""
        sizes = np.diff(self.offsets)
        return pd.DataFrame(
            {
                "topic": np.repeat(np.array(self.topics, dtype=object), sizes),
                "place": np.arange(len(self.documents)) - np.repeat(self.offsets[:-1], sizes) + 1,
                "docno": ranked.docnos[self.documents],
                "votes": self.votes,
            }
        )


def make_pool(
    ranked: RankedLists,
    pooling: Pooling,
    *,
    contributors: Sequence[str] | None = None,
    scores: np.ndarray | None = None,
) -> PooledDocuments:
    """Pool the documents of some systems."""
    nominations = nominate(ranked, pooling, contributors=contributors, scores=scores)
    return pool_of(nominations, pooling, len(ranked.names))


def nominate(
    ranked: RankedLists,
    pooling: Pooling,
    *,
    contributors: Sequence[str] | None = None,
    scores: np.ndarray | None = None,
) -> Nominations:
    """The documents among which a way to pool chooses; parameters as in `make_pool`."""
    values = None
    if pooling.needs_scores and scores is not None:
        values = normalised_scores(ranked, scores, pooling.normalisation)
    return Nominations.gather(ranked, depth=pooling.depth, contributors=contributors, values=values)


def pool_of(nominations: Nominations, pooling: Pooling, n_documents: int) -> PooledDocuments:
    """Choose the pool among the nominations that `nominate` made."""
    method = "Take" if pooling.method == DEPTH else pooling.method
    order, _ = fused_order(nominations, method, rrf_k=pooling.rrf_k)
    offsets = nominations.offsets
    if pooling.size is not None:
        sizes = np.diff(offsets)
        place = np.arange(len(order)) - np.repeat(offsets[:-1], sizes)
        order = order[place < pooling.size]
        offsets = np.concatenate([[0], np.cumsum(np.minimum(sizes, pooling.size))])
    return PooledDocuments(
        nominations.topics,
        offsets,
        nominations.documents[order],
        nominations.votes[order],
        n_documents,
    )


def keep(judged: Judged, rows: np.ndarray) -> Judged:
    """Some rows of a qrels, (Q,) bool, and all its topics, also those without any.

    The one rule of all stages for a topic that loses all its judgments: it stays, and every system
    scores 0 on it (`Judged.topics_without_judgments` tells which these are).
    """
    return Judged(
        judged.topics,
        np.concatenate([[0], np.cumsum(rows)])[judged.offsets],
        judged.documents[rows],
        judged.grades[rows],
    )


def zeros_warning(values: np.ndarray, measures: Sequence[Measure]) -> str:
    """By which measures every system scores 0 on some topics, to go on a sentence about these.

    Some measures count documents, judged or not.
    """
    is_zero = (values == 0).all(axis=(0, 1))
    names = [str(measure) for measure, zero in zip(measures, is_zero, strict=True) if zero]
    by = "" if is_zero.all() else f" by {', '.join(names)}"
    return f": every system scores 0 there{by}" if names else ""


def qrels_table(judged: Judged, ranked: RankedLists) -> pa.Table:
    """A reduced qrels as a table of schema ``qrels``, by topic and docno.

    A topic that has lost all its judgments has no row, as in a file of qrels: to count it with a
    score of 0, trec_eval's option ``-c`` and the original qrels' number of topics are needed.
    """
    if (judged.documents == NO_DOCUMENT).any():
        raise MethodError("the qrels hold documents that no run has: reduce them to a pool first")
    topic = np.repeat(np.array(judged.topics, dtype=object), np.diff(judged.offsets))
    columns = {
        "topic": pa.array(topic, pa.string()),
        "docno": ranked.names.take(pa.array(judged.documents)),
        "grade": pa.array(judged.grades),
    }
    return pa.table(columns).cast(SCHEMAS["qrels"])


def deeply_judged(audit: pa.Table, depth: int = DEEPEST) -> pd.DataFrame:
    """Which systems are judged deeply for every topic (yang2019 §4.2).

    A system is deeply judged if for every judged topic its ranking has at least `depth` documents
    and the first unjudged one is below rank `depth`.
    """
    rankings = _judged_rankings(audit)
    table = rankings.groupby("system", as_index=False, observed=True).agg(
        topics=("topic", "size"),
        shortest=("documents", "min"),
        first_unjudged=("first_unjudged", "min"),
    )
    everywhere = table["topics"] == rankings["topic"].nunique()
    deep = (table["shortest"] >= depth) & (table["first_unjudged"] > depth)
    return table.assign(deeply_judged=everywhere & deep)


def judged_depth(systems: pd.DataFrame, remedy: str = NAME_DEPTHS) -> int:
    """How deep half of the systems, or more, are judged for every topic, at most `DEEPEST`.

    Of two systems as deep as both are, if that is deep enough: one alone is compared with none.
    """
    depths = np.sort(_depths(systems))
    half = 0 if len(depths) == 2 and depths[0] >= SHALLOWEST else len(depths) // 2
    deepest = min(int(depths[half]), DEEPEST) if len(depths) else 0
    if deepest < SHALLOWEST:
        raise ParameterError(
            f"half of the systems are judged to rank {deepest} only, too shallow for pools: "
            f"{remedy}"
        )
    return deepest


def _depths(systems: pd.DataFrame) -> pd.Series:
    """How deep each system is judged for every topic; 0 for those without rankings for some."""
    depths = np.minimum(systems["first_unjudged"] - 1, systems["shortest"])
    return depths.where(systems["topics"] == systems["topics"].max(), 0)


def as_judged(depths, systems: pa.Table, shares: Sequence[float] | None = POOL_SHARES):
    """Depths as they are given, or else as deep as the systems are judged (`deeply_judged`)."""
    if depths is not None:
        return depths
    deepest = judged_depth(systems.to_pandas())
    return deepest if shares is None else depths_to(deepest, shares)


def as_deep_as_judged(pooling: str | None, systems: pa.Table) -> Pooling:
    """A way to pool as it is given, or else ``Depth`` as deep as the systems are judged."""
    if pooling is not None:
        return Pooling.read(pooling)
    return Pooling(DEPTH, depth=as_judged(None, systems, None))


def deep_contributors(
    systems: pd.DataFrame,
    depth: str = "`pools.baseline` asks",
    remedy: str = "say `contributors: all` under `pools`",
    shallower: str = "a smaller `baseline`",
) -> list[str]:
    """The deeply judged systems, of which pools are made; what to do where there are none.

    Labels that are a sample of a pool judge nothing whole: no shallower pool helps there.
    """
    names = systems.loc[systems["deeply_judged"], "system"].astype(str).tolist()
    if names:
        return names
    depths = _depths(systems)
    problem = f"no system is judged as deep as {depth}"
    if len(systems) and depths.max() > 0:
        deepest = systems["system"].astype(str).iloc[int(depths.argmax())]
        problem += f", the deepest, {deepest}, to rank {depths.max()} for all its topics"
        remedy = f"{remedy}, or {shallower}"
    raise ParameterError(f"{problem}: {remedy}")


def contributors(which: str | Sequence[str], deep: pa.Table | None = None) -> list[str] | None:
    """The systems that a pool is made of: ``all``, the deeply judged ones, or those named."""
    if which == "all":
        return None
    return deep_contributors(deep.to_pandas()) if which == "deep" else [*which]


def collection_facts(
    audit: pa.Table, judged: Sequence[Judged], *, depth: int = DEEPEST
) -> pd.DataFrame:
    """What yang2019 Table 4.1 tells of a collection, as far as runs and qrels tell it."""
    rankings = _judged_rankings(audit)
    topics = sum(len(part.topics) for part in judged)
    grades = np.concatenate([part.grades for part in judged])
    facts = {
        "topics": topics,
        "systems": rankings["system"].nunique(),
        "judged documents per topic": len(grades) / topics,
        "relevant documents per topic": np.count_nonzero(grades >= 1) / topics,
        "rank of the first unjudged document": rankings["first_unjudged"].mean(),
        "depth that deeply judged systems are judged to": depth,
        "deeply judged systems": deeply_judged(audit, depth)["deeply_judged"].sum(),
    }
    return pd.DataFrame(
        {"quantity": list(facts), "value": np.array([*facts.values()], dtype=float)}
    )


def pool_sizes(
    ranked: RankedLists,
    judged: Judged,
    poolings: Iterable[Pooling],
    *,
    contributors: Sequence[str] | None = None,
    scores: np.ndarray | None = None,
) -> pd.DataFrame:
    """How many documents each way to pool brings, per topic (yang2019 Figure 4.5, Table 4.3)."""
    counted = np.flatnonzero(np.isin(ranked.topics, judged.topics))
    relevant = judged.grades >= 1
    parts = []
    for pooling in poolings:
        pool = make_pool(ranked, pooling, contributors=contributors, scores=scores)
        votes = pool.votes_for(judged)
        counts = {
            "judged": votes > 0,
            "relevant": (votes > 0) & relevant,
            "single_judged": votes == 1,
            "single_relevant": (votes == 1) & relevant,
            "outside": votes == 0,
        }
        per_topic = {
            name: topic_sums(rows.astype(np.int64), judged.offsets) for name, rows in counts.items()
        }
        pooled = np.diff(pool.offsets)[counted]
        parts.append(
            pd.DataFrame(
                {"pooling": str(pooling), "topic": judged.topics, "pooled": pooled, **per_topic}
            )
        )
    return pd.concat(parts, ignore_index=True)


def pool_facts(sizes: pd.DataFrame, systems: int) -> pd.DataFrame:
    """The sums of `pool_sizes` over topics (yang2019 Table 4.3)."""
    by_pooling = sizes.assign(lost=sizes["judged"] == 0).groupby("pooling", sort=False)
    sums = by_pooling.sum(numeric_only=True).drop(columns="lost")
    sums.insert(0, "systems", systems)
    sums.insert(1, "topics", by_pooling.size())
    sums.insert(2, "without_judgments", by_pooling["lost"].sum())
    return sums.reset_index()


def multiplicities(
    pool: PooledDocuments, judged: Judged, last: Sequence[int] = MULTIPLICITIES
) -> pd.DataFrame:
    """Judged documents of a pool by how many contributors nominate them (yang2019 Table 4.4)."""
    votes = pool.votes_for(judged)
    last = np.asarray(last)
    if not len(last) or last[0] < 1 or (np.diff(last) < 1).any():
        raise ParameterError(f"last is {last.tolist()}: give ascending numbers of votes, from 1")
    line = np.searchsorted(last, votes[votes > 0])  # the first line that reaches so far
    is_relevant = (judged.grades >= 1)[votes > 0]
    count = np.bincount(line, minlength=len(last) + 1)
    relevant = np.bincount(line[is_relevant], minlength=len(last) + 1)
    low = np.array([1, *(last + 1), 1])
    high = [*last.tolist(), None, None]
    return _with_percent(
        pd.DataFrame(
            {
                "votes": [*map(_written, low[:-1], high[:-1]), "all"],
                "low": low,
                "high": pd.array(high, dtype="Int64"),
                "judged": np.append(count, count.sum()),
                "relevant": np.append(relevant, relevant.sum()),
            }
        )
    )


def add_multiplicities(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The `multiplicities` of several topics' pools, from those of some topics each."""
    counts = ["judged", "relevant"]
    return _with_percent(parts[0].assign(**{n: sum(part[n] for part in parts) for n in counts}))


def _with_percent(counts: pd.DataFrame) -> pd.DataFrame:
    percent = 100.0 * counts["relevant"] / counts["judged"].where(counts["judged"] > 0)
    return counts.assign(percent=percent)


def join_sizes(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The `pool_sizes` of all topics, from those of some topics each."""
    sizes = pd.concat(parts, ignore_index=True)
    order = {pooling: place for place, pooling in enumerate(sizes["pooling"].unique())}
    by_pooling = sizes["pooling"].map(order).argsort(kind="stable")
    return sizes.iloc[by_pooling].reset_index(drop=True)


def _written(low: int, high: int | None) -> str:
    if high is None:
        return f"{low}+"
    return str(low) if low == high else f"{low}–{high}"


def _judged_rankings(audit: pa.Table) -> pd.DataFrame:
    """The rankings for topics of which any document is judged, with their lengths."""
    rankings = audit.to_pandas()
    if rankings["qrels"].nunique() > 1:
        raise MethodError("the audit covers several qrels: choose one")
    rankings["documents"] = rankings["judged"] + rankings["unjudged"]
    in_qrels = rankings.groupby("topic", observed=True)["judged"].transform("sum") > 0
    return rankings[in_qrels]
