"""What is found in the folders of subjects, by what its modules are called."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType


def modules_of_subjects(name: str) -> Iterator[ModuleType]:
    """The module of a name in each subject's folder that has one, by the names of folders."""
    for path in sorted(Path(__file__).parent.glob(f"*/{name}.py")):
        yield import_module(f"regrade.{path.parent.name}.{name}")
