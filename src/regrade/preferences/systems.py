"""Systems under scores of documents and under labels: rankings, and which pairs differ.

Scores of documents are gains as they are (yang2019 §5.3.4), or they are mapped to levels first:
to the categories of a reference in the same proportions, or to parts of equal size.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue import columns_of
from regrade.correlations import rbo_ext, tau_ap
from regrade.errors import MethodError
from regrade.kendall import TOLERANCE, tau_b
from regrade.preferences.agreement import (
    MOST_GRADES,
    ORDER_COUNTS,
    count_orders,
    signs,
    with_shares,
)
from regrade.preferences.fits import PROBABILITIES
from regrade.preferences.label_comparison import by_document, of_side
from regrade.preferences.scores import comparable
from regrade.randomness import generator
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import Scores, score
from regrade.significance.corrections import adjust
from regrade.significance.discrimination import (
    SIGNIFICANCE,
    compare_systems,
    pair_tests,
    untested_pairs,
)

UNMAPPED = "none"
"""Of scores that are gains as they are."""

RANDOM = "random"
"""Labels drawn at random for the documents that have scores (the last row of Table 5.13)."""

PERSISTENCE = 0.98
"""φ of rank-biased overlap, unless told (yang2019 Table 5.15)."""

_TESTED = 2
"""Topics, and systems, that a test of pairs needs."""


def as_gains(scores: pd.DataFrame) -> pd.DataFrame:
    """Scores of documents as gains from 0 to 1."""
    parts = []
    if "component" in scores:
        scores = comparable(scores)
    for method, some in scores.groupby("method", sort=False, observed=True):
        some = some.dropna(subset=["value"])
        value = some["value"].to_numpy(dtype=float)
        if method in PROBABILITIES:
            value = PROBABILITIES[method](value)
        elif len(value) and (value.min() < 0 or value.max() > 1 + TOLERANCE):
            by_topic = pd.Series(value).groupby(some["topic"].astype(str).to_numpy())
            low, high = (by_topic.transform(end).to_numpy() for end in ("min", "max"))
            width = high - low
            share = (value - low) / np.where(width > 0, width, 1.0)
            value = np.where(width > TOLERANCE, share, 0.5)
        parts.append(some.assign(grade=np.clip(value, 0.0, 1.0)))
    names = dict.fromkeys(("topic", "docno", "method"), str)
    return pd.concat(parts, ignore_index=True).astype(names)[[*names, "grade"]]


def mapped_to_levels(values: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Levels of given shares, the documents with the highest values in the highest level."""
    if not len(values):
        return np.zeros(0, dtype=np.int64)
    middle = (pd.Series(np.round(values, 12)).rank().to_numpy() - 0.5) / len(values)
    ends = np.cumsum(shares)[:-1]
    return (middle[:, None] >= ends - TOLERANCE).sum(axis=1)


def with_proportions_of(gains: pd.DataFrame, labels: pd.DataFrame) -> pd.DataFrame:
    """Scores mapped to a reference's grades, in its proportions topic by topic (Figure 5.10)."""
    known = by_document(labels)
    grades = np.unique(labels["grade"])
    parts = []
    for topic, some in gains.astype({"topic": str, "docno": str}).groupby("topic"):
        known_grades = of_side(some, "docno", known)
        known_grades = known_grades[~np.isnan(known_grades)]
        if not len(known_grades):
            continue
        counts = (known_grades[:, None] == grades).sum(axis=0)
        level = mapped_to_levels(some["grade"].to_numpy(), counts / counts.sum())
        parts.append(some.assign(topic=topic, grade=grades[level]))
    if not parts:
        raise MethodError(
            "no document has both a score and a label: proportions cannot be taken over"
        )
    return pd.concat(parts, ignore_index=True)[["topic", "docno", "grade"]]


def in_parts(gains: pd.DataFrame, parts: int) -> pd.DataFrame:
    """Scores mapped to so many levels of equal proportion, topic by topic."""
    shares = np.full(parts, 1 / parts)
    level = gains.groupby("topic", observed=True)["grade"].transform(
        lambda values: mapped_to_levels(values.to_numpy(), shares)
    )
    return gains.assign(grade=level.astype(float))[["topic", "docno", "grade"]]


