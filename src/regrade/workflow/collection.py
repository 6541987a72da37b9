"""A collection of the configuration: what there is, and what to build of it.

Plain functions over plain mappings; no Snakemake in here, so tests can call it.
"""

from __future__ import annotations

import glob
import itertools
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from natsort import natsorted

from regrade.choices import COMPARED, CUT_METHODS, PAIR_METHODS, SCORED, STRENGTHS
from regrade.cutsearch.stage import COMPLETED, set_of_reference
from regrade.errors import ParameterError, RegradeError, check_braces, did_you_mean, near_files
from regrade.measures import check_cuts, default_measures, parse, parse_all, relevance_note
from regrade.scales import Scale, check_grid, check_levels
from regrade.stages.declare import gives
from regrade.stages.registry import stages
from regrade.studies.registry import STUDIES
from regrade.workflow.config import ConfigError
from regrade.workflow.names import check_names, check_scale, name_of
from regrade.workflow.project import PROJECT
from regrade.workflow.sets import (
    KINDS,
    check_sets,
    collected_scale,
    files_of,
    scale_of,
    source_of,
    units_of,
    written_scale,
)
from regrade.workflow.stages import Stage, check_stages, divide_sweeps, fill_depths
from regrade.workflow.study_items import RequestedItem, of_only

SHIPPED = str(PROJECT / "data")
"""The folder of the data that come with the project."""


@dataclass(frozen=True)
class Reference:
    """A set that a transformation compares with."""

    name: str
    unjudged: str

    @property
    def label(self) -> str:
        """The papers' way of writing it: a subscript a where unjudged is non-relevant."""
        return self.name + COMPLETED * (self.unjudged == "non-relevant")


@dataclass(frozen=True)
class Search:
    """One method of one transformation, and its reference if it has one."""

    method: str
    reference: Reference | None

    @property
    def name(self) -> str:
        """As in paths: ``tw1`` or ``h2@TR2_a``."""
        return f"{self.method}@{self.reference.label}" if self.reference else self.method

    @property
    def asked(self) -> dict[str, str | None]:
        """What a job is told of it: method, the set it compares with, its label and rule."""
        reference = self.reference
        return {
            "method": self.method,
            "reference": reference.name if reference else None,
            "label": reference.label if reference else None,
            "unjudged": reference.unjudged if reference else "drop",
        }


