"""The workflow on a cluster: a Slurm of one node, by both plugins, with a job that is lost."""

import subprocess
import time

import pytest

from tests.workflow import slurm
from tests.workflow.conftest import configured, made

pytestmark = pytest.mark.workflow

# a small sweep: crowd judgments cut by two methods, ties, tables and figures of three studies
SWEEP = {
    "runs": {
        "simulate": {"topics": 3, "systems": 6, "depth": 20, "documents": 80} | {"pool_depth": 10}
    },
    "qrels": {"TR2": {"levels": 2}, "So4": {"simulate": {}, "levels": 4}},
    "judgments": {"S11": {"simulate": {"workers": 60}, "levels": 11}},
    "simulation": {"seed": 3, "workers_per_document": 4},
    "measures": ["AP", "nDCG@10"],
    "transformations": [
        {"source": "S11", "levels": 2, "references": ["TR2"], "methods": ["d2_at", "tw1"]},
        {"source": "S11", "levels": 4, "references": ["So4"], "methods": ["d2_at"]},
    ],
    "compare": {"pairs": [["TR2", "So4"]], "resamples": 10, "splits": 5},
    "studies": {
        "han2019": {
            "table-2": {},
            "table-4": {},
            "figure-tau": {},
            "figure-3": {"transformation": "S11-to-2", "panels": ["d2_at@TR2", "tw1"]},
        },
        "compare": {
            name: {"pair": "TR2-and-So4"}
            for name in ("table-labels", "table-rankings", "figure-systems", "figure-confusion")
        },
    },
}
SETTINGS = ["--latency-wait=2", "--default-resources", "mem_mb=500", "runtime=5"]
SETTINGS += ["--seconds-between-status-checks=2"]  # not 10, for jobs of a few seconds
MOST = 900
"""Seconds that a run may take."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    reason = slurm.why_not()
    if reason:
        pytest.skip(reason)
    with slurm.running(tmp_path_factory.mktemp("slurm")) as problem:
        if problem:
            pytest.skip(problem)
        yield


@pytest.fixture(scope="module")
def local(house, tmp_path_factory):
    """The sweep on this machine: its files, and how many jobs it had."""
    directory = configured(tmp_path_factory.mktemp("local"), "sweep", SWEEP)
    ran = house.snakemake(directory).well()
    return made(directory), sum(ran.jobs.values())


@pytest.mark.parametrize("profile", ["slurm", "cluster-generic"])
def test_a_sweep_that_loses_a_job_ends_with_the_same_files(
    house, local, cluster, tmp_path, profile
):
    files, jobs = local
    directory = configured(tmp_path, "sweep", SWEEP)
    known = set(slurm.jobs())
    folder = str(house.root / "workflow" / "profiles" / profile)
    command = house.command(directory, "--workflow-profile", folder, *SETTINGS)
    with (tmp_path / "printed").open("w+") as printed:
        process = subprocess.Popen(
            command, env=house.environment(), cwd=directory, stdout=printed, stderr=printed
        )
        try:
            lost = lose_one(process, known)
            status = process.wait(MOST)
        finally:
            process.kill()
        printed.seek(0)
        said = printed.read()
    assert status == 0, said
    states = {job: state for job, state in slurm.jobs().items() if job not in known}
    assert states.pop(lost) == "CANCELLED"
    assert set(states.values()) == {"COMPLETED"}
    assert len(states) < jobs / 2  # small jobs went together
    assert made(directory) == files


def lose_one(process: subprocess.Popen, known: set[str]) -> str:
    """Cancel the first job that runs; its number."""
    end = time.monotonic() + MOST
    while time.monotonic() < end and process.poll() is None:
        running = [j for j, state in slurm.jobs().items() if j not in known and state == "RUNNING"]
        if running:
            slurm.cancel(running[0])
            return running[0]
        time.sleep(0.1)
    raise AssertionError("no job ran")
