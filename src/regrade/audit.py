"""What the collected tables hold: ties, contradictions, unjudged documents, coverage.

Nothing here is an error; it is what a reader wants to know before believing a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.errors import SHOWN
from regrade.ordering import comparable_scores, group_starts
from regrade.ranked import Judged, RankedLists
from regrade.schemas import SCHEMAS
from regrade.tables import encode

if TYPE_CHECKING:
    import pandas as pd


def audit_runs(
    ranked: RankedLists, *, score_precision: str = "float64", longest: int | None = None
) -> pa.Table:
    """Ties and contradictions of every ranking.

    A document is *tied* if its score equals that of the one just above it.  It *contradicts*
    if its score is lower than that of the document just above but the rank it was submitted
    with comes earlier, where tied documents stand in order of submitted rank (yang2019 §3.2.1,
    Table 3.2, counts these; counting both documents of the pair, or every document that
    is out of place, gives other figures).  Neither depends on the tie rule of the runs.

    Parameters
    ----------
    ranked
        The rankings, with their scores and submitted ranks.
    score_precision
        As what scores are compared, ``float64`` or ``float32``; as the runs were ordered.
    longest
        The documents of the longest ranking, where `ranked` holds some topics only.

    Returns
    -------
    pa.Table
        Schema ``audit/runs``: per system and topic the documents, how many are tied, the rank
        of the first of these (null if none), how many contradict, and whether the ranking is
        shorter than the longest one.
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
    """How much of every ranking is judged.

    Parameters
    ----------
    ranked
        The rankings.
    judged_by_name
        Qrels in their document codes.

    Returns
    -------
    pa.Table
        Schema ``audit/judged``: per qrels, system and topic the judged and the unjudged
        documents, and the rank of the first unjudged one (length + 1 if all are judged).
        A topic that the qrels lack is there, with nothing judged.
    """
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
        parts.append(
            _of_rankings(
                "audit/judged",
                ranked,
                qrels=pa.array([name] * len(rankings), pa.string()),
                judged=count,
                unjudged=documents - count,
                first_unjudged=np.minimum.reduceat(np.where(here, past, rank), rankings),
            )
        )
    return _stack("audit/judged", parts)


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
    table = _table(
        schema,
        system=pa.array(ranked.systems, pa.string()).take(pa.array(system)),
        topic=pa.array(ranked.topics, pa.string()).take(pa.array(topic)),
        **columns,
    )
    return table.take(pa.array(np.lexsort((topic, system))))


def audit_judgments(judgments_by_name: Mapping[str, pa.Table]) -> pa.Table:
    """How many judgments every topic has.

    Parameters
    ----------
    judgments_by_name
        Tables of schema ``judgments``.

    Returns
    -------
    pa.Table
        Schema ``audit_judgments``: per judgment set and topic the documents, judgments,
        workers, units (pairs of worker and HIT; null where there are none), judgments per
        document, and how many judgments repeat an earlier one of the same worker and document.
    """
    parts = [_audit_judgments(name, table) for name, table in judgments_by_name.items()]
    return _stack("audit/judgments", parts)


def _audit_judgments(name: str, judgments: pa.Table) -> pa.Table:
    order = np.argsort(_codes(judgments, "topic"), kind="stable")
    judgments = judgments.take(pa.array(order))
    topic, docno = _codes(judgments, "topic"), _codes(judgments, "docno")
    worker, unit = _codes(judgments, "worker"), _codes(judgments, "unit")
    starts = group_starts(topic)
    rows = []
    for start, end in zip(starts, [*starts[1:], len(judgments)], strict=True):
        here = slice(start, end)
        per_document = np.unique(docno[here], return_counts=True)[1]
        in_unit = unit[here] >= 0
        units = _distinct(worker[here][in_unit], unit[here][in_unit])
        rows.append(
            {
                "judgments": name,
                "documents": len(per_document),
                "judgments_count": end - start,
                "workers": _distinct(worker[here]),
                "units": units or None,
                "min_per_document": per_document.min(),
                "median_per_document": np.median(per_document),
                "max_per_document": per_document.max(),
                "repeated": end - start - _distinct(docno[here], worker[here]),
            }
        )
    columns = {key: [row[key] for row in rows] for key in (rows[0] if rows else ())}
    return _table("audit/judgments", **columns, **_names(judgments, starts, "topic"))


