"""Where a job fails: what does not need it is made, and shown; then the mended run goes on."""

import pytest
import yaml
from click.testing import CliRunner

from regrade.command.app import app
from regrade.command.workflow import GO_ON
from tests.unit.test_show_report import Page
from tests.workflow.conftest import configured
from tests.workflow.test_input import write_qrels, write_runs

pytestmark = pytest.mark.workflow

ASKED = {
    "runs": "runs/*",
    "qrels": {"N": {"file": "n.qrels", "levels": 4}},
    "measures": ["nDCG@10"],
    "ranking": [{"qrels": "N"}],
    "studies": {"ranking": {"table-systems": {"ranking": "N"}}},
}
FAILS = {"pools": {"qrels": "N", "measures": ["nDCG@10", "RBP(p=0.98)"], "baseline": 90}}


@pytest.fixture
def files(tmp_path):
    """A folder of runs and labels."""
    write_runs(tmp_path / "runs")
    write_qrels(tmp_path / "n.qrels")
    return tmp_path


@pytest.fixture
def run(files, monkeypatch):
    """`regrade run` of a collection in the folder, with more keys than `ASKED`."""
    monkeypatch.chdir(files)

    def ran(more, *words):
        held = {"collection": "own", "collections": {"own": {**ASKED, **more}}}
        (files / "mine.yaml").write_text(yaml.safe_dump(held))
        return CliRunner().invoke(app, ["run", "mine.yaml", "--cores", "2", *words])

    return ran


def answers(page) -> set[str]:
    cards = [one["id"] for one in page.of("article") if one.get("class") == "answer"]
    return {*cards}


@pytest.mark.slow
def test_the_page_is_made_of_the_rest_and_made_anew_when_all_is_there(run, tmp_path):
    page = tmp_path / "results" / "own" / "report.html"
    deep = {"depths": [5, 90]}
    done = run({"pools": {**FAILS["pools"], **deep}})
    assert done.exit_code == 1
    *_, message, log, rest = done.stderr.splitlines()
    assert message.startswith("pool_sizes: no system is judged as deep as `pools.baseline` asks")
    assert log == "see results/own/logs/pool_sizes.log"
    assert (tmp_path / log.removeprefix("see ")).is_file()
    assert rest == f"results/own/report.html shows the rest; {GO_ON}"
    shown = Page(page.read_text("utf-8"))
    assert answers(shown) == {"answer-ranking-N"}
    assert message in shown.text
    assert "answer pool" in shown.text
    assert "ranking-table-systems" in {one.get("id") for one in shown.of("article")}

    shallow = {"baseline": 4, "depths": [2, 4], "contributors": "all"}
    done = run({"pools": {**FAILS["pools"], **shallow}})
    assert done.exit_code == 0, done.stderr
    shown = Page(page.read_text("utf-8"))
    assert answers(shown) == {"answer-ranking-N", "answer-pool"}
    assert message not in shown.text

    # of what is there from before, but not of this configuration, nothing is shown
    done = run({"pools": {**FAILS["pools"], **deep}})
    assert done.exit_code == 1
    assert answers(Page(page.read_text("utf-8"))) == {"answer-ranking-N"}

    # without what failed the page is whole
    assert run({}).exit_code == 0
    shown = Page(page.read_text("utf-8"))
    assert answers(shown) == {"answer-ranking-N"}
    assert message not in shown.text


@pytest.mark.slow
def test_without_what_was_read_there_is_no_page(run, tmp_path):
    with (tmp_path / "n.qrels").open("a") as file:
        file.write("401 0 D0\n")
    done = run({})
    assert done.exit_code == 1
    assert "n.qrels:34: " in done.stderr
    end = f"what does not need that is made, but no page; {GO_ON}"
    assert done.stderr.splitlines()[-1] == end
    assert not (tmp_path / "results" / "own" / "report.html").exists()
    assert (tmp_path / "results" / "own" / "tables" / "runs.parquet").is_file()


def test_a_file_that_is_refused_is_refused_the_next_time(house, files):
    """Though what was made of it before is there, and Snakemake knows its content by now."""
    configured(files, "own", ASKED)
    asked = "results/own/scores/N.parquet", "--keep-going"
    house.snakemake(files, *asked).well()
    with (files / "n.qrels").open("a") as file:
        file.write("401 0 D0\n")
    for _ in range(2):
        ran = house.snakemake(files, *asked)
        assert ran.status == 1
        assert "n.qrels:34: " in ran.printed


@pytest.mark.slow
def test_of_what_was_asked_for_no_page_is_made(run, tmp_path):
    done = run(FAILS, "results/own/pools/sizes.parquet", "results/own/ranking/N/answer.parquet")
    assert done.exit_code == 1
    end = f"what does not need that is made; {GO_ON}"
    assert done.stderr.splitlines()[-1] == end
    assert (tmp_path / "results" / "own" / "ranking" / "N" / "answer.parquet").is_file()
    assert not (tmp_path / "results" / "own" / "report.html").exists()
