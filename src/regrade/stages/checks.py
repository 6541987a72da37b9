"""Checks of items that several stages share; `collection` is the workflow's."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from regrade.scales import MAX_LEVELS


def check_inputs(collection, stage, name: str, item: Mapping, labels: str = "") -> None:
    """Refuse an item about qrels and scores, about neither, or about qrels without runs.

    `labels` is an option that names further labels.

    Raises
    ------
    ConfigError
        Naming the key and what to do.
    """
    place = f"{stage.key}.{name}"
    if item["qrels"] and item["scores"]:
        raise collection.error(f"{place}.scores", "gives scores, and `qrels` too: give one of them")
    if not item["qrels"] and not item["scores"]:
        raise collection.error(place, "give `qrels` or `scores`")
    if item["qrels"] and not collection.has_runs:
        problem = "scores systems, and the collection has no `runs`"
        raise collection.error(f"{place}.qrels", problem)
    if item["scores"] and labels and item[labels]:
        problem = "is about labels, and scores by item have none: leave it out"
        raise collection.error(f"{place}.{labels}", problem)


def check_reference(collection, place: str, reference: str, judges: Collection[str]) -> int:
    """How many levels a reference is on beside which judges are held.

    Raises
    ------
    ConfigError
        If it is not on two to four, or is one of the judges.
    """
    scale = collection.scale(reference)
    levels = scale.levels or 0
    if not 2 <= levels <= MAX_LEVELS or not scale.is_levels(levels):
        problem = f"{reference} is not on levels 0 to 1, 2 or 3: name a set that is"
        raise collection.error(f"{place}.reference", problem)
    if reference in judges:
        raise collection.error(f"{place}.sets", f"{reference} is the reference: leave it out")
    return levels