def check_topics(
    in_runs: Iterable[str] | None = None,
    qrels_by_name: Mapping[str, pa.Table] | None = None,
    judgments_by_name: Mapping[str, pa.Table] | None = None,
) -> list[str]:
    """Warnings on topics that one part of a collection has and another lacks.

    Parameters
    ----------
    in_runs
        The topics of the runs, or ``None`` for a collection without.
    qrels_by_name, judgments_by_name
        Tables of schema ``qrels`` and ``judgments``.

    Returns
    -------
    list of str
        A sentence each, with the count and the first few topics; empty if all agree.
    """
    if in_runs is None:
        return []
    in_runs = set(in_runs)
    warnings = []
    for kind, tables in (("qrels", qrels_by_name), ("judgments", judgments_by_name)):
        for name, table in (tables or {}).items():
            here = _topics(table)
            if lacking := in_runs - here:
                warnings.append(f"{kind} {name}: no row for {_listed(lacking)} of the runs")
            if extra := here - in_runs:
                warnings.append(f"{kind} {name}: {_listed(extra)} in no run")
    return warnings


def summarise(
    *,
    runs_audit: pa.Table | None = None,
    judged_audit: pa.Table | None = None,
    judgments_audit: pa.Table | None = None,
    qrels_by_name: Mapping[str, pa.Table] | None = None,
    judgments_by_name: Mapping[str, pa.Table] | None = None,
) -> pa.Table:
    """The facts that a reader of an import wants, one a row.

    Parameters
    ----------
    runs_audit, judged_audit, judgments_audit
        What `audit_runs`, `audit_judged` and `audit_judgments` gave; ``None`` where the
        collection has no such part.
    qrels_by_name, judgments_by_name
        The tables themselves.

    Returns
    -------
    pa.Table
        Schema ``audit_summary``: `source` is ``runs``, ``qrels <name>`` or ``judgments <name>``;
        where `value` counts some of many, `total` is the many and ``value / total`` the share.
    """
    facts: list[tuple[str, str, float, float | None]] = []
    if runs_audit is not None:
        facts += [("runs", *fact) for fact in _facts_of_runs(runs_audit)]
    for name, qrels in (qrels_by_name or {}).items():
        facts += [(f"qrels {name}", *fact) for fact in _facts_of_qrels(qrels)]
        if judged_audit is not None:
            judged = judged_audit.filter(pc.equal(judged_audit["qrels"].cast(pa.string()), name))
            facts += [(f"qrels {name}", *fact) for fact in _facts_of_coverage(judged, qrels)]
    for name, judgments in (judgments_by_name or {}).items():
        chosen = judgments_audit.filter(
            pc.equal(judgments_audit["judgments"].cast(pa.string()), name)
        )
        facts += [(f"judgments {name}", *fact) for fact in _facts_of_judgments(chosen, judgments)]
    columns = list(zip(*facts, strict=True)) or [()] * 4
    return _table(
        "audit/summary", **dict(zip(SCHEMAS["audit/summary"].names, columns, strict=True))
    )


def readable_summary(summary: pa.Table) -> pd.DataFrame:
    """The summary as text for reading.

    Parameters
    ----------
    summary
        Schema ``audit_summary``.

    Returns
    -------
    DataFrame of str
        Columns ``source``, ``fact``, ``value`` (integers with all their digits, others with
        four) and ``share`` (percent, empty where nothing is shared).
    """
    import pandas as pd

    rows = [
        (row["source"], row["fact"], _as_text(row["value"]), _share(row["value"], row["total"]))
        for row in summary.to_pylist()
    ]
    return pd.DataFrame(rows, columns=["source", "fact", "value", "share"], dtype=str)


def _as_text(value: float) -> str:
    """``1,234,567``, ``1,737`` for 1736.6, ``0.1235`` for 0.12345."""
    shown = value if value.is_integer() else float(f"{value:.4g}")
    return f"{shown:,.15g}"


def _share(value: float, total: float | None) -> str:
    return f"{value / total:.1%}".replace("%", " %") if total else ""


_Fact = tuple[str, float, float | None]


def _facts_of_runs(audit: pa.Table) -> list[_Fact]:
    system = _codes(audit, "system")
    systems, rankings = _distinct(system), len(audit)
    documents = audit["documents"].to_numpy()
    tied, contradicts = audit["tied_documents"].to_numpy(), audit["contradictions"].to_numpy()
    first_tie = audit["first_tie"].drop_null().to_numpy()
    facts: list[_Fact] = [
        ("systems", systems, None),
        ("topics", len(_topics(audit)), None),
        ("rankings (a system's for a topic)", rankings, None),
        ("documents retrieved", documents.sum(), None),
        ("documents of the longest ranking", documents.max(initial=0), None),
        ("rankings shorter than the longest", pc.sum(audit["short"]).as_py() or 0, rankings),
    ]
    for what, count in (
        ("tied scores", tied),
        ("submitted ranks that contradict scores", contradicts),
    ):
        facts += [
            (f"systems with {what}", _distinct(system[count > 0]), systems),
            (f"rankings with {what}", np.count_nonzero(count), rankings),
        ]
    facts += [
        ("documents tied with the one above", tied.sum(), documents.sum()),
        ("documents whose submitted rank contradicts", contradicts.sum(), documents.sum()),
    ]
    if len(first_tie):
        facts.append(
            ("rank of a ranking's first tie, geometric mean", _geometric_mean(first_tie), None)
        )
    return facts


