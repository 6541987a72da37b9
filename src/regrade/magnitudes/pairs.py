"""Whether two sets of judgments put documents in the same order (turpin2015 §4.2, Figure 3).

The pairs of a topic's documents that a reference puts on different levels are grouped by these two
levels (NM, NR, NH, MR, MH, RH for four).  Two sets *agree* on a pair unless they order it in
opposite ways: equal magnitudes or labels contradict no order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api.typing import DataFrameGroupBy
from scipy.special import stdtrit

from regrade.catalogue import ALL_TOPICS
from regrade.compiled import njit
from regrade.drawn_intervals import spread_of
from regrade.errors import ParameterError
from regrade.intervals import INTERVALS
from regrade.kendall import TOLERANCE
from regrade.magnitudes.label_comparison import (
    DOCUMENT,
    MAGNITUDES,
    References,
    document_magnitudes,
    each_worker_once,
    framed,
    known_labels,
    plain,
)
from regrade.percentiles import CONFIDENCE, ends, interval
from regrade.randomness import generator, with_replacement
from regrade.sample_means import share_interval

CONCORDANT, TIED, DISCORDANT = range(3)

_CHUNK = 4_000_000
"""Counts that are held at a time."""

Levels = Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class _Topic:
    """A topic's documents that two sets and the reference share, by ascending level."""

    name: str
    docno: np.ndarray
    level: np.ndarray
    first: np.ndarray
    second: np.ndarray


@dataclass(frozen=True)
class _Comparison:
    """Two sets beside each other, over the pairs of levels of a third (or one of the two)."""

    by: str
    first: str
    second: str
    levels: np.ndarray
    topics: list[_Topic]

    @property
    def groups(self) -> tuple[np.ndarray, np.ndarray]:
        """Places of the lower and the upper level of each group of pairs."""
        return np.triu_indices(len(self.levels), 1)


@dataclass(frozen=True, eq=False)
class PairComparison:
    """Magnitudes and sets of labels, whose orders of pairs of documents are compared.

    Attributes
    ----------
    documents
        Schema ``magnitudes/documents``.
    labels
        Tables of schema ``qrels`` by name.
    levels
        The grades of each set's scale.
    by
        The set whose levels make the groups of pairs.
    aggregate
        The documents' magnitude, one of `regrade.magnitudes.label_comparison.AGGREGATES`;
        magnitudes within 10⁻¹² of each other, relatively, are equal.
    """

    documents: pa.Table | pd.DataFrame
    labels: References
    levels: Levels
    by: str
    aggregate: str = "median"

    def compared(self) -> list[_Comparison]:
        """The pairs of sets that are compared, with the documents that they share."""
        _, grouped, scale = known_labels(self.labels, self.levels, self.by)
        magnitudes = document_magnitudes(self.documents, self.aggregate)
        logs = np.log(magnitudes["magnitude"].to_numpy())
        values = {MAGNITUDES: magnitudes.assign(value=logs)[[*DOCUMENT, "value"]]}
        for name in self.labels:
            known = known_labels(self.labels, self.levels, name).labels
            values[name] = known.rename(columns={"label": "value"})[[*DOCUMENT, "value"]]
        others = [name for name in self.labels if name != self.by]
        pairs = [(MAGNITUDES, name) for name in (self.by, *others)]
        pairs += [(self.by, name) for name in others]
        topics = sorted(magnitudes["topic"].unique())
        compared = []
        for first, second in pairs:
            shared = _shared(grouped, values[first], values[second], topics)
            compared.append(_Comparison(self.by, first, second, scale, shared))
        return compared


def pair_agreement(comparison: PairComparison) -> pd.DataFrame:
    """Agreement on the order of pairs of documents (turpin2015 Figure 3).

    Compared are the magnitudes with `by`, the magnitudes with each other set of labels, and `by`
    with each of these, each over the documents that both of them and `by` have, on the topics of
    `documents`.
    """
    rows = [row for compared in comparison.compared() for row in _rows(compared)]
    return framed(rows, "magnitudes/agreement")


