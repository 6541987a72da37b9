"""Worlds of several collections: an effect in each, over them, and how much it differs.

A collection's topics are a sample of its own population, and the effects of collections one of
theirs.  Collections have 25 to 60 topics, and standard deviations that differ by up to a factor of
two.  The variance among collections is said in units of that of an estimate from 40 topics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

import regrade
from regrade.evaluations.judge_differences import beside_the_best
from regrade.favours.effects import at_equal_quality, contributions
from regrade.kendall import tau_b
from regrade.pooled_effects.effects import Effects, SampledEffect, TopicEffect
from regrade.pooled_effects.heterogeneity import welch
from regrade.pooled_effects.pooled import (
    FixedMean,
    estimates,
    over_collections,
    pooled_tables,
)
from regrade.replacement.margins import NO, YES, verdict_of
from regrade.significance.corrections import adjust
from regrade.significance.discrimination import SIGNIFICANCE
from regrade.stages.effects import effect_of
from tests.coverage import World
from tests.coverage.favours import FAVOUR, Labelling, members_of
from tests.coverage.favours import drawn as drawn_scores
from tests.coverage.replacement import line_of, made, truth_of
from tests.coverage.topics import Ends, on_shared_topics

COUNTS = (2, 3, 5, 10)
"""Of collections."""

FAVOURING = (2, 4)
"""Of collections that favour is pooled over."""

LINES = ("tau", "level", "spread")
"""Lines of a verdict over collections."""

FEW, USUAL = (10, 10), (25, 60)
"""The fewest and the most topics of a collection."""

AMONG = (0.0, 1.0, 4.0)
"""Variances among collections, in those of an estimate."""

TYPICAL = 1 / 40
"""The variance of an estimate, of 40 topics of unit variance."""

DRAWS = 200
"""Of topics of a collection, for τ_b."""


def worlds(data: Path | None = None) -> list[World]:
    """All of them; real ones where `data` is there."""
    return [*_fixed(data), *_population(), *_differences(), *_variances(), *_ranked(data)]


def collections(
    rng: np.random.Generator,
    count: int,
    among: float,
    *,
    skewed: bool = False,
    topics: tuple[int, int] = USUAL,
    mean: float = 0.3,
) -> tuple[np.ndarray, list[TopicEffect]]:
    """The true effects of some collections, and a sample of the topics of each."""
    truth = mean + rng.normal(0, np.sqrt(among * TYPICAL), count)
    own = []
    for c, effect in enumerate(truth):
        size, spread = rng.integers(topics[0], topics[1] + 1), np.exp(rng.uniform(-0.35, 0.35))
        noise = (rng.gamma(1.5, 1, size) - 1.5) / np.sqrt(1.5) if skewed else rng.normal(0, 1, size)
        names = tuple(f"{c}-{t}" for t in range(size))
        own.append(TopicEffect(names, effect + spread * noise))
    return truth, own


def _of_rows(
    estimand: Callable[[np.ndarray], float],
    column: str,
    make: Callable,
    repetitions: int,
    seed: int,
) -> Ends:
    """The truth and the ends of a column of ``meta_analysis/overall``."""
    low, high = (f"{column}_{end}" if column else end for end in ("low", "high"))
    found = np.empty((repetitions, 3))
    rng = np.random.default_rng(seed)
    for r in range(repetitions):
        truth, own = make(rng)
        row = over_collections(own)
        found[r] = estimand(truth), row.get(low, np.nan), row.get(high, np.nan)
    return tuple(found.T)


def _made(
    interval: str,
    column: str,
    estimand: Callable,
    *,
    skewed: bool,
    counts: tuple[int, ...] = COUNTS,
    every: tuple[float, ...] = AMONG,
) -> Iterator[World]:
    """Worlds of an interval for each number of collections and each variance among them."""
    for count in counts:
        for among in every:
            name = (
                f"{'skewed' if skewed else 'normal'} topics, variance among collections {among:g}"
            )
            make = partial(collections, count=count, among=among, skewed=skewed)
            of_among = partial(estimand, among) if interval.startswith("variance") else estimand
            run = partial(_of_rows, of_among, column, make)
            yield World(interval, f"simulated: {name}", f"{count} collections", run)


def _mean(truth: np.ndarray) -> float:
    return float(truth.mean())


def _population_mean(truth: np.ndarray) -> float:
    return 0.3


def _difference(truth: np.ndarray) -> float:
    return float(truth[1] - truth[0])


def _variance(among: float, truth: np.ndarray) -> float:
    return among * TYPICAL


def _fixed(data: Path | None) -> Iterator[World]:
    few = partial(collections, count=2, among=1.0, topics=FEW)
    run = partial(_of_rows, _mean, "", few)
    yield World("mean_of_collections", "simulated: 2 collections of 10 topics", "10 topics", run)
    for skewed in (False, True):
        yield from _made("mean_of_collections", "", _mean, skewed=skewed, every=(1.0,))
    yield from _of_tau("mean_of_collections", data, _run_mean_tau)
    for count in FAVOURING:
        for controlled in (False, True):
            beside = "less the control" if controlled else "beside the reference"
            name = f"simulated: favour of {FAVOUR:g} at equal quality, {beside}"
            run = partial(_run_favour, count, controlled)
            yield World("mean_of_collections", name, f"{count} collections", run)
    for line, text in (("tau", "τ_b less a second person's"), ("level", "level of scores")):
        for topics in (25, 50):
            name = f"simulated: two collections, a judge in place of people, {text}"
            run = partial(_run_line, line, topics)
            yield World("mean_of_collections", name, f"{topics} topics", run)


def _run_favour(count: int, controlled: bool, repetitions: int, seed: int) -> Ends:
    """Contributions of topics, as `favour/topic_effects` has them, of 25 to 60 topics each."""
    how, rng = Labelling(0.1, 0.8, favour=FAVOUR), np.random.default_rng([seed, count])
    members, ends = members_of(how), np.empty((repetitions, 2))
    place = [family for family, _ in how.families].index(how.family)
    for r in range(repetitions):
        own = []
        for _ in range(count):
            topics = int(rng.integers(USUAL[0], USUAL[1] + 1))
            scores = drawn_scores(how, topics, rng, judges=1)
            difference = scores.judges - scores.reference
            if controlled:
                difference = difference - scores.control_differences()
            equal = at_equal_quality(difference, scores.reference, members)
            values = contributions(equal.by_topic, equal.value)[0, place]
            own.append(TopicEffect(tuple(map(str, range(topics))), values))
        row = over_collections(own)
        ends[r] = row["low"], row["high"]
    return np.full(repetitions, FAVOUR), *ends.T


def _run_line(name: str, topics: int, repetitions: int, seed: int) -> Ends:
    """The mean over two collections of a line of `replace`, of a judge that errs more."""
    population, rng = made(1.0, 0.4), np.random.default_rng([seed, topics])
    ends = np.empty((repetitions, 2))
    for r in range(repetitions):
        own = []
        for _ in range(2):
            sample = population.sample(rng.integers(0, population.size, topics))
            line = line_of(name, sample, rng)
            samples = np.append(line.value, line.drawn)
            own.append(SampledEffect(topics, samples, is_agreement=False))
        row = over_collections(own)
        ends[r] = row["low"], row["high"]
    return np.full(repetitions, truth_of(name, population, topics, rng)), *ends.T


EFFECT, DIFFERS = "effect over collections", "differs between collections"

SUBJECTS = 4
"""Of which an effect is tested, with Holm's correction."""


