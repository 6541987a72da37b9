"""A question's three doors: library, command and configuration have the same options of a stage."""

import inspect
import json

import pytest
from click.testing import CliRunner

import regrade
from regrade.command.app import app
from regrade.errors import ParameterError
from regrade.stages.common import PAIR_TESTS, SHARED, option_fields
from regrade.stages.registry import stages
from regrade.workflow.config import ConfigError, complete

OWN_DOORS = {
    "transformations": "a search is one call over a set; the configuration sweeps over methods",
    "sweeps": "the command takes a configuration, the library axes",
}
"""Stages that library and command ask by parameters of their own, and why."""

OWN_PARAMETERS = {
    ("pools", "baseline"): "stands behind qrels and runs in the library",
    ("pools", "contributors"): "the library takes names of systems too",
    ("leave_one_out", "by"): "follows from groups and origins where nobody says it",
}
"""Options that a door has as parameters of its own, and why."""

DOORS = [one for key, one in stages().items() if one.door and key not in OWN_DOORS]
OPTIONS = [
    pytest.param(stage, name, field, id=f"{stage.key}-{name}")
    for stage in DOORS
    for name, field in option_fields(stage).items()
    if (stage.key, name) not in OWN_PARAMETERS
]
COMMANDS = app.commands
NONSENSE = "nonsense"


def function_of(stage):
    return getattr(regrade, stage.door.function)


def in_configuration(stage, name, value, slip="") -> dict:
    """A configuration that gives an option, of the stage or of the whole collection."""
    part = {slip or name: value}
    if not stage.has_key:  # each set of judgments says it of itself
        part = {"judgments": {"own": {"file": "own.tsv", "levels": 2} | part}}
    elif name in stage.fields:
        part = {stage.key: [part] if stage.called else part}
    elif name in PAIR_TESTS:
        part = {"pair_tests": part}
    return {"collection": "own", "collections": {"own": part}}


def said_of(config: dict) -> str:
    with pytest.raises(ConfigError) as caught:
        complete(config)
    return str(caught.value)


def wrong(node: dict) -> object:
    """A value that a schema refuses and whose type it does not; ``None``: there is none."""
    if "enum" in node:
        return NONSENSE
    if "items" in node:
        inner = wrong(node["items"])
        return inner if inner is None else [inner]
    for bound, step in (("minimum", -1), ("exclusiveMinimum", 0)):
        if bound in node:
            return (float if "number" in node["type"] else int)(node[bound] + step)
    return None


def written(value: object) -> str:
    if isinstance(value, list):
        is_nested = isinstance(value[0], list)
        return json.dumps(value) if is_nested else ",".join(map(str, value))
    return str(value)


@pytest.mark.parametrize("stage", DOORS, ids=lambda stage: stage.key)
def test_every_option_is_one_of_library_command_and_configuration(stage):
    names = set(option_fields(stage))
    assert names <= set(inspect.signature(function_of(stage)).parameters)
    assert names <= {one.name for one in COMMANDS[stage.door.command].params}
    assert names <= {*stage.fields, *SHARED}


@pytest.mark.parametrize(("stage", "name", "field"), OPTIONS)
def test_an_option_has_one_default_and_is_told_of(stage, name, field):
    function = function_of(stage)
    parameter = inspect.signature(function).parameters[name]
    (option,) = (one for one in COMMANDS[stage.door.command].params if one.name == name)
    assert option.help.rstrip(".").startswith(field.about.rstrip("."))
    assert f"\n    {name}\n" in f"\n    {inspect.getdoc(function)}".replace("\n", "\n    ")
    if isinstance(parameter.default, int | float | str | None):
        assert option.default == parameter.default


@pytest.mark.parametrize(("stage", "name", "field"), OPTIONS)
def test_a_wrong_value_is_refused_alike(stage, name, field):
    value = wrong(field.node)
    if value is None:
        pytest.skip("whatever is of its type may be")
    with pytest.raises(ParameterError) as caught:
        function_of(stage)(**{name: value})
    needed = [
        word
        for one in COMMANDS[stage.door.command].params
        if one.required
        for word in ([one.opts[0], "1"] if one.param_type_name == "option" else ["no-file"])
    ]
    option = f"--{name.replace('_', '-')}"
    ran = CliRunner().invoke(app, [stage.door.command, *needed, option, written(value)])
    assert (ran.exit_code, ran.stderr) == (1, f"regrade: {caught.value}\n")
    assert f".{name}" in said_of(in_configuration(stage, name, value))


@pytest.mark.parametrize(("stage", "name", "field"), OPTIONS)
def test_a_wrong_name_is_refused_alike(stage, name, field):
    slip = f"{name}x"
    function = function_of(stage)
    with pytest.raises(ParameterError, match=f"no option '{slip}' of {function.__name__}; did you"):
        function(**{slip: 1})
    ran = CliRunner().invoke(app, [stage.door.command, f"--{slip.replace('_', '-')}", "1"])
    assert ran.exit_code == 2
    said = said_of(in_configuration(stage, name, 1, slip))
    assert f"unknown key '{slip}'; did you mean" in said
