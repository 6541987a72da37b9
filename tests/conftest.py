"""Fixtures that every test may use."""

import gc
import importlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

from regrade.compiled import Kernel
from regrade.workflow.forkserver import NO_THREADS

# how long an example takes says what else the machine does, or that a kernel was compiled; the same
# examples each time, so that what a commit passes it passes again (others: profile "others")
of_any_time = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("others", **of_any_time)
settings.register_profile("same", **of_any_time, derandomize=True, max_examples=50)
settings.load_profile("same")


# a worker for each core: threads of BLAS and of Arrow would wait for each other, and busily
for name, value in NO_THREADS.items():
    os.environ.setdefault(name, value)

_setattr = pytest.MonkeyPatch.setattr


def _after_its_kernels(patch: pytest.MonkeyPatch, target: object, *given: object, **how: object):
    """As pytest's; what machine code is kept for is noted before a constant is replaced.

    A kernel notes it at its first call.  With a replaced constant its code would be kept in place
    of the code that other processes look for.
    """
    module = target
    if isinstance(target, str):
        with suppress(ImportError):
            module = importlib.import_module(target.rpartition(".")[0])
    if isinstance(module, ModuleType) and module.__name__.startswith("regrade."):
        for one in [*vars(module).values()]:
            if isinstance(one, Kernel) and not one.is_part:
                _ = one.dispatcher
    return _setattr(patch, target, *given, **how)


pytest.MonkeyPatch.setattr = _after_its_kernels

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
    """One more than cores, as tests of the workflow wait for other processes half of their time.

    Each takes fifteen seconds of a core to import, to collect and to load kernels.
    """
    return (os.cpu_count() or 1) + 1


def pytest_sessionstart(session: pytest.Session) -> None:
    """Workers import what they collect from different places on: each file is rewritten by one.

    Pytest rewrites what asserts and keeps it beside the file, of all in a clone in six seconds.
    """
    if (worker := os.environ.get("PYTEST_XDIST_WORKER")) is None:
        return
    root = session.config.rootpath
    given = [root / argument.partition("::")[0] for argument in session.config.args]
    paths = sorted(path for one in given for path in one.rglob("test_*.py"))
    share = len(paths) / int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    begin = int(int(worker.removeprefix("gw")) * share)
    for path in paths[begin:] + paths[:begin]:
        with suppress(Exception, pytest.skip.Exception):  # said where it is collected
            importlib.import_module(".".join(path.relative_to(root).with_suffix("").parts))


LONGEST = ("test_cluster.py", "test_coverage.py", "test_real.py", "test_tiny.py")
"""The first to begin, for a file stays with one worker."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first; those of the workflow, which wait, among others; a browser's are slow."""
    for item in items:
        if {"real_data", "browser"} & {*getattr(item, "fixturenames", ())}:
            item.add_marker(pytest.mark.slow)
    files = [*dict.fromkeys(item.path for item in items)]
    place = {}
    for waits in (True, False):
        of_kind = [path for path in files if (path.parent.name == "workflow") == waits]
        # those of the workflow are through when half of the others are
        place |= {path: (k + 1) / len(of_kind) / (1 + waits) for k, path in enumerate(of_kind)}
    items.sort(key=lambda item: (item.path.name not in LONGEST, place[item.path]))


def pytest_collection_finish() -> None:
    """Tests' own garbage is looked for; what was collected is not, nor is what was imported.

    It is looked for less often than usual: of 77 seconds of tests that took five, and takes two.
    """
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """What a file of tests leaves, such as modules and what is cached, is not looked at again.

    statsmodels looks for garbage in each correction of p-values, which took a second at the end.
    """
    result = yield
    if nextitem is None or nextitem.path != item.path:
        gc.collect()
        gc.freeze()
    return result
