"""The recipes of docs/recipes.md: each is made in a copy of the project, and what it says holds."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import examples

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
RECIPES = {
    part.partition("\n")[0]: part for part in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
}
STEP = re.compile(
    r"(?:^In `(?P<file>[^`]+)`, (?P<where>before|after) `(?P<anchor>[^`]+)`:"
    r"|^New file `(?P<new>[^`]+)`:)\n\n```\w*\n(?P<text>.*?)```",
    re.DOTALL | re.MULTILINE,
)
COMMAND = re.compile(r"```sh\n(?P<line>.*?)\n```(?:\n\n```text\n(?P<shown>.*?)```)?", re.DOTALL)


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    made = tmp_path_factory.mktemp("recipes") / "example"
    examples(made)
    return made


def make(recipe: str, copy: Path) -> None:
    """Do what a recipe says in a copy of the project."""
    for step in STEP.finditer(recipe):
        path = copy / (step["new"] or step["file"])
        if step["new"]:
            path.write_text(step["text"], encoding="utf-8")
            continue
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        (at,) = (place for place, line in enumerate(lines) if line.startswith(step["anchor"]))
        at += step["where"] == "after"
        path.write_text("".join([*lines[:at], step["text"], *lines[at:]]), encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_works_as_it_stands(name, tmp_path, example):
    for part in ("src", "workflow", "config"):
        shutil.copytree(ROOT / part, tmp_path / part)
    shutil.copy(ROOT / "Snakefile", tmp_path)
    shutil.copytree(example, tmp_path / "example")
    make(RECIPES[name], tmp_path)
    for command in COMMAND.finditer(RECIPES[name]):
        done = subprocess.run(
            [sys.executable, "-m", *shlex.split(command["line"])],
            cwd=tmp_path / "example", capture_output=True, text=True, timeout=3600, check=False,
            env={**os.environ, "PYTHONPATH": str(tmp_path / "src")},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        if command["shown"]:
            assert done.stdout.split() == command["shown"].split()
