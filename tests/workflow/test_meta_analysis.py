"""An effect over several collections of one call: its tables, its page, refusals."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml

import regrade

pytestmark = pytest.mark.workflow

DOCUMENTS = "abcdef"
FEW = {"measures": ["nDCG@10"], "resamples": 30}


def write_collection(folder, seed):
    """Runs, people's labels and two judges' of twelve topics; its options."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(seed)
    people = {(f"{seed}{t:02}", d): int(rng.integers(0, 3)) for t in range(12) for d in DOCUMENTS}
    for name, wrong in (("people", 0.0), ("near", 0.1), ("far", 0.7)):
        lines = [
            f"{t} 0 {d} {int(rng.integers(0, 3)) if rng.random() < wrong else grade}"
            for (t, d), grade in people.items()
        ]
        (folder / f"{name}.qrels").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for noise in range(4):
        lines = []
        for topic in dict.fromkeys(t for t, _ in people):
            scores = {d: people[topic, d] + rng.normal(0, 0.5 + noise) for d in DOCUMENTS}
            for rank, d in enumerate(sorted(scores, key=scores.get, reverse=True), 1):
                lines.append(f"{topic} Q0 {d} {rank} {9 - rank} s{noise}")
        (folder / f"s{noise}.run").write_text("\n".join(lines) + "\n", encoding="utf-8")
    names = ("people", "near", "far")
    qrels = {name: {"file": str(folder / f"{name}.qrels"), "levels": 3} for name in names}
    judges = [{"reference": "people", "sets": ["near", "far"], **FEW}]
    (folder / "families.txt").write_text("s0 good\ns1 good\ns2 bad\n", encoding="utf-8")
    return {
        "runs": str(folder / "*.run"),
        "families": str(folder / "families.txt"),
        "qrels": qrels,
        "judges": judges,
        "favour": [{"reference": "people", "sets": ["near", "far"], "draws": 100}],
        "replace": [{"reference": "people", "judge": one, "resamples": 30} for one in names[1:]],
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two collections, and one that analyses both."""
    folder = tmp_path_factory.mktemp("effects")
    collections = {name: write_collection(folder / name, n) for n, name in enumerate("xy", 1)}
    items = [
        {"of": "judges", "collections": ["x", "y"]},
        {"name": "scores", "collections": ["x", "y"], "effect": "score_difference"},
        {"of": "favour", "collections": ["x", "y"], "effect": "all_systems"},
        {"of": "replace", "item": "far", "collections": ["x", "y"]},
    ]
    collections["both"] = {"title": "Both", "meta_analysis": items}
    write(folder, {"collection": "both", "collections": collections})
    return folder


def write(folder, config):
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")


@pytest.fixture(scope="module")
def made(house, folder):
    """What the page of both needs."""
    ran = house.snakemake(folder, "results/both/report.html").well()
    assert ran.jobs["judge_judges"] == 2 and ran.jobs["report"] == 1
    return folder / "results"


@pytest.mark.parametrize(
    ("item", "of", "effect"),
    [
        ("judges", "judges/people", "tau"),
        ("scores", "judges/people", "score_difference"),
        ("favour", "favour/people", "all_systems"),
        ("replace", "replace/far", "lines"),
    ],
)
def test_tables_are_those_of_the_library(made, item, of, effect):
    question = of.partition("/")[0]
    tables = {name: made / name / of for name in "xy"}
    found = regrade.meta_analysis(tables, of=question, effect=effect)
    for name in ("overall", "effects", "ranking"):
        theirs = pq.read_table(made / "both" / "meta_analysis" / item / f"{name}.parquet")
        pd.testing.assert_frame_equal(
            theirs.to_pandas(), found.to_frame(name), check_dtype=False, check_categorical=False
        )


def test_one_page_has_the_forest(made):
    page = (made / "both" / "report.html").read_text(encoding="utf-8")
    assert "Does an effect hold over several collections?" in page
    for name in ("judges", "scores", "favour", "replace"):
        assert f'id="answer-meta-analysis-{name}"' in page
    assert "population of collections" in page and "within margin" in page
    assert "Runs and sets" not in page  # of collections with data


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"collections": ["x", "q"]}, "there is no collection 'q'"),
        ({"collections": ["x", "both"]}, "both does not ask for `judges`: add it there"),
        ({"collections": ["x"], "item": "NIST"}, "there is no item of `judges` in x 'NIST'"),
        ({"collections": ["x"], "of": "judge"}, "there is no key with effects 'judge'"),
        ({"collections": ["x"], "effect": "rank"}, "there is no effect of judges 'rank'"),
    ],
)
def test_what_does_not_fit_is_refused(house, folder, tmp_path, changed, said):
    config = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))
    config["collections"]["both"]["meta_analysis"] = [changed]
    write(tmp_path, config)
    ran = house.snakemake(tmp_path, "-n")
    assert ran.status and said in ran.printed
