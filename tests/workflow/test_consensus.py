"""Qrels that are the consensus of others: made as the library makes them, and used as a set."""

import itertools

import numpy as np
import pandas as pd
import pytest
import yaml

import regrade
from regrade.tables import read_provenance, read_table

pytestmark = pytest.mark.workflow

JUDGES = ("a", "b", "c")
SETS = {name: {"file": f"{name}.qrels", "levels": 3} for name in (*JUDGES, "gold")}
JOINT = {
    "vote": {"consensus": [*JUDGES], "levels": 3},
    "mean": {"consensus": [*JUDGES], "by": "mean", "range": [0, 2]},
    "model": {"consensus": "crowd", "by": "dawid-skene", "levels": 3},
    "weighted": {"consensus": [*JUDGES], "by": "weighted", "reference": "gold", "levels": 3},
    "both": {"consensus": ["vote", "weighted"], "levels": 3},
    "mixed": {
        "consensus": ["a", "binary"],
        "by": "mean",
        "rescale": "range",
        "range": [0, 1],
    },
}
ASKED = {
    "title": "Consensus",
    "qrels": {**SETS, "binary": {"file": "binary.qrels", "levels": 2}, **JOINT},
    "judgments": {"crowd": {"file": "crowd.tsv", "unit": None, "levels": 3}},
    "compare": {"pairs": [["gold", "vote"]], "resamples": 20, "splits": 5},
}

OTHER = {
    "title": "The same names, of which other ones are a consensus",
    "qrels": {
        "vote": {"file": "gold.qrels", "levels": 3},
        "b": {"file": "b.qrels", "levels": 3},
        "a": {"consensus": ["vote", "b"], "by": "median_high", "levels": 3},
    },
}


@pytest.fixture(scope="module")
def folder(house, tmp_path_factory):
    directory = tmp_path_factory.mktemp("consensus")
    config = {"collection": "own", "collections": {"own": ASKED, "other": OTHER}}
    (directory / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    random = np.random.default_rng(4)
    documents = [(str(t), f"d{d}") for t, d in itertools.product(range(1, 5), range(12))]
    true = random.integers(0, 3, len(documents))
    rows = []
    for name in (*JUDGES, "gold"):
        right = random.random(len(documents)) < (1 if name == "gold" else 0.7)
        grades = np.where(right, true, random.integers(0, 3, len(documents)))
        lines = [f"{t} 0 {d} {g}" for (t, d), g in zip(documents, grades, strict=True)]
        (directory / f"{name}.qrels").write_text("\n".join(lines) + "\n", encoding="utf-8")
        if name in JUDGES:
            rows += [(t, d, name, g) for (t, d), g in zip(documents, grades, strict=True)]
    lines = [f"{t} 0 {d} {int(g > 0)}" for (t, d), g in zip(documents, true, strict=True)]
    (directory / "binary.qrels").write_text("\n".join(lines) + "\n", encoding="utf-8")
    frame = pd.DataFrame(rows, columns=["topic", "docno", "worker", "value"])
    frame.to_csv(directory / "crowd.tsv", sep="\t", index=False)
    sets = [f"results/own/tables/qrels/{name}.parquet" for name in JOINT]
    others = [f"results/other/tables/qrels/{name}.parquet" for name in ("vote", "a")]
    compared = "results/own/compare/gold-and-vote/confusion.parquet"
    house.snakemake(directory, *sets, *others, compared).well()
    return directory


def labels(folder, name):
    return read_table(folder / f"results/own/tables/qrels/{name}.parquet", "qrels").to_pandas()


def test_the_workflow_makes_what_the_library_makes(folder):
    files = {name: str(folder / f"{name}.qrels") for name in JUDGES}
    crowd = regrade.read_judgments(str(folder / "crowd.tsv"), scale=3)
    made = {
        "vote": regrade.consensus(files, scale=3),
        "mean": regrade.consensus(files, "mean", scale=3),
        "model": regrade.consensus(crowd, "dawid-skene"),
        "weighted": regrade.consensus(
            files, "weighted", scale=3, reference=str(folder / "gold.qrels")
        ),
        "mixed": regrade.consensus(
            {"a": regrade.read_qrels(files["a"], scale=3), "b": str(folder / "binary.qrels")},
            "mean",
            rescale="range",
        ),
    }
    for name, joint in made.items():
        theirs = joint.labels.to_frame()
        pd.testing.assert_frame_equal(
            labels(folder, name).astype({"topic": "str", "docno": "str"}), theirs
        )
        for table in ("documents", "judges", "confusion"):
            path = folder / f"results/own/consensus/{name}/{table}.parquet"
            frame = read_table(path, f"consensus/{table}").to_pandas()
            assert len(frame) == len(getattr(joint, table))
    judges = pd.read_parquet(folder / "results/own/consensus/weighted/judges.parquet")
    expected = made["weighted"].judges["vote_weight"].tolist()
    assert judges["vote_weight"].tolist() == expected


def test_a_consensus_is_used_as_a_set(folder):
    found = regrade.compare(
        str(folder / "gold.qrels"),
        regrade.consensus({name: str(folder / f"{name}.qrels") for name in JUDGES}, scale=3),
        resamples=20,
        splits=5,
    )
    made = pd.read_parquet(folder / "results/own/compare/gold-and-vote/confusion.parquet")
    assert made["documents"].tolist() == found.confusion["documents"].tolist()
    assert (labels(folder, "both")["grade"] <= labels(folder, "vote")["grade"]).all()


def test_collections_that_use_the_same_names_are_told_apart(folder):
    other = pd.read_parquet(folder / "results/other/tables/qrels/a.parquet")
    files = [str(folder / f"{name}.qrels") for name in ("gold", "b")]
    expected = regrade.consensus(files, "median_high", scale=3).documents["grade"]
    assert other["grade"].tolist() == expected.tolist()
    vote = regrade.read_qrels(files[0]).to_frame()["grade"]
    read = pd.read_parquet(folder / "results/other/tables/qrels/vote.parquet")
    assert read["grade"].tolist() == vote.tolist()


def test_a_file_says_of_what_it_is_made(folder):
    held = read_provenance(folder / "results/own/tables/qrels/weighted.parquet")
    assert held["parameters"]["how"] == {"by": "weighted", "reference": "gold", "rescale": "none"}
