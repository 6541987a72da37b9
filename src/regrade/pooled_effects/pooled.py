"""An effect over several collections: these ones, and as a sample of others.

The effect over collections is the mean of the collections' effects, each with the same weight,
whatever its number of topics.  It answers two questions, with two intervals.  Of *these*
collections, only topics are a sample: the variance of the mean is Σ s_c² / K², with Satterthwaite's
degrees of freedom, and as topics may be skewed the interval of a mean over topics is Hall's where
that is wider, and p that of Hall's t where it is greater (`regrade.sample_means`): the interval
excludes 0 where p is below 0.05.  Of the *population* of collections, the K effects are the sample,
and the interval is Student's of these K numbers: the interval of Hartung and Knapp with equal
weights, which needs no estimate of the variance among collections.  With K = 2 it has one degree of
freedom, and the quantile of t is 12.7.

Those whose effect is an agreement are ranked by it over the collections.  Differences from the
first have simultaneous intervals and p-values by the same maximum over all pairs (max-t), over
bootstrap samples of topics that are drawn within each collection.

References
----------
Hartung and Knapp, On tests of the overall treatment effect in meta-analysis with normally
distributed responses, Statistics in Medicine 20, 2001; Rice, Higgins and Lumley, A re-evaluation of
fixed effect(s) meta-analysis, Journal of the Royal Statistical Society A 181, 2018.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.evaluations.judge_differences import beside_the_best
from regrade.intervals import INTERVALS
from regrade.kendall import TOLERANCE
from regrade.percentiles import CONFIDENCE
from regrade.pooled_effects.effects import Effects, SampledEffect, TopicEffect, common
from regrade.pooled_effects.heterogeneity import difference, heterogeneity
from regrade.randomness import generator
from regrade.ranking.layout import Layout
from regrade.ranking.sample import satterthwaite
from regrade.replacement.margins import Line, judged_lines, no_ends
from regrade.sample_means import skewed_ends, skewed_p, skewness, student_interval
from regrade.significance.corrections import adjust
from regrade.stages.declare import Effect

HOLM = "holm"

OneEffect = TopicEffect | SampledEffect


def pooled_tables(effects: Effects, resamples: int, seed: int) -> dict[str, pd.DataFrame]:
    """The tables ``effects``, ``overall`` and ``ranking`` of ``meta_analysis``."""
    overall = pd.DataFrame(_overall(effects), columns=columns_of("meta_analysis/overall"))
    if effects.effect.has_margin:
        overall = beside_margins(overall, effects)
    # those of one collection are in no verdict over several
    is_tested = overall["collections"] > (1 if len(effects.collections) > 1 else 0)
    is_of_0 = not (effects.effect.is_agreement or effects.effect.has_margin)
    overall.loc[~is_tested | (not is_of_0), "p_mean"] = np.nan
    for rows in overall.groupby("measure", dropna=False).groups.values():
        for name in ("p", "p_mean"):
            tested = overall.loc[rows, name].dropna()
            adjusted = adjust(tested.to_numpy(float), HOLM)
            overall.loc[tested.index, f"{name}_adjusted"] = adjusted
    return {
        "effects": pd.DataFrame(_each(effects), columns=columns_of("meta_analysis/effects")),
        "overall": overall,
        "ranking": pd.DataFrame(
            _ranked(effects, resamples, seed), columns=columns_of("meta_analysis/ranking")
        ),
    }


def _each(effects: Effects) -> Iterator[dict]:
    for (measure, subject), of in effects.of.items():
        for collection in (name for name in effects.collections if name in of):
            own = of[collection]
            low, high = own.ends
            yield {
                "quantity": effects.effect.symbol, "measure": measure or None,
                "subject": subject, "in_collection": collection,
                "topics": own.count, "value": own.value, "low": low, "high": high,
                "std_error": own.error,
            }  # fmt: skip


def _overall(effects: Effects) -> Iterator[dict]:
    for (measure, subject), of in effects.of.items():
        own = [of[name] for name in effects.collections if name in of]
        own = [one for one in own if np.isfinite(one.value)]
        row = {"quantity": effects.effect.symbol, "measure": measure or None, "subject": subject}
        row |= {"collections": len(own), "topics": sum(one.count for one in own)}
        yield row | _bounded(over_collections(own), effects.effect)


def _bounded(row: dict[str, float], effect: Effect) -> dict[str, float]:
    """Ends of an agreement are not above 1, and of τ_b not below −1."""
    if effect.is_agreement:
        least = -1.0 if effect.value == "tau" else -inf
        for name in ("low", "high", "population_low", "population_high"):
            row[name] = min(max(row[name], least), 1.0) if name in row else np.nan
    return row


def beside_margins(overall: pd.DataFrame, effects: Effects) -> pd.DataFrame:
    """With margins, and verdicts by the rule of `regrade.replacement.margins`.

    Effects that some collection lacks have no verdict.
    """
    overall = overall.assign(verdict=overall["verdict"].astype(object))
    for rows in overall.groupby("measure", dropna=False).groups.values():
        lines, every = [], {}
        for row in rows:
            subject, measure = overall.loc[row, "subject"], overall.loc[row, "measure"] or ""
            own = [*effects.of[measure, subject].values()]
            every[subject] = own[0].margin
            finite = [one for one in own if np.isfinite(one.value)]
            is_pooled = len(finite) == len(effects.collections) > 1
            lines.append(_line(subject, finite, is_pooled))
        judged = judged_lines(lines, _Stated(every))
        for row, one in zip(rows, judged, strict=True):
            ends = [end if np.isfinite(end) else np.nan for end in every[one.line.name]]
            overall.loc[row, ["margin_low", "margin_high"]] = ends
            overall.loc[row, "verdict"] = one.verdict or None
    return overall


class _Stated(dict):
    """Margins by the name of their line."""

    def of(self, name: str) -> tuple[float, float]:
        return self[name]


def _line(subject: str, own: Sequence[SampledEffect], counts: bool) -> Line:
    """The mean over these collections as a line of a verdict."""
    value = float(np.mean([one.value for one in own])) if own else np.nan
    ends = FixedMean.of(own).ends if counts else no_ends
    passes = all(one.passes for one in own)
    return Line(subject, "", np.nan, np.nan, value, ends, passes, counts)


@dataclass(frozen=True)
class FixedMean:
    """The mean effect of fixed collections, whose topics are a sample.

    Attributes
    ----------
    value, error, freedom
        With its standard error and degrees of freedom.
    skew
        Skewness of what topics add to a mean over topics; 0 of other statistics.
    topics
        Of all collections.
    fewest
        Topics of the collection with the fewest.
    """

    value: float
    error: float
    freedom: float
    skew: float
    topics: int
    fewest: int

    @classmethod
    def of(cls, own: Sequence[OneEffect]) -> FixedMean:
        """That of the effects of some collections."""
        value, error, freedom = estimates(own)
        counts = [one.count for one in own]
        return cls(
            float(value.mean()), float(np.sqrt((error**2).sum()) / len(own)),
            float(satterthwaite((error**2)[:, None], freedom)[0]), _skew(own),
            sum(counts), min(counts),
        )  # fmt: skip

    def ends(self, confidence: float = CONFIDENCE) -> np.ndarray:
        """(2,) of its interval; NaN of too few topics."""
        if self.fewest < INTERVALS["mean_of_collections"].fewest:
            return np.full(2, np.nan)
        return skewed_ends(*self._numbers, self.topics, self.freedom, confidence)[:, 0]

    @property
    def p(self) -> float:
        """Two-sided, that it is 0: of the test that `ends` invert.

        NaN of too few topics, or where topics do not vary.
        """
        if self.fewest < INTERVALS["mean_of_collections"].fewest or not self.error > TOLERANCE:
            return np.nan
        return float(skewed_p(*self._numbers, self.topics, self.freedom)[0])

    @property
    def _numbers(self) -> tuple[np.ndarray, ...]:
        return tuple(np.array([one]) for one in (self.value, self.error, self.skew))


def _skew(own: Sequence[OneEffect]) -> float:
    """Skewness of topics' values, each as far off its collection's mean as it moves their mean."""
    if not all(isinstance(one, TopicEffect) for one in own):
        return 0.0
    values = np.concatenate([one.values for one in own])
    layout = Layout.of(None, np.repeat(np.arange(len(own)), [one.count for one in own]))
    return float(skewness(values if layout is None else layout.values(values)))


def over_collections(own: Sequence[OneEffect]) -> dict[str, float]:
    """The mean of some collections' effects, its intervals, and how much the effects differ."""
    value, error, freedom = estimates(own)
    if not len(value):
        return {"mean": np.nan}
    mean = FixedMean.of(own)
    low, high = own[0].ends if len(own) == 1 else mean.ends()
    population = student_interval(value)
    row = {"mean": mean.value, "low": low, "high": high, "p_mean": mean.p}
    row |= dict(zip(("population_low", "population_high"), population, strict=True))
    if (freedom + 1 < INTERVALS["difference_of_collections"].fewest).any():
        return row
    if len(value) == 2:
        names = ("difference", "difference_low", "difference_high")
        row |= zip(names, difference(value, error, freedom), strict=True)
    between = heterogeneity(value, error, freedom)
    row |= {"heterogeneity": between.q, "p": between.p}
    for name in ("tau_squared", "i_squared"):
        low, high = getattr(between, f"{name}_ends")
        row |= {name: getattr(between, name), f"{name}_low": low, f"{name}_high": high}
    return row


