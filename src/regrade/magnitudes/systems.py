"""Systems under magnitudes as gains, beside systems under labels (turpin2015 §§5.2, 5.3).

Two kinds of systems are compared (``over``): the *runs*, and systems *merged* at random of those
rankings of single topics whose first documents the reference has all judged.  Scores are by
topic, so that a merged system is a choice of one run for each topic.

Topics are those that the reference, the magnitudes and the runs have.  Unjudged documents have
no gain.  τ is τ_b, with scores within `regrade.kendall.TOLERANCE` tied.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa
from numba import njit

from regrade.catalogue import columns_of
from regrade.errors import ParameterError
from regrade.intervals import INTERVALS
from regrade.kendall import TOLERANCE, tau_b
from regrade.magnitudes.resampling import GAINS, TopicMagnitudes, all_gains
from regrade.magnitudes.scores import GainScores
from regrade.measures import Measure, parse_all
from regrade.randomness import generator
from regrade.run_arrays import NO_DOCUMENT, Judged, RankedLists
from regrade.scoring import score
from regrade.significance.discrimination import SIGNIFICANCE, signed_rank
from regrade.significance.paired import differences, skewed_p

log = logging.getLogger(__name__)

RUNS, MERGED = "runs", "merged"
"""What systems are compared."""

REFERENCE = "reference"
"""The gains of the reference's own labels, beside `regrade.magnitudes.resampling.GAINS`."""

DEPTH, N_MERGED = 10, 100
"""Documents of a complete sub-run, and merged systems, as in the paper."""

FEWEST = 2
"""Complete sub-runs of a topic that is merged."""

MAPPINGS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "100C": lambda c: 100 * c,
    "1+C": lambda c: 1 + c,
    "10+C": lambda c: 10 + c,
    "2^(1+C)": lambda c: np.exp2(1 + c),
    "10^(1+C)": lambda c: 10.0 ** (1 + c),
}
"""Gains of a category C (turpin2015 Table 2)."""


@dataclass(frozen=True, eq=False)
class ReferenceLabels:
    """A reference: labels on a scale.

    Attributes
    ----------
    name
        What the tables call it.
    qrels
        Schema ``qrels``.
    max_grade
        The highest level of its scale; ``None``: its highest grade.
    """

    name: str
    qrels: pa.Table
    max_grade: float | None = None

    @property
    def highest(self) -> float:
        """The highest level, as given or found; 0 without labels."""
        if self.max_grade is not None:
            return float(self.max_grade)
        return float(self.qrels["grade"].to_numpy().max(initial=0))


@dataclass(frozen=True, eq=False)
class Over:
    """N systems to compare on T' topics: runs, or merged of them.

    Attributes
    ----------
    name
        `RUNS` or `MERGED`.
    systems
        N names, ascending.
    runs
        (N, T') int64: whose ranking of the topic each system has.
    topics
        (T',) int64: columns of the runs' scores.
    """

    name: str
    systems: tuple[str, ...]
    runs: np.ndarray
    topics: np.ndarray

    def of(self, values: np.ndarray) -> np.ndarray:
        """The systems' scores (…, N, T') from those of the runs (…, S, T)."""
        return np.ascontiguousarray(values[..., self.runs, self.topics])

    def means(self, values: np.ndarray) -> np.ndarray:
        """The systems' means (…, N), from the scores of the runs (…, S, T); NaN without topics."""
        runs = np.ascontiguousarray(values).reshape(-1, *values.shape[-2:])
        return _means(runs, self.runs, self.topics).reshape(*values.shape[:-2], len(self.runs))


@dataclass(frozen=True, eq=False)
class SystemsUnderReference:
    """One reference, and the systems that are compared under it.

    Attributes
    ----------
    labels
        The reference.
    judged
        Its labels in the document codes of the runs.
    scores
        (M, S, T) float64: of the runs by the reference's labels; NaN on topics that it lacks.
    over
        The runs, and the merged systems.
    complete
        Schema ``magnitudes/complete``.
    """

    labels: ReferenceLabels
    judged: Judged
    scores: np.ndarray
    over: tuple[Over, ...]
    complete: pd.DataFrame


# --- what is compared --------------------------------------------------------------------------


