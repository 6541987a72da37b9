"""Where in its file a key of a configuration stands, of which a message names the place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import yaml

OF_KEYS = "config: "
"""What is said of keys begins so."""


def located(lines: Iterable[str], config: str) -> list[str]:
    """Lines about keys of a configuration, with its file and the line of the key."""
    return [_located(line, config) for line in lines]


def _located(line: str, config: str) -> str:
    if not line.startswith(OF_KEYS):
        return line
    problem_of_key = line.removeprefix(OF_KEYS)
    place, _, problem = problem_of_key.partition(": ")
    unknown = re.match(r"unknown key '([^']+)'", problem)
    parts = [*place.split("."), *(unknown.groups() if unknown else ())]
    return f"{config}:{_line_of(parts, config)}: {problem_of_key}"


def _line_of(parts: Sequence[str], config: str) -> int:
    """The line, from 1, of the key that names lead to, or of the last one that is in the file."""
    node, line = yaml.compose(Path(config).read_text(encoding="utf-8")), 0
    for part in parts:
        if isinstance(node, yaml.MappingNode):
            below = {key.value: (key, value) for key, value in node.value}
        elif isinstance(node, yaml.SequenceNode):
            below = {name: (item, item) for i, item in enumerate(node.value)
                     for name in (str(i), _name_of(item))}  # fmt: skip
        else:
            break
        if part not in below:
            break
        key, node = below[part]
        line = key.start_mark.line
    return line + 1


def _name_of(item) -> str | None:
    """The `name` of an item of a list, which its place may have in place of its number."""
    pairs = item.value if isinstance(item.value, list) else []
    names = (pair[1].value for pair in pairs if isinstance(pair, tuple) and pair[0].value == "name")
    return next(names, None)


def main(arguments: list[str]) -> None:
    """Print lines about keys of a configuration, its file being the first argument."""
    config, *lines = arguments
    print("\n".join(located(lines, config)))
