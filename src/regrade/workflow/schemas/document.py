"""The pages of all keys, docs/keys, written from the schema; and the lists of questions.

``python -m regrade.workflow.schemas.document`` brings them, their list in config/README.md, and
the tables of README.md and docs/questions/index.md up to date.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import fill

import yaml

from regrade.errors import did_you_mean
from regrade.stages.registry import stages
from regrade.workflow.config import resolved, schema
from regrade.workflow.grids import LISTS, SETS, is_grid
from regrade.workflow.names import KINDS
from regrade.workflow.project import PROJECT
from regrade.workflow.schemas import editor

README = PROJECT / "config" / "README.md"
KEYS = PROJECT / "docs" / "keys"
START, END = "<!-- from the schema -->\n", "<!-- end of the schema -->\n"
QUESTIONS, END_OF_QUESTIONS = "<!-- questions -->\n", "<!-- end of the questions -->\n"
LISTING = {
    PROJECT / "README.md": {
        "question": "[{stage.question}](docs/questions/{door.command}.md)",
        "input": "{door.brings}",
        "command": "`{door.command}`",
    },
    PROJECT / "docs" / "questions" / "index.md": {
        "question": "[{stage.question}]({door.command}.md)",
        "library": "`regrade.{door.function}`",
        "command": "`regrade {door.command}`",
        "key": "{stage.tables[0].name_in_messages}",
    },
}
"""Pages that list the questions: the columns, as formats of what a stage and its `door` have."""

HEAD = "| key | type | default | description |\n|---|---|---|---|\n"
FEW = 2
"""Keys of a key that has no page of its own."""

TYPES = {
    "string": "text",
    "null": "null",
    "boolean": "true or false",
    "integer": "integer",
    "number": "number",
}


OWN = {"Collection": "", "Studies": "Study "}
"""Parts whose keys have pages of their own, where they have keys; what those titles begin with."""


@dataclass(frozen=True)
class SchemaPart:
    """A part of the schema that has a page."""

    title: str
    node: Mapping
    key: str = ""
    """Where it is the key of another part."""

    @property
    def page(self) -> str:
        """The file's name."""
        return f"{_slug(self.title)}.md"

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Key, type, default and description of each key."""
        if self.key:
            return list(_below(self.node, f"{self.key}."))
        rows = list(_rows(self.node))
        if self.title not in OWN:
            return rows
        apart = {part.key: part.page for part in _keys_of(self)}
        return [
            (key, self._with_page(kind, _first(key), apart), *rest)
            for key, kind, *rest in rows
            if "." not in key or _first(key) not in apart
        ]

    def _with_page(self, kind: str, key: str, apart: Mapping[str, str]) -> str:
        """What a key may be, with its page, and that of grids."""
        kind = f"[{kind}]({apart[key]})" if key in apart else kind
        holds_grids = self.title == "Collection" and key in (*LISTS, *SETS)
        return f"{kind} or [grids](grid.md)" if holds_grids else kind

    def text(self) -> str:
        """The page."""
        about = _prose(self.node.get("description", ""))
        rows = "".join(f"| {' | '.join(row)} |\n" for row in self.rows())
        return f"# {self.title}\n\n{about}{HEAD}{rows}{_example(self)}"

    def is_at(self, path: tuple[str, ...], node: Mapping) -> bool:
        """Whether a place of a configuration is this part."""
        if self.key:
            inside = ("studies",) if self.title.startswith(OWN["Studies"]) else ()
            return path[:1] == ("collections",) and path[2:] == (*inside, self.key)
        return path == () if self.node is schema() else node.get("title") == self.title


def updated(readme: str) -> str:
    """The text of the README with the list of pages between its two marks written anew."""
    before, rest = readme.split(START)
    _, after = rest.split(END)
    lines = "".join(f"- [{part.title}](../docs/keys/{part.page})\n" for part in parts())
    return f"{before}{START}\n{lines}\n{END}{after}"


def questions(page: Path) -> str:
    """The text of a page with its table of questions written anew."""
    before, rest = page.read_text(encoding="utf-8").split(QUESTIONS)
    _, after = rest.split(END_OF_QUESTIONS)
    columns = LISTING[page]
    row = f"| {' | '.join(columns.values())} |\n"
    answered = [stage for stage in stages().values() if stage.door]
    rows = "".join(row.format(stage=stage, door=stage.door) for stage in answered)
    head = f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|\n"
    return f"{before}{QUESTIONS}\n{head}{rows}\n{END_OF_QUESTIONS}{after}"


def pages() -> dict[str, str]:
    """The text of each page, by the file's name."""
    return {part.page: part.text() for part in parts()}


@cache
def parts() -> tuple[SchemaPart, ...]:
    """The top level, each titled part, and each key of a collection or study with keys."""
    titled = [
        SchemaPart(node["title"], node) for node in schema()["$defs"].values() if "title" in node
    ]
    parts = [SchemaPart("Top level", schema())]
    for part in titled:
        parts += [part, *(_keys_of(part) if part.title in OWN else ())]
    return tuple(parts)


def _keys_of(part: SchemaPart) -> list[SchemaPart]:
    """The keys of a part that have pages of their own."""
    return [
        SchemaPart(f"{OWN[part.title]}{key}", node, key)
        for key, below in part.node["properties"].items()
        if "title" not in (node := resolved(below)) and len(list(_below(node, ""))) > FEW
    ]


def explained(key: str) -> str:
    """What is said of a key, wherever it stands: by its end, as ``pools.depths`` or ``depths``."""
    rows = (
        _terminal_row(part, *row)
        for part in parts()
        for row in part.rows()
        if f".{row[0].strip('`')}".endswith(f".{key}")
    )
    return "\n\n".join(dict.fromkeys(rows))


