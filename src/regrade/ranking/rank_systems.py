"""Which system is best and how sure that is: all tables of the stage ``ranking``."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from regrade.blocks import Blocks, Part, table_of
from regrade.catalogue import ALL_TOPICS, columns_of, tables_of
from regrade.errors import MethodError, ParameterError
from regrade.intervals import INTERVALS
from regrade.kendall import places
from regrade.percentiles import interval
from regrade.ranking import halves, power, reliability
from regrade.ranking.beside_best import beside_best
from regrade.ranking.draws import drawn_times
from regrade.ranking.pairs import AllPairs, SystemPairs
from regrade.ranking.systems import significantly_better, system_table
from regrade.scoring import Scores
from regrade.significance.corrections import adjust
from regrade.significance.discrimination import SIGNIFICANCE, pair_test

log = logging.getLogger(__name__)

MANY = 100_000
"""Pairs from which on the time and memory are logged beforehand."""

COEFFICIENTS = ("e_rho2", "phi")

FACETS = {"s": "systems", "t": "topics", "j": "judges"}

TARGETS = {"e_rho2": (0.9, 0.95), "phi": (0.9, 0.95), "tau": (0.9, 0.95)}
"""Coefficients that are to be reached."""

DIFFERENCES = (0.01, 0.02, 0.05)
"""Differences to detect."""

SIZES = (5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500)
"""Numbers of topics with a reliability, beside that of the collection."""

JUDGES = (1, 2, 3, 5, 10)
"""Numbers of judges with a reliability, beside that of the item."""

_TABLES = [path.partition("/")[2] for path in tables_of("ranking") if path != "ranking/answer"]


@dataclass(frozen=True)
class RankingOptions:
    """How systems are ranked.

    Attributes
    ----------
    draws
        Of topics, with replacement.
    top
        How many first systems are counted.
    splits
        Of topics into halves, of each size.
    test, correction
        The test of each pair that stands beside what is said of all pairs at once
        (`regrade.significance.discrimination`).
    seed
        Of draws, splits and permutations.
    """

    draws: int = 10_000
    top: int = 5
    splits: int = 500
    test: str = "t"
    correction: str = "holm"
    seed: int = 1

    def __post_init__(self):
        """Check what numbers must be."""
        for name, least in (("draws", 100), ("top", 1), ("splits", 1)):
            if getattr(self, name) < least:
                problem = f"give at least {least}"
                raise ParameterError(f"{name} is {getattr(self, name)}: {problem}")


def rank_systems(
    scores: Scores,
    how: RankingOptions | None = None,
    others: Sequence[Scores] = (),
    threads: int = 1,
    copies: np.ndarray | None = None,
) -> dict[str, pd.DataFrame | Blocks]:
    """Rank systems by means over topics, and say how sure that is."""
    if not scores.systems:
        raise MethodError("there is no system to rank")
    how = how or RankingOptions()
    judged = _on_shared_topics([scores, *others]) if others else []
    pairs = len(scores.systems) * (len(scores.systems) - 1) // 2
    if pairs > MANY:
        log.warning(
            "%d systems have %d pairs, and %d bootstrap samples: that takes about %d "
                "seconds and %d MB",
            len(scores.systems), pairs, how.draws, round(pairs * how.draws / 3e7),
            200 + pairs // 5000,
        )  # fmt: skip
    parts, of_pairs = [], []
    for m in range(len(scores.measures)):
        of_judges = [values[:, :, m] for values in judged]
        of = _MeasureRanking(scores, m, how, of_judges, threads, copies)
        parts.append(of.tables())
        of_pairs.append(of.all_pairs())
    tables = {
        name: pd.concat([part[name] for part in parts], ignore_index=True)[
            columns_of(f"ranking/{name}")
        ]
        for name in parts[0]
    }
    tables["pairs"] = table_of(of_pairs)
    tables["facts"] = pd.concat([_facts_of_all(scores, how, judged), tables["facts"]],
                               ignore_index=True)  # fmt: skip
    return {name: tables[name] for name in _TABLES}


def _on_shared_topics(judged: Sequence[Scores]) -> list[np.ndarray]:
    """(S, T, M) scores under each judge's labels, on the topics that all have judged."""
    shared = set.intersection(*(set(scores.topics) for scores in judged))
    if not shared:
        raise MethodError("no topic is judged in all sets: do topics have the same format?")
    return [scores.values[:, [topic in shared for topic in scores.topics]] for scores in judged]