def compare(
    ranked: RankedLists,
    labels: ReferenceLabels,
    topics: Sequence[str],
    measures: Sequence[Measure],
    *,
    depth: int = DEPTH,
    merged: int = N_MERGED,
    seed: int = 0,
) -> SystemsUnderReference:
    """Score the runs under a reference and find what systems there are to compare.

    References
    ----------
    turpin2015 §5.2.
    """
    if merged < 2:
        raise ParameterError(f"merged is {merged}: there are at least 2 systems to rank")
    ranked = ranked.with_topics(topics)
    judged = Judged.from_table(labels.qrels, ranked)
    columns = np.array([t for t, topic in enumerate(topics) if topic in judged.topics], np.int64)
    shared = [topics[t] for t in columns]
    values = np.full((len(measures), len(ranked.systems), len(topics)), np.nan)
    if shared:
        scores = score(ranked, judged, measures, max_grade=labels.max_grade, topics=shared)
        values[:, :, columns] = np.moveaxis(scores.values, 2, 0)
    is_complete = _complete(ranked, judged, shared, depth)
    own, _ = _as_they_are((len(ranked.systems), len(columns)))
    runs = Over(RUNS, ranked.systems, own, columns)
    merges = _merged(labels.name, is_complete, shared, columns, merged, seed)
    table = _complete_table(labels, shared, is_complete)
    return SystemsUnderReference(labels, judged, values, (runs, merges), table)


def _complete(ranked: RankedLists, judged: Judged, topics: Sequence[str], depth: int) -> np.ndarray:
    """(S, T) whether the first documents of each ranking are all judged."""
    is_judged = np.zeros(len(ranked.names) + 1, dtype=bool)  # the last at NO_DOCUMENT
    retrieved = judged.documents[judged.documents != NO_DOCUMENT]
    is_judged[retrieved] = True
    columns = [ranked.topics.index(topic) for topic in topics]
    return is_judged[ranked.top(depth)[:, columns]].all(axis=2)


def _complete_table(
    labels: ReferenceLabels, topics: Sequence[str], is_complete: np.ndarray
) -> pd.DataFrame:
    counts = is_complete.sum(axis=0)
    return pd.DataFrame(
        {
            "reference": labels.name,
            "topic": list(topics),
            "complete": counts,
            "runs": len(is_complete),
            "used": counts >= FEWEST,
        },
        columns=columns_of("magnitudes/complete"),
    )


def _merged(
    reference: str,
    is_complete: np.ndarray,
    topics: Sequence[str],
    columns: np.ndarray,
    n: int,
    seed: int,
) -> Over:
    """n systems of random complete sub-runs; none where no topic has enough of them."""
    used = np.flatnonzero(is_complete.sum(axis=0) >= FEWEST)
    if not used.size:
        return Over(MERGED, (), np.empty((0, 0), np.int64), np.empty(0, np.int64))
    runs = np.empty((n, len(used)), np.int64)
    for place, t in enumerate(used):
        rng = generator(seed, "merged systems", reference, topics[t])
        runs[:, place] = rng.choice(np.flatnonzero(is_complete[:, t]), n)
    digits = len(str(n))
    names = tuple(f"{MERGED} {number:0{digits}d}" for number in range(1, n + 1))
    return Over(MERGED, names, runs, columns[used])


# --- top sets ----------------------------------------------------------------------------------


def top_set(
    values: np.ndarray, significance: float = SIGNIFICANCE
) -> tuple[np.ndarray, np.ndarray]:
    """The systems that are not significantly worse than the best.

    Notes
    -----
    The test is that of `regrade.significance.discrimination.signed_rank`:
    topics without a difference are left out, p is exact for up to 50 topics where no two
    differences are as large and none is zero, and for up to 13 topics in any case, else by the
    normal approximation without continuity correction.  Two-sided, since the paper's sets are of
    systems that are *indistinguishable* from the best; that the best has the higher mean does not
    make its rank sum the higher one.

    References
    ----------
    turpin2015 §5.2.
    """
    _, p = signed_rank(differences(values[_best(values)], values))
    return ~(p < significance), p


def may_be_first(values: np.ndarray, significance: float = SIGNIFICANCE) -> np.ndarray:
    """The systems among which the best over endless topics is.

    Notes
    -----
    Each other system is held beside the best, with p of Student's or of Hall's t, whichever is
    greater, below `significance` / (N − 1): so the best over endless topics, whichever it is and
    whichever came out first, is left out in no more samples than that (Gupta, On some multiple
    decision (selection and ranking) rules, Technometrics 7(2), 1965, with Bonferroni's bound).
    `top_set` tests each alone, and leaves it out more often where systems hardly differ.
    """
    n, topics = values.shape
    if topics < INTERVALS["mean_over_topics"].fewest:
        return np.ones(n, dtype=bool)
    p = skewed_p(differences(values[_best(values)], values))
    return ~(p < significance / max(n - 1, 1))


