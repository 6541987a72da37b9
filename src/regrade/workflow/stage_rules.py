"""The rules of declared stages: what each job of a collection reads, makes and is told."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from regrade.catalogue import tables_of
from regrade.stages.declare import Job, Read, Stage, gives
from regrade.stages.registry import stages
from regrade.workflow.inputs.cuts import CutInputs, CutsPart, CutsParts
from regrade.workflow.inputs.each import COLLECTION, Each, one_of, only
from regrade.workflow.inputs.effects import effect_tables
from regrade.workflow.inputs.paths import Paths, Places
from regrade.workflow.inputs.sweeps import SWEEPS
from regrade.workflow.resources import megabytes
from regrade.workflow.sets import collected_scale
from regrade.workflow.sources import content_hash, imported_names, is_module, source_hash
from regrade.workflow.stages import STAGES

ITEM = "item"
"""The wildcard that stands for an item's name."""

SCRIPT = "stage.py"


def job_rules(
    paths: Mapping[str, Paths], cuts: Mapping[str, Mapping[str, CutInputs]]
) -> Iterator[JobRule]:
    """The rules of all stages that collections ask for, one for each job.

    Items of which a job makes other tables than of the first, as they have no references, get a
    rule with a number.

    Parameters
    ----------
    paths, cuts
        Of each collection, by its name.
    """
    for stage in stages().values():
        made = {
            (collection, item): _made_by(own.collection, stage, item)
            for collection, own in paths.items()
            if stage.is_requested(own.collection.options)
            for item in _items(own.collection, stage)
        }
        for job in stage.jobs.values():
            alike: dict[tuple[str, ...], dict[str, list[str]]] = {}
            for (collection, item), by_job in made.items():
                if tables := by_job[job.name]:
                    alike.setdefault(tables, {}).setdefault(collection, []).append(item)
            for number, (tables, items) in enumerate(alike.items(), 1):
                of = {
                    one: JobInputs(paths[one], cuts[one], stage, job, tables, paths)
                    for one in items
                }
                yield JobRule(number, job, tables, items, of)


def _items(collection, stage: type[Stage]) -> list[str]:
    """The names of the items of a stage, one without a name where there are no several."""
    items = collection.items[stage.key]
    return [""] if items is None else list(items)


def _made_by(collection, stage: type[Stage], item: str) -> dict[str, tuple[str, ...]]:
    """The tables that each job makes of an item: of the jobs that could make one, the last does."""
    makes = {}
    for job in reversed(stage.jobs.values()):
        later = {table for tables in makes.values() for table in tables}
        tables = _tables(collection, stage, job, item)
        makes[job.name] = tuple(table for table in tables if table not in later)
    return makes


def _tables(collection, stage: type[Stage], job: Job, item: str) -> Iterator[str]:
    """The paths of the tables that a job makes of an item; none where there is no such job."""
    options = collection.options_of(stage.key, item)
    if not gives(options, job.asks.split()) or (job.needs_runs and not collection.has_runs):
        return
    for group in stage.tables:
        if collection.serves(group, item):
            yield from (table for table in tables_of(group.name) if job.is_maker(group.name, table))


def numbered(rule: str, number: int) -> str:
    """The name of a job's rule: of the first one the job's, of further ones with their number."""
    return rule if number == 1 else f"{rule}_{number}"


def set_alike(workflow, rule: str, further: str) -> None:
    """Let what users set of a rule hold for a further rule of the same job, which is yet to come.

    `workflow` is Snakemake's.
    """
    resources, groups = workflow.resource_settings, workflow.group_settings
    for settings, key in (
        (resources, "overwrite_resources"),
        (resources, "overwrite_threads"),
        (groups, "overwrite_groups"),
    ):
        overwritten = getattr(settings, key)
        if rule in overwritten:
            setattr(settings, key, {further: overwritten[rule]} | dict(overwritten))
            vars(settings).pop(
                f"_parsed_{key}", None
            )  # which Snakemake keeps from its first rule on


