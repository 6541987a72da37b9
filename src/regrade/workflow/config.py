"""The configuration: read, checked against its schema, completed; errors that say what to do.

Names, types, defaults and descriptions of keys stand in `schemas/*.schema.yaml` and, of a stage, in
its declaration (`regrade.stages`).
"""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator

from regrade.errors import RegradeError, did_you_mean, near_files
from regrade.stages import declare
from regrade.stages.common import PAIR_TESTS, SEED
from regrade.stages.registry import stages
from regrade.studies.registry import STUDIES
from regrade.workflow import yaml_faults
from regrade.workflow.grids import SETS, Expanded, expanded

SCHEMAS = Path(__file__).parent / "schemas"


class ConfigError(RegradeError):
    """The configuration cannot be used; the message says which key and what to do."""


@cache
def schema() -> dict:
    """The JSON schema of the configuration: one file for the whole, one for each of its parts."""
    whole = _read_schema("config")
    for path in sorted(SCHEMAS.glob("*.schema.yaml")):
        part = path.name.removesuffix(".schema.yaml")
        if part != "config":
            whole["$defs"] |= _read_schema(part)
    whole["$defs"]["pair_tests"] = declare.part(
        "Test and correction of pairs of systems, in all analyses.", {}, **PAIR_TESTS
    ).node
    properties = whole["$defs"]["collection"]["properties"]
    properties["seed"] = SEED.node
    studies = properties.pop("studies")  # which stand last
    for stage in (stage for stage in stages().values() if stage.has_key):
        properties[stage.key] = stage.property()
        if stage.held is None:
            whole["$defs"][stage.defined] = stage.definition()
    properties["studies"] = studies
    whole["$defs"]["studies"] = {
        "title": "Studies",
        "type": "object",
        "additionalProperties": False,
        "default": {},
        "description": "Requested tables and figures of a study, each with its content.",
        "properties": {name: study.schema() for name, study in STUDIES.items()},
    }
    return whole