def _best(values: np.ndarray) -> int:
    """The first of those that tie with the highest mean."""
    averages = _means(values[None], *_as_they_are(values.shape))[0]
    return int(np.argmax(averages >= averages.max() - TOLERANCE))


def _as_they_are(shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """`Over.runs` and `Over.topics` of scores that are the systems' own already."""
    return np.repeat(np.arange(shape[0])[:, None], shape[1], axis=1), np.arange(shape[1])


@njit(cache=True, nogil=True)
def _means(values, runs, topics):
    """Added topic by topic: the same bits for one set of scores as for many."""
    means = np.empty((values.shape[0], runs.shape[0]))
    for b in range(values.shape[0]):
        for n in range(runs.shape[0]):
            total = 0.0
            for t in range(topics.size):
                total += values[b, runs[n, t], topics[t]]
            means[b, n] = total / topics.size if topics.size else np.nan
    return means


# --- tables ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class GainComparison:
    """Systems under magnitudes as gains, and under the labels of references.

    Attributes
    ----------
    ranked
        The rankings of S systems.
    references
        Labels on scales.
    judgments
        The magnitudes (`regrade.magnitudes.resampling.topic_judgments`), with widths of units.
    measures
        M measures or their names.  Magnitudes have no highest grade: write ERR as
        ``ERR(max_rel='topic')@10``.
    aggregate
        How the magnitudes of a document become its gain.
    depth, merged
        Of the merged systems, see `compare`.
    seed
        Of the merged systems, and of all that is drawn.
    """

    ranked: RankedLists
    references: Sequence[ReferenceLabels]
    judgments: Sequence[TopicMagnitudes]
    measures: Sequence[str | Measure]
    aggregate: str = "median"
    depth: int = DEPTH
    merged: int = N_MERGED
    seed: int = 0

    @cached_property
    def scores(self) -> GainScores:
        """Of the runs under any gains."""
        return GainScores(self.ranked, self.judgments, parse_all(self.measures))

    @cached_property
    def compared(self) -> list[SystemsUnderReference]:
        """The systems under each reference."""
        how = {"depth": self.depth, "merged": self.merged, "seed": self.seed}
        topics, measures = self.scores.topics, self.scores.measures
        return [compare(self.ranked, labels, topics, measures, **how) for labels in self.references]

    def values(self, threads: int = 1) -> np.ndarray:
        """(3, M, S, T) scores of the runs by each of `GAINS`, from all judgments."""
        gains = [all_gains(of_topic, self.aggregate) for of_topic in self.scores.judgments]
        with ThreadPoolExecutor(threads) as pool:
            values = self.scores.values([of_topic.T for of_topic in gains], pool)
        if not gains:
            values = np.empty((len(self.scores.measures), len(GAINS), self.scores.n_systems, 0))
        return np.moveaxis(values, 1, 0)


def system_tables(
    comparison: GainComparison, significance: float = SIGNIFICANCE, threads: int = 1
) -> dict[str, pd.DataFrame]:
    """Systems under each reference and under magnitudes, and how alike their rankings are.

    References
    ----------
    turpin2015 §5.2, §5.3: Figures 4 and 5, Tables 2 and 3.
    """
    topics = comparison.scores.topics
    ranked = comparison.ranked.with_topics(topics)
    measures, magnitudes = comparison.scores.measures, comparison.values(threads)
    parts: dict[str, list] = {"systems": [], "rankings": [], "complete": [], "mappings": []}
    for under in comparison.compared:
        parts["complete"].append(under.complete)
        parts["mappings"].append(mapping_table(ranked, under, topics, measures))
        for over in under.over:
            for m, measure in enumerate(measures):
                values = [under.scores[m], *magnitudes[:, m]]
                both = _ranked_tables(under, over, measure, values, significance)
                parts["systems"].append(both[0])
                parts["rankings"].append(both[1])
    return {name: concat_frames(tables, name) for name, tables in parts.items()}


def concat_frames(parts: Sequence[pd.DataFrame], name: str) -> pd.DataFrame:
    """Frames below each other in the columns of ``magnitudes/name``; empty where there is none."""
    columns = columns_of(f"magnitudes/{name}")
    filled = [part[columns] for part in parts if len(part)]
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame(columns=columns)


def _ranked_tables(
    comparison: SystemsUnderReference,
    over: Over,
    measure: Measure,
    values: Sequence[np.ndarray],
    significance: float,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows of ``systems`` and of ``rankings``; the first of `values` are the reference's."""
    key = {"reference": comparison.labels.name, "over": over.name, "measure": str(measure)}
    n_systems, n_topics = over.runs.shape
    systems, rankings, first = [], [], None
    for gains, scores in zip((REFERENCE, *GAINS), values, strict=True):
        own = over.of(scores)
        row = key | {"gains": gains, "n_systems": n_systems, "n_topics": n_topics}
        if not (n_systems and n_topics):
            nothing = {"top": 0, "top_reference": 0, "top_both": 0}
            rankings += [row | nothing | {"tau": np.nan, "overlap": np.nan}] * (gains != REFERENCE)
            continue
        average, (top, p) = over.means(scores), top_set(own, significance)
        systems.append(
            pd.DataFrame(
                key
                | {"gains": gains, "system": over.systems, "score": average, "p": p, "top": top}
                | {"may_be_first": may_be_first(own, significance)}
            )
        )
        if first is None:
            first = average, top
            continue
        rankings.append(row | {"tau": tau_b(average, first[0])} | _overlap(top, first[1]))
    return pd.concat(systems) if systems else pd.DataFrame(), pd.DataFrame(rankings)


def _overlap(top: np.ndarray, reference: np.ndarray) -> dict[str, float]:
    """|both| / |either|, and what it is of."""
    both = int((top & reference).sum())
    return {
        "top": int(top.sum()),
        "top_reference": int(reference.sum()),
        "top_both": both,
        "overlap": both / int((top | reference).sum()),
    }


# --- mappings ----------------------------------------------------------------------------------


def mapping_table(
    ranked: RankedLists,
    comparison: SystemsUnderReference,
    topics: Sequence[str],
    measures: Sequence[Measure],
) -> pd.DataFrame:
    """τ of systems under a reference's categories C as gains with those under `MAPPINGS`.

    Unjudged documents keep no gain, and so do grades below 0.  The highest grade of a measure (ERR)
    is mapped as well, and so is the lowest relevant one of a binary measure, which therefore does
    not change; gains that a measure lists give way to the mapping.

    References
    ----------
    turpin2015 §5.3, Table 2.
    """
    scored = {
        (name, m): _mapped_scores(ranked, comparison, topics, measure, function)
        for name, function in MAPPINGS.items()
        for m, measure in enumerate(measures)
    }
    rows = []
    for over in comparison.over:
        for (name, m), values in scored.items():
            tau = np.nan
            if over.runs.size and values is not None:
                tau = tau_b(over.means(comparison.scores[m]), over.means(values))
            rows.append((comparison.labels.name, over.name, name, str(measures[m]), tau))
    return pd.DataFrame(rows, columns=columns_of("magnitudes/mappings"))


def _mapped_scores(
    ranked: RankedLists,
    comparison: SystemsUnderReference,
    topics: Sequence[str],
    measure: Measure,
    mapping: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray | None:
    """(S, T) by mapped categories, NaN on topics that the reference lacks; None: not computable."""
    columns = comparison.over[0].topics
    values = np.full(comparison.scores.shape[1:], np.nan)
    if not columns.size:
        return None
    judged = comparison.judged
    with np.errstate(over="ignore"):
        mapped = np.where(judged.grades < 0, judged.grades, mapping(judged.grades.clip(min=0)))
    of_mapped = mapped_measure(measure, mapping, comparison.labels.highest)
    try:
        if not np.isfinite(mapped).all():
            raise ParameterError(f"{measure}: a mapped gain is too large for a number")
        shared = [topics[t] for t in columns]
        scores = score(ranked, replace(judged, grades=mapped), [of_mapped], topics=shared)
    except ParameterError as error:
        log.warning("%s: %s", comparison.labels.name, error)
        return None
    values[:, columns] = scores.values[:, :, 0]
    return values


def mapped_measure(
    measure: Measure, mapping: Callable[[np.ndarray], np.ndarray], highest: float
) -> Measure:
    """A measure of grades as one of mapped grades."""
    known = {parameter.name for parameter in measure.definition.parameters}
    parameters = dict(measure.settings)
    if parameters.pop("gains", None) is not None and "dcg" in known:
        parameters["dcg"] = "log2"  # what lists gains takes them as they are
    if "rel" in known and measure["rel"] is not None:
        parameters["rel"] = float(mapping(np.float64(measure["rel"])))
    elif "max_rel" in known and not measure.by_topic:
        parameters["max_rel"] = float(mapping(np.float64(measure["max_rel"] or highest)))
    order = [parameter.name for parameter in measure.definition.parameters]
    return Measure(measure.name, tuple((n, parameters[n]) for n in order if n in parameters))
