"""Worlds of discriminative power: over topics and assessors; pages that measures prefer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.special import expit, gammaln

from regrade.api.sets import read_qrels
from regrade.catalogue import ALL_TOPICS
from regrade.drawn_intervals import around
from regrade.intervals import INTERVALS
from regrade.power.intervals import GROUPS, difference_table, topic_intervals, topics_left_out
from regrade.power.label_sets import GradedSet, PowerInputs, topic_table
from regrade.power.preferences import Graded, PreferenceTests
from regrade.power.topics import PowerOptions, judged_lists, power_rows, power_table
from regrade.randomness import generator
from regrade.sample_means import interval_of_shares
from tests.coverage import World

Simulated = tuple[np.ndarray, np.ndarray, np.ndarray]
"""The truth, lower and upper ends, each (repetitions,)."""

RIGHT = ((0.5, 0.0), (0.64, 0.2), (0.8, 0.0), (0.9, 0.2))
"""How often the preferred page is the better one, and how often neither is."""

SPREADS = (0.3, 0.8)
"""Standard deviation of the log number of documents of a topic."""

TRUTHS = 2000
DRAWS = 20


def worlds(data: Path | None = None) -> list[World]:
    """Over topics made ones and those of TREC 2021 DL; over assessors and of pages, made ones."""
    sizes = (25, 50, 100)
    found = [
        World("power_over_topics", f"simulated: log-normal numbers of documents, {spread:g}",
              f"{n} topics", _made_entropies(spread, n))
        for spread in SPREADS
        for n in (20, *sizes)
    ]  # fmt: skip
    if data is not None and (data / "dl21").exists():
        found += [
            World("power_over_topics", "TREC 2021 DL: a model's UMBRELA grades, NIST's order",
                  f"{n} topics", _real_entropies(data, n))
            for n in sizes
        ]  # fmt: skip
    found += [
        World("power_over_assessors", f"simulated: four grades of 24 documents, {mode}",
              f"{assessors} assessors", _of_assessors(assessors, mode))
        for assessors in (10, 30)
        for mode in ("aggregate", "individual")
    ]  # fmt: skip
    found += [
        World("power_over_topics", f"simulated: error {error:g}, {asked} preferences of a topic",
              f"{n} topics", _of_preferences(asked, error, n))
        for error, asked, n in ((0.2, 2, 20), (ERROR, 6, 20), (ERROR, 6, 50), (ERROR, 28, 20))
    ]  # fmt: skip
    found += [
        World("power_difference", f"simulated: two sets alike, {asked} preferences of a topic",
              f"{n} topics", _of_two_sets(asked, n))
        for asked, n in ((6, 10), (28, 10), (6, 25))
    ]  # fmt: skip
    found += [
        World("share_of_topics", f"simulated: pages, right {right:g}, undecided {undecided:g}",
              f"{n} topics", _of_pages(right, undecided, n))
        for right, undecided in RIGHT
        for n in (INTERVALS["share_of_topics"].fewest, 10, *sizes)
    ]  # fmt: skip
    return found


def _of_entropies(draw: Callable, true: Callable[[], float]) -> Callable[[int, int], Simulated]:
    def run(repetitions: int, seed: int) -> Simulated:
        rng = generator(seed, "coverage", "entropies of topics")
        values = [draw(rng) for _ in range(repetitions)]
        # each a set of its own, with draws of its own
        ends = [_ends(one, int(rng.integers(2**31))) for one in values]
        return np.full(repetitions, true()), *np.transpose(ends)

    return run


def _ends(values: np.ndarray, seed: int) -> tuple[float, float]:
    """As preferences by grade are known, topics that are left out leave the others as they are."""
    names = [f"t{number:03d}" for number in range(len(values))]
    of = {"preferences": "p", "set": "s", "mode": "aggregate", "list": "judged"}
    of["highest"] = np.inf  # an interval that ends where entropies do holds no less
    topics = pd.DataFrame({**of, "topic": names, "entropy": values})
    group = np.arange(len(values)) % GROUPS
    left_out = [topics[group != number].to_dict("records") for number in range(GROUPS)]
    [row] = topic_intervals(topics, left_out, seed=seed).itertuples()
    return row.low, row.high


def _made_entropies(spread: float, n: int) -> Callable[[int, int], Simulated]:
    """A share of log n! of a topic's documents, whose number is log-normal about 100."""
    return _of_entropies(partial(_drawn_entropies, spread, n), partial(_mean_entropy, spread))


def _drawn_entropies(spread: float, n: int, rng: np.random.Generator) -> np.ndarray:
    return gammaln(np.exp(rng.normal(4.6, spread, n)) + 1) * rng.beta(8, 1, n)


@cache
def _mean_entropy(spread: float) -> float:
    return float(_drawn_entropies(spread, 2_000_000, np.random.default_rng(1)).mean())


def _real_entropies(data: Path, n: int) -> Callable[[int, int], Simulated]:
    entropy = _entropies(data)
    return _of_entropies(
        lambda rng: entropy[rng.integers(len(entropy), size=n)], lambda: float(entropy.mean())
    )


@cache
def _entropies(data: Path) -> np.ndarray:
    nist, model = (
        read_qrels(data / "dl21" / name).table
        for name in ("qrels.gz", "judges/gpt-4o-umbrela.qrels.gz")
    )
    graded = Graded.from_table(model)
    found = power_table(
        graded, PreferenceTests.from_labels(nist), [judged_lists([graded])],
        PowerOptions(["aggregate"]),
    )  # fmt: skip
    return found.loc[found["topic"] != ALL_TOPICS, "entropy"].to_numpy(float)


