"""Checks of items that several stages share; `collection` is the workflow's."""

from __future__ import annotations

from collections.abc import Collection

from regrade.scales import MAX_LEVELS


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