class Collection:
    """One collection of a complete configuration.

    Parameters
    ----------
    name
        Its name.
    config
        A complete configuration (see `complete`).
    """

    def __init__(self, name: str, config: Mapping, given: Callable[[str], str] = str):
        self.given = given  # marks the path of a file that no rule makes
        if name not in config["collections"]:
            near = did_you_mean(name, config["collections"])
            raise ConfigError(f"config: collection: there is no collection '{name}'{near}")
        self.name = name
        self.data = config["data"]
        self.options = config["collections"][name]
        try:
            self.options = divide_sweeps(fill_depths(self.options))
        except RegradeError as error:
            raise self.error("pools", error) from error
        self.transformations = {
            called: Transformation(self, called, options)
            for called, options in self.by_name("transformations").items()
        }
        self.items = {stage.key: stage.items(self) for stage in stages().values()}
        self._check_simulation()
        check_sets(self)
        self._fill_measures()
        check_names(self)
        self._check_measures()
        for transformation in self.transformations.values():
            transformation.check()
        self._check_labelled()
        self._check_scored()
        check_stages(self)
        self._check_shown()

    def _check_shown(self) -> None:
        """Refuse tables and figures that cannot be made, all at once."""
        refused = []
        for shown in self.shown:
            try:
                shown.check()
            except ConfigError as error:
                refused.append(str(error))
        if refused:
            raise ConfigError("\n".join(dict.fromkeys(refused)))

    @cached_property
    def crowds(self) -> dict[str, str | None]:
        """Judgments by several workers → the first labels beside which they are cut."""
        references = {}
        for one in self.transformations.values():
            named = (r.name for r in one.references if r.name in self.qrels)
            references.setdefault(one.source, next(named, None))
        return {
            name: references.get(name)
            for name, options in self.judgments.items()
            if not (options.get("from") or self._is_of_one(options))
        }

    @staticmethod
    def _is_of_one(options: Mapping) -> bool:
        """Whether a set's options say that it is of one worker."""
        column = (options.get("columns") or {}).get("worker", "worker")
        chosen = (options.get("where") or {}).get(column)
        return isinstance(chosen, str) or options.get("format") == "trec"

    def options_of(self, key: str, item: str = "") -> Mapping:
        """The options of an item of a declared stage, or those of a stage without items."""
        if item:
            return self.items[key][item]
        held = self.options[key]
        return held if isinstance(held, Mapping) else {key: held}

    def by_name(self, key: str) -> dict[str, Mapping]:
        """The items of a list, by the name that each has or takes of what it is about."""
        found = {}
        for options in self.options[key]:
            known_as = name_of(key, options)
            if known_as in found:
                problem = f"two are called '{known_as}': give one of them a `name`, or leave it out"
                raise self.error(key, problem)
            found[known_as] = options
        return found

    def _fill_measures(self) -> None:
        """The measures that are taken where none is named, by the scales of what is scored."""
        self._names_measures = self.options["measures"] is not None
        if not self._names_measures:
            asked = dict.fromkeys(m for name in self.qrels for m in self._measures_asked(name))
            self.options = {**self.options, "measures": list(asked or SCORED)}
        for item in self.items["compare"].values():
            if item["measures"] is None:
                scales = [self.scale(name) for name in item["pairs"][0] if name in self.sets]
                item["measures"] = list(default_measures(*scales, of=COMPARED) or COMPARED)
        for item in self.items["ranking"].values():
            if item["measures"] is None:
                scales = [self.scale(item["qrels"])] if item["qrels"] in self.sets else []
                item["measures"] = list(default_measures(*scales, of=COMPARED) or COMPARED)
        for item in self.items["estimates"].values():
            if item["measures"] is None and not self.has_runs:
                item["measures"] = []
            elif item["measures"] is None:
                scales = [Scale.of(scale)] if (scale := self.scale_of_people(item)) else []
                item["measures"] = list(default_measures(*scales, of=COMPARED) or COMPARED)

    def scale_of_people(self, estimate: Mapping) -> dict:
        """The options that say which scale people labelled on; none where nothing says it."""
        options = self.qrels.get(estimate.get("qrels"))
        return collected_scale(options) if options else written_scale(estimate)

    def _measures_asked(self, name: str) -> Sequence[str]:
        """What a qrels is to be scored by, whether it can serve it or not."""
        if self._names_measures:
            return self.options["measures"]
        return default_measures(self.scale(name)) or SCORED

    def error(self, place: str, problem: object) -> ConfigError:
        """The error that says what is wrong at a place of this collection's configuration."""
        where = f"collections.{self.name}.{place}" if place else f"collections.{self.name}"
        return ConfigError(f"config: {where}: {problem}")

    def check_known(self, place: str, kind: str, name: str, known: Iterable[str]) -> None:
        """Refuse a name at a place where only some are known."""
        if name not in known:
            raise self.error(place, f"there is no {kind} '{name}'{did_you_mean(name, known)}")

    def path(self, text: str, folder: Callable[[str], str] = str) -> str:
        """A path with ``{data}`` replaced, and ``{shipped}``, the data that come with the clone.

        These folders are written as `folder` says: in a pattern their brackets are none.
        """
        path = text.replace("{data}", folder(self.data)).replace("{shipped}", folder(SHIPPED))
        here = os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118
        # braces of the folder that one is in need not be named
        return self.given(path.removeprefix(here) if "{" in here else path)

    def check_files(self) -> None:
        """Refuse files that the configuration names and that are not there."""
        for place, text in self._files():
            path = self.path(text)
            if not os.path.isfile(path):  # noqa: PTH113
                remedy = f"put it there, or say where it is{_data_option(text)}"
                raise self.error(place, f"there is no file {path}{near_files(path, remedy)}")
            self._check_braces(place, path)
        if self.has_runs and not self.simulates_runs:
            self.run_files  # noqa: B018  to find them

    def _files(self) -> Iterator[tuple[str, str]]:
        """Where the configuration names a file, and how it writes it; the runs' apart."""
        for kind in KINDS:
            for name, options in self.options[kind].items():
                files = files_of(options) if source_of(options) == "file" else []
                yield from ((f"{kind}.{name}.file", file) for file in files)
        for key in ("groups", "pool_origins"):
            if self.options[key]:
                yield key, self.options[key]
        for key, items in (
            ("rated_lists", self.items["rated_lists"]),
            ("pages", self.items["pages"]),
        ):
            yield from ((f"{key}.{name}.file", item["file"]) for name, item in items.items())
        for name, item in self.items["estimates"].items():
            if "file" in item:
                yield f"estimates.{name}.file", item["file"]

    def _check_braces(self, place: str, path: str) -> None:
        """Refuse what Snakemake takes for a wildcard, wherever a path has it."""
        try:
            check_braces(path)
        except ParameterError as error:
            raise self.error(place, str(error)) from error

    @property
    def has_runs(self) -> bool:
        """Whether systems can be ranked."""
        return self.options["runs"] is not None

    @property
    def simulates_runs(self) -> bool:
        """Whether the runs are made up, with the base qrels or over the documents of others."""
        return isinstance(self.options["runs"], Mapping)

    @property
    def systems(self) -> int:
        """How many systems there are, as far as the configuration and the files' number tell."""
        if not self.has_runs:
            return 0
        if self.simulates_runs:
            return self.simulated_runs["systems"]
        return len(self.run_files)

    def memory(self, least: int, kilobytes: float) -> int:
        """Megabytes for a job that holds so many kB of each pair of systems, beside the least."""
        return least + math.ceil(math.comb(self.systems, 2) * kilobytes / 1000)

    @property
    def simulated_runs(self) -> dict:
        """The parameters of the simulated runs, the sets aside; empty where runs are files."""
        if not self.simulates_runs:
            return {}
        (given,) = self.options["runs"].values()
        own = {key: value for key, value in given.items() if key != "qrels"}
        return {**own, "seed": self.options["simulation"]["seed"]}

    @property
    def ranked_sets(self) -> list[str]:
        """The qrels whose documents simulated systems rank; none where runs are not so made."""
        over = self.options["runs"].get("simulate_over") if self.simulates_runs else None
        return over["qrels"] if over else []

    @cached_property
    def run_files(self) -> list[str]:
        """The runs' files, sorted."""
        patterns = self.options["runs"]
        patterns = [patterns] if isinstance(patterns, str) else patterns
        files = []
        for text in patterns:
            pattern = self.path(text)
            found = [pattern]  # a file may be called a[1].run
            if not os.path.isfile(pattern):  # noqa: PTH113
                # Path.glob takes no absolute pattern
                found = sorted(glob.glob(self.path(text, glob.escape)))  # noqa: PTH207
            if not found:
                remedy = f"put the files there, or say where they are{_data_option(text)}"
                raise self.error("runs", f"no file matches {pattern}{near_files(pattern, remedy)}")
            folders = [path for path in found if os.path.isdir(path)]  # noqa: PTH112
            if folders:
                problem = f"{folders[0]} is a folder: name the files in it, {folders[0]}/*"
                raise self.error("runs", problem)
            files += found
        for path in files:
            self._check_braces("runs", path)
        return list(map(self.given, sorted(set(files))))

    @property
    def qrels(self) -> Mapping[str, Mapping]:
        """Options of each qrels by name."""
        return self.options["qrels"]

    @property
    def judgments(self) -> Mapping[str, Mapping]:
        """Options of each judgment set by name."""
        return self.options["judgments"]

    @property
    def preferences(self) -> Mapping[str, Mapping]:
        """Options of each preference set by name."""
        return self.options["preferences"]

    @property
    def sets(self) -> dict[str, Mapping]:
        """Options of each set of any kind by name."""
        return {**self.qrels, **self.judgments, **self.preferences}

    def kind(self, name: str) -> str:
        """The kind of a set, one of `regrade.workflow.sets.KINDS`."""
        return next(kind for kind in KINDS if name in self.options[kind])

    def serves(self, stage: Stage, name: str | None = None) -> bool:
        """Whether it has what a stage needs, for the item of that name where there are several."""
        asked = self.items[stage.key][name] if stage.asks else {}
        return (self.has_runs or not stage.where_runs) and gives(asked, stage.asks)

    @property
    def simulated(self) -> list[str]:
        """Names of the sets that are simulated, or derived of some that are."""
        sets = self.sets
        base = self.options["simulation"]["base"]
        base = [base] if self.is_made_with_runs(base) else []
        made = [name for name in sets if "simulate" in sets[name] or self._is_of_simulated(name)]
        return base + [name for name in made if name not in base]

    def _is_of_simulated(self, name: str, seen: tuple[str, ...] = ()) -> bool:
        """Whether a set is derived of simulated judgments."""
        sets = self.sets
        source, seen = sets[name].get("from"), (*seen, name)
        if "method" in sets[name]:
            sources = [self.items["pairs"][source]["set"]] if source in self.items["pairs"] else []
        elif source in self.transformations and source not in sets:
            cuts = self.transformations[source]
            sources = [cuts.source, *(reference.name for reference in cuts.references)]
        else:
            sources = [source]
        return any(
            "simulate" in sets[one] or self._is_of_simulated(one, seen)
            for one in sources
            if one in sets and one not in seen
        )

    @property
    def scored(self) -> dict[str, Mapping]:
        """Options of each qrels that is scores of documents from pairs, by name."""
        return {name: options for name, options in self.qrels.items() if "method" in options}

    def _check_scored(self) -> None:
        """A qrels of scores is of pairs that have the method, and whose task does not need it."""
        for name, options in self.scored.items():
            place, source = f"qrels.{name}", options["from"]
            self.check_known(f"{place}.from", "set under `pairs`", source, self.items["pairs"])
            pairs = self.items["pairs"][source]
            known = [*(pairs["methods"] or PAIR_METHODS), *map(" + ".join, pairs["combined"])]
            self.check_known(f"{place}.method", f"method of {source}", options["method"], known)
            if self.scale(name).finite:
                raise self.error(place, "scores are real numbers: give a range, such as [0, 1]")
            if options["rescale"] == "probability" and options["method"] not in STRENGTHS:
                problem = (
                    f"{options['method']} gives no probabilities: take {' or '.join(STRENGTHS)}"
                )
                raise self.error(f"{place}.rescale", problem)
        for name, task in self.items["pair_tasks"].items():
            for key in ("pool", "known"):
                if task[key] in self.scored:
                    problem = f"{task[key]} is made of answers: name a set that there is before"
                    raise self.error(f"pair_tasks.{name}.{key}", problem)

    @property
    def labelled(self) -> dict[str, Mapping]:
        """Options of each qrels that is labels under chosen cuts, by name."""
        return {name: options for name, options in self.qrels.items() if "labels" in options}

    def _check_labelled(self) -> None:
        """A qrels of chosen cuts is of a transformation, which does not itself need it."""
        for name, options in self.labelled.items():
            place = f"qrels.{name}"
            source = options["from"]
            self.check_known(f"{place}.from", "transformation", source, self.transformations)
            transformation = self.transformations[source]
            known = transformation.labellings
            kind = f"search or cut of {source}"
            self.check_known(f"{place}.labels", kind, options["labels"], known)
            if not self.scale(name).is_levels(transformation.levels):
                problem = f"{source} has {transformation.levels} levels: give `levels` as many"
                raise self.error(place, problem)
            if name in self._needed_for(name):
                problem = f"{source} needs {name} to find these cuts: name another transformation"
                raise self.error(f"{place}.from", problem)

    def _needed_for(self, name: str, seen: frozenset[str] = frozenset()) -> frozenset[str]:
        """The sets that must be there before a qrels of chosen cuts."""
        options = self.labelled[name]
        transformation = self.transformations.get(options["from"])
        if transformation is None or options["labels"] not in transformation.labellings:
            return seen
        for one in transformation.needs(options["labels"]) - seen:
            seen |= {one}
            if one in self.labelled:
                seen = self._needed_for(one, seen)
        return seen

    @property
    def notes(self) -> str:
        """What must be said wherever results of this collection show; empty for real data."""
        return self.notes_on(*self.qrels, *self.judgments, *self.preferences)

    def notes_on(self, *names: str, runs: bool = True) -> str:
        """What must be said of results that rest on these sets, and on the runs or not."""
        simulated = ["runs"] if self.simulates_runs and runs else []
        simulated += [name for name in self.simulated if name in names]
        return f"Simulated, not real: {', '.join(simulated)}." if simulated else ""

    def scale(self, name: str) -> Scale:
        """Scale of a set's table."""
        return scale_of(self.kind(name), self.sets[name])

    def collected_scale(self, name: str) -> dict:
        """The options that say which scale a set's table is on."""
        return collected_scale(self.sets[name])

    def max_grades(self, names: Iterable[str]) -> dict[str, float]:
        """The highest grade of the scale of each of some sets."""
        return {name: self.scale(name).high for name in names}

    def units(self, name: str) -> list[str]:
        """The columns that together tell a judgment set's HITs apart; none if it has no units."""
        options = self.judgments[name]
        return self.units(options["from"]) if "from" in options else units_of(options)

    @cached_property
    def shown(self) -> list[RequestedItem]:
        """The tables and figures to make, study by study, tables first, in natural order."""
        return [
            RequestedItem(
                self, STUDIES[name], STUDIES[name].by_name[item], of_only(self, asked[item])
            )
            for name, asked in self.options["studies"].items()
            for item in natsorted(
                asked.keys() - {"published"}, key=lambda item: (not item.startswith("table"), item)
            )
        ]

    @property
    def studies(self) -> list[str]:
        """The studies whose tables or figures are made."""
        return list(dict.fromkeys(shown.study.name for shown in self.shown))

    def published(self, study: str) -> bool | str | None:
        """Whose printed numbers stand beside this collection's; false where nobody's."""
        return self.options["studies"].get(study, {}).get("published")

    def is_made_with_runs(self, name: str) -> bool:
        """Whether a qrels comes with the simulated runs."""
        from_nothing = self.simulates_runs and not self.ranked_sets
        return from_nothing and name == self.options["simulation"]["base"]

    def measures(self, name: str) -> tuple[list[str], dict[str, str]]:
        """The measures that a qrels can serve, and why it cannot serve the others.

        Magnitudes have no highest grade, of which some measures take shares; a measure of several
        sets is not of one and the same.
        """
        found = {m: self._unserved(name, m) for m in self._measures_asked(name)}
        served = [measure for measure, reason in found.items() if not reason]
        return served, {measure: reason for measure, reason in found.items() if reason}

    @property
    def relevance_said(self) -> str:
        """From which grade on measures of runs count documents; empty where none leaves it open."""
        if not self.has_runs:
            return ""
        measures = dict.fromkeys(m for name in self.qrels for m in self.measures(name)[0])
        highest = max((self.scale(name).high for name in self.qrels), default=0.0)
        return relevance_note(measures, highest).rstrip(".")

    def _unserved(self, name: str, measure: str) -> str:
        """Why a qrels cannot serve a measure; empty if it can."""
        parsed = parse(measure)
        if name in parsed.sets:
            return f"holds {name} against itself"
        needed = {other: parsed.needs_max_grade_of(other) for other in parsed.sets}
        needed[name] = parsed.needs_max_grade
        if any(needs and math.isinf(self.scale(n).high) for n, needs in needed.items()):
            return "takes shares of a highest grade, and there is none"
        return self.unfit(name, parsed)

    def unfit(self, name: str, measure) -> str:
        """Why the grades of a set mean nothing to a measure, or none counts; empty if they do."""
        return measure.why_not(self.scale(name), name)

    def check_below_zero(self, place: str, names: Iterable[str], measures: Iterable[str]) -> None:
        """Refuse measures at a place to which the grades of sets that are scored mean nothing."""
        for name, measure in itertools.product(names, map(parse, measures)):
            if why := measure.why_not_on(self.scale(name), name):
                raise self.error(place, f"{measure} {why}")

    def further_sets(self, name: str) -> list[str]:
        """The other qrels that the measures of one need, each once."""
        measures = [parse(measure) for measure in self.measures(name)[0]]
        return list(dict.fromkeys(other for measure in measures for other in measure.sets))

    def _check_measures(self) -> None:
        for measure in parse_all(self.options["measures"]) if self.has_runs else ():
            reasons = [self.unfit(name, measure) for name in self.qrels]
            if reasons and all(reasons):
                raise self.error("measures", f"{measure} {reasons[0]}")
        for name in self.qrels if self.has_runs else ():
            served, unserved = self.measures(name)
            if unserved and not served:
                listed = "; ".join(f"{measure} {reason}" for measure, reason in unserved.items())
                raise self.error(
                    "measures",
                    f"{name} can serve none of them: {listed}: add a measure such as nDCG, or give "
                    "a max_rel",
                )

    def _check_simulation(self) -> None:
        for name in self.ranked_sets:
            place = "runs.simulate_over.qrels"
            if name in {*self.simulated, *self.labelled, *self.scored}:
                problem = f"{name} needs runs before it is there: name labels from a file"
                raise self.error(place, problem)
        if not self.simulated:
            return
        self.check_known("simulation.base", "qrels", self.options["simulation"]["base"], self.qrels)
        if not self.has_runs:
            problem = "judgments are simulated over the top of runs: name `runs`"
            raise self.error("", problem)


