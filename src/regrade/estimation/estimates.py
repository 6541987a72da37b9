"""What full judging would have said, from some labels, and how far that may be off.

Labels of sums of gains count as in a difference estimator (Särndal, Swensson and Wretman, Model
Assisted Survey Sampling, 1992, §6.3): M̂ = Σ w ŷ + Σ_chosen w (y − ŷ) / π, with ŷ made without the
document's own label, so that M̂ has no bias whatever ŷ is.  Ratios and average precision are the
mean over draws of all grades given the labels, and the same correction of their sums of gains; what
ideal rankings, or all relevant documents, are is left to the draws.  As draws see to that anyway,
corrections of differences between systems count as far as they are more than chance (`kept_part`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import chdtri

from regrade.errors import MethodError
from regrade.estimation.batches import Counting
from regrade.estimation.frame import Frame
from regrade.estimation.functionals import Functional, Guess, sways_of_unlabelled
from regrade.estimation.grades import learn, with_inclusion
from regrade.estimation.posterior import GradePosterior
from regrade.kendall import TOLERANCE
from regrade.randomness import generator
from regrade.sample_means import mean_interval

DRAWS = 100
"""Of all grades, given the labels."""

SURE = 2.0
"""What so many standard deviations of draws do not reach, the model is sure of."""

MOST_SURE = 0.41
"""Standard errors: an interval of 95 % that is off by so much holds in 93 %."""

MOST_ALIKE = 0.5
"""Documents of a topic are not off more alike, by their correlation, whatever few labels say."""

FEWEST = 20
"""Fewer labels say nothing of how far they are off."""


@dataclass(frozen=True, eq=False)
class LabelledSample:
    """What people labelled.

    Attributes
    ----------
    inclusion
        (N,) probability of each document of the frame to be chosen, above 0.
    chosen, levels
        (m,) int64 labelled rows, ascending, and their levels, 0 … L − 1.
    counting
        How much each label counts; by default as in one batch with those probabilities.
    """

    inclusion: np.ndarray
    chosen: np.ndarray
    levels: np.ndarray
    counting: Counting = None

    def __post_init__(self):
        """Count labels as of one batch."""
        if self.counting is None:
            chosen = np.zeros(len(self.inclusion), bool)
            chosen[self.chosen] = True
            object.__setattr__(self, "counting", Counting.once(self.inclusion, chosen))

    def posterior(
        self, frame: Frame, X: np.ndarray, steps: int, draws: int, rng: np.random.Generator
    ) -> GradePosterior:
        """What is known of all grades, learned from these; see `learn` and `GradePosterior`."""
        X = with_inclusion(X, self.inclusion)
        model = learn(X, frame.topic, self.chosen, self.levels, steps, rng)
        return GradePosterior(frame, X, model, self.chosen, self.levels, draws, rng)


@dataclass(frozen=True, eq=False)
class Estimate:
    """One measure's.

    Attributes
    ----------
    by_topic
        (S, T) estimated values; single ones may lie off the measure's scale.
    values
        (S,) of all topics: for sums the means of these.
    covariance
        (S, S) of the errors of the means over topics.
    added
        (m,) the square of what each label adds to the means beside what the model expects of it,
        as often as it counts; the sum over systems.
    sure, sure_of_pairs
        By how many standard errors values, and differences, would move if in one topic no document
        without a label were in the ideal ranking, although the model is sure that some are: root
        mean squares over systems and pairs, of the topic that moves them most.
    scale
        How many times the model's variance of labels is what labels have.
    """

    by_topic: np.ndarray
    values: np.ndarray
    covariance: np.ndarray
    added: np.ndarray = field(default_factory=lambda: np.zeros(0))
    sure: float = 0.0
    sure_of_pairs: float = 0.0
    scale: float = 1.0

    def over_topics(self) -> np.ndarray:
        """(S, 2) intervals of the means over the topics of which these are a sample.

        Topics are chosen, then documents of each: how estimated values of topics differ holds both
        (Särndal, Swensson and Wretman, §4.5).  NaN of fewer topics than `regrade.intervals` says
        of ``mean_over_topics``.
        """
        moved = self.values - self.by_topic.mean(axis=1)
        return np.array([mean_interval(of) for of in self.by_topic]) + moved[:, None]

    @property
    def errors(self) -> np.ndarray:
        """(S,) their standard errors."""
        return np.sqrt(np.diag(self.covariance))

    def pair_errors(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """(…) standard errors of differences of systems."""
        return difference_errors(self.covariance, first, second)


def difference_errors(covariance: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(…) standard errors of differences; 0 where only rounding is left of them."""
    own = np.diag(covariance)
    sums = own[first] + own[second]
    variance = sums - 2 * covariance[first, second]
    return np.sqrt(np.where(variance > TOLERANCE * sums, variance, 0.0))


