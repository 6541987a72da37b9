"""What a study shows: each table and figure told once, as plain data.

Configuration, rules, checks and report read this; nothing is imported here but the standard
library, so that reading it costs nothing.

Items are declared as text: name and title, then, indented, fields of `Item`, each by its name;
what goes on is indented by eight.  Above them the part of the study whose modules have their
functions, and what all of them share: the folder of their tables, options, settings.

    [trust]
        in cuts/{transformation}
        settings source levels
    figure-budget: What cuts chosen by few labels lose against the best
        shows budget
        options searches

An option is one of those that the study names; those that stand in a path need not be said again.
``set:task`` is the one of that name, which a user gives as ``set``.  Options that neither stand in
a path nor filter are settings; further settings are an option, a property of the transformation
(``source``) or ``name=where``.  After ``decimals`` stand those of most values, and of which
quantities they differ: ``decimals 3; topics 0``.  ``like figure-1``: the same but for its title,
with that one's caption but in the study's own collection.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from textwrap import dedent

PLACEHOLDER = re.compile(r"\{(\w+)\}")

OF_THE_PAPER = {
    "type": "boolean",
    "default": False,
    "description": (
        "Whether the collection is the paper's, for comparison with its printed numbers."
    ),
}
"""The key of a study of one collection."""


@dataclass(frozen=True)
class Item:
    """A table or a figure of a study.

    Attributes
    ----------
    name
        ``table-3.2``, ``figure-power``; the function that arranges or draws it has the same name
        (``table_3_2``), in the `tables` or `figures` of its package.
    title
        Heading of a table; in few words, what a figure shows.
    shows
        The tables that its function takes, in its order, by their path below
        ``results/<collection>/``.  A part in braces stands for what the item's options or the
        collection say: ``{transformation}``, ``{transformations}``, ``{panels}``, ``{expert}``,
        ``{experts}``, ``{left_out}``, ``{set}``.  Where it stands for several, the function takes a
        mapping.
    options
        The keys that a user gives for it, each with its JSON schema; without a default it must
        be given.
    filters
        Column → option: only rows with that option's values are shown.
    settings
        Parameter of the function → where its value is: an option of the item, a key of a stage
        (``ties.significance``), or something of its transformation (``transformation.source``).
    keys
        Of a table beside a published one: the columns that identify a value.
    decimals, decimals_of
        How many the study prints; the same for the values of some quantities.
    has_bounds
        Whether the study prints upper bounds among its numbers; they are marked ``<`` in a
        column ``relation``.
    note
        What must be said below a table.
    printed
        Of a figure: the table of the study whose printed numbers it shows too, where the collection
        is the study's; its function takes them as ``published``.
    caption
        Name of the file with its caption, where it is not the item's own.
    study_caption
        The same where the collection is the study's: what its own panels show.
    heading
        What people read above it in the report, where that is not its title.
    part
        Of a package with many items, the name that its modules begin with (``pairs_tables``).
    package
        Where its function is.
    comparable
        Whether ours can come out as printed; not where the study's data are not public, and what
        it printed stands beside as what it is.
    """

    name: str
    title: str
    shows: tuple[str, ...] = ()
    options: Mapping[str, Mapping] = field(default_factory=dict)
    filters: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    decimals: int = 0
    decimals_of: Mapping[str, int] = field(default_factory=dict)
    has_bounds: bool = False
    note: str = ""
    printed: str = ""
    caption: str = ""
    study_caption: str = ""
    heading: str = ""
    part: str = ""
    comparable: bool = True
    package: str = ""

    @property
    def is_table(self) -> bool:
        """Whether it is a table; else it is a figure."""
        return self.name.startswith("table")

    @property
    def module(self) -> str:
        """The module that has its function."""
        module = "tables" if self.is_table else "figures"
        return f"{self.package}.{self.part}_{module}" if self.part else f"{self.package}.{module}"

    @property
    def function(self) -> str:
        """The name of its function."""
        return re.sub(r"[-.]", "_", self.name)

    def caption_file(self, is_studys: bool = False) -> str:
        """Name of the file with its caption, in the study's folder of captions."""
        return f"{(is_studys and self.study_caption) or self.caption or self.name}.rst"

    @property
    def endings(self) -> tuple[str, ...]:
        """Of the files that it is made as; the first is for reading."""
        return (".md", ".csv") if self.is_table else (".svg", ".png")

    @property
    def shows_transformations(self) -> bool:
        """Whether it shows cuts of scales, or rankings under them."""
        folders = ("cuts", "rankings", "cut-comparisons")
        return any(table.partition("/")[0] in folders for table in self.shows)

    def schema(self) -> dict:
        """JSON schema of what a user gives for it."""
        return {
            "type": "object",
            "additionalProperties": False,
            "description": f"{self.title}.",
            "properties": {key: dict(option) for key, option in self.options.items()},
            "required": [key for key, option in self.options.items() if "default" not in option],
        }


def one_of(names: str, about: str) -> dict:
    """An option that is the name of one of what the configuration has there."""
    return {"type": "string", "names": names, "description": about}


