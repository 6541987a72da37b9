"""Worlds of preferences with known strengths, and the intervals that the library gives in them.

Each function simulates one kind of interval in one world, again and again, and gives the truth and
the two ends of every one of them: three arrays of shape (repetitions, documents), NaN where the
library prints no interval.  Repetitions are topics of one table, so that one call fits them all.
`worlds` takes the first document of each, which is any: strengths are drawn alike.  Shares of
answers for the left document have worlds of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.special import expit, ndtr
from scipy.stats import norm

from regrade.preferences.scores import ratio_scores, score_documents, side_shares
from regrade.randomness import generator
from tests.coverage import World


@dataclass(frozen=True)
class PairWorld:
    """Documents with strengths, and who is asked about which pairs.

    Attributes
    ----------
    documents
        Of a topic.
    questions
        Per document: half as many answers as documents times this.  The first ones go round all
        documents, in an order drawn anew; the others are about pairs drawn at random.
    spread
        Standard deviation of the strengths, which are normal and drawn anew.
    answers
        ``whole``: a win or a loss; ``ties``: the mean of two such, a tie where they differ;
        ``parts``: of a win, beta distributed around its probability; all have this mean.
    """

    documents: int
    questions: int
    spread: float
    answers: str = "whole"

    def __str__(self) -> str:
        """Name the world in a line of a table."""
        return (
            f"{self.documents} documents, {self.questions} questions of each, spread "
            f"{self.spread:g}, {self.answers}"
        )


STRENGTH_WORLDS = (
    *(
        PairWorld(documents, questions, spread)
        for documents, questions in ((8, 7), (8, 14), (8, 35), (20, 10), (20, 19), (20, 57))
        for spread in (0.5, 1.5, 3.0)
    ),
    *(
        PairWorld(documents, questions, spread, answers)
        for answers in ("ties", "parts")
        for documents, questions in ((8, 14), (20, 10), (20, 19))
        for spread in (0.5, 1.5)
    ),
)
"""Of Bradley–Terry's strengths; few questions or a wide spread leave many without finite ones."""

LINEAR_WORLDS = tuple(
    PairWorld(documents, questions, spread, answers)
    for answers in ("normal", "graded")
    for documents, questions in ((8, 4), (8, 14), (20, 6), (20, 19))
    for spread in (0.5, 1.5)
)
"""Of least squares: differences with an error, as they are or rounded to whole numbers."""

CURVED_WORLDS = tuple(
    PairWorld(documents, questions, spread, "whole")
    for documents, questions in ((8, 14), (20, 10), (20, 19))
    for spread in (0.5, 1.5, 3.0)
)
"""Of least squares of −1 and 1, drawn as for Bradley–Terry: their means do not add up."""

_PARTS = 3.0
"""Of a beta distribution: as many wins and losses as it is worth."""

Simulated = tuple[np.ndarray, np.ndarray, np.ndarray]
"""The truth, lower and upper ends."""


def worlds(data: Path | None = None) -> list[World]:
    """All of them are made: nobody knows the strengths of real documents."""
    kinds = [
        ("bradley-terry", likely_strengths, STRENGTH_WORLDS),
        ("strength", fitted_strengths, (*LINEAR_WORLDS, *CURVED_WORLDS)),
        ("ratio", fitted_ratios, LINEAR_WORLDS),
    ]
    strengths = [
        World(
            "strength",
            f"simulated: {method}, {world.documents} documents, spread {world.spread:g}, "
            f"{world.answers} answers",
            f"{world.questions} questions of each document",
            _of_first(simulate, world),
        )
        for method, simulate, of_kind in kinds
        for world in of_kind
    ]
    return [*strengths, *_of_sides()]


