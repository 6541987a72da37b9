"""Crowd and expert judgments simulated over a real pool.

Nothing here was judged by a person.  The model is chu2021's (§4.1), the layout of the units
is turpin2015's (§3.1-3.2); ``docs/methods/simulation.md`` lists what was added and why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.errors import ParameterError
from regrade.randomness import generator
from regrade.ranked import RankedLists
from regrade.scales import BINARY, Scale
from regrade.schemas import SCHEMAS
from regrade.simulation.parameters import Parameters, interval, knob
from regrade.simulation.pool import SimulationParameters, TopicPool, topic_pools

SLIDER_LEVELS = 11
"""Scales with at least so many levels are sliders; smaller ones are buttons."""

LEAST_SECONDS = 20.0
"""Time that each document takes at least (turpin2015 §3.2, check d)."""

LOG_SECONDS = (3.1, 0.8)
"""Mean and standard deviation of the log of the further seconds, near real sliders'."""

LOW_END = (0.0, 0.4)
HIGH_END = (0.6, 1.0)
"""Where the ends lie of the part of the scale that some slider workers keep to."""


@dataclass(frozen=True, kw_only=True)
class CrowdParameters(Parameters):
    """A crowd, whatever scale it judges on.

    Parameters
    ----------
    workers
        Size of the crowd; each does at most one unit per topic.
    sigma
        Bounds of the uniform draw of a worker's σ_u (chu2021 §4.1).
    noise
        Bounds of the uniform draw of a judgment's w (chu2021 §4.1).
    known_check
        Whether a worker who finds the known low document more relevant than the known high
        one has to revise the two (turpin2015 §3.2, check c).
    """

    workers: int = knob(1500, 1)
    sigma: tuple[float, float] = interval((0.001, 0.3), 0)
    noise: tuple[float, float] = interval((-0.5, 0.5), -10, 10)
    known_check: bool = knob(True)


@dataclass(frozen=True, kw_only=True)
class SliderParameters(CrowdParameters):
    """A crowd that judges with a slider (S100).

    Parameters
    ----------
    tens, fives
        Shares of the workers who answer in multiples of ten, and of five.
    partial_scale
        Share of the workers who use only a part of the scale.
    """

    tens: float = knob(0.35, 0, 1)
    fives: float = knob(0.25, 0, 1)
    partial_scale: float = knob(0.3, 0, 1)

    def __post_init__(self):
        """Check that the shares fit together."""
        super().__post_init__()
        if self.tens + self.fives > 1:
            raise ParameterError(
                f"SliderParameters: tens and fives are shares of the workers, but sum to "
                f"{self.tens + self.fives:g}: keep the sum at most 1"
            )


@dataclass(frozen=True, kw_only=True)
class ButtonParameters(CrowdParameters):
    """A crowd that judges with a few buttons (S4, S2).

    Parameters
    ----------
    threshold_sd
        Standard deviation of a worker's thresholds around the true ones, j / levels.
    """

    threshold_sd: float = knob(0.05, 0, 1)


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
    """

    relevant_share: float = knob(0.99, 0, 1)
    non_relevant_share: float = knob(0.042, 0, 1)
    sigma: float = knob(0.06, 0)
    thresholds: tuple[float, ...] = knob((0.55, 0.715, 0.855), -1, 2)


def crowd_parameters(scale: Scale, mapping: Mapping[str, Any]) -> CrowdParameters:
    """The parameters of a crowd that judges on a scale.

    Raises
    ------
    ParameterError
        For an unknown key or a bad value; a slider's keys are unknown to buttons and the
        reverse.  Also for magnitudes, on which no crowd is simulated.
    """
    return _crowd_class(scale).from_dict(mapping)


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
    and answers on the scale: see `SliderParameters` and `ButtonParameters`.

    Parameters
    ----------
    ranked
        The runs: see `regrade.simulation.pool.topic_pools`.
    qrels
        A ``qrels`` table, the base expert labels.
    name
        The judgment set's name: sets of other names have other, independent crowds and share
        only the latent relevance.
    scale
        The scale that the crowd judges on, of values or a range.
    simulation
        What the sets of the collection share.
    crowd
        `SliderParameters` for a range or a scale of at least `SLIDER_LEVELS` values, otherwise
        `ButtonParameters`; see `crowd_parameters`.
    base
        The scale of `qrels`.

    Returns
    -------
    pyarrow.Table
        A ``judgments`` table sorted by topic, unit and position.  A topic with n documents has
        ⌈w (n - 2) / (k - 2)⌉ units for k documents a unit and w workers a document.

    Raises
    ------
    MethodError
        If the pool does not allow it: see `regrade.simulation.pool.topic_pools`.
    ParameterError
        If the crowd does not fit the scale, or is too small for a topic.
    """
    if type(crowd) is not _crowd_class(scale):
        raise ParameterError(
            f"{name}: the scale of {scale} needs {_crowd_class(scale).__name__}, "
            f"not {type(crowd).__name__}"
        )
    draw = generator(simulation.seed, name, "workers")
    sigma = draw.uniform(*crowd.sigma, size=crowd.workers)
    bias = draw.standard_normal(crowd.workers)
    answer = (
        _slider(crowd, scale, draw)
        if isinstance(crowd, SliderParameters)
        else _buttons(crowd, scale, draw)
    )
    tables = []
    for pool in topic_pools(ranked, qrels, simulation, base):
        draw = generator(simulation.seed, name, "units", pool.topic)
        units = _units(pool, simulation, draw)
        worker = _workers(pool.topic, len(units), crowd.workers, draw)
        w = draw.uniform(*crowd.noise, size=units.shape)
        error = bias[worker, None] + np.exp(w) * draw.standard_normal(units.shape)
        perceived = pool.latent[units] + pool.leniency
        perceived += pool.difficulty * sigma[worker, None] * error
        if crowd.known_check:
            perceived = _revised(perceived, units == pool.high, units == pool.low)
        seconds = LEAST_SECONDS + draw.lognormal(*LOG_SECONDS, size=units.shape)
        tables.append(_table(name, pool, units, worker, answer(perceived, worker), seconds))
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

    Parameters
    ----------
    ranked, qrels, name, scale, simulation, base
        As for `simulate_judgments`.  On a range the experts' label is what they perceive.
    experts
        What the experts do.

    Returns
    -------
    pyarrow.Table
        A ``qrels`` table sorted by topic and docno.

    Raises
    ------
    MethodError
        If the pool does not allow it: see `regrade.simulation.pool.topic_pools`.
    ParameterError
        If there is not one threshold fewer than values, or thresholds are given for a range.
    """
    grades = _graders(name, scale, experts)
    labelled = []
    for pool in topic_pools(ranked, qrels, simulation, base):
        draw = generator(simulation.seed, name, "experts", pool.topic)
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
    _check_ends(scale)
    given = experts.thresholds
    if not scale.finite:
        if given != ExpertParameters().thresholds:
            raise ParameterError(f"{name}: thresholds go with a scale of values, not with {scale}")
        return lambda perceived: scale.low + (scale.high - scale.low) * np.clip(perceived, 0, 1)
    if len(given) != scale.levels - 1:
        raise ParameterError(
            f"{name}: {scale.levels} levels need {scale.levels - 1} thresholds, "
            f"not {list(given)}: set `thresholds`"
        )
    values = np.array(scale.values)
    return lambda perceived: values[np.searchsorted(given, perceived, side="right")]


def _check_ends(scale: Scale) -> None:
    if scale.ratio:
        raise ParameterError(
            "simulated judges use values or a range, not magnitudes: give levels, values or range"
        )


def _crowd_class(scale: Scale) -> type[CrowdParameters]:
    _check_ends(scale)
    few = scale.finite and scale.levels < SLIDER_LEVELS
    return ButtonParameters if few else SliderParameters


Answer = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Perceived relevance (units, k) and worker of each unit (units,) to values (units, k).

Monotone in the perceived relevance for each worker.
"""