def estimates(own: Sequence[OneEffect]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(K,) effects, their standard errors, and the degrees of freedom of these."""
    columns = ([one.value, one.error, one.count - 1] for one in own)
    return tuple(np.array([*columns], dtype=float).reshape(-1, 3).T)


def _ranked(effects: Effects, resamples: int, seed: int) -> Iterator[dict]:
    """Those whose agreement is an effect in all collections, the highest mean first."""
    for measure in effects.measures if effects.effect.is_agreement else ():
        subjects = effects.subjects(measure)
        names = [*common(subjects, effects.collections)]
        if len(names) < 2:
            continue
        own = {name: subjects[name] for name in names}
        values, topics = pooled_samples(own, effects.collections, resamples, seed)
        for place, row in beside_the_best(values, topics):
            mean = {"measure": measure or None, "subject": names[place], "mean": values[place, 0]}
            yield mean | row


def pooled_samples(
    subjects: Mapping[str, Mapping[str, OneEffect]],
    collections: Sequence[str],
    resamples: int,
    seed: int,
) -> tuple[np.ndarray, int]:
    """(subjects, 1 + B) means over collections, in bootstrap samples of the topics of each.

    And of how many topics a collection is, by the harmonic mean: by so many the variance of samples
    is too small.  Samples in which one is undefined are left out.
    """
    each = []
    for name in collections:
        values = np.stack([of[name].sampled(resamples, seed) for of in subjects.values()])
        # topics of two collections may have the same names, and so the same samples
        order = generator(seed, "samples of a collection", name).permutation(values.shape[1] - 1)
        each.append(np.hstack([values[:, :1], values[:, 1 + order]]))
    fewest = min(values.shape[1] for values in each)
    pooled = np.mean([values[:, :fewest] for values in each], axis=0)
    counts = np.array([next(iter(subjects.values()))[name].count for name in collections])
    topics = int(counts.min()) if counts.min() < 10 else round(len(counts) / (1 / counts).sum())
    return pooled[:, np.isfinite(pooled).all(axis=0)], topics
