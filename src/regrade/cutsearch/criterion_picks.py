"""Which criterion picks which cut, and what each pick costs in the other criteria.

han2019 picks the cut with the highest α, and leaves others to future work (§5): the cut whose
internal α is nearest to the source scale's own, and the one whose ranking of systems is most like
the experts'.  Here these stand beside what else is used to compare labels
(`regrade.cutsearch.objectives`) and the pairs of systems that a cut tells apart.  Every criterion
is known for every cut; a pick is the best of them all, and its cost is exact.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from regrade.aggregation import enumerate_cuts
from regrade.agreement import alpha_from_coincidences, coincidences, metric_code
from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS, columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import CUT_CRITERIA
from regrade.cutsearch import kernels
from regrade.cutsearch.best import TIED, Best, best_of
from regrade.cutsearch.discrimination import CutGains, discriminated_share
from regrade.cutsearch.joint_counts import JointCounts
from regrade.cutsearch.means import RunningMeans
from regrade.cutsearch.objectives import criterion_codes, of_cuts
from regrade.cutsearch.search import SourceTopics
from regrade.cutsearch.system_tau import mean_of
from regrade.cutsearch.thresholds import Thresholds
from regrade.kendall import tau_b

log = logging.getLogger(__name__)

SOURCE_ALPHA = "source_alpha"
TOLD_APART = "told_apart"
TAU = "tau"
"""Criteria beside those of `regrade.choices.CUT_CRITERIA`; ``tau@TR2`` names its expert."""


@dataclass(frozen=True)
class Criterion:
    """A criterion of every cut that is no function of the joint counts with a reference.

    Attributes
    ----------
    name
        ``tau@TR2``, ``discriminated_share``, ``source_alpha``.
    of_topics : mapping of str to array of float64, shape (C,)
        Its values by topic; none where it is one of the whole collection only.
    over_topics : array of float64, shape (C,), or None
        Its value over all topics; ``None``: the mean of the topics'.
    """

    name: str
    of_topics: Mapping[str, np.ndarray] = field(default_factory=dict)
    over_topics: np.ndarray | None = None


@dataclass(frozen=True)
class ExpertRankings:
    """What scores systems under any cut, and the experts' scores of them.

    Attributes
    ----------
    gains
        Of S systems.
    experts : mapping of str to mapping of str to array of float64, shape (S,)
        Each expert's scores by topic.
    significance
        See `regrade.cutsearch.discrimination`.
    """

    gains: CutGains
    experts: Mapping[str, Mapping[str, np.ndarray]]
    significance: float = 0.05

    def of_cuts(self, cuts: Mapping[str, np.ndarray]) -> dict[str, float]:
        """τ_b with each expert and pairs told apart, with a cut for each topic (its places)."""
        own = dict(zip(self.gains.topics, range(len(self.gains.topics)), strict=True))
        topics = [topic for topic in self.gains.topics if topic in cuts]
        values = {f"{TAU}@{expert}": np.nan for expert in self.experts} | {TOLD_APART: np.nan}
        if not topics:
            return values
        places = np.tile(self.gains.of_cuts.cuts[0], (len(own), 1))
        places[[own[topic] for topic in topics]] = [cuts[topic] for topic in topics]
        scores = self.gains.scores(places)
        by_topic = {topic: scores[:, own[topic]] for topic in topics}
        for expert, theirs in self.experts.items():
            shared = sorted(by_topic.keys() & theirs.keys())
            if shared:
                values[f"{TAU}@{expert}"] = tau_b(
                    mean_of(by_topic, shared), mean_of(theirs, shared)
                )
        kept = scores[:, [own[topic] for topic in topics]]
        return values | {TOLD_APART: discriminated_share(kept, self.significance)}


def source_alpha(
    source: SourceTopics, levels: int, thresholds: Thresholds, metric: str
) -> Criterion | None:
    """How near each cut's internal α comes to that of the judgments as they are (han2019 §5).

    The paper would pick the cut whose internal α is closest to that of the original judgments,
    instead of the highest.  Internal agreement is that of all workers of a topic (``tw1``), in the
    source scale with the same metric; the criterion is −|α of the cut − α of the source|.
    """
    code = metric_code(metric)
    by_topic = {}
    for topic in source.topics:
        counts, coded = topic.shared_counts, topic.coded(thresholds).shared_counts
        if not len(counts):
            continue
        sums = coincidences(counts), counts.sum(axis=0)
        own = alpha_from_coincidences(*sums, topic.values, metric)
        cut = kernels.topic_wide(coincidences(coded), coded.sum(axis=0), levels, code)
        by_topic[topic.topic] = -np.abs(cut - own)
    return Criterion(SOURCE_ALPHA, by_topic) if by_topic else None


def tau_criterion(expert: str, tau: pd.DataFrame) -> Criterion:
    """τ_b with an expert's ranking, from a table ``cuts/…/tau``."""
    beside = {*CUT_COLUMNS, "mean", "n_topics"}
    topics = {name: tau[name].to_numpy(dtype=float) for name in tau if name not in beside}
    return Criterion(f"{TAU}@{expert}", topics, tau["mean"].to_numpy(dtype=float))


