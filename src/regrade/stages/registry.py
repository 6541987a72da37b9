"""Every stage that is declared: of each subject with a module ``stage``, whatever is in there."""

from __future__ import annotations

from functools import cache

from regrade.stages.declare import Stage
from regrade.subjects import modules_of_subjects


@cache
def stages() -> dict[str, type[Stage]]:
    """By key, in the order of their places."""
    list(modules_of_subjects("stage"))
    return {one.key: one for one in sorted(Stage.__subclasses__(), key=lambda one: one.place)}