def pair_intervals(
    comparison: PairComparison,
    normalised: pa.Table | pd.DataFrame,
    resamples: int = 1000,
    seed: int = 0,
) -> pd.DataFrame:
    """How sure the shares of `pair_agreement` are over topics, documents and units.

    Topics are not drawn: the interval is that of a mean over them.  Documents are drawn within each
    topic, from those that are compared (a pair counts as often as its documents were drawn, times
    each other); units within each topic, whose judgments give the documents new magnitudes.  A
    document without any judgment left has no part in that draw.  Normalisation moves all magnitudes
    of a topic alike when units are drawn, which changes no order.  As a topic has few units, which
    know their own mean, what its n units' draws differ by is raised by √(n / (n − 1)).

    Drawn units leave a document about 63 % of its different judgments, so its magnitude is noisier
    than the estimate's and draws agree less: their percentiles miss what the estimate is of.  The
    interval is around the estimate, as wide as the draws vary.  Over documents it is that of the
    percentiles, and null with fewer than `LEAST_TOPICS` topics, where these hold too little.
    """
    judgments = each_worker_once(plain(normalised))
    by_topic = dict(list(judgments.groupby("topic")))

    def units_of(topic: _Topic) -> DataFrameGroupBy:
        return by_topic.get(topic.name, judgments.iloc[:0]).groupby(["worker", "unit"], sort=True)

    def times(n: int, *cell: str) -> np.ndarray:
        """(resamples, n) int64: how often each of n is drawn."""
        return with_replacement(generator(seed, "magnitudes", "pairs", *cell), n, resamples)

    def units_again(topic: _Topic) -> tuple[np.ndarray, np.ndarray]:
        units = units_of(topic)
        drawn = times(units.ngroups, "units", topic.name)
        values = _resampled_magnitudes(topic, units, drawn, comparison.aggregate)
        known = ~np.isnan(values)
        with np.errstate(invalid="ignore"):
            logs = np.where(known, np.log(values), 0.0)
        return logs, known.astype(np.int64)

    rows = []
    for compared in comparison.compared():
        names = compared.by, compared.first, compared.second

        def documents_again(topic: _Topic, names=names) -> tuple[np.ndarray, np.ndarray]:
            weight = times(len(topic.level), *names, "documents", topic.name)
            return np.broadcast_to(topic.first, weight.shape), weight

        shares = _shares(_counts(compared))
        estimate, ends = _mean_shares(shares), over_topics(shares)
        rows += _interval_rows(compared, estimate, "topics", ends, np.empty((0, len(estimate))))
        drawn = _resampled(compared, documents_again, resamples)
        ends = interval(drawn) if len(compared.topics) >= LEAST_TOPICS else np.nan * ends
        rows += _interval_rows(compared, estimate, "documents", ends, drawn)
        if compared.first == MAGNITUDES:
            units = {of.name: units_of(of).ngroups for of in compared.topics if len(of.level)}
            drawn = _resampled(compared, units_again, resamples, units)
            around = around_units(estimate, drawn, list(units.values()))
            rows += _interval_rows(compared, estimate, "units", around, drawn)
    return framed(rows, "magnitudes/share_intervals")


