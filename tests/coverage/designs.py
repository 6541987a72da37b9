"""Worlds of items that are not one sample: clusters, data sets, repeats of systems, 0/1 items.

A world draws a `Sample` of systems, whose true means are known: by distributions that are written
down, not by a population of a limited size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

from regrade.ranking.datasets import dataset_ends
from regrade.ranking.layout import Layout
from regrade.ranking.moments import moments
from regrade.ranking.pairs import SystemPairs, mean_ends, pair_ends, pair_error
from regrade.ranking.repeats import repeat_variance
from regrade.ranking.sample import Sample
from tests.coverage import World
from tests.coverage.topics import Ends

DRAWS = 500
"""Draws of units for each sample; the library has 10,000."""

STEP = 0.05
"""Between the true means of neighbouring systems."""

Drawn = Callable[[np.random.Generator, np.ndarray], Sample]
"""A sample of systems with these true means."""


def worlds(data: Path | None = None) -> list[World]:
    """All of them."""
    del data  # none is real
    return [*_of_clusters(), *_of_datasets(), *_over_datasets(), *_of_repeats(), *_of_shares(),
            *_all_pairs()]  # fmt: skip


# --- samples --------------------------------------------------------------------------------------


def clustered(clusters: int, skewed: bool, rng: np.random.Generator, means: np.ndarray) -> Sample:
    """Clusters of 1 to some twenty items, which vary by twice what items within them do.

    Larger clusters have lower scores.
    """
    sizes = rng.geometric(0.25, clusters)
    if skewed:
        effect = rng.exponential(0.1, (len(means), clusters)) - 0.1
    else:
        effect = rng.normal(0, 0.1, clusters) + rng.normal(0, 0.1, (len(means), clusters))
    # E[n (n − E n²/E n)] is 0 for a linear effect of size less its value at E n² / E n
    effect = effect - 0.01 * (sizes - 7.0)
    of = np.repeat(np.arange(clusters), sizes)
    scores = means[:, None] + effect[:, of] + rng.normal(0, 0.1, (len(means), len(of)))
    return Sample.of(scores, Layout.of(of, None))


def one_large(clusters: int, rng: np.random.Generator, means: np.ndarray) -> Sample:
    """Clusters of one to four items, and one of twenty."""
    sizes = np.append(rng.integers(1, 5, clusters - 1), 20)
    of = np.repeat(np.arange(clusters), sizes)
    effect = rng.normal(0, 0.1, (len(means), clusters))
    scores = means[:, None] + effect[:, of] + rng.normal(0, 0.1, (len(means), len(of)))
    return Sample.of(scores, Layout.of(of, None))


def clusters_of_datasets(
    sets: int, kind: str, rng: np.random.Generator, means: np.ndarray
) -> Sample:
    """Data sets of 8, 12, 16, 20 and 30 clusters, in turn, of one to some twenty items."""
    counts = [(8, 12, 16, 20, 30)[k % 5] for k in range(sets)]
    sizes = rng.geometric(0.25, sum(counts))
    of = np.repeat(np.arange(sum(counts)), sizes)
    of_set = np.repeat(np.arange(sets), counts)
    if kind == "0/1":
        scores = _solved(of, means, rng)
    else:
        own = rng.exponential if kind == "skewed" else rng.normal
        effect = own(*((0.1,) if kind == "skewed" else (0, 0.1)), (len(means), sum(counts)))
        effect = effect - (0.1 if kind == "skewed" else 0) + rng.normal(0, 0.1, sum(counts))
        scores = means[:, None] + effect[:, of] + rng.normal(0, 0.1, (len(means), len(of)))
    return Sample.of(scores, Layout.of(of, of_set[of]))


def _solved(of: np.ndarray, means: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """0/1 scores of items in clusters: a fourth of the variance is the cluster's, as much its own.

    On the scale of the normal distribution; the one is common to all systems.
    """
    clusters = of.max() + 1
    latent = rng.normal(0, 0.5, clusters)[of] + rng.normal(0, 0.5, (len(means), clusters))[:, of]
    latent = latent + rng.normal(0, np.sqrt(0.5), (len(means), len(of)))
    return (latent < ndtri(means)[:, None]).astype(float)


def binary_clusters(clusters: int, rng: np.random.Generator, means: np.ndarray) -> Sample:
    """0/1 items in clusters of one to some twenty."""
    of = np.repeat(np.arange(clusters), rng.geometric(0.25, clusters))
    return Sample.of(_solved(of, means, rng), Layout.of(of, None))


def stratified(
    sets: int, clustered_items: bool, rng: np.random.Generator, means: np.ndarray
) -> Sample:
    """Data sets of 10, 20, 40 … up to 160 items, in turn, whose difficulties are far apart."""
    sizes = 10 * 2 ** (np.arange(sets) % 5)
    of = np.repeat(np.arange(sets), sizes)
    own = np.random.default_rng([3, sets]).normal(0, 0.2, sets)
    own -= own.mean()
    spread = 0.05 + 0.1 * (np.arange(sets) % 3)
    scores = means[:, None] + own[of] + rng.normal(0, 0.1, len(of))
    scores = scores + rng.normal(0, 1, (len(means), len(of))) * spread[of]
    if not clustered_items:
        return Sample.of(scores, Layout.of(None, of))
    pairs = np.arange(len(of)) // 2  # two by two, of one effect
    effect = rng.normal(0, 0.1, (len(means), pairs.max() + 1))
    return Sample.of(scores + effect[:, pairs], Layout.of(pairs, of))


def repeated(
    repeats: int,
    items: int,
    share: float,
    rng: np.random.Generator,
    means: np.ndarray,
    skewed: bool = False,
) -> Sample:
    """Systems with so many repeats, whose effects have a share of the variance of a mean."""
    systems, item = len(means), 0.15
    repeat = np.sqrt(share / (1 - share) * (2 * item**2 / items + 0.01 / items / repeats) * repeats)
    noise = rng.exponential if skewed else lambda scale, shape: rng.normal(0, scale, shape)
    own = noise(item, (systems, items)) - (item if skewed else 0)
    values = means[:, None, None] + (rng.normal(0, item, items) + own)[:, :, None]
    values = values + rng.normal(0, repeat, (systems, 1, repeats))
    values = values + rng.normal(0, 0.1, (systems, items, repeats))
    scores = values.mean(axis=2)
    sample = Sample.of(scores)
    of_repeats = repeat_variance(values, None)
    return replace(sample, repeats=of_repeats)


def binary(items: int, alike: float, rng: np.random.Generator, means: np.ndarray) -> Sample:
    """Items solved with these probabilities; `alike` is the correlation of what they turn on."""
    common = rng.normal(0, np.sqrt(alike), items)
    latent = common + rng.normal(0, np.sqrt(1 - alike), (len(means), items))
    return Sample.of((ndtr(latent) < means[:, None]).astype(float))


# --- intervals ------------------------------------------------------------------------------------


def _run(draw: Drawn, of: str, means: np.ndarray, repetitions: int, seed: int) -> Ends:
    """The mean of the first of two systems, or their difference."""
    ends = np.empty((repetitions, 2))
    for r in range(repetitions):
        sample = draw(np.random.default_rng([seed, r]), means)
        if of == "mean":
            ends[r] = mean_ends(sample.values, sample)[:, 0]
        else:
            ends[r] = _pair(sample)
    truth = means[0] if of == "mean" else means[0] - means[1]
    return np.full(repetitions, truth), *ends.T


def _pair(sample: Sample) -> np.ndarray:
    first, second = np.array([0]), np.array([1])
    of = moments(sample, first, second)
    return pair_ends(sample, of, *pair_error(sample, of, first, second))[:, 0]


TWO = np.array([0.5, 0.45])


def _both(
    interval: str, name: str, size: str, draw: Drawn, means: np.ndarray = TWO
) -> Iterator[World]:
    for of in ("mean", "difference"):
        yield World(interval, f"simulated: {name}: {of}", size, partial(_run, draw, of, means))


def _of_clusters() -> Iterator[World]:
    for skewed in (False, True):
        name = f"clusters of unequal size, {'skewed' if skewed else 'normal'}"
        for count in (20, 50, 100):
            draw = partial(clustered, count, skewed)
            yield from _both("mean_over_clusters", name, f"{count} clusters", draw)
    for count in (20, 50):
        name = "one cluster of 20 items, the others of 1 to 4"
        draw = partial(one_large, count)
        yield from _both("mean_over_clusters", name, f"{count} clusters", draw)


def _of_datasets() -> Iterator[World]:
    for sets in (3, 5, 20):
        for of_pairs in (False, True):
            name = (
                f"{sets} data sets of 10 to 160 items{', in clusters of two' if of_pairs else ''}"
            )
            draw = partial(stratified, sets, of_pairs)
            items = 10 * (2 ** (np.arange(sets) % 5)).sum()
            yield from _both("mean_of_datasets", name, f"{items} items", draw)
    yield from _both("mean_of_datasets", "2 data sets of 5 items", "10 items", _two_small)
    for sets in (3, 5):
        for kind in ("normal", "skewed"):
            name = f"{sets} data sets of 8 to 30 clusters of unequal size, {kind}"
            draw = partial(clusters_of_datasets, sets, kind)
            clusters = sum((8, 12, 16, 20, 30)[:sets])
            yield from _both("mean_of_datasets", name, f"{clusters} clusters", draw)


def _two_small(rng: np.random.Generator, means: np.ndarray) -> Sample:
    scores = means[:, None] + rng.normal(0, 0.1, (len(means), 10)) + rng.normal(0, 0.1, 10)
    return Sample.of(scores, Layout.of(None, np.arange(10) // 5))


def _over_datasets() -> Iterator[World]:
    def run(skewed: bool, sets: int, repetitions: int, seed: int) -> Ends:
        rng = np.random.default_rng([seed, sets])
        shape = repetitions, sets
        effect = rng.exponential(0.2, shape) - 0.2 if skewed else rng.normal(0, 0.2, shape)
        within = rng.normal(0, 0.02, shape)
        return np.full(repetitions, 0.5), *dataset_ends(0.5 + effect + within)

    for skewed in (False, True):
        name = f"simulated: {'skewed' if skewed else 'normal'} means of data sets"
        for sets in (5, 10, 20):
            run_of = partial(run, skewed, sets)
            yield World("mean_over_datasets", name, f"{sets} data sets", run_of)


def _of_repeats() -> Iterator[World]:
    for items in (25, 200):
        for share in (0.0, 0.5, 0.8):
            name = f"{items} items, repeats have {share:.0%} of the variance"
            for repeats in (2, 3, 5, 10):
                draw = partial(repeated, repeats, items, share)
                yield from _both("mean_over_repeats", name, f"{repeats} repeats", draw)


def _of_shares() -> Iterator[World]:
    for high in (0.5, 0.9, 0.98):
        for items in (10, 25, 50, 100, 200):
            run = partial(_run, partial(binary, items, 0.5), "mean", np.array([high, high]))
            yield World("share_of_items", f"simulated: share {high}", f"{items} items", run)
        for clusters in (20, 50, 100):
            draw, means = partial(binary_clusters, clusters), np.array([high, high])
            name = f"simulated: share {high}, clusters of unequal size"
            run = partial(_run, draw, "mean", means)
            yield World("share_of_items", name, f"{clusters} clusters", run)
    for high, low in ((0.5, 0.5), (0.6, 0.5), (0.9, 0.8), (0.98, 0.98), (0.98, 0.95)):
        for alike in (0.5, 0.9):
            for items in (10, 25, 50, 100, 200):
                draw, means = partial(binary, items, alike), np.array([high, low])
                run = partial(_run, draw, "difference", means)
                name = f"simulated: shares {high} and {low}, correlation {alike}"
                yield World("difference_of_shares", name, f"{items} items", run)
        for clusters in (20, 50, 100):
            run = partial(_run, partial(binary_clusters, clusters), "difference", means)
            name = f"simulated: shares {high} and {low}, clusters of unequal size"
            yield World("difference_of_shares", name, f"{clusters} clusters", run)


# --- all pairs ------------------------------------------------------------------------------------


def designs() -> dict[str, tuple[str, Drawn]]:
    """Samples of several systems, by name: their size, and what draws them."""
    return {
        "clusters of unequal size": ("20 clusters", partial(clustered, 20, False)),
        "clusters of unequal size, skewed": ("50 clusters", partial(clustered, 50, True)),
        "5 data sets of 10 to 160 items": ("310 items", partial(stratified, 5, False)),
        "3 data sets of clusters": ("36 clusters", partial(clusters_of_datasets, 3, "normal")),
        "5 data sets of clusters": ("86 clusters", partial(clusters_of_datasets, 5, "normal")),
        "5 data sets of clusters, skewed": (
            "86 clusters",
            partial(clusters_of_datasets, 5, "skewed"),
        ),
        "5 data sets of clusters of 0/1 items": (
            "86 clusters",
            partial(clusters_of_datasets, 5, "0/1"),
        ),
        "25 items, 2 repeats": ("25 items", partial(repeated, 2, 25, 0.5)),
        "200 items, 3 repeats": ("200 items", partial(repeated, 3, 200, 0.5)),
        "200 items, 5 repeats": ("200 items", partial(repeated, 5, 200, 0.8)),
        "0/1 items": ("50 items", partial(binary, 50, 0.5)),
        "0/1 items, 200": ("200 items", partial(binary, 200, 0.5)),
        "3,000 0/1 items": ("3,000 items", partial(binary, 3000, 0.5)),
    }


def means_of(name: str, equal: bool) -> np.ndarray:
    """True means of ten systems."""
    if "0/1" in name:
        return np.full(10, 0.9) if equal else ndtr(ndtri(0.95) - 0.15 * np.arange(10))
    return np.full(10, 0.5) if equal else 0.5 - STEP * np.arange(10) / 2


def _all_pairs() -> Iterator[World]:
    def run(draw: Drawn, means: np.ndarray, repetitions: int, seed: int) -> Ends:
        found = np.empty((repetitions, 3))
        for r in range(repetitions):
            sample = draw(np.random.default_rng([seed, r]), means)
            pairs = SystemPairs.of(sample, DRAWS, r)
            truth, (low, high) = means[pairs.first] - means[pairs.second], pairs.ends_at_once()
            worst = np.argmin(np.minimum(truth - low, high - truth))
            found[r] = truth[worst], low[worst], high[worst]
        return tuple(found.T)

    for name, (size, draw) in designs().items():
        means = means_of(name, equal=False)
        yield World("differences_at_once", f"simulated: {name}", size, partial(run, draw, means))