@dataclass(frozen=True, eq=False)
class JobRule:
    """The rule of a job, for the items of collections of which it makes the same tables.

    Attributes
    ----------
    number
        Of a job's rules, from 1.
    items
        Collection → the names of its items.
    of
        Collection → what its jobs read and are told.
    """

    number: int
    job: Job
    tables: tuple[str, ...]
    items: Mapping[str, list[str]]
    of: Mapping[str, JobInputs]

    @property
    def name(self) -> str:
        """Of the rule."""
        return numbered(self.job.name, self.number)

    @property
    def each(self) -> Each:
        """What jobs read and are told, by functions of wildcards."""
        return Each(self.of)

    @property
    def parts(self) -> list[str]:
        """What stands for the item in the paths of outputs and of the log."""
        return [] if [""] in self.items.values() else [f"{{{ITEM}}}"]

    @property
    def matched(self) -> dict[str, str]:
        """What the wildcards may stand for."""
        if self.parts:
            return only(f"*/{{{ITEM}}}/", self.items)
        return {COLLECTION: one_of(self.items)}

    @property
    def outputs(self) -> dict[str, str]:
        """The tables and files by name; of items, with a wildcard."""
        folders = [table.split("/") for table in self.tables]
        files = [(folder, name, f"{name}.parquet") for folder, name in folders]
        files += [(folders[0][0], name, name) for name in self.job.files]
        below = Places().below
        return {name: below(folder, *self.parts, file) for folder, name, file in files}

    @property
    def imports(self) -> str:
        """What the job's function imports, as the fork server finds it in the job's script."""
        return f"imports: {' '.join(self._modules)}"

    @cached_property
    def code(self) -> str:
        """The hash of its code."""
        return source_hash(SCRIPT, *self._modules, text=_text(self.job.function))

    @property
    def _modules(self) -> tuple[str, ...]:
        """The modules of the library that its function and what reads its inputs need."""
        loading = [read.load.rpartition(".")[0] for read in self.job.reads if read.load]
        return *modules_of(self.job.function), *loading

    def memory(self, wildcards, input, attempt: int) -> int:
        """Megabytes, by what it reads and which attempt it is."""
        collection = self.of[wildcards.collection].collection
        least = collection.memory(self.job.memory, self.job.pairs_of_systems)
        return megabytes(least, input, attempt)

    def minutes(self, wildcards, attempt: int) -> int:
        """Minutes, as many again in each further attempt."""
        return self.job.minutes * attempt