def _of_sides() -> Iterator[World]:
    """Sides that decide nothing on average; a pair's answers, and a worker's, are alike."""
    for pairs, each, workers, habit in (
        (2, 5, 20, 0.0),
        (30, 5, 20, 0.0),
        (200, 5, 20, 0.0),
        (200, 1, 5, 0.5),
        (200, 5, 20, 0.5),
        (1000, 1, 10, 0.5),
        (30, 1, 1, 0.5),
    ):
        who = f"{workers} workers" if workers > 1 else "one worker"
        name = f"simulated: {each} answers to a pair on its sides, {who}"
        if habit:
            name += f" who {'like' if workers > 1 else 'likes'} a side"
        run = partial(_shares_of_sides, pairs, each, workers, habit)
        yield World("share_of_sides", name, f"{pairs} pairs", run)


def _shares_of_sides(
    pairs: int, each: int, workers: int, habit: float, repetitions: int, seed: int
) -> Simulated:
    rng = generator(seed, "coverage", "sides", str(pairs), str(each), str(workers), str(habit))
    names = [f"d{number:04d}" for number in range(2 * pairs)]
    table = pd.DataFrame({"topic": "t", "left": names[::2], "right": names[1::2]})
    table = table.loc[np.repeat(table.index, each)].assign(sides=True)
    truth, ends = np.full(repetitions, 0.5), np.empty((repetitions, 2))
    of_pairs = 2 * norm.ppf(np.arange(0.0005, 1, 0.001))
    for r in range(repetitions):
        worker = np.concatenate([rng.permutation(workers)[:each] for _ in range(pairs)])
        better, habits = np.repeat(rng.normal(0, 2, pairs), each), rng.normal(0, habit, workers)
        better += habits[worker]
        if workers == 1:  # of whom nothing is told but how this one answers
            truth[r] = expit(of_pairs + habits[0]).mean()
        strength = np.where(rng.random(len(table)) < expit(better), -1.0, 1.0)
        found = side_shares(table.assign(worker=worker.astype(str), strength=strength))
        ends[r] = found[["low", "high"]].iloc[-1]
    return truth, *ends.T


def _of_first(simulate: Callable, world: PairWorld) -> Callable[[int, int], Simulated]:
    def run(repetitions: int, seed: int) -> Simulated:
        truth, low, high = simulate(world, repetitions, seed)
        return truth[:, 0], low[:, 0], high[:, 0]

    return run


def likely_strengths(
    world: PairWorld, repetitions: int, seed: int, model: str = "bradley-terry"
) -> Simulated:
    """Strengths by ``bradley-terry`` or ``thurstone``.

    Truth: the strength less the mean of all of the topic's documents.
    """
    rng, truth, first, second = _asked(world, repetitions, seed)
    share = {"bradley-terry": expit, "thurstone": ndtr}[model]
    p = share(_differences(truth, first, second))
    if world.answers == "whole":
        won = rng.random(p.shape) < p
    elif world.answers == "ties":
        won = (rng.random((2, *p.shape)) < p).mean(axis=0)
    else:
        won = rng.beta(*(np.maximum(_PARTS * part, 1e-9) for part in (p, 1 - p)))
    scores = score_documents(_table(first, second, strength=1 - 2 * won), [model])
    return truth, *_ends(scores, truth)


def fitted_strengths(world: PairWorld, repetitions: int, seed: int) -> Simulated:
    """Strengths by ``strength``, from x_first − x_second with a normal error of deviation 1.

    Truth: those that come nearest to what is answered in the mean, less the mean of all documents.
    ``whole``: 1 with the logistic probability of the difference, else −1.
    """
    rng, truth, first, second = _asked(world, repetitions, seed)
    expected = _differences(truth, first, second)
    said = expected + rng.normal(size=expected.shape)
    if world.answers == "whole":
        expected = 2 * expit(expected) - 1
        said = np.where(rng.random(expected.shape) < (1 + expected) / 2, 1.0, -1.0)
    if world.answers == "graded":
        said = np.round(said)
        levels = np.arange(-40, 41)
        below = norm.cdf(levels[:-1] + 0.5 - expected[..., None])
        expected = levels[-1] - below.sum(axis=-1)
    truth = _nearest(expected, first, second, world.documents)
    scores = score_documents(_table(first, second, strength=-said), ["strength"])
    return truth, *_ends(scores, truth)


