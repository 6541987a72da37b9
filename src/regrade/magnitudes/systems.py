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


@dataclass(frozen=True, eq=False)
class Cell:
    """Systems that are ranked by a measure, under one reference and under magnitudes.

    Attributes
    ----------
    under, over
        The reference, and which systems are compared under it.
    m, measure
        The measure, and its place.
    """

    under: SystemsUnderReference
    over: Over
    m: int
    measure: Measure

    @property
    def key(self) -> dict[str, str]:
        """What tables call it."""
        return {
            "reference": self.under.labels.name,
            "over": self.over.name,
            "measure": str(self.measure),
        }

    @property
    def scores(self) -> np.ndarray:
        """(S, T) of the runs by the reference's labels."""
        return self.under.scores[self.m]


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
    ranked = ranked.with_topics(topics)
    judged = Judged.from_table(labels.qrels, ranked)
    columns = np.array([t for t, topic in enumerate(topics) if topic in judged.topics], np.int64)
    shared = [topics[t] for t in columns]
    values = np.full((len(measures), len(ranked.systems), len(topics)), np.nan)
    if shared:
        scores = score(ranked, judged, measures, max_grade=labels.max_grade, topics=shared)
        values[:, :, columns] = np.moveaxis(scores.values, 2, 0)
    is_judged = np.zeros(len(ranked.names) + 1, dtype=bool)  # the last at NO_DOCUMENT
    is_judged[judged.documents[judged.documents != NO_DOCUMENT]] = True
    # (S, T) whether the first documents of each ranking are all judged
    places = [ranked.topics.index(topic) for topic in shared]
    is_complete = is_judged[ranked.top(depth)[:, places]].all(axis=2)
    own, _ = _as_they_are((len(ranked.systems), len(columns)))
    runs = Over(RUNS, ranked.systems, own, columns)
    merges = _merged(labels.name, is_complete, shared, columns, merged, seed)
    counts = is_complete.sum(axis=0)
    complete = {"reference": labels.name, "topic": shared, "complete": counts}
    complete |= {"runs": len(is_complete), "used": counts >= FEWEST}
    table = pd.DataFrame(complete, columns=columns_of("magnitudes/complete"))
    return SystemsUnderReference(labels, judged, values, (runs, merges), table)


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
    """The systems among which the best in the population of topics is.

    Notes
    -----
    Each other system is compared with the best, with p of Student's or of Hall's t, whichever is
    greater, below `significance` / (N − 1): so the best in the population, whichever it is and
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
    averages = _means(np.ascontiguousarray(values)[None], *_as_they_are(values.shape))[0]
    return int(np.argmax(averages >= averages.max() - TOLERANCE))


def _as_they_are(shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """`Over.runs` and `Over.topics` of scores that are the systems' own already."""
    return np.repeat(np.arange(shape[0])[:, None], shape[1], axis=1), np.arange(shape[1])


def _means(values: np.ndarray, runs: np.ndarray, topics: np.ndarray) -> np.ndarray:
    """Added topic by topic: the same bits for one set of scores as for many."""
    total = np.zeros((len(values), len(runs)))
    for row, topic in zip(runs.T, topics, strict=True):
        total += values[:, row, topic]
    return total / len(topics) if len(topics) else np.full(total.shape, np.nan)


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

    @cached_property
    def cells(self) -> list[Cell]:
        """By reference, systems and measure."""
        return [
            Cell(under, over, m, measure)
            for under in self.compared
            for over in under.over
            for m, measure in enumerate(self.scores.measures)
        ]

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
    of_cells = [
        _ranked_tables(cell, magnitudes[:, cell.m], significance) for cell in comparison.cells
    ]
    parts = {
        "systems": [systems for systems, _ in of_cells],
        "rankings": [rankings for _, rankings in of_cells],
        "complete": [under.complete for under in comparison.compared],
        "mappings": [
            mapping_table(ranked, under, topics, measures) for under in comparison.compared
        ],
    }
    return {name: concat_frames(tables, name) for name, tables in parts.items()}


