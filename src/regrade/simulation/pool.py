"""The pool that simulated judges see, and each document's latent relevance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.errors import MethodError, ParameterError
from regrade.randomness import generator
from regrade.run_arrays import RankedLists
from regrade.scales import BINARY, Scale
from regrade.simulation.parameters import Parameters, interval, knob


@dataclass(frozen=True, kw_only=True)
class SimulationParameters(Parameters):
    """What all simulated judgment sets of a collection share.

    Parameters
    ----------
    seed
        Seed of every draw; the same seed gives all sets of a collection the same latent
        relevance.
    depth
        Documents that any run has at this rank or above are judged.
    pool_rank
        Which rank `depth` is about: ``submitted`` (the number in the run file, as
        turpin2015 has it: a run that counts from 0 then gives one document more) or
        ``canonical``.
    unit_size
        Documents per unit (HIT), the topic's known high and low document among them.
    workers_per_document
        Judgments that each document gets at least.
    separation
        How far the base label pulls the latent relevance, s in `latent_relevance`; 0 is
        chu2021's model, where there are no labels.
    beta
        Bounds of the uniform draw of α_q and β_q (chu2021 §4.1).
    leniency
        Bounds of the uniform draw of how much more relevant than experts a crowd finds all
        documents of a topic.
    difficulty
        Bounds of the uniform draw of a topic's factor on all σ_u.
    """

    seed: int = knob(1, 0)
    depth: int = knob(10, 1)
    pool_rank: str = knob("submitted", choices=("submitted", "canonical"))
    unit_size: int = knob(8, 3)
    workers_per_document: int = knob(10, 1)
    separation: float = knob(4.5, 0)
    beta: tuple[float, float] = interval((2.0, 5.0), 1e-3)
    leniency: tuple[float, float] = interval((-0.1, 0.1), -1, 1)
    difficulty: tuple[float, float] = interval((0.7, 1.7), 0)


@dataclass(frozen=True, eq=False)
class TopicPool:
    """The documents of one topic that are judged.

    Attributes
    ----------
    topic
        The topic.
    docno
        (n,) strings, sorted.
    label
        (n,) where the base labels lie on their scale, from 0 (lowest) to 1; NaN where the
        document is unjudged.
    latent
        (n,) latent relevance in [0, 1].
    high, low
        Indices of the known high and low documents H_k and N_k.
    leniency
        Added to what any crowd perceives.
    difficulty
        Factor on the σ_u of any crowd.
    """

    topic: str
    docno: np.ndarray
    label: np.ndarray
    latent: np.ndarray
    high: int
    low: int
    leniency: float
    difficulty: float


def topic_pools(
    ranked: RankedLists,
    qrels: pa.Table,
    simulation: SimulationParameters,
    base: Scale = BINARY,
) -> list[TopicPool]:
    """The judged pool of each topic: the union of the runs' top documents (turpin2015 §3.1)."""
    return [
        _topic_pool(topic, rows.docno.to_numpy(), rows.label.to_numpy(), simulation)
        for topic, rows in _pooled(ranked, qrels, simulation, base).groupby("topic", sort=True)
    ]


def latent_relevance(topic: str, label: np.ndarray, simulation: SimulationParameters) -> np.ndarray:
    """Latent relevance r of a topic's documents (chu2021 §4.1, extended by the base labels).

    α_q, β_q ~ U(`beta`) per topic, and for a document whose base label lies at g on its scale

        r ~ Beta(α_q + s g, β_q + s (1 - g)),

    where an unjudged document counts as g = 0.  The families are ordered by likelihood ratio,
    so a higher label means stochastically higher relevance in each topic.
    """
    draw = generator(simulation.seed, "latent", topic)
    alpha, beta = draw.uniform(*simulation.beta, size=2)
    g = np.nan_to_num(label)
    s = simulation.separation
    return draw.beta(alpha + s * g, beta + s * (1 - g))


def _topic_pool(
    topic: str, docno: np.ndarray, label: np.ndarray, simulation: SimulationParameters
) -> TopicPool:
    if len(docno) < simulation.unit_size:
        raise MethodError(
            f"topic {topic}: its pool holds {len(docno)} documents, fewer than a unit's "
            f"{simulation.unit_size}: use a greater `depth`, a smaller `unit_size`, or leave "
            "the topic out"
        )
    latent = latent_relevance(topic, label, simulation)
    unjudged = np.isnan(label)
    g = np.nan_to_num(label)
    # the last key of lexsort counts first; where a pool has only one judged document, an
    # unjudged one stands in for the other
    high = np.lexsort((latent, g, ~unjudged))[-1]
    lowest = np.lexsort((latent, g, unjudged))
    low = lowest[lowest != high][0]
    draw = generator(simulation.seed, "crowds", topic)
    leniency, difficulty = draw.uniform(
        *zip(simulation.leniency, simulation.difficulty, strict=True)
    )
    return TopicPool(
        topic=topic,
        docno=docno,
        label=label,
        latent=latent,
        high=int(high),
        low=int(low),
        leniency=leniency,
        difficulty=difficulty,
    )


def _pooled(
    ranked: RankedLists, qrels: pa.Table, simulation: SimulationParameters, base: Scale
) -> pd.DataFrame:
    """One row per pooled document: topic, docno, label; sorted."""
    rank = ranked.submitted_ranks if simulation.pool_rank == "submitted" else ranked.ranks
    if rank is None:
        raise ParameterError("the rankings have no submitted ranks: read these too")
    documents = np.unique(ranked.documents[rank <= simulation.depth])
    topic = np.searchsorted(ranked.name_offsets, documents, side="right") - 1
    pool = pd.DataFrame(
        {
            "topic": np.array(ranked.topics, dtype=object)[topic],
            "docno": ranked.names.take(pa.array(documents)).to_pandas(),
        }
    )
    labels = _strings(qrels.select(["topic", "docno", "grade"]))
    pool = pool[pool.topic.isin(labels.topic.unique())]
    if pool.empty:
        raise MethodError(
            "no topic has both runs and base labels: nothing can be simulated; check that "
            "runs and qrels belong to the same collection"
        )
    pool = pool.merge(labels, how="left", on=["topic", "docno"])
    judged = pool.grade.notna().to_numpy()
    bad = pool[judged & ~base.contains(pool.grade.to_numpy())]
    if len(bad):
        first = bad.iloc[0]
        raise ParameterError(
            f"topic {first.topic}, document {first.docno}: grade {first.grade:g} {base.off}: name "
            "the scale of the base qrels"
        )
    pool["label"] = label_places(pool.grade.to_numpy(), judged, base)
    return pool.sort_values(["topic", "docno"], ignore_index=True)


def label_places(grade: np.ndarray, judged: np.ndarray, base: Scale) -> np.ndarray:
    """Where grades lie on their scale, 0 to 1: by the place of a value that can be listed."""
    if base.ratio:
        raise ParameterError(
            "the base qrels are magnitudes without a known maximum: simulate over labels "
            "with levels, values or a range"
        )
    if base.finite:
        place, last = base.codes(grade), base.levels - 1
    else:
        place, last = grade - base.low, base.high - base.low
    return np.where(judged, place / last, np.nan)


def _strings(table: pa.Table) -> pd.DataFrame:
    """To pandas with plain strings: rows that a filter left are few."""
    fields = [
        field.with_type(pa.string()) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields)).to_pandas()
