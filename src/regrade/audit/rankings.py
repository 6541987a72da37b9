"""What the rankings hold: ties, contradictions, unjudged documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from regrade.audit.columns import Fact, codes, distinct, stacked, table_of, topics
from regrade.ordering import comparable_scores, group_starts
from regrade.run_arrays import Judged, RankedLists
from regrade.tables import encode

TOP = 10
"""How many documents of a ranking are its top."""


def audit_runs(
    ranked: RankedLists, *, score_precision: str = "float64", longest: int | None = None
) -> pa.Table:
    """Ties and contradictions of every ranking.

    A document is *tied* if its score equals that of the one just above it.  It *contradicts*
    if its score is lower than that of the document just above but the rank it was submitted
    with comes earlier, where tied documents stand in order of submitted rank (yang2019 §3.2.1,
    Table 3.2, counts these; counting both documents of the pair, or every document that
    is out of place, gives other figures).  Neither depends on the tie rule of the runs.
    """
    lengths = np.diff(ranked.offsets)
    rankings, documents = ranked.offsets[:-1][lengths > 0], lengths[lengths > 0]
    score = comparable_scores(ranked.scores, score_precision)
    submitted = ranked.submitted_ranks

    ties = group_starts(np.repeat(np.arange(len(lengths)), lengths), score)  # of equal score
    first_group = np.searchsorted(ties, rankings)
    tied = np.ones(len(score), dtype=bool)
    tied[ties] = False
    none = np.iinfo(np.int32).max
    first_tie = np.minimum.reduceat(np.where(tied, ranked.ranks, none), rankings)

    earliest, latest = np.minimum.reduceat(submitted, ties), np.maximum.reduceat(submitted, ties)
    contradicts = np.zeros(len(ties), dtype=np.int32)
    contradicts[1:] = earliest[1:] < latest[:-1]
    contradicts[first_group] = 0  # nothing is above a ranking's first document

    return _of_rankings(
        "audit/runs",
        ranked,
        documents=documents,
        tied_documents=np.add.reduceat(tied, rankings, dtype=np.int32),
        first_tie=pa.array(first_tie, mask=first_tie == none),
        contradictions=np.add.reduceat(contradicts, first_group),
        short=documents < (documents.max(initial=0) if longest is None else longest),
    )


def audit_judged(ranked: RankedLists, judged_by_name: Mapping[str, Judged]) -> pa.Table:
    """How much of every ranking is judged."""
    lengths = np.diff(ranked.offsets)
    rankings, documents = ranked.offsets[:-1][lengths > 0], lengths[lengths > 0]
    rank = ranked.ranks
    past = np.repeat(documents + 1, documents)
    parts = []
    for name, judged in judged_by_name.items():
        is_judged = np.zeros(len(ranked.names) + 1, dtype=bool)  # one more, for what nobody ranks
        is_judged[judged.documents] = True
        here = is_judged[ranked.documents]
        count = np.add.reduceat(here, rankings, dtype=np.int32)
        top = np.add.reduceat(here & (rank <= TOP), rankings, dtype=np.int32)
        parts.append(
            _of_rankings(
                "audit/judged",
                ranked,
                qrels=pa.array([name] * len(rankings), pa.string()),
                judged=count,
                judged_top=top,
                unjudged=documents - count,
                first_unjudged=np.minimum.reduceat(np.where(here, past, rank), rankings),
            )
        )
    return stacked("audit/judged", parts)


def join_audits(parts: Sequence[pa.Table]) -> pa.Table:
    """What `audit_runs` or `audit_judged` tell of all topics, from parts for some topics each."""
    table = pa.concat_tables(parts)
    keys = [encode(table[name])[1] for name in ("topic", "system")]
    if "qrels" in table.column_names:  # in the order in which they are given
        qrels = table["qrels"].cast(pa.string()).combine_chunks().dictionary_encode()
        keys.append(qrels.indices.to_numpy())
    return table.unify_dictionaries().take(pa.array(np.lexsort(keys)))


def _of_rankings(schema: str, ranked: RankedLists, **columns) -> pa.Table:
    """One row per ranking that is not empty: from the order of `ranked` to system, then topic."""
    topic, system = np.divmod(np.flatnonzero(np.diff(ranked.offsets)), max(len(ranked.systems), 1))
    table = table_of(
        schema,
        system=pa.array(ranked.systems, pa.string()).take(pa.array(system)),
        topic=pa.array(ranked.topics, pa.string()).take(pa.array(topic)),
        **columns,
    )
    return table.take(pa.array(np.lexsort((topic, system))))


def facts_of_runs(audit: pa.Table) -> list[Fact]:
    """What a reader wants to know of the runs; `audit` is what `audit_runs` gave."""
    system = codes(audit, "system")
    systems, rankings = distinct(system), len(audit)
    documents = audit["documents"].to_numpy()
    tied, contradicts = audit["tied_documents"].to_numpy(), audit["contradictions"].to_numpy()
    first_tie = audit["first_tie"].drop_null().to_numpy()
    facts: list[Fact] = [
        ("systems", systems, None),
        ("topics", len(topics(audit)), None),
        ("rankings (a system's for a topic)", rankings, None),
        ("documents retrieved", documents.sum(), None),
        ("documents of the longest ranking", documents.max(initial=0), None),
        ("rankings shorter than the longest", np.count_nonzero(audit["short"]), rankings),
    ]
    for what, count in (
        ("tied scores", tied),
        ("submitted ranks that contradict scores", contradicts),
    ):
        facts += [
            (f"systems with {what}", distinct(system[count > 0]), systems),
            (f"rankings with {what}", np.count_nonzero(count), rankings),
        ]
    facts += [
        ("documents tied with the one above", tied.sum(), documents.sum()),
        ("documents whose submitted rank contradicts", contradicts.sum(), documents.sum()),
    ]
    if len(first_tie):
        geometric_mean = float(np.exp(np.log(first_tie).mean()))
        facts.append(("rank of a ranking's first tie, geometric mean", geometric_mean, None))
    return facts


def facts_of_coverage(judged: pa.Table, qrels: pa.Table) -> list[Fact]:
    """How far a set of labels covers the runs; `judged` is what `audit_judged` gave of it."""
    in_runs, here = topics(judged), topics(qrels)
    count, unjudged = judged["judged"].to_numpy(), judged["unjudged"].to_numpy()
    first = judged["first_unjudged"].to_numpy()
    system = codes(judged, "system")
    is_labelled = np.isin(judged["topic"].to_pylist(), [*here])
    tops = np.minimum(count + unjudged, TOP)[is_labelled]
    # a ranking of fewer than ten documents, all judged, has nothing unjudged in its top ten
    shallow = (first <= TOP) & (unjudged > 0)
    systems = distinct(system)
    facts: list[Fact] = [
        ("topics of the runs without qrels", len(in_runs - here), len(in_runs)),
        ("topics in no run", len(here - in_runs), len(here)),
        ("retrieved documents that are judged", count.sum(), (count + unjudged).sum()),
        ("rankings with unjudged documents", np.count_nonzero(unjudged), len(judged)),
        (
            "top 10 documents that are judged, topics with qrels",
            judged["judged_top"].to_numpy()[is_labelled].sum(),
            tops.sum(),
        ),
        (
            "systems whose top 10 is judged for every topic",
            systems - distinct(system[shallow]),
            systems,
        ),
    ]
    if unjudged.any():
        depth = np.median(first[unjudged > 0])
        facts.append(("rank of a ranking's first unjudged document, median", depth, None))
    return facts