@dataclass(frozen=True, eq=False)
class _PairSummary:
    """Summary of all pairs, gone through once.

    Attributes
    ----------
    significant_by_tukey
        How many differ significantly by Tukey's test.
    better
        (S, S) whether the system of a row is significantly better than that of a column.
    difference, variance, p, p_at_once
        (P,) float64, of each pair; p is Student's.
    """

    significant_by_tukey: int
    better: np.ndarray
    difference: np.ndarray
    variance: np.ndarray
    p: np.ndarray
    p_at_once: np.ndarray

    @classmethod
    def of(cls, every: AllPairs) -> _PairSummary:
        systems, start, by_tukey = len(every.scores), 0, 0
        better, numbers = np.zeros((systems, systems), dtype=bool), np.empty((4, len(every)))
        for pairs in every.blocks():
            by_tukey += (pairs.p_tukey() < SIGNIFICANCE).sum()
            better |= significantly_better(pairs, systems)
            own = pairs.difference, pairs.variance, pairs.p, pairs.p_at_once
            numbers[:, start : start + len(pairs.p)] = own
            start += len(pairs.p)
        return cls(by_tukey, better, *numbers)


class _MeasureRanking:
    """The tables of one measure."""

    def __init__(
        self,
        scores: Scores,
        m: int,
        how: RankingOptions,
        judged: Sequence[np.ndarray],
        threads: int,
        copies: np.ndarray | None,
    ):
        values = scores.values[:, :, m]
        # the best first, systems that tie by name
        order = np.lexsort((scores.systems, -places(values.mean(axis=1))))
        self.measure, self.how = str(scores.measures[m]), how
        self.names = tuple(scores.systems[i] for i in order)
        self.scores = np.ascontiguousarray(values[order])
        self.judged = [of_judge[order] for of_judge in judged]
        self.topics = values.shape[1]
        own = None if copies is None else copies[order]
        self.pairs = AllPairs.of(self.scores, how.draws, how.seed, threads, own)
        self.summary = _PairSummary.of(self.pairs)
        self.p = self.summary.p
        if how.test != "t" and min(values.shape) > 1:
            self.p = pair_test(self.scores, scores.topics, how.test, seed=how.seed).p
        self.p_corrected = adjust(self.p, how.correction)
        is_full = min(values.shape) > 1
        self.reliability = reliability.Reliability(self.scores) if is_full else None
        self.taus = self._taus()
        self.weights = halves.weights_of(self._mean_taus()) if self.taus else None

    def tables(self) -> dict[str, pd.DataFrame]:
        """By name, but for the pairs and the answer."""
        systems = self.systems()
        tables: dict[str, object] = {
            "facts": [*self.facts(), *_facts_of_first(systems)],
            "systems": systems,
            "variances": self.variances(),
            "reliability": self.reliabilities(),
            "halves": self.halves(),
            "needed": self.needed(),
            "detectable": self.detectable(),
            "needed_differences": self.needed_differences(),
            "beside_best": self.beside_best(),
            "judge_variances": self.judge_variances(),
            "judge_reliability": self.judge_reliability(),
        }
        return {
            name: table.assign(measure=self.measure)
            if isinstance(table, pd.DataFrame)
            else pd.DataFrame(
                ((self.measure, *row) for row in table), columns=columns_of(f"ranking/{name}")
            )
            for name, table in tables.items()
        }

    def facts(self) -> Iterator[tuple]:
        """Rows of ``ranking/facts`` about all pairs, with a note where a number is undefined."""
        pairs, at_once = self.pairs, INTERVALS["differences_at_once"]
        few = ""
        if self.topics < at_once.fewest:
            few = f"fewer than {at_once.fewest} topics: nothing is said of all pairs at once"
        note = few
        if np.isinf(pairs.critical):
            note = "systems differ on too few topics: no intervals of all pairs at once"
        yield "pairs", len(pairs), "" if len(pairs) else "one system: no ranking"
        test = self.how.test
        corrected = self.p_corrected < SIGNIFICANCE
        together = self.summary.p_at_once <= SIGNIFICANCE
        yield "significant", (self.p < SIGNIFICANCE).sum(), f"{test}, one by one"
        yield "significant corrected", corrected.sum(), f"{test}, {self.how.correction}"
        yield "significant by stepdown", np.nan if few else together.sum(), few
        share = together.mean() if len(pairs) and not few else np.nan
        yield "share significant by stepdown", share, few
        yield "significant by both", np.nan if few else (together & corrected).sum(), few
        yield "significant by Tukey's test", self.summary.significant_by_tukey, ""
        yield "critical value", pairs.critical if np.isfinite(pairs.critical) else np.nan, note
        tau_note = ""
        if not self.taus:
            tau_note = (
                f"of fewer than {halves.FEWEST_SYSTEMS} systems or {halves.FEWEST_TOPICS} topics, "
                "or of systems that all tie, no τ_b is extrapolated"
            )
        largest = self._mean_taus()[max(self.taus)] if self.taus else np.nan
        share, least = halves.in_order(self._tau_with_truth(self.topics))
        yield "tau of halves", largest, tau_note
        yield "in order", share, tau_note
        yield "in order at least", least, tau_note

    def systems(self) -> pd.DataFrame:
        """`regrade.ranking.systems.system_table`."""
        times = drawn_times(self.topics, self.how.draws, self.how.seed)
        how, better = self.how, self.summary.better
        return system_table(self.names, self.pairs, better, times, how.top, how.seed)

    def all_pairs(self) -> Part:
        """A row for each pair."""
        names = self.names, self.measure

        def rows(start: int, stop: int) -> pd.DataFrame:
            tested = self.p[start:stop], self.p_corrected[start:stop]
            return _pair_table(self.pairs.some(start, stop), *names, *tested)

        return len(self.pairs), rows

    def variances(self) -> Iterator[tuple]:
        """Of systems, topics and the residual."""
        if self.reliability is None:
            return
        known = self.reliability.variances
        shares = _shares(known)
        for some, share in zip(known, shares, strict=True):
            name = "residual" if len(some) > 1 else FACETS[next(iter(some))]
            yield name, *self.reliability.variance(some), share

    def reliabilities(self) -> Iterator[tuple]:
        """Eρ², Φ and τ_b with the truth of as many topics."""
        if self.reliability is None:
            return
        for topics in sorted({*SIZES, self.topics}):
            for name, row in zip(COEFFICIENTS, self.reliability.coefficients(topics), strict=True):
                yield name, topics, *row
            yield "tau", topics, self._tau_with_truth(topics), np.nan, np.nan

    def _taus(self) -> dict[int, np.ndarray]:
        """τ_b of halves by how many topics these have, the largest last."""
        most = self.topics // 2
        if len(self.names) < halves.FEWEST_SYSTEMS or self.topics < halves.FEWEST_TOPICS:
            return {}
        sizes = sorted({*(size for size in halves.SIZES if size < most), most})
        how = self.how
        taus = {n: halves.tau_of_halves(self.scores, n, how.splits, how.seed) for n in sizes}
        return {n: tau for n, tau in taus.items() if np.isfinite(tau).any()}

    def _mean_taus(self) -> dict[int, float]:
        return {topics: float(np.nanmean(tau)) for topics, tau in self.taus.items()}

    def _tau_with_truth(self, topics: int) -> float:
        return np.nan if self.weights is None else halves.tau_with_truth(self.weights, topics)

    def halves(self) -> Iterator[tuple]:
        """How alike rankings by halves are, as drawn and as fitted to all of them."""
        for topics, tau in self.taus.items():
            fitted = halves.tau_between(self.weights, topics)
            yield topics, np.nanmean(tau), *interval(tau), fitted, np.isfinite(tau).sum()

    def needed(self) -> Iterator[tuple]:
        """Topics for each target."""
        if self.reliability is None:
            return
        for place, name in enumerate(COEFFICIENTS):
            for target in TARGETS[name]:
                yield name, target, *self.reliability.topics_for(target)[place]
        most = halves.FURTHEST * self.topics
        for target in TARGETS["tau"]:
            topics = halves.topics_for_tau(self.weights, most, target) if self.taus else np.nan
            yield "tau", target, topics, np.nan, np.nan

    def detectable(self) -> Iterator[tuple]:
        """Quartiles over pairs of minimum detectable differences, uncorrected and simultaneous."""
        spread = np.sqrt(self.summary.variance)
        if self.topics < 2 or not len(self.pairs):
            return
        yield "none", *self._quartiles(power.detectable_alone(spread, self.topics))
        if len(self.pairs) == 1:
            return
        at_once = self.pairs.detectable_at_once(spread, self.topics)
        if np.isfinite(at_once).all():
            yield "all pairs", *self._quartiles(at_once)

    def _quartiles(self, least: np.ndarray) -> tuple:
        """Quartiles of minimum detectable differences; how many observed ones are smaller."""
        smaller = (np.abs(self.summary.difference) < least).sum()
        return *np.quantile(least, (0.25, 0.5, 0.75)), smaller, len(least)

    def needed_differences(self) -> Iterator[tuple]:
        """Quartiles over pairs of the topics that a difference needs."""
        if self.topics < 2 or not len(self.pairs):
            return
        # more scatter needs more topics: a quartile of these is that of the scatter
        spread = np.quantile(np.sqrt(self.summary.variance), (0.25, 0.5, 0.75), method="higher")
        for difference in DIFFERENCES:
            yield difference, *power.topics_to_detect(spread, difference)

    def beside_best(self) -> pd.DataFrame:
        """`regrade.ranking.beside_best.beside_best`."""
        return beside_best(self.names, self.pairs)

    def judge_variances(self) -> Iterator[tuple]:
        """Of systems, topics, judges and their interactions."""
        known = self._of_judges()
        for some, share in zip(known, _shares(known), strict=True):
            yield " × ".join(FACETS[f] for f in FACETS if f in some), known[some], share

    def judge_reliability(self) -> Iterator[tuple]:
        """Eρ² and Φ of this many topics and a number of judges."""
        known = self._of_judges()
        for topics in sorted({*SIZES, self.topics}) if known else ():
            for judges in sorted({*JUDGES, len(self.judged)}):
                numbers = {"t": topics, "j": judges}
                yield topics, judges, *reliability.coefficients(known, numbers)

    def _of_judges(self) -> dict:
        if len(self.judged) < 2 or min(self.judged[0].shape) < 2:
            return {}
        return reliability.components(np.stack(self.judged, axis=2), "stj")


