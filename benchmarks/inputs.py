"""What is measured on: the real TREC-8 where it is, else a simulated collection of its size."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import yaml

from benchmarks.measuring import Settings
from regrade.aggregation import enumerate_cuts
from regrade.audit.rankings import audit_judged
from regrade.pools.pooling import deeply_judged
from regrade.pools.scores import scores_by_depth, to_frame
from regrade.readers import read_qrels, read_runs
from regrade.readers.rows import keep_topics
from regrade.run_arrays import Judged, JudgedLists, RankedLists
from regrade.scales import Scale
from regrade.simulation.collection import (
    CollectionParameters,
    simulate_collection,
    write_collection,
)
from regrade.simulation.crowds import crowd_parameters
from regrade.simulation.judgments import ExpertParameters, simulate_experts, simulate_judgments
from regrade.simulation.pool import SimulationParameters
from regrade.tables import read_table, write_table

PROJECT = Path(__file__).parents[1]
SOURCE_LEVELS, LEVELS = 101, 4
LIKE_TREC8 = CollectionParameters(topics=50, systems=129, depth=1000, documents=4800)
SEED = 2019
DEPTHS = range(5, 51, 5)
POOL_MEASURES = ("AP", "nDCG", "RBP(p=0.98)", "RR")
DEEPLY_JUDGED = 67
"""Systems of TREC-8 that are deeply judged."""


def real_data(named: str | None) -> Path | None:
    """The folder of real collections: as named, $REGRADE_DATA, or the one beside the project."""
    named = named or os.environ.get("REGRADE_DATA")
    folder = Path(named) if named else PROJECT.parent / "shared" / "data"
    return folder.resolve() if (folder / "trec8" / "qrels.gz").exists() else None


def make_files(settings: Settings) -> None:
    """Without real data, write a simulated collection."""
    if settings.data is None:
        write_collection(simulate_collection(LIKE_TREC8), settings.inputs)


def make_tables(settings: Settings) -> str:
    """Runs, qrels and simulated judgments as tables, as config/trec8.yaml has them; their size."""
    runs = read_runs(run_files(settings), threads=settings.threads)
    expert = read_qrels(qrels_file(settings))
    simulation = _simulation()
    base = keep_topics(expert, simulation.pop("topics"), "config/trec8.yaml")
    parameters = SimulationParameters.from_dict(simulation)
    source, target = (Scale.of({"levels": levels}) for levels in (SOURCE_LEVELS, LEVELS))
    slider = crowd_parameters(source, {})
    ranked = RankedLists.from_table(runs)
    s100 = simulate_judgments(ranked, base, "S100", source, parameters, slider)
    so4 = simulate_experts(ranked, base, "So4", target, parameters, ExpertParameters())
    for name, schema, table in (
        ("runs", "runs", runs),
        ("TR2", "qrels", expert),
        ("S100", "judgments", s100),
        ("So4", "qrels", so4),
    ):
        write_table(table, _table_path(settings, name), schema)
    units = len(s100["unit"].unique())
    topics = len(s100["topic"].unique())
    return f"{topics} topics: {units:,} units, {len(s100):,} judgments"


def make_pool_scores(settings: Settings) -> None:
    """Scores of the deeply judged systems under their own pools of ten depths."""
    by_depth = scores_by_depth(
        *rankings(settings), DEPTHS, POOL_MEASURES, contributors=deep_systems(settings)
    )
    write_table(to_frame(by_depth), _table_path(settings, "pool_scores"), "pools/scores")


def run_files(settings: Settings) -> list[Path]:
    """The raw run files."""
    folder = settings.inputs if settings.data is None else settings.data / "trec8"
    return sorted((folder / "runs").glob("*.gz"))


def qrels_file(settings: Settings) -> Path:
    """The raw qrels."""
    if settings.data is None:
        return settings.inputs / "qrels.txt"
    return settings.data / "trec8" / "qrels.gz"


def groups_file(settings: Settings) -> Path:
    """Which group submitted which run."""
    folder = settings.inputs if settings.data is None else settings.data / "trec8"
    return folder / "groups.txt"


def table(settings: Settings, name: str) -> pa.Table:
    """A table that `make_tables` wrote: ``runs``, ``TR2``, ``S100`` or ``So4``."""
    return read_table(_table_path(settings, name))


def rankings(settings: Settings) -> tuple[RankedLists, Judged]:
    """The runs and the experts' qrels, encoded."""
    ranked = RankedLists.from_table(table(settings, "runs"))
    return ranked, Judged.from_table(table(settings, "TR2"), ranked)


def pool_scores(settings: Settings) -> pd.DataFrame:
    """What `make_pool_scores` wrote."""
    return read_table(_table_path(settings, "pool_scores"), "pools/scores").to_pandas()


def grades_of(ranked: RankedLists, judged: Judged) -> Callable[[int, int], np.ndarray]:
    """From indices of a system and a judged topic to its ranking's grades, NaN where unjudged."""
    lists = JudgedLists.match(ranked, judged, 1)
    grades = np.append(judged.grades, np.nan)[lists.rows]
    return lambda s, t: grades[lists.starts[s, t] : lists.stops[s, t]]


def deep_systems(settings: Settings) -> list[str]:
    """The deeply judged systems; without real data as many others."""
    runs = table(settings, "runs")
    if settings.data is None:
        return sorted(runs["system"].unique().to_pylist())[:DEEPLY_JUDGED]
    ranked = RankedLists.from_table(runs)
    judged = Judged.from_table(table(settings, "TR2"), ranked)
    systems = deeply_judged(audit_judged(ranked, {"TR2": judged}))
    return systems.loc[systems["deeply_judged"], "system"].astype(str).to_list()


def drawn(settings: Settings, n: int) -> np.ndarray:
    """Which of n a peer is measured on."""
    return np.random.default_rng(SEED).choice(n, settings.sample, replace=False)


def sampled_cuts(settings: Settings) -> tuple[np.ndarray, np.ndarray, int]:
    """The cuts that a peer is measured on: indices, thresholds (n, 3), and how many there are."""
    cuts = enumerate_cuts(SOURCE_LEVELS, LEVELS)
    chosen = drawn(settings, len(cuts))
    return chosen, cuts[chosen], len(cuts)


def _simulation() -> dict:
    config = yaml.safe_load((PROJECT / "config" / "trec8.yaml").read_text())
    simulation = config["collections"]["trec8"]["simulation"]
    del simulation["base"]
    return simulation


def _table_path(settings: Settings, name: str) -> Path:
    return settings.inputs / "tables" / f"{name}.parquet"
