"""Cuts for data without a reference: from a topic's values alone, or with what others taught.

A rule sees the values that a topic's documents or judgments have, and never its labels:

``equal_widths``, ``middle``, a user's own
    The same cut for every topic (`regrade.trust.named_cuts`).
``single``
    The best cut of the topics it learns from.
``quantiles``
    The thresholds that give the topic's values the shares of levels which the labels of the
    topics that it learns from have, in the mean.
``jenks``
    Natural breaks: the levels within which the values vary least (jenkspy).  With two levels this
    is Otsu's threshold, since what varies least within varies most between.
``mixture``
    A mixture of as many Gaussians as levels (scikit-learn); thresholds are where, between two
    neighbouring means, the upper one becomes the more probable.
``learnt``
    Ridge regression (scikit-learn) of the best cut on how a topic's values are distributed.
``oracle``
    The topic's own best cut, for comparison: it sees the labels.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import pandas as pd

from regrade.aggregation import aggregates
from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.cutsearch.best import best_index
from regrade.cutsearch.data import TopicJudgments
from regrade.cutsearch.means import mean_under_coverage
from regrade.errors import ParameterError
from regrade.extras import need
from regrade.scales import MAX_LEVELS
from regrade.trust.bootstrap import SINGLE, RepeatedSearch
from regrade.trust.gains import gains_over
from regrade.trust.named_cuts import moved_apart, place_of

ORACLE, QUANTILES, JENKS, MIXTURE, LEARNT = "oracle", "quantiles", "jenks", "mixture", "learnt"
OWN_TOPICS = "own topics"
"""What a rule learnt on where it was the collection's other topics."""

QUANTILE_FEATURES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
PENALTIES = tuple(10.0**power for power in range(-2, 5))
"""Of the ridge regression, chosen by leave-one-out among the topics that it learns from."""


def topic_values(search: RepeatedSearch, topic: TopicJudgments) -> np.ndarray:
    """The values that a search cuts, ascending: documents' aggregates for d2_at, else judgments."""
    plan = search.plan
    if plan.method.name == "d2_at":
        values = aggregates(topic.histograms, topic.values, plan.source_how)
        return np.sort(values[~np.isnan(values)])
    return np.repeat(topic.values, topic.histograms.sum(axis=0))


def natural_breaks(values: np.ndarray, levels: int) -> np.ndarray | None:
    """The highest value of each level but the last; ``None`` with fewer distinct values."""
    need("jenkspy", "natural breaks")
    from jenkspy import jenks_breaks  # not needed for the other rules

    distinct = np.unique(values)
    if len(distinct) < levels:
        return None
    if len(distinct) == levels:
        return distinct[:-1]
    return np.array(jenks_breaks(values.tolist(), n_classes=levels)[1:-1])


def mixture_breaks(values: np.ndarray, levels: int, seed: int = 1) -> np.ndarray | None:
    """Where, between neighbouring means of a mixture, the upper component becomes more probable."""
    need("sklearn", "a mixture")
    from sklearn.mixture import GaussianMixture  # takes a second to import

    if len(np.unique(values)) < levels:
        return None
    spread = float(np.ptp(values))
    fit = GaussianMixture(levels, random_state=seed, n_init=3, reg_covar=1e-6 * spread**2)
    fit.fit(values[:, None])
    order = np.argsort(fit.means_[:, 0], kind="stable")
    breaks = []
    for lower, upper in pairwise(order):
        between = np.linspace(fit.means_[lower, 0], fit.means_[upper, 0], 1001)
        share = fit.predict_proba(between[:, None])
        above = share[:, upper] > share[:, lower]
        breaks.append(between[np.argmax(above) - 1 if above.any() and above.argmax() else 0])
    return np.maximum.accumulate(breaks)


def quantile_breaks(values: np.ndarray, below: np.ndarray) -> np.ndarray:
    """The values up to which a share `below` of the values reaches, as nearly as can be."""
    distinct, last = np.unique(values[::-1], return_index=True)
    upto = (len(values) - last) / len(values)  # the share of values not above each
    nearest = np.abs(upto[:, None] - below).argmin(axis=0)
    return distinct[nearest]


