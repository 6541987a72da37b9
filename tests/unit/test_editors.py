"""Configurations name the schema by which editors complete and check their keys."""

import json
import re
from pathlib import Path
from urllib.parse import unquote, urlparse

import jsonschema
import pytest
import yaml
from typer.testing import CliRunner

from regrade.command import workflow
from regrade.command.app import app

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "config" / "regrade.schema.json"
LINE = re.compile(r"# yaml-language-server: \$schema=(\S+)")


def schema_named(config: Path) -> Path:
    """The schema that the first line of a file names, as an editor finds it."""
    named = LINE.fullmatch(config.read_text(encoding="utf-8").splitlines()[0])[1]
    if named.startswith("file://"):
        return Path(unquote(urlparse(named).path))
    return (config.parent / named).resolve()


@pytest.mark.parametrize("config", sorted(ROOT.glob("config/*.yaml")), ids=lambda path: path.stem)
def test_an_editor_finds_the_schema_and_no_fault(config):
    assert schema_named(config) == SCHEMA
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    found = jsonschema.Draft202012Validator(schema).iter_errors(
        yaml.safe_load(config.read_text(encoding="utf-8"))
    )
    assert [error.message for error in found] == []


def test_the_schema_refers_to_nothing_beside_it():
    text = SCHEMA.read_text(encoding="utf-8")
    assert {name[0] for name in re.findall(r'"\$ref": "([^"]+)"', text)} == {"#"}


@pytest.mark.parametrize("place", ["elsewhere", "clone", "clone/config", "clone/a b/c"])
def test_init_names_the_schema_from_where_the_file_lies(place, tmp_path, monkeypatch):
    clone = tmp_path / "clone"
    (clone / "config").mkdir(parents=True)
    (clone / "Snakefile").touch()
    (clone / "config" / SCHEMA.name).touch()
    monkeypatch.setattr(workflow, "PLACES", (clone,))
    folder = tmp_path / place
    folder.mkdir(exist_ok=True, parents=True)
    monkeypatch.chdir(folder)
    rows = [f"{topic} 0 d{n} {n % 2}" for topic in (1, 2) for n in range(6)]
    (folder / "qrels.txt").write_text("\n".join([*rows, ""]))
    done = CliRunner().invoke(app, ["init", "qrels.txt", "--out", "mine.yaml"])
    assert done.exit_code == 0, done.output
    assert schema_named(folder / "mine.yaml") == clone / "config" / SCHEMA.name
    first = (folder / "mine.yaml").read_text().splitlines()[0]
    assert ("file://" in first) == (place == "elsewhere")
    # printed, it is to be kept in the folder of the moment
    assert CliRunner().invoke(app, ["init", "qrels.txt"]).stdout.splitlines()[0] == first