def _slider(crowd: SliderParameters, scale: Scale, draw: np.random.Generator) -> Answer:
    """Some workers keep to a part of the scale, some to tens and fives; all stop at the ends.

    The tens and fives are steps of the scale; those of a range are hundredths.
    """
    partial = draw.random(crowd.workers) < crowd.partial_scale
    low = np.where(partial, draw.uniform(*LOW_END, size=crowd.workers), 0.0)
    high = np.where(partial, draw.uniform(*HIGH_END, size=crowd.workers), 1.0)
    habit = draw.random(crowd.workers)
    grain = np.select([habit < crowd.tens, habit < crowd.tens + crowd.fives], [10.0, 5.0], 1.0)

    last = scale.levels - 1 if scale.finite else 100
    values = np.array(scale.values)

    def answer(perceived: np.ndarray, worker: np.ndarray) -> np.ndarray:
        low_, high_, grain_ = (trait[worker, None] for trait in (low, high, grain))
        place = last * (low_ + (high_ - low_) * np.clip(perceived, 0, 1))
        rounded = np.minimum(grain_ * np.rint(place / grain_), last)
        if scale.finite:
            return values[rounded.astype(np.intp)]
        share = np.where(grain_ == 1, place, rounded) / last
        return np.clip(scale.low + (scale.high - scale.low) * share, scale.low, scale.high)

    return answer


def _buttons(crowd: ButtonParameters, scale: Scale, draw: np.random.Generator) -> Answer:
    """Each worker has thresholds of their own, near j / levels (chu2021 §4.1)."""
    levels, values = scale.levels, np.array(scale.values)
    true = np.arange(1, levels) / levels
    error = crowd.threshold_sd * draw.standard_normal((crowd.workers, levels - 1))
    thresholds = np.sort(true + error, axis=1)

    def answer(perceived: np.ndarray, worker: np.ndarray) -> np.ndarray:
        reached = perceived[:, :, None] >= thresholds[worker][:, None, :]
        return values[reached.sum(axis=2)]

    return answer


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

    Returns
    -------
    ndarray
        (⌈rounds · documents / slots⌉, slots) document indices.
    """
    units = -(-rounds * documents // slots)
    dealt = np.empty(0, dtype=np.intp)
    for _ in range(rounds + 1):
        order = draw.permutation(documents)
        filled = len(dealt) % slots
        if filled:
            held = np.isin(order, dealt[-filled:])
            first = np.zeros(documents, dtype=bool)
            first[np.flatnonzero(~held)[: slots - filled]] = True
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
) -> pa.Table:
    """One topic's judgments in the ``judgments`` schema."""
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
        "back": pa.nulls(units.size, pa.int32()),
        "failed": pa.nulls(units.size, pa.int32()),
    }
    return pa.table(columns, schema=SCHEMAS["judgments"])