class _Every:
    """Criteria of every cut, (W, C): the best of each, and what share of cuts is above a value."""

    def __init__(self, values: np.ndarray):
        known = ~np.isnan(values)
        self._values = values
        self._defined = known.sum(axis=1)
        best = np.max(np.where(known, values, -np.inf), axis=1)
        self.best = np.where(self._defined > 0, best, np.nan)

    def share_higher(self, at: np.ndarray) -> np.ndarray:
        """Of the cuts that define a criterion, those above its value `at`; NaN where that is."""
        pairs = zip(self._values, at, strict=True)
        above = np.array([np.count_nonzero(row > value + TIED) for row, value in pairs])
        share = np.full(len(at), np.nan)
        return np.divide(above, self._defined, out=share, where=~np.isnan(at))


class Weighed:
    """Every criterion of every cut beside one reference, and the cuts that each picks.

    Attributes
    ----------
    names
        W criteria, those of the reference first: ``kappa@So4``.
    places : array of int16, shape (C, k - 1)
    over_topics : array of float64, shape (W, C)
        Over the collection; NaN where too few topics define it (``coverage``).
    picks : dict of str to list of Best or None
        The best cut by each criterion, for each topic.
    """

    def __init__(
        self,
        joint: JointCounts,
        label: str,
        others: Sequence[Criterion] = (),
        *,
        coverage: float = 0.9,
        threads: int = 1,
    ):
        self.joint, self.label, self.others = joint, label, tuple(others)
        self.threads = threads
        self.levels = joint.counts.shape[2]
        self.places = enumerate_cuts(len(joint.thresholds.values) + 1, self.levels)
        self.names = [f"{name}@{label}" for name in CUT_CRITERIA] + [o.name for o in self.others]
        self.picks: dict[str, list[Best | None]] = {}
        # of each topic the best values (W,), and by pick its values and shares of higher ones
        self._bests: dict[str, np.ndarray] = {}
        self._at: dict[tuple[str, str], tuple[np.ndarray, np.ndarray]] = {}
        means = RunningMeans(len(self.names), len(self.places))
        for topic, values in self._every_topic():
            means.add(values)
            self._pick(topic, values)
        self.over_topics = means.under_coverage(coverage)
        for w, other in enumerate(self.others, start=len(CUT_CRITERIA)):
            if other.over_topics is not None:
                self.over_topics[w] = other.over_topics

    def of_topic(self, t: int) -> np.ndarray:
        """The values of a topic; (W, C)."""
        topic = self.joint.topics[t]
        own = of_cuts(self.places, self.joint.below[t], criterion_codes(list(CUT_CRITERIA)))
        nothing = np.full(len(self.places), np.nan)
        return np.vstack([own, *(o.of_topics.get(topic, nothing) for o in self.others)])

    def _pick(self, topic: str, values: np.ndarray) -> None:
        """Find a topic's picks, and what each is worth in every criterion."""
        self.picks[topic] = [best_of(self.places, row) for row in values]
        every = _Every(values)
        self._bests[topic] = every.best
        for name, pick in zip(self.names, self.picks[topic], strict=True):
            if pick is not None:
                at = values[:, pick.index]
                self._at[topic, name] = at, every.share_higher(at)

    def _every_topic(self) -> Iterator[tuple[str, np.ndarray]]:
        """Topic and values, as many at once as there are threads."""
        topics = range(len(self.joint.topics))
        with ThreadPoolExecutor(max_workers=self.threads) as pool:
            for start in topics[:: self.threads]:
                batch = topics[start : start + self.threads]
                for t, values in zip(batch, pool.map(self.of_topic, batch), strict=True):
                    log.info("criteria with %s: topic %s", self.label, self.joint.topics[t])
                    yield self.joint.topics[t], values

    def picked(self, ranking: ExpertRankings | None = None) -> pd.DataFrame:
        """What every pick is worth in every criterion; schema ``cuts/picked``."""
        rows = [*self._of_topics(), *self._per_topic(ranking), *self._single()]
        return pd.DataFrame(rows, columns=columns_of("cuts/picked"))

    def _of_topics(self) -> Iterator[dict]:
        """Each topic's own picks."""
        for topic, picks in self.picks.items():
            for name, pick in zip(self.names, picks, strict=True):
                if pick is not None:
                    at, higher = self._at[topic, name]
                    yield from self._rows(
                        name, "per-topic", topic, pick, at, self._bests[topic], higher
                    )

    def _per_topic(self, ranking: ExpertRankings | None) -> list[dict]:
        """Over all topics, each with its own pick."""
        rows = []
        for w, name in enumerate(self.names):
            topics = [topic for topic in self.joint.topics if (topic, name) in self._at]
            if not topics:
                continue
            at = np.array([self._at[topic, name][0] for topic in topics])
            bests = np.where(np.isnan(at), np.nan, [self._bests[topic] for topic in topics])
            values, best = _means(at), _means(bests)
            cuts = {topic: self.places[self.picks[topic][w].index] for topic in topics}
            systems = ranking.of_cuts(cuts) if ranking else {}
            for other, value in systems.items():
                if other in self.names:  # no choice of cuts for topics is known to be the best
                    values[self.names.index(other)] = value
                    best[self.names.index(other)] = np.nan
            nothing = np.full(len(self.names), np.nan)
            rows += self._rows(name, "per-topic", ALL_TOPICS, None, values, best, nothing)
        return rows

    def _single(self) -> list[dict]:
        """Over all topics, with one cut for all."""
        rows = []
        every = _Every(self.over_topics)
        for name, values in zip(self.names, self.over_topics, strict=True):
            pick = best_of(self.places, values)
            if pick is not None:
                at = self.over_topics[:, pick.index]
                higher = every.share_higher(at)
                rows += self._rows(name, "single", ALL_TOPICS, pick, at, every.best, higher)
        return rows

    def _rows(
        self,
        picks: str,
        selection: str,
        topic: str,
        pick: Best | None,
        at: np.ndarray,
        best: np.ndarray,
        higher: np.ndarray,
    ) -> Iterator[dict]:
        """One pick's values `at` (W,), beside the `best` and the shares of cuts that are higher."""
        key = {"reference": self.label, "picks": picks, "selection": selection, "topic": topic}
        if pick is not None:
            cut = self.joint.thresholds.values[self.places[pick.index]]
            key |= dict(zip(CUT_COLUMNS, map(float, cut), strict=False))
            key |= {"tied": len(pick.tied), "runs": pick.runs}
        for w, measured in enumerate(self.names):
            row = {"measured": measured, "value": at[w], "best": best[w], "cost": best[w] - at[w]}
            yield key | row | {"share_higher": higher[w]}

    def front(self, criterion: str, against: str) -> pd.DataFrame:
        """The cuts that none beats in both of two criteria; schema ``cuts/fronts``."""
        first, second = (self.over_topics[self.names.index(name)] for name in (criterion, against))
        rows = []
        for i in pareto(first, second):
            same = (np.abs(first - first[i]) <= TIED) & (np.abs(second - second[i]) <= TIED)
            tied = best_of(self.places, np.where(same, 0.0, np.nan))
            cut = self.joint.thresholds.values[self.places[tied.index]]
            row = {"reference": self.label, "criterion": criterion, "against": against}
            row |= dict(zip(CUT_COLUMNS, map(float, cut), strict=False))
            rows.append(row | {"value": first[i], "other": second[i], "tied": len(tied.tied)})
        return pd.DataFrame(rows, columns=columns_of("cuts/fronts"))


