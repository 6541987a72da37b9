"""Two systems on the same topics: the difference, its tests, effect size and power."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
import pandas as pd
from scipy import special

from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.errors import ParameterError, did_you_mean
from regrade.item_scores.scores import ScoreDesign
from regrade.kendall import TOLERANCE
from regrade.ranking.power import POWER, noncentrality, topics_to_detect
from regrade.sample_means import mean_interval
from regrade.scoring import Scores
from regrade.significance import discrimination
from regrade.significance.corrections import adjust
from regrade.significance.paired import differences, is_too_alike
from regrade.system_pairs.item_groups import (
    ItemGroups,
    MeanDifference,
    flips_p,
    mean_difference,
    signed_rank_p,
    t_of_pairs,
    wilcoxon_of_pairs,
)
from regrade.system_pairs.margins import (
    MarginTest,
    RareDifferences,
    detectable_loss,
    has_no_interval,
    margin_test,
    one_sided_interval,
    p_above,
    p_below,
)


@dataclass(frozen=True)
class PairOptions:
    """How two systems are compared.

    Attributes
    ----------
    test, correction
        The test whose p-value counts, and its correction for all pairs of systems
        (`regrade.significance.discrimination`).
    permutations
        Assignments of signs of the randomisation test, which tries all where there are no more.
    seed
        Of all draws.
    margin
        The largest difference that does not matter; ``None``: no equivalence is tested.
    significance
        α of the one-sided tests: of a margin, and of a loss.
    """

    test: str = "t"
    correction: str = "holm"
    permutations: int = discrimination.PERMUTATIONS
    seed: int = 1
    margin: float | None = None
    significance: float = discrimination.SIGNIFICANCE


GROUPED_TESTS = ("t", "wilcoxon", "randomisation", "tukey_hsd")
"""Tests that take clusters and data sets."""


def compare_pair(
    scores: Scores,
    first: str,
    second: str,
    how: PairOptions | None = None,
    copies: np.ndarray | None = None,
    design: ScoreDesign | None = None,
) -> dict[str, pd.DataFrame]:
    """All tables of the stage ``system_pairs`` but the answer.

    Parameters
    ----------
    scores
        Of all systems, as p-values are corrected for all pairs.
    first, second
        The names of two of them.
    copies : array of int64, shape (S,)
        The same number for systems whose runs are the same (`regrade.ranking.copies`).
    design
        Which items belong together, and repeats of systems; its scores are `scores`.

    Raises
    ------
    ParameterError
        If a name is of no system, both are one, or the test takes no clusters.
    """
    how = how or PairOptions()
    a, b = places_of(scores.systems, {"first": first, "second": second})
    groups = ItemGroups.of(len(scores.topics), design)
    if not groups.is_plain:
        check_grouped(how.test)
    is_copy = copies is not None and copies[a] == copies[b]
    seeds = [_repeats_of(design, place) for place in (a, b)]
    tests, topics, facts = [], [], _facts(scores, how, is_copy, groups, seeds)
    for m, measure in enumerate(scores.measures):
        values = np.ascontiguousarray(scores.values[:, :, m])
        names = {"measure": str(measure), "first": first, "second": second}
        repeats = [] if min(map(len, seeds)) < 2 else [
            design.repeats[place][:, m][:, of] for place, of in zip((a, b), seeds, strict=True)
        ]  # fmt: skip
        tests.append(
            names | tested(values, scores.topics, a, b, how, groups, repeats, len(scores.measures))
        )
        topics.append(by_topic(scores.topics, values[a], values[b]).assign(measure=str(measure)))
        facts += [(str(measure), *row) for row in _facts_of(tests[-1], topics[-1])]
    for name in ("p_loss", "p_gain"):
        of_measures = adjust(np.array([row[name] for row in tests]), "holm")
        for row, p in zip(tests, of_measures, strict=True):
            row[f"{name}_corrected"] = float(p)
    tables = {
        "facts": pd.DataFrame(facts, columns=columns_of("system-pairs/facts")),
        "tests": pd.DataFrame(tests),
        "topics": pd.concat(topics, ignore_index=True),
    }
    return {name: table[columns_of(f"system-pairs/{name}")] for name, table in tables.items()}


def _repeats_of(design: ScoreDesign | None, place: int) -> np.ndarray:
    """The places of a system's repeats that have every item and measure."""
    if design is None or design.repeats is None:
        return np.empty(0, np.int64)
    return np.flatnonzero(np.isfinite(design.repeats[place]).all(axis=(0, 1)))


def places_of(systems: tuple[str, ...], names: Mapping[str, str]) -> list[int]:
    """The places of two different systems, given by the option that names each.

    Raises
    ------
    ParameterError
        If there is no such system, or both are one.
    """
    for option, name in names.items():
        if name not in systems:
            raise ParameterError(
                f"{option} is {name!r}: no system has this name{did_you_mean(name, systems)}"
            )
    if len({*names.values()}) < len(names):
        raise ParameterError(f"{' and '.join(names)} are both '{name}': name two systems")
    return [systems.index(name) for name in names.values()]


