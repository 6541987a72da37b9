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
from regrade.errors import MethodError, ParameterError
from regrade.preferences.agreement import alpha_of_counts, signs
from regrade.preferences.document_scores import score_answers
from regrade.preferences.scores import SCORED, ScoreOptions
from regrade.preferences.systems import (
    PERSISTENCE,
    UNMAPPED,
    LabelSet,
    Scored,
    as_gains,
    quadrants,
    score_labels,
    tested_pairs,
)
from regrade.randomness import generator
from regrade.rankings import tau_b
from regrade.run_arrays import RankedLists
from regrade.significance.discrimination import T_TESTS, PairTestOptions

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
    """Topic → `count` of its partitions, drawn without putting back; all where it has no more.

    Parameters
    ----------
    available
        Topic → its partitions.
    count, number
        How many to draw (`ALL`: all), and the number of the draw.
    seed
        Of the draws; a topic's do not depend on the others.
    """
    found = {}
    for topic, partitions in available.items():
        partitions = np.sort(np.asarray(partitions))
        if ALL < count < len(partitions):
            rng = generator(seed, "partitions", topic, str(count), str(number))
            partitions = np.sort(rng.choice(partitions, count, replace=False))
        found[topic] = partitions
    return found


def partition_draws(
    answers: pa.Table,
    counts: Sequence[int],
    draws: int,
    methods: Sequence[str] = METHODS,
    *,
    seed: int = 1,
    options: ScoreOptions = SCORED,
) -> list[Draw]:
    """Scores of documents from all partitions, and from drawn ones.

    Parameters
    ----------
    answers
        Schema ``preferences``: those that count; the ones whose partition is known are taken.
    counts
        How many partitions to draw.
    draws
        How often.
    methods
        Of `regrade.choices.PAIR_METHODS`.
    seed
        Of the draws.
    options
        How answers become scores.

    Returns
    -------
    list of Draw
        That of all partitions first, then by count and number.

    Raises
    ------
    MethodError
        If no partition is known.
    ParameterError
        If there is no draw, or a count below 1.
    """
    if draws < 1 or any(count < 1 for count in counts):
        raise ParameterError("draw one partition or more, once or more")
    known = answers.filter(answers["partition"].is_valid())
    if not len(known):
        raise MethodError(
            "no answer says which partition it is of: leave `partitions` out, or name the column"
        )
    topic = known["topic"].cast(pa.string()).to_numpy(zero_copy_only=False)
    partition = known["partition"].to_numpy()
    available = {name: np.unique(partition[topic == name]) for name in np.unique(topic)}

    def scored(count: int, number: int) -> Draw:
        chosen = drawn_partitions(available, count, number, seed)
        kept = np.zeros(len(topic), dtype=bool)
        for name, partitions in chosen.items():
            kept |= (topic == name) & np.isin(partition, partitions)
        scores = score_answers(known.filter(pa.array(kept)), methods, options=options)
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
    """How far scores from different draws agree, and with those of all (Figures 5.16, 5.17).

    Parameters
    ----------
    draws
        As `partition_draws` gives.
    available
        Topic → its partitions, as `available_partitions` gives.
    metric
        Of α, one of `regrade.choices.METRICS`.

    Returns
    -------
    DataFrame
        Columns of ``preferences/partition_topics``, by method, partitions and topic.  ``used``: how
        many of those asked for there are.  ``alpha``: Krippendorff's, draws being the coders and
        orders of each two documents the values (−1, 0, 1, in both directions).  ``tau``: mean over
        draws of Kendall's τ_b with the scores of all partitions, with the lowest and the highest.
        Documents are those that all draws have.
    """
    full = draws[0].scores
    rows = []
    for method in full["method"].unique():
        for count, topic, values in _by_topic(draws, method):
            reference, drawn = values[:, 0], values[:, 1:]
            taus = np.array([tau_b(reference, np.ascontiguousarray(one)) for one in drawn.T])
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


def _by_topic(draws: Sequence[Draw], method: str) -> Iterator[tuple[int, str, np.ndarray]]:
    """Count, topic, and (documents, 1 + draws) values: of all partitions, then of each draw."""
    wide = pd.concat(
        {
            (draw.partitions, draw.number): draw.scores[draw.scores["method"] == method]
            .astype({"topic": str, "docno": str})
            .set_index(["topic", "docno"])["value"]
            for draw in draws
        },
        axis=1,
    ).sort_index()
    for count in dict.fromkeys(draw.partitions for draw in draws[1:]):
        chosen = wide[[(ALL, 1), *(key for key in wide.columns if key[0] == count)]].dropna()
        for topic, some in chosen.groupby(level=0):
            yield count, topic, np.ascontiguousarray(some.to_numpy())


