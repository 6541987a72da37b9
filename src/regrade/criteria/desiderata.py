"""What lioma2017 wants of a measure of two criteria, D1–D8, tried on all small rankings.

Each desideratum becomes a statement about pairs of rankings that differ in one thing, and the
table counts for how many it holds.  Where the paper's words and its argument say different things,
both are tried (`Reading`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations, permutations, product

import numpy as np
import pandas as pd

from regrade.criteria.errors import normalised_rank_error
from regrade.criteria.scores import convex_mean, harmonic_mean, normalised_weighted_score
from regrade.kendall import TOLERANCE

Grades = tuple[tuple[float, ...], tuple[float, ...]]
Value = Callable[[Grades, float], float]
"""Of a ranking's grades by two criteria, and the weight of the first, from 0 to 1."""

N = 4
"""Documents in the rankings that are tried."""

RELEVANT = 3
"""The lowest grade that F takes as relevant, as in the paper."""


def _ndcg(grades: tuple[float, ...]) -> float:
    return normalised_weighted_score([grades], [1.0])


def _f1(grades: tuple[float, ...]) -> float:
    """F-1 of the documents retrieved, all of those that are judged."""
    relevant = sum(grade >= RELEVANT for grade in grades)
    return 2 * relevant / (len(grades) + relevant)


def _aggregate(mean, first, second) -> Value:
    return lambda grades, w: float(mean([first(grades[0]), second(grades[1])], [w, 1 - w]))


MEASURES: dict[str, Value] = {
    "NLRE": lambda grades, w: normalised_rank_error(grades, [w, 1 - w], "local"),
    "NGRE": lambda grades, w: normalised_rank_error(grades, [w, 1 - w], "global"),
    "NWCS": lambda grades, w: normalised_weighted_score(grades, [w, 1 - w]),
    "CAM(NDCG,NDCG)": _aggregate(convex_mean, _ndcg, _ndcg),
    "WHAM(NDCG,NDCG)": _aggregate(harmonic_mean, _ndcg, _ndcg),
    "CAM(NDCG,F-1)": _aggregate(convex_mean, _ndcg, _f1),
    "WHAM(NDCG,F-1)": _aggregate(harmonic_mean, _ndcg, _f1),
}
"""The measures that are tried; aggregates of two kinds of measures, since it depends on them."""


@dataclass(frozen=True)
class Reading:
    """A desideratum as a statement that can be tried.

    Attributes
    ----------
    desideratum, name, text
        D1 … D8; which reading of it; what is stated.
    differences
        Of a measure: the grades that differ, and how far the statement holds: above 0 strictly,
        0 where the two are equal, below 0 not.
    strict
        Whether equal values break it.
    """

    desideratum: str
    name: str
    text: str
    differences: Callable[[Value], Iterator[tuple[object, float]]]
    strict: bool = True


TIED = (2.0,) * N
"""Grades of a criterion by which nothing can be wrong."""

HALF = 0.5


def _swapped(grades: tuple[float, ...], i: int, j: int) -> tuple[float, ...]:
    new = list(grades)
    new[i], new[j] = new[j], new[i]
    return tuple(new)


IDEAL = (4.0, 3.0, 2.0, 1.0)
"""Four documents, best first."""


def _lost(
    value: Value, better: tuple[float, ...], worse: tuple[float, ...]
) -> Iterator[tuple[object, float]]:
    """By how much a list has the higher value by either criterion, all being tied by the other."""
    for a, b in (((better, TIED), (worse, TIED)), ((TIED, better), (TIED, worse))):
        yield (a, b), value(a, HALF) - value(b, HALF)


def _larger_errors(value: Value) -> Iterator[tuple[object, float]]:
    for i, j in combinations(range(N - 1), 2):
        smaller, larger = (_swapped(IDEAL, i, place) for place in (j, j + 1))
        yield from _lost(value, smaller, larger)


def _higher_errors(value: Value) -> Iterator[tuple[object, float]]:
    for i in range(N - 2):
        upper, lower = (_swapped(IDEAL, place, place + 1) for place in (i, i + 1))
        yield from _lost(value, lower, upper)


def _larger_differences(value: Value) -> Iterator[tuple[object, float]]:
    """Two neighbours in the wrong order; the better one becomes better still."""
    for low, middle, high in ((1.0, 2.0, 3.0), (1.0, 2.0, 4.0), (1.0, 3.0, 4.0), (2.0, 3.0, 4.0)):
        for i in range(N - 1):
            rest = (4.0,) * i, (1.0,) * (N - 2 - i)
            near, far = ((*rest[0], low, better, *rest[1]) for better in (middle, high))
            yield from _lost(value, near, far)


def _errors_together(value: Value) -> Iterator[tuple[object, float]]:
    """What an error of credibility costs, with one of relevance at the same ranks and without."""
    for i in range(N - 1):
        wrong = _swapped(IDEAL, i, i + 1)
        with_error = value((wrong, IDEAL), HALF) - value((wrong, wrong), HALF)
        without = value((IDEAL, IDEAL), HALF) - value((IDEAL, wrong), HALF)
        yield (wrong, wrong), with_error - without


def _relevant_documents(value: Value) -> Iterator[tuple[object, float]]:
    """What it costs on documents that are all of a high, and of a low relevance."""
    for i in range(N - 1):
        wrong = _swapped(IDEAL, i, i + 1)
        for low, high in ((1.0, 2.0), (1.0, 4.0), (2.0, 3.0), (3.0, 4.0)):
            costs = [
                value(((r,) * N, IDEAL), HALF) - value(((r,) * N, wrong), HALF) for r in (low, high)
            ]
            yield (low, high, wrong), costs[1] - costs[0]


