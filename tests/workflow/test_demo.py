"""The embedded demo: real judgments from the clone, every study, few jobs."""

import pytest
import yaml

from regrade.studies.registry import STUDIES
from tests.workflow.conftest import planned
from workflow.collection import Collection
from workflow.config import complete

pytestmark = pytest.mark.workflow

MOST_JOBS = 70
"""About what two cores make in a minute."""


@pytest.fixture(scope="module")
def demo(house):
    text = (house.root / "config" / "config.yaml").read_text(encoding="utf-8")
    return Collection("demo", complete(yaml.safe_load(text)))


def test_the_demo_needs_no_data_and_few_jobs(house, tmp_path):
    jobs = planned(house, tmp_path)
    assert sum(jobs.values()) <= MOST_JOBS
    assert {name.partition("_")[0] for name in jobs} >= STUDIES.keys()


def test_only_what_no_real_data_have_is_simulated(demo):
    assert demo.notes == "Simulated, not real: runs, answers."
    notes = {f"{shown.study.name} {shown.item.name}": shown.notes for shown in demo.shown}
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
