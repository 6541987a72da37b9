"""The workflow as a module of another one: its rules run, and its configuration is checked."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SNAKEFILE = f"""configfile: "mine.yaml"


module regrade:
    snakefile: "{ROOT}/Snakefile"
    config: config


use rule * from regrade
"""
CONFIGURATION = """collection: mine
collections:
  mine:
    runs: run.txt
    {key}: {{people: {{file: qrels.txt, levels: 2}}}}
"""

pytestmark = pytest.mark.workflow


def run(folder, key):
    (folder / "Snakefile").write_text(SNAKEFILE, encoding="utf-8")
    (folder / "mine.yaml").write_text(CONFIGURATION.format(key=key), encoding="utf-8")
    (folder / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 a 0\n2 0 b 1\n", encoding="utf-8")
    run = "1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n2 Q0 a 1 2 r\n2 Q0 b 2 1 r\n"
    (folder / "run.txt").write_text(run, encoding="utf-8")
    target = "results/mine/scores/people.parquet"
    command = [sys.executable, "-m", "snakemake", "--cores", "1", target]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    ), folder / target


def test_the_rules_of_the_module_run(tmp_path):
    done, made = run(tmp_path, "qrels")
    assert done.returncode == 0, done.stderr
    assert made.is_file()


def test_the_configuration_of_the_module_is_checked(tmp_path):
    done, _ = run(tmp_path, "qrelz")
    assert done.returncode == 1
    assert "unknown key 'qrelz'; did you mean 'qrels'?" in done.stdout + done.stderr
