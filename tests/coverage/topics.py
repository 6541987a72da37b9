"""Worlds of topics: means, agreement, rankings of systems and chosen cuts, the truth being known.

Made worlds draw topics from distributions.  Real ones take all topics of a collection for a
population, of which as many as said are drawn with replacement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

import regrade
from regrade.cutsearch.best import best_index
from regrade.drawn_intervals import around, by_leaving_out
from regrade.evaluations.judge_differences import simultaneous_ends
from regrade.evaluations.label_agreement import (
    LabelPair,
    agreement_of_many,
    joint_counts,
    ratio_ends,
)
from regrade.evaluations.system_rankings import ranking_ends
from regrade.evaluations.top_systems import drawn_shares, drawn_taus, overlap_ends, top_k
from regrade.intervals import INTERVALS
from regrade.kendall import tau_b
from regrade.label_sets import LabelSet
from regrade.randomness import generator
from regrade.scoring import Scores
from regrade.trust.gains import gains_table
from tests.coverage import World

SIZES = (25, 50, 100)
DRAWS = 300
"""Draws of topics for each interval."""

JUDGES = {
    "GPT-4o's UMBRELA": "gpt-4o-umbrela",
    "GPT-4o's means": "gpt-4o-exam-graded-mean",
    "nuggets": "gpt-4o-nuggets-all",
}

Ends = tuple[np.ndarray, np.ndarray, np.ndarray]


def worlds(data: Path | None = None) -> list[World]:
    """All of them; real ones where `data` is there."""
    return [
        *_means(data),
        *_correlations_over_topics(),
        *_answers(),
        *_replays(),
        *_shares(),
        *_agreements(data),
        *_grade_biases(data),
        *_rankings(data),
        *_judges(data),
        *_cuts(data),
    ]


def sized(interval: str, name: str, run: Callable, sizes: tuple[int, ...] | None = None):
    """Worlds of some sizes; unless said, of `SIZES` and the fewest that the interval asks for."""
    for topics in sizes or sorted({INTERVALS[interval].fewest, *SIZES}):
        yield World(interval, name, f"{topics} topics", partial(run, topics))


def _means(data: Path | None) -> Iterator[World]:
    shapes = {
        "normal differences": lambda rng, shape: (rng.normal(0.02, 0.1, shape), 0.02),
        "skewed differences, many of them 0": lambda rng, shape: (
            rng.exponential(0.1, shape) * (rng.random(shape) < 0.5),
            0.05,
        ),
    }

    def made(draw: Callable, interval: str, n: int, repetitions: int, seed: int) -> Ends:
        values, truth = draw(np.random.default_rng([seed, n]), (repetitions, n))
        return np.full(repetitions, truth), *mean_ends(values, interval)

    for size in (10, *SIZES):
        run = partial(made, shapes["normal differences"], "mean_difference", size)
        yield World("mean_difference", "simulated: normal differences", f"{size} topics", run)
    for name, draw in shapes.items():
        for interval, unit in (("mean_over_topics", "topics"), ("mean_over_judges", "judges")):
            few = INTERVALS[interval].fewest
            for size in (few, *SIZES) if unit == "topics" else (few, 30):
                run = partial(made, draw, interval, size)
                yield World(interval, f"simulated: {name}", f"{size} {unit}", run)
    if data is not None:
        source = partial(dl21_scores, data, JUDGES["GPT-4o's UMBRELA"])
        yield from differences_of_two("TREC 2021 DL: nDCG@10 of two systems", lambda: source()[0])


def differences_of_two(name: str, source: Callable[[], np.ndarray]) -> Iterator[World]:
    """Mean differences of systems drawn by two, of (S, T) scores, by each interval of these."""

    def run(interval: str, topics: int, repetitions: int, seed: int) -> Ends:
        scores = source()
        rng = np.random.default_rng([seed, topics])
        pairs = rng.integers(0, len(scores), (repetitions, 2))
        difference = scores[pairs[:, 0]] - scores[pairs[:, 1]]
        drawn = rng.integers(0, scores.shape[1], (repetitions, topics))
        values = np.take_along_axis(difference, drawn, 1)
        return difference.mean(1), *mean_ends(values, interval)

    for interval in ("mean_over_topics", "mean_difference"):
        yield from sized(interval, name, partial(run, interval))


def mean_ends(values: np.ndarray, interval: str) -> tuple[np.ndarray, np.ndarray]:
    """What the library makes of each row of values: lower and upper ends."""
    from regrade.significance.paired import paired_difference
    from regrade.system_pairs.paired_tests import t_interval

    if interval == "mean_difference":
        return tuple(np.array([t_interval(row) for row in values]).T)
    found = [paired_difference(row, interval) for row in values]
    return tuple(np.array([row[end] for row in found]) for end in ("low", "high"))


def _correlations_over_topics() -> Iterator[World]:
    from regrade.cutsearch.groups import pearson

    def made(rho: float, topics: int, repetitions: int, seed: int) -> Ends:
        rng = np.random.default_rng([seed, topics])
        x, y = rng.normal(size=(2, repetitions, topics))
        y = rho * x + np.sqrt(1 - rho**2) * y
        found = [pearson(*both) for both in zip(x, y, strict=True)]
        ends = (np.array([row[end] for row in found]) for end in ("low", "high"))
        return np.full(repetitions, rho), *ends

    for rho in (0.0, 0.6):
        yield from sized("correlation_over_topics", f"simulated: correlation {rho:g}",
                          partial(made, rho))  # fmt: skip


def _answers() -> Iterator[World]:
    """Shares of answers that are independent: those of one worker, or topic, are not."""
    from regrade.sample_means import independent_share_interval

    def run(p: float, n: int, repetitions: int, seed: int) -> Ends:
        counts = np.random.default_rng([seed, n]).binomial(n, p, repetitions)
        return np.full(repetitions, p), *independent_share_interval(counts, n)

    for p in (0.5, 0.9):
        for n in (INTERVALS["share_of_answers"].fewest, 30, 100, 1000):
            name = f"simulated: independent answers, {p:g}"
            yield World("share_of_answers", name, f"{n} answers", partial(run, p, n))


def _replays() -> Iterator[World]:
    def run(shape: tuple[int, int], topics: int, repetitions: int, seed: int) -> Ends:
        values = np.random.default_rng([seed, topics]).beta(*shape, (repetitions, topics))
        ends = mean_ends(values, "mean_of_replays")
        return np.full(repetitions, shape[0] / sum(shape)), *ends

    shapes = {"correlations about 0.6": (6, 4), "overlaps near 1, skewed": (9, 1)}
    for name, shape in shapes.items():
        sizes = (5, 10, *SIZES)
        yield from sized("mean_of_replays", f"simulated: {name}", partial(run, shape), sizes)


def _shares() -> Iterator[World]:
    """Shares of triples that are violated, over topics of more and less of them."""
    from regrade.preferences.intransitivity import _shares as share_row

    def run(topics: int, repetitions: int, seed: int) -> Ends:
        rng = np.random.default_rng([seed, topics])
        found = np.empty((repetitions, 2))
        for r in range(repetitions):
            tried = rng.integers(20, 200, topics)
            violated = rng.binomial(tried, rng.beta(4, 16, topics))
            row = share_row(tried * 1.0, violated * 1.0, None, DRAWS, generator(r, "cycles"))
            found[r] = row["low"], row["high"]
        return np.full(repetitions, 0.2), *found.T

    yield from sized("share_of_pairs", "simulated: topics of 20 to 200 triples", run)


# --- agreement ------------------------------------------------------------------------------------


def _agreements(data: Path | None) -> Iterator[World]:
    yield from agreements("simulated: topics of 20 to 200 documents", _joints)
    if data is not None:
        dl21 = partial(_dl21_joints, data)
        yield from agreements("TREC 2021 DL: NIST and GPT-4o's UMBRELA", dl21)


def agreements(
    name: str, source: Callable[[], np.ndarray], coefficient: int = 0
) -> Iterator[World]:
    """One of the `COEFFICIENTS` of two judges, of (T, k, k) joint counts."""

    def run(topics: int, repetitions: int, seed: int) -> Ends:
        population = source()
        values = np.arange(population.shape[1], dtype=float)

        def of(joints: np.ndarray) -> np.ndarray:
            return agreement_of_many(joints, values)[:, coefficient]

        rng = np.random.default_rng([seed, topics])
        ends = np.empty((repetitions, 2))
        for r in range(repetitions):
            sample = population[rng.integers(0, len(population), topics)]
            times = drawn_times(rng, topics, DRAWS)
            drawn, without = of(np.tensordot(times, sample, axes=1)), of(sample.sum(0) - sample)
            value = of(sample.sum(0)[None])[0]
            ends[r] = around(value, drawn, topics, "agreement", left_out=without)
        return np.full(repetitions, of(population.sum(0)[None])[0]), *ends.T

    yield from sized("agreement", name, run, (20, *SIZES))


def _grade_biases(data: Path | None) -> Iterator[World]:
    equal = "simulated: ten documents of the grade in each"
    for world in grade_biases(equal, _equal_topics, 0, (10,)):
        yield replace(world, size=f"{world.size} of equal size")
    for grade in (0, 2):
        yield from grade_biases(f"simulated: documents of grade {grade} of 0 to 2", _joints, grade)
    for grade in range(4 if data is not None else 0):
        name = f"TREC 2021 DL: GPT-4o's UMBRELA on documents of NIST's grade {grade}"
        yield from grade_biases(name, partial(_dl21_joints, data), grade)


def _equal_topics(topics: int = 2000) -> np.ndarray:
    """Joint counts of a first judge who gives each grade ten times in each topic."""
    rng = np.random.default_rng(2)
    shares = rng.dirichlet([4.0, 2.0, 1.0], topics)
    return np.stack([rng.multinomial(10, shares)] * 3, axis=1)


def grade_biases(
    name: str, source: Callable[[], np.ndarray], grade: int, sizes: tuple[int, ...] | None = None
) -> Iterator[World]:
    """The second judge's bias on documents of one grade of the first, of (T, k, k) joint counts."""

    def run(topics: int, repetitions: int, seed: int) -> Ends:
        population = source()[:, grade]
        counts = population.sum(axis=1)
        sums = population @ (np.arange(population.shape[1]) - grade)
        rng = np.random.default_rng([seed, topics])
        ends = np.empty((repetitions, 2))
        for r in range(repetitions):
            drawn = rng.integers(0, len(population), topics)
            drawn = drawn[counts[drawn] > 0]
            ends[r] = ratio_ends(pd.Series(sums[drawn]), pd.Series(counts[drawn]), DRAWS, r)
        return np.full(repetitions, sums.sum() / counts.sum()), *ends.T

    yield from sized("grade_bias", name, run, sizes or SIZES)


