"""What a study shows: each table and figure told once, as plain data.

Configuration, rules, checks and report read this; nothing is imported here but the standard
library, so that reading it costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Item:
    """A table or a figure of a study.

    Attributes
    ----------
    name
        ``table-3.2``, ``figure-power``; the function that arranges or draws it has the same name
        (``table_3_2``), in the study's `tables` or `figures`.
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
        Of a study with many items, the name that its modules begin with (``pairs_tables``).
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

    @property
    def is_table(self) -> bool:
        """Whether it is a table; else it is a figure."""
        return self.name.startswith("table")

    @property
    def module(self) -> str:
        """The module of the study that has its function."""
        module = "tables" if self.is_table else "figures"
        return f"{self.part}_{module}" if self.part else module

    @property
    def function(self) -> str:
        """The name of its function."""
        return re.sub(r"[-.]", "_", self.name)

    def caption_file(self, is_studys: bool = False) -> str:
        """Name of the file with its caption, in the study's folder of captions.

        Parameters
        ----------
        is_studys
            Whether the collection is the study's, so that its words fit.
        """
        return f"{(is_studys and self.study_caption) or self.caption or self.name}.rst"

    @property
    def endings(self) -> tuple[str, ...]:
        """Of the files that it is made as; the first is for reading."""
        return (".md", ".csv") if self.is_table else (".svg", ".png")

    @property
    def shows_transformations(self) -> bool:
        """Whether it shows cuts of scales, or rankings under them."""
        shown = ("cuts", "rankings", "cut-comparisons")
        return any(table.partition("/")[0] in shown for table in self.shows)

    def schema(self) -> dict:
        """JSON schema of what a user gives for it."""
        return {
            "type": "object",
            "additionalProperties": False,
            "description": f"{self.title}.",
            "properties": {key: dict(option) for key, option in self.options.items()},
            "required": [key for key, option in self.options.items() if "default" not in option],
        }


def schema_key(shown: str) -> str:
    """The path in the catalogue of a table, from the path that an item gives."""
    return "/".join(part for part in shown.split("/") if not PLACEHOLDER.search(part))


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
