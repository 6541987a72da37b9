"""What is said at the front door: of targets that nobody asked for, and of jobs that failed."""

import pytest

from regrade.errors import FAILED
from regrade.workflow.collection import Collection
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import ConfigError, complete
from regrade.workflow.messages import check_targets, failures
from regrade.workflow.targets import asked_for

COLLECTION = {
    "runs": {"simulate": {}},
    "qrels": {"TR2": {"levels": 2}},
    "ties": {"qrels": "TR2"},
    "studies": {"yang2019": {"table-3.2": {}}},
}


@pytest.fixture(scope="module")
def own() -> dict[str, Collection]:
    """A collection that asks for one table, by its name."""
    config = complete(
        {"collection": "own", "collections": {"own": COLLECTION, "other": COLLECTION}}
    )
    return {"own": read_collection("own", config)}


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (
            "results/own/tables/yang2019/table-3.3.csv",
            "config: collections.own.studies.yang2019: table-3.3 is not asked for: add it there",
        ),
        ("results/own/figures/yang2019/figure-4.1.png", "figure-4.1 is not asked for"),
        (
            "./results/own/tables/yang2019/table-3.22.md",
            "collections.own.studies.yang2019: there is no table-3.22; did you mean 'table-3.2'?",
        ),
        ("han2019", "collections.own.studies.han2019: asks for none of its tables and figures"),
        (
            "results/other/report.html",
            "config: results/other/report.html: there is no collection 'other'; there is own",
        ),
    ],
)
def test_targets_that_are_not_asked_for(own, target, said):
    with pytest.raises(ConfigError) as caught:
        check_targets(own, ["--cores", "2", target])
    assert said in str(caught.value)


def test_targets_that_are_asked_for_and_words_that_are_no_targets(own):
    check_targets(
        own,
        [
            "yang2019",
            "score",
            "results/own/tables/yang2019/table-3.2.csv",
            "results/own/tables/yang2019/table-published.md",
            "results/all/scores.parquet",
            "results/own/scores/TR2.parquet",
            "--config",
            "data=results",
            "results",
        ],
    )


def failed(folder, rule: str, logged: str | None) -> str:
    """What Snakemake logs of a failed job, whose own log is written."""
    path = folder / f"{rule}.log"
    if logged is not None:
        path.write_text(logged, encoding="utf-8")
    return f"""Error in rule {rule}:
    message: None
    jobid: 5
    input: data/qrels.txt
    log: {path} (check log file(s) for error details)
"""


def test_each_failed_job_is_told_by_its_own_message(tmp_path):
    log = tmp_path / "snakemake.log"
    bad = "10:00:00 reading 3\n10:00:01 collect_qrels: qrels.txt:3: grade 7\nqrels.txt:4: grade 8\n"
    fault = "10:00:02 score: an error in regrade itself\nTraceback (most recent call last):\n"
    fault += '  File "x.py", line 1\nZeroDivisionError: division by zero\n'
    killed = "10:00:03 reading 129 runs\n"
    texts = {"collect_qrels": bad, "score": fault, "collect_runs": killed, "audit": None}
    log.write_text("".join(failed(tmp_path, rule, text) for rule, text in texts.items()))
    ended = "ended without a message, as where memory, time or the disk ran out (mem_mb, runtime)"
    assert failures([log]) == [
        FAILED,
        "collect_qrels: qrels.txt:3: grade 7",
        "qrels.txt:4: grade 8",
        f"see {tmp_path / 'collect_qrels.log'}",
        "score: an error in regrade itself",
        "ZeroDivisionError: division by zero",
        f"see {tmp_path / 'score.log'}",
        f"collect_runs: {ended}",
        f"see {tmp_path / 'collect_runs.log'}",
        f"audit: {ended}",
        f"see {tmp_path / 'audit.log'}",
    ]


def test_what_several_jobs_say_alike_is_told_once(tmp_path):
    folders = [tmp_path / str(n) for n in range(6)]
    log = tmp_path / "snakemake.log"
    for folder in folders:
        folder.mkdir()
    said = "10:00:00 score: no topic\nAdd one.\n"
    log.write_text("".join(failed(folder, "score", said) for folder in folders * 2))
    first_five = ", ".join(str(folder / "score.log") for folder in folders[:5])
    assert failures([log]) == [
        FAILED,
        "score: no topic",
        "Add one.",
        f"see {first_five}, …",
    ]


def test_nothing_is_said_where_no_job_failed(tmp_path):
    log = tmp_path / "snakemake.log"
    log.write_text("Finished jobid: 3 (Rule: collect_runs)\n")
    assert failures([log, tmp_path / "none"]) == []


@pytest.mark.parametrize(
    ("line", "targets"),
    [
        ("--cores 2 results/a/b.png all", ["all", "results/a/b.png"]),
        ("--report results/reports/demo.zip", []),
        ("--archive results/a/all.tar.gz yang2019 --cores 1", ["yang2019"]),
        ("--cleanup-metadata results/a/b results/c/d", []),
        ("--cores 1 -- results/a/b", ["results/a/b"]),
        ("--config collection=b --cores 1 results/b/c", ["results/b/c"]),
        ("--of=another --program results/a/b", ["results/a/b"]),
        ("--cores", []),
    ],
)
def test_what_snakemake_is_asked_for(line, targets):
    assert asked_for(line.split()) == targets
