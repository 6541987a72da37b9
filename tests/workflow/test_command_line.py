"""What a command line of Snakemake's names: its targets are checked, other paths are not."""

import pytest

from tests.workflow import forked
from tests.workflow.conftest import configured
from tests.workflow.test_input import write_qrels, write_runs

pytestmark = pytest.mark.workflow

SCORES = "results/own/scores/N.parquet"
INCLUDED = """include: {snakefile}
rule own:
    input: "results/own/scores/N.parquet"
    output: "results/mine/own.txt"
    shell: "cd results && mkdir -p mine && touch mine/own.txt"
"""


@pytest.fixture(scope="module")
def done(house, tmp_path_factory):
    """A directory with the scores of a small collection, beside which there is another one."""
    directory = tmp_path_factory.mktemp("line")
    write_runs(directory / "runs")
    write_qrels(directory / "n.qrels")
    qrels = {"N": {"file": "n.qrels", "levels": 4}}
    configured(directory, "own", {"runs": "runs/*", "qrels": qrels, "measures": ["nDCG@10"]})
    with (directory / "config.yaml").open("a") as file:
        file.write("  other: {runs: runs/*, qrels: {}}\n")
    house.snakemake(directory, SCORES).well()
    return directory


def test_what_is_known_of_a_file_is_forgotten(house, done):
    house.snakemake(done, "--cleanup-metadata", SCORES).well()
    house.snakemake(done, "--force", SCORES).well()


@pytest.mark.slow
def test_a_report_and_an_archive_lie_where_they_are_asked_for(house, done):
    """Below another collection's results too."""
    (done / "results" / "other").mkdir()
    house.snakemake(done, "all").well()
    house.snakemake(done, "--report", "results/other/page.zip").well()
    assert (done / "results" / "other" / "page.zip").is_file()
    ran = house.snakemake(done, "--archive", "results/other/own.tar.gz", SCORES)
    made = (done / "results" / "other" / "own.tar.gz").is_file()
    assert made or "Is conda installed" in ran.printed  # what an archive needs


def test_a_target_that_nothing_asks_for_is_refused(house, done):
    ran = house.snakemake(done, "--dry-run", "results/owl/report.html")
    assert ran.status == 1
    assert "there is no collection 'owl'; did you mean 'own'?" in ran.printed
    ran = house.snakemake(done, "--dry-run", "han2019")
    assert "studies.han2019: requests none of its tables and figures" in ran.printed


def test_what_is_set_of_a_rule_that_is_none_is_refused(house, done):
    for option, value in (("--set-threads", "=2"), ("--set-resources", ":mem_mb=5")):
        ran = house.snakemake(done, "--dry-run", option, f"score_qrel{value}")
        assert ran.status == 1
        assert f"{option}: score_qrel is no rule; did you mean 'score_qrels'?" in ran.printed


def test_rules_of_a_host_that_includes_the_workflow_are_its_own(house, done):
    text = INCLUDED.format(snakefile=repr(str(house.root / "Snakefile")))
    (done / "Snakefile").write_text(text, encoding="utf-8")
    arguments = ["results/mine/own.txt", "--set-threads", "own=1", "--workflow-profile", "none"]
    asked = house.asked(done, *arguments)
    asked[1] = str(done / "Snakefile")
    status, printed = forked.snakemake(asked, done, house.environment(), house.server)
    assert status == 0, printed
    assert (done / "results" / "mine" / "own.txt").is_file()
