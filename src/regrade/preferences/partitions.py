"""Scores of documents from some of the partitions of a task (yang2019 §5.3.6, §5.3.7).

A partition divides a topic's documents into groups, so that each shows every document.  How many
are needed is asked by drawing some at random, again and again: how far do scores from different
draws agree, and how near are they to those from all partitions?
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit

from regrade.agreement import alpha_from_coincidences
from regrade.catalogue import columns_of
from regrade.correlations import rbo_ext
from regrade.errors import MethodError, ParameterError
from regrade.kendall import TOLERANCE, tau_b
from regrade.preferences.agreement import ORDERS
from regrade.preferences.document_scores import score_answers
from regrade.preferences.scores import SCORED, CodedAnswers, ScoreOptions
from regrade.preferences.systems import (
    PERSISTENCE,
    UNMAPPED,
    LabelScores,
    MappedLabels,
    as_gains,
    common_topics,
    p_values,
    quadrants,
    score_labels,
    tau_of_defined,
    with_mapping,
)
from regrade.randomness import generator
from regrade.run_arrays import RankedLists
from regrade.significance.discrimination import T_TESTS, PairTestOptions
from regrade.tables import encode

METHODS = ("frequency", "absolute", "ratio")
"""How documents get scores; rankings are compared with the first one's from all partitions."""

ALL = 0
"""The number of partitions that stands for all of them."""

_TWO = 2
"""Documents, and draws, that α needs."""


@dataclass(frozen=True)
class Draw:
    """Scores of documents from drawn partitions.

    Attributes
    ----------
    partitions, number
        How many were drawn (`ALL`: all there are), and the draw's number, from 1.
    scores
        Columns topic, docno, method, value.
    """

    partitions: int
    number: int
    scores: pd.DataFrame


def drawn_partitions(
    available: Mapping[str, Sequence[int]], count: int, number: int, seed: int
) -> dict[str, np.ndarray]:
    """Topic → `count` of its partitions, drawn without putting back; all where it has no more."""
    drawn = {}
    for topic, partitions in available.items():
        partitions = np.sort(np.asarray(partitions))
        if ALL < count < len(partitions):
            rng = generator(seed, "partitions", topic, str(count), str(number))
            partitions = np.sort(rng.choice(partitions, count, replace=False))
        drawn[topic] = partitions
    return drawn


def partition_draws(
    answers: pa.Table,
    counts: Sequence[int],
    draws: int,
    methods: Sequence[str] = METHODS,
    *,
    seed: int = 1,
    options: ScoreOptions = SCORED,
) -> list[Draw]:
    """Scores of documents from all partitions, and from drawn ones."""
    if draws < 1 or any(count < 1 for count in counts):
        raise ParameterError("draw one partition or more, once or more")
    known = answers.filter(answers["partition"].is_valid())
    if not len(known):
        raise MethodError(
            "no answer says which partition it is of: leave `partitions` out, or name the column"
        )
    names, topic = encode(known["topic"])
    names = names.to_pylist()
    partitions, partition = np.unique(known["partition"].to_numpy(), return_inverse=True)
    available = {name: partitions[np.unique(partition[topic == t])] for t, name in enumerate(names)}
    coded = CodedAnswers.of(known)

    def scored(count: int, number: int) -> Draw:
        chosen = drawn_partitions(available, count, number, seed)
        drawn = np.stack([np.isin(partitions, chosen[name]) for name in names])
        these = coded.select(drawn[topic, partition])
        scores = score_answers(these, methods, options=options, intervals=False)
        return Draw(count, number, scores[["topic", "docno", "method", "value"]])

    return [scored(ALL, 1), *(scored(c, d) for c in counts for d in range(1, draws + 1))]


def available_partitions(answers: pa.Table) -> dict[str, int]:
    """Topic → how many partitions its answers are of."""
    known = answers.select(["topic", "partition"])
    known = known.filter(pc.is_valid(known["partition"])).to_pandas().astype({"topic": str})
    return known.groupby("topic")["partition"].nunique().to_dict()


