"""An installation without a clone: what the wheel holds runs by itself."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder that holds what the wheel does, where it does."""
    folder = tmp_path_factory.mktemp("installed")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    included = {package: package.removeprefix("src/") for package in wheel["packages"]}
    for source, target in {**included, **wheel["force-include"]}.items():
        if (ROOT / source).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / source, folder / target, ignore=ignored, dirs_exist_ok=True)
        else:
            (folder / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / source, folder / target)
    return folder


def regrade(installed, folder, *arguments):
    """A command of the installation, in a folder."""
    code = "import regrade.command.app as app; print(app.__file__); app.main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, text=True, capture_output=True,
        env={**os.environ, "PYTHONPATH": str(installed)}, timeout=3600, check=False,
    )  # fmt: skip
    assert done.stdout.startswith(str(installed)), done.stderr
    return done


@pytest.mark.slow
def test_the_demo_is_planned_without_a_clone(installed, tmp_path):
    config = installed / "regrade" / "project" / "config" / "config.yaml"
    done = regrade(installed, tmp_path, "run", str(config), "-n")
    assert done.returncode == 0, done.stderr
    assert "total" in done.stdout


@pytest.mark.slow
def test_a_table_is_made_without_a_clone(installed, tmp_path):
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n2 0 a 0\n2 0 b 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n2 Q0 a 1 2 r\n2 Q0 b 2 1 r\n")
    (tmp_path / "own.yaml").write_text(
        f"collection: own\ncollections:\n  own:\n    runs: {tmp_path}/r\n"
        f"    qrels: {{N: {{file: {tmp_path}/q, levels: 2}}}}\n"
    )
    done = regrade(installed, tmp_path, "run", "own.yaml", "results/own/scores/N.parquet")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "results/own/scores/N.parquet").is_file()
