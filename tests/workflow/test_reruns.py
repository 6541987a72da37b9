"""What makes jobs again: other code, files or values; not when or where these were written."""

import os
import shutil
from pathlib import Path

import pytest

from tests.workflow.conftest import configured, made
from tests.workflow.test_input import write_qrels, write_runs

pytestmark = pytest.mark.workflow

CHANGED = "\n\ndef changed():\n    return 1\n"
COLLECTION = {
    "title": "Again",
    "runs": "{data}/runs/*",
    "groups": "{data}/groups.txt",
    "qrels": {"N": {"file": "{data}/n.qrels", "levels": 4}},
    "measures": ["nDCG@10", "RBP(p=0.8)"],
    "ranking": [{"qrels": "N"}],
    "pools": {
        "qrels": "N",
        "measures": ["RBP(p=0.8)"],
        "baseline": 4,
        "depths": [2, 4],
        "contributors": "all",
    },
    "leave_one_out": [{"name": "groups", "by": "group", "pooling": "Depth@4"}],
    "studies": {"ranking": {"table-systems": {"ranking": "N"}}},
}


@pytest.fixture(scope="module")
def done(house, tmp_path_factory) -> Path:
    """A directory with the results of a small collection, whose files lie in a folder of data."""
    directory = tmp_path_factory.mktemp("again")
    data = directory / "data"
    data.mkdir()
    write_runs(data / "runs")
    write_qrels(data / "n.qrels")
    (data / "groups.txt").write_text("first a\nsecond b\nthird b\n")
    configured(directory, "again", COLLECTION)
    house.snakemake(directory, "--config", "data=data").well()
    return directory


def again(house, done, data="data") -> dict[str, int]:
    """The jobs that a run would have now."""
    ran = house.snakemake(done, "--dry-run", "--config", f"data={data}").well()
    return {rule: count for rule, count in ran.jobs.items() if rule not in ("all", "ranking")}


def test_when_a_file_was_written_makes_nothing_again(house, done):
    scripts = sorted((house.root / "workflow" / "scripts").glob("*.py"))
    results = sorted((done / "results").rglob("*.parquet"))
    results += sorted((done / "results").rglob("*.arrow"))
    for files in (scripts, [*(done / "data").rglob("*")], results):
        assert files
        for path in files:
            os.utime(path)
        assert again(house, done) == {}, files


@pytest.mark.slow
def test_where_files_lie_makes_nothing_again(house, done):
    shutil.copytree(done / "data", done / "elsewhere", copy_function=shutil.copyfile)
    newest = max(path.stat().st_mtime for path in (done / "results").rglob("*"))
    assert (done / "elsewhere" / "n.qrels").stat().st_mtime > newest
    before = made(done)
    assert again(house, done, "elsewhere") == {}
    assert again(house, done, str(done / "elsewhere")) == {}
    assert house.snakemake(done, "--config", "data=elsewhere").well().jobs == {}
    assert made(done) == before
    assert again(house, done) == {}


@pytest.mark.parametrize(
    ("file", "reader"),
    [
        ("runs/third.txt", "collect_runs"),
        ("n.qrels", "collect_qrels"),
        ("groups.txt", "leave_one_out"),
    ],
)
def test_other_content_makes_again_what_read_it(house, done, tmp_path, file, reader):
    """Though it is older, as a copy of a backup is."""
    shutil.copytree(done / "data", tmp_path / "data")
    path = tmp_path / "data" / file
    path.write_text(path.read_text().replace("\n", " \n", 1))
    os.utime(path, (0, 0))
    assert again(house, done, str(tmp_path / "data"))[reader] == 1


@pytest.mark.parametrize(
    "path", ["workflow/scripts/collect_runs.py", "src/regrade/workflow/job.py"]
)
def test_what_code_says_of_itself_makes_nothing_again(house, done, path):
    file = house.root / path
    before = file.read_bytes()
    text = before.decode()
    first = text.index('"""') + 3
    try:
        file.write_text(f"{text[:first]}Otherwise: {text[first:]}\n\n# a comment\n")
        assert again(house, done) == {}
        file.write_text(text + CHANGED)
        assert again(house, done)["collect_runs"] == 1
    finally:
        file.write_bytes(before)


def test_another_caption_makes_the_page_again(house, done):
    """Which is a file of the project, and no user's."""
    with house.edited("workflow/report/ranking/table-systems.rst"):
        assert again(house, done) == {"report": 1}