def claims() -> Iterator[tuple[str, str, str, Callable]]:
    """Of effects over collections; and that a judge can replace people over two, or cannot."""
    worlds = (
        (EFFECT, "effects of 0", True, {"mean": 0.0, "among": 0.0}),
        (EFFECT, "effects of 0.3", False, {"among": 0.0}),
        (DIFFERS, "effects alike", True, {"among": 0.0}),
        (DIFFERS, f"variance among collections {AMONG[-1]:g}", False, {"among": AMONG[-1]}),
    )
    for (claim, text, is_false, of), count, skewed in product(worlds, (2, 5), (False, True)):
        if skewed and not is_false:
            continue
        make = partial(collections, count=count, skewed=skewed, **of)
        name = f"simulated: {'skewed' if skewed else 'normal'} topics, {text}"
        run = partial(_run_tests, claim, make, is_false)
        yield claim, name, f"{count} collections", run
    for topics in (25, 50):
        size = f"{topics} topics"
        for name in LINES:
            text = f"simulated: two collections, a judge at the margin of {name}"
            yield "replaces", text, size, partial(_run_verdict, (name,), YES, topics)
        text = f"simulated: two collections, a judge at the margins of {', '.join(LINES)}"
        yield "replaces not", text, size, partial(_run_verdict, LINES, NO, topics)


