"""The embedded demo: real judgments from the clone, every study, few jobs."""

import re

import pytest
import yaml

from regrade.studies.registry import STUDIES
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import complete
from tests.pages import PROJECT, blocks, commands
from tests.workflow.conftest import planned

pytestmark = pytest.mark.workflow

MOST_JOBS = 75
"""About what two cores make in a minute."""


@pytest.fixture(scope="module")
def demo(house):
    text = (house.root / "config" / "config.yaml").read_text(encoding="utf-8")
    return read_collection("demo", complete(yaml.safe_load(text)))


def test_the_demo_needs_no_data_and_few_jobs(house, tmp_path):
    jobs = planned(house, tmp_path)
    assert sum(jobs.values()) <= MOST_JOBS
    assert {name.partition("_")[0] for name in jobs} >= STUDIES.keys()


def test_only_what_no_real_data_have_is_simulated(demo):
    assert demo.notes == "Simulated, not real: runs, answers."
    notes = {f"{shown.study.name} {shown.item.name}": shown.notes for shown in demo.requested_items}
    real = {name for name, note in notes.items() if "Simulated" not in note}
    assert {"han2019 figure-6", "compare table-labels", "turpin2015 figure-1"} <= real
    assert all("runs" in notes[name] for name in ("yang2019 figure-ranges", "han2019 table-4"))
    assert "answers" in notes["yang2019 figure-5.5"]


def test_what_is_shipped_is_small_and_has_its_licence(house):
    files = {path.name: path for path in (house.root / "data" / "demo").iterdir()}
    assert set(files) == {
        "llmjudge-human.qrels.gz",
        "llmjudge.LICENSE",
        "llmjudge.tsv.gz",
        "uc3m2011.LICENSE",
        "uc3m2011.tsv.gz",
    }
    assert sum(path.stat().st_size for path in files.values()) < 250_000
    said = (house.root / "data" / "README.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in said for name in files)


@pytest.mark.slow
def test_pages_read_what_the_demo_makes(house, tmp_path, monkeypatch):
    """The Python of the guide and of results/README, with the tables that it names."""
    pages = [PROJECT / "docs" / "guide.md", PROJECT / "results" / "README.md"]
    code = [block for page in pages for block in blocks(page, "python") if "results/demo" in block]
    assert len(code) == 4
    named = {path for block in code for path in re.findall(r"results/demo/[\w./-]+", block)}
    house.snakemake(tmp_path, *named).well()
    monkeypatch.chdir(tmp_path)
    for block in code:
        exec(compile(block, "page", "exec"), {})


def test_targets_of_the_guide_can_be_made(house, tmp_path):
    typed = [
        words for words in commands(PROJECT / "docs" / "guide.md") if "--configfile" not in words
    ]
    targets = [word for words in typed for word in words if word.startswith("results/demo/")]
    assert len(targets) == 3
    assert planned(house, tmp_path, *targets)
