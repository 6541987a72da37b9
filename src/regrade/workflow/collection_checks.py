"""What a collection must hold: refusals, each naming the key and what to do."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from regrade.choices import CUT_METHODS, PAIR_METHODS, STRENGTHS
from regrade.errors import RegradeError, did_you_mean, near_files
from regrade.measures import check_cuts, parse, parse_all
from regrade.scales import check_grid, check_levels
from regrade.workflow.collection import Collection, data_option
from regrade.workflow.config import ConfigError
from regrade.workflow.consensus import check_consensus
from regrade.workflow.names import check_names, check_scale
from regrade.workflow.sets import KINDS, check_sets, files_of, source_of
from regrade.workflow.stages import check_stages, divide_sweeps, fill_depths
from regrade.workflow.transformations import Transformation


def read_collection(
    name: str,
    config: Mapping,
    original: Callable[[str], str] = str,
    run_count: int | None = None,
) -> Collection:
    """The collection of that name of a complete configuration; the others as of `Collection`.

    Raises
    ------
    ConfigError
        If it does not hold what it must.
    """
    if name not in config["collections"]:
        near = did_you_mean(name, config["collections"])
        raise ConfigError(f"config: collection: there is no collection '{name}'{near}")
    collection = Collection(name, config["data"], config["collections"][name], original, run_count)
    try:
        options = divide_sweeps(fill_depths(collection.options))
    except RegradeError as error:
        raise collection.error("pools", error) from error
    collection = replace(collection, options=options)
    check_sets(collection)
    _check_simulation(collection)
    check_names(collection)
    _check_measures(collection)
    for transformation in collection.transformations.values():
        _check_transformation(transformation)
    _check_labelled(collection)
    _check_scored(collection)
    check_consensus(collection)
    check_stages(collection)
    _check_items(collection)
    return collection


def _check_simulation(collection: Collection) -> None:
    """What is simulated has runs and labels to follow, which are no simulated ones."""
    for name in collection.ranked_sets:
        place = "runs.simulate_over.qrels"
        if name in {*collection.simulated, *collection.labelled, *collection.scored}:
            problem = f"{name} needs runs before it is there: name labels from a file"
            raise collection.error(place, problem)
    if not collection.simulated:
        return
    base = collection.options["simulation"]["base"]
    collection.check_known("simulation.base", "qrels", base, collection.qrels)
    if not collection.has_runs:
        problem = "judgments are simulated over the top of runs: name `runs`"
        raise collection.error("", problem)


def _check_measures(collection: Collection) -> None:
    """Each measure means something on some qrels, and each qrels can serve some measure."""
    if not collection.has_runs:
        return
    measured = (m for name in collection.qrels for m in collection.requested_measures(name))
    for measure in parse_all(dict.fromkeys(measured)):
        reasons = [collection.unfit(name, measure) for name in collection.qrels]
        if all(reasons):
            raise collection.error("measures", f"{measure} {reasons[0]}")
    for name in collection.qrels:
        served, unserved = collection.measures(name)
        if unserved and not served:
            listed = "; ".join(f"{measure} {reason}" for measure, reason in unserved.items())
            raise collection.error(
                "measures",
                f"{name} cannot be scored by any of them: {listed}: add a measure such as "
                "nDCG, or give a max_rel",
            )


def _check_labelled(collection: Collection) -> None:
    """A qrels of chosen cuts is of a transformation, which does not itself need it."""
    for name, options in collection.labelled.items():
        place, source, cuts = f"qrels.{name}", options["from"], collection.transformations
        collection.check_known(f"{place}.from", "transformation", source, cuts)
        transformation = cuts[source]
        known = transformation.labellings
        kind = f"search or cut of {source}"
        collection.check_known(f"{place}.labels", kind, options["labels"], known)
        if not collection.scale(name).is_levels(transformation.levels):
            problem = f"{source} has {transformation.levels} levels: give equally many `levels`"
            raise collection.error(place, problem)
        if name in _needed_for(collection, name):
            problem = f"{source} needs {name} to find these cuts: name another transformation"
            raise collection.error(f"{place}.from", problem)


def _needed_for(
    collection: Collection, name: str, seen: frozenset[str] = frozenset()
) -> frozenset[str]:
    """The sets that must be there before a qrels of chosen cuts."""
    options = collection.labelled[name]
    transformation = collection.transformations.get(options["from"])
    if transformation is None or options["labels"] not in transformation.labellings:
        return seen
    for one in transformation.needs(options["labels"]) - seen:
        seen |= {one}
        if one in collection.labelled:
            seen = _needed_for(collection, one, seen)
    return seen


def _check_scored(collection: Collection) -> None:
    """A qrels of scores is of pairs that have the method, and whose task does not need it."""
    for name, options in collection.scored.items():
        place, source, items = f"qrels.{name}", options["from"], collection.items["pairs"]
        collection.check_known(f"{place}.from", "set under `pairs`", source, items)
        pairs = items[source]
        known = [*(pairs["methods"] or PAIR_METHODS), *map(" + ".join, pairs["combined"])]
        collection.check_known(f"{place}.method", f"method of {source}", options["method"], known)
        if collection.scale(name).finite:
            raise collection.error(place, "scores are real numbers: give a range, such as [0, 1]")
        if options["rescale"] == "probability" and options["method"] not in STRENGTHS:
            problem = f"{options['method']} gives no probabilities: choose {' or '.join(STRENGTHS)}"
            raise collection.error(f"{place}.rescale", problem)
    for name, task in collection.items["pair_tasks"].items():
        for key in ("pool", "known"):
            if task[key] in collection.scored:
                problem = (
                    f"{task[key]} is made from answers: name a set that exists before the answers"
                )
                raise collection.error(f"pair_tasks.{name}.{key}", problem)


def _check_items(collection: Collection) -> None:
    """Refuse tables and figures that cannot be made, all at once."""
    refused = []
    for requested in collection.requested_items:
        try:
            requested.check()
        except ConfigError as error:
            refused.append(str(error))
    if refused:
        raise ConfigError("\n".join(dict.fromkeys(refused)))


def check_files(collection: Collection) -> None:
    """Refuse files that the configuration names and that are not there."""
    for place, text in _files(collection):
        path = collection.path(text)
        if not os.path.isfile(path):  # noqa: PTH113
            remedy = f"put it there, or give its location{data_option(text)}"
            raise collection.error(place, f"there is no file {path}{near_files(path, remedy)}")
        collection.check_braces(place, path)
    if collection.has_runs and not collection.simulates_runs:
        collection.run_files  # noqa: B018  to find them
    for name in collection.score_sets:
        collection.score_files(name)


def _files(collection: Collection) -> Iterator[tuple[str, str]]:
    """Where the configuration names a file, and how it writes it; the runs' apart."""
    for kind in KINDS:
        for name, options in collection.options[kind].items():
            files = files_of(options) if source_of(options) == "file" else []
            yield from ((f"{kind}.{name}.file", file) for file in files)
    for key in ("groups", "families", "pool_origins"):
        if collection.options[key] and isinstance(collection.options[key], str):
            yield key, collection.options[key]
    for key in ("rated_lists", "pages", "estimates"):
        for name, item in collection.items[key].items():
            if "file" in item:
                yield f"{key}.{name}.file", item["file"]


