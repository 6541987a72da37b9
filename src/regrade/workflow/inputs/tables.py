"""Where each table of the catalogue lies, of a collection and of several together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from regrade.catalogue import TABLES, tables_of
from regrade.workflow.inputs.cuts import CutInputs
from regrade.workflow.inputs.paths import Paths, Places
from regrade.workflow.project import ALL
from regrade.workflow.sets import KINDS
from regrade.workflow.stages import STAGES

TOGETHER = Places(ALL)
"""Where what is made of several collections lies."""

AUDITED_WITH_RUNS = ("audit/runs", "audit/judged")
"""What the audit makes of runs."""


def tables_at(paths: Paths) -> Iterator[tuple[str, str]]:
    """The tables of a collection, each as the catalogue calls it and where it is."""
    collection = paths.collection
    if collection.has_runs:
        yield "runs", paths.below("tables", "runs.parquet")
        yield from (("scores", paths.scores(name)) for name in collection.qrels)
    for key in (key for key in TABLES if key.startswith("audit/")):
        if collection.has_runs or key not in AUDITED_WITH_RUNS:
            yield key, paths.below(f"{key}.parquet")
    for kind in KINDS:
        yield from ((kind, paths.set(name)) for name in collection.options[kind])
    yield from (("item-scores", paths.item_scores(name)) for name in collection.score_sets)
    for key, path in stage_tables(paths):
        if is_joinable(key):
            yield key, path


def item_of(key: str, path: str) -> str:
    """What an item's table is of: the folders between, or its own name where that is no table's."""
    place = PurePosixPath(path)
    if key in KINDS or place.stem != PurePosixPath(key).name:
        return place.stem
    return "/".join(place.parts[3:-1])  # below results, the collection and the table's folder


def is_joinable(key: str) -> bool:
    """Whether tables of a name have the same columns, so that several can be one."""
    return key in TABLES and TABLES[key].named_by_data is None


def stage_tables(paths: Paths) -> Iterator[tuple[str, str]]:
    """The tables of all stages of a collection, each as the catalogue calls it and where it is."""
    for name, group in STAGES.items():
        if group.stage.is_requested(paths.collection.options):
            yield from group_tables(paths, name)


def group_tables(paths: Paths, name: str) -> Iterator[tuple[str, str]]:
    """The same of one group of tables of a stage."""
    group = STAGES[name]
    if name in ("cuts", "rankings"):  # some of them are of each search, and some of all together
        for one in paths.collection.transformations.values():
            cuts = CutInputs(paths, one)
            for table, made in ({"alpha": cuts.searched["alpha"]} | cuts.combined).items():
                files = [made] if isinstance(made, str) else made
                for called in {table, f"cuts/{table}"} & {*tables_of(group.name)}:
                    yield from ((called, path) for path in files)
        return
    items = paths.collection.items[group.key]
    called = {path.split("/")[1]: path for path in tables_of(group.name)}
    for item in [None] if items is None else items:
        yield from ((called[t], path) for t, path in paths.tables(name, of=item).items())
