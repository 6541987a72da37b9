"""Systems under two sets of labels: how alike their rankings are, and who moves.

Scores of systems are means over the topics that both sets judged.  Intervals of correlations come
from topics drawn anew, and all see the same draws; those of gains from leaving out each topic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.correlations import competition_ranks, rbo_ext, tau_ap, tau_b
from regrade.cutsearch.means import mean_where_defined
from regrade.drawn_intervals import around, by_leaving_out
from regrade.evaluations.label_agreement import drawn_topics, values_of_draws, with_intervals
from regrade.evaluations.top_systems import overlap_ends, top_k
from regrade.kendall import TOLERANCE
from regrade.percentiles import interval
from regrade.randomness import generator
from regrade.sample_means import mean_interval
from regrade.scoring import Scores

CORRELATIONS = ("tau", "tau_ap", "rbo")
"""τ_b, τ_ap with the first ranking as the true one, extrapolated RBO."""

HALVES = ("first", "second", "between")
"""Halves of the topics: both under the first set, both under the second, one under each."""

BESIDE_RELIABLE = ("expected", "excess")
"""Of τ_b: what ``between`` would be, were both rankings of one order; and how much less it is."""


@dataclass(frozen=True, eq=False)
class ScoredPair:
    """Scores of the same systems on the same topics by the same measures, under two sets.

    Attributes
    ----------
    first, second
        Under each set.
    persistence
        φ of RBO.
    resamples, splits, seed
        Of topics: how often they are drawn anew, and put into halves.
    """

    first: Scores
    second: Scores
    persistence: float
    resamples: int
    splits: int
    seed: int

    @property
    def measures(self) -> list[str]:
        """As they are written."""
        return [str(measure) for measure in self.first.measures]

    def _of(self, m: int) -> tuple[np.ndarray, np.ndarray]:
        """(S, T) scores by one measure under each set."""
        return self.first.values[:, :, m], self.second.values[:, :, m]

    def correlations(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """τ_b, τ_ap and RBO of two rankings, (3,); NaN of one system, where nothing is ranked."""
        if len(first) < 2:
            return np.full(len(CORRELATIONS), np.nan)
        rbo = rbo_ext(first, second, self.persistence)
        return np.array([tau_b(first, second), tau_ap(first, second), rbo])

    def rankings(self, tops: Sequence[int]) -> pd.DataFrame:
        """How alike the rankings are (table ``compare/rankings``)."""
        names = [*CORRELATIONS, *(f"top@{k}" for k in tops)]
        drawn = drawn_topics(np.array(self.first.topics), self.resamples, self.seed)
        parts = []
        for m, measure in enumerate(self.measures):
            first, second = self._of(m)

            def statistic(times: np.ndarray, first=first, second=second) -> np.ndarray:
                a, b = (_mean(scores, times) for scores in (first, second))
                before, after = competition_ranks(a), competition_ranks(b)
                shared = [((before <= k) & (after <= k)).sum() for k in tops]
                either = [(before <= k).sum() + (after <= k).sum() for k in tops]
                return np.append(self.correlations(a, b), np.divide(shared, either) * 2)

            values, topics = statistic(np.ones(first.shape[1])), first.shape[1]
            resampled = values_of_draws(drawn, statistic, len(names))
            least = np.array([-1.0 if q in CORRELATIONS[:2] else 0.0 for q in names])
            ends = ranking_ends(values, resampled, topics, least)
            of = slice(len(CORRELATIONS), None)
            means = first.mean(axis=1), second.mean(axis=1)
            ends[:, :, of] = overlap_ends(*means, tops, values[of], resampled[:, of], topics)
            part = with_intervals(names, values, resampled, ends[0])
            part["new_low"], part["new_high"] = ends[1]
            parts.append(part.assign(measure=measure))
        columns = [c for c in columns_of("compare/rankings") if not c.startswith("ties_")]
        return pd.concat(parts, ignore_index=True)[columns]

    def systems(self, groups: Mapping[str, str] | None = None) -> pd.DataFrame:
        """Every system under both sets (table ``compare/systems``), as the first ranks them."""
        parts = []
        for m, measure in enumerate(self.measures):
            first, second = (scores.mean(axis=1) for scores in self._of(m))
            gain = _standard(second) - _standard(first)
            low, high = by_leaving_out(gain, self._gains_without(m), "standardised_gain")
            ranks = competition_ranks(first), competition_ranks(second)
            by_topic = np.subtract(*self._of(m)[::-1])
            ends = np.array([mean_interval(of_system) for of_system in by_topic])
            part = pd.DataFrame(
                {
                    "measure": measure,
                    "system": self.first.systems,
                    "group": [(groups or {}).get(s, "") for s in self.first.systems],
                    "first": first,
                    "second": second,
                    "difference": second - first,
                    "low": ends[:, 0],
                    "high": ends[:, 1],
                    "first_rank": ranks[0],
                    "second_rank": ranks[1],
                    "move": ranks[0] - ranks[1],
                    "gain": gain,
                    "gain_low": low,
                    "gain_high": high,
                }
            )
            parts.append(part.sort_values(["first_rank", "system"]))
        return pd.concat(parts, ignore_index=True)

    def groups(self, groups: Mapping[str, str]) -> pd.DataFrame:
        """Whether systems of one family gain (table ``compare/groups``)."""
        names = np.array([groups.get(system, "") for system in self.first.systems], dtype=object)
        rows = []
        for m, measure in enumerate(self.measures):
            first, second = (scores.mean(axis=1) for scores in self._of(m))
            gain, without = _standard(second) - _standard(first), self._gains_without(m)
            move = competition_ranks(first) - competition_ranks(second)
            for group in sorted(set(names) - {""}):
                its = names == group
                mean, means = gain[its].mean(), without[:, its].mean(axis=1)
                ends = by_leaving_out(mean, means, "standardised_gain")
                rows.append((measure, group, int(its.sum()), mean, *ends, move[its].mean()))
        columns = columns_of("compare/groups")
        return pd.DataFrame(rows, columns=columns)

    def topics(self) -> pd.DataFrame:
        """On which topics systems come out differently (table ``compare/topics``)."""
        rows = [
            {"measure": measure} | row
            for m, measure in enumerate(self.measures)
            for row in by_topic(self.first.topics, *self._of(m))
        ]
        return pd.DataFrame(rows, columns=columns_of("compare/topics"))

    def top_k(self, tops: Sequence[int]) -> pd.DataFrame:
        """What the first k systems under both sets share (table ``compare/top_k``)."""
        topics = len(self.first.topics)
        drawn = drawn_topics(np.array(self.first.topics), self.resamples, self.seed)
        weights = np.vstack([np.ones((1, topics)), drawn]) / topics
        rows = [
            {"measure": measure} | row
            for m, measure in enumerate(self.measures)
            for row in top_k(*(weights @ scores.T for scores in self._of(m)), tops, topics)
        ]
        return pd.DataFrame(rows, columns=columns_of("compare/top_k"))

    def reliability(self) -> pd.DataFrame:
        """How alike rankings on two halves of the topics are (table ``compare/reliability``).

        Topics are put into two halves at random; of an odd number one is left out.  Rankings of
        which one is hardly reliable are hardly alike, whatever they are of: so what the sets add
        to the topics' disagreement is seen beside what so reliable ones would have in common.
        """
        half, splits = len(self.first.topics) // 2, self._splits()
        names = [(q, of) for of in HALVES for q in CORRELATIONS]
        names += [("tau", of) for of in BESIDE_RELIABLE]
        rows = []
        for m, measure in enumerate(self.measures):
            values_of_splits = []
            for a, b in splits:
                first, second = (
                    [of[:, half].mean(axis=1) for half in (a, b)] for of in self._of(m)
                )
                within = self.correlations(*first), self.correlations(*second)
                ways = [self.correlations(first[i], second[1 - i]) for i in (0, 1)]
                between = (ways[0] + ways[1]) / 2
                expected = attenuated(within[0][0], within[1][0])
                beside = expected, expected - between[0]
                values_of_splits.append(np.concatenate([*within, between, beside]))
            values_of_splits = np.array(values_of_splits).reshape(len(splits), len(names))
            low, high = interval(values_of_splits)
            for place, (quantity, of) in enumerate(names):
                values = values_of_splits[:, place]
                mean, defined = mean_where_defined(values), (~np.isnan(values)).sum()
                row = (measure, quantity, of, mean, low[place], high[place])
                rows.append((*row, defined, len(splits), half))
        return pd.DataFrame(rows, columns=columns_of("compare/reliability"))

    def _splits(self) -> list[tuple[np.ndarray, np.ndarray]]:
        n = len(self.first.topics)
        if n < 2:
            return []
        rng = generator(self.seed, "halves of topics", *self.first.topics)
        orders = (rng.permutation(n) for _ in range(self.splits))
        return [(order[: n // 2], order[n // 2 : n // 2 * 2]) for order in orders]

    def _gains_without(self, m: int) -> np.ndarray:
        """(T, S) gains without each topic in turn; none of fewer than two."""
        first, second = self._of(m)
        n = first.shape[1]
        rows = [
            _standard(_mean(second, times)) - _standard(_mean(first, times))
            for times in (1.0 - np.eye(n) if n > 1 else [])
        ]
        return np.array(rows).reshape(len(rows), len(first))


def by_topic(
    topics: Sequence[str], first: np.ndarray, second: np.ndarray
) -> Iterator[dict[str, object]]:
    """How alike two (S, T) scores are on each topic: τ_b over systems, and their means."""
    for topic, a, b in zip(topics, first.T.copy(), second.T.copy(), strict=True):
        means = a.mean(), b.mean()
        yield {
            "topic": topic,
            "tau": tau_b(a, b),
            "first": means[0],
            "second": means[1],
            "difference": means[1] - means[0],
        }


def attenuated(first: float, second: float) -> float:
    """τ_b of two rankings of one order that are as reliable as these.

    Spearman's (1904) attenuation: if numbers of two kinds measure the same, their correlation is
    the root of the product of their reliabilities.  It is of Pearson's r, which is sin(π τ / 2) of
    normal ones (Greiner 1909).
    """
    reliable = np.sin(np.pi / 2 * np.maximum([first, second], 0))
    return float(2 / np.pi * np.arcsin(np.sqrt(reliable.prod())))


def ranking_ends(
    values: np.ndarray, drawn: np.ndarray, topics: int, least: np.ndarray | float = -1.0
) -> np.ndarray:
    """Two intervals of how alike rankings are: on average, and on new topics; (2, 2, Q)."""
    names = ("rankings_alike", "rankings_of_new_topics")
    ends = [around(values, drawn, topics, name, new=name != names[0]) for name in names]
    return np.clip(np.stack(ends), least, 1.0)


def top_table(systems: pd.DataFrame, tops: Sequence[int]) -> pd.DataFrame:
    """Which top systems change (table ``compare/top``)."""
    parts = []
    for _, of in systems.groupby("measure", sort=False):
        for k in tops:
            before, after = of["first_rank"] <= k, of["second_rank"] <= k
            change = np.select([before & after, before], ["stays", "leaves"], "enters")
            parts.append(of.assign(k=k, change=change)[before | after])
    table = pd.concat(parts, ignore_index=True)
    return table[columns_of("compare/top")]


def _mean(scores: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Mean of (S, T) scores over topics that count so many times."""
    return scores @ times / times.sum()


def _standard(scores: np.ndarray) -> np.ndarray:
    """Standard scores among the systems; NaN where all tie."""
    spread = scores.std()
    if spread <= TOLERANCE:
        return np.full(len(scores), np.nan)
    return (scores - scores.mean()) / spread