def _preferred(
    rng: np.random.Generator,
    index: pd.MultiIndex,
    strength: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
) -> PreferenceTests:
    """One test of each pair, by the logistic model of documents' strengths."""
    wins = rng.random(len(first)) < expit(strength[first] - strength[second])
    return PreferenceTests(
        index[first].set_names(["topic", "first"]),
        index[second].set_names(["topic", "second"]),
        np.where(wins, 1, -1),
    )


def _of_assessors(assessors: int, mode: str) -> Callable[[int, int], Simulated]:
    """Documents and tests stay; other assessors grade them, each with a bias."""
    topics, documents = 4, 6
    made = np.random.default_rng(3)
    names = [[f"t{t}" for t in range(topics)], [f"d{d}" for d in range(documents)]]
    index = pd.MultiIndex.from_product(names, names=["topic", "docno"])
    latent = made.normal(0, 1, len(index))
    i, j = np.triu_indices(documents, 1)
    first = (documents * np.arange(topics)[:, None] + i).ravel()
    second = (documents * np.arange(topics)[:, None] + j).ravel()
    tests = _preferred(made, index, 3 * latent, first, second)

    def panel(rng: np.random.Generator) -> np.ndarray:
        said = latent[:, None] + rng.normal(0, 0.3, assessors)
        said = said + rng.normal(0, 0.6, (len(index), assessors))
        return np.searchsorted([-1, 0, 1], said).astype(float)

    # which documents there are does not depend on how they are graded
    lists = judged_lists([Graded.from_values(index, np.zeros((len(index), assessors)))])

    def power(given: np.ndarray) -> float:
        graded = Graded.from_values(index, given)
        *_, of_all = power_rows(graded, tests, [lists], PowerOptions([mode]))
        return of_all["entropy"]

    @cache
    def truth() -> float:
        rng = generator(1, "coverage", "truth of assessors", str(assessors), mode)
        return float(np.mean([power(panel(rng)) for _ in range(TRUTHS)]))

    def run(repetitions: int, seed: int) -> Simulated:
        rng = generator(seed, "coverage", "assessors", str(assessors), mode)
        ends = []
        for _ in range(repetitions):
            given = panel(rng)
            drawn = [power(given[:, rng.integers(assessors, size=assessors)])
                     for _ in range(DRAWS)]  # fmt: skip
            ends.append(around(power(given), np.array(drawn), assessors, "power_over_assessors"))
        return np.full(repetitions, truth()), *np.transpose(ends)

    return run


DOCUMENTS, ERROR = 8, 0.7
"""Of a topic; standard deviation of a label's error, that of relevance being 1."""


def made_sets(
    rng: np.random.Generator, topics: int, asked: int, errors: Sequence[float]
) -> PowerInputs:
    """Sets of four grades that err so much, and so many preferences of each topic."""
    names = [[f"t{t:02d}" for t in range(topics)], [f"d{d}" for d in range(DOCUMENTS)]]
    index = pd.MultiIndex.from_product(names, names=["topic", "docno"])
    relevance = rng.normal(0, 1, len(index))
    pairs = np.stack(np.triu_indices(DOCUMENTS, 1), axis=1)
    chosen = [DOCUMENTS * t + rng.permutation(pairs)[:asked] for t in range(topics)]
    first, second = np.concatenate(chosen).T
    tests = _preferred(rng, index, 2 * relevance, first, second)
    sets = []
    for number, error in enumerate(errors):
        grades = np.digitize(relevance + rng.normal(0, error, len(index)), [-0.7, 0, 0.7])
        table = index.to_frame(index=False).assign(grade=grades)
        sets.append(GradedSet(f"s{number}", pa.Table.from_pandas(table)))
    lists, how = [judged_lists([sets[0].graded])], PowerOptions(["aggregate"])
    return PowerInputs(sets, {"p": tests}, lists, how)


def held_beside(inputs: PowerInputs) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tables of their topics and of their differences."""
    topics = topic_table(inputs)
    return topics, difference_table(topics, topics_left_out(inputs))


def _of_preferences(asked: int, error: float, n: int) -> Callable[[int, int], Simulated]:
    """Topics, and what people prefer of them, are drawn anew; the truth is the mean of samples."""

    def run(repetitions: int, seed: int) -> Simulated:
        rng = generator(seed, "coverage", "preferences of topics", str(asked), str(n))
        found = np.empty((repetitions, 3))
        for r in range(repetitions):
            inputs = made_sets(rng, n, asked, (error,))
            own = topic_intervals(topic_table(inputs), topics_left_out(inputs), seed=r)
            found[r] = own[["entropy", "low", "high"]].iloc[0]
        entropy, low, high = found.T
        return np.full(repetitions, entropy.mean()), low, high

    return run


def _of_two_sets(asked: int, n: int) -> Callable[[int, int], Simulated]:
    def run(repetitions: int, seed: int) -> Simulated:
        rng = generator(seed, "coverage", "two sets", str(asked), str(n))
        ends = np.empty((repetitions, 2))
        for r in range(repetitions):
            _, found = held_beside(made_sets(rng, n, asked, (ERROR, ERROR)))
            ends[r] = found[["low", "high"]].iloc[0]
        return np.zeros(repetitions), *ends.T

    return run


def _of_pages(right: float, undecided: float, n: int) -> Callable[[int, int], Simulated]:
    def run(repetitions: int, seed: int) -> Simulated:
        rng = generator(seed, "coverage", "pages", str(right), str(undecided), str(n))
        worth = (rng.random((repetitions, n)) < right).astype(float)
        worth[rng.random(worth.shape) < undecided] = 0.5
        ends = [interval_of_shares(one) for one in worth]
        truth = undecided / 2 + (1 - undecided) * right
        return np.full(repetitions, truth), *np.transpose(ends)

    return run
