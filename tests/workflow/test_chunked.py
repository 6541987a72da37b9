"""A transformation whose topics are shared out to several jobs: the same results, other jobs."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from regrade.table_files import TableFile
from tests.unit.judgments import random_judgments, random_labels
from tests.workflow.conftest import configured, made, planned

pytestmark = pytest.mark.workflow

NAME = "S11-to-3"
TARGETS = (
    "cuts",
    f"results/c/cuts/{NAME}/answer.parquet",
    f"results/c/cuts/{NAME}/internal.parquet",
)


def folder(root: Path, chunks: int) -> Path:
    """A directory with sliders, labels of a crowd and an expert's; the transformation in chunks."""
    sliders = random_judgments(1, topics=7, levels=11)
    crowd = random_judgments(2, topics=7, levels=3)
    labels = random_labels(3, sliders, 3).to_pandas().astype({"grade": int})
    for name, table in (("S11", sliders), ("S3", crowd)):
        rows = table.drop_columns(["back", "failed"]).to_pandas()
        rows.to_csv(root.parent / f"{name}.tsv", sep="\t", index=False)
    labels.assign(zero=0)[["topic", "zero", "docno", "grade"]].to_csv(
        root.parent / "E.qrels", sep=" ", header=False, index=False
    )
    collection = {
        "title": "Chunks",
        "qrels": {"E": {"file": str(root.parent / "E.qrels"), "levels": 3}},
        "judgments": {
            name: {"file": str(root.parent / f"{name}.tsv"), "levels": levels}
            for name, levels in (("S11", 11), ("S3", 3))
        },
        "transformations": [
            {"source": "S11", "levels": 3, "references": ["E", "S3"], "chunks": chunks}
        ],
    }
    return configured(root, "c", collection)


def test_chunks_are_jobs(house, tmp_path):
    one, many = folder(tmp_path / "one", 1), folder(tmp_path / "many", 3)
    whole, shared = (Counter(planned(house, of, *TARGETS)) for of in (one, many))
    assert whole - shared == {"search_cuts": 1}
    assert shared - whole == {"label_references": 1, "search_chunk": 3, "join_chunks": 1}


@pytest.mark.slow
def test_chunks_do_not_show(house, tmp_path):
    one, many = folder(tmp_path / "one", 1), folder(tmp_path / "many", 3)
    for directory in (one, many):
        house.snakemake(directory, *TARGETS).well()
    assert made(many).keys() == made(one).keys()  # the parts are gone
    differing = {path for path, own in made(many).items() if made(one)[path] != own}
    for path in differing:  # other jobs made it, of other tables: the content is the same
        of_many, of_one = (TableFile.read(folder / "results" / path) for folder in (many, one))
        assert {of_many.code, *of_many.inputs} != {of_one.code, *of_one.inputs}
        assert replace(of_many, path="", code="", inputs={}) == replace(
            of_one, path="", code="", inputs={}
        )
    assert any(path.endswith("d2_at@S3/alpha.parquet") for path in made(one))


@pytest.mark.slow
def test_another_number_of_chunks_searches_again(house, tmp_path):
    directory = folder(tmp_path / "some", 2)
    house.snakemake(directory, *TARGETS).well()
    assert planned(house, directory, *TARGETS) == {}
    before = made(directory)
    config = directory / "config.yaml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace("chunks: 2", "chunks: 9"), encoding="utf-8")
    ran = house.snakemake(directory, *TARGETS).well()
    assert ran.jobs["search_chunk"] == 9  # two have no topic
    assert made(directory) == before


def test_what_is_set_of_a_rule_holds_for_jobs_that_make_other_files(house, tmp_path):
    """Without references there are other searches, whose files a rule with a number makes."""
    directory = tmp_path / "shapes"
    folder(directory, 1)
    path = directory / "config.yaml"
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    config["collections"]["c"]["transformations"].append({"source": "S11", "levels": 2})
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    settings = "--set-resources", "search_cuts:mem_mb=1234", "--set-threads", "search_cuts=1"
    ran = house.snakemake(directory, "--dry-run", "cuts", *settings).well()
    assert ran.jobs["search_cuts"] == 2
    assert "rule search_cuts_2:" in ran.printed
    assert sum("mem_mb=1234" in resources for resources in ran.field("resources")) == 2
