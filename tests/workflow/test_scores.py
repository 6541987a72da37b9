"""A collection of scores by item alone: collected, ranked, compared, on the page."""

import numpy as np
import pandas as pd
import pytest

import regrade
from regrade.answers.shape import Answer
from regrade.tables import read_provenance
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import ConfigError, complete
from tests.unit.test_score_doors import frame
from tests.workflow.conftest import configured

pytestmark = pytest.mark.workflow

JUDGES = ("human", "gpt", "llama")
SETS = {
    "tests": {"file": "scores.csv", "lower": ["seconds"], "missing": "drop"},
    **{
        name: {"file": "judged.csv", "where": {"judge": name}} for name in ("human", "gpt", "llama")
    },
}
ASKED = {
    "title": "Scores",
    "scores": SETS,
    "ranking": [{"scores": "tests", "measures": ["accuracy", "seconds"], "draws": 200}],
    "system_pairs": [{"scores": "tests", "first": "s00", "second": "s01"}],
    "topic_analysis": [{"scores": "human"}],
    "compare": {"pairs": [["human", "gpt"]], "resamples": 50, "splits": 10},
    "judges": [{"reference": "human", "sets": ["gpt", "llama"], "resamples": 50}],
    "studies": {"ranking": {"figure-datasets": {"ranking": "tests"}}},
}


@pytest.fixture(scope="module")
def folder(house, tmp_path_factory):
    directory = configured(tmp_path_factory.mktemp("scores"), "own", ASKED)
    scores = frame(measures=("accuracy", "seconds"))
    scores["dataset"] = np.where(scores["topic"].str[-1].isin([*"02468"]), "even", "odd")
    scores.drop(index=[3]).to_csv(directory / "scores.csv", index=False)
    judged = [frame(seed=n, noise=n, judge=name) for n, name in enumerate(JUDGES)]
    pd.concat(judged).to_csv(directory / "judged.csv", index=False)
    house.snakemake(directory).well()
    return directory


def table(folder, path):
    return pd.read_parquet(folder / "results" / "own" / f"{path}.parquet")


def test_a_collection_without_runs_and_labels_is_ranked_and_shown(folder):
    page = (folder / "results" / "own" / "report.html").read_text(encoding="utf-8")
    for said in ("highest mean accuracy", "s00", "is hardest", "τ_b"):
        assert said in page
    assert {*table(folder, "tables/scores/tests")["measure"]} == {"accuracy", "-seconds"}
    for name in ("compare/human-and-gpt/agreement", "judges/human/agreement"):
        assert not (folder / "results" / "own" / f"{name}.parquet").exists()
    drawn = (folder / "results" / "own" / "figures" / "ranking" / "figure-datasets.svg").read_text()
    assert "even" in drawn and "odd" in drawn


def test_the_workflow_gives_what_the_library_gives(folder):
    how = {"lower": ["seconds"], "missing": "drop", "draws": 200}
    scores = str(folder / "scores.csv")
    ranked = regrade.rank(scores, measures="accuracy seconds", **how)
    made = table(folder, "ranking/tests/systems")
    kept = [*ranked.systems.columns]
    pd.testing.assert_frame_equal(
        made[kept].astype({"measure": str, "system": str}),
        ranked.systems.astype({"measure": str, "system": str}),
        check_exact=True,
        check_dtype=False,
    )
    answer = Answer.read(folder / "results" / "own" / "ranking" / "tests" / "answer.parquet")
    assert answer.verdict == ranked.answer.verdict
    assert any("1 of 30 items was dropped" in note for note in answer.notes)
    judged = pd.read_csv(folder / "judged.csv")
    sides = [judged[judged["judge"] == name] for name in ("human", "gpt")]
    compared = regrade.compare(*sides, names=("human", "gpt"), resamples=50, splits=10)
    tau = table(folder, "compare/human-and-gpt/rankings").set_index("quantity").loc["tau", "value"]
    assert tau == compared.rankings.set_index("quantity").loc["tau", "value"]
    judges = regrade.judges("human", judged, resamples=50)
    assert table(folder, "judges/human/ranked")["tau"].tolist() == judges.ranked["tau"].tolist()


def test_a_table_says_how_it_was_read_and_changes_with_its_file(house, folder):
    noted = read_provenance(folder / "results" / "own" / "tables" / "scores" / "gpt.parquet")
    assert {"left_out", "reading"} <= {*noted["parameters"]}
    again = folder / "judged.csv"
    before = again.read_bytes()
    again.write_bytes(before.replace(b"t001", b"t999"))
    jobs = house.snakemake(folder, "--dry-run").well().jobs
    again.write_bytes(before)
    assert jobs["collect_scores"] == 3
    assert not house.snakemake(folder, "--dry-run").well().jobs


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("ranking", [{"scores": "test"}], "there is no set of scores 'test'; did you mean 'tests'"),
        ("ranking", [{"draws": 200}], "give `qrels` or `scores`"),
        ("ranking", [{"scores": "tests", "qrels": "NIST"}], "qrels"),
        ("ranking", [{"qrels": "NIST"}], "the collection has no `runs`"),
        ("topic_analysis", [{"scores": "tests", "second": "NIST"}], "scores by item have none"),
        ("compare", {"pairs": [["human", "NIST"]]}, "name alike"),
        ("judges", [{"reference": "human", "sets": ["NIST"]}], "name alike"),
        ("judges", [{"reference": "human", "sets": ["human"]}], "leave it out"),
        ("scores", {"NIST": {"file": "scores.csv"}}, "names sets of several kinds"),
        ("scores", {"tests": {"columns": {}}}, "`file` must be given"),
    ],
)
def test_what_is_wrong_is_said(key, value, said):
    labels = {"qrels": {"NIST": {"file": "q.txt", "levels": 4}}}
    collection = {**labels, "scores": SETS, key: value}
    with pytest.raises(ConfigError, match=said):
        read_collection("own", complete({"collection": "own", "collections": {"own": collection}}))
