"""Crowd and expert judgments simulated over a real pool.

Nothing here was judged by a person.  The model is chu2021's (§4.1), the layout of the units
is turpin2015's (§3.1-3.2); ``docs/methods/simulation.md`` lists what was added and why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue.arrow import SCHEMAS
from regrade.codes import CodedRuns
from regrade.errors import ParameterError
from regrade.randomness import generator
from regrade.readers.rows import keep_topics
from regrade.run_arrays import RankedLists
from regrade.scales import BINARY, Scale
from regrade.simulation.crowds import (
    CrowdParameters,
    MagnitudeParameters,
    answers,
    crowd_class,
)
from regrade.simulation.parameters import Parameters, drawn_as, knob
from regrade.simulation.pool import SimulationParameters, TopicPool, topic_pools
from regrade.tables import read_table

LEAST_SECONDS = 20.0
"""Time that each document takes at least (turpin2015 §3.2, check d)."""

LOG_SECONDS = (3.1, 0.8)
"""Mean and standard deviation of the log of the further seconds, near real sliders'."""

HURRIED_SECONDS = (1.0, 19.9)
"""Bounds of the uniform draw of the time of a document that was not read."""


@dataclass(frozen=True, kw_only=True)
class ExpertParameters(Parameters):
    """Experts who label a part of the pool (So4).

    Parameters
    ----------
    relevant_share, non_relevant_share
        Shares of a topic's relevant and non-relevant documents (by the base label) that are
        labelled; unjudged documents never are.
    sigma
        Standard deviation of the experts' error.
    thresholds
        Perceived relevance from which on the next level is given, ``levels - 1`` numbers.
    seed
        Other experts of the same kind, over the same documents, for each number.
    """

    relevant_share: float = knob(0.99, 0, 1)
    non_relevant_share: float = knob(0.042, 0, 1)
    sigma: float = knob(0.06, 0)
    thresholds: tuple[float, ...] = knob((0.55, 0.715, 0.855), -1, 2)
    seed: int = knob(0, 0)


def read_base(inputs: Mapping, params: Mapping) -> dict[str, object]:
    """What a job simulates judges of: arguments of `simulate_judgments` and `simulate_experts`."""
    simulation = {key: value for key, value in params["simulation"].items() if key != "base"}
    base, topics = read_table(inputs["base"], "qrels"), simulation.pop("topics")
    base = keep_topics(base, topics, inputs["base"])
    topics = base["topic"].unique().to_pylist()
    return {
        "ranked": CodedRuns(inputs["runs"]).ranked(topics, submitted_ranks=True),
        "qrels": base,
        "name": params["name"],
        "scale": Scale.of(params["scale"]),
        "simulation": SimulationParameters.from_dict(simulation),
        "base": Scale.of(params["base_scale"]),
    }


def simulate_judgments(
    ranked: RankedLists,
    qrels: pa.Table,
    name: str,
    scale: Scale,
    simulation: SimulationParameters,
    crowd: CrowdParameters,
    base: Scale = BINARY,
) -> pa.Table:
    """Simulate a crowd's judgments of the union of the runs' top documents.

    Worker u perceives document d of topic q, with latent relevance r, as

        r + b_q + f_q σ_u (ε_u + exp(w_dqu) ε_dqu)

    (chu2021 Eq. 15, with the topic's leniency b_q and difficulty f_q)
    and answers on the scale: see `regrade.simulation.crowds`.
    """
    if type(crowd) is not crowd_class(scale):
        raise ParameterError(
            f"{name}: the scale of {scale} needs {crowd_class(scale).__name__}, "
            f"not {type(crowd).__name__}"
        )
    called = drawn_as(name, crowd.seed)
    draw = generator(simulation.seed, *called, "workers")
    sigma = draw.uniform(*crowd.sigma, size=crowd.workers)
    bias = draw.standard_normal(crowd.workers)
    answer = answers(crowd, scale, draw)
    tables = []
    for pool in topic_pools(ranked, qrels, simulation, base):
        draw = generator(simulation.seed, *called, "units", pool.topic)
        units = _units(pool, simulation, draw)
        worker = _workers(pool.topic, len(units), crowd.workers, draw)
        w = draw.uniform(*crowd.noise, size=units.shape)
        error = bias[worker, None] + np.exp(w) * draw.standard_normal(units.shape)
        perceived = pool.latent[units] + pool.leniency
        perceived += pool.difficulty * sigma[worker, None] * error
        seconds = LEAST_SECONDS + draw.lognormal(*LOG_SECONDS, size=units.shape)
        high, low = units == pool.high, units == pool.low
        is_reversed = perceived[high] < perceived[low]
        if crowd.known_check:
            perceived = _revised(perceived, high, low)
        value, history = answer(perceived, worker), {}
        if isinstance(crowd, MagnitudeParameters):
            if crowd.known_check:
                value[high] = answer.at_least_above(value[high], value[low], worker)
            draw = generator(simulation.seed, *called, "attempts", pool.topic)
            history, problems = _attempts(crowd, is_reversed, draw)
            _spoil(value, seconds, high, low, problems, draw)
        tables.append(_table(name, pool, units, worker, value, seconds, history))
    return pa.concat_tables(tables).unify_dictionaries().combine_chunks()


