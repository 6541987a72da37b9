"""The reference of all keys in config/README.md, written from the schema.

``python -m workflow.schemas.document`` brings the file up to date.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import fill

from workflow.config import resolved, schema
from workflow.names import KINDS

README = Path(__file__).parents[2] / "config" / "README.md"
START, END = "<!-- from the schema -->\n", "<!-- end of the schema -->\n"
HEAD = "| key | type | default | description |\n|---|---|---|---|\n"
TYPES = {
    "string": "text",
    "null": "null",
    "boolean": "true or false",
    "integer": "integer",
    "number": "number",
}


def updated(readme: str) -> str:
    """The text of the README with the reference between its two marks written anew."""
    before, rest = readme.split(START)
    _, after = rest.split(END)
    return f"{before}{START}\n{reference()}\n{END}{after}"


def reference() -> str:
    """One table of keys for the top level and for each titled part of the schema."""
    parts = {"Top level": schema()}
    parts |= {node["title"]: node for node in schema()["$defs"].values() if "title" in node}
    return "\n".join(f"### {title}\n\n{_table(node)}" for title, node in parts.items())


def _table(node: Mapping) -> str:
    about = node.get("description", "")
    about = f"{fill(about, 100, break_on_hyphens=False)}\n\n" if about else ""
    rows = "".join(f"| {' | '.join(row)} |\n" for row in _rows(node))
    return f"{about}{HEAD}{rows}"


def _rows(node: Mapping, prefix: str = "") -> Iterator[tuple[str, str, str, str]]:
    """Key, type, default and description of each key, those of untitled mappings too."""
    for key, below in node.get("properties", {}).items():
        described = resolved(below)
        if "default" in described:
            default = f"`{json.dumps(described['default'], ensure_ascii=False)}`"
        else:
            default = "required" if key in node.get("required", ()) else ""
        yield f"`{prefix}{key}`", _kind(below), default, described.get("description", "")
        if "title" not in described:
            yield from _rows(described, f"{prefix}{key}.")
            alternatives = (*described.get("oneOf", ()), *_alternatives(described.get("items")))
            for alternative in alternatives:
                yield from _rows(resolved(alternative), f"{prefix}{key}.")


def _alternatives(items: Mapping | None) -> tuple[Mapping, ...]:
    """What an untitled item of a list may be."""
    node = resolved(items or {})
    return () if "title" in node else (node, *node.get("oneOf", ()))


def _kind(node: Mapping) -> str:
    """What a value may be, and what it names."""
    node = resolved(node)
    if "names" in node:
        words = KINDS[node["names"]].words.format(transformation="the transformation", set="<set>")
        return f"{_type(node)} ({words})"
    return _type(node)


def _type(node: Mapping) -> str:
    if "title" in node:
        return f"[{node['title']}](#{node['title'].lower().replace(' ', '-')})"
    if "enum" in node:
        return ", ".join(f"`{json.dumps(value).strip(chr(34))}`" for value in node["enum"])
    if "oneOf" in node:
        return " or ".join(map(_kind, node["oneOf"]))
    kinds = [node["type"]] if isinstance(node["type"], str) else node["type"]
    return " or ".join(_of_type(kind, node) for kind in kinds)


def _of_type(kind: str, node: Mapping) -> str:
    if kind == "array":
        return f"list of {_kind(node['items'])}"
    if kind == "object":
        values = node.get("additionalProperties")
        return f"names with {_kind(values)}" if isinstance(values, Mapping) else "mapping"
    if "minimum" in node and kind in ("integer", "number"):
        limit = f" … {node['maximum']}" if "maximum" in node else " or more"
        return f"{kind}, {node['minimum']}{limit}"
    return TYPES[kind]


if __name__ == "__main__":
    README.write_text(updated(README.read_text(encoding="utf-8")), encoding="utf-8")
