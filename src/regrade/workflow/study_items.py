"""The tables and figures that a collection asks for: their files, rows, settings and checks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from regrade.measures import parse
from regrade.stages.declare import Tables, gives
from regrade.studies.items import PLACEHOLDER, Item, Study, schema_key
from regrade.workflow.config import ConfigError
from regrade.workflow.names import check_names_in, sets_named
from regrade.workflow.stages import STAGES, rests_on_runs, sets_of_stage, stage_of

SWEEPS = {"sweep": "sweeps", "label_sweep": "label_sweeps"}
"""Options that name one of a key's items, and need not where it has but one."""

LACKING = {
    "references": "compares with labels: name some",
    "partitions": "draws partitions: say how many",
}
"""What is said where an item gives nothing for an option that its tables need."""


@dataclass(frozen=True)
class RequestedItem:
    """One item of a study, as a collection asks for it.

    Attributes
    ----------
    collection
        A `regrade.workflow.collection.Collection`.
    study, item
        What is shown.
    options
        What the user gave for the item, defaults filled in.
    """

    collection: object
    study: Study
    item: Item
    options: Mapping

    @property
    def place(self) -> str:
        """Where the configuration asks for it."""
        return f"studies.{self.study.name}.{self.item.name}"

    @property
    def heading(self) -> str:
        """What people read above it: which transformation, and which panels, where it has some."""
        named = ("transformation", "pair", *SWEEPS)
        choices = [self.options[key] for key in named if self.options.get(key)]
        if self.options.get("panels"):
            choices.append(f"by {', '.join(self.options['panels'])}")
        heading = self.item.heading or self.item.title
        return f"{heading} ({'; '.join(choices)})" if choices else heading

    @property
    def caption_file(self) -> str:
        """Name of the file with its caption; the study's words only where the data are its own."""
        return self.item.caption_file(bool(self.collection.published(self.study.name)))

    def path(self, ending: str) -> str:
        """Its path below the collection's results."""
        folder = "tables" if self.item.is_table else "figures"
        return f"{folder}/{self.study.name}/{self.item.name}{ending}"

    @cached_property
    def _transformations(self) -> dict:
        """The transformations that it covers, by name."""
        known = self.collection.transformations
        if "transformation" in self.options:
            return {self.options["transformation"]: known[self.options["transformation"]]}
        if "transformations" in self.options:
            every = self.collection.items["trust"] if "trust" in self._stage_keys else known
            return {name: known[name] for name in self.options["transformations"] or every}
        return {}

    @property
    def inputs(self) -> dict[str, list[str]]:
        """Paths of the tables that it shows, below the collection's results, by input name."""
        return {
            _input_name(table): [f"{path}.parquet" for _, path in self._files(table)]
            for table in self.item.shows
        }

    @property
    def tables(self) -> list[tuple[str, str, list | None]]:
        """Schema key, input name, and what tells the files apart (``None``: there is one)."""
        return [
            (
                schema_key(table),
                _input_name(table),
                [values for values, _ in self._files(table)]
                if any(map(_stands_for_many, PLACEHOLDER.findall(table)))
                else None,
            )
            for table in self.item.shows
        ]

    @property
    def rows(self) -> dict[str, list]:
        """The values by column that rows must have to be shown."""
        return {column: self._values(option) for column, option in self.item.filters.items()}

    @property
    def settings(self) -> dict[str, object]:
        """Further parameters of the item's function."""
        return {name: self._setting(key) for name, key in self.item.settings.items()}

    @property
    def notes(self) -> str:
        """What must be said beside it: its own note, and of simulated data that it rests on."""
        return " ".join(filter(None, (self.item.note, self._simulated)))

    @property
    def _simulated(self) -> str:
        if self.item.shows_transformations:
            known, compared = self.collection.transformations, self.collection.options
            names = self._transformations or {*itertools.chain(*compared["cut_comparisons"])}
            return self._notes_on(*set().union(*(known[name].sets for name in names)))
        if {"set", "power", "pair", "judges", "favour"} & self.options.keys():
            return self._notes_on(*self._requested_sets())
        if all(stage_of(table) == "synthetic_power" for table in self.item.shows):
            # neither the paper's example nor a formula is simulated
            if set(self.item.shows) <= {"synthetic-power/example", "synthetic-power/needed"}:
                return ""
            return "Simulated, not real: all judgments and preferences."
        if all(stage_of(table) == "pair_worlds" for table in self.item.shows):
            return "Simulated, not real: all worlds."
        options = self.collection.options
        scored = {name for one in self._groups for name in sets_of_stage(one.stage, options)}
        return self._notes_on(*sorted(scored))

    def _notes_on(self, *names: str) -> str:
        """What must be said of these sets, and of the runs if a table rests on them."""
        return self.collection.notes_on(*names, runs=rests_on_runs(self.item.shows))

    @cached_property
    def _groups(self) -> list[Tables]:
        """The groups of its tables."""
        return [STAGES[stage_of(table)] for table in self.item.shows]

    @property
    def _stage_keys(self) -> set[str]:
        """What these are asked for by."""
        return {group.key for group in self._groups}

    def _requested_sets(self) -> set[str]:
        """The sets that the one comparison which it shows rests on."""
        keys = ("set", "power", "pair", "judges", "favour")
        name = next(self.options[key] for key in keys if key in self.options)
        items = {key: self.collection.items[key][name] for key in self._stage_keys}
        return set().union(*(sets_named(key, options) for key, options in items.items()))

    def check(self) -> None:
        """Refuse what cannot be shown."""
        for group in self._groups:
            if not group.stage.is_requested(self.collection.options):
                raise self._error(f"shows {group.name_in_messages}: request it too")
            # without runs, each item of a stage that needs systems is about scores by item
            items = (self.collection.items[group.key] or {}).values()
            has_systems = self.collection.has_runs or any(one.get("scores") for one in items)
            if group.needs_runs and not has_systems:
                raise self._error("ranks systems, and the collection has no `runs`: leave it out")
        check_names_in(self.collection, self.place, self.options, self.item.schema())
        for option, key in SWEEPS.items():
            if self.options.get(option, "") is None:
                several = ", ".join(self.collection.items[key])
                problem = f"there are several, {several}: name one"
                raise self.collection.error(f"{self.place}.{option}", problem)
        for group in self._groups:
            items = self.collection.items[group.key]
            if group.key in ("trust", "per_judge", "cut_criteria", "cut_levels"):
                for name in self._transformations:
                    kind = f"transformation under `{group.key}`"
                    self.collection.check_known(self.place, kind, name, items)
                    self._check_served(group, name)
            elif group.key in ("magnitudes", "pairs"):
                name = self.options["set"]
                for option in (option for option in group.asks if not items[name][option]):
                    raise self._error(f"{LACKING[option]} under `{group.key}.{name}.{option}`")
        for column, option in self.item.filters.items():
            self._check_filter(column, option)

    def _error(self, problem: str) -> ConfigError:
        return self.collection.error(self.place, problem)

    def _check_served(self, group: Tables, name: str) -> None:
        """Refuse what the item of a stage leaves out."""
        if not gives(self.collection.items[group.key][name], group.asks):
            needed = " and ".join(f"`{one}`".replace("|", "` or `") for one in group.asks)
            raise self._error(f"shows what {group.key}.{name} leaves out: give {needed} there")

    def _check_filter(self, column: str, option: str) -> None:
        """Only rows that the stage makes can be shown."""
        for table, group in zip(self.item.shows, self._groups, strict=True):
            key = group.lists.get(f"{table}:{column}", group.lists.get(column))
            item = self.collection.options[group.key]
            if isinstance(item, list):  # of which the item shows one, by its name
                item = self.collection.items[group.key][self.options["set"]]
            made = item[key]
            values = self.options[option]
            for value in values if isinstance(values, list) else [values]:
                kind = f"{column} under `{group.key}.{key}`"
                self.collection.check_known(f"{self.place}.{option}", kind, value, made)

    def _files(self, table: str) -> Iterator[tuple[str | tuple[str, ...], str]]:
        """What stands for a table's placeholders (one: itself), and the path, of each file."""
        names = PLACEHOLDER.findall(table)
        for values in self._places(names):
            path = PLACEHOLDER.sub(lambda match, values=values: values[match[1]], table)
            key = tuple(values[name] for name in names if _stands_for_many(name))
            yield (key[0] if len(key) == 1 else key), path

    def _places(self, names: list[str]) -> Iterator[dict[str, str]]:
        if "experts" in names:  # those of each transformation
            for name, transformation in self._transformations.items():
                for expert in transformation.experts:
                    yield {"transformations": name, "experts": expert}
            return
        choices = [self._choices(name) for name in names]
        for chosen in itertools.product(*choices):
            yield dict(zip(names, chosen, strict=True))

    def _choices(self, name: str) -> list[str]:
        match name:
            case "transformations":
                return list(self._transformations)
            case "left_out":
                return [left_out["name"] for left_out in self.collection.options["leave_one_out"]]
        values = self.options[name]
        return values if isinstance(values, list) else [values]

    def _values(self, option: str) -> list:
        """The values of an option as tables hold them."""
        values = self.options[option]
        if option == "measure":
            return [str(parse(values))]
        return [float(value) for value in values]

    def _setting(self, key: str) -> object:
        if key == "transformations":
            return {
                name: {
                    "source": t.source,
                    "levels": t.levels,
                    "measure": t.options["measure"],
                    "experts": {e: self.collection.scale(e).levels for e in t.experts},
                }
                for name, t in self._transformations.items()
            }
        first, _, rest = key.partition(".")
        if first in self.options and not rest:
            return self.options[first]
        if first == "transformation":
            [transformation] = self._transformations.values()
            return getattr(transformation, rest)
        item = self.collection.options[first]
        if isinstance(item, list):
            item = self.collection.items[first][self.options["set"]]
        return item[rest]


def of_only(collection, options: Mapping) -> Mapping:
    """What a user gave for an item, with the only sweep where none is named."""
    complete = dict(options)
    for option, key in SWEEPS.items():
        items = collection.items[key]
        if options.get(option, "") is None and len(items) == 1:
            complete[option] = next(iter(items))
    return complete


def _input_name(table: str) -> str:
    return schema_key(table).replace("/", "_").replace("-", "_")


def _stands_for_many(name: str) -> bool:
    return name in ("transformations", "panels", "experts", "left_out")