def tested(
    values: np.ndarray,
    topics: tuple[str, ...],
    a: int,
    b: int,
    how: PairOptions,
    groups: ItemGroups,
    repeats: Sequence[np.ndarray] = (),
    measures: int = 1,
) -> dict[str, object]:
    """A row of ``system-pairs/tests`` without names, of (S, T) scores by one of some measures.

    `repeats` are those of the two systems, (T, R) each, where they are taken for a sample.
    """
    apart = differences(values[a], values[b])
    n = len(apart)
    sample = mean_difference(apart, groups, repeats)
    is_plain = groups.is_plain and not repeats
    low, high = t_interval(sample)
    one_sided = one_sided_interval(sample, how.significance)
    skewed = mean_interval(apart) if is_plain and not is_too_alike(apart) else np.full(2, np.nan)
    spread = apart.std(ddof=1) if n > 1 else np.nan
    varies = spread > TOLERANCE
    p_randomisation, permutations, is_exact = randomisation_p(values[[a, b]], topics, how, groups)
    p_wilcoxon = wilcoxon_p(apart, how, groups)
    own = {"t": sample.p, "randomisation": p_randomisation, "wilcoxon": p_wilcoxon}
    p, p_corrected = _p_of_all(values, topics, a, b, own, how, groups)
    return {
        **_mean_of_each(values, a, b, groups),
        "difference": sample.value,
        "low": low,
        "high": high,
        "skewed_low": skewed[0],
        "skewed_high": skewed[1],
        "t": sample.t,
        "df": sample.freedom,
        "p": p,
        "p_corrected": p_corrected,
        "p_t": sample.p,
        "p_wilcoxon": p_wilcoxon,
        "p_randomisation": p_randomisation,
        "permutations": permutations,
        "exact": is_exact,
        "effect": sample.value / spread if varies else np.nan,
        "better": int((apart > 0).sum()),
        "worse": int((apart < 0).sum()),
        "equal_topics": int((apart == 0).sum()),
        **_power(sample, n),
        "p_loss": p_below(sample, 0.0),
        "p_gain": p_above(sample, 0.0),
        "margin_from": one_sided[0],
        "margin_to": one_sided[1],
        "detectable_loss": detectable_loss(sample, how.significance / measures),
        **_of_margin(sample, apart, values[[a, b]], how, groups),
    }


def _mean_of_each(values: np.ndarray, a: int, b: int, groups: ItemGroups) -> dict[str, float]:
    """The means of both systems, each data set counting as much."""
    means = groups.totals(values[[a, b]]).sum(axis=1) if len(groups.sizes) > 1 else None
    first, second = values[[a, b]].mean(axis=1) if means is None else means
    return {"first_mean": float(first), "second_mean": float(second)}


def _power(sample: MeanDifference, items: int) -> dict[str, float]:
    """The difference that is detected, and items that the observed one needs, by the t-test."""
    if not sample.error > 0:
        return {"detectable": np.nan, "needed": np.nan}
    critical = special.stdtrit(sample.freedom, 1 - discrimination.SIGNIFICANCE / 2)
    spread, needed = sample.error * np.sqrt(sample.units), np.nan
    if not sample.repeats:  # further items would leave the variance of repeats
        needed = float(topics_to_detect(spread, abs(sample.value)))
        needed = np.ceil(needed * items / sample.units)
    detectable = noncentrality(critical, sample.freedom) * sample.error
    return {"detectable": float(detectable), "needed": needed}


def _of_margin(
    sample: MeanDifference,
    apart: np.ndarray,
    pair: np.ndarray,
    how: PairOptions,
    groups: ItemGroups,
) -> dict[str, float | bool]:
    """The tests of a margin, where there is one."""
    if how.margin is None:
        return {"margin": np.nan, **vars(MarginTest())}
    rare = RareDifferences.of(apart, groups, *pair)
    return {"margin": how.margin} | vars(margin_test(sample, how.margin, how.significance, rare))


def t_interval(sample: MeanDifference) -> np.ndarray:
    """(2,) the interval of the paired t-test: it excludes 0 where that test's p is below 0.05."""
    return np.full(2, np.nan) if has_no_interval(sample) else sample.interval()


def wilcoxon_p(apart: np.ndarray, how: PairOptions, groups: ItemGroups) -> float:
    """p of Wilcoxon's signed-rank test; by flips of whole units where items are in some."""
    if len(apart) < 2:
        return np.nan
    if groups.is_plain:
        return discrimination.signed_rank(apart[None])[1][0]
    return signed_rank_p(apart, groups.unit, how.permutations)


def randomisation_p(
    pair: np.ndarray, topics: tuple[str, ...], how: PairOptions, groups: ItemGroups
) -> tuple[float, int, bool]:
    """p of the randomisation test, the assignments of signs tried, and whether these are all.

    All are tried where there are no more than `PairOptions.permutations`; a unit on which both
    score the same has no sign.  Otherwise as `discrimination.randomisation`.
    """
    apart = differences(*pair)
    if not groups.is_plain:
        pair, topics = _of_units(pair, groups)
        apart = differences(*pair)
    moved = apart[apart != 0]
    if len(apart) < 2 or not len(moved):
        return np.nan, 0, True
    if 2 ** len(moved) > how.permutations:
        drawn = {"permutations": how.permutations, "seed": how.seed}
        return (
            float(discrimination.randomisation(pair, topics, **drawn).p[0]),
            how.permutations,
            False,
        )
    return flips_p(moved), 2 ** len(moved), True


