"""The configuration's schema as plain JSON Schema, from which editors complete and check keys."""

from __future__ import annotations

import copy
import json

from regrade.stages.registry import stages
from regrade.workflow.config import schema
from regrade.workflow.grids import LISTS, SETS
from regrade.workflow.project import PROJECT

PATH = PROJECT / "config" / "regrade.schema.json"
"""The file, to be named in the first line of a configuration; see docs/configuration.md."""

OWN = {"names", "scale"}
"""What only regrade knows of a key: what its value names, and on which scale that is."""


def text() -> str:
    """The file's text."""
    return json.dumps(_plain(_with_grids()), ensure_ascii=False, indent=1) + "\n"


def _with_grids() -> dict:
    """The schema with a grid in the place of an item, of a set, and of a list of items."""
    whole = copy.deepcopy(schema())
    defs = whole["$defs"]
    held = defs["collection"]["properties"]
    for key in SETS:
        held[key]["additionalProperties"] = _or_grid(defs, key, {"$ref": f"#/$defs/{key}"})
    for key in LISTS:
        known = held[key]
        known["items"] = _or_grid(defs, stages()[key].defined, known["items"])
        held[key] = {
            "description": known["description"],
            "default": known["default"],
            "if": {"type": "object"},
            "then": known["items"]["then"],
            "else": {"type": "array", "items": known["items"]},
        }
    del defs["grid"]
    return whole


def _or_grid(defs: dict, defined: str, item: dict) -> dict:
    """What an item is, or a grid of items."""
    grid, options = copy.deepcopy(defs["grid"]), defs[defined]["properties"]
    own = "|".join(options)
    grid["properties"]["grid"]["propertyNames"] = {"pattern": f"^({own})([.].+)?$"}
    if defined in SETS:
        del grid["properties"]["name"]
    shared = {name: {"$ref": f"#/$defs/{defined}/properties/{name}"} for name in options}
    grid["properties"] = shared | grid["properties"]
    defs[f"grid_of_{defined}"] = {**grid, "title": f"Grid of {defs[defined].get('title', defined)}"}
    # an option of this name has numbers
    values = {"type": "object", "additionalProperties": {"type": ["array", "object"]}}
    return {
        "if": {"required": ["grid"], "properties": {"grid": values}},
        "then": {"$ref": f"#/$defs/grid_of_{defined}"},
        "else": item,
    }


def _plain(node: object) -> object:
    if isinstance(node, list):
        return [_plain(one) for one in node]
    if not isinstance(node, dict):
        return node
    plain = {key: _plain(value) for key, value in node.items()}
    # under `properties` these are keys of a configuration
    is_schema = any(key in node for key in ("type", "$ref", "oneOf", "enum"))
    return {k: v for k, v in plain.items() if not (is_schema and k in OWN and _is_own(node[k]))}


def _is_own(value: object) -> bool:
    return isinstance(value, str)
