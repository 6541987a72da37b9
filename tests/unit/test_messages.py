"""What is said at the front door: of targets that nobody asked for, and of jobs that failed."""

import pytest

from regrade.errors import FAILED
from regrade.workflow.collection import Collection
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import ConfigError, complete
from regrade.workflow.messages import check_targets, failures
from regrade.workflow.targets import targets_of_command

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
            "config: collections.own.studies.yang2019: table-3.3 is not requested: add it there",
        ),
        ("results/own/figures/yang2019/figure-4.1.png", "figure-4.1 is not requested"),
        (
            "./results/own/tables/yang2019/table-3.22.md",
            "collections.own.studies.yang2019: there is no table-3.22; did you mean 'table-3.2'?",
        ),
        ("han2019", "collections.own.studies.han2019: requests none of its tables and figures"),
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


def log_of(folder, rule: str):
    """Where a job's own log lies."""
    return folder / "results" / "own" / "logs" / f"{rule}.log"


def failed(folder, rule: str, logged: str | None) -> str:
    """What Snakemake logs of a failed job, whose own log is written."""
    path = log_of(folder, rule)
    path.parent.mkdir(parents=True, exist_ok=True)
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
        f"see {log_of(tmp_path, 'collect_qrels')}",
        "score: an error in regrade itself",
        "ZeroDivisionError: division by zero",
        f"see {log_of(tmp_path, 'score')}",
        f"collect_runs: {ended}",
        f"see {log_of(tmp_path, 'collect_runs')}",
        f"audit: {ended}",
        f"see {log_of(tmp_path, 'audit')}",
    ]


def test_what_several_jobs_say_alike_is_told_once(tmp_path):
    folders = [tmp_path / str(n) for n in range(6)]
    log = tmp_path / "snakemake.log"
    for folder in folders:
        folder.mkdir()
    said = "10:00:00 score: no topic\nAdd one.\n"
    log.write_text("".join(failed(folder, "score", said) for folder in folders * 2))
    first_five = ", ".join(str(log_of(folder, "score")) for folder in folders[:5])
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


ON_SLURM = """[Sat Nov 28 01:38:25 2026]
Error in rule {rule}:
    message: SLURM-job '3' failed, SLURM status is: 'FAILED'.
    jobid: 5
    input: labels.qrels (cached)
    output: results/own/tables/qrels/TR2.parquet
    log: {log}, /there/.snakemake/slurm_logs/3.log (check log file(s) for error details)
    external_jobid: 3
Finished jobid: 6 (Rule: collect_judgments)
"""
IN_A_GROUP = """[Sat Nov 28 01:38:25 2026]
    message: SLURM-job '4' failed, SLURM status is: 'CANCELLED'.
    log: /there/.snakemake/slurm_logs/4.log (check log file(s) for error details)
    jobs:
        rule {first}:
            jobid: 3
            output: results/own/a.parquet
            log: {first_log} (check log file(s) for error details)
        rule {second}:
            jobid: 4
            log: {second_log} (check log file(s) for error details)
    [Sat Nov 28 01:38:25 2026]
    Error in rule {first}:
        message: None
        jobid: 3
        log: {first_log} (check log file(s) for error details)
    [Sat Nov 28 01:38:25 2026]
    Error in rule {second}:
        jobid: 4
        log: {second_log} (check log file(s) for error details)
"""


def test_the_log_of_the_cluster_is_named_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed(tmp_path, "score", "10:00:00 score: no topic\n")
    log, log_file = tmp_path / "snakemake.log", log_of(tmp_path, "score")
    log.write_text(ON_SLURM.format(rule="score", log=log_file))
    cluster = "/there/.snakemake/slurm_logs/3.log"
    assert failures([log]) == [FAILED, "score: no topic", f"see {log_file}, {cluster}"]

    # of another scheduler by its number, where the profile has it written
    log.write_text(ON_SLURM.format(rule="score", log=log_file).replace(f", {cluster}", ""))
    assert failures([log])[-1] == f"see {log_file}"
    (tmp_path / ".snakemake").mkdir()
    (tmp_path / ".snakemake" / "cluster-3.log").touch()
    assert failures([log])[-1] == f"see {log_file}, .snakemake/cluster-3.log"


@pytest.mark.parametrize("others", ["", ON_SLURM])
def test_of_a_group_those_are_told_that_say_something(tmp_path, others):
    failed(tmp_path, "search", "10:00:00 searched: 12 cuts\n")
    failed(tmp_path, "rank", "10:00:00 rank: no topic\n")
    names = {"first": "search", "second": "rank"}
    logs = {f"{key}_log": log_of(tmp_path, rule) for key, rule in names.items()}
    log = tmp_path / "snakemake.log"
    before = others.format(rule="hosts", log="logs/hosts.log")
    log.write_text(before + IN_A_GROUP.format(**names, **logs))
    cluster = "/there/.snakemake/slurm_logs/4.log"
    said = [FAILED, "rank: no topic", f"see {logs['second_log']}, {cluster}"]
    assert failures([log]) == said

    logs["second_log"].unlink()
    ended = "ended without a message, as where memory, time or the disk ran out (mem_mb, runtime)"
    assert failures([log]) == [FAILED, f"search, rank: {ended}", f"see {cluster}"]


def test_jobs_of_a_host_are_not_told_of(tmp_path):
    log = tmp_path / "snakemake.log"
    log.write_text(ON_SLURM.format(rule="hosts", log="logs/hosts.log"))
    assert failures([log]) == []


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
    assert targets_of_command(line.split()) == targets
