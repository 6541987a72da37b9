"""Worlds of magnitudes: shares of pairs over topics, documents and units."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from regrade.api.sets import read_qrels
from regrade.magnitudes import pairs
from regrade.magnitudes.pairs import (
    around_units,
    order_counts,
    ordered_pairs,
    over_topics,
    raised,
    resampled_medians,
)
from regrade.percentiles import interval
from regrade.randomness import generator
from tests.coverage import World

Simulated = tuple[np.ndarray, np.ndarray, np.ndarray]
"""The truth, lower and upper ends, each (repetitions,)."""

SHAPES = {"high": (9.0, 1.0), "skewed": (4.0, 1.0), "wide": (2.0, 2.0)}
"""Of beta distributions of topics' shares."""

DRAWS = 200
"""Of documents or units, for an interval."""

TRUTHS = 2000
"""Samples whose mean is the truth where no formula has it."""

LEVELS = 3


def worlds(data: Path | None = None) -> list[World]:
    """Shares over topics, made and of TREC 2021 DL; over documents and units, made."""
    found = [
        World("share_over_topics", f"simulated: {name} shares in six groups, a third missing",
              f"{n} topics", _made_topics(shape, n))
        for name, shape in SHAPES.items()
        for n in (10, 25, 50, 100)
    ]  # fmt: skip
    found += [
        World("share_over_topics",
              f"simulated: {name} shares of 5 to 200 pairs, all pairs together",
              f"{n} topics", _made_pairs(shape, n))
        for name, shape in SHAPES.items()
        for n in (10, 25, 50, 100)
    ]  # fmt: skip
    if data is not None and (data / "dl21").exists():
        found += [
            World("share_over_topics", "TREC 2021 DL: a model's exam grades and UMBRELA grades by "
                  "NIST's", f"{n} topics", _real_topics(data, n))
            for n in (25, 50, 100)
        ]  # fmt: skip
    found += [
        World("share_over_documents", f"simulated: {documents} documents of a topic", f"{n} topics",
              _of_documents(n, documents))
        for n, documents in ((5, 25), (5, 50), (25, 12), (25, 25), (50, 12))
    ]  # fmt: skip
    found += [
        World("share_over_units", f"simulated: {units} units of 8 documents of 16 in a topic, "
              f"noise {noise:g}", f"{n} topics", _of_units(n, units, noise))
        for n, units, noise in ((5, 2, 1.0), (5, 10, 1.0), (25, 10, 0.5), (25, 10, 1.0),
                                (25, 25, 1.0), (50, 10, 1.0))
    ]  # fmt: skip
    return found


def _ends_of_topics(draw: Callable, truth: float) -> Callable[[int, int], Simulated]:
    def run(repetitions: int, seed: int) -> Simulated:
        rng = generator(seed, "coverage", "shares of topics")
        ends = np.array([over_topics(draw(rng))[:, -1] for _ in range(repetitions)])
        return np.full(repetitions, truth), *ends.T

    return run


def _made_topics(shape: tuple[float, float], n: int) -> Callable[[int, int], Simulated]:
    """Topics with a level of their own, about which their groups vary; groups may be missing."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        of_topic = rng.beta(*shape, (n, 1))
        shares = rng.beta(8 * of_topic, 8 * (1 - of_topic), (n, 6))
        return np.where(rng.random((n, 6)) < 1 / 3, np.nan, shares)

    return _ends_of_topics(draw, shape[0] / sum(shape))


def _made_pairs(shape: tuple[float, float], n: int) -> Callable[[int, int], Simulated]:
    """Topics with a share of their own and as many pairs as fall to them, independently of it."""

    def run(repetitions: int, seed: int) -> Simulated:
        rng = generator(seed, "coverage", "shares of all pairs")
        ends = np.empty((repetitions, 2))
        for row in ends:
            pairs = rng.integers(5, 201, n)
            concordant = rng.binomial(pairs, rng.beta(*shape, n))
            counts = np.stack([concordant, 0 * pairs, pairs - concordant], axis=-1)
            row[:] = ordered_pairs(counts[:, None])[1:, 0]
        return np.full(repetitions, shape[0] / sum(shape)), *ends.T

    return run


def _real_topics(data: Path, n: int) -> Callable[[int, int], Simulated]:
    shares = _real_shares(data)
    truth = float(np.nanmean(np.nanmean(shares, axis=0)))
    return _ends_of_topics(lambda rng: shares[rng.integers(len(shares), size=n)], truth)


@cache
def _real_shares(data: Path) -> np.ndarray:
    """(topics, groups) shares of pairs that two models order alike, by NIST's levels."""
    names = ("qrels.gz", "judges/gpt-4-exam-graded-mean.qrels.gz",
             "judges/gpt-4o-umbrela.qrels.gz")  # fmt: skip
    frames = [read_qrels(data / "dl21" / name).table.to_pandas() for name in names]
    keys = ["topic", "docno"]
    both = frames[0].merge(frames[1], on=keys, suffixes=("", "_first"))
    both = both.merge(frames[2], on=keys, suffixes=("", "_second"))
    both = both.astype({"topic": str}).sort_values(["topic", "grade"])
    return np.concatenate([_shares_of(own) for _, own in both.groupby("topic")])


