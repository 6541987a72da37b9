"""The configuration's schema as plain JSON Schema, from which editors complete and check keys."""

from __future__ import annotations

import json

from regrade.workflow.config import schema
from regrade.workflow.project import PROJECT

PATH = PROJECT / "config" / "regrade.schema.json"
"""The file, to be named in the first line of a configuration; see docs/configuration.md."""

OWN = {"names", "scale"}
"""What only regrade knows of a key: what its value names, and on which scale that is."""


def text() -> str:
    """The file's text."""
    return json.dumps(_plain(schema()), ensure_ascii=False, indent=1) + "\n"


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
