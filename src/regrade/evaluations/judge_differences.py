"""Which judge ranks systems less like the reference than the best one; and what moves scores.

Each judge is used in one way that is fixed in advance: labels on the reference's scale, or a
coarser one, as they are; values on a finer scale under the one cut for all topics, held out.
Intervals are of differences over the same bootstrap samples, and *simultaneous*: with 95 % all of
them hold at once, whichever judge came out best.  They are as wide as the largest difference among
all pairs of judges needs, in the draws, in units of its standard deviation; p-values are by the
same maximum (max-t), so p is below 0.05 where the interval excludes 0.  A verdict must not depend
on how often topics were drawn: draws are added until an end that decides is `ERRORS` Monte Carlo
errors from its threshold, and where `MOST_DRAWS` are not enough the verdict says that the judge is
at the threshold.

Which matters more for systems' scores, the judge, how its values are cut, topic or system: judges
on a finer scale than the reference's are held together with the ways to cut that all of them have,
on the topics that all of them have: an array judge × cut × topic × system of scores, whose variance
is split exactly (`regrade.variance_shares`); so is that of systems' means over topics, which rank
them.  Nothing is a sample here: shares are of these judges and these ways.  What moves the ranking
is in the shares of pairs with the system; a judge's or a cut's own share is of scores that are
higher or lower for all systems.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import sqrt
from operator import methodcaller

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.intervals import INTERVALS
from regrade.kendall import TOLERANCE
from regrade.percentiles import CONFIDENCE
from regrade.variance_shares import variance_shares

MARGIN = 0.02
"""Differences of τ_b within this count as none."""

BEST, WORSE, NON_INFERIOR = "best", "significantly worse", "non-inferior"
NOT_SIGNIFICANT, THRESHOLD = "not significant", "at the threshold"
"""Verdicts: the best itself; all of the interval below 0; all above −`MARGIN`; neither; its upper
end within `ERRORS` Monte Carlo errors of 0."""

ERRORS = 3
"""Monte Carlo errors by which an end must lie on one side."""

MOST_DRAWS = 20_000
"""Of topics, to which they are raised where fewer do not decide."""

_GROUPS = 20
"""Of draws, each left out once for the Monte Carlo error."""

AXES = ("judge", "cut", "topic", "system")
OF_MEANS = ("judge", "cut", "system")
SCORES, MEANS = "scores", "means"


@dataclass(frozen=True, eq=False)
class JudgedWay:
    """The systems under one judge's labels, cut in one way.

    Attributes
    ----------
    key
        The columns that identify it: judge, cut, held_out, measure.
    topics
        On which.
    values : array of float64
        τ_b with the reference on these topics, then on B draws of them, the same draws for the same
        topics, (1 + B,); or the systems' scores, (S, T).
    further
        Gives such τ_b on further draws: from one number of draws up to another.
    """

    key: dict[str, object]
    topics: tuple[str, ...]
    values: np.ndarray
    further: Callable[[int, int], np.ndarray] | None = None


def differences_table(ranked: Sequence[JudgedWay], threads: int = 1) -> pd.DataFrame:
    """How much less each judge's τ_b is than that of the best (table ``judges/differences``)."""
    rows = []
    for measure in dict.fromkeys(judge.key["measure"] for judge in ranked):
        of = [judge for judge in ranked if judge.key["measure"] == measure]
        of = [judge for judge in of if np.isfinite(judge.values).all()]
        if of:
            ((most, _),) = Counter(judge.topics for judge in of).most_common(1)
            of = [judge for judge in of if judge.topics == most]
            values = decisive(of, len(most), threads)
            for place, row in beside_the_best(values, len(most)):
                rows.append(of[place].key | row | {"resamples": values.shape[1] - 1})
    return pd.DataFrame(rows, columns=columns_of("judges/differences"))


