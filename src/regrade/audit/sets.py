"""What sets of labels, judgments and preferences hold: values, workers, pairs, repeats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.audit.columns import Fact, codes, distinct, names_at, stacked, table_of, topics
from regrade.audit.unwanted import LEFT_OUT
from regrade.choices import JUNK
from regrade.ordering import group_starts
from regrade.scales import Scale, signed
from regrade.tables import encode
from regrade.wording import AS_ZERO

_VALUE = {"qrels": "grade", "judgments": "value", "preferences": "strength"}


@dataclass(frozen=True)
class CollectedSet:
    """A set of a collection.

    Attributes
    ----------
    kind
        ``qrels``, ``judgments`` or ``preferences``: the table's schema.
    name
        What the set is called.
    table
        What it holds.
    scale
        The scale that it is on; ``None``: any numbers.
    left_out
        How many rows of its files were left out, or read otherwise than they stand, by reason.
    mixed
        That rows were read together which differ; empty where none do.
    """

    kind: str
    name: str
    table: pa.Table
    scale: Scale | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)
    mixed: str = ""

    @classmethod
    def made_by(
        cls,
        kind: str,
        name: str,
        scale: Mapping[str, object],
        table: pa.Table,
        provenance: Mapping[str, Mapping],
    ) -> CollectedSet:
        """A set with what the job that read its files has noted; `scale` as it is configured."""
        own = Scale.of(scale)
        noted = {k: v for k, v in provenance["parameters"].items() if k in ("left_out", "mixed")}
        return cls(kind, name, table, signed(own) if kind == "preferences" else own, **noted)

    @property
    def source(self) -> str:
        """As the summary calls it."""
        return f"{self.kind} {self.name}"

    @property
    def values(self) -> np.ndarray:
        """(n,) values of all rows."""
        return self.table[_VALUE[self.kind]].to_numpy()


def audit_values(sets: Iterable[CollectedSet]) -> pa.Table:
    """How often each value of each set's scale comes."""
    parts = []
    for data in sets:
        values, counts = _value_counts(data)
        written = [data.scale.text(v) if data.scale else f"{v:.15g}" for v in values.tolist()]
        names = {"kind": [data.kind] * len(values), "set": [data.name] * len(values)}
        written = pa.array(written, pa.string())
        parts.append(table_of("audit/values", **names, value=values, written=written, count=counts))
    return stacked("audit/values", parts)


def _value_counts(data: CollectedSet) -> tuple[np.ndarray, np.ndarray]:
    """The values of a scale, or those found, and the number of rows with each."""
    values, counts = np.unique(data.values, return_counts=True)
    if data.scale is None or not data.scale.finite:
        return values, counts
    every = np.zeros(data.scale.levels, dtype=np.int64)
    every[data.scale.codes(values)] = counts
    return np.array(data.scale.values), every


def audit_workers(sets: Iterable[CollectedSet]) -> pa.Table:
    """How every worker uses the scale."""
    parts = []
    for data in sets:
        names = data.table.column_names
        if "worker" not in names or data.table["worker"].null_count == len(data.table):
            continue
        worker = codes(data.table, "worker")
        order = np.argsort(worker, kind="stable")
        order = order[worker[order] >= 0]
        table = data.table.take(pa.array(order))
        starts = group_starts(worker[order])
        number = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))
        values, place = np.unique(data.values[order], return_inverse=True)
        who, which, counts = _counted(number, place)
        first = group_starts(who)
        # each worker's values from the most frequent one on, of equally frequent ones the lowest
        ordered = np.lexsort((which, -counts, who))
        topic = codes(table, "topic")
        # what a row judges: the topic's document, or its pair of documents in one order
        is_pair = data.kind == "preferences"
        item = _groups(*(_pairs(table)[:3] if is_pair else (topic, codes(table, "docno"))))
        part = table_of(
            "audit/workers",
            kind=[data.kind] * len(starts),
            set=[data.name] * len(starts),
            rows=np.bincount(number),
            topics=np.bincount(_counted(number, topic)[0]),
            judged=np.bincount(_counted(number, item)[0]),
            distinct=np.bincount(who),
            low=values[which[first]],
            high=values[which[np.append(first[1:], len(who)) - 1]],
            most_frequent=values[which[ordered[first]]],
            most_frequent_count=counts[ordered[first]],
            **names_at(table, starts, "worker"),
        )
        parts.append(part)
    return stacked("audit/workers", parts)


def _counted(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, ...]:
    """The distinct pairs of codes of two columns, sorted, and how many rows have each."""
    pairs, counts = np.unique(
        first.astype(np.int64) * (second.max(initial=0) + 1) + second, return_counts=True
    )
    return *np.divmod(pairs, second.max(initial=0) + 1), counts


