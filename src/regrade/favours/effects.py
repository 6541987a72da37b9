"""How much more a judge raises a family of systems than the other systems.

Of topic t, D(j, t, s) is the score of system s under judge j less that under the reference.  The
*favour* of a family F is the mean of D over its systems less that over the other systems, in means
over topics: a difference of differences, in which what raises all systems alike cancels.  The
topics are a sample, the systems and families are fixed.

*Less the control.*  People who label the same documents anew also raise some families, as they
differ from the reference.  From D is taken the mean of D over the controls of the topic.

*At equal quality.*  A judge on a compressed scale, or one under which good systems have less room
to rise, raises weak systems more than strong ones: not favour.  Each system of the family is
compared with the `NEIGHBOURS` other systems nearest in quality, for topic t the mean of the
reference's scores on the other topics.  Families need not overlap so far that nothing remains
between system and neighbours.  Let b be the slope of D on quality, the same for all families and
estimated within families only (a favoured family is not its own yardstick).  What is compared is
D − b Y, Y being the reference's scores.  An error of the reference's labels of topic t is in D and
in Y of that topic with opposite signs, so b joins different topics only:

    b = Σ_{t ≠ u} ⟨D_t, P Y_u⟩ / Σ_{t ≠ u} ⟨Y_t, P Y_u⟩,

P being the projection that removes the means of families.  Errors of different topics are
independent, so neither sum is moved by them: the slope is that on true quality, which regression
on observed means underestimates.  Its error is part of the jackknife over topics.  The nearest
systems are those of the sample: intervals are of the favour beside these.  *Regressed*, the family
is compared with all other systems by the same slope: right where D is linear in quality.

*All at once.*  Intervals hold for all judges and families together: the critical value is the 95th
percentile of the largest |t| of all effects in bootstrap samples of topics, each of which has its
own standard error (bootstrap-t).  p-values are by the same maximum.

References
----------
Efron and Tibshirani, An Introduction to the Bootstrap (1993), §12.5; Romano and Wolf, Exact and
approximate stepdown methods for multiple hypothesis testing, JASA 100 (2005), for max-t; Fuller,
Measurement Error Models (1987), §1.2, for slopes on what is measured with error; Rubin, Using
propensity scores to help design observational studies, Health Services & Outcomes Research
Methodology 2 (2001), for matching with adjustment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from regrade.errors import MethodError
from regrade.kendall import TOLERANCE
from regrade.percentiles import CONFIDENCE
from regrade.randomness import generator, with_replacement
from regrade.ranking.power import noncentrality

REFERENCE, CONTROL = "reference", "control"
"""Baselines of a judge: the reference; the mean of the controls, by their difference from it."""

ALL, EQUAL, REGRESSED = "all", "equal", "regressed"
"""Other systems with which a family is compared: all; those nearest in quality, adjusted by the
slope; all, adjusted by the slope."""

FEWEST = 15
"""Topics from which on there are intervals."""

NEIGHBOURS = 5
"""Other systems with which a system of a family is compared at equal quality."""

COMPARABLE = 0.25
"""Standard deviations of systems' quality by which a family and its neighbours may differ.

Adjustment by a slope is right for small differences only (Rubin 2001): with more, a curved relation
of a judge's scores and quality looks like favour.
"""

RELIABLE = 3
"""Standard errors above zero from which on the variance of quality within families is known."""


@dataclass(frozen=True, eq=False)
class FavourScores:
    """Scores of the same systems on the same topics under several label sets.

    Attributes
    ----------
    reference : array of float64, shape (T, S)
    judges : array of float64, shape (J, T, S)
    controls : array of float64, shape (C, T, S)
        Of further people; NaN on all systems of a topic that a control did not label.
    """

    reference: np.ndarray
    judges: np.ndarray
    controls: np.ndarray

    @property
    def controlled(self) -> np.ndarray:
        """(T,) whether some control labelled the topic."""
        return ~np.isnan(self.controls[:, :, 0]).all(axis=0)

    def of_topics(self, topics: np.ndarray) -> FavourScores:
        """The scores of some topics."""
        return FavourScores(
            self.reference[topics], self.judges[:, topics], self.controls[:, topics]
        )

    def control_differences(self) -> np.ndarray:
        """(T, S) the mean over a topic's controls of their difference from the reference."""
        known = ~np.isnan(self.controls)
        total = np.where(known, self.controls - self.reference, 0.0).sum(axis=0)
        count = known.sum(axis=0)
        return np.divide(total, count, where=count > 0, out=np.full(total.shape, np.nan))


