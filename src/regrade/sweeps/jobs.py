"""A sweep as jobs do it: read from tables, in parts, put together from what parts have written."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from regrade.catalogue.arrow import SCHEMAS
from regrade.codes import CodedRuns
from regrade.errors import ParameterError
from regrade.item_scores.scores import ItemScores
from regrade.readers.groups import group_of_systems
from regrade.scales import Scale
from regrade.sweeps.label_sweep import LabelSweep
from regrade.sweeps.labels import LabelledSet
from regrade.sweeps.options import (
    LABEL_AXES,
    SCORE_AXES,
    AvailableLevels,
    CutFamily,
    read_sweep,
)
from regrade.sweeps.parts import SweepPart, add_sums, sums_tables
from regrade.sweeps.results import blocks_of, manifest, result_tables
from regrade.sweeps.score_sweep import ScoreSweep, known_of
from regrade.sweeps.store import Store
from regrade.sweeps.sums import Sums
from regrade.sweeps.sweep import Block, Sweep, SweepDesign
from regrade.tables import conform, read_table, table_writer, write_table, write_tables
from regrade.wording import counted, first_few

ROW_GROUP = 1 << 16
"""Universes that are written together, at least."""

log = logging.getLogger(__name__)


def read_design(paths: Mapping, params: Mapping) -> Sweep:
    """The sweep of a job."""
    if params.get("scores"):
        return _read_score_design(paths, params)
    groups = group_of_systems(paths["groups"]) if paths["groups"] else None
    coded = CodedRuns(paths["runs"])
    own = {} if groups is None else {s: groups[s] for s in coded.systems if s in groups}
    known = AvailableLevels({"run": coded.systems, "group": sorted(set(own.values()))})
    sets, families = _read_sets(paths, params)
    written = read_sweep(params["axes"], params["baseline"], list(sets), families, known)
    chosen = None
    if "cuts" in paths.keys():  # noqa: SIM118 (what Snakemake gives is no mapping)
        cuts = read_table(paths["cuts"], "sweeps/cuts").to_pandas().astype(str)
        chosen = {e: rows["thresholds"].tolist() for e, rows in cuts.groupby("entry", sort=False)}
    return Sweep.of(
        SweepDesign.of(written, **params["how"]),
        sets,
        coded.ranked(scores=True, submitted_ranks=True),
        score_precision=params["score_precision"],
        groups=groups,
        chosen=chosen,
    )


def _read_score_design(paths: Mapping, params: Mapping) -> ScoreSweep:
    """The sweep of a job about scores by item."""
    designs = {one["name"]: one for one in params["scores"]}
    sets = {
        name: ItemScores.read(path, name, one["lower"])
        for (name, one), path in zip(designs.items(), paths["scores"], strict=True)
    }
    for name, scores in sets.items():
        if len(scores.judges) > 1:
            raise ParameterError(
                f"sweep: scores: {name} has scores by {counted(len(scores.judges), 'judge')} "
                f"({first_few(scores.judges)}): name a set for each (where: judge: NAME)"
            )
    known = known_of(sets)
    written = read_sweep(params["axes"], params["baseline"], [*sets], None, known, SCORE_AXES)
    missing = {name: one["missing"] for name, one in designs.items()}
    return ScoreSweep.of_scores(SweepDesign.of(written, **params["how"]), sets, missing)


def read_label_design(paths: Mapping, params: Mapping) -> LabelSweep:
    """The sweep of labels of a job; arguments as of `read_design`, as far as needed."""
    sets, families = _read_sets(paths, params)
    axes, baseline = params["axes"], params["baseline"]
    written = read_sweep(axes, baseline, list(sets), families, names=LABEL_AXES)
    return LabelSweep.of(SweepDesign.of(written, **params["how"]), sets)


def _read_sets(
    paths: Mapping, params: Mapping
) -> tuple[dict[str, LabelledSet], dict[str, CutFamily]]:
    families = {name: CutFamily(**options) for name, options in params["families"].items()}
    sets = {
        name: LabelledSet(read_table(path), Scale.of(scale))
        for name, path, scale in zip(params["sets"], paths["sets"], params["scales"], strict=True)
    }
    return sets, families


def write_part(
    sweep: Sweep,
    blocks: Sequence[Block],
    store: Store,
    paths: Mapping[str, str],
    parameters: Mapping,
) -> None:
    """Score some blocks, and write what a sweep is put together from: a part of its universes,
    sums and manifest.
    """
    part = SweepPart(sweep, blocks, store)
    with table_writer(paths["universes"], "sweeps/universes", parameters) as write:
        for table in part.universes():
            write(table)
    with table_writer(paths["sums"], "sweeps/sums", parameters) as write:
        for table in sums_tables(part.sums):
            write(table)
    write_table(manifest(sweep, part.files), paths["manifest"], "sweeps/manifest", parameters)


def join_parts(
    sweep: Sweep,
    parts: Mapping[str, Sequence[str]],
    store: Store,
    paths: Mapping[str, str],
    parameters: Mapping,
) -> None:
    """Put a sweep together from its parts."""
    folder = Path(paths["universes"]).parent
    total = Sums.nothing(sweep)
    for path in parts["sums"]:
        file = pq.ParquetFile(path)
        add_sums(total, (file.read_row_group(g) for g in range(file.num_row_groups)))
    with table_writer(paths["universes"], "sweeps/universes", parameters) as write:
        tables = (read_table(path, "sweeps/universes") for path in parts["universes"])
        blocks = _passed_on(blocks_of(sweep, tables), paths["universes"], write)
        tables_of_sweep = result_tables(sweep, total, blocks, store)
    files = [read_table(path, "sweeps/manifest").to_pandas() for path in parts["manifest"]]
    tables_of_sweep["manifest"] = pd.concat(files, ignore_index=True)
    kept = set(tables_of_sweep["manifest"]["file"].astype(str))
    for path in sorted(folder.glob("means/*/*.parquet")):
        if str(path.relative_to(folder)) not in kept:
            log.info("removed %s: the sweep no longer has it", path.name)
            path.unlink()
            (folder / "cells" / path.relative_to(folder / "means")).unlink(missing_ok=True)
    write_tables(tables_of_sweep, paths, "sweeps", parameters)


def _passed_on(
    blocks: Iterator[tuple[Block, pa.Table]], path: str, write: Callable[[pa.Table], None]
) -> Iterator[tuple[Block, pa.Table]]:
    """The blocks, which are written as they pass, in row groups that do not depend on parts."""
    waiting: list[pa.Table] = []
    for block, table in blocks:
        yield block, table
        waiting.append(table)
        if sum(map(len, waiting)) >= ROW_GROUP:
            write(conform(pa.concat_tables(waiting), SCHEMAS["sweeps/universes"], path))
            waiting = []
    if waiting:
        write(conform(pa.concat_tables(waiting), SCHEMAS["sweeps/universes"], path))