def partition_topics(
    draws: Sequence[Draw], available: Mapping[str, int], metric: str = "nominal"
) -> pd.DataFrame:
    """How far scores from different draws agree, and with those of all (Figures 5.16, 5.17)."""
    rows = []
    for method, count, topic, values in _by_topic(draws):
        reference, drawn = values[:, 0], np.ascontiguousarray(values[:, 1:])
        taus = np.array([tau_b(reference, np.ascontiguousarray(scores)) for scores in drawn.T])
        rows.append(
            {
                "method": method,
                "topic": topic,
                "partitions": count,
                "used": min(count, available[topic]),
                "available": available[topic],
                "draws": drawn.shape[1],
                "documents": len(values),
                "alpha": _alpha_of_draws(drawn, metric),
                **_summary("tau", taus),
            }
        )
    return pd.DataFrame(rows, columns=columns_of("preferences/partition_topics"))


def _summary(name: str, values: np.ndarray) -> dict[str, float]:
    values = values[~np.isnan(values)]
    if not len(values):
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"), np.nan)
    return {name: values.mean(), f"{name}_low": values.min(), f"{name}_high": values.max()}


def _by_topic(draws: Sequence[Draw]) -> Iterator[tuple[str, int, str, np.ndarray]]:
    """Method, count, topic, and (documents, 1 + draws) values: of all partitions, then of draws."""
    tables = [pa.Table.from_pandas(draw.scores, preserve_index=False) for draw in draws]
    table = pa.concat_tables(tables)
    topics, topic = encode(table["topic"])
    docnos, docno = encode(table["docno"])
    methods, method = pd.factorize(table["method"].to_pandas())[::-1]
    document, place = np.unique(topic.astype(np.int64) * len(docnos) + docno, return_inverse=True)
    values = np.full((len(methods), len(document), len(draws)), np.nan)
    number = np.repeat(np.arange(len(draws)), [len(table) for table in tables])
    values[method, place, number] = table["value"].to_numpy()
    counts = np.array([draw.partitions for draw in draws])
    for name, of_method in zip(methods, values, strict=True):
        for count in dict.fromkeys(counts[1:].tolist()):
            chosen = of_method[:, np.append(0, 1 + np.flatnonzero(counts[1:] == count))]
            known = ~np.isnan(chosen).any(axis=1)
            of_topic = document[known] // len(docnos)
            for t in np.unique(of_topic):
                yield name, count, topics[int(t)].as_py(), chosen[known][of_topic == t]


def _alpha_of_draws(values: np.ndarray, metric: str) -> float:
    """α of (documents, coders) values by the orders of each two documents."""
    documents, coders = values.shape
    if min(documents, coders) < _TWO:
        return np.nan
    pairs, marginals = _orders(values)
    return alpha_from_coincidences(pairs / (coders - 1), marginals, ORDERS, metric)


@njit(cache=True, nogil=True)
def _orders(values):
    """How often two coders give a pair of documents which two orders, −1, 0, 1, and how often any.

    Each pair comes in both directions.
    """
    pairs, marginals = np.zeros((3, 3), dtype=np.int64), np.zeros(3, dtype=np.int64)
    count = np.empty(3, dtype=np.int64)
    for i in range(values.shape[0]):
        for j in range(values.shape[0]):
            if i != j:
                count[:] = 0
                for coder in range(values.shape[1]):
                    difference = values[j, coder] - values[i, coder]
                    count[1 + (difference > TOLERANCE) - (difference < -TOLERANCE)] += 1
                for a in range(3):
                    marginals[a] += count[a]
                    for b in range(3):
                        pairs[a, b] += count[a] * (count[b] - (a == b))
    return pairs, marginals


# --- systems -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PartitionSystems:
    """What drawn partitions make of systems.

    Attributes
    ----------
    systems
        Mean scores of systems (the columns of ``preferences/partition_systems``; Figure 5.21).
    taus
        τ_b of the p-values of pairs of systems under each two methods (the columns of
        ``preferences/partition_taus``; Figure 5.20).
    quadrants
        Means over draws of the counts of pairs that a method and a reference tell apart, of
        ``rbo`` with the ranking under the first method and all partitions, and of ``tau`` with the
        reference's ranking (the columns of ``preferences/partition_quadrants``; Tables 5.14 and
        5.15).
    """

    systems: pd.DataFrame
    taus: pd.DataFrame
    quadrants: pd.DataFrame


