"""Worlds of systems on topics: differences and ranks at once, variances, reliability.

The population is a matrix of scores, systems by topics; samples draw as many topics as said from
it, with replacement.  All differences hold, or all ranks, or the sample counts as one that does
not: the pair or system that is nearest to an end, or furthest beyond it, stands for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from regrade.correlations import competition_ranks
from regrade.ranking.beside_best import variance_ends
from regrade.ranking.pairs import SystemPairs
from regrade.ranking.reliability import Reliability
from regrade.ranking.systems import rank_sets, significantly_better, system_ends
from regrade.significance.paired import differences
from tests.coverage import World
from tests.coverage.real import _trec8_scores
from tests.coverage.topics import JUDGES, SIZES, Ends, dl21_scores, sized

DRAWS = 500
"""Draws of topics for each sample; the library has 10,000."""

TOPICS = 5000
"""Topics of made populations."""

S, T, ST = (frozenset(some) for some in ("s", "t", "st"))

SearchInput = Callable[[], np.ndarray]


def worlds(data: Path | None = None) -> list[World]:
    """All of them; real ones where `data` is there."""
    of_all = (
        _best_means(data),
        _at_once(data),
        _variances(data),
        _reliabilities(data),
        _needed(data),
    )
    return [world for some in (*of_all, _beside_best(data)) for world in some]


def populations(data: Path | None) -> dict[str, SearchInput]:
    """Scores of systems on all topics there are, by name."""
    made = {
        "simulated: 20 systems, normal": partial(_normal, 20),
        "simulated: 20 systems, half of them nearly copies": partial(_copies, 20),
    }
    if data is None:
        return made
    umbrela = JUDGES["GPT-4o's UMBRELA"]
    return {
        **made,
        "TREC 2021 DL: nDCG@10, 63 systems": lambda: dl21_scores(data, umbrela)[0],
        "TREC 2021 DL: nDCG@10, the best 12": lambda: _best(dl21_scores(data, umbrela)[0], 12),
        "TREC-8: AP, 33 systems": lambda: _trec8_scores(data, "AP")[::4],
        "TREC-8: P@10, 33 systems": lambda: _trec8_scores(data, "P@10")[::4],
    }


def _normal(systems: int) -> np.ndarray:
    rng = np.random.default_rng(5)
    effect = rng.normal(0, 0.1, (systems, 1)) + rng.normal(0, 0.15, TOPICS)
    return effect + rng.normal(0, 0.15, (systems, TOPICS))


def _copies(systems: int) -> np.ndarray:
    """Every second system is the one before it, but for a fiftieth of the topics."""
    scores = _normal(systems)
    changed = np.random.default_rng(6).random((systems // 2, TOPICS)) < 0.02
    scores[1::2] = np.where(changed, scores[1::2], scores[::2])
    return scores


def ordered_populations(data: Path | None) -> dict[str, SearchInput]:
    """Those, and made ones that are far from normal: in what order are their systems?"""
    rng = np.random.default_rng(7)
    far = (-0.4, -0.3, -0.25, -0.2)
    made = {
        "30 systems, four far off, the others nearly alike": [*rng.normal(0, 0.008, 26), *far],
        "12 systems, one far off, the others nearly alike": [*rng.normal(0, 0.01, 11), far[0]],
        "20 systems, nearly alike": rng.normal(0, 0.015, 20),
        "20 systems, minimal differences": rng.normal(0, 0.003, 20),
        "30 systems in two groups": [*rng.normal(0, 0.01, 15), *rng.normal(0.2, 0.01, 15)],
        "20 systems, evenly spaced": np.linspace(0, 0.4, 20),
        "10 systems, evenly spaced": np.linspace(0, 0.2, 10),
    }
    return populations(data) | {
        f"simulated: {name}": partial(_of_means, np.asarray(means)) for name, means in made.items()
    }


def _of_means(means: np.ndarray) -> np.ndarray:
    """Scores of systems with these means over all topics."""
    rng = np.random.default_rng(8)
    scores = rng.normal(0, 0.15, TOPICS) + rng.normal(0, 0.15, (len(means), TOPICS))
    return scores - scores.mean(axis=1, keepdims=True) + means[:, None]


def _best(scores: np.ndarray, count: int) -> np.ndarray:
    return scores[np.argsort(-scores.mean(axis=1), kind="stable")[:count]]


def drawn_samples(population: np.ndarray, topics: int, repetitions: int, seed: int) -> Iterator:
    """Samples of so many topics, drawn with replacement."""
    rng = np.random.default_rng([seed, topics])
    for _ in range(repetitions):
        yield population[:, rng.integers(0, population.shape[1], topics)]


def _at_once(data: Path | None) -> Iterator[World]:
    def run(source: SearchInput, of: Callable, topics: int, repetitions: int, seed: int) -> Ends:
        population = source()
        found = np.empty((repetitions, 3))
        for r, scores in enumerate(drawn_samples(population, topics, repetitions, seed)):
            truth, low, high = of(population.mean(axis=1), SystemPairs.of(scores, DRAWS, r))
            worst = np.argmin(np.minimum(truth - low, high - truth))
            found[r] = truth[worst], low[worst], high[worst]
        return tuple(found.T)

    def of_differences(means: np.ndarray, pairs: SystemPairs) -> tuple:
        return means[pairs.first] - means[pairs.second], *pairs.ends_at_once()

    def of_ranks(means: np.ndarray, pairs: SystemPairs) -> tuple:
        return competition_ranks(means), *rank_sets(significantly_better(pairs, len(means)))

    for name, source in populations(data).items():
        for interval, of in (("differences_at_once", of_differences), ("ranks_at_once", of_ranks)):
            yield from sized(interval, name, partial(run, source, of))


def _best_means(data: Path | None) -> Iterator[World]:
    """The true mean of the system that a sample puts first; also of systems that are equal."""

    def run(source: SearchInput, equal: bool, topics: int, repetitions: int, seed: int) -> Ends:
        population = source()
        if equal:
            population = population - population.mean(axis=1, keepdims=True) + population.mean()
        found = np.empty((repetitions, 3))
        for r, scores in enumerate(drawn_samples(population, topics, repetitions, seed)):
            best = int(scores.mean(axis=1).argmax())
            found[r] = population[best].mean(), *system_ends(scores, r)[:, best]
        return tuple(found.T)

    for name, source in populations(data).items():
        for equal in (False, True):
            of = f"{name}{', recentred to be equal' if equal else ''}"
            yield from sized("best_mean", of, partial(run, source, equal), (10, *SIZES))


def _true(population: np.ndarray) -> dict:
    """Variances where topics are endless: those of the population are all that there are."""
    systems, n = population.shape
    effect = population - population.mean(axis=1, keepdims=True)
    effect = effect - effect.mean(axis=0)
    residual = (effect**2).sum() / n / (systems - 1)
    between = population.mean(axis=1).var(ddof=1)
    return {S: between, T: population.mean(axis=0).var() - residual / systems, ST: residual}


def _variances(data: Path | None) -> Iterator[World]:
    def run(source: SearchInput, some: frozenset, topics: int, repetitions: int, seed: int) -> Ends:
        population = source()
        found = np.array([
            Reliability(scores).variance(some)[1:]
            for scores in drawn_samples(population, topics, repetitions, seed)
        ])  # fmt: skip
        return np.full(repetitions, _true(population)[some]), *found.T

    for name, source in populations(data).items():
        for some, what in ((S, "systems"), (T, "topics"), (ST, "residual")):
            yield from sized("variance_component", f"{name}: {what}", partial(run, source, some))


def _reliabilities(data: Path | None) -> Iterator[World]:
    def run(source: SearchInput, place: int, topics: int, repetitions: int, seed: int) -> Ends:
        population = source()
        true = _true(population)
        error = (true[ST] + place * true[T]) / topics
        found = np.array([
            Reliability(scores).coefficients(topics)[place, 1:]
            for scores in drawn_samples(population, topics, repetitions, seed)
        ])  # fmt: skip
        return np.full(repetitions, true[S] / (true[S] + error)), *found.T

    for name, source in populations(data).items():
        for place, what in enumerate(("Eρ²", "Φ")):
            yield from sized("reliability", f"{name}: {what}", partial(run, source, place))


def _needed(data: Path | None) -> Iterator[World]:
    def run(source: SearchInput, place: int, topics: int, repetitions: int, seed: int) -> Ends:
        population = source()
        true = _true(population)
        truth = np.ceil(TARGET / (1 - TARGET) * (true[ST] + place * true[T]) / true[S])
        found = np.array([
            Reliability(scores).topics_for(TARGET)[place, 1:]
            for scores in drawn_samples(population, topics, repetitions, seed)
        ])  # fmt: skip
        return np.full(repetitions, truth), *found.T

    for name, source in populations(data).items():
        for place, what in enumerate(("Eρ²", "Φ")):
            yield from sized("topics_needed", f"{name}: {what}", partial(run, source, place))


def _beside_best(data: Path | None) -> Iterator[World]:
    """The variance of the differences of the sample's best system from its next."""

    def run(source: SearchInput, topics: int, repetitions: int, seed: int) -> Ends:
        population = source()
        found = np.empty((repetitions, 3))
        for r, scores in enumerate(drawn_samples(population, topics, repetitions, seed)):
            best, following = np.argsort(-scores.mean(axis=1), kind="stable")[:2]
            truth = differences(population[best], population[following]).var()
            ends = variance_ends(differences(scores[[best]], scores[[following]]))
            found[r] = truth, *ends[:, 0]
        return tuple(found.T)

    for name, source in populations(data).items():
        yield from sized("variance_component", f"{name}: best and next", partial(run, source))


TARGET = 0.95
"""Of the coefficients."""