def audit_judgments(sets: Iterable[CollectedSet]) -> pa.Table:
    """How many judgments every topic has."""
    return _by_topic("judgments", sets, _rows_of_judgments)


def _rows_of_judgments(judgments: pa.Table, topics: Iterable[slice]) -> Iterator[dict]:
    docno, worker, unit = (codes(judgments, column) for column in ("docno", "worker", "unit"))
    for here in topics:
        per_document = np.unique(docno[here], return_counts=True)[1]
        yield {
            "documents": len(per_document),
            "judgments_count": len(docno[here]),
            "workers": distinct(worker[here]),
            "units": _units(worker[here], unit[here]),
            "min_per_document": per_document.min(),
            "median_per_document": np.median(per_document),
            "max_per_document": per_document.max(),
            "repeated": len(docno[here]) - distinct(docno[here], worker[here]),
        }


def audit_preferences(sets: Iterable[CollectedSet]) -> pa.Table:
    """How many preferences every topic has, and how far they agree."""
    return _by_topic("preferences", sets, _rows_of_preferences)


def _rows_of_preferences(preferences: pa.Table, topics: Iterable[slice]) -> Iterator[dict]:
    topic, first, second, turned = _pairs(preferences)
    pair = _groups(topic, first, second)
    strength = preferences["strength"].to_numpy()
    of_pair = np.where(turned, -strength, strength)
    sides = preferences["sides"].to_numpy()
    worker, unit = codes(preferences, "worker"), codes(preferences, "unit")
    named = worker >= 0
    for here in topics:
        per_pair = np.unique(pair[here], return_counts=True)[1]
        known = named[here]
        by_worker = _groups(pair[here][known], worker[here][known])
        yield {
            "documents": distinct(np.concatenate([first[here], second[here]])),
            "pairs": len(per_pair),
            "preferences_count": len(pair[here]),
            "workers": distinct(worker[here][known]) or None,
            "units": _units(worker[here], unit[here]),
            "min_per_pair": per_pair.min(),
            "median_per_pair": np.median(per_pair),
            "max_per_pair": per_pair.max(),
            "ties": np.count_nonzero(strength[here] == 0),
            "with_sides": np.count_nonzero(sides[here]),
            "left": np.count_nonzero(sides[here] & (strength[here] < 0)),
            "repeated": len(by_worker) - distinct(by_worker),
            "contradictory": _both_ways(pair[here], of_pair[here]),
            "self_contradictory": _both_ways(by_worker, of_pair[here][known]),
        }


def _by_topic(kind: str, sets: Iterable[CollectedSet], rows_of: Callable) -> pa.Table:
    """A row for each topic of the sets of a kind."""
    parts = []
    for data in sets:
        if data.kind != kind:
            continue
        topic = codes(data.table, "topic")
        order = np.argsort(topic, kind="stable")
        table, starts = data.table.take(pa.array(order)), group_starts(topic[order])
        rows = list(rows_of(table, map(slice, starts, [*starts[1:], len(table)])))
        columns = {key: [row[key] for row in rows] for key in (rows[0] if rows else ())}
        columns |= {kind: [data.name] * len(rows)} | names_at(table, starts, "topic")
        parts.append(table_of(f"audit/{kind}", **columns))
    return stacked(f"audit/{kind}", parts)


def _pairs(preferences: pa.Table) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Topic, the two documents in one order whichever was left, and whether that turned them."""
    both = pa.chunked_array([*preferences["left"].chunks, *preferences["right"].chunks])
    left, right = np.split(encode(both)[1], 2)
    first, second = np.minimum(left, right), np.maximum(left, right)
    return codes(preferences, "topic"), first, second, left > right


def _both_ways(group: np.ndarray, strength: np.ndarray) -> int:
    """How many groups hold a strength below and one above 0."""
    below, above = np.unique(group[strength < 0]), np.unique(group[strength > 0])
    return len(np.intersect1d(below, above, assume_unique=True))


def facts_of_set(data: CollectedSet, audits: Mapping[str, pa.Table]) -> list[Fact]:
    """What a reader wants to know of a set; `audits` are what the audits of sets gave."""

    def of_set(table: pa.Table, column: str) -> pa.Table:
        return table.filter(pc.equal(table[column].cast(pa.string()), data.name))

    of_kind = {"judgments": _facts_of_judgments, "preferences": _facts_of_preferences}
    if data.kind == "qrels":
        facts = _facts_of_qrels(data.table)
    else:
        facts = of_kind[data.kind](of_set(audits[data.kind], data.kind), data.table)
    counts = _value_counts(data)[1]
    used, n = np.count_nonzero(counts), len(data.table)
    if data.scale is not None and data.scale.finite:
        facts.append(("values of the scale that are used", used, len(counts)))
    else:
        facts.append(("distinct values", used, None))
    facts.append(("rows with the most frequent value", counts.max(initial=0), n))
    if data.kind != "qrels" and len(audit := of_set(audits["workers"], "set")):
        single = pc.sum(pc.equal(audit["distinct"], 1)).as_py()
        facts += [
            ("workers who gave one value only", single, len(audit)),
            ("rows of the busiest worker", pc.max(audit["rows"]).as_py(), _sum(audit, "rows")),
        ]
    kept = {why: count for why, count in data.left_out.items() if why.endswith(AS_ZERO)}
    lost = {why: count for why, count in data.left_out.items() if why not in kept}
    facts += [(why, count, n) for why, count in kept.items()]
    read = n + sum(lost.values())
    return facts + [(LEFT_OUT + why, count, read) for why, count in lost.items()]


def junk_warning(grades: np.ndarray) -> str:
    """Of labels with grades below 0 that count as TREC's junk; empty where none do."""
    below = grades[grades < 0]
    if not below.size or not np.isin(below, JUNK).all():
        return ""
    listed = " and ".join(f"{value:g}" for value in np.unique(below))
    counted = f"{below.size:,} of {grades.size:,} grades are {listed}"
    return f"{counted}: they count as TREC's junk, without a gain"