def fitted_ratios(world: PairWorld, repetitions: int, seed: int) -> Simulated:
    """Scores by ``ratio``, from numbers with a log-normal error.

    Truth: the ratio to the geometric mean of all documents, in the unit of the printed scores.
    ``graded``: numbers rounded to two significant digits.
    """
    rng, truth, first, second = _asked(world, repetitions, seed)
    said = [
        np.exp(np.take_along_axis(truth, side, axis=1) + rng.normal(0, 0.7, side.shape))
        for side in (first, second)
    ]
    if world.answers == "graded":
        unit = [10.0 ** (np.floor(np.log10(numbers)) - 1) for numbers in said]
        said = [np.round(numbers / size) * size for numbers, size in zip(said, unit, strict=True)]
    scores = ratio_scores(_table(first, second, left_score=said[0], right_score=said[1]), shift=0)
    printed = np.log(scores["value"].to_numpy(dtype=float)).reshape(truth.shape)
    return np.exp(truth + printed.mean(axis=1, keepdims=True)), *_ends(scores, truth)


def coverage(simulated: Simulated) -> tuple[float, float, float]:
    """Share of the printed intervals that hold the truth, its error, and the share printed.

    The error is the standard one of Monte Carlo, repetitions being independent of each other.
    """
    truth, low, high = simulated
    printed = np.isfinite(low) & np.isfinite(high)
    held = (printed & (low <= truth) & (truth <= high)).sum(axis=1)
    number = printed.sum(axis=1)
    share = held.sum() / max(number.sum(), 1)
    error = np.sqrt(((held - share * number) ** 2).sum()) / max(number.sum(), 1)
    return float(share), float(error), float(printed.mean())


def _asked(world: PairWorld, repetitions: int, seed: int):
    """Random numbers, (R, D) true strengths, (R, m) documents of each answer."""
    n = world.documents
    rng = generator(seed, "coverage", str(world))
    truth = rng.normal(0, world.spread, (repetitions, n))
    truth -= truth.mean(axis=1, keepdims=True)
    circle = np.argsort(rng.random((repetitions, n)), axis=1)
    more = n * world.questions // 2 - n
    drawn = rng.integers(n, size=(repetitions, more))
    other = (drawn + rng.integers(1, n, size=(repetitions, more))) % n
    first = np.concatenate([circle, drawn], axis=1)
    second = np.concatenate([np.roll(circle, 1, axis=1), other], axis=1)
    return rng, truth, first, second


def _differences(truth: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    of_first, of_second = (np.take_along_axis(truth, side, axis=1) for side in (first, second))
    return of_first - of_second


def _nearest(expected, first, second, n: int) -> np.ndarray:
    """(R, n) least-squares solutions with mean 0."""
    repetitions = np.arange(len(first))[:, None]
    design = np.zeros((*first.shape, n))
    answer = np.arange(first.shape[1])
    design[repetitions, answer, first] = 1
    design[repetitions, answer, second] -= 1
    turned = design.transpose(0, 2, 1)
    found = np.linalg.solve(turned @ design + 1 / n, turned @ expected[..., None])[..., 0]
    return found - found.mean(axis=1, keepdims=True)


def _table(first: np.ndarray, second: np.ndarray, **said: np.ndarray) -> pa.Table:
    """Answers; a topic per repetition, the first documents left."""
    repetitions, answers = first.shape
    names = np.array([f"{number:05d}" for number in range(max(repetitions, first.max() + 1))])
    columns = {
        "topic": pa.array(np.repeat(names[:repetitions], answers)),
        "left": pa.array(names[first.ravel()]),
        "right": pa.array(names[second.ravel()]),
        "sides": pa.array(np.ones(first.size, dtype=bool)),
    }
    return pa.table(columns | {name: pa.array(part.ravel()) for name, part in said.items()})


def _ends(scores: pd.DataFrame, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    low, high = (scores[end].to_numpy(dtype=float).reshape(truth.shape) for end in ("low", "high"))
    return low, high