def estimate(
    frame: Frame,
    X: np.ndarray,
    sample: LabelledSample,
    functionals: Sequence[Functional],
    seed: int = 1,
    draws: int = DRAWS,
) -> list[Estimate]:
    """Estimate what labels of all documents would have said."""
    check_enough(sample, frame)
    rng = generator(seed, "estimate")
    steps = len(functionals[0].gains) - 1
    posterior = sample.posterior(frame, X, steps, draws, rng)
    parts = [_Part(functional, frame, sample, draws) for functional in functionals]
    for t in range(len(frame.topics)):
        guess = posterior.topic(t)
        for part in parts:
            part.add(t, guess)
    return [part.estimate() for part in parts]


def learned_shares(
    frame: Frame, X: np.ndarray, sample: LabelledSample, steps: int, seed: int
) -> np.ndarray:
    """(N, L) what the grades may be, learned from labels; of each document without its own."""
    posterior = sample.posterior(frame, X, steps, 1, generator(seed, "assign", "shares"))
    return np.concatenate([posterior.topic(t).shares for t in range(len(frame.topics))])


def check_enough(sample: LabelledSample, frame: Frame) -> None:
    """Refuse fewer labels than `FEWEST`, unless they are all."""
    if len(sample.chosen) < min(FEWEST, len(frame)):
        raise MethodError(
            f"{len(sample.chosen)} human labels are too few to estimate errors: label at "
            f"least {FEWEST} documents"
        )