def _means(values: np.ndarray) -> np.ndarray:
    """Means over rows that are not NaN; NaN where none is; (T, W) → (W,)."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    total = np.where(known, values, 0).sum(axis=0)
    return np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)


def pareto(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Indices of points that no other beats in one value without being worse in the other.

    Values within 1e-12 are equal; of points that are equal in both, one stands for all.

    Examples
    --------
    >>> pareto(np.array([3.0, 2, 1, 2]), np.array([0.0, 1, 1, 0.5])).tolist()
    [0, 1]
    """
    known = np.flatnonzero(~np.isnan(first) & ~np.isnan(second))
    order = known[np.lexsort((-second[known], -first[known]))]
    front: list[int] = []
    highest = -np.inf
    for i in order[second[order] >= np.maximum.accumulate(second[order])]:
        if second[i] > highest + TIED:
            if front and first[front[-1]] - first[i] <= TIED:
                front.pop()
            front.append(i)
            highest = second[i]
    return np.array(front, dtype=np.int64)


def criteria_table(weighed: Sequence[Weighed]) -> pd.DataFrame:
    """Every criterion of every cut over the collection;
    `regrade.catalogue.arrow.per_cut_schema`.
    """
    first = weighed[0]
    cuts = first.joint.thresholds.values[first.places]
    columns = dict(zip(CUT_COLUMNS, cuts.T, strict=False))
    for criteria in weighed:
        columns |= dict(zip(criteria.names, criteria.over_topics, strict=True))
    return pd.DataFrame(columns)


def criteria_tables(
    joints: Mapping[str, JointCounts],
    others: Sequence[Criterion],
    ranking: ExpertRankings | None,
    *,
    metric: str = "ordinal",
    coverage: float = 0.9,
    threads: int = 1,
) -> dict[str, pd.DataFrame]:
    """All tables of criteria of one transformation."""
    weighed = [
        Weighed(joint, label, others, coverage=coverage, threads=threads)
        for label, joint in joints.items()
    ]
    fronts = [
        criteria.front(f"alpha_{metric}@{criteria.label}", other.name)
        for criteria in weighed
        for other in others
        if other.name.startswith(f"{TAU}@")
    ]
    nothing = SCHEMAS["cuts/fronts"].empty_table().to_pandas()
    return {
        "criteria": criteria_table(weighed),
        "picked": pd.concat([criteria.picked(ranking) for criteria in weighed], ignore_index=True),
        "fronts": pd.concat([nothing, *fronts], ignore_index=True),
    }