def _joints(topics: int = 2000) -> np.ndarray:
    """Joint counts of two judges whose agreement differs from topic to topic."""
    rng = np.random.default_rng(1)
    size, shift = rng.integers(20, 200, topics), rng.normal(0, 0.4, topics)
    found = np.zeros((topics, 3, 3))
    for t in range(topics):
        true = rng.normal(shift[t], 1, size[t])
        one, other = (np.digitize(true + rng.normal(0, 0.6, size[t]), [0, 1]) for _ in range(2))
        found[t] = joint_counts(one, other, 3)
    return found


@cache
def _dl21_joints(data: Path) -> np.ndarray:
    files = "qrels.gz", "judges/gpt-4o-umbrela.qrels.gz"
    return joints_of(*(regrade.read_qrels(data / "dl21" / file).table for file in files), 4)


def joints_of(first: pa.Table, second: pa.Table, levels: int) -> np.ndarray:
    """(T, k, k) joint counts of two sets of labels, by topic."""
    both = LabelPair.of(("first", "second"), first, second).both
    _, topic = np.unique(both["topic"], return_inverse=True)
    codes = [both[side].to_numpy().astype(np.int64) for side in ("first", "second")]
    by_topic = (topic == t for t in range(topic.max() + 1))
    return np.stack([joint_counts(codes[0][of], codes[1][of], levels) for of in by_topic])