class _Part:
    """One measure, topic by topic."""

    def __init__(self, functional: Functional, frame: Frame, sample: LabelledSample, draws: int):
        self.functional, self.frame, self.sample = functional, frame, sample
        S, T = len(frame.systems), len(frame.topics)
        self.expected, self.corrections = np.zeros((S, T)), np.zeros((S, T))
        self.covariance, self.drawn_covariance = np.zeros((S, S)), np.zeros((S, S))
        self.seen = self.awaited = self.missed = self.in_chance = 0.0
        self.shared, self.added = np.zeros((S, S)), []
        self.drawn, self.common = np.zeros((S, draws)), 0.0
        self.sure = self.sure_of_pairs = 0.0

    def add(self, t: int, guess: Guess) -> None:
        """Add a topic."""
        of_topic, labelled = self.functional.of(guess), guess.labelled
        rows, counting = self.frame.rows(t), self.sample.counting
        more = counting.more[rows][labelled]
        self.expected[:, t] = of_topic.expected
        self.corrections[:, t] = of_topic.moved @ more
        self.added.append((of_topic.moved**2).sum(axis=0) * more**2)
        # the variance of corrections; of a sum also of what is not labelled, in the draws else
        part = 1.0 if self.functional.is_sum else 1 - counting.inclusion[rows]
        share = counting.spread[rows] * part
        self.covariance += (of_topic.sway * share[of_topic.counted]) @ of_topic.sway.T
        weights, awaited = (counting.seen[rows] * part)[labelled], np.zeros(len(share))
        awaited[of_topic.counted] = (of_topic.sway**2).sum(axis=0)
        self.seen += (of_topic.moved**2).sum(axis=0) @ weights
        self.awaited += awaited[labelled] @ weights
        if of_topic.drawn is not None:
            gains = self.functional.gains
            errors = more * (gains[guess.levels] - guess.shares[labelled] @ gains)
            self.missed += _products(errors)
            self.in_chance += _products(more * guess.spread(gains)[labelled])
            sways = sways_of_unlabelled(self.functional, guess)
            moved = sways.sum(axis=1)
            self.shared += np.outer(moved, moved) - sways @ sways.T
            off = of_topic.drawn - of_topic.expected[:, None]
            self.drawn_covariance += off @ off.T / (off.shape[1] - 1)
            self.drawn += off
            self.common += off.mean(axis=0).var(ddof=1)
        if of_topic.unseen is not None:
            apart = of_topic.unseen - of_topic.unseen.mean(axis=0)
            self.sure = max(self.sure, (_beyond_draws(of_topic.unseen) ** 2).sum())
            self.sure_of_pairs = max(self.sure_of_pairs, (_beyond_draws(apart) ** 2).sum())

    def estimate(self) -> Estimate:
        """Of all topics."""
        by_topic = self.expected + self.corrections
        # labels say by how much the model's uncertainty is to be scaled
        scale = self.seen / self.awaited if self.awaited > 0 else 1.0
        covariance = self.covariance * scale
        T, corrected = by_topic.shape[1], self.corrections.mean(axis=1)
        expected = self.expected.mean(axis=1)
        if not self.functional.is_sum:
            kept = kept_part(corrected, covariance / T**2)
            corrected = corrected.mean() + kept * (corrected - corrected.mean())
            covariance = kept * covariance + (1 - kept) * covariance.mean()
            # coefficients are off for all topics alike, which moves all systems together
            more = max(0.0, self.drawn.mean(axis=0).var(ddof=1) - self.common)
            means = by_topic.mean(axis=1)
            relative = means / means.mean() if means.mean() > 0 else np.ones(len(means))
            covariance = covariance + self.drawn_covariance + more * np.outer(relative, relative)
            # draws take a topic's documents to be off apart from each other, which labels may deny
            alike = self.missed / self.in_chance if self.in_chance > 0 else 0.0
            covariance += min(max(alike, 0.0), MOST_ALIKE) * self.shared
        single = np.trace(covariance)
        sure = _in_errors(self.sure, single)
        sure_of_pairs = _in_errors(self.sure_of_pairs, single - covariance.sum() / len(covariance))
        values = expected + corrected
        added = np.concatenate([np.zeros(0), *self.added]) / T**2
        return Estimate(by_topic, values, covariance / T**2, added, sure, sure_of_pairs, scale)


def _products(values: np.ndarray) -> float:
    """The sum of the products of each with each other."""
    return float(values.sum() ** 2 - (values**2).sum())


def _beyond_draws(values: np.ndarray) -> np.ndarray:
    """(S,) how far values, (S, B), are off 0 in all draws but the least likely."""
    return np.maximum(np.abs(values.mean(axis=1)) - SURE * values.std(axis=1, ddof=1), 0)


def _in_errors(squares: float, variance: float) -> float:
    """Their root in standard errors, endless if there are none."""
    if squares <= TOLERANCE**2:
        return 0.0
    return float(np.sqrt(squares / variance)) if variance > 0 else np.inf


def kept_part(corrections: np.ndarray, covariance: np.ndarray) -> float:
    """λ, the part that counts of the differences between systems' corrections.

    Corrections are β + ε: by how much the model is off, and chance with covariance V.  Where β
    varies between systems as τ²V does, λ = τ² / (1 + τ²) is best, and errors of differences have
    covariance λV (Fay and Herriot, Journal of the American Statistical Association 74, 1979).  Of
    1 + τ², the variation of corrections over what chance gives them, the upper limit of 95 % is
    taken (Satterthwaite's degrees of freedom): a higher λ is safer, and 1 minds any β.
    """
    centred = covariance - covariance.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    chance, seen = np.trace(centred), ((corrections - corrections.mean()) ** 2).sum()
    if chance <= TOLERANCE**2 or seen == 0:
        return 1.0
    freedom = chance**2 / (centred**2).sum()
    return float(max(0.0, 1 - chdtri(freedom, 0.95) / freedom * chance / seen))
