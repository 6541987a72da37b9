"""The studies that there are: whatever a module `items` declares, of a paper or of a subject."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from regrade.studies.items import Study
from regrade.subjects import modules_of_subjects


def _declared() -> list[Study]:
    papers = [path.parent.name for path in Path(__file__).parent.glob("*/items.py")]
    of_papers = [import_module(f"regrade.studies.{name}.items") for name in papers]
    modules = [*modules_of_subjects("items"), *of_papers]
    return [one for module in modules for one in vars(module).values() if isinstance(one, Study)]


STUDIES = {study.name: study for study in sorted(_declared(), key=lambda study: study.name)}
"""Every study by name."""
