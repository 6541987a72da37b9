"""Which criterion picks which cut, and what each pick costs in the other criteria.

han2019 picks the cut with the highest α, and leaves others to future work (§5): the cut whose
internal α is nearest to the source scale's own, and the one whose ranking of systems is most like
the experts'.  Here these stand beside what else is used to compare labels
(`regrade.cutsearch.objectives`) and the significant pairs of systems under a cut.  Every criterion
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
from regrade.cutsearch.means import RunningMeans, mean_of_sums
from regrade.cutsearch.objectives import criterion_codes, of_cuts
from regrade.cutsearch.search import SourceTopics
from regrade.cutsearch.system_tau import tau_of_means
from regrade.cutsearch.thresholds import Thresholds

log = logging.getLogger(__name__)

SOURCE_ALPHA = "source_alpha"
SIGNIFICANT_PAIRS = "significant_pairs"
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
        """τ_b with each expert and significant pairs, with a cut for each topic (its places)."""
        topics = [topic for topic in self.gains.topics if topic in cuts]
        values = {f"{TAU}@{expert}": np.nan for expert in self.experts} | {
            SIGNIFICANT_PAIRS: np.nan
        }
        if not topics:
            return values
        own = [self.gains.topics.index(topic) for topic in topics]
        places = np.tile(self.gains.of_cuts.cuts[0], (len(self.gains.topics), 1))
        places[own] = [cuts[topic] for topic in topics]
        scores = self.gains.scores(places)[:, own]
        by_topic = dict(zip(topics, scores.T, strict=True))
        for expert, theirs in self.experts.items():
            values[f"{TAU}@{expert}"] = tau_of_means(by_topic, theirs)[0]
        return values | {SIGNIFICANT_PAIRS: discriminated_share(scores, self.significance)}


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


Worth = Mapping[str, tuple[Best | None, np.ndarray, np.ndarray, np.ndarray]]
"""By criterion its pick, and of all W criteria the pick's values, the best ones of any cut, and the
shares of the cuts that are above the pick's.
"""


class Weighed:
    """Every criterion of every cut beside one reference, and the cuts that each picks.

    Attributes
    ----------
    names
        W criteria, those of the reference first: ``kappa@So4``.
    places : array of int16, shape (C, k - 1)
    over_topics : array of float64, shape (W, C)
        Over the collection; NaN where too few topics define it (``coverage``).
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
        self.places = enumerate_cuts(len(joint.thresholds.values) + 1, joint.counts.shape[2])
        self.names = [f"{name}@{label}" for name in CUT_CRITERIA] + [o.name for o in self.others]
        self._of_topics: dict[str, Worth] = {}
        means = RunningMeans(len(self.names), len(self.places))
        topics = range(len(joint.topics))
        with ThreadPoolExecutor(max_workers=threads) as pool:
            for start in topics[::threads]:  # as many at once as there are threads
                batch = topics[start : start + threads]
                for t, values in zip(batch, pool.map(self.of_topic, batch), strict=True):
                    log.info("criteria with %s: topic %s", label, joint.topics[t])
                    means.add(values)
                    self._of_topics[joint.topics[t]] = self._worth(values)
        self.over_topics = means.under_coverage(coverage)
        for w, other in enumerate(self.others, start=len(CUT_CRITERIA)):
            if other.over_topics is not None:
                self.over_topics[w] = other.over_topics

    def of_topic(self, t: int) -> np.ndarray:
        """The values of a topic; (W, C)."""
        topic = self.joint.topics[t]
        codes = criterion_codes(list(CUT_CRITERIA))
        own = of_cuts(self.places.astype(np.int64), self.joint.below[t], codes)
        nothing = np.full(len(self.places), np.nan)
        return np.vstack([own, *(o.of_topics.get(topic, nothing) for o in self.others)])

    def _worth(self, values: np.ndarray) -> Worth:
        """What the picks by values (W, C) are worth."""
        known = ~np.isnan(values)
        defined = known.sum(axis=1)
        best = np.max(np.where(known, values, -np.inf), axis=1)
        best, worth = np.where(defined > 0, best, np.nan), {}
        for name, row in zip(self.names, values, strict=True):
            if (pick := best_of(self.places, row)) is not None:
                at, higher = values[:, pick.index], np.full(len(values), np.nan)
                pairs = zip(values, at, strict=True)
                above = [np.count_nonzero(other > value + TIED) for other, value in pairs]
                np.divide(above, defined, out=higher, where=~np.isnan(at))
                worth[name] = pick, at, best, higher
        return worth

    def picked(self, ranking: ExpertRankings | None = None) -> pd.DataFrame:
        """What every pick is worth in every criterion; schema ``cuts/picked``."""
        rows = []
        for topic, worth in self._of_topics.items():
            rows += self._rows("per-topic", topic, worth)
        rows += self._rows("per-topic", ALL_TOPICS, self._of_own_picks(ranking))
        rows += self._rows("single", ALL_TOPICS, self._worth(self.over_topics))
        return pd.DataFrame(rows, columns=columns_of("cuts/picked"))

    def _of_own_picks(self, ranking: ExpertRankings | None) -> Worth:
        """Over all topics, each with its own pick."""
        over = {}
        for name in self.names:
            own = {topic: of[name] for topic, of in self._of_topics.items() if name in of}
            if not own:
                continue
            picks, values, bests, _ = zip(*own.values(), strict=True)
            at = _means(np.array(values))
            best = _means(np.where(np.isnan(values), np.nan, bests))
            cuts = {t: self.places[pick.index] for t, pick in zip(own, picks, strict=True)}
            for other, value in (ranking.of_cuts(cuts) if ranking else {}).items():
                if other in self.names:  # no choice of cuts for topics is known to be the best
                    at[self.names.index(other)] = value
                    best[self.names.index(other)] = np.nan
            over[name] = None, at, best, np.full(len(self.names), np.nan)
        return over

    def _rows(self, selection: str, topic: str, worth: Worth) -> Iterator[dict]:
        for picks, (pick, *columns) in worth.items():
            key = {"reference": self.label, "picks": picks, "selection": selection, "topic": topic}
            if pick is not None:
                key |= self._cut(pick) | {"tied": len(pick.tied), "runs": pick.runs}
            for measured, at, best, higher in zip(self.names, *columns, strict=True):
                row = {"measured": measured, "value": at, "best": best, "cost": best - at}
                yield key | row | {"share_higher": higher}

    def _cut(self, pick: Best) -> dict[str, float]:
        cut = self.joint.thresholds.values[self.places[pick.index]]
        return dict(zip(CUT_COLUMNS, map(float, cut), strict=False))

    def front(self, criterion: str, against: str) -> pd.DataFrame:
        """The cuts that none beats in both of two criteria; schema ``cuts/fronts``."""
        first, second = (self.over_topics[self.names.index(name)] for name in (criterion, against))
        rows = []
        for i in pareto(first, second):
            same = (np.abs(first - first[i]) <= TIED) & (np.abs(second - second[i]) <= TIED)
            tied = best_of(self.places, np.where(same, 0.0, np.nan))
            row = {"reference": self.label, "criterion": criterion, "against": against}
            row |= {"value": first[i], "other": second[i], "tied": len(tied.tied)}
            rows.append(row | self._cut(tied))
        return pd.DataFrame(rows, columns=columns_of("cuts/fronts"))


def _means(values: np.ndarray) -> np.ndarray:
    """Means over rows that are not NaN; NaN where none is; (T, W) → (W,)."""
    known = ~np.isnan(values)
    return mean_of_sums(np.where(known, values, 0).sum(axis=0), known.sum(axis=0), 1)


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
    cuts = weighed[0].joint.thresholds.values[weighed[0].places]
    every = dict(zip(CUT_COLUMNS, cuts.T, strict=False))
    for criteria in weighed:
        every |= dict(zip(criteria.names, criteria.over_topics, strict=True))
    return {
        "criteria": pd.DataFrame(every),
        "picked": pd.concat([criteria.picked(ranking) for criteria in weighed], ignore_index=True),
        "fronts": pd.concat([nothing, *fronts], ignore_index=True),
    }
