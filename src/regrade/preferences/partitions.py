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

from regrade.catalogue import columns_of
from regrade.correlations import rbo_ext
from regrade.errors import MethodError
from regrade.kendall import tau_b
from regrade.preferences.agreement import alpha_of_counts, order_counts, signs
from regrade.preferences.document_scores import score_answers
from regrade.preferences.scores import CodedAnswers
from regrade.preferences.systems import (
    PERSISTENCE,
    UNMAPPED,
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
    bias: float = 0.0,
) -> list[Draw]:
    """Scores of documents from all partitions, and from drawn ones."""
    known = answers.filter(answers["partition"].is_valid())
    if not len(known):
        raise MethodError(
            "no answer names its partition: leave `partitions` out, or name the column"
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
        scores = score_answers(these, methods, bias=bias, intervals=False)
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
        taus = taus[~np.isnan(taus)]
        ends = (taus.mean(), taus.min(), taus.max()) if len(taus) else (np.nan,) * 3
        of = {"method": method, "topic": topic, "partitions": count}
        of |= {"used": min(count, available[topic]), "available": available[topic]}
        of |= {"draws": drawn.shape[1], "documents": len(values)}
        first, second = np.triu_indices(len(values), 1)
        orders = signs(drawn[first], drawn[second]).T
        of["alpha"] = alpha_of_counts(order_counts(orders), metric)
        rows.append(of | dict(zip(("tau", "tau_low", "tau_high"), ends, strict=True)))
    return pd.DataFrame(rows, columns=columns_of("preferences/partition_topics"))


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


# --- systems -------------------------------------------------------------------------------------

_Scored = tuple[str, np.ndarray, np.ndarray]


def partition_systems(
    draws: Sequence[Draw],
    ranked: RankedLists,
    references: Mapping[str, tuple[pd.DataFrame, float]],
    measures: Sequence[str],
    tests: PairTestOptions = T_TESTS,
) -> dict[str, pd.DataFrame]:
    """What drawn partitions make of systems.

    Returns
    -------
    partition_systems
        Mean scores of systems (Figure 5.21).
    partition_taus
        τ_b of the p-values of pairs of systems under each two methods (Figure 5.20).
    partition_quadrants
        Means over draws of the counts of pairs significant under a method and a reference, of
        ``rbo`` with the ranking under the first method and all partitions, and of ``tau`` with the
        reference's ranking (Tables 5.14 and 5.15).
    """
    named, by_draw = with_mapping(references, UNMAPPED), []
    for draw in draws:
        by_method = as_gains(draw.scores).groupby("method", sort=False)
        gains = {method: (some[["topic", "docno", "grade"]], 1.0) for method, some in by_method}
        by_draw.append(with_mapping(gains, UNMAPPED))
    topics = common_topics(mapped.table for mapped in [*named, *by_draw[0]])

    def scored(labels: Sequence[MappedLabels]) -> list[_Scored]:
        """Under each set of labels its name, (S, M) means and (M, P) p of pairs."""
        every = score_labels(ranked, labels, measures, topics)
        how = {"correction": tests.correction, "seed": tests.seed}
        return [
            (of.labels.name, of.means(), p_values(of.scores, tests.test, **how)) for of in every
        ]

    experts, full = scored(named), None
    systems, taus, counts = [], [], []
    for draw, labels in zip(draws, by_draw, strict=True):
        of_draw = scored(labels)
        full = of_draw[0][1] if full is None else full
        for m, measure in enumerate(map(str, measures)):
            of_all = np.ascontiguousarray(full[:, m])
            for i, (method, means, p) in enumerate(of_draw):
                key = {"method": method, "measure": measure}
                key |= {"partitions": draw.partitions, "draw": draw.number}
                values = np.ascontiguousarray(means[:, m])
                systems.append(pd.DataFrame(key | {"system": ranked.systems, "score": values}))
                rbo = rbo_ext(of_all, values, PERSISTENCE)
                for expert, expert_means, expert_p in experts:
                    counted = quadrants(expert_p[m], p[m], tests.significance)
                    tau = tau_b(np.ascontiguousarray(expert_means[:, m]), values)
                    counts.append({"reference": expert, **key, **counted, "tau": tau, "rbo": rbo})
                for other, _, other_p in of_draw[i + 1 :]:
                    place = (measure, draw.partitions, draw.number)
                    taus.append((method, other, *place, tau_of_defined(p[m], other_p[m])))
    by = pd.DataFrame(counts).groupby(["reference", "method", "measure", "partitions"], sort=False)
    means = by[["pairs", "tp", "fp", "fn", "tn", "rbo", "tau"]].mean()
    table = means.assign(draws=by.size()).reset_index()
    return {
        "partition_systems": pd.concat(systems, ignore_index=True),
        "partition_taus": pd.DataFrame(taus, columns=columns_of("preferences/partition_taus")),
        "partition_quadrants": table[columns_of("preferences/partition_quadrants")],
    }
