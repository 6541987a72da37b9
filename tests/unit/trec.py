"""Small collections for tests, and the real TREC-8 read once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa

from regrade.audit.rankings import audit_judged
from regrade.catalogue.arrow import SCHEMAS
from regrade.pools.pooling import deeply_judged
from regrade.readers import read_qrels, read_runs
from regrade.readers.groups import read_groups, read_pool_origins
from regrade.run_arrays import Judged, RankedLists


def table(schema, rows) -> pa.Table:
    fields = SCHEMAS[schema]
    columns = list(zip(*rows, strict=True)) if rows else [[] for _ in fields]
    arrays = [pa.array(c, field.type) for c, field in zip(columns, fields, strict=True)]
    return pa.table(arrays, schema=fields)


def runs_table(runs) -> pa.Table:
    """Of ``{system: {topic: [(docno, score), …]}}``."""
    return table(
        "runs",
        [
            (system, topic, rank, docno, float(score), rank, rank)
            for system in sorted(runs)
            for topic in sorted(runs[system])
            for rank, (docno, score) in enumerate(runs[system][topic], start=1)
        ],
    )


def qrels_table(qrels) -> pa.Table:
    """Of ``{topic: {docno: grade}}``."""
    return table("qrels", [(t, d, float(g)) for t in qrels for d, g in qrels[t].items()])


def judged_lists(runs, qrels) -> tuple[RankedLists, Judged]:
    """Of ``{system: {topic: [docno, …]}}``, each document scored less than the one above."""
    scored = {
        system: {t: [(docno, -rank) for rank, docno in enumerate(of, 1)] for t, of in lists.items()}
        for system, lists in runs.items()
    }
    ranked = RankedLists.from_table(runs_table(scored))
    return ranked, Judged.from_table(qrels_table(qrels), ranked)


def random_collection(seed, *, systems=5, topics=3, documents=12, longest=8, levels=3):
    """Runs and qrels as dictionaries; rankings differ in length, some are missing, scores tie."""
    rng = np.random.default_rng(seed)
    docnos = np.array([f"d{i:02d}" for i in range(documents)])
    runs = {f"s{s}": {} for s in range(systems)}
    for run in runs.values():
        for t in range(topics):
            chosen = rng.permutation(docnos)[: rng.integers(0, longest + 1)].tolist()
            scores = -np.sort(-rng.integers(0, 6, len(chosen)) * 0.7 + 0.3)
            if chosen:
                run[f"t{t}"] = list(zip(chosen, scores.tolist(), strict=True))
    runs["s0"]["t0"] = [("d00", 2.0), ("d01", 1.0)]  # there is something
    qrels = {
        f"t{t}": {str(d): int(rng.integers(levels)) for d in docnos if rng.random() < 0.7}
        for t in range(topics)
    }
    qrels["t0"]["d00"] = 1
    return runs, {t: grades for t, grades in qrels.items() if grades}


@dataclass(frozen=True)
class Collection:
    runs: pa.Table
    qrels: pa.Table
    ranked: RankedLists
    judged: Judged

    @classmethod
    def of(cls, runs: pa.Table, qrels: pa.Table):
        ranked = RankedLists.from_table(runs)
        return cls(runs, qrels, ranked, Judged.from_table(qrels, ranked))

    @classmethod
    def small(cls, runs, qrels):
        return cls.of(runs_table(runs), qrels_table(qrels))

    @property
    def scores(self):
        return self.ranked.scores

    def audit(self):
        return audit_judged(self.ranked, {"qrels": self.judged})


def judgments(judged: Judged, ranked: RankedLists):
    """``{(topic, docno): grade}`` of the judged documents that somebody retrieved."""
    topic = np.repeat(judged.topics, np.diff(judged.offsets))
    return {
        (str(t), ranked.docnos[d]): g
        for t, d, g in zip(topic, judged.documents, judged.grades, strict=True)
        if d >= 0
    }


@cache
def trec8(folder: Path, tie_break: str = "rank") -> Collection:
    runs = read_runs(sorted(folder.glob("trec8/runs/*.gz")), tie_break=tie_break, threads=2)
    return Collection.of(runs, read_qrels(folder / "trec8/qrels.gz"))


@cache
def trec8_deep(folder: Path) -> tuple[str, ...]:
    table = deeply_judged(trec8(folder).audit())
    return tuple(table["system"][table["deeply_judged"]].astype(str))


@cache
def trec8_groups(folder: Path):
    return read_groups(folder / "trec8/groups.txt")


@cache
def trec8_origins(folder: Path):
    return read_pool_origins(folder / "trec8/annotated-qrels.gz")
