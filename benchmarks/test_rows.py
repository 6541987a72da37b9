"""Every row of the table runs on a small collection, and agrees with its peer there."""

import importlib
from dataclasses import replace

import pytest
import yaml

from benchmarks import inputs
from benchmarks.measuring import Measured, Settings
from benchmarks.report import check_agreement
from benchmarks.rows import ROWS
from regrade.simulation.collection import CollectionParameters
from tests.pages import stand_ins

SIZES = {
    "SOURCE_LEVELS": 11, "TOPICS": 4, "ANSWERS": 400, "PER_TOPIC": 12, "UNITS": 20, "SAMPLES": 20,
    "DRAWS": 2, "PARTITIONS": 1, "DOCUMENTS": 12, "EVALUATED": 5, "SCALES": (2, 3),
    "DEEPLY_JUDGED": 8, "PART": 4, "STARTS": 1,
    "PHI_GRID": (0.5, 0.7, 0.8, 0.9, 0.95),
}  # fmt: skip
"""What is as large as the benchmarks want it, and how large it is here."""

SMALL = CollectionParameters(topics=20, systems=10, depth=60, documents=150, pool_depth=60)
FEW = 5
"""At most so many cuts, rankings or samples are taken for a peer."""

COMPUTING = [name for name, row in ROWS.items() if row.ours != "workflow:run"]


def function(name):
    """A function of the benchmarks by ``module:name``."""
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(f"benchmarks.{module}"), attribute)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The inputs of all rows, and constants that make their work small."""
    patch = pytest.MonkeyPatch()
    modules = {name.partition(":")[0] for row in ROWS.values() for name in (row.ours, row.peer)}
    for module in {*modules, "inputs"} - {""}:
        of = importlib.import_module(f"benchmarks.{module}")
        for name, size in SIZES.items():
            if hasattr(of, name):
                patch.setattr(of, name, size)
    patch.setattr(inputs, "LIKE_TREC8", SMALL)
    settings = Settings(tmp_path_factory.mktemp("rows"), None, threads=1, repeats=1)
    inputs.make_files(settings)
    inputs.make_tables(settings)
    inputs.make_pool_scores(settings)
    yield settings
    patch.undo()


def sides(row, settings):
    """What a row's work and its peer's are on small inputs."""
    settings = replace(settings, sample=min(row.sample, FEW))
    return [
        function(name)(settings, *row.arguments) if name else None for name in (row.ours, row.peer)
    ]


@pytest.mark.parametrize("name", COMPUTING)
def test_a_row_runs_and_agrees_with_its_peer(name, small):
    row = ROWS[name]
    ours, peer = sides(row, small)
    assert isinstance(ours, Measured) and ours.seconds
    if peer is not None and not peer.missing:
        check_agreement(row, ours, peer)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*ROWS} - {*COMPUTING}))
def test_a_row_of_the_workflow_is_a_dry_run(name, tmp_path):
    row = ROWS[name]
    config, *targets = row.arguments
    data = tmp_path / "data"
    file = inputs.PROJECT / "config" / config
    stand_ins(yaml.safe_load(file.read_text(encoding="utf-8")), data)
    settings = Settings(tmp_path, data, threads=1, repeats=1)
    assert function("workflow:run")(settings, config, *targets, "--dry-run").seconds


def test_rows_have_work_that_there_is():
    for row in ROWS.values():
        assert row.inputs in ("", "files", "tables", "pool scores")
        assert all(callable(function(name)) for name in (row.ours, row.peer) if name)