def features(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """How a topic's values are distributed, on 0 … 1 of the scale: quantiles, moments, ends."""
    scaled = (values - low) / ((high - low) or 1.0)
    spread = scaled.std()
    skew = ((scaled - scaled.mean()) ** 3).mean() / spread**3 if spread > 0 else 0.0
    ends = [(values <= low).mean(), (values >= high).mean()]
    return np.array([*np.quantile(scaled, QUANTILE_FEATURES), scaled.mean(), spread, skew, *ends])


@dataclass(frozen=True)
class TrainingTopics:
    """What topics with labels teach: each one's values, best cut, and shares of levels.

    Attributes
    ----------
    search
        The search that they are of.
    """

    search: RepeatedSearch

    @cached_property
    def values(self) -> list[np.ndarray]:
        """Each topic's values."""
        return [topic_values(self.search, topic) for topic in self.search.plan.topics]

    @cached_property
    def best(self) -> np.ndarray:
        """Each topic's best cut, as thresholds (T, levels - 1); NaN where there is none."""
        own = self.search.own[:, None]
        return np.where(own >= 0, self.search.plan.cuts[np.maximum(own[:, 0], 0)], np.nan)

    @cached_property
    def shares(self) -> np.ndarray:
        """Cumulated shares of levels in each topic's labels, (T, levels - 1); NaN without any."""
        levels = self.search.plan.levels
        shares = np.full((len(self.search.names), levels - 1), np.nan)
        for t, name in enumerate(self.search.names):
            labels = self.search.plan.labels.get(name, np.empty(0, dtype=np.int64))
            # a search counts levels so that the highest is that of the largest target scale
            lowest = MAX_LEVELS - levels
            counts = np.bincount(labels[labels >= 0] - lowest, minlength=levels)
            if len(counts) and counts.sum():
                shares[t] = np.cumsum(counts / counts.sum())[: levels - 1]
        return shares

    def single(self, keep: np.ndarray) -> np.ndarray | None:
        """The best cut for all of some topics, as thresholds; ``None`` where there is none."""
        means = mean_under_coverage(self.search.criteria[:, keep], self.search.coverage)
        best = best_index(self.search.places, means)
        return None if best < 0 else self.search.plan.cuts[best]

    def learnt(
        self, keep: np.ndarray, values: np.ndarray, ends: tuple[float, float]
    ) -> np.ndarray | None:
        """The cut that ridge regression on some topics foretells of values; ``None`` with few."""
        need("sklearn", "a learnt cut")
        from sklearn.linear_model import RidgeCV  # takes a second to import
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        keep = keep & ~np.isnan(self.best).any(axis=1)
        if keep.sum() < 3:
            return None
        known = np.array([features(self.values[t], *ends) for t in np.flatnonzero(keep)])
        fit = make_pipeline(StandardScaler(), RidgeCV(PENALTIES)).fit(known, self.best[keep])
        return np.sort(fit.predict(features(values, *ends)[None]).reshape(-1))


def unlabelled_table(
    search: RepeatedSearch,
    reference: str | None,
    others: Mapping[str, RepeatedSearch] | None = None,
    seed: int = 1,
) -> pd.DataFrame:
    """Cuts that rules choose for topics whose labels they do not see, judged by these labels."""
    plan, others = search.plan, others or {}
    key = {"method": plan.method.name, "reference": reference}
    columns = columns_of("cuts/unlabelled")
    if not plan.method.needs_reference:
        raise ParameterError(f"{plan.method.name}: a rule is evaluated by a reference, name one")
    if plan.reason:
        row = key | {"rule": ORACLE, "topic": ALL_TOPICS, "n_topics": 0, "note": plan.reason}
        return pd.DataFrame([row], columns=columns)
    for name, other in others.items():
        if other.plan.levels != plan.levels:
            raise ParameterError(f"{name}: has another number of levels")
    training = {OWN_TOPICS: search, **others}
    training = {name: TrainingTopics(taught) for name, taught in training.items()}
    rows = []
    for t, topic in enumerate(search.names):
        for (rule, trained), cut in _chosen_for(search, training, t, seed).items():
            row = {"rule": rule, "trained": trained, "topic": topic}
            rows.append(key | row | _judged(search, search.criteria[:, t], cut))
    frame = pd.DataFrame(rows, columns=columns)
    return pd.concat([frame, _means(frame, key, search)], ignore_index=True)[columns]


def _chosen_for(
    search: RepeatedSearch, training: Mapping[str, TrainingTopics], t: int, seed: int
) -> dict[tuple[str, str | None], np.ndarray | None]:
    """Every rule's cut for topic t, as thresholds, by rule and what it learnt on."""
    own, levels = training[OWN_TOPICS], search.plan.levels
    values, best, thresholds = own.values[t], own.best[t], search.plan.thresholds.values
    ends = float(thresholds[0]), float(values.max(initial=thresholds[-1]))
    cuts = {(name, None): thresholds[places] for name, places in search.named.items()}
    if len(values):
        cuts[JENKS, None] = natural_breaks(values, levels)
        cuts[MIXTURE, None] = mixture_breaks(values, levels, seed)
        for name, taught in training.items():
            keep = np.array([other != search.names[t] for other in taught.search.names])
            shares = taught.shares[keep]
            shares = shares[~np.isnan(shares).any(axis=1)]
            cuts[SINGLE, name] = taught.single(keep) if keep.any() else None
            cuts[QUANTILES, name] = None
            if len(shares):
                cuts[QUANTILES, name] = quantile_breaks(values, shares.mean(axis=0))
            cuts[LEARNT, name] = taught.learnt(keep, values, ends)
    cuts[ORACLE, None] = None if np.isnan(best).any() else best
    return cuts


def _judged(search: RepeatedSearch, criterion: np.ndarray, cut: np.ndarray | None) -> dict:
    """A cut put on the scale, its α for the topic, and what the best cut has beyond it."""
    if cut is None:
        return {"n_topics": 0, "note": "no cut"}
    thresholds = search.plan.thresholds
    places = moved_apart(place_of(thresholds, cut), len(thresholds.values))
    (index,) = search.index_of([places])
    alpha = criterion[index]
    highest = np.nanmax(criterion) if (~np.isnan(criterion)).any() else np.nan
    row = search.thresholds(index)
    row |= {"alpha": alpha, "regret": highest - alpha, "n_topics": int(not np.isnan(alpha))}
    return row | ({"note": "α does not count at that cut"} if np.isnan(alpha) else {})


def _means(frame: pd.DataFrame, key: dict, search: RepeatedSearch) -> pd.DataFrame:
    """Means over topics of each rule, and its difference to the single cut of the others."""
    trained = frame["trained"].astype(object).where(frame["trained"].notna(), "")
    wide = frame.assign(trained=trained).pivot_table(
        index="topic", columns=["rule", "trained"], values="alpha", dropna=False
    )
    regret = frame.assign(trained=trained).groupby(["rule", "trained"])["regret"].mean()
    single = wide.get((SINGLE, OWN_TOPICS))
    untaught = {of: wide[of].reindex(search.names) for of in wide if not of[1]}
    ends = rule_ends(search.places, search.criteria, search.coverage, untaught)
    rows = []
    for rule, name in dict.fromkeys(zip(frame["rule"], trained, strict=True)):
        alpha = wide[(rule, name)] if (rule, name) in wide else pd.Series(dtype=float)
        row = key | {"rule": rule, "trained": name or None, "topic": ALL_TOPICS}
        row |= {"alpha": alpha.mean(), "regret": regret.get((rule, name), np.nan)}
        row["n_topics"] = int(alpha.notna().sum())
        if single is not None and (rule, name) != (SINGLE, OWN_TOPICS):
            row["difference"] = (alpha - single).mean()
            row["low"], row["high"] = ends.get((rule, name), (np.nan, np.nan))
        rows.append(row)
    return pd.DataFrame(rows)


def rule_ends(
    places: np.ndarray,
    criterion: np.ndarray,
    coverage: float,
    untaught: Mapping[Hashable, np.ndarray],
) -> dict[Hashable, tuple[float, float]]:
    """Intervals of what rules have beyond the one cut that all topics choose."""
    fixed = {name: np.asarray(values, dtype=float) for name, values in untaught.items()}
    gains = gains_over(places, criterion, coverage, fixed)
    return {name: (-row["high"], -row["low"]) for name, row in gains.items()}