def partition_systems(
    draws: Sequence[Draw],
    ranked: RankedLists,
    references: Mapping[str, tuple[pd.DataFrame, float]],
    measures: Sequence[str],
    tests: PairTestOptions = T_TESTS,
) -> PartitionSystems:
    """Score systems under the scores of each draw."""
    named = with_mapping(references, UNMAPPED)
    first = [_labels_of(draw) for draw in draws]
    topics = common_topics(mapped.table for mapped in [*named, *first[0]])

    def p_of(scored: LabelScores) -> np.ndarray:
        return p_values(scored.scores, tests.test, tests.correction, seed=tests.seed)

    experts = [(of, p_of(of)) for of in score_labels(ranked, named, measures, topics)]
    tables = _DrawTables(experts, measures, tests.significance)
    for draw, labels in zip(draws, first, strict=True):
        scored = score_labels(ranked, labels, measures, topics)
        tables.add(draw, scored, list(map(p_of, scored)))
    return tables.tables()


def _labels_of(draw: Draw) -> list[MappedLabels]:
    gains = as_gains(draw.scores)
    return [
        MappedLabels(method, UNMAPPED, some[["topic", "docno", "grade"]], 1.0)
        for method, some in gains.groupby("method", sort=False)
    ]


class _DrawTables:
    """Tables of `PartitionSystems`, draw by draw."""

    def __init__(self, experts, measures: Sequence[str], significance: float):
        self.experts = experts
        self.measures = [str(measure) for measure in measures]
        self.significance = significance
        self.full: np.ndarray | None = None
        self.systems: list[dict] = []
        self.taus: list[tuple] = []
        self.quadrants: list[dict] = []

    def add(self, draw: Draw, scored: Sequence[LabelScores], p: Sequence[np.ndarray]) -> None:
        """Take the scores of a draw by method, and the p-values of pairs."""
        means = [of_method.means() for of_method in scored]
        if self.full is None:
            self.full = means[0]
        place = {"partitions": draw.partitions, "draw": draw.number}
        for m, measure in enumerate(self.measures):
            for i, of_method in enumerate(scored):
                names = {"method": of_method.labels.name, "measure": measure, **place}
                systems = {"system": of_method.scores.systems, "score": means[i][:, m]}
                self.systems.append(names | systems)
                self._beside(names, m, means[i], p[i][m])
                for j in range(i + 1, len(scored)):
                    both = of_method.labels.name, scored[j].labels.name
                    tau = tau_of_defined(p[i][m], p[j][m])
                    self.taus.append((*both, measure, *place.values(), tau))

    def _beside(self, names: dict, m: int, means: np.ndarray, p: np.ndarray) -> None:
        column = np.ascontiguousarray(means[:, m])
        rbo = rbo_ext(np.ascontiguousarray(self.full[:, m]), column, PERSISTENCE)
        for expert, expert_p in self.experts:
            counted = quadrants(expert_p[m], p, self.significance)
            counted["tau"] = tau_b(np.ascontiguousarray(expert.means()[:, m]), column)
            self.quadrants.append({"reference": expert.labels.name, **names, **counted, "rbo": rbo})

    def tables(self) -> PartitionSystems:
        """What was found, counts as means over draws."""
        counted = pd.DataFrame(self.quadrants)
        keys = ["reference", "method", "measure", "partitions"]
        by = counted.groupby(keys, sort=False)
        numbers = ["pairs", "tp", "fp", "fn", "tn", "rbo", "tau"]
        table = by[numbers].mean().assign(draws=by.size()).reset_index()
        return PartitionSystems(
            pd.DataFrame(self.systems, columns=columns_of("preferences/partition_systems"))
            .explode(["system", "score"], ignore_index=True)
            .astype({"score": float}),
            pd.DataFrame(self.taus, columns=columns_of("preferences/partition_taus")),
            table[columns_of("preferences/partition_quadrants")],
        )