@dataclass(frozen=True, eq=False)
class Effects:
    """Favour of R judges (or controls) for F families.

    Attributes
    ----------
    value, error, low, high, p : array of float64, shape (R, F)
        The mean over topics, its standard error, simultaneous 95% interval and p corrected for all
        R × F; NaN where undefined.
    by_topic : array of float64, shape (R, F, T)
        What each topic contributes: the mean of these is the value.  At equal quality these are
        the jackknife's pseudo-values, the mean of which differs from the value by its bias.
    critical
        How many standard errors the intervals are long, on each side; NaN without intervals.
    """

    value: np.ndarray
    error: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray
    by_topic: np.ndarray
    critical: float

    @property
    def detectable(self) -> np.ndarray:
        """(R, F) the least favour that is significant in four of five samples of topics.

        NaN where topics do not vary, as of a judge that labels as the reference does.
        """
        topics = self.by_topic.shape[-1]
        if not np.isfinite(self.critical):
            return np.full(self.value.shape, np.nan)
        least = noncentrality(self.critical, topics - 1) * self.error
        return np.where(self.error > TOLERANCE, least, np.nan)


def contrasts(members: np.ndarray) -> np.ndarray:
    """(F, S) the weights of systems: the mean of a family less the mean of the other systems.

    Raises
    ------
    MethodError
        If a family has no system or all of them.
    """
    members = np.asarray(members, dtype=bool)
    size, every = members.sum(axis=1), members.shape[1]
    for family in np.flatnonzero((size == 0) | (size == every)):
        has = "no system" if size[family] == 0 else "all systems"
        raise MethodError(
            f"family {family + 1} has {has}: favour is beside other systems; leave it out"
        )
    return members / size[:, None] - ~members / (every - size)[:, None]


def effects_at_once(
    by_topic: np.ndarray, value: np.ndarray | None = None, draws: int = 10_000, seed: int = 1
) -> Effects:
    """Means over topics with simultaneous intervals, by `draws` bootstrap samples of topics.

    Parameters
    ----------
    by_topic : array of float64, shape (R, F, T)
    value : array of float64, shape (R, F)
        What the topics' values are of, where that is not their mean.
    """
    by_topic = np.asarray(by_topic, dtype=float)
    topics = by_topic.shape[-1]
    value = by_topic.mean(axis=-1) if value is None else np.asarray(value, dtype=float)
    nothing = np.full(value.shape, np.nan)
    if topics < 2:
        return Effects(value, nothing, nothing, nothing, nothing, by_topic, np.nan)
    error = by_topic.std(axis=-1, ddof=1) / np.sqrt(topics)
    varies = error > TOLERANCE
    if topics < FEWEST:
        return Effects(value, error, nothing, nothing, nothing, by_topic, np.nan)
    largest, critical = np.zeros(draws), np.nan
    if varies.any():
        largest = largest_t(by_topic[varies], draws, seed)
        critical = float(np.quantile(largest, CONFIDENCE))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(varies, np.abs(value) / error, np.where(np.abs(value) > TOLERANCE, np.inf, 0))
    below = np.interp(t, np.sort(largest), np.linspace(0, 1, len(largest)))
    below = np.where(t > 0, below, 0.0)
    p = np.where(np.isnan(value), np.nan, np.maximum(1 - below, 1 / (len(largest) + 1)))
    half = np.where(varies, critical, 1.0) * error
    return Effects(value, error, value - half, value + half, p, by_topic, critical)