def _facts_of_qrels(qrels: pa.Table) -> list[_Fact]:
    grade = qrels["grade"].to_numpy()
    topics = max(len(_topics(qrels)), 1)
    relevant = np.count_nonzero(grade > 0)
    return [
        ("topics", len(_topics(qrels)), None),
        ("judged documents", len(qrels), None),
        ("judged documents per topic, mean", len(qrels) / topics, None),
        ("relevant documents (grade above 0)", relevant, len(qrels)),
        ("relevant documents per topic, mean", relevant / topics, None),
        ("highest grade", grade.max(initial=0), None),
    ]


def _facts_of_coverage(judged: pa.Table, qrels: pa.Table) -> list[_Fact]:
    in_runs, here = _topics(judged), _topics(qrels)
    count, unjudged = judged["judged"].to_numpy(), judged["unjudged"].to_numpy()
    first = judged["first_unjudged"].to_numpy()
    system = _codes(judged, "system")
    # a ranking of fewer than ten documents, all judged, has nothing unjudged in its top ten
    shallow = (first <= 10) & (unjudged > 0)
    systems = _distinct(system)
    facts: list[_Fact] = [
        ("topics of the runs without qrels", len(in_runs - here), len(in_runs)),
        ("topics in no run", len(here - in_runs), len(here)),
        ("retrieved documents that are judged", count.sum(), (count + unjudged).sum()),
        ("rankings with unjudged documents", np.count_nonzero(unjudged), len(judged)),
        (
            "systems whose top 10 is judged for every topic",
            systems - _distinct(system[shallow]),
            systems,
        ),
    ]
    if unjudged.any():
        depth = np.median(first[unjudged > 0])
        facts.append(("rank of a ranking's first unjudged document, median", depth, None))
    return facts


def _facts_of_judgments(audit: pa.Table, judgments: pa.Table) -> list[_Fact]:
    documents, count = pc.sum(audit["documents"]).as_py(), len(judgments)
    facts: list[_Fact] = [
        ("topics", len(audit), None),
        ("documents", documents, None),
        ("judgments", count, None),
        ("workers", _distinct(_codes(judgments, "worker")), None),
    ]
    if audit["units"].null_count < len(audit):
        facts.append(("units (a worker's HIT for a topic)", pc.sum(audit["units"]).as_py(), None))
    facts += [
        ("judgments per document, mean", count / documents, None),
        ("judgments per document, fewest", pc.min(audit["min_per_document"]).as_py(), None),
        ("judgments per document, most", pc.max(audit["max_per_document"]).as_py(), None),
        (
            "judgments that repeat one of the same worker and document",
            pc.sum(audit["repeated"]).as_py(),
            count,
        ),
    ]
    return facts


def _geometric_mean(values: np.ndarray) -> float:
    return float(np.exp(np.log(values).mean()))


def _listed(topics: Iterable[str]) -> str:
    topics = sorted(topics)
    shown = ", ".join(topics[:SHOWN]) + (", …" if len(topics) > SHOWN else "")
    return f"{len(topics)} {'topic' if len(topics) == 1 else 'topics'} ({shown})"


def _topics(table: pa.Table) -> set[str]:
    return set(pc.unique(table["topic"].cast(pa.string())).to_pylist())


def _encoded(table: pa.Table, name: str) -> pa.DictionaryArray:
    """A column as one array: a table read from a file has a dictionary per chunk."""
    return table[name].unify_dictionaries().combine_chunks()


def _codes(table: pa.Table, name: str) -> np.ndarray:
    """Codes of a dictionary column; -1 where null."""
    return _encoded(table, name).indices.fill_null(-1).to_numpy()


def _distinct(*codes: np.ndarray) -> int:
    """How many different tuples the columns hold."""
    return len(np.unique(np.stack(codes), axis=1).T)


def _names(table: pa.Table, starts: np.ndarray, *names: str) -> dict[str, pa.Array]:
    return {name: _encoded(table, name).take(pa.array(starts)) for name in names}


def _table(schema: str, **columns) -> pa.Table:
    fields = SCHEMAS[schema]
    arrays = []
    for field in fields:
        column = columns[field.name]
        column = column if isinstance(column, pa.Array) else pa.array(column)
        arrays.append(column.cast(field.type))
    return pa.table(arrays, schema=fields)


def _stack(schema: str, parts: list[pa.Table]) -> pa.Table:
    return pa.concat_tables([SCHEMAS[schema].empty_table(), *parts]).unify_dictionaries()