# --- rankings -------------------------------------------------------------------------------------


def _rankings(data: Path | None) -> Iterator[World]:
    sources = {
        "simulated: 10 systems, judges differ": partial(_made_systems, 10, 1.0, 0.5),
        "simulated: 30 systems, judges differ a little": partial(_made_systems, 30, 1.0, 0.3),
        "simulated: 60 systems, judges differ a lot": partial(_made_systems, 60, 1.0, 0.8),
        "simulated: 100 systems with small differences": partial(_made_systems, 100, 0.7, 0.1),
    }
    if data is not None:
        sources |= {
            f"TREC 2021 DL: {name}": partial(dl21_scores, data, j) for name, j in JUDGES.items()
        }
    for name, source in sources.items():
        yield from rankings_of_two(name, source)
    for name, source in sources.items():
        if "60 systems" in name or "100 systems" in name or "means" in name:
            continue
        for k, (quantity, said) in product(TOPS, _SAID.items()):
            run, of = partial(_top_systems, source, k, quantity), f"{name}, {said} of the top {k}"
            interval = "top_systems_of_new_topics" if quantity == "new" else "top_systems"
            yield from sized(interval, of, run, (INTERVALS[interval].fewest, 100))


TOPS = (3, 10)
"""Numbers of top systems."""

