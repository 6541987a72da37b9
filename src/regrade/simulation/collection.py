"""Simulated runs: over the documents of real labels, or a small collection from nothing."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import ParameterError
from regrade.randomness import generator
from regrade.simulation.parameters import Parameters, knob
from regrade.tables import atomic_path

FIRST_TOPIC = 401

SHARED = 0.6
"""Standard deviation of what misleads all systems alike (a document that merely looks relevant)."""

OWN = 0.9
"""Standard deviation of what a group's systems alone see in a document."""

SIBLING = 0.25
"""Standard deviation of what sets a system apart from the others of its group."""

QUALITY = (0.5, 1.8)
"""How strongly relevance moves the scores of the worst and of the best group."""

RELEVANT = (0.02, 0.1)
"""Bounds of the share of a topic's documents that are relevant, as the assessor sees it."""

GRAIN = (0.004, 0.25)
"""Step of the scores of the systems with the fewest and the most ties, in standard deviations."""

FINE = 1e-6
"""The same for the other systems, whose documents do not tie."""


@dataclass(frozen=True, kw_only=True)
class RunParameters(Parameters):
    """Simulated systems, and what they return.

    Parameters
    ----------
    seed
        Seed of every draw.
    systems
        Number of systems.
    depth
        Documents per ranking.
    documents
        Documents per topic that systems can retrieve; at least so many where some are given.
    group_size
        Systems per group; the systems of a group are near-copies of each other.
    tied
        Share of the systems whose scores are coarse, so that documents tie.
    short
        Share of the systems that return fewer than `depth` documents for some topics.
    """

    seed: int = knob(1, 0)
    systems: int = knob(24, 1)
    depth: int = knob(100, 1)
    documents: int = knob(400, 2)
    group_size: int = knob(3, 1)
    tied: float = knob(0.5, 0, 1)
    short: float = knob(0.15, 0, 1)

    def __post_init__(self):
        """Check that the rankings can be made."""
        super().__post_init__()
        if self.depth > self.documents:
            raise ParameterError(
                f"{type(self).__name__}: rankings of depth {self.depth} cannot be made of "
                f"{self.documents} documents: raise `documents` or lower `depth`"
            )


@dataclass(frozen=True, kw_only=True)
class CollectionParameters(RunParameters):
    """A collection simulated from nothing: `RunParameters`, and what is judged.

    Parameters
    ----------
    topics
        Number of topics, called 401, 402, …
    contributing
        Share of the systems that contribute to the pool of judged documents.
    pool_depth
        Documents that each contributing system puts into the pool.
    """

    topics: int = knob(8, 1)
    contributing: float = knob(0.5, 0, 1)
    pool_depth: int = knob(20, 1)


@dataclass(frozen=True, eq=False)
class SimulatedCollection:
    """What `simulate_collection` makes.

    Attributes
    ----------
    runs
        A ``runs`` table; `line` is the line in the file that `write_collection` writes.
    qrels
        A ``qrels`` table with grades 0 and 1.
    groups
        Group of each system.
    contributing
        The systems whose documents were pooled and judged.
    """

    runs: pa.Table
    qrels: pa.Table
    groups: Mapping[str, str]
    contributing: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Systems:
    """Traits of the systems, each an array of one value per system."""

    name: np.ndarray
    group: np.ndarray
    quality: np.ndarray
    grain: np.ndarray
    short: np.ndarray
    contributing: np.ndarray


def simulate_runs(labels: Sequence[pa.Table], params: RunParameters) -> pa.Table:
    """Simulate systems that rank the documents of real labels.

    The model is that of `simulate_collection`; only the latent relevance t follows the labels: of
    a topic's documents, a higher grade has a higher t, and t as a whole is standard normal.
    Documents of equal grade come in random order.  Where a topic has fewer labelled documents than
    `params.documents`, made-up ones fill up, which nobody judged and which count as the lowest
    grade.
    """
    systems = _systems(params)
    parts, seen = [], set()
    for table in labels:
        frame = table.to_pandas().astype({"topic": str, "docno": str})
        for topic, rows in frame.groupby("topic", sort=True):
            if topic not in seen:
                seen.add(topic)
                rows = rows.sort_values("docno")
                draw = generator(params.seed, "topic", topic)
                docno, relevance = _latent(topic, rows, params.documents, draw)
                parts.append(_rankings(topic, docno, relevance, systems, params, draw)[0])
    return _run_table(parts)