def _of_units(values: np.ndarray, groups: ItemGroups) -> tuple[np.ndarray, tuple[str, ...]]:
    """(S, U) sums of scores over units, whose means are those of the systems; names of units."""
    units = len(groups.stratum)
    return groups.totals(values) * units, tuple(f"{place:09}" for place in range(units))


def _p_of_all(
    values: np.ndarray,
    topics: tuple[str, ...],
    a: int,
    b: int,
    own: Mapping[str, float],
    how: PairOptions,
    groups: ItemGroups,
) -> tuple[float, float]:
    """p of the pair by the chosen test, and the same corrected for all pairs."""
    if len(groups.stratum) < 2:
        return np.nan, np.nan
    every = p_of_pairs(values, topics, groups, how)
    first, second = np.triu_indices(len(values), 1)
    (place,) = np.flatnonzero((first == min(a, b)) & (second == max(a, b)))
    every[place] = own.get(how.test, every[place])
    return float(every[place]), float(adjust(every, how.correction)[place])


def p_of_pairs(
    values: np.ndarray, topics: tuple[str, ...], groups: ItemGroups, how: PairOptions
) -> np.ndarray:
    """(P,) p of all pairs of (S, T) scores by the chosen test, of two units or more."""
    if groups.is_plain:
        return discrimination.pair_test(values, topics, how.test, seed=how.seed).p.copy()
    if how.test == "t":
        return t_of_pairs(values, groups)
    if how.test == "wilcoxon":
        return wilcoxon_of_pairs(values, groups, how.permutations)
    totals, units = _of_units(values, groups)
    return discrimination.pair_test(totals, units, how.test, seed=how.seed).p.copy()


def check_grouped(test: str) -> None:
    """Refuse a test that takes no clusters or data sets."""
    if test not in GROUPED_TESTS:
        raise ParameterError(
            f"test is {test!r}: items of clusters or of several data sets are tested by "
            f"{', '.join(GROUPED_TESTS)}"
        )


def by_topic(topics: tuple[str, ...], first: np.ndarray, second: np.ndarray) -> pd.DataFrame:
    """Rows of ``system-pairs/topics`` without the measure."""
    rows = {"topic": topics, "first": first, "second": second}
    frame = pd.DataFrame(rows | {"difference": differences(first, second)})
    return frame.sort_values("difference", ascending=False, kind="stable")


def _facts(
    scores: Scores,
    how: PairOptions,
    is_copy: bool,
    groups: ItemGroups,
    repeats: Sequence[np.ndarray],
) -> list[tuple]:
    systems, topics = len(scores.systems), len(scores.topics)
    clusters = len(groups.stratum)
    own = [
        ("clusters", clusters, "sampled whole") if clusters < topics else None,
        ("data sets", len(groups.sizes), "of equal weight") if len(groups.sizes) > 1 else None,
        *(
            (f"repeats of the {which}", len(of), "")
            for which, of in zip(("first", "second"), repeats, strict=True)
            if len(of) > 1
        ),
    ]
    rows = [
        ("systems", systems, ""),
        ("topics", topics, "one topic: no interval, no test" if topics == 1 else ""),
        ("pairs", comb(systems, 2), ""),
        ("test", np.nan, how.test),
        ("correction", np.nan, how.correction),
        ("seed", how.seed, ""),
        ("power", POWER, "of the differences that are detectable"),
        ("identical rankings", float(is_copy), ""),
        ("significance", how.significance, "of one-sided tests"),
        ("margin confidence", 1 - 2 * how.significance, "of the CI that decides on the margin"),
        *filter(None, own),
    ]
    return [(ALL_TOPICS, *row) for row in rows]


def _facts_of(test: Mapping[str, object], topics: pd.DataFrame) -> Iterator[tuple]:
    """The difference and its extremes as of the system with the higher mean; notes have names."""
    is_first = test["difference"] >= 0
    yield "higher less lower", abs(test["difference"]), test["first" if is_first else "second"]
    for corrected in ("", "skewed_"):
        ends = test[f"{corrected}low"], test[f"{corrected}high"]
        low, high = ends if is_first else (-ends[1], -ends[0])
        by = ", corrected for skewness" if corrected else ""
        yield f"higher less lower, lower end{by}", low, ""
        yield f"higher less lower, upper end{by}", high, ""
    wins, losses = ("better", "worse") if is_first else ("worse", "better")
    best, worst = (0, -1) if is_first else (-1, 0)
    for name, count, row in (
        ("gain", test[wins], topics.iloc[best]),
        ("loss", test[losses], topics.iloc[worst]),
    ):
        if count:
            yield f"largest {name}", abs(row["difference"]), row["topic"]
