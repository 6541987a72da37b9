"""How much of the variance of scores is the systems': generalizability theory.

Scores of all systems on all topics (and by all judges) are a mean, an effect of each facet, and of
each combination of facets; all are random, each with a variance σ².  The estimates are those of
expected mean squares (Brennan 2001, §3.4 and appendix B): of a set α of facets

    σ²(α) = Σ_{β ⊇ α} (−1)^{|β| − |α|} MS(β) / Π_{f ∉ α} n_f

which for scores without gaps are those of restricted maximum likelihood, as long as none is below
0.  With n topics (and n' judges) for every facet but systems,

    Eρ² = σ²(s) / (σ²(s) + Σ_{s ∈ α} σ²(α) / n_α)     relative: are they ranked alike?
    Φ   = σ²(s) / (σ²(s) + Σ_α σ²(α) / n_α)           absolute: do they score alike?

with variances below 0 taken for 0.  Intervals take the topics for a sample and the systems as they
are; what the theory gives for normal effects of systems that are a sample too, by F
distributions, covers 84 to 100 % (docs/methods/ranking.md).

References
----------
Brennan, Generalizability Theory, 2001; Bodoff and Li, Test theory for assessing IR test
collections, SIGIR 2007; Urbano, Marrero and Martín, On the measurement of test collection
reliability, SIGIR 2013.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import prod

import numpy as np

from regrade.intervals import INTERVALS
from regrade.sample_means import skewed_ends, skewness

SYSTEMS = frozenset("s")

Facets = frozenset[str]


def components(scores: np.ndarray, facets: str = "st") -> dict[Facets, float]:
    """The variance of each set of facets."""
    every = [frozenset(some) for r in range(1, len(facets) + 1) for some in combinations(facets, r)]
    levels = dict(zip(facets, scores.shape, strict=True))
    squares = {some: _mean_square(scores, facets, some) for some in every}
    return {
        some: sum((-1) ** (len(more) - len(some)) * squares[more] for more in every if some <= more)
        / prod(n for facet, n in levels.items() if facet not in some)
        for some in every
    }


def _mean_square(scores: np.ndarray, facets: str, some: Facets) -> float:
    """Of the effects of a set of facets."""
    others = tuple(axis for axis, facet in enumerate(facets) if facet not in some)
    effect = scores.mean(axis=others, keepdims=True)
    for axis, facet in enumerate(facets):
        if facet in some:
            effect = effect - effect.mean(axis=axis, keepdims=True)
    own = [n for n, facet in zip(scores.shape, facets, strict=True) if facet in some]
    return scores.size / prod(own) * float((effect**2).sum()) / prod(n - 1 for n in own)


def without_each(scores: np.ndarray) -> dict[Facets, np.ndarray]:
    """(T,) the `components` of (S, T) scores without each topic; of at least three topics."""
    systems, n = scores.shape
    of_topic = scores.mean(axis=0)
    residual = scores - of_topic
    of_system = residual.mean(axis=1)
    residual -= of_system[:, None]
    off = (of_topic - of_topic.mean()) ** 2
    squares = np.einsum("st,st->t", residual, residual)
    left = (squares.sum() - n / (n - 1) * squares) / (systems - 1) / (n - 2)
    between = systems * (off.sum() - n / (n - 1) * off) / (n - 2)
    # a system's mean without topic t is its mean less residual / (n − 1)
    among = (of_system**2).sum() - 2 / (n - 1) * (of_system @ residual) + squares / (n - 1) ** 2
    among *= (n - 1) / (systems - 1)
    return {
        frozenset("s"): (among - left) / (n - 1),
        frozenset("t"): (between - left) / systems,
        frozenset("st"): left,
    }


def coefficients(variances: Mapping[Facets, float], numbers: Mapping[str, int]) -> np.ndarray:
    """Eρ² and Φ."""
    signal, relative, absolute = _parts(
        {some: max(0.0, value) for some, value in variances.items()}, numbers
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.float64(signal) / (signal + np.array([relative, absolute]))


def _parts(variances: Mapping, numbers: Mapping[str, int]) -> tuple[float, float, float]:
    """Variance of the systems, and of the error of their relative and absolute scores."""
    error = {
        some: value / prod(numbers[facet] for facet in some - SYSTEMS)
        for some, value in variances.items()
        if some != SYSTEMS
    }
    relative = sum(value for some, value in error.items() if some >= SYSTEMS)
    return variances[SYSTEMS], relative, sum(error.values())


class Reliability:
    """Variances and coefficients of systems on topics, with intervals over topics.

    Parameters
    ----------
    scores
        (S, T) float64, of two systems and two topics at least.
    """

    def __init__(self, scores: np.ndarray):
        self.topics = scores.shape[1]
        self.variances = components(scores)
        self._without: dict[Facets, np.ndarray] = {}
        if self.topics >= INTERVALS["reliability"].fewest:
            self._without = without_each(scores)

    def variance(self, some: Facets) -> np.ndarray:
        """(3,) a variance, and the ends of its interval; NaN where none is given."""
        value = self.variances[some]
        if self.topics < INTERVALS["variance_component"].fewest:
            return np.array([value, np.nan, np.nan])
        low, high = jackknifed_ends(np.array([value]), self._without[some][:, None])
        return np.array([value, np.exp(low[0]), np.exp(high[0])])

    def coefficients(self, topics: int) -> np.ndarray:
        """(2, 3) Eρ² and Φ of means over so many topics, and the ends of their intervals."""
        values = np.full((2, 3), np.nan)
        values[:, 0] = coefficients(self.variances, {"t": topics})
        if self._without:
            ends = np.exp(self._noise_ends(topics))
            values[:, 1:] = (1 / (1 + ends[::-1])).T
        return values

    def topics_for(self, target: float) -> np.ndarray:
        """(2, 3) topics with which Eρ² and Φ reach a target below 1, and the ends of intervals.

        NaN where no number is enough, the systems having no variance.
        """
        ratios = np.full((2, 3), np.nan)
        signal, *error = _parts({some: max(0.0, v) for some, v in self.variances.items()}, {"t": 1})
        if signal > 0:
            ratios[:, 0] = np.array(error) / signal
        if self._without:
            ratios[:, 1:] = np.exp(self._noise_ends(1)).T
        exact = target / (1 - target) * ratios
        return np.maximum(1.0, np.ceil(exact * (1 - 1e-12)))

    def _noise_ends(self, topics: int) -> np.ndarray:
        """(2, 2) ends of the logarithms of the error's variance over the systems'."""
        value, without = (self._noise(some, topics) for some in (self.variances, self._without))
        return jackknifed_ends(value, without.T)

    @staticmethod
    def _noise(variances: Mapping, topics: int) -> np.ndarray:
        """(2, …) the error's variance over the systems', relative and absolute.

        Variances below 0 count as they are.
        """
        signal, *error = _parts(variances, {"t": topics})
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.array(error) / np.asarray(signal)


def jackknifed_ends(value: np.ndarray, without: np.ndarray) -> np.ndarray:
    """(2, K) ends of the logarithms of K values, by the jackknife's (T, K) values.

    Student's or Hall's, as for means (`regrade.sample_means`).

    NaN where one is not above 0.
    """
    n = len(without)
    with np.errstate(invalid="ignore", divide="ignore"):
        value, without = np.log(value), np.log(without)
        # what each topic adds, on this scale
        of_topics = n * value - (n - 1) * without
        error = of_topics.std(axis=0, ddof=1) / np.sqrt(n)
        ends = skewed_ends(value, error, skewness(of_topics.T), n, n - 1)
    known = np.isfinite(value) & np.isfinite(without).all(axis=0)
    return np.where(known, ends, np.nan)