def _run_tests(
    claim: str, make: Callable, is_false: bool, repetitions: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Whether it is said of any subject."""
    rng, said = np.random.default_rng(seed), np.zeros(repetitions, dtype=bool)
    for r in range(repetitions):
        every = (make(rng)[1] for _ in range(SUBJECTS))
        p = [FixedMean.of(o).p if claim == EFFECT else welch(*estimates(o))[1] for o in every]
        said[r] = (adjust(np.array(p), "holm") < SIGNIFICANCE).any()
    return said * float(is_false), said & (not is_false)


def _run_verdict(
    names: tuple[str, ...], word: str, topics: int, repetitions: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """How often a judge whose costs are the margins has the verdict."""
    population, rng = made(1.0, 0.4), np.random.default_rng([seed, topics])
    margins = {}
    for name in names:
        truth = truth_of(name, population, topics, rng)
        size = abs(np.log(truth)) if name == "spread" else abs(truth)
        margins[name] = (-size, np.inf if name == "tau" else size)
    said = np.zeros(repetitions)
    for r in range(repetitions):
        of: dict[tuple[str, str], dict[str, SampledEffect]] = {}
        for collection in "xy":
            sample = population.sample(rng.integers(0, population.size, topics))
            for name in names:
                line = line_of(name, sample, rng)
                value = np.log(line.value) if name == "spread" else line.value
                own = SampledEffect(
                    topics, np.append(value, line.drawn), 0, False, margins[name], line.also
                )
                of.setdefault(("m", name), {})[collection] = own
        effects = Effects(effect_of("replace"), ("x", "y"), of, {})
        overall = pooled_tables(effects, DRAWS, seed)["overall"]
        said[r] = verdict_of(overall["verdict"]) == word
    return said, np.zeros(repetitions, dtype=bool)


def _population() -> Iterator[World]:
    for skewed in (False, True):
        yield from _made("mean_over_collections", "population", _population_mean, skewed=skewed)


def _differences() -> Iterator[World]:
    few = partial(collections, count=2, among=1.0, topics=FEW)
    run = partial(_of_rows, _difference, "difference", few)
    name = "simulated: 2 collections of 10 topics"
    yield World("difference_of_collections", name, "10 topics", run)
    for skewed in (False, True):
        yield from _made(
            "difference_of_collections",
            "difference",
            _difference,
            skewed=skewed,
            counts=(2,),
            every=(1.0,),
        )


def _variances() -> Iterator[World]:
    for skewed in (False, True):
        yield from _made("variance_among_collections", "tau_squared", _variance, skewed=skewed)


# --- rankings of systems --------------------------------------------------------------------------

Scores = list[tuple[np.ndarray, list[np.ndarray]]]
"""Of each collection: (S, T) scores under the reference, and under each judge."""


def _of_tau(interval: str, data: Path | None, run: Callable) -> Iterator[World]:
    """Worlds of τ_b with a reference's ranking: made ones of five judges, real ones of three."""
    for topics in (10, 25, 50):
        size = f"{topics} topics"
        name = "simulated: two collections, five judges, 20 systems, τ_b"
        yield World(interval, name, size, partial(run, made_scores, topics))
        if data is not None:
            name = "TREC 2019 and 2021 DL: three judges, τ_b"
            yield World(interval, name, size, partial(run, partial(real_scores, data), topics))


def made_scores() -> Scores:
    """Two collections of 2,000 topics: five judges that differ in how noisy they are."""
    scores = []
    for collection in range(2):
        rng = np.random.default_rng(collection)
        effect = rng.normal(0, 0.1, (20, 1))
        reference = effect + rng.normal(0, 0.2, (20, 2000))
        judges = [
            reference
            + rng.normal(0, 0.06, (20, 1)) * noise
            + rng.normal(0, noise * 0.2, (20, 2000))
            for noise in (0.6, 0.7, 0.8, 1.0, 1.2)
        ]
        scores.append((reference, judges))
    return scores


def real_scores(data: Path) -> Scores:
    """nDCG@10 under NIST's labels, and under those of three judges, on 43 and on 53 topics."""
    scores = []
    for year, folder, umbrela in (("dl19", "judges", ""), ("dl21", "rerankers", "-2")):
        runs = regrade.read_runs(str(data / year / "runs" / "*.gz"))
        names = (f"gpt-4o-umbrela{umbrela}", "monot5-3b", "rank1-14b")
        files = [data / year / folder / f"{name}.qrels.gz" for name in names]
        under = [
            regrade.score(str(file), runs, "nDCG@10").scores
            for file in (data / year / "qrels.gz", *files)
        ]
        both = [on_shared_topics(under[0], one) for one in under[1:]]
        scores.append((both[0][0], [own for _, own in both]))
    return scores


def _taus(reference: np.ndarray, judges: list[np.ndarray], weights: np.ndarray) -> np.ndarray:
    """(J, W) τ_b of each judge's ranking under weights of topics."""
    means = weights @ reference.T
    return np.array([[*map(tau_b, means, weights @ own.T)] for own in judges])


def _sampled_taus(scores: Scores, topics: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Of each collection (J, 1 + B): τ_b on a sample of topics, and on samples of that."""
    values = []
    for reference, judges in scores:
        drawn = rng.integers(0, reference.shape[1], topics)
        times = rng.multinomial(topics, np.full(topics, 1 / topics), size=DRAWS)
        weights = np.vstack([np.ones(topics), times])
        own = [np.ascontiguousarray(judge[:, drawn]) for judge in judges]
        values.append(_taus(np.ascontiguousarray(reference[:, drawn]), own, weights))
    return values


def _true_taus(scores: Scores, topics: int) -> np.ndarray:
    """(J,) means over samples of equally many topics, of the mean over collections."""
    rng, means = np.random.default_rng([9, topics]), []
    for reference, judges in scores:
        size = reference.shape[1]
        weights = rng.multinomial(topics, np.full(size, 1 / size), size=3000)
        means.append(_taus(reference, judges, weights.astype(float)).mean(axis=1))
    return np.mean(means, axis=0)


def _run_mean_tau(source: Callable, topics: int, repetitions: int, seed: int) -> Ends:
    """The mean over two collections of the second judge's τ_b."""
    scores, rng = source(), np.random.default_rng([seed, topics])
    truth, found = _true_taus(scores, topics)[1], np.empty((repetitions, 2))
    for r in range(repetitions):
        own = [SampledEffect(topics, of[1]) for of in _sampled_taus(scores, topics, rng)]
        row = over_collections(own)
        found[r] = row["low"], row["high"]
    return np.full(repetitions, truth), *found.T


def _ranked(data: Path | None) -> Iterator[World]:
    yield from _of_tau("best_over_collections", data, _run_ranked)


def _run_ranked(source: Callable, topics: int, repetitions: int, seed: int) -> Ends:
    """Differences from the first, all at once: that furthest beyond an end stands for all."""
    scores, rng = source(), np.random.default_rng([seed, topics])
    truth, found = _true_taus(scores, topics), np.empty((repetitions, 3))
    for r in range(repetitions):
        values = np.mean(_sampled_taus(scores, topics, rng), axis=0)
        rows = [*beside_the_best(values, topics)]
        first = rows[0][0]
        ends = np.array([
            (truth[judge] - truth[first], row["low"], row["high"]) for judge, row in rows[1:]
        ])  # fmt: skip
        beyond = np.maximum(ends[:, 1] - ends[:, 0], ends[:, 0] - ends[:, 2])
        found[r] = ends[beyond.argmax()]
    return tuple(found.T)