def one_or_none(about: str, **names: str) -> dict:
    """An option that is a name, or null."""
    return {"type": ["string", "null"], **names, "default": None, "description": about}


def some_or_all(names: str, about: str) -> dict:
    """An option that is names of what the configuration has there; null: all."""
    items = {"type": "string"}
    return {"type": ["array", "null"], "names": names, "items": items, "default": None,
            "description": about}  # fmt: skip


def count(default: int, about: str) -> dict:
    """An option that is a number of what is shown."""
    return {"type": "integer", "minimum": 1, "default": default, "description": about}


def choice(values: str, default: str, about: str) -> dict:
    """An option that is one of these words."""
    return {"enum": values.split(), "default": default, "description": about}


def read_items(
    text: str,
    options: Mapping[str, Mapping],
    notes: Mapping[str, str] | None = None,
    **same: object,
) -> tuple[Item, ...]:
    """The items that a text declares, in the notation of this module."""
    items: dict[str, Item] = {}
    for head, fields in _declared(text):
        name, colon, title = head.partition(": ")
        if not colon or name in items:
            raise ValueError(f"declares no item, or one that stands here already: {head}")
        if like := fields.get("like"):
            of_like = {"title": title, "heading": items[like].title, "study_caption": name}
            items[name] = replace(items[like], name=name, caption=like, **of_like)
        else:
            items[name] = Item(name, title, **same, **_fields(fields, options, notes or {}))
    return tuple(items.values())


def _declared(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """First line and fields of each item, with those that its part gives to all."""
    head, shared, fields = "", {}, {}
    for line in [*re.sub(r"\n {8,}", " ", dedent(text)).split("\n"), "[]"]:
        if line.startswith(" "):
            name, _, value = line.strip().partition(" ")
            adds = name in ("options", "settings") and name in fields
            fields[name] = f"{fields[name]} {value}" if adds else value
        elif line:
            if head:
                yield head, fields
            elif fields:
                shared = fields
            is_part = line.startswith("[")
            head = "" if is_part else line
            fields = {"part": line[1:-1]} if is_part else dict(shared)


def _fields(
    fields: Mapping[str, str], options: Mapping[str, Mapping], notes: Mapping[str, str]
) -> dict[str, object]:
    """The fields of an item from what its lines say."""
    folder = f"{fields['in']}/" if "in" in fields else ""
    shows = tuple(folder + table for table in fields.get("shows", "").split())
    in_paths = [name for path in shows for name in PLACEHOLDER.findall(path)]
    option_names = fields.get("options", "").split()
    if unknown := (fields.keys() - _FIELDS) | ({*option_names} - options.keys()):
        raise ValueError(f"no fields or options of an item: {sorted(unknown)}")
    known = [*(name for name in in_paths if name in options), *option_names]
    named = {name.partition(":")[0]: name for name in known}
    filters = fields.get("filters", "").split()
    settings = dict(_setting(setting, named) for setting in fields.get("settings", "").split())
    used = {*in_paths, *filters, *settings.values()}
    usual, *others = fields.get("decimals", "0").split("; ")
    return {
        **{name: fields[name] for name in _TEXTS if name in fields},
        "shows": shows,
        "options": {name: options[which] for name, which in named.items()},
        "filters": {name: name for name in filters},
        "settings": settings | {name: name for name in named if name not in used},
        "keys": tuple(fields.get("keys", "").split()),
        "decimals": int(usual),
        "decimals_of": {name: int(n) for name, n in (other.rsplit(" ", 1) for other in others)},
        "has_bounds": "has_bounds" in fields,
        "note": fields.get("note", "").format_map(notes),
    }


_TEXTS = ("part", "printed", "caption", "heading")
_FIELDS = {
    *_TEXTS,
    *("in", "shows", "options", "filters", "settings", "keys", "decimals", "has_bounds", "note"),
}


def _setting(setting: str, options: Mapping[str, str]) -> tuple[str, str]:
    name, separator, where = setting.partition("=")
    return name, where if separator else name if name in options else f"transformation.{name}"


def schema_key(path: str) -> str:
    """The path in the catalogue of a table, from the path that an item gives."""
    return "/".join(part for part in path.split("/") if not PLACEHOLDER.search(part))


NOTHING_PRINTED = {
    "type": "boolean",
    "default": False,
    "description": "No paper printed these tables.",
}
"""The key of a study that no paper is."""


@dataclass(frozen=True)
class Study:
    """A study and what it shows.

    Attributes
    ----------
    name
        As in paths and in the configuration.
    title
        Who wrote it, what, when.
    published
        JSON schema of the key that says whose printed numbers stand beside ours.
    items
        Its tables and figures.
    """

    name: str
    title: str
    published: Mapping
    items: tuple[Item, ...] = field(repr=False)

    @cached_property
    def by_name(self) -> dict[str, Item]:
        """Its items by name."""
        return {item.name: item for item in self.items}

    def schema(self) -> dict:
        """JSON schema of what a user asks of it."""
        return {
            "type": "object",
            "additionalProperties": False,
            "default": {},
            "description": self.title,
            "properties": {
                "published": dict(self.published),
                **{item.name: item.schema() for item in self.items},
            },
        }