def _check_transformation(one: Transformation) -> None:
    """Refuse options that do not fit its scales or each other."""
    try:
        check_levels(one.collection.scale(one.source).levels, one.levels)
        check_grid(one.options["grid"], one.levels)
    except RegradeError as error:
        raise one.collection.error(one.place, error) from error
    _check_ranking(one)
    _check_references(one)
    _check_pool(one)
    _check_cuts(one)


def _check_ranking(one: Transformation) -> None:
    """Systems are ranked by a measure that can be, of cuts and of experts' labels."""
    place = f"{one.place}.measure"
    try:
        measure = parse(one.options["measure"])
        check_cuts(measure, one.levels, one.known_cuts)
    except RegradeError as error:
        raise one.collection.error(place, error) from error
    if measure.needs_max_grade:
        for name in one.experts:
            check_scale(one.collection, place, name, "graded")


def _check_references(one: Transformation) -> None:
    """References are on the target scale, and a method that is named has what it needs."""
    for name in (reference.name for reference in one.references):
        scale = one.collection.scale(name)
        if not scale.is_levels(one.levels):
            held = f"has {scale.levels} levels"
            if scale.levels in (None, one.levels):
                held = f"holds {scale}"
            raise one.collection.error(
                one.place,
                f"reference '{name}' {held} and the target scale has {one.levels}, 0 to "
                f"{one.levels - 1}: a reference must be on the target scale",
            )
    for method in one.options["methods"] or ():
        reason = one.why_unserved(CUT_METHODS[method])
        if reason:
            raise one.collection.error(one.place, f"{method} {reason}")


def _check_pool(one: Transformation) -> None:
    """A pool completes a qrels, by a set of documents."""
    if one.options["pool"] is not None and not one.source_is_expert:
        problem = f"completes a qrels, and {one.source} is not a qrels: leave it out"
        raise one.collection.error(f"{one.place}.pool", problem)


def _check_cuts(one: Transformation) -> None:
    """Cuts given by hand have their thresholds, and names that no search has."""
    for name, cut in one.options["cuts"].items():
        place = f"{one.place}.cuts.{name}"
        if name in one.labellings_of_searches:
            problem = "is the name of a search: rename it"
            raise one.collection.error(place, problem)
        for thresholds in cut.values() if isinstance(cut, Mapping) else [cut]:
            ascends = all(a < b for a, b in itertools.pairwise(thresholds))
            if len(thresholds) != one.levels - 1 or not ascends:
                problem = f"{thresholds}: {one.levels} levels need {one.levels - 1} ascending"
                raise one.collection.error(place, f"{problem} thresholds")
