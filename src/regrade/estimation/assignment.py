"""Which documents people are asked to label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.correlations import competition_ranks
from regrade.errors import MethodError, ParameterError
from regrade.estimation.estimates import Estimate, check_enough, estimate, learned_shares
from regrade.estimation.frame import Frame
from regrade.estimation.functionals import Functional, functionals
from regrade.estimation.grades import features
from regrade.estimation.inclusion import (
    check_chance,
    draw_fixed_sample,
    guessed_shares,
    importance,
    in_each_topic,
    inclusion_probabilities,
    of_pairs,
)
from regrade.estimation.listed import ranked_within
from regrade.estimation.replays import Z
from regrade.estimation.samples import Documents, mean_places, values_of
from regrade.kendall import places as places_of
from regrade.randomness import generator
from regrade.resources import one_blas_thread
from regrade.run_arrays import RankedLists
from regrade.scales import Scale
from regrade.tables import label_frame

AIMS = ("all", "undecided")
"""What a choice of documents may be aimed at, but for the first k systems."""

AIMED = 0.8
"""The part of importance that is for what is aimed at."""


@dataclass(frozen=True)
class Design:
    """How documents are chosen.

    Attributes
    ----------
    budget
        How many documents are chosen; with costs, what their labels cost on average.
    seed
        Of the choice.
    aim
        ``all``: what decides any system's value; ``undecided``: what decides the order of systems
        without a significant difference by earlier labels; a number k: which systems are the
        first k.
    per_topic
        Whether each topic has the same budget.
    cost
        (N,) of each document's label, above 0; ``None``: all alike.
    """

    budget: float
    seed: int = 1
    aim: str | int = "all"
    per_topic: bool = False
    cost: np.ndarray | None = None

    def __post_init__(self):
        """Refuse other aims."""
        check_aim(self.aim)

    def inclusion(self, weights: np.ndarray, topic: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """(n,) probabilities of some documents, by their importance and topics."""
        cost = None if self.cost is None else self.cost[rows]
        if self.per_topic:
            return in_each_topic(weights, self.budget, topic, cost)
        return inclusion_probabilities(weights, self.budget, cost)


def check_aim(aim: str | int, known: Sequence[str] = AIMS) -> None:
    """Refuse what is neither a known aim nor a number of systems."""
    if aim not in known and not (isinstance(aim, int) and aim > 0):
        raise ParameterError(f"aim is {aim!r}: it is {', '.join(known)} or a number of top systems")


def assign_documents(
    documents: pd.DataFrame,
    ranked: RankedLists | None,
    measures: Sequence[str],
    scale: Scale,
    design: Design,
) -> pd.DataFrame:
    """Choose documents at random, the more likely the more they decide.

    `documents`: ``topic``, ``docno`` and a column for each model, NaN where it has no value.
    """
    _check_systems(design, ranked)
    if design.aim != "all":
        raise ParameterError(f"aim {design.aim} depends on earlier labels: give them (after)")
    frame, places = Frame.of(documents["topic"], documents["docno"], ranked)
    weights = np.ones(len(frame))
    if ranked is not None:
        values = documents.drop(columns=["topic", "docno"]).to_numpy(float)[places]
        shares = guessed_shares(mean_places(values), len(scale.values))
        weights = importance(frame, shares, functionals(measures, scale.values))
    return _chosen(frame, np.arange(len(frame)), design, weights, places, "assign")


def assign_more_documents(
    documents: Documents,
    ranked: RankedLists | None,
    measures: Sequence[str],
    scale: Scale,
    design: Design,
) -> pd.DataFrame:
    """Choose a further batch, from the documents that are not chosen yet, by what labels teach."""
    _check_systems(design, ranked)
    if documents.assumed:
        raise ParameterError("a further batch needs the sampling design of the earlier documents")
    if documents.is_alone:
        raise ParameterError(
            "a further batch needs the inclusion probabilities of documents that were not "
            "sampled: these labels hold sampled documents only"
        )
    frame, places = Frame.of(documents.topics, documents.docnos, ranked)
    weights = np.ones(len(frame))
    if ranked is not None:
        of, sample = functionals(measures, scale.values), documents.sample(places, scale)
        check_enough(sample, frame)
        X = features(frame, documents.values[places])
        with one_blas_thread():
            shares = learned_shares(frame, X, sample, len(scale.values) - 1, design.seed)
            aims = None
            if design.aim != "all":
                aims = aimed(estimate(frame, X, sample, of, design.seed), design.aim)
                if not any(aim.any() for aim in aims):
                    decided = "pairs of systems"
                    if design.aim != "undecided":
                        decided = f"top {design.aim} systems"
                    problem = f"all {decided} are already decided by the labels"
                    raise MethodError(f"{problem}: nothing is left to ask")
            weights = further_importance(frame, shares, of, aims)
    rest = np.flatnonzero(~documents.chosen[places])
    batch = len(documents.inclusion) + 1
    rows = _chosen(frame, rest, design, weights, places, f"assign {batch}")
    return rows.assign(batch=batch)


def _check_systems(design: Design, ranked: RankedLists | None) -> None:
    """Refuse an aim at systems where there are none."""
    if ranked is None and design.aim != "all":
        raise ParameterError(f"aim {design.aim} is about systems: give runs")


def further_importance(
    frame: Frame,
    shares: np.ndarray,
    functionals: Sequence[Functional],
    aims: Sequence[np.ndarray] | None,
) -> np.ndarray:
    """(N,) importance, a part of which is for what is aimed at and the rest for all systems.

    Were it for the aim alone, the values of other systems would be off so far that some of them
    come out as the first.
    """
    of_all = importance(frame, shares, functionals)
    if aims is None:
        return of_all
    of_aim = importance(frame, shares, functionals, aims)
    parts = ((1 - AIMED, of_all), (AIMED, of_aim))
    return np.sqrt(sum(part * weights**2 / (weights @ weights or 1.0) for part, weights in parts))


def aimed(estimates: Sequence[Estimate], aim: str | int) -> list[np.ndarray]:
    """What is open of each measure (`regrade.estimation.inclusion.of_pairs`), 0 where nothing is:
    the pairs without a significant difference; of the first k, those of one of them and another.
    """
    of_measures = []
    for own in estimates:
        first, second = np.triu_indices(len(own.values), 1)
        apart = np.abs(own.values[first] - own.values[second])
        wanted = apart <= Z * own.pair_errors(first, second)
        if aim != "undecided":
            is_first = competition_ranks(places_of(own.values).astype(float)) <= aim
            wanted &= is_first[first] != is_first[second]
        of_measures.append(of_pairs(len(own.values), first[wanted], second[wanted]))
    return of_measures


def _chosen(
    frame: Frame,
    rest: np.ndarray,
    design: Design,
    weights: np.ndarray,
    places: np.ndarray,
    cell: str,
) -> pd.DataFrame:
    """The rows of some documents of a frame, those that are chosen first."""
    topic = frame.topic[rest]
    inclusion = design.inclusion(weights[rest], topic, places[rest])
    names = np.array(frame.topics, object)[topic], frame.docnos[rest]
    check_chance(inclusion, design.budget, *names)
    rows = pd.DataFrame(
        {
            "topic": names[0],
            "docno": names[1],
            "inclusion": inclusion,
            "chosen": draw_fixed_sample(inclusion, topic, generator(design.seed, cell)),
        }
    )
    order = ["chosen", "topic", "docno"]
    return rows.sort_values(order, ascending=[False, True, True], ignore_index=True)


def drawn_sample(
    labels: pa.Table,
    models: Mapping[str, pa.Table],
    ranked: RankedLists | None,
    budget: float,
    measures: Sequence[str],
    scale: Scale,
    seed: int = 1,
) -> pa.Table:
    """People's labels as if they had been asked about some documents only.

    These are what models list, and what runs rank high enough and people labelled.
    """
    design, key = Design(budget, seed), ["topic", "docno"]
    values, people = values_of(models), label_frame(labels)
    more = ranked_within(ranked, measures, set(values["topic"])).merge(people[key], on=key)
    documents = values.merge(more, how="outer", on=key)
    rows = assign_documents(documents, ranked, measures, scale, design)
    rows = rows.merge(people, how="left", on=key)
    rows["grade"] = rows["grade"].where(rows["chosen"])
    return pa.Table.from_pandas(rows.assign(worker=None, batch=1), preserve_index=False)
