"""The workflow as a module of another one, from a folder or a git address: its rules run, and its
configuration is checked.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from regrade.errors import FAILED

ROOT = Path(__file__).parents[2]
CONFIGURATION = """collection: mine
collections:
  mine:
    runs: run.txt
    {key}: {{people: {{file: qrels.txt, levels: 2}}}}
"""
GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A git repository owner/name that holds the workflow, as others have it on a host."""
    folder = tmp_path_factory.mktemp("hosted") / "owner" / "name"
    shutil.copytree(ROOT / "workflow", folder / "workflow")
    shutil.copy(ROOT / "Snakefile", folder)
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "all"]):
        subprocess.run([*GIT, *command], cwd=folder, check=True)
    return folder


def run(folder, snakefile, key="qrels", environment=None):
    """Run a host whose own package is called `workflow`, with the workflow as its module."""
    (folder / "workflow").mkdir()
    (folder / "workflow" / "__init__.py").write_text("OWN = 'of the host'\n", encoding="utf-8")
    host = f"""import sys
sys.path.insert(0, "{folder}")
from workflow import OWN
configfile: "mine.yaml"
module regrade:
    snakefile: {snakefile}
    config: config
use rule * from regrade
rule own:
    input: "results/mine/scores/people.parquet"
    output: "results/other/own.txt"
    run:
        open(output[0], "w").write(OWN)
"""
    (folder / "Snakefile").write_text(host, encoding="utf-8")
    (folder / "mine.yaml").write_text(CONFIGURATION.format(key=key), encoding="utf-8")
    (folder / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 a 0\n2 0 b 1\n", encoding="utf-8")
    run = "1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n2 Q0 a 1 2 r\n2 Q0 b 2 1 r\n"
    (folder / "run.txt").write_text(run, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "1", "results/other/own.txt"],
        cwd=folder, capture_output=True, text=True, timeout=3600, check=False,
        env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), **(environment or {})},
    )  # fmt: skip


def made(done, folder):
    """Whether it made what both the host and the module were asked for."""
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "results" / "other" / "own.txt").read_text(encoding="utf-8") == "of the host"
    return (folder / "results" / "mine" / "scores" / "people.parquet").is_file()


@pytest.mark.slow
def test_the_rules_of_the_module_run(tmp_path):
    assert made(run(tmp_path, repr(str(ROOT / "Snakefile"))), tmp_path)


@pytest.mark.slow
def test_the_module_comes_from_github(tmp_path, repository):
    """Of which git is told that it lies in a folder.

    By ``git+file:`` Snakemake 9.27 makes no workflow that has scripts: it joins no path to theirs.
    """
    named = 'github("owner/name", path="workflow/Snakefile", branch="main")'
    elsewhere = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{repository.parents[1]}/.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/",
        "GITHUB_TOKEN": "",
    }
    assert made(run(tmp_path, named, environment=elsewhere), tmp_path)


def test_the_configuration_of_the_module_is_checked(tmp_path):
    done = run(tmp_path, repr(str(ROOT / "Snakefile")), key="qrelz")
    assert done.returncode == 1
    assert "unknown key 'qrelz'; did you mean 'qrels'?" in done.stdout + done.stderr


HOST = """
onstart:
    shell("touch started")
onerror:
    shell("touch failed")
{modules}
rule own:
    input: {inputs}
    output: "results/other/own.txt"
    shell: "cd results && mkdir -p other && cat missing | touch other/own.txt"
"""
MODULE = """
module {name}:
    snakefile: {snakefile}
    config: {{**config, "collection": "{name}"}}
use rule * from {name} as {name}_*
"""


@pytest.fixture
def host(tmp_path):
    """Runs a host of two modules, one for each collection, and rules of its own."""
    snakefile = repr(str(ROOT / "Snakefile"))
    modules = "".join(MODULE.format(name=name, snakefile=snakefile) for name in ("first", "second"))
    inputs = ", ".join(f'"results/{name}/scores/people.parquet"' for name in ("first", "second"))
    text = 'configfile: "mine.yaml"\n' + HOST.format(modules=modules, inputs=inputs)
    (tmp_path / "Snakefile").write_text(text, encoding="utf-8")
    collections = {
        name: {"runs": "run.txt", "qrels": {"people": {"file": f"{name}.txt", "levels": 2}}}
        for name in ("first", "second")
    }
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump({"collections": collections}))
    run = "1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n2 Q0 a 1 2 r\n2 Q0 b 2 1 r\n"
    (tmp_path / "run.txt").write_text(run, encoding="utf-8")
    for name in ("first", "second"):
        (tmp_path / f"{name}.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 a 0\n2 0 b 1\n")

    def ran(house, *arguments):
        command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
        how = {"capture_output": True, "text": True, "timeout": 3600, "check": False}
        return subprocess.run(command, cwd=tmp_path, env=house.environment(), **how)

    return ran


@pytest.mark.slow
def test_jobs_of_modules_are_forked_and_those_of_the_host_are_its_own(house, host, tmp_path):
    done = host(house, "results/other/own.txt", "-p")
    assert done.returncode == 1  # `set -o pipefail` of Snakemake's, whose rule it is
    assert "Error in rule own" in done.stderr
    assert (tmp_path / "started").is_file()
    assert (tmp_path / "failed").is_file()
    for name in ("first", "second"):
        assert (tmp_path / "results" / name / "scores" / "people.parquet").is_file()
    assert FAILED not in done.stderr


@pytest.mark.slow
def test_what_failed_in_a_module_is_told_at_the_end(house, host, tmp_path):
    with (tmp_path / "second.txt").open("a") as file:
        file.write("1 0 a\n")
    done = host(house, "results/other/own.txt", "--keep-going")
    assert done.returncode == 1
    told = done.stderr[done.stderr.index(FAILED) :].splitlines()
    assert told[1].startswith("second_collect_qrels: second.txt:5: ")
    assert "see results/second/logs/collect_qrels/people.log" in told
    assert "regrade/workflow/forked.py" in done.stderr[: done.stderr.index(FAILED)]
    assert (tmp_path / "failed").is_file()
    assert (tmp_path / "results" / "first" / "scores" / "people.parquet").is_file()


@pytest.mark.slow
def test_what_is_set_of_a_rule_that_is_none_is_refused_when_the_first_job_starts(house, host):
    path = "results/first/tables/qrels/people.parquet"
    done = host(house, path, "--set-threads", "second_collect_qrel=2")
    assert done.returncode == 1
    assert "second_collect_qrel is no rule; did you mean 'second_collect_qrels'?" in done.stderr
    assert host(house, path, "--set-threads", "second_collect_qrels=2", "own=2").returncode == 0
