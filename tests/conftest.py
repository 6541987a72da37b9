"""Fixtures that every test may use."""

import gc
import os
from functools import cache
from pathlib import Path

import pytest
import typer.testing
from hypothesis import settings

# how long an example takes says what else the machine does, or that a kernel was compiled
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

# of all functions of the command a parser is built anew for each call, which takes longer than most
typer.testing._get_command = cache(typer.testing._get_command)

# what collecting makes stays until the end: looking for what could go takes longer than the rest
gc.disable()


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real collections: $REGRADE_DATA, else ../shared/data beside the project."""
    named = os.environ.get("REGRADE_DATA")
    folder = Path(named) if named else Path(__file__).parents[2] / "shared" / "data"
    if not (folder / "trec8" / "qrels.gz").exists():
        pytest.skip(f"no real data in {folder}: set REGRADE_DATA to the folder that holds trec8/")
    return folder


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two more than cores: tests of the workflow wait for other processes half of their time."""
    return (os.cpu_count() or 1) + 2


LONGEST = ("test_cluster.py", "test_tiny.py")
"""The first to begin, for a file stays with one worker."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of the whole workflow first, which take longest."""
    items.sort(
        key=lambda item: (item.path.name not in LONGEST, "workflow" not in item.path.parent.name)
    )


def pytest_collection_finish() -> None:
    """Tests' own garbage is looked for; what was collected is not, nor is what was imported."""
    gc.freeze()
    gc.enable()