def largest_t(by_topic: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """(draws,) the largest |t| of (K, T) values in each bootstrap sample of topics."""
    topics = by_topic.shape[-1]
    away = (by_topic - by_topic.mean(axis=-1, keepdims=True)).T
    away = away / away.std(axis=0)
    largest = np.empty(draws)
    rng = generator(seed, "favour")
    for start in range(0, draws, 1000):
        stop = min(start + 1000, draws)
        weights = with_replacement(rng, topics, stop - start) / topics
        mean = weights @ away
        variance = weights @ away**2 - mean**2
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(variance > TOLERANCE, mean**2 / variance, 0.0)
        largest[start:stop] = np.sqrt((topics - 1) * t.max(axis=1))
    return largest


@dataclass(frozen=True, eq=False)
class EqualQuality:
    """The slope of differences on quality, and effects without what it explains.

    Attributes
    ----------
    slope : array of float64, shape (R,)
        Of each judge; NaN where systems of the same family do not differ reliably.
    slope_without : array of float64, shape (R, T)
        Without each topic.
    value : array of float64, shape (R, F)
    by_topic : array of float64, shape (R, F, T)
    """

    slope: np.ndarray
    slope_without: np.ndarray
    value: np.ndarray
    by_topic: np.ndarray


def at_equal_quality(
    difference: np.ndarray,
    reference: np.ndarray,
    members: np.ndarray,
    neighbours: int | None = NEIGHBOURS,
) -> EqualQuality:
    """Effects of (R, T, S) differences without what the systems' quality explains.

    Parameters
    ----------
    neighbours
        Other systems with which each system of a family is compared; None: all.
    """
    topics, families = len(reference), len(members)
    within = reference @ without_means(members)
    square, square_without = _of_different_topics(reference[None], within)
    if not _is_reliable(square[0], square_without[0]):
        nothing = np.full((len(difference), families), np.nan)
        by_topic = np.full((*nothing.shape, topics), np.nan)
        slopes = np.full((len(difference), topics), np.nan)
        return EqualQuality(slopes[:, 0], slopes, nothing, by_topic)
    cross, cross_without = _of_different_topics(difference, within)
    slope, slope_without = cross / square, cross_without / square_without
    raised, level = (
        beside_others(values, reference, members, neighbours)
        for values in (difference, reference[None])
    )  # (R, F, T), (1, F, T)
    value = raised.mean(axis=2) - slope[:, None] * level.mean(axis=2)
    rest = raised.sum(axis=2, keepdims=True) - raised
    rest -= slope_without[:, None] * (level.sum(axis=2, keepdims=True) - level)
    return EqualQuality(slope, slope_without, value, topics * value[:, :, None] - rest)


def contributions(by_topic: np.ndarray, value: np.ndarray) -> np.ndarray:
    """(R, F, T) contributions of topics whose mean is the (R, F) value: shifted by its bias."""
    return by_topic + value[:, :, None] - by_topic.mean(axis=2, keepdims=True)


def beside_others(
    values: np.ndarray, reference: np.ndarray, members: np.ndarray, neighbours: int | None = None
) -> np.ndarray:
    """(R, F, T) means of (R, T, S) values over a family less those over other systems.

    These are all others, or of each system the `neighbours` nearest in quality, which is the mean
    of the reference's scores on the other topics.
    """
    if neighbours is None:
        return (values @ contrasts(members).T).transpose(0, 2, 1)
    topics = len(reference)
    quality = (reference.sum(axis=0) - reference) / max(topics - 1, 1)
    place = np.arange(topics)[:, None, None]
    by_topic = np.empty((len(values), len(members), topics))
    for family, own in enumerate(np.asarray(members, dtype=bool)):
        inside, outside = np.flatnonzero(own), np.flatnonzero(~own)
        apart = np.abs(quality[:, inside, None] - quality[:, None, outside])
        nearest = outside[np.argsort(apart, axis=2, kind="stable")[:, :, :neighbours]]
        others = values[:, place, nearest].mean(axis=(2, 3))
        by_topic[:, family] = values[:, :, inside].mean(axis=2) - others
    return by_topic


def quality_gap(reference: np.ndarray, members: np.ndarray) -> np.ndarray:
    """(F,) quality of a family less that of its neighbours, in standard deviations of systems."""
    spread = reference.mean(axis=0).std(ddof=1)
    gap = beside_others(reference[None], reference, members, NEIGHBOURS)[0].mean(axis=1)
    return np.divide(gap, spread, where=spread > TOLERANCE, out=np.zeros(len(gap)))


def without_means(members: np.ndarray) -> np.ndarray:
    """(S, S) the projection that removes the means of all families, and of all systems."""
    columns = np.vstack([np.ones(members.shape[1]), members]).T
    return np.eye(len(columns)) - columns @ np.linalg.pinv(columns)


def _of_different_topics(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Σ ⟨a_t, b_u⟩ over t ≠ u for (R, T, S) and (T, S): (R,), and without each topic, (R, T)."""
    sums = a.sum(axis=1), b.sum(axis=0)
    same = np.einsum("rts,ts->rt", a, b)
    total = sums[0] @ sums[1] - same.sum(axis=1)
    without = total[:, None] - a @ sums[1] - (sums[0] @ b.T) + 2 * same
    return total, without


def _is_reliable(square: float, without: np.ndarray) -> bool:
    """Whether systems of a family differ in quality: a sum above `RELIABLE` standard errors."""
    topics = len(without)
    if topics < 3:
        return False
    # sums over pairs of topics, as means
    value = square / (topics * (topics - 1))
    left_out = without / ((topics - 1) * (topics - 2))
    error = left_out.std() * np.sqrt(topics - 1)
    return bool(value > RELIABLE * error)


@dataclass(frozen=True, eq=False)
class FavourEffects:
    """Favour of all judges for all families.

    Attributes
    ----------
    beside_reference
        On all topics, of the judges and then of the controls.
    beside_control
        Less the control, of the judges, on the topics that a control labelled; None without these.
    equal_beside_reference, equal_beside_control
        The same at equal quality.
    regressed_beside_reference, regressed_beside_control
        The same at equal quality by the slope alone, beside all other systems.
    control
        (1, F) favour of the mean of the controls, beside the reference on these topics: beside all
        systems, at equal quality, and by the slope alone.
    slopes, slopes_beside_control : array of float64, shape (R,)
        Of the differences on quality.
    topics, controlled : int
        How many there are, and how many of them a control labelled.
    table : DataFrame
        A row for each judge, family and topic: judge, family, topic, ``value`` (beside the
        reference) and ``control`` (the mean of the controls; missing where there is none).
    """

    beside_reference: Effects
    beside_control: Effects | None
    equal_beside_reference: Effects
    equal_beside_control: Effects | None
    regressed_beside_reference: Effects
    regressed_beside_control: Effects | None
    control: tuple[Effects, Effects, Effects] | None
    slopes: np.ndarray
    slopes_beside_control: np.ndarray | None
    topics: int
    controlled: int
    table: pd.DataFrame


def favour_effects(
    scores: FavourScores,
    members: np.ndarray,
    *,
    judges: Sequence[str],
    families: Sequence[str],
    topics: Sequence[str],
    draws: int = 10_000,
    seed: int = 1,
) -> FavourEffects:
    """Favour of each judge for each family, with simultaneous intervals.

    Parameters
    ----------
    scores
        Of the systems.
    members : array of bool, shape (F, S)
        Which systems are of each family; a system may be of several.
    judges, families, topics
        Their names.
    draws, seed
        Bootstrap samples of topics.

    Raises
    ------
    MethodError
        If a family has no system or all of them.
    """
    members = np.asarray(members, dtype=bool)
    weights = contrasts(members)
    every = np.concatenate([scores.judges, scores.controls])
    difference = every - scores.reference
    plain = (difference @ weights.T).transpose(0, 2, 1)
    of_control = (scores.control_differences() @ weights.T).T
    controlled = scores.controlled
    # a control that lacks a topic is drawn beside nothing: its topics are other ones
    whole = ~np.isnan(plain).any(axis=(1, 2))
    known, known_slopes = _each_quality(
        difference[whole], scores.reference, members, draws=draws, seed=seed
    )
    of_all = [_padded(effects, whole) for effects in known]
    beside, slopes_beside, of_controls = [None, None, None], None, None
    if controlled.any():
        some = scores.of_topics(controlled)
        people = some.control_differences()
        of_controls, _ = _each_quality(
            people[None], some.reference, members, draws=draws, seed=seed
        )
        less = some.judges - some.reference - people
        beside, slopes_beside = _each_quality(less, some.reference, members, draws=draws, seed=seed)
    return FavourEffects(
        of_all[0], beside[0], of_all[1], beside[1], of_all[2], beside[2],
        None if of_controls is None else tuple(of_controls),
        _rows(known_slopes, whole), slopes_beside, len(topics), int(controlled.sum()),
        _by_topic(plain[: len(scores.judges)], of_control, judges, families, topics),
    )  # fmt: skip


def _each_quality(
    difference: np.ndarray, reference: np.ndarray, members: np.ndarray, **how: int
) -> tuple[list[Effects], np.ndarray]:
    """Effects beside all systems, at equal quality, and by the slope alone; the slopes."""
    plain = beside_others(difference, reference, members)
    equal = at_equal_quality(difference, reference, members)
    regressed = at_equal_quality(difference, reference, members, None)
    effects = [
        effects_at_once(plain, **how),
        effects_at_once(equal.by_topic, equal.value, **how),
        effects_at_once(regressed.by_topic, regressed.value, **how),
    ]
    return effects, equal.slope


def _rows(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """The values in the rows that are known, NaN in the others."""
    rows = np.full((len(known), *values.shape[1:]), np.nan)
    rows[known] = values
    return rows


def _padded(effects: Effects, known: np.ndarray) -> Effects:
    names = ("value", "error", "low", "high", "p", "by_topic")
    rows = {name: _rows(getattr(effects, name), known) for name in names}
    return Effects(**rows, critical=effects.critical)


def _by_topic(
    plain: np.ndarray,
    of_control: np.ndarray,
    judges: Sequence[str],
    families: Sequence[str],
    topics: Sequence[str],
) -> pd.DataFrame:
    """A row for each judge, family and topic."""
    names = [np.asarray(axis, dtype=object) for axis in (judges, families, topics)]
    j, f, t = (places.ravel() for places in np.indices(plain.shape))
    columns = {
        name: axis[place]
        for name, axis, place in zip(("judge", "family", "topic"), names, (j, f, t), strict=True)
    }
    control = np.broadcast_to(of_control, plain.shape)
    return pd.DataFrame(columns | {"value": plain.ravel(), "control": control.ravel()})