def _facts_of_qrels(qrels: pa.Table) -> list[Fact]:
    grade = qrels["grade"].to_numpy()
    count = len(topics(qrels))
    relevant = np.count_nonzero(grade > 0)
    return [
        ("topics", count, None),
        ("judged documents", len(qrels), None),
        ("judged documents per topic, mean", len(qrels) / max(count, 1), None),
        ("relevant documents (grade above 0)", relevant, len(qrels)),
        ("relevant documents per topic, mean", relevant / max(count, 1), None),
        ("highest grade", grade.max() if len(grade) else 0, None),
    ]


def _facts_of_judgments(audit: pa.Table, judgments: pa.Table) -> list[Fact]:
    documents, count = _sum(audit, "documents"), len(judgments)
    return [
        ("topics", len(audit), None),
        ("documents", documents, None),
        ("judgments", count, None),
        ("workers", distinct(codes(judgments, "worker")), None),
        *_fact_of_units(audit),
        ("judgments per document, mean", count / documents, None),
        ("judgments per document, fewest", pc.min(audit["min_per_document"]).as_py(), None),
        ("judgments per document, most", pc.max(audit["max_per_document"]).as_py(), None),
        (
            "judgments that repeat one of the same worker and document",
            _sum(audit, "repeated"),
            count,
        ),
    ]


def _facts_of_preferences(audit: pa.Table, preferences: pa.Table) -> list[Fact]:
    pairs, count = _sum(audit, "pairs"), len(preferences)
    worker = codes(preferences, "worker")
    sides = _sum(audit, "with_sides")
    named = worker[worker >= 0]
    return [
        ("topics", len(audit), None),
        ("documents", _sum(audit, "documents"), None),
        ("pairs of documents", pairs, None),
        ("preferences", count, None),
        *([("workers", distinct(named), None)] if len(named) else []),
        *_fact_of_units(audit),
        ("preferences per pair, mean", count / pairs, None),
        ("preferences per pair, fewest", pc.min(audit["min_per_pair"]).as_py(), None),
        ("preferences per pair, most", pc.max(audit["max_per_pair"]).as_py(), None),
        ("ties", _sum(audit, "ties"), count),
        *([("preferences for the left document", _sum(audit, "left"), sides)] if sides else []),
        ("preferences without a known worker", count - len(named), count),
        ("preferences that repeat a pair of the same worker", _sum(audit, "repeated"), len(named)),
        ("pairs with preferences both ways", _sum(audit, "contradictory"), pairs),
        ("pairs that one worker prefers both ways", _sum(audit, "self_contradictory"), pairs),
    ]


def _fact_of_units(audit: pa.Table) -> list[Fact]:
    if audit["units"].null_count == len(audit):
        return []
    return [("units (a worker's HIT for a topic)", _sum(audit, "units"), None)]


def _sum(table: pa.Table, column: str) -> int:
    return pc.sum(table[column]).as_py() or 0


def _groups(*columns: np.ndarray) -> np.ndarray:
    """One number for each row, the same where all columns are."""
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        # numbered anew after each column, so that the product of a few cannot overflow
        key = key * (column.max(initial=0) + 1) + column
        key = np.unique(key, return_inverse=True)[1]
    return key


def _units(worker: np.ndarray, unit: np.ndarray) -> int | None:
    in_unit = unit >= 0
    return distinct(worker[in_unit], unit[in_unit]) or None