_SAID = {"jaccard": "Jaccard", "tau": "τ_b", "new": "overlap"}

_OF_TOPS = 2000
"""Samples over which the truth is the mean."""


def _top_systems(
    source: Callable[[], tuple], k: int, quantity: str, topics: int, repetitions: int, seed: int
) -> Ends:
    """Of the first k systems under both judges: the interval, and the mean over samples."""
    population, rng = source(), np.random.default_rng([seed, topics])
    size = population[0].shape[1]
    samples = (rng.integers(0, size, topics) for _ in range(_OF_TOPS))
    means = np.stack([[of[:, drawn].mean(axis=1) for of in population] for drawn in samples], 1)
    if quantity == "tau":
        truth = drawn_taus(*means, k)
    else:
        truth = drawn_shares(*means, k)
        truth = 2 * truth / (1 + truth) if quantity == "new" else truth
    average, ends = float(np.nanmean(truth)), np.empty((repetitions, 2))
    for r in range(repetitions):
        drawn = rng.integers(0, size, topics)
        scores = [of[:, drawn] for of in population]
        weights = np.vstack([np.ones(topics), drawn_times(rng, topics, DRAWS)]) / topics
        under = [weights @ of.T for of in scores]
        if quantity != "new":
            (row,) = top_k(*under, [k], topics)
            ends[r] = row[f"{quantity}_low"], row[f"{quantity}_high"]
            continue
        overlap = drawn_shares(*under, k)
        overlap = 2 * overlap / (1 + overlap)
        both = overlap_ends(under[0][0], under[1][0], [k], overlap[:1], overlap[1:, None], topics)
        ends[r] = both[1, :, 0]
    true = rng.choice(truth, repetitions)
    true = true if quantity == "new" else np.full(repetitions, average)
    return true, *ends.T


def rankings_of_two(name: str, source: Callable[[], tuple]) -> Iterator[World]:
    """Of (S, T) scores under two sets of labels: how alike they rank, and what a system gains."""
    for interval, truth in (
        ("rankings_alike", _on_average),
        ("rankings_of_new_topics", _on_new_topics),
    ):
        yield from sized(interval, name, partial(_ranked, source, truth))
    yield from sized("standardised_gain", name, partial(_gained, source))


def _made_systems(systems: int, spread: float, apart: float) -> tuple[np.ndarray, np.ndarray]:
    """Scores (S, 5,000) under two judges: abilities, what a topic does to a system, noise."""
    rng = np.random.default_rng(systems)
    ability = rng.normal(0, spread, systems)
    other = ability + rng.normal(0, apart * spread, systems)
    shared = rng.normal(0, 3, (systems, 5000))
    first = ability[:, None] + shared + rng.normal(0, 0.5, shared.shape)
    return first, other[:, None] + shared + rng.normal(0, 1.5, shared.shape)


@cache
def dl21_scores(data: Path, judge: str) -> tuple[np.ndarray, np.ndarray]:
    """nDCG@10 of 63 systems on 53 topics under NIST's labels and a judge's."""
    runs = regrade.read_runs(str(data / "dl21" / "runs" / "*.gz"))
    files = data / "dl21" / "qrels.gz", data / "dl21" / "judges" / f"{judge}.qrels.gz"
    return on_shared_topics(*(regrade.score(str(file), runs, "nDCG@10").scores for file in files))


def on_shared_topics(one: Scores, other: Scores) -> tuple[np.ndarray, np.ndarray]:
    """(S, T) of both, on the topics that both have."""
    shared = [topic for topic in one.topics if topic in other.topics]
    places = ([list(of.topics).index(topic) for topic in shared] for of in (one, other))
    return tuple(of.values[:, place, 0] for of, place in zip((one, other), places, strict=True))