def simulate_experts(
    ranked: RankedLists,
    qrels: pa.Table,
    name: str,
    scale: Scale,
    simulation: SimulationParameters,
    experts: ExpertParameters,
    base: Scale = BINARY,
) -> pa.Table:
    """Simulate experts who re-judge a sample of the judged pool on a finer scale.

    Nearly all documents that the base labels call relevant are labelled, and few others, as
    Sormunen's were (han2019 §3.1).  The known high and low documents are always among them,
    with the highest and the lowest level: that is what makes them known (turpin2015 §3.2).
    """
    grades, called = _graders(name, scale, experts), drawn_as(name, experts.seed)
    labelled = []
    for pool in topic_pools(ranked, qrels, simulation, base):
        draw = generator(simulation.seed, *called, "experts", pool.topic)
        perceived = pool.latent + experts.sigma * draw.standard_normal(len(pool.latent))
        grade = grades(perceived)
        grade[pool.high], grade[pool.low] = scale.high, scale.low
        chosen = np.union1d(_sample(pool, experts, draw), [pool.high, pool.low])
        labelled.append(
            pd.DataFrame({"topic": pool.topic, "docno": pool.docno[chosen], "grade": grade[chosen]})
        )
    return pa.Table.from_pandas(
        pd.concat(labelled), schema=SCHEMAS["qrels"], preserve_index=False
    ).replace_schema_metadata()


def _graders(
    name: str, scale: Scale, experts: ExpertParameters
) -> Callable[[np.ndarray], np.ndarray]:
    """What experts say of perceived relevance, (n,) to (n,)."""
    if scale.ratio:
        raise ParameterError(
            f"{name}: simulated experts use values or a range, not magnitudes: give levels, values "
            "or range"
        )
    thresholds = experts.thresholds
    if not scale.finite:
        if thresholds != ExpertParameters().thresholds:
            raise ParameterError(f"{name}: thresholds go with a scale of values, not with {scale}")
        return lambda perceived: scale.low + (scale.high - scale.low) * np.clip(perceived, 0, 1)
    if len(thresholds) != scale.levels - 1:
        raise ParameterError(
            f"{name}: {scale.levels} levels need {scale.levels - 1} thresholds, "
            f"not {list(thresholds)}: set `thresholds`"
        )
    values = np.array(scale.values)
    return lambda perceived: values[np.searchsorted(thresholds, perceived, side="right")]


def _units(
    pool: TopicPool, simulation: SimulationParameters, draw: np.random.Generator
) -> np.ndarray:
    """Documents (indices into the pool) of each unit in the order shown, (units, k)."""
    others = np.delete(np.arange(len(pool.docno)), [pool.high, pool.low])
    dealt = _deal(len(others), simulation.unit_size - 2, simulation.workers_per_document, draw)
    known = np.broadcast_to([pool.high, pool.low], (len(dealt), 2))
    return draw.permuted(np.hstack([known, others[dealt]]), axis=1)


