"""The workflow as a module of another one, from a folder or a git address: its rules run, and its
configuration is checked.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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
        cwd=folder, capture_output=True, text=True, timeout=300, check=False,
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
