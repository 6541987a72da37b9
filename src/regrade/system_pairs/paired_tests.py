"""Two systems on the same topics: the difference, its tests, effect size and power."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import comb

import numpy as np
import pandas as pd

from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.errors import MethodError, ParameterError, did_you_mean
from regrade.intervals import INTERVALS
from regrade.kendall import TOLERANCE
from regrade.ranking.power import POWER, detectable_alone, topics_to_detect
from regrade.sample_means import student_interval
from regrade.scoring import Scores
from regrade.significance import discrimination
from regrade.significance.corrections import adjust
from regrade.significance.paired import differences, is_too_alike, paired_difference


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
    """

    test: str = "t"
    correction: str = "holm"
    permutations: int = discrimination.PERMUTATIONS
    seed: int = 1


def compare_pair(
    scores: Scores,
    first: str,
    second: str,
    how: PairOptions | None = None,
    copies: np.ndarray | None = None,
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
    """
    how = how or PairOptions()
    a, b = places_of(scores.systems, {"first": first, "second": second})
    tests, topics, facts = (
        [],
        [],
        _facts(scores, how, copies is not None and copies[a] == copies[b]),
    )
    for m, measure in enumerate(scores.measures):
        values = np.ascontiguousarray(scores.values[:, :, m])
        names = {"measure": str(measure), "first": first, "second": second}
        tests.append(names | tested(values, scores.topics, a, b, how))
        topics.append(by_topic(scores.topics, values[a], values[b]).assign(measure=str(measure)))
        facts += [(str(measure), *row) for row in _facts_of(tests[-1], topics[-1])]
    tables = {
        "facts": pd.DataFrame(facts, columns=columns_of("system-pairs/facts")),
        "tests": pd.DataFrame(tests),
        "topics": pd.concat(topics, ignore_index=True),
    }
    return {name: table[columns_of(f"system-pairs/{name}")] for name, table in tables.items()}


def places_of(systems: tuple[str, ...], names: Mapping[str, str]) -> list[int]:
    """The places of two different systems, given by the option that names each.

    Raises
    ------
    ParameterError
        If there is no such run, or both are one.
    """
    for option, name in names.items():
        if name not in systems:
            raise ParameterError(
                f"{option} is {name!r}: no run has this name{did_you_mean(name, systems)}"
            )
    if len({*names.values()}) < len(names):
        raise ParameterError(f"{' and '.join(names)} are both '{name}': name two runs")
    return [systems.index(name) for name in names.values()]


def tested(
    values: np.ndarray, topics: tuple[str, ...], a: int, b: int, how: PairOptions
) -> dict[str, object]:
    """A row of ``system-pairs/tests`` without names, of (S, T) scores by one measure."""
    apart = differences(values[a], values[b])
    n, t_test = len(apart), paired_difference(apart)
    low, high = t_interval(apart)
    spread = apart.std(ddof=1) if n > 1 else np.nan
    varies = spread > TOLERANCE
    p_randomisation, permutations, is_exact = randomisation_p(values[[a, b]], topics, how)
    own = {"t": t_test["p"], "randomisation": p_randomisation}
    p, p_corrected = _p_of_all(values, topics, a, b, own, how)
    return {
        "first_mean": values[a].mean(),
        "second_mean": values[b].mean(),
        **{name: t_test[name] for name in ("difference", "t", "better", "worse")},
        "low": low,
        "high": high,
        "skewed_low": t_test["low"],
        "skewed_high": t_test["high"],
        "df": float(n - 1),
        "p": p,
        "p_corrected": p_corrected,
        "p_t": t_test["p"],
        "p_wilcoxon": discrimination.signed_rank(apart[None])[1][0] if n > 1 else np.nan,
        "p_randomisation": p_randomisation,
        "permutations": permutations,
        "exact": is_exact,
        "effect": t_test["difference"] / spread if varies else np.nan,
        "equal_topics": int((apart == 0).sum()),
        "detectable": float(detectable_alone(spread, n)),
        "needed": float(topics_to_detect(spread, abs(t_test["difference"]))) if varies else np.nan,
    }


def t_interval(apart: np.ndarray) -> np.ndarray:
    """(2,) the interval of the paired t-test: it excludes 0 where that test's p is below 0.05."""
    if len(apart) < INTERVALS["mean_difference"].fewest or is_too_alike(apart):
        return np.full(2, np.nan)
    return student_interval(apart)


def randomisation_p(
    pair: np.ndarray, topics: tuple[str, ...], how: PairOptions
) -> tuple[float, int, bool]:
    """p of the randomisation test, the assignments of signs tried, and whether these are all.

    All are tried where there are no more than `PairOptions.permutations`; a topic on which both
    score the same has no sign.  Otherwise as `discrimination.randomisation`.
    """
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
    signs = np.array([*product((1.0, -1.0), repeat=len(moved))])
    least = abs(moved.sum()) - TOLERANCE * len(apart)
    return float((np.abs(signs @ moved) >= least).mean()), len(signs), True


def _p_of_all(
    values: np.ndarray,
    topics: tuple[str, ...],
    a: int,
    b: int,
    own: Mapping[str, float],
    how: PairOptions,
) -> tuple[float, float]:
    """p of the pair by the chosen test, and the same corrected for all pairs."""
    try:
        of_all = discrimination.pair_test(values, topics, how.test, seed=how.seed)
    except MethodError:  # one topic
        return np.nan, np.nan
    (place,) = np.flatnonzero((of_all.first == min(a, b)) & (of_all.second == max(a, b)))
    every = of_all.p.copy()
    every[place] = own.get(how.test, every[place])
    return float(every[place]), float(adjust(every, how.correction)[place])


def by_topic(topics: tuple[str, ...], first: np.ndarray, second: np.ndarray) -> pd.DataFrame:
    """Rows of ``system-pairs/topics`` without the measure."""
    rows = {"topic": topics, "first": first, "second": second}
    frame = pd.DataFrame(rows | {"difference": differences(first, second)})
    return frame.sort_values("difference", ascending=False, kind="stable")


def _facts(scores: Scores, how: PairOptions, is_copy: bool) -> list[tuple]:
    systems, topics = len(scores.systems), len(scores.topics)
    rows = [
        ("systems", systems, ""),
        ("topics", topics, "one topic: no interval, no test" if topics == 1 else ""),
        ("pairs", comb(systems, 2), ""),
        ("test", np.nan, how.test),
        ("correction", np.nan, how.correction),
        ("seed", how.seed, ""),
        ("power", POWER, "of the differences that are detectable"),
        ("identical rankings", float(is_copy), ""),
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
