"""The workflow on a cluster, with a job that is lost: a Slurm of one node, by two plugins, and a
Grid Engine of one node, by DRMAA.
"""

import subprocess
import time
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.workflow import gridengine, slurm
from tests.workflow.conftest import configured, made

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

# as few submissions as hold every kind of group (labels are scored, a model's values are cut,
# tables and figures are drawn) and jobs of their own beside them
SWEEP = {
    "runs": "runs/*",
    "qrels": {"TR2": {"file": "labels.qrels", "levels": 2}},
    "judgments": {"S11": {"file": "values.qrels", "format": "trec", "levels": 11}},
    "measures": ["AP", "nDCG@10"],
    "transformations": [
        {"source": "S11", "levels": 2, "references": ["TR2"], "methods": ["d2_at", "d2_ta"]}
    ],
    "studies": {
        "han2019": {
            "table-2": {},
            "table-4": {},
            "figure-tau": {},
            "figure-3": {"transformation": "S11-to-2", "panels": ["d2_at@TR2", "d2_ta@TR2"]},
        },
    },
}
DOCUMENTS = range(20)


def swept(directory: Path) -> Path:
    """A directory with the sweep's configuration and files."""
    rng = np.random.default_rng(3)
    (directory / "runs").mkdir(parents=True)
    runs = {f"s{system}": [] for system in range(4)}
    labels, values = [], []
    for topic in (401, 402, 403):
        true = rng.random(len(DOCUMENTS))
        labels += [f"{topic} 0 d{d} {int(true[d] > 0.6)}\n" for d in DOCUMENTS]
        seen = np.clip(np.round(10 * true + rng.normal(0, 2, len(true))), 0, 10)
        values += [f"{topic} 0 d{d} {seen[d]:.0f}\n" for d in DOCUMENTS]
        for number, lines in enumerate(runs.values()):
            scores = true + rng.normal(0, 0.1 + number / 4, len(true))
            order = np.argsort(-scores)
            lines += [f"{topic} Q0 d{d} {i} {scores[d]} s{number}\n" for i, d in enumerate(order)]
    (directory / "labels.qrels").write_text("".join(labels))
    (directory / "values.qrels").write_text("".join(values))
    for name, lines in runs.items():
        (directory / "runs" / name).write_text("".join(lines))
    return configured(directory, "sweep", SWEEP)


SETTINGS = ["--latency-wait=2", "--default-resources", "mem_mb=500", "runtime=60"]
SETTINGS += ["--seconds-between-status-checks=2"]  # not 10, for jobs of a few seconds
MOST = 3600
"""Seconds that a run may take on a busy machine."""


SCHEDULERS = {"slurm": slurm, "cluster-generic": slurm, "drmaa": gridengine}
"""What each profile submits to."""


@pytest.fixture(scope="module")
def cluster(request, tmp_path_factory):
    """A scheduler that runs; which one, the test's parameters say."""
    reason = request.param.why_not()
    if reason:
        pytest.skip(reason)
    with request.param.running(tmp_path_factory.mktemp("cluster")) as problem:
        if problem:
            pytest.skip(problem)
        yield request.param


@pytest.fixture(scope="module")
def local(house, tmp_path_factory):
    """The sweep on this machine: its files, and how many jobs it had."""
    directory = swept(tmp_path_factory.mktemp("local"))
    ran = house.snakemake(directory).well()
    return made(directory), sum(ran.jobs.values())


@pytest.mark.parametrize(
    ("cluster", "profile"),
    [(scheduler, profile) for profile, scheduler in SCHEDULERS.items()],
    indirect=["cluster"],
    ids=SCHEDULERS,
)
def test_a_sweep_that_loses_a_job_ends_with_the_same_files(
    house, local, cluster, tmp_path, profile
):
    files, jobs = local
    directory = swept(tmp_path)
    known = set(cluster.jobs())
    folder = str(house.root / "workflow" / "profiles" / profile)
    command = house.command(directory, "--workflow-profile", folder, *SETTINGS)
    with (tmp_path / "printed").open("w+") as printed:
        process = subprocess.Popen(
            command, env=house.environment(), cwd=directory, stdout=printed, stderr=printed
        )
        try:
            lost = lose_one(cluster, process, known)
            status = process.wait(MOST)
        finally:
            process.kill()
        printed.seek(0)
        said = printed.read()
    assert status == 0, said
    states = {job: state for job, state in cluster.jobs().items() if job not in known}
    assert states.pop(lost) == "CANCELLED"
    assert set(states.values()) == {"COMPLETED"}
    # small jobs went together; what draws the answers is of no group, which would tie all together
    assert len(states) - 1 < jobs / 2
    assert made(directory) == files


def lose_one(cluster: ModuleType, process: subprocess.Popen, known: set[str]) -> str:
    """Cancel the first job that runs, or the next where it ended before; its number."""
    end = time.monotonic() + MOST
    cancelled: list[str] = []
    while time.monotonic() < end and process.poll() is None:
        states = cluster.jobs()
        lost = [job for job in cancelled if states.get(job) == "CANCELLED"]
        if lost:
            return lost[0]
        new = [job for job in states if job not in known and job not in cancelled]
        running = [job for job in new if states[job] == "RUNNING"]
        if running and all(states.get(job) == "COMPLETED" for job in cancelled):
            cancelled.append(running[0])
            cluster.cancel(running[0])
        time.sleep(0.1)
    raise AssertionError("no job was lost")