def _shares_of(own: pd.DataFrame) -> np.ndarray:
    level = own["grade"].to_numpy(np.int64)
    first, second = (own[name].to_numpy(float) for name in ("grade_first", "grade_second"))
    once = np.ones((1, len(own)), np.int64)
    return pair_shares(order_counts(level, first[None], second, once, 4))


def pair_shares(counts: np.ndarray) -> np.ndarray:
    """Of each group's pairs, the share that is ordered alike, as the library finds it."""
    return pairs._shares(counts)


def mean_share(shares: list[np.ndarray]) -> np.ndarray:
    """(R,): the mean of the groups' means over topics, of (R, groups) by topic."""
    return pairs._mean_shares(np.stack(shares, axis=1))[:, -1]


def _of_documents(n: int, documents: int) -> Callable[[int, int], Simulated]:
    """Documents of a topic are drawn from endlessly many, each with a level and a magnitude."""
    shift = np.random.default_rng(1).normal(1, 0.3, n)
    once = np.ones((1, documents), np.int64)

    def draw(rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
        levels = np.sort(rng.choice(LEVELS, (n, documents), p=[0.6, 0.25, 0.15]), axis=1)
        values = 0.7 * levels + rng.normal(0, 0.7, levels.shape) * shift[:, None]
        return list(zip(levels.astype(np.int64), values, strict=True))

    def share(topic: tuple[np.ndarray, np.ndarray], weight: np.ndarray) -> np.ndarray:
        level, value = topic
        first = np.ascontiguousarray(np.broadcast_to(value, weight.shape))
        return pair_shares(order_counts(level, first, level.astype(float), weight, LEVELS))

    @cache
    def truth() -> float:
        rng = generator(1, "coverage", "truth of documents", str(n), str(documents))
        samples = (mean_share([share(one, once) for one in draw(rng)]) for _ in range(TRUTHS))
        return float(np.nanmean(np.concatenate(list(samples))))

    def run(repetitions: int, seed: int) -> Simulated:
        rng = generator(seed, "coverage", "documents", str(n), str(documents))
        ends = []
        for _ in range(repetitions):
            weights = rng.multinomial(documents, np.full(documents, 1 / documents), (n, DRAWS))
            drawn = [share(*one) for one in zip(draw(rng), weights.astype(np.int64), strict=True)]
            ends.append(interval(mean_share(drawn)))
        return np.full(repetitions, truth()), *np.transpose(ends)

    return run


def _of_units(n: int, units: int, noise: float) -> Callable[[int, int], Simulated]:
    """Documents stay; units of other workers judge them, each as many as ever."""
    documents, size = 16, 8
    made = np.random.default_rng(2)
    levels = np.sort(made.integers(LEVELS, size=(n, documents)), axis=1).astype(np.int64)
    latent = 0.7 * levels + made.normal(0, 0.7, levels.shape)
    judged = np.argsort(made.random((n, units, documents)), axis=2)[:, :, :size]
    once = np.ones((1, units), np.int64)
    unit = np.repeat(np.arange(units), size)

    def said(rng: np.random.Generator) -> np.ndarray:
        values = np.take_along_axis(latent[:, None, :], judged, axis=2)
        return values + rng.normal(0, noise, judged.shape)

    def share(topic: int, values: np.ndarray, drawn: np.ndarray) -> np.ndarray:
        document, value = judged[topic].ravel(), values.ravel()
        order = np.lexsort((value, document))
        starts = np.searchsorted(document[order], np.arange(documents + 1))
        medians = resampled_medians(value[order], starts, unit[order], drawn)
        known = ~np.isnan(medians)
        level, first = levels[topic], np.where(known, medians, 0.0)
        counts = order_counts(level, first, level.astype(float), known.astype(np.int64), LEVELS)
        return pair_shares(counts)

    def shares(values: np.ndarray, drawn: np.ndarray) -> np.ndarray:
        return mean_share([share(t, values[t], drawn[t]) for t in range(n)])

    @cache
    def truth() -> float:
        rng = generator(1, "coverage", "truth of units", str(n), str(units), str(noise))
        whole = np.broadcast_to(once, (n, *once.shape))
        return float(np.mean([shares(said(rng), whole)[0] for _ in range(TRUTHS)]))

    def run(repetitions: int, seed: int) -> Simulated:
        rng = generator(seed, "coverage", "units", str(n), str(units), str(noise))
        ends = []
        for _ in range(repetitions):
            values = said(rng)
            drawn = rng.multinomial(units, np.full(units, 1 / units), (n, DRAWS)).astype(np.int64)
            estimate = shares(values, np.broadcast_to(once, (n, *once.shape)))[0]
            again = mean_share([raised(share(t, values[t], drawn[t]), units) for t in range(n)])
            ends.append(around_units(estimate, again, [units] * n))
        return np.full(repetitions, truth()), *np.transpose(ends)

    return run
