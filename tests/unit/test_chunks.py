"""Stages that go through a collection by chunks of topics write the same bytes for any chunk."""

import inspect
import logging
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from regrade.audit.rankings import audit_runs
from regrade.catalogue import tables_of
from regrade.codes import CodedRuns, write_qrels, write_runs
from regrade.pools.pooling import Pooling, deeply_judged, pool_facts, pool_sizes
from regrade.simulation.collection import CollectionParameters, simulate_collection
from regrade.stages.registry import stages
from regrade.tables import write_table
from regrade.tied_scores.effects import tie_rates
from tests.unit.test_codes import topic_rankings
from tests.unit.trec import Collection

SCRIPTS = Path(__file__).parents[2] / "workflow" / "scripts"
MEASURES = ["AP", "nDCG", "ERR@20", "RBP(p=0.98)", "Rprec", "RR"]
POOLED = {"contributors": "deep", "depths": [10, 3]}
FUSED = "CombMNZ@20"
LEFT_OUT = {"by": "run", "pooling": FUSED, "measures": ["AP", "RBP"], "significance": 0.05}

STAGES = {
    "score_qrels": (
        {
            "measures": [*MEASURES, "NLRE(second='again')@5"],
            "left_out": {},
            "max_grade": 1,
            "max_grades": {"again": 1},
        },
        None,
    ),
    "reduce_qrels": ({"contributors": "deep", "depth": "5"}, None),
    "audit": (
        {
            "sets": {"qrels": {"TR2": {"levels": 2}}, "judgments": {}, "preferences": {}},
            "score_precision": "float64",
            "measures": MEASURES,
            "notes": "",
        },
        [
            *("runs", "judged", "judgments", "preferences", "values", "workers"),
            *("summary", "warnings", "csv", "md"),
        ],
    ),
}  # fmt: skip
"""Scripts of their own: what they are told, and what they make."""

TR2 = {"name": "TR2", "kind": "qrels", "scale": {"levels": 2}}
JOBS = {
    "rank_criteria": (
        "criteria",
        {"measure": "nDCG@5", "steps": 2},
        {"set": TR2, "others": [TR2 | {"name": "again"}]},
    ),
    "deep_systems": ("pools", {"baseline": 5}, {"qrels": TR2}),
    "pool_sizes": ("pools", POOLED | {"fused": [FUSED], "votes": [10]}, {"qrels": TR2}),
    "pool_scores": ("pools", POOLED | {"measures": MEASURES}, {"qrels": TR2}),
    "leave_one_out": ("leave_one_out", LEFT_OUT, {"qrels": TR2}),
    "tie_rates": ("ties", {"score_precision": "float64"}, {}),
    "tie_ranges": (
        "ties",
        {"ranges": ["AP"], "score_precision": "float64", "unjudged": "relevant"},
        {"qrels": TR2},
    ),
    "banded_scores": (
        "ties",
        {"rho": ["1.1", "2"], "measures": ["RR", "AP"], "systems": 5, "significance": 0.05},
        {"qrels": TR2},
    ),
    "rbp_curves": ("residuals", {"measures": ["AP", "nDCG"]}, {"qrels": TR2}),
    "nearest_phi": ("residuals", {"nearest": ["AP"]}, {"qrels": TR2}),
    "exact_ranges": (
        "ranges",
        {"measures": ["AP", "nDCG"], "residual": "RBP(p=0.98)"},
        {"qrels": TR2},
    ),
    "compare_two": (
        "system_pairs",
        {"measures": MEASURES, "first": "group01v1", "second": "group02v1", "test": "t"}
        | {"correction": "holm", "permutations": 1000, "margin": None, "seed": 1},
        {"qrels": TR2},
    ),
    "analyse_topics": (
        "topic_analysis",
        {"measures": MEASURES, "between": ["group01v1", "group02v1"], "metric": "ordinal"}
        | {"depth": 10},
        {"qrels": TR2, "second": TR2 | {"name": "again"}},
    ),
    "rank_runs": (
        "ranking",
        {"measures": MEASURES, "draws": 1000, "top": 5, "splits": 100, "seed": 1},
        {"qrels": TR2, "judges": []},
    ),
}
"""Jobs of declared stages: the stage, their options, the sets that they read."""


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """A small collection as files: eight topics, one of them not judged."""
    folder = tmp_path_factory.mktemp("collection")
    made = simulate_collection(CollectionParameters(topics=8, systems=12, depth=40, documents=90))
    collection = Collection.of(
        made.runs, made.qrels.filter([t != "404" for t in made.qrels["topic"].to_pylist()])
    )
    deep = deeply_judged(collection.audit(), 5)
    assert 2 < deep["deeply_judged"].sum() < 12
    write_runs(folder / "runs", collection.ranked.systems, topic_rankings(collection.ranked))
    write_qrels(folder / "coded", collection.qrels, CodedRuns(folder / "runs"))
    write_table(collection.qrels, folder / "qrels", "qrels")
    write_table(deep, folder / "deep", "pools/deeply_judged")
    write_table(tie_rates(audit_runs(collection.ranked)), folder / "rates", "ties/rates")
    ways = [Pooling("Depth", depth=depth) for depth in range(1, 41)]
    facts = pool_facts(pool_sizes(collection.ranked, collection.judged, ways), 12)
    write_table(facts, folder / "facts", "pools/facts")
    return folder


