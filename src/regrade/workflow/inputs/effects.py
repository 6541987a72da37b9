"""Where the tables lie that hold an effect of several collections."""

from __future__ import annotations

from collections.abc import Mapping

from regrade.catalogue import TABLES
from regrade.pooled_effects.stage import MetaAnalysis
from regrade.stages.effects import effect_of
from regrade.workflow.inputs.paths import Paths
from regrade.workflow.stages import STAGES


def effect_tables(options: Mapping, paths: Mapping[str, Paths]) -> list[str]:
    """The tables of an item of `meta_analysis`, one for each of its collections."""
    effect = effect_of(options["of"], options["effect"])
    group = TABLES[effect.table].stage
    name = effect.table.rpartition("/")[2]
    return [
        paths[one].tables(group, of=item_name(options, paths[one].collection))[name]
        for one in options["collections"]
    ]


def item_name(options: Mapping, collection) -> str:
    """The item of a collection whose effect is meant: the one that is named, or the only one."""
    return options["item"] or next(iter(collection.items[options["of"]]))


def check_effects(collections: Mapping[str, object]) -> None:
    """Refuse an effect over collections that are not there, or of which one does not have it.

    Parameters
    ----------
    collections
        By name; those that others' `meta_analysis` name among them.

    Raises
    ------
    ConfigError
        Naming the key and what to do.
    """
    for own in collections.values():
        for name, options in own.items[MetaAnalysis.key].items():
            place = f"{MetaAnalysis.key}.{name}"
            for other in options["collections"]:
                _check_effect(own, place, options, collections[other])


def _check_effect(own, place: str, options: Mapping, other) -> None:
    key, where = options["of"], f"{place}.collections"
    items = other.items[key] or {}
    if not items:
        raise own.error(where, f"{other.name} does not ask for `{key}`: add it there")
    if options["item"] is not None:
        own.check_known(f"{place}.item", f"item of `{key}` in {other.name}", options["item"], items)
    elif len(items) > 1:
        problem = f"{other.name} has several items of `{key}` ({', '.join(items)}): name one"
        raise own.error(f"{place}.item", problem)
    effect = effect_of(key, options["effect"])
    if not other.serves(STAGES[TABLES[effect.table].stage], item_name(options, other)):
        problem = f"{other.name} has no {effect.name} of `{key}`: it lacks runs, or labels"
        raise own.error(where, problem)
