"""Panels of every size: agreement with people, and the ranking of systems.

A random panel of k judges is one of all panels of k; where these are too many, some are drawn.  A
chosen panel is built by adding judges one by one, each time the one whose addition gives the
highest α, and no topic is evaluated with a panel that its own labels chose: topics are in folds,
and those of a fold are labelled by the panel of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np

from regrade.choices import CONSENSUS_RULES
from regrade.drawn_intervals import around
from regrade.errors import ParameterError, check_choice
from regrade.evaluations.label_agreement import agreement_of_many, drawn_topics
from regrade.kendall import expert_order, tau_b_ordered
from regrade.label_consensus.rules import consensus
from regrade.measures import Measure
from regrade.panels.errors import PanelLabels
from regrade.randomness import generator
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import score

ALPHA, KAPPA, TAU = "alpha", "kappa", "tau"
"""Krippendorff's α, Cohen's κ with people; τ_b of the ranking with that by people."""

CLASSES = ("majority", "dawid-skene", "weighted")
"""Rules that take labels for classes: of a stretched scale the nearest level counts."""

Panel = tuple[int, ...]
"""Places of judges, ascending."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A quantity under one or several panels: of all topics, of draws, without each topic.

    Attributes
    ----------
    value
        The mean over panels.
    drawn
        (B,) the same of bootstrap samples of topics.
    without
        (T,) the same without each topic.
    """

    value: float
    drawn: np.ndarray
    without: np.ndarray

    def less(self, other: Curve) -> Curve:
        """The difference on the same draws."""
        return Curve(
            self.value - other.value, self.drawn - other.drawn, self.without - other.without
        )

    def ends(self, quantity: str) -> np.ndarray:
        """(2,) the ends of the interval."""
        topics = len(self.without)
        if quantity == TAU:
            return around(self.value, self.drawn, topics, "rankings_alike")
        return around(self.value, self.drawn, topics, "agreement", left_out=self.without)

    def chosen_ends(self, quantity: str, parts: int) -> np.ndarray:
        """(2,) the ends of the interval of a difference from what other topics chose, by parts.

        Choices on nearly the same topics move together: the variance is 1 + K / (K − 1) times as
        large with K parts (Nadeau and Bengio, Machine Learning 52, 2003).
        """
        left_out = None if quantity == TAU else self.without
        topics = len(self.without)
        ends = around(self.value, self.drawn, topics, "chosen_panel", left_out=left_out)
        return self.value + (ends - self.value) * np.sqrt(1 + parts / (parts - 1))


@dataclass(frozen=True, eq=False)
class Resampled:
    """How much each topic counts: all of them alike, in each draw, without each topic.

    Attributes
    ----------
    weights
        (1 + B + T, T) float64; (1, 1) of one topic.
    draws
        B.
    """

    weights: np.ndarray
    draws: int

    @classmethod
    def of(cls, topics: Sequence[str], resamples: int, seed: int) -> Resampled:
        """Draw topics anew."""
        n = len(topics)
        draws = drawn_topics(np.array(topics), resamples, seed)
        without = (1 - np.eye(n))[: n if n > 1 else 0]
        return cls(np.vstack([np.ones((1, n)), draws, without]), len(draws))

    @cached_property
    def means(self) -> np.ndarray:
        """The weights of means over topics."""
        return self.weights / self.weights.sum(axis=1, keepdims=True)

    def curve(self, values: np.ndarray) -> Curve:
        """Of a value for each row."""
        return Curve(float(values[0]), values[1 : 1 + self.draws], values[1 + self.draws :])


@dataclass(frozen=True, eq=False)
class Evaluated:
    """One panel's labels beside people's, by topic.

    Attributes
    ----------
    joint
        (T, L, L) people's grade × the panel's level, each label of people counting for the
        documents that it stands for.
    scores
        By measure, (S, T) scores of the systems; none without runs.
    """

    joint: np.ndarray
    scores: tuple[np.ndarray, ...] = ()

    def of_topics(self, topics: np.ndarray) -> Evaluated:
        """Some topics, of which each may come several times."""
        return Evaluated(self.joint[topics], tuple(one[:, topics] for one in self.scores))

    @classmethod
    def of_folds(cls, parts: Sequence[Evaluated], fold: np.ndarray) -> Evaluated:
        """Each topic as its fold's panel has it."""
        topics = np.arange(len(fold))
        joint = np.stack([one.joint for one in parts])[fold, topics]
        measures = zip(*(one.scores for one in parts), strict=True)
        return cls(joint, tuple(np.stack(one)[fold, :, topics].T for one in measures))


@dataclass(frozen=True)
class PanelOptions:
    """How a panel is evaluated.

    Attributes
    ----------
    consensus
        Rule of consensus.
    metric
        Of Krippendorff's α.
    folds, panels, resamples, seed
        Of topics; random panels of one size at most; bootstrap samples of topics.
    kin : mapping of str to sequence of str
        Names of judges that are akin, by the name of their kin.
    candidates
        Names of judges that are not in the panel.
    """

    consensus: str = "mean"
    metric: str = "ordinal"
    folds: int = 5
    panels: int = 50
    resamples: int = 1000
    seed: int = 1
    kin: Mapping[str, Sequence[str]] = field(default_factory=dict)
    candidates: Sequence[str] = ()

    def __post_init__(self):
        """Check the rule of consensus."""
        check_choice("consensus", self.consensus, CONSENSUS_RULES)


