"""Which keys a collection can have, and which of them a configuration sets.

``python -m tests.unit.configured_keys`` lists the keys that no shipped configuration sets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from regrade.workflow.config import resolved

CLONE = Path(__file__).parents[2]
SHIPPED = sorted((CLONE / "config").glob("*.yaml"))
README = CLONE / "config" / "README.md"
EXAMPLES = re.findall(
    r"^```yaml\n(.*?)^```", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
)
_OF_A_COLLECTION = {"$ref": "#/$defs/collection"}


def known_keys() -> set[str]:
    """Every key of a collection by its dotted path, the items of studies aside."""
    return set(_known(_OF_A_COLLECTION, ""))


def _known(node: Mapping, path: str) -> Iterator[str]:
    for described in _meant(node):
        for key, below in described.get("properties", {}).items():
            here = f"{path}.{key}".removeprefix(".")
            if path == "studies":
                continue
            yield here
            yield from _known(below, here)
        for below in (described.get("additionalProperties"), described.get("items")):
            if isinstance(below, Mapping):
                yield from _known(below, path)


def _meant(node: Mapping) -> list[Mapping]:
    """The node, and what it may be instead."""
    node = resolved(node)
    return [node, *(resolved(one) for one in node.get("oneOf", ()))]


def set_keys(options: Mapping) -> set[str]:
    """The keys that a collection's options set, by their dotted paths."""
    return set(_set(options, _OF_A_COLLECTION, ""))


def _set(value, node: Mapping, path: str) -> Iterator[str]:
    for described in _meant(node):
        if isinstance(value, list) and "items" in described:
            for item in value:
                yield from _set(item, described["items"], path)
        for key, inner in value.items() if isinstance(value, Mapping) else ():
            below = described.get("properties", {}).get(key)
            if below is not None and path != "studies":
                here = f"{path}.{key}".removeprefix(".")
                yield here
                yield from _set(inner, below, here)
            elif below is None and isinstance(described.get("additionalProperties"), Mapping):
                yield from _set(inner, described["additionalProperties"], path)


def held_by(text: str):
    """What YAML says; libyaml reads it in a tenth of the time, where it is there."""
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def collections_of(text: str) -> Iterator[Mapping]:
    """The options of each collection of a configuration's text."""
    held = held_by(text)
    if isinstance(held, Mapping) and isinstance(held.get("collections"), Mapping):
        yield from held["collections"].values()


def shipped_keys() -> set[str]:
    """The keys that a shipped configuration sets."""
    options = (one for path in SHIPPED for one in collections_of(path.read_text(encoding="utf-8")))
    return set().union(*map(set_keys, options))


def documented_keys() -> set[str]:
    """The keys that an example of the reference sets, which tests use."""
    return set().union(*(set_keys(one) for text in EXAMPLES for one in collections_of(text)))


if __name__ == "__main__":
    known, shipped, documented = known_keys(), shipped_keys(), documented_keys()
    print(f"{len(known)} keys, {len(shipped)} shipped, {len(documented)} in examples")
    print(*sorted(known - shipped - documented), sep="\n")