def _latent(
    topic: str, labels: pd.DataFrame, documents: int, draw: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The documents that systems can retrieve, and their latent relevance."""
    further = max(0, documents - len(labels))
    unjudged = [f"SIM{topic}-{number:04d}" for number in range(1, further + 1)]
    grades = np.concatenate([labels["grade"], np.full(further, labels["grade"].min())])
    relevance = np.empty(len(grades))
    by_grade = np.lexsort((draw.random(len(grades)), grades))
    relevance[by_grade] = np.sort(draw.standard_normal(len(grades)))
    return np.array([*labels["docno"], *unjudged]), relevance


def simulate_collection(params: CollectionParameters) -> SimulatedCollection:
    """Simulate runs and the binary qrels of a pool of some of them.

    System s of group g scores document d of a topic with latent relevance t (standard normal)

        a_g t_d + c_d + e_gd + e_sd,

    where c misleads all systems alike, e_g the systems of a group, e_s one system.  The most
    relevant documents are relevant; those among them that no contributing system has near its
    top stay unjudged.  Each topic has random numbers of its own, so the number of topics does
    not change any topic.
    """
    systems = _systems(params, params.contributing)
    topics = [str(FIRST_TOPIC + number) for number in range(params.topics)]
    parts = [_topic(topic, systems, params) for topic in topics]
    qrels = pd.concat([labels for _, labels in parts], ignore_index=True)
    return SimulatedCollection(
        runs=_run_table([rankings for rankings, _ in parts]),
        qrels=_table(qrels, "qrels"),
        groups=dict(zip(systems.name.tolist(), systems.group.tolist(), strict=True)),
        contributing=tuple(systems.name[systems.contributing].tolist()),
    )


def write_collection(collection: SimulatedCollection, folder: str | Path) -> None:
    """Write the collection as TREC files, the same bytes for the same collection."""
    folder = Path(folder)
    write_runs(collection.runs, folder / "runs")
    qrels = collection.qrels.to_pandas().assign(iteration=0).astype({"grade": int})
    _write(folder / "qrels.txt", qrels[["topic", "iteration", "docno", "grade"]])
    _write(folder / "groups.txt", pd.DataFrame(collection.groups.items()))


def write_runs(runs: pa.Table, folder: str | Path) -> None:
    """Write simulated runs as TREC files, the same bytes for the same runs."""
    rows = runs.to_pandas().assign(q0="Q0")
    columns = ["topic", "q0", "docno", "submitted_rank", "score", "system"]
    for system, own in rows.groupby("system", observed=True):
        _write(Path(folder) / f"{system}.gz", own.sort_values("line")[columns])


def _run_table(rankings: list[pd.DataFrame]) -> pa.Table:
    """The rankings of all topics as a table, with the lines that their files have."""
    runs = pd.concat(rankings, ignore_index=True)
    runs = runs.sort_values(["system", "topic", "rank"], ignore_index=True)
    runs["submitted_rank"] = runs["rank"]
    runs["line"] = runs.groupby("system").cumcount() + 1
    return _table(runs, "runs")


def _systems(params: RunParameters, contributing: float = 0.0) -> _Systems:
    """Groups of systems, from poor to good, in no order."""
    number = np.arange(params.systems)
    group = number // params.group_size
    draw = generator(params.seed, "systems")
    quality = draw.permutation(np.linspace(*QUALITY, group[-1] + 1))[group]
    quality *= draw.uniform(0.9, 1.1, size=params.systems)

    def some(share: float) -> np.ndarray:
        chosen = np.zeros(params.systems, dtype=bool)
        chosen[draw.permutation(params.systems)[: round(share * params.systems)]] = True
        return chosen

    tied = some(params.tied)
    grain = np.full(params.systems, FINE)
    grain[tied] = draw.permutation(np.geomspace(*GRAIN, tied.sum()))
    names = [f"group{g + 1:02d}" for g in group]
    variant = number % params.group_size + 1
    return _Systems(
        name=np.array([f"{name}v{v}" for name, v in zip(names, variant, strict=True)]),
        group=np.array(names),
        quality=quality,
        grain=grain,
        short=some(params.short),
        contributing=some(contributing),
    )


def _topic(
    topic: str, systems: _Systems, params: CollectionParameters
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """One topic's rankings (system, topic, rank, docno, score) and labels (qrels)."""
    draw = generator(params.seed, "topic", topic)
    docno = np.array([f"SIM{topic}-{number:04d}" for number in range(1, params.documents + 1)])
    relevance = draw.standard_normal(params.documents)
    relevant = relevance >= np.quantile(relevance, 1 - draw.uniform(*RELEVANT))
    rankings, document = _rankings(topic, docno, relevance, systems, params, draw)
    contributed = rankings["system"].isin(systems.name[systems.contributing])
    pooled = np.unique(document[contributed & (rankings["rank"] <= params.pool_depth)])
    labels = pd.DataFrame(
        {"topic": topic, "docno": docno[pooled], "grade": relevant[pooled].astype(float)}
    )
    return rankings, labels


def _rankings(
    topic: str,
    docno: np.ndarray,
    relevance: np.ndarray,
    systems: _Systems,
    params: RunParameters,
    draw: np.random.Generator,
) -> tuple[pd.DataFrame, np.ndarray]:
    """A topic's rankings (system, topic, rank, docno, score), and each row's place in `docno`."""
    score = _scores(relevance, systems, draw)
    # a short run returns what it is sure of: between a twentieth and three quarters
    length = np.where(
        systems.short & (draw.random(len(systems.name)) < 0.5),
        np.maximum(1, params.depth * draw.uniform(0.05, 0.75, size=len(systems.name))),
        params.depth,
    ).astype(int)
    # ties keep the order of the documents in the system's own index
    index_order = draw.random(score.shape)
    ranking = np.lexsort((index_order, -score))[:, : params.depth]
    returned = np.arange(params.depth) < length[:, None]
    system, position = np.nonzero(returned)
    document = ranking[system, position]
    frame = pd.DataFrame(
        {
            "system": systems.name[system],
            "topic": topic,
            "rank": position + 1,
            "docno": docno[document],
            "score": score[system, document],
        }
    )
    return frame, document


def _scores(relevance: np.ndarray, systems: _Systems, draw: np.random.Generator) -> np.ndarray:
    """(systems, documents) scores; coarse for the systems with ties."""
    shape = len(systems.name), len(relevance)
    _, group = np.unique(systems.group, return_inverse=True)
    shared = SHARED * draw.standard_normal(len(relevance))
    own = OWN * draw.standard_normal((group.max() + 1, len(relevance)))[group]
    sibling = SIBLING * draw.standard_normal(shape)
    score = systems.quality[:, None] * relevance + shared + own + sibling
    score /= score.std(axis=1, keepdims=True)
    grain = systems.grain[:, None]
    return (10 + grain * np.rint(score / grain)).round(6)


def _table(frame: pd.DataFrame, schema: str) -> pa.Table:
    return pa.Table.from_pandas(
        frame, schema=SCHEMAS[schema], preserve_index=False
    ).replace_schema_metadata()


def _write(path: Path, rows: pd.DataFrame) -> None:
    """Blank-separated lines, compressed where the name ends in .gz (without name and time)."""
    text = rows.to_csv(sep=" ", header=False, index=False, lineterminator="\n").encode()
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        if path.suffix == ".gz":
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                packed.write(text)
        else:
            file.write(text)