class Named(dict):
    """Inputs, outputs or parameters, by name as an attribute and by position."""

    def __getattr__(self, name):
        return self.get(name)

    def __getitem__(self, key):
        return self.get(key) if isinstance(key, str) else [*self.values()][key]


def run(script, given, params, outputs, folder, mem_mb, monkeypatch):
    """Run a script as Snakemake would, with so much memory; the bytes of what it writes."""
    inputs = {"runs": given / "runs", "qrels": given / "coded", "deep": given / "deep"}
    inputs |= {"others": [given / "coded"]}
    if script == "audit":
        inputs |= {"qrels": [given / "qrels"], "judged": [given / "coded"]}
        inputs |= {"judgments": [], "preferences": []}
    made = {name: folder / name for name in outputs or ["table"]}
    return started(script, inputs, params, made, folder, mem_mb, monkeypatch)


def run_job(name, given, folder, mem_mb, monkeypatch):
    """The same of a job of a declared stage."""
    key, options, sets = JOBS[name]
    asked = {"stage": key, "job": name, "options": options, "sets": sets}
    asked |= {"design": {"sets": [], "several": False, "measures": None}}
    asked |= {"further": {"contributors": "deep", "ancova": [3, 10]}}
    inputs = {"runs": str(given / "runs"), "deeply_judged": str(given / "deep")}
    inputs |= {name: str(given / name) for name in ("rates", "facts")}
    for field, of in sets.items():
        files = [str(given / "qrels"), str(given / "coded")]
        several = [[file] * len(of) for file in files] if isinstance(of, list) else files
        inputs |= dict(zip((field, f"{field}_codes"), several, strict=True))
    made = {
        path.partition("/")[2]: folder / path.partition("/")[2]
        for tables in stages()[key].tables
        for path in tables_of(tables.name)
        if stages()[key].jobs[name].is_maker(tables.name, path)
    }
    return started("stage", inputs, {"request": asked}, made, folder, mem_mb, monkeypatch)


def started(script, inputs, params, made, folder, mem_mb, monkeypatch):
    """Run a script; the bytes of what it makes, by name."""
    snakemake = SimpleNamespace(
        input=Named(inputs),
        output=Named(made),
        params=Named(params),
        resources=SimpleNamespace(mem_mb=mem_mb),
        log=["results/c/logs/of.log"],
        threads=2,
        rule=script,
    )
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(SCRIPTS)
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)
    runpy.run_path(SCRIPTS / f"{script}.py", {"snakemake": snakemake})
    return {name: path.read_bytes() for name, path in made.items()}


@pytest.mark.parametrize("job", [*STAGES, *JOBS])
def test_chunks_change_nothing(job, given, tmp_path, monkeypatch):
    def bytes_of(folder, mem_mb):
        if job in JOBS:
            return run_job(job, given, folder, mem_mb, monkeypatch)
        return run(job, given, *STAGES[job], folder, mem_mb, monkeypatch)

    chunks = []
    monkeypatch.setattr(
        CodedRuns, "ranked",
        lambda self, topics=None, read=CodedRuns.ranked, **columns: (
            chunks.append(topics), read(self, topics, **columns)
        )[1],
    )  # fmt: skip
    (tmp_path / "one").mkdir()
    whole = bytes_of(tmp_path, 4000)
    assert len(chunks) == 1
    by_topic = bytes_of(tmp_path / "one", 0)
    assert len(chunks) in (1 + 7, 1 + 8) and {len(topics) for topics in chunks[1:]} == {1}
    assert {name: table == whole[name] for name, table in by_topic.items()} == dict.fromkeys(
        whole, True
    )


def test_the_jobs_above_are_all_that_read_by_chunks():
    reading = {p.stem for p in SCRIPTS.glob("*.py") if "chunk_bytes(snakemake)" in p.read_text()}
    assert reading == set(STAGES)
    jobs = (job for stage in stages().values() for job in stage.jobs.values())
    reading = {
        job.name
        for job in jobs
        if re.search(r"data\.(chunks\(|chunk_bytes)", inspect.getsource(job.function))
    }
    assert reading == set(JOBS)