def samples_table(ranked: Sequence[JudgedWay]) -> pd.DataFrame:
    """τ_b of each judge in all topics and in samples of them (table ``judges/samples``)."""
    parts = [
        pd.DataFrame({"replicate": np.arange(len(way.values)), "tau": way.values}).assign(
            **way.key, topics=len(way.topics)
        )
        for way in ranked
    ]
    columns = columns_of("judges/samples")
    return pd.concat(parts)[columns] if parts else pd.DataFrame(columns=columns)


def beside_the_best(
    values: np.ndarray, topics: int
) -> Iterator[tuple[int, dict[str, float | str]]]:
    """Each judge, the best first, and its difference from the best."""
    values, order = best_first(values)
    low, high = simultaneous_ends(values, topics)
    p = simultaneous_p(values, topics)
    errors = monte_carlo_errors(values, topics)
    for place, judge in enumerate(order):
        ends = (low[place], high[place]) if place else (np.nan, np.nan)
        word = verdict(*ends, errors[place]) if place else BEST
        difference = values[place, 0] - values[0, 0]
        row = {"difference": difference, "low": ends[0], "high": ends[1], "verdict": word}
        row |= {"p_adjusted": p[place] if place else np.nan, "draw_error": errors[place]}
        yield int(judge), row


def best_first(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The judges' values by the first of them, undefined ones last; and their places."""
    order = np.argsort(-np.nan_to_num(values[:, 0], nan=-2), kind="stable")
    return values[order], order


def verdict(low: float, high: float, error: float = 0.0) -> str:
    """The verdict by the ends of an interval and the Monte Carlo error of these."""
    near = ERRORS * error
    if high < -near:
        return WORSE
    if abs(high) < near:
        return THRESHOLD
    return NON_INFERIOR if low > near - MARGIN else NOT_SIGNIFICANT


def decisive(judges: Sequence[JudgedWay], topics: int, threads: int = 1) -> np.ndarray:
    """Their values, with draws added while some verdict depends on how many there are."""
    values = every = np.stack([judge.values for judge in judges])
    draws = every.shape[1] - 1
    with ThreadPoolExecutor(threads) as pool:
        while draws < MOST_DRAWS and all(judge.further for judge in judges):
            if not _is_near(best_first(values)[0], topics):
                break
            start, draws = draws, min(4 * draws, MOST_DRAWS)
            further = methodcaller("further", start, draws)
            every = np.hstack([every, np.stack(list(pool.map(further, judges)))])
            values = every[:, np.isfinite(every).all(axis=0)]
    return values


def _is_near(values: np.ndarray, topics: int) -> bool:
    """Whether an end that decides is within `ERRORS` Monte Carlo errors of its threshold."""
    low, high = simultaneous_ends(values, topics)[:, 1:]
    near = ERRORS * monte_carlo_errors(values, topics)[1:]
    return bool(((np.abs(high) < near) | ((high > 0) & (np.abs(low + MARGIN) < near))).any())


def monte_carlo_errors(values: np.ndarray, topics: int) -> np.ndarray:
    """The standard error that drawing gives the ends of `simultaneous_ends`.

    By leaving out each of `_GROUPS` groups of draws (a jackknife); NaN of fewer draws.
    """
    draws = values.shape[1] - 1
    if topics < INTERVALS["best_judge"].fewest or draws < 2 * _GROUPS:
        return np.full(len(values), np.nan)
    group = np.arange(draws) % _GROUPS
    halves = [_half_widths(values[:, 1:][:, group != g], topics) for g in range(_GROUPS)]
    return np.std(halves, axis=0) * sqrt(_GROUPS - 1)


def simultaneous_ends(values: np.ndarray, topics: int) -> np.ndarray:
    """Intervals of differences from the first judge, all of which hold at once."""
    if topics < INTERVALS["best_judge"].fewest or values.shape[1] < 2:
        return np.full((2, len(values)), np.nan)
    half = _half_widths(values[:, 1:], topics)
    difference = values[:, 0] - values[0, 0]
    return np.stack([difference - half, difference + half])


def simultaneous_p(values: np.ndarray, topics: int) -> np.ndarray:
    """(judges,) p of each difference from the first judge, corrected for all pairs (max-t).

    The share of draws whose largest deviation among all pairs, in standard deviations, is above
    that of the difference; between draws as `numpy.quantile` has it, so that p is below 0.05 where
    the interval of `simultaneous_ends` excludes 0.  At least 1 / (draws + 1).
    """
    if topics < INTERVALS["best_judge"].fewest or values.shape[1] < 2:
        return np.full(len(values), np.nan)
    largest, spreads = _deviations(values[:, 1:])
    difference = np.abs(values[:, 0] - values[0, 0])
    error = sqrt(topics / (topics - 1)) * spreads
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > TOLERANCE, difference / error, np.inf)
    below = np.interp(t, np.sort(largest), np.linspace(0, 1, len(largest)))
    p = np.maximum(1 - below, 1 / (len(largest) + 1))
    return np.where(difference > TOLERANCE, p, 1.0)