def _data_option(path: str) -> str:
    """How commands are told where data are, if a path of the configuration says ``{data}``."""
    if "{data}" not in path:
        return " in the configuration"
    return " with --data FOLDER (regrade run), --config data=FOLDER (snakemake)"


class Transformation:
    """One transformation of a collection: its searches, and what they need."""

    def __init__(self, collection: Collection, name: str, options: Mapping):
        self.collection = collection
        self.options = options
        self.source = options["source"]
        self.levels = options["levels"]
        self.name = name
        self.place = f"transformations.{self.name}"
        self.references = [self._reference(item) for item in options["references"]]

    def check(self) -> None:
        """Refuse options that do not fit its scales or each other."""
        try:
            check_levels(self.collection.scale(self.source).levels, self.levels)
            check_grid(self.options["grid"], self.levels)
        except RegradeError as error:
            raise self._error(error) from error
        self._check_measure()
        self._check_references()
        self._check_pool()
        self._check_cuts()

    @property
    def sets(self) -> set[str]:
        """The sets that its results rest on."""
        pool = [self.options["pool"]] if self.options["pool"] else []
        compared = [reference.name for reference in self.references]
        return {self.source, *compared, *self.experts, *pool}

    @property
    def expert_labels(self) -> list[str]:
        """The qrels that say which documents are relevant: experts and expert references."""
        compared = [r.name for r in self.references if r.name in self.collection.qrels]
        return list(dict.fromkeys([*self.experts, *compared]))

    @property
    def metric(self) -> str:
        """Of its α."""
        return self.options["metric"]

    @property
    def source_is_expert(self) -> bool:
        """Whether the source is a qrels: one label per document, no workers."""
        return self.source in self.collection.qrels

    def _check_measure(self) -> None:
        place = f"{self.place}.measure"
        try:
            measure = parse(self.options["measure"])
            check_cuts(measure, self.levels, self.known_cuts)
        except RegradeError as error:
            raise self.collection.error(place, error) from error
        if measure.needs_max_grade:
            for name in self.experts:
                check_scale(self.collection, place, name, "graded")

    @property
    def known_cuts(self) -> int:
        """How many cuts are tried, as far as the configuration tells (0: the data will)."""
        scale = self.collection.scale(self.source)
        known = [self.options["grid"], scale.levels - 1 if scale.finite else None]
        return math.comb(min(filter(None, known), default=0), self.levels - 1)

    def threads(self, few: int = 1_000_000) -> int:
        """One where there are few cuts: another job makes more of a core than it does.

        Where only the data will tell how many values there are, there are few as a rule.
        """
        return 1 if self.known_cuts <= few else 8

    @property
    def max_grades(self) -> dict[str, float]:
        """The highest level of each expert's scale."""
        return self.collection.max_grades(self.experts)

    @property
    def experts(self) -> list[str]:
        """The qrels that rank systems, if none is named those that no crowd's judgments made."""
        known, named = self.collection.qrels, self.options["experts"]
        if not self.collection.has_runs:
            return []
        return [name for name in known if "from" not in known[name]] if named is None else named

    def _error(self, problem: object) -> ConfigError:
        return self.collection.error(self.place, problem)

    def _reference(self, written: str) -> Reference:
        name = set_of_reference(written)
        return Reference(name, "drop" if name == written else "non-relevant")

    def _check_references(self) -> None:
        """References are on the target scale, and a method that is named has what it needs."""
        for name in (reference.name for reference in self.references):
            scale = self.collection.scale(name)
            if not scale.is_levels(self.levels):
                held = f"has {scale.levels} levels"
                if scale.levels in (None, self.levels):
                    held = f"holds {scale}"
                raise self._error(
                    f"reference '{name}' {held} and the target scale has {self.levels}, 0 to "
                    f"{self.levels - 1}: a reference must be on the target scale"
                )
        for method in self.options["methods"] or ():
            reason = self._unserved(CUT_METHODS[method])
            if reason:
                raise self._error(f"{method} {reason}")

    def _check_pool(self) -> None:
        """A pool completes a qrels, by a set of documents."""
        if self.options["pool"] is not None and not self.source_is_expert:
            problem = f"completes a qrels, and {self.source} is none: leave it out"
            raise self.collection.error(f"{self.place}.pool", problem)

    def _check_cuts(self) -> None:
        """Cuts given by hand have their thresholds, and names that no search has."""
        for name, cut in self.options["cuts"].items():
            place = f"{self.place}.cuts.{name}"
            if name in self._of_searches:
                problem = "is the name of a search: give it another one"
                raise self.collection.error(place, problem)
            for thresholds in cut.values() if isinstance(cut, Mapping) else [cut]:
                ascends = all(a < b for a, b in itertools.pairwise(thresholds))
                if len(thresholds) != self.levels - 1 or not ascends:
                    problem = f"{thresholds}: {self.levels} levels need {self.levels - 1} ascending"
                    raise self.collection.error(place, f"{problem} thresholds")

    @property
    def cuts_of_all(self) -> dict[str, list[float]]:
        """By name, the cuts given by hand that are the same for all topics."""
        cuts = self.options["cuts"]
        return {name: cut for name, cut in cuts.items() if not isinstance(cut, Mapping)}

    @cached_property
    def _of_searches(self) -> dict[str, dict]:
        """By name: the search whose best cuts label, and their selection."""
        taus = [f"tau@{expert}" for expert in self.experts]
        return {
            f"{search}{'@single' * (selection == 'single')}": {
                "search": search,
                "selection": selection,
                "cut": None,
            }
            for search in (*self.searches, *taus)
            for selection in ("per-topic", "single")
        }

    @cached_property
    def labellings(self) -> dict[str, dict]:
        """By name, the cuts that judgments can be labelled by: of searches, and given by hand."""
        by_hand = {
            name if order == "at" else f"{name}@{order}": {
                "search": None,
                "selection": None,
                "cut": cut,
                "order": order,
            }
            for name, cut in self.options["cuts"].items()
            for order in ("at", "ta")
        }
        return {**self._of_searches, **by_hand}

    def how_to_label(self, labelling: str) -> dict[str, object]:
        """What `regrade.cutsearch.labels.Labelling.chosen` is told of a labelling."""
        asked = self.labellings[labelling]
        method, _, reference = (asked["search"] or "").partition("@")
        return {
            "method": method or None,
            "reference": reference or None,
            "selection": asked["selection"],
            "cut": asked["cut"],
            "order": asked.get("order", "at"),
            **self.label_options,
        }

    @property
    def label_options(self) -> dict[str, object]:
        """How judgments become one label per document under any cut."""
        return {
            "levels": self.levels,
            "aggregate": self.options["aggregate"],
        }

    def needs(self, labelling: str) -> set[str]:
        """The sets that must be there before its judgments can be labelled so."""
        search = self.labellings[labelling]["search"]
        if search is None:
            return {self.source}
        return self.sets if search.startswith("tau@") else self.sets - set(self.experts)

    @cached_property
    def unserved(self) -> dict[str, str]:
        """Why each of the methods that the data cannot serve is left out; none that is named."""
        methods = CUT_METHODS.values() if self.options["methods"] is None else ()
        reasons = {method.name: self._unserved(method) for method in methods}
        return {name: f"{name} {reason}" for name, reason in reasons.items() if reason}

    @cached_property
    def searches(self) -> dict[str, Search]:
        """What to search, by name."""
        named = self.options["methods"]
        asked = CUT_METHODS.keys() - self.unserved.keys() if named is None else named
        searches = [
            Search(method.name, reference)
            for method in CUT_METHODS.values()
            if method.name in asked
            for reference in (self.references if method.needs_reference else [None])
        ]
        return {search.name: search for search in searches}

    def _unserved(self, method) -> str:
        """Why the data cannot serve a method; empty if it can."""
        if method.needs_reference and not self.references:
            return "compares with a reference: name one under `references`"
        if self.source_is_expert:
            if method.name != "d2_at":
                return (
                    f"needs several workers' judgments, and {self.source} holds one label per "
                    "document: use d2_at"
                )
        elif method.unit_wise and not self.collection.units(self.source):
            return (
                f"compares unit by unit (HIT by HIT), and {self.source} has no units: use tw1, "
                "d2_at or d2_ta, or name its `unit` column"
            )
        return ""