def _read_schema(part: str) -> dict:
    text = (SCHEMAS / f"{part}.schema.yaml").read_text(encoding="utf-8")
    # libyaml reads the schema in a tenth of the time, where it is there
    return declare.with_choices(yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


def complete(config: Mapping) -> dict:
    """The configuration with an item for each combination of grids, and every default filled in.

    Each collection has the grids that it was written with under ``grids``.
    """
    of_sets = {kind: [*schema()["$defs"][kind]["properties"]] for kind in SETS}
    whole = expanded(config, of_sets)
    if whole.problems:
        lines = (f"config: {place}: {problem}" for place, problem in whole.problems)
        raise ConfigError("\n".join(lines))
    errors = Draft202012Validator(schema()).iter_errors(whole.config)
    errors = sorted(errors, key=lambda error: str(error.path))
    if errors:
        problems = [explained for error in errors for explained in _explained(error)]
        raise ConfigError("\n".join(_lines(whole, problems)))
    filled = whole.config
    _fill(filled, schema())
    for name, options in filled["collections"].items():
        options["grids"] = whole.grids[name]
    return filled


def _lines(whole: Expanded, problems: Sequence[tuple[tuple, str]]) -> list[str]:
    """One line for each problem, however many combinations of a grid have it."""
    of: dict[tuple[str, str], list[str]] = {}
    for path, problem in problems:
        place, combination = whole.located(path)
        of.setdefault((place or "the configuration", problem), []).append(combination)
    lines = []
    for (place, problem), combinations in of.items():
        with_it = [*filter(None, dict.fromkeys(combinations))]
        more = f" and {len(with_it) - 1} more" * (len(with_it) > 1)
        grid = f" (with {with_it[0]}{more})" if with_it else ""
        lines.append(f"config: {place}: {problem}{grid}")
    return lines


def _explained(error) -> Iterator[tuple[tuple, str]]:
    """The path of each problem; what it is, and the remedy."""
    path, value = tuple(error.absolute_path), error.instance
    match error.validator:
        case "oneOf":  # in this schema, alternatives by type
            mistyped = {e.schema_path[0]: e for e in error.context if _is_mistyped(e)}
            meant = [e for e in error.context if e.schema_path[0] not in mistyped]
            if meant:
                for inner in meant:
                    yield from _explained(inner)
                return
            kinds = [e.validator_value for e in mistyped.values()]
            problem = _mistyped(value, kinds)
        case "type":
            kinds = error.validator_value
            problem = _mistyped(value, [kinds] if isinstance(kinds, str) else kinds)
        case "additionalProperties":
            known = error.schema.get("properties", {})
            for key in sorted(map(str, set(value) - set(known))):
                yield path, f"unknown key '{key}'{did_you_mean(key, known)}"
            return
        case "required":
            missing = sorted(set(error.validator_value) - set(value))
            problem = f"{' and '.join(f'`{key}`' for key in missing)} must be given"
            if len(missing) == 1:
                problem += _meant(error.schema.get("properties", {}).get(missing[0], {}))
        case "anyOf":  # of an item that gives one of several keys
            known = " or ".join(f"`{one['required'][0]}`" for one in error.validator_value)
            problem = f"give {known}"
        case "enum":
            problem = f"there is no {value!r}{did_you_mean(value, error.validator_value)}"
        case "pattern":
            allowed = error.schema.get("description", "A name of letters, digits and _ . -")
            problem = f"{value!r} cannot be used here: {allowed}"
        case "minProperties" | "maxProperties" if "properties" in error.schema:
            known = " and ".join(f"`{key}`" for key in error.schema["properties"])
            problem = f"give one of {known}"
        case _:
            problem = error.message
    yield path, problem


def _meant(node: Mapping) -> str:
    """What a key is, in the first words that the schema has of it."""
    words = re.split(r"[;.](?: |$)", resolved(node).get("description", ""))[0]
    return f": {words[0].lower()}{words[1:]}" if words else ""


def _is_mistyped(error) -> bool:
    """Whether an alternative is for another type of value than the one given."""
    return error.validator == "type" and not error.relative_path


def _mistyped(value, kinds: list[str]) -> str:
    kinds = ["nothing (null)" if kind == "null" else kind for kind in kinds]
    is_list = [kind for kind in kinds if kind != "nothing (null)"] == ["array"]
    wanted = kinds[0] if len(kinds) == 1 else f"{', '.join(kinds[:-1])} or {kinds[-1]}"
    # yes, no, on and off are truth values in YAML
    remedy = ": put it in quotes" if isinstance(value, int | float) and "string" in kinds else ""
    if is_list and not isinstance(value, Mapping):
        remedy = f": write a list, [{value}]"
    return f"{json.dumps(value, default=str)} is not of type {wanted}{remedy}"


class _Distinct(yaml.SafeLoader):
    """Refuses a key that a mapping has twice, of which YAML's readers take the last."""


def _distinct(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict:
    seen = {}
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise yaml.MarkedYAMLError(
                problem="a list or mapping cannot be a key: fill in {{x}} of a template first",
                problem_mark=key.start_mark,
            )
        if key.value in seen and key.tag != "tag:yaml.org,2002:merge":
            mark = key.start_mark
            raise ConfigError(
                f"{mark.name}:{mark.line + 1}: key '{key.value}' occurs twice, first in "
                f"line {seen[key.value] + 1}: only one of them would count"
            )
        seen[key.value] = key.start_mark.line
    return loader.construct_mapping(node, deep=True)


_Distinct.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _distinct)


def read_configuration(path: str | os.PathLike) -> dict:
    """What a configuration file holds, not yet checked against the schema."""
    text = ""
    try:
        text = Path(path).read_text(encoding="utf-8")
        loader = _Distinct(text)
        loader.name = os.fspath(path)  # for messages
        held = loader.get_single_data()
    except OSError as error:
        near = near_files(path) if isinstance(error, FileNotFoundError) else ""
        raise ConfigError(f"{path}: cannot be read: {error.strerror}{near}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8: save it as UTF-8") from error
    except yaml.YAMLError as error:
        line, fault = yaml_faults.described(error, text)
        where = f":{line}" if line else ""
        raise ConfigError(f"{path}{where}: is not valid YAML: {fault}") from error
    except (RecursionError, ValueError) as error:
        is_long = isinstance(error, ValueError)
        problem = "a number of thousands of digits" if is_long else "brackets within brackets"
        raise ConfigError(f"{path}: is not readable YAML: {problem}") from error
    if not isinstance(held, dict):
        kind = "nothing" if held is None else f"a {type(held).__name__}"
        raise ConfigError(
            f"{path}: holds {kind}\n"
            "A configuration has keys, collection and collections: regrade init writes one."
        )
    return held


def _fill(value, node: Mapping) -> None:
    """Fill defaults into mappings, in place, following the schema."""
    node = resolved(node)
    for option in node.get("oneOf", ()):
        if isinstance(value, Mapping) and is_of_type(value, resolved(option)):
            _fill(value, option)
    if isinstance(value, dict):
        for key, below in node.get("properties", {}).items():
            described = resolved(below)
            if key not in value and "default" in described:
                value[key] = copy.deepcopy(described["default"])
            if key in value:
                _fill(value[key], below)
        extra = node.get("additionalProperties")
        if isinstance(extra, Mapping):
            for key in value.keys() - node.get("properties", {}).keys():
                _fill(value[key], extra)
    elif isinstance(value, list) and "items" in node:
        for item in value:
            _fill(item, node["items"])


def is_of_type(value, node: Mapping) -> bool:
    """Whether a value is of the type that an alternative is for."""
    kinds = node.get("type", ())
    is_type = Draft202012Validator.TYPE_CHECKER.is_type
    return any(is_type(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def resolved(node: Mapping) -> Mapping:
    """The node with what its $ref names; its own keys win."""
    if "$ref" not in node:
        return node
    target = schema()
    for part in node["$ref"].removeprefix("#/").split("/"):
        target = target[part]
    return {**resolved(target), **{key: value for key, value in node.items() if key != "$ref"}}