def _terminal_row(part: SchemaPart, path: str, kind: str, default: str, about: str) -> str:
    """A row for a terminal."""
    kind = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", kind)
    default = default if default in ("", "required") else f"by default {default}"
    lines = (f"{path}  ({part.title})", "; ".join(filter(None, (kind, default))), about)
    return "\n  ".join(filter(None, (line.replace("`", "") for line in lines)))


def main(arguments: list[str]) -> None:
    """Print what is said of a key."""
    (key,) = arguments
    text = explained(key)
    if not text:
        names = {path.strip("`").rpartition(".")[2] for part in parts() for path, *_ in part.rows()}
        near = did_you_mean(key, names, "; config/README.md lists all")
        raise SystemExit(f"there is no key {key!r}{near}")
    print(text)


def _slug(title: str) -> str:
    return title.lower().replace(" ", "-").replace("_", "-")


def _prose(text: str) -> str:
    return f"{fill(text, 100, break_on_hyphens=False)}\n\n" if text else ""


def _example(part: SchemaPart) -> str:
    """The shortest of the configurations' texts that sets the part, if any does."""
    keys = sorted(_set(part), key=lambda one: (len(one[0]), one))
    if not keys:
        return ""
    text, name = keys[0]
    return f"\nAs [`{name}`](../../config/{name}) has it:\n\n```yaml\n{text}```\n"


def _set(part: SchemaPart) -> Iterator[tuple[str, str]]:
    """The part in each configuration that sets it, as YAML, and the configuration's name."""
    for name, path, node, value in _places():
        if part.is_at(path, node) and value and not _holds_grid(part.key, value):
            held = {part.key: value} if part.key else value
            text = yaml.safe_dump(
                held, sort_keys=False, allow_unicode=True, default_flow_style=None, width=96
            )
            yield text, name


def _holds_grid(key: str, value: object) -> bool:
    """Whether what a key holds has a grid, of which the page is another."""
    return key in LISTS and any(is_grid(key, one) for one in (value, *value))


@cache
def _places() -> tuple[tuple[str, tuple[str, ...], Mapping, object], ...]:
    """All of the project's configurations and of the README's examples, behind their files' names.

    See `_walk`.
    """
    files = sorted((PROJECT / "config").glob("*.yaml"))
    texts = [(path.name, path.read_text(encoding="utf-8")) for path in files]
    examples = re.findall(r"```yaml\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    texts += [(README.name, text) for text in examples]
    return tuple(
        (name, *place)
        for name, text in texts
        for place in _walk(yaml.safe_load(text), schema(), ())
    )


def _walk(
    value: object, node: Mapping, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Mapping, object]]:
    """A value and all below it, each with its path and what the schema says of it."""
    for one in (resolved(node), *map(resolved, resolved(node).get("oneOf", ()))):
        yield path, one, value
        if isinstance(value, Mapping):
            for name, below in value.items():
                known = one.get("properties", {}).get(name, one.get("additionalProperties"))
                here = (*path, str(name))
                if _is_grid(here, below):
                    yield here, schema()["$defs"]["grid"], below
                elif isinstance(known, Mapping):
                    yield from _walk(below, known, here)
        elif isinstance(value, list) and isinstance(one.get("items"), Mapping):
            for below in value:
                if _is_grid(path, below):
                    yield path, schema()["$defs"]["grid"], below
                else:
                    yield from _walk(below, one["items"], (*path, ""))


def _is_grid(path: tuple[str, ...], value: object) -> bool:
    """Whether what stands at a place of a configuration is a grid."""
    is_held = path[:1] == ("collections",) and path[2:3] and path[2] in (*LISTS, *SETS)
    return bool(is_held) and len(path) <= 4 and is_grid(path[2], value)


def _first(key: str) -> str:
    return key.strip("`").partition(".")[0]


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
            yield from _below(described, f"{prefix}{key}.")


def _below(described: Mapping, prefix: str) -> Iterator[tuple[str, str, str, str]]:
    """The keys of an untitled mapping, or of what it may be instead."""
    yield from _rows(described, prefix)
    for alternative in (*described.get("oneOf", ()), *_alternatives(described.get("items"))):
        yield from _rows(resolved(alternative), prefix)


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
        return f"[{node['title']}]({_slug(node['title'])}.md)"
    if "enum" in node:
        return ", ".join(f"`{json.dumps(value).strip(chr(34))}`" for value in node["enum"])
    if "oneOf" in node:
        return " or ".join(map(_kind, node["oneOf"]))
    kinds = [node["type"]] if isinstance(node["type"], str) else node["type"]
    return " or ".join(_of_type(kind, node) for kind in kinds)


def _of_type(kind: str, node: Mapping) -> str:
    if kind == "array":
        return f"list of {_kind(node['items'])}" if "items" in node else "list"
    if kind == "object":
        values = node.get("additionalProperties")
        return f"names with {_kind(values)}" if isinstance(values, Mapping) else "mapping"
    if "minimum" in node and kind in ("integer", "number"):
        limit = f" … {node['maximum']}" if "maximum" in node else " or more"
        return f"{kind}, {node['minimum']}{limit}"
    return TYPES[kind]


if __name__ == "__main__":
    KEYS.mkdir(exist_ok=True)
    for page, text in pages().items():
        (KEYS / page).write_text(text, encoding="utf-8")
    README.write_text(updated(README.read_text(encoding="utf-8")), encoding="utf-8")
    for page in LISTING:
        page.write_text(questions(page), encoding="utf-8")
    editor.PATH.write_text(editor.text(), encoding="utf-8")