@dataclass(frozen=True, eq=False)
class JobInputs:
    """What a job of a collection reads and is told; functions of wildcards for Snakemake."""

    paths: Paths
    cuts: Mapping[str, CutInputs]
    stage: type[Stage]
    job: Job
    tables: tuple[str, ...]
    every: Mapping[str, Paths]

    @property
    def collection(self):
        """The collection."""
        return self.paths.collection

    def item(self, wildcards) -> str:
        """The item's name."""
        return wildcards.get(ITEM, "")

    def options(self, wildcards) -> Mapping:
        """The options of the item."""
        return self.collection.options_of(self.stage.key, self.item(wildcards))

    def inputs(self, wildcards) -> dict[str, str | list[str]]:
        """What the job reads, by name."""
        inputs = {}
        for read in self.job.reads:
            paths = self._paths(read, wildcards)
            inputs |= paths if isinstance(paths, dict) else {read.name: paths}
        return inputs

    def _paths(self, read: Read, wildcards) -> str | list[str] | dict[str, str | list[str]]:
        if not read.is_read(self.options(wildcards)):
            return []
        return getattr(self, f"_{read.kind}")(read, wildcards)

    def _sets(self, read: Read, wildcards) -> str | list[str]:
        return _each(self.paths.set, _names(read, self.options(wildcards)))

    def _codes(self, read: Read, wildcards) -> dict[str, str | list[str]]:
        names = _names(read, self.options(wildcards))
        return {f"{read.name}_codes": _each(self.paths.coded, names)}

    def _scores(self, read: Read, wildcards) -> str | list[str]:
        return _each(self.paths.scores, _names(read, self.options(wildcards)))

    def _counted(self, read: Read, wildcards) -> str | list[str]:
        return _each(self.paths.counted_answers, _names(read, self.options(wildcards)))

    def _design(self, read: Read, wildcards) -> list[str]:
        return [self.paths.item_scores(name) for name in self._scores_of(read, wildcards)]

    def _scores_of(self, read: Read, wildcards) -> list[str]:
        """The sets of scores by item that it reads; none where it is about labels."""
        names = _names(read, self.options(wildcards))
        return [names] if isinstance(names, str) else names

    def _runs(self, read: Read, wildcards) -> str | list[str]:
        return [] if self.options(wildcards).get("scores") else self.paths.runs

    def _groups(self, read: Read, wildcards) -> str | list[str]:
        groups = self.collection.options["groups"]
        return self.collection.path(groups) if groups and self.collection.has_runs else []

    def _families(self, read: Read, wildcards) -> str | list[str]:
        families = self.collection.options["families"] or self.collection.options["groups"]
        is_file = isinstance(families, str) and self.collection.has_runs
        return self.collection.path(families) if is_file else []

    def _made(self, read: Read, wildcards) -> str:
        folder = self.tables[0].partition("/")[0]
        of = [item] if (item := self.item(wildcards)) else []
        return self.paths.below(folder, *of, f"{read.name}.parquet")

    def _table(self, read: Read, wildcards) -> str | list[str]:
        group, key = read.of
        of = self.options(wildcards)[key] if key else None
        is_requested = STAGES[group].stage.is_requested(self.collection.options) and (of or not key)
        return self.paths.tables(group, of=of)[read.name] if is_requested else []

    def _file(self, read: Read, wildcards) -> str | list[str]:
        named = self.options(wildcards).get(read.name) or {}
        return _each(self.collection.path, named if isinstance(named, str) else named.values())

    def _sweep(self, read: Read, wildcards) -> dict[str, str | list[str]]:
        return SWEEPS[self.stage.key](self.paths, self.item(wildcards)).read

    def _effects(self, read: Read, wildcards) -> list[str]:
        return effect_tables(self.options(wildcards), self.every)

    def _searches(self, read: Read, wildcards) -> dict[str, list[str]]:
        searches = read.choose(self.collection)
        return {
            table: [self.cuts[name].path(f"{search}/{table}.parquet") for name, search in searches]
            for table in ("best_cuts", "alpha")
        }

    def _cuts(self, read: Read, wildcards) -> dict[str, str | list[str]]:
        paths = self._part_of_cuts(read, wildcards).paths
        return {f"{read.name}_{key}": path for key, path in paths.items()}

    def _part_of_cuts(self, read: Read, wildcards) -> CutsPart:
        return getattr(CutsParts(self.cuts, self.options(wildcards)), read.of[0])()

    def request(self, wildcards) -> dict[str, object]:
        """What the job is told: options, and the names and scales of sets."""
        item, options = self.item(wildcards), self.options(wildcards)
        request = {
            "stage": self.stage.key,
            "job": self.job.name,
            "options": {name: self._option(name, options) for name in self.job.options},
            "sets": {
                read.name: _each(self._described, _names(read, options))
                for read in self.job.reads
                if read.kind in ("sets", "codes", "scores", "counted")
            },
        }
        for read in (read for read in self.job.reads if read.kind == "design"):
            named = options.get(read.name)
            request["design"] = {
                "several": named is not None and not isinstance(named, str),
                "measures": options.get("measures"),
                "sets": [
                    {key: self.collection.score_sets[name][key] for key in ("lower", "missing")}
                    | {"name": name}
                    for name in self._scores_of(read, wildcards)
                ],
            }
        if parts := [read for read in self.job.reads if read.kind == "cuts"]:
            request["cuts"] = {
                one.name: self._part_of_cuts(one, wildcards).request for one in parts
            }
        if item:
            request["item"] = item
        if names := self.collection.measure_names(self.stage, options):
            request["measures"] = names
        for read in self.job.reads:
            if read.kind == "families":
                families = self.collection.options["families"]
                request["families"] = families if isinstance(families, Mapping) else None
            if read.kind == "searches":
                request["searches"] = [*read.choose(self.collection)]
            if read.kind == "sweep":
                request["sweep"] = SWEEPS[self.stage.key](self.paths, item).request
            if read.kind == "effects":
                notes = {one: self.every[one].collection.notes for one in options["collections"]}
                request["collections"] = notes
        if self.job.further:
            request["further"] = self.job.further(self.collection, item)
        return request

    def _option(self, name: str, options: Mapping) -> object:
        """An option of the item, of the collection, or of tests of pairs."""
        if name in self.stage.fields or name == self.stage.key:
            return options.get(name)
        own = self.collection.options
        return own[name] if name in own and name not in stages() else own["pair_tests"][name]

    def _described(self, name: str) -> dict[str, object]:
        """Name, kind and scale of a set."""
        collection = self.collection
        scale = collected_scale(collection.sets[name])
        return {"name": name, "kind": collection.kind(name), "scale": scale}

    def content(self, wildcards) -> str | None:
        """The hash of the files of users that it reads; none where it reads none but jobs'."""
        files = []
        for read in self.job.reads:
            if read.kind in ("file", "groups", "families"):
                named = self._paths(read, wildcards)
                files += [named] if isinstance(named, str) else named
        own = self.paths.below("")
        files = [file for file in files if not file.startswith(own)]
        return content_hash(files) if files else None

    def threads(self, wildcards) -> int:
        """How many threads it takes."""
        threads = self.job.threads
        return threads(self.collection, self.options(wildcards)) if callable(threads) else threads


def _names(read: Read, options: Mapping) -> str | list[str]:
    """The names of the sets that an input is of; one name, not in a list, where it is of one."""
    names = read.choose(options) if read.choose else options.get(read.name)
    return names if isinstance(names, str) else [*(names or ())]


def _each(of: Callable[[str], object], names: str | list[str]) -> object:
    """What a function gives for a name, or a list of it for names."""
    return of(names) if isinstance(names, str) else [of(name) for name in names]


@cache
def _text(function: Callable) -> str:
    return inspect.getsource(function)


@cache
def modules_of(function: Callable) -> tuple[str, ...]:
    """The modules of the library that a job's function imports."""
    names = imported_names(_text(function))
    return tuple(sorted(name for name in names if is_module(name)))
