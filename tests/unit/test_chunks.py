"""Stages that go through a collection by chunks of topics write the same bytes for any chunk."""

import logging
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from regrade.audit.rankings import audit_runs
from regrade.catalogue import tables_of
from regrade.codes import CodedRuns, write_qrels, write_runs
from regrade.pools.pooling import Pooling, deeply_judged, pool_facts, pool_sizes
from regrade.simulation import CollectionParameters, simulate_collection
from regrade.tables import write_table
from regrade.tied_scores.effects import tie_rates
from tests.unit.test_codes import topic_rankings
from tests.unit.trec import Collection

SCRIPTS = Path(__file__).parents[2] / "workflow" / "scripts"
MEASURES = ["AP", "nDCG", "ERR@20", "RBP(p=0.98)", "Rprec", "RR"]
POOLED = {"contributors": "deep", "max_grade": 1}
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
    "rank_criteria": (
        {"measure": "nDCG@5", "depth": 5, "ties": "expected", "weight": 0.5, "steps": 2}
        | {"max_grades": {"TR2": 1, "again": 1}},
        ["coverage", "systems", "rankings", "weights", "desiderata"],
    ),
    "tie_rates": ({"score_precision": "float64"}, None),
    "tie_ranges": (
        POOLED | {"measures": ["AP"], "score_precision": "float64", "unjudged": "relevant"},
        ["ranges", "ranks", "numbers", "answer"],
    ),
    "banded_scores": (
        {
            "rho": ["1.1", "2"],
            "measures": ["RR", "AP"],
            "fractions": [0.99],
            "systems": 5,
            "significance": 0.05,
            "max_grade": 1,
        },
        ["scores", "non_inferiority", "non_inferior", "p_values", "quadrants"],
    ),
    "deep_systems": ({"qrels": "TR2", "depth": 5}, ["systems", "facts"]),
    "pool_sizes": (
        POOLED | {"depths": [10, 3], "fused": [FUSED], "votes": [10]},
        ["sizes", "facts", "votes"],
    ),
    "reduce_qrels": (POOLED | {"depth": "5"}, None),
    "pool_scores": (
        POOLED | {"measures": MEASURES, "ancova": {"depths": [3, 10], "at_depth": None}},
        ["scores", "depths", "answer"],
    ),
    "leave_one_out": (
        {"options": LEFT_OUT, "max_grade": 1},
        ["systems", "left_out", "summary", "numbers", "answer"],
    ),
    "rbp_curves": (
        {"depths": [2, 50], "measures": ["AP", "nDCG"], "max_grade": 1},
        ["curves", "tau"],
    ),
    "nearest_phi": (
        POOLED | {"measures": ["AP"], "rbo_p": 0.9},
        ["nearest", "summary"],
    ),
    "exact_ranges": (
        {
            "measures": ["AP", "nDCG"],
            "residual": "RBP(p=0.98)",
            "levels": [0, 1],
            "outside": "none",
        },
        ["ranges", "systems", "pairs", "ranks", "numbers", "answer"],
    ),
    "rank_runs": (
        {"measures": MEASURES, "seed": 1, "max_grades": [1]},
        [path.partition("/")[2] for path in tables_of("ranking")],
    ),
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
    inputs |= {"groups": [], "origins": [], "others": [given / "coded"]}
    inputs |= {"rates": given / "rates", "facts": given / "facts"}
    if script == "rank_criteria":
        inputs |= {"codes": [given / "coded"] * 2, "qrels": [given / "qrels"] * 2}
    if script == "rank_runs":
        inputs |= {"qrels": [given / "coded"]}
    if script == "audit":
        inputs |= {"qrels": [given / "qrels"], "judged": [given / "coded"]}
        inputs |= {"judgments": [], "preferences": []}
    made = {name: folder / name for name in outputs or ["table"]}
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


@pytest.mark.parametrize("script", STAGES)
def test_chunks_change_nothing(script, given, tmp_path, monkeypatch):
    params, outputs = STAGES[script]
    chunks = []
    monkeypatch.setattr(
        CodedRuns, "ranked",
        lambda self, topics=None, read=CodedRuns.ranked, **columns: (
            chunks.append(topics), read(self, topics, **columns)
        )[1],
    )  # fmt: skip
    (tmp_path / "one").mkdir()
    whole = run(script, given, params, outputs, tmp_path, 4000, monkeypatch)
    assert len(chunks) == 1
    by_topic = run(script, given, params, outputs, tmp_path / "one", 0, monkeypatch)
    assert len(chunks) in (1 + 7, 1 + 8) and {len(topics) for topics in chunks[1:]} == {1}
    assert {name: found == whole[name] for name, found in by_topic.items()} == dict.fromkeys(
        whole, True
    )


def test_the_stages_above_are_all_that_read_by_chunks():
    reading = {p.stem for p in SCRIPTS.glob("*.py") if "chunk_bytes(snakemake)" in p.read_text()}
    assert reading - {"job"} == set(STAGES)
