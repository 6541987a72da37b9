"""What goes with a release says the same everywhere."""

import contextlib
import json
import re
import shutil
import tomllib
import zipfile
from importlib.metadata import metadata
from pathlib import Path

import hatchling.build
import pytest
import yaml
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def of_yaml(path: str) -> dict:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def test_versions_and_licences_are_the_same():
    citation, recipe = of_yaml("CITATION.cff"), of_yaml("packaging/conda/recipe.yaml")
    codemeta, zenodo = (
        json.loads((ROOT / name).read_text("utf-8")) for name in ("codemeta.json", ".zenodo.json")
    )
    versions = [citation["version"], recipe["context"]["version"], codemeta["version"]]
    assert {*versions, zenodo["version"]} == {PROJECT["version"]}
    licences = {citation["license"], recipe["about"]["license"], zenodo["license"]}
    assert {*licences, codemeta["license"].rpartition("/")[2]} == {PROJECT["license"]}
    dois = {reference["doi"] for reference in citation["references"] if "doi" in reference}
    assert {one["identifier"] for one in zenodo["related_identifiers"]} == dois
    assert {one["@id"] for one in codemeta["referencePublication"]} == {
        f"https://doi.org/{doi}" for doi in dois
    }


def test_the_conda_recipe_needs_what_the_project_does():
    needed = of_yaml("packaging/conda/recipe.yaml")["requirements"]["run"]
    ranges = dict(map(str.split, needed))
    pinned = dict(map(str.split, of_yaml("workflow/envs/regrade.yaml")["dependencies"]))
    assert pinned.keys() == ranges.keys()
    for name, version in pinned.items():
        assert version.removeprefix("=") in SpecifierSet(ranges[name]), name


def test_the_environment_of_conda_has_the_versions_of_the_lock():
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    locked = dict(re.findall(r"^([\w.-]+)==([\w.]+)", lock, re.MULTILINE))
    pinned = dict(map(str.split, of_yaml("workflow/envs/regrade.yaml")["dependencies"]))
    assert pinned.pop("python").removeprefix("=") in SpecifierSet(PROJECT["requires-python"])
    of_pypi = {
        "python-isal": "isal",
        "matplotlib-base": "matplotlib",
        "snakemake-minimal": "snakemake",
    }
    expected = {name: f"={locked[of_pypi.get(name, name)]}" for name in pinned}
    assert pinned == expected, "give workflow/envs/regrade.yaml the lock's versions"


def test_the_changelog_tells_of_the_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[{re.escape(PROJECT['version'])}\]", text, re.MULTILINE)


def test_what_is_locked_installs_on_the_least_python():
    least = PROJECT["requires-python"].removeprefix(">=") + ".0"
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    locked = re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)
    assert len(locked) > 100
    asked = {name: SpecifierSet(metadata(name).get("Requires-Python", "")) for name in locked}
    assert {name for name, pythons in asked.items() if least not in pythons} == set()


def test_the_catalogue_of_workflows_finds_what_it_looks_for():
    """What its own program asks of a repository, beside what `make lint` runs."""
    usage = of_yaml(".snakemake-workflow-catalog.yml")["usage"]
    assert usage.keys() <= {"mandatory-flags", "software-stack-deployment", "report"}
    assert usage["report"] is True
    assert usage["software-stack-deployment"]["conda"] is True
    assert isinstance(usage["mandatory-flags"]["flags"], str | list)
    assert (ROOT / "workflow" / "Snakefile").is_file()
    assert [*(ROOT / "workflow" / "rules").glob("*.smk")]
    assert (ROOT / "config" / "README.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8").lower()
    assert {"snakemake", "workflow"} <= {*re.findall(r"\w+", readme)}


def test_what_is_run_of_each_change_is_there():
    jobs = of_yaml(".github/workflows/tests.yml")["jobs"]
    steps = [step for job in jobs.values() for step in job["steps"]]
    lines = [step["run"] for step in steps if "run" in step]
    targets = re.findall(r"^(\w[\w-]*):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    named = {line.removeprefix("make ") for line in lines if line.startswith("make ")}
    assert named == {"lint", "test", "demo", "environment"} and named <= {*targets}
    assert any("--report" in line for line in lines)
    pythons = {step["with"]["python-version"] for step in steps if "python" in step.get("uses", "")}
    least = SpecifierSet(PROJECT["requires-python"])
    pythons |= {*jobs["tests"]["strategy"]["matrix"]["python"]}
    assert all(one in least for one in pythons if "matrix" not in one)
    # what is not of this repository is an action of a version, and nothing reads a secret
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    assert all(
        re.fullmatch(r"actions/[\w-]+@v\d+", step["uses"]) for step in steps if "uses" in step
    )
    assert "secrets" not in text


def test_forms_of_issues_can_be_read():
    for path in sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml")):
        form = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert {"name", "description", "body"} <= form.keys()
        ids = [part["id"] for part in form["body"]]
        assert len(ids) == len(set(ids))


@pytest.mark.slow
def test_a_wheel_of_the_sdist_is_whole(tmp_path):
    with contextlib.chdir(ROOT):
        source = tmp_path / hatchling.build.build_sdist(str(tmp_path))
    shutil.unpack_archive(source, tmp_path)
    with contextlib.chdir(source.with_name(source.name.removesuffix(".tar.gz"))):
        wheel = tmp_path / hatchling.build.build_wheel(str(tmp_path))
    names = set(zipfile.ZipFile(wheel).namelist())
    project = "regrade/project"
    assert {
        f"{project}/Snakefile",
        f"{project}/config/config.yaml",
        f"{project}/profiles/default/config.yaml",
        f"{project}/data/demo/llmjudge.tsv.gz",
        f"{project}/workflow/Snakefile",
        f"{project}/workflow/rules/stages.smk",
        f"{project}/workflow/scripts/stage.py",
        "regrade/workflow/schemas/config.schema.yaml",
        "regrade/calibration/stage.py",
        "regrade/kernels.txt",
    } <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests")]


def test_the_paper_cites_what_it_lists():
    paper, entries = (
        (ROOT / "paper" / name).read_text(encoding="utf-8") for name in ("paper.md", "paper.bib")
    )
    cited = set(re.findall(r"@(\w+)", paper.partition("\n# Summary")[2]))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", entries, re.MULTILINE))
    for part in ("# Summary", "# Statement of need", "# Acknowledgements", "# References"):
        assert f"\n{part}\n" in paper
    assert set(re.findall(r"doi = \{(.*)\}", entries)) >= {
        reference["doi"]
        for reference in of_yaml("CITATION.cff")["references"]
        if "doi" in reference
    }