def _defined(value: Value) -> Iterator[tuple[object, float]]:
    for a, b, w in product((0.0, 1.0, 4.0), (0.0, 1.0, 4.0), (0.0, HALF, 1.0)):
        score = value(((a,) * N, (b,) * N), w)
        yield (a, b, w), 0.0 if np.isfinite(score) and 0 <= score <= 1 + TOLERANCE else -1.0


def _scaled(value: Value, together: bool) -> Iterator[tuple[object, float]]:
    """Grades of both criteria times a constant, or of the second alone."""
    seconds = ((4.0, 2.0, 1.0, 3.0), (1.0, 1.0, 4.0, 2.0), (3.0, 3.0, 3.0, 1.0))
    for factor in (0.5, 2.0, 10.0):
        for a, b in product(set(permutations((4.0, 3.0, 1.0, 1.0))), seconds):
            first = tuple((factor if together else 1.0) * g for g in a)
            scaled = first, tuple(factor * g for g in b)
            yield (a, b), -abs(value(scaled, HALF) - value((a, b), HALF))


def _one_criterion(value: Value) -> Iterator[tuple[object, float]]:
    """Rankings tied by one criterion have the order that they have at its level 1."""
    rankings = sorted(set(permutations((4.0, 3.0, 1.0, 1.0))))
    for side, level in product((0, 1), (2.0, 4.0)):
        values = {}
        for constant in (1.0, level):
            sides = ([(r, (constant,) * N), ((constant,) * N, r)][side] for r in rankings)
            values[constant] = np.array([value(grades, HALF) for grades in sides])
        for i, j in combinations(range(len(rankings)), 2):
            expected, observed = (_sign(values[k][i] - values[k][j]) for k in (1.0, level))
            yield (rankings[i], rankings[j], level), 0.0 if expected == observed else -1.0


def _sign(difference: float) -> int:
    return int(difference > TOLERANCE) - int(difference < -TOLERANCE)


WEIGHTS = (0.1, 0.3, 0.5, 0.7, 0.9)


def _weighed(value: Value) -> Iterator[tuple[object, float]]:
    """An error of relevance costs more as relevance weighs more, beside one of credibility."""
    for i in range(N - 1):
        wrong = _swapped(IDEAL, i, i + 1)
        beside = [value((IDEAL, wrong), w) - value((wrong, IDEAL), w) for w in WEIGHTS]
        for w, less, more in zip(WEIGHTS[1:], beside[:-1], beside[1:], strict=True):
            yield (wrong, w), more - less


def _adjusted(value: Value) -> Iterator[tuple[object, float]]:
    for what, difference in _weighed(value):
        yield what, abs(difference)


READINGS = (
    Reading("D1", "", "an exchange over more ranks costs more", _larger_errors),
    Reading("D2", "", "the same exchange costs more one rank higher", _higher_errors),
    Reading(
        "D3", "", "a greater difference of two exchanged grades does not cost less",
        _larger_differences, strict=False,
    ),
    Reading(
        "D3", "strictly", "a greater difference of two exchanged grades costs more",
        _larger_differences,
    ),
    Reading(
        "D4", "as argued", "an error of credibility costs more with one of relevance at its ranks",
        _errors_together,
    ),
    Reading(
        "D4", "as worded", "an error of credibility costs more where documents are more relevant",
        _relevant_documents,
    ),
    Reading("D5", "", "defined, from 0 to 1, where all grades are tied", _defined, strict=False),
    Reading(
        "D6", "all grades", "grades by both criteria times a constant change nothing",
        partial(_scaled, together=True), strict=False,
    ),
    Reading(
        "D6", "of one criterion", "grades by one criterion times a constant change nothing",
        partial(_scaled, together=False), strict=False,
    ),
    Reading(
        "D7", "", "rankings tied by one criterion are ordered by the other, whatever the level",
        _one_criterion, strict=False,
    ),
    Reading("D8", "adjusted", "a weight changes what the criteria's errors cost", _adjusted),
    Reading(
        "D8", "as told", "μ, or λ, makes errors of relevance dearer beside those of credibility",
        _weighed,
    ),
)  # fmt: skip
"""All that is tried."""

_IN_GENERAL = ("D2", "D4", "D6")


def claimed(measure: str, desideratum: str) -> str:
    """What the paper says: ``yes``, ``no``, ``not in general`` (§§4–5)."""
    if measure == "NWCS" and desideratum == "D4":
        return "no"
    if measure.startswith(("CAM", "WHAM")) and desideratum in _IN_GENERAL:
        return "not in general"
    return "yes"


def desiderata() -> pd.DataFrame:
    """Try every desideratum on every measure."""
    rows = []
    for (name, value), reading in product(MEASURES.items(), READINGS):
        cases = list(reading.differences(value))
        signs = np.array([_sign(difference) for _, difference in cases])
        holds = signs > 0 if reading.strict else signs >= 0
        failed = (str(what) for (what, _), h in zip(cases, holds, strict=True) if not h)
        row = {"measure": name, "desideratum": reading.desideratum, "reading": reading.name}
        row |= {"statement": reading.text, "claimed": claimed(name, reading.desideratum)}
        row |= {"cases": len(cases), "held": int(holds.sum()), "equal": int((signs == 0).sum())}
        rows.append(row | {"against": next(failed, None)})
    return pd.DataFrame(rows)