def _half_widths(drawn: np.ndarray, topics: int) -> np.ndarray:
    """(judges,) half the width of the interval of each difference from the first judge."""
    largest, spreads = _deviations(drawn)
    return np.quantile(largest, CONFIDENCE) * sqrt(topics / (topics - 1)) * spreads


def _deviations(drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(draws,) the largest deviation of any pair of judges; (judges,) spreads beside the first."""
    drawn = drawn - drawn.mean(axis=1, keepdims=True)
    largest, spreads = np.zeros(drawn.shape[1]), np.zeros(len(drawn))
    for judge in range(len(drawn)):
        apart = drawn[judge:] - drawn[judge]
        spread = apart.std(axis=1)
        if judge == 0:
            spreads = spread
        differ = spread > TOLERANCE
        if differ.any():
            relative = np.abs(apart[differ]) / spread[differ, None]
            largest = np.maximum(largest, relative.max(axis=0))
    return largest, spreads


def variance_table(scored: Sequence[JudgedWay]) -> pd.DataFrame:
    """Shares of the variance of scores (table ``judges/variance``)."""
    rows = []
    for measure in dict.fromkeys(way.key["measure"] for way in scored):
        values = _array([way for way in scored if way.key["measure"] == measure])
        if not values.size:
            continue
        rows += [
            _shares(measure, SCORES, values, AXES),
            _shares(measure, MEANS, values.mean(axis=AXES.index("topic")), OF_MEANS),
        ]
    columns = columns_of("judges/variance")
    return pd.concat(rows)[columns] if rows else pd.DataFrame(columns=columns)


def _shares(measure: str, of: str, values: np.ndarray, axes: Sequence[str]) -> pd.DataFrame:
    shares = variance_shares(values, axes)
    count = dict(zip(axes, values.shape, strict=True))
    both = zip(shares["axis"], shares["other"], strict=True)
    levels = [count[axis] * count.get(other, 1) for axis, other in both]
    return shares.assign(measure=measure, of=of, levels=levels)


def _array(scored: Sequence[JudgedWay]) -> np.ndarray:
    """Scores by judge, cut, topic and system, of the ways and topics that all judges have."""
    judges: dict[str, dict[str, pd.DataFrame]] = {}
    for way in sorted(scored, key=lambda way: way.key["held_out"]):  # held out stays
        own = judges.setdefault(way.key["judge"], {})
        own[way.key["cut"]] = pd.DataFrame(way.values.T, index=way.topics)
    cuts = [cut for cut in next(iter(judges.values())) if all(cut in of for of in judges.values())]
    own = [[of[cut] for cut in cuts] for of in judges.values()]
    if not cuts:
        return np.empty(0)
    topics = sorted(set.intersection(*(set(way.index) for row in own for way in row)))
    return np.array([[way.loc[topics].to_numpy() for way in row] for row in own])