def _pair_table(
    pairs: SystemPairs,
    names: Sequence[str],
    measure: str,
    p: np.ndarray,
    p_corrected: np.ndarray,
) -> pd.DataFrame:
    """Rows of ``ranking/pairs``."""
    low, high = pairs.ends
    all_low, all_high = pairs.ends_at_once()
    return pd.DataFrame(
        {
            "measure": measure,
            "system": pd.Categorical.from_codes(pairs.first, names),
            "other": pd.Categorical.from_codes(pairs.second, names),
            "difference": pairs.difference,
            "low": low,
            "high": high,
            "all_low": all_low,
            "all_high": all_high,
            "p": p,
            "p_corrected": p_corrected,
            "p_tukey": pairs.p_tukey(),
            "p_adjusted": pairs.p_at_once,
            "effect": pairs.effect(),
            "won": pairs.won,
            "even": pairs.even,
            "detectable": power.detectable_alone(
                np.sqrt(pairs.variance), pairs.every.scores.shape[1]
            ),
        }
    )


def _facts_of_first(systems: pd.DataFrame) -> Iterator[tuple]:
    """How many systems share the highest mean, may be the best as well, and are not."""
    is_best, may_be = systems["rank"] == 1, systems["may_be_best"]
    yield "best", is_best.sum(), ""
    known = may_be.notna().all()
    yield "may be the best", (~is_best & (may_be == 1)).sum() if known else np.nan, ""
    yield "not the best", (~is_best & (may_be == 0)).sum() if known else np.nan, ""


def _shares(variances: Mapping) -> np.ndarray:
    """Of the sum of variances, those below 0 counting as 0."""
    values = np.maximum(0.0, np.fromiter(variances.values(), float))
    total = values.sum()
    return values / total if total > 0 else np.full(len(values), np.nan)


def _facts_of_all(
    scores: Scores, how: RankingOptions, judged: Sequence[np.ndarray]
) -> pd.DataFrame:
    systems, topics = len(scores.systems), len(scores.topics)
    shared = judged[0].shape[1] if judged else topics
    note = "" if shared == topics else f"{shared} topics are judged by all of them"
    rows = [
        ("systems", systems, "one system: no ranking" if systems == 1 else ""),
        ("topics", topics, "one topic: no intervals, no tests" if topics == 1 else ""),
        ("draws", how.draws, ""),
        ("seed", how.seed, ""),
        ("judges", max(1, len(judged)), note),
    ]
    return pd.DataFrame(
        ((ALL_TOPICS, *row) for row in rows), columns=columns_of("ranking/facts")
    ).astype({"value": float})
