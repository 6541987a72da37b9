"""Every stage that is declared: of each subject with a module ``stage``, whatever is in there."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

from regrade.stages.declare import Stage

_LIBRARY = Path(__file__).parents[1]


@cache
def stages() -> dict[str, type[Stage]]:
    """By key, in the order of their places."""
    for path in sorted(_LIBRARY.glob("*/stage.py")):
        import_module(f"regrade.{path.parent.name}.stage")
    return {one.key: one for one in sorted(Stage.__subclasses__(), key=lambda one: one.place)}