def drawn_times(rng: np.random.Generator, topics: int, size: int) -> np.ndarray:
    return rng.multinomial(topics, np.full(topics, 1 / topics), size=size).astype(float)


def tau(first: np.ndarray, second: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """τ_b of (S, T) scores under (B, T) weights of topics."""
    return np.array(list(map(tau_b, weights @ first.T, weights @ second.T)))


def sampled(source: tuple, rng: np.random.Generator, topics: int) -> tuple:
    chosen = rng.integers(0, source[0].shape[1], topics)
    return tuple(np.ascontiguousarray(of[:, chosen]) for of in source)


def _ranked(source: Callable, truth: Callable, topics: int, repetitions: int, seed: int) -> Ends:
    population = source()
    rng = np.random.default_rng([seed, topics])
    whole, ends = np.full((1, topics), 1 / topics), np.empty((repetitions, 2))
    for r in range(repetitions):
        sample = sampled(population, rng, topics)
        value = tau(*sample, whole)
        drawn = tau(*sample, drawn_times(rng, topics, DRAWS) / topics)[:, None]
        average, new = ranking_ends(value, drawn, topics)
        ends[r] = (new if truth is _on_new_topics else average)[:, 0]
    return truth(population, rng, topics, repetitions), *ends.T


def _on_new_topics(
    population: tuple, rng: np.random.Generator, topics: int, repetitions: int
) -> np.ndarray:
    """τ_b of samples of as many topics."""
    whole = np.full((1, topics), 1 / topics)
    samples = (sampled(population, rng, topics) for _ in range(repetitions))
    return np.array([tau(*sample, whole)[0] for sample in samples])


def _on_average(
    population: tuple, rng: np.random.Generator, topics: int, repetitions: int
) -> np.ndarray:
    """Their mean."""
    return np.full(repetitions, _on_new_topics(population, rng, topics, 3000).mean())


def _gained(source: Callable, topics: int, repetitions: int, seed: int) -> Ends:
    """The first system's change of its standard score."""
    population = source()
    rng = np.random.default_rng([seed, topics])

    def gain(sample: tuple, weights: np.ndarray) -> np.ndarray:
        one, other = (weights @ of.T for of in sample)
        standard = (
            (of - of.mean(1, keepdims=True)) / of.std(1, keepdims=True) for of in (one, other)
        )
        one, other = standard
        return (other - one)[:, 0]

    whole, ends = np.full((1, topics), 1 / topics), np.empty((repetitions, 2))
    without = (1 - np.eye(topics)) / (topics - 1)
    for r in range(repetitions):
        sample = sampled(population, rng, topics)
        left_out = gain(sample, without)
        ends[r] = by_leaving_out(gain(sample, whole)[0], left_out, "standardised_gain")
    truth = np.mean([gain(sampled(population, rng, topics), whole)[0] for _ in range(3000)])
    return np.full(repetitions, truth), *ends.T


def _judges(data: Path | None) -> Iterator[World]:
    """Several judges beside one reference; held is a sample where all their intervals hold."""

    def made() -> list[np.ndarray]:
        rng = np.random.default_rng(3)
        ability = rng.normal(0, 1, 30)
        shared = rng.normal(0, 3, (30, 5000))
        apart = (0, 0.1, 0.3, 0.3, 0.3, 0.6)
        return [
            (ability + rng.normal(0, a, 30))[:, None] + shared + rng.normal(0, 1, shared.shape)
            for a in apart
        ]

    def real() -> list[np.ndarray]:
        both = [dl21_scores(data, judge) for judge in JUDGES.values()]
        return [both[0][0], *(of[1] for of in both)]

    def run(source: Callable, topics: int, repetitions: int, seed: int) -> Ends:
        population = source()
        rng = np.random.default_rng([seed, topics])
        weights = np.vstack([np.ones(topics), np.zeros((DRAWS, topics))]) / topics

        def values(weights: np.ndarray) -> np.ndarray:
            first, *others = sampled(tuple(population), rng, topics)
            return np.stack([tau(first, other, weights) for other in others])

        true = np.mean([values(weights[:1])[:, 0] for _ in range(2000)], axis=0)
        found = np.empty((repetitions, 3))
        for r in range(repetitions):
            weights[1:] = drawn_times(rng, topics, DRAWS) / topics
            of = values(weights)
            of = of[(order := np.argsort(-of[:, 0], kind="stable"))]
            low, high = simultaneous_ends(of, topics)[:, 1:]
            truth = (true[order] - true[order[0]])[1:]
            # the one that is nearest to its end, or furthest beyond it
            worst = np.argmin(np.minimum(truth - low, high - truth))
            found[r] = truth[worst], low[worst], high[worst]
        return tuple(found.T)

    five = "simulated: five judges, 30 systems, all at once"
    yield from sized("best_judge", five, partial(run, made))
    if data is not None:
        yield from sized(
            "best_judge", "TREC 2021 DL: three judges, all at once", partial(run, real)
        )


# --- chosen cuts ----------------------------------------------------------------------------------


def _cuts(data: Path | None) -> Iterator[World]:
    for name, make in {
        "simulated: labels that are noise, cuts alike": smooth_noise,
        "simulated: labels that are noise, cuts unlike": rough_noise,
    }.items():
        yield from sized("chosen_cut", f"{name} (gain 0)", partial(chosen, make, True))
    if data is None:
        return
    for name, judge in {
        "GPT-4's share of questions": "gpt-4-exam-binary-mean",
        "GPT-4's means": "gpt-4-exam-graded-mean",
        "GPT-4's best of ten": "gpt-4-exam-graded-max",
    }.items():
        source = partial(dl21_alpha, data, judge)
        for gain, what in ((True, "gain over equal widths"), (False, "α")):
            run = partial(chosen, source, gain)
            yield from sized("chosen_cut", f"TREC 2021 DL: {what}, {name}", run)


def chosen(make: Callable, gain: bool, topics: int, repetitions: int, seed: int) -> Ends:
    rng = np.random.default_rng([seed, topics])
    found = np.empty((repetitions, 3))
    for r in range(repetitions):
        places, criterion, fixed, true = make(rng, topics)
        row = gains_table(places, criterion, 0.9, {"fixed": fixed}, seed=r).iloc[int(gain)]
        best = best_index(places, criterion.mean(axis=1))
        found[r] = true[best] - (true[fixed] if gain else 0.0), row["low"], row["high"]
    return tuple(found.T)


_PLACES = np.array(list(combinations(range(14), 3)))


def smooth_noise(rng: np.random.Generator, topics: int) -> tuple:
    """α that changes little from a cut to its neighbour."""
    walk = np.cumsum(rng.normal(0, 0.03, (14, topics)), axis=0)
    return _PLACES, walk[_PLACES].sum(axis=1), 150, np.zeros(len(_PLACES))


def rough_noise(rng: np.random.Generator, topics: int) -> tuple:
    return _PLACES, rng.normal(0, 0.1, (len(_PLACES), topics)), 0, np.zeros(len(_PLACES))


def dl21_alpha(data: Path, judge: str, rng: np.random.Generator, topics: int) -> tuple:
    places, criterion, fixed = _dl21_criterion(data, judge)
    drawn = criterion[:, rng.integers(0, criterion.shape[1], topics)]
    return places, drawn, fixed, criterion.mean(axis=1)


@cache
def _dl21_criterion(data: Path, judge: str) -> tuple[np.ndarray, np.ndarray, int]:
    """α of every cut into four levels (of at most 16 thresholds) on 53 topics."""
    from regrade.evaluations.cut_labels import JudgeCuts, JudgeOptions
    from regrade.trust.named_cuts import EQUAL_WIDTHS, named_cuts

    nist = regrade.read_qrels(data / "dl21" / "qrels.gz")
    labels = regrade.read_qrels(data / "dl21" / "judges" / f"{judge}.qrels.gz")
    own = LabelSet(judge, labels.table, labels.scale)
    how = JudgeOptions(grid={judge: 16})
    search = JudgeCuts(own, LabelSet.on_levels("NIST", nist.table, 4), how).search
    equal = named_cuts(search.plan.thresholds, 4, labels.scale, labels.values)[EQUAL_WIDTHS]
    (fixed,) = search.index_of([equal])
    return search.places, np.nan_to_num(search.criteria), int(fixed)