def _deal(documents: int, slots: int, rounds: int, draw: np.random.Generator) -> np.ndarray:
    """Deal documents to units of `slots`, each at least `rounds` times and never twice a unit.

    Each round deals a new random order of all documents.  A unit that a round leaves open is
    filled with documents of the next round that it does not hold yet, so after the last round
    some documents are dealt once more.
    """
    units = -(-rounds * documents // slots)
    dealt = np.empty(0, dtype=np.intp)
    for _ in range(rounds + 1):
        order = draw.permutation(documents)
        filled = len(dealt) % slots
        if filled:
            is_dealt = np.isin(order, dealt[-filled:])
            first = np.zeros(documents, dtype=bool)
            first[np.flatnonzero(~is_dealt)[: slots - filled]] = True
            order = np.concatenate([order[first], order[~first]])
        dealt = np.concatenate([dealt, order])
    return dealt[: units * slots].reshape(units, slots)


def _workers(topic: str, units: int, workers: int, draw: np.random.Generator) -> np.ndarray:
    """A worker for each unit of a topic, no worker twice, (units,)."""
    if units > workers:
        raise ParameterError(
            f"topic {topic} has {units} units, each for another worker, but the crowd has "
            f"{workers}: set `workers` to {units} or more"
        )
    return draw.choice(workers, size=units, replace=False)


def _revised(perceived: np.ndarray, high: np.ndarray, low: np.ndarray) -> np.ndarray:
    """Exchange the known documents' perceived relevance in the units that have it reversed."""
    ends = np.sort(np.column_stack([perceived[high], perceived[low]]), axis=1)
    revised = perceived.copy()
    revised[low], revised[high] = ends.T
    return revised


def _attempts(
    crowd: MagnitudeParameters, is_reversed: np.ndarray, draw: np.random.Generator
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """What happened before a unit was done, and what is wrong with it still."""
    n = len(is_reversed)
    never = np.zeros(n, dtype=bool)
    noticed = is_reversed if crowd.known_check else never
    back = _numbers(crowd.back_once, crowd.back_more, never, draw)
    failed = _numbers(crowd.failed_once, crowd.failed_more, noticed, draw)
    # 1: order, 2: time, 3: both
    wrong = np.where(draw.random(n) < crowd.keeps_failing, draw.integers(1, 4, size=n), 0)
    history = {"back": back, "failed": np.maximum(failed, wrong > 0)}
    return history, {"order": wrong & 1 > 0, "time": wrong & 2 > 0}


def _numbers(
    once: float, more: float, certain: np.ndarray, draw: np.random.Generator
) -> np.ndarray:
    """0, 1 or more for each unit, in these shares; at least 1 for those that are `certain`."""
    n, share, certain_share = len(certain), once + more, certain.mean()
    others = max(share - certain_share, 0) / (1 - certain_share) if certain_share < 1 else 0
    some = certain | (draw.random(n) < others)
    several = draw.random(n) < (more / share if share else 0)
    return np.where(some, np.where(several, 1 + draw.geometric(0.5, size=n), 1), 0)


def _spoil(
    value: np.ndarray,
    seconds: np.ndarray,
    high: np.ndarray,
    low: np.ndarray,
    problems: dict[str, np.ndarray],
    draw: np.random.Generator,
) -> None:
    """Reverse the known documents in some units, and hurry one document in some, in place."""
    ends = np.sort(np.column_stack([value[high], value[low]]), axis=1)
    value[high] = np.where(problems["order"], ends[:, 0], value[high])
    value[low] = np.where(problems["order"], ends[:, 1], value[low])
    units, size = value.shape
    document, hurried = draw.integers(size, size=units), draw.uniform(*HURRIED_SECONDS, size=units)
    of = np.flatnonzero(problems["time"])
    seconds[of, document[of]] = hurried[of]


def _sample(pool: TopicPool, experts: ExpertParameters, draw: np.random.Generator) -> np.ndarray:
    """Indices of the documents that the experts label."""
    return np.concatenate(
        [
            draw.choice(group, size=round(share * len(group)), replace=False)
            for group, share in (
                (np.flatnonzero(pool.label > 0), experts.relevant_share),
                (np.flatnonzero(pool.label == 0), experts.non_relevant_share),
            )
        ]
    )


def _table(
    name: str,
    pool: TopicPool,
    units: np.ndarray,
    worker: np.ndarray,
    value: np.ndarray,
    seconds: np.ndarray,
    history: Mapping[str, np.ndarray],
) -> pa.Table:
    """One topic's judgments in the ``judgments`` schema; `history` may tell more of each unit."""
    count, size = units.shape
    unit_names = pa.array([f"{pool.topic}-{number:04d}" for number in range(1, count + 1)])
    crowd_names = pa.array([f"{name}-{number:05d}" for number in worker])
    of_unit = np.repeat(np.arange(count, dtype=np.int32), size)

    def coded(codes: np.ndarray, names: pa.Array) -> pa.DictionaryArray:
        return pa.DictionaryArray.from_arrays(codes.astype(np.int32).ravel(), names)

    columns = {
        "topic": coded(np.zeros(units.size), pa.array([pool.topic])),
        "docno": coded(units, pa.array(pool.docno, pa.string())),
        "worker": coded(of_unit, crowd_names),
        "unit": coded(of_unit, unit_names),
        "position": np.tile(np.arange(1, size + 1, dtype=np.int32), count),
        "value": value.ravel(),
        "seconds": seconds.round(2).ravel(),
    }
    for column in ("back", "failed"):
        known = column in history
        numbers = np.repeat(history[column], size) if known else [None] * units.size
        columns[column] = pa.array(numbers, pa.int32())
    return pa.table(columns, schema=SCHEMAS["judgments"])
