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
    r"|^New file `(?P<new>[^`]+)`:)\n\n(?P<fence>`{3,})\w*\n(?P<text>.*?)^(?P=fence)$",
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
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step["text"], encoding="utf-8")
            continue
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        (at,) = (place for place, line in enumerate(lines) if line.startswith(step["anchor"]))
        at += step["where"] == "after"
        path.write_text("".join([*lines[:at], step["text"], *lines[at:]]), encoding="utf-8")


def test_a_question_stands_in_one_folder():
    """But for three files; those of a user aside."""
    steps = [step["new"] or step["file"] for step in STEP.finditer(RECIPES["A question"])]
    own = {path for path in steps if path.startswith("src/regrade/judged_documents/")}
    others = {path for path in steps if not path.startswith("example/")} - own
    modules = {Path(path).stem for path in own} - {"__init__"}
    assert modules == {"stage", "catalogue", "question", "command", "answer", "figures"}
    assert len(others) == 3


HELD = (
    "unit/test_layers.py",
    "unit/test_doors.py",
    "unit/test_studies_items.py",
    "unit/test_catalogue.py",
    "unit/test_command.py::test_every_command_has_an_example_in_its_help_and_in_a_document",
    "unit/test_collection.py::test_the_readme_has_the_reference_of_the_schema",
)
"""Tests of lists, and of what every question has."""


@pytest.mark.slow
def test_a_question_in_one_folder_is_in_no_list_elsewhere(tmp_path, example):
    """When pages are generated, as ``docs/recipes.md`` says."""
    kept = shutil.ignore_patterns("__pycache__", "made")
    for part in ("src", "workflow", "config", "docs", "tests", "benchmarks", "data", "packaging"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=kept)
    for file in ("Snakefile", "README.md", "pyproject.toml", "CITATION.cff"):
        shutil.copy(ROOT / file, tmp_path)
    make(RECIPES["A question"], tmp_path)

    def run(*words):
        done = subprocess.run(
            [sys.executable, "-m", *words], cwd=tmp_path, capture_output=True, text=True,
            timeout=900, check=False, env={**os.environ, "PYTHONPATH": str(tmp_path / "src")},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("regrade.workflow.schemas.document")
    (tmp_path / "docs" / "tables.md").write_text(run("regrade", "tables", "--markdown"), "utf-8")
    run("pytest", "-q", "-p", "no:cacheprovider", *(f"tests/{one}" for one in HELD))


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