@dataclass(frozen=True, eq=False)
class Panels:
    """All that is needed to evaluate panels of some judges.

    Attributes
    ----------
    labels
        Of people and judges.
    ranked
        The runs; ``None``: labels only.
    measures
        That score them.
    how
        How.
    """

    labels: PanelLabels
    ranked: RankedLists | None = None
    measures: tuple[Measure, ...] = ()
    how: PanelOptions = field(default_factory=PanelOptions)
    _known: dict[Panel, Evaluated] = field(default_factory=dict)

    @cached_property
    def candidates(self) -> Panel:
        """The places of candidates, who leave a judge in the panel."""
        judges, names = self.labels.judges, self.how.candidates
        for name in names:
            if name not in judges:
                raise ParameterError(
                    f"candidates: {name!r} is no judge: the judges are {', '.join(judges)}"
                )
        if len({*names}) == len(judges):
            raise ParameterError("candidates: all judges are candidates: leave one in the panel")
        return tuple(map(judges.index, names))

    @property
    def every(self) -> Panel:
        """The judges of the panel, all but the candidates."""
        return tuple(j for j in range(len(self.labels.judges)) if j not in self.candidates)

    @cached_property
    def judged(self) -> Judged | None:
        """The documents' places, as grades, by the codes of the runs."""
        if self.ranked is None:
            return None
        places = self.labels.table(np.arange(len(self.labels.people)))
        return Judged.from_table(places, self.ranked)

    def consensus(self, panel: Panel) -> np.ndarray:
        """(D,) the labels of a panel, on the people's scale."""
        values = self.labels.values[list(panel)]
        how = {}
        if self.how.consensus in CLASSES:
            values = self.levels_of(values)
        if self.how.consensus == "weighted" and len(self.labels.topics) > 1:
            how = {"topic": self.labels.topic, "reference": self.labels.people}
        if len(panel) == 1:
            return values[0]
        return consensus(values, self.how.consensus, **how).label

    def levels_of(self, values: np.ndarray) -> np.ndarray:
        """The nearest levels, of halves the upper ones."""
        return np.clip(np.floor(values + 0.5 + 1e-9), 0, self.labels.levels - 1)

    def of(self, panel: Panel) -> Evaluated:
        """A panel beside people."""
        if panel not in self._known:
            self._known[panel] = self._evaluated(self.consensus(panel))
        return self._known[panel]

    def keep(self, panel: Panel, evaluated: Evaluated) -> None:
        """Take what is known of a panel already."""
        self._known[panel] = evaluated

    def _evaluated(self, label: np.ndarray) -> Evaluated:
        of, levels = self.labels, self.labels.levels
        some = of.labelled
        own, people = self.levels_of(label[some]).astype(np.int64), of.people[some].astype(np.int64)
        cell = (of.topic[some] * levels + people) * levels + own
        shape = len(of.topics), levels, levels
        joint = np.bincount(cell, of.weight[some], np.prod(shape)).reshape(shape)
        return Evaluated(joint, self.scores_of(label))

    def scores_of(self, label: np.ndarray) -> tuple[np.ndarray, ...]:
        """By measure, (S, T) scores under labels of all documents.

        Measures that count from a grade on take the nearest levels.
        """
        if self.ranked is None or self.labels.inclusion is not None:
            return ()
        high, scores = float(self.labels.levels - 1), []
        for measure in self.measures:
            is_real = not measure.why_none_relevant(high, finite=False)
            grades = label if is_real else self.levels_of(label)
            judged = replace(self.judged, grades=grades[self.judged.grades.astype(np.int64)])
            scores.append(score(self.ranked, judged, [measure], max_grade=high).values[:, :, 0])
        return tuple(scores)

    @cached_property
    def people_scores(self) -> tuple[np.ndarray, ...]:
        """By measure, (S, T) scores under people's labels."""
        return self.scores_of(self.labels.people)

    @cached_property
    def control_scores(self) -> tuple[np.ndarray, ...]:
        """By measure, (S, T) mean scores under the labels of further people; NaN where none."""
        labels = self.labels
        known = ~np.isnan(labels.controls)
        scores = [self.scores_of(np.where(some, own, labels.people))
                  for some, own in zip(known, labels.controls, strict=True)]  # fmt: skip
        if not scores or not scores[0]:
            return ()
        place = [labels.topics.index(topic) for topic in self.judged.topics]
        first = np.searchsorted(labels.topic, place)  # a person has all of a topic, or none
        of = known[:, None, first]
        count = np.where(of.any(axis=0), of.sum(axis=0), np.nan)
        return tuple(
            np.where(of, np.stack(m), 0).sum(axis=0) / count for m in zip(*scores, strict=True)
        )

    # quantities of panels ----------------------------------------------------------------------

    @cached_property
    def resampled(self) -> Resampled:
        """The topics of the labels."""
        return Resampled.of(self.labels.topics, self.how.resamples, self.how.seed)

    @cached_property
    def scored(self) -> Resampled:
        """The topics that runs have too."""
        return Resampled.of(self.judged.topics, self.how.resamples, self.how.seed)

    def agreement(self, panels: Sequence[Evaluated]) -> dict[str, Curve]:
        """α and κ, the mean over panels."""
        weights, levels = self.resampled.weights, np.arange(float(self.labels.levels))
        total = np.zeros((len(weights), 2))
        for panel in panels:
            joints = np.tensordot(weights, panel.joint, axes=1)
            total += agreement_of_many(joints, levels, self.how.metric)[:, :2]
        means = (total / len(panels)).T
        return {n: self.resampled.curve(m) for n, m in zip((ALPHA, KAPPA), means, strict=True)}

    def tau(self, panels: Sequence[Evaluated], m: int) -> Curve:
        """τ_b of the ranking of systems with people's by one measure, the mean over panels."""
        order, below = self._people_orders[m]
        weights = self.scored.means
        total = np.zeros(len(weights))
        for panel in panels:
            own = np.take_along_axis(weights @ panel.scores[m].T, order, axis=1)
            total += [tau_b_ordered(own[b], below[b], -1.0) for b in range(len(own))]
        return self.scored.curve(total / len(panels))

    @cached_property
    def _people_orders(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """By measure, what `regrade.kendall.expert_order` gives of each row of weights."""
        means = self.scored.means
        orders = (zip(*map(expert_order, means @ s.T), strict=True) for s in self.people_scores)
        return [(np.array(order), np.array(below)) for order, below in orders]

    def quantities(self, panels: Sequence[Evaluated]) -> dict[tuple[str, str], Curve]:
        """By quantity and measure (empty for agreement), the mean over panels."""
        curves = {(name, ""): one for name, one in self.agreement(panels).items()}
        if panels[0].scores and len(self.people_scores[0]) > 1:
            for m, measure in enumerate(self.measures):
                curves[TAU, str(measure)] = self.tau(panels, m)
        return curves

    # random and chosen panels ------------------------------------------------------------------

    def random(self, size: int) -> tuple[list[Panel], bool]:
        """Panels of a size, and whether these are all of that size."""
        judges = len(self.every)
        if comb(judges, size) <= max(self.how.panels, judges):
            return list(combinations(self.every, size)), True
        rng = generator(self.how.seed, "panels of judges", str(judges), str(size))
        drawn: dict[Panel, None] = {}
        while len(drawn) < self.how.panels:
            drawn[tuple(sorted(map(int, rng.choice(self.every, size, replace=False))))] = None
        return list(drawn), False

    @cached_property
    def fold(self) -> np.ndarray:
        """(T,) the fold of each topic; 0 folds of one topic."""
        topics = len(self.labels.topics)
        order = generator(self.how.seed, "folds of topics for panels").permutation(topics)
        fold = np.empty(topics, dtype=np.int64)
        fold[order] = np.arange(topics) % min(self.how.folds, topics)
        return fold

    def alpha_on(self, panel: Panel, topics: np.ndarray) -> float:
        """α of a panel on some topics; −∞ where it is undefined."""
        joint = self.of(panel).joint[topics].sum(axis=0)
        levels = np.arange(float(self.labels.levels))
        alpha = agreement_of_many(joint[None], levels, self.how.metric)[0, 0]
        return -np.inf if np.isnan(alpha) else float(alpha)

    def path(self, topics: np.ndarray) -> list[Panel]:
        """The chosen panels of 1 to J judges, by the labels of some topics."""
        panel: Panel = ()
        path = []
        while len(panel) < len(self.every):
            further = [tuple(sorted((*panel, j))) for j in self.every if j not in panel]
            panel = max(further, key=lambda one: self.alpha_on(one, topics))
            path.append(panel)
        return path

    @cached_property
    def paths(self) -> list[list[Panel]]:
        """The path of each fold, by the topics of the others; none of one topic."""
        if len(self.labels.topics) < 2:
            return []
        return [self.path(self.fold != f) for f in range(self.fold.max() + 1)]

    @cached_property
    def whole_path(self) -> list[Panel]:
        """The path by all topics."""
        return self.path(np.ones(len(self.labels.topics), dtype=bool))

    def held_out(self, choose: Callable[[int], Panel]) -> Evaluated:
        """Each topic under the panel that is chosen for its fold."""
        return Evaluated.of_folds([self.of(choose(f)) for f in range(self.fold.max() + 1)],
                                  self.fold)  # fmt: skip

    def best_of(self, panels: Sequence[Panel], fold: int | None) -> Panel:
        """The panel of highest α on the topics of the other folds, or on all topics."""
        topics = np.ones(len(self.fold), bool) if fold is None else self.fold != fold
        return max(panels, key=lambda one: self.alpha_on(one, topics))


def additions(path: Sequence[Panel]) -> list[int]:
    """The judge that each panel of a path adds."""
    return [
        next(iter(set(panel) - set(before)))
        for panel, before in zip(path, [(), *path[:-1]], strict=True)
    ]