@njit(cache=True, nogil=True, small=True)
def order_counts(level, first, second, weight, levels):
    """Pairs of documents of different levels by how two sets order them."""
    draws, n = weight.shape
    counts = np.zeros((draws, levels * (levels - 1) // 2, 3), dtype=np.int64)
    for r in range(draws):
        above = 0
        for i in range(n):
            if weight[r, i] == 0:
                continue
            a = level[i]
            above = max(above, i)
            while above < n and level[above] == a:
                above += 1
            start = a * (2 * levels - a - 1) // 2 - a - 1
            for j in range(above, n):
                if weight[r, j] == 0:
                    continue
                x = first[r, j] - first[r, i]
                y = second[j] - second[i]
                sign = int(x > TOLERANCE) - int(x < -TOLERANCE)
                sign *= int(y > TOLERANCE) - int(y < -TOLERANCE)
                counts[r, start + level[j], 1 - sign] += weight[r, i] * weight[r, j]
    return counts


@njit(cache=True, nogil=True, small=True)
def resampled_medians(values, starts, unit, drawn):
    """Medians of documents' judgments when units are drawn anew."""
    n = starts.shape[0] - 1
    medians = np.full((drawn.shape[0], n), np.nan)
    for r in range(drawn.shape[0]):
        for d in range(n):
            total = 0
            for j in range(starts[d], starts[d + 1]):
                total += drawn[r, unit[j]]
            if total == 0:
                continue
            seen = 0
            low = np.nan
            for j in range(starts[d], starts[d + 1]):
                seen += drawn[r, unit[j]]
                if np.isnan(low) and 2 * seen >= total:
                    low = values[j]
                if 2 * seen > total:
                    medians[r, d] = (low + values[j]) / 2
                    break
    return medians


def _shared(
    grouped: pd.DataFrame, first: pd.DataFrame, second: pd.DataFrame, topics: Sequence[str]
) -> list[_Topic]:
    """The documents that three sets have, topic by topic."""
    both = grouped.merge(first, on=DOCUMENT).merge(second, on=DOCUMENT, suffixes=("", "_second"))
    both = both.sort_values(["topic", "code", "docno"])
    both = both.astype({"code": np.int64, "value": float, "value_second": float})
    of_topic = dict(list(both.groupby("topic")))
    columns = ["docno", "code", "value", "value_second"]
    rows = (of_topic.get(topic, both.iloc[:0])[columns] for topic in topics)
    return [
        _Topic(topic, *(of[name].to_numpy(copy=True) for name in columns))
        for topic, of in zip(topics, rows, strict=True)
    ]


def _counts(compared: _Comparison) -> np.ndarray:
    """(topics, groups, 3) int64: the pairs of each topic and group by their order."""
    counts = [
        _counted(compared, of, of.first[None], np.ones((1, len(of.level)), dtype=np.int64))
        for of in compared.topics
    ]
    return np.concatenate([np.zeros((0, len(compared.groups[0]), 3), dtype=np.int64), *counts])


def _counted(
    compared: _Comparison, topic: _Topic, first: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    return order_counts(topic.level, first, topic.second, weight, len(compared.levels))


def _shares(counts: np.ndarray, agree: slice = slice(CONCORDANT, TIED + 1)) -> np.ndarray:
    """The share of pairs that agree; NaN where there is none.  The last axis is (c, t, d)."""
    pairs = counts.sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return counts[..., agree].sum(axis=-1) / pairs


def _mean(values: np.ndarray, axis: int) -> np.ndarray:
    """The mean of what is defined; NaN where nothing is."""
    defined = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.where(defined, values, 0.0).sum(axis=axis) / defined.sum(axis=axis)


def _with_all(shares: np.ndarray) -> np.ndarray:
    """(…, groups) shares with their mean after the last."""
    return np.concatenate([shares, _mean(shares, -1)[..., None]], axis=-1)


def _mean_shares(shares: np.ndarray) -> np.ndarray:
    """(…, topics, groups) shares to (…, groups + 1): each group's mean over topics, their mean."""
    return _with_all(_mean(shares, -2))


def over_topics(shares: np.ndarray) -> np.ndarray:
    """The interval of each group's mean share over topics, and of the mean of these means."""
    defined = ~np.isnan(shares)
    count, means = defined.sum(axis=0), _mean(shares, 0)
    away = np.where(defined, shares - means, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.sqrt((away**2).sum(axis=0) / (count - 1) / count)
        # what a topic does to the mean of the groups' means
        influence = np.where(defined, away / count, 0.0).sum(axis=1) / max((count > 0).sum(), 1)
    some = defined.any(axis=1)
    n = some.sum()
    # summed, influences are 0, as the n centred values of a mean of n
    error = np.sqrt((influence**2).sum() * n / (n - 1)) if n > 1 else np.nan
    known = np.array([*count, n])
    ends = share_interval(_with_all(means), np.append(errors, error), known)
    return np.where(known >= INTERVALS["share_over_topics"].fewest, ends, np.nan)


ORDERED = ("ordered", "ordered_low", "ordered_high")
"""The share of all pairs that both sets order alike, and its interval."""


def ordered_pairs(counts: np.ndarray) -> np.ndarray:
    """(3, groups): the share of concordant pairs among all pairs of all topics, with its interval.

    `counts` are (topics, groups, 3).  The share is a ratio of two sums over topics; its standard
    error is that of the linearised ratio, Σ (c − p n) over topics of c concordant of n pairs.
    """
    concordant, pairs = counts[..., CONCORDANT], counts.sum(axis=-1)
    some = pairs > 0
    topics = some.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = concordant.sum(axis=0) / pairs.sum(axis=0)
        away = np.where(some, concordant - share * pairs, 0.0)
        error = np.sqrt((away**2).sum(axis=0) * topics / (topics - 1)) / pairs.sum(axis=0)
    ends = share_interval(share, error, topics)
    enough = topics >= INTERVALS["share_over_topics"].fewest
    return np.stack([share, *np.where(enough, ends, np.nan)])


LEAST_TOPICS = 5
"""From how many topics on percentiles over documents are given."""


def raised(shares: np.ndarray, units: int) -> np.ndarray:
    """Draws that scatter about their mean as samples of so many units do about the truth."""
    if units < 2:
        return shares
    middle = _mean(shares, 0)
    return middle + (shares - middle) * np.sqrt(units / (units - 1))


def around_units(estimate: np.ndarray, drawn: np.ndarray, units: Sequence[int]) -> np.ndarray:
    """Student's t times the standard deviation of drawn units, around a mean share."""
    estimate = np.asarray(estimate, dtype=float)
    fewest = INTERVALS["share_over_units"].fewest
    if min(units, default=0) < fewest or len(drawn) < 2:
        return np.full((2, *estimate.shape), np.nan)
    freedom = min(sum(units) - len(units), len(drawn) - 1)
    half = stdtrit(freedom, ends(CONFIDENCE)[1]) * spread_of(drawn)
    return np.stack([estimate - half, estimate + half]).clip(0, 1)


def _resampled_magnitudes(
    topic: _Topic, units: DataFrameGroupBy, drawn: np.ndarray, aggregate: str
) -> np.ndarray:
    """(resamples, n) magnitudes of a topic's documents from the units that each draw has."""
    unit = units.ngroup().to_numpy(np.int64)
    place = pd.Index(topic.docno).get_indexer(units.obj["docno"])
    value = units.obj["normalised"].to_numpy(np.float64)
    order = np.lexsort((value, place))
    order = order[place[order] >= 0]
    starts = np.searchsorted(place[order], np.arange(len(topic.docno) + 1))
    for missing in np.flatnonzero(np.diff(starts) == 0)[:1]:
        raise ParameterError(
            f"document {topic.docno[missing]} on topic {topic.name} has a magnitude but no "
            "judgment: give the judgments that the documents' magnitudes are of"
        )
    if aggregate == "median":
        return resampled_medians(value[order], starts, unit[order], drawn)
    weight = drawn[:, unit[order]]
    if not len(topic.docno):
        return np.empty((len(drawn), 0))
    logs = np.add.reduceat(weight * np.log(value[order]), starts[:-1], axis=1)
    with np.errstate(invalid="ignore"):
        return np.exp(logs / np.add.reduceat(weight, starts[:-1], axis=1))


def _resampled(
    compared: _Comparison,
    draw: Callable[[_Topic], tuple[np.ndarray, np.ndarray]],
    resamples: int,
    units: Mapping[str, int] | None = None,
) -> np.ndarray:
    """(resamples, groups + 1): mean shares of draws within topics.

    `draw` gives a topic's (resamples, n) values of the first set and weights of its documents;
    what `units` of a topic give is `raised`.
    """
    n_groups = len(compared.groups[0])
    total, shares = np.zeros((2, resamples, n_groups))
    topics = np.zeros((resamples, n_groups), dtype=np.int64)
    chunk = max(1, _CHUNK // (3 * n_groups))
    for topic in compared.topics:
        first, weight = draw(topic)
        for start in range(0, resamples, chunk):
            part = slice(start, start + chunk)
            values = np.ascontiguousarray(first[part])
            shares[part] = _shares(_counted(compared, topic, values, weight[part]))
        its = shares if units is None else raised(shares, units.get(topic.name, 0))
        defined = ~np.isnan(its)
        total += np.where(defined, its, 0.0)
        topics += defined
    with np.errstate(invalid="ignore"):
        return _with_all(total / topics)


def _group_names(compared: _Comparison) -> list[tuple[float, float]]:
    """The levels of each group, and NaN for all groups."""
    lower, upper = compared.groups
    return [*zip(compared.levels[lower], compared.levels[upper], strict=True), (np.nan, np.nan)]


def _rows(compared: _Comparison) -> list[dict]:
    """Rows of the table of agreement."""
    counts = _counts(compared)
    shares, strict = _shares(counts), _shares(counts, slice(CONCORDANT, CONCORDANT + 1))
    no_ends = np.full((2, len(compared.groups[0]) + 1), np.nan)
    cells = [
        (topic.name, counts[[row]], _with_all(shares[row]), _with_all(strict[row]), no_ends)
        for row, topic in enumerate(compared.topics)
    ]
    means = _mean_shares(shares), _mean_shares(strict)
    cells.append((ALL_TOPICS, counts, *means, over_topics(shares)))
    sets = {"by": compared.by, "first": compared.first, "second": compared.second}
    rows = []
    for name, parts, share, strict_share, (low, high) in cells:
        parts = np.concatenate([parts, parts.sum(axis=1, keepdims=True)], axis=1)
        own = parts.sum(axis=0)
        columns = {
            "pairs": own.sum(axis=1),
            "concordant": own[:, CONCORDANT],
            "tied": own[:, TIED],
            "discordant": own[:, DISCORDANT],
            "share": share,
            # both are means of the same pairs, so half of each is the mean of halves
            "half_share": (share + strict_share) / 2,
            "strict_share": strict_share,
            "pooled": _shares(own),
            "share_low": low,
            "share_high": high,
            **dict(zip(ORDERED, ordered_pairs(parts), strict=True)),
        }
        for group, (lower, upper) in enumerate(_group_names(compared)):
            row = sets | {"topic": name, "lower": lower, "upper": upper}
            rows.append(row | {column: values[group] for column, values in columns.items()})
    return rows


def _interval_rows(
    compared: _Comparison, estimate: np.ndarray, resampled: str, ends: np.ndarray, means: np.ndarray
) -> list[dict]:
    """Rows of the table of intervals; `means` are those of the draws."""
    gains = f"{compared.first} {compared.second}"
    of = {"reference": compared.by, "over": "pairs", "gains": gains, "quantity": "share"}
    of |= {"resampled": resampled, "resamples": len(means)}
    return [
        of
        | {
            "measure": "all" if np.isnan(lower) else f"{lower:g} {upper:g}",
            "estimate": estimate[group],
            "low": ends[0][group],
            "high": ends[1][group],
            "undefined": int(np.isnan(means[:, group]).sum()),
        }
        for group, (lower, upper) in enumerate(_group_names(compared))
    ]