def concat_frames(parts: Sequence[pd.DataFrame], name: str) -> pd.DataFrame:
    """Frames below each other in the columns of ``magnitudes/name``; empty where there is none."""
    columns = columns_of(f"magnitudes/{name}")
    filled = [part[columns] for part in parts if len(part)]
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame(columns=columns)


def _ranked_tables(
    cell: Cell, magnitudes: np.ndarray, significance: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows of ``systems`` and of ``rankings``; (3, S, T) scores of the runs by each of `GAINS`."""
    over, systems, rankings = cell.over, [], []
    n_systems, n_topics = over.runs.shape
    for gains, scores in zip((REFERENCE, *GAINS), (cell.scores, *magnitudes), strict=True):
        row = cell.key | {"gains": gains, "n_systems": n_systems, "n_topics": n_topics}
        if not (n_systems and n_topics):
            nothing = {"top": 0, "top_reference": 0, "top_both": 0}
            rankings += [row | nothing | {"tau": np.nan, "overlap": np.nan}] * (gains != REFERENCE)
            continue
        own, average = over.of(scores), over.means(scores)
        top, p = top_set(own, significance)
        columns = {"gains": gains, "system": over.systems, "score": average, "p": p, "top": top}
        first = {"may_be_first": may_be_first(own, significance)}
        systems.append(pd.DataFrame(cell.key | columns | first))
        if gains == REFERENCE:
            reference, reference_top = average, top
            continue
        both = int((top & reference_top).sum())
        row |= {"top": int(top.sum()), "top_reference": int(reference_top.sum()), "top_both": both}
        overlap = both / int((top | reference_top).sum())
        rankings.append(row | {"tau": tau_b(average, reference), "overlap": overlap})
    return pd.concat(systems) if systems else pd.DataFrame(), pd.DataFrame(rankings)


# --- mappings ----------------------------------------------------------------------------------


def mapping_table(
    ranked: RankedLists,
    under: SystemsUnderReference,
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
    columns, judged, name = under.over[0].topics, under.judged, under.labels.name
    shared = [topics[t] for t in columns]

    def mapped_scores(measure: Measure, mapping: Callable) -> np.ndarray | None:
        """(S, T) by mapped categories, NaN on topics without labels; None: not computable."""
        if not columns.size:
            return None
        with np.errstate(over="ignore"):
            mapped = np.where(judged.grades < 0, judged.grades, mapping(judged.grades.clip(min=0)))
        of_mapped = mapped_measure(measure, mapping, under.labels.highest)
        try:
            if not np.isfinite(mapped).all():
                raise ParameterError(f"{measure}: a mapped gain is too large for a number")
            scores = score(ranked, replace(judged, grades=mapped), [of_mapped], topics=shared)
        except ParameterError as error:
            log.warning("%s: %s", name, error)
            return None
        values = np.full(under.scores.shape[1:], np.nan)
        values[:, columns] = scores.values[:, :, 0]
        return values

    cells = [(mapping, m) for mapping in MAPPINGS for m in range(len(measures))]
    scored = [mapped_scores(measures[m], MAPPINGS[mapping]) for mapping, m in cells]
    rows = []
    for over in under.over:
        for (mapping, m), values in zip(cells, scored, strict=True):
            tau = np.nan
            if over.runs.size and values is not None:
                tau = tau_b(over.means(under.scores[m]), over.means(values))
            rows.append((name, over.name, mapping, str(measures[m]), tau))
    return pd.DataFrame(rows, columns=columns_of("magnitudes/mappings"))


def mapped_measure(
    measure: Measure, mapping: Callable[[np.ndarray], np.ndarray], highest: float
) -> Measure:
    """A measure of grades as one of mapped grades."""
    order = [parameter.name for parameter in measure.definition.parameters]
    parameters = dict(measure.settings)
    if parameters.pop("gains", None) is not None and "dcg" in order:
        parameters["dcg"] = "log2"  # what lists gains takes them as they are
    if "rel" in order and measure["rel"] is not None:
        parameters["rel"] = float(mapping(np.float64(measure["rel"])))
    elif "max_rel" in order and not measure.by_topic:
        parameters["max_rel"] = float(mapping(np.float64(measure["max_rel"] or highest)))
    return Measure(measure.name, tuple((n, parameters[n]) for n in order if n in parameters))