def _alpha_of_draws(values: np.ndarray, metric: str) -> float:
    """α of (documents, coders) values by the orders of each two documents."""
    first, second = np.triu_indices(len(values), 1)
    counts = np.zeros((len(first), 3), dtype=np.int64)
    for one in values.T:  # a coder at a time: all pairs of all coders are many
        order = signs(one[first], one[second]).astype(np.int64)
        counts[np.arange(len(order)), order + 1] += 1
    return alpha_of_counts(counts, metric)


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
    persistence: float = PERSISTENCE,
) -> PartitionSystems:
    """Score systems under the scores of each draw.

    Parameters
    ----------
    draws
        As `partition_draws` gives.
    ranked
        The rankings of systems.
    references
        Name → labels (schema ``qrels``), and the highest grade of their scale.
    measures
        By which systems are ranked.
    tests
        Of pairs of systems.
    persistence
        φ of rank-biased overlap.
    """
    named = [LabelSet(name, UNMAPPED, table, high) for name, (table, high) in references.items()]
    first = [_labels_of(draw) for draw in draws]
    topics = sorted(
        set.intersection(
            set(ranked.topics),
            *(set(one.table["topic"].astype(str)) for one in [*named, *first[0]]),
        )
    )

    def p_of(scored: Scored) -> np.ndarray:
        pairs = tested_pairs(scored.scores, tests.test, tests.correction, seed=tests.seed)
        return pairs["p"].to_numpy(float).reshape(len(scored.scores.measures), -1)

    experts = [(one, p_of(one)) for one in score_labels(ranked, named, measures, topics)]
    found = _Found(experts, measures, persistence, tests.significance)
    for draw, labels in zip(draws, first, strict=True):
        scored = score_labels(ranked, labels, measures, topics)
        found.add(draw, scored, [p_of(one) for one in scored])
    return found.tables()


def _labels_of(draw: Draw) -> list[LabelSet]:
    gains = as_gains(draw.scores)
    return [
        LabelSet(method, UNMAPPED, some[["topic", "docno", "grade"]], 1.0)
        for method, some in gains.groupby("method", sort=False)
    ]


class _Found:
    """Tables of `PartitionSystems`, draw by draw."""

    def __init__(self, experts, measures: Sequence[str], persistence: float, significance: float):
        self.experts = experts
        self.measures = [str(measure) for measure in measures]
        self.persistence = persistence
        self.significance = significance
        self.full: np.ndarray | None = None
        self.systems: list[pd.DataFrame] = []
        self.taus: list[tuple] = []
        self.quadrants: list[dict] = []

    def add(self, draw: Draw, scored: Sequence[Scored], p: Sequence[np.ndarray]) -> None:
        """Take the scores of a draw by method, and the p-values of pairs."""
        means = [one.means() for one in scored]
        if self.full is None:
            self.full = means[0]
        place = {"partitions": draw.partitions, "draw": draw.number}
        for m, measure in enumerate(self.measures):
            for i, one in enumerate(scored):
                names = {"method": one.labels.name, "measure": measure, **place}
                systems = {"system": one.scores.systems, "score": means[i][:, m]}
                self.systems.append(pd.DataFrame(systems).assign(**names))
                self._beside(names, m, means[i], p[i][m])
                for j in range(i + 1, len(scored)):
                    known = ~np.isnan(p[i][m]) & ~np.isnan(p[j][m])
                    tau = tau_b(p[i][m][known], p[j][m][known]) if known.any() else np.nan
                    self.taus.append(
                        (one.labels.name, scored[j].labels.name, measure, *place.values(), tau)
                    )

    def _beside(self, names: dict, m: int, means: np.ndarray, p: np.ndarray) -> None:
        column = np.ascontiguousarray(means[:, m])
        rbo = rbo_ext(np.ascontiguousarray(self.full[:, m]), column, self.persistence)
        for expert, expert_p in self.experts:
            counted = quadrants(expert_p[m], p, self.significance)
            counted |= {"tau": tau_b(np.ascontiguousarray(expert.means()[:, m]), column)}
            self.quadrants.append({"reference": expert.labels.name, **names, **counted, "rbo": rbo})

    def tables(self) -> PartitionSystems:
        """What was found, counts as means over draws."""
        counted = pd.DataFrame(self.quadrants)
        keys = ["reference", "method", "measure", "partitions"]
        by = counted.groupby(keys, sort=False)
        numbers = ["pairs", "tp", "fp", "fn", "tn", "rbo", "tau"]
        table = by[numbers].mean().assign(draws=by.size()).reset_index()
        return PartitionSystems(
            pd.concat(self.systems, ignore_index=True)[columns_of("preferences/partition_systems")],
            pd.DataFrame(self.taus, columns=columns_of("preferences/partition_taus")),
            table[columns_of("preferences/partition_quadrants")],
        )