def random_gains(gains: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Gains from 0 to 1 drawn at random, topic by topic, for the documents that have some."""
    documents = gains[["topic", "docno"]].drop_duplicates().sort_values(["topic", "docno"])
    drawn = [
        generator(seed, RANDOM, topic).random(len(some))
        for topic, some in documents.groupby("topic")
    ]
    return documents.assign(method=RANDOM, grade=np.concatenate(drawn))


@dataclass(frozen=True)
class MappedLabels:
    """What systems are scored by.

    Attributes
    ----------
    name, mapping
        What it is called, and how it was mapped to levels.
    table
        Columns topic, docno, grade, of many topics.
    highest
        The highest grade of its scale.
    """

    name: str
    mapping: str
    table: pd.DataFrame
    highest: float


def with_mapping(
    labels: Mapping[str, tuple[pd.DataFrame, float]], mapping: str
) -> list[MappedLabels]:
    """Sets by name, each of a table and its highest grade, said to be mapped so."""
    return [MappedLabels(name, mapping, table, high) for name, (table, high) in labels.items()]


def all_labels(
    gains: pd.DataFrame,
    references: Mapping[str, tuple[pd.DataFrame, float]],
    parts: Sequence[int] = (),
) -> list[MappedLabels]:
    """References and methods as they are, and methods mapped to levels."""
    by_method = {
        method: some[["topic", "docno", "grade"]]
        for method, some in gains.groupby("method", sort=False)
    }
    labels = with_mapping(references, UNMAPPED)
    labels += with_mapping({name: (table, 1.0) for name, table in by_method.items()}, UNMAPPED)
    graded, numbers = {}, {}
    for name, (table, high) in references.items():
        if table["grade"].nunique() <= MOST_GRADES:
            graded[name] = (table, high)
        else:
            numbers[name] = table
    unmapped = numbers | by_method
    for name, (table, high) in graded.items():
        labels += with_mapping(graded, name)
        for other, some in unmapped.items():
            labels.append(MappedLabels(other, name, with_proportions_of(some, table), high))
    for number in parts:
        mapping = f"{number} parts"
        labels += with_mapping(graded, mapping)
        for other, some in unmapped.items():
            labels.append(MappedLabels(other, mapping, in_parts(some, number), number - 1.0))
    return labels


# --- systems -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LabelScores:
    """Scores of S systems on T topics by M measures, under one set of labels.

    Attributes
    ----------
    labels
        What they were scored by.
    scores
        The scores.
    """

    labels: MappedLabels
    scores: Scores

    def means(self) -> np.ndarray:
        """(S, M) over topics."""
        return self.scores.values.mean(axis=1)


def score_labels(
    ranked: RankedLists,
    labels: Iterable[MappedLabels],
    measures: Sequence[str],
    topics: Sequence[str] | None = None,
) -> list[LabelScores]:
    """Score every system under every set of labels, on the same topics."""
    labels = list(labels)
    if topics is None:
        topics = common_topics(mapped.table for mapped in labels)
    if not ranked.ranked_topics.intersection(topics):
        raise MethodError("runs, references and preferences have no topic in common")
    ranked = ranked.with_topics(topics)
    scored = []
    for mapped in labels:
        table = pa.Table.from_pandas(mapped.table.astype({"topic": str, "docno": str}),
                                     preserve_index=False)  # fmt: skip
        judged = Judged.from_table(table.select(["topic", "docno", "grade"]), ranked)
        scores = score(ranked, judged, measures, max_grade=mapped.highest, topics=topics)
        scored.append(LabelScores(mapped, scores))
    return scored


def common_topics(tables: Iterable[pd.DataFrame]) -> list[str]:
    """The topics that all tables have, sorted."""
    return sorted(set.intersection(*(set(table["topic"].astype(str)) for table in tables)))


def system_table(scored: Iterable[LabelScores]) -> pd.DataFrame:
    """Mean scores of systems (Figures 5.9, 5.10): the columns of ``preferences/systems``."""
    parts = []
    for of in scored:
        means, topics = of.means(), len(of.scores.topics)
        for m, measure in enumerate(of.scores.measures):
            names = (of.labels.mapping, of.labels.name, str(measure))
            columns = (*names, of.scores.systems, topics, means[:, m])
            named = zip(columns_of("preferences/systems"), columns, strict=True)
            parts.append(pd.DataFrame(dict(named)))
    return pd.concat(parts, ignore_index=True)


def system_agreement(scored: Iterable[LabelScores]) -> pd.DataFrame:
    """How alike each two sets of labels order systems (Table 5.8, Figures 5.9 and 5.10)."""
    rows = []
    for of, other in combinations(list(scored), 2):
        if of.labels.mapping != other.labels.mapping:
            continue
        for m, measure in enumerate(of.scores.measures):
            x, y = (np.ascontiguousarray(each.means()[:, m]) for each in (of, other))
            first, second = np.triu_indices(len(x), 1)
            both = signs(x[first], x[second]) * signs(y[first], y[second])
            row = {"mapping": of.labels.mapping, "first": of.labels.name}
            row |= {"second": other.labels.name, "measure": str(measure), "systems": len(x)}
            row |= {"pairs": len(both)} | count_orders(both)
            row |= {"tau": tau_b(x, y), "tau_ap": tau_ap(x, y), "rbo": rbo_ext(x, y, PERSISTENCE)}
            rows.append(row)
    columns = columns_of("preferences/system_orders")
    if not rows:
        return pd.DataFrame(columns=columns)
    return with_shares(pd.DataFrame(rows), ORDER_COUNTS, "pairs")[columns]


def difficulty_table(
    ranked: RankedLists,
    references: Mapping[str, tuple[pd.DataFrame, float]],
    measure: str,
    topics: Sequence[str],
) -> pd.DataFrame:
    """How hard topics are: the mean score of all systems (the column AP of Table 5.9)."""
    labels = with_mapping(references, UNMAPPED)
    parts = []
    for of in score_labels(ranked, labels, [measure], topics):
        values, name = of.scores.values[:, :, 0], str(of.scores.measures[0])
        columns = (of.labels.name, name, of.scores.topics, len(values), values.mean(axis=0))
        named = zip(columns_of("preferences/difficulty"), columns, strict=True)
        parts.append(pd.DataFrame(dict(named)))
    return pd.concat(parts, ignore_index=True)


def p_table(
    scored: Iterable[LabelScores], test: str = "t", correction: str = "none", **options: object
) -> pd.DataFrame:
    """p of all pairs of systems under each set of labels (Figures 5.18, 5.19)."""
    parts = []
    for of in scored:
        if of.labels.mapping == UNMAPPED:
            if min(of.scores.values.shape[:2]) >= _TESTED:
                pairs = compare_systems(of.scores, test, correction=correction, **options)
            else:
                pairs = untested_pairs(of.scores)
            parts.append(pairs.assign(labels=of.labels.name, p=pairs["p_adjusted"]))
    return pd.concat(parts, ignore_index=True)[columns_of("preferences/p_values")]


def p_values(
    scores: Scores, test: str = "t", correction: str = "none", **options: object
) -> np.ndarray:
    """The p of `p_table` by measure; (M, P)."""
    n_systems, n_topics, n_measures = scores.values.shape
    if min(n_systems, n_topics) < _TESTED:
        return np.full((n_measures, n_systems * (n_systems - 1) // 2), np.nan)
    return np.stack([adjust(of.p, correction) for of in pair_tests(scores, test, **options)])


def quadrant_table(
    p_values: pd.DataFrame, topics: int, significance: float = SIGNIFICANCE
) -> pd.DataFrame:
    """Significant pairs of systems by either of two sets, and by both (Table 5.13)."""
    rows = []
    for measure, some in p_values.groupby("measure", sort=False, observed=True):
        by_labels = {
            name: part["p"].to_numpy()
            for name, part in some.groupby("labels", sort=False, observed=True)
        }
        for reference, labels in combinations(by_labels, 2):
            both = by_labels[reference], by_labels[labels]
            names = {"reference": reference, "labels": labels, "measure": measure}
            names |= {"topics": topics, "tau": tau_of_defined(*both)}
            rows.append(names | quadrants(*both, significance))
    return pd.DataFrame(rows, columns=columns_of("preferences/quadrants"))


def quadrants(reference: np.ndarray, p: np.ndarray, significance: float) -> dict[str, float]:
    """Counts of pairs by which of two sets they differ significantly."""
    significant, by_reference = p < significance, reference < significance
    return {
        "pairs": len(p),
        "undefined": int((np.isnan(p) | np.isnan(reference)).sum()),
        "tp": int((significant & by_reference).sum()),
        "fp": int((significant & ~by_reference).sum()),
        "fn": int((~significant & by_reference).sum()),
        "tn": int((~significant & ~by_reference).sum()),
        "ratio": float(significant.mean()) if len(p) else np.nan,
    }


def tau_of_defined(reference: np.ndarray, p: np.ndarray) -> float:
    """τ_b of the p-values of the pairs that two sets define; NaN where they define none."""
    defined = ~np.isnan(p) & ~np.isnan(reference)
    return tau_b(reference[defined], p[defined]) if defined.any() else np.nan
