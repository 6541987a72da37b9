"""What each stage needs and makes, and what its part of the configuration must hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from regrade.catalogue import TABLES
from regrade.choices import DEPTH
from regrade.pools.options import ANCOVA_SHARES, VOTE_SHARES, Pooling, depths_to
from regrade.stages.declare import NEEDED, Stage, Tables
from regrade.stages.registry import stages
from regrade.studies.items import schema_key
from regrade.sweeps.options import LABEL_AXES, SCORE_AXES, axes_of
from regrade.workflow.names import sets_named


def sets_of_stage(stage: type[Stage], options: Mapping) -> set[str]:
    """The sets that its results rest on, of a collection's options."""
    stands_on = (stage, *(stages()[key] for key in stage.needs))
    return set().union(*(_sets_of(one, options) for one in stands_on))


def _sets_of(stage: type[Stage], options: Mapping) -> set[str]:
    named = sets_named(stage.key, options[stage.key]) if stage.key in options else set()
    return named | stage.sets_besides(options)


def sets_of_item(stage: type[Stage], collection, item: str) -> set[str]:
    """The sets that the results of an item rest on."""
    if stage.key == "transformations":
        return collection.transformations[item].sets
    if stage.held is not None or not stage.has_key or not item:
        return sets_of_stage(stage, collection.options)
    needed = (_sets_of(stages()[key], collection.options) for key in stage.needs)
    return sets_named(stage.key, collection.items[stage.key][item]).union(*needed)


def check_stages(collection) -> None:
    """Refuse stages that lack what they need.

    Parameters
    ----------
    collection
        A `regrade.workflow.collection.Collection`.

    Raises
    ------
    ConfigError
        Naming the key and what to do.
    """
    options = collection.options
    for stage in stages().values():
        if not stage.is_requested(options) or stage.key == "transformations":
            continue
        items = collection.items[stage.key]
        if _lacks_runs(collection, stage, items):
            problem = "scores systems, and the collection has no `runs`"
            raise collection.error(stage.key, problem)
        for needed in stage.needs:
            if not stages()[needed].is_requested(options):
                raise collection.error(stage.key, f"works on {needed}: request `{needed}` too")
        for name, item in ({"": options[stage.key]} if items is None else items).items():
            stage.check(collection, name, item)


def _lacks_runs(collection, stage: type[Stage], items: Mapping | None) -> bool:
    """Whether a stage scores systems of which there are no runs, nor scores by item."""
    if stage.tables[0].runs != NEEDED or collection.has_runs or "scores" in stage.fields:
        return False
    return items is None or not all(item.get("scores") for item in items.values())


def fill_depths(options: Mapping) -> dict:
    """The options with those depths of pools that follow from others."""
    pools, ancova = options["pools"], options["ancova"]
    deepest = pools and (pools["baseline"] or max(pools["depths"] or [0]))
    if not deepest:
        return {**options}
    follow = {
        "baseline": deepest,
        "depths": depths_to(deepest),
        "votes": depths_to(deepest, VOTE_SHARES),
    }
    in_ancova = {"depths": depths_to(deepest, ANCOVA_SHARES)}
    pooling = {"pooling": str(Pooling(DEPTH, depth=deepest))}
    return {
        **options,
        "pools": _filled(pools, follow),
        "ancova": ancova and _filled(ancova, in_ancova),
        "leave_one_out": [_filled(item, pooling) for item in options["leave_one_out"]],
    }


def _filled(options: Mapping, defaults: Mapping) -> dict:
    return {
        **options,
        **{key: value for key, value in defaults.items() if options[key] is None},
    }


def divide_sweeps(options: Mapping) -> dict:
    """The options with the sweeps of labels apart, which name what labels are compared with.

    Those of scores by item have the names of these sets, as items of other stages have.
    """
    of_systems, of_labels = {}, {}
    for name, one in (options["sweeps"] or {}).items():
        axes = axes_of(one["baseline"], one["axes"])
        if axes == LABEL_AXES:
            of_labels[name] = one
        else:
            scores = [one["baseline"].get("scores"), *(one["axes"].get("scores") or ())]
            scores = [*dict.fromkeys(filter(None, scores))] if axes == SCORE_AXES else None
            of_systems[name] = {**one, "scores": scores}
    return {**options, "sweeps": of_systems or None, "label_sweeps": of_labels or None}


STAGES: dict[str, Tables] = {one.name: one for stage in stages().values() for one in stage.tables}
"""Every group of tables that the configuration can ask for, by its section of the catalogue."""


def stage_of(table: str) -> str:
    """The stage that makes a table, given as an item names it."""
    return TABLES[schema_key(table)].stage


TAKE_RUNS = {
    table for stage in stages().values() for tables in stage.tables for table in tables.tell_of_runs
}
"""Tables that tell of systems too where there are runs, of stages that do without."""


def rests_on_runs(tables: Iterable[str]) -> bool:
    """Whether some of these tables tell of systems, given as items name them."""
    keys = {schema_key(table) for table in tables}
    return bool(keys & TAKE_RUNS) or any(STAGES[stage_of(key)].needs_runs for key in keys)
