"""A collection of the configuration: what there is, and what to build of it.

Plain data of a complete configuration, and what follows from them; no Snakemake in here, so tests
can call it.  `collection_checks` has what it must hold.
"""

from __future__ import annotations

import glob
import itertools
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from natsort import natsorted

from regrade.choices import COMPARED, SCORED
from regrade.errors import ParameterError, check_braces, did_you_mean, near_files
from regrade.measures import default_measures, names_with_levels, parse, relevance_note
from regrade.scales import Scale
from regrade.stages.common import measures_named
from regrade.stages.declare import USED, Stage, Tables, gives
from regrade.stages.registry import stages
from regrade.studies.registry import STUDIES
from regrade.workflow.config import ConfigError
from regrade.workflow.consensus import sources_of
from regrade.workflow.grids import name_of
from regrade.workflow.project import PROJECT
from regrade.workflow.sets import KINDS, collected_scale, scale_of, units_of, written_scale
from regrade.workflow.study_items import RequestedItem, of_only
from regrade.workflow.transformations import Transformation

SHIPPED = str(PROJECT / "data")
"""The folder of the data that come with the project."""


@dataclass(frozen=True, eq=False)
class Collection:
    """One collection of a complete configuration.

    Attributes
    ----------
    name
        Its name.
    data
        The folder that ``{data}`` stands for.
    options
        What the configuration says of it, and what follows.
    original
        Marks the path of a file that no rule makes.
    run_count
        How many files of runs there are, where they are on another machine.
    """

    name: str
    data: str
    options: Mapping
    original: Callable[[str], str] = str
    run_count: int | None = None

    @cached_property
    def transformations(self) -> dict[str, Transformation]:
        """What is cut, by name."""
        named = self.by_name("transformations")
        return {name: Transformation(self, name, options) for name, options in named.items()}

    @cached_property
    def items(self) -> dict[str, Mapping[str, Mapping] | None]:
        """Of each stage, what is asked of it by name; ``None`` where there are no several."""
        return {stage.key: stage.items(self) for stage in stages().values()}

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
        items = {}
        for options in self.options[key]:
            known_as = name_of(key, options)
            if known_as in items:
                problem = f"two are called '{known_as}': give one of them a `name`, or leave it out"
                raise self.error(key, problem)
            items[known_as] = options
        return items

    def scale_of_people(self, estimate: Mapping) -> Scale | None:
        """The scale that people labelled on; ``None`` where nothing says it."""
        options = self.qrels.get(estimate.get("qrels"))
        scale = collected_scale(options) if options else written_scale(estimate)
        return Scale.of(scale) if scale else None

    def requested_measures(self, name: str) -> Sequence[str]:
        """What a qrels is to be scored by, whether it can serve it or not."""
        if self.options["measures"] is not None:
            return self.options["measures"]
        return default_measures(self.scale(name)) or SCORED

    def with_measures(self, item: Mapping, scales: Iterable[Scale]) -> Mapping:
        """An item with those measures that mean something on scales, where it names none.

        One about scores by item takes all of these.
        """
        if item["measures"] is not None or item.get("scores"):
            return item
        return {**item, "measures": list(default_measures(*scales, of=COMPARED) or COMPARED)}

    def scales(self, *names: str) -> list[Scale]:
        """The scales of those of some sets that there are."""
        return [self.scale(name) for name in names if name in self.sets]

    def error(self, place: str, problem: object) -> ConfigError:
        """The error that says what is wrong at a place of this collection's configuration."""
        key, _, rest = place.partition(".")
        for grid in self.options["grids"]:
            for item in grid.items if grid.key == key else ():
                if rest == item or rest.startswith(f"{item}."):
                    place = grid.place_of(item, rest[len(item) + 1 :])
                    problem = f"{problem} (with {grid.combination(item)})"
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
        return self.original(path.removeprefix(here) if "{" in here else path)

    def check_braces(self, place: str, path: str) -> None:
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
        return len(self.run_files) if self.run_count is None else self.run_count

    def memory(self, least: int, kilobytes: float) -> int:
        """Megabytes for a job that holds so many kB of each pair of systems, beside the least."""
        return least + math.ceil(math.comb(self.systems, 2) * kilobytes / 1000)

    @property
    def simulated_runs(self) -> dict:
        """The parameters of the simulated runs, the sets aside; empty where runs are files."""
        if not self.simulates_runs:
            return {}
        (simulation,) = self.options["runs"].values()
        own = {key: value for key, value in simulation.items() if key != "qrels"}
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
        files = [path for text in patterns for path in self._matching("runs", text)]
        return list(map(self.original, sorted(set(files))))

    def _matching(self, place: str, text: str) -> list[str]:
        """The files of a pattern, sorted."""
        pattern = self.path(text)
        paths = [pattern]  # a file may be called a[1].run
        if not os.path.isfile(pattern):  # noqa: PTH113
            # Path.glob takes no absolute pattern
            paths = sorted(glob.glob(self.path(text, glob.escape)))  # noqa: PTH207
        if not paths:
            remedy = f"put the files there, or give their location{data_option(text)}"
            raise self.error(place, f"no file matches {pattern}{near_files(pattern, remedy)}")
        folders = [path for path in paths if os.path.isdir(path)]  # noqa: PTH112
        if folders:
            problem = f"{folders[0]} is a folder: name the files in it, {folders[0]}/*"
            raise self.error(place, problem)
        for path in paths:
            self.check_braces(place, path)
        return paths

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
    def score_sets(self) -> Mapping[str, Mapping]:
        """Options of each set of scores by item, by name."""
        return self.options["scores"]

    def scores_among(self, names: Iterable[str]) -> list[str]:
        """Those of some sets that are scores by item."""
        return [name for name in names if name in self.score_sets]

    def score_files(self, name: str) -> list[str]:
        """The files of a set of scores, sorted within each pattern."""
        patterns = self.score_sets[name]["file"]
        patterns = [patterns] if isinstance(patterns, str) else patterns
        place = f"scores.{name}.file"
        files = [path for text in patterns for path in self._matching(place, text)]
        return list(map(self.original, dict.fromkeys(files)))

    @property
    def sets(self) -> dict[str, Mapping]:
        """Options of each set of labels, judgments or preferences by name."""
        return {**self.qrels, **self.judgments, **self.preferences}

    def kind(self, name: str) -> str:
        """The kind of a set, one of `regrade.workflow.sets.KINDS`."""
        return next(kind for kind in KINDS if name in self.options[kind])

    def serves(self, tables: Tables, name: str | None = None) -> bool:
        """Whether it has what tables need, for the item of that name where there are several."""
        items = self.items[tables.key]
        item = items[name] if items is not None and name else {}
        if item.get("scores"):
            return not tables.of_labels and gives(item, tables.asks)
        return (self.has_runs or tables.runs != USED) and gives(item, tables.asks)

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
        elif "consensus" in sets[name]:
            sources = sources_of(sets[name])
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

    @property
    def labelled(self) -> dict[str, Mapping]:
        """Options of each qrels that is labels under chosen cuts, by name."""
        return {name: options for name, options in self.qrels.items() if "labels" in options}

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
    def requested_items(self) -> list[RequestedItem]:
        """The tables and figures to make, study by study, tables first, in natural order."""
        return [
            RequestedItem(
                self, STUDIES[name], STUDIES[name].by_name[item], of_only(self, options[item])
            )
            for name, options in self.options["studies"].items()
            for item in natsorted(
                options.keys() - {"published"},
                key=lambda item: (not item.startswith("table"), item),
            )
        ]

    @property
    def studies(self) -> list[str]:
        """The studies whose tables or figures are made."""
        return list(dict.fromkeys(requested.study.name for requested in self.requested_items))

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
        reasons = {m: self._why_unserved(name, m) for m in self.requested_measures(name)}
        served = [measure for measure, reason in reasons.items() if not reason]
        return served, {measure: reason for measure, reason in reasons.items() if reason}

    @property
    def relevance_text(self) -> str:
        """From which grade on measures of runs count documents; empty where none leaves it open."""
        if not self.has_runs:
            return ""
        measures = dict.fromkeys(m for name in self.qrels for m in self.measures(name)[0])
        return relevance_note(measures, self._highest).rstrip(".")

    def measure_names(self, stage: type[Stage], options: Mapping) -> dict[str, str]:
        """Measures of an item whose level is left open, with the level, by their name."""
        if options.get("scores"):
            return {}
        people = self.scale_of_people(options) if stage.measured_on else None
        return names_with_levels(measures_named(options), people.high if people else self._highest)

    @property
    def _highest(self) -> float:
        return max((self.scale(name).high for name in self.qrels), default=0.0)

    def _why_unserved(self, name: str, measure: str) -> str:
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


def data_option(path: str) -> str:
    """How commands are told where data are, if a path of the configuration says ``{data}``."""
    if "{data}" not in path:
        return " in the configuration"
    return " with --data FOLDER (regrade run), --config data=FOLDER (snakemake)"
