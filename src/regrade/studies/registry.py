"""The studies that there are: whatever a module `items` declares, of a paper or of a subject."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from regrade.studies.items import Study

_LIBRARY = Path(__file__).parents[1]


def _declared() -> list[Study]:
    paths = [*_LIBRARY.glob("*/items.py"), *_LIBRARY.glob("studies/*/items.py")]
    names = [".".join(path.relative_to(_LIBRARY).with_suffix("").parts) for path in paths]
    modules = [import_module(f"regrade.{name}") for name in names]
    return [one for module in modules for one in vars(module).values() if isinstance(one, Study)]


STUDIES = {study.name: study for study in sorted(_declared(), key=lambda study: study.name)}
"""Every study by name."""
